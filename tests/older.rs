//! Runs of the last version before result tables had typed cells: opened today, they have the same figures as
//! that version exported.
//!
//! The folder `older/` contains files that this version wrote: a run of each test with its summary, an
//! imported log of frame times, and a list of all runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jitterscope_engine::plan::Plan;
use jitterscope_engine::plan::game_tick::ThreadCounts;
use jitterscope_engine::plan::scheduling_gaps::ProbedCpus;
use jitterscope_engine::plan::sleep_accuracy::Timers;
use jitterscope_engine::report::table::TableRow;
use jitterscope_engine::report::{Options, Report, Table};
use jitterscope_engine::run::{Capture, Run};
use jitterscope_engine::store::{self, Store};

use crate::cli::program;

/// The name of a figure in the older summary, the column that has this figure today, and whether today's
/// value also includes the requested duration.
type Figure = (&'static str, &'static str, bool);

const PACED: &[Figure] = &[
    ("count", "samples_count", false),
    ("lost", "lost_count", false),
    ("min_nanos", "min_nanos", false),
    ("p50_nanos", "p50_nanos", false),
    ("p95_nanos", "p95_nanos", false),
    ("p99_nanos", "p99_nanos", false),
    ("p99_9_nanos", "p99_9_nanos", false),
    ("max_nanos", "max_nanos", false),
    ("mean_nanos", "mean_nanos", false),
    ("std_dev_nanos", "std_dev_nanos", false),
    ("missed", "missed_count", false),
    ("slots", "slots_count", false),
    ("late", "late_count", false),
    ("frame_time_mean_nanos", "frame_time_mean_nanos", false),
    ("frame_time_std_dev_nanos", "frame_time_std_dev_nanos", false),
    ("work_p99_nanos", "work_p99_nanos", false),
    ("one_percent_low_fps", "one_percent_low_fps", false),
    ("average_fps", "average_fps", false),
    ("drift_nanos", "drift_nanos", false),
    ("foreign_cpu_share", "other_cpu_share", false),
];

const SLEEP: &[Figure] = &[
    ("count", "samples_count", false),
    ("period_nanos", "requested_nanos", false),
    ("min_nanos", "best_nanos", true),
    ("p50_nanos", "p50_nanos", true),
    ("p95_nanos", "p95_nanos", true),
    ("p99_nanos", "p99_nanos", true),
    ("max_nanos", "worst_nanos", true),
    ("mean_nanos", "average_nanos", true),
    ("mean_nanos", "overshoot_average_nanos", false),
    ("p99_nanos", "overshoot_p99_nanos", false),
];

const SPIN: &[Figure] = &[
    ("count", "samples_count", false),
    ("period_nanos", "requested_nanos", false),
    ("mean_nanos", "average_nanos", true),
    ("mean_nanos", "overshoot_average_nanos", false),
    ("p50_nanos", "overshoot_p50_nanos", false),
    ("p99_nanos", "overshoot_p99_nanos", false),
    ("max_nanos", "overshoot_max_nanos", false),
];

const GAPS: &[Figure] = &[
    ("count", "gaps_count", false),
    ("p50_nanos", "p50_nanos", false),
    ("p99_nanos", "p99_nanos", false),
    ("p99_9_nanos", "p99_9_nanos", false),
    ("max_nanos", "longest_nanos", false),
    ("foreign_cpu_share", "other_cpu_share", false),
];

const TICK: &[Figure] = &[
    ("count", "samples_count", false),
    ("p50_nanos", "p50_nanos", false),
    ("p99_nanos", "p99_nanos", false),
    ("max_nanos", "longest_nanos", false),
];

const TESTS: [(&str, &[Figure]); 6] = [
    ("frame-loop", PACED),
    ("sleep-accuracy", SLEEP),
    ("spin-strategies", SPIN),
    ("scheduling-gaps", GAPS),
    ("real-time", PACED),
    ("game-tick", TICK),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("older")
}

fn load(name: &str) -> Run {
    store::load(&folder().join(format!("{name}{}", store::EXTENSION))).unwrap()
}

/// Returns the exact value of a cell, as exported files contain it.
fn exact(table: &Table, row: &TableRow, key: &str) -> String {
    let at = table.exact_keys().iter().position(|known| known == key);
    let at = at.unwrap_or_else(|| panic!("no column '{key}'"));
    table.exact_values(row)[at].to_string()
}

fn is_same(then: &str, now: &str, added: f64) -> bool {
    match (then.parse::<f64>(), now.parse::<f64>()) {
        (Ok(then), Ok(now)) => {
            let then = then + added;
            (then - now).abs() <= 1e-12 * then.abs().max(now.abs())
        }
        _ => then == now,
    }
}

#[test]
fn older_runs_open_with_equal_figures() {
    let mut problems = Vec::new();
    let mut count = 0;
    for (test, figures) in TESTS {
        let report = Report::of(&load(test), &Options::default());
        let table = &report.tables[0];
        let summary = fs::read_to_string(folder().join(format!("{test}.csv"))).unwrap();
        let mut summary = csv::Reader::from_reader(summary.as_bytes());
        let head = summary.headers().unwrap().clone();
        for then in summary.records() {
            let then = then.unwrap();
            let of = |key: &str| &then[head.iter().position(|known| known == key).unwrap()];
            let label = of("label");
            let position = report.rows.iter().position(|row| row.label == label).unwrap();
            let row = table.rows.iter().find(|row| row.configuration == Some(position)).unwrap();
            for &(old, new, is_added) in figures {
                let added = if is_added { of("period_nanos").parse().unwrap() } else { 0.0 };
                let (then, now) = (of(old), exact(table, row, new));
                count += 1;
                if !is_same(then, &now, added) {
                    problems.push(format!("{test}, {label}: {old} was {then}, {new} is {now}"));
                }
            }
        }
    }
    println!("{count} figures compared");
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn an_older_import_opens_with_its_frame_times() {
    let run = load("imported");
    let Some(Capture::Frames(recordings)) = run.capture() else { panic!("{:?}", run.capture()) };
    let [recording] = recordings.as_slice() else { panic!("{} recordings", recordings.len()) };
    // The log has 150 frame times; the older version added an invented sample before the first one.
    assert_eq!(recording.frame_times.len(), 150);
    assert_eq!(run.note, "Imported from a MangoHud log.");
    // The frame times are whole nanoseconds, so the length of the run is exactly their sum.
    let sum: i64 = recording.frame_times.values().sum();
    assert_eq!(sum, run.measured().get());
}

#[test]
fn an_older_list_of_runs_is_replaced_by_the_same_one() {
    let temporary = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, temporary.path().join(path.file_name().unwrap())).unwrap();
    }
    let lines = Store::at(temporary.path()).lines().unwrap();
    let list = fs::read_to_string(folder().join("index.jitterscope.cache")).unwrap();
    let mut count = 0;
    for then in list.lines().skip(1) {
        let then: Vec<&str> = then.split('\t').collect();
        let [_, _, _, id, name, _, test, machine, started_at, measured, _, best_p99, ..] = then[..]
        else {
            panic!("{then:?}");
        };
        let now = lines.iter().filter_map(|line| line.run.as_ref().ok());
        let now = now.into_iter().find(|run| run.id.as_str() == id).unwrap();
        assert_eq!((now.name.as_str(), now.machine.as_str()), (name, machine));
        assert_eq!(now.started_at.to_string(), started_at);
        if name == "mango" {
            // An imported log has no schedule and therefore no lateness.
            assert_eq!((now.test.as_str(), now.headline.best_p99), ("frame-capture", None));
        } else {
            let p99 = now.headline.best_p99.map_or(String::new(), |p99| p99.get().to_string());
            assert_eq!((now.test.as_str(), p99.as_str()), (test, best_p99));
            assert_eq!(now.measured.get().to_string(), measured);
        }
        count += 1;
    }
    assert_eq!((count, lines.len()), (7, 7));
}

/// Opens a run of that version after replacing a part of its text.
fn changed(name: &str, old: &str, new: &str) -> Run {
    let text = fs::read_to_string(folder().join(format!("{name}{}", store::EXTENSION))).unwrap();
    assert!(text.contains(old), "{name}: {old}");
    store::format::read(text.replace(old, new).as_bytes()).unwrap()
}

#[test]
fn older_keys_and_values_of_run_files_are_read() {
    for (name, _) in TESTS {
        let text =
            fs::read_to_string(folder().join(format!("{name}{}", store::EXTENSION))).unwrap();
        assert!(text.contains("\"as_asked\"") && text.contains("\"virtualisation\":\"KVM\""));
        assert!(!text.contains("as_requested") && !text.contains("virtualization"), "{name}");
        let run = load(name);
        assert_eq!(run.machine.virtualization.as_deref(), Some("KVM"), "{name}");
        assert!(Report::of(&run, &Options::default()).rows[0].is_as_requested(), "{name}");
    }
    let run = changed("sleep-accuracy", "\"timers\":[\"usual\"]", "\"timers\":[\"usual\"]");
    let Some(Plan::SleepAccuracy(plan)) = run.plan() else { panic!() };
    assert_eq!(plan.timers, [Timers::Default]);
    let run = changed(
        "scheduling-gaps",
        "\"cpus\":\"every\",\"chosen\":[]",
        "\"cpus\":\"chosen\",\"chosen\":[1]",
    );
    let Some(Plan::SchedulingGaps(plan)) = run.plan() else { panic!() };
    assert_eq!((plan.cpus, plan.custom.as_slice()), (ProbedCpus::Custom, &[1][..]));
    let run = changed("game-tick", "\"chosen\":[", "\"chosen\":[7,");
    let Some(Plan::GameTick(plan)) = run.plan() else { panic!() };
    assert_eq!((plan.counts, plan.custom[0]), (ThreadCounts::Custom, 7));
}

/// Returns the names that the changelog lists as still accepted on the command line, each with its current
/// name.
fn renamed() -> Vec<(String, String)> {
    let changelog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/CHANGELOG.md");
    let changelog = fs::read_to_string(changelog).unwrap();
    let line = changelog.lines().find(|line| line.contains("values are still accepted:")).unwrap();
    let mut waiting = Vec::new();
    let mut found = Vec::new();
    let words: Vec<&str> = line.split('`').collect();
    for pair in words.windows(2).skip(1).step_by(2) {
        let (name, after) = (pair[0].to_owned(), pair[1]);
        if after.starts_with(')') {
            found.extend(waiting.drain(..).map(|old| (old, name.clone())));
        } else {
            waiting.push(name);
        }
    }
    assert!(waiting.is_empty(), "{waiting:?}");
    found
}

#[test]
fn newer_run_file_is_refused_with_what_to_do() {
    let text =
        fs::read_to_string(folder().join(format!("frame-loop{}", store::EXTENSION))).unwrap();
    let (old, new) = ("\"format_version\":1", "\"format_version\":2");
    assert!(text.contains(old));
    let newer = text.replace(old, new);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join(format!("newer{}", store::EXTENSION));
    fs::write(&file, &newer).unwrap();
    let path = file.to_str().unwrap();
    for args in [["runs", "show", path], ["import", path, "--save"], ["export", path, "--as=csv"]] {
        let output = Command::new(program())
            .arg("--data-dir")
            .arg(place.path().join("runs"))
            .args(args)
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
        let words = "made by a newer version (format 2, this version reads up to 1); \
                     update Jitterscope to open it";
        assert!(error.contains(words), "{args:?}: {error}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), newer);
    let saved = Store::at(place.path().join("runs"));
    assert!(saved.lines().is_ok_and(|list| list.is_empty()));
}

/// Returns the error output of a command with invalid arguments, which starts no measurement.
fn errors(args: &[&str]) -> String {
    let output = Command::new(program()).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn older_options_and_values_of_the_changelog_are_accepted() {
    let known = renamed();
    for (old, new) in &known {
        let accepted = match (old.as_str(), new.as_str()) {
            ("--late-limit" | "--turn" | "--what", _) => {
                let test = if old == "--what" { "game-tick" } else { "real-time" };
                errors(&[test, old, "nope"]).starts_with(&format!("error: {new}: invalid value"))
            }
            ("--at-most", _) => errors(&["sleep-accuracy", old, "nope"])
                .starts_with(&format!("error: {new}: invalid value")),
            ("chosen", "custom") => [
                ["game-tick", "--threads", old, "--seed", "nope"],
                ["scheduling-gaps", "--cpus", old, "--duration", "nope"],
            ]
            .iter()
            .all(|args| {
                let errors = errors(args);
                errors.lines().count() == 1 && errors.contains(args[3])
            }),
            ("usual", "default") => ["sleep-accuracy", "spin-strategies"].iter().all(|test| {
                let errors = errors(&[test, "--preset", old, "--count", "nope"]);
                errors.lines().count() == 1 && errors.contains("--count")
            }),
            ("source" | "latency2", "reference") => {
                let file = folder().join(format!("scheduling-gaps{}", store::EXTENSION));
                let shown = |format: &str| {
                    let args = ["runs", "show", file.to_str().unwrap(), "--format", format];
                    let output = Command::new(program()).args(args).output().unwrap();
                    assert!(output.status.success(), "{output:?}");
                    output.stdout
                };
                !shown(new).is_empty() && shown(old) == shown(new)
            }
            _ => panic!("{old} ({new}) is not tested"),
        };
        assert!(accepted, "{old}");
    }
    assert_eq!(known.len(), 8, "{known:?}");
}
