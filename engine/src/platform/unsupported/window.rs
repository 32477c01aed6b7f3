//! A window needs nothing that could be missing.

/// Returns no error: what a window needs belongs to the system.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub const fn prepare_window() -> Result<(), String> {
    Ok(())
}
