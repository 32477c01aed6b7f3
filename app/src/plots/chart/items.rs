//! The contents of a chart as items of `egui_plot`.

use eframe::egui::Stroke;
use egui_plot::{
    Axis, Bar, BarChart, BoxElem, BoxPlot, BoxSpread, HLine, Line, LineStyle, PlotPoints, PlotUi,
    Points, Span, VLine,
};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::{BoxMark, Chart, Heat, Marks, Series};
use jitterscope_engine::report::table::Quantity;

use super::super::axis::{float, narrow};
use super::super::cells::Cells;
use super::super::style::{self, line_style, marker};
use crate::theme::{Tokens, size, tokens};
use crate::widgets::{Hidden, Severity};

/// Opacity of a zone, which shows the range of a grade.
const ZONE: f32 = 0.09;
/// Maximum number of intervals of a series: about one per pixel.
const MAX_INTERVALS: usize = 1_000;
/// Height of a box, and of the end marks of its whiskers, as shares of the row.
const BOX: (f64, f64) = (0.6, 0.3);

/// Adds the contents of a chart to a plot: zones, all series that are not hidden, and limits.
pub(super) fn add<'a>(plot: &mut PlotUi<'a>, chart: &'a Chart, hidden: Hidden, tokens: &Tokens) {
    zones(plot, chart, tokens);
    if let Some((from, to)) = chart.band {
        let span = Span::new("", chart.y.position(from)..=chart.y.position(to)).axis(Axis::Y);
        plot.span(span.fill(tokens.t3.gamma_multiply(ZONE * 2.0)).border_width(0.0));
    }
    match &chart.marks {
        Marks::Lines(all) => each(all, hidden, |one, at| line(plot, chart, one, at, tokens)),
        Marks::Steps(all) if all.len() == 1 => {
            each(all, hidden, |one, _| bars(plot, chart, one, tokens));
        }
        Marks::Steps(all) => each(all, hidden, |one, at| {
            let look = tokens.series(at);
            let stroke = look.stroke(size::LINE_COMPARE - 0.3);
            let line = style::line(&one.label, points(chart, one), stroke);
            let line = line.style(line_style(look.dash));
            let base = chart.y.position(chart.y.from);
            plot.line(line.fill(narrow(base)).fill_alpha(0.1).allow_hover(false));
        }),
        Marks::Points(all) => each(all, hidden, |one, at| {
            let look = tokens.series(at);
            let dots = Points::new(one.label.as_str(), points(chart, one));
            let (shape, is_filled) = marker(look.mark);
            intervals(plot, chart, one, look);
            let is_alone = chart.x.quantity == Quantity::Count || !one.intervals.is_empty();
            let radius = if is_alone { size::MARK } else { size::POINT };
            plot.points(dots.radius(radius).shape(shape).filled(is_filled).color(look.color));
        }),
        Marks::Curves(all) => each(all, hidden, |one, at| {
            if !one.is_hollow {
                line(plot, chart, one, at, tokens);
            }
            curve(plot, chart, one, at, tokens);
        }),
        Marks::Boxes(all) => boxes(plot, chart, all, tokens),
        Marks::Heat(heat) => plot.add(cells(chart, heat, tokens)),
    }
    for limit in &chart.limits {
        let style = LineStyle::dashed_dense();
        if limit.is_vertical {
            let line = VLine::new(limit.label.as_str(), chart.x.position(limit.at));
            plot.vline(line.color(tokens.target).width(1.0).style(style).allow_hover(false));
        } else {
            let line = HLine::new(limit.label.as_str(), chart.y.position(limit.at));
            plot.hline(line.color(tokens.target).width(1.0).style(style).allow_hover(false));
        }
    }
}

fn each(all: &[Series], hidden: Hidden, mut draw: impl FnMut(&Series, usize)) {
    for (one, at) in all.iter().zip(0..).filter(|(_, at)| !hidden.is_hidden(*at)) {
        draw(one, at);
    }
}

fn points<'a>(chart: &Chart, one: &Series) -> PlotPoints<'a> {
    placed(chart, &one.points)
}

fn placed<'a>(chart: &Chart, points: &[(f64, f64)]) -> PlotPoints<'a> {
    points.iter().map(|&(x, y)| [chart.x.position(x), chart.y.position(y)]).collect()
}

fn line(plot: &mut PlotUi<'_>, chart: &Chart, one: &Series, at: usize, tokens: &Tokens) {
    let look = tokens.series(at);
    for points in one.connected() {
        let points = placed(chart, points);
        let line = style::line(&one.label, points, look.stroke(size::LINE_COMPARE));
        plot.line(line.style(line_style(look.dash)));
    }
}

/// Adds the points of a curve and their intervals.
fn curve(plot: &mut PlotUi<'_>, chart: &Chart, one: &Series, at: usize, tokens: &Tokens) {
    let look = tokens.series(at);
    let marks = Points::new(one.label.as_str(), points(chart, one)).radius(size::MARK);
    let (shape, is_filled) = marker(look.mark);
    let is_filled = is_filled && !one.is_hollow;
    plot.points(marks.shape(shape).filled(is_filled).color(look.color).allow_hover(false));
    intervals(plot, chart, one, look);
}

/// Adds the intervals of points: along the rows, or else upright. Of more visible ones than fit side by side, only some are
/// drawn.
fn intervals(plot: &mut PlotUi<'_>, chart: &Chart, one: &Series, look: tokens::Series) {
    let is_along = !chart.y.names.is_empty();
    let shown = plot.plot_bounds().range_x();
    let is_shown = |x: f64| is_along || shown.contains(&chart.x.position(x));
    let shown_count = one.points.iter().filter(|(x, _)| is_shown(*x)).count();
    // By the position in the series: the same ones while the plot is moved.
    let step = shown_count.div_ceil(MAX_INTERVALS).max(1);
    let some = one.points.iter().zip(&one.intervals).step_by(step);
    for (&(x, y), &(low, high)) in some.filter(|((x, _), _)| is_shown(*x)) {
        let ends = if is_along { [(low, y), (high, y)] } else { [(x, low), (x, high)] };
        let ends = ends.map(|(x, y)| [chart.x.position(x), chart.y.position(y)]);
        let bar = Line::new(one.label.as_str(), ends.to_vec()).stroke(look.stroke(1.4));
        plot.line(bar.allow_hover(false));
    }
}

/// Adds the bins of a single histogram as bars.
fn bars(plot: &mut PlotUi<'_>, chart: &Chart, one: &Series, tokens: &Tokens) {
    let color = tokens.series(0).color;
    let base = chart.y.position(chart.y.from);
    let bars = one.bins().filter(|bin| 0.0 < bin.count).map(|bin| {
        let (from, to) = (chart.x.position(bin.from), chart.x.position(bin.to));
        let bar = Bar::new(f64::midpoint(from, to), chart.y.position(bin.count) - base);
        let bar = bar.base_offset(base).width(to - from).fill(color.gamma_multiply(0.5));
        bar.stroke(Stroke::new(1.0, color))
    });
    let bars = BarChart::new(one.label.as_str(), bars.collect());
    plot.bar_chart(bars.color(color).allow_hover(false));
}

fn boxes(plot: &mut PlotUi<'_>, chart: &Chart, all: &[BoxMark], tokens: &Tokens) {
    let at = |value: f64| chart.x.position(value);
    let rows = || all.iter().zip(0_u32..).map(|(one, row)| (one, f64::from(row) + 0.5));
    let boxes = rows().map(|(one, row)| {
        let look = tokens.series(one.series);
        let spread =
            BoxSpread::new(at(one.p1), at(one.q1), at(one.median), at(one.q3), at(one.p99));
        let drawn = BoxElem::new(row, spread).box_width(BOX.0).whisker_width(BOX.1);
        drawn.stroke(look.stroke(1.4)).fill(look.color.gamma_multiply(0.35))
    });
    let boxes = BoxPlot::new("boxes", boxes.collect()).horizontal();
    plot.box_plot(boxes.allow_hover(false));
    for (one, row) in rows() {
        let most = Points::new("max", vec![[at(one.max), row]]).radius(3.0);
        plot.points(most.color(tokens.series(one.series).color).allow_hover(false));
    }
    for (reference, row) in rows().filter_map(|(one, row)| Some((one.reference?, row))) {
        let ends = vec![[at(reference), row - 0.45], [at(reference), row + 0.45]];
        let line = Line::new("reference", ends).color(tokens.target).width(1.2);
        plot.line(line.style(LineStyle::dashed_dense()).allow_hover(false));
    }
}

/// Returns the cells of a heat map, row by row.
fn cells(chart: &Chart, heat: &Heat, tokens: &Tokens) -> Cells {
    let columns = heat.cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let width = (chart.x.to - chart.x.from) / float(u64::try_from(columns).unwrap_or(1));
    let mut cells = Vec::new();
    for (row, top) in heat.cells.iter().zip(0_u32..) {
        for (&length, column) in row.iter().zip(0_u32..).filter(|(length, _)| 0.0 < **length) {
            let left = chart.x.from + width * f64::from(column);
            let color = tokens.heat_of(Nanos::from_nanos_f64(length));
            let low = [left, f64::from(top) + 0.04];
            cells.push((low, [left + width, f64::from(top) + 0.96], color));
        }
    }
    Cells::new("cells", cells)
}

fn zones(plot: &mut PlotUi<'_>, chart: &Chart, tokens: &Tokens) {
    for (axis, of) in [(Axis::X, &chart.x), (Axis::Y, &chart.y)] {
        for zone in &of.zones {
            let color = Severity::of_grade(Some(zone.grade.into())).color(tokens);
            let span = Span::new("", of.position(zone.from)..=of.position(zone.to)).axis(axis);
            plot.span(span.fill(color.gamma_multiply(ZONE)).border_width(0.0));
        }
    }
}
