//! How a loop waits.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::units::as_nanos;
use crate::nanos::Nanos;

/// What a spinning loop does between two clock reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpinStrategy {
    /// Nothing.
    None,
    /// `std::hint::spin_loop()`: tells the processor that it is a waiting loop.
    SpinLoopHint,
    /// `std::thread::yield_now()`: offers the CPU to other threads each turn.
    YieldThread,
}

impl SpinStrategy {
    /// Every strategy, in the order of the table.
    pub const ALL: [Self; 3] = [Self::None, Self::SpinLoopHint, Self::YieldThread];

    /// The name programmers know it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::SpinLoopHint => "SpinLoopHint",
            Self::YieldThread => "YieldThread",
        }
    }
}

/// How long before the instant a hybrid wait changes from sleeping to spinning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// The p99.9 of the system sleep's overshoot in a one-second calibration under the same load and
    /// conditions, between 200 µs and 2 ms.
    Measured,
    /// A given length.
    #[serde(rename = "fixed_nanos", with = "as_nanos")]
    Fixed(Nanos),
}

impl Tail {
    /// The shortest measured tail.
    pub const LEAST_MEASURED: Nanos = Nanos::from_micros(200);
    /// For how long a tail is measured, before the warm-up.
    pub const CALIBRATION: Nanos = Nanos::from_secs(1);
    /// The longest measured tail.
    pub const MOST_MEASURED: Nanos = Nanos::from_millis(2);
}

/// How a loop waits for an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// The operating system's own sleep to an absolute instant.
    OsSleep,
    /// The operating system's sleep for a length, as most programs call it.
    Relative,
    /// `OsSleep` until a tail before the instant, then spinning with the processor's hint.
    Hybrid(Tail),
    /// Reads the clock until the instant is there.
    Spin(SpinStrategy),
}

impl Wait {
    /// How long it takes to find the tail before the warm-up.
    pub const fn calibration(self) -> Nanos {
        match self {
            Self::Hybrid(Tail::Measured) => Tail::CALIBRATION,
            Self::OsSleep | Self::Relative | Self::Hybrid(Tail::Fixed(_)) | Self::Spin(_) => {
                Nanos::ZERO
            }
        }
    }

    /// Whether the thread gives its CPU away while it waits.
    pub const fn sleeps(self) -> bool {
        !matches!(self, Self::Spin(_))
    }
}

impl fmt::Display for Wait {
    /// As the command line writes it: `hybrid:500us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OsSleep => f.write_str("os-sleep"),
            Self::Relative => f.write_str("relative"),
            Self::Hybrid(Tail::Measured) => f.write_str("hybrid"),
            Self::Hybrid(Tail::Fixed(tail)) => write!(f, "hybrid:{tail}"),
            Self::Spin(SpinStrategy::None) => f.write_str("spin"),
            Self::Spin(SpinStrategy::SpinLoopHint) => f.write_str("spin-hint"),
            Self::Spin(SpinStrategy::YieldThread) => f.write_str("spin-yield"),
        }
    }
}
