//! Late samples whose records may be incomplete: what nothing recorded is then no finding.

use super::super::*;
use super::{OWN, RUSTC, account, delay, own, previous, record, sample, split, switch_in};

/// Returns the row that marks a time, from `from` to `to` µs, with an event whose value is its length.
fn time(from: i64, to: i64, event: TraceEvent) -> TraceRecord {
    let value = Some(Nanos::from_micros(to - from).get());
    TraceRecord { value, ..record(from, event, None, None) }
}

/// The thread sleeps until 1 ms after its due time, 16 ms, and runs for 1 ms before it woke, without any record.
fn asleep_then_running() -> Vec<TraceRecord> {
    use TraceEvent::{Slept, Waking};
    vec![own(2_010, Slept), switch_in(2_011, 0), own(17_000, Waking), switch_in(17_000, OWN)]
}

#[track_caller]
fn check(more: &[TraceRecord], expected: &[(Cause, &str, i64)], is_complete: bool) {
    let mut records = asleep_then_running();
    records.extend_from_slice(more);
    records.sort_by_key(|record| record.at);
    let samples = (previous(1_990), sample(18_000));
    let account = account(TraceSource::Kernel, records, samples, None).unwrap();
    assert_eq!((split(&account), account.is_complete), (expected.to_vec(), is_complete));
}

#[test]
fn without_missing_records_the_timer_and_no_event_are_findings() {
    let expected = [(Cause::TimerLate, "", 1_000), (Cause::NoEvent, "", 1_000)];
    check(&[], &expected, true);
    let elsewhere = TraceRecord { cpu: 0, ..time(10_000, 20_000, TraceEvent::Incomplete) };
    check(&[elsewhere], &expected, true);
    check(&[time(3_000, 15_900, TraceEvent::Incomplete)], &expected, true);
    check(&[time(18_001, 90_000, TraceEvent::Incomplete)], &expected, true);
}

#[test]
fn where_records_may_be_missing_nothing_is_concluded_from_their_absence() {
    let both = [(Cause::NotObservable, "", 2_000)];
    check(&[time(3_000, 90_000, TraceEvent::Incomplete)], &both, false);
    let asleep = [(Cause::NotObservable, "", 1_000), (Cause::NoEvent, "", 1_000)];
    check(&[time(16_100, 16_200, TraceEvent::Incomplete)], &asleep, false);
    let running = [(Cause::TimerLate, "", 1_000), (Cause::NotObservable, "", 1_000)];
    check(&[time(17_500, 17_600, TraceEvent::Incomplete)], &running, false);
}

#[test]
fn a_loss_in_the_middle_hides_what_follows_it_until_the_thread_is_seen_again() {
    let lost =
        |at, count| TraceRecord { value: Some(count), ..record(at, TraceEvent::Lost, None, None) };
    let expected =
        [(Cause::TimerLate, "", 500), (Cause::NotObservable, "", 500), (Cause::NoEvent, "", 1_000)];
    check(&[lost(16_500, 14), lost(16_700, 0)], &expected, false);
}

#[test]
fn a_thread_that_had_the_cpu_is_named_even_where_other_records_may_be_missing() {
    use TraceEvent::{Slept, Waking};
    let records = vec![
        time(3_000, 90_000, TraceEvent::Incomplete),
        own(2_010, Slept),
        switch_in(2_011, RUSTC),
        own(16_000, Waking),
        switch_in(17_990, OWN),
    ];
    let samples = (previous(1_990), sample(18_000));
    let account = account(TraceSource::Kernel, records, samples, Some(delay(1_990))).unwrap();
    assert_eq!(split(&account)[0], (Cause::Thread, "rustc", 1_990));
}

#[test]
fn a_late_sample_whose_records_were_not_saved_has_no_account() {
    let saved = |from, to| time(from, to, TraceEvent::Saved);
    let account_with = |more: &[TraceRecord]| {
        let mut records = asleep_then_running();
        records.extend_from_slice(more);
        records.sort_by_key(|record| record.at);
        account(TraceSource::Kernel, records, (previous(1_990), sample(18_000)), None)
    };
    assert!(account_with(&[saved(1_000, 18_500)]).is_some());
    assert!(account_with(&[saved(1_000, 18_500), saved(30_000, 40_000)]).is_some());
    // Records of other samples are saved before and after this one.
    assert_eq!(account_with(&[saved(0, 2_000), saved(30_000, 40_000)]), None);
}

#[test]
fn earlier_versions_saved_records_up_to_a_limit_only() {
    let mut run =
        crate::report::tests::test_run::run_of(crate::plan::Plan::all().remove(0), |_| {});
    let mut trial = run.trials.remove(0);
    let late = |woke: i64, due: i64| Sample {
        due: Nanos::from_micros(due),
        began: Nanos::from_micros(due - 10_000),
        ..sample(woke)
    };
    trial.samples = [previous(1_990), sample(18_000), late(40_000, 36_000)].into_iter().collect();
    trial.trial.evidence_above = Some(Nanos::from_micros(50));
    let mut records = vec![record(0, TraceEvent::Covered, None, None), switch_in(990, OWN)];
    records.extend(asleep_then_running());
    // A loss after the limit is no record that explains anything.
    records.push(TraceRecord { value: Some(3), ..record(50_000, TraceEvent::Lost, None, None) });
    trial.trace = Some(crate::run::Trace::from_records(Vec::new(), &records));
    let known = [
        (counter::TRACE_SOURCE, TraceSource::Kernel.number()),
        (counter::TRACE_THREAD, OWN.into()),
        (counter::TRACE_OMITTED, 1),
    ];
    trial.counters.extend(known.map(|(name, value)| (name.to_owned(), value)));
    let found = super::super::super::late_samples(&trial, Nanos::from_micros(50));
    let found: Vec<_> = found.iter().map(|one| (one.index, one.account.source)).collect();
    let recorded = Source::Trace(TraceSource::Kernel);
    // Before the first one, no switch of the thread is recorded.
    assert_eq!(found, [(2, Source::Nothing), (1, recorded), (0, Source::Nothing)]);
}

#[test]
fn missing_records_leave_the_account_to_the_counters() {
    let samples = (previous(1_990), sample(18_000));
    let source = TraceSource::OwnSwitches;
    assert_eq!(account(source, Vec::new(), samples, Some(delay(0))), None, "nothing was recorded");
    // The thread sleeps, and no record shows that it runs again.
    let records = vec![own(2_010, TraceEvent::Slept), switch_in(30_000, RUSTC)];
    assert_eq!(account(source, records, samples, Some(delay(0))), None);
    let lost = vec![
        own(2_010, TraceEvent::Slept),
        record(15_000, TraceEvent::Lost, None, None),
        switch_in(17_999, OWN),
    ];
    assert!(!account(source, lost, samples, Some(delay(0))).unwrap().is_complete);
    // Records are lost from 0.995 ms to 90 ms: the whole sample is within this loss.
    let lost =
        |at, count| TraceRecord { value: Some(count), ..record(at, TraceEvent::Lost, None, None) };
    let around =
        vec![lost(995, 14), own(2_010, TraceEvent::Slept), switch_in(17_999, OWN), lost(90_000, 0)];
    assert!(!account(source, around, samples, Some(delay(0))).unwrap().is_complete);
    let after = vec![
        own(2_010, TraceEvent::Slept),
        switch_in(17_999, OWN),
        lost(80_000, 14),
        lost(90_000, 0),
    ];
    assert!(account(source, after, samples, Some(delay(0))).unwrap().is_complete);
}
