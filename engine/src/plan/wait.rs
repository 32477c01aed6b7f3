//! The ways in which a measuring loop waits until an instant: sleep, spin, or a combination of both.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// What a spinning loop does between two clock reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SpinStrategy {
    /// The loop does nothing between the reads.
    None,
    /// Calls `std::hint::spin_loop()`, which signals to the CPU that this is a spin loop.
    SpinLoopHint,
    /// Calls `std::thread::yield_now()`, which yields the CPU to other threads.
    YieldThread,
}

impl SpinStrategy {
    /// Every strategy, in the order in which tables list the strategies.
    pub const ALL: [Self; 3] = [Self::None, Self::SpinLoopHint, Self::YieldThread];

    /// Returns the name on screen, which is the name of the variant.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::SpinLoopHint => "SpinLoopHint",
            Self::YieldThread => "YieldThread",
        }
    }

    /// Returns a phrase that names the strategy within a sentence.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::None => "a plain spin",
            Self::SpinLoopHint => "a spin with SpinLoopHint",
            Self::YieldThread => "a spin with YieldThread",
        }
    }
}

/// Spin tail of a hybrid wait: how long before its end the wait switches from sleeping to spinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// Calibrated before the warm-up, under the load and conditions of the trial. The calibration selects the
    /// shortest tail of [`Tail::TRIED`] that is about as good as the best tail: its p99 lateness is within the 95%
    /// interval of the best tail, and the mean lateness of its latest 10% of waits is about the same.
    Measured,
    /// A fixed length, without a calibration.
    #[serde(rename = "fixed_nanos")]
    Fixed(Nanos),
}

impl Tail {
    /// The tails that the calibration tries; 0 is a plain sleep without spinning.
    pub const TRIED: [Nanos; 6] = [
        Nanos::ZERO,
        Nanos::from_micros(100),
        Nanos::from_micros(250),
        Nanos::from_micros(500),
        Nanos::from_millis(1),
        Nanos::from_millis(2),
    ];
    /// Max number of waits that the calibration measures per tail.
    pub const TRIAL_WAITS: u32 = 150;
    /// Max duration of the calibration. At 60 FPS, the calibration reaches this time after 80 waits per tail.
    pub const MAX_TRIAL: Nanos = Nanos::from_secs(8);

    /// Whether a tail is shorter than half a period.
    pub const fn fits(tail: Nanos, period: Nanos) -> bool {
        tail.get() < period.get() - tail.get()
    }

    /// Whether a tail is shorter than half a period, and tail and work together leave at least a tenth of the period
    /// for sleep.
    pub const fn leaves_slack(tail: Nanos, work: Nanos, period: Nanos) -> bool {
        Self::fits(tail, period) && tail.get() + work.get() <= period.get() / 10 * 9
    }

    /// Returns the tails that the calibration tries with this work and period; 0 is always included.
    pub fn tried(work: Nanos, period: Nanos) -> impl Iterator<Item = Nanos> {
        Self::TRIED
            .into_iter()
            .filter(move |&tail| tail == Nanos::ZERO || Self::leaves_slack(tail, work, period))
    }
}

/// Returns a wait with this spin tail; a tail of 0 is a plain sleep.
pub fn wait_with(tail: Nanos) -> Wait {
    if tail == Nanos::ZERO { Wait::OsSleep } else { Wait::Hybrid(Tail::Fixed(tail)) }
}

/// How a loop waits until an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// The operating system's sleep until an absolute instant.
    OsSleep,
    /// The operating system's sleep for a duration. Most programs sleep with this call.
    Relative,
    /// The operating system's sleep for a duration in whole milliseconds, rounded up, like `Sleep` on Windows.
    WholeMillis,
    /// A hybrid wait: sleeps like `OsSleep` until the spin tail begins, then spins with `SpinLoopHint`.
    Hybrid(Tail),
    /// A spin wait: reads the clock until the instant is reached.
    Spin(SpinStrategy),
    /// A spin wait in a series of single waits that reads `Instant` of Rust's standard library, as spin_sleep's
    /// experiment does. An iteration takes longer than one of `Spin`.
    SpinInstant(SpinStrategy),
}

impl Wait {
    /// Returns the max duration of the calibration of the spin tail, which precedes the warm-up; 0 without a
    /// calibration.
    pub fn calibration(self, work: Nanos, period: Nanos) -> Nanos {
        if self != Self::Hybrid(Tail::Measured) {
            return Nanos::ZERO;
        }
        let tails = Tail::tried(work, period).map(|_| i64::from(Tail::TRIAL_WAITS));
        (period * tails.sum::<i64>()).min(Tail::MAX_TRIAL)
    }

    /// Whether the wait includes a sleep; `false` if the thread only spins.
    pub const fn sleeps(self) -> bool {
        self.strategy().is_none()
    }

    /// Returns the strategy of a spin wait; `None` if the wait includes a sleep.
    pub const fn strategy(self) -> Option<SpinStrategy> {
        match self {
            Self::Spin(strategy) | Self::SpinInstant(strategy) => Some(strategy),
            Self::OsSleep | Self::Relative | Self::WholeMillis | Self::Hybrid(_) => None,
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
