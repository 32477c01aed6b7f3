//! Tests of the words of a comparison.

use super::*;

#[test]
fn small_rates_are_not_nothing() {
    assert_eq!(rate(0.000_1), "0.010%");
    assert_eq!(rate(0.0), "0.0%");
    assert_eq!(rate(0.123), "12.3%");
    assert_eq!(value(&Metric::LOW_1, 59.94), "59.9 FPS");
}

#[test]
fn check_sentence_covers_every_outcome() {
    let sentence = |outcomes: &[Overall]| {
        let parts = Part::ALL.into_iter().zip(outcomes);
        let parts: Vec<_> = parts.map(|(part, one)| (part, vec![None, Some(*one)])).collect();
        check_sentence(&parts, 2)
    };
    let [first, second, ..] = Part::ALL.map(Part::name);
    let mixed = sentence(&[Overall::Mixed, Overall::Of(Outcome::Worse)]);
    assert_eq!(
        mixed,
        format!("B is worse in {second}, and partly better, partly worse in {first}.")
    );
    assert_eq!(sentence(&[Overall::Of(Outcome::Same); 2]), "A and B are the same.");
    assert_eq!(sentence(&[Overall::NotComparable]), "These checks cannot be compared.");
    assert_eq!(sentence(&[Overall::Of(Outcome::NotEnoughData)]), "Not enough data to compare.");
    let unclear = sentence(&[Overall::Of(Outcome::Same), Overall::Of(Outcome::NotEnoughData)]);
    assert_eq!(unclear, "No clear difference between A and B.");
}

#[test]
fn only_a_comparison_of_frames_is_said_to_be_about_frames() {
    let words = |metrics: &[(Metric, Outcome)]| {
        let figure = |&(metric, result)| {
            let delta = Delta::without_interval(0.0, 1.0, 0.1, result, None);
            let deltas = vec![None, Some(delta)];
            Figure { metric, values: vec![None; 2], noise: None, deltas }
        };
        let row = ComparedRow {
            label: String::new(),
            positions: vec![0; 2],
            late_limit: None,
            obstacle: None,
            figures: metrics.iter().map(figure).collect(),
            outcomes: vec![None, Some(Overall::Mixed)],
        };
        outcome_words(&Comparison { rows: vec![row], ..Comparison::of(&[], 0) }, 1)
    };
    let values = [(Metric::P50, Outcome::Better), (Metric::P99, Outcome::Worse)];
    assert!(words(&values).starts_with("is better for most values and worse for the highest ones"));
    let frames = [values[0], values[1], (Metric::LOW_1, Outcome::Same)];
    assert!(words(&frames).starts_with("is better for most frames and worse for the latest ones"));
}

#[test]
fn notes_and_words_name_runs_by_letter() {
    let delta = |result, reason| Delta::without_interval(0.0, 1.0, 0.1, result, reason);
    assert_eq!(result(&delta(Outcome::Worse, None)), "Worse");
    let few = delta(Outcome::NotEnoughData, Some(Reason::TooFewSamples(1_380)));
    assert_eq!(result(&few), "Not enough data (1\u{202f}380 more)");
    assert_eq!(why(&few).unwrap(), "There are too few samples: 1\u{202f}380 more are needed.");
    let one = delta(Outcome::NotEnoughData, Some(Reason::TooFewSamples(1)));
    assert_eq!(why(&one).unwrap(), "There are too few samples: 1 more is needed.");
    let alone = delta(Outcome::NotEnoughData, Some(Reason::TooFewRuns(1)));
    assert_eq!(result(&alone), "Not enough data (1 more run)");
    assert_eq!(
        note(&Note::Lengths(vec![Nanos::from_secs(10), Nanos::from_secs(30)])),
        "Run lengths differ: A 10 s, B 30 s. Max and counts are not evaluated."
    );
    assert_eq!(
        note(&Note::Lengths(vec![Nanos::from_millis(1_990), Nanos::from_millis(2_199)])),
        "Run lengths differ: A 1.99\u{202f}s, B 2.20\u{202f}s. Max and counts are not evaluated."
    );
    assert_eq!(note(&Note::Incomplete(2)), "C is incomplete.");
    assert!(note(&Note::Lost { run: 1, count: 1 }).starts_with("B lost 1 sample; "));
    assert!(obstacle(&Incompatibility::Tests).contains("cannot be compared"));
}
