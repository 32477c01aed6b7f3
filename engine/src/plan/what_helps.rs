//! The test "What helps": measures a frame loop without and with each of several changes of settings, interleaved.

mod change;
mod settings;

use serde::{Deserialize, Serialize};

pub use self::change::SettingChange;
use super::conditions::Cell;
use super::form::parts::condition;
use super::{
    Conditions, CpuChoice, CpuFacts, Form, FrameLoop, Length, Listing, Load, LoadCount, Plan,
    Preset, Priority, Probe, Problem, Stage, Trial, Wait,
};
use crate::nanos::Nanos;
use crate::units::{count_text, format_fps};

/// Label of the configuration without a change, with which each single change is compared.
pub const BASELINE: &str = "Baseline";
/// Label of the configuration with all changes that help.
pub const TOGETHER: &str = "All that help, together";
/// Label of the configuration without a change, with which [`TOGETHER`] is compared.
pub const BASELINE_OF_TOGETHER: &str = "Baseline of all that help";

/// Min number of frames per block, because p99 needs 100 samples.
const MIN_FRAMES: i64 = 100;

/// The settings of the test "What helps".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WhatHelps {
    /// The frame loop without a change. Only its first cell is measured. Its time per configuration is the length of
    /// a block: in each round, every configuration runs for one block.
    pub baseline: FrameLoop,
    /// The changes to measure, one at a time.
    pub changes: Vec<SettingChange>,
    /// The changes that helped in an earlier run. If present, the run measures these changes together, with a
    /// baseline, and no single change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
}

/// Changes that are measured together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Together {
    /// The changes to apply at the same time.
    pub changes: Vec<SettingChange>,
    /// The length of the spin tail, as an earlier run calibrated it; absent if no run did.
    #[serde(rename = "tail_nanos")]
    pub tail: Option<Nanos>,
}

impl Default for WhatHelps {
    fn default() -> Self {
        Self {
            baseline: FrameLoop {
                time_each: Nanos::from_secs(2),
                wait: Wait::OsSleep,
                load: Load { count: LoadCount::HalfOfCpus, ..Load::NONE },
                rounds: 8,
                warm_up: Nanos::from_millis(500),
                ..FrameLoop::default()
            },
            changes: SettingChange::available(),
            together: None,
        }
    }
}

impl WhatHelps {
    /// Returns the default test with the configuration `cell` of a frame loop as the baseline.
    pub fn of(frame_loop: &FrameLoop, cell: Cell) -> Self {
        let default = Self::default();
        let own = default.baseline;
        let baseline = FrameLoop {
            cells: vec![cell],
            tail_sweep: false,
            compare_pools: false,
            full_load: Nanos::ZERO,
            time_each: own.time_each,
            rounds: own.rounds,
            warm_up: own.warm_up,
            ..frame_loop.clone()
        };
        Self { baseline, ..default }
    }

    /// Returns the selected changes, without those that the baseline already has.
    pub fn measured_changes(&self) -> impl Iterator<Item = SettingChange> + '_ {
        let unchanged = self.unchanged();
        let differs = move |change: &SettingChange| {
            let mut changed = unchanged;
            change.apply(None, &mut changed);
            changed != unchanged
        };
        self.changes.iter().copied().filter(differs)
    }

    /// Returns the settings of the loop without a change.
    pub(crate) fn unchanged(&self) -> LoopSettings {
        let no_deep_idle = self.baseline.no_deep_idle;
        let conditions = Conditions { no_deep_idle, ..self.cell().conditions() };
        LoopSettings { wait: self.baseline.wait, conditions, load: self.baseline.load }
    }

    fn cell(&self) -> Cell {
        let normal = Cell { priority: Priority::Normal, cpu: CpuChoice::Any };
        self.baseline.cells.first().copied().unwrap_or(normal)
    }

    /// Returns a block with these changes; `tail` is the length of the spin tail, which is calibrated if `None`.
    fn stage(
        &self,
        label: &str,
        changes: &[SettingChange],
        tail: Option<Nanos>,
        round: u32,
    ) -> Stage {
        let mut settings = self.unchanged();
        for change in changes {
            change.apply(tail, &mut settings);
        }
        let LoopSettings { wait, conditions, load } = settings;
        let block = self.baseline.time_each.max(self.baseline.period() * MIN_FRAMES);
        let trial = self.baseline.trial(self.cell(), wait, label.to_owned(), round);
        let trial = Trial {
            conditions,
            length: Length::Slots(self.baseline.slots_in(block)),
            // This test does not report the causes of late frames, and recording them could delay frames.
            evidence_above: None,
            ..trial
        };
        Stage { reuses_tail: 0 < round, skips_denied: true, ..Stage::new(vec![trial], load) }
    }
}

/// The settings that a change can affect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LoopSettings {
    /// How the loop waits.
    pub(crate) wait: Wait,
    /// What the loop requests from the OS, such as priority and pinning.
    pub(crate) conditions: Conditions,
    /// The background load during the loop.
    pub(crate) load: Load,
}

/// The name and the texts with which the window and the command line list this test.
const LISTING: Listing = Listing {
    key: "what-helps",
    name: "What helps",
    icon: "list-checks",
    digit: None,
    subtitle: "Effect of priority, pinning, spin tail, and timers on lateness",
    question: "What helps on this PC?",
    about: "Measures a frame loop without and with each of several changes, interleaved, and ranks the \
         changes by their effect on p99 lateness. Changes only Jitterscope's own threads, and only during \
         the test.",
    examples: &[
        "--fps 144",
        "--load-threads logical",
        "--change spin-tail --change highest --rounds 12",
        "--format csv --out changes.csv",
    ],
    value_name: "lateness",
    samples_name: "frames",
    rows_name: "configurations",
    step_name: "Block",
};

impl Probe for WhatHelps {
    fn presets(&self) -> Vec<Preset> {
        let preset =
            |key, name, about, plan| Preset { key, name, about, plan: Plan::WhatHelps(plan) };
        let of_load = |count| {
            let default = Self::default();
            let load = Load { count, ..default.baseline.load };
            Self { baseline: FrameLoop { load, ..default.baseline }, ..default }
        };
        vec![
            preset(
                "default",
                "Half of the CPUs busy",
                "OS sleep, normal priority, unpinned, with one load thread per two CPUs.",
                Self::default(),
            ),
            preset(
                "all-busy",
                "All CPUs busy",
                "The same with one load thread per CPU.",
                of_load(LoadCount::PerLogicalCpu),
            ),
            preset(
                "idle",
                "Idle",
                "The same without load threads.",
                of_load(LoadCount::Threads(0)),
            ),
        ]
    }

    fn schedule(&self) -> Option<(Nanos, f64)> {
        self.baseline.schedule()
    }

    fn listing(&self) -> &'static Listing {
        &LISTING
    }

    fn title(&self) -> String {
        let (fps, load) = (format_fps(self.baseline.fps), condition(!self.baseline.load.is_none()));
        format!("{fps}, {load}, {}", count_text(self.measured_changes().count(), "changes"))
    }

    fn extent(&self, _trials: &[Trial]) -> String {
        let changes = self.measured_changes().count();
        count_text(changes, "changes")
    }

    fn settings(&mut self, form: &mut dyn Form) {
        settings::show(self, form);
    }

    fn problems(&self) -> Vec<Problem> {
        settings::problems(self)
    }

    /// Returns the duration of the run that measures all changes that help together; 0 if no such run can follow.
    fn follow_up_length(&self, cpus: &CpuFacts) -> Nanos {
        if self.measured_changes().count() < 2 || self.together.is_some() {
            return Nanos::ZERO;
        }
        let together = Together { changes: Vec::new(), tail: None };
        Plan::WhatHelps(Self { together: Some(together), ..self.clone() }).duration(cpus)
    }

    /// Returns `false`: this test compares configurations and grades none.
    fn is_graded(&self, _label: &str) -> bool {
        false
    }

    /// Returns the blocks of all rounds. Each round has one block per configuration, in a new randomized order; a
    /// seed of 0 turns randomization off.
    fn stages(&self, _cpus: &CpuFacts) -> Vec<Stage> {
        let mut order = fastrand::Rng::with_seed(self.baseline.order_seed);
        let mut stages = Vec::new();
        for round in 0..self.baseline.rounds {
            let mut of_round = if let Some(Together { changes, tail }) = &self.together {
                vec![
                    self.stage(BASELINE_OF_TOGETHER, &[], None, round),
                    self.stage(TOGETHER, changes, *tail, round),
                ]
            } else {
                let change = |one: SettingChange| self.stage(one.name(), &[one], None, round);
                let baseline = self.stage(BASELINE, &[], None, round);
                std::iter::once(baseline).chain(self.measured_changes().map(change)).collect()
            };
            if self.baseline.order_seed != 0 {
                order.shuffle(&mut of_round);
            }
            stages.extend(of_round);
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{LoadPriority, OnMiss, Tail};

    fn cpus() -> CpuFacts {
        CpuFacts { usable: (0..8).collect(), physical_count: Some(4), ..CpuFacts::default() }
    }

    fn every_change() -> WhatHelps {
        WhatHelps { changes: SettingChange::ALL.into(), ..WhatHelps::default() }
    }

    #[test]
    fn each_round_measures_the_baseline_and_every_change_in_a_new_order() {
        let plan = every_change();
        let stages = plan.stages(&cpus());
        assert_eq!(stages.len(), 8 * 9);
        let labels = |round: u32| -> Vec<&str> {
            let trials = stages.iter().map(|stage| &stage.trials[0]);
            trials.filter(|one| one.round == round).map(|one| one.label.as_str()).collect()
        };
        assert_ne!(labels(0), labels(1));
        for round in 0..8 {
            let mut found = labels(round);
            found.sort_unstable();
            let mut expected: Vec<&str> = SettingChange::ALL.map(SettingChange::name).into();
            expected.push(BASELINE);
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
        assert_eq!(plan.stages(&cpus()), stages, "the seed is saved");
        let trial = &stages[0].trials[0];
        assert_eq!((trial.length, trial.warm_up), (Length::Slots(120), Nanos::from_millis(500)));
        assert_eq!(stages[0].load.count.resolve(&cpus()), 4, "half of the CPUs");
    }

    #[test]
    fn a_change_changes_one_thing_and_what_equals_the_baseline_is_omitted() {
        let plan = every_change();
        let unchanged = plan.unchanged();
        for stage in plan.stages(&cpus()) {
            let trial = &stage.trials[0];
            let differs = [
                trial.wait != unchanged.wait,
                trial.conditions.priority != Priority::Normal,
                trial.conditions.cpu != CpuChoice::Any,
                trial.conditions.fine_timer,
                trial.conditions.no_deep_idle,
                stage.load != unchanged.load,
            ];
            let expected = usize::from(trial.label != BASELINE);
            assert_eq!(differs.iter().filter(|it| **it).count(), expected, "{}", trial.label);
        }
        let frame_loop = FrameLoop {
            wait: Wait::Hybrid(Tail::Measured),
            load: Load {
                count: LoadCount::Threads(2),
                priority: LoadPriority::BelowNormal,
                ..Load::NONE
            },
            ..FrameLoop::default()
        };
        let cell = Cell { priority: Priority::Highest, cpu: CpuChoice::Performance };
        let other = WhatHelps::of(&frame_loop, cell);
        let other = WhatHelps { changes: SettingChange::ALL.into(), ..other };
        let measured: Vec<SettingChange> = other.measured_changes().collect();
        let expected = [
            SettingChange::AboveNormal,
            SettingChange::TimeCritical,
            SettingChange::FineTimer,
            SettingChange::NoDeepIdle,
        ];
        assert_eq!(measured, expected);
        let own = FrameLoop { on_miss: OnMiss::Rebase, late_percent: 2.0, ..frame_loop.clone() };
        let own = FrameLoop { no_deep_idle: true, ..own };
        let command = Plan::WhatHelps(WhatHelps::of(&own, cell)).command();
        for option in ["--on-miss rebase", "--no-deep-idle=true", "--late-threshold 2"] {
            assert!(command.contains(option), "{command}");
        }
        let idle = FrameLoop { load: Load::NONE, ..frame_loop };
        let idle = WhatHelps {
            changes: vec![SettingChange::LoadBelowNormal],
            ..WhatHelps::of(&idle, cell)
        };
        assert_eq!(idle.measured_changes().count(), 0);
    }

    #[test]
    fn the_changes_that_help_are_measured_together_with_a_baseline_of_their_own() {
        let together = Together {
            changes: vec![SettingChange::SpinTail, SettingChange::TimeCritical],
            tail: Some(Nanos::from_micros(250)),
        };
        let plan = WhatHelps { together: Some(together), ..WhatHelps::default() };
        let stages = plan.stages(&cpus());
        assert_eq!(stages.len(), 16);
        let all: Vec<&Trial> = stages.iter().map(|stage| &stage.trials[0]).collect();
        let changed: Vec<&&Trial> = all.iter().filter(|it| it.label == TOGETHER).collect();
        assert_eq!(changed.len(), 8);
        assert_eq!(changed[0].wait, Wait::Hybrid(Tail::Fixed(Nanos::from_micros(250))));
        assert_eq!(changed[0].conditions.priority, Priority::TimeCritical);
    }

    #[test]
    fn a_block_is_two_seconds_or_a_hundred_frames() {
        let of = |fps| {
            let default = WhatHelps::default();
            let plan = WhatHelps { baseline: FrameLoop { fps, ..default.baseline }, ..default };
            plan.stages(&cpus())[0].trials[0].length
        };
        assert_eq!([of(144.0), of(30.0)], [Length::Slots(288), Length::Slots(100)]);
    }

    #[test]
    fn the_stated_time_has_both_parts_and_one_trial_of_spin_tails() {
        let plan = every_change();
        let block = Nanos::from_millis(2_600);
        let near = |found: Nanos, expected: Nanos| {
            assert!((found - expected).get().abs() < 1_000_000_000, "{found}, not {expected}");
        };
        let calibration = Tail::MAX_TRIAL + super::super::Work::CALIBRATION;
        let first = Plan::WhatHelps(plan.clone()).duration(&cpus());
        near(first, block * (8 * 9) + calibration);
        near(plan.follow_up_length(&cpus()), block * 16 + super::super::Work::CALIBRATION);
    }
}
