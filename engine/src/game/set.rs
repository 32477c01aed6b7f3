//! A set of player slots: one bit for each of 2048.

use std::array;
use std::ops::{BitAnd, BitOr, Sub};

/// Number of slots. A slot is the number of a player; slot 0 is never used.
pub(super) const SLOTS: usize = 2_048;
/// Number of 64-bit words in a set.
const WORDS: usize = SLOTS / 64;

/// A set of the 2048 slots; slot `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set([u64; WORDS]);

impl Set {
    /// The empty set.
    pub(super) const EMPTY: Self = Self([0; WORDS]);
    /// All slots except 0.
    pub(super) const ALL: Self = {
        let mut words = [u64::MAX; WORDS];
        words[0] -= 1;
        Self(words)
    };

    /// Returns the set with these words.
    pub(super) fn from_words(words: [u64; WORDS]) -> Self {
        Self(words)
    }

    /// Returns the words; slot 0 is the lowest bit of the first word.
    pub(super) fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// Whether a slot is in the set.
    pub(super) fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64 % WORDS] >> (slot % 64) & 1 == 1
    }

    /// Adds a slot to the set, or removes the slot from the set if `is_in` is false.
    pub(super) fn put(&mut self, slot: usize, is_in: bool) {
        let word = &mut self.0[slot / 64 % WORDS];
        *word = *word & !(1 << (slot % 64)) | u64::from(is_in) << (slot % 64);
    }

    /// Returns the number of slots in the set.
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Calls a function with each slot of the set, in ascending order.
    pub(super) fn each(&self, mut of: impl FnMut(usize)) {
        for (word, base) in self.0.iter().zip((0..).step_by(64)) {
            let mut rest = *word;
            while rest != 0 {
                of(base + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

impl BitAnd for Set {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(array::from_fn(|k| self.0[k] & other.0[k]))
    }
}

impl BitOr for Set {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(array::from_fn(|k| self.0[k] | other.0[k]))
    }
}

/// The slots of the first set that are not in the second one.
impl Sub for Set {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(array::from_fn(|k| self.0[k] & !other.0[k]))
    }
}
