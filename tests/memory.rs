//! Memory of imports and exports of very large files: at most a small multiple of the file size.
//!
//! Normally, the files are just large enough to show memory that grows with the file; with
//! `JITTERSCOPE_LONG_TESTS=1`, they are almost as large as the import supports.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::cli::{is_long, program};

const MIB: u64 = 1 << 20;
/// Maximum memory of a command in addition to four times the file size, for files of the maximum size.
const ALLOWANCE: u64 = 100 * MIB;
/// The same for smaller files, where memory that does not grow with the file should be little.
const SAMPLE_ALLOWANCE: u64 = 30 * MIB;

/// Returns the number of rows of a large file: just below the maximum of an import, or fewer in a normal test
/// run.
fn rows() -> usize {
    if is_long() { 19_000_000 } else { 2_000_000 }
}

fn allowance() -> u64 {
    if is_long() { ALLOWANCE } else { SAMPLE_ALLOWANCE }
}

/// Writes a file that begins with `begin`, followed by `lines` repeated `times` times.
fn made(folder: &Path, name: &str, begin: &str, lines: &str, times: usize) -> PathBuf {
    let path = folder.join(name);
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    file.write_all(begin.as_bytes()).unwrap();
    for _ in 0..times {
        file.write_all(lines.as_bytes()).unwrap();
    }
    file.flush().unwrap();
    path
}

/// Returns the peak memory of a running process in bytes; `None` if it has ended or the system does not
/// report its memory.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok().map(|kibi: u64| kibi << 10)
}

/// Runs a command on a file and checks that it takes at most four times the size of the file and `allowance`; returns
/// whether it succeeded, and its messages.
fn check(file: &Path, allowance: u64, args: &[&str]) -> (bool, String) {
    check_within(file, 4 * size(file) + allowance, args)
}

fn size(file: &Path) -> u64 {
    fs::metadata(file).unwrap().len()
}

/// Runs a command on a file and checks that its memory is at most `limit`, like [`check`].
fn check_within(file: &Path, limit: u64, args: &[&str]) -> (bool, String) {
    let data = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command.arg("--data-dir").arg(data.path()).args(args);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = resident(child.id()).unwrap_or(0).max(peak);
        std::thread::sleep(Duration::from_millis(3));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let size = size(file);
    println!("{args:?}: {} MiB, at most {} MiB for {} MiB", peak / MIB, limit / MIB, size / MIB);
    assert!(0 < peak && peak <= limit, "{args:?}: {peak} of {limit} bytes: {said}");
    (output.status.success(), said)
}

fn is_observable() -> bool {
    let is_here = resident(std::process::id()).is_some();
    if !is_here {
        println!("skipped: this system does not report the memory of a process");
    }
    is_here
}

#[test]
fn a_column_of_millions_of_values_is_read_in_four_times_its_size() {
    if !is_observable() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lines = "8\n9\n".repeat(500);
    let file = made(folder.path(), "column.csv", "ms\n", &lines, rows() / 1_000);
    let args = ["import", file.to_str().unwrap(), "--column", "1"];
    let (is_read, said) = check(&file, allowance(), &args);
    assert!(is_read, "{said}");
}

#[test]
fn logs_are_read_piece_by_piece() {
    if !is_observable() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let row =
        "Game.exe,7,0x1D2C3B4A,DXGI,0,512,1,Hardware: Independent Flip,8.0000,8.1000,4.0000\n";
    let presentmon = "Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,\
                      AllowsTearing,PresentMode,MsBetweenPresents,DisplayedTime,GPUBusy\n";
    let afterburner = "00, 21-11-2026 20:00:00, Hardware monitoring log v1.6 \n\
                       02, 21-11-2026 20:00:00, GPU temperature     ,Framerate           ,Frametime           \n";
    let reading =
        "80, 21-11-2026 20:00:01, 50.000              ,100.000             ,10.000              \n";
    // A column that is not read is as large as one that is.
    let capture =
        "{\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[8.1,8.2],\"Other\":[8.123456";
    let times = ",8.123456,9.234567".repeat(5);
    for (name, begin, rows, end) in [
        ("presentmon.csv", presentmon, row, ""),
        ("afterburner.hml", afterburner, reading, ""),
        ("capframex.json", capture, times.as_str(), "]}}]}"),
    ] {
        let times = 60 * usize::try_from(MIB).unwrap() / rows.len();
        let file = made(folder.path(), name, begin, rows, times);
        fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(end.as_bytes()).unwrap();
        // Read at once, the file alone would take more.
        let limit = size(&file) * 6 / 10 + 20 * MIB;
        let (is_read, said) = check_within(&file, limit, &["import", file.to_str().unwrap()]);
        assert!(is_read, "{name}: {said}");
    }
}

#[test]
fn histograms_are_read_piece_by_piece() {
    if !is_observable() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bins = 700_000;
    let threads = usize::try_from(60 * MIB).unwrap() / (bins * 20);
    let mut json = String::from("{\n  \"file_version\": 1,\n  \"thread\": {\n");
    for thread in 0..threads {
        let comma = if thread == 0 { "" } else { ",\n" };
        json.push_str(&format!("{comma}    \"{thread}\": {{\n      \"histogram\": {{\n"));
        for value in 0..bins {
            let comma = if value == 0 { "" } else { ",\n" };
            json.push_str(&format!("{comma}        \"{value}\": {}", 1 + value * 7_919 % 997));
        }
        json.push_str("\n      }\n    }");
    }
    json.push_str("\n  }\n}\n");
    let mut listing = String::from("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    for row in 0..1_100_000 {
        listing
            .push_str(&format!("{row:12}.500 0.500000000000 {:10}           2.00\n", 3 * row + 1));
    }
    for (name, text) in [("cyclictest.json", json), ("latency.hgrm", listing)] {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        // Read at once, the file alone would take more.
        let limit = size(&file) * 6 / 10 + 20 * MIB;
        let (is_read, said) = check_within(&file, limit, &["import", file.to_str().unwrap()]);
        assert!(is_read, "{name}: {said}");
    }
}

#[test]
fn a_log_of_millions_of_rows_is_exported_in_four_times_its_size() {
    if !is_observable() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lines = "60,8\n60,9\n".repeat(500);
    let file = made(folder.path(), "log.csv", "fps,frametime\n", &lines, rows() / 1_000);
    let kinds = jitterscope_engine::export::Format::ALL;
    // The HTML page and the SVG plot together exercise what the other formats do: the normal test run tries
    // only these.
    let is_sample = |key: &str| matches!(key, "html" | "svg");
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    for kind in kinds.map(|kind| kind.key()).iter().filter(|key| is_long() || is_sample(key)) {
        let args = ["export", file.to_str().unwrap(), "--out", out, "--as", kind];
        let (is_written, said) = check(&file, allowance(), &args);
        assert!(is_written, "{kind}: {said}");
    }
}

#[test]
fn a_histogram_of_thousands_of_columns_is_held_to_the_limits_of_its_counts() {
    if !is_observable() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cpus: Vec<String> = (0..5_000).map(|cpu| format!("IRQ-{cpu:03}")).collect();
    let begin = format!(
        "# RTLA timerlat histogram\n# Time unit is microseconds (us)\nIndex {}\n",
        cpus.join(" ")
    );
    let counts = " 1".repeat(5_000);
    let rows: String = (0..390).map(|value| format!("{value}{counts}\n")).collect();
    let file = made(folder.path(), "rtla.txt", &begin, &rows, 1);
    let path = file.to_str().unwrap();
    // This file reaches every limit that does not depend on the file size, so the larger allowance applies.
    for args in [&["import", path][..], &["export", path, "--out", "/dev/null", "--as", "html"]] {
        let (is_read, said) = check(&file, ALLOWANCE, args);
        assert!(is_read, "{said}");
    }
    let times = if is_long() { 13_000 } else { 2_000 };
    let file = made(folder.path(), "more.txt", &begin, &format!("7{counts}\n"), times);
    let (is_read, said) = check(&file, allowance(), &["import", file.to_str().unwrap()]);
    assert!(!is_read && said.contains("too many"), "{said}");
}
