//! A trial is one measuring loop under one set of conditions; a stage is the trials that run at the same time.

use serde::{Deserialize, Serialize};

use super::{Conditions, Load, Pace, Priority, Wait, Work};
use crate::nanos::Nanos;

/// When a trial ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// After this many slots of the schedule, including missed slots.
    Slots(u64),
    /// After this many iterations or this time, whichever comes first.
    Turns {
        /// Maximum number of iterations.
        count: u64,
        /// Maximum time.
        #[serde(rename = "at_most_nanos")]
        at_most: Nanos,
    },
    /// After this time.
    #[serde(rename = "time_nanos")]
    Time(Nanos),
}

/// One measuring loop under one set of conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trial {
    /// Name of the trial. Trials with the same label are rounds of one configuration.
    pub label: String,
    /// Number of the round, from 0.
    pub round: u32,
    /// When each wait is due.
    pub pace: Pace,
    /// How the loop waits.
    pub wait: Wait,
    /// What the loop does after waking.
    pub work: Work,
    /// What the measuring thread requests from the operating system.
    pub conditions: Conditions,
    /// When the trial ends.
    pub length: Length,
    /// How long the loop runs before samples count.
    #[serde(rename = "warm_up_nanos")]
    pub warm_up: Nanos,
    /// Lateness above which the loop reads the system's counters to find the cause, or `None` for never.
    #[serde(rename = "evidence_above_nanos")]
    pub evidence_above: Option<Nanos>,
}

/// Shortest gap, and shortest overshoot of a sleep, around which the scheduling trace is saved.
const MIN_TRACED_GAP: Nanos = Nanos::from_micros(20);
const MIN_TRACED_OVERSHOOT: Nanos = Nanos::from_micros(100);

impl Trial {
    /// Returns the lateness, or the length of a gap, above which the scheduling trace around the sample is saved. The
    /// trace shows which threads used the CPU. `None` if no trace is saved.
    pub fn trace_above(&self) -> Option<Nanos> {
        match self.pace {
            Pace::Grid { .. } => self.evidence_above,
            Pace::After { .. } => self.wait.sleeps().then_some(MIN_TRACED_OVERSHOOT),
            Pace::Gaps { threshold } => Some(threshold.max(MIN_TRACED_GAP)),
            Pace::BackToBack => None,
        }
    }

    /// Returns the planned number of slots or iterations; `u64::MAX` if only a time ends the trial.
    pub const fn slot_count(&self) -> u64 {
        match self.length {
            Length::Slots(count) | Length::Turns { count, .. } => count,
            Length::Time(_) => u64::MAX,
        }
    }

    /// Returns about how many samples the trial records; 0 if the number cannot be predicted, as with gaps.
    pub fn expected_samples(&self) -> u64 {
        let period = self.pace.period().get();
        let in_time = |time: Nanos| u64::try_from(time.get() / period.max(1)).unwrap_or(0);
        match self.length {
            Length::Slots(count) => count,
            Length::Turns { .. } | Length::Time(_) if period <= 0 => 0,
            Length::Turns { count, at_most } => count.min(in_time(at_most)),
            Length::Time(time) => in_time(time),
        }
    }

    /// Returns how long it takes to calibrate the spin tail and the runtime of DEADLINE before the warm-up.
    pub fn calibration(&self) -> Nanos {
        let runtime = match self.conditions.priority {
            Priority::Deadline(deadline) => deadline.calibration(self.work.length()),
            _ => Nanos::ZERO,
        };
        runtime + self.wait.calibration(self.work.length(), self.pace.period())
    }

    /// Returns the planned measuring time, without calibration and warm-up.
    pub fn duration(&self) -> Nanos {
        let turns = |count| self.pace.period() * i64::try_from(count).unwrap_or(i64::MAX);
        match self.length {
            Length::Slots(count) => turns(count),
            // Each sleep takes the requested time plus an overshoot of about 60 µs.
            Length::Turns { count, at_most } => {
                let default = if self.wait.sleeps() { Nanos::from_micros(60) } else { Nanos::ZERO };
                let all = default * i64::try_from(count).unwrap_or(i64::MAX) + turns(count);
                all.min(at_most)
            }
            Length::Time(length) => length,
        }
    }
}

/// Trials that run at the same time, and their background load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stage {
    /// The trials, each on a separate thread.
    pub trials: Vec<Trial>,
    /// Background load.
    pub load: Load,
    /// How long the load runs before the trials start.
    #[serde(rename = "settle_nanos")]
    pub settle: Nanos,
    /// Whether the stage only makes sense if cores have two hardware threads. On other PCs, the stage is skipped with
    /// a warning.
    pub needs_smt: bool,
    /// Whether the stage reuses a spin tail that an earlier stage of the run calibrated: under the same load or, if
    /// there is none, under another load.
    #[serde(default)]
    pub reuses_tail: bool,
    /// Whether the stage is skipped if the system denied the request of an earlier trial with the same label.
    #[serde(default)]
    pub skips_denied: bool,
}

impl Stage {
    /// Creates a stage that runs on every PC. A load settles for 100 ms before the trials start.
    pub fn new(trials: Vec<Trial>, load: Load) -> Self {
        Self {
            trials,
            load,
            settle: Nanos::from_millis(if load.is_none() { 0 } else { 100 }),
            needs_smt: false,
            reuses_tail: false,
            skips_denied: false,
        }
    }

    /// Returns the planned duration of the stage: settling, calibration, warm-up, and measuring.
    pub fn duration(&self) -> Nanos {
        let calibration =
            |trial: &Trial| if self.reuses_tail { Nanos::ZERO } else { trial.calibration() };
        let longest = self
            .trials
            .iter()
            .map(|trial| calibration(trial) + trial.warm_up + trial.duration())
            .max()
            .unwrap_or(Nanos::ZERO);
        self.settle + longest
    }
}
