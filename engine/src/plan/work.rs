//! What is done after waking.

use serde::{Deserialize, Serialize};

use super::units::as_nanos;
use crate::nanos::Nanos;

/// What is done after waking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Nothing.
    Nothing,
    /// A fixed count of integer arithmetic, calibrated to take this long on an undisturbed CPU: it
    /// stretches when the thread is disturbed.
    #[serde(rename = "arithmetic_nanos", with = "as_nanos")]
    Arithmetic(Nanos),
    /// Watches the clock for this long, which hides a disturbance.
    #[serde(rename = "timed_nanos", with = "as_nanos")]
    Timed(Nanos),
    /// One cycle of a game server's world.
    GameCycle(GameCycle),
}

/// Whom a game cycle tells the players of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleKind {
    /// Of each other.
    Players,
    /// Of the characters the game itself plays.
    Npcs,
}

impl CycleKind {
    /// The word on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Players => "Players",
            Self::Npcs => "NPCs",
        }
    }
}

/// How everyone moves from cycle to cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleMovement {
    /// To a random place.
    #[default]
    Teleport,
    /// A step.
    Walk,
    /// Some of both.
    Mixed,
}

/// A cycle of a game server's world: everyone moves, and each player is told what is in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCycle {
    /// Whom the players are told of.
    pub kind: CycleKind,
    /// How many players there are, 1 to 2 046.
    pub players: u32,
    /// How many characters of the game there are.
    pub npcs: u32,
    /// How everyone moves.
    pub movement: CycleMovement,
    /// Threads that encode at the same time.
    pub threads: u32,
    /// Seed of everything random.
    pub seed: u64,
}

impl Work {
    /// How long it is meant to take.
    pub const fn length(self) -> Nanos {
        match self {
            Self::Nothing | Self::GameCycle(_) => Nanos::ZERO,
            Self::Arithmetic(length) | Self::Timed(length) => length,
        }
    }
}
