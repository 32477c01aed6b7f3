//! Machines and settings side by side: differences first, sorted by likely effect.

use eframe::egui::Ui;
use jitterscope_engine::report::Comparison;
use jitterscope_engine::report::comparison::{Condition, Relevance};

use crate::text::compare::condition_table;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, ResultTable, Spans, TableLayout, checkbox, link};

/// Which conditions the page shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShownConditions {
    /// Whether only those are shown that differ.
    only_differences: bool,
    /// Whether all are shown, although the table of differences at the left is lower.
    has_all: bool,
}

/// Draws the table of machines and settings in a card. Next to a table of `neighbor` rows, it has as many rows at first,
/// and a link that shows the others.
pub(super) fn ui(
    ui: &mut Ui,
    comparison: &Comparison,
    state: &mut ShownConditions,
    neighbor: Option<usize>,
) {
    let mut only = state.only_differences;
    let is_shown = |one: &&Condition| !only || one.weight != Relevance::Same;
    let all: Vec<&Condition> = comparison.conditions.iter().filter(is_shown).collect();
    // The link takes the place of a row.
    let fitting = neighbor.filter(|rows| *rows < all.len() && !state.has_all);
    let fitting = fitting.map_or(all.len(), |rows| rows.saturating_sub(1).max(1));
    let shown = all.get(..fitting).unwrap_or(&all);
    let table = condition_table(comparison, shown);
    Card::new(table.title).flush().show(
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
                ui.add_space(f32::from(size::CARD_PADDING));
                return;
            }
            let rows = ResultTable::new("conditions", &table, TableLayout::of(&[]));
            ResultTable { max_rows: shown.len(), ..rows }.show_in_card(ui, f32::INFINITY);
            if shown.len() < all.len() {
                ui.horizontal(|ui| {
                    ui.add_space(f32::from(size::CARD_PADDING));
                    let words = format!("Show all {} conditions", all.len());
                    state.has_all |= link(ui, &words).clicked();
                });
            }
        },
    );
    state.only_differences = only;
}
