//! Verdicts on made runs that named programs disturbed.

use super::super::evaluation_of;
use super::*;
use crate::plan::{FrameLoop, Plan};
use crate::platform::TraceSource;
use crate::report::tests::test_run::run_of;
use crate::run::{Trace, counter};
use crate::sample::{TraceEvent, TraceRecord};
use crate::stats::Grade;

const OWN: u32 = 7;
const HOG: u32 = 40;

fn disturbed_run(by_timer: impl Fn(i64) -> bool) -> Run {
    disturbed_each(20, by_timer)
}

/// Returns a frame loop of 3 000 frames. A program named `hog` has the CPU for 12 ms from the start of every `each`th
/// frame, and each frame at a position in `by_timer` is as late without any other thread on the CPU.
fn disturbed_each(each: i64, by_timer: impl Fn(i64) -> bool) -> Run {
    let long = Nanos::from_millis(12);
    run_of(Plan::FrameLoop(FrameLoop::default()), |trial| {
        let period = trial.trial.pace.period();
        let record = |at, event, thread: u32| TraceRecord {
            at,
            event,
            cpu: 1,
            thread: Some(thread),
            name: (thread == HOG).then_some(0),
            value: None,
        };
        let covered = TraceRecord { thread: None, ..record(Nanos::ZERO, TraceEvent::Covered, OWN) };
        let mut records = vec![covered, record(Nanos::ZERO, TraceEvent::SwitchIn, OWN)];
        let samples = (1..=3_000).map(|number| {
            let due = period * number;
            let began = due - Nanos::from_millis(2);
            let is_hog = number % each == 0;
            if is_hog {
                records.extend([
                    record(began, TraceEvent::Slept, OWN),
                    record(began, TraceEvent::SwitchIn, HOG),
                    record(due, TraceEvent::Waking, OWN),
                    record(due + long, TraceEvent::SwitchIn, OWN),
                ]);
            }
            let late = if is_hog || by_timer(number) { long } else { Nanos::from_micros(20) };
            let woke = due + late;
            Sample { began, due, slept: None, woke, done: woke, spins: 0, cpu: Some(1) }
        });
        trial.samples = samples.collect();
        trial.trace = Some(Trace::from_records(vec!["hog".to_owned()], &records));
        for (name, value) in [
            (counter::TRACE_SOURCE, TraceSource::Kernel.number()),
            (counter::TRACE_THREAD, OWN.into()),
            (counter::FOREIGN_CPU_NANOS, 900_000_000),
            (counter::FOREIGN_WINDOW_NANOS, 1_000_000_000),
        ] {
            trial.counters.insert(name.to_owned(), value);
        }
    })
}

#[test]
fn program_without_which_the_grade_is_better_is_the_verdict() {
    let report = Report::of(&disturbed_run(|_| false), &Options::default());
    let verdict = &report.verdict;
    assert_eq!(
        verdict.grade.map(GradeRange::worst),
        Some(Grade::Poor),
        "{verdict:?} {:?}",
        report.delays
    );
    assert!(verdict.standing.disturbance().is_some(), "it still counts as disturbed");
    let sentence = report.sentence();
    assert!(
        sentence.starts_with("Poor while hog runs: it delayed 150 of 150 late frames, up to 12.00")
            && sentence.ends_with("Without it: Excellent."),
        "{sentence}"
    );
    assert_eq!(verdict.finding.advice, "Close hog or raise the priority.");
}

#[test]
fn program_that_delayed_nearly_all_is_the_verdict_without_a_grade_without_it() {
    let report = Report::of(&disturbed_each(1, |_| false), &Options::default());
    let sentence = report.sentence();
    assert!(
        sentence.starts_with(
            "Poor while hog runs: it delayed 3\u{202f}000 of 3\u{202f}000 late frames, up to 12.00"
        ) && sentence.ends_with("Without it: not enough frames."),
        "{sentence}"
    );
    // It delayed less than half: what else was wrong is not known.
    let report = Report::of(&disturbed_each(3, |number| number % 3 != 0), &Options::default());
    assert!(
        matches!(report.verdict.standing, Standing::Inconclusive { .. }),
        "{:?}",
        report.verdict
    );
}

#[test]
fn program_is_not_blamed_for_what_stays_without_it() {
    let report = Report::of(&disturbed_run(|number| number % 20 == 10), &Options::default());
    assert!(
        matches!(report.verdict.standing, Standing::Inconclusive { .. }),
        "{:?}",
        report.verdict
    );
}

#[test]
fn only_grades_of_lateness_are_given_without_a_program() {
    let plans = Plan::all();
    let graded = plans.iter().filter(|plan| evaluation_of(plan).grades_samples());
    let keys: Vec<&str> = graded.map(Plan::key).collect();
    assert_eq!(keys, ["frame-loop", "sleep-accuracy", "scheduling-gaps"]);
}

#[test]
fn removed_frame_leaves_no_missed_frame() {
    let run = disturbed_run(|_| false);
    let trial = &run.trials[0];
    let removed = HashSet::from([1, 2, 5, 2_999]);
    let rest = remove(trial, &removed);
    let period = trial.trial.pace.period();
    let due: Vec<Nanos> = rest.iter().map(|sample| sample.due).collect();
    let first = due[0];
    assert_eq!(due.len(), 2_996);
    assert!((0..).zip(&due).all(|(slot, due)| *due == first + period * slot));
    let lateness = |samples: &Samples| samples.iter().map(|it| it.late()).collect::<Vec<_>>();
    let all = lateness(&trial.samples);
    assert_eq!(lateness(&rest)[..3], [all[0], all[3], all[4]]);
}
