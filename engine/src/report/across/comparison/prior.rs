//! The typical run-to-run variation of metrics (the prior): a fixed value, or an estimate from the
//! groups of repeats in a list of saved runs.
//!
//! The prior is an argument of a comparison and is printed with its results, so that two PCs get the
//! same results from the same runs and the same prior.

use std::collections::BTreeMap;

use super::Metric;
use super::judge::{self, Scale};
use crate::report::table::Quantity;
use crate::stats::variance_prior::MIN_GROUPS;
use crate::stats::{Deviation, VariancePrior};

/// Degrees of freedom of the fixed variation, which is used for a metric without an estimate.
const FIXED_FREEDOM: f64 = 4.0;

/// The typical run-to-run variation of every metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    /// The number of groups of repeats from which the prior was estimated; 0 for the fixed variation.
    pub group_count: usize,
    /// The variation of each metric, by the key of the metric. The variation of times and rates is a
    /// share of the mean, the variation of shares is absolute. An absent metric has the fixed variation.
    pub variations: BTreeMap<String, VariancePrior>,
}

/// One group of repeats: the values of each metric in each configuration, by the label of the
/// configuration and the key of the metric.
pub type RepeatedValues = BTreeMap<(String, String), Vec<f64>>;

impl Prior {
    /// Estimates the prior from groups of repeats; returns the prior with fixed variations for fewer
    /// than `MIN_GROUPS` groups.
    pub fn estimate(groups: &[RepeatedValues]) -> Self {
        if groups.len() < MIN_GROUPS {
            return Self::default();
        }
        let mut deviations: BTreeMap<&str, Vec<Deviation>> = BTreeMap::new();
        for group in groups {
            // The configurations of a group were measured in the same minutes and are not
            // independent: use one deviation per metric.
            let mut of_group: BTreeMap<&str, Vec<Deviation>> = BTreeMap::new();
            for ((_, key), values) in group {
                let found = relative_deviation(key, values);
                of_group.entry(key).or_default().extend(found);
            }
            for (key, found) in of_group {
                deviations.entry(key).or_default().extend(pooled(&found));
            }
        }
        let variations = deviations
            .into_iter()
            .filter_map(|(key, of)| Some((key.to_owned(), VariancePrior::estimate(&of)?)))
            .collect();
        Self { group_count: groups.len(), variations }
    }

    /// Returns the variation of a metric whose value is about `value`, in the metric's unit.
    pub(super) fn of(&self, metric: &Metric, value: f64, scale: &Scale) -> VariancePrior {
        match self.variations.get(metric.key) {
            Some(&relative) if is_relative(metric.unit) => {
                let is_time = metric.unit == Quantity::Time;
                let min = if is_time { scale.clock_step.as_f64() } else { 0.0 };
                VariancePrior { std_dev: (relative.std_dev * value.abs()).max(min), ..relative }
            }
            Some(&absolute) => absolute,
            None => VariancePrior {
                std_dev: judge::typical_variation(metric, value, scale),
                freedom: FIXED_FREEDOM,
            },
        }
    }
}

/// Whether the variation of a metric with this unit is relative to the value of the metric.
fn is_relative(unit: Quantity) -> bool {
    unit != Quantity::Share
}

/// Returns the standard deviation of repeats; if the variation of the metric is relative, as a share
/// of their mean. `None` for an unknown metric, fewer than two values, or a mean of 0.
fn relative_deviation(key: &str, values: &[f64]) -> Option<Deviation> {
    let metric = Metric::PACED.iter().chain(&Metric::FRAMES).find(|metric| metric.key == key)?;
    let (mean, std_dev) = super::candidate::mean_and_std_dev(values);
    let freedom = values.len().checked_sub(1).filter(|&freedom| 0 < freedom)?;
    let by = if is_relative(metric.unit) { mean.abs() } else { 1.0 };
    (0.0 < by).then(|| Deviation { std_dev: std_dev / by, freedom })
}

/// Pools several deviations into one; `None` if there are no deviations.
fn pooled(of: &[Deviation]) -> Option<Deviation> {
    let freedom: usize = of.iter().map(|one| one.freedom).max()?;
    let squares: f64 = of.iter().map(|one| one.std_dev.powi(2)).sum();
    Some(Deviation { std_dev: (squares / crate::stats::float(of.len())).sqrt(), freedom })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;

    fn group(values: &[f64]) -> RepeatedValues {
        let of = |key: &str| (("Normal".to_owned(), key.to_owned()), values.to_vec());
        BTreeMap::from(["p99", "1%-low"].map(of))
    }

    fn scale() -> Scale {
        Scale { period: Nanos::from_millis(16), clock_step: Nanos::new(20), errors: 0.0 }
    }

    #[test]
    fn a_library_of_five_groups_has_a_prior_of_its_own() {
        let groups: Vec<RepeatedValues> =
            [1e5, 2e5, 3e5, 4e5, 5e5].map(|at| group(&[at * 0.97, at, at * 1.03])).to_vec();
        let prior = Prior::estimate(&groups);
        assert_eq!(prior.group_count, 5);
        // Every group varies by 3%: the estimate is one deviation with all ten degrees of freedom. The logarithm of
        // a variance of three values is too low by 0.577 on average, so the true variance is 1.78 times as large.
        let p99 = prior.of(&Metric::P99, 1e6, &scale());
        assert!((p99.std_dev / 40_037.0 - 1.0).abs() < 1e-3, "{p99:?}");
        assert!((p99.freedom - 10.0).abs() < 1e-9, "{p99:?}");
        // A frame rate varies by the same share, which is less than the clock resolution is in nanoseconds.
        let low = prior.of(&Metric::LOW_1, 60.0, &scale());
        assert!((low.std_dev / p99.std_dev * 1e6 / 60.0 - 1.0).abs() < 1e-9, "{low:?}");
        let absent = prior.of(&Metric::P50, 1e6, &scale());
        assert!((absent.freedom - FIXED_FREEDOM).abs() < 1e-9);
        assert_eq!(Prior::estimate(&groups[..4]), Prior::default());
    }
}
