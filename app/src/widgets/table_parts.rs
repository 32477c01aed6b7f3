//! Parts of tables: column headers that sort when clicked, names that open an item when clicked,
//! and the line between rows.

use eframe::egui::{Rangef, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::paint::focus_ring;
use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, size};

/// Shows the header of a column as a button; the caller sorts by the column when it is clicked.
/// `order` draws a caret: `true` if the rows are sorted by the column in ascending order, `false`
/// if in descending order.
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
        Some(true) => format!("Sort by {title}, ascending"),
        Some(false) => format!("Sort by {title}, descending"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    response
}

/// Shows a text as a link; the caller opens the item when the link is clicked. A text that does not
/// fit is truncated with an ellipsis. `name` is for screen readers.
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

/// Draws the line above a row of a table. `table` is the horizontal extent of the line, which may
/// leave the cell. Call this function in the first cell of the row.
pub fn row_line(ui: &Ui, table: Rangef) {
    let within = Rect::from_x_y_ranges(table, ui.clip_rect().y_range());
    let mut painter = ui.painter().clone();
    painter.set_clip_rect(within);
    painter.hline(table, ui.max_rect().top(), (1.0, Tokens::of(ui).line));
}
