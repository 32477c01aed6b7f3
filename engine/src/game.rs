//! The work of a game server's cycle: all players and NPCs move, and every player receives updates
//! about what is in view.
//!
//! A cycle moves everything, writes shared blocks once, encodes a packet per player from the
//! player's view, and consumes the packets. The encoding is distributed over the threads of a pool
//! that the caller provides; the bytes do not depend on the number of threads. It is a real
//! encoder: a decoder can maintain a player's screen from the packets alone (the tests have one).

mod bits;
mod blocks;
mod huffman;
mod npcs;
mod observer;
mod parallel;
mod player_table;
mod players;
mod random;
mod set;
mod settings;
#[cfg(test)]
mod tests;
mod tile;

pub use settings::{Counters, Kind, Movement, Phases, Settings};
pub use tile::Tile;

use crate::nanos::Nanos;

/// A clock of nanoseconds that any thread may read.
pub type Clock<'a> = &'a (dyn Fn() -> i64 + Sync);

/// A game in progress.
#[derive(Debug)]
pub struct World {
    game: Game,
    counters: Counters,
}

/// The two games.
#[derive(Debug)]
enum Game {
    Players(players::Players),
    Npcs(npcs::Npcs),
}

impl World {
    /// A game with these settings, each number moved into its range, before its first cycle.
    ///
    /// Takes 40 kB per player. The view ranges take 20 cycles to settle, and the slowest of these
    /// costs several times a steady one: run as many before measuring.
    pub fn new(settings: Settings) -> Self {
        let settings = settings.within_ranges();
        let game = match settings.kind {
            Kind::Players => Game::Players(players::Players::new(settings)),
            Kind::Npcs => Game::Npcs(npcs::Npcs::new(settings)),
        };
        Self { game, counters: Counters::default() }
    }

    /// Runs one cycle, on the threads of a pool or on this one alone, and returns how long each
    /// part took by a clock of nanoseconds. Allocates nothing itself.
    pub fn cycle(&mut self, pool: Option<&rayon::ThreadPool>, now: Clock<'_>) -> Phases {
        match pool {
            // On a pool thread from beginning to end, so that it is handed over at most once; a
            // caller that runs many cycles runs them all there.
            Some(pool) => pool.install(|| self.play(Some(pool), now)),
            None => self.play(None, now),
        }
    }

    fn play(&mut self, pool: Option<&rayon::ThreadPool>, now: Clock<'_>) -> Phases {
        let began = now();
        match &mut self.game {
            Game::Players(game) => game.step(),
            Game::Npcs(game) => game.step(),
        }
        self.send_updates(began, pool, now)
    }

    /// The rest of a cycle, once all positions are updated.
    fn send_updates(
        &mut self,
        began: i64,
        pool: Option<&rayon::ThreadPool>,
        now: Clock<'_>,
    ) -> Phases {
        let moved = now();
        match &mut self.game {
            Game::Players(game) => game.prepare(pool),
            Game::Npcs(game) => game.prepare(pool),
        }
        let prepared = now();
        match &mut self.game {
            Game::Players(game) => game.encode(pool),
            Game::Npcs(game) => game.encode(pool),
        }
        let encoded = now();
        self.counters = match &mut self.game {
            Game::Players(game) => game.release(),
            Game::Npcs(game) => game.release(),
        };
        let released = now();
        let between = |from: i64, to: i64| Nanos::new(to) - Nanos::new(from);
        Phases {
            moving: between(began, moved),
            preparing: between(moved, prepared),
            encoding: between(prepared, encoded),
            releasing: between(encoded, released),
        }
    }

    /// Content of the packets of the last cycle.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Number of players with updates.
    pub fn observers(&self) -> usize {
        match &self.game {
            Game::Players(game) => game.observers.len(),
            Game::Npcs(game) => game.watchers.len(),
        }
    }

    /// The packet of a player in the last cycle, counted from 0; empty if there is none.
    pub fn packet(&self, observer: usize) -> &[u8] {
        match &self.game {
            Game::Players(game) => game.packet(observer),
            Game::Npcs(game) => game.packet(observer),
        }
    }
}
