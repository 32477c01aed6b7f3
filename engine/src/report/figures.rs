//! The figures that tests have beyond those that all share.

use super::game_tick::TickFigures;
use super::paced::PacedFigures;
use super::scheduling_gaps::GapFigures;
use super::waits::WaitFigures;
use crate::nanos::Nanos;
use crate::run::TrialRun;

/// A frame at 60 FPS: the budget of a cycle that runs in every frame.
pub(super) const FRAME: Nanos = Nanos::new(16_666_667);

/// The figures of one configuration that only some tests have.
#[derive(Clone, Debug, PartialEq)]
pub enum Figures {
    /// Nothing was measured.
    None,
    /// Of a paced loop.
    Paced(PacedFigures),
    /// Of single waits.
    Waits(WaitFigures),
    /// Of a gap probe.
    Gaps(Box<GapFigures>),
    /// Of game cycles.
    Ticks(TickFigures),
}

impl Figures {
    /// Returns those of a paced loop.
    pub const fn paced(&self) -> Option<&PacedFigures> {
        match self {
            Self::Paced(paced) => Some(paced),
            _ => None,
        }
    }

    /// Returns those of single waits.
    pub const fn waits(&self) -> Option<&WaitFigures> {
        match self {
            Self::Waits(waits) => Some(waits),
            _ => None,
        }
    }

    /// Returns those of a gap probe.
    pub fn gaps(&self) -> Option<&GapFigures> {
        match self {
            Self::Gaps(gaps) => Some(gaps),
            _ => None,
        }
    }

    /// Returns those of game cycles.
    pub const fn ticks(&self) -> Option<&TickFigures> {
        match self {
            Self::Ticks(ticks) => Some(ticks),
            _ => None,
        }
    }
}

/// The sum of a counter; `None` where a trial does not have it.
pub(super) fn sum_of(trials: &[&TrialRun], name: &str) -> Option<i64> {
    let mut sum = 0_i64;
    for trial in trials {
        sum = sum.saturating_add(*trial.counters.get(name)?);
    }
    Some(sum)
}

/// The mean; 0 of no values.
pub(super) fn mean(values: impl Iterator<Item = i64>) -> f64 {
    let (sum, count) =
        values.fold((0_i128, 0_usize), |(sum, count), value| (sum + i128::from(value), count + 1));
    #[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
    let sum = sum as f64;
    if count == 0 { 0.0 } else { sum / crate::stats::float(count) }
}
