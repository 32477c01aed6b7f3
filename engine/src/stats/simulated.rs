//! Values in order of time from known distributions, for simulations of how often intervals are right.

use crate::nanos::Nanos;

/// Draws a value from the previous one.
pub(crate) type Model = fn(&mut fastrand::Rng, f64) -> f64;

/// A normal value (Box and Muller 1958).
pub(crate) fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// Student's t with 5 degrees of freedom: its fifth moment is infinite, its fourth is not.
fn student(random: &mut fastrand::Rng) -> f64 {
    let chi: f64 = (0..5).map(|_| normal(random).powi(2)).sum();
    normal(random) / (chi / 5.0).sqrt()
}

/// Models with a finite fourth moment.
pub(crate) const MODELS: [(&str, Model); 4] = [
    ("independent", |random, _| normal(random)),
    ("autocorrelated, 0.5", |random, before| 0.5 * before + normal(random)),
    ("autocorrelated, 0.8", |random, before| 0.8 * before + normal(random)),
    ("heavy-tailed, t5", |random, _| student(random)),
];

/// Values of a model at 100 µs per unit, after it has forgotten where it began.
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

/// How often a simulation is repeated: 1 000 times where long tests are built.
pub(crate) fn rounds(short: usize) -> usize {
    if option_env!("JITTERSCOPE_LONG_TESTS").is_some() { 1_000 } else { short }
}
