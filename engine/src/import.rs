//! Reads captures of other programs, and runs that were exported.
//!
//! A file is rejected with a reason or read as far as possible: bad lines are counted and shown,
//! missing values stay missing. No file makes the reader panic, or use more than about four times
//! its size.

mod afterburner;
mod capframex;
mod columns;
mod counts;
mod cyclictest;
mod decode;
mod hgrm;
mod html;
mod imported;
mod into_run;
mod json;
mod lines;
mod mangohud;
mod presentmon;
mod rtla;
mod sensors;
mod sessions;
mod table;
mod text;

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::format::FormatError;
use lines::Header;

pub use imported::{
    BadLines, Content, ImportError, Imported, Options, ReportedMachine, Series, Source,
};
pub use table::{Column, Table, TimeUnit};

/// The largest run file that is opened; it is read piece by piece.
const MAX_RUN_BYTES: u64 = 4 << 30;
/// Maximum size of any other file, which is read whole.
const MAX_BYTES: u64 = 512 << 20;
/// What is read first, to recognize a file.
const HEAD_BYTES: usize = 64 << 10;

/// Reads a file.
pub fn read(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let mut file = File::open(path).map_err(ImportError::Read)?;
    let metadata = file.metadata().map_err(ImportError::Read)?;
    // The first lines identify it: no need to read a gigabyte of something else.
    let mut bytes = Vec::new();
    let head = u64::try_from(HEAD_BYTES).unwrap_or(u64::MAX);
    file.by_ref().take(head).read_to_end(&mut bytes).map_err(ImportError::Read)?;
    let is_json = matches!(kind_of(&decode::decode(&bytes)?)?, Kind::Json);
    let may_be_own = metadata.is_file() && is_json && metadata.len() <= MAX_BYTES;
    let is_own = json::begins_as_own(&bytes) || (may_be_own && json::is_own(&mut file));
    // A stream cannot be read twice, as a run file is.
    let mut imported = if metadata.is_file() && is_own {
        check_size(metadata.len(), MAX_RUN_BYTES)?;
        json::own_file(&mut file).map_err(|error| match error {
            FormatError::Unreadable { source } => ImportError::Read(source),
            error => ImportError::Format(error),
        })?
    } else {
        check_size(metadata.len(), MAX_BYTES)?;
        if metadata.is_file() {
            file.seek(SeekFrom::Start(u64::try_from(bytes.len()).unwrap_or(0)))
                .map_err(ImportError::Read)?;
        }
        let length = usize::try_from(metadata.len()).unwrap_or(0);
        bytes.reserve_exact(length.saturating_sub(bytes.len()));
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        // One byte more shows that there is more, in a stream without an end as well.
        let rest = (MAX_BYTES + 1).saturating_sub(size);
        file.take(rest).read_to_end(&mut bytes).map_err(ImportError::Read)?;
        from_bytes(&bytes, options)?
    };
    if imported.name.is_empty() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        imported.name = text::name(&stem.unwrap_or_default());
    }
    if imported.started_at.is_none() {
        let modified = metadata.modified().ok();
        imported.started_at = modified.and_then(|time| jiff::Timestamp::try_from(time).ok());
    }
    Ok(imported)
}

const fn check_size(bytes: u64, limit: u64) -> Result<(), ImportError> {
    if limit < bytes { Err(ImportError::TooLarge { limit }) } else { Ok(()) }
}

/// The likely kind of a file; its content decides when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DetectedKind {
    /// A run, or a capture in JSON.
    Json,
    /// A report with the run inside.
    Html,
    /// A table of frame times by a known program.
    FrameTimes,
    /// Counts of latencies by a known program.
    Histogram,
    /// A table; the user selects the column of frame times.
    Table,
    /// Nothing that can be imported.
    Nothing,
}

/// The likely kind of a file, by its first bytes, which alone are read.
pub fn detect_kind(path: &Path) -> io::Result<DetectedKind> {
    let mut head = Vec::new();
    let most = u64::try_from(HEAD_BYTES).unwrap_or(u64::MAX);
    File::open(path)?.take(most).read_to_end(&mut head)?;
    let Ok(text) = decode::decode(&head) else { return Ok(DetectedKind::Nothing) };
    Ok(match kind_of(&text) {
        Ok(Kind::Json) => DetectedKind::Json,
        Ok(Kind::Html) => DetectedKind::Html,
        Ok(Kind::Afterburner | Kind::FrameLog(_)) => DetectedKind::FrameTimes,
        Ok(Kind::Cyclictest | Kind::Rtla | Kind::Hgrm) => DetectedKind::Histogram,
        Ok(Kind::Columns(_)) => DetectedKind::Table,
        Err(_) => DetectedKind::Nothing,
    })
}

/// Reads the content of a file.
pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Imported, ImportError> {
    check_size(u64::try_from(bytes.len()).unwrap_or(u64::MAX), MAX_BYTES)?;
    let text = decode::decode(bytes)?;
    match kind_of(&text)? {
        Kind::Json => json::read(&text),
        Kind::Html => html::read(&text),
        Kind::Afterburner => afterburner::read(&text),
        Kind::Cyclictest => cyclictest::read_text(&text, options),
        Kind::Rtla => rtla::read(&text),
        Kind::Hgrm => hgrm::read(&text, options),
        Kind::FrameLog(header) if header.position("application").is_some() => {
            presentmon::read(&text, &header, options)
        }
        Kind::FrameLog(header) => mangohud::read(&text, &header),
        Kind::Columns(table) => match &options.column {
            Some(column) => columns::read(&text, &table, column),
            None => Err(ImportError::WhichColumn(table)),
        },
    }
}

/// How a file is to be read.
enum Kind {
    Json,
    Html,
    Afterburner,
    Cyclictest,
    Rtla,
    Hgrm,
    FrameLog(Header),
    Columns(Box<Table>),
}

fn kind_of(text: &[u8]) -> Result<Kind, ImportError> {
    let head = text.get(..HEAD_BYTES.min(text.len())).unwrap_or_default();
    Ok(match head.trim_ascii_start().first() {
        None => return Err(ImportError::Unknown),
        Some(b'{') => Kind::Json,
        Some(b'<') => Kind::Html,
        Some(_) if afterburner::is_log(head) => Kind::Afterburner,
        Some(_) if rtla::is_histogram(head) => Kind::Rtla,
        Some(_) if hgrm::is_listing(head) => Kind::Hgrm,
        Some(_) if cyclictest::is_text(head) => Kind::Cyclictest,
        Some(_) => match Header::find(head) {
            Some(header) => Kind::FrameLog(header),
            None => Kind::Columns(Box::new(Table::of(head).ok_or(ImportError::Unknown)?)),
        },
    })
}
