//! The header of a result table: titles on which a click sorts, the names of groups of columns
//! above the titles, and column edges that the user can drag.

use eframe::egui::{
    Align, CursorIcon, Id, Layout, Rangef, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};
use jitterscope_engine::report::table::{Better, Column};

use super::columns::GAP;
use super::grid::GridColumn;
use super::memory::Memory;
use super::prepared::Prepared;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::chip::series_chip;
use crate::widgets::spans::Spans;

/// Height of the group names above the titles, in points.
pub(super) const GROUP: f32 = 22.0;
/// Minimum and maximum width to which the user can drag a column, in points.
const WIDTHS: std::ops::RangeInclusive<f32> = 32.0..=600.0;
/// Maximum distance from a column edge at which the pointer can drag the edge, in points.
const GRIP: f32 = 4.0;

/// The state of a column's title.
#[derive(Clone, Copy)]
pub(super) struct TitleState {
    /// The ID of the table.
    pub(super) table: Id,
    /// Whether the rows are sorted by this column in descending order; `None` if they are not
    /// sorted by this column.
    pub(super) is_descending: Option<bool>,
    /// Whether the keyboard cursor is on the title.
    pub(super) has_cursor: bool,
}

/// Draws the title of a column in its cell, with `inset` points of padding at the left. Returns the
/// response, whose click should sort by the column; `None` if the table lacks the column.
pub(super) fn title_ui(
    ui: &mut Ui,
    prepared: &Prepared,
    column: &GridColumn,
    state: TitleState,
    inset: f32,
) -> Option<Response> {
    let it = prepared.table.columns.get(column.column)?;
    let tokens = Tokens::of(ui);
    let mut place = ui.max_rect();
    if !prepared.grid.groups.is_empty() {
        place.min.y += GROUP;
    }
    let response = ui.interact(place, state.table.with(("header", &column.name)), Sense::CLICK);
    let color =
        if state.is_descending.is_some() || response.hovered() { tokens.t1 } else { tokens.t2 };
    let mut spans = Spans::plain(Type::TableHeader, &it.heading(), color);
    if let Some(is_descending) = state.is_descending {
        let caret = if is_descending { icons::CARET_DOWN } else { icons::CARET_UP };
        spans = spans.gap(2.0).icon(caret, size::ICON_SMALL - 2.0, color);
    }
    let mut room = place.with_min_x(place.left() + inset);
    let mut galley = spans.clone().within(ui, room.width());
    if galley.elided && inset < size::GAP_FIELD {
        room = place;
        galley = spans.within(ui, room.width());
    }
    if let Some(series) = it.series {
        let side = if it.is_left_aligned() { Align::Min } else { Align::Max };
        let place = place.with_min_x(place.left() + inset);
        let layout = Layout::top_down(side).with_main_align(Align::Center);
        ui.scope_builder(UiBuilder::new().max_rect(place).layout(layout), |ui| {
            series_chip(ui, series);
        });
        return Some(response);
    }
    let left = if it.is_left_aligned() { room.left() } else { room.right() - galley.size().x };
    let at = pos2(left, place.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
    if state.has_cursor {
        ring(ui, place);
    }
    let heading = prepared.grid.heading(&prepared.table, column);
    response.widget_info(|| {
        WidgetInfo::labeled(Role::ColumnHeader, true, name(&heading, state.is_descending))
    });
    Some(response)
}

fn name(heading: &str, order: Option<bool>) -> String {
    match order {
        None => format!("Sort by {heading}"),
        Some(true) => format!("Sort by {heading}, descending"),
        Some(false) => format!("Sort by {heading}, ascending"),
    }
}

/// Draws the focus ring inside the cell at the keyboard cursor.
pub(super) fn ring(ui: &Ui, place: Rect) {
    let stroke = Stroke::new(size::FOCUS_STROKE, Tokens::of(ui).acc);
    ui.painter().rect_stroke(place.shrink(1.0), size::RADIUS, stroke, StrokeKind::Inside);
}

/// Draws the tooltip of a column's title: heading, definition, and whether lower or higher is
/// better.
pub(super) fn definition_ui(ui: &mut Ui, prepared: &Prepared, column: &GridColumn) {
    let Some(it) = prepared.table.columns.get(column.column) else { return };
    let tokens = Tokens::of(ui);
    ui.set_max_width(size::HELP_WIDTH);
    let heading = prepared.grid.heading(&prepared.table, column);
    ui.label(Type::Strong.text(heading).color(tokens.t1));
    ui.label(Type::Body.text(it.definition.as_ref()).color(tokens.t1));
    ui.label(Type::Small.text(direction(it)).color(tokens.t2));
}

const fn direction(column: &Column) -> &'static str {
    match column.better {
        Some(Better::Lower) => "Lower is better. Click to sort.",
        Some(Better::Higher) => "Higher is better. Click to sort.",
        None => "Click to sort.",
    }
}

/// Draws the name of a group centered above its columns, which are `width` points wide together.
/// Call this function in the header cell of the group's first column. Nothing is drawn outside
/// `visible`, the horizontal part of the table that is not scrolled away.
pub(super) fn group_ui(ui: &Ui, title: &str, width: f32, visible: Rangef) {
    let tokens = Tokens::of(ui);
    let cell = ui.max_rect();
    let room = Rect::from_min_size(cell.min, vec2(width, GROUP));
    let words = Spans::plain(Type::Small, title, tokens.t2).within(ui, width);
    let mut painter = ui.painter().clone();
    painter.set_clip_rect(room.intersect(Rect::from_x_y_ranges(visible, ui.clip_rect().y_range())));
    let at = room.center() - words.size() / 2.0;
    painter.galley(at, words, tokens.t2);
}

/// Draws the line that separates a group of columns from the previous one. Call this function in a
/// cell of the group's first column; `visible` is the part of the table that is not scrolled away.
pub(super) fn separator_ui(ui: &Ui, visible: Rangef) {
    let cell = ui.max_rect();
    let x = cell.left() - GAP / 2.0;
    let mut painter = ui.painter().clone();
    let clip = ui.clip_rect().expand2(vec2(GAP, 0.0));
    painter.set_clip_rect(clip.intersect(Rect::from_x_y_ranges(visible, clip.y_range())));
    painter.vline(x, cell.y_range(), (1.0, Tokens::of(ui).line));
}

/// Lets the user drag the right edges of columns in the header. Dragging an edge changes the width
/// of its column; a double click resets the width. `edges` lists for each column, from left to
/// right, the position in the grid, the right edge, and the current width, both in points.
pub(super) fn edges_ui(
    ui: &Ui,
    id: Id,
    prepared: &Prepared,
    edges: &[(usize, f32, f32)],
    height: Rangef,
    memory: &mut Memory,
) {
    let mut changed = None;
    for &(at, right, width) in edges {
        let Some(column) = prepared.grid.columns.get(at) else { continue };
        let x = Rangef::new(right - GRIP, right + GRIP);
        let grip = ui.interact(
            Rect::from_x_y_ranges(x, height),
            id.with(("width", &column.name)),
            Sense::CLICK | Sense::DRAG,
        );
        let heading = prepared.grid.heading(&prepared.table, column);
        grip.widget_info(|| {
            WidgetInfo::labeled(Role::Splitter, true, format!("Width of {heading}"))
        });
        if grip.hovered() || grip.dragged() {
            ui.painter().vline(right, height, (1.0, Tokens::of(ui).acc));
        }
        if grip.dragged() {
            changed = Some((at, Some(width + grip.drag_delta().x)));
        } else if grip.double_clicked() {
            changed = Some((at, None));
        }
        grip.on_hover_cursor(CursorIcon::ResizeColumn);
    }
    let Some((changed, width)) = changed else { return };
    // Store the current widths of all other columns, too: otherwise they would share the width that
    // the dragged column gains or loses, and their edges would also move.
    for &(at, _, now) in edges {
        let Some(column) = prepared.grid.columns.get(at) else { continue };
        let needed = prepared.widths.get(at).copied().unwrap_or(now);
        let width = if at == changed { width.unwrap_or(needed) } else { now };
        let width = width.clamp(*WIDTHS.start(), *WIDTHS.end());
        memory.widths.insert(column.name.clone(), width);
    }
}
