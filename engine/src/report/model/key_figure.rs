//! The figures that a report shows first, and the position of the graded value on the scale of grades.

use super::table::{Cell, Table};
use crate::nanos::Nanos;
use crate::stats::grade::Limits;
use crate::stats::{Grade, GradeRange};
use crate::units::{
    MISSING, NARROW_SPACE, format_count, format_decimal, format_share, format_time, time_parts,
};

/// The maximum number of figures that a report shows first.
pub const MAX_KEY_FIGURES: usize = 6;

/// One of the figures that a report shows first.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// The title of the figure.
    pub title: &'static str,
    /// The value without its unit.
    pub value: String,
    /// The unit, or `of 3 600` if the value is a count among 3 600; empty if `value` contains the unit or needs none.
    pub unit: String,
    /// A note on the value in a few words, such as its confidence interval; the reason if there is no value.
    pub context: String,
    /// The definition of the figure in a sentence; empty if the title is clear enough.
    pub definition: String,
}

impl KeyFigure {
    /// Returns a figure without a definition.
    pub(in crate::report) fn new(
        title: &'static str,
        (value, unit): (String, &str),
        context: impl Into<String>,
    ) -> Self {
        let (unit, context) = (unit.to_owned(), context.into());
        Self { title, value, unit, context, definition: String::new() }
    }

    /// Returns a figure that is a time, in the unit that suits it.
    pub(in crate::report) fn time(
        title: &'static str,
        time: Nanos,
        context: impl Into<String>,
    ) -> Self {
        Self::new(title, time_parts(time), context)
    }

    /// Returns a figure that is a time; without a time, `reason` is why there is none.
    pub(in crate::report) fn time_or(
        title: &'static str,
        time: Option<Nanos>,
        context: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        match time {
            Some(time) => Self::time(title, time, context),
            None => Self::absent(title, reason),
        }
    }

    /// Returns a figure without a value; `reason` is why there is none.
    pub(in crate::report) fn absent(title: &'static str, reason: impl Into<String>) -> Self {
        Self::new(title, (MISSING.to_owned(), ""), reason)
    }

    /// Returns the figure in a table's column with this key, in the row of a configuration. A time has the unit that
    /// suits its length, whatever the unit of the column.
    pub(in crate::report) fn of_cell(
        table: Option<&Table>,
        configuration: usize,
        key: &str,
        title: &'static str,
        context: impl Into<String>,
    ) -> Self {
        let found = table.and_then(|table| {
            let row = table.rows.iter().find(|row| row.configuration == Some(configuration))?;
            let position = table.position(key)?;
            Some((row.cells.get(position)?, table.columns.get(position)?))
        });
        let Some((cell, column)) = found else { return Self::absent(title, "not measured") };
        let parts = match cell {
            Cell::Absent(reason) => return Self::absent(title, reason.clone()),
            Cell::Time(value) => time_parts(Nanos::from_nanos_f64(*value)),
            Cell::Count(count) => (format_count(*count), ""),
            Cell::Share(share) => (format_share(*share), ""),
            Cell::Rate(rate) => (format_decimal(*rate, 1), column.unit()),
            other => (other.text(&column.format), column.unit()),
        };
        let definition = column.definition.clone().into_owned();
        Self { definition, ..Self::new(title, parts, context) }
    }

    /// Returns the figure as a count among `count` samples or slots.
    #[must_use]
    pub(in crate::report) fn among(self, count: usize) -> Self {
        let count = format_count(count);
        Self { unit: format!("of {count}"), ..self }
    }
}

/// Returns the position of a value, from 0 to 4, on a scale of four equally wide zones. `upper` has the upper limits of
/// the first three zones. Each zone is logarithmic: the first covers two decades, and the last covers one decade.
pub(in crate::report) fn place(upper: [f64; 3], value: f64) -> f64 {
    let [first, second, third] = upper.map(|limit| limit.max(f64::MIN_POSITIVE));
    let ends = [first / 100.0, first, second, third, third * 10.0];
    let value = value.max(f64::MIN_POSITIVE);
    let mut zones = ends.iter().zip(ends.iter().skip(1)).zip([0.0, 1.0, 2.0, 3.0]);
    let within = |((from, to), zone): ((&f64, &f64), f64)| {
        zone + ((value / from).ln() / (to / from).ln()).clamp(0.0, 1.0)
    };
    zones.find(|((_, to), _)| value <= **to).map_or(4.0, within)
}

/// Returns a limit as text without trailing zeros, so that all limits fit on one line: `167 µs`, `2.5 ms`.
fn rounded(limit: Nanos) -> String {
    let (number, unit) = time_parts(limit);
    let number = if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        &number
    };
    format!("{number}{NARROW_SPACE}{unit}")
}

/// A graded value on a scale of four zones, one per grade.
#[derive(Clone, Debug, PartialEq)]
pub struct GradePlace {
    /// The name of the graded value: `p99 lateness, share of a frame`.
    pub measure: String,
    /// The names of the four zones, the best first.
    pub words: [&'static str; 4],
    /// The three limits between the zones, as text.
    pub limits: [String; 3],
    /// The graded value as text.
    pub text: String,
    /// The position of the value on the scale, from 0 to 4.
    pub value: f64,
    /// The positions of both ends of the 95% interval; absent for a maximum, and with too few samples.
    pub interval: Option<(f64, f64)>,
    /// The positions of other values that are shown but not graded, such as the longest gaps of the other CPUs.
    pub others: Vec<f64>,
}

impl GradePlace {
    /// The names of the grades, the best first.
    const GRADES: [&'static str; 4] = ["Excellent", "Good", "Fair", "Poor"];

    /// Returns the position of a value among the limits of the grades. `value` and `interval` are in the unit of
    /// `limits`.
    pub(in crate::report) fn of(
        limits: &Limits,
        measure: &str,
        text: String,
        value: f64,
        interval: Option<(f64, f64)>,
    ) -> Self {
        let at = |value| place(limits.upper, value);
        let words = limits.words().map(|limit| limit.trim_end_matches(" of a frame").to_owned());
        Self {
            measure: measure.to_owned(),
            words: Self::GRADES,
            limits: words,
            text,
            value: at(value),
            interval: interval.map(|(low, high)| (at(low), at(high))),
            others: Vec::new(),
        }
    }

    /// Returns the position of a time among limits that are times, such as those in the settings of a test.
    pub fn of_times(
        limits: [Nanos; 3],
        measure: &str,
        value: Nanos,
        interval: Option<(Nanos, Nanos)>,
        others: impl Iterator<Item = Nanos>,
    ) -> Self {
        let at = |value: Nanos| place(limits.map(Nanos::as_f64), value.as_f64());
        Self {
            measure: measure.to_owned(),
            words: Self::GRADES,
            limits: limits.map(rounded),
            text: format_time(value),
            value: at(value),
            interval: interval.map(|(low, high)| (at(low), at(high))),
            others: others.map(at).collect(),
        }
    }

    /// Returns the position with the words of the real-time test, such as Modest, instead of the grades. `limits` are
    /// reductions in percent.
    #[must_use]
    pub(in crate::report) fn in_steps(self, limits: [f64; 3]) -> Self {
        let grades = [Grade::Excellent, Grade::Good, Grade::Fair, Grade::Poor];
        let words = grades.map(|grade| GradeRange::from(grade).step());
        Self { words, limits: limits.map(|limit| format!("{limit}%")), ..self }
    }

    /// Returns the position with other texts for its limits.
    #[must_use]
    pub(in crate::report) fn with_limits(self, limits: [String; 3]) -> Self {
        Self { limits, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::grade::FRAME_LATENESS;

    #[test]
    fn limits_of_a_scale_are_short() {
        let limits = [166_667, 833_333, 2_500_000].map(Nanos::new);
        let place = GradePlace::of_times(limits, "p99", limits[0], None, std::iter::empty());
        assert_eq!(place.limits, ["167\u{202f}µs", "833\u{202f}µs", "2.5\u{202f}ms"]);
        for (nanos, words) in
            [(50_000, "50"), (400, "400"), (16_666_667, "16.67"), (1_000_000_000, "1")]
        {
            assert!(rounded(Nanos::new(nanos)).starts_with(&format!("{words}\u{202f}")), "{nanos}");
        }
    }

    #[test]
    fn a_value_is_placed_among_equal_zones() {
        let at = |percent| {
            let place = GradePlace::of(&FRAME_LATENESS, "", String::new(), percent, None);
            (place.value * 1e4).round() / 1e4
        };
        for (percent, expected) in [
            (0.0, 0.0),
            (0.01, 0.0),
            (0.1, 0.5),
            (1.0, 1.0),
            (5_f64.sqrt(), 1.5),
            (5.0, 2.0),
            (12.3, 2.8193),
            (15.0, 3.0),
            (150.0, 4.0),
            (f64::INFINITY, 4.0),
        ] {
            assert!((at(percent) - expected).abs() < 1e-4, "{percent}: {}", at(percent));
        }
        let place = GradePlace::of(&FRAME_LATENESS, "p99", String::new(), 12.3, Some((10.2, 14.3)));
        assert_eq!(place.limits, ["1%", "5%", "15%"]);
        let (low, high) = place.interval.unwrap();
        assert!((low - 2.6489).abs() < 1e-4 && (high - 2.9565).abs() < 1e-4, "{low} {high}");
    }
}
