//! Which threads run at real-time priority, in a table that a signal handler may read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{ThreadId, system};

/// The most real-time threads at a time; the plans have far fewer.
const SLOTS: usize = 64;

struct Slot {
    /// The thread, or 0 for a free slot.
    thread: AtomicU64,
    demoted: AtomicBool,
}

static TABLE: [Slot; SLOTS] =
    [const { Slot { thread: AtomicU64::new(0), demoted: AtomicBool::new(false) } }; SLOTS];

/// A thread that is known to run at real-time priority, until this is dropped.
#[derive(Debug)]
#[must_use = "the thread is known only as long as this is held"]
pub struct Registration {
    /// Position in the table; `None` where the table was full and the thread was demoted at once.
    slot: Option<usize>,
}

impl Registration {
    /// Whether a guard took the thread's real-time priority away.
    pub fn has_demoted(&self) -> bool {
        self.slot
            .and_then(|slot| TABLE.get(slot))
            .is_none_or(|slot| slot.demoted.load(Ordering::Acquire))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.and_then(|slot| TABLE.get(slot)) {
            slot.demoted.store(false, Ordering::Release);
            slot.thread.store(0, Ordering::Release);
        }
    }
}

/// Makes a real-time thread known to the guards. Where there is no room, it is demoted at once.
pub fn register_realtime(thread: ThreadId) -> Registration {
    for (slot, position) in TABLE.iter().zip(0..) {
        let taken = slot.thread.compare_exchange(0, thread.0, Ordering::AcqRel, Ordering::Relaxed);
        if taken.is_ok() {
            return Registration { slot: Some(position) };
        }
    }
    system::demote(thread);
    Registration { slot: None }
}

/// Takes real-time priority away from every known thread. Makes plain system calls on atomics only, so
/// that a signal handler may call it.
pub fn demote_all_registered() {
    for slot in &TABLE {
        let thread = slot.thread.load(Ordering::Acquire);
        if thread != 0 {
            system::demote(ThreadId(thread));
            slot.demoted.store(true, Ordering::Release);
        }
    }
}
