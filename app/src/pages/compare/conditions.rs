//! Machines and settings side by side: differences first, sorted by likely effect.

use eframe::egui::{Align, Layout, Ui, vec2};
use egui_extras::{Column, TableBuilder};
use jitterscope_engine::report::Comparison;
use jitterscope_engine::report::comparison::{Condition, Relevance};

use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, Severity, Spans, checkbox, row_line, series_chip};

/// Draws the table of machines and settings in a card with this height, in points.
pub(super) fn ui(ui: &mut Ui, comparison: &Comparison, only_differences: &mut bool, height: f32) {
    let mut only = *only_differences;
    let shown: Vec<&Condition> = comparison
        .conditions
        .iter()
        .filter(|condition| !only || condition.weight != Relevance::Same)
        .collect();
    Card::new("Machines and settings").flush().height(height).show(
        ui,
        |ui| {
            checkbox(ui, &mut only, "Only differences");
        },
        |ui| table_ui(ui, comparison, &shown),
    );
    *only_differences = only;
}

fn table_ui(ui: &mut Ui, comparison: &Comparison, shown: &[&Condition]) {
    let tokens = Tokens::of(ui);
    if shown.is_empty() {
        ui.horizontal(|ui| {
            ui.add_space(f32::from(size::CARD_PADDING));
            let words = "Machine and settings are the same.";
            Spans::plain(Type::Small, words, tokens.t2).label(ui);
        });
        return;
    }
    let reach = ui.max_rect().x_range();
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 0.0);
    let values = f32::from(u16::try_from(comparison.count.max(1)).unwrap_or(1));
    let names = 116.0;
    let left = ui.available_width() - names - 24.0 - (values + 2.0) * size::GAP_SMALL;
    TableBuilder::new(ui)
        .id_salt("conditions")
        .auto_shrink([false, true])
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::exact(names).clip(true))
        .columns(Column::exact((left / values).max(40.0)).clip(true), comparison.count)
        .column(Column::exact(20.0))
        .header(size::TABLE_HEADER, |mut header| {
            header.col(|_| {});
            for run in 0..comparison.count {
                header.col(|ui| {
                    series_chip(ui, run);
                });
            }
            header.col(|_| {});
        })
        .body(|body| {
            body.rows(size::COMPACT_ROW, shown.len(), |mut cells| {
                let Some(condition) = shown.get(cells.index()) else { return };
                let baseline = condition.values.get(comparison.baseline);
                cells.col(|ui| {
                    row_line(ui, reach);
                    ui.add_space(size::GAP_FIELD);
                    let color = Tokens::of(ui).t2;
                    Spans::plain(Type::Table, &condition.name, color).label(ui);
                });
                for value in &condition.values {
                    let differs = condition.weight != Relevance::Same && Some(value) != baseline;
                    let style = if differs { Type::TableStrong } else { Type::Table };
                    cells.col(|ui| {
                        let color = Tokens::of(ui).t1;
                        Spans::plain(style, value, color).label(ui);
                    });
                }
                cells.col(|ui| weight_ui(ui, condition.weight));
            });
        });
}

fn weight_ui(ui: &mut Ui, weight: Relevance) {
    match weight {
        Relevance::Likely => {
            Severity::Fair.icon_ui(ui, size::ICON_SMALL).on_hover_text("Likely to matter");
        }
        Relevance::May => {
            Severity::Info.icon_ui(ui, size::ICON_SMALL).on_hover_text("May matter");
        }
        Relevance::Same => {
            let color = Tokens::of(ui).t3;
            Spans::plain(Type::Table, "=", color).label(ui).on_hover_text("Same");
        }
    }
}
