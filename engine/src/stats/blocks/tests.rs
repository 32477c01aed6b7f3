//! A draw is what it would be of the values themselves, and intervals hold what they promise.

use proptest::prelude::*;

use super::*;
use crate::stats::{PercentileRule, Sorted};

const QUANTILES: [Quantile; 4] = [Quantile::P50, Quantile::P95, Quantile::P99, Quantile::P99_9];

fn track(values: &Column) -> Track<'_> {
    static NONE: [Column; 2] = [Column::new(), Column::new()];
    Track { values, seconds: values, counts: &NONE }
}

fn column(values: &[i64]) -> Column {
    values.iter().copied().collect()
}

/// The histogram of all values once, as a draw would have it.
fn whole<'a>(values: &Column, scales: &'a Scales) -> Draw<'a> {
    let drawing = Drawing::of(&track(values), scales, 1).unwrap();
    Draw {
        scales,
        values: drawing.values.last().unwrap().clone(),
        seconds: drawing.seconds.last().unwrap().clone(),
        sums: *drawing.sums.last().unwrap(),
    }
}

fn lateness(count: usize, seed: u64) -> Vec<i64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut late = || {
        let body = random.i64(200..9_000);
        if random.u32(0..50) == 0 { body + random.i64(0..400_000) } else { body }
    };
    (0..count).map(|_| late()).collect()
}

#[test]
fn a_short_list_is_read_exactly_and_a_long_one_closely() {
    for (count, most_off) in [(90, 1e-9), (3_600, 0.02), (300_000, 0.02)] {
        let values = lateness(count, 3);
        let in_time = column(&values);
        let scales = Scales::of(&[track(&in_time)]);
        let draw = whole(&in_time, &scales);
        let sorted = Sorted::of(values.clone()).unwrap();
        for quantile in QUANTILES {
            let exact = sorted.percentile(quantile, PercentileRule::R7);
            let found = draw.percentile(quantile).unwrap();
            assert!((found / exact - 1.0).abs() < most_off, "{count}: {found}, not {exact}");
        }
        let spread = crate::stats::Spread::of_sorted(&sorted);
        assert!((draw.mean().unwrap() / spread.mean_nanos - 1.0).abs() < 1e-9);
        assert!((draw.std_dev().unwrap() / spread.std_dev_nanos.unwrap() - 1.0).abs() < 1e-9);
        let slowest = &sorted.values()[count - count.div_ceil(100)..];
        let exact = crate::stats::nanos_float(slowest.iter().sum()) / float(slowest.len());
        let found = draw.mean_of_greatest_seconds(0.01).unwrap();
        assert!((found / exact - 1.0).abs() < most_off.max(1e-3), "{found}, not {exact}");
    }
}

#[test]
fn blocks_grow_with_what_depends_on_one_another() {
    assert_eq!(block_length(&column(&lateness(1_000, 7))), 50, "a twentieth");
    let mut level = 0;
    let mut random = fastrand::Rng::with_seed(7);
    let slow: Column = (0..1_000)
        .map(|_| {
            level = level * 99 / 100 + random.i64(-1_000..=1_000);
            level
        })
        .collect();
    assert_eq!(block_length(&slow), 100, "a tenth");
}

#[test]
fn the_same_seed_draws_the_same_and_a_draw_is_as_long_as_the_run() {
    let values = column(&lateness(1_000, 5));
    let scales = Scales::of(&[track(&values)]);
    let means = |seed| {
        let mut drawing = Drawing::of(&track(&values), &scales, seed).unwrap();
        (0..5)
            .map(|_| {
                let draw = drawing.draw();
                assert!((1_000..1_060).contains(&draw.sums().samples));
                draw.mean().unwrap()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(means(1), means(1));
    assert_ne!(means(1), means(2));
    assert!(Drawing::of(&track(&values.values().take(49).collect()), &scales, 1).is_none());
}

#[test]
fn independent_means_scatter_as_theory_has_it() {
    let values = lateness(4_000, 11);
    let in_time = column(&values);
    let scales = Scales::of(&[track(&in_time)]);
    let mut drawing = Drawing::of(&track(&in_time), &scales, 1).unwrap();
    let means: Vec<f64> = (0..RESAMPLES).map(|_| drawing.draw().mean().unwrap()).collect();
    let mean = means.iter().sum::<f64>() / float(means.len());
    let scatter = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / float(means.len());
    let spread = crate::stats::Spread::of(values).unwrap();
    let theory = spread.std_dev_nanos.unwrap() / 4_000_f64.sqrt();
    assert!((0.6..1.5).contains(&(scatter.sqrt() / theory)), "{}", scatter.sqrt() / theory);
}

proptest! {
    #[test]
    fn hostile_values_do_not_panic(values in prop::collection::vec(any::<i64>(), 0..200)) {
        let values = column(&values);
        let scales = Scales::of(&[track(&values)]);
        if let Some(mut drawing) = Drawing::of(&track(&values), &scales, 1) {
            let draw = drawing.draw();
            prop_assert!(draw.percentile(Quantile::P99).is_some());
            draw.std_dev();
            draw.mean_of_greatest_seconds(0.01);
        }
    }
}
