//! Table columns of paced configurations: lateness, frame times, missed frames, and CPU use.

use std::borrow::Cow;
use std::convert::identity;

use super::super::Configuration;
use super::super::model::grading::round_up;
use super::super::model::table::{
    Cell, Column, Positioned, SpreadOf, TableBuilder, absent, average_frame_rate, grade_cell,
    or_absent, usage_columns,
};
use super::{PacedFigures, is_rebased};
use crate::nanos::Nanos;
use crate::plan::CpuChoice;
use crate::stats::binomial::fewest_for;
use crate::stats::{LowDefinition, Lows, Quantile, Statistic, Summary, float, grade};
use crate::units::{format_count, format_decimal, format_time};

type PacedTable<'a> = TableBuilder<'a, Positioned<'a>>;

/// Adds all columns of paced configurations.
pub(super) fn own<'a>(table: PacedTable<'a>, rows: &[Configuration]) -> PacedTable<'a> {
    let threshold = rows.first().map_or(Nanos::ZERO, |row| row.late_limit);
    let table = lateness(conditions(table));
    let table = costs(lows(frame_times(missed(table, threshold))));
    let [excellent, good, fair] = grade::FRAME_LATENESS.upper;
    let [_, missed_fair, missed_poor] =
        grade::FRAME_MISSED.upper.map(|limit| format_decimal(1_000.0 / limit, 0));
    table.group("Samples and conditions").column(
        Column::grade(format!(
            "Grade of p99 lateness (excellent up to {excellent}% of a frame, good up to {good}%, fair up to \
             {fair}%) or of the rate of missed frames (fair above 1 in {missed_fair}, poor above 1 in \
             {missed_poor}), whichever is worse."
        )),
        |(_, row)| {
            let few = "needs 100 frames and a complete measurement";
            let fixed = "only fixed schedules are graded";
            grade_cell(row, "frames", if is_rebased(row) { fixed } else { few })
        },
    )
}

fn summary(row: &Configuration, of: impl Fn(&Summary) -> Cell) -> Cell {
    row.summary.as_ref().map_or_else(|| absent(row), of)
}

fn conditions(table: PacedTable<'_>) -> PacedTable<'_> {
    table
        .column(
            Column::text("priority", "Priority", "Requested priority of the measuring thread."),
            |(_, row)| Cell::Text(row.conditions.priority.name()),
        )
        .column(
            Column::text("pinning", "Pinning", "Requested CPU of the measuring thread."),
            |(_, row)| Cell::Text(pin_label(row.conditions.cpu)),
        )
        .column(
            Column::setting(
                "target_frame_time_nanos",
                "Target frame time",
                "Time between two scheduled starts.",
            )
            .optional(),
            |(_, row)| row.period.into(),
        )
}

fn pin_label(cpu: CpuChoice) -> String {
    if cpu == CpuChoice::Any { "Unpinned".to_owned() } else { cpu.name() }
}

const LATENESS: SpreadOf = SpreadOf {
    title: "{}",
    values: "the lateness: actual minus scheduled start",
    samples: "frames",
};
const FRAME_TIME: SpreadOf = SpreadOf {
    title: "Frame time {}",
    values: "the time between two starts",
    samples: "frame times",
};
const WORK: SpreadOf = SpreadOf {
    title: "Execution {}",
    values: "the time from the start to the end of the work",
    samples: "frames",
};
const OS_WAKE_UP: SpreadOf = SpreadOf {
    title: "Sleep {}",
    values: "the overshoot of the system's sleep, before any spinning",
    samples: "sleeps",
};

fn lateness(table: PacedTable<'_>) -> PacedTable<'_> {
    table
        .group("Lateness")
        .spread_columns(
            LATENESS,
            &[
                (Statistic::Min, "min_nanos", Column::optional),
                (Statistic::P50, "p50_nanos", identity),
                (Statistic::P95, "p95_nanos", identity),
                (Statistic::P99, "p99_nanos", Column::key_figure),
            ],
            |(_, row)| row.lateness().ok_or_else(|| absent(row)),
        )
        .column(
            Column::time(
                "p99_ci_nanos",
                "p99 95% CI",
                "95% confidence interval of p99 lateness, from order statistics; frames that depend on each \
                 other count for fewer.",
            )
            .lower_is_better()
            .interval(),
            |(_, row)| or_absent(row, row.p99_interval().map(Cell::from), no_interval_reason(row)),
        )
        .column(
            Column::share(
                "p99_of_frame_share",
                "p99 of frame",
                "p99 lateness as a share of the target frame time.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| {
                let share = row.p99_percent_of_frame().map(|percent| Cell::Share(percent / 100.0));
                or_absent(row, share, "needs 100 frames")
            },
        )
        .column(
            Column::time(
                "p99_corrected_nanos",
                "p99 corrected",
                "p99 lateness corrected for coordinated omission: skipped frames count as late frames.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| {
                let corrected = row.figures.get::<PacedFigures>().and_then(|paced| paced.corrected.as_ref()?.p99);
                or_absent(row, corrected.map(Cell::from), corrected_reason(row))
            },
        )
        .spread_columns(
            LATENESS,
            &[
                (Statistic::P99_9, "p99_9_nanos", identity),
                (Statistic::Max, "max_nanos", identity),
                (Statistic::Mean, "mean_nanos", Column::optional),
                (Statistic::StdDev, "std_dev_nanos", identity),
            ],
            |(_, row)| row.lateness().ok_or_else(|| absent(row)),
        )
}

/// Returns the reason why p99 lateness has no confidence interval.
fn no_interval_reason(row: &Configuration) -> Cow<'static, str> {
    let Some(Err(few)) = row.p99_bounds else { return "computed when the run ends".into() };
    let needed = format_count(round_up(few.needed));
    let count = row.lateness().map_or(0, |late| late.count);
    if float(count) < fewest_for(1.0 - Quantile::P99.share()) {
        return format!("needs about {needed} frames").into();
    }
    format!("needs about {needed} frames, as frames depend on each other").into()
}

/// Returns the reason why there is no corrected p99 lateness.
fn corrected_reason(row: &Configuration) -> &'static str {
    match &row.summary {
        Some(summary) if summary.empty_count == 0 => "no frame was skipped",
        _ if is_rebased(row) => "a re-based schedule skips no frames",
        _ => "too few frames ran compared with those that were skipped",
    }
}

fn missed(table: PacedTable<'_>, threshold: Nanos) -> PacedTable<'_> {
    let definition = format!("Frames that started more than {} late.", format_time(threshold));
    table
        .group("Late and missed")
        .column(Column::count("late_count", "Late", definition).lower_is_better(), |(_, row)| {
            summary(row, |it| it.late_count.into())
        })
        .column(
            Column::setting(
                "late_threshold_nanos",
                "Late threshold",
                "Lateness above which a frame is late.",
            )
            .optional(),
            |(_, row)| row.late_limit.into(),
        )
        .column(
            Column::count(
                "missed_count",
                "Missed",
                "Frames that were not finished by their deadline, and skipped frames.",
            )
            .lower_is_better(),
            |(_, row)| summary(row, |it| it.missed_count().into()),
        )
        .column(
            Column::count(
                "slots_count",
                "Scheduled",
                "Frames of the schedule, skipped ones included.",
            )
            .optional(),
            |(_, row)| summary(row, |it| it.slot_count.into()),
        )
        .column(
            Column::count(
                "early_count",
                "Early",
                "Frames that started before their scheduled start.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| summary(row, |it| it.early_count.into()),
        )
        .column(
            Column::time(
                "drift_nanos",
                "Drift",
                "How far the last start moved off the schedule compared with the first.",
            )
            .optional(),
            |(_, row)| summary(row, |it| it.drift.into()),
        )
        .column(
            Column::count(
                "hidden_count",
                "Hidden",
                "Whole frames of lateness that a re-based schedule hides, or would hide.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| {
                let hidden = row.figures.get::<PacedFigures>().and_then(|paced| paced.rebasing);
                or_absent(row, hidden.map(|it| it.frame_count.into()), "nothing is scheduled")
            },
        )
}

fn frame_times(table: PacedTable<'_>) -> PacedTable<'_> {
    table
        .group("Frame time")
        .spread_columns(
            FRAME_TIME,
            &[
                (Statistic::Mean, "frame_time_mean_nanos", |it| it.optional().neutral()),
                (Statistic::StdDev, "frame_time_std_dev_nanos", Column::optional),
                (Statistic::Min, "frame_time_min_nanos", |it| it.optional().neutral()),
                (Statistic::P99, "frame_time_p99_nanos", Column::optional),
                (Statistic::Max, "frame_time_max_nanos", Column::optional),
            ],
            |(_, row)| {
                let times = row.summary.as_ref().and_then(|it| it.frame_time.as_ref());
                times.ok_or_else(|| or_absent(row, None, "needs 2 frames"))
            },
        )
        .group("Execution and sleep")
        .spread_columns(
            WORK,
            &[
                (Statistic::Mean, "work_mean_nanos", |it| it.optional().neutral()),
                (Statistic::StdDev, "work_std_dev_nanos", Column::optional),
                (Statistic::P99, "work_p99_nanos", Column::optional),
            ],
            |(_, row)| row.summary.as_ref().map(|it| &it.work).ok_or_else(|| absent(row)),
        )
        .spread_columns(
            OS_WAKE_UP,
            &[
                (Statistic::P50, "os_wake_up_p50_nanos", Column::optional),
                (Statistic::P99, "os_wake_up_p99_nanos", Column::optional),
            ],
            |(_, row)| {
                let sleeps = row.summary.as_ref().and_then(|it| it.os_wake_up.as_ref());
                sleeps.ok_or_else(|| or_absent(row, None, "no frame slept"))
            },
        )
}

fn lows(table: PacedTable<'_>) -> PacedTable<'_> {
    let by = LowDefinition::default();
    let low = |row: &Configuration, lows: fn(&Summary) -> Option<Lows>, reason| {
        let lows = row.summary.as_ref().and_then(lows);
        or_absent(row, lows.map(|lows| Cell::Rate(lows.by(by))), reason)
    };
    let definition = |share| format!("Low frame rate: {}.", by.label().replace("1%", share));
    table
        .group("Frame rate")
        .column(average_frame_rate().optional(), |(_, row)| {
            let average = row.summary.as_ref().and_then(|summary| summary.average_fps);
            or_absent(row, average.map(Cell::Rate), "needs 2 frames")
        })
        .column(
            Column::rate("one_percent_low_fps", "1% low", "FPS", definition("1%"))
                .higher_is_better(),
            move |(_, row)| low(row, |it| it.lows, "needs 100 frame times, none of them 0"),
        )
        .column(
            Column::rate("point_one_percent_low_fps", "0.1% low", "FPS", definition("0.1%"))
                .higher_is_better()
                .optional(),
            move |(_, row)| {
                low(row, |it| it.tenth_lows, "needs 1\u{202f}000 frame times, none of them 0")
            },
        )
}

fn costs(table: PacedTable<'_>) -> PacedTable<'_> {
    usage_columns(table)
        .column(
            Column::time(
                "spin_tail_used_nanos",
                "Spin tail",
                "Spin part at the end of a hybrid wait that was used, the longest of all trials.",
            )
            .optional(),
            |(_, row)| or_absent(row, row.usage.spin_tail.map(Cell::from), "not a hybrid wait"),
        )
        .column(
            Column::time(
                "evidence_overhead_nanos",
                "Evidence overhead",
                "Time of one read of all counters of the thread, outside the wait. Where a trace has records of switches, fewer are read.",
            )
            .optional(),
            |(_, row)| {
                or_absent(row, row.usage.evidence_read.map(Cell::from), "no counters were read")
            },
        )
}
