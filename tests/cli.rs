//! The command line: output, error messages, and exit status.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jitterscope_engine::report::comparison::{MinEffect, Variation};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::store::repeats::History;
use jitterscope_engine::store::{self, Store};

/// Returns the path of the command-line program next to this test program; builds or updates it on first use.
pub(crate) fn program() -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let path = folder.join(format!("jitterscope-cli{}", std::env::consts::EXE_SUFFIX));
    static BUILT: std::sync::Once = std::sync::Once::new();
    BUILT.call_once(|| {
        // Cargo does not build the programs of other packages for a test, and an old program may exist: build
        // it here. Under Wine, skip this: Cargo runs outside of Wine and would build for another system.
        // There, its path is not absolute.
        let cargo = std::env::var_os("CARGO").filter(|cargo| Path::new(cargo).is_absolute());
        let arguments = ["build", "--workspace", "--bin", "jitterscope-cli"];
        let built = cargo.map(|cargo| Command::new(cargo).args(arguments).status());
        // If the tests run without their sources, the existing program is used.
        let is_built = built.is_some_and(|built| built.is_ok_and(|built| built.success()));
        assert!(is_built || path.exists(), "{path:?} is not there");
    });
    path
}

/// Copies a file to `path` as a program. Another process writes it: if this process did, a process that another
/// test starts at that moment could hold the file open, and the system would refuse to execute it.
#[cfg(unix)]
pub(crate) fn install(source: &Path, path: &Path) {
    let status = Command::new("install").args(["-m", "755"]).args([source, path]).status();
    assert!(status.unwrap().success(), "{} is not installed", path.display());
}

/// Writes a script to `path`; see [`install`].
#[cfg(unix)]
pub(crate) fn install_script(script: &str, path: &Path) {
    let mut source = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut source, script.as_bytes()).unwrap();
    install(source.path(), path);
}

/// Runs the program with this folder as its data folder.
pub(crate) fn run(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    Command::new(program()).arg("--data-dir").arg(folder.path()).args(args).output().unwrap()
}

/// Returns whether long tests are enabled, by `JITTERSCOPE_LONG_TESTS=1`.
pub(crate) fn is_long() -> bool {
    std::env::var_os("JITTERSCOPE_LONG_TESTS").is_some_and(|value| value == "1")
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
        (vec!["--load-threads", "4000"], "--load-threads: load threads: 4 000; expected 0 to"),
        (vec!["--priority", "fifo:99"], "--priority: invalid value 'fifo:99'"),
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
    for title in ["Requested", "Applied", "p99 (", "Missed"] {
        assert!(text.contains(title), "{title}: {text}");
    }
    // By default, the output fits on one screen with the verdict last; `--all` prints every figure.
    assert!(text.lines().count() <= 44 && !text.contains("Evidence overhead"), "{text}");
    let (_, answer) = text.trim_end().rsplit_once("\n\n").unwrap();
    assert!(answer.contains(": "), "{answer}");
    let all = run(&folder, &["runs", "show", "my run", "--all"]);
    let all = String::from_utf8_lossy(&all.stdout).into_owned();
    assert!(all.contains("Evidence overhead") && all.contains("p99 of frame"), "{all}");
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
    assert!(String::from_utf8_lossy(&none.stderr).contains("no frame 9999"), "{none:?}");
    assert_eq!(none.status.code(), Some(1), "{none:?}");
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
    // Other tests that run at the same time may disturb a repeat; such a repeat is omitted.
    let counted =
        ["4 repeats.", "3 repeats."].map(|count| format!("Run-to-run variation of {count}"));
    let is_whole = said.contains(&counted[0]);
    assert!(said.contains("run 4 of 4") && (is_whole || said.contains(&counted[1])), "{said}");
    assert!(is_whole || said.contains("Omitted: 1 of 4, "), "{said}");
    assert!(said.contains("Noise floor") && said.contains("p50"), "{said}");
    let saved = Store::at(folder.path());
    let paths: Vec<PathBuf> = saved.lines().unwrap().into_iter().map(|entry| entry.path).collect();
    assert_eq!(paths.len(), 4);
    // On a busy PC, a run may take longer and then does not count as having the same settings.
    let runs = [0, 1].map(|run| store::load(&paths[run]).unwrap());
    let reports = runs.each_ref().map(|run| Report::of(run, &Options::default()));
    let both = [(&runs[0], &reports[0]), (&runs[1], &reports[1])];
    let floor =
        match store::repeats::compare(&both, None, History::Saved(&saved), MinEffect::default())
            .variation
        {
            Variation::Repeats(count) => {
                format!(
                    "Noise floor: from {count} saved runs with run A's settings, none of them later"
                )
            }
            _ => "Noise floor: unknown. ".to_owned(),
        };
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let ids = runs.each_ref().map(|run| run.id.to_string());
    let output = run(&folder, &["compare", &ids[0], &ids[1]]);
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

#[test]
fn a_long_value_is_quoted_with_an_ellipsis() {
    let (folder, long) = (tempfile::tempdir().unwrap(), "x".repeat(100_000));
    let path = store::EXTENSION;
    let foreign = folder.path().join(format!("2026-01-01-a-00000001{path}"));
    std::fs::write(&foreign, format!("{{\"format\":\"{long}\"}}")).unwrap();
    let table = folder.path().join("table.csv");
    std::fs::write(&table, "some,cells\n1,2\n").unwrap();
    let (foreign, table) = (foreign.to_str().unwrap(), table.to_str().unwrap());
    let capture = folder.path().join("capture.csv");
    std::fs::write(&capture, super::exchange::foreign::MANGOHUD).unwrap();
    let capture = capture.to_str().unwrap();
    Store::at(folder.path()).save(&super::exchange::sample::run("a name")).unwrap();
    let option = format!("--{long}");
    for args in [
        vec![long.as_str()],
        vec!["frame-loop", &option],
        vec!["frame-loop", "--fps", &long],
        vec!["frame-loop", "--priority", &long],
        vec!["frame-loop", "--cpu", &long],
        vec!["frame-loop", "--wait", &long],
        vec!["frame-loop", "--duration", &long],
        vec!["frame-loop", "--preset", &long],
        vec!["frame-loop", "--repeat", &long],
        vec!["runs", "show", &long],
        vec!["runs", "show", foreign],
        vec!["compare", "0a1b", "0a1b", "--fail-if", &long],
        vec!["compare", "0a1b", "0a1b", "--baseline", &long],
        vec!["import", table, "--column", &long],
        vec!["import", &long],
        vec!["export", capture, "--as", "csv", "--table", &long],
        vec!["export", capture, "--as", "csv", "--plot", &long],
        vec!["export", capture, "--as", "csv", "--configuration", &long],
        vec!["export", capture, "--as", &long],
    ] {
        let output = run(&folder, &args);
        let error = String::from_utf8_lossy(&output.stderr);
        let said: String = error.chars().take(300).collect();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{:?}: {said}", args[0]);
        let (limit, is_path) =
            if args == ["import", &long] { (6_000, true) } else { (1_000, false) };
        assert!(error.len() < limit && error.contains('…'), "{} bytes: {said}", error.len());
        assert!(is_path || error.matches("xxxxxxxxxx").count() <= 12, "quoted twice: {said}");
    }
}

/// Returns the last folder and the file name of a path: the part that a message always shows. If the home
/// folder precedes them, it is redacted.
fn shown_end(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    let folder = path.parent().unwrap().file_name().unwrap();
    Path::new(folder).join(path.file_name().unwrap()).to_str().unwrap().to_owned()
}

#[test]
fn messages_name_a_path_once_and_use_the_words_of_this_program() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let error = |args: &[&str]| String::from_utf8_lossy(&run(&folder, args).stderr).into_owned();
    let said = error(&["import", missing.to_str().unwrap()]);
    let times = said.matches(&shown_end(&missing)).count();
    assert!(times == 1 && said.contains("cannot be read"), "{said}");
    let run_file = |id: u32, text: &str| {
        let name = format!("2026-01-01-frame-loop-{id:08}{}", store::EXTENSION);
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let mut saved = Vec::new();
    let written = super::exchange::sample::run("a name");
    store::format::write(&written, &mut saved).unwrap();
    let saved = String::from_utf8(saved).unwrap();
    let from = saved.find("\"started_at\":\"").unwrap() + 14;
    let to = from + saved[from..].find('"').unwrap();
    let dated = run_file(1, &format!("{}yesterday{}", &saved[..from], &saved[to..]));
    for args in [vec!["runs", "show", &dated], vec!["export", &dated, "--as", "csv"]] {
        let said = error(&args);
        assert!(said.contains("'yesterday' is not a date"), "{said}");
        assert!(!said.contains("pars") && said.matches(&shown_end(&dated)).count() == 1, "{said}");
    }
    std::fs::create_dir(folder.path().join(format!("folder{}", store::EXTENSION))).unwrap();
    let list = run(&folder, &["runs", "list"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(list.lines().all(|line| line.matches("cannot be read").count() == 1), "{list}");
    assert!(
        list.lines().any(|line| line.starts_with("folder  cannot be read: a folder")),
        "{list}"
    );
    let log = folder.path().join("log.hml");
    std::fs::write(&log, super::exchange::foreign::AFTERBURNER).unwrap();
    let said = error(&["import", log.to_str().unwrap()]);
    assert!(said.starts_with("read as an Afterburner log"), "{said}");
}

#[test]
fn every_listed_id_leads_to_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let path = store.save(&super::exchange::sample::run("a name")).unwrap();
    let at = |name: &str| folder.path().join(format!("{name}{}", store::EXTENSION));
    for name in ["copy", "2026-01-01-frame-loop-0000000b"] {
        std::fs::copy(&path, at(name)).unwrap();
    }
    let mut other = super::exchange::sample::run("another");
    other.id = jitterscope_engine::run::RunId::parse("0000000c").unwrap();
    store::save_to(&other, &at("2026-01-01-frame-loop-0000000d")).unwrap();
    std::fs::write(at("notes"), "{").unwrap();
    let list = run(&folder, &["runs", "list"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let handles: Vec<&str> = list.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(handles.len(), 5, "{list}");
    assert!(handles.contains(&"0000000c") && handles.contains(&"copy"), "{list}");
    for handle in handles {
        let shown = run(&folder, &["runs", "show", handle]);
        let expected = if handle == "notes" { 1 } else { 0 };
        let error = String::from_utf8_lossy(&shown.stderr);
        assert_eq!(shown.status.code(), Some(expected), "{handle}: {error}");
        assert!(!error.contains("no run with"), "{handle}: {error}");
    }
    let clash = run(&folder, &["runs", "show", "0a1b2c3d"]);
    let clash = String::from_utf8_lossy(&clash.stderr).into_owned();
    assert!(clash.contains("matches 3 runs") && clash.contains("copy"), "{clash}");
}

#[test]
fn files_of_further_tables_are_replaced_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    Store::at(folder.path()).save(&super::exchange::sample::run("a name")).unwrap();
    let out = folder.path().join("table.csv");
    let args = ["export", "0a1b", "--as", "csv", "--out", out.to_str().unwrap()];
    let first = run(&folder, &args);
    assert_eq!(first.status.code(), Some(0));
    let mut further: Vec<PathBuf> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "csv") && *path != out)
        .collect();
    further.sort();
    assert!(!further.is_empty(), "{}", String::from_utf8_lossy(&first.stderr));
    std::fs::write(&further[0], "mine").unwrap();
    std::fs::write(&out, "named, so it may go").unwrap();
    let refused = run(&folder, &args);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{error}");
    assert!(error.contains("--force") && error.contains(&shown_end(&further[0])), "{error}");
    assert_eq!(std::fs::read_to_string(&further[0]).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "named, so it may go", "nothing is written");
    assert_eq!(run(&folder, &[&args[..], &["--force"]].concat()).status.code(), Some(0));
    assert_ne!(std::fs::read_to_string(&further[0]).unwrap(), "mine");
}

#[test]
fn a_run_with_an_endless_label_and_the_highest_cpu_number_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut odd = super::exchange::sample::run("a name");
    for trial in &mut odd.trials {
        trial.trial.label = "label ".repeat(20_000);
        trial.applied.as_mut().unwrap().effective.cpus = vec![3, u32::MAX - 1, u32::MAX];
    }
    Store::at(folder.path()).save(&odd).unwrap();
    for args in [
        vec!["runs", "show", "0a1b"],
        vec!["runs", "list"],
        vec!["compare", "0a1b", "0a1b"],
        vec!["compare", "0a1b", "0a1b", "--format", "markdown"],
        vec!["export", "0a1b", "--as", "markdown"],
        vec!["export", "0a1b", "--as", "csv"],
    ] {
        let output = run(&folder, &args);
        let error: String = String::from_utf8_lossy(&output.stderr).chars().take(400).collect();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {error}");
    }
}

#[test]
fn what_helps_states_its_time_ranks_the_changes_and_is_reopened() {
    let folder = tempfile::tempdir().unwrap();
    let short = ["what-helps", "--rounds", "3", "--block", "1s", "--warm-up", "0s"];
    let changes = ["--change", "time-critical", "--change", "pinned", "--load-threads", "0"];
    let output = run(&folder, &[&short[..], &changes[..]].concat());
    let (text, error) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(
        error.contains("takes about") && error.contains("where several changes help"),
        "{error}"
    );
    for expected in
        ["Changes, ranked by effect", "Priority time-critical", "Pinned to a performance core"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    // A run of this test is a single entry, whether or not it also measured all changes together.
    let entries = Store::at(folder.path()).lines().unwrap();
    assert_eq!(entries.len(), 1);
    let saved = store::load(&entries[0].path).unwrap();
    let report = Report::of(&saved, &Options::default());
    assert_eq!(report.tables[0].key, "changes");
    assert!(text.contains(&report.sentence().replace('\u{202f}', " ")), "{text}");
    let csv = run(&folder, &["runs", "show", saved.id.as_str(), "--format", "csv"]);
    let csv = String::from_utf8_lossy(&csv.stdout).into_owned();
    let head = csv.lines().find(|line| line.contains("effect_share")).unwrap_or_default();
    for column in ["change", "with_p99_nanos", "effect_ci_low_share", "verdict"] {
        assert!(head.split(',').any(|one| one == column), "{column}: {csv}");
    }
}
