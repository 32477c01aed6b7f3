//! A key, drawn like a key of a keyboard.

use eframe::egui::{Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::paint::bordered_box;
use super::spans::Spans;
use crate::theme::{Tokens, Type, size};

/// Shows a key in a small frame.
pub fn key_cap(ui: &mut Ui, key: &str) -> Response {
    let tokens = Tokens::of(ui);
    let galley = Spans::plain(Type::Axis, key, tokens.t2).galley(ui);
    let room = vec2(galley.size().x + 2.0 * size::GAP_ICON, galley.size().y + size::GAP_LABEL);
    let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
    bordered_box(ui, rect, size::RADIUS, tokens.wid, tokens.line2);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t2);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, key));
    response
}
