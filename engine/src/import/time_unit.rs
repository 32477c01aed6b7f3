//! Units of frame times.

/// Unit of the frame times in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Secs,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
    /// Frames per second, the inverse of the frame time.
    Fps,
}

impl TimeUnit {
    /// Every unit.
    pub const ALL: [Self; 5] = [Self::Millis, Self::Micros, Self::Nanos, Self::Secs, Self::Fps];

    /// Returns the displayed symbol of the unit.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Secs => "s",
            Self::Millis => "ms",
            Self::Micros => "µs",
            Self::Nanos => "ns",
            Self::Fps => "FPS",
        }
    }

    /// Returns the name of the unit on the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Micros => "us",
            Self::Fps => "fps",
            other => other.symbol(),
        }
    }

    /// Converts a value in this unit to milliseconds; NaN for a frame rate that is not above 0.
    pub(super) fn millis(self, value: f64) -> f64 {
        match self {
            Self::Secs => value * 1e3,
            Self::Millis => value,
            Self::Micros => value / 1e3,
            Self::Nanos => value / 1e6,
            Self::Fps if 0.0 < value => 1e3 / value,
            Self::Fps => f64::NAN,
        }
    }
}
