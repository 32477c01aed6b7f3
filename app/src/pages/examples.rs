//! Example runs, which the user can open before anything was measured.

use eframe::egui::Ui;

use crate::session::{Action, Example};
use crate::theme::{Tokens, Type, icon, icons, size};
use crate::widgets::{Button, Card, Spans, field::combo_ui, right_aligned};

/// Width of the closed combo box of examples, in points.
const MENU: f32 = 110.0;

/// Draws a card that lists the example runs, each with a button that opens it.
pub(super) fn examples_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let note = "measured on a busy virtual machine, opened without being saved";
    Card::new("Example runs").note(note).show_plain(ui, |ui| {
        ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
        for example in Example::ALL {
            let (name, about) = example.words();
            let tokens = Tokens::of(ui);
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                ui.label(icon(icon_of(example), size::ICON).color(tokens.t2));
                Spans::new(Type::Body)
                    .text(Type::Strong, name, tokens.t1)
                    .gap(size::GAP_SMALL)
                    .text(Type::Small, about, tokens.t2)
                    .label_within(ui, (ui.available_width() - 90.0).max(60.0));
                right_aligned(ui, example.key(), |ui| {
                    let accessible = format!("Open example: {name}");
                    if ui.add(Button::new("Open").name(&accessible)).clicked() {
                        actions.push(Action::OpenExample(example));
                    }
                });
            });
        }
    });
}

/// Draws the combo box of examples; selecting one opens it.
pub fn examples_menu_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    combo_ui(ui, "Open an example", "Examples", MENU, |ui| {
        for example in Example::ALL {
            let (name, about) = example.words();
            let entry = ui.selectable_label(false, Type::Body.text(name));
            if entry.on_hover_text(about).clicked() {
                actions.push(Action::OpenExample(example));
            }
        }
    });
}

const fn icon_of(example: Example) -> &'static str {
    match example {
        Example::QuickCheck => icons::GAUGE,
        Example::FrameLoop => icons::FILM_STRIP,
        Example::Comparison => icons::COLUMNS,
        Example::Gaps => icons::ROWS,
        Example::Capture => icons::FILE_CSV,
    }
}
