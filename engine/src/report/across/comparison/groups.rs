//! Compares two groups of runs, A and B, of any size.
//!
//! Each run gives one value per metric. The standard deviation is pooled within the groups, so that
//! the difference between the groups does not increase it. The pooled deviation is then combined with
//! the typical variation of the metric ([`Prior`]).

use super::candidate::{Candidate, max_chance, mean_and_std_dev};
use super::item::{Item, late_limit};
use super::judge::{Delta, DeltaResult, Outcome, Reason, Scale};
use super::repeats::{is_same_setting, item};
use super::{
    ComparedRow, Comparison, Condition, Figure, Incompatibility, Metric, Prior, Relevance, Report,
    Run, Variation, at, conditions, length_note, matched, metrics, not_as_requested, notes,
    obstacle,
};
use crate::nanos::Nanos;
use crate::stats::{Deviation, Statistic, float};

/// Min number of runs in a group; with fewer, the run-to-run variation of the group is not known.
pub const MIN_GROUP: usize = 2;

/// The runs of one group, with their reports.
type Group<'a> = [(&'a Run, &'a Report)];

impl Comparison {
    /// Compares the runs of group B with those of group A. If a group has only a single run, its run-to-run variation
    /// is not known, and the changes have no result.
    pub fn of_groups(groups: [&Group<'_>; 2], prior: &Prior) -> Self {
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
            notes,
            variation: Variation::Groups(counts),
            prior: prior.clone(),
            rows: Vec::new(),
            obstacle,
        };
        let is_single = items.iter().all(|items| items.len() == 1);
        let mut chances = Vec::new();
        let mut rows = Vec::new();
        for positions in matched {
            let firsts = at(&items, &positions);
            let sides = sides(groups, &firsts, is_single);
            comparison.notes.extend(not_as_requested(&sides));
            let found = row(&sides, &firsts, &positions, metrics, prior);
            chances.extend(found.1.iter().flatten().map(|candidate| candidate.chance));
            rows.push(found);
        }
        let most = max_chance(&chances);
        for (mut row, candidates) in rows {
            row.obstacle = comparison.obstacle.clone().or(row.obstacle);
            for (figure, candidate) in row.figures.iter_mut().zip(candidates) {
                let delta =
                    candidate.map(|one| one.called(&figure.metric, most, row.obstacle.is_some()));
                figure.deltas = vec![None, delta];
            }
            let deltas: Vec<Delta> =
                row.figures.iter().filter_map(|figure| *figure.deltas.get(1)?).collect();
            let outcome =
                if row.obstacle.is_some() { Outcome::NotComparable } else { Outcome::of(&deltas) };
            row.outcomes = vec![None, Some(outcome)];
            comparison.rows.push(row);
        }
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

/// Compares one configuration of both groups; returns a candidate for each figure of the row.
fn row(
    sides: &[Vec<Item<'_>>; 2],
    firsts: &[Item<'_>],
    positions: &[usize],
    metrics: &[Metric],
    prior: &Prior,
) -> (ComparedRow, Vec<Option<Candidate>>) {
    let both = || sides.iter().flatten().copied();
    let periods: Vec<Nanos> = firsts.iter().map(|item| item.period()).collect();
    let scale = Scale {
        period: firsts.first().map_or(Nanos::ZERO, |item| item.frame()),
        clock_step: both().map(|item| item.run().clock.resolution).max().unwrap_or_default(),
        errors: 0.0,
    };
    let limit = late_limit(both());
    let (mut figures, mut candidates) = (Vec::new(), Vec::new());
    for &metric in metrics.iter().filter(|metric| metric.statistic != Statistic::AboveBaseline) {
        let values = sides
            .each_ref()
            .map(|items| items.iter().filter_map(|item| item.value(&metric)).collect::<Vec<f64>>());
        let means =
            values.each_ref().map(|side| (!side.is_empty()).then(|| mean_and_std_dev(side).0));
        if means.iter().all(Option::is_none) {
            continue;
        }
        let is_one_limit = metric.statistic != Statistic::LateShare || limit.is_some();
        let found = match means {
            [Some(a), Some(b)] => {
                let mut one = candidate(&metric, &values, [a, b], prior, &scale);
                one.count(&metric, sides);
                if !is_one_limit {
                    one.chance = None;
                    one.delta = Delta {
                        interval: None,
                        result: DeltaResult::NotEvaluated,
                        reason: Some(Reason::SettingsDiffer),
                        ..one.delta
                    };
                }
                Some(one)
            }
            _ => None,
        };
        figures.push(Figure { metric, values: means.to_vec(), noise: None, deltas: vec![None; 2] });
        candidates.push(found);
    }
    let differ = periods.first() != periods.last();
    let row = ComparedRow {
        label: firsts.first().map_or(String::new(), |item| item.label().to_owned()),
        positions: positions.to_vec(),
        late_limit: limit,
        obstacle: differ.then_some(Incompatibility::Periods(periods)),
        figures,
        outcomes: Vec::new(),
    };
    (row, candidates)
}

/// Returns the change of a metric from group A (mean `a`) to group B (mean `b`), before the result of
/// the change is decided.
fn candidate(
    metric: &Metric,
    values: &[Vec<f64>; 2],
    [a, b]: [f64; 2],
    prior: &Prior,
    scale: &Scale,
) -> Candidate {
    let sizes = values.each_ref().map(Vec::len);
    let [own_a, own_b] = values.each_ref().map(|side| {
        let freedom = side.len().saturating_sub(1);
        float(freedom) * mean_and_std_dev(side).1.powi(2)
    });
    let smaller = sizes.into_iter().min().unwrap_or(0);
    let freedom = sizes.iter().sum::<usize>().saturating_sub(2);
    if smaller < MIN_GROUP || freedom == 0 {
        let unknown = Deviation { std_dev: 0.0, freedom: 0 };
        return Candidate::of(metric, a, b - a, unknown, 1.0, scale);
    }
    let own = Deviation { std_dev: ((own_a + own_b) / float(freedom)).sqrt(), freedom };
    let all = prior.of(metric, a, scale).moderate(own);
    let share = sizes.map(|size| 1.0 / float(size)).iter().sum::<f64>();
    Candidate::of(metric, a, b - a, all, share, scale)
}

#[cfg(test)]
mod tests;
