//! Messages of the program in a file that can be sent with a report.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};

/// The name of the file, and of the one before it.
const FILE: &str = "jitterscope.log";
const OLD_FILE: &str = "jitterscope.old.log";
/// A longer file is renamed at the next start, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Lines at the end of the file that go into diagnostics.
const LAST_LINES: usize = 60;

/// Writes messages of this program, and warnings of its libraries.
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
        let when = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        let line = format!("{when} {:<5} {}: {}\n", record.level(), record.target(), record.args());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Where the disk is full, there is nowhere to report it.
        let _ok = file.write_all(line.as_bytes());
    }

    fn flush(&self) {}
}

/// Starts the log in this folder; an error is the reason why there is none.
pub fn start(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(FILE);
    if std::fs::metadata(&path).is_ok_and(|file| MAX_BYTES < file.len()) {
        std::fs::rename(&path, folder.join(OLD_FILE))?;
    }
    let file = Mutex::new(File::options().create(true).append(true).open(&path)?);
    let log = LOG.get_or_init(|| LogFile { path, file });
    if log::set_logger(log).is_ok() {
        log::set_max_level(LevelFilter::Info);
        log::info!("Jitterscope {} started", env!("CARGO_PKG_VERSION"));
    }
    Ok(())
}

/// Where the log is, once it was started.
pub fn path() -> Option<&'static Path> {
    LOG.get().map(|log| log.path.as_path())
}

/// The last lines of the log; empty where there is none.
pub fn last_lines() -> String {
    let text = path().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default().join("\n")
}
