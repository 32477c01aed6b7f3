//! Drawing whole runs anew in blocks of neighbors, at a cost that does not grow with their length.
//!
//! The moving-block bootstrap (Künsch 1989; Liu and Singh 1992) draws blocks of neighbors with
//! replacement until there are as many samples as before. Here a run is cut once into some hundred short
//! stretches; for each a histogram and some sums are kept, added up from the run's beginning. A block is
//! a whole number of stretches, so its histogram is the difference of two of them, and a draw costs some
//! ten additions a bin whether the run has six hundred samples or millions.

mod bins;

use std::iter::Take;

use super::float;
use super::percentile::Quantile;
use crate::sample::{Column, Values};

pub use bins::Bins;

/// How often a run is drawn anew.
pub const RESAMPLES: usize = 2_000;
/// Fewer samples are not drawn from: their ends would decide everything.
pub const LEAST_SAMPLES: usize = 50;
/// Stretches in a block, where samples are enough.
const STRETCHES_A_BLOCK: usize = 10;
/// A block is at least this share of a run, so that a drift in mid-run widens the interval as it should.
const MOST_BLOCKS: usize = 20;
/// A block is at most this share, so that there is something to draw from.
const LEAST_BLOCKS: usize = 10;

/// How many neighbors to keep together so that what depends on one another stays together.
///
/// Starts at the longer of `⌈n^⅓⌉` (Hall, Horowitz and Jing 1995) and a twentieth of the run, and doubles
/// while values that far apart are still correlated (autocorrelation above `2 / √n`); at most a tenth.
pub fn block_length(values: &Column) -> usize {
    let count = values.len();
    let most = (count / LEAST_BLOCKS).max(1);
    let mut block = (count / MOST_BLOCKS).max(super::position(float(count).cbrt().ceil())).max(1);
    let mean = values.values().map(super::nanos_float).sum::<f64>() / float(count);
    let part = |value: i64| super::nanos_float(value) - mean;
    let variance: f64 = values.values().map(|value| part(value) * part(value)).sum();
    let limit = 2.0 / float(count).sqrt() * variance;
    while block < most {
        let pairs = values.values().zip(values.values_from(block));
        let covariance: f64 = pairs.map(|(one, other)| part(one) * part(other)).sum();
        if covariance <= limit {
            break;
        }
        block *= 2;
    }
    block.min(most)
}

/// What a run is drawn from: two columns of values in order of time, and counts beside them.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    /// What the test is about.
    pub values: &'a Column,
    /// A second value of each sample, or [`MISSING`](crate::sample::MISSING), which is in no bin; empty
    /// where there is none.
    pub seconds: &'a Column,
    /// Two whole numbers of each sample that are added up; empty where there are none.
    pub counts: &'a [Column; 2],
}

/// Sums of a stretch, or of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Samples.
    pub samples: usize,
    /// The values less a middle one.
    pub values: f64,
    /// Their squares.
    pub squares: f64,
    /// The two counts.
    pub counts: [u64; 2],
}

impl Sums {
    fn plus(&self, other: &Self) -> Self {
        Self {
            samples: self.samples.saturating_add(other.samples),
            values: self.values + other.values,
            squares: self.squares + other.squares,
            counts: [
                self.counts[0].saturating_add(other.counts[0]),
                self.counts[1].saturating_add(other.counts[1]),
            ],
        }
    }

    fn minus(&self, other: &Self) -> Self {
        Self {
            samples: self.samples.saturating_sub(other.samples),
            values: self.values - other.values,
            squares: self.squares - other.squares,
            counts: [
                self.counts[0].saturating_sub(other.counts[0]),
                self.counts[1].saturating_sub(other.counts[1]),
            ],
        }
    }
}

/// The bins of runs that are compared: of their values and of their second values.
#[derive(Debug)]
pub struct Scales {
    values: Bins,
    seconds: Bins,
    middle: f64,
}

impl Scales {
    /// Bins that fit all runs.
    pub fn of(tracks: &[Track<'_>]) -> Self {
        let values: Vec<&Column> = tracks.iter().map(|track| track.values).collect();
        let seconds: Vec<&Column> = tracks.iter().map(|track| track.seconds).collect();
        let values = Bins::of(&values);
        Self { middle: values.middle(), values, seconds: Bins::of(&seconds) }
    }
}

/// A run, drawn anew.
#[derive(Debug)]
pub struct Draw<'a> {
    scales: &'a Scales,
    values: Vec<u32>,
    seconds: Vec<u32>,
    sums: Sums,
}

impl Draw<'_> {
    /// A percentile of the values, by R-7.
    pub fn percentile(&self, quantile: Quantile) -> Option<f64> {
        self.scales.values.percentile(&self.values, quantile)
    }

    /// The mean of the greatest second values: the share that is `share` of them, rounded up.
    pub fn mean_of_greatest_seconds(&self, share: f64) -> Option<f64> {
        self.scales.seconds.mean_of_greatest(&self.seconds, share)
    }

    /// The share of the values above a limit, to the nearest bin.
    pub fn share_above(&self, limit: i64) -> Option<f64> {
        self.scales.values.share_above(&self.values, limit)
    }

    /// The mean of the values.
    pub fn mean(&self) -> Option<f64> {
        let count = float(self.sums.samples);
        (0 < self.sums.samples).then(|| self.scales.middle + self.sums.values / count)
    }

    /// Their standard deviation with n − 1.
    pub fn std_dev(&self) -> Option<f64> {
        let count = float(self.sums.samples);
        let rest = self.sums.squares - self.sums.values * self.sums.values / count;
        (1 < self.sums.samples).then(|| (rest.max(0.0) / (count - 1.0)).sqrt())
    }

    /// The samples and the counts beside them.
    pub fn sums(&self) -> &Sums {
        &self.sums
    }
}

/// A run cut into stretches, ready to be drawn from.
#[derive(Debug)]
pub struct Drawing<'a> {
    /// For each stretch, the histogram of everything before it; one more than there are stretches.
    values: Vec<Vec<u32>>,
    seconds: Vec<Vec<u32>>,
    sums: Vec<Sums>,
    block: usize,
    random: fastrand::Rng,
    draw: Draw<'a>,
}

impl<'a> Drawing<'a> {
    /// Cuts a run; `None` below [`LEAST_SAMPLES`]. The same seed draws the same blocks.
    pub fn of(track: &Track<'_>, scales: &'a Scales, seed: u64) -> Option<Self> {
        let count = track.values.len();
        if count < LEAST_SAMPLES {
            return None;
        }
        let block = block_length(track.values);
        let stretch = (block / STRETCHES_A_BLOCK).max(1);
        let mut drawing = Self {
            values: vec![vec![0; scales.values.len()]],
            seconds: vec![vec![0; scales.seconds.len()]],
            sums: vec![Sums::default()],
            block: block.div_ceil(stretch),
            random: fastrand::Rng::with_seed(seed),
            draw: Draw {
                scales,
                values: vec![0; scales.values.len()],
                seconds: vec![0; scales.seconds.len()],
                sums: Sums::default(),
            },
        };
        let mut from = 0;
        while from < count {
            let to = (from + stretch).min(count);
            drawing.push(track, from..to);
            from = to;
        }
        Some(drawing)
    }

    fn push(&mut self, track: &Track<'_>, range: std::ops::Range<usize>) {
        let scales = self.draw.scales;
        let mut sums = Sums { samples: range.len(), ..Sums::default() };
        let of = |column| stretch(column, &range);
        for value in of(track.values) {
            let part = super::nanos_float(value) - scales.middle;
            sums.values += part;
            sums.squares += part * part;
        }
        for (sum, column) in sums.counts.iter_mut().zip(track.counts) {
            *sum = of(column).fold(0, u64::saturating_add_signed);
        }
        let last = self.sums.last().copied().unwrap_or_default();
        self.sums.push(last.plus(&sums));
        let mut histogram = self.values.last().cloned().unwrap_or_default();
        scales.values.count(of(track.values), &mut histogram);
        self.values.push(histogram);
        let mut histogram = self.seconds.last().cloned().unwrap_or_default();
        scales.seconds.count(of(track.seconds), &mut histogram);
        self.seconds.push(histogram);
    }

    /// By how much an interval of draws is to be widened for there being few blocks to draw from: as
    /// Student's distribution is wider than the normal one, and a variance of so few is too small.
    pub fn widening(&self) -> f64 {
        let stretches = self.sums.len() - 1;
        let rest = (float(stretches) / float(self.block.max(1)) - 1.0).max(1.0);
        // The first term of Student's quantile around the normal one at 95 %: (z² + 1) / 4.
        (1.0 + 1.21 / rest) * ((rest + 1.0) / rest).sqrt()
    }

    /// Draws the run anew.
    pub fn draw(&mut self) -> &Draw<'a> {
        let stretches = self.sums.len() - 1;
        let block = self.block.min(stretches);
        self.draw.values.fill(0);
        self.draw.seconds.fill(0);
        self.draw.sums = Sums::default();
        for _ in 0..stretches.div_ceil(block.max(1)) {
            let start = self.random.usize(0..=stretches - block);
            let end = start + block;
            add(&mut self.draw.values, &self.values, start, end);
            add(&mut self.draw.seconds, &self.seconds, start, end);
            if let (Some(start), Some(end)) = (self.sums.get(start), self.sums.get(end)) {
                self.draw.sums = self.draw.sums.plus(&end.minus(start));
            }
        }
        &self.draw
    }
}

/// The values of a stretch.
fn stretch<'a>(column: &'a Column, range: &std::ops::Range<usize>) -> Take<Values<'a>> {
    column.values_from(range.start).take(range.len())
}

/// Adds what lies between two stretches.
fn add(to: &mut [u32], before: &[Vec<u32>], start: usize, end: usize) {
    let (Some(start), Some(end)) = (before.get(start), before.get(end)) else { return };
    for ((to, start), end) in to.iter_mut().zip(start).zip(end) {
        *to = to.wrapping_add(end.wrapping_sub(*start));
    }
}

#[cfg(test)]
mod tests;
