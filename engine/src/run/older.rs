//! Converts imports that older versions saved as frame loops with a made-up schedule.

use super::capture::{Capture, Distribution, Recording};
use super::{Subject, TrialRun};
use crate::nanos::Nanos;

/// The method version of runs that no measuring loop of this program measured, such as imports.
pub(crate) const NO_METHOD: u32 = 0;
/// Prefixes of note lines that an older version added to explain its made-up schedule.
const OUTDATED: [&str; 2] = [
    "Lateness here is frame time less the median frame time",
    "A histogram keeps no order of time: the values stand in ascending order",
];

/// Returns the content of an import that an older version saved as a frame loop. A histogram of `cyclictest` is the
/// count of each lateness; otherwise the frame times are the times between the samples.
pub(super) fn import(program: &str, trials: Vec<TrialRun>) -> Subject {
    Subject::Imported(if program == "cyclictest" {
        Capture::Histogram(trials.into_iter().map(distribution_of).collect())
    } else {
        let count = trials.len();
        let recordings = trials.into_iter().zip(1..).map(|(trial, number)| {
            let mut recording = recording_of(trial);
            if 1 < count {
                // The recordings were saved as rounds with the same label, so add a number.
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
        ..Distribution::default()
    }
}

/// Returns the note of an import without the lines that explain a made-up schedule.
pub(super) fn note_of_import(note: &str) -> String {
    let is_current = |line: &&str| !OUTDATED.iter().any(|words| line.starts_with(words));
    note.lines().filter(is_current).collect::<Vec<_>>().join("\n")
}
