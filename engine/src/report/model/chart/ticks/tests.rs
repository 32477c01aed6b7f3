//! Tests the positions and labels of ticks.

use super::super::Quantity;
use super::*;

fn check(axis: AxisKind, range: (f64, f64), step: f64, expected: &[&str]) {
    let ticks = axis.ticks(range, (range.1 - range.0) / step);
    let texts: Vec<String> = ticks
        .into_iter()
        .filter(|tick| !tick.text.is_empty())
        .map(|tick| tick.text.replace(NARROW_SPACE, " "))
        .collect();
    assert_eq!(texts, expected, "{axis:?}");
}

#[test]
fn ticks_carry_their_units() {
    check(AxisKind::Time, (5.0, 9.9), 1.6, &["6 s", "8 s"]);
    check(AxisKind::Time, (0.0, 120.0), 25.0, &["0 s", "30 s", "1:00", "1:30", "2:00"]);
    check(AxisKind::Time, (0.0, 0.5), 0.15, &["0.0 s", "0.2 s", "0.4 s"]);
    check(AxisKind::Millis, (14.5, 17.2), 0.7, &["15.0", "16.0", "17.0"]);
    check(AxisKind::Count, (0.0, 2_100.0), 900.0, &["0", "1 000", "2 000"]);
    check(AxisKind::LogCount, (-0.3, 3.2), 1.0, &["1", "10", "100", "1 000"]);
    check(AxisKind::Nanos, (0.0, 9e4), 2e4, &["0 µs", "20 µs", "40 µs", "60 µs", "80 µs"]);
    check(AxisKind::Nanos, (16.6e6, 16.8e6), 7e4, &["16.6 ms", "16.7 ms", "16.8 ms"]);
    check(AxisKind::Nanos, (0.0, 120e9), 25e9, &["0 s", "30 s", "1:00", "1:30", "2:00"]);
    check(AxisKind::Share, (0.0, 0.2), 0.1, &["0%", "10%", "20%"]);
    check(AxisKind::Number, (0.0, 1.0), 0.5, &["0.0", "0.5", "1.0"]);
    check(AxisKind::LogShare, (-3.3, 0.0), 1.0, &["0.1%", "1%", "10%", "100%"]);
}

#[test]
fn a_logarithmic_axis_has_a_zero_under_its_lowest_decade() {
    let expected = ["0", "0.1 µs", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms"];
    check(AxisKind::LogNanos, (1.3, 7.4), 1.0, &expected);
    check(AxisKind::LogNanos, (1.3, 7.4), 3.7, &["0", "0.1 µs", "10 µs", "1 ms"]);
}

#[test]
fn a_label_of_a_decade_has_the_room_up_to_the_next_label() {
    let ticks = AxisKind::LogTime.ticks((2.0, 9.0), 7.0 / 5.0);
    let labeled: Vec<(f64, f64)> = ticks
        .iter()
        .filter(|tick| !tick.text.is_empty())
        .map(|tick| (tick.at, tick.step))
        .collect();
    assert_eq!(labeled, [(3.0, 3.0), (6.0, 3.0), (9.0, 3.0)]);
}

#[test]
fn a_short_logarithmic_axis_labels_two_and_five() {
    check(AxisKind::LogNanos, (6.9, 7.8), 1.0, &["10 ms", "20 ms", "50 ms"]);
}

#[test]
fn an_empty_range_has_no_ticks() {
    assert!(AxisKind::Millis.ticks((1.0, 1.0), 5.0).is_empty());
    assert!(AxisKind::Time.ticks((0.0, f64::NAN), 5.0).is_empty());
}

#[test]
fn low_rows_name_some_of_them() {
    let rows = Axis::rows((0..100).map(|row| format!("CPU {row}")).collect());
    let named = |length| rows.ticks((0.0, 100.0), length).len();
    assert_eq!(named(100.0), 100);
    assert!(named(5.0) < 15, "{}", named(5.0));
    // Rows of 6.4 points: every second label would be 12.8 points from the next.
    assert_eq!(named(20.0), 34);
}

#[test]
fn only_labeled_ticks_of_a_whole_axis_are_drawn() {
    let labels = |axis: &Axis| -> Vec<(f64, String)> {
        let labels = axis.labels(5.0).into_iter();
        labels.map(|(at, text)| (at, text.replace(NARROW_SPACE, " "))).collect()
    };
    let linear = labels(&Axis::linear("", Quantity::Time, 0.0, 2e6));
    let texts: Vec<&str> = linear.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["0.0 ms", "0.5 ms", "1.0 ms", "1.5 ms", "2.0 ms"]);
    let log = labels(&Axis::log("", Quantity::Time, 100.0, 10_000.0));
    let texts: Vec<&str> = log.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["0.1 µs", "1 µs", "10 µs"]);
    assert!((log[1].0 - 0.5).abs() < 1e-12);
    let rounds = labels(&Axis::linear("", Quantity::Count, 0.5, 1.5));
    assert_eq!(rounds, [(0.5, "1".to_owned())], "nothing is between two counts");
}

#[test]
fn changes_are_labeled_outward_from_zero_and_in_a_short_range_by_a_step() {
    check(AxisKind::Change, (-0.8, 0.8), 0.3, &["\u{2212}50%", "0", "+50%"]);
    check(AxisKind::Change, (0.12_f64.ln_1p(), 0.128_f64.ln_1p()), 0.002, &["+12.0%", "+12.5%"]);
}

#[test]
fn what_is_outside_or_no_number_is_placed_at_the_edge() {
    let axis = Axis::log("", Quantity::Time, 1.0, 100.0);
    for (value, at) in [(-5.0, 0.0), (10.0, 0.5), (1e308, 1.0), (f64::NAN, 0.0)] {
        assert!((axis.place(value) - at).abs() < 1e-12, "{value}");
    }
}
