//! Whether events keep time: the period of a source of delay, such as a program that works every 2 s.
//!
//! Events often come in groups: a program that computes for 50 ms delays three frames in a row. So the first event of each
//! group counts, and the interval from one group to the next. If one program wakes every 2 s, most intervals are close to
//! 2 s, and where an event delayed nobody, close to 4 or 6 s. Example: groups at 1.0, 3.0, 5.0, 9.0, and 11.0 s have the
//! intervals 2, 2, 4, and 2 s. Their median is 2 s, all are within 3% of a multiple of it, and the period is the time
//! from the first group to the last by the sum of the multiples, 10 s / 5 = 2 s.
//!
//! A period that is not there would be worse than none that is not seen. Independent events have exponential intervals: one
//! of them is within 3% of one to four times the median with a probability of about 0.04, whatever the rate. With four
//! intervals all have to, of which the median fits itself: 0.04³, about 1 in 16 000. With more, one in six may not. A
//! Fourier transform or an autocorrelation sees weaker rhythms, but needs hundreds of events for so rare a mistake.

use crate::nanos::Nanos;

/// The smallest number of intervals between groups from which a period is concluded.
const MIN_INTERVALS: usize = 4;
/// Largest difference from a multiple of the median interval, as a share of the median.
const TOLERANCE: f64 = 0.03;
/// Largest multiple of the period that is taken for one interval: the events between delayed nobody.
const MAX_MULTIPLE: f64 = 4.0;
/// No more intervals are collected: a source of an hour of late frames shows its period in the first ones.
const MAX_INTERVALS: usize = 10_000;
/// One in this many intervals may be no multiple of the period.
const INTERVALS_PER_MISS: usize = 6;

/// Collects events of one source in ascending order of time, and finds their period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rhythm {
    /// The first event of the current group, and the last one; `None` before the first event.
    group: Option<(Nanos, Nanos)>,
    intervals: Vec<Nanos>,
}

impl Rhythm {
    /// Adds an event. It belongs to the group of the event before if it follows within `together`.
    pub fn add(&mut self, at: Nanos, together: Nanos) {
        match &mut self.group {
            Some((_, last)) if at - *last <= together => *last = at,
            group => {
                if let Some((first, _)) = group.replace((at, at))
                    && self.intervals.len() < MAX_INTERVALS
                {
                    self.intervals.push(at - first);
                }
            }
        }
    }

    /// Ends a series of events: the interval to the next event is not one of the source.
    pub const fn end(&mut self) {
        self.group = None;
    }

    /// Returns the period; `None` if the events keep none, or are too few to tell. Time: O(n log n).
    pub fn period(&self) -> Option<Nanos> {
        let count = self.intervals.len();
        if count < MIN_INTERVALS {
            return None;
        }
        let mut sorted = self.intervals.clone();
        sorted.sort_unstable();
        let median = sorted.get(count / 2)?.as_f64();
        let fits = |interval: &&Nanos| {
            let ratio = interval.as_f64() / median;
            let multiple = ratio.round();
            (1.0..=MAX_MULTIPLE).contains(&multiple) && (ratio - multiple).abs() <= TOLERANCE
        };
        let (mut sum, mut periods, mut fitting) = (0.0, 0.0, 0);
        for interval in self.intervals.iter().filter(fits) {
            sum += interval.as_f64();
            periods += (interval.as_f64() / median).round();
            fitting += 1;
        }
        let is_steady =
            0.0 < median && count - fitting <= (count - MIN_INTERVALS) / INTERVALS_PER_MISS;
        is_steady.then(|| Nanos::from_nanos_f64(sum / periods))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period_of(millis: impl IntoIterator<Item = f64>) -> Option<i64> {
        let mut rhythm = Rhythm::default();
        for at in millis {
            rhythm.add(Nanos::from_nanos_f64(at * 1e6), Nanos::from_millis(100));
        }
        rhythm.period().map(|period| period.get() / 1_000_000)
    }

    #[test]
    fn groups_of_late_frames_have_the_period_of_the_program_behind_them() {
        // Three frames each, every 2.02 s, of which one beat delayed nobody.
        let beats = [0, 1, 2, 3, 5, 6, 7].map(|beat| f64::from(beat) * 2_020.0);
        let frames = beats.into_iter().flat_map(|beat| [beat, beat + 16.7, beat + 33.4]);
        assert_eq!(period_of(frames), Some(2_020));
        assert_eq!(period_of([1_000.0, 3_000.0, 5_000.0, 9_000.0]), None, "too few");
        assert_eq!(period_of([1_000.0, 3_000.0, 5_000.0, 9_000.0, 11_000.0]), Some(2_000));
        assert_eq!(period_of([1_000.0, 3_000.0, 5_000.0, 9_000.0, 11_900.0]), None);
        assert_eq!(period_of([5.0; 40]), None, "one group");
    }

    #[test]
    fn what_comes_between_two_series_is_no_interval() {
        let mut rhythm = Rhythm::default();
        for _ in 0..3 {
            for beat in 0..3 {
                rhythm.add(Nanos::from_millis(500 * beat), Nanos::from_millis(100));
            }
            rhythm.end();
        }
        assert_eq!(rhythm.period(), Some(Nanos::from_millis(500)));
    }

    #[test]
    fn independent_events_seldom_have_a_period_and_an_unsteady_one_is_found() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut found = [0; 2];
        for _ in 0..4_000 {
            let count = random.u32(5..60);
            let (mut at, mut times) = (0.0, Vec::new());
            for _ in 0..count {
                at -= 900.0 * random.f64().max(1e-12).ln();
                times.push(at);
            }
            found[0] += u32::from(period_of(times).is_some());
            // Every 900 ms within 1%, one beat in eight missing.
            let beats = (0..count).filter(|beat| beat % 8 != 5);
            let times: Vec<f64> =
                beats.map(|beat| 900.0 * (f64::from(beat) + 0.02 * random.f64() - 0.01)).collect();
            found[1] += u32::from(period_of(times.clone()).is_some() || times.len() < 5);
        }
        println!(
            "of 4 000: {} without a period have one, {} with one have one",
            found[0], found[1]
        );
        assert!(found[0] <= 20 && 3_900 <= found[1], "{found:?}");
    }
}
