//! Imported captures are compared by frame times, lows, and stutter. Captures that do not record the order of frames
//! are shown and not evaluated.

use super::super::*;
use super::{Lateness, run_of};
use crate::report::capture::{CaptureFigures, RecordingFigures};
use crate::run::capture::{Distribution, Recording};
use crate::run::{Capture, Subject};
use crate::stats::stutter::Stutter;
use crate::stats::{Outcome, Statistic};

const MS: i64 = 1_000_000;

fn imported(id: u64, capture: Capture) -> Run {
    let mut run = run_of(id, std::iter::empty());
    run.method_version = u32::try_from(id).unwrap();
    run.trials.clear();
    run.subject = Subject::Imported(capture);
    run
}

/// Returns frame times of about 10 ms, in ns. About one frame in 40 takes `delay` ns longer.
fn times(seed: u64, count: usize, delay: i64) -> Vec<i64> {
    let mut wander = Lateness::new(seed);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut next = || {
        let body = 10 * MS + wander.next();
        if random.u32(0..40) == 0 { body + delay } else { body }
    };
    (0..count).map(|_| next()).collect()
}

fn frames(id: u64, label: &str, count: usize, delay: i64) -> Run {
    let frame_times = times(id, count, delay).into_iter().collect();
    let recording = Recording { label: label.to_owned(), frame_times, ..Recording::default() };
    imported(id, Capture::Frames(vec![recording]))
}

fn figure<'a>(comparison: &'a Comparison, key: &str) -> &'a Figure {
    let found = comparison.rows[0].figures.iter().find(|figure| figure.metric.key == key);
    found.unwrap_or_else(|| panic!("no {key}"))
}

#[test]
fn captures_of_different_labels_are_noted_unless_their_names_show_it() {
    let (mut a, mut b) = (frames(1, "old", 4_000, 0), frames(2, "new", 4_000, 0));
    let is_noted = |a: &Run, b: &Run| {
        let comparison = Comparison::of(&[a, b], 0);
        assert_eq!(comparison.rows.len(), 1);
        comparison.notes.iter().any(|note| matches!(note, Note::LabelMismatch(_)))
    };
    assert!(is_noted(&a, &b));
    a.name = "old".to_owned();
    assert!(is_noted(&a, &b), "the name of the other one does not show its label");
    b.name = "new".to_owned();
    assert!(!is_noted(&a, &b));
}

#[test]
fn two_captures_are_compared_by_their_own_figures() {
    let (a, b) = (frames(1, "game", 4_000, 0), frames(2, "game", 4_000, 20 * MS));
    let comparison = Comparison::of(&[&a, &b], 0);
    assert_eq!(comparison.obstacle, None, "captures follow no method of this program");
    assert_eq!((comparison.value_name, comparison.rows.len()), ("frame time", 1));
    let keys: Vec<&str> =
        comparison.rows[0].figures.iter().map(|figure| figure.metric.key).collect();
    let expected: Vec<&str> = Metric::FRAMES.iter().map(|metric| metric.key).collect();
    assert_eq!(keys, expected);
    let report = Report::of(&b, &Options::default());
    let times: Vec<i64> = times(2, 4_000, 20 * MS);
    let stutter = Stutter::of(times.iter().copied());
    assert_eq!(figure(&comparison, "stutter").values[1], Some(stutter.share));
    assert!(0.03 < stutter.share, "{stutter:?}");
    let CaptureFigures::Frames(shown) = &report.results::<RecordingFigures>()[0].figures else {
        panic!("{report:?}")
    };
    assert_eq!(figure(&comparison, "average-fps").values[1], Some(shown.average_fps));
    // Captures are assumed to vary by 3%: 4% fewer frames per second are not clear, and neither is the share above A's
    // p99, which rises with any shift of the narrow distribution.
    for (key, expected) in [
        ("average-fps", Outcome::NoClearDifference),
        ("over-p99", Outcome::NoClearDifference),
        ("1%-low", Outcome::Worse),
        ("p99", Outcome::Worse),
        ("std-dev", Outcome::Worse),
    ] {
        let delta = figure(&comparison, key).deltas[1].unwrap();
        assert_eq!(delta.result, expected, "{key}: {delta:?}");
        let (low, high) = delta.effect.interval.unwrap();
        assert!(
            low <= delta.effect.difference && delta.effect.difference <= high,
            "{key}: {delta:?}"
        );
    }
    // Only four of 4 000 frames determine p99.9 and the 0.1% low.
    for key in ["p99.9", "0.1%-low"] {
        let delta = figure(&comparison, key).deltas[1].unwrap();
        assert_eq!((delta.result, delta.effect.interval), (Outcome::NotEnoughData, None), "{key}");
    }
    assert_eq!(comparison.outcome(1), Overall::Of(Outcome::Worse));
    let swapped = Comparison::of(&[&a, &b], 1);
    assert_eq!(figure(&swapped, "p99").deltas[0].unwrap().result, Outcome::Better);
    let same = Comparison::of(&[&a, &a], 0);
    assert_eq!(same.outcome(1), Overall::Of(Outcome::NoClearDifference));
    assert!(words::sentence(&same).contains("Two single runs rarely show one"), "{same:?}");
}

#[test]
fn a_resampled_capture_has_the_statistics_of_the_capture() {
    let run = frames(3, "game", 4_000, 20 * MS);
    let report = Report::of(&run, &Options::default());
    let item = Item::all(&run, &report)[0];
    for metric in Metric::FRAMES.iter().filter(|metric| metric.statistic.has_interval()) {
        if metric.statistic == Statistic::AboveBaseline {
            continue;
        }
        let value = item.value(metric).unwrap();
        let source = item.source(metric.track, None);
        let Some(interval) = source.interval(metric.statistic) else {
            assert!(source.values.len() < metric.statistic.samples_needed(), "{}", metric.key);
            continue;
        };
        let is_inside = interval.low <= value && value <= interval.high;
        assert!(is_inside, "{}: {value} and {interval:?}", metric.key);
        assert!((interval.high - interval.low) < value, "{}: {interval:?}", metric.key);
    }
}

#[test]
fn recordings_are_matched_by_name_and_unlike_lengths_are_noted() {
    let (a, b) = (frames(1, "game", 600, 0), frames(2, "game 2", 900, 0));
    let comparison = Comparison::of(&[&a, &b], 0);
    assert!(matches!(
        comparison.notes.as_slice(),
        [Note::LabelMismatch(_), Note::Lengths(_), Note::Low { .. }]
    ));
    let mut c = frames(3, "other", 600, 0);
    let Subject::Imported(Capture::Frames(all)) = &mut c.subject else { panic!("{c:?}") };
    let empty = Recording { label: "empty".to_owned(), ..Recording::default() };
    let game = Recording { label: "game".to_owned(), ..all[0].clone() };
    all.insert(0, empty);
    all.push(game);
    let comparison = Comparison::of(&[&a, &c], 0);
    assert_eq!(
        (comparison.rows.len(), comparison.rows[0].positions.as_slice()),
        (1, [0, 1].as_slice())
    );
    let reports = [&a, &c].map(|run| Report::of(run, &Options::default()));
    let items = comparison.rows[0].items(&[(&a, &reports[0]), (&c, &reports[1])]);
    assert_eq!(items[1].label(), "game");
    assert_eq!(items[1].values(), times(3, 600, 0), "not those of the one without a frame");
    assert_eq!(items[1].timeline().len(), 600);
}

#[test]
fn readings_and_counts_are_shown_and_not_evaluated() {
    let recording = |value| Recording {
        frame_times: std::iter::repeat_n(value, 600).collect(),
        ..Recording::default()
    };
    let counts = |value| {
        let bins = [(MS, 900), (value, 100)].into_iter().collect();
        Capture::Histogram(vec![Distribution { bins, ..Distribution::default() }])
    };
    let log = |value| Capture::SampledLog(vec![recording(value)]);
    for (a, b, obstacle) in [
        (log(4 * MS), log(8 * MS), Incompatibility::Readings),
        (counts(2 * MS), counts(9 * MS), Incompatibility::Counts),
    ] {
        let comparison = Comparison::of(&[&imported(1, a), &imported(2, b)], 0);
        assert_eq!(comparison.rows[0].obstacle, Some(obstacle));
        assert_eq!(comparison.outcome(1), Overall::NotComparable);
        let max = figure(&comparison, "max").deltas[1].unwrap();
        assert!(0.0 < max.effect.difference && max.result == Outcome::NotEvaluated, "{max:?}");
    }
    let (frames, log) = (frames(1, "game", 600, 0), imported(2, log(MS)));
    assert_eq!(Comparison::of(&[&frames, &log], 0).obstacle, Some(Incompatibility::Tests));
}

#[test]
fn another_graphics_card_is_likely_to_matter_and_an_unknown_one_is_not_reported() {
    let of = |id, gpu: Option<&str>| {
        let mut run = frames(id, "game", 600, 0);
        run.machine.gpu = gpu.map(str::to_owned);
        run
    };
    let card = of(1, Some("Radeon RX 6600"));
    let condition = |other: &Run| {
        let comparison = Comparison::of(&[&card, other], 0);
        let words = words::evidence(&comparison);
        let conditions = comparison.conditions.into_iter();
        (conditions.clone().find(|one| one.name == "GPU").unwrap(), words)
    };
    let (other, evidence) = condition(&of(2, Some("GeForce RTX 4090")));
    assert_eq!(other.weight, Relevance::Likely);
    assert!(evidence.starts_with("GPU differs, which is likely to matter."), "{evidence}");
    let (unknown, evidence) = condition(&of(2, None));
    assert_eq!((unknown.weight, unknown.values[1].as_str()), (Relevance::May, "not reported"));
    assert!(evidence.starts_with("No known differences in machine or settings: "), "{evidence}");
    assert_eq!(condition(&card).0.weight, Relevance::Same);
}
