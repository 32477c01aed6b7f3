//! The spin strategies test: measures the accuracy and the CPU cost of spin waits.

use serde::{Deserialize, Serialize};

use super::form::parts::{self, LoadCondition};
use super::form::{Number, Parameter, choose_several, lengths, option};
use super::{
    Conditions, CpuChoice, CpuFacts, Field, Form, Length, Listing, Load, Pace, Plan, Preset,
    Priority, Probe, SpinStrategy, Stage, Trial, Wait, Work,
};
use crate::nanos::Nanos;
use crate::units::{format_count, format_setting};

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
    /// Whether the loop reads `Instant` of Rust's standard library, as spin_sleep's experiment does.
    #[serde(default)]
    pub reads_instant: bool,
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
            load: Load::PER_CPU,
            priority: Priority::Normal,
            cpu: CpuChoice::Any,
            reads_instant: false,
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

const READS_INSTANT: Field = Field::new(
    "instant",
    "Read Instant",
    "Reads the clock as spin_sleep's experiment does, through Instant of Rust's standard library: fewer \
     iterations fit into a wait, and their number is comparable with published ones.",
);

const WAITS: Parameter = Parameter::count(10, 100_000, "waits");

impl SpinStrategies {
    fn stage(&self, length: Nanos, strategy: SpinStrategy, load: LoadCondition) -> Stage {
        let is_idle = load == LoadCondition::Idle;
        let count = if length <= SHORT { self.short_count } else { self.count };
        let condition = if is_idle { "idle" } else { "load" };
        let trial = Trial {
            label: format!("{} {}, {condition}", format_setting(length), strategy.name()),
            round: 0,
            pace: Pace::After { length },
            wait: if self.reads_instant {
                Wait::SpinInstant(strategy)
            } else {
                Wait::Spin(strategy)
            },
            work: Work::Nothing,
            conditions: Conditions { priority: self.priority, cpu: self.cpu, ..Conditions::NORMAL },
            length: Length::Turns { count: u64::from(count), at_most: AT_MOST },
            warm_up: Nanos::from_millis(200),
            evidence_above: None,
        };
        Stage::new(vec![trial], if is_idle { Load::NONE } else { self.load })
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
        let base = Self::default();
        let preset =
            |key, name, about, plan| Preset { key, name, about, plan: Plan::SpinStrategies(plan) };
        vec![
            preset(
                "default",
                "All strategies, idle and load",
                "Three strategies, four lengths, idle and with one load thread per logical CPU; \
                 10\u{202f}000 short waits per length.",
                base.clone(),
            ),
            preset(
                "quick",
                "Quick",
                "Three strategies, 900 µs and 5 µs, idle.",
                Self {
                    lengths: vec![Nanos::from_micros(900), Nanos::from_micros(5)],
                    circumstances: vec![LoadCondition::Idle],
                    ..base.clone()
                },
            ),
            preset(
                "spin-sleep",
                "spin_sleep method",
                "Settings of the reference tool: 100 waits of each of four lengths with each of three \
                 strategies, idle and under load; reads Instant as the tool does.",
                Self { short_count: 100, reads_instant: true, ..base },
            ),
        ]
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

    fn extent(&self, trials: &[Trial]) -> String {
        format!("{} series of waits", format_count(trials.len()))
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
                option(SpinStrategy::None, "none", "None", "Reads the clock in a tight loop."),
                option(
                    SpinStrategy::SpinLoopHint,
                    "hint",
                    "SpinLoopHint",
                    "Hints to the CPU that this is a spin loop.",
                ),
                option(
                    SpinStrategy::YieldThread,
                    "yield",
                    "YieldThread",
                    "Yields the CPU to other threads on each iteration.",
                ),
            ],
        );
        form.switch(&READS_INSTANT, &mut self.reads_instant);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_has_twelve_rows_idle_and_twelve_under_load() {
        let plan = SpinStrategies::default().presets().remove(2).plan;
        let stages = plan.probe().stages(&CpuFacts::default());
        assert_eq!(stages.len(), 24);
        assert!(stages.iter().all(|stage| stage.trials[0].slot_count() == 100));
        let waits: Vec<Wait> = stages[..3].iter().map(|stage| stage.trials[0].wait).collect();
        assert_eq!(waits, SpinStrategy::ALL.map(Wait::SpinInstant));
        assert_eq!(stages[0].trials[0].label, "5 ms None, idle");
        assert_eq!(stages[23].trials[0].label, "100 ns YieldThread, load");
    }
}
