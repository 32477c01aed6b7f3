//! The columns that the configurations table has in every test, and the reasons for empty cells.

use std::borrow::Cow;

use super::super::configuration::Configuration;
use super::super::disturbance::Disturbance;
use super::super::grading::{Grading, Standing, conclude};
use super::{Cell, Column, Table, TableBuilder};
use crate::plan::{Load, LoadCount};

/// The reason for an empty cell if the system does not report the figure.
pub(in crate::report) const NOT_REPORTED: &str = "not reported by this system";

/// The position of a configuration in the report, and the configuration.
pub(in crate::report) type Positioned<'a> = (usize, &'a Configuration);

/// Builds the configurations table: the label, the columns that `own` adds for the test, and the shared columns.
pub(in crate::report) fn configurations<'a>(
    note: String,
    rows: &'a [Positioned<'a>],
    own: impl FnOnce(TableBuilder<'a, Positioned<'a>>) -> TableBuilder<'a, Positioned<'a>>,
) -> Table {
    let label = Column::text("configuration", "Configuration", "Name of the configuration.");
    let table = TableBuilder::new("configurations", "Configurations", note, rows)
        .group("Configuration")
        .column(label, |(_, row)| Cell::text_of(&row.label));
    shared(own(table))
        .each_row(|(position, row), line| {
            line.configuration = Some(*position);
            line.caution = caution_of(row);
        })
        .finish()
}

/// Adds the columns that all tests share: counts, load, what was requested and applied, and other programs.
fn shared<'a>(table: TableBuilder<'a, Positioned<'a>>) -> TableBuilder<'a, Positioned<'a>> {
    table
        .group("Samples and conditions")
        .pivot(None)
        .column(
            Column::count("samples_count", "Samples", "Number of measured samples.").optional(),
            |(_, row)| row.summary.as_ref().map_or(Cell::Count(0), |it| it.lateness.count.into()),
        )
        .column(
            Column::count("trials_count", "Trials", "Trials of this configuration: rounds or blocks.")
                .optional(),
            |(_, row)| row.trials.len().into(),
        )
        .column(
            Column::count(
                "lost_count",
                "Lost",
                "Samples that were measured but lost: the program could not collect them in time, or the run reached its size limit.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| row.lost_count.into(),
        )
        .column(
            Column::text("complete", "Complete", "Whether the configuration was measured to its end.")
                .optional(),
            |(_, row)| yes_or_no(row.is_complete),
        )
        .column(
            Column::text("load", "Load", "Load threads that ran at the same time.").optional(),
            |(_, row)| Cell::Text(load_label(&row.load)),
        )
        .column(
            Column::share(
                "load_cpu_share",
                "Load CPU",
                "CPU time of the load threads as a share of the time they ran, per thread.",
            )
            .optional(),
            |(_, row)| match row.usage.load_share {
                Some(share) => Cell::Share(share),
                None if row.load.is_none() => Cell::Absent("no load threads".into()),
                None => Cell::Absent("not recorded".into()),
            },
        )
        .column(
            Column::text("requested", "Requested conditions", "Priority and pinning that were requested.")
                .optional(),
            |(_, row)| Cell::Text(row.conditions.to_string()),
        )
        .column(
            Column::text(
                "applied",
                "Applied",
                "Priority and CPUs that the system reported after the request.",
            ),
            |(_, row)| match row.granted {
                Some(_) => Cell::Text(row.applied_text()),
                None => absent(row),
            },
        )
        .column(
            Column::text(
                "as_requested",
                "As requested",
                "Whether everything that was requested was applied until the end.",
            )
            .optional(),
            |(_, row)| match row.granted {
                Some(_) => yes_or_no(row.is_as_requested()),
                None => absent(row),
            },
        )
        .column(
            Column::text("denied", "Denied", "Requests that the system denied, with its reasons.")
                .optional(),
            |(_, row)| match &row.granted {
                Some(granted) if granted.refusals.is_empty() => Cell::Absent("nothing was denied".into()),
                Some(granted) => {
                    let all: Vec<String> =
                        granted.refusals.iter().map(ToString::to_string).collect();
                    Cell::Text(all.join("; "))
                }
                None => absent(row),
            },
        )
        .column(
            Column::share(
                "other_cpu_share",
                "Other programs",
                "CPU time of other programs as a share of one CPU, the highest of all trials.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| match row.foreign_share {
                Some(share) => Cell::Share(share),
                None => Cell::Absent("not reported by this system or measured too briefly".into()),
            },
        )
}

/// Returns the grade of a configuration, or why it has none. `samples` is what the samples are called, and `reason` is
/// why the configuration has no grade if nothing more specific is known.
pub(in crate::report) fn grade_cell(
    row: &Configuration,
    samples: &str,
    reason: &'static str,
) -> Cell {
    if !row.is_graded {
        return Cell::Absent("stated without a grade".into());
    }
    if row.granted.is_some() && row.grading.is_none() && !row.is_as_requested() {
        return Cell::Absent("not as requested, so not graded".into());
    }
    part_cell(row.part(), samples).unwrap_or(Cell::Absent(reason.into()))
}

/// Returns the grade of a part of a verdict, or why it has none; `None` without a part, which means not graded.
pub(in crate::report) fn part_cell(
    part: Option<(Grading, Option<Disturbance>)>,
    samples: &str,
) -> Option<Cell> {
    let (grading, _) = part?;
    Some(match conclude(part.into_iter()) {
        (Some(grade), _) => Cell::Grade(grade),
        (None, Standing::Inconclusive { measured, disturbance }) => Cell::Absent(
            format!("inconclusive: {disturbance}; measured anyway: {}", measured.words()).into(),
        ),
        (None, _) => {
            Cell::Absent(format!("not enough data: {}", grading.what_decides(samples)).into())
        }
    })
}

/// Adds the columns about the measuring thread: CPU time and context switches.
pub(in crate::report) fn usage_columns<'a>(
    table: TableBuilder<'a, Positioned<'a>>,
) -> TableBuilder<'a, Positioned<'a>> {
    let count = |row: &Configuration, count: Option<u64>| {
        or_absent(row, count.map(Cell::from), NOT_REPORTED)
    };
    table
        .group("CPU use")
        .column(
            Column::share(
                "cpu_share",
                "CPU",
                "CPU time of the measuring thread as a share of the measured time.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| or_absent(row, row.usage.cpu_share.map(Cell::Share), NOT_REPORTED),
        )
        .column(
            Column::count(
                "voluntary_switches_count",
                "Voluntary switches",
                "Context switches because the measuring thread waited.",
            )
            .optional(),
            move |(_, row)| count(row, row.usage.voluntary_switches),
        )
        .column(
            Column::count(
                "involuntary_switches_count",
                "Involuntary switches",
                "Context switches because the measuring thread was preempted.",
            )
            .lower_is_better()
            .optional(),
            move |(_, row)| count(row, row.usage.involuntary_switches),
        )
}

fn yes_or_no(is_so: bool) -> Cell {
    Cell::text_of(if is_so { "yes" } else { "no" })
}

/// Names the load of a configuration: `Idle`, `4 load threads`.
pub(in crate::report) fn load_label(load: &Load) -> String {
    match load.count {
        LoadCount::Threads(0) => "Idle".to_owned(),
        LoadCount::Threads(1) => "1 load thread".to_owned(),
        LoadCount::Threads(threads) => format!("{threads} load threads"),
        LoadCount::PerLogicalCpu => "1 load thread per CPU".to_owned(),
        LoadCount::PerPhysicalCore => "1 load thread per core".to_owned(),
        LoadCount::HalfOfCpus => "1 load thread per 2 CPUs".to_owned(),
    }
}

/// Returns an empty cell with the reason why the configuration has no samples.
pub(in crate::report) fn absent(row: &Configuration) -> Cell {
    Cell::Absent(match &row.skipped {
        Some(reason) => Cow::Owned(format!("skipped: {reason}")),
        None => Cow::Borrowed("no samples were measured"),
    })
}

/// Returns the value. Without a value, returns an empty cell that shows why: there are no samples, or else `reason`.
pub(in crate::report) fn or_absent(
    row: &Configuration,
    value: Option<Cell>,
    reason: impl Into<Cow<'static, str>>,
) -> Cell {
    match value {
        Some(cell) => cell,
        None if row.summary.is_none() => absent(row),
        None => Cell::Absent(reason.into()),
    }
}

/// Returns the reason to read the figures of a configuration with care; empty if there is none.
fn caution_of(row: &Configuration) -> String {
    if let Some(reason) = &row.skipped {
        return format!("skipped: {reason}");
    }
    match &row.granted {
        Some(_) if !row.is_as_requested() => {
            format!("not as requested: ran at {}", row.applied_text())
        }
        _ => row.disturbance.map_or_else(String::new, |disturbance| disturbance.to_string()),
    }
}
