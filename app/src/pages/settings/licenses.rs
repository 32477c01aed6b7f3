//! Licenses of this program and of its fonts and icons.

use eframe::egui::{Context, Id, ScrollArea, Ui};

use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, dialog, right_aligned};

/// Each with its full text.
const TEXTS: [(&str, &str); 4] = [
    ("Jitterscope: MIT license", include_str!("../../../../packaging/LICENSE-MIT")),
    ("or Apache license 2.0, at your option", include_str!("../../../../packaging/LICENSE-APACHE")),
    ("Font: Inter", include_str!("../../../../assets/fonts/OFL.txt")),
    ("Icons: Phosphor", include_str!("../../../../assets/fonts/PHOSPHOR-LICENSE")),
];

/// Shows the texts; `false` once they are closed.
pub(super) fn show(ctx: &Context) -> bool {
    let modal = dialog::modal(ctx, Id::unique("licenses")).show(ctx, ui);
    !(modal.inner || modal.should_close())
}

fn ui(ui: &mut Ui) -> bool {
    let tokens = Tokens::of(ui);
    let room = ui.ctx().content_rect();
    ui.set_width((size::DIALOG_WIDTH * 1.5).min(room.width() - 40.0));
    let height = (room.height() - 180.0).max(80.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        for (title, text) in TEXTS {
            dialog::title(ui, title);
            ui.label(Type::Small.text(text.trim()).color(tokens.t2));
            ui.add_space(size::GAP_GROUP);
        }
    });
    ui.add_space(size::GAP_SMALL);
    ui.horizontal(|ui| {
        right_aligned(ui, "licenses-buttons", |ui| {
            ui.add(Button::primary("Close").shortcut("Esc")).clicked()
        })
        .inner
    })
    .inner
}
