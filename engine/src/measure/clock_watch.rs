//! Watches whether the clock goes backward during a run. Steps back are counted, and a long one ends
//! the run, because the loops would wait until the clock has caught up.

use crate::nanos::Nanos;
use crate::platform::clock_nanos;
use crate::sample::Sample;

/// A longer step back ends the run, because its loops would wait for the length of the step.
const MAX_STEP: Nanos = Nanos::from_secs(1);

/// The last reading of the clock, and the longest step back so far.
#[derive(Debug)]
pub(super) struct ClockWatch {
    last: i64,
    longest: Nanos,
}

impl ClockWatch {
    pub(super) fn start() -> Self {
        Self { last: clock_nanos(), longest: Nanos::ZERO }
    }

    /// Reads the clock. Returns 1 if the clock went backward since the last reading, else 0.
    pub(super) fn look(&mut self) -> u32 {
        self.look_at(clock_nanos())
    }

    fn look_at(&mut self, now: i64) -> u32 {
        let back = Nanos::new(self.last.saturating_sub(now));
        self.last = now;
        self.longest = self.longest.max(back);
        u32::from(Nanos::ZERO < back)
    }

    /// Returns why the run must end; `None` if no step back was longer than [`MAX_STEP`].
    pub(super) fn failure(&self) -> Option<String> {
        let secs = self.longest.as_secs();
        (MAX_STEP < self.longest).then(|| format!("the clock went backward by {secs:.1} s"))
    }
}

/// Returns the number of samples whose instants `began`, `woke`, and `done` are out of order.
pub(super) fn out_of_order(samples: &[Sample]) -> u32 {
    let count = samples.iter().filter(|one| one.woke < one.began || one.done < one.woke).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_back_are_counted_and_long_ones_end_the_run() {
        let mut watch = ClockWatch { last: 0, longest: Nanos::ZERO };
        let second = 1_000_000_000;
        let counts = [second, 2 * second, second, 5 * second].map(|now| watch.look_at(now));
        assert_eq!((counts, watch.failure()), ([0, 0, 1, 0], None));
        assert_eq!(watch.look_at(second), 1);
        assert_eq!(watch.failure().unwrap(), "the clock went backward by 4.0 s");
        assert_eq!(watch.look_at(2 * second), 0);
        assert!(watch.failure().is_some());
    }

    #[test]
    fn instants_of_a_sample_are_in_order() {
        let at = |began, woke, done| Sample {
            began: Nanos::new(began),
            woke: Nanos::new(woke),
            done: Nanos::new(done),
            ..Sample::default()
        };
        assert_eq!(out_of_order(&[at(1, 1, 1), at(1, 2, 3), at(3, 2, 3), at(1, 3, 2)]), 2);
    }
}
