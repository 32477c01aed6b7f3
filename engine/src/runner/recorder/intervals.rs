//! The lateness of a canary per second.

use crate::measure::CanaryWake;
use crate::nanos::Nanos;
use crate::run::recording::Canary;
use crate::stats::{PercentileRule, Quantile, Sorted};

/// Length of an interval.
const INTERVAL: Nanos = Nanos::from_secs(1);

/// The wake-ups of a canary in the current second.
#[derive(Debug, Default)]
pub(super) struct CurrentInterval {
    /// Number of the second since the start.
    number: i64,
    late: Vec<i64>,
}

impl CurrentInterval {
    /// Adds a wake-up; `due` counts from the start of the recording. If it begins another second, the one before is added
    /// to `canary`.
    pub(super) fn add(&mut self, due: Nanos, wake: CanaryWake, canary: &mut Canary) {
        let number = due.get() / INTERVAL.get();
        if number != self.number {
            self.finish(canary);
            self.number = number;
        }
        self.late.push((wake.woke - wake.due).get());
    }

    /// Adds the current second to `canary`.
    pub(super) fn finish(&mut self, canary: &mut Canary) {
        let Some(sorted) = Sorted::of(std::mem::take(&mut self.late)) else { return };
        let percentile =
            |of| Nanos::from_nanos_f64(sorted.percentile(of, PercentileRule::R7)).get();
        canary.at.push(self.number.saturating_mul(INTERVAL.get()));
        canary.min.push(sorted.at(0));
        canary.p50.push(percentile(Quantile::P50));
        canary.p99.push(percentile(Quantile::P99));
        canary.max.push(sorted.max());
        canary.count.push(i64::try_from(sorted.values().len()).unwrap_or(i64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_has_its_own_values() {
        let (mut current, mut canary) = (CurrentInterval::default(), Canary::default());
        for millis in [0, 5, 10, 995, 2_000] {
            let due = Nanos::from_millis(millis);
            let wake = CanaryWake { due, woke: due + Nanos::new(millis + 1) };
            current.add(due, wake, &mut canary);
        }
        current.finish(&mut canary);
        let values = |column: &crate::sample::Column| column.values().collect::<Vec<i64>>();
        assert_eq!(values(&canary.at), [0, 2_000_000_000]);
        assert_eq!(values(&canary.min), [1, 2_001]);
        assert_eq!(values(&canary.max), [996, 2_001]);
        assert_eq!(values(&canary.count), [4, 1]);
    }
}
