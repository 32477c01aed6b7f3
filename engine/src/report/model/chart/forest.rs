//! Forest plots: relative changes, one per row, with their intervals.

use super::{Axis, Chart, Limit, Marks, Quantity, Scale, Series};

/// The changes that are drawn: from 1/100 to about 1000 times the baseline's value. Others are at the ends.
const CHANGES: (f64, f64) = (-0.99, 1_000.0);
/// Minimum extent of the axis to each side of 0, as a relative change: 5%.
const MIN_CHANGE: f64 = 0.05;
/// Space beyond the lowest and the highest change, as a share of the length between them.
const ROOM: f64 = 0.06;

/// A row of a forest plot.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct ForestRow {
    /// The title of the row, such as the name of the metric that changed.
    pub name: String,
    /// The result in words, such as "Worse". Rows with the same result belong to one series.
    pub result: &'static str,
    /// The relative change: 0.1 is an increase of 10%; absent if the change is not known.
    pub share: Option<f64>,
    /// The interval of the relative change; absent if there is none.
    pub interval: Option<(f64, f64)>,
}

/// The texts of a forest plot.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct ForestTitles {
    /// The name of the plot in files.
    pub key: &'static str,
    /// The title of the plot.
    pub title: &'static str,
    /// A short hint on how to read the plot.
    pub note: String,
    /// The title of the horizontal axis.
    pub x: &'static str,
}

impl Axis {
    /// Creates the axis of a forest plot, on which halving is as far from no change as doubling. It holds 0 and these
    /// relative changes.
    pub fn changes(title: &'static str, changes: impl IntoIterator<Item = f64>) -> Self {
        let ends = (-MIN_CHANGE, MIN_CHANGE);
        let (low, high) = changes
            .into_iter()
            .map(|change| change.clamp(CHANGES.0, CHANGES.1))
            .fold(ends, |(low, high), change| (low.min(change), high.max(change)));
        let mut axis =
            Self { scale: Scale::Change, ..Self::linear(title, Quantity::Share, low, high) };
        let (from, to) = (axis.position(low), axis.position(high));
        let room = (to - from) * ROOM;
        (axis.from, axis.to) = (axis.value_at(from - room), axis.value_at(to + room));
        axis
    }
}

/// Returns a forest plot. Results are drawn in the order of `results`. Either all rows of a result must have an
/// interval, or none.
pub(in crate::report) fn forest(
    titles: ForestTitles,
    results: &[&'static str],
    rows: &[ForestRow],
) -> Chart {
    let inside = |end: f64| end.clamp(CHANGES.0, CHANGES.1);
    let of_result = |result: &&'static str| {
        let mut marks: Vec<(&ForestRow, f64, f64)> = rows
            .iter()
            .zip(0_u32..)
            .filter(|(one, _)| one.result == *result)
            .filter_map(|(one, row)| Some((one, inside(one.share?), f64::from(row) + 0.5)))
            .collect();
        marks.sort_by(|a, b| a.1.total_cmp(&b.1));
        let intervals = marks.iter().filter_map(|(one, ..)| one.interval);
        Series {
            label: (*result).to_owned(),
            points: marks.iter().map(|&(_, share, row)| (share, row)).collect(),
            intervals: intervals.map(|(low, high)| (inside(low), inside(high))).collect(),
            ..Series::default()
        }
    };
    let ends = rows
        .iter()
        .flat_map(|row| row.interval.map_or([row.share; 2], |it| [it.0, it.1].map(Some)));
    let x = Axis::changes(titles.x, ends.chain(rows.iter().map(|row| row.share)).flatten());
    let y = Axis::rows(rows.iter().map(|row| row.name.clone()).collect());
    let marks = Marks::Points(results.iter().map(of_result).collect());
    Chart {
        note: titles.note,
        limits: vec![Limit::vertical(0.0, "no change")],
        is_half: true,
        ..Chart::new((titles.key, titles.title), (x, y), marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::chart::check;

    #[test]
    fn every_change_is_on_the_axis_and_one_without_interval_is_a_dot() {
        let row = |name: &str, result, share, interval| ForestRow {
            name: name.to_owned(),
            result,
            share,
            interval,
        };
        let rows = [
            row("a", "Worse", Some(3.0), Some((0.5, 9_999.0))),
            row("b", "No interval", Some(-0.2), None),
            row("c", "No interval", None, None),
            row("d", "Worse", Some(0.25), Some((0.125, 0.5))),
        ];
        let titles = ForestTitles { key: "k", title: "T", note: String::new(), x: "Change" };
        let chart = forest(titles, &["Worse", "No interval"], &rows);
        check(&chart);
        assert_eq!(chart.y.names, ["a", "b", "c", "d"]);
        let worse = Series {
            label: "Worse".to_owned(),
            points: vec![(0.25, 3.5), (3.0, 0.5)],
            intervals: vec![(0.125, 0.5), (0.5, 1_000.0)],
            ..Series::default()
        };
        let without = Series::new("No interval", vec![(-0.2, 1.5)]);
        assert_eq!(chart.marks, Marks::Points(vec![worse, without]));
    }

    #[test]
    fn every_change_is_inside_the_axis_and_labels_have_room() {
        for changes in [
            [-0.953, -0.972, -0.831],
            [0.001, -0.002, 0.004],
            [40.0, 20.0, 90.0],
            [-1.0, -1.0, 1e9],
        ] {
            let axis = Axis::changes("", changes);
            let (from, to) = (axis.position(axis.from), axis.position(axis.to));
            let place = |position: f64| (position - from) / (to - from);
            for change in changes.map(|change| change.clamp(CHANGES.0, CHANGES.1)) {
                let place = place(axis.position(change));
                assert!(0.02 < place && place < 0.98, "{change} is at {place}");
            }
            let ticks = axis.ticks((from, to), 7.0);
            let places: Vec<f64> = ticks.iter().map(|tick| place(tick.at)).collect();
            assert!(places.windows(2).all(|two| 1.0 / 7.0 <= two[1] - two[0]), "{ticks:?}");
            assert!(2 <= ticks.len() && ticks.iter().any(|tick| tick.text == "0"), "{ticks:?}");
        }
    }
}
