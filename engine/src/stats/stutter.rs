//! Stutter: frames that took much longer than the frames around them.

use super::{float, nanos_float, position};
use crate::nanos::Nanos;

/// A frame is stutter if its frame time is more than this many times the moving median.
pub const STUTTER_FACTOR: f64 = 2.5;
/// A longer frame is a pause, such as a menu or a lost focus, and no stutter.
pub const PAUSE: Nanos = Nanos::from_secs(2);
/// The longest window of the moving median, in frames.
const MAX_WINDOW: usize = 999;

/// The stuttering frames of a run: those with a frame time above [`STUTTER_FACTOR`] moving medians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stutter {
    /// Number of stuttering frames.
    pub count: usize,
    /// Sum of the frame times of the stuttering frames.
    pub time: Nanos,
    /// `time` as a share of the sum of all frame times, 0 to 1.
    pub share: f64,
}

impl Stutter {
    /// Finds stutter in frame times in nanoseconds, in order of time. Time: O(n w) for a window of `w` frames.
    pub fn of(times: impl Iterator<Item = i64> + Clone) -> Self {
        Self::above(times, STUTTER_FACTOR)
    }

    /// Finds frames with a frame time above this many moving medians, like [`of`](Self::of).
    pub fn above(times: impl Iterator<Item = i64> + Clone, factor: f64) -> Self {
        let all = times.clone().fold(0, |sum: i64, time| sum.saturating_add(time));
        let (mut count, mut time) = (0, Nanos::ZERO);
        for (own, median) in times.clone().zip(moving_median(times)) {
            if is_stutter(own, median, factor) {
                count += 1;
                time += Nanos::new(own);
            }
        }
        let share = if 0 < all { time.as_f64() / nanos_float(all) } else { 0.0 };
        Self { count, time, share }
    }
}

/// Returns whether a frame time is stutter: more than `factor` times the moving median at this frame, and no pause. Times
/// are in nanoseconds.
pub fn is_stutter(length: i64, median: f64, factor: f64) -> bool {
    length <= PAUSE.get() && factor * median < nanos_float(length)
}

/// Returns the number of frames in the window of the moving median: `10 √(mean frame time in ms)`, rounded, and at
/// most 999. An even number is increased by 1, so that one frame is in the middle of the window.
pub fn window(times: impl Iterator<Item = i64>) -> usize {
    let (sum, count) =
        times.fold((0.0, 0), |(sum, count), time| (sum + nanos_float(time), count + 1));
    if count == 0 {
        return 1;
    }
    let mean = sum / float(count);
    let frames = position((10.0 * (mean / 1e6).max(0.0).sqrt()).round());
    (frames | 1).min(MAX_WINDOW)
}

/// Returns for each frame the median of its frame time and the frame times around it, in nanoseconds. The
/// window is shorter at both ends of the run.
pub fn moving_median(times: impl Iterator<Item = i64> + Clone) -> impl Iterator<Item = f64> {
    let half = window(times.clone()) / 2;
    let mut around: Vec<i64> = Vec::with_capacity(2 * half + 1);
    let (mut entering, mut leaving) = (times.clone(), times.clone());
    let mut entered = 0;
    times.enumerate().map(move |(at, _)| {
        while entered <= at + half {
            let Some(time) = entering.next() else { break };
            around.insert(around.partition_point(|&other| other < time), time);
            entered += 1;
        }
        if half < at
            && let Some(left) = leaving.next()
        {
            let place = around.partition_point(|time| *time < left);
            if place < around.len() {
                around.remove(place);
            }
        }
        middle(&around)
    })
}

/// Returns the median of sorted values: the mean of the two middle values if their number is even.
fn middle(sorted: &[i64]) -> f64 {
    let at = |index: usize| sorted.get(index).copied().map_or(0.0, nanos_float);
    let last = sorted.len().saturating_sub(1);
    f64::midpoint(at(last / 2), at(last.div_ceil(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn moving_median_equals_the_median_of_each_window() {
        let times: Vec<i64> = (0..300_i64).map(|k| MS + k * 7_919 % 5_003).collect();
        let half = window(times.iter().copied()) / 2;
        assert_eq!(window(times.iter().copied()), 11);
        for (at, median) in moving_median(times.iter().copied()).enumerate() {
            let mut around =
                times[at.saturating_sub(half)..(at + half + 1).min(times.len())].to_vec();
            around.sort_unstable();
            let (low, high) = (around[(around.len() - 1) / 2], around[around.len() / 2]);
            let expected = f64::midpoint(nanos_float(low), nanos_float(high));
            assert!((median - expected).abs() < 1e-6, "frame {at}: {median}, not {expected}");
        }
    }

    #[test]
    fn a_spike_is_stutter_and_a_slow_stretch_is_not() {
        let mut times = vec![8 * MS; 1_000];
        times[500] = 21 * MS;
        times[700] = 20 * MS;
        assert_eq!(
            Stutter::of(times.iter().copied()).count,
            1,
            "2.5 medians alone are not above 2.5 medians"
        );
        times[600..].fill(40 * MS);
        let stutter = Stutter::of(times.iter().copied());
        assert!((1..=20).contains(&stutter.count), "only frames at the step: {stutter:?}");
        assert_eq!(Stutter::of(std::iter::empty()), Stutter::default());
        assert_eq!(Stutter::of(std::iter::repeat_n(0, 10)), Stutter::default());
    }
}
