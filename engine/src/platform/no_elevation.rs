//! For systems on which an agent, a process that measures for this program, never has more rights than this program.

use std::path::PathBuf;

use super::Elevation;

/// How an agent gets administrator rights: not at all on this system.
pub const ELEVATION: Elevation = Elevation::None;

/// Returns `None`: no program is started with administrator rights on this system.
pub fn elevatable_program() -> Option<PathBuf> {
    None
}

/// Returns `None`: no other process requested the start of this one with administrator rights.
pub fn starter() -> Option<u32> {
    None
}
