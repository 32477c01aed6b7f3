//! The tables of a comparison as typed columns: the changes of one run, and the conditions.

use super::cells::{Cells, cells, metric_unit};
use super::changes::definition;
use crate::report::comparison::words::{HOW_EVALUATED, NOISE_FLOOR, letter, result, why};
use crate::report::comparison::{ComparedRow, Condition, Figure, MAX_RUNS};
use crate::report::table::{Cell, Column, TableBuilder};
use crate::report::{Comparison, Table};
use crate::stats::Outcome;

/// The keys of the columns with a value per run.
const SIDES: [&str; MAX_RUNS] = ["a", "b", "c", "d"];

/// Returns one of the texts of a change.
type Part = fn(&Cells) -> &String;

/// A metric with its change, and what explains them.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The metric in all runs.
    pub figure: Figure,
    /// The definition of the metric; empty if its name is sufficient.
    pub definition: String,
    /// Why the metric is not evaluated, if there is a reason besides that of the change.
    pub why: Option<String>,
}

impl Difference {
    /// Returns the metrics of a configuration as they are evaluated.
    pub fn all(row: &ComparedRow) -> Vec<Self> {
        let of = |figure: &Figure| {
            let definition = definition(row, &figure.metric);
            Self { figure: figure.clone(), definition, why: None }
        };
        row.figures.iter().map(of).collect()
    }

    fn explanation(&self, run: usize) -> String {
        let delta = self.figure.deltas.get(run).copied().flatten();
        let own = self.why.clone().filter(|_| {
            let result = delta.map(|delta| delta.result);
            matches!(result, Some(Outcome::NotEvaluated | Outcome::NotEnoughData))
        });
        own.or_else(|| why(&delta?)).unwrap_or_else(|| HOW_EVALUATED.to_owned())
    }
}

/// Returns the table of the changes from the baseline to a run, with one row per metric of a configuration.
pub fn difference_table(
    comparison: &Comparison,
    row: &ComparedRow,
    run: usize,
    differences: &[Difference],
) -> Table {
    let unit = metric_unit(row);
    let (value, run_letter) = (comparison.value_name, letter(run));
    let baseline = letter(comparison.baseline);
    let note = format!("{value} in {}, {run_letter} compared with {baseline}", unit.symbol());
    let lines: Vec<(&Difference, Cells)> =
        differences.iter().map(|one| (one, cells(&one.figure, run, unit))).collect();
    let metric = Column::text("metric", "Metric", "What is compared.");
    let builder = TableBuilder::new("differences", "Differences", note, &lines)
        .column(metric, |(one, _)| Cell::text_of(one.figure.metric.title));
    let number = |key, title, definition| Column::mixed(key, title, definition);
    let change = format!("Change from {baseline} to {run_letter}.");
    let relative = format!("The change as a share of the value of {baseline}.");
    let interval = "95% confidence interval of the change, from 2\u{202f}000 resamples.".to_owned();
    let parts: [(Column, Part); 4] = [
        (number("change", "Change", change), |cells| &cells.change),
        (number("change_share", "%", relative), |cells| &cells.percent),
        (number("change_ci", "95% CI", interval), |cells| &cells.interval),
        (number("noise", "Noise floor", NOISE_FLOOR.to_owned()), |cells| &cells.noise),
    ];
    let builder =
        sides(builder, comparison.count, Column::mixed, |(_, cells), side| cells.values.get(side));
    let outcome = |one: &Difference| one.figure.deltas.get(run).copied().flatten();
    parts
        .into_iter()
        .fold(builder, |builder, (column, part)| {
            builder.column(column, move |(_, cells)| Cell::text_of(part(cells)))
        })
        .column(Column::text("result", "Result", HOW_EVALUATED), |(one, _)| {
            Cell::Text(outcome(one).map_or_else(String::new, |delta| result(&delta)))
        })
        .column(Column::text("definition", "Definition", "What the metric is.").optional(), |it| {
            Cell::text_of(&it.0.definition)
        })
        .column(Column::text("why", "Reason", "What the result is based on.").optional(), |it| {
            Cell::Text(it.0.explanation(run))
        })
        .finish()
}

/// Returns the table of machines and settings, the likeliest to matter first.
pub fn condition_table(comparison: &Comparison, conditions: &[&Condition]) -> Table {
    let name = Column::text("condition", "Condition", "A setting, or a property of the machine.");
    let builder =
        TableBuilder::new("conditions", "Machines and settings", String::new(), conditions)
            .column(name, |one| Cell::text_of(&one.name));
    sides(builder, comparison.count, Column::text, |one, side| one.values.get(side))
        .column(
            Column::text("effect", "Effect", "Whether the difference may matter for the result."),
            |one| Cell::text_of(one.weight.words()),
        )
        .finish()
}

/// Adds a column per run.
fn sides<T>(
    builder: TableBuilder<'_, T>,
    count: usize,
    column: fn(&'static str, String, &'static str) -> Column,
    value: impl Fn(&T, usize) -> Option<&String>,
) -> TableBuilder<'_, T> {
    SIDES.into_iter().zip(0..count).fold(builder, |builder, (key, side)| {
        let column = column(key, letter(side).to_string(), "The value in this run.");
        builder.column(Column { series: Some(side), ..column }, |one| {
            value(one, side).map_or(Cell::Absent("not measured".into()), Cell::text_of)
        })
    })
}
