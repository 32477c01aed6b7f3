//! The items of a run that can be compared: configurations of a test, or recordings of an imported
//! file.

use crate::nanos::Nanos;
use crate::report::capture::CaptureFigures;
use crate::report::model::disturbance::Disturbance;
use crate::report::model::metric::{Metric, Track};
use crate::report::resampled::{source_of, source_of_recording};
use crate::report::{Configuration, GapFigures, RecordingFigures, Report};
use crate::run::capture::Recording;
use crate::run::{Capture, Run, TrialRun, counter};
use crate::stats::blocks::ResampleSource;
use crate::stats::{LowDefinition, Statistic};

/// A configuration of a test, or a recording of an imported file.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// A configuration.
    Configuration(&'a Run, &'a Configuration),
    /// A recording.
    Recording(&'a Run, &'a RecordingFigures),
}

impl<'a> Item<'a> {
    /// Returns all items of a run, in the order of its report.
    pub fn all(run: &'a Run, report: &'a Report) -> Vec<Self> {
        let rows = report.rows.iter().map(|row| Self::Configuration(run, row));
        rows.chain(report.results::<RecordingFigures>().iter().map(|one| Self::Recording(run, one)))
            .collect()
    }

    /// Returns the label of the configuration or recording.
    pub fn label(self) -> &'a str {
        match self {
            Self::Configuration(_, row) => &row.label,
            Self::Recording(_, recording) => &recording.label,
        }
    }

    /// Whether this is a recording whose label is the name of its run.
    pub(super) fn is_named_like_its_run(self) -> bool {
        matches!(self, Self::Recording(run, recording) if recording.label == run.name)
    }

    pub(super) const fn run(self) -> &'a Run {
        match self {
            Self::Configuration(run, _) | Self::Recording(run, _) => run,
        }
    }

    pub(super) const fn row(self) -> Option<&'a Configuration> {
        match self {
            Self::Configuration(_, row) => Some(row),
            Self::Recording(..) => None,
        }
    }

    /// Whether something disturbed the measurement.
    pub(super) fn is_disturbed(self) -> bool {
        self.row().is_some_and(|row| row.disturbance.is_some())
            || Disturbance::of_run(self.run()).is_some()
    }

    /// Returns the scheduled length of a frame; 0 without a schedule, as for a recording.
    pub(super) fn period(self) -> Nanos {
        self.row().map_or(Nanos::ZERO, |row| row.period)
    }

    /// Returns the length of a frame: the scheduled length, or the median frame time of a
    /// recording; 0 if neither is known. It determines how large a difference must be to matter.
    pub(super) fn frame(self) -> Nanos {
        match self {
            Self::Configuration(_, row) => row.period,
            Self::Recording(_, recording) => {
                let median = recording.figures.value(&Metric::P50);
                median.map_or(Nanos::ZERO, Nanos::from_nanos_f64)
            }
        }
    }

    /// Returns the late threshold; `None` if the item has no late threshold, such as a recording.
    pub fn late_limit(self) -> Option<Nanos> {
        self.row().map(|row| row.late_limit).filter(|limit| *limit < Nanos::MAX)
    }

    /// Returns how long the item was measured; 0 for a game tick, whose length is that of its work.
    pub(super) fn length(self) -> Nanos {
        match self {
            Self::Configuration(_, row) if row.figures.get::<GapFigures>().is_some() => {
                let counters = self.trials().map(|trial| trial.counters.get(counter::WALL_NANOS));
                Nanos::new(counters.flatten().fold(0, |sum, wall| wall.saturating_add(sum)))
            }
            Self::Configuration(_, row) => {
                let slots = row.summary.as_ref().map_or(0, |summary| summary.slot_count);
                row.period * i64::try_from(slots).unwrap_or(i64::MAX)
            }
            Self::Recording(..) => self.recording().map_or(Nanos::ZERO, Recording::length),
        }
    }

    /// Returns the value of a metric, in the metric's unit; `None` if the item does not have the metric.
    pub fn value(self, metric: &Metric) -> Option<f64> {
        match self {
            Self::Configuration(_, row) => metric.of(row),
            Self::Recording(_, recording) => recording.figures.value(metric),
        }
    }

    /// Returns the p99 of the values of the item, in whole nanoseconds; `None` with too few values.
    pub(super) fn p99(self) -> Option<Nanos> {
        match self {
            Self::Configuration(_, row) => row.p99(),
            Self::Recording(_, recording) => {
                recording.figures.value(&Metric::P99).map(Nanos::from_nanos_f64)
            }
        }
    }

    /// Returns a 1% or 0.1% low by the definition `by`, in frames per second; `None` for any other
    /// statistic, with too few frames, or if a frame has no length.
    pub fn low(self, statistic: Statistic, by: LowDefinition) -> Option<f64> {
        let lows = match self {
            Self::Configuration(_, row) => {
                let summary = row.summary.as_ref()?;
                [summary.lows, summary.tenth_lows]
            }
            Self::Recording(_, recording) => {
                let CaptureFigures::Frames(frames) = &recording.figures else { return None };
                [frames.one_percent_low, frames.tenth_percent_low]
            }
        };
        let [one, tenth] = lows.map(|lows| lows.map(|lows| lows.by(by)));
        match statistic {
            Statistic::LOW_1 => one,
            Statistic::LOW_0_1 => tenth,
            _ => None,
        }
    }

    /// Returns one track (one kind of value) of the item's samples for resampling; empty if the samples
    /// have no order in time.
    pub(super) fn source(self, track: Track, baseline_limit: Option<Nanos>) -> ResampleSource {
        match self {
            Self::Configuration(run, row) => source_of(run, row, track, baseline_limit),
            Self::Recording(_, figures) => {
                figures.scope.as_ref().map_or_else(ResampleSource::default, |scope| {
                    let factor = scope.view.stutter_factor;
                    source_of_recording(&scope.recording, track, factor, baseline_limit)
                })
            }
        }
    }

    fn recording(self) -> Option<&'a Recording> {
        let Self::Recording(_, figures) = self else { return None };
        Some(&figures.scope.as_ref()?.recording)
    }

    fn trials(self) -> impl Iterator<Item = &'a TrialRun> {
        let positions = self.row().map_or([].as_slice(), |row| row.trials.as_slice());
        positions.iter().filter_map(move |&trial| self.run().trials.get(trial))
    }

    /// Returns when the first round of the item began, relative to the start of the run; `None` if this
    /// time is not known.
    pub fn began(self) -> Option<Nanos> {
        let counters = &self.trials().next()?.counters;
        counters.get(counter::STARTED_IN_RUN_NANOS).copied().map(Nanos::new)
    }

    /// Returns the values of the item in order of time, in nanoseconds; empty if only counts are known.
    pub fn values(self) -> Vec<i64> {
        match self.recording() {
            Some(recording) => recording.present().collect(),
            None => self.trials().flat_map(TrialRun::each_value).collect(),
        }
    }

    /// Returns each value in nanoseconds, ascending, with its count; empty unless only counts are
    /// known.
    pub fn counts(self) -> impl Iterator<Item = (i64, u64)> + 'a {
        let counted = match self {
            Self::Recording(run, figures) => match run.capture() {
                Some(Capture::Histogram(all)) => all.get(figures.position),
                _ => None,
            },
            Self::Configuration(..) => None,
        };
        counted.into_iter().flat_map(|one| one.bins.iter())
    }

    /// Returns the values of the item's first round over time. Each pair holds the time at which the
    /// value was complete, relative to the start of the round, and the value.
    pub fn timeline(self) -> Vec<(Nanos, Nanos)> {
        if let Some(recording) = self.recording() {
            return recording.frame_times_over_time().collect();
        }
        let mut end = Nanos::ZERO;
        let mut line = Vec::new();
        if let Some(trial) = self.trials().next() {
            for (woke, value) in trial.samples.woke_nanos().zip(trial.each_value()) {
                end = Nanos::new(woke).max(end);
                line.push((end, Nanos::new(value)));
            }
        }
        line
    }
}

/// Returns the late threshold that all items share; `None` if it is not the same in all of them.
pub(super) fn late_limit<'a>(mut items: impl Iterator<Item = Item<'a>>) -> Option<Nanos> {
    let limit = items.next()?.late_limit()?;
    items.all(|item| item.late_limit() == Some(limit)).then_some(limit)
}
