//! Effects of several changes of settings, measured in rounds with one baseline, with confidence intervals that hold
//! for all changes together.

use super::effect::{CHANCE, Estimated, Method, holm_levels, mean_and_squares};
use super::float;
use super::student::student_t;

/// The mean effect of a change, with a 95% confidence interval that holds for all changes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedEffect {
    /// Mean difference from the baseline, over all rounds.
    pub mean: f64,
    /// Lower and upper end of the confidence interval.
    pub interval: (f64, f64),
}

/// The effects of several changes, and the smallest mean that is always detected as an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedEffects {
    /// One effect per change; `None` if the change has fewer than two rounds.
    pub effects: Vec<Option<PairedEffect>>,
    /// If the mean of any change is farther from 0 than this, the change's interval excludes 0.
    pub smallest: f64,
}

impl PairedEffects {
    /// Returns the effects of changes, each given by its differences from the baseline, one per round. `None` if
    /// no change has two rounds.
    ///
    /// Uses Student's t over rounds with the standard deviation pooled over all changes. The differences of a round
    /// share its baseline, which is half of their variance: `m` changes have the degrees of freedom of
    /// `m / (1 + (m − 1) / 4)` independent ones (Satterthwaite). The intervals are corrected together
    /// ([`holm_levels`]).
    pub fn of(changes: &[Vec<f64>]) -> Option<Self> {
        let is_tested = |values: &&Vec<f64>| 1 < values.len();
        let tested: Vec<&Vec<f64>> = changes.iter().filter(is_tested).collect();
        let squares: f64 = tested.iter().map(|values| mean_and_squares(values).1).sum();
        let degrees: usize = tested.iter().map(|values| values.len() - 1).sum();
        let deviation = (squares / float(degrees)).sqrt();
        // If two values have a correlation of 1/2, their squares have a correlation of 1/4.
        let shared = tested.len().saturating_sub(1);
        let degrees = (degrees * 4 / (4 + shared)).max(1);
        let error = |count: usize| deviation / float(count).sqrt();
        let estimates: Vec<Option<Estimated>> = changes
            .iter()
            .map(|values| {
                let (mean, count) = (mean_and_squares(values).0, values.len());
                let of = || Estimated::of_error(mean, error(count), degrees, Method::Pairs(count));
                (1 < count).then(of)
            })
            .collect();
        let probabilities: Vec<f64> =
            estimates.iter().flatten().map(Estimated::probability).collect();
        let mut levels = holm_levels(&probabilities).into_iter();
        let fewest = tested.iter().map(|values| values.len()).min()?;
        let smallest = student_t(degrees, 1.0 - CHANCE / float(tested.len())) * error(fewest);
        let effect = |estimate: &Option<Estimated>| {
            let estimate = estimate.as_ref()?;
            let interval = estimate.interval(levels.next()?);
            Some(PairedEffect { mean: estimate.difference(), interval })
        };
        Some(Self { effects: estimates.iter().map(effect).collect(), smallest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tests::simulated::{normal, rounds};

    /// Three changes in four rounds. Expected values are by SciPy 1.17.1: `t.isf` and `t.sf` at 6 degrees of freedom
    /// with the pooled standard deviation. The levels are from statsmodels' `multipletests(method="holm")`.
    #[test]
    fn effects_are_those_of_scipy() {
        let changes = [
            vec![-1.0, -1.2, -0.9, -1.1],
            vec![-0.2, -0.3, -0.1, -0.25],
            vec![0.05, -0.1, 0.1, 0.0],
        ];
        let found = PairedEffects::of(&changes).unwrap();
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
        };
        for (effect, (mean, low, high)) in found.effects.iter().zip(GOLDEN) {
            let effect = effect.unwrap();
            near(effect.mean, mean);
            near(effect.interval.0, low);
            near(effect.interval.1, high);
        }
        near(found.smallest, SMALLEST);
    }

    const GOLDEN: [(f64, f64, f64); 3] = [
        (-1.05, -1.217_762_243, -0.882_237_757),
        (-0.2125, -0.363_995_158, -0.061_004_842),
        (0.0125, -0.112_368_448, 0.137_368_448),
    ];
    const SMALLEST: f64 = 0.167_762_243;

    #[test]
    fn too_few_rounds_have_no_effect_and_equal_rounds_are_exact() {
        assert_eq!(PairedEffects::of(&[]), None);
        assert_eq!(PairedEffects::of(&[vec![1.0], vec![]]), None);
        let found = PairedEffects::of(&[vec![-1.0, -1.0], vec![3.0], vec![0.0, 0.0]]).unwrap();
        let exact = |mean| Some(PairedEffect { mean, interval: (mean, mean) });
        assert_eq!(found.effects, [exact(-1.0), None, exact(0.0)]);
    }

    /// Simulates eight rounds of seven changes. As in a measurement, all changes of a round have the same baseline.
    fn family(effects: [f64; 7], random: &mut fastrand::Rng) -> Vec<Vec<f64>> {
        let baselines: Vec<f64> = (0..8).map(|_| 0.25 * normal(random)).collect();
        let of = |effect: f64, random: &mut fastrand::Rng| {
            baselines.iter().map(|baseline| effect + 0.25 * normal(random) - baseline).collect()
        };
        effects.map(|effect| of(effect, random)).into()
    }

    #[test]
    fn at_most_one_in_twenty_families_without_an_effect_has_one_called() {
        let runs = rounds(1_000);
        let mut random = fastrand::Rng::with_seed(10);
        let is_clear = |effect: &Option<PairedEffect>| {
            effect.is_some_and(|it| it.interval.1 < 0.0 || 0.0 < it.interval.0)
        };
        let mut called = 0;
        for _ in 0..runs {
            let found = PairedEffects::of(&family([0.0; 7], &mut random)).unwrap();
            called += usize::from(found.effects.iter().any(is_clear));
        }
        println!("{called} of {runs} families without an effect have one called");
        assert!(called * 20 <= runs, "{called} of {runs}");
    }

    #[test]
    fn an_effect_is_found_and_the_rest_is_not() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut effects = [0.0; 7];
        effects[2] = 0.3_f64.ln();
        for _ in 0..50 {
            let found = PairedEffects::of(&family(effects, &mut random)).unwrap();
            let effect = found.effects[2].unwrap();
            assert!(effect.interval.1 < 0.0, "{effect:?}");
            assert!(found.smallest < -effects[2], "{}", found.smallest);
        }
    }
}
