//! Shared blocks, written once and copied to all who see them: chat and appearance.

use super::bits::{BitWriter, copy_rounded};
use super::huffman::CODES;
use super::random::mix;

/// Chat text: 50 characters that encode to 31 bytes. Each player begins at a different position.
const TEXT: &[u8; 50] = b"Buying 25 maple logs, pick me up by the old mill! ";
/// The text over and over, so that any 80 characters from any place are one slice of it.
static ROUND: [u8; 150] = {
    let mut round = [0; 150];
    let mut k = 0;
    while k < round.len() {
        round[k] = TEXT[k % TEXT.len()];
        k += 1;
    }
    round
};

/// A second byte of flags follows.
pub(super) const MORE: u8 = 0x40;
/// In the first byte of flags: an appearance follows.
pub(super) const APPEARANCE: u8 = 0x02;
/// In the second byte of flags: chat follows.
pub(super) const CHAT: u8 = 0x04;

/// The chat text of a slot in a cycle.
pub(super) fn said(slot: usize, cycle: u64, length: usize) -> &'static [u8] {
    let turn = usize::try_from(cycle % TEXT.len() as u64).unwrap_or(0);
    let from = (slot * 7 + turn) % TEXT.len();
    ROUND.get(from..from + length).unwrap_or_default()
}

/// Maximum bytes of this many characters of the text.
fn most_bytes(length: usize) -> usize {
    let bits = |from: usize| -> u32 {
        ROUND.iter().skip(from).take(length).map(|byte| CODES[usize::from(*byte)].length()).sum()
    };
    (0..TEXT.len()).map(bits).max().unwrap_or(0).div_ceil(8) as usize
}

/// The bytes of many blocks, each in its own room of whole 64 bytes.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) bytes: Vec<u8>,
    pub(super) lengths: Vec<usize>,
    pub(super) room: usize,
}

impl Blocks {
    /// Empty blocks of up to `most` bytes.
    pub(super) fn new(count: usize, most: usize) -> Self {
        let room = most.next_multiple_of(64);
        Self { bytes: vec![0; count * room], lengths: vec![0; count], room }
    }

    /// Room for the chat of players in blocks with their flags.
    pub(super) fn of_chat(count: usize, length: usize) -> Self {
        // 8 bytes more than are filled, as the writer of bits needs.
        Self::new(count, 2 + 6 + most_bytes(length) + 8)
    }

    /// Sets the bytes of one block, as far as they fit.
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

    /// Copies a block into a packet and returns its end.
    #[inline]
    pub(super) fn copy(&self, slot: usize, out: &mut [u8], at: usize) -> usize {
        let length = self.lengths.get(slot).copied().unwrap_or(0);
        let from = self.bytes.get(slot * self.room..).unwrap_or_default();
        copy_rounded(out, at, from, length)
    }
}

/// Writes a player's chat after its flags: color, effect, rank, origin, bytes of text, characters
/// of text, the text's codes. Returns the length.
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

/// The appearance of a player: clothes, colors, stances, and name. Another `version` differs.
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
        // Seven equipped slots, in two bytes, and five empty ones.
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

/// Writes the chat of an NPC: a flag, plain text, and a zero byte. Returns the length.
pub(super) fn write_say(out: &mut [u8], text: &[u8]) -> usize {
    let bytes = [SAY].iter().chain(text).chain(&[0]);
    out.iter_mut().zip(bytes).map(|(to, byte)| *to = *byte).count()
}

/// In the byte of flags of an NPC: its chat follows.
pub(super) const SAY: u8 = 0x20;
