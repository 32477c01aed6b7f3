//! What a timeline draws: built sample by sample, so that a live plot pays only for what is new.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Cause, LateSample};
use jitterscope_engine::sample::{Sample, Samples};
use jitterscope_engine::stats::Pyramid;

/// A frame that was not finished when the next one was due, or before which slots passed empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missed {
    /// When it woke, in seconds.
    pub secs: f64,
    /// Nanoseconds from the wake-up before to the one that shows the miss.
    pub period_nanos: f64,
    /// Position of the sample.
    pub index: usize,
}

/// A late sample whose cause was looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateMark {
    /// When it woke, in seconds.
    pub secs: f64,
    /// How late it was.
    pub late: Nanos,
    /// Why.
    pub cause: Cause,
    /// Position of the sample.
    pub index: usize,
    /// Whether the list next to it shows it, too.
    pub is_listed: bool,
}

/// Period and lateness of every sample, ready to be drawn at any zoom.
#[derive(Clone, Debug)]
pub struct TimelineData {
    /// What the values are, in lower case.
    pub value_name: &'static str,
    pub(super) frame: Nanos,
    pub(super) late_limit: Nanos,
    pub(super) periods: Pyramid,
    pub(super) lateness: Pyramid,
    pub(super) missed: Vec<Missed>,
    pub(super) late: Vec<LateMark>,
    late_count: usize,
    before: Option<Sample>,
}

impl TimelineData {
    /// Nothing yet, for a loop of that frame; later than the limit counts as late.
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
        }
    }

    /// Takes the samples that it does not have yet. Time: O(new).
    pub fn extend(&mut self, samples: &Samples) {
        for sample in samples.iter_from(self.lateness.len()) {
            self.push(&sample);
        }
    }

    /// Takes one sample.
    pub fn push(&mut self, sample: &Sample) {
        let index = self.lateness.len();
        // Time does not go backward, whatever a file contains.
        let at = sample.woke.max(self.lateness.end());
        let secs = at.as_secs();
        let late = sample.late();
        // The first frame has none before it: its period is as far off as its wake-up.
        let period = self.before.map_or(self.frame + late, |before| sample.woke - before.woke);
        self.periods.push(at, period);
        self.lateness.push(at, late);
        self.late_count += usize::from(self.late_limit < late);
        let unfinished = sample.due + self.frame < sample.done;
        let step = self.before.map_or(self.frame, |before| sample.due - before.due);
        let skipped = self.frame < step && step.get() % self.frame.get().max(1) == 0;
        if Nanos::ZERO < self.frame && (unfinished || skipped) {
            self.missed.push(Missed { secs, period_nanos: period.as_f64(), index });
        }
        self.before = Some(*sample);
    }

    /// Marks the late samples with their causes, in place of those marked before; those that are not listed are faint.
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

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.lateness.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lateness.is_empty()
    }

    /// Lateness above which a sample counts as late.
    pub const fn late_limit(&self) -> Nanos {
        self.late_limit
    }

    /// How many samples are later than the limit.
    pub const fn late_count(&self) -> usize {
        self.late_count
    }

    /// The missed frames, in order of time.
    pub fn missed(&self) -> &[Missed] {
        &self.missed
    }

    /// Seconds at which the last sample woke; 0 without one.
    pub fn end_secs(&self) -> f64 {
        self.lateness.end().as_secs()
    }

    /// When a sample woke, its period and its lateness.
    pub fn sample(&self, index: usize) -> Option<(f64, Nanos, Nanos)> {
        let (secs, _) = self.periods.point(index)?;
        Some((secs, self.periods.value(index)?, self.lateness.value(index)?))
    }
}

#[cfg(test)]
mod tests {
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
        let mut samples: Samples = (1..=3).map(|k| sample(k, 1_000)).collect();
        let mut data = data();
        data.extend(&samples);
        samples.push(&sample(4, 17_400_000));
        data.extend(&samples);
        data.extend(&samples);
        assert_eq!((data.len(), data.late_count()), (4, 1));
        let (secs, period, late) = data.sample(3).unwrap();
        assert!((secs - 0.084_066_668).abs() < 1e-9);
        assert_eq!(period, Nanos::new(FRAME + 17_399_000));
        assert_eq!(late, Nanos::new(17_400_000));
        assert_eq!(data.missed().iter().map(|missed| missed.index).collect::<Vec<_>>(), [3]);
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
