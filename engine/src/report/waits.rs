//! Figures and table columns of single waits, shared by the tests "Sleep accuracy" and "Spin strategies".

use std::borrow::Cow;

use super::model::configuration::{Configuration, with_figures};
use super::model::evaluation::Measured;
use super::model::figures::{Figures, mean, sum_of};
use super::model::table::{Cell, Column, NOT_REPORTED, Positioned, SpreadOf, absent, or_absent};
use crate::nanos::Nanos;
use crate::run::counter;
use crate::stats::{Spread, float, interval};
use crate::units::format_count;

/// Figures of the waits of one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitFigures {
    /// The requested duration of each wait.
    pub requested: Nanos,
    /// The actual durations: from the start of each wait to the first clock reading after its scheduled end.
    pub actual: Spread,
    /// The mean duration up to a second clock reading after the wait, in nanoseconds. The reference tool reports this
    /// mean.
    pub second_reading_nanos: f64,
    /// The mean number of spin iterations per wait.
    pub spins: f64,
    /// The total duration of all waits / all spin iterations, in nanoseconds; absent if no wait took an iteration.
    pub turn_nanos: Option<f64>,
    /// CPU time per wait in nanoseconds; absent if the system does not report CPU time.
    pub cpu_nanos: Option<f64>,
    /// Involuntary context switches per 1 000 waits; absent if the system does not report them.
    pub switches: Option<f64>,
    /// Number of waits that ended before the requested duration had passed.
    pub early_count: usize,
    /// The 95% confidence interval of the mean overshoot; absent while the run is in progress and with too few waits.
    pub overshoot_mean_interval: Option<(f64, f64)>,
}

/// Returns a column of durations, of which lower values are better.
pub(super) fn time(
    key: &'static str,
    title: &'static str,
    definition: impl Into<Cow<'static, str>>,
) -> Column {
    Column::time(key, title, definition).lower_is_better()
}

/// Describes columns with statistics of the overshoot; `samples` is the name of the waits, such as `sleeps`.
pub(super) const fn overshoot_of(samples: &'static str) -> SpreadOf {
    SpreadOf { title: "{} overshoot", values: "the actual minus the requested duration", samples }
}

/// Describes columns with statistics of the actual durations; `samples` is the name of the waits, such as `sleeps`.
pub(super) const fn durations_of(samples: &'static str) -> SpreadOf {
    SpreadOf { title: "{}", values: "the actual durations", samples }
}

/// Returns the spread of the overshoot of a configuration, or a cell with the reason why there is none.
pub(super) fn overshoot_or_absent<'a>((_, row): &'a Positioned<'_>) -> Result<&'a Spread, Cell> {
    row.lateness().ok_or_else(|| absent(row))
}

/// Returns the spread of the actual durations of a configuration, or a cell with the reason why there is none.
pub(super) fn durations_or_absent<'a>((_, row): &'a Positioned<'_>) -> Result<&'a Spread, Cell> {
    row.figures.get::<WaitFigures>().map(|waits| &waits.actual).ok_or_else(|| absent(row))
}

/// Returns a cell with the CPU time per wait of a configuration, or with the reason why the time is unknown.
pub(super) fn cpu_cell((_, row): &Positioned<'_>) -> Cell {
    let cpu = row.figures.get::<WaitFigures>().and_then(|waits| waits.cpu_nanos);
    or_absent(row, cpu.map(Cell::Time), NOT_REPORTED)
}

/// Returns the highest number of waits of a configuration, as text.
pub(super) fn most_waits(rows: &[Configuration]) -> String {
    let counts = with_figures::<WaitFigures>(rows).map(|(_, figures)| figures.actual.count);
    format_count(counts.max().unwrap_or(0))
}

/// Returns a cell that `of` makes from the figures of a configuration, or with the reason why there are no figures.
pub(super) fn of_waits(row: &Configuration, of: impl Fn(&WaitFigures) -> Cell) -> Cell {
    row.figures.get::<WaitFigures>().map_or_else(|| absent(row), of)
}

/// Computes the figures of the waits of one configuration; empty if there was no wait.
pub(super) fn figures(measured: &Measured<'_>) -> Figures {
    wait_figures(measured).map_or_else(Figures::default, Figures::of)
}

fn wait_figures(measured: &Measured<'_>) -> Option<WaitFigures> {
    let trials = measured.trials;
    let requested = trials.first()?.trial.pace.period();
    let actual: Vec<i64> = trials.iter().flat_map(|trial| trial.samples.actual_nanos()).collect();
    let count = actual.len();
    let spun: u64 = trials.iter().flat_map(|trial| trial.samples.spins()).map(u64::from).sum();
    let all = Nanos::new(actual.iter().fold(0_i64, |sum, &value| sum.saturating_add(value)));
    #[expect(clippy::cast_precision_loss, reason = "turns stay far below 2^53")]
    let spun = spun as f64;
    let second = trials.iter().flat_map(|trial| {
        let samples = &trial.samples;
        let both = samples.done_nanos().zip(samples.began_nanos());
        both.map(|(done, began)| done.saturating_sub(began))
    });
    let of_each = |name| Some(Nanos::new(sum_of(trials, name)?).as_f64() / float(count));
    Some(WaitFigures {
        requested,
        second_reading_nanos: mean(second),
        spins: spun / float(count.max(1)),
        turn_nanos: (0.0 < spun).then(|| all.as_f64() / spun),
        cpu_nanos: of_each(counter::CPU_NANOS),
        switches: of_each(counter::INVOLUNTARY_SWITCHES).map(|each| each * 1_000.0),
        early_count: actual.iter().filter(|&&actual| actual < requested.get()).count(),
        overshoot_mean_interval: measured
            .has_intervals
            .then(|| interval::mean(&measured.values()))
            .flatten(),
        actual: Spread::of(actual)?,
    })
}
