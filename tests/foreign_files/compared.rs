//! Comparisons of captures as people have them, with the values that NumPy computes from the same files.

use jitterscope_engine::import::Options;
use jitterscope_engine::report::comparison::{Comparison, Figure, Relevance};
use jitterscope_engine::run::Run;

use super::{path, read};
use crate::cli;

/// Compares the files a.csv and b.csv of a folder.
fn compared(folder: &str) -> Comparison {
    let runs = ["a.csv", "b.csv"]
        .map(|file| read(&format!("{folder}/{file}"), &Options::default()).into_run());
    let [a, b]: [&Run; 2] = runs.each_ref();
    Comparison::of(&[a, b], 0)
}

#[track_caller]
fn figure<'a>(comparison: &'a Comparison, key: &str) -> &'a Figure {
    let mut figures = comparison.rows[0].figures.iter();
    figures.find(|figure| figure.metric.key == key).expect("no such metric")
}

/// Returns what the command line prints for the files of a folder, with more options.
fn printed(folder: &str, more: &[&str]) -> String {
    let data = tempfile::tempdir().unwrap();
    let files = ["a.csv", "b.csv"].map(|file| path(&format!("{folder}/{file}")));
    let files = files.map(|file| file.to_string_lossy().into_owned());
    let args = [&["compare", &files[0], &files[1]], more].concat();
    let output = cli::run(&data, &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_share_above_p99_of_the_baseline_is_above_p99_itself() {
    let comparison = compared("above-p99");
    let p99 = figure(&comparison, "p99").values[0].unwrap();
    assert!((p99 - 34_034_247.0).abs() <= 1.0, "{p99}");
    let shares = &figure(&comparison, "over-p99").values;
    let [Some(a), Some(b)] = shares.as_slice() else { panic!("{shares:?}") };
    // 18 and 618 of 1800 frames.
    assert!((a - 0.01).abs() < 1e-9 && (b - 618.0 / 1_800.0).abs() < 1e-9, "{shares:?}");
}

#[test]
fn another_gpu_and_another_driver_are_likely_to_matter() {
    let comparison = compared("compare-ignores-gpu");
    let condition = |name: &str| {
        let mut conditions = comparison.differing();
        let found = conditions.find(|condition| condition.name == name).expect("no difference");
        (found.values.clone(), found.weight)
    };
    let gpus = ["Radeon RX 6600", "GeForce RTX 4090"].map(str::to_owned).to_vec();
    assert_eq!(condition("GPU"), (gpus, Relevance::Likely));
    let drivers = ["Mesa 24", "555.58"].map(str::to_owned).to_vec();
    assert_eq!(condition("GPU driver"), (drivers, Relevance::Likely));
    assert_ne!(condition("Memory").1, Relevance::Same);
    // The first differences are those that are likely to matter.
    assert!(comparison.differing().next().unwrap().name.starts_with("GPU"));
    let text = printed("compare-ignores-gpu", &[]);
    assert!(text.contains("GeForce RTX 4090") && !text.contains("No differences"), "{text}");
}

#[test]
fn the_interval_of_a_median_contains_it_where_presents_come_in_pairs() {
    let comparison = compared("interval-without-estimate");
    let p50 = figure(&comparison, "p50");
    let [Some(a), Some(b)] = p50.values.as_slice() else { panic!("{:?}", p50.values) };
    assert!((a - 8_006_600.0).abs() <= 1.0 && (b - 8_333_500.0).abs() <= 1.0, "{a} {b}");
    for (figure, delta) in comparison.rows[0]
        .figures
        .iter()
        .filter_map(|figure| Some((figure, figure.deltas[1].as_ref()?)))
    {
        if let Some((low, high)) = delta.effect.interval {
            let difference = delta.effect.difference;
            let key = figure.metric.key;
            assert!(low <= difference && difference <= high, "{key}: {difference} {low} {high}");
        }
    }
    assert!(
        (figure(&comparison, "p50").deltas[1].unwrap().effect.difference - 326_900.0).abs() <= 2.0
    );
}

#[test]
fn the_words_of_stutter_are_those_of_a_capture() {
    let comparison = compared("stutter-called-missed");
    let shares = &figure(&comparison, "stutter").values;
    let [Some(a), Some(b)] = shares.as_slice() else { panic!("{shares:?}") };
    assert!(*a == 0.0 && (b - 0.092_770_832_850_151_9).abs() < 1e-9, "{shares:?}");
    for format in ["table", "markdown", "html"] {
        let text = printed("stutter-called-missed", &["--format", format]);
        assert!(text.contains("tutter rose by"), "{text}");
        let is_of_schedules = text.contains("missed") || text.contains("deadline");
        assert!(!is_of_schedules, "{format}: {text}");
    }
}

#[test]
fn what_the_files_do_not_state_is_not_the_same() {
    let text = printed("stutter-called-missed", &["--format", "markdown"]);
    assert!(text.contains("No known differences in machine or settings: "), "{text}");
    assert!(text.contains(" are the same; ") && text.contains(" are not reported."), "{text}");
    assert!(
        !text.contains("All ") || !text.contains("settings and conditions are the same."),
        "{text}"
    );
    assert!(text.contains("- Clock: not reported"), "{text}");
    let text = printed("compare-ignores-gpu", &["--format", "markdown"]);
    assert!(!text.contains("No known differences"), "{text}");
}

#[test]
fn a_part_without_a_frame_is_refused_with_what_the_capture_has() {
    let folder = tempfile::tempdir().unwrap();
    let file = path("above-p99/a.csv").to_string_lossy().into_owned();
    for (part, words) in [
        (&["--from", "40s", "--to", "10s"][..], " is not after --from "),
        (&["--from", "4000s"], "is after the end: the capture is "),
        (&["--skip-first", "999999"], "omits all frames: the capture has 1"),
        (&["--to", "0s"], "no frame is in this part of the capture"),
        (&["--from", "2s", "--to", "2000001us"], "no frame is in this part of the capture"),
    ] {
        for command in [&["import", &file][..], &["compare", &file, &file]] {
            let output = cli::run(&folder, &[command, part].concat());
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(1) && error.contains(words), "{part:?}: {error}");
        }
    }
}

#[test]
fn groups_are_named_by_what_their_runs_have_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let folders = ["above-p99", "stutter-called-missed"];
    let files = folders.map(|of| ["a", "b"].map(|file| format!("{of}/{file}.csv")));
    let files: [String; 4] = files.concat().try_into().unwrap();
    let files = files.map(|file| {
        let file = path(&file).to_string_lossy().into_owned();
        let build = if file.contains("above") { "build:1" } else { "build:2" };
        let import = ["import", &file, "--save", "--tag", build, "--tag", "night"];
        assert!(cli::run(&folder, &import).status.success());
        file
    });
    let compared = |args: &[&str]| {
        let output = cli::run(&folder, &[&["compare"], args].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let tagged = compared(&["--a", "tag:build:1", "--b", "tag:build:2"]);
    assert!(tagged.starts_with("A  2 runs tagged build:1 ·"), "{tagged}");
    let [a, b, c, d] = files.each_ref().map(String::as_str);
    let by_path = compared(&["--a", a, c, "--b", b, d]);
    assert!(by_path.starts_with("A  2 runs of a ·"), "{by_path}");
    let mixed = compared(&["--a", a, b, "--b", c, d]);
    assert!(mixed.starts_with("A  2 runs such as a ·"), "{mixed}");
}
