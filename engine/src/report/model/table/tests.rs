//! Tests of the invariants of every table, and of how cells are formatted and written to files.

use super::*;
use crate::nanos::Nanos;
use crate::stats::Grade;

/// Checks the invariants of every table: full rows, unique keys that end in their unit, cells that have the
/// quantity of their column, and definitions that are sentences.
#[track_caller]
pub(in crate::report) fn check(table: &Table) {
    for row in &table.rows {
        assert_eq!(row.cells.len(), table.columns.len(), "{}", table.key);
    }
    for (position, column) in table.columns.iter().enumerate() {
        let key = column.key;
        assert_eq!(table.position(key), Some(position), "{key} is not unique");
        assert!(column.definition.ends_with('.'), "{key}: {}", column.definition);
        assert!(!column.title.is_empty(), "{key}");
        let has_unit = match column.quantity {
            Quantity::Time => key.ends_with("_nanos"),
            Quantity::Count => key.ends_with("_count"),
            Quantity::Share => key.ends_with("_share"),
            Quantity::Rate => key.ends_with("_fps") || key.ends_with("_per_second"),
            Quantity::Text | Quantity::Grade | Quantity::Number | Quantity::Mixed => true,
        };
        assert!(has_unit, "{key} does not end in its unit");
        assert!(
            column.pivot.is_none_or(|by| table.position(by).is_some()),
            "{key}: the pivot is not a column"
        );
        for row in &table.rows {
            let cell = &row.cells[position];
            let fits = match cell {
                Cell::Absent(reason) => !reason.is_empty() && !reason.ends_with('.'),
                Cell::Interval(of, low, high) => {
                    column.is_interval
                        && low <= high
                        && (*of == column.quantity || column.quantity == Quantity::Mixed)
                }
                _ if column.quantity == Quantity::Mixed => true,
                Cell::Time(_) => column.quantity == Quantity::Time,
                Cell::Count(_) => column.quantity == Quantity::Count,
                Cell::Share(_) => column.quantity == Quantity::Share,
                Cell::Rate(_) => column.quantity == Quantity::Rate,
                Cell::Number(_) => column.quantity == Quantity::Number,
                Cell::Text(_) => column.quantity == Quantity::Text,
                Cell::Grade(_) => column.quantity == Quantity::Grade,
            };
            assert!(fits, "{key}: {cell:?}");
        }
        assert_eq!(table.exact_keys().len(), table.exact_values(&table.rows[0]).len());
    }
}

pub(super) fn sample() -> Table {
    let items = [(1_000_000, 3_u64), (12_345_600, 0), (0, 1_234)];
    TableBuilder::new("sample", "Sample", String::new(), &items)
        .column(Column::setting("requested_nanos", "Requested", "A setting."), |(nanos, _)| {
            Nanos::new(*nanos).into()
        })
        .column(Column::time("p99_nanos", "p99", "A time.").lower_is_better(), |(nanos, _)| {
            if *nanos == 0 {
                Cell::Absent("needs 100 samples".into())
            } else {
                Nanos::new(*nanos).into()
            }
        })
        .column(
            Column::time("p99_ci_nanos", "p99 95% CI", "An interval.").interval(),
            |(nanos, _)| (Nanos::new(nanos - 500), Nanos::new(nanos + 500)).into(),
        )
        .column(Column::count("late_count", "Late", "A count."), |(_, count)| (*count).into())
        .column(Column::rate("low_fps", "1% low", "FPS", "A rate."), |_| Cell::Rate(59.94))
        .column(Column::share("cpu_share", "CPU", "A share."), |_| Cell::Share(0.125))
        .column(Column::grade("A grade."), |_| Cell::grade(Some(Grade::Good.into()), "none"))
        .finish()
}

#[test]
fn a_column_has_one_unit_and_one_number_of_decimals() {
    let mut table = sample();
    check(&table);
    let headings: Vec<String> = table.columns.iter().map(Column::heading).collect();
    assert_eq!(
        headings,
        ["Requested", "p99 (ms)", "p99 95% CI (ms)", "Late", "1% low (FPS)", "CPU", "Grade"]
    );
    let texts = |table: &Table, row: usize| table.texts(&table.rows[row]);
    assert_eq!(
        texts(&table, 1),
        ["12.35\u{202f}ms", "12.35", "12.35 to 12.35", "0", "59.9", "12.5%", "Good"]
    );
    assert_eq!(texts(&table, 0)[1], "1.00");
    assert_eq!(texts(&table, 2)[..2], ["0\u{202f}ns", "–"]);
    assert_eq!(table.cell(2, "p99_nanos").unwrap().reason(), Some("needs 100 samples"));
    table.set_unit(Unit::Micros);
    assert_eq!(table.columns[1].heading(), "p99 (µs)");
    assert_eq!(texts(&table, 1)[1], "12\u{202f}346");
}

#[test]
fn exact_values_are_plain_and_intervals_are_two() {
    let table = sample();
    assert_eq!(
        table.exact_keys(),
        [
            "requested_nanos",
            "p99_nanos",
            "p99_ci_low_nanos",
            "p99_ci_high_nanos",
            "late_count",
            "low_fps",
            "cpu_share",
            "grade",
            "grade_best"
        ]
    );
    let written = |row: usize| -> Vec<String> {
        table.exact_values(&table.rows[row]).iter().map(ToString::to_string).collect()
    };
    let expected =
        ["1000000", "1000000", "999500", "1000500", "3", "59.94", "0.125", "Good", "Good"];
    assert_eq!(written(0), expected);
    assert_eq!(written(2)[..4], ["0", "", "-500", "500"]);
    assert_eq!(Cell::Number(f64::NAN).exact(false), [Exact::Absent]);
    assert_eq!(Cell::Time(1.5).exact(false), [Exact::Fraction(1.5)]);
    let absent = Cell::Absent("why".into());
    assert_eq!(absent.exact(true), [Exact::Absent, Exact::Absent]);
}

#[test]
fn cells_sort_by_value_and_absent_ones_last() {
    let mut cells = [
        Cell::Absent("why".into()),
        Cell::Time(5.0),
        Cell::Interval(Quantity::Time, 0.0, 6.0),
        Cell::Count(4),
    ];
    cells.sort_by(Cell::compare);
    let values: Vec<Option<f64>> = cells.iter().map(Cell::value).collect();
    assert_eq!(values, [Some(3.0), Some(4.0), Some(5.0), None]);
    let words = [Cell::text_of("b"), Cell::text_of("a")];
    assert_eq!(words[0].compare(&words[1]), std::cmp::Ordering::Greater);
}

#[test]
fn changes_have_a_sign() {
    let column = Column::share("change_share", "Change", "A change.").signed();
    let of = |share: f64| Cell::Share(share).text(&column.format);
    assert_eq!(
        [-0.992, 0.059, 47.7, 0.0].map(of),
        ["\u{2212}99.2%", "+5.9%", "+4\u{202f}770%", "0.0%"]
    );
}
