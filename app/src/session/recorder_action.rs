//! What a page wants of the recorder.

use std::ffi::OsString;
use std::path::PathBuf;

use jitterscope_engine::store::RecordCommand;

/// What to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingWish {
    /// The log of a game, or the folder of its logs; `None` to record this PC only.
    pub log: Option<PathBuf>,
    /// Name or number of the process of the game; empty to find it by the name of its log.
    pub process: String,
}

impl RecordingWish {
    /// Returns the arguments of the command line that records this.
    pub fn args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec!["record".into()];
        if let Some(log) = &self.log {
            args.extend(["--game".into(), log.into()]);
        }
        if !self.process.trim().is_empty() {
            args.extend(["--process".into(), self.process.trim().into()]);
        }
        args
    }
}

/// What a page wants of the recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecorderAction {
    /// Follow the state of a recorder, whoever started it.
    Watch,
    /// Read what a recording would show here.
    Check,
    /// Start a recorder as a separate process.
    Start(RecordingWish),
    /// Pass a command to the recorder that runs.
    Command(RecordCommand),
    /// The result of the recording that ended is on screen.
    ShowedResult,
    /// Ask for a log, and join it with the recording in this file.
    AskForLog(PathBuf),
    /// Restore the recording in this file as it was before a log was joined.
    UndoJoin(PathBuf),
    /// Delete the detail of the recording in this file.
    DeleteDetail(PathBuf),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_a_command_line() {
        let pc = RecordingWish::default();
        assert_eq!(pc.args(), ["record"]);
        let game = RecordingWish { log: Some("/home/a/logs".into()), process: " 17 ".to_owned() };
        assert_eq!(game.args(), ["record", "--game", "/home/a/logs", "--process", "17"]);
    }
}
