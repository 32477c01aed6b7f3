//! One player's view of the other players, and the packet that updates that player's screen.

use super::bits::{BitWriter, Record};
use super::blocks::{APPEARANCE, Blocks};
use super::player_table::PlayerTable;
use super::set::Set;
use super::settings::Counters;

/// Maximum size of a packet in bytes.
pub(super) const PACKET: usize = 40_000;
/// Free bytes that a packet must have for a further extended block, which is the chat and appearance of a player.
const RESERVE: usize = 10_000;
/// Maximum view range in tiles.
pub(super) const WIDEST: u16 = 15;
/// If at least this many players are in view, the view range shrinks.
const CROWDED: u32 = 250;
/// After this many cycles without a crowd, the view range grows by one tile per cycle.
const PATIENCE: u32 = 10;

/// The state of one player's view of the others.
#[derive(Debug)]
pub(super) struct Observer {
    slot: usize,
    /// The players in view.
    pub(super) in_sight: Set,
    /// The players, in view or not, without an update in the last packet to this player.
    idle: Set,
    /// The players whose current appearance was sent to this player.
    knows: Set,
    /// The view range in tiles.
    pub(super) range: u16,
    /// The number of cycles since the last crowd; counted from 0 again once the view range is at its maximum.
    patience: u32,
    in_sight_count: u32,
    /// Counts of the contents of the packet.
    pub(super) counters: Counters,
}

/// The data from which all packets are made, which is the same for all observers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<'a> {
    pub(super) player_table: &'a PlayerTable,
    /// The chat of each player, with its flags.
    pub(super) chats: &'a Blocks,
    /// The appearance of each player.
    pub(super) looks: &'a Blocks,
}

impl Observer {
    /// Returns the view of a player who has just joined and sees nobody else.
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
            counters: Counters::default(),
        }
    }

    /// Shrinks the view range in a crowd; grows it by a tile per cycle after [`PATIENCE`] cycles
    /// without one.
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

    /// Writes the packet of this cycle: records in four passes, then the extended blocks. The passes are for
    /// players in view with an update in the last cycle, players in view without one, players out of view
    /// without one, and players out of view with one.
    pub(super) fn encode(&mut self, shared: Shared<'_>, out: &mut [u8]) {
        self.counters = Counters::default();
        let Shared { player_table, .. } = shared;
        if !player_table.playing.contains(self.slot) {
            return;
        }
        self.resize();
        self.knows = self.knows - player_table.restyled;
        let seeing = player_table.around(self.slot, self.range);
        let reported = player_table.telling | (Set::ALL - self.knows);

        let staying = self.in_sight & seeing;
        let leaving = self.in_sight - seeing;
        let entering = seeing - self.in_sight;
        let unseen = Set::ALL - self.in_sight;
        let acting = leaving
            | (staying & (player_table.moved | reported))
            | entering
            | (unseen & player_table.shifted);

        let mut counters = Counters::default();
        let mut writer = BitWriter::new(out);
        let mut of_seen = |slot: usize| {
            if leaving.contains(slot) {
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
            if entering.contains(slot) {
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
        let length = self.extend(shared, &order, &mut counters, out, at);

        // Players who came into view count as idle, too: their position was sent instead of a movement.
        self.idle = (Set::ALL - acting) | entering;
        self.in_sight = seeing;
        self.in_sight_count = seeing.count();
        counters.packets = 1;
        counters.bytes = length as u64;
        counters.in_sight = u64::from(self.in_sight_count);
        counters.ranges = u64::from(self.range);
        self.counters = counters;
    }

    /// Copies the extended blocks of the players in `order`; writes a zero byte instead of a block if the packet is
    /// nearly full. Returns the length of the packet.
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

/// Writes the records of players in `list` who are also in `acting`; before each, writes how many players of the list
/// were skipped. Pads to a whole byte, and returns the number of written skip codes.
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

/// Returns the code for this many skipped slots: no bits for 0, otherwise 3, 8, 11, or 14 bits. The code is computed
/// without branches.
#[inline]
fn skip(count: u32) -> Record {
    let further = count.saturating_sub(1);
    let class = u32::from(further != 0) + u32::from(31 < further) + u32::from(255 < further);
    let width = 0x0b08_0500 >> (8 * class) & 31;
    let length = if count == 0 { 0 } else { 3 + width };
    Record::EMPTY.then(u64::from(class << width | further), length)
}

/// Returns the counter for the kind of movement in a record. The length of the record identifies the kind.
fn movement_counter(counters: &mut Counters, record: Record) -> &mut u64 {
    match record.length() {
        4 => &mut counters.still,
        7 => &mut counters.walks,
        8 => &mut counters.runs,
        17 => &mut counters.teleports,
        _ => &mut counters.far_teleports,
    }
}
