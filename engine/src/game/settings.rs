//! The settings of a game, and the results of one cycle.

use std::ops::{AddAssign, RangeInclusive};

use crate::nanos::Nanos;

/// What the packets describe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Every player receives updates about the players in view.
    #[default]
    Players,
    /// Every player receives updates about the NPCs in view.
    Npcs,
}

/// How players and NPCs move in one cycle within the box, a square of [`Settings::box_size`] tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Movement {
    /// To any tile of the box, which is the worst case, and the movement in the reference tool.
    #[default]
    Teleport,
    /// To the current tile or one of the eight tiles around it, within the box.
    Walk,
    /// Of eight players or NPCs, on average, one teleports, one runs up to two tiles, four walk,
    /// and two do not move.
    Mixed,
}

/// The settings of a game. Equal settings result in the same bytes on every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What the packets describe.
    pub kind: Kind,
    /// Number of players, each receiving one packet per cycle; its range is [`Settings::PLAYERS`].
    pub players: u32,
    /// Number of NPCs, only for [`Kind::Npcs`]; its range is [`Settings::NPCS`].
    pub npcs: u32,
    /// Side length of the square in which players and NPCs move, in tiles; its range is
    /// [`Settings::BOX_SIZE`].
    pub box_size: u32,
    /// How players and NPCs move.
    pub movement: Movement,
    /// Characters of chat per player and cycle, 0 for none; its range is [`Settings::CHAT_LENGTH`].
    pub chat_length: u32,
    /// The seed of positions and movements.
    pub seed: u64,
}

impl Settings {
    /// Range of the number of players.
    pub const PLAYERS: RangeInclusive<u32> = 1..=2_046;
    /// Range of the number of NPCs.
    pub const NPCS: RangeInclusive<u32> = 1..=16_000;
    /// Range of the side length of the box in tiles.
    pub const BOX_SIZE: RangeInclusive<u32> = 1..=1_024;
    /// Range of the number of chat characters per cycle.
    pub const CHAT_LENGTH: RangeInclusive<u32> = 0..=80;

    /// Returns the settings with each number clamped to its range.
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

    /// Returns the side length of the box in tiles, in the type of coordinates.
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

/// Duration of each part of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Moving all players and NPCs, on the calling thread.
    pub moving: Nanos,
    /// Computing the data that is the same for all observers: chat on all threads, the rest on the
    /// calling thread.
    pub preparing: Nanos,
    /// Encoding every observer's packet, on all threads.
    pub encoding: Nanos,
    /// Adding up the counters of the packets, and saving positions for the next cycle, on the calling thread.
    pub releasing: Nanos,
}

impl Phases {
    /// Returns the duration of the whole cycle.
    pub fn total(self) -> Nanos {
        self.moving + self.preparing + self.encoding + self.releasing
    }
}

/// Contents of the packets of a cycle, summed over all observers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Number of packets, one per observer.
    pub packets: u64,
    /// Size of all packets in bytes.
    pub bytes: u64,
    /// Size of all records in bits, without padding to whole bytes.
    pub bits: u64,
    /// Number of players or NPCs in view at the end of the cycle; a player is in the player's own view.
    pub in_sight: u64,
    /// Sum of the view ranges of all observers, in tiles.
    pub ranges: u64,
    /// Records of players or NPCs who are still in view and did not move.
    pub still: u64,
    /// Records of a move by one tile.
    pub walks: u64,
    /// Records of a run, which is a move by two tiles.
    pub runs: u64,
    /// Records of a jump of fewer than 16 tiles along each axis, which may lead to another level.
    pub teleports: u64,
    /// Records of a jump of at least 16 tiles along an axis.
    pub far_teleports: u64,
    /// Records of a player or NPC who came into view.
    pub added: u64,
    /// Records of a player or NPC who left the view.
    pub removed: u64,
    /// Records of a player out of view who moved to another square of 8192 × 8192 tiles.
    pub shifted: u64,
    /// Codes that each stand for a sequence of slots without an update.
    pub skips: u64,
    /// Extended blocks: chat and appearance of a player or NPC, after the records in a packet.
    pub blocks: u64,
    /// Extended blocks that include an appearance.
    pub appearances: u64,
    /// Extended blocks that were replaced by an empty one because the packet was nearly full.
    pub refused: u64,
}

impl Counters {
    /// Returns the number of records of players or NPCs: those in view, and those who came into view or left it.
    pub const fn records(&self) -> u64 {
        self.still
            + self.walks
            + self.runs
            + self.teleports
            + self.far_teleports
            + self.added
            + self.removed
            + self.shifted
    }
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
