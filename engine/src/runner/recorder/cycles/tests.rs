//! Cycles of made threads, with values computed by hand, and properties of random ones.

use proptest::prelude::*;

use super::*;

const THREAD: u32 = 7;

const fn us(micros: i64) -> Nanos {
    Nanos::from_micros(micros)
}

fn record(micros: i64, event: TraceEvent) -> TraceRecord {
    TraceRecord { thread: Some(THREAD), ..TraceRecord::new(us(micros), event, 0) }
}

/// Returns the records of a wake-up that gets a CPU and sleeps again at these times.
fn wake(woke: i64, ran: i64, slept: i64) -> [TraceRecord; 3] {
    let events = [TraceEvent::Waking, TraceEvent::SwitchIn, TraceEvent::Slept];
    let mut times = [woke, ran, slept].into_iter();
    events.map(|event| record(times.next().unwrap(), event))
}

/// Returns the due time, kind, and missed due times of each cycle, in microseconds.
fn read(cycles: &mut Cycles, records: &[TraceRecord]) -> Vec<(i64, CycleKind, u64)> {
    let found = records.iter().filter_map(|record| cycles.add(record));
    found.map(|it| (it.due.get() / 1_000, it.kind, it.missed_count)).collect()
}

/// A thread with a period of 10 ms that is asleep, and whose next cycle is due at 20.0 ms.
fn anchored() -> Cycles {
    let mut cycles = Cycles::new(Some(us(10_000)));
    let begin = [record(-5_000, TraceEvent::Slept)];
    let records = begin.into_iter().chain(wake(0, 10, 500)).chain(wake(10_000, 10_010, 10_500));
    let records: Vec<TraceRecord> = records.collect();
    assert_eq!(read(&mut cycles, &records), [], "two wake-ups show when cycles are due");
    cycles
}

#[test]
fn a_pause_is_no_late_cycle() {
    use CycleKind::{Late, OnTime};
    let mut paused = anchored();
    let records = [wake(3_000_000, 3_000_010, 3_000_500), wake(3_010_000, 3_010_010, 3_010_500)];
    assert_eq!(read(&mut paused, &records.concat()), [], "cycles begin again");
    let next = wake(3_020_000, 3_020_010, 3_020_500);
    assert_eq!(read(&mut paused, &next), [(3_020_000, OnTime, 0)]);
    // Woken on time, it was late for as long as it had no CPU.
    let late = wake(3_030_000, 6_000_000, 6_000_500);
    assert_eq!(read(&mut paused, &late)[0].1, Late);
}

#[test]
fn due_times_run_on_from_the_last_cycle_that_was_on_time() {
    use CycleKind::{Late, OnTime};
    let records = [
        wake(20_200, 20_210, 20_500),
        wake(30_100, 30_110, 30_500),
        // Woken on time, and without a CPU for 2.9 ms.
        wake(40_100, 43_000, 43_400),
        // One period after the due time of the late one.
        wake(50_100, 50_110, 50_500),
        // Late by exactly a tenth is on time.
        wake(60_100, 61_100, 61_500),
        wake(70_100, 71_101, 71_500),
    ];
    let found = read(&mut anchored(), &records.concat());
    let expected = [
        (20_000, OnTime, 0),
        (30_200, OnTime, 0),
        (40_100, Late, 0),
        (50_100, OnTime, 0),
        (60_100, OnTime, 0),
        (70_100, Late, 0),
    ];
    assert_eq!(found, expected);
}

#[test]
fn work_that_does_not_end_before_the_next_due_time_is_an_overrun() {
    use CycleKind::{Late, OnTime, Overrun};
    let mut records = wake(20_000, 20_010, 29_999).to_vec();
    // It is preempted, and waits for a disk: it does not sleep until 32.0.
    records.extend([
        record(30_000, TraceEvent::Waking),
        record(30_010, TraceEvent::SwitchIn),
        record(31_000, TraceEvent::Preempted),
        record(38_000, TraceEvent::SwitchIn),
        record(39_000, TraceEvent::Blocked),
        record(41_000, TraceEvent::Waking),
        record(41_010, TraceEvent::SwitchIn),
        record(42_000, TraceEvent::Slept),
    ]);
    records.extend(wake(50_000, 50_010, 50_500));
    // A wake-up that is missing for two periods and a half.
    records.extend(wake(85_000, 85_010, 85_500));
    records.extend(wake(90_000, 90_010, 90_500));
    let found = read(&mut anchored(), &records);
    let expected = [
        (20_000, OnTime, 0),
        (30_000, Overrun, 1),
        (50_000, OnTime, 0),
        (60_000, Late, 2),
        (90_000, OnTime, 0),
    ];
    assert_eq!(found, expected);
}

#[test]
fn other_wake_ups_of_a_period_are_no_cycles() {
    let records = [
        wake(13_000, 13_010, 13_100),
        wake(18_900, 18_910, 18_950),
        wake(19_100, 19_110, 19_500),
        wake(22_000, 22_010, 22_100),
        wake(29_100, 29_110, 29_500),
    ];
    let found = read(&mut anchored(), &records.concat());
    assert_eq!(found, [(20_000, CycleKind::OnTime, 0), (29_100, CycleKind::OnTime, 0)]);
}

#[test]
fn what_was_lost_is_neither_late_nor_missed() {
    let mut cycles = anchored();
    cycles.lose();
    let records = [
        // The state at the end of the gap is not known.
        [record(101_000, TraceEvent::SwitchIn), record(101_100, TraceEvent::Slept)].to_vec(),
        wake(104_000, 104_010, 104_500).to_vec(),
        wake(114_000, 114_010, 114_500).to_vec(),
        wake(124_000, 124_010, 124_500).to_vec(),
    ];
    assert_eq!(read(&mut cycles, &records.concat()), [(124_000, CycleKind::OnTime, 0)]);
    // A thread that ends has no cycle any more, and another one with its number has its own.
    cycles.add(&record(125_000, TraceEvent::Exited));
    assert_eq!(read(&mut cycles, &wake(150_000, 150_010, 150_500)), []);
}

#[test]
fn a_switch_that_no_kernel_recorded_began_with_the_wake_up() {
    let records = [record(20_000, TraceEvent::Waking), record(20_500, TraceEvent::Slept)];
    assert_eq!(read(&mut anchored(), &records), [(20_000, CycleKind::OnTime, 0)]);
    // Another CPU records the wake-up a moment before the switch that begins the sleep.
    let records = [
        record(20_000, TraceEvent::Waking),
        record(20_010, TraceEvent::SwitchIn),
        record(20_495, TraceEvent::Waking),
        record(20_500, TraceEvent::Slept),
        record(20_520, TraceEvent::SwitchIn),
        record(20_600, TraceEvent::Slept),
    ];
    assert_eq!(read(&mut anchored(), &records), [(20_000, CycleKind::OnTime, 0)]);
}

#[test]
fn a_thread_that_sleeps_for_a_period_goes_on_later_after_a_delay() {
    use CycleKind::{Late, OnTime};
    let records: Vec<TraceRecord> = (0..6)
        .flat_map(|cycle| {
            wake(24_000 + cycle * 10_000, 24_010 + cycle * 10_000, 24_100 + cycle * 10_000)
        })
        .collect();
    let kinds: Vec<CycleKind> =
        read(&mut anchored(), &records).into_iter().map(|(_, kind, _)| kind).collect();
    assert_eq!(kinds, [Late, Late, Late, OnTime, OnTime, OnTime]);
}

fn wakes_at(times: impl Iterator<Item = i64>) -> Vec<TraceRecord> {
    std::iter::once(record(-1_000, TraceEvent::Slept))
        .chain(times.flat_map(|at| wake(at, at + 10, at + 300)))
        .collect()
}

#[test]
fn the_period_is_the_median_of_200_wake_ups_and_follows_a_change() {
    let mut cycles = Cycles::new(None);
    // 5 ms, each third one 100 µs later.
    let time = |cycle: i64| cycle * 5_000 + if cycle % 3 == 0 { 100 } else { 0 };
    let found = read(&mut cycles, &wakes_at((0..200).map(time)));
    assert_eq!((found.len(), cycles.period), (0, None), "199 times between wake-ups");
    let found = read(&mut cycles, &wakes_at((200..300).map(time)));
    assert_eq!(cycles.period, Some(us(5_000)));
    // The 201st wake-up is one period after the one before it.
    assert_eq!(found.len(), 99);
    assert!(found.iter().all(|(_, kind, missed)| (*kind, *missed) == (CycleKind::OnTime, 0)));
    // From now on, 20 ms.
    read(&mut cycles, &wakes_at((1..=500).map(|cycle| 1_500_000 + cycle * 20_000)));
    assert_eq!(cycles.period, Some(us(20_000)));
    // A period that was given remains.
    let mut given = Cycles::new(Some(us(5_000)));
    read(&mut given, &wakes_at((1..=500).map(|cycle| cycle * 20_000)));
    assert_eq!(given.period, Some(us(5_000)));
}

#[test]
fn a_period_with_several_wake_ups_is_learned_and_irregular_ones_have_none() {
    // Pairs: 2 ms and 8 ms apart.
    let pairs = (0..201).map(|wake| wake / 2 * 10_000 + wake % 2 * 2_000);
    let mut cycles = Cycles::new(None);
    read(&mut cycles, &wakes_at(pairs));
    assert_eq!(cycles.period, Some(us(10_000)));
    // On a busy PC, each third wake-up of 10 ms comes 1.8 ms late.
    let busy = (0..201).map(|wake| wake * 10_000 + if wake % 3 == 0 { 1_800 } else { 0 });
    let mut cycles = Cycles::new(None);
    read(&mut cycles, &wakes_at(busy));
    assert_eq!(cycles.period, Some(us(10_000)));
    let mut cycles = Cycles::new(None);
    let irregular = (0..1_000_i64).scan(0, |at, wake| {
        *at += 500 + (wake * wake * 7_919 + wake * 104_729) % 9_901;
        Some(*at)
    });
    read(&mut cycles, &wakes_at(irregular));
    assert_eq!(cycles.period, None);
}

proptest! {
    #[test]
    fn due_times_never_drift_and_counts_add_up(
        seed in proptest::collection::vec((0_i64..400, 0_i64..12_000, 0_u8..20), 50..400),
        helpers in proptest::collection::vec(0_u8..4, 400),
    ) {
        // A thread that wakes on a grid of 10 ms with up to 0.4 ms of jitter; in one of 20 cycles it gets a CPU late.
        let mut records = wakes_at([0, 10_000].into_iter());
        let mut busy_until = 10_400;
        for (((jitter, delay, dice), cycle), helper) in seed.iter().zip(2..).zip(&helpers) {
            let woke = cycle * 10_000 + jitter;
            if woke <= busy_until {
                continue;
            }
            let ran = woke + if *dice == 0 { *delay } else { 10 };
            records.extend(wake(woke, ran, ran + 300));
            busy_until = ran + 300;
            // Another wake-up of the period.
            let next = (busy_until / 10_000 + 1) * 10_000;
            let is_after_grid = 1_000 < busy_until.rem_euclid(10_000);
            if *helper == 0 && is_after_grid && busy_until + 100 < next - 1_500 {
                records.extend(wake(busy_until + 100, busy_until + 110, busy_until + 120));
                busy_until += 120;
            }
        }
        let mut cycles = Cycles::new(Some(us(10_000)));
        let found: Vec<Cycle> = records.iter().filter_map(|record| cycles.add(record)).collect();
        for cycle in &found {
            let off = (cycle.due.get() / 1_000 + 5_000).rem_euclid(10_000) - 5_000;
            prop_assert!((0..=400).contains(&off), "{cycle:?}");
            prop_assert!(cycle.ran <= cycle.ended);
            let late = cycle.ran - cycle.due;
            prop_assert_eq!(cycle.kind == CycleKind::Late, us(1_000) < late);
        }
        // Each due time is that of a cycle, or missed.
        let dues: u64 = found.iter().map(|cycle| 1 + cycle.missed_count).sum();
        let next = cycles.due.unwrap().get() / 1_000;
        let expected = u64::try_from((next + 5_000) / 10_000 - 2).unwrap();
        prop_assert_eq!(dues, expected);
    }
}
