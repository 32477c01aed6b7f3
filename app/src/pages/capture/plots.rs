//! The plots of an imported recording: frame times with their moving median over time, and a
//! histogram.

use eframe::egui::{Id, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{CaptureFigures, Scope, format_position};
use jitterscope_engine::report::chart::{Axis, Limit, Marks, Series, fitted, of_histograms};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{CaptureView, Chart, RecordingFigures};
use jitterscope_engine::run::Capture;
use jitterscope_engine::run::capture::Recording;
use jitterscope_engine::stats::stutter::{PAUSE, is_stutter, moving_median};
use jitterscope_engine::stats::{LogHistogram, Pyramid};

use super::recorded::Recorded;
use crate::plots::{Above, ChartCard, DimmedPart};
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
    made: Option<CapturePlots>,
    /// Whether the timeline shows frame rates instead of frame times.
    has_rates: bool,
    /// Position of the stutter that the keys N and P selected last.
    at: Option<usize>,
}

#[derive(Debug)]
struct CapturePlots {
    of: (String, usize, CaptureView),
    timeline: Option<FrameTimeLines>,
    recorded: Recorded,
    histogram: Option<Chart>,
}

impl Plots {
    /// Draws the plots of one recording; returns the range that the user selected in its timeline.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        shown: &LoadedRun,
        recording: usize,
    ) -> Option<(Nanos, Nanos)> {
        let view = shown.report.options.capture.clone();
        let of = (shown.run.id.to_string(), recording, view);
        let figures = shown.report.results::<RecordingFigures>().get(recording)?;
        if self.made.as_ref().is_none_or(|made| made.of != of) {
            self.made = shown.run.capture().map(|capture| CapturePlots::of(capture, figures, of));
            self.at = None;
        }
        let made = self.made.as_mut()?;
        let mut selected = None;
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
                dimmed: &times.dimmed,
                range: Some(times.range),
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
            let has_choice = times.series.first().is_some_and(|(name, _)| *name != TICK_TIME);
            card.show(ui, |ui| {
                if has_choice && segmented(ui, "Show", has_rates, &views).changed() {
                    card.show_all_values(ui);
                }
            });
            selected = card.take_range(ui);
            if card.in_view(ui) != seen {
                ui.ctx().request_repaint();
            }
            made.recorded.ui(ui, Above::chart(link));
        }
        if let Some(chart) = &made.histogram {
            let card = ChartCard::new(("capture", &id), chart);
            ChartCard { note: &figures.label, ..card }.show(ui, |_| {});
        }
        selected.map(|(from, to)| (Nanos::from_nanos_f64(from), Nanos::from_nanos_f64(to)))
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
        CaptureFigures::Ticks(ticks) => {
            ("Tick time histogram", Some(ticks.tick_time.p50), ticks.tick_time.p99)
        }
        CaptureFigures::SampledLog(_) => ("Histogram of readings", None, None),
        CaptureFigures::Histogram(histogram) => ("Latency histogram", histogram.p50, histogram.p99),
    };
    (name, [(p50, "p50"), (p99, "p99")])
}

impl CapturePlots {
    fn of(capture: &Capture, figures: &RecordingFigures, of: (String, usize, CaptureView)) -> Self {
        let mut histogram = LogHistogram::default();
        let mut timeline = None;
        let mut recorded = Recorded::default();
        match capture {
            Capture::Frames(_)
            | Capture::SampledLog(_)
            | Capture::Ticks(_)
            | Capture::SampledTicks(_) => {
                if let Some(scope) = &figures.scope {
                    let recording = &scope.recording;
                    recording.present().for_each(|time| histogram.add(time));
                    let is_whole = matches!(capture, Capture::Frames(_));
                    let whole = capture.recordings().get(figures.position);
                    let is_of_ticks =
                        matches!(capture, Capture::Ticks(_) | Capture::SampledTicks(_));
                    let name = if is_of_ticks { TICK_TIME } else { NAMES[0].0 };
                    timeline =
                        whole.and_then(|whole| FrameTimeLines::of(whole, scope, is_whole, name));
                    recorded = Recorded::of(scope, is_whole);
                }
            }
            Capture::Histogram(distributions) => {
                let own = distributions.get(figures.position);
                for (value, count) in own.into_iter().flat_map(|one| one.bins.iter()) {
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
struct FrameTimeLines {
    series: Vec<(&'static str, Pyramid)>,
    end_nanos: f64,
    /// The ends of the shown part, if it is not the whole recording.
    limits: Vec<Limit>,
    /// What is outside of the shown part, and the pauses that are omitted.
    dimmed: Vec<DimmedPart>,
    /// The shown part.
    range: (f64, f64),
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
/// The name of a pause that is not part of the figures.
const OMITTED: &str = "Omitted pause";
/// The name of the series of a log of ticks, which have no rate of their own.
const TICK_TIME: &str = "Tick time";
/// The axis of frame rates ends at this multiple of the highest moving median. Otherwise a frame
/// that takes almost no time would stretch the axis.
const MAX_RATE: f64 = 3.0;

impl FrameTimeLines {
    /// Returns the frame times of the whole recording, with the shown part between two lines. Stutters are those of the
    /// shown part.
    fn of(whole: &Recording, scope: &Scope, is_whole: bool, name: &'static str) -> Option<Self> {
        let factor = scope.view.stutter_factor;
        let range = scope.range();
        let all = range.map(|_| {
            let view = CaptureView { from: None, to: None, skip_first: 0, ..(*scope.view).clone() };
            Scope::of(whole, &view.into())
        });
        let recording = &all.as_ref().unwrap_or(scope).recording;
        let is_shown = |at: Nanos| range.is_none_or(|(from, to)| from < at && at <= to);
        let (mut own, mut medians, mut limits) =
            (Pyramid::default(), Pyramid::default(), Pyramid::default());
        let mut stutters = Vec::new();
        let rows = recording.frame_times_over_time();
        for ((at, time), median) in rows.zip(moving_median(recording.present())) {
            own.push(at, time);
            if is_whole {
                medians.push(at, Nanos::from_nanos_f64(median));
                limits.push(at, Nanos::from_nanos_f64(factor * median));
                if is_shown(at) && is_stutter(time.get(), median, factor) {
                    stutters.push((at.as_f64(), time.as_f64()));
                }
            }
        }
        let [_, median, limit] = NAMES.map(|names| names.0);
        let series = [name, median, limit].into_iter().zip([own, medians, limits]);
        let series: Vec<(&'static str, Pyramid)> =
            series.filter(|(_, pyramid)| !pyramid.is_empty()).collect();
        let end_nanos = series.first()?.1.end().as_f64();
        let limits: Vec<Limit> = range
            .into_iter()
            .flat_map(|(from, to)| [(from, "from"), (to, "to")])
            .map(|(at, word)| {
                Limit::vertical(at.as_f64(), format!("{word} {}", format_position(at)))
            })
            .collect();
        let shown = range.map_or((0.0, end_nanos), |(from, to)| (from.as_f64(), to.as_f64()));
        let outside = [(0.0, shown.0), (shown.1, end_nanos)].into_iter();
        let outside = outside.filter(|(from, to)| from < to).map(|(from, to)| (from, to, ""));
        let rows =
            whole.frame_times_over_time().filter(|(at, time)| is_shown(*at) && PAUSE < *time);
        let pauses = rows
            .filter(|_| scope.view.omits_pauses)
            .map(|(at, time)| ((at - time).as_f64(), at.as_f64(), OMITTED));
        let dimmed = outside.chain(pauses).map(|(from, to, name)| DimmedPart { from, to, name });
        let (dimmed, range) = (dimmed.collect(), shown);
        let chart = chart(&series, (0.0, end_nanos), (end_nanos, &limits), false);
        let marks = stutters.clone();
        let close_up = None;
        let has_rates = false;
        Some(Self {
            series,
            end_nanos,
            limits,
            dimmed,
            range,
            has_rates,
            chart,
            close_up,
            stutters,
            marks,
        })
    }

    /// Switches the timeline to frame rates or to frame times.
    fn show(&mut self, has_rates: bool) {
        if self.has_rates == has_rates {
            return;
        }
        self.has_rates = has_rates;
        let whole = (0.0, self.end_nanos);
        self.chart = chart(&self.series, whole, (self.end_nanos, &self.limits), has_rates);
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
    (end_nanos, limits): (f64, &[Limit]),
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
        let name = series.first().map_or(NAMES[0].0, |(name, _)| *name);
        Axis::linear(name, Quantity::Time, 0.0, most * 1.05)
    };
    let x = Axis::linear("Time", Quantity::Time, 0.0, end_nanos);
    let limits = limits.to_vec();
    Chart { limits, ..Chart::new((TIMELINE, "Timeline"), (x, y), Marks::Lines(drawn)) }
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
