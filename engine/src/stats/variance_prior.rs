//! The run-to-run variation that many groups of repeats have in common: the prior variance of a moderated t-test.
//!
//! A few repeats can agree by chance, so their standard deviation can be far too small. The deviation of a group is
//! therefore combined with a prior, which is estimated from many groups and counts like additional repeats (Smyth
//! 2004, *Linear models and empirical Bayes methods*, equation 3).

use serde::{Deserialize, Serialize};

use super::float;

/// Minimum number of groups to estimate a prior.
pub const MIN_GROUPS: usize = 5;
/// A group's variance is raised to at least this share of the median variance, because equal repeats are chance and
/// the logarithm of a variance of 0 is infinite.
const MIN_SHARE_OF_MEDIAN: f64 = 1e-5;

/// The variation that groups of repeats have in common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariancePrior {
    /// The standard deviation of repeats, in the unit of the values.
    pub std_dev: f64,
    /// The degrees of freedom of the prior: its weight when it is combined with a group.
    pub freedom: f64,
}

/// The standard deviation of one group of repeats, with its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The standard deviation, computed with the degrees of freedom as divisor (n − 1 for one mean).
    pub std_dev: f64,
    /// The degrees of freedom: the number of repeats minus the number of means estimated from them.
    pub freedom: usize,
}

impl VariancePrior {
    /// Returns a variation that is taken as known: it has as many degrees of freedom as count.
    pub const fn known(std_dev: f64) -> Self {
        Self { std_dev, freedom: 1e3 }
    }

    /// Estimates the prior from the deviations of groups. Returns `None` below [`MIN_GROUPS`] groups with degrees of
    /// freedom, or if more than half of these groups do not vary at all. The prior has at most as many degrees of
    /// freedom as all groups together.
    pub fn estimate(groups: &[Deviation]) -> Option<Self> {
        let known: Vec<Deviation> =
            groups.iter().copied().filter(|group| 0 < group.freedom).collect();
        if known.len() < MIN_GROUPS {
            return None;
        }
        let mut rising: Vec<f64> = known.iter().map(|group| group.std_dev.powi(2)).collect();
        rising.sort_unstable_by(f64::total_cmp);
        let min = rising.get(rising.len() / 2)? * MIN_SHARE_OF_MEDIAN;
        if !(0.0 < min && min.is_finite()) {
            return None;
        }
        // The logarithm of each sample variance, minus its expected distance from the logarithm of the true variance.
        let logs: Vec<f64> = known
            .iter()
            .map(|group| {
                let half = float(group.freedom) / 2.0;
                group.std_dev.powi(2).max(min).ln() - digamma(half) + half.ln()
            })
            .collect();
        let count = float(known.len());
        let mean = logs.iter().sum::<f64>() / count;
        let spread = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let by_chance =
            known.iter().map(|group| trigamma(float(group.freedom) / 2.0)).sum::<f64>() / count;
        let all = float(known.iter().map(|group| group.freedom).sum());
        let more = spread - by_chance;
        // If the groups differ no more than by chance, the prior assumes the same true deviation for all of them.
        let freedom = if 0.0 < more { (2.0 * inverse_trigamma(more)).min(all) } else { all };
        let half = freedom / 2.0;
        let variance = if 0.0 < more { mean + digamma(half) - half.ln() } else { mean }.exp();
        Some(Self { std_dev: variance.sqrt(), freedom })
    }

    /// Combines the prior with the deviation of a group: the mean of both variances, weighted by degrees of freedom.
    pub fn moderate(self, group: Deviation) -> Deviation {
        let own = float(group.freedom);
        let all = own + self.freedom;
        let squares = own * group.std_dev.powi(2) + self.freedom * self.std_dev.powi(2);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "degrees of freedom: a positive number, rounded down to the safe side"
        )]
        let freedom = all.floor().max(1.0) as usize;
        Deviation { std_dev: (squares / all).sqrt(), freedom }
    }
}

/// Computes the first derivative of ln Γ(x): by recurrence below 6, and by the series 6.3.18 of Abramowitz and Stegun
/// above.
fn digamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 0.0);
    while x < 6.0 {
        below -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series =
        square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square / 240.0)));
    below + x.ln() - 0.5 / x - series
}

/// Computes the second derivative of ln Γ(x): by recurrence below 6, and by the series 6.4.12 of Abramowitz and
/// Stegun above.
fn trigamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 0.0);
    while x < 6.0 {
        below += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series =
        square * (1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0)));
    below + 1.0 / x + 0.5 * square + series / x
}

/// Returns the number whose [`trigamma`] is `y`. Bisection finds it, because [`trigamma`] falls from infinity to 0.
fn inverse_trigamma(y: f64) -> f64 {
    let (mut low, mut high) = (1e-6_f64.ln(), 1e9_f64.ln());
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if y < trigamma(middle.exp()) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.exp()
}

#[cfg(test)]
mod tests {
    use super::super::tests::simulated::normal;
    use super::*;

    #[test]
    fn derivatives_of_the_gamma_function_are_those_of_the_printed_tables() {
        // The expected numbers are digamma(x) and polygamma(1, x) of scipy.special.
        for (x, first, second) in [
            (0.5, -1.963_510_026_021_423, 4.934_802_200_544_679),
            (1.0, -0.577_215_664_901_533, 1.644_934_066_848_226),
            (2.0, 0.422_784_335_098_467, 0.644_934_066_848_226),
            (10.0, 2.251_752_589_066_721, 0.105_166_335_681_686),
        ] {
            assert!((digamma(x) - first).abs() < 1e-9, "{x}: {}", digamma(x));
            assert!((trigamma(x) - second).abs() < 1e-9, "{x}: {}", trigamma(x));
            assert!((inverse_trigamma(trigamma(x)) - x).abs() < 1e-6 * x, "{x}");
        }
    }

    /// Draws groups of repeats whose true standard deviations vary around 1: the logarithms of these deviations have a
    /// standard deviation of `spread`.
    fn groups(count: usize, repeats: usize, spread: f64, seed: u64) -> Vec<Deviation> {
        let mut random = fastrand::Rng::with_seed(seed);
        let group = |_| {
            let own = (spread * normal(&mut random)).exp();
            let values: Vec<f64> = (0..repeats).map(|_| own * normal(&mut random)).collect();
            let mean = values.iter().sum::<f64>() / float(repeats);
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            Deviation { std_dev: (squares / float(repeats - 1)).sqrt(), freedom: repeats - 1 }
        };
        (0..count).map(group).collect()
    }

    #[test]
    fn groups_of_one_deviation_are_one_large_group() {
        let prior = VariancePrior::estimate(&groups(400, 4, 0.0, 1)).unwrap();
        assert!((prior.std_dev - 1.0).abs() < 0.05, "{prior:?}");
        assert!(40.0 < prior.freedom, "{prior:?}");
    }

    #[test]
    fn groups_that_differ_count_less() {
        let prior = VariancePrior::estimate(&groups(400, 4, 0.7, 2)).unwrap();
        assert!((1.0..9.0).contains(&prior.freedom), "{prior:?}");
        assert!((0.5..1.5).contains(&prior.std_dev), "{prior:?}");
    }

    #[test]
    fn few_groups_and_groups_without_variation_have_no_prior() {
        assert_eq!(VariancePrior::estimate(&groups(MIN_GROUPS - 1, 3, 0.0, 3)), None);
        let still = vec![Deviation { std_dev: 0.0, freedom: 2 }; 8];
        assert_eq!(VariancePrior::estimate(&still), None);
        assert_eq!(VariancePrior::estimate(&[Deviation { std_dev: 1.0, freedom: 0 }; 8]), None);
    }

    #[test]
    fn a_group_is_combined_by_degrees_of_freedom() {
        let prior = VariancePrior { std_dev: 2.0, freedom: 4.0 };
        let own = Deviation { std_dev: 1.0, freedom: 2 };
        let both = prior.moderate(own);
        assert_eq!(both.freedom, 6);
        assert!((both.std_dev - 3.0_f64.sqrt()).abs() < 1e-12, "{both:?}");
    }
}
