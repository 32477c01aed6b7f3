//! What is done after waking.

use serde::{Deserialize, Serialize};

use super::units::as_nanos;
use crate::nanos::Nanos;

/// What is done after waking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Nothing.
    Nothing,
    /// A fixed count of integer arithmetic, calibrated to take this long on an undisturbed CPU: it
    /// stretches when the thread is disturbed.
    #[serde(rename = "arithmetic_nanos", with = "as_nanos")]
    Arithmetic(Nanos),
    /// Watches the clock for this long, which hides a disturbance.
    #[serde(rename = "timed_nanos", with = "as_nanos")]
    Timed(Nanos),
}

impl Work {
    /// How long it is meant to take.
    pub const fn length(self) -> Nanos {
        match self {
            Self::Nothing => Nanos::ZERO,
            Self::Arithmetic(length) | Self::Timed(length) => length,
        }
    }
}
