//! Simulates the work of a game server's cycle: all players and NPCs move, and every player
//! receives updates about everything in view.
//!
//! A cycle moves everyone, writes blocks that all players share, encodes a packet per player from
//! the player's view, and consumes the packets. The encoding is distributed over the threads of a
//! pool that the caller provides; the bytes do not depend on the number of threads. The encoding is
//! complete: a decoder can maintain a player's screen from the packets alone (the tests have such a
//! decoder).

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

use crate::nanos::Nanos;

/// A clock in nanoseconds that any thread can read.
pub type Clock<'a> = &'a (dyn Fn() -> i64 + Sync);

/// A simulated game.
#[derive(Debug)]
pub struct World {
    game: Game,
    counters: Counters,
}

/// The kinds of games.
#[derive(Debug)]
enum Game {
    Players(players::Players),
    Npcs(npcs::Npcs),
}

impl World {
    /// Creates a game before its first cycle; settings out of range are clamped.
    ///
    /// A game takes 40 kB of memory per player. In the first 20 cycles, the view ranges of the players adapt to the
    /// number of players in view. The slowest of these cycles takes several times as long as later cycles: run the
    /// first 20 cycles before measuring.
    pub fn new(settings: Settings) -> Self {
        let settings = settings.within_ranges();
        let game = match settings.kind {
            Kind::Players => Game::Players(players::Players::new(settings)),
            Kind::Npcs => Game::Npcs(npcs::Npcs::new(settings)),
        };
        Self { game, counters: Counters::default() }
    }

    /// Runs one cycle, on the threads of a pool or on the calling thread alone. Returns how long each part of the cycle
    /// took, measured with the clock `now`. Does not allocate memory itself.
    pub fn cycle(&mut self, pool: Option<&rayon::ThreadPool>, now: Clock<'_>) -> Phases {
        match pool {
            // The whole cycle runs on pool threads, so it is handed over to the pool only once. A call from a pool
            // thread hands over nothing: run many cycles from a pool thread.
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

    /// Runs the rest of a cycle after the positions were updated: prepares, encodes, and releases the packets.
    /// Returns how long each part took.
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

    /// Returns the contents of the packets of the last cycle.
    pub fn counters(&self) -> Counters {
        self.counters
    }
}
