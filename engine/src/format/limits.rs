//! Limits on the memory that reading a run file takes, whatever the file holds.
//!
//! The values of sample columns are counted one by one; everything else is limited to a number of
//! bytes of the file. serde passes no state to what reads a column, so both are in a thread-local
//! variable.

use std::cell::Cell;
use std::io::{self, Read};

/// Maximum samples of a run.
pub(super) const MAX_SAMPLES: u64 = 30_000_000;
/// Columns of a sample.
const COLUMNS: u64 = 7;
/// Maximum bytes of a run file outside of its columns of samples.
const MAX_OTHER_BYTES: u64 = 64 << 20;

thread_local! {
    static LEFT: Cell<Left> = const { Cell::new(Left::UNLIMITED) };
}

/// What may still be read.
#[derive(Clone, Copy)]
struct Left {
    values: u64,
    other_bytes: u64,
    is_in_column: bool,
}

impl Left {
    const UNLIMITED: Self = Self { values: u64::MAX, other_bytes: u64::MAX, is_in_column: false };
}

/// A reader that fails if a file exceeds the limits; one at a time per thread.
pub(super) struct LimitedReader<R>(R);

impl<R: Read> LimitedReader<R> {
    pub(super) fn new(from: R) -> Self {
        Self::with_limits(from, MAX_SAMPLES * COLUMNS, MAX_OTHER_BYTES)
    }

    fn with_limits(from: R, values: u64, other_bytes: u64) -> Self {
        LEFT.set(Left { values, other_bytes, is_in_column: false });
        Self(from)
    }
}

impl<R> Drop for LimitedReader<R> {
    fn drop(&mut self) {
        LEFT.set(Left::UNLIMITED);
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(to)?;
        let mut left = LEFT.get();
        if left.is_in_column {
            return Ok(count);
        }
        let bytes = u64::try_from(count).unwrap_or(u64::MAX);
        left.other_bytes = left.other_bytes.checked_sub(bytes).ok_or_else(|| {
            let mebibytes = MAX_OTHER_BYTES >> 20;
            let what = format!("more than {mebibytes} MiB that are not samples");
            io::Error::new(io::ErrorKind::FileTooLarge, what)
        })?;
        LEFT.set(left);
        Ok(count)
    }
}

/// Marks what is read as a column of samples until it is dropped.
pub(super) struct InColumn(());

impl InColumn {
    pub(super) fn begin() -> Self {
        LEFT.set(Left { is_in_column: true, ..LEFT.get() });
        Self(())
    }

    /// Counts values; `false` where the run has more than [`MAX_SAMPLES`].
    pub(super) fn count(&self, values: usize) -> bool {
        let left = LEFT.get();
        match left.values.checked_sub(u64::try_from(values).unwrap_or(u64::MAX)) {
            Some(values) => {
                LEFT.set(Left { values, ..left });
                true
            }
            None => false,
        }
    }
}

impl Drop for InColumn {
    fn drop(&mut self) {
        LEFT.set(Left { is_in_column: false, ..LEFT.get() });
    }
}

#[cfg(test)]
mod tests {
    use super::super::column::ColumnOut;
    use super::super::pieces::Pieces;
    use super::super::trial::EvidenceOut;
    use super::*;
    use crate::sample::Evidence;

    fn read(text: &str, values: u64, other_bytes: u64) -> Result<usize, String> {
        type Whole = (Vec<u8>, ColumnOut<'static, i64>);
        let from = LimitedReader::with_limits(Pieces::new(text.as_bytes()), values, other_bytes);
        let whole: Result<Whole, _> = serde_json::from_reader(from);
        whole.map(|(_, column)| column.into_column().len()).map_err(|error| error.to_string())
    }

    #[test]
    fn evidence_of_every_sample_does_not_count_as_the_rest() {
        let evidence: Vec<Evidence> =
            (0..10_000).map(|index| Evidence { index, ..Evidence::default() }).collect();
        let text = serde_json::to_string(&EvidenceOut::from(evidence.as_slice())).unwrap();
        let from = LimitedReader::with_limits(Pieces::new(text.as_bytes()), 200_000, 1_000);
        let read: EvidenceOut = serde_json::from_reader(from).unwrap();
        assert!(text.len() > 400_000 && read.read().unwrap() == evidence);
    }

    #[test]
    fn columns_are_held_to_their_values_and_the_rest_to_its_bytes() {
        let text = format!("[[1,2],[{}0]]", "1,".repeat(9_999));
        assert_eq!(read(&text, 10_000, 20), Ok(10_000));
        assert!(read(&text, 9_999, 20).unwrap_err().contains("samples"));
        assert!(read(&text, 10_000, 5).unwrap_err().contains("not samples"));
        let long = format!("[[{}1],[1]]", "1,".repeat(9_999));
        assert!(read(&long, 10_000, 19_000).is_err());
    }
}
