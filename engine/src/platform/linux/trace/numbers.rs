//! Thread IDs: tracepoint records contain the kernel's ID of a thread, all other records the ID in this PID namespace.
//!
//! In the initial PID namespace, both IDs are the same. In another namespace, a thread outside of
//! that namespace has the ID 0, like the idle thread.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::super::super::ThreadId;
use crate::sample::{OUTSIDE, UNKNOWN_THREAD};

/// Target of the link `/proc/self/ns/pid` in the initial PID namespace: its number is the same in every kernel.
const INITIAL: &str = "pid:[4026531836]";

/// Translates thread IDs of the kernel into those of this PID namespace.
#[derive(Debug)]
#[cfg_attr(test, derive(Default))]
pub(super) struct Numbers {
    /// Whether this process is in the initial PID namespace: its thread IDs are those of the kernel.
    pub(super) is_initial: bool,
    /// IDs of the measuring threads in this namespace.
    own: BTreeSet<u32>,
    /// IDs of measuring threads in this namespace by their ID in the kernel, as far as records have shown it.
    own_in_kernel: BTreeMap<u32, u32>,
}

impl Numbers {
    /// Creates the translation for this process and its measuring threads.
    pub(super) fn of(threads: &[ThreadId]) -> Self {
        let found = fs::read_link("/proc/self/ns/pid");
        let is_initial = found.is_ok_and(|name| name.as_os_str() == INITIAL);
        Self::new(is_initial, threads.iter().filter_map(|thread| u32::try_from(thread.0).ok()))
    }

    pub(super) fn new(is_initial: bool, own: impl IntoIterator<Item = u32>) -> Self {
        let own: BTreeSet<u32> = own.into_iter().collect();
        let known = own.iter().filter(|_| is_initial).map(|thread| (*thread, *thread)).collect();
        Self { is_initial, own, own_in_kernel: known }
    }

    /// Whether `/proc` lists threads by the IDs of this PID namespace.
    pub(super) fn are_in_proc(&self) -> bool {
        let name = fs::read_link("/proc/self").ok();
        let name = name.as_deref().and_then(|name| name.to_str()?.parse::<u32>().ok());
        self.is_initial || name == Some(std::process::id())
    }

    /// Returns the ID under which to save a thread. `thread` is the ID of the thread in a switch record;
    /// `in_kernel` is its ID in the tracepoint record before, if there is one.
    pub(super) fn of_switch(&self, thread: u32, in_kernel: Option<u32>) -> u32 {
        match in_kernel {
            _ if self.is_initial || (thread != 0 && thread != UNKNOWN_THREAD) => thread,
            Some(0) => 0,
            Some(number) => OUTSIDE | number,
            None => UNKNOWN_THREAD,
        }
    }

    /// Returns a provisional ID for a thread ID in a tracepoint record, used until the switch record is read.
    pub(super) const fn of_tracepoint(&self, in_kernel: u32) -> u32 {
        if self.is_initial || in_kernel == 0 { in_kernel } else { OUTSIDE | in_kernel }
    }

    /// Saves the ID that a measuring thread has in the kernel; ignores other threads.
    pub(super) fn learn(&mut self, thread: u32, in_kernel: Option<u32>) {
        if let Some(number) = in_kernel.filter(|_| !self.is_initial && self.own.contains(&thread)) {
            self.own_in_kernel.insert(number, thread);
        }
    }

    /// Returns the measuring thread that has this ID in the kernel; `None` if none is known to have it.
    pub(super) fn own(&self, in_kernel: u32) -> Option<u32> {
        self.own_in_kernel.get(&in_kernel).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_initial_namespace_numbers_are_the_kernels() {
        let numbers = Numbers::new(true, [7]);
        assert_eq!(numbers.of_switch(7, None), 7);
        assert_eq!(numbers.of_switch(0, None), 0, "the idle thread");
        assert_eq!(numbers.of_switch(UNKNOWN_THREAD, Some(9)), UNKNOWN_THREAD);
        assert_eq!(numbers.of_tracepoint(9), 9);
        assert_eq!((numbers.own(7), numbers.own(8)), (Some(7), None));
    }

    #[test]
    fn in_another_namespace_a_thread_outside_is_not_idle() {
        let mut numbers = Numbers::new(false, [7]);
        assert_eq!(numbers.of_switch(12, Some(4_012)), 12, "it has a number here");
        assert_eq!(numbers.of_switch(0, Some(4_040)), OUTSIDE + 4_040);
        assert_eq!(numbers.of_switch(0, Some(0)), 0, "idle in the kernel");
        assert_eq!(numbers.of_switch(0, None), UNKNOWN_THREAD, "nothing shows that");
        assert_eq!(numbers.own(7), None, "7 is the number of another thread in the kernel");
        numbers.learn(7, Some(4_007));
        numbers.learn(12, Some(4_012));
        assert_eq!((numbers.own(4_007), numbers.own(4_012)), (Some(7), None));
    }
}
