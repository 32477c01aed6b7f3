//! The plots of an imported recording: frame times over time with their moving median, and a histogram.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::CaptureFigures;
use jitterscope_engine::report::chart::{Axis, Limit, Marks, Series, fitted, of_histograms};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Chart, RecordingFigures};
use jitterscope_engine::run::Capture;
use jitterscope_engine::run::capture::Recording;
use jitterscope_engine::sample::MISSING;
use jitterscope_engine::stats::stutter::{STUTTER_FACTOR, is_stutter, moving_median};
use jitterscope_engine::stats::{LogHistogram, Pyramid};

use crate::plots::ChartCard;
use crate::session::LoadedRun;
use crate::text;
use crate::widgets::card::has_controls;
use crate::widgets::keys::{Command, is_typing, pressed};

/// Columns that what is in view is reduced to: each preserves its min and max.
const COLUMNS: usize = 1_600;
/// The key of the chart of frame times.
const TIMELINE: &str = "timeline";
/// What is shown before and after a frame that stutters.
const AROUND: Nanos = Nanos::from_secs(1);

/// The plots of a recording.
#[derive(Debug, Default)]
pub(super) struct Plots {
    made: Option<PlotCache>,
    /// The frame that stutters at which N and P are.
    at: Option<usize>,
}

#[derive(Debug)]
struct PlotCache {
    of: (String, usize),
    timeline: Option<FrameTimes>,
    histogram: Option<Chart>,
}

impl Plots {
    /// Draws the plots of one recording.
    pub(super) fn ui(&mut self, ui: &mut Ui, shown: &LoadedRun, recording: usize) {
        let of = (shown.run.id.to_string(), recording);
        let Some(figures) = shown.report.results::<RecordingFigures>().get(recording) else {
            return;
        };
        if self.made.as_ref().is_none_or(|made| made.of != of) {
            self.made = shown.run.capture().map(|capture| PlotCache::of(capture, figures, of));
            self.at = None;
        }
        let Some(made) = &mut self.made else { return };
        let id = format!("{} {recording}", made.of.0);
        if let Some(times) = &mut made.timeline {
            let mut note = figures.label.clone();
            if !times.stutters.is_empty() {
                note.push_str(" · squares: frames that stutter");
                note.push_str(if has_controls(ui) { ", N and P step through them" } else { "" });
            }
            let seen = ChartCard::new(("capture", &id), &times.chart).in_view(ui);
            times.look_closer(seen);
            let card = ChartCard::new(("capture", &id), &times.chart)
                .note(&note)
                .marked(&times.stutters)
                .close_up(times.close_up.as_ref().map(|(_, chart)| chart));
            if let Some(at) = stepped(ui, self.at, times.stutters.len()) {
                let (middle, _) = times.stutters.get(at).copied().unwrap_or_default();
                card.look_at(ui, ((middle - AROUND.as_f64()).max(0.0), middle + AROUND.as_f64()));
                self.at = Some(at);
            }
            card.show(ui, |_| {});
            if card.in_view(ui) != seen {
                ui.ctx().request_repaint();
            }
        }
        if let Some(chart) = &made.histogram {
            ChartCard::new(("capture", &id), chart).note(&figures.label).show(ui, |_| {});
        }
    }
}

/// Where N and P lead among this many frames; `None` where neither was pressed.
fn stepped(ui: &Ui, at: Option<usize>, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    if is_typing(ui.ctx()) {
        return None;
    }
    let next = pressed(ui.ctx(), Command::NextLate);
    match at {
        _ if next == pressed(ui.ctx(), Command::PreviousLate) => None,
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
        let mut histogram = LogHistogram::default();
        let mut timeline = None;
        match capture {
            Capture::Frames(recordings) | Capture::SampledLog(recordings) => {
                if let Some(recording) = recordings.get(figures.position) {
                    recording.present().for_each(|time| histogram.add(time));
                    let is_whole = matches!(capture, Capture::Frames(_));
                    timeline = FrameTimes::of(recording, is_whole);
                }
            }
            Capture::Histogram(distributions) => {
                let own = distributions.get(figures.position);
                for &(value, count) in own.into_iter().flat_map(|one| one.bins.iter()) {
                    histogram.add_many(value, count);
                }
            }
        }
        let (title, marks) = marks(figures);
        let names = ("Time", "Samples");
        let mut counted =
            of_histograms("histogram", title, names, &[(title, &histogram)]).map(fitted);
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
        Self { of, timeline, histogram: counted }
    }
}

/// Frame times over time; of a recording of every frame also the moving median, the limit of stutter, and the
/// frames above it.
#[derive(Debug)]
struct FrameTimes {
    series: Vec<(String, Pyramid)>,
    /// All of the time.
    chart: Chart,
    /// The time in view, and what there is in it.
    close_up: Option<((f64, f64), Chart)>,
    /// Time and length of the frames that stutter, in nanoseconds.
    stutters: Vec<(f64, f64)>,
}

impl FrameTimes {
    fn of(recording: &Recording, is_whole: bool) -> Option<Self> {
        let (mut own, mut medians, mut limits) =
            (Pyramid::default(), Pyramid::default(), Pyramid::default());
        let logged_at = recording.logged_at.values().chain(std::iter::repeat(MISSING));
        let rows = recording.frame_times.values().zip(logged_at);
        let rows = rows.filter(|(time, _)| *time != MISSING);
        let (mut end, mut stutters) = (Nanos::ZERO, Vec::new());
        for ((time, at), median) in rows.zip(moving_median(recording.present())) {
            let next = if at == MISSING { end + Nanos::new(time) } else { Nanos::new(at) };
            end = next.max(end);
            own.push(end, Nanos::new(time));
            if is_whole {
                medians.push(end, Nanos::from_nanos_f64(median));
                limits.push(end, Nanos::from_nanos_f64(STUTTER_FACTOR * median));
                if is_stutter(time, median) {
                    stutters.push((end.as_f64(), Nanos::new(time).as_f64()));
                }
            }
        }
        let limit = format!("{} × median", text::format_ratio(STUTTER_FACTOR));
        let names = ["Frame time".to_owned(), "Moving median".to_owned(), limit];
        let series = names.into_iter().zip([own, medians, limits]);
        let series: Vec<(String, Pyramid)> =
            series.filter(|(_, pyramid)| !pyramid.is_empty()).collect();
        let drawn = drawn(&series, (0.0, end.as_f64()));
        let most = drawn.iter().flat_map(|one| &one.points).fold(0.0, |most, it| it.1.max(most));
        let chart = Chart {
            key: TIMELINE,
            title: "Timeline",
            note: String::new(),
            x: Axis::linear("Time", Quantity::Time, 0.0, end.as_f64()),
            y: Axis::linear("Frame time", Quantity::Time, 0.0, most * 1.05),
            marks: Marks::Lines(drawn),
            limits: Vec::new(),
            is_half: false,
        };
        (!series.is_empty()).then_some(Self { series, chart, close_up: None, stutters })
    }

    /// Has a chart of the time in view, in nanoseconds; of all of it, where that is none.
    fn look_closer(&mut self, seen: Option<(f64, f64)>) {
        if seen != self.close_up.as_ref().map(|(of, _)| *of) {
            self.close_up = seen.map(|seen| {
                (
                    seen,
                    Chart { marks: Marks::Lines(drawn(&self.series, seen)), ..self.chart.clone() },
                )
            });
        }
    }
}

/// What is drawn of each series between two times in nanoseconds.
fn drawn(series: &[(String, Pyramid)], (from, to): (f64, f64)) -> Vec<Series> {
    let of = |(name, pyramid): &(String, Pyramid)| {
        let points = pyramid.query(from / 1e9, to / 1e9, COLUMNS).into_iter();
        Series::new(name, points.map(|(secs, nanos)| (secs * 1e9, nanos)).collect())
    };
    series.iter().map(of).collect()
}
