//! What a page wants of the recorder.

use std::ffi::OsString;
use std::path::PathBuf;

use jitterscope_engine::plan::parse_nanos;
use jitterscope_engine::runner::ThreadRequest;
use jitterscope_engine::store::RecordCommand;

/// What to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingWish {
    /// The log of a game, or the folder of its logs; `None` to record this PC only.
    pub log: Option<PathBuf>,
    /// Name or number of the process of the game; empty to find it by the name of its log.
    pub process: String,
    /// Name or number of the thread to follow in place of a game; `None` to follow none.
    pub thread: Option<String>,
    /// The period of the thread, as the user wrote it; empty to learn it.
    pub period: String,
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
        if let Some(thread) = &self.thread {
            args.extend(["--thread".into(), thread.trim().into()]);
            if !self.period.trim().is_empty() {
                args.extend(["--period".into(), self.period.trim().into()]);
            }
        }
        args
    }

    /// Looks for the thread to follow, if there is one; returns in words why it cannot be followed.
    pub fn find_thread(&self) -> Result<(), String> {
        let Some(thread) = &self.thread else { return Ok(()) };
        let period = match self.period.trim() {
            "" => None,
            period => {
                let expected = "invalid period: expected a time such as 10ms";
                Some(parse_nanos(period).ok_or_else(|| expected.to_owned())?)
            }
        };
        let request = ThreadRequest { thread: thread.clone(), period };
        request.find().map(|_| ()).map_err(|error| error.to_string())
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
        let game = RecordingWish {
            log: Some("/home/a/logs".into()),
            process: " 17 ".to_owned(),
            ..RecordingWish::default()
        };
        assert_eq!(game.args(), ["record", "--game", "/home/a/logs", "--process", "17"]);
        let thread = RecordingWish {
            thread: Some(" data-loop.0".to_owned()),
            period: "10ms ".to_owned(),
            ..RecordingWish::default()
        };
        assert_eq!(thread.args(), ["record", "--thread", "data-loop.0", "--period", "10ms"]);
    }

    #[test]
    fn a_thread_that_cannot_be_followed_is_refused_in_words() {
        let wish = |thread: &str, period: &str| RecordingWish {
            thread: Some(thread.to_owned()),
            period: period.to_owned(),
            ..RecordingWish::default()
        };
        assert_eq!(RecordingWish::default().find_thread(), Ok(()));
        let of = |thread: &str, period: &str| wish(thread, period).find_thread().unwrap_err();
        assert!(of("no thread has this name", "").starts_with("no thread is named 'no thread has"));
        assert!(of("a", "10").starts_with("invalid period"), "a time has a unit");
        assert!(of("a", "2min").starts_with("a period is between"));
    }
}
