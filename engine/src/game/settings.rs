//! What a game is made of, and what one cycle of it came to.

use std::ops::{AddAssign, RangeInclusive};

use crate::nanos::Nanos;

/// Subjects of the packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Every player receives updates about the players in view.
    #[default]
    Players,
    /// Every player receives updates about the NPCs in view.
    Npcs,
}

/// How everyone moves in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Movement {
    /// To any tile of the box: the worst case, and the source's.
    #[default]
    Teleport,
    /// To one of the nine tiles around, walls of the box permitting.
    Walk,
    /// Of eight, one teleports, one runs up to two tiles, four walk, and two do not move.
    Mixed,
}

/// What a game is made of. The same settings give the same bytes everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Subjects of the packets.
    pub kind: Kind,
    /// Number of players, each getting one packet per cycle: [`Settings::PLAYERS`].
    pub players: u32,
    /// Non-player characters, in a game of that kind: [`Settings::NPCS`].
    pub npcs: u32,
    /// The side of the square that everyone moves in, in tiles: [`Settings::BOX_SIZE`].
    pub box_size: u32,
    /// How everyone moves.
    pub movement: Movement,
    /// Characters of chat per player and cycle, 0 for none: [`Settings::CHAT_LENGTH`].
    pub chat_length: u32,
    /// What the places and moves come from.
    pub seed: u64,
}

impl Settings {
    /// How many players there may be.
    pub const PLAYERS: RangeInclusive<u32> = 1..=2_046;
    /// How many non-player characters there may be.
    pub const NPCS: RangeInclusive<u32> = 1..=16_000;
    /// How many tiles the box may have along a side.
    pub const BOX_SIZE: RangeInclusive<u32> = 1..=1_024;
    /// Allowed characters of chat per cycle.
    pub const CHAT_LENGTH: RangeInclusive<u32> = 0..=80;

    /// The same settings, each number moved to the nearest end of its range.
    #[must_use]
    pub fn within_ranges(self) -> Self {
        let within = |n: u32, range: RangeInclusive<u32>| n.clamp(*range.start(), *range.end());
        Self {
            players: within(self.players, Self::PLAYERS),
            npcs: within(self.npcs, Self::NPCS),
            box_size: within(self.box_size, Self::BOX_SIZE),
            chat_length: within(self.chat_length, Self::CHAT_LENGTH),
            ..self
        }
    }

    /// The side of the box in tiles, as coordinates are stored.
    pub(super) fn side(self) -> u16 {
        u16::try_from(self.within_ranges().box_size).unwrap_or(1)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kind: Kind::Players,
            players: 2_046,
            npcs: 500,
            box_size: 13,
            movement: Movement::Teleport,
            chat_length: 50,
            seed: 0,
        }
    }
}

/// How long each part of a cycle took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Moving everyone, on the calling thread.
    pub moving: Nanos,
    /// Writing what is the same for all observers: on all threads if there is enough of it.
    pub preparing: Nanos,
    /// Writing every observer's packet, on all threads.
    pub encoding: Nanos,
    /// Taking the packets and clearing the cycle's marks, on the calling thread.
    pub releasing: Nanos,
}

impl Phases {
    /// The whole cycle.
    pub fn total(self) -> Nanos {
        self.moving + self.preparing + self.encoding + self.releasing
    }
}

/// Content of the packets of a cycle, summed over all observers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets written, one an observer.
    pub packets: u64,
    /// Bytes of all packets.
    pub bytes: u64,
    /// Bits of all records, without the padding to whole bytes.
    pub bits: u64,
    /// Others and themselves that observers see at the end of the cycle.
    pub in_sight: u64,
    /// View ranges of all observers, in tiles.
    pub ranges: u64,
    /// Records of those who stay in view without moving.
    pub still: u64,
    /// Records of a walk.
    pub walks: u64,
    /// Records of a run.
    pub runs: u64,
    /// Records of a jump of fewer than 16 tiles.
    pub teleports: u64,
    /// Records of a jump further or to another level.
    pub far_teleports: u64,
    /// Records of someone who came into sight.
    pub added: u64,
    /// Records of someone who went out of sight.
    pub removed: u64,
    /// Records of someone out of sight who went to another square of 8192 tiles.
    pub shifted: u64,
    /// Codes for a run of slots without an update.
    pub skips: u64,
    /// Extended blocks written.
    pub blocks: u64,
    /// Of these, blocks with an appearance.
    pub appearances: u64,
    /// Extended blocks put off because the packet was full.
    pub refused: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        let Self {
            packets,
            bytes,
            bits,
            in_sight,
            ranges,
            still,
            walks,
            runs,
            teleports,
            far_teleports,
            added,
            removed,
            shifted,
            skips,
            blocks,
            appearances,
            refused,
        } = other;
        self.packets += packets;
        self.bytes += bytes;
        self.bits += bits;
        self.in_sight += in_sight;
        self.ranges += ranges;
        self.still += still;
        self.walks += walks;
        self.runs += runs;
        self.teleports += teleports;
        self.far_teleports += far_teleports;
        self.added += added;
        self.removed += removed;
        self.shifted += shifted;
        self.skips += skips;
        self.blocks += blocks;
        self.appearances += appearances;
        self.refused += refused;
    }
}
