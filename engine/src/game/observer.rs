//! One player's view of the others, and the packet that brings his screen up to date.

use super::bits::{BitWriter, Record};
use super::blocks::{APPEARANCE, Blocks};
use super::player_table::PlayerTable;
use super::set::Set;
use super::settings::Counters;

/// How many bytes a packet may have.
pub(super) const PACKET: usize = 40_000;
/// Room that an extended block leaves free in it.
const RESERVE: usize = 10_000;
/// The widest view, in tiles.
pub(super) const WIDEST: u16 = 15;
/// With this many in view, the view range shrinks.
const CROWDED: u32 = 250;
/// After this many cycles without a crowd, it grows again, by one tile per cycle.
const PATIENCE: u32 = 10;

/// What one player knows of the others.
#[derive(Debug)]
pub(super) struct Observer {
    slot: usize,
    /// Who is in view, and who (in view or not) had no update in the last cycle.
    pub(super) in_sight: Set,
    idle: Set,
    /// Whose appearance is known.
    knows: Set,
    /// His view range in tiles, and the cycles since the last crowd.
    pub(super) range: u16,
    patience: u32,
    in_sight_count: u32,
    /// Bytes of his packet, and what it holds.
    pub(super) length: usize,
    pub(super) counters: Counters,
}

/// Everything that the packets are made of, the same for all observers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<'a> {
    pub(super) player_table: &'a PlayerTable,
    /// The chat of each, with its flags; and the appearance of each.
    pub(super) chats: &'a Blocks,
    pub(super) looks: &'a Blocks,
}

impl Observer {
    /// A player who has just come and sees only himself.
    pub(super) fn new(slot: usize) -> Self {
        let mut in_sight = Set::EMPTY;
        in_sight.put(slot, true);
        Self {
            slot,
            in_sight,
            idle: Set::EMPTY,
            knows: Set::EMPTY,
            range: WIDEST,
            patience: PATIENCE,
            in_sight_count: 1,
            length: 0,
            counters: Counters::default(),
        }
    }

    /// Narrows the view in a crowd, and widens it a tile a cycle once there was none for a while.
    fn resize(&mut self) {
        if CROWDED <= self.in_sight_count {
            self.range = self.range.saturating_sub(1);
            self.patience = 0;
            return;
        }
        self.patience += 1;
        if PATIENCE <= self.patience {
            if self.range < WIDEST {
                self.range += 1;
            } else {
                self.patience = 0;
            }
        }
    }

    /// Writes the packet of this cycle: four passes of records, then the extended blocks.
    pub(super) fn encode(&mut self, shared: Shared<'_>, out: &mut [u8]) {
        self.counters = Counters::default();
        self.length = 0;
        let Shared { player_table, .. } = shared;
        if !player_table.playing.contains(self.slot) {
            return;
        }
        self.resize();
        self.knows = self.knows - player_table.restyled;
        let seeing = player_table.around(self.slot, self.range);
        let reported = player_table.telling | (Set::ALL - self.knows);

        let staying = self.in_sight & seeing;
        let going = self.in_sight - seeing;
        let coming = seeing - self.in_sight;
        let unseen = Set::ALL - self.in_sight;
        let acting = going
            | (staying & (player_table.moved | reported))
            | coming
            | (unseen & player_table.shifted);

        let mut counters = Counters::default();
        let mut writer = BitWriter::new(out);
        let mut of_seen = |slot: usize| {
            if going.contains(slot) {
                counters.removed += 1;
                return player_table.goes[slot];
            }
            let record = player_table.stays[slot];
            *movement_counter(&mut counters, record) += 1;
            record.with(u64::from(reported.contains(slot)) << (record.length() - 2))
        };
        let (lively, quiet) = (self.in_sight - self.idle, self.in_sight & self.idle);
        let mut skips = pass(&mut writer, lively, acting, &mut of_seen);
        skips += pass(&mut writer, quiet, acting, &mut of_seen);
        let mut of_unseen = |slot: usize| {
            if coming.contains(slot) {
                counters.added += 1;
                return player_table.comes[slot].with(u64::from(reported.contains(slot)));
            }
            counters.shifted += 1;
            player_table.shifts[slot]
        };
        let (far_quiet, far_lively) = (unseen & self.idle, unseen - self.idle);
        skips += pass(&mut writer, far_quiet, acting, &mut of_unseen);
        skips += pass(&mut writer, far_lively, acting, &mut of_unseen);
        counters.skips = skips;
        counters.bits = writer.bits();
        let at = writer.bytes();

        let order = [lively, quiet, far_quiet, far_lively].map(|pass| pass & seeing & reported);
        self.length = self.extend(shared, &order, &mut counters, out, at);

        // Added players count as idle, too: their position was sent, not a movement.
        self.idle = (Set::ALL - acting) | coming;
        self.in_sight = seeing;
        self.in_sight_count = seeing.count();
        counters.packets = 1;
        counters.bytes = self.length as u64;
        counters.in_sight = u64::from(self.in_sight_count);
        counters.ranges = u64::from(self.range);
        self.counters = counters;
    }

    /// Copies the blocks of all who have one, in the order of their records; a zero byte instead
    /// where the packet is nearly full. Gives the length of the packet.
    fn extend(
        &mut self,
        Shared { player_table, chats, looks }: Shared<'_>,
        order: &[Set; 4],
        counters: &mut Counters,
        out: &mut [u8],
        mut at: usize,
    ) -> usize {
        let mut left: usize = order.iter().map(|set| set.count() as usize).sum();
        for set in order {
            set.each(|slot| {
                if PACKET - RESERVE < at + left {
                    if let Some(flags) = out.get_mut(at) {
                        *flags = 0;
                    }
                    at += 1;
                    counters.refused += 1;
                } else {
                    let start = at;
                    if player_table.telling.contains(slot) {
                        at = chats.copy(slot, out, at);
                    } else if let Some(flags) = out.get_mut(at) {
                        *flags = 0;
                        at += 1;
                    }
                    if !self.knows.contains(slot) {
                        if let Some(flags) = out.get_mut(start) {
                            *flags |= APPEARANCE;
                        }
                        at = looks.copy(slot, out, at);
                        self.knows.put(slot, true);
                        counters.appearances += 1;
                    }
                    counters.blocks += 1;
                }
                left -= 1;
            });
        }
        at
    }
}

/// Writes the records of those in a list who have one, and how many of the list are skipped
/// between them; fills up to a whole byte. Gives the number of skips.
#[inline]
fn pass(
    writer: &mut BitWriter<'_>,
    list: Set,
    acting: Set,
    mut record: impl FnMut(usize) -> Record,
) -> u64 {
    let (mut skipped, mut skips) = (0, 0);
    for ((list, acting), base) in list.words().iter().zip(acting.words()).zip((0..).step_by(64)) {
        let mut resting = list & !acting;
        let mut rest = list & acting;
        while rest != 0 {
            let place = rest.trailing_zeros();
            let behind = u64::MAX << place;
            skipped += (resting & !behind).count_ones();
            resting &= behind;
            rest &= rest - 1;
            skips += u64::from(skipped != 0);
            writer.push(skip(skipped).and(record(base + place as usize)));
            skipped = 0;
        }
        skipped += resting.count_ones();
    }
    if skipped != 0 {
        writer.push(skip(skipped));
        skips += 1;
    }
    writer.align();
    skips
}

/// The code for this many skipped slots: none for 0, else 3, 8, 11, or 14 bits. Without a branch.
#[inline]
fn skip(count: u32) -> Record {
    let further = count.saturating_sub(1);
    let class = u32::from(further != 0) + u32::from(31 < further) + u32::from(255 < further);
    let width = 0x0b08_0500 >> (8 * class) & 31;
    let length = if count == 0 { 0 } else { 3 + width };
    Record::EMPTY.then(u64::from(class << width | further), length)
}

/// The counter of the movement in a record: each kind has a different length.
fn movement_counter(counters: &mut Counters, record: Record) -> &mut u64 {
    match record.length() {
        4 => &mut counters.still,
        7 => &mut counters.walks,
        8 => &mut counters.runs,
        17 => &mut counters.teleports,
        _ => &mut counters.far_teleports,
    }
}
