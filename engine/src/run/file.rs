//! The format of run files: reading and writing a run and its trials. Some values are written twice for programs that
//! read the JSON, and files of older versions are converted.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Annotation, Capture, Ending, Group, Health, Run, RunId, Subject, TrialRun, older};
use crate::machine::{ClockFacts, Machine};
use crate::plan::Plan;
use crate::units::shortened;

/// Value of the `format` field, the first field of every run file.
pub const FORMAT: &str = "jitterscope-run";
/// Version of the file format that this program writes. Files of a newer version are rejected.
pub const FORMAT_VERSION: u32 = 1;

/// A run as it is written to a file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RunInFile<'a> {
    format: &'a str,
    format_version: u32,
    #[serde(flatten, with = "Run")]
    run: &'a Run,
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = RunInFile { format: FORMAT, format_version: FORMAT_VERSION, run: self };
        Serialize::serialize(&file, serializer)
    }
}

/// A run as it is read from a file of any supported version, with a plan or a capture.
#[derive(Deserialize)]
struct ReadRun {
    format: String,
    format_version: u32,
    app_version: String,
    method_version: u32,
    id: RunId,
    #[serde(deserialize_with = "date")]
    started_at: jiff::Timestamp,
    ending: Ending,
    name: String,
    note: String,
    tags: Vec<String>,
    #[serde(default)]
    annotations: Vec<Annotation>,
    group: Option<Group>,
    plan: Option<Plan>,
    capture: Option<Capture>,
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

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut file = ReadRun::deserialize(deserializer)?;
        if file.format != FORMAT || FORMAT_VERSION < file.format_version {
            return Err(D::Error::custom("it is of another format"));
        }
        let subject = match (file.capture, file.plan) {
            (Some(capture), _) => Subject::Imported(capture),
            (None, Some(_)) if file.method_version == older::NO_METHOD => {
                file.note = older::note_of_import(&file.note);
                older::import(&file.app_version, std::mem::take(&mut file.trials))
            }
            (None, Some(plan)) => Subject::Measured(plan),
            (None, None) => return Err(D::Error::custom("it holds neither a plan nor a capture")),
        };
        Ok(Self {
            id: file.id,
            app_version: file.app_version,
            method_version: file.method_version,
            started_at: file.started_at,
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
        })
    }
}

/// Describes the subject of a run in the JSON schema.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "the schema alone is wanted")]
pub(super) struct SubjectInFile {
    /// Absent in an imported run, which has a capture instead.
    #[schemars(skip_serializing_if = "Option::is_none")]
    plan: Option<Plan>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    capture: Option<Capture>,
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
