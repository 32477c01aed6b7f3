//! False alarms, power, and the place of changes, by simulation. With `JITTERSCOPE_LONG_TESTS=1`, each figure is of
//! 50 000 simulated series, else of 2 000; the figures are printed.

use super::*;
use crate::stats::tests::simulated::{is_long, normal};

/// A month of daily values after the first ones, for which no change can be found.
const MONTH: usize = 30;

/// Draws a value of a series; its typical deviation is 1.
type Noise = fn(&mut fastrand::Rng) -> f64;

fn series_count() -> usize {
    if is_long() { 50_000 } else { 2_000 }
}

/// Returns how many of the simulated series fulfill a condition, as a share.
fn share(is_so: impl Fn(&mut fastrand::Rng) -> bool) -> f64 {
    let mut random = fastrand::Rng::with_seed(0x0074_7265_6e64);
    float((0..series_count()).filter(|_| is_so(&mut random)).count()) / float(series_count())
}

fn draw(random: &mut fastrand::Rng, noise: Noise, level: f64, count: usize) -> Vec<f64> {
    (0..count).map(|_| level + noise(random)).collect()
}

/// Returns the limit for a share of the simulated series: three standard deviations are added.
fn most(share: f64) -> f64 {
    share + 3.0 * (share * (1.0 - share) / float(series_count())).sqrt()
}

/// Returns a single level of this many values.
fn whole(count: usize) -> Vec<Range<usize>> {
    std::iter::once(0..count).collect()
}

#[test]
fn example_of_the_module_is_found_with_the_tenth_build() {
    let micros = [100.0, 102.0, 99.0, 101.0, 100.0, 98.0, 101.0, 99.0, 118.0, 119.0];
    let logs: Vec<f64> = micros.map(f64::ln).to_vec();
    assert_eq!(largest(&logs[..8], 0.0), None);
    assert_eq!(largest(&logs[..9], 0.0), None);
    let split = largest(&logs, 0.0).unwrap();
    assert!(split.at == 8 && (split.t - 17.281).abs() < 1e-3, "{split:?}");
    assert_eq!(levels(&logs[..9], 0.0), whole(9));
    assert_eq!(levels(&logs, 0.0), [0..8, 8..10]);
}

#[test]
fn values_that_do_not_vary_have_one_level_and_rounding_is_no_change() {
    assert_eq!(levels(&[], 0.0), whole(0));
    for count in [1, 4, 5, 40] {
        assert_eq!(levels(&vec![7.0; count], 0.0), whole(count));
    }
    let rounded: Vec<f64> = (0..40).map(|at| if at < 20 { 7.0 } else { 7.001 }).collect();
    assert_eq!(levels(&rounded, 0.005), whole(40));
    assert_eq!(levels(&rounded, 0.0), [0..20, 20..40]);
    // One value is no level, however far away it is, and wherever.
    let mut random = fastrand::Rng::with_seed(1);
    let noise = draw(&mut random, normal, 0.0, 40);
    for at in [0, 1, 20, 38, 39] {
        let mut outlier = noise.clone();
        outlier[at] = 1e3;
        assert_eq!(levels(&outlier, 0.0), whole(40), "{at}");
    }
}

#[test]
fn limits_fall_with_the_number_of_values() {
    assert_eq!(limit(MIN_VALUES - 1), None);
    let all: Vec<f64> = (MIN_VALUES..500).filter_map(limit).collect();
    assert!(all.is_sorted_by(|a, b| b <= a) && all.last().is_some_and(|last| 3.5 < *last));
}

/// In the first month, and in each month of half a year after it, an alarm occurs in at most the stated share of series.
#[test]
fn false_alarms_of_independent_values_are_as_rare_as_stated() {
    for months in [1, 6] {
        let found =
            share(|random| 1 < levels(&draw(random, normal, 0.0, MONTH * months), 0.0).len());
        // Alarms of several months add up.
        let stated = 1.0 - (1.0 - FALSE_ALARM).powi(i32::try_from(months).unwrap());
        println!(
            "{months} months: a false alarm in {:.3}% of series, stated {:.3}%",
            found * 100.0,
            stated * 100.0
        );
        assert!(found <= most(stated), "{months} months: {found}");
        assert!(
            0.4 * stated <= found + (most(stated) - stated),
            "{months} months: {found} is too cautious"
        );
    }
}

/// What the rate becomes where its assumption does not hold: printed, and bounded.
#[test]
fn false_alarms_of_other_values_are_as_the_guide_states() {
    let heavy: Noise = |random| {
        let chi: f64 = (0..5).map(|_| normal(random).powi(2)).sum();
        normal(random) / (chi / 5.0).sqrt()
    };
    let slow_fifth: Noise =
        |random| if random.f64() < 0.2 { 5.0 + normal(random) } else { normal(random) };
    let skewed: Noise = |random| (0.5 * normal(random)).exp();
    for (name, noise, bound) in [
        ("heavy tails, t5", heavy, 0.05),
        ("skewed, lognormal", skewed, 0.05),
        ("one in five 5 deviations higher", slow_fifth, 0.10),
    ] {
        let found = share(|random| 1 < levels(&draw(random, noise, 0.0, MONTH), 0.0).len());
        println!("{name}: a false alarm in {:.2}% of months", found * 100.0);
        assert!(found <= bound, "{name}: {found}");
    }
}

/// The share of shifts that are found within a number of days, after 10 or 30 days without a change.
#[test]
fn shifts_are_found_within_days() {
    for (before, percent, deviation, days, expected) in [
        (10, 18.0, 0.03, 3, 0.80),
        (10, 18.0, 0.03, 5, 0.97),
        (30, 18.0, 0.03, 2, 0.80),
        (30, 18.0, 0.03, 3, 0.97),
        (30, 18.0, 0.05, 5, 0.80),
        (30, 5.0, 0.01, 3, 0.90),
        (30, 18.0, 0.10, 14, 0.50),
        (30, 3.0, 0.03, 30, 0.10),
    ] {
        let shift = (1.0_f64 + percent / 100.0).ln() / deviation;
        let found = share(|random| {
            let mut all = draw(random, normal, 0.0, before);
            all.extend(draw(random, normal, shift, days));
            let levels = levels(&all, 0.0);
            levels.iter().skip(1).any(|level| level.start.abs_diff(before) <= 2)
        });
        println!(
            "+{percent}% at a deviation of {}%, after {before} days: found within {days} days in {:.1}%",
            deviation * 100.0,
            found * 100.0
        );
        assert!(expected <= most(found), "{before} {percent} {deviation} {days}: {found}");
    }
}

#[test]
fn every_level_of_a_staircase_is_found_where_it_begins() {
    let found = share(|random| {
        let all = [0.0, 8.0, 0.0].map(|level| draw(random, normal, level, 20)).concat();
        levels(&all, 0.0) == [0..20, 20..40, 40..60]
    });
    println!("a staircase of three levels is found exactly in {:.1}%", found * 100.0);
    assert!(0.95 <= most(found), "{found}");
}
