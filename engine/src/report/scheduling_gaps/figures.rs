//! The figures of a gap probe.

use std::collections::BTreeMap;

use super::super::late_samples;
use super::super::model::figures::sum_of;
use crate::nanos::Nanos;
use crate::run::{TrialRun, counter, max_idle, series_name};
use crate::sample::{Sample, ThreadOwner};
use crate::stats::{TimeWeighted, float, grade};

/// The limits between the classes by which gaps are counted.
pub const GAP_CLASSES: [Nanos; 5] = [
    Nanos::from_micros(10),
    Nanos::from_micros(100),
    Nanos::from_millis(1),
    Nanos::from_millis(10),
    Nanos::from_millis(30),
];

/// Minimum runtime of a running probe for figures that need the runtime, such as gaps per second.
const LIVE_FROM: Nanos = Nanos::from_secs(1);

/// Figures of a gap probe.
#[derive(Clone, Debug, PartialEq)]
pub struct GapFigures {
    /// The longest interval between two clock reads.
    pub longest: Nanos,
    /// The longest gap that was not caused by a thread of this program. It is graded.
    pub graded: Nanos,
    /// Number of gaps longer than `graded`, which threads of this program caused. The cause of a gap is examined only
    /// above the upper limit of Excellent.
    pub own_gap_count: usize,
    /// Number of gaps above the upper limit of Good that threads of this program caused.
    pub own_late_count: usize,
    /// The shortest interval between two clock reads.
    pub smallest: Nanos,
    /// Number of recorded gaps.
    pub gap_count: usize,
    /// Sum of all recorded gaps.
    pub lost: Nanos,
    /// `lost` as a share of the runtime; `None` in the first second.
    pub lost_share: Option<f64>,
    /// Recorded gaps per second of runtime; `None` in the first second.
    pub per_second: Option<f64>,
    /// The length from which an interval is recorded as a gap; 0 while not known.
    pub threshold: Nanos,
    /// Number of clock reads.
    pub readings: i64,
    /// How long the probe ran; 0 in the first second of a running probe.
    pub runtime: Nanos,
    /// The mean of all intervals, in nanoseconds.
    pub mean_nanos: f64,
    /// The standard deviation of all intervals, in nanoseconds.
    pub std_dev_nanos: f64,
    /// The sum of the squares of all intervals in square seconds, a figure that latency2 prints.
    pub square_secs: f64,
    /// Number of gaps per class: shorter than 10 µs, 100 µs, 1 ms, 10 ms, and 30 ms, and 30 ms or longer.
    pub classes: [usize; 6],
    /// Time-weighted p50, p99, and p99.9: 50%, 99%, and 99.9% of the time is in intervals up to this length, within an
    /// eighth. `None` if the percentile is shorter than the gaps and the other intervals were not counted.
    pub time_percentiles: [Option<Nanos>; 3],
    /// The time from gap to gap that at least a third of the gaps have, such as the scheduler tick; `None` if the gaps
    /// are not regular.
    pub period: Option<Nanos>,
    /// Two limits: gaps up to the first are typical of physical PCs, gaps above the second are bad.
    pub limits: (Nanos, Nanos),
}

/// Returns the figures of the trials of one probe; `limits` as in [`GapFigures`].
pub(super) fn figures(trials: &[&TrialRun], limits: (Nanos, Nanos)) -> GapFigures {
    let counted = |name| sum_of(trials, name).unwrap_or(0);
    let of_all = |name: &'static str| {
        trials.iter().filter_map(move |trial| trial.counters.get(name).copied())
    };
    let mut lengths: Vec<i64> = trials.iter().flat_map(|trial| trial.values()).collect();
    let lost = Nanos::new(lengths.iter().fold(0_i64, |sum, &gap| sum.saturating_add(gap)));
    let live_runtime = trials.iter().fold(Nanos::ZERO, |sum, trial| {
        let end = trial.samples.last().map_or(Nanos::ZERO, |gap| gap.woke);
        let start = trial.samples.get(0).map_or(Nanos::ZERO, |gap| gap.due);
        sum + (end - start)
    });
    let bins = bins(trials);
    // The sum of all intervals is complete when the probe ends. A running probe reports totals after its first
    // interval and then once per second, but gaps as soon as they occur.
    let sum = Nanos::new(counted(counter::INTERVAL_SUM_NANOS));
    let is_over = !bins.is_empty() && Nanos::ZERO < sum;
    let known = if is_over { sum } else { sum.max(live_runtime) };
    // Between the first and the last gap, most of the time may be in gaps. A share needs enough other time.
    let runtime = if is_over || LIVE_FROM <= known { known } else { Nanos::ZERO };
    let has_runtime = Nanos::ZERO < runtime;
    let readings = counted(counter::READINGS);
    let readings_float = Nanos::new(readings).as_f64();
    let squares_micros = Nanos::new(counted(counter::INTERVAL_SQUARES)).as_f64();
    let mean_nanos = if 0 < readings { sum.as_f64() / readings_float } else { 0.0 };
    let variance = if 0 < readings {
        squares_micros * 1e6 / readings_float - mean_nanos * mean_nanos
    } else {
        0.0
    };
    let mut classes = [0_usize; 6];
    for &gap in &lengths {
        let class = GAP_CLASSES.iter().position(|limit| gap < limit.get()).unwrap_or(5);
        if let Some(count) = classes.get_mut(class) {
            *count += 1;
        }
    }
    let period = trials.first().and_then(|trial| step_of(trial.samples.due_nanos()));
    lengths.sort_unstable();
    let longest_gap = lengths.last().copied().unwrap_or(0);
    let by_time = TimeWeighted::of(&bins, &lengths, runtime);
    let longest = of_all(counter::INTERVAL_MOST_NANOS).max().unwrap_or(0).max(longest_gap);
    // If the longest interval is not among the recorded gaps yet, its cause is not known, and it is graded.
    let own = own_gaps(trials, longest_gap);
    let own_late_count = own.iter().filter(|own| limits.0.get() < **own).count();
    let (graded, own_gap_count) =
        if longest == longest_gap { of_others(own, &lengths) } else { (longest, 0) };
    GapFigures {
        longest: Nanos::new(longest),
        graded: Nanos::new(graded),
        own_gap_count,
        own_late_count,
        smallest: Nanos::new(of_all(counter::INTERVAL_MIN_NANOS).min().unwrap_or(0)),
        gap_count: lengths.len(),
        lost,
        lost_share: has_runtime.then(|| lost.as_f64() / runtime.as_f64()),
        per_second: has_runtime.then(|| float(lengths.len()) / runtime.as_secs()),
        threshold: Nanos::new(of_all(counter::THRESHOLD_NANOS).max().unwrap_or(0)),
        readings,
        runtime,
        mean_nanos,
        std_dev_nanos: variance.max(0.0).sqrt(),
        square_secs: squares_micros / 1e12,
        classes,
        time_percentiles: [0.5, 0.99, 0.999].map(|share| by_time.percentile(share)),
        period,
        limits,
    }
}

/// Returns the lengths of the gaps that threads of this program caused, in ascending order. Only gaps above the upper
/// limit of Excellent are examined, in trials with a trace, which names the thread that had the CPU, or with own runs.
fn own_gaps(trials: &[&TrialRun], longest: i64) -> Vec<i64> {
    let excellent = Nanos::from_nanos_f64(grade::LONGEST_GAP.upper[0] * 1e6);
    if longest <= excellent.get() {
        return Vec::new();
    }
    let of_trial = |trial: &&TrialRun| {
        let runs = trial.series.get(series_name::OWN_RUN);
        let runs: Vec<(Nanos, i64)> = runs.iter().flat_map(|runs| runs.iter()).collect();
        let is_known = trial.trace.is_some() || !runs.is_empty();
        let late = if is_known { late_samples(trial, excellent) } else { Vec::new() };
        let own = late.into_iter().filter(move |late| {
            // A thread counts as the cause only if its CPU time explains more than half of the gap.
            let half = late.sample.late().get() / 2;
            half < own_time(&runs, &late.sample)
                || late.account.largest().is_some_and(|(_, culprit, length)| {
                    let owner = culprit.and_then(|culprit| culprit.owner);
                    half < length.get() && owner == Some(ThreadOwner::Own)
                })
        });
        own.map(|late| late.sample.late().get())
    };
    let mut own: Vec<i64> = trials.iter().flat_map(of_trial).collect();
    own.sort_unstable();
    own
}

/// Returns for how long own runs certainly had the CPU during a gap, in nanoseconds.
fn own_time(runs: &[(Nanos, i64)], gap: &Sample) -> i64 {
    let times = runs.iter().map(|&(began, length)| {
        let ended = began + Nanos::new(length);
        let overlap = gap.woke.min(ended) - gap.due.max(began);
        (overlap.get() - max_idle(length)).max(0)
    });
    times.sum()
}

/// Returns the longest gap that threads of this program did not cause, and the number of longer gaps. `own` has the
/// lengths of the gaps that threads of this program caused; both lists are in ascending order.
fn of_others(mut own: Vec<i64>, lengths: &[i64]) -> (i64, usize) {
    let mut longer = 0;
    for &length in lengths.iter().rev() {
        if own.last() != Some(&length) {
            return (length, longer);
        }
        own.pop();
        longer += 1;
    }
    (0, longer)
}

/// Returns the number of intervals per bin, by the lower edge of the bin in nanoseconds.
fn bins(trials: &[&TrialRun]) -> BTreeMap<i64, u64> {
    let mut bins = BTreeMap::new();
    for (name, &count) in trials.iter().flat_map(|trial| &trial.counters) {
        let edge = name.strip_prefix(counter::INTERVALS_FROM);
        let edge = edge.and_then(|edge| edge.split('_').next()?.parse().ok());
        if let Some(edge) = edge {
            *bins.entry(edge).or_insert(0) += u64::try_from(count).unwrap_or(0);
        }
    }
    bins
}

/// Returns the time from gap to gap if at least a third of these times are within 5% of it. Times up to 200
/// µs are ignored; `None` if the gaps are not regular or too few times remain.
fn step_of(starts: impl ExactSizeIterator<Item = i64> + Clone) -> Option<Nanos> {
    const MIN: usize = 50;
    let count = starts.len();
    let pairs = starts.clone().zip(starts.skip(1));
    let mut steps: Vec<i64> = pairs.map(|(one, next)| next.saturating_sub(one)).collect();
    steps.retain(|&step| Nanos::from_micros(200).get() < step);
    if steps.len() < MIN || steps.len() * 2 < count / 2 {
        return None;
    }
    steps.sort_unstable();
    let near = |center: i64| {
        let (low, high) = (center - center / 20, center.saturating_add(center / 20));
        let from = steps.partition_point(|&step| step < low);
        (steps.partition_point(|&step| step <= high) - from, center)
    };
    let (count, center) =
        steps.iter().step_by((steps.len() / 200).max(1)).map(|&step| near(step)).max()?;
    (steps.len() <= count * 3).then(|| Nanos::new(center))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_of_4_ms_is_found_and_noise_is_not() {
        let ticks: Vec<i64> = (0..500).map(|k| k * 4_000_000 + (k * 7_919) % 9_000).collect();
        let found = step_of(ticks.into_iter()).unwrap();
        assert!((found.get() - 4_000_000).abs() < 100_000, "{found}");
        let mut random = fastrand::Rng::with_seed(7);
        let mut at = 0;
        let noise: Vec<i64> = (0..500)
            .map(|_| {
                at += random.i64(300_000..100_000_000);
                at
            })
            .collect();
        assert_eq!(step_of(noise.into_iter()), None);
    }

    #[test]
    fn the_longest_steps_there_are_do_not_overflow() {
        let far: Vec<i64> =
            (0..120).map(|k| if k % 2 == 0 { i64::MIN } else { i64::MAX }).collect();
        assert_eq!(step_of(far.into_iter()), Some(Nanos::MAX));
    }
}
