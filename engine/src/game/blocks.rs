//! Blocks with the chat or the appearance of one player or NPC. A block is encoded once, and copied into the packet of
//! every player who sees this player or NPC.

use super::bits::{BitWriter, copy_rounded};
use super::huffman::CODES;
use super::random::mix;

/// Chat text: 50 characters that encode to 31 bytes. Each player's chat begins at a different position.
const TEXT: &[u8; 50] = b"Buying 25 maple logs, pick me up by the old mill! ";
/// The chat text three times, so that 80 characters from any position of the first copy are one
/// contiguous slice.
static ROUND: [u8; 150] = {
    let mut round = [0; 150];
    let mut k = 0;
    while k < round.len() {
        round[k] = TEXT[k % TEXT.len()];
        k += 1;
    }
    round
};

/// A flag in the first byte of a player's block: a second byte of flags follows.
pub(super) const MORE: u8 = 0x40;
/// A flag in the first byte of a player's block: an appearance follows.
pub(super) const APPEARANCE: u8 = 0x02;
/// A flag in the second byte of a player's block: chat follows.
pub(super) const CHAT: u8 = 0x04;

/// Returns the chat text of the player or NPC in a slot in a cycle, with `length` characters.
pub(super) fn said(slot: usize, cycle: u64, length: usize) -> &'static [u8] {
    let turn = usize::try_from(cycle % TEXT.len() as u64).unwrap_or(0);
    let from = (slot * 7 + turn) % TEXT.len();
    ROUND.get(from..from + length).unwrap_or_default()
}

/// Returns the max number of bytes into which `length` characters of the text can be encoded.
fn most_bytes(length: usize) -> usize {
    let bits = |from: usize| -> u32 {
        ROUND.iter().skip(from).take(length).map(|byte| CODES[usize::from(*byte)].length()).sum()
    };
    (0..TEXT.len()).map(bits).max().unwrap_or(0).div_ceil(8) as usize
}

/// The bytes of many blocks in one buffer. Each block has a length, and `room` bytes of space, a multiple of 64.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) bytes: Vec<u8>,
    pub(super) lengths: Vec<usize>,
    pub(super) room: usize,
}

impl Blocks {
    /// Returns `count` empty blocks with space for up to `most` bytes each.
    pub(super) fn new(count: usize, most: usize) -> Self {
        let room = most.next_multiple_of(64);
        Self { bytes: vec![0; count * room], lengths: vec![0; count], room }
    }

    /// Returns `count` empty blocks, each for chat of `length` characters with its flags.
    pub(super) fn of_chat(count: usize, length: usize) -> Self {
        // The bit writer needs 8 bytes more than it writes.
        Self::new(count, 2 + 6 + most_bytes(length) + 8)
    }

    /// Sets the bytes of one block; bytes that do not fit are dropped.
    pub(super) fn set(&mut self, slot: usize, bytes: &[u8]) {
        let from = slot * self.room;
        let room = self.bytes.get_mut(from..from + self.room).unwrap_or_default();
        let length = bytes.len().min(room.len());
        for (to, byte) in room.iter_mut().zip(bytes) {
            *to = *byte;
        }
        if let Some(retained) = self.lengths.get_mut(slot) {
            *retained = length;
        }
    }

    /// Copies the block of a slot to position `at` of a packet, and returns the position after the block.
    #[inline]
    pub(super) fn copy(&self, slot: usize, out: &mut [u8], at: usize) -> usize {
        let length = self.lengths.get(slot).copied().unwrap_or(0);
        let from = self.bytes.get(slot * self.room..).unwrap_or_default();
        copy_rounded(out, at, from, length)
    }
}

/// Writes the flags and the chat of a player: color, effect, rank, origin, number of bytes, number of characters, and
/// the encoded text. Returns the total length in bytes.
pub(super) fn write_chat(out: &mut [u8], text: &[u8]) -> usize {
    const HEAD: usize = 8;
    let Some((head, body)) = out.split_at_mut_checked(HEAD) else {
        return 0;
    };
    let mut writer = BitWriter::new(body);
    for byte in text {
        writer.push(CODES[usize::from(*byte)]);
    }
    let bytes = writer.bytes();
    let short = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
    head.copy_from_slice(&[MORE, CHAT, 0, 0, 0, 0, short(bytes), short(text.len())]);
    HEAD + bytes
}

/// Number of bytes of an appearance, including its length prefix.
pub(super) const APPEARANCE_BYTES: usize = 84;

/// Returns the appearance of a player: clothes, colors, stances, and name. Each `version` has a different appearance.
pub(super) fn appearance(slot: usize, version: u32) -> [u8; APPEARANCE_BYTES] {
    let mut bytes = [0; APPEARANCE_BYTES];
    let mut at = 0;
    let mut put = |byte: u8| {
        if let Some(to) = bytes.get_mut(at) {
            *to = byte;
        }
        at += 1;
    };
    let mut state = mix((slot as u64) << 32 | u64::from(version));
    let mut any = || {
        state = mix(state.wrapping_add(1));
        state.to_le_bytes()[0]
    };
    put(83);
    (0..3).for_each(|_| put(any() & 1));
    for _ in 0..2 {
        // Seven items of equipment of two bytes each, and five empty places of one byte each.
        (0..7).for_each(|_| {
            put(any() | 1);
            put(any());
        });
        (0..5).for_each(|_| put(0));
    }
    (0..5).for_each(|_| put(any() & 15));
    (0..14).for_each(|_| put(any()));
    b"Wanderer".iter().for_each(|byte| put(*byte));
    for ten in [1_000, 100, 10, 1] {
        put(b'0' + u8::try_from(slot / ten % 10).unwrap_or(0));
    }
    put(0);
    put(3 + any() % 124);
    (0..2).for_each(|_| put(any()));
    put(0);
    (0..2).for_each(|_| put(any()));
    (0..4).for_each(|_| put(0));
    bytes
}

/// Writes the chat of an NPC: a flag, uncompressed text, and a zero byte. Returns the length.
pub(super) fn write_say(out: &mut [u8], text: &[u8]) -> usize {
    let bytes = [SAY].iter().chain(text).chain(&[0]);
    out.iter_mut().zip(bytes).map(|(to, byte)| *to = *byte).count()
}

/// A flag in the first byte of an NPC's block: chat follows.
pub(super) const SAY: u8 = 0x20;
