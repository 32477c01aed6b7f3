//! A histogram whose bins grow by a constant factor. Values below the first bin are counted separately.

use super::{float, nanos_float, position};
use crate::nanos::Nanos;

/// A value this far below the edge of a bin, in bin widths, still belongs to the bin: the computed logarithm of a
/// power of ten is not exact.
const TOLERANCE: f64 = 1e-9;

/// Counts of values in logarithmic bins, from `first` upward, with `per_decade` bins per decade.
#[derive(Clone, Debug, PartialEq)]
pub struct LogHistogram {
    first: Nanos,
    per_decade: u32,
    below: u64,
    counts: Vec<u64>,
}

impl Default for LogHistogram {
    /// Creates an empty histogram with the bins that all charts use: from 100 ns upward, 10 per decade.
    fn default() -> Self {
        Self::new(Nanos::new(100), 10)
    }
}

impl LogHistogram {
    /// Creates an empty histogram. Values below `first`, including 0 and negative values, are counted in `below`.
    const fn new(first: Nanos, per_decade: u32) -> Self {
        Self { first, per_decade, below: 0, counts: Vec::new() }
    }

    /// Creates a histogram of a list of values in nanoseconds, with the default bins.
    pub fn of(values: &[i64]) -> Self {
        Self::of_values(values.iter().copied())
    }

    /// Creates a histogram of the values of an iterator in nanoseconds, with the default bins.
    pub fn of_values(values: impl Iterator<Item = i64>) -> Self {
        let mut histogram = Self::default();
        for value in values {
            histogram.add(value);
        }
        histogram
    }

    /// Counts a value in nanoseconds.
    pub fn add(&mut self, nanos: i64) {
        self.add_many(nanos, 1);
    }

    /// Counts a value in nanoseconds that occurred `seen` times.
    pub fn add_many(&mut self, nanos: i64, seen: u64) {
        if nanos < self.first.get() || self.first.get() <= 0 {
            self.below = self.below.saturating_add(seen);
            return;
        }
        let decades = (nanos_float(nanos) / self.first.as_f64()).log10();
        let bin = position((decades * f64::from(self.per_decade) + TOLERANCE).floor());
        if self.counts.len() <= bin {
            self.counts.resize(bin + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(bin) {
            *count = count.saturating_add(seen);
        }
    }

    /// Returns the number of values below the first bin.
    pub const fn below(&self) -> u64 {
        self.below
    }

    /// Returns the bins in order, each as its lower edge, upper edge, and count.
    pub fn bins(&self) -> impl Iterator<Item = (Nanos, Nanos, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .map(|(bin, &count)| (self.edge(bin), self.edge(bin + 1), count))
    }

    /// Returns the number of all counted values, including those below the first bin.
    pub fn total(&self) -> u64 {
        self.below + self.counts.iter().sum::<u64>()
    }

    /// Returns the smallest value that belongs to a bin.
    fn edge(&self, bin: usize) -> Nanos {
        let decades = (float(bin) - TOLERANCE) / f64::from(self.per_decade.max(1));
        Nanos::from_nanos_f64((self.first.as_f64() * 10_f64.powf(decades)).ceil())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decades_fall_on_edges() {
        let histogram = LogHistogram::of(&[-5, 0, 99, 100, 125, 999, 1_000, 10_000]);
        assert_eq!(histogram.below(), 3);
        let bins: Vec<_> = histogram.bins().filter(|bin| 0 < bin.2).collect();
        assert_eq!(bins[0], (Nanos::new(100), Nanos::new(126), 2));
        assert_eq!(bins[1].2, 1);
        assert_eq!(bins[2], (Nanos::new(1_000), Nanos::new(1_259), 1));
        assert_eq!(bins[3].0, Nanos::new(10_000));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(values in proptest::collection::vec(any::<i64>(), 0..200)) {
            let histogram = LogHistogram::of(&values);
            prop_assert_eq!(histogram.total(), values.len() as u64);
        }

        #[test]
        fn every_bin_counts_the_values_between_its_edges(
            values in proptest::collection::vec(50..10_000_000_000_i64, 0..200),
        ) {
            let histogram = LogHistogram::of(&values);
            for (from, to, count) in histogram.bins() {
                let own = values.iter().filter(|&&value| (from.get()..to.get()).contains(&value));
                prop_assert_eq!(own.count() as u64, count);
            }
        }
    }
}
