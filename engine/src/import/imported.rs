//! What importers share: what a file holds, what to read from it, and why it cannot be read.

use std::io;

use super::decode::check_rows;
use super::table::{Column, Table, TimeUnit};
use crate::format::FormatError;
use crate::run::{Capture, Run};
use crate::units::shortened;

/// Maximum bad lines whose reason is recorded.
const MAX_REASONS: usize = 10;

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
    /// A CSV of OCAT.
    Ocat,
    /// A CSV of FrameView.
    FrameView,
    /// A capture of CapFrameX, JSON or CSV.
    CapFrameX,
    /// A hardware monitoring log of MSI Afterburner.
    Afterburner,
    /// A result of cyclictest, JSON or text.
    Cyclictest,
    /// A histogram of rtla timerlat or rtla osnoise.
    Rtla,
    /// A percentile listing of HdrHistogram.
    HdrHistogram,
    /// Any CSV with a column of frame times.
    Columns,
}

impl Source {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Json,
        Self::Html,
        Self::MangoHud,
        Self::PresentMon,
        Self::Ocat,
        Self::FrameView,
        Self::CapFrameX,
        Self::Afterburner,
        Self::Cyclictest,
        Self::Rtla,
        Self::HdrHistogram,
        Self::Columns,
    ];

    /// The label on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Json => "Jitterscope JSON",
            Self::Html => "Jitterscope HTML report",
            Self::MangoHud => "MangoHud log",
            Self::PresentMon => "PresentMon CSV",
            Self::Ocat => "OCAT CSV",
            Self::FrameView => "FrameView CSV",
            Self::CapFrameX => "CapFrameX capture",
            Self::Afterburner => "Afterburner log",
            Self::Cyclictest => "cyclictest histogram",
            Self::Rtla => "rtla histogram",
            Self::HdrHistogram => "HdrHistogram percentile listing",
            Self::Columns => "CSV with a column of frame times",
        }
    }

    /// The label in a sentence: `an OCAT CSV`.
    pub fn with_article(self) -> String {
        let article = match self {
            // Two of them are read letter by letter.
            Self::Afterburner | Self::Ocat | Self::Rtla | Self::HdrHistogram => "an",
            Self::Json
            | Self::Html
            | Self::MangoHud
            | Self::PresentMon
            | Self::FrameView
            | Self::CapFrameX
            | Self::Cyclictest
            | Self::Columns => "a",
        };
        format!("{article} {}", self.label())
    }

    /// The program that recorded.
    pub(super) const fn program(self) -> &'static str {
        match self {
            Self::Json | Self::Html => "Jitterscope",
            Self::MangoHud => "MangoHud",
            Self::PresentMon => "PresentMon",
            Self::Ocat => "OCAT",
            Self::FrameView => "FrameView",
            Self::CapFrameX => "CapFrameX",
            Self::Afterburner => "Afterburner",
            Self::Cyclictest => "cyclictest",
            Self::Rtla => "rtla",
            Self::HdrHistogram => "HdrHistogram",
            Self::Columns => "another program",
        }
    }
}

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The file is larger than any that is read.
    #[error("too large to be imported: more than {} MiB", limit >> 20)]
    TooLarge {
        /// Maximum bytes.
        limit: u64,
    },
    /// It has more rows than are read.
    #[error("too many frames to be imported: more than {limit}")]
    TooManyRows {
        /// Maximum rows.
        limit: u64,
    },
    /// It is none of the kinds that are read.
    #[error("unsupported file; supported formats: {}", supported())]
    Unknown,
    /// It has columns, but which of them is the frame time is unknown.
    #[error("no known frame time column; name one of: {}", .0.columns.join(", "))]
    WhichColumn(Box<Table>),
    /// The column that was requested is not in the file.
    #[error("no column '{}'; there are: {}", shortened(wanted), there.join(", "))]
    NoColumn {
        /// The requested one.
        wanted: String,
        /// What the file has.
        there: Vec<String>,
    },
    /// It is of a kind that is read, but damaged.
    #[error("{0}")]
    Format(#[from] FormatError),
    /// It is a page without a run inside.
    #[error("this HTML file contains no run; only reports written by Jitterscope do")]
    NoRun,
    /// No line holds a value.
    #[error("no frame times or counts found; {bad_count} lines cannot be read")]
    NoValues {
        /// Lines that cannot be read.
        bad_count: u64,
    },
    /// The process or swap chain that was requested is not in the file.
    #[error("no '{}' found; there are: {}", shortened(wanted), there.join("; "))]
    NoSeries {
        /// The requested one.
        wanted: String,
        /// What the file has.
        there: Vec<String>,
    },
}

fn supported() -> String {
    Source::ALL.map(Source::label).join(", ")
}

/// What to read from a file that holds several things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The process to read, by name or number, if a file holds several.
    pub process: Option<String>,
    /// The swap chain to read, by its address, if a process draws to several.
    pub swap_chain: Option<String>,
    /// The column of frame times of an unknown program.
    pub column: Option<Column>,
    /// The unit of a percentile listing or of a histogram of cyclictest, which the file does not state;
    /// microseconds by default, nanoseconds where cyclictest measured in them.
    pub unit: Option<TimeUnit>,
}

/// Frames that one process presented to one swap chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The name of the process.
    pub process: String,
    /// Its number, as the file writes it.
    pub id: String,
    /// The address of the swap chain, as the file writes it.
    pub swap_chain: String,
    /// Its frames.
    pub frame_count: usize,
}

impl Series {
    /// In short: "game.exe (1564), swap chain 0x2, 1800 frames".
    pub fn words(&self) -> String {
        let Self { process, id, swap_chain, frame_count } = self;
        let id = if id.is_empty() { String::new() } else { format!(" ({id})") };
        let chain = match swap_chain.as_str() {
            "" => String::new(),
            chain => format!(", swap chain {chain}"),
        };
        format!("{process}{id}{chain}, {frame_count} frames")
    }

    /// The selection of exactly this series.
    pub fn options(&self) -> Options {
        let named = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Options {
            process: named(&self.id).or_else(|| named(&self.process)),
            swap_chain: named(&self.swap_chain),
            ..Options::default()
        }
    }
}

/// Lines, or values, that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadLines {
    /// Their number.
    pub count: u64,
    /// The first of them: number and reason.
    pub first: Vec<(u64, &'static str)>,
}

impl BadLines {
    pub(super) fn add(&mut self, line: u64, reason: &'static str) {
        self.count += 1;
        if self.first.len() < MAX_REASONS {
            self.first.push((line, reason));
        }
    }

    /// The line with this number; `None`, and counted as bad, if it is too long. Refuses a file of too many.
    pub(super) fn checked<'a>(
        &mut self,
        number: u64,
        line: Option<&'a [u8]>,
    ) -> Result<Option<&'a [u8]>, ImportError> {
        check_rows(number)?;
        if line.is_none() {
            self.add(number, "a line that is too long");
        }
        Ok(line)
    }
}

/// What a file states about the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedMachine {
    /// The processor.
    pub processor: Option<String>,
    /// The operating system.
    pub os: Option<String>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// The frequency governor.
    pub governor: Option<String>,
    /// The graphics card.
    pub gpu: Option<String>,
    /// Its driver.
    pub gpu_driver: Option<String>,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A whole run.
    Run(Box<Run>),
    /// A capture of another program.
    Capture(Capture),
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Which kind it is.
    pub source: Source,
    /// Its name: the game, the process, or the file.
    pub name: String,
    /// When it was recorded, if the file states it.
    pub started_at: Option<jiff::Timestamp>,
    /// What it states about the machine.
    pub reported: ReportedMachine,
    /// Every series of frames in it, the default one first; empty for kinds without processes.
    pub series: Vec<Series>,
    /// Which of them was read.
    pub selected: Option<usize>,
    /// What it holds.
    pub content: Content,
    /// What could not be read.
    pub bad_lines: BadLines,
    /// Notes for the reader: one sentence each.
    pub notes: Vec<String>,
}

impl Imported {
    pub(super) fn new(source: Source, content: Content) -> Self {
        Self {
            source,
            name: String::new(),
            started_at: None,
            reported: ReportedMachine::default(),
            series: Vec::new(),
            selected: None,
            content,
            bad_lines: BadLines::default(),
            notes: Vec::new(),
        }
    }

    /// The capture of another program; `None` for a run of this program.
    pub const fn capture(&self) -> Option<&Capture> {
        match &self.content {
            Content::Capture(capture) => Some(capture),
            Content::Run(_) => None,
        }
    }
}
