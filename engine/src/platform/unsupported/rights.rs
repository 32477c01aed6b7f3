//! Users and their rights: an agent, a process that measures for this program, never has more rights than this program.

use std::io;
use std::path::{Path, PathBuf};

use super::super::{Account, Elevation, FileCapabilities};
use super::SystemTracer;

/// Returns no accounts: the user who runs this process is not known.
pub const fn accounts() -> Vec<Account> {
    Vec::new()
}

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

/// Returns `false`: an agent never starts with rights that it would have to drop.
pub fn is_root() -> bool {
    false
}

/// Does nothing: this process already has the rights of its user.
#[expect(clippy::unnecessary_wraps, reason = "Linux's can fail")]
pub fn take_callers_rights(_must_know_caller: bool, _needs_idle_file: bool) -> io::Result<()> {
    Ok(())
}

/// Returns no capabilities: program files have none on this system.
pub fn file_capabilities(_program: &Path) -> FileCapabilities {
    FileCapabilities::default()
}

/// Returns the tracer: this process has no rights to give up.
#[expect(clippy::unnecessary_wraps, reason = "Linux's can fail")]
pub fn record_with_callers_rights(tracer: SystemTracer) -> io::Result<SystemTracer> {
    Ok(tracer)
}
