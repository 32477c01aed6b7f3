//! Writes runs for other programs and people: plain functions from a run and its report to a `Write`.
//!
//! Text that others supplied is made harmless for where it goes, and what names the user or a machine is
//! omitted unless requested.

pub mod chrome_trace;
pub mod csv;
pub mod cyclictest;
pub mod dataset;
pub mod document;
mod facts;
mod folded;
pub mod hgrm;
pub mod html;
pub mod json;
pub mod mangohud;
pub mod markdown;
pub mod openmetrics;
mod parts;
pub mod presentmon;
pub mod privacy;
mod requests;
mod sanitize;
mod series;
mod svg;
pub mod ticket;
pub mod tsv;

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::report::{Chart, Report, Table};
use crate::run::{Run, Trace, TrialRun};

pub use crate::report::chart::default_row;
pub use document::Block;
pub use facts::{machine as machine_lines, machine_line};
pub use parts::Parts;
pub use privacy::{Identity, IncludedNames, NameMatch, cleaned};
pub use sanitize::{for_terminal, shown_name};
pub use ticket::Ticket;

/// What is written at once.
const BUFFER_BYTES: usize = 64 << 10;

/// A kind of file a run can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One page for any browser, the run inside.
    Html,
    /// For a ticket.
    Markdown,
    /// The run with its report.
    Json,
    /// A table: one row per configuration.
    CsvSummary,
    /// One row per sample.
    CsvSamples,
    /// The log of MangoHud.
    MangoHud,
    /// The CSV of PresentMon 1.
    PresentMon,
    /// The percentile listing of HdrHistogram.
    Hgrm,
    /// The JSON of cyclictest.
    Cyclictest,
    /// The trace of Chrome and Perfetto.
    ChromeTrace,
    /// One plot as an image.
    Svg,
}

impl Format {
    /// Every format, in the order of a list.
    pub const ALL: [Self; 11] = [
        Self::Html,
        Self::Markdown,
        Self::Json,
        Self::CsvSummary,
        Self::CsvSamples,
        Self::MangoHud,
        Self::PresentMon,
        Self::Hgrm,
        Self::Cyclictest,
        Self::ChromeTrace,
        Self::Svg,
    ];

    /// The word of the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::CsvSummary => "csv",
            Self::CsvSamples => "csv-samples",
            Self::MangoHud => "mangohud",
            Self::PresentMon => "presentmon",
            Self::Hgrm => "hgrm",
            Self::Cyclictest => "cyclictest",
            Self::ChromeTrace => "chrome-trace",
            Self::Svg => "svg",
        }
    }

    /// The words on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Html => "HTML report",
            Self::Markdown => "Markdown",
            Self::Json => "JSON",
            Self::CsvSummary => "CSV summary",
            Self::CsvSamples => "CSV raw samples",
            Self::MangoHud => "MangoHud log",
            Self::PresentMon => "PresentMon CSV",
            Self::Hgrm => "HdrHistogram",
            Self::Cyclictest => "cyclictest JSON",
            Self::ChromeTrace => "Chrome trace",
            Self::Svg => "SVG plot",
        }
    }

    /// What it is good for, in as many characters as the window shows.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Html => "For browsers, imports as a run",
            Self::Markdown => "For a ticket",
            Self::Json => "Everything, can be imported again",
            Self::CsvSummary => "One line per configuration",
            Self::CsvSamples => "One line per sample",
            Self::MangoHud => "For frame-time viewers",
            Self::PresentMon => "For CapFrameX and scripts",
            Self::Hgrm => "For HdrHistogram's plotter",
            Self::Cyclictest => "For scripts of cyclictest",
            Self::ChromeTrace => "For Perfetto and Chrome",
            Self::Svg => "One plot as an image",
        }
    }

    /// How the names of its files end, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json | Self::Cyclictest | Self::ChromeTrace => "json",
            Self::CsvSummary | Self::CsvSamples | Self::MangoHud | Self::PresentMon => "csv",
            Self::Hgrm => "hgrm",
            Self::Svg => "svg",
        }
    }

    /// Whether it holds one configuration, so that one of several must be selected.
    pub const fn is_of_one_row(self) -> bool {
        matches!(self, Self::MangoHud | Self::PresentMon | Self::Hgrm)
    }

    /// The format of this word.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.key() == key)
    }
}

/// The words over a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headline {
    /// What the run is called: its name, or its test.
    pub title: String,
    /// What the title does not have: test, unless it is the title, and date.
    pub about: String,
    /// The grade word, or what is where there is no grade.
    pub grade: String,
    /// What was found.
    pub sentence: String,
    /// The numbers behind it.
    pub evidence: String,
    /// What may help; empty where nothing is known to.
    pub advice: String,
    /// Which names were excluded; empty where none were.
    pub privacy: String,
}

impl Headline {
    /// The words over a run that was measured then. Nothing is written twice: the name is the title, and
    /// the test where there is no name.
    pub fn of(run: &Run, report: &Report, when: String) -> Self {
        let test = run.subject.name();
        let (title, about) = if run.name.is_empty() {
            (test.to_owned(), when)
        } else {
            (shown_name(&run.name), format!("{test}, {when}"))
        };
        Self {
            title,
            about,
            grade: report.word().to_owned(),
            sentence: report.sentence(),
            evidence: report.verdict.numbers(),
            advice: report.verdict.finding.advice.clone(),
            privacy: String::new(),
        }
    }
}

/// A date where nobody names a time zone.
fn utc_date(when: jiff::Timestamp) -> String {
    when.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// How a run is written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Writes the date of a run; in UTC by default.
    pub date: Option<fn(jiff::Timestamp) -> String>,
    /// The key of the plot to write, where one is written alone; the first one where none is named.
    pub plot: Option<String>,
    /// The position of the table to write, where one is written alone: 0 is the one of configurations.
    pub table: usize,
    /// The row to write, where one is written alone; [`default_row`] where none is named.
    pub row: Option<usize>,
    /// What goes into the file.
    pub parts: Parts,
    /// The names to look for and leave out. With an empty one, only paths of home folders are
    /// shortened.
    pub leave_out: Identity,
    /// The names that are left in after all.
    pub included_names: IncludedNames,
}

/// A run with its report and the words over them as they are written: without what is omitted.
struct Prepared<'a> {
    run: Cow<'a, Run>,
    report: Cow<'a, Report>,
    headline: Headline,
}

fn prepared<'a>(
    format: Format,
    run: &'a Run,
    report: &'a Report,
    options: &Options,
) -> Prepared<'a> {
    let full = run;
    let (run, report) = match cleaned(run, report, options) {
        // What was omitted may be in the report, too.
        Some(clean) => {
            let report = Report::of(&clean, &report.options);
            (Cow::Owned(clean), Cow::Owned(report))
        }
        None => (Cow::Borrowed(run), Cow::Borrowed(report)),
    };
    let parts = options.parts.of(format);
    let row_count = report.rows.len();
    let alone = parts::alone(&run, &report, parts, options.row);
    let is_alone = alone.is_some();
    let (run, report) = match alone {
        Some((run, report)) => (Cow::Owned(run), Cow::Owned(report)),
        None => (run, report),
    };
    let when = options.date.unwrap_or(utc_date)(run.started_at);
    let mut headline = Headline::of(&run, &report, when);
    if is_alone {
        headline = parts::single_configuration_headline(headline, &run, &report, row_count);
    }
    let mut headline = privacy::clean_headline(headline, options);
    let hides_programs = full.trials.iter().zip(&run.trials).any(|(full, run)| {
        let names = |trial: &TrialRun| trial.trace.as_ref().map(Trace::names).map(<[_]>::to_vec);
        !options.included_names.programs && names(full) != names(run)
    });
    headline.privacy = options.included_names.sentence(hides_programs);
    Prepared { run, report, headline }
}

/// A run in few lines of Markdown, for the clipboard.
pub fn ticket(run: &Run, report: &Report, options: &Options) -> String {
    let Prepared { run, report, headline } = prepared(Format::Markdown, run, report, options);
    markdown::text(&Ticket::of_run(&run, &report, &headline, options.parts).blocks())
}

/// Writes a run in a format.
pub fn write(
    format: Format,
    run: &Run,
    report: &Report,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    let Prepared { run, report, headline } = prepared(format, run, report, options);
    let (run, report): (&Run, &Report) = (&run, &report);
    let row = options.row.or_else(|| default_row(report)).and_then(|row| report.rows.get(row));
    let mut buffer = BufWriter::with_capacity(BUFFER_BYTES, to);
    let to: &mut dyn Write = &mut buffer;
    match format {
        Format::Html => html::write(run, report, &headline, options, to),
        Format::Markdown => {
            markdown::render(&folded::document(run, report, &headline, options), to)
        }
        Format::Json => json::write(run, report, &headline, to).map(drop),
        Format::CsvSummary => csv::table(report.tables.get(options.table), to),
        Format::CsvSamples => csv::samples(run, to),
        Format::MangoHud => mangohud::write(run, series::frame_times(run, row), to),
        Format::PresentMon => presentmon::write(run, series::frame_times(run, row), to),
        Format::Hgrm => hgrm::write(series::lateness(run, row), to),
        Format::Cyclictest => cyclictest::write(run, report, to),
        Format::ChromeTrace => chrome_trace::write(run, to),
        Format::Svg => {
            let charts = report.charts(run);
            let wanted =
                |chart: &&Chart| options.plot.as_deref().is_none_or(|key| key == chart.key);
            let chart = charts.iter().find(wanted);
            to.write_all(chart.map_or_else(svg::empty_file, svg::file).as_bytes())
        }
    }?;
    buffer.flush()
}

/// A name for the file: date, test, id, and what shows formats of one ending apart.
pub fn file_name(format: Format, run: &Run) -> String {
    let date = run.started_at.strftime("%Y-%m-%d");
    let key = format.key();
    let (kind, id, extension) = (run.subject.key(), &run.id, format.extension());
    if key == extension || format == Format::Markdown {
        format!("{date}-{kind}-{id}.{extension}")
    } else {
        format!("{date}-{kind}-{id}-{key}.{extension}")
    }
}

/// The path of a plot of a run in a folder: the name of the run's files with the key of the plot.
pub fn plot_path(folder: &Path, run: &Run, chart: &Chart) -> PathBuf {
    let name = file_name(Format::Svg, run);
    folder.join(format!("{}-{}.svg", name.trim_end_matches(".svg"), chart.key))
}

/// The path of another table of a run, next to the file of its first one: `run.csv`, `run-stalls.csv`.
pub fn table_path(first: &Path, table: &Table) -> PathBuf {
    let stem = first.file_stem().unwrap_or_default().to_string_lossy();
    let extension = first.extension().map_or("csv".into(), |extension| extension.to_string_lossy());
    first.with_file_name(format!("{stem}-{}.{extension}", table.key))
}
