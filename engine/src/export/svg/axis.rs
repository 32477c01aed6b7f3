//! The axes of a plot: positions of values, and tick labels.

use crate::report::chart::Axis;

/// The length of an axis of values in labels.
pub(in crate::export) const LABELS: f64 = 5.0;
/// The height of a row name, with the space between two names, in pixels.
const NAME_HEIGHT: f64 = 27.9;

/// Returns the position of a value on an axis, from 0 to 1; values outside are at the nearest end.
pub(in crate::export) fn place(axis: &Axis, value: f64) -> f64 {
    let (from, to) = (axis.position(axis.from), axis.position(axis.to));
    let share = (axis.position(value) - from) / (to - from);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the ticks of an axis that have a label: their positions, from 0 to 1, and the labels.
pub(in crate::export) fn ticks(axis: &Axis, length: f64) -> Vec<(f64, String)> {
    let (from, to) = (axis.position(axis.from), axis.position(axis.to));
    let ticks = axis.ticks((from, to), length).into_iter();
    let labeled = ticks.filter(|tick| !tick.text.is_empty());
    labeled.map(|tick| (((tick.at - from) / (to - from)).clamp(0.0, 1.0), tick.text)).collect()
}

/// Returns the ticks of a vertical axis with their distances from its top, from 0 to 1. Rows are
/// numbered from top to bottom; values increase from bottom to top.
pub(in crate::export) fn ticks_down(axis: &Axis, pixels: f64) -> Vec<(f64, String)> {
    if axis.names.is_empty() {
        return ticks(axis, LABELS).into_iter().map(|(at, text)| (1.0 - at, text)).collect();
    }
    ticks(axis, pixels / NAME_HEIGHT)
}

/// Shortens a row name to at most `most` characters.
pub(in crate::export) fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::Quantity;
    use crate::units::NARROW_SPACE;

    #[test]
    fn only_labeled_ticks_are_drawn() {
        let labels = |axis: &Axis| -> Vec<(f64, String)> {
            let ticks = ticks(axis, LABELS).into_iter();
            ticks.map(|(at, text)| (at, text.replace(NARROW_SPACE, " "))).collect()
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
    fn what_is_outside_or_no_number_is_drawn_at_the_edge() {
        let axis = Axis::log("", Quantity::Time, 1.0, 100.0);
        for (value, at) in [(-5.0, 0.0), (10.0, 0.5), (1e308, 1.0), (f64::NAN, 0.0)] {
            assert!((place(&axis, value) - at).abs() < 1e-12, "{value}");
        }
    }
}
