//! How a loop waits.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// What a spinning loop does between two clock reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SpinStrategy {
    /// Nothing.
    None,
    /// `std::hint::spin_loop()`: shows the CPU that this is a spin loop.
    SpinLoopHint,
    /// `std::thread::yield_now()`: yields the CPU to other threads on each iteration.
    YieldThread,
}

impl SpinStrategy {
    /// Every strategy, in the order of the table.
    pub const ALL: [Self; 3] = [Self::None, Self::SpinLoopHint, Self::YieldThread];

    /// The name known to programmers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::SpinLoopHint => "SpinLoopHint",
            Self::YieldThread => "YieldThread",
        }
    }

    /// How it reads in a sentence.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::None => "a plain spin",
            Self::SpinLoopHint => "a spin with SpinLoopHint",
            Self::YieldThread => "a spin with YieldThread",
        }
    }
}

/// Spin tail: how long before the end a hybrid wait switches from sleeping to spinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// Calibrated before the warm-up, under the trial's own load and conditions: the shortest of
    /// [`Tail::TRIED`] whose p99 lateness is within the 95% interval of the best, and whose latest tenth of
    /// the waits is on average about as late as that of the best.
    Measured,
    /// A given length.
    #[serde(rename = "fixed_nanos")]
    Fixed(Nanos),
}

impl Tail {
    /// The tails tried by the calibration; 0 is a plain sleep.
    pub const TRIED: [Nanos; 6] = [
        Nanos::ZERO,
        Nanos::from_micros(100),
        Nanos::from_micros(250),
        Nanos::from_micros(500),
        Nanos::from_millis(1),
        Nanos::from_millis(2),
    ];
    /// The most waits with each tried tail.
    pub const TRIAL_WAITS: u32 = 150;
    /// The longest time for which tails are tried: at 60 FPS it ends the waits of each tail at 80.
    pub const MAX_TRIAL: Nanos = Nanos::from_secs(8);

    /// Whether a tail is shorter than half a period.
    pub const fn fits(tail: Nanos, period: Nanos) -> bool {
        tail.get() < period.get() - tail.get()
    }

    /// Whether a tail is shorter than half a period and, with the work, leaves a tenth of it for
    /// sleep.
    pub const fn leaves_slack(tail: Nanos, work: Nanos, period: Nanos) -> bool {
        Self::fits(tail, period) && tail.get() + work.get() <= period.get() / 10 * 9
    }

    /// The tails to try at a period with this work; 0 always is among them.
    pub fn tried(work: Nanos, period: Nanos) -> impl Iterator<Item = Nanos> {
        Self::TRIED
            .into_iter()
            .filter(move |&tail| tail == Nanos::ZERO || Self::leaves_slack(tail, work, period))
    }
}

/// How a loop waits until an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// The operating system's sleep until an absolute instant.
    OsSleep,
    /// The operating system's sleep for a duration, as most programs call it.
    Relative,
    /// The operating system's sleep for whole milliseconds, rounded up: `Sleep` of Windows.
    WholeMillis,
    /// `OsSleep` until a tail before the instant, then spinning with the CPU's hint.
    Hybrid(Tail),
    /// Reads the clock until the instant is reached.
    Spin(SpinStrategy),
}

impl Wait {
    /// How long it takes to calibrate the tail before the warm-up.
    pub fn calibration(self, work: Nanos, period: Nanos) -> Nanos {
        if self != Self::Hybrid(Tail::Measured) {
            return Nanos::ZERO;
        }
        let tails = Tail::tried(work, period).map(|_| i64::from(Tail::TRIAL_WAITS));
        (period * tails.sum::<i64>()).min(Tail::MAX_TRIAL)
    }

    /// Whether the thread yields its CPU while it waits.
    pub const fn sleeps(self) -> bool {
        !matches!(self, Self::Spin(_))
    }
}

impl fmt::Display for Wait {
    /// As the command line writes it: `hybrid:500us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OsSleep => f.write_str("os-sleep"),
            Self::Relative => f.write_str("relative"),
            Self::WholeMillis => f.write_str("whole-millis"),
            Self::Hybrid(Tail::Measured) => f.write_str("hybrid"),
            Self::Hybrid(Tail::Fixed(tail)) => write!(f, "hybrid:{tail}"),
            Self::Spin(SpinStrategy::None) => f.write_str("spin"),
            Self::Spin(SpinStrategy::SpinLoopHint) => f.write_str("spin-hint"),
            Self::Spin(SpinStrategy::YieldThread) => f.write_str("spin-yield"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tried_tails_are_below_half_a_period_and_leave_slack() {
        let check = |work: i64, period: i64, expected: &[i64]| {
            let (work, period) = (Nanos::from_micros(work), Nanos::from_micros(period));
            let tails: Vec<i64> =
                Tail::tried(work, period).map(|tail| tail.get() / 1_000).collect();
            assert_eq!(tails, expected, "{work} {period}");
        };
        check(0, 16_667, &[0, 100, 250, 500, 1_000, 2_000]);
        check(0, 4_000, &[0, 100, 250, 500, 1_000]);
        check(0, 1_000, &[0, 100, 250]);
        check(800, 1_000, &[0, 100]);
        check(900, 1_000, &[0]);
    }

    #[test]
    fn trying_tails_takes_eight_seconds_at_most() {
        let wait = Wait::Hybrid(Tail::Measured);
        let length = |millis| wait.calibration(Nanos::ZERO, Nanos::from_millis(millis));
        assert_eq!(length(1_000), Nanos::from_secs(8));
        assert_eq!(length(1), Nanos::from_millis(450));
        let fixed = Wait::Hybrid(Tail::Fixed(Nanos::from_millis(1)));
        assert_eq!(fixed.calibration(Nanos::ZERO, Nanos::from_millis(10)), Nanos::ZERO);
    }
}
