//! The plots of an imported recording: frame times with their moving median over time, and a
//! histogram.

use eframe::egui::{Id, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::CaptureFigures;
use jitterscope_engine::report::chart::{Axis, Limit, Marks, Series, fitted, of_histograms};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Chart, RecordingFigures};
use jitterscope_engine::run::Capture;
use jitterscope_engine::run::capture::Recording;
use jitterscope_engine::stats::stutter::{STUTTER_FACTOR, is_stutter, moving_median};
use jitterscope_engine::stats::{LogHistogram, Pyramid};

use super::recorded::Recorded;
use crate::plots::{Above, ChartCard};
use crate::session::LoadedRun;
use crate::widgets::card::has_controls;
use crate::widgets::keys::{Command, is_typing, pressed};
use crate::widgets::segmented;

/// Number of columns to which the visible samples are reduced. Each column preserves the minimum
/// and maximum of its samples.
const COLUMNS: usize = 1_600;
/// The key of the chart of frame times.
const TIMELINE: &str = "timeline";
/// Time shown before and after the selected stutter.
const AROUND: Nanos = Nanos::from_secs(1);

/// The plots of a recording.
#[derive(Debug, Default)]
pub(super) struct Plots {
    made: Option<PlotCache>,
    /// Whether the timeline shows frame rates instead of frame times.
    has_rates: bool,
    /// Position of the stutter that the keys N and P selected last.
    at: Option<usize>,
}

#[derive(Debug)]
struct PlotCache {
    of: (String, usize),
    timeline: Option<FrameTimes>,
    recorded: Recorded,
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
        let link = Id::unique(("capture-time", &id));
        if let Some(times) = &mut made.timeline {
            let mut note = figures.label.clone();
            if !times.stutters.is_empty() {
                note.push_str(" · squares: frames that stutter");
                note.push_str(if has_controls(ui) { ", N and P step through them" } else { "" });
            }
            times.show(self.has_rates);
            let seen = ChartCard::new(("capture", &id), &times.chart).in_view(ui);
            times.look_closer(seen);
            let sides = made.recorded.sides(ui);
            let card = ChartCard {
                note: &note,
                link: sides.map(|_| link),
                sides,
                marked: &times.marks,
                close_up: times.close_up.as_ref().map(|(_, chart)| chart),
                ..ChartCard::new(("capture", &id), &times.chart)
            };
            if let Some(at) = stepped(ui, self.at, times.stutters.len()) {
                let (middle, _) = times.stutters.get(at).copied().unwrap_or_default();
                card.look_at(ui, ((middle - AROUND.as_f64()).max(0.0), middle + AROUND.as_f64()));
                self.at = Some(at);
            }
            let has_rates = &mut self.has_rates;
            let views = [(false, "Frame time"), (true, "FPS")];
            card.show(ui, |ui| {
                if segmented(ui, "Show", has_rates, &views).changed() {
                    card.show_all_values(ui);
                }
            });
            if card.in_view(ui) != seen {
                ui.ctx().request_repaint();
            }
            made.recorded.ui(ui, Above::chart(link));
        }
        if let Some(chart) = &made.histogram {
            let card = ChartCard::new(("capture", &id), chart);
            ChartCard { note: &figures.label, ..card }.show(ui, |_| {});
        }
    }
}

/// Returns the position of the stutter that the key N or P selects, out of `count` stutters; `None`
/// if neither key was pressed.
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

/// Returns the subject of a histogram, and the percentiles marked in it.
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
        let mut recorded = Recorded::default();
        match capture {
            Capture::Frames(recordings) | Capture::SampledLog(recordings) => {
                if let Some(recording) = recordings.get(figures.position) {
                    recording.present().for_each(|time| histogram.add(time));
                    let is_whole = matches!(capture, Capture::Frames(_));
                    timeline = FrameTimes::of(recording, is_whole);
                    recorded = Recorded::of(recording, is_whole);
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
            chart.limits = marks.map(|(at, label)| Limit::vertical(at.as_f64(), label)).collect();
        }
        Self { of, timeline, recorded, histogram: counted }
    }
}

/// Frame times over time. For a recording of every frame, also the moving median, the stutter
/// threshold, and the stutters.
#[derive(Debug)]
struct FrameTimes {
    series: Vec<(&'static str, Pyramid)>,
    end_nanos: f64,
    /// Whether charts and markers show frame rates instead of frame times.
    has_rates: bool,
    /// The chart of the whole recording.
    chart: Chart,
    /// The visible time range, and the chart of that range in full detail.
    close_up: Option<((f64, f64), Chart)>,
    /// Time and frame time of the stutters, in nanoseconds.
    stutters: Vec<(f64, f64)>,
    /// Positions of the stutters in the chart.
    marks: Vec<(f64, f64)>,
}

/// The names of the series, as frame times and as frame rates.
const NAMES: [(&str, &str); 3] = [
    ("Frame time", "Frame rate"),
    ("Moving median", "Moving median"),
    ("2.5 × median", "Median / 2.5"),
];
/// The axis of frame rates ends at this multiple of the highest moving median. Otherwise a frame
/// that takes almost no time would stretch the axis.
const MAX_RATE: f64 = 3.0;

impl FrameTimes {
    fn of(recording: &Recording, is_whole: bool) -> Option<Self> {
        let (mut own, mut medians, mut limits) =
            (Pyramid::default(), Pyramid::default(), Pyramid::default());
        let mut stutters = Vec::new();
        let rows = recording.frame_times_over_time();
        for ((at, time), median) in rows.zip(moving_median(recording.present())) {
            own.push(at, time);
            if is_whole {
                medians.push(at, Nanos::from_nanos_f64(median));
                limits.push(at, Nanos::from_nanos_f64(STUTTER_FACTOR * median));
                if is_stutter(time.get(), median) {
                    stutters.push((at.as_f64(), time.as_f64()));
                }
            }
        }
        let series = NAMES.iter().map(|names| names.0).zip([own, medians, limits]);
        let series: Vec<(&'static str, Pyramid)> =
            series.filter(|(_, pyramid)| !pyramid.is_empty()).collect();
        let end_nanos = series.first()?.1.end().as_f64();
        let chart = chart(&series, (0.0, end_nanos), end_nanos, false);
        let marks = stutters.clone();
        let close_up = None;
        Some(Self { series, end_nanos, has_rates: false, chart, close_up, stutters, marks })
    }

    /// Switches the timeline to frame rates or to frame times.
    fn show(&mut self, has_rates: bool) {
        if self.has_rates == has_rates {
            return;
        }
        self.has_rates = has_rates;
        self.chart = chart(&self.series, (0.0, self.end_nanos), self.end_nanos, has_rates);
        self.close_up = None;
        let place = |&(at, time): &(f64, f64)| (at, if has_rates { 1e9 / time } else { time });
        self.marks = self.stutters.iter().map(place).collect();
    }

    /// Prepares the chart of the visible time range, in nanoseconds; `None` is the whole recording.
    fn look_closer(&mut self, seen: Option<(f64, f64)>) {
        if seen != self.close_up.as_ref().map(|(of, _)| *of) {
            self.close_up = seen.map(|seen| {
                let drawn = drawn(&self.series, seen, self.has_rates);
                (seen, Chart { marks: Marks::Lines(drawn), ..self.chart.clone() })
            });
        }
    }
}

/// Returns the chart of a time range, in nanoseconds.
fn chart(
    series: &[(&'static str, Pyramid)],
    time: (f64, f64),
    end_nanos: f64,
    has_rates: bool,
) -> Chart {
    let drawn = drawn(series, time, has_rates);
    let highest = |one: &Series| one.points.iter().fold(0.0, |most, it| it.1.max(most));
    let mut most = drawn.iter().map(highest).fold(0.0, f64::max);
    if let Some(medians) = drawn.get(1).filter(|_| has_rates) {
        most = most.min(highest(medians) * MAX_RATE);
    }
    let y = if has_rates {
        Axis::linear("FPS", Quantity::Rate, 0.0, most * 1.05)
    } else {
        Axis::linear("Frame time", Quantity::Time, 0.0, most * 1.05)
    };
    let x = Axis::linear("Time", Quantity::Time, 0.0, end_nanos);
    Chart::new((TIMELINE, "Timeline"), (x, y), Marks::Lines(drawn))
}

/// Returns the points of each series between two times in nanoseconds.
fn drawn(
    series: &[(&'static str, Pyramid)],
    (from, to): (f64, f64),
    has_rates: bool,
) -> Vec<Series> {
    let of = |(name, pyramid): &(&'static str, Pyramid)| {
        let points = pyramid.query(from / 1e9, to / 1e9, COLUMNS).into_iter();
        let points = points.filter(|(_, nanos)| !has_rates || 0.0 < *nanos);
        let place = |nanos: f64| if has_rates { 1e9 / nanos } else { nanos };
        let rate = NAMES.iter().find(|names| names.0 == *name).map_or(*name, |names| names.1);
        let name = if has_rates { rate } else { *name };
        Series::new(name, points.map(|(secs, nanos)| (secs * 1e9, place(nanos))).collect())
    };
    series.iter().map(of).collect()
}
