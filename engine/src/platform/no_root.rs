//! For systems on which an agent, a process that measures for another program, never starts as root.

use std::io;

/// Returns `false`: an agent never starts with rights that it would have to drop.
pub fn is_root() -> bool {
    false
}

/// Does nothing: this process already has the rights of its user.
#[expect(clippy::unnecessary_wraps, reason = "Linux's can fail")]
pub fn take_callers_rights(_must_know_caller: bool, _needs_idle_file: bool) -> io::Result<()> {
    Ok(())
}
