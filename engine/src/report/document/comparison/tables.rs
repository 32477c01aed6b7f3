//! The tables of a comparison as typed columns: the changes of all sides, and the conditions.

use super::cells::{Cells, cells, metric_unit};
use super::changes::definition;
use crate::report::comparison::words::{HOW_EVALUATED, NOISE_FLOOR, letter, result, why};
use crate::report::comparison::{ComparedRow, Condition, Figure, MAX_GROUPS};
use crate::report::table::{Cell, Column, TableBuilder};
use crate::report::{Comparison, Table};
use crate::stats::Outcome;

/// The keys of the columns with a value per run or group.
const SIDES: [&str; MAX_GROUPS] = ["a", "b", "c", "d", "e", "f"];

/// Returns one of the texts of a change.
type ChangeText = fn(&Cells) -> &String;

/// A metric with its change, and what explains them.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The metric in all runs.
    pub figure: Figure,
    /// The definition of the metric; empty if its name is sufficient.
    pub definition: String,
    /// For each side, why the metric is not evaluated, if there is a reason besides that of the change; may be empty.
    pub why: Vec<Option<String>>,
}

impl Difference {
    /// Returns the metrics of a configuration as they are evaluated.
    pub fn all(row: &ComparedRow) -> Vec<Self> {
        let of = |figure: &Figure| {
            let definition = definition(row, &figure.metric);
            Self { figure: figure.clone(), definition, why: Vec::new() }
        };
        row.figures.iter().map(of).collect()
    }

    fn explanation(&self, run: usize) -> String {
        let delta = self.figure.deltas.get(run).copied().flatten();
        let own = self.why.get(run).cloned().flatten().filter(|_| {
            let result = delta.map(|delta| delta.result);
            matches!(result, Some(Outcome::NotEvaluated | Outcome::NotEnoughData))
        });
        own.or_else(|| why(&delta?)).unwrap_or_else(|| HOW_EVALUATED.to_owned())
    }
}

/// A row of the table of changes: a metric, the side that is compared with the baseline, and the texts of its change.
struct DifferenceLine<'a> {
    one: &'a Difference,
    side: usize,
    cells: Cells,
}

/// Returns the table of the changes from the baseline to all other sides, with one row per metric of a configuration and
/// per side.
pub fn difference_table(
    comparison: &Comparison,
    row: &ComparedRow,
    differences: &[Difference],
) -> Table {
    let unit = metric_unit(row);
    let value = comparison.value_name;
    let baseline = letter(comparison.baseline);
    let others: Vec<usize> =
        (0..comparison.count).filter(|side| *side != comparison.baseline).collect();
    let compared = match others.as_slice() {
        [one] => letter(*one).to_string(),
        _ => "each".to_owned(),
    };
    let note = format!("{value} in {}, {compared} compared with {baseline}", unit.symbol());
    let mut lines: Vec<DifferenceLine<'_>> = Vec::new();
    for one in differences {
        let line =
            |&side: &usize| DifferenceLine { one, side, cells: cells(&one.figure, side, unit) };
        lines.extend(others.iter().map(line));
    }
    let metric = Column::text("metric", "Metric", "What is compared.");
    let mut builder = TableBuilder::new("differences", "Differences", note, &lines)
        .column(metric, |line| Cell::text_of(line.one.figure.metric.title));
    if 1 < others.len() {
        let words = format!("What is compared with {baseline}.");
        let column = Column::text("compared", "Compared", words);
        builder = builder.column(column, |line| Cell::Text(letter(line.side).to_string()));
    }
    let number = |key, title, definition| Column::mixed(key, title, definition);
    let change = format!("Change from {baseline}.");
    let relative = format!("The change as a share of the value of {baseline}.");
    let interval = "95% confidence interval of the change, from 2\u{202f}000 resamples.".to_owned();
    let parts: [(Column, ChangeText); 4] = [
        (number("change", "Change", change), |cells| &cells.change),
        (number("change_share", "%", relative), |cells| &cells.percent),
        (number("change_ci", "95% CI", interval), |cells| &cells.interval),
        (number("noise", "Noise floor", NOISE_FLOOR.to_owned()), |cells| &cells.noise),
    ];
    let builder =
        sides(builder, comparison.count, Column::mixed, |line, side| line.cells.values.get(side));
    let outcome =
        |line: &DifferenceLine<'_>| line.one.figure.deltas.get(line.side).copied().flatten();
    parts
        .into_iter()
        .fold(builder, |builder, (column, part)| {
            builder.column(column, move |line| Cell::text_of(part(&line.cells)))
        })
        .column(Column::text("result", "Result", HOW_EVALUATED), |line| {
            Cell::Text(outcome(line).map_or_else(String::new, |delta| result(&delta)))
        })
        .column(
            Column::text("definition", "Definition", "What the metric is.").optional(),
            |line| Cell::text_of(&line.one.definition),
        )
        .column(Column::text("why", "Reason", "What the result is based on.").optional(), |line| {
            Cell::Text(line.one.explanation(line.side))
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
