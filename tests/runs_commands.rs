//! The `runs` commands: lists for programs, and edits of saved runs.

use std::process::Output;

use jitterscope_engine::store::Store;
use serde_json::Value;

use super::cli::run as command;
use super::compare::{compare, folder, run, said};

fn done(folder: &tempfile::TempDir, args: &[&str]) -> String {
    let output = command(folder, args);
    assert!(output.status.success(), "{args:?}: {}", error(&output));
    said(&output)
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the runs that `runs list` lists as JSON with these arguments.
fn listed(folder: &tempfile::TempDir, args: &[&str]) -> Vec<Value> {
    let text = done(folder, &[&["runs", "list", "--format", "json"], args].concat());
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&list["format"], &list["format_version"]), (&"jitterscope-runs".into(), &1.into()));
    list["runs"].as_array().unwrap().clone()
}

#[test]
fn runs_are_tagged_named_and_listed_for_programs() {
    let folder = folder();
    done(&folder, &["runs", "tag", "before", "again", "--add", "driver:1", "slow"]);
    done(&folder, &["runs", "tag", "again", "--remove", "slow"]);
    done(&folder, &["runs", "note", "after", "=1+1, \"quoted\"\nsecond line"]);
    done(&folder, &["runs", "rename", "after", "later"]);
    let find = |name: &str| {
        let all = listed(&folder, &[]);
        all.into_iter().find(|run| run["name"] == name).unwrap()
    };
    assert_eq!(find("before")["tags"], serde_json::json!(["driver:1", "slow"]));
    let again = find("again");
    assert_eq!(again["tags"], serde_json::json!(["driver:1"]));
    assert_eq!((&again["id"], &again["test"]), (&"000000b2".into(), &"frame-loop".into()));
    assert_eq!(again["measured_nanos"].as_i64().unwrap() / 1_000_000_000, 30);
    let later = find("later");
    assert_eq!(later["note"], "=1+1, \"quoted\"\nsecond line");
    assert!(later["p99_nanos"].as_i64().unwrap() > again["p99_nanos"].as_i64().unwrap());
    // The filter is the search of the window.
    let ids = |args: &[&str]| -> Vec<String> {
        let mut ids: Vec<String> = listed(&folder, args)
            .iter()
            .map(|run| run["id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(&["--filter", "tag:driver"]), ["000000a1", "000000b2"]);
    assert_eq!(ids(&["--filter", "tag:driver before"]), ["000000a1"]);
    assert!(ids(&["--filter", "after:2026-11-21"]).is_empty());
    // The same values as CSV, without a formula.
    let text = done(&folder, &["runs", "list", "--format", "csv"]);
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let header = csv.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    let value = |id: &str, key: &str| {
        let column = header.iter().position(|name| name == key).unwrap();
        rows.iter().find(|row| &row[0] == id).unwrap()[column].to_owned()
    };
    assert_eq!(value("000000a1", "tags"), "driver:1; slow");
    assert_eq!(value("000000c3", "note"), "'=1+1, \"quoted\" second line");
    assert_eq!(value("000000c3", "p99_nanos"), later["p99_nanos"].to_string());
    // A run that does not exist changes nothing.
    let output = command(&folder, &["runs", "tag", "before", "none", "--add", "x"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error(&output).contains("no run with the ID or name 'none'"));
    assert!(ids(&["--filter", "tag:x"]).is_empty());
    assert_eq!(command(&folder, &["runs", "tag", "before"]).status.code(), Some(2));
}

#[test]
fn groups_are_selected_by_tag() {
    let folder = folder();
    let store = Store::at(folder.path());
    for (id, delay) in [(0xd4, 0), (0xd5, 200_000), (0xd6, 200_000)] {
        store.save(&run(id, "", delay)).unwrap();
    }
    done(&folder, &["runs", "tag", "000000a1", "000000b2", "000000d4", "--add", "driver:580.1"]);
    done(&folder, &["runs", "tag", "000000c3", "000000d5", "000000d6", "--add", "driver:581.2"]);
    let by_tag = compare(&folder, &["--a", "tag:driver:580.1", "--b", "tag:driver:581.2"]);
    let by_name = compare(
        &folder,
        &["--a", "000000a1", "000000b2", "000000d4", "--b", "000000c3", "000000d5", "000000d6"],
    );
    assert!(by_tag.status.success(), "{}", error(&by_tag));
    let figures = |output: &Output| {
        let text = said(output);
        text.lines()
            .filter(|line| line.trim_start().starts_with("p99"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(figures(&by_tag), figures(&by_name));
    assert!(!figures(&by_tag).is_empty());
    let none = compare(&folder, &["--a", "tag:driver:580.1", "--b", "tag:other"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(error(&none).contains("no run has the tag 'other'"), "{}", error(&none));
    let both = compare(&folder, &["--a", "tag:driver:580.1", "--b", "000000a1", "000000c3"]);
    assert!(error(&both).contains("in both groups"), "{}", error(&both));
}

#[test]
fn a_run_in_the_trash_is_restored() {
    let folder = folder();
    done(&folder, &["runs", "rm", "--trash", "before"]);
    assert_eq!(listed(&folder, &[]).len(), 2);
    let output = command(&folder, &["runs", "restore", "before", "again"]);
    assert_eq!(output.status.code(), Some(1), "one of them is not in the trash");
    assert_eq!(listed(&folder, &[]).len(), 2);
    done(&folder, &["runs", "restore", "before"]);
    assert_eq!(listed(&folder, &[]).len(), 3);
}

#[test]
fn a_measured_run_and_imported_files_get_their_labels() {
    let folder = tempfile::tempdir().unwrap();
    let labels = ["--name", "mine", "--tag", "nightly", "--tag", "driver:2", "--note", "first try"];
    let measure =
        ["sleep-accuracy", "--sleep", "1ms", "--conditions", "idle", "--count", "20", "--quiet"];
    done(&folder, &[&measure[..], &labels].concat());
    let [run] = listed(&folder, &[]).try_into().unwrap();
    assert_eq!((&run["name"], &run["note"]), (&"mine".into(), &"first try".into()));
    assert_eq!(run["tags"], serde_json::json!(["nightly", "driver:2"]));
    let files =
        [("one.csv", "16.7\n16.6\n16.8\n"), ("two.csv", "8.3\n8.4\n8.3\n")].map(|(name, rows)| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("frametime_ms\n{rows}")).unwrap();
            path.to_str().unwrap().to_owned()
        });
    let import = [
        "import",
        &files[0],
        &files[1],
        "--column",
        "frametime_ms",
        "--per-frame",
        "--save",
        "--tag",
        "game",
    ];
    done(&folder, &import);
    let tagged = listed(&folder, &["--filter", "tag:game"]);
    assert_eq!(tagged.len(), 2);
}

#[test]
fn several_runs_are_one_table_with_one_header() {
    let folder = folder();
    done(&folder, &["runs", "tag", "before", "--add", "driver:1", "slow"]);
    Store::at(folder.path()).save(&super::exchange::sample::run("other columns")).unwrap();
    let text = done(&folder, &["export", "before", "after", "other columns", "--as", "csv"]);
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let header = csv.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    let column = |key: &str| header.iter().position(|name| name == key).unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| &row[column("run_id")]).collect();
    assert_eq!(ids[..2], ["000000a1", "000000c3"]);
    assert_eq!(&rows[0][column("tags")], "driver:1; slow");
    assert_eq!(&rows[0][column("began_at")], "2026-11-20T12:00:00Z");
    assert!(rows.iter().all(|row| row.len() == header.len()));
    // Each value is the one that the table of the run alone has.
    for (row, name) in rows.iter().zip(["before", "after"]) {
        let alone = done(&folder, &["export", name, "--as", "csv"]);
        let mut alone = csv::Reader::from_reader(alone.as_bytes());
        let keys = alone.headers().unwrap().clone();
        let values = alone.records().next().unwrap().unwrap();
        for (key, value) in keys.iter().zip(&values) {
            assert_eq!(&row[column(key)], value, "{name}, {key}");
        }
    }
    let output = command(&folder, &["export", "before", "after", "--as", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error(&output).contains("several runs need a folder"), "{}", error(&output));
    let out = folder.path().join("exports");
    std::fs::create_dir(&out).unwrap();
    done(&folder, &["export", "before", "after", "--as", "json", "--out", out.to_str().unwrap()]);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 2);
}
