//! Spin strategies: how far busy waits overshoot, how long an iteration takes, and which strategy
//! is best.

mod charts;
mod key;

use std::cmp::Reverse;
use std::convert::identity;

use super::Report;
use super::model::chart::Chart;
use super::model::configuration::{Configuration, with_figures};
use super::model::evaluation::{Evaluation, Measured, ReferenceTool};
use super::model::figures::Figures;
use super::model::grading::Grading;
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::ranking::evaluated;
use super::model::table::{
    Cell, Column, NOT_REPORTED, Positioned, Table, TableBuilder, absent, configurations,
    grade_cell, load_label, or_absent, usage_columns,
};
use super::model::verdict::{Finding, Verdict, grades_phrase, worst_grades};
use super::waits::{
    cpu_cell, durations_of, durations_or_absent, figures, most_waits, of_waits, overshoot_of,
    overshoot_or_absent, time,
};
use crate::nanos::Nanos;
use crate::plan::{SpinStrategies, SpinStrategy};
use crate::report::waits::WaitFigures;
use crate::run::Run;
use crate::stats::interval::MIN_MEAN_COUNT;
use crate::stats::{Grade, Statistic, Summary, grade};
use crate::units::format_time;

/// Maximum duration of the waits by which spinning is graded.
pub(super) const SPIN_UP_TO: Nanos = Nanos::from_millis(1);
/// Clock reads dominate a wait that is shorter than the time of this many reads.
const FEWEST_READS: f64 = 20.0;

impl Evaluation for SpinStrategies {
    fn figures(&self, measured: &Measured<'_>, _summary: Option<&Summary>) -> Figures {
        figures(measured)
    }

    /// Returns the grades that the mean overshoot of a configuration allows; `None` if the
    /// configuration has no waits or did not run as requested.
    fn grading(&self, row: &Configuration) -> Option<Grading> {
        let waits = row.figures.get::<WaitFigures>().filter(|_| row.is_as_requested())?;
        let (mean, count) = (mean(row), waits.actual.count);
        let each = waits.requested + Nanos::from_nanos_f64(mean);
        let Some(interval) = waits.overshoot_mean_interval else {
            let missing = MIN_MEAN_COUNT.saturating_sub(count);
            return Some(Grading::unknown(Grade::Excellent, missing, each));
        };
        Some(Grading::of(&grade::SPIN_OVERSHOOT, mean, interval, count, each))
    }

    fn verdict(&self, _run: &Run, report: &Report) -> Verdict {
        verdict(&report.rows)
            .unwrap_or(Verdict::without_grade(Finding::nothing(self.samples_name())))
    }

    fn tables(&self, run: &Run, report: &Report, _has_intervals: bool) -> Vec<Table> {
        let rows = &report.rows;
        let mut sorted: Vec<Positioned<'_>> = rows.iter().enumerate().collect();
        sorted.sort_by_key(|(_, row)| place(row));
        let note = format!("up to {} waits each", most_waits(rows));
        let mut table = configurations(note, &sorted, |table| {
            costs(overshoots(durations(iterations(settings(table))), rows))
        });
        for (line, (_, row)) in table.rows.iter_mut().zip(&sorted) {
            line.is_key = rank(rows, row) == Ok(Rank::Best);
            let reads = row.period.as_f64() / run.clock.read_cost_nanos;
            if line.caution.is_empty() && reads < FEWEST_READS {
                line.caution = format!("the clock read dominates: {reads:.1} reads per wait");
            }
        }
        vec![table]
    }

    fn key_figures(&self, _run: &Run, report: &Report) -> Vec<KeyFigure> {
        key::key_figures(report)
    }

    fn grade_place(&self, _run: &Run, report: &Report) -> Option<GradePlace> {
        key::grade_place(&report.rows)
    }

    fn key_columns(&self) -> &'static [&'static str] {
        &[
            "overshoot_average_nanos",
            "overshoot_p99_nanos",
            "overshoot_max_nanos",
            "iteration_nanos",
            "cpu_per_wait_nanos",
            "rank",
        ]
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        charts::charts(run, report)
    }

    fn reference(&self) -> Option<ReferenceTool> {
        Some(ReferenceTool::SpinStrategies)
    }
}

const fn strategy(row: &Configuration) -> Option<SpinStrategy> {
    row.wait.strategy()
}

/// Returns the sort key of a configuration: the longest wait first, idle before background load,
/// strategies in the order of `SpinStrategy::ALL`.
fn place(row: &Configuration) -> (Reverse<Nanos>, bool, Option<usize>) {
    let strategy = strategy(row);
    let position = SpinStrategy::ALL.iter().position(|&one| Some(one) == strategy);
    (Reverse(row.period), !row.load.is_none(), position)
}

type SpinTable<'a> = TableBuilder<'a, Positioned<'a>>;

fn settings(table: SpinTable<'_>) -> SpinTable<'_> {
    table
        .column(
            Column::setting("requested_nanos", "Requested", "Requested duration of each wait."),
            |(_, row)| row.period.into(),
        )
        .column(
            Column::text(
                "strategy",
                "Strategy",
                "What the loop does between two clock reads: nothing, the CPU's spin hint, or a yield.",
            ),
            |(_, row)| match strategy(row) {
                Some(strategy) => Cell::text_of(strategy.name()),
                None => Cell::Absent("not a spin".into()),
            },
        )
        .column(
            Column::text("condition", "Condition", "Background load during the waits."),
            |(_, row)| Cell::Text(load_label(&row.load)),
        )
}

fn iterations(table: SpinTable<'_>) -> SpinTable<'_> {
    table
        .group("Iterations")
        .pivot(Some("condition"))
        .column(
            Column::number(
                "iterations_per_wait",
                "Iterations",
                "",
                1,
                "Mean number of iterations per wait; each reads the clock once.",
            ),
            |(_, row)| of_waits(row, |waits| Cell::Number(waits.spins)),
        )
        .column(
            time(
                "iteration_nanos",
                "Per iteration",
                "Time per iteration: all waits over all iterations.",
            )
            .optional(),
            |(_, row)| {
                let turn = row.figures.get::<WaitFigures>().and_then(|waits| waits.turn_nanos);
                or_absent(row, turn.map(Cell::Time), "no wait took an iteration")
            },
        )
}

fn durations(table: SpinTable<'_>) -> SpinTable<'_> {
    table
        .group("Duration")
        .spread_columns(
            durations_of("waits"),
            &[(Statistic::Mean, "average_nanos", Column::optional)],
            durations_or_absent,
        )
        .column(
            time(
                "second_reading_average_nanos",
                "Mean, second reading",
                "Mean of the durations by a second clock read after each wait, as spin_sleep measures it.",
            )
            .optional(),
            |(_, row)| of_waits(row, |waits| Cell::Time(waits.second_reading_nanos)),
        )
}

fn overshoots<'a>(table: SpinTable<'a>, rows: &[Configuration]) -> SpinTable<'a> {
    table
        .group("Overshoot")
        .spread_columns(
            overshoot_of("waits"),
            &[
                (Statistic::Mean, "overshoot_average_nanos", Column::key_figure),
                (Statistic::P50, "overshoot_p50_nanos", Column::optional),
                (Statistic::P99, "overshoot_p99_nanos", identity),
                (Statistic::Max, "overshoot_max_nanos", Column::optional),
            ],
            overshoot_or_absent,
        )
        .column(
            Column::text(
                "rank",
                "Rank",
                "Whether the strategy has the lowest mean overshoot of this duration and condition; \
                 tied where the 95% intervals overlap.",
            )
            .optional(),
            |(_, row)| match rank(rows, row) {
                Ok(rank) => Cell::text_of(rank.name()),
                Err(_) if row.summary.is_none() => absent(row),
                Err(reason) => Cell::Absent(reason.into()),
            },
        )
}

fn costs(table: SpinTable<'_>) -> SpinTable<'_> {
    let table = table
        .group("CPU use")
        .column(
            time(
                "cpu_per_wait_nanos",
                "CPU per wait",
                "CPU time of the measuring thread per wait.",
            )
            .optional(),
            cpu_cell,
        )
        .column(
            Column::number(
                "involuntary_switches_per_1000_waits",
                "Involuntary switches per 1\u{202f}000 waits",
                "",
                1,
                "Preemptions of the measuring thread per 1\u{202f}000 waits.",
            )
            .lower_is_better()
            .optional(),
            |(_, row)| {
                let switches = row.figures.get::<WaitFigures>().and_then(|waits| waits.switches);
                or_absent(row, switches.map(Cell::Number), NOT_REPORTED)
            },
        );
    let table = usage_columns(table.pivot(None));
    table.group("Samples and conditions").pivot(Some("condition")).column(
        Column::grade(format!("Grade of the mean overshoot: {}.", grade::SPIN_OVERSHOOT.steps())),
        |(_, row)| grade_cell(row, "waits", "needs a complete measurement"),
    )
}

/// The rank of a strategy among all strategies with the same duration and background load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    Best,
    Tied,
    NotBest,
}

impl Rank {
    const fn name(self) -> &'static str {
        match self {
            Self::Best => "Best",
            Self::Tied => "Tied for best",
            Self::NotBest => "Not best",
        }
    }
}

fn mean(row: &Configuration) -> f64 {
    row.lateness().map_or(0.0, |overshoot| overshoot.mean_nanos)
}

fn mean_interval(row: &Configuration) -> Option<(f64, f64)> {
    row.figures.get::<WaitFigures>()?.overshoot_mean_interval
}

/// Returns whether the 95% interval of the mean overshoot of `row` is above the interval of `than`.
fn is_clearly_worse(row: &Configuration, than: &Configuration) -> bool {
    let ends = mean_interval(row).zip(mean_interval(than));
    ends.is_some_and(|((low, _), (_, high))| high < low)
}

/// Ranks the strategy of `row` by mean overshoot among rows with the same duration and load. The
/// error is the reason why the strategy cannot be ranked.
fn rank(rows: &[Configuration], row: &Configuration) -> Result<Rank, &'static str> {
    let is_rival = |other: &&Configuration| (other.period, &other.load) == (row.period, &row.load);
    let rivals: Vec<&Configuration> = evaluated(rows).filter(is_rival).collect();
    if !rivals.iter().any(|rival| std::ptr::eq(*rival, row)) {
        return Err("needs 100 waits, measured to the end and as requested");
    }
    let best = rivals.iter().min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let Some(&best) = best.filter(|_| 1 < rivals.len()) else {
        return Err("no other strategy can be compared");
    };
    if rivals.iter().any(|rival| mean_interval(rival).is_none()) {
        return Err("known when the run is complete");
    }
    let ties = rivals.iter().filter(|rival| !is_clearly_worse(rival, best)).count();
    Ok(match (is_clearly_worse(row, best), ties) {
        (true, _) => Rank::NotBest,
        (false, 1) => Rank::Best,
        (false, _) => Rank::Tied,
    })
}

/// Returns whether the run has waits of up to 1 ms.
fn has_short(rows: &[Configuration]) -> bool {
    with_figures::<WaitFigures>(rows).any(|(_, figures)| figures.requested <= SPIN_UP_TO)
}

/// Returns the rows by which a strategy is judged: waits of up to 1 ms, or all waits if the run has
/// no wait that short.
fn rows_of(rows: &[Configuration], wanted: SpinStrategy) -> impl Iterator<Item = &Configuration> {
    let has_short = has_short(rows);
    with_figures::<WaitFigures>(rows)
        .filter(move |(row, figures)| {
            strategy(row) == Some(wanted) && (!has_short || figures.requested <= SPIN_UP_TO)
        })
        .map(|(row, _)| row)
}

/// Returns whether the strategy `one` is clearly worse than the strategy `by` for some duration and
/// load, and clearly better for none.
fn is_beaten(rows: &[Configuration], one: SpinStrategy, by: SpinStrategy) -> bool {
    let pairs = || {
        rows_of(rows, one).flat_map(|row| {
            let is_same = move |other: &&Configuration| {
                (other.period, &other.load) == (row.period, &row.load)
            };
            rows_of(rows, by).filter(is_same).map(move |other| (row, other))
        })
    };
    pairs().any(|(row, other)| is_clearly_worse(row, other))
        && !pairs().any(|(row, other)| is_clearly_worse(other, row))
}

/// Returns the strategies that were measured.
fn measured(rows: &[Configuration]) -> Vec<SpinStrategy> {
    let all = SpinStrategy::ALL.into_iter();
    all.filter(|&strategy| rows_of(rows, strategy).next().is_some()).collect()
}

/// Returns the grades of a strategy, for which the worst of its rows decides; `None` if no row is
/// graded.
fn grading_of(rows: &[Configuration], wanted: SpinStrategy) -> Option<Grading> {
    rows_of(rows, wanted).filter_map(|row| row.grading).reduce(Grading::or_worse)
}

fn worst_grade(rows: &[Configuration], wanted: SpinStrategy) -> Grade {
    grading_of(rows, wanted).map_or(Grade::Poor, |grading| grading.worst)
}

/// Returns the strategy to recommend: the one whose worst grade is the best. Of equal ones, the one
/// with the lowest mean overshoot in its worst row.
fn recommended(rows: &[Configuration]) -> Option<SpinStrategy> {
    let worst = |wanted| rows_of(rows, wanted).map(mean).fold(0.0, f64::max);
    let grade = |wanted| worst_grade(rows, wanted);
    measured(rows)
        .into_iter()
        .min_by(|&a, &b| grade(a).cmp(&grade(b)).then(worst(a).total_cmp(&worst(b))))
}

/// Returns the verdict on a complete run of spins; `None` if no strategy was measured.
fn verdict(rows: &[Configuration]) -> Option<Verdict> {
    let measured = measured(rows);
    let first = recommended(rows)?;
    if !rows.iter().any(Configuration::is_as_requested) {
        return Some(Verdict::without_grade(Finding::nothing_as_requested()));
    }
    let is_avoided = |strategy: &SpinStrategy| {
        grading_of(rows, *strategy).is_some_and(|it| worst_grade(rows, first) < it.best)
            && worst_grade(rows, *strategy) == Grade::Poor
    };
    let rest = measured.iter().copied().filter(|&one| one != first);
    let tied = rest.filter(|&one| !is_beaten(rows, one, first) && !is_avoided(&one));
    let worst_row = with_figures::<WaitFigures>(rows)
        .map(|(row, _)| row)
        .max_by(|a, b| mean(a).total_cmp(&mean(b)))?;
    let best: Vec<SpinStrategy> = std::iter::once(first).chain(tied).collect();
    let avoid: Vec<SpinStrategy> = measured.iter().copied().filter(is_avoided).collect();
    let grades = worst_grades(rows_of(rows, first));
    let evidence = format!(
        "Weakest result: {}, with a mean overshoot of {}. {}{}.",
        worst_row.label,
        format_time(Nanos::from_nanos_f64(mean(worst_row))),
        grade::SPIN_OVERSHOOT.sentence(),
        if grades.1.is_some_and(|load| load.worst() == Grade::Poor) {
            "; under load, every strategy overshoots"
        } else {
            ""
        },
    );
    let has_intervals =
        |&one: &SpinStrategy| rows_of(rows, one).all(|row| mean_interval(row).is_some());
    let finding = if 1 < best.len() && !best.iter().all(has_intervals) {
        Finding::new("Too few waits to compare the strategies.", evidence)
    } else {
        Finding::new(sentence(&best, &avoid, measured.len(), has_short(rows)), evidence)
            .with_key(Some(first.phrase().trim_start_matches("a ").to_owned()))
    };
    let finding = Finding { word: grades_phrase(grades), ..finding };
    Some(Verdict::by(rows_of(rows, first), finding))
}

/// Returns the sentence of the verdict, which recommends the strategies `best` and advises against the
/// strategies `avoid`. `measured` is the number of measured strategies. If `is_short`, only waits up to
/// 1 ms count.
fn sentence(
    best: &[SpinStrategy],
    avoid: &[SpinStrategy],
    measured: usize,
    is_short: bool,
) -> String {
    let names = |of: &[SpinStrategy], between: &str| {
        of.iter().map(|strategy| strategy.phrase()).collect::<Vec<_>>().join(between)
    };
    let mut sentence = match best {
        [only] if measured < 2 => format!(
            "Only {} was measured. Measure at least two strategies to compare them.",
            only.phrase()
        ),
        [_, _, ..] if best.len() == measured => {
            format!("No clear difference between {}.", names(best, " and "))
        }
        best if is_short => format!("Use {} for waits up to 1 ms.", names(best, " or ")),
        best => format!("Use {}.", names(best, " or ")),
    };
    if !avoid.is_empty() {
        sentence.push_str(&format!(" Do not use {} on this PC.", names(avoid, " or ")));
    }
    sentence
}

#[cfg(test)]
mod tests;
