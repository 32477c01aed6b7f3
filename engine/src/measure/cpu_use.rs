//! Measures the CPU time that other programs and interrupts used during a trial.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::platform::{self, MachineCpuTime, clock_nanos};
use crate::run::{Counters, counter};

/// The CPU times of the machine and of this process so far, in nanoseconds, at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuUseMark {
    at: i64,
    machine: MachineCpuTime,
    ours: i64,
    /// The CPU to which a gap probe is pinned, and the CPU time of all programs on that CPU. `None` for other
    /// trials, and if this time is not known.
    probed: Option<(u32, i64)>,
}

/// The CPU times of each CPU, read at first use and shared by all probes: the reading takes long on a large machine.
#[derive(Debug, Default)]
pub(super) struct CpuTimes(OnceCell<Option<BTreeMap<u32, MachineCpuTime>>>);

impl CpuTimes {
    fn programs(&self, cpu: u32) -> Option<i64> {
        let times = self.0.get_or_init(platform::cpu_times).as_ref()?;
        times.get(&cpu).map(MachineCpuTime::programs)
    }
}

impl CpuUseMark {
    /// Reads the CPU times; `probed` is the CPU of a gap probe. `None` if the system does not report CPU times.
    pub(super) fn now(probed: Option<u32>, times: &CpuTimes) -> Option<Self> {
        let (machine, ours) = (platform::machine_cpu_time()?, platform::process_cpu_nanos()?);
        let probed = probed.and_then(|cpu| Some((cpu, times.programs(cpu)?)));
        Some(Self { at: clock_nanos(), machine, ours, probed })
    }

    /// Adds the CPU time used since this mark, by other programs and by interrupts.
    pub(super) fn count_since(self, times: &CpuTimes, counters: &mut Counters) {
        if let Some(now) = Self::now(self.probed.map(|(cpu, _)| cpu), times) {
            self.count_until(&now, counters);
        }
    }

    /// Adds the CPU times between this mark and `now`: of other processes (without steal and
    /// interrupts), of interrupts, and of all programs on the probed CPU. Adds the time between the marks.
    fn count_until(self, now: &Self, counters: &mut Counters) {
        let foreign = now.machine.programs() - self.machine.programs() - (now.ours - self.ours);
        counters.insert(counter::FOREIGN_CPU_NANOS.to_owned(), foreign.max(0));
        counters.insert(counter::FOREIGN_WINDOW_NANOS.to_owned(), now.at - self.at);
        if let (Some(before), Some(now)) = (self.machine.interrupt, now.machine.interrupt) {
            counters.insert(counter::INTERRUPT_NANOS.to_owned(), now - before);
        }
        if let (Some((_, before)), Some((_, now))) = (self.probed, now.probed) {
            counters.insert(counter::PROGRAMS_ON_CPU_NANOS.to_owned(), now - before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_and_interrupts_are_no_other_programs() {
        let mark = |at, busy, steal, interrupt, ours| CpuUseMark {
            at,
            machine: MachineCpuTime { busy, steal: Some(steal), interrupt: Some(interrupt) },
            ours,
            probed: Some((3, busy / 2)),
        };
        let mut counters = Counters::new();
        mark(0, 1_000, 100, 50, 400).count_until(&mark(1_000, 1_900, 350, 80, 700), &mut counters);
        // Of 900 ns of busy time, 250 ns were steal, 30 ns interrupts, and 300 ns this process: 320 ns remain.
        assert_eq!(counters[counter::FOREIGN_CPU_NANOS], 320);
        assert_eq!(counters[counter::INTERRUPT_NANOS], 30);
        assert_eq!(counters[counter::PROGRAMS_ON_CPU_NANOS], 450);
        assert_eq!(counters[counter::FOREIGN_WINDOW_NANOS], 1_000);
    }
}
