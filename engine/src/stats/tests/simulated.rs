//! Random values in order of time from known distributions. Tests use them to count how often a confidence interval
//! contains the true value.

use crate::nanos::Nanos;

/// Draws the next value of a series from the previous value.
pub(crate) type Model = fn(&mut fastrand::Rng, f64) -> f64;

/// Draws a value from the normal distribution with mean 0 and variance 1 (Box and Muller 1958).
pub(crate) fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// Draws a value from Student's t-distribution with 5 degrees of freedom: its fourth moment is finite, its fifth is
/// not.
fn student(random: &mut fastrand::Rng) -> f64 {
    let chi: f64 = (0..5).map(|_| normal(random).powi(2)).sum();
    normal(random) / (chi / 5.0).sqrt()
}

/// Models of values, with their names. All of them have a finite fourth moment.
pub(crate) const MODELS: [(&str, Model); 4] = [
    ("independent", |random, _| normal(random)),
    ("autocorrelated, 0.5", |random, before| 0.5 * before + normal(random)),
    ("autocorrelated, 0.8", |random, before| 0.8 * before + normal(random)),
    ("heavy-tailed, t5", |random, _| student(random)),
];

/// Draws `count` values in nanoseconds; 1 in the model is 100 µs. The first 50 values are discarded, because they
/// depend on the initial value 0.
pub(crate) fn series(model: Model, random: &mut fastrand::Rng, count: usize) -> Vec<i64> {
    let mut value = 0.0;
    for _ in 0..50 {
        value = model(random, value);
    }
    let next = |_| {
        value = model(random, value);
        Nanos::from_nanos_f64(value * 1e5).get()
    };
    (0..count).map(next).collect()
}

/// Returns whether simulations are long: `JITTERSCOPE_LONG_TESTS` was set at compile time.
pub(crate) const fn is_long() -> bool {
    option_env!("JITTERSCOPE_LONG_TESTS").is_some()
}

/// Returns how often a simulation is repeated: 1 000 times if they are long, otherwise `short` times.
pub(crate) fn rounds(short: usize) -> usize {
    if is_long() { 1_000 } else { short }
}
