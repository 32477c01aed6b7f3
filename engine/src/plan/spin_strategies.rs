//! The spin strategies test: measures the accuracy and the CPU cost of spin waits.

use serde::{Deserialize, Serialize};

use super::form::parts::{self, LoadCondition};
use super::form::{Choice, Number, Parameter, choose_several, lengths};
use super::sleep_accuracy::one_a_cpu;
use super::{
    Conditions, CpuChoice, CpuFacts, Field, Form, Length, Load, Pace, Plan, Preset, Priority,
    Probe, SpinStrategy, Stage, Trial, Wait, Work,
};
use super::{Extent, Listing};
use crate::nanos::Nanos;
use crate::units::format_setting;

/// Longest wait that counts as short. The number of short waits is [`SpinStrategies::short_count`].
pub const SHORT: Nanos = Nanos::from_micros(10);

/// Maximum time per series of waits.
const AT_MOST: Nanos = Nanos::from_secs(60);

/// The settings of the spin strategies test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpinStrategies {
    /// Requested lengths of the waits, 10 ns to 100 ms.
    #[serde(rename = "lengths_nanos")]
    pub lengths: Vec<Nanos>,
    /// Number of waits per series if the waits are longer than 10 µs; 10 to 100 000.
    pub count: u32,
    /// Number of waits per series if the waits are up to 10 µs long; 10 to 100 000.
    pub short_count: u32,
    /// What the loop does between two clock reads.
    pub strategies: Vec<SpinStrategy>,
    /// Load conditions: idle, under load, or both.
    pub circumstances: Vec<LoadCondition>,
    /// Background load of the configurations under load.
    pub load: Load,
    /// Priority of the waiting thread.
    pub priority: Priority,
    /// Pinning of the waiting thread.
    pub cpu: CpuChoice,
}

impl Default for SpinStrategies {
    fn default() -> Self {
        Self {
            lengths: vec![
                Nanos::from_millis(5),
                Nanos::from_micros(900),
                Nanos::from_micros(5),
                Nanos::new(100),
            ],
            count: 100,
            short_count: 10_000,
            strategies: SpinStrategy::ALL.to_vec(),
            circumstances: vec![LoadCondition::Idle, LoadCondition::Load],
            load: one_a_cpu(),
            priority: Priority::Normal,
            cpu: CpuChoice::Any,
        }
    }
}

const LENGTHS: Field =
    Field::new("spin", "Waits", "Requested lengths of the waits.").named("Wait durations");
const COUNT: Number = Field::new("count", "Waits", "Number of waits of each length.")
    .named("Waits per duration")
    .number(WAITS);
const SHORT_COUNT: Number = Field::new(
    "short-count",
    "Short waits",
    "Number of waits of up to 10 µs. They are cheap, and 100 are too few to show rare outliers.",
)
.named("Short waits per duration")
.number(WAITS);
const STRATEGIES: Field =
    Field::new("strategy", "Strategies", "What the loop does between two clock reads.");

const WAITS: Parameter = Parameter::count(10, 100_000, "waits");

impl SpinStrategies {
    fn stage(&self, length: Nanos, strategy: SpinStrategy, load: LoadCondition) -> Stage {
        let is_idle = load == LoadCondition::Idle;
        let count = if length <= SHORT { self.short_count } else { self.count };
        let load = if is_idle { "idle" } else { "load" };
        Stage {
            trials: vec![Trial {
                label: format!("{} {}, {load}", format_setting(length), strategy.name()),
                round: 0,
                pace: Pace::After { length },
                wait: Wait::Spin(strategy),
                work: Work::Nothing,
                conditions: Conditions {
                    priority: self.priority,
                    cpu: self.cpu,
                    ..Conditions::NORMAL
                },
                length: Length::Turns { count: u64::from(count), at_most: AT_MOST },
                warm_up: Nanos::from_millis(200),
                evidence_above: None,
            }],
            load: if is_idle { Load::NONE } else { self.load },
            settle: Nanos::from_millis(if is_idle { 0 } else { 100 }),
            needs_smt: false,
            reuses_tail: false,
            skips_denied: false,
        }
    }
}

/// Names, texts, and examples of this test in the window and on the command line.
const LISTING: Listing = Listing {
    key: "spin-strategies",
    name: "Spin strategies",
    icon: "arrows-clockwise",
    digit: Some(4),
    subtitle: "Accuracy and CPU cost of spin waits",
    question: "Which spin strategy is most accurate on this PC?",
    about: "Accuracy and CPU cost of spin waits with three strategies, idle and under load.",
    examples: &[
        "--preset quick",
        "--spin 5us --strategy none --strategy hint --conditions idle",
        "--spin 900us --count 1000 --load-threads 4",
        "--preset spin-sleep --format reference",
    ],
    value_name: "overshoot",
    samples_name: "waits",
    rows_name: "configurations",
    step_name: "Step",
};

impl Probe for SpinStrategies {
    fn presets(&self) -> Vec<Preset> {
        presets()
    }

    fn listing(&self) -> &'static Listing {
        &LISTING
    }

    fn title(&self) -> String {
        let strategies = match self.strategies.as_slice() {
            [one] => one.name().to_owned(),
            several => format!("{} strategies", several.len()),
        };
        format!(
            "{}, {}, {strategies}",
            parts::range(&self.lengths),
            parts::conditions_title(&self.circumstances)
        )
    }

    fn extent(&self, trials: &[Trial]) -> Vec<Extent> {
        vec![Extent::Count(trials.len()), Extent::Words(" series of waits")]
    }

    fn settings(&mut self, form: &mut dyn Form) {
        form.group("Waits");
        lengths(
            form,
            &LENGTHS,
            &mut self.lengths,
            &[
                (Nanos::from_millis(5), "5ms", "5 ms"),
                (Nanos::from_micros(900), "900us", "900 µs"),
                (Nanos::from_micros(5), "5us", "5 µs"),
                (Nanos::new(100), "100ns", "100 ns"),
            ],
            Parameter::time(10.0, 1e8).beginning_at(5e4),
        );
        form.value(&COUNT, &mut self.count);
        form.value(&SHORT_COUNT, &mut self.short_count);
        form.group("Strategies");
        choose_several(
            form,
            &STRATEGIES,
            &mut self.strategies,
            &[
                (
                    SpinStrategy::None,
                    Choice::plain("none", "None", "Reads the clock in a tight loop."),
                ),
                (
                    SpinStrategy::SpinLoopHint,
                    Choice::plain(
                        "hint",
                        "SpinLoopHint",
                        "Hints to the CPU that this is a spin loop.",
                    ),
                ),
                (
                    SpinStrategy::YieldThread,
                    Choice::plain(
                        "yield",
                        "YieldThread",
                        "Yields the CPU to other threads on each iteration.",
                    ),
                ),
            ],
        );
        parts::conditions(form, &mut self.circumstances, &mut self.load);
        parts::priority(form, &mut self.priority);
        parts::cpu(form, &mut self.cpu);
    }

    fn stages(&self, _cpus: &CpuFacts) -> Vec<Stage> {
        let mut stages = Vec::new();
        for &load in &self.circumstances {
            for &length in &self.lengths {
                for &strategy in &self.strategies {
                    stages.push(self.stage(length, strategy, load));
                }
            }
        }
        stages
    }
}

/// Returns every preset, the default one first.
pub fn presets() -> Vec<Preset> {
    let base = SpinStrategies::default();
    let preset =
        |key, name, about, plan| Preset { key, name, about, plan: Plan::SpinStrategies(plan) };
    vec![
        preset(
            "default",
            "All strategies, idle and load",
            "Three strategies, four lengths, idle and with one load thread per logical CPU; 10 \
             000 short waits per length.",
            base.clone(),
        ),
        preset(
            "quick",
            "Quick",
            "Three strategies, 900 µs and 5 µs, idle.",
            SpinStrategies {
                lengths: vec![Nanos::from_micros(900), Nanos::from_micros(5)],
                circumstances: vec![LoadCondition::Idle],
                ..base.clone()
            },
        ),
        preset(
            "spin-sleep",
            "spin_sleep method",
            "Settings of the reference tool: 100 waits of each of four lengths with each of three \
             strategies, idle and under load.",
            SpinStrategies { short_count: 100, ..base },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_has_twelve_rows_idle_and_twelve_under_load() {
        let plan = presets().remove(2).plan;
        let stages = plan.probe().stages(&CpuFacts::default());
        assert_eq!(stages.len(), 24);
        assert!(stages.iter().all(|stage| stage.trials[0].slot_count() == 100));
        assert_eq!(stages[0].trials[0].label, "5 ms None, idle");
        assert_eq!(stages[23].trials[0].label, "100 ns YieldThread, load");
    }
}
