//! Converts kernel events into records of which thread ran on a CPU, and finds the names of threads and drivers.

use std::collections::BTreeMap;

use super::super::{OWN_PROGRAM, harmless_name};
use super::{KernelEvent, RawEvent, is_kernel_process};
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// States of a thread (`KTHREAD_STATE`) that was ready to run when it lost its CPU: ready, still running, standby, and
/// ready on another CPU.
const READY: [u8; 4] = [1, 2, 3, 7];
/// The state of a thread that waits.
const WAITING: u8 = 5;
/// Wait reasons (`KWAIT_REASON`) of a thread that was suspended.
const SUSPENDED: [u8; 2] = [5, 12];
/// Wait reasons (`KWAIT_REASON`) of a thread that waits for another thread or for a time: a sleep, an
/// object, an event pair, a queue, a local call, a keyed event, an address.
const SLEEPS: [u8; 10] = [4, 6, 11, 13, 14, 15, 16, 17, 21, 37];

/// What events reported about a thread: its process, the address of its first routine, and its name.
#[derive(Clone, Debug)]
struct EtwThread {
    process: u32,
    start: u64,
    name: Option<String>,
}

/// An image in kernel memory: the kernel itself or a driver.
#[derive(Clone, Debug)]
struct Image {
    size: u64,
    name: String,
}

/// Decodes events, which must be added in the order in which they were recorded.
#[derive(Debug, Default)]
pub struct KernelTrace {
    images: BTreeMap<u64, Image>,
    threads: BTreeMap<u32, EtwThread>,
    processes: BTreeMap<u32, String>,
    /// Names of interrupts and deferred calls; a record refers to a name by the position of the name in this list.
    routines: Vec<String>,
    /// Positions in `routines`, by whether the call is deferred and the address of the routine.
    known: BTreeMap<(bool, u64), u32>,
}

impl KernelTrace {
    /// Decodes an event and passes the records that result from it to `take`, in order. `nanos`
    /// converts a reading of the performance counter into a time of the clock.
    pub fn add(
        &mut self,
        raw: &RawEvent<'_>,
        nanos: impl Fn(i64) -> i64,
        mut take: impl FnMut(TraceRecord),
    ) {
        let record = |ticks: i64, event| TraceRecord::new(Nanos::new(nanos(ticks)), event, raw.cpu);
        match KernelEvent::read(raw) {
            Some(KernelEvent::Switch { new, old, wait_reason, old_state }) => {
                // Thread 0 is the idle thread of each CPU: a switch away from it is not recorded.
                if old != 0 {
                    let event = left_for(old_state, wait_reason);
                    take(TraceRecord { thread: Some(old), ..record(raw.ticks, event) });
                }
                let event = TraceEvent::SwitchIn;
                take(TraceRecord { thread: Some(new), ..record(raw.ticks, event) });
            }
            Some(KernelEvent::Ready { thread }) => {
                let event = TraceEvent::Waking;
                take(TraceRecord { thread: Some(thread), ..record(raw.ticks, event) });
            }
            // The event is recorded when the routine ends.
            Some(KernelEvent::Routine { is_deferred, began, address }) if began <= raw.ticks => {
                let (begin, end) = if is_deferred {
                    (TraceEvent::SoftirqBegin, TraceEvent::SoftirqEnd)
                } else {
                    (TraceEvent::InterruptBegin, TraceEvent::InterruptEnd)
                };
                let name = self.position(is_deferred, address);
                take(TraceRecord { name, ..record(began, begin) });
                take(TraceRecord { name, ..record(raw.ticks, end) });
            }
            Some(KernelEvent::Thread { thread, process, start, name }) => {
                self.threads.insert(thread, EtwThread { process, start, name });
            }
            Some(KernelEvent::ThreadName { thread, process, name }) => {
                let unknown = EtwThread { process, start: 0, name: None };
                self.threads.entry(thread).or_insert(unknown).name = Some(name);
            }
            Some(KernelEvent::Process { process, name }) => {
                self.processes.insert(process, name);
            }
            Some(KernelEvent::Loaded { base, size, name }) => {
                self.images.insert(base, Image { size, name });
                self.known.clear();
            }
            Some(KernelEvent::Unloaded { base }) => {
                self.images.remove(&base);
                self.known.clear();
            }
            Some(KernelEvent::Routine { .. }) | None => {}
        }
    }

    /// Returns the driver whose image contains this address of kernel memory.
    fn driver_of(&self, address: u64) -> Option<&str> {
        let (base, image) = self.images.range(..=address).next_back()?;
        (address - base < image.size).then_some(image.name.as_str())
    }

    /// Returns the position in `routines` of the name of an interrupt or deferred call, by the address of its routine.
    fn position(&mut self, is_deferred: bool, address: u64) -> Option<u32> {
        if let Some(known) = self.known.get(&(is_deferred, address)) {
            return Some(*known);
        }
        let driver = self.driver_of(address).unwrap_or("an unknown driver");
        let name = if is_deferred { format!("DPC of {driver}") } else { driver.to_owned() };
        let name = harmless_name(&name);
        let found = self.routines.iter().position(|known| *known == name);
        let position = found.unwrap_or_else(|| {
            self.routines.push(name);
            self.routines.len() - 1
        });
        let position = u32::try_from(position).ok()?;
        self.known.insert((is_deferred, address), position);
        Some(position)
    }

    /// Returns the name of the thread or routine of a record: "process (thread)", "[System
    /// (driver)]", the driver of an interrupt; `None` if no event contained a name. `is_own` returns
    /// whether a process is of this program.
    pub fn name_of(&self, record: &TraceRecord, is_own: impl Fn(u32) -> bool) -> Option<String> {
        match (record.thread, record.name) {
            (Some(thread), _) if thread != 0 => self.name_of_thread(thread, is_own),
            (None, Some(at)) => self.routines.get(usize::try_from(at).ok()?).cloned(),
            _ => None,
        }
    }

    fn name_of_thread(&self, thread: u32, is_own: impl Fn(u32) -> bool) -> Option<String> {
        let EtwThread { process, start, name } = self.threads.get(&thread)?;
        let part = name.as_deref();
        if is_kernel_process(*process) {
            let part = part.or_else(|| self.driver_of(*start));
            return Some(harmless_name(&format!("[{}]", joined("System", part))));
        }
        let program = match self.processes.get(process) {
            _ if is_own(*process) => OWN_PROGRAM.to_owned(),
            Some(program) if program.starts_with(OWN_PROGRAM) => format!("{program} {process}"),
            Some(program) => program.clone(),
            None => format!("process {process}"),
        };
        Some(harmless_name(&joined(&program, part.filter(|part| *part != program))))
    }
}

/// Returns why a thread left its CPU, from the state of the thread and the reason of its wait.
fn left_for(state: u8, wait_reason: u8) -> TraceEvent {
    match state {
        _ if READY.contains(&state) => TraceEvent::Preempted,
        WAITING if SUSPENDED.contains(&wait_reason) => TraceEvent::Stopped,
        WAITING if !SLEEPS.contains(&wait_reason) => TraceEvent::Blocked,
        _ => TraceEvent::Slept,
    }
}

fn joined(program: &str, part: Option<&str>) -> String {
    part.map_or_else(|| program.to_owned(), |part| format!("{program} ({part})"))
}
