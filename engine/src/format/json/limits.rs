//! Memory limits for reading a run file, regardless of its content.
//!
//! Values of sample columns are limited by their number; everything else is limited by its size in
//! the file.

use serde::de::Error as _;

use super::JsonError;

/// Maximum number of samples of a run.
pub(crate) const MAX_SAMPLES: u64 = 30_000_000;
/// Number of columns, each of which has one value per sample.
const COLUMNS: u64 = 7;
/// Maximum size of a run file without its sample columns, in bytes.
pub(crate) const MAX_OTHER_BYTES: u64 = 64 << 20;

/// The number of values and bytes that may still be read.
#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct Limits {
    pub(in crate::format) values: u64,
    pub(in crate::format) other_bytes: u64,
}

impl Limits {
    /// The limits for reading a run file.
    pub(in crate::format) const RUN: Self =
        Self { values: MAX_SAMPLES * COLUMNS, other_bytes: MAX_OTHER_BYTES };
    /// No limit, for a capture: the size of its file is limited.
    pub(in crate::format) const CAPTURE: Self = Self { values: u64::MAX, other_bytes: u64::MAX };

    /// Counts `count` values of sample columns; returns an error if the limit is exceeded.
    pub(in crate::format) fn take_values(&mut self, count: usize) -> Result<(), JsonError> {
        let left = u64::try_from(count).ok().and_then(|count| self.values.checked_sub(count));
        self.values =
            left.ok_or_else(|| JsonError::custom(format!("more than {MAX_SAMPLES} samples")))?;
        Ok(())
    }

    /// Counts `bytes` bytes outside of sample columns; returns an error if the limit is exceeded.
    pub(in crate::format) fn take_others(&mut self, bytes: u64) -> Result<(), JsonError> {
        self.other_bytes = self.other_bytes.checked_sub(bytes).ok_or_else(|| {
            let mebibytes = MAX_OTHER_BYTES >> 20;
            JsonError::custom(format!("more than {mebibytes} MiB that are not samples"))
        })?;
        Ok(())
    }
}
