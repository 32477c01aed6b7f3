//! Totals over the gaps of all probes.

use super::GapFigures;
use crate::nanos::Nanos;
use crate::report::model::configuration::Configuration;
use crate::stats::float;

/// Totals over the gaps of all probes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapTotals {
    /// The position of the configuration with the longest gap.
    pub longest_row: usize,
    /// The longest gap.
    pub longest: Nanos,
    /// Number of recorded gaps.
    pub gap_count: usize,
    /// Sum of all gaps as a share of the runtime; `None` while no probe has a runtime.
    pub lost_share: Option<f64>,
    /// Number of clock reads.
    pub readings: u64,
    /// The mean length of a gap, in nanoseconds; 0 without a gap.
    pub mean_nanos: f64,
    /// The standard deviation of the gap lengths (with n − 1), in nanoseconds; `None` with fewer than two gaps.
    pub std_dev_nanos: Option<f64>,
}

impl GapTotals {
    /// Returns the totals of all probes, or `None` without a probe.
    pub fn of(rows: &[Configuration]) -> Option<Self> {
        let probes = || {
            rows.iter()
                .enumerate()
                .filter_map(|(at, row)| Some((at, row, row.figures.get::<GapFigures>()?)))
        };
        let figures = || probes().map(|(_, _, gaps)| gaps);
        let (longest_row, _, longest) = probes().max_by_key(|(_, _, gaps)| gaps.longest)?;
        // A probe that has just begun has no runtime yet.
        let timed = || figures().filter(|gaps| Nanos::ZERO < gaps.runtime);
        let lost: Nanos = timed().fold(Nanos::ZERO, |sum, gaps| sum + gaps.lost);
        let runtime: Nanos = timed().fold(Nanos::ZERO, |sum, gaps| sum + gaps.runtime);
        let spreads = || probes().filter_map(|(_, row, _)| Some(&row.summary.as_ref()?.lateness));
        let count: usize = spreads().map(|spread| spread.count).sum();
        let sum: f64 = spreads().map(|spread| spread.mean_nanos * float(spread.count)).sum();
        let mean_nanos = sum / float(count.max(1));
        let squares = spreads().map(|spread| {
            let deviation = spread.std_dev_nanos.unwrap_or(0.0);
            let off = spread.mean_nanos - mean_nanos;
            deviation.powi(2) * float(spread.count.saturating_sub(1))
                + off.powi(2) * float(spread.count)
        });
        Some(Self {
            longest_row,
            longest: longest.longest,
            gap_count: figures().map(|gaps| gaps.gap_count).sum(),
            lost_share: (Nanos::ZERO < runtime).then(|| lost.as_f64() / runtime.as_f64()),
            readings: figures()
                .map(|gaps| gaps.readings.unsigned_abs())
                .fold(0, u64::saturating_add),
            mean_nanos,
            std_dev_nanos: (1 < count).then(|| (squares.sum::<f64>() / float(count - 1)).sqrt()),
        })
    }
}
