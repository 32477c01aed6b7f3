//! Single waits, which sleep accuracy and spin strategies share: their figures and columns.

use std::borrow::Cow;

use super::model::configuration::Configuration;
use super::model::evaluation::Measured;
use super::model::figures::{Figures, mean, sum_of};
use super::model::table::{Cell, Column, NOT_REPORTED, Positioned, SpreadOf, absent, or_absent};
use crate::nanos::Nanos;
use crate::run::counter;
use crate::stats::{Spread, float, interval};

/// Figures of single waits.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitFigures {
    /// How long each was to be.
    pub requested: Nanos,
    /// How long they took: `woke − began`.
    pub actual: Spread,
    /// The mean of a second clock reading after the wait, as the source takes it.
    pub second_reading_nanos: f64,
    /// The mean of the turns of a spin.
    pub spins: f64,
    /// Time a turn of the spin takes: all time over all turns; absent without a turn.
    pub turn_nanos: Option<f64>,
    /// CPU time a wait; absent where the system does not tell.
    pub cpu_nanos: Option<f64>,
    /// Times the thread was taken off its CPU in 1 000 waits.
    pub switches: Option<f64>,
    /// Waits that ended before their time.
    pub early_count: usize,
    /// How much longer the whole series took than asked, a second asked.
    pub drift_share: f64,
    /// The 95% interval of the mean overshoot; absent while the run is in progress and with too few waits.
    pub overshoot_mean_interval: Option<(f64, f64)>,
}

/// A column of times that a table that is laid out wide has for each condition.
pub(super) fn time(
    key: &'static str,
    title: &'static str,
    definition: impl Into<Cow<'static, str>>,
) -> Column {
    Column::time(key, title, definition).lower_is_better().pivot("condition")
}

/// The overshoot of waits that are called so.
pub(super) const fn overshoot_of(samples: &'static str) -> SpreadOf {
    SpreadOf {
        title: "{} overshoot",
        values: "the actual minus the requested duration",
        samples,
        pivot: Some("condition"),
    }
}

/// The actual durations of waits that are called so.
pub(super) const fn durations_of(samples: &'static str) -> SpreadOf {
    SpreadOf { title: "{}", values: "the actual durations", samples, pivot: Some("condition") }
}

/// The spread of the overshoot, or why there is none.
pub(super) fn overshoot_or_absent<'a>((_, row): &'a Positioned<'_>) -> Result<&'a Spread, Cell> {
    overshoot(row).ok_or_else(|| absent(row))
}

/// The spread of the actual durations, or why there is none.
pub(super) fn durations_or_absent<'a>((_, row): &'a Positioned<'_>) -> Result<&'a Spread, Cell> {
    row.figures.get::<WaitFigures>().map(|waits| &waits.actual).ok_or_else(|| absent(row))
}

/// The CPU time per wait, or why it is unknown.
pub(super) fn cpu_cell((_, row): &Positioned<'_>) -> Cell {
    let cpu = row.figures.get::<WaitFigures>().and_then(|waits| waits.cpu_nanos);
    or_absent(row, cpu.map(Cell::Time), NOT_REPORTED)
}

/// A figure of waits, or why there is none.
pub(super) fn of_waits(row: &Configuration, of: impl Fn(&WaitFigures) -> Cell) -> Cell {
    row.figures.get::<WaitFigures>().map_or_else(|| absent(row), of)
}

/// Configurations with their figures, where they have some.
pub(super) fn waits<'a>(
    configurations: impl IntoIterator<Item = &'a Configuration>,
) -> impl Iterator<Item = (&'a Configuration, &'a WaitFigures)> {
    configurations.into_iter().filter_map(|one| Some((one, one.figures.get::<WaitFigures>()?)))
}

/// The actual minus the requested durations.
pub(super) fn overshoot(configuration: &Configuration) -> Option<&Spread> {
    configuration.summary.as_ref().map(|summary| &summary.lateness)
}

/// The figures of waits of this length; none where there was no wait.
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
    let target = requested.as_f64() * float(count);
    let of_each = |name| Some(Nanos::new(sum_of(trials, name)?).as_f64() / float(count));
    Some(WaitFigures {
        requested,
        second_reading_nanos: mean(second),
        spins: spun / float(count.max(1)),
        turn_nanos: (0.0 < spun).then(|| all.as_f64() / spun),
        cpu_nanos: of_each(counter::CPU_NANOS),
        switches: of_each(counter::INVOLUNTARY_SWITCHES).map(|each| each * 1_000.0),
        early_count: actual.iter().filter(|&&actual| actual < requested.get()).count(),
        drift_share: if target <= 0.0 { 0.0 } else { (all.as_f64() - target) / target },
        overshoot_mean_interval: measured
            .has_intervals
            .then(|| interval::mean(&measured.values()))
            .flatten(),
        actual: Spread::of(actual)?,
    })
}
