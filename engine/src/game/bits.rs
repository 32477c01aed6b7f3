//! Records of bits, and the writer that packs them, highest bit first.

/// Up to 56 bits that belong together: the bits in the low end, how many in the top byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record(u64);

impl Record {
    /// No bits.
    pub(super) const EMPTY: Self = Self(0);

    /// These bits with `length` more behind them; the whole must stay within 56.
    #[must_use]
    pub(super) const fn then(self, bits: u64, length: u32) -> Self {
        let before = self.bits() << length;
        Self(before | bits & ((1 << length) - 1) | (self.length() as u64 + length as u64) << 56)
    }

    /// This record with another behind it; the whole must stay within 56 bits.
    #[must_use]
    pub(super) const fn and(self, other: Self) -> Self {
        self.then(other.bits(), other.length())
    }

    /// The same record with some bits set, counted from its last bit.
    #[must_use]
    pub(super) const fn with(self, bits: u64) -> Self {
        Self(self.0 | bits)
    }

    /// The bits, the last one lowest.
    pub(super) const fn bits(self) -> u64 {
        self.0 & ((1 << 56) - 1)
    }

    /// How many bits there are.
    pub(super) const fn length(self) -> u32 {
        (self.0 >> 56) as u32
    }
}

/// Packs bits into bytes, highest bit first. What does not fit into the buffer is dropped.
#[derive(Debug)]
pub(super) struct BitWriter<'a> {
    out: &'a mut [u8],
    /// The byte of the next bit.
    at: usize,
    /// Bits of that byte that are taken, 0 to 7, and they themselves in the top of `open`.
    taken: u32,
    open: u64,
    /// All bits written, without padding.
    bits: u64,
}

impl<'a> BitWriter<'a> {
    /// A writer at the start of a buffer. It needs 8 bytes more than it fills.
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

    /// Fills the last byte up with zero bits.
    pub(super) fn align(&mut self) {
        self.at += usize::from(self.taken != 0);
        self.taken = 0;
        self.open = 0;
    }

    /// How many bits were written, without padding.
    pub(super) fn bits(&self) -> u64 {
        self.bits
    }

    /// How many whole bytes were begun.
    pub(super) fn bytes(&self) -> usize {
        self.at + usize::from(self.taken != 0)
    }
}

/// Copies bytes whose room is rounded up to whole 64 bytes: moving 64 at a time is faster than
/// checking the exact number. Returns the end; what does not fit is dropped.
#[inline]
pub(super) fn copy_rounded(out: &mut [u8], at: usize, from: &[u8], length: usize) -> usize {
    for (chunk, offset) in from.as_chunks::<64>().0.iter().zip((0..length).step_by(64)) {
        if let Some(to) = out.get_mut(at + offset..).and_then(|rest| rest.first_chunk_mut::<64>()) {
            *to = *chunk;
        }
    }
    at + length
}
