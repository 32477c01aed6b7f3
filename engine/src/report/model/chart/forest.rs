//! Changes as shares of what they are compared with, one per row, with their intervals.

use super::{Axis, Chart, Limit, Marks, Quantity, Series};

/// A row of a forest.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct ForestRow {
    /// What changed.
    pub name: String,
    /// The change in words, which is the series it belongs to.
    pub result: &'static str,
    /// The change: 0.1 is 10% more; absent where it is not known.
    pub share: Option<f64>,
    /// Its interval; absent where there is none.
    pub interval: Option<(f64, f64)>,
}

/// What a forest is called.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct ForestTitles {
    /// Names it in files.
    pub key: &'static str,
    /// The title.
    pub title: &'static str,
    /// What to know to read it.
    pub note: String,
    /// The title of its axis.
    pub x: &'static str,
}

/// The forest, from −100% to +100%: what is beyond is at the edge. The rows of a result either all have an interval or
/// none has. Results are drawn in this order.
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
    Chart {
        key: titles.key,
        title: titles.title,
        note: titles.note,
        x: Axis::linear(titles.x, Quantity::Share, -1.0, 1.0),
        y: Axis::rows(rows.iter().map(|row| row.name.clone()).collect()),
        marks: Marks::Points(results.iter().map(of_result).collect()),
        limits: vec![Limit { at: 0.0, label: "no change".to_owned(), is_vertical: true }],
        is_half: true,
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
