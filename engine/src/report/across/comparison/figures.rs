//! The metrics of one configuration in all runs, and whether their differences exceed chance.

use super::item::{Item, late_limit};
use super::judge::{self, Delta, DeltaResult, Outcome, Reason, Scale};
use super::noise::{NoiseFloor, NoiseLimit};
use super::prior::Prior;
use super::{ComparedRow, Incompatibility};
use crate::nanos::Nanos;
use crate::report::model::metric::{Metric, Track};
use crate::run::Capture;
use crate::stats::Statistic;
use crate::stats::blocks::{Bins, ResampleSource, Resampled, SEED};

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

/// The run-to-run variation: how much runs with the same settings differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise<'a> {
    /// The variation on this machine; absent if it was not measured.
    pub(super) floor: Option<&'a NoiseFloor>,
    /// The typical variation of each metric, with which the measured variation is combined.
    pub(super) prior: &'a Prior,
}

/// Compares one configuration across all runs. `family` is the number of pairs (a configuration in one
/// run, and in the baseline) that are compared at once.
pub(super) fn row(
    items: &[Item<'_>],
    positions: &[usize],
    baseline: usize,
    metrics: &[Metric],
    obstacle: Option<&Incompatibility>,
    noise: &Noise<'_>,
    family: usize,
) -> ComparedRow {
    let floor = noise.floor;
    let obstacle = obstacle.cloned().or_else(|| own_obstacle(items));
    let numbers = metrics.iter().filter(|metric| metric.statistic.has_interval()).count();
    let numbers = family.saturating_mul(numbers);
    let scale = scale_of(items, baseline, numbers);
    let prior = noise.prior;
    let noise_limit = floor.map(|floor| floor.limit(numbers));
    let limit = items.get(baseline).filter(|_| obstacle.is_none()).and_then(|item| {
        let noise = floor.and_then(|floor| floor.noise(item.label(), &Metric::P99));
        well_above_p99(*item, noise_limit.zip(noise), &scale, prior)
    });
    let mut compared = ComparedRow {
        label: items.get(baseline).map_or(String::new(), |item| item.label().to_owned()),
        positions: positions.to_vec(),
        late_limit: late_limit(items.iter().copied()),
        figures: figures(items, metrics, limit),
        outcomes: vec![None; items.len()],
        obstacle,
    };
    let has_noise = floor.is_some_and(|floor| add_noise(&mut compared, floor));
    let noise_limit = noise_limit.filter(|_| has_noise);
    let draws = draws(&compared, items, limit);
    judge_figures(&mut compared, &draws, baseline, noise_limit, prior, &scale);
    for run in (0..items.len()).filter(|&run| run != baseline) {
        let deltas: Vec<Delta> =
            compared.figures.iter().filter_map(|figure| *figure.deltas.get(run)?).collect();
        let outcome = match compared.obstacle {
            Some(_) => Outcome::NotComparable,
            None if has_noise => Outcome::of(&deltas),
            None => Outcome::of(&deltas).without_variation(),
        };
        if let Some(place) = compared.outcomes.get_mut(run) {
            *place = Some(outcome);
        }
    }
    compared
}

/// Returns why these configurations cannot be compared although the runs can; `None` if they can.
fn own_obstacle(items: &[Item<'_>]) -> Option<Incompatibility> {
    let periods: Vec<Nanos> = items.iter().map(|item| item.period()).collect();
    if periods.iter().any(|period| Some(period) != periods.first()) {
        return Some(Incompatibility::Periods(periods));
    }
    match items.first()?.run().capture()? {
        Capture::Frames(_) => None,
        Capture::SampledLog(_) => Some(Incompatibility::Readings),
        Capture::Histogram(_) => Some(Incompatibility::Counts),
    }
}

/// Returns the limit above which a value clearly exceeds the baseline's p99. It is p99 plus the
/// run-to-run variation or, if that is not known, plus the smallest change that matters.
fn well_above_p99(
    baseline: Item<'_>,
    noise: Option<(NoiseLimit, f64)>,
    scale: &Scale,
    prior: &Prior,
) -> Option<Nanos> {
    let p99 = baseline.p99()?;
    let margin = noise.map_or_else(
        || judge::min_change_of_unknown(&Metric::P99, p99.as_f64(), scale),
        |(limit, noise)| limit.of(noise, prior.of(&Metric::P99, p99.as_f64(), scale)),
    );
    Some(p99 + Nanos::from_nanos_f64(margin))
}

/// Returns what decides, for all metrics of a configuration, how large a change must be to matter.
fn scale_of(items: &[Item<'_>], baseline: usize, numbers: usize) -> Scale {
    let steps = items.iter().map(|item| item.run().clock.resolution);
    Scale {
        period: items.get(baseline).map_or(Nanos::ZERO, |item| item.frame()),
        clock_step: steps.max().unwrap_or_default(),
        errors: judge::errors_for(numbers),
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

/// Returns the metrics that at least one run has, without differences; `limit` is the result of
/// `well_above_p99`.
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
    resampled: Vec<Option<Resampled>>,
    /// The number of samples of each run.
    counts: Vec<usize>,
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
        let counts = sources.iter().map(|source| source.values.len()).collect();
        Self { track, resampled: of_each.collect(), statistics, counts }
    }

    fn of_run(&self, run: usize) -> Option<&Resampled> {
        self.resampled.get(run)?.as_ref()
    }

    /// Returns the interval of the change of a metric from one run to another, from resampling.
    fn change(&self, from: usize, to: usize, metric: &Metric) -> Option<super::Interval> {
        let at = self.statistics.iter().position(|&one| one == metric.statistic)?;
        let (before, after) = (self.of_run(from)?, self.of_run(to)?);
        before.change(after, at, |before, after| after - before)
    }

    /// Returns how many samples the run with fewer samples lacks for an interval of a statistic.
    fn missing(&self, from: usize, to: usize, statistic: Statistic) -> usize {
        let count = |run: usize| self.counts.get(run).copied().unwrap_or(0);
        statistic.samples_needed().saturating_sub(count(from).min(count(to)))
    }
}

/// Returns the resamples of every track with a metric to evaluate.
fn draws(compared: &ComparedRow, items: &[Item<'_>], limit: Option<Nanos>) -> Vec<TrackDraws> {
    let metrics: Vec<Metric> = compared
        .figures
        .iter()
        .map(|figure| figure.metric)
        .filter(|metric| metric.statistic.has_interval() && compared.obstacle.is_none())
        .filter(|metric| metric.statistic != Statistic::LateShare || compared.late_limit.is_some())
        .collect();
    let mut draws: Vec<TrackDraws> = Vec::new();
    for track in metrics.iter().map(|metric| metric.track) {
        if draws.iter().all(|one| one.track != track) {
            draws.push(TrackDraws::of(items, track, &metrics, limit));
        }
    }
    draws
}

fn judge_figures(
    compared: &mut ComparedRow,
    draws: &[TrackDraws],
    baseline: usize,
    noise_limit: Option<NoiseLimit>,
    prior: &Prior,
    scale: &Scale,
) {
    for figure in &mut compared.figures {
        let metric = figure.metric;
        let of_track = draws
            .iter()
            .find(|one| one.track == metric.track && one.statistics.contains(&metric.statistic));
        let Some(&Some(before)) = figure.values.get(baseline) else { continue };
        let varies_by = noise_limit.and_then(|limit| match metric.statistic {
            // The limit of this metric already includes the run-to-run variation.
            Statistic::AboveBaseline => Some(0.0),
            _ => Some(limit.of(figure.noise?, prior.of(&metric, before, scale))),
        });
        let mut deltas = vec![None; figure.values.len()];
        for (run, delta) in deltas.iter_mut().enumerate().filter(|(run, _)| *run != baseline) {
            let Some(&Some(value)) = figure.values.get(run) else { continue };
            let interval = of_track.and_then(|draws| draws.change(baseline, run, &metric));
            let missing =
                of_track.map_or(0, |draws| draws.missing(baseline, run, metric.statistic));
            let values = [before, value];
            let found = judge::delta(&metric, values, interval, missing, varies_by, scale);
            let is_incomparable = compared.obstacle.is_some()
                || (of_track.is_none() && metric.statistic.has_interval());
            let reason = Some(Reason::SettingsDiffer);
            *delta = Some(if is_incomparable {
                Delta { result: DeltaResult::NotEvaluated, reason, ..found }
            } else {
                found
            });
        }
        figure.deltas = deltas;
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
