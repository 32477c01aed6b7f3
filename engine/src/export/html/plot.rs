//! Plots of a page: sections with a drawing as wide as its column, and the names of its series.

use std::io::{self, Write};

use super::super::svg;
use super::super::svg::axis::place;
use super::fluid::{Fluid, NAME_LETTERS};
use super::section;
use crate::report::Chart;
use crate::report::chart::Limit;

/// Heights of the drawing across the page and of a third of it.
const HEIGHTS: [f64; 2] = [190.0, 150.0];
/// Height of a row, and of all rows at most.
const ROW: (f64, f64) = (20.0, 420.0);
/// Room above and below the drawing.
const ROOM: (f64, f64) = (14.0, 20.0);
/// Width of a letter of the names of rows.
const LETTER: usize = 6;

/// Height of each drawing across the page where there are more than two of them: a sheet has room for all.
const LOW: f64 = 130.0;

/// Writes a section with a plot.
pub(super) fn write(chart: &Chart, to: &mut dyn Write) -> io::Result<()> {
    write_high(chart, HEIGHTS[usize::from(chart.is_half)], to)
}

/// Writes sections with plots across the page.
pub(super) fn write_wide(charts: &[Chart], to: &mut dyn Write) -> io::Result<()> {
    let height = if 2 < charts.len() { LOW } else { HEIGHTS[0] };
    charts.iter().try_for_each(|chart| write_high(chart, height, to))
}

fn write_high(chart: &Chart, height: f64, to: &mut dyn Write) -> io::Result<()> {
    section(chart.title, &chart.note, &svg::legend(chart), to)?;
    writeln!(to, "{}</section>", drawing(chart, height))
}

/// The drawing in its frame.
fn drawing(chart: &Chart, height: f64) -> String {
    let rows = chart.y.names.len();
    let plot = match rows {
        0 => height,
        _ => (ROW.0 * chart.y.to).min(ROW.1),
    };
    let (top, bottom) = (ROOM.0, ROOM.0 + plot);
    let mut fluid = Fluid::default();
    fluid.x_axis(&chart.x, (top, bottom), chart.is_half);
    fluid.y_axis(&chart.y, (top, bottom));
    let marks = svg::marks(chart, (1_000.0, bottom), top);
    fluid.stretched(bottom, &marks);
    for limit in &chart.limits {
        draw_limit(&mut fluid, chart, limit, (top, bottom));
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

/// A dashed line at a value that is on the axis, with a word on it.
fn draw_limit(fluid: &mut Fluid, chart: &Chart, limit: &Limit, (top, bottom): (f64, f64)) {
    let axis = if limit.is_vertical { &chart.x } else { &chart.y };
    if limit.at < axis.from || axis.to < limit.at {
        return;
    }
    let at = place(axis, limit.at);
    if limit.is_vertical {
        let (dx, anchor) = if 0.7 < at { (-4.0, "end") } else { (4.0, "start") };
        fluid.line("late", (at, top), (at, bottom));
        fluid.word("tl halo", (at, dx), top - 3.0, anchor, &limit.label);
    } else {
        let y = bottom - (bottom - top) * at;
        fluid.line("late", (0.0, y), (1.0, y));
        fluid.word("tl halo", (1.0, -2.0), y - 4.0, "end", &limit.label);
    }
}
