//! The figures of game cycles.

use super::super::model::figures::{FRAME, mean, sum_of};
use crate::nanos::Nanos;
use crate::plan::Work;
use crate::plan::work::GameCycle;
use crate::run::{TrialRun, counter};
use crate::stats::{Score, Sorted, Spread, float};

/// Figures of game cycles at one thread count.
#[derive(Clone, Debug, PartialEq)]
pub struct TickFigures {
    /// Settings of the cycle, such as its workload and number of threads.
    pub cycle: GameCycle,
    /// Mean time per cycle over all iterations, in nanoseconds.
    pub mean_nanos: f64,
    /// Half the width of the 99.9% interval of the mean over iterations; absent with one iteration.
    pub error_nanos: Option<f64>,
    /// Distribution of the times of single cycles.
    pub cycles: Spread,
    /// Mean time of a cycle in each iteration, in nanoseconds.
    pub iterations: Vec<f64>,
    /// Mean time per cycle of each phase, in nanoseconds: update positions, prepare, encode, clean
    /// up; absent until an iteration has ended.
    pub phase_nanos: Option<[f64; 4]>,
    /// Size of all packets of a cycle in bytes: the mean of the last cycle of each iteration;
    /// absent until an iteration has ended.
    pub packet_bytes: Option<f64>,
    /// Share of cycles, from 0 to 1, that took the time budget of the plan or less.
    pub in_budget: f64,
    /// Share of cycles, from 0 to 1, that took 16.7 ms or less, a frame at 60 FPS.
    pub in_frame: f64,
}

/// Returns the figures of the game cycles in these trials; `None` if no cycle was measured.
/// `budget` is the time that a cycle may take.
pub(super) fn figures(trials: &[&TrialRun], budget: Nanos) -> Option<TickFigures> {
    let Work::GameCycle(cycle) = trials.first()?.trial.work else { return None };
    let means: Vec<f64> = trials
        .iter()
        .map(|trial| trial.values())
        .filter(|values| !values.is_empty())
        .map(|values| mean(values.into_iter()))
        .collect();
    let values: Vec<i64> = trials.iter().flat_map(|trial| trial.values()).collect();
    let mean_nanos = means.iter().sum::<f64>() / float(means.len().max(1));
    // The times of the phases are known only for iterations that have ended: other iterations are
    // not counted.
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
