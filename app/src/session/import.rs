//! What comes into the app: files that were dropped or chosen, of our own and of other programs.

mod work;

use std::collections::VecDeque;
use std::path::PathBuf;

use jitterscope_engine::import::{Column, Options, Series, Table};

use super::task::{Outcome, Shown};
use super::{Action, Notice, PageId, Session};
use crate::text::import as words;

/// Failures that are told one by one.
const MOST_TOLD: usize = 4;

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

/// What became of a file.
#[derive(Debug)]
pub enum Opened {
    /// It is a run now, judged, and in the folder of runs where there is one.
    Run {
        /// The run.
        shown: Box<Shown>,
        /// How it came in.
        how: Arrival,
    },
    /// It holds several processes or swap chains.
    Several(WhichSeries),
    /// Which of its columns is the frame time is not known.
    Columns(WhichColumn),
    /// It cannot be opened: its name, and why.
    Failed(String, String),
}

/// How a file came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
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

/// What a session remembers of imports.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// Files that wait for an answer.
    questions: VecDeque<WhichSeries>,
    /// Files with columns that wait for one.
    tables: VecDeque<WhichColumn>,
    /// How many files are being opened.
    busy: usize,
}

impl Session {
    /// The file of which a process or swap chain is to be chosen.
    pub fn which_series(&self) -> Option<&WhichSeries> {
        self.imports.questions.front()
    }

    /// The file of which a column is to be chosen, once no process is.
    pub fn which_column(&self) -> Option<&WhichColumn> {
        self.imports.tables.front().filter(|_| self.imports.questions.is_empty())
    }

    /// Whether files are being opened.
    pub fn is_opening(&self) -> bool {
        0 < self.imports.busy
    }

    /// Opens files, and all in folders among them.
    pub(super) fn open_files(&mut self, paths: Vec<PathBuf>) {
        if self.is_running() {
            self.notices.push(Notice::info(words::WHILE_RUNNING));
            return;
        }
        if paths.is_empty() {
            return;
        }
        self.imports.busy += 1;
        let store = self.store.clone();
        self.tasks.spawn("open-files", move || {
            Outcome::OpenedFiles(work::open_all(store.as_ref(), &paths))
        });
    }

    /// Takes one series of the file that was asked about.
    pub(super) fn choose_series(&mut self, series: Option<Series>) {
        let Some(question) = self.imports.questions.pop_front() else { return };
        if let Some(series) = series {
            self.open_answered(question.path, series.options());
        }
    }

    /// Takes this column of the file that was asked about.
    pub(super) fn choose_column(&mut self, column: Option<Column>) {
        let Some(question) = self.imports.tables.pop_front() else { return };
        if column.is_some() {
            self.open_answered(question.path, Options { column, ..Options::default() });
        }
    }

    /// Opens a file of which a person said what to take.
    fn open_answered(&mut self, path: PathBuf, options: Options) {
        self.imports.busy += 1;
        let store = self.store.clone();
        self.tasks.spawn("open-files", move || {
            Outcome::OpenedFiles(vec![work::open(store.as_ref(), &path, &options)])
        });
    }

    /// Takes in what became of files.
    pub(super) fn take_in_files(&mut self, files: Vec<Opened>) {
        self.imports.busy = self.imports.busy.saturating_sub(1);
        let is_one = files.len() == 1;
        if files.is_empty() {
            self.notices.push(Notice::info(words::NOTHING_THERE));
        }
        let (mut runs, mut failures) = (Vec::new(), Vec::new());
        for file in files {
            match file {
                Opened::Run { shown, how } => runs.push((shown, how)),
                Opened::Several(question) => self.imports.questions.push_back(question),
                Opened::Columns(question) => self.imports.tables.push_back(question),
                Opened::Failed(name, why) => failures.push((name, why)),
            }
        }
        for (name, why) in failures.iter().take(MOST_TOLD) {
            self.notices.push(Notice::error(words::failed(name, why)));
        }
        if MOST_TOLD < failures.len() {
            self.notices.push(Notice::error(words::more_failed(failures.len() - MOST_TOLD)));
        }
        if runs.is_empty() {
            return;
        }
        self.refresh_library();
        if is_one {
            for (shown, how) in runs {
                let Arrival { file, source, was_known, remarks } = how;
                let text = words::arrived(&file, source, was_known, &remarks);
                self.notices.push(Notice::info(text));
                self.go_to = Some(PageId::of(&shown.run));
                self.show(*shown);
            }
            return;
        }
        self.go_to = Some(PageId::Runs);
        let known = runs.iter().filter(|(_, how)| how.was_known).count();
        let text = words::arrived_all(runs.len(), known, failures.len());
        let first = runs.first().map_or("", |(shown, _)| shown.run.subject.key());
        let are_alike = runs.iter().all(|(shown, _)| shown.run.subject.key() == first);
        let paths: Vec<PathBuf> = runs.iter().filter_map(|(shown, _)| shown.path.clone()).collect();
        let can_compare = are_alike && (2..=4).contains(&runs.len()) && paths.len() == runs.len();
        let action = can_compare.then(|| ("Compare".to_owned(), Action::Compare(paths)));
        self.notices.push(Notice { action, ..Notice::info(text) });
    }
}
