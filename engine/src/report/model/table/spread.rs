//! Table columns for the statistics of a spread. A statistic has the same name, the same definition, and the same
//! reason for an empty cell in every table.

use super::{Cell, Column, TableBuilder};
use crate::stats::{Spread, Statistic};
use crate::units::format_count;

/// How the titles and definitions of columns name the values that a spread summarizes.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct SpreadOf {
    /// Title of a column, with `{}` in place of the statistic: `{} overshoot`, `Frame time {}`.
    pub title: &'static str,
    /// Name of the values in the definition of a column: `the actual durations`.
    pub values: &'static str,
    /// Noun with which the values are counted: `sleeps`.
    pub samples: &'static str,
}

/// A statistic, the key of its column, and a function that sets further properties of the column.
pub(in crate::report) type SpreadColumn = (Statistic, &'static str, fn(Column) -> Column);

impl SpreadOf {
    /// Returns the column of a statistic. A lower value is better.
    pub(in crate::report) fn column(&self, statistic: Statistic, key: &'static str) -> Column {
        let (name, definition) = match statistic {
            Statistic::Mean => ("Mean", "Mean"),
            Statistic::StdDev => ("Std dev", "Standard deviation"),
            Statistic::Min => ("Min", "Minimum"),
            Statistic::P50 => ("p50", "Median"),
            Statistic::P95 => ("p95", "95th percentile"),
            Statistic::P99 => ("p99", "99th percentile"),
            Statistic::P99_9 => ("p99.9", "99.9th percentile"),
            _ => ("Max", "Maximum"),
        };
        let is_first = self.title.starts_with("{}");
        let name = if is_first { name.to_owned() } else { name.to_lowercase() };
        let needs = match Spread::values_needed(statistic) {
            0..20 => String::new(),
            needed => format!("; needs {} {}", format_count(needed), self.samples),
        };
        let definition = format!("{definition} of {}{needs}.", self.values);
        Column::time(key, self.title.replace("{}", &name), definition).lower_is_better()
    }
}

/// Returns the column of the average frame rate, in frames per second.
pub(in crate::report) fn average_frame_rate() -> Column {
    Column::rate("average_fps", "Average", "FPS", "Frames divided by the sum of their frame times.")
        .higher_is_better()
}

impl<T> TableBuilder<'_, T> {
    /// Adds columns of a spread. `read` returns the spread of an item, or the cell that replaces each statistic.
    pub(in crate::report) fn spread_columns(
        self,
        of: SpreadOf,
        columns: &[SpreadColumn],
        read: impl for<'b> Fn(&'b T) -> Result<&'b Spread, Cell>,
    ) -> Self {
        columns.iter().fold(self, |table, &(statistic, key, finish)| {
            table.column(finish(of.column(statistic, key)), |item| {
                read(item).map_or_else(|absent| absent, |spread| cell(statistic, spread))
            })
        })
    }
}

/// Returns the cell of a statistic. The cell is absent with a reason if the statistic needs more samples.
fn cell(statistic: Statistic, spread: &Spread) -> Cell {
    let were = if spread.count == 1 { "was" } else { "were" };
    let absent = || {
        let needed = format_count(Spread::values_needed(statistic));
        let measured = format_count(spread.count);
        Cell::Absent(format!("needs {needed} samples, {measured} {were} measured").into())
    };
    spread.statistic(statistic).map_or_else(absent, Cell::Time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERSHOOT: SpreadOf = SpreadOf {
        title: "{} overshoot",
        values: "the actual minus the requested duration",
        samples: "sleeps",
    };

    #[test]
    fn a_statistic_has_one_name_wherever_it_stands() {
        let min = OVERSHOOT.column(Statistic::Min, "min_nanos");
        assert_eq!(min.title, "Min overshoot");
        assert_eq!(min.definition, "Minimum of the actual minus the requested duration.");
        let frame_time = SpreadOf { title: "Frame time {}", ..OVERSHOOT };
        assert_eq!(frame_time.column(Statistic::Min, "min_nanos").title, "Frame time min");
        let p99 = OVERSHOOT.column(Statistic::P99, "p99_nanos");
        assert_eq!(
            p99.definition,
            "99th percentile of the actual minus the requested duration; needs 100 sleeps."
        );
    }

    #[test]
    fn a_statistic_of_too_few_values_shows_how_many_it_needs() {
        let one = Spread::of(vec![7]).unwrap();
        assert_eq!(cell(Statistic::Max, &one), Cell::Time(7.0));
        let reason = |statistic| cell(statistic, &one).reason().map(str::to_owned);
        assert_eq!(reason(Statistic::StdDev).unwrap(), "needs 2 samples, 1 was measured");
        assert_eq!(reason(Statistic::P99).unwrap(), "needs 100 samples, 1 was measured");
    }
}
