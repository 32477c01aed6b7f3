//! Reads the fields of a payload, the data of an event, in order. A payload can be cut off anywhere.

/// The part of a payload that was not read yet.
#[derive(Debug)]
pub(super) struct Payload<'a> {
    rest: &'a [u8],
    pointer_size: usize,
}

impl<'a> Payload<'a> {
    pub(super) const fn new(bytes: &'a [u8], pointer_size: usize) -> Self {
        Self { rest: bytes, pointer_size: if pointer_size == 4 { 4 } else { 8 } }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(super) fn pointer(&mut self) -> Option<u64> {
        if self.pointer_size == 4 { self.u32().map(u64::from) } else { self.u64() }
    }

    /// Skips an account: 4 zero bytes if there is none, otherwise two pointers and a security
    /// identifier (SID), whose second byte is the number of its parts.
    pub(super) fn skip_account(&mut self) -> Option<()> {
        let mut ahead = Self { rest: self.rest, pointer_size: self.pointer_size };
        if ahead.u32()? == 0 {
            return self.skip(4);
        }
        self.skip(2 * self.pointer_size)?;
        self.skip(1)?;
        let parts = self.u8()?;
        self.skip(6 + 4 * usize::from(parts))
    }

    /// Reads text of single bytes up to a zero byte or the end of the payload.
    pub(super) fn narrow_text(&mut self) -> Option<String> {
        let end = self.rest.iter().position(|byte| *byte == 0).unwrap_or(self.rest.len());
        Some(String::from_utf8_lossy(self.take(end)?).into_owned())
    }

    /// Reads text of UTF-16 units up to a zero or the end of the payload; it must be the last field to be read.
    pub(super) fn wide_text(&self) -> String {
        let (units, _) = self.rest.as_chunks::<2>();
        let units: Vec<u16> = units
            .iter()
            .map(|unit| u16::from_le_bytes(*unit))
            .take_while(|unit| *unit != 0)
            .collect();
        String::from_utf16_lossy(&units)
    }
}
