//! Percentiles by the rules of several tools, and the number of samples that a percentile needs.

use super::{float, nanos_float, order, position};

/// A share of a distribution, in parts of 100 000: p99.9 is 99 900.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantile(u32);

impl Quantile {
    /// The median: 50% of the values are at or below it.
    pub const P50: Self = Self(50_000);
    /// 95% of the values are at or below this percentile.
    pub const P95: Self = Self(95_000);
    /// 99% of the values are at or below this percentile.
    pub const P99: Self = Self(99_000);
    /// 99.9% of the values are at or below this percentile.
    pub const P99_9: Self = Self(99_900);

    /// Creates a quantile from parts of 100 000; a larger number counts as 100 000.
    pub const fn new(parts: u32) -> Self {
        Self(if 100_000 < parts { 100_000 } else { parts })
    }

    /// Returns the share, between 0 and 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1e5
    }

    /// Returns the share in parts of 100 000.
    pub const fn parts(self) -> u32 {
        self.0
    }

    /// Returns `⌊count × share⌋`, computed exactly with integers.
    fn floor_of(self, count: usize) -> usize {
        let product = count as u128 * u128::from(self.0);
        usize::try_from(product / 100_000).unwrap_or(usize::MAX)
    }

    /// Returns `⌈count × share⌉`, computed exactly with integers.
    fn ceil_of(self, count: usize) -> usize {
        let product = count as u128 * u128::from(self.0);
        usize::try_from(product.div_ceil(100_000)).unwrap_or(usize::MAX)
    }
}

/// The rule for a percentile of sorted values; `N` is the number of values, and `p` is the share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PercentileRule {
    /// Interpolates between the two values around position `(N − 1) p`, counted from 0: NumPy, PresentMon,
    /// Excel's PERCENTILE.INC. (Hyndman and Fan 1996, type 7.)
    #[default]
    R7,
    /// Interpolates between the two values around position `(N + 1/3) p + 1/3`, counted from 1: CapFrameX.
    /// (Hyndman and Fan 1996, type 8.)
    R8,
    /// The smallest value with at least `N p` values at or below it: HdrHistogram.
    NearestRank,
    /// The value at position `⌊N p⌋`, counted from 0: `frame_jitter` of gdt-cpus. If `N p` is whole, this is one
    /// position above the nearest rank.
    FrameJitter,
}

/// Whether there are enough samples for a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sufficiency {
    /// There are enough samples.
    Enough,
    /// There are just enough samples: the percentile is uncertain.
    Weak,
    /// There are too few samples; the percentile needs this many.
    Needs(usize),
}

impl Sufficiency {
    /// Returns whether `count` samples are enough for a percentile: p95 needs 20, p99 needs 100 and is
    /// uncertain below 1 000, p99.9 needs 1 000 and is uncertain below 10 000.
    pub fn of(quantile: Quantile, count: usize) -> Self {
        let (needs, strong) = match quantile {
            q if q < Quantile::P95 => (1, 1),
            q if q < Quantile::P99 => (20, 20),
            q if q < Quantile::P99_9 => (100, 1_000),
            _ => (1_000, 10_000),
        };
        match count {
            count if count < needs => Self::Needs(needs),
            count if count < strong => Self::Weak,
            _ => Self::Enough,
        }
    }
}

/// Sorted values, at least one. If they are nanoseconds within 4.3 s, each takes four bytes, otherwise eight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sorted {
    min: i64,
    above: AboveShare,
}

/// Distances of the values from the lowest value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AboveShare {
    Fours(Vec<u32>),
    Eights(Vec<u64>),
}

impl Sorted {
    /// Sorts a list of values; `None` if it is empty. Time: O(n) for fewer than 4 194 304 values that differ
    /// by less than 4.3 s, else O(n log n).
    pub fn of(values: Vec<i64>) -> Option<Self> {
        let sorted = Self::of_values(values.iter().copied());
        drop(values);
        sorted
    }

    /// Sorts the values of an iterator, which is read twice; `None` if it is empty. Time: as for `of`.
    pub fn of_values(values: impl Iterator<Item = i64> + Clone) -> Option<Self> {
        let (min, max, count) = values.clone().fold((i64::MAX, i64::MIN, 0), |range, value| {
            let (min, max, count) = range;
            (value.min(min), value.max(max), count + 1)
        });
        if count == 0 {
            return None;
        }
        let above = if let Ok(reach) = u32::try_from(max.abs_diff(min)) {
            let mut fours = Vec::with_capacity(count);
            let distance = |value: i64| u32::try_from(value.abs_diff(min)).unwrap_or(reach);
            fours.extend(values.map(distance));
            order::sort(&mut fours, reach);
            AboveShare::Fours(fours)
        } else {
            let mut eights = Vec::with_capacity(count);
            eights.extend(values.map(|value| value.abs_diff(min)));
            eights.sort_unstable();
            AboveShare::Eights(eights)
        };
        Some(Self { min, above })
    }

    /// Returns the values, the lowest first.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = i64> + ExactSizeIterator + Clone + '_ {
        (0..self.count()).map(|index| self.at(index))
    }

    /// Returns the number of values.
    pub const fn count(&self) -> usize {
        match &self.above {
            AboveShare::Fours(above) => above.len(),
            AboveShare::Eights(above) => above.len(),
        }
    }

    /// Returns the lowest value.
    pub const fn min(&self) -> i64 {
        self.min
    }

    /// Returns the highest value.
    pub fn max(&self) -> i64 {
        self.at(self.count() - 1)
    }

    /// Returns the number of values above a limit.
    pub fn count_above(&self, limit: i64) -> usize {
        self.count() - self.count_while(|value| value <= limit)
    }

    /// Returns the number of values that meet a condition, which must hold for all values up to some point and
    /// for none above that point. Time: O(log n).
    pub fn count_while(&self, is_met: impl Fn(i64) -> bool) -> usize {
        let is_met = |above: u64| is_met(self.min.wrapping_add_unsigned(above));
        match &self.above {
            AboveShare::Fours(above) => above.partition_point(|&above| is_met(u64::from(above))),
            AboveShare::Eights(above) => above.partition_point(|&above| is_met(above)),
        }
    }

    /// Subtracts `by` from every value. Results outside of `i64` become the nearest `i64`.
    #[must_use]
    pub fn less(self, by: i64) -> Self {
        match (self.min.checked_sub(by), self.max().checked_sub(by)) {
            (Some(min), Some(_)) => Self { min, ..self },
            _ => {
                Self::of_values(self.values().map(|value| value.saturating_sub(by))).unwrap_or(self)
            }
        }
    }

    /// Returns the value at a position, counted from 0; the highest value for a position beyond the end.
    pub fn at(&self, index: usize) -> i64 {
        let index = index.min(self.count() - 1);
        let above = match &self.above {
            AboveShare::Fours(above) => above.get(index).copied().map(u64::from),
            AboveShare::Eights(above) => above.get(index).copied(),
        };
        self.min.wrapping_add_unsigned(above.unwrap_or(0))
    }

    /// Returns the value below which the share `quantile` of the values is, by the given rule.
    pub fn percentile(&self, quantile: Quantile, rule: PercentileRule) -> f64 {
        let count = self.count();
        match rule {
            PercentileRule::R7 => self.between(float(count - 1) * quantile.share()),
            PercentileRule::R8 => {
                self.between((float(count) + 1.0 / 3.0) * quantile.share() + 1.0 / 3.0 - 1.0)
            }
            PercentileRule::NearestRank => {
                nanos_float(self.at(quantile.ceil_of(count).saturating_sub(1)))
            }
            PercentileRule::FrameJitter => nanos_float(self.at(quantile.floor_of(count))),
        }
    }

    /// Returns the value at a fractional position, counted from 0, by linear interpolation between two values.
    fn between(&self, at: f64) -> f64 {
        let at = at.clamp(0.0, float(self.count() - 1));
        let below = position(at);
        let (low, high) = (nanos_float(self.at(below)), nanos_float(self.at(below + 1)));
        low + (high - low) * (at - float(below))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: [PercentileRule; 4] = [
        PercentileRule::R7,
        PercentileRule::R8,
        PercentileRule::NearestRank,
        PercentileRule::FrameJitter,
    ];

    /// Returns a golden data set in nanoseconds. A: 999 × 8 ms and 1 × 200 ms. B: 990 × 16.667 ms and
    /// 10 × 33.333 ms. C: a ramp from 10.01 to 20 ms. D: 49 × 16.667 ms and 1 × 100 ms.
    fn golden(set: char) -> Vec<i64> {
        let of = |parts: &[(usize, i64)]| {
            parts.iter().flat_map(|&(count, micros)| vec![micros * 1_000; count]).collect()
        };
        match set {
            'A' => of(&[(999, 8_000), (1, 200_000)]),
            'B' => of(&[(990, 16_667), (10, 33_333)]),
            'C' => (1..=1_000).map(|k| 10_000_000 + k * 10_000).collect(),
            _ => of(&[(49, 16_667), (1, 100_000)]),
        }
    }

    #[test]
    fn p99_is_what_each_tool_shows() {
        for (set, expected) in [
            ('A', [8.0, 8.0, 8.0, 8.0]),
            ('B', [16.8337, 27.7221, 16.667, 33.333]),
            ('C', [19.9001, 19.9066, 19.9, 19.91]),
            ('D', [59.1668, 100.0, 100.0, 100.0]),
        ] {
            let sorted = Sorted::of(golden(set)).unwrap();
            for (rule, millis) in RULES.into_iter().zip(expected) {
                let found = sorted.percentile(Quantile::P99, rule) / 1e6;
                assert!((found - millis).abs() < 1e-4, "{set} {rule:?}: {found}, not {millis}");
            }
        }
    }

    #[test]
    fn p99_9_of_one_spike_in_a_thousand() {
        let sorted = Sorted::of(golden('A')).unwrap();
        for (rule, millis) in RULES.into_iter().zip([8.192, 135.936, 8.0, 200.0]) {
            let found = sorted.percentile(Quantile::P99_9, rule) / 1e6;
            assert!((found - millis).abs() < 1e-3, "{rule:?}: {found}, not {millis}");
        }
    }

    #[test]
    fn too_few_samples_are_said() {
        for (quantile, count, expected) in [
            (Quantile::P50, 1, Sufficiency::Enough),
            (Quantile::P95, 19, Sufficiency::Needs(20)),
            (Quantile::P99, 99, Sufficiency::Needs(100)),
            (Quantile::P99, 600, Sufficiency::Weak),
            (Quantile::P99_9, 999, Sufficiency::Needs(1_000)),
            (Quantile::P99_9, 1_800, Sufficiency::Weak),
            (Quantile::P99_9, 10_000, Sufficiency::Enough),
        ] {
            assert_eq!(Sufficiency::of(quantile, count), expected);
        }
    }

    #[test]
    fn values_any_distance_apart_are_put_in_order() {
        let far = i64::from(u32::MAX);
        for most in [5, far, far + 1, i64::MAX] {
            for min in [i64::MIN, -5, i64::MAX - most] {
                let values = [min + most, min, min + 1, min + most];
                let sorted = Sorted::of(values.to_vec()).unwrap();
                let expected = [min, min + 1, min + most, min + most];
                assert!(sorted.values().eq(expected), "{min} {most}: {sorted:?}");
                let less = sorted.less(7).values().collect::<Vec<_>>();
                assert_eq!(less, expected.map(|value| value.saturating_sub(7)), "{min} {most}");
            }
        }
        let ends = Sorted::of(vec![i64::MAX, i64::MIN, 0]).unwrap();
        assert!(ends.values().eq([i64::MIN, 0, i64::MAX]) && ends.count_above(0) == 1);
        assert_eq!(Sorted::of(Vec::new()), None);
    }

    proptest! {
        #[test]
        fn percentiles_rise_and_stay_inside(
            values in proptest::collection::vec(any::<i64>(), 1..300),
            a in 0_u32..=100_000,
            b in 0_u32..=100_000,
        ) {
            let sorted = Sorted::of(values).unwrap();
            let (low, high) = (Quantile::new(a.min(b)), Quantile::new(a.max(b)));
            for rule in RULES {
                let (x, y) = (sorted.percentile(low, rule), sorted.percentile(high, rule));
                prop_assert!(x <= y);
                prop_assert!(nanos_float(sorted.min()) <= x && y <= nanos_float(sorted.max()));
            }
        }
    }
}
