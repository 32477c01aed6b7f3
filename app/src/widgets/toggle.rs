//! The switch, which is on or off and takes effect immediately.

use eframe::egui::{Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::paint::{bordered_box, focus_ring_around};
use crate::theme::{Tokens, size};

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
