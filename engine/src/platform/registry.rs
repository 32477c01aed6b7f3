//! Which threads run at real-time priority, in a table that a signal handler may read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{ThreadId, system};

/// Maximum number of real-time threads at a time; the plans have far fewer.
const SLOTS: usize = 64;

struct Slot {
    /// The thread, or 0 for a free slot.
    thread: AtomicU64,
    demoted: AtomicBool,
}

static TABLE: [Slot; SLOTS] =
    [const { Slot { thread: AtomicU64::new(0), demoted: AtomicBool::new(false) } }; SLOTS];

/// A registered real-time thread; unregistered when this is dropped.
#[derive(Debug)]
#[must_use = "the thread is registered only as long as this is held"]
pub struct Registration {
    /// Position in the table, or, if the table was full, whether the thread was demoted
    /// immediately.
    slot: Result<usize, bool>,
}

impl Registration {
    /// Whether a guard revoked the thread's real-time priority, by what the system reported afterward.
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

/// Registers a real-time thread with the guards. If the table is full, the thread is demoted
/// immediately.
pub fn register_realtime(thread: ThreadId) -> Registration {
    for (slot, position) in TABLE.iter().zip(0..) {
        let taken = slot.thread.compare_exchange(0, thread.0, Ordering::AcqRel, Ordering::Relaxed);
        if taken.is_ok() {
            return Registration { slot: Ok(position) };
        }
    }
    Registration { slot: Err(system::demote(thread)) }
}

/// Revokes the real-time priority of every known thread; returns whether the system then reports all of
/// them as ordinary. Makes plain system calls on atomics only: a signal handler may call it.
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

/// CPU time of each known thread, where the system reports it and does not limit it itself.
pub(crate) fn registered_cpu_nanos() -> Vec<(ThreadId, i64)> {
    TABLE
        .iter()
        .map(|slot| ThreadId(slot.thread.load(Ordering::Acquire)))
        .filter(|thread| thread.0 != 0)
        .filter_map(|thread| Some((thread, system::runaway_cpu_nanos(thread)?)))
        .collect()
}
