//! The loop that reads the clock without pause: every interval is counted, gaps are kept.
//!
//! An interval below the threshold costs one addition in a table that stays in the cache; its sum and
//! squares are worked out from the table afterwards.

use std::sync::atomic::{AtomicBool, Ordering};

use super::hot_loop::Ended;
use super::recorder::Recorder;
use crate::nanos::Nanos;
use crate::platform::{clock_nanos, current_cpu};
use crate::run::{Counters, counter};
use crate::sample::Sample;

/// Intervals up to this length have a table entry a nanosecond.
const FINE: usize = 4_096;
/// Octaves above [`FINE`], each in eighths: up to 2^47 ns, 39 hours.
const OCTAVES: usize = 36;
const EIGHTHS: usize = 8;
/// Readings from which the usual cost of one is found.
const COST_READINGS: usize = 2_001;
/// The least threshold that is found by itself.
const LEAST_THRESHOLD: i64 = 1_000;

/// A gap probe with everything filled in.
#[derive(Clone, Copy, Debug)]
pub struct Gaps {
    /// The shortest gap that is kept.
    pub threshold: i64,
    /// How long it takes.
    pub length: Nanos,
}

/// How often each length of interval was seen.
#[derive(Clone, Debug)]
pub struct Intervals {
    fine: Vec<u64>,
    coarse: Vec<u64>,
    coarse_sum: i128,
    coarse_squares: f64,
    most: i64,
}

impl Default for Intervals {
    fn default() -> Self {
        Self {
            fine: vec![0; FINE],
            coarse: vec![0; OCTAVES * EIGHTHS],
            coarse_sum: 0,
            coarse_squares: 0.0,
            most: 0,
        }
    }
}

/// Where an interval of at least [`FINE`] is counted.
fn coarse_bin(nanos: i64) -> usize {
    let octave = nanos.max(1).ilog2();
    let eighth = (nanos >> (octave - 3)) & 7;
    let octave = usize::try_from(octave).unwrap_or(0).saturating_sub(12);
    (octave * EIGHTHS + usize::try_from(eighth).unwrap_or(0)).min(OCTAVES * EIGHTHS - 1)
}

/// The shortest interval of a bin.
fn coarse_edge(bin: usize) -> i64 {
    let octave = u32::try_from(bin / EIGHTHS).unwrap_or(0) + 12;
    let eighth = i64::try_from(bin % EIGHTHS).unwrap_or(0);
    (1_i64 << octave) + (eighth << (octave - 3))
}

impl Intervals {
    #[inline]
    fn count(&mut self, nanos: i64) {
        match usize::try_from(nanos).ok().and_then(|at| self.fine.get_mut(at)) {
            Some(count) => *count += 1,
            None => self.count_coarse(nanos),
        }
    }

    #[cold]
    fn count_coarse(&mut self, nanos: i64) {
        if let Some(count) = self.coarse.get_mut(coarse_bin(nanos)) {
            *count += 1;
        }
        self.coarse_sum += i128::from(nanos);
        let float = Nanos::new(nanos).as_f64();
        self.coarse_squares += float * float;
        self.most = self.most.max(nanos);
    }

    /// What was counted, under the names of the run file.
    pub fn counters(&self) -> Counters {
        let mut counters = Counters::new();
        let mut put = |name: String, value: i128| {
            counters.insert(name, i64::try_from(value).unwrap_or(i64::MAX));
        };
        let (mut readings, mut sum, mut squares) = (0_i128, self.coarse_sum, self.coarse_squares);
        let (mut least, mut most) = (None, self.most);
        for (&count, nanos) in self.fine.iter().zip(0_i64..) {
            if count == 0 {
                continue;
            }
            least = least.or(Some(nanos));
            most = most.max(nanos);
            readings += i128::from(count);
            sum += i128::from(count) * i128::from(nanos);
            let float = Nanos::new(nanos).as_f64();
            squares += float * float * count_float(count);
        }
        readings += self.coarse.iter().map(|&count| i128::from(count)).sum::<i128>();
        let first_coarse = self.coarse.iter().position(|&count| 0 < count).map(coarse_edge);
        put(counter::READINGS.to_owned(), readings);
        put(counter::INTERVAL_SUM_NANOS.to_owned(), sum);
        put(
            counter::INTERVAL_LEAST_NANOS.to_owned(),
            i128::from(least.or(first_coarse).unwrap_or(0)),
        );
        put(counter::INTERVAL_MOST_NANOS.to_owned(), i128::from(most));
        // Square microseconds: square nanoseconds of a long run do not fit an integer.
        put(
            counter::INTERVAL_SQUARES.to_owned(),
            i128::from(Nanos::from_nanos_f64(squares / 1e6).get()),
        );
        for (lower, count) in self.bins() {
            put(format!("{}{lower}_nanos_count", counter::INTERVALS_FROM), i128::from(count));
        }
        counters
    }

    /// Log-linear bins, eight an octave from 16 ns: lower edge and count.
    fn bins(&self) -> Vec<(i64, u64)> {
        let mut bins: Vec<(i64, u64)> = Vec::new();
        let mut add = |edge: i64, count: u64| match bins.last_mut() {
            Some(last) if last.0 == edge => last.1 += count,
            _ => bins.push((edge, count)),
        };
        for (&count, nanos) in self.fine.iter().zip(0_i64..) {
            if 0 < count {
                let shift = nanos.max(1).ilog2().saturating_sub(3);
                add(nanos >> shift << shift, count);
            }
        }
        for (bin, &count) in self.coarse.iter().enumerate() {
            if 0 < count {
                add(coarse_edge(bin), count);
            }
        }
        bins
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of readings, far below 2^53")]
const fn count_float(count: u64) -> f64 {
    count as f64
}

/// The threshold that is meant by 0: the larger of 1 µs and ten times the usual clock reading.
pub fn usual_threshold() -> i64 {
    let mut costs: Vec<i64> = Vec::with_capacity(COST_READINGS);
    let mut before = clock_nanos();
    for _ in 0..COST_READINGS {
        let now = clock_nanos();
        costs.push(now - before);
        before = now;
    }
    costs.sort_unstable();
    let median = costs.get(costs.len() / 2).copied().unwrap_or(0);
    (median * 10).max(LEAST_THRESHOLD)
}

/// Reads the clock until the time is up or until told to stop; allocates nothing. Instants count from
/// `origin`, which all probes of a stage share.
pub fn run_gaps(
    gaps: &Gaps,
    origin: i64,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
    intervals: &mut Intervals,
) -> Ended {
    let start = clock_nanos();
    let end = start.saturating_add(gaps.length.get());
    let threshold = gaps.threshold;
    let mut before = start;
    let mut kept = 0_i64;
    while before < end && !stop.load(Ordering::Relaxed) {
        let now = clock_nanos();
        let interval = now - before;
        intervals.count(interval);
        if threshold <= interval {
            let (from, to) = (Nanos::new(before - origin), Nanos::new(now - origin));
            samples.record(Sample {
                began: from,
                due: from,
                slept: None,
                woke: to,
                done: to,
                spins: 0,
                cpu: current_cpu(),
            });
            kept += 1;
            // Keeping a gap is not a gap.
            before = clock_nanos();
            continue;
        }
        before = now;
    }
    Ended { slots: kept, complete: end <= before }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::recorder::ring;
    use crate::measure::trial::BLANK;

    #[test]
    fn bins_are_eighths_of_an_octave() {
        for nanos in [4_096, 5_000, 65_535, 1_000_000, 48_123_456, 1 << 40] {
            let edge = coarse_edge(coarse_bin(nanos));
            assert!(edge <= nanos && nanos < edge + edge / 8 + 1, "{nanos} {edge}");
        }
        let mut intervals = Intervals::default();
        for nanos in [15, 40, 41, 4_095, 4_096, 1_000_000] {
            intervals.count(nanos);
        }
        let bins = intervals.bins();
        assert_eq!(bins, [(15, 1), (40, 2), (3_840, 1), (4_096, 1), (983_040, 1)]);
        let counters = intervals.counters();
        assert_eq!(counters[counter::READINGS], 6);
        assert_eq!(counters[counter::INTERVAL_SUM_NANOS], 15 + 40 + 41 + 4_095 + 4_096 + 1_000_000);
        assert_eq!(counters[counter::INTERVAL_LEAST_NANOS], 15);
        assert_eq!(counters[counter::INTERVAL_MOST_NANOS], 1_000_000);
    }

    #[test]
    fn every_reading_is_counted_and_gaps_add_up() {
        let (mut samples, mut tap) = ring(1 << 16, BLANK);
        let mut intervals = Intervals::default();
        let origin = clock_nanos();
        let gaps = Gaps { threshold: usual_threshold(), length: Nanos::from_millis(50) };
        let stop = AtomicBool::new(false);
        let ended = run_gaps(&gaps, origin, &stop, &mut samples, &mut intervals);
        assert!(ended.complete);
        let counters = intervals.counters();
        let mut of_gaps = 0;
        tap.drain(|gap| {
            assert!(gaps.threshold <= gap.late().get());
            assert!(Nanos::ZERO <= gap.due);
            of_gaps += gap.late().get();
        });
        assert!(of_gaps <= counters[counter::INTERVAL_SUM_NANOS]);
        assert!(1_000 < counters[counter::READINGS]);
        let binned: i64 = counters
            .iter()
            .filter(|(name, _)| name.starts_with(counter::INTERVALS_FROM))
            .map(|(_, count)| count)
            .sum();
        assert_eq!(binned, counters[counter::READINGS]);
    }
}
