//! The figures of gdt-cpus' `frame_jitter`, by its own rules, to hold beside what it prints.

use crate::nanos::Nanos;
use crate::stats::{PercentileRule, Quantile, Sorted};

/// Whole microseconds of frame time (rounded down) less the target, as the example prints them. It
/// re-bases, so the first frame counts from the start and every figure is 0 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFigures {
    /// The first of the sorted values.
    pub min_micros: i64,
    /// The value at position `count × 50 / 100`.
    pub p50_micros: i64,
    /// The value at position `count × 95 / 100`.
    pub p95_micros: i64,
    /// The value at position `count × 99 / 100`.
    pub p99_micros: i64,
}

impl SourceFigures {
    /// The figures of a re-based loop, whose frame time less period is its lateness; `None` where there
    /// is none.
    pub fn of(late_nanos: &[i64], period: Nanos) -> Option<Self> {
        let target_micros = period.get() / 1_000;
        let jitter = |late: &i64| (late.saturating_add(period.get()) / 1_000) - target_micros;
        let sorted = Sorted::of(late_nanos.iter().map(jitter).collect())?;
        let at = |quantile| {
            Nanos::from_nanos_f64(sorted.percentile(quantile, PercentileRule::FrameJitter)).get()
        };
        Some(Self {
            min_micros: sorted.min(),
            p50_micros: at(Quantile::P50),
            p95_micros: at(Quantile::P95),
            p99_micros: at(Quantile::P99),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_whole_microseconds_at_the_positions_of_the_source() {
        let late: Vec<i64> = (0..600).map(|k| k * 10_000 + 999).collect();
        let figures = SourceFigures::of(&late, Nanos::from_micros(16_670)).unwrap();
        assert_eq!(
            figures,
            SourceFigures {
                min_micros: 0,
                p50_micros: 3_000,
                p95_micros: 5_700,
                p99_micros: 5_940
            }
        );
    }
}
