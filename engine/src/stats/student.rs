//! The mean of a few values with its error, as benchmark harnesses print it, and Student's t-distribution.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

use super::float;

/// More degrees of freedom are treated as this number. At a confidence of 99.9%, its `t` is within 0.03% of the
/// limit for infinitely many, the normal distribution.
const MAX_DEGREES: usize = 10_000;

/// A mean and its error, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The arithmetic mean.
    pub mean: f64,
    /// Half the width of the confidence interval of the mean.
    pub error: f64,
}

impl Score {
    /// Computes the mean and its error for a confidence such as 0.999; `None` below two values.
    ///
    /// The error is `t(n − 1) × s / √n` with Student's t, as in `getMeanErrorAt` of JMH, the Java benchmark harness.
    /// The values must be independent: iterations or blocks, not neighboring frames.
    pub fn of(values: &[f64], confidence: f64) -> Option<Self> {
        let degrees = values.len().checked_sub(1)?;
        let len = float(values.len());
        let mean = values.iter().sum::<f64>() / len;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let std_dev = (squares / (len - 1.0)).sqrt();
        (0 < degrees)
            .then(|| Self { mean, error: student_t(degrees, confidence) * std_dev / len.sqrt() })
    }
}

/// Returns the `t` for which the share `confidence` of Student's distribution is between `−t` and `t`.
///
/// The `t` is found by bisection of the angle `arctan(t / √degrees)`. Its relative error is below 10^-9 for a
/// confidence of up to 0.999 999.
pub fn student_t(degrees: usize, confidence: f64) -> f64 {
    let degrees = degrees.clamp(1, MAX_DEGREES);
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if share_within(middle, degrees) < confidence {
            low = middle;
        } else {
            high = middle;
        }
    }
    low.tan() * float(degrees).sqrt()
}

/// Returns the share of Student's distribution that is further from 0 than `t`, on both sides together.
pub fn student_chance(degrees: usize, t: f64) -> f64 {
    let degrees = degrees.clamp(1, MAX_DEGREES);
    1.0 - share_within((t.abs() / float(degrees).sqrt()).atan(), degrees)
}

/// Returns the share of Student's distribution between `−t` and `t`, where `angle` is `arctan(t / √degrees)`.
/// Formulas of Abramowitz and Stegun: 26.7.3 for odd and 26.7.4 for even degrees of freedom.
fn share_within(angle: f64, degrees: usize) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2 == 1;
    let first = if odd { cosine } else { 1.0 };
    let (mut term, mut sum) = (first, 0.0);
    let mut power = usize::from(odd);
    while power + 2 <= degrees {
        sum += term;
        power += 2;
        term *= cosine * cosine * float(power - 1) / float(power);
    }
    if odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn t_is_that_of_the_printed_tables() {
        let (p95, p99_9) = (0.95, 0.999);
        for (degrees, confidence, expected) in [
            (1, p95, 12.706),
            (2, p95, 4.303),
            (5, p95, 2.571),
            (30, p95, 2.042),
            (120, p95, 1.980),
            (usize::MAX, p95, 1.960),
            (1, p99_9, 636.619),
            (2, p99_9, 31.599),
            (9, p99_9, 4.781),
            (10, p99_9, 4.587),
            (usize::MAX, p99_9, 3.291),
        ] {
            let found = student_t(degrees, confidence);
            assert!((found - expected).abs() < 0.000_6, "{degrees}: {found}, not {expected}");
            let chance = student_chance(degrees, -found);
            assert!((chance - (1.0 - confidence)).abs() < 1e-6, "{degrees}: {chance}");
        }
    }

    #[test]
    fn a_score_is_a_mean_with_its_error() {
        let score = Score::of(&[11.4, 11.5, 11.732], 0.999).unwrap();
        assert!((score.mean - 11.544).abs() < 1e-9);
        assert!((score.error - 3.107).abs() < 0.001, "{score:?}");
        assert_eq!(Score::of(&[1.0], 0.95), None);
        assert_eq!(Score::of(&[], 0.95), None);
    }

    proptest! {
        #[test]
        fn more_degrees_and_less_confidence_need_a_smaller_t(
            degrees in 1_usize..200,
            share in 0.001_f64..0.999,
        ) {
            let t = student_t(degrees, share);
            prop_assert!(student_t(degrees + 1, share) <= t);
            prop_assert!(t <= student_t(degrees, share + 0.0005));
        }
    }
}
