//! Plots of a page: sections with a drawing as wide as its column, and a legend.

use std::io::{self, Write};

use super::super::svg;
use super::fluid::{Fluid, NAME_LETTERS};
use super::section;
use crate::report::Chart;

/// Heights in pixels of a full-width plot, and of a plot of a half or third of the width.
const HEIGHTS: [f64; 2] = [190.0, 150.0];
/// For a plot with row names: height of one row, and max height of all rows, in pixels.
const ROW: (f64, f64) = (20.0, 420.0);
/// Space above and below the plot, in pixels.
const ROOM: (f64, f64) = (14.0, 20.0);
/// Width of a character of row names, in pixels.
const LETTER: usize = 6;

/// Writes a section with a plot.
pub(super) fn write(chart: &Chart, to: &mut dyn Write) -> io::Result<()> {
    section(chart.title, &chart.note, &svg::legend(chart), to)?;
    write_alone(chart, to)?;
    writeln!(to, "</section>")
}

/// Writes a plot without a section, title, and legend.
pub(super) fn write_alone(chart: &Chart, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "{}", drawing(chart))
}

/// Returns the plot with its axes and limits.
fn drawing(chart: &Chart) -> String {
    let rows = chart.y.names.len();
    let plot = match rows {
        0 => HEIGHTS[usize::from(chart.is_half)],
        _ => (ROW.0 * chart.y.to).min(ROW.1),
    };
    let (top, bottom) = (ROOM.0, ROOM.0 + plot);
    let mut fluid = Fluid::default();
    fluid.plot(chart, (top, bottom));
    let letters = chart.y.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let left = match letters.min(NAME_LETTERS) {
        0 => String::new(),
        letters => format!(" style=\"padding-left:{}px\"", letters * LETTER + 14),
    };
    let height = bottom + ROOM.1 + if chart.is_half { 0.0 } else { 14.0 };
    let finding = if chart.note.is_empty() { chart.title } else { &chart.note };
    format!("<div class=\"plot\"{left}>{}</div>", fluid.finish(height, chart.title, finding))
}
