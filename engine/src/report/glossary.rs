//! The glossary: every column of every test's tables with its definition.

use std::collections::BTreeMap;

use super::{Options, Report};
use crate::plan::{CpuFacts, Plan};
use crate::run::{Capture, Run, Subject};
use crate::stats::effect::OUTCOMES;

/// A term that the results use, with its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The term: the heading of a column, or a basic term.
    pub title: String,
    /// The definition of the term, in one or two sentences.
    pub definition: String,
    /// The names of the tests that use the term, in the order of the navigation.
    pub tests: Vec<&'static str>,
}

/// The value of [`Term::tests`] for basic terms.
const ALL_TESTS: &str = "all tests";

/// The basic terms, which are not columns of a table, with their definitions.
const BASICS: [(&str, &str); 28] = [
    ("Baseline", "The run that others are compared with: run A."),
    (
        "Block",
        "A segment of a test that alternates between two settings, so that drift affects both.",
    ),
    (
        "Confidence interval",
        "Range that contains the true value with the stated probability, such as 95%.",
    ),
    (
        "Coordinated omission",
        "Error of a measurement that leaves out what could not start during a stall.",
    ),
    ("Deadline", "When a frame must be finished: the scheduled start of the next one."),
    ("Frame", "One pass of the loop: wait until the scheduled start, then work."),
    ("Gap", "An interval in which a busy thread did not run because the system used its CPU."),
    (
        "Hybrid wait",
        "A sleep until shortly before an instant, then a spin until it: the spin tail.",
    ),
    ("Jitter", "How much an interval that should be constant varies."),
    (
        "Late frame",
        "A frame whose lateness is above the late threshold, 5% of the frame time by default.",
    ),
    ("Lateness", "Actual start of a frame minus its scheduled start; below zero, it was early."),
    ("Load thread", "A thread that uses a whole CPU during a test, as a busy program would."),
    (
        "Logical CPU",
        "What the system schedules threads on: a core, or one of its hardware threads.",
    ),
    (
        "Minimum effect",
        "The smallest change that matters: 10% for lateness, overshoot, and gaps, 1% for frame times and frame rates, 1 percentage point for shares; it can be set.",
    ),
    ("Noise floor", "How far two runs with the same settings differ on this PC, in 95% of cases."),
    ("Overshoot", "Actual minus requested duration of a wait."),
    ("P-core, E-core", "Performance core and efficiency core of a processor that has both."),
    (
        "Percentile",
        "The value that a share of all samples does not exceed: p99 is not exceeded by 99%.",
    ),
    ("Preemption", "The system gives the CPU of a running thread to another one."),
    (
        "Real-time policy",
        "Scheduling that runs a thread before all normal ones, such as SCHED_FIFO.",
    ),
    ("Sleep", "A wait in which the system wakes the thread up and the CPU is free for others."),
    (
        "SMI",
        "System management interrupt: the firmware stops every CPU for its own work, unseen by the system.",
    ),
    (
        "Softirq",
        "Work that an interrupt leaves for later: it runs before the thread that was interrupted. Windows calls it DPC (deferred procedure call).",
    ),
    ("Spin", "A wait that reads the clock until it is time; exact, and it uses a whole CPU."),
    ("Stall", "Gaps on several CPUs at once; machine-wide if on all of them."),
    (
        "Standard deviation",
        "How much values vary around their mean: twice the value, twice the variation.",
    ),
    ("Thread priority", "How urgent a thread is to the system when several are ready to run."),
    ("Thread pinning", "Limits a thread to one CPU or to some CPUs; unpinned, it may run on any."),
];

/// Returns the basic terms and the columns of all tables as terms, sorted by title. A title that
/// tests define differently has one term per definition.
pub fn glossary() -> Vec<Term> {
    let imports = [Capture::Frames(Vec::new()), Capture::Histogram(Vec::new())];
    let plans = Plan::all().into_iter().map(Subject::Measured);
    let outcomes = OUTCOMES.iter().map(|words| (words.word, words.definition));
    let mut terms: BTreeMap<(String, String), Term> = BASICS
        .into_iter()
        .chain(outcomes)
        .map(|(title, definition)| {
            let (title, definition) = (title.to_owned(), definition.to_owned());
            let key = (title.to_lowercase(), definition.clone());
            (key, Term { title, definition, tests: vec![ALL_TESTS] })
        })
        .collect();
    for subject in plans.chain(imports.map(Subject::Imported)) {
        let test = subject.name();
        let run = empty_run(subject);
        for column in
            Report::live(&run, &Options::default()).tables.into_iter().flat_map(|t| t.columns)
        {
            let (title, definition) = (column.title.into_owned(), column.definition.into_owned());
            let key = (title.to_lowercase(), definition.clone());
            let term =
                terms.entry(key).or_insert_with(|| Term { title, definition, tests: Vec::new() });
            if !term.tests.contains(&test) {
                term.tests.push(test);
            }
        }
    }
    terms.into_values().collect()
}

/// Returns a run without samples. The tables of its report have all columns, but no values. For settings that are
/// out of range, as those of a foreign file can be, it has the stages of the default settings.
pub(crate) fn empty_run(subject: Subject) -> Run {
    let cpus = CpuFacts { usable: vec![0, 1], physical_count: Some(2), one_a_core: vec![0, 1] };
    let stages = subject.plan().and_then(|plan| {
        let mut usable = std::iter::once(plan.clone()).chain(Plan::all());
        let plan = usable.find(|one| one.key() == plan.key() && one.is_in_range())?;
        Some(plan.probe().stages(&cpus))
    });
    Run::planned(subject, &stages.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::FrameLoop;

    #[test]
    fn every_term_has_a_definition_in_one_sentence() {
        let terms = glossary();
        for term in &terms {
            assert!(!term.title.is_empty() && !term.tests.is_empty(), "{term:?}");
            assert!(term.definition.ends_with('.'), "{term:?}");
        }
        let titles: Vec<String> = terms.iter().map(|term| term.title.to_lowercase()).collect();
        assert!(titles.is_sorted());
    }

    #[test]
    fn a_run_without_samples_has_few_stages_whatever_a_file_requests() {
        for rounds in [1, u32::MAX] {
            let plan = FrameLoop { rounds, ..FrameLoop::default() };
            let run = empty_run(Plan::FrameLoop(plan).into());
            assert!((1..1_000).contains(&run.trials.len()), "{}", run.trials.len());
        }
    }

    #[test]
    fn every_test_has_terms_of_its_tables() {
        let terms = glossary();
        for plan in Plan::all() {
            let name = plan.listing().name;
            let count = terms.iter().filter(|term| term.tests.contains(&name)).count();
            assert!(10 < count, "{name} has {count} terms");
        }
        assert!(terms.iter().any(|term| term.title == "p99" && 1 < term.tests.len()));
    }
}
