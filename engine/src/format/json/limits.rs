//! Limits on the memory that reading a run file takes, whatever the file holds.
//!
//! The values of sample columns are counted one by one; everything else is limited to a number of
//! bytes of the file.

use serde::de::Error as _;

use super::JsonError;

/// Maximum samples of a run.
const MAX_SAMPLES: u64 = 30_000_000;
/// Columns of a sample.
const COLUMNS: u64 = 7;
/// Maximum bytes of a run file outside of its columns of samples.
const MAX_OTHER_BYTES: u64 = 64 << 20;

/// What may still be read.
#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct Limits {
    pub(in crate::format) values: u64,
    pub(in crate::format) other_bytes: u64,
}

impl Limits {
    /// The limits of a run.
    pub(in crate::format) const RUN: Self =
        Self { values: MAX_SAMPLES * COLUMNS, other_bytes: MAX_OTHER_BYTES };

    /// Counts values of columns.
    pub(in crate::format) fn take_values(&mut self, count: usize) -> Result<(), JsonError> {
        let left = u64::try_from(count).ok().and_then(|count| self.values.checked_sub(count));
        self.values =
            left.ok_or_else(|| JsonError::custom(format!("more than {MAX_SAMPLES} samples")))?;
        Ok(())
    }

    /// Counts bytes that are not in columns.
    pub(in crate::format) fn take_others(&mut self, bytes: u64) -> Result<(), JsonError> {
        self.other_bytes = self.other_bytes.checked_sub(bytes).ok_or_else(|| {
            let mebibytes = MAX_OTHER_BYTES >> 20;
            JsonError::custom(format!("more than {mebibytes} MiB that are not samples"))
        })?;
        Ok(())
    }
}
