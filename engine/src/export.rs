//! Exports runs: functions that write a run and its report in a file format, for other programs and
//! for readers.
//!
//! Text from outside this program is escaped for the file format. Names of the user, the machine,
//! and other programs are redacted, unless the options of the export include these names.

mod captured;
mod chat;
mod check;
pub mod chrome_trace;
pub mod csv;
pub mod cyclictest;
pub mod dataset;
pub mod hgrm;
pub mod html;
pub mod mangohud;
pub mod markdown;
pub mod openmetrics;
mod parts;
pub mod presentmon;
pub mod privacy;
mod sanitize;
mod series;
mod svg;
pub mod ticket;
pub mod tsv;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::format::exported;
use crate::report::document::comparison::{self, ComparisonSet, RunNames};
use crate::report::{CaptureView, Chart, Report, Table};
use crate::run::{Run, Trace};

pub use crate::format::KeptSamples;
pub use crate::report::chart::default_row;
pub use crate::report::document::facts::{machine as machine_lines, machine_line};
pub use crate::report::document::{self, Block, Level};
pub use check::CheckFile;
pub use parts::Parts;
pub use privacy::{Identity, IncludedNames, NameMatch, cleaned};
pub use sanitize::{for_terminal, shown_name};
pub use ticket::Ticket;

/// Size of the write buffer.
const BUFFER_BYTES: usize = 64 << 10;

/// A file format in which a run can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// An HTML report for any browser. The file also contains the run, so that it can be imported.
    Html,
    /// A Markdown report to paste into a ticket.
    Markdown,
    /// JSON with the run and its report.
    Json,
    /// CSV of one table, by default with one row per configuration.
    CsvSummary,
    /// CSV with one row per sample.
    CsvSamples,
    /// Frame times in the log format of MangoHud, an overlay for games.
    MangoHud,
    /// Frame times in the CSV format of PresentMon 1, a frame time recorder.
    PresentMon,
    /// Percentiles of lateness as a list, in the format of the HdrHistogram library.
    Hgrm,
    /// Histograms of lateness in the JSON format of cyclictest, a Linux latency test.
    Cyclictest,
    /// A trace in the JSON format of the trace viewers of Chrome and Perfetto.
    ChromeTrace,
    /// One plot as an image.
    Svg,
}

impl Format {
    /// Every format, in the order in which lists show them.
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

    /// Returns the name of the format on the command line.
    pub const fn key(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the name of the format in the window.
    pub const fn label(self) -> &'static str {
        self.words()[1]
    }

    /// Returns a description of the format, short enough for the window.
    pub const fn about(self) -> &'static str {
        self.words()[2]
    }

    /// Returns the file extension, without the dot.
    pub const fn extension(self) -> &'static str {
        self.words()[3]
    }

    /// Returns the name on the command line, the name in the window, the description, and the file extension.
    const fn words(self) -> [&'static str; 4] {
        match self {
            Self::Html => ["html", "HTML report", "For browsers, imports as a run", "html"],
            Self::Markdown => ["markdown", "Markdown", "For a ticket", "md"],
            Self::Json => ["json", "JSON", "Everything, can be imported again", "json"],
            Self::CsvSummary => ["csv", "CSV summary", "One line per configuration", "csv"],
            Self::CsvSamples => ["csv-samples", "CSV raw samples", "One line per sample", "csv"],
            Self::MangoHud => ["mangohud", "MangoHud log", "For frame-time viewers", "csv"],
            Self::PresentMon => {
                ["presentmon", "PresentMon CSV", "For CapFrameX and scripts", "csv"]
            }
            Self::Hgrm => ["hgrm", "HdrHistogram", "For HdrHistogram's plotter", "hgrm"],
            Self::Cyclictest => {
                ["cyclictest", "cyclictest JSON", "For scripts of cyclictest", "json"]
            }
            Self::ChromeTrace => {
                ["chrome-trace", "Chrome trace", "For Perfetto and Chrome", "json"]
            }
            Self::Svg => ["svg", "SVG plot", "One plot as an image", "svg"],
        }
    }

    /// Whether a file of this format can contain only one configuration. Of a run with several, one
    /// must then be selected.
    pub const fn is_of_one_row(self) -> bool {
        matches!(self, Self::MangoHud | Self::PresentMon | Self::Hgrm)
    }

    /// Returns why a file of this format would hold no value of a run, or not those that are shown; `None` if it holds
    /// them.
    pub fn refusal(self, run: &Run, shown: &CaptureView) -> Option<&'static str> {
        captured::refusal(self, run, shown.frames)
    }

    /// Returns the format with this name on the command line; `None` for an unknown name.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.key() == key)
    }
}

/// The texts at the top of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headline {
    /// The name of the run, or of its test if the run has no name.
    pub title: String,
    /// The date; before it the name of the test, unless the test is the title.
    pub about: String,
    /// The word for the grade, or the word that is shown if there is no grade.
    pub grade: String,
    /// The result of the run, in one sentence.
    pub sentence: String,
    /// The numbers behind `sentence`.
    pub evidence: String,
    /// A recommendation; empty if there is none.
    pub advice: String,
    /// A note on the names that were redacted; empty if no names were redacted.
    pub privacy: String,
}

impl Headline {
    /// Returns the texts at the top of the report of a run; `when` is the date of the run. The
    /// title is the name of the run, or the name of the test if the run has no name.
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
            advice: report.what_to_do().unwrap_or_default(),
            privacy: String::new(),
        }
    }
}

/// Returns when a capture began, by the wall clock of its PC: without a zone, because its file may have none. `None` for a
/// run of this program.
fn wall_clock(run: &Run) -> Option<jiff::civil::DateTime> {
    run.capture()?;
    let here = || run.started_at.to_zoned(jiff::tz::TimeZone::system()).datetime();
    Some(run.wall_clock.unwrap_or_else(here))
}

/// Options of an export.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Formats the date of a run; UTC by default.
    pub date: Option<fn(jiff::Timestamp) -> String>,
    /// The key of the plot to write, for formats with a single plot; `None` for the first plot.
    pub plot: Option<String>,
    /// The position of the table to write, for formats with a single table: 0 is the table of
    /// configurations.
    pub table: usize,
    /// The position of the configuration to write, for formats with a single configuration; `None`
    /// for the configuration that [`default_row`] returns.
    pub row: Option<usize>,
    /// The parts of the run to write.
    pub parts: Parts,
    /// The names of the host and the user to find and redact. If there are none, home folders in
    /// paths and network addresses are still redacted.
    pub leave_out: Identity,
    /// The kinds of names that are not redacted.
    pub included_names: IncludedNames,
}

/// A run that is ready to be written: without the omitted parts and with names redacted, together
/// with its report and the texts at the top of the report.
struct PreparedRun<'a> {
    run: Cow<'a, Run>,
    report: Cow<'a, Report>,
    headline: Headline,
}

fn prepared<'a>(
    format: Format,
    run: &'a Run,
    report: &'a Report,
    options: &Options,
) -> PreparedRun<'a> {
    let full = run;
    let (run, report) = match cleaned(run, report, options) {
        // The report may contain the names that were redacted in the run: compute the report again,
        // from the redacted run.
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
    let when = match options.date {
        Some(date) => date(run.started_at),
        None => wall_clock(&run).map_or_else(
            || run.started_at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
            |at| at.strftime("%Y-%m-%d %H:%M").to_string(),
        ),
    };
    let mut headline = Headline::of(&run, &report, when);
    if is_alone {
        headline = parts::single_configuration_headline(headline, &run, &report, row_count);
    }
    let mut headline = privacy::clean_headline(headline, options);
    let known = traced_names(full);
    let hides_programs = !options.included_names.programs && !traced_names(&run).is_subset(&known);
    headline.privacy = options.included_names.sentence(hides_programs);
    PreparedRun { run, report, headline }
}

/// Returns the names in the traces of a run, and those of the threads of a recording.
fn traced_names(run: &Run) -> BTreeSet<&String> {
    let traces = run.trials.iter().filter_map(|trial| trial.trace.as_ref());
    let recording = run.recording();
    let details = recording.into_iter().flat_map(|recording| &recording.details);
    let threads = recording.into_iter().flat_map(|recording| &recording.threads);
    let threads = threads.flat_map(|thread| [&thread.name, &thread.process_name]);
    let traces = traces.chain(details.map(|detail| &detail.trace));
    traces.flat_map(Trace::names).chain(threads).collect()
}

/// Returns a short Markdown summary of a run, for the clipboard.
pub fn ticket(run: &Run, report: &Report, options: &Options) -> String {
    let PreparedRun { run, report, headline } = prepared(Format::Markdown, run, report, options);
    let (holds, events) = (options.parts, (ticket::MAX_EVENTS, true));
    let document = ticket::document(&run, &report, &headline, holds, events, None);
    markdown::text(&document.summary.blocks())
}

/// Returns the result of a run as plain text of at most 2 000 characters, for the clipboard.
pub fn chat(run: &Run, report: &Report, options: &Options) -> String {
    let PreparedRun { run, report, headline } = prepared(Format::Markdown, run, report, options);
    chat::text(&run, &report, &headline)
}

/// Returns the result of a run with its names, as a document with all blocks up to a level; `when` is the date of the run.
pub fn run_document(run: &Run, report: &Report, when: String, level: Level) -> document::Document {
    let headline = Headline::of(run, report, when);
    let charts = (level == Level::All).then(|| report.charts(run));
    // Where the other levels are shown, the summary is not.
    let events = (ticket::MAX_EVENTS, level == Level::Short);
    ticket::document(run, report, &headline, Parts::ALL, events, charts.as_deref())
}

/// Returns a comparison, or those of the parts of quick checks, as a document. Names that `included` excludes are already
/// removed from the runs.
pub fn comparison_document(
    sets: &[ComparisonSet<'_>],
    names: RunNames,
    included: IncludedNames,
) -> document::Document {
    let runs = sets.iter().flat_map(|set| set.runs).map(|(run, _)| *run);
    comparison::document(sets, names, &included.sentence_of_runs(runs))
}

/// Returns what an HTML page of a run shows, as blocks: the summary, and everything else.
pub fn page_blocks(run: &Run, report: &Report, options: &Options) -> Vec<Block> {
    let PreparedRun { run, report, headline } = prepared(Format::Html, run, report, options);
    ticket::outline(ticket::file(&run, &report, &headline, options.parts))
}

/// Writes a run in the given format.
pub fn write(
    format: Format,
    run: &Run,
    report: &Report,
    options: &Options,
    to: &mut dyn Write,
) -> io::Result<()> {
    if let Some(reason) = format.refusal(run, &report.options.capture) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    let PreparedRun { run, report, headline } = prepared(format, run, report, options);
    let (run, report): (&Run, &Report) = (&run, &report);
    let row = options.row.or_else(|| default_row(report)).and_then(|row| report.rows.get(row));
    let mut buffer = BufWriter::with_capacity(BUFFER_BYTES, to);
    let to: &mut dyn Write = &mut buffer;
    match format {
        Format::Html => html::write(run, report, &headline, options, to),
        Format::Markdown => {
            let document = ticket::file(run, report, &headline, options.parts);
            markdown::render(&ticket::complete(document), to)
        }
        Format::Json => {
            let kept = options.parts.samples;
            let exported = ticket::exported_run(run, report, &headline, kept);
            exported::write(&exported, to).map(drop)
        }
        Format::CsvSummary => csv::table(report.tables.get(options.table), to),
        Format::CsvSamples => csv::samples(run, report, to),
        Format::MangoHud => match captured::longest(report) {
            Some(recording) => mangohud::write_recording(run, recording, to),
            None => mangohud::write(run, series::frame_times(run, row), to),
        },
        Format::PresentMon => match captured::longest(report) {
            Some(recording) => presentmon::write_recording(recording, to),
            None => presentmon::write(run, series::frame_times(run, row), to),
        },
        Format::Hgrm => match run.capture() {
            Some(capture) => hgrm::write_counted(&captured::counted(capture, report), to),
            None => hgrm::write(series::lateness(run, row), to),
        },
        Format::Cyclictest => cyclictest::write(run, report, to),
        Format::ChromeTrace if run.capture().is_some() => captured::write_trace(run, report, to),
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

/// Returns the file name of an exported run, which consists of date, test, and ID. The key of the
/// format follows, unless it equals the extension or the format is Markdown.
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

/// Returns an SVG image of several plots, one below the other.
pub fn stacked_plots(charts: &[Chart]) -> String {
    let length = |file: &str, name: &str| -> f64 {
        let value = file.split_once(name).and_then(|(_, rest)| rest.split_once('\''));
        value.and_then(|(value, _)| value.parse().ok()).unwrap_or(0.0)
    };
    let (mut body, mut width, mut height) = (String::new(), 0.0_f64, 0.0);
    for chart in charts {
        let file = svg::file(chart);
        let inner = file.replacen("<svg ", &format!("<svg y='{height:.1}' "), 1);
        width = width.max(length(&file, "width='"));
        height += length(&file, "height='");
        body.push_str(&inner);
    }
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height:.1}' width='{width}' \
         height='{height:.1}' role='img'>\n{body}</svg>\n"
    )
}

/// Returns the path of the SVG file of a plot in `folder`: the file name of the run, followed by
/// the key of the plot.
pub fn plot_path(folder: &Path, run: &Run, chart: &Chart) -> PathBuf {
    let name = file_name(Format::Svg, run);
    folder.join(format!("{}-{}.svg", name.trim_end_matches(".svg"), chart.key))
}

/// Returns the path of the file of a further table of a run. `first` is the path of the first
/// table: `run.csv` becomes `run-stalls.csv` for the table `stalls`.
pub fn table_path(first: &Path, table: &Table) -> PathBuf {
    let stem = first.file_stem().unwrap_or_default().to_string_lossy();
    let extension = first.extension().map_or("csv".into(), |extension| extension.to_string_lossy());
    first.with_file_name(format!("{stem}-{}.{extension}", table.key))
}

impl CheckFile<'_> {
    /// Writes the check as HTML or JSON with its runs, or as Markdown.
    pub fn write(&self, format: Format, to: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Html => html::write_check(self, &self.privacy(), to),
            Format::Json => self.write_runs(to).map(drop),
            _ => markdown::render(&self.blocks(), to),
        }
    }
}
