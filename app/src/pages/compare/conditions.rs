//! Machines and settings side by side: differences first, sorted by likely effect.

use eframe::egui::Ui;
use jitterscope_engine::report::Comparison;
use jitterscope_engine::report::comparison::{Condition, Relevance};

use crate::text::compare::condition_table;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, ResultTable, Spans, TableLayout, checkbox};

/// Draws the table of machines and settings in a card with this height, in points.
pub(super) fn ui(ui: &mut Ui, comparison: &Comparison, only_differences: &mut bool, height: f32) {
    let mut only = *only_differences;
    let is_shown = |one: &&Condition| !only || one.weight != Relevance::Same;
    let shown: Vec<&Condition> = comparison.conditions.iter().filter(is_shown).collect();
    let table = condition_table(comparison, &shown);
    Card::new(table.title).flush().height(height).show(
        ui,
        |ui| {
            checkbox(ui, &mut only, "Only differences");
        },
        |ui| {
            if shown.is_empty() {
                ui.horizontal(|ui| {
                    ui.add_space(f32::from(size::CARD_PADDING));
                    let words = "Machine and settings are the same.";
                    Spans::plain(Type::Small, words, Tokens::of(ui).t2).label(ui);
                });
                return;
            }
            let table = ResultTable::new("conditions", &table, TableLayout::of(&[]));
            table.show_in_card(ui, height - size::CARD_HEADER);
        },
    );
    *only_differences = only;
}
