//! Lists the programs that use the most CPU time, also on systems on which context switches cannot be recorded.

use std::collections::BTreeMap;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, ThreadKind};

use crate::platform::parse::harmless_name;
use crate::platform::{clock_nanos, is_own_process};

/// Max number of programs that one reading reports.
const MAX_PROGRAMS: usize = 3;
/// Programs below this share of one CPU, in thousandths, are not reported.
const MIN_PERMILLE: i64 = 50;

/// A program that used CPU time since the previous reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusyProgram {
    /// The process ID.
    pub process: u32,
    /// The name of the program.
    pub name: String,
    /// CPU time of the program as a share of one CPU, in thousandths.
    pub permille: i64,
}

/// Measures the CPU time of other programs.
#[derive(Debug)]
pub struct BusyPrograms {
    system: System,
    at: i64,
    /// CPU time of each process at the previous reading, in milliseconds.
    before: BTreeMap<u32, u64>,
}

impl BusyPrograms {
    /// Takes the first reading; `None` where the system does not report processes.
    pub fn open() -> Option<Self> {
        let system = System::new().ok()?;
        let mut programs = Self { system, at: clock_nanos(), before: BTreeMap::new() };
        programs.read();
        Some(programs)
    }

    /// Returns the programs that used the most CPU time since the previous reading, in descending
    /// order. Omits this program, the program that started it with administrator rights, and
    /// threads of the kernel. Takes some microseconds per process on the system.
    pub fn read(&mut self) -> Vec<BusyProgram> {
        let kind = ProcessRefreshKind::nothing().with_cpu().without_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
        let now = clock_nanos();
        let wall = std::mem::replace(&mut self.at, now);
        let wall = (now - wall).max(1);
        let mut used: BTreeMap<u32, u64> = BTreeMap::new();
        let mut busy: Vec<(u32, i64)> = Vec::new();
        let processes = self.system.processes().iter();
        let processes: BTreeMap<u32, _> =
            processes.map(|(process, about)| (process.as_u32(), about)).collect();
        for (process, about) in processes {
            let cpu = about.accumulated_cpu_time();
            used.insert(process, cpu);
            let is_kernel = about.thread_kind() == Some(ThreadKind::Kernel);
            let Some(before) = self.before.get(&process).filter(|_| !is_kernel) else { continue };
            let millis = i64::try_from(cpu.saturating_sub(*before)).unwrap_or(0);
            let permille = millis.saturating_mul(1_000_000_000) / wall;
            if !is_own_process(process) && MIN_PERMILLE <= permille {
                busy.push((process, permille));
            }
        }
        self.before = used;
        busy.sort_by_key(|(process, permille)| (std::cmp::Reverse(*permille), *process));
        busy.truncate(MAX_PROGRAMS);
        let named = |(process, permille): (u32, i64)| {
            let name = self.system.process(Pid::from_u32(process))?.name().to_string_lossy();
            Some(BusyProgram { process, name: harmless_name(&name), permille })
        };
        busy.into_iter().filter_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_neither_this_program_nor_idle() {
        let mut programs = BusyPrograms::open().unwrap();
        let end = clock_nanos() + 60_000_000;
        while clock_nanos() < end {}
        let busy = programs.read();
        assert!(busy.len() <= MAX_PROGRAMS);
        for one in &busy {
            assert!(one.process != std::process::id() && MIN_PERMILLE <= one.permille, "{one:?}");
        }
        assert!(!programs.before.is_empty(), "processes are counted");
        assert_eq!(harmless_name("a\nb"), "a\u{fffd}b");
    }
}
