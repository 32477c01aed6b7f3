//! Tests of the course of a quick check, without measuring.

use super::*;
use crate::report::{Options, Standing};
use crate::run::Health;
use crate::sample::Sample;
use crate::stats::Grade;

type Measured = Arc<(Run, Report)>;
type Check = CheckSequence<(Run, Report)>;

/// Returns the run of the sleep part of an example.
fn example() -> Run {
    let file = include_bytes!("../../../../assets/examples/quick-sleep.jitterscope.json");
    Run { health: Health::default(), ..crate::format::read(file).unwrap() }
}

/// Returns a run that has enough data for a grade, without disturbance.
fn graded() -> (Run, Report) {
    let run = example();
    let mut report = Report::of(&run, &Options::default());
    report.verdict.standing = Standing::Clear;
    report.verdict.grade = Some(Grade::Good.into());
    (run, report)
}

/// Returns a run of the sleep part that other programs disturbed.
fn disturbed() -> Measured {
    let (run, mut report) = graded();
    report.verdict.standing = Standing::Noted(Disturbance::OtherPrograms(1.5));
    Arc::new((run, report))
}

/// Returns a run of the sleep part that has too little data for a grade: a sleep in fifty is late by more than a grade
/// allows.
fn undecided_run() -> Measured {
    let mut run = example();
    for trial in &mut run.trials {
        let sleep = |(index, sample): (usize, Sample)| {
            let late =
                if index % 50 == 49 { Nanos::from_millis(8) } else { Nanos::from_micros(60) };
            let woke = sample.due + late;
            Sample { woke, done: woke, ..sample }
        };
        trial.samples = trial.samples.iter().take(200).enumerate().map(sleep).collect();
    }
    let report = Report::of(&run, &Options::default());
    assert!(continuation(&run, &report).is_some(), "{:?}", report.verdict);
    Arc::new((run, report))
}

fn cpus() -> CpuFacts {
    CpuFacts { usable: vec![0, 1], ..CpuFacts::default() }
}

fn check_of(selected: &[Part]) -> Check {
    Check::new(selected, Nanos::from_secs(1), &cpus(), CheckSettings::default())
}

/// Reports quiet to a check that waits, and returns the plan and the labels to measure.
#[track_caller]
fn measure(check: &mut Check, step: &CheckStep) -> (Plan, Labels) {
    assert!(matches!(step, CheckStep::Look(_)) && check.is_waiting_for_quiet(), "{step:?}");
    match check.take_other_load(OtherPrograms::default()) {
        CheckStep::Measure(plan, labels) => (*plan, labels),
        step => panic!("{step:?}"),
    }
}

fn measured(check: &Check, part: Part) -> Option<Measured> {
    check.results().into_iter().find(|(one, _)| *one == part)?.1
}

#[test]
fn parts_run_in_order_and_each_once() {
    let mut check = check_of(&Part::ALL);
    let mut step = check.start();
    for (part, index) in Part::IN_ORDER.into_iter().zip(0..) {
        let (plan, labels) = measure(&mut check, &step);
        assert_eq!((check.current(), check.current_index()), (part, index));
        assert_eq!(Part::of(&plan), Some(part));
        assert_eq!(labels.group.unwrap().skipped, [""; 0]);
        step = check.take_run(&Arc::new(graded()));
    }
    assert!(matches!(step, CheckStep::End), "{step:?}");
    assert!(check.results().iter().all(|(_, measured)| measured.is_some()));
    assert_eq!(check.progress(Nanos::ZERO), (1.0, Nanos::ZERO));
}

#[test]
fn part_waits_while_other_programs_are_busy_and_time_is_left() {
    let mut check = check_of(&[Part::Sleep]);
    check.start();
    let busy = || OtherPrograms { share: Some(0.9), ..OtherPrograms::default() };
    for _ in 0..2 {
        assert!(matches!(check.take_other_load(busy()), CheckStep::Look(None)));
    }
    assert!(matches!(check.take_other_load(busy()), CheckStep::Measure(..)), "after the limit");

    let mut check = check_of(&[Part::Sleep]);
    check.start();
    check.take_other_load(busy());
    check.measure_now();
    assert!(matches!(check.take_other_load(busy()), CheckStep::Measure(..)), "by request");
}

#[test]
fn disturbed_part_is_measured_again_once() {
    let mut check = check_of(&[Part::Sleep]);
    let step = check.start();
    measure(&mut check, &step);
    let step = check.take_run(&disturbed());
    assert!(matches!(step, CheckStep::Look(Some(Disturbance::OtherPrograms(_)))), "{step:?}");
    check.measure_now();
    measure(&mut check, &step);
    assert!(matches!(check.take_run(&disturbed()), CheckStep::End));
    assert!(measured(&check, Part::Sleep).is_some());
}

#[test]
fn part_with_too_little_data_is_measured_longer_once() {
    let mut check = check_of(&[Part::Sleep]);
    let step = check.start();
    measure(&mut check, &step);
    let first = undecided_run();
    let CheckStep::Measure(plan, _) = check.take_run(&first) else { panic!("not continued") };
    assert_eq!(check.planned_now(), plan.duration(&cpus()));
    assert!(Arc::ptr_eq(&check.continued.as_ref().unwrap().0, &first));
    let mut second = Run::clone(&first.0);
    let count = second.sample_count();
    check.complete(&mut second);
    assert_eq!(second.sample_count(), 2 * count, "both runs are one");
    assert!(matches!(check.take_run(&undecided_run()), CheckStep::End));
    assert!(!Arc::ptr_eq(&measured(&check, Part::Sleep).unwrap(), &first));
}

#[test]
fn part_is_not_measured_longer_than_the_time_of_the_check() {
    let mut check = check_of(&[Part::Sleep]);
    check.spare = Nanos::ZERO;
    let step = check.start();
    measure(&mut check, &step);
    assert!(matches!(check.take_run(&undecided_run()), CheckStep::End));
    assert!(measured(&check, Part::Sleep).is_some());
}

#[test]
fn skipped_part_has_no_run_and_later_runs_record_it() {
    let mut check = check_of(&[Part::Sleep, Part::Spin]);
    let step = check.start();
    measure(&mut check, &step);
    let skipped = check.current();
    assert!(check.skip().is_none() && check.is_ending());
    let step = check.take_run(&Arc::new(graded()));
    let (_, labels) = measure(&mut check, &step);
    assert!(labels.group.unwrap().has_skipped(skipped.key()));
    assert!(measured(&check, skipped).is_none());
    assert!(matches!(check.take_no_run(), CheckStep::End), "a part that cannot be measured");
    assert!(check.results().iter().all(|(_, measured)| measured.is_none()));

    let mut check = check_of(&[Part::Sleep]);
    check.start();
    assert!(matches!(check.skip(), Some(CheckStep::End)), "while it waits");
}

#[test]
fn skipped_continuation_ends_the_part_with_its_earlier_run() {
    let mut check = check_of(&[Part::Sleep]);
    let step = check.start();
    measure(&mut check, &step);
    let first = undecided_run();
    assert!(matches!(check.take_run(&first), CheckStep::Measure(..)));
    assert!(check.skip().is_none());
    let mut run = Run::clone(&first.0);
    check.complete(&mut run);
    let skipped = run.group.unwrap().skipped;
    assert_eq!(skipped.len(), Part::ALL.len() - 1, "the part itself was measured: {skipped:?}");
    assert!(matches!(check.take_run(&undecided_run()), CheckStep::End));
    assert!(Arc::ptr_eq(&measured(&check, Part::Sleep).unwrap(), &first));
}

#[test]
fn stopped_check_begins_no_part_and_keeps_only_graded_runs() {
    let (cut_off, is_graded) = (undecided_run(), Arc::new(graded()));
    for (run, is_kept) in [(cut_off, false), (is_graded, true)] {
        let mut check = check_of(&Part::ALL);
        let step = check.start();
        measure(&mut check, &step);
        let part = check.current();
        check.is_stopped = true;
        assert!(matches!(check.take_run(&run), CheckStep::End));
        let kept = check.results().into_iter().filter(|(_, measured)| measured.is_some());
        assert_eq!(kept.map(|(part, _)| part).collect::<Vec<_>>(), vec![part; is_kept.into()]);
    }
    let mut check = check_of(&Part::ALL);
    check.start();
    check.is_stopped = true;
    assert!(matches!(check.take_other_load(OtherPrograms::default()), CheckStep::End));
}

#[test]
fn resumed_check_measures_only_what_is_undecided() {
    let mut first = Run::clone(&undecided_run().0);
    first.group = Some(CheckGroup::default().group(Part::Sleep));
    let id = first.group.clone().unwrap().id;
    let report = Report::of(&first, &Options::default());
    let first = Arc::new((first, report));
    let spin = Arc::new(graded());
    let parts = [(Part::Sleep, Some(Arc::clone(&first))), (Part::Spin, Some(Arc::clone(&spin)))];
    let resumed = |parts: &[_]| Check::resumed(parts, &cpus(), CheckSettings::default());
    let mut check = resumed(&parts).unwrap();
    let step = check.start();
    let (_, labels) = measure(&mut check, &step);
    assert_eq!(labels.group.unwrap().id, id);
    assert_eq!((check.current(), check.continued.is_some()), (Part::Sleep, true));
    assert!(matches!(check.take_no_run(), CheckStep::End));
    assert!(Arc::ptr_eq(&measured(&check, Part::Sleep).unwrap(), &first));
    assert!(Arc::ptr_eq(&measured(&check, Part::Spin).unwrap(), &spin));
    assert!(resumed(&parts[1..]).is_none(), "everything is decided");
}

#[test]
fn scaled_down_check_neither_waits_nor_measures_more() {
    let settings = CheckSettings { scale: 0.1, ..CheckSettings::default() };
    let mut check = Check::new(&[Part::Sleep, Part::Spin], Nanos::ZERO, &cpus(), settings);
    assert!(matches!(check.start(), CheckStep::Measure(..)));
    assert!(matches!(check.take_run(&disturbed()), CheckStep::Measure(..)));
    assert!(matches!(check.take_run(&undecided_run()), CheckStep::End));
}
