//! Did it change? One effect, one interval, one outcome, for every question of this kind.
//!
//! **The idea.** A value never repeats exactly. Before a difference can be called a change, it has to be larger than
//! what chance alone makes of it, and before it can be called better or worse, it has to be large enough to matter.
//! Both are read off one interval: it excludes 0, or it does not; the estimate reaches the minimum effect, or it does
//! not. So `Better` and `Worse` need an interval that excludes 0 *and* an estimate of at least the minimum;
//! `Slightly better` and `Slightly worse` are certain changes below the minimum; `Same` is an interval around 0 that
//! is within the minimum; all others are no clear difference. A word can be checked with the numbers next to it.
//!
//! **Where the variation comes from.** Three forms of data, one formula each:
//! - *Pairs* measured side by side: Student's t over the differences of the pairs. Drift affects both and cancels.
//! - *Groups* of runs: Student's t with the deviation pooled *within* the groups, so that the difference between them
//!   is never part of the noise. Groups that were measured one after the other also differ by session: by what
//!   changes between two sessions (temperature, other programs), however many runs each has. That variance is added
//!   once for each group, not divided by the number of runs.
//! - *Two single runs*: the blocks of each run show what chance does within a run, and nothing about the next run. The
//!   run-to-run variation comes from repeats, or is assumed and then named in the sentence.
//!
//! Times and rates are compared by the logarithm of their ratio, because a machine varies by a share of the value:
//! 5% more frame time is 4.8% fewer frames per second, with the same probability.
//!
//! **An example.** Three runs took 100, 103, and 97 ms, three others 110, 113, and 107 ms, interleaved. Their
//! geometric means are 99.97 and 109.97 ms, the log ratio is 0.0953. Pooled within the groups, the logarithms deviate
//! by 0.0287, so the ratio has the error 0.0287 × √(1/3 + 1/3) = 0.0235, and t is 4.06 with 4 degrees of freedom: a
//! chance of 1.5%. The interval is 0.0953 ± 2.776 × 0.0235, which is +3.1% to +17.4%, or +3.1 to +17.4 ms. It
//! excludes 0. At a minimum of 10%, +10.0% is just worse; at 11%, slightly worse.
//!
//! **Why not one of many.** Eleven metrics of two equal runs would show one "change" in every third comparison. Holm's
//! correction tests the smallest probability at 5% / 11, the next at 5% / 10, and so on, until one is above its level.
//! The interval of a change has the level of its test, so that the interval that is shown excludes 0 exactly where the
//! word shows it. (A false discovery rate would find more, but has no interval that agrees with the word.)
//!
//! **Why not the simpler way.** A limit on the ratio alone calls chance a change where runs vary by more than the
//! limit, and a certain 5% "the same" where they do not. A t-test alone calls 0.1% "worse", given enough runs. A
//! standard deviation over both groups together contains the effect and hides it.
//!
//! Sources: Student 1908; Holm 1979, *A simple sequentially rejective multiple test procedure*; Smyth 2004 (moderated
//! t, [`VariancePrior`]); Satterthwaite 1946 (degrees of freedom of a sum of variances).

use super::blocks::Interval;
use super::float;
use super::student::{student_chance, student_t};
use super::variance_prior::{Deviation, VariancePrior};

/// Probability that any of several differences is called a change although none is.
pub const CHANCE: f64 = 0.05;
/// Degrees of freedom of a standard error that is known well; its `t` is within 0.2% of the normal distribution's.
const KNOWN_WELL: usize = 1_000;
/// Degrees of freedom of an assumed variation: typical values are known about as well as from 30 repeats.
pub const ASSUMED_FREEDOM: f64 = 30.0;
/// The smallest ratio of two values whose logarithm is taken.
const MIN_RATIO: f64 = 1e-3;
/// Distance of each end of a 95% interval from the mean of a normal distribution, in standard deviations.
const Z: f64 = 1.959_964;

/// Whether something changed, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// A certain change for the better that is large enough to matter.
    Better,
    /// A certain change for the better, below the minimum effect.
    SlightlyBetter,
    /// Any change is below the minimum effect.
    Same,
    /// The interval shows neither a change nor that any change is too small to matter.
    NoClearDifference,
    /// A certain change for the worse, below the minimum effect.
    SlightlyWorse,
    /// A certain change for the worse that is large enough to matter.
    Worse,
    /// There is no interval: more samples or runs are needed.
    NotEnoughData,
    /// Not compared.
    NotEvaluated,
}

/// The words of an outcome.
#[derive(Debug)]
pub struct OutcomeWords {
    /// The outcome.
    pub outcome: Outcome,
    /// The key in JSON.
    pub key: &'static str,
    /// The word in a table.
    pub word: &'static str,
    /// The predicate of a sentence: "is better".
    pub predicate: &'static str,
    /// The word for a change of a setting, in the test What helps.
    pub of_setting: &'static str,
    /// The definition, in one sentence.
    pub definition: &'static str,
}

/// The words of all outcomes, in the order of the outcomes.
pub const OUTCOMES: [OutcomeWords; 8] = [
    OutcomeWords {
        outcome: Outcome::Better,
        key: "better",
        word: "Better",
        predicate: "is better",
        of_setting: "Helps",
        definition: "The 95% interval of the change excludes 0, and the change is at least the minimum effect.",
    },
    OutcomeWords {
        outcome: Outcome::SlightlyBetter,
        key: "slightly-better",
        word: "Slightly better",
        predicate: "is slightly better",
        of_setting: "Slightly better",
        definition: "The 95% interval of the change excludes 0, but the change is below the minimum effect.",
    },
    OutcomeWords {
        outcome: Outcome::Same,
        key: "same",
        word: "Same",
        predicate: "is the same",
        of_setting: "Same",
        definition: "The whole 95% interval of the change is within the minimum effect, and includes 0.",
    },
    OutcomeWords {
        outcome: Outcome::NoClearDifference,
        key: "no-clear-difference",
        word: "No clear difference",
        predicate: "shows no clear difference",
        of_setting: "No clear difference",
        definition: "The 95% interval of the change includes 0, and extends beyond the minimum effect.",
    },
    OutcomeWords {
        outcome: Outcome::SlightlyWorse,
        key: "slightly-worse",
        word: "Slightly worse",
        predicate: "is slightly worse",
        of_setting: "Slightly worse",
        definition: "The 95% interval of the change excludes 0, but the change is below the minimum effect.",
    },
    OutcomeWords {
        outcome: Outcome::Worse,
        key: "worse",
        word: "Worse",
        predicate: "is worse",
        of_setting: "Makes it worse",
        definition: "The 95% interval of the change excludes 0, and the change is at least the minimum effect.",
    },
    OutcomeWords {
        outcome: Outcome::NotEnoughData,
        key: "not-enough-data",
        word: "Not enough data",
        predicate: "has not enough data",
        of_setting: "Not measured",
        definition: "There are too few samples or runs for an interval.",
    },
    OutcomeWords {
        outcome: Outcome::NotEvaluated,
        key: "not-evaluated",
        word: "Not evaluated",
        predicate: "is not evaluated",
        of_setting: "Denied",
        definition: "Not compared: a maximum, or different settings.",
    },
];

impl Outcome {
    /// Returns the words of the outcome.
    pub const fn words(self) -> &'static OutcomeWords {
        let [better, slightly_better, same, unclear, slightly_worse, worse, few, not] = &OUTCOMES;
        match self {
            Self::Better => better,
            Self::SlightlyBetter => slightly_better,
            Self::Same => same,
            Self::NoClearDifference => unclear,
            Self::SlightlyWorse => slightly_worse,
            Self::Worse => worse,
            Self::NotEnoughData => few,
            Self::NotEvaluated => not,
        }
    }

    /// Returns the word in a table.
    pub const fn word(self) -> &'static str {
        self.words().word
    }

    /// Whether this is a certain change that is large enough to matter.
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Better | Self::Worse)
    }

    /// Whether this is a certain change, even if it is below the minimum effect.
    pub const fn is_certain(self) -> bool {
        self.is_improvement() || self.is_decline()
    }

    /// Whether this is a certain change for the better.
    pub const fn is_improvement(self) -> bool {
        matches!(self, Self::Better | Self::SlightlyBetter)
    }

    /// Whether this is a certain change for the worse.
    pub const fn is_decline(self) -> bool {
        matches!(self, Self::Worse | Self::SlightlyWorse)
    }
}

/// Where the variation of an effect comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// From this many pairs that were measured interleaved.
    Pairs(usize),
    /// From groups with these numbers of runs, interleaved or at unknown times.
    Groups([usize; 2]),
    /// From groups with these numbers of runs, one after the other: with the variation between sessions.
    Sessions([usize; 2]),
    /// From blocks within both runs, and from this many repeats of the baseline.
    Repeats(usize),
    /// From blocks within both runs, and an assumed deviation from run to run: a share of the value, or for a share the
    /// share itself.
    Assumed(f64),
    /// From blocks only.
    Blocks,
}

/// A difference with everything that decides what it means. All numbers but the probability have the unit of the
/// compared values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The difference from the baseline.
    pub difference: f64,
    /// The 95% interval of the difference, which holds for all differences of its family together; `None` with too
    /// little data. It contains the difference.
    pub interval: Option<(f64, f64)>,
    /// The probability of a difference this large by chance alone; `None` without an interval.
    pub probability: Option<f64>,
    /// The size from which on a difference matters.
    pub minimum: f64,
    /// Where the variation comes from.
    pub method: Method,
}

impl Effect {
    /// Creates an effect without an interval.
    pub const fn without_interval(difference: f64, minimum: f64) -> Self {
        Self { difference, interval: None, probability: None, minimum, method: Method::Blocks }
    }

    /// Whether the interval excludes 0.
    pub fn is_certain(&self) -> bool {
        self.interval.is_some_and(|(low, high)| 0.0 < low || high < 0.0)
    }

    /// Returns the outcome. `is_better` is whether a difference with this sign is an improvement.
    pub fn outcome(&self, is_better: bool) -> Outcome {
        let Some((low, high)) = self.interval else { return Outcome::NotEnoughData };
        match (self.is_certain(), self.minimum <= self.difference.abs(), is_better) {
            (true, true, true) => Outcome::Better,
            (true, true, false) => Outcome::Worse,
            (true, false, true) => Outcome::SlightlyBetter,
            (true, false, false) => Outcome::SlightlyWorse,
            (false, ..) if -self.minimum <= low && high <= self.minimum => Outcome::Same,
            (false, ..) => Outcome::NoClearDifference,
        }
    }

    /// Returns the end of the interval that is nearer to 0, as a multiple of the minimum: how large the change is for
    /// certain. 0 if the interval includes 0.
    pub fn certain_size(&self) -> f64 {
        let (low, high) = self.interval.filter(|_| self.is_certain()).unwrap_or_default();
        low.abs().min(high.abs()) / self.minimum.max(f64::MIN_POSITIVE)
    }
}

/// The standard errors of a difference below and above it, with their degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PooledSpread {
    below: f64,
    above: f64,
    freedom: usize,
}

impl PooledSpread {
    const fn even(error: f64, freedom: usize) -> Self {
        Self { below: error, above: error, freedom }
    }
}

/// A difference with its errors, before the level of its interval is known: this depends on the other differences of
/// the family.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimated {
    /// The value of both sides; geometric means if the logarithms are compared.
    pub values: [f64; 2],
    /// The difference, or the logarithm of the ratio.
    center: f64,
    /// Whether the logarithms are compared.
    is_ratio: bool,
    spread: PooledSpread,
    /// The probability is at least this.
    floor: f64,
    method: Method,
}

/// The variation of the difference of two single runs from run to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunVariation {
    /// The standard deviation of the difference: of the logarithm of the ratio where logarithms are compared, else in the
    /// unit of the values.
    pub error: f64,
    /// The degrees of freedom.
    pub freedom: usize,
    /// Where the variation comes from.
    pub method: Method,
}

impl Estimated {
    /// Estimates the difference of pairs, which were measured interleaved. `is_ratio` is whether the logarithms of the
    /// values are compared, which must be positive. `None` below two pairs.
    pub fn of_pairs(pairs: &[[f64; 2]], is_ratio: bool) -> Option<Self> {
        let [a, b] =
            [0, 1].map(|side| scaled(pairs.iter().filter_map(|pair| pair.get(side)), is_ratio));
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
        let (center, squares) = mean_and_squares(&differences);
        let freedom = differences.len().checked_sub(1).filter(|&freedom| 0 < freedom)?;
        let error = (squares / float(freedom) / float(differences.len())).sqrt();
        let means = [&a, &b].map(|side| unscaled(mean_and_squares(side).0, is_ratio));
        let method = Method::Pairs(pairs.len());
        Some(Self::even(means, center, is_ratio, PooledSpread::even(error, freedom), method))
    }

    /// Estimates the difference of group B from group A. `prior` is the variation with which that of the groups is
    /// combined, on the scale that is compared; `session` is the variation between sessions on that scale, `None`
    /// for groups that were measured interleaved. `None` if a group has fewer than two runs.
    pub fn of_groups(
        groups: [&[f64]; 2],
        is_ratio: bool,
        prior: Option<VariancePrior>,
        session: Option<VariancePrior>,
    ) -> Option<Self> {
        let sizes = groups.map(<[f64]>::len);
        if sizes.into_iter().any(|size| size < 2) {
            return None;
        }
        let [(a, squares_a), (b, squares_b)] =
            groups.map(|group| mean_and_squares(&scaled(group.iter(), is_ratio)));
        let freedom = sizes.iter().sum::<usize>() - 2;
        let own = Deviation { std_dev: ((squares_a + squares_b) / float(freedom)).sqrt(), freedom };
        let deviation = prior.map_or(own, |prior| prior.moderate(own));
        let share: f64 = sizes.iter().map(|&size| 1.0 / float(size)).sum();
        let within = deviation.std_dev.powi(2) * share;
        let between = session.map_or(0.0, |session| 2.0 * session.std_dev.powi(2));
        let all = within + between;
        // Satterthwaite: each part counts by how well its own variance is known.
        let parts = [(within, float(deviation.freedom))]
            .into_iter()
            .chain(session.map(|session| (between, session.freedom)));
        let weights: f64 = parts.map(|(part, freedom)| part.powi(2) / freedom).sum();
        let freedom = if 0.0 < between && 0.0 < weights {
            super::position(all.powi(2) / weights).clamp(1, KNOWN_WELL)
        } else {
            deviation.freedom
        };
        let spread = PooledSpread::even(all.sqrt(), freedom);
        let means = [a, b].map(|mean| unscaled(mean, is_ratio));
        let method = if 0.0 < between { Method::Sessions(sizes) } else { Method::Groups(sizes) };
        Some(Self::even(means, b - a, is_ratio, spread, method))
    }

    /// Estimates the difference of two single runs. `interval` is the 95% interval of the difference from resampled
    /// blocks of both runs, in the unit of the values. Without a variation, the blocks themselves were interleaved.
    /// `is_ratio` is whether the logarithms of the values are compared, which must be positive.
    pub fn of_singles(
        values: [f64; 2],
        interval: Interval,
        variation: Option<RunVariation>,
        is_ratio: bool,
    ) -> Self {
        let [a, b] = values;
        // A difference of −100% or less is no ratio: its end counts as nearly −100%.
        let scale = |difference: f64| {
            if is_ratio { (1.0 + difference / a).max(MIN_RATIO).ln() } else { difference }
        };
        let center = scale(b - a);
        let blocks = |reach: f64| (reach / Z).max(0.0);
        let RunVariation { error, freedom, method } = variation.unwrap_or(RunVariation {
            error: 0.0,
            freedom: KNOWN_WELL,
            method: Method::Blocks,
        });
        let spread = PooledSpread {
            below: blocks(center - scale(interval.low)).hypot(error),
            above: blocks(scale(interval.high) - center).hypot(error),
            freedom,
        };
        Self { values, center, is_ratio, spread, floor: 0.0, method }
    }

    /// Estimates a difference from its standard error.
    pub(super) fn of_error(center: f64, error: f64, freedom: usize, method: Method) -> Self {
        Self::even([0.0, center], center, false, PooledSpread::even(error, freedom), method)
    }

    fn even(
        values: [f64; 2],
        center: f64,
        is_ratio: bool,
        spread: PooledSpread,
        method: Method,
    ) -> Self {
        Self { values, center, is_ratio, spread, floor: 0.0, method }
    }

    /// Raises the probability to at least this, as for rare events: runs without variation do not make a single event
    /// significant.
    pub const fn at_least(&mut self, probability: f64) {
        self.floor = self.floor.max(probability);
    }

    /// Returns the difference in the unit of the values.
    pub fn difference(&self) -> f64 {
        let [a, b] = self.values;
        b - a
    }

    /// Returns the probability of a difference this large by chance alone.
    pub fn probability(&self) -> f64 {
        let PooledSpread { below, above, freedom } = self.spread;
        let error = if self.center < 0.0 { above } else { below };
        // A difference of 0 is chance, even if nothing varies.
        let chance = student_chance(freedom, self.center / error.max(f64::MIN_POSITIVE));
        chance.max(self.floor)
    }

    /// Returns the interval whose error probability is `level`, in the unit of the values. It excludes 0 exactly if
    /// [`probability`](Self::probability) is below `level`.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let PooledSpread { below, above, freedom } = self.spread;
        let t = student_t(freedom, 1.0 - level);
        let (mut low, mut high) = (self.center - t * below, self.center + t * above);
        if level <= self.floor {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let [a, _] = self.values;
        let end = |end: f64| if self.is_ratio { a * end.exp_m1() } else { end };
        (end(low), end(high))
    }

    /// Returns the effect at a level, which [`holm_levels`] gives; `minimum` is the minimum effect in the unit of the
    /// values.
    pub fn effect(&self, level: f64, minimum: f64) -> Effect {
        Effect {
            difference: self.difference(),
            interval: Some(self.interval(level)),
            probability: Some(self.probability()),
            minimum,
            method: self.method,
        }
    }
}

/// Returns the level of each interval of a family by Holm's correction, given the probability of each difference: the
/// smallest of `m` is tested at 5% / m, the next at 5% / (m − 1), and so on until one is not below its level. All
/// further ones have that level.
pub fn holm_levels(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = probabilities.iter().copied().enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut levels = vec![CHANCE; probabilities.len()];
    let (mut level, mut has_failed) = (CHANCE, false);
    for (rank, &(at, probability)) in order.iter().enumerate() {
        if !has_failed {
            level = CHANCE / float(order.len() - rank);
            has_failed = level <= probability;
        }
        if let Some(place) = levels.get_mut(at) {
            *place = level;
        }
    }
    levels
}

/// Returns the values on the scale that is compared: their logarithms, or the values themselves.
fn scaled<'a>(values: impl Iterator<Item = &'a f64>, is_ratio: bool) -> Vec<f64> {
    values.map(|&value| if is_ratio { value.ln() } else { value }).collect()
}

fn unscaled(value: f64, is_ratio: bool) -> f64 {
    if is_ratio { value.exp() } else { value }
}

/// Returns the mean of values and the sum of their squared deviations from it; zeros without values.
pub(super) fn mean_and_squares(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mean = values.iter().sum::<f64>() / float(values.len());
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum())
}

#[cfg(test)]
mod tests;
