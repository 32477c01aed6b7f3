//! The numbers of one configuration of all runs, with what chance does to them.

use super::item::Item;
use super::judge::{self, Delta, Judgement, Outcome, Scale};
use super::{ComparedRow, Obstacle};
use crate::nanos::Nanos;
use crate::report::metric::{Metric, Track};
use crate::run::Capture;
use crate::stats::blocks::{Bins, ResampleSource, Resampled};
use crate::stats::{Statistic, float};

/// The seed: the same runs always give the same intervals.
const SEED: u64 = 0x6a69_7474_6572;

/// A number of each run, and how it differs from the baseline's.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Which number.
    pub metric: Metric,
    /// Its value in each run, in the metric's unit; `None` where there are too few samples.
    pub values: Vec<Option<f64>>,
    /// What two runs of the same setting differ by on this machine, where repeats of it were measured.
    pub noise: Option<f64>,
    /// How each run differs; `None` at the baseline, and where a value is absent.
    pub deltas: Vec<Option<Delta>>,
}

/// The limit above which frames are late in all of some configurations; `None` where it is not one and the
/// same.
pub(super) fn late_limit<'a>(mut items: impl Iterator<Item = Item<'a>>) -> Option<Nanos> {
    let limit = items.next()?.late_limit()?;
    items.all(|item| item.late_limit() == Some(limit)).then_some(limit)
}

/// Compares one configuration; `family` is how many such comparisons are made at once.
pub(super) fn row(
    items: &[Item<'_>],
    positions: &[usize],
    baseline: usize,
    metrics: &[Metric],
    obstacle: Option<&Obstacle>,
    family: usize,
) -> ComparedRow {
    let obstacle = obstacle.cloned().or_else(|| own_obstacle(items));
    let mut compared = ComparedRow {
        label: items.get(baseline).map_or(String::new(), |item| item.label().to_owned()),
        positions: positions.to_vec(),
        late_limit: late_limit(items.iter().copied()),
        figures: figures(items, baseline, metrics, obstacle.is_none()),
        outcomes: vec![None; items.len()],
        obstacle,
    };
    judge_figures(&mut compared, items, baseline, family);
    for run in (0..items.len()).filter(|&run| run != baseline) {
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

/// Why these configurations cannot be compared, where the runs could be.
fn own_obstacle(items: &[Item<'_>]) -> Option<Obstacle> {
    let periods: Vec<Nanos> = items.iter().map(|item| item.period()).collect();
    if periods.iter().any(|period| Some(period) != periods.first()) {
        return Some(Obstacle::Periods(periods));
    }
    match items.first()?.run().capture()? {
        Capture::Frames(_) => None,
        Capture::SampledLog(_) => Some(Obstacle::Readings),
        Capture::Histogram(_) => Some(Obstacle::Counts),
    }
}

/// The figures that any run has, without differences; what depends on the baseline's p99 only where they
/// are comparable.
fn figures(
    items: &[Item<'_>],
    baseline: usize,
    metrics: &[Metric],
    is_comparable: bool,
) -> Vec<Figure> {
    let p99 = items.get(baseline).filter(|_| is_comparable).and_then(|item| item.p99());
    metrics
        .iter()
        .map(|&metric| {
            let value = |item: &Item<'_>| match metric.statistic {
                Statistic::AboveBaselineP99 => {
                    item.source(metric.track, p99).share_above_baseline_p99()
                }
                _ => item.value(&metric),
            };
            let values = items.iter().map(value).collect();
            Figure { metric, values, noise: None, deltas: vec![None; items.len()] }
        })
        .filter(|figure| figure.values.iter().any(Option::is_some))
        .collect()
}

/// The resampled runs of one track, one per configuration.
struct TrackDraws {
    track: Track,
    statistics: Vec<Statistic>,
    sample_counts: Vec<usize>,
    resampled: Vec<Option<Resampled>>,
}

impl TrackDraws {
    fn of(items: &[Item<'_>], track: Track, metrics: &[Metric], p99: Option<Nanos>) -> Self {
        let of_track = metrics.iter().filter(|metric| metric.track == track);
        let statistics: Vec<Statistic> = of_track.map(|metric| metric.statistic).collect();
        let sources: Vec<ResampleSource> =
            items.iter().map(|item| item.source(track, p99)).collect();
        let bins = Bins::of(&sources.iter().collect::<Vec<_>>());
        let of_each = items.iter().zip(&sources).map(|(item, source)| {
            // Each run is resampled by itself, wherever it stands among the others.
            let own = u64::from_str_radix(item.run().id.as_str(), 16).unwrap_or(0);
            source.resample(&bins, SEED ^ own, &statistics)
        });
        Self {
            track,
            resampled: of_each.collect(),
            sample_counts: sources.iter().map(|source| source.values.len()).collect(),
            statistics,
        }
    }

    fn of_run(&self, run: usize, statistic: Statistic) -> Option<&Resampled> {
        let enough = statistic.samples_needed();
        self.sample_counts.get(run).filter(|&&count| enough <= count)?;
        self.resampled.get(run)?.as_ref()
    }

    /// What resampling says of how a statistic differs.
    fn change(&self, from: usize, to: usize, metric: &Metric) -> Option<super::Interval> {
        let at = self.statistics.iter().position(|&one| one == metric.statistic)?;
        let (before, after) =
            (self.of_run(from, metric.statistic)?, self.of_run(to, metric.statistic)?);
        before.change(after, at, |before, after| after - before)
    }
}

fn judge_figures(compared: &mut ComparedRow, items: &[Item<'_>], baseline: usize, family: usize) {
    let metrics: Vec<Metric> = compared
        .figures
        .iter()
        .map(|figure| figure.metric)
        .filter(|metric| metric.statistic.has_interval() && compared.obstacle.is_none())
        .filter(|metric| metric.statistic != Statistic::LateShare || compared.late_limit.is_some())
        .collect();
    let mut tracks: Vec<Track> = metrics.iter().map(|metric| metric.track).collect();
    tracks.dedup();
    let p99 = items.get(baseline).and_then(|item| item.p99());
    let mut draws: Vec<TrackDraws> = Vec::new();
    for track in tracks {
        if draws.iter().all(|one| one.track != track) {
            draws.push(TrackDraws::of(items, track, &metrics, p99));
        }
    }
    let steps = items.iter().map(|item| item.run().clock.resolution);
    let scale = Scale {
        period: items.get(baseline).map_or(Nanos::ZERO, |item| item.period()),
        clock_step: steps.max().unwrap_or_default(),
        errors: judge::errors_for(family.saturating_mul(metrics.len())),
    };
    for figure in &mut compared.figures {
        let metric = figure.metric;
        let is_resampled = metrics.contains(&metric);
        let of_track = draws.iter().find(|one| is_resampled && one.track == metric.track);
        let Some(&Some(before)) = figure.values.get(baseline) else { continue };
        let mut deltas = vec![None; figure.values.len()];
        for (run, delta) in deltas.iter_mut().enumerate().filter(|(run, _)| *run != baseline) {
            let Some(&Some(value)) = figure.values.get(run) else { continue };
            let interval = of_track.and_then(|draws| draws.change(baseline, run, &metric));
            let mut found = judge::delta(&metric, before, value, interval, &scale);
            if compared.obstacle.is_some() {
                found = Delta { judgement: Judgement::NotJudged, ..found };
            }
            *delta = Some(found);
        }
        figure.deltas = deltas;
    }
}

/// The mean of values, and their standard deviation with n − 1, which is 0 for a single value.
pub(super) fn mean_and_std_dev(values: &[f64]) -> (f64, f64) {
    let count = float(values.len().max(1));
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::tests::run_of;
    use super::*;
    use crate::plan::{OnMiss, Pace};
    use crate::report::{Options, Report, Row, row_of};
    use crate::run::Run;
    use crate::sample::{Sample, Samples};

    fn sums(source: &ResampleSource) -> [i64; 2] {
        source.counts.each_ref().map(|column| column.values().sum())
    }

    #[test]
    fn a_hole_of_lost_samples_is_neither_missed_nor_a_long_frame() {
        let mut run = run_of(1, std::iter::repeat_n(10_000, 600));
        let kept = run.trials[0].samples.iter().enumerate();
        let kept: Samples =
            kept.filter(|(at, _)| !(200..250).contains(at)).map(|(_, sample)| sample).collect();
        run.trials[0].samples = kept;
        let sources = |run: &Run| {
            let report = Report::of(run, &Options::default());
            let item = Item::all(run, &report)[0];
            let slots = item.source(Track::Slots, None);
            let summary = report.rows[0].summary.as_ref().unwrap();
            let counted = [summary.missed_count(), summary.slot_count];
            let counted = counted.map(|count| i64::try_from(count).unwrap());
            assert_eq!(sums(&slots), counted, "the report counts the same");
            (counted, item.source(Track::FrameTimes, None).values)
        };
        let period = run.trials[0].trial.pace.period().get();
        let (counted, frame_times) = sources(&run);
        assert_eq!(counted, [50, 600]);
        assert_eq!((frame_times.len(), frame_times.values().max()), (549, Some(51 * period)));
        run.trials[0].lost_count = 50;
        let (counted, frame_times) = sources(&run);
        assert_eq!(counted, [0, 550]);
        assert_eq!((frame_times.len(), frame_times.values().max()), (548, Some(period)));
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
        let slots = Item::Configuration(&run, &row).source(Track::Slots, None);
        assert_eq!(sums(&slots), [0, 2]);
    }
}
