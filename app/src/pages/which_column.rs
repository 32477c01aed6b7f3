//! The dialog that asks for the frame time column of a CSV file from an unknown program, and for
//! its unit.

use eframe::egui::{Align, Context, Grid, Id, Layout, ScrollArea, Ui};
use jitterscope_engine::import::{Column, Table, TimeUnit};

use crate::session::{Action, Session, WhichColumn};
use crate::text::{count_text, import as words};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{FollowFocus as _, Spans, combo, dialog, field_block};

/// Maximum width of a cell of the preview, in points.
const WIDEST_CELL: f32 = 120.0;
/// Maximum number of columns in the preview, in addition to the selected one.
const MAX_COLUMNS: usize = 40;

/// State of the dialog.
#[derive(Debug, Default)]
pub struct WhichColumnDialog {
    of: Option<ColumnChoice>,
    was_focused: bool,
}

/// The column and unit selected for a file.
#[derive(Debug)]
struct ColumnChoice {
    path: std::path::PathBuf,
    column: usize,
    unit: TimeUnit,
}

impl WhichColumnDialog {
    /// Shows the dialog while the frame time column of an opened file is unknown.
    pub fn show(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        let Some(question) = session.imports.which_column() else {
            *self = Self::default();
            return;
        };
        if self.of.as_ref().is_none_or(|choice| choice.path != question.path) {
            let (column, unit) = question.table.guess();
            let of = ColumnChoice { path: question.path.clone(), column, unit };
            *self = Self { of: Some(of), was_focused: false };
        }
        let id = Id::unique("which-column");
        let mut modal = dialog::modal(ctx, id).show(ctx, |ui| self.ui(ui, question));
        let answer = modal.inner.take();
        let cancel = || modal.should_close().then_some(Action::ChooseColumn(None));
        actions.extend(answer.or_else(cancel));
    }

    /// Draws the contents of the dialog; returns the action once the user answered.
    fn ui(&mut self, ui: &mut Ui, question: &WhichColumn) -> Option<Action> {
        let tokens = Tokens::of(ui);
        ui.set_width(size::DIALOG_WIDTH.min(ui.ctx().content_rect().width() - 40.0));
        dialog::title(ui, words::WHICH_COLUMN);
        let file = question.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ui.label(Type::Body.text(words::columns(&file)).color(tokens.t2));
        let choice = self.of.as_mut()?;
        preview_ui(ui, question, choice.column);
        let table = &question.table;
        // A column is identified by its number, because several columns can have the same name.
        let columns: Vec<(usize, &str)> = (0..)
            .zip(table.columns.iter().map(String::as_str))
            .filter(|(place, _)| table.is_number(*place))
            .collect();
        let units = TimeUnit::ALL.map(|unit| (unit, unit.symbol()));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
            field_block(ui, "Frame time", None, |ui| {
                if combo(ui, "Frame time", &mut choice.column, &columns, 220.0).changed() {
                    choice.unit = table.unit_of(choice.column);
                }
            });
            field_block(ui, "Unit", None, |ui| {
                combo(ui, "Unit", &mut choice.unit, &units, 80.0);
            });
        });
        let answer = Column { name: (choice.column + 1).to_string(), unit: Some(choice.unit) };
        dialog::open_or_leave_out(ui, &mut self.was_focused)
            .map(|is_wanted| Action::ChooseColumn(is_wanted.then_some(answer)))
    }
}

/// Draws the first lines of the file, with the selected column emphasized.
fn preview_ui(ui: &mut Ui, question: &WhichColumn, selected: usize) {
    let tokens = Tokens::of(ui);
    let cell = |ui: &mut Ui, text: &str, place: usize, is_name: bool| {
        let style = if is_name || place == selected { Type::TableStrong } else { Type::Table };
        let color = if place == selected { tokens.t1 } else { tokens.t2 };
        let words = Spans::plain(style, text, color);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            words.label_within(ui, WIDEST_CELL);
        });
    };
    let table = &question.table;
    let places = 0..table.columns.len();
    let shown = places.filter(|place| *place < MAX_COLUMNS || *place == selected);
    let shown: Vec<usize> = shown.collect();
    let omitted_count = table.columns.len() - shown.len();
    ScrollArea::horizontal().auto_shrink([false, true]).show_focus(ui, |ui| {
        Grid::new("first lines").spacing([size::GAP_FIELD, size::GAP_LABEL]).show(ui, |ui| {
            let lines = std::iter::once(&table.columns).chain(&table.rows);
            for (line, number) in lines.zip(0..) {
                for &place in &shown {
                    cell(ui, line.get(place).map_or("", String::as_str), place, number == 0);
                }
                if number == 0 && 0 < omitted_count {
                    let count = count_text(omitted_count, "more columns");
                    // A table has no more columns than are read of it.
                    let is_cut = Table::MAX_COLUMNS <= table.columns.len();
                    let count = if is_cut { format!("at least {count}") } else { count };
                    cell(ui, &count, usize::MAX, false);
                }
                ui.end_row();
            }
        });
    });
}
