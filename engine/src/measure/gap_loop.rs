//! The loop that reads the clock without pause. It counts the interval between every two reads, and
//! records long intervals as gaps.
//!
//! **The idea.** A thread that does nothing but read the clock sees every time in which it did not run: between two reads there
//! is a gap. No tracepoint, no privilege, and no support of the system is needed, and what no record shows (a hypervisor,
//! firmware) is seen as well. This is the method of `sysjitter`, `hiccups`, and the osnoise tracer.
//!
//! **Every interval counts.** Ten million reads per second cannot be saved, and dropping the short ones would lose the cost of the
//! read itself. So all are counted, in a table: one entry per tick up to `FINE` ticks, then eight bins per octave. A short
//! interval costs one addition in a part of the table that stays in the cache; the sum of the intervals and the sum of their
//! squares are computed from the table later. Long ones are recorded with their times in addition.
//!
//! **An example.** At 2.5 ticks per nanosecond, a read takes 50 ticks, 20 ns. The timer interrupt takes 8 000 ticks: 3 200 ns, in
//! the bin from 3 072 ns on, since the octave from 2 048 ns has eighths of 256 ns. With a threshold of 1 µs it is a gap as well. Per
//! second there are some 50 million intervals of 20 ns and 250 gaps of 3.2 µs: 0.08% of the time.
//!
//! **Where a gap is.** Its length is the interval, from the counter of the CPU. Its end is read from the clock that all probes share,
//! right after it, so that gaps of several CPUs can be compared: a gap of all CPUs at once is the host or the firmware. A stall
//! between these two reads would move the gap, so they are repeated if they are far apart. The time of recording a gap is not
//! counted as an interval, unless the thread was stalled in it: that is another gap.
//!
//! **What is no gap.** While the PC is suspended, nothing runs, and nothing stutters. From 1 ms on the system is asked how long
//! it was suspended; such an interval, and a counter that began again, end the reading instead of being recorded.
//!
//! **Why not the simpler way.** A thread that sleeps between its reads sees only the gaps in which a sleep ends, and adds its own
//! wake-up to them. A maximum alone does not show whether 3 µs were lost once or 250 times a second.

use std::sync::atomic::{AtomicBool, Ordering};

use super::hot_loop::LoopResult;
use super::recorder::Recorder;
use crate::nanos::Nanos;
use crate::platform::{Ticks, clock_nanos, current_cpu, suspended_nanos, ticks};
use crate::run::{Counters, counter};
use crate::sample::Sample;

/// Intervals shorter than this number of ticks have one table entry per tick.
const FINE: usize = 4_096;
/// The first octave begins at 2^8 ns, because `FINE` ticks take at least 409 ns at up to 10 ticks per nanosecond.
const FIRST_OCTAVE: usize = 8;
/// Number of octaves, each divided into `EIGHTHS` bins; the last one ends at 2^48 ns, 78 hours.
const OCTAVES: usize = 40;
const EIGHTHS: usize = 8;
/// Number of clock reads from which the median cost of a read is computed.
const COST_READINGS: usize = 2_001;
/// The minimum default threshold, in nanoseconds.
const MIN_THRESHOLD: i64 = 1_000;

/// The parameters of a gap probe.
#[derive(Clone, Copy, Debug)]
pub struct Gaps {
    /// The shortest gap that is recorded, in nanoseconds.
    pub threshold: i64,
    /// The duration of the probe.
    pub length: Nanos,
}

/// From this length, in nanoseconds, an interval may contain a suspend of the machine, which is no gap. In some suspends
/// the counter of a CPU stops or runs on, in others it begins again.
const MIN_SUSPEND_GAP: i64 = 1_000_000;
/// The shortest time in nanoseconds that counts as suspended. A shorter one can come from a switch to another thread
/// between the two clock reads of which it is the difference.
const MIN_SUSPEND: i64 = 100_000_000;

/// Recording a gap takes less than a microsecond. If it took longer than this, in nanoseconds, the thread did not run, and
/// the time counts as another gap.
const RECORDING_STALL: i64 = 10_000;

/// How often the end of a gap is read from the clock, if the thread is stalled each time.
const LOCATING_READS: usize = 3;

/// The interval at which a probe publishes its totals.
const TOTALS_INTERVAL: Nanos = Nanos::from_secs(1);

/// The table of intervals: how many intervals of each length were counted.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// The rate of the CPU's counter, if the loop reads the counter instead of the clock.
    pace: Option<Ticks>,
    fine: Vec<u64>,
    coarse: Vec<u64>,
    coarse_sum: i128,
    coarse_squares: f64,
    most: i64,
    last: i64,
}

/// Statistics of all intervals of a probe so far, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    readings: i128,
    sum: i128,
    squares: f64,
    min: i64,
    most: i64,
    last: i64,
    /// Wall time since the probe began; 0 if unknown.
    wall: i64,
}

impl Totals {
    /// Returns the totals under their names in the run file.
    pub(super) fn counters(&self) -> Counters {
        let whole = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
        let mut counters: Counters = [
            (counter::READINGS, whole(self.readings)),
            (counter::INTERVAL_SUM_NANOS, whole(self.sum)),
            (counter::INTERVAL_MIN_NANOS, self.min),
            (counter::INTERVAL_MOST_NANOS, self.most),
            (counter::INTERVAL_LAST_NANOS, self.last),
            // In square microseconds, because the square nanoseconds of a long run do not fit into 64 bits.
            (counter::INTERVAL_SQUARES, Nanos::from_nanos_f64(self.squares / 1e6).get()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        if 0 < self.wall {
            counters.insert(counter::WALL_NANOS.to_owned(), self.wall);
        }
        counters
    }
}

impl Intervals {
    /// Creates an empty table for the CPU's counter, or, if `pace` is `None`, for the clock with a tick of 1 ns.
    pub fn new(pace: Option<Ticks>) -> Self {
        Self {
            pace,
            fine: vec![0; FINE],
            coarse: vec![0; OCTAVES * EIGHTHS],
            coarse_sum: 0,
            coarse_squares: 0.0,
            most: 0,
            last: 0,
        }
    }
}

/// Returns the coarse bin of an interval in nanoseconds that has at least [`FINE`] ticks.
fn coarse_bin(nanos: i64) -> usize {
    let octave = nanos.max(8).ilog2();
    let eighth = (nanos >> (octave - 3)) & 7;
    let octave = usize::try_from(octave).unwrap_or(0).saturating_sub(FIRST_OCTAVE);
    (octave * EIGHTHS + usize::try_from(eighth).unwrap_or(0)).min(OCTAVES * EIGHTHS - 1)
}

/// Returns the shortest interval of a coarse bin, in nanoseconds.
fn coarse_edge(bin: usize) -> i64 {
    let octave = u32::try_from(bin / EIGHTHS + FIRST_OCTAVE).unwrap_or(0);
    let eighth = i64::try_from(bin % EIGHTHS).unwrap_or(0);
    (1_i64 << octave) + (eighth << (octave - 3))
}

impl Intervals {
    fn nanos_a_tick(&self) -> f64 {
        self.pace.map_or(1.0, Ticks::nanos_a_tick)
    }

    /// Converts ticks to nanoseconds.
    fn nanos(&self, ticks: i64) -> i64 {
        match self.pace {
            Some(pace) => {
                Nanos::from_nanos_f64(Nanos::new(ticks).as_f64() * pace.nanos_a_tick()).get()
            }
            None => ticks,
        }
    }

    #[inline]
    fn count(&mut self, ticks: i64) {
        match usize::try_from(ticks).ok().and_then(|at| self.fine.get_mut(at)) {
            Some(count) => *count += 1,
            None => self.count_coarse(self.nanos(ticks)),
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

    /// Returns the totals and the count of each bin under their names in the run file.
    pub fn counters(&self) -> Counters {
        let mut counters = self.totals(0).counters();
        for (lower, count) in self.bins() {
            counters.insert(
                format!("{}{lower}_nanos_count", counter::INTERVALS_FROM),
                i64::try_from(count).unwrap_or(i64::MAX),
            );
        }
        counters
    }

    /// Returns the totals of all intervals so far; `wall` is the wall time since the start. Allocates nothing.
    fn totals(&self, wall: i64) -> Totals {
        let mut totals = Totals {
            sum: self.coarse_sum,
            squares: self.coarse_squares,
            most: self.most,
            last: self.nanos(self.last),
            wall,
            ..Totals::default()
        };
        let (mut min, mut fine_sum, nanos_a_tick) = (None, 0.0, self.nanos_a_tick());
        for (&count, ticks) in self.fine.iter().zip(0_i64..) {
            if count == 0 {
                continue;
            }
            let nanos = self.nanos(ticks);
            min = min.or(Some(nanos));
            totals.most = totals.most.max(nanos);
            totals.readings += i128::from(count);
            let float = Nanos::new(ticks).as_f64() * nanos_a_tick;
            fine_sum += float * count_float(count);
            totals.squares += float * float * count_float(count);
        }
        totals.sum += i128::from(Nanos::from_nanos_f64(fine_sum).get());
        totals.readings += self.coarse.iter().map(|&count| i128::from(count)).sum::<i128>();
        let first_coarse = || self.coarse.iter().position(|&count| 0 < count).map(coarse_edge);
        totals.min = min.or_else(first_coarse).unwrap_or(0);
        totals
    }

    /// Returns the lower edge (in nanoseconds) and count of each used bin; an octave from 16 ns on has eight bins.
    fn bins(&self) -> Vec<(i64, u64)> {
        let mut bins: Vec<(i64, u64)> = Vec::new();
        let mut add = |edge: i64, count: u64| match bins.last_mut() {
            Some(last) if last.0 == edge => last.1 += count,
            _ => bins.push((edge, count)),
        };
        for (&count, ticks) in self.fine.iter().zip(0_i64..) {
            if 0 < count {
                let nanos = self.nanos(ticks);
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

/// Returns the threshold used for a requested 0: the larger of 1 µs and ten times the median clock read cost.
pub fn default_threshold() -> i64 {
    let mut costs: Vec<i64> = Vec::with_capacity(COST_READINGS);
    let mut before = clock_nanos();
    for _ in 0..COST_READINGS {
        let now = clock_nanos();
        costs.push(now - before);
        before = now;
    }
    costs.sort_unstable();
    let median = costs.get(costs.len() / 2).copied().unwrap_or(0);
    (median * 10).max(MIN_THRESHOLD)
}

/// Runs a probe to its end, as [`run_gaps`] does, and publishes its totals after the first interval and
/// then once per second. The time of publishing is not part of an interval.
pub(super) fn run_probe(
    gaps: &Gaps,
    origin: i64,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
    intervals: &mut Intervals,
    totals: &mut Recorder<Totals>,
) -> LoopResult {
    let began = clock_nanos();
    // A length of 0 ends the first part after one interval, even if two reads of the clock are equal.
    let mut part = Gaps { length: Nanos::ZERO, ..*gaps };
    let mut slots = 0;
    loop {
        let ended = run_gaps(&part, origin, stop, samples, intervals);
        slots += ended.slots;
        let wall = clock_nanos() - began;
        if !ended.complete || gaps.length.get() <= wall {
            return LoopResult { slots, complete: ended.complete };
        }
        totals.record(intervals.totals(wall));
        let every = TOTALS_INTERVAL.get();
        part.length = Nanos::new((every - wall % every).min(gaps.length.get() - wall));
    }
}

/// Reads the counter or the clock until the time is up or a stop is requested, and counts at least one
/// interval unless `stop` is set at the start, or the machine was suspended in the first one. Such an interval is not
/// counted, and ends the reading. Allocates nothing.
/// Recorded instants count from `origin`, a clock reading that all probes of a stage share.
pub fn run_gaps(
    gaps: &Gaps,
    origin: i64,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
    intervals: &mut Intervals,
) -> LoopResult {
    // The source of time is selected outside the loop, to keep branches out of the loop.
    match intervals.pace {
        Some(_) => readings(gaps, origin, stop, samples, intervals, (ticks, suspended_nanos)),
        None => readings(gaps, origin, stop, samples, intervals, (clock_nanos, suspended_nanos)),
    }
}

#[inline]
fn readings(
    gaps: &Gaps,
    origin: i64,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
    intervals: &mut Intervals,
    (read, suspended): (impl Fn() -> i64, impl Fn() -> Option<i64>),
) -> LoopResult {
    let in_ticks = |nanos: i64| {
        Nanos::from_nanos_f64(Nanos::new(nanos).as_f64() / intervals.nanos_a_tick()).get()
    };
    let threshold = in_ticks(gaps.threshold).max(1);
    let (suspend, stall) = (in_ticks(MIN_SUSPEND_GAP), in_ticks(RECORDING_STALL).max(threshold));
    let length = in_ticks(gaps.length.get()).max(0);
    let suspended_before = suspended();
    let mut before = read();
    let end = before.saturating_add(length);
    let (mut retained, mut interval, mut complete) = (0_i64, intervals.last, false);
    // The end of the last gap, in nanoseconds since `origin`.
    let mut ended = i64::MIN;
    while !complete && !stop.load(Ordering::Relaxed) {
        let now = read();
        let since = now.wrapping_sub(before);
        // As an unsigned number, an interval of a counter that began again is longer than the threshold.
        if threshold.cast_unsigned() <= since.cast_unsigned() {
            let is_suspend = || {
                suspended()
                    .zip(suspended_before)
                    .is_some_and(|(now, before)| MIN_SUSPEND <= now - before)
            };
            if since < 0 || (suspend <= since && is_suspend()) {
                complete = true;
                break;
            }
            interval = since;
            intervals.count(interval);
            // The end of the gap is read from the clock; its length comes from the interval. A stall between the two reads
            // would move the gap into the next one.
            let mut to = 0;
            for _ in 0..LOCATING_READS {
                let located = read();
                to = clock_nanos() - origin - intervals.nanos(located.wrapping_sub(now));
                if read().wrapping_sub(located) < stall {
                    break;
                }
            }
            // The rate of the counter is known to some 10 ppm: a long gap right after another one would begin before it.
            let length = intervals.nanos(interval);
            let from = ended.max(to - length);
            ended = from + length;
            let (from, to) = (Nanos::new(from), Nanos::new(ended));
            samples.record(Sample {
                began: from,
                due: from,
                woke: to,
                done: to,
                cpu: current_cpu(),
                ..Sample::default()
            });
            retained += 1;
            // The time of recording a gap must not count as an interval, unless the thread was stalled in it. The counter
            // may begin again before this read.
            let recorded = read();
            complete = recorded < now;
            before = if stall <= recorded.wrapping_sub(now) { now } else { recorded };
        } else {
            interval = since;
            intervals.count(interval);
            before = now;
        }
        complete |= end <= before;
    }
    intervals.last = interval;
    LoopResult { slots: retained, complete }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::recorder::ring;

    #[test]
    fn bins_are_eighths_of_an_octave() {
        for nanos in [4_096, 5_000, 65_535, 1_000_000, 48_123_456, 1 << 40] {
            let edge = coarse_edge(coarse_bin(nanos));
            assert!(edge <= nanos && nanos < edge + edge / 8 + 1, "{nanos} {edge}");
        }
        let mut intervals = Intervals::new(None);
        for nanos in [15, 40, 41, 4_095, 4_096, 1_000_000] {
            intervals.count(nanos);
        }
        let bins = intervals.bins();
        assert_eq!(bins, [(15, 1), (40, 2), (3_840, 1), (4_096, 1), (983_040, 1)]);
        let counters = intervals.counters();
        assert_eq!(counters[counter::READINGS], 6);
        assert_eq!(counters[counter::INTERVAL_SUM_NANOS], 15 + 40 + 41 + 4_095 + 4_096 + 1_000_000);
        assert_eq!(counters[counter::INTERVAL_MIN_NANOS], 15);
        assert_eq!(counters[counter::INTERVAL_MOST_NANOS], 1_000_000);
    }

    #[test]
    fn every_reading_is_counted_and_gaps_add_up() {
        for pace in [None, Ticks::measured()] {
            add_up(Intervals::new(pace));
        }
    }

    #[test]
    fn probe_publishes_its_totals_at_once_and_every_second() {
        let (mut samples, _samples_tap) = ring(1 << 16, Sample::default());
        let (mut recorder, mut tap) = ring(8, Totals::default());
        let mut intervals = Intervals::new(Ticks::measured());
        let gaps = Gaps { threshold: 1_000_000, length: Nanos::from_secs(3) };
        let stop = AtomicBool::new(false);
        // With 3 s, totals are published after the first second even if the CPU is busy elsewhere at that time.
        let ended =
            run_probe(&gaps, clock_nanos(), &stop, &mut samples, &mut intervals, &mut recorder);
        assert!(ended.complete);
        let mut published = Vec::new();
        tap.drain(|totals| published.push(totals.counters()));
        assert_eq!(published[0][counter::READINGS], 1);
        let last = published.last().unwrap();
        assert!(1_000_000_000 <= last[counter::WALL_NANOS], "{last:?}");
        let all = intervals.counters();
        for name in [counter::READINGS, counter::INTERVAL_SUM_NANOS] {
            assert!(published.windows(2).all(|pair| pair[0][name] < pair[1][name]), "{name}");
            assert!(last[name] < all[name], "{name}");
        }
        assert!(all[counter::INTERVAL_LAST_NANOS] <= all[counter::INTERVAL_MOST_NANOS]);
    }

    #[test]
    fn a_clock_with_equal_readings_has_one_interval_at_first_and_ends_when_it_moves() {
        let (mut samples, mut tap) = ring(8, Sample::default());
        let mut intervals = Intervals::new(None);
        let (stop, first) = (AtomicBool::new(false), std::cell::Cell::new(0));
        let read = || {
            first.set(first.get() + 1);
            first.get() / 4
        };
        let mut gaps = Gaps { threshold: 1_000, length: Nanos::ZERO };
        let clocks = (read, || None);
        let ended = readings(&gaps, 0, &stop, &mut samples, &mut intervals, clocks);
        assert!(ended.complete);
        assert_eq!(intervals.totals(0).readings, 1);
        gaps.length = Nanos::new(1);
        let ended = readings(&gaps, 0, &stop, &mut samples, &mut intervals, clocks);
        assert!(ended.complete);
        assert_eq!((intervals.totals(0).readings, intervals.totals(0).sum), (2, 1));
        stop.store(true, Ordering::Relaxed);
        let ended = readings(&gaps, 0, &stop, &mut samples, &mut intervals, clocks);
        assert!(!ended.complete);
        tap.drain(|gap| panic!("{gap:?}"));
    }

    #[test]
    fn a_stall_while_a_gap_is_recorded_is_a_gap_too() {
        let stop = AtomicBool::new(false);
        // Reads after the start: the end of a gap of 5 µs, two around the read of the clock, the end of the recording, and
        // one that ends the part.
        for (recording, expected) in [(200, vec![5_000]), (1_840_000, vec![5_000, 1_840_020])] {
            let (mut samples, mut tap) = ring(8, Sample::default());
            let mut intervals = Intervals::new(None);
            let reads = std::cell::Cell::new(0);
            let read = || {
                reads.set(reads.get() + 1);
                let times = [0, 5_000, 5_000, 5_000, 5_000 + recording, 5_020 + recording];
                times.get(reads.get() - 1).copied().unwrap_or(6_000 + recording)
            };
            let gaps = Gaps { threshold: 1_000, length: Nanos::new(5_010 + recording) };
            let clocks = (read, || None);
            let ended = readings(&gaps, 0, &stop, &mut samples, &mut intervals, clocks);
            assert!(ended.complete);
            let mut found = Vec::new();
            tap.drain(|gap| found.push(gap.late().get()));
            assert_eq!(found, expected, "{recording}");
        }
    }

    #[test]
    fn a_suspend_is_no_gap_and_ends_the_part() {
        const HOUR: i64 = 3_600_000_000_000;
        let gaps = Gaps { threshold: 1_000, length: Nanos::new(i64::MAX) };
        let stop = AtomicBool::new(false);
        // The counter runs on, or begins again. Without a suspend, an hour is a gap.
        for (after, suspended, expected) in [
            (HOUR, HOUR, (1, 0)),
            (60_000_000, HOUR, (1, 0)),
            (-HOUR, HOUR, (1, 0)),
            (HOUR, 0, (2, 1)),
            (HOUR, 1_000, (2, 1)),
        ] {
            let (mut samples, mut tap) = ring(8, Sample::default());
            let mut intervals = Intervals::new(None);
            let (reads, asked) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
            let read = || {
                reads.set(reads.get() + 1);
                [HOUR, HOUR + 20, HOUR + after].get(reads.get() - 1).copied().unwrap_or_else(|| {
                    stop.store(true, Ordering::Relaxed);
                    HOUR + after
                })
            };
            let since_boot = || {
                asked.set(asked.get() + 1);
                Some(if asked.get() == 1 { HOUR } else { HOUR + suspended })
            };
            stop.store(false, Ordering::Relaxed);
            let clocks = (read, since_boot);
            let ended = readings(&gaps, 0, &stop, &mut samples, &mut intervals, clocks);
            assert_eq!(ended.complete, expected.1 == 0, "{after} {suspended}");
            let mut gap_count = 0;
            tap.drain(|_| gap_count += 1);
            assert_eq!((intervals.totals(0).readings, gap_count), expected, "{after} {suspended}");
        }
    }

    fn add_up(mut intervals: Intervals) {
        let (mut samples, mut tap) = ring(1 << 16, Sample::default());
        let origin = clock_nanos();
        let gaps = Gaps { threshold: default_threshold(), length: Nanos::from_millis(200) };
        let stop = AtomicBool::new(false);
        let ended = run_gaps(&gaps, origin, &stop, &mut samples, &mut intervals);
        let elapsed = clock_nanos() - origin;
        assert!(ended.complete);
        let counters = intervals.counters();
        let mut of_gaps = 0;
        tap.drain(|gap| {
            // The conversion between ticks and nanoseconds may lose 1 ns by rounding.
            assert!(gaps.threshold - 1 <= gap.late().get());
            assert!(Nanos::ZERO <= gap.due);
            of_gaps += gap.late().get();
        });
        let sum = counters[counter::INTERVAL_SUM_NANOS];
        assert!(of_gaps <= sum + sum / 1_000);
        assert!((1_000_000..=elapsed + elapsed / 1_000).contains(&sum), "{sum} of {elapsed}");
        assert!(1_000 < counters[counter::READINGS]);
        let binned: i64 = counters
            .iter()
            .filter(|(name, _)| name.starts_with(counter::INTERVALS_FROM))
            .map(|(_, count)| count)
            .sum();
        assert_eq!(binned, counters[counter::READINGS]);
    }
}
