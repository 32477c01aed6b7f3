//! Finds when the rows of a log were written on the clock of this program.
//!
//! The log has its own times, of which neither the start nor the time of day is known, but whose rate is nearly that of
//! the raw monotonic clock. A row arrives some time after it was written: arrival − time of the row is a constant plus this
//! delay, and the smallest of all rows is the constant plus the shortest delay. Example: rows are written at 0, 10 and
//! 20 ms of the log and arrive at 1 003.1, 1 010.2 and 1 021.4 ms: the differences are 1 003.1, 1 000.2 and 1 001.4, so
//! that the log began at 1 000.2 ms or up to one shortest delay before.
//!
//! Clocks that the system corrects, and sums of rounded frame times, run up to about 50 µs per second faster or slower. A log
//! that falls behind would stay where its first rows put it: 20 µs per second are 144 ms after two hours. So the
//! smallest difference grows by as much as clocks may differ, until a row that arrived as fast as the others brings it back.

use crate::nanos::Nanos;

/// The shortest time between writing and reading that is assumed where it could not be measured.
const DEFAULT_DELAY: Nanos = Nanos::from_millis(3);
/// Two clocks drift apart by at most one nanosecond in this many: 50 µs per second.
const DRIFT: i64 = 20_000;
/// A log without a clock has paused if its next row arrives this much later than its frame time shows.
const MAX_DELAY: Nanos = Nanos::from_secs(1);

/// The begin of a log, from the rows so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alignment {
    /// The smallest difference of the rows with even and with odd positions: two samples that show how much it varies.
    smallest: [Option<Nanos>; 2],
    count: u64,
    /// When the newest row arrived.
    newest: Option<Nanos>,
    /// The shortest delay from writing to reading in a file of this program.
    own_delay: Option<Nanos>,
}

impl Alignment {
    /// Creates an alignment; `own_delay` is the shortest measured delay from writing to reading a row.
    pub(super) const fn new(own_delay: Option<Nanos>) -> Self {
        Self { smallest: [None; 2], count: 0, newest: None, own_delay }
    }

    /// Adds a row that was written at `at` by the clock of the log, and arrived at `arrived`.
    pub(super) fn add(&mut self, at: Nanos, arrived: Nanos) {
        let difference = arrived - at;
        let is_odd = self.count % 2 == 1;
        self.count += 1;
        let drift = self.newest.map_or(Nanos::ZERO, |newest| arrived - newest);
        let drift = Nanos::new(drift.get().max(0) / DRIFT);
        self.newest = Some(arrived);
        for smallest in self.smallest.iter_mut().flatten() {
            *smallest += drift;
        }
        let [even, odd] = &mut self.smallest;
        let own = if is_odd { odd } else { even };
        *own = Some(own.map_or(difference, |own| own.min(difference)));
    }

    /// Whether a row of a log without a clock begins another part: the log was off since the row before, and the sum of its
    /// frame times shows nothing of that time.
    pub(super) fn is_after_pause(&self, frame_time: Nanos, arrived: Nanos) -> bool {
        self.newest.is_some_and(|newest| MAX_DELAY < arrived - newest - frame_time)
    }

    /// Returns when the clock of the log was 0; `None` before the first row.
    pub(super) fn begin(&self) -> Option<Nanos> {
        self.smallest.into_iter().flatten().min()
    }

    /// Returns by how much [`begin`](Self::begin) may be too late or too early; `None` before the second row.
    pub(super) fn uncertainty(&self) -> Option<Nanos> {
        let [Some(even), Some(odd)] = self.smallest else { return None };
        let spread = Nanos::new((even - odd).get().abs());
        Some(self.own_delay.unwrap_or(DEFAULT_DELAY) + spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_that_arrived_fastest_decides() {
        let mut alignment = Alignment::new(Some(Nanos::from_micros(40)));
        assert_eq!((alignment.begin(), alignment.uncertainty()), (None, None));
        for (at, arrived) in [(0, 10_031), (100, 10_102), (200, 10_214), (300, 10_305)] {
            alignment.add(Nanos::from_micros(at), Nanos::from_micros(arrived));
        }
        let begin = alignment.begin().unwrap() - Nanos::from_micros(10_002);
        assert!((Nanos::ZERO..Nanos::new(100)).contains(&begin), "{begin:?}");
        // The even rows have 10 014, the odd ones 10 002.
        let spread = alignment.uncertainty().unwrap() - Nanos::from_micros(52);
        assert!(spread.get().abs() < 100, "{spread:?}");
    }

    #[test]
    fn a_clock_that_runs_slower_or_faster_is_followed() {
        for drift in [-40.0, 40.0] {
            let mut alignment = Alignment::new(None);
            let mut truth = 0.0;
            // Two hours at 60 FPS; each 30th row is read at once, the others up to 3 ms later.
            for row in 0..432_000_u32 {
                let written = f64::from(row) / 60.0;
                let late = if row % 30 == 0 { 0.0 } else { f64::from(row % 29) / 10_000.0 };
                let at = written * (1.0 - drift / 1e6);
                truth = written - at;
                let nanos = |secs: f64| Nanos::from_nanos_f64(secs * 1e9);
                alignment.add(nanos(at), nanos(5.0 + written + late));
            }
            let off = alignment.begin().unwrap().as_secs() - 5.0 - truth;
            assert!(off.abs() < 300e-6, "{drift}: {off}");
        }
    }

    #[test]
    fn a_log_without_a_clock_that_was_off_begins_again() {
        let mut alignment = Alignment::new(None);
        let at = Nanos::from_millis;
        assert!(!alignment.is_after_pause(at(16), at(5_000)));
        alignment.add(at(16), at(5_000));
        assert!(!alignment.is_after_pause(at(16), at(5_900)), "a late row");
        assert!(!alignment.is_after_pause(at(4_000), at(9_000)), "one long frame");
        assert!(alignment.is_after_pause(at(16), at(9_000)));
    }
}
