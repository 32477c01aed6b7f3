//! Tests that statistics of resampled runs match those of the values themselves, and the widths of intervals.

mod coverage;

use proptest::prelude::*;

use super::*;
use crate::stats::{PercentileRule, Sorted, Spread, nanos_float};

const QUANTILES: [Quantile; 4] = [Quantile::P50, Quantile::P95, Quantile::P99, Quantile::P99_9];

fn lateness(count: usize, seed: u64) -> Vec<i64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut late = || {
        let body = random.i64(200..9_000);
        if random.u32(0..50) == 0 { body + random.i64(0..400_000) } else { body }
    };
    (0..count).map(|_| late()).collect()
}

/// Returns a source with the values in rounds of `each` values.
fn rounds(values: &[i64], each: usize) -> ResampleSource {
    let mut source = ResampleSource::default();
    for round in values.chunks(each) {
        source.values.extend(round.iter().copied());
        source.end_round();
    }
    source
}

#[test]
fn a_short_list_is_read_exactly_and_a_long_one_closely() {
    for (count, most_off) in [(90, 1e-9), (3_600, 0.02), (300_000, 0.02)] {
        let values = lateness(count, 3);
        let source = ResampleSource::of_values(values.iter().copied());
        let bins = Bins::of(&[&source]);
        let mut resampler = Resampler::of(&source, &bins, 1).unwrap();
        resampler.take_all();
        let found = |statistic| resampler.statistic(statistic).unwrap();
        let sorted = Sorted::of(values.clone()).unwrap();
        for quantile in QUANTILES {
            let exact = sorted.percentile(quantile, PercentileRule::R7);
            let found = found(Statistic::Percentile(quantile));
            assert!((found / exact - 1.0).abs() < most_off, "{count}: {found}, not {exact}");
        }
        let spread = Spread::of_sorted(&sorted);
        assert!((found(Statistic::Mean) / spread.mean_nanos - 1.0).abs() < 1e-9);
        assert!((found(Statistic::Rate) * spread.mean_nanos / 1e9 - 1.0).abs() < 1e-9);
        assert!((found(Statistic::StdDev) / spread.std_dev_nanos.unwrap() - 1.0).abs() < 1e-9);
        let slowest: Vec<i64> = sorted.values().skip(count - count.div_ceil(100)).collect();
        let exact = float(slowest.len()) / nanos_float(slowest.iter().sum()) * 1e9;
        let low = found(Statistic::LOW_1);
        assert!((low / exact - 1.0).abs() < most_off.max(1e-3), "{low}, not {exact}");
    }
}

#[test]
fn blocks_grow_with_what_depends_on_one_another() {
    let column = |values: Vec<i64>| -> Column { values.into_iter().collect() };
    assert_eq!(block_length(&column(lateness(1_000, 7))), 50, "a twentieth");
    let mut level = 0;
    let mut random = fastrand::Rng::with_seed(7);
    let mut next = || {
        level = level * 99 / 100 + random.i64(-1_000..=1_000);
        level
    };
    assert_eq!(block_length(&column((0..1_000).map(|_| next()).collect())), 100, "a tenth");
}

#[test]
fn the_same_seed_draws_the_same_and_a_resampled_run_is_as_long() {
    let source = ResampleSource::of_values(lateness(1_000, 5));
    let bins = Bins::of(&[&source]);
    let means = |seed| {
        let mut resampler = Resampler::of(&source, &bins, seed).unwrap();
        (0..5)
            .map(|_| {
                resampler.draw();
                assert!((1_000..1_060).contains(&resampler.sample_count()));
                resampler.statistic(Statistic::Mean).unwrap()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(means(1), means(1));
    assert_ne!(means(1), means(2));
    assert_eq!(ResampleSource::of_values(0..49).interval(Statistic::Mean), None);
}

#[test]
fn independent_means_scatter_as_theory_has_it() {
    let values = lateness(4_000, 11);
    let theory = Spread::of(values.clone()).unwrap().std_dev_nanos.unwrap() / 4_000_f64.sqrt();
    let error = ResampleSource::of_values(values).interval(Statistic::Mean).unwrap().error;
    assert!((0.6..1.5).contains(&(error / theory)), "{}", error / theory);
}

#[test]
fn more_samples_narrow_an_interval_and_neighbors_that_agree_widen_it() {
    let width = |source: ResampleSource, quantile| {
        let found = source.interval(Statistic::Percentile(quantile)).unwrap();
        found.high - found.low
    };
    let of = |count| {
        let mut random = fastrand::Rng::with_seed(7);
        let values: Vec<i64> = (0..count).map(|_| random.i64(0..1_000_000)).collect();
        let p99 = Sorted::of(values.clone()).unwrap().percentile(Quantile::P99, PercentileRule::R7);
        let (low, high) = percentile_range(&values, Quantile::P99).unwrap();
        assert!(low.as_f64() <= p99 && p99 <= high.as_f64(), "{low} {p99} {high}");
        width(ResampleSource::of_values(values), Quantile::P99)
    };
    // Sixteen times as many values make the interval a quarter as wide.
    let share = of(160_000) / of(10_000);
    assert!((0.15..0.4).contains(&share), "{share}");
    let apart = (0..2_000).map(|k| (k * 7_919) % 2_000);
    let apart = width(ResampleSource::of_values(apart), Quantile::P50);
    assert!(apart < width(ResampleSource::of_values(0..2_000), Quantile::P50));
}

#[test]
fn rounds_on_different_levels_widen_an_interval_as_they_should() {
    // Ten rounds, each on a different level: their mean is as uncertain as the mean of ten numbers.
    let mut random = fastrand::Rng::with_seed(3);
    let values: Vec<i64> = (0..10)
        .flat_map(|round| {
            let level = (round * 7 % 10) * 10_000;
            (0..200).map(|_| level + random.i64(0..1_000)).collect::<Vec<_>>()
        })
        .collect();
    let error = rounds(&values, 200).interval(Statistic::Mean).unwrap().error;
    let theory = 30_277.0 / 10_f64.sqrt();
    assert!((0.8..1.6).contains(&(error / theory)), "{error} and {theory}");
}

#[test]
fn no_block_reaches_from_one_round_into_the_next() {
    // Two rounds of different lengths, and a third one that is shorter than a block.
    let values: Vec<i64> = (0..1_010).collect();
    let mut source = ResampleSource::default();
    for range in [0..600, 600..1_000, 1_000..1_010] {
        source.values.extend(values[range].iter().copied());
        source.end_round();
    }
    let bins = Bins::of(&[&source]);
    let resampler = Resampler::of(&source, &bins, 1).unwrap();
    let ends = resampler.round_ends();
    for block in resampler.blocks() {
        let round = ends.iter().position(|&end| block.start < end);
        assert!(block.end <= ends[round.unwrap()], "{block:?} of {ends:?}");
    }
    assert_eq!(resampler.blocks().map(ExactSizeIterator::len).min(), Some(1), "the short round");
}

proptest! {
    #[test]
    fn hostile_values_do_not_panic(
        values in prop::collection::vec(any::<i64>(), 0..200),
        each in 1..60_usize,
    ) {
        let source = rounds(&values, each);
        let bins = Bins::of(&[&source]);
        if let Some(mut resampler) = Resampler::of(&source, &bins, 1) {
            resampler.draw();
            for statistic in [Statistic::StdDev, Statistic::LOW_1, Statistic::CountShare] {
                resampler.statistic(statistic);
            }
        }
        source.interval(Statistic::Mean);
    }
}
