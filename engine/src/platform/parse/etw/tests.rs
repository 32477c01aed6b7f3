//! Tests with a trace that was recorded on Windows 7, and with generated payloads.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::sample::{TraceEvent, TraceRecord};

/// Events recorded on Windows 7. The README in the folder of the file describes their format.
const RECORDED: &[u8] = include_bytes!("recorded/windows7.bin");

fn recorded() -> Vec<RawEvent<'static>> {
    let mut events = Vec::new();
    let mut rest = RECORDED;
    while let Some((head, after)) = rest.split_first_chunk::<14>() {
        let (time, length) = (&head[4..12], &head[12..]);
        let length = usize::from(u16::from_le_bytes(length.try_into().unwrap()));
        let (payload, after) = after.split_at(length);
        events.push(RawEvent {
            opcode: head[0],
            group: head[1],
            version: head[2],
            cpu: u32::from(head[3]),
            ticks: i64::from_le_bytes(time.try_into().unwrap()),
            pointer_size: 8,
            payload,
        });
        rest = after;
    }
    events
}

/// Returns the records of events. Their times are in ticks of the performance counter.
fn records(trace: &mut KernelTrace, events: &[RawEvent<'_>]) -> Vec<TraceRecord> {
    let mut records = Vec::new();
    for event in events {
        trace.add(event, |ticks| ticks, |record| records.push(record));
    }
    records
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn event(group: u8, opcode: u8, version: u8, payload: &[u8]) -> RawEvent<'_> {
    RawEvent { group, opcode, version, cpu: 3, ticks: 1 << 50, pointer_size: 8, payload }
}

/// The expected numbers were read from the same trace with `dissect.etl` and Python's `struct`.
#[test]
fn a_recorded_trace_has_the_events_that_another_decoder_counts() {
    use TraceEvent::{
        Blocked, InterruptBegin, InterruptEnd, Preempted, Slept, SoftirqBegin, SoftirqEnd, Stopped,
        SwitchIn,
    };

    let events = recorded();
    assert_eq!(events.len(), 2_092);
    let mut trace = KernelTrace::default();
    let records = records(&mut trace, &events);
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for record in &records {
        *counts.entry(record.event.number()).or_default() += 1;
    }
    let count = |event: TraceEvent| counts.get(&event.number()).copied().unwrap_or(0);
    assert_eq!([SwitchIn, Preempted, Stopped, Blocked, Slept].map(count), [216, 3, 2, 66, 38]);
    assert_eq!([InterruptBegin, InterruptEnd].map(count), [1_416; 2]);
    assert_eq!([SoftirqBegin, SoftirqEnd].map(count), [102; 2]);
    let idle = records.iter().filter(|one| one.event == SwitchIn && one.thread == Some(0));
    assert_eq!(idle.count(), 107);
    // For each driver: the number of interrupts and DPCs, and their total duration in ticks.
    let mut drivers: BTreeMap<String, (usize, i64)> = BTreeMap::new();
    for pair in records.windows(2) {
        let [begin, end] = pair else { continue };
        if matches!(begin.event, InterruptBegin | SoftirqBegin) {
            assert_eq!((begin.name, begin.cpu), (end.name, end.cpu));
            let one = drivers.entry(trace.name_of(begin, |_| false).unwrap()).or_default();
            *one = (one.0 + 1, one.1 + (end.at - begin.at).get());
        }
    }
    let expected = [
        ("ACPI.sys", 1, 35),
        ("DPC of ataport.SYS", 3, 40),
        ("DPC of dxgkrnl.sys", 17, 739),
        ("DPC of i8042prt.sys", 2, 114),
        ("DPC of igdkmd64.sys", 1, 14),
        ("DPC of ndis.sys", 3, 1_493),
        ("DPC of ntoskrnl.exe", 73, 724),
        ("DPC of nvlddmkm.sys", 2, 15),
        ("DPC of tcpip.sys", 1, 63),
        ("ataport.SYS", 2, 49),
        ("hal.dll", 1_411, 103_135),
        ("i8042prt.sys", 2, 176),
    ];
    let expected = expected.map(|(name, count, ticks)| (name.to_owned(), (count, ticks)));
    assert_eq!(drivers, BTreeMap::from(expected));
}

#[test]
fn threads_of_a_recorded_trace_have_the_names_of_their_programs() {
    let mut trace = KernelTrace::default();
    let records = records(&mut trace, &recorded());
    let name = |thread, own| {
        let record = records.iter().find(|one| one.thread == Some(thread)).unwrap();
        trace.name_of(record, |process| process == own)
    };
    for (thread, expected) in [
        (5984, "POWERPNT.EXE"),
        (2888, "dwm.exe"),
        (7056, "csrss.exe"),
        (556, "[System (dxgmms1.sys)]"),
        (80, "[System (ntoskrnl.exe)]"),
    ] {
        assert_eq!(name(thread, 1).unwrap(), expected);
    }
    assert_eq!(name(5984, 5100).unwrap(), "jitterscope");
    assert_eq!(name(0, 1), None, "the CPU is idle");
    let unknown = TraceRecord { thread: Some(1), ..records[0] };
    assert_eq!(trace.name_of(&unknown, |_| false), None);
}

#[test]
fn payloads_are_read_by_hand_alike() {
    let switch = bytes("00000000 b41b0000 10 08 02 00 17 00 01 06 55ee2902 609b0000");
    let switch = event(group::THREAD, 36, 2, &switch);
    let read = KernelEvent::Switch { new: 0, old: 7092, wait_reason: 23, old_state: 1 };
    assert_eq!(KernelEvent::read(&switch), Some(read));
    let interrupt = bytes("978fe6bd33010000 d075000300f8ffff 01 fd0000");
    let (began, address) = (0x133_bde6_8f97, 0xffff_f800_0300_75d0);
    let read = KernelEvent::Routine { is_deferred: false, began, address };
    assert_eq!(
        KernelEvent::read(&event(group::PERFORMANCE, 0x43, 2, &interrupt)),
        Some(read.clone())
    );
    let longer = [interrupt.as_slice(), &[1; 40]].concat();
    assert_eq!(KernelEvent::read(&event(group::PERFORMANCE, 0x32, 9, &longer)), Some(read));
    let ready = bytes("e8030000 01 02 00 00");
    let mut trace = KernelTrace::default();
    let ready = records(&mut trace, &[event(group::THREAD, 50, 2, &ready)]);
    assert_eq!((ready[0].event, ready[0].thread), (TraceEvent::Waking, Some(1_000)));
    // An event of a process without a user account, in the layout of newer versions of Windows.
    let process = [&[0; 8][..], &42_u32.to_le_bytes(), &[0; 12 + 8 + 4 + 4], b"game.exe\0x\0"];
    let process = process.concat();
    let read = KernelEvent::Process { process: 42, name: "game.exe".to_owned() };
    assert_eq!(KernelEvent::read(&event(group::PROCESS, 3, 4, &process)), Some(read));
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn names_of_threads_are_read_where_they_are_recorded() {
    let of = |process: u32, thread: u32| [process.to_le_bytes(), thread.to_le_bytes()].concat();
    let begun = [of(42, 7), vec![0; 64], wide("Compositor")].concat();
    let process =
        [&[0; 8][..], &42_u32.to_le_bytes(), &[0; 12 + 8 + 4 + 4], b"game.exe\0"].concat();
    let renamed = [of(42, 7), wide("Au\u{7}dio")].concat();
    let mut trace = KernelTrace::default();
    let mut switch = [7_u32.to_le_bytes(), 0_u32.to_le_bytes()].concat();
    switch.extend([0; 16]);
    let events = [
        event(group::PROCESS, 1, 4, &process),
        event(group::THREAD, 3, 4, &begun),
        event(group::THREAD, 36, 4, &switch),
    ];
    let first = records(&mut trace, &events)[0];
    let name = |trace: &KernelTrace| trace.name_of(&first, |own| own == 50).unwrap();
    assert_eq!(name(&trace), "game.exe (Compositor)");
    records(&mut trace, &[event(group::THREAD, 72, 4, &renamed)]);
    assert_eq!(name(&trace), "game.exe (Au\u{fffd}dio)");
}

#[test]
fn a_driver_that_was_unloaded_is_not_named() {
    let image = |base: u64, process: u32, name: &str| {
        let [base, size] = [base, 0x1000].map(u64::to_le_bytes);
        [&base[..], &size, &process.to_le_bytes(), &[0; 36], &wide(name)].concat()
    };
    let call = |address: u64| [5_u64, address].map(u64::to_le_bytes).concat();
    let driver = image(0xffff_8000, 4, r"\SystemRoot\System32\drivers\ndis.sys");
    let program = image(0xffff_8800, 42, r"C:\game.exe");
    let [inside, beyond] = [0xffff_8fff, 0xffff_9000].map(call);
    let dpc = |payload| event(group::PERFORMANCE, 0x44, 2, payload);
    let loaded = event(group::IMAGE, 3, 3, &driver);
    let unloaded = event(group::IMAGE, 2, 3, &driver);
    let program = event(group::PROCESS, 10, 3, &program);
    let mut trace = KernelTrace::default();
    let events = [loaded, program, dpc(&inside), dpc(&beyond), unloaded, dpc(&inside)];
    let found = records(&mut trace, &events);
    let begun = found.iter().filter(|one| one.event == TraceEvent::SoftirqBegin);
    let names: Vec<String> = begun.filter_map(|one| trace.name_of(one, |_| false)).collect();
    let unknown = "DPC of an unknown driver";
    assert_eq!(names, ["DPC of ndis.sys", unknown, unknown]);
    assert!(found.iter().all(|one| one.thread.is_none() && one.cpu == 3));
}

proptest! {
    #[test]
    fn any_bytes_are_read(
        events in prop::collection::vec(
            (
                prop_oneof![Just(0x03_u8), Just(0x05), Just(0x0f), Just(0x14), any::<u8>()],
                any::<u8>(),
                0..6_u8,
                prop_oneof![Just(4_usize), Just(8), any::<usize>()],
                any::<i64>(),
                prop::collection::vec(any::<u8>(), 0..200),
            ),
            0..40,
        )
    ) {
        let mut trace = KernelTrace::default();
        for (group, opcode, version, pointer_size, ticks, payload) in &events {
            let event = RawEvent {
                group: *group,
                opcode: *opcode,
                version: *version,
                cpu: 0,
                ticks: *ticks,
                pointer_size: *pointer_size,
                payload,
            };
            let mut records = Vec::new();
            trace.add(&event, |ticks| ticks, |record| records.push(record));
            for record in &records {
                let is_named = trace.name_of(record, |_| false).is_some();
                prop_assert!(is_named || record.thread.is_some(), "{record:?}");
            }
        }
    }

    #[test]
    fn an_event_that_is_cut_off_is_read_or_left_out(at in 0..2_092_usize, length in 0..60_usize) {
        let events = recorded();
        let whole = events[at];
        let cut = RawEvent { payload: &whole.payload[..length.min(whole.payload.len())], ..whole };
        let [of_whole, of_cut] = [whole, cut].map(|event| {
            records(&mut KernelTrace::default(), &[event])
        });
        prop_assert!(of_cut.is_empty() || of_cut == of_whole);
    }
}
