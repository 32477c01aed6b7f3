//! Work of exports on background threads: opens runs, creates previews, writes files, and prepares
//! clipboard content.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jitterscope_engine::export::{self, Block, Format, Identity, NameMatch, Options};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::{Comparison, Configuration, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, repeats};

use super::cleaned::{exported, options};
use super::{
    ClipboardContent, ComparedRuns, ExportImage, ExportKind, ExportRequest, FinishedCheck, ImageOf,
    ImageRenderer, LoadedRun, Member, Preview, ReadyExport, Written, check,
};
use crate::text::compare;

/// Maximum number of bytes of a file that a preview shows.
const SHOWN_BYTES: usize = 24 << 10;
/// Number of bytes that are searched again with the next chunk, because a name may be split between
/// two chunks.
const OVERLAP_BYTES: usize = 256;
/// Maximum size of clipboard text in bytes.
const MAX_COPIED_BYTES: usize = 8 << 20;
/// Maximum number of runs whose IDs are in the file name of a comparison.
const MAX_NAMED_RUNS: usize = 8;

/// Opens the first readable run of an export; the other runs are opened when they are written.
pub(super) fn open(paths: &[PathBuf]) -> Result<ReadyExport, String> {
    let mut why = String::new();
    for (path, at) in paths.iter().zip(0..) {
        match LoadedRun::open(path).map(Arc::new) {
            Ok(first) => {
                let mut members: Vec<Member> = paths.iter().cloned().map(Member::File).collect();
                if let Some(member) = members.get_mut(at) {
                    *member = Member::Loaded(Arc::clone(&first));
                }
                return Ok(ReadyExport { members, ..ReadyExport::of_run(first) });
            }
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// Opens a quick check from its files.
pub(super) fn open_check(paths: &[PathBuf]) -> Result<ReadyExport, String> {
    let check = FinishedCheck::open(paths, None).map(Arc::new)?;
    ReadyExport::of_check(check).ok_or_else(|| "it has no runs".to_owned())
}

/// An export with everything that is needed to write it, except its destination.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) ready: ReadyExport,
    pub(super) request: ExportRequest,
    pub(super) painter: Option<ImageRenderer>,
}

impl Job {
    /// Returns whether the export is a single file, for which the user selects a name.
    pub(super) fn is_one_file(&self) -> bool {
        let is_comparison = self.request.kind.is_comparison();
        is_comparison || self.ready.members.len() == 1 || self.whole_check().is_some()
    }

    /// Returns the quick check if the export writes all of it into one file.
    fn whole_check(&self) -> Option<&FinishedCheck> {
        self.ready.check.as_deref().filter(|_| self.request.kind.is_of_check())
    }

    /// Returns the name of the exported file of the first run, of a whole quick check, or of a
    /// comparison.
    pub(super) fn file_name(&self) -> String {
        let Self { ready, request, .. } = self;
        if let Some(check) = self.whole_check() {
            return check::file_name(check, request.kind);
        }
        let run = &ready.first.run;
        match request.kind {
            ExportKind::File(format) => export::file_name(format, run),
            ExportKind::Image => {
                let date = run.started_at.strftime("%Y-%m-%d");
                format!("{date}-{}-{}.png", run.subject.key(), run.id)
            }
            kind @ (ExportKind::Comparison | ExportKind::ComparisonPage) => {
                let ids = match &ready.comparison {
                    None => Vec::new(),
                    Some(ComparedRuns::Runs(compared)) => {
                        compared.runs.iter().map(|shown| shown.run.id.as_str()).collect()
                    }
                    Some(ComparedRuns::Checks(compared)) => {
                        let runs = compared.checks.iter().filter_map(|check| check.runs().next());
                        runs.filter_map(|shown| Some(shown.run.group.as_ref()?.id.as_str()))
                            .collect()
                    }
                };
                let extension = if kind.is_page() { "html" } else { "md" };
                comparison_name(&ids, extension)
            }
        }
    }

    /// Writes the content of the exported file of the first run, of a whole quick check, or of a
    /// comparison.
    fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let Self { ready, request, .. } = self;
        match (request.kind, self.whole_check()) {
            (ExportKind::Image, _) => to.write_all(&self.image().map_err(io::Error::other)?.png),
            (ExportKind::File(format), Some(check)) => {
                check::with_file(check, request, |file| file.write(format, to))
            }
            (ExportKind::File(format), _) => {
                let shown = ready.first.as_measured();
                export::write(format, &shown.run, &shown.report, &options(request), to)
            }
            (ExportKind::Comparison, _) => {
                let document = self.comparison().unwrap_or_default();
                export::markdown::render(&export::ticket::complete(document), to)
            }
            (ExportKind::ComparisonPage, _) => {
                let names = request.included_names;
                let write = |sets: &[compare::ComparisonSet<'_>]| {
                    export::html::write_comparison(sets, compare::NAMES, names, to)
                };
                self.compared(write).unwrap_or(Ok(()))
            }
        }
    }

    /// Draws the result of the first run or of a whole quick check, without the private names that
    /// the request excludes.
    fn image(&self) -> Result<ExportImage, String> {
        let Self { ready, request, painter } = self;
        let painter = painter.ok_or("images cannot be drawn without a window")?;
        if let Some(check) = self.whole_check() {
            return painter(ImageOf::Check(&check::cleaned(check, request)), request.is_dark);
        }
        painter(ImageOf::Run(&exported(&ready.first, request)), request.is_dark)
    }
    /// Calls `write` with the comparison, and returns its result; `None` if no runs are compared. The
    /// compared runs have their original late thresholds, and no names that the request excludes.
    fn compared<T>(&self, write: impl FnOnce(&[compare::ComparisonSet<'_>]) -> T) -> Option<T> {
        let Self { ready, request, .. } = self;
        let (parts, groups, minimum): (Vec<PartRuns<'_>>, _, _) = match ready.comparison.as_ref()? {
            ComparedRuns::Runs(compared) => (
                vec![(None, compared.runs.iter().collect())],
                compared.group_counts.as_deref(),
                compared.comparison.minimum,
            ),
            ComparedRuns::Checks(compared) => {
                let common = compared.common().into_iter();
                let common = common.map(|(part, runs)| (Some(part), runs));
                (common.collect(), compared.group_counts.as_deref(), compared.minimum)
            }
        };
        let mut is_cleaned = false;
        let cleaned = |(part, runs): PartRuns<'_>| {
            let clean = |shown: &Arc<LoadedRun>| match exported(shown, request) {
                Cow::Owned(run) => {
                    is_cleaned = true;
                    Arc::new(run)
                }
                Cow::Borrowed(_) => Arc::clone(shown),
            };
            (part, runs.into_iter().map(clean).collect::<Vec<_>>())
        };
        let parts: Vec<(Option<Part>, Vec<Arc<LoadedRun>>)> =
            parts.into_iter().map(cleaned).collect();
        let evaluated: Vec<Vec<(&Run, &Report)>> = parts
            .iter()
            .map(|(_, runs)| runs.iter().map(|it| (it.run.as_ref(), &it.report)).collect())
            .collect();
        let history = repeats::History::of(ready.store.as_ref());
        // If no names are removed, use the comparison on screen: a new comparison may differ from it,
        // because newer repeats may have changed the noise floor.
        let shown = match ready.comparison.as_ref()? {
            ComparedRuns::Runs(compared) if !is_cleaned => Some(compared.comparison.clone()),
            _ => None,
        };
        let evaluate =
            |runs: &Vec<(&Run, &Report)>| repeats::compare(runs, groups, history, minimum);
        let comparisons: Vec<Comparison> =
            shown.map_or_else(|| evaluated.iter().map(evaluate).collect(), |one| vec![one]);
        let sets: Vec<compare::ComparisonSet<'_>> = parts
            .iter()
            .zip(&comparisons)
            .zip(&evaluated)
            .map(|(((part, _), comparison), runs)| compare::ComparisonSet {
                part: *part,
                comparison,
                runs,
            })
            .collect();
        Some(write(&sets))
    }

    /// Creates the exported file in memory, retains only the part that the preview displays, and searches
    /// the whole file for private names. Fails as soon as `is_wanted` returns `false`.
    pub(super) fn preview(&self, is_wanted: &dyn Fn() -> bool) -> Result<Preview, String> {
        let Self { ready, request, .. } = self;
        let shown = &ready.first;
        let file_name = self.file_name();
        let identity = Identity::here();
        if request.kind == ExportKind::Image {
            let image = self.image()?;
            let clean = export::cleaned(&shown.run, &shown.report, &options(request));
            let run = clean.as_ref().unwrap_or(&shown.run);
            let finds = identity.find(&format!("{} {}", run.name, run.machine.short()));
            let bytes = u64::try_from(image.png.len()).unwrap_or(u64::MAX);
            let image = Some(Arc::new(image));
            return Ok(Preview { file_name, bytes, finds, image, ..Preview::default() });
        }
        let mut scanner = ScanningWriter::new(identity, SHOWN_BYTES, is_wanted);
        self.write(&mut scanner).map_err(|error| error.to_string())?;
        scanner.search(true);
        let ScanningWriter { mut head, bytes, finds, .. } = scanner;
        if request.kind.is_page() {
            let outline = self.page_blocks();
            return Ok(Preview { file_name, bytes, outline, finds, ..Preview::default() });
        }
        let is_cut = u64::try_from(head.len()).is_ok_and(|shown| shown < bytes);
        if is_cut && let Some(end) = head.iter().rposition(|byte| *byte == b'\n') {
            head.truncate(end + 1);
        }
        let text = String::from_utf8_lossy(&head).into_owned();
        Ok(Preview { file_name, bytes, text, is_cut, finds, ..Preview::default() })
    }

    /// Returns what an exported HTML page shows, as blocks.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is of one lifetime, and the file may have any"
    )]
    fn page_blocks(&self) -> Vec<Block> {
        let Self { ready, request, .. } = self;
        if let Some(check) = self.whole_check() {
            return check::with_file(check, request, |file| file.outline());
        }
        if request.kind == ExportKind::ComparisonPage {
            return self.comparison().map(export::ticket::outline).unwrap_or_default();
        }
        let shown = ready.first.as_measured();
        export::page_blocks(&shown.run, &shown.report, &options(request))
    }

    fn comparison(&self) -> Option<export::document::Document> {
        let names = self.request.included_names;
        self.compared(|sets| export::comparison_document(sets, compare::NAMES, names))
    }

    /// Writes an export that is a single file. A CSV summary gets one more file per additional table.
    pub(super) fn write_one(&self, path: &Path, written: &mut Written) {
        write_file(path, |to| self.write(to), written);
        if self.request.kind != ExportKind::File(Format::CsvSummary) {
            return;
        }
        let shown = self.ready.first.as_measured();
        let LoadedRun { run, report, .. } = shown.as_ref();
        for (table, position) in report.tables.iter().zip(0..).skip(1) {
            let options = Options { table: position, ..options(&self.request) };
            write_file(
                &export::table_path(path, table),
                |to| export::write(Format::CsvSummary, run, report, &options, to),
                written,
            );
        }
    }

    /// Writes the export to this path, or one file per run into this folder. A run that cannot be
    /// opened is reported and skipped.
    pub(super) fn write_all(&self, path: &Path) -> Written {
        let mut written = Written::default();
        if self.is_one_file() {
            self.write_one(path, &mut written);
            return written;
        }
        for one in self.each() {
            match one {
                Ok(one) => one.write_one(&path.join(one.file_name()), &mut written),
                Err(error) => written.errors.push(error),
            }
        }
        written
    }

    /// Returns the files of the first run: this path and, for a CSV summary, one file per additional
    /// table.
    fn files(&self, path: PathBuf) -> Vec<PathBuf> {
        let is_in_tables = self.request.kind == ExportKind::File(Format::CsvSummary);
        let tables = self.ready.first.report.tables.iter();
        let further = tables.skip(1).filter(|_| is_in_tables);
        let further: Vec<PathBuf> = further.map(|table| export::table_path(&path, table)).collect();
        std::iter::once(path).chain(further).collect()
    }

    /// Returns the existing files that the user must allow to be replaced. If the user selected a
    /// single file, that file is excluded: the file dialog has asked about it already.
    pub(super) fn existing(&self, path: &Path) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = if self.is_one_file() {
            self.files(path.to_owned()).into_iter().skip(1).collect()
        } else {
            let all = self.each().filter_map(Result::ok);
            all.flat_map(|one| one.files(path.join(one.file_name()))).collect()
        };
        files.retain(|path| path.exists());
        files
    }

    /// Returns the export of each run alone, or why it cannot be exported.
    fn each(&self) -> impl Iterator<Item = Result<Self, String>> {
        self.ready.members.iter().map(|member| {
            let shown = match member {
                Member::Loaded(shown) => Arc::clone(shown),
                Member::File(path) => LoadedRun::open(path).map(Arc::new)?,
            };
            // The row was selected in the first run: other runs may have this configuration at
            // another index, or lack it.
            let selected = self.request.row.and_then(|row| self.ready.first.report.rows.get(row));
            let has =
                |row: &Configuration| selected.is_some_and(|selected| selected.label == row.label);
            let row = shown.report.rows.iter().position(has);
            if selected.is_some() && row.is_none() {
                let name = shown.path.as_deref().unwrap_or(Path::new("the run")).display();
                return Err(format!("it has no such configuration: {name}"));
            }
            let request = ExportRequest { row, ..self.request };
            Ok(Self { ready: ReadyExport::of_run(shown), request, painter: self.painter })
        })
    }

    /// Returns the content of an export for the clipboard.
    pub(super) fn copy(&self) -> Result<ClipboardContent, String> {
        if self.request.kind == ExportKind::Image {
            return self.image().map(|image| ClipboardContent::ExportImage(Arc::new(image)));
        }
        let mut limited = SizeLimitedWriter { bytes: Vec::new() };
        self.write(&mut limited).map_err(|error| error.to_string())?;
        String::from_utf8(limited.bytes)
            .map(ClipboardContent::Text)
            .map_err(|error| error.to_string())
    }

    /// Returns a short text for a ticket; short, because pasted text cannot have folded sections.
    pub(super) fn ticket(&self) -> String {
        let Self { ready, request, .. } = self;
        if let Some(check) = self.whole_check() {
            return check::with_file(check, request, |file| {
                export::markdown::text(&file.summary().blocks())
            });
        }
        if request.kind == ExportKind::Comparison {
            let document = self.comparison().unwrap_or_default();
            return export::markdown::text(&document.summary.blocks());
        }
        let shown = ready.first.as_measured();
        export::ticket(&shown.run, &shown.report, &options(request))
    }

    /// Returns a plain text of a run for a chat.
    pub(super) fn chat(&self) -> String {
        let shown = self.ready.first.as_measured();
        export::chat(&shown.run, &shown.report, &options(&self.request))
    }
}

/// Compared runs, and the part of the quick checks to which they belong.
type PartRuns<'a> = (Option<Part>, Vec<&'a Arc<LoadedRun>>);

/// A writer that counts the bytes written to it, retains the first bytes, and searches all bytes for
/// private names.
struct ScanningWriter<'a> {
    head: Vec<u8>,
    /// Maximum number of bytes in `head`.
    kept: usize,
    bytes: u64,
    /// Bytes that are not searched yet, preceded by the overlap with the previous chunk.
    pending: Vec<u8>,
    identity: &'a Identity,
    finds: Vec<NameMatch>,
    is_wanted: &'a dyn Fn() -> bool,
}

impl<'a> ScanningWriter<'a> {
    fn new(identity: &'a Identity, kept: usize, is_wanted: &'a dyn Fn() -> bool) -> Self {
        let (head, pending, finds) = (Vec::new(), Vec::new(), Vec::new());
        Self { head, kept, bytes: 0, pending, identity, finds, is_wanted }
    }

    /// Searches the pending text up to its last complete word, or all of it if `is_end`.
    fn search(&mut self, is_end: bool) {
        let is_between = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
        let end = match self.pending.iter().rposition(is_between) {
            _ if is_end => self.pending.len(),
            Some(at) => at + 1,
            None => return,
        };
        let text = String::from_utf8_lossy(self.pending.get(..end).unwrap_or_default());
        for find in self.identity.find(&text) {
            if !self.finds.contains(&find) {
                self.finds.push(find);
            }
        }
        let again = end.saturating_sub(OVERLAP_BYTES);
        let rest = self.pending.get(again..end).unwrap_or_default();
        let start = rest.iter().position(is_between).map_or(end, |at| again + at);
        self.pending.drain(..start);
    }
}

impl Write for ScanningWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !(self.is_wanted)() {
            return Err(io::Error::other("another preview was requested"));
        }
        self.bytes += u64::try_from(bytes.len()).unwrap_or(0);
        let room = self.kept.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.pending.extend_from_slice(bytes);
        if SHOWN_BYTES <= self.pending.len() {
            self.search(false);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    written: &mut Written,
) {
    match store::write_output(path, write) {
        Ok(()) => written.files.push(path.to_owned()),
        Err(
            store::SaveError::Write(error)
            | store::SaveError::Folder(error)
            | store::SaveError::Output(error),
        ) => written.errors.push(error.to_string()),
        Err(error @ (store::SaveError::Waiting { .. } | store::SaveError::NoRoom { .. })) => {
            written.errors.push(error.to_string());
        }
    }
}

/// Writes into memory, and fails above the size limit of the clipboard.
struct SizeLimitedWriter {
    bytes: Vec<u8>,
}

impl Write for SizeLimitedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if MAX_COPIED_BYTES < self.bytes.len() + bytes.len() {
            return Err(io::Error::other("it is too long for the clipboard; save it as a file"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the name of the exported file of a comparison: the IDs of the runs, up to
/// [`MAX_NAMED_RUNS`], because a file name can have at most 255 bytes.
fn comparison_name(ids: &[&str], extension: &str) -> String {
    match ids.split_at_checked(MAX_NAMED_RUNS) {
        Some((named, more)) if !more.is_empty() => {
            format!("comparison-{}-and-{}-more.{extension}", named.join("-"), more.len())
        }
        _ => format!("comparison-{}.{extension}", ids.join("-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_comparison_of_many_runs_is_short() {
        let ids = vec!["0123abcd"; 40];
        let eight = ids[..8].join("-");
        assert_eq!(comparison_name(&ids[..8], "md"), format!("comparison-{eight}.md"));
        assert_eq!(comparison_name(&ids, "html"), format!("comparison-{eight}-and-32-more.html"));
    }

    #[test]
    fn a_name_is_found_wherever_the_text_is_cut_and_no_part_of_a_word_is() {
        let identity = Identity {
            hosts: vec!["anvil".to_owned()],
            users: vec!["eve".to_owned()],
            homes: vec!["/home/eve wood".to_owned()],
        };
        // "anviled" and "never" contain short names, but not as words; long names also match within
        // words.
        let filler = "never, anviled; ".repeat(4_000);
        for (text, expected) in [
            (filler.clone(), 0),
            (format!("{filler}by eve {filler}"), 1),
            (format!("{filler} /home/eve wood on anvil {filler}"), 3),
        ] {
            for piece in [7, 1_000, 30_000] {
                let mut scanner = ScanningWriter::new(&identity, 24, &|| true);
                for bytes in text.as_bytes().chunks(piece) {
                    scanner.write_all(bytes).unwrap();
                }
                scanner.search(true);
                let found: Vec<&str> = scanner.finds.iter().map(|find| find.what).collect();
                assert_eq!(found.len(), expected, "{found:?} in pieces of {piece}");
                assert_eq!(scanner.bytes, u64::try_from(text.len()).unwrap());
            }
        }
    }

    #[test]
    fn a_preview_that_is_no_longer_wanted_gives_up() {
        let identity = Identity::default();
        let mut scanner = ScanningWriter::new(&identity, 24, &|| false);
        assert!(scanner.write_all(b"text").is_err());
    }
}
