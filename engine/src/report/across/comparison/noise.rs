//! The run-to-run variation of every metric, for one setting on one machine.
//!
//! The noise floor of a metric is the maximum difference of two single runs with the same settings
//! in 95% of cases: Student's t times √2 times the standard deviation of the repeats. It is
//! computed from saved runs and is not itself saved.

use super::candidate::mean_and_std_dev;
use super::item::{Item, late_limit};
use super::repeats::item;
use super::{Metric, Options, Report, Run, metrics};
use crate::nanos::Nanos;
use crate::stats::Deviation;
use crate::stats::effect::CHANCE;
use crate::stats::student::student_t;

/// Min number of repeats for a noise floor: two show little about how far a third one may vary.
pub const MIN_REPEATS: usize = 3;

/// The variation of one metric over repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricVariation {
    /// The label of the configuration.
    pub label: String,
    /// The metric.
    pub metric: Metric,
    /// The min of the metric over the repeats, in the metric's unit.
    pub lowest: f64,
    /// The max of the metric over the repeats, in the metric's unit.
    pub most: f64,
    /// The noise floor: the maximum difference of two runs in 95% of cases, in the metric's unit.
    pub noise: f64,
}

/// Returns the noise floor of the values of repeats; `None` for fewer than [`MIN_REPEATS`] values.
pub fn noise_of(values: &[f64]) -> Option<f64> {
    if values.len() < MIN_REPEATS {
        return None;
    }
    let (_, std_dev) = mean_and_std_dev(values);
    let noise = t(values.len() - 1) * std::f64::consts::SQRT_2 * std_dev;
    noise.is_finite().then_some(noise)
}

/// The run-to-run variation of all metrics, for one setting on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloor {
    /// The number of repeats.
    pub count: usize,
    /// The late threshold; `None` if it is not the same in all repeats.
    pub late_limit: Option<Nanos>,
    /// One entry per metric of each configuration that all repeats have.
    pub variations: Vec<MetricVariation>,
}

impl NoiseFloor {
    /// Evaluates repeats and returns their noise floor; `None` for fewer than [`MIN_REPEATS`] runs.
    pub fn of_runs(repeats: &[Run]) -> Option<Self> {
        let reports: Vec<Report> =
            repeats.iter().map(|run| Report::live(run, &Options::default())).collect();
        let evaluated: Vec<(&Run, &Report)> = repeats.iter().zip(&reports).collect();
        Self::of(&evaluated)
    }

    /// Returns the noise floor of repeats that are already evaluated; `None` for fewer than
    /// [`MIN_REPEATS`] runs.
    pub fn of(repeats: &[(&Run, &Report)]) -> Option<Self> {
        let (first, of_first) = repeats.first()?;
        if repeats.len() < MIN_REPEATS {
            return None;
        }
        let mut variations = Vec::new();
        for label in Item::all(first, of_first).into_iter().map(Item::label) {
            for &metric in metrics(first) {
                let values: Option<Vec<f64>> = repeats
                    .iter()
                    .map(|(run, report)| item(run, report, label, false)?.value(&metric))
                    .collect();
                let Some(values) = values else { continue };
                let Some(noise) = noise_of(&values) else { continue };
                let (mean, _) = mean_and_std_dev(&values);
                let lowest = values.iter().copied().fold(mean, f64::min);
                let most = values.iter().copied().fold(mean, f64::max);
                variations.push(MetricVariation {
                    label: label.to_owned(),
                    metric,
                    lowest,
                    most,
                    noise,
                });
            }
        }
        let items = repeats.iter().flat_map(|(run, report)| Item::all(run, report));
        Some(Self { count: repeats.len(), late_limit: late_limit(items), variations })
    }

    /// Returns the noise floor of a metric in the configuration with the label `label`, in the metric's
    /// unit; `None` if it is not known.
    pub fn noise(&self, label: &str, metric: &Metric) -> Option<f64> {
        let found = self.variations.iter().find(|one| one.label == label && one.metric == *metric);
        found.map(|variation| variation.noise)
    }

    /// Returns the standard deviation of a metric over the repeats, in the metric's unit; `None` if it is not known.
    pub(super) fn deviation(&self, label: &str, metric: &Metric) -> Option<Deviation> {
        let freedom = self.count.checked_sub(1)?;
        let noise = self.noise(label, metric)?;
        Some(Deviation { std_dev: noise / (t(freedom) * std::f64::consts::SQRT_2), freedom })
    }
}

/// Returns Student's t of a 95% interval, for a number of degrees of freedom.
fn t(freedom: usize) -> f64 {
    student_t(freedom, 1.0 - CHANCE)
}

#[cfg(test)]
mod tests;
