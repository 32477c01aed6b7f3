//! Forest plots: relative changes, one per row, with their intervals.

use super::{Axis, Chart, Limit, Marks, Quantity, Series};

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

/// Returns a forest plot from −100% to +100%; a change beyond this range is drawn at the edge. Results are drawn in
/// the order of `results`. Either all rows of a result must have an interval, or none.
pub(in crate::report) fn forest(
    titles: ForestTitles,
    results: &[&'static str],
    rows: &[ForestRow],
) -> Chart {
    let inside = |end: f64| end.clamp(-1.0, 1.0);
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
        }
    };
    let x = Axis::linear(titles.x, Quantity::Share, -1.0, 1.0);
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
    fn a_change_beyond_the_axis_is_at_its_edge_and_one_without_interval_is_a_dot() {
        let row = |name: &str, result, share, interval| ForestRow {
            name: name.to_owned(),
            result,
            share,
            interval,
        };
        let rows = [
            row("a", "Worse", Some(3.0), Some((0.5, 4.0))),
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
            points: vec![(0.25, 3.5), (1.0, 0.5)],
            intervals: vec![(0.125, 0.5), (0.5, 1.0)],
        };
        let without = Series::new("No interval", vec![(-0.2, 1.5)]);
        assert_eq!(chart.marks, Marks::Points(vec![worse, without]));
    }
}
