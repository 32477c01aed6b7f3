//! Statistics over samples: percentiles, lows, summaries, histograms, and grades. The functions are pure: they
//! neither fail nor do input or output.

pub mod amdahl;
pub mod beat;
pub mod binomial;
pub mod blocks;
pub mod change_points;
pub mod corrected;
pub mod decision;
pub mod effect;
pub mod effective;
pub mod fisher;
pub mod grade;
pub mod histogram;
pub mod interval;
pub mod lows;
mod order;
pub mod paired;
pub mod percentile;
pub mod pyramid;
pub mod rates;
pub mod rhythm;
pub mod spread;
pub mod statistic;
pub mod steps;
pub mod student;
pub mod stutter;
pub mod summary;
pub mod tail;
pub mod thinned;
pub mod time_weighted;
pub mod variance_prior;

pub use beat::Beat;
pub use effect::{Effect, Estimated, Outcome};
pub use grade::{Grade, GradeRange};
pub use histogram::LogHistogram;
pub use lows::{LowDefinition, Lows};
pub use paired::{PairedEffect, PairedEffects};
pub use percentile::{PercentileRule, Quantile, Sorted, Sufficiency};
pub use pyramid::Pyramid;
pub use rates::{EventSeries, rate_difference};
pub use rhythm::Rhythm;
pub use spread::Spread;
pub use statistic::Statistic;
pub use steps::{Instants, Round, Step, Steps};
pub use student::Score;
pub use stutter::Stutter;
pub use summary::{Rebasing, Summary};
pub use tail::tail_points;
pub use thinned::thinned;
pub use time_weighted::TimeWeighted;
pub use variance_prior::{Deviation, VariancePrior};

/// Returns every value once, in the order in which the values first occur.
pub fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// Returns a count as a float; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn float(count: usize) -> f64 {
    count as f64
}

/// Returns nanoseconds as a float; exact below 2^53 ns, which are 104 days.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53 ns")]
pub(crate) const fn nanos_float(nanos: i64) -> f64 {
    nanos as f64
}

/// Returns the whole part of a position in a list; 0 if `value` is negative or not a number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer saturates, as promised"
)]
pub(crate) fn position(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) mod simulated;
}
