//! Positions, and the bits that encode movements.

use super::bits::Record;
use super::random::Random;
use super::settings::Movement;

/// Side length of the map, a square with four levels, in tiles.
pub(super) const MAP: u16 = 16_384;
/// Both coordinates, `x` and `z`, of the south-west corner of the box in which players and NPCs
/// move on level 0.
pub(super) const CORNER: u16 = 3_200;

/// One tile of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tile {
    /// Distance from the west edge, 0 to 16383.
    pub(super) x: u16,
    /// Distance from the south edge, 0 to 16383.
    pub(super) z: u16,
    /// Level, 0 to 3.
    pub(super) level: u8,
}

impl Tile {
    /// Returns the tile at these coordinates, clamped to the map.
    pub(super) fn new(x: u16, z: u16, level: u8) -> Self {
        Self { x: x.min(MAP - 1), z: z.min(MAP - 1), level: level.min(3) }
    }

    /// Returns a random tile in the box, whose side length is `side`.
    pub(super) fn random(random: &mut Random, side: u16) -> Self {
        let mut along = || CORNER + u16::try_from(random.below(u32::from(side))).unwrap_or(0);
        let (x, z) = (along(), along());
        Self::new(x, z, 0)
    }

    /// Returns the next position after a move within the box.
    pub(super) fn moved(self, random: &mut Random, movement: Movement, side: u16) -> Self {
        match movement {
            Movement::Teleport => Self::random(random, side),
            Movement::Walk => self.stepped(random, 1, side),
            Movement::Mixed => match random.below(8) {
                0 => Self::random(random, side),
                1 => self.stepped(random, 2, side),
                2..=5 => self.stepped(random, 1, side),
                _ => self,
            },
        }
    }

    /// Returns a position at most `reach` tiles away along each axis, within the box.
    fn stepped(self, random: &mut Random, reach: u16, side: u16) -> Self {
        let mut along = |from: u16| {
            let by = u16::try_from(random.below(2 * u32::from(reach) + 1)).unwrap_or(0);
            (from + by).saturating_sub(reach).clamp(CORNER, CORNER + side - 1)
        };
        let (x, z) = (along(self.x), along(self.z));
        Self::new(x, z, self.level)
    }

    /// Returns the square of 8192 × 8192 tiles in which this tile is. Of a player out of view,
    /// other players know only the square.
    pub(super) fn coarse(self) -> Coarse {
        Coarse { x: self.x >> 13, z: self.z >> 13, level: self.level }
    }

    /// Whether another tile is on this level and at most `range` tiles away along each axis.
    pub(super) fn sees(self, other: Self, range: u16) -> bool {
        self.level == other.level
            && self.x.abs_diff(other.x) <= range
            && self.z.abs_diff(other.z) <= range
    }
}

/// A square of 8192 × 8192 tiles: each level of the map has 2 × 2 of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Coarse {
    pub(super) x: u16,
    pub(super) z: u16,
    pub(super) level: u8,
}

impl Coarse {
    /// Returns the record of a move from this square to another one: 2 bits for the kind of record,
    /// 2 bits for the difference of levels, and 3 bits for one of 8 directions unless only the
    /// level changes. On this map, every square borders on every other square of a level, so no
    /// move is longer.
    pub(super) fn change(self, to: Self) -> Record {
        let level = u64::from(to.level.wrapping_sub(self.level));
        let kind = Record::EMPTY;
        match direction(difference(self.x, to.x), difference(self.z, to.z)) {
            None => kind.then(1, 2).then(level, 2),
            Some(direction) => kind.then(2, 2).then(level, 2).then(direction, 3),
        }
    }
}

/// Returns the signed change of a coordinate.
pub(super) fn difference(from: u16, to: u16) -> i32 {
    i32::from(to) - i32::from(from)
}

/// Returns a signed difference as bits in two's complement, of which a record uses only the low ones.
pub(super) fn low_bits(difference: i32) -> u64 {
    u64::from(difference.cast_unsigned())
}

/// Returns the number, 0 to 7, of the neighboring tile to which a move by `dx` and `dz` leads: from
/// the south-west, row by row. `None` if the move does not lead to one of the eight neighbors.
pub(super) fn direction(dx: i32, dz: i32) -> Option<u64> {
    let place = (dz + 1) * 3 + dx + 1;
    (dx.abs() <= 1 && dz.abs() <= 1 && place != 4).then(|| low_bits(place - i32::from(4 < place)))
}

/// Returns the number, 0 to 15, of the tile two tiles away to which a move by `dx` and `dz` leads:
/// from the south-west, row by row. `None` for a shorter or longer move.
fn far_direction(dx: i32, dz: i32) -> Option<u64> {
    let place = match (dx, dz) {
        (-2..=2, -2) => dx + 2,
        (-2 | 2, -1..=1) => 5 + (dz + 1) * 2 + i32::from(dx == 2),
        (-2..=2, 2) => 11 + dx + 2,
        _ => return None,
    };
    Some(low_bits(place))
}

/// Returns the record of a player's movement for those who see the player. It has 2 bits without
/// movement, 5 for a walk by one tile, 6 for a run of two tiles, 15 for a jump of fewer than 16
/// tiles along each axis, and 33 for any longer jump.
pub(super) fn movement(from: Tile, to: Tile) -> Record {
    let (dx, dz) = (difference(from.x, to.x), difference(from.z, to.z));
    let level = u64::from(to.level.wrapping_sub(from.level));
    let kind = Record::EMPTY;
    if from == to {
        return kind.then(0, 2);
    }
    if from.level == to.level {
        if let Some(direction) = direction(dx, dz) {
            return kind.then(1, 2).then(direction, 3);
        }
        if let Some(direction) = far_direction(dx, dz) {
            return kind.then(2, 2).then(direction, 4);
        }
    }
    if dx.abs() < 16 && dz.abs() < 16 {
        kind.then(0b110, 3).then(level, 2).then(low_bits(dx), 5).then(low_bits(dz), 5)
    } else {
        kind.then(0b111, 3).then(level, 2).then(low_bits(dx), 14).then(low_bits(dz), 14)
    }
}
