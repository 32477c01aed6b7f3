//! Exported files: a quick check that opens elsewhere, files that were edited, and reports without samples.

use std::path::{Path, PathBuf};

use jitterscope_engine::export::{self, Format, KeptSamples, Options, Parts};
use jitterscope_engine::import;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{self, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::sample::Sample;
use jitterscope_engine::store::Store;
use serde_json::Value;

use super::exchange::sample;
use super::quick::checks;

/// Runs a command with this library; returns exit code, standard output, and standard error.
fn said(library: &tempfile::TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = super::cli::run(library, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn shown(library: &tempfile::TempDir, id: &str) -> Value {
    let (status, json, error) = said(library, &["runs", "show", id, "--format", "json"]);
    assert_eq!(status, Some(0), "{error}");
    serde_json::from_str(&json).unwrap()
}

/// Returns the ID of the only entry of a library, and its line.
#[track_caller]
fn only_entry(library: &tempfile::TempDir) -> (String, String) {
    let (_, list, error) = said(library, &["runs", "list"]);
    assert_eq!(list.lines().count(), 1, "{list}{error}");
    (list.split_whitespace().next().unwrap().to_owned(), list)
}

/// Writes a copy of a file in which one digit of the first wake-up is another one.
fn with_another_sample(file: &Path, name: &str) -> PathBuf {
    let text = std::fs::read_to_string(file).unwrap();
    let edited = text.replacen("\"woke_nanos\":[", "\"woke_nanos\":[1", 1);
    assert_ne!(edited, text);
    let path = file.with_file_name(name);
    std::fs::write(&path, edited).unwrap();
    path
}

#[track_caller]
fn opens_elsewhere(format: &str) {
    let (here, out, elsewhere) =
        (checks(1), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (id, _) = only_entry(&here);
    let path = out.path().join(format!("check.{format}"));
    let file = path.to_str().unwrap();
    let (status, _, error) = said(&here, &["export", &id, "--as", format, "--out", file]);
    assert_eq!(status, Some(0), "{error}");
    let (status, verified, error) = said(&here, &["verify", file]);
    assert_eq!(
        (status, verified.as_str()),
        (Some(0), format!("{file}: intact\n").as_str()),
        "{error}"
    );
    // In an empty library it is the same check, with the same figures of the check and of every run.
    let (status, printed, error) =
        said(&elsewhere, &["import", file, "--save", "--format", "json"]);
    assert_eq!((status, error.matches("saved as ").count()), (Some(0), 5), "{error}");
    assert_eq!(only_entry(&elsewhere).0, id);
    let check = shown(&here, &id);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), check);
    assert_eq!(shown(&elsewhere, &id), check);
    let runs = check["measurements"].as_array().unwrap();
    assert_eq!(runs.len(), 5);
    for run in runs.iter().map(|part| part["run"].as_str().unwrap()) {
        let (here, there) = (shown(&here, run), shown(&elsewhere, run));
        assert_eq!(here["report"], there["report"], "{run}");
        assert_eq!(here["trials"], there["trials"], "{run}");
    }
    // It is known the next time, and opens without being saved.
    let (_, _, error) = said(&elsewhere, &["import", file, "--save"]);
    assert_eq!(error.matches("the run is already saved").count(), 5, "{error}");
    assert_eq!(shown(&elsewhere, file), check);
    // One changed digit is named, and stays so once the check is saved.
    let edited = with_another_sample(&path, "edited");
    let edited = edited.to_str().unwrap();
    let (status, verified, _) = said(&here, &["verify", file, edited]);
    assert_eq!(status, Some(3), "{verified}");
    assert!(
        verified.contains("edited: edited after export: its checksum does not match"),
        "{verified}"
    );
    let other = tempfile::tempdir().unwrap();
    let (status, _, error) = said(&other, &["import", edited, "--save"]);
    assert!(status == Some(0) && error.contains("Edited after export: "), "{error}");
    let (id, line) = only_entry(&other);
    assert!(line.contains(", edited after export"), "{line}");
    let check = shown(&other, &id);
    let trust = check["trust"].as_array().unwrap();
    assert!(
        trust.iter().any(|line| line["text"].as_str().unwrap().contains("Edited after export"))
    );
    let run = check["measurements"][0]["run"].as_str().unwrap();
    let (_, table, _) = said(&other, &["runs", "show", run]);
    assert!(table.contains("Edited after export"), "{table}");
    let again = out.path().join("again.json");
    let again = again.to_str().unwrap();
    said(&other, &["export", &id, "--as", "json", "--out", again]);
    let (status, verified, _) = said(&other, &["verify", again]);
    assert!(status == Some(3) && verified.contains("edited after an earlier export"), "{verified}");
}

#[test]
fn a_quick_check_as_html_opens_elsewhere_as_the_same_check() {
    opens_elsewhere("html");
}

#[test]
fn a_quick_check_as_json_opens_elsewhere_as_the_same_check() {
    opens_elsewhere("json");
}

#[test]
fn a_changed_page_is_named_and_its_run_is_not() {
    let library = tempfile::tempdir().unwrap();
    Store::at(library.path()).save(&sample::run("")).unwrap();
    let (id, _) = only_entry(&library);
    let path = library.path().join("page.html");
    let file = path.to_str().unwrap();
    said(&library, &["export", &id, "--as", "html", "--out", file]);
    let page = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, page.replacen("<h1 dir=\"auto\">", "<h1 dir=\"auto\">No ", 1)).unwrap();
    let (status, verified, _) = said(&library, &["verify", file]);
    assert!(status == Some(3) && verified.contains("the page was changed"), "{verified}");
    let imported = import::read(&path, &import::Options::default()).unwrap();
    assert!(
        imported.notes[0].starts_with("The page was edited after export"),
        "{:?}",
        imported.notes
    );
    assert!(!imported.is_edited());
}

#[test]
fn verify_tells_apart_what_has_no_checksum_and_what_cannot_be_read() {
    let library = tempfile::tempdir().unwrap();
    let saved = Store::at(library.path()).save(&sample::run("")).unwrap();
    let saved = saved.to_str().unwrap();
    let (status, verified, _) = said(&library, &["verify", saved]);
    assert!(status == Some(4) && verified.contains("no checksum"), "{verified}");
    let (status, verified, error) = said(&library, &["verify", saved, "no-such-file"]);
    assert!(status == Some(1) && verified.contains("no checksum"), "{verified}");
    assert!(error.contains("error: ") && error.contains("no-such-file"), "{error}");
    assert_eq!(said(&library, &["verify"]).0, Some(2));
}

/// Returns the example run with 20 minutes of frames at 144 FPS in each trial.
fn long_run() -> Run {
    let mut run = sample::run("");
    for trial in &mut run.trials {
        let period = Nanos::from_nanos_f64(1e9 / 144.0);
        let frame = |number: i64| {
            let due = period * number;
            let woke = due + Nanos::new(20_000 + number * 7_919 % 50_021);
            let done = woke + Nanos::from_micros(900);
            Sample { began: due, due, slept: None, woke, done, spins: 7, cpu: Some(2) }
        };
        trial.samples = (0..20 * 60 * 144).map(frame).collect();
    }
    run
}

fn written(format: Format, run: &Run, samples: KeptSamples) -> Vec<u8> {
    let report = Report::of(run, &report::Options::default());
    let options = Options { parts: Parts { samples, ..Parts::ALL }, ..Options::default() };
    let mut bytes = Vec::new();
    export::write(format, run, &report, &options, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_report_without_samples_is_small_has_the_figures_of_the_run_and_opens_as_none() {
    let run = long_run();
    let full: Value =
        serde_json::from_slice(&written(Format::Json, &run, KeptSamples::All)).unwrap();
    for (kept, count, words) in [
        (KeptSamples::Worst, 500, "a report with only the worst samples"),
        (KeptSamples::None, 0, "a report with no samples"),
    ] {
        let json = written(Format::Json, &run, kept);
        let value: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(value["report"], full["report"]);
        assert_eq!(value["format"], "jitterscope-report");
        assert_eq!(value["samples"], kept.key());
        super::schema::check(&json, kept.key());
        for trial in 0..2 {
            let woke = |file: &Value| {
                let samples = &file["trials"][trial]["samples"];
                let column = |name: &str| samples[name].as_array().unwrap().clone();
                let late = column("woke_nanos").into_iter().zip(column("due_nanos"));
                late.map(|(woke, due)| woke.as_i64().unwrap() - due.as_i64().unwrap())
                    .collect::<Vec<_>>()
            };
            let (mut all, mut worst) = (woke(&full), woke(&value));
            assert_eq!(worst.len(), count);
            all.sort_unstable();
            worst.sort_unstable();
            assert_eq!(worst, all[all.len() - count..]);
        }
        let html = written(Format::Html, &run, kept);
        assert!(html.len() < 1 << 20, "{}", html.len());
        assert!(String::from_utf8_lossy(&html).contains(kept.statement()));
        for file in [json, html] {
            let error = import::from_bytes(&file, &import::Options::default()).unwrap_err();
            assert!(error.to_string().starts_with(words), "{error}");
        }
    }
}

#[test]
fn the_command_line_and_quick_checks_leave_samples_out_too() {
    let (library, out) = (checks(1), tempfile::tempdir().unwrap());
    let (id, _) = only_entry(&library);
    for format in ["html", "json"] {
        let path = out.path().join(format);
        let file = path.to_str().unwrap();
        let (status, _, error) =
            said(&library, &["export", &id, "--as", format, "--samples", "none", "--out", file]);
        assert_eq!(status, Some(0), "{error}");
        assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
        assert_eq!(said(&library, &["verify", file]).0, Some(0));
        for command in
            [&["import", file][..], &["runs", "show", file], &["export", file, "--as", "csv"]]
        {
            let (status, _, error) = said(&library, command);
            assert!(status == Some(1) && error.contains("a report with no samples"), "{error}");
        }
    }
    // The result of a check without its runs is not the check.
    let path = out.path().join("result.json");
    std::fs::write(&path, shown(&library, &id).to_string()).unwrap();
    let (status, _, error) = said(&library, &["import", path.to_str().unwrap()]);
    assert!(status == Some(1) && error.contains("without its runs"), "{error}");
    let (status, _, error) =
        said(&library, &["export", &id, "--as", "markdown", "--samples", "worst"]);
    assert!(status == Some(1) && error.contains("--samples is of html and json"), "{error}");
}
