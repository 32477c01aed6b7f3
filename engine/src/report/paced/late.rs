//! Tables of late frames: the number of late frames per cause, and the frames with the highest lateness.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::account::{LateSample, late_samples};
use super::super::model::cause::Cause;
use super::super::model::table::{Cell, Column, Table, TableBuilder};
use super::super::{Configuration, Report};
use crate::nanos::Nanos;
use crate::run::{Run, TrialRun};
use crate::stats::float;
use crate::units::format_time;

/// Maximum number of frames in the table of the worst frames.
const WORST: usize = 10;

/// A row of the table of the worst frames: a frame, with its configuration and trial.
struct LateFrame<'a> {
    position: usize,
    row: &'a Configuration,
    /// Number of the trial within its configuration, starting at 1.
    round: usize,
    late: LateSample,
}

/// A row of the table of causes: the late frames of one configuration that have the same cause.
struct OfCause<'a> {
    position: usize,
    row: &'a Configuration,
    cause: Cause,
    count: usize,
    /// Number of late frames of the configuration, whatever their cause.
    all: usize,
    max: Nanos,
}

/// Returns two tables: the causes of late frames by configuration, and the ten frames with the highest lateness, in
/// descending order.
pub(super) fn tables(run: &Run, report: &Report) -> [Table; 2] {
    let mut worst: Vec<LateFrame<'_>> = Vec::new();
    let mut causes: Vec<OfCause<'_>> = Vec::new();
    for (position, row) in report.rows.iter().enumerate() {
        let mut found: BTreeMap<Cause, (usize, Nanos)> = BTreeMap::new();
        let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
        for (trial, round) in trials.zip(1..) {
            let late = late_samples(trial, row.late_limit.min(below_worst(trial)));
            for one in late.iter().filter(|one| row.late_limit < one.sample.late()) {
                let (count, max) = found.entry(one.cause).or_insert((0, Nanos::ZERO));
                *count += 1;
                *max = one.sample.late().max(*max);
            }
            let late = late.into_iter().take(WORST);
            worst.extend(late.map(|late| LateFrame { position, row, round, late }));
        }
        let all = found.values().map(|(count, _)| count).sum();
        causes.extend(found.into_iter().map(|(cause, (count, max))| OfCause {
            position,
            row,
            cause,
            count,
            all,
            max,
        }));
    }
    worst.sort_by_key(|frame| Reverse(frame.late.sample.late()));
    worst.truncate(WORST);
    let threshold = report.rows.first().map_or(Nanos::ZERO, |row| row.late_limit);
    let note = format!("frames that started more than {} late", format_time(threshold));
    [causes_table(note, &causes), worst_table(&worst)]
}

/// Returns a lateness, at least 0, that the `WORST` frames of a trial with the highest lateness exceed, and
/// hardly any other frame.
fn below_worst(trial: &TrialRun) -> Nanos {
    let mut values = trial.values();
    let Some(position) = values.len().checked_sub(WORST) else { return Nanos::ZERO };
    let (_, tenth, _) = values.select_nth_unstable(position);
    Nanos::new(tenth.saturating_sub(1)).max(Nanos::ZERO)
}

fn causes_table(note: String, causes: &[OfCause<'_>]) -> Table {
    let label = Column::text("configuration", "Configuration", "Name of the configuration.");
    TableBuilder::new("causes", "Causes", note, causes)
        .column(label, |one| Cell::text_of(&one.row.label))
        .column(Column::text("cause", "Cause", "The largest part of the lateness."), |one| {
            Cell::text_of(one.cause.label())
        })
        .column(
            Column::count("late_count", "Late frames", "Number of late frames of this cause.")
                .lower_is_better()
                .key_figure(),
            |one| one.count.into(),
        )
        .column(
            Column::share(
                "of_late_share",
                "Of late frames",
                "The same as a share of the late frames of the configuration.",
            ),
            |one| Cell::Share(float(one.count) / float(one.all.max(1))),
        )
        .column(
            Column::time("max_nanos", "Max", "Highest lateness of these frames.").lower_is_better(),
            |one| one.max.into(),
        )
        .column(Column::text("advice", "Advice", "What is likely to help.").optional(), |one| {
            match one.cause.row().advice {
                "" => Cell::Absent("the cause is not known".into()),
                advice => Cell::text_of(advice),
            }
        })
        .each_row(|one, row| row.configuration = Some(one.position))
        .finish()
}

fn worst_table(worst: &[LateFrame<'_>]) -> Table {
    let note = "the highest lateness of all configurations".to_owned();
    let label = Column::text("configuration", "Configuration", "Name of the configuration.");
    TableBuilder::new("worst_frames", "Worst frames", note, worst)
        .column(label, |one| Cell::text_of(&one.row.label))
        .column(
            Column::count("round_count", "Round", "Number of the trial within its configuration."),
            |one| one.round.into(),
        )
        .column(
            Column::count(
                "frame_count",
                "Frame",
                "Number of the frame in its trial, starting at 1.",
            ),
            |one| (one.late.index + 1).into(),
        )
        .column(
            Column::time(
                "due_nanos",
                "Scheduled",
                "Scheduled start, since the start of the trial.",
            ),
            |one| one.late.sample.due.into(),
        )
        .column(
            Column::time("late_nanos", "Lateness", "Actual minus scheduled start.")
                .lower_is_better()
                .key_figure(),
            |one| one.late.sample.late().into(),
        )
        .column(
            Column::time("work_nanos", "Execution", "Time from the start to the end of the work.")
                .lower_is_better()
                .optional(),
            |one| {
                let woke = one.late.sample.woke;
                let started = one.late.evidence.and_then(|it| it.work_started).unwrap_or(woke);
                (one.late.sample.done - started).into()
            },
        )
        .column(Column::text("cause", "Cause", "The largest part of the lateness."), |one| {
            Cell::text_of(one.late.cause.label())
        })
        .column(
            Column::share(
                "explained_share",
                "Explained",
                "How much of the lateness the cause explains.",
            )
            .optional(),
            |one| {
                let share = one.late.explained().map(Cell::Share);
                share.unwrap_or(Cell::Absent("the cause has no length".into()))
            },
        )
        .column(
            Column::text("cpu", "CPU", "CPU that the thread ran on after the wait.").optional(),
            |one| {
                let cpu = one.late.sample.cpu.map(|cpu| Cell::text_of(cpu.to_string()));
                cpu.unwrap_or(Cell::Absent("not reported by this system".into()))
            },
        )
        .each_row(|one, row| row.configuration = Some(one.position))
        .finish()
}
