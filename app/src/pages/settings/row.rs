//! A card of settings: one row per setting, with the name on the left and the control on the right.

use eframe::egui::{Align, Layout, Sense, Ui, UiBuilder, vec2};

use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, Spans, key_cap, right_aligned, toggle};

/// Placeholder between the first and the last key of a range of shortcuts.
pub(super) const UNTIL: &str = "…";
/// Minimum height of a row, in points.
const ROW: f32 = 40.0;
/// Padding above and below the text of a row.
const PADDING: f32 = 8.0;

/// Shows a card whose rows are settings.
pub(super) fn settings_card(ui: &mut Ui, title: &str, rows: impl FnOnce(&mut Ui)) {
    Card::new(title).flush().show_plain(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        rows(ui);
    });
}

/// Shows a row: a line above it, its name and a note on the left, its control on the right.
pub(super) fn row(ui: &mut Ui, name: &str, note: &str, control: impl FnOnce(&mut Ui)) {
    let tokens = Tokens::of(ui);
    let padding = f32::from(size::CARD_PADDING);
    let id = ui.make_persistent_id(("settings-row", name));
    let control_width: f32 = ui.data(|data| data.get_temp(id)).unwrap_or(0.0);
    let width = ui.available_width();
    let words = (width - 3.0 * padding - control_width).max(60.0);
    let title = Spans::plain(Type::Body, name, tokens.t1).wrapped(ui, words);
    let note =
        (!note.is_empty()).then(|| Spans::plain(Type::Small, note, tokens.t2).wrapped(ui, words));
    let text = title.size().y + note.as_ref().map_or(0.0, |note| note.size().y);
    let (rect, _) =
        ui.allocate_exact_size(vec2(width, (text + 2.0 * PADDING).max(ROW)), Sense::hover());
    ui.painter().hline(rect.x_range(), rect.top(), (1.0, tokens.line));
    let left = UiBuilder::new()
        .max_rect(rect.shrink2(vec2(padding, (rect.height() - text) / 2.0)))
        .layout(Layout::top_down(Align::Min));
    let mut words = ui.new_child(left);
    words.spacing_mut().item_spacing.y = 0.0;
    words.label(title);
    if let Some(note) = note {
        words.label(note);
    }
    let room = rect.shrink2(vec2(padding, 0.0));
    let room = room.with_min_x(room.right() - control_width);
    let right = UiBuilder::new()
        .max_rect(room.with_max_x(room.left() + width))
        .layout(Layout::left_to_right(Align::Center));
    let mut place = ui.new_child(right);
    place.spacing_mut().item_spacing.x = size::GAP_SMALL;
    control(&mut place);
    let used = place.min_rect().width();
    if 0.5 < (used - control_width).abs() {
        ui.data_mut(|data| data.insert_temp(id, used));
        ui.request_discard("the control of a row changed its width");
    }
}

/// Shows a row whose control is a switch with the name of the row.
pub(super) fn toggle_row(ui: &mut Ui, name: &str, note: &str, on: &mut bool) {
    row(ui, name, note, |ui| {
        toggle(ui, on, name);
    });
}

/// Shows a row of reduced height: a line above it, the action on the left, and its keys on the
/// right.
pub(super) fn key_row(ui: &mut Ui, words: &str, keys: &[String]) {
    let tokens = Tokens::of(ui);
    let padding = f32::from(size::CARD_PADDING);
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::TABLE_HEADER), Sense::hover());
    ui.painter().hline(rect.x_range(), rect.top(), (1.0, tokens.line));
    let inside = UiBuilder::new()
        .max_rect(rect.shrink2(vec2(padding, 0.0)))
        .layout(Layout::left_to_right(Align::Center));
    let mut line = ui.new_child(inside);
    Spans::plain(Type::Body, words, tokens.t1).whole_label(&mut line);
    right_aligned(&mut line, words, |ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        for key in keys {
            if key == UNTIL {
                Spans::plain(Type::Body, key, tokens.t2).whole_label(ui);
            } else {
                key_cap(ui, key);
            }
        }
    });
}
