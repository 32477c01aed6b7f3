//! The metrics of one configuration in all runs, and the changes of single runs from the baseline.

use super::candidate::Candidate;
use super::item::{Item, late_limit};
use super::judge::{Delta, Overall, Reason, Scale};
use super::noise::NoiseFloor;
use super::{ComparedRow, Incompatibility, Prior, Rules};
use crate::nanos::Nanos;
use crate::report::model::metric::{Metric, MetricKind, Track};
use crate::run::Capture;
use crate::sample::Column;
use crate::stats::blocks::{Bins, ResampleSource, Resampled, SEED};
use crate::stats::effect::{Method, RunVariation};
use crate::stats::{Estimated, Statistic, VariancePrior, float, nanos_float, position};

/// One metric: its value in each run, and the difference of each run from the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The metric.
    pub metric: Metric,
    /// The value of the metric in each run, in the metric's unit; `None` with too few samples.
    pub values: Vec<Option<f64>>,
    /// The noise floor: how much two runs with the same settings differ on this machine; `None`
    /// without repeats.
    pub noise: Option<f64>,
    /// The difference of each run from the baseline; `None` for the baseline itself, and if a value
    /// is absent.
    pub deltas: Vec<Option<Delta>>,
}

/// A configuration in all runs, with the candidates of its changes: one list per figure, with one entry per run.
pub(super) type Row = (ComparedRow, Vec<Vec<Option<Candidate>>>);

/// Compares one configuration, at a position among all that are compared, across all runs. Adds the variation that it
/// used to `used`.
pub(super) fn row(
    items: &[Item<'_>],
    positions: &[usize],
    baseline: usize,
    metrics: &[Metric],
    obstacle: Option<&Incompatibility>,
    rules: &Rules<'_>,
    (place, used): (usize, &mut Prior),
) -> Row {
    let obstacle = obstacle.cloned().or_else(|| own_obstacle(items));
    let is_comparable = obstacle.is_none();
    let limit = items.get(baseline).filter(|_| is_comparable).and_then(|item| item.p99());
    let mut compared = ComparedRow {
        label: items.get(baseline).map_or(String::new(), |item| item.label().to_owned()),
        positions: positions.to_vec(),
        late_limit: late_limit(items.iter().copied()),
        figures: figures(items, metrics, limit),
        outcomes: vec![None; items.len()],
        obstacle,
    };
    let has_noise = rules.floor.is_some_and(|floor| add_noise(&mut compared, floor));
    let tracks = tracks(&compared, items, limit);
    let singles = Singles {
        items,
        baseline,
        place,
        tracks: &tracks,
        floor: rules.floor.filter(|_| has_noise),
        late_limit: compared.late_limit,
        prior: &rules.prior,
        scale: Scale {
            period: items.get(baseline).map_or(Nanos::ZERO, |item| item.frame()),
            clock_step: items
                .iter()
                .map(|item| item.run().clock.resolution)
                .max()
                .unwrap_or_default(),
            is_variation_known: has_noise
                || metrics.iter().any(|it| rules.prior.is_given(it, place)),
            minimum: rules.minimum,
        },
    };
    let mut candidates = Vec::new();
    for figure in &compared.figures {
        let mut of_figure = Vec::new();
        for run in 0..items.len() {
            let is_other = run != baseline;
            of_figure.push(if is_other {
                singles.candidate(figure, run, is_comparable, used)
            } else {
                None
            });
        }
        candidates.push(of_figure);
    }
    (compared, candidates)
}

/// Sets the decided differences of a row, and the outcome of each run.
pub(super) fn set_deltas(
    row: &mut ComparedRow,
    baseline: usize,
    mut deltas: impl Iterator<Item = Option<Delta>>,
) {
    for figure in &mut row.figures {
        figure.deltas = deltas.by_ref().take(figure.deltas.len()).collect();
    }
    let outcome = |run: usize| {
        let deltas: Vec<Delta> =
            row.figures.iter().filter_map(|figure| *figure.deltas.get(run)?).collect();
        let is_comparable = row.obstacle.is_none();
        let outcome = if is_comparable { Overall::of(&deltas) } else { Overall::NotComparable };
        (run != baseline).then_some(outcome)
    };
    row.outcomes = (0..row.outcomes.len()).map(outcome).collect();
}

/// Returns why these configurations cannot be compared although the runs can; `None` if they can.
fn own_obstacle(items: &[Item<'_>]) -> Option<Incompatibility> {
    let periods: Vec<Nanos> = items.iter().map(|item| item.period()).collect();
    if periods.iter().any(|period| Some(period) != periods.first()) {
        return Some(Incompatibility::Periods(periods));
    }
    match items.first()?.run().capture()? {
        Capture::Frames(_) | Capture::Ticks(_) => None,
        Capture::SampledLog(_) | Capture::SampledTicks(_) => Some(Incompatibility::Readings),
        Capture::Histogram(_) => Some(Incompatibility::Counts),
    }
}

/// Sets the noise floor of each metric; returns whether any metric has a noise floor. The share of late
/// frames has none if the late threshold of the runs differs from that of the repeats.
fn add_noise(compared: &mut ComparedRow, floor: &NoiseFloor) -> bool {
    let is_one_limit = compared.late_limit.is_some() && compared.late_limit == floor.late_limit;
    for figure in &mut compared.figures {
        figure.noise = floor
            .noise(&compared.label, &figure.metric)
            .filter(|_| figure.metric.statistic != Statistic::LateShare || is_one_limit);
    }
    compared.figures.iter().any(|figure| figure.noise.is_some())
}

/// Returns the metrics that at least one run has, without differences; `limit` is p99 of the
/// baseline.
fn figures(items: &[Item<'_>], metrics: &[Metric], limit: Option<Nanos>) -> Vec<Figure> {
    metrics
        .iter()
        .map(|&metric| {
            let value = |item: &Item<'_>| match metric.statistic {
                Statistic::AboveBaseline => item.source(metric.track, limit).share_above_baseline(),
                _ => item.value(&metric),
            };
            let values = items.iter().map(value).collect();
            Figure { metric, values, noise: None, deltas: vec![None; items.len()] }
        })
        .filter(|figure| figure.values.iter().any(Option::is_some))
        .collect()
}

/// The bootstrap resamples of one track (one kind of value, such as frame times), with one entry per run.
struct TrackDraws {
    track: Track,
    statistics: Vec<Statistic>,
    sources: Vec<ResampleSource>,
    resampled: Vec<Option<Resampled>>,
}

impl TrackDraws {
    fn of(items: &[Item<'_>], track: Track, metrics: &[Metric], limit: Option<Nanos>) -> Self {
        let of_track = metrics.iter().filter(|metric| metric.track == track);
        let statistics: Vec<Statistic> = of_track.map(|metric| metric.statistic).collect();
        let sources: Vec<ResampleSource> =
            items.iter().map(|item| item.source(track, limit)).collect();
        // A histogram of the values is needed unless every statistic is computed from counts only.
        let has_ranks = statistics.iter().any(|one| *one != Statistic::CountShare);
        let binned: Vec<&ResampleSource> = sources.iter().filter(|_| has_ranks).collect();
        let bins = Bins::of(&binned);
        let of_each = items.iter().zip(&sources).map(|(item, source)| {
            // The seed depends on the run only, and not on its position among the runs.
            let own = u64::from_str_radix(item.run().id.as_str(), 16).unwrap_or(0);
            source.resample(&bins, SEED ^ own, &statistics)
        });
        let resampled = of_each.collect();
        Self { track, statistics, sources, resampled }
    }

    /// Returns the interval of the change of a statistic from one run to another, from resampling.
    fn change(&self, from: usize, to: usize, statistic: Statistic) -> Option<super::Interval> {
        let at = self.statistics.iter().position(|&one| one == statistic)?;
        let of = |run: usize| self.resampled.get(run)?.as_ref();
        of(from)?.change(of(to)?, at, |before, after| after - before)
    }

    /// Returns how many samples the run with fewer samples lacks for an interval of a statistic.
    fn missing(&self, from: usize, to: usize, statistic: Statistic) -> usize {
        let count = |run: usize| self.sources.get(run).map_or(0, |source| source.values.len());
        statistic.samples_to_compare().saturating_sub(count(from).min(count(to)))
    }

    /// Returns how far the share of values of a run above a limit varies if the values vary by `deviation`, a share:
    /// half the difference of the shares above a limit that is lower and higher by this share.
    fn share_deviation(&self, run: usize, limit: i64, deviation: f64) -> f64 {
        let Some(values) = self.sources.get(run).map(|source| &source.values) else { return 0.0 };
        let above = |factor: f64| {
            let limit = nanos_float(limit) * factor;
            float(values.values().filter(|&value| limit < nanos_float(value)).count())
        };
        let count = float(Column::len(values).max(1));
        (above((-deviation).exp()) - above(deviation.exp())).abs() / 2.0 / count
    }
}

/// Returns the resamples of every track with a metric to evaluate.
fn tracks(compared: &ComparedRow, items: &[Item<'_>], limit: Option<Nanos>) -> Vec<TrackDraws> {
    let metrics: Vec<Metric> = compared
        .figures
        .iter()
        .map(|figure| figure.metric)
        .filter(|metric| metric.statistic.has_interval() && compared.obstacle.is_none())
        .filter(|metric| metric.statistic != Statistic::LateShare || compared.late_limit.is_some())
        .collect();
    let mut tracks: Vec<TrackDraws> = Vec::new();
    for track in metrics.iter().map(|metric| metric.track) {
        if tracks.iter().all(|one| one.track != track) {
            tracks.push(TrackDraws::of(items, track, &metrics, limit));
        }
    }
    tracks
}

/// What the changes of single runs of one configuration are estimated from.
struct Singles<'a> {
    items: &'a [Item<'a>],
    baseline: usize,
    /// The position of the configuration among all that are compared.
    place: usize,
    tracks: &'a [TrackDraws],
    floor: Option<&'a NoiseFloor>,
    late_limit: Option<Nanos>,
    prior: &'a Prior,
    scale: Scale,
}

impl Singles<'_> {
    /// Returns the candidate for the change of a metric from the baseline to a run; `None` if either has no value.
    fn candidate(
        &self,
        figure: &Figure,
        run: usize,
        is_comparable: bool,
        used: &mut Prior,
    ) -> Option<Candidate> {
        let metric = &figure.metric;
        let value = |run: usize| *figure.values.get(run)?;
        let values = [value(self.baseline)?, value(run)?];
        let statistic = metric.statistic;
        let is_track =
            |one: &&TrackDraws| one.track == metric.track && one.statistics.contains(&statistic);
        let track = self.tracks.iter().find(is_track).filter(|_| is_comparable);
        let sides = [self.baseline, run].into_iter().filter_map(|run| self.items.get(run));
        let is_disturbed = sides.copied().any(Item::is_disturbed);
        let estimated = match track {
            None => Err(Reason::SettingsDiffer),
            Some(_) if is_disturbed => Err(Reason::Disturbed),
            Some(track) => {
                let missing = track.missing(self.baseline, run, statistic);
                let interval = track.change(self.baseline, run, statistic);
                interval
                    .filter(|_| missing == 0)
                    .map(|it| (track, it))
                    .ok_or(Reason::TooFewSamples(missing))
            }
        };
        let is_clear_within =
            estimated.as_ref().is_ok_and(|(_, interval)| 0.0 < interval.low || interval.high < 0.0);
        let estimated = estimated.map(|(track, interval)| {
            let is_ratio = metric.is_relative() && values.iter().all(|&value| 0.0 < value);
            let variation = self.variation(metric, values, track, run, used);
            Estimated::of_singles(values, interval, Some(variation), is_ratio)
        });
        Some(Candidate::of(metric, values, &self.scale, estimated).clear_within(is_clear_within))
    }

    /// Returns the run-to-run variation of the change of a metric between two values.
    fn variation(
        &self,
        metric: &Metric,
        [a, b]: [f64; 2],
        track: &TrackDraws,
        run: usize,
        used: &mut Prior,
    ) -> RunVariation {
        // The share above the baseline's p99 varies as p99 does.
        let is_above = metric.statistic == Statistic::AboveBaseline;
        let of = if is_above { self.p99_of(metric) } else { *metric };
        let level = if is_above { None } else { Some(a) };
        let (variation, is_own) = self.deviation(&of, level);
        used.note_used(&of, self.place, variation);
        let difference = variation.std_dev * std::f64::consts::SQRT_2;
        let stated = variation.std_dev;
        let error = match (metric.kind(), metric.statistic) {
            (_, Statistic::AboveBaseline) => {
                let limit = track.sources.get(run).and_then(|source| source.baseline_limit);
                track.share_deviation(run, limit.unwrap_or(i64::MAX), difference)
            }
            (MetricKind::Share, Statistic::LateShare) if !is_own => {
                // A share of values is the more sensitive, the more values are near its limit.
                let limit = track.sources.get(run).map_or(i64::MAX, |source| source.late_threshold);
                let times = self.deviation(&Metric::P99, None).0.std_dev;
                let times = times * std::f64::consts::SQRT_2;
                difference.max(track.share_deviation(run, limit, times))
            }
            (MetricKind::Share, _) => difference,
            _ => {
                let step = self.scale.clock_step(metric);
                if 0.0 < a && 0.0 < b {
                    difference.max(step / a.min(b))
                } else {
                    (variation.std_dev * a.hypot(b)).max(step)
                }
            }
        };
        let count = self.floor.filter(|_| is_own).map(|floor| floor.count);
        let method = count.map_or(Method::Assumed(stated), Method::Repeats);
        RunVariation { error, freedom: position(variation.freedom).max(1), method }
    }

    /// Returns the metric p99 of the values of a track.
    fn p99_of(&self, metric: &Metric) -> Metric {
        let is_p99 = |one: &&Metric| one.track == metric.track && one.statistic == Statistic::P99;
        Metric::FRAMES.iter().find(is_p99).copied().unwrap_or(Metric::P99)
    }

    /// Returns the deviation of a metric from run to run, and whether it is from repeats of the baseline, here or as given.
    fn deviation(&self, metric: &Metric, value: Option<f64>) -> (VariancePrior, bool) {
        let item = self.items.get(self.baseline);
        let label = item.map_or("", |item| item.label());
        let floor = self.floor.filter(|floor| {
            metric.statistic != Statistic::LateShare || self.late_limit == floor.late_limit
        });
        let own = floor.and_then(|floor| floor.deviation(label, metric));
        let value = value.or_else(|| item.and_then(|item| item.value(metric))).unwrap_or_default();
        let is_own = own.is_some() || self.prior.is_given(metric, self.place);
        (self.prior.of_single(metric, self.place, own, value), is_own)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::run_of;
    use super::*;
    use crate::plan::{OnMiss, Pace};
    use crate::report::{Configuration, Options, Report, live_configuration};
    use crate::run::Run;
    use crate::sample::{Sample, Samples};

    fn sums(source: &ResampleSource) -> [i64; 2] {
        source.counts.each_ref().map(|column| column.values().sum())
    }

    #[test]
    fn a_hole_of_lost_samples_is_neither_missed_nor_a_long_frame() {
        let mut run = run_of(1, std::iter::repeat_n(10_000, 600));
        let retained = run.trials[0].samples.iter().enumerate();
        let retained: Samples =
            retained.filter(|(at, _)| !(200..250).contains(at)).map(|(_, sample)| sample).collect();
        run.trials[0].samples = retained;
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
        let row = Configuration {
            trials: vec![0],
            ..live_configuration(run.plan().unwrap(), &run.trials[0], &Options::default())
        };
        let slots = Item::Configuration(&run, &row).source(Track::Slots, None);
        assert_eq!(sums(&slots), [0, 2]);
    }
}
