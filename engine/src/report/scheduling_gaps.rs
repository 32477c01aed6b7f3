//! Scheduling gaps: intervals in which a busy thread did not run, on single CPUs and on several CPUs at once.

mod charts;
mod figures;
mod key;
mod stall;
mod totals;

pub use charts::gap_histogram;
pub use figures::{GAP_CLASSES, GapFigures};
pub use stall::Stall;
pub use totals::GapTotals;

use std::cmp::Reverse;
use std::convert::identity;

use super::Report;
use super::model::chart::Chart;
use super::model::configuration::{Configuration, with_figures};
use super::model::evaluation::{Evaluation, Measured, ReferenceTool};
use super::model::figures::Figures;
use super::model::grading::Grading;
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::table::{
    Cell, Column, Positioned, SpreadOf, Table, TableBuilder, absent, configurations, grade_cell,
};
use super::model::verdict::{Finding, Verdict};
use crate::nanos::Nanos;
use crate::plan::{CpuChoice, SchedulingGaps};
use crate::run::Run;
use crate::stats::grade::{self, Limits};
use crate::stats::{Statistic, Summary};
use crate::units::{format_count, format_long_time, format_share, format_time};

/// The reason why a figure of all intervals is absent while a probe runs.
const NOT_YET: &str = "known when the probe has ended";
/// The reason why a figure that needs the runtime is absent in the first second of a probe.
const NOT_A_SECOND: &str = "known after 1 s";

impl Evaluation for SchedulingGaps {
    fn limit(&self) -> Nanos {
        self.typical
    }

    fn figures(&self, measured: &Measured<'_>, _summary: Option<&Summary>) -> Figures {
        Figures::of(figures::figures(measured.trials, (self.typical, self.bad)))
    }

    /// Returns the grade of the longest gap that no thread of this program caused; `None` if the scheduling policy of
    /// the probe changed. A probe is graded even if it could not be pinned, because it still finds gaps.
    fn grading(&self, row: &Configuration) -> Option<Grading> {
        let gaps = row.figures.get::<GapFigures>().filter(|_| row.has_retained_policy())?;
        let (typical, bad) = gaps.limits;
        let excellent = grade::LONGEST_GAP.upper[0].min(typical.as_millis());
        let upper = [excellent, typical.as_millis(), bad.as_millis()];
        let limits = Limits { upper, ..grade::LONGEST_GAP };
        Some(Grading::observed(limits.grade(gaps.graded.as_millis())))
    }

    fn results(&self, run: &Run, _rows: &[Configuration], _has_intervals: bool) -> Figures {
        Figures::of(stall::stalls(run))
    }

    fn is_result_without_samples(&self) -> bool {
        // A run without a gap is a good result.
        true
    }

    fn verdict(&self, _run: &Run, report: &Report) -> Verdict {
        let limits = (self.typical, self.bad);
        verdict(report, limits)
            .unwrap_or(Verdict::without_grade(Finding::nothing(self.samples_name())))
    }

    fn grades_samples(&self) -> bool {
        true
    }

    fn tables(&self, _run: &Run, report: &Report, _has_intervals: bool) -> Vec<Table> {
        let mut sorted: Vec<Positioned<'_>> = report.rows.iter().enumerate().collect();
        sorted.sort_by_key(|(_, row)| {
            Reverse(row.figures.get::<GapFigures>().map(|gaps| gaps.longest))
        });
        let threshold = report
            .rows
            .iter()
            .filter_map(|row| Some(row.figures.get::<GapFigures>()?.threshold))
            .max();
        let note = match threshold.filter(|&threshold| Nanos::ZERO < threshold) {
            Some(threshold) => format!("gaps of {} or longer", format_time(threshold)),
            None => String::new(),
        };
        let own = configurations(note, &sorted, |table| {
            intervals(classes(time_columns(gap_columns(settings(table))))).group("Samples and conditions").column(
                Column::grade(format!(
                    "Grade of the longest gap: excellent up to {}, good up to the Good limit, poor above the Poor \
                     limit.",
                    grade::LONGEST_GAP.words()[0],
                )),
                |(_, row)| grade_cell(row, "gaps", "needs a complete measurement"),
            )
        });
        let mut tables = vec![own];
        if 1 < report.rows.len() {
            tables.push(stall_table(report));
            tables.extend(GapTotals::of(&report.rows).map(totals_table));
        }
        tables
    }

    fn key_figures(&self, _run: &Run, report: &Report) -> Vec<KeyFigure> {
        key::key_figures(report)
    }

    fn grade_place(&self, _run: &Run, report: &Report) -> Option<GradePlace> {
        key::grade_place(report)
    }

    fn key_columns(&self) -> &'static [&'static str] {
        &[
            "longest_nanos",
            "p50_nanos",
            "p99_nanos",
            "gaps_per_second",
            "lost_share",
            "gaps_1_ms_to_10_ms_count",
            "gaps_10_ms_to_30_ms_count",
        ]
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        charts::charts(run, report)
    }

    fn reference(&self) -> Option<ReferenceTool> {
        Some(ReferenceTool::Latency2)
    }
}

/// Returns the cell of a figure; absent if the probe did not start.
fn of_probe(row: &Configuration, of: impl Fn(&GapFigures) -> Cell) -> Cell {
    match row.figures.get::<GapFigures>().filter(|_| row.granted.is_some()) {
        Some(gaps) => of(gaps),
        None => absent(row),
    }
}

/// Returns the cell of a figure of all intervals; absent before the probe reports any intervals.
fn of_intervals(row: &Configuration, of: impl Fn(&GapFigures) -> Cell) -> Cell {
    of_probe(row, |gaps| if gaps.readings == 0 { Cell::Absent(NOT_YET.into()) } else { of(gaps) })
}

/// Returns the cell of a figure that needs the runtime; absent in the first second, in which the runtime is not known.
fn of_time(row: &Configuration, of: impl Fn(&GapFigures) -> Option<Cell>) -> Cell {
    of_probe(row, |gaps| of(gaps).unwrap_or_else(|| Cell::Absent(NOT_A_SECOND.into())))
}

type GapTable<'a> = TableBuilder<'a, Positioned<'a>>;

fn settings(table: GapTable<'_>) -> GapTable<'_> {
    table
        .column(
            Column::text("cpu", "CPU", "CPU that the probe is pinned to.").optional(),
            |(_, row)| match row.conditions.cpu {
                CpuChoice::Cpu(cpu) => Cell::text_of(cpu.to_string()),
                CpuChoice::Any
                | CpuChoice::Performance
                | CpuChoice::FirstPerformance
                | CpuChoice::Efficiency => Cell::Absent("the probe is not pinned".into()),
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

/// The spread of the recorded gaps.
const GAPS: SpreadOf = SpreadOf { title: "{}", values: "the gaps", samples: "gaps" };
/// The spread of all intervals between two clock reads.
const INTERVALS: SpreadOf = SpreadOf {
    title: "Interval {}",
    values: "all intervals between two clock reads, gaps included",
    samples: "intervals",
};

fn gap_columns(table: GapTable<'_>) -> GapTable<'_> {
    table
        .group("Gaps")
        .column(GAPS.column(Statistic::Max, "longest_nanos").key_figure(), |(_, row)| {
            of_probe(row, |gaps| gaps.longest.into())
        })
        .spread_columns(
            GAPS,
            &[
                (Statistic::P50, "p50_nanos", Column::optional),
                (Statistic::P99, "p99_nanos", identity),
                (Statistic::P99_9, "p99_9_nanos", Column::optional),
                (Statistic::Mean, "mean_nanos", Column::optional),
                (Statistic::StdDev, "std_dev_nanos", Column::optional),
            ],
            |(_, row)| match (row.lateness(), row.granted.is_some()) {
                (Some(lengths), _) => Ok(lengths),
                (None, true) => Err(Cell::Absent("no gaps".into())),
                (None, false) => Err(absent(row)),
            },
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

fn time_columns(table: GapTable<'_>) -> GapTable<'_> {
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

fn classes(mut table: GapTable<'_>) -> GapTable<'_> {
    /// Keys and titles of the classes of gaps, which the limits in [`GAP_CLASSES`](super::GAP_CLASSES) separate.
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

fn intervals(table: GapTable<'_>) -> GapTable<'_> {
    table
        .group("Intervals")
        .column(
            INTERVALS.column(Statistic::Mean, "interval_average_nanos").optional(),
            |(_, row)| of_intervals(row, |gaps| Cell::Time(gaps.mean_nanos)),
        )
        .column(
            INTERVALS.column(Statistic::StdDev, "interval_std_dev_nanos").optional(),
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
            INTERVALS.column(Statistic::Min, "interval_min_nanos").optional().neutral(),
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

/// Returns a table with one row: the gaps of all CPUs together.
fn totals_table(totals: GapTotals) -> Table {
    let time = |statistic, key| GAPS.column(statistic, key);
    TableBuilder::new("totals", "All CPUs", String::new(), &[totals])
        .column(time(Statistic::Max, "longest_nanos").key_figure(), |all| all.longest.into())
        .column(time(Statistic::Mean, "mean_nanos"), |all| Cell::Time(all.mean_nanos))
        .column(time(Statistic::StdDev, "std_dev_nanos"), |all| match all.std_dev_nanos {
            Some(deviation) => Cell::Time(deviation),
            None => Cell::Absent("needs 2 gaps".into()),
        })
        .column(Column::count("gaps_count", "Gaps", "Number of gaps.").lower_is_better(), |all| {
            all.gap_count.into()
        })
        .column(
            Column::share("lost_share", "Time lost", "Sum of the gaps as a share of the runtime.")
                .lower_is_better(),
            |all| match all.lost_share {
                Some(share) => Cell::Share(share),
                None => Cell::Absent(NOT_A_SECOND.into()),
            },
        )
        .column(
            Column::count("intervals_count", "Intervals", "Intervals between two clock reads."),
            |all| all.readings.into(),
        )
        .finish()
}

/// Returns a table with one row per stall, the longest first.
fn stall_table(report: &Report) -> Table {
    let mut sorted: Vec<&Stall> = report.results::<Stall>().iter().collect();
    sorted.sort_by_key(|stall| Reverse(stall.length));
    let everywhere = report.results::<Stall>().iter().filter(|stall| stall.is_everywhere).count();
    let count = |count| format_count(u64::try_from(count).unwrap_or(0));
    let note = format!("{} in total, {} on all CPUs", count(sorted.len()), count(everywhere));
    TableBuilder::new("stalls", "Multi-CPU stalls", note, &sorted)
        .column(
            Column::time(
                "at_nanos",
                "Start",
                "When the first of its gaps began, since the start of the probes.",
            ),
            |stall| stall.at.into(),
        )
        .column(
            Column::time(
                "length_nanos",
                "Length",
                "Longest of the gaps, which overlap by half and have no thread or interrupt as their own cause, or \
                 begin and end within 100 µs of each other.",
            )
            .lower_is_better()
            .key_figure(),
            |stall| stall.length.into(),
        )
        .column(
            Column::count("cpus_count", "CPUs", "Number of CPUs with a gap.").lower_is_better(),
            |stall| stall.trials.len().into(),
        )
        .column(Column::text("cpus", "CPU list", "CPUs with a gap."), |stall| {
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

/// Returns a sentence with the number of longer gaps that are excluded because threads of this program caused them.
/// Empty for 0.
pub fn own_gaps(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " 1 longer gap by Jitterscope's own threads is excluded.".to_owned(),
        count => format!(" {count} longer gaps by Jitterscope's own threads are excluded."),
    }
}

/// Judges a complete run of gap probes by the longest gap; `None` without a probe. Gaps up to the first of `limits` are
/// typical of physical PCs, gaps above the second are bad.
fn verdict(report: &Report, limits: (Nanos, Nanos)) -> Option<Verdict> {
    let probes = || with_figures::<GapFigures>(&report.rows);
    let (row, longest) = probes().max_by_key(|(_, gaps)| gaps.graded)?;
    let own: usize = probes().map(|(_, gaps)| gaps.own_gap_count).sum();
    let lost_share = probes().filter_map(|(_, gaps)| gaps.lost_share).fold(0.0, f64::max);
    let (typical, bad) = limits;
    let length = format_time(longest.graded);
    let sentence = if longest.graded <= bad {
        format!("The longest gap on any CPU was {length} in {}.", format_long_time(longest.runtime))
    } else {
        format!("{} had a {length} gap: not suitable for hosting real-time programs.", row.label)
    };
    let limit = if longest.graded <= typical {
        format!(
            "Within the {} typical of physical PCs. Suitable for hosting real-time programs.",
            format_time(typical)
        )
    } else if longest.graded <= bad {
        format!("Above the {} typical of physical PCs.", format_time(typical))
    } else {
        format!("The limit is {}.", format_time(bad))
    };
    let stalls = match report.results::<Stall>().iter().filter(|stall| stall.is_everywhere).count()
    {
        0 => "No machine-wide stall".to_owned(),
        1 => "1 machine-wide stall".to_owned(),
        stalls => format!("{stalls} machine-wide stalls"),
    };
    let evidence = format!(
        "{limit} Up to {} of one CPU's time was lost. {stalls}.{}",
        format_share(lost_share),
        own_gaps(own)
    );
    let finding = Finding::new(sentence, evidence).with_key(Some(format!("longest {length}")));
    Some(Verdict::by(report.rows.iter(), finding))
}

#[cfg(test)]
mod tests;
