//! The game in which all players are on one tile and receive updates about the NPCs around it.

use super::bits::{BitWriter, Record};
use super::blocks::{Blocks, said, write_say};
use super::observer::{PACKET, WIDEST};
use super::parallel::{Pool, run_parallel};
use super::random::{Random, mix};
use super::settings::{Counters, Movement, Settings};
use super::tile::{CORNER, Tile, difference, direction, low_bits};

/// Maximum number of NPCs in view of a player.
pub(super) const MAX: usize = 250;
/// Marks the end of the list of added NPCs in a packet.
pub(super) const END: u64 = 0xffff;

/// The states of all NPCs, which are the same for all players.
#[derive(Debug)]
pub(super) struct NpcTable {
    pub(super) tiles: Vec<Tile>,
    before: Vec<Tile>,
    /// The record of each NPC for players who still see the NPC; `None` if the NPC jumped in this
    /// cycle.
    stays: Vec<Option<Record>>,
    /// The record of each NPC for players who newly see the NPC, without the position of the NPC.
    comes: Vec<Record>,
    /// For each NPC, its zone of 8 × 8 tiles and its number, sorted by zone for a binary search.
    zones: Vec<(u32, u16)>,
    shows: Blocks,
    is_telling: bool,
}

/// The NPCs that one player currently sees.
#[derive(Debug)]
pub(super) struct NpcObserver {
    tracked: [u16; MAX],
    count: usize,
    pub(super) counters: Counters,
}

/// All NPCs, the NPCs that each player sees, and the packets.
#[derive(Debug)]
pub(super) struct Npcs {
    settings: Settings,
    random: Random,
    cycle: u64,
    /// The tile on which all players are.
    pub(super) center: Tile,
    pub(super) npc_table: NpcTable,
    pub(super) watchers: Vec<NpcObserver>,
    pub(super) packets: Vec<u8>,
}

/// Returns the kind of an NPC, one of 16384.
pub(super) fn kind_of(npc: usize) -> u64 {
    mix(npc as u64) & 0x3fff
}

/// Returns the sort key of the zone with the tile at `x` and `z`: zones are sorted by column, then
/// by row.
fn zone(x: u16, z: u16) -> u32 {
    u32::from(x >> 3) << 11 | u32::from(z >> 3)
}

impl Npcs {
    /// Creates a game with every NPC on a random tile, and all players on the tile in the middle.
    pub(super) fn new(settings: Settings) -> Self {
        let mut random = Random::new(settings.seed);
        let side = settings.side();
        let middle = CORNER + (side / 2 + 1).min(side - 1);
        let tile = Tile::new(middle, middle, 0);
        let tiles: Vec<Tile> =
            (0..settings.npcs).map(|_| Tile::random(&mut random, side)).collect();
        let count = tiles.len();
        let watchers: Vec<NpcObserver> = (0..settings.players)
            .map(|_| NpcObserver { tracked: [0; MAX], count: 0, counters: Counters::default() })
            .collect();
        Self {
            settings,
            random,
            cycle: 0,
            center: tile,
            packets: vec![0; watchers.len() * PACKET],
            watchers,
            npc_table: NpcTable {
                before: tiles.clone(),
                tiles,
                stays: vec![None; count],
                comes: vec![Record::EMPTY; count],
                zones: vec![(0, 0); count],
                shows: Blocks::new(count, settings.chat_length as usize + 2),
                is_telling: settings.chat_length != 0,
            },
        }
    }

    /// Moves every NPC.
    pub(super) fn step(&mut self) {
        let Settings { movement, .. } = self.settings;
        for tile in &mut self.npc_table.tiles {
            *tile = tile.moved(&mut self.random, movement, self.settings.side());
        }
    }

    /// Computes the records, the zone, and the chat of every NPC.
    pub(super) fn prepare(&mut self, pool: Pool<'_>) {
        let always_jumps = self.settings.movement == Movement::Teleport;
        let length = self.settings.chat_length as usize;
        let cycle = self.cycle;
        let npc_table = &mut self.npc_table;
        let is_telling = npc_table.is_telling;
        let moves = npc_table.before.iter().zip(&npc_table.tiles);
        for ((stays, comes), (npc, (before, tile))) in
            npc_table.stays.iter_mut().zip(&mut npc_table.comes).zip((0..).zip(moves))
        {
            *stays = if always_jumps { None } else { stay(*before, *tile, is_telling) };
            *comes = Record::EMPTY
                .then(npc, 16)
                .then(0, 5)
                .then(0, 1)
                .then(u64::from(stays.is_none()), 1)
                .then(mix(npc) >> 61, 3)
                .then(kind_of(usize::try_from(npc).unwrap_or(0)), 14)
                .then(0, 5)
                .then(u64::from(is_telling), 1);
        }
        for (place, (tile, npc)) in npc_table.zones.iter_mut().zip(npc_table.tiles.iter().zip(0..))
        {
            *place = (zone(tile.x, tile.z), npc);
        }
        npc_table.zones.sort_unstable();
        if is_telling {
            let Blocks { bytes, lengths, room } = &mut npc_table.shows;
            run_parallel(pool, lengths, bytes, *room, |npc, length_of, block| {
                *length_of = write_say(block, said(npc, cycle, length));
            });
        }
    }

    /// Writes every player's packet.
    pub(super) fn encode(&mut self, pool: Pool<'_>) {
        let Self { center, npc_table, watchers, packets, .. } = self;
        let center = *center;
        run_parallel(pool, watchers, packets, PACKET, |_, watcher, packet| {
            watcher.encode(center, npc_table, packet);
        });
    }

    /// Ends the cycle: saves the position of every NPC for the next cycle, and returns the counters
    /// of all packets.
    pub(super) fn release(&mut self) -> Counters {
        let mut counters = Counters::default();
        for watcher in &self.watchers {
            counters += watcher.counters;
        }
        self.npc_table.before.copy_from_slice(&self.npc_table.tiles);
        self.cycle += 1;
        counters
    }
}

/// Returns the record of an NPC that is still in view; `None` if it moved further than two steps.
/// The record has 1 bit without chat and movement, 3 bits for chat without movement, 7 bits for one
/// step, and 11 bits for two steps.
fn stay(from: Tile, to: Tile, is_telling: bool) -> Option<Record> {
    let telling = u64::from(is_telling);
    let (dx, dz) = (difference(from.x, to.x), difference(from.z, to.z));
    if from == to {
        let still = Record::EMPTY;
        return Some(if is_telling { still.then(0b100, 3) } else { still.then(0, 1) });
    }
    let (first_x, first_z) = (dx.clamp(-1, 1), dz.clamp(-1, 1));
    let first = direction(first_x, first_z)?;
    if (dx, dz) == (first_x, first_z) {
        return Some(Record::EMPTY.then(0b101, 3).then(first, 3).then(telling, 1));
    }
    let second = direction(dx - first_x, dz - first_z)?;
    Some(Record::EMPTY.then(0b1101, 4).then(first, 3).then(second, 3).then(telling, 1))
}

impl NpcObserver {
    /// Writes the packet of this cycle: NPCs still in view, added NPCs, and chat.
    fn encode(&mut self, center: Tile, npc_table: &NpcTable, out: &mut [u8]) {
        let mut counters = Counters { packets: 1, ..Counters::default() };
        let mut writer = BitWriter::new(out);
        self.keep(center, npc_table, &mut writer, &mut counters);
        self.find(center, npc_table, &mut writer, &mut counters);
        counters.bits = writer.bits();
        let mut at = writer.bytes();
        let reported = self.tracked.get(..self.count).unwrap_or_default();
        if npc_table.is_telling {
            for npc in reported {
                at = npc_table.shows.copy(usize::from(*npc), out, at);
            }
            counters.blocks = reported.len() as u64;
        }
        counters.bytes = at as u64;
        counters.in_sight = self.count as u64;
        counters.ranges = u64::from(WIDEST);
        self.counters = counters;
    }

    /// Writes a number of records, then one record per NPC up to the last NPC that is still in
    /// view. The number implies that all NPCs after this NPC were removed.
    fn keep(
        &mut self,
        center: Tile,
        npc_table: &NpcTable,
        writer: &mut BitWriter<'_>,
        counters: &mut Counters,
    ) {
        let record = |npc: u16| {
            let tile = npc_table.tiles.get(usize::from(npc)).copied().unwrap_or_default();
            let stays = npc_table.stays.get(usize::from(npc)).copied().flatten();
            stays.filter(|_| center.sees(tile, WIDEST))
        };
        let tracked = self.tracked.get_mut(..self.count).unwrap_or_default();
        let reported = tracked.iter().rposition(|npc| record(*npc).is_some()).map_or(0, |k| k + 1);
        writer.push(Record::EMPTY.then(reported as u64, 8));
        let mut retained = 0;
        for k in 0..reported {
            let npc = tracked[k];
            let Some(record) = record(npc) else {
                writer.push(Record::EMPTY.then(0b111, 3));
                continue;
            };
            writer.push(record);
            match record.length() {
                1 | 3 => counters.still += 1,
                7 => counters.walks += 1,
                _ => counters.runs += 1,
            }
            tracked[retained] = npc;
            retained += 1;
        }
        counters.removed = (self.count - retained) as u64;
        self.count = retained;
    }

    /// Searches the zones around the players for NPCs that came into view, and writes their
    /// records. Checking whether an NPC is already in view is a linear search, which is the main
    /// cost of this game.
    fn find(
        &mut self,
        center: Tile,
        npc_table: &NpcTable,
        writer: &mut BitWriter<'_>,
        counters: &mut Counters,
    ) {
        let Tile { x, z, .. } = center;
        let retained = self.count;
        let (low_z, high_z) = (z.saturating_sub(WIDEST), z + WIDEST);
        for zone_x in x.saturating_sub(WIDEST) >> 3..=(x + WIDEST) >> 3 {
            let (first, last) = (zone(zone_x << 3, low_z), zone(zone_x << 3, high_z));
            let start = npc_table.zones.partition_point(|(zone, _)| *zone < first);
            let column = npc_table.zones.get(start..).unwrap_or_default();
            for (_, npc) in column.iter().take_while(|(zone, _)| *zone <= last) {
                let tile = npc_table.tiles.get(usize::from(*npc)).copied().unwrap_or_default();
                let tracked = self.tracked.get(..self.count).unwrap_or_default();
                if !center.sees(tile, WIDEST) || tracked.contains(npc) {
                    continue;
                }
                let Some(free) = self.tracked.get_mut(self.count) else {
                    break;
                };
                *free = *npc;
                self.count += 1;
                let comes = npc_table.comes.get(usize::from(*npc)).copied().unwrap_or_default();
                let dx = low_bits(difference(x, tile.x)) & 31;
                let dz = low_bits(difference(z, tile.z)) & 31;
                writer.push(comes.with(dx << 25 | dz << 1));
            }
        }
        counters.added = (self.count - retained) as u64;
        writer.push(Record::EMPTY.then(END, 16));
        writer.align();
    }
}
