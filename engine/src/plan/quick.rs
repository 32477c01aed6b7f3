//! The quick check: five short plans that together show whether this PC may cause stutter.
//!
//! The check is not a separate test: each part is an ordinary plan, and the run of each part is saved like any other.

use super::form::parts::LoadCondition;
use super::wait::wait_with;
use super::{
    CpuFacts, FrameLoop, Load, LoadCount, Plan, SchedulingGaps, SleepAccuracy, SpinStrategies,
    SpinStrategy, Tail, Wait,
};
use crate::nanos::Nanos;

/// Tag that marks the runs of a quick check.
pub const TAG: &str = "quick-check";

/// Frame rate of the frame loops of a check, in frames per second.
pub const FPS: f64 = 60.0;

/// Maximum measuring time of a check, including additional time for parts with too little data. Repeats and the time
/// to wait until other programs are quiet are not included.
pub const BUDGET: Nanos = Nanos::from_secs(75);

/// Minimum number of sleeps or spin waits per series: p99 needs at least 100.
const MIN_COUNT: u32 = 100;
/// Number of sleeps per series, if the sleeps take no longer than `MAX_SERIES`. With only 500 sleeps, the confidence
/// interval of p99 would reach up to the longest sleep, and a single stall would prevent a grade.
const SLEEPS: u32 = 5_000;
/// Maximum time per series of sleeps: enough for 100 sleeps even if the system's timer ticks every 15.6 ms.
const MAX_SERIES: Nanos = Nanos::from_millis(1_600);
/// Minimum measuring time of a frame loop: 102 frames at 60 FPS.
const MIN_LOOP: Nanos = Nanos::from_millis(1_700);
/// Minimum duration of the scheduling gaps part.
const MIN_GAPS: Nanos = Nanos::from_millis(500);

/// Settings of a quick check for one PC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckSettings {
    /// Factor for durations and sample counts, 0 to 1: 1 is a full check, less makes a shorter check for tests.
    pub scale: f64,
    /// Number of load threads in the measurements under load: half of the usable CPUs.
    pub load_threads: u32,
    /// Whether the frame loop also runs with all CPUs busy; false if only one CPU is usable.
    pub has_full_load: bool,
    /// Spin tail for the idle frame loop, calibrated by the loop under load; `None` lets the idle loop calibrate one.
    pub tail: Option<Nanos>,
}

impl Default for CheckSettings {
    /// Returns the settings for a PC with two CPUs.
    fn default() -> Self {
        Self { scale: 1.0, load_threads: 1, has_full_load: true, tail: None }
    }
}

impl CheckSettings {
    /// Returns the settings for these CPUs. A CPU quota, in percent of one CPU, reduces the number of usable CPUs.
    pub fn new(cpus: &CpuFacts, quota_percent: Option<u32>) -> Self {
        let of_quota = quota_percent.map_or(u32::MAX, |percent| (percent / 100).max(1));
        let usable = cpus.logical_count().min(of_quota);
        Self {
            scale: 1.0,
            load_threads: (usable / 2).max(1),
            has_full_load: 1 < usable,
            tail: None,
        }
    }

    fn share(&self) -> f64 {
        if self.scale.is_finite() { self.scale.clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Returns the load that occupies half of the usable CPUs, like a game and other programs.
    const fn load(&self) -> Load {
        Load { count: LoadCount::Threads(self.load_threads), ..Load::NONE }
    }
}

/// One of the five parts of a quick check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Sleeps of three lengths, idle and under load.
    Sleep,
    /// A frame loop without load threads.
    FrameIdle,
    /// A frame loop under load.
    FrameLoad,
    /// A probe on every CPU: a busy thread that detects gaps in which it did not run.
    Gaps,
    /// Spin waits of four lengths.
    Spin,
}

impl Part {
    /// All parts, in the order in which the window shows the parts.
    pub const ALL: [Self; 5] =
        [Self::Sleep, Self::FrameIdle, Self::FrameLoad, Self::Gaps, Self::Spin];
    /// All parts, in the order in which the parts run. The frame loop under load runs before the idle one because its
    /// spin tail serves both loops.
    pub const IN_ORDER: [Self; 5] =
        [Self::Sleep, Self::FrameLoad, Self::FrameIdle, Self::Gaps, Self::Spin];

    /// Returns the key of the part in files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sleep => "sleep",
            Self::FrameIdle => "frame-idle",
            Self::FrameLoad => "frame-load",
            Self::Gaps => "gaps",
            Self::Spin => "spin",
        }
    }

    /// Returns the name of the part on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sleep => "Sleep accuracy",
            Self::FrameIdle => "Frame loop, idle",
            Self::FrameLoad => "Frame loop, under load",
            Self::Gaps => "Scheduling gaps",
            Self::Spin => "Spin strategies",
        }
    }

    /// Returns what the part measures, in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Sleep => "How long sleeps of 1 ns, 1 µs, and 1 ms take, idle and under load",
            Self::FrameIdle => "How late each frame of a 60 FPS loop starts",
            Self::FrameLoad => "How late frames start while half of the CPUs are busy",
            Self::Gaps => "How long busy threads are interrupted, on every CPU",
            Self::Spin => "How exactly spin waits of 5 ms, 900 µs, 5 µs, and 100 ns end",
        }
    }

    /// Returns the planned duration, including the calibration of the spin tail.
    pub fn length(self, settings: &CheckSettings) -> Nanos {
        let cpus = CpuFacts { usable: (0..settings.load_threads).collect(), ..CpuFacts::default() };
        self.plan(settings).duration(&cpus)
    }

    /// Returns the plan of this part. The plan is long enough for a grade even with a small `scale`.
    pub fn plan(self, settings: &CheckSettings) -> Plan {
        let share = settings.share();
        let time = |secs| Nanos::from_nanos_f64(Nanos::from_secs(secs).as_f64() * share);
        let count = |count: u32| {
            let scaled = Nanos::from_nanos_f64(f64::from(count) * share).get();
            u32::try_from(scaled).unwrap_or(count).max(MIN_COUNT)
        };
        let frame_loop = |load| FrameLoop {
            fps: FPS,
            // 10 s are 600 frames. The 95% interval of p99 needs at least 368 independent frames.
            time_each: time(10).max(MIN_LOOP),
            load,
            warm_up: Nanos::from_millis(100),
            ..FrameLoop::default()
        };
        match self {
            Self::Sleep => Plan::SleepAccuracy(SleepAccuracy {
                count: count(SLEEPS),
                at_most: MAX_SERIES,
                load: settings.load(),
                ..SleepAccuracy::default()
            }),
            Self::FrameIdle => Plan::FrameLoop(FrameLoop {
                wait: settings.tail.map_or(Wait::Hybrid(Tail::Measured), wait_with),
                ..frame_loop(Load::NONE)
            }),
            Self::FrameLoad => Plan::FrameLoop(FrameLoop {
                full_load: if settings.has_full_load { time(5).max(MIN_LOOP) } else { Nanos::ZERO },
                ..frame_loop(settings.load())
            }),
            Self::Gaps => Plan::SchedulingGaps(SchedulingGaps {
                duration: time(10).max(MIN_GAPS),
                ..SchedulingGaps::default()
            }),
            Self::Spin => Plan::SpinStrategies(SpinStrategies {
                count: count(500),
                strategies: vec![SpinStrategy::SpinLoopHint],
                circumstances: vec![LoadCondition::Idle],
                ..SpinStrategies::default()
            }),
        }
    }

    /// Returns the part that this plan can belong to, or `None` if no part of the check is such a test.
    pub fn of(plan: &Plan) -> Option<Self> {
        match plan {
            Plan::SleepAccuracy(_) => Some(Self::Sleep),
            Plan::FrameLoop(plan) if plan.load.is_none() => Some(Self::FrameIdle),
            Plan::FrameLoop(_) => Some(Self::FrameLoad),
            Plan::SchedulingGaps(_) => Some(Self::Gaps),
            Plan::SpinStrategies(_) => Some(Self::Spin),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Length, Trial};

    fn settings(cpus: u32) -> CheckSettings {
        let cpus = CpuFacts { usable: (0..cpus).collect(), ..CpuFacts::default() };
        CheckSettings::new(&cpus, None)
    }

    fn cpus() -> CpuFacts {
        CpuFacts { usable: vec![0, 1], physical_count: Some(2), one_a_core: vec![0, 1] }
    }

    #[test]
    fn the_whole_takes_less_than_its_budget_even_where_sleeps_are_slow() {
        for settings in [2, 16, 64].map(settings) {
            let mut longest = Nanos::ZERO;
            let known = CheckSettings { tail: Some(Nanos::ZERO), ..settings };
            for part in Part::ALL {
                for stage in part.plan(&known).probe().stages(&cpus()) {
                    let slow = stage.trials.iter().map(|trial| match trial.length {
                        // Slow sleeps use the full time limit of the series; spin waits end when they are due.
                        Length::Turns { at_most, .. } if trial.wait.sleeps() => at_most,
                        _ => trial.duration(),
                    });
                    let planned = stage.trials.iter().map(Trial::duration).max();
                    let more = slow.max().unwrap_or_default() - planned.unwrap_or_default();
                    longest += stage.duration() + more;
                }
            }
            let planned = Part::ALL.iter().fold(Nanos::ZERO, |sum, part| sum + part.length(&known));
            assert!(planned <= longest && Nanos::from_secs(45) < planned, "{planned}");
            // At least 10 s remain to measure parts without a grade for longer.
            assert!(longest + Nanos::from_secs(10) < BUDGET, "{longest}");
        }
    }

    #[test]
    fn half_of_the_usable_cpus_are_busy() {
        for (cpus, quota, expected) in [
            (1, None, (1, false)),
            (2, None, (1, true)),
            (3, None, (1, true)),
            (16, None, (8, true)),
            (64, None, (32, true)),
            (16, Some(400), (2, true)),
            (16, Some(150), (1, false)),
            (16, Some(50), (1, false)),
            (2, Some(800), (1, true)),
        ] {
            let facts = CpuFacts { usable: (0..cpus).collect(), ..CpuFacts::default() };
            let found = CheckSettings::new(&facts, quota);
            let found = (found.load_threads, found.has_full_load);
            assert_eq!(found, expected, "{cpus} CPUs, quota {quota:?}");
        }
    }

    #[test]
    fn one_spin_tail_serves_all_loops() {
        let tail = Nanos::from_micros(250);
        let known = CheckSettings { tail: Some(tail), ..settings(16) };
        let Plan::FrameLoop(idle) = Part::FrameIdle.plan(&known) else { panic!("no frame loop") };
        assert_eq!(idle.wait, Wait::Hybrid(Tail::Fixed(tail)));
        assert_eq!(wait_with(Nanos::ZERO), Wait::OsSleep);
        let load = Part::FrameLoad.plan(&known).stages(&cpus());
        let tried: Vec<_> = load.iter().map(|stage| stage.reuses_tail).collect();
        assert_eq!(tried, [false, true]);
    }

    #[test]
    fn every_part_can_be_run_and_is_reported_by_its_plan_however_short() {
        for part in Part::ALL {
            for scale in [1.0, 0.2, 0.0, f64::NAN, -1.0] {
                let plan = part.plan(&CheckSettings { scale, ..settings(2) });
                assert_eq!(plan.problems(&cpus()), [], "{part:?} {scale}");
                assert_eq!(Part::of(&plan), Some(part));
            }
            let longer = CheckSettings { scale: 7.0, ..settings(2) };
            assert_eq!(part.plan(&longer), part.plan(&settings(2)));
        }
    }
}
