//! Chips: the letter of a run in the colour of its series, and words such as tags.

use eframe::egui::{Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::paint::boxed;
use super::spans::plain;
use crate::theme::{Tokens, Type, size};

/// Shows the letter of a run in the colour of its series.
pub fn series_chip(ui: &mut Ui, series: usize) -> Response {
    let tokens = Tokens::of(ui);
    let look = tokens.series(series);
    let (rect, response) = ui.allocate_exact_size(vec2(22.0, 18.0), Sense::hover());
    ui.painter().rect_filled(rect, size::RADIUS, look.color);
    let letter = look.letter.to_string();
    let galley = plain(Type::LabelStrong, &letter, tokens.plot).galley(ui);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.plot);
    let name = format!("Run {letter}");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    response
}

/// Shows a word in a small frame.
pub fn tag_chip(ui: &mut Ui, text: &str) -> Response {
    let tokens = Tokens::of(ui);
    let galley = plain(Type::Axis, text, tokens.t2).within(ui, ui.available_width().max(24.0));
    let room = vec2(galley.size().x + 12.0, 18.0);
    let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
    boxed(ui, rect, size::RADIUS, tokens.wid, tokens.line2);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t2);
    let name = format!("Tag {text}");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    response
}
