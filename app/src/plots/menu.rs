//! The commands of a plot: zoom, show or copy its data as a table, copy or save an image. They are
//! buttons in the header of the card, and a menu that opens on a right click or by Shift+F10.

use std::ops::Range;
use std::sync::Arc;

use eframe::egui::{Button, Context, Grid, Id, Popup, Response, ScrollArea, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Chart;
use jitterscope_engine::stats::Pyramid;

use super::plane::{Move, ask, is_moved};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::keys::{Command, pressed};
use crate::widgets::{self, FollowFocus as _, dialog, icon_button, right_row};

/// Maximum number of rows of a table that are drawn: a histogram may have any number.
const MAX_ROWS: usize = 1_000;

/// The data of a plot as a table.
// `Default` is required by egui's memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlotTable {
    /// Title of the data.
    pub(super) title: String,
    /// The names of the columns.
    pub(super) header: Vec<String>,
    /// The rows of the table.
    pub(super) rows: Vec<Vec<String>>,
}

impl PlotTable {
    /// Returns the table as text for a spreadsheet: cells are separated by tabs.
    fn text(&self) -> String {
        let lines = std::iter::once(&self.header).chain(&self.rows);
        lines.map(|cells| cells.join("\t") + "\n").collect()
    }
}

/// The samples in one of several parts of a time range.
pub(super) struct PlotRow {
    /// Start of the part in seconds.
    pub(super) begins: f64,
    /// Positions of the samples.
    pub(super) range: Range<usize>,
    /// Number of samples, as text.
    pub(super) count: String,
    /// Highest value of the samples, as text.
    pub(super) max: String,
}

/// Divides a time range, in seconds, into parts of equal duration, and returns the samples of each
/// part; parts without samples are omitted.
pub(super) fn plot_rows(
    samples: &Pyramid,
    time: (f64, f64),
    parts: u32,
) -> impl Iterator<Item = PlotRow> {
    samples.parts(time, parts).filter_map(|(begins, range)| {
        let (_, max) = samples.max(range.clone())?;
        let count = text::format_count(range.len());
        Some(PlotRow { begins, range, count, max: text::format_time(Nanos::from_nanos_f64(max)) })
    })
}

/// A requested image of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageRequest {
    /// The chart to draw.
    pub chart: Chart,
    /// Whether the image is saved to a file instead of copied.
    pub is_saved: bool,
}

/// Returns the image that was requested since the last call, if any.
pub fn take_image_request(ctx: &Context) -> Option<ImageRequest> {
    let requested = ctx
        .data_mut(|data| data.remove_temp::<Option<Arc<ImageRequest>>>(Id::unique("plot-image")));
    requested.flatten().map(Arc::unwrap_or_clone)
}

/// The command selected in the menu of a plot, stored until the plot is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SelectedRange {
    Table,
    CopyTable,
    CopyImage,
    SaveImage,
}

/// Width in points of the header of a card from which it has the zoom buttons. In a narrower card, keys and the menu do
/// the same, and the title is not truncated.
const ZOOM_FROM: f32 = 400.0;

/// Draws the buttons in the header of a plot's card: zoom, reset, and menu.
pub(super) fn controls_ui(ui: &mut Ui, plot: Id, title: &str) {
    let ctx = ui.ctx().clone();
    let button = |ui: &mut Ui, icon: &str, words: &str| {
        icon_button(ui, icon, &format!("{words}: {title}")).clicked()
    };
    if ZOOM_FROM <= ui.max_rect().width() {
        if button(ui, icons::MINUS, "Zoom out") {
            ask(&ctx, plot, Move::ZoomOut);
        }
        if button(ui, icons::PLUS, "Zoom in") {
            ask(&ctx, plot, Move::ZoomIn);
        }
    }
    let reset = |ui: &mut Ui| button(ui, icons::ARROW_COUNTER_CLOCKWISE, "Reset zoom");
    if ui.add_enabled_ui(is_moved(&ctx, plot), reset).inner {
        ask(&ctx, plot, Move::Reset);
    }
    let more = icon_button(ui, icons::DOTS_THREE, &format!("Table and image: {title}"));
    Popup::menu(&more).show(|ui| items_ui(ui, plot, true));
}

/// Shows the menu of a plot on a right click or by keyboard, and carries out the commands selected
/// in the menu or in the header. If `chart` is `None`, the menu has no image commands.
pub(super) fn menu(
    response: &Response,
    plot: Id,
    table: impl Fn() -> PlotTable,
    chart: Option<&dyn Fn() -> Option<Chart>>,
) {
    let ctx = &response.ctx;
    let (by_key, shown) = (plot.with("by key"), plot.with("as a table"));
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
    popup.show(|ui| items_ui(ui, plot, chart.is_some()));
    let selected =
        ctx.data_mut(|data| data.remove_temp::<Option<SelectedRange>>(plot.with("menu item")));
    match selected.flatten() {
        Some(SelectedRange::Table) => {
            ctx.data_mut(|data| data.insert_temp(shown, Arc::new(table())));
        }
        Some(SelectedRange::CopyTable) => widgets::copy_shown(ctx, &table().text()),
        Some(selected @ (SelectedRange::CopyImage | SelectedRange::SaveImage)) => {
            if let Some(chart) = chart.and_then(|chart| chart()) {
                let is_saved = selected == SelectedRange::SaveImage;
                let request = Some(Arc::new(ImageRequest { chart, is_saved }));
                ctx.data_mut(|data| data.insert_temp(Id::unique("plot-image"), request));
            }
        }
        None => {}
    }
    let open: Option<Arc<PlotTable>> = ctx.data(|data| data.get_temp(shown));
    if let Some(open) = open
        && table_ui(ctx, response, &open)
    {
        ctx.data_mut(|data| data.remove_temp::<Arc<PlotTable>>(shown));
        response.request_focus();
    }
}

fn items_ui(ui: &mut Ui, plot: Id, has_image: bool) {
    let item = |ui: &mut Ui, words: &str| {
        let is_selected = ui.add(Button::new(Type::Body.text(words)).frame(false)).clicked();
        if is_selected {
            ui.close();
        }
        is_selected
    };
    if is_moved(ui.ctx(), plot) && item(ui, "Reset zoom") {
        ask(ui.ctx(), plot, Move::Reset);
    }
    let items = [
        ("Show as table", SelectedRange::Table),
        ("Copy as table", SelectedRange::CopyTable),
        ("Copy image", SelectedRange::CopyImage),
        ("Save image…", SelectedRange::SaveImage),
    ];
    for (words, selected) in items.into_iter().take(if has_image { 4 } else { 2 }) {
        if item(ui, words) {
            ui.data_mut(|data| data.insert_temp(plot.with("menu item"), Some(selected)));
            ui.ctx().request_repaint();
        }
    }
}

/// Shows the table over the window; returns whether to close it.
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
    ScrollArea::both().max_height(height).auto_shrink([false, true]).show_focus(ui, |ui| {
        let grid = Grid::new("numbers").spacing([size::GAP_SECTION, size::GAP_LABEL]);
        grid.show(ui, |ui| {
            for name in &table.header {
                ui.label(Type::TableHeader.text(name).color(tokens.t2));
            }
            ui.end_row();
            for row in table.rows.iter().take(MAX_ROWS) {
                for cell in row {
                    ui.label(Type::Table.text(cell).color(tokens.t1));
                }
                ui.end_row();
            }
        });
        if MAX_ROWS < table.rows.len() {
            let words =
                format!("and {} more rows, which Copy includes", table.rows.len() - MAX_ROWS);
            ui.label(Type::Small.text(words).color(tokens.t2));
        }
    });
    ui.add_space(size::GAP_SMALL);
    right_row(ui, "table-buttons", |ui| {
        if ui.add(widgets::Button::new("Copy")).clicked() {
            widgets::copy_shown(ui.ctx(), &table.text());
        }
        ui.add(widgets::Button::primary("Close").shortcut("Esc")).clicked()
    })
}
