//! One recorder per user, which other processes of the user can ask and command.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::format::RecordStatus;
use crate::platform::{self, CommandPipe};

/// Names of files in the runtime folder of the user.
const LOCK: &str = "recorder.lock";
const STATUS: &str = "recorder.json";
const NEW_STATUS: &str = "recorder.json.new";
/// How often a lock is tried, and the pause in between.
const MAX_TRIES: usize = 10;
const PAUSE: Duration = Duration::from_millis(5);

/// A command to a recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordCommand {
    /// Mark the current time.
    Mark,
    /// End the recording and save it.
    Stop,
}

impl RecordCommand {
    const WORDS: [(Self, &'static str); 2] = [(Self::Mark, "mark"), (Self::Stop, "stop")];

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(command, _)| *command == self).map_or("", |(_, word)| word)
    }
}

/// Why a recorder cannot be controlled.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Another recorder of this user runs.
    #[error("a recorder runs already; end it with jitterscope-cli record stop")]
    Running,
    /// No recorder of this user runs.
    #[error("no recorder runs; start one with jitterscope-cli record")]
    NotRunning,
    /// The system refused.
    #[error("cannot control the recorder: {0}")]
    System(#[from] io::Error),
}

/// The recorder's end: only one recorder of a user has it.
#[derive(Debug)]
pub struct RecordControl {
    folder: PathBuf,
    pipe: CommandPipe,
    _lock: File,
}

impl RecordControl {
    /// Becomes the recorder of this user.
    ///
    /// # Errors
    ///
    /// Another recorder runs, or this system has no runtime folder or FIFO.
    pub fn take() -> Result<Self, ControlError> {
        let folder = platform::runtime_folder()?;
        let lock = File::options().create(true).append(true).open(folder.join(LOCK))?;
        let mut tries = 0;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                // Whoever asks for the state of a recorder has the lock for a moment.
                Err(TryLockError::WouldBlock) if tries < MAX_TRIES => tries += 1,
                Err(TryLockError::WouldBlock) => return Err(ControlError::Running),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            std::thread::sleep(PAUSE);
        }
        let pipe = CommandPipe::create(&folder)?;
        // That of a recorder that was killed.
        fs::remove_file(folder.join(STATUS)).ok();
        Ok(Self { folder, pipe, _lock: lock })
    }

    /// Returns the commands that arrived; unknown ones are skipped.
    pub fn commands(&mut self) -> Vec<RecordCommand> {
        let known = |word: String| {
            let found = RecordCommand::WORDS.iter().find(|(_, known)| *known == word);
            found.map(|(command, _)| *command)
        };
        self.pipe.read().into_iter().filter_map(known).collect()
    }

    /// Publishes what was recorded so far. An error is only logged.
    pub fn publish(&self, status: &RecordStatus) {
        let new = self.folder.join(NEW_STATUS);
        let written = fs::write(&new, status.to_json())
            .and_then(|()| fs::rename(&new, self.folder.join(STATUS)));
        if let Err(error) = written {
            log::info!("the state of the recorder is not published: {error}");
        }
    }
}

impl Drop for RecordControl {
    fn drop(&mut self) {
        fs::remove_file(self.folder.join(STATUS)).ok();
    }
}

/// Sends a command to the recorder of this user.
///
/// # Errors
///
/// No recorder runs, or the command cannot be sent.
pub fn command_recorder(command: RecordCommand) -> Result<(), ControlError> {
    let folder = running_folder()?;
    Ok(platform::send_command(&folder, command.word())?)
}

/// Returns what the recorder of this user recorded so far.
///
/// # Errors
///
/// No recorder runs, or its state cannot be read.
pub fn recorder_status() -> Result<RecordStatus, ControlError> {
    let text = fs::read(running_folder()?.join(STATUS))?;
    let unreadable = || io::Error::other("its state cannot be read");
    Ok(RecordStatus::from_json(&text).ok_or_else(unreadable)?)
}

/// Returns the folder of the files of a recorder that runs.
fn running_folder() -> Result<PathBuf, ControlError> {
    let folder = platform::runtime_folder()?;
    let Ok(lock) = File::open(folder.join(LOCK)) else { return Err(ControlError::NotRunning) };
    match lock.try_lock_shared() {
        // Nobody has it.
        Ok(()) => Err(ControlError::NotRunning),
        Err(TryLockError::WouldBlock) => Ok(folder),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
