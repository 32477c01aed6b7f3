//! Reads and sets the scheduling of a thread.

use std::io;

use super::super::applied::{Policy, Refusal};
use super::super::cpu::window_cpus;
use super::super::{ThreadId, usable_cpus};
use super::guard;
use super::refusal::refusal;
use super::topology::cpus;
use crate::nanos::Nanos;
use crate::plan::LoadLevel;

/// The nice value of helper threads, such as the one that writes samples to the run file.
const HELPER_NICE: i32 = 5;
/// The nice value of the collector on CPUs without a measuring thread. With a program of nice −20 on the same CPU, a collector of nice
/// 5 had 0.4% of the CPU.
const COLLECTOR_NICE: i32 = -20;
/// Nice value of the threads that draw: two thirds of the scheduler weight of a normal thread. With
/// four load threads on two CPUs, the window responds to a click within about 0.3 s. At nice 10, a
/// tenth of the weight, the response took 0.75 s, and the lateness of the frame loop was the same.
/// Tests run before the threads that draw because of [`WINDOW_SLICE`], not because of this value.
const WINDOW_NICE: i32 = 2;
/// Time slice of the threads that draw: the longest that the kernel grants. A thread with a shorter
/// slice, such as a test thread, then runs at once when it wakes up (from Linux 6.12 on; earlier
/// kernels ignore slices).
const WINDOW_SLICE: Nanos = Nanos::from_millis(100);
/// The nice value of a load thread that is to run below normal priority.
const BELOW_NORMAL_NICE: i32 = 5;
/// The nice value of a load thread at [`LoadLevel::Low`], which is that of gdt-cpus 2025.5.0 below normal priority.
const LOW_NICE: i32 = 10;
/// The policies under which a thread runs before every normal thread.
const REALTIME: [libc::c_int; 3] = [libc::SCHED_FIFO, libc::SCHED_RR, libc::SCHED_DEADLINE];
/// Real-time priority of the watchdog: one above the highest priority of a test thread.
const SUPERVISOR_PRIORITY: u8 = crate::plan::conditions::MAX_REALTIME_PRIORITY + 1;

/// Returns the ID of the calling thread.
#[expect(unsafe_code, reason = "the standard library's thread id is not the kernel's")]
pub fn thread_id() -> ThreadId {
    // SAFETY: gettid takes nothing and cannot fail.
    let id = unsafe { libc::gettid() };
    ThreadId(u64::from(id.unsigned_abs()))
}

/// Converts a thread ID to the type of the system calls. An invalid ID becomes 0: the calling thread.
fn pid(thread: ThreadId) -> libc::pid_t {
    libc::pid_t::try_from(thread.0).unwrap_or(0)
}

/// Returns the CPU on which the calling thread runs.
#[inline]
#[expect(unsafe_code, reason = "only the C library reports it without a system call")]
pub fn current_cpu() -> Option<u32> {
    // SAFETY: sched_getcpu takes nothing.
    let cpu = unsafe { libc::sched_getcpu() };
    u32::try_from(cpu).ok()
}

/// Removes the real-time policy of a thread; returns whether the kernel then reports a policy that is
/// not real-time.
///
/// The flag reset-on-fork stays set: the kernel returns EPERM to a thread without `CAP_SYS_NICE` that
/// clears the flag. Makes only two system calls, so a signal handler may call this function.
#[expect(unsafe_code, reason = "the crate for priorities takes locks, which a handler must not")]
pub(crate) fn demote(thread: ThreadId) -> bool {
    set_policy(thread, libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, 0).ok();
    // SAFETY: sched_getscheduler takes a number.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, pid(thread)) };
    libc::c_int::try_from(policy).is_ok_and(|policy| {
        0 <= policy && !REALTIME.contains(&(policy & !libc::SCHED_RESET_ON_FORK))
    })
}

/// Returns `None`, so that the watchdog checks nothing: the kernel itself limits real-time threads,
/// by `RLIMIT_RTTIME` and the runtime of DEADLINE.
pub(crate) const fn runaway_cpu_nanos(_thread: ThreadId) -> Option<i64> {
    None
}

#[expect(unsafe_code, reason = "the crate for priorities cannot ask for reset-on-fork")]
fn set_policy(thread: ThreadId, policy: libc::c_int, priority: u8) -> io::Result<()> {
    // The kernel's `sched_param` is one integer. The system call is made directly, as
    // `sched_setscheduler` of the C library musl always fails.
    let parameter = libc::c_int::from(priority);
    let (call, thread) = (libc::SYS_sched_setscheduler, pid(thread));
    // SAFETY: `parameter` is a valid sched_param for the length of the call.
    let code = unsafe { libc::syscall(call, thread, policy, &raw const parameter) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Requests a real-time policy for the calling thread; threads that it starts get the normal policy.
pub(super) fn set_realtime(policy: libc::c_int, priority: u8) -> io::Result<()> {
    set_policy(ThreadId(0), policy | libc::SCHED_RESET_ON_FORK, priority)
}

/// Gives the calling thread the normal policy `SCHED_OTHER`.
pub(super) fn set_ordinary() {
    if set_policy(ThreadId(0), libc::SCHED_OTHER, 0).is_err() {
        demote(ThreadId(0));
    }
}

/// Requests the policy `SCHED_IDLE` for the calling thread.
pub(super) fn set_idle() -> io::Result<()> {
    use thread_priority::{
        NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
        set_thread_priority_and_policy, thread_native_id,
    };
    set_thread_priority_and_policy(
        thread_native_id(),
        ThreadPriority::Min,
        ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle),
    )
    .map_err(|error| match error {
        thread_priority::Error::OS(errno) => io::Error::from_raw_os_error(errno),
        other => io::Error::other(format!("{other:?}")),
    })
}

/// Requests a nice value for the calling thread.
#[expect(unsafe_code, reason = "the standard library has no priorities")]
pub(super) fn set_nice(nice: i32) -> io::Result<()> {
    // SAFETY: setpriority takes numbers; 0 is this thread.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) })
}

#[expect(unsafe_code, reason = "the standard library has no priorities")]
fn nice() -> i32 {
    // SAFETY: getpriority takes numbers; 0 is this thread.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
}

fn check(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The kernel's `sched_attr`, in its first published size.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

impl Attributes {
    fn policy(&self) -> libc::c_int {
        libc::c_int::try_from(self.policy).unwrap_or(-1)
    }
}

/// Flag: children of the thread start as normal threads.
const RESET_ON_FORK: u64 = 0x01;

/// Requests SCHED_DEADLINE for the calling thread; threads that it starts get the normal policy.
pub(super) fn set_deadline(runtime: Nanos, deadline: Nanos, period: Nanos) -> io::Result<()> {
    let nanos = |value: Nanos| u64::try_from(value.get()).unwrap_or(0);
    set_attributes(Attributes {
        policy: u32::try_from(libc::SCHED_DEADLINE).unwrap_or(6),
        flags: RESET_ON_FORK,
        runtime: nanos(runtime),
        deadline: nanos(deadline),
        period: nanos(period),
        ..Attributes::default()
    })
}

/// Requests a nice value and a time slice for the calling thread. A batch or idle thread, as `chrt`
/// may have started it, retains its policy; a real-time thread becomes a normal one.
fn set_fair(nice: i32, slice: Nanos) -> io::Result<()> {
    let found = own_attributes()?;
    let is_low = [libc::SCHED_BATCH, libc::SCHED_IDLE].contains(&found.policy());
    set_attributes(Attributes {
        policy: if is_low { found.policy } else { 0 },
        flags: found.flags & RESET_ON_FORK,
        nice,
        runtime: u64::try_from(slice.get()).unwrap_or(0),
        ..Attributes::default()
    })
}

#[expect(unsafe_code, reason = "neither the standard library nor the crate for priorities can")]
fn set_attributes(requested: Attributes) -> io::Result<()> {
    let size = u32::try_from(size_of::<Attributes>()).unwrap_or(48);
    let requested = Attributes { size, ..requested };
    // SAFETY: `requested` is a valid sched_attr of the size it names; 0 is this thread.
    let code = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const requested, 0) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[expect(unsafe_code, reason = "read back from the kernel, not from the request")]
fn own_attributes() -> io::Result<Attributes> {
    let mut found = Attributes::default();
    let size = u32::try_from(size_of::<Attributes>()).unwrap_or(48);
    // SAFETY: `found` is a valid place of `size` bytes, laid out as the kernel's sched_attr; 0 is this
    // thread.
    let code = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut found, size, 0) };
    if code == 0 { Ok(found) } else { Err(io::Error::last_os_error()) }
}

/// Returns the scheduling policy of the calling thread, read back from the kernel.
pub fn own_policy() -> Policy {
    let Ok(found) = own_attributes() else { return Policy::Unknown };
    let priority = u8::try_from(found.priority).unwrap_or(u8::MAX);
    let nanos = |value: u64| Nanos::new(i64::try_from(value).unwrap_or(i64::MAX));
    match found.policy() {
        libc::SCHED_OTHER => Policy::Nice(nice()),
        libc::SCHED_BATCH => Policy::Batch(nice()),
        libc::SCHED_IDLE => Policy::Idle,
        libc::SCHED_FIFO => Policy::Fifo(priority),
        libc::SCHED_RR => Policy::RoundRobin(priority),
        libc::SCHED_DEADLINE => Policy::Deadline {
            runtime: nanos(found.runtime),
            deadline: nanos(found.deadline),
            period: nanos(found.period),
        },
        _ => Policy::Unknown,
    }
}

/// Returns the CPUs on which the calling thread may run.
pub(super) fn affinity() -> Vec<u32> {
    affinity_of(0)
}

/// Returns those of the CPUs on which some thread of this process may run now: not those that went
/// offline, or were excluded since. Files such as `/sys/devices/system/cpu/online` have other numbers in some containers.
pub(crate) fn still_usable(mut cpus: Vec<u32>) -> Vec<u32> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let numbers = threads.filter_map(|thread| thread.file_name().to_str()?.parse().ok());
    let now: Vec<u32> = numbers.flat_map(affinity_of).collect();
    cpus.retain(|cpu| now.is_empty() || now.contains(cpu));
    cpus
}

/// Returns the CPUs on which a thread may run and that are online; 0 is the calling thread.
#[expect(unsafe_code, reason = "read back from the kernel, not from the request")]
fn affinity_of(thread: libc::pid_t) -> Vec<u32> {
    let mut words = [0_u64; 128];
    // SAFETY: `words` is a valid place of the given size for a mask.
    let bytes = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, thread, size_of_val(&words), words.as_mut_ptr())
    };
    let Ok(bytes) = usize::try_from(bytes) else { return Vec::new() };
    let mut cpus = Vec::new();
    for (word, base) in words.iter().take(bytes / 8).zip((0_u32..).step_by(64)) {
        cpus.extend((0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| base + bit));
    }
    cpus
}

/// Requests that the calling thread run only on these CPUs.
#[expect(
    unsafe_code,
    reason = "core_affinity pins to a single CPU and gives no reason for a failure"
)]
pub(super) fn set_affinity(cpus: &[u32]) -> io::Result<()> {
    let mut words = [0_u64; 128];
    for &cpu in cpus {
        let word = usize::try_from(cpu / 64).unwrap_or(usize::MAX);
        if let Some(word) = words.get_mut(word) {
            *word |= 1 << (cpu % 64);
        }
    }
    // SAFETY: `words` is a valid mask of the given size; 0 is this thread.
    let code = unsafe {
        libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(&words), words.as_ptr())
    };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Pins the calling thread to one CPU.
pub fn pin_self(cpu: u32) -> Result<(), Refusal> {
    set_affinity(&[cpu])
        .map_err(|error| refusal(&format!("CPU {cpu}"), "sched_setaffinity", &error))
}

/// Moves the calling thread from these CPUs to the other usable CPUs, if there are any. There, it delays no measuring
/// thread of these CPUs, and gets as much scheduler weight as permitted: it must keep up with the records of the kernel, whatever
/// other programs run.
pub fn avoid_cpus(cpus: &[u32]) {
    let others: Vec<u32> = usable_cpus().into_iter().filter(|cpu| !cpus.contains(cpu)).collect();
    if others.is_empty() {
        return;
    }
    match set_affinity(&others) {
        Ok(()) => {
            if let Err(error) = set_nice(COLLECTOR_NICE) {
                log::debug!("the weight among other programs stays: {error}");
            }
        }
        Err(error) => log::info!("stays on CPUs {cpus:?}: {error}"),
    }
}

/// Lowers the priority of the calling thread below that of measuring threads.
pub fn lower_own_priority() {
    if nice() < HELPER_NICE
        && let Err(error) = set_nice(HELPER_NICE)
    {
        log::info!("stays at normal priority: {error}");
    }
}

/// Lowers the calling thread, and all threads that it starts from now on, below the threads of a test:
/// less scheduler weight, and only a quarter of the CPUs. The kernel moves a waking thread off a busy
/// CPU only at the next tick of that CPU, so CPUs without drawing threads matter more than weight
/// alone. A normal user cannot restore the weight.
pub fn lower_ui_priority() {
    if let Err(error) = set_fair(nice().max(WINDOW_NICE), WINDOW_SLICE) {
        log::info!("priority not lowered: {error}");
    }
    if let Err(error) = set_affinity(&window_cpus(&cpus(), &usable_cpus())) {
        log::info!("stays on all CPUs: {error}");
    }
}

/// Lowers the priority of the calling load thread to this level; at the normal level, does nothing.
pub fn set_load_priority(level: LoadLevel) {
    let value = match level {
        LoadLevel::Normal => return,
        LoadLevel::BelowNormal => BELOW_NORMAL_NICE,
        LoadLevel::Low => LOW_NICE,
    };
    if let Err(error) = set_nice(value) {
        log::info!("stays at normal priority: {error}");
    }
}

/// Raises the calling thread above every real-time thread of a test, or as high as permitted.
pub fn raise_supervisor() {
    let limit = guard::limit(libc::RLIMIT_RTPRIO).map_or(0, |(soft, _)| soft);
    let granted = u8::try_from(limit).unwrap_or(u8::MAX).clamp(1, SUPERVISOR_PRIORITY);
    let is_raised = [SUPERVISOR_PRIORITY, granted]
        .into_iter()
        .any(|priority| set_realtime(libc::SCHED_FIFO, priority).is_ok());
    if !is_raised {
        log::info!("the watchdog stays at normal priority");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowering_a_thread_retains_a_batch_or_idle_policy() {
        let lower = nice().max(WINDOW_NICE);
        for (policy, expected) in [
            (libc::SCHED_OTHER, Policy::Nice(lower)),
            (libc::SCHED_BATCH, Policy::Batch(lower)),
            (libc::SCHED_IDLE, Policy::Idle),
        ] {
            // Uses a separate thread, as a normal user cannot raise the priority of a thread again.
            let lowered = std::thread::Builder::new().spawn(move || {
                set_policy(ThreadId(0), policy, 0).unwrap();
                set_fair(lower, WINDOW_SLICE).map(|()| own_policy())
            });
            assert_eq!(lowered.unwrap().join().unwrap().unwrap(), expected);
        }
    }
}
