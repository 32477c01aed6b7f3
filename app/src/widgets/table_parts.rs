//! Parts of tables that are pressed: headers that sort, and names that open.

use eframe::egui::{Rangef, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::paint::focus_ring;
use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, size};

/// A header that sorts when it is pressed; a caret shows the order, rising or falling.
pub fn header_button(ui: &mut Ui, title: &str, order: Option<bool>) -> Response {
    let tokens = Tokens::of(ui);
    let color = if order.is_some() { tokens.t1 } else { tokens.t2 };
    let mut spans = Spans::plain(Type::TableHeader, title, color);
    if let Some(is_rising) = order {
        let caret = if is_rising { icons::CARET_UP } else { icons::CARET_DOWN };
        spans = spans.gap(2.0).icon(caret, size::ICON_SMALL - 2.0, color);
    }
    let galley = spans.within(ui, ui.available_width());
    let room = vec2(galley.size().x, size::TARGET);
    let (rect, response) = ui.allocate_exact_size(room, Sense::click());
    let at = rect.left_center() - vec2(0.0, galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
    focus_ring(ui, &response);
    let name = match order {
        None => format!("Sort by {title}"),
        Some(true) => format!("Sort by {title}, rising"),
        Some(false) => format!("Sort by {title}, falling"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    response
}

/// A name that opens what it names; cut with an ellipsis where there is no room.
pub fn link_in_table(ui: &mut Ui, style: Type, text: &str, name: &str) -> Response {
    let tokens = Tokens::of(ui);
    let galley = Spans::plain(style, text, tokens.t1).within(ui, ui.available_width().max(20.0));
    let is_cut = galley.elided;
    let room = vec2(galley.size().x, size::TARGET);
    let (rect, response) = ui.allocate_exact_size(room, Sense::click());
    let color = if response.hovered() || response.has_focus() { tokens.acc } else { tokens.t1 };
    let at = rect.left_center() - vec2(0.0, galley.size().y / 2.0);
    ui.painter().galley_with_override_text_color(at, galley, color);
    focus_ring(ui, &response);
    response.widget_info(|| WidgetInfo::labeled(Role::Link, true, name));
    if is_cut { response.on_hover_text(text) } else { response }
}

/// Draws the line above a row, as wide as the table; call it in the row's first cell.
pub fn row_line(ui: &Ui, table: Rangef) {
    let within = Rect::from_x_y_ranges(table, ui.clip_rect().y_range());
    let mut painter = ui.painter().clone();
    painter.set_clip_rect(within);
    painter.hline(table, ui.max_rect().top(), (1.0, Tokens::of(ui).line));
}
