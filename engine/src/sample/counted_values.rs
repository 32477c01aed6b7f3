//! Values with their counts, such as the bins of a histogram.

use super::column::Column;

/// Values in nanoseconds, each with its count: some bytes per value, because neighboring values of a histogram differ
/// little. Clones share the values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedValues {
    values: Column,
    /// The bits of each count.
    counts: Column,
}

impl CountedValues {
    /// Adds a value with its count at the end. Time: O(1) on average.
    pub fn push(&mut self, value: i64, count: u64) {
        self.values.push(value);
        self.counts.push(count.cast_signed());
    }

    /// Returns the number of values, each counted once.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value at a position with its count; `None` beyond the end.
    pub fn get(&self, index: usize) -> Option<(i64, u64)> {
        self.values.get(index).zip(self.counts.get(index).map(i64::cast_unsigned))
    }

    /// Returns the first value with its count.
    pub fn first(&self) -> Option<(i64, u64)> {
        self.get(0)
    }

    /// Returns the last value with its count.
    pub fn last(&self) -> Option<(i64, u64)> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Returns an iterator over all values in order, each with its count.
    pub fn iter(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        self.values.values().zip(self.counts.values().map(i64::cast_unsigned))
    }

    /// Sorts the values, and adds up the counts of each value that is there several times.
    pub fn sort(&mut self) {
        if self.values.values().is_sorted_by(|value, next| value < next) {
            return;
        }
        let mut all: Vec<(i64, u64)> = self.iter().collect();
        all.sort_unstable();
        all.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            first.1 = if is_same { first.1.saturating_add(later.1) } else { first.1 };
            is_same
        });
        *self = all.into_iter().collect();
    }
}

impl FromIterator<(i64, u64)> for CountedValues {
    fn from_iter<I: IntoIterator<Item = (i64, u64)>>(values: I) -> Self {
        let mut counted = Self::default();
        for (value, count) in values {
            counted.push(value, count);
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_counts_and_are_merged_in_order() {
        let all = [(5, 1), (-3, u64::MAX - 1), (5, 2), (7, 1 << 63), (-3, 9)];
        let mut counted: CountedValues = all.into_iter().collect();
        assert_eq!(counted.iter().collect::<Vec<_>>(), all);
        assert_eq!((counted.first(), counted.last()), (Some((5, 1)), Some((-3, 9))));
        counted.sort();
        let merged = [(-3, u64::MAX), (5, 3), (7, 1 << 63)];
        assert_eq!(counted.iter().collect::<Vec<_>>(), merged);
        assert_eq!((counted.len(), counted.get(3)), (3, None));
        assert_eq!(CountedValues::default().last(), None);
    }
}
