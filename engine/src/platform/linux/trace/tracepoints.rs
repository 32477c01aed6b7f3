//! The kernel's tracepoints: the offsets of their fields, and their conversion into trace records.

mod recorded;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

pub(super) use self::recorded::{RECLAIM_BEGIN, STORAGE};

use self::recorded::RecordedKind;
use super::names::Names;
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord, WakeContext};

/// Folders in which the kernel describes its tracepoints.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"];
/// Interrupt vectors of x86 that have an entry and an exit tracepoint. Each has the name in these
/// tracepoints, the name to show, and whether every kernel for x86 has the vector.
const VECTORS: [(&str, &str, bool); 10] = [
    ("local_timer", "local timer", true),
    ("reschedule", "reschedule", true),
    ("call_function", "call function", true),
    ("call_function_single", "call function", true),
    ("x86_platform_ipi", "platform IPI", false),
    ("thermal_apic", "thermal event", false),
    ("threshold_apic", "threshold", false),
    ("deferred_error_apic", "deferred error", false),
    ("error_apic", "APIC error", false),
    ("spurious_apic", "spurious", false),
];
/// An interrupt vector of which only the entry is recorded: the kernel denies its exit tracepoint, since
/// writing records itself causes this interrupt.
const IRQ_WORK: &str = "irq_vectors/irq_work_entry";
/// Tracepoint at the end of a handler of non-maskable interrupts, with the duration of the handler.
const NMI: &str = "nmi/nmi_handler";
/// Page faults in user code.
pub(super) const PAGE_FAULT: &str = "exceptions/page_fault_user";
/// Interrupts between CPUs (inter-processor interrupts), on Arm.
const IPI: &str = "ipi/ipi";
const IS_X86: bool = cfg!(any(target_arch = "x86_64", target_arch = "x86"));
const IS_ARM: bool = cfg!(any(target_arch = "aarch64", target_arch = "arm"));
/// Labels of rows of `/proc/interrupts`, each with the tracepoint that records the interrupts of the row.
const ROWS: [(&str, &str); 11] = [
    ("NMI", NMI),
    ("PMI", NMI),
    ("LOC", "irq_vectors/local_timer"),
    ("SPU", "irq_vectors/spurious_apic"),
    ("IWI", IRQ_WORK),
    ("RES", "irq_vectors/reschedule"),
    ("CAL", "irq_vectors/call_function"),
    ("TLB", "irq_vectors/call_function"),
    ("TRM", "irq_vectors/thermal_apic"),
    ("THR", "irq_vectors/threshold_apic"),
    ("DFR", "irq_vectors/deferred_error_apic"),
];
/// Rows of `/proc/interrupts` that count no interrupts, but retries, polls, and errors.
const NO_INTERRUPTS: [&str; 5] = ["RTR", "MCP", "ERR", "MIS", "Err"];
/// Offsets of the fields `common_flags` and `common_pid` in the data of every tracepoint.
const COMMON_FLAGS: usize = 2;
const COMMON_PID: usize = 4;
/// Bits of `common_flags` that are set in an interrupt or softirq: the thread did not cause the event.
const IN_INTERRUPT: u8 = 0x18;
/// The state in `cpu_idle` with which a CPU exits an idle state.
const NOT_IDLE: u32 = u32::MAX;
/// Names of softirqs by their number.
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// The kind of a tracepoint, with the offsets of its fields in the raw data.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TracepointKind {
    Switch {
        from: usize,
        state: usize,
        to: usize,
        priority: usize,
        from_name: usize,
        to_name: usize,
    },
    Waking {
        thread: usize,
    },
    PageFault,
    InterruptBegin {
        number: usize,
        name: usize,
    },
    SoftirqBegin {
        number: usize,
    },
    VectorBegin(&'static str),
    /// An interrupt vector whose end is not recorded.
    VectorOnly(&'static str),
    Nmi {
        length: usize,
    },
    TimerSet {
        timer: usize,
        expires: usize,
    },
    TimerExpired {
        timer: usize,
    },
    Idle {
        state: usize,
    },
    InterruptEnd,
    SoftirqEnd,
    /// One that only a recorder needs.
    OfRecorder(RecordedKind),
}

/// The filter that the kernel applies to a tracepoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Filter {
    /// No filter.
    #[default]
    None,
    /// Switches to or from measuring threads.
    Switches,
    /// Events about measuring threads, such as their wake-ups.
    Threads,
    /// Events that measuring threads cause.
    Current,
}

/// Tracepoints that are useful only together, such as the begin and the end of an interrupt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// The name with which a missing group is listed.
    pub(super) name: String,
    /// The IDs of the tracepoints.
    pub(super) ids: Vec<u16>,
    pub(super) filter: Filter,
}

impl Group {
    #[cfg(test)]
    pub(super) fn made(name: &str, ids: &[u16]) -> Self {
        Self { name: name.to_owned(), ids: ids.to_vec(), filter: Filter::None }
    }
}

/// The tracepoints of this kernel by their ID.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    kinds: BTreeMap<u16, TracepointKind>,
    /// The groups of tracepoints to open on each CPU, to record everything that could explain a delay.
    pub(super) groups: Vec<Group>,
    /// Names of needed groups that this kernel does not have.
    pub(super) absent: Vec<String>,
    /// The ID of the tracepoint of page faults in user code; `None` if the kernel has none.
    pub(super) page_fault: Option<u16>,
}

/// The kernel's descriptions of tracepoints that were read while this process was root.
static NOTED: OnceLock<Layout> = OnceLock::new();

impl Layout {
    /// Reads and saves the kernel's descriptions of tracepoints. After this process has dropped the rights
    /// of root, it may not be permitted to read them.
    pub(super) fn note() {
        match Self::from_files() {
            Ok(layout) => drop(NOTED.set(layout)),
            Err(error) => log::info!("tracepoints are not available: {error}"),
        }
    }

    /// Returns the descriptions that were saved, or else reads them. Fails without the description of
    /// `sched_switch`; other descriptions may be missing.
    pub(super) fn read() -> io::Result<Self> {
        NOTED.get().cloned().map_or_else(Self::from_files, Ok)
    }

    fn from_files() -> io::Result<Self> {
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

    /// Returns whether this kernel has a tracepoint that is a separate group.
    pub(super) fn has_group(&self, name: &str) -> bool {
        self.groups.iter().any(|group| group.name == name)
    }

    fn from_formats(format_of: impl Fn(&str) -> Option<String>) -> Self {
        let mut layout = Self::default();
        let event = |name: &str, kind: &dyn Fn(&str) -> Option<TracepointKind>| {
            let format = format_of(name)?;
            Some((id(&format)?, kind(&format)?))
        };
        let switch = event("sched/sched_switch", &|format| {
            Some(TracepointKind::Switch {
                from: offset(format, "prev_pid")?,
                state: offset(format, "prev_state")?,
                to: offset(format, "next_pid")?,
                priority: offset(format, "next_prio")?,
                from_name: offset(format, "prev_comm")?,
                to_name: offset(format, "next_comm")?,
            })
        });
        layout.add("sched/sched_switch", Filter::Switches, true, [switch]);
        let waking = event("sched/sched_waking", &|format| {
            Some(TracepointKind::Waking { thread: offset(format, "pid")? })
        });
        layout.add("sched/sched_waking", Filter::Threads, true, [waking]);
        let begin = event("irq/irq_handler_entry", &|format| {
            Some(TracepointKind::InterruptBegin {
                number: offset(format, "irq")?,
                name: offset(format, "name")?,
            })
        });
        let end = event("irq/irq_handler_exit", &|_| Some(TracepointKind::InterruptEnd));
        layout.add("irq/irq_handler", Filter::None, true, [begin, end]);
        let begin = event("irq/softirq_entry", &|format| {
            Some(TracepointKind::SoftirqBegin { number: offset(format, "vec")? })
        });
        let end = event("irq/softirq_exit", &|_| Some(TracepointKind::SoftirqEnd));
        layout.add("irq/softirq", Filter::None, true, [begin, end]);
        for (key, name, is_in_every) in VECTORS {
            let begin = event(&format!("irq_vectors/{key}_entry"), &|_| {
                Some(TracepointKind::VectorBegin(name))
            });
            let end =
                event(&format!("irq_vectors/{key}_exit"), &|_| Some(TracepointKind::InterruptEnd));
            let is_needed = is_in_every && IS_X86;
            layout.add(&format!("irq_vectors/{key}"), Filter::None, is_needed, [begin, end]);
        }
        let work = event(IRQ_WORK, &|_| Some(TracepointKind::VectorOnly("IRQ work")));
        layout.add(IRQ_WORK, Filter::None, IS_X86, [work]);
        let handler =
            event(NMI, &|format| Some(TracepointKind::Nmi { length: offset(format, "delta_ns")? }));
        layout.add(NMI, Filter::None, IS_X86, [handler]);
        let begin =
            event("ipi/ipi_entry", &|_| Some(TracepointKind::VectorBegin("inter-processor")));
        let end = event("ipi/ipi_exit", &|_| Some(TracepointKind::InterruptEnd));
        layout.add(IPI, Filter::None, IS_ARM, [begin, end]);
        let set = event("timer/hrtimer_start", &|format| {
            Some(TracepointKind::TimerSet {
                timer: offset(format, "hrtimer")?,
                expires: offset(format, "expires")?,
            })
        });
        layout.add("timer/hrtimer_start", Filter::Current, true, [set]);
        let expired = event("timer/hrtimer_expire_entry", &|format| {
            Some(TracepointKind::TimerExpired { timer: offset(format, "hrtimer")? })
        });
        layout.add("timer/hrtimer_expire_entry", Filter::None, true, [expired]);
        let idle = event("power/cpu_idle", &|format| {
            Some(TracepointKind::Idle { state: offset(format, "state")? })
        });
        layout.add("power/cpu_idle", Filter::None, true, [idle]);
        if let Some((id, kind)) = event(PAGE_FAULT, &|_| Some(TracepointKind::PageFault)) {
            layout.kinds.insert(id, kind);
            layout.page_fault = Some(id);
        }
        layout
    }

    /// Returns the groups of a kernel that has every tracepoint.
    #[cfg(test)]
    pub(super) fn complete_groups() -> Vec<Group> {
        const FIELDS: [&str; 14] = [
            "prev_comm",
            "prev_pid",
            "prev_state",
            "next_pid",
            "next_prio",
            "next_comm",
            "pid",
            "irq",
            "name",
            "vec",
            "delta_ns",
            "hrtimer",
            "expires",
            "state",
        ];
        let id = std::cell::Cell::new(0);
        Self::from_formats(|_| {
            id.set(id.get() + 1);
            let field =
                |name: &&str| format!("\tfield:int {name};\toffset:8;\tsize:4;\tsigned:1;\n");
            let fields: String = FIELDS.iter().map(field).collect();
            Some(format!("ID: {}\n{fields}", id.get()))
        })
        .groups
    }

    /// Adds the tracepoints of a group if this kernel has all of them; otherwise lists the group as
    /// absent if it is needed.
    fn add(
        &mut self,
        name: &str,
        filter: Filter,
        is_needed: bool,
        events: impl IntoIterator<Item = Option<(u16, TracepointKind)>>,
    ) {
        let events: Option<Vec<(u16, TracepointKind)>> = events.into_iter().collect();
        let Some(events) = events else {
            if is_needed {
                self.absent.push(name.to_owned());
            }
            return;
        };
        let ids = events.iter().map(|(id, _)| *id).collect();
        self.groups.push(Group { name: name.to_owned(), ids, filter });
        self.kinds.extend(events);
    }

    /// Returns the ID of the tracepoint that wrote the raw data of a record.
    pub(super) fn tracepoint(raw: &[u8]) -> Option<u16> {
        number::<2>(raw, 0).map(u16::from_ne_bytes)
    }

    /// Returns the name of a tracepoint, such as `irq/softirq_entry`; `None` if it is not open.
    pub(super) fn label(&self, tracepoint: u16) -> Option<String> {
        if self.page_fault == Some(tracepoint) {
            return Some(PAGE_FAULT.to_owned());
        }
        let group = self.groups.iter().find(|group| group.ids.contains(&tracepoint))?;
        Some(match group.ids.as_slice() {
            [entry, _] if *entry == tracepoint => format!("{}_entry", group.name),
            [_, _] => format!("{}_exit", group.name),
            _ => group.name.clone(),
        })
    }

    /// Returns the ID of the tracepoint of wake-ups; `None` if its format is not known.
    pub(super) fn waking_id(&self) -> Option<u16> {
        self.kinds
            .iter()
            .find_map(|(id, kind)| matches!(kind, TracepointKind::Waking { .. }).then_some(*id))
    }

    /// Whether the interrupts of a row of `/proc/interrupts` are recorded; also true if the row counts no interrupts.
    pub(super) fn records_row(&self, label: &str) -> bool {
        let has = |name: &str| self.groups.iter().any(|group| group.name == name);
        // A row of a device has a number as its label; the tracepoints of handlers record its interrupts.
        let is_device = label.starts_with(|first: char| first.is_ascii_digit());
        let is_known = ROWS.iter().any(|(row, name)| *row == label && has(name));
        let is_ipi = label.starts_with("IPI") && has(IPI);
        is_device || is_known || is_ipi || NO_INTERRUPTS.contains(&label)
    }

    /// Decodes the raw data of one tracepoint record; skips unknown tracepoints.
    pub(super) fn decode(
        &self,
        raw: &[u8],
        (at, cpu): (Nanos, u32),
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        let Some(kind) = Self::tracepoint(raw).and_then(|id| self.kinds.get(&id)) else {
            return;
        };
        let base = TraceRecord::new(at, TraceEvent::InterruptEnd, cpu);
        let int = |at: usize| number::<4>(raw, at).map(i32::from_ne_bytes);
        let record = match *kind {
            TracepointKind::Switch { from, state, to, priority, from_name, to_name } => {
                names.completions.end(base, None, take);
                let thread = |at| int(at).and_then(|thread| u32::try_from(thread).ok());
                let (Some(from), Some(to)) = (thread(from), thread(to)) else { return };
                let state = number::<8>(raw, state).map_or(0, i64::from_ne_bytes);
                let is_initial = names.numbers.is_initial;
                let mut record_name = |thread, at: usize| {
                    let number = names.numbers.of_tracepoint(thread);
                    names.record_thread(number, &text(raw.get(at..).unwrap_or_default()));
                };
                if from != 0 {
                    // In a PID namespace, the switch to this thread, which has its name, may not have been recorded.
                    if !is_initial {
                        record_name(from, from_name);
                    }
                    take(TraceRecord { event: left(state), thread: Some(from), ..base });
                }
                if to != 0 {
                    record_name(to, to_name);
                }
                let value = int(priority).map(i64::from);
                TraceRecord { event: TraceEvent::SwitchIn, thread: Some(to), value, ..base }
            }
            TracepointKind::Waking { thread } => {
                let thread = int(thread).and_then(|thread| u32::try_from(thread).ok());
                // Wake-ups of other threads do not explain a delay of a measuring thread.
                let Some(own) = thread.and_then(|thread| names.numbers.own(thread)) else { return };
                names.timers.woke(own, cpu).into_iter().for_each(&mut *take);
                TraceRecord { event: TraceEvent::Waking, thread: Some(own), ..base }
            }
            TracepointKind::PageFault => {
                let thread = int(COMMON_PID).and_then(|thread| u32::try_from(thread).ok());
                TraceRecord { event: TraceEvent::PageFault, thread, ..base }
            }
            TracepointKind::InterruptBegin { number: line, name } => {
                let line = int(line).unwrap_or_default();
                // The low 16 bits of the field are the offset of the name from the start of the data.
                let place = int(name).and_then(|place| usize::try_from(place & 0xffff).ok());
                let name = text(place.and_then(|place| raw.get(place..)).unwrap_or_default());
                let name = names.position(&format!("{name}, IRQ {line}"));
                let value = Some(i64::from(line));
                TraceRecord { event: TraceEvent::InterruptBegin, name, value, ..base }
            }
            TracepointKind::SoftirqBegin { number } => {
                let number = int(number).unwrap_or(-1);
                let known = usize::try_from(number).ok().and_then(|at| SOFTIRQS.get(at));
                let name = known.map_or_else(|| number.to_string(), |name| (*name).to_owned());
                let name = names.position(&name);
                let value = Some(i64::from(number));
                TraceRecord { event: TraceEvent::SoftirqBegin, name, value, ..base }
            }
            TracepointKind::VectorBegin(name) => {
                let name = names.position(&format!("{name} interrupt"));
                TraceRecord { event: TraceEvent::InterruptBegin, name, ..base }
            }
            TracepointKind::VectorOnly(name) => {
                let name = names.position(&format!("{name} interrupt"));
                TraceRecord { event: TraceEvent::Interrupted, name, ..base }
            }
            TracepointKind::Nmi { length } => {
                let length = number::<8>(raw, length).map_or(0, i64::from_ne_bytes).max(0);
                let (event, name) = (TraceEvent::InterruptBegin, names.position("NMI"));
                take(TraceRecord { at: at - Nanos::new(length), event, name, ..base });
                base
            }
            TracepointKind::TimerSet { timer, expires } => {
                note_timer(raw, (timer, expires), cpu, names);
                return;
            }
            TracepointKind::TimerExpired { timer } => {
                let Some(timer) = number(raw, timer) else { return };
                names.timers.expired((cpu, u64::from_ne_bytes(timer)), at);
                return;
            }
            TracepointKind::Idle { state } => {
                let Some(state) = number(raw, state).map(u32::from_ne_bytes) else { return };
                if state == NOT_IDLE {
                    TraceRecord { event: TraceEvent::IdleEnd, ..base }
                } else {
                    let value = names.idle.latency(cpu, state);
                    TraceRecord { event: TraceEvent::IdleBegin, value, ..base }
                }
            }
            TracepointKind::OfRecorder(kind) => {
                let Some(record) = recorded::decode(kind, raw, base, names) else { return };
                record
            }
            TracepointKind::InterruptEnd => {
                names.completions.end(base, Some(WakeContext::Interrupt), take);
                base
            }
            TracepointKind::SoftirqEnd => {
                names.completions.end(base, Some(WakeContext::Softirq), take);
                TraceRecord { event: TraceEvent::SoftirqEnd, ..base }
            }
        };
        take(record);
    }
}

/// Saves a timer that a measuring thread set; ignores timers that an interrupt on its CPU set.
fn note_timer(raw: &[u8], (timer, expires): (usize, usize), cpu: u32, names: &mut Names) {
    let is_interrupt = raw.get(COMMON_FLAGS).is_none_or(|flags| flags & IN_INTERRUPT != 0);
    let thread = number(raw, COMMON_PID).map(u32::from_ne_bytes);
    let own = thread.filter(|_| !is_interrupt).and_then(|thread| names.numbers.own(thread));
    let (Some(own), Some(timer), Some(expires)) = (own, number(raw, timer), number(raw, expires))
    else {
        return;
    };
    let expires = Nanos::new(i64::from_ne_bytes(expires));
    names.timers.set((cpu, u64::from_ne_bytes(timer)), own, expires);
}

/// Returns how a thread lost its CPU, by its state in `sched_switch`.
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

/// Returns the text up to the first zero byte; replaces invalid UTF-8.
fn text(raw: &[u8]) -> String {
    let end = raw.iter().position(|byte| *byte == 0).unwrap_or(raw.len());
    String::from_utf8_lossy(raw.get(..end).unwrap_or_default()).into_owned()
}

/// Parses the ID of a tracepoint from its description, such as `ID: 372`.
fn id(format: &str) -> Option<u16> {
    format.lines().find_map(|line| line.strip_prefix("ID:"))?.trim().parse().ok()
}

/// Parses the offset of a field in bytes from a line such as `field:pid_t next_pid; offset:56; size:4; signed:1;`.
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
mod tests;
