//! Types that all importers share: the content of a file, import options, and errors.

use std::io;

pub(super) use super::source::Source;
use super::table::{Column, Table};
use super::time_unit::TimeUnit;
use crate::format::FormatError;
use crate::machine::Machine;
use crate::run::{Capture, Run};
use crate::units::{count_text, shortened};

/// Maximum number of bad lines whose reason is recorded.
const MAX_REASONS: usize = 10;
/// Maximum number of column names in a message.
const MAX_NAMES: usize = 20;

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The file is larger than the limit.
    #[error("too large to be imported: more than {} MiB", limit >> 20)]
    TooLarge {
        /// The maximum size in bytes.
        limit: u64,
    },
    /// The file has more rows than the limit.
    #[error("too many frames to be imported: more than {limit}")]
    TooManyRows {
        /// The maximum number of rows.
        limit: u64,
    },
    /// The file is of no supported kind.
    #[error("unsupported file; supported formats: {}", supported())]
    Unknown,
    /// The file is a table, but it is unknown which column is the frame time.
    #[error("no known frame time column; name one of: {}", listed(&.0.columns))]
    WhichColumn(Box<Table>),
    /// The column of frame times is known, but neither its name nor its values show the unit.
    #[error(
        "the values of '{column}' are no plausible frame times in ms; name their unit with --unit"
    )]
    WhichUnit {
        /// The column.
        column: String,
        /// The table, to select column and unit.
        table: Box<Table>,
    },
    /// The column has frame rates, and nothing shows whether a row is a frame or an interval.
    #[error(
        "'{column}' has no times: a row may be a frame or an interval; name it with --per-frame or --sampled"
    )]
    WhichRows {
        /// The column.
        column: String,
        /// The table, to select what a row is.
        table: Box<Table>,
    },
    /// The file is of a known program, but its content is not what this program writes.
    #[error("{what}, but damaged in line {line}{limit}")]
    Damaged {
        /// What the file is, with an article.
        what: String,
        /// The number of the line, counted from 1.
        line: usize,
        /// The limit that the file exceeds, after a colon; empty if it exceeds none.
        limit: String,
    },
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file is of a known kind that has nothing to import.
    #[error("{0}")]
    Known(&'static str),
    /// An option does not apply to this kind of file.
    #[error("{option} does not apply to {what}")]
    NoOption {
        /// The option as on the command line.
        option: &'static str,
        /// The kind of the file, with an article.
        what: String,
    },
    /// The column that was requested is not in the file.
    #[error("no column '{}'; there are: {}", shortened(wanted), listed(there))]
    NoColumn {
        /// The requested column.
        wanted: String,
        /// The columns in the file.
        there: Vec<String>,
    },
    /// The file is of a supported kind, but damaged.
    #[error("{0}")]
    Format(#[from] FormatError),
    /// The file is an HTML page that contains no run.
    #[error("this HTML file contains no run; only reports written by Jitterscope do")]
    NoRun,
    /// The file has a header, and nothing after it.
    #[error("{what} that ends before its first value")]
    OnlyHeader {
        /// What the file is, with an article.
        what: String,
    },
    /// The file has rows, but none has a value in the column of frame times.
    #[error("{what} without a frame time: every value is missing or 0")]
    NoFrameTimes {
        /// What the file is, with an article.
        what: String,
    },
    /// The file is a result of a program of rt-tests whose values are not read.
    #[error("a result of {program} without a histogram; those of cyclictest and oslat are read")]
    NoHistogram {
        /// The program.
        program: String,
    },
    /// No line contains a value.
    #[error("no frame times or counts found{}", unread(*bad_count))]
    NoValues {
        /// Number of lines that cannot be read.
        bad_count: u64,
    },
    /// The requested process or swap chain is not in the file.
    #[error("no '{}' found; there are: {}", shortened(wanted), there.join("; "))]
    NoSeries {
        /// The requested process or swap chain.
        wanted: String,
        /// The processes and swap chains in the file.
        there: Vec<String>,
    },
}

impl ImportError {
    /// Whether the file exceeds a limit, which it does in any encoding.
    pub(super) const fn is_of_limit(&self) -> bool {
        match self {
            Self::TooManyRows { .. } => true,
            Self::Damaged { limit, .. } => !limit.is_empty(),
            _ => false,
        }
    }

    /// Returns the error for JSON of a known program that cannot be read: its line, without the words of a parser.
    pub(super) fn damaged(source: Source, error: FormatError) -> Self {
        match error {
            FormatError::Damaged { line, source: reason, .. } => {
                // Other reasons are those of a parser: "invalid type: null".
                let limit = reason.to_string();
                let limit = limit.starts_with("more than").then(|| format!(": {limit}"));
                let what = source.with_article();
                Self::Damaged { what, line, limit: limit.unwrap_or_default() }
            }
            error => Self::Format(error),
        }
    }
}

/// Returns the first names of a list, and how many more there are.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown}, and {more} more"),
    }
}

/// Returns how many lines cannot be read, as the end of a sentence; empty if all can.
fn unread(bad_count: u64) -> String {
    match bad_count {
        0 => String::new(),
        count => format!("; {} cannot be read", count_text(count, "lines")),
    }
}

fn supported() -> String {
    Source::ALL.map(Source::label).join(", ")
}

/// What to import from a file with several series or columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The process to import, by name or by process ID. By default, the process with the most frames,
    /// except the compositor.
    pub process: Option<String>,
    /// The swap chain to import, by its address, if the process has several. By default, the swap chain
    /// with the most frames.
    pub swap_chain: Option<String>,
    /// The column of frame times in a table of another program.
    pub column: Option<Column>,
    /// The unit of the values in a percentile listing or in a text histogram of cyclictest, since
    /// these files have no unit. The default is microseconds, or nanoseconds if the values of
    /// cyclictest are too large for microseconds.
    pub unit: Option<TimeUnit>,
    /// Whether each row of a table is a frame, or else a reading of an interval. By default, the file
    /// decides.
    pub is_per_frame: Option<bool>,
    /// Whether each row of a table is a tick of a server. By default, the name of the column decides.
    pub are_ticks: bool,
}

/// Frames that one process presented to one swap chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The name of the process.
    pub process: String,
    /// The process ID, as in the file.
    pub id: String,
    /// The address of the swap chain, as in the file.
    pub swap_chain: String,
    /// The number of frames.
    pub frame_count: usize,
}

impl Series {
    /// Returns a short description: "game.exe (1564), swap chain 0x2, 1800 frames".
    pub fn words(&self) -> String {
        let Self { process, id, swap_chain, frame_count } = self;
        let id = if id.is_empty() { String::new() } else { format!(" ({id})") };
        let chain = match swap_chain.as_str() {
            "" => String::new(),
            chain => format!(", swap chain {chain}"),
        };
        format!("{process}{id}{chain}, {frame_count} frames")
    }

    /// Returns the options that select exactly this series.
    pub fn options(&self) -> Options {
        let named = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Options {
            process: named(&self.id).or_else(|| named(&self.process)),
            swap_chain: named(&self.swap_chain),
            ..Options::default()
        }
    }
}

/// Lines or values that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadLines {
    /// The number of all lines and values that could not be read.
    pub count: u64,
    /// Line number and reason of the first 10 of these lines and values.
    pub first: Vec<(u64, &'static str)>,
}

impl BadLines {
    pub(super) fn add(&mut self, line: u64, reason: &'static str) {
        self.count += 1;
        if self.first.len() < MAX_REASONS {
            self.first.push((line, reason));
        }
    }

    /// Adds other lines of the same file.
    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.sort_by_key(|(line, _)| *line);
        self.first.truncate(MAX_REASONS);
    }
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A run of this program, with all its facts.
    Run(Box<Run>),
    /// A quick check of this program, with its runs; at least one.
    Check(Vec<Run>),
    /// A capture of another program.
    Capture(Capture),
}

/// An imported file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The kind of the file.
    pub source: Source,
    /// The name of the recording: the game, the process, or the file.
    pub name: String,
    /// The name of the file without its extension; empty if the content did not come from a file.
    pub file: String,
    /// When the recording began; absent if the file has no date.
    pub started_at: Option<jiff::Timestamp>,
    /// The same by the wall clock of the PC that recorded it, if the file states no time zone.
    pub wall_clock: Option<jiff::civil::DateTime>,
    /// Facts about the machine of the capture, as far as the imported file has them.
    pub machine: Machine,
    /// All series of frames in the file, the default one first; empty for kinds of files without
    /// processes.
    pub series: Vec<Series>,
    /// The position of the imported series in `series`; `None` for kinds of files without processes.
    pub selected: Option<usize>,
    /// The content of the file.
    pub content: Content,
    /// Lines that could not be read.
    pub bad_lines: BadLines,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
}

impl Imported {
    pub(super) fn new(source: Source, content: Content) -> Self {
        Self {
            source,
            name: String::new(),
            file: String::new(),
            started_at: None,
            wall_clock: None,
            machine: Machine::default(),
            series: Vec::new(),
            selected: None,
            content,
            bad_lines: BadLines::default(),
            notes: Vec::new(),
        }
    }

    /// Returns the runs of a file of this program; empty for a capture.
    pub fn own_runs(&self) -> &[Run] {
        match &self.content {
            Content::Run(run) => std::slice::from_ref(run),
            Content::Check(runs) => runs,
            Content::Capture(_) => &[],
        }
    }

    /// Whether a run in the file was changed after it was exported.
    pub fn is_edited(&self) -> bool {
        self.own_runs().iter().any(|run| run.health.edited_after_export)
    }

    /// Whether the file is one of this program.
    pub const fn is_own(&self) -> bool {
        self.capture().is_none()
    }

    /// Returns the capture of another program; `None` for a run of this program.
    pub const fn capture(&self) -> Option<&Capture> {
        match &self.content {
            Content::Capture(capture) => Some(capture),
            Content::Run(_) | Content::Check(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_its_displayed_name() {
        // A name is part of the ID of an imported run: a file keeps its ID only if its name stays.
        let names = Source::ALL.map(Source::with_article);
        let expected = [
            "a Jitterscope JSON",
            "a Jitterscope HTML report",
            "a MangoHud log",
            "a PresentMon CSV",
            "an OCAT CSV",
            "a FrameView CSV",
            "a CapFrameX capture",
            "an Afterburner log",
            "a cyclictest histogram",
            "an rtla histogram",
            "an HdrHistogram percentile listing",
            "an HWiNFO log",
            "an Adrenalin log",
            "an OpenXR Toolkit log",
            "a Fraps frame time log",
            "an Unreal Engine CSV profile",
            "an oslat histogram",
            "a jitterdebugger histogram",
            "a CSV with a column of frame times",
            "a log of server ticks",
            "an XRFrameTools log",
        ];
        assert_eq!(names, expected);
    }
}
