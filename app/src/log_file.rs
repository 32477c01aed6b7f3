//! Log messages of the program, in a file that users can attach to a bug report.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use jitterscope_engine::export::{Identity, IncludedNames};
use jitterscope_engine::platform::open_regular_with;
use log::{Level, LevelFilter, Log, Metadata, Record};

/// File names of the current log and of the previous one.
const FILE: &str = "jitterscope.log";
const OLD_FILE: &str = "jitterscope.old.log";
/// Size in bytes above which the current log is renamed to the previous one at the next start.
const MAX_BYTES: u64 = 1 << 20;
/// Number of lines from the end of the file that diagnostics include.
const LAST_LINES: usize = 60;

/// The logger, which writes messages of this program and warnings of its libraries to a file.
struct LogFile {
    path: PathBuf,
    file: Mutex<File>,
}

static LOG: OnceLock<LogFile> = OnceLock::new();

impl Log for LogFile {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let is_ours = metadata.target().starts_with("jitterscope");
        metadata.level() <= if is_ours { Level::Info } else { Level::Warn }
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = line(record);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Ignore the error: if writing fails, for example because the disk is full, the error
        // cannot be logged either.
        let _ok = file.write_all(line.as_bytes());
    }

    fn flush(&self) {}
}

/// Formats a message as a line without private names.
fn line(record: &Record<'_>) -> String {
    let when = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
    let message = IncludedNames::NOTHING.redacted(&record.args().to_string(), Identity::here());
    format!("{when} {:<5} {}: {message}\n", record.level(), record.target())
}

/// Starts logging into this folder; the error is the reason why there is no log.
pub fn start(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(FILE);
    if std::fs::metadata(&path).is_ok_and(|file| MAX_BYTES < file.len()) {
        std::fs::rename(&path, folder.join(OLD_FILE))?;
    }
    let mut options = File::options();
    let file = Mutex::new(open_regular_with(&path, options.create(true).append(true))?);
    let log = LOG.get_or_init(|| LogFile { path, file });
    if log::set_logger(log).is_ok() {
        log::set_max_level(LevelFilter::Info);
        log::info!("Jitterscope {} started", env!("CARGO_PKG_VERSION"));
    }
    Ok(())
}

/// Returns the path of the log, if it was started.
pub fn path() -> Option<&'static Path> {
    LOG.get().map(|log| log.path.as_path())
}

/// Returns the last lines of the log; empty without a log.
pub fn last_lines() -> String {
    let text = path().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_no_private_names() {
        let Some(home) = std::env::home_dir().filter(|home| home.components().count() > 1) else {
            println!("skipped: this user has no home folder");
            return;
        };
        let message = format!("cannot read {}/runs from 10.1.2.3", home.display());
        let record = |args| Record::builder().level(Level::Warn).target("test").args(args).build();
        let written = line(&record(format_args!("{message}")));
        assert!(written.ends_with("WARN  test: cannot read ~/runs from [address]\n"), "{written}");
    }
}
