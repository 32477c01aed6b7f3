//! Lists the tests that exist, and defines what each test must provide: the `Probe` trait.
//!
//! A test does not measure anything itself. It plans: it turns its settings into stages of trials, which are
//! plain data. `measure` runs the stages, and `report` evaluates the samples. To add a test, add a file to
//! `plan/` and list the test in this file.

pub mod conditions;
pub mod form;
pub mod frame_loop;
pub mod game_tick;
pub mod load;
pub mod pace;
pub mod quick;
pub mod real_time;
pub mod scheduling_gaps;
mod setting_list;
pub mod sleep_accuracy;
pub mod spin_strategies;
pub mod trial;
mod units;
pub mod wait;
pub mod what_helps;
pub mod work;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use form::RangeCheck;

pub use conditions::{Conditions, CpuChoice, Priority};
pub use form::{Field, Form};
pub use frame_loop::FrameLoop;
pub use game_tick::GameTick;
pub use load::{Load, LoadCount, LoadKind, LoadLevel, LoadPriority};
pub use pace::{OnMiss, Pace};
pub use real_time::RealTime;
pub use scheduling_gaps::SchedulingGaps;
pub use setting_list::Setting;
pub use sleep_accuracy::SleepAccuracy;
pub use spin_strategies::SpinStrategies;
pub use trial::{Length, Stage, Trial};
pub use units::parse_nanos;
pub use wait::{SpinStrategy, Tail, Wait};
pub use what_helps::{SettingChange, WhatHelps};
pub use work::Work;

/// The default late threshold, in percent of the frame time.
pub const DEFAULT_LATE_PERCENT: u32 = 5;

/// Defines `Plan` from the list of tests: the type of each test, and what it measures. The order of the list is
/// the order on screen.
macro_rules! tests {
    ($($name:ident: $doc:literal,)*) => {
        /// A test with its settings filled in: what to measure.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(tag = "test", rename_all = "kebab-case")]
        pub enum Plan {
            $(#[doc = $doc] $name($name),)*
        }

        impl Plan {
            /// Returns the settings of the test.
            pub fn probe(&self) -> &dyn Probe {
                match self {
                    $(Self::$name(probe) => probe,)*
                }
            }

            /// Returns the settings of the test, to change them.
            pub fn probe_mut(&mut self) -> &mut dyn Probe {
                match self {
                    $(Self::$name(probe) => probe,)*
                }
            }

            /// Returns one plan per test, with default settings.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$name($name::default()),)*]
            }
        }
    };
}

tests! {
    FrameLoop: "A paced loop under load, priority × pinning.",
    SleepAccuracy: "Actual duration of sleeps.",
    SpinStrategies: "Accuracy and cost of spin waits.",
    SchedulingGaps: "Intervals in which a busy thread did not run, on all CPUs at once.",
    RealTime: "A frame loop under real-time policies against normal.",
    GameTick: "A game server's cycle on 1 to N threads.",
    WhatHelps: "A frame loop without and with each of several changes.",
}

/// The settings of a test, and everything that depends on the kind of test.
pub trait Probe {
    /// Returns the texts about the test for the window, the command line, and reports.
    fn listing(&self) -> &'static Listing;

    /// Returns a title that names the most important settings, in up to 40 characters: `144 FPS, idle, FIFO 10`.
    fn title(&self) -> String;

    /// Returns how much these trials of the test measure, as one line of text such as
    /// "6 configurations × 10 s".
    fn extent(&self, trials: &[Trial]) -> String;

    /// Passes every setting to a form, which reads, changes, or lists the setting.
    fn settings(&mut self, form: &mut dyn Form);

    /// Returns the violated rules between settings. Requires that each setting is within its range.
    fn problems(&self) -> Vec<Problem> {
        Vec::new()
    }

    /// Reduces the combinations of priority and pinning in the settings to the one with these conditions, if
    /// it is among them.
    fn keep_only(&mut self, _conditions: Conditions) {}

    /// Returns whether the configuration with this label is graded. Other configurations are listed without a grade.
    fn is_graded(&self, _label: &str) -> bool {
        true
    }

    /// Returns the priorities of which the system must grant at least one; otherwise, the test ends without a
    /// verdict. Empty if the test needs none of them.
    fn needs_one_of(&self) -> &[Priority] {
        &[]
    }

    /// Returns the maximum duration of a follow-up measurement, which some results require; 0 without one.
    fn follow_up_length(&self, _cpus: &CpuFacts) -> Nanos {
        Nanos::ZERO
    }

    /// Returns named settings to start from. The default preset is first.
    fn presets(&self) -> Vec<Preset>;

    /// Returns the target frame time, and the late threshold in percent of this time; `None` for tests without a
    /// schedule of frames.
    fn schedule(&self) -> Option<(Nanos, f64)> {
        None
    }

    /// Returns the stages for a machine with these CPUs, in the order in which they run.
    fn stages(&self, cpus: &CpuFacts) -> Vec<Stage>;
}

/// A named plan with all settings filled in, to start from.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// The key of the preset on the command line.
    pub key: &'static str,
    /// The name on screen.
    pub name: &'static str,
    /// The purpose of the preset, in one sentence.
    pub about: &'static str,
    /// The settings of the preset.
    pub plan: Plan,
}

/// An invalid setting. The key lets a form show the message next to the setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key of the invalid setting.
    pub key: &'static str,
    /// What is wrong, and the allowed values.
    pub message: String,
}

/// The CPUs of a machine. A plan is checked against them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuFacts {
    /// The logical CPUs that this process may use.
    pub usable: Vec<u32>,
    /// Number of physical cores, or `None` if the system does not report it.
    pub physical_count: Option<u32>,
    /// One usable logical CPU of each physical core, as far as the system reports them.
    pub one_a_core: Vec<u32>,
}

impl CpuFacts {
    /// A number of CPUs that no machine exceeds.
    const MOST: u32 = 4_096;

    /// Returns more CPUs than any machine has. A setting that is out of range for them is out of range everywhere.
    pub fn many() -> Self {
        let cpus: Vec<u32> = (0..Self::MOST).collect();
        Self { usable: cpus.clone(), physical_count: Some(Self::MOST), one_a_core: cpus }
    }

    /// Returns the number of usable logical CPUs, at least 1.
    pub fn logical_count(&self) -> u32 {
        u32::try_from(self.usable.len()).unwrap_or(u32::MAX).max(1)
    }
}

impl Plan {
    /// Returns the key of the test in files and on the command line, such as `frame-loop`.
    pub fn key(&self) -> &'static str {
        self.listing().key
    }

    /// Returns the texts about the test for the window, the command line, and reports.
    pub fn listing(&self) -> &'static Listing {
        self.probe().listing()
    }

    /// Returns a title that names the most important settings. It is the name of a run that the user did not name.
    pub fn title(&self) -> String {
        self.probe().title()
    }

    /// Returns why the plan cannot run on a machine with these CPUs; empty if it can run. Rules between
    /// settings are checked only if each setting is within its range.
    pub fn problems(&self, cpus: &CpuFacts) -> Vec<Problem> {
        let mut check = RangeCheck::new(cpus);
        self.clone().probe_mut().settings(&mut check);
        if check.found.is_empty() { self.probe().problems() } else { check.found }
    }

    /// Returns whether some machine could run the plan. The plan of a foreign file can have billions of stages.
    pub(crate) fn is_in_range(&self) -> bool {
        self.problems(&CpuFacts::many()).is_empty()
    }

    /// Returns the stages for a machine with these CPUs, in the order in which they run. Returns none if a setting
    /// is invalid: an invalid number of rounds could otherwise produce billions of stages.
    pub fn stages(&self, cpus: &CpuFacts) -> Vec<Stage> {
        let can_run = self.problems(cpus).is_empty();
        if can_run { self.probe().stages(cpus) } else { Vec::new() }
    }

    /// Returns how much the plan measures on a machine with these CPUs, as one line of text such as
    /// "6 configurations × 10 s"; `None` if the plan cannot run.
    pub fn extent(&self, cpus: &CpuFacts) -> Option<String> {
        let trials: Vec<Trial> =
            self.stages(cpus).into_iter().flat_map(|stage| stage.trials).collect();
        (!trials.is_empty()).then(|| self.probe().extent(&trials))
    }

    /// Returns the late threshold; `None` for tests without a schedule. `percent` of the frame time applies
    /// unless the plan sets a threshold other than [`DEFAULT_LATE_PERCENT`].
    pub fn late_limit(&self, percent: f64) -> Option<Nanos> {
        let (period, own) = self.probe().schedule()?;
        let is_default = (own - f64::from(DEFAULT_LATE_PERCENT)).abs() < 1e-9;
        let percent = if is_default { percent } else { own };
        Some(Nanos::from_nanos_f64(period.as_f64() * percent / 100.0))
    }

    /// Returns the presets of this test. The default preset is first.
    pub fn presets(&self) -> Vec<Preset> {
        self.probe().presets()
    }

    /// Returns about how many samples the plan takes on a machine with these CPUs. Gaps cannot be predicted and
    /// are not included.
    pub fn expected_samples(&self, cpus: &CpuFacts) -> u64 {
        let stages = self.stages(cpus);
        let trials = stages.iter().flat_map(|stage| &stage.trials);
        trials.fold(0, |sum: u64, trial| sum.saturating_add(trial.expected_samples()))
    }

    /// Returns the planned duration on a machine with these CPUs: calibration, warm-up, settling, and measuring of
    /// all stages.
    pub fn duration(&self, cpus: &CpuFacts) -> Nanos {
        let stages = self.stages(cpus);
        let mut works = stages.iter().flat_map(|stage| &stage.trials).map(|trial| trial.work);
        let is_calibrated = works.any(|work| matches!(work, Work::Arithmetic(_)));
        let of_work = if is_calibrated { Work::CALIBRATION } else { Nanos::ZERO };
        stages.iter().fold(of_work, |sum, stage| sum + stage.duration())
    }
}

/// Names, texts, and examples with which the window and the command line list a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The key in files and on the command line: `frame-loop`.
    pub key: &'static str,
    /// The name on screen, in sentence case.
    pub name: &'static str,
    /// Key of the icon of the test.
    pub icon: &'static str,
    /// Digit of the keyboard shortcut that opens the test; `None` if the test has no shortcut.
    pub digit: Option<u8>,
    /// What the test measures, in a few words without a period.
    pub subtitle: &'static str,
    /// Question that the test answers.
    pub question: &'static str,
    /// What the test measures and shows, in one or two sentences.
    pub about: &'static str,
    /// Command-line options of example commands; the shortest example comes first.
    pub examples: &'static [&'static str],
    /// Name of the value that each sample has, in lower case: `lateness`.
    pub value_name: &'static str,
    /// Plural name of the samples, in lower case: `frames`.
    pub samples_name: &'static str,
    /// Plural name of the configurations: `configurations`, or `CPUs` if each configuration is a CPU.
    pub rows_name: &'static str,
    /// Name of one trial in the progress display, in sentence case: `Step` in "Step 2 of 6".
    pub step_name: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_limit_of_ones_own_is_retained() {
        let default = FrameLoop::default();
        let own = FrameLoop { late_percent: 2.0, ..default.clone() };
        let (default, own) = (Plan::FrameLoop(default), Plan::FrameLoop(own));
        assert_eq!(default.late_limit(DEFAULT_LATE_PERCENT.into()), Some(Nanos::new(833_333)));
        assert_eq!(default.late_limit(50.0), Some(Nanos::new(8_333_334)));
        assert_eq!(own.late_limit(50.0), Some(Nanos::new(333_333)));
        assert_eq!(Plan::SleepAccuracy(SleepAccuracy::default()).late_limit(50.0), None);
    }

    #[test]
    fn a_test_is_listed_by_the_key_of_its_files_and_by_no_other() {
        let mut keys = Vec::new();
        for plan in Plan::all() {
            let file = serde_json::to_value(&plan).unwrap();
            assert_eq!(file["test"], plan.key());
            assert!(!keys.contains(&plan.key()), "{}", plan.key());
            keys.push(plan.key());
            let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
            assert!(plan.extent(&cpus).is_some(), "{}", plan.key());
        }
    }

    #[test]
    fn a_plan_that_cannot_run_has_no_stages() {
        let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
        let endless = Plan::FrameLoop(FrameLoop { rounds: u32::MAX, ..FrameLoop::default() });
        assert_eq!(endless.stages(&cpus), []);
        assert_eq!((endless.extent(&cpus), endless.duration(&cpus)), (None, Nanos::ZERO));
    }

    #[test]
    fn the_extent_of_a_real_time_test_is_what_is_measured() {
        let extent = |time_each, turn| {
            let (time_each, turn) = (Nanos::from_secs(time_each), Nanos::from_secs(turn));
            RealTime { time_each, turn, ..RealTime::default() }.extent(&[])
        };
        assert_eq!(extent(30, 2), "2 × 30 s, in 2 s blocks");
        assert_eq!(extent(3, 2), "2 × 4 s, in 2 s blocks");
        assert_eq!(extent(10, 30), "2 × 10 s, in 10 s blocks");
    }

    #[test]
    fn lists_and_the_number_of_trials_are_bounded() {
        /// Selects the first value of each list 5 000 times.
        struct Repeat(usize);
        impl Form for Repeat {
            fn number(&mut self, _: &form::Number, _: &mut f64) {}
            fn choice(&mut self, _: &Field, _: &mut form::Selection, _: &[form::Choice]) {}
            fn set(
                &mut self,
                _: &Field,
                values: &mut Vec<form::Selection>,
                choices: &[form::Choice],
            ) {
                let number = choices[0].parameter.map(|parameter| parameter.min);
                *values = vec![form::Selection { index: 0, number }; 5_000];
                self.0 += 1;
            }
            fn matrix(&mut self, _: &Field, _: &Field, cells: &mut Vec<conditions::Cell>) {
                *cells = vec![cells[0]; 5_000];
                self.0 += 1;
            }
            fn switch(&mut self, _: &Field, _: &mut bool) {}
        }
        let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
        let mut plans: Vec<(Plan, usize)> = Vec::new();
        for mut plan in Plan::all() {
            let mut lists = Repeat(0);
            plan.probe_mut().settings(&mut lists);
            plans.push((plan, lists.0));
        }
        let probed = scheduling_gaps::ProbedCpus::Custom;
        let custom = vec![0; 5_000];
        let gaps = SchedulingGaps { cpus: probed, custom, ..SchedulingGaps::default() };
        plans.retain(|(plan, _)| plan.key() != "scheduling-gaps");
        plans.push((Plan::SchedulingGaps(gaps), 1));
        for (plan, list_count) in plans {
            let problems = plan.problems(&cpus);
            assert!(0 < list_count && problems.len() == list_count, "{problems:?}");
            assert!(problems.iter().all(|it| it.message.contains("5\u{202f}000")), "{problems:?}");
            assert_eq!(plan.stages(&cpus), [], "{}", plan.key());
        }
        let policies = vec![Priority::Fifo(10); 20];
        let real_time =
            RealTime { policies, time_each: Nanos::from_secs(600), ..RealTime::default() };
        let half = RealTime { turn: Nanos::from_millis(500), ..real_time.clone() };
        assert_eq!(Plan::RealTime(real_time).problems(&cpus), []);
        let custom = (1..=256).collect();
        let game_tick =
            GameTick { counts: game_tick::ThreadCounts::Custom, custom, ..GameTick::default() };
        let cells = vec![FrameLoop::default().cells[0]; 256];
        let frame_loop = FrameLoop { cells, tail_sweep: true, rounds: 20, ..FrameLoop::default() };
        for (plan, key, count) in [
            (Plan::RealTime(half), "block", "25\u{202f}200"),
            (
                Plan::GameTick(GameTick { iterations: 50, ..game_tick }),
                "iterations",
                "25\u{202f}600",
            ),
            (Plan::FrameLoop(frame_loop), "rounds", "35\u{202f}840"),
        ] {
            let message = format!("{count} measurements in one run; expected 1 to 10\u{202f}000");
            assert_eq!(plan.problems(&cpus), [Problem { key, message }]);
        }
    }

    #[test]
    fn every_preset_can_be_run_on_a_small_machine_and_reads_back() {
        let cpus = CpuFacts { usable: vec![0, 1], physical_count: Some(2), one_a_core: vec![0, 1] };
        for plan in Plan::all() {
            for preset in plan.presets() {
                assert_eq!(preset.plan.problems(&cpus), [], "{}", preset.key);
                assert!(!preset.plan.probe().stages(&cpus).is_empty(), "{}", preset.key);
                let text = serde_json::to_string(&preset.plan).unwrap();
                assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), preset.plan);
            }
        }
    }
}
