//! Whether a few events keep time: "every 60.0 s, 9 of 10".
//!
//! **The idea.** Events that keep time are at the beats of a clock, of which a few are missing. With `n` events and `m` missing
//! beats, the period is the time from the first event to the last by `n − 1 + m`, and each interval is close to a multiple of
//! it. At 0, 2.0, 4.1, 8.0, and 10.0 s, one beat is missing: the period is 10 s / 5 = 2 s, and the intervals of 2.0, 2.1, 3.9,
//! and 2.0 s are 1, 1, 2, and 1 of it, within 12% of 2 s.
//!
//! **How often chance does it.** Between the first and the last of `n` random events, the intervals are a random point of a
//! simplex, whose density is (n − 2)!. Each choice of the intervals that contain missing beats allows a box around one point,
//! with sides of 2 × 12% / (n − 1 + m), and there are C(n − 2 + m, m) such choices. The sum of these volumes is the chance of up
//! to `m` missing beats: 0.4% for five events and one missing beat, and 0.01% for six and none. It is multiplied by the number of
//! causes that are looked at, and a period is stated only below 1%.
//!
//! **Why not [`Rhythm`](super::Rhythm).** That one collects events of hours, where misses are many and a period is known to 3%.
//! Five stutters need the exact number of missing beats, and a period of a program with other work is known to 5% only.
//!
//! **How long it takes.** Each number of missing beats needs one look at all intervals, so no more than a thousand events are
//! looked at; more of them are a matter of `Rhythm`. The volumes are summed up as logarithms: their factors leave the range of
//! numbers from some hundred events on.

use super::float;
use crate::nanos::Nanos;

/// The smallest number of events from which a period is concluded.
const MIN_EVENTS: usize = 5;
/// The largest number of events from which a period is concluded.
const MAX_EVENTS: usize = 1_000;
/// Events within this time of the one before belong to it: one delay can reach two frames.
const TOGETHER: Nanos = Nanos::from_millis(250);
/// Largest difference of an interval from a multiple of the period, as a share of the period: twice 5%, since both of its ends
/// are off, and what the period itself is off.
const TOLERANCE: f64 = 0.12;
/// One in this many beats may be missing, and at least one.
const BEATS_PER_MISS: usize = 8;
/// A period is stated where chance has one in fewer cases.
const MAX_CHANCE: f64 = 0.01;

/// A period of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// The time from one beat to the next.
    pub period: Nanos,
    /// Number of beats with an event.
    pub seen: usize,
    /// Number of beats from the first event to the last one.
    pub beats: usize,
}

impl Beat {
    /// Returns the period of events, in order of time; `None` if they keep none, or are too few to tell. `looked` is the number
    /// of causes of which this is one.
    pub fn find(events: impl IntoIterator<Item = Nanos>, looked: usize) -> Option<Self> {
        let groups = first_of_groups(events, TOGETHER);
        let seen = groups.len();
        let span = groups.last().copied().zip(groups.first().copied());
        let (last, first) = span.filter(|_| (MIN_EVENTS..=MAX_EVENTS).contains(&seen))?;
        let intervals: Vec<f64> = groups
            .iter()
            .zip(groups.iter().skip(1))
            .map(|(from, to)| (*to - *from).as_f64())
            .collect();
        let (mut chance, mut terms) = (0.0, Terms::of(seen));
        for missing in 0..=seen.div_ceil(BEATS_PER_MISS - 1).max(1) {
            let steps = seen - 1 + missing;
            let is_allowed = missing <= (steps + 1).div_ceil(BEATS_PER_MISS).max(1);
            chance += terms.next(missing);
            if !is_allowed || MAX_CHANCE <= chance * float(looked.max(1)) {
                return None;
            }
            let period = (last - first).as_f64() / float(steps);
            let multiples = intervals.iter().map(|interval| (interval / period).round());
            let fits = intervals.iter().zip(multiples.clone()).all(|(interval, multiple)| {
                1.0 <= multiple && (interval - multiple * period).abs() <= TOLERANCE * period
            });
            if fits && super::position(multiples.sum()) == steps {
                let period = Nanos::from_nanos_f64(period);
                return Some(Self { period, seen, beats: steps + 1 });
            }
        }
        None
    }
}

/// Returns the first of each group of events: an event within `together` of the one before belongs to its group.
pub(super) fn first_of_groups(
    events: impl IntoIterator<Item = Nanos>,
    together: Nanos,
) -> Vec<Nanos> {
    let mut groups = Vec::new();
    let mut last: Option<Nanos> = None;
    for event in events {
        if last.is_none_or(|last| together < event - last) {
            groups.push(event);
        }
        last = Some(event);
    }
    groups
}

/// The terms of an upper bound of the probability that random events keep time with up to a number of missing beats:
/// (n − 2)! × C(n − 2 + m, m) × side^(n − 2).
struct Terms {
    events: usize,
    /// ln (n − 2)!
    factorial: f64,
    /// ln C(n − 2 + m, m) of the last term.
    choices: f64,
}

impl Terms {
    fn of(events: usize) -> Self {
        let factorial = (1..=events - 2).map(|factor| float(factor).ln()).sum();
        Self { events, factorial, choices: 0.0 }
    }

    /// Returns the term of a number of missing beats: 0, and then one more each time.
    fn next(&mut self, missing: usize) -> f64 {
        let dimensions = self.events - 2;
        if 0 < missing {
            self.choices += (float(dimensions + missing) / float(missing)).ln();
        }
        let side = 2.0 * TOLERANCE / float(self.events - 1 + missing);
        (self.factorial + self.choices + float(dimensions) * side.ln()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(seconds: &[f64], looked: usize) -> Option<Beat> {
        Beat::find(seconds.iter().map(|at| Nanos::from_nanos_f64(at * 1e9)), looked)
    }

    #[test]
    fn beats_are_counted_and_a_missing_one_is_stated() {
        let beat =
            |millis, seen, beats| Some(Beat { period: Nanos::from_millis(millis), seen, beats });
        assert_eq!(find(&[0.0, 2.0, 4.1, 8.0, 10.0], 1), beat(2_000, 5, 6));
        // Two frames of one delay are one event.
        assert_eq!(find(&[0.0, 0.02, 2.0, 2.02, 4.0, 6.0, 8.0], 1), beat(2_000, 5, 5));
        assert_eq!(find(&[0.0, 2.0, 4.0, 6.0], 1), None, "too few");
        assert_eq!(find(&[0.0, 2.0, 4.0, 10.0, 12.0], 1), None, "two of seven are missing");
        assert_eq!(find(&[0.0, 2.0, 4.5, 8.0, 10.0], 1), None);
        // Among three causes, one of them seems to keep time more often.
        assert_eq!(find(&[0.0, 2.0, 4.1, 8.0, 10.0], 3), None);
        assert_eq!(find(&[0.0, 2.0, 4.1, 6.0, 8.0], 3), beat(2_000, 5, 5));
    }

    #[test]
    fn many_events_are_looked_at_up_to_a_limit() {
        let beats = |count: usize| (0..count).map(|at| 2.0 * float(at)).collect::<Vec<_>>();
        let found = Beat { period: Nanos::from_secs(2), seen: MAX_EVENTS, beats: MAX_EVENTS };
        assert_eq!(find(&beats(MAX_EVENTS), 1), Some(found));
        assert_eq!(find(&beats(MAX_EVENTS + 1), 1), None);
        // The last event is off: each number of missing beats is tried in vain.
        let mut off = beats(MAX_EVENTS - 1);
        off.push(2.0 * float(MAX_EVENTS) + 1.0);
        assert_eq!(find(&off, 1), None);
        assert_eq!(find(&beats(200_000), 1), None);
    }

    #[test]
    fn random_recordings_seldom_keep_time() {
        const RECORDINGS: usize = 10_000;
        let mut random = fastrand::Rng::with_seed(54);
        for looked in [1, 3] {
            let stated = (0..RECORDINGS).filter(|_| {
                (0..looked).any(|_| {
                    let count = random.usize(5..=50);
                    let mut times: Vec<f64> = (0..count).map(|_| 1_800.0 * random.f64()).collect();
                    times.sort_by(f64::total_cmp);
                    find(&times, looked).is_some()
                })
            });
            let stated = stated.count();
            println!(
                "{looked} causes: of {RECORDINGS} random recordings, {stated} are said to keep time"
            );
            assert!(stated <= RECORDINGS / 100, "{stated}");
            // The smallest number of events, where chance keeps time most often.
            let few = (0..RECORDINGS).filter(|_| {
                (0..looked).any(|_| {
                    let mut times: Vec<f64> = (0..5).map(|_| 1_800.0 * random.f64()).collect();
                    times.sort_by(f64::total_cmp);
                    find(&times, looked).is_some()
                })
            });
            let few = few.count();
            println!("{looked} causes of five events each: {few}");
            assert!(few <= RECORDINGS / 100, "{few}");
        }
    }

    #[test]
    fn a_period_is_found_although_beats_are_missing_and_late() {
        const RECORDINGS: usize = 10_000;
        let mut random = fastrand::Rng::with_seed(54);
        for is_sum in [false, true] {
            let mut found = 0;
            for _ in 0..RECORDINGS {
                let (count, missing) = (random.usize(5..=50), random.usize(0..8));
                let off = |random: &mut fastrand::Rng| 0.05 * 2.02 * (2.0 * random.f64() - 1.0);
                let (mut times, mut drift, mut beat) = (Vec::new(), 0.0, 0);
                while times.len() < count {
                    // Each beat is off by up to 5%, or each interval.
                    let own = off(&mut random);
                    drift = if is_sum { drift + own } else { own };
                    if beat % 8 != missing {
                        times.push(1.0 + 2.02 * float(beat) + drift);
                    }
                    beat += 1;
                }
                let period = find(&times, 1).map(|beat| beat.period.as_secs());
                found += usize::from(period.is_some_and(|it| (it / 2.02 - 1.0).abs() < 0.05));
            }
            println!("of {RECORDINGS} recordings with 2.02 s ± 5%, sum {is_sum}: {found} found");
            assert!(RECORDINGS * 95 / 100 <= found, "{found}");
        }
    }
}
