//! Tests of the conversion of raw tracepoint data into trace records.

use super::super::numbers::Numbers;
use super::super::sleeps::{IdleStates, Timers};
use super::*;

const SWITCH: &str = "name: sched_switch\nID: 372\nformat:\n\
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
    \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
    \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
    \tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\
    \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\
    \tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\
    \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\
    \tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";
const IRQ: &str = "name: irq_handler_entry\nID: 225\nformat:\n\
    \tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n\
    \tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n";
const NMI_HANDLER: &str = "name: nmi_handler\nID: 170\nformat:\n\
    \tfield:void * handler;\toffset:8;\tsize:8;\tsigned:0;\n\
    \tfield:s64 delta_ns;\toffset:16;\tsize:8;\tsigned:1;\n\
    \tfield:int handled;\toffset:24;\tsize:4;\tsigned:1;\n";

const TIMER_SET: &str = "name: hrtimer_start\nID: 460\nformat:\n\
    \tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;\n\
    \tfield:void * function;\toffset:16;\tsize:8;\tsigned:0;\n\
    \tfield:s64 expires;\toffset:24;\tsize:8;\tsigned:1;\n\
    \tfield:s64 softexpires;\toffset:32;\tsize:8;\tsigned:1;\n";
const TIMER_EXPIRED: &str = "name: hrtimer_expire_entry\nID: 459\nformat:\n\
    \tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;\n";
const IDLE: &str = "name: cpu_idle\nID: 568\nformat:\n\
    \tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n\
    \tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n";
const WAKING: &str = "ID: 371\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n";

fn layout() -> Layout {
    Layout::from_formats(|name| match name {
        "timer/hrtimer_start" => Some(TIMER_SET.to_owned()),
        "timer/hrtimer_expire_entry" => Some(TIMER_EXPIRED.to_owned()),
        "power/cpu_idle" => Some(IDLE.to_owned()),
        "sched/sched_switch" => Some(SWITCH.to_owned()),
        "irq/irq_handler_entry" => Some(IRQ.to_owned()),
        "irq/irq_handler_exit" => Some("ID: 226\n".to_owned()),
        "irq_vectors/local_timer_entry" => Some("ID: 165\n".to_owned()),
        "irq_vectors/local_timer_exit" => Some("ID: 164\n".to_owned()),
        "irq_vectors/irq_work_entry" => Some("ID: 157\n".to_owned()),
        "nmi/nmi_handler" => Some(NMI_HANDLER.to_owned()),
        // The tracepoint `reschedule_exit` is missing: without it, the end of the interrupt would never be recorded.
        "irq_vectors/reschedule_entry" => Some("ID: 160\n".to_owned()),
        _ => None,
    })
}

fn records(raw: &[u8], names: &mut Names) -> Vec<TraceRecord> {
    let mut records = Vec::new();
    layout().decode(raw, (Nanos::new(5), 1), names, &mut |record| records.push(record));
    records
}

#[test]
fn a_switch_is_two_records() {
    let mut raw = vec![0_u8; 64];
    raw[..2].copy_from_slice(&372_u16.to_ne_bytes());
    raw[24..28].copy_from_slice(&70_i32.to_ne_bytes());
    raw[32..40].copy_from_slice(&0x100_i64.to_ne_bytes());
    raw[40..46].copy_from_slice(b"chrome");
    raw[56..60].copy_from_slice(&80_i32.to_ne_bytes());
    raw[60..64].copy_from_slice(&49_i32.to_ne_bytes());
    let mut names = Names::default();
    let found = records(&raw, &mut names);
    let [out, back] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((out.event, out.thread), (TraceEvent::Preempted, Some(70)));
    assert_eq!((back.event, back.thread, back.value), (TraceEvent::SwitchIn, Some(80), Some(49)));
    assert_eq!((back.at, back.cpu), (Nanos::new(5), 1));
    for (state, event) in [
        (0, TraceEvent::Preempted),
        (1, TraceEvent::Slept),
        (2, TraceEvent::Blocked),
        (4, TraceEvent::Stopped),
        (8, TraceEvent::Stopped),
    ] {
        assert_eq!(left(state), event);
    }
}

#[test]
fn interrupts_carry_their_names() {
    let mut raw = vec![0_u8; 16];
    raw[..2].copy_from_slice(&225_u16.to_ne_bytes());
    raw[8..12].copy_from_slice(&47_i32.to_ne_bytes());
    raw[12..16].copy_from_slice(&((6_i32 << 16) | 16).to_ne_bytes());
    raw.extend(b"virtio\0");
    let mut names = Names::default();
    let record = records(&raw, &mut names)[0];
    assert_eq!(names.of(&record).as_deref(), Some("virtio, IRQ 47"));
    let timer = records(&165_u16.to_ne_bytes(), &mut names)[0];
    assert_eq!(names.of(&timer).as_deref(), Some("local timer interrupt"));
}

#[test]
fn interrupts_without_an_end_or_with_a_length_are_recorded_as_such() {
    let mut names = Names::default();
    let work = records(&157_u16.to_ne_bytes(), &mut names)[0];
    assert_eq!(work.event, TraceEvent::Interrupted);
    assert_eq!(names.of(&work).as_deref(), Some("IRQ work interrupt"));
    let mut raw = vec![0_u8; 28];
    raw[..2].copy_from_slice(&170_u16.to_ne_bytes());
    raw[16..24].copy_from_slice(&3_i64.to_ne_bytes());
    let found = records(&raw, &mut names);
    let [begin, end] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((begin.event, begin.at), (TraceEvent::InterruptBegin, Nanos::new(2)));
    assert_eq!((end.event, end.at), (TraceEvent::InterruptEnd, Nanos::new(5)));
    assert_eq!(names.of(begin).as_deref(), Some("NMI"));
}

#[test]
fn what_belongs_together_is_opened_together_and_what_lacks_is_absent() {
    let layout = layout();
    let names: Vec<&str> = layout.groups.iter().map(|group| group.name.as_str()).collect();
    let local = "irq_vectors/local_timer";
    let [set, expired] = ["timer/hrtimer_start", "timer/hrtimer_expire_entry"];
    let sleeps = [set, expired, "power/cpu_idle"];
    let others = ["sched/sched_switch", "irq/irq_handler", local, IRQ_WORK, NMI];
    assert_eq!(names, [&others[..], &sleeps[..]].concat());
    assert_eq!(layout.groups[1].ids, [225, 226]);
    assert!(layout.absent.contains(&"irq/softirq".to_owned()));
    assert_eq!(layout.absent.contains(&"irq_vectors/reschedule".to_owned()), IS_X86);
    for (row, is_recorded) in
        [("47", true), ("LOC", true), ("NMI", true), ("ERR", true), ("RES", false), ("HVS", false)]
    {
        assert_eq!(layout.records_row(row), is_recorded, "{row}");
    }
}

#[test]
fn wake_ups_are_those_of_measuring_threads_in_the_numbers_of_their_namespace() {
    let layout =
        Layout::from_formats(|name| (name == "sched/sched_waking").then(|| WAKING.to_owned()));
    let woken = |numbers: Numbers, thread: i32| {
        let mut raw = vec![0_u8; 28];
        raw[..2].copy_from_slice(&371_u16.to_ne_bytes());
        raw[24..28].copy_from_slice(&thread.to_ne_bytes());
        let mut names = Names::new(numbers);
        let mut found = None;
        layout.decode(&raw, (Nanos::ZERO, 0), &mut names, &mut |record| found = record.thread);
        found
    };
    assert_eq!(woken(Numbers::new(true, [7]), 7), Some(7));
    assert_eq!(woken(Numbers::new(true, [7]), 8), None);
    let mut nested = Numbers::new(false, [7]);
    nested.learn(7, Some(4_007));
    assert_eq!(woken(nested, 4_007), Some(7));
    assert_eq!(woken(Numbers::new(false, [7]), 7), None, "the number of another thread");
}

/// Returns the raw data of a tracepoint: its ID, its flags, the ID of the thread, and fields of 8 bytes.
fn raw(id: u16, flags: u8, thread: i32, fields: &[i64]) -> Vec<u8> {
    let mut raw = id.to_ne_bytes().to_vec();
    raw.extend([flags, 0]);
    raw.extend(thread.to_ne_bytes());
    raw.extend(fields.iter().flat_map(|field| field.to_ne_bytes()));
    raw
}

#[test]
fn the_timer_that_a_thread_set_itself_ends_its_sleep() {
    let layout = Layout::from_formats(|name| match name {
        "timer/hrtimer_start" => Some(TIMER_SET.to_owned()),
        "timer/hrtimer_expire_entry" => Some(TIMER_EXPIRED.to_owned()),
        "sched/sched_waking" => Some(WAKING.to_owned()),
        _ => None,
    });
    let ended = |flags: u8, setter: i32| {
        let mut names = Names::new(Numbers::new(true, [7]));
        names.timers = Timers::exact();
        let mut found = Vec::new();
        let waking = raw(371, 0x08, 0, &[0, 0, 7]);
        for (at, data) in [
            (1_000, raw(460, flags, setter, &[0xa0, 0, 16_000, 16_000])),
            (16_900, raw(459, 0x08, 0, &[0xa0])),
            (16_904, waking),
        ] {
            let place = (Nanos::new(at), 1);
            layout.decode(&data, place, &mut names, &mut |record| found.push(record));
        }
        found
    };
    let found = ended(0, 7);
    let [expired, waking] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((expired.event, expired.thread), (TraceEvent::TimerExpired, Some(7)));
    assert_eq!((expired.at, expired.value), (Nanos::new(16_900), Some(900)));
    assert_eq!((waking.event, waking.at), (TraceEvent::Waking, Nanos::new(16_904)));
    assert_eq!(ended(0x08, 7).len(), 1, "the tick, which interrupted the thread");
    assert_eq!(ended(0, 8).len(), 1, "the timer of another thread");
}

#[test]
fn an_idle_state_has_the_time_that_it_takes_to_leave_it() {
    let mut names = Names::default();
    names.idle = IdleStates::made(1, 3, 133_000);
    let state = |state: u32| i64::from(state) | (1 << 32);
    let begin = records(&raw(568, 0, 0, &[state(3)]), &mut names);
    assert_eq!((begin[0].event, begin[0].value), (TraceEvent::IdleBegin, Some(133_000)));
    let end = records(&raw(568, 0, 0, &[state(NOT_IDLE)]), &mut names);
    assert_eq!((end[0].event, end[0].value, end.len()), (TraceEvent::IdleEnd, None, 1));
}

#[test]
fn damaged_data_is_omitted() {
    let mut names = Names::default();
    for raw in [&[][..], &[1], &372_u16.to_ne_bytes(), &[0xff; 64]] {
        assert_eq!(records(raw, &mut names), []);
    }
    assert_eq!(Layout::from_formats(|_| None).groups, []);
    assert_eq!(offset("field:int x;\toffset:y;", "x"), None);
}
