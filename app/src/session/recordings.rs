//! The recorder of this user: starts it as a separate process, follows its state, and passes commands to it.

use std::time::{Duration, Instant};

use jitterscope_engine::platform::DetachedProgram;
use jitterscope_engine::store::{
    ControlError, RecordCommand, RecordStatus, command_recorder, recorder_status,
};

use super::part::{Context, Part};
use super::recorder_action::{RecorderAction, RecordingWish};
use super::task::{TaskHost, Tasks, Watch};

/// The program that records.
const PROGRAM: &str = "jitterscope-cli";
/// The interval at which the recorder publishes its state.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long a recorder may take until it has published its state for the first time.
const MAX_START: Duration = Duration::from_secs(15);

/// The recorder, as far as this window knows it.
#[derive(Debug)]
pub struct Recordings {
    tasks: Tasks<News>,
    watch: Option<Watch>,
    status: Option<RecordStatus>,
    program: Option<DetachedProgram>,
    starting: Option<Instant>,
    is_stopping: bool,
    /// When the recording began that ended and that no page has shown since.
    ended: Option<jiff::Timestamp>,
}

/// News of the recorder.
#[derive(Debug)]
enum News {
    /// The state of the recorder; `None` while none runs.
    Status(Option<RecordStatus>),
    /// A recorder was started, or could not be started.
    Started(Result<DetachedProgram, String>),
}

impl Part for Recordings {
    const NAME: &'static str = "the recorder's page";

    fn restart(&mut self, _: &Context) {
        *self = Self::new(self.tasks.host());
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
            ended: None,
        }
    }

    /// Returns the state of the recorder; `None` while none runs.
    pub const fn status(&self) -> Option<&RecordStatus> {
        self.status.as_ref()
    }

    /// Whether a recorder was started that has not published its state yet.
    pub const fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    /// Whether the recorder has to end.
    pub const fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// Whether the state of the recorder is followed.
    pub const fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Returns when the recording began that ended and whose result no page has shown yet.
    pub const fn ended(&self) -> Option<jiff::Timestamp> {
        self.ended
    }

    /// Does what a page wants.
    pub(super) fn act(&mut self, action: &RecorderAction, context: &Context) {
        match action {
            RecorderAction::Watch => self.watch(),
            RecorderAction::Start(wish) => self.start(wish, context),
            RecorderAction::Command(command) => self.command(*command, context),
            RecorderAction::ShowedResult => self.ended = None,
        }
    }

    /// Follows the state of a recorder, whoever started it.
    fn watch(&mut self) {
        let mut last = None;
        let look = move || {
            let status = recorder_status().ok();
            let is_new = last.as_ref() != Some(&status);
            last = Some(status.clone());
            is_new.then_some(News::Status(status))
        };
        self.watch.get_or_insert_with(|| self.tasks.watch("recorder", INTERVAL, look));
    }

    /// Starts a recorder that saves into the folder of this window.
    fn start(&mut self, wish: &RecordingWish, context: &Context) {
        let mut args = wish.args();
        if let Some(store) = &context.store {
            args.extend(["--data-dir".into(), store.folder().into()]);
        }
        self.starting = Some(Instant::now());
        self.watch();
        // On a thread that inherits neither the low priority nor the few CPUs of the thread that draws: the recorder would
        // report the stalls that they cause.
        let start = || DetachedProgram::start(PROGRAM, args).map_err(|error| error.to_string());
        self.tasks.spawn_at_own_priority("recorder", start, News::Started);
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
                News::Status(status) => self.take_status(status),
                News::Started(Ok(program)) => self.program = Some(program),
                News::Started(Err(error)) => {
                    self.starting = None;
                    context.report_error(format!("The recorder cannot start: {error}."));
                }
            }
        }
        if let Some((is_done, message)) = self.program.as_mut().and_then(DetachedProgram::ended) {
            self.program = None;
            self.starting = None;
            if !is_done {
                context.report_error(format!("The recorder ended: {message}"));
            }
        }
        if self.starting.is_some_and(|at| MAX_START < at.elapsed()) {
            self.starting = None;
            context.report_error("The recorder does not answer.");
        }
    }
}
