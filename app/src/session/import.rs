//! Imports: opens dropped or selected files of this program and of others.

mod work;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use jitterscope_engine::import::{Column, Options, Series, Table};
use jitterscope_engine::store::Store;

use super::action::{Action, Notice, PageId};
use super::part::{Context, Part, Request};
use super::settings::OwnPreset;
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
use crate::instance::take_requests;
use crate::text::import as words;
use work::OpenProgress;

pub(super) use work::ENDINGS;

/// Time between two checks for requests of later starts of the app.
const REQUEST_INTERVAL: Duration = Duration::from_millis(400);
/// Maximum number of files that cannot be opened and are reported individually.
const MAX_REPORTED: usize = 4;

/// A file with the frames of several processes or swap chains; the user must select one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhichSeries {
    /// The path of the file.
    pub path: PathBuf,
    /// The series to select from, one per process or swap chain; the default comes first.
    pub series: Vec<Series>,
}

/// A table file in which no column is known to be the frame time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhichColumn {
    /// The path of the file.
    pub path: PathBuf,
    /// The columns, and the first lines.
    pub table: Table,
}

/// The outcome of opening a file.
#[derive(Debug)]
enum OpenedFiles {
    /// The file is now a run, saved if there is a folder of runs.
    Run(ImportedRun),
    /// The file has several processes or swap chains: the user must select one.
    Several(WhichSeries),
    /// The frame time column is unknown: the user must select it.
    Columns(WhichColumn),
    /// The file is a preset.
    Preset(OwnPreset),
    /// The file cannot be opened; holds its name and the reason.
    Failed(String, String),
}

/// A run from an opened file.
#[derive(Debug)]
struct ImportedRun {
    /// The file name.
    file: String,
    /// The label of the kind of file, such as the program that recorded it.
    source: &'static str,
    /// Whether the run was saved before.
    was_known: bool,
    /// Warnings for the user, one sentence each: for example unreadable lines, or a wrong checksum.
    remarks: Vec<String>,
    /// The key of the test or of the kind of recording.
    key: &'static str,
    /// The saved run; `None` if it is not saved.
    path: Option<PathBuf>,
    /// The evaluated run to show; `None` if several files were opened, because a thousand runs may
    /// not fit into memory.
    shown: Option<Box<LoadedRun>>,
    /// The files of the runs if this is a quick check; else empty.
    check: Vec<PathBuf>,
}

/// Messages of import tasks.
enum ImportMessage {
    /// Files were selected; empty if the user canceled.
    Selected(Vec<PathBuf>),
    /// Another start of the app has requested to open these files. There are no files if that start
    /// only requested the window.
    Requested(Vec<PathBuf>),
    /// Files were opened, or opening failed with an error.
    Opened(Result<Vec<OpenedFiles>, String>),
}

/// The state of imports.
#[derive(Debug)]
pub struct Imports {
    tasks: Tasks<ImportMessage>,
    /// Files for which the user must select a series.
    questions: VecDeque<WhichSeries>,
    /// Files for which the user must select a column.
    tables: VecDeque<WhichColumn>,
    /// The folder for requests of later starts of the app, if it is checked. The task that checks
    /// it ends when this value is dropped.
    watched: Option<Arc<PathBuf>>,
    /// The progress of the files that are being opened, as long as their task runs.
    progress: Weak<OpenProgress>,
    /// Whether the user canceled opening files since the last outcome.
    is_canceled: bool,
}

impl Part for Imports {
    const NAME: &'static str = "imports";

    fn restart(&mut self, _: &Context) {
        let watched = self.watched.take();
        *self = Self::new(&self.tasks.host);
        if let Some(folder) = watched {
            self.watch(PathBuf::clone(&folder));
        }
    }
}

impl Imports {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
            questions: VecDeque::new(),
            tables: VecDeque::new(),
            watched: None,
            progress: Weak::new(),
            is_canceled: false,
        }
    }

    /// Returns how many files have been opened, and of how many, while several files are being opened.
    pub fn progress(&self) -> Option<(usize, usize)> {
        let progress = self.progress.upgrade()?;
        let [done, total] =
            [&progress.done, &progress.total].map(|count| count.load(Ordering::Relaxed));
        (1 < total).then_some((done, total))
    }

    /// Cancels to open the files that have not been opened.
    pub(super) fn cancel(&mut self) {
        if let Some(progress) = self.progress.upgrade() {
            progress.is_canceled.store(true, Ordering::Relaxed);
            self.is_canceled = true;
        }
    }

    /// Returns the file for which the user must select a process or swap chain, if there is one.
    pub fn which_series(&self) -> Option<&WhichSeries> {
        self.questions.front()
    }

    /// Returns the file for which the user must select a column, if there is one; questions for a
    /// process or swap chain are asked first.
    pub fn which_column(&self) -> Option<&WhichColumn> {
        self.tables.front().filter(|_| self.questions.is_empty())
    }

    /// Starts to check this folder for requests of later starts of the app.
    pub(super) fn watch(&mut self, folder: PathBuf) {
        let watched = Arc::new(folder);
        let folder = Arc::downgrade(&watched);
        self.watched = Some(watched);
        let wait = move || {
            while let Some(folder) = folder.upgrade() {
                if let Some(files) = take_requests(&folder) {
                    return Ok(files);
                }
                drop(folder);
                std::thread::sleep(REQUEST_INTERVAL);
            }
            Err("the folder is no longer checked".to_owned())
        };
        let requested = |files: Result<_, _>| ImportMessage::Requested(files.unwrap_or_default());
        self.tasks.spawn("requests", wait, requested);
    }

    /// Handles the messages of tasks since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for message in self.tasks.messages() {
            match message {
                ImportMessage::Selected(paths) => self.open(paths, context),
                ImportMessage::Requested(files) => {
                    context.push(Request::ToFront);
                    self.open(files, context);
                    if let Some(folder) = self.watched.take() {
                        self.watch(PathBuf::clone(&folder));
                    }
                }
                ImportMessage::Opened(Ok(files)) => self.handle_outcome(files, context),
                ImportMessage::Opened(Err(error)) => {
                    context.report_error(format!("The files cannot be opened: {error}."));
                }
            }
        }
    }

    /// Asks for files, and opens them.
    pub(super) fn ask(&mut self, context: &Context) {
        let answer = context.dialogs.files(&work::ENDINGS);
        let selected = |paths: Result<_, _>| ImportMessage::Selected(paths.unwrap_or_default());
        self.tasks.spawn("ask-for-file", || Ok(answer()), selected);
    }

    /// Starts to open files, and all supported files in folders among them; refuses during a test.
    pub(super) fn open(&mut self, paths: Vec<PathBuf>, context: &Context) {
        if paths.is_empty() {
            return;
        }
        if context.is_running {
            context.report_error(words::WHILE_RUNNING);
            return;
        }
        let progress = Arc::new(OpenProgress::default());
        self.progress = Arc::downgrade(&progress);
        self.start(context, move |store| work::open_all(store, &paths, &progress));
    }

    fn start(
        &self,
        context: &Context,
        open: impl FnOnce(Option<&Store>) -> Vec<OpenedFiles> + Send + 'static,
    ) {
        let store = context.store.clone();
        self.tasks.spawn("open-files", move || Ok(open(store.as_ref())), ImportMessage::Opened);
    }

    /// Opens the selected series of the file about which the user was asked; `None` skips the file.
    pub(super) fn choose_series(&mut self, series: Option<Series>, context: &Context) {
        let Some(question) = self.questions.pop_front() else { return };
        if let Some(series) = series {
            self.open_answered(question.path, series.options(), context);
        }
    }

    /// Opens the file about which the user was asked, with the selected column; `None` skips the
    /// file.
    pub(super) fn choose_column(&mut self, column: Option<Column>, context: &Context) {
        let Some(question) = self.tables.pop_front() else { return };
        if column.is_some() {
            let options = Options { column, ..Options::default() };
            self.open_answered(question.path, options, context);
        }
    }

    /// Opens a file with the options that the user selected.
    fn open_answered(&self, path: PathBuf, options: Options, context: &Context) {
        self.start(context, move |store| vec![work::open(store, &path, &options, true)]);
    }

    /// Reports the outcome of opening files, and shows the opened run or the list of runs.
    fn handle_outcome(&mut self, files: Vec<OpenedFiles>, context: &Context) {
        let is_canceled = std::mem::take(&mut self.is_canceled);
        if files.is_empty() && !is_canceled {
            context.report_error(words::NOTHING_THERE);
        }
        let (mut runs, mut failures) = (Vec::new(), Vec::new());
        for file in files {
            match file {
                OpenedFiles::Run(run) => runs.push(run),
                OpenedFiles::Several(question) => self.questions.push_back(question),
                OpenedFiles::Columns(question) => self.tables.push_back(question),
                OpenedFiles::Preset(preset) => context.push(Request::TakePreset(Box::new(preset))),
                OpenedFiles::Failed(name, why) => failures.push((name, why)),
            }
        }
        for (name, why) in failures.iter().take(MAX_REPORTED) {
            context.report_error(words::failed(name, why));
        }
        if MAX_REPORTED < failures.len() {
            context.report_error(words::more_failed(failures.len() - MAX_REPORTED));
        }
        if runs.is_empty() {
            return;
        }
        context.push(Request::ListRuns);
        if let [ImportedRun { file, source, was_known, remarks, shown, .. }] = runs.as_mut_slice()
            && let Some(shown) = shown.take()
        {
            let text = words::arrived(file, source, *was_known, remarks);
            context.notify(Notice::info(text));
            context.push(Request::Show(shown));
            return;
        }
        if let [ImportedRun { file, source, was_known, remarks, check, .. }] = runs.as_mut_slice()
            && !check.is_empty()
        {
            context.notify(Notice::info(words::arrived(file, source, *was_known, remarks)));
            context.push(Request::Act(Box::new(Action::OpenQuick(std::mem::take(check)))));
            return;
        }
        context.push(Request::GoTo(PageId::Runs));
        let known = runs.iter().filter(|run| run.was_known).count();
        let text = words::import_summary(runs.len(), known, failures.len());
        let first = runs.first().map_or("", |run| run.key);
        let are_alike = runs.iter().all(|run| run.key == first);
        let paths: Vec<PathBuf> = runs.iter().filter_map(|run| run.path.clone()).collect();
        let can_compare = are_alike && (2..=4).contains(&runs.len()) && paths.len() == runs.len();
        let action = can_compare.then(|| ("Compare".to_owned(), Action::Compare(paths)));
        context.notify(Notice { action, ..Notice::info(text) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_or_dialog_without_files_is_no_error_during_a_test() {
        let context = Context { is_running: true, ..Context::default() };
        Imports::new(&TaskHost::new(|| {})).open(Vec::new(), &context);
        assert_eq!(context.requests.into_inner().len(), 0);
    }
}
