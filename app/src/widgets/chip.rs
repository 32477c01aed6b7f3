//! Chips, which are small labeled boxes: the letter of a run in the color of its series, tags, and other words. The
//! badges of the top bar are chips that can be clicked.

use eframe::egui::{Color32, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::paint::{bordered_box, focus_ring};
use super::severity::Severity;
use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, paint_icon, size};

/// Shows the letter of a run in the color of its series.
pub fn series_chip(ui: &mut Ui, series: usize) -> Response {
    let letter = Tokens::of(ui).series(series).letter;
    letter_chip(ui, series, &format!("Run {letter}"))
}

/// Shows the letter of a run or group in the color of its series, with this accessible name.
pub fn letter_chip(ui: &mut Ui, series: usize, name: &str) -> Response {
    let tokens = Tokens::of(ui);
    let look = tokens.series(series);
    let (rect, response) = ui.allocate_exact_size(vec2(22.0, 18.0), Sense::hover());
    ui.painter().rect_filled(rect, size::RADIUS, look.color);
    let letter = look.letter.to_string();
    let galley = Spans::plain(Type::LabelStrong, &letter, tokens.plot).galley(ui);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.plot);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, name));
    response
}

/// Shows a tag in a small frame with a remove button. Returns the response of the button.
pub fn removable_chip(ui: &mut Ui, text: &str) -> Response {
    let tokens = Tokens::of(ui);
    let most = (ui.max_rect().width() - size::TARGET - size::GAP_SMALL).max(size::TARGET);
    let galley = Spans::plain(Type::Label, text, tokens.t1).within(ui, most);
    let room = vec2(size::GAP_SMALL + galley.size().x + size::TARGET, size::TARGET);
    let (rect, chip) = ui.allocate_exact_size(room, Sense::hover());
    bordered_box(ui, rect.shrink2(vec2(0.0, 1.0)), size::RADIUS, tokens.wid, tokens.line2);
    let at = pos2(rect.left() + size::GAP_SMALL, rect.center().y - galley.size().y / 2.0);
    let is_elided = galley.elided;
    ui.painter().galley(at, galley, tokens.t1);
    chip.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Tag {text}")));
    let id = chip.id.with("remove");
    if is_elided {
        chip.on_hover_text(text);
    }
    let cross = Rect::from_min_max(pos2(rect.right() - size::TARGET, rect.top()), rect.max);
    let response = ui.interact(cross, id, Sense::click());
    let color = if response.hovered() { tokens.t1 } else { tokens.t2 };
    paint_icon(ui.painter(), cross.center(), icons::X, size::ICON_SMALL - 2.0, color);
    let name = format!("Remove tag {text}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &name));
    focus_ring(ui, &response);
    response.on_hover_text(name)
}

/// Shows a tag in a small frame.
pub fn tag_chip(ui: &mut Ui, text: &str) -> Response {
    framed(ui, text, &format!("Tag {text}"))
}

/// Shows a word in a small frame.
pub fn word_chip(ui: &mut Ui, text: &str) -> Response {
    framed(ui, text, text)
}

fn framed(ui: &mut Ui, text: &str, name: &str) -> Response {
    let tokens = Tokens::of(ui);
    let galley =
        Spans::plain(Type::Axis, text, tokens.t2).within(ui, ui.available_width().max(24.0));
    let room = vec2(galley.size().x + 12.0, 18.0);
    let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
    bordered_box(ui, rect, size::RADIUS, tokens.wid, tokens.line2);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t2);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, name));
    response
}

/// Shows a badge with the icon of a severity and a text, such as `Real-time: available`. The caller
/// handles clicks.
pub fn badge(ui: &mut Ui, severity: Severity, text: &str) -> Response {
    let tokens = Tokens::of(ui);
    let (icon, line) = match severity {
        Severity::Denied | Severity::Fair | Severity::FairOrBetter => {
            (icons::SHIELD_WARNING, tokens.fair)
        }
        Severity::Poor | Severity::FairOrWorse => (icons::SHIELD_WARNING, tokens.poor),
        Severity::NotAvailable => (icons::PROHIBIT, tokens.line2),
        Severity::Good | Severity::GoodOrBetter => (icons::SHIELD_CHECK, tokens.line2),
        Severity::Info | Severity::Inconclusive | Severity::NotMeasured => {
            (severity.icon(), tokens.line2)
        }
    };
    let galley = Spans::new(Type::Label)
        .icon(icon, size::ICON, severity.color(tokens))
        .gap(2.0)
        .text(Type::Label, text, tokens.t2)
        .galley(ui);
    let width = galley.size().x + 2.0 * size::GAP_CARD;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::click());
    let fill = if response.hovered() { tokens.hov } else { Color32::TRANSPARENT };
    bordered_box(ui, rect, size::RADIUS, fill, line);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t2);
    focus_ring(ui, &response);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), text));
    response
}
