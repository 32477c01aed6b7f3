//! Cost of conclusions: summaries of a million samples, the plot of ten million.
//!
//! `cargo bench -p jitterscope-engine --bench summary`

use divan::{Bencher, black_box};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::sample::{Sample, Samples};
use jitterscope_engine::stats::blocks::percentile_range;
use jitterscope_engine::stats::{Pyramid, Quantile, Summary};

const COUNT: i64 = 1_000_000;
const PERIOD: Nanos = Nanos::new(1_000_000);

fn main() {
    divan::main();
}

/// A million frames, most of them some microseconds late and a few very late.
fn samples() -> Samples {
    let mut random = fastrand::Rng::with_seed(7);
    (1..=COUNT)
        .map(|k| {
            let late = if random.u32(0..1_000) == 0 { 700_000 } else { random.i64(100..9_000) };
            let due = k * PERIOD.get();
            Sample {
                began: Nanos::new(due - 900_000),
                due: Nanos::new(due),
                slept: Some(Nanos::new(due - 100_000)),
                woke: Nanos::new(due + late),
                done: Nanos::new(due + late + 50_000),
                spins: 90,
                cpu: Some(1),
            }
        })
        .collect()
}

#[divan::bench(sample_count = 10)]
fn summary_of_a_million(bencher: Bencher<'_, '_>) {
    let samples = samples();
    bencher.bench(|| {
        Summary::of(black_box(&samples), PERIOD, Nanos::new(50_000), Some(Nanos::new(100_000)))
    });
}

#[divan::bench(sample_count = 10)]
fn bootstrap_interval_of_a_million(bencher: Bencher<'_, '_>) {
    let late = samples().late_nanos();
    bencher.bench(|| percentile_range(black_box(&late), Quantile::P99));
}

fn pyramid(count: i64) -> Pyramid {
    let mut pyramid = Pyramid::default();
    for k in 0..count {
        pyramid.push(Nanos::from_secs(k), Nanos::new(k % 977));
    }
    pyramid
}

#[divan::bench(sample_count = 10)]
fn pyramid_of_a_million(bencher: Bencher<'_, '_>) {
    bencher.bench(|| pyramid(1_000_000));
}

#[divan::bench(args = [10_000.0, 1e6, 1e7])]
fn image_of_ten_million(bencher: Bencher<'_, '_>, width: f64) {
    let pyramid = pyramid(10_000_000);
    bencher.bench(|| pyramid.query(black_box(1e7 - width), 1e7, 1_400));
}
