//! The cached list of runs: one JSON record per line, after a line that names the version.

use serde::{Deserialize, Serialize};

use super::EndingOut;
use super::run_id::RunIdOut;
use crate::nanos::Nanos;
use crate::plan::record::{InNanos, Optional, records};
use crate::report::{Doubt, Headline};
use crate::run::{Ending, Run, RunId};
use crate::stats::Grade;

/// The first line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexHead {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) app_version: String,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
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

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunIndexEntry {
    /// Names the run.
    #[serde(with = "RunIdOut")]
    pub id: RunId,
    /// The user's name for it, or empty.
    pub name: String,
    /// The user's note.
    pub note: String,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// The key of its test.
    pub test: String,
    /// Processor and system in short.
    pub machine: String,
    /// When it began.
    pub started_at: jiff::Timestamp,
    /// Measuring time.
    #[serde(rename = "measured_nanos", with = "InNanos")]
    pub measured: Nanos,
    /// Its grade and key number.
    #[serde(with = "HeadlineOut")]
    pub headline: Headline,
}

impl RunIndexEntry {
    /// Summarizes a run, with its verdict. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run) -> Self {
        Self {
            id: run.id.clone(),
            name: run.name.clone(),
            note: run.note.clone(),
            tags: run.tags.clone(),
            test: run.subject.key().to_owned(),
            machine: run.machine.short(),
            started_at: run.started_at,
            measured: run.measured(),
            headline: Headline::of(run),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Headline")]
struct HeadlineOut {
    #[serde(default, with = "Optional::<GradeOut>")]
    grade: Option<Grade>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "Optional::<DoubtOut>")]
    doubt: Option<Doubt>,
    word: String,
    number: String,
    #[serde(default, rename = "best_p99_nanos", with = "Optional::<InNanos>")]
    best_p99: Option<Nanos>,
    rows: usize,
    refused: usize,
    #[serde(with = "EndingOut")]
    ending: Ending,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Grade", rename_all = "kebab-case")]
enum GradeOut {
    Excellent,
    Good,
    Fair,
    Poor,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Doubt", rename_all = "kebab-case")]
enum DoubtOut {
    NotEnoughData,
    Inconclusive,
}

records!(GradeOut: Grade, DoubtOut: Doubt);
