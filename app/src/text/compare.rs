//! Texts of a comparison that only the window has: labels of runs.

use jitterscope_engine::report::Comparison;
use jitterscope_engine::run::Run;

use super::{cut, list_date, local, run_name};

pub use jitterscope_engine::report::comparison::words::*;
pub use jitterscope_engine::report::document::comparison::{
    ComparisonSet, Difference, RunNames, condition_table, difference_table, overall, remarks,
    statement,
};

/// How the window and the command line write the names and dates of compared runs.
pub const NAMES: RunNames = RunNames { name: run_name, date: super::local_date };

/// Returns the label of a group of this many runs: "3 runs".
pub fn group_label(runs: usize) -> String {
    format!("{runs} {}", if runs == 1 { "run" } else { "runs" })
}

/// Maximum length of a short label, in characters.
pub const MAX_LABEL: usize = 28;
/// Minimum number of characters of the name in a short label.
const MIN_NAME: usize = 12;
/// Maximum number of differences in a short label.
const MAX_DIFFERENCES: usize = 2;

/// Returns names of compared runs in at most `most` characters. If names are equal, the differences
/// of each run in settings and machine follow its name, or else the start time.
pub fn labels_within(runs: &[&Run], comparison: &Comparison, most: usize) -> Vec<String> {
    let are_distinct = |labels: &[String]| {
        let others = |at: usize| labels.iter().skip(at);
        labels.iter().zip(1..).all(|(one, at)| others(at).all(|other| other != one))
    };
    let names: Vec<String> = runs.iter().map(|run| run_name(run)).collect();
    let labels: Vec<String> = names.iter().map(|name| cut(name, most)).collect();
    if are_distinct(&labels) {
        return labels;
    }
    let with = |differences: &[String]| -> Vec<String> {
        let room =
            |difference: &String| most.saturating_sub(difference.chars().count() + 3).max(MIN_NAME);
        let pairs = names.iter().zip(differences);
        pairs.map(|(name, it)| format!("{} · {it}", cut(name, room(it)))).collect()
    };
    let by_difference = |at: usize| {
        let parts = comparison.differing().take(MAX_DIFFERENCES).filter_map(|condition| {
            let value = condition.values.get(at)?;
            let is_clear = value.chars().any(char::is_alphabetic);
            Some(if is_clear { value.clone() } else { format!("{} {value}", condition.name) })
        });
        cut(&parts.collect::<Vec<_>>().join(", "), MAX_LABEL)
    };
    let differences: Vec<String> = (0..runs.len()).map(by_difference).collect();
    if are_distinct(&differences) && !differences.iter().any(String::is_empty) {
        return with(&differences);
    }
    let now = local(super::now());
    let times = runs.iter().map(|run| list_date(&local(run.started_at), &now));
    with(&times.collect::<Vec<_>>())
}
