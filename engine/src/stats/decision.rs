//! Decides from repeated runs whether the mean of a metric is within a limit.
//!
//! While runs are added, a decision is tried several times. Each try, called a look, can be wrong. The
//! confidence of a look is so high that all looks together are wrong in at most 5% of cases (Bonferroni).

use super::effect::mean_and_squares;
use super::float;
use super::student::student_t;

/// Numbers of repeats after which a decision is tried, in rising order.
pub const LOOKS: [usize; 5] = [3, 5, 8, 12, 20];

/// The confidence of one look: an error of 5%, divided by the number of looks.
const CONFIDENCE: f64 = 1.0 - 0.05 / 5.0;

/// Whether a limit is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The whole interval is within the limit.
    Met,
    /// The whole interval is beyond the limit.
    Broken,
    /// The interval includes the limit, or there is no interval.
    Undecided,
}

/// A mean with the confidence interval that decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimated value.
    pub mean: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval.
    pub high: f64,
}

impl Decision {
    /// Decides a limit on a value without an interval: met where the value is within it, else undecided.
    pub fn without_interval(is_within: bool) -> Self {
        if is_within { Self::Met } else { Self::Undecided }
    }
}

impl Estimate {
    /// Estimates the mean of the repeats minus `weight` times the mean of the baseline, by Student's t with
    /// one standard deviation for repeats and baseline. A baseline of a single run is assumed to vary as the
    /// repeats do. `None` below 3 repeats, or if a result is not finite.
    pub fn of(values: &[f64], baseline: &[f64], weight: f64) -> Option<Self> {
        if values.len() < LOOKS[0] {
            return None;
        }
        let (mean, squares) = mean_and_squares(values);
        let (of_baseline, baseline_squares) = mean_and_squares(baseline);
        let degrees = values.len() - 1 + baseline.len().saturating_sub(1);
        let variance = (squares + baseline_squares) / float(degrees);
        let share = match baseline.len() {
            0 => 0.0,
            count => weight * weight / float(count),
        };
        let error = student_t(degrees, CONFIDENCE)
            * (variance * (1.0 / float(values.len()) + share)).sqrt();
        let mean = mean - weight * of_baseline;
        (mean.is_finite() && error.is_finite()).then_some(Self {
            mean,
            low: mean - error,
            high: mean + error,
        })
    }

    /// Decides whether the estimated value is at most the limit.
    pub fn is_at_most(self, limit: f64) -> Decision {
        if self.high <= limit {
            Decision::Met
        } else if limit < self.low {
            Decision::Broken
        } else {
            Decision::Undecided
        }
    }

    /// Decides whether the estimated value is at least the limit.
    pub fn is_at_least(self, limit: f64) -> Decision {
        let mirrored = Self { mean: -self.mean, low: -self.high, high: -self.low };
        mirrored.is_at_most(-limit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::simulated::normal;
    use super::*;

    #[test]
    fn interval_is_that_of_the_printed_tables() {
        // Student's t at 99% with 2 degrees of freedom is 9.925; the standard deviation of 1, 2, and 3 is 1.
        let found = Estimate::of(&[1.0, 2.0, 3.0], &[], 1.0).unwrap();
        assert!((found.high - (2.0 + 9.925 / 3_f64.sqrt())).abs() < 1e-3, "{found:?}");
        assert_eq!(found.is_at_most(8.0), Decision::Met);
        assert_eq!(found.is_at_most(5.0), Decision::Undecided);
        assert_eq!(found.is_at_most(-5.0), Decision::Broken);
        assert_eq!(found.is_at_least(-5.0), Decision::Met);
        assert_eq!(found.is_at_least(8.0), Decision::Broken);
        assert_eq!(Estimate::of(&[1.0, 2.0], &[], 1.0), None);
        let still = Estimate::of(&[0.0; 3], &[], 1.0).unwrap();
        assert_eq!(still.is_at_most(0.0), Decision::Met, "a limit that is reached is met");
    }

    #[test]
    fn equal_baseline_is_rarely_decided_wrongly_over_all_looks() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut wrong = 0;
        for _ in 0..2_000 {
            let baseline = [normal(&mut random)];
            let values: Vec<f64> = (0..20).map(|_| normal(&mut random)).collect();
            // The true difference from the baseline is 0, exactly the limit, so every decision counts as wrong.
            let decided = LOOKS.iter().find_map(|count| {
                let found = Estimate::of(&values[..*count], &baseline, 1.0)?.is_at_most(0.0);
                (found != Decision::Undecided).then_some(found)
            });
            wrong += usize::from(decided.is_some());
        }
        assert!(wrong <= 100, "{wrong} of 2000 are decided");
    }
}
