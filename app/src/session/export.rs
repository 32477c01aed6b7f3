//! What leaves the app: what is to be written, how, what it will look like, and where it went.

mod order;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jitterscope_engine::export::Find;
use jitterscope_engine::store::Store;

use super::comparing::Progress;
use super::task::{Outcome, Tasks};
use super::{Action, Compared, Notice, Session, Shown};
use crate::text::document::Block;
use crate::text::{self, export as words};

pub use order::{ExportKind, Order};

/// What is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The result on the page of a test, by its key.
    Result(&'static str),
    /// Saved runs; at least one.
    Runs(Vec<PathBuf>),
    /// The runs that are held side by side.
    Comparison,
}

/// An image in memory: its pixels for the window, and the same as a PNG file.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Four bytes a pixel, row by row: red, green, blue, opacity.
    pub rgba: Vec<u8>,
    /// The size of the same made smaller, for the window: at most 2 000 pixels a side.
    pub small_size: [usize; 2],
    /// Its pixels.
    pub small: Vec<u8>,
    /// The file.
    pub png: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").field("size", &self.size).finish_non_exhaustive()
    }
}

/// Draws a result, dark or light; the window's part of an export.
pub type Painter = fn(&Shown, bool) -> Result<Picture, String>;

/// What a file will hold.
#[derive(Clone, Debug)]
pub struct Preview {
    /// Its name.
    pub file_name: String,
    /// Its size.
    pub bytes: u64,
    /// How it begins; empty for a picture.
    pub text: String,
    /// The same as it looks where it is read: paragraphs and tables; empty where text is all there is.
    pub blocks: Vec<Block>,
    /// Whether it goes on after that.
    pub is_cut: bool,
    /// The names of this machine and its person that stand in it.
    pub finds: Vec<Find>,
    /// The picture, where it is one.
    pub picture: Option<Arc<Picture>>,
}

/// A run that is to be written: in memory, or still in its file.
#[derive(Clone, Debug)]
enum Member {
    Loaded(Arc<Shown>),
    File(PathBuf),
}

/// What is to be written, opened.
#[derive(Clone, Debug)]
struct Ready {
    members: Vec<Member>,
    /// The first of them: the one in the preview.
    first: Arc<Shown>,
    comparison: Option<Arc<Compared>>,
    /// Where repeats of its baseline are, which tell how far its numbers stray.
    store: Option<Store>,
}

/// An export that is being put together.
#[derive(Debug)]
pub struct Exporting {
    /// Tells one from the next.
    number: u64,
    subject: Subject,
    /// The kind it begins with, where it was asked for.
    wanted: Option<ExportKind>,
    ready: Option<Ready>,
    /// What the preview that was asked for last is of.
    asked: Option<Order>,
    preview: Option<(Order, Result<Arc<Preview>, String>)>,
    is_writing: bool,
    /// As what it was written or copied last.
    used: Option<ExportKind>,
}

impl Exporting {
    /// Tells one export from the next.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The kind it begins with, where it was asked for.
    pub const fn wanted(&self) -> Option<ExportKind> {
        self.wanted
    }

    /// How many runs are written; 0 while they are being opened.
    pub fn count(&self) -> usize {
        self.ready.as_ref().map_or(0, |ready| ready.members.len())
    }

    /// The first run; `None` while it is being opened.
    pub fn first(&self) -> Option<&Arc<Shown>> {
        self.ready.as_ref().map(|ready| &ready.first)
    }

    /// Whether several runs are held side by side, which can be written, too.
    pub fn is_comparison(&self) -> bool {
        self.ready.as_ref().is_some_and(|ready| ready.comparison.is_some())
    }

    /// The preview that was asked for last, or why there is none; `None` while it is being made.
    pub fn preview(&self, order: &Order) -> Option<Result<&Arc<Preview>, &str>> {
        let (of, preview) = self.preview.as_ref()?;
        (of == order).then(|| preview.as_ref().map_err(String::as_str))
    }

    /// Whether this preview was asked for.
    pub fn is_asked(&self, order: &Order) -> bool {
        self.asked.as_ref() == Some(order)
    }

    /// Whether it is being written.
    pub const fn is_writing(&self) -> bool {
        self.is_writing
    }
}

/// What the threads of exports tell.
#[derive(Debug)]
pub enum Told {
    /// The runs can be written, or why not.
    Ready(u64, Result<Box<ReadyRuns>, String>),
    /// A preview is made.
    Preview(u64, Order, Result<Box<Preview>, String>),
    /// Files were written, or not; `None` where the person thought better of it.
    Written(u64, Option<Written>),
    /// Text or a picture for the clipboard.
    Copied(Subject, Result<(Copy, ExportKind), String>),
}

/// Runs that can be written; what is in it is the export's own.
#[derive(Debug)]
pub struct ReadyRuns(Ready);

/// What became of the files.
#[derive(Debug)]
pub struct Written {
    /// Those that were written.
    pub files: Vec<PathBuf>,
    /// Why others were not, a sentence each.
    pub errors: Vec<String>,
}

/// What goes to the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copy {
    /// Text.
    Text(String),
    /// A picture.
    Picture(Arc<Picture>),
}

/// What a session remembers of exports.
#[derive(Debug, Default)]
pub(super) struct Exports {
    current: Option<Exporting>,
    count: u64,
    copies: Vec<Copy>,
    painter: Option<Painter>,
    /// Where the last files went.
    folder: Option<PathBuf>,
    /// The number of the newest preview: a thread that makes an older one gives up.
    newest: Arc<AtomicU64>,
}

impl Session {
    /// The export that is being put together.
    pub fn exporting(&self) -> Option<&Exporting> {
        self.exports.current.as_ref()
    }

    /// Gives the function that draws pictures of results.
    pub fn set_painter(&mut self, painter: Painter) {
        self.exports.painter = Some(painter);
    }

    /// What is to be put into the clipboard, told once.
    pub fn take_copies(&mut self) -> Vec<Copy> {
        std::mem::take(&mut self.exports.copies)
    }

    /// Answers the next question for files or a folder in the person's stead; no path is "cancel".
    pub fn answer_next_question(&mut self, paths: Vec<PathBuf>) {
        self.tasks.prepare(paths);
    }

    /// Whether there is a result to write.
    pub fn can_export(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Result(key) => self.shown(key).is_some(),
            Subject::Runs(paths) => !paths.is_empty(),
            Subject::Comparison => matches!(self.comparing.progress(), Progress::Done(_)),
        }
    }

    /// Takes in what a thread of an export tells.
    pub(super) fn take_in_export(&mut self, told: Told) {
        match told {
            Told::Ready(number, result) => {
                let Some(current) = self.current_export(number) else { return };
                match result {
                    Ok(ready) => current.ready = Some(ready.0),
                    Err(error) => {
                        self.exports.current = None;
                        self.notices.push(Notice::error(words::not_opened(&error)));
                    }
                }
            }
            Told::Preview(number, order, result) => {
                if let Some(current) = self.current_export(number)
                    && current.asked == Some(order)
                {
                    current.preview = Some((order, result.map(|preview| Arc::new(*preview))));
                }
            }
            Told::Written(number, written) => self.end_of_writing(number, written),
            Told::Copied(subject, Ok((copy, kind))) => {
                let bytes = match &copy {
                    Copy::Text(text) => text.len(),
                    Copy::Picture(picture) => picture.png.len(),
                };
                let size = text::bytes(u64::try_from(bytes).unwrap_or(u64::MAX));
                let is_for_ticket = kind != ExportKind::Picture && kind.is_pasted();
                self.exports.copies.push(copy);
                let show = Action::Export { subject, kind: Some(kind) };
                self.remember_export();
                self.notices.push(Notice {
                    action: Some(("Show".to_owned(), show)),
                    ..Notice::info(words::copied(kind.label(), is_for_ticket, &size))
                });
                self.exports.current = None;
            }
            Told::Copied(_, Err(error)) => {
                if let Some(current) = &mut self.exports.current {
                    current.is_writing = false;
                }
                self.notices.push(Notice::error(words::not_copied(&error)));
            }
        }
    }

    fn current_export(&mut self, number: u64) -> Option<&mut Exporting> {
        self.exports.current.as_mut().filter(|current| current.number == number)
    }

    fn end_of_writing(&mut self, number: u64, written: Option<Written>) {
        if let Some(current) = self.current_export(number) {
            current.is_writing = false;
        }
        let Some(Written { files, errors }) = written else { return };
        if let Some(folder) = files.first().and_then(|file| file.parent()) {
            self.exports.folder = Some(folder.to_owned());
        }
        if !files.is_empty() {
            self.remember_export();
            self.notices.push(Notice::info(words::saved(&files)));
        }
        if errors.is_empty() {
            // An export that failed stays open, so that another place can be chosen.
            if self.current_export(number).is_some() {
                self.exports.current = None;
            }
        } else {
            self.notices.push(Notice::error(words::not_saved(&errors)));
        }
    }

    /// Opens what is to be written.
    pub(super) fn begin_export(&mut self, subject: &Subject, wanted: Option<ExportKind>) {
        if !self.can_export(subject) {
            self.notices.push(Notice::info(words::NOTHING_TO_EXPORT));
            return;
        }
        self.exports.count += 1;
        let number = self.exports.count;
        let ready = self.ready_of(subject);
        let is_ready = ready.is_some();
        self.exports.current = Some(Exporting {
            number,
            subject: subject.clone(),
            wanted,
            ready,
            asked: None,
            preview: None,
            is_writing: false,
            used: None,
        });
        if let (Subject::Runs(paths), false) = (subject, is_ready) {
            let paths = paths.clone();
            self.tasks.spawn("export-open", move || {
                Outcome::Export(Told::Ready(number, work::open(&paths).map(Box::new)))
            });
        }
    }

    /// What is in memory already.
    fn ready_of(&self, subject: &Subject) -> Option<Ready> {
        match subject {
            Subject::Result(key) => {
                let first = Arc::clone(self.shown(key)?);
                let members = vec![Member::Loaded(Arc::clone(&first))];
                Some(Ready { members, first, comparison: None, store: None })
            }
            Subject::Comparison => {
                let Progress::Done(compared) = self.comparing.progress() else { return None };
                let members = compared.runs.iter().cloned().map(Member::Loaded).collect();
                let first = Arc::clone(compared.runs.first()?);
                let comparison = Some(Arc::clone(compared));
                Some(Ready { members, first, comparison, store: self.store.clone() })
            }
            Subject::Runs(_) => None,
        }
    }

    /// Makes a preview.
    pub(super) fn preview_export(&mut self, order: Order) {
        let painter = self.exports.painter;
        let newest = Arc::clone(&self.exports.newest);
        let Some(current) = &mut self.exports.current else { return };
        let Some(ready) = current.ready.clone() else { return };
        current.asked = Some(order);
        let number = current.number;
        let turn = newest.fetch_add(1, Ordering::Relaxed) + 1;
        self.tasks.spawn("preview", move || {
            let is_wanted = || newest.load(Ordering::Relaxed) == turn;
            let made = work::preview(&ready, &order, painter, &is_wanted).map(Box::new);
            Outcome::Export(Told::Preview(number, order, made))
        });
    }

    /// Asks where to, and writes.
    pub(super) fn save_export(&mut self, order: Order) {
        let (painter, folder) = (self.exports.painter, self.exports.folder.clone());
        let Some(current) = &mut self.exports.current else { return };
        let Some(ready) = current.ready.clone().filter(|_| !current.is_writing) else { return };
        current.is_writing = true;
        current.used = Some(order.kind);
        let number = current.number;
        let told = move |written| Outcome::Export(Told::Written(number, written));
        if work::is_one_file(&ready, &order) {
            let name = work::file_name(&ready, &ready.first, &order);
            self.tasks.ask_where(&name, folder, move |path| {
                told(path.map(|path| work::write_one(&ready, &order, painter, &path)))
            });
        } else {
            self.tasks.ask_which_folder("Folder for the files", folder, move |folder| {
                told(folder.map(|folder| work::write_all(&ready, &order, painter, &folder)))
            });
        }
    }

    /// Writes the report where only a browser looks for it, and opens it there.
    pub(super) fn open_report(&self, order: Order) {
        let painter = self.exports.painter;
        let ready = self.exports.current.as_ref().and_then(|current| current.ready.clone());
        let Some(ready) = ready else { return };
        self.open_written(move |folder| {
            let path = folder.join(work::file_name(&ready, &ready.first, &order));
            let Written { errors, .. } = work::write_one(&ready, &order, painter, &path);
            errors.into_iter().next().map_or(Ok(path), Err)
        });
    }

    /// As what a run was exported last, over all sessions.
    pub fn last_export(&self) -> Option<ExportKind> {
        ExportKind::of_key(&self.settings().last_export)
    }

    /// Keeps in mind as what it was exported, for the next time.
    fn remember_export(&mut self) {
        let used = self.exports.current.as_ref().and_then(|current| current.used);
        if let Some(kind) = used {
            let last_export = kind.key().to_owned();
            let settings = self.settings().clone();
            self.set_settings(super::Settings { last_export, ..settings });
        }
    }

    /// Puts what the export holds into the clipboard.
    pub(super) fn copy_export(&mut self, order: Order) {
        let Some(current) = &mut self.exports.current else { return };
        let Some(ready) = current.ready.clone().filter(|_| !current.is_writing) else { return };
        current.is_writing = true;
        current.used = Some(order.kind);
        let subject = current.subject.clone();
        copy(&self.tasks, ready, subject, order, self.exports.painter);
    }

    /// Puts text for a ticket into the clipboard.
    pub(super) fn copy_for_ticket(&mut self, subject: Subject) {
        match self.ready_of(&subject).filter(|_| self.can_export(&subject)) {
            Some(ready) => {
                let order = Order::ticket(&subject);
                copy(&self.tasks, ready, subject, order, self.exports.painter);
            }
            None => self.notices.push(Notice::info(words::NOTHING_TO_EXPORT)),
        }
    }

    /// Ends the export without writing anything.
    pub(super) fn close_export(&mut self) {
        // A preview that is being made is no longer wanted.
        self.exports.newest.fetch_add(1, Ordering::Relaxed);
        self.exports.current = None;
    }
}

fn copy(tasks: &Tasks, ready: Ready, subject: Subject, order: Order, painter: Option<Painter>) {
    tasks.spawn("copy", move || {
        let copied = work::copy(&ready, &order, painter).map(|copy| (copy, order.kind));
        Outcome::Export(Told::Copied(subject, copied))
    });
}
