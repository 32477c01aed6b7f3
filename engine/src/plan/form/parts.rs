//! Settings that several kinds of test share: the measuring thread, the load, idle and loaded.

use super::{Choice, Field, Form, Parameter, Selection, choose, choose_several};
use crate::nanos::Nanos;
use crate::plan::conditions::MAX_REALTIME_PRIORITY;
use crate::plan::{CpuChoice, CpuFacts, Load, LoadCount, LoadKind, Priority, Problem};
use crate::units::{format_count, format_setting};
use serde::{Deserialize, Serialize};

/// Whether load threads keep the CPUs busy during a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadCondition {
    /// No load threads.
    Idle,
    /// Load threads do.
    Load,
}

/// Whether there is load, in the title of a run.
pub fn condition(is_loaded: bool) -> &'static str {
    if is_loaded { "under load" } else { "idle" }
}

/// The conditions in the title of a run: "idle and load".
pub fn conditions_title(conditions: &[LoadCondition]) -> &'static str {
    match conditions {
        [one] => condition(*one == LoadCondition::Load),
        _ => "idle and load",
    }
}

/// Lengths in the title of a run: "1 ns to 5 ms".
pub fn range(lengths: &[Nanos]) -> String {
    match (lengths.iter().min(), lengths.iter().max()) {
        (Some(min), Some(max)) if min < max => {
            format!("{} to {}", format_setting(*min), format_setting(*max))
        }
        (Some(one), _) => format_setting(*one),
        _ => String::new(),
    }
}

const CIRCUMSTANCES: Field = Field::new("conditions", "Conditions", "Idle, under load, or both.");
const LOAD_THREADS: Field = Field::new(
    "load-threads",
    "Load threads",
    "Threads that keep the CPUs busy during the test: a fixed number, one per logical CPU, or one \
     per physical core.",
);
const LOAD_KIND: Field = Field::new("load", "Kind", "What the load threads do.").named("Load kind");
const LOAD_DURATION: Field =
    Field::new("load-duration", "Load duration", "Length of each call of a load thread.");
const CALL_RANGE: std::ops::RangeInclusive<Nanos> = Nanos::from_micros(10)..=Nanos::from_secs(1);
const PRIORITY: Field = Field::new(
    "priority",
    "Priority",
    "Scheduling priority of the measuring thread. The applied priority is read back and shown.",
)
.named("Thread priority");
const CPU: Field = Field::new("cpu", "Pinning", "CPU that the measuring thread is pinned to.")
    .named("Thread pinning");

/// The maximum number of load threads in a form; the machine narrows it to 4 × CPUs.
const MAX_LOAD_THREADS: i64 = 4_096;

/// Idle, under load, or both.
fn circumstances(form: &mut dyn Form, values: &mut Vec<LoadCondition>) {
    choose_several(
        form,
        &CIRCUMSTANCES,
        values,
        &[
            (LoadCondition::Idle, Choice::plain("idle", "Idle", "No load threads.")),
            (LoadCondition::Load, Choice::plain("load", "Under load", "With load threads.")),
        ],
    );
}

/// Idle, under load, or both; and the load.
pub fn conditions(form: &mut dyn Form, values: &mut Vec<LoadCondition>, load: &mut Load) {
    form.group("Conditions");
    circumstances(form, values);
    let is_loaded = values.contains(&LoadCondition::Load);
    form.when(is_loaded, "the test runs only idle", &mut |form| self::load(form, load));
}

/// The number of load threads, and what they do.
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
                    "Bursts of 2 ms of work and 2 ms of sleep, like a busy desktop.",
                ),
            ),
            (
                LoadKind::Calls,
                Choice::plain(
                    "calls",
                    "Calls",
                    "Calls of a fixed length; the thread yields its CPU between two calls.",
                ),
            ),
        ],
    );
    let (is_calls, call) = (load.kind == LoadKind::Calls, &mut load.call);
    form.when(is_calls, "the load is not in calls (--load calls)", &mut |form| {
        form.duration(&LOAD_DURATION, call, CALL_RANGE);
    });
}

/// The number of load threads.
pub fn load_count(form: &mut dyn Form, count: &mut LoadCount) {
    let choices = [
        Choice {
            key: "",
            label: "Number",
            help: "Fixed number of threads.",
            parameter: Parameter::Count { range: 0..=MAX_LOAD_THREADS, default: 4 },
        },
        Choice::plain("logical", "One per CPU", "One thread per logical CPU."),
        Choice::plain("physical", "One per core", "One thread per physical core."),
    ];
    let mut pick = match *count {
        LoadCount::Threads(threads) => Selection::with(0, i64::from(threads)),
        LoadCount::PerLogicalCpu => Selection::plain(1),
        LoadCount::PerPhysicalCore => Selection::plain(2),
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

/// Priority of the measuring thread.
pub fn priority(form: &mut dyn Form, value: &mut Priority) {
    let level = |key, label, help| Choice {
        key,
        label,
        help,
        parameter: Parameter::Count { range: 1..=i64::from(MAX_REALTIME_PRIORITY), default: 10 },
    };
    let choices = [
        Choice::plain("idle", "Idle", "Runs only when nothing else does."),
        Choice::plain("below-normal", "Below normal", "Below other programs."),
        Choice::plain("normal", "Normal", "Default priority."),
        Choice::plain("above-normal", "Above normal", "Above other programs."),
        Choice::plain("highest", "Highest", "The highest level that programs commonly request."),
        Choice::plain("time-critical", "Time-critical", "The highest safe level."),
        level("fifo", "FIFO", "Linux SCHED_FIFO at this priority."),
        level("rr", "RR", "Linux SCHED_RR at this priority."),
    ];
    let mut pick = match *value {
        Priority::Fifo(level) => Selection::with(6, i64::from(level)),
        Priority::RoundRobin(level) => Selection::with(7, i64::from(level)),
        other => Selection::plain(PLAIN.iter().position(|plain| *plain == other).unwrap_or(2)),
    };
    form.choice(&PRIORITY, &mut pick, &choices);
    let level = u8::try_from(pick.parameter.unwrap_or(10)).unwrap_or(u8::MAX);
    *value = match pick.index {
        6 => Priority::Fifo(level),
        7 => Priority::RoundRobin(level),
        plain => PLAIN.get(plain).copied().unwrap_or(Priority::Normal),
    };
}

/// Pinning of the measuring thread.
pub fn cpu(form: &mut dyn Form, value: &mut CpuChoice) {
    let choices = [
        Choice::plain("none", "None", "Any CPU."),
        Choice::plain("performance", "P-core", "A performance core."),
        Choice::plain("efficiency", "E-core", "An efficiency core."),
        Choice {
            key: "",
            label: "CPU",
            help: "This logical CPU.",
            parameter: Parameter::Count { range: 0..=4_095, default: 1 },
        },
    ];
    let mut pick = match *value {
        CpuChoice::Any => Selection::plain(0),
        CpuChoice::Performance => Selection::plain(1),
        CpuChoice::Efficiency => Selection::plain(2),
        CpuChoice::Cpu(cpu) => Selection::with(3, i64::from(cpu)),
    };
    form.choice(&CPU, &mut pick, &choices);
    *value = match pick.index {
        1 => CpuChoice::Performance,
        2 => CpuChoice::Efficiency,
        3 => CpuChoice::Cpu(u32::try_from(pick.parameter.unwrap_or(0)).unwrap_or(u32::MAX)),
        _ => CpuChoice::Any,
    };
}

/// Collects the settings that cannot be run.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem if the condition is false.
    pub fn unless(&mut self, fine: bool, key: &'static str, message: String) {
        if !fine {
            self.0.push(Problem { key, message });
        }
    }

    /// A duration that must be in a range.
    pub fn length(
        &mut self,
        key: &'static str,
        label: &str,
        value: Nanos,
        range: &std::ops::RangeInclusive<Nanos>,
    ) {
        let message = format!(
            "{label}: {}; expected {} to {}",
            format_setting(value),
            format_setting(*range.start()),
            format_setting(*range.end())
        );
        self.unless(range.contains(&value), key, message);
    }

    /// A count that must be in a range.
    pub fn count(
        &mut self,
        key: &'static str,
        label: &str,
        value: u32,
        range: &std::ops::RangeInclusive<u32>,
    ) {
        let message = format!(
            "{label}: {}; expected {} to {}",
            format_count(value.into()),
            format_count((*range.start()).into()),
            format_count((*range.end()).into())
        );
        self.unless(range.contains(&value), key, message);
    }

    /// Idle, load, or both; and the load where it is used.
    pub fn conditions(&mut self, values: &[LoadCondition], load: &Load, cpus: &CpuFacts) {
        self.unless(
            !values.is_empty(),
            CIRCUMSTANCES.key,
            "no condition is selected; select idle, load, or both".to_owned(),
        );
        if values.contains(&LoadCondition::Load) {
            self.load(load, 1, cpus);
        }
    }

    /// Load threads: at most four per logical CPU, at least one if a loaded condition is requested.
    pub fn load(&mut self, load: &Load, min: u32, cpus: &CpuFacts) {
        if load.kind == LoadKind::Calls {
            self.length(LOAD_DURATION.key, "a call of the load", load.call, &CALL_RANGE);
        }
        let most = cpus.logical_count().saturating_mul(4);
        let count = load.count.resolve(cpus);
        self.unless(
            (min..=most).contains(&count),
            LOAD_THREADS.key,
            format!(
                "load threads: {count}; expected {min} to {most}, 4 per logical CPU of {}",
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
                format!("CPU {cpu} is not available; usable CPUs: {}", list(&cpus.usable)),
            );
        }
        if let Priority::Fifo(level) | Priority::RoundRobin(level) = priority {
            self.unless(
                (1..=MAX_REALTIME_PRIORITY).contains(&level),
                PRIORITY.key,
                format!(
                    "real-time priority: {level}; expected 1 to {MAX_REALTIME_PRIORITY}, below \
                     the kernel's own threads"
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
