//! Checks to what the time of a frame is counted that ended after the next one was due.

use super::super::super::Origin;
use super::*;

/// Returns the account of a frame that was due at 16 ms, and the source and the time in µs of each delay. The frame before
/// was due at 0, woke at `woke` and was done at `done` µs; `rustc` and then `chrome` ran for some of its time.
fn sources(
    (woke, done): (i64, i64),
    ran: &[(u32, i64, i64)],
    last: Option<&Account>,
) -> (Account, Vec<(Cause, String, i64)>) {
    let before = Sample { woke: Nanos::from_micros(woke), ..previous(done) };
    let late = Sample { began: before.done, slept: None, ..sample(done + 1) };
    let mut records = vec![covered(), switch_in(woke - 10, OWN)];
    for &(thread, from, to) in ran {
        let switches =
            [own(from, TraceEvent::Preempted), switch_in(from, thread), switch_in(to, OWN)];
        records.extend(switches);
    }
    records.push(switch_in(90_000, RUSTC));
    let names = ["rustc", "chrome"].map(str::to_owned);
    let records = Records::new(TraceSource::Kernel, OWN, records, &names);
    let account = records.account(&late, Some(&before), None, last).unwrap();
    assert_eq!(account.total(), late.late(), "segments add up");
    let source = |((cause, name), (_, time)): ((Cause, &str), (_, Nanos))| {
        (cause, name.to_owned(), time.get() / MICRO)
    };
    let sources = account.by_source().into_iter().map(source).collect();
    (account, sources)
}

fn named(cause: Cause, name: &str, micros: i64) -> (Cause, String, i64) {
    (cause, name.to_owned(), micros)
}

fn too_much_work(micros: i64) -> (Cause, String, i64) {
    named(Cause::PreviousFrame, Cause::PreviousFrame.label(), micros)
}

fn rest() -> (Cause, String, i64) {
    named(Cause::NoEvent, Cause::NoEvent.label(), 1)
}

#[test]
fn a_stretched_frame_delays_the_next_one_because_of_what_stretched_it() {
    let (account, found) = sources((0, 19_000), &[(RUSTC, 2_000, 10_000)], None);
    assert_eq!(found, [named(Cause::Thread, "rustc", 3_000), rest()]);
    assert_eq!(account.cause(), Cause::PreviousFrame, "that frame ran");
    assert_eq!(account.segments[0].title(), "Previous frame overran (rustc)");
}

#[test]
fn the_longest_delay_is_counted_first_and_no_longer_than_it_was() {
    let ran = [(CHROME, 1_000, 3_000), (RUSTC, 4_000, 5_000), (CHROME, 6_000, 7_000)];
    let (_, found) = sources((0, 19_500), &ran, None);
    let expected =
        [named(Cause::Thread, "chrome", 3_000), named(Cause::Thread, "rustc", 500), rest()];
    assert_eq!(sorted(found), sorted(expected.to_vec()));
}

fn sorted(mut found: Vec<(Cause, String, i64)>) -> Vec<(Cause, String, i64)> {
    found.sort();
    found
}

#[test]
fn a_delay_after_the_next_frame_was_due_is_not_why_the_frame_before_ended_late() {
    // 12 ms of work until 16 ms, but for 5 ms of chrome: 1 ms of work is left, and then rustc has the CPU for longer.
    let ran = [(CHROME, 1_000, 6_000), (RUSTC, 16_500, 24_500)];
    let (_, found) = sources((0, 25_000), &ran, None);
    let expected =
        [named(Cause::Thread, "chrome", 1_000), named(Cause::Thread, "rustc", 8_000), rest()];
    assert_eq!(sorted(found), sorted(expected.to_vec()));
}

#[test]
fn the_account_before_is_taken_over_with_its_origins() {
    let segment = |start, length, name: Option<&str>| Segment {
        start: Some(Nanos::from_millis(start)),
        length: Nanos::from_millis(length),
        cause: Cause::PreviousFrame,
        culprit: None,
        cpu: Some(1),
        origin: name.map(|_| Origin { cause: Cause::Quota, culprit: None }),
    };
    let mut parts = TraceParts { due: Nanos::from_millis(16), cpu: None, segments: Vec::new() };
    let before = [segment(0, 20, None), segment(20, 10, Some("quota"))];
    parts.take_over(&before, Nanos::ZERO, Nanos::from_millis(30));
    let taken = [segment(0, 4, None), segment(4, 10, Some("quota"))];
    assert_eq!(parts.segments, taken);
}

#[test]
fn work_that_is_longer_than_a_frame_is_too_much() {
    // 18 ms of work, of which 2 ms do not fit, and 1 ms of another program.
    let (_, found) = sources((0, 19_000), &[(RUSTC, 2_000, 3_000)], None);
    assert_eq!(found, [too_much_work(2_000), named(Cause::Thread, "rustc", 1_000), rest()]);
    let (account, found) = sources((0, 19_000), &[], None);
    assert_eq!(found, [too_much_work(3_000), rest()]);
    assert_eq!(account.segments[0].title(), "Previous frame overran");
}

#[test]
fn a_frame_that_started_late_delays_the_next_one_because_of_what_delayed_its_start() {
    let mut started = Account {
        source: Source::Trace(TraceSource::Kernel),
        ..Account::whole(Cause::Quota, Nanos::from_millis(9))
    };
    started.segments[0].start = Some(Nanos::ZERO);
    let (account, found) = sources((9_000, 18_000), &[], Some(&started));
    let expected = [named(Cause::Quota, Cause::Quota.label(), 2_000), rest()];
    assert_eq!(found, expected);
    assert_eq!(account.segments[0].title(), "Previous frame overran (Quota)");
    // Nothing is known of the delay of the start: no claim of too much work.
    let (_, found) = sources((9_000, 18_000), &[], None);
    let unknown = named(Cause::NotObservable, Cause::NotObservable.label(), 2_000);
    assert_eq!(sorted(found), sorted(vec![unknown, rest()]));
}
