//! Which samples an exported file holds. A file without all of them holds the figures of the whole run, but cannot be
//! opened as a run: figures that are computed from a part of the samples would be others.

use std::collections::BTreeSet;

use crate::run::capture::Recording as CapturedFrames;
use crate::run::recording::RecordedFrames;
use crate::run::{Capture, Recording, Run, Subject, Trace, TrialRun};
use crate::sample::Column;

/// Number of samples of a file with the worst ones, shared evenly by its trials. At about 80 bytes each, the file stays
/// far below 1 MB.
const WORST_COUNT: usize = 1_000;
/// Number of events and stalls of a recording in such a file.
const EVENT_COUNT: usize = 1_000;

/// Which samples an exported file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeptSamples {
    /// Every sample: the file opens as a run.
    #[default]
    All,
    /// The samples with the highest values.
    Worst,
    /// No sample.
    None,
}

impl KeptSamples {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::All, Self::Worst, Self::None];

    /// Returns the name on the command line and in files.
    pub const fn key(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the name in the window.
    pub const fn label(self) -> &'static str {
        self.words()[1]
    }

    /// Returns which samples a file holds, as part of a sentence.
    pub const fn about(self) -> &'static str {
        self.words()[2]
    }

    /// Returns the name on the command line and in files, the name in the window, and the part of a sentence.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::All => ["all", "All samples", "all samples"],
            Self::Worst => ["worst", "Worst samples", "only the worst samples"],
            Self::None => ["none", "No samples", "no samples"],
        }
    }

    /// Returns what a file holds that holds not all samples, in a sentence.
    pub const fn statement(self) -> &'static str {
        match self {
            Self::All => "This file holds all samples.",
            Self::Worst => {
                "The figures are of all samples, but only the worst are in this file: it does not open as a run."
            }
            Self::None => {
                "The figures are of all samples, but none are in this file: it does not open as a run."
            }
        }
    }

    /// Returns the choice with this name; `None` for an unknown name.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kept| kept.key() == key)
    }

    /// Returns the run with only these samples, and without what was recorded around them and over time; `None` if it holds
    /// all.
    pub(super) fn reduce(self, run: &Run) -> Option<Run> {
        let count = match self {
            Self::All => return None,
            Self::Worst => WORST_COUNT,
            Self::None => 0,
        };
        let mut run = run.clone();
        let of_trial = count.checked_div(run.trials.len()).unwrap_or(0);
        run.trials.iter_mut().for_each(|trial| reduce_trial(trial, of_trial));
        match &mut run.subject {
            Subject::Measured(_) => {}
            Subject::Imported(capture) => reduce_capture(capture, count),
            Subject::Recorded(recording) => {
                reduce_recording(recording, count, EVENT_COUNT.min(count));
            }
        }
        Some(run)
    }
}

/// Returns the positions of the `count` highest values, in order.
fn worst(values: impl Iterator<Item = i64>, count: usize) -> BTreeSet<usize> {
    let mut highest: Vec<(i64, usize)> = values.zip(0..).collect();
    if count < highest.len() {
        highest.select_nth_unstable_by(count, |a, b| b.cmp(a));
        highest.truncate(count);
    }
    highest.into_iter().map(|(_, position)| position).collect()
}

fn reduce_trial(trial: &mut TrialRun, count: usize) {
    let kept = worst(trial.each_value(), count);
    trial.samples = kept.iter().filter_map(|position| trial.samples.get(*position)).collect();
    // Evidence refers to samples by position.
    let position = |index: u64| kept.iter().position(|kept| u64::try_from(*kept) == Ok(index));
    trial.evidence.retain_mut(|evidence| {
        let position = position(evidence.index).and_then(|position| u64::try_from(position).ok());
        position.is_some_and(|position| {
            evidence.index = position;
            true
        })
    });
    trial.series.clear();
    trial.trace = None;
}

fn picked(column: &Column, kept: &BTreeSet<usize>) -> Column {
    kept.iter().filter_map(|position| column.get(*position)).collect()
}

fn reduce_capture(capture: &mut Capture, count: usize) {
    match capture {
        Capture::Frames(recordings)
        | Capture::SampledLog(recordings)
        | Capture::Ticks(recordings)
        | Capture::SampledTicks(recordings) => {
            let count = count.checked_div(recordings.len()).unwrap_or(0);
            for recording in recordings {
                let kept = worst(recording.frame_times.values(), count);
                let times: Vec<i64> = recording.times().map(crate::nanos::Nanos::get).collect();
                *recording = CapturedFrames {
                    label: std::mem::take(&mut recording.label),
                    elapsed: recording.elapsed,
                    frame_times: picked(&recording.frame_times, &kept),
                    logged_at: kept
                        .iter()
                        .filter_map(|position| times.get(*position))
                        .copied()
                        .collect(),
                    series: Vec::new(),
                    per_frame: Vec::new(),
                };
            }
        }
        Capture::Histogram(distributions) => {
            let count = count.checked_div(distributions.len()).unwrap_or(0);
            for distribution in distributions {
                let first = distribution.bins.len().saturating_sub(count);
                distribution.bins = distribution.bins.iter().skip(first).collect();
            }
        }
    }
}

fn reduce_recording(recording: &mut Recording, count: usize, events: usize) {
    let kept = worst(recording.frames.frame_times().values(), count);
    let [presented_at, frame_times] = recording.frames.columns();
    let columns = (picked(presented_at, &kept), picked(frame_times, &kept));
    recording.frames = RecordedFrames::from_columns(columns.0, columns.1).unwrap_or_default();
    let kept = worst(recording.events.iter().map(|event| event.length.get()), events);
    let mut positions = 0..;
    recording.events.retain(|_| positions.next().is_some_and(|position| kept.contains(&position)));
    let kept = worst(recording.stalls.iter().map(|stall| stall.late.get()), events);
    let mut positions = 0..;
    recording.stalls.retain(|_| positions.next().is_some_and(|position| kept.contains(&position)));
    for canary in &mut recording.canaries {
        for column in [
            &mut canary.at,
            &mut canary.min,
            &mut canary.p50,
            &mut canary.p99,
            &mut canary.max,
            &mut canary.count,
        ] {
            *column = Column::new();
        }
    }
    recording.details.iter_mut().for_each(|detail| detail.trace = Trace::default());
    recording.threads.clear();
    recording.answers = None;
    recording.earlier = None;
    recording.series.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::recording::{RecordedThread, SavedAnswers, SavedEvent};

    #[test]
    fn a_recording_without_samples_has_neither_its_answers_nor_its_threads() {
        let recording = Recording {
            threads: vec![RecordedThread::default(); 3],
            answers: Some(SavedAnswers {
                events: vec![SavedEvent::default(); 3],
                ..SavedAnswers::default()
            }),
            ..Recording::default()
        };
        let run = Run::planned(Subject::Recorded(Box::new(recording)), &[]);
        assert_eq!(KeptSamples::All.reduce(&run), None);
        for kept in [KeptSamples::Worst, KeptSamples::None] {
            let reduced = kept.reduce(&run).unwrap();
            let recording = reduced.recording().unwrap();
            assert!(recording.threads.is_empty(), "{kept:?}");
            assert_eq!(recording.answers, None, "{kept:?}");
        }
    }
}
