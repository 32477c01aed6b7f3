//! The recommendation of a frame loop, and cases in which the data is not enough for a recommendation.

mod matrix;

use super::super::model::table::Cell;
use super::super::tests::test_run::run_of;
use super::super::{Headline, Options, Standing};
use super::*;
use crate::plan::{Load, OnMiss, Pace, Plan, Wait, Work, conditions};
use crate::platform::RequestOutcome;
use crate::sample::{Sample, Samples};
use crate::stats::Grade;

const PERIOD: Nanos = Nanos::from_millis(10);

/// Returns a random lateness between 0 and `limit` for 600 frames. Groups of `neighbors` consecutive frames are
/// equally late, so that frames depend on each other.
fn lateness(seed: u64, limit: Nanos, neighbors: usize) -> Vec<Nanos> {
    let mut random = fastrand::Rng::with_seed(seed);
    let values = std::iter::repeat_with(move || Nanos::new(random.i64(0..limit.get())));
    values.flat_map(|late| std::iter::repeat_n(late, neighbors)).take(600).collect()
}

/// Returns frames with this lateness.
fn frames(late: &[Nanos]) -> Samples {
    let frame = |(late, k): (&Nanos, i64)| {
        let due = Nanos::new(k * PERIOD.get());
        let woke = due + *late;
        Sample { began: due, due, slept: Some(woke), woke, done: woke, spins: 0, cpu: None }
    };
    late.iter().zip(1..).map(frame).collect()
}

/// Returns a run and its report. Each row is a configuration: its priority, and the lateness of its frames.
fn report(rows: &[(Priority, Vec<Nanos>)]) -> (Run, Report) {
    let cell = |(priority, _): &(Priority, Vec<Nanos>)| conditions::Cell {
        priority: *priority,
        cpu: CpuChoice::Any,
    };
    let plan = FrameLoop {
        fps: 100.0,
        time_each: Nanos::from_secs(6),
        cells: rows.iter().map(cell).collect(),
        load: Load::NONE,
        wait: Wait::OsSleep,
        work: Work::Nothing,
        ..FrameLoop::default()
    };
    let run = run_of(Plan::FrameLoop(plan), |trial| {
        let is_it = |row: &&(Priority, Vec<Nanos>)| row.0 == trial.trial.conditions.priority;
        trial.samples = frames(&rows.iter().find(is_it).unwrap().1);
    });
    let report = Report::of(&run, &Options::default());
    (run, report)
}

fn priority(row: Option<&Configuration>) -> Option<Priority> {
    row.map(|row| row.conditions.priority)
}

#[test]
fn a_row_without_an_interval_gives_another_no_grade() {
    let (run, report) = report(&[
        (Priority::Normal, lateness(1, Nanos::from_millis(4), 1)),
        (Priority::TimeCritical, lateness(2, Nanos::from_micros(30), 10)),
    ]);
    let [normal, critical] = report.rows.as_slice() else { panic!("{:?}", report.rows) };
    assert_eq!(normal.grade(), Some(Grade::Poor.into()));
    let few = critical.p99_bounds.unwrap().unwrap_err();
    assert!(600 < few.needed, "{few:?}");
    assert_eq!(priority(report.best()), Some(Priority::TimeCritical), "the lowest p99");
    assert!(!report.tables[0].rows[0].is_key && report.tables[0].rows[1].is_key);
    assert_eq!((report.verdict.grade, report.verdict.standing), (None, Standing::Clear));
    assert_eq!(report.word(), "Not enough data");
    assert_eq!(Headline::of_report(&run, &report).word, "Not enough data");
    assert!(report.verdict.is_open(), "more frames decide");
    assert_eq!(report.sentence(), "Too few frames to compare the configurations.");
    let needed = format!("needs about {} frames", format_count(round_up(few.needed)));
    assert!(report.evidence().contains(&needed), "{}", report.evidence());
    let reason = format!("{needed}, as frames depend on each other");
    assert_eq!(report.tables[0].cell(1, "p99_ci_nanos"), Some(&Cell::Absent(reason.into())));
}

#[test]
fn the_lower_end_of_an_interval_decides_where_it_is_above_another_one() {
    let (_, report) = report(&[
        (Priority::Normal, lateness(1, Nanos::from_millis(4), 10)),
        (Priority::TimeCritical, lateness(2, Nanos::from_micros(30), 1)),
    ]);
    let [normal, critical] = report.rows.as_slice() else { panic!("{:?}", report.rows) };
    assert_eq!(normal.p99_interval(), None);
    assert!(normal.has_clearly_higher_p99(critical) && !critical.has_clearly_higher_p99(normal));
    assert_eq!(report.sentence(), "Use Time-critical priority.");
    assert!(report.evidence().contains("compared with"), "{}", report.evidence());
    assert_eq!(report.verdict.grade, Some(Grade::Excellent.into()));
}

#[test]
fn late_frames_are_counted_among_the_frames_that_ran() {
    let (mut run, _) = report(&[(Priority::Normal, vec![Nanos::from_millis(1); 600])]);
    let all = run.trials[0].samples.iter().enumerate();
    run.trials[0].samples = all.filter(|(k, _)| k % 10 != 5).map(|(_, sample)| sample).collect();
    let report = Report::of(&run, &Options::default());
    assert_eq!(report.rows[0].summary.as_ref().unwrap().slot_count, 600);
    assert!(report.sentence().starts_with("540 of 540 frames"), "{}", report.sentence());
}

#[test]
fn too_few_frames_for_any_interval_are_no_sign_of_dependence() {
    let late = lateness(1, Nanos::from_micros(30), 1);
    let (_, report) = report(&[(Priority::Normal, late[..200].to_vec())]);
    let needed = report.rows[0].p99_bounds.unwrap().unwrap_err().needed;
    let reason = format!("needs about {} frames", round_up(needed));
    assert!((368..600).contains(&needed), "{needed}");
    let found = report.tables[0].cell(0, "p99_ci_nanos");
    assert_eq!(found, Some(&Cell::Absent(reason.into())));
}

#[test]
fn a_recommendation_names_priorities_and_the_worth_of_pinning() {
    use Priority::{Highest, TimeCritical};
    for (priorities, pin, pinning, expected) in [
        (
            vec![Highest, TimeCritical],
            None,
            PinEffect::NoBenefit,
            "Use Highest or Time-critical priority. Pinning has no benefit on this PC.",
        ),
        (
            vec![Highest],
            Some(CpuChoice::Cpu(2)),
            PinEffect::Unclear,
            "Use Highest priority, pinned to CPU 2.",
        ),
        (
            vec![Highest],
            None,
            PinEffect::Unclear,
            "Use Highest priority. Pinning makes no clear difference.",
        ),
        (vec![Highest], None, PinEffect::NotStated, "Use Highest priority."),
    ] {
        assert_eq!(recommendation(&priorities, pin, pinning), expected);
    }
}

#[test]
fn a_recommendation_speaks_only_of_what_was_compared() {
    use Priority::{Highest, Normal};
    let late = || lateness(1, Nanos::from_micros(30), 1);
    let (mut run, compared) = report(&[(Normal, late()), (Highest, late())]);
    assert_eq!(compared.sentence(), "Priority makes no clear difference on this PC.");
    let of = |run: &Run| Report::of(run, &Options::default());
    run.trials[1].load = Load::PER_CPU;
    run.trials[1].trial.conditions.priority = Normal;
    let sentence = of(&run).sentence();
    assert_eq!(sentence, "The background load makes no clear difference on this PC.");
    let slow = lateness(2, Nanos::from_millis(4), 1);
    run.trials[1].samples = frames(&slow);
    assert_eq!(of(&run).sentence(), "Normal has the lowest p99 lateness.");
    let mut tied = run.clone();
    let mut third = tied.trials[0].clone();
    third.trial.label = "Highest, idle".to_owned();
    third.trial.conditions.priority = Highest;
    tied.trials.push(third);
    let sentence = of(&tied).sentence();
    assert_eq!(sentence, "No configuration has clearly lower p99 lateness than Normal.");
    // What was denied was not compared.
    run.trials[1].applied.as_mut().unwrap().priority = RequestOutcome::Refused;
    assert!(of(&run).sentence().starts_with("99% of frames"), "{}", of(&run).sentence());
}

#[test]
fn pinning_is_recommended_where_only_a_higher_priority_does_without() {
    use CpuChoice::{Any, Cpu};
    use Priority::{Highest, Normal};
    let fast = || lateness(1, Nanos::from_micros(30), 1);
    let slow = lateness(2, Nanos::from_millis(4), 1);
    let (mut run, _) = report(&[(Normal, slow), (Highest, fast())]);
    let pinned = run.trials.clone().into_iter().map(|mut trial| {
        trial.trial.conditions.cpu = Cpu(1);
        trial.trial.label.push_str(", CPU 1");
        trial.samples = frames(&fast());
        trial
    });
    run.trials.extend(pinned.collect::<Vec<_>>());
    let report = Report::of(&run, &Options::default());
    assert_eq!(report.rows.iter().filter(|row| row.conditions.cpu == Any).count(), 2);
    assert_eq!(report.sentence(), "Use Normal or Highest priority, pinned to CPU 1.");
}

#[test]
fn nothing_is_called_unclear_or_recommended_that_is_clearly_worse() {
    use Priority::{AboveNormal, Normal};
    let fast = || lateness(1, Nanos::from_micros(30), 1);
    let slow = lateness(2, Nanos::from_millis(4), 1);
    let (mut run, _) = report(&[(Normal, fast()), (AboveNormal, slow.clone())]);
    let of = |run: &Run| Report::of(run, &Options::default()).sentence();
    let pin = &mut run.trials[1].trial;
    (pin.conditions.priority, pin.conditions.cpu) = (Normal, CpuChoice::Cpu(1));
    assert_eq!(of(&run), "Use Normal priority.", "pinned, it is clearly later");

    // Both are as late, but one misses a frame.
    let (mut run, _) =
        report(&[(Normal, fast()), (AboveNormal, fast()), (Priority::Highest, slow)]);
    assert_eq!(of(&run), "Use Normal or Above normal priority.");
    let mut missing = fast();
    missing[300] = Nanos::from_millis(12);
    run.trials[0].samples = frames(&missing);
    assert_eq!(of(&run), "Use Above normal priority.");
}

#[test]
fn a_re_based_row_has_no_grade() {
    let (mut run, fixed) = report(&[(Priority::Normal, lateness(1, Nanos::from_micros(30), 1))]);
    assert!(fixed.rows[0].grading.is_some());
    let Pace::Grid { on_miss, .. } = &mut run.trials[0].trial.pace else { panic!("no grid") };
    *on_miss = OnMiss::Rebase;
    assert!(Report::of(&run, &Options::default()).rows[0].grading.is_none());
}
