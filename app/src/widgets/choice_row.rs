//! A row of a single-selection list: icon, title, description, and a check mark if selected.

use eframe::egui::{Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::paint::focus_ring;
use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, paint_icon, size};

/// Height of a row in points.
const HEIGHT: f32 = 40.0;

/// Draws a row of full width with a title and the description `note`. For screen readers, the row
/// is a radio button; its name consists of `name` (that of the list) and the title.
pub fn choice_row(
    ui: &mut Ui,
    name: &str,
    icon: &str,
    (title, note): (&str, &str),
    is_selected: bool,
) -> Response {
    let tokens = Tokens::of(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
    if ui.is_rect_visible(rect) {
        let fill = match (is_selected, response.hovered()) {
            (true, _) => Some(tokens.sel),
            (false, true) => Some(tokens.hov),
            (false, false) => None,
        };
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, size::RADIUS, fill);
        }
        let color = if is_selected { tokens.acc } else { tokens.t2 };
        let at = pos2(rect.left() + size::GAP_FIELD + size::ICON / 2.0, rect.center().y);
        paint_icon(ui.painter(), at, icon, size::NAV_ICON, color);
        let left = at.x + size::ICON / 2.0 + size::GAP_FIELD;
        let width = rect.right() - left - size::ICON - size::GAP_SMALL;
        let title_line = Spans::plain(Type::Strong, title, tokens.t1).within(ui, width);
        let note_line = Spans::plain(Type::Small, note, tokens.t2).within(ui, width);
        let top = rect.center().y - f32::midpoint(title_line.size().y, note_line.size().y);
        let below = top + title_line.size().y;
        ui.painter().galley(pos2(left, top), title_line, tokens.t1);
        ui.painter().galley(pos2(left, below), note_line, tokens.t2);
        if is_selected {
            let at = pos2(rect.right() - size::GAP_FIELD, rect.center().y);
            paint_icon(ui.painter(), at, icons::CHECK, size::ICON_SMALL, tokens.acc);
        }
    }
    let (is_enabled, label) = (ui.is_enabled(), format!("{name}, {title}"));
    response
        .widget_info(|| WidgetInfo::selected(Role::RadioButton, is_enabled, is_selected, &label));
    focus_ring(ui, &response);
    response.on_hover_text(note)
}
