//! The results of all hosts as one table, JSON, CSV, or metrics.

use clap::ArgMatches;
use jitterscope_engine::export::{csv, openmetrics};
use jitterscope_engine::format::safe_json;
use serde_json::{Map, Value, json};

use super::super::names::Place;
use super::super::output::{Output, PrintError};
use super::super::print::{cell, columns};
use super::super::text;
use super::{BatchOutcome, HostResult};

/// The columns of the batch as CSV, which are the keys of a host as JSON.
const COLUMNS: [&str; 11] = [
    "host",
    "status",
    "run_ids",
    "verdict",
    "grade",
    "grade_best",
    "key_figure",
    "p99_nanos",
    "longest_gap_nanos",
    "culprit",
    "sentence",
];

/// How the results are written.
#[derive(Debug)]
pub(super) struct Batch {
    format: String,
    output: Output,
}

impl Batch {
    /// Returns how the options ask for the results.
    pub(super) fn of(matches: &ArgMatches) -> Result<Self, String> {
        let format = text(matches, "format").unwrap_or_default();
        let output = Output::of(matches);
        if !["table", "json", "csv", "openmetrics"].contains(&format.as_str()) {
            return Err(format!(
                "--hosts with --format {format}: expected table, json, csv, or openmetrics"
            ));
        }
        output.check().map_err(|error| error.to_string())?;
        Ok(Self { format, output })
    }

    /// Returns the place of the results, which determines the names in them.
    pub(super) fn place(&self) -> Place {
        self.output.place(&self.format)
    }

    /// Writes the results of the hosts. The names of the hosts are those of the file, so they are not redacted.
    pub(super) fn write(
        &self,
        hosts: &[String],
        outcomes: &[Option<BatchOutcome>],
    ) -> Result<(), PrintError> {
        let all: Vec<(&str, Option<&BatchOutcome>)> =
            hosts.iter().map(String::as_str).zip(outcomes.iter().map(Option::as_ref)).collect();
        let content = match self.format.as_str() {
            "json" => json_text(&all),
            "csv" => {
                let mut bytes = Vec::new();
                let rows =
                    all.iter().map(|(host, outcome)| values(host, *outcome).map(|it| cell(&it)));
                csv::rows(COLUMNS, rows, &mut bytes)?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            "openmetrics" => metrics(&all),
            _ => table(&all),
        };
        let content = jitterscope_engine::export::for_terminal(&content);
        self.output.write(|to| to.write_all(content.as_bytes()))
    }
}

fn status(outcome: Option<&BatchOutcome>) -> &'static str {
    match outcome {
        Some(BatchOutcome { is_measured: true, .. }) => "measured",
        Some(BatchOutcome { is_measured: false, .. }) => "failed",
        None => "not started",
    }
}

/// Returns the table for a terminal: one row per host.
fn table(all: &[(&str, Option<&BatchOutcome>)]) -> String {
    let header = ["Host", "Status", "Verdict", "Key figure", "Culprit", "Run", "Result"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (host, outcome) in all {
        let sentence = outcome.map_or("", |outcome| outcome.sentence.as_str());
        let result = outcome.and_then(|outcome| outcome.result.as_ref());
        let own = result.map(|result| {
            let run = match result.run_ids.as_slice() {
                [] => String::new(),
                [one] => one.clone(),
                [first, more @ ..] => format!("{first} and {} more", more.len()),
            };
            [result.verdict.clone(), result.key_figure.clone(), result.culprit.clone(), run]
        });
        let cells = [(*host).to_owned(), status(*outcome).to_owned()].into_iter();
        rows.push(cells.chain(own.unwrap_or_default()).chain([sentence.to_owned()]).collect());
    }
    let mut text = String::new();
    columns(&mut text, &rows);
    text
}

/// Returns the values of a host in the order of [`COLUMNS`]; null where it has none.
fn values(host: &str, outcome: Option<&BatchOutcome>) -> [Value; COLUMNS.len()] {
    let default = HostResult::default();
    let result = outcome.and_then(|outcome| outcome.result.as_ref()).unwrap_or(&default);
    let known = |text: &str| (!text.is_empty()).then_some(text).into();
    [
        host.into(),
        status(outcome).into(),
        result.run_ids.clone().into(),
        known(&result.verdict),
        result.grade.clone().into(),
        result.grade_best.clone().into(),
        known(&result.key_figure),
        result.p99_nanos.into(),
        result.longest_gap_nanos.into(),
        known(&result.culprit),
        known(outcome.map_or("", |outcome| &outcome.sentence)),
    ]
}

fn json_text(all: &[(&str, Option<&BatchOutcome>)]) -> String {
    let host = |(host, outcome): &(&str, Option<&BatchOutcome>)| -> Value {
        let keys = COLUMNS.into_iter().map(str::to_owned);
        keys.zip(values(host, *outcome)).collect::<Map<_, _>>().into()
    };
    let whole = json!({
        "format": "jitterscope-hosts",
        "format_version": 1,
        "app_version": env!("CARGO_PKG_VERSION"),
        "hosts": all.iter().map(host).collect::<Vec<_>>(),
    });
    safe_json(&format!("{whole:#}\n"))
}

/// Returns the metrics of all hosts, with one series per host. A number that a host does not have has none.
fn metrics(all: &[(&str, Option<&BatchOutcome>)]) -> String {
    let hosts = all.iter().map(|(host, outcome)| {
        let result = outcome.and_then(|outcome| outcome.result.as_ref());
        openmetrics::HostMetrics {
            host,
            is_measured: outcome.is_some_and(|outcome| outcome.is_measured),
            grades: result.and_then(|it| Some([it.grade.as_deref()?, it.grade_best.as_deref()?])),
            p99_nanos: result.and_then(|result| result.p99_nanos),
            longest_gap_nanos: result.and_then(|result| result.longest_gap_nanos),
        }
    });
    openmetrics::of_hosts(hosts)
}
