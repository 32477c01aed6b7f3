//! The pace of a loop: when each wait is due, and what happens after a missed slot.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// What happens to a slot of the schedule that passed before the loop could run it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnMiss {
    /// The slot is counted as missed and skipped; the schedule does not move.
    #[default]
    Skip,
    /// The slot runs immediately, without a wait; the schedule does not move.
    CatchUp,
    /// The next slot is due one period after the late wake-up, so lateness is not carried over. Used to compare with a
    /// reference tool that does the same. The lateness that this hides is counted and shown.
    Rebase,
}

/// When each wait of a loop is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// Slots follow a fixed schedule: they are due at start + period, start + 2 × period, and so on.
    Grid {
        /// Length of a slot.
        #[serde(rename = "period_nanos")]
        period: Nanos,
        /// What happens to a slot that passed before the loop could run it.
        on_miss: OnMiss,
    },
    /// Each wait is due `length` after the beginning of that wait; the next wait begins immediately.
    After {
        /// Requested length of each wait.
        #[serde(rename = "length_nanos")]
        length: Nanos,
    },
    /// No wait: iterations run back to back.
    BackToBack,
    /// No wait and no work: the loop reads the clock without pause. A gap is a difference between two reads
    /// that reaches the threshold.
    Gaps {
        /// Shortest gap that is recorded; 0 uses the larger of 1 µs and ten times the duration of a clock read.
        #[serde(rename = "threshold_nanos")]
        threshold: Nanos,
    },
}

impl Pace {
    /// Returns the length of a slot or of each wait; 0 for a pace without waits.
    pub const fn period(self) -> Nanos {
        match self {
            Self::Grid { period, .. } => period,
            Self::After { length } => length,
            Self::BackToBack | Self::Gaps { .. } => Nanos::ZERO,
        }
    }

    /// Returns whether iterations follow a fixed schedule.
    pub const fn is_grid(self) -> bool {
        matches!(self, Self::Grid { .. })
    }

    /// Returns whether the loop skips slots that have passed.
    pub const fn is_skipping(self) -> bool {
        matches!(self, Self::Grid { on_miss: OnMiss::Skip, .. })
    }
}

/// A slot of a fixed schedule and when the slot is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Position in the schedule, from 0; negative during the warm-up.
    pub index: i64,
    /// When the slot is due, as time since the start of the schedule.
    pub due: Nanos,
}

/// Returns the slot to run after `slot`, for a thread that woke at `woke` and finished its work at `now`.
///
/// A slot has passed when its whole period is over. A slot that is due but not over still runs, late.
#[inline]
pub fn next_slot(slot: Slot, period: Nanos, on_miss: OnMiss, woke: Nanos, now: Nanos) -> Slot {
    match on_miss {
        OnMiss::CatchUp => Slot { index: slot.index + 1, due: slot.due + period },
        OnMiss::Rebase => Slot { index: slot.index + 1, due: woke + period },
        OnMiss::Skip => {
            let due = slot.due + period;
            let behind = (now - due).get();
            let skipped =
                if behind < period.get() || period.get() <= 0 { 0 } else { behind / period.get() };
            Slot { index: slot.index + 1 + skipped, due: due + period * skipped }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Nanos = Nanos::new(100);

    fn check(on_miss: OnMiss, woke: i64, now: i64, index: i64, due: i64) {
        let slot = Slot { index: 3, due: Nanos::new(300) };
        assert_eq!(
            next_slot(slot, PERIOD, on_miss, Nanos::new(woke), Nanos::new(now)),
            Slot { index, due: Nanos::new(due) },
        );
    }

    #[test]
    fn a_grid_does_not_move_after_a_late_turn() {
        check(OnMiss::Skip, 340, 360, 4, 400);
        check(OnMiss::CatchUp, 340, 360, 4, 400);
    }

    #[test]
    fn a_slot_that_has_begun_is_still_run() {
        check(OnMiss::Skip, 340, 499, 4, 400);
    }

    #[test]
    fn slots_that_are_over_are_skipped_or_caught_up() {
        check(OnMiss::Skip, 340, 500, 5, 500);
        check(OnMiss::Skip, 340, 749, 7, 700);
        check(OnMiss::CatchUp, 340, 749, 4, 400);
    }

    #[test]
    fn rebasing_forgives() {
        check(OnMiss::Rebase, 340, 360, 4, 440);
    }
}
