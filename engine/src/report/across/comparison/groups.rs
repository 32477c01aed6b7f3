//! Compares two groups of runs, A and B, of any size.
//!
//! Each run gives one value per metric. The standard deviation is pooled within the groups, so that
//! the difference between the groups does not increase it. Groups that were measured one after the other also have the
//! variation between sessions ([`Estimated::of_groups`]).

use super::candidate::{Candidate, mean_and_std_dev};
use super::figures::Row;
use super::item::{Item, late_limit};
use super::judge::{Reason, Scale};
use super::repeats::{is_same_setting, item};
use super::{
    ComparedRow, Comparison, Condition, Figure, Incompatibility, Metric, Prior, Relevance, Report,
    Rules, Run, Variation, at, conditions, length_note, matched, metrics, not_as_requested, notes,
    obstacle,
};
use crate::nanos::Nanos;
use crate::stats::{Estimated, Statistic, VariancePrior};

/// Min number of runs in a group; with fewer, the run-to-run variation of the group is not known.
pub const MIN_GROUP: usize = 2;

/// The runs of one group, with their reports.
type Group<'a> = [(&'a Run, &'a Report)];

impl Comparison {
    /// Compares the runs of group B with those of group A. If a group has only a single run, its run-to-run variation
    /// is not known, and the changes have no result.
    pub fn of_groups(groups: [&Group<'_>; 2], rules: &Rules<'_>) -> Self {
        let all: Vec<(&Run, &Report)> = groups.concat();
        let first: Vec<(&Run, &Report)> =
            groups.iter().filter_map(|group| group.first().copied()).collect();
        let obstacle = obstacle(&all).or_else(|| mixed(groups));
        let mut notes = notes(groups.into_iter());
        let items: Vec<Vec<Item<'_>>> =
            first.iter().map(|(run, report)| Item::all(run, report)).collect();
        let matched = match obstacle {
            Some(Incompatibility::Tests) => Vec::new(),
            _ => matched(&items, 0, &mut notes),
        };
        notes.extend(length_note(&items, &matched));
        let metrics = first.first().map_or([].as_slice(), |(run, _)| metrics(run));
        let counts = groups.map(<[_]>::len);
        let mut comparison = Self {
            baseline: 0,
            count: 2,
            value_name: first.first().map_or("", |(run, _)| run.subject.value_name()),
            conditions: group_conditions(&all, counts),
            notes: Vec::new(),
            variation: Variation::Groups(counts),
            prior: Prior::default(),
            minimum: rules.minimum,
            disturbed: super::disturbed(&all),
            rows: Vec::new(),
            obstacle,
        };
        let prior = rules.prior_of(first.first().map(|(run, _)| *run));
        let basis = GroupBasis {
            metrics,
            prior: &prior,
            rules,
            is_sequential: is_sequential(groups),
            obstacle: comparison.obstacle.as_ref(),
        };
        let is_single = items.iter().all(|items| items.len() == 1);
        let mut used = Prior::default();
        let mut rows: Vec<Row> = Vec::new();
        for (positions, place) in matched.iter().zip(0..) {
            let firsts = at(&items, positions);
            let sides = sides(groups, &firsts, is_single);
            notes.extend(not_as_requested(&sides));
            rows.push(row(&sides, &firsts, positions, &basis, (place, &mut used)));
        }
        comparison.notes = notes;
        comparison.prior = Prior { group_count: prior.group_count, ..used };
        comparison.set_rows(rows);
        comparison
    }
}

/// Returns why the groups cannot be compared: the runs of one group have different settings or
/// machines. `None` if the groups can be compared.
fn mixed(groups: [&Group<'_>; 2]) -> Option<Incompatibility> {
    groups.iter().zip(0..).find_map(|(group, side)| {
        let (first, _) = group.first()?;
        let is_mixed = group.iter().any(|(run, _)| !is_same_setting(run, first));
        is_mixed.then_some(Incompatibility::MixedGroup(side))
    })
}

/// Whether all runs of one group began before the first run of the other one, so that the groups also differ by session.
fn is_sequential(groups: [&Group<'_>; 2]) -> bool {
    let times = groups.map(|group| group.iter().map(|(run, _)| run.started_at));
    let [Some((first_a, last_a)), Some((first_b, last_b))] =
        times.map(|times| Some((times.clone().min()?, times.max()?)))
    else {
        return false;
    };
    // A file without a date begins at the epoch.
    let is_dated = jiff::Timestamp::UNIX_EPOCH < first_a.min(first_b);
    is_dated && (last_a < first_b || last_b < first_a)
}

/// Returns the conditions of both groups. The value for a group lists all different values of its runs,
/// separated by commas.
fn group_conditions(all: &[(&Run, &Report)], [count_a, _]: [usize; 2]) -> Vec<Condition> {
    let mut conditions = conditions::of(all);
    for condition in &mut conditions {
        let side = |values: &[String]| {
            let mut distinct: Vec<&str> = values.iter().map(String::as_str).collect();
            distinct.sort_unstable();
            distinct.dedup();
            distinct.join(", ")
        };
        let (a, b) = condition.values.split_at(count_a.min(condition.values.len()));
        let sides = vec![side(a), side(b)];
        if sides.first() == sides.last() {
            condition.weight = Relevance::Same;
        }
        condition.values = sides;
    }
    conditions.sort_by_key(|condition| condition.weight);
    conditions
}

/// Returns one configuration in every run of each group. `firsts` has the configuration in the first run of
/// each group; `is_single` is whether each run has only one configuration, so that its label does not matter.
fn sides<'a>(
    groups: [&'a Group<'a>; 2],
    firsts: &[Item<'_>],
    is_single: bool,
) -> [Vec<Item<'a>>; 2] {
    let of_group = |side: usize| {
        let label = firsts.get(side).map_or("", |first| first.label());
        let group = groups.get(side).copied().unwrap_or_default();
        group.iter().filter_map(|(run, report)| item(run, report, label, is_single)).collect()
    };
    [of_group(0), of_group(1)]
}

/// What the changes between two groups are estimated from.
struct GroupBasis<'a> {
    metrics: &'a [Metric],
    prior: &'a Prior,
    rules: &'a Rules<'a>,
    /// Whether the groups were measured one after the other.
    is_sequential: bool,
    obstacle: Option<&'a Incompatibility>,
}

/// Compares one configuration of both groups, at a position among all that are compared. Adds the variation that it
/// used to `used`.
fn row(
    sides: &[Vec<Item<'_>>; 2],
    firsts: &[Item<'_>],
    positions: &[usize],
    basis: &GroupBasis<'_>,
    (place, used): (usize, &mut Prior),
) -> Row {
    let both = || sides.iter().flatten().copied();
    let periods: Vec<Nanos> = firsts.iter().map(|item| item.period()).collect();
    let scale = Scale {
        period: firsts.first().map_or(Nanos::ZERO, |item| item.frame()),
        clock_step: both().map(|item| item.run().clock.resolution).max().unwrap_or_default(),
        is_variation_known: true,
        minimum: basis.rules.minimum,
    };
    let limit = late_limit(both());
    let differ = periods.first() != periods.last();
    let own = differ.then_some(Incompatibility::Periods(periods));
    let obstacle = basis.obstacle.cloned().or(own);
    let (mut figures, mut candidates) = (Vec::new(), Vec::new());
    let compared = basis.metrics.iter();
    for &metric in compared.filter(|metric| metric.statistic != Statistic::AboveBaseline) {
        let values = sides
            .each_ref()
            .map(|items| items.iter().filter_map(|item| item.value(&metric)).collect::<Vec<f64>>());
        let means =
            values.each_ref().map(|side| (!side.is_empty()).then(|| mean_and_std_dev(side).0));
        let is_one_limit = metric.statistic != Statistic::LateShare || limit.is_some();
        let is_comparable = obstacle.is_none() && is_one_limit;
        let candidate = match means {
            [None, None] => continue,
            [Some(a), Some(b)] => {
                let estimated = if is_comparable {
                    estimated(&metric, &values, basis, (place, used))
                } else {
                    Err(Reason::SettingsDiffer)
                };
                let mut candidate = Candidate::of(&metric, [a, b], &scale, estimated);
                candidate.count(sides);
                Some(candidate)
            }
            _ => None,
        };
        let shown = candidate
            .as_ref()
            .map_or(means.to_vec(), |candidate| candidate.values().map(Some).to_vec());
        figures.push(Figure { metric, values: shown, noise: None, deltas: vec![None; 2] });
        candidates.push(vec![None, candidate]);
    }
    let row = ComparedRow {
        label: firsts.first().map_or(String::new(), |item| item.label().to_owned()),
        positions: positions.to_vec(),
        late_limit: limit,
        obstacle,
        figures,
        outcomes: vec![None; 2],
    };
    (row, candidates)
}

/// Estimates the change of a metric from group A to group B.
fn estimated(
    metric: &Metric,
    values: &[Vec<f64>; 2],
    basis: &GroupBasis<'_>,
    (place, used): (usize, &mut Prior),
) -> Result<Estimated, Reason> {
    let is_ratio = metric.is_relative() && values.iter().flatten().all(|&value| 0.0 < value);
    let smaller = values.iter().map(Vec::len).min().unwrap_or(0);
    // On a linear scale, a share of the mean is the deviation.
    let all: Vec<f64> = values.concat();
    let level = mean_and_std_dev(&all).0.abs();
    let factor = if is_ratio || !metric.is_relative() { 1.0 } else { level };
    // Three runs or more show their own variation.
    let prior = basis.prior.estimated(metric, place).filter(|_| smaller == MIN_GROUP);
    let prior = prior.inspect(|&prior| used.note_used(metric, place, prior));
    let prior = prior.map(|prior| VariancePrior { std_dev: prior.std_dev * factor, ..prior });
    let session = if basis.is_sequential { metric.kind().session_deviation() } else { 0.0 };
    let [a, b] = values;
    Estimated::of_groups([a, b], is_ratio, prior, session * factor)
        .ok_or(Reason::TooFewRuns(MIN_GROUP.saturating_sub(smaller)))
}

#[cfg(test)]
mod tests;
