//! The grid of a result table: the rows and columns as they are shown. The grid has the rows of the
//! table, or is wide: the values of one column, the pivot column, become groups of columns.

use std::collections::BTreeMap;

use jitterscope_engine::report::Table;
use jitterscope_engine::report::table::{Better, Cell, TableRow};

use super::layout::TableLayout;

/// A column of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GridColumn {
    /// Position of the column in the table.
    pub(super) column: usize,
    /// The position of the group to which the column belongs; `None` if the column applies to all
    /// groups.
    pub(super) group: Option<usize>,
    /// The key of the column, with the name of the group if there is one. It is unique in the grid.
    pub(super) name: String,
}

/// The rows and columns of a table as they are shown, by their positions in the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grid {
    /// The columns from left to right.
    pub(super) columns: Vec<GridColumn>,
    /// The values of the pivot column, which name the groups; empty if the grid is not wide.
    pub(super) groups: Vec<String>,
    /// For each grid row, the positions of the table rows that it shows: a single one, or one per
    /// group in a wide grid. `None` for a group that was not measured.
    pub(super) rows: Vec<Vec<Option<usize>>>,
}

impl Grid {
    /// Lays out a table. The grid is wide if the table has a pivot column and the columns `rows` of
    /// the layout identify a row of each group.
    pub(super) fn of(table: &Table, layout: &TableLayout) -> Self {
        wide(table, layout).unwrap_or_else(|| long(table, layout))
    }

    /// Returns the position of the table row whose value a cell of the grid shows; `None` if the
    /// cell was not measured.
    pub(super) fn source(&self, row: usize, column: &GridColumn) -> Option<usize> {
        let sources = self.rows.get(row)?;
        match column.group {
            Some(group) => sources.get(group).copied().flatten(),
            None => sources.iter().copied().flatten().next(),
        }
    }

    /// Returns the positions of the grid rows in the order to show them. `sort` is the name of a
    /// column and whether its highest value comes first; rows with an empty cell there come last.
    pub(super) fn order(&self, table: &Table, sort: Option<&(String, bool)>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let Some((name, is_descending)) = sort else { return order };
        let Some(column) = self.columns.iter().find(|column| column.name == *name) else {
            return order;
        };
        let cell = |row: usize| {
            let source = self.source(row, column)?;
            cell_of(table, source, column.column).filter(|cell| cell.reason().is_none())
        };
        order.sort_by(|&one, &two| match (cell(one), cell(two)) {
            (Some(one), Some(two)) if *is_descending => two.compare(one),
            (Some(one), Some(two)) => one.compare(two),
            (one, two) => one.is_none().cmp(&two.is_none()),
        });
        order
    }

    /// Returns the heading of a column with its group: `Idle: Mean overshoot (µs)`.
    pub(super) fn heading(&self, table: &Table, column: &GridColumn) -> String {
        let heading = table
            .columns
            .get(column.column)
            .map_or_else(String::new, jitterscope_engine::report::table::Column::heading);
        match column.group.and_then(|group| self.groups.get(group)) {
            Some(group) if !group.is_empty() => format!("{group}: {heading}"),
            _ => heading,
        }
    }

    /// Returns the label of a grid row: the text of its first cell, or in a wide grid, the texts of
    /// the cells that identify the row.
    pub(super) fn row_label(&self, table: &Table, layout: &TableLayout, row: usize) -> String {
        let Some(source) = self.rows.get(row).and_then(|row| row.iter().copied().flatten().next())
        else {
            return String::new();
        };
        let text = |column: usize| {
            let cell = cell_of(table, source, column)?;
            Some(cell.text(&table.columns.get(column)?.format))
        };
        if self.groups.is_empty() {
            return text(0).unwrap_or_default();
        }
        let keys = layout.rows.iter().filter_map(|key| table.position(key));
        keys.filter_map(text).collect::<Vec<_>>().join(", ")
    }
}

/// Returns a cell of a table.
pub(super) fn cell_of(table: &Table, row: usize, column: usize) -> Option<&Cell> {
    table.rows.get(row)?.cells.get(column)
}

/// Returns the positions of all columns: first the leading columns of the layout, then the others
/// in the order of the table.
fn columns_in_order(table: &Table, layout: &TableLayout) -> Vec<usize> {
    let mut order: Vec<usize> =
        layout.leading.iter().filter_map(|key| table.position(key)).collect();
    order.extend((0..table.columns.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
    order
}

fn long(table: &Table, layout: &TableLayout) -> Grid {
    let columns = columns_in_order(table, layout)
        .into_iter()
        .filter_map(|column| {
            let name = table.columns.get(column)?.key.to_owned();
            Some(GridColumn { column, group: None, name })
        })
        .collect();
    let rows = (0..table.rows.len()).map(|row| vec![Some(row)]).collect();
    Grid { columns, groups: Vec::new(), rows }
}

/// Lays out a table as a wide grid. `None` if the table has no rows or no pivot column, if the
/// layout names no columns that identify a row, or if two rows of one group are equal in all
/// columns that should identify a row.
fn wide(table: &Table, layout: &TableLayout) -> Option<Grid> {
    if layout.rows.is_empty() || table.rows.is_empty() {
        return None;
    }
    let pivot = table.columns.iter().find_map(|column| column.pivot)?;
    let pivot = table.position(pivot)?;
    let keys: Vec<usize> = layout.rows.iter().filter_map(|key| table.position(key)).collect();
    let mut groups: Vec<String> = Vec::new();
    let mut rows: Vec<(Vec<&Cell>, Vec<Option<usize>>)> = Vec::new();
    for (position, row) in table.rows.iter().enumerate() {
        let value = row.cells.get(pivot)?.text(&table.columns.get(pivot)?.format);
        let group = groups.iter().position(|group| *group == value).unwrap_or_else(|| {
            groups.push(value);
            groups.len() - 1
        });
        let key: Vec<&Cell> = keys.iter().filter_map(|&at| row.cells.get(at)).collect();
        let at = rows.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            rows.push((key, Vec::new()));
            rows.len() - 1
        });
        let sources = &mut rows.get_mut(at)?.1;
        if sources.len() <= group {
            sources.resize(group + 1, None);
        }
        let place = sources.get_mut(group)?;
        if place.replace(position).is_some() {
            return None;
        }
    }
    let rows: Vec<Vec<Option<usize>>> = rows.into_iter().map(|(_, sources)| sources).collect();
    let (mut shared, mut grouped) = (Vec::new(), Vec::new());
    for column in columns_in_order(table, layout).into_iter().filter(|column| *column != pivot) {
        let it = table.columns.get(column)?;
        let is_shared = it.pivot.is_none()
            && rows.iter().all(|sources| {
                let mut cells = sources.iter().flatten().map(|&row| cell_of(table, row, column));
                let first = cells.next();
                cells.all(|cell| Some(cell) == first)
            });
        if is_shared { shared.push(column) } else { grouped.push(column) }
    }
    let name = |column: usize| table.columns.get(column).map_or("", |it| it.key);
    let mut columns: Vec<GridColumn> = shared
        .into_iter()
        .map(|column| GridColumn { column, group: None, name: name(column).to_owned() })
        .collect();
    for (value, group) in groups.iter().zip(0..) {
        columns.extend(grouped.iter().map(|&column| GridColumn {
            column,
            group: Some(group),
            name: format!("{}, {value}", name(column)),
        }));
    }
    Some(Grid { columns, groups, rows })
}

/// How a cell compares with the other rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mark {
    /// Neither best nor worst, or not compared.
    #[default]
    None,
    /// The best value.
    Best,
    /// The worst value.
    Worst,
}

/// Returns the marks of the best and the worst cells as `marks[column][row]`, by positions in the
/// table. Rows are compared if they are equal in the columns `compared` of the layout and have no
/// caution, such as that a row did not run as requested.
pub(super) fn marks(table: &Table, layout: &TableLayout) -> Vec<Vec<Mark>> {
    let none = || vec![Mark::None; table.rows.len()];
    let Some(compared) = layout.compared else {
        return table.columns.iter().map(|_| none()).collect();
    };
    let among: Vec<usize> = compared.iter().filter_map(|key| table.position(key)).collect();
    // As text, which has an order: a table may have thousands of rows, each in a class of its own.
    let class = |row: &TableRow| -> Vec<String> {
        among.iter().filter_map(|&at| row.cells.get(at)).map(|cell| format!("{cell:?}")).collect()
    };
    let classes: Vec<Vec<String>> = table.rows.iter().map(class).collect();
    let mut all = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        let mut marks = none();
        let Some(better) = column.better else {
            all.push(marks);
            continue;
        };
        let value = |row: &TableRow| {
            let cell = row.cells.get(at).filter(|_| row.caution.is_empty())?;
            cell.value().filter(|value| value.is_finite())
        };
        let values: Vec<Option<f64>> = table.rows.iter().map(value).collect();
        let mut ends: BTreeMap<&[String], (f64, f64)> = BTreeMap::new();
        for (class, value) in classes.iter().zip(&values) {
            let Some(value) = *value else { continue };
            let ends = ends.entry(class).or_insert((value, value));
            *ends = (ends.0.min(value), ends.1.max(value));
        }
        let (at_min, at_max) = match better {
            Better::Lower => (Mark::Best, Mark::Worst),
            Better::Higher => (Mark::Worst, Mark::Best),
        };
        for ((mark, class), value) in marks.iter_mut().zip(&classes).zip(&values) {
            let Some((value, (min, max))) = value.zip(ends.get(class.as_slice()).copied()) else {
                continue;
            };
            *mark = match (value <= min, max <= value) {
                (true, false) => at_min,
                (false, true) => at_max,
                _ => Mark::None,
            };
        }
        all.push(marks);
    }
    all
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::table::Column;

    use super::*;

    /// Returns a table of spins of two lengths by two strategies, idle and under load. One row has
    /// no value, and three of the eight combinations have no row.
    fn table() -> Table {
        let column = Column::time("p99_nanos", "p99", "A time.").lower_is_better().key_figure();
        let columns = vec![
            Column::text("configuration", "Configuration", "A name."),
            Column::setting("requested_nanos", "Requested", "A setting."),
            Column::text("strategy", "Strategy", "A strategy."),
            Column::text("condition", "Condition", "A condition."),
            Column { pivot: Some("condition"), ..column },
            Column::text("applied", "Applied", "What ran."),
        ];
        let row = |requested: f64, strategy: &str, condition: &str, p99: Option<f64>| TableRow {
            cells: vec![
                Cell::text_of(format!("{requested} {strategy} {condition}")),
                Cell::Time(requested),
                Cell::text_of(strategy),
                Cell::text_of(condition),
                p99.map_or(Cell::Absent("needs 100 waits".into()), Cell::Time),
                Cell::text_of("nice 0"),
            ],
            ..TableRow::default()
        };
        let rows = vec![
            row(500.0, "None", "Idle", Some(40.0)),
            row(500.0, "Yield", "Idle", Some(90.0)),
            row(500.0, "None", "Load", Some(60.0)),
            row(500.0, "Yield", "Load", None),
            row(100.0, "None", "Idle", Some(7.0)),
        ];
        let mut table =
            Table { key: "configurations", title: "T", note: String::new(), columns, rows };
        table.set_unit(crate::text::Unit::Auto);
        table
    }

    const WIDE: TableLayout = TableLayout {
        leading: &["requested_nanos", "strategy", "p99_nanos"],
        varying: &[],
        rows: &["requested_nanos", "strategy"],
        compared: Some(&["requested_nanos", "condition"]),
    };

    fn texts(table: &Table, grid: &Grid, order: &[usize]) -> Vec<Vec<String>> {
        let text = |row: usize, column: &GridColumn| match grid.source(row, column) {
            Some(source) => {
                let format = &table.columns[column.column].format;
                cell_of(table, source, column.column).unwrap().text(format)
            }
            None => "not measured".to_owned(),
        };
        let row = |&row: &usize| grid.columns.iter().map(|column| text(row, column)).collect();
        order.iter().map(row).collect()
    }

    #[test]
    fn pivot_makes_one_group_of_columns_per_value() {
        let table = table();
        let grid = Grid::of(&table, &WIDE);
        let names: Vec<&str> = grid.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "requested_nanos",
                "strategy",
                "applied",
                "p99_nanos, Idle",
                "configuration, Idle",
                "p99_nanos, Load",
                "configuration, Load"
            ]
        );
        assert_eq!(grid.rows.len(), 3);
        assert_eq!(grid.row_label(&table, &WIDE, 1), "500\u{202f}ns, Yield");
        let shown = texts(&table, &grid, &grid.order(&table, None));
        assert_eq!(shown[1][3], "90");
        assert_eq!(shown[1][5], "–");
        assert_eq!(shown[2][5], "not measured");
        assert_eq!(grid.heading(&table, &grid.columns[3]), "Idle: p99 (ns)");
    }

    #[test]
    fn rows_that_are_not_identified_are_laid_out_one_by_one() {
        let mut table = table();
        let again = table.rows[0].clone();
        table.rows.push(again);
        let grid = Grid::of(&table, &WIDE);
        assert!(grid.groups.is_empty());
        assert_eq!(grid.rows.len(), 6);
        assert_eq!(grid.columns[0].name, "requested_nanos", "leading columns come first");
    }

    #[test]
    fn empty_cells_come_last_in_both_orders() {
        let table = table();
        let grid = Grid::of(&table, &TableLayout::of(&[]));
        let sorted = |is_descending| {
            let sort = ("p99_nanos".to_owned(), is_descending);
            grid.order(&table, Some(&sort))
        };
        assert_eq!(sorted(true), [1, 2, 0, 4, 3]);
        assert_eq!(sorted(false), [4, 0, 2, 1, 3]);
    }

    #[test]
    fn the_best_is_marked_among_rows_of_one_kind_that_ran_as_requested() {
        let mut table = table();
        let found = marks(&table, &WIDE);
        assert_eq!(found[4], [Mark::Best, Mark::Worst, Mark::None, Mark::None, Mark::None]);
        table.rows[1].caution = "not as requested".to_owned();
        assert_eq!(marks(&table, &WIDE)[4], [Mark::None; 5], "one row alone is not the best");
        assert_eq!(marks(&table, &TableLayout::of(&[]))[4], [Mark::None; 5]);
    }
}
