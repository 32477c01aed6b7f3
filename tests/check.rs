//! The `check` command: exit status, results, and error messages for invalid limits files.

use std::fs;
use std::path::Path;
use std::process::Output;

use jitterscope_engine::plan::Plan;
use jitterscope_engine::run::{Run, Subject};
use jitterscope_engine::store::{self, Store};

use crate::cli;
use crate::exchange::sample;

/// The beginning of a limits file with a short test.
const TEST: &str = "[[test]]\ntest = \"frame-loop\"\nname = \"Short <test>\"\n\
                    settings = { duration = \"100ms\", warm-up = \"0s\", wait = \"os-sleep\" }\n";

fn check(folder: &tempfile::TempDir, limits: &str) -> Output {
    let file = folder.path().join("limits.toml");
    fs::write(&file, limits).unwrap();
    let of = |name: &str| folder.path().join(name).display().to_string();
    let (junit, markdown) = (of("results.xml"), of("summary.md"));
    let file = file.display().to_string();
    cli::run(folder, &["check", &file, "--junit", &junit, "--markdown", &markdown, "--quiet"])
}

#[track_caller]
fn check_status(output: &Output, status: i32, said: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(status), "{text}\n{error}");
    assert!(error.contains(said) || text.contains(said), "{said}: {text}\n{error}");
}

fn read(folder: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn wrong_file_ends_with_2_and_names_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let limit = "[[test.limit]]\nmetric = \"p50\"\nmax = \"100s\"\n";
    for (limits, said, place) in [
        (format!("{TEST}maxx = 1\n{limit}"), "unknown field 'maxx'", "line 5, column 1"),
        (format!("{TEST}[[test.limit\n"), "", "line 5, column"),
        (format!("time-limit = \"10\"\n{TEST}{limit}"), "invalid value '10'", "line 1, column 14"),
        (
            format!("{TEST}{}", limit.replace("p50", "p98")),
            "unknown metric 'p98': expected p50, p95, p99",
            "line 6, column 10",
        ),
        (
            format!("{TEST}{}", limit.replace("p50", "max")),
            "unknown metric 'max'",
            "line 6, column 10",
        ),
        (
            format!("{}{limit}", TEST.replace("frame-loop", "frames")),
            "invalid value 'frames': expected frame-loop",
            "line 2, column 8",
        ),
        (
            format!("{}{limit}", TEST.replace("100ms", "1ms")),
            "duration: invalid value '1ms': expected 100ms to",
            "line 4, column 14",
        ),
        (
            format!("{}{limit}", TEST.replace("warm-up", "warmup")),
            "unknown setting 'warmup'",
            "line 4, column 34",
        ),
        (
            format!("{TEST}{}", limit.replace("100s", "100fps")),
            "invalid value '100fps': expected a time",
            "line 7, column 7",
        ),
        (
            format!("{TEST}{}", limit.replace("max =", "max-increase =")),
            "max-increase needs a baseline",
            "line 7, column 16",
        ),
        (
            format!("{TEST}baseline = [\"none.json\"]\n{limit}"),
            "the baseline cannot be read",
            "line 5, column 13",
        ),
        (TEST.to_owned(), "missing field 'limit'", "line 1, column 1"),
    ] {
        let output = check(&folder, &limits);
        check_status(&output, 2, said);
        check_status(&output, 2, place);
        check_status(&output, 2, "limits.toml");
        assert!(!folder.path().join("results.xml").exists(), "{limits}");
    }
}

/// Saves a run as a baseline file with this name in the folder.
fn save(folder: &Path, name: &str, run: &Run) {
    let other = folder.join(format!("{name}-runs"));
    let saved = Store::at(&other).save(run).unwrap();
    fs::rename(saved, folder.join(name)).unwrap();
}

#[test]
fn limits_are_met_exceeded_and_undecided() {
    let folder = tempfile::tempdir().unwrap();
    let met = "[[test.limit]]\nmetric = \"p50\"\nmax = \"100s\"\n";
    // Other programs on this PC must not decide the result of this test.
    let test = format!("disturbed = \"count\"\n{TEST}");
    check_status(&check(&folder, &format!("{test}{met}")), 0, "All limits are met.");
    let xml = read(&folder, "results.xml");
    assert!(xml.contains("tests=\"1\" failures=\"0\" errors=\"0\""), "{xml}");
    assert!(xml.contains("classname=\"Short &lt;test&gt;\"") && !xml.contains("<failure"), "{xml}");
    let summary = read(&folder, "summary.md");
    assert!(summary.contains("Noise floor") && summary.contains("| Met"), "{summary}");
    assert!(summary.contains(": runs "), "{summary}");
    assert!(xml.contains("<system-err>Short &lt;test&gt;: runs "), "{xml}");
    let runs: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".jitterscope.json"))
        .collect();
    assert_eq!(runs.len(), 3, "decided after three runs");

    // Use the newest run as the baseline of the next check.
    let baseline = store::load(&runs[0]).unwrap();
    assert_eq!(baseline.tags, ["check"]);
    save(folder.path(), "baseline.json", &baseline);
    let relative = "[[test.limit]]\nmetric = \"p50\"\nmax-increase = \"100s\"\n";
    let exceeded = "[[test.limit]]\nmetric = \"p50\"\nmin = \"100s\"\n";
    let limits = format!("{test}baseline = [\"baseline.json\"]\n{met}{relative}{exceeded}");
    check_status(&check(&folder, &limits), 3, "At least one limit is exceeded.");
    let xml = read(&folder, "results.xml");
    assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"0\""), "{xml}");
    assert!(
        xml.contains("<failure type=\"exceeded\" message=\"min 100s exceeded: p50 is"),
        "{xml}"
    );

    let limits = format!("time-limit = \"1ms\"\n{test}{met}");
    check_status(&check(&folder, &limits), 0, "All limits are met.");
    let limits = limits.replace("100s", "1ns");
    check_status(&check(&folder, &limits), 4, "At least one limit is undecided");
    let xml = read(&folder, "results.xml");
    let reason = "at least 3 runs are needed, 1 measured;";
    assert!(xml.contains("<error type=\"undecided\"") && xml.contains(reason), "{xml}");

    let mut other = baseline.clone();
    other.machine.cpu_model = Some("another processor".to_owned());
    save(folder.path(), "other-pc.json", &other);
    let mut tick = sample::run("x");
    let plan = Plan::all().into_iter().find(|plan| plan.key() == "sleep-accuracy").unwrap();
    tick.subject = Subject::Measured(plan);
    save(folder.path(), "other-test.json", &tick);
    save(folder.path(), "other-settings.json", &sample::run("x"));
    for (name, said) in [
        ("other-pc.json", "the baseline is a run of another PC"),
        ("other-test.json", "the baseline is a run of sleep-accuracy, not of frame-loop"),
        ("other-settings.json", "the baseline is a run with other settings"),
    ] {
        let limits = format!("{test}baseline = [\"{name}\"]\n{met}{relative}");
        let output = check(&folder, &limits);
        check_status(&output, 2, said);
        check_status(&output, 2, "line 6, column 13");
    }
}

#[test]
fn results_that_cannot_be_written_are_found_before_the_first_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.toml");
    let limits = format!("{TEST}[[test.limit]]\nmetric = \"p50\"\nmax = \"100s\"\n");
    fs::write(&file, limits).unwrap();
    let missing = folder.path().join("no-folder/results.xml");
    let args = ["check", file.to_str().unwrap(), "--junit", missing.to_str().unwrap()];
    let output = cli::run(&folder, &args);
    check_status(&output, 1, "results.xml");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was measured");
}
