//! The figures of every test, computed a second time by NumPy and SciPy from exported short runs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::program;

/// A short run of each test that has what its figures require: several configurations, late frames, rounds.
const TESTS: [&str; 8] = [
    "frame-loop --fps 500 --duration 2200ms --warm-up 0s --wait hybrid:100us --work 200us \
     --load-threads 2 --priority normal --priority below-normal",
    "frame-loop --preset gdt-cpus --duration 500ms",
    "sleep-accuracy --count 1100 --sleep 1us --sleep 200us",
    "spin-strategies --count 150 --short-count 1500",
    "scheduling-gaps --duration 2s",
    "real-time --fps 500 --duration 4s --block 1s --policy highest --policy time-critical \
     --load-threads 2",
    "what-helps --fps 500 --work 200us --block 1s --warm-up 0s --rounds 3 --load-threads 1 \
     --change time-critical --change fine-timer",
    "game-tick --players 200 --npcs 50 --warm-up 0s --iterations 4 --iteration 200ms",
];

/// Measures a test and exports it as JSON with its report; returns the path of the file.
fn export(folder: &Path, test: &str, number: usize) -> PathBuf {
    let args: Vec<&str> = test.split(' ').collect();
    let run = |args: &[&str]| {
        let output =
            Command::new(program()).arg("--data-dir").arg(folder).args(args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        said
    };
    let said = run(&[args.as_slice(), &["--quiet"]].concat());
    let id = said.split("saved as run ").nth(1).unwrap().split(':').next().unwrap();
    let path = folder.join(format!("{number}-{}.json", args[0]));
    run(&["export", id, "--as", "json", "--out", path.to_str().unwrap()]);
    path
}

/// Skipped without NumPy and SciPy, and prints why; fails instead if `JITTERSCOPE_REQUIRE_NUMPY` is set.
#[test]
fn numpy_and_scipy_compute_the_same_figures() {
    let python = std::env::var("JITTERSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let is_required = std::env::var_os("JITTERSCOPE_REQUIRE_NUMPY").is_some();
    let probe = Command::new(&python).args(["-c", "import numpy, scipy"]).output();
    let missing = match probe {
        Err(error) => Some(error.to_string()),
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Some(said.lines().last().unwrap_or_default().to_owned())
        }
    };
    if let Some(reason) = missing {
        assert!(!is_required, "{python}: {reason}");
        // Print directly to the terminal: the test harness hides the output of tests that pass.
        let mut terminal = std::io::stderr();
        writeln!(terminal, "recompute is skipped, as {python} lacks NumPy or SciPy: {reason}")
            .unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = TESTS
        .iter()
        .enumerate()
        .map(|(number, test)| export(folder.path(), test, number))
        .collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("recompute.py");
    let output = Command::new(&python).arg(script).args(&paths).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{error}");
    let compared =
        |line: &str| line.split(" figures compared").next()?.rsplit(' ').next()?.parse().ok();
    let counts: Vec<usize> = said.lines().filter_map(compared).collect();
    assert_eq!(counts.len(), TESTS.len(), "{said}");
    println!("{} figures compared in all", counts.iter().sum::<usize>());
}
