//! The CPUs of a thread. Windows numbers CPUs within groups of up to 64; here, the number of a CPU
//! is its group times 64 plus its number within the group.

use std::io;

use windows_sys::Win32::System::Kernel::PROCESSOR_NUMBER;
use windows_sys::Win32::System::SystemInformation::GROUP_AFFINITY;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcessorNumberEx, GetCurrentThread, GetThreadGroupAffinity, SetThreadGroupAffinity,
};

use super::super::applied::Refusal;
use super::super::usable_cpus;
use super::thread::{last_error, refusal};
use super::topology::{self, GROUP_SIZE};

/// Returns the CPU on which the calling thread runs.
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "other systems may not report it")]
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn current_cpu() -> Option<u32> {
    let mut number = PROCESSOR_NUMBER::default();
    // SAFETY: `number` is a valid place for one PROCESSOR_NUMBER.
    unsafe { GetCurrentProcessorNumberEx(&raw mut number) };
    Some(u32::from(number.Group) * GROUP_SIZE + u32::from(number.Number))
}

/// Returns the CPUs that this process may use on a system with several processor groups: all CPUs,
/// as each thread can be moved to any group. `None` with one group, in which the process may have
/// an affinity mask.
pub(crate) fn cpus_of_all_groups() -> Option<Vec<u32>> {
    let mut cpus = topology::logical_cpus();
    cpus.sort_unstable();
    cpus.last().is_some_and(|&last| GROUP_SIZE <= last).then_some(cpus)
}

/// Returns the processor group that has most of these CPUs, with the affinity mask of these CPUs in
/// that group. A thread is in one group at a time.
fn group_of(cpus: &[u32]) -> GROUP_AFFINITY {
    let mut best = GROUP_AFFINITY::default();
    for &cpu in cpus {
        let group = cpu / GROUP_SIZE;
        let same = cpus.iter().filter(|&&other| other / GROUP_SIZE == group);
        let mask = same.fold(0_usize, |mask, &other| mask | 1 << (other % GROUP_SIZE));
        if best.Mask.count_ones() < mask.count_ones() {
            best.Mask = mask;
            best.Group = u16::try_from(group).unwrap_or(u16::MAX);
        }
    }
    best
}

/// Requests that the calling thread run only on these CPUs. If the CPUs are in several processor
/// groups, uses only the group that has most of them.
#[expect(
    unsafe_code,
    reason = "core_affinity pins to a single CPU of the first group and gives no reason for a failure"
)]
pub(super) fn set_affinity(cpus: &[u32]) -> io::Result<()> {
    let affinity = group_of(cpus);
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    let place = &raw const affinity;
    // SAFETY: `place` is one GROUP_AFFINITY with zeroes where it is reserved; the previous one may be null.
    let is_set = unsafe { SetThreadGroupAffinity(thread, place, std::ptr::null_mut()) };
    if is_set == 0 { Err(last_error()) } else { Ok(()) }
}

/// Returns the CPUs on which the calling thread may run; empty if the system does not report them.
#[expect(unsafe_code, reason = "only the system reports it")]
pub(super) fn affinity() -> Vec<u32> {
    let mut affinity = GROUP_AFFINITY::default();
    // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: `affinity` is a valid place for one GROUP_AFFINITY.
    let is_reported = unsafe { GetThreadGroupAffinity(thread, &raw mut affinity) };
    let first = u32::from(affinity.Group) * GROUP_SIZE;
    let mask = if is_reported == 0 { 0 } else { affinity.Mask };
    (0..GROUP_SIZE.min(usize::BITS))
        .filter(|bit| mask >> bit & 1 == 1)
        .map(|bit| first + bit)
        .collect()
}

/// Pins the calling thread to one CPU.
pub fn pin_self(cpu: u32) -> Result<(), Refusal> {
    set_affinity(&[cpu])
        .map_err(|error| refusal(&format!("CPU {cpu}"), "SetThreadGroupAffinity", &error))
}

/// Moves the calling thread from these CPUs to the other usable CPUs of one processor group, if there are any.
pub fn avoid_cpus(cpus: &[u32]) {
    let others: Vec<u32> = usable_cpus().into_iter().filter(|cpu| !cpus.contains(cpu)).collect();
    if !others.is_empty()
        && let Err(error) = set_affinity(&others)
    {
        log::info!("stays on CPUs {cpus:?}: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_in_the_group_that_has_most_of_the_cpus() {
        let mask = |cpus: &[u32]| {
            let found = group_of(cpus);
            (found.Group, found.Mask)
        };
        assert_eq!(mask(&[0, 3]), (0, 0b1001));
        assert_eq!(mask(&[65]), (1, 0b10));
        assert_eq!(mask(&[1, 64, 66]), (1, 0b101));
        assert_eq!(mask(&[5, 127]), (0, 1 << 5));
        assert_eq!(mask(&[]), (0, 0));
    }

    #[test]
    fn affinity_is_read_back_and_restored() {
        let all = usable_cpus();
        let read = std::thread::Builder::new()
            .name("affinity".to_owned())
            .spawn(move || {
                let last = *all.last().unwrap();
                set_affinity(&[last]).unwrap();
                let pinned = affinity();
                set_affinity(&all).unwrap();
                (last, pinned, affinity(), all)
            })
            .unwrap();
        let (last, pinned, after, all) = read.join().unwrap();
        assert_eq!(pinned, [last]);
        assert_eq!(after, all);
    }
}
