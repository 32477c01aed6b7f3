//! Records of who had a CPU, from events of the kernel, and the names of threads and drivers in them.

use std::collections::BTreeMap;

use super::{KernelEvent, RawEvent, is_kernel_process};
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// The longest name that is saved: names of threads are hostile text.
const MAX_NAME_CHARS: usize = 48;
/// The name of this program, which no other gets: a running copy has its number, too.
const OWN: &str = "jitterscope";
/// States of a thread (`KTHREAD_STATE`) that was ready to run when it lost its CPU: ready, still running, standby, and
/// ready on another CPU.
const READY: [u8; 4] = [1, 2, 3, 7];
/// The state of a thread that waits.
const WAITING: u8 = 5;
/// Wait reasons (`KWAIT_REASON`) of a thread that was suspended.
const SUSPENDED: [u8; 2] = [5, 12];
/// Those of a thread that waits for another one or for time: a sleep, an object, an event pair, a queue, a local call,
/// a keyed event, an address.
const SLEEPS: [u8; 10] = [4, 6, 11, 13, 14, 15, 16, 17, 21, 37];

/// A thread that runs.
#[derive(Clone, Debug)]
struct Thread {
    process: u32,
    start: u64,
    name: Option<String>,
}

/// An image of the kernel in memory.
#[derive(Clone, Debug)]
struct Image {
    size: u64,
    name: String,
}

/// Reads events in the order in which they were recorded.
#[derive(Debug, Default)]
pub struct KernelTrace {
    images: BTreeMap<u64, Image>,
    threads: BTreeMap<u32, Thread>,
    processes: BTreeMap<u32, String>,
    /// Names of interrupts and deferred calls, by their position.
    routines: Vec<String>,
    /// The positions of those that were seen, by their address.
    known: BTreeMap<(bool, u64), u32>,
}

impl KernelTrace {
    /// Reads an event, and hands on the records that follow from it, in order. `nanos` reads the performance counter
    /// as a time of the clock.
    pub fn add(
        &mut self,
        raw: &RawEvent<'_>,
        nanos: impl Fn(i64) -> i64,
        mut take: impl FnMut(TraceRecord),
    ) {
        let record = |ticks: i64, event| TraceRecord {
            at: Nanos::new(nanos(ticks)),
            event,
            cpu: raw.cpu,
            thread: None,
            name: None,
            value: None,
        };
        match KernelEvent::read(raw) {
            Some(KernelEvent::Switch { new, old, wait_reason, old_state }) => {
                // The idle thread of a CPU is no state of another one.
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
            // It is recorded when it ends.
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
                self.threads.insert(thread, Thread { process, start, name });
            }
            Some(KernelEvent::ThreadName { thread, process, name }) => {
                let unknown = Thread { process, start: 0, name: None };
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

    /// The driver whose image holds an address of the kernel.
    fn driver_of(&self, address: u64) -> Option<&str> {
        let (base, image) = self.images.range(..=address).next_back()?;
        (address - base < image.size).then_some(image.name.as_str())
    }

    /// The position of the name of an interrupt or a deferred call.
    fn position(&mut self, is_deferred: bool, address: u64) -> Option<u32> {
        if let Some(known) = self.known.get(&(is_deferred, address)) {
            return Some(*known);
        }
        let driver = self.driver_of(address).unwrap_or("an unknown driver");
        let name = if is_deferred { format!("DPC of {driver}") } else { driver.to_owned() };
        let name = printable(&name);
        let found = self.routines.iter().position(|known| *known == name);
        let position = found.unwrap_or_else(|| {
            self.routines.push(name);
            self.routines.len() - 1
        });
        let position = u32::try_from(position).ok()?;
        self.known.insert((is_deferred, address), position);
        Some(position)
    }

    /// The name of what a record is about: "process (thread)", "[System (driver)]", the driver of an interrupt; `None`
    /// where nothing was recorded of it.
    pub fn name_of(&self, record: &TraceRecord, is_own: impl Fn(u32) -> bool) -> Option<String> {
        match (record.thread, record.name) {
            (Some(thread), _) if thread != 0 => self.name_of_thread(thread, is_own),
            (None, Some(at)) => self.routines.get(usize::try_from(at).ok()?).cloned(),
            _ => None,
        }
    }

    /// The process of a thread, where that was recorded.
    pub fn process_of(&self, thread: u32) -> Option<u32> {
        self.threads.get(&thread).map(|thread| thread.process)
    }

    fn name_of_thread(&self, thread: u32, is_own: impl Fn(u32) -> bool) -> Option<String> {
        let Thread { process, start, name } = self.threads.get(&thread)?;
        let part = name.as_deref();
        if is_kernel_process(*process) {
            let part = part.or_else(|| self.driver_of(*start));
            return Some(printable(&format!("[{}]", joined("System", part))));
        }
        let program = match self.processes.get(process) {
            _ if is_own(*process) => OWN.to_owned(),
            Some(program) if program.starts_with(OWN) => format!("{program} {process}"),
            Some(program) => program.clone(),
            None => format!("process {process}"),
        };
        Some(printable(&joined(&program, part.filter(|part| *part != program))))
    }
}

/// Why a thread left its CPU.
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

fn printable(name: &str) -> String {
    let letter = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    name.chars().map(letter).take(MAX_NAME_CHARS).collect()
}
