//! Tests of the quick check in the window.

use jitterscope_engine::plan::CpuFacts;
use jitterscope_engine::run::Health;
use jitterscope_engine::sample::Sample;

use super::*;
use crate::facts::read_facts;
use crate::session::task::TaskHost;

/// Returns a run of the sleep part that has too little data for a grade: a sleep in fifty is late by more than a grade
/// allows.
fn undecided_run() -> Arc<LoadedRun> {
    let file = include_bytes!("../../../../../assets/examples/quick-sleep.jitterscope.json");
    let mut run: Run = jitterscope_engine::format::read(file).unwrap();
    run.health = Health::default();
    for trial in &mut run.trials {
        let sleep = |(index, sample): (usize, Sample)| {
            let late = if index % 50 == 49 { 8_000 } else { 60 };
            let woke = sample.due + Nanos::from_micros(late);
            Sample { woke, done: woke, ..sample }
        };
        trial.samples = trial.samples.iter().take(200).enumerate().map(sleep).collect();
    }
    let shown = LoadedRun::of(run, None);
    assert!(continuation(&shown.run, &shown.report).is_some(), "{:?}", shown.report.verdict);
    Arc::new(shown)
}

#[test]
fn skipped_continuation_ends_the_check_with_its_earlier_run() {
    let mut running = Running::new(&TaskHost::new(|| {}));
    let first = undecided_run();
    let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
    let settings = CheckSettings::default();
    let mut sequence = CheckSequence::new(&[Part::Sleep], Nanos::ZERO, &cpus, settings);
    sequence.start();
    sequence.take_other_load(OtherPrograms::default());
    assert!(matches!(sequence.take_run(&first), CheckStep::Measure(..)));
    assert!(sequence.skip().is_none());
    running.quick.check = Some(ActiveCheck::new(sequence, Host::Here));
    assert_eq!(running.name(), "Quick check");
    let mut run = Run::clone(&first.run);
    running.quick.sign(&mut run);
    let skipped = run.group.unwrap().skipped;
    assert_eq!(skipped.len(), Part::ALL.len() - 1, "the part itself was measured: {skipped:?}");
    let facts = Some(Arc::new(read_facts()));
    running.end_part(&first, &Context { facts, ..Context::default() });
    assert!(running.quick.check.is_none() && !running.is_running(), "it started again");
    assert!(running.quick.result.as_ref().unwrap().shown(Part::Sleep).is_some());
}
