//! A table of words as the window draws it: any kind of result.

use eframe::egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use crate::text::table::{Line, ResultTable};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Card, Severity, Spans};

/// The width of the column of grades.
const GRADE: f32 = 100.0;

/// Draws a table in a card. Returns the line that was clicked.
pub(in crate::pages) fn ui(
    ui: &mut Ui,
    table: &ResultTable,
    chosen: Option<usize>,
) -> Option<usize> {
    Card::new(table.title)
        .note(&table.note)
        .flush()
        .show(ui, |_| {}, |ui| lines_ui(ui, table, chosen))
        .inner
}

fn lines_ui(ui: &mut Ui, table: &ResultTable, chosen: Option<usize>) -> Option<usize> {
    let mut clicked = None;
    ui.spacing_mut().item_spacing = eframe::egui::vec2(size::GAP_SMALL, 0.0);
    let count = f32::from(u16::try_from(table.lines.len()).unwrap_or(u16::MAX));
    // Room for the bar that moves a table that is too wide.
    let height = (count * size::TABLE_ROW).min(14.0 * size::TABLE_ROW) + 14.0;
    let has_cautions = table.lines.iter().any(|line| !line.caution.is_empty());
    let wanted: f32 = table.columns.iter().map(|column| f32::from(column.width) + 8.0).sum();
    let rest = if has_cautions { 150.0 } else { 0.0 } + if table.has_grades { GRADE } else { 0.0 };
    // What is too narrow shrinks; what is too wide gives the room to every column alike.
    let spare = (ui.available_width() - wanted - rest - 40.0).max(0.0);
    let each = spare / f32::from(u16::try_from(table.columns.len().max(1)).unwrap_or(1));
    eframe::egui::ScrollArea::horizontal().id_salt(table.title).show(ui, |ui| {
        let mut builder = TableBuilder::new(ui)
            .id_salt(table.title)
            .sense(Sense::click())
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink([false, true])
            .max_scroll_height(height);
        for column in &table.columns {
            let width = f32::from(column.width) + each;
            builder = builder.column(Column::initial(width).at_least(48.0).clip(true));
        }
        if has_cautions {
            builder = builder.column(Column::initial(150.0).at_least(80.0).clip(true));
        }
        if table.has_grades {
            builder = builder.column(Column::remainder().at_least(GRADE));
        }
        builder
            .header(size::TABLE_HEADER, |mut header| header_ui(&mut header, table, has_cautions))
            .body(|body| {
                body.rows(size::TABLE_ROW, table.lines.len(), |mut cells| {
                    let index = cells.index();
                    let Some(line) = table.lines.get(index) else { return };
                    cells.set_selected(chosen == Some(index));
                    line_ui(&mut cells, table, line, has_cautions);
                    if cells.response().clicked() {
                        clicked = Some(index);
                    }
                });
            });
    });
    clicked
}

fn header_ui(header: &mut TableRow<'_, '_>, table: &ResultTable, has_cautions: bool) {
    for (index, column) in table.columns.iter().enumerate() {
        header.col(|ui| {
            let tokens = Tokens::of(ui);
            let spans =
                Spans::new(Type::TableHeader).text(Type::TableHeader, &column.title, tokens.t2);
            if column.is_text {
                if index == 0 {
                    ui.add_space(size::GAP_FIELD);
                }
                spans.label(ui);
            } else {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| spans.label(ui));
            }
        });
    }
    for title in
        [has_cautions.then_some(""), table.has_grades.then_some("Verdict")].into_iter().flatten()
    {
        header.col(|ui| {
            let tokens = Tokens::of(ui);
            ui.add_space(size::GAP_SMALL);
            Spans::new(Type::TableHeader).text(Type::TableHeader, title, tokens.t2).label(ui);
        });
    }
}

fn line_ui(cells: &mut TableRow<'_, '_>, table: &ResultTable, line: &Line, has_cautions: bool) {
    for (index, column) in table.columns.iter().enumerate() {
        let words = line.cells.get(index).map_or("", String::as_str);
        cells.col(|ui| {
            let tokens = Tokens::of(ui);
            let is_strong = line.strong == Some(index) || (line.is_key && index == 0);
            let style = if is_strong { Type::TableStrong } else { Type::Table };
            if index == 0 && column.is_text {
                ui.add_space(size::GAP_FIELD);
            }
            let mut spans = Spans::new(style);
            if line.is_key && index == 0 {
                spans =
                    spans.icon(icons::STAR_FILL, size::ICON_SMALL, tokens.acc).gap(size::GAP_LABEL);
            }
            let color = match words {
                words if words.ends_with("better") || words.ends_with("fewer") => tokens.good,
                words if words.ends_with("worse") || words.ends_with("more") => tokens.fair,
                _ => tokens.t1,
            };
            let spans = spans.text(style, words, color);
            if column.is_text {
                spans.label(ui);
            } else {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| spans.label(ui));
            }
        });
    }
    if has_cautions {
        cells.col(|ui| {
            let tokens = Tokens::of(ui);
            if !line.caution.is_empty() {
                Spans::new(Type::Table)
                    .icon(Severity::Fair.icon(), size::ICON_SMALL, tokens.fair)
                    .gap(size::GAP_LABEL)
                    .text(Type::Table, &line.caution, tokens.fair)
                    .label(ui)
                    .on_hover_text(&line.caution);
            }
        });
    }
    if table.has_grades {
        cells.col(|ui| {
            let tokens = Tokens::of(ui);
            let Some(grade) = line.grade else { return };
            let severity = crate::pages::severity_of(Some(grade));
            let color = severity.color(tokens);
            ui.add_space(size::GAP_SMALL);
            Spans::new(Type::TableStrong)
                .icon(severity.icon(), size::ICON_SMALL, color)
                .gap(size::GAP_LABEL)
                .text(Type::TableStrong, grade.word(), color)
                .whole_label(ui);
        });
    }
}
