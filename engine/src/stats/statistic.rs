//! How a list of values is summarized: a closed set, so that resampled runs have every one of them too.

use super::percentile::Quantile;

/// Fewer samples are not resampled: their ends would decide everything.
pub(super) const MIN_SAMPLES: usize = 50;

/// How a list of values is summarized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The mean.
    Mean,
    /// The standard deviation with n − 1.
    StdDev,
    /// The lowest value.
    Min,
    /// The highest value.
    Max,
    /// A percentile by R type 7.
    Percentile(Quantile),
    /// The share of values above the late threshold.
    LateShare,
    /// The share of values above a limit that hardly any value of what is compared with exceeds.
    AboveBaseline,
    /// The sum of the first count over the sum of the second: missed frames over slots, stutter time over
    /// all time.
    CountShare,
    /// Values per second: their number over their sum.
    Rate,
    /// Values per second at the mean of this share of them, the highest ones.
    Low(Quantile),
    /// Whole frames of lateness that a re-based schedule hides, or would hide.
    HiddenFrames,
}

impl Statistic {
    /// The median.
    pub const P50: Self = Self::Percentile(Quantile::P50);
    /// The 95th percentile.
    pub const P95: Self = Self::Percentile(Quantile::P95);
    /// The 99th percentile.
    pub const P99: Self = Self::Percentile(Quantile::P99);
    /// The 99.9th percentile.
    pub const P99_9: Self = Self::Percentile(Quantile::P99_9);
    /// The 1% low.
    pub const LOW_1: Self = Self::Low(Quantile::new(1_000));
    /// The 0.1% low.
    pub const LOW_0_1: Self = Self::Low(Quantile::new(100));

    /// Whether resampled runs say how sure it is. A single extreme value rests on one sample, and frames
    /// that are hidden on all that came before.
    pub const fn has_interval(self) -> bool {
        !matches!(self, Self::Min | Self::Max | Self::HiddenFrames)
    }

    /// Samples that an interval needs to hold the truth in 93 to 99% of runs, in simulations of independent,
    /// autocorrelated and heavy-tailed values: five beyond a percentile, ten to twenty among the slowest, and
    /// about twenty events in the run that has more of them.
    pub const fn samples_needed(self) -> usize {
        const HUNDREDTH: u32 = Quantile::P99.parts();
        const THOUSANDTH: u32 = Quantile::P99_9.parts();
        match self {
            Self::Percentile(at) if THOUSANDTH <= at.parts() => 5_000,
            Self::Percentile(at) if HUNDREDTH <= at.parts() => 500,
            Self::Percentile(at) if Quantile::P95.parts() <= at.parts() => 100,
            Self::Low(share) if share.parts() < 1_000 => 10_000,
            Self::Low(_) | Self::AboveBaseline => 2_000,
            Self::CountShare => 1_000,
            Self::LateShare => 150,
            Self::StdDev => 100,
            _ => MIN_SAMPLES,
        }
    }

    /// Samples from which a comparison may go by it: fewer than an interval needs where a run has a number
    /// of values that the other hardly has, which shows before it is known how many.
    pub(super) const fn samples_to_resample(self) -> usize {
        match self {
            Self::AboveBaseline => 500,
            _ => self.samples_needed(),
        }
    }
}
