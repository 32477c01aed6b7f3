//! What a player sees on the screen in a game of NPCs, decoded only from the packets for this player.

use super::super::World;
use super::super::blocks::{SAY, said};
use super::super::npcs::{END, MAX, Npcs, kind_of};
use super::super::observer::WIDEST;
use super::super::tile::Tile;
use super::client::{Reader, ring, shift};

/// The NPCs that a player sees, in the order in which packets added them, and the chat of this cycle.
#[derive(Debug, Default)]
pub(super) struct NpcClient {
    tracked: Vec<(usize, Tile)>,
    said: Vec<(usize, Vec<u8>)>,
}

impl NpcClient {
    /// Updates the screen from the first player's packet. `all_tell` states whether all NPCs have chat.
    pub(super) fn read(&mut self, world: &World, center: Tile, all_tell: bool) {
        let mut reader = Reader::new(world.packet(0));
        let count = reader.bits(8);
        self.tracked.truncate(count);
        let mut reported = Vec::new();
        self.tracked.retain_mut(|(npc, tile)| {
            if reader.bits(1) == 0 {
                return true;
            }
            let kind = reader.bits(2);
            let steps = match kind {
                0 => 0,
                1 => 1,
                2 => 1 + reader.bits(1),
                _ => return false,
            };
            for _ in 0..steps {
                let (dx, dz) = ring(1)[reader.bits(3)];
                *tile = shift(*tile, dx, dz);
            }
            if kind == 0 || reader.bits(1) == 1 {
                reported.push(*npc);
            }
            true
        });
        loop {
            let npc = reader.bits(16);
            if npc as u64 == END {
                break;
            }
            let dx = reader.signed(5);
            assert_eq!(reader.bits(1), 0);
            let (_jumped, _facing) = (reader.bits(1), reader.bits(3));
            assert_eq!(reader.bits(14) as u64, kind_of(npc));
            let dz = reader.signed(5);
            if reader.bits(1) == 1 {
                reported.push(npc);
            }
            assert!(self.tracked.iter().all(|(known, _)| *known != npc), "{npc} came twice");
            self.tracked.push((npc, shift(center, dx, dz)));
        }
        reader.align();
        let mut text = || {
            assert_eq!(reader.byte(), SAY);
            std::iter::from_fn(|| Some(reader.byte()).filter(|byte| *byte != 0)).collect()
        };
        self.said = reported.into_iter().map(|npc| (npc, text())).collect();
        assert!(reader.is_at_end(), "{reader:?}");
        assert_eq!(self.said.len(), if all_tell { self.tracked.len() } else { 0 });
    }

    /// Compares the screen with the game.
    pub(super) fn check(&self, game: &Npcs, cycle: u64, length: usize) {
        for (npc, tile) in &self.tracked {
            assert_eq!(game.npc_table.tiles[*npc], *tile, "character {npc} in cycle {cycle}");
            assert!(game.center.sees(*tile, WIDEST));
        }
        let near =
            game.npc_table.tiles.iter().filter(|tile| game.center.sees(**tile, WIDEST)).count();
        assert_eq!(self.tracked.len(), near.min(MAX), "in cycle {cycle}");
        for (npc, text) in &self.said {
            assert_eq!(text, said(*npc, cycle, length));
        }
    }
}
