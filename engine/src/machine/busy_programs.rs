//! Lists the programs that use the most CPU time, also on systems on which context switches cannot be recorded.

use std::collections::BTreeMap;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, ThreadKind};

use crate::nanos::Nanos;
use crate::platform::parse::harmless_name;
use crate::platform::{ProcessClocks, clock_nanos, is_own_process, program_name};

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
    source: ProcessSource,
    shares: Shares,
    /// Whether only the names are missing for the end of a reading. They are a slice of their own, as they take 20 to
    /// 60 µs each.
    has_shares: bool,
}

/// How the CPU times of processes are read.
#[derive(Debug)]
enum ProcessSource {
    /// One process at a time.
    Clocks(ProcessClocks),
    /// All processes at once, which takes some microseconds per process on the system.
    List(System),
}

impl BusyPrograms {
    /// Takes the first reading; `None` where the system does not report processes.
    pub fn open() -> Option<Self> {
        let source = match ProcessClocks::open() {
            Some(clocks) => ProcessSource::Clocks(clocks),
            None => ProcessSource::List(System::new().ok()?),
        };
        let mut programs = Self { source, shares: Shares::default(), has_shares: false };
        programs.read();
        Some(programs)
    }

    /// Whether [`read_slice`](Self::read_slice) takes about the requested time.
    pub const fn has_slices(&self) -> bool {
        matches!(self.source, ProcessSource::Clocks(_))
    }

    /// Returns the programs that used the most CPU time since the previous reading, in descending
    /// order. Omits this program, the program that started it with administrator rights, and
    /// threads of the kernel.
    pub fn read(&mut self) -> Vec<BusyProgram> {
        loop {
            if let Some(busy) = self.read_slice(Nanos::MAX) {
                return busy;
            }
        }
    }

    /// Continues a reading for about this long. Returns what [`read`](Self::read) returns at the end of the reading, and
    /// `None` before.
    pub fn read_slice(&mut self, length: Nanos) -> Option<Vec<BusyProgram>> {
        let Self { source, shares, has_shares } = self;
        match source {
            ProcessSource::Clocks(_) if *has_shares => *has_shares = false,
            ProcessSource::Clocks(clocks) => {
                let began = clock_nanos();
                while clocks.step(|process, cpu| shares.add(process, cpu, clock_nanos())) {
                    if length.get() <= clock_nanos() - began {
                        return None;
                    }
                }
                *has_shares = true;
                return None;
            }
            ProcessSource::List(system) => {
                let kind = ProcessRefreshKind::nothing().with_cpu().without_tasks();
                system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
                let now = clock_nanos();
                #[expect(
                    clippy::iter_over_hash_type,
                    reason = "the sums do not depend on the order"
                )]
                for (process, about) in system.processes() {
                    let millis = i64::try_from(about.accumulated_cpu_time()).unwrap_or(0);
                    shares.add(process.as_u32(), millis.saturating_mul(1_000_000), now);
                }
            }
        }
        let name_of = |process| match &*source {
            ProcessSource::Clocks(_) => program_name(process),
            ProcessSource::List(system) => {
                let about = system.process(Pid::from_u32(process))?;
                let is_kernel = about.thread_kind() == Some(ThreadKind::Kernel);
                (!is_kernel).then(|| about.name().to_string_lossy().into_owned())
            }
        };
        let named = |(process, permille): (u32, i64)| {
            let name = harmless_name(&name_of(process)?);
            Some(BusyProgram { process, name, permille })
        };
        Some(shares.finish().into_iter().filter_map(named).take(MAX_PROGRAMS).collect())
    }
}

/// Computes the shares of one CPU that processes used from one reading to the next. Each process has its own times, as
/// the slices of a reading can be far from each other.
#[derive(Debug, Default)]
struct Shares {
    /// When each process was read in the previous reading, and its CPU time so far, in nanoseconds.
    before: BTreeMap<u32, (i64, i64)>,
    /// The same of this reading.
    now: BTreeMap<u32, (i64, i64)>,
    /// The busy processes of this reading, each with its share in thousandths.
    busy: Vec<(u32, i64)>,
}

impl Shares {
    fn add(&mut self, process: u32, cpu: i64, at: i64) {
        self.now.insert(process, (at, cpu));
        let Some((at_before, cpu_before)) = self.before.get(&process) else { return };
        let permille = (cpu - cpu_before).saturating_mul(1_000) / (at - at_before).max(1);
        if MIN_PERMILLE <= permille && !is_own_process(process) {
            self.busy.push((process, permille));
        }
    }

    /// Ends a reading. Returns its busy processes, the busiest first.
    fn finish(&mut self) -> Vec<(u32, i64)> {
        self.before = std::mem::take(&mut self.now);
        let mut busy = std::mem::take(&mut self.busy);
        busy.sort_by_key(|(process, permille)| (std::cmp::Reverse(*permille), *process));
        busy
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
        assert!(!programs.shares.before.is_empty(), "processes are counted");
        assert_eq!(harmless_name("a\nb"), "a\u{fffd}b");
    }

    #[test]
    fn shares_are_of_the_time_between_the_readings_of_each_process() {
        const MILLI: i64 = 1_000_000;
        let own = std::process::id();
        let [idle, busy, late] = [1, 2, 3].map(|id| own.wrapping_add(id));
        let mut shares = Shares::default();
        for (process, cpu, at) in [(own, 0, 0), (idle, 70, 1), (busy, 500, 2)] {
            shares.add(process, cpu * MILLI, at * MILLI);
        }
        assert_eq!(shares.finish(), [], "no reading before");
        // 60 ms of CPU time in 252 − 2 ms; the other process is read only 500 ms after its previous reading.
        for (process, cpu, at) in
            [(own, 200, 250), (idle, 95, 501), (busy, 560, 252), (late, 9, 253)]
        {
            shares.add(process, cpu * MILLI, at * MILLI);
        }
        assert_eq!(shares.finish(), [(busy, 240), (idle, 50)]);
        shares.add(late, 9 * MILLI, 400 * MILLI);
        shares.add(idle, 96 * MILLI, 800 * MILLI);
        assert_eq!(shares.finish(), [], "below 5%");
        assert_eq!(shares.before.len(), 2, "processes that have ended are forgotten");
    }

    #[test]
    fn slices_give_what_one_reading_gives() {
        let mut programs = BusyPrograms::open().unwrap();
        let whole = programs.shares.before.len();
        let slices = (0..1_000_000).find(|_| programs.read_slice(Nanos::ZERO).is_some()).unwrap();
        if programs.has_slices() {
            assert!(2 < slices, "a slice of no length has one step: {slices}");
        } else {
            assert_eq!(slices, 0);
        }
        // Other processes start and end meanwhile.
        assert!(whole / 2 <= programs.shares.before.len());
        assert!(programs.shares.before.contains_key(&std::process::id()));
    }
}
