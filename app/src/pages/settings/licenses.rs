//! Licenses of this program, of its fonts and icons, and of the libraries that it contains.

use std::sync::LazyLock;

use eframe::egui::{Context, Label, ScrollArea, Ui};

use crate::theme::{Tokens, Type};
use crate::widgets::dialog;

/// The titles and full texts of the licenses.
const TEXTS: [(&str, &str); 3] = [
    ("Jitterscope: MIT license", include_str!("../../../../packaging/LICENSE-MIT")),
    ("or Apache license 2.0, at your option", include_str!("../../../../packaging/LICENSE-APACHE")),
    ("Font, icons, and libraries", include_str!("../../../../packaging/THIRD-PARTY.txt")),
];

/// A line of text; a title is semi-bold.
#[derive(Debug)]
struct LicenseLine {
    text: &'static str,
    is_title: bool,
}

/// The lines of all texts. Only the visible lines are laid out, because there are more than a
/// thousand.
static LINES: LazyLock<Vec<LicenseLine>> = LazyLock::new(|| {
    let mut lines = Vec::new();
    for (title, text) in TEXTS {
        lines.push(LicenseLine { text: title, is_title: true });
        lines.push(LicenseLine { text: "", is_title: false });
        lines.extend(text.trim().lines().map(|text| LicenseLine { text, is_title: false }));
        lines.extend([(); 2].map(|()| LicenseLine { text: "", is_title: false }));
    }
    lines
});

/// Shows the licenses; returns `false` when they are closed.
pub(super) fn show(ctx: &Context) -> bool {
    dialog::text_dialog(ctx, "Licenses", |ui, height| {
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let area = ScrollArea::both().max_height(height).auto_shrink([false, true]);
            area.show_rows(ui, Type::Small.line_height(), LINES.len(), |ui, rows| {
                for line in LINES.get(rows).unwrap_or_default() {
                    line.ui(ui);
                }
            });
        });
    })
}

impl LicenseLine {
    fn ui(&self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        // All lines have the same height, from which the scroll area computes which lines are
        // visible.
        let (style, color) =
            if self.is_title { (Type::TableHeader, tokens.t1) } else { (Type::Small, tokens.t2) };
        ui.add(Label::new(style.text(self.text).color(color)).extend());
    }
}
