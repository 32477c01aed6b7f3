//! Decodes the pages of the kernel's ring buffer, as `trace_pipe_raw` returns them.
//!
//! A page begins with a time and with how many bytes of records follow. Each record begins with 32 bits: 5 of its type
//! and 27 of the nanoseconds since the record before. Types 1 to 28 are data of four times as many bytes; with type 0,
//! the next 32 bits are the number of bytes, themselves included. Type 30 adds a long time difference, type 31 sets the
//! time, and type 29 is unused space. If the highest bit of the number of bytes is set, records before this page were
//! lost, and if the next one is, too, their number follows the records.

use crate::nanos::Nanos;

/// Bits of `commit` that are flags.
const FLAGS: u64 = 0xc000_0000;
const IS_AFTER_LOSS: u64 = 0x8000_0000;
const HAS_LOSS_COUNT: u64 = 0x4000_0000;
/// Types of records other than data.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// The number of bits of a time difference in the head of a record.
const DELTA_BITS: u32 = 27;
/// A time stamp has 59 bits; the others are those of the page's time.
const STAMP_BITS: u32 = 59;

/// Where the parts of a page are, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageFormat {
    commit: usize,
    commit_size: usize,
    data: usize,
    data_size: usize,
}

impl PageFormat {
    /// Parses the lines of `events/header_page`, such as `field: local_t commit; offset:8; size:8; signed:1;`. `None` if
    /// a part is missing or has an unexpected size.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let part = |name: &str| -> Option<(usize, usize)> {
            header.lines().find_map(|line| {
                let mut parts = line.trim().strip_prefix("field:")?.split(';').map(str::trim);
                if parts.next()?.split_whitespace().next_back()? != name {
                    return None;
                }
                let number = |part: Option<&str>, key: &str| -> Option<usize> {
                    part?.strip_prefix(key)?.parse().ok()
                };
                Some((number(parts.next(), "offset:")?, number(parts.next(), "size:")?))
            })
        };
        let (commit, commit_size) = part("commit")?;
        let (data, data_size) = part("data")?;
        let is_known = part("timestamp")? == (0, 8) && matches!(commit_size, 4 | 8);
        (is_known && data_size <= 1 << 20).then_some(Self { commit, commit_size, data, data_size })
    }

    /// Returns the size of a page in bytes.
    pub(super) const fn size(self) -> usize {
        self.data + self.data_size
    }
}

/// One page with records.
#[derive(Debug)]
pub(super) struct Page<'a> {
    time: u64,
    /// How many records before this page were lost, 1 if the kernel does not say how many; `None` if none was.
    pub(super) lost: Option<u64>,
    data: &'a [u8],
}

impl<'a> Page<'a> {
    /// Parses the head of a page; `None` if it is shorter than its head states.
    pub(super) fn parse(format: PageFormat, bytes: &'a [u8]) -> Option<Self> {
        let time = u64::from_ne_bytes(bytes.get(..8)?.try_into().ok()?);
        let commit = long(bytes, format.commit, format.commit_size)?;
        let length = usize::try_from(commit & !FLAGS & 0xffff_ffff).ok()?;
        let data = bytes.get(format.data..)?;
        let lost = (commit & IS_AFTER_LOSS != 0).then(|| {
            let stored = (commit & HAS_LOSS_COUNT != 0)
                .then(|| long(data, length, format.commit_size))
                .flatten();
            stored.unwrap_or(1)
        });
        Some(Self { time, lost, data: data.get(..length)? })
    }

    /// Returns the time from which the times of the records count.
    pub(super) fn time(&self) -> Nanos {
        Nanos::new(i64::try_from(self.time).unwrap_or(i64::MAX))
    }

    /// Returns how many bytes from the begin of the page have content: its head, its records, and the number of lost
    /// records.
    pub(super) const fn used_bytes(&self, format: PageFormat) -> usize {
        format.data + self.data.len() + format.commit_size
    }

    /// Returns the time and the data of each record.
    pub(super) const fn records(&self) -> Records<'a> {
        Records { time: self.time, rest: self.data }
    }
}

/// The records of a page that were not read yet.
#[derive(Debug)]
pub(super) struct Records<'a> {
    time: u64,
    rest: &'a [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = (Nanos, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let head = word(self.rest, 0)?;
            let (kind, delta) = (head & 0x1f, u64::from(head >> 5));
            let (begin, end) = match kind {
                TIME_EXTEND | TIME_STAMP => {
                    let high = u64::from(word(self.rest, 4)?);
                    let long = delta | high << DELTA_BITS;
                    self.time = if kind == TIME_EXTEND {
                        self.time.wrapping_add(long)
                    } else {
                        long | self.time & (u64::MAX << STAMP_BITS)
                    };
                    self.rest = self.rest.get(8..)?;
                    continue;
                }
                // Padding without a time difference ends the page.
                PADDING if delta == 0 => return None,
                PADDING | 0 => (8, 4 + usize::try_from(word(self.rest, 4)?).ok()?),
                _ => (4, 4 + 4 * usize::try_from(kind).ok()?),
            };
            self.time = self.time.wrapping_add(delta);
            let data = self.rest.get(begin..end)?;
            // Each record begins at a multiple of 4 bytes.
            self.rest = self.rest.get(end.next_multiple_of(4)..).unwrap_or_default();
            if kind != PADDING {
                return Some((Nanos::new(i64::try_from(self.time).ok()?), data));
            }
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// Returns the number of 4 or 8 bytes at a place.
fn long(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    if size == 4 {
        return word(bytes, at).map(u64::from);
    }
    Some(u64::from_ne_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
