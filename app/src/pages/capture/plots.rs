//! The plots of an imported recording: frame times with their moving median over time, and a
//! histogram.

use eframe::egui::{Color32, Id, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{CaptureFigures, Limiter, Scope, format_position};
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
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::keys::{Command, is_typing, key_text, pressed};
use crate::widgets::{Spans, icon_button, segmented};

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
    /// What the vertical axis of the timeline shows.
    values: ShownValues,
    /// Position of the stutter that was selected last.
    at: Option<usize>,
}

/// What the vertical axis of a timeline of frames shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ShownValues {
    /// Whether it shows frame rates instead of frame times.
    has_rates: bool,
    /// Whether its scale is linear. By default it is logarithmic: one frame of a second would flatten the line of all
    /// others.
    is_linear: bool,
}

#[derive(Debug)]
struct CapturePlots {
    of: (String, usize, CaptureView),
    timeline: Option<FrameTimeLines>,
    recorded: Recorded,
    histogram: Option<Chart>,
}

impl Plots {
    /// Returns the color of something that limits frames; `None` if it has none.
    pub(super) fn limiter_color(&self, limiter: Limiter, tokens: &Tokens) -> Option<Color32> {
        let series = self.made.as_ref()?.recorded.series_of(limiter)?;
        Some(tokens.series(series).color)
    }

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
                let count = text::count_text(times.stutters.len(), "frames");
                note.push_str(&format!(" · squares: {count} that stutter"));
            }
            if !is_typing(ui.ctx()) && pressed(ui.ctx(), Command::Scale) {
                self.values.is_linear ^= true;
                ChartCard::new(("capture", &id), &times.chart).show_all_values(ui);
            }
            times.show(self.values);
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
            let mut next = stepped(ui, self.at, times.stutters.len());
            let values = &mut self.values;
            let has_choice = times.series.first().is_some_and(|(name, _)| *name != TICK_TIME);
            let at = self.at;
            card.show(ui, |ui| {
                let before = *values;
                values_ui(ui, values, has_choice);
                if *values != before {
                    card.show_all_values(ui);
                }
                next = next.or(stepper_ui(ui, at, times.stutters.len()));
            });
            if let Some(at) = next {
                let (middle, _) = times.stutters.get(at).copied().unwrap_or_default();
                card.look_at(ui, ((middle - AROUND.as_f64()).max(0.0), middle + AROUND.as_f64()));
                self.at = Some(at);
            }
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

/// Draws the choices of the vertical axis; `has_rates` states whether there are frame rates to choose.
fn values_ui(ui: &mut Ui, values: &mut ShownValues, has_rates: bool) {
    if has_rates {
        segmented(ui, "Show", &mut values.has_rates, &[(false, "Frame time"), (true, "FPS")]);
    }
    // In a narrow window, only the key changes the scale.
    if size::MEDIUM_FROM <= ui.content_rect().width() {
        segmented(ui, "Scale", &mut values.is_linear, &[(true, "Linear"), (false, "Log")]);
    }
}

/// Draws the buttons that step through the stutters; returns the position of the one that the user selects.
fn stepper_ui(ui: &mut Ui, at: Option<usize>, count: usize) -> Option<usize> {
    count.checked_sub(1)?;
    let name = |words: &str, command: Command| format!("{words} ({})", key_text(ui.ctx(), command));
    let previous = name("Previous stutter", Command::PreviousLate);
    let next = name("Next stutter", Command::NextLate);
    let is_previous = icon_button(ui, icons::CARET_LEFT, &previous).clicked();
    if size::WIDE_FROM <= ui.content_rect().width() {
        let place = at.map_or_else(|| text::MISSING.to_owned(), |at| text::format_count(at + 1));
        let words = format!("stutter {place} of {}", text::format_count(count));
        Spans::plain(Type::Small, &words, Tokens::of(ui).t2).whole_label(ui);
    }
    let is_next = icon_button(ui, icons::CARET_RIGHT, &next).clicked();
    (is_next != is_previous).then(|| step(at, count, is_next))
}

/// Returns the position of the stutter that the key N or P selects, out of `count` stutters; `None`
/// if neither key was pressed.
fn stepped(ui: &Ui, at: Option<usize>, count: usize) -> Option<usize> {
    count.checked_sub(1)?;
    if is_typing(ui.ctx()) {
        return None;
    }
    let is_next = pressed(ui.ctx(), Command::NextLate);
    (is_next != pressed(ui.ctx(), Command::PreviousLate)).then(|| step(at, count, is_next))
}

/// Returns the position of the next or the previous one of `count` stutters.
fn step(at: Option<usize>, count: usize, is_next: bool) -> usize {
    let last = count.saturating_sub(1);
    match at {
        Some(at) if is_next => (at + 1).min(last),
        Some(at) => at.saturating_sub(1),
        None if is_next => 0,
        None => last,
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
    /// What charts and markers show.
    values: ShownValues,
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
        let values = ShownValues::default();
        let chart = chart(&series, (0.0, end_nanos), (end_nanos, &limits), values);
        let marks = stutters.clone();
        let close_up = None;
        Some(Self {
            series,
            end_nanos,
            limits,
            dimmed,
            range,
            values,
            chart,
            close_up,
            stutters,
            marks,
        })
    }

    /// Switches the vertical axis of the timeline.
    fn show(&mut self, values: ShownValues) {
        if self.values == values {
            return;
        }
        self.values = values;
        let whole = (0.0, self.end_nanos);
        self.chart = chart(&self.series, whole, (self.end_nanos, &self.limits), values);
        self.close_up = None;
        let place =
            |&(at, time): &(f64, f64)| (at, if values.has_rates { 1e9 / time } else { time });
        self.marks = self.stutters.iter().map(place).collect();
    }

    /// Prepares the chart of the visible time range, in nanoseconds; `None` is the whole recording.
    fn look_closer(&mut self, seen: Option<(f64, f64)>) {
        if seen != self.close_up.as_ref().map(|(of, _)| *of) {
            self.close_up = seen.map(|seen| {
                let drawn = drawn(&self.series, seen, self.values.has_rates);
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
    ShownValues { has_rates, is_linear }: ShownValues,
) -> Chart {
    let drawn = drawn(series, time, has_rates);
    let highest = |one: &Series| one.points.iter().fold(0.0, |most, it| it.1.max(most));
    let mut most = drawn.iter().map(highest).fold(0.0, f64::max);
    if let Some(medians) = drawn.get(1).filter(|_| has_rates) {
        most = most.min(highest(medians) * MAX_RATE);
    }
    let name = series.first().map_or(NAMES[0].0, |(name, _)| *name);
    let (name, quantity) = if has_rates { ("FPS", Quantity::Rate) } else { (name, Quantity::Time) };
    let y = if is_linear {
        Axis::linear(name, quantity, 0.0, most * 1.05)
    } else {
        let points = drawn.iter().flat_map(|one| &one.points).map(|point| point.1);
        let lowest = points.filter(|value| 0.0 < *value).fold(most, f64::min);
        // At least an octave, but no decade: the frames of a steady game would fill little of it.
        let (from, to) = (lowest * 0.8, (most * 1.25).max(lowest * 2.0));
        let whole = Axis::log(name, quantity, from, to);
        Axis { to: if whole.from < to { to } else { whole.to }, ..whole }
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

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::chart::Scale;

    use super::*;

    #[test]
    fn the_stutters_are_stepped_through_from_one_end_to_the_other() {
        let steps = |from, is_next| step(from, 3, is_next);
        assert_eq!([steps(None, true), steps(Some(0), true), steps(Some(2), true)], [0, 1, 2]);
        assert_eq!([steps(None, false), steps(Some(2), false), steps(Some(0), false)], [2, 1, 0]);
    }

    #[test]
    fn the_axis_of_a_timeline_is_logarithmic_or_linear_and_holds_all_frames() {
        let recording = Recording {
            frame_times: std::iter::repeat_n(16_000_000, 100).chain([90_000_000]).collect(),
            ..Recording::default()
        };
        let scope = Scope::of(&recording, &std::sync::Arc::default());
        let mut lines = FrameTimeLines::of(&recording, &scope, true, NAMES[0].0).unwrap();
        let ends = |lines: &FrameTimeLines| (lines.chart.y.from / 1e6, lines.chart.y.to / 1e6);
        assert_eq!(lines.chart.y.scale, Scale::Log);
        let (from, to) = ends(&lines);
        assert!((from - 12.8).abs() < 1e-6 && (to - 112.5).abs() < 1e-6, "{from} to {to}");
        lines.show(ShownValues { is_linear: true, has_rates: false });
        assert_eq!(lines.chart.y.scale, Scale::Linear);
        let (from, to) = ends(&lines);
        assert!(from.abs() < 1e-9 && (to - 94.5).abs() < 1e-6, "{from} to {to}");
        lines.show(ShownValues { is_linear: false, has_rates: true });
        assert_eq!((lines.chart.y.scale, lines.chart.y.title), (Scale::Log, "FPS"));
        let slowest = 1e9 / 90e6;
        assert!((lines.chart.y.from - slowest * 0.8).abs() < 1e-6, "{:?}", lines.chart.y);
        assert_eq!(lines.marks, [(lines.end_nanos, slowest)]);
    }
}
