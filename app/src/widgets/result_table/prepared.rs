//! A table ready to be drawn: with times in the selected unit, laid out as a grid, with the best
//! and worst cells marked, and with the widths of columns. The result is stored and reused until
//! the table changes.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use eframe::egui::{Id, Ui};
use jitterscope_engine::report::Table;
use jitterscope_engine::report::table::Cell;

use super::grid::{Grid, Mark, cell_of, marks};
use super::layout::TableLayout;
use crate::text::Unit;
use crate::theme::{Tokens, Type, size};
use crate::widgets::spans::Spans;

/// Maximum number of rows whose text widths are measured. A table of events may have thousands of
/// rows, which would take too long.
const MEASURED_ROWS: usize = 200;
/// Width in points of an icon before the text of a cell or after a heading, with its gap.
const ICON: f32 = size::ICON_SMALL + size::GAP_LABEL + 2.0;
/// Minimum and maximum width of a column without its padding, in points, until the user changes the
/// width.
const MIN_WIDTH: f32 = 44.0;
const MAX_WIDTH: f32 = 230.0;

/// A table ready to be drawn.
#[derive(Debug)]
pub(super) struct Prepared {
    print: u64,
    /// The table, with times in the selected unit.
    pub(super) table: Table,
    /// The rows and columns as they are shown.
    pub(super) grid: Grid,
    /// The marks of the best and the worst cells: `marks[column][row]`.
    marks: Vec<Vec<Mark>>,
    /// Whether the recommended rows are marked with a star in the column of the key figure.
    /// Otherwise, the first cell of the row has the star.
    pub(super) stars_in_key_column: bool,
    /// The width that each column of the grid needs, in points.
    pub(super) widths: Vec<f32>,
    /// The minimum width of each column of the grid in points, without the caret of the heading and
    /// without left padding. Columns shrink to this width if the table would be too wide.
    pub(super) tight: Vec<f32>,
}

impl Prepared {
    /// Returns the prepared table, which is stored under `id` and prepared again only if `table` or
    /// `unit` changed.
    pub(super) fn of(
        ui: &Ui,
        id: Id,
        table: &Table,
        layout: &TableLayout,
        unit: Unit,
    ) -> Arc<Self> {
        let print = print_of(table, unit);
        let before: Option<Arc<Self>> = ui.data(|data| data.get_temp(id));
        if let Some(before) = before.as_ref().filter(|before| before.print == print) {
            return Arc::clone(before);
        }
        let mut table = table.clone();
        if unit != Unit::Auto {
            table.set_unit(unit);
        }
        let grid = Grid::of(&table, layout);
        let measured = (0..grid.columns.len()).map(|at| width_of(ui, &table, &grid, at));
        let (mut widths, mut tight): (Vec<f32>, Vec<f32>) = measured.unzip();
        // Columns grow but do not shrink, so that their edges do not jump while values change.
        if let Some(before) = before.filter(|before| before.grid.columns == grid.columns) {
            let was = before.widths.iter().chain(&before.tight);
            for (width, was) in widths.iter_mut().chain(&mut tight).zip(was) {
                *width = width.max(*was);
            }
        }
        let has_key_rows = table.rows.iter().any(|row| row.is_key);
        let is_compared = layout.compared.is_some();
        let stars_in_key_column = has_key_rows
            && is_compared
            && table.columns.iter().any(|column| column.is_key && column.better.is_some());
        let marks = marks(&table, layout);
        let made = Arc::new(Self { print, table, grid, marks, stars_in_key_column, widths, tight });
        ui.data_mut(|data| data.insert_temp(id, Arc::clone(&made)));
        made
    }

    /// Returns whether a cell is the best or the worst of its column, by positions in the table. If
    /// the key column has stars, its recommended cells are the best.
    pub(super) fn mark(&self, row: usize, column: usize) -> Mark {
        let is_key = self.table.columns.get(column).is_some_and(|column| column.is_key);
        let mark = self.marks.get(column).and_then(|marks| marks.get(row)).copied();
        let mark = mark.unwrap_or_default();
        if is_key && self.stars_in_key_column {
            // The recommended row does not always have the best value: of equal rows, the one with
            // lower priority is recommended.
            return match mark {
                _ if self.table.rows.get(row).is_some_and(|row| row.is_key) => Mark::Best,
                Mark::Best => Mark::None,
                mark => mark,
            };
        }
        mark
    }

    /// Returns the text of a cell, by positions in the table.
    pub(super) fn text(&self, row: usize, column: usize) -> String {
        let cell = cell_of(&self.table, row, column);
        let column = self.table.columns.get(column);
        cell.zip(column).map_or_else(String::new, |(cell, column)| cell.text(&column.format))
    }
}

/// Returns a hash of everything that a table shows in this unit.
fn print_of(table: &Table, unit: Unit) -> u64 {
    let mut hasher = DefaultHasher::new();
    (unit, &table.note, table.columns.len(), table.rows.len()).hash(&mut hasher);
    for column in &table.columns {
        (column.key, &column.title, column.unit()).hash(&mut hasher);
    }
    for row in &table.rows {
        (&row.caution, row.is_key, row.configuration).hash(&mut hasher);
        for cell in &row.cells {
            std::mem::discriminant(cell).hash(&mut hasher);
            match cell {
                Cell::Time(value)
                | Cell::Share(value)
                | Cell::Rate(value)
                | Cell::Number(value) => value.to_bits().hash(&mut hasher),
                Cell::Count(count) => count.hash(&mut hasher),
                Cell::Text(text) => text.hash(&mut hasher),
                Cell::Grade(grade) => grade.word().hash(&mut hasher),
                Cell::Interval(_, low, high) => {
                    (low.to_bits(), high.to_bits()).hash(&mut hasher);
                }
                Cell::Absent(reason) => reason.hash(&mut hasher),
            }
        }
    }
    hasher.finish()
}

/// Returns the width and the minimum width in points that the grid column at position `at` needs
/// for its heading and its cells.
fn width_of(ui: &Ui, table: &Table, grid: &Grid, at: usize) -> (f32, f32) {
    let column = grid.columns.get(at);
    let Some((column, it)) = column.and_then(|one| Some((one, table.columns.get(one.column)?)))
    else {
        return (MIN_WIDTH, MIN_WIDTH);
    };
    let color = Tokens::of(ui).t1;
    let measure = |style: Type, text: &str| Spans::plain(style, text, color).galley(ui).size().x;
    let heading = measure(Type::TableHeader, &it.heading());
    let icon = if has_icon(table, column.column, at == 0) { ICON } else { 0.0 };
    let rows = (0..grid.rows.len()).take(MEASURED_ROWS);
    let cells = rows
        .filter_map(|row| cell_of(table, grid.source(row, column)?, column.column))
        .map(|cell| measure(Type::TableStrong, &cell.text(&it.format)) + icon)
        .fold(0.0, f32::max);
    let before = at.checked_sub(1).and_then(|before| grid.columns.get(before)?.group);
    let begins_group = column.group.is_some() && column.group != before;
    // The minimum width includes the margin of the card before the first column, and the gap after
    // the line between two groups.
    let margin = match (at, begins_group) {
        (0, _) => size::GAP_FIELD,
        (_, true) => size::GAP_SMALL,
        (_, false) => 0.0,
    };
    let inset = inset(at == 0, it.is_left_aligned()).max(margin);
    let width = |heading: f32| heading.max(cells).ceil().clamp(MIN_WIDTH, MAX_WIDTH);
    (width(heading + ICON) + inset, width(heading) + margin)
}

/// Returns the left padding of a cell in points; `is_first` is for the first visible column.
pub(super) const fn inset(is_first: bool, is_left_aligned: bool) -> f32 {
    match (is_first, is_left_aligned) {
        (true, _) => size::GAP_FIELD,
        (_, true) => size::GAP_SMALL,
        (_, false) => 0.0,
    }
}

/// Whether a column has the marks of causes before its texts.
pub(super) fn is_marked(key: &str) -> bool {
    matches!(key, "name" | "cause")
}

/// Whether a cell of the table's column at position `column` may have an icon. The first column of
/// the grid may always have one, because it shows the icons of whole rows.
fn has_icon(table: &Table, column: usize, is_first: bool) -> bool {
    let Some(it) = table.columns.get(column) else { return false };
    it.is_key
        || is_first
        || matches!(it.key, "grade" | "applied" | "missed_count")
        || is_marked(it.key) && table.rows.iter().any(|row| row.cause.is_some())
        || it.is_left_aligned() && table.rows.iter().any(|row| !row.caution.is_empty())
}
