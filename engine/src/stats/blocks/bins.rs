//! Bins that are narrow where there are few values: each holds at most a two-hundredth of the
//! values above it.

use super::super::percentile::Quantile;
use super::super::{float, nanos_float, position};
use super::ResampleSource;
use crate::sample::{Column, MISSING};

/// The share of the values above a bin that it may hold, as a divisor.
const FINENESS: usize = 200;
/// Edges are selected from this many values, taken evenly over time.
const MAX_LOOKED_AT: usize = 1 << 16;

/// Bins of rising values, from pooled runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    /// The lowest value of each bin; the first bin holds all below, too.
    edges: Vec<i64>,
    /// Min, max, and mean of each bin.
    inside: Vec<Inside>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Inside {
    min: f64,
    most: f64,
    mean: f64,
}

impl Bins {
    /// Bins that fit the values of all sources. Lists of a few hundred values get a bin a value, so that nothing is
    /// rounded in the tail.
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
            // From the top downwards: the bin's lowest value.
            above += (above / FINENESS).max(1);
            let at = looked_at.len().saturating_sub(above);
            let Some(&edge) = looked_at.get(at) else { break };
            if edges.last() != Some(&edge) {
                edges.push(edge);
            }
        }
        edges.reverse();
        // Values above the largest one sampled share its bin.
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

    /// How many bins there are.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// A central value, subtracted before squares are summed.
    pub(super) fn middle(&self) -> f64 {
        self.inside.get(self.inside.len() / 2).map_or(0.0, |inside| inside.mean)
    }

    /// The bin of a value.
    fn position(&self, value: i64) -> usize {
        self.edges.partition_point(|&edge| edge <= value).saturating_sub(1)
    }

    /// Adds values to a histogram.
    pub(super) fn count(&self, values: impl Iterator<Item = i64>, to: &mut [u32]) {
        for value in values.filter(|&value| value != MISSING) {
            if let Some(count) = to.get_mut(self.position(value)) {
                *count = count.saturating_add(1);
            }
        }
    }

    /// A percentile of a histogram by R-7; values are taken to lie evenly in their bin.
    pub(super) fn percentile(&self, counts: &[u32], quantile: Quantile) -> Option<f64> {
        let total: usize = counts.iter().map(|&count| wide(count)).sum();
        let at = float(total.checked_sub(1)?) * quantile.share();
        let rank = position(at);
        let (mut below, mut low) = (0, None);
        for (&count, inside) in counts.iter().zip(&self.inside) {
            let count = wide(count);
            for wanted in [rank, rank + 1] {
                if below <= wanted && wanted < below + count {
                    let share = (float(wanted - below) + 0.5) / float(count);
                    let value = inside.min + (inside.most - inside.min) * share;
                    match low {
                        None => low = Some(value),
                        Some(low) => return Some(low + (value - low) * (at - float(rank))),
                    }
                }
            }
            below += count;
        }
        low
    }

    /// The share of a histogram above a limit; values are taken to lie evenly in their bin.
    pub(super) fn share_above(&self, counts: &[u32], limit: i64) -> Option<f64> {
        let limit = nanos_float(limit);
        let (mut total, mut above) = (0.0, 0.0);
        for (&count, inside) in counts.iter().zip(&self.inside) {
            let (count, width) = (f64::from(count), inside.most - inside.min);
            total += count;
            above += if limit < inside.min {
                count
            } else if inside.most <= limit || width <= 0.0 {
                0.0
            } else {
                count * (inside.most - limit) / width
            };
        }
        (0.0 < total).then(|| above / total)
    }

    /// The mean of the highest: the share that is `share` of all, rounded up.
    pub(super) fn mean_of_highest(&self, counts: &[u32], share: f64) -> Option<f64> {
        let total: usize = counts.iter().map(|&count| wide(count)).sum();
        let wanted = position((float(total) * share).ceil()).min(total);
        let (mut left, mut sum) = (wanted, 0.0);
        for (&count, inside) in counts.iter().zip(&self.inside).rev() {
            let taken = wide(count).min(left);
            sum += inside.mean * float(taken);
            left -= taken;
            if left == 0 {
                break;
            }
        }
        (0 < wanted).then(|| sum / float(wanted))
    }
}

/// A count of a bin as a position.
fn wide(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
