//! Compares groups of runs of any size with the first group, A. The changes of all groups are corrected together.
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
    ComparedRow, Comparison, Condition, Figure, Incompatibility, Metric, Note, Prior, Relevance,
    Report, Rules, Run, Variation, at, capture_notes, conditions, length_note, matched, metrics,
    not_as_requested, notes, obstacle,
};
use crate::nanos::Nanos;
use crate::run::Capture;
use crate::stats::{Estimated, Statistic, VariancePrior};

/// Min number of runs in a group; with fewer, the run-to-run variation of the group is not known.
pub const MIN_GROUP: usize = 2;

/// Max number of groups.
pub const MAX_GROUPS: usize = 6;

/// The runs of one group, with their reports.
type RunGroup<'a> = [(&'a Run, &'a Report)];

impl Comparison {
    /// Compares the runs of each further group with those of the first one, group A. If a group has only a single run,
    /// its run-to-run variation is not known, and its changes have no result.
    pub fn of_groups(groups: &[&RunGroup<'_>], rules: &Rules<'_>) -> Self {
        let all: Vec<(&Run, &Report)> = groups.concat();
        let first: Vec<(&Run, &Report)> =
            groups.iter().filter_map(|group| group.first().copied()).collect();
        let obstacle = obstacle(&all).or_else(|| mixed(groups));
        let mut notes = notes(groups.iter().copied());
        let items: Vec<Vec<Item<'_>>> =
            first.iter().map(|(run, report)| Item::all(run, report)).collect();
        let matched = match obstacle {
            Some(Incompatibility::Tests) => Vec::new(),
            _ => matched(&items, 0, &mut notes),
        };
        notes.extend(length_note(&items, &matched));
        notes.extend(capture_notes(groups.iter().copied(), &matched));
        let is_sampled = |(run, _): &(&Run, &Report)| {
            matches!(run.capture(), Some(Capture::SampledLog(_) | Capture::SampledTicks(_)))
        };
        notes.extend(all.iter().any(is_sampled).then_some(Note::Sampled));
        let metrics = first.first().map_or([].as_slice(), |(run, _)| metrics(run));
        let counts: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let mut comparison = Self {
            baseline: 0,
            count: groups.len(),
            value_name: first.first().map_or("", |(run, _)| run.subject.value_name()),
            conditions: group_conditions(&all, &counts),
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
            are_sequential: groups.iter().map(|group| is_sequential(groups, group)).collect(),
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
fn mixed(groups: &[&RunGroup<'_>]) -> Option<Incompatibility> {
    groups.iter().zip(0..).find_map(|(group, side)| {
        let (first, _) = group.first()?;
        let is_mixed = group.iter().any(|(run, _)| !is_same_setting(run, first));
        is_mixed.then_some(Incompatibility::MixedGroup(side))
    })
}

/// Whether all runs of a group began before the first run of group A, or after its last one, so that the groups also
/// differ by session.
fn is_sequential(groups: &[&RunGroup<'_>], group: &RunGroup<'_>) -> bool {
    let pair = [groups.first().copied().unwrap_or_default(), group];
    let times = pair.map(|group| group.iter().map(|(run, _)| run.started_at));
    let [Some((first_a, last_a)), Some((first_b, last_b))] =
        times.map(|times| Some((times.clone().min()?, times.max()?)))
    else {
        return false;
    };
    // A file without a date begins at the epoch.
    let is_dated = jiff::Timestamp::UNIX_EPOCH < first_a.min(first_b);
    is_dated && (last_a < first_b || last_b < first_a)
}

/// Returns the conditions of all groups. The value for a group lists all different values of its runs,
/// separated by commas.
fn group_conditions(all: &[(&Run, &Report)], counts: &[usize]) -> Vec<Condition> {
    let mut conditions = conditions::of(all);
    for condition in &mut conditions {
        let side = |values: &[String]| {
            let mut distinct: Vec<&str> = values.iter().map(String::as_str).collect();
            distinct.sort_unstable();
            distinct.dedup();
            distinct.join(", ")
        };
        let sides: Vec<String> =
            split_groups(&condition.values, counts).into_iter().map(side).collect();
        if sides.iter().all(|side| Some(side) == sides.first()) {
            condition.weight = Relevance::Same;
        }
        condition.values = sides;
    }
    conditions.sort_by_key(|condition| condition.weight);
    conditions
}

/// Splits what all runs have into what the runs of each group have, by the number of runs of each group.
pub fn split_groups<'a, T>(mut all: &'a [T], counts: &[usize]) -> Vec<&'a [T]> {
    let mut next = |count: &usize| {
        let (group, rest) = all.split_at((*count).min(all.len()));
        all = rest;
        group
    };
    counts.iter().map(&mut next).collect()
}

/// Returns one configuration in every run of each group. `firsts` has the configuration in the first run of
/// each group; `is_single` is whether each run has only one configuration, so that its label does not matter.
fn sides<'a>(
    groups: &[&'a RunGroup<'a>],
    firsts: &[Item<'_>],
    is_single: bool,
) -> Vec<Vec<Item<'a>>> {
    let of_group = |(group, first): (&&'a RunGroup<'a>, &Item<'_>)| {
        let items = group.iter();
        items.filter_map(|(run, report)| item(run, report, first.label(), is_single)).collect()
    };
    groups.iter().zip(firsts).map(of_group).collect()
}

/// What the changes between groups are estimated from.
struct GroupBasis<'a> {
    metrics: &'a [Metric],
    prior: &'a Prior,
    rules: &'a Rules<'a>,
    /// Whether each group was measured before or after group A, and not interleaved with it.
    are_sequential: Vec<bool>,
    obstacle: Option<&'a Incompatibility>,
}

/// Compares one configuration of all groups, at a position among all that are compared. Adds the variation that it
/// used to `used`.
fn row(
    sides: &[Vec<Item<'_>>],
    firsts: &[Item<'_>],
    positions: &[usize],
    basis: &GroupBasis<'_>,
    (place, used): (usize, &mut Prior),
) -> Row {
    let all = || sides.iter().flatten().copied();
    let periods: Vec<Nanos> = firsts.iter().map(|item| item.period()).collect();
    let scale = Scale {
        period: firsts.first().map_or(Nanos::ZERO, |item| item.frame()),
        clock_step: all().map(|item| item.run().clock.resolution).max().unwrap_or_default(),
        is_variation_known: true,
        minimum: basis.rules.minimum,
    };
    let limit = late_limit(all());
    let differ = periods.iter().any(|period| Some(period) != periods.first());
    let own = differ.then_some(Incompatibility::Periods(periods));
    let obstacle = basis.obstacle.cloned().or(own);
    let (mut figures, mut candidates) = (Vec::new(), Vec::new());
    let compared = basis.metrics.iter();
    for &metric in compared.filter(|metric| metric.statistic != Statistic::AboveBaseline) {
        let values: Vec<Vec<f64>> = sides
            .iter()
            .map(|items| items.iter().filter_map(|item| item.value(&metric)).collect())
            .collect();
        let mean = |values: &Vec<f64>| (!values.is_empty()).then(|| mean_and_std_dev(values).0);
        let means: Vec<Option<f64>> = values.iter().map(mean).collect();
        if means.iter().all(Option::is_none) {
            continue;
        }
        let is_one_limit = metric.statistic != Statistic::LateShare || limit.is_some();
        let is_comparable = obstacle.is_none() && is_one_limit;
        let (Some(values_a), Some(mean_a), Some(items_a)) =
            (values.first(), means.first().copied(), sides.first())
        else {
            continue;
        };
        let candidate = |side: usize, used: &mut Prior| {
            let pair = [values_a.as_slice(), values.get(side)?.as_slice()];
            let means = [mean_a?, (*means.get(side)?)?];
            let is_sequential = basis.are_sequential.get(side) == Some(&true);
            let items = [items_a.as_slice(), sides.get(side)?.as_slice()];
            // What keeps a group from a result in quiet as well is stated first.
            let is_disturbed_session = is_sequential && items.into_iter().any(is_disturbed);
            let mut unused = Prior::default();
            let noted = if is_disturbed_session { &mut unused } else { used };
            let mut estimated = if is_comparable {
                estimated(&metric, pair, basis, is_sequential, (place, noted))
            } else {
                Err(Reason::SettingsDiffer)
            };
            if is_disturbed_session {
                estimated = estimated.and(Err(Reason::DisturbedSession));
            }
            let mut candidate = Candidate::of(&metric, means, &scale, estimated);
            candidate.count(items);
            Some(candidate)
        };
        let of_metric: Vec<Option<Candidate>> = (0..sides.len())
            .map(|side| (0 < side).then(|| candidate(side, used)).flatten())
            .collect();
        let first = of_metric.iter().flatten().next().map(|candidate| candidate.values()[0]);
        let shown = |(mean, candidate): (&Option<f64>, &Option<Candidate>)| {
            candidate.as_ref().map_or(*mean, |candidate| Some(candidate.values()[1]))
        };
        let mut shown: Vec<Option<f64>> = means.iter().zip(&of_metric).map(shown).collect();
        if let Some(value) = shown.first_mut() {
            *value = first.or(*value);
        }
        let deltas = vec![None; sides.len()];
        figures.push(Figure { metric, values: shown, noise: None, deltas });
        candidates.push(of_metric);
    }
    let row = ComparedRow {
        label: firsts.first().map_or(String::new(), |item| item.label().to_owned()),
        positions: positions.to_vec(),
        late_limit: limit,
        obstacle,
        figures,
        outcomes: vec![None; sides.len()],
    };
    (row, candidates)
}

/// Whether something disturbed at least half of the runs of a group. Fewer are outliers within it, which its own
/// variation shows.
fn is_disturbed(items: &[Item<'_>]) -> bool {
    let count = items.iter().filter(|item| item.is_disturbed()).count();
    0 < count && items.len() <= 2 * count
}

/// Estimates the change of a metric from group A to another one.
fn estimated(
    metric: &Metric,
    values: [&[f64]; 2],
    basis: &GroupBasis<'_>,
    is_sequential: bool,
    (place, used): (usize, &mut Prior),
) -> Result<Estimated, Reason> {
    let is_ratio =
        metric.is_relative() && values.iter().copied().flatten().all(|&value| 0.0 < value);
    let smaller = values.iter().map(|side| side.len()).min().unwrap_or(0);
    // On a linear scale, a share of the mean is the deviation.
    let all: Vec<f64> = values.concat();
    let level = mean_and_std_dev(&all).0.abs();
    let factor = if is_ratio || !metric.is_relative() { 1.0 } else { level };
    // Three runs or more show their own variation.
    let prior = basis.prior.estimated(metric, place).filter(|_| smaller == MIN_GROUP);
    let prior = prior.inspect(|&prior| used.note_used(metric, place, prior));
    let prior = prior.map(|prior| VariancePrior { std_dev: prior.std_dev * factor, ..prior });
    let session = is_sequential.then(|| basis.prior.of_sessions(metric, used));
    let session = session.map(|one| VariancePrior { std_dev: one.std_dev * factor, ..one });
    Estimated::of_groups(values, is_ratio, prior, session)
        .ok_or(Reason::TooFewRuns(MIN_GROUP.saturating_sub(smaller)))
}

#[cfg(test)]
mod tests;
