//! Exports of many runs as Parquet: schema, privacy, two exports at the same time, and what happens with
//! invalid folders and files and with full disks. The tests' package turns on the feature `fleet` for this.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jitterscope_engine::export::dataset::{Dataset, fields, subjects};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::TraceSource;
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::{Run, RunId, Trace, counter};
use jitterscope_engine::sample::{Sample, TraceEvent, TraceRecord};
use jitterscope_engine::store::Store;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use super::exchange::sample;

type Row = BTreeMap<String, Field>;

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(super::cli::program());
    command.arg("--data-dir").arg(folder.join("runs")).args(args).current_dir(folder);
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

#[track_caller]
fn check(output: &Output, status: i32, expected: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{error}");
    assert!(error.contains(expected), "{expected}: {error}");
}

/// The arguments of an export of all runs.
const ALL: [&str; 8] = ["export", "--all", "--as", "parquet", "--salt", "salt", "--out", "out"];

/// Creates a folder with a salt file and these saved runs.
fn folder_with(runs: &[Run]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("salt"), "0123456789abcdef\n").unwrap();
    for run in runs {
        Store::at(folder.path().join("runs")).save(run).unwrap();
    }
    folder
}

fn files(below: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![below.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn rows(file: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().into_columns().into_iter().collect()).collect()
}

fn rows_of(folder: &Path, dataset: &str) -> Vec<Row> {
    files(&folder.join("out").join(dataset)).iter().flat_map(|file| rows(file)).collect()
}

#[test]
fn rows_equal_the_tables_and_stand_under_test_and_day() {
    let run_in = sample::run("x");
    let folder = folder_with(std::slice::from_ref(&run_in));
    let output = run(folder.path(), &[&ALL[..], &["--samples"]].concat());
    check(&output, 0, "1 run written to 3 files in out");
    let report = Report::of(&run_in, &Options::default());
    let runs = rows_of(folder.path(), "runs");
    assert_eq!(runs.len(), report.rows.len());
    let part = "out/runs/test=frame-loop/day=2026-11-21";
    assert_eq!(files(&folder.path().join(part)).len(), 1);
    for (row, configuration) in runs.iter().zip(&report.rows) {
        assert_eq!(row["run_id"], Field::Str("0a1b2c3d".to_owned()));
        assert_eq!(row["configuration"], Field::Str(configuration.label.clone()));
        let p99 = Field::Double(configuration.p99().unwrap().as_f64());
        assert_eq!((&row["metric_p99_nanos"], &row["p99_nanos"]), (&p99, &p99));
        let began = run_in.started_at.as_microsecond();
        assert_eq!(row["started_at"], Field::TimestampMicros(began));
        let count = configuration.summary.as_ref().unwrap().lateness.count;
        assert_eq!(row["samples_count"], Field::Long(i64::try_from(count).unwrap()));
    }
    let samples = rows_of(folder.path(), "samples");
    assert_eq!(samples.len(), run_in.sample_count());
    let first = run_in.trials[0].samples.iter().next().unwrap();
    assert_eq!(samples[0]["woke_nanos"], Field::Long(first.woke.get()));
    assert_eq!(samples[0]["value_nanos"], Field::Long(first.late().get()));
    assert_eq!(samples[1]["slept_nanos"], Field::Null);
}

#[test]
fn renamed_run_is_a_new_row_with_another_revision() {
    let folder = folder_with(&[sample::run("x")]);
    check(&run(folder.path(), &ALL), 0, "");
    let before = files(&folder.path().join("out"));
    let bytes: Vec<Vec<u8>> = before.iter().map(|file| fs::read(file).unwrap()).collect();
    let renamed = Run { name: "another".to_owned(), ..sample::run("x") };
    fs::remove_dir_all(folder.path().join("runs")).unwrap();
    Store::at(folder.path().join("runs")).save(&renamed).unwrap();
    check(&run(folder.path(), &ALL), 0, "");
    for (file, bytes) in before.iter().zip(bytes) {
        assert_eq!(fs::read(file).unwrap(), bytes, "{file:?} was written again");
    }
    let rows = rows_of(folder.path(), "runs");
    let revisions: std::collections::BTreeSet<String> =
        rows.iter().map(|row| row["revision"].to_string()).collect();
    assert_eq!((rows.len(), revisions.len()), (4, 2));
}

#[test]
fn two_writers_share_a_folder() {
    let folder = folder_with(&[sample::run("x")]);
    let writers: Vec<_> = (0..4).map(|_| command(folder.path(), &ALL).spawn().unwrap()).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(rows_of(folder.path(), "runs").len(), 4 * 2);
    assert!(
        files(&folder.path().join("out"))
            .iter()
            .all(|file| { file.extension().is_some_and(|extension| extension == "parquet") })
    );
}

#[test]
fn runs_since_a_date_or_an_age_are_exported() {
    let later = Run {
        id: RunId::parse("1a1b2c3d").unwrap(),
        started_at: "2026-11-23T23:59:59Z".parse().unwrap(),
        ..sample::run("x")
    };
    let folder = folder_with(&[sample::run("x"), later]);
    let output = run(folder.path(), &[&ALL[..], &["--since", "2026-11-22"]].concat());
    check(&output, 0, "1 run written");
    assert_eq!(files(&folder.path().join("out/runs/test=frame-loop/day=2026-11-23")).len(), 1);
    let output = run(folder.path(), &[&ALL[..], &["--since", "1m"]].concat());
    check(&output, 0, "0 runs written to 0 files");
    let output = run(folder.path(), &[&ALL[..], &["--since", "soon"]].concat());
    check(&output, 2, "expected an age such as 7d or 12h, or a date such as 2026-11-23");
}

#[test]
fn wrong_options_and_salts_are_one_sentence() {
    let folder = folder_with(&[sample::run("x")]);
    fs::write(folder.path().join("short"), "abc").unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (args, status, expected) in [
        (&["export", "--as", "parquet"][..], 2, "RUN"),
        (&["export", "--all", "--as", "html"], 1, "--all needs --as parquet"),
        (&["export", "0a1b", "--as", "csv", "--salt", "salt"], 1, "--salt needs --as parquet"),
        (&["export", "0a1b", "--as", "parquet", "--salt", "salt"], 1, "needs a folder: --out"),
        (&["export", "0a1b", "--as", "parquet", "--out", "out"], 1, "needs --salt FILE"),
        (
            &["export", "0a1b", "--as", "parquet", "--salt", "none", "--out", "out"],
            1,
            "the salt cannot be read",
        ),
        (
            &["export", "0a1b", "--as", "parquet", "--salt", "short", "--out", "out"],
            1,
            "the salt has 3 bytes; expected 16 to 4096: short",
        ),
        (
            &["export", "0a1b", "--as", "parquet", "--salt", "salt", "--out", "file"],
            1,
            "not a folder: file",
        ),
        (
            &[
                "export", "0a1b", "--as", "parquet", "--salt", "salt", "--out", "out", "--table",
                "x",
            ],
            1,
            "--table is not an option of --as parquet",
        ),
    ] {
        check(&run(folder.path(), args), status, expected);
        assert!(!folder.path().join("out").exists(), "{args:?}");
    }
}

#[test]
fn foreign_and_half_written_files_stay_and_unreadable_runs_are_reported() {
    let folder = folder_with(&[sample::run("x")]);
    let part = folder.path().join("out/runs/test=frame-loop/day=2026-11-21");
    fs::create_dir_all(&part).unwrap();
    let foreign = [("other.parquet", "PAR1 of another schema"), (".half.tmp", "PAR1")];
    for (name, text) in foreign {
        fs::write(part.join(name), text).unwrap();
    }
    fs::write(folder.path().join("runs/2026-11-20-frame-loop-0b1b2c3d.jitterscope.json"), "{")
        .unwrap();
    let output = run(folder.path(), &ALL);
    check(&output, 1, "1 run written to 2 files");
    check(&output, 1, "skipped: cannot be read: ");
    check(&output, 1, "line 1, column 1");
    for (name, text) in foreign {
        assert_eq!(fs::read_to_string(part.join(name)).unwrap(), text);
    }
    assert_eq!(fs::read_dir(&part).unwrap().count(), 3);
}

/// The limit on the file size makes a write fail, as a full disk does.
#[cfg(unix)]
#[test]
fn export_that_does_not_fit_leaves_no_file() {
    let folder = folder_with(&[sample::run("x")]);
    let program = super::cli::program();
    let script = format!(
        "ulimit -f 4; exec {} --data-dir runs {} --samples",
        program.display(),
        ALL.join(" ")
    );
    let limited = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output();
    let output = limited.unwrap();
    check(&output, 1, "cannot write the output: ");
    check(&output, 1, "nothing was written");
    assert_eq!(files(&folder.path().join("out")), Vec::<PathBuf>::new());
}

/// Adds a trace to the run in which a program with this name delays the late frames.
fn add_culprit(run: &mut Run, name: &str) {
    for trial in &mut run.trials {
        let facts =
            [(counter::TRACE_SOURCE, TraceSource::Kernel.number()), (counter::TRACE_THREAD, 7_000)];
        trial.counters.extend(facts.map(|(key, value)| (key.to_owned(), value)));
        let above = trial.trial.trace_above().unwrap();
        let samples: Vec<Sample> = trial.samples.iter().collect();
        let mut records = Vec::new();
        for pair in samples.windows(2).filter(|pair| above < pair[1].late()) {
            let (before, late) = (pair[0], pair[1]);
            let early = late.due - Nanos::from_millis(1);
            for (at, event, thread, name) in [
                (before.woke, TraceEvent::SwitchIn, 7_000, None),
                (late.began + Nanos::new(10_000), TraceEvent::Slept, 7_000, None),
                (early, TraceEvent::SwitchIn, 100, Some(0)),
                (late.due + Nanos::new(1_000), TraceEvent::Waking, 7_000, None),
                (late.woke - Nanos::new(2_000), TraceEvent::SwitchIn, 7_000, None),
            ] {
                let (thread, value) = (Some(thread), Some(120));
                records.push(TraceRecord { at, event, cpu: 1, thread, name, value });
            }
        }
        trial.trace = Some(Trace::from_records(vec![name.to_owned()], &records));
    }
}

#[test]
fn no_file_has_a_name_and_keys_depend_on_the_salt() {
    let secrets = ["qx7user", "qx7host", "qx7home", "10.77.1.9", "qx7game"];
    let words = "qx7user of qx7host in /home/qx7home at 10.77.1.9";
    let mut run_in = sample::run(words);
    run_in.host = Some("qx7user@qx7host".to_owned());
    // Four numbers separated by dots in the name of a system are a version, but would be redacted as an IP
    // address.
    run_in.machine.os = Some("Linux".to_owned());
    add_culprit(&mut run_in, "qx7game");
    let folder = folder_with(&[run_in]);
    let export = |more: &[&str]| {
        let mut command = command(folder.path(), &[&ALL[..], more].concat());
        command.envs([("USER", "qx7user"), ("HOSTNAME", "qx7host"), ("HOME", "/home/qx7home")]);
        check(&command.output().unwrap(), 0, "written");
        let found = rows_of(folder.path(), "runs")[0].clone();
        assert!(!rows_of(folder.path(), "culprits").is_empty());
        let bytes: Vec<u8> = files(&folder.path().join("out"))
            .iter()
            .flat_map(|file| fs::read(file).unwrap())
            .collect();
        let text: String = rows_of(folder.path(), "runs")
            .iter()
            .chain(&rows_of(folder.path(), "culprits"))
            .chain(&rows_of(folder.path(), "samples"))
            .fold(String::new(), |text, row| text + &format!("{row:?}"));
        fs::remove_dir_all(folder.path().join("out")).unwrap();
        (found, text + &String::from_utf8_lossy(&bytes))
    };
    let (row, text) = export(&["--samples"]);
    for secret in secrets {
        assert!(!text.to_lowercase().contains(secret), "{secret}");
    }
    let (named, text) = export(&["--with-names"]);
    assert!(text.contains("qx7host") && text.contains("qx7game"));
    assert_eq!(row["machine_key"], named["machine_key"]);
    fs::write(folder.path().join("salt"), "another salt of 29 characters").unwrap();
    let (other, _) = export(&[]);
    assert_ne!(row["machine_key"], other["machine_key"]);
}

/// Needs a file system of limited size: skipped where this user cannot mount one.
#[cfg(target_os = "linux")]
#[test]
fn export_to_a_full_disk_leaves_no_file() {
    let folder = folder_with(&[sample::run("x")]);
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"];
    let mounted = Command::new("mount").args(mount).arg(&out).status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: no file system can be mounted here");
        return;
    }
    fs::write(out.join("other"), vec![0; 56 << 10]).unwrap();
    let output = run(folder.path(), &[&ALL[..], &["--samples"]].concat());
    let found = files(&out);
    assert!(Command::new("umount").arg(&out).status().unwrap().success());
    check(&output, 1, "No space left on device");
    check(&output, 1, "nothing was written");
    assert_eq!(found, [out.join("other")]);
}

#[test]
fn every_column_of_a_file_is_described() {
    let folder = folder_with(&[sample::run("x")]);
    check(&run(folder.path(), &[&ALL[..], &["--samples"]].concat()), 0, "");
    let subject = &subjects()[0];
    for dataset in Dataset::ALL {
        let file = &files(&folder.path().join("out").join(dataset.key()))[0];
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let found: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
        let described = fields(dataset, subject);
        let described: Vec<&str> = described.iter().map(|field| field.key.as_ref()).collect();
        assert_eq!(found, described);
    }
}
