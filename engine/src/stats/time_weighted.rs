//! Percentiles of interval lengths, where each interval counts by its length: a share of the time, not a share of
//! the intervals. They are computed from counts per bin, and from exact lengths where these are known.

use std::collections::BTreeMap;

use super::nanos_float;
use crate::nanos::Nanos;

/// The distribution of the lengths of intervals, in nanoseconds, in which each interval weighs as much as its length.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeWeighted<'a> {
    /// The bins in ascending order: the shortest length, the longest length, and the time in the intervals of the bin
    /// whose exact length is unknown.
    bins: Vec<(i64, i64, f64)>,
    /// The intervals whose exact length is known, in ascending order.
    known: &'a [i64],
    total: f64,
}

/// Returns the width in nanoseconds of a bin that begins at `edge`. Eight bins cover a factor of two; below 16 ns, a
/// bin has a single length.
fn width(edge: i64) -> i64 {
    1 << edge.max(1).ilog2().saturating_sub(3)
}

impl<'a> TimeWeighted<'a> {
    /// Divides a total time over intervals. `counts` has the number of intervals per bin, by the lower edge of the bin,
    /// and includes the intervals of `known`, whose exact lengths are in ascending order. The other intervals of a bin
    /// are spread evenly over the bin. If `counts` is empty, the rest of the time is not assigned to any length.
    pub fn of(counts: &BTreeMap<i64, u64>, known: &'a [i64], total: Nanos) -> Self {
        let mut bins: Vec<(i64, i64, f64)> = counts
            .iter()
            .map(|(&edge, &count)| {
                let end = edge.saturating_add(width(edge));
                let from = known.partition_point(|&length| length < edge);
                let to = known.partition_point(|&length| length < end);
                let unknown = count.saturating_sub(u64::try_from(to - from).unwrap_or(0));
                // The known intervals are the longest ones, so the others in this bin are shorter.
                let shortest_known = known.get(from).copied().unwrap_or(end);
                let longest = (end.min(shortest_known) - 1).max(edge);
                #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
                let unknown = unknown as f64;
                let middle = f64::midpoint(nanos_float(edge), nanos_float(longest));
                (edge, longest, unknown * middle)
            })
            .collect();
        let total = total.as_f64();
        let known_time: f64 = known.iter().map(|&length| nanos_float(length)).sum();
        let in_bins: f64 = bins.iter().map(|bin| bin.2).sum();
        if 0.0 < in_bins {
            // The total is exact, but the middle of a bin is an estimate: scale all bins to the total.
            let scale = (total - known_time).max(0.0) / in_bins;
            for bin in &mut bins {
                bin.2 *= scale;
            }
        }
        Self { bins, known, total }
    }

    /// Returns the length L such that intervals up to L make up this share of the time. L is interpolated within a bin:
    /// the error is at most the width of the bin, an eighth of L. `None` if no length is known at this share.
    pub fn percentile(&self, share: f64) -> Option<Nanos> {
        // Add up from the longest interval down, because the lengths of the longest intervals are known exactly.
        let above = (1.0 - share) * self.total;
        let mut sum = 0.0;
        let mut known = self.known;
        let mut take_known = |sum: &mut f64, from: i64| {
            while let Some((&length, shorter)) = known.split_last() {
                if length < from {
                    return None;
                }
                known = shorter;
                *sum += nanos_float(length);
                if above <= *sum {
                    return Some(Nanos::new(length));
                }
            }
            None
        };
        if self.total <= 0.0 {
            return None;
        }
        for &(shortest, longest, time) in self.bins.iter().rev() {
            if let Some(length) = take_known(&mut sum, shortest) {
                return Some(length);
            }
            if 0.0 < time && above <= sum + time {
                let part = (above - sum) / time;
                let span = nanos_float(longest) - nanos_float(shortest);
                return Some(Nanos::from_nanos_f64(nanos_float(longest) - part * span));
            }
            sum += time;
        }
        // Rounding can make the sum slightly smaller than the total.
        take_known(&mut sum, i64::MIN).or(self.bins.first().map(|bin| Nanos::new(bin.0)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn without_counts_only_long_intervals_are_known() {
        // One second with one interval of 2 ms and 1 000 of 1 µs: the top 0.1% of the time, 1 ms, is in the longest.
        let mut known = vec![1_000; 1_000];
        known.push(2_000_000);
        let nothing = BTreeMap::new();
        let time = TimeWeighted::of(&nothing, &known, Nanos::from_secs(1));
        assert_eq!(time.percentile(0.999), Some(Nanos::from_millis(2)));
        assert_eq!(time.percentile(0.9975), Some(Nanos::new(1_000)));
        assert_eq!(time.percentile(0.9), None);
        assert_eq!(TimeWeighted::of(&nothing, &[], Nanos::ZERO).percentile(0.5), None);
    }

    #[test]
    fn counts_tell_the_rest_and_known_lengths_are_exact() {
        // Of 441 600 ns, 10 000 intervals of 15 ns take 150 000 ns, 1 000 of 40 to 43 ns take about
        // 41 500 ns, and one of 250 µs (in the bin from 245 760 ns) takes 250 000 ns. The first two times are
        // scaled by 191 600 / 191 500.
        let counts = BTreeMap::from([(15, 10_000), (40, 1_000), (245_760, 1)]);
        let time = TimeWeighted::of(&counts, &[250_000], Nanos::new(441_600));
        assert_eq!(time.percentile(0.5), Some(Nanos::new(250_000)));
        assert_eq!(time.percentile(0.2), Some(Nanos::new(15)));
        // The bin from 40 ns has 41 522 ns of the time. Half of it, 20 761 ns, is above the middle of the bin, 41.5 ns.
        assert_eq!(time.percentile(1.0 - 270_770.0 / 441_600.0), Some(Nanos::new(41)));
        assert_eq!(time.percentile(1.0), Some(Nanos::new(250_000)));
    }

    proptest! {
        #[test]
        fn a_higher_share_lies_at_a_longer_length(
            lengths in proptest::collection::vec(1_i64..1 << 40, 1..200),
            known_from in 1_i64..1 << 40,
            share in 0.0_f64..0.99,
        ) {
            let mut counts = BTreeMap::new();
            for &length in &lengths {
                let step = width(length);
                *counts.entry(length / step * step).or_insert(0) += 1;
            }
            let mut known: Vec<i64> =
                lengths.iter().copied().filter(|&length| known_from <= length).collect();
            known.sort_unstable();
            let time = TimeWeighted::of(&counts, &known, Nanos::new(lengths.iter().sum()));
            let (low, high) = (time.percentile(share).unwrap(), time.percentile(share + 0.01).unwrap());
            prop_assert!(low <= high, "{low} {high}");
        }
    }
}
