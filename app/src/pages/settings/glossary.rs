//! The glossary: the terms of all results. Their definitions are those of the columns of the result
//! tables.

use std::sync::LazyLock;

use eframe::egui::{Context, ScrollArea};
use jitterscope_engine::report::{Term, glossary};

use crate::theme::{Tokens, Type, size};
use crate::widgets::dialog;

/// The terms, collected from empty runs of all tests, which takes some milliseconds.
static TERMS: LazyLock<Vec<Term>> = LazyLock::new(glossary);

/// Shows the glossary; returns `false` when it is closed.
pub(super) fn show(ctx: &Context) -> bool {
    let tokens = Tokens::of(ctx);
    dialog::text_dialog(ctx, "Glossary", |ui, height| {
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            for term in TERMS.iter() {
                ui.label(Type::Strong.text(&term.title).color(tokens.t1));
                ui.label(Type::Body.text(&term.definition).color(tokens.t1));
                ui.label(Type::Small.text(term.tests.join(", ")).color(tokens.t2));
                ui.add_space(size::GAP_SMALL);
            }
        });
    })
}
