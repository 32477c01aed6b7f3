//! The output and the file of Holoscan's `realtime_threads_benchmarking`.

use std::process::{Command, Output};

use super::{between, number};
use crate::cli::program;

/// Checks the summary of a comparison; returns the figures of both halves, and the values before and after
/// with the change.
fn holoscan(lines: &[String]) -> ([[f64; 4]; 2], [f64; 3]) {
    let mut lines = lines.iter();
    let mut next = || lines.next().map_or("", String::as_str);
    let title = |next: &mut dyn FnMut() -> String, text: &str| {
        let rule = "=".repeat(80);
        assert_eq!(next(), rule);
        for line in text.lines() {
            assert_eq!(next(), line);
        }
        assert_eq!(next(), rule);
    };
    let mut own = || next().to_owned();
    let config = |next: &mut dyn FnMut() -> String| {
        let target = next();
        let (fps, rest) = between(&target, "  Target FPS: ", " (").unwrap();
        let (period, _) = rest.split_once(" ms period)").unwrap();
        let (fps, period): (f64, f64) = (fps.parse().unwrap(), number(period, 0, 3).unwrap());
        assert!((1_000.0 / fps - period).abs() < 1e-3, "{target}");
        for name in [
            "  Duration: ",
            "  Realtime: false",
            "  Background Load Intensity: ",
            "  Background Workload Size: ",
            "  Benchmark Load Intensity: ",
            "  Benchmark Workload Size: ",
            "  Worker Thread Number: ",
            "  Dummy Load Number: ",
        ] {
            let line = next();
            let value = line.strip_prefix(name).unwrap_or_else(|| panic!("{name}: {line}"));
            let value = if name.starts_with("  Duration") {
                value.strip_suffix('s').unwrap()
            } else {
                value
            };
            assert!(value.is_empty() || value.parse::<u64>().is_ok(), "{line}");
        }
    };
    title(&mut own, "Real-time Thread Benchmark");
    config(&mut own);
    title(&mut own, "Running benchmark for baseline\n(without real-time thread)");
    title(&mut own, "Running benchmark for real-time\n(with real-time scheduling)");
    title(&mut own, "Benchmark Configurations");
    config(&mut own);
    assert_eq!(own(), "");
    title(&mut own, "Benchmark Results");
    let halves =
        ["=== Non-real-time Thread (Baseline) ===", "=== Real-time Thread ==="].map(|name| {
            assert_eq!(own(), name);
            let mut figure = |name: &str| {
                let line = own();
                let (value, rest) = between(&line, name, " ms").unwrap_or_else(|| panic!("{line}"));
                (number(value, 0, 6).unwrap(), rest.to_owned())
            };
            let (std_dev, _) = figure("Frame period std: ");
            let (mean, _) = figure("Frame period mean: ");
            let (min, rest) = figure("Frame period min/max: ");
            let (max, rest) = between(&rest, " / ", " ms").unwrap();
            assert!(rest.is_empty() && own().is_empty());
            [std_dev, mean, min, number(max, 0, 6).unwrap()]
        });
    title(&mut own, "Non-real-time and Real-time Thread Benchmark Comparison");
    let line = own();
    let (before, rest) = between(&line, "Period std comparison: ", " ms → ").unwrap();
    let (after, change) = rest.split_once(" ms  (").unwrap();
    let change = change.strip_suffix("%)").unwrap();
    assert!(change.starts_with(['+', '-']), "{line}");
    let figures = [number(before, 8, 6), number(after, 8, 6), number(&change[1..], 0, 6)];
    let [before, after, size] = figures.map(|figure| figure.unwrap_or_else(|| panic!("{line}")));
    (halves, [before, after, if change.starts_with('-') { -size } else { size }])
}

/// The output format of the current tool, with the figures of the tool's own example, in six decimals.
const HOLOSCAN: &str = "\
================================================================================
Real-time Thread Benchmark
================================================================================
CONFIG================================================================================
Running benchmark for baseline
(without real-time thread)
================================================================================
================================================================================
Running benchmark for real-time
(with real-time scheduling)
================================================================================
================================================================================
Benchmark Configurations
================================================================================
CONFIG
================================================================================
Benchmark Results
================================================================================
=== Non-real-time Thread (Baseline) ===
Frame period std: 0.646000 ms
Frame period mean: 16.667000 ms
Frame period min/max: 10.027000 ms / 21.073000 ms

=== Real-time Thread ===
Frame period std: 0.024000 ms
Frame period mean: 16.667000 ms
Frame period min/max: 16.435000 ms / 16.899000 ms

================================================================================
Non-real-time and Real-time Thread Benchmark Comparison
================================================================================
Period std comparison: 0.646000 ms → 0.024000 ms  (+96.284830%)";

const CONFIG: &str = "  Target FPS: 60 (16.667 ms period)
  Duration: 30s
  Realtime: false
  Background Load Intensity: 1000
  Background Workload Size: 100
  Benchmark Load Intensity: 100
  Benchmark Workload Size: 100
  Worker Thread Number: 2
  Dummy Load Number: 2
";

#[test]
fn real_time_is_printed_and_written_as_holoscan_does() {
    let sample = HOLOSCAN.replace("CONFIG", CONFIG);
    let (halves, change) = holoscan(&sample.lines().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(halves[1], [0.024, 16.667, 16.435, 16.899]);
    assert_eq!(change, [0.646, 0.024, 96.284_83]);
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| -> Output {
        let mut command = Command::new(program());
        command.arg("--data-dir").arg(folder.path()).args(args).output().unwrap()
    };
    let output = run(&[
        "real-time",
        "--duration",
        "1s",
        "--block",
        "500ms",
        "--policy",
        "highest",
        "--format",
        "reference",
        "--quiet",
    ]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{error}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (halves, [before, after, change]) = holoscan(&lines);
    assert_eq!([before, after], halves.map(|half| half[0]), "{text}");
    // The tool computes the change before it rounds the figures to six decimals: for small figures, the
    // rounded ones give a very different change.
    let fall = |before: f64, after: f64| (before - after) / before * 100.0;
    let half = 0.5e-6;
    let room = fall(before + half, (after - half).max(0.0)) - fall(before - half, after + half);
    let is_fall = (fall(before, after) - change).abs() <= room + 1e-6;
    assert!(before <= half || is_fall, "{text}");

    let json = run(&["runs", "show", &saved_id(&error), "--format", "reference-json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let sorted = |names: &[&str]| -> Vec<String> {
        let mut names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        names.sort();
        names
    };
    let config = [
        "target_fps",
        "duration_seconds",
        "scheduling_policy",
        "bg_load_intensity",
        "bg_workload_size",
        "bm_load_intensity",
        "bm_workload_size",
        "worker_thread_number",
        "dummy_load_number",
    ];
    assert_eq!(keys(&json["benchmark_config"]), sorted(&config));
    for of in ["period_statistics", "execution_time_statistics"] {
        for (half, figures) in ["non_realtime", "realtime"].iter().zip(halves) {
            let half = &json[of][half];
            let raw = half["raw_data"].as_array().unwrap();
            let statistics = &half["statistics"];
            let names = ["sample_count", "average", "std_dev", "min", "max"];
            assert_eq!(keys(statistics), sorted(&names));
            assert_eq!(statistics["sample_count"], raw.len());
            if of == "period_statistics" {
                let own =
                    ["std_dev", "average", "min", "max"].map(|name| statistics[name].as_f64());
                assert_eq!(own, figures.map(Some));
            }
        }
    }
    let other = run(&[
        "spin-strategies",
        "--count",
        "10",
        "--spin",
        "5us",
        "--short-count",
        "10",
        "--conditions",
        "idle",
        "--no-save",
        "--quiet",
        "--format",
        "reference-json",
    ]);
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8(other.stderr).unwrap().contains("writes no JSON"));
}

/// Returns the ID from a message such as "saved as run 1234abcd: …".
fn saved_id(error: &str) -> String {
    error.split("saved as run ").nth(1).unwrap().split(':').next().unwrap().to_owned()
}
