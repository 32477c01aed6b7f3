//! What a loop does after waking.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// What a loop does after waking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Nothing.
    Nothing,
    /// A fixed count of integer arithmetic, calibrated to take this long on an undisturbed CPU. It
    /// takes longer if the thread is disturbed.
    #[serde(rename = "arithmetic_nanos")]
    Arithmetic(Nanos),
    /// Watches the clock for this long, which hides a disturbance.
    #[serde(rename = "timed_nanos")]
    Timed(Nanos),
    /// One cycle of a game server's world.
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
    /// The label on screen.
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
    /// To a random place.
    #[default]
    Teleport,
    /// A step.
    Walk,
    /// A mix of both.
    Mixed,
}

/// A cycle of a game server's world: all players and NPCs move, and each player receives updates
/// about what is in view.
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
    /// The side of the square that everyone moves in, in tiles, 1 to 1 024.
    #[serde(default = "default_area_side")]
    pub area_side: u32,
    /// Length of every chat line, in characters, 0 to 80.
    #[serde(default = "default_chat_length")]
    pub chat_length: u32,
    /// Threads that encode at the same time.
    pub threads: u32,
    /// Seed of everything random.
    pub seed: u64,
}

/// The side of the square of RSProt's benchmark, and of older files.
pub const fn default_area_side() -> u32 {
    13
}

/// The characters per cycle of RSProt's benchmark, and of older files.
pub const fn default_chat_length() -> u32 {
    50
}

impl Work {
    /// How long it takes to calibrate arithmetic, once per run.
    pub const CALIBRATION: Nanos = Nanos::from_millis(30);

    /// Planned duration.
    pub const fn length(self) -> Nanos {
        match self {
            Self::Nothing | Self::GameCycle(_) => Nanos::ZERO,
            Self::Arithmetic(length) | Self::Timed(length) => length,
        }
    }
}
