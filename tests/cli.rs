//! The command line: what it prints, what it refuses, how it ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::store::{self, Store};

/// The program next to this test's own, built or updated on first use.
pub(crate) fn program() -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let path = folder.join(format!("jitterscope-cli{}", std::env::consts::EXE_SUFFIX));
    static BUILT: std::sync::Once = std::sync::Once::new();
    BUILT.call_once(|| {
        // Tests of a workspace do not build the binaries of other packages, and one may be there that is old.
        // Under Wine, the cargo that runs the tests would build for another system, and its path is not absolute.
        let cargo = std::env::var_os("CARGO").filter(|cargo| Path::new(cargo).is_absolute());
        let arguments = ["build", "--workspace", "--bin", "jitterscope-cli"];
        let built = cargo.map(|cargo| Command::new(cargo).args(arguments).status());
        // If the tests run without their sources, the existing program is used.
        let is_built = built.is_some_and(|built| built.is_ok_and(|built| built.success()));
        assert!(is_built || path.exists(), "{path:?} is not there");
    });
    path
}

/// Runs the program with this folder for its runs.
pub(crate) fn run(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    Command::new(program()).arg("--data-dir").arg(folder.path()).args(args).output().unwrap()
}

#[track_caller]
fn check(args: &[&str], status: i32, said: &str) {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&folder, args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {error}");
    assert!(error.contains(said), "{args:?}: {error}");
}

pub(crate) const SHORT: [&str; 9] = [
    "frame-loop",
    "--preset",
    "quick",
    "--duration",
    "200ms",
    "--warm-up",
    "0s",
    "--wait",
    "os-sleep",
];

#[test]
fn wrong_use_ends_with_2_and_names_setting_and_range() {
    for (args, said) in [
        (vec!["--fps", "0"], "--fps: invalid value '0': expected 1 to 1000 FPS"),
        (vec!["--fps", "5000"], "--fps: invalid value '5000': expected 1 to 1000 FPS"),
        (vec!["--cpu", "999"], "--cpu: CPU 999 is not available"),
        (vec!["--duration", "-5s"], "--duration: invalid value '-5s': expected 100ms to 600s"),
        (vec!["--duration", "inf"], "--duration: invalid value 'inf': expected 100ms to 600s"),
        (vec!["--load-threads", "4000"], "--load-threads: load threads: 4000; expected 0 to"),
        (vec!["--priority", "fifo:99"], "--priority: invalid priority 'fifo:99'"),
        (vec!["--wait", "hybrid:1s"], "--wait: invalid value 'hybrid:1s': expected os-sleep or"),
        (vec!["--repeat", "50"], "invalid value '50' for '--repeat <TIMES>': expected 1 to 20"),
    ] {
        check(&[&["frame-loop"], args.as_slice()].concat(), 2, said);
    }
    check(&["nothing"], 2, "unrecognized subcommand");
}

#[test]
fn a_run_is_printed_saved_listed_shown_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&folder, &[&SHORT[..], &["--name", "my run"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for title in ["Requested", "Applied", "p99 of frame", "Evidence overhead"] {
        assert!(text.contains(title), "{title}: {text}");
    }
    let list = run(&folder, &["runs", "list"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let id = list.split_whitespace().next().unwrap().to_owned();
    let shown = run(&folder, &["runs", "show", &id]);
    assert_eq!(String::from_utf8_lossy(&shown.stdout), text);
    let json = run(&folder, &["runs", "show", &id, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let due = json["trials"][0]["samples"]["due_nanos"].as_array().unwrap();
    let due: Vec<i64> = due.iter().map(|due| due.as_i64().unwrap()).collect();
    // On a busy PC, some of the 12 frames are skipped.
    assert!(!due.is_empty() && due.is_sorted());
    assert!(due.iter().all(|due| (1..=12).any(|slot| *due == slot * 16_666_667)), "{due:?}");
    let csv = run(&folder, &["runs", "show", &id, "--format", "csv"]);
    assert!(String::from_utf8_lossy(&csv.stdout).starts_with("configuration,priority,"));
    let named = run(&folder, &["runs", "show", "my run"]);
    assert_eq!(String::from_utf8_lossy(&named.stdout), text);
    assert_eq!(run(&folder, &["runs", "rm", "my"]).status.code(), Some(1), "no exact name");
    assert_eq!(run(&folder, &["runs", "rm", "my run"]).status.code(), Some(0));
    assert_eq!(run(&folder, &["runs", "show", &id]).status.code(), Some(1));
}

#[test]
fn why_splits_the_lateness_of_one_frame() {
    let folder = tempfile::tempdir().unwrap();
    for (trace, is_traced) in [("auto", cfg!(target_os = "linux")), ("off", false)] {
        let name = ["--trace", trace, "--why", "3"];
        let output = run(&folder, &[&SHORT[..], name.as_slice()].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(": frame 3 at ") && text.contains("Length (µs)"), "{text}");
        let sources = ["Own switch records", "Switch records of all threads", "Kernel trace"];
        if sources.iter().any(|source| text.contains(source)) {
            assert!(is_traced, "{text}");
        }
        assert!(text.contains("which is the lateness") || text.contains("Unexplained"), "{text}");
    }
    let list = run(&folder, &["runs", "list"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let id = list.split_whitespace().next().unwrap();
    let none = run(&folder, &["runs", "show", id, "--why", "9999"]);
    assert!(String::from_utf8_lossy(&none.stdout).contains("no frame 9999"), "{none:?}");
}

#[test]
fn a_file_that_is_no_run_is_named_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("2026-01-01-frame-loop-00000000.jitterscope.json");
    std::fs::write(&path, "{\"format\": \"jitterscope-run\", \"format_ver").unwrap();
    let list = run(&folder, &["runs", "list"]);
    assert!(
        String::from_utf8_lossy(&list.stdout)
            .contains("cannot be read: not a Jitterscope run, or damaged")
    );
    assert!(path.exists());
}

#[test]
fn an_unwritable_folder_is_said_before_anything_is_measured() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new(program())
        .arg("--data-dir")
        .arg(file.path().join("below-a-file"))
        .args(SHORT)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("runs cannot be saved"));
}

#[test]
fn help_teaches() {
    let folder = tempfile::tempdir().unwrap();
    let help = run(&folder, &["frame-loop", "--help"]);
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for word in
        ["--priority", "--cpu", "--wait", "--load-threads", "Presets:", "gdt-cpus", "Examples:"]
    {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn repeats_tell_their_noise_floor_and_comparisons_know_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut args = SHORT.to_vec();
    args.extend(["--repeat", "4", "--quiet"]);
    let output = run(&folder, &args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("run 4 of 4") && said.contains("Run-to-run variation of 4 repeats."),
        "{said}"
    );
    assert!(said.contains("Noise floor") && said.contains("p50"), "{said}");
    let saved = Store::at(folder.path());
    let paths: Vec<PathBuf> = saved.list().unwrap().into_iter().map(|entry| entry.path).collect();
    assert_eq!(paths.len(), 4);
    // Runs on a busy machine may last longer, and are then none of the same settings.
    let runs = [0, 1].map(|run| store::load(&paths[run]).unwrap());
    let reports = runs.each_ref().map(|run| Report::of(run, &Options::default()));
    let both = [(&runs[0], &reports[0]), (&runs[1], &reports[1])];
    let floor = match store::repeats::compare(&both, 0, Some(&saved)).repeat_count {
        0 => "Noise floor: unknown. ".to_owned(),
        count => format!("Noise floor: from {count} saved runs with run A's settings on its"),
    };
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let output = run(&folder, &["compare", &paths[0], &paths[1]]);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.lines().any(|line| line.starts_with(&floor)), "{floor}: {table}");
    let output = run(&folder, &["alternate", &paths[0], &paths[1], "--times", "2", "--quiet"]);
    let (table, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(table.starts_with("A and B interleaved, 2 times each"), "{table}");
    let order: Vec<&str> = said.lines().filter(|line| line.contains(" of 2")).collect();
    assert_eq!(order, ["A, 1 of 2", "B, 1 of 2", "B, 2 of 2", "A, 2 of 2"]);
    let mut args = SHORT.to_vec();
    args.extend(["--repeat", "2", "--out", "x"]);
    assert_eq!(run(&folder, &args).status.code(), Some(2));
}
