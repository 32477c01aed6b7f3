//! A run: what was requested, on which machine, what the system applied, and every sample. A run stores only measured
//! facts; reports compute results from the facts.

mod annotation;
pub mod capture;
pub mod counter;
mod file;
mod labels;
mod older;
pub mod recording;
mod series;
mod texts;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::{Load, Plan, Stage, Trial, Work};
use crate::platform::Applied;
use crate::sample::{Evidence, EvidenceColumns, Samples};

pub use annotation::Annotation;
pub use capture::Capture;
pub(crate) use file::RunInFile;
pub(crate) use file::instant_here;
pub use file::{FORMAT, FORMAT_VERSION};
pub use labels::{Group, Labels};
pub(crate) use older::NO_METHOD;
pub use recording::Recording;
pub use series::{Series, Trace, max_idle, name as series_name};

/// Version of the measuring method. Incremented with every change of a measuring loop after the first release, so that
/// a comparison detects runs with different methods.
pub const METHOD_VERSION: u32 = 1;

/// Max number of samples and pieces of evidence of a measured run together; further samples count as lost. A file with
/// this number of samples is well below the size that the store and the reader of run files accept.
pub const MAX_SAVED_SAMPLES: usize = 20_000_000;

/// The system counts CPU time in ticks of a few milliseconds. A shorter window is too coarse for a share of CPU time.
const MIN_FOREIGN_WINDOW: Nanos = Nanos::from_millis(500);

/// The permanent ID of a run: eight random hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct RunId(String);

impl RunId {
    /// Generates a random ID.
    pub fn random() -> Self {
        Self(format!("{:08x}", fastrand::u32(..)))
    }

    /// Parses an ID; `None` if the text is not eight lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 8 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }

    /// Returns the digits.
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
    /// Every stage of the plan was measured.
    Finished,
    /// The user stopped the run.
    Stopped,
    /// The run failed; the text is the reason in one sentence.
    Failed(String),
    /// The program ended during the run. The window or the `runs` command later recovered the samples from the journal.
    Recovered,
}

/// What may make a run unreliable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Health {
    /// Whether the measuring code was built without optimization.
    pub debug_build: bool,
    /// How long the window was hidden during the run; absent without a window.
    #[serde(rename = "window_hidden_nanos")]
    pub window_hidden: Option<Nanos>,
    /// How long the machine slept during the run; absent if the system does not report it.
    #[serde(rename = "machine_slept_nanos")]
    pub machine_slept: Option<Nanos>,
    /// How many times the clock was seen to go backward.
    pub clock_backwards_count: u32,
    /// CPU time of the thread that draws the window; absent without a window.
    #[serde(rename = "window_cpu_nanos")]
    pub window_cpu: Option<Nanos>,
    /// How many times the window was drawn; absent without a window.
    pub paint_count: Option<u64>,
    /// How many times the power source, the governor, or the power plan changed during the run.
    #[serde(rename = "power_changes_count")]
    pub power_changes: u32,
    /// The error that prevented saving the run during the measurement, if there was one.
    pub journal_error: Option<String>,
    /// Number of journal lines that could not be read when the run was recovered.
    #[serde(default, rename = "damaged_lines_count")]
    pub damaged_lines: u64,
    /// Whether the date of this PC was outside the supported years, so the start time of the run is unknown.
    #[serde(default)]
    pub date_unknown: bool,
    /// Whether an exported file of the run was changed after it was written. This remains where the run is saved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited_after_export: bool,
    /// Limits on the CPU time and the CPUs of the program.
    #[serde(flatten)]
    pub limits: CpuLimits,
}

/// Limits on the CPU time and the CPUs of the program during the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CpuLimits {
    /// The lowest CPU quota that was in force, in percent of one CPU; absent without a quota.
    #[serde(rename = "cpu_quota_percent")]
    pub quota_percent: Option<u32>,
    /// When the quota appeared, counted from the start of the run; absent without a quota or if the run started with
    /// one.
    #[serde(rename = "cpu_quota_began_nanos")]
    pub quota_began: Option<Nanos>,
    /// How long the quota throttled the program during the run; absent if the system does not report the time.
    #[serde(rename = "throttled_nanos")]
    pub throttled: Option<Nanos>,
    /// When the set of usable CPUs first changed, counted from the start of the run; absent if the set did not change.
    #[serde(rename = "cpus_changed_nanos")]
    pub cpus_changed: Option<Nanos>,
}

/// Named integers about a trial, such as CPU time and page faults. Each name ends in the unit of its value.
pub type Counters = BTreeMap<String, i64>;

/// The result of one spin tail that the calibration tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TailPoint {
    /// Length of the spin tail; 0 is a plain sleep.
    #[serde(rename = "tail_nanos")]
    pub tail: Nanos,
    /// p99 lateness with this spin tail.
    #[serde(rename = "p99_nanos")]
    pub p99: Nanos,
    /// The 95% interval of `p99`; absent below 50 waits.
    #[serde(rename = "p99_interval_nanos")]
    pub p99_interval: Option<(Nanos, Nanos)>,
    /// Number of waits with this spin tail.
    pub wait_count: u32,
    /// CPU time of the waits and the work after them; absent if the system does not report CPU time.
    #[serde(rename = "cpu_nanos")]
    pub cpu: Option<Nanos>,
    /// Wall time of the waits and the work after them.
    #[serde(rename = "wall_nanos")]
    pub wall: Nanos,
}

/// One measured trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Self")]
pub struct TrialRun {
    /// Position of the trial's stage in the plan.
    #[serde(skip_serializing)]
    pub stage: u32,
    /// What the system applied for the trial; absent if the trial did not start.
    #[serde(rename = "granted")]
    #[cfg_attr(test, schemars(with = "Option<crate::platform::AppliedInFile<'static>>"))]
    pub applied: Option<Applied>,
    /// The planned settings of the trial.
    #[serde(rename = "settings")]
    pub trial: Trial,
    /// The background load of the trial.
    pub load: Load,
    /// Number of samples that were lost: the collector was too slow, or the run reached its size limit.
    #[serde(rename = "lost")]
    pub lost_count: u64,
    /// Whether the trial was measured to its end.
    pub complete: bool,
    /// Why the trial was skipped; absent if it was not skipped.
    pub skipped: Option<String>,
    /// Named integers, such as CPU time and page faults; each name ends in the unit of its value.
    pub counters: Counters,
    /// Every sample, in order of time.
    pub samples: Samples,
    /// What the system counted around late samples, such as page faults.
    #[serde(with = "EvidenceColumns")]
    pub evidence: Vec<Evidence>,
    /// Values over time, such as the frequency of the CPU. Each name ends in the unit of the values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<String, Series>,
    /// What the system recorded around late samples; absent if nothing was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The results of the spin tails that were tried, shortest first; empty if the tail is not calibrated. If the trial
    /// reuses the tail of an earlier trial, these are the results of the earlier trial.
    #[serde(default)]
    pub tail_curve: Vec<TailPoint>,
}

impl TrialRun {
    /// Creates a trial that has not started: no samples, and nothing applied.
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

    /// Returns the value of each sample in nanoseconds, in order of time. The value is `woke − due` (lateness,
    /// overshoot, or length of a gap), or for a game cycle its duration, `done − woke`.
    pub fn values(&self) -> Vec<i64> {
        self.each_value().collect()
    }

    /// Iterates over the same values as `values` returns, without allocating a list.
    pub fn each_value(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        let (from, to) = match self.trial.work {
            Work::GameCycle(_) => (self.samples.woke_nanos(), self.samples.done_nanos()),
            Work::Nothing | Work::Arithmetic(_) | Work::Timed(_) => {
                (self.samples.due_nanos(), self.samples.woke_nanos())
            }
        };
        to.zip(from).map(|(to, from)| to.saturating_sub(from))
    }

    /// Returns when the work of each sample began, in nanoseconds from the trial's start: when its counters had been
    /// read, or else at the wake-up. If samples were lost, the reads cannot be assigned to samples, and every
    /// work starts at its wake-up.
    pub fn work_started_nanos(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.samples.work_started_nanos(&self.evidence, self.lost_count)
    }

    /// Returns how long the work of each sample took in nanoseconds, in order of time.
    pub fn work_nanos(&self) -> Vec<i64> {
        let both = self.samples.done_nanos().zip(self.work_started_nanos());
        both.map(|(done, started)| done.saturating_sub(started)).collect()
    }

    /// Returns the spin tail of the hybrid wait; `None` for other waits.
    pub fn tail(&self) -> Option<Nanos> {
        self.counters.get(counter::TAIL_NANOS).copied().map(Nanos::new)
    }

    /// Returns whether the system denied something that the trial requested.
    pub fn is_denied(&self) -> bool {
        let conditions = self.trial.conditions;
        self.applied.as_ref().is_some_and(|applied| {
            !applied.is_as_requested()
                || (conditions.no_deep_idle && !applied.no_deep_idle)
                || applied.has_denied_timer()
        })
    }

    /// Returns CPU time of other processes as a share of one CPU; `None` if the system does not report the time, or if
    /// the time was counted for less than half a second.
    pub fn foreign_share(&self) -> Option<f64> {
        foreign_share(std::slice::from_ref(self))
    }

    /// Returns CPU time of other processes on the CPU of a gap probe, as a share of that CPU; `None` if it is not
    /// known.
    pub fn foreign_share_of_cpu(&self) -> Option<f64> {
        let of = |name| self.counters.get(name).copied().map(Nanos::new);
        let window =
            of(counter::FOREIGN_WINDOW_NANOS).filter(|window| MIN_FOREIGN_WINDOW <= *window)?;
        let (all, own, wall) = (
            of(counter::PROGRAMS_ON_CPU_NANOS)?,
            of(counter::CPU_NANOS)?,
            of(counter::WALL_NANOS).filter(|wall| Nanos::ZERO < *wall)?,
        );
        // The window can begin shortly after the probe, so scale the probe's CPU time down to the window.
        let own = own.as_f64() * (window.as_f64() / wall.as_f64()).min(1.0);
        // `all` includes other threads of this program. Limit the result to the CPU time of other programs on all CPUs.
        let others = self.foreign_share().unwrap_or(f64::INFINITY);
        Some(((all.as_f64() - own) / window.as_f64()).max(0.0).min(others))
    }
}

/// Returns CPU time of other processes during these trials, as a share of one CPU; `None` if the system does not report
/// the time, or if the time was counted for less than half a second in total.
pub fn foreign_share(trials: &[TrialRun]) -> Option<f64> {
    let counted = trials.iter().filter_map(|trial| {
        let of = |name| trial.counters.get(name).copied().map(Nanos::new);
        of(counter::FOREIGN_CPU_NANOS).zip(of(counter::FOREIGN_WINDOW_NANOS))
    });
    let none = (Nanos::ZERO, Nanos::ZERO);
    let (cpu, wall) = counted.fold(none, |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (MIN_FOREIGN_WINDOW <= wall).then(|| cpu.as_f64() / wall.as_f64())
}

/// The subject of a run: a test of this program, an imported capture, or a recording of a game or of this PC.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Subject {
    /// A test of this program.
    #[serde(rename = "plan")]
    Measured(Plan),
    /// A capture of another program.
    #[serde(rename = "capture")]
    Imported(Capture),
    /// A recording of the recorder.
    #[serde(rename = "recording")]
    Recorded(Box<Recording>),
}

impl From<Plan> for Subject {
    fn from(plan: Plan) -> Self {
        Self::Measured(plan)
    }
}

impl Subject {
    /// Returns the settings of the test; `None` for a capture of another program and for a recording.
    pub const fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Measured(plan) => Some(plan),
            Self::Imported(_) | Self::Recorded(_) => None,
        }
    }

    /// Returns the key in file names, in lists, and on the command line: `frame-loop`.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.key(),
            Self::Imported(capture) => capture.key(),
            Self::Recorded(_) => Recording::KEY,
        }
    }

    /// Returns the name on screen, in sentence case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.listing().name,
            Self::Imported(capture) => capture.name(),
            Self::Recorded(_) => Recording::NAME,
        }
    }

    /// Returns the title that the settings give: `Hybrid, 60 FPS`, or what a recording followed: `witcher3`; empty for a
    /// capture of another program, and for a recording of the PC alone.
    pub fn title(&self) -> String {
        match self {
            Self::Measured(plan) => plan.title(),
            Self::Imported(_) => String::new(),
            Self::Recorded(recording) => recording.label.clone(),
        }
    }

    /// Returns the name of a single value, in lower case: `frame time`.
    pub fn value_name(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.listing().value_name,
            Self::Imported(capture) => capture.value_name(),
            Self::Recorded(recording) if recording.is_of_thread() => "time between cycles",
            Self::Recorded(_) => "frame time",
        }
    }

    /// Returns the plural name of the samples, in lower case: `frames`.
    pub fn samples_name(&self) -> &'static str {
        match self {
            Self::Measured(plan) => plan.listing().samples_name,
            Self::Imported(capture) => capture.samples_name(),
            Self::Recorded(recording) if recording.is_of_thread() => "cycles",
            Self::Recorded(_) => "frames",
        }
    }

    /// Returns the late threshold as computed by [`Plan::late_limit`]; `None` for a capture and for tests without a
    /// schedule.
    pub fn late_limit(&self, percent: f64) -> Option<Nanos> {
        self.plan()?.late_limit(percent)
    }
}

/// A run: subject, machine, what the system applied, samples, and health. It stores only measured facts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Self")]
pub struct Run {
    /// Version of Jitterscope that measured the run; for an imported run, the program that recorded the capture.
    pub app_version: String,
    /// The [`METHOD_VERSION`] with which the run was measured; 0 for an imported run.
    pub method_version: u32,
    /// The permanent ID of the run.
    pub id: RunId,
    /// When the run began.
    pub started_at: jiff::Timestamp,
    /// When a capture began by the wall clock of the PC that recorded it, if its file states no time zone; `started_at` is
    /// then that time in the zone of this PC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_clock: Option<jiff::civil::DateTime>,
    /// How the run ended.
    pub ending: Ending,
    /// The user's name for the run; empty if it has none.
    pub name: String,
    /// The user's note about the run; empty if it has none.
    pub note: String,
    /// Tags by which the user can find the run.
    pub tags: Vec<String>,
    /// The user's notes about instants and ranges, in order of trial and time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotation>,
    /// The group of runs to which this run belongs; absent if it was measured alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// The settings of the test, an imported capture of another program, or a recording.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "file::SubjectInFile"))]
    pub subject: Subject,
    /// The other PC on which the run was measured, as the user named it; absent if the run was measured on this PC.
    /// Exports exclude this name together with the names of this PC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The machine on which the run was measured.
    #[cfg_attr(test, schemars(with = "crate::machine::MachineInFile<'static>"))]
    pub machine: Machine,
    /// The clock with which the run was measured.
    pub clock: ClockFacts,
    /// What may make the run unreliable.
    pub health: Health,
    /// Every trial, in the order in which the trials ran.
    #[cfg_attr(test, schemars(with = "Vec<file::TrialInFile<'static>>"))]
    pub trials: Vec<TrialRun>,
}

impl Run {
    /// Returns the settings of the test; `None` for an imported run.
    pub const fn plan(&self) -> Option<&Plan> {
        self.subject.plan()
    }

    /// Returns the capture of another program; `None` for a run of this program.
    pub const fn capture(&self) -> Option<&Capture> {
        match &self.subject {
            Subject::Measured(_) | Subject::Recorded(_) => None,
            Subject::Imported(capture) => Some(capture),
        }
    }

    /// Returns the recording of a game or of this PC; `None` for other runs.
    pub fn recording(&self) -> Option<&Recording> {
        match &self.subject {
            Subject::Measured(_) | Subject::Imported(_) => None,
            Subject::Recorded(recording) => Some(recording),
        }
    }

    /// Returns the number of samples in all trials, or of values in all recordings of a capture.
    pub fn sample_count(&self) -> usize {
        match &self.subject {
            Subject::Measured(_) => self.trials.iter().map(|trial| trial.samples.len()).sum(),
            Subject::Imported(capture) => capture.count(),
            Subject::Recorded(recording) => recording.frames.len(),
        }
    }

    /// Whether anything was measured or imported: a gap probe without a gap has counted intervals, not samples.
    pub fn has_data(&self) -> bool {
        let has_counted = |trial: &TrialRun| trial.counters.contains_key(counter::READINGS);
        0 < self.sample_count()
            || self.trials.iter().any(has_counted)
            || self.recording().is_some_and(|recording| Nanos::ZERO < recording.length)
    }

    /// Returns the machine in short, after the name of another PC; see [`Machine::short_on`].
    pub fn machine_name(&self) -> String {
        self.machine.short_on(self.host.as_deref())
    }

    /// Returns the number of lost samples in all trials.
    pub fn lost_count(&self) -> u64 {
        self.trials.iter().map(|trial| trial.lost_count).sum()
    }

    /// Returns how long the window was hidden, or the reason why that time is absent.
    pub fn window_hidden(&self) -> Result<Nanos, &'static str> {
        self.health.window_hidden.ok_or(match self.ending {
            Ending::Finished | Ending::Stopped => "no window on the measured PC",
            // The window records this time only when a run ends, so a recovered run has no value.
            Ending::Recovered => "not recorded: the app exited during the run",
            Ending::Failed(_) => "not recorded: the run failed",
        })
    }

    /// Returns the measuring time of all stages, as far as the samples record it. Trials of one stage ran at the same
    /// time, so a stage takes as long as its longest trial.
    pub fn measured(&self) -> Nanos {
        if let Some(capture) = self.capture() {
            return capture.length();
        }
        if let Some(recording) = self.recording() {
            return recording.length;
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

impl Run {
    /// Returns a finished run without samples and facts. It has all trials of `stages`.
    pub(crate) fn planned(subject: Subject, stages: &[Stage]) -> Self {
        let mut trials = Vec::new();
        for (stage, position) in stages.iter().zip(0..) {
            for trial in &stage.trials {
                trials.push(TrialRun::new(position, trial.clone(), stage.load));
            }
        }
        Self {
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            method_version: METHOD_VERSION,
            id: RunId::random(),
            started_at: jiff::Timestamp::UNIX_EPOCH,
            wall_clock: None,
            ending: Ending::Finished,
            name: String::new(),
            note: String::new(),
            tags: Vec::new(),
            annotations: Vec::new(),
            group: None,
            subject,
            host: None,
            machine: Machine::default(),
            clock: ClockFacts::default(),
            health: Health::default(),
            trials,
        }
    }
}
