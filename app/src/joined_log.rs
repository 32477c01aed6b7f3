//! Reads a log that is to be joined with a recording, with what is known about when it was written.

use std::path::Path;

use jitterscope_engine::import::{self, ImportError, Options};
use jitterscope_engine::report::recording::LogTimes;
use jitterscope_engine::run::Run;

/// Reads the file of another program, or a run file with a capture.
pub fn read_log(path: &Path, options: &Options) -> Result<(Run, LogTimes), ImportError> {
    let imported = import::read(path, options)?;
    // Without it, the times in the file remain.
    let modified = path.metadata().and_then(|metadata| metadata.modified()).ok();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let times = LogTimes {
        saved: modified.and_then(|time| jiff::Timestamp::try_from(time).ok()),
        stated: imported.started_at,
        name: stem.unwrap_or_default(),
    };
    Ok((imported.into_run(), times))
}
