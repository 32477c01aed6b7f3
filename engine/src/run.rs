//! A run: what was requested, on which machine, what was applied, and every sample. Facts only.

mod annotation;
pub mod capture;
mod file;
mod labels;
mod older;
mod series;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::{Load, Plan, Trial, Work};
use crate::platform::Applied;
use crate::sample::{Evidence, EvidenceColumns, Samples};

pub use annotation::Annotation;
pub use capture::Capture;
#[cfg(test)]
pub(crate) use file::RunInFile;
pub use file::{FORMAT, FORMAT_VERSION};
pub use labels::{Group, Labels};
pub use series::{Series, Trace, name as series_name};

/// Incremented whenever a measuring loop changes after the first release: runs with different methods are never
/// compared silently.
pub const METHOD_VERSION: u32 = 1;

/// Busy time is counted in ticks of a few milliseconds: less time than this is too coarse.
const MIN_FOREIGN_WINDOW: Nanos = Nanos::from_millis(500);

/// Names a run for ever: eight hexadecimal digits, drawn at random.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct RunId(String);

impl RunId {
    /// Generates a new one.
    pub fn random() -> Self {
        Self(format!("{:08x}", fastrand::u32(..)))
    }

    /// Parses one; `None` if the text is not eight lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 8 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("its ID is not eight digits"))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Every stage was measured.
    Finished,
    /// Stopped by the user.
    Stopped,
    /// Failed; the reason in one sentence.
    Failed(String),
    /// The program ended in mid-run; the samples were found at the next start.
    Recovered,
}

/// What may make a run unreliable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Health {
    /// Whether the measuring code was built without optimization.
    pub debug_build: bool,
    /// How long the window was hidden; absent without a window.
    #[serde(rename = "window_hidden_nanos")]
    pub window_hidden: Option<Nanos>,
    /// How long the machine slept during the run; absent if the system does not report it.
    #[serde(rename = "machine_slept_nanos")]
    pub machine_slept: Option<Nanos>,
    /// How often the clock was seen to go backward.
    pub clock_backwards_count: u32,
    /// CPU time of the window's own thread; absent without a window.
    #[serde(rename = "window_cpu_nanos")]
    pub window_cpu: Option<Nanos>,
    /// How often the window was redrawn; absent without a window.
    pub paint_count: Option<u64>,
    /// How often the power source, the governor, or the power plan changed during the run.
    #[serde(rename = "power_changes_count")]
    pub power_changes: u32,
    /// Why the run could not be saved during the measurement, if it could not.
    pub journal_error: Option<String>,
    /// Lines of the journal that could not be read when the run was recovered.
    #[serde(default, rename = "damaged_lines_count")]
    pub damaged_lines: u64,
    /// Whether the date of this PC was outside the supported years: the start time is unknown.
    #[serde(default)]
    pub date_unknown: bool,
    /// What limited the CPU time and the CPUs of the program.
    #[serde(flatten)]
    pub limits: CpuLimits,
}

/// What limited the CPU time and the CPUs of the program during the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CpuLimits {
    /// The tightest quota, in percent of one CPU; absent without a quota.
    #[serde(rename = "cpu_quota_percent")]
    pub quota_percent: Option<u32>,
    /// When the quota appeared, counted from the start of the run; absent where it was there before.
    #[serde(rename = "cpu_quota_began_nanos")]
    pub quota_began: Option<Nanos>,
    /// Time for which the quota throttled the program; absent where the system does not report it.
    #[serde(rename = "throttled_nanos")]
    pub throttled: Option<Nanos>,
    /// When the usable CPUs changed for the first time, counted from the start of the run.
    #[serde(rename = "cpus_changed_nanos")]
    pub cpus_changed: Option<Nanos>,
}

/// Named integers read before and after a trial; names end in their unit.
pub type Counters = BTreeMap<String, i64>;

/// The names of the counters, each defined once.
pub mod counter {
    /// Wall time of the measured part.
    pub const WALL_NANOS: &str = "wall_nanos";
    /// CPU time of the measuring thread.
    pub const CPU_NANOS: &str = "cpu_nanos";
    /// CPU time of other processes, without steal and interrupts.
    pub const FOREIGN_CPU_NANOS: &str = "foreign_cpu_nanos";
    /// The stretch of time in which [`FOREIGN_CPU_NANOS`] was counted.
    pub const FOREIGN_WINDOW_NANOS: &str = "foreign_window_nanos";
    /// CPU time of all programs, this one included, on the CPU of a gap probe, in the stretch of
    /// [`FOREIGN_CPU_NANOS`]; absent where the probe is not pinned or the system reports no time per CPU.
    pub const PROGRAMS_ON_CPU_NANOS: &str = "programs_on_cpu_nanos";
    /// The CPU around which the counts of [`activity`](crate::platform::activity) were taken.
    pub const ACTIVITY_CPU: &str = "activity_cpu";
    /// The stretch of time of those counts.
    pub const ACTIVITY_WINDOW_NANOS: &str = "activity_window_nanos";
    /// How often power source, governor (Linux) or plan (Windows) changed while the trial was measured; absent if never.
    pub const POWER_CHANGES: &str = "power_changes_count";
    /// From what late samples were traced, as [`TraceSource::number`](crate::platform::TraceSource::number)
    /// has it; 0 for counters only, absent where no trace was requested.
    pub const TRACE_SOURCE: &str = "trace_source";
    /// The error number for which a more exact source was denied.
    pub const TRACE_DENIED_ERRNO: &str = "trace_denied_errno";
    /// The system's own limit on such records, `kernel.perf_event_paranoid`.
    pub const PERF_EVENT_PARANOID: &str = "perf_event_paranoid";
    /// The number of the measuring thread in the trace.
    pub const TRACE_THREAD: &str = "trace_thread";
    /// Records of the stage that were lost because they came too fast.
    pub const TRACE_LOST: &str = "trace_lost_count";
    /// Late samples without records, because this many were saved already.
    pub const TRACE_OMITTED: &str = "trace_omitted_count";
    /// Set in another PID namespace than the initial one: threads outside it have no number.
    pub const TRACE_IN_NAMESPACE: &str = "trace_is_in_namespace";
    /// Set where the kernel recorded nothing on a CPU that was idle: its interrupts are missing then.
    pub const TRACE_BLIND_WHEN_IDLE: &str = "trace_is_blind_when_idle";
    /// CPU time of reading the records of the stage.
    pub const TRACE_READ_NANOS: &str = "trace_read_nanos";
    /// CPU time of all load threads together.
    pub const LOAD_CPU_NANOS: &str = "load_cpu_nanos";
    /// How long the load threads ran.
    pub const LOAD_WALL_NANOS: &str = "load_wall_nanos";
    /// Load threads that ran.
    pub const LOAD_THREADS: &str = "load_threads_count";
    /// Steal: time that the hypervisor used of this machine's CPUs.
    pub const STEAL_NANOS: &str = "steal_nanos";
    /// Time all CPUs spent on interrupts, in the stretch of [`FOREIGN_CPU_NANOS`].
    pub const INTERRUPT_NANOS: &str = "interrupt_nanos";
    /// Involuntary context switches of the measuring thread.
    pub const INVOLUNTARY_SWITCHES: &str = "involuntary_switches_count";
    /// Times the measuring thread gave its CPU away.
    pub const VOLUNTARY_SWITCHES: &str = "voluntary_switches_count";
    /// Page faults served without a disk.
    pub const MINOR_FAULTS: &str = "minor_faults_count";
    /// Page faults that waited for a disk.
    pub const MAJOR_FAULTS: &str = "major_faults_count";
    /// The spin tail of a hybrid wait.
    pub const TAIL_NANOS: &str = "tail_nanos";
    /// Iterations of arithmetic per piece of work.
    pub const WORK_TURNS: &str = "work_turns_count";
    /// Cost of one read of the thread's counters.
    pub const EVIDENCE_READ_NANOS: &str = "evidence_read_nanos";
    /// Pieces of evidence that were lost.
    pub const EVIDENCE_LOST: &str = "evidence_lost_count";
    /// When measuring began, counted from an instant that all trials of a stage share.
    pub const STARTED_NANOS: &str = "started_nanos";
    /// When measuring began, counted from the start of the run.
    pub const STARTED_IN_RUN_NANOS: &str = "started_in_run_nanos";
    /// Clock readings of a gap probe.
    pub const READINGS: &str = "clock_readings_count";
    /// All intervals between two readings together.
    pub const INTERVAL_SUM_NANOS: &str = "interval_sum_nanos";
    /// The squares of all intervals together, in square microseconds.
    pub const INTERVAL_SQUARES: &str = "interval_squares_square_micros";
    /// The shortest interval.
    pub const INTERVAL_MIN_NANOS: &str = "interval_least_nanos";
    /// The longest interval.
    pub const INTERVAL_MOST_NANOS: &str = "interval_most_nanos";
    /// The last interval so far.
    pub const INTERVAL_LAST_NANOS: &str = "interval_last_nanos";
    /// Prefix of the lower edge of a bin: the number of intervals from there to the next edge.
    pub const INTERVALS_FROM: &str = "intervals_from_";
    /// The shortest gap that was recorded.
    pub const THRESHOLD_NANOS: &str = "threshold_nanos";
    /// CPU time requested for DEADLINE per period.
    pub const RUNTIME_NANOS: &str = "deadline_runtime_nanos";
    /// Cycles that ran before samples counted.
    pub const WARM_UP_CYCLES: &str = "warm_up_cycles_count";
    /// Time of all counted cycles spent moving everyone.
    pub const MOVING_NANOS: &str = "moving_nanos";
    /// Time of all counted cycles spent preparing what observers share.
    pub const PREPARING_NANOS: &str = "preparing_nanos";
    /// Time of all counted cycles spent encoding, the part that runs on all threads.
    pub const ENCODING_NANOS: &str = "encoding_nanos";
    /// Time of all counted cycles spent cleaning up.
    pub const RELEASING_NANOS: &str = "releasing_nanos";
    /// Bytes of the packets of the last cycle.
    pub const PACKET_BYTES: &str = "packet_bytes_count";
    /// How long a stopped measuring thread got no CPU, until it was abandoned.
    pub const UNRESPONSIVE_NANOS: &str = "unresponsive_nanos";
    /// Slots of the schedule that passed, including missed ones.
    pub const SLOTS: &str = "slots_count";
}

/// The result of a spin tail that the calibration tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TailPoint {
    /// The spin tail; 0 is a plain sleep.
    #[serde(rename = "tail_nanos")]
    pub tail: Nanos,
    /// p99 lateness with it.
    #[serde(rename = "p99_nanos")]
    pub p99: Nanos,
    /// The 95% interval of `p99`; absent below 50 waits.
    #[serde(rename = "p99_interval_nanos")]
    pub p99_interval: Option<(Nanos, Nanos)>,
    /// Waits with it.
    pub wait_count: u32,
    /// CPU time of the waits; absent where the system does not report it.
    #[serde(rename = "cpu_nanos")]
    pub cpu: Option<Nanos>,
    /// Wall time of the waits.
    #[serde(rename = "wall_nanos")]
    pub wall: Nanos,
}

/// One measured trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Self")]
pub struct TrialRun {
    /// Position of its stage in the plan.
    #[serde(skip_serializing)]
    pub stage: u32,
    /// What was applied; absent if the trial did not start.
    #[serde(rename = "granted")]
    #[cfg_attr(test, schemars(with = "Option<crate::platform::AppliedInFile<'static>>"))]
    pub applied: Option<Applied>,
    /// The plan.
    #[serde(rename = "settings")]
    pub trial: Trial,
    /// Its background load.
    pub load: Load,
    /// Samples that the collector was too slow to take.
    #[serde(rename = "lost")]
    pub lost_count: u64,
    /// Whether the trial was measured to its end.
    pub complete: bool,
    /// Why the trial was skipped, if it was.
    pub skipped: Option<String>,
    /// Named integers.
    pub counters: Counters,
    /// Every sample.
    pub samples: Samples,
    /// The system's counters around late samples.
    #[serde(with = "EvidenceColumns")]
    pub evidence: Vec<Evidence>,
    /// Values over time by their names, which end in their unit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<String, Series>,
    /// What the system recorded around late samples; absent where nothing was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The result of each tried spin tail, shortest first; empty if none was calibrated.
    #[serde(default)]
    pub tail_curve: Vec<TailPoint>,
}

impl TrialRun {
    /// A trial that has not begun.
    pub fn new(stage: u32, trial: Trial, load: Load) -> Self {
        Self {
            stage,
            trial,
            load,
            applied: None,
            lost_count: 0,
            complete: false,
            skipped: None,
            counters: Counters::new(),
            samples: Samples::new(),
            evidence: Vec::new(),
            series: BTreeMap::new(),
            trace: None,
            tail_curve: Vec::new(),
        }
    }

    /// The value of each sample in nanoseconds, in order of time: lateness, overshoot of a wait, or
    /// length of a gap, which are all `woke − due`; the time of a cycle, `done − woke`.
    pub fn values(&self) -> Vec<i64> {
        self.each_value().collect()
    }

    /// The same as an iterator.
    pub fn each_value(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        let (from, to) = match self.trial.work {
            Work::GameCycle(_) => (self.samples.woke_nanos(), self.samples.done_nanos()),
            Work::Nothing | Work::Arithmetic(_) | Work::Timed(_) => {
                (self.samples.due_nanos(), self.samples.woke_nanos())
            }
        };
        to.zip(from).map(|(to, from)| to.saturating_sub(from))
    }

    /// When each sample's work began, in nanoseconds: when the thread woke, or once its counters were
    /// read. Where samples were lost, evidence cannot be assigned and each counts from its wake-up.
    pub fn work_started_nanos(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.samples.work_started_nanos(&self.evidence, self.lost_count)
    }

    /// How long each sample's work took in nanoseconds, in order of time.
    pub fn work_nanos(&self) -> Vec<i64> {
        let both = self.samples.done_nanos().zip(self.work_started_nanos());
        both.map(|(done, started)| done.saturating_sub(started)).collect()
    }

    /// The spin tail of the hybrid wait.
    pub fn tail(&self) -> Option<Nanos> {
        self.counters.get(counter::TAIL_NANOS).copied().map(Nanos::new)
    }

    /// Whether the system denied something that it requested.
    pub fn is_denied(&self) -> bool {
        let wants_no_deep_idle = self.trial.conditions.no_deep_idle;
        self.applied.as_ref().is_some_and(|applied| {
            !applied.is_as_requested() || (wants_no_deep_idle && !applied.no_deep_idle)
        })
    }

    /// CPU time of other processes as a share of one CPU; absent if the system does not report it,
    /// and in a trial of less than half a second.
    pub fn foreign_share(&self) -> Option<f64> {
        foreign_share(std::slice::from_ref(self))
    }

    /// CPU time of other processes on the CPU of a gap probe, as a share of it; absent where that is not known.
    pub fn foreign_share_of_cpu(&self) -> Option<f64> {
        let of = |name| self.counters.get(name).copied().map(Nanos::new);
        let window =
            of(counter::FOREIGN_WINDOW_NANOS).filter(|window| MIN_FOREIGN_WINDOW <= *window)?;
        let (all, own, wall) = (
            of(counter::PROGRAMS_ON_CPU_NANOS)?,
            of(counter::CPU_NANOS)?,
            of(counter::WALL_NANOS).filter(|wall| Nanos::ZERO < *wall)?,
        );
        // The stretch begins up to a beat after the probe.
        let own = own.as_f64() * (window.as_f64() / wall.as_f64()).min(1.0);
        // Other threads of this program are not other programs: they are in no more than all of these.
        let others = self.foreign_share().unwrap_or(f64::INFINITY);
        Some(((all.as_f64() - own) / window.as_f64()).max(0.0).min(others))
    }
}

/// CPU time of other processes during these trials, as a share of one CPU; absent if the system does not
/// report it, and below half a second in all.
pub fn foreign_share(trials: &[TrialRun]) -> Option<f64> {
    let counted = trials.iter().filter_map(|trial| {
        let of = |name| trial.counters.get(name).copied().map(Nanos::new);
        of(counter::FOREIGN_CPU_NANOS).zip(of(counter::FOREIGN_WINDOW_NANOS))
    });
    let none = (Nanos::ZERO, Nanos::ZERO);
    let (cpu, wall) = counted.fold(none, |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (MIN_FOREIGN_WINDOW <= wall).then(|| cpu.as_f64() / wall.as_f64())
}

/// The subject of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Subject {
    /// A test of this program.
    #[serde(rename = "plan")]
    Measured(Plan),
    /// A capture of another program.
    #[serde(rename = "capture")]
    Imported(Capture),
}

impl From<Plan> for Subject {
    fn from(plan: Plan) -> Self {
        Self::Measured(plan)
    }
}

impl Subject {
    /// The settings of the test; `None` for a capture of another program.
    pub const fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Measured(plan) => Some(plan),
            Self::Imported(_) => None,
        }
    }

    /// The key in file names, in lists and on the command line: `frame-loop`.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.key(),
            Self::Imported(capture) => capture.key(),
        }
    }

    /// The name on screen, in sentence case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.listing().name,
            Self::Imported(capture) => capture.name(),
        }
    }

    /// What each value is, in lower case.
    pub fn value_name(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.listing().value_name,
            Self::Imported(capture) => capture.value_name(),
        }
    }

    /// What values are called, in lower case.
    pub fn samples_name(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.listing().samples_name,
            Self::Imported(capture) => capture.samples_name(),
        }
    }

    /// The late threshold, as by [`Plan::late_limit`]; `None` for tests without a schedule.
    pub fn late_limit(&self, percent: f64) -> Option<Nanos> {
        self.plan()?.late_limit(percent)
    }
}

/// Subject, machine, what was applied, samples, and health: facts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Self")]
pub struct Run {
    /// The program that measured it.
    pub app_version: String,
    /// The [`METHOD_VERSION`] it was measured with.
    pub method_version: u32,
    /// Names the run.
    pub id: RunId,
    /// When it began.
    pub started_at: jiff::Timestamp,
    /// How it ended.
    pub ending: Ending,
    /// The user's name for it; empty if it has none.
    pub name: String,
    /// The user's note.
    pub note: String,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// The user's notes about instants and ranges, in order of trial and time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotation>,
    /// Its group of runs; absent if it was measured alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// What was requested, or a capture of another program.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "file::SubjectInFile"))]
    pub subject: Subject,
    /// The other PC that it was measured on, as the user named it; absent where it was this one. Exports exclude it
    /// with the names of this PC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// On which machine.
    #[cfg_attr(test, schemars(with = "crate::machine::MachineInFile<'static>"))]
    pub machine: Machine,
    /// With which clock.
    pub clock: ClockFacts,
    /// What may make it unreliable.
    pub health: Health,
    /// Every trial, in the order in which they ran.
    #[cfg_attr(test, schemars(with = "Vec<file::TrialInFile<'static>>"))]
    pub trials: Vec<TrialRun>,
}

impl Run {
    /// The settings of the test; `None` for an imported run.
    pub const fn plan(&self) -> Option<&Plan> {
        self.subject.plan()
    }

    /// The capture of another program; `None` for a run of this program.
    pub const fn capture(&self) -> Option<&Capture> {
        match &self.subject {
            Subject::Measured(_) => None,
            Subject::Imported(capture) => Some(capture),
        }
    }

    /// Number of samples in all trials, or of values in all recordings.
    pub fn sample_count(&self) -> usize {
        match &self.subject {
            Subject::Measured(_) => self.trials.iter().map(|trial| trial.samples.len()).sum(),
            Subject::Imported(capture) => capture.count(),
        }
    }

    /// Number of lost samples in all trials.
    pub fn lost_count(&self) -> u64 {
        self.trials.iter().map(|trial| trial.lost_count).sum()
    }

    /// For how long the window was hidden, or why that is absent.
    pub fn window_hidden(&self) -> Result<Nanos, &'static str> {
        self.health.window_hidden.ok_or(match self.ending {
            Ending::Finished | Ending::Stopped => "not used (command line)",
            // The window adds it when a run ends.
            Ending::Recovered => "not recorded: the app exited during the run",
            Ending::Failed(_) => "not recorded: the run failed",
        })
    }

    /// Measuring time, as far as the trials record it; those of one stage ran at the same time.
    pub fn measured(&self) -> Nanos {
        if let Some(capture) = self.capture() {
            return capture.length();
        }
        let mut longest: BTreeMap<u32, Nanos> = BTreeMap::new();
        for trial in &self.trials {
            let end = trial.samples.last().map_or(Nanos::ZERO, |last| last.done);
            let stage = longest.entry(trial.stage).or_default();
            *stage = end.max(*stage);
        }
        longest.into_values().fold(Nanos::ZERO, |sum, one| sum + one)
    }
}
