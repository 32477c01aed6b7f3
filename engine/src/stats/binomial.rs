//! Probabilities of the binomial distribution, for confidence limits of rates and for ranks of percentiles.

use super::float;
use super::student::student_chance;

/// Probability beyond each end of a 95% interval.
const ONE_SIDE: f64 = 0.025;
/// Above this variance, the normal distribution is close enough to the binomial distribution.
const NORMAL_ABOVE: f64 = 150.0;
/// Distance of each end of a 95% interval from the mean of a normal distribution, in standard deviations.
const Z: f64 = 1.959_963_984_540_054;

/// Returns limits for the number of events in `trials` independent trials, each of which has the probability
/// `share`. The number is above the first limit in 97.5% of cases or more, and below the second limit in 97.5%
/// of cases or more. The first limit is `None` if no event at all has a probability above 2.5%.
pub fn likely_counts(trials: f64, share: f64) -> (Option<f64>, f64) {
    let (mean, variance) = (trials * share, trials * share * (1.0 - share));
    if NORMAL_ABOVE < variance {
        let reach = Z * variance.sqrt();
        return (Some((mean - reach).floor()), (mean + reach).ceil());
    }
    let mut below = None;
    let (mut term, mut sum, mut count) = ((trials * (-share).ln_1p()).exp(), 0.0, 0.0);
    loop {
        let at_least = 1.0 - sum;
        if at_least <= ONE_SIDE || trials < count {
            return (below, count);
        }
        sum += term;
        if sum <= ONE_SIDE {
            below = Some(count);
        }
        term *= (trials - count) / (count + 1.0) * share / (1.0 - share);
        count += 1.0;
    }
}

/// Returns the lower confidence limit of a rate if `events` were seen in `trials`: the true rate is above the
/// limit in 97.5% of cases (Clopper and Pearson 1934). `events` and `trials` can have fractions.
pub fn lower_rate(events: f64, trials: f64) -> f64 {
    if events <= 0.0 || trials <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, (events / trials).min(1.0));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_least(events, trials, middle) < ONE_SIDE {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns the probability that two samples of the same rate, each given as `(events, trials)`, differ by at least
/// this much in either direction; counts that stand for fewer independent ones may have fractions. Of the events of both samples together, the number in the second one is binomial
/// (Przyborowski and Wilenski 1940).
pub fn two_sided_chance(first: (f64, f64), second: (f64, f64)) -> f64 {
    let (events, trials) = (first.0 + second.0, first.1 + second.1);
    if events <= 0.0 || trials <= 0.0 {
        return 1.0;
    }
    let share = second.1 / trials;
    let side = |seen: f64, share: f64| {
        let mean = events * share;
        let variance = mean * (1.0 - share);
        if NORMAL_ABOVE < variance {
            let off = (seen - 0.5 - mean) / variance.sqrt();
            let both = student_chance(usize::MAX, off);
            return if 0.0 < off { both / 2.0 } else { 1.0 - both / 2.0 };
        }
        at_least(seen, events, share)
    };
    let more = side(second.0, share).min(side(first.0, 1.0 - share));
    (2.0 * more).min(1.0)
}

/// Returns the minimum number of independent values whose largest one is above a quantile in 97.5% of cases;
/// `share_above` is the share of the distribution above the quantile.
pub fn fewest_for(share_above: f64) -> f64 {
    (ONE_SIDE.ln() / (1.0 - share_above).ln()).ceil()
}

/// Returns the probability of at least `events` events in `trials` trials. If their variance is above
/// [`NORMAL_ABOVE`], returns 0 for a probability below 2.5%, else 1.
fn at_least(events: f64, trials: f64, share: f64) -> f64 {
    let variance = trials * share * (1.0 - share);
    if NORMAL_ABOVE < variance {
        // 0 and 1 are sufficient: the caller only compares the probability with 2.5%.
        let off = (events - 0.5 - trials * share) / variance.sqrt();
        return if Z < off { 0.0 } else { 1.0 };
    }
    // The first terms may be below the smallest positive number, so compute their logarithms.
    let (mut ln_term, mut below, mut count) = (trials * (-share).ln_1p(), 0.0, 0.0);
    while count < events.ceil() {
        // If `events` has a fraction, the last term counts by this fraction.
        below += f64::exp(ln_term) * (events - count).min(1.0);
        ln_term += ((trials - count).max(0.0) / (count + 1.0) * share / (1.0 - share)).ln();
        count += 1.0;
    }
    1.0 - below
}

/// Returns the number of independent events as which the missed frames count: frames that are missed in a row
/// come from one stall. `groups` has the number of frames in each such sequence. The result is
/// `(Σ size)² / Σ size²`, by the design effect of clusters (Kish 1965).
pub fn independent_events(groups: &[usize]) -> f64 {
    let sizes = || groups.iter().map(|&size| float(size));
    let (sum, squares) = (sizes().sum::<f64>(), sizes().map(|size| size * size).sum::<f64>());
    if 0.0 < squares { sum * sum / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_printed_tables() {
        for (events, trials, expected) in [
            (1.0, 600.0, 0.000_042_2),
            (2.0, 1_800.0, 0.000_134_6),
            (5.0, 100.0, 0.016_43),
            (50.0, 100.0, 0.398_3),
            (0.0, 100.0, 0.0),
        ] {
            let found = lower_rate(events, trials);
            assert!((found - expected).abs() <= 0.001 * expected, "{events}: {found}");
        }
        let close = lower_rate(2_300.0, 1e5);
        assert!((close - 0.022_08).abs() < 0.000_03, "{close}");
    }

    #[test]
    fn counts_of_a_hundredth_lie_around_their_mean() {
        // scipy.stats.binom: cdf(1, 600, 0.01) = 0.0170, sf(11, 600, 0.01) = 0.0195.
        assert_eq!(likely_counts(600.0, 0.01), (Some(1.0), 12.0));
        // The probability of no event in 367 trials is 0.99^367 = 0.025 01; in 368 trials, it is 0.024 76.
        assert_eq!(likely_counts(367.0, 0.01).0, None);
        assert_eq!(likely_counts(368.0, 0.01).0, Some(0.0));
        assert!((fewest_for(0.01) - 368.0).abs() < 1e-9);
        let (low, high) = likely_counts(1e6, 0.01);
        assert_eq!((low, high), (Some(9_804.0), 10_196.0));
        // The exact limits below the switch to the normal distribution are close to the normal limits above it.
        let (exact, normal) = (likely_counts(15_100.0, 0.01), likely_counts(15_200.0, 0.01));
        assert!((exact.0.unwrap() - normal.0.unwrap()).abs() <= 3.0, "{exact:?} {normal:?}");
        assert!((exact.1 - normal.1).abs() <= 3.0, "{exact:?} {normal:?}");
    }

    #[test]
    fn one_event_against_none_is_chance() {
        // Expected: pvalue of scipy.stats.binomtest(1, 1, 0.5), (2, 2, 0.5), (8, 8, 0.5), (30, 40, 0.5), (2, 40, 0.5),
        // (720, 840, 0.8) as twice the smaller tail.
        for (first, second, expected) in [
            ((0, 600), (1, 600), 1.0),
            ((0, 1_200), (2, 1_200), 0.5),
            ((0, 3_000), (8, 3_000), 0.007_812_5),
            ((10, 3_000), (30, 3_000), 0.002_221_4),
            ((38, 3_000), (2, 3_000), 1.493e-9),
            ((5, 600), (5, 600), 1.0),
            // The probability of no event at all is below the smallest positive number.
            ((120, 1_200), (720, 4_800), 2.081_83e-5),
            ((0, 600), (0, 600), 1.0),
        ] {
            let floats = |(events, trials): (u16, u16)| (f64::from(events), f64::from(trials));
            let (first, second) = (floats(first), floats(second));
            let found = two_sided_chance(first, second);
            assert!((found - expected).abs() <= 0.001 * expected, "{first:?} {second:?}: {found}");
            assert!((two_sided_chance(second, first) - found).abs() < 1e-12);
        }
        // With this many events, the result is by the normal distribution; the exact value is 1.344e-4.
        let many = two_sided_chance((1_010.0, 9_000.0), (1_190.0, 9_000.0));
        assert!((many / 1.34e-4 - 1.0).abs() < 0.15, "{many}");
    }

    #[test]
    fn frames_missed_in_a_row_are_one_event() {
        assert!((independent_events(&[1, 1, 1]) - 3.0).abs() < 1e-12);
        assert!((independent_events(&[3]) - 1.0).abs() < 1e-12);
        assert!((independent_events(&[]) - 0.0).abs() < 1e-12);
    }
}
