//! The kernel's tracepoints: where their fields are, and the records they become.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::names::Names;
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Where the kernel describes its tracepoints.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"];
/// Interrupt vectors of x86, each with an entry and an exit, and their names.
/// Not `irq_work`: the kernel denies its exit, since records themselves cause it.
const VECTORS: [(&str, &str); 7] = [
    ("local_timer", "local timer"),
    ("reschedule", "reschedule"),
    ("call_function", "call function"),
    ("call_function_single", "call function"),
    ("x86_platform_ipi", "platform IPI"),
    ("thermal_apic", "thermal event"),
    ("spurious_apic", "spurious"),
];
/// Where the data of each tracepoint has the thread that it is from.
const COMMON_PID: usize = 4;
/// Softirqs by their number.
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// What a tracepoint is, with the places of its fields in the raw data.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Switch { from: usize, state: usize, to: usize, priority: usize, to_name: usize },
    Waking { thread: usize },
    PageFault,
    InterruptBegin { number: usize, name: usize },
    SoftirqBegin { number: usize },
    VectorBegin(&'static str),
    InterruptEnd,
    SoftirqEnd,
}

/// The tracepoints of this kernel by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    kinds: BTreeMap<u16, Kind>,
}

impl Layout {
    /// Reads the descriptions; fails without those of `sched_switch`, others may be missing.
    pub(super) fn read() -> io::Result<Self> {
        let mut denied = io::Error::from(io::ErrorKind::NotFound);
        for folder in FOLDERS {
            let format_of =
                |name: &str| fs::read_to_string(Path::new(folder).join(name).join("format"));
            match format_of("sched/sched_switch") {
                Ok(_) => return Ok(Self::from_formats(|name| format_of(name).ok())),
                Err(error) => denied = error,
            }
        }
        Err(denied)
    }

    fn from_formats(format_of: impl Fn(&str) -> Option<String>) -> Self {
        let mut layout = Self::default();
        let mut add = |name: &str, kind: &dyn Fn(&str) -> Option<Kind>| {
            let Some(format) = format_of(name) else { return };
            if let (Some(id), Some(kind)) = (id(&format), kind(&format)) {
                layout.kinds.insert(id, kind);
            }
        };
        add("sched/sched_switch", &|format| {
            Some(Kind::Switch {
                from: offset(format, "prev_pid")?,
                state: offset(format, "prev_state")?,
                to: offset(format, "next_pid")?,
                priority: offset(format, "next_prio")?,
                to_name: offset(format, "next_comm")?,
            })
        });
        add("sched/sched_waking", &|format| Some(Kind::Waking { thread: offset(format, "pid")? }));
        add("exceptions/page_fault_user", &|_| Some(Kind::PageFault));
        add("irq/irq_handler_entry", &|format| {
            Some(Kind::InterruptBegin {
                number: offset(format, "irq")?,
                name: offset(format, "name")?,
            })
        });
        add("irq/irq_handler_exit", &|_| Some(Kind::InterruptEnd));
        add("irq/softirq_entry", &|format| {
            Some(Kind::SoftirqBegin { number: offset(format, "vec")? })
        });
        add("irq/softirq_exit", &|_| Some(Kind::SoftirqEnd));
        for (key, name) in VECTORS {
            add(&format!("irq_vectors/{key}_entry"), &|_| Some(Kind::VectorBegin(name)));
            add(&format!("irq_vectors/{key}_exit"), &|_| Some(Kind::InterruptEnd));
        }
        layout
    }

    /// The number of the tracepoint of switches; `None` where the kernel's is not understood.
    pub(super) fn switch_id(&self) -> Option<u16> {
        self.kinds.iter().find_map(|(id, kind)| matches!(kind, Kind::Switch { .. }).then_some(*id))
    }

    /// The number of the tracepoint of page faults in user code; `None` where the kernel has none.
    pub(super) fn page_fault_id(&self) -> Option<u16> {
        self.kinds.iter().find_map(|(id, kind)| (*kind == Kind::PageFault).then_some(*id))
    }

    /// The numbers of the tracepoints of wake-ups and interrupts, and whether each is about one thread to
    /// filter by.
    pub(super) fn other_ids(&self) -> impl Iterator<Item = (u16, bool)> + '_ {
        let is_other = |kind: &Kind| !matches!(kind, Kind::Switch { .. } | Kind::PageFault);
        let others = self.kinds.iter().filter(move |(_, kind)| is_other(kind));
        others.map(|(id, kind)| (*id, matches!(kind, Kind::Waking { .. })))
    }

    /// Decodes the raw data of one tracepoint; unknown ones are omitted.
    pub(super) fn decode(
        &self,
        raw: &[u8],
        (at, cpu): (Nanos, u32),
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let Some(kind) =
            number::<2>(raw, 0).map(u16::from_ne_bytes).and_then(|id| self.kinds.get(&id))
        else {
            return;
        };
        let base = TraceRecord {
            at,
            event: TraceEvent::InterruptEnd,
            cpu,
            thread: None,
            name: None,
            value: None,
        };
        let int = |at: usize| number::<4>(raw, at).map(i32::from_ne_bytes);
        let record = match *kind {
            Kind::Switch { from, state, to, priority, to_name } => {
                let thread = |at| int(at).and_then(|thread| u32::try_from(thread).ok());
                let (Some(from), Some(to)) = (thread(from), thread(to)) else { return };
                let state = number::<8>(raw, state).map_or(0, i64::from_ne_bytes);
                if from != 0 {
                    take(TraceRecord { event: left(state), thread: Some(from), ..base });
                }
                if to != 0 {
                    names.record_thread(to, &text(raw.get(to_name..).unwrap_or_default()));
                }
                let value = int(priority).map(i64::from);
                TraceRecord { event: TraceEvent::SwitchIn, thread: Some(to), value, ..base }
            }
            Kind::Waking { thread } => {
                let thread = int(thread).and_then(|thread| u32::try_from(thread).ok());
                TraceRecord { event: TraceEvent::Waking, thread, ..base }
            }
            Kind::PageFault => {
                let thread = int(COMMON_PID).and_then(|thread| u32::try_from(thread).ok());
                TraceRecord { event: TraceEvent::PageFault, thread, ..base }
            }
            Kind::InterruptBegin { number: line, name } => {
                let line = int(line).unwrap_or_default();
                // The low half of the field is where the name is, from the start of the data.
                let place = int(name).and_then(|place| usize::try_from(place & 0xffff).ok());
                let name = text(place.and_then(|place| raw.get(place..)).unwrap_or_default());
                let name = names.position(&format!("{name} (IRQ {line})"));
                let value = Some(i64::from(line));
                TraceRecord { event: TraceEvent::InterruptBegin, name, value, ..base }
            }
            Kind::SoftirqBegin { number } => {
                let number = int(number).unwrap_or(-1);
                let known = usize::try_from(number).ok().and_then(|at| SOFTIRQS.get(at));
                let name = known.map_or_else(|| number.to_string(), |name| (*name).to_owned());
                let name = names.position(&name);
                let value = Some(i64::from(number));
                TraceRecord { event: TraceEvent::SoftirqBegin, name, value, ..base }
            }
            Kind::VectorBegin(name) => {
                let name = names.position(&format!("{name} interrupt"));
                TraceRecord { event: TraceEvent::InterruptBegin, name, ..base }
            }
            Kind::InterruptEnd => base,
            Kind::SoftirqEnd => TraceRecord { event: TraceEvent::SoftirqEnd, ..base },
        };
        take(record);
    }
}

/// How a thread lost its CPU, by its state as `sched_switch` has it.
const fn left(state: i64) -> TraceEvent {
    // Bit 8 marks a preempted thread, whatever it was about to do.
    if state.trailing_zeros() >= 8 || state & 0x100 != 0 {
        TraceEvent::Preempted
    } else if state & 0x0c != 0 {
        TraceEvent::Stopped
    } else if state & 0x02 != 0 {
        TraceEvent::Blocked
    } else {
        TraceEvent::Slept
    }
}

fn number<const N: usize>(raw: &[u8], at: usize) -> Option<[u8; N]> {
    raw.get(at..at + N)?.try_into().ok()
}

/// The text up to its end; what is not UTF-8 is replaced.
fn text(raw: &[u8]) -> String {
    let end = raw.iter().position(|byte| *byte == 0).unwrap_or(raw.len());
    String::from_utf8_lossy(raw.get(..end).unwrap_or_default()).into_owned()
}

/// The number of a tracepoint: `ID: 372`.
fn id(format: &str) -> Option<u16> {
    format.lines().find_map(|line| line.strip_prefix("ID:"))?.trim().parse().ok()
}

/// Where a field is: `field:pid_t next_pid; offset:56; size:4; signed:1;`.
fn offset(format: &str, name: &str) -> Option<usize> {
    format.lines().find_map(|line| {
        let mut parts = line.trim().strip_prefix("field:")?.split(';').map(str::trim);
        let declared = parts.next()?.split_whitespace().next_back()?;
        if declared.split('[').next()? != name {
            return None;
        }
        parts.find_map(|part| part.strip_prefix("offset:"))?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
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

    fn layout() -> Layout {
        Layout::from_formats(|name| match name {
            "sched/sched_switch" => Some(SWITCH.to_owned()),
            "irq/irq_handler_entry" => Some(IRQ.to_owned()),
            "irq_vectors/local_timer_entry" => Some("ID: 165\n".to_owned()),
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
        assert_eq!(
            (back.event, back.thread, back.value),
            (TraceEvent::SwitchIn, Some(80), Some(49))
        );
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
        assert_eq!(names.of(&record).as_deref(), Some("virtio (IRQ 47)"));
        let timer = records(&165_u16.to_ne_bytes(), &mut names)[0];
        assert_eq!(names.of(&timer).as_deref(), Some("local timer interrupt"));
    }

    #[test]
    fn damaged_data_is_omitted() {
        let mut names = Names::default();
        for raw in [&[][..], &[1], &372_u16.to_ne_bytes(), &[0xff; 64]] {
            assert_eq!(records(raw, &mut names), []);
        }
        assert_eq!(Layout::from_formats(|_| None).switch_id(), None);
        assert_eq!(offset("field:int x;\toffset:y;", "x"), None);
    }
}
