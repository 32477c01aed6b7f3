//! Sources for the resampling of intervals: the samples of a configuration or of an imported recording.

use super::model::configuration::Configuration;
use super::model::evaluation::round_of;
use super::model::metric::Track;
use crate::nanos::Nanos;
use crate::run::Run;
use crate::run::capture::Recording;
use crate::stats::Round;
use crate::stats::blocks::ResampleSource;
use crate::stats::stutter::{is_stutter, moving_median};

/// Returns the values of a track of a configuration, with each trial as a round. Hardly any value of the compared
/// configuration or recording exceeds `baseline_limit`.
pub(super) fn source_of(
    run: &Run,
    row: &Configuration,
    track: Track,
    baseline_limit: Option<Nanos>,
) -> ResampleSource {
    let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
    let mut source = ResampleSource::new(row.late_limit, baseline_limit);
    for trial in trials {
        match track {
            Track::Values => source.values.extend(trial.each_value()),
            Track::FrameTimes => source.values.extend(round_of(trial).frame_times(row.period)),
            Track::Work => source.values.extend(trial.work_nanos()),
            Track::Slots => {
                source.values.extend(trial.each_value());
                add_slots(&mut source, &round_of(trial), row.period);
            }
            Track::Stutter => {}
        }
        source.end_round();
    }
    source
}

/// Adds two counts per frame: missed frames, as the summary counts them, and slots of the schedule. Both counts include
/// the skipped slots before the frame. The first frame of a round has no skipped slots.
fn add_slots(source: &mut ResampleSource, round: &Round<'_>, period: Nanos) {
    let skipped = std::iter::once(0).chain(round.steps(period).map(|step| step.empty_count));
    let frames = round.samples.due_nanos().zip(round.samples.done_nanos());
    let [missed, slots] = &mut source.counts;
    for ((due, done), skipped) in frames.zip(skipped) {
        let unfinished = i64::from(period.get() < done.saturating_sub(due));
        missed.push(unfinished.saturating_add(skipped));
        slots.push(skipped.saturating_add(1));
    }
}

/// Returns the values of a track of a recording, which is one round.
pub(super) fn source_of_recording(
    recording: &Recording,
    track: Track,
    stutter_factor: f64,
    baseline_limit: Option<Nanos>,
) -> ResampleSource {
    let mut source = ResampleSource::new(Nanos::MAX, baseline_limit);
    let times: Vec<i64> = recording.present().collect();
    if track == Track::Stutter {
        let [stutter, all] = &mut source.counts;
        for (&time, median) in times.iter().zip(moving_median(times.iter().copied())) {
            stutter.push(if is_stutter(time, median, stutter_factor) { time } else { 0 });
            all.push(time);
        }
    }
    source.values.extend(times);
    source.end_round();
    source
}
