//! The sheet that lists all keyboard shortcuts.

use eframe::egui::{Context, Id, ScrollArea, Ui, vec2};

use crate::session::Session;
use crate::theme::{Tokens, Type, size};
use crate::widgets::keys::{Command, KEYS, key_text, text_of};
use crate::widgets::{
    Button, Spans, dialog, group_caption, key_cap, right_aligned, right_row, right_width,
};

/// Maximum width of the sheet, in points.
const WIDTH: f32 = 780.0;

/// Shows the sheet of shortcuts. Returns whether the user closed it.
pub(super) fn show(ctx: &Context, session: &Session) -> bool {
    let modal = dialog::modal(ctx, Id::unique("keys")).show(ctx, |ui| ui_of(ui, session));
    modal.inner || modal.should_close()
}

fn ui_of(ui: &mut Ui, session: &Session) -> bool {
    let width = WIDTH.min(ui.ctx().content_rect().width() - 2.0 * size::GAP_WIDE);
    ui.set_width(width);
    dialog::title(ui, "Keyboard shortcuts");
    let height = ui.ctx().content_rect().height() - 160.0;
    let height = height.max(120.0);
    let list = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
    list.show(ui, |ui| {
        // Reserves space for the scroll bar next to the shortcuts.
        ui.set_width(width - size::GAP_FIELD);
        if 480.0 < width {
            ui.spacing_mut().item_spacing.x = size::GAP_WIDE;
            ui.columns(2, |columns| {
                if let [left, right] = columns {
                    groups_ui(left, session, &["Test", "Pages"]);
                    groups_ui(right, session, &["Late frames and plots", "Runs", "Window"]);
                }
            });
        } else {
            groups_ui(ui, session, &["Test", "Pages", "Runs", "Window", "Late frames and plots"]);
        }
    });
    right_row(ui, "close", |ui| {
        let close = ui.add(Button::primary("Close").shortcut("Esc"));
        if ui.memory(|memory| memory.focused().is_none()) {
            close.request_focus();
        }
        close.clicked()
    })
}

fn groups_ui(ui: &mut Ui, session: &Session, groups: &[&str]) {
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, size::GAP_LABEL);
    for group in groups {
        ui.add_space(size::GAP_LABEL);
        group_caption(ui, group);
        if *group == "Pages" {
            for test in &session.running.tests {
                let key = key_text(ui.ctx(), Command::Test(test.plan.listing().digit));
                if !key.is_empty() {
                    line_ui(ui, test.name(), &[key]);
                }
            }
        }
        for keys in KEYS.iter().filter(|keys| keys.group == *group) {
            let texts: Vec<String> =
                keys.shortcuts.iter().map(|shortcut| text_of(ui.ctx(), shortcut)).collect();
            line_ui(ui, keys.words, &texts);
            let settings = session.settings();
            if keys.command == Command::Mark && settings.marks_in_games {
                line_ui(ui, "Mark this moment in a game", &[settings.mark_shortcut.to_string()]);
            }
        }
    }
}

fn line_ui(ui: &mut Ui, words: &str, keys: &[String]) {
    let color = Tokens::of(ui).t1;
    ui.horizontal(|ui| {
        let room = ui.available_width() - right_width(ui, words) - size::GAP_SMALL;
        Spans::plain(Type::Body, words, color).label_within(ui, room);
        right_aligned(ui, words, |ui| {
            for key in keys {
                key_cap(ui, key);
            }
        });
    });
}
