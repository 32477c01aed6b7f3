//! Runs with the same settings are seldom reported as different even if the machine drifts between them, and a real
//! delay is still found.
//!
//! The tests print how often a difference is reported, in 12 simulated comparisons each, or in 1 000 with
//! `JITTERSCOPE_LONG_TESTS=1`.

use super::super::*;
use super::{Lateness, run_at};
use crate::report::across::comparison::repeats::paired_differences;
use crate::stats::Outcome;
use crate::stats::tests::simulated::rounds;

/// The target frame time in ns, at 240 FPS.
const PERIOD: i64 = 4_166_667;
/// Number of frames per run.
const FRAMES: usize = 1_200;
/// Standard deviation, in ns, of the level of lateness from run to run. An idle machine varies similarly: its median
/// is 70 µs in one run and 85 µs in another.
const DRIFT: f64 = 5_000.0;
/// Standard deviation, as a share, of the scale of lateness from run to run.
const DRIFT_OF_SCALE: f64 = 0.1;

/// Returns how many comparisons each test simulates.
fn comparisons() -> u64 {
    u64::try_from(rounds(12)).unwrap()
}

/// How the lateness of a run deviates because of drift: a level in ns, which is added, and a scale, which is a
/// factor.
#[derive(Clone, Copy)]
struct Drift {
    level: f64,
    scale: f64,
}

impl Drift {
    fn of(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed ^ 0x6472_6966);
        let mut bell = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        Self { level: 75_000.0 + DRIFT * bell(), scale: (DRIFT_OF_SCALE * bell()).exp() }
    }
}

/// Returns a run on a machine with the given drift. About one frame in 20 is delayed by `delay` ns.
fn run(seed: u64, drift: Drift, delay: i64) -> Run {
    let mut lateness = Lateness::new(seed);
    let mut random = fastrand::Rng::with_seed(seed ^ 0xdead);
    let mut next = || {
        let own = Nanos::new(lateness.next()).as_f64() * drift.scale;
        let delayed = if random.u32(0..20) == 0 { delay } else { 0 };
        Nanos::from_nanos_f64(drift.level + own).get() + delayed
    };
    run_at(PERIOD, seed & 0xffff_ffff, (0..FRAMES).map(|_| next()).collect::<Vec<_>>().into_iter())
}

fn single(seed: u64, delay: i64) -> Run {
    run(seed, Drift::of(seed), delay)
}

/// The number of comparisons of A with B that report any metric as better or worse (`called`), and the number that
/// report a metric as worse and none as better (`worse`).
#[derive(Debug, Default)]
struct Rates {
    called: u64,
    worse: u64,
}

impl Rates {
    fn count(&mut self, judgements: impl Iterator<Item = Outcome>) {
        let all: Vec<Outcome> = judgements.collect();
        let any = |wanted| all.contains(&wanted);
        self.called += u64::from(any(Outcome::Better) || any(Outcome::Worse));
        self.worse += u64::from(any(Outcome::Worse) && !any(Outcome::Better));
    }
}

fn judgements(comparison: &Comparison) -> impl Iterator<Item = Outcome> + '_ {
    let figures = comparison.rows.iter().flat_map(|row| &row.figures);
    figures.filter_map(|figure| Some(figure.deltas.get(1)?.as_ref()?.result))
}

/// Compares pairs of single runs without any other run, so the run-to-run variation is unknown.
fn without_history(delay: i64) -> Rates {
    let mut rates = Rates::default();
    for pair in 0..comparisons() {
        let (a, b) = (single(2 * pair + 1, 0), single(2 * pair + 2, delay));
        rates.count(judgements(&Comparison::of(&[&a, &b], 0)));
    }
    rates
}

/// Compares pairs of single runs, A and B. The run-to-run variation is that of A and `saved − 1` more runs with the
/// same settings.
fn with_history(saved: u64, delay: i64) -> Rates {
    let mut rates = Rates::default();
    let options = Options::default();
    for pair in 0..comparisons() {
        let first = 1_000_000 + pair * 100;
        let (a, b) = (single(first, 0), single(first + 1, delay));
        let mut history: Vec<Run> = (2..=saved).map(|run| single(first + run, 0)).collect();
        history.push(a.clone());
        let reports = [&a, &b].map(|run| Report::of(run, &options));
        let floor = NoiseFloor::of_runs(&history);
        let runs = [(&a, &reports[0]), (&b, &reports[1])];
        rates.count(judgements(&Comparison::of_reports(
            &runs,
            0,
            &Rules { floor: floor.as_ref(), ..Rules::default() },
        )));
    }
    rates
}

/// Compares interleaved runs: both runs of a pair have the same drift.
fn interleaved(pairs: u64, delay: i64) -> Rates {
    let mut rates = Rates::default();
    for comparison in 0..comparisons() {
        let first = 2_000_000 + comparison * 100;
        let runs: Vec<[Run; 2]> = (0..pairs)
            .map(|pair| {
                let drift = Drift::of(first + pair);
                [run(first + 2 * pair, drift, 0), run(first + 2 * pair + 1, drift, delay)]
            })
            .collect();
        let reports: Vec<[Report; 2]> = runs
            .iter()
            .map(|pair| pair.each_ref().map(|run| Report::live(run, &Options::default())))
            .collect();
        let evaluated: Vec<[(&Run, &Report); 2]> = runs
            .iter()
            .zip(&reports)
            .map(|([a, b], [of_a, of_b])| [(a, of_a), (b, of_b)])
            .collect();
        rates.count(paired_differences(&evaluated).into_iter().map(|one| one.delta.result));
    }
    rates
}

/// Asserts that at most 5% of the comparisons report a difference. Below 1 000 comparisons, three standard deviations
/// of chance are added.
#[track_caller]
fn assert_seldom(what: &str, rates: &Rates) {
    let count = comparisons();
    println!("A/A, {what}: {} of {count} called different", rates.called);
    let spread = 3.0 * (0.05 * 0.95 / f64::from(u32::try_from(count).unwrap())).sqrt();
    let most = (0.05 + spread) * f64::from(u32::try_from(count).unwrap());
    let most = if 1_000 <= count { 0.05 * f64::from(u32::try_from(count).unwrap()) } else { most };
    assert!(
        f64::from(u32::try_from(rates.called).unwrap()) <= most,
        "{what}: {rates:?} of {count}"
    );
}

#[track_caller]
fn assert_found(what: &str, rates: &Rates) {
    let count = comparisons();
    println!("200 µs on 5% of the frames, {what}: {} of {count} called worse", rates.worse);
    assert!(9 * count <= 10 * rates.worse, "{what}: {rates:?} of {count}");
}

#[test]
fn equal_runs_without_history_are_seldom_called_different_and_a_delay_is_found() {
    assert_seldom("run-to-run variation unknown", &without_history(0));
    assert_found("run-to-run variation unknown", &without_history(200_000));
}

#[test]
fn equal_runs_with_history_are_seldom_called_different_and_a_delay_is_found() {
    for saved in [3, 5, 10] {
        let what = format!("{saved} saved runs with the same settings");
        assert_seldom(&what, &with_history(saved, 0));
        assert_found(&what, &with_history(saved, 200_000));
    }
}

#[test]
fn equal_interleaved_runs_are_seldom_called_different_and_a_delay_is_found() {
    for pairs in [3, 5] {
        let what = format!("{pairs} interleaved pairs");
        assert_seldom(&what, &interleaved(pairs, 0));
        let rates = interleaved(pairs, 200_000);
        if pairs == 3 {
            // Two degrees of freedom and Holm's correction for all metrics need 15 standard errors.
            println!("200 µs on 5% of the frames, {what}: {} called worse", rates.worse);
            assert!(comparisons() <= 2 * rates.worse, "{what}: {rates:?}");
        } else {
            assert_found(&what, &rates);
        }
    }
}

#[test]
fn a_difference_of_unknown_variation_is_neither_better_nor_worse() {
    let (a, b) = (single(1, 0), single(2, 400_000));
    let reports = [&a, &b].map(|run| Report::of(run, &Options::default()));
    let runs = [(&a, &reports[0]), (&b, &reports[1])];
    let unknown = Comparison::of_reports(&runs, 0, &Rules::default());
    assert_eq!(
        (unknown.outcome(1), unknown.variation),
        (Overall::Of(Outcome::Worse), Variation::Unknown)
    );
    let history: Vec<Run> = (3..8).map(|seed| single(seed, 0)).collect();
    let floor = NoiseFloor::of_runs(&history);
    let known =
        Comparison::of_reports(&runs, 0, &Rules { floor: floor.as_ref(), ..Rules::default() });
    assert_eq!(
        (known.outcome(1), known.variation),
        (Overall::Of(Outcome::Worse), Variation::Repeats(5))
    );
    // A shift of 15 µs is too small to matter, so the outcome is the same, or at most no clear difference.
    let shifted = run(2, Drift { level: 90_000.0, scale: 1.0 }, 0);
    let still = run(1, Drift { level: 75_000.0, scale: 1.0 }, 0);
    let outcome = Comparison::of(&[&still, &shifted], 0).outcome(1);
    assert!(
        matches!(outcome, Overall::Of(Outcome::NoClearDifference | Outcome::Same)),
        "{outcome:?}"
    );
}
