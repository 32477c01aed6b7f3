//! Which configurations are better than others: by p99 lateness, and its interval.

use super::configuration::Configuration;
use crate::stats::Summary;

/// Rows that may be judged: they ran as requested and have a p99.
pub(in crate::report) fn evaluated(rows: &[Configuration]) -> impl Iterator<Item = &Configuration> {
    rows.iter()
        .filter(|row| row.is_graded && row.is_complete)
        .filter(|row| row.is_as_requested() && row.p99().is_some())
}

/// Whether two rows cannot be distinguished: the 95% intervals of their p99 overlap. A row without an interval
/// ties with no other: how it compares may be unknown.
pub(in crate::report) fn is_tie(a: &Configuration, b: &Configuration) -> bool {
    match (a.p99_interval(), b.p99_interval()) {
        (Some((a_low, a_high)), Some((b_low, b_high))) => a_low <= b_high && b_low <= a_high,
        _ => a.label == b.label,
    }
}

/// The row to recommend: the lowest p99 that ran as requested; of those that tie with it, the lowest
/// priority, and then no pin.
pub(in crate::report) fn best(rows: &[Configuration]) -> Option<&Configuration> {
    let lowest = evaluated(rows).min_by_key(|row| row.p99())?;
    let missed = |row: &Configuration| row.summary.as_ref().map_or(0, Summary::missed_count);
    let is_worse = |row: &Configuration| evaluated(rows).any(|it| row.has_clearly_higher_p99(it));
    evaluated(rows)
        .filter(|row| is_tie(row, lowest) && missed(row) <= missed(lowest) && !is_worse(row))
        .min_by_key(|row| (row.conditions.priority.rank(), row.conditions.cpu, row.p99()))
}

/// The row with the highest p99 that ran as requested.
pub(in crate::report) fn worst(rows: &[Configuration]) -> Option<&Configuration> {
    evaluated(rows).max_by_key(|row| row.p99())
}
