//! Tests of the quick check in the window.

use jitterscope_engine::report::Disturbance;
use jitterscope_engine::run::{Health, Run};
use jitterscope_engine::sample::Sample;

use super::*;
use crate::facts::read_facts;
use crate::session::task::TaskHost;

/// Returns a run of the sleep part that has too little data for a grade.
fn undecided_run() -> Arc<LoadedRun> {
    let file = include_bytes!("../../../../../assets/examples/quick-sleep.jitterscope.json");
    let mut run: Run = jitterscope_engine::format::read(file).unwrap();
    run.health = Health::default();
    for trial in &mut run.trials {
        let sleep = |sample: Sample| {
            let woke = sample.due + Nanos::from_micros(60);
            Sample { woke, done: woke, ..sample }
        };
        trial.samples = trial.samples.iter().take(200).map(sleep).collect();
    }
    let shown = LoadedRun::of(run, None);
    assert!(continuation(&shown.run, &shown.report).is_some(), "{:?}", shown.report.verdict);
    Arc::new(shown)
}

fn sleep_check() -> ActiveCheck {
    let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
    let mut check = ActiveCheck::new(&[Part::Sleep], Nanos::ZERO, &cpus, Host::Here);
    assert_eq!(check.advance(), Some(Part::Sleep));
    check
}

#[test]
fn skipped_continuation_ends_the_part_with_its_earlier_run() {
    let mut running = Running::new(&TaskHost::new(|| {}));
    let first = undecided_run();
    let mut check = sleep_check();
    check.set(PartState::Running);
    check.continued = Some((Arc::clone(&first), Nanos::from_secs(1)));
    check.is_skipping = true;
    running.quick.check = Some(check);
    let mut run = Run::clone(&first.run);
    running.quick.sign(&mut run);
    let skipped = run.group.unwrap().skipped;
    assert_eq!(skipped.len(), Part::ALL.len() - 1, "the part itself was measured: {skipped:?}");
    let facts = Some(Arc::new(read_facts()));
    running.end_part(&first, &Context { facts, ..Context::default() });
    assert!(running.quick.check().is_none() && !running.is_running(), "it started again");
    assert!(running.quick.result().unwrap().shown(Part::Sleep).is_some());
}

#[test]
fn part_is_repeated_only_once_even_if_the_wait_for_quiet_is_ended() {
    let mut running = Running::new(&TaskHost::new(|| {}));
    running.quick.check = Some(sleep_check());
    assert_eq!(running.name(), "Quick check");
    let mut repeats = || {
        let disturbance = Some(Disturbance::OtherPrograms(1.5));
        let check = running.quick.check.as_mut().unwrap();
        let repeats = check.quiet.must_repeat(Part::Sleep, disturbance);
        running.measure_now();
        repeats
    };
    assert_eq!([repeats(), repeats()], [true, false]);
}
