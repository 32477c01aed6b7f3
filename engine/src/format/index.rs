//! The cached list of runs: one JSON record per line, after a line that names the version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::plan::quick::Part;
use crate::report::comparison::{self, setting_key};
use crate::report::quick::PartVerdict;
use crate::report::{Disturbance, Grading, Headline, Needed, Options, Report, Standing};
use crate::run::{Ending, Group, Run, RunId};
use crate::stats::{Grade, GradeRange};

/// The first line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexHead {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) app_version: String,
    /// Of every byte after this line.
    pub(crate) sha256: String,
}

/// One file.
#[derive(Debug, Serialize)]
pub(crate) struct IndexRecord {
    /// Its name.
    pub(crate) file: String,
    /// Its size.
    pub(crate) bytes: u64,
    /// When it was last changed, counted from 1970.
    pub(crate) modified_nanos: u64,
    /// The run in it.
    #[serde(flatten)]
    pub(crate) run: Box<RunIndexEntry>,
}

impl IndexRecord {
    /// Reads a line; `None` where it is none. In two steps: serde reads a flattened record by separate code.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct FileOut {
            file: String,
            bytes: u64,
            modified_nanos: u64,
        }
        let FileOut { file, bytes, modified_nanos } = super::read_line(line)?;
        Some(Self { file, bytes, modified_nanos, run: super::read_line(line)? })
    }
}

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunIndexEntry {
    /// Names the run.
    pub id: RunId,
    /// The user's name for it, or empty.
    pub name: String,
    /// The user's note.
    pub note: String,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// Its name by its settings; empty for a capture of another program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Identifies runs of the same settings; empty for a capture of another program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// The runs it is one measurement with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// Whether it is a part of a quick check that is Poor without any load.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_poor_when_idle: bool,
    /// Whether it is a part of a quick check whose gaps are Fair by fewer than three.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_few_gaps: bool,
    /// Whether it is a part of a quick check that is stated without a grade.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stated_only: bool,
    /// The key of its test.
    pub test: String,
    /// Processor and system in short.
    pub machine: String,
    /// When it began.
    pub started_at: jiff::Timestamp,
    /// Measuring time.
    #[serde(rename = "measured_nanos")]
    pub measured: Nanos,
    /// Its grade and key number.
    #[serde(with = "HeadlineOut")]
    pub headline: Headline,
    /// What it adds to the variation from run to run; absent for a capture of another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatedRun>,
}

/// A run as one of several with the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatedRun {
    /// Identifies runs that may differ by chance only.
    pub setting: String,
    /// The value of each metric, by configuration and key, in the metric's unit.
    pub values: BTreeMap<String, BTreeMap<String, f64>>,
}

impl RunIndexEntry {
    /// Summarizes a run, with its verdict. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run) -> Self {
        let report = Report::of(run, &Options::default());
        let verdict = run.plan().and_then(Part::of).map(|part| PartVerdict::of(part, run, &report));
        Self {
            title: run.plan().map_or_else(String::new, Plan::title),
            fingerprint: run.plan().map_or_else(String::new, Plan::fingerprint),
            group: run.group.clone(),
            is_poor_when_idle: verdict.is_some_and(|verdict| verdict.is_poor_when_idle),
            has_few_gaps: verdict.is_some_and(|verdict| verdict.has_few_gaps),
            is_stated_only: verdict.is_some_and(|verdict| verdict.is_stated_only),
            id: run.id.clone(),
            name: run.name.clone(),
            note: run.note.clone(),
            tags: run.tags.clone(),
            test: run.subject.key().to_owned(),
            machine: run.machine.short(),
            started_at: run.started_at,
            measured: run.measured(),
            headline: Headline::of_report(run, &report),
            repeats: run.plan().map(|_| RepeatedRun {
                setting: setting_key(run),
                values: comparison::values(run, &report),
            }),
        }
    }

    /// Its verdict as a part of a quick check.
    pub fn part_verdict(&self) -> PartVerdict {
        let Headline { grade, standing, .. } = self.headline;
        let Self { is_poor_when_idle, has_few_gaps, is_stated_only, .. } = *self;
        PartVerdict { grade, standing, is_poor_when_idle, has_few_gaps, is_stated_only }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Headline")]
struct HeadlineOut {
    #[serde(default)]
    grade: Option<GradeRange>,
    #[serde(default, with = "StandingOut")]
    standing: Standing,
    word: String,
    number: String,
    #[serde(default, rename = "best_p99_nanos")]
    best_p99: Option<Nanos>,
    #[serde(default, rename = "longest_gap_nanos")]
    longest_gap: Option<Nanos>,
    rows: usize,
    refused: usize,
    ending: Ending,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Standing", rename_all = "kebab-case")]
enum StandingOut {
    Clear,
    NotEnoughData(#[serde(with = "GradingOut")] Grading),
    Inconclusive {
        #[serde(with = "GradingOut")]
        measured: Grading,
        #[serde(with = "DisturbanceOut")]
        disturbance: Disturbance,
    },
    Noted(#[serde(with = "DisturbanceOut")] Disturbance),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Grading")]
struct GradingOut {
    best: Grade,
    worst: Grade,
    #[serde(with = "NeededOut")]
    needed: Needed,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Needed", rename_all = "kebab-case")]
enum NeededOut {
    Nothing,
    Samples {
        count: usize,
        #[serde(rename = "time_nanos")]
        time: Nanos,
    },
    TooClose,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Disturbance", rename_all = "kebab-case")]
enum DisturbanceOut {
    #[serde(rename = "other-programs-share")]
    OtherPrograms(f64),
    #[serde(rename = "throttled-nanos")]
    Throttled(Nanos),
    #[serde(rename = "slept-nanos")]
    Slept(Nanos),
}
