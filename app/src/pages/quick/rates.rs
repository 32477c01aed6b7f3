//! The frame rates that this PC can pace, as a table.

use jitterscope_engine::report::Table;
use jitterscope_engine::report::quick::Rate;
use jitterscope_engine::report::table::{Cell, Column, TableRow};

use crate::text;
use crate::widgets::TableLayout;

/// The table layout: all columns, and no comparison, because a lower frame rate is always easier.
pub(super) const LAYOUT: TableLayout = TableLayout::of(&[
    "rate_fps",
    "target_frame_time_nanos",
    "p99_nanos",
    "p99_of_frame_share",
    "missed_share",
    "grade",
]);

/// Returns the table of frame rates, one row per rate.
pub(super) fn table(rates: &[Rate]) -> Table {
    let columns = vec![
        Column::number("rate_fps", "FPS", "", 0, "Frames per second."),
        Column::setting(
            "target_frame_time_nanos",
            "Target frame time",
            "Time from the start of one frame to the start of the next at this frame rate.",
        ),
        Column::setting("p99_nanos", "p99 lateness", "99% of frames were at most this late."),
        Column::share(
            "p99_of_frame_share",
            "Share of frame time",
            "p99 lateness divided by the target frame time.",
        )
        .lower_is_better(),
        Column::share("missed_share", "Missed frames", "Share of frames that miss their deadline.")
            .lower_is_better(),
        Column::grade("Grade of the share of frame time, and of missed frames."),
    ];
    let rows = rates.iter().map(row).collect();
    Table {
        key: "rates",
        title: "Frame rates that this PC can pace under load",
        note: text::quick::RATE_SOURCE.to_owned(),
        columns,
        rows,
    }
}

fn row(rate: &Rate) -> TableRow {
    let count = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    let cells = vec![
        Cell::Number(rate.fps),
        rate.period.into(),
        rate.p99.into(),
        Cell::Share(rate.percent / 100.0),
        if rate.is_measured {
            Cell::Share(count(rate.missed) / count(rate.slots.max(1)))
        } else {
            Cell::Absent("estimated".into())
        },
        Cell::grade(rate.grade, "estimated, or not enough data for a grade"),
    ];
    TableRow { cells, ..TableRow::default() }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;

    use super::*;

    #[test]
    fn missed_frames_of_an_estimated_rate_are_absent() {
        let measured = Rate {
            fps: 60.0,
            period: Nanos::new(16_666_667),
            p99: Nanos::from_micros(500),
            percent: 3.0,
            missed: 6,
            slots: 600,
            grade: None,
            is_measured: true,
        };
        let rates = [measured, Rate { is_measured: false, ..measured }];
        let missed = table(&rates).rows.into_iter().map(|row| row.cells[4].clone());
        let expected = [Cell::Share(0.01), Cell::Absent("estimated".into())];
        assert_eq!(missed.collect::<Vec<_>>(), expected);
    }
}
