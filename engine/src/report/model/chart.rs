//! A plot as data: series, axes with unit and scale, limit lines. Every surface draws the same.

mod common;
mod forest;

pub(in crate::report) use common::{
    decade_above_one, histogram, lateness, linear_histogram, over_time, overlaid, points_over_time,
    tail,
};
pub use common::{
    default_row, fitted, lateness_distributions, of_histograms, of_tails, tail_curve, trials,
};
pub(in crate::report) use forest::{ForestRow, ForestTitles, forest};

use super::table::Quantity;
use crate::stats::{Grade, PercentileRule, Quantile, Sorted};

/// A plot of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Names the plot on the command line and in files: `timeline`, `heat-map`.
    pub key: &'static str,
    /// The title, in sentence case.
    pub title: &'static str,
    /// What to know to read it, in a few words; empty where there is nothing to add.
    pub note: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub marks: Marks,
    /// Lines at values that matter.
    pub limits: Vec<Limit>,
    /// Whether it is half as wide as the page, next to another one.
    pub is_half: bool,
}

/// How a value becomes a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By its size.
    Linear,
    /// By its logarithm; what is not above 0 is at the lower end.
    Log,
}

/// One direction of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What its values are; empty where the title of the plot states it.
    pub title: &'static str,
    /// What the values are: times in nanoseconds, shares of 1, counts, numbers.
    pub quantity: Quantity,
    /// The lower end.
    pub from: f64,
    /// The upper end, above the lower one.
    pub to: f64,
    /// How a value becomes a position.
    pub scale: Scale,
    /// The names of its rows, from top to bottom, where it has rows instead of values: row `k` reaches
    /// from `k` to `k + 1`.
    pub names: Vec<String>,
    /// Ranges of values that have a grade, from low to high.
    pub zones: Vec<Zone>,
}

/// A range of values that has a grade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// The grade.
    pub grade: Grade,
}

impl Axis {
    /// An axis of values by their size; a range that is empty or not finite becomes 1 long.
    pub fn linear(title: &'static str, quantity: Quantity, from: f64, to: f64) -> Self {
        let from = if from.is_finite() { from } else { 0.0 };
        let to = if to.is_finite() && from < to { to } else { from + 1.0 };
        Self::new(title, quantity, (from, to), Scale::Linear)
    }

    /// An axis of values by their logarithm, which is at least a decade long.
    pub fn log(title: &'static str, quantity: Quantity, from: f64, to: f64) -> Self {
        let from = if from.is_finite() && 0.0 < from { from } else { 1.0 };
        let to = if to.is_finite() && from * 10.0 < to { to } else { from * 10.0 };
        Self::new(title, quantity, (from, to), Scale::Log)
    }

    const fn new(
        title: &'static str,
        quantity: Quantity,
        (from, to): (f64, f64),
        scale: Scale,
    ) -> Self {
        Self { title, quantity, from, to, scale, names: Vec::new(), zones: Vec::new() }
    }

    /// The same with three grades: good and fair up to these values, poor above.
    #[must_use]
    pub fn graded(mut self, good: f64, fair: f64) -> Self {
        let ends = [self.from, good, fair, self.to];
        let grades = [Grade::Good, Grade::Fair, Grade::Poor];
        let pairs = ends.iter().zip(ends.iter().skip(1)).zip(grades);
        self.zones = pairs
            .map(|((&from, &to), grade)| Zone {
                from: from.max(self.from),
                to: to.min(self.to),
                grade,
            })
            .filter(|zone| zone.from < zone.to)
            .collect();
        self
    }

    /// An axis of rows.
    pub fn rows(names: Vec<String>) -> Self {
        let count = names.iter().fold(0.0, |count, _| count + 1.0);
        Self { names, ..Self::linear("", Quantity::Text, 0.0, count) }
    }
}

/// What a plot draws.
#[derive(Clone, Debug, PartialEq)]
pub enum Marks {
    /// Lines through points.
    Lines(Vec<Series>),
    /// Bins of histograms: two points per bin, its left and its right edge at the same height.
    Steps(Vec<Series>),
    /// Points of their own; those in rows may have intervals, which are horizontal.
    Points(Vec<Series>),
    /// Points with lines between them, and with intervals.
    Curves(Vec<Series>),
    /// One box per row.
    Boxes(Vec<BoxMark>),
    /// Cells in rows and columns.
    Heat(Heat),
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Names it.
    pub label: String,
    /// The points, in the order of `x`.
    pub points: Vec<(f64, f64)>,
    /// The low and the high end of the interval of each point; empty where there are none.
    pub intervals: Vec<(f64, f64)>,
}

impl Series {
    /// Points without intervals.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, intervals: Vec::new() }
    }
}

/// The distribution of one row: the box holds the middle half, the line 98%.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxMark {
    /// The 1st percentile.
    pub p1: f64,
    /// The first quartile.
    pub q1: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub q3: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The maximum.
    pub max: f64,
    /// A value to compare with, such as the requested one; absent where there is none.
    pub reference: Option<f64>,
    /// The position of its series, from 0, whose color it has; 0 where rows are no series.
    pub series: usize,
}

/// Times in rows and columns; the darkness of a cell is its decade.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The number of columns.
    pub columns: usize,
    /// The longest time in nanoseconds of each cell, row by row; 0 where there is none.
    pub cells: Vec<Vec<f64>>,
    /// The times of the lightest and the darkest cell.
    pub range: (f64, f64),
}

/// A line at a value that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The value.
    pub at: f64,
    /// What it is, in a few words.
    pub label: String,
    /// Whether it is a value of the horizontal axis.
    pub is_vertical: bool,
}

impl BoxMark {
    /// The distribution of sorted values.
    pub fn of(sorted: &Sorted) -> Self {
        let at = |quantile| sorted.percentile(quantile, PercentileRule::R7);
        Self {
            p1: at(Quantile::new(1_000)),
            q1: at(Quantile::new(25_000)),
            median: at(Quantile::P50),
            q3: at(Quantile::new(75_000)),
            p99: at(Quantile::P99),
            max: at(Quantile::new(100_000)),
            reference: None,
            series: 0,
        }
    }
}

/// Distributions in rows, on an axis by decades that begins at a time in nanoseconds; `None` where there is
/// none.
pub fn of_boxes(
    (key, title): (&'static str, &'static str),
    x_title: &'static str,
    from: f64,
    rows: Vec<(String, BoxMark)>,
) -> Option<Chart> {
    let (names, boxes): (Vec<String>, Vec<BoxMark>) = rows.into_iter().unzip();
    let most = boxes.iter().map(|one| one.max).fold(0.0, f64::max);
    (!boxes.is_empty()).then(|| Chart {
        key,
        title,
        note: "box: middle half, with the median; line: 1st to 99th percentile; dot: maximum"
            .to_owned(),
        x: Axis::log(x_title, Quantity::Time, from, decade_above_one(most)),
        y: Axis::rows(names),
        marks: Marks::Boxes(boxes),
        limits: Vec::new(),
        is_half: false,
    })
}

impl Chart {
    /// Whether there is anything to draw.
    pub fn is_empty(&self) -> bool {
        match &self.marks {
            Marks::Lines(series)
            | Marks::Steps(series)
            | Marks::Points(series)
            | Marks::Curves(series) => series.iter().all(|one| one.points.is_empty()),
            Marks::Boxes(boxes) => boxes.is_empty(),
            Marks::Heat(heat) => heat.cells.is_empty(),
        }
    }

    /// Returns the names of its series, in the order in which they are drawn.
    pub fn names(&self) -> Vec<&str> {
        match &self.marks {
            Marks::Lines(series)
            | Marks::Steps(series)
            | Marks::Points(series)
            | Marks::Curves(series) => series.iter().map(|one| one.label.as_str()).collect(),
            Marks::Boxes(_) | Marks::Heat(_) => Vec::new(),
        }
    }
}

/// Checks what every chart promises: finite points, rows that fit, a title, something to draw.
#[cfg(test)]
#[track_caller]
pub(in crate::report) fn check(chart: &Chart) {
    let key = chart.key;
    assert!(!chart.title.is_empty() && !chart.is_empty(), "{key}");
    for axis in [&chart.x, &chart.y] {
        assert!(axis.from < axis.to && axis.from.is_finite() && axis.to.is_finite(), "{key}");
    }
    match &chart.marks {
        Marks::Lines(series)
        | Marks::Steps(series)
        | Marks::Points(series)
        | Marks::Curves(series) => {
            for one in series {
                assert!(one.points.iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{key}");
                assert!(one.points.is_sorted_by(|a, b| a.0 <= b.0), "{key}: {}", one.label);
                assert!([0, one.points.len()].contains(&one.intervals.len()), "{key}");
                let is_binned = matches!(chart.marks, Marks::Steps(_));
                assert!(!is_binned || one.points.len().is_multiple_of(2), "{key}");
            }
        }
        Marks::Boxes(boxes) => {
            assert_eq!(boxes.len(), chart.y.names.len(), "{key}");
            for one in boxes {
                let all = [one.p1, one.q1, one.median, one.q3, one.p99, one.max];
                assert!(all.is_sorted(), "{key}: {one:?}");
            }
        }
        Marks::Heat(heat) => {
            assert_eq!(heat.cells.len(), chart.y.names.len(), "{key}");
            assert!(heat.cells.iter().all(|row| row.len() == heat.columns), "{key}");
        }
    }
}
