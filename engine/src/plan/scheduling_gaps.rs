//! The scheduling gaps test: finds intervals in which a busy thread did not run, on all CPUs at the same time.

use serde::{Deserialize, Serialize};

use super::form::parts::{self, Problems};
use super::form::{Choice, Number, Parameter, choose, counts, option};
use super::{
    Conditions, CpuChoice, CpuFacts, Field, Form, Length, Listing, Load, Pace, Plan, Preset,
    Priority, Probe, Problem, Stage, Trial, Wait, Work,
};
use crate::nanos::Nanos;
use crate::units::{count_text, format_long_time, format_setting};

/// CPUs on which a probe runs: a busy thread that detects gaps in which it did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProbedCpus {
    /// Every logical CPU.
    Every,
    /// One logical CPU of each physical core that the system reports.
    OneACore,
    /// The CPUs listed in `custom`.
    #[serde(alias = "chosen")]
    Custom,
}

/// The settings of the scheduling gaps test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SchedulingGaps {
    /// CPUs on which a probe runs.
    pub cpus: ProbedCpus,
    /// CPUs to probe with [`ProbedCpus::Custom`].
    #[serde(alias = "chosen")]
    pub custom: Vec<u32>,
    /// Length of the test.
    #[serde(rename = "duration_nanos")]
    pub duration: Nanos,
    /// Shortest gap that is recorded; 0 uses the larger of 1 µs and ten times the duration of a clock read.
    #[serde(rename = "threshold_nanos")]
    pub threshold: Nanos,
    /// Priority of the probes; never real-time.
    pub priority: Priority,
    /// Whether each probe is pinned to its CPU.
    pub pinned: bool,
    /// Limit of the grade Good: on a typical physical PC, the longest gap is not longer than this.
    #[serde(rename = "typical_nanos")]
    pub typical: Nanos,
    /// Limit of the grade Poor: a longest gap above this disturbs real-time programs.
    #[serde(rename = "bad_nanos")]
    pub bad: Nanos,
}

impl Default for SchedulingGaps {
    fn default() -> Self {
        Self {
            cpus: ProbedCpus::Every,
            custom: Vec::new(),
            duration: Nanos::from_secs(60),
            threshold: Nanos::ZERO,
            priority: Priority::Normal,
            pinned: true,
            typical: Nanos::from_millis(3),
            bad: Nanos::from_millis(30),
        }
    }
}

const CPUS: Field = Field::new("cpus", "CPUs", "CPUs on which a probe runs.").named("Probed CPUs");
const SELECTED: Field = Field::new("cpu", "CPU", "A CPU to probe.").named("Selected CPUs");
const DURATION: Number =
    Field::new("duration", "Duration", "Length of the test. A longer test finds rarer gaps.")
        .number(Parameter::secs(0.5, 86_400.0));
const THRESHOLD: Number = Field::new(
    "threshold",
    "Shortest gap",
    "Intervals between two clock reads that are longer than this are recorded as gaps. 0 uses the \
     larger of 1 µs and ten times a clock read.",
)
.number(Parameter::micros(0.0, 1_000.0).or_automatic("Auto"));
const PRIORITY: Field = Field::new(
    "priority",
    "Priority",
    "Scheduling priority of the probes. Never real-time: the kernel throttles a real-time probe \
     that spins, and the probe would measure that.",
)
.named("Probe priority");
const PINNED: Field = Field::new("pinned", "Pin probes", "Pins each probe to its CPU.");
const TYPICAL: Number =
    Field::new("typical", "Good limit", "Physical PCs typically stay below 3 ms.")
        .named("Good gap limit")
        .number(LIMIT);
const BAD: Number = Field::new(
    "bad",
    "Poor limit",
    "Gaps above 30 ms, from the system or a hypervisor, disturb real-time programs.",
)
.named("Poor gap limit")
.number(LIMIT);

const LIMIT: Parameter = Parameter::millis(0.001, 1_000.0);

const LEVELS: [Priority; 4] =
    [Priority::Idle, Priority::BelowNormal, Priority::Normal, Priority::AboveNormal];

impl SchedulingGaps {
    /// Returns the CPUs on which a probe runs.
    pub fn probed<'a>(&'a self, cpus: &'a CpuFacts) -> &'a [u32] {
        match self.cpus {
            ProbedCpus::Every => &cpus.usable,
            ProbedCpus::OneACore => &cpus.one_a_core,
            ProbedCpus::Custom => &self.custom,
        }
    }
}

/// Names, texts, and examples of this test in the window and on the command line.
const LISTING: Listing = Listing {
    key: "scheduling-gaps",
    name: "Scheduling gaps",
    icon: "rows",
    digit: Some(5),
    subtitle: "Interruptions of busy threads, measured on every CPU",
    question: "Are busy threads interrupted on this PC?",
    about: "Measures every CPU at the same time. A gap is an interval in which a busy thread did not \
         run because the system or a hypervisor used its CPU.",
    examples: &[
        "--preset quick",
        "--cpus custom --cpu 1 --duration 20s",
        "--threshold 10us --duration 5min",
        "--duration 5min --format reference",
    ],
    value_name: "gap",
    samples_name: "gaps",
    rows_name: "CPUs",
    step_name: "Step",
};

impl Probe for SchedulingGaps {
    fn presets(&self) -> Vec<Preset> {
        let default = Self::default();
        let preset =
            |key, name, about, plan| Preset { key, name, about, plan: Plan::SchedulingGaps(plan) };
        vec![
            preset("minute", "Every CPU, 1 minute", "A probe on every CPU.", default.clone()),
            preset(
                "quick",
                "Every CPU, 15 seconds",
                "A probe on every CPU, for a first impression.",
                Self { duration: Nanos::from_secs(15), ..default.clone() },
            ),
            preset(
                "five-minutes",
                "Every CPU, 5 minutes",
                "A probe on every CPU, long enough for rare gaps.",
                Self { duration: Nanos::from_secs(300), ..default.clone() },
            ),
            preset(
                "latency2",
                "latency2 method",
                "Settings of the reference tool: one busy process per CPU, not pinned, five minutes.",
                Self { duration: Nanos::from_secs(300), pinned: false, ..default },
            ),
        ]
    }

    fn listing(&self) -> &'static Listing {
        &LISTING
    }

    fn title(&self) -> String {
        let cpus = match (self.cpus, self.custom.as_slice()) {
            (ProbedCpus::Every, _) => "All CPUs".to_owned(),
            (ProbedCpus::OneACore, _) => "One CPU per core".to_owned(),
            (ProbedCpus::Custom, [cpu]) => format!("CPU {cpu}"),
            (ProbedCpus::Custom, several) => format!("{} CPUs", several.len()),
        };
        match self.threshold {
            Nanos::ZERO => format!("{cpus}, {}", format_setting(self.duration)),
            threshold => format!("{cpus}, {} threshold", format_setting(threshold)),
        }
    }

    fn extent(&self, trials: &[Trial]) -> String {
        let duration = format_long_time(self.duration);
        format!("{} × {duration}", count_text(trials.len(), "probes"))
    }

    fn settings(&mut self, form: &mut dyn Form) {
        form.group("Probes");
        choose(
            form,
            &CPUS,
            &mut self.cpus,
            &[
                option(ProbedCpus::Every, "every", "Every CPU", "Every logical CPU."),
                option(
                    ProbedCpus::OneACore,
                    "physical",
                    "One per core",
                    "One logical CPU per physical core.",
                ),
                option(ProbedCpus::Custom, "custom", "Custom", "The CPUs listed below."),
            ],
        );
        let (is_custom, custom) = (self.cpus == ProbedCpus::Custom, &mut self.custom);
        form.when(is_custom, "it applies only to custom CPUs (--cpus custom)", &mut |form| {
            let choice = Choice::plain("", "CPU", "This logical CPU.").with(parts::CPU_NUMBER);
            counts(form, &SELECTED, custom, choice);
            custom.sort_unstable();
            custom.dedup();
        });
        form.value(&DURATION, &mut self.duration);
        form.value(&THRESHOLD, &mut self.threshold);
        choose(form, &PRIORITY, &mut self.priority, &parts::PRIORITIES[..LEVELS.len()]);
        form.switch(&PINNED, &mut self.pinned);
        form.note(
            "Keeps every CPU fully busy. This PC can feel slow and get warm during the test.",
        );
        form.group("Verdict thresholds");
        form.value(&TYPICAL, &mut self.typical);
        form.value(&BAD, &mut self.bad);
        form.note(
            "Physical PCs typically stay below 3 ms. Gaps above 30 ms, from the system or a \
             hypervisor, disturb real-time programs such as game servers.",
        );
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.unless(
            self.typical <= self.bad,
            BAD.field.key,
            format!(
                "Poor gap limit: {}; expected {} or more",
                format_setting(self.bad),
                format_setting(self.typical)
            ),
        );
        problems.unless(
            LEVELS.contains(&self.priority),
            PRIORITY.key,
            "probes never run at real-time priority; expected idle, below-normal, normal, or \
             above-normal"
                .to_owned(),
        );
        problems.found()
    }

    /// Returns a single stage, in which all probes run at the same time.
    fn stages(&self, cpus: &CpuFacts) -> Vec<Stage> {
        let trials = self
            .probed(cpus)
            .iter()
            .map(|&cpu| Trial {
                label: format!("CPU {cpu}"),
                round: 0,
                pace: Pace::Gaps { threshold: self.threshold },
                wait: Wait::Spin(super::SpinStrategy::None),
                work: Work::Nothing,
                conditions: Conditions {
                    priority: self.priority,
                    cpu: if self.pinned { CpuChoice::Cpu(cpu) } else { CpuChoice::Any },
                    ..Conditions::NORMAL
                },
                length: Length::Time(self.duration),
                warm_up: Nanos::from_millis(100),
                evidence_above: None,
            })
            .collect();
        vec![Stage::new(trials, Load::NONE)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus() -> CpuFacts {
        CpuFacts { usable: vec![0, 1, 4, 5], physical_count: Some(2), one_a_core: vec![0, 4] }
    }

    #[test]
    fn every_cpu_gets_a_probe_at_the_same_time() {
        let mut plan = SchedulingGaps::default();
        for (which, expected) in [
            (ProbedCpus::Every, vec!["CPU 0", "CPU 1", "CPU 4", "CPU 5"]),
            (ProbedCpus::OneACore, vec!["CPU 0", "CPU 4"]),
        ] {
            plan.cpus = which;
            let stages = plan.stages(&cpus());
            assert_eq!(stages.len(), 1);
            let labels: Vec<_> =
                stages[0].trials.iter().map(|trial| trial.label.as_str()).collect();
            assert_eq!(labels, expected);
        }
    }

    #[test]
    fn the_extent_counts_probes() {
        let one = SchedulingGaps {
            cpus: ProbedCpus::Custom,
            custom: vec![1],
            ..SchedulingGaps::default()
        };
        let extent = |plan| Plan::SchedulingGaps(plan).extent(&cpus()).unwrap();
        assert_eq!(extent(one), "1 probe × 1 min");
        assert_eq!(extent(SchedulingGaps::default()), "4 probes × 1 min");
    }

    #[test]
    fn a_cpu_that_is_not_there_is_named() {
        let plan = SchedulingGaps {
            cpus: ProbedCpus::Custom,
            custom: vec![1, 9],
            ..SchedulingGaps::default()
        };
        let problems = Plan::SchedulingGaps(plan).problems(&cpus());
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].message, "CPU 9 is not available; usable CPUs: 0-1, 4-5");
    }
}
