//! Systems on which no agent has more rights than the program that starts it.

use std::io;
use std::path::PathBuf;

/// Whether this system can start an agent with administrator rights.
pub const CAN_ELEVATE: bool = false;

/// Whether this process has rights that an agent should have instead.
pub fn is_root() -> bool {
    false
}

/// No program is started with administrator rights here.
pub fn elevatable_program() -> Option<PathBuf> {
    None
}

/// This process has the rights of its caller already.
#[expect(clippy::unnecessary_wraps, reason = "Linux's can fail")]
pub fn take_callers_rights(_must_know_caller: bool, _needs_idle_file: bool) -> io::Result<()> {
    Ok(())
}

/// No other program is a part of this one.
pub fn starter() -> Option<u32> {
    None
}
