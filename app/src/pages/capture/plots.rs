//! The plots of an imported recording: frame times over time with their moving median, and a histogram.

use eframe::egui::{Key, Ui};
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
/// The key of the chart of frame times.
const TIMELINE: &str = "timeline";
/// What is shown before and after a frame that stutters.
const AROUND: Nanos = Nanos::from_secs(1);

/// The plots, built once per recording.
#[derive(Debug, Default)]
pub(super) struct Plots {
    made: Option<PlotCache>,
    /// The frame that stutters at which N and P are.
    at: Option<usize>,
}

#[derive(Debug)]
struct PlotCache {
    of: (String, usize),
    charts: Vec<Chart>,
    /// Time and length of the frames that stutter, in nanoseconds.
    stutters: Vec<(f64, f64)>,
}

impl Plots {
    /// Draws the plots of one recording.
    pub(super) fn ui(&mut self, ui: &mut Ui, shown: &LoadedRun, recording: usize) {
        let of = (shown.run.id.to_string(), recording);
        let Some(figures) = shown.report.recordings.get(recording) else { return };
        if self.made.as_ref().is_none_or(|made| made.of != of) {
            self.made = shown.run.capture().map(|capture| PlotCache::of(capture, figures, of));
            self.at = None;
        }
        let Some(made) = &self.made else { return };
        let id = format!("{} {recording}", made.of.0);
        for chart in &made.charts {
            let (mut note, mut marked) = (figures.label.clone(), &[][..]);
            if chart.key == TIMELINE && !made.stutters.is_empty() {
                note.push_str(" · squares: frames that stutter, N and P step through them");
                marked = &made.stutters;
            }
            let card = ChartCard::new(("capture", &id), chart).note(&note).marked(marked);
            if let Some(at) = stepped(ui, self.at, marked.len()) {
                let (middle, _) = marked.get(at).copied().unwrap_or_default();
                card.look_at(ui, ((middle - AROUND.as_f64()).max(0.0), middle + AROUND.as_f64()));
                self.at = Some(at);
            }
            card.show(ui, |_| {});
        }
    }
}

/// Where N and P lead among this many frames; `None` where neither was pressed.
fn stepped(ui: &Ui, at: Option<usize>, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    if ui.memory(|memory| memory.focused().is_some()) {
        return None;
    }
    let (next, previous) = ui.input(|input| (input.key_pressed(Key::N), input.key_pressed(Key::P)));
    match at {
        _ if next == previous => None,
        Some(at) if next => Some((at + 1).min(last)),
        Some(at) => Some(at.saturating_sub(1)),
        None => Some(if next { 0 } else { last }),
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
        let (mut timeline, mut stutters) = (None, Vec::new());
        match capture {
            Capture::Frames(recordings) | Capture::SampledLog(recordings) => {
                if let Some(recording) = recordings.get(figures.position) {
                    recording.present().for_each(|time| histogram.add(time));
                    let is_whole = matches!(capture, Capture::Frames(_));
                    timeline = timeline_of(recording, is_whole, &mut stutters);
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
        Self { of, charts: timeline.into_iter().chain(counted).collect(), stutters }
    }
}

/// Frame times over time; of a recording of every frame also the moving median, the limit of stutter, and the
/// frames above it.
fn timeline_of(
    recording: &Recording,
    is_whole: bool,
    stutters: &mut Vec<(f64, f64)>,
) -> Option<Chart> {
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
            let (length, limit) =
                (Nanos::new(time), Nanos::from_nanos_f64(STUTTER_FACTOR * median));
            limits.push(end, limit);
            if limit < length {
                stutters.push((end.as_f64(), length.as_f64()));
            }
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
        key: TIMELINE,
        title: "Timeline",
        note: String::new(),
        x: Axis::linear("Time", Quantity::Time, 0.0, end.as_f64()),
        y: Axis::linear("Frame time", Quantity::Time, 0.0, most * 1.05),
        marks: Marks::Lines(series),
        limits: Vec::new(),
        is_half: false,
    })
}
