//! The recorder of this user: starts it as a separate process, follows its state, and passes commands to it. Changes saved
//! recordings.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jitterscope_engine::import::Options;
use jitterscope_engine::machine::RecordingNeeds;
use jitterscope_engine::platform::{DetachedProgram, SystemTracer, is_root};
use jitterscope_engine::store::{
    ControlError, RecordCommand, RecordStatus, Store, command_recorder, recorder_status,
};

use super::action::{Action, Notice};
use super::import::ENDINGS;
use super::part::{Context, Part, Request};
use super::recorder_action::{RecorderAction, RecordingWish};
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks, Watch};
use crate::joined_log::read_log;
use crate::text::{capitalized, recordings as words};

/// The program that records.
const PROGRAM: &str = "jitterscope-cli";
/// The interval at which the recorder publishes its state.
const INTERVAL: Duration = Duration::from_secs(1);
/// Memory of the records that are opened to see whether they are permitted.
const CHECKED_BYTES: usize = 1 << 20;
/// How long a recorder may take until it has published its state for the first time.
const MAX_START: Duration = Duration::from_secs(15);

/// The recorder, as far as this window knows it.
#[derive(Debug)]
pub struct Recordings {
    tasks: Tasks<RecorderNews>,
    watch: Option<Watch>,
    /// The state of the recorder; `None` while none runs.
    pub status: Option<RecordStatus>,
    program: Option<DetachedProgram>,
    starting: Option<Instant>,
    /// Whether the recorder has to end.
    pub is_stopping: bool,
    /// What the recorder that was started last has to follow, and why not if its thread cannot be followed.
    started: (RecordingWish, Option<String>),
    /// What a recording would show here; `None` until it is read.
    pub needs: Option<RecordingNeeds>,
    /// When the recording began that ended and that no page has shown since.
    pub ended: Option<jiff::Timestamp>,
    /// Whether a saved recording is being changed.
    pub is_changing: bool,
    /// The recording whose last change was refused, and why.
    refused: Option<(PathBuf, String)>,
}

/// News of the recorder.
#[derive(Debug)]
enum RecorderNews {
    /// The state of the recorder; `None` while none runs.
    Status(Option<RecordStatus>),
    /// What a recording would show here.
    Checked(Result<RecordingNeeds, String>),
    /// A recorder was started, or could not be started.
    Started(Result<DetachedProgram, String>),
    /// The files that the user selected for a recording; none if the user canceled.
    Selected { recording: PathBuf, logs: Vec<PathBuf> },
    /// A recording was changed, or not.
    Changed { recording: PathBuf, result: Result<Box<(Change, LoadedRun)>, String> },
}

/// A change of a saved recording.
#[derive(Clone, Debug)]
enum Change {
    Join(PathBuf),
    UndoJoin,
    DeleteDetail,
}

impl Change {
    /// Changes the recording in a file as the command line does.
    fn apply(&self, store: &Store, recording: &Path) -> Result<LoadedRun, String> {
        let run = match self {
            Self::Join(log) => {
                let (log, times) =
                    read_log(log, &Options::default()).map_err(|error| error.to_string())?;
                let capture = log.capture().ok_or("the file is no log of frame times")?;
                store.join_log(recording, capture, &times)
            }
            Self::UndoJoin => store.undo_join(recording),
            Self::DeleteDetail => store.delete_detail(recording).map(|(run, _)| run),
        };
        let run = run.map_err(|error| error.to_string())?;
        Ok(LoadedRun::of(run, Some(recording.to_owned())).into_saved_in(Some(store)))
    }
}

impl Part for Recordings {
    const NAME: &'static str = "the recorder's page";

    fn restart(&mut self, _: &Context) {
        *self = Self::new(&self.tasks.host);
    }
}

impl Recordings {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
            watch: None,
            status: None,
            program: None,
            starting: None,
            is_stopping: false,
            started: (RecordingWish::default(), None),
            needs: None,
            ended: None,
            is_changing: false,
            refused: None,
        }
    }

    /// Whether a recorder was started that has not published its state yet.
    pub const fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    /// Whether the state of the recorder is followed.
    pub const fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Returns why the last change of the recording in a file was refused.
    pub fn refusal(&self, recording: &Path) -> Option<&str> {
        let refused = self.refused.as_ref().filter(|(path, _)| path == recording);
        refused.map(|(_, why)| why.as_str())
    }

    /// Returns why the thread that is wished for cannot be followed, as a sentence; `None` unless that was tried last.
    pub fn refused_thread(&self, wish: &RecordingWish) -> Option<&str> {
        let (of, why) = &self.started;
        why.as_deref().filter(|_| of == wish)
    }

    /// Shows why a recorder did not start: at the name of its thread, else in the window.
    fn refuse_start(&mut self, before: &str, why: &str, context: &Context) {
        if self.started.0.thread.is_some() {
            let why = why.strip_prefix("error: ").unwrap_or(why);
            self.started.1 = Some(format!("{}.", capitalized(why)));
        } else {
            context.report_error(format!("{before}: {why}."));
        }
    }

    /// Does what a page wants.
    pub(super) fn act(&mut self, action: &RecorderAction, context: &Context) {
        match action {
            RecorderAction::Watch => {
                self.watch();
                self.check();
            }
            RecorderAction::Check => self.check(),
            RecorderAction::Start(wish) => self.start(wish, context),
            RecorderAction::Command(command) => self.command(*command, context),
            RecorderAction::ShowedResult => self.ended = None,
            RecorderAction::AskForLog(path) => self.ask_for_log(path.clone(), context),
            RecorderAction::UndoJoin(path) => self.change(path.clone(), Change::UndoJoin, context),
            RecorderAction::DeleteDetail(path) => {
                self.change(path.clone(), Change::DeleteDetail, context);
            }
        }
    }

    /// Asks for a log to join with a recording.
    fn ask_for_log(&mut self, recording: PathBuf, context: &Context) {
        self.refused = None;
        let answer = context.dialogs.log(&ENDINGS);
        let selected = |logs: Result<Vec<PathBuf>, String>| RecorderNews::Selected {
            recording,
            logs: logs.unwrap_or_default(),
        };
        self.tasks.spawn("ask-for-log", || Ok(answer()), selected);
    }

    /// Changes a saved recording in the background.
    fn change(&mut self, recording: PathBuf, change: Change, context: &Context) {
        self.refused = None;
        let Some(store) = context.store.clone().filter(|_| !context.is_running) else {
            self.refused = Some((recording, words::WHILE_TESTING.to_owned()));
            return;
        };
        self.is_changing = true;
        let path = recording.clone();
        let work = move || {
            let shown = change.apply(&store, &path)?;
            Ok(Box::new((change, shown)))
        };
        self.tasks
            .spawn("change-recording", work, |result| RecorderNews::Changed { recording, result });
    }

    /// Shows a changed recording, or notes why it was not changed.
    fn take_changed(
        &mut self,
        recording: PathBuf,
        result: Result<Box<(Change, LoadedRun)>, String>,
        context: &Context,
    ) {
        self.is_changing = false;
        let (change, shown) = match result {
            Ok(changed) => *changed,
            Err(why) => {
                self.refused = Some((recording, words::refused(&why)));
                return;
            }
        };
        context.push(Request::ListRuns);
        match change {
            Change::Join(_) => {
                let text = shown.run.recording().map_or_else(String::new, words::joined);
                let undo = Action::Recorder(RecorderAction::UndoJoin(recording));
                let action = Some(("Undo".to_owned(), undo));
                context.notify(Notice { action, ..Notice::info(text) });
                context.push(Request::Show(Box::new(shown)));
                return;
            }
            Change::UndoJoin => context.notify(Notice::info(words::JOIN_UNDONE)),
            Change::DeleteDetail => context.notify(Notice::info(words::DETAIL_DELETED)),
        }
        context.push(Request::Renew(Box::new(shown)));
    }

    /// Follows the state of a recorder, whoever started it.
    fn watch(&mut self) {
        let mut last = None;
        let look = move || {
            let status = recorder_status().ok();
            let is_new = last.as_ref() != Some(&status);
            last = Some(status.clone());
            is_new.then_some(RecorderNews::Status(status))
        };
        self.watch.get_or_insert_with(|| self.tasks.watch("recorder", INTERVAL, look));
    }

    /// Reads what a recording would show: opens the kernel's records as a recorder does, and releases them.
    fn check(&mut self) {
        let read =
            || Ok(RecordingNeeds::read(SystemTracer::open(CHECKED_BYTES).state(), is_root()));
        self.tasks.spawn("check-recorder", read, RecorderNews::Checked);
    }

    /// Starts a recorder that saves into the folder of this window.
    fn start(&mut self, wish: &RecordingWish, context: &Context) {
        let mut args = wish.args();
        if let Some(store) = &context.store {
            args.extend(["--data-dir".into(), store.folder().into()]);
        }
        self.starting = Some(Instant::now());
        self.started = (wish.clone(), None);
        self.is_stopping = false;
        self.watch();
        // On a thread that inherits neither the low priority nor the few CPUs of the thread that draws: the recorder would
        // report the stalls that they cause.
        let wish = wish.clone();
        let start = move || {
            wish.find_thread()?;
            DetachedProgram::start(PROGRAM, args).map_err(|error| error.to_string())
        };
        self.tasks.spawn_at_own_priority("recorder", start, RecorderNews::Started);
    }

    /// Passes a command to the recorder.
    fn command(&mut self, command: RecordCommand, context: &Context) {
        match command_recorder(command) {
            Ok(()) => self.is_stopping |= command == RecordCommand::Stop,
            Err(ControlError::NotRunning) => self.take_status(None),
            Err(error) => context.report_error(error.to_string()),
        }
    }

    fn take_status(&mut self, status: Option<RecordStatus>) {
        if status.is_some() {
            self.starting = None;
        } else if let Some(before) = &self.status {
            let length = jiff::SignedDuration::from_nanos(before.length.get());
            self.ended = crate::text::now().checked_sub(length).ok();
            self.is_stopping = false;
        }
        self.status = status;
    }

    /// Handles the news since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for news in self.tasks.messages() {
            match news {
                RecorderNews::Status(status) => self.take_status(status),
                RecorderNews::Selected { recording, mut logs } => {
                    if let Some(log) = logs.pop() {
                        self.change(recording, Change::Join(log), context);
                    }
                }
                RecorderNews::Changed { recording, result } => {
                    self.take_changed(recording, result, context);
                }
                RecorderNews::Checked(needs) => self.needs = needs.ok().or(self.needs.take()),
                RecorderNews::Started(Ok(program)) => self.program = Some(program),
                RecorderNews::Started(Err(error)) => {
                    self.starting = None;
                    self.refuse_start("The recorder cannot start", &error, context);
                }
            }
        }
        if let Some((is_done, message)) = self.program.as_mut().and_then(DetachedProgram::ended) {
            self.program = None;
            let was_starting = self.starting.take().is_some();
            if !is_done && was_starting {
                self.refuse_start("The recorder ended", &message, context);
            } else if !is_done {
                context.report_error(format!("The recorder ended: {message}."));
            }
        }
        if self.starting.is_some_and(|at| MAX_START < at.elapsed()) {
            self.starting = None;
            context.report_error("The recorder does not answer.");
        }
    }
}
