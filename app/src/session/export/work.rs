//! The work of exports, on threads of their own: opening, previews, files, text for the clipboard.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jitterscope_engine::export::{
    self, Block, Format, Identity, IncludedNames, NameMatch, Options,
};
use jitterscope_engine::report::{Configuration, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store;
use jitterscope_engine::store::repeats;

use super::{
    ClipboardContent, ExportKind, ExportRequest, FinishedCheck, ImageOf, ImageRenderer, LoadedRun,
    Member, Preview, ReadyExport, Written, check,
};
use crate::text::compare;
use crate::text::local_date;

/// Letters of a file that a preview shows.
const SHOWN_BYTES: usize = 24 << 10;
/// Letters before the end of what was searched that are searched again, for names that were cut in two.
const OVERLAP_BYTES: usize = 256;
/// The longest text for the clipboard.
const MAX_COPIED_BYTES: usize = 8 << 20;

/// Opens the first run that can be read; the others are opened when they are written.
pub(super) fn open(paths: &[PathBuf]) -> Result<ReadyExport, String> {
    let mut why = String::new();
    for (path, at) in paths.iter().zip(0..) {
        match LoadedRun::open(path).map(Arc::new) {
            Ok(first) => {
                let mut members: Vec<Member> = paths.iter().cloned().map(Member::File).collect();
                if let Some(member) = members.get_mut(at) {
                    *member = Member::Loaded(Arc::clone(&first));
                }
                return Ok(ReadyExport {
                    members,
                    first,
                    comparison: None,
                    check: None,
                    store: None,
                });
            }
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// Opens a quick check.
pub(super) fn open_check(paths: &[PathBuf]) -> Result<ReadyExport, String> {
    let check = FinishedCheck::open(paths, None).map(Arc::new)?;
    ReadyExport::of_check(check).ok_or_else(|| "it has no runs".to_owned())
}

/// Whether one file is written, of which the user chooses the name.
pub(super) fn is_one_file(ready: &ReadyExport, order: &ExportRequest) -> bool {
    let is_whole_check = ready.check.is_some() && order.kind.is_of_check();
    order.kind == ExportKind::Comparison || ready.members.len() == 1 || is_whole_check
}

/// The quick check, where one file of all of it is written.
fn whole_check<'a>(ready: &'a ReadyExport, order: &ExportRequest) -> Option<&'a FinishedCheck> {
    ready.check.as_deref().filter(|_| order.kind.is_of_check())
}

/// The name of the file of a run.
pub(super) fn file_name(ready: &ReadyExport, shown: &LoadedRun, order: &ExportRequest) -> String {
    if let Some(check) = whole_check(ready, order) {
        return check::file_name(check, order.kind);
    }
    match order.kind {
        ExportKind::File(format) => export::file_name(format, &shown.run),
        ExportKind::Image => {
            let date = shown.run.started_at.strftime("%Y-%m-%d");
            format!("{date}-{}-{}.png", shown.run.subject.key(), shown.run.id)
        }
        ExportKind::Comparison => {
            let runs = ready.comparison.iter().flat_map(|compared| &compared.runs);
            let ids: Vec<String> = runs.map(|shown| shown.run.id.to_string()).collect();
            format!("comparison-{}.md", ids.join("-"))
        }
    }
}

fn options(order: &ExportRequest) -> Options {
    Options {
        date: Some(local_date),
        row: order.row,
        table: 0,
        plot: None,
        parts: order.parts,
        leave_out: Identity::here(),
        included_names: order.included_names,
    }
}

/// Writes what one file holds.
fn write(
    ready: &ReadyExport,
    shown: &LoadedRun,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
    to: &mut dyn Write,
) -> io::Result<()> {
    if let Some(check) = whole_check(ready, order) {
        return match order.kind {
            ExportKind::Image => {
                to.write_all(&check_image(check, order, painter).map_err(io::Error::other)?.png)
            }
            kind => check::write(check, kind, order, to),
        };
    }
    let measured = shown.as_measured();
    let shown = measured.as_ref().unwrap_or(shown);
    match order.kind {
        ExportKind::File(format) => {
            let options = options(order);
            export::write(format, &shown.run, &shown.report, &options, to)
        }
        ExportKind::Image => {
            to.write_all(&image(shown, order, painter).map_err(io::Error::other)?.png)
        }
        ExportKind::Comparison => export::markdown::render(&comparison(ready, order), to),
    }
}

/// Draws the result of a run from which the names were taken.
fn image(
    shown: &LoadedRun,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
) -> Result<super::ExportImage, String> {
    let painter = painter.ok_or("images cannot be drawn without a window")?;
    let measured = shown.as_measured();
    let shown = measured.as_ref().unwrap_or(shown);
    match export::cleaned(&shown.run, &options(order)) {
        None => painter(ImageOf::Run(shown), order.is_dark),
        Some(run) => painter(ImageOf::Run(&LoadedRun::of(run, None)), order.is_dark),
    }
}

/// Draws a quick check, whose name is taken from the library.
fn check_image(
    check: &FinishedCheck,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
) -> Result<super::ExportImage, String> {
    let painter = painter.ok_or("images cannot be drawn without a window")?;
    painter(ImageOf::Check(&check::cleaned(check, order)), order.is_dark)
}

/// What the runs say of each other as they were measured, without the names that go.
fn comparison(ready: &ReadyExport, order: &ExportRequest) -> Vec<Block> {
    let Some(compared) = &ready.comparison else { return Vec::new() };
    let measured: Vec<Option<LoadedRun>> =
        compared.runs.iter().map(|shown| shown.as_measured()).collect();
    let runs = compared.runs.iter().zip(&measured);
    let evaluated: Vec<(&Run, &Report)> = runs
        .map(|(shown, measured)| measured.as_ref().unwrap_or(shown))
        .map(|shown| (shown.run.as_ref(), &shown.report))
        .collect();
    let mut blocks = if measured.iter().all(Option::is_none) {
        compare::document(&compared.comparison, &evaluated)
    } else {
        let baseline = compared.comparison.baseline;
        let comparison = repeats::compare(&evaluated, baseline, ready.store.as_ref());
        compare::document(&comparison, &evaluated)
    };
    if order.included_names != IncludedNames::Everything {
        let identity = Identity::here().without(order.included_names);
        for text in blocks.iter_mut().flat_map(Block::texts_mut) {
            *text = identity.skipped(text);
        }
    }
    blocks
}

/// Makes the file in memory as far as it is shown, and searches all of it.
pub(super) fn preview(
    ready: &ReadyExport,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Preview, String> {
    let shown = &ready.first;
    let file_name = file_name(ready, shown, order);
    let identity = Identity::here();
    if order.kind == ExportKind::Image {
        let image = match whole_check(ready, order) {
            Some(check) => check_image(check, order, painter)?,
            None => image(shown, order, painter)?,
        };
        let clean = export::cleaned(&shown.run, &options(order));
        let run = clean.as_ref().unwrap_or(&shown.run);
        let finds = identity.find(&format!("{} {}", run.name, run.machine.short()));
        let bytes = u64::try_from(image.png.len()).unwrap_or(u64::MAX);
        let image = Some(Arc::new(image));
        return Ok(Preview {
            file_name,
            bytes,
            text: String::new(),
            blocks: Vec::new(),
            is_cut: false,
            finds,
            image,
        });
    }
    let mut sieve = ScanningWriter::new(&identity, is_wanted);
    write(ready, shown, order, painter, &mut sieve).map_err(|error| error.to_string())?;
    sieve.search(true);
    let ScanningWriter { mut head, bytes, finds, .. } = sieve;
    let is_cut = u64::try_from(head.len()).is_ok_and(|shown| shown < bytes);
    if is_cut && let Some(end) = head.iter().rposition(|byte| *byte == b'\n') {
        head.truncate(end + 1);
    }
    let text = String::from_utf8_lossy(&head).into_owned();
    let blocks = match order.kind {
        kind if let Some(check) = whole_check(ready, order) => check::blocks(check, kind, order),
        ExportKind::File(format) => {
            let measured = shown.as_measured();
            let shown = measured.as_ref().unwrap_or(shown);
            export::blocks(format, &shown.run, &shown.report, &options(order))
        }
        ExportKind::Comparison => comparison(ready, order),
        ExportKind::Image => Vec::new(),
    };
    Ok(Preview { file_name, bytes, text, blocks, is_cut, finds, image: None })
}

/// Counts what is written, retains how it begins, and looks for names.
struct ScanningWriter<'a> {
    head: Vec<u8>,
    bytes: u64,
    /// What was not searched yet, after what is searched twice.
    pending: Vec<u8>,
    identity: &'a Identity,
    finds: Vec<NameMatch>,
    is_wanted: &'a dyn Fn() -> bool,
}

impl<'a> ScanningWriter<'a> {
    fn new(identity: &'a Identity, is_wanted: &'a dyn Fn() -> bool) -> Self {
        let (head, pending, finds) = (Vec::new(), Vec::new(), Vec::new());
        Self { head, bytes: 0, pending, identity, finds, is_wanted }
    }

    /// Searches what is pending up to the end of its last word, or all of it.
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
        let room = SHOWN_BYTES.saturating_sub(self.head.len()).min(bytes.len());
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

/// Writes one file, whole or not at all.
pub(super) fn write_one(
    ready: &ReadyExport,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
    path: &Path,
) -> Written {
    let mut written = Written { files: Vec::new(), errors: Vec::new() };
    write_to(ready, &ready.first, order, painter, path, &mut written);
    written
}

fn write_to(
    ready: &ReadyExport,
    shown: &LoadedRun,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
    path: &Path,
    written: &mut Written,
) {
    write_file(path, |to| write(ready, shown, order, painter, to), written);
    if order.kind != ExportKind::File(Format::CsvSummary) {
        return;
    }
    let measured = shown.as_measured();
    let LoadedRun { run, report, .. } = measured.as_ref().unwrap_or(shown);
    for (table, position) in report.tables.iter().zip(0..).skip(1) {
        let options = Options { table: position, ..options(order) };
        let path = export::table_path(path, table);
        write_file(
            &path,
            |to| export::write(Format::CsvSummary, run, report, &options, to),
            written,
        );
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
            store::SaveError::Write { source, path }
            | store::SaveError::Folder { source, path }
            | store::SaveError::Output { source, path },
        ) => {
            written.errors.push(format!("{source}: {}", path.display()));
        }
        Err(error @ store::SaveError::Waiting { .. }) => written.errors.push(error.to_string()),
    }
}

/// Writes a file of each run into a folder; one that cannot be opened is reported and omitted.
pub(super) fn write_all(
    ready: &ReadyExport,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
    folder: &Path,
) -> Written {
    let mut written = Written { files: Vec::new(), errors: Vec::new() };
    for member in &ready.members {
        let shown = match member {
            Member::Loaded(shown) => Ok(Arc::clone(shown)),
            Member::File(path) => LoadedRun::open(path).map(Arc::new),
        };
        match shown {
            Ok(shown) => {
                // The row was selected in the first run: in others it is elsewhere, or not at all.
                let selected = order.row.and_then(|row| ready.first.report.rows.get(row));
                let has = |row: &Configuration| {
                    selected.is_some_and(|selected| selected.label == row.label)
                };
                let row = shown.report.rows.iter().position(has);
                if selected.is_some() && row.is_none() {
                    let name = shown.path.as_deref().unwrap_or(Path::new("the run")).display();
                    written.errors.push(format!("it has no such configuration: {name}"));
                    continue;
                }
                let order = ExportRequest { row, ..*order };
                let path = folder.join(file_name(ready, &shown, &order));
                write_to(ready, &shown, &order, painter, &path, &mut written);
            }
            Err(error) => written.errors.push(error),
        }
    }
    written
}

/// What goes to the clipboard.
pub(super) fn copy(
    ready: &ReadyExport,
    order: &ExportRequest,
    painter: Option<ImageRenderer>,
) -> Result<ClipboardContent, String> {
    if order.kind == ExportKind::Image {
        let image = match whole_check(ready, order) {
            Some(check) => check_image(check, order, painter),
            None => image(&ready.first, order, painter),
        };
        return image.map(|image| ClipboardContent::ExportImage(Arc::new(image)));
    }
    let mut bytes = Vec::new();
    let mut limited = SizeLimitedWriter { bytes: &mut bytes };
    write(ready, &ready.first, order, painter, &mut limited).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map(ClipboardContent::Text).map_err(|error| error.to_string())
}

/// Takes as much as a clipboard can be asked to hold.
struct SizeLimitedWriter<'a> {
    bytes: &'a mut Vec<u8>,
}

impl Write for SizeLimitedWriter<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_wherever_the_text_is_cut_and_no_part_of_a_word_is() {
        let identity = Identity {
            hosts: vec!["anvil".to_owned()],
            users: vec!["eve".to_owned()],
            homes: vec!["/home/eve wood".to_owned()],
        };
        // "anviled" and "never" hold names, but not as words; long names count wherever they stand.
        let filler = "never, anviled; ".repeat(4_000);
        for (text, expected) in [
            (filler.clone(), 0),
            (format!("{filler}by eve {filler}"), 1),
            (format!("{filler} /home/eve wood on anvil {filler}"), 3),
        ] {
            for piece in [7, 1_000, 30_000] {
                let mut sieve = ScanningWriter::new(&identity, &|| true);
                for bytes in text.as_bytes().chunks(piece) {
                    sieve.write_all(bytes).unwrap();
                }
                sieve.search(true);
                let found: Vec<&str> = sieve.finds.iter().map(|find| find.what).collect();
                assert_eq!(found.len(), expected, "{found:?} in pieces of {piece}");
                assert_eq!(sieve.bytes, u64::try_from(text.len()).unwrap());
            }
        }
    }

    #[test]
    fn a_preview_that_is_no_longer_wanted_gives_up() {
        let identity = Identity::default();
        let mut sieve = ScanningWriter::new(&identity, &|| false);
        assert!(sieve.write_all(b"text").is_err());
    }
}
