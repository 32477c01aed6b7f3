//! Bins of values for resampled runs. A bin holds at most 1/200 of the values above it, so that bins
//! are narrow among the highest values, which are few.

use super::super::percentile::Quantile;
use super::super::{float, nanos_float, position};
use super::ResampleSource;
use crate::sample::{Column, MISSING};

/// The number of values in a bin is at most the number of values above the bin, divided by this.
const FINENESS: usize = 200;
/// Edges of bins are selected from about this many values at most, taken evenly over time.
const MAX_LOOKED_AT: usize = 1 << 16;

/// Bins in rising order, made from the values of several runs together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    /// Lowest value of each bin; the first bin also holds all lower values.
    edges: Vec<i64>,
    /// Min, max, and mean of the values in each bin.
    inside: Vec<Inside>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Inside {
    min: f64,
    most: f64,
    mean: f64,
}

impl Bins {
    /// Creates bins for the values of all sources. With up to a few hundred values, each value has its own bin, so
    /// that no high value is rounded.
    pub fn of(sources: &[&ResampleSource]) -> Self {
        let lists: Vec<&Column> = sources.iter().map(|source| &source.values).collect();
        let lists = lists.as_slice();
        let total: usize = lists.iter().map(|list| list.len()).sum();
        let step = total.div_ceil(MAX_LOOKED_AT).max(1);
        let mut looked_at: Vec<i64> = lists
            .iter()
            .flat_map(|list| list.values().step_by(step))
            .filter(|&value| value != MISSING)
            .collect();
        looked_at.sort_unstable();
        let mut edges = Vec::new();
        let mut above = 0;
        while above < looked_at.len() {
            // Edges are found from the highest bin down; `above` counts the values at or above the next edge.
            above += (above / FINENESS).max(1);
            let at = looked_at.len().saturating_sub(above);
            let Some(&edge) = looked_at.get(at) else { break };
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
        }
        edges.reverse();
        // Values above the highest edge are in the highest bin.
        let mut bins = Self { inside: Vec::new(), edges };
        bins.describe(lists);
        bins
    }

    fn describe(&mut self, lists: &[&Column]) {
        let mut counts = vec![0_usize; self.edges.len()];
        let empty = Inside { min: f64::INFINITY, most: f64::NEG_INFINITY, mean: 0.0 };
        self.inside = vec![empty; self.edges.len()];
        let values = lists.iter().flat_map(|list| list.values());
        for value in values.filter(|&value| value != MISSING) {
            let at = self.position(value);
            let value = nanos_float(value);
            if let (Some(inside), Some(count)) = (self.inside.get_mut(at), counts.get_mut(at)) {
                inside.min = inside.min.min(value);
                inside.most = inside.most.max(value);
                *count += 1;
                inside.mean += (value - inside.mean) / float(*count);
            }
        }
    }

    /// Returns the number of bins.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// Returns a central value, which is subtracted from values before their squares are summed.
    pub(super) fn middle(&self) -> f64 {
        self.inside.get(self.inside.len() / 2).map_or(0.0, |inside| inside.mean)
    }

    /// Returns the position of the bin of a value.
    fn position(&self, value: i64) -> usize {
        self.edges.partition_point(|&edge| edge <= value).saturating_sub(1)
    }

    /// Appends a count to each of the lists of `to`, one per bin: the last one, and how many of the values are in this
    /// bin and all lower bins.
    pub(super) fn count(&self, values: impl Iterator<Item = i64>, to: &mut [Vec<u32>]) {
        let mut inside = vec![0_u32; to.len()];
        for value in values.filter(|&value| value != MISSING) {
            if let Some(count) = inside.get_mut(self.position(value)) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0_u32;
        for (counts, inside) in to.iter_mut().zip(inside) {
            sum = sum.saturating_add(inside);
            let earlier = counts.last().copied().unwrap_or_default();
            counts.push(earlier.saturating_add(sum));
        }
    }

    /// Returns a percentile by R type 7; `None` without values. `up_to` returns the number of values in a bin and
    /// all lower bins. Values are assumed to be evenly distributed in their bin.
    pub(super) fn percentile(
        &self,
        up_to: impl Fn(usize) -> usize,
        quantile: Quantile,
    ) -> Option<f64> {
        let total = up_to(self.len().checked_sub(1)?);
        let at = float(total.checked_sub(1)?) * quantile.share();
        let rank = position(at);
        let bin_of = |rank: usize| {
            let (mut bin, mut end) = (0, self.len());
            while bin < end {
                let middle = usize::midpoint(bin, end);
                if rank < up_to(middle) { end = middle } else { bin = middle + 1 }
            }
            bin
        };
        let bin = bin_of(rank);
        let (below, to) = (below(&up_to, bin), up_to(bin));
        let value = |rank: usize, bin: usize, below: usize, to: usize| {
            let inside = self.inside.get(bin)?;
            let share = (float(rank - below) + 0.5) / float(to - below);
            Some(inside.min + (inside.most - inside.min) * share)
        };
        let low = value(rank, bin, below, to)?;
        // The next value is mostly in the same bin; otherwise in the next one that has any.
        let high = if rank + 1 < to {
            value(rank + 1, bin, below, to)
        } else {
            let next = bin_of(rank + 1);
            value(rank + 1, next, to, up_to(next))
        };
        Some(high.map_or(low, |high| low + (high - low) * (at - float(rank))))
    }

    /// Returns the share of values above a limit; `None` without values. Values are assumed to be evenly
    /// distributed in their bin. `up_to` returns the number of values in a bin and all lower bins.
    pub(super) fn share_above(&self, up_to: impl Fn(usize) -> usize, limit: i64) -> Option<f64> {
        let (limit, total) = (nanos_float(limit), float(up_to(self.len().checked_sub(1)?)));
        let bin = self.inside.partition_point(|inside| inside.most <= limit);
        let below = float(below(&up_to, bin));
        let at_most = match self.inside.get(bin).filter(|inside| inside.min <= limit) {
            Some(inside) => {
                let share = (limit - inside.min) / (inside.most - inside.min);
                below + (float(up_to(bin)) - below) * share
            }
            None => below,
        };
        (0.0 < total).then(|| (total - at_most) / total)
    }

    /// Returns the mean of the highest values; `share` is their share of all values, and their number is rounded
    /// up. `None` without values. `up_to` returns the number of values in a bin and all lower bins.
    pub(super) fn mean_of_highest(
        &self,
        up_to: impl Fn(usize) -> usize,
        share: f64,
    ) -> Option<f64> {
        let total = up_to(self.len().checked_sub(1)?);
        let wanted = position((float(total) * share).ceil()).min(total);
        let (mut left, mut sum, mut above) = (wanted, 0.0, total);
        for (bin, inside) in self.inside.iter().enumerate().rev() {
            let below = below(&up_to, bin);
            let taken = (above - below).min(left);
            sum += inside.mean * float(taken);
            left -= taken;
            above = below;
            if left == 0 {
                break;
            }
        }
        (0 < wanted).then(|| sum / float(wanted))
    }
}

/// Returns the number of values in all bins below a bin.
fn below(up_to: &impl Fn(usize) -> usize, bin: usize) -> usize {
    bin.checked_sub(1).map_or(0, up_to)
}
