//! Charts as SVG: within a page, whose style sheet sets the colors, or as a separate file.

pub(super) mod dots;
pub(super) mod fluid;
pub(super) mod mark;
mod marks;

use std::fmt::Write as _;

use super::sanitize::{self, NAME};
use crate::report::chart::{Axis, Chart};
use crate::stats::float;
use fluid::{Fluid, NAME_LETTERS, TEXT};

/// Width and height in pixels of a plot as a file, if a page shows the plot at full width.
const WIDE: (f64, f64) = (950.0, 298.0);
/// Width and height in pixels of a plot as a file, if a page shows the plot at half width.
const HALF: (f64, f64) = (460.0, 248.0);
/// Space above, right of, and below the plot for axis labels, in pixels.
const TOP: f64 = 20.0;
const RIGHT: f64 = 26.0;
const BOTTOM: f64 = 42.0;
/// Space left of a plot without row names for axis labels, in pixels.
const LEFT: f64 = 62.0;
/// Width of a character in pixels, to compute the space for row names.
const LETTER: f64 = 6.0;
/// For a plot with row names: preferred height of one row, and max height of all rows, in pixels.
const ROW: (f64, f64) = (20.0, 900.0);
/// Height of a line of text, in pixels.
const LINE: f64 = 18.0;
/// Color and dash pattern of each series in a separate file.
const SERIES: [(&str, &str); 8] = [
    ("#0b6fb8", "none"),
    ("#b45a00", "6 3"),
    ("#1d6b4a", "2 2"),
    ("#7a4fb5", "8 2 2 2"),
    ("#a3195b", "4 2"),
    ("#4a5a00", "1 3"),
    ("#00707a", "10 3"),
    ("#6b4a2b", "3 1"),
];
/// SVG attributes of the line at the reference of a box.
const LEVEL: &str =
    "class='level' fill='none' stroke='#b3261e' stroke-width='.8' stroke-dasharray='2 3'";

/// The marks of a plot that are being drawn in a box of `size`, with `top` above them.
#[derive(Debug)]
struct SvgDrawing<'a> {
    body: String,
    size: (f64, f64),
    top: f64,
    x: &'a Axis,
    y: &'a Axis,
}

impl SvgDrawing<'_> {
    fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    fn across(&self, value: f64) -> f64 {
        self.size.0 * self.x.place(value)
    }

    /// Returns the y coordinate of a value. Rows are numbered from top to bottom; values increase
    /// from bottom to top.
    fn down(&self, value: f64) -> f64 {
        let share = self.y.place(value);
        let share = if self.y.names.is_empty() { 1.0 - share } else { share };
        self.top + (self.size.1 - self.top) * share
    }
}

/// Returns a description of the plot for screen readers.
fn described(chart: &Chart) -> String {
    let text = if chart.note.is_empty() {
        chart.title.to_owned()
    } else {
        format!("{}: {}", chart.title, chart.note)
    };
    sanitize::html(&text, NAME)
}

/// Returns the marks of a plot as SVG, without axes, in a box of `size` that may be stretched.
/// `top` is the space above the marks.
fn marks(chart: &Chart, size: (f64, f64), top: f64) -> String {
    let mut drawing = SvgDrawing { body: String::new(), size, top, x: &chart.x, y: &chart.y };
    drawing.zones(&chart.x, true);
    drawing.zones(&chart.y, false);
    drawing.band(chart.band);
    drawing.marks(&chart.marks);
    drawing.body
}

/// Returns a plot as an SVG file, with its title and legend.
pub(super) fn file(chart: &Chart) -> String {
    let (width, height) = if chart.is_half { HALF } else { WIDE };
    let letters = chart.y.names.iter().map(|name| name.chars().count().min(NAME_LETTERS)).max();
    let left = letters.map_or(LEFT, |letters| float(letters) * LETTER + 14.0);
    let rows = letters.map(|_| (ROW.0 * chart.y.to).min(ROW.1) + TOP + BOTTOM);
    let height = rows.unwrap_or(height);
    let mut fluid = Fluid::fixed((left, width - RIGHT));
    fluid.plot(chart, (TOP, height - BOTTOM));
    let body = fluid.body;
    let names = chart.names();
    let names = if 1 < names.len() { names } else { Vec::new() };
    let mut head = format!(
        "<text x='14' y='24' font-size='15' font-weight='600' fill='#1b1e24'>{}</text>\n",
        sanitize::html(chart.title, NAME)
    );
    let mut y = 24.0;
    for (words, series) in std::iter::once((chart.note.as_str(), None))
        .chain(names.into_iter().zip(0_usize..).map(|(name, series)| (name, Some(series))))
        .filter(|(words, _)| !words.is_empty())
    {
        y += LINE;
        let x = if series.is_some() { 48 } else { 14 };
        if let Some(series) = series {
            let at = y - 4.0;
            head.push_str(&format!("<path {} d='M14 {at:.1}H42'/>\n", stroke(series)));
        }
        let words = sanitize::html(words, NAME);
        head.push_str(&format!("<text x='{x}' y='{y:.1}'{TEXT}>{words}</text>\n"));
    }
    let top = y + 10.0;
    let title = described(chart);
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {0:.1}' width='{width}' \
         height='{0:.1}' role='img' aria-label='{title}' font-family='sans-serif'>\n\
         <title>{title}</title>\n<rect width='100%' height='100%' fill='#fff'/>\n{head}\
         <g transform='translate(0 {top:.1})'>\n{body}</g>\n</svg>\n",
        height + top
    )
}

/// Returns an SVG file that states that there is no data.
pub(super) fn empty_file() -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} 60' width='{0}' height='60' \
         font-family='sans-serif'>\n<text x='14' y='34'{TEXT}>Nothing was measured</text>\n</svg>\n",
        HALF.0
    )
}

/// Returns the legend of a plot as HTML: the names of the series with their lines; empty for a
/// single series.
pub(super) fn legend(chart: &Chart) -> String {
    let names = chart.names();
    if names.len() < 2 {
        return String::new();
    }
    let mut text = String::from("<ul class='legend right'>");
    for (label, series) in names.into_iter().zip(0_usize..) {
        let label = sanitize::html(label, NAME);
        // Writing to a string cannot fail.
        let _ok = write!(
            text,
            "<li><svg class='key' viewBox='0 0 28 8' aria-hidden='true'><path {} d='M0 4H28'/></svg> \
             <bdi>{label}</bdi></li>",
            stroke(series)
        );
    }
    text.push_str("</ul>");
    text
}

/// Returns the number, color, and dash pattern of a series.
fn look(series: usize) -> (usize, &'static str, &'static str) {
    let number = series % SERIES.len();
    let (color, dash) = SERIES.get(number).copied().unwrap_or(("#000", "none"));
    (number, color, dash)
}

/// Returns the SVG attributes for the line of a series.
fn stroke(series: usize) -> String {
    let (number, color, dash) = look(series);
    format!(
        "class='line s{number}' fill='none' stroke='{color}' stroke-width='1.4' stroke-dasharray='{dash}'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::{BoxMark, Heat, Limit, Marks, Series};
    use crate::report::table::Quantity;

    fn chart(marks: Marks, y: Axis) -> Chart {
        Chart {
            key: "test",
            title: "A <title>",
            note: String::new(),
            x: Axis::linear("", Quantity::Time, 0.0, 2e9),
            y,
            marks,
            limits: vec![Limit::vertical(1e9, "limit")],
            band: Some((0.5, 1.0)),
            is_half: false,
        }
    }

    #[test]
    fn every_kind_of_mark_is_drawn() {
        let series = vec![
            Series::new("one", vec![(0.0, 0.0), (1e9, f64::NAN)]),
            Series {
                label: "two".to_owned(),
                points: vec![(1e9, 1.0)],
                intervals: vec![(0.5, 1.5)],
                is_hollow: false,
                gap_ends: Vec::new(),
            },
            Series { is_hollow: true, ..Series::new("three", vec![(2e9, 1.0)]) },
        ];
        let values = || Axis::linear("", Quantity::Number, 0.0, 2.0);
        let rows = || Axis::rows(vec!["CPU 0".to_owned(), "x".repeat(90)]);
        let one = BoxMark {
            p1: 0.0,
            q1: 1e8,
            median: 2e8,
            q3: 3e8,
            p99: 4e8,
            max: 9e8,
            reference: Some(5e8),
            series: 1,
        };
        let heat =
            Heat { columns: 2, cells: vec![vec![0.0, 5e3], vec![3e7, 0.0]], range: (1e3, 3e7) };
        for (marks, y, drawn) in [
            (Marks::Lines(series.clone()), values(), "class='line s1'"),
            (Marks::Steps(series.clone()), values().graded(0.5, 1.5), "class='zone'"),
            (Marks::Points(series.clone()), values(), "class='dots s1'"),
            (Marks::Curves(series.clone()), values(), "class='interval s1'"),
            (Marks::Curves(series), values(), "class='hole'"),
            (Marks::Boxes(vec![one, one]), rows(), "class='median s1'"),
            (Marks::Heat(heat), rows(), "class='heat'"),
        ] {
            let chart = chart(marks, y);
            let file = file(&chart);
            assert!(file.contains(drawn), "{drawn}: {file}");
            assert!(file.contains("A &lt;title&gt;") && file.contains(">limit</text>"), "{file}");
            assert!(!file.contains("NaN") && !file.contains("inf"), "{file}");
            assert_eq!(file.matches("<svg").count(), file.matches("</svg>").count());
            let named = legend(&chart).contains("two");
            assert_eq!(named, !chart.names().is_empty());
        }
        assert!(file(&chart(Marks::Boxes(vec![one]), rows())).contains('…'));
    }
}
