//! Systems on which no agent starts as root.

use std::io;

/// Whether this process has rights that an agent should have instead.
pub fn is_root() -> bool {
    false
}

/// This process has the rights that it is to have already.
#[expect(clippy::unnecessary_wraps, reason = "Linux's can fail")]
pub fn take_callers_rights(_must_know_caller: bool, _needs_idle_file: bool) -> io::Result<()> {
    Ok(())
}
