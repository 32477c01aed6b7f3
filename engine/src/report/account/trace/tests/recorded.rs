//! A late frame that was recorded on a virtual machine: other threads used the CPU, and the measuring thread slept
//! at real-time priority.

use super::super::*;

const OWN: u32 = 7;
const NAMES: [&str; 4] =
    ["rustc", "local timer interrupt", "reschedule interrupt", "jitterscope (journal)"];

/// A record of CPU 1: time in nanoseconds from the scheduled start, event, thread, position of the
/// name in `NAMES`, and value.
type Row = (i64, TraceEvent, Option<u32>, Option<u32>, Option<i64>);

/// The records of the late frame: the CPU ran other threads without a gap, but the host delivered the
/// timer interrupt late.
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

/// Returns the main cause of the frame, and its segments with lengths in microseconds.
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
    // Files of earlier versions have no record of the timer: they only show that the sleep ended
    // late.
    let is_timer = |row: &Row| row.1 == TraceEvent::TimerExpired;
    let earlier: Vec<Row> = LATE_INTERRUPT.into_iter().filter(|row| !is_timer(row)).collect();
    assert_eq!(account(&earlier).0, Cause::TimerLate);
}
