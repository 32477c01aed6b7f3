//! Check boxes, radio buttons, and the switch, which is on or off and takes effect immediately.

use eframe::egui::{
    Color32, Rect, Response, Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::paint::{bordered_box, focus_ring_around};
use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, paint_icon, size};

/// Shows a check box with its text. A click switches `checked`.
pub fn checkbox(ui: &mut Ui, checked: &mut bool, text: &str) -> Response {
    let fill = Tokens::of(ui).accf;
    box_with(ui, checked, (text, text), (fill, Tokens::of(ui).on_fill))
}

/// Shows a check box without visible text, for tables. `name` is for screen readers and must
/// contain the row and the column.
pub fn bare_checkbox(ui: &mut Ui, checked: &mut bool, name: &str) -> Response {
    let fill = Tokens::of(ui).accf;
    box_with(ui, checked, ("", name), (fill, Tokens::of(ui).on_fill))
}

/// Shows a check box without visible text, with which the user shows a series in a plot. If
/// checked, it is filled with `color`, the color of the series.
pub fn series_checkbox(ui: &mut Ui, checked: &mut bool, name: &str, color: Color32) -> Response {
    box_with(ui, checked, ("", name), (color, Tokens::of(ui).plot))
}

fn box_with(
    ui: &mut Ui,
    checked: &mut bool,
    (text, name): (&str, &str),
    (fill, tick): (Color32, Color32),
) -> Response {
    let tokens = Tokens::of(ui);
    let (mut response, square) = choice(ui, text);
    if response.clicked() {
        *checked = !*checked;
        response.mark_changed();
    }
    if *checked {
        bordered_box(ui, square, 3, fill, fill);
        paint_icon(ui.painter(), square.center(), icons::CHECK, 11.0, tick);
    } else {
        let line = if response.hovered() { tokens.t2 } else { tokens.ctl };
        bordered_box(ui, square, 3, tokens.plot, line);
    }
    focus_ring_around(ui, &response, square, 3);
    let (enabled, on) = (ui.is_enabled(), *checked);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, enabled, on, name));
    response
}

/// Shows a radio button with its text. The caller changes the selection when the button is clicked.
pub fn radio(ui: &mut Ui, selected: bool, text: &str) -> Response {
    let tokens = Tokens::of(ui);
    let (response, square) = choice(ui, text);
    let line = if selected { tokens.acc } else { tokens.ctl };
    let radius = square.width() / 2.0;
    ui.painter().circle(square.center(), radius - 0.5, tokens.plot, Stroke::new(1.0, line));
    if selected {
        ui.painter().circle_filled(square.center(), 3.5, tokens.acc);
    }
    focus_ring_around(ui, &response, square, 8);
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, enabled, selected, text));
    response
}

/// Allocates the space for a check box or radio button with its text, and draws the text. Returns
/// the response of the whole, and the square in which the caller draws the box.
fn choice(ui: &mut Ui, text: &str) -> (Response, Rect) {
    let color = Tokens::of(ui).t1;
    let galley = Spans::plain(Type::Body, text, color).galley(ui);
    let text_width = if text.is_empty() { 0.0 } else { 7.0 + galley.size().x };
    let width = (size::CHECK_BOX + text_width).max(size::TARGET);
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::TARGET), Sense::click());
    let left = if text.is_empty() {
        rect.center().x - size::CHECK_BOX / 2.0
    } else {
        let at = pos2(rect.left() + size::CHECK_BOX + 7.0, rect.center().y - galley.size().y / 2.0);
        ui.painter().galley(at, galley, color);
        rect.left()
    };
    let top = rect.center().y - size::CHECK_BOX / 2.0;
    (response, Rect::from_min_size(pos2(left, top), Vec2::splat(size::CHECK_BOX)))
}

/// Shows a switch without a label; the caller shows the label next to the switch. `name` is for
/// screen readers.
pub fn toggle(ui: &mut Ui, on: &mut bool, name: &str) -> Response {
    let tokens = Tokens::of(ui);
    let [width, height] = size::SWITCH;
    let (rect, mut response) = ui.allocate_exact_size(vec2(width, size::TARGET), Sense::click());
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    let track = Rect::from_center_size(rect.center(), vec2(width, height));
    let from_edge = height / 2.0;
    let (fill, line, knob, x) = if *on {
        (tokens.accf, tokens.accf, tokens.on_fill, track.right() - from_edge)
    } else {
        (tokens.hov, tokens.ctl, tokens.t2, track.left() + from_edge)
    };
    bordered_box(ui, track, 8, fill, line);
    ui.painter().circle_filled(pos2(x, track.center().y), 5.0, knob);
    focus_ring_around(ui, &response, track, 8);
    let (enabled, is_on) = (ui.is_enabled(), *on);
    response.widget_info(|| WidgetInfo::selected(Role::Switch, enabled, is_on, name));
    response
}
