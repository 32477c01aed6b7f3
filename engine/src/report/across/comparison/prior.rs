//! The typical run-to-run variation of metrics (the prior): of runs that the library repeats, or a fixed table by kind
//! of metric.
//!
//! A machine has states that not every series of runs covers: of 20 runs of one setting on an idle machine, p95 was 98
//! to 106 µs in 16 runs, and 115 to 125 µs in four. The variation of a few runs is therefore combined with what is
//! typical, by degrees of freedom. By the smaller side: three or more runs show their own variation, and nothing is
//! added; two are combined with the variation of repeats in the library, if it has any; a single run has the variation
//! of its repeats, else that of the library, else the fixed one, which is then stated as an assumption. Captures have
//! nothing in common with scheduling tests, so they never have the variation of the library, which is of tests.
//!
//! Groups that were measured one after the other also differ by session, which no number of runs shows. Where the
//! library has sessions of repeats of one setting before the comparison, the variance between sessions is that of the
//! means of sessions minus what their runs explain (one-way analysis of variance). For example, four nights of five runs with a deviation of 1%, whose means deviate by 5%: 0.05² − 0.01² / 5 is 0.0498²
//! with 3 degrees of freedom.
//!
//! What a comparison used is printed with its results, as [`Prior::to_text`] writes it, so that two PCs get the same
//! results from the same runs.

use std::collections::{BTreeMap, BTreeSet};

use super::Metric;
use super::candidate::mean_and_std_dev;
use crate::stats::effect::ASSUMED_FREEDOM;
use crate::stats::variance_prior::MIN_GROUPS;
use crate::stats::{Deviation, VariancePrior, float};

/// Degrees of freedom of the fixed variation where repeats are combined with it.
const FIXED_FREEDOM: f64 = 4.0;

/// Variances below that of a millionth are those of rounding.
const STILL: f64 = 1e-12;

/// The variance between sessions is at least this share of that of their means: the difference of two estimates can be 0
/// by chance. With a quarter, equal groups are called in 3 to 6.3 of 100 simulated comparisons; with none, in up to 6.8.
const MIN_SHARE_OF_MEANS: f64 = 0.25;

/// What the key of the variation between sessions of a metric begins with.
const SESSION: &str = "session.";

/// The text of the fixed variation.
const FIXED: &str = "fixed";

/// The typical run-to-run variation of every metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    /// The number of groups of repeats from which the prior was estimated; 0 for the fixed variation.
    pub group_count: usize,
    /// The variation of each metric, by its key; of a metric in one configuration, by its key, `@`, and the position of
    /// the configuration in the comparison, counted from 1; between sessions, by `session.` and its key. The variation of times and rates is a share of the mean, the
    /// variation of shares is absolute. An absent metric has the fixed variation.
    pub variations: BTreeMap<String, VariancePrior>,
}

/// One group of repeats: the values of each metric in each configuration, by the label of the
/// configuration and the key of the metric.
pub type RepeatedValues = BTreeMap<(String, String), Vec<f64>>;

/// Why a text is no prior.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid variation '{0}': expected a metric, its deviation, and degrees of freedom, such as p99=0.031:6"
)]
pub struct PriorTextError(String);

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

    /// Returns this prior with the variation between sessions. Each group has the values of its sessions. Metrics with
    /// fewer than [`MIN_GROUPS`] degrees of freedom have the fixed variation.
    #[must_use]
    pub fn with_sessions(mut self, groups: &[Vec<RepeatedValues>]) -> Self {
        let mut components: BTreeMap<&str, Vec<SessionVariance>> = BTreeMap::new();
        for sessions in groups {
            let keys: BTreeSet<&(String, String)> =
                sessions.iter().flat_map(|it| it.keys()).collect();
            // The configurations of a session are not independent: they count as one.
            let mut of_group: BTreeMap<&str, Vec<SessionVariance>> = BTreeMap::new();
            for key in keys {
                let Some(metric) = metric_of(&key.1) else { continue };
                let values: Vec<&Vec<f64>> = sessions.iter().filter_map(|it| it.get(key)).collect();
                let found = SessionVariance::of(&values, metric.is_relative());
                of_group.entry(&key.1).or_default().extend(found);
            }
            for (key, found) in of_group {
                components.entry(key).or_default().extend(SessionVariance::joined(&found));
            }
        }
        for (key, found) in components {
            let freedom: f64 = found.iter().map(|it| it.freedom).sum();
            // Metrics that did not vary at all, such as missed frames, show nothing about when they will.
            let still = found.iter().filter(|it| it.variance < STILL).count();
            if float(MIN_GROUPS) <= freedom && 2 * still < found.len() {
                let squares: f64 = found.iter().map(|it| it.freedom * it.variance).sum();
                let std_dev = (squares / freedom).sqrt();
                let variation = VariancePrior { std_dev, freedom };
                self.variations.insert(format!("{SESSION}{key}"), variation);
            }
        }
        self
    }

    /// Returns the variation of a metric between two sessions. Adds it to `used` unless it is the fixed one.
    pub(super) fn of_sessions(&self, metric: &Metric, used: &mut Self) -> VariancePrior {
        let key = format!("{SESSION}{}", metric.key);
        let Some(found) = self.variations.get(&key).copied().map(rounded) else {
            return VariancePrior::known(metric.kind().session_deviation());
        };
        used.variations.insert(key, found);
        found
    }

    /// Whether the run-to-run variation of any metric is estimated or given.
    pub(super) fn has_repeats(&self) -> bool {
        self.variations.keys().any(|key| !key.starts_with(SESSION))
    }

    /// Whether the variation between sessions of any metric is estimated or given.
    pub(super) fn has_sessions(&self) -> bool {
        self.variations.keys().any(|key| key.starts_with(SESSION))
    }

    /// Returns the estimated variation of a metric in the configuration at a position, as a share of the value or as a
    /// difference of shares; `None` without an estimate.
    pub(super) fn estimated(&self, metric: &Metric, position: usize) -> Option<VariancePrior> {
        let of_position = self.variations.get(&key_at(metric, position));
        of_position.or_else(|| self.variations.get(metric.key)).copied().map(rounded)
    }

    /// Returns the variation of single runs, from their repeats or typical: as a share of the value or as a difference of
    /// shares. `own` is the deviation of repeats in the metric's unit, whose value is about `value`.
    pub(super) fn of_single(
        &self,
        metric: &Metric,
        position: usize,
        own: Option<Deviation>,
        value: f64,
    ) -> VariancePrior {
        let estimated = self.estimated(metric, position);
        let std_dev = metric.assumed_deviation();
        let by = if metric.is_relative() { value.abs() } else { 1.0 };
        let found = match own.filter(|_| 0.0 < by) {
            None => estimated.unwrap_or(VariancePrior { std_dev, freedom: ASSUMED_FREEDOM }),
            Some(own) => {
                let typical = VariancePrior { std_dev, freedom: FIXED_FREEDOM };
                let own = Deviation { std_dev: own.std_dev / by, ..own };
                let all = estimated.unwrap_or(typical).moderate(own);
                VariancePrior { std_dev: all.std_dev, freedom: float(all.freedom) }
            }
        };
        rounded(found)
    }

    /// Whether the variation of a metric in the configuration at a position is given, as by the text of another comparison.
    pub(super) fn is_given(&self, metric: &Metric, position: usize) -> bool {
        self.variations.contains_key(&key_at(metric, position))
    }

    /// Adds the variation that was used for a metric in the configuration at a position, unless it is the fixed one.
    pub(super) fn note_used(&mut self, metric: &Metric, position: usize, used: VariancePrior) {
        let fixed = VariancePrior { std_dev: metric.assumed_deviation(), freedom: ASSUMED_FREEDOM };
        if used != rounded(fixed) {
            self.variations.insert(key_at(metric, position), used);
        }
    }

    /// Returns the prior as the text of an option: `fixed`, or the variation of each metric.
    pub fn to_text(&self) -> String {
        let one =
            |(key, of): (&String, &VariancePrior)| format!("{key}={}:{}", of.std_dev, of.freedom);
        let all: Vec<String> = self.variations.iter().map(one).collect();
        if all.is_empty() { FIXED.to_owned() } else { all.join(",") }
    }

    /// Reads a prior from the text of an option.
    pub fn from_text(text: &str) -> Result<Self, PriorTextError> {
        if text == FIXED {
            return Ok(Self::default());
        }
        let one = |part: &str| {
            let (key, of) = part.split_once('=')?;
            let (std_dev, freedom) = of.split_once(':')?;
            let number =
                |text: &str| text.parse().ok().filter(|it: &f64| it.is_finite() && 0.0 < *it);
            let variation = VariancePrior { std_dev: number(std_dev)?, freedom: number(freedom)? };
            Some((key.to_owned(), variation))
        };
        let read = |part: &str| {
            one(part).ok_or_else(|| PriorTextError(crate::units::shortened(part).into_owned()))
        };
        let variations = text.split(',').map(read).collect::<Result<_, _>>()?;
        Ok(Self { group_count: 0, variations })
    }
}

fn key_at(metric: &Metric, position: usize) -> String {
    format!("{}@{}", metric.key, position + 1)
}

/// Rounds a variation to what its text shows.
fn rounded(of: VariancePrior) -> VariancePrior {
    let round = |number: f64| {
        let digits = 10.0_f64.powi(4);
        (number * digits * 10.0).round() / (digits * 10.0)
    };
    VariancePrior {
        std_dev: round(of.std_dev).max(1e-5),
        freedom: (of.freedom * 100.0).round() / 100.0,
    }
}

/// The variance between sessions of one setting, on the scale that is compared.
#[derive(Clone, Copy)]
struct SessionVariance {
    variance: f64,
    freedom: f64,
}

impl SessionVariance {
    /// Estimates the variance between the means of sessions; `None` without two sessions and a repeat within one, or if
    /// the logarithm of a value is needed and does not exist.
    fn of(sessions: &[&Vec<f64>], is_relative: bool) -> Option<Self> {
        let scaled = |value: &f64| if is_relative { value.ln() } else { *value };
        let sessions: Vec<Vec<f64>> =
            sessions.iter().map(|values| values.iter().map(scaled).collect()).collect();
        let all = sessions.concat();
        if all.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let between = sessions.len().checked_sub(1).filter(|freedom| 0 < *freedom)?;
        let within = all.len().checked_sub(sessions.len()).filter(|freedom| 0 < *freedom)?;
        let (mean_of_all, _) = mean_and_std_dev(&all);
        let (mut squares_between, mut squares_within, mut sizes) = (0.0, 0.0, 0.0);
        for values in &sessions {
            let (mean, std_dev) = mean_and_std_dev(values);
            let size = float(values.len());
            squares_between += size * (mean - mean_of_all).powi(2);
            squares_within += std_dev.powi(2) * (size - 1.0);
            sizes += size * size;
        }
        let [between, within, count] = [between, within, all.len()].map(float);
        // The number of runs of a session, where all have the same.
        let runs = (count - sizes / count) / between;
        let of_means = squares_between / between / runs;
        let variance = of_means - squares_within / within / runs;
        let variance = variance.max(MIN_SHARE_OF_MEANS * of_means);
        Some(Self { variance, freedom: between })
    }

    /// Joins what several configurations of the same sessions show: the mean variance, with the degrees of freedom of one
    /// of them.
    fn joined(of: &[Self]) -> Option<Self> {
        let freedom = of.iter().map(|it| it.freedom).reduce(f64::max)?;
        let sum: f64 = of.iter().map(|it| it.variance).sum();
        Some(Self { variance: sum / float(of.len()), freedom })
    }
}

fn metric_of(key: &str) -> Option<&'static Metric> {
    Metric::PACED.iter().chain(&Metric::FRAMES).find(|metric| metric.key == key)
}

/// Returns the standard deviation of repeats; if the variation of the metric is relative, as a share
/// of their mean. `None` for an unknown metric, fewer than two values, or a mean of 0.
fn relative_deviation(key: &str, values: &[f64]) -> Option<Deviation> {
    let metric = metric_of(key)?;
    let (mean, std_dev) = mean_and_std_dev(values);
    let freedom = values.len().checked_sub(1).filter(|&freedom| 0 < freedom)?;
    let by = if metric.is_relative() { mean.abs() } else { 1.0 };
    (0.0 < by).then(|| Deviation { std_dev: std_dev / by, freedom })
}

/// Pools several deviations into one; `None` if there are no deviations.
fn pooled(of: &[Deviation]) -> Option<Deviation> {
    let freedom: usize = of.iter().map(|one| one.freedom).max()?;
    let squares: f64 = of.iter().map(|one| one.std_dev.powi(2)).sum();
    Some(Deviation { std_dev: (squares / float(of.len())).sqrt(), freedom })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(values: &[f64]) -> RepeatedValues {
        let of = |key: &str| (("Normal".to_owned(), key.to_owned()), values.to_vec());
        BTreeMap::from(["p99", "1%-low"].map(of))
    }

    #[test]
    fn a_library_of_five_groups_has_a_prior_of_its_own() {
        let groups: Vec<RepeatedValues> =
            [1e5, 2e5, 3e5, 4e5, 5e5].map(|at| group(&[at * 0.97, at, at * 1.03])).to_vec();
        let prior = Prior::estimate(&groups);
        assert_eq!(prior.group_count, 5);
        // Every group varies by 3%: the estimate is one deviation with all ten degrees of freedom. The logarithm of
        // a variance of three values is too low by 0.577 on average, so the true variance is 1.78 times as large.
        for metric in [Metric::P99, Metric::LOW_1] {
            let found = prior.of_single(&metric, 0, None, 1e6);
            assert!((found.std_dev / 0.040_04 - 1.0).abs() < 1e-3, "{found:?}");
            assert!((found.freedom - 10.0).abs() < 1e-9, "{found:?}");
        }
        let absent = prior.of_single(&Metric::P50, 0, None, 1e6);
        assert_eq!(absent, VariancePrior { std_dev: 0.1, freedom: ASSUMED_FREEDOM });
        assert_eq!(Prior::estimate(&groups[..4]), Prior::default());
    }

    #[test]
    fn repeats_that_agree_are_combined_with_what_is_typical() {
        // Nine repeats have 8 degrees of freedom: √((8·0.02² + 4·0.1²) / 12) = 0.06.
        let own = Deviation { std_dev: 2e3, freedom: 8 };
        let found = Prior::default().of_single(&Metric::P99, 0, Some(own), 100e3);
        assert_eq!(found, VariancePrior { std_dev: 0.06, freedom: 12.0 });
        let still = Deviation { std_dev: 0.0, freedom: 2 };
        assert!(0.05 < Prior::default().of_single(&Metric::P99, 0, Some(still), 100e3).std_dev);
    }

    #[test]
    fn sessions_vary_by_more_than_their_runs_explain() {
        // Six sessions of two runs, at ±5% from their mean, and the runs at ±1% from theirs: the mean square between
        // sessions is 2 · 6 · 0.05² / 5 = 0.006, that within them 2 · 0.01², and the difference has 2 runs a session.
        let session = |at: f64| group(&[1e5 * (at + 0.01).exp(), 1e5 * (at - 0.01).exp()]);
        let sessions: Vec<RepeatedValues> =
            (0..6).map(|number| session(if number % 2 == 0 { 0.05 } else { -0.05 })).collect();
        let prior = Prior::default().with_sessions(std::slice::from_ref(&sessions));
        let mut used = Prior::default();
        let found = prior.of_sessions(&Metric::P99, &mut used);
        assert!((found.std_dev - 0.002_9_f64.sqrt()).abs() < 1e-5, "{found:?}");
        assert!((found.freedom - 5.0).abs() < 1e-9, "{found:?}");
        let text = used.to_text();
        assert_eq!(text, "session.p99=0.05385:5");
        assert_eq!(Prior::from_text(&text).unwrap().of_sessions(&Metric::P99, &mut used), found);
        // Two settings of three sessions each have 4 degrees of freedom, which are too few.
        let few = Prior::default().with_sessions(&[sessions[..3].to_vec(), sessions[3..].to_vec()]);
        let fixed = few.of_sessions(&Metric::P99, &mut used);
        assert_eq!(fixed, VariancePrior::known(0.05));
        // Sessions that do not vary at all do not show that the next one will not.
        let still = vec![group(&[1e5, 1e5]); 9];
        assert!(!Prior::default().with_sessions(&[still]).has_sessions());
        // Sessions without a second run do not show what their runs explain.
        let single = vec![group(&[1e5]); 9];
        assert!(!Prior::default().with_sessions(&[single]).has_sessions());
    }

    #[test]
    fn what_was_used_is_read_back_from_its_text() {
        let mut prior = Prior::default();
        assert_eq!(prior.to_text(), "fixed");
        assert_eq!(Prior::from_text("fixed"), Ok(Prior::default()));
        let used =
            prior.of_single(&Metric::P99, 1, Some(Deviation { std_dev: 3e3, freedom: 3 }), 7e4);
        prior.note_used(&Metric::P99, 1, used);
        prior.note_used(&Metric::P50, 1, Prior::default().of_single(&Metric::P50, 1, None, 7e4));
        let text = prior.to_text();
        assert!(text.starts_with("p99@2=0.0") && !text.contains("p50"), "{text}");
        let read = Prior::from_text(&text).unwrap();
        assert_eq!(read, prior);
        assert_eq!(read.of_single(&Metric::P99, 1, None, 7e4), used);
        for wrong in ["", "p99", "p99=0.1", "p99=-1:3", "p99=0.1:inf", "p99=0.1:4,"] {
            assert!(Prior::from_text(wrong).is_err(), "{wrong}");
        }
    }
}
