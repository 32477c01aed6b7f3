//! Files that come into the app, dropped or selected, of this program and of others.

mod work;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use jitterscope_engine::import::{Column, Options, Series, Table};
use jitterscope_engine::store::Store;

use super::action::{Action, Notice, PageId};
use super::dialog::Dialogs;
use super::part::{Context, Outbox, Part, Request};
use super::settings::OwnPreset;
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
use crate::instance::take_requests;
use crate::text::import as words;

/// How often requests of other starts are looked for.
const REQUEST_INTERVAL: Duration = Duration::from_millis(400);
/// Failures that are listed separately.
const MAX_REPORTED: usize = 4;

/// A file that holds the frames of several processes or swap chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhichSeries {
    /// Where it is.
    pub path: PathBuf,
    /// What there is, the default one first.
    pub series: Vec<Series>,
}

/// A file with columns of which none is known to be the frame time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhichColumn {
    /// Where it is.
    pub path: PathBuf,
    /// Its columns and first lines.
    pub table: Table,
}

/// The outcome of opening a file.
#[derive(Debug)]
enum Opened {
    /// It is a run now, judged, and in the folder of runs where there is one.
    Run {
        /// The run.
        shown: Box<LoadedRun>,
        /// How it was opened.
        how: ImportedFile,
    },
    /// It holds several processes or swap chains.
    Several(WhichSeries),
    /// Which of its columns is the frame time is not known.
    Columns(WhichColumn),
    /// It is the settings of a test.
    Preset(OwnPreset),
    /// It cannot be opened: its name, and why.
    Failed(String, String),
}

/// How a file was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ImportedFile {
    /// The name of the file.
    pub file: String,
    /// What kind of file it was.
    pub source: &'static str,
    /// Whether it was among the saved runs before.
    pub was_known: bool,
    /// What a reader should know, a sentence each: lines that could not be read, a checksum that does not
    /// fit.
    pub remarks: Vec<String>,
}

/// What the tasks of imports report.
enum Message {
    /// Files were selected; none if the user canceled.
    Selected(Vec<PathBuf>),
    /// Another start left files in this folder; none where it only requested the window.
    Requested(PathBuf, Vec<PathBuf>),
    /// Files were opened, or not.
    Opened(Result<Vec<Opened>, String>),
}

/// What comes into the app.
#[derive(Debug)]
pub struct Imports {
    tasks: Tasks<Message>,
    /// Files that wait for an answer.
    questions: VecDeque<WhichSeries>,
    /// Files with columns that wait for one.
    tables: VecDeque<WhichColumn>,
    /// How many files are being opened.
    busy: usize,
}

impl Part for Imports {
    const NAME: &'static str = "imports";

    fn restart(&mut self, _: &mut Outbox) {
        *self = Self::new(self.tasks.host());
    }
}

impl Imports {
    pub(super) fn new(host: &TaskHost) -> Self {
        let (questions, tables) = (VecDeque::new(), VecDeque::new());
        Self { tasks: Tasks::new(host), questions, tables, busy: 0 }
    }

    /// The file whose process or swap chain is to be selected.
    pub fn which_series(&self) -> Option<&WhichSeries> {
        self.questions.front()
    }

    /// The file whose column is to be selected, once no process is.
    pub fn which_column(&self) -> Option<&WhichColumn> {
        self.tables.front().filter(|_| self.questions.is_empty())
    }

    /// Whether files are being opened.
    pub const fn is_opening(&self) -> bool {
        0 < self.busy
    }

    /// Waits for files that other starts leave in this folder.
    pub(super) fn watch(&self, folder: PathBuf) {
        let of = folder.clone();
        let wait = move || loop {
            if let Some(files) = take_requests(&of) {
                return Ok(files);
            }
            std::thread::sleep(REQUEST_INTERVAL);
        };
        let requested =
            |files: Result<_, String>| Message::Requested(folder, files.unwrap_or_default());
        self.tasks.spawn("requests", wait, requested);
    }

    /// Takes in what the tasks reported since the last call.
    pub(super) fn poll(&mut self, context: &Context, outbox: &mut Outbox) {
        for message in self.tasks.messages() {
            match message {
                Message::Selected(paths) => self.open(paths, context, outbox),
                Message::Requested(folder, files) => {
                    outbox.push(Request::ToFront);
                    self.open(files, context, outbox);
                    self.watch(folder);
                }
                Message::Opened(files) => {
                    self.busy = self.busy.saturating_sub(1);
                    match files {
                        Ok(files) => self.handle_outcome(files, outbox),
                        Err(error) => {
                            let text = format!("The files cannot be opened: {error}.");
                            outbox.notify(Notice::error(text));
                        }
                    }
                }
            }
        }
    }

    /// Asks for files and opens them.
    pub(super) fn ask(&self, dialogs: &Dialogs) {
        let answer = dialogs.files();
        let selected = |paths: Result<_, _>| Message::Selected(paths.unwrap_or_default());
        self.tasks.spawn("ask-for-file", || Ok(answer()), selected);
    }

    /// Opens files, and all in folders among them.
    pub(super) fn open(&mut self, paths: Vec<PathBuf>, context: &Context, outbox: &mut Outbox) {
        if context.is_running {
            outbox.notify(Notice::error(words::WHILE_RUNNING));
            return;
        }
        if paths.is_empty() {
            return;
        }
        self.start(context, move |store| work::open_all(store, &paths));
    }

    fn start(
        &mut self,
        context: &Context,
        open: impl FnOnce(Option<&Store>) -> Vec<Opened> + Send + 'static,
    ) {
        self.busy += 1;
        let store = context.store.clone();
        self.tasks.spawn("open-files", move || Ok(open(store.as_ref())), Message::Opened);
    }

    /// Opens one series of the file in the question.
    pub(super) fn choose_series(&mut self, series: Option<Series>, context: &Context) {
        let Some(question) = self.questions.pop_front() else { return };
        if let Some(series) = series {
            self.open_answered(question.path, series.options(), context);
        }
    }

    /// Opens this column of the file in the question.
    pub(super) fn choose_column(&mut self, column: Option<Column>, context: &Context) {
        let Some(question) = self.tables.pop_front() else { return };
        if column.is_some() {
            let options = Options { column, ..Options::default() };
            self.open_answered(question.path, options, context);
        }
    }

    /// Opens a file of which the user chose what to take.
    fn open_answered(&mut self, path: PathBuf, options: Options, context: &Context) {
        self.start(context, move |store| vec![work::open(store, &path, &options)]);
    }

    /// Reports the outcome of opening files.
    fn handle_outcome(&mut self, files: Vec<Opened>, outbox: &mut Outbox) {
        let is_one = files.len() == 1;
        if files.is_empty() {
            outbox.notify(Notice::error(words::NOTHING_THERE));
        }
        let (mut runs, mut failures) = (Vec::new(), Vec::new());
        for file in files {
            match file {
                Opened::Run { shown, how } => runs.push((shown, how)),
                Opened::Several(question) => self.questions.push_back(question),
                Opened::Columns(question) => self.tables.push_back(question),
                Opened::Preset(preset) => outbox.push(Request::TakePreset(Box::new(preset))),
                Opened::Failed(name, why) => failures.push((name, why)),
            }
        }
        for (name, why) in failures.iter().take(MAX_REPORTED) {
            outbox.notify(Notice::error(words::failed(name, why)));
        }
        if MAX_REPORTED < failures.len() {
            outbox.notify(Notice::error(words::more_failed(failures.len() - MAX_REPORTED)));
        }
        if runs.is_empty() {
            return;
        }
        outbox.push(Request::ListRuns);
        if is_one {
            for (shown, how) in runs {
                let ImportedFile { file, source, was_known, remarks } = how;
                let text = words::arrived(&file, source, was_known, &remarks);
                outbox.notify(Notice::info(text));
                outbox.push(Request::GoTo(PageId::of(&shown.run)));
                outbox.push(Request::Show(shown));
            }
            return;
        }
        outbox.push(Request::GoTo(PageId::Runs));
        let known = runs.iter().filter(|(_, how)| how.was_known).count();
        let text = words::import_summary(runs.len(), known, failures.len());
        let first = runs.first().map_or("", |(shown, _)| shown.run.subject.key());
        let are_alike = runs.iter().all(|(shown, _)| shown.run.subject.key() == first);
        let paths: Vec<PathBuf> = runs.iter().filter_map(|(shown, _)| shown.path.clone()).collect();
        let can_compare = are_alike && (2..=4).contains(&runs.len()) && paths.len() == runs.len();
        let action = can_compare.then(|| ("Compare".to_owned(), Action::Compare(paths)));
        outbox.notify(Notice { action, ..Notice::info(text) });
    }
}
