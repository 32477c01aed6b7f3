//! A result table: draws any table of a report in a card, with sorting, resizable columns, and a
//! keyboard cursor.

mod cell;
mod columns;
mod cursor;
mod forest;
mod grid;
mod header;
mod layout;
mod memory;
mod prepared;

use std::cell::RefCell;

use eframe::egui::{
    Align, Id, Layout, Rangef, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_extras::{Column as Width, TableBuilder, TableRow};
use jitterscope_engine::export::tsv;
use jitterscope_engine::report::Table;
use jitterscope_engine::report::table::Format;

use self::cell::CellView;
use self::columns::{GAP, ShownColumn, fit, menu_ui, shown_columns, shown_keys};
use self::cursor::{Cursor, Pressed};
pub use self::forest::ForestPlot;
use self::forest::ForestView;
use self::header::{GROUP, TitleState, definition_ui, edges_ui, group_ui, separator_ui, title_ui};
use self::memory::Memory;
use self::prepared::{Prepared, inset};
use super::{BarPart, Card, combo, icon_button, named_bar, row_line, series_checkbox};
use crate::text::Unit;
use crate::theme::{Tokens, icons, size};
pub use layout::TableLayout;

/// Width in points of the column of check boxes that select the rows to plot.
const PLOT_WIDTH: f32 = 52.0;
/// Maximum number of curves that are plotted at once.
const MAX_PLOTTED: usize = 4;

/// A result table with its options; `show` draws it.
#[derive(Debug)]
#[must_use = "call show"]
pub struct ResultTable<'a> {
    /// Identifies what the user set for the table, such as the widths of columns, in the stored
    /// state of the window.
    pub key: &'a str,
    /// The title of the card: that of the table, unless it is too general.
    pub title: &'a str,
    /// A text after the table's note.
    pub note: &'a str,
    /// The contents.
    pub table: &'a Table,
    /// Which columns come first, and which rows are compared.
    pub layout: TableLayout,
    /// The keys of the columns that are hidden until the user shows them. The tooltip of a value
    /// shows its confidence interval even if the column of intervals is hidden.
    pub hidden: &'a [&'a str],
    /// The default unit of times, which the user can change for this table.
    pub unit: Unit,
    /// The row that is highlighted as selected, by its position in the table.
    pub selected: Option<usize>,
    /// The positions of the plotted rows, in the order of their series. With this list, each row
    /// has a check box that plots the row.
    pub plotted: Option<&'a mut Vec<usize>>,
    /// Whether the user can open a row by a double click or Enter; [`TableResponse::opened`]
    /// returns the row.
    pub can_open: bool,
    /// Whether the arrow keys select the row to which they move the keyboard cursor, once a row is selected.
    pub is_selected_by_cursor: bool,
    /// The number of rows above which the table scrolls.
    pub max_rows: usize,
    /// The forest plot, drawn in an additional column: a dot and an interval per row, on a common
    /// axis.
    pub forest: Option<ForestPlot>,
    /// The parts of a bar above the header; none for no bar.
    pub bar: &'a [BarPart<'a>],
}

/// What the user did with a table in this frame. Rows are positions in the [`Table`] that the
/// result table draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableResponse {
    /// The row that the user selected in this frame, if any.
    pub selected: Option<usize>,
    /// The row that the user opened in this frame, if any.
    pub opened: Option<usize>,
}

impl<'a> ResultTable<'a> {
    /// Creates a result table with the default options.
    pub const fn new(key: &'a str, table: &'a Table, layout: TableLayout) -> Self {
        Self {
            key,
            title: table.title,
            note: "",
            table,
            layout,
            hidden: &[],
            unit: Unit::Auto,
            selected: None,
            plotted: None,
            can_open: false,
            is_selected_by_cursor: false,
            max_rows: 16,
            forest: None,
            bar: &[],
        }
    }

    /// Shows the table in a card. Returns the row that the user selected or opened in this frame.
    pub fn show(mut self, ui: &mut Ui) -> TableResponse {
        let id = Id::unique(("result-table", self.key));
        let before = Memory::load(ui.ctx(), id);
        let memory = RefCell::new(before.clone());
        let unit = before.unit.unwrap_or(self.unit);
        let prepared = Prepared::of(ui, id.with("prepared"), self.table, &self.layout, unit);
        let room = self.room(ui.available_width() - 2.0, ui.spacing().scroll.allocated_width());
        let keys = shown_keys(&prepared, (&self.layout, self.hidden), &before, room);
        let (default, table) = (self.unit, self.table);
        let notes = [table.note.as_str(), self.note];
        let notes: Vec<&str> = notes.into_iter().filter(|note| !note.is_empty()).collect();
        let response = Card::new(self.title)
            .note(&notes.join(" · "))
            .flush()
            .show(
                ui,
                |ui| {
                    let mut memory = memory.borrow_mut();
                    ui.push_id(id, |ui| units_ui(ui, &prepared, default, &mut memory));
                    menu_ui(ui, &prepared, &keys, &mut memory);
                    let name = format!("Copy table: {}", table.title);
                    if icon_button(ui, icons::COPY, &name).clicked() {
                        super::copy_shown(ui.ctx(), &tsv::table(table));
                    }
                },
                |ui| {
                    named_bar(ui, self.bar);
                    let columns = shown_columns(&prepared, &keys, &before, room);
                    self.scroll_ui(ui, id, &prepared, &columns, &mut memory.borrow_mut())
                },
            )
            .inner;
        memory.into_inner().store(ui.ctx(), id, &before);
        response
    }

    /// Shows the table in a card of the caller, without controls. Rows beyond `height` points scroll. If the layout has
    /// no leading columns, all columns that are not optional are shown, and scroll horizontally if they do not fit.
    pub fn show_in_card(mut self, ui: &mut Ui, height: f32) -> TableResponse {
        let id = Id::unique(("result-table", self.key));
        let before = Memory::load(ui.ctx(), id);
        let mut memory = before.clone();
        while size::TABLE_HEADER + rows_height(self.max_rows) > height && 1 < self.max_rows {
            self.max_rows -= 1;
        }
        let prepared = Prepared::of(ui, id.with("prepared"), self.table, &self.layout, self.unit);
        let room = self.room(ui.available_width(), ui.spacing().scroll.allocated_width());
        let shown = self.table.columns.iter().filter(|column| !column.is_optional);
        let keys: Vec<&'static str> = if self.layout.leading.is_empty() {
            shown.map(|column| column.key).collect()
        } else {
            shown_keys(&prepared, (&self.layout, self.hidden), &before, room)
        };
        let mut columns = shown_columns(&prepared, &keys, &before, room);
        fit(&mut columns, room);
        let response = self.scroll_ui(ui, id, &prepared, &columns, &mut memory);
        memory.store(ui.ctx(), id, &before);
        response
    }

    fn scroll_ui(
        &mut self,
        ui: &mut Ui,
        id: Id,
        prepared: &Prepared,
        columns: &[ShownColumn],
        memory: &mut Memory,
    ) -> TableResponse {
        ui.scope_builder(UiBuilder::new().scope_id(id), |ui| {
            ui.spacing_mut().item_spacing = vec2(GAP, 0.0);
            let scroll = ScrollArea::horizontal().auto_shrink([false, true]);
            scroll.show(ui, |ui| self.grid_ui(ui, id, prepared, columns, memory)).inner
        })
        .inner
    }

    /// Returns the width in points that the columns of the table can use in a card of width
    /// `width`. Scroll bar, check boxes, and forest plot take the rest.
    fn room(&self, width: f32, scroll_bar: f32) -> f32 {
        let bar = if self.is_scrolled() { scroll_bar } else { 0.0 };
        let plot = if self.plotted.is_some() { PLOT_WIDTH + GAP } else { 0.0 };
        let forest = if self.forest.is_some() { forest::WIDTH + GAP } else { 0.0 };
        width - bar - plot - forest - GAP
    }

    const fn is_scrolled(&self) -> bool {
        self.max_rows < self.table.rows.len()
    }

    fn grid_ui(
        &mut self,
        ui: &mut Ui,
        id: Id,
        prepared: &Prepared,
        columns: &[ShownColumn],
        memory: &mut Memory,
    ) -> TableResponse {
        let grid_id = id.with("grid");
        let order = prepared.grid.order(&prepared.table, memory.sort.as_ref());
        let mut cursor = Cursor::load(ui.ctx(), grid_id);
        let cursor_before = cursor;
        let has_focus = ui.memory(|memory| memory.has_focus(grid_id));
        let pressed = if has_focus {
            cursor.take_keys(ui, grid_id, order.len(), columns.len())
        } else {
            None
        };
        let has_moved = has_focus && cursor != cursor_before;
        let heights = (
            size::TABLE_HEADER + if prepared.grid.groups.is_empty() { 0.0 } else { GROUP },
            rows_height(order.len().min(self.max_rows)),
        );
        let top_left = ui.cursor().min;
        let forest = self.forest.map(|plot| ForestView::new(plot, prepared, columns));
        let forest_width = if forest.is_some() { forest::WIDTH + GAP } else { 0.0 };
        let wide = columns.iter().map(|column| column.width + GAP).sum::<f32>() + forest_width;
        let plot_width = if self.plotted.is_some() { PLOT_WIDTH + GAP } else { 0.0 };
        let reach =
            Rangef::new(top_left.x, top_left.x + (wide + plot_width).max(ui.available_width()));
        let view = TableView {
            id,
            prepared,
            columns,
            reach,
            visible: ui.clip_rect().x_range(),
            cursor: has_focus.then_some(cursor),
            has_moved,
            can_open: self.can_open,
            forest,
        };
        let mut builder = TableBuilder::new(ui)
            .id_salt("rows")
            .sense(Sense::CLICK)
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink([false, true])
            .vscroll(self.is_scrolled())
            .min_scrolled_height(heights.1.min(4.0 * size::TABLE_ROW))
            .max_scroll_height(heights.1);
        if has_moved && 0 < cursor.row {
            builder = builder.scroll_to_row(cursor.row - 1, None);
        }
        if self.plotted.is_some() {
            builder = builder.column(Width::exact(PLOT_WIDTH));
        }
        for (place, column) in columns.iter().enumerate() {
            builder = builder.column(Width::exact(column.width).clip(true));
            if view.forest_after(place).is_some() {
                builder = builder.column(Width::exact(forest::WIDTH).clip(true));
            }
        }
        let mut sorted = None;
        let mut acted = Acted::default();
        builder
            .header(heights.0, |mut header| {
                sorted = view.header_ui(&mut header, memory, self.plotted.is_some());
            })
            .body(|body| {
                body.rows(size::TABLE_ROW, order.len(), |mut cells| {
                    if let Some(&row) = order.get(cells.index()) {
                        self.row_ui(&mut cells, &view, row, &mut acted);
                    }
                });
            });
        let bottom = ui.min_rect().bottom().max(top_left.y + heights.0);
        let mut right = top_left.x + plot_width - GAP / 2.0;
        let mut edges: Vec<(usize, f32, f32)> = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            right += column.width + GAP;
            edges.push((column.at, right, column.width));
            if let Some(plot) = view.forest_after(place) {
                let (_, axis) = ui.allocate_space(vec2(0.0, forest::AXIS));
                plot.axis_ui(ui, right + GAP / 2.0, axis.top());
                right += forest_width;
            }
        }
        let header_reach = Rangef::new(top_left.y, top_left.y + heights.0);
        edges_ui(ui, id, prepared, &edges, header_reach, memory);
        let place = Rect::from_min_max(top_left, pos2(reach.max, bottom));
        let grid = ui.interact(place, grid_id, Sense::focusable_noninteractive());
        grid.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::Grid, true, format!("{} table", self.title));
            info.current_text_value = Some(view.value_at(&order, &self.layout, cursor));
            info
        });
        if let Some(column) = sorted {
            memory.sort_by(&column);
        }
        if let Some((row, column)) = acted.cell {
            let at = order.iter().position(|one| *one == row).unwrap_or(0);
            cursor = Cursor { row: at + 1, column, is_by_key: false };
            grid.request_focus();
        }
        self.carry_out(ui, &view, (cursor, pressed), &order, (memory, &mut acted));
        cursor.store(ui.ctx(), grid_id);
        acted.response
    }

    /// Carries out the action of a key press for the cell at the keyboard cursor: copies the table,
    /// sorts by a column, or opens, plots, or selects a row. `order` lists the rows of the grid in
    /// the order in which they are shown.
    fn carry_out(
        &mut self,
        ui: &Ui,
        view: &TableView<'_>,
        (cursor, pressed): (Cursor, Option<Pressed>),
        order: &[usize],
        (memory, acted): (&mut Memory, &mut Acted),
    ) {
        let Some(pressed) = pressed else {
            let row = cursor.row.checked_sub(1).and_then(|row| order.get(row)).copied();
            let is_moved = self.is_selected_by_cursor && view.has_moved;
            acted.response.selected =
                acted.response.selected.or(row.filter(|_| is_moved && self.selected.is_some()));
            acted.response.selected.take_if(|row| is_moved && self.selected == Some(*row));
            return;
        };
        let column = view.columns.get(cursor.column);
        let column = column.and_then(|column| view.prepared.grid.columns.get(column.at));
        if pressed == Pressed::Copy {
            super::copy_shown(ui.ctx(), &tsv::table(self.table));
            return;
        }
        let Some(column) = column else { return };
        let Some(row) = cursor.row.checked_sub(1) else {
            memory.sort_by(&column.name);
            return;
        };
        let Some(source) = order.get(row).and_then(|&row| view.prepared.grid.source(row, column))
        else {
            return;
        };
        match (pressed, self.plotted.as_deref_mut()) {
            (Pressed::Enter, _) if self.can_open => acted.response.opened = Some(source),
            (Pressed::Space, Some(plotted)) => toggle(plotted, source),
            _ => acted.response.selected = Some(source),
        }
    }

    fn row_ui(
        &mut self,
        cells: &mut TableRow<'_, '_>,
        view: &TableView<'_>,
        row: usize,
        acted: &mut Acted,
    ) {
        let prepared = view.prepared;
        let sources = prepared.grid.rows.get(row).map(Vec::as_slice).unwrap_or_default();
        let is_selected = self.selected.is_some_and(|selected| sources.contains(&Some(selected)));
        cells.set_selected(is_selected);
        let label = prepared.grid.row_label(&prepared.table, &self.layout, row);
        if let Some(plotted) = self.plotted.as_deref_mut()
            && let Some(source) = sources.iter().copied().flatten().next()
        {
            cells.col(|ui| {
                row_line(ui, view.drawn());
                plot_ui(ui, &label, source, plotted);
            });
        }
        let at = cells.index();
        for (place, shown) in view.columns.iter().enumerate() {
            let Some(column) = prepared.grid.columns.get(shown.at) else { continue };
            let source = prepared.grid.source(row, column);
            let has_cursor =
                view.cursor.is_some_and(|cursor| (cursor.row, cursor.column) == (at + 1, place));
            let cell = CellView {
                prepared,
                column,
                source,
                label: &label,
                is_first: place == 0,
                is_link: place == 0 && self.can_open,
            };
            let (_, response) = cells.col(|ui| {
                if place == 0 && self.plotted.is_none() {
                    row_line(ui, view.drawn());
                }
                if view.begins_group(place) {
                    separator_ui(ui, view.visible);
                }
                let response = cell.ui(ui, view.inset(place, shown.at), has_cursor);
                if has_cursor && view.has_moved {
                    ui.scroll_to_rect(ui.max_rect(), None);
                }
                if has_cursor && view.cursor.is_some_and(|cursor| cursor.is_by_key) {
                    cell.explain(&response);
                }
            });
            if response.clicked() {
                acted.cell = Some((row, place));
                acted.response.selected = source;
            }
            if self.can_open && response.double_clicked() {
                acted.response.opened = source;
            }
            if let Some(plot) = view.forest_after(place) {
                cells.col(|ui| plot.row_ui(ui, prepared, source));
            }
        }
    }
}

/// What the user did with the rows of a table in this frame.
#[derive(Debug, Default)]
struct Acted {
    /// The clicked cell: the position of its row in the grid, and the position of its column among
    /// the visible columns.
    cell: Option<(usize, usize)>,
    response: TableResponse,
}

/// Data shared by all cells of a table while it is drawn.
#[derive(Debug)]
struct TableView<'a> {
    id: Id,
    prepared: &'a Prepared,
    columns: &'a [ShownColumn],
    /// Horizontal extent of the rows in points; `visible` is the part that is not scrolled away.
    reach: Rangef,
    visible: Rangef,
    /// The cell at the keyboard cursor; `None` unless the table has the focus.
    cursor: Option<Cursor>,
    has_moved: bool,
    can_open: bool,
    forest: Option<ForestView>,
}

impl TableView<'_> {
    /// Returns the forest plot if it follows the visible column at this position; otherwise `None`.
    fn forest_after(&self, place: usize) -> Option<&ForestView> {
        self.forest.as_ref().filter(|forest| forest.after == place)
    }

    /// Returns the visible part of the horizontal extent of a row.
    fn drawn(&self) -> Rangef {
        Rangef::new(self.reach.min.max(self.visible.min), self.reach.max.min(self.visible.max))
    }

    /// Returns the left padding of a cell in points. `place` is the position of its column among
    /// the visible columns, `at` the position in the grid.
    fn inset(&self, place: usize, at: usize) -> f32 {
        let is_left = self.prepared.grid.columns.get(at).is_some_and(|column| {
            let it = self.prepared.table.columns.get(column.column);
            it.is_some_and(jitterscope_engine::report::table::Column::is_left_aligned)
        });
        inset(place == 0, is_left)
    }

    fn group_of(&self, place: usize) -> Option<usize> {
        let shown = self.columns.get(place)?;
        self.prepared.grid.columns.get(shown.at)?.group
    }

    /// Whether a column is the first of a group.
    fn begins_group(&self, place: usize) -> bool {
        let group = self.group_of(place);
        let before = place.checked_sub(1).and_then(|place| self.group_of(place));
        group.is_some() && group != before
    }

    /// Draws the header of the table. Returns the name of the column whose title was clicked, to
    /// sort by it; otherwise `None`.
    fn header_ui(
        &self,
        header: &mut TableRow<'_, '_>,
        memory: &Memory,
        has_plots: bool,
    ) -> Option<String> {
        let mut sorted = None;
        if has_plots {
            header.col(|ui| {
                ui.add_space(size::GAP_FIELD);
                let style = crate::theme::Type::TableHeader;
                super::Spans::plain(style, "Plot", Tokens::of(ui).t2).label(ui);
            });
        }
        for (place, shown) in self.columns.iter().enumerate() {
            let Some(column) = self.prepared.grid.columns.get(shown.at) else { continue };
            let cursor = self.cursor.filter(|it| (it.row, it.column) == (0, place));
            let order = memory.order_of(&column.name);
            header.col(|ui| {
                if self.begins_group(place) {
                    let group = column.group.and_then(|at| self.prepared.grid.groups.get(at));
                    let title = group.map_or("", String::as_str);
                    group_ui(ui, title, self.group_width(place), self.visible);
                    separator_ui(ui, self.visible);
                }
                let state = TitleState {
                    table: self.id,
                    is_descending: order,
                    has_cursor: cursor.is_some(),
                };
                let inset = self.inset(place, shown.at);
                let Some(title) = title_ui(ui, self.prepared, column, state, inset) else { return };
                if title.clicked() {
                    sorted = Some(column.name.clone());
                }
                if cursor.is_some() && self.has_moved {
                    ui.scroll_to_rect(ui.max_rect(), None);
                }
                if cursor.is_some_and(|cursor| cursor.is_by_key) && !title.hovered() {
                    title.show_tooltip_ui(|ui| definition_ui(ui, self.prepared, column));
                }
                title.on_hover_ui(|ui| definition_ui(ui, self.prepared, column));
            });
            if let Some(plot) = self.forest_after(place) {
                header.col(|ui| plot.header_ui(ui));
            }
        }
        sorted
    }

    /// Returns the total width in points of a group of columns. `place` is the position of the
    /// first column of the group.
    fn group_width(&self, place: usize) -> f32 {
        let group = self.group_of(place);
        let of_group = self.columns.iter().enumerate().skip(place);
        let widths = of_group.take_while(|(at, _)| self.group_of(*at) == group);
        widths.map(|(_, column)| column.width + GAP).sum::<f32>() - GAP
    }

    /// Returns the content of the cell at the keyboard cursor with its row and column, for screen
    /// readers.
    fn value_at(&self, order: &[usize], layout: &TableLayout, cursor: Cursor) -> String {
        let column = self.columns.get(cursor.column);
        let column = column.and_then(|column| self.prepared.grid.columns.get(column.at));
        let Some(column) = column else { return String::new() };
        let Some(&row) = cursor.row.checked_sub(1).and_then(|row| order.get(row)) else {
            return self.prepared.grid.heading(&self.prepared.table, column);
        };
        let label = self.prepared.grid.row_label(&self.prepared.table, layout, row);
        let source = self.prepared.grid.source(row, column);
        let (is_first, is_link) = (cursor.column == 0, self.can_open);
        let prepared = self.prepared;
        CellView { prepared, column, source, label: &label, is_first, is_link }.name()
    }
}

/// Returns the height of this many rows, in points.
fn rows_height(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX)) * size::TABLE_ROW
}

/// Draws the unit selector, if the table has times.
fn units_ui(ui: &mut Ui, prepared: &Prepared, default: Unit, memory: &mut Memory) {
    let has_times =
        prepared.table.columns.iter().any(|column| matches!(column.format, Format::Time { .. }));
    if !has_times {
        return;
    }
    let mut unit = memory.unit.unwrap_or(default);
    let units = Unit::ALL.map(|unit| match unit {
        Unit::Auto => (unit, "Auto"),
        unit => (unit, unit.symbol()),
    });
    if combo(ui, "Units", &mut unit, &units, 64.0).changed() {
        memory.unit = (unit != default).then_some(unit);
    }
}

/// Draws the check box that plots a row, in the color of the row's series.
fn plot_ui(ui: &mut Ui, label: &str, row: usize, plotted: &mut Vec<usize>) {
    ui.add_space(size::GAP_FIELD);
    let tokens = Tokens::of(ui);
    let place = plotted.iter().position(|one| *one == row);
    let color = place.map_or(tokens.ctl, |place| tokens.series(place).color);
    let mut is_plotted = place.is_some();
    if series_checkbox(ui, &mut is_plotted, &format!("Plot {label}"), color).changed() {
        toggle(plotted, row);
    }
}

/// Adds a row to the plotted rows, or removes it if it is plotted already. If this makes more than
/// `MAX_PLOTTED` rows, removes the row that was added first.
fn toggle(plotted: &mut Vec<usize>, row: usize) {
    let before = plotted.len();
    plotted.retain(|one| *one != row);
    if plotted.len() == before {
        plotted.push(row);
    }
    if MAX_PLOTTED < plotted.len() {
        plotted.remove(0);
    }
}
