//! Metrics for monitoring systems, from the tables of a report. The text is valid both as
//! OpenMetrics and in the Prometheus text format, which node_exporter reads from a file.
//!
//! The text contains gauges, and for each configuration a classic histogram in seconds. Features that only one of the
//! formats has (counters, infos, exemplars, units, timestamps) are not used.

mod family;
mod name;

use std::collections::BTreeSet;

use super::{privacy, series};
use crate::format::RecordStatus;
use crate::nanos::Nanos;
use crate::report::table::{Cell, TableRow};
use crate::report::{Report, Table};
use crate::run::Run;
use crate::stats::{Grade, GradeRange};
use family::{Families, Labels};

/// Maximum number of configurations of a run for which series are written.
const MAX_CONFIGURATIONS: usize = 100;
/// Maximum number of sources of delay for which series are written: those that delayed the most
/// samples.
const MAX_CULPRITS: usize = 10;
/// The numbers that represent grades.
const GRADES: &str = "0 Excellent, 1 Good, 2 Fair, 3 Poor.";
/// Upper bounds of the histogram buckets: in nanoseconds, and as text in seconds.
const BUCKETS: [(i64, &str); 19] = [
    (1_000, "1e-06"),
    (2_000, "2e-06"),
    (5_000, "5e-06"),
    (10_000, "1e-05"),
    (20_000, "2e-05"),
    (50_000, "5e-05"),
    (100_000, "0.0001"),
    (200_000, "0.0002"),
    (500_000, "0.0005"),
    (1_000_000, "0.001"),
    (2_000_000, "0.002"),
    (5_000_000, "0.005"),
    (10_000_000, "0.01"),
    (20_000_000, "0.02"),
    (50_000_000, "0.05"),
    (100_000_000, "0.1"),
    (200_000_000, "0.2"),
    (500_000_000, "0.5"),
    (1_000_000_000, "1.0"),
];

/// A run for which metrics are written.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The key of the measurement within a quick check; absent if the run is not part of one.
    pub measurement: Option<&'static str>,
    /// The run, with private names redacted.
    pub run: &'a Run,
    /// The report of the run.
    pub report: &'a Report,
    /// Whether sources of delay have the names of other programs; otherwise they are Program A, B, …
    pub has_programs: bool,
}

/// Returns the metrics of a run, or of the runs of a quick check with its grade. Every number has
/// one series per configuration; a number without a value has none. The last line is `# EOF`.
pub fn text(sources: &[Source<'_>], check: Option<GradeRange>) -> String {
    let mut families = Families::default();
    let labels = Labels::default();
    if sources.iter().any(|source| source.measurement.is_some()) {
        let help = "1 where the verdict of the quick check has a grade, 0 where it has none.";
        families.gauge(
            "jitterscope_quick_graded",
            help,
            &labels,
            f64::from(u8::from(check.is_some())),
        );
    }
    if let Some(grade) = check {
        add_grade(
            &mut families,
            "jitterscope_quick_grade",
            "Verdict of the quick check",
            &labels,
            grade,
        );
    }
    for source in sources {
        add_run(&mut families, source);
    }
    families.text()
}

/// Returns the metrics of a recorder that runs.
pub fn of_recorder(status: &RecordStatus) -> String {
    let mut families = Families::default();
    let labels = Labels::default();
    let seconds = |time: Nanos| time.as_secs();
    let count = |count: usize| crate::stats::float(count);
    let [frames, stutters] = if status.is_of_thread {
        ["jitterscope_recorder_cycles", "jitterscope_recorder_late_cycles"]
    } else {
        ["jitterscope_recorder_frames", "jitterscope_recorder_stutters"]
    };
    for (name, help, value) in [
        ("jitterscope_recorder_length_seconds", "Length of the recording.", seconds(status.length)),
        (frames, "Number of frames or cycles so far.", count(status.frame_count)),
        (
            stutters,
            "Number of stutters, or of late cycles and overruns, so far.",
            count(status.stutter_count),
        ),
        ("jitterscope_recorder_stalls", "Number of stalls so far.", count(status.stall_count)),
        ("jitterscope_recorder_details", "Number of saved details.", count(status.detail_count)),
    ] {
        families.gauge(name, help, &labels, value);
    }
    if let Some(ring) = status.ring {
        let help = "Time of which the memory holds the kernel's records.";
        families.gauge("jitterscope_recorder_memory_seconds", help, &labels, seconds(ring));
    }
    families.text()
}

/// What metrics a host has.
#[derive(Clone, Copy, Debug)]
pub struct HostMetrics<'a> {
    /// The host, as the list of hosts names it.
    pub host: &'a str,
    /// Whether the host was measured.
    pub is_measured: bool,
    /// The words of the worst and of the best grade that the data allows; `None` without a grade.
    pub grades: Option<[&'a str; 2]>,
    /// The p99 lateness in nanoseconds.
    pub p99_nanos: Option<i64>,
    /// The longest gap in nanoseconds.
    pub longest_gap_nanos: Option<i64>,
}

/// Returns the metrics of several hosts, with one series per host.
pub fn of_hosts<'a>(hosts: impl Iterator<Item = HostMetrics<'a>>) -> String {
    let all = [Grade::Excellent, Grade::Good, Grade::Fair, Grade::Poor];
    let mut families = Families::default();
    for HostMetrics { host, is_measured, grades, p99_nanos, longest_gap_nanos } in hosts {
        let labels = Labels::default().with("host", host);
        let help = "1 where the host was measured, 0 where it failed or was not started.";
        families.gauge(
            "jitterscope_host_measured",
            help,
            &labels,
            f64::from(u8::from(is_measured)),
        );
        let grade = |word: &str| all.into_iter().find(|grade| grade.word() == word);
        if let Some([worst, best]) = grades
            && let (Some(worst), Some(best)) = (grade(worst), grade(best))
        {
            for (name, end, grade) in [
                ("jitterscope_host_grade", "worst", worst),
                ("jitterscope_host_grade_best", "best", best),
            ] {
                let help =
                    format!("Verdict of the host: the {end} grade that the data allows. {GRADES}");
                families.gauge(name, &help, &labels, f64::from(grade as u8));
            }
        }
        for (name, help, nanos) in [
            ("jitterscope_host_p99_lateness_seconds", "The p99 lateness.", p99_nanos),
            (
                "jitterscope_host_longest_gap_seconds",
                "The longest gap on any CPU.",
                longest_gap_nanos,
            ),
        ] {
            let seconds = nanos.map_or(f64::NAN, |nanos| Nanos::new(nanos).as_f64() / 1e9);
            families.gauge(name, help, &labels, seconds);
        }
    }
    families.text()
}

/// Adds a grade as two numbers: the worst and the best grade that are compatible with the data.
fn add_grade(families: &mut Families, name: &str, what: &str, labels: &Labels, grade: GradeRange) {
    for (end, name, grade) in
        [("worst", name.to_owned(), grade.worst()), ("best", format!("{name}_best"), grade.best())]
    {
        let help = format!("{what}: the {end} grade that the data allows. {GRADES}");
        families.gauge(&name, &help, labels, f64::from(grade as u8));
    }
}

fn add_run(families: &mut Families, source: &Source<'_>) {
    let Source { measurement, run, report, .. } = *source;
    let test = run.subject.key();
    let base = match measurement {
        Some(measurement) => Labels::default().with("measurement", measurement),
        None => Labels::default(),
    };
    let of_test = base.clone().with("test", test);
    let began = Nanos::new(run.started_at.as_millisecond()).as_f64() / 1e3;
    let help = "When the run began, in seconds since 1970 in UTC.";
    families.gauge("jitterscope_run_start_timestamp_seconds", help, &of_test, began);
    if let Some(grade) = report.verdict.grade {
        add_grade(families, "jitterscope_verdict_grade", "Verdict of the run", &of_test, grade);
    }
    let prefix = name::prefix(test);
    let mut known = BTreeSet::new();
    let configurations = report.tables.first();
    let rows = configurations
        .into_iter()
        .flat_map(|table| table.rows.iter().take(MAX_CONFIGURATIONS).map(move |row| (table, row)));
    for (table, row) in rows {
        let labels = base.clone().with("configuration", &unique(first_text(row), &mut known));
        add_row(families, &prefix, table, row, &labels);
        if let Some(row) = row.configuration.and_then(|at| report.rows.get(at)) {
            let name = format!("{prefix}_{}_seconds", name::slug(run.subject.value_name()));
            let values = series::lateness(run, Some(row));
            add_histogram(families, &name, run.subject.value_name(), &values, &labels);
        }
    }
    add_culprits(families, &format!("{prefix}_culprit"), source, &base);
}

/// Adds the sources of delay that delayed the most samples. The rows of the table `delays` have the order of the
/// ranking.
fn add_culprits(families: &mut Families, prefix: &str, source: &Source<'_>, base: &Labels) {
    let Some(table) = source.report.tables.iter().find(|table| table.key == "delays") else {
        return;
    };
    let (mut known, mut programs) = (BTreeSet::new(), 0);
    let ranked = table.rows.iter().zip(&source.report.delays.ranked);
    for (row, delay) in ranked.take(MAX_CULPRITS) {
        let name = match &delay.program {
            Some(_) if !source.has_programs => {
                programs += 1;
                privacy::program(programs - 1)
            }
            _ => delay.name.clone(),
        };
        let labels = base.clone().with("culprit", &unique(&name, &mut known));
        add_row(families, prefix, table, row, &labels.with("kind", delay.kind));
    }
}

/// Adds every number of a row; the name of the metric is derived from the key of the column.
fn add_row(families: &mut Families, prefix: &str, table: &Table, row: &TableRow, labels: &Labels) {
    for (column, cell) in table.columns.iter().zip(&row.cells) {
        let definition = column.definition.as_ref();
        let values = match cell {
            Cell::Grade(grade) => {
                add_grade(families, &format!("{prefix}_grade"), "Grade", labels, *grade);
                continue;
            }
            Cell::Interval(_, low, high) => vec![*low, *high],
            cell => cell.value().into_iter().collect(),
        };
        for (key, value) in column.exact_keys().iter().zip(values) {
            let (name, scale) = name::of_key(prefix, key);
            families.gauge(&name, definition, labels, value / scale);
        }
    }
}

fn add_histogram(
    families: &mut Families,
    name: &str,
    value_name: &str,
    values: &[i64],
    labels: &Labels,
) {
    if values.is_empty() {
        return;
    }
    let help =
        format!("Distribution of {value_name} over all samples. A negative value counts as 0.");
    let counts = BUCKETS
        .map(|(end, seconds)| (seconds, values.iter().filter(|value| **value <= end).count()));
    let sum: f64 = values.iter().map(|value| Nanos::new((*value).max(0)).as_f64()).sum();
    families.histogram(name, &help, labels, &counts, values.len(), sum / 1e9);
}

/// Returns the name of a row: the text of its first cell; empty if this cell has no text.
fn first_text(row: &TableRow) -> &str {
    match row.cells.first() {
        Some(Cell::Text(text)) => text,
        _ => "",
    }
}

/// Returns `name`, with a number added if it is in `known`: two series with the same labels are invalid.
fn unique(name: &str, known: &mut BTreeSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut number = 1_usize;
    while !known.insert(unique.clone()) {
        number += 1;
        unique = format!("{name} ({number})");
    }
    unique
}
