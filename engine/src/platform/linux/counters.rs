//! The kernel's counters of a thread, read without allocation.

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

use super::super::parse;
use super::super::unix_clock::{cpu_clock, nanos_a_tick};
use super::super::{MachineCpuTime, ThreadCounters};
use super::read;
use super::starter::starter;

/// Reads the calling thread's counters: one system call and one read of an open file.
#[derive(Debug)]
pub struct CounterReader {
    schedstat: Option<File>,
}

impl CounterReader {
    /// Opens the file of the run-queue delay. Call this on the thread whose counters are read. Linux
    /// counts the context switches of every thread anyway.
    pub fn new(_counts_switches: bool) -> Self {
        Self { schedstat: File::open("/proc/thread-self/schedstat").ok() }
    }

    /// Returns the current counters. Allocates nothing.
    #[inline]
    #[expect(unsafe_code, reason = "the standard library does not count")]
    pub fn read(&self) -> ThreadCounters {
        // SAFETY: all zeroes is a valid rusage.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is a valid place for one rusage for the length of the call.
        let code = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
        let counted = |value: libc::c_long| {
            if code == 0 { u64::try_from(value).ok() } else { None }
        };
        ThreadCounters {
            voluntary: counted(usage.ru_nvcsw),
            involuntary: counted(usage.ru_nivcsw),
            minor_faults: counted(usage.ru_minflt),
            major_faults: counted(usage.ru_majflt),
            run_delay_nanos: self.run_delay_nanos(),
            ..ThreadCounters::default()
        }
    }

    /// Returns only the run-queue delay in nanoseconds, for a thread whose other counters are
    /// replaced by a trace.
    #[inline]
    pub fn run_delay_nanos(&self) -> Option<i64> {
        let mut text = [0_u8; 96];
        let count = self.schedstat.as_ref()?.read_at(&mut text, 0).ok()?;
        let delay = parse::schedstat_delay(text.get(..count)?)?;
        i64::try_from(delay).ok()
    }
}

/// Returns the CPU time of this process, of the ssh server that carries its output, and of the
/// program that requested its start with administrator rights.
pub fn process_cpu_nanos() -> Option<i64> {
    let own = cpu_clock(libc::CLOCK_PROCESS_CPUTIME_ID)?;
    // The starter may already be one of the processes of the ssh session: count its CPU time once.
    let starter = starter().and_then(clock_of).filter(|clock| !cpu_clocks().contains(clock));
    // A process that has ended has no clock.
    let others = cpu_clocks().iter().copied().chain(starter).filter_map(cpu_clock);
    Some(others.fold(own, i64::saturating_add))
}

/// Returns the clock of the CPU time of another process; `None` if there is no such process.
#[expect(unsafe_code, reason = "the standard library does not report CPU time")]
pub(super) fn clock_of(process: u32) -> Option<libc::clockid_t> {
    let process = libc::pid_t::try_from(process).ok()?;
    let mut clock = 0;
    // SAFETY: `clock` is a valid place for the number of a clock.
    let code = unsafe { libc::clock_getcpuclockid(process, &raw mut clock) };
    (code == 0).then_some(clock)
}

/// Returns the total activity of all CPUs since boot.
pub fn machine_cpu_time() -> Option<MachineCpuTime> {
    let mut text = [0_u8; 256];
    let count = File::open("/proc/stat").ok()?.read_at(&mut text, 0).ok()?;
    cpu_time(parse::proc_stat(text.get(..count)?)?)
}

fn cpu_time(ticks: parse::CpuTicks) -> Option<MachineCpuTime> {
    let nanos = |ticks: u64| i64::try_from(ticks).ok()?.checked_mul(nanos_a_tick());
    Some(MachineCpuTime {
        busy: nanos(ticks.busy)?,
        steal: nanos(ticks.steal),
        interrupt: nanos(ticks.interrupt),
    })
}

/// Returns the activity of each CPU since boot. The file `/proc/stat` is long on a machine with
/// many CPUs: do not call this for every frame.
pub fn cpu_times() -> Option<BTreeMap<u32, MachineCpuTime>> {
    let text = read("/proc/stat")?;
    let each = parse::proc_stat_cpus(&text).into_iter();
    let times: BTreeMap<u32, MachineCpuTime> =
        each.filter_map(|(cpu, ticks)| Some((cpu, cpu_time(ticks)?))).collect();
    (!times.is_empty()).then_some(times)
}

/// Max number of ancestors that are checked.
const MAX_DEPTH: usize = 8;
/// The kernel's number for a CPU clock that counts the total time of a process.
const WHOLE_PROCESS: libc::clockid_t = 2;

/// Returns the CPU clocks of the ancestors of this process up to the ssh server, which transmit its output; none outside
/// of an ssh session. Their CPU time counts as CPU time of this program, as the measurement causes it.
pub(super) fn cpu_clocks() -> &'static [libc::clockid_t] {
    static CLOCKS: OnceLock<Vec<libc::clockid_t>> = OnceLock::new();
    CLOCKS.get_or_init(|| {
        let stat = |pid| fs::read_to_string(format!("/proc/{pid}/stat")).ok();
        let own = libc::pid_t::try_from(std::process::id()).unwrap_or_default();
        carriers(own, stat).into_iter().map(|pid| (!pid << 3) | WHOLE_PROCESS).collect()
    })
}

/// Returns the ancestors of process `own`, up to and including the ssh server; none without an ssh server.
fn carriers(own: libc::pid_t, stat: impl Fn(libc::pid_t) -> Option<String>) -> Vec<libc::pid_t> {
    let Some((_, mut pid)) = stat(own).as_deref().and_then(name_and_parent) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut has_server = false;
    for _ in 0..MAX_DEPTH {
        let Some((name, parent)) = stat(pid).as_deref().and_then(name_and_parent) else { break };
        let is_server = name.starts_with("sshd");
        if has_server && !is_server {
            break;
        }
        has_server |= is_server;
        found.push(pid);
        pid = parent;
    }
    if has_server { found } else { Vec::new() }
}

/// Parses the name and the parent of a process from `/proc/PID/stat`. The name is in parentheses,
/// and may itself contain parentheses.
fn name_and_parent(stat: &str) -> Option<(String, libc::pid_t)> {
    let (start, rest) = stat.rsplit_once(") ")?;
    let (_, name) = start.split_once('(')?;
    Some((name.to_owned(), rest.split(' ').nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::thread_cpu_nanos;
    use super::*;

    #[test]
    fn a_thread_that_works_and_sleeps_is_counted() {
        let reader = CounterReader::new(true);
        let before = reader.read();
        let cpu_before = thread_cpu_nanos();
        std::thread::sleep(std::time::Duration::from_millis(5));
        // The allocation is large enough to come from the system, page by page, and not from freed memory.
        let pages = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = reader.read();
        drop(pages);
        assert!(before.voluntary.unwrap() < after.voluntary.unwrap());
        assert!(before.minor_faults.unwrap() < after.minor_faults.unwrap());
        assert!(cpu_before.unwrap() < thread_cpu_nanos().unwrap());
    }

    #[test]
    fn the_machine_is_at_least_as_busy_as_this_process() {
        let machine = machine_cpu_time().unwrap();
        assert!(0 < machine.programs());
        assert!(machine.programs() <= machine.busy);
        assert!(0 < process_cpu_nanos().unwrap());
        let each = cpu_times().unwrap();
        let sum: i64 = each.values().map(|one| one.busy).sum();
        // The total is read before the times of the CPUs, and is rounded once instead of once per CPU.
        let most = i64::try_from(each.len() + 100).unwrap() * nanos_a_tick();
        assert!((sum - machine.busy).abs() <= most + 1_000_000_000, "{sum} {machine:?}");
    }

    fn stat(pid: libc::pid_t) -> Option<String> {
        Some(match pid {
            9 => "9 (jitterscope-cli) S 8 9 9".to_owned(),
            8 => "8 (sh) S 7 8 8".to_owned(),
            7 => "7 (sshd: ann) (b) S 6 7 7".to_owned(),
            6 => "6 (sshd-session) S 5 6 6".to_owned(),
            5 => "5 (systemd) S 0 5 5".to_owned(),
            30 => "30 (game) S 31 1 1".to_owned(),
            31 => "31 (bash) S 5 1 1".to_owned(),
            _ => return None,
        })
    }

    #[test]
    fn the_server_of_the_session_and_what_is_between_are_found() {
        assert_eq!(carriers(9, stat), [8, 7, 6]);
        assert!(carriers(30, stat).is_empty());
        assert!(carriers(1, stat).is_empty());
    }
}
