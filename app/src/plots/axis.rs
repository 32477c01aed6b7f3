//! Axes of timelines: positions of values on both scales, and conversions for the screen.

pub use jitterscope_engine::report::chart::{AxisKind, FLOOR, Tick, ZERO};

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Linear, in milliseconds.
    #[default]
    Linear,
    /// Logarithmic, in nanoseconds.
    Log,
}

impl Scale {
    /// Returns the values of the axis of a timeline with this scale.
    pub const fn axis(self) -> AxisKind {
        match self {
            Self::Linear => AxisKind::Millis,
            Self::Log => AxisKind::LogNanos,
        }
    }

    /// Returns the position of a value in nanoseconds.
    pub fn place(self, nanos: f64) -> f64 {
        match self {
            Self::Linear => nanos / 1e6,
            Self::Log => log_place(nanos),
        }
    }

    /// Returns the value in nanoseconds at a position.
    pub fn nanos(self, place: f64) -> f64 {
        match self {
            Self::Linear => place * 1e6,
            Self::Log if place < FLOOR => 0.0,
            Self::Log => 10_f64.powf(place),
        }
    }
}

/// Returns the position of a value in nanoseconds on a logarithmic axis.
pub fn log_place(nanos: f64) -> f64 {
    if nanos < 10_f64.powf(FLOOR) { ZERO } else { nanos.log10() }
}

/// Converts a count to a floating-point number; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "a plot cannot show the difference")]
pub const fn float(count: u64) -> f64 {
    count as f64
}

/// Rounds a non-negative number to a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// Converts a width in points to a number of columns, at least 1.
pub fn columns(points: f32) -> usize {
    usize::try_from(whole(f64::from(points))).unwrap_or(1).max(1)
}

/// Converts a screen coordinate to single precision.
#[expect(clippy::cast_possible_truncation, reason = "egui measures in f32")]
pub const fn narrow(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_below_the_lowest_decade_are_at_zero() {
        for nanos in [-5.0, 0.0, 99.0] {
            assert!((log_place(nanos) - ZERO).abs() < 1e-12);
        }
        assert!((log_place(1e6) - 6.0).abs() < 1e-12);
        assert!((Scale::Log.nanos(6.0) - 1e6).abs() < 1e-3);
    }
}
