//! Reads frame times of other programs, and runs that were exported, to hold beside one's own.
//!
//! A file is refused in words or read as far as it can be: bad lines are counted and shown, missing values
//! stay missing. No file makes the reader panic, or take much longer or much more memory than its size.

mod capframex;
mod columns;
mod csv;
mod cyclictest;
mod html;
mod into_run;
mod json;
mod mangohud;
mod presentmon;
mod text;

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use crate::format::FormatError;
use crate::nanos::Nanos;
use crate::run::Run;

pub use columns::{Column, Table, TimeUnit};

/// The largest file that is opened.
const MOST_BYTES: u64 = 4 << 30;
/// What is read first, to tell what a file is.
const HEAD_BYTES: usize = 64 << 10;
/// Letters of a name that are kept.
const MOST_LETTERS: usize = 200;
/// Bad lines of which the reason is kept.
const BAD_LINES_SHOWN: usize = 10;

/// Which kind of file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A run file, or an exported run.
    Json,
    /// A report with the run inside.
    Html,
    /// A log of MangoHud.
    MangoHud,
    /// A CSV of PresentMon, of any of its generations.
    PresentMon,
    /// A capture of CapFrameX.
    CapFrameX,
    /// The JSON of cyclictest.
    Cyclictest,
    /// Any CSV with a column of frame times.
    Columns,
}

impl Source {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Json,
        Self::Html,
        Self::MangoHud,
        Self::PresentMon,
        Self::CapFrameX,
        Self::Cyclictest,
        Self::Columns,
    ];

    /// The words on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Json => "Jitterscope JSON",
            Self::Html => "Jitterscope HTML report",
            Self::MangoHud => "MangoHud log",
            Self::PresentMon => "PresentMon CSV",
            Self::CapFrameX => "CapFrameX JSON",
            Self::Cyclictest => "cyclictest JSON",
            Self::Columns => "CSV with a column of frame times",
        }
    }
}

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot be read: {source}: {}", path.display())]
    Read {
        /// What the system said.
        #[source]
        source: io::Error,
        /// The file.
        path: PathBuf,
    },
    /// The file is larger than any that is read.
    #[error("too large to be imported ({bytes} bytes)")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// It is none of the kinds that are read.
    #[error(
        "not a kind of file that can be imported; these can: Jitterscope JSON and HTML, MangoHud \
         log, PresentMon CSV, CapFrameX JSON, cyclictest JSON, any CSV with a column of numbers"
    )]
    Unknown,
    /// It has columns, and which of them is the frame time is not known.
    #[error("no column that is known to be the frame time; name one of: {}", .0.columns.join(", "))]
    WhichColumn(Box<Table>),
    /// The column that was asked for is not in the file.
    #[error("no column '{wanted}' in it; there are: {}", there.join(", "))]
    NoColumn {
        /// What was asked for.
        wanted: String,
        /// What there is.
        there: Vec<String>,
    },
    /// It is of a kind that is read, but damaged.
    #[error("{0}")]
    Format(#[from] FormatError),
    /// It is a page without a run inside.
    #[error("this page holds no run; only reports that Jitterscope wrote do")]
    NoRun,
    /// No line holds a frame time.
    #[error("no frame time in it; {bad_count} lines cannot be read")]
    NoFrames {
        /// Lines that cannot be read.
        bad_count: u64,
    },
    /// The process that was asked for is not in the file.
    #[error("no process '{wanted}' in it; there are: {}", there.join(", "))]
    NoProcess {
        /// What was asked for.
        wanted: String,
        /// What there is.
        there: Vec<String>,
    },
}

/// What to take of a file that holds several things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The process to take, by name or number, where a file holds several; the busiest where none is
    /// named.
    pub process: Option<String>,
    /// The column of frame times, where no known program wrote the file.
    pub column: Option<Column>,
}

/// A process whose frames a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its number, as the file writes it.
    pub id: String,
    /// Where it drew, as the file writes it; one process may draw in several places.
    pub swap_chain: String,
    /// Its frames.
    pub frame_count: usize,
}

/// Lines, or values, that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadLines {
    /// How many there are.
    pub count: u64,
    /// The first of them: number and reason.
    pub first: Vec<(u64, &'static str)>,
}

impl BadLines {
    fn add(&mut self, line: u64, reason: &'static str) {
        self.count += 1;
        if self.first.len() < BAD_LINES_SHOWN {
            self.first.push((line, reason));
        }
    }
}

/// What a file tells of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The processor.
    pub processor: Option<String>,
    /// The operating system.
    pub os: Option<String>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// The frequency governor.
    pub governor: Option<String>,
}

/// A column of frame times in nanoseconds; missing ones stand as such. Eight bytes a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameTimes(Vec<i64>);

/// Stands for a frame whose time is missing.
const MISSING: i64 = i64::MIN;

impl FrameTimes {
    fn push(&mut self, time: Option<Nanos>) {
        self.0.push(time.map_or(MISSING, Nanos::get));
    }

    /// Every frame in order; `None` where its time is missing.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<Nanos>> + '_ {
        self.0.iter().map(|&nanos| (nanos != MISSING).then_some(Nanos::new(nanos)))
    }

    /// How many frames there are, missing times included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The frame times that are there.
    fn present(&self) -> impl Iterator<Item = i64> + '_ {
        self.0.iter().copied().filter(|&nanos| nanos != MISSING)
    }
}

/// The lateness of one thread, in no order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Names it.
    pub label: String,
    /// The values that are kept, ascending, in nanoseconds.
    pub late_nanos: Vec<i64>,
    /// Wake-ups whose lateness the file does not tell.
    pub lost_count: u64,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A whole run.
    Run(Box<Run>),
    /// Frame times, a column a recording.
    Frames(Vec<FrameTimes>),
    /// Lateness of threads that woke every so often.
    Latencies {
        /// How often.
        interval: Nanos,
        /// The threads.
        threads: Vec<Thread>,
    },
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Which kind it is.
    pub source: Source,
    /// What to call it: the game, the process or the file.
    pub name: String,
    /// When it was measured, where the file tells.
    pub started_at: Option<jiff::Timestamp>,
    /// What it tells of the machine.
    pub told: Told,
    /// Every process in it, the busiest first; empty for kinds without processes.
    pub processes: Vec<Process>,
    /// Which of them was taken.
    pub chosen: Option<usize>,
    /// What it holds.
    pub content: Content,
    /// What could not be read.
    pub bad_lines: BadLines,
    /// What a reader should know: a sentence each.
    pub notes: Vec<String>,
}

impl Imported {
    fn new(source: Source, content: Content) -> Self {
        Self {
            source,
            name: String::new(),
            started_at: None,
            told: Told::default(),
            processes: Vec::new(),
            chosen: None,
            content,
            bad_lines: BadLines::default(),
            notes: Vec::new(),
        }
    }

    /// The frame times of every recording; empty for a kind that holds none.
    pub fn frame_times(&self) -> &[FrameTimes] {
        match &self.content {
            Content::Frames(recordings) => recordings,
            Content::Run(_) | Content::Latencies { .. } => &[],
        }
    }

    /// As a run that can be judged, kept and compared.
    ///
    /// A run of this program comes back as it was. Frame times become a frame loop whose frames were due
    /// one median frame time after the one before: its *lateness* is frame time less the median, negative
    /// for a fast frame; nothing was asked of the system, and the machine is what the file tells.
    /// Latencies of cyclictest become the lateness of a loop at its interval, in ascending order.
    pub fn into_run(self) -> Run {
        into_run::into_run(self)
    }
}

/// Reads a file.
pub fn read(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let read_error = |source| ImportError::Read { source, path: path.to_owned() };
    let mut file = File::open(path).map_err(read_error)?;
    let metadata = file.metadata().map_err(read_error)?;
    if MOST_BYTES < metadata.len() {
        return Err(ImportError::TooLarge { bytes: metadata.len() });
    }
    // What it is shows in its first lines: no need to read a gigabyte of something else.
    let mut bytes = Vec::new();
    let head = u64::try_from(HEAD_BYTES).unwrap_or(u64::MAX);
    file.by_ref().take(head).read_to_end(&mut bytes).map_err(read_error)?;
    kind_of(&text::decode(&bytes)?)?;
    let mut imported = if json::is_own(&bytes) {
        file.rewind().map_err(read_error)?;
        json::own_file(&mut file).map_err(|error| match error {
            FormatError::Damaged { source } if source.is_io() => read_error(source.into()),
            error => ImportError::Format(error),
        })?
    } else {
        let length = usize::try_from(metadata.len()).unwrap_or(0);
        bytes.reserve_exact(length.saturating_sub(bytes.len()));
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(read_error)?;
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

/// What a file is likely to be taken for; what is in it decides when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Likely {
    /// A run, or a capture in JSON.
    Json,
    /// A report with the run inside.
    Html,
    /// A table of frame times by a program that is known.
    FrameTimes,
    /// A table of which a person says which column is the frame time.
    Table,
    /// Nothing that can be imported.
    Nothing,
}

/// What a file is likely to be, by its first bytes, which alone are read.
pub fn likely(path: &Path) -> io::Result<Likely> {
    let mut head = Vec::new();
    let most = u64::try_from(HEAD_BYTES).unwrap_or(u64::MAX);
    File::open(path)?.take(most).read_to_end(&mut head)?;
    let Ok(text) = text::decode(&head) else { return Ok(Likely::Nothing) };
    Ok(match kind_of(&text) {
        Ok(Kind::Json) => Likely::Json,
        Ok(Kind::Html) => Likely::Html,
        Ok(Kind::Csv) => Likely::FrameTimes,
        Ok(Kind::Columns(_)) => Likely::Table,
        Err(_) => Likely::Nothing,
    })
}

/// Reads the content of a file.
pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Imported, ImportError> {
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if MOST_BYTES < size {
        return Err(ImportError::TooLarge { bytes: size });
    }
    let text = text::decode(bytes)?;
    match kind_of(&text)? {
        Kind::Json => json::read(&text),
        Kind::Html => html::read(&text),
        Kind::Csv => csv::read(&text, options),
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
    Csv,
    Columns(Box<Table>),
}

fn kind_of(text: &[u8]) -> Result<Kind, ImportError> {
    let head = text.get(..HEAD_BYTES.min(text.len())).unwrap_or_default();
    match head.trim_ascii_start().first() {
        Some(b'{') => Ok(Kind::Json),
        Some(b'<') => Ok(Kind::Html),
        Some(_) if csv::has_header(head) => Ok(Kind::Csv),
        _ => match Table::of(head) {
            Some(table) => Ok(Kind::Columns(Box::new(table))),
            None => Err(ImportError::Unknown),
        },
    }
}
