//! Aligns rows of cells for a terminal.

use std::fmt::Write as _;

use jitterscope_engine::units::MAX_PADDING;

/// Appends rows of aligned cells, with a line below the first row. The first and the last column
/// are left-aligned, the others right-aligned.
pub(super) fn columns(text: &mut String, rows: &[Vec<String>]) {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let lengths =
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        lengths.max().unwrap_or(0).min(MAX_PADDING)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for ((cell, &width), column) in row.iter().zip(&widths).zip(0..) {
            let gap = if column == 0 { "" } else { "  " };
            // Writing to a string cannot fail.
            let _ok = if column == 0 || column + 1 == count {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
        if number == 0 {
            let rule: usize = widths.iter().sum::<usize>() + (count.saturating_sub(1)) * 2;
            text.push_str(&"-".repeat(rule));
            text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut text = String::new();
        let rows = [["Name", "p99", "granted"], ["Normal", "3300.0", "nice 0"]];
        columns(&mut text, &rows.map(|row| row.map(str::to_owned).to_vec()));
        assert_eq!(
            text,
            "Name       p99  granted\n-----------------------\nNormal  3300.0  nice 0\n"
        );
    }
}
