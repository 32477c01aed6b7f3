//! Writes a comparison as a table for a terminal, as HTML or Markdown, or as JSON for programs.

use std::borrow::Cow;

use jitterscope_engine::export::markdown;
use jitterscope_engine::format::{self, PriorRecord};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::{ComparedRow, Reason, Relevance, Variation};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use serde_json::{Value, json};

use super::super::names::{self, Place};
use super::super::print::columns;
use crate::text::compare::{self, Compared, Evaluated, conditions, differences, legend, remarks};
use crate::text::{self as words};

/// Returns the comparison as text for a terminal.
pub(super) fn table(comparison: &Comparison, runs: &Evaluated<'_>) -> String {
    let mut text = legend(comparison, runs).join("\n");
    text.push_str(&format!("\n\n{}\n", compare::sentence(comparison)));
    text.push_str(&format!("{}\n", compare::evidence(comparison)));
    for remark in remarks(comparison) {
        text.push_str(&format!("  {remark}\n"));
    }
    let differing = conditions(comparison);
    if 1 < differing.len() {
        text.push_str("\nDifferences in machine and settings\n\n");
        columns(&mut text, &differing);
    }
    for row in &comparison.rows {
        let unit = compare::metric_unit(row).symbol();
        text.push_str(&format!("\n{}: {} in {unit}\n\n", row.label, comparison.value_name));
        columns(&mut text, &differences(comparison, row));
    }
    if !comparison.rows.is_empty() {
        text.push_str(&format!("\n{}", compare::noise_floor(comparison)));
        text.push_str(
            "\nIntervals: moving-block bootstrap, 2\u{202f}000 resamples. Max is shown without a result: \
             it grows with run length.\n",
        );
    }
    // Some terminals cannot show the narrow space between a number and its unit.
    text.replace(words::NARROW_SPACE, " ")
}

/// The part of the quick check that is compared (if any), the comparison, and the compared runs
/// with names redacted for output.
pub(super) type Shown<'a> = (Option<Part>, Comparison, Vec<(Cow<'a, Run>, Report)>);

/// Returns the comparisons as one HTML page.
pub(super) fn html(compared: &[Shown<'_>]) -> std::io::Result<String> {
    let (mut page, names) = (Vec::new(), names::included(Place::File));
    with_sets(compared, |sets| compare::write_page(sets, names, &mut page))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Returns the comparisons as Markdown.
pub(super) fn markdown(compared: &[Shown<'_>]) -> String {
    markdown::text(&with_sets(compared, compare::document))
}

fn with_sets<T>(compared: &[Shown<'_>], write: impl FnOnce(&[Compared<'_>]) -> T) -> T {
    let evaluated: Vec<Vec<(&Run, &Report)>> = compared
        .iter()
        .map(|(.., runs)| runs.iter().map(|(run, report)| (run.as_ref(), report)).collect())
        .collect();
    let sets: Vec<Compared<'_>> = compared
        .iter()
        .zip(&evaluated)
        .map(|((part, comparison, _), runs)| Compared { part: *part, comparison, runs })
        .collect();
    write(&sets)
}

/// Returns the comparison as JSON. Depending on the metric's unit, values are nanoseconds, shares,
/// or frames per second.
pub(super) fn json(
    comparison: &Comparison,
    runs: &Evaluated<'_>,
) -> Result<String, serde_json::Error> {
    let rows: Vec<Value> = comparison.rows.iter().map(|row| row_json(comparison, row)).collect();
    let conditions: Vec<Value> = comparison
        .conditions
        .iter()
        .map(|condition| {
            json!({
                "name": condition.name,
                "values": condition.values,
                "effect": match condition.weight {
                    Relevance::Likely => "likely",
                    Relevance::May => "possible",
                    Relevance::Same => "none",
                },
            })
        })
        .collect();
    let runs: Vec<Value> = runs
        .iter()
        .map(|(run, _)| {
            json!({
                "id": run.id.as_str(),
                "name": words::run_name(run),
                "test": run.subject.key(),
                "started_at": run.started_at.to_string(),
                "machine": run.machine.short(),
                "samples": run.sample_count(),
            })
        })
        .collect();
    let comparison = json!({
        "format": "jitterscope-comparison",
        "format_version": 1,
        "baseline": comparison.baseline,
        "runs": runs,
        "value": comparison.value_name,
        "conclusion": compare::sentence(comparison),
        "outcomes": (0..comparison.count)
            .map(|run| (run != comparison.baseline)
                .then(|| comparison.outcome(run).words()[0]))
            .collect::<Vec<_>>(),
        "not_comparable": comparison.obstacle.as_ref().map(compare::obstacle),
        "notes": remarks(comparison),
        "conditions": conditions,
        "noise_floor_repeats": match comparison.variation {
            Variation::Repeats(count) => count,
            Variation::Unknown | Variation::Groups(_) => 0,
        },
        "groups": match comparison.variation {
            Variation::Groups(counts) => Some(counts),
            Variation::Unknown | Variation::Repeats(_) => None,
        },
        "prior": PriorRecord::of(&comparison.prior),
        "configurations": rows,
    });
    let mut text = format::safe_json(&serde_json::to_string_pretty(&comparison)?);
    text.push('\n');
    Ok(text)
}

fn row_json(comparison: &Comparison, row: &ComparedRow) -> Value {
    let figures: Vec<Value> = row
        .figures
        .iter()
        .map(|figure| {
            let deltas: Vec<Value> = figure
                .deltas
                .iter()
                .map(|delta| match delta {
                    None => Value::Null,
                    Some(delta) => json!({
                        "change": delta.change,
                        "ratio": delta.ratio,
                        "interval_95": delta.interval.map(|(low, high)| [low, high]),
                        "result": delta.result.word().to_lowercase().replace(' ', "-"),
                        "reason": delta.reason.map(|reason| reason.words().0),
                        "more_needed": delta.reason.and_then(Reason::more_needed),
                    }),
                })
                .collect();
            json!({
                "metric": figure.metric.key,
                "unit": match figure.metric.unit {
                    Quantity::Share => "share",
                    Quantity::Rate => "frames_per_second",
                    _ => "nanoseconds",
                },
                "values": figure.values,
                "noise_floor": figure.noise,
                "against_baseline": deltas,
            })
        })
        .collect();
    json!({
        "label": row.label,
        "not_comparable": row.obstacle.as_ref().map(compare::obstacle),
        "outcomes": row
            .outcomes
            .iter()
            .zip(0..)
            .map(|(outcome, run)| {
                outcome.filter(|_| run != comparison.baseline).map(|outcome| outcome.words()[0])
            })
            .collect::<Vec<_>>(),
        "figures": figures,
    })
}
