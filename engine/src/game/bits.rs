//! Bit records of a packet, and a writer that packs records into bytes, highest bit first.

/// Up to 56 bits of a packet that belong together. The low bits of the integer hold the record; the top byte
/// holds the number of its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub(super) struct Record(u64);

impl Record {
    /// A record without bits.
    pub(super) const EMPTY: Self = Self(0);

    /// Returns this record followed by `length` further bits; at most 56 bits in total.
    pub(super) const fn then(self, bits: u64, length: u32) -> Self {
        let before = self.bits() << length;
        Self(before | bits & ((1 << length) - 1) | (self.length() as u64 + length as u64) << 56)
    }

    /// Returns this record followed by another one; at most 56 bits in total.
    pub(super) const fn and(self, other: Self) -> Self {
        self.then(other.bits(), other.length())
    }

    /// Returns this record with the bits set that are set in `bits`, whose lowest bit is the last bit of the record.
    pub(super) const fn with(self, bits: u64) -> Self {
        Self(self.0 | bits)
    }

    /// Returns the bits; the last one is the lowest.
    pub(super) const fn bits(self) -> u64 {
        self.0 & ((1 << 56) - 1)
    }

    /// Returns the number of bits.
    pub(super) const fn length(self) -> u32 {
        (self.0 >> 56) as u32
    }
}

/// Packs bits into bytes, highest bit first. Bits that do not fit into the buffer are dropped.
#[derive(Debug)]
pub(super) struct BitWriter<'a> {
    out: &'a mut [u8],
    /// The position of the byte that receives the next bit.
    at: usize,
    /// The number of bits so far in the byte at `at`, 0 to 7; these bits are at the top of `open`.
    taken: u32,
    open: u64,
    /// The number of bits written, without padding.
    bits: u64,
}

impl<'a> BitWriter<'a> {
    /// Returns a writer at the start of a buffer, which must be at least 8 bytes longer than the
    /// written data.
    pub(super) fn new(out: &'a mut [u8]) -> Self {
        Self { out, at: 0, taken: 0, open: 0, bits: 0 }
    }

    /// Writes a record.
    #[inline]
    pub(super) fn push(&mut self, record: Record) {
        let end = self.taken + record.length();
        self.open |= record.bits() << ((64 - end) & 63);
        if let Some(eight) =
            self.out.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut::<8>())
        {
            *eight = self.open.to_be_bytes();
        }
        self.at += (end / 8) as usize;
        self.open <<= end & !7;
        self.taken = end & 7;
        self.bits += u64::from(record.length());
    }

    /// Pads the last byte with zero bits.
    pub(super) fn align(&mut self) {
        self.at += usize::from(self.taken != 0);
        self.taken = 0;
        self.open = 0;
    }

    /// Returns the number of bits written, without padding.
    pub(super) fn bits(&self) -> u64 {
        self.bits
    }

    /// Returns the number of bytes written, including an incomplete last one.
    pub(super) fn bytes(&self) -> usize {
        self.at + usize::from(self.taken != 0)
    }
}

/// Copies `length` bytes to position `at` of `out`, in chunks of 64, which is faster than copying the exact number;
/// both buffers need room for complete chunks. Returns the position after the copied data; data that does not fit is
/// dropped.
#[inline]
pub(super) fn copy_rounded(out: &mut [u8], at: usize, from: &[u8], length: usize) -> usize {
    for (chunk, offset) in from.as_chunks::<64>().0.iter().zip((0..length).step_by(64)) {
        if let Some(to) = out.get_mut(at + offset..).and_then(|rest| rest.first_chunk_mut::<64>()) {
            *to = *chunk;
        }
    }
    at + length
}
