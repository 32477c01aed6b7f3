//! Sleep accuracy: how far sleeps overshoot, and how long a frame limiter must spin because of the overshoot.

mod charts;
mod key;

pub use charts::sleep_histogram;

use std::convert::identity;

use super::Report;
use super::model::chart::Chart;
use super::model::configuration::{Configuration, with_figures};
use super::model::evaluation::{Evaluation, Measured, ReferenceTool};
use super::model::figures::{FRAME, Figures};
use super::model::grading::Grading;
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::table::{
    Cell, Column, NOT_REPORTED, Positioned, Table, TableBuilder, configurations, grade_cell,
    load_label, or_absent,
};
use super::model::verdict::{Finding, Verdict, grades_phrase, worst_grades};
use super::paced::{rare_interval_of, rare_words};
use super::waits::{
    WaitFigures, cpu_cell, durations_of, durations_or_absent, figures, most_waits, of_waits,
    overshoot_of, overshoot_or_absent, time,
};
use crate::nanos::Nanos;
use crate::plan::{SleepAccuracy, Wait};
use crate::run::Run;
use crate::stats::{Grade, Statistic, Summary, float, grade};
use crate::units::{format_setting, format_time};

/// Maximum p99 overshoot of an accurate sleep.
const TRUSTED: Nanos = Nanos::from_micros(100);
/// The spin tail is computed from the longest tested sleep up to this length.
const TAIL_UP_TO: Nanos = Nanos::from_millis(5);
/// Reason for an absent spin tail.
const NO_TAIL: &str = "needs 100 sleeps, and an overshoot below half of a frame at 60 FPS";
/// The spin tail is rounded up to a multiple of this step.
const TAIL_STEP: Nanos = Nanos::from_micros(50);

impl Evaluation for SleepAccuracy {
    fn figures(&self, measured: &Measured<'_>, _summary: Option<&Summary>) -> Figures {
        figures(measured)
    }

    /// Returns the worse of two gradings: by p99 overshoot, and by max overshoot. `None` if the configuration did not
    /// run as requested, or has no p99 or no bounds of p99.
    fn grading(&self, row: &Configuration) -> Option<Grading> {
        let overshoot = row.lateness().filter(|_| row.is_as_requested())?;
        let grading = Grading::by_p99(
            &grade::SLEEP_OVERSHOOT,
            overshoot.p99?,
            row.p99_bounds?,
            Nanos::as_micros,
            overshoot.count,
            row.period + Nanos::from_nanos_f64(overshoot.mean_nanos),
        );
        let is_very_late = grade::SLEEP_WORST_MICROS < overshoot.max.as_micros();
        let worst = if is_very_late { Grade::Fair } else { Grade::Excellent };
        Some(grading.or_worse(Grading::observed(worst)))
    }

    fn verdict(&self, _run: &Run, report: &Report) -> Verdict {
        verdict(report)
    }

    fn grades_samples(&self) -> bool {
        true
    }

    fn tables(&self, _run: &Run, report: &Report, _has_intervals: bool) -> Vec<Table> {
        let rows = &report.rows;
        let mut sorted: Vec<Positioned<'_>> = rows.iter().enumerate().collect();
        sorted.sort_by_key(|(_, row)| row.period);
        let note = format!("up to {} sleeps each", most_waits(rows));
        vec![configurations(note, &sorted, |table| {
            costs(overshoot_columns(duration_columns(settings(table))))
        })]
    }

    fn key_figures(&self, _run: &Run, report: &Report) -> Vec<KeyFigure> {
        key::key_figures(&report.rows)
    }

    fn grade_place(&self, _run: &Run, report: &Report) -> Option<GradePlace> {
        key::grade_place(&report.rows)
    }

    fn key_columns(&self) -> &'static [&'static str] {
        &[
            "average_nanos",
            "overshoot_average_nanos",
            "overshoot_p99_nanos",
            "worst_nanos",
            "recommended_spin_tail_nanos",
            "early_count",
        ]
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        charts::charts(run, report)
    }

    fn reference(&self) -> Option<ReferenceTool> {
        Some(ReferenceTool::NativeSleeps)
    }
}

/// Returns how long a frame limiter should spin after such a sleep: p99.9 overshoot, or p99 with few sleeps, rounded
/// up to a multiple of 50 µs. `None` without a p99, or if the result is half of a frame at 60 FPS or more: the sleep is
/// too inaccurate for a frame limiter.
fn spin_tail(row: &Configuration) -> Option<Nanos> {
    let overshoot = row.lateness()?;
    let step = TAIL_STEP.get();
    let longest = overshoot.p99_9.or(overshoot.p99)?.get().max(1);
    let tail = Nanos::new(longest.saturating_add(step - 1) / step * step);
    (tail.as_f64() * 2.0 < FRAME.as_f64()).then_some(tail)
}

type SleepTable<'a> = TableBuilder<'a, Positioned<'a>>;

/// Returns the name of the method by which a sleep is requested.
const fn method_label(wait: Wait) -> &'static str {
    match wait {
        Wait::OsSleep => "Absolute",
        Wait::WholeMillis => "Sleep(n)",
        _ => "Relative",
    }
}

fn settings(table: SleepTable<'_>) -> SleepTable<'_> {
    table
        .column(
            Column::setting("requested_nanos", "Requested", "Requested duration of each sleep."),
            |(_, row)| row.period.into(),
        )
        .column(
            Column::text(
                "method",
                "Method",
                "How the sleep is requested: for a duration (relative), until an instant (absolute), or in \
                 whole milliseconds by the Windows function Sleep.",
            ),
            |(_, row)| Cell::text_of(method_label(row.wait)),
        )
        .column(
            Column::text(
                "timers",
                "Timers",
                "Timer resolution that is requested: the default of the system or the finest.",
            ),
            |(_, row)| {
                let is_finest =
                    row.conditions.timer_slack != Nanos::ZERO || row.conditions.fine_timer;
                Cell::text_of(if is_finest { "Finest" } else { "Default" })
            },
        )
        .column(
            Column::text("condition", "Condition", "Background load during the sleeps."),
            |(_, row)| Cell::Text(load_label(&row.load)),
        )
}

fn duration_columns(table: SleepTable<'_>) -> SleepTable<'_> {
    table.group("Duration").pivot(Some("condition")).spread_columns(
        durations_of("sleeps"),
        &[
            (Statistic::Mean, "average_nanos", Column::key_figure),
            (Statistic::Min, "best_nanos", identity),
            (Statistic::P50, "p50_nanos", Column::optional),
            (Statistic::P95, "p95_nanos", Column::optional),
            (Statistic::P99, "p99_nanos", identity),
            (Statistic::P99_9, "p99_9_nanos", Column::optional),
            (Statistic::Max, "worst_nanos", identity),
        ],
        durations_or_absent,
    )
}

fn overshoot_columns(table: SleepTable<'_>) -> SleepTable<'_> {
    table
        .group("Overshoot")
        .spread_columns(
            overshoot_of("sleeps"),
            &[
                (Statistic::Mean, "overshoot_average_nanos", identity),
                (Statistic::P99, "overshoot_p99_nanos", identity),
            ],
            overshoot_or_absent,
        )
        .column(
            time(
                "recommended_spin_tail_nanos",
                "Spin tail",
                "Recommended spin at the end of a wait: p99.9 overshoot, rounded up to a multiple of 50 µs.",
            ),
            |(_, row)| or_absent(row, spin_tail(row).map(Cell::from), NO_TAIL),
        )
        .column(
            Column::count(
                "early_count",
                "Early",
                "Sleeps that ended before the requested duration.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| of_waits(row, |waits| waits.early_count.into()),
        )
}

fn costs(table: SleepTable<'_>) -> SleepTable<'_> {
    table
        .group("CPU use")
        .column(
            time(
                "cpu_per_sleep_nanos",
                "CPU per sleep",
                "CPU time of the measuring thread per sleep.",
            )
            .optional(),
            cpu_cell,
        )
        .group("Timers")
        .pivot(None)
        .column(
            Column::text("sleep_call", "Sleep call", "System call that the sleeps used.")
                .optional(),
            |(_, row)| {
                let call = row.granted.as_ref().map(|granted| granted.sleep_call.as_str());
                or_absent(row, call.map(Cell::text_of), "the configuration did not start")
            },
        )
        .column(
            Column::time(
                "timer_resolution_nanos",
                "Timer resolution",
                "Timer resolution in force, reported by the system: timer slack on Linux.",
            )
            .optional(),
            |(_, row)| {
                let granted = row.granted.as_ref();
                let resolution =
                    granted.and_then(|granted| granted.timer_resolution.or(granted.timer_slack));
                or_absent(row, resolution.map(Cell::from), NOT_REPORTED)
            },
        )
        .group("Samples and conditions")
        .column(
            Column::grade(format!(
                "Grade of the p99 overshoot: {}. At best fair where one sleep ended more than {} late.",
                grade::SLEEP_OVERSHOOT.steps(),
                format_setting(Nanos::from_nanos_f64(grade::SLEEP_WORST_MICROS * 1e3)),
            )),
            |(_, row)| grade_cell(row, "sleeps", "needs 100 sleeps and a complete measurement"),
        )
}

/// Judges a complete run of sleeps.
fn verdict(report: &Report) -> Verdict {
    let rows = of_limiters(&report.rows);
    let rows = rows.as_slice();
    let of_all = || with_figures::<WaitFigures>(rows.iter().copied());
    let grades = worst_grades(rows.iter().copied());
    if !rows.iter().any(|row| row.is_as_requested()) {
        return Verdict::without_grade(Finding::nothing_as_requested());
    }
    if rows.iter().all(|row| row.grading.is_none()) {
        return Verdict::too_few(
            of_all().map(|(_, figures)| figures.actual.count).min().unwrap_or(0),
        );
    }
    let tail = tail_of(rows);
    let mut evidence = example(rows).unwrap_or_default();
    if let Some(tail) = tail {
        let tail = format_time(tail);
        evidence.push_str(&format!("A frame limiter should spin for the last {tail}. "));
    }
    if let Some(rare) = rare_interval(rows) {
        evidence.push_str(&format!("{} ", rare_words("sleeps", rare)));
    }
    evidence.push_str(&accurate_lengths(rows));
    let verdict = Verdict::by(rows.iter().copied(), Finding::default());
    let sentence = match (verdict.grade.map(|grade| (grade.best(), grade.worst())), tail) {
        (Some((_, Grade::Excellent | Grade::Good)), _) => {
            "Sleep is accurate enough for a frame limiter.".to_owned()
        }
        (Some((Grade::Excellent | Grade::Good | Grade::Fair, _)), Some(tail)) => {
            format!("Sleep until {} before the next frame, then spin.", format_time(tail))
        }
        (Some(_), _) => "Sleep is not accurate enough for a frame limiter on this PC.".to_owned(),
        (None, _) => highest_p99(rows),
    };
    let finding = Finding::new(sentence, evidence)
        .with_key(tail.map(|tail| format!("spin tail {}", format_time(tail))));
    let finding = Finding { word: grades_phrase(grades), ..finding };
    Verdict { finding, ..verdict }
}

/// Returns the interval between late sleeps above which the shortest graded series without an interval of p99 cannot show
/// them; `None` if every graded series has an interval.
fn rare_interval(rows: &[&Configuration]) -> Option<Nanos> {
    let open = rows.iter().filter(|row| row.grading.is_some() && row.p99_interval().is_none());
    let lengths = open.filter_map(|row| {
        let overshoot = row.lateness()?;
        let each = row.period.as_f64() + overshoot.mean_nanos;
        Some(Nanos::from_nanos_f64(each * float(overshoot.count)))
    });
    lengths.min().map(rare_interval_of)
}

/// Returns the tested durations, the shortest first, and whether each is accurate in all its configurations. Without a
/// p99, a duration is not known to be accurate.
fn lengths(rows: &[&Configuration]) -> Vec<(Nanos, bool)> {
    let mut lengths: Vec<(Nanos, bool)> = Vec::new();
    for (row, figures) in with_figures::<WaitFigures>(rows.iter().copied()) {
        let is_accurate = row.p99().is_some_and(|p99| p99 <= TRUSTED);
        match lengths.iter_mut().find(|(length, _)| *length == figures.requested) {
            Some((_, all)) => *all &= is_accurate,
            None => lengths.push((figures.requested, is_accurate)),
        }
    }
    lengths.sort_unstable();
    lengths
}

/// Returns the shortest tested duration that is accurate together with all longer ones; `None` if there is none.
fn accurate_from(rows: &[&Configuration]) -> Option<Nanos> {
    let lengths = lengths(rows);
    lengths.into_iter().rev().take_while(|(_, is_accurate)| *is_accurate).last().map(|it| it.0)
}

/// Returns whether a tested duration has too few sleeps for a p99.
fn has_unknown(rows: &[&Configuration]) -> bool {
    with_figures::<WaitFigures>(rows.iter().copied()).any(|(row, _)| row.p99().is_none())
}

/// Returns a sentence on which tested durations are accurate. The sentence has "or longer" only if all longer tested
/// durations are accurate, too, and "only" only if all others are not.
fn accurate_lengths(rows: &[&Configuration]) -> String {
    let limit = format_setting(TRUSTED);
    if let Some(length) = accurate_from(rows) {
        let length = format_time(length);
        return format!("Sleeps of {length} or longer have a p99 overshoot below {limit}.");
    }
    let accurate: Vec<String> = lengths(rows)
        .iter()
        .filter(|(_, is_accurate)| *is_accurate)
        .map(|(length, _)| format_time(*length))
        .collect();
    let is_partial = has_unknown(rows);
    let start = if is_partial { "Sleeps of" } else { "Of the tested sleeps, only" };
    let subject = match accurate.as_slice() {
        [] if is_partial => "No duration with enough sleeps has".to_owned(),
        [] => "No tested duration has".to_owned(),
        [one] => format!("{start} {one} {}", if is_partial { "have" } else { "has" }),
        [rest @ .., last] => format!("{start} {} and {last} have", rest.join(", ")),
    };
    format!("{subject} a p99 overshoot below {limit}.")
}

/// Returns a sentence with the highest p99 overshoot, for a run without a grade; empty without a p99.
fn highest_p99(rows: &[&Configuration]) -> String {
    let highest = rows.iter().filter_map(|row| Some((row.p99()?, &row.label))).max();
    highest.map_or_else(String::new, |(p99, label)| {
        format!("p99 overshoot is up to {} ({label}).", format_time(p99))
    })
}

/// Returns the configurations of the longest tested sleep up to 5 ms, with their figures.
fn of_longest<'a>(
    rows: &[&'a Configuration],
) -> impl Iterator<Item = (&'a Configuration, &'a WaitFigures)> {
    let lengths =
        with_figures::<WaitFigures>(rows.iter().copied()).map(|(_, figures)| figures.requested);
    let longest = lengths.filter(|&length| length <= TAIL_UP_TO).max();
    with_figures::<WaitFigures>(rows.iter().copied())
        .filter(move |(_, figures)| Some(figures.requested) == longest)
}

/// Returns how long a frame limiter must spin at the end of a wait: the longest [`spin_tail`] of the configurations of
/// the longest tested sleep up to 5 ms. `None` if one of them is
/// too inaccurate for a frame limiter.
pub(super) fn recommended_tail(report: &Report) -> Option<Nanos> {
    tail_of(&of_limiters(&report.rows))
}

fn tail_of(rows: &[&Configuration]) -> Option<Nanos> {
    of_longest(rows)
        .filter(|(row, _)| row.p99().is_some())
        .map(|(row, _)| spin_tail(row))
        .reduce(|one, other| Some(one?.max(other?)))?
}

/// Returns the configurations that a verdict rests on. A frame limiter sleeps in whole milliseconds only if it has no
/// other method, so those sleeps count only if no other method was measured.
fn of_limiters(rows: &[Configuration]) -> Vec<&Configuration> {
    let others: Vec<_> = rows.iter().filter(|row| row.wait != Wait::WholeMillis).collect();
    if others.is_empty() { rows.iter().collect() } else { others }
}

/// Returns a sentence with the mean duration of the longest tested sleep up to 5 ms, when idle and under load.
fn example(rows: &[&Configuration]) -> Option<String> {
    let average = |is_idle: bool| {
        let (_, figures) = of_longest(rows).find(|(row, _)| row.load.is_none() == is_idle)?;
        Some(format_time(Nanos::from_nanos_f64(figures.actual.mean_nanos)))
    };
    let length = format_time(of_longest(rows).next()?.1.requested);
    match (average(true), average(false)) {
        (Some(idle), Some(load)) => {
            Some(format!("A {length} sleep takes {idle} when idle and {load} under load. "))
        }
        (one, other) => Some(format!("A {length} sleep takes {}. ", one.or(other)?)),
    }
}

#[cfg(test)]
mod tests;
