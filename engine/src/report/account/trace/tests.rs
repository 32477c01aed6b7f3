//! Checks how the records of generated scheduler traces split the lateness of a sample by cause.

mod incomplete;
mod origin;
mod recorded;
mod simulated;

use super::*;

const OWN: u32 = 7;
const MICRO: i64 = 1_000;
const RUSTC: u32 = 40;
const CHROME: u32 = 41;

/// Returns a record of CPU 1 at `at` µs.
fn record(at: i64, event: TraceEvent, thread: Option<u32>, name: Option<u32>) -> TraceRecord {
    TraceRecord { at: Nanos::from_micros(at), event, cpu: 1, thread, name, value: None }
}

/// Returns the record that marks CPU 1 as a CPU on which every event that could explain a delay is
/// recorded.
fn covered() -> TraceRecord {
    record(0, TraceEvent::Covered, None, None)
}

fn switch_in(at: i64, thread: u32) -> TraceRecord {
    let name = match thread {
        RUSTC => Some(0),
        CHROME => Some(1),
        _ => None,
    };
    record(at, TraceEvent::SwitchIn, Some(thread), name)
}

fn own(at: i64, event: TraceEvent) -> TraceRecord {
    record(at, event, Some(OWN), None)
}

/// Returns a sample that began to wait at 2 ms, was due at 16 ms, and woke at `woke` µs.
fn sample(woke: i64) -> Sample {
    Sample {
        began: Nanos::from_millis(2),
        due: Nanos::from_millis(16),
        slept: Some(Nanos::from_micros(woke)),
        woke: Nanos::from_micros(woke),
        done: Nanos::from_micros(woke + 1_000),
        spins: 0,
        cpu: Some(1),
    }
}

/// Returns the frame before the sample: it woke at 1 ms and was done at `done` µs.
fn previous(done: i64) -> Sample {
    Sample {
        began: Nanos::ZERO,
        due: Nanos::ZERO,
        slept: None,
        woke: Nanos::from_millis(1),
        done: Nanos::from_micros(done),
        spins: 0,
        cpu: Some(1),
    }
}

fn delay(micros: i64) -> Evidence {
    Evidence { run_delay: Some(Nanos::from_micros(micros)), ..Evidence::default() }
}

fn account(
    source: TraceSource,
    mut records: Vec<TraceRecord>,
    (before, sample): (Sample, Sample),
    evidence: Option<Evidence>,
) -> Option<Account> {
    records.insert(0, switch_in(990, OWN));
    if source == TraceSource::Kernel {
        records.insert(0, covered());
    }
    let names = ["rustc", "chrome (Compositor)", "NET_RX", "eth0 (IRQ 9)"].map(str::to_owned);
    let records = Records::new(source, OWN, records, &names);
    let account = records.account(&sample, Some(&before), evidence.as_ref(), None)?;
    assert_eq!(account.total(), sample.late(), "segments add up");
    assert_eq!(account.remainder, Nanos::ZERO);
    Some(account)
}

/// Returns the cause, the culprit, and the length in µs of each segment.
fn split(account: &Account) -> Vec<(Cause, &str, i64)> {
    let part = |segment: &Segment| {
        let name =
            segment.culprit.as_ref().map_or("", |culprit| culprit.name.split(' ').next().unwrap());
        let name = match name {
            "rustc" => "rustc",
            "chrome" => "chrome",
            "NET_RX" => "NET_RX",
            "eth0" => "eth0",
            _ => "",
        };
        (segment.cause, name, segment.length.get() / MICRO)
    };
    account.segments.iter().map(part).collect()
}

#[track_caller]
fn check(
    source: TraceSource,
    records: &[TraceRecord],
    woke: i64,
    evidence: Option<Evidence>,
    expected: &[(Cause, &str, i64)],
) {
    let samples = (previous(1_990), sample(woke));
    let account = account(source, records.to_vec(), samples, evidence).unwrap();
    assert_eq!(split(&account), expected);
    assert_eq!(account.source, Source::Trace(source));
}

#[test]
fn with_a_kernel_trace_each_part_has_its_culprit() {
    use TraceEvent::{InterruptBegin, InterruptEnd, Slept, SoftirqBegin, SoftirqEnd, Waking};
    check(
        TraceSource::Kernel,
        &[
            own(2_010, Slept),
            switch_in(2_011, RUSTC),
            own(16_012, Waking),
            record(17_000, SoftirqBegin, None, Some(2)),
            record(17_085, SoftirqEnd, None, None),
            switch_in(17_301, CHROME),
            record(17_400, InterruptBegin, None, Some(3)),
            record(17_410, InterruptEnd, None, None),
            switch_in(18_000, OWN),
        ],
        18_310,
        None,
        &[
            (Cause::TimerLate, "", 12),
            (Cause::Thread, "rustc", 988),
            (Cause::Interrupt, "NET_RX", 85),
            (Cause::Thread, "rustc", 216),
            (Cause::Thread, "chrome", 99),
            (Cause::Interrupt, "eth0", 10),
            (Cause::Thread, "chrome", 590),
            (Cause::NoEvent, "", 310),
        ],
    );
}

#[test]
fn an_interrupt_that_holds_the_timer_up_is_named() {
    use TraceEvent::{InterruptBegin, InterruptEnd, Slept, Waking};
    check(
        TraceSource::Kernel,
        &[
            own(2_010, Slept),
            switch_in(2_011, 0),
            record(15_900, InterruptBegin, None, Some(3)),
            record(16_500, InterruptEnd, None, None),
            own(16_510, Waking),
            switch_in(16_520, OWN),
        ],
        16_521,
        None,
        &[(Cause::Interrupt, "eth0", 500), (Cause::TimerLate, "", 10), (Cause::NoEvent, "", 11)],
    );
}

/// Returns the record that the thread's timer expired at `at` µs, `late` µs after the time for which it was set.
fn expired(at: i64, late: i64) -> TraceRecord {
    TraceRecord { value: Some(late * MICRO), ..own(at, TraceEvent::TimerExpired) }
}

/// Returns the sum of lateness in µs of each cause before the timer interrupt at 16.998 ms. From 2.1 ms, the CPU is
/// idle in a state with an exit latency of `latency` µs. At 17 ms, the timer of the thread expires, `late` µs after
/// the time for which it was set. `more` are additional records.
fn woken_late(latency: Option<i64>, late: i64, more: &[TraceRecord]) -> Vec<(Cause, i64)> {
    use TraceEvent::{IdleBegin, IdleEnd, InterruptBegin, InterruptEnd, Slept, Waking};
    let value = latency.map(|latency| latency * MICRO);
    let mut records = vec![
        covered(),
        switch_in(990, OWN),
        own(2_010, Slept),
        switch_in(2_010, 0),
        TraceRecord { value, ..record(2_100, IdleBegin, None, None) },
        record(16_998, InterruptBegin, None, Some(2)),
        expired(17_000, late),
        own(17_001, Waking),
        record(17_002, InterruptEnd, None, None),
        record(17_003, IdleEnd, None, None),
        switch_in(17_005, OWN),
    ];
    records.extend_from_slice(more);
    records.sort_by_key(|one| one.at);
    let names = ["rustc", "eth0, IRQ 9", "local timer interrupt"].map(str::to_owned);
    let records = Records::new(TraceSource::Kernel, OWN, records, &names);
    let sample = sample(17_006);
    let account = records.account(&sample, Some(&previous(1_990)), None, None).unwrap();
    assert_eq!(account.total(), sample.late(), "segments add up");
    let mut sums: Vec<(Cause, i64)> = Vec::new();
    // Later segments, the timer interrupt and the switch, are the same in every test.
    let is_before = |one: &&Segment| one.start.is_some_and(|start| start.get() < 998 * MICRO);
    for one in account.segments.iter().filter(is_before) {
        let length = one.length.get() / MICRO;
        match sums.iter_mut().find(|sum| sum.0 == one.cause) {
            Some(sum) => sum.1 += length,
            None => sums.push((one.cause, length)),
        }
    }
    sums
}

#[test]
fn a_timer_that_was_set_for_later_is_told_from_an_interrupt_that_came_late() {
    use TraceEvent::{InterruptBegin, InterruptEnd};
    assert_eq!(woken_late(Some(1), 2, &[]), [(Cause::TimerLate, 998)], "it was set for 16.998 ms");
    assert_eq!(woken_late(Some(1), -40, &[]), [(Cause::TimerLate, 1_000)], "within its slack");
    assert_eq!(woken_late(Some(1), 1_000, &[]), [(Cause::NoEvent, 998)], "nothing came in time");
    let expected = [(Cause::TimerLate, 400), (Cause::NoEvent, 598)];
    assert_eq!(woken_late(Some(1), 600, &[]), expected, "both");
    // A thread that runs on the CPU does not delay a timer interrupt, so this thread is not the cause.
    assert_eq!(woken_late(None, 1_000, &[switch_in(2_050, RUSTC)]), [(Cause::NoEvent, 998)]);
    // The interrupt of a device used the CPU until 16.9 ms.
    let device =
        [record(15_900, InterruptBegin, None, Some(1)), record(16_900, InterruptEnd, None, None)];
    let expected = [(Cause::Interrupt, 900), (Cause::NoEvent, 98)];
    assert_eq!(woken_late(Some(1), 1_000, &device), expected);
    // A timer interrupt came in time, but the kernel did not expire the timer until a later interrupt.
    let timer =
        [record(16_010, InterruptBegin, None, Some(2)), record(16_015, InterruptEnd, None, None)];
    let expected = [(Cause::NoEvent, 10), (Cause::Interrupt, 5), (Cause::TimerLate, 983)];
    assert_eq!(woken_late(Some(1), 1_000, &timer), expected);
    let missing = record(0, TraceEvent::NotRecorded, None, Some(0));
    assert_eq!(woken_late(Some(1), 1_000, &[missing]), [(Cause::NotObservable, 998)]);
}

#[test]
fn a_cpu_that_leaves_a_deep_idle_state_is_not_a_timer() {
    use TraceEvent::{IdleBegin, Slept, Waking};
    assert_eq!(woken_late(Some(1_000), 1_000, &[]), [(Cause::DeepIdle, 998)]);
    // Lateness beyond the exit latency of the idle state has another cause.
    let expected = [(Cause::DeepIdle, 200), (Cause::NoEvent, 798)];
    assert_eq!(woken_late(Some(200), 1_000, &[]), expected);
    assert_eq!(woken_late(Some(19), 1_000, &[]), [(Cause::NoEvent, 998)], "it is not deep");
    let left = record(15_000, TraceEvent::IdleEnd, None, None);
    assert_eq!(woken_late(Some(200), 1_000, &[left]), [(Cause::NoEvent, 998)]);
    // CPU 0 woke the thread, whose own CPU was in a deep idle state.
    let records = [
        own(2_010, Slept),
        switch_in(2_010, 0),
        TraceRecord { value: Some(180 * MICRO), ..record(2_020, IdleBegin, None, None) },
        TraceRecord { cpu: 0, ..own(16_000, Waking) },
        switch_in(16_170, OWN),
    ];
    check(TraceSource::Kernel, &records, 16_170, None, &[(Cause::DeepIdle, "", 170)]);
}

#[test]
fn where_an_idle_cpu_records_nothing_a_late_timer_is_not_claimed() {
    let slept = |is_blind_when_idle: bool, more: &[TraceRecord]| {
        let mut records = vec![covered(), switch_in(990, OWN), own(2_010, TraceEvent::Slept)];
        // The CPU may have become idle after this switch.
        records.push(switch_in(2_010, RUSTC));
        records.extend_from_slice(more);
        records.push(switch_in(17_000, OWN));
        let records = Records::new(TraceSource::Kernel, OWN, records, &["rustc".to_owned()]);
        let records = Records { is_blind_when_idle, ..records };
        records.account(&sample(17_000), Some(&previous(1_990)), Some(&delay(0)), None).unwrap()
    };
    assert_eq!(slept(true, &[]).cause(), Cause::NotObservable);
    assert_eq!(slept(false, &[]).cause(), Cause::TimerLate);
    let recorded = [expired(16_990, 2), own(16_991, TraceEvent::Waking)];
    assert_eq!(slept(true, &recorded).cause(), Cause::TimerLate);
}

#[test]
fn a_preempted_spin_names_who_preempted_it() {
    use TraceEvent::Preempted;
    let samples = (previous(1_990), Sample { slept: None, ..sample(19_000) });
    let records = vec![own(15_000, Preempted), switch_in(15_000, RUSTC), switch_in(18_999, OWN)];
    let account = account(TraceSource::AllSwitches, records, samples, Some(delay(3_999))).unwrap();
    let expected = [(Cause::Thread, "rustc", 2_999), (Cause::NotObservable, "", 1)];
    assert_eq!(split(&account), expected);
    assert_eq!(account.cause(), Cause::Thread);
}

#[test]
fn own_records_tell_waiting_from_the_timer_by_the_run_queue_delay() {
    use TraceEvent::{Preempted, Slept};
    let records = [own(2_010, Slept), switch_in(18_000, OWN)];
    let source = TraceSource::OwnSwitches;
    let rest = (Cause::NotObservable, "", 5);
    let waited = (Cause::WaitedForCpu, "", 1_900);
    check(
        source,
        &records,
        18_005,
        Some(delay(1_900)),
        &[(Cause::TimerLate, "", 100), waited, rest],
    );
    check(source, &records, 18_005, Some(delay(0)), &[(Cause::TimerLate, "", 2_000), rest]);
    let unknown = Some(Evidence::default());
    check(source, &records, 18_005, unknown, &[(Cause::NotObservable, "", 2_005)]);
    // The preemption after the wake-up is recorded. Only the rest of the run-queue delay precedes the wake-up.
    let preempted =
        [own(2_010, Slept), switch_in(16_400, OWN), own(16_500, Preempted), switch_in(18_000, OWN)];
    check(
        source,
        &preempted,
        18_001,
        Some(delay(1_800)),
        &[
            (Cause::TimerLate, "", 100),
            (Cause::WaitedForCpu, "", 300),
            (Cause::NotObservable, "", 100),
            (Cause::WaitedForCpu, "", 1_500),
            (Cause::NotObservable, "", 1),
        ],
    );
}

#[test]
fn a_stopped_thread_does_not_blame_the_timer() {
    use TraceEvent::{Slept, Stopped, Waking};
    // A signal ends the sleep, and the thread stops at once. The thread continues after the due time.
    let own_only =
        [own(2_010, Slept), switch_in(12_000, OWN), own(12_010, Slept), switch_in(20_000, OWN)];
    let expected = [(Cause::Blocked, "", 4_000), (Cause::NotObservable, "", 2)];
    check(TraceSource::OwnSwitches, &own_only, 20_002, Some(delay(0)), &expected);
    let kernel = [
        own(2_010, Slept),
        switch_in(2_010, 0),
        own(12_000, Waking),
        switch_in(12_000, OWN),
        own(12_010, Stopped),
        switch_in(12_010, 0),
        own(19_990, Waking),
        switch_in(20_000, OWN),
    ];
    let expected = [(Cause::Blocked, "", 3_990), (Cause::NoEvent, "", 12)];
    check(TraceSource::Kernel, &kernel, 20_002, None, &expected);
}

#[test]
fn a_previous_frame_is_charged_only_for_its_own_time() {
    use TraceEvent::Preempted;
    let samples = (previous(18_000), Sample { slept: None, ..sample(18_003) });
    let records = vec![own(16_500, Preempted), switch_in(16_500, RUSTC), switch_in(17_500, OWN)];
    let account = account(TraceSource::AllSwitches, records, samples, Some(delay(1_000))).unwrap();
    let expected = [
        (Cause::PreviousFrame, "", 500),
        (Cause::Thread, "rustc", 1_000),
        (Cause::PreviousFrame, "", 500),
        (Cause::NotObservable, "", 3),
    ];
    assert_eq!(split(&account), expected);
    assert_eq!(account.cause(), Cause::PreviousFrame);
}

#[test]
fn page_faults_have_their_time() {
    let fault = TraceRecord { value: Some(1_999 * MICRO), ..own(16_300, TraceEvent::PageFault) };
    check(
        TraceSource::OwnSwitches,
        &[own(2_010, TraceEvent::Slept), switch_in(16_200, OWN), fault],
        18_400,
        Some(delay(0)),
        &[
            (Cause::TimerLate, "", 200),
            (Cause::NotObservable, "", 100),
            (Cause::PageFault, "", 2_000),
            (Cause::NotObservable, "", 100),
        ],
    );
}

#[test]
fn a_loop_that_catches_up_was_delayed_by_what_delayed_the_frame_before() {
    use TraceEvent::{Slept, Waking};
    let records = vec![
        covered(),
        switch_in(990, OWN),
        own(2_010, Slept),
        switch_in(2_011, RUSTC),
        own(16_010, Waking),
        switch_in(40_000, OWN),
    ];
    let records = Records::new(TraceSource::Kernel, OWN, records, &["rustc".to_owned()]);
    let first = sample(40_000);
    let late = records.account(&first, Some(&previous(1_990)), None, None).unwrap();
    assert_eq!(split(&late), [(Cause::TimerLate, "", 10), (Cause::Thread, "rustc", 23_990)]);
    // The next frame is due at 32 ms and begins as soon as the first frame is done at 41 ms.
    let due = Nanos::from_millis(32);
    let next = Sample { began: first.done, due, slept: None, ..sample(41_001) };
    let account = records.account(&next, Some(&first), None, Some(&late)).unwrap();
    let expected = [
        (Cause::Thread, "rustc", 8_000),
        (Cause::PreviousFrame, "", 1_000),
        (Cause::NoEvent, "", 1),
    ];
    assert_eq!(split(&account), expected);
    assert_eq!((account.total(), account.remainder), (next.late(), Nanos::ZERO));
}

#[test]
fn lanes_show_who_had_the_cpu_and_what_the_thread_did() {
    use TraceEvent::{Preempted, Slept, Waking};
    let records = vec![
        own(900, Waking),
        switch_in(990, OWN),
        own(2_010, Slept),
        switch_in(2_010, RUSTC),
        own(16_012, Waking),
        switch_in(17_000, CHROME),
        switch_in(18_000, OWN),
        own(18_500, Preempted),
        switch_in(18_500, RUSTC),
        switch_in(18_900, OWN),
    ];
    let mut trial =
        crate::report::tests::test_run::run_of(crate::plan::Plan::all().remove(0), |_| {});
    let mut trial = trial.trials.remove(0);
    trial.samples = [previous(2_000), sample(18_001)].into_iter().collect();
    let lanes = |source: TraceSource, trial: &mut TrialRun| {
        let known = [(counter::TRACE_SOURCE, source.number()), (counter::TRACE_THREAD, OWN.into())];
        trial.counters.extend(known.map(|(name, value)| (name.to_owned(), value)));
        let names = ["rustc", "chrome"].map(str::to_owned).to_vec();
        trial.trace = Some(crate::run::Trace::from_records(names, &records));
        Occupancy::of(trial).unwrap().lanes(trial, 1).unwrap()
    };
    let micros = |(from, to): (Nanos, Nanos)| (from.get() / MICRO, to.get() / MICRO);
    let who = |occupant: &Occupant| match occupant {
        Occupant::Idle | Occupant::Unknown => "idle".to_owned(),
        Occupant::Own => "own".to_owned(),
        Occupant::Thread(culprit) | Occupant::Interrupt(culprit) => {
            culprit.as_ref().map_or("?".to_owned(), |culprit| culprit.name.clone())
        }
    };
    let shown = |lanes: &Lanes| -> Vec<(String, (i64, i64))> {
        let (cpu, lane) = &lanes.cpus[0];
        assert_eq!((*cpu, lanes.cpus.len()), (1, 1));
        lane.iter().map(|(occupant, stretch)| (who(occupant), micros(*stretch))).collect()
    };
    let all = lanes(TraceSource::Kernel, &mut trial);
    let named = |name: &str, from, to| (name.to_owned(), (from, to));
    let expected = [
        named("rustc", 2_010, 17_000),
        named("chrome", 17_000, 18_000),
        named("own", 18_000, 18_500),
        named("rustc", 18_500, 18_900),
        named("own", 18_900, 19_001),
    ];
    assert_eq!(shown(&all), expected);
    let states: Vec<_> = all.own.iter().map(|(state, at)| (*state, micros(*at))).collect();
    let expected = [
        (State::Running, (1_000, 2_010)),
        (State::Asleep, (2_010, 16_012)),
        (State::Ready, (16_012, 18_000)),
        (State::Running, (18_000, 18_500)),
        (State::Ready, (18_500, 18_900)),
        (State::Running, (18_900, 19_001)),
    ];
    assert_eq!(states, expected);
    // If only the thread itself is recorded, the lanes do not name the threads for which it waited.
    let own = lanes(TraceSource::OwnSwitches, &mut trial);
    let expected = [
        named("own", 1_000, 2_010),
        named("?", 16_012, 18_000),
        named("own", 18_000, 18_500),
        named("?", 18_500, 18_900),
        named("own", 18_900, 19_001),
    ];
    assert_eq!(shown(&own), expected);
    assert_eq!(Occupancy::of(&trial).unwrap().lanes(&trial, 7), None);
}

/// Returns the causes of the lateness of a frame, with their lengths in µs. The frame spins until 16.3 ms, 300 µs
/// after it was due. `more` are records besides those of its thread.
fn spun(more: &[TraceRecord]) -> Vec<(Cause, i64)> {
    let mut records = vec![switch_in(990, OWN), own(1_500, TraceEvent::Waking)];
    records.extend_from_slice(more);
    records.sort_by_key(|one| one.at);
    let records = Records::new(TraceSource::Kernel, OWN, records, &["NMI".to_owned()]);
    let sample = Sample { slept: None, ..sample(16_300) };
    let account = records.account(&sample, Some(&previous(1_990)), None, None).unwrap();
    assert_eq!(account.total(), sample.late());
    let part = |one: &Segment| (one.cause, one.length.get() / MICRO);
    account.segments.iter().map(part).collect()
}

#[test]
fn no_event_is_claimed_only_where_everything_is_recorded() {
    let nothing = [(Cause::NotObservable, 300)];
    assert_eq!(spun(&[covered()]), [(Cause::NoEvent, 300)]);
    assert_eq!(spun(&[]), nothing, "a file of an earlier version does not state it");
    let other = TraceRecord { cpu: 2, ..covered() };
    assert_eq!(spun(&[other]), nothing, "another CPU is covered");
    let missing = record(0, TraceEvent::NotRecorded, None, Some(0));
    assert_eq!(spun(&[covered(), missing]), nothing, "interrupts came that nothing records");
    let lost = |at, count| TraceRecord::lost(Nanos::from_micros(at), 1, count);
    assert_eq!(spun(&[covered(), lost(15_000, 9), lost(16_100, 0)]), nothing, "records were lost");
    let until_then = [covered(), lost(15_000, 9), lost(15_900, 0), switch_in(15_950, OWN)];
    assert_eq!(spun(&until_then), [(Cause::NoEvent, 300)], "it is known again");
}

#[test]
fn an_interrupt_without_an_end_makes_the_rest_not_observable() {
    use TraceEvent::{InterruptBegin, InterruptEnd, Interrupted};
    let work = record(16_200, Interrupted, None, None);
    let expected = [(Cause::NoEvent, 200), (Cause::NotObservable, 100)];
    assert_eq!(spun(&[covered(), work]), expected);
    let nmi =
        [record(16_100, InterruptBegin, None, Some(0)), record(16_250, InterruptEnd, None, None)];
    let expected = [(Cause::NoEvent, 100), (Cause::Interrupt, 150), (Cause::NoEvent, 50)];
    assert_eq!(spun(&[covered(), nmi[0], nmi[1]]), expected);
}

#[test]
fn a_cpu_that_lacks_an_event_lowers_the_tier_of_its_samples() {
    let records = |more: Option<TraceRecord>| {
        let mut records = vec![covered(), switch_in(990, OWN), own(1_500, TraceEvent::Waking)];
        records.splice(0..0, more);
        let records = Records::new(TraceSource::Kernel, OWN, records, &[]);
        let sample = Sample { slept: None, ..sample(16_300) };
        records.account(&sample, Some(&previous(1_990)), None, None).unwrap().source
    };
    assert_eq!(records(None), Source::Trace(TraceSource::Kernel));
    let missing = record(0, TraceEvent::NotRecorded, None, None);
    assert_eq!(records(Some(missing)), Source::Trace(TraceSource::AllSwitches));
}

#[test]
fn a_thread_that_leaves_an_idle_cpu_while_ready_is_throttled() {
    use TraceEvent::{Preempted, Slept, Waking};
    for source in [TraceSource::AllSwitches, TraceSource::Kernel] {
        check(
            source,
            &[own(15_000, Preempted), switch_in(15_000, 0), switch_in(18_000, OWN)],
            18_000,
            None,
            &[(Cause::Blocked, "", 2_000)],
        );
    }
    // Where the kernel counted throttled time, it was the quota.
    let records = vec![
        switch_in(990, OWN),
        own(15_000, Preempted),
        switch_in(15_000, 0),
        switch_in(18_000, OWN),
    ];
    let mut records = Records::new(TraceSource::AllSwitches, OWN, records, &[]);
    records.is_throttled = true;
    let account = records.account(&sample(18_000), Some(&previous(1_990)), None, None).unwrap();
    assert_eq!(split(&account), [(Cause::Quota, "", 2_000)]);
    // A woken thread does not run although its CPU is idle: no quota explains this, only an event that is not
    // recorded.
    check(
        TraceSource::Kernel,
        &[own(2_010, Slept), switch_in(2_010, 0), own(16_000, Waking), switch_in(18_000, OWN)],
        18_000,
        None,
        &[(Cause::NoEvent, "", 2_000)],
    );
}

#[test]
fn a_wake_up_of_a_running_thread_is_no_state() {
    use TraceEvent::{Slept, Stopped, Waking};
    let records = vec![
        switch_in(990, OWN),
        own(2_010, Slept),
        own(12_000, Waking),
        switch_in(12_001, OWN),
        own(12_010, Stopped),
        own(36_000, Waking),
        switch_in(36_010, OWN),
        own(36_030, Waking),
        switch_in(90_000, RUSTC),
    ];
    let records = Records::new(TraceSource::AllSwitches, OWN, records, &["rustc".to_owned()]);
    let first = Sample { done: Nanos::from_micros(36_050), ..sample(36_040) };
    let late = records.account(&first, Some(&previous(1_990)), None, None).unwrap();
    let due = Nanos::from_millis(32);
    let next = Sample { began: first.done, due, slept: None, ..sample(36_060) };
    let account = records.account(&next, Some(&first), None, Some(&late)).unwrap();
    assert_eq!((account.cause(), account.source), (Cause::Blocked, late.source));
}
