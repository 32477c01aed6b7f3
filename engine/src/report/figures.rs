//! What rows of the other kinds of test show beyond the common numbers.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::plan::work::GameCycle;
use crate::plan::{Pace, Work};
use crate::run::{TrialRun, counter};
use crate::stats::{Score, Sorted, Spread, TimeWeighted};

/// The limits between the classes in which gaps are counted.
pub const GAP_CLASSES: [Nanos; 5] = [
    Nanos::from_micros(10),
    Nanos::from_micros(100),
    Nanos::from_millis(1),
    Nanos::from_millis(10),
    Nanos::from_millis(30),
];

/// A frame at 60 FPS: the budget of a cycle that runs in every frame.
pub(super) const FRAME: Nanos = Nanos::new(16_666_667);

/// Figures of one kind of test.
#[derive(Clone, Debug, PartialEq)]
pub enum Figures {
    /// A paced loop has none beyond the common ones.
    Paced,
    /// Of single waits.
    Waits(WaitFigures),
    /// Of a gap probe.
    Gaps(Box<GapFigures>),
    /// Of game cycles.
    Ticks(TickFigures),
}

/// Figures of single waits.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitFigures {
    /// How long each was to be.
    pub requested: Nanos,
    /// How long they took: `woke − began`.
    pub actual: Spread,
    /// The mean of a second clock reading after the wait, as the source takes it.
    pub second_reading_nanos: f64,
    /// The mean of the turns of a spin.
    pub spins: f64,
    /// Time a turn of the spin takes: all time over all turns; absent without a turn.
    pub turn_nanos: Option<f64>,
    /// CPU time a wait; absent where the system does not tell.
    pub cpu_nanos: Option<f64>,
    /// Times the thread was taken off its CPU in 1 000 waits.
    pub switches: Option<f64>,
    /// Waits that ended before their time.
    pub early_count: usize,
    /// How much longer the whole series took than asked, a second asked.
    pub drift_share: f64,
}

/// Figures of a gap probe.
#[derive(Clone, Debug, PartialEq)]
pub struct GapFigures {
    /// The longest interval between two readings.
    pub longest: Nanos,
    /// The shortest.
    pub smallest: Nanos,
    /// Gaps that were retained.
    pub gap_count: usize,
    /// All gaps together.
    pub lost: Nanos,
    /// The same as a share of the time.
    pub lost_share: f64,
    /// Gaps a second.
    pub per_second: f64,
    /// The shortest gap that was retained.
    pub threshold: Nanos,
    /// Clock readings.
    pub readings: i64,
    /// How long the probe ran.
    pub runtime: Nanos,
    /// The mean interval, in nanoseconds.
    pub mean_nanos: f64,
    /// The standard deviation of all intervals, in nanoseconds.
    pub std_dev_nanos: f64,
    /// The squares of all intervals in square seconds, as the source prints them.
    pub square_secs: f64,
    /// Gaps below 10 µs, 100 µs, 1 ms, 10 ms, 30 ms, and above.
    pub classes: [usize; 6],
    /// Half, 99% and 99.9% of the time is in intervals up to this long, within an eighth; absent where
    /// the intervals were not counted and less time was lost than that.
    pub time_percentiles: [Option<Nanos>; 3],
    /// The step at which most gaps follow each other, where there is one: a scheduler's tick.
    pub period: Option<Nanos>,
}

/// Figures of game cycles on this many threads.
#[derive(Clone, Debug, PartialEq)]
pub struct TickFigures {
    /// The cycle.
    pub cycle: GameCycle,
    /// Mean time of a cycle over iterations, in nanoseconds.
    pub mean_nanos: f64,
    /// Half of the 99.9 % interval of the mean over iterations; absent with one iteration.
    pub error_nanos: Option<f64>,
    /// Single cycles.
    pub cycles: Spread,
    /// Mean time of a cycle in each iteration, in nanoseconds.
    pub iterations: Vec<f64>,
    /// Mean time per cycle spent moving, preparing, encoding and cleaning up, in nanoseconds; absent until
    /// an iteration has ended.
    pub phase_nanos: Option<[f64; 4]>,
    /// Bytes of all packets of a cycle: the mean of the last cycles of the iterations; absent until one
    /// has ended.
    pub packet_bytes: Option<f64>,
    /// Share of cycles within the budget.
    pub in_budget: f64,
    /// Share of cycles within a frame at 60 FPS.
    pub in_frame: f64,
}

/// The figures of trials of one label.
pub(super) fn of(trials: &[&TrialRun], budget: Nanos) -> Figures {
    let Some(first) = trials.first() else { return Figures::Paced };
    match (first.trial.pace, first.trial.work) {
        (Pace::After { length }, _) => waits(trials, length).map_or(Figures::Paced, Figures::Waits),
        (Pace::Gaps { .. }, _) => Figures::Gaps(Box::new(gaps(trials))),
        (_, Work::GameCycle(cycle)) => {
            ticks(trials, cycle, budget).map_or(Figures::Paced, Figures::Ticks)
        }
        _ => Figures::Paced,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
const fn float(count: usize) -> f64 {
    count as f64
}

fn sum_of(trials: &[&TrialRun], name: &str) -> Option<i64> {
    let mut sum = 0_i64;
    for trial in trials {
        sum = sum.saturating_add(*trial.counters.get(name)?);
    }
    Some(sum)
}

fn mean(values: impl Iterator<Item = i64>) -> f64 {
    let (sum, count) =
        values.fold((0_i128, 0_usize), |(sum, count), value| (sum + i128::from(value), count + 1));
    #[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
    let sum = sum as f64;
    if count == 0 { 0.0 } else { sum / float(count) }
}

fn waits(trials: &[&TrialRun], requested: Nanos) -> Option<WaitFigures> {
    let actual: Vec<i64> = trials.iter().flat_map(|trial| trial.samples.actual_nanos()).collect();
    let count = actual.len();
    let spun: u64 = trials.iter().flat_map(|trial| trial.samples.spins()).map(u64::from).sum();
    let all = Nanos::new(actual.iter().fold(0_i64, |sum, &value| sum.saturating_add(value)));
    #[expect(clippy::cast_precision_loss, reason = "turns stay far below 2^53")]
    let spun = spun as f64;
    let second = trials.iter().flat_map(|trial| {
        let samples = &trial.samples;
        let both = samples.done_nanos().zip(samples.began_nanos());
        both.map(|(done, began)| done.saturating_sub(began))
    });
    let target = requested.as_f64() * float(count);
    let of_each = |name| Some(Nanos::new(sum_of(trials, name)?).as_f64() / float(count));
    Some(WaitFigures {
        requested,
        second_reading_nanos: mean(second),
        spins: spun / float(count.max(1)),
        turn_nanos: (0.0 < spun).then(|| all.as_f64() / spun),
        cpu_nanos: of_each(counter::CPU_NANOS),
        switches: of_each(counter::INVOLUNTARY_SWITCHES).map(|each| each * 1_000.0),
        early_count: actual.iter().filter(|&&actual| actual < requested.get()).count(),
        drift_share: if target <= 0.0 { 0.0 } else { (all.as_f64() - target) / target },
        actual: Spread::of(actual)?,
    })
}

fn gaps(trials: &[&TrialRun]) -> GapFigures {
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
    // The sum of all intervals is known when the probe is over; before, the last gap does.
    let sum = counted(counter::INTERVAL_SUM_NANOS);
    let runtime = if 0 < sum { Nanos::new(sum) } else { live_runtime };
    let readings = counted(counter::READINGS);
    let readings_float = Nanos::new(readings).as_f64();
    let squares_micros = Nanos::new(counted(counter::INTERVAL_SQUARES)).as_f64();
    let mean_nanos = if 0 < readings { runtime.as_f64() / readings_float } else { 0.0 };
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
    let bins = bins(trials);
    let by_time = TimeWeighted::of(&bins, &lengths, runtime);
    GapFigures {
        longest: Nanos::new(
            of_all(counter::INTERVAL_MOST_NANOS).max().unwrap_or(0).max(longest_gap),
        ),
        smallest: Nanos::new(of_all(counter::INTERVAL_MIN_NANOS).min().unwrap_or(0)),
        gap_count: lengths.len(),
        lost,
        lost_share: if Nanos::ZERO < runtime { lost.as_f64() / runtime.as_f64() } else { 0.0 },
        per_second: if Nanos::ZERO < runtime {
            float(lengths.len()) / runtime.as_secs()
        } else {
            0.0
        },
        threshold: Nanos::new(of_all(counter::THRESHOLD_NANOS).max().unwrap_or(0)),
        readings,
        runtime,
        mean_nanos,
        std_dev_nanos: variance.max(0.0).sqrt(),
        square_secs: squares_micros / 1e12,
        classes,
        time_percentiles: [0.5, 0.99, 0.999].map(|share| by_time.percentile(share)),
        period,
    }
}

/// How many intervals the probes counted, by the shortest of their bin.
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

/// The step at which at least a third of the gaps follow each other, within a twentieth of it.
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

fn ticks(trials: &[&TrialRun], cycle: GameCycle, budget: Nanos) -> Option<TickFigures> {
    let means: Vec<f64> = trials
        .iter()
        .map(|trial| trial.values())
        .filter(|values| !values.is_empty())
        .map(|values| mean(values.into_iter()))
        .collect();
    let values: Vec<i64> = trials.iter().flat_map(|trial| trial.values()).collect();
    let mean_nanos = means.iter().sum::<f64>() / float(means.len().max(1));
    // While an iteration runs, its phases are not known: only what has ended is divided.
    let ended: Vec<&TrialRun> = trials
        .iter()
        .copied()
        .filter(|trial| trial.counters.contains_key(counter::PACKET_BYTES))
        .collect();
    let per_cycle = |name, cycles: usize| {
        let sum = sum_of(&ended, name).filter(|_| 0 < cycles)?;
        Some(Nanos::new(sum).as_f64() / float(cycles))
    };
    let cycles = ended.iter().map(|trial| trial.samples.len()).sum();
    let phase = |name| per_cycle(name, cycles);
    let phase_nanos = phase(counter::MOVING_NANOS)
        .zip(phase(counter::PREPARING_NANOS))
        .zip(phase(counter::ENCODING_NANOS).zip(phase(counter::RELEASING_NANOS)))
        .map(|((moving, preparing), (encoding, releasing))| {
            [moving, preparing, encoding, releasing]
        });
    let share_within = |limit: Nanos| {
        let count = values.iter().filter(|&&value| value <= limit.get()).count();
        float(count) / float(values.len().max(1))
    };
    Some(TickFigures {
        cycle,
        mean_nanos,
        error_nanos: Score::of(&means, 0.999).map(|score| score.error),
        phase_nanos,
        packet_bytes: per_cycle(counter::PACKET_BYTES, ended.len()),
        in_budget: share_within(budget),
        in_frame: share_within(FRAME),
        iterations: means,
        cycles: Sorted::of(values).map(|sorted| Spread::of_sorted(&sorted))?,
    })
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
