//! Game tick: the time per cycle, and its scaling with the number of threads.

mod charts;
mod figures;
mod key;
mod scaling;

pub use figures::TickFigures;
pub use scaling::Scaling;

use super::Report;
use super::model::chart::Chart;
use super::model::configuration::Configuration;
use super::model::evaluation::{Evaluation, Measured, ReferenceTool};
use super::model::figures::{FRAME, Figures};
use super::model::grading::conclude;
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::table::{
    Cell, Column, Positioned, Quantity, SpreadOf, Table, TableBuilder, absent, configurations,
    or_absent, part_cell,
};
use super::model::verdict::{Finding, Verdict};
use crate::nanos::Nanos;
use crate::plan::work::{CycleKind, GameCycle};
use crate::plan::{GameTick, Work};
use crate::run::Run;
use crate::stats::amdahl::SerialFraction;
use crate::stats::{Statistic, Summary, grade};
use crate::units::{count_text, format_ratio, format_share, format_time};

/// Shown in place of a figure that compares a thread count with one thread.
const NO_SINGLE: &str = "one thread was not measured";

/// The content of a table row in addition to its configuration: the cycle and its scaling.
#[derive(Clone, Copy, Debug)]
struct ThreadsLine<'a> {
    cycle: GameCycle,
    scaling: Option<&'a Scaling>,
    serial: Option<SerialFraction>,
}

impl Evaluation for GameTick {
    fn samples_name(&self) -> &'static str {
        // The score of a configuration is the mean over its iterations: more iterations make the
        // score more precise.
        "iterations"
    }

    fn limit(&self) -> Nanos {
        self.budget
    }

    fn figures(&self, measured: &Measured<'_>, _summary: Option<&Summary>) -> Figures {
        figures::figures(measured.trials, self.budget).map_or_else(Figures::default, Figures::of)
    }

    fn results(&self, run: &Run, rows: &[Configuration], _has_intervals: bool) -> Figures {
        Figures::of(scaling::scaling(run, rows))
    }

    fn verdict(&self, run: &Run, report: &Report) -> Verdict {
        let cores = run.machine.physical_cores.unwrap_or(u32::MAX);
        let (mut found, mut parts) = (Vec::new(), Vec::new());
        for kind in [CycleKind::Players, CycleKind::Npcs] {
            let Some(selected) = judged(report, cores, kind) else { continue };
            let Some(ticks) = selected.ticks(report) else { continue };
            found.push(KindFinding::of(selected, ticks));
            parts.extend(selected.part());
        }
        let (grade, standing) = conclude(parts.into_iter());
        Verdict { grade, standing, finding: finding(&found, self.budget) }
    }

    fn tables(&self, run: &Run, report: &Report, _has_intervals: bool) -> Vec<Table> {
        let lines = lines(run, report);
        let line = |position: usize| lines.get(position).copied().flatten();
        let mut sorted: Vec<Positioned<'_>> = report.rows.iter().enumerate().collect();
        sorted.sort_by_key(|(position, _)| {
            line(*position).map(|it| (it.cycle.kind == CycleKind::Npcs, it.cycle.threads))
        });
        let mut table =
            configurations("errors are 99.9% confidence".to_owned(), &sorted, |table| {
                let table = scores(settings(table, &line));
                phases(budgets(scales(table, &line), self.budget), &line)
            });
        for (line, (position, _)) in table.rows.iter_mut().zip(&sorted) {
            let scaling =
                report.results::<Scaling>().iter().find(|scaling| scaling.row == *position);
            if line.caution.is_empty() && scaling.is_some_and(|scaling| scaling.has_wide_error) {
                "the error is above 10% of the time, so it is not graded"
                    .clone_into(&mut line.caution);
            }
        }
        vec![table]
    }

    fn key_figures(&self, run: &Run, report: &Report) -> Vec<KeyFigure> {
        key::key_figures(run, report, self.budget)
    }

    fn grade_place(&self, run: &Run, report: &Report) -> Option<GradePlace> {
        key::grade_place(run, report)
    }

    fn key_columns(&self) -> &'static [&'static str] {
        &[
            "cycle_average_nanos",
            "cycle_error_nanos",
            "speedup",
            "efficiency",
            "serial_share",
            "in_frame_share",
            "in_budget_share",
        ]
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        charts::charts(run, report, self.budget)
    }

    fn reference(&self) -> Option<ReferenceTool> {
        Some(ReferenceTool::Jmh)
    }
}

fn lines<'a>(run: &Run, report: &'a Report) -> Vec<Option<ThreadsLine<'a>>> {
    let cores = run.machine.physical_cores.unwrap_or(u32::MAX);
    let serial_of = |kind| {
        let ticks = report.rows.iter().filter_map(|row| row.figures.get::<TickFigures>());
        let in_cores =
            ticks.filter(|ticks| ticks.cycle.kind == kind && ticks.cycle.threads <= cores);
        let times: Vec<(u32, f64)> = in_cores
            .flat_map(|ticks| ticks.iterations.iter().map(|&mean| (ticks.cycle.threads, mean)))
            .collect();
        SerialFraction::of(&times)
    };
    let serial = [CycleKind::Players, CycleKind::Npcs].map(|kind| (kind, serial_of(kind)));
    let rows = report.rows.iter().enumerate();
    rows.map(|(position, row)| {
        let trial = run.trials.get(*row.trials.first()?)?;
        let Work::GameCycle(cycle) = trial.trial.work else { return None };
        let scaling = report.results::<Scaling>().iter().find(|scaling| scaling.row == position);
        Some(ThreadsLine {
            cycle,
            scaling,
            serial: serial.iter().find(|(kind, _)| *kind == cycle.kind).and_then(|(_, fit)| *fit),
        })
    })
    .collect()
}

type TickTable<'a> = TableBuilder<'a, Positioned<'a>>;

fn settings<'a, 'b>(
    table: TickTable<'a>,
    line: &impl Fn(usize) -> Option<ThreadsLine<'b>>,
) -> TickTable<'a> {
    let of = |position: usize, row: &Configuration, of: fn(GameCycle) -> Cell| {
        line(position).map_or_else(|| absent(row), |line| of(line.cycle))
    };
    table
        .column(
            Column::text("workload", "Workload", "Whether players or NPCs are updated."),
            |(at, row)| of(*at, row, |cycle| Cell::text_of(cycle.kind.name())),
        )
        .pivot(Some("workload"))
        .column(
            Column::count(
                "size_count",
                "Size",
                "Number of players, or of NPCs that each player is updated about.",
            )
            .optional(),
            |(at, row)| {
                of(*at, row, |cycle| {
                    Cell::Count(u64::from(match cycle.kind {
                        CycleKind::Players => cycle.players,
                        CycleKind::Npcs => cycle.npcs,
                    }))
                })
            },
        )
        .pivot(None)
        .column(
            Column::count("threads_count", "Threads", "Number of threads that encode a cycle."),
            |(at, row)| of(*at, row, |cycle| Cell::Count(u64::from(cycle.threads))),
        )
}

fn of_ticks(row: &Configuration, of: impl Fn(&TickFigures) -> Cell) -> Cell {
    row.figures.get::<TickFigures>().map_or_else(|| absent(row), of)
}

/// Titles and definitions of the columns with statistics of the times of single cycles.
const CYCLES: SpreadOf =
    SpreadOf { title: "{}", values: "the times of single cycles", samples: "cycles" };

fn scores(table: TickTable<'_>) -> TickTable<'_> {
    table
        .group("Time per cycle")
        .pivot(Some("workload"))
        .column(
            Column::time(
                "cycle_average_nanos",
                "Per cycle",
                "Mean time of a cycle: the mean of all iterations.",
            )
            .lower_is_better()
            .key_figure(),
            |(_, row)| of_ticks(row, |ticks| Cell::Time(ticks.mean_nanos)),
        )
        .column(
            Column::time(
                "cycle_error_nanos",
                "± error",
                "Half of the 99.9% confidence interval of the mean, by Student's t over iterations.",
            )
            .lower_is_better(),
            |(_, row)| {
                let error = row.figures.get::<TickFigures>().and_then(|ticks| ticks.error_nanos);
                or_absent(row, error.map(Cell::Time), "needs 2 iterations")
            },
        )
        .spread_columns(
            CYCLES,
            &[
                (Statistic::P50, "p50_nanos", Column::optional),
                (Statistic::P99, "p99_nanos", Column::optional),
                (Statistic::Max, "longest_nanos", Column::optional),
            ],
            |(_, row)| {
                let ticks = row.figures.get::<TickFigures>();
                ticks.map(|ticks| &ticks.cycles).ok_or_else(|| absent(row))
            },
        )
}

fn scales<'a, 'b>(
    table: TickTable<'a>,
    line: &impl Fn(usize) -> Option<ThreadsLine<'b>>,
) -> TickTable<'a> {
    let speedup = |at: usize| line(at)?.scaling?.speed_up;
    let table = table
        .group("Scaling")
        .column(
            Column::number(
                "speedup",
                "Speedup",
                "",
                2,
                "One-thread time divided by the time of this thread count.",
            )
            .higher_is_better(),
            |(at, row)| or_absent(row, speedup(*at).map(Cell::Number), NO_SINGLE),
        )
        .column(
            Column::number(
                "efficiency",
                "Efficiency per thread",
                "",
                2,
                "Speedup divided by the number of threads.",
            )
            .higher_is_better(),
            |(at, row)| {
                let threads = line(*at).map_or(1, |line| line.cycle.threads);
                let efficiency = speedup(*at).map(|speedup| speedup / f64::from(threads.max(1)));
                or_absent(row, efficiency.map(Cell::Number), NO_SINGLE)
            },
        )
        .column(
            Column::number(
                "reference_ratio",
                "Ratio",
                "",
                2,
                "One-thread time / time / physical cores used, as RSProt prints it.",
            )
            .higher_is_better()
            .optional(),
            |(at, row)| {
                let ratio = line(*at).and_then(|line| line.scaling?.efficiency);
                or_absent(row, ratio.map(Cell::Number), NO_SINGLE)
            },
        )
        .column(
            Column::number(
                "reference_ratio_error",
                "Ratio ± error",
                "",
                2,
                "Error of the ratio, from the 99.9% errors of both times.",
            )
            .lower_is_better()
            .optional(),
            |(at, row)| {
                let error = line(*at).and_then(|line| line.scaling?.efficiency_error);
                or_absent(row, error.map(Cell::Number), "needs 2 iterations, of one thread as well")
            },
        );
    serial(table, line)
}

fn serial<'a, 'b>(
    table: TickTable<'a>,
    line: &impl Fn(usize) -> Option<ThreadsLine<'b>>,
) -> TickTable<'a> {
    let fit = |at: usize| line(at)?.serial;
    table
        .column(
            Column::share(
                "serial_share",
                "Serial fraction",
                "Share of the one-thread time that more threads do not shorten: fit of Amdahl's law to all \
                 iterations of up to one thread per physical core.",
            )
            .lower_is_better()
            .optional(),
            |(at, row)| {
                let share = fit(*at).map(|fit| Cell::Share(fit.share));
                or_absent(row, share, "needs 2 thread counts up to the number of physical cores")
            },
        )
        .column(
            Column::share(
                "serial_ci_share",
                "Serial fraction 95% CI",
                "95% confidence interval of the serial fraction.",
            )
            .interval()
            .optional(),
            |(at, row)| {
                let interval = fit(*at).and_then(|fit| fit.interval);
                let cell = interval.map(|(low, high)| Cell::Interval(Quantity::Share, low, high));
                or_absent(row, cell, "needs 2 thread counts and 3 iterations")
            },
        )
        .column(
            Column::share(
                "karp_flatt_share",
                "Serial fraction, this count",
                "Serial fraction from this thread count and one thread alone (Karp and Flatt).",
            )
            .lower_is_better()
            .optional(),
            |(at, row)| {
                let share = line(*at).and_then(|line| line.scaling?.serial_share);
                or_absent(row, share.map(Cell::Share), "needs several threads on several cores")
            },
        )
}

fn budgets(table: TickTable<'_>, budget: Nanos) -> TickTable<'_> {
    let length = format_time(budget);
    let share_of = |row: &Configuration, budget: Nanos| {
        of_ticks(row, |ticks| Cell::Share(ticks.mean_nanos / budget.as_f64().max(1.0)))
    };
    table
        .group("Budget")
        .column(
            Column::share(
                "of_budget_share",
                "Of budget",
                format!("Mean time of a cycle / {length}."),
            )
            .lower_is_better(),
            move |(_, row)| share_of(row, budget),
        )
        .column(
            Column::share(
                "of_frame_share",
                "Of frame",
                "Mean time of a cycle / 16.7 ms, a frame at 60 FPS.",
            )
            .lower_is_better()
            .optional(),
            move |(_, row)| share_of(row, FRAME),
        )
        .column(
            Column::share(
                "in_budget_share",
                "Within budget",
                format!("Share of cycles that took {length} or less."),
            )
            .higher_is_better()
            .optional(),
            |(_, row)| of_ticks(row, |ticks| Cell::Share(ticks.in_budget)),
        )
        .column(
            Column::share(
                "in_frame_share",
                "Within frame",
                "Share of cycles that took 16.7 ms or less, a frame at 60 FPS.",
            )
            .higher_is_better()
            .optional(),
            |(_, row)| of_ticks(row, |ticks| Cell::Share(ticks.in_frame)),
        )
}

fn phases<'a, 'b>(
    mut table: TickTable<'a>,
    line: &impl Fn(usize) -> Option<ThreadsLine<'b>>,
) -> TickTable<'a> {
    let named = [
        ("moving_nanos", "Move", "Mean time per cycle to move everyone, on one thread."),
        ("preparing_nanos", "Prepare", "Mean time per cycle to encode what all players share."),
        ("encoding_nanos", "Encode", "Mean time per cycle to encode the packets, on all threads."),
        ("releasing_nanos", "Release", "Mean time per cycle to clean up."),
    ];
    table = table.group("Phases");
    for (phase, (key, title, definition)) in named.into_iter().enumerate() {
        let column = Column::time(key, title, definition).lower_is_better().optional();
        table = table.column(column, |(_, row)| {
            let time = row
                .figures
                .get::<TickFigures>()
                .and_then(|ticks| ticks.phase_nanos?.get(phase).copied());
            or_absent(row, time.map(Cell::Time), "known when the iteration has ended")
        });
    }
    table
        .column(
            Column::number(
                "bytes_per_cycle",
                "Bytes per cycle",
                "B",
                0,
                "Bytes of all packets of a cycle: the last one of each iteration, on average.",
            )
            .optional(),
            |(_, row)| {
                let bytes = row.figures.get::<TickFigures>().and_then(|ticks| ticks.packet_bytes);
                or_absent(row, bytes.map(Cell::Number), "known when the iteration has ended")
            },
        )
        .group("Samples and conditions")
        .column(
            Column::grade({
                let [excellent, good, fair] = grade::TICK_LOSS.upper.map(|loss| 1.0 - loss);
                format!(
                    "Grade of the ratio: excellent from {excellent:.2}, good from {good:.2}, fair from {fair:.2}; \
                     not of one thread."
                )
            }),
            |(at, _)| {
                scaling_grade(line(*at).and_then(|line| line.scaling))
            },
        )
}

/// Returns the scaling by which a workload is graded: that of the highest measured thread count up
/// to `cores`, the number of physical cores. If every measured count is higher, it is that of the
/// last one.
fn judged(report: &Report, cores: u32, kind: CycleKind) -> Option<&Scaling> {
    let of_kind = || report.results::<Scaling>().iter().filter(|scaling| scaling.kind == kind);
    let at_cores = of_kind().filter(|scaling| scaling.threads <= cores).max_by_key(|s| s.threads);
    at_cores.or_else(|| of_kind().next_back())
}

/// The finding for one workload.
struct KindFinding {
    /// The number of players or non-player characters, such as "2 000 players".
    who: String,
    /// The graded thread count: the highest measured one up to the number of physical cores.
    threads: u32,
    mean: Nanos,
    /// The mean time and half the width of its 99.9% interval, as text.
    time: String,
    efficiency: Option<f64>,
    /// The name of the workload with its grade, or with why it has none; `None` if it cannot be graded at
    /// all.
    grade: Option<String>,
}

impl KindFinding {
    fn of(scaling: &Scaling, ticks: &TickFigures) -> Self {
        let (count, name) = match scaling.kind {
            CycleKind::Players => (ticks.cycle.players, "players"),
            CycleKind::Npcs => (ticks.cycle.npcs, "NPCs"),
        };
        let mean = Nanos::from_nanos_f64(ticks.mean_nanos);
        let millis = mean.as_millis();
        Self {
            who: count_text(count, name),
            threads: scaling.threads,
            mean,
            time: ticks.error_nanos.map(Nanos::from_nanos_f64).map_or_else(
                || format!("{millis:.1} ms"),
                |error| format!("{millis:.1} ± {:.1} ms", error.as_millis()),
            ),
            efficiency: scaling.efficiency.filter(|_| 1 < scaling.threads),
            grade: scaling.part().map(|part| {
                let (grade, standing) = conclude(std::iter::once(part));
                let doubt = standing.doubt().unwrap_or("not graded").to_lowercase();
                let word = grade.map_or(doubt, |grade| grade.word().to_owned());
                format!("{} {word}", scaling.kind.name())
            }),
        }
    }
}

fn finding(found: &[KindFinding], budget: Nanos) -> Finding {
    let Some(first) = found.first() else { return Finding::nothing("cycles") };
    let threads = if first.threads == 1 { "thread" } else { "threads" };
    let sentence =
        format!("A cycle with {} takes {} on {} {threads}.", first.who, first.time, first.threads);
    let of_budget = |kind: &KindFinding| {
        format!(
            "{}: {}, {} of the {} budget{}",
            kind.who,
            kind.time,
            format_share(kind.mean.as_f64() / budget.as_f64().max(1.0)),
            format_time(budget),
            kind.efficiency.map_or(String::new(), |efficiency| {
                format!(", efficiency per core {}", format_ratio(efficiency))
            })
        )
    };
    let [excellent, good, fair] = grade::TICK_LOSS.upper.map(|loss| 1.0 - loss);
    let evidence = format!(
        "{}. Excellent from {excellent:.2}, Good from {good:.2}, Fair from {fair:.2}.",
        found.iter().map(of_budget).collect::<Vec<_>>().join("; ")
    );
    let grades: Vec<&str> = found.iter().filter_map(|kind| kind.grade.as_deref()).collect();
    Finding {
        word: (!grades.is_empty()).then(|| grades.join(", ")),
        ..Finding::new(sentence, evidence)
            .with_key(Some(format!("{} per cycle", format_time(first.mean))))
    }
}

/// Returns the cell with the grade of an efficiency, or with the reason why there is none.
fn scaling_grade(scaling: Option<&Scaling>) -> Cell {
    let Some(scaling) = scaling else { return Cell::Absent("one thread was not measured".into()) };
    part_cell(scaling.part(), "iterations")
        .unwrap_or(Cell::Absent("needs several threads and a complete measurement".into()))
}

#[cfg(test)]
mod tests;
