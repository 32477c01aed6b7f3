//! The numbers of one configuration of all runs, with what chance does to them.

use super::judge::{self, Delta, Judgement, Outcome, Scale};
use super::metric::{Figure, Metric};
use super::{ComparedRow, Obstacle};
use crate::nanos::Nanos;
use crate::report::row::round_of;
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
    run.subject.value_name() == PACED
}

/// The limit above which frames are late in all of some rows; `None` where it is not one and the same.
pub(super) fn late_limit<'a>(mut rows: impl Iterator<Item = &'a Row>) -> Option<Nanos> {
    let limit = rows.next()?.late_limit;
    rows.all(|row| row.late_limit == limit).then_some(limit)
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
    /// empty slots before, and those empty slots again, to make the number of all slots. The first frame
    /// of a round follows none, and one after lost samples follows none that is known.
    fn extend_paced(&mut self, trial: &TrialRun) {
        let steps = round_of(trial).steps(Nanos::new(self.period));
        let steps = std::iter::once(None).chain(steps.map(Some));
        let frames = trial.samples.due_nanos().zip(trial.samples.done_nanos());
        for ((due, done), step) in frames.zip(steps) {
            let unfinished = i64::from(self.period < done.saturating_sub(due));
            let empty = step.map_or(0, |step| step.empty_count);
            let frame_time = step.and_then(|step| step.frame_time_nanos);
            self.errors.push(frame_time.map_or(MISSING, |time| time.saturating_sub(self.period)));
            let [missed, left_out] = &mut self.counts;
            missed.push(unfinished.saturating_add(empty));
            left_out.push(empty);
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
        late_limit: late_limit(rows.iter().map(|(_, row)| *row)),
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
        .filter(|metric| *metric != Metric::Late || compared.late_limit.is_some())
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

#[cfg(test)]
mod tests {
    use super::super::tests::run_of;
    use super::*;
    use crate::plan::{OnMiss, Pace};
    use crate::report::{Options, row_of};
    use crate::sample::{Sample, Samples};

    fn sums(columns: &Columns) -> [i64; 2] {
        columns.counts.each_ref().map(|column| column.values().sum())
    }

    #[test]
    fn a_hole_of_lost_samples_is_neither_missed_nor_a_long_frame() {
        let mut run = run_of(1, std::iter::repeat_n(10_000, 600));
        let kept = run.trials[0].samples.iter().enumerate();
        let kept: Samples =
            kept.filter(|(at, _)| !(200..250).contains(at)).map(|(_, sample)| sample).collect();
        run.trials[0].samples = kept;
        let columns = |run: &Run| {
            let report = Report::of(run, &Options::default());
            let columns = Columns::of(run, &report.rows[0], true, None);
            let summary = report.rows[0].summary.as_ref().unwrap();
            let missed = i64::try_from(summary.missed_count()).unwrap();
            assert_eq!(sums(&columns)[0], missed, "the report counts the same");
            columns
        };
        let none_lost = columns(&run);
        assert_eq!(sums(&none_lost), [50, 50]);
        assert_eq!(none_lost.errors.values().max(), Some(50 * none_lost.period));
        run.trials[0].lost_count = 50;
        let all_lost = columns(&run);
        assert_eq!(sums(&all_lost), [0, 0]);
        assert_eq!(all_lost.errors.values().max(), Some(0));
        let missing: Vec<usize> = (0..all_lost.errors.len())
            .filter(|&at| all_lost.errors.get(at) == Some(MISSING))
            .collect();
        assert_eq!(missing, [0, 200], "the first frame, and the first after the hole");
    }

    #[test]
    fn a_step_back_over_all_of_time_leaves_no_slot_out() {
        let at = |nanos| {
            let at = Nanos::new(nanos);
            Sample { began: at, due: at, slept: None, woke: at, done: at, spins: 0, cpu: None }
        };
        let mut run = run_of(1, std::iter::repeat_n(0, 2));
        let trial = &mut run.trials[0];
        trial.trial.pace = Pace::Grid { period: Nanos::new(1), on_miss: OnMiss::Skip };
        trial.samples = [at(i64::MAX), at(i64::MIN)].into_iter().collect();
        let row = Row {
            trials: vec![0],
            ..row_of(run.plan().unwrap(), &[&run.trials[0]], &Options::default())
        };
        assert_eq!(sums(&Columns::of(&run, &row, true, None)), [0, 0]);
    }
}
