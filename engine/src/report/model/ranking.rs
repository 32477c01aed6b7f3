//! The ranking of configurations by p99 lateness and its 95% interval.

use super::configuration::Configuration;
use crate::stats::Summary;

/// Returns the configurations that may be ranked: graded, complete, run as requested, and with a p99.
pub(in crate::report) fn evaluated(rows: &[Configuration]) -> impl Iterator<Item = &Configuration> {
    rows.iter()
        .filter(|row| row.is_graded && row.is_complete)
        .filter(|row| row.is_as_requested() && row.p99().is_some())
}

/// Returns whether two configurations cannot be distinguished: the 95% intervals of their p99 overlap. A configuration
/// without an interval ties only with itself, as nothing shows how close others are.
pub(in crate::report) fn is_tie(a: &Configuration, b: &Configuration) -> bool {
    match (a.p99_interval(), b.p99_interval()) {
        (Some((a_low, a_high)), Some((b_low, b_high))) => a_low <= b_high && b_low <= a_high,
        _ => a.label == b.label,
    }
}

/// Returns the configurations that may be recommended. A candidate ties with the configuration of the lowest p99,
/// misses no more frames than it, and is not clearly worse than any other one.
pub(in crate::report) fn candidates(
    rows: &[Configuration],
) -> impl Iterator<Item = &Configuration> {
    let missed = |row: &Configuration| row.summary.as_ref().map_or(0, Summary::missed_count);
    let is_worse = |row: &Configuration| evaluated(rows).any(|it| row.has_clearly_higher_p99(it));
    let lowest = evaluated(rows).min_by_key(|row| row.p99());
    lowest.into_iter().flat_map(move |lowest| {
        evaluated(rows).filter(move |row| {
            is_tie(row, lowest) && missed(row) <= missed(lowest) && !is_worse(row)
        })
    })
}

/// Returns the configuration to recommend; `None` if none may be ranked. Of the candidates, the lowest priority wins,
/// then an unpinned one.
pub(in crate::report) fn best(rows: &[Configuration]) -> Option<&Configuration> {
    candidates(rows)
        .min_by_key(|row| (row.conditions.priority.rank(), row.conditions.cpu, row.p99()))
}

/// Returns the configuration with the highest p99; `None` if none may be ranked.
pub(in crate::report) fn worst(rows: &[Configuration]) -> Option<&Configuration> {
    evaluated(rows).max_by_key(|row| row.p99())
}
