//! Result tables for a terminal: all columns, split into as many blocks as the terminal width
//! requires.

use jitterscope_engine::report::Table;
use jitterscope_engine::report::table::{Layout, TextColumn};
use jitterscope_engine::units::MAX_PADDING;

/// The line width in characters if the output is not a terminal.
const DEFAULT_WIDTH: usize = 120;
/// The number of spaces between two columns.
const GAP: usize = 2;

/// Returns the width of the terminal in characters.
pub(super) fn terminal_width() -> usize {
    terminal_size::terminal_size()
        .map_or(DEFAULT_WIDTH, |(terminal_size::Width(width), _)| usize::from(width))
}

fn width_of(column: &TextColumn<'_>) -> usize {
    let cells = column.cells.iter().map(|cell| cell.chars().count());
    cells.max().unwrap_or(0).max(column.heading.chars().count()).min(MAX_PADDING)
}

fn padded(column: &TextColumn<'_>, text: &str) -> String {
    let width = width_of(column);
    if column.column.is_left_aligned() {
        format!("{text:<width$}")
    } else {
        format!("{text:>width$}")
    }
}

/// Writes a table with one line per row for the columns that vary. Below it: columns with the same
/// value in every row, reasons for empty cells, and cautions.
pub(super) fn write(text: &mut String, table: &Table, width: usize) {
    let mut title = table.title.to_owned();
    if !table.note.is_empty() {
        title.push_str(": ");
        title.push_str(&table.note);
    }
    text.push_str(&title);
    text.push_str("\n\n");
    if table.rows.is_empty() {
        return;
    }
    let layout = Layout::of(table);
    blocks(text, &layout.varying, width);
    shared_values(text, &layout.shared, table.rows.len());
    reasons(text, table);
    cautions(text, table);
}

/// Writes the columns in blocks of at most `width` characters. Each block repeats the first column
/// at its left.
fn blocks(text: &mut String, columns: &[TextColumn<'_>], width: usize) {
    let Some((first, mut rest)) = columns.split_first() else { return };
    loop {
        let mut used = width_of(first);
        let fits = rest
            .iter()
            .take_while(|column| {
                used += GAP + width_of(column);
                used <= width
            })
            .count();
        let (block, later) = rest.split_at(fits.max(1).min(rest.len()));
        let line = |of: &dyn Fn(&TextColumn<'_>) -> String| {
            let cells: Vec<String> = std::iter::once(first).chain(block).map(of).collect();
            format!("{}\n", cells.join(&" ".repeat(GAP)).trim_end())
        };
        let heading = line(&|column| padded(column, &column.heading));
        text.push_str(&heading);
        text.push_str(&"-".repeat(heading.trim_end().chars().count()));
        text.push('\n');
        for row in 0..first.cells.len() {
            text.push_str(&line(&|column| {
                padded(column, column.cells.get(row).map_or("", String::as_str))
            }));
        }
        text.push('\n');
        rest = later;
        if rest.is_empty() {
            return;
        }
    }
}

/// Writes the columns that have the same cell in every row, one line per column.
fn shared_values(text: &mut String, columns: &[TextColumn<'_>], rows: usize) {
    if columns.is_empty() {
        return;
    }
    if rows != 1 {
        text.push_str("Same in every row\n");
    }
    let width = columns.iter().map(|column| column.heading.chars().count()).max().unwrap_or(0);
    for column in columns {
        let value = column.shared_text().unwrap_or_default();
        text.push_str(&format!("  {:<width$}  {value}\n", column.heading));
    }
    text.push('\n');
}

/// Writes the reasons for empty cells: each reason once, with its columns.
fn reasons(text: &mut String, table: &Table) {
    let lines: String = table.reason_lines().map(|line| line + "\n").collect();
    if !lines.is_empty() {
        text.push_str(&lines);
        text.push('\n');
    }
}

/// Writes one line per caution: the first cell of its row, then the caution.
fn cautions(text: &mut String, table: &Table) {
    let found = table.cautions();
    for (name, caution) in &found {
        text.push_str(&format!("{name}: {caution}\n"));
    }
    if !found.is_empty() {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::table::{Cell, Column, TableRow};

    use super::*;

    fn table(rows: &[[f64; 3]]) -> Table {
        let keys = ["one_nanos", "two_nanos", "three_nanos"];
        let mut columns = vec![Column::text("configuration", "Configuration", "A name.")];
        columns.extend(keys.map(|key| Column::setting(key, key, "A time.")));
        let row = |(values, number): (&[f64; 3], usize)| TableRow {
            cells: std::iter::once(Cell::Text(format!("row {number}")))
                .chain(values.iter().map(|&value| match value {
                    value if value < 0.0 => Cell::Absent("too few".into()),
                    value => Cell::Time(value),
                }))
                .collect(),
            configuration: Some(number),
            caution: if number == 1 { "denied".to_owned() } else { String::new() },
            is_key: false,
            is_private: false,
            cause: None,
        };
        Table {
            key: "configurations",
            title: "Configurations",
            note: "a note".to_owned(),
            columns,
            rows: rows.iter().zip(0..).map(row).collect(),
        }
    }

    fn written(rows: &[[f64; 3]], width: usize) -> String {
        let mut text = String::new();
        write(&mut text, &table(rows), width);
        text.replace('\u{202f}', " ")
    }

    #[test]
    fn columns_wrap_by_blocks_and_equal_cells_are_written_once() {
        assert_eq!(
            written(&[[1.0, 5.0, 3.0], [20.0, 5.0, -1.0]], 26),
            "Configurations: a note\n\n\
             Configuration  one_nanos\n\
             ------------------------\n\
             row 0               1 ns\n\
             row 1              20 ns\n\n\
             Configuration  three_nanos\n\
             --------------------------\n\
             row 0                 3 ns\n\
             row 1                    –\n\n\
             Same in every row\n  \
             two_nanos  5 ns\n\n\
             No value for three_nanos: too few\n\n\
             row 1: denied\n\n"
        );
        let wide = written(&[[1.0, 5.0, 3.0], [20.0, 6.0, 4.0]], 200);
        assert_eq!(wide.matches("row 0").count(), 1, "{wide}");
    }

    #[test]
    fn a_single_row_is_a_list_of_its_cells() {
        let text = written(&[[1.0, 5.0, 3.0]], 40);
        for line in ["  Configuration  row 0", "  one_nanos      1 ns", "  three_nanos    3 ns"] {
            assert!(text.lines().any(|one| one == line), "{text}");
        }
    }
}
