//! Simulates how often intervals of resampled runs contain the true value: for independent, autocorrelated, and
//! heavy-tailed values, in one round and in eight.

use super::super::*;
use crate::stats::tests::simulated::{MODELS, Model, rounds, series};
use crate::stats::{Sorted, nanos_float};

/// Values vary around this level in nanoseconds, as frame times do.
const LEVEL: i64 = 5_000_000;
/// Variation of the second of two runs, as a fraction of the variation of the first run.
const SECOND: f64 = 0.8;
/// Pairs of a number of values and the number of rounds into which the values are divided.
const SHAPES: [(usize, usize); 9] = [
    (50, 1),
    (100, 1),
    (150, 1),
    (500, 1),
    (1_000, 1),
    (1_000, 8),
    (2_000, 1),
    (5_000, 1),
    (10_000, 1),
];

const STATISTICS: [Statistic; 12] = [
    Statistic::Mean,
    Statistic::StdDev,
    Statistic::Percentile(Quantile::P50),
    Statistic::Percentile(Quantile::P95),
    Statistic::Percentile(Quantile::P99),
    Statistic::Percentile(Quantile::P99_9),
    Statistic::LateShare,
    Statistic::CountShare,
    Statistic::AboveBaseline,
    Statistic::Rate,
    Statistic::LOW_1,
    Statistic::LOW_0_1,
];

/// A model of values with their scale, and the limits above which a value counts as late, as missed, or as rare
/// in the first run.
struct Values {
    model: Model,
    scale: f64,
    late: i64,
    missed: i64,
    rare: i64,
}

impl Values {
    fn draw(&self, random: &mut fastrand::Rng, count: usize) -> Vec<i64> {
        let scaled = |value: i64| Nanos::from_nanos_f64(nanos_float(value) * self.scale).get();
        series(self.model, random, count).into_iter().map(|value| LEVEL + scaled(value)).collect()
    }

    /// Creates a run of `count` values in `parts` rounds that do not depend on each other.
    fn run(&self, random: &mut fastrand::Rng, (count, parts): (usize, usize)) -> ResampleSource {
        let mut source = ResampleSource::new(Nanos::new(self.late), Some(Nanos::new(self.rare)));
        for _ in 0..parts {
            let values = self.draw(random, count / parts);
            let [missed, slots] = &mut source.counts;
            missed.extend(values.iter().map(|&value| i64::from(self.missed < value)));
            slots.extend(values.iter().map(|_| 1));
            source.values.extend(values);
            source.end_round();
        }
        source
    }
}

/// Returns the true value of a statistic, approximated by many sorted values of the model.
fn truth(values: &Values, sorted: &Sorted, statistic: Statistic) -> f64 {
    let count = float(sorted.count());
    let share_above = |limit| float(sorted.count_above(limit)) / count;
    let mean_of = |values: &mut dyn ExactSizeIterator<Item = i64>| {
        let count = float(values.len());
        values.map(nanos_float).sum::<f64>() / count
    };
    match statistic {
        Statistic::Mean => mean_of(&mut sorted.values()),
        Statistic::Rate => 1e9 / mean_of(&mut sorted.values()),
        Statistic::StdDev => {
            let mean = mean_of(&mut sorted.values());
            let squares = sorted.values().map(|value| (nanos_float(value) - mean).powi(2));
            (squares.sum::<f64>() / count).sqrt()
        }
        Statistic::Percentile(quantile) => {
            sorted.percentile(quantile, crate::stats::PercentileRule::R7)
        }
        Statistic::LateShare => share_above(values.late),
        Statistic::CountShare => share_above(values.missed),
        Statistic::AboveBaseline => share_above(values.rare),
        Statistic::Low(share) => {
            let slowest = position(count * share.share());
            1e9 / mean_of(&mut sorted.values().skip(sorted.count() - slowest))
        }
        other => panic!("{other:?} has no interval"),
    }
}

/// Counts how often intervals contain the true value.
#[derive(Default)]
struct Coverage {
    held: usize,
    given: usize,
    /// Number of simulated runs, including those without an interval.
    runs: usize,
}

impl Coverage {
    fn count(&mut self, interval: Option<Interval>, truth: f64) {
        let is_held = interval.is_some_and(|it| it.low <= truth && truth <= it.high);
        self.runs += 1;
        self.given += usize::from(interval.is_some());
        self.held += usize::from(is_held);
    }

    fn share(&self) -> f64 {
        float(self.held) / float(self.given.max(1))
    }

    /// Whether the share of intervals that contain the true value is below 93% or above 99%; with fewer than 1 000
    /// intervals, by more than three standard deviations. Also true if at least half of the runs have no interval,
    /// although all runs have the number of samples that an interval needs.
    fn is_wrong(&self) -> bool {
        if 2 * self.given <= self.runs {
            return 0 < self.runs;
        }
        let by_chance = 3.0 * (0.95 * 0.05 / float(self.given.max(1))).sqrt();
        let room = if 1_000 <= self.given { 0.0 } else { by_chance };
        self.share() < 0.93 - room || 0.99 + room < self.share()
    }
}

/// Counts for each statistic how often intervals contain the true value: first intervals of the change between
/// two runs, then intervals of the change relative to the first run.
fn simulate(
    [one, two]: &[Values; 2],
    truths: &[[f64; 2]],
    statistics: &[Statistic],
    shape: (usize, usize),
    rounds: usize,
) -> Vec<[Coverage; 2]> {
    let share = |before: f64, after: f64| (after - before) / before.abs();
    let mut random = fastrand::Rng::with_seed(14);
    let mut found: Vec<[Coverage; 2]> = statistics.iter().map(|_| Default::default()).collect();
    for seed in (0..).take(rounds) {
        let (a, b) = (one.run(&mut random, shape), two.run(&mut random, shape));
        let bins = Bins::of(&[&a, &b]);
        let a = a.resample(&bins, seed, statistics).unwrap();
        let b = b.resample(&bins, !seed, statistics).unwrap();
        for ((at, of_one), [before, after]) in found.iter_mut().enumerate().zip(truths) {
            let [change, relative] = of_one;
            change.count(a.change(&b, at, |before, after| after - before), after - before);
            // The relative change of this statistic is not counted, because no table shows it.
            if statistics.get(at) != Some(&Statistic::AboveBaseline) {
                relative.count(a.change(&b, at, share), share(*before, *after));
            }
        }
    }
    found
}

/// Prints how often intervals of a model contain the true value. Panics if a share is outside 93% to 99%.
fn check(name: &str, model: Model) {
    let is_long = 1_000 <= rounds(20);
    let [late, missed] = [150_000, 200_000].map(|above| LEVEL + above);
    let [mut one, mut two] = [1.0, SECOND].map(|scale| {
        let values = Values { model, scale, late, missed, rare: 0 };
        let sorted = values.draw(&mut fastrand::Rng::with_seed(1), 2_000_000);
        (values, Sorted::of(sorted).unwrap())
    });
    let rare = one.1.percentile(Quantile::P99, crate::stats::PercentileRule::R7);
    for (values, _) in [&mut one, &mut two] {
        values.rare = Nanos::from_nanos_f64(rare).get();
    }
    let truths = STATISTICS
        .map(|statistic| [&one, &two].map(|(values, sorted)| truth(values, sorted, statistic)));
    let values = [one.0, two.0];
    let mut problems = Vec::new();
    for shape in SHAPES.into_iter().filter(|(count, _)| is_long || *count <= 1_000) {
        let (statistics, truths): (Vec<Statistic>, Vec<[f64; 2]>) = STATISTICS
            .into_iter()
            .zip(truths)
            .filter(|(statistic, _)| statistic.samples_needed() <= shape.0)
            .unzip();
        let found = simulate(&values, &truths, &statistics, shape, rounds(20));
        for (statistic, coverages) in statistics.iter().zip(found) {
            let shares = coverages.each_ref().map(|one| {
                format!("{:5.1}{}", one.share() * 100.0, if one.is_wrong() { "!" } else { " " })
            });
            let given = coverages.each_ref().map(|one| one.given);
            let line = format!(
                "{name:20} {:5} values, {} rounds | {:27} | {} | of {given:?}",
                shape.0,
                shape.1,
                format!("{statistic:?}"),
                shares.join(" | ")
            );
            println!("{line}");
            problems.extend(coverages.iter().any(Coverage::is_wrong).then_some(line));
        }
    }
    assert!(problems.is_empty(), "outside 93% to 99%:\n{}", problems.join("\n"));
}

#[test]
fn intervals_of_independent_values_hold_the_truth_as_often_as_they_promise() {
    check(MODELS[0].0, MODELS[0].1);
}

#[test]
fn intervals_of_autocorrelated_values_hold_the_truth_as_often_as_they_promise() {
    check(MODELS[1].0, MODELS[1].1);
}

#[test]
fn intervals_of_strongly_autocorrelated_values_hold_the_truth_as_often_as_they_promise() {
    check(MODELS[2].0, MODELS[2].1);
}

#[test]
fn intervals_of_heavy_tailed_values_hold_the_truth_as_often_as_they_promise() {
    check(MODELS[3].0, MODELS[3].1);
}
