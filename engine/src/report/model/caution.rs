//! Reasons to trust a run less. A reason is a typed value, which becomes text only when it is displayed.

mod records;

use std::fmt;

use self::records::missing_records;
pub use self::records::{MissingRecords, RecordShortage};
use super::configuration::Configuration;
use crate::nanos::Nanos;
use crate::plan::Work;
use crate::platform::Policy;
use crate::run::{Ending, Run, TrialRun, counter};
use crate::units::{count_text, format_time};

/// A thread is starved if it is due and does not run for longer than this. Ordinary load delays a thread only by
/// milliseconds. While real-time threads spin, the kernel gives ordinary threads 50 ms of each second.
const STARVED: Nanos = Nanos::from_millis(500);
/// Max number of CPUs in a processor group of Windows.
const GROUP: usize = 64;
/// A window that was hidden for longer than this causes a warning.
pub(in crate::report) const HIDDEN: Nanos = Nanos::from_millis(500);

/// A reason to trust a run less.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// An exported file of the run was changed after it was written.
    EditedAfterExport,
    /// The run was stopped early.
    Stopped {
        /// Number of complete configurations.
        complete: usize,
        /// Number of planned configurations, without skipped ones.
        planned: usize,
    },
    /// The program ended during the run, and the run was recovered later.
    Recovered,
    /// This many lines of the journal could not be read when the run was recovered.
    DamagedLines(u64),
    /// The test failed, for this reason.
    Failed(String),
    /// A measuring thread that was due to run got no CPU. The value is the longest such time.
    Starved(Nanos),
    /// The date of the PC was outside the supported years, so the start time is unknown.
    DateUnknown,
    /// This many samples were lost.
    Lost(u64),
    /// The measuring code was built without optimization.
    DebugBuild,
    /// The clock went backward this many times.
    ClockBackwards(u32),
    /// The machine slept for this long.
    SystemSlept(Nanos),
    /// The window was hidden for this long.
    WindowHidden(Nanos),
    /// The power source, the governor, or the power plan changed this many times.
    PowerChanged(u32),
    /// The machine has this many CPUs, and Windows runs an unpinned thread on only one group of them.
    ProcessorGroup(usize),
    /// The run was measured in a virtual machine of this kind.
    VirtualMachine(String),
    /// Other programs disturbed the measurement by their use of CPU time.
    OtherLoad {
        /// The labels of the disturbed configurations.
        labels: Vec<String>,
        /// The max CPU time of other programs in these configurations, as a share of one CPU.
        share: f64,
    },
    /// Configurations did not run as requested, so they are not graded.
    Refused {
        /// The labels of these configurations.
        labels: Vec<String>,
    },
    /// The watchdog revoked real-time priority.
    Demoted,
    /// Another program changed the scheduling policy during the test.
    PolicyChanged {
        /// The labels of the configurations whose policy changed.
        labels: Vec<String>,
        /// The policy before the first of these changes.
        from: Policy,
        /// The policy after the first of these changes.
        to: Policy,
    },
    /// The work took longer than the CPU time that DEADLINE reserved.
    Overrun {
        /// The labels of the configurations whose work took longer.
        labels: Vec<String>,
        /// The CPU time reserved per period for the configuration with the longest work.
        runtime: Nanos,
        /// The p99 duration of the work of the same configuration.
        work: Nanos,
    },
    /// A quota limited the CPU time of the program.
    CpuQuota {
        /// The quota in percent of one CPU.
        percent: u32,
        /// How long the quota throttled the program; `None` if the system does not report it.
        throttled: Option<Nanos>,
        /// When the quota appeared, counted from the start of the run; `None` if it existed before.
        began: Option<Nanos>,
    },
    /// The CPUs available to the program changed. The value is the time from the start of the run to the first
    /// change.
    CpusChanged(Nanos),
    /// Samples could not be saved during the run, for this reason.
    NotSaved(String),
    /// Kernel records are missing, so that some causes are not observable.
    MissingRecords(MissingRecords),
}

impl Caution {
    /// Whether the caution weakens the findings, so that a report shows it before any number.
    pub const fn is_weakening(&self) -> bool {
        !matches!(
            self,
            Self::DateUnknown
                | Self::WindowHidden(_)
                | Self::PowerChanged(_)
                | Self::ProcessorGroup(_)
                | Self::NotSaved(_)
                | Self::MissingRecords(_)
        )
    }
}

const EDITED_AFTER_EXPORT: &str = "Edited after export: the checksum of its file does not match, so the values may not be the \
                                   measured ones.";

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EditedAfterExport => f.write_str(EDITED_AFTER_EXPORT),
            Self::Stopped { complete, planned } => write!(
                f,
                "Stopped early. {complete} of {planned} configurations are complete, without a \
                 verdict."
            ),
            Self::Recovered => f.write_str(
                "Recovered: the app exited during the run; up to one second of data is missing.",
            ),
            Self::DamagedLines(count) => {
                let (lines, were) = (count_text(*count, "lines"), were(*count));
                write!(f, "Damaged: {lines} of the journal {were} skipped, so samples are missing.")
            }
            Self::Failed(reason) => write!(f, "The test could not finish: {reason}."),
            Self::Starved(longest) => write!(
                f,
                "Starved: a measuring thread got no CPU for {:.1} s. A program with a higher \
                 priority, or the host of a virtual machine, was using it.",
                longest.as_secs()
            ),
            Self::DateUnknown => {
                f.write_str("The date of this PC was out of range: the start time is not known.")
            }
            Self::Lost(count) => write!(
                f,
                "{} {} lost: the disk or processor was too busy, or the run reached its size limit. \
                 Percentiles may be too low.",
                count_text(*count, "samples"),
                were(*count)
            ),
            Self::DebugBuild => f.write_str(
                "Measured with a debug build: results can be worse than with a release build.",
            ),
            Self::ClockBackwards(count) => {
                let times = times(*count);
                write!(f, "The clock went backward {times}. Small results are not reliable.")
            }
            Self::SystemSlept(slept) => {
                write!(f, "This PC slept for {:.1} s during the test.", slept.as_secs())
            }
            Self::WindowHidden(hidden) => {
                write!(f, "The window was hidden for {:.0} s.", hidden.as_secs())
            }
            Self::PowerChanged(count) => {
                write!(f, "Power source or plan changed {} during the test.", times(*count))
            }
            Self::ProcessorGroup(count) => write!(
                f,
                "This PC has {count} CPUs. Windows runs a thread that is not pinned on one group of up to \
                 {GROUP} of them."
            ),
            Self::VirtualMachine(whose) => write!(
                f,
                "This is a virtual machine ({whose}): the host can preempt virtual CPUs without \
                 this system seeing it."
            ),
            Self::OtherLoad { labels, share } => write!(
                f,
                "Other programs used up to {:.0}% of one CPU ({}). Close them and run the test \
                 again.",
                share * 100.0,
                listed(labels)
            ),
            Self::Refused { labels } => {
                write!(f, "Did not run as requested, so not graded: {}.", listed(labels))
            }
            Self::Demoted => {
                f.write_str("The watchdog revoked real-time priority: a thread did not sleep.")
            }
            Self::PolicyChanged { labels, from, to } => write!(
                f,
                "Another program changed the scheduling policy from {from} to {to} during the \
                 test: {}.",
                listed(labels)
            ),
            Self::Overrun { labels, runtime, work } => write!(
                f,
                "DEADLINE reserved {} of each period, but p99 of the work was up to {} ({}): the kernel can \
                 suspend the thread until its next period. Increase the runtime.",
                format_time(*runtime),
                format_time(*work),
                listed(labels)
            ),
            Self::CpuQuota { percent, throttled, began } => {
                let began = began.map(|it| format!(" from {:.0} s into the test", it.as_secs()));
                let time =
                    throttled.map(|it| format!("; it was throttled for {:.0} ms", it.as_millis()));
                let (began, time) = (began.unwrap_or_default(), time.unwrap_or_default());
                write!(f, "A CPU quota limited this program to {percent}% of one CPU{began}{time}.")
            }
            Self::CpusChanged(at) => {
                let secs = at.as_secs();
                write!(f, "The CPUs available to this program changed {secs:.0} s into the test.")
            }
            Self::NotSaved(reason) => {
                write!(f, "Samples could not be saved during the test: {reason}.")
            }
            Self::MissingRecords(missing) => missing.fmt(f),
        }
    }
}

const fn were(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Returns the longest time for which a measuring thread was due to run and got no CPU; `None` up to [`STARVED`].
fn starved(run: &Run) -> Option<Nanos> {
    let measured = run.trials.iter().filter(|trial| trial.applied.is_some());
    let longest = measured.flat_map(|trial| {
        let left_behind = trial.counters.get(counter::UNRESPONSIVE_NANOS).copied();
        let waits = (!matches!(trial.trial.work, Work::GameCycle(_))).then(|| {
            let samples = &trial.samples;
            let instants = samples.began_nanos().zip(samples.due_nanos());
            let late = instants.zip(samples.woke_nanos());
            // A sample that began after its due time did not wait: the loop was behind its schedule.
            late.filter(|((began, due), _)| began <= due)
                .map(|((_, due), woke)| woke.saturating_sub(due))
                .max()
        });
        left_behind.into_iter().chain(waits.flatten())
    });
    longest.max().map(Nanos::new).filter(|longest| STARVED < *longest)
}

/// Joins labels into one text. Of more than 6 labels, it lists the first 5 and the number of the others.
fn listed(labels: &[String]) -> String {
    const MAX: usize = 6;
    if labels.len() <= MAX {
        return labels.join("; ");
    }
    let first = labels.get(..MAX - 1).unwrap_or_default().join("; ");
    format!("{first} and {} more", labels.len() + 1 - MAX)
}

/// Returns the caution about configurations whose policy another program changed; `None` if there is none.
fn policy_changes(run: &Run) -> Option<Caution> {
    let mut labels = Vec::new();
    let mut first = None;
    for trial in &run.trials {
        let Some(applied) = trial.applied.as_ref().filter(|applied| !applied.demoted) else {
            continue;
        };
        let Some(to) = applied.changed_to() else { continue };
        first.get_or_insert((applied.effective.policy, to));
        if !labels.contains(&trial.trial.label) {
            labels.push(trial.trial.label.clone());
        }
    }
    first.map(|(from, to)| Caution::PolicyChanged { labels, from, to })
}

/// Returns the caution about configurations whose p99 work exceeds the CPU time that DEADLINE reserved; `None` if
/// there is none.
fn overruns(rows: &[Configuration]) -> Option<Caution> {
    let (mut labels, mut worst) = (Vec::new(), None);
    for row in rows {
        let policy = row.granted.as_ref().map(|granted| granted.effective.policy);
        let (Some(Policy::Deadline { runtime, .. }), Some(summary)) = (policy, &row.summary) else {
            continue;
        };
        if let Some(work) = summary.work.p99.filter(|work| runtime < *work) {
            labels.push(row.label.clone());
            worst = worst.max(Some((work, runtime)));
        }
    }
    worst.map(|(work, runtime)| Caution::Overrun { labels, runtime, work })
}

/// Returns how often the power source, the governor, or the power plan changed. In a run that is in progress or was
/// interrupted, the counters of its trials can be more recent than the count of the run.
fn power_changes(run: &Run) -> u32 {
    let of = |trial: &TrialRun| trial.counters.get(counter::POWER_CHANGES).copied().unwrap_or(0);
    let counted: i64 = run.trials.iter().map(of).fold(0, i64::saturating_add);
    run.health.power_changes.max(u32::try_from(counted).unwrap_or(0))
}

/// Returns the number of complete configurations and of all configurations, without skipped ones.
pub(in crate::report) fn progress(rows: &[Configuration]) -> (usize, usize) {
    let planned = || rows.iter().filter(|row| row.skipped.is_none());
    (planned().filter(|row| row.is_complete).count(), planned().count())
}

/// Returns every reason to trust the run less, the most serious first.
pub(in crate::report) fn of(run: &Run, rows: &[Configuration]) -> Vec<Caution> {
    let mut cautions = Vec::new();
    let health = &run.health;
    cautions.extend(health.edited_after_export.then_some(Caution::EditedAfterExport));
    match &run.ending {
        Ending::Finished => {}
        // A recording is ended by its user.
        Ending::Stopped if run.recording().is_some() => {}
        Ending::Stopped => {
            let (complete, planned) = progress(rows);
            cautions.push(Caution::Stopped { complete, planned });
        }
        Ending::Recovered => cautions.push(Caution::Recovered),
        Ending::Failed(reason) => cautions.push(Caution::Failed(reason.clone())),
    }
    let damaged = Some(health.damaged_lines).filter(|count| 0 < *count);
    cautions.extend(damaged.map(Caution::DamagedLines));
    cautions.extend(starved(run).map(Caution::Starved));
    let labels = |wanted: &dyn Fn(&Configuration) -> bool| -> Vec<String> {
        rows.iter().filter(|row| wanted(row)).map(|row| row.label.clone()).collect()
    };
    cautions.extend(Some(run.lost_count()).filter(|count| 0 < *count).map(Caution::Lost));
    let is_demoted =
        rows.iter().any(|row| row.granted.as_ref().is_some_and(|granted| granted.demoted));
    cautions.extend(is_demoted.then_some(Caution::Demoted));
    cautions.extend(policy_changes(run));
    cautions.extend(overruns(rows));
    let refused =
        labels(&|row| row.granted.is_some() && !row.is_as_requested() && row.grading.is_none());
    if !refused.is_empty() {
        cautions.push(Caution::Refused { labels: refused });
    }
    cautions.extend(health.debug_build.then_some(Caution::DebugBuild));
    let backwards = Some(health.clock_backwards_count).filter(|count| 0 < *count);
    cautions.extend(backwards.map(Caution::ClockBackwards));
    let slept = health.machine_slept.filter(|slept| Nanos::ZERO < *slept);
    cautions.extend(slept.map(Caution::SystemSlept));
    let hidden = health.window_hidden.filter(|hidden| HIDDEN < *hidden);
    cautions.extend(hidden.map(Caution::WindowHidden));
    let power_changes = Some(power_changes(run)).filter(|count| 0 < *count);
    cautions.extend(power_changes.map(Caution::PowerChanged));
    let limits = &health.limits;
    cautions.extend(limits.quota_percent.map(|percent| Caution::CpuQuota {
        percent,
        throttled: limits.throttled,
        began: limits.quota_began,
    }));
    cautions.extend(limits.cpus_changed.map(Caution::CpusChanged));
    let foreign = labels(&|row| row.disturbing_share().is_some());
    let share = rows.iter().filter_map(Configuration::disturbing_share).fold(0.0, f64::max);
    if !foreign.is_empty() {
        cautions.push(Caution::OtherLoad { labels: foreign, share });
    }
    cautions.extend(missing_records(run).into_iter().map(Caution::MissingRecords));
    cautions.extend(health.journal_error.clone().map(Caution::NotSaved));
    cautions.extend(health.date_unknown.then_some(Caution::DateUnknown));
    let machine = &run.machine;
    let is_windows = machine.os.as_deref().is_some_and(|os| os.starts_with("Windows"));
    let many = Some(machine.cpus.len()).filter(|count| is_windows && GROUP < *count);
    cautions.extend(many.map(Caution::ProcessorGroup));
    cautions.extend(machine.virtualization.clone().map(Caution::VirtualMachine));
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FrameLoop, Plan, SleepAccuracy};
    use crate::platform::Cpu;
    use crate::report::tests::test_run::{run_of, wait};
    use crate::report::{Options, Report};
    use crate::sample::Sample;

    #[test]
    fn work_beyond_the_runtime_of_deadline_is_a_warning() {
        let times = |runtime: i64| Policy::Deadline {
            runtime: Nanos::from_micros(runtime),
            deadline: Nanos::from_millis(16),
            period: Nanos::from_millis(16),
        };
        let cautions = |runtime: i64| {
            let run = run_of(Plan::FrameLoop(FrameLoop::default()), |trial| {
                trial.applied.as_mut().unwrap().effective.policy = times(runtime);
                let frame = |k: i64| {
                    let due = Nanos::from_millis(16) * k;
                    let done = due + Nanos::from_micros(900);
                    Sample { began: due, due, slept: None, woke: due, done, spins: 0, cpu: None }
                };
                trial.samples = (1..=200).map(frame).collect();
            });
            Report::of(&run, &Options::default()).cautions
        };
        let overrun = |cautions: Vec<Caution>| {
            cautions.into_iter().find(|it| matches!(it, Caution::Overrun { .. }))
        };
        assert_eq!(overrun(cautions(1_000)), None);
        let words = overrun(cautions(600)).unwrap().to_string();
        assert!(words.starts_with("DEADLINE reserved 600"), "{words}");
    }

    #[test]
    fn one_of_something_is_singular() {
        for (caution, expected) in [
            (Caution::PowerChanged(1), "Power source or plan changed once during the test."),
            (
                Caution::DamagedLines(1),
                "Damaged: 1 line of the journal was skipped, so samples are missing.",
            ),
            (
                Caution::Lost(1),
                "1 sample was lost: the disk or processor was too busy, or the run reached its size \
                 limit. Percentiles may be too low.",
            ),
        ] {
            assert_eq!(caution.to_string(), expected);
        }
    }

    #[test]
    fn a_stopped_run_counts_its_own_samples_and_no_skipped_configuration() {
        let plan = Plan::SleepAccuracy(SleepAccuracy::default());
        let mut run = run_of(plan, |trial| {
            trial.samples = (0..2).map(|k| wait(k * 10_000_000, 1_000_000, 9_000)).collect();
            trial.complete = false;
        });
        run.ending = Ending::Stopped;
        let planned = Report::of(&run, &Options::default()).rows.len();
        let (skipped, rest) = run.trials.split_first_mut().unwrap();
        skipped.skipped = Some("not supported".to_owned());
        let label = skipped.trial.label.clone();
        assert!(rest.iter().all(|trial| trial.trial.label != label));
        let report = Report::of(&run, &Options::default());
        let stopped = Caution::Stopped { complete: 0, planned: planned - 1 };
        assert_eq!(report.cautions[0], stopped);
        let sentence = format!("0 of {} configurations are complete.", planned - 1);
        assert_eq!(report.sentence(), sentence);
        run.trials.truncate(2);
        let report = Report::of(&run, &Options::default());
        assert_eq!(report.sentence(), "4 sleeps were measured.");
    }

    #[test]
    fn more_cpus_than_a_processor_group_has_are_pointed_out_on_windows() {
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |_| {});
        let cpu = |logical| Cpu { logical, ..Cpu::default() };
        run.machine.cpus = (0..128).map(cpu).collect();
        let has = |run: &Run| of(run, &[]).contains(&Caution::ProcessorGroup(128));
        run.machine.os = Some("Debian 12".to_owned());
        assert!(!has(&run));
        run.machine.os = Some("Windows 11".to_owned());
        assert!(has(&run));
        run.machine.cpus.truncate(64);
        assert!(of(&run, &[]).iter().all(|it| !matches!(it, Caution::ProcessorGroup(_))));
    }
}
