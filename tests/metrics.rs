//! Metrics for monitoring: valid under the strict rules of both text formats, and equal to the values in the
//! tables.

use std::collections::{BTreeMap, BTreeSet};

use jitterscope_engine::export::openmetrics::{self, Source};
use jitterscope_engine::report::table::{Cell, Quantity};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::Store;

use crate::cli;
use crate::exchange::sample;

/// A series: its name, and its labels in the order of the file.
type Series = (String, Vec<(String, String)>);

/// The content of a metrics file: the kind of each family, and the value of each series.
#[derive(Debug, Default)]
struct Metrics {
    kinds: BTreeMap<String, String>,
    values: BTreeMap<Series, f64>,
}

fn is_name(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next().is_some_and(|first| first.is_ascii_lowercase())
        && letters
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_')
}

/// Parses labels up to the closing brace; returns them and the rest of the line.
fn labels(mut rest: &str) -> (Vec<(String, String)>, &str) {
    let mut found: Vec<(String, String)> = Vec::new();
    loop {
        let (name, after) = rest.split_once("=\"").expect("a label");
        assert!(is_name(name) && found.iter().all(|(known, _)| known != name), "{rest}");
        let mut value = String::new();
        let mut letters = after.char_indices();
        let end = loop {
            match letters.next().expect("a closing quote") {
                (at, '"') => break at,
                (_, '\\') => match letters.next() {
                    Some((_, letter @ ('\\' | '"'))) => value.push(letter),
                    other => panic!("an escape that the formats do not share: {other:?}"),
                },
                (_, letter) => value.push(letter),
            }
        };
        found.push((name.to_owned(), value));
        rest = &after[end + 1..];
        if let Some(rest) = rest.strip_prefix('}') {
            return (found, rest);
        }
        rest = rest.strip_prefix(',').expect("a comma");
    }
}

/// Parses a file by the rules that both text formats share; panics if a rule is broken.
fn read(text: &str) -> Metrics {
    let lines = text.strip_suffix("# EOF\n").expect("the end of the file");
    assert!(!lines.contains("# EOF") && (lines.is_empty() || lines.ends_with('\n')));
    let mut metrics = Metrics::default();
    let (mut family, mut kind) = (String::new(), String::new());
    let mut lines = lines.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(is_name(name) && !help.is_empty() && !help.contains(['"', '\n']), "{line}");
            for suffix in ["_total", "_count", "_sum", "_bucket", "_info", "_created"] {
                assert!(!name.ends_with(suffix), "{name} belongs to another kind");
            }
            let of_kind = lines.next().unwrap().strip_prefix(&format!("# TYPE {name} ")).unwrap();
            assert!(["gauge", "histogram"].contains(&of_kind), "{of_kind}");
            let before = metrics.kinds.insert(name.to_owned(), of_kind.to_owned());
            assert_eq!(before, None, "{name} is in two places");
            (family, kind) = (name.to_owned(), of_kind.to_owned());
            continue;
        }
        let end = line.find(['{', ' ']).unwrap();
        let (name, rest) = line.split_at(end);
        let suffix = name.strip_prefix(family.as_str()).expect("a series of the family");
        let suffixes: &[&str] =
            if kind == "gauge" { &[""] } else { &["_bucket", "_sum", "_count"] };
        assert!(suffixes.contains(&suffix), "{line}");
        let (labels, rest) = rest.strip_prefix('{').map_or((Vec::new(), rest), labels);
        let value = rest.strip_prefix(' ').expect("one blank before the value");
        let value: f64 = value.parse().unwrap();
        assert!(value.is_finite(), "{line}");
        let before = metrics.values.insert((name.to_owned(), labels), value);
        assert_eq!(before, None, "twice: {line}");
    }
    check_histograms(&metrics);
    metrics
}

fn check_histograms(metrics: &Metrics) {
    let mut buckets: BTreeMap<Series, Vec<(f64, f64)>> = BTreeMap::new();
    for ((name, labels), count) in &metrics.values {
        let Some(family) = name.strip_suffix("_bucket") else { continue };
        let (end, labels) = labels.split_last().unwrap();
        assert_eq!(end.0, "le");
        let end: f64 = end.1.replace("+Inf", "inf").parse().unwrap();
        buckets.entry((family.to_owned(), labels.to_vec())).or_default().push((end, *count));
    }
    for ((family, labels), mut ends) in buckets {
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(ends.is_sorted_by(|one, next| one.0 < next.0 && one.1 <= next.1), "{family}");
        let (end, count) = ends.last().unwrap();
        assert_eq!(*end, f64::INFINITY, "{family}");
        assert_eq!(metrics.values[&(format!("{family}_count"), labels.clone())], *count);
        assert!(0.0 <= metrics.values[&(format!("{family}_sum"), labels)]);
    }
}

fn text_of(run: &Run, report: &Report, has_programs: bool) -> String {
    openmetrics::text(&[Source { measurement: None, run, report, has_programs }], None)
}

/// Checks that the metrics of a run are valid and contain every number in the table of its configurations.
pub(crate) fn check_run(run: &Run) {
    let report = Report::of(run, &Options::default());
    let metrics = read(&text_of(run, &report, false));
    let table = &report.tables[0];
    let test = run.subject.key().replace('-', "_");
    let mut count = 0;
    for (row, at) in table.rows.iter().zip(0..) {
        let names: Vec<&Cell> = table.rows[..at].iter().map(|row| &row.cells[0]).collect();
        let Cell::Text(label) = &row.cells[0] else { panic!("{test}: a row without a name") };
        if names.contains(&&row.cells[0]) {
            continue;
        }
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let (value, scale) = match (cell, column.key.strip_suffix("_nanos")) {
                (Cell::Time(value), _) => (*value, 1e9),
                (Cell::Count(_) | Cell::Share(_) | Cell::Rate(_), _) => {
                    (cell.value().unwrap(), 1.0)
                }
                (Cell::Interval(Quantity::Time, low, _), _) => (*low, 1e9),
                _ => continue,
            };
            let wanted = |((name, labels), found): &(&Series, &f64)| {
                name.starts_with(&format!("jitterscope_{test}_"))
                    && labels.contains(&("configuration".to_owned(), label.clone()))
                    && (**found - value / scale).abs() <= 1e-12 * (value / scale).abs()
            };
            assert!(
                metrics.values.iter().any(|one| wanted(&one)),
                "{test}: {}, {value}",
                column.key
            );
            count += 1;
        }
    }
    assert!(table.rows.is_empty() || 0 < count, "{test}");
    let is_complete = report.rows.iter().all(|row| row.summary.is_some());
    let histograms = metrics.kinds.values().filter(|kind| *kind == "histogram").count();
    assert!(histograms == 1 || !is_complete || run.capture().is_some(), "{test}: {histograms}");
}

#[test]
fn hostile_labels_and_equal_names_stay_valid_metrics() {
    let mut run = sample::run("a \"b\" \\ \n c");
    for trial in &mut run.trials {
        trial.trial.label = "a \"b\" \\ \n c\u{202e}".to_owned();
    }
    let report = Report::of(&run, &Options::default());
    let metrics = read(&text_of(&run, &report, true));
    let labels: BTreeSet<&String> = metrics
        .values
        .keys()
        .flat_map(|(_, labels)| labels)
        .filter_map(|(name, value)| (name == "configuration").then_some(value))
        .collect();
    assert!(labels.iter().all(|label| label.starts_with("a \"b\" \\   c")), "{labels:?}");
}

#[test]
fn metrics_file_is_replaced_whole_and_holds_p99_in_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let run = sample::run("x");
    Store::at(folder.path().join("runs")).save(&run).unwrap();
    let file = folder.path().join("jitterscope.prom");
    std::fs::write(&file, "old").unwrap();
    let out = file.to_str().unwrap();
    let runs = folder.path().join("runs");
    let args = ["--data-dir", runs.to_str().unwrap(), "runs", "show", run.id.as_str()];
    let args = [&args[..], &["--format", "openmetrics", "--out", out]].concat();
    let output = cli::run(&folder, &args[2..]);
    // The run is not in the folder that this command uses, so the command fails.
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old", "a failure replaces nothing");
    let output = std::process::Command::new(cli::program()).args(&args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metrics = read(&std::fs::read_to_string(&file).unwrap());
    let report = Report::of(&run, &Options::default());
    let p99 = report.rows[0].p99().unwrap().as_f64() / 1e9;
    let labels = vec![("configuration".to_owned(), report.rows[0].label.clone())];
    let found = metrics.values[&("jitterscope_frame_loop_p99_seconds".to_owned(), labels)];
    assert!((found - p99).abs() < 1e-12, "{found} {p99}");
}

#[cfg(unix)]
#[test]
fn metrics_folder_that_cannot_be_written_leaves_the_old_file() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let folder = tempfile::tempdir().unwrap();
    let run = sample::run("x");
    let saved = Store::at(folder.path().join("runs")).save(&run).unwrap();
    std::fs::set_permissions(saved, std::fs::Permissions::from_mode(0o644)).unwrap();
    let file = folder.path().join("jitterscope.prom");
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = std::fs::read_dir("/root").is_ok();
    for out in [file.as_path(), std::path::Path::new("/nonexistent/x.prom")] {
        let mut command = std::process::Command::new(cli::program());
        if is_root {
            command.uid(65_534).gid(65_534);
        }
        command.arg("--data-dir").arg(folder.path().join("runs"));
        command.args(["runs", "show", run.id.as_str(), "--format", "openmetrics", "--out"]);
        let Ok(output) = command.arg(out).output() else {
            println!("skipped: the account nobody may not start the program");
            return;
        };
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(out.to_str().unwrap()) && error.lines().count() == 1, "{error}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
}
