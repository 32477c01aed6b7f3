//! The progress of a test: two texts, and below them a bar without animation.

use eframe::egui::{Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::spans::Spans;
use crate::theme::{Tokens, Type, size};

/// Shows the current step as text on the left, the remaining time (`left`) on the right, and a bar
/// of `width` points that is filled by the fraction `done`, 0 to 1.
pub fn progress(ui: &mut Ui, done: f32, step: &str, left: &str, width: f32) -> Response {
    let tokens = Tokens::of(ui);
    let done = if done.is_finite() { done.clamp(0.0, 1.0) } else { 0.0 };
    let text_height = Type::Small.line_height();
    let height = text_height + 3.0 + size::PROGRESS_BAR;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let left_galley = Spans::plain(Type::Small, left, tokens.t2).galley(ui);
    let room = width - left_galley.size().x - size::GAP_SMALL;
    let step_galley = Spans::plain(Type::Small, step, tokens.t1).within(ui, room);
    ui.painter().galley(rect.min, step_galley, tokens.t1);
    let at = pos2(rect.right() - left_galley.size().x, rect.top());
    ui.painter().galley(at, left_galley, tokens.t2);

    let bar = Rect::from_min_max(pos2(rect.left(), rect.bottom() - size::PROGRESS_BAR), rect.max);
    ui.painter().rect_filled(bar, 3, tokens.hov);
    if done > 0.0 {
        let filled = vec2((bar.width() * done).max(size::PROGRESS_BAR), bar.height());
        ui.painter().rect_filled(Rect::from_min_size(bar.min, filled), 3, tokens.acc);
    }

    // A screen reader gets the progress in steps of 10%, so that it does not speak in every frame.
    let percent = f64::from((done * 10.0).floor() * 10.0);
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, step);
        info.value = Some(percent);
        info
    });
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_min_numeric_value(0.0);
        node.set_max_numeric_value(100.0);
        node.set_value(format!("{percent:.0}%, {left}"));
    });
    response
}
