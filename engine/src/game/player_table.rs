//! Positions and movements of all players: the data that does not depend on who observes a player.

use super::bits::Record;
use super::set::{SLOTS, Set};
use super::tile::{Coarse, MAP, Tile, movement};

/// A factor that gathers eight bytes of 0 or 1 into one byte: in the top byte of the product, bit
/// `i` has the value of byte `i`.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// The players as other players see them. Each set or list has one entry per slot.
#[derive(Debug)]
pub(super) struct PlayerTable {
    /// The players in the game, and those who joined after the last cycle and are not visible yet.
    pub(super) playing: Set,
    pub(super) fresh: Set,
    /// The players who moved, wrote chat, changed appearance, or moved to another square of
    /// 8192 × 8192 tiles in this cycle.
    pub(super) moved: Set,
    pub(super) telling: Set,
    pub(super) restyled: Set,
    pub(super) shifted: Set,
    tiles: Box<[Tile; SLOTS]>,
    /// The position of each player, and the square that other players know, after the last cycle.
    before: Box<[Tile; SLOTS]>,
    squares: Box<[Coarse; SLOTS]>,
    /// The coordinates that `around` searches. `xs` has `x`, with the level in the top two bits.
    /// `zs` has `z`; for invisible players, a value outside the map.
    xs: Box<[u16; SLOTS]>,
    zs: Box<[u16; SLOTS]>,
    /// The record of each player for four kinds of observers: those who still see the player, those
    /// who newly see the player, those who no longer see the player, and those who do not see the
    /// player but receive the player's change of square. In `stays` and `comes`, the bit for an
    /// extended block is 0: each observer sets the bit in a copy of the record.
    pub(super) stays: Box<[Record; SLOTS]>,
    pub(super) comes: Box<[Record; SLOTS]>,
    pub(super) goes: Box<[Record; SLOTS]>,
    pub(super) shifts: Box<[Record; SLOTS]>,
}

impl PlayerTable {
    /// Returns a table without players.
    pub(super) fn new() -> Self {
        let records = || Box::new([Record::EMPTY; SLOTS]);
        Self {
            playing: Set::EMPTY,
            fresh: Set::EMPTY,
            moved: Set::EMPTY,
            telling: Set::EMPTY,
            restyled: Set::EMPTY,
            shifted: Set::EMPTY,
            tiles: Box::new([Tile::default(); SLOTS]),
            before: Box::new([Tile::default(); SLOTS]),
            squares: Box::new([Coarse::default(); SLOTS]),
            xs: Box::new([0; SLOTS]),
            zs: Box::new([u16::MAX; SLOTS]),
            stays: records(),
            comes: records(),
            goes: records(),
            shifts: records(),
        }
    }

    /// Returns the position of the player in a slot.
    pub(super) fn tile(&self, slot: usize) -> Tile {
        self.tiles[slot % SLOTS]
    }

    /// Moves the player in a slot to a tile.
    pub(super) fn place(&mut self, slot: usize, tile: Tile) {
        self.tiles[slot % SLOTS] = tile;
    }

    /// Adds a player, possibly in a slot that was just released.
    pub(super) fn join(&mut self, slot: usize, tile: Tile) {
        self.place(slot, tile);
        self.before[slot % SLOTS] = tile;
        self.playing.put(slot, true);
        self.fresh.put(slot, true);
        self.restyled.put(slot, true);
    }

    /// Computes the records of a cycle after all players have moved.
    pub(super) fn prepare(&mut self) {
        (self.moved, self.shifted) = (Set::EMPTY, Set::EMPTY);
        for slot in 1..SLOTS {
            let (tile, before, known) = (self.tiles[slot], self.before[slot], self.squares[slot]);
            let plays = self.playing.contains(slot);
            let is_seen = plays && !self.fresh.contains(slot);
            self.xs[slot] = tile.x | u16::from(tile.level) << 14;
            self.zs[slot] = if is_seen { tile.z } else { u16::MAX };

            let square = if plays { tile.coarse() } else { Coarse::default() };
            let change = (square != known).then(|| known.change(square));
            let reported = change.map_or(Record::EMPTY.then(0, 1), |change| {
                self.shifted.put(slot, true);
                Record::EMPTY.then(1, 1).and(change)
            });
            self.shifts[slot] =
                change.map_or(Record::EMPTY, |change| Record::EMPTY.then(1, 1).and(change));
            self.goes[slot] = Record::EMPTY.then(0b1000, 4).and(reported);
            self.comes[slot] = Record::EMPTY
                .then(0b100, 3)
                .and(reported)
                .then(u64::from(tile.x), 13)
                .then(u64::from(tile.z), 13)
                .then(0, 1);
            self.stays[slot] = Record::EMPTY.then(0b10, 2).and(movement(before, tile));
            self.moved.put(slot, tile != before);
        }
    }

    /// Returns the visible players on the same level as the player in a slot, at most `range` tiles
    /// away from that player along each axis. Always includes the player in the slot.
    pub(super) fn around(&self, slot: usize, range: u16) -> Set {
        let center = self.tile(slot);
        let level = u16::from(center.level) << 14;
        let ends = |at: u16| (at.saturating_sub(range), (at + range).min(MAP - 1));
        let ((low_x, high_x), (low_z, high_z)) = (ends(center.x), ends(center.z));
        let (from_x, span_x, span_z) = (low_x | level, high_x - low_x, high_z - low_z);
        let mut words = [0; SLOTS / 64];
        let chunks = self.xs.as_chunks::<64>().0.iter().zip(self.zs.as_chunks::<64>().0);
        for (word, (xs, zs)) in words.iter_mut().zip(chunks) {
            // The comparison has no branches, so that the compiler can vectorize it.
            let mut is_near = [0_u8; 64];
            for ((near, x), z) in is_near.iter_mut().zip(xs).zip(zs) {
                let is_in_x = x.wrapping_sub(from_x) <= span_x;
                let is_in_z = z.wrapping_sub(low_z) <= span_z;
                *near = u8::from(is_in_x & is_in_z);
            }
            for eight in is_near.as_chunks::<8>().0.iter().rev() {
                *word = *word << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56;
            }
        }
        let mut seen = Set::from_words(words);
        seen.put(slot, true);
        seen
    }

    /// Ends the cycle: saves positions and squares as known to observers, and empties the sets of
    /// players who joined, wrote chat, or changed appearance.
    pub(super) fn release(&mut self) {
        *self.before = *self.tiles;
        let squares = self.squares.iter_mut().zip(self.tiles.iter());
        for (slot, (square, tile)) in squares.enumerate() {
            let plays = self.playing.contains(slot);
            *square = if plays { tile.coarse() } else { Coarse::default() };
        }
        self.fresh = Set::EMPTY;
        self.telling = Set::EMPTY;
        self.restyled = Set::EMPTY;
    }
}
