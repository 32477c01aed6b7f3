//! A capture of another program in the run file.

use serde::{Deserialize, Serialize};

use super::column::ColumnOut;
use super::{FormatError, contradiction};
use crate::nanos::Nanos;
use crate::run::capture::{Capture, Distribution, Recording};
use crate::run::{Subject, TrialRun};
use crate::sample::Column;

/// The method of runs that no loop of this program measured.
pub(super) const NO_METHOD: u32 = 0;
/// Prefixes of note lines that an older version wrote about its made-up schedule.
const OUTDATED: [&str; 2] = [
    "Lateness here is frame time less the median frame time",
    "A histogram keeps no order of time: the values stand in ascending order",
];

/// Tagged next to its content, so that serde reads the columns directly, without a copy.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum CaptureOut<'a> {
    Frames(Vec<RecordingOut<'a>>),
    SampledLog(Vec<RecordingOut<'a>>),
    Histogram(Vec<DistributionOut>),
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RecordingOut<'a> {
    label: String,
    elapsed_nanos: Option<i64>,
    frame_times_nanos: ColumnOut<'a, Option<i64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    logged_at_nanos: Option<ColumnOut<'a, Option<i64>>>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct DistributionOut {
    label: String,
    above_count: u64,
    max_nanos: Option<i64>,
    values_nanos: Vec<i64>,
    counts: Vec<u64>,
}

impl<'a> From<&'a Capture> for CaptureOut<'a> {
    fn from(capture: &'a Capture) -> Self {
        let recordings = |of: &'a [Recording]| of.iter().map(RecordingOut::from).collect();
        match capture {
            Capture::Frames(of) => Self::Frames(recordings(of)),
            Capture::SampledLog(of) => Self::SampledLog(recordings(of)),
            Capture::Histogram(of) => {
                Self::Histogram(of.iter().map(DistributionOut::from).collect())
            }
        }
    }
}

impl CaptureOut<'_> {
    pub(super) fn read(self) -> Result<Capture, FormatError> {
        let recordings =
            |of: Vec<RecordingOut<'_>>| of.into_iter().map(RecordingOut::read).collect();
        Ok(match self {
            Self::Frames(of) => Capture::Frames(recordings(of)),
            Self::SampledLog(of) => Capture::SampledLog(recordings(of)),
            Self::Histogram(of) => {
                let of = of.into_iter().map(DistributionOut::read);
                Capture::Histogram(of.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl<'a> From<&'a Recording> for RecordingOut<'a> {
    fn from(recording: &'a Recording) -> Self {
        let logged_at = &recording.logged_at;
        Self {
            label: recording.label.clone(),
            elapsed_nanos: recording.elapsed.map(Nanos::get),
            frame_times_nanos: ColumnOut::from(&recording.frame_times),
            logged_at_nanos: (!logged_at.is_empty()).then(|| ColumnOut::from(logged_at)),
        }
    }
}

impl RecordingOut<'_> {
    fn read(self) -> Recording {
        Recording {
            label: self.label,
            frame_times: self.frame_times_nanos.into_column(),
            logged_at: self.logged_at_nanos.map_or_else(Column::new, ColumnOut::into_column),
            elapsed: self.elapsed_nanos.map(Nanos::new),
        }
    }
}

impl From<&Distribution> for DistributionOut {
    fn from(distribution: &Distribution) -> Self {
        let (values_nanos, counts) = distribution.bins.iter().copied().unzip();
        Self {
            label: distribution.label.clone(),
            above_count: distribution.above_count,
            max_nanos: distribution.max.map(Nanos::get),
            values_nanos,
            counts,
        }
    }
}

impl DistributionOut {
    fn read(self) -> Result<Distribution, FormatError> {
        if self.values_nanos.len() != self.counts.len() {
            return Err(contradiction("the lengths of its values and counts differ"));
        }
        if !self.values_nanos.is_sorted() {
            return Err(contradiction("its values are not ascending"));
        }
        let bins = self.values_nanos.into_iter().zip(self.counts);
        Ok(Distribution {
            label: self.label,
            bins: bins.filter(|(_, count)| 0 < *count).collect(),
            above_count: self.above_count,
            max: self.max_nanos.map(Nanos::new),
        })
    }
}

/// The content of an older import, which was saved as a frame loop: the frame times between its
/// samples, or the counts of its lateness.
pub(super) fn of_older_import(program: &str, trials: Vec<TrialRun>) -> Subject {
    Subject::Imported(if program == "cyclictest" {
        Capture::Histogram(trials.into_iter().map(distribution_of).collect())
    } else {
        let count = trials.len();
        let recordings = trials.into_iter().zip(1..).map(|(trial, number)| {
            let mut recording = recording_of(trial);
            if 1 < count {
                // They were rounds with the same label.
                recording.label.push_str(&format!(", recording {number}"));
            }
            recording
        });
        Capture::Frames(recordings.collect())
    })
}

fn recording_of(trial: TrialRun) -> Recording {
    Recording {
        frame_times: trial.samples.frame_time_nanos().into_iter().collect(),
        label: trial.trial.label,
        ..Recording::default()
    }
}

fn distribution_of(trial: TrialRun) -> Distribution {
    let mut values = trial.values();
    values.sort_unstable();
    let same = values.chunk_by(|a, b| a == b);
    let count = |of: &[i64]| u64::try_from(of.len()).unwrap_or(u64::MAX);
    Distribution {
        bins: same.filter_map(|of| Some((*of.first()?, count(of)))).collect(),
        above_count: trial.lost_count,
        max: values.last().copied().map(Nanos::new),
        label: trial.trial.label,
    }
}

/// The note of an import without the lines that an older version wrote about its made-up schedule.
pub(super) fn note_of_older_import(note: &str) -> String {
    let is_current = |line: &&str| !OUTDATED.iter().any(|words| line.starts_with(words));
    note.lines().filter(is_current).collect::<Vec<_>>().join("\n")
}
