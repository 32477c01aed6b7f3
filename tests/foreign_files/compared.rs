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

/// Returns what the command line prints for the files of a folder.
fn printed(folder: &str) -> String {
    let data = tempfile::tempdir().unwrap();
    let files = ["a.csv", "b.csv"].map(|file| path(&format!("{folder}/{file}")));
    let files = files.map(|file| file.to_string_lossy().into_owned());
    let output = cli::run(&data, &["compare", &files[0], &files[1]]);
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
    let text = printed("compare-ignores-gpu");
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
    let text = printed("stutter-called-missed");
    assert!(text.contains("tutter rose by"), "{text}");
    assert!(!text.contains("missed"), "{text}");
}
