//! Decides live which frames are stutter, by the frames before them; a report decides again by the frames around them.

use std::collections::VecDeque;

use crate::nanos::Nanos;
use crate::stats::stutter;

/// Longer frame times are pauses, not stutter.
pub(super) const MAX_STUTTER: Nanos = Nanos::from_secs(2);
/// Number of frames before the first one that may be stutter.
const MIN_FRAMES: usize = 10;
/// The largest number of frames that are needed.
const MAX_FRAMES: usize = 999;

/// The frames before the next one.
#[derive(Debug, Default)]
pub(super) struct LiveStutter {
    before: VecDeque<i64>,
    sorted: Vec<i64>,
}

impl LiveStutter {
    /// Adds a frame, and returns whether it is stutter: above `factor` moving medians.
    pub(super) fn add(&mut self, frame_time: Nanos, factor: f64) -> bool {
        if MAX_STUTTER < frame_time {
            return false;
        }
        let Self { before, sorted } = self;
        let length = stutter::window(before.iter().copied());
        let is_stutter = MIN_FRAMES <= before.len() && {
            sorted.clear();
            sorted.extend(before.iter().rev().take(length));
            sorted.sort_unstable();
            let [low, high] = [(sorted.len() - 1) / 2, sorted.len() / 2];
            let at =
                |place: usize| sorted.get(place).copied().map_or(0.0, crate::stats::nanos_float);
            stutter::is_stutter(frame_time.get(), f64::midpoint(at(low), at(high)), factor)
        };
        before.push_back(frame_time.get());
        if MAX_FRAMES < before.len() {
            before.pop_front();
        }
        is_stutter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_frame_is_stutter_and_a_pause_or_the_first_frames_are_not() {
        let mut live = LiveStutter::default();
        assert!(!live.add(Nanos::from_millis(300), 2.5), "there is no median yet");
        for _ in 0..60 {
            assert!(!live.add(Nanos::from_millis(16), 2.5));
        }
        assert!(
            !live.add(Nanos::from_millis(40), 2.5),
            "2.5 medians are not more than 2.5 medians"
        );
        assert!(live.add(Nanos::from_micros(40_001), 2.5));
        assert!(!live.add(Nanos::from_secs(3), 2.5), "a pause");
        // A slow stretch is stutter only at its begin.
        let slow = (0..100).filter(|_| live.add(Nanos::from_millis(50), 2.5)).count();
        assert!((1..=30).contains(&slow), "{slow}");
    }
}
