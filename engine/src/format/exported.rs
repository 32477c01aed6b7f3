//! An exported run: the text of the run file, with the report of the run and a checksum added at
//! the end.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::checksum::Hashing;
use super::{KeptSamples, SafeWriter, measurement_sum};
use crate::report::table::{Better, Column, Exact, TableRow};
use crate::report::{Report, Table};
use crate::run::{Run, RunInFile};

/// Value of the `format` field of the file of a quick check.
pub const CHECK_FORMAT: &str = "jitterscope-quick-check";
/// Size of the buffer that collects text before the text is hashed and written.
const BUFFER_BYTES: usize = 64 << 10;

#[derive(serde::Serialize)]
struct ExportedOut<'a> {
    #[serde(flatten)]
    run: RunInFile<'a>,
    report: ReportOut<'a>,
}

/// The report: computed from the run, and not read back.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ReportOut<'a> {
    grade: Option<&'static str>,
    grade_best: Option<&'static str>,
    verdict: &'a str,
    /// The SHA-256 of the measurement, which is the same in every file of the run.
    measurement_sha256: String,
    options: OptionsOut,
    cautions: Vec<String>,
    tables: Vec<TableOut<'a>>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OptionsOut {
    /// The late threshold in percent of the frame time.
    late_percent: f64,
    /// The definition of the 1% and 0.1% lows.
    low: &'static str,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TableOut<'a> {
    key: &'a str,
    title: &'a str,
    note: &'a str,
    columns: Vec<ColumnOut<'a>>,
    rows: Vec<RowOut<'a>>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ColumnOut<'a> {
    key: Cow<'static, str>,
    title: &'a str,
    definition: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    better: Option<&'static str>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RowOut<'a> {
    /// Positions in `trials` of the trials that the row is about; empty where it is about several
    /// configurations.
    trials: &'a [usize],
    /// Why to read the row with care.
    #[serde(skip_serializing_if = "str::is_empty")]
    caution: &'a str,
    /// The value of each column by its key, null where there is none.
    values: Values<'a>,
    /// Why there is no value, by the key of the column.
    #[serde(skip_serializing_if = "Reasons::is_empty")]
    absent: Reasons<'a>,
}

/// The column keys of a table, and the exact values of one row.
pub(super) struct Values<'a>(&'a [Cow<'static, str>], Vec<Exact>);

/// The column keys of the empty cells of one row, each with the reason why the cell is empty.
pub(super) struct Reasons<'a>(Vec<(&'static str, &'a str)>);

impl Reasons<'_> {
    const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Whole(value) => serializer.serialize_i64(*value),
            Self::Fraction(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(&self.1))
    }
}

impl Serialize for Reasons<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

fn column_out(column: &Column) -> impl Iterator<Item = ColumnOut<'_>> {
    column.exact_keys().into_iter().map(|key| ColumnOut {
        key,
        title: &column.title,
        definition: &column.definition,
        better: column.better.map(|better| match better {
            Better::Lower => "lower",
            Better::Higher => "higher",
        }),
    })
}

fn row_out<'a>(
    report: &'a Report,
    table: &Table,
    keys: &'a [Cow<'static, str>],
    row: &'a TableRow,
) -> RowOut<'a> {
    let configuration = row.configuration.and_then(|position| report.rows.get(position));
    let cells = row.cells.iter().zip(&table.columns);
    RowOut {
        trials: configuration.map_or(&[], |configuration| &configuration.trials),
        caution: &row.caution,
        values: Values(keys, table.exact_values(row)),
        absent: Reasons(
            cells.filter_map(|(cell, column)| Some((column.key, cell.reason()?))).collect(),
        ),
    }
}

/// A run with its report, as an exported file holds it.
///
/// The text can be embedded in an HTML page unchanged: an HTML report contains the same text as a
/// JSON file, with the same checksum. [`read`](super::read) reads the text;
/// [`verify`](super::checksum::verify) compares the text with its checksum.
#[derive(Clone, Debug)]
pub struct ExportedRun<'a> {
    /// The run, with all its samples.
    pub run: &'a Run,
    /// The report of the run.
    pub report: &'a Report,
    /// The report's verdict as text.
    pub verdict: Cow<'a, str>,
    /// The samples that the file holds.
    pub kept: KeptSamples,
}

impl Serialize for ExportedRun<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { run, report, verdict, kept } = self;
        let keys: Vec<Vec<Cow<'static, str>>> =
            report.tables.iter().map(Table::exact_keys).collect();
        let tables = report.tables.iter().zip(&keys).map(|(table, keys)| TableOut {
            key: table.key,
            title: table.title,
            note: &table.note,
            columns: table.columns.iter().flat_map(column_out).collect(),
            rows: table.rows.iter().map(|row| row_out(report, table, keys, row)).collect(),
        });
        let reduced = kept.reduce(run);
        let out = ExportedOut {
            run: reduced
                .as_ref()
                .map_or_else(|| run.in_file(), |reduced| reduced.in_report(kept.key())),
            report: ReportOut {
                grade: report.verdict.grade.map(|grade| grade.worst().word()),
                grade_best: report.verdict.grade.map(|grade| grade.best().word()),
                verdict,
                measurement_sha256: measurement_sum(run),
                options: OptionsOut {
                    late_percent: report.options.late_percent,
                    low: report.options.capture.low.label(),
                },
                cautions: report.cautions.iter().map(ToString::to_string).collect(),
                tables: tables.collect(),
            },
        };
        out.serialize(serializer)
    }
}

#[derive(serde::Serialize)]
struct CheckOut<'a> {
    format: &'static str,
    #[serde(flatten)]
    result: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<&'static str>,
    runs: &'a [ExportedRun<'a>],
}

/// Writes a run with its report, and returns the checksum.
pub fn write(exported: &ExportedRun<'_>, to: &mut dyn Write) -> io::Result<String> {
    write_hashed(exported, to)
}

/// Writes a quick check with its result and its runs, and returns the checksum. [`read_check`](super::read_check) reads
/// the text.
pub fn write_check(
    mut result: Map<String, Value>,
    runs: &[ExportedRun<'_>],
    to: &mut dyn Write,
) -> io::Result<String> {
    let reduced = runs.iter().map(|run| run.kept).find(|kept| *kept != KeptSamples::All);
    // The format is the first member, by which a file is recognized.
    result.remove("format");
    let samples = reduced.map(KeptSamples::key);
    write_hashed(&CheckOut { format: CHECK_FORMAT, result, samples, runs }, to)
}

fn write_hashed(content: &impl Serialize, to: &mut dyn Write) -> io::Result<String> {
    let mut hashing = Hashing::new(to);
    // The serializer writes a few bytes at a time; hashing is faster for larger blocks.
    let mut buffer = BufWriter::with_capacity(BUFFER_BYTES, SafeWriter(&mut hashing));
    serde_json::to_writer(&mut buffer, content)?;
    buffer.flush()?;
    drop(buffer);
    hashing.finish()
}
