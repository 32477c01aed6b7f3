//! Equal runs are seldom reported as different, and a delay is nearly always found. Runs that cannot be compared are
//! reported as such.

mod captures;
mod simulated;
mod variation;

use super::*;
use crate::machine::ClockFacts;
use crate::plan::{FrameLoop, Load, Plan, SchedulingGaps, Wait, Work};
use crate::report::glossary::empty_run;
use crate::run::{RunId, counter};
use crate::sample::{Sample, Samples};
use crate::stats::Outcome;

const PERIOD: i64 = 16_666_667;

/// Generates lateness as on a real machine: a level that drifts, a skewed distribution in which neighboring values
/// depend on each other, and occasional bursts of late frames.
pub(super) struct Lateness {
    random: fastrand::Rng,
    level: f64,
    noise: f64,
    burst: u32,
}

impl Lateness {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), level: 0.0, noise: 0.0, burst: 0 }
    }

    /// Returns a random number with an approximate normal distribution: mean 0, standard deviation 1.
    fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.random.f64()).sum::<f64>() - 6.0
    }

    pub(super) fn next(&mut self) -> i64 {
        self.level = 0.98 * self.level + 0.02 * self.bell();
        self.noise = 0.6 * self.noise + 0.4 * self.bell();
        let body = 8_000.0 * (self.level + self.noise).exp();
        if self.burst == 0 && self.random.u32(0..150) == 0 {
            self.burst = self.random.u32(1..6);
        }
        if 0 < self.burst {
            self.burst -= 1;
            return Nanos::from_nanos_f64(body + 40_000.0 * (1.2 * self.bell()).exp()).get();
        }
        Nanos::from_nanos_f64(body).get()
    }
}

fn plan(frames: i64) -> FrameLoop {
    FrameLoop {
        time_each: Nanos::new(PERIOD * frames),
        load: Load::NONE,
        wait: Wait::OsSleep,
        work: Work::Nothing,
        ..FrameLoop::default()
    }
}

pub(super) fn run_of(id: u64, late: impl Iterator<Item = i64>) -> Run {
    run_at(PERIOD, id, late)
}

/// Returns a run with a frame every `period` ns; `late` is the lateness of each frame in ns.
fn run_at(period: i64, id: u64, late: impl Iterator<Item = i64>) -> Run {
    let samples: Samples = late
        .zip(1..)
        .map(|(late, k)| {
            let due = Nanos::new(k * period);
            let woke = due + Nanos::new(late);
            Sample {
                began: due - Nanos::from_millis(14),
                due,
                slept: Some(woke),
                woke,
                done: woke + Nanos::from_millis(2),
                spins: 0,
                cpu: Some(0),
            }
        })
        .collect();
    let fps = 1e9 / Nanos::new(period).as_f64();
    let plan = FrameLoop { fps, ..plan(i64::try_from(samples.len()).unwrap()) };
    let mut run = empty_run(Plan::FrameLoop(plan).into());
    run.trials.truncate(1);
    run.trials[0].complete = true;
    run.trials[0].samples = samples;
    Run {
        id: RunId::parse(&format!("{id:08x}")).unwrap(),
        clock: ClockFacts { resolution: Nanos::new(20), ..ClockFacts::default() },
        ..run
    }
}

/// Returns a run with generated lateness, in which about `percent` % of the frames are delayed by `delay` ns.
fn run(id: u64, frames: usize, delay: i64, percent: u32) -> Run {
    let mut lateness = Lateness::new(id);
    let mut random = fastrand::Rng::with_seed(id ^ 0xdead);
    run_of(
        id,
        (0..frames)
            .map(move |_| lateness.next() + if random.u32(0..100) < percent { delay } else { 0 }),
    )
}

fn outcome(a: &Run, b: &Run) -> Overall {
    Comparison::of(&[a, b], 0).outcome(1)
}

#[test]
fn equal_runs_are_called_unlike_at_most_4_times_in_40() {
    for (frames, first) in [(600, 1), (1_800, 1_001), (10_000, 2_001)] {
        let called = (0..40)
            .filter(|pair| {
                let (a, b) =
                    (run(first + 2 * pair, frames, 0, 0), run(first + 2 * pair + 1, frames, 0, 0));
                outcome(&a, &b) == Overall::Of(Outcome::Worse)
            })
            .count();
        assert!(called <= 4, "{called} of 40 with {frames} frames");
    }
}

#[test]
fn a_delay_of_200_micros_in_5_of_100_frames_is_found_9_times_in_10() {
    for (frames, first) in [(600, 1), (1_800, 1_001)] {
        let found = (0..10)
            .filter(|pair| {
                let a = run(first + 2 * pair, frames, 0, 0);
                let b = run(first + 2 * pair + 1, frames, 200_000, 5);
                outcome(&a, &b) == Overall::Of(Outcome::Worse)
            })
            .count();
        assert!(9 <= found, "{found} of 10 with {frames} frames");
    }
}

#[test]
fn intervals_hold_the_change_that_was_made_as_often_as_they_say() {
    // Every frame of `b` is delayed by 30 µs, which increases every percentile and the mean by 30 µs.
    let mut held = 0;
    let mut all = 0;
    for pair in 0..40 {
        let (a, b) = (run(2 * pair + 1, 1_800, 0, 0), run(2 * pair + 2, 1_800, 30_000, 100));
        let comparison = Comparison::of(&[&a, &b], 0);
        for figure in &comparison.rows[0].figures {
            if matches!(figure.metric, Metric::P50 | Metric::P95 | Metric::P99 | Metric::MEAN) {
                let (low, high) = figure.deltas[1].unwrap().effect.interval.unwrap();
                held += u32::from(low <= 30_000.0 && 30_000.0 <= high);
                all += 1;
            }
        }
    }
    assert!(all * 85 < held * 100, "{held} of {all}");
}

#[test]
fn the_same_run_is_the_same_and_the_same_runs_give_the_same_comparison() {
    let (a, b) = (run(1, 1_800, 0, 0), run(2, 1_800, 0, 0));
    // How much the next run would differ is not known, so that no two runs are shown to be the same.
    assert_eq!(outcome(&a, &a), Overall::Of(Outcome::NoClearDifference));
    let comparison = Comparison::of(&[&a, &b], 0);
    assert_eq!(Comparison::of(&[&a, &b], 0), comparison);
    let figure =
        |metric| comparison.rows[0].figures.iter().find(|figure| figure.metric == metric).unwrap();
    assert_eq!(figure(Metric::MAX).deltas[1].unwrap().result, Outcome::NotEvaluated);
    let missed = figure(Metric::MISSED).deltas[1].unwrap();
    assert_eq!(missed.result, Outcome::NoClearDifference);
    // Only two of 1 800 frames are above p99.9.
    let rare = figure(Metric::P99_9).deltas[1].unwrap();
    assert_eq!(rare.result, Outcome::NotEnoughData);
    assert_eq!(rare.reason, Some(Reason::TooFewSamples(3_200)));
    assert_eq!(figure(Metric::P99).deltas[0], None, "the baseline is not held against itself");
    let report = Report::of(&b, &Options::default());
    let exact = report.rows[0].summary.as_ref().unwrap().lateness.p99.unwrap().as_f64();
    assert_eq!(figure(Metric::P99).values[1], Some(exact), "the figures are the report's");
}

#[test]
fn four_runs_are_held_against_any_baseline() {
    let runs: Vec<Run> =
        (1..=4).map(|id| run(id, 1_800, if id == 3 { 200_000 } else { 0 }, 5)).collect();
    let runs: Vec<&Run> = runs.iter().collect();
    let comparison = Comparison::of(&runs, 0);
    assert_eq!(comparison.outcome(2), Overall::Of(Outcome::Worse));
    let swapped = Comparison::of(&runs, 2);
    assert_eq!(swapped.rows[0].outcomes[2], None);
    for other in [0, 1, 3] {
        assert_eq!(swapped.outcome(other), Overall::Of(Outcome::Better), "{other}");
        let figures = &swapped.rows[0].figures;
        let p99 = figures.iter().find(|one| one.metric == Metric::P99).unwrap();
        assert_eq!(p99.deltas[other].unwrap().result, Outcome::Better, "{other}");
    }
}

#[test]
fn single_runs_have_no_result_where_other_programs_were_busy() {
    let (a, b) = (run(1, 1_800, 0, 0), run(2, 1_800, 200_000, 50));
    assert_eq!(outcome(&a, &b), Overall::Of(Outcome::Worse));
    for pair in [[busy(a.clone()), b.clone()], [a.clone(), busy(b.clone())]] {
        let comparison = Comparison::of(&[&pair[0], &pair[1]], 0);
        assert_eq!(comparison.outcome(1), Overall::Of(Outcome::NotEnoughData));
        for figure in &comparison.rows[0].figures {
            let delta = figure.deltas[1].unwrap();
            let expected = if figure.metric == Metric::MAX {
                (Outcome::NotEvaluated, Some(Reason::Maximum))
            } else {
                (Outcome::NotEnoughData, Some(Reason::Disturbed))
            };
            assert_eq!((delta.result, delta.reason), expected, "{:?}", figure.metric);
            assert_eq!(delta.effect.interval, None, "{:?}", figure.metric);
        }
        let (position, _) = comparison.disturbed[0];
        let letter = words::letter(position);
        assert!(
            words::sentence(&comparison)
                .starts_with(&format!("No result, as {letter} was disturbed."))
        );
    }
    // Groups show how much disturbed runs vary.
    let group = |ids: std::ops::Range<u64>, delay| -> Vec<Run> {
        ids.map(|id| busy(run(id, 1_800, delay, 50))).collect()
    };
    let groups = [group(1..5, 0), group(5..9, 200_000)];
    let of = |group: &[Run]| group.iter().map(|run| Report::of(run, &Options::default())).collect();
    let reports: [Vec<Report>; 2] = [of(&groups[0]), of(&groups[1])];
    let sides: Vec<Vec<(&Run, &Report)>> = groups
        .iter()
        .zip(&reports)
        .map(|(runs, reports)| runs.iter().zip(reports).collect())
        .collect();
    let comparison = Comparison::of_groups(&[&sides[0], &sides[1]], &Rules::default());
    assert_eq!(comparison.outcome(1), Overall::Of(Outcome::Worse));
}

#[test]
fn disturbed_groups_have_a_result_only_where_they_were_interleaved() {
    let outcome = |hours: fn(i64) -> i64, busy_count: usize| {
        let runs: Vec<Run> = (0..10_u32)
            .map(|number| {
                let (id, is_b) = (u64::from(number) + 1, 5 <= number);
                let mut one = run(id, 1_800, if is_b { 200_000 } else { 0 }, 50);
                let hour = 1_000 + hours(i64::from(number));
                one.started_at = jiff::Timestamp::from_second(hour * 3_600).unwrap();
                let is_busy = usize::try_from(number % 5).unwrap() < busy_count;
                if is_busy { busy(one) } else { one }
            })
            .collect();
        let reports: Vec<Report> =
            runs.iter().map(|run| Report::of(run, &Options::default())).collect();
        let all: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
        let (a, b) = all.split_at(5);
        let comparison = Comparison::of_groups(&[a, b], &Rules::default());
        (comparison.outcome(1), words::sentence(&comparison))
    };
    let one_after_the_other: fn(i64) -> i64 = |number| number;
    let interleaved: fn(i64) -> i64 = |number| number % 5 * 2 + number / 5;
    let worse = Overall::Of(Outcome::Worse);
    for (hours, busy_count, expected) in [
        (one_after_the_other, 0, worse),
        (one_after_the_other, 2, worse),
        (one_after_the_other, 3, Overall::Of(Outcome::NotEnoughData)),
        (one_after_the_other, 5, Overall::Of(Outcome::NotEnoughData)),
        (interleaved, 0, worse),
        (interleaved, 5, worse),
    ] {
        let (found, sentence) = outcome(hours, busy_count);
        assert_eq!(found, expected, "{busy_count}: {sentence}");
        let is_named = sentence.contains("measured one after the other");
        assert_eq!(is_named, expected != worse, "{busy_count}: {sentence}");
    }
}

/// Returns the run as one during which other programs used more than a CPU.
fn busy(mut run: Run) -> Run {
    let counters = [
        (counter::FOREIGN_CPU_NANOS, 1_550_000_000),
        (counter::FOREIGN_WINDOW_NANOS, 1_000_000_000),
    ];
    run.trials[0].counters.extend(counters.map(|(name, value)| (name.to_owned(), value)));
    run
}

#[test]
fn what_cannot_be_compared_shows_so() {
    let (a, mut b) = (run(1, 600, 0, 0), run(2, 600, 200_000, 50));
    b.method_version = 2;
    let comparison = Comparison::of(&[&a, &b], 0);
    assert_eq!(comparison.obstacle, Some(Incompatibility::Methods));
    assert_eq!(comparison.outcome(1), Overall::NotComparable);
    let evaluated = comparison.rows[0].figures.iter().filter_map(|figure| figure.deltas[1]);
    assert!(evaluated.clone().count() > 0, "the numbers are shown");
    assert!(evaluated.into_iter().all(|delta| delta.result == Outcome::NotEvaluated));

    let mut c = run(3, 600, 0, 0);
    c.subject = Plan::FrameLoop(FrameLoop { fps: 144.0, ..plan(600) }).into();
    c.trials[0].trial =
        c.plan().unwrap().probe().stages(&crate::plan::CpuFacts::default())[0].trials[0].clone();
    let comparison = Comparison::of(&[&a, &c], 0);
    assert!(matches!(comparison.rows[0].obstacle, Some(Incompatibility::Periods(_))));
    assert_eq!(comparison.outcome(1), Overall::NotComparable);
    assert!(comparison.differing().any(|condition| condition.values[1].starts_with("144")));
}

#[test]
fn settings_that_differ_come_first_then_conditions_in_the_order_of_their_effect() {
    let (mut a, mut b) = (run(1, 600, 0, 0), run(2, 900, 0, 0));
    a.machine.kernel = Some("6.8.0".to_owned());
    b.machine.kernel = Some("6.18.0".to_owned());
    a.machine.power.governor_or_plan = Some("powersave".to_owned());
    b.machine.power.governor_or_plan = Some("performance".to_owned());
    b.app_version = "0.2.0".to_owned();
    let comparison = Comparison::of(&[&a, &b], 0);
    let names: Vec<&str> =
        comparison.differing().map(|condition| condition.name.as_str()).collect();
    assert_eq!(names, ["Time per configuration", "Kernel", "Governor", "App version"]);
    assert!(
        comparison.conditions.iter().skip(names.len()).all(|same| same.weight == Relevance::Same)
    );
    assert!(matches!(comparison.notes.as_slice(), [Note::Lengths(_)]), "{:?}", comparison.notes);
    for run in [&mut a, &mut b] {
        run.machine.os = Some("Windows 11".to_owned());
    }
    let comparison = Comparison::of(&[&a, &b], 0);
    assert!(comparison.differing().any(|condition| condition.name == "Power plan"));
}

#[test]
fn gap_runs_of_different_length_show_so() {
    let run = |secs| {
        crate::report::tests::test_run::run_of(
            Plan::SchedulingGaps(SchedulingGaps::default()),
            |trial| {
                let wall = Nanos::from_secs(secs).get();
                trial.counters.insert(crate::run::counter::WALL_NANOS.to_owned(), wall);
            },
        )
    };
    let is_noted = |a: &Run, b: &Run| {
        let notes = Comparison::of(&[a, b], 0).notes;
        notes.iter().any(|note| matches!(note, Note::Lengths(_)))
    };
    assert!(is_noted(&run(10), &run(600)));
    assert!(!is_noted(&run(60), &run(60)));
}

#[test]
fn rows_are_matched_by_label_or_alone_by_being_the_only_ones() {
    let (a, mut b) = (run(1, 600, 0, 0), run(2, 600, 0, 0));
    b.trials[0].trial.label = "Highest".to_owned();
    let comparison = Comparison::of(&[&a, &b], 0);
    assert_eq!(comparison.rows.len(), 1);
    assert!(matches!(comparison.notes.as_slice(), [Note::LabelMismatch(_)]));
    let mut second = b.trials[0].clone();
    second.trial.label = a.trials[0].trial.label.clone();
    b.trials.push(second);
    let comparison = Comparison::of(&[&a, &b], 0);
    assert_eq!(comparison.rows[0].positions.len(), 2);
    let alone = Note::Unmatched { label: "Highest".to_owned(), runs: vec![1] };
    assert_eq!(comparison.notes, [alone]);
}

#[test]
fn short_and_empty_runs_do_not_fail() {
    for (frames, other) in [(0, 0), (1, 600), (49, 49), (0, 600)] {
        let (a, b) = (run(1, frames, 0, 0), run(2, other, 0, 0));
        let comparison = Comparison::of(&[&a, &b], 7);
        assert_eq!(comparison.baseline, 0);
        let outcome = comparison.outcome(1);
        assert!(
            matches!(outcome, Overall::Of(Outcome::NotEnoughData) | Overall::NotComparable),
            "{frames} {other}: {outcome:?}"
        );
    }
    assert!(Comparison::of(&[], 0).rows.is_empty());
}
