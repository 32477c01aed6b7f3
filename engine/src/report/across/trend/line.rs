//! The lines of a trend: its points, their levels, and the changes between them.

use std::collections::BTreeMap;

use super::super::comparison::{Delta, MIN_REPEATS, Reason};
use super::{BASELINE, MIN_POINTS, NoTrend, TrendBy, TrendQuery, TrendRun, metric_of};
use crate::machine::NOT_REPORTED;
use crate::report::model::metric::Metric;
use crate::stats::blocks::Interval;
use crate::stats::change_points::levels;
use crate::stats::effect::{CHANCE, Method, RunVariation};
use crate::stats::student::student_t;
use crate::stats::{Estimated, Outcome, Score, distinct, float};
use crate::units::shortened;

/// Values that vary less than this share of the typical deviation from run to run count as if they varied by that much:
/// clocks and summaries round.
const MIN_VARIATION: f64 = 1.0 / 20.0;

/// The trend of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// The metric.
    pub metric: Metric,
    /// The key of the test.
    pub test: String,
    /// The label of the configuration; empty for the key figure, or if runs have only one.
    pub label: String,
    /// What a point is.
    pub by: TrendBy,
    /// The names of the points of all lines, in order of time.
    pub names: Vec<String>,
    /// One line per PC, that with the newest run first.
    pub lines: Vec<TrendLine>,
    /// How many runs have other tests or settings, with this metric or without it, and are not in the trend.
    pub other_count: usize,
    /// How many runs with these settings lack the metric, and are not in the trend.
    pub unvalued_count: usize,
    /// The names of the recordings, if they are captures of several names; else empty.
    pub recordings: Vec<String>,
}

/// The trend on one PC.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendLine {
    /// The machine, after the name of another PC.
    pub machine: String,
    /// The points, in order of time.
    pub points: Vec<TrendPoint>,
    /// The levels, in order of time; empty without undisturbed points.
    pub levels: Vec<TrendLevel>,
    /// The changes from each level to the next.
    pub changes: Vec<LevelChange>,
    /// The position of the level with which others are compared: that of the newest baseline, else the first.
    pub baseline: usize,
    /// The smallest change from the baseline's level that matters, in the metric's unit.
    pub minimum: f64,
}

/// One point of a trend.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendPoint {
    /// The position of the point among the names of the trend.
    pub place: usize,
    /// The date, the tag, or when the run began.
    pub name: String,
    /// The runs of the point: ID, name, and what is shown of tags and note.
    pub runs: Vec<[String; 3]>,
    /// The value of the run, or the mean of the runs that nothing disturbed.
    pub value: f64,
    /// The 95% interval: of the mean of several runs, from these; of a single run, from the variation within the levels.
    pub interval: Option<(f64, f64)>,
    /// What disturbed all runs of the point, as part of a sentence; such a point sets no level.
    pub disturbed: Option<String>,
    /// The position of its level.
    pub level: usize,
    /// Whether one of the runs is tagged as a baseline.
    pub is_baseline: bool,
}

/// Points between two changes.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendLevel {
    /// The position of the first point that nothing disturbed.
    pub first: usize,
    /// The mean of its points that nothing disturbed.
    pub value: f64,
    /// The number of these points.
    pub count: usize,
    /// The change from the baseline's level; `None` for that level itself.
    pub delta: Option<Delta>,
}

/// A change from one level to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelChange {
    /// The position of the first point of the new level.
    pub point: usize,
    /// The values of both levels.
    pub values: [f64; 2],
    /// The change, with its result.
    pub delta: Delta,
}

impl Trend {
    /// Returns the trend of runs.
    pub fn new(runs: &[TrendRun<'_>], query: &TrendQuery) -> Result<Self, NoTrend> {
        let mut runs: Vec<&TrendRun<'_>> = runs.iter().collect();
        runs.sort_by_key(|run| run.started_at);
        if runs.is_empty() {
            return Err(NoTrend::Runs);
        }
        if let TrendBy::Tag(prefix) = &query.by {
            runs.retain(|run| run.tags.iter().any(|tag| tag.starts_with(prefix.as_str())));
        }
        if let (TrendBy::Tag(prefix), true) = (&query.by, runs.is_empty()) {
            return Err(NoTrend::Tag(prefix.clone()));
        }
        let like = match &query.like {
            Some(id) => runs.iter().find(|run| run.id == id),
            // The newest run that has the metric.
            None => runs.iter().rfind(|run| Pick::new(run, query).is_ok()).or_else(|| runs.last()),
        };
        let no_such_run = || match &query.like {
            Some(id) => NoTrend::Run(id.clone()),
            None => NoTrend::Runs,
        };
        let like = *like.ok_or_else(no_such_run)?;
        let pick = Pick::new(like, query)?;
        let is_like = |run: &TrendRun<'_>| (run.test, run.settings) == (like.test, like.settings);
        let (alike, others): (Vec<&TrendRun<'_>>, Vec<_>) =
            runs.iter().partition(|run| is_like(run));
        let alike_count = alike.len();
        let valued = alike.into_iter().filter_map(|run| Some((run, pick.value(run)?)));
        let valued: Vec<(&TrendRun<'_>, f64)> = valued.collect();
        let labels = || valued.iter().filter_map(|(run, _)| run.values?.keys().next().cloned());
        let recordings = if like.settings.is_empty() { distinct(labels()) } else { Vec::new() };
        let recordings = if recordings.len() == 1 { Vec::new() } else { recordings };
        let names = distinct(valued.iter().map(|(run, _)| point_name(run, query)));
        let machines = distinct(valued.iter().rev().map(|(run, _)| run.machine));
        let line = |machine: &str| {
            let own: Vec<_> = valued.iter().filter(|(run, _)| run.machine == machine).collect();
            TrendLine::new(machine, &own, &names, (&pick.metric, query))
        };
        Ok(Self {
            metric: pick.metric,
            test: like.test.to_owned(),
            label: pick.label,
            by: query.by.clone(),
            lines: machines.into_iter().map(line).collect(),
            other_count: others.len(),
            unvalued_count: alike_count - valued.len(),
            recordings,
            names,
        })
    }

    /// Returns what these runs have that a trend can follow: the keys of metrics, each with the labels of the
    /// configurations that have it.
    pub fn choices(runs: &[TrendRun<'_>]) -> Vec<(String, Vec<String>)> {
        let values = runs.iter().filter_map(|run| run.values);
        let labels = values
            .flatten()
            .flat_map(|(label, of_label)| of_label.keys().map(move |key| (key, label)));
        let mut choices: Vec<(String, Vec<String>)> = Vec::new();
        for (key, label) in labels {
            match choices.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) if known.contains(label) => {}
                Some((_, known)) => known.push(label.clone()),
                None => choices.push((key.clone(), vec![label.clone()])),
            }
        }
        choices
    }

    /// Replaces the names of other PCs by numbers, so that a file does not contain them.
    pub fn exclude_hosts(&mut self) {
        // "lab1 · AMD EPYC · Linux 6.8"; this PC has no name there.
        let has_host = |rest: &str| rest.contains(" · ") || rest == NOT_REPORTED;
        for (line, number) in self.lines.iter_mut().zip(1..) {
            let parts = line.machine.split_once(" · ");
            if let Some((_, rest)) = parts.filter(|(_, rest)| has_host(rest)) {
                line.machine = format!("PC {number} · {rest}");
            }
        }
    }

    /// Changes every text that is not the program's own: names, tags, notes, and machines.
    pub fn change_texts(&mut self, change: impl Fn(&mut String)) {
        let Self { label, names, lines, recordings, .. } = self;
        [label].into_iter().chain(names).chain(recordings).for_each(&change);
        for line in lines {
            change(&mut line.machine);
            for TrendPoint { name, runs, disturbed, .. } in &mut line.points {
                let about = runs.iter_mut().flat_map(|[_, name, about]| [name, about]);
                [name].into_iter().chain(about).chain(disturbed).for_each(&change);
            }
        }
    }
}

/// What is followed: the key figure, or a metric of a configuration.
struct Pick {
    metric: Metric,
    /// Empty for the key figure, or if runs have only one configuration.
    label: String,
    is_key: bool,
}

impl Pick {
    /// Returns what a query asks for of runs like this one.
    fn new(run: &TrendRun<'_>, query: &TrendQuery) -> Result<Self, NoTrend> {
        let values = || run.values.into_iter().flatten();
        let known = || distinct(values().flat_map(|(_, of_label)| of_label.keys().cloned()));
        let of_key = |metric| Self { metric, label: String::new(), is_key: true };
        let key = match (&query.metric, run.key) {
            (Some(key), _) => key.clone(),
            (None, Some((metric, _))) if query.label.is_none() => return Ok(of_key(metric)),
            // Without a key figure, that of most captures and tests.
            (None, _) => {
                let first = ["average-fps", "p99", "p50"].map(str::to_owned).into_iter();
                first.chain(known()).find(|key| known().contains(key)).unwrap_or_default()
            }
        };
        let has_key = |(_, of_label): &(&String, _)| BTreeMap::contains_key(*of_label, &key);
        let labels: Vec<String> =
            values().filter(has_key).map(|(label, _)| label.clone()).collect();
        let metric = metric_of(run.test, &key);
        match (metric, &query.label, labels.as_slice()) {
            (Some(metric), None, [first, more @ ..]) => {
                let label = if more.is_empty() { String::new() } else { first.clone() };
                Ok(Self { metric, label, is_key: false })
            }
            (Some(metric), Some(label), all) if all.contains(label) => {
                Ok(Self { metric, label: label.clone(), is_key: false })
            }
            (Some(_), Some(label), [_, ..]) => {
                let label = shortened(label).into_owned();
                Err(NoTrend::Configuration { label, known: labels })
            }
            _ => {
                let own = run.key.filter(|(metric, _)| metric.key == key);
                own.map(|(metric, _)| of_key(metric)).ok_or_else(|| NoTrend::Metric {
                    metric: shortened(&key).into_owned(),
                    known: known(),
                })
            }
        }
    }

    fn value(&self, run: &TrendRun<'_>) -> Option<f64> {
        let key = self.metric.key;
        if self.is_key {
            return run.key.filter(|(metric, _)| metric.key == key).map(|(_, value)| value);
        }
        let values = run.values?;
        let of_label = if self.label.is_empty() {
            values.values().find(|of_label| of_label.contains_key(key))
        } else {
            values.get(&self.label)
        };
        of_label?.get(key).copied().filter(|value| value.is_finite())
    }
}

/// Returns the name of the point to which a run belongs.
fn point_name(run: &TrendRun<'_>, query: &TrendQuery) -> String {
    let zone = query.zone.clone().unwrap_or(jiff::tz::TimeZone::UTC);
    let when = run.started_at.to_zoned(zone);
    match &query.by {
        // Two runs can begin in the same second.
        TrendBy::Run => format!("{} ({})", when.strftime("%-d %b %Y, %H:%M"), run.id),
        TrendBy::Date => when.strftime("%-d %b %Y").to_string(),
        TrendBy::Tag(prefix) => {
            let tag = run.tags.iter().find(|tag| tag.starts_with(prefix.as_str()));
            tag.cloned().unwrap_or_default()
        }
    }
}

/// The scale on which values are compared.
#[derive(Clone, Copy)]
struct TrendScale {
    is_ratio: bool,
}

impl TrendScale {
    fn scaled(self, value: f64) -> f64 {
        if self.is_ratio { value.ln() } else { value }
    }

    fn value(self, scaled: f64) -> f64 {
        if self.is_ratio { scaled.exp() } else { scaled }
    }

    /// Returns the mean of values, geometric if the logarithms are compared.
    fn mean(self, values: &[f64]) -> f64 {
        let sum: f64 = values.iter().map(|&value| self.scaled(value)).sum();
        self.value(sum / float(values.len().max(1)))
    }
}

impl TrendLine {
    fn new(
        machine: &str,
        runs: &[&(&TrendRun<'_>, f64)],
        names: &[String],
        (metric, query): (&Metric, &TrendQuery),
    ) -> Self {
        let is_ratio = metric.is_relative() && runs.iter().all(|(_, value)| 0.0 < *value);
        let scale = TrendScale { is_ratio };
        let mut by_name: BTreeMap<String, Vec<&(&TrendRun<'_>, f64)>> = BTreeMap::new();
        for &run in runs {
            by_name.entry(point_name(run.0, query)).or_default().push(run);
        }
        let of_name = |(place, name): (usize, &String)| {
            Some(TrendPoint::new((place, name), by_name.get(name)?, scale))
        };
        let mut points: Vec<TrendPoint> = names.iter().enumerate().filter_map(of_name).collect();
        let quiet: Vec<(usize, f64)> = points
            .iter()
            .enumerate()
            .filter(|(_, point)| point.disturbed.is_none())
            .map(|(at, point)| (at, point.value))
            .collect();
        let values: Vec<f64> = quiet.iter().map(|(_, value)| *value).collect();
        let scaled: Vec<f64> = values.iter().map(|&value| scale.scaled(value)).collect();
        let size = if is_ratio || !metric.is_relative() { 1.0 } else { scale.mean(&values).abs() };
        let least = metric.assumed_deviation() * MIN_VARIATION * size;
        let ranges = if scaled.is_empty() { Vec::new() } else { levels(&scaled, least) };
        let parts: Vec<&[f64]> =
            ranges.iter().map(|range| values.get(range.clone()).unwrap_or_default()).collect();
        let mut found: Vec<TrendLevel> = ranges
            .iter()
            .zip(&parts)
            .map(|(range, part)| TrendLevel {
                first: quiet.get(range.start).map_or(0, |(at, _)| *at),
                value: scale.mean(part),
                count: part.len(),
                delta: None,
            })
            .collect();
        for (point, at) in points.iter_mut().zip(0..) {
            let begun = found.iter().take_while(|level| level.first <= at).count();
            point.level = begun.saturating_sub(1);
        }
        set_intervals(&mut points, &parts, scale, least);
        let compare = |from: usize, to: usize| {
            let sides = [from, to].map(|level| parts.get(level).copied().unwrap_or_default());
            delta(metric, sides, scale, query)
        };
        let changes = found.iter().enumerate().skip(1).map(|(at, level)| LevelChange {
            point: level.first,
            values: [at - 1, at].map(|at| found.get(at).map_or(0.0, |level| level.value)),
            delta: compare(at - 1, at),
        });
        let changes = changes.collect();
        let baseline = points.iter().rfind(|point| point.is_baseline).map_or(0, |it| it.level);
        for (level, at) in found.iter_mut().zip(0..) {
            level.delta = (at != baseline).then(|| compare(baseline, at));
        }
        let value = found.get(baseline).map_or(0.0, |level| level.value);
        Self {
            machine: machine.to_owned(),
            minimum: minimum_of(metric, value, query),
            points,
            levels: found,
            changes,
            baseline,
        }
    }

    /// Returns the number of points that nothing disturbed.
    pub fn quiet_count(&self) -> usize {
        self.levels.iter().map(|level| level.count).sum()
    }

    /// Whether there are enough points to find a change.
    pub fn is_enough(&self) -> bool {
        MIN_POINTS <= self.quiet_count()
    }

    /// Returns the value of the level with which others are compared; `None` without undisturbed points.
    pub fn baseline_value(&self) -> Option<f64> {
        self.levels.get(self.baseline).map(|level| level.value)
    }

    /// Returns the change from the baseline's level to the last one; `None` if they are the same level.
    pub fn current(&self) -> Option<&Delta> {
        self.levels.last()?.delta.as_ref()
    }

    /// Returns the result of a point: that of its level compared with the baseline's. `None` in the baseline's level,
    /// and for a disturbed point.
    pub fn outcome(&self, point: &TrendPoint) -> Option<Outcome> {
        let level = self.levels.get(point.level).filter(|_| point.disturbed.is_none())?;
        level.delta.map(|delta| delta.result)
    }
}

impl TrendPoint {
    fn new(
        (place, name): (usize, &str),
        runs: &[&(&TrendRun<'_>, f64)],
        scale: TrendScale,
    ) -> Self {
        let quiet: Vec<f64> = runs
            .iter()
            .filter(|(run, _)| run.disturbed.is_empty())
            .map(|(_, value)| *value)
            .collect();
        let all: Vec<f64> = runs.iter().map(|(_, value)| *value).collect();
        let counted = if quiet.is_empty() { &all } else { &quiet };
        let why = runs.iter().map(|(run, _)| run.disturbed).find(|why| !why.is_empty());
        let scaled: Vec<f64> = counted.iter().map(|&value| scale.scaled(value)).collect();
        let own = Score::of(&scaled, 1.0 - CHANCE);
        let ends = |score: Score| {
            (scale.value(score.mean - score.error), scale.value(score.mean + score.error))
        };
        let about = |run: &TrendRun<'_>| {
            let note = run.note.lines().next().unwrap_or_default();
            let parts = [run.tags.join(", "), note.to_owned()];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
        };
        Self {
            place,
            name: name.to_owned(),
            runs: runs
                .iter()
                .map(|(run, _)| [run.id.to_owned(), run.name.to_owned(), about(run)])
                .collect(),
            value: scale.mean(counted),
            interval: own.map(ends),
            disturbed: if quiet.is_empty() { why.map(str::to_owned) } else { None },
            level: 0,
            is_baseline: runs.iter().any(|(run, _)| run.tags.iter().any(|tag| tag == BASELINE)),
        }
    }
}

/// Sets the interval of the points that nothing disturbed and that are a single run, from the deviation pooled within the
/// levels. `least` is the smallest deviation that counts.
fn set_intervals(points: &mut [TrendPoint], parts: &[&[f64]], scale: TrendScale, least: f64) {
    let count: usize = parts.iter().map(|part| part.len()).sum();
    let Some(freedom) = count.checked_sub(parts.len()).filter(|&freedom| 1 < freedom) else {
        return;
    };
    let squares = |part: &&[f64]| -> f64 {
        let mean = scale.scaled(scale.mean(part));
        part.iter().map(|&value| (scale.scaled(value) - mean).powi(2)).sum()
    };
    let deviation = (parts.iter().map(squares).sum::<f64>() / float(freedom)).sqrt().max(least);
    let reach = student_t(freedom, 1.0 - CHANCE) * deviation;
    for point in points.iter_mut().filter(|it| it.disturbed.is_none() && it.interval.is_none()) {
        let value = scale.scaled(point.value);
        point.interval = Some((scale.value(value - reach), scale.value(value + reach)));
    }
}

/// Returns the smallest change from this value that matters, in the metric's unit.
fn minimum_of(metric: &Metric, value: f64, query: &TrendQuery) -> f64 {
    let share = query.minimum.of(metric.kind());
    if metric.is_relative() { value.abs() * share } else { share }
}

/// Compares two levels, of which these are the points.
fn delta(metric: &Metric, [a, b]: [&[f64]; 2], scale: TrendScale, query: &TrendQuery) -> Delta {
    let before = scale.mean(a);
    let difference = scale.mean(b) - before;
    let minimum = minimum_of(metric, before, query);
    let Some(estimated) = Estimated::of_groups([a, b], scale.is_ratio, None, None) else {
        let reason = Some(Reason::TooFewRuns(1));
        return Delta::without_interval(
            before,
            difference,
            minimum,
            Outcome::NotEnoughData,
            reason,
        );
    };
    Delta::of_effect(estimated.effect(CHANCE, minimum), estimated.values[0], metric)
}

/// Returns the change of a run from its baseline. `repeats` are the values of runs that differ from the baseline only by
/// chance, none later than it, and the baseline's own; `None` with too few of them to show their variation.
pub fn change_from_baseline(
    metric: &Metric,
    [baseline, value]: [f64; 2],
    repeats: &[f64],
) -> Option<Delta> {
    if repeats.len() < MIN_REPEATS {
        return None;
    }
    let is_ratio =
        metric.is_relative() && [baseline, value].iter().chain(repeats).all(|&value| 0.0 < value);
    let scale = TrendScale { is_ratio };
    let scaled: Vec<f64> = repeats.iter().map(|&value| scale.scaled(value)).collect();
    let deviation = Score::of(&scaled, 1.0 - CHANCE)?;
    let freedom = repeats.len() - 1;
    // The error of the mean of the repeats, as the deviation of the difference of two runs.
    let error = deviation.error / student_t(freedom, 1.0 - CHANCE)
        * float(repeats.len()).sqrt()
        * std::f64::consts::SQRT_2;
    let method = Method::Repeats(repeats.len());
    let difference = value - baseline;
    let exact = Interval { low: difference, high: difference, error: 0.0 };
    let variation = RunVariation { error, freedom, method };
    let estimated = Estimated::of_singles([baseline, value], exact, Some(variation), is_ratio);
    let minimum = minimum_of(metric, baseline, &TrendQuery::default());
    Some(Delta::of_effect(estimated.effect(CHANCE, minimum), baseline, metric))
}
