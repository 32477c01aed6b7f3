//! Tests which trace records are saved around late samples, and which are dropped.

use super::*;
use crate::plan::{CpuFacts, FrameLoop, Plan};
use crate::platform::{Missing, TraceState};
use crate::sample::TRACE_LEAD;

const OWN: u32 = 7;

fn record(at: i64, event: TraceEvent, cpu: u32, thread: u32) -> TraceRecord {
    let at = Nanos::from_micros(at);
    TraceRecord { at, event, cpu, thread: Some(thread), name: None, value: None }
}

fn trial() -> Trial {
    let plan = Plan::FrameLoop(FrameLoop::default());
    let mut stages = plan.probe().stages(&CpuFacts::default());
    stages.swap_remove(0).trials.swap_remove(0)
}

/// Creates a stage with one trial, whose previous sample woke at 1 ms.
fn stage() -> StageTrace {
    let mut stage = StageTrace::default();
    let slot = ThreadSlot::default();
    slot.thread.store(u64::from(OWN), Ordering::Release);
    slot.start.store(1, Ordering::Release);
    stage.add(0, &trial(), slot);
    let woke = Nanos::from_millis(1);
    let before =
        Sample { began: woke, due: woke, slept: None, woke, done: woke, spins: 0, cpu: Some(1) };
    stage.trials[0].before = Some(before);
    stage
}

#[test]
fn a_stall_of_seconds_keeps_who_had_the_cpu_when_the_sample_was_due() {
    use TraceEvent::{Slept, SwitchIn};
    let mut stage = stage();
    let switches = (0..60).map(|at| record(20_000 + at * 100_000, SwitchIn, 1, 50));
    let early = [
        record(2_000, Slept, 1, OWN),
        record(2_000, SwitchIn, 1, 40),
        record(15_000, SwitchIn, 1, 41),
    ];
    // During the stall, old records are dropped after each new one.
    for one in early.into_iter().chain(switches) {
        stage.recent.add([one]);
        stage.forget();
    }
    stage.recent.add([record(6_000_000, SwitchIn, 1, OWN)]);
    let [due, woke] = [16_000, 6_000_001].map(Nanos::from_micros);
    let late = Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: Some(1) };
    let mut records = Vec::new();
    let before = stage.trials[0].before;
    stage.recent.take(Window::of(before.as_ref(), &late, Nanos::ZERO, OWN), &mut records);
    let had_it = records
        .iter()
        .filter(|one| one.event == SwitchIn && one.at <= due)
        .max_by_key(|one| one.at);
    assert_eq!(had_it.and_then(|one| one.thread), Some(41));
    assert!(records.iter().any(|one| one.event == Slept), "its own state is there too");
    // After the stall, only records near the last wake-up and later are still needed.
    stage.trials[0].before = Some(late);
    stage.forget();
    assert!(stage.recent.newest().is_some());
    assert_eq!(stage.trials[0].needed_from(&stage.recent), Some(woke + Nanos::new(1) - TRACE_LEAD));
}

#[test]
fn a_gap_that_lasts_needs_what_was_recorded_since_it_began() {
    let mut stage = stage();
    stage.trials[0].is_sampled = false;
    stage.recent.add([record(5_000, TraceEvent::SwitchIn, 1, OWN)]);
    assert_eq!(stage.trials[0].needed_from(&stage.recent), None, "it runs");
    stage.recent.add([record(9_000, TraceEvent::Preempted, 1, OWN)]);
    let from = stage.trials[0].needed_from(&stage.recent);
    assert_eq!(from, Some(Nanos::from_millis(9) - TRACE_LEAD));
}

#[test]
fn each_trial_has_every_loss_after_its_start_once() {
    let mut stage = StageTrace::default();
    for at in 0..2 {
        stage.add(at, &trial(), ThreadSlot::default());
    }
    let loss = |at| record(at, TraceEvent::Lost, 1, 0);
    let mut losses = vec![loss(1), loss(2)];
    let [first, second] = stage.trials.as_mut_slice() else { panic!("two trials") };
    first.slot.start.store(900, Ordering::Release);
    second.cpus = vec![2];
    assert_eq!(first.new_losses(&losses), losses);
    assert_eq!(second.new_losses(&losses), [], "it has not started");
    second.slot.start.store(2_500, Ordering::Release);
    losses.extend([loss(3), TraceRecord { cpu: 2, ..loss(4) }]);
    assert_eq!(first.new_losses(&losses), &losses[2..]);
    assert_eq!(first.new_losses(&losses), []);
    assert_eq!(second.new_losses(&losses), &losses[3..], "it does not run on the other CPU");
}

#[test]
fn each_trial_has_what_is_recorded_on_its_cpus() {
    let mut stage = stage();
    let one = &mut stage.trials[0];
    one.cpus = vec![1, 2, 3];
    let missing = |event: &str, errno, cpus: &[u32]| Missing {
        event: event.to_owned(),
        errno,
        cpus: cpus.to_vec(),
    };
    let state = TraceState {
        covered: vec![0, 1],
        missing: vec![missing("irq/softirq", Some(24), &[2, 3, 4]), missing("x", Some(1), &[4])],
        ..TraceState::default()
    };
    let rows = one.coverage(&state).unwrap();
    assert_eq!(rows.names(), ["irq/softirq"]);
    let found: Vec<_> =
        rows.records().iter().map(|row| (row.event, row.cpu, row.name, row.value)).collect();
    let not = |cpu| (TraceEvent::NotRecorded, cpu, Some(0), Some(24));
    assert_eq!(found, [(TraceEvent::Covered, 1, None, None), not(2), not(3)]);
    let later = one.missing(&[missing("HVS interrupts", None, &[1])], Vec::new()).unwrap();
    assert_eq!(later.names(), ["HVS interrupts"], "names continue");
    assert_eq!(later.records()[0].name, Some(1));
}

#[test]
fn times_with_missing_records_are_saved_around_saved_samples_only() {
    let mut stage = stage();
    let one = &mut stage.trials[0];
    one.cpus = vec![1];
    let at = Nanos::from_millis;
    let late = |due: i64| Sample {
        began: at(due - 10),
        due: at(due),
        slept: None,
        woke: at(due + 2),
        done: at(due + 3),
        spins: 0,
        cpu: Some(1),
    };
    let mut saved = Vec::new();
    for due in [100, 500] {
        let window = Window::of(None, &late(due), Nanos::ZERO, OWN);
        saved.push(one.save(&window));
    }
    let marks: Vec<_> = saved.iter().map(|row| (row.event, row.at, row.value)).collect();
    let mark = |from: i64, to: i64| (TraceEvent::Saved, at(from), Some(at(to - from).get()));
    assert_eq!(marks, [mark(90, 103), mark(490, 503)]);
    let missing = |cpu, from: i64, to: i64| TraceRecord {
        value: Some(at(to - from).get()),
        ..TraceRecord::new(at(from), TraceEvent::Incomplete, cpu)
    };
    let mut times = vec![missing(1, 10, 89), missing(0, 80, 120), missing(1, 103, 110)];
    assert_eq!(one.new_missing_times(&times), times[2..]);
    times.extend([missing(1, 120, 489), missing(1, 200, 600), missing(1, 504, 900)]);
    assert_eq!(one.new_missing_times(&times), times[4..5]);
    assert_eq!(one.new_missing_times(&times), []);
}

#[test]
fn each_trial_has_the_totals_of_its_cpus() {
    let mut stage = stage();
    let one = &mut stage.trials[0];
    one.cpus = vec![1];
    let total = |cpu, event, value| TraceRecord {
        name: Some(3),
        value: Some(value),
        ..TraceRecord::new(Nanos::from_secs(9), event, cpu)
    };
    let all = [
        total(0, TraceEvent::Counted, 9),
        total(1, TraceEvent::Counted, 217),
        total(1, TraceEvent::Received, 2),
    ];
    let rows = one.totals(&all, |record| Some(format!("kind {}", record.name?))).unwrap();
    assert_eq!(rows.names(), ["kind 3"]);
    let found: Vec<_> = rows.records().iter().map(|row| (row.event, row.at, row.value)).collect();
    let zero = Nanos::ZERO;
    let expected = [(TraceEvent::Counted, zero, Some(217)), (TraceEvent::Received, zero, Some(2))];
    assert_eq!(found, expected);
    assert_eq!(one.totals(&all[..1], |_| None), None);
}
