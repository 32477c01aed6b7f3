//! The work that a measuring loop does after each wake-up.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// The work of a loop after each wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// No work.
    Nothing,
    /// A fixed number of integer operations, calibrated to take this long on an undisturbed CPU. The work takes
    /// longer if the thread is disturbed.
    #[serde(rename = "arithmetic_nanos")]
    Arithmetic(Nanos),
    /// Reads the clock until this time has passed. A disturbance does not make this work longer, so it stays hidden.
    #[serde(rename = "timed_nanos")]
    Timed(Nanos),
    /// One cycle of a simulated game server.
    GameCycle(GameCycle),
}

/// What a game cycle sends updates about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CycleKind {
    /// Other players.
    Players,
    /// Characters controlled by the game.
    Npcs,
}

impl CycleKind {
    /// Returns the label on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Players => "Players",
            Self::Npcs => "NPCs",
        }
    }
}

/// How players and NPCs move from cycle to cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CycleMovement {
    /// To a random position within the area.
    #[default]
    Teleport,
    /// By up to one tile along each axis.
    Walk,
    /// Some teleport, some walk, and some stay where they are.
    Mixed,
}

/// A cycle of a simulated game server: all players and NPCs move, and each player receives updates about the players
/// or NPCs in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameCycle {
    /// What players receive updates about.
    pub kind: CycleKind,
    /// Number of players, 1 to 2 046.
    pub players: u32,
    /// Number of NPCs.
    pub npcs: u32,
    /// How players and NPCs move.
    pub movement: CycleMovement,
    /// Side of the square in which players and NPCs move, in tiles, 1 to 1 024.
    #[serde(default = "default_area_side")]
    pub area_side: u32,
    /// Length of every chat line, in characters, 0 to 80.
    #[serde(default = "default_chat_length")]
    pub chat_length: u32,
    /// Number of threads that encode updates in parallel.
    pub threads: u32,
    /// Seed of all random numbers of the simulation.
    pub seed: u64,
}

/// Returns the side of the square in RSProt's benchmark, in tiles. Older files lack the field and mean this value.
pub const fn default_area_side() -> u32 {
    13
}

/// Returns the length of a chat line in RSProt's benchmark, in characters. Older files lack the field and mean this
/// value.
pub const fn default_chat_length() -> u32 {
    50
}

impl Work {
    /// Duration of the calibration of [`Work::Arithmetic`], which runs once per run.
    pub const CALIBRATION: Nanos = Nanos::from_millis(30);

    /// Returns the planned duration of the work; 0 for a game cycle, whose duration is not known in advance.
    pub const fn length(self) -> Nanos {
        match self {
            Self::Nothing | Self::GameCycle(_) => Nanos::ZERO,
            Self::Arithmetic(length) | Self::Timed(length) => length,
        }
    }
}
