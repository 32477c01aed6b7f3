//! Comma-separated values: a row a configuration, or a row a sample; units in the names of the columns.

use std::io::{self, Write};

use super::harmless::cell;
use crate::nanos::Nanos;
use crate::report::{Report, Row};
use crate::run::Run;
use crate::stats::Spread;

/// Writes the summary. A missing value is an empty cell; a published column never changes its meaning.
pub fn summary(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let mut csv = writer(to);
    csv.write_record([
        "trial",
        "label",
        "requested",
        "granted",
        "as_asked",
        "count",
        "lost",
        "min_nanos",
        "p50_nanos",
        "p95_nanos",
        "p99_nanos",
        "p99_9_nanos",
        "max_nanos",
        "mean_nanos",
        "std_dev_nanos",
        "missed",
        "slots",
        "late",
        "period_nanos",
        "frame_time_mean_nanos",
        "frame_time_std_dev_nanos",
        "work_p99_nanos",
        "os_wake_up_p50_nanos",
        "os_wake_up_p99_nanos",
        "one_percent_low_fps",
        "average_fps",
        "drift_nanos",
        "foreign_cpu_share",
        "refused",
    ])?;
    for (row, number) in report.rows.iter().zip(0_u32..) {
        csv.write_record(record(number, row))?;
    }
    csv.flush()?;
    Ok(())
}

/// Writes every sample of every trial. Text that a spreadsheet would run as a formula is made harmless.
pub fn samples(run: &Run, to: &mut dyn Write) -> io::Result<()> {
    let mut csv = writer(to);
    csv.write_record([
        "trial",
        "label",
        "index",
        "began_nanos",
        "due_nanos",
        "slept_nanos",
        "woke_nanos",
        "done_nanos",
        "late_nanos",
        "spins",
        "cpu",
    ])?;
    for (trial, number) in run.trials.iter().zip(0_u32..) {
        let (number, label) = (number.to_string(), cell(&trial.trial.label));
        for (sample, index) in trial.samples.iter().zip(0_u64..) {
            csv.write_field(&number)?;
            csv.write_field(&label)?;
            csv.write_field(index.to_string())?;
            csv.write_field(sample.began.get().to_string())?;
            csv.write_field(sample.due.get().to_string())?;
            csv.write_field(sample.slept.map_or(String::new(), |slept| slept.get().to_string()))?;
            csv.write_field(sample.woke.get().to_string())?;
            csv.write_field(sample.done.get().to_string())?;
            csv.write_field(sample.late().get().to_string())?;
            csv.write_field(sample.spins.to_string())?;
            csv.write_field(sample.cpu.map_or(String::new(), |cpu| cpu.to_string()))?;
            csv.write_record(None::<&[u8]>)?;
        }
    }
    csv.flush()?;
    Ok(())
}

/// The first rows of such text, as long as they can be read.
pub fn rows(text: &str, most: usize) -> Vec<Vec<String>> {
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records = reader.records().take(most).map_while(Result::ok);
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

fn writer(to: &mut dyn Write) -> ::csv::Writer<&mut dyn Write> {
    ::csv::WriterBuilder::new().terminator(::csv::Terminator::Any(b'\n')).from_writer(to)
}

fn record(number: u32, row: &Row) -> Vec<String> {
    let summary = row.summary.as_ref();
    let late = summary.map(|summary| &summary.lateness);
    let nanos = |value: Option<Nanos>| value.map_or(String::new(), |value| value.get().to_string());
    let float = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let of = |get: fn(&Spread) -> Option<Nanos>| nanos(late.and_then(get));
    let count = |value: Option<usize>| value.map_or(String::new(), |value| value.to_string());
    let frame_time = summary.and_then(|summary| summary.frame_time.as_ref());
    let wake_up = summary.and_then(|summary| summary.os_wake_up.as_ref());
    let refused: Vec<String> =
        row.granted.iter().flat_map(|granted| &granted.refusals).map(ToString::to_string).collect();
    vec![
        number.to_string(),
        cell(&row.label),
        cell(&row.conditions.to_string()),
        cell(&row.granted_text()),
        row.is_as_asked().to_string(),
        count(late.map(|late| late.count)),
        row.lost_count.to_string(),
        of(|late| Some(late.min)),
        of(|late| Some(late.p50)),
        of(|late| late.p95),
        of(|late| late.p99),
        of(|late| late.p99_9),
        of(|late| Some(late.max)),
        float(late.map(|late| late.mean_nanos)),
        float(late.and_then(|late| late.std_dev_nanos)),
        count(summary.map(super::super::stats::summary::Summary::missed_count)),
        count(summary.map(|summary| summary.slot_count)),
        count(summary.map(|summary| summary.late_count)),
        row.period.get().to_string(),
        float(frame_time.map(|time| time.mean_nanos)),
        float(frame_time.and_then(|time| time.std_dev_nanos)),
        nanos(summary.and_then(|summary| summary.work.p99)),
        nanos(wake_up.map(|wake_up| wake_up.p50)),
        nanos(wake_up.and_then(|wake_up| wake_up.p99)),
        float(summary.and_then(|summary| summary.one_percent_low_fps)),
        float(summary.and_then(|summary| summary.average_fps)),
        nanos(summary.map(|summary| summary.drift)),
        float(row.foreign_share),
        cell(&refused.join("; ")),
    ]
}
