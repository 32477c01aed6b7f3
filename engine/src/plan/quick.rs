//! The quick check: five short plans that together show whether this PC may cause stutter.
//!
//! It is not a separate test: each part is an ordinary plan, and its run is saved like any other.

use super::form::parts::LoadCondition;
use super::{
    CpuFacts, FrameLoop, Load, Plan, SchedulingGaps, SleepAccuracy, SpinStrategies, SpinStrategy,
};
use crate::nanos::Nanos;

/// The tag of every run of a quick check.
pub const TAG: &str = "quick-check";

/// The frame rate that it evaluates.
pub const FPS: f64 = 60.0;

/// The longest time between the starts of two runs of one check.
pub const LONGEST: Nanos = Nanos::from_secs(75);

/// The fewest sleeps of a series: p99 needs them.
const MIN_COUNT: u32 = 100;
/// The shortest frame loop: 102 frames.
const MIN_LOOP: Nanos = Nanos::from_millis(1_700);
/// The shortest gap measurement.
const MIN_GAPS: Nanos = Nanos::from_millis(500);

/// One of the five measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Sleeps of three lengths, idle and under load.
    Sleep,
    /// A frame loop on the PC as it is.
    FrameIdle,
    /// The same under load.
    FrameLoad,
    /// A probe on every CPU.
    Gaps,
    /// Busy waits of four lengths.
    Spin,
}

impl Part {
    /// All of them, in the order in which they run.
    pub const ALL: [Self; 5] =
        [Self::Sleep, Self::FrameIdle, Self::FrameLoad, Self::Gaps, Self::Spin];

    /// The key in files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sleep => "sleep",
            Self::FrameIdle => "frame-idle",
            Self::FrameLoad => "frame-load",
            Self::Gaps => "gaps",
            Self::Spin => "spin",
        }
    }

    /// The name on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sleep => "Sleep accuracy",
            Self::FrameIdle => "Frame loop, idle",
            Self::FrameLoad => "Frame loop, under load",
            Self::Gaps => "Scheduling gaps",
            Self::Spin => "Spin strategies",
        }
    }

    /// What it does, in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Sleep => "How long sleeps of 1 ns, 1 µs, and 1 ms take, idle and under load",
            Self::FrameIdle => "How late each frame of a 60 FPS loop starts",
            Self::FrameLoad => "How late frames start while 4 load threads keep the CPUs busy",
            Self::Gaps => "How long busy threads are interrupted, on every CPU",
            Self::Spin => "How exactly spin waits of 5 ms, 900 µs, 5 µs, and 100 ns end",
        }
    }

    /// Planned duration, with the trial of spin tails. It depends on no number of CPUs: those of a part work at the same time.
    pub fn length(self) -> Nanos {
        let one = CpuFacts { usable: vec![0], ..CpuFacts::default() };
        self.plan(1.0).duration(&one)
    }

    /// The settings, with durations multiplied by `scale`: 1 is the check itself, less is for
    /// trying it out. Never so short that a part cannot be graded.
    pub fn plan(self, share: f64) -> Plan {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
        let time = |secs| Nanos::from_nanos_f64(Nanos::from_secs(secs).as_f64() * share);
        let count = |count: u32| {
            let scaled = Nanos::from_nanos_f64(f64::from(count) * share).get();
            u32::try_from(scaled).unwrap_or(count).max(MIN_COUNT)
        };
        let frame_loop = |load| {
            Plan::FrameLoop(FrameLoop {
                fps: FPS,
                // 600 frames: p99 has an interval from 368 on that do not depend on each other.
                time_each: time(10).max(MIN_LOOP),
                load,
                warm_up: Nanos::from_millis(100),
                ..FrameLoop::default()
            })
        };
        match self {
            // 1.6 s are enough for 100 sleeps even if timers tick every 15.6 ms.
            Self::Sleep => Plan::SleepAccuracy(SleepAccuracy {
                count: count(500),
                at_most: Nanos::from_millis(1_600),
                ..SleepAccuracy::default()
            }),
            Self::FrameIdle => frame_loop(Load::NONE),
            Self::FrameLoad => frame_loop(FrameLoop::default().load),
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

    /// The part that a run of this plan can be, or `None` if the check has no such part.
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
    use crate::plan::{Length, Tail};

    fn cpus() -> CpuFacts {
        CpuFacts { usable: vec![0, 1], physical_count: Some(2), one_a_core: vec![0, 1] }
    }

    #[test]
    fn the_whole_takes_about_a_minute_even_where_sleeps_are_slow() {
        let mut longest = Nanos::ZERO;
        for part in Part::ALL {
            for stage in part.plan(1.0).probe().stages(&cpus()) {
                let of_trial = |trial: &crate::plan::Trial| match trial.length {
                    // Sleeps may take all the time they are given; spins end when they are due.
                    Length::Turns { at_most, .. } if trial.wait.sleeps() => trial.warm_up + at_most,
                    _ => trial.calibration() + trial.warm_up + trial.duration(),
                };
                let trials = stage.trials.iter().map(of_trial).max().unwrap_or_default();
                longest += stage.settle + trials;
            }
        }
        assert!(longest < Nanos::from_secs(66), "{longest}");
        let planned = Part::ALL.iter().fold(Nanos::ZERO, |sum, part| sum + part.length());
        assert!(planned <= longest && Nanos::from_secs(50) < planned, "{planned}");
        // The trial of spin tails counts, on any number of CPUs.
        let whole = Part::FrameIdle.plan(1.0).duration(&cpus());
        assert_eq!(Part::FrameIdle.length(), whole);
        assert!(Nanos::from_secs(10) + Tail::MAX_TRIAL <= whole, "{whole}");
    }

    #[test]
    fn every_part_can_be_run_and_is_reported_by_its_plan_however_short() {
        for part in Part::ALL {
            for share in [1.0, 0.2, 0.0, f64::NAN, -1.0] {
                let plan = part.plan(share);
                assert_eq!(plan.probe().problems(&cpus()), [], "{part:?} {share}");
                assert_eq!(Part::of(&plan), Some(part));
            }
            assert_eq!(part.plan(7.0), part.plan(1.0));
        }
    }
}
