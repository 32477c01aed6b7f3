//! The columns of paced configurations: lateness, frame times, missed frames, and what they cost.

use std::borrow::Cow;

use super::super::grading::round_up;
use super::super::table::{
    Cell, Column, Positioned, TableBuilder, absent, grade_cell, or_absent, percentile,
    usage_columns,
};
use super::super::verdict::wide;
use super::super::{Configuration, Options};
use crate::nanos::Nanos;
use crate::plan::CpuChoice;
use crate::stats::binomial::fewest_for;
use crate::stats::{LowDefinition, Lows, Quantile, Spread, Summary, float, grade};
use crate::units::{format_count, format_decimal, format_time};

type Builder<'a> = TableBuilder<'a, Positioned<'a>>;

/// Adds all columns of paced configurations.
pub(super) fn own<'a>(
    table: Builder<'a>,
    rows: &[Configuration],
    options: &Options,
) -> Builder<'a> {
    let threshold = rows.first().map_or(Nanos::ZERO, |row| row.late_limit);
    let table = lateness(conditions(table));
    let table = costs(lows(frame_times(missed(table, threshold)), options.low));
    let [excellent, good, fair] = grade::FRAME_LATENESS.upper;
    let [_, missed_fair, missed_poor] =
        grade::FRAME_MISSED.upper.map(|limit| format_decimal(1_000.0 / limit, 0));
    table.group("Grade").column(
        Column::grade(format!(
            "Grade of p99 lateness (excellent up to {excellent}% of a frame, good up to {good}%, fair up to \
             {fair}%) or of the rate of missed frames (fair above 1 in {missed_fair}, poor above 1 in \
             {missed_poor}), whichever is worse."
        )),
        |(_, row)| grade_cell(row, "frames", "needs 100 frames and a complete measurement"),
    )
}

fn summary(row: &Configuration, of: impl Fn(&Summary) -> Cell) -> Cell {
    row.summary.as_ref().map_or_else(|| absent(row), of)
}

fn late(row: &Configuration) -> Option<&Spread> {
    row.summary.as_ref().map(|summary| &summary.lateness)
}

fn conditions(table: Builder<'_>) -> Builder<'_> {
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

/// A column of one figure of the lateness, which is lower where it is better.
fn late_column(key: &'static str, title: &'static str, definition: &'static str) -> Column {
    Column::time(key, title, definition).lower_is_better()
}

fn lateness(table: Builder<'_>) -> Builder<'_> {
    table
        .group("Lateness")
        .column(
            late_column("min_nanos", "Min", "Lowest lateness: actual minus scheduled start.").optional(),
            |(_, row)| summary(row, |it| it.lateness.min.into()),
        )
        .column(late_column("p50_nanos", "p50", "Median lateness."), |(_, row)| {
            summary(row, |it| it.lateness.p50.into())
        })
        .column(
            late_column("p95_nanos", "p95", "95th percentile of lateness; needs 20 frames."),
            |(_, row)| percentile(row, late(row), |late| late.p95, 20),
        )
        .column(
            late_column("p99_nanos", "p99", "99th percentile of lateness; needs 100 frames.")
                .key_figure(),
            |(_, row)| percentile(row, late(row), |late| late.p99, 100),
        )
        .column(
            late_column(
                "p99_ci_nanos",
                "p99 95% CI",
                "95% confidence interval of p99 lateness, from order statistics; frames that depend on each \
                 other count for fewer.",
            )
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
            late_column(
                "p99_corrected_nanos",
                "p99 corrected",
                "p99 lateness corrected for coordinated omission: skipped frames count as late frames.",
            )
            .optional(),
            |(_, row)| {
                let corrected = row.figures.paced().and_then(|paced| paced.corrected.as_ref()?.p99);
                or_absent(row, corrected.map(Cell::from), corrected_reason(row))
            },
        )
        .column(
            late_column("p99_9_nanos", "p99.9", "99.9th percentile of lateness; needs 1\u{202f}000 frames."),
            |(_, row)| percentile(row, late(row), |late| late.p99_9, 1_000),
        )
        .column(late_column("max_nanos", "Max", "Highest lateness of a single frame."), |(_, row)| {
            summary(row, |it| it.lateness.max.into())
        })
        .column(late_column("mean_nanos", "Mean", "Mean lateness.").optional(), |(_, row)| {
            summary(row, |it| Cell::Time(it.lateness.mean_nanos))
        })
        .column(
            late_column("std_dev_nanos", "Std dev", "Standard deviation of lateness."),
            |(_, row)| {
                let deviation = late(row).and_then(|late| late.std_dev_nanos);
                or_absent(row, deviation.map(Cell::Time), "needs 2 frames")
            },
        )
}

/// Why p99 lateness has no interval.
fn no_interval_reason(row: &Configuration) -> Cow<'static, str> {
    let Some(Err(few)) = row.p99_bounds else { return "computed when the run ends".into() };
    let needed = format_count(wide(round_up(few.needed)));
    let count = late(row).map_or(0, |late| late.count);
    if float(count) < fewest_for(1.0 - Quantile::P99.share()) {
        return format!("needs about {needed} frames").into();
    }
    format!("needs about {needed} frames, as frames depend on each other").into()
}

/// Why no lateness is corrected.
fn corrected_reason(row: &Configuration) -> &'static str {
    match &row.summary {
        Some(summary) if summary.empty_count == 0 => "no frame was skipped",
        _ if row.figures.paced().is_some_and(|paced| paced.is_rebased) => {
            "a re-based schedule skips no frames"
        }
        _ => "too few frames ran compared with those that were skipped",
    }
}

fn missed(table: Builder<'_>, threshold: Nanos) -> Builder<'_> {
    let definition = format!("Frames that started more than {} late.", format_time(threshold));
    table
        .group("Late and missed frames")
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
                let hidden = row.figures.paced().and_then(|paced| paced.rebasing);
                or_absent(row, hidden.map(|it| it.frame_count.into()), "nothing is scheduled")
            },
        )
}

fn frame_times(table: Builder<'_>) -> Builder<'_> {
    const NEEDS_TWO: &str = "needs 2 frames";
    fn times(row: &Configuration) -> Option<&Spread> {
        row.summary.as_ref()?.frame_time.as_ref()
    }
    fn work(row: &Configuration) -> Option<&Spread> {
        Some(&row.summary.as_ref()?.work)
    }
    fn sleep(row: &Configuration) -> Option<&Spread> {
        row.summary.as_ref()?.os_wake_up.as_ref()
    }
    let time = |key, title, definition| Column::time(key, title, definition).optional();
    table
        .group("Frame and execution time")
        .column(
            time("frame_time_mean_nanos", "Frame time mean", "Mean time between two starts."),
            |(_, row)| {
                or_absent(row, times(row).map(|it| Cell::Time(it.mean_nanos)), NEEDS_TWO)
            },
        )
        .column(
            time(
                "frame_time_std_dev_nanos",
                "Frame time std dev",
                "Standard deviation of the time between two starts.",
            )
            .lower_is_better(),
            |(_, row)| {
                let deviation = times(row).and_then(|it| it.std_dev_nanos);
                or_absent(row, deviation.map(Cell::Time), "needs 3 frames")
            },
        )
        .column(
            time("frame_time_min_nanos", "Frame time min", "Shortest time between two starts."),
            |(_, row)| or_absent(row, times(row).map(|it| it.min.into()), NEEDS_TWO),
        )
        .column(
            time(
                "frame_time_p99_nanos",
                "Frame time p99",
                "99th percentile of the time between two starts; needs 100 frame times.",
            )
            .lower_is_better(),
            |(_, row)| percentile(row, times(row), |it| it.p99, 100),
        )
        .column(
            time("frame_time_max_nanos", "Frame time max", "Longest time between two starts.")
                .lower_is_better(),
            |(_, row)| or_absent(row, times(row).map(|it| it.max.into()), NEEDS_TWO),
        )
        .column(
            time("work_mean_nanos", "Execution mean", "Mean time from the start to the end of the work."),
            |(_, row)| or_absent(row, work(row).map(|it| Cell::Time(it.mean_nanos)), NEEDS_TWO),
        )
        .column(
            time(
                "work_std_dev_nanos",
                "Execution std dev",
                "Standard deviation of the time from the start to the end of the work.",
            )
            .lower_is_better(),
            |(_, row)| {
                let deviation = work(row).and_then(|it| it.std_dev_nanos);
                or_absent(row, deviation.map(Cell::Time), NEEDS_TWO)
            },
        )
        .column(
            time(
                "work_p99_nanos",
                "Execution p99",
                "99th percentile of the time from the start to the end of the work; needs 100 frames.",
            )
            .lower_is_better(),
            |(_, row)| percentile(row, work(row), |it| it.p99, 100),
        )
        .column(
            time(
                "os_wake_up_p50_nanos",
                "Sleep p50",
                "Median overshoot of the system's sleep, before any spinning.",
            )
            .lower_is_better(),
            |(_, row)| or_absent(row, sleep(row).map(|it| it.p50.into()), "no frame slept"),
        )
        .column(
            time(
                "os_wake_up_p99_nanos",
                "Sleep p99",
                "99th percentile of the overshoot of the system's sleep, before any spinning.",
            )
            .lower_is_better(),
            |(_, row)| match sleep(row) {
                Some(_) => percentile(row, sleep(row), |it| it.p99, 100),
                None => or_absent(row, None, "no frame slept"),
            },
        )
}

fn lows(table: Builder<'_>, by: LowDefinition) -> Builder<'_> {
    let low = |row: &Configuration, lows: fn(&Summary) -> Option<Lows>, reason| {
        let lows = row.summary.as_ref().and_then(lows);
        or_absent(row, lows.map(|lows| Cell::Rate(lows.by(by))), reason)
    };
    let definition = |share| format!("Low frame rate: {}.", by.label().replace("1%", share));
    table
        .group("Frame rate")
        .column(
            Column::rate(
                "average_fps",
                "Average",
                "FPS",
                "Frames over the sum of their frame times.",
            )
            .higher_is_better()
            .optional(),
            |(_, row)| {
                let average = row.summary.as_ref().and_then(|summary| summary.average_fps);
                or_absent(row, average.map(Cell::Rate), "needs 2 frames")
            },
        )
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

fn costs(table: Builder<'_>) -> Builder<'_> {
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
