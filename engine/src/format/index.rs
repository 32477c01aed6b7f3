//! The cached list of runs: a header line with the version, then one JSON record per line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::plan::quick::Part;
use crate::report::comparison::{self, setting_key};
use crate::report::quick::PartVerdict;
use crate::report::{
    Disturbance, DisturbedRun, Grading, Headline, Needed, Options, Report, Standing,
};
use crate::run::{Capture, Ending, Group, Recording, Run, RunId};
use crate::stats::{Grade, GradeRange};

/// The header line of the cached list of runs.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexHead {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) app_version: String,
    /// The SHA-256 of every byte after this line.
    pub(crate) sha256: String,
}

/// The record of one run file.
#[derive(Debug, Serialize)]
pub(crate) struct IndexRecord {
    /// The name of the file.
    pub(crate) file: String,
    /// The size of the file.
    pub(crate) bytes: u64,
    /// When the file was last modified, in nanoseconds since 1970.
    pub(crate) modified_nanos: u64,
    /// The run in the file.
    #[serde(flatten)]
    pub(crate) run: Box<RunIndexEntry>,
}

impl IndexRecord {
    /// Reads a record from a line; `None` if the line is not a record. The line is parsed twice,
    /// for the fields of the file and for those of the run: a single type with a flattened field
    /// would make serde generate more code.
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

/// The summary of a run that lists show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunIndexEntry {
    /// The ID of the run.
    pub id: RunId,
    /// The name that the user gave the run; may be empty.
    pub name: String,
    /// The user's note.
    pub note: String,
    /// The tags of the run.
    pub tags: Vec<String>,
    /// A title derived from the settings, or what a recording followed; empty for a capture of another program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Identifies runs with the same settings; empty for a capture of another program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// The quick check of which the run is a part; absent for any other run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// Whether the run is a part of a quick check and Poor without load.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_poor_when_idle: bool,
    /// Whether the run is a part of a quick check and has fewer than three gaps above the limit of
    /// Good: the check then counts Fair as Good.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_few_gaps: bool,
    /// Whether the run is a part of a quick check that is shown without a grade, and is therefore
    /// ignored in the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stated_only: bool,
    /// What can be changed in the run; absent if it is no recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedState>,
    /// The game of a recording or a capture, or the followed program; empty for any other run, and for a capture of
    /// several programs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub game: String,
    /// The key of the test of the run.
    pub test: String,
    /// Short description of processor and system, after the name of another PC.
    pub machine: String,
    /// When the run began.
    pub started_at: jiff::Timestamp,
    /// Duration of the measurement.
    #[serde(rename = "measured_nanos")]
    pub measured: Nanos,
    /// The grade and the key figure.
    #[serde(with = "HeadlineOut")]
    pub headline: Headline,
    /// What disturbed the run, as part of a sentence; empty if nothing did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub disturbed: String,
    /// The values from which run-to-run variation is estimated, and which a trend follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatedRun>,
}

/// The values of a run, from which the variation between runs with the same settings is estimated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatedRun {
    /// Identifies runs whose values can differ only by chance.
    pub setting: String,
    /// The value of each metric in its unit, by the name of the configuration and the key of the
    /// metric.
    pub values: BTreeMap<String, BTreeMap<String, f64>>,
}

/// What can be changed in a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedState {
    /// Whether it has detail that can be deleted.
    pub has_detail: bool,
    /// Whether a log can be joined with it.
    pub can_join: bool,
    /// Whether a log was joined with it, and the join can be undone.
    pub can_undo_join: bool,
}

impl RecordedState {
    /// Returns the state of a recording.
    pub fn of(recording: &Recording) -> Self {
        Self {
            has_detail: !recording.details.is_empty(),
            can_join: recording.can_join(),
            can_undo_join: recording.can_join() && recording.before_join.is_some(),
        }
    }
}

fn game_of(run: &Run) -> String {
    if let Some(recording) = run.recording() {
        return recording.label.clone();
    }
    let recordings = run.capture().map_or(&[][..], Capture::recordings);
    let Some((first, others)) = recordings.split_first() else { return String::new() };
    let is_one = others.iter().all(|other| other.label == first.label);
    if is_one { first.label.clone() } else { String::new() }
}

impl RunIndexEntry {
    /// Returns the summary of a run, with its verdict. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run) -> Self {
        let report = Report::of(run, &Options::default());
        let verdict = run.plan().and_then(Part::of).map(|part| PartVerdict::of(part, run, &report));
        Self {
            title: run.subject.title(),
            fingerprint: run.plan().map_or_else(String::new, Plan::fingerprint),
            group: run.group.clone(),
            is_poor_when_idle: verdict.is_some_and(|verdict| verdict.is_poor_when_idle),
            has_few_gaps: verdict.is_some_and(|verdict| verdict.has_few_gaps),
            is_stated_only: verdict.is_some_and(|verdict| verdict.is_stated_only),
            id: run.id.clone(),
            name: run.name.clone(),
            note: run.note.clone(),
            tags: run.tags.clone(),
            recorded: run.recording().map(RecordedState::of),
            game: game_of(run),
            test: run.subject.key().to_owned(),
            machine: run.machine_name(),
            started_at: run.started_at,
            measured: run.measured(),
            headline: Headline::of_report(run, &report),
            disturbed: DisturbedRun::of(run, &report)
                .map_or_else(String::new, |it| it.disturbance.to_string()),
            repeats: (run.recording().is_none()).then(|| RepeatedRun {
                setting: setting_key(run),
                values: comparison::values(run, &report),
            }),
        }
    }

    /// Whether this is a capture of another program: it has no settings, and its runs are no repeats.
    pub const fn is_capture(&self) -> bool {
        self.fingerprint.is_empty()
    }

    /// Returns the verdict of the run as a part of a quick check.
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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_edited: bool,
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
        #[serde(default)]
        bursts: Option<usize>,
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
