//! Waits until other programs use less CPU time, before a quick check and between its measurements.

use crate::machine::{BusyProgram, BusyPrograms};
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::platform;
use crate::report::{Disturbance, Suspect};
use crate::stats::nanos_float;

/// Measures the CPU time of other programs together.
#[derive(Debug)]
pub struct OtherShare {
    before: BusyTimes,
}

/// Measures the CPU time of other programs, and finds those with the most CPU time.
#[derive(Debug)]
pub struct OtherLoad {
    all: OtherShare,
    programs: Option<BusyPrograms>,
}

/// The CPU use of other programs during an interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OtherPrograms {
    /// CPU time as a share of one CPU; absent if the system does not report it.
    pub share: Option<f64>,
    /// The programs with the most CPU time, in descending order.
    pub busiest: Vec<Suspect>,
}

/// The CPU times of all programs and of this process at one time, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct BusyTimes {
    at: i64,
    programs: i64,
    ours: i64,
}

impl BusyTimes {
    fn now() -> Option<Self> {
        Some(Self {
            programs: platform::machine_cpu_time()?.programs(),
            ours: platform::process_cpu_nanos()?,
            at: platform::clock_nanos(),
        })
    }
}

impl OtherShare {
    /// Starts to measure; `None` if the system does not report CPU times.
    pub fn start() -> Option<Self> {
        Some(Self { before: BusyTimes::now()? })
    }

    /// Returns the CPU time of other programs since the start or the last call, as a share of one
    /// CPU; `None` if the system does not report it.
    pub fn read(&mut self) -> Option<f64> {
        let now = BusyTimes::now()?;
        let before = std::mem::replace(&mut self.before, now);
        let others = (now.programs - before.programs - (now.ours - before.ours)).max(0);
        let wall = now.at - before.at;
        (0 < wall).then(|| nanos_float(others) / nanos_float(wall))
    }

    /// Returns the CPU time of other programs since the last call, as a share of one CPU. The first
    /// call starts the measurement and returns `None`.
    pub fn since_last(share: &mut Option<Self>) -> Option<f64> {
        if let Some(share) = share {
            return share.read();
        }
        *share = Self::start();
        None
    }
}

impl OtherLoad {
    /// Starts to measure the CPU time of other programs; `None` if the system does not report CPU
    /// times.
    pub fn start() -> Option<Self> {
        Some(Self { all: OtherShare::start()?, programs: BusyPrograms::open() })
    }

    /// Returns the CPU use of other programs since the start or the last call.
    pub fn read(&mut self) -> OtherPrograms {
        let share = self.all.read();
        let named = |one: BusyProgram| Suspect {
            share: Nanos::new(one.permille).as_f64() / 1e3,
            name: one.name,
        };
        let busiest = self.programs.as_mut().map(BusyPrograms::read).unwrap_or_default();
        OtherPrograms { share, busiest: busiest.into_iter().map(named).collect() }
    }
}

/// The remaining time that a quick check may wait for other programs, and the parts of the check
/// that were repeated.
#[derive(Clone, Debug)]
pub struct QuietWait {
    /// The time for which the check may still wait.
    pub left: Nanos,
    /// Whether the time was spent and other programs were still busy.
    was_in_vain: bool,
    repeated: Vec<Part>,
}

impl QuietWait {
    /// The default time limit for waiting.
    pub const DEFAULT: Nanos = Nanos::from_secs(20);
    /// How long the load of other programs is measured at a time, until it is small.
    pub const LOOK: Nanos = Nanos::from_millis(500);
    /// The time limit if the user requested to wait.
    pub const LONG: Nanos = Nanos::from_secs(600);

    /// Creates the state of a check that may wait for `limit` in total.
    pub const fn new(limit: Nanos) -> Self {
        Self { left: limit, was_in_vain: false, repeated: Vec::new() }
    }

    /// Whether to continue waiting before a part of the check: other programs would disturb the
    /// part, and time is left. `share` is compared with the limit for tests on one CPU, since even
    /// one disturbed CPU affects the longest gap.
    pub fn must_wait(&mut self, share: Option<f64>) -> bool {
        let is_busy = share.is_some_and(|share| Disturbance::by_programs(share, 1).is_some());
        let has_time = Nanos::ZERO < self.left;
        self.was_in_vain |= is_busy && !has_time;
        is_busy && has_time
    }

    /// Subtracts time that was spent waiting.
    pub fn spend(&mut self, time: Nanos) {
        self.left = (self.left - time).max(Nanos::ZERO);
    }

    /// Whether to repeat a part of the check: the part was disturbed, has not been repeated before, and
    /// the check did not wait in vain: while a program runs on, a repeat would be disturbed, too.
    pub fn must_repeat(&mut self, part: Part, disturbance: Option<Disturbance>) -> bool {
        if disturbance.is_none() || self.was_in_vain || self.repeated.contains(&part) {
            return false;
        }
        self.repeated.push(part);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_waits_while_it_would_be_disturbed_and_has_time() {
        let mut wait = QuietWait::new(Nanos::from_secs(20));
        assert!(wait.must_wait(Some(0.3)));
        assert!(!wait.must_wait(Some(0.1)) && !wait.must_wait(None));
        wait.spend(Nanos::from_secs(19));
        assert!(wait.must_wait(Some(0.3)));
        wait.spend(Nanos::from_secs(2));
        assert!(!wait.must_wait(Some(0.3)));
    }

    #[test]
    fn what_was_disturbed_is_repeated_once() {
        let mut wait = QuietWait::new(QuietWait::DEFAULT);
        let disturbance = Some(Disturbance::OtherPrograms(1.5));
        assert!(!wait.must_repeat(Part::Sleep, None));
        assert!(wait.must_repeat(Part::Sleep, disturbance));
        assert!(!wait.must_repeat(Part::Sleep, disturbance));
        assert!(wait.must_repeat(Part::Spin, disturbance));
        wait.spend(QuietWait::DEFAULT);
        assert!(wait.must_repeat(Part::FrameLoad, disturbance), "it became quiet each time");
        assert!(!wait.must_wait(Some(1.5)));
        assert!(!wait.must_repeat(Part::FrameIdle, disturbance), "it waited in vain");
    }

    #[test]
    fn the_load_of_other_programs_is_a_share_of_time() {
        let Some(mut load) = OtherLoad::start() else { return };
        std::thread::sleep(std::time::Duration::from_millis(60));
        let found = load.read();
        let share = found.share.unwrap();
        assert!(0.0 <= share && share.is_finite(), "{share}");
        assert!(found.busiest.iter().all(|one| !one.name.is_empty()), "{found:?}");
    }
}
