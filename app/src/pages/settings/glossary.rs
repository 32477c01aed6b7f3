//! The glossary: the terms of all results. Their definitions are those of the columns of the result
//! tables.

use std::sync::LazyLock;

use eframe::egui::{Context, Id, ScrollArea, Ui};
use jitterscope_engine::report::{Term, glossary};

use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, dialog, right_aligned};

/// The terms, collected from empty runs of all tests, which takes some milliseconds.
static TERMS: LazyLock<Vec<Term>> = LazyLock::new(glossary);

/// Shows the glossary; returns `false` when it is closed.
pub(super) fn show(ctx: &Context) -> bool {
    let modal = dialog::modal(ctx, Id::unique("glossary")).show(ctx, ui);
    !(modal.inner || modal.should_close())
}

fn ui(ui: &mut Ui) -> bool {
    let tokens = Tokens::of(ui);
    let room = ui.ctx().content_rect();
    ui.set_width((size::DIALOG_WIDTH * 1.5).min(room.width() - 40.0));
    dialog::title(ui, "Glossary");
    let height = (room.height() - 180.0).max(80.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        for term in TERMS.iter() {
            ui.label(Type::Strong.text(&term.title).color(tokens.t1));
            ui.label(Type::Body.text(&term.definition).color(tokens.t1));
            ui.label(Type::Small.text(term.tests.join(", ")).color(tokens.t2));
            ui.add_space(size::GAP_SMALL);
        }
    });
    ui.add_space(size::GAP_SMALL);
    ui.horizontal(|ui| {
        right_aligned(ui, "glossary-buttons", |ui| {
            ui.add(Button::primary("Close").shortcut("Esc")).clicked()
        })
        .inner
    })
    .inner
}
