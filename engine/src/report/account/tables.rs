//! Late samples, and the parts of the lateness of one of them, as tables.

use super::{Account, Culprit, LateSample, SHOWN_REMAINDER, Segment};
use crate::nanos::Nanos;
use crate::report::model::table::{Cell, Column, Table, TableBuilder};
use crate::units::MISSING;

impl LateSample {
    /// Returns a table with one row per sample of a trial.
    pub fn table(late: &[&Self]) -> Table {
        TableBuilder::new("late_frames", "Late frames", String::new(), late)
            .column(
                Column::count(
                    "frame_count",
                    "Frame",
                    "Number of the frame in its trial, starting at 1.",
                ),
                |one| (one.index + 1).into(),
            )
            .column(
                Column::number(
                    "at_seconds",
                    "Time",
                    "s",
                    2,
                    "Time of its start, since the start of the trial.",
                ),
                |one| Cell::Number(one.sample.woke.as_secs()),
            )
            .column(
                Column::time("late_nanos", "Lateness", "Actual minus scheduled start.")
                    .key_figure(),
                |one| one.sample.late().into(),
            )
            .column(
                Column::text(
                    "cause",
                    "Cause",
                    "The largest part of the lateness, by name if it is known.",
                ),
                |one| {
                    let culprit = one.account.largest().and_then(|largest| largest.1);
                    let name = culprit.map(|culprit| culprit.name.clone()).or_else(|| one.origin());
                    Cell::Text(name.unwrap_or_else(|| one.cause.row().names[1].to_owned()))
                },
            )
            .column(
                Column::text("cpu", "CPU", "CPU that the thread ran on before and after the wait."),
                |one| {
                    let cpus = one.evidence.map(|found| (found.cpu_before, found.cpu_after));
                    Cell::Text(match cpus {
                        Some((Some(before), Some(after))) if before != after => {
                            format!("{before} → {after}")
                        }
                        Some((_, Some(after))) => after.to_string(),
                        _ => MISSING.to_owned(),
                    })
                },
            )
            .each_row(|one, row| row.cause = Some(one.cause))
            .finish()
    }
}

impl Account {
    /// Returns whether the segments explain the whole lateness.
    pub fn sum(&self) -> String {
        if self.remainder <= SHOWN_REMAINDER {
            return format!("Total {:.1} µs, which is the lateness", self.total().as_micros());
        }
        format!("Unexplained: {:.1} µs", self.remainder.as_micros())
    }

    /// Returns a table with one row per segment.
    pub fn table(&self) -> Table {
        let micros = |time: Nanos| Cell::Number(time.as_micros());
        let number = |key, title, definition| Column::number(key, title, "µs", 1, definition);
        let start = number("start_micros", "Start", "Time since the scheduled start.");
        let cpu = |segment: &Segment| segment.cpu.map_or(MISSING.to_owned(), |cpu| cpu.to_string());
        TableBuilder::new("account", "Account", String::new(), &self.segments)
            .column(start, |segment| {
                segment.start.map_or(Cell::Absent("not recorded".into()), micros)
            })
            .column(
                number("length_micros", "Length", "Length of the segment.").key_figure(),
                |it| micros(it.length),
            )
            .column(Column::text("name", "Who", "What the time was spent on."), |segment| {
                Cell::Text(segment.title())
            })
            .column(
                Column::text("priority", "Priority", "Policy and priority of the thread."),
                |it| Cell::Text(it.culprit.as_deref().map_or_else(String::new, Culprit::policy)),
            )
            .column(Column::text("cpu", "CPU", "The CPU."), |it| Cell::Text(cpu(it)))
            .each_row(|segment, row| row.cause = Some(segment.cause))
            .finish()
    }
}
