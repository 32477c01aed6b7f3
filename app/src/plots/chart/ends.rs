//! The shown part of a timeline: selected by dragging with Shift, or by dragging one of its two ends. What is outside of it
//! is dimmed.

use eframe::egui::{
    CornerRadius, CursorIcon, Id, PointerButton, Pos2, Rect, Response, Stroke, Ui, pos2, vec2,
};
use egui_plot::{PlotPoint, PlotTransform, PlotUi, Span};
use jitterscope_engine::report::chart::Chart;

use super::super::plane::hold;
use super::super::style::SHADE;
use crate::theme::{Tokens, Type};
use crate::widgets::Spans;

/// Distance from an end within which it can be dragged, in points.
const GRAB: f32 = 6.0;
/// Opacity of what is not part of the figures.
const DIMMED: f32 = 0.5;
/// Distance between two lines of a hatched part, in points.
const HATCH: f32 = 8.0;
/// Width of a part in points below which it is not hatched: a long recording may have any number of pauses.
const MIN_HATCHED: f32 = 3.0;
/// Space around the name of a part, in points.
const AROUND_NAME: f32 = 3.0;

/// A part of the horizontal axis that is not part of the figures, in values of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct DimmedPart {
    /// Its beginning.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// What it is; empty for what is outside of the shown range.
    pub name: &'static str,
}

/// The range that is being dragged: the end that stays, and the end that moves, in values of the axis.
pub(super) type DraggedRange = (f64, f64);

/// Moves the ends of a range; returns the new range when the user ends dragging.
pub(super) fn drag(
    (plot, dragged): (Id, &mut Option<DraggedRange>),
    range: (f64, f64),
    chart: &Chart,
    response: &Response,
    transform: &PlotTransform,
) -> Option<(f64, f64)> {
    let ctx = &response.ctx;
    let value = |at: Pos2| {
        let value = chart.x.value_at(transform.value_from_position(at).x);
        value.clamp(chart.x.from, chart.x.to)
    };
    let other_end = |at: Pos2| {
        let distance = |end: f64| {
            let point = PlotPoint::new(chart.x.position(end), 0.0);
            (transform.position_from_point(&point).x - at.x).abs()
        };
        let ends = [(distance(range.0), range.1), (distance(range.1), range.0)];
        let near = ends.into_iter().filter(|(distance, _)| *distance <= GRAB);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other)
    };
    let is_near = response.hover_pos().is_some_and(|at| other_end(at).is_some());
    if dragged.is_some() || is_near {
        ctx.set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    if dragged.is_none() {
        // Else the plot would move with the pointer before the drag is known to be that of an end.
        hold(ctx, plot, is_near);
    }
    let (shift, origin) = ctx.input(|input| (input.modifiers.shift, input.pointer.press_origin()));
    if response.drag_started_by(PointerButton::Primary)
        && let Some(origin) = origin
        && let Some(fixed) = if shift { Some(value(origin)) } else { other_end(origin) }
    {
        *dragged = Some((fixed, value(origin)));
        hold(ctx, plot, true);
    }
    let (fixed, moved) = dragged.as_mut()?;
    *moved = response.interact_pointer_pos().map_or(*moved, value);
    if response.dragged_by(PointerButton::Primary) {
        return None;
    }
    let range = (fixed.min(*moved), fixed.max(*moved));
    *dragged = None;
    hold(ctx, plot, false);
    (range.0 < range.1).then_some(range)
}

/// Hatches the parts that have a name, and paints the name above each, unless it would cover another one. The name may be
/// wider than its part.
pub(super) fn paint_names(
    ui: &Ui,
    (chart, dimmed): (&Chart, &[DimmedPart]),
    response: &Response,
    transform: &PlotTransform,
) {
    let tokens = Tokens::of(ui);
    let frame = transform.frame();
    let x =
        |value: f64| transform.position_from_point(&PlotPoint::new(chart.x.position(value), 0.0)).x;
    let mut free_from = frame.left();
    for part in dimmed.iter().filter(|part| !part.name.is_empty()) {
        let area = Rect::from_x_y_ranges(x(part.from)..=x(part.to), frame.y_range());
        let seen = area.intersect(*frame);
        if !seen.is_positive() {
            continue;
        }
        let painter = ui.painter().with_clip_rect(seen.intersect(response.rect));
        let (height, stroke) = (frame.height(), Stroke::new(1.0, tokens.t3));
        let mut left = if seen.width() < MIN_HATCHED { f32::MAX } else { seen.left() - height };
        while left < seen.right() {
            let ends = [pos2(left, frame.bottom()), pos2(left + height, frame.top())];
            painter.line_segment(ends, stroke);
            left += HATCH;
        }
        if seen.center().x < free_from {
            continue;
        }
        let name = Spans::plain(Type::Small, part.name, tokens.t1).galley(ui);
        let size = name.size() + vec2(2.0 * AROUND_NAME, 0.0);
        let last = (frame.right() - size.x).max(frame.left());
        let left = (seen.center().x - size.x / 2.0).clamp(frame.left(), last);
        if free_from <= left {
            let rect = Rect::from_min_size(pos2(left, frame.top()), size);
            ui.painter().rect_filled(rect, CornerRadius::ZERO, tokens.plot);
            ui.painter().galley(rect.min + vec2(AROUND_NAME, 0.0), name, tokens.t1);
            free_from = rect.right();
        }
    }
}

/// Dims what is not part of the figures, and shades the range that is being dragged.
pub(super) fn add(
    plot: &mut PlotUi<'_>,
    chart: &Chart,
    (dimmed, dragged): (&[DimmedPart], Option<DraggedRange>),
    tokens: &Tokens,
) {
    for part in dimmed {
        // Without the name: an item cuts it to the width of the part.
        let span = Span::new("", chart.x.position(part.from)..=chart.x.position(part.to));
        plot.span(span.fill(tokens.panel.gamma_multiply(DIMMED)).border_color(tokens.t3));
    }
    if let Some((fixed, moved)) = dragged {
        let ends = [fixed, moved].map(|end| chart.x.position(end));
        let span = Span::new("", ends[0].min(ends[1])..=ends[0].max(ends[1]));
        plot.span(span.fill(tokens.acc.gamma_multiply(SHADE)).border_color(tokens.acc));
    }
}
