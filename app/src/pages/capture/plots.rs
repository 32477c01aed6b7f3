//! The plots of an imported recording: frame times over time with their moving median, and a histogram.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::CaptureFigures;
use jitterscope_engine::report::chart::{Axis, Limit, Marks, Series, of_histograms};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Chart, RecordingFigures};
use jitterscope_engine::run::Capture;
use jitterscope_engine::run::capture::Recording;
use jitterscope_engine::sample::MISSING;
use jitterscope_engine::stats::stutter::{STUTTER_FACTOR, moving_median};
use jitterscope_engine::stats::{LogHistogram, Pyramid};

use crate::plots::ChartCard;
use crate::session::LoadedRun;
use crate::text;

/// Where the bins of histograms begin.
const FIRST_BIN: Nanos = Nanos::new(100);
/// Bins in each decade.
const BINS_A_DECADE: u32 = 20;
/// Columns that a timeline is reduced to: each preserves its min and max.
const COLUMNS: usize = 1_600;
/// The plots, built once per recording.
#[derive(Debug, Default)]
pub(super) struct Plots {
    made: Option<PlotCache>,
}

#[derive(Debug)]
struct PlotCache {
    of: (String, usize),
    charts: Vec<Chart>,
}

impl Plots {
    /// Draws the plots of one recording.
    pub(super) fn ui(&mut self, ui: &mut Ui, shown: &LoadedRun, recording: usize) {
        let of = (shown.run.id.to_string(), recording);
        let Some(figures) = shown.report.recordings.get(recording) else { return };
        if self.made.as_ref().is_none_or(|made| made.of != of) {
            self.made = shown.run.capture().map(|capture| PlotCache::of(capture, figures, of));
        }
        let Some(made) = &self.made else { return };
        let id = format!("{} {recording}", made.of.0);
        for chart in &made.charts {
            ChartCard::new(("capture", &id), chart).note(&figures.label).show(ui, |_| {});
        }
    }
}

/// The subject of a histogram, and the percentiles marked in it.
fn marks(figures: &RecordingFigures) -> (&'static str, [(Option<Nanos>, &'static str); 2]) {
    let (name, p50, p99) = match &figures.figures {
        CaptureFigures::Frames(frames) => {
            ("Frame time histogram", Some(frames.frame_time.p50), frames.frame_time.p99)
        }
        CaptureFigures::SampledLog(_) => ("Histogram of readings", None, None),
        CaptureFigures::Histogram(histogram) => ("Latency histogram", histogram.p50, histogram.p99),
    };
    (name, [(p50, "p50"), (p99, "p99")])
}

impl PlotCache {
    fn of(capture: &Capture, figures: &RecordingFigures, of: (String, usize)) -> Self {
        let mut histogram = LogHistogram::new(FIRST_BIN, BINS_A_DECADE);
        let mut timeline = None;
        match capture {
            Capture::Frames(recordings) | Capture::SampledLog(recordings) => {
                if let Some(recording) = recordings.get(figures.position) {
                    recording.present().for_each(|time| histogram.add(time));
                    timeline = timeline_of(recording, matches!(capture, Capture::Frames(_)));
                }
            }
            Capture::Histogram(distributions) => {
                let own = distributions.get(figures.position);
                for &(value, count) in own.into_iter().flat_map(|one| &one.bins) {
                    histogram.add_many(value, count);
                }
            }
        }
        let (title, marks) = marks(figures);
        let names = ("Time", "Samples");
        let mut counted = of_histograms("histogram", title, names, &[(title, &histogram)]);
        if let Some(chart) = &mut counted {
            let marks = marks.into_iter().filter_map(|(at, label)| Some((at?, label)));
            chart.limits = marks
                .map(|(at, label)| Limit {
                    at: at.as_f64(),
                    label: label.to_owned(),
                    is_vertical: true,
                })
                .collect();
        }
        Self { of, charts: timeline.into_iter().chain(counted).collect() }
    }
}

/// Frame times over time; of a recording of every frame also the moving median and the limit of stutter.
fn timeline_of(recording: &Recording, is_whole: bool) -> Option<Chart> {
    let times: Vec<i64> = recording.present().collect();
    let (mut own, mut medians, mut limits) =
        (Pyramid::default(), Pyramid::default(), Pyramid::default());
    let logged_at = recording.logged_at.values().chain(std::iter::repeat(MISSING));
    let rows = recording.frame_times.values().zip(logged_at).filter(|(time, _)| *time != MISSING);
    let mut end = Nanos::ZERO;
    for ((time, at), median) in rows.zip(moving_median(&times)) {
        let next = if at == MISSING { end + Nanos::new(time) } else { Nanos::new(at) };
        end = next.max(end);
        own.push(end, Nanos::new(time));
        if is_whole {
            medians.push(end, Nanos::from_nanos_f64(median));
            limits.push(end, Nanos::from_nanos_f64(STUTTER_FACTOR * median));
        }
    }
    let limit = format!("{} × median", text::ratio(STUTTER_FACTOR));
    let series: Vec<Series> =
        [("Frame time", own), ("Moving median", medians), (limit.as_str(), limits)]
            .into_iter()
            .filter(|(_, pyramid)| !pyramid.is_empty())
            .map(|(name, pyramid)| {
                let points = pyramid.query(0.0, end.as_secs(), COLUMNS);
                let nanos = points.into_iter().map(|(secs, nanos)| (secs * 1e9, nanos));
                Series::new(name, nanos.collect())
            })
            .collect();
    let most = series.iter().flat_map(|one| &one.points).fold(0.0, |most, it| it.1.max(most));
    (!series.is_empty()).then(|| Chart {
        key: "timeline",
        title: "Timeline",
        note: String::new(),
        x: Axis::linear("Time", Quantity::Time, 0.0, end.as_f64()),
        y: Axis::linear("Frame time", Quantity::Time, 0.0, most * 1.05),
        marks: Marks::Lines(series),
        limits: Vec::new(),
        is_half: false,
    })
}
