//! Settings that several kinds of test share: the measuring thread, the load, idle and loaded.

use super::{Choice, Field, Form, Parameter, Pick, choose, choose_several};
use crate::nanos::Nanos;
use crate::plan::conditions::MOST_REALTIME_PRIORITY;
use crate::plan::{CpuChoice, CpuFacts, Load, LoadCount, LoadKind, Priority, Problem};
use serde::{Deserialize, Serialize};

/// Whether other threads keep the CPUs busy meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Circumstance {
    /// Nothing runs beside.
    Idle,
    /// Load threads do.
    Load,
}

const CIRCUMSTANCES: Field = Field::new(
    "conditions",
    "Conditions",
    "With nothing beside it, under load, or one after the other.",
);
const LOAD_THREADS: Field = Field::new(
    "load-threads",
    "Workers",
    "Threads that keep CPUs busy beside the measuring thread: a number, one a logical CPU, or one a \
     physical core.",
);
const LOAD_KIND: Field = Field::new("load", "Kind", "What the workers do.");
const PRIORITY: Field = Field::new(
    "priority",
    "Priority",
    "How urgent the measuring thread is to be. What the system granted is read back and shown.",
);
const CPU: Field = Field::new("cpu", "Pinning", "Where the measuring thread is to run.");

/// The most load threads a form offers; the machine narrows it to 4 × CPUs.
const MOST_LOAD_THREADS: i64 = 4_096;

/// Idle, under load, or both.
pub fn circumstances(form: &mut dyn Form, values: &mut Vec<Circumstance>) {
    choose_several(
        form,
        &CIRCUMSTANCES,
        values,
        &[
            (Circumstance::Idle, Choice::plain("idle", "Idle", "Nothing runs beside.")),
            (Circumstance::Load, Choice::plain("load", "Under load", "Load threads run beside.")),
        ],
    );
}

/// How many workers there are, and what they do.
pub fn load(form: &mut dyn Form, load: &mut Load) {
    load_count(form, &mut load.count);
    choose(
        form,
        &LOAD_KIND,
        &mut load.kind,
        &[
            (LoadKind::Cpu, Choice::plain("cpu", "CPU", "Integer arithmetic.")),
            (
                LoadKind::Memory,
                Choice::plain("memory", "Memory", "Writes over four times the last-level cache."),
            ),
            (
                LoadKind::Mixed,
                Choice::plain(
                    "mixed",
                    "Start and stop",
                    "Bursts of 2 ms of work and 2 ms of sleep, as a busy desktop.",
                ),
            ),
            (
                LoadKind::Calls,
                Choice::plain(
                    "calls",
                    "20 ms calls",
                    "Calls of 20 ms of work, the CPU offered to others between two.",
                ),
            ),
        ],
    );
}

/// How many workers there are.
pub fn load_count(form: &mut dyn Form, count: &mut LoadCount) {
    let choices = [
        Choice {
            key: "",
            label: "Number",
            help: "So many threads.",
            parameter: Parameter::Count { range: 0..=MOST_LOAD_THREADS, usual: 4 },
        },
        Choice::plain("logical", "One a CPU", "As many threads as logical CPUs."),
        Choice::plain("physical", "One a core", "As many threads as physical cores."),
    ];
    let mut pick = match *count {
        LoadCount::Threads(threads) => Pick::with(0, i64::from(threads)),
        LoadCount::PerLogicalCpu => Pick::plain(1),
        LoadCount::PerPhysicalCore => Pick::plain(2),
    };
    form.choice(&LOAD_THREADS, &mut pick, &choices);
    *count = match pick.index {
        0 => LoadCount::Threads(u32::try_from(pick.parameter.unwrap_or(0)).unwrap_or(u32::MAX)),
        1 => LoadCount::PerLogicalCpu,
        _ => LoadCount::PerPhysicalCore,
    };
}

/// The levels that have no number.
const PLAIN: [Priority; 6] = [
    Priority::Idle,
    Priority::BelowNormal,
    Priority::Normal,
    Priority::AboveNormal,
    Priority::Highest,
    Priority::TimeCritical,
];

/// How urgent the measuring thread is to be.
pub fn priority(form: &mut dyn Form, value: &mut Priority) {
    let level = |key, label, help| Choice {
        key,
        label,
        help,
        parameter: Parameter::Count { range: 1..=i64::from(MOST_REALTIME_PRIORITY), usual: 10 },
    };
    let choices = [
        Choice::plain("idle", "Idle", "Only when nothing else runs."),
        Choice::plain("below-normal", "Below normal", "Below other programs."),
        Choice::plain("normal", "Normal", "As every program."),
        Choice::plain("above-normal", "Above normal", "Above other programs."),
        Choice::plain("highest", "Highest", "As high as a program commonly asks."),
        Choice::plain("time-critical", "Time-critical", "As high as is safe."),
        level("fifo", "FIFO", "Linux SCHED_FIFO at this priority."),
        level("rr", "RR", "Linux SCHED_RR at this priority."),
    ];
    let mut pick = match *value {
        Priority::Fifo(level) => Pick::with(6, i64::from(level)),
        Priority::RoundRobin(level) => Pick::with(7, i64::from(level)),
        other => Pick::plain(PLAIN.iter().position(|plain| *plain == other).unwrap_or(2)),
    };
    form.choice(&PRIORITY, &mut pick, &choices);
    let level = u8::try_from(pick.parameter.unwrap_or(10)).unwrap_or(u8::MAX);
    *value = match pick.index {
        6 => Priority::Fifo(level),
        7 => Priority::RoundRobin(level),
        plain => PLAIN.get(plain).copied().unwrap_or(Priority::Normal),
    };
}

/// Where the measuring thread is to run.
pub fn cpu(form: &mut dyn Form, value: &mut CpuChoice) {
    let choices = [
        Choice::plain("none", "None", "On any CPU."),
        Choice::plain("performance", "P-core", "On a performance core."),
        Choice::plain("efficiency", "E-core", "On an efficiency core."),
        Choice {
            key: "",
            label: "CPU",
            help: "On this logical CPU.",
            parameter: Parameter::Count { range: 0..=4_095, usual: 1 },
        },
    ];
    let mut pick = match *value {
        CpuChoice::Any => Pick::plain(0),
        CpuChoice::Performance => Pick::plain(1),
        CpuChoice::Efficiency => Pick::plain(2),
        CpuChoice::Cpu(cpu) => Pick::with(3, i64::from(cpu)),
    };
    form.choice(&CPU, &mut pick, &choices);
    *value = match pick.index {
        1 => CpuChoice::Performance,
        2 => CpuChoice::Efficiency,
        3 => CpuChoice::Cpu(u32::try_from(pick.parameter.unwrap_or(0)).unwrap_or(u32::MAX)),
        _ => CpuChoice::Any,
    };
}

/// Gathers what cannot be run.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Keeps a problem where something is not fine.
    pub fn unless(&mut self, fine: bool, key: &'static str, message: String) {
        if !fine {
            self.0.push(Problem { key, message });
        }
    }

    /// A length of time that must lie in a range.
    pub fn length(
        &mut self,
        key: &'static str,
        label: &str,
        value: Nanos,
        range: &std::ops::RangeInclusive<Nanos>,
    ) {
        let message = format!("{label} is {value}; it can be {} to {}", range.start(), range.end());
        self.unless(range.contains(&value), key, message);
    }

    /// A count that must lie in a range.
    pub fn count(
        &mut self,
        key: &'static str,
        label: &str,
        value: u32,
        range: &std::ops::RangeInclusive<u32>,
    ) {
        let message =
            format!("{label} are {value}; there can be {} to {}", range.start(), range.end());
        self.unless(range.contains(&value), key, message);
    }

    /// Idle, load, or both.
    pub fn circumstances(&mut self, values: &[Circumstance]) {
        self.unless(
            !values.is_empty(),
            CIRCUMSTANCES.key,
            "no condition is chosen; take idle, load or both".to_owned(),
        );
    }

    /// Workers: at most four for each logical CPU, at least one where load is asked for.
    pub fn load(&mut self, load: &Load, least: u32, cpus: &CpuFacts) {
        let most = cpus.logical_count().saturating_mul(4);
        let count = load.count.resolve(cpus);
        self.unless(
            (least..=most).contains(&count),
            LOAD_THREADS.key,
            format!(
                "workers are {count}; there can be {least} to {most}, 4 for each of {} logical CPUs",
                cpus.logical_count()
            ),
        );
    }

    /// The priority and the CPU of the measuring thread.
    pub fn thread(&mut self, priority: Priority, cpu: CpuChoice, cpus: &CpuFacts) {
        if let CpuChoice::Cpu(cpu) = cpu {
            self.unless(
                cpus.usable.contains(&cpu),
                CPU.key,
                format!("CPU {cpu} is not there; this program can use CPUs {}", list(&cpus.usable)),
            );
        }
        if let Priority::Fifo(level) | Priority::RoundRobin(level) = priority {
            self.unless(
                (1..=MOST_REALTIME_PRIORITY).contains(&level),
                PRIORITY.key,
                format!(
                    "real-time priority is {level}; it can be 1 to {MOST_REALTIME_PRIORITY}, so that \
                     the kernel's own threads come first"
                ),
            );
        }
    }

    /// Everything that was found.
    pub fn found(self) -> Vec<Problem> {
        self.0
    }
}

/// CPU numbers as ranges: `0-3, 8`.
pub fn list(cpus: &[u32]) -> String {
    let mut text = String::new();
    let mut rest = cpus;
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|&(&cpu, expected)| cpu == expected).count();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&first.to_string());
        if let Some(&last) = rest.get(run - 1).filter(|_| run > 1) {
            text.push('-');
            text.push_str(&last.to_string());
        }
        rest = rest.get(run..).unwrap_or_default();
    }
    text
}
