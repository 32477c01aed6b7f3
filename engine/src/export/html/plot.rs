//! Plots of a page: sections with a drawing as wide as its column, and a legend.

use std::io::{self, Write};

use super::super::svg;
use super::super::svg::axis::place;
use super::fluid::{Fluid, NAME_LETTERS};
use super::section;
use crate::report::Chart;
use crate::report::chart::{Axis, Limit};

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
    fluid.x_axis(&chart.x, (top, bottom), chart.is_half, 0 < rows);
    fluid.y_axis(&chart.y, (top, bottom));
    let marks = svg::marks(chart, (1_000.0, bottom), top);
    fluid.stretched(bottom, &marks);
    let (vertical, level): (Vec<&Limit>, Vec<&Limit>) =
        chart.limits.iter().partition(|limit| limit.is_vertical);
    // Labels of neighboring limits are on different lines, so that they do not overlap.
    for (limit, line) in vertical.into_iter().zip([0.0, 11.0, 22.0].into_iter().cycle()) {
        draw_vertical(&mut fluid, &chart.x, limit, line, (top, bottom));
    }
    for limit in level {
        draw_level(&mut fluid, &chart.y, limit, (top, bottom));
    }
    if !chart.x.title.is_empty() && !chart.is_half {
        fluid.word("", (1.0, 0.0), bottom + 30.0, "end", chart.x.title);
    }
    let letters = chart.y.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let left = match letters.min(NAME_LETTERS) {
        0 => String::new(),
        letters => format!(" style=\"padding-left:{}px\"", letters * LETTER + 14),
    };
    let height = bottom + ROOM.1 + if chart.is_half { 0.0 } else { 14.0 };
    let finding = if chart.note.is_empty() { chart.title } else { &chart.note };
    format!("<div class=\"plot\"{left}>{}</div>", fluid.finish(height, chart.title, finding))
}

/// Draws a dashed vertical line with a label at a limit, if it is within the axis.
fn draw_vertical(fluid: &mut Fluid, axis: &Axis, limit: &Limit, line: f64, ends: (f64, f64)) {
    let (top, bottom) = ends;
    if axis.from <= limit.at && limit.at <= axis.to {
        let at = place(axis, limit.at);
        let (dx, anchor) = if 0.7 < at { (-4.0, "end") } else { (4.0, "start") };
        fluid.line("late", (at, top), (at, bottom));
        fluid.word("tl halo", (at, dx), top - 3.0 + line, anchor, &limit.label);
    }
}

fn draw_level(fluid: &mut Fluid, axis: &Axis, limit: &Limit, (top, bottom): (f64, f64)) {
    if axis.from <= limit.at && limit.at <= axis.to {
        let y = bottom - (bottom - top) * place(axis, limit.at);
        fluid.line("late", (0.0, y), (1.0, y));
        fluid.word("tl halo", (1.0, -2.0), y - 4.0, "end", &limit.label);
    }
}
