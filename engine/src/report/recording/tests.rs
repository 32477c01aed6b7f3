//! Made recordings whose paths and causes are known.

mod causes;
mod cycles;
mod games;
mod joins;
pub(crate) mod simulated;

use super::*;
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::run::Trace;
use crate::run::recording::{
    Detail, Follow, RecordedOwner, RecordedProcess, RecordedThread, RecordedTier, Recording,
    WakeContext,
};
use crate::sample::{TraceEvent, TraceRecord};

const fn micros(micros: i64) -> Nanos {
    Nanos::from_micros(micros)
}

/// Builds the records of one detail, with names.
#[derive(Default)]
struct Builder {
    names: Vec<String>,
    records: Vec<TraceRecord>,
}

impl Builder {
    fn name(&mut self, name: &str) -> Option<u32> {
        let position = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        u32::try_from(position).ok()
    }

    fn add(&mut self, at: i64, event: TraceEvent, cpu: u32, thread: Option<u32>) {
        self.records.push(TraceRecord { thread, ..TraceRecord::new(micros(at), event, cpu) });
    }

    fn wake(&mut self, at: i64, cpu: u32, thread: u32, context: WakeContext) {
        let value = Some(context.number());
        let record = TraceRecord::new(micros(at), TraceEvent::Waking, cpu);
        self.records.push(TraceRecord { thread: Some(thread), value, ..record });
    }

    fn named(&mut self, at: i64, event: TraceEvent, cpu: u32, name: &str, value: Option<i64>) {
        let name = self.name(name);
        self.records.push(TraceRecord { name, value, ..TraceRecord::new(micros(at), event, cpu) });
    }

    fn detail(self, begin: i64, end: i64) -> Detail {
        Detail {
            begin: micros(begin),
            end: micros(end),
            trace: Trace::from_records(self.names, &self.records),
            ..Detail::default()
        }
    }
}

fn thread(thread: u32, process: u32, name: &str, process_name: &str) -> RecordedThread {
    RecordedThread {
        thread,
        process: Some(process),
        name: name.to_owned(),
        process_name: process_name.to_owned(),
        ..RecordedThread::default()
    }
}

fn kernel() -> RecordedTier {
    RecordedTier {
        source: Some(TraceSource::Kernel),
        has_wakeups: true,
        has_storage: true,
        has_reclaim: true,
        has_page_faults: true,
        ..RecordedTier::default()
    }
}

/// A recording of a game (process 10) with one detail.
fn recording(detail: Detail, threads: Vec<RecordedThread>) -> Recording {
    let process = RecordedProcess { process: 10, started: None, name: "game.exe".to_owned() };
    Recording {
        label: "game".to_owned(),
        follow: Follow::Log,
        process: Some(process),
        length: Nanos::from_secs(10),
        details: vec![detail],
        threads,
        tier: kernel(),
        ..Recording::default()
    }
}

/// Checks the path of thread 11 from 0 to `end` µs: class, name, and length in µs of each segment.
fn check(recording: &Recording, end: i64, expected: &[(Class, &str, i64)]) {
    let timeline = timeline::Timeline::of_details(recording).remove(0);
    let paths = path::Paths::new(recording, &timeline, Some(10));
    let life = timeline.lives.iter().position(|life| life.thread == 11).unwrap();
    let segments = paths.path(life, (Nanos::ZERO, micros(end)));
    let found: Vec<(Class, String, i64)> = segments
        .iter()
        .map(|it| {
            let name = it.name.as_deref().unwrap_or_default().to_owned();
            (it.class, name, it.length().get() / 1_000)
        })
        .collect();
    let expected: Vec<(Class, String, i64)> = expected
        .iter()
        .map(|(class, name, length)| (*class, (*name).to_owned(), *length))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_path_of_the_essay_is_followed_through_two_wakers() {
    let mut made = Builder::default();
    for (at, event, cpu, thread) in [
        (-100, TraceEvent::SwitchIn, 0, 11),
        (400, TraceEvent::Slept, 0, 11),
        (-100, TraceEvent::SwitchIn, 1, 12),
        (4_000, TraceEvent::Slept, 1, 12),
        (3_500, TraceEvent::SwitchIn, 2, 13),
        (20_000, TraceEvent::Preempted, 2, 13),
        (20_000, TraceEvent::SwitchIn, 2, 99),
        (24_000, TraceEvent::Slept, 2, 99),
        (24_000, TraceEvent::SwitchIn, 2, 13),
    ] {
        made.add(at, event, cpu, Some(thread));
    }
    made.wake(41_000, 2, 12, WakeContext::Thread);
    made.add(41_000, TraceEvent::SwitchIn, 1, Some(12));
    made.add(41_100, TraceEvent::Slept, 2, Some(13));
    made.wake(45_800, 1, 11, WakeContext::Thread);
    made.add(45_800, TraceEvent::SwitchIn, 0, Some(11));
    let threads = vec![
        thread(11, 10, "dxvk-submit", "game.exe"),
        thread(12, 10, "dxvk-cs", "game.exe"),
        thread(13, 10, "dxvk-shader-n", "game.exe"),
        thread(99, 90, "baloo_file", "baloo_file"),
    ];
    let recording = recording(made.detail(-100, 50_000), threads);
    check(
        &recording,
        46_000,
        &[
            (Class::Game, "dxvk-submit", 400),
            (Class::Game, "dxvk-cs", 3_600),
            (Class::Shaders, "dxvk-shader", 16_000),
            (Class::OtherProgram, "baloo_file", 4_000),
            (Class::Shaders, "dxvk-shader", 17_000),
            (Class::Game, "dxvk-cs", 4_800),
            (Class::Game, "dxvk-submit", 200),
        ],
    );
}

/// Thread 11 sleeps in a state from 1 000 µs until `wake` wakes it at 9 000 µs, and then runs up to 10 000 µs.
fn slept(state: TraceEvent, wake: impl FnOnce(&mut Builder)) -> Builder {
    let mut made = Builder::default();
    made.add(-10, TraceEvent::SwitchIn, 0, Some(11));
    made.add(1_000, state, 0, Some(11));
    made.add(1_000, TraceEvent::SwitchIn, 0, Some(0));
    wake(&mut made);
    made.add(9_000, TraceEvent::SwitchIn, 0, Some(11));
    made
}

fn check_sleep(state: TraceEvent, wake: impl FnOnce(&mut Builder), class: Class, name: &str) {
    let made = slept(state, wake);
    let threads = vec![
        thread(11, 10, "main", "game.exe"),
        thread(40, 41, "wineserver", "wineserver"),
        RecordedThread { owner: Some(RecordedOwner::Kernel), ..thread(50, 50, "[gfx_0.0.0]", "") },
    ];
    let expected =
        [(Class::Game, "main", 1_000), (class, name, 8_000), (Class::Game, "main", 1_000)];
    check(&recording(made.detail(-10, 10_000), threads), 10_000, &expected);
}

#[test]
fn a_sleep_is_explained_by_what_ended_it() {
    use TraceEvent::{Blocked, Slept};
    let interrupt = |name: &'static str| {
        move |made: &mut Builder| {
            made.named(8_990, TraceEvent::InterruptBegin, 1, name, None);
            made.wake(9_000, 1, 11, WakeContext::Interrupt);
            made.add(9_010, TraceEvent::InterruptEnd, 1, None);
        }
    };
    check_sleep(Slept, interrupt("local timer interrupt"), Class::Timer, "main");
    check_sleep(Slept, interrupt("amdgpu, IRQ 70"), Class::Graphics, "amdgpu, IRQ 70");
    check_sleep(Slept, interrupt("xhci_hcd, IRQ 27"), Class::Device, "xhci_hcd, IRQ 27");
    let completion = |made: &mut Builder| {
        made.named(8_980, TraceEvent::BlockCompleteBegin, 1, "nvme0n1", None);
        made.wake(9_000, 1, 11, WakeContext::Softirq);
        made.named(9_005, TraceEvent::BlockCompleteEnd, 1, "nvme0n1", None);
    };
    check_sleep(Blocked, completion, Class::Storage, "nvme0n1");
    let fault = |made: &mut Builder| {
        made.add(999, TraceEvent::PageFault, 0, Some(11));
        completion(made);
    };
    check_sleep(Blocked, fault, Class::Memory, "page faults, nvme0n1");
    let reclaim = |made: &mut Builder| {
        made.add(1_000, TraceEvent::ReclaimBegin, 0, Some(11));
        made.wake(9_000, 1, 11, WakeContext::Thread);
        made.add(9_000, TraceEvent::ReclaimEnd, 0, Some(11));
    };
    check_sleep(Blocked, reclaim, Class::Memory, "reclaim");
    let server = |made: &mut Builder| {
        made.add(500, TraceEvent::SwitchIn, 1, Some(40));
        made.wake(9_000, 1, 11, WakeContext::Thread);
    };
    check_sleep(Slept, server, Class::Service, "wineserver");
    let graphics = |made: &mut Builder| {
        made.add(500, TraceEvent::SwitchIn, 1, Some(50));
        made.wake(9_000, 1, 11, WakeContext::Thread);
    };
    check_sleep(Slept, graphics, Class::Graphics, "[gfx_0.0.0]");
    check_sleep(
        Blocked,
        |made| made.wake(9_000, 1, 11, WakeContext::Thread),
        Class::Blocked,
        "main",
    );
    // The thread that is current on a CPU is no waker while the kernel handles a softirq there.
    let raised = |made: &mut Builder| {
        made.add(500, TraceEvent::SwitchIn, 1, Some(40));
        made.named(8_000, TraceEvent::InterruptBegin, 1, "eth0, IRQ 33", None);
        made.named(8_001, TraceEvent::SoftirqRaised, 1, "NET_RX", Some(3));
        made.add(8_002, TraceEvent::InterruptEnd, 1, None);
        made.named(8_002, TraceEvent::SoftirqBegin, 1, "NET_RX", Some(3));
        made.wake(9_000, 1, 11, WakeContext::Softirq);
    };
    check_sleep(Slept, raised, Class::Device, "eth0, IRQ 33");
    check_sleep(Slept, |_| {}, Class::NotExplained, "");
}

#[test]
fn a_wake_up_that_is_recorded_just_before_the_sleep_ends_it() {
    let mut made = Builder::default();
    made.add(-10, TraceEvent::SwitchIn, 0, Some(11));
    made.add(-10, TraceEvent::SwitchIn, 1, Some(12));
    made.wake(999, 1, 11, WakeContext::Thread);
    made.add(1_000, TraceEvent::Slept, 0, Some(11));
    made.add(1_000, TraceEvent::SwitchIn, 0, Some(99));
    made.add(6_000, TraceEvent::Slept, 0, Some(99));
    made.add(6_000, TraceEvent::SwitchIn, 0, Some(11));
    let threads = vec![thread(11, 10, "main", "game.exe"), thread(99, 99, "cc1", "cc1")];
    let expected = [
        (Class::Game, "main", 1_000),
        (Class::OtherProgram, "cc1", 5_000),
        (Class::Game, "main", 1_000),
    ];
    check(&recording(made.detail(-10, 7_000), threads), 7_000, &expected);
}

#[test]
fn a_thread_number_that_is_used_again_is_another_thread() {
    let mut made = Builder::default();
    made.add(-10, TraceEvent::SwitchIn, 1, Some(30));
    made.add(100, TraceEvent::Exited, 1, Some(30));
    made.add(2_000, TraceEvent::Started, 1, Some(30));
    made.add(-10, TraceEvent::SwitchIn, 0, Some(11));
    made.add(1_000, TraceEvent::Preempted, 0, Some(11));
    made.add(1_000, TraceEvent::SwitchIn, 0, Some(0));
    made.add(3_000, TraceEvent::SwitchIn, 0, Some(30));
    made.add(9_000, TraceEvent::Slept, 0, Some(30));
    made.add(9_000, TraceEvent::SwitchIn, 0, Some(11));
    let first = thread(30, 10, "Worker", "game.exe");
    let second = RecordedThread { started: Some(micros(1_500)), ..thread(30, 31, "sh", "sh") };
    let recording = recording(
        made.detail(-10, 10_000),
        vec![thread(11, 10, "main", "game.exe"), first, second],
    );
    check(
        &recording,
        10_000,
        &[
            (Class::Game, "main", 1_000),
            (Class::Blocked, "main", 2_000),
            (Class::OtherProgram, "sh", 6_000),
            (Class::Game, "main", 1_000),
        ],
    );
}

#[test]
fn lost_records_hide_what_a_thread_did_until_it_is_seen_again() {
    let mut made = Builder::default();
    made.add(-10, TraceEvent::SwitchIn, 0, Some(11));
    made.records.push(TraceRecord::lost(micros(3_000), 0, 5));
    made.records.push(TraceRecord::lost(micros(4_000), 0, 0));
    made.add(6_000, TraceEvent::Slept, 0, Some(11));
    made.add(8_000, TraceEvent::Waking, 1, Some(11));
    made.add(8_000, TraceEvent::SwitchIn, 0, Some(11));
    let recording = recording(made.detail(-10, 10_000), vec![thread(11, 10, "main", "game.exe")]);
    check(
        &recording,
        10_000,
        &[
            (Class::Game, "main", 3_000),
            (Class::NotExplained, "", 5_000),
            (Class::Game, "main", 2_000),
        ],
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    #[test]
    fn segments_sum_to_the_interval_whatever_the_records_are(
        records in proptest::collection::vec((0_i64..2_000, 1_i64..33, 0_u32..3, 0_u32..6, -1_i64..4), 0..120),
        from in 0_i64..1_000,
        length in 1_i64..1_500,
        has_wakeups in proptest::bool::ANY,
        source in 0_i64..4,
    ) {
        let mut made = Builder::default();
        made.add(-10, TraceEvent::SwitchIn, 0, Some(1));
        for (at, event, cpu, thread, value) in records {
            let event = TraceEvent::from_number(event).unwrap();
            let name = made.name(["a", "dxvk-shader", "local timer interrupt", "sda"][thread as usize % 4]);
            made.records.push(TraceRecord {
                thread: (thread < 5).then_some(thread),
                value: (0 <= value).then_some(value),
                name,
                ..TraceRecord::new(micros(at), event, cpu)
            });
        }
        let threads = (1..5).map(|number| thread(number, 10 + number % 2, "t", "p")).collect();
        let mut recording = recording(made.detail(-10, 2_600), threads);
        recording.tier.has_wakeups = has_wakeups;
        recording.tier.source = TraceSource::from_number(source);
        let timeline = timeline::Timeline::of_details(&recording).remove(0);
        let paths = path::Paths::new(&recording, &timeline, Some(10));
        for life in 0..timeline.lives.len() {
            let span = (micros(from), micros(from + length));
            for segments in [paths.path(life, span), paths.path_of_canary(life, span)] {
                let mut end = span.0;
                for segment in &segments {
                    proptest::prop_assert_eq!(segment.from, end);
                    proptest::prop_assert!(segment.from < segment.to);
                    end = segment.to;
                }
                proptest::prop_assert_eq!(end, span.1);
            }
        }
    }
}
