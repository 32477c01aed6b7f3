//! What a player sees on the screen in a game of players, decoded only from the packets for this player.

use std::collections::HashMap;

use super::super::blocks::{APPEARANCE, CHAT, MORE};
use super::super::huffman::CODES;
use super::super::set::SLOTS;
use super::super::tile::{Coarse, Tile};

/// Reads bits and bytes of a packet in the order in which they were written.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    bit: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, bit: 0 }
    }

    pub(super) fn bits(&mut self, count: usize) -> usize {
        (0..count).fold(0, |bits, _| {
            let bit = self.bytes[self.bit / 8] >> (7 - self.bit % 8) & 1;
            self.bit += 1;
            bits << 1 | usize::from(bit)
        })
    }

    pub(super) fn signed(&mut self, count: usize) -> i32 {
        let bits = i32::try_from(self.bits(count)).unwrap();
        if bits >> (count - 1) == 0 { bits } else { bits - (1 << count) }
    }

    pub(super) fn align(&mut self) {
        while !self.bit.is_multiple_of(8) {
            assert_eq!(self.bits(1), 0, "padding is zero");
        }
    }

    pub(super) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let from = self.bit / 8;
        self.bit += count * 8;
        &self.bytes[from..from + count]
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.bit == self.bytes.len() * 8
    }
}

/// Returns the offsets (x, z) to all tiles at a distance, row by row from the south-west.
pub(super) fn ring(distance: i32) -> Vec<(i32, i32)> {
    let along = -distance..=distance;
    along
        .clone()
        .flat_map(|dz| along.clone().map(move |dx| (dx, dz)))
        .filter(|(dx, dz)| dx.abs().max(dz.abs()) == distance)
        .collect()
}

pub(super) fn shift(tile: Tile, dx: i32, dz: i32) -> Tile {
    let along = |from: u16, by: i32| u16::try_from((i32::from(from) + by) & 0x3fff).unwrap();
    Tile { x: along(tile.x, dx), z: along(tile.z, dz), level: tile.level }
}

fn decoded(bytes: &[u8], count: usize) -> Vec<u8> {
    let mut reader = Reader::new(bytes);
    let mut letter = || {
        let (mut code, mut length) = (0, 0);
        loop {
            code = code << 1 | reader.bits(1) as u64;
            length += 1;
            let is_it = |known: &super::super::bits::Record| {
                known.length() == length && known.bits() == code
            };
            if let Some(byte) = CODES.iter().position(is_it) {
                return u8::try_from(byte).unwrap();
            }
        }
    };
    (0..count).map(|_| letter()).collect()
}

/// The state of all players as one player knows it from packets.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) slot: usize,
    in_sight: Vec<bool>,
    idle: Vec<bool>,
    tiles: Vec<Tile>,
    squares: Vec<Coarse>,
    looks: HashMap<usize, Vec<u8>>,
    said: HashMap<usize, Vec<u8>>,
    put_off: Vec<usize>,
}

impl Client {
    pub(super) fn new(slot: usize, tile: Tile, squares: Vec<Coarse>) -> Self {
        let mut client = Self {
            slot,
            in_sight: vec![false; SLOTS],
            idle: vec![false; SLOTS],
            tiles: vec![Tile::default(); SLOTS],
            squares,
            looks: HashMap::new(),
            said: HashMap::new(),
            put_off: Vec::new(),
        };
        client.in_sight[slot] = true;
        client.tiles[slot] = tile;
        client
    }

    pub(super) fn sees(&self, slot: usize) -> bool {
        self.in_sight[slot]
    }

    pub(super) fn tile(&self, slot: usize) -> Tile {
        self.tiles[slot]
    }

    pub(super) fn square(&self, slot: usize) -> Coarse {
        self.squares[slot]
    }

    pub(super) fn heard(&self, slot: usize) -> Option<&[u8]> {
        self.said.get(&slot).map(Vec::as_slice)
    }

    pub(super) fn look(&self, slot: usize) -> Option<&[u8]> {
        self.looks.get(&slot).map(Vec::as_slice)
    }

    pub(super) fn is_put_off(&self, slot: usize) -> bool {
        self.put_off.contains(&slot)
    }

    /// Reads a packet and updates the screen.
    pub(super) fn read(&mut self, packet: &[u8]) {
        let mut reader = Reader::new(packet);
        let (in_sight, idle) = (self.in_sight.clone(), self.idle.clone());
        self.idle.fill(false);
        let mut reported = Vec::new();
        for (of_seen, of_idle) in [(true, false), (true, true), (false, true), (false, false)] {
            let mut skip = 0;
            let list = (1..SLOTS).filter(|slot| in_sight[*slot] == of_seen);
            for slot in list.filter(|slot| idle[*slot] == of_idle) {
                if skip == 0 && reader.bits(1) == 0 {
                    let class = reader.bits(2);
                    skip = 1 + reader.bits([0, 5, 8, 11][class]);
                }
                if skip != 0 {
                    skip -= 1;
                    self.idle[slot] = true;
                } else if of_seen {
                    self.read_seen(&mut reader, slot, &mut reported);
                } else {
                    self.read_unseen(&mut reader, slot, &mut reported);
                }
            }
            assert_eq!(skip, 0, "a skip goes past the end of its list");
            reader.align();
        }
        self.read_blocks(&mut reader, &reported);
        assert!(reader.is_at_end(), "{reader:?}");
    }

    fn read_seen(&mut self, reader: &mut Reader<'_>, slot: usize, reported: &mut Vec<usize>) {
        let is_telling = reader.bits(1) == 1;
        let kind = reader.bits(2);
        let tile = self.tiles[slot];
        if is_telling {
            reported.push(slot);
        }
        self.tiles[slot] = match kind {
            0 if !is_telling => {
                self.in_sight[slot] = false;
                self.squares[slot] = tile.coarse();
                if reader.bits(1) == 1 {
                    let kind = reader.bits(2);
                    self.read_square(reader, slot, kind);
                }
                return;
            }
            0 => tile,
            1 => {
                let (dx, dz) = ring(1)[reader.bits(3)];
                shift(tile, dx, dz)
            }
            2 => {
                let (dx, dz) = ring(2)[reader.bits(4)];
                shift(tile, dx, dz)
            }
            _ => {
                let width = if reader.bits(1) == 0 { 5 } else { 14 };
                let level = (tile.level + u8::try_from(reader.bits(2)).unwrap()) & 3;
                let (dx, dz) = (reader.signed(width), reader.signed(width));
                Tile { level, ..shift(tile, dx, dz) }
            }
        };
    }

    fn read_unseen(&mut self, reader: &mut Reader<'_>, slot: usize, reported: &mut Vec<usize>) {
        let kind = reader.bits(2);
        if kind != 0 {
            self.read_square(reader, slot, kind);
            return;
        }
        if reader.bits(1) == 1 {
            let kind = reader.bits(2);
            self.read_square(reader, slot, kind);
        }
        let Coarse { x, z, level } = self.squares[slot];
        let mut along = |square: u16| square << 13 | u16::try_from(reader.bits(13)).unwrap();
        let (x, z) = (along(x), along(z));
        self.tiles[slot] = Tile { x, z, level };
        self.in_sight[slot] = true;
        self.idle[slot] = true;
        if reader.bits(1) == 1 {
            reported.push(slot);
        }
    }

    fn read_square(&mut self, reader: &mut Reader<'_>, slot: usize, kind: usize) {
        let square = &mut self.squares[slot];
        square.level = (square.level + u8::try_from(reader.bits(2)).unwrap()) & 3;
        if kind == 2 {
            let (dx, dz) = ring(1)[reader.bits(3)];
            let along = |from: u16, by: i32| u16::try_from(i32::from(from) + by).unwrap();
            (square.x, square.z) = (along(square.x, dx), along(square.z, dz));
        } else {
            assert_eq!(kind, 1);
        }
    }

    fn read_blocks(&mut self, reader: &mut Reader<'_>, reported: &[usize]) {
        self.said.clear();
        self.put_off.clear();
        for slot in reported {
            let first = reader.byte();
            let second = if first & MORE == 0 { 0 } else { reader.byte() };
            if first == 0 {
                self.put_off.push(*slot);
            }
            if second & CHAT != 0 {
                assert_eq!(reader.bytes(4), [0; 4]);
                let (bytes, letters) = (reader.byte(), reader.byte());
                let text = decoded(reader.bytes(usize::from(bytes)), usize::from(letters));
                self.said.insert(*slot, text);
            }
            if first & APPEARANCE != 0 {
                let length = reader.byte();
                self.looks.insert(*slot, reader.bytes(usize::from(length)).to_vec());
            }
        }
    }
}
