//! The top of the page of a run: what was measured, with which settings, on which machine, and the user's note and tags.

use super::Contents;
use crate::plan::Plan;
use crate::report::document::drawn::Sign;
use crate::report::document::{Block, Fact, FactsLook, Head, facts};
use crate::report::{Caution, Report};
use crate::run::Run;
use crate::units::{cut, format_count, format_long_time};

/// Maximum number of settings at the top; all settings are in a section of their own.
const MAX_SETTINGS: usize = 5;

/// Returns the top of the page of a run. `warnings` are those to read before the numbers.
pub(super) fn head(run: &Run, report: &Report, contents: &Contents, warnings: &[&Caution]) -> Head {
    let samples = format!(
        "{} {} in {}",
        format_count(run.sample_count()),
        run.subject.samples_name(),
        format_long_time(run.measured())
    );
    let mut first = vec![contents.about.clone(), samples];
    if 1 < report.rows.len() {
        first.push(format!("{} configurations", format_count(report.rows.len())));
    }
    if contents.has_settings {
        first.extend(run.plan().into_iter().flat_map(settings));
    }
    let machine = if contents.has_machine { machine(run) } else { Vec::new() };
    let facts = |facts: Vec<Fact>| {
        (!facts.is_empty()).then_some(Block::Facts(FactsLook::Pairs, facts)).into_iter()
    };
    let tags = (!run.tags.is_empty()).then(|| Fact::new("Tags", facts::tags(run)));
    let annotations = facts::annotations(run).into_iter().map(|(at, text)| Fact::new(at, text));
    let notes = facts(tags.into_iter().collect())
        .chain(note(&run.note))
        .chain(facts(annotations.collect()));
    let warning =
        |caution: &&Caution| (matches!(caution, Caution::Refused { .. }), caution.to_string());
    // A capture never has a grade, so a missing grade of a capture is not shown as inconclusive.
    let is_doubtful = run.plan().is_some() && report.verdict.is_open();
    Head {
        title: contents.name.clone(),
        ids: format!("Run {}", run.id),
        about: vec![first, machine],
        notes: notes.collect(),
        sign: Some(Sign::Grade { grade: report.verdict.grade, is_doubtful }),
        places: report.grade_place(run).map(|place| (None, place)).into_iter().collect(),
        warnings: warnings.iter().map(warning).collect(),
        more_warnings: "Measurement quality",
        ..Head::default()
    }
}

/// Returns the user's note as a block; `None` if it is empty.
pub(in crate::report::document) fn note(note: &str) -> Option<Block> {
    let shown = cut(note, facts::MAX_NOTE);
    (!note.is_empty()).then(|| Block::Quote(shown.lines().map(str::to_owned).collect()))
}

/// Returns up to [`MAX_SETTINGS`] settings of a plan that differ from their defaults, except the
/// seed of the order of trials.
fn settings(plan: &Plan) -> Vec<String> {
    let default = Plan::all().into_iter().find(|other| other.key() == plan.key());
    let default = default.map_or_else(Vec::new, |plan| plan.settings());
    let changed = plan.settings().into_iter().filter(|setting| {
        !default.contains(setting) && !setting.option.starts_with("--order-seed ")
    });
    changed.take(MAX_SETTINGS).map(|one| format!("{}: {}", one.name, one.value)).collect()
}

/// Returns the values of the facts about the machine that the top of a page shows.
pub(in crate::report::document) fn machine(run: &Run) -> Vec<String> {
    let lines = facts::machine(run);
    ["Processor", "CPUs", "System", "Kernel", "Virtual machine", "Power"]
        .into_iter()
        .filter_map(|name| {
            let (_, value) = lines.iter().find(|(known, _)| *known == name)?;
            Some(if name == "Virtual machine" { format!("{value} guest") } else { value.clone() })
        })
        .collect()
}
