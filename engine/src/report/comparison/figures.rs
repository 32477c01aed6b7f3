//! The numbers of one configuration of all runs, with what chance does to them.

use super::judge::{self, Delta, Judgement, Outcome, Scale};
use super::metric::{Figure, Metric};
use super::{ComparedRow, Obstacle};
use crate::nanos::Nanos;
use crate::report::{Report, Row};
use crate::run::{Run, TrialRun};
use crate::sample::{Column, MISSING};
use crate::stats::blocks::{Draw, Drawing, RESAMPLES, Scales, Track};

/// The seed: the same runs always give the same intervals.
const SEED: u64 = 0x6a69_7474_6572;
/// The word of [`value_name`](crate::plan::Plan::value_name) for tests that are about a schedule.
const PACED: &str = "lateness";

/// Whether a run is about a schedule.
pub(super) fn is_paced(run: &Run) -> bool {
    run.plan.value_name() == PACED
}

/// The samples of one configuration of one run, its rounds one after the other.
#[derive(Debug, Default)]
struct Columns {
    values: Column,
    errors: Column,
    counts: [Column; 2],
    late_limit: i64,
    /// The baseline's p99, where it has one.
    beyond: Option<i64>,
    period: i64,
}

impl Columns {
    fn of(run: &Run, row: &Row, is_paced: bool, beyond: Option<Nanos>) -> Self {
        let mut columns = Self {
            late_limit: row.late_limit.get(),
            beyond: beyond.map(Nanos::get),
            period: row.period.get(),
            ..Self::default()
        };
        for trial in row.trials.iter().filter_map(|&trial| run.trials.get(trial)) {
            columns.values.extend(trial.each_value());
            if is_paced && 0 < columns.period {
                columns.extend_paced(trial);
            }
        }
        columns
    }

    /// Frame times less the period, and what was missed, as the summary counts it: unfinished frames and
    /// empty slots before, and those empty slots again, to make the number of all slots.
    fn extend_paced(&mut self, trial: &TrialRun) {
        let (due, woke, done) =
            (trial.samples.due_nanos(), trial.samples.woke_nanos(), trial.samples.done_nanos());
        let mut before: Option<(i64, i64)> = None;
        for ((due, woke), done) in due.zip(woke).zip(done) {
            let unfinished = i64::from(self.period < done.saturating_sub(due));
            let empty = before.map_or(0, |(due_before, _)| {
                let step = due.saturating_sub(due_before);
                let slots = step / self.period - 1;
                if step % self.period == 0 { slots.max(0) } else { 0 }
            });
            self.errors.push(before.map_or(MISSING, |(_, woke_before)| {
                woke.saturating_sub(woke_before).saturating_sub(self.period)
            }));
            let [missed, left_out] = &mut self.counts;
            missed.push(unfinished.saturating_add(empty));
            left_out.push(empty);
            before = Some((due, woke));
        }
    }

    /// The share of values above the baseline's p99.
    fn share_beyond(&self) -> Option<f64> {
        let beyond = self.beyond?;
        let above = self.values.values().filter(|&value| beyond < value).count();
        let count = self.values.len();
        (0 < count).then(|| crate::stats::float(above) / crate::stats::float(count))
    }

    fn track(&self) -> Track<'_> {
        Track { values: &self.values, seconds: &self.errors, counts: &self.counts }
    }
}

/// A metric of a run that was drawn anew.
fn drawn(metric: Metric, draw: &Draw<'_>, columns: &Columns) -> Option<f64> {
    let sums = draw.sums();
    let samples = crate::stats::float(sums.samples);
    let count = |at: usize| {
        sums.counts
            .get(at)
            .map_or(0.0, |&count| crate::stats::float(usize::try_from(count).unwrap_or(0)))
    };
    match metric {
        Metric::P50 | Metric::P95 | Metric::P99 | Metric::P99_9 => {
            draw.percentile(metric.quantile()?)
        }
        Metric::Beyond => draw.share_above(columns.beyond?),
        Metric::Mean => draw.mean(),
        Metric::StdDev => draw.std_dev(),
        Metric::Max => None,
        Metric::Late => draw.share_above(columns.late_limit),
        Metric::Missed => Some(count(0) / (samples + count(1))),
        Metric::OnePercentLow => {
            let error = draw.mean_of_greatest_seconds(0.01)?;
            Some(1e9 / (error + Nanos::new(columns.period).as_f64()))
        }
    }
}

/// Every metric of every draw of a run.
struct Draws {
    /// A list a metric.
    lists: Vec<Vec<f64>>,
    /// By how much intervals are to be widened.
    widening: f64,
}

fn draws(run: &Run, columns: &Columns, scales: &Scales, metrics: &[Metric]) -> Draws {
    // Each run draws by itself, wherever it stands among the others.
    let own = u64::from_str_radix(run.id.as_str(), 16).unwrap_or(0);
    let Some(mut drawing) = Drawing::of(&columns.track(), scales, SEED ^ own) else {
        return Draws { lists: vec![Vec::new(); metrics.len()], widening: 1.0 };
    };
    let mut lists = vec![Vec::with_capacity(RESAMPLES); metrics.len()];
    for _ in 0..RESAMPLES {
        let draw = drawing.draw();
        for (list, &metric) in lists.iter_mut().zip(metrics) {
            list.push(drawn(metric, draw, columns).unwrap_or(f64::NAN));
        }
    }
    Draws { lists, widening: drawing.widening() }
}

/// Compares one configuration; `family` is how many such comparisons are made at once.
pub(super) fn row(
    runs: &[(&Run, &Report)],
    positions: &[usize],
    baseline: usize,
    obstacle: Option<&Obstacle>,
    family: usize,
) -> ComparedRow {
    let rows: Vec<(&Run, &Row)> = runs
        .iter()
        .zip(positions)
        .filter_map(|((run, report), &position)| Some((*run, report.rows.get(position)?)))
        .collect();
    let is_paced = rows.iter().all(|(run, _)| is_paced(run));
    let periods: Vec<Nanos> = rows.iter().map(|(_, row)| row.period).collect();
    let is_even = periods.iter().all(|period| Some(period) == periods.first());
    let obstacle = match obstacle {
        Some(obstacle) => Some(obstacle.clone()),
        None if !is_even => Some(Obstacle::Periods(periods.clone())),
        None => None,
    };
    let figures = figures(&rows, is_paced);
    let mut compared = ComparedRow {
        label: rows.get(baseline).map_or(String::new(), |(_, row)| row.label.clone()),
        positions: positions.to_vec(),
        figures,
        outcomes: vec![None; rows.len()],
        obstacle,
    };
    judge_figures(&mut compared, &rows, baseline, is_paced, family);
    for run in (0..rows.len()).filter(|&run| run != baseline) {
        let deltas: Vec<Delta> =
            compared.figures.iter().filter_map(|figure| *figure.deltas.get(run)?).collect();
        let outcome = match compared.obstacle {
            Some(_) => Outcome::NotComparable,
            None => Outcome::of(&deltas),
        };
        if let Some(place) = compared.outcomes.get_mut(run) {
            *place = Some(outcome);
        }
    }
    compared
}

/// The figures that any run has, without differences.
fn figures(rows: &[(&Run, &Row)], is_paced: bool) -> Vec<Figure> {
    Metric::ALL
        .into_iter()
        .map(|metric| Figure {
            metric,
            values: rows.iter().map(|(_, row)| metric.of(row, is_paced)).collect(),
            noise: None,
            deltas: vec![None; rows.len()],
        })
        .filter(|figure| figure.values.iter().any(Option::is_some))
        .collect()
}

fn judge_figures(
    compared: &mut ComparedRow,
    rows: &[(&Run, &Row)],
    baseline: usize,
    is_paced: bool,
    family: usize,
) {
    let is_one_limit = rows
        .iter()
        .all(|(_, row)| Some(row.late_limit) == rows.first().map(|(_, row)| row.late_limit));
    let beyond = rows.get(baseline).and_then(|(_, row)| row.p99());
    let columns: Vec<Columns> = if compared.obstacle.is_some() {
        Vec::new()
    } else {
        rows.iter().map(|(run, row)| Columns::of(run, row, is_paced, beyond)).collect()
    };
    let shares: Vec<Option<f64>> = columns.iter().map(Columns::share_beyond).collect();
    if shares.iter().any(Option::is_some) {
        let metric = Metric::Beyond;
        let deltas = vec![None; shares.len()];
        let figure = Figure { metric, deltas, noise: None, values: shares };
        let place = compared.figures.iter().position(|figure| figure.metric == Metric::Mean);
        compared.figures.insert(place.unwrap_or(compared.figures.len()), figure);
    }
    let metrics: Vec<Metric> = compared
        .figures
        .iter()
        .map(|figure| figure.metric)
        .filter(|metric| metric.is_judged() && compared.obstacle.is_none())
        .filter(|metric| *metric != Metric::Late || is_one_limit)
        .collect();
    let tracks: Vec<Track<'_>> = columns.iter().map(Columns::track).collect();
    let scales = Scales::of(&tracks);
    let drawn: Vec<Draws> = rows
        .iter()
        .zip(&columns)
        .map(|((run, _), columns)| draws(run, columns, &scales, &metrics))
        .collect();
    let steps = rows.iter().map(|(run, _)| run.clock.resolution);
    let scale = Scale {
        period: rows.get(baseline).map_or(Nanos::ZERO, |(_, row)| row.period),
        clock_step: steps.max().unwrap_or_default(),
        errors: judge::errors_for(family.saturating_mul(metrics.len())),
    };
    for figure in &mut compared.figures {
        let at = metrics.iter().position(|&metric| metric == figure.metric);
        let list = |run: usize| {
            let enough = figure.metric.samples_needed();
            columns.get(run).filter(|columns| enough <= columns.values.len())?;
            drawn.get(run)?.lists.get(at?).filter(|list| !list.is_empty())
        };
        let Some(&Some(of_baseline)) = figure.values.get(baseline) else { continue };
        let mut deltas = vec![None; figure.values.len()];
        for (run, delta) in deltas.iter_mut().enumerate().filter(|(run, _)| *run != baseline) {
            let Some(&Some(value)) = figure.values.get(run) else { continue };
            let differences = list(baseline).zip(list(run)).map(|(before, after)| {
                before.iter().zip(after).map(|(before, after)| after - before).collect()
            });
            let widening =
                [baseline, run].into_iter().filter_map(|at| Some(drawn.get(at)?.widening));
            let widening = widening.fold(1.0, f64::max);
            let mut found =
                judge::delta(figure.metric, of_baseline, value, differences, widening, &scale);
            if compared.obstacle.is_some() {
                found = Delta { judgement: Judgement::NotJudged, ..found };
            }
            *delta = Some(found);
        }
        figure.deltas = deltas;
    }
}
