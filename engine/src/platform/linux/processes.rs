//! The CPU time of each process, read one process at a time.
//!
//! A thread that reads all processes at once is itself a gap for a measuring thread on its CPU: `/proc/<id>/stat` takes
//! 18 to 29 µs per process, so 485 processes took 8.7 ms. The clock of the CPU time of a process has the same value to
//! the nanosecond, any user may read it, and it takes below 1 µs. It needs the ID of the process, and listing `/proc`
//! again for the IDs would take long, too. The list is therefore read once. From then on, `/proc/loadavg` shows the ID
//! that the kernel gave out last, and only the IDs since the previous round are tried. Example: 485 processes are known,
//! and the newest ID was 9 610. It is now 9 613: the round tries three IDs, of which two are threads and have no clock
//! of a process, and then reads 486 clocks. The caller may pause after any of these 489 steps.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

use super::super::parse;
use super::super::unix_clock::cpu_clock;
use super::counters::clock_of;
use super::read;

/// The number after the highest ID, if the kernel does not report it: its default on systems of 64 bits.
const DEFAULT_ID_END: u32 = 1 << 22;

/// Reads the CPU times of all processes in rounds.
#[derive(Debug)]
pub struct ProcessClocks {
    /// The clock of each known process, by its ID.
    clocks: BTreeMap<u32, libc::clockid_t>,
    /// IDs that may belong to new processes, and that this round has not tried.
    untried: Vec<Range<u32>>,
    /// The ID that the kernel gave out last before this round.
    newest: u32,
    /// The lowest ID of which this round has not read the clock; `None` between two rounds.
    next: Option<u32>,
}

impl ProcessClocks {
    /// Lists the processes, and starts the first round; `None` if the kernel does not report processes.
    pub fn open() -> Option<Self> {
        let newest = newest_id()?;
        let entries = fs::read_dir("/proc").ok()?.flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let untried = ids.map(|id| id..id.saturating_add(1)).collect();
        Some(Self { clocks: BTreeMap::new(), untried, newest, next: Some(0) })
    }

    fn start_round(&mut self) -> u32 {
        let newest = newest_id().unwrap_or(self.newest);
        let end = read("/proc/sys/kernel/pid_max").and_then(|end| end.parse().ok());
        self.untried.extend(ids_since(self.newest, newest, end.unwrap_or(DEFAULT_ID_END)));
        self.newest = newest;
        0
    }

    /// Tries an ID, or reads a clock and passes the process and its CPU time in nanoseconds to `take`. Returns `false` at
    /// the end of a round; the next call starts another round. Takes about 1 µs, and some 20 µs at the start of a round.
    pub fn step(&mut self, take: impl FnOnce(u32, i64)) -> bool {
        let next = self.next.unwrap_or_else(|| self.start_round());
        self.next = Some(next);
        if let Some(ids) = self.untried.last_mut() {
            match ids.next() {
                Some(id) => self.clocks.extend(clock_of(id).map(|clock| (id, clock))),
                None => {
                    self.untried.pop();
                }
            }
            return true;
        }
        let Some((&process, &clock)) = self.clocks.range(next..).next() else {
            self.next = None;
            return false;
        };
        self.next = Some(process.saturating_add(1));
        match cpu_clock(clock) {
            Some(cpu) => take(process, cpu),
            // A process that has ended has no clock.
            None => {
                self.clocks.remove(&process);
            }
        }
        true
    }
}

/// Returns the name of the program of a process; `None` if it has ended, or is a thread of the kernel. Takes 20 to 30 µs.
pub fn program_name(process: u32) -> Option<String> {
    let stat = fs::read(format!("/proc/{process}/stat")).ok()?;
    parse::program_name(&String::from_utf8_lossy(&stat)).map(str::to_owned)
}

/// Returns the ID of a thread or process that the kernel gave out last in this PID namespace.
fn newest_id() -> Option<u32> {
    read("/proc/loadavg")?.split_whitespace().last()?.parse().ok()
}

/// Returns the IDs that were given out after `before` up to `newest`. They rise to `end`, and then begin again.
fn ids_since(before: u32, newest: u32, end: u32) -> [Range<u32>; 2] {
    if before <= newest { [before + 1..newest + 1, 0..0] } else { [before + 1..end, 1..newest + 1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_since_the_previous_round_continue_after_the_highest() {
        assert_eq!(ids_since(40, 43, 100), [41..44, 0..0]);
        assert_eq!(ids_since(43, 43, 100), [44..44, 0..0], "none");
        assert_eq!(ids_since(98, 2, 100), [99..100, 1..3]);
    }

    #[test]
    fn a_process_is_read_from_its_start_to_its_end() {
        let Some(mut clocks) = ProcessClocks::open() else {
            println!("skipped: this system does not report processes");
            return;
        };
        let mut round = || {
            let mut processes = Vec::new();
            while clocks.step(|process, cpu| processes.push((process, cpu))) {}
            processes
        };
        let has = |round: &[(u32, i64)], id| round.iter().any(|(process, _)| *process == id);
        let first = round();
        assert!(has(&first, std::process::id()) && has(&first, 1));
        let mut sleep = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let id = sleep.id();
        assert!(has(&round(), id), "a new process is found by its ID");
        assert_eq!(program_name(2).filter(|name| name == "kthreadd"), None);
        sleep.kill().unwrap();
        sleep.wait().unwrap();
        assert!(!has(&round(), id), "it has ended");
        let own =
            |round: &[(u32, i64)]| round.iter().find(|one| one.0 == std::process::id()).unwrap().1;
        assert!(own(&first) < own(&round()), "the CPU time rises");
    }
}
