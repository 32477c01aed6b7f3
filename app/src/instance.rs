//! Allows only one window at a time: a second start passes its files to the first window, which
//! then comes to the front.
//!
//! The processes communicate through the settings folder. The first one locks a file there and
//! checks for request files that later starts write next to it. If the folder is not writable, each
//! start opens a separate window.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jitterscope_engine::platform;
use jitterscope_engine::run::RunId;
use jitterscope_engine::store::read_bounded;

/// The file that the first window locks.
const LOCK: &str = "window.lock";
/// The extension of request files.
const EXTENSION: &str = "open-request";
/// How long a second start waits for the first window to accept its request.
const PATIENCE: Duration = Duration::from_secs(4);
/// Maximum size of a request in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The lock that makes this window the first one; it is released when this value is dropped.
#[derive(Debug)]
pub struct Instance {
    /// The folder into which later starts write their requests.
    pub folder: PathBuf,
    _lock: File,
}

/// Outcome of a start.
#[derive(Debug)]
pub enum Start {
    /// This is the first window.
    First(Instance),
    /// The first window has accepted the files: this process can end.
    HandedOver,
    /// Another window is open and did not answer.
    Busy,
    /// The folder cannot be used, for this reason.
    Unknown(String),
}

impl Instance {
    /// Locks this folder for this window, or passes these files to the window that has locked the
    /// folder.
    pub fn claim(folder: &Path, files: &[PathBuf]) -> Start {
        Self::claim_within(folder, files, PATIENCE)
    }

    fn claim_within(folder: &Path, files: &[PathBuf], patience: Duration) -> Start {
        let failed = |error: std::io::Error| Start::Unknown(error.to_string());
        if let Err(error) = fs::create_dir_all(folder) {
            return failed(error);
        }
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let lock = match platform::open_regular_with(&folder.join(LOCK), &mut options) {
            Ok(lock) => lock,
            Err(error) => return failed(error),
        };
        match lock.try_lock() {
            Ok(()) => Start::First(Self { folder: folder.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => match hand_over(folder, files, patience) {
                Ok(true) => Start::HandedOver,
                Ok(false) => Start::Busy,
                Err(error) => failed(error),
            },
            Err(TryLockError::Error(error)) => failed(error),
        }
    }
}

/// Writes a request to open these files, and waits until the first window has accepted the request;
/// returns `false` if the first window does not accept it within `patience`.
fn hand_over(folder: &Path, files: &[PathBuf], patience: Duration) -> std::io::Result<bool> {
    let files: Vec<PathBuf> = files
        .iter()
        .map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()))
        .collect();
    let name = format!("{}-{}", std::process::id(), RunId::random());
    let request = folder.join(&name).with_extension(EXTENSION);
    // Write a draft and rename it, so that the first window never reads an incomplete request.
    let draft = folder.join(format!("{name}.draft"));
    fs::write(&draft, serde_json::to_vec(&files)?)?;
    fs::rename(&draft, &request)?;
    let began = Instant::now();
    while began.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(50));
        if !request.exists() {
            return Ok(true);
        }
    }
    // If the removal fails, the first window has accepted the request at the last moment.
    Ok(fs::remove_file(&request).is_err())
}

/// Returns the files that later starts requested to open, and removes the requests; `None` if there
/// are no requests.
pub fn take_requests(folder: &Path) -> Option<Vec<PathBuf>> {
    let is_request =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == EXTENSION);
    let mut taken = None;
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if !is_request(&path) {
            continue;
        }
        let Ok(text) = read_bounded(&path, MAX_BYTES) else { continue };
        let files: Vec<PathBuf> = serde_json::from_slice(&text).unwrap_or_default();
        if fs::remove_file(&path).is_ok() {
            taken.get_or_insert_with(Vec::new).extend(files);
        }
    }
    taken
}

/// Returns the message after the files were passed to the window that is already open.
pub fn handed_over(files: usize) -> String {
    match files {
        0 => "Jitterscope is already running; its window comes to the front".to_owned(),
        1 => "Jitterscope is already running; its window opens the file".to_owned(),
        count => format!("Jitterscope is already running; its window opens {count} files"),
    }
}

/// Returns the reason of an error without the source location in a library.
pub fn reason_of(error: &str) -> String {
    let after = error.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    let words = after.map_or(error, |(_, words)| words);
    words.trim_end_matches([')', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::store::ScratchFolder;

    use super::*;

    #[test]
    fn a_second_start_hands_its_files_to_the_first_and_the_next_start_is_the_first_again() {
        let folder = ScratchFolder::new().unwrap();
        let Start::First(first) = Instance::claim(folder.path(), &[]) else { panic!("not first") };
        let wait = Duration::from_millis(200);
        let alone = Instance::claim_within(folder.path(), &["a.csv".into()], wait);
        assert!(matches!(alone, Start::Busy), "nobody takes it: {alone:?}");
        assert_eq!(take_requests(&first.folder), None, "and it is not left behind");
        let at = first.folder.clone();
        let take = move || loop {
            if let Some(files) = take_requests(&at) {
                return files;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let taker = std::thread::Builder::new().name("taker".to_owned()).spawn(take).unwrap();
        let second = Instance::claim(folder.path(), &["a.csv".into(), "b".into()]);
        assert!(matches!(second, Start::HandedOver), "{second:?}");
        let files = taker.join().unwrap();
        assert!(files.len() == 2 && files.iter().all(|file| file.is_absolute()), "{files:?}");
        drop(first);
        assert!(matches!(Instance::claim(folder.path(), &[]), Start::First(_)));
    }

    #[test]
    fn second_start_reports_what_the_first_window_does() {
        assert!(handed_over(0).ends_with("its window comes to the front"));
        assert!(handed_over(3).ends_with("its window opens 3 files"));
    }

    #[test]
    fn a_reason_names_no_source_file() {
        let long = "winit EventLoopError: os error at /a/b/mod.rs:765: neither DISPLAY nor \
                    another is set.";
        assert_eq!(reason_of(long), "neither DISPLAY nor another is set");
        assert_eq!(reason_of("no OpenGL here"), "no OpenGL here");
    }
}
