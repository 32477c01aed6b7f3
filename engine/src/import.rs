//! Imports captures of other programs, and exported runs.
//!
//! A file is rejected with a reason or read as far as possible: bad lines are counted and reported,
//! missing values remain missing. No file causes a panic. Memory use is at most about four times
//! the size of the file; for a large table, a fraction of it.

mod afterburner;
mod blocks;
mod capframex;
mod counts;
mod cyclictest;
mod decode;
mod file_date;
mod followed_log;
mod frames;
mod hgrm;
mod html;
mod imported;
mod into_run;
mod json;
mod known;
mod lines;
mod oslat;
mod per_frame;
mod row;
mod row_clock;
mod rtla;
mod scale;
mod sensors;
mod sessions;
mod source;
mod table;
mod text;
mod time_unit;

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::format::checksum::{Checked, verify_file};
use crate::format::{Family, FormatError};
use crate::platform::open_named;

use blocks::{BLOCK_BYTES, Blocks};
pub use followed_log::{FollowedLog, LogNews, LogSource};
pub use frames::follow::{LogReader, LogRow};
pub use imported::{BadLines, Content, ImportError, Imported, Options, Series};
pub use source::Source;
pub use table::{Column, Table};
pub use time_unit::TimeUnit;

/// Maximum size of a run file, which is read piece by piece.
const MAX_RUN_BYTES: u64 = 4 << 30;
/// Maximum size of any other file. Text is read block by block, HTML at once.
const MAX_BYTES: u64 = 512 << 20;
/// Number of bytes read first, to detect the kind of file.
const HEAD_BYTES: usize = 64 << 10;

/// Imports a file: a run of this program, or a capture of another program.
pub fn read(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    if path.is_dir() {
        return Err(ImportError::Known("a folder; name the files in it"));
    }
    let mut file = open_named(path).map_err(ImportError::Read)?;
    let metadata = file.metadata().map_err(ImportError::Read)?;
    // The first bytes identify the kind of file: unsupported files are not read completely.
    let mut bytes = Vec::new();
    let head = u64::try_from(HEAD_BYTES).unwrap_or(u64::MAX);
    file.by_ref().take(head).read_to_end(&mut bytes).map_err(ImportError::Read)?;
    let kind = kind_of(&decode::decode(&bytes)?)?;
    let is_json = matches!(kind, FileKind::Json);
    if is_json {
        kind.check(options)?;
    }
    // A stream cannot be read again from its beginning.
    let is_file = metadata.is_file();
    let is_small = metadata.len() <= MAX_BYTES;
    let family = json::own_format(&bytes)
        .or_else(|| (is_file && is_json && is_small).then(|| json::find_family(&mut file))?)
        .filter(|_| is_file);
    // A JSON file that is not in UTF-8 is decoded first, at once.
    let piece_by_piece = match family {
        Some(family @ (Family::Run | Family::Check)) => {
            check_size(metadata.len(), MAX_RUN_BYTES)?;
            let read = json::own(family, &mut file, Source::Json);
            Some(read.map_err(|error| match error {
                FormatError::Unreadable { source } => ImportError::Read(source),
                error => ImportError::Format(error),
            })?)
        }
        Some(Family::CapFrameX) => within_limits(capframex::read(&mut file))?,
        Some(Family::Cyclictest) => {
            within_limits(cyclictest::read_json(&mut file, Source::Cyclictest))?
        }
        Some(Family::Jitterdebugger) => {
            within_limits(cyclictest::read_json(&mut file, Source::Jitterdebugger))?
        }
        _ => None,
    };
    let mut imported = if let Some(imported) = piece_by_piece {
        imported
    } else {
        check_size(metadata.len(), MAX_BYTES)?;
        if is_file {
            file.seek(SeekFrom::Start(u64::try_from(bytes.len()).unwrap_or(0)))
                .map_err(ImportError::Read)?;
        }
        read_other(file, bytes, metadata.len(), options)?
    };
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    imported.file = text::name(&stem);
    if imported.name.is_empty() {
        imported.name.clone_from(&imported.file);
    }
    if imported.started_at.is_none() {
        (imported.started_at, imported.wall_clock) = file_date::wall_clock(&stem);
    }
    if imported.started_at.is_none() {
        let modified = metadata.modified().ok();
        imported.started_at = modified.and_then(|time| jiff::Timestamp::try_from(time).ok());
    }
    Ok(imported)
}

/// Returns what was read piece by piece; `None` if the file is read again at once, since it may only be in another encoding.
/// A file that exceeds a limit is not.
fn within_limits(read: Result<Imported, ImportError>) -> Result<Option<Imported>, ImportError> {
    match read {
        Err(error) if error.is_of_limit() => Err(error),
        read => Ok(read.ok()),
    }
}

/// Imports a file that is no run file, of which `bytes` are read: a large text block by block, any other file at once.
fn read_other(
    mut file: impl io::Read,
    mut bytes: Vec<u8>,
    length: u64,
    options: &Options,
) -> Result<Imported, ImportError> {
    let mut read_up_to = |bytes: &mut Vec<u8>, limit: u64| {
        let rest = limit.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        file.by_ref().take(rest).read_to_end(bytes).map_err(ImportError::Read)
    };
    let block = u64::try_from(BLOCK_BYTES).unwrap_or(u64::MAX);
    read_up_to(&mut bytes, block)?;
    let is_whole = bytes.len() < BLOCK_BYTES;
    let is_by_blocks = |kind| !matches!(kind, FileKind::Json | FileKind::Html);
    if !is_whole && is_by_blocks(kind_of(&decode::decode(&bytes)?)?) {
        let (first, rest) = Blocks::after(bytes, &mut file, BLOCK_BYTES)?;
        return of_text(&decode::decode(&first)?, Some(rest), options);
    }
    bytes.reserve_exact(usize::try_from(length).unwrap_or(0).saturating_sub(bytes.len()));
    // Reading one byte more than the limit detects a larger file, even for an endless stream.
    read_up_to(&mut bytes, MAX_BYTES + 1)?;
    from_bytes(&bytes, options)
}

/// Whether a file is as it was exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// The file is as it was exported.
    Intact,
    /// The file was changed after it was exported.
    Edited,
    /// An HTML page was changed after it was exported, but not the runs in it.
    PageEdited,
    /// The file is as it was exported, but a run in it was edited before.
    EditedBefore,
    /// The file has no checksum.
    NoChecksum,
}

/// Compares a file with its checksum, and with what its runs state.
pub fn verify(path: &Path) -> Result<Verified, ImportError> {
    let mut file = open_named(path).map_err(ImportError::Read)?;
    let found = verify_file(&mut file).map_err(ImportError::Read)?;
    let imported = read(path, &Options::default()).ok();
    let is_edited = imported.as_ref().map(Imported::is_edited);
    Ok(match (found, is_edited) {
        (Checked::Edited, Some(false)) => Verified::PageEdited,
        (Checked::Edited, _) | (Checked::Absent, Some(true)) => Verified::Edited,
        (Checked::Intact, Some(true)) => Verified::EditedBefore,
        (Checked::Intact, _) => Verified::Intact,
        (Checked::Absent, _) => Verified::NoChecksum,
    })
}

const fn check_size(bytes: u64, limit: u64) -> Result<(), ImportError> {
    if limit < bytes { Err(ImportError::TooLarge { limit }) } else { Ok(()) }
}

/// The likely kind of a file, judged by its first bytes. The import of the whole file may still fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DetectedKind {
    /// A run, or a capture in JSON.
    Json,
    /// HTML, such as a report of this program that contains its run.
    Html,
    /// A log of frame times in the format of a known program.
    FrameTimes,
    /// A histogram of latencies in the format of a known program.
    Histogram,
    /// A table of another program; the user selects the column of frame times.
    Table,
    /// A file that cannot be imported.
    Nothing,
}

/// Returns the likely kind of a file; only its first bytes are read.
pub fn detect_kind(path: &Path) -> io::Result<DetectedKind> {
    let mut head = Vec::new();
    let most = u64::try_from(HEAD_BYTES).unwrap_or(u64::MAX);
    open_named(path)?.take(most).read_to_end(&mut head)?;
    let Ok(text) = decode::decode(&head) else { return Ok(DetectedKind::Nothing) };
    Ok(match kind_of(&text) {
        Ok(FileKind::Json) => DetectedKind::Json,
        Ok(FileKind::Html) => DetectedKind::Html,
        Ok(FileKind::Afterburner) => DetectedKind::FrameTimes,
        Ok(FileKind::Cyclictest | FileKind::Oslat | FileKind::Rtla | FileKind::Hgrm) => {
            DetectedKind::Histogram
        }
        Ok(FileKind::Table(table)) if table.frame_column().is_some() => DetectedKind::FrameTimes,
        Ok(FileKind::Table(_)) => DetectedKind::Table,
        Err(_) => DetectedKind::Nothing,
    })
}

/// Imports a file whose whole content is in `bytes`.
pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Imported, ImportError> {
    check_size(u64::try_from(bytes.len()).unwrap_or(u64::MAX), MAX_BYTES)?;
    of_text(&decode::decode(bytes)?, None, options)
}

/// Imports a decoded file; a table or log continues with the blocks after its text.
fn of_text(
    text: &[u8],
    rest: Option<Blocks<'_>>,
    options: &Options,
) -> Result<Imported, ImportError> {
    let kind = kind_of(text)?;
    kind.check(options)?;
    let read = match &kind {
        FileKind::Json => json::read(text),
        FileKind::Html => html::read(text),
        FileKind::Afterburner => afterburner::read(text, rest),
        FileKind::Cyclictest => cyclictest::read_text(text, rest, options),
        FileKind::Oslat => oslat::read(text, rest),
        FileKind::Rtla => rtla::read(text, rest),
        FileKind::Hgrm => hgrm::read(text, rest, options),
        FileKind::Table(table) => frames::read(text, rest, table, options),
    };
    read.map_err(|error| match error {
        ImportError::NoValues { bad_count: 0 }
            if !matches!(kind, FileKind::Json | FileKind::Table(_)) =>
        {
            ImportError::OnlyHeader { what: kind.words().0.to_owned() }
        }
        error => error,
    })
}

/// The kind of a file, which determines the parser.
enum FileKind {
    Json,
    Html,
    Afterburner,
    Cyclictest,
    Oslat,
    Rtla,
    Hgrm,
    Table(Box<Table>),
}

impl FileKind {
    /// Returns what a file of this kind is, and whether its unit can be an option.
    const fn words(&self) -> (&'static str, bool) {
        match self {
            Self::Table(_) => ("a table", true),
            Self::Json => ("a JSON file", false),
            Self::Html => ("an HTML report", false),
            Self::Afterburner => ("an Afterburner log", false),
            Self::Cyclictest => ("a cyclictest histogram", true),
            Self::Oslat => ("an oslat histogram", false),
            Self::Rtla => ("an rtla histogram", false),
            Self::Hgrm => ("an HdrHistogram percentile listing", true),
        }
    }

    /// Returns an error if an option does not apply to this kind of file: no option is ignored.
    fn check(&self, options: &Options) -> Result<(), ImportError> {
        if matches!(self, Self::Table(_)) {
            return Ok(());
        }
        let (what, has_unit) = self.words();
        let given = [
            ("--process", options.process.is_some()),
            ("--swap-chain", options.swap_chain.is_some()),
            ("--column", options.column.is_some()),
            ("--unit", options.unit.is_some() && !has_unit),
            ("--per-frame", options.is_per_frame == Some(true)),
            ("--ticks", options.are_ticks),
            (
                "--sampled",
                options.is_per_frame == Some(false) && !matches!(self, Self::Afterburner),
            ),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(ImportError::NoOption { option, what: what.to_owned() }),
            None => Ok(()),
        }
    }
}

fn kind_of(text: &[u8]) -> Result<FileKind, ImportError> {
    let head = text.get(..HEAD_BYTES.min(text.len())).unwrap_or_default();
    Ok(match head.trim_ascii_start().first() {
        None => return Err(ImportError::Empty),
        Some(b'{') => FileKind::Json,
        Some(b'[') if is_json_list(head) => return Err(ImportError::Known(json::UNKNOWN)),
        Some(b'<') => FileKind::Html,
        Some(_) if afterburner::is_log(head) => FileKind::Afterburner,
        Some(_) if rtla::is_histogram(head) => FileKind::Rtla,
        Some(_) if hgrm::is_listing(head) => FileKind::Hgrm,
        Some(_) if oslat::is_text(head) => FileKind::Oslat,
        Some(_) if cyclictest::is_text(head) => FileKind::Cyclictest,
        Some(_) if has(head, HISTOGRAM_LOG) => return Err(ImportError::Known(NO_LISTING)),
        Some(_) => FileKind::Table(Box::new(Table::of(head).ok_or_else(|| unknown(head))?)),
    })
}

/// Whether a file begins like a list of objects in JSON, which none of the known programs writes.
fn is_json_list(head: &[u8]) -> bool {
    let inner = head.trim_ascii_start().strip_prefix(b"[").unwrap_or_default();
    inner.trim_ascii_start().starts_with(b"{")
}

/// Texts without a value that is read, by words in them.
const KNOWN_TEXTS: [(&[u8], &str); 3] = [
    (b"Timer Latency", "output of rtla timerlat top; record with rtla timerlat hist"),
    (b"Operating System Noise", "output of rtla osnoise top; record with rtla osnoise hist"),
    (
        b"benchmark completed, ",
        "a summary of an RTSS benchmark; record every frame with CapFrameX or PresentMon",
    ),
];
/// Words in the first line of a log of HdrHistogram, whose histograms are compressed.
const HISTOGRAM_LOG: &[u8] = b"[Histogram log format version";
const NO_LISTING: &str = "a log of HdrHistogram with compressed histograms; make a percentile listing of it with its \
    HistogramLogProcessor";

fn has(text: &[u8], words: &[u8]) -> bool {
    text.windows(words.len()).any(|part| part == words)
}

/// Returns why a text that is no table is not read.
fn unknown(head: &[u8]) -> ImportError {
    if let Some((_, what)) = KNOWN_TEXTS.iter().find(|(words, _)| has(head, words)) {
        return ImportError::Known(what);
    }
    match Table::program_of_header(head) {
        Source::Columns => ImportError::Unknown,
        source => ImportError::OnlyHeader { what: source.with_article() },
    }
}
