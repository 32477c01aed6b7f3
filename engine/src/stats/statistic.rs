//! The statistics that summarize a list of values. The set is closed, so that resampling handles each of them.

use super::percentile::Quantile;

/// Minimum number of samples for resampling. Below this number, the samples at both ends of a run have too much
/// influence on the result.
pub(super) const MIN_SAMPLES: usize = 50;

/// A way to summarize a list of values as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The mean.
    Mean,
    /// The standard deviation with divisor n − 1.
    StdDev,
    /// The lowest value.
    Min,
    /// The highest value.
    Max,
    /// A percentile by R type 7.
    Percentile(Quantile),
    /// The share of values above the late threshold.
    LateShare,
    /// In a comparison: the share of values above a limit that hardly any value of the baseline run exceeds.
    AboveBaseline,
    /// Each value has two counts: the sum of the first counts divided by the sum of the second. Examples: missed frames
    /// per slot, and stutter time as a share of all time.
    CountShare,
    /// Values per second: the number of values divided by their sum.
    Rate,
    /// Values per second, computed from the mean of the highest values, which are this share of all values.
    /// For frame times, this is the frame rate of the slowest frames.
    Low(Quantile),
    /// Whole frames of lateness that a re-based schedule hides, or that re-basing a fixed schedule would hide.
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

    /// Returns whether resampling gives a confidence interval for this statistic. `Min` and `Max` have none because
    /// each depends on a single sample. `HiddenFrames` has none because each frame depends on all earlier frames.
    pub const fn has_interval(self) -> bool {
        !matches!(self, Self::Min | Self::Max | Self::HiddenFrames)
    }

    /// Returns the number of samples that a 95% confidence interval needs. With this number, it contains the true value
    /// in 93% to 99% of simulated runs (independent, autocorrelated, and heavy-tailed values). This takes 5 samples
    /// above a percentile, 10 to 20 of the slowest frames for a low, and about 20 events in the run with more events.
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

    /// Returns the number of samples that a comparison of two runs needs for this statistic. `AboveBaseline` needs
    /// fewer than its interval: a clear excess over the baseline is visible before its size is known precisely.
    pub(crate) const fn samples_to_compare(self) -> usize {
        match self {
            Self::AboveBaseline => 500,
            _ => self.samples_needed(),
        }
    }
}
