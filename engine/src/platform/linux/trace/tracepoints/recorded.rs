//! The tracepoints that only a recorder needs, which records all threads of all CPUs.

use std::fs;
use std::io;
use std::path::Path;

use super::super::names::Names;
use super::{
    COMMON_FLAGS, COMMON_PID, FOLDERS, Filter, Group, Layout, PAGE_FAULT, TracepointKind, id,
    number, offset,
};
use crate::sample::{TraceEvent, TraceRecord, WakeContext};

/// Bits of `common_flags` in an interrupt, and in a non-maskable one.
const IN_HARD_INTERRUPT: u8 = 0x48;
/// Bit of `common_flags` in a softirq.
const IN_SOFTIRQ: u8 = 0x10;
/// Groups of tracepoints that a recorder does not need: which timer woke a thread follows from the interrupt, and that a
/// CPU was idle from its switches.
const NOT_RECORDED: [&str; 3] =
    ["timer/hrtimer_start", "timer/hrtimer_expire_entry", "power/cpu_idle"];
/// The flag of a new thread that belongs to the process of its creator.
const CLONE_THREAD: u64 = 0x1_0000;
/// The tracepoint of wake-ups.
const WAKING: &str = "sched/sched_waking";
/// The bits of the minor number of a device in tracepoints.
const MINOR_BITS: u32 = 20;
/// The completion of a request of a storage device.
pub(in super::super) const STORAGE: &str = "block/block_rq_complete";
/// The begin and the end of the reclaim of memory by a thread that needs some.
pub(in super::super) const RECLAIM_BEGIN: &str = "vmscan/mm_vmscan_direct_reclaim_begin";
const RECLAIM_END: &str = "vmscan/mm_vmscan_direct_reclaim_end";

/// The kind of a tracepoint of a recorder, with the offsets of its fields in the raw data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordedKind {
    /// A wake-up of any thread, with what the waking CPU was doing.
    WakingOfAny {
        thread: usize,
    },
    /// The creation of a thread by the current one.
    Created {
        thread: usize,
        flags: usize,
    },
    Exited {
        thread: usize,
    },
    SoftirqRaised {
        number: usize,
    },
    BlockComplete {
        device: usize,
    },
    Reclaim(TraceEvent),
}

impl Layout {
    /// Reads the descriptions of the tracepoints of a recorder, which records all threads of all CPUs.
    pub(in super::super) fn of_recorder() -> io::Result<Self> {
        let mut denied = io::Error::from(io::ErrorKind::NotFound);
        for folder in FOLDERS {
            let format_of =
                |name: &str| fs::read_to_string(Path::new(folder).join(name).join("format"));
            match format_of("sched/sched_switch") {
                Ok(_) => {
                    let format_of = |name: &str| format_of(name).ok();
                    let mut layout = Self::from_formats(format_of);
                    layout.extend_for_recorder(format_of);
                    return Ok(layout);
                }
                Err(error) => denied = error,
            }
        }
        Err(denied)
    }

    /// Replaces the tracepoints of measuring threads by those of a recorder.
    fn extend_for_recorder(&mut self, format_of: impl Fn(&str) -> Option<String>) {
        let is_recorded = |name: &str| !NOT_RECORDED.contains(&name) && name != WAKING;
        self.groups.retain(|group| is_recorded(&group.name));
        self.absent.retain(|name| is_recorded(name));
        let event = |name: &str, kind: &dyn Fn(&str) -> Option<RecordedKind>| {
            let format = format_of(name)?;
            Some((id(&format)?, TracepointKind::OfRecorder(kind(&format)?)))
        };
        let waking = event(WAKING, &|format| {
            Some(RecordedKind::WakingOfAny { thread: offset(format, "pid")? })
        });
        self.add(WAKING, Filter::None, true, [waking]);
        let first = event("sched/sched_wakeup_new", &|format| {
            Some(RecordedKind::WakingOfAny { thread: offset(format, "pid")? })
        });
        self.add("sched/sched_wakeup_new", Filter::None, true, [first]);
        let created = event("task/task_newtask", &|format| {
            Some(RecordedKind::Created {
                thread: offset(format, "pid")?,
                flags: offset(format, "clone_flags")?,
            })
        });
        self.add("task/task_newtask", Filter::None, true, [created]);
        let exited = event("sched/sched_process_exit", &|format| {
            Some(RecordedKind::Exited { thread: offset(format, "pid")? })
        });
        self.add("sched/sched_process_exit", Filter::None, true, [exited]);
        let raised = event("irq/softirq_raise", &|format| {
            Some(RecordedKind::SoftirqRaised { number: offset(format, "vec")? })
        });
        self.add("irq/softirq_raise", Filter::None, true, [raised]);
        let complete = event(STORAGE, &|format| {
            Some(RecordedKind::BlockComplete { device: offset(format, "dev")? })
        });
        self.add(STORAGE, Filter::None, true, [complete]);
        let begin =
            event(RECLAIM_BEGIN, &|_| Some(RecordedKind::Reclaim(TraceEvent::ReclaimBegin)));
        let end = event(RECLAIM_END, &|_| Some(RecordedKind::Reclaim(TraceEvent::ReclaimEnd)));
        // Both have names of their own, so that each is a group.
        self.add(RECLAIM_BEGIN, Filter::None, true, [begin]);
        self.add(RECLAIM_END, Filter::None, true, [end]);
        if let Some(id) = self.page_fault {
            self.groups.push(Group {
                name: PAGE_FAULT.to_owned(),
                ids: vec![id],
                filter: Filter::None,
            });
        } else {
            self.absent.push(PAGE_FAULT.to_owned());
        }
    }
}

/// Decodes the raw data of a tracepoint record of a recorder; `base` has its time and CPU. `None` if it is damaged.
pub(super) fn decode(
    kind: RecordedKind,
    raw: &[u8],
    base: TraceRecord,
    names: &mut Names,
) -> Option<TraceRecord> {
    let int = |at: usize| number::<4>(raw, at).map(i32::from_ne_bytes);
    Some(match kind {
        RecordedKind::WakingOfAny { thread } => {
            let thread = int(thread).and_then(|thread| u32::try_from(thread).ok());
            let thread = thread?;
            let value = Some(wake_context(raw).number());
            TraceRecord { event: TraceEvent::Waking, thread: Some(thread), value, ..base }
        }
        RecordedKind::Created { thread, flags } => {
            let [thread, creator] = [thread, COMMON_PID]
                .map(|place| int(place).and_then(|thread| u32::try_from(thread).ok()));
            let (thread, creator) = (thread?, creator?);
            let flags = number::<8>(raw, flags).map_or(0, u64::from_ne_bytes);
            let process =
                if flags & CLONE_THREAD == 0 { Some(thread) } else { names.process_of(creator) };
            names.record_process(thread, process);
            let value = process.map(i64::from);
            TraceRecord { event: TraceEvent::Started, thread: Some(thread), value, ..base }
        }
        RecordedKind::Exited { thread } => {
            let thread = int(thread).and_then(|thread| u32::try_from(thread).ok());
            TraceRecord { event: TraceEvent::Exited, thread, ..base }
        }
        RecordedKind::SoftirqRaised { number } => {
            let is_of_thread = wake_context(raw) == WakeContext::Thread;
            let thread = int(COMMON_PID).and_then(|thread| u32::try_from(thread).ok());
            let thread = thread.filter(|_| is_of_thread);
            let value = int(number).map(i64::from);
            TraceRecord { event: TraceEvent::SoftirqRaised, thread, value, ..base }
        }
        RecordedKind::BlockComplete { device } => {
            let device = int(device).map_or(0, i32::cast_unsigned);
            let name = names.device(device >> MINOR_BITS, device & ((1 << MINOR_BITS) - 1));
            names.completions.begin(base.cpu, wake_context(raw));
            TraceRecord { event: TraceEvent::BlockCompleteBegin, name, ..base }
        }
        RecordedKind::Reclaim(event) => {
            let thread = int(COMMON_PID).and_then(|thread| u32::try_from(thread).ok());
            TraceRecord { event, thread, ..base }
        }
    })
}

/// Returns what a CPU was doing when it wrote a record.
fn wake_context(raw: &[u8]) -> WakeContext {
    let flags = raw.get(COMMON_FLAGS).copied().unwrap_or_default();
    if flags & IN_HARD_INTERRUPT != 0 {
        WakeContext::Interrupt
    } else if flags & IN_SOFTIRQ != 0 {
        WakeContext::Softirq
    } else {
        WakeContext::Thread
    }
}
