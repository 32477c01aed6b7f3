//! Scheduling gaps: how long a busy thread did not run, on each CPU and on several at once.

mod charts;
mod figures;
mod stall;

pub use figures::{GAP_CLASSES, GapFigures};
pub use stall::Stall;

use std::cmp::Reverse;

use super::Report;
use super::chart::Chart;
use super::configuration::Configuration;
use super::evaluation::{Evaluation, Measured};
use super::figures::Figures;
use super::grading::Grading;
use super::reference::{ReferenceLine, latency2};
use super::table::{
    Cell, Column, Positioned, Table, TableBuilder, absent, configurations, grade_cell, percentile,
};
use super::verdict::{Finding, Verdict};
use crate::nanos::Nanos;
use crate::plan::{CpuChoice, SchedulingGaps};
use crate::run::Run;
use crate::stats::grade::{self, Limits};
use crate::stats::{Spread, Summary};
use crate::units::{format_count, format_long_time, format_share, format_time};

/// Why a figure of all intervals is absent while a probe runs.
const NOT_YET: &str = "known when the probe has ended";
/// Why one of the whole runtime is.
const NOT_A_SECOND: &str = "known after 1 s";

impl Evaluation for SchedulingGaps {
    fn limit(&self) -> Nanos {
        self.typical
    }

    fn figures(&self, measured: &Measured<'_>, _summary: Option<&Summary>) -> Figures {
        Figures::Gaps(Box::new(figures::figures(measured.trials, (self.typical, self.bad))))
    }

    fn grading(&self, configuration: &Configuration, _measured: &Measured<'_>) -> Option<Grading> {
        grading(configuration)
    }

    fn add_results(&self, run: &Run, report: &mut Report, _has_intervals: bool) {
        report.stalls = stall::stalls(run);
    }

    fn is_result_without_samples(&self) -> bool {
        // No gap is good news.
        true
    }

    fn verdict(&self, _run: &Run, report: &Report) -> Verdict {
        let limits = (self.typical, self.bad);
        verdict(report, limits).unwrap_or(Verdict::without_grade(Finding::nothing()))
    }

    fn tables(&self, _run: &Run, report: &Report, _has_intervals: bool) -> Vec<Table> {
        tables(report)
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        charts::charts(run, report)
    }

    fn reference_lines(&self, run: &Run, _report: &Report) -> Option<Vec<ReferenceLine>> {
        Some(latency2::lines(run))
    }
}

fn lengths(row: &Configuration) -> Option<&Spread> {
    row.summary.as_ref().map(|summary| &summary.lateness)
}

/// A figure of a probe that started, or why there is none.
fn of_probe(row: &Configuration, of: impl Fn(&GapFigures) -> Cell) -> Cell {
    match row.figures.gaps().filter(|_| row.granted.is_some()) {
        Some(gaps) => of(gaps),
        None => absent(row),
    }
}

/// A figure of all intervals, which are counted until the probe ends.
fn of_intervals(row: &Configuration, of: impl Fn(&GapFigures) -> Cell) -> Cell {
    of_probe(row, |gaps| if gaps.readings == 0 { Cell::Absent(NOT_YET.into()) } else { of(gaps) })
}

/// A figure of the whole runtime, which is not known in the first second.
fn of_time(row: &Configuration, of: impl Fn(&GapFigures) -> Option<Cell>) -> Cell {
    of_probe(row, |gaps| of(gaps).unwrap_or_else(|| Cell::Absent(NOT_A_SECOND.into())))
}

type Builder<'a> = TableBuilder<'a, Positioned<'a>>;

/// The tables of a run of gap probes: one row per CPU, the longest gap first, and the stalls, the longest
/// first.
fn tables(report: &Report) -> Vec<Table> {
    let mut sorted: Vec<Positioned<'_>> = report.rows.iter().enumerate().collect();
    sorted.sort_by_key(|(_, row)| Reverse(row.figures.gaps().map(|gaps| gaps.longest)));
    let threshold = report.rows.iter().filter_map(|row| Some(row.figures.gaps()?.threshold)).max();
    let note = match threshold.filter(|&threshold| Nanos::ZERO < threshold) {
        Some(threshold) => format!("gaps of {} or longer", format_time(threshold)),
        None => String::new(),
    };
    let own = configurations(note, &sorted, |table| {
        intervals(classes(time_columns(gap_columns(settings(table))))).group("Grade").column(
            Column::grade(format!(
                "Grade of the longest gap: excellent up to {}, good up to the typical limit, poor above the bad \
                 limit.",
                grade::LONGEST_GAP.words()[0],
            )),
            |(_, row)| grade_cell(row, "gaps", "needs a complete measurement"),
        )
    });
    if report.rows.len() < 2 { vec![own] } else { vec![own, stall_table(report)] }
}

fn settings(table: Builder<'_>) -> Builder<'_> {
    table
        .column(
            Column::text("cpu", "CPU", "CPU that the probe is pinned to.").optional(),
            |(_, row)| match row.conditions.cpu {
                CpuChoice::Cpu(cpu) => Cell::text_of(cpu.to_string()),
                CpuChoice::Any | CpuChoice::Performance | CpuChoice::Efficiency => {
                    Cell::Absent("the probe is not pinned".into())
                }
            },
        )
        .column(
            Column::time("threshold_nanos", "Threshold", "Shortest interval that counts as a gap.")
                .optional(),
            |(_, row)| {
                of_probe(row, |gaps| match gaps.threshold {
                    Nanos::ZERO => Cell::Absent(NOT_YET.into()),
                    threshold => threshold.into(),
                })
            },
        )
}

fn gap_columns(table: Builder<'_>) -> Builder<'_> {
    let of_gaps = |row: &Configuration, of: fn(&Spread) -> Option<Nanos>, needed: usize| {
        if lengths(row).is_none() && row.granted.is_some() {
            return Cell::Absent("no gaps".into());
        }
        percentile(row, lengths(row), of, needed)
    };
    table
        .group("Gaps")
        .column(
            Column::time("longest_nanos", "Longest", "Longest gap.").lower_is_better().key_figure(),
            |(_, row)| of_probe(row, |gaps| gaps.longest.into()),
        )
        .column(
            Column::time("p50_nanos", "p50", "Median length of the gaps.")
                .lower_is_better()
                .optional(),
            move |(_, row)| of_gaps(row, |lengths| Some(lengths.p50), 1),
        )
        .column(
            Column::time("p99_nanos", "p99", "99th percentile of the gaps; needs 100 gaps.")
                .lower_is_better(),
            move |(_, row)| of_gaps(row, |lengths| lengths.p99, 100),
        )
        .column(
            Column::time("p99_9_nanos", "p99.9", "99.9th percentile of the gaps; needs 1\u{202f}000 gaps.")
                .lower_is_better()
                .optional(),
            move |(_, row)| of_gaps(row, |lengths| lengths.p99_9, 1_000),
        )
        .column(
            Column::count("gaps_count", "Gaps", "Number of gaps.").lower_is_better(),
            |(_, row)| of_probe(row, |gaps| gaps.gap_count.into()),
        )
        .column(
            Column::rate("gaps_per_second", "Gaps per second", "", "Gaps per second of runtime.")
                .lower_is_better()
                .optional(),
            |(_, row)| of_time(row, |gaps| gaps.per_second.map(Cell::Rate)),
        )
        .column(
            Column::share("lost_share", "Time lost", "Sum of the gaps as a share of the runtime.")
                .lower_is_better(),
            |(_, row)| of_time(row, |gaps| gaps.lost_share.map(Cell::Share)),
        )
        .column(
            Column::time(
                "regular_period_nanos",
                "Regular period",
                "Interval at which at least a third of the gaps follow each other, such as the scheduler tick.",
            )
            .optional(),
            |(_, row)| {
                of_probe(row, |gaps| match gaps.period {
                    Some(period) => period.into(),
                    None => Cell::Absent("the gaps are not regular".into()),
                })
            },
        )
}

fn time_columns(table: Builder<'_>) -> Builder<'_> {
    let mut table = table.group("Time-weighted");
    for (at, (key, title, definition)) in [
        (
            "time_p50_nanos",
            "Time-weighted p50",
            "Half of the time is in intervals up to this length; accurate to an eighth below the threshold.",
        ),
        (
            "time_p99_nanos",
            "Time-weighted p99",
            "99% of the time is in intervals up to this length; accurate to an eighth below the threshold.",
        ),
        (
            "time_p99_9_nanos",
            "Time-weighted p99.9",
            "99.9% of the time is in intervals up to this length; accurate to an eighth below the \
             threshold.",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let column = Column::time(key, title, definition).lower_is_better().optional();
        table = table.column(column, |(_, row)| {
            of_probe(row, |gaps| match gaps.time_percentiles.get(at) {
                Some(Some(length)) => (*length).into(),
                _ => Cell::Absent("shorter than the threshold; known when the probe has ended".into()),
            })
        });
    }
    table
}

fn classes(mut table: Builder<'_>) -> Builder<'_> {
    /// The classes between [`GAP_CLASSES`](super::GAP_CLASSES).
    const CLASSES: [(&str, &str); 6] = [
        ("gaps_below_10_us_count", "< 10 µs"),
        ("gaps_10_us_to_100_us_count", "10–100 µs"),
        ("gaps_100_us_to_1_ms_count", "100 µs–1 ms"),
        ("gaps_1_ms_to_10_ms_count", "1–10 ms"),
        ("gaps_10_ms_to_30_ms_count", "10–30 ms"),
        ("gaps_from_30_ms_count", "≥ 30 ms"),
    ];
    table = table.group("Gaps by length");
    for (at, (key, range)) in CLASSES.into_iter().enumerate() {
        let column = Column::count(key, range, format!("Number of gaps of {range}."));
        table = table.column(column.lower_is_better().optional(), |(_, row)| {
            of_probe(row, |gaps| gaps.classes.get(at).copied().unwrap_or(0).into())
        });
    }
    table
}

fn intervals(table: Builder<'_>) -> Builder<'_> {
    table
        .group("Intervals")
        .column(
            Column::time(
                "interval_average_nanos",
                "Average interval",
                "Mean of all intervals between two clock reads, gaps included.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| of_intervals(row, |gaps| Cell::Time(gaps.mean_nanos)),
        )
        .column(
            Column::time(
                "interval_std_dev_nanos",
                "Std dev of intervals",
                "Standard deviation of all intervals between two clock reads, gaps included.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| of_intervals(row, |gaps| Cell::Time(gaps.std_dev_nanos)),
        )
        .column(
            Column::number(
                "interval_squares_square_seconds",
                "Sum of squares",
                "s²",
                6,
                "Sum of the squares of all intervals, as latency2 prints it.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| of_intervals(row, |gaps| Cell::Number(gaps.square_secs)),
        )
        .column(
            Column::time(
                "interval_min_nanos",
                "Shortest interval",
                "Shortest interval between two clock reads.",
            )
            .optional(),
            |(_, row)| of_intervals(row, |gaps| gaps.smallest.into()),
        )
        .column(
            Column::count("intervals_count", "Intervals", "Intervals between two clock reads.")
                .optional(),
            |(_, row)| of_intervals(row, |gaps| u64::try_from(gaps.readings).unwrap_or(0).into()),
        )
        .column(
            Column::time("runtime_nanos", "Runtime", "How long the probe ran.").optional(),
            |(_, row)| of_probe(row, |gaps| gaps.runtime.into()),
        )
}

/// One row per stall, the longest first.
fn stall_table(report: &Report) -> Table {
    let mut sorted: Vec<&Stall> = report.stalls.iter().collect();
    sorted.sort_by_key(|stall| Reverse(stall.length));
    let everywhere = report.stalls.iter().filter(|stall| stall.is_everywhere).count();
    let count = |count| format_count(u64::try_from(count).unwrap_or(0));
    let note = format!("{} in total, {} on all CPUs", count(sorted.len()), count(everywhere));
    TableBuilder::new("stalls", "Multi-CPU stalls", note, &sorted)
        .column(
            Column::time(
                "at_nanos",
                "At",
                "When the first of its gaps began, since the start of the probes.",
            ),
            |stall| stall.at.into(),
        )
        .column(
            Column::time(
                "length_nanos",
                "Length",
                "Longest of the gaps, which began within 100 µs of each other or overlap by half.",
            )
            .lower_is_better()
            .key_figure(),
            |stall| stall.length.into(),
        )
        .column(
            Column::count("cpus_count", "CPUs", "Number of CPUs with a gap.").lower_is_better(),
            |stall| stall.trials.len().into(),
        )
        .column(Column::text("cpus", "On", "CPUs with a gap."), |stall| {
            let label = |&trial: &usize| {
                let row = report.rows.iter().find(|row| row.trials.contains(&trial))?;
                Some(row.label.as_str())
            };
            Cell::Text(stall.trials.iter().filter_map(label).collect::<Vec<_>>().join(", "))
        })
        .column(
            Column::text("machine_wide", "Machine-wide", "Whether every probed CPU had a gap."),
            |stall| Cell::text_of(if stall.is_everywhere { "yes" } else { "no" }),
        )
        .finish()
}

/// The grade of the longest gap. Where a system cannot pin, a probe is shown as unpinned and still finds its
/// gaps.
fn grading(row: &Configuration) -> Option<Grading> {
    let gaps = row.figures.gaps().filter(|_| row.has_retained_policy())?;
    let (typical, bad) = gaps.limits;
    let excellent = grade::LONGEST_GAP.upper[0].min(typical.as_millis());
    let upper = [excellent, typical.as_millis(), bad.as_millis()];
    let limits = Limits { upper, ..grade::LONGEST_GAP };
    Some(Grading::observed(limits.grade(gaps.longest.as_millis())))
}

/// Judges a complete run of gap probes by the longest gap; `limits` are typical and bad.
fn verdict(report: &Report, limits: (Nanos, Nanos)) -> Option<Verdict> {
    let probes = || report.rows.iter().filter_map(|row| Some((row, row.figures.gaps()?)));
    let (row, longest) = probes().max_by_key(|(_, gaps)| gaps.longest)?;
    let lost_share = probes().filter_map(|(_, gaps)| gaps.lost_share).fold(0.0, f64::max);
    let (typical, bad) = limits;
    let length = format_time(longest.longest);
    let sentence = if longest.longest <= bad {
        format!("The longest gap on any CPU was {length} in {}.", format_long_time(longest.runtime))
    } else {
        format!("{} had a {length} gap: not suitable for hosting real-time programs.", row.label)
    };
    let limit = if longest.longest <= typical {
        format!(
            "Within the {} typical of physical PCs. Suitable for hosting real-time programs.",
            format_time(typical)
        )
    } else if longest.longest <= bad {
        format!("Above the {} typical of physical PCs.", format_time(typical))
    } else {
        format!("The limit is {}.", format_time(bad))
    };
    let stalls = match report.stalls.iter().filter(|stall| stall.is_everywhere).count() {
        0 => "No machine-wide stall".to_owned(),
        1 => "1 machine-wide stall".to_owned(),
        stalls => format!("{stalls} machine-wide stalls"),
    };
    let evidence =
        format!("{limit} Up to {} of one CPU's time was lost. {stalls}.", format_share(lost_share));
    let finding = Finding::new(sentence, evidence).with_key(Some(format!("longest {length}")));
    Some(Verdict::by(report.rows.iter(), finding))
}

#[cfg(test)]
mod tests;
