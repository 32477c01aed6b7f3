//! A late frame as it was recorded: a virtual machine with a busy CPU, and a thread that sleeps at real-time priority.

use super::*;

const OWN: u32 = 7;
const NAMES: [&str; 4] =
    ["rustc", "local timer interrupt", "reschedule interrupt", "jitterscope (journal)"];

/// When, what, which thread, which name, and the value: nanoseconds from the scheduled start, on CPU 1.
type Row = (i64, TraceEvent, Option<u32>, Option<u32>, Option<i64>);

/// The CPU went on, and the interrupt of the timer came when the host sent it.
const LATE_INTERRUPT: [Row; 16] = {
    use TraceEvent::{
        InterruptBegin, InterruptEnd, Preempted, Slept, SwitchIn, TimerExpired, Waking,
    };
    [
        (-16_633_407, SwitchIn, Some(OWN), None, None),
        (-16_597_445, Slept, Some(OWN), None, None),
        (-7_531_547, SwitchIn, Some(41), Some(0), Some(125)),
        (-3_857_064, InterruptBegin, None, Some(1), None),
        (-3_492_887, InterruptEnd, None, None, None),
        (-996_638, InterruptBegin, None, Some(1), None),
        (-659_553, InterruptEnd, None, None, None),
        (296_672, Preempted, Some(41), None, None),
        (296_672, SwitchIn, Some(42), Some(3), Some(125)),
        (1_221_021, InterruptBegin, None, Some(2), None),
        (1_222_375, InterruptEnd, None, None, None),
        (1_531_345, InterruptBegin, None, Some(1), None),
        (1_537_488, TimerExpired, Some(OWN), None, Some(1_537_488)),
        (1_538_091, Waking, Some(OWN), None, None),
        (1_863_250, InterruptEnd, None, None, None),
        (1_883_350, SwitchIn, Some(OWN), None, None),
    ]
};

/// The account of the frame in microseconds, and its cause.
fn account(rows: &[Row]) -> (Cause, Vec<(Cause, i64)>) {
    let covered = (-20_000_000, TraceEvent::Covered, None, None, None);
    let record = |&(at, event, thread, name, value): &Row| {
        let at = Nanos::new(at);
        TraceRecord { at, event, cpu: 1, thread, name, value }
    };
    let records = std::iter::once(&covered).chain(rows).map(record).collect();
    let records = Records::new(TraceSource::Kernel, OWN, records, &NAMES.map(str::to_owned));
    let sample = Sample {
        began: Nanos::new(-16_602_468),
        due: Nanos::ZERO,
        slept: Some(Nanos::new(1_890_173)),
        woke: Nanos::new(1_890_173),
        done: Nanos::new(1_908_540),
        spins: 0,
        cpu: Some(1),
    };
    let before = Sample {
        began: Nanos::new(-33_185_659),
        due: Nanos::new(-16_666_667),
        slept: Some(Nanos::new(-16_625_239)),
        woke: Nanos::new(-16_625_239),
        done: Nanos::new(-16_622_411),
        ..sample
    };
    let account = records.account(&sample, Some(&before), None, None).unwrap();
    assert_eq!(account.total(), sample.late());
    let part = |one: &Segment| (one.cause, one.length.get() / 1_000);
    (account.cause(), account.segments.iter().map(part).collect())
}

#[test]
fn an_interrupt_that_the_host_sent_late_is_no_late_timer() {
    let expected = vec![
        (Cause::NoEvent, 1_221),
        (Cause::Interrupt, 1),
        (Cause::NoEvent, 308),
        (Cause::Interrupt, 331),
        (Cause::Thread, 20),
        (Cause::NoEvent, 6),
    ];
    assert_eq!(account(&LATE_INTERRUPT), (Cause::NoEvent, expected));
    // Without the record of the timer, as in files of earlier versions, all that is known is that it slept.
    let is_timer = |row: &Row| row.1 == TraceEvent::TimerExpired;
    let earlier: Vec<Row> = LATE_INTERRUPT.into_iter().filter(|row| !is_timer(row)).collect();
    assert_eq!(account(&earlier).0, Cause::TimerLate);
}
