//! The format of run files: reading and writing a run and its trials. Some values are written twice for programs that
//! read the JSON, and files of older versions are converted.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Annotation, Capture, Ending, Group, Health, Recording, Run, RunId, Subject, TrialRun, older,
};
use crate::machine::{ClockFacts, Machine};
use crate::plan::Plan;
use crate::units::shortened;

/// Value of the `format` field, the first field of every run file.
pub const FORMAT: &str = "jitterscope-run";
/// Value of the `format` field of a report that does not hold all samples of its run.
const REPORT_FORMAT: &str = "jitterscope-report";
/// Version of the file format that this program writes. Files of a newer version are rejected.
pub const FORMAT_VERSION: u32 = 1;

/// A run as it is written to a file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RunInFile<'a> {
    format: &'a str,
    format_version: u32,
    /// Which samples a report holds; absent from a run, which holds all.
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<&'static str>,
    #[serde(flatten, with = "Run")]
    run: &'a Run,
}

impl Run {
    /// Returns the run as it is written to a file.
    pub(crate) const fn in_file(&self) -> RunInFile<'_> {
        RunInFile { format: FORMAT, format_version: FORMAT_VERSION, samples: None, run: self }
    }

    /// Returns a run whose samples are reduced to those that `samples` names, as it is written to a report.
    pub(crate) const fn in_report(&self, samples: &'static str) -> RunInFile<'_> {
        RunInFile { format: REPORT_FORMAT, samples: Some(samples), ..self.in_file() }
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Serialize::serialize(&self.in_file(), serializer)
    }
}

/// A run as it is read from a file of any supported version, with a plan, a capture, or a recording.
#[derive(Deserialize)]
struct ReadRun {
    format: String,
    format_version: u32,
    app_version: String,
    method_version: u32,
    id: RunId,
    #[serde(deserialize_with = "date")]
    started_at: jiff::Timestamp,
    #[serde(default)]
    wall_clock: Option<jiff::civil::DateTime>,
    ending: Ending,
    name: String,
    note: String,
    tags: Vec<String>,
    #[serde(default)]
    annotations: Vec<Annotation>,
    group: Option<Group>,
    plan: Option<Plan>,
    capture: Option<Capture>,
    recording: Option<Box<Recording>>,
    host: Option<String>,
    machine: Machine,
    clock: ClockFacts,
    health: Health,
    trials: Vec<TrialRun>,
}

/// Parses a date. A custom parser reports a readable error instead of the error type of `jiff`.
fn date<'de, D: Deserializer<'de>>(from: D) -> Result<jiff::Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    let wrong = || format!("'{}' is not a date, such as 2026-11-21T05:00:00Z", shortened(&text));
    text.parse().ok().ok_or_else(|| D::Error::custom(wrong()))
}

/// Returns the instant at which the wall clock of this PC shows a time.
pub(crate) fn instant_here(wall_clock: jiff::civil::DateTime) -> Option<jiff::Timestamp> {
    Some(wall_clock.to_zoned(jiff::tz::TimeZone::system()).ok()?.timestamp())
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut file = ReadRun::deserialize(deserializer)?;
        if file.format != FORMAT || FORMAT_VERSION < file.format_version {
            return Err(D::Error::custom("it is of another format"));
        }
        let subject = match (file.capture, file.plan) {
            _ if let Some(recording) = file.recording => Subject::Recorded(recording),
            (Some(capture), _) => Subject::Imported(capture),
            (None, Some(_)) if file.method_version == older::NO_METHOD => {
                file.note = older::note_of_import(&file.note);
                older::import(&file.app_version, std::mem::take(&mut file.trials))
            }
            (None, Some(plan)) => Subject::Measured(plan),
            (None, None) => {
                return Err(D::Error::custom("it has no plan, no capture, and no recording"));
            }
        };
        let mut run = Self {
            id: file.id,
            app_version: file.app_version,
            method_version: file.method_version,
            started_at: file.wall_clock.and_then(instant_here).unwrap_or(file.started_at),
            wall_clock: file.wall_clock,
            ending: file.ending,
            name: file.name,
            note: file.note,
            tags: file.tags,
            annotations: file.annotations,
            group: file.group,
            subject,
            host: file.host,
            machine: file.machine,
            clock: file.clock,
            health: file.health,
            trials: file.trials,
        };
        run.make_single_lines();
        Ok(run)
    }
}

/// Describes the subject of a run in the JSON schema.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "the schema alone is wanted")]
pub(super) struct SubjectInFile {
    /// Absent in an imported run, which has a capture instead, and in a recording.
    #[schemars(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    capture: Option<Capture>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    recording: Option<Recording>,
}

/// A trial as it is written to a file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TrialInFile<'a> {
    stage: u32,
    label: &'a str,
    round: u32,
    /// The requested conditions as a short text; `settings` has all details.
    requested: String,
    #[serde(flatten, with = "TrialRun")]
    trial: &'a TrialRun,
}

impl Serialize for TrialRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = TrialInFile {
            stage: self.stage,
            label: &self.trial.label,
            round: self.trial.round,
            requested: self.trial.conditions.to_string(),
            trial: self,
        };
        Serialize::serialize(&file, serializer)
    }
}

impl<'de> Deserialize<'de> for TrialRun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}
