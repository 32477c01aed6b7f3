//! How far every number of a setting varies on a machine from run to run.
//!
//! The noise floor of a number is what two single runs of the same setting differ by at most in 95 of 100
//! cases: Student's t times √2 times the standard deviation of the repeats. It is computed from the
//! repeats that are saved as runs, and not saved itself. One of many numbers is called different only
//! beyond a wider limit, as the 5% of chance are shared among all of them, and as a few repeats that
//! happen to agree do not show how far the next one may be off ([`NoiseLimit`]).

use super::candidate::{CHANCE, mean_and_std_dev, t};
use super::item::{Item, late_limit};
use super::repeats::item;
use super::{Metric, Options, Report, Run, metrics};
use crate::nanos::Nanos;
use crate::stats::student::student_t;
use crate::stats::{Deviation, VariancePrior, float};

/// Repeats below which no noise floor is reported: two say little about how far a third may vary.
pub const MIN_REPEATS: usize = 3;

/// How far a number varies over repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricVariation {
    /// The configuration.
    pub label: String,
    /// Which number.
    pub metric: Metric,
    /// The smallest of the repeats, in the metric's unit.
    pub lowest: f64,
    /// The maximum.
    pub most: f64,
    /// What two runs differ by at most in 95 of 100 cases.
    pub noise: f64,
}

/// What two runs differ by at most in 95 of 100 cases, by a number of repeats; `None` where there are too few.
pub fn noise_of(values: &[f64]) -> Option<f64> {
    if values.len() < MIN_REPEATS {
        return None;
    }
    let (_, std_dev) = mean_and_std_dev(values);
    let noise = t(values.len() - 1) * std::f64::consts::SQRT_2 * std_dev;
    noise.is_finite().then_some(noise)
}

/// How far the numbers of one setting vary on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloor {
    /// How many repeats it is of.
    pub count: usize,
    /// Lateness above which a frame was late; `None` where it is not one and the same in all of them.
    pub late_limit: Option<Nanos>,
    /// Every number of every configuration that all repeats have.
    pub variations: Vec<MetricVariation>,
}

impl NoiseFloor {
    /// Of repeats that were not evaluated yet; `None` where there are too few.
    pub fn of_runs(repeats: &[Run]) -> Option<Self> {
        let reports: Vec<Report> =
            repeats.iter().map(|run| Report::live(run, &Options::default())).collect();
        let evaluated: Vec<(&Run, &Report)> = repeats.iter().zip(&reports).collect();
        Self::of(&evaluated)
    }

    /// Of repeats; `None` where there are too few.
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
                    .map(|(run, report)| item(run, report, label)?.value(&metric))
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

    /// The noise floor of a number of a configuration.
    pub fn noise(&self, label: &str, metric: &Metric) -> Option<f64> {
        let found = self.variations.iter().find(|one| one.label == label && one.metric == *metric);
        found.map(|variation| variation.noise)
    }

    /// How far equal runs differ in none of `numbers` in 95 of 100 cases.
    pub(super) fn limit(&self, numbers: usize) -> NoiseLimit {
        // Evenly shared: Bonferroni's way.
        let confidence = 1.0 - CHANCE / float(numbers.max(1));
        NoiseLimit { freedom: self.count.saturating_sub(1), confidence }
    }
}

/// How far one of many numbers of equal runs may differ.
///
/// A machine has states that not every series of runs meets: of two times ten runs of one setting
/// on an idle machine, p95 was 98 to 106 µs in 16 and 115 to 125 µs in four. The standard deviation of the
/// repeats is therefore combined with the typical one, by degrees of freedom, and so is Student's t: moderated
/// t (Smyth 2004, equation 3), with a prior that is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoiseLimit {
    freedom: usize,
    confidence: f64,
}

impl NoiseLimit {
    /// Of a number with this noise floor, which usually varies by `prior`; in the number's unit.
    pub(super) fn of(self, noise: f64, prior: VariancePrior) -> f64 {
        let std_dev = noise / (t(self.freedom) * std::f64::consts::SQRT_2);
        let all = prior.moderate(Deviation { std_dev, freedom: self.freedom });
        student_t(all.freedom, self.confidence) * std::f64::consts::SQRT_2 * all.std_dev
    }
}

#[cfg(test)]
mod tests;
