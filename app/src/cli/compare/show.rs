//! Writes a comparison as a table for a terminal, as HTML or Markdown, or as JSON for programs.

use std::borrow::Cow;

use jitterscope_engine::export::document::Level;
use jitterscope_engine::export::{self, Block, html, markdown, ticket};
use jitterscope_engine::format::{self, PriorRecord};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::{ComparedRow, Reason, Relevance, Variation};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use serde_json::{Value, json};

use super::super::names::{self, Place};
use super::super::print::blocks;
use super::gate::Judged;
use crate::text::compare::{self, ComparisonSet, NAMES, remarks};
use crate::text::{self as words};

/// Returns the comparisons as text for a terminal.
pub(super) fn table(compared: &[Shown<'_>]) -> String {
    let names = names::included(Place::Terminal);
    let document = with_sets(compared, |sets| export::comparison_document(sets, NAMES, names));
    blocks("", document.blocks(Level::Page), "")
}

/// The part of the quick check that is compared (if any), the comparison, and the compared runs
/// with names redacted for output.
pub(super) type Shown<'a> = (Option<Part>, Comparison, Vec<(Cow<'a, Run>, Report)>);

/// Returns the comparisons as one HTML page.
pub(super) fn html(compared: &[Shown<'_>]) -> std::io::Result<String> {
    let (mut page, names) = (Vec::new(), names::included(Place::File));
    with_sets(compared, |sets| html::write_comparison(sets, NAMES, names, &mut page))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Returns the runs as they are evaluated.
fn evaluated<'a>(runs: &'a [(Cow<'_, Run>, Report)]) -> Vec<(&'a Run, &'a Report)> {
    runs.iter().map(|(run, report)| (run.as_ref(), report)).collect()
}

/// Returns the comparisons as Markdown, with the conditions that were checked.
pub(super) fn markdown(compared: &[Shown<'_>], judged: &[Judged]) -> String {
    let names = names::included(Place::File);
    let document = with_sets(compared, |sets| export::comparison_document(sets, NAMES, names));
    let mut blocks = ticket::complete(document);
    let of_gates = judged.iter().map(|judged| Block::item(judged.words()));
    // Before the folded section, which is last.
    let last = blocks.len().saturating_sub(1);
    blocks.splice(last..last, of_gates.collect::<Vec<_>>());
    markdown::text(&blocks)
}

fn with_sets<T>(compared: &[Shown<'_>], write: impl FnOnce(&[ComparisonSet<'_>]) -> T) -> T {
    let evaluated: Vec<Vec<(&Run, &Report)>> =
        compared.iter().map(|(.., runs)| evaluated(runs)).collect();
    let sets: Vec<ComparisonSet<'_>> = compared
        .iter()
        .zip(&evaluated)
        .map(|((part, comparison, _), runs)| ComparisonSet { part: *part, comparison, runs })
        .collect();
    write(&sets)
}

/// Returns the comparison as JSON. Depending on the metric's unit, values are nanoseconds, shares,
/// or frames per second.
pub(super) fn json(
    (_, comparison, runs): &Shown<'_>,
    judged: &[Judged],
) -> Result<String, serde_json::Error> {
    let runs = evaluated(runs);
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
        "app_version": env!("CARGO_PKG_VERSION"),
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
        "noise_floor_repeats": match &comparison.variation {
            Variation::Repeats(count) => *count,
            Variation::Unknown | Variation::Groups(_) => 0,
        },
        "groups": match &comparison.variation {
            Variation::Groups(counts) => Some(counts),
            Variation::Unknown | Variation::Repeats(_) => None,
        },
        "prior": PriorRecord::of(&comparison.prior),
        "prior_option": comparison.prior.to_text(),
        "min_effect": {
            "share": comparison.minimum.share,
            "percentage_points": comparison.minimum.points.map(|points| points * 100.0),
        },
        "disturbed": comparison.disturbed.iter().map(|(_, run)| run.words()).collect::<Vec<_>>(),
        "fail_if": judged.iter().map(Judged::json).collect::<Vec<_>>(),
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
                        "change": delta.effect.difference,
                        "ratio": delta.ratio,
                        "interval_95": delta.effect.interval.map(|(low, high)| [low, high]),
                        "probability": delta.effect.probability,
                        "min_effect": delta.effect.minimum,
                        "result": delta.result.words().key,
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
