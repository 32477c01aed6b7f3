//! Exports: the selected results, the format, a preview, and the written files.

mod check;
mod cleaned;
mod external;
mod image;
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
use super::export_request::{CopiedText, ExportKind, ExportRequest, Subject};
use super::finished_check::FinishedCheck;
use super::part::{Context, Part, Request};
use super::preset_file::{self, PresetFile};
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
use crate::text::{self, export as words};
use external::ExternalOpener;
use ready::{ComparedRuns, Member, ReadyExport, Writing};
pub(super) use source::Source;
use work::Job;

pub use external::Opener;
pub use image::{ExportImage, ImageOf, ImageRenderer, PlotPainter};

/// The preview of an exported file.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// The file name.
    pub file_name: String,
    /// The file size in bytes.
    pub bytes: u64,
    /// The beginning of the file; empty for an image and an HTML page.
    pub text: String,
    /// The blocks of an HTML page in order; empty for other formats.
    pub outline: Vec<Block>,
    /// Whether the file continues after the displayed part.
    pub is_cut: bool,
    /// Host names and user names found in the file.
    pub finds: Vec<NameMatch>,
    /// The image, for an image export.
    pub image: Option<Arc<ExportImage>>,
}

/// The export for which the export dialog is open.
#[derive(Debug)]
pub struct ActiveExport {
    /// Identifies the export.
    pub number: u64,
    subject: Subject,
    /// The format to select at first, if one was requested.
    pub wanted: Option<ExportKind>,
    ready: Option<ReadyExport>,
    /// The request of the latest preview.
    requested: Option<ExportRequest>,
    preview: Option<(ExportRequest, Result<Arc<Preview>, String>)>,
    /// Whether the export is being written, or the dialog for the destination is open.
    pub is_writing: bool,
    /// Whether the dialog for the destination is open.
    pub is_asking: bool,
    /// The format in which the export was last written or copied.
    used: Option<ExportKind>,
}

impl ActiveExport {
    /// Returns the number of runs to export; 0 while they are being opened.
    pub fn count(&self) -> usize {
        self.ready.as_ref().map_or(0, |ready| ready.members.len())
    }

    /// Returns the first run to export; `None` while that run is being opened.
    pub fn first(&self) -> Option<&Arc<LoadedRun>> {
        self.ready.as_ref().map(|ready| &ready.first)
    }

    /// Returns whether the runs to export are compared, so that the comparison can be exported.
    pub fn is_comparison(&self) -> bool {
        self.ready.as_ref().is_some_and(|ready| ready.comparison.is_some())
    }

    /// Returns the number of compared quick checks; `None` unless quick checks are compared.
    pub fn compared_checks(&self) -> Option<usize> {
        match self.ready.as_ref()?.comparison.as_ref()? {
            ComparedRuns::Checks(compared) => Some(compared.checks.len()),
            ComparedRuns::Runs(_) => None,
        }
    }

    /// Returns the quick check to which the runs belong, which can be exported as one file.
    pub fn check(&self) -> Option<&Arc<FinishedCheck>> {
        self.ready.as_ref().and_then(|ready| ready.check.as_ref())
    }

    /// Returns the preview for a request, or why it failed; `None` until one of them is known.
    pub fn preview(&self, request: &ExportRequest) -> Option<Result<&Arc<Preview>, &str>> {
        let (of, preview) = self.preview.as_ref()?;
        (of == request).then(|| preview.as_ref().map_err(String::as_str))
    }

    /// Returns whether the preview of this request was requested.
    pub fn is_requested(&self, request: &ExportRequest) -> bool {
        self.requested.as_ref() == Some(request)
    }
}

/// Messages of export tasks; the number identifies the export.
enum ExportMessage {
    /// The runs were opened, or the error.
    ReadyExport(u64, Result<Box<ReadyExport>, String>),
    /// The preview was created.
    Preview(u64, ExportRequest, Result<Box<Preview>, String>),
    /// The destination was selected (`None` if canceled), with the existing files to be replaced.
    Selected(Writing, Result<Option<(PathBuf, Vec<PathBuf>)>, String>),
    /// Files were written, with errors; `None` if the user canceled.
    Written(u64, Option<Written>),
    /// The content for the clipboard was created: the number of the export, `None` for a ticket, and
    /// what was exported.
    Copied(Option<u64>, Subject, Result<(ClipboardContent, ExportKind), String>),
    /// A text for a chat was created for the clipboard.
    ChatCopied(String),
    /// An image of a plot was drawn for the clipboard.
    PlotCopied(Result<ExportImage, String>),
    /// A single file was written; `None` if the user canceled.
    FileSaved(Result<Option<PathBuf>, String>),
    /// A file was opened in another program, or the error.
    OpenedOutside(Result<(), String>),
}

/// The outcome of writing files.
#[derive(Debug, Default)]
struct Written {
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// The errors of other files, one sentence each.
    pub errors: Vec<String>,
}

/// Content for the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipboardContent {
    /// Text.
    Text(String),
    /// An image.
    ExportImage(Arc<ExportImage>),
}

/// The state of exports.
#[derive(Debug)]
pub struct Exports {
    tasks: Tasks<ExportMessage>,
    /// The export for which the dialog is open.
    pub current: Option<ActiveExport>,
    count: u64,
    /// The export for which the user is asked whether to replace files, with destination and files.
    replacing: Option<(Writing, PathBuf, Vec<PathBuf>)>,
    /// What the window has to copy to the clipboard; each is taken once.
    pub copies: Vec<ClipboardContent>,
    painter: Option<ImageRenderer>,
    /// The folder of the last export.
    folder: Option<PathBuf>,
    /// The number of the newest preview; a thread that creates an older one stops.
    newest: Arc<AtomicU64>,
    external: ExternalOpener,
}

impl Part for Exports {
    const NAME: &'static str = "exports";

    fn restart(&mut self, _: &Context) {
        let (painter, count) = (self.painter, self.count);
        let external = std::mem::take(&mut self.external);
        let fresh = Self::new(&self.tasks.host);
        *self = Self { count, painter, external, ..fresh };
    }
}

impl Exports {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
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

    /// Returns the files that the user is asked to replace; `None` without such a question.
    pub fn replacing(&self) -> Option<&[PathBuf]> {
        self.replacing.as_ref().map(|(.., files)| files.as_slice())
    }

    /// Sets the function that draws images of results.
    pub const fn set_painter(&mut self, painter: ImageRenderer) {
        self.painter = Some(painter);
    }

    /// Sets the function that opens files and folders.
    pub fn set_opener(&mut self, opener: Opener) {
        self.external.opener = opener;
    }

    /// Handles the messages of tasks since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for message in self.tasks.messages() {
            match message {
                ExportMessage::ReadyExport(number, result) => {
                    let Some(current) = self.current(number) else { continue };
                    match result {
                        Ok(ready) => current.ready = Some(*ready),
                        Err(error) => {
                            self.current = None;
                            context.report_error(words::not_opened(&error));
                        }
                    }
                }
                ExportMessage::Preview(number, request, result) => {
                    if let Some(current) = self.current(number)
                        && current.requested == Some(request)
                    {
                        current.preview = Some((request, result.map(|preview| Arc::new(*preview))));
                    }
                }
                ExportMessage::Selected(writing, Ok(Some((path, files)))) if !files.is_empty() => {
                    self.replacing = Some((writing, path, files));
                }
                ExportMessage::Selected(writing, Ok(Some((path, _)))) => self.write(writing, path),
                ExportMessage::Selected(writing, Ok(None)) => {
                    self.end_writing(writing.number, None, context);
                }
                ExportMessage::Selected(writing, Err(error)) => {
                    let written = Written { errors: vec![error], ..Written::default() };
                    self.end_writing(writing.number, Some(written), context);
                }
                ExportMessage::Written(number, written) => {
                    self.end_writing(number, written, context);
                }
                ExportMessage::Copied(number, subject, Ok((copy, kind))) => {
                    if self.current.as_ref().map(|current| current.number) == number {
                        self.remember(context);
                        self.current = None;
                    }
                    self.end_copying(subject, copy, kind, context);
                }
                ExportMessage::Copied(number, _, Err(error)) => {
                    if let Some(current) = number.and_then(|number| self.current(number)) {
                        current.is_writing = false;
                    }
                    context.report_error(format!("Nothing was copied: {error}."));
                }
                ExportMessage::ChatCopied(text) => {
                    self.copies.push(ClipboardContent::Text(text));
                    context.notify(Notice::info(words::CHAT_COPIED));
                }
                ExportMessage::PlotCopied(Ok(image)) => {
                    self.copies.push(ClipboardContent::ExportImage(Arc::new(image)));
                    context.notify(Notice::info("Image copied."));
                }
                ExportMessage::FileSaved(Ok(path)) => {
                    if let Some(path) = path {
                        self.folder = path.parent().map(PathBuf::from);
                        context.notify(Notice::info(words::saved(&[path])));
                    }
                }
                ExportMessage::PlotCopied(Err(error)) => {
                    context.report_error(format!("Could not create the image: {error}."));
                }
                ExportMessage::FileSaved(Err(error)) => {
                    context.report_error(format!("The file was not saved: {error}."));
                }
                ExportMessage::OpenedOutside(Ok(())) => {}
                ExportMessage::OpenedOutside(Err(why)) => {
                    context.report_error(format!("This cannot be opened: {why}."));
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
        context: &Context,
    ) {
        let bytes = match &copy {
            ClipboardContent::Text(text) => text.len(),
            ClipboardContent::ExportImage(image) => image.png.len(),
        };
        let size = text::format_bytes(u64::try_from(bytes).unwrap_or(u64::MAX));
        let is_for_ticket = kind != ExportKind::Image && kind.goes_to_clipboard();
        self.copies.push(copy);
        let show = Action::Export { subject, kind: Some(kind) };
        context.notify(Notice {
            action: Some(("Show".to_owned(), show)),
            ..Notice::info(words::copied(kind.label(), is_for_ticket, &size))
        });
    }

    fn end_writing(&mut self, number: u64, written: Option<Written>, context: &Context) {
        if let Some(current) = self.current(number) {
            (current.is_writing, current.is_asking) = (false, false);
        }
        let Some(Written { files, errors }) = written else { return };
        if let Some(folder) = files.first().and_then(|file| file.parent()) {
            self.folder = Some(folder.to_owned());
        }
        if !files.is_empty() {
            self.remember(context);
            context.notify(Notice::info(words::saved(&files)));
        }
        if errors.is_empty() {
            // Close the dialog only after success: otherwise, the user can select another
            // destination.
            if self.current(number).is_some() {
                self.current = None;
            }
        } else {
            context.report_error(words::not_saved(&errors));
        }
    }

    /// Opens the export dialog, and starts to open the runs to export.
    pub(super) fn begin(
        &mut self,
        subject: Subject,
        source: Option<Source>,
        wanted: Option<ExportKind>,
        context: &Context,
    ) {
        let Some(source) = source else {
            return context.report_error(words::NOTHING_TO_EXPORT);
        };
        self.count += 1;
        let number = self.count;
        let ready = match &source {
            Source::Loaded(ready) => ready.clone(),
            Source::Runs(_) | Source::Check(_) => None,
        };
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
            let opened = move |result| ExportMessage::ReadyExport(number, result);
            self.tasks.spawn("export-open", move || source.open().map(Box::new), opened);
        }
    }

    /// Returns the work for a request of the export in the dialog; `None` until its runs are opened.
    fn job(&self, request: ExportRequest) -> Option<Job> {
        let ready = self.current.as_ref()?.ready.clone()?;
        Some(Job { ready, request, painter: self.painter })
    }

    /// Starts to create a preview of the export.
    pub(super) fn preview(&mut self, request: ExportRequest) {
        let (Some(job), Some(current)) = (self.job(request), &mut self.current) else { return };
        current.requested = Some(request);
        let number = current.number;
        let newest = Arc::clone(&self.newest);
        let turn = newest.fetch_add(1, Ordering::Relaxed) + 1;
        let make = move || {
            let is_wanted = || newest.load(Ordering::Relaxed) == turn;
            job.preview(&is_wanted).map(Box::new)
        };
        self.tasks
            .spawn("preview", make, move |made| ExportMessage::Preview(number, request, made));
    }

    /// Marks the export as being written; returns its work and number, `None` if it cannot begin.
    fn begin_writing(&mut self, request: ExportRequest, asks: bool) -> Option<(Job, u64)> {
        let job = self.job(request)?;
        let current = self.current.as_mut().filter(|current| !current.is_writing)?;
        (current.is_writing, current.is_asking) = (true, asks);
        current.used = Some(request.kind);
        Some((job, current.number))
    }

    /// Asks for a destination, and writes the export.
    pub(super) fn save(&mut self, request: ExportRequest, context: &Context) {
        let folder = self.folder.clone();
        let Some((job, number)) = self.begin_writing(request, true) else { return };
        let answer = if job.is_one_file() {
            context.dialogs.output(&job.file_name(), folder)
        } else {
            context.dialogs.folder("Folder for the files", folder)
        };
        let job = Arc::new(job);
        let writing = Writing { number, job: Arc::clone(&job) };
        let select = move || {
            let path = answer().into_iter().next();
            Ok(path.map(|path| {
                let existing = job.existing(&path);
                (path, existing)
            }))
        };
        self.tasks
            .spawn("save-export", select, |selected| ExportMessage::Selected(writing, selected));
    }

    /// Writes the export and replaces existing files, or writes nothing, as the user answered.
    pub(super) fn replace(&mut self, is_replaced: bool, context: &Context) {
        match self.replacing.take() {
            Some((writing, path, _)) if is_replaced => self.write(writing, path),
            Some((writing, ..)) => self.end_writing(writing.number, None, context),
            None => {}
        }
    }

    fn write(&mut self, Writing { number, job }: Writing, path: PathBuf) {
        if let Some(current) = self.current(number) {
            current.is_asking = false;
        }
        let write = move || Ok(job.write_all(&path));
        self.tasks.spawn("save-export", write, move |written: Result<Written, String>| {
            let failed = |error| Written { errors: vec![error], ..Written::default() };
            ExportMessage::Written(number, Some(written.unwrap_or_else(failed)))
        });
    }

    /// Draws an image of a plot, and copies it to the clipboard.
    pub(super) fn copy_plot(&self, draw: PlotPainter) {
        self.tasks.spawn("copy-plot", draw, ExportMessage::PlotCopied);
    }

    /// Asks for a destination, and writes a preset.
    pub(super) fn save_preset(&self, test: &str, name: &str, plan: Plan, context: &Context) {
        let file = PresetFile::new(name, plan);
        self.save_file(&preset_file::file_name(test, name), move || file.write(), context);
    }

    /// Asks for the destination of a file, creates its content, and writes it.
    pub(super) fn save_file(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Vec<u8>, String> + Send + 'static,
        context: &Context,
    ) {
        let answer = context.dialogs.output(name, self.folder.clone());
        let write = move || {
            let Some(path) = answer().into_iter().next() else { return Ok(None) };
            let bytes = make()?;
            store::write_output(&path, |to| to.write_all(&bytes))
                .map_err(|error| error.to_string())?;
            Ok(Some(path))
        };
        self.tasks.spawn("save-file", write, ExportMessage::FileSaved);
    }

    /// Opens a file or a folder in another program.
    pub(super) fn open_outside(&self, path: PathBuf) {
        let opener = Arc::clone(&self.external.opener);
        let open = move || opener(&path).map_err(|why| format!("{why}: {}", path.display()));
        self.tasks.spawn("open-outside", open, ExportMessage::OpenedOutside);
    }

    /// Opens a settings window of the desktop.
    pub(super) fn open_tool(&self, tool: SystemTool) {
        let open = move || tool.open().map_err(|error| error.to_string());
        self.tasks.spawn("open-outside", open, ExportMessage::OpenedOutside);
    }

    /// Writes the report to a temporary file, and opens it in the browser.
    pub(super) fn open_report(&self, request: ExportRequest) {
        let Some(job) = self.job(request) else { return };
        let opener = Arc::clone(&self.external.opener);
        let folder = self.external.folder();
        let open = move || {
            let path = folder()?.join(job.file_name());
            let mut written = Written::default();
            job.write_one(&path, &mut written);
            written.errors.into_iter().next().map_or(Ok(()), Err)?;
            opener(&path)
        };
        self.tasks.spawn("open-written", open, ExportMessage::OpenedOutside);
    }

    /// Saves the format of the export in the settings as the default of the next export.
    fn remember(&self, context: &Context) {
        if let Some(kind) = self.current.as_ref().and_then(|current| current.used) {
            context.push(Request::RememberExport(kind));
        }
    }

    /// Copies the content of the export to the clipboard.
    pub(super) fn copy(&mut self, request: ExportRequest) {
        let Some((job, number)) = self.begin_writing(request, false) else { return };
        let Some(subject) = self.current.as_ref().map(|it| it.subject.clone()) else { return };
        let copy = move || Ok((job.copy()?, request.kind));
        let end = move |copied| ExportMessage::Copied(Some(number), subject, copied);
        self.tasks.spawn("copy", copy, end);
    }

    /// Copies a summary to the clipboard.
    pub(super) fn copy_text(
        &self,
        (subject, text): (Subject, CopiedText),
        source: Option<Source>,
        context: &Context,
    ) {
        let Some(source) = source else {
            return context.report_error(words::NOTHING_TO_EXPORT);
        };
        let request = ExportRequest::ticket(&subject);
        let copy = move || {
            let job = Job { ready: source.open()?, request, painter: None };
            Ok(match text {
                CopiedText::Ticket => (job.ticket(), Some(request.kind)),
                CopiedText::Chat => (job.chat(), None),
            })
        };
        self.tasks.spawn("copy", copy, move |copied| match copied {
            Ok((text, None)) => ExportMessage::ChatCopied(text),
            Ok((text, Some(kind))) => {
                ExportMessage::Copied(None, subject, Ok((ClipboardContent::Text(text), kind)))
            }
            Err(error) => ExportMessage::Copied(None, subject, Err(error)),
        });
    }

    /// Closes the export dialog without writing anything.
    pub(super) fn close(&mut self) {
        // Cancel the preview that is being created.
        self.newest.fetch_add(1, Ordering::Relaxed);
        self.current = None;
    }
}
