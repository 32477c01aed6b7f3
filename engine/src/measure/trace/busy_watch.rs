//! Reads at intervals which programs are busy, in slices that are too short to delay a measuring thread for long.

use crate::machine::{BusyProgram, BusyPrograms};
use crate::nanos::Nanos;
use crate::plan::Trial;
use crate::platform;

/// Interval between readings if the names of threads are not recorded.
const INTERVAL: Nanos = Nanos::from_millis(250);
/// Interval between readings if the names of threads are recorded. The readings then only serve to show how much CPU
/// time other programs use.
const NAMED_INTERVAL: Nanos = Nanos::from_secs(1);
/// Time after which a slice of a reading ends. With 504 processes, half of the slices took at most 102 µs and 90% at most
/// 118 µs, so a gap that one causes is far shorter than any that is graded.
const SLICE: Nanos = Nanos::from_micros(100);

/// The readings of the busy programs during a stage.
#[derive(Debug)]
pub(super) struct BusyWatch {
    programs: BusyPrograms,
    /// The interval between the starts of two readings.
    interval: Nanos,
    /// Value of `clock_nanos` from which the next reading is due.
    next: i64,
    /// Whether readings during the stage delay no measuring thread: they are in slices, or a CPU is not measured.
    is_harmless: bool,
}

impl BusyWatch {
    /// Takes the first reading, which is in one piece: call this before the measuring threads of these trials start.
    /// `None` if no trial can have late samples, or if the system does not report processes.
    pub(super) fn start(trials: &[Trial]) -> Option<Self> {
        trials.iter().find_map(Trial::trace_above)?;
        let programs = BusyPrograms::open()?;
        let is_harmless = programs.has_slices() || trials.len() < platform::usable_cpus().len();
        let next = platform::clock_nanos() + INTERVAL.get();
        Some(Self { programs, interval: INTERVAL, next, is_harmless })
    }

    /// Reads less often from now on, as the names of threads are recorded.
    pub(super) const fn slow_down(&mut self) {
        self.interval = NAMED_INTERVAL;
    }

    /// Reads one slice if a reading is due. Returns the busy programs at the end of a reading.
    pub(super) fn look(&mut self) -> Option<Vec<BusyProgram>> {
        let now = platform::clock_nanos();
        if now < self.next || !self.is_harmless {
            return None;
        }
        let busy = self.programs.read_slice(SLICE)?;
        self.next = self.next.saturating_add(self.interval.get()).max(now);
        Some(busy)
    }

    /// Reads the rest in one piece, after the measurement. Returns the programs that were busy since the last reading.
    pub(super) fn finish(&mut self) -> Vec<BusyProgram> {
        self.programs.read()
    }
}
