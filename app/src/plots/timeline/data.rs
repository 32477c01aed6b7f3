//! The data of a timeline, extended sample by sample, so that a live plot processes only new
//! samples.

use std::ops::Range;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Cause, LateSample};
use jitterscope_engine::run::TrialRun;
use jitterscope_engine::sample::Sample;
use jitterscope_engine::stats::{Pyramid, Steps};

/// A frame that was not finished by its deadline, or that follows skipped slots: scheduled times at
/// which no frame started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missed {
    /// When the frame woke, in seconds.
    pub secs: f64,
    /// Frame time: nanoseconds since the wake-up of the previous frame.
    pub period_nanos: f64,
    /// Position of the frame among all samples, from 0.
    pub index: usize,
    /// Number of missed frames: the skipped slots before the frame, and the frame itself if it was
    /// not finished by its deadline.
    pub count: usize,
}

/// A late sample with its cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateMark {
    /// When the sample woke, in seconds.
    pub secs: f64,
    /// Lateness of the sample.
    pub late: Nanos,
    /// Cause of the lateness.
    pub cause: Cause,
    /// Position of the sample among all samples, from 0.
    pub index: usize,
    /// Whether the sample is also in the list of late samples next to the plot.
    pub is_listed: bool,
}

/// Frame time and lateness of every sample, ready to be drawn at any zoom.
#[derive(Clone, Debug)]
pub struct TimelineData {
    /// Name of the lateness values in axis labels and descriptions, in lower case.
    pub value_name: &'static str,
    pub(super) frame: Nanos,
    /// The late threshold.
    pub late_limit: Nanos,
    pub(super) periods: Pyramid,
    pub(super) lateness: Pyramid,
    pub(super) missed: Vec<Missed>,
    pub(super) late: Vec<LateMark>,
    /// The number of samples whose lateness is above the late threshold.
    pub late_count: usize,
    before: Option<Sample>,
    steps: Steps,
    /// Number of lost samples so far.
    lost_count: u64,
}

impl TimelineData {
    /// Creates data without samples for a loop whose target frame time is `frame`. `late_limit` is
    /// the late threshold.
    pub fn new(frame: Nanos, late_limit: Nanos) -> Self {
        Self {
            value_name: "lateness",
            frame,
            late_limit,
            periods: Pyramid::default(),
            lateness: Pyramid::default(),
            missed: Vec::new(),
            late: Vec::new(),
            late_count: 0,
            before: None,
            steps: Steps::new(frame, true),
            lost_count: 0,
        }
    }

    /// Adds the samples of a trial that were recorded since the last call. Time: O(n) for n new
    /// samples.
    pub fn extend(&mut self, trial: &TrialRun) {
        self.steps.is_skipping = trial.trial.pace.is_skipping();
        self.set_lost(trial.lost_count);
        for sample in trial.samples.iter_from(self.lateness.len()) {
            self.push(&sample);
        }
    }

    /// Sets the number of lost samples so far, whose slots are not missed frames.
    pub fn set_lost(&mut self, count: u64) {
        self.steps.lose(count.saturating_sub(self.lost_count));
        self.lost_count = count;
    }

    /// Adds a sample.
    pub fn push(&mut self, sample: &Sample) {
        let index = self.lateness.len();
        // A damaged file may contain decreasing times, but a `Pyramid` needs times in order.
        let at = sample.woke.max(self.lateness.end());
        let secs = at.as_secs();
        let late = sample.late();
        // The first frame has no previous one: its frame time is the target frame time plus its
        // lateness.
        let period = self.before.map_or(self.frame + late, |before| sample.woke - before.woke);
        self.periods.push(at, period);
        self.lateness.push(at, late);
        self.late_count += usize::from(self.late_limit < late);
        let count = self.missed_at(sample);
        if 0 < count {
            self.missed.push(Missed { secs, period_nanos: period.as_f64(), index, count });
        }
        self.before = Some(*sample);
    }

    /// Returns the number of missed frames up to this new sample: skipped slots, and the frame
    /// itself if it was not finished by its deadline.
    fn missed_at(&mut self, sample: &Sample) -> usize {
        if self.frame <= Nanos::ZERO {
            return 0;
        }
        let step = self.before.map(|before| self.steps.step((&before).into(), sample.into()));
        let skipped = step.map_or(0, |step| usize::try_from(step.empty_count).unwrap_or(0));
        skipped + usize::from(sample.due + self.frame < sample.done)
    }

    /// Replaces the marks of late samples. The flag of each sample states whether the list next to
    /// the plot contains the sample; other samples are drawn faintly.
    pub fn mark_late<'a>(&mut self, late: impl IntoIterator<Item = (&'a LateSample, bool)>) {
        self.late = late
            .into_iter()
            .map(|(one, is_listed)| LateMark {
                is_listed,
                secs: one.sample.woke.as_secs(),
                late: one.sample.late(),
                cause: one.cause,
                index: one.index,
            })
            .collect();
        self.late.sort_by_key(|mark| mark.index);
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.lateness.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.lateness.is_empty()
    }

    /// Returns the number of missed frames among the samples at these positions, with the skipped
    /// slots before them.
    pub fn missed_count(&self, range: &Range<usize>) -> usize {
        let start = self.missed.partition_point(|missed| missed.index < range.start);
        let rest = self.missed.iter().skip(start);
        rest.take_while(|missed| missed.index < range.end).map(|missed| missed.count).sum()
    }

    /// Returns when the last sample woke, in seconds; 0 without samples.
    pub fn end_secs(&self) -> f64 {
        self.lateness.end().as_secs()
    }

    /// Returns for a sample when it woke in seconds, its frame time, and its lateness.
    pub fn sample(&self, index: usize) -> Option<(f64, Nanos, Nanos)> {
        let (secs, _) = self.periods.point(index)?;
        Some((secs, self.periods.value(index)?, self.lateness.value(index)?))
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::plan::{CpuFacts, FrameLoop, Probe as _};

    use super::*;

    const FRAME: i64 = 16_666_667;

    fn sample(k: i64, late: i64) -> Sample {
        let due = k * FRAME;
        Sample {
            began: Nanos::new(due - FRAME / 2),
            due: Nanos::new(due),
            slept: None,
            woke: Nanos::new(due + late),
            done: Nanos::new(due + late + 2_000_000),
            spins: 0,
            cpu: None,
        }
    }

    fn data() -> TimelineData {
        TimelineData::new(Nanos::new(FRAME), Nanos::new(FRAME / 20))
    }

    #[test]
    fn only_new_samples_are_taken() {
        let mut trial = {
            let stages = FrameLoop::default().stages(&CpuFacts::default());
            TrialRun::new(0, stages[0].trials[0].clone(), stages[0].load)
        };
        trial.samples = (1..=3).map(|k| sample(k, 1_000)).collect();
        let mut data = data();
        data.extend(&trial);
        trial.samples.push(&sample(4, 17_400_000));
        data.extend(&trial);
        data.extend(&trial);
        assert_eq!((data.len(), data.late_count), (4, 1));
        let (secs, period, late) = data.sample(3).unwrap();
        assert!((secs - 0.084_066_668).abs() < 1e-9);
        assert_eq!(period, Nanos::new(FRAME + 17_399_000));
        assert_eq!(late, Nanos::new(17_400_000));
        assert_eq!(data.missed.iter().map(|missed| missed.index).collect::<Vec<_>>(), [3]);
        // The slots 5, 6, and 7 are skipped.
        data.push(&sample(8, 1_000));
        assert_eq!((data.missed_count(&(0..4)), data.missed_count(&(0..5))), (1, 4));
        // The samples of the slots 9 and 10 were lost.
        data.set_lost(2);
        data.push(&sample(11, 1_000));
        assert_eq!(data.missed_count(&(0..6)), 4);
    }

    #[test]
    fn one_spike_in_a_million_is_drawn_at_full_zoom_out() {
        let mut data = data();
        for k in 1..=1_000_000 {
            data.push(&sample(k, if k == 765_432 { 17_400_000 } else { k % 900 }));
        }
        for pyramid in [&data.lateness, &data.periods] {
            let drawn = pyramid.query(0.0, data.end_secs(), 1_300);
            assert!(drawn.len() < 5_300);
            assert!(drawn.iter().any(|point| 17_300_000.0 < point.1));
        }
    }
}
