//! The kernel's tracepoints: where their fields are, and the records they become.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use super::names::Names;
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Where the kernel describes its tracepoints.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"];
/// Interrupt vectors of x86, each with an entry and an exit, their names, and whether every such kernel has them.
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
/// The kernel denies the exit of this vector, since records themselves cause it.
const IRQ_WORK: &str = "irq_vectors/irq_work_entry";
/// Written when a handler of non-maskable interrupts ends, with its length.
const NMI: &str = "nmi/nmi_handler";
/// Interrupts between CPUs, on Arm.
const IPI: &str = "ipi/ipi";
const IS_X86: bool = cfg!(any(target_arch = "x86_64", target_arch = "x86"));
const IS_ARM: bool = cfg!(any(target_arch = "aarch64", target_arch = "arm"));
/// Rows of `/proc/interrupts` with the events that record them.
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
/// Rows that count no interrupts: retries, polls, and errors.
const NO_INTERRUPTS: [&str; 5] = ["RTR", "MCP", "ERR", "MIS", "Err"];
/// Where the data of each tracepoint has what the CPU was doing, and the thread that it is from.
const COMMON_FLAGS: usize = 2;
const COMMON_PID: usize = 4;
/// Set in an interrupt or softirq: what happens there is not the thread's doing.
const IN_INTERRUPT: u8 = 0x18;
/// The state of a CPU that is not idle, in `cpu_idle`.
const NOT_IDLE: u32 = u32::MAX;
/// Softirqs by their number.
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// What a tracepoint is, with the places of its fields in the raw data.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
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
    /// Its end is not recorded.
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
}

/// What a tracepoint is filtered by, in the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Filter {
    /// Nothing.
    #[default]
    None,
    /// Switches to or from measuring threads.
    Switches,
    /// The measuring threads.
    Threads,
    /// What measuring threads do.
    Current,
}

/// Tracepoints of use only together: the begin and the end of an interrupt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// Its name, where it is missing.
    pub(super) name: String,
    /// The numbers of its tracepoints.
    pub(super) ids: Vec<u16>,
    pub(super) filter: Filter,
}

impl Group {
    #[cfg(test)]
    pub(super) fn made(name: &str, ids: &[u16]) -> Self {
        Self { name: name.to_owned(), ids: ids.to_vec(), filter: Filter::None }
    }
}

/// The tracepoints of this kernel by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    kinds: BTreeMap<u16, Kind>,
    /// What to open on each CPU to have everything that could explain a delay.
    groups: Vec<Group>,
    /// What would belong to it and is not in this kernel.
    absent: Vec<String>,
    page_fault: Option<u16>,
}

/// What was read while it was readable.
static NOTED: OnceLock<Layout> = OnceLock::new();

impl Layout {
    /// Reads the descriptions for later, when only who may record events may no longer read them.
    pub(super) fn note() {
        match Self::from_files() {
            Ok(layout) => drop(NOTED.set(layout)),
            Err(error) => log::info!("tracepoints are not available: {error}"),
        }
    }

    /// The descriptions; fails without those of `sched_switch`, others may be missing.
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

    fn from_formats(format_of: impl Fn(&str) -> Option<String>) -> Self {
        let mut layout = Self::default();
        let event = |name: &str, kind: &dyn Fn(&str) -> Option<Kind>| {
            let format = format_of(name)?;
            Some((id(&format)?, kind(&format)?))
        };
        let switch = event("sched/sched_switch", &|format| {
            Some(Kind::Switch {
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
            Some(Kind::Waking { thread: offset(format, "pid")? })
        });
        layout.add("sched/sched_waking", Filter::Threads, true, [waking]);
        let begin = event("irq/irq_handler_entry", &|format| {
            Some(Kind::InterruptBegin {
                number: offset(format, "irq")?,
                name: offset(format, "name")?,
            })
        });
        let end = event("irq/irq_handler_exit", &|_| Some(Kind::InterruptEnd));
        layout.add("irq/irq_handler", Filter::None, true, [begin, end]);
        let begin = event("irq/softirq_entry", &|format| {
            Some(Kind::SoftirqBegin { number: offset(format, "vec")? })
        });
        let end = event("irq/softirq_exit", &|_| Some(Kind::SoftirqEnd));
        layout.add("irq/softirq", Filter::None, true, [begin, end]);
        for (key, name, is_in_every) in VECTORS {
            let begin =
                event(&format!("irq_vectors/{key}_entry"), &|_| Some(Kind::VectorBegin(name)));
            let end = event(&format!("irq_vectors/{key}_exit"), &|_| Some(Kind::InterruptEnd));
            let is_needed = is_in_every && IS_X86;
            layout.add(&format!("irq_vectors/{key}"), Filter::None, is_needed, [begin, end]);
        }
        let work = event(IRQ_WORK, &|_| Some(Kind::VectorOnly("IRQ work")));
        layout.add(IRQ_WORK, Filter::None, IS_X86, [work]);
        let handler = event(NMI, &|format| Some(Kind::Nmi { length: offset(format, "delta_ns")? }));
        layout.add(NMI, Filter::None, IS_X86, [handler]);
        let begin = event("ipi/ipi_entry", &|_| Some(Kind::VectorBegin("inter-processor")));
        let end = event("ipi/ipi_exit", &|_| Some(Kind::InterruptEnd));
        layout.add(IPI, Filter::None, IS_ARM, [begin, end]);
        let set = event("timer/hrtimer_start", &|format| {
            Some(Kind::TimerSet {
                timer: offset(format, "hrtimer")?,
                expires: offset(format, "expires")?,
            })
        });
        layout.add("timer/hrtimer_start", Filter::Current, true, [set]);
        let expired = event("timer/hrtimer_expire_entry", &|format| {
            Some(Kind::TimerExpired { timer: offset(format, "hrtimer")? })
        });
        layout.add("timer/hrtimer_expire_entry", Filter::None, true, [expired]);
        let idle =
            event("power/cpu_idle", &|format| Some(Kind::Idle { state: offset(format, "state")? }));
        layout.add("power/cpu_idle", Filter::None, true, [idle]);
        if let Some((id, kind)) = event("exceptions/page_fault_user", &|_| Some(Kind::PageFault)) {
            layout.kinds.insert(id, kind);
            layout.page_fault = Some(id);
        }
        layout
    }

    /// What a kernel opens that has every tracepoint.
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

    /// Adds the tracepoints of a group where this kernel has all of them.
    fn add(
        &mut self,
        name: &str,
        filter: Filter,
        is_needed: bool,
        events: impl IntoIterator<Item = Option<(u16, Kind)>>,
    ) {
        let events: Option<Vec<(u16, Kind)>> = events.into_iter().collect();
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

    /// What to open on each CPU.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// What would belong to it and is not in this kernel.
    pub(super) fn absent(&self) -> &[String] {
        &self.absent
    }

    /// The number of the tracepoint of page faults in user code; `None` where the kernel has none.
    pub(super) const fn page_fault_id(&self) -> Option<u16> {
        self.page_fault
    }

    /// The number of the tracepoint of wake-ups; `None` where the kernel's is not understood.
    pub(super) fn waking_id(&self) -> Option<u16> {
        self.kinds.iter().find_map(|(id, kind)| matches!(kind, Kind::Waking { .. }).then_some(*id))
    }

    /// Whether the interrupts of a row of `/proc/interrupts` are recorded.
    pub(super) fn records_row(&self, label: &str) -> bool {
        let has = |name: &str| self.groups.iter().any(|group| group.name == name);
        // Devices have numbers, and handlers that are traced.
        let is_device = label.starts_with(|first: char| first.is_ascii_digit());
        let is_known = ROWS.iter().any(|(row, name)| *row == label && has(name));
        let is_ipi = label.starts_with("IPI") && has(IPI);
        is_device || is_known || is_ipi || NO_INTERRUPTS.contains(&label)
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
            Kind::Switch { from, state, to, priority, from_name, to_name } => {
                let thread = |at| int(at).and_then(|thread| u32::try_from(thread).ok());
                let (Some(from), Some(to)) = (thread(from), thread(to)) else { return };
                let state = number::<8>(raw, state).map_or(0, i64::from_ne_bytes);
                let is_initial = names.numbers.is_initial();
                let mut record_name = |thread, at: usize| {
                    let number = names.numbers.of_tracepoint(thread);
                    names.record_thread(number, &text(raw.get(at..).unwrap_or_default()));
                };
                if from != 0 {
                    // In a namespace, how it came may not be recorded.
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
            Kind::Waking { thread } => {
                let thread = int(thread).and_then(|thread| u32::try_from(thread).ok());
                // Those of others are nobody's delay.
                let Some(own) = thread.and_then(|thread| names.numbers.own(thread)) else { return };
                names.timers.woke(own, cpu).into_iter().for_each(&mut *take);
                TraceRecord { event: TraceEvent::Waking, thread: Some(own), ..base }
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
                let name = names.position(&format!("{name}, IRQ {line}"));
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
            Kind::VectorOnly(name) => {
                let name = names.position(&format!("{name} interrupt"));
                TraceRecord { event: TraceEvent::Interrupted, name, ..base }
            }
            Kind::Nmi { length } => {
                let length = number::<8>(raw, length).map_or(0, i64::from_ne_bytes).max(0);
                let (event, name) = (TraceEvent::InterruptBegin, names.position("NMI"));
                take(TraceRecord { at: at - Nanos::new(length), event, name, ..base });
                base
            }
            Kind::TimerSet { timer, expires } => {
                note_timer(raw, (timer, expires), cpu, names);
                return;
            }
            Kind::TimerExpired { timer } => {
                let Some(timer) = number(raw, timer) else { return };
                names.timers.expired((cpu, u64::from_ne_bytes(timer)), at);
                return;
            }
            Kind::Idle { state } => {
                let Some(state) = number(raw, state).map(u32::from_ne_bytes) else { return };
                if state == NOT_IDLE {
                    TraceRecord { event: TraceEvent::IdleEnd, ..base }
                } else {
                    let value = names.idle.latency(cpu, state);
                    TraceRecord { event: TraceEvent::IdleBegin, value, ..base }
                }
            }
            Kind::InterruptEnd => base,
            Kind::SoftirqEnd => TraceRecord { event: TraceEvent::SoftirqEnd, ..base },
        };
        take(record);
    }
}

/// Notes a timer that a measuring thread set, and not an interrupt on its CPU.
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
mod tests;
