//! A table of the threads that run at real-time priority. A signal handler may read this table.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{ThreadId, system};

/// Maximum number of real-time threads in the table at a time; a measurement has far fewer threads.
const SLOTS: usize = 64;

struct Slot {
    /// The thread ID, or 0 for a free slot.
    thread: AtomicU64,
    demoted: AtomicBool,
}

static TABLE: [Slot; SLOTS] =
    [const { Slot { thread: AtomicU64::new(0), demoted: AtomicBool::new(false) } }; SLOTS];

/// A registered real-time thread; dropping this unregisters the thread.
#[derive(Debug)]
#[must_use = "the thread is registered only as long as this is held"]
pub struct Registration {
    /// Position of the thread in the table. If the table was full: whether the immediate demotion of
    /// the thread succeeded.
    slot: Result<usize, bool>,
}

impl Registration {
    /// Whether the watchdog or the signal handler revoked the thread's real-time priority, as the system reported
    /// afterward.
    pub fn has_demoted(&self) -> bool {
        match self.slot {
            Ok(slot) => TABLE.get(slot).is_some_and(|slot| slot.demoted.load(Ordering::Acquire)),
            Err(demoted) => demoted,
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.ok().and_then(|slot| TABLE.get(slot)) {
            slot.demoted.store(false, Ordering::Release);
            slot.thread.store(0, Ordering::Release);
        }
    }
}

/// Registers a real-time thread, so that the watchdog and the signal handler can demote it. If the
/// table is full, the thread is demoted immediately.
pub fn register_realtime(thread: ThreadId) -> Registration {
    for (slot, position) in TABLE.iter().zip(0..) {
        let taken = slot.thread.compare_exchange(0, thread.0, Ordering::AcqRel, Ordering::Relaxed);
        if taken.is_ok() {
            return Registration { slot: Ok(position) };
        }
    }
    Registration { slot: Err(system::demote(thread)) }
}

/// Revokes the real-time priority of every registered thread; returns whether the system then
/// reports ordinary scheduling for all of these threads. Uses only atomics and system calls, so a
/// signal handler may call this function.
pub fn demote_all_registered() -> bool {
    let mut are_ordinary = true;
    for slot in &TABLE {
        let thread = slot.thread.load(Ordering::Acquire);
        if thread != 0 {
            let is_ordinary = system::demote(ThreadId(thread));
            slot.demoted.store(is_ordinary, Ordering::Release);
            are_ordinary &= is_ordinary;
        }
    }
    are_ordinary
}

/// Returns the CPU time of each registered thread, in nanoseconds. Omits threads whose CPU time the system limits
/// itself or does not report.
pub(crate) fn registered_cpu_nanos() -> Vec<(ThreadId, i64)> {
    TABLE
        .iter()
        .map(|slot| ThreadId(slot.thread.load(Ordering::Acquire)))
        .filter(|thread| thread.0 != 0)
        .filter_map(|thread| Some((thread, system::runaway_cpu_nanos(thread)?)))
        .collect()
}
