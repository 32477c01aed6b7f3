//! Exports: the selected results, the format, a preview, and the written files.

mod check;
mod cleaned;
mod external;
mod ready;
mod source;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jitterscope_engine::export::{Block, NameMatch};
use jitterscope_engine::plan::Plan;
use jitterscope_engine::platform::SystemTool;
use jitterscope_engine::store;

use super::action::{Action, Notice};
use super::dialog::Dialogs;
use super::export_request::{ExportKind, ExportRequest, Subject};
use super::finished_check::FinishedCheck;
use super::part::{Outbox, Part, Request};
use super::preset_file::{self, PresetFile};
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
use crate::text::{self, export as words};
use external::ExternalOpener;
use ready::{ComparedRuns, Member, ReadyExport, Writing};
pub(super) use source::Source;

pub use external::Opener;

/// An image in memory: its pixels for the window, and the same as a PNG file.
#[derive(Clone, PartialEq, Eq)]
pub struct ExportImage {
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

impl std::fmt::Debug for ExportImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExportImage").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A result that an image shows.
#[derive(Clone, Copy, Debug)]
pub enum ImageOf<'a> {
    /// A run.
    Run(&'a LoadedRun),
    /// A quick check.
    Check(&'a FinishedCheck),
}

/// Draws a result, dark or light; the window's part of an export.
pub type ImageRenderer = fn(ImageOf<'_>, bool) -> Result<ExportImage, String>;

/// Draws an image of a plot; the window's part.
pub type PlotPainter = Box<dyn FnOnce() -> Result<ExportImage, String> + Send>;

/// What a file will hold.
#[derive(Clone, Debug)]
pub struct Preview {
    /// Its name.
    pub file_name: String,
    /// Its size.
    pub bytes: u64,
    /// How it begins; empty for an image and a page.
    pub text: String,
    /// What a page shows, in its order; empty for other kinds.
    pub outline: Vec<Block>,
    /// Whether it continues after that.
    pub is_cut: bool,
    /// The host name and user name found in it.
    pub finds: Vec<NameMatch>,
    /// The image, where it is one.
    pub image: Option<Arc<ExportImage>>,
}

/// The export in the dialog.
#[derive(Debug)]
pub struct ActiveExport {
    /// Distinguishes one from the next.
    number: u64,
    subject: Subject,
    /// The kind it begins with, where it was requested.
    wanted: Option<ExportKind>,
    ready: Option<ReadyExport>,
    /// What the preview that was requested last is of.
    requested: Option<ExportRequest>,
    preview: Option<(ExportRequest, Result<Arc<Preview>, String>)>,
    /// Whether it is being written, or the dialog for its place is open.
    pub is_writing: bool,
    /// Whether the dialog for its place is open.
    pub is_asking: bool,
    /// The format in which it was written or copied last.
    used: Option<ExportKind>,
}

impl ActiveExport {
    /// Distinguishes one export from the next.
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The kind it begins with, where it was requested.
    pub const fn wanted(&self) -> Option<ExportKind> {
        self.wanted
    }

    /// How many runs are written; 0 while they are being opened.
    pub fn count(&self) -> usize {
        self.ready.as_ref().map_or(0, |ready| ready.members.len())
    }

    /// The first run; `None` while it is being opened.
    pub fn first(&self) -> Option<&Arc<LoadedRun>> {
        self.ready.as_ref().map(|ready| &ready.first)
    }

    /// Whether several runs are compared, which can be written, too.
    pub fn is_comparison(&self) -> bool {
        self.ready.as_ref().is_some_and(|ready| ready.comparison.is_some())
    }

    /// How many quick checks are compared, where they are.
    pub fn compared_checks(&self) -> Option<usize> {
        match self.ready.as_ref()?.comparison.as_ref()? {
            ComparedRuns::Checks(compared) => Some(compared.checks.len()),
            ComparedRuns::Runs(_) => None,
        }
    }

    /// The quick check that the runs are, which is written as one file.
    pub fn check(&self) -> Option<&Arc<FinishedCheck>> {
        self.ready.as_ref().and_then(|ready| ready.check.as_ref())
    }

    /// The preview that was requested last, or why there is none; `None` while it is being made.
    pub fn preview(&self, request: &ExportRequest) -> Option<Result<&Arc<Preview>, &str>> {
        let (of, preview) = self.preview.as_ref()?;
        (of == request).then(|| preview.as_ref().map_err(String::as_str))
    }

    /// Whether this preview was requested.
    pub fn is_requested(&self, request: &ExportRequest) -> bool {
        self.requested.as_ref() == Some(request)
    }
}

/// What the tasks of exports report.
enum Message {
    /// The runs can be written, or why not.
    ReadyExport(u64, Result<Box<ReadyExport>, String>),
    /// A preview is made.
    Preview(u64, ExportRequest, Result<Box<Preview>, String>),
    /// Where the files go was selected, or not, and which of them exist.
    Selected(Box<Writing>, Result<Option<(PathBuf, Vec<PathBuf>)>, String>),
    /// Files were written, or not; `None` where the user canceled.
    Written(u64, Option<Written>),
    /// Text or an image for the clipboard.
    Copied(Subject, Result<(ClipboardContent, ExportKind), String>),
    /// An image of a plot was drawn for the clipboard.
    PlotCopied(Result<ExportImage, String>),
    /// A file was made and written, or not; `None` where the user canceled.
    FileSaved(Result<Option<PathBuf>, String>),
    /// Something was opened outside the app, or not.
    OpenedOutside(Result<(), String>),
}

/// The outcome of writing files.
#[derive(Debug)]
struct Written {
    /// Those that were written.
    pub files: Vec<PathBuf>,
    /// Why others were not, a sentence each.
    pub errors: Vec<String>,
}

/// What goes to the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipboardContent {
    /// Text.
    Text(String),
    /// An image.
    ExportImage(Arc<ExportImage>),
}

/// What leaves the app.
#[derive(Debug)]
pub struct Exports {
    tasks: Tasks<Message>,
    dialogs: Dialogs,
    current: Option<ActiveExport>,
    count: u64,
    /// What waits for the answer whether these files are replaced, and where it goes.
    replacing: Option<(Box<Writing>, PathBuf, Vec<PathBuf>)>,
    copies: Vec<ClipboardContent>,
    painter: Option<ImageRenderer>,
    /// Where the last files went.
    folder: Option<PathBuf>,
    /// The number of the newest preview: a thread that makes an older one gives up.
    newest: Arc<AtomicU64>,
    external: ExternalOpener,
}

impl Part for Exports {
    const NAME: &'static str = "exports";

    fn restart(&mut self, _: &mut Outbox) {
        let (painter, count) = (self.painter, self.count);
        let external = std::mem::take(&mut self.external);
        let fresh = Self::new(self.dialogs.clone(), self.tasks.host());
        *self = Self { count, painter, external, ..fresh };
    }
}

impl Exports {
    pub(super) fn new(dialogs: Dialogs, host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
            dialogs,
            current: None,
            count: 0,
            replacing: None,
            copies: Vec::new(),
            painter: None,
            folder: None,
            newest: Arc::default(),
            external: ExternalOpener::default(),
        }
    }

    /// The export in the dialog.
    pub const fn active(&self) -> Option<&ActiveExport> {
        self.current.as_ref()
    }

    /// The files that would be replaced, while that is not answered.
    pub fn replacing(&self) -> Option<&[PathBuf]> {
        self.replacing.as_ref().map(|(.., files)| files.as_slice())
    }

    /// Gives the function that draws images of results.
    pub const fn set_painter(&mut self, painter: ImageRenderer) {
        self.painter = Some(painter);
    }

    /// Opens files and folders by this from now on.
    pub fn set_opener(&mut self, opener: Opener) {
        self.external.opener = opener;
    }

    /// New content for the clipboard, returned once.
    pub fn take_copies(&mut self) -> Vec<ClipboardContent> {
        std::mem::take(&mut self.copies)
    }

    /// Takes in what the tasks reported since the last call.
    pub(super) fn poll(&mut self, outbox: &mut Outbox) {
        for message in self.tasks.messages() {
            match message {
                Message::ReadyExport(number, result) => {
                    let Some(current) = self.current(number) else { continue };
                    match result {
                        Ok(ready) => current.ready = Some(*ready),
                        Err(error) => {
                            self.current = None;
                            outbox.notify(Notice::error(words::not_opened(&error)));
                        }
                    }
                }
                Message::Preview(number, request, result) => {
                    if let Some(current) = self.current(number)
                        && current.requested == Some(request)
                    {
                        current.preview = Some((request, result.map(|preview| Arc::new(*preview))));
                    }
                }
                Message::Selected(writing, Ok(Some((path, files)))) if !files.is_empty() => {
                    self.replacing = Some((writing, path, files));
                }
                Message::Selected(writing, Ok(Some((path, _)))) => self.write(*writing, path),
                Message::Selected(writing, Ok(None)) => {
                    self.end_writing(writing.number, None, outbox);
                }
                Message::Selected(writing, Err(error)) => {
                    let written = Written { files: Vec::new(), errors: vec![error] };
                    self.end_writing(writing.number, Some(written), outbox);
                }
                Message::Written(number, written) => self.end_writing(number, written, outbox),
                Message::Copied(subject, Ok((copy, kind))) => {
                    self.end_copying(subject, copy, kind, outbox);
                }
                Message::Copied(_, Err(error)) => {
                    if let Some(current) = &mut self.current {
                        current.is_writing = false;
                    }
                    outbox.notify(Notice::error(words::not_copied(&error)));
                }
                Message::PlotCopied(Ok(image)) => {
                    self.copies.push(ClipboardContent::ExportImage(Arc::new(image)));
                    outbox.notify(Notice::info("Image copied."));
                }
                Message::FileSaved(Ok(path)) => {
                    if let Some(path) = path {
                        self.folder = path.parent().map(PathBuf::from);
                        outbox.notify(Notice::info(words::saved(&[path])));
                    }
                }
                Message::PlotCopied(Err(error)) => {
                    outbox.notify(Notice::error(format!("Could not create the image: {error}.")));
                }
                Message::FileSaved(Err(error)) => {
                    outbox.notify(Notice::error(format!("The file was not saved: {error}.")));
                }
                Message::OpenedOutside(Ok(())) => {}
                Message::OpenedOutside(Err(why)) => {
                    outbox.notify(Notice::error(format!("This cannot be opened: {why}.")));
                }
            }
        }
    }

    fn current(&mut self, number: u64) -> Option<&mut ActiveExport> {
        self.current.as_mut().filter(|current| current.number == number)
    }

    fn end_copying(
        &mut self,
        subject: Subject,
        copy: ClipboardContent,
        kind: ExportKind,
        outbox: &mut Outbox,
    ) {
        let bytes = match &copy {
            ClipboardContent::Text(text) => text.len(),
            ClipboardContent::ExportImage(image) => image.png.len(),
        };
        let size = text::format_bytes(u64::try_from(bytes).unwrap_or(u64::MAX));
        let is_for_ticket = kind != ExportKind::Image && kind.goes_to_clipboard();
        self.copies.push(copy);
        let show = Action::Export { subject, kind: Some(kind) };
        self.remember(outbox);
        outbox.notify(Notice {
            action: Some(("Show".to_owned(), show)),
            ..Notice::info(words::copied(kind.label(), is_for_ticket, &size))
        });
        self.current = None;
    }

    fn end_writing(&mut self, number: u64, written: Option<Written>, outbox: &mut Outbox) {
        if let Some(current) = self.current(number) {
            (current.is_writing, current.is_asking) = (false, false);
        }
        let Some(Written { files, errors }) = written else { return };
        if let Some(folder) = files.first().and_then(|file| file.parent()) {
            self.folder = Some(folder.to_owned());
        }
        if !files.is_empty() {
            self.remember(outbox);
            outbox.notify(Notice::info(words::saved(&files)));
        }
        if errors.is_empty() {
            // An export that failed stays open, so that another place can be selected.
            if self.current(number).is_some() {
                self.current = None;
            }
        } else {
            outbox.notify(Notice::error(words::not_saved(&errors)));
        }
    }

    /// Opens the runs to export.
    pub(super) fn begin(
        &mut self,
        subject: Subject,
        source: Option<Source>,
        wanted: Option<ExportKind>,
        outbox: &mut Outbox,
    ) {
        let Some(source) = source else {
            return outbox.notify(Notice::error(words::NOTHING_TO_EXPORT));
        };
        self.count += 1;
        let number = self.count;
        let ready = source.ready();
        let is_ready = ready.is_some();
        self.current = Some(ActiveExport {
            number,
            subject,
            wanted,
            ready,
            requested: None,
            preview: None,
            is_writing: false,
            is_asking: false,
            used: None,
        });
        if !is_ready {
            let opened = move |result| Message::ReadyExport(number, result);
            self.tasks.spawn("export-open", move || source.open().map(Box::new), opened);
        }
    }

    /// Makes a preview.
    pub(super) fn preview(&mut self, request: ExportRequest) {
        let painter = self.painter;
        let newest = Arc::clone(&self.newest);
        let Some(current) = &mut self.current else { return };
        let Some(ready) = current.ready.clone() else { return };
        current.requested = Some(request);
        let number = current.number;
        let turn = newest.fetch_add(1, Ordering::Relaxed) + 1;
        let make = move || {
            let is_wanted = || newest.load(Ordering::Relaxed) == turn;
            work::preview(&ready, &request, painter, &is_wanted).map(Box::new)
        };
        self.tasks.spawn("preview", make, move |made| Message::Preview(number, request, made));
    }

    /// Takes the runs of the export to be written as this, unless they are being written.
    fn begin_writing(&mut self, request: &ExportRequest, asks: bool) -> Option<(ReadyExport, u64)> {
        let current = self.current.as_mut().filter(|current| !current.is_writing)?;
        let ready = current.ready.clone()?;
        (current.is_writing, current.is_asking) = (true, asks);
        current.used = Some(request.kind);
        Some((ready, current.number))
    }

    /// Asks where to, and writes.
    pub(super) fn save(&mut self, request: ExportRequest) {
        let folder = self.folder.clone();
        let Some((ready, number)) = self.begin_writing(&request, true) else { return };
        let is_one = work::is_one_file(&ready, &request);
        let answer = if is_one {
            self.dialogs.output(&work::file_name(&ready, &ready.first, &request), folder)
        } else {
            self.dialogs.folder("Folder for the files", folder)
        };
        let writing = Box::new(Writing { number, ready, request, is_one });
        let (ready, request) = (writing.ready.clone(), request);
        let select = move || {
            let path = answer().into_iter().next();
            Ok(path.map(|path| {
                let existing = work::existing(&ready, &request, &path, is_one);
                (path, existing)
            }))
        };
        self.tasks.spawn("save-export", select, |selected| Message::Selected(writing, selected));
    }

    /// Replaces the files that exist, or writes nothing.
    pub(super) fn replace(&mut self, is_replaced: bool, outbox: &mut Outbox) {
        match self.replacing.take() {
            Some((writing, path, _)) if is_replaced => self.write(*writing, path),
            Some((writing, ..)) => self.end_writing(writing.number, None, outbox),
            None => {}
        }
    }

    fn write(&mut self, writing: Writing, path: PathBuf) {
        let (painter, number) = (self.painter, writing.number);
        if let Some(current) = self.current(number) {
            current.is_asking = false;
        }
        let write = move || {
            let Writing { ready, request, is_one, .. } = writing;
            Ok(if is_one {
                work::write_one(&ready, &request, painter, &path)
            } else {
                work::write_all(&ready, &request, painter, &path)
            })
        };
        self.tasks.spawn("save-export", write, move |written: Result<Written, String>| {
            let failed = |error| Written { files: Vec::new(), errors: vec![error] };
            Message::Written(number, Some(written.unwrap_or_else(failed)))
        });
    }

    /// Draws an image of a plot for the clipboard.
    pub(super) fn copy_plot(&self, draw: PlotPainter) {
        self.tasks.spawn("copy-plot", draw, Message::PlotCopied);
    }

    /// Asks where to, draws an image of a plot and writes it.
    pub(super) fn save_plot(&self, name: &str, draw: PlotPainter) {
        self.save_file(name, || Ok(draw()?.png));
    }

    /// Asks where a preset goes, and writes it.
    pub(super) fn save_preset(&self, test: &str, name: &str, plan: Plan) {
        let file = PresetFile::new(name, plan);
        self.save_file(&preset_file::file_name(test, name), move || file.write());
    }

    /// Asks where a file of this name goes, makes its contents and writes them.
    fn save_file(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Vec<u8>, String> + Send + 'static,
    ) {
        let answer = self.dialogs.output(name, self.folder.clone());
        let write = move || {
            let Some(path) = answer().into_iter().next() else { return Ok(None) };
            let bytes = make()?;
            store::write_output(&path, |to| to.write_all(&bytes))
                .map_err(|error| error.to_string())?;
            Ok(Some(path))
        };
        self.tasks.spawn("save-file", write, Message::FileSaved);
    }

    /// Opens a file or a folder.
    pub(super) fn open_outside(&self, path: PathBuf) {
        let opener = Arc::clone(&self.external.opener);
        let open = move || opener(&path).map_err(|why| format!("{why}: {}", path.display()));
        self.tasks.spawn("open-outside", open, Message::OpenedOutside);
    }

    /// Opens a window of the desktop.
    pub(super) fn open_tool(&self, tool: SystemTool) {
        let open = move || tool.open().map_err(|error| error.to_string());
        self.tasks.spawn("open-outside", open, Message::OpenedOutside);
    }

    /// Writes the report where only a browser looks for it, and opens it there.
    pub(super) fn open_report(&self, request: ExportRequest) {
        let painter = self.painter;
        let ready = self.current.as_ref().and_then(|current| current.ready.clone());
        let Some(ready) = ready else { return };
        let opener = Arc::clone(&self.external.opener);
        let folder = self.external.folder();
        let open = move || {
            let path = folder()?.join(work::file_name(&ready, &ready.first, &request));
            let Written { errors, .. } = work::write_one(&ready, &request, painter, &path);
            errors.into_iter().next().map_or(Ok(()), Err)?;
            opener(&path)
        };
        self.tasks.spawn("open-written", open, Message::OpenedOutside);
    }

    /// Saves the format as the default of the next export.
    fn remember(&self, outbox: &mut Outbox) {
        if let Some(kind) = self.current.as_ref().and_then(|current| current.used) {
            outbox.push(Request::RememberExport(kind));
        }
    }

    /// Puts what the export holds into the clipboard.
    pub(super) fn copy(&mut self, request: ExportRequest) {
        let Some(subject) = self.current.as_ref().map(|current| current.subject.clone()) else {
            return;
        };
        if let Some((ready, _)) = self.begin_writing(&request, false) {
            self.copy_ready(ready, subject, request);
        }
    }

    /// Puts text for a ticket into the clipboard.
    pub(super) fn copy_for_ticket(
        &self,
        subject: Subject,
        source: Option<Source>,
        outbox: &mut Outbox,
    ) {
        let Some(source) = source else {
            return outbox.notify(Notice::error(words::NOTHING_TO_EXPORT));
        };
        let request = ExportRequest::ticket(&subject);
        let copy = move || {
            let text = work::ticket(&source.open()?, &request);
            Ok((ClipboardContent::Text(text), request.kind))
        };
        self.tasks.spawn("copy", copy, move |copied| Message::Copied(subject, copied));
    }

    fn copy_ready(&self, ready: ReadyExport, subject: Subject, request: ExportRequest) {
        let painter = self.painter;
        let copy = move || Ok((work::copy(&ready, &request, painter)?, request.kind));
        self.tasks.spawn("copy", copy, move |copied| Message::Copied(subject, copied));
    }

    /// Ends the export without writing anything.
    pub(super) fn close(&mut self) {
        // A preview that is being made is no longer wanted.
        self.newest.fetch_add(1, Ordering::Relaxed);
        self.current = None;
    }
}
