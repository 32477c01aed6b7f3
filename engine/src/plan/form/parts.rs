//! Settings that several tests share: the measuring thread, the load threads, and the load conditions.

use super::{Choice, ChoiceRow, Field, Form, MachineLimit, Number, Parameter, Selection};
use super::{choices, choose, choose_several, numbered, option, select, selected};
use crate::nanos::Nanos;
use crate::plan::conditions::{Cell, MAX_REALTIME_PRIORITY};
use crate::plan::{CpuChoice, Load, LoadCount, LoadKind, LoadPriority, Priority, Problem};
use crate::units::{format_count, format_setting};
use serde::{Deserialize, Serialize};

/// Whether load threads keep the CPUs busy during a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoadCondition {
    /// No load threads.
    Idle,
    /// Load threads keep the CPUs busy.
    Load,
}

/// Returns the words for a run with or without load threads in the title of a run.
pub fn condition(is_loaded: bool) -> &'static str {
    if is_loaded { "under load" } else { "idle" }
}

/// Returns the words for the load conditions in the title of a run: "idle and load".
pub fn conditions_title(conditions: &[LoadCondition]) -> &'static str {
    match conditions {
        [one] => condition(*one == LoadCondition::Load),
        _ => "idle and load",
    }
}

/// Formats the shortest and longest length for the title of a run: "1 ns to 5 ms".
pub fn range(lengths: &[Nanos]) -> String {
    match (lengths.iter().min(), lengths.iter().max()) {
        (Some(min), Some(max)) if min < max => {
            format!("{} to {}", format_setting(*min), format_setting(*max))
        }
        (Some(one), _) => format_setting(*one),
        _ => String::new(),
    }
}

const CONDITIONS: Field = Field::new("conditions", "Conditions", "Idle, under load, or both.");
const LOAD_THREADS: Field = Field::new(
    "load-threads",
    "Load threads",
    "Threads that keep the CPUs busy during the test: a number of up to 4 × CPUs, one per logical \
     CPU, one per physical core, or one per two CPUs.",
);
const LOAD_KIND: Field = Field::new("load", "Kind", "What the load threads do.").named("Load kind");
const LOAD_DURATION: Number =
    Field::new("load-duration", "Load duration", "Length of each call of a load thread.")
        .number(Parameter::millis(0.01, 1_000.0));
const LOAD_PRIORITY: Field =
    Field::new("load-priority", "Load priority", "Priority of the load threads, never real-time.");
const LOAD_PINNED: Field = Field::new(
    "load-pinned",
    "Pin load threads",
    "Pins load thread i to CPU i, modulo the number of CPUs.",
);
const PRIORITY: Field = Field::new(
    "priority",
    "Priority",
    "Scheduling priority of the measuring thread. The applied priority is read back and shown.",
)
.named("Thread priority");
const CPU: Field = Field::new("cpu", "Pinning", "CPU that the measuring thread is pinned to.")
    .named("Thread pinning");

/// Setting for the late threshold: lateness in percent of the frame time above which a frame is late.
pub const LATE: Number = Field::new(
    "late-threshold",
    "Late threshold",
    "Frames with a lateness above this share of the frame time are late.",
)
.number(Parameter::fraction(0.1, 100.0, "% of a frame").in_steps_of(0.1));

/// Initial number of load threads when the user switches the background load on.
const DEFAULT_LOAD_THREADS: u32 = 4;

/// Shows the load conditions of a test (idle, under load, or both) and the settings of the load threads.
pub fn conditions(form: &mut dyn Form, values: &mut Vec<LoadCondition>, load: &mut Load) {
    form.group("Conditions");
    let options = [
        option(LoadCondition::Idle, "idle", "Idle", "No load threads."),
        option(LoadCondition::Load, "load", "Under load", "With load threads."),
    ];
    choose_several(form, &CONDITIONS, values, &options);
    let is_loaded = values.contains(&LoadCondition::Load);
    form.when(is_loaded, "the test runs only idle", &mut |form| {
        load_of(form, load, 1, &mut |_, _| {});
    });
}

/// Shows the number of load threads and what the load threads do.
pub fn load(form: &mut dyn Form, load: &mut Load) {
    load_of(form, load, 0, &mut |_, _| {});
}

/// Shows the settings of the background load as a group with a switch; off means 0 load threads.
pub fn switched_load(form: &mut dyn Form, load: &mut Load) {
    let was_on = !load.is_none();
    let mut is_on = was_on;
    form.group_with_switch("Background load", &mut is_on);
    if is_on != was_on {
        load.count = LoadCount::Threads(if is_on { DEFAULT_LOAD_THREADS } else { 0 });
    }
    load_of(form, load, 0, &mut |form, load| {
        let (normal, below) = ("All at normal priority.", "All below normal.");
        let mixed = "Alternately normal and below normal.";
        let low = "Alternately normal and nice 10 (Linux), as in gdt-cpus.";
        let options = [
            option(LoadPriority::Normal, "normal", "Normal", normal),
            option(LoadPriority::BelowNormal, "below-normal", "Below normal", below),
            option(LoadPriority::Mixed, "mixed", "Alternating", mixed),
            option(LoadPriority::MixedLow, "mixed-low", "Alternating, low", low),
        ];
        choose(form, &LOAD_PRIORITY, &mut load.priority, &options);
        form.switch(&LOAD_PINNED, &mut load.pinned);
    });
}

/// Shows the number of load threads, at least `min`. If it is not 0, also shows what the load threads do and the
/// settings of `more`.
fn load_of(
    form: &mut dyn Form,
    load: &mut Load,
    min: u32,
    more: &mut dyn FnMut(&mut dyn Form, &mut Load),
) {
    let number = Parameter::count(min, 4_096, "threads").within(MachineLimit::FourPerCpu);
    let rows = [
        (
            numbered!(LoadCount::Threads, 0),
            Choice::plain("", "Number", "Fixed number of threads.")
                .with(number.beginning_at(f64::from(DEFAULT_LOAD_THREADS))),
        ),
        option(LoadCount::PerLogicalCpu, "logical", "One per CPU", "One thread per logical CPU."),
        option(
            LoadCount::PerPhysicalCore,
            "physical",
            "One per core",
            "One thread per physical core.",
        ),
        option(
            LoadCount::HalfOfCpus,
            "half",
            "One per two CPUs",
            "One thread per two logical CPUs.",
        ),
    ];
    choose(form, &LOAD_THREADS, &mut load.count, &rows);
    let is_loaded = !load.is_none();
    form.when(is_loaded, "there are no load threads", &mut |form| {
        choose(form, &LOAD_KIND, &mut load.kind, &LOAD_KINDS);
        let (is_calls, call) = (load.kind == LoadKind::Calls, &mut load.call);
        form.when(is_calls, "the load is not in calls (--load calls)", &mut |form| {
            form.value(&LOAD_DURATION, call);
        });
        more(form, load);
    });
}

const LOAD_KINDS: [ChoiceRow<LoadKind>; 4] = [
    option(LoadKind::Cpu, "cpu", "CPU", "Integer arithmetic."),
    option(LoadKind::Memory, "memory", "Memory", "Writes over four times the last-level cache."),
    option(
        LoadKind::Mixed,
        "mixed",
        "Bursts (2 ms)",
        "Bursts of 2 ms of work and 2 ms of sleep, like a busy desktop.",
    ),
    option(
        LoadKind::Calls,
        "calls",
        "Calls",
        "Calls of a fixed length; the thread yields its CPU between two calls.",
    ),
];

/// Priority number of the real-time policies FIFO and RR.
const LEVEL: Parameter = Parameter::count(1, MAX_REALTIME_PRIORITY as u32, "")
    .labeled("real-time priority")
    .beginning_at(10.0);

/// Choice of the Linux real-time policy FIFO with a priority number.
pub const FIFO: ChoiceRow<Priority> = (
    numbered!(Priority::Fifo, 10),
    Choice::plain(
        "fifo",
        "FIFO",
        "Linux SCHED_FIFO at this priority: runs before every normal thread until it sleeps.",
    )
    .with(LEVEL)
    .only_on("linux"),
);

/// Choice of the Linux real-time policy RR (round robin) with a priority number.
pub const RR: ChoiceRow<Priority> = (
    numbered!(Priority::RoundRobin, 10),
    Choice::plain(
        "rr",
        "RR",
        "Linux SCHED_RR at this priority: like FIFO, time-sliced with threads of the same priority.",
    )
    .with(LEVEL)
    .only_on("linux"),
);

/// Priorities that the user can select for a measuring thread.
pub const PRIORITIES: [ChoiceRow<Priority>; 8] = [
    option(Priority::Idle, "idle", "Idle", "Runs only when nothing else does."),
    option(Priority::BelowNormal, "below-normal", "Below normal", "Below other programs."),
    option(Priority::Normal, "normal", "Normal", "Default priority."),
    option(Priority::AboveNormal, "above-normal", "Above normal", "Above other programs."),
    option(
        Priority::Highest,
        "highest",
        "Highest",
        "The highest level that programs commonly request.",
    ),
    option(Priority::TimeCritical, "time-critical", "Time-critical", "The highest safe level."),
    FIFO,
    RR,
];

/// Returns a priority as a selection in [`PRIORITIES`]; Normal if the priority is not in the list.
pub fn of_priority(priority: Priority) -> Selection {
    select(priority, &PRIORITIES).unwrap_or(Selection::plain(2))
}

/// Choices of what a measuring thread is pinned to.
pub const CPUS: [ChoiceRow<CpuChoice>; 5] = [
    option(CpuChoice::Any, "none", "None", "Any CPU."),
    option(CpuChoice::Performance, "performance", "P-core", "A performance core."),
    option(
        CpuChoice::FirstPerformance,
        "first-performance",
        "First P-core",
        "The first CPU of the first performance core, usually CPU 0.",
    ),
    option(CpuChoice::Efficiency, "efficiency", "E-core", "An efficiency core."),
    (
        numbered!(CpuChoice::Cpu, 0),
        Choice::plain("", "CPU", "This logical CPU.").with(CPU_NUMBER.beginning_at(1.0)),
    ),
];

/// Number of a logical CPU; only usable CPUs are allowed.
pub const CPU_NUMBER: Parameter = Parameter::count(0, 4_095, "").within(MachineLimit::UsableCpu);

/// Returns a pinning as a selection in [`CPUS`].
pub fn of_cpu(cpu: CpuChoice) -> Selection {
    select(cpu, &CPUS).unwrap_or_default()
}

/// Shows the priority of the measuring thread.
pub fn priority(form: &mut dyn Form, value: &mut Priority) {
    let mut pick = of_priority(*value);
    form.choice(&PRIORITY, &mut pick, &choices(&PRIORITIES));
    *value = selected(pick, &PRIORITIES).unwrap_or(Priority::Normal);
}

/// Shows the pinning of the measuring thread.
pub fn cpu(form: &mut dyn Form, value: &mut CpuChoice) {
    choose(form, &CPU, value, &CPUS);
}

/// Shows the matrix of priority × pinning, in which the user selects the cells to measure.
pub fn matrix(form: &mut dyn Form, cells: &mut Vec<Cell>) {
    form.matrix(&PRIORITY, &CPU, cells);
}

/// Maximum number of trials of a run. A run file can have 64 MiB besides its samples, and a trial without samples
/// takes a few KiB.
const MAX_TRIALS: usize = 10_000;

/// Collects a problem for each rule between settings that the current values break.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem with the setting `key` if the rule is broken (`fine` is false).
    pub fn unless(&mut self, fine: bool, key: &'static str, message: String) {
        if !fine {
            self.0.push(Problem { key, message });
        }
    }

    /// Adds a problem with the setting `key` if this many rounds of `per_round` trials are too many for a run.
    pub fn limit_trials(&mut self, key: &'static str, rounds: u32, per_round: usize) {
        let rounds = usize::try_from(rounds).unwrap_or(usize::MAX);
        let count = rounds.saturating_mul(per_round);
        let (count_text, most) = (format_count(count), format_count(MAX_TRIALS));
        let message = format!("{count_text} measurements in one run; expected 1 to {most}");
        self.unless(count <= MAX_TRIALS, key, message);
    }

    /// Returns all problems, in the order in which they were found.
    pub fn found(self) -> Vec<Problem> {
        self.0
    }
}
