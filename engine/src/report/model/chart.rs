//! Plots as data: a plane of two axes with unit and scale, and on it zones, series, and limit lines. The window and
//! exported files paint the same data, with the same ticks for a range and a length ([`Axis::ticks`]).

mod common;
mod forest;
mod ticks;

pub(in crate::report) use common::{
    decade_above_one, histogram, lateness, linear_histogram, over_time, overlaid, points_over_time,
    tail,
};
pub use common::{
    default_row, fitted, lateness_distributions, of_histograms, of_tails, tail_curve, trials,
};
pub(in crate::report) use forest::{ForestRow, ForestTitles, forest};
pub use ticks::{AxisKind, FLOOR, ROW_SHARE, Tick, ZERO, row_ticks};

use super::table::Quantity;
use crate::stats::{Grade, PercentileRule, Quantile, Sorted};
use crate::units::format_count;

/// A plot of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The name of the plot on the command line and in files: `timeline`, `heat-map`.
    pub key: &'static str,
    /// The title, in sentence case.
    pub title: &'static str,
    /// A short hint on how to read the plot; empty if none is needed.
    pub note: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The data to draw.
    pub marks: Marks,
    /// Lines at notable values, such as the late threshold.
    pub limits: Vec<Limit>,
    /// A range of values of the vertical axis behind the marks, such as those that differ too little to matter.
    pub band: Option<(f64, f64)>,
    /// Whether the plot takes up half of the page width, so that two plots fit side by side.
    pub is_half: bool,
}

/// How an axis converts a value to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The position is proportional to the value.
    Linear,
    /// The position is proportional to the logarithm of the value. Values up to 0 are at the lower end.
    Log,
    /// The value is a relative change, and the position is proportional to the logarithm of the ratio.
    Change,
}

/// The horizontal or the vertical axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The title of the axis; empty if the title of the plot already names the values.
    pub title: &'static str,
    /// The kind of the values: times in nanoseconds, shares of 1, counts, or numbers.
    pub quantity: Quantity,
    /// The value at the lower end.
    pub from: f64,
    /// The value at the upper end, which is higher.
    pub to: f64,
    /// How the axis converts a value to a position.
    pub scale: Scale,
    /// The names of the rows, from top to bottom; empty if the axis has values instead of rows. Row `k` reaches from
    /// `k` to `k + 1`.
    pub names: Vec<String>,
    /// Ranges of values with a grade, from low to high.
    pub zones: Vec<Zone>,
}

/// A range of values with a grade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// The value at the lower end.
    pub from: f64,
    /// The value at the upper end.
    pub to: f64,
    /// The grade of these values.
    pub grade: Grade,
}

impl Axis {
    /// Creates a linear axis. If the range is empty or not finite, the axis gets a length of 1.
    pub fn linear(title: &'static str, quantity: Quantity, from: f64, to: f64) -> Self {
        let from = if from.is_finite() { from } else { 0.0 };
        let to = if to.is_finite() && from < to { to } else { from + 1.0 };
        Self::new(title, quantity, (from, to), Scale::Linear)
    }

    /// Creates a logarithmic axis, which is at least a decade long.
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

    /// Returns the axis with three zones: Good up to `good`, Fair up to `fair`, and Poor above.
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

    /// Returns the values of the axis, which determine its ticks and labels.
    pub fn kind(&self) -> AxisKind {
        match (self.quantity, self.scale) {
            _ if !self.names.is_empty() => AxisKind::Rows,
            (_, Scale::Change) => AxisKind::Change,
            (Quantity::Time, Scale::Linear) => AxisKind::Nanos,
            (Quantity::Time, Scale::Log) => AxisKind::LogTime,
            (Quantity::Share, Scale::Linear) => AxisKind::Share,
            (Quantity::Share, Scale::Log) => AxisKind::LogShare,
            (_, Scale::Log) => AxisKind::LogCount,
            (Quantity::Count, Scale::Linear) => AxisKind::Count,
            (_, Scale::Linear) => AxisKind::Number,
        }
    }

    /// Returns the position of a value: the value itself, or its decimal logarithm.
    pub fn position(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log if 0.0 < value => value.log10(),
            Scale::Log => self.from.log10(),
            Scale::Change => value.max(-0.999_999).ln_1p(),
        }
    }

    /// Returns the value at a position.
    pub fn value_at(&self, position: f64) -> f64 {
        match self.scale {
            Scale::Linear => position,
            Scale::Log => 10_f64.powf(position),
            Scale::Change => position.exp_m1(),
        }
    }

    /// Returns the place of a value between the ends of the axis, from 0 to 1; values outside are at the nearest end.
    pub fn place(&self, value: f64) -> f64 {
        let (from, to) = (self.position(self.from), self.position(self.to));
        let place = (self.position(value) - from) / (to - from);
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Creates an axis of rows with these names, from top to bottom; as a horizontal axis, of columns from left to right.
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
    /// Bins of histograms. Each bin has two points at the same height, one at its left and one at its right edge.
    Steps(Vec<Series>),
    /// Separate points. On an axis of rows, points can have intervals, which are horizontal.
    Points(Vec<Series>),
    /// Points with intervals, connected by lines.
    Curves(Vec<Series>),
    /// One box per row.
    Boxes(Vec<BoxMark>),
    /// A heat map.
    Heat(Heat),
}

impl Marks {
    /// Returns the series; empty for boxes and heat maps, which have none.
    fn series(&self) -> &[Series] {
        match self {
            Self::Lines(all) | Self::Steps(all) | Self::Points(all) | Self::Curves(all) => all,
            Self::Boxes(_) | Self::Heat(_) => &[],
        }
    }
}

/// Points with a common label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name of the series.
    pub label: String,
    /// The points (x, y), in ascending order of x.
    pub points: Vec<(f64, f64)>,
    /// The low and the high end of the interval of each point; empty if the series has no intervals.
    pub intervals: Vec<(f64, f64)>,
    /// Whether the points are hollow and not connected: they count less than those of other series.
    pub is_hollow: bool,
    /// Where the line is interrupted, because nothing is known there: ends of gaps in x, in ascending order.
    pub gap_ends: Vec<f64>,
}

impl Series {
    /// Creates a series without intervals.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, ..Self::default() }
    }

    /// Creates the steps of a histogram from the edges and the counts of its bins.
    pub(in crate::report) fn of_bins(
        label: impl Into<String>,
        bins: impl Iterator<Item = (f64, f64, u64)>,
    ) -> Self {
        let steps = bins.flat_map(|(from, to, count)| {
            let count = common::count(count);
            [(from, count), (to, count)]
        });
        Self::new(label, steps.collect())
    }

    /// Returns the points between gaps: those that a line connects.
    pub fn connected(&self) -> impl Iterator<Item = &[(f64, f64)]> {
        let is_connected = |one: &(f64, f64), next: &(f64, f64)| {
            let gap = self.gap_ends.partition_point(|end| *end <= one.0);
            self.gap_ends.get(gap).is_none_or(|end| next.0 < *end)
        };
        self.points.chunk_by(is_connected)
    }

    /// Returns the bins of a histogram.
    pub fn bins(&self) -> impl DoubleEndedIterator<Item = HistogramBin> + '_ {
        self.points.chunks_exact(2).filter_map(|edges| match *edges {
            [(from, count), (to, _)] => Some(HistogramBin { from, to, count }),
            _ => None,
        })
    }
}

/// A bin of a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistogramBin {
    /// The lower edge.
    pub from: f64,
    /// The upper edge.
    pub to: f64,
    /// The number of values in the bin.
    pub count: f64,
}

/// The distribution of the values of one row. The box covers the middle half of the values, the line the middle 98%.
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
    /// A value to compare the distribution with, such as the requested duration; absent if there is none.
    pub reference: Option<f64>,
    /// The index of the series whose color the box has; 0 if the rows belong to no series.
    pub series: usize,
}

/// Times in rows and columns. The shade of a cell shows the decade of its time: longer times are darker.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The number of columns.
    pub columns: usize,
    /// The longest time of each cell in nanoseconds, row by row; 0 if a cell has no time.
    pub cells: Vec<Vec<f64>>,
    /// The times of the lightest and of the darkest cell, in nanoseconds.
    pub range: (f64, f64),
}

/// A line at a notable value.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The position of the line on its axis.
    pub at: f64,
    /// The meaning of the line, in a few words.
    pub label: String,
    /// Whether the line is vertical: `at` is a value of the horizontal axis.
    pub is_vertical: bool,
    /// Whether this is the baseline, with which the other values are compared. It is marked with a star.
    pub is_baseline: bool,
}

impl Limit {
    /// Creates a vertical line at a value of the horizontal axis.
    pub fn vertical(at: f64, label: impl Into<String>) -> Self {
        Self { at, label: label.into(), is_vertical: true, is_baseline: false }
    }

    /// Creates a horizontal line at a value of the vertical axis.
    pub fn horizontal(at: f64, label: impl Into<String>) -> Self {
        Self { at, label: label.into(), is_vertical: false, is_baseline: false }
    }

    /// Creates a horizontal line at the baseline.
    pub fn baseline(at: f64, label: impl Into<String>) -> Self {
        Self { is_baseline: true, ..Self::horizontal(at, label) }
    }

    /// Returns the label, after a star if the line is the baseline.
    pub fn marked_label(&self, star: &str) -> String {
        if self.is_baseline { format!("{star} {}", self.label) } else { self.label.clone() }
    }
}

impl BoxMark {
    /// Returns the distribution of sorted values, without a reference.
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

/// Maximum number of boxes in a chart, and of series in a chart of all configurations or PCs: there may be thousands.
const MAX_BOXES: usize = 200;
pub(in crate::report) const MAX_SERIES: usize = 24;

/// Shortens a list to what a chart can show. Returns the end of the note of the chart, which is empty if nothing is omitted;
/// `of` names the items.
pub(in crate::report) fn shorten<T>(items: &mut Vec<T>, most: usize, of: &str) -> String {
    let count = items.len();
    items.truncate(most);
    if count <= most {
        return String::new();
    }
    format!("; the first {most} of {} {of}", format_count(count))
}

/// Returns a chart with one box per row, on a logarithmic axis that begins at `from` ns; `None` without rows.
pub fn of_boxes(
    (key, title): (&'static str, &'static str),
    x_title: &'static str,
    from: f64,
    mut rows: Vec<(String, BoxMark)>,
) -> Option<Chart> {
    let end_of_note = shorten(&mut rows, MAX_BOXES, "configurations");
    let (names, boxes): (Vec<String>, Vec<BoxMark>) = rows.into_iter().unzip();
    let most = boxes.iter().map(|one| one.max).fold(0.0, f64::max);
    let x = Axis::log(x_title, Quantity::Time, from, decade_above_one(most));
    let note = "box: middle half, with the median; line: 1st to 99th percentile; dot: maximum";
    (!boxes.is_empty()).then(|| Chart {
        note: format!("{note}{end_of_note}"),
        ..Chart::new((key, title), (x, Axis::rows(names)), Marks::Boxes(boxes))
    })
}

impl Chart {
    /// Creates a plot of full width, without a note and without limits.
    pub fn new(
        (key, title): (&'static str, &'static str),
        (x, y): (Axis, Axis),
        marks: Marks,
    ) -> Self {
        let limits = Vec::new();
        Self { key, title, note: String::new(), x, y, marks, limits, band: None, is_half: false }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match &self.marks {
            Marks::Boxes(boxes) => boxes.is_empty(),
            Marks::Heat(heat) => heat.cells.is_empty(),
            marks => marks.series().iter().all(|one| one.points.is_empty()),
        }
    }

    /// Returns the names of the series, in the order in which they are drawn.
    pub fn names(&self) -> Vec<&str> {
        self.marks.series().iter().map(|one| one.label.as_str()).collect()
    }
}

/// Checks the properties that every chart must have: a title, something to draw, finite points in order, and as many
/// rows as names.
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
