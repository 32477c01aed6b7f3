//! Confidence intervals of relative changes, from runs resampled in blocks of neighbors.

use super::super::metric::Statistic;
use crate::nanos::Nanos;
use crate::sample::Column;
use crate::stats::blocks::{Draw, Drawing, RESAMPLES, Scales, Track};
use crate::stats::{Round, float};

/// The seed: the same samples always give the same interval.
const SEED: u64 = 0x6368_616e_6765;

/// The values of one track of a configuration, all trials one after the other.
#[derive(Debug, Default)]
pub(super) struct Samples {
    pub values: Column,
    /// Missed frames and skipped slots of each sample; empty where the track has no slots.
    counts: [Column; 2],
    none: Column,
    late_limit: i64,
}

impl Samples {
    /// No samples yet; a value above `late_limit` counts as late.
    pub(super) fn new(late_limit: Nanos) -> Self {
        Self { late_limit: late_limit.get(), ..Self::default() }
    }

    /// Adds what was missed around each frame of a round.
    pub(super) fn add_slots(&mut self, round: &Round<'_>, period: Nanos) {
        let skipped = std::iter::once(0).chain(round.steps(period).map(|step| step.empty_count));
        let frames = round.samples.due_nanos().zip(round.samples.done_nanos());
        for ((due, done), skipped) in frames.zip(skipped) {
            let unfinished = i64::from(period.get() < done.saturating_sub(due));
            let [missed, empty] = &mut self.counts;
            missed.push(unfinished.saturating_add(skipped));
            empty.push(skipped);
        }
    }

    fn track(&self) -> Track<'_> {
        Track { values: &self.values, seconds: &self.none, counts: &self.counts }
    }

    fn drawn(&self, draw: &Draw<'_>, statistic: Statistic) -> Option<f64> {
        let count = |at: usize| {
            let count = draw.sums().counts.get(at).copied().unwrap_or(0);
            float(usize::try_from(count).unwrap_or(usize::MAX))
        };
        match statistic {
            Statistic::Mean => draw.mean(),
            Statistic::StdDev => draw.std_dev(),
            Statistic::Percentile(quantile) => draw.percentile(quantile),
            Statistic::LateShare => draw.share_above(self.late_limit),
            Statistic::MissedShare => Some(count(0) / (float(draw.sums().samples) + count(1))),
            Statistic::Min | Statistic::Max | Statistic::HiddenFrames => None,
        }
    }

    /// The values of every statistic in every resampled run, and how far their intervals are to be widened.
    fn draws(&self, scales: &Scales, seed: u64, of: &[Statistic]) -> Option<(Vec<Vec<f64>>, f64)> {
        let mut drawing = Drawing::of(&self.track(), scales, seed)?;
        let mut lists = vec![Vec::with_capacity(RESAMPLES); of.len()];
        for _ in 0..RESAMPLES {
            let draw = drawing.draw();
            for (list, &statistic) in lists.iter_mut().zip(of) {
                list.push(self.drawn(draw, statistic).unwrap_or(f64::NAN));
            }
        }
        Some((lists, drawing.widening()))
    }
}

/// The 95% interval of `(after − before) / before` of each statistic; `None` for too few samples, and
/// where `before` is 0 in a resampled run.
pub(super) fn change_intervals(
    before: &Samples,
    after: &Samples,
    statistics: &[Statistic],
) -> Vec<Option<(f64, f64)>> {
    let scales = Scales::of(&[before.track(), after.track()]);
    let both =
        before.draws(&scales, SEED, statistics).zip(after.draws(&scales, SEED + 1, statistics));
    let Some(((before, widening), (after, other))) = both else {
        return vec![None; statistics.len()];
    };
    let lists = before.iter().zip(&after);
    lists.map(|(before, after)| interval(before, after, widening.max(other))).collect()
}

fn interval(before: &[f64], after: &[f64], widening: f64) -> Option<(f64, f64)> {
    let pairs = before.iter().zip(after);
    let mut changes: Vec<f64> =
        pairs.map(|(before, after)| (after - before) / before.abs()).collect();
    if changes.iter().any(|change| !change.is_finite()) {
        return None;
    }
    changes.sort_by(f64::total_cmp);
    let middle = *changes.get(changes.len() / 2)?;
    let end = |part: f64| {
        let at = crate::stats::position(part * float(changes.len() - 1));
        Some(middle + (changes.get(at)? - middle) * widening)
    };
    Some((end(0.025)?, end(0.975)?))
}
