//! Cuts a run once into short stretches, and composes resampled runs from them.
//!
//! Before each stretch, sums and counts per bin are saved, added up from the run's beginning; the counts are also
//! added up from the lowest bin. A block is a whole number of stretches, so its sums and counts are the differences
//! between its end and its start. A percentile takes some ten additions per block, even with millions of samples.

use std::ops::Range;

use super::{
    Bins, Confidence, MIN_ROUNDS, MIN_SAMPLES, ResampleSource, block_length, lost_dependence,
};
use crate::sample::Column;
use crate::stats::statistic::Statistic;
use crate::stats::{float, nanos_float};

/// Minimum number of stretches in a block, if the block has at least as many samples.
const STRETCHES_PER_BLOCK: usize = 10;

/// Sums over the samples of a part of a run, or of a resampled run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) samples: usize,
    /// Sum of the values, from each of which `Bins::middle` is subtracted.
    values: f64,
    squares: f64,
    counts: [u64; 2],
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

/// A run cut into stretches, and the resampled run that was drawn last.
#[derive(Debug)]
pub(super) struct Resampler<'a> {
    source: &'a ResampleSource,
    bins: &'a Bins,
    /// For each bin: the number of values in it and all lower bins that are earlier than the start of each stretch, and
    /// than the end of the run.
    before: Vec<Vec<u32>>,
    sums: Vec<Sums>,
    /// The blocks that can be drawn, as ranges of stretches.
    blocks: Vec<Range<usize>>,
    /// Number of blocks in a resampled run.
    blocks_per_run: usize,
    /// Factor by which the blocks understate a standard error.
    lost_dependence: f64,
    random: fastrand::Rng,
    /// The blocks of the resampled run that was drawn last. `drawn` has their sums.
    drawn_blocks: Vec<Range<usize>>,
    drawn: Sums,
}

/// How much the blocks of a run understate the variation of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockSpread {
    /// Number of blocks that fit into the run one after the other, minus one; at least 1.
    rest: f64,
    lost_dependence: f64,
}

impl BlockSpread {
    /// Returns the factor by which an interval is widened, for three reasons: with few blocks, Student's
    /// distribution is wider than the normal one; with few blocks, the variance of blocks is too small; and
    /// the dependence between values of different blocks is lost.
    pub(super) fn widening(self, confidence: Confidence) -> f64 {
        // Student's quantile divided by the normal quantile z is about 1 + (z² + 1) / 4 / degrees of freedom.
        let term = (confidence.normal_quantile.powi(2) + 1.0) / 4.0;
        (1.0 + term / self.rest) * ((self.rest + 1.0) / self.rest).sqrt() * self.lost_dependence
    }
}

impl<'a> Resampler<'a> {
    /// Cuts a run into stretches and blocks; `None` below [`MIN_SAMPLES`] samples.
    pub(super) fn of(source: &'a ResampleSource, bins: &'a Bins, seed: u64) -> Option<Self> {
        let count = source.values.len();
        if count < MIN_SAMPLES {
            return None;
        }
        let mut rounds = Vec::new();
        let mut from = 0;
        for end in source.round_ends.iter().copied().chain([count]).filter(|&end| end <= count) {
            if from < end {
                rounds.push(from..end);
                from = end;
            }
        }
        let mut resampler = Self {
            source,
            bins,
            before: vec![vec![0]; bins.len()],
            sums: vec![Sums::default()],
            blocks: Vec::new(),
            blocks_per_run: rounds.len(),
            lost_dependence: 1.0,
            random: fastrand::Rng::with_seed(seed),
            drawn_blocks: Vec::new(),
            drawn: Sums::default(),
        };
        if MIN_ROUNDS <= rounds.len() {
            for (round, at) in rounds.into_iter().zip(0..) {
                resampler.push(round);
                resampler.blocks.push(at..at + 1);
            }
        } else {
            resampler.cut(rounds);
        }
        Some(resampler)
    }

    /// Cuts rounds into stretches if the rounds are too few to be blocks. Every sequence of stretches of the block
    /// length within a round becomes a block that can be drawn.
    fn cut(&mut self, rounds: Vec<Range<usize>>) {
        let length = block_length(&self.source.values);
        let stretch = (length / STRETCHES_PER_BLOCK).max(1);
        let block = length.div_ceil(stretch).max(1);
        self.lost_dependence = lost_dependence(&self.source.values, block * stretch);
        let mut covered = 0;
        for round in rounds {
            let first = self.sums.len() - 1;
            let mut from = round.start;
            while from < round.end {
                let to = (from + stretch).min(round.end);
                self.push(from..to);
                from = to;
            }
            let end = self.sums.len() - 1;
            let block = block.min(end - first);
            self.blocks.extend((first..=end - block).map(|start| start..start + block));
            covered = end;
        }
        self.blocks_per_run = covered.div_ceil(block);
    }

    fn push(&mut self, range: Range<usize>) {
        let of = |column: &'a Column| column.values_from(range.start).take(range.len());
        let mut sums = Sums { samples: range.len(), ..Sums::default() };
        for value in of(&self.source.values) {
            let part = nanos_float(value) - self.bins.middle();
            sums.values += part;
            sums.squares += part * part;
        }
        for (sum, column) in sums.counts.iter_mut().zip(&self.source.counts) {
            *sum = of(column).fold(0, u64::saturating_add_signed);
        }
        let last = self.sums.last().copied().unwrap_or_default();
        self.sums.push(last.plus(&sums));
        self.bins.count(of(&self.source.values), &mut self.before);
    }

    /// Returns how much the blocks understate the variation of the run.
    pub(super) fn spread(&self) -> BlockSpread {
        let longest = self.blocks.iter().map(Range::len).max().unwrap_or(1).max(1);
        let rest = (float(self.sums.len() - 1) / float(longest) - 1.0).max(1.0);
        BlockSpread { rest, lost_dependence: self.lost_dependence }
    }

    /// Draws the blocks of a new resampled run.
    pub(super) fn draw(&mut self) {
        self.drawn_blocks.clear();
        self.drawn = Sums::default();
        for _ in 0..self.blocks_per_run {
            let at = self.random.usize(0..self.blocks.len().max(1));
            let Some(block) = self.blocks.get(at) else { return };
            if let (Some(from), Some(to)) = (self.sums.get(block.start), self.sums.get(block.end)) {
                self.drawn = self.drawn.plus(&to.minus(from));
            }
            self.drawn_blocks.push(block.clone());
        }
    }

    /// Returns the number of values of the resampled run in a bin and all lower bins.
    fn up_to(&self, bin: usize) -> usize {
        let before = self.before.get(bin).map_or(&[][..], Vec::as_slice);
        let mut count = 0;
        for block in &self.drawn_blocks {
            if let (Some(end), Some(start)) = (before.get(block.end), before.get(block.start)) {
                count += end.saturating_sub(*start) as usize;
            }
        }
        count
    }

    /// Returns a statistic of the resampled run; `None` if it cannot be resampled or lacks data.
    pub(super) fn statistic(&self, statistic: Statistic) -> Option<f64> {
        let (bins, sums) = (self.bins, &self.drawn);
        let up_to = |bin| self.up_to(bin);
        let count = float(sums.samples);
        let mean = || (0 < sums.samples).then(|| bins.middle() + sums.values / count);
        let whole = |count: u64| float(usize::try_from(count).unwrap_or(usize::MAX));
        match statistic {
            Statistic::Mean => mean(),
            Statistic::Rate => mean().map(|mean| 1e9 / mean),
            Statistic::StdDev => {
                let rest = sums.squares - sums.values * sums.values / count;
                (1 < sums.samples).then(|| (rest.max(0.0) / (count - 1.0)).sqrt())
            }
            Statistic::Percentile(quantile) => bins.percentile(up_to, quantile),
            Statistic::LateShare => bins.share_above(up_to, self.source.late_threshold),
            Statistic::AboveBaseline => bins.share_above(up_to, self.source.baseline_limit?),
            Statistic::CountShare => {
                let [part, all] = sums.counts;
                (0 < all).then(|| whole(part) / whole(all))
            }
            Statistic::Low(share) => {
                bins.mean_of_highest(up_to, share.share()).map(|mean| 1e9 / mean)
            }
            Statistic::Min | Statistic::Max | Statistic::HiddenFrames => None,
        }
    }

    /// Returns the number of samples in the resampled run.
    #[cfg(test)]
    pub(super) const fn sample_count(&self) -> usize {
        self.drawn.samples
    }

    /// Returns the blocks that can be drawn, as ranges of stretches.
    #[cfg(test)]
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Range<usize>> {
        self.blocks.iter()
    }

    /// Returns the position of the first stretch after each round.
    #[cfg(test)]
    pub(super) fn round_ends(&self) -> Vec<usize> {
        let ends = self.source.round_ends.iter();
        ends.filter_map(|end| self.sums.iter().position(|sums| sums.samples == *end)).collect()
    }

    /// Draws every stretch once, so that the resampled run is the run itself.
    #[cfg(test)]
    pub(super) fn take_all(&mut self) {
        self.drawn_blocks = std::iter::once(0..self.sums.len() - 1).collect();
        self.drawn = self.sums.last().copied().unwrap_or_default();
    }
}
