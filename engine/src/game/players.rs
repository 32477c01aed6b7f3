//! The game in which players receive updates about other players.

use super::blocks::{APPEARANCE_BYTES, Blocks, appearance, said, write_chat};
use super::observer::{Observer, PACKET, Shared};
use super::parallel::{Pool, run_parallel};
use super::player_table::PlayerTable;
use super::random::Random;
use super::set::SLOTS;
use super::settings::{Counters, Settings};
use super::tile::Tile;

/// All players, their views, and their packets.
#[derive(Debug)]
pub(super) struct Players {
    pub(super) settings: Settings,
    pub(super) random: Random,
    pub(super) cycle: u64,
    pub(super) player_table: PlayerTable,
    /// The observers; the player in slot `i` is observer `i - 1`.
    pub(super) observers: Vec<Observer>,
    /// One buffer per observer, refilled in each cycle.
    pub(super) packets: Vec<u8>,
    chats: Blocks,
    pub(super) looks: Blocks,
}

impl Players {
    /// Creates a game with every player on a random tile; nobody has seen another player yet.
    pub(super) fn new(settings: Settings) -> Self {
        let mut random = Random::new(settings.seed);
        let mut player_table = PlayerTable::new();
        let mut looks = Blocks::new(SLOTS, APPEARANCE_BYTES);
        let count = settings.players as usize;
        let observers: Vec<Observer> = (1..=count).map(Observer::new).collect();
        for slot in 1..=count {
            player_table.join(slot, Tile::random(&mut random, settings.side()));
            looks.set(slot, &appearance(slot, 0));
        }
        // `release` makes all players visible, and their squares known, before the first cycle.
        // `release` also empties `restyled`, which is restored because no appearance has been sent
        // yet.
        let restyled = player_table.restyled;
        player_table.release();
        player_table.restyled = restyled;
        Self {
            settings,
            random,
            cycle: 0,
            player_table,
            packets: vec![0; observers.len() * PACKET],
            observers,
            chats: Blocks::of_chat(SLOTS, settings.chat_length as usize),
            looks,
        }
    }

    /// Moves every player.
    pub(super) fn step(&mut self) {
        let Settings { movement, .. } = self.settings;
        let side = self.settings.side();
        for slot in 1..=self.observers.len() {
            let tile = self.player_table.tile(slot).moved(&mut self.random, movement, side);
            self.player_table.place(slot, tile);
        }
    }

    /// Computes the records of all players, and encodes the chat of all players.
    pub(super) fn prepare(&mut self, pool: Pool<'_>) {
        self.player_table.prepare();
        let length = self.settings.chat_length as usize;
        if length == 0 {
            return;
        }
        self.player_table.telling = self.player_table.playing;
        let cycle = self.cycle;
        let Blocks { bytes, lengths, room } = &mut self.chats;
        run_parallel(pool, lengths, bytes, *room, |slot, length_of, block| {
            *length_of = write_chat(block, said(slot, cycle, length));
        });
    }

    /// Writes every observer's packet.
    pub(super) fn encode(&mut self, pool: Pool<'_>) {
        let Self { player_table, chats, looks, observers, packets, .. } = self;
        let shared = Shared { player_table, chats, looks };
        run_parallel(pool, observers, packets, PACKET, |_, observer, packet| {
            observer.encode(shared, packet);
        });
    }

    /// Ends the cycle, and returns the counters of all its packets together.
    pub(super) fn release(&mut self) -> Counters {
        let mut counters = Counters::default();
        for observer in &self.observers {
            counters += observer.counters;
        }
        self.player_table.release();
        self.cycle += 1;
        counters
    }
}
