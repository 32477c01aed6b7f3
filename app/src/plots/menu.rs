//! The context menu of a plot: its data as a table, to read and to copy, and resetting the view.
//!
//! It opens on a right click, and by Shift+F10 if the plot is focused.

use std::sync::Arc;

use eframe::egui::{Button, Context, Grid, Popup, Response, ScrollArea, Ui};

use super::canvas::Area;
use crate::theme::{Tokens, Type, size};
use crate::widgets::keys::{Command, pressed};
use crate::widgets::{self, dialog, right_aligned};

/// The numbers of a plot.
// `Default` is required by egui's memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlotTable {
    /// Title of the data.
    pub(super) title: String,
    /// The names of the columns.
    pub(super) header: Vec<String>,
    /// The lines.
    pub(super) rows: Vec<Vec<String>>,
}

impl PlotTable {
    /// For a spreadsheet: tabs between cells.
    fn text(&self) -> String {
        let lines = std::iter::once(&self.header).chain(&self.rows);
        lines.map(|cells| cells.join("\t") + "\n").collect()
    }
}

/// Shows the menu on request, and the table once opened; `true` to reset the view.
pub(super) fn menu(area: &Area, is_zoomed: bool, table: impl Fn() -> PlotTable) -> bool {
    let response = &area.response;
    let ctx = &response.ctx;
    let (by_key, shown) = (response.id.with("by key"), response.id.with("as a table"));
    let mut popup = Popup::context_menu(response);
    if response.secondary_clicked() {
        ctx.data_mut(|data| data.insert_temp(by_key, false));
    }
    if response.has_focus() && pressed(ctx, Command::PlotMenu) {
        ctx.data_mut(|data| data.insert_temp(by_key, true));
        Popup::open_id(ctx, popup.get_id());
    }
    if ctx.data(|data| data.get_temp(by_key)).unwrap_or(false) {
        popup = popup.at_position(response.rect.center());
    }
    let mut is_reset = false;
    popup.show(|ui| {
        let item = |ui: &mut Ui, words: &str| {
            let is_selected = ui.add(Button::new(Type::Body.text(words)).frame(false)).clicked();
            if is_selected {
                ui.close();
            }
            is_selected
        };
        is_reset = is_zoomed && item(ui, "Reset zoom");
        if item(ui, "Show as table") {
            ui.data_mut(|data| data.insert_temp(shown, Arc::new(table())));
        }
        if item(ui, "Copy as table") {
            ui.ctx().copy_text(table().text());
        }
    });
    let open: Option<Arc<PlotTable>> = ctx.data(|data| data.get_temp(shown));
    if let Some(open) = open
        && table_ui(ctx, response, &open)
    {
        ctx.data_mut(|data| data.remove_temp::<Arc<PlotTable>>(shown));
        response.request_focus();
    }
    is_reset
}

/// Shows the table over the window; `true` to close it.
fn table_ui(ctx: &Context, of: &Response, table: &PlotTable) -> bool {
    let modal = dialog::modal(ctx, of.id.with("table")).show(ctx, |ui| contents_ui(ui, table));
    modal.inner || modal.should_close()
}

fn contents_ui(ui: &mut Ui, table: &PlotTable) -> bool {
    let tokens = Tokens::of(ui);
    let room = ui.ctx().content_rect();
    ui.set_width(size::DIALOG_WIDTH.min(room.width() - 40.0));
    dialog::title(ui, &table.title);
    let height = (room.height() - 200.0).max(80.0);
    ScrollArea::both().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        let grid = Grid::new("numbers").spacing([size::GAP_SECTION, size::GAP_LABEL]);
        grid.show(ui, |ui| {
            for name in &table.header {
                ui.label(Type::TableHeader.text(name).color(tokens.t2));
            }
            ui.end_row();
            for row in &table.rows {
                for cell in row {
                    ui.label(Type::Table.text(cell).color(tokens.t1));
                }
                ui.end_row();
            }
        });
    });
    ui.add_space(size::GAP_SMALL);
    ui.horizontal(|ui| {
        right_aligned(ui, "table-buttons", |ui| {
            if ui.add(widgets::Button::new("Copy")).clicked() {
                ui.ctx().copy_text(table.text());
            }
            ui.add(widgets::Button::primary("Close").shortcut("Esc")).clicked()
        })
        .inner
    })
    .inner
}
