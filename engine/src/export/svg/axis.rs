//! The axes of a plot: positions of values, and tick labels.

use crate::report::chart::{Axis, Scale};
use crate::report::table::Quantity;

/// Maximum number of ticks of an axis.
const MAX_TICKS: u32 = 24;
/// A logarithmic axis of counts also has ticks at 2 and 5 times each power of 10 if the ratio of its ends is
/// below this value.
const FEW_DECADES: f64 = 120.0;

/// Returns the position of a value on an axis, from 0 to 1; values outside are at the nearest end.
pub(in crate::export) fn place(axis: &Axis, value: f64) -> f64 {
    let of = |value: f64| match axis.scale {
        Scale::Linear => value,
        Scale::Log => value.max(1e-12).log10(),
    };
    let (from, to) = (of(axis.from), of(axis.to));
    let share = (of(value) - from) / (to - from);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the tick values of an axis. A linear axis has multiples of a round step. A logarithmic axis has
/// powers of 10; a short one of counts also has 2 and 5 times each power.
pub(in crate::export) fn ticks(axis: &Axis) -> Vec<f64> {
    let range = axis.to - axis.from;
    if !range.is_finite() || range <= 0.0 {
        return Vec::new();
    }
    let is_count = axis.quantity == Quantity::Count;
    let to = axis.to * (1.0 + 1e-9);
    match axis.scale {
        Scale::Linear => {
            // Counts are integers: the step is at least 1.
            let step = if is_count { step(range).max(1.0) } else { step(range) };
            let first = (axis.from / step).ceil();
            let ticks = (0..MAX_TICKS).map(|k| (first + f64::from(k)) * step);
            ticks.take_while(|at| *at <= to).collect()
        }
        Scale::Log => {
            let is_short = is_count && to < axis.from * FEW_DECADES;
            let factors: &[f64] = if is_short { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let first = axis.from.max(1e-12).log10().floor();
            let decades = (0..MAX_TICKS).map(|k| 10_f64.powf(first + f64::from(k)));
            let ticks =
                decades.flat_map(|decade| factors.iter().map(move |factor| factor * decade));
            let from = axis.from * (1.0 - 1e-9);
            ticks.skip_while(|at| *at < from).take_while(|at| *at <= to).collect()
        }
    }
}

/// Returns a round step that divides a range into about five parts.
fn step(range: f64) -> f64 {
    let rough = range / 5.0;
    let decade = 10_f64.powf(rough.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| rough <= times * decade);
    times.unwrap_or(10.0) * decade
}

/// Formats a tick value with its unit.
pub(in crate::export) fn tick_text(axis: &Axis, value: f64) -> String {
    match axis.quantity {
        Quantity::Time if value == 0.0 => "0".to_owned(),
        Quantity::Time => length(value),
        Quantity::Share => format!("{}%", short(value * 100.0)),
        _ => short(value),
    }
}

/// Formats a number with up to four decimals, without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a time in nanoseconds in the most suitable unit.
fn length(nanos: f64) -> String {
    let size = nanos.abs();
    let (value, unit) = if size < 999.5 {
        (nanos, "ns")
    } else if size < 999_500.0 {
        (nanos / 1e3, "µs")
    } else if size < 999_500_000.0 {
        (nanos / 1e6, "ms")
    } else {
        (nanos / 1e9, "s")
    };
    format!("{} {unit}", short(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let linear = |from, to| ticks(&Axis::linear("", Quantity::Time, from, to));
        assert_eq!(linear(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(linear(5.0, 5.0), linear(5.0, 6.0), "an empty range becomes 1 long");
        let log = Axis::log("", Quantity::Time, 100.0, 20_000.0);
        assert_eq!(ticks(&log), [100.0, 1_000.0, 10_000.0]);
        let threads = |most| ticks(&Axis::log("", Quantity::Count, 0.8, most));
        assert_eq!(threads(8.0), [1.0, 2.0, 5.0]);
        assert_eq!(threads(80.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        let rounds = Axis::linear("", Quantity::Count, 0.5, 1.5);
        assert_eq!(ticks(&rounds), [1.0], "nothing is between two counts");
    }

    #[test]
    fn what_is_outside_or_no_number_is_drawn_at_the_edge() {
        let axis = Axis::log("", Quantity::Time, 1.0, 100.0);
        for (value, at) in [(-5.0, 0.0), (10.0, 0.5), (1e308, 1.0), (f64::NAN, 0.0)] {
            assert!((place(&axis, value) - at).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn times_are_written_in_their_own_unit() {
        for (nanos, text) in
            [(0.0, "0 ns"), (100.0, "100 ns"), (1e4, "10 µs"), (2.5e6, "2.5 ms"), (1e9, "1 s")]
        {
            assert_eq!(length(nanos), text);
        }
    }
}
