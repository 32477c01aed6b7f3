//! Imports a table of any program: the column that the user selects becomes the frame times.

use super::decode::read_rows;
use super::imported::{BadLines, Content, ImportError, Imported, Source};
use super::lines::{cells_between, filled, lines};
use super::sessions::Sessions;
use super::table::{Column, Table, TimeUnit};
use super::text::{frame_time, is_missing, name};
use crate::nanos::Nanos;

/// Imports a column as frame times. If `column` has no unit, the name of the column determines the unit.
pub(super) fn read(text: &[u8], table: &Table, column: &Column) -> Result<Imported, ImportError> {
    let place = table.position(&column.name).ok_or_else(|| ImportError::NoColumn {
        wanted: name(&column.name),
        there: table.columns.clone(),
    })?;
    let unit = column.unit.unwrap_or_else(|| table.unit_of(place));
    let (mut rows, mut bad_lines) = (Sessions::default(), BadLines::default());
    let lines = filled(lines(text)).skip(usize::from(table.has_names));
    read_rows(lines, &mut bad_lines, |line| {
        let cell = cells_between(line, table.separator).nth(place);
        rows.push(time(table, &cell.ok_or("a line without this column")?, unit)?, None);
        Ok(())
    })?;
    if !rows.has_times() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    let shown = table.columns.get(place).map_or("", String::as_str);
    let notes =
        vec![format!("The column \"{shown}\" was read as frame times in {}.", unit.symbol())];
    let capture = rows.into_capture("", false);
    Ok(Imported { bad_lines, notes, ..Imported::new(Source::Columns, Content::Capture(capture)) })
}

/// Parses a cell as a frame time; `Ok(None)` if the value is missing or 0.
fn time(table: &Table, cell: &str, unit: TimeUnit) -> Result<Option<Nanos>, &'static str> {
    if is_missing(cell) {
        return Ok(None);
    }
    match table.millis(cell, unit) {
        Some(millis) => frame_time(millis),
        None => Err("a frame time that is not a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::MISSING;

    fn imported(text: &str, name: &str, unit: Option<TimeUnit>) -> Imported {
        let table = Table::of(text.as_bytes()).unwrap();
        let column = Column { name: name.to_owned(), unit };
        read(text.as_bytes(), &table, &column).unwrap()
    }

    fn times(text: &str, name: &str, unit: Option<TimeUnit>) -> Vec<i64> {
        let imported = imported(text, name, unit);
        imported.capture().unwrap().recordings()[0].frame_times.values().collect()
    }

    #[test]
    fn column_is_found_by_name_or_number_in_its_unit() {
        let text = "frame,cost us,note\n1,16667,a\n2,,b\n3,33333,c\n";
        let expected = [16_667_000, MISSING, 33_333_000];
        assert_eq!(times(text, "Cost US", None), expected);
        assert_eq!(times(text, "2", Some(TimeUnit::Micros)), expected);
        let german = "Bild;Zeit ms\n1;16,5\n2;17\n";
        assert_eq!(times(german, "zeit ms", None), [16_500_000, 17_000_000]);
        assert_eq!(times("60\n50\n", "1", Some(TimeUnit::Fps)), [16_666_667, 20_000_000]);
        assert_eq!(times("t\tdt\n0\t0.5\n", "dt", Some(TimeUnit::Secs)), [500_000_000]);
        let long = "Time of the frame on the graphics card in ms";
        assert_eq!(times(&format!("no,{long}\n1,20\n"), long, None), [20_000_000]);
    }

    #[test]
    fn unknown_column_is_refused_with_those_there_are() {
        let table = Table::of(b"a,b\n1,2\n").unwrap();
        let column = Column { name: "c".to_owned(), unit: None };
        let error = read(b"a,b\n1,2\n", &table, &column).unwrap_err();
        assert_eq!(error.to_string(), "no column 'c'; there are: a, b");
    }

    #[test]
    fn bad_cells_are_counted() {
        let imported = imported("dt\n16\nx\n-1\n1e300\n17\n", "dt", None);
        let lines: Vec<u64> = imported.bad_lines.first.iter().map(|(line, _)| *line).collect();
        assert_eq!((imported.capture().unwrap().count(), lines), (2, vec![3, 4, 5]));
    }
}
