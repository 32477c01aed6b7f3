//! Why runs or groups have no result.

use super::{letter, obstacle};
use crate::report::comparison::{Comparison, Reason};
use crate::units::join_names;

/// Returns why nothing could be compared: the runs that something disturbed, or else too little data.
pub(super) fn few_words(comparison: &Comparison) -> String {
    let figures = comparison.rows.iter().flat_map(|row| &row.figures);
    let deltas = figures.flat_map(|figure| figure.deltas.iter().flatten());
    let reasons: Vec<Reason> = deltas.filter_map(|delta| delta.reason).collect();
    if reasons.contains(&Reason::DisturbedSession) {
        return format!("No result. {}", Reason::DisturbedSession.words().1);
    }
    if !reasons.contains(&Reason::Disturbed) {
        return "Not enough data to compare.".to_owned();
    }
    let letters: Vec<String> =
        comparison.disturbed.iter().map(|(run, _)| letter(*run).to_string()).collect();
    let [were, names] = [if letters.len() == 1 { "was" } else { "were" }, &join_names(&letters)];
    format!(
        "No result, as {names} {were} disturbed. Repeat in quiet, or compare groups of 3 or more runs."
    )
}

/// Returns why no configuration could be compared.
pub(super) fn first_obstacle(comparison: &Comparison) -> String {
    let found = comparison.rows.iter().find_map(|row| row.obstacle.as_ref());
    found.map_or_else(|| "Not enough data to compare.".to_owned(), obstacle)
}
