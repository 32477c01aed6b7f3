//! Systems on which no agent has more rights than the program that starts it.

use std::path::PathBuf;

use super::Elevation;

/// Nothing grants more rights here.
pub const ELEVATION: Elevation = Elevation::None;

/// No program is started with administrator rights here.
pub fn elevatable_program() -> Option<PathBuf> {
    None
}

/// No other program is a part of this one.
pub fn starter() -> Option<u32> {
    None
}
