//! What a real-time policy changed against normal.

use super::metrics::{Measure, Reduction, reductions};
use crate::nanos::Nanos;
use crate::plan::Priority;
use crate::report::model::configuration::Configuration;
use crate::report::model::disturbance::Disturbance;
use crate::report::model::grading::{Grading, conclude};
use crate::report::model::metric::Track;
use crate::run::Run;
use crate::stats::{Grade, GradeRange, Statistic, grade};

/// Fewer pairs of blocks do not decide what a policy changed.
pub const MIN_PAIRS: usize = 8;
/// Where lateness and deviation stay below this with and without a policy, there is nothing to gain.
const NOTHING_TO_GAIN: Nanos = Nanos::from_micros(100);

/// What a real-time policy changed against normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Position of the normal row.
    pub normal: usize,
    /// Position of the policy's row.
    pub policy: usize,
    /// By how much the standard deviation of the frame period fell; absent where the policy did not run
    /// as requested or there are too few frames.
    pub period: Option<Reduction>,
    /// The same of the time the work took.
    pub execution: Option<Reduction>,
    /// The same of p99 lateness.
    pub p99: Option<Reduction>,
    /// The same of the share of late frames.
    pub late_share: Option<Reduction>,
    /// What the verdict rests on: the first measure that changed clearly.
    pub rests_on: Option<Measure>,
    /// Whether all values are so small that there is nothing to gain.
    pub is_nothing_to_gain: bool,
    /// The ratings that the interval of the measure allows; absent where enough pairs of
    /// blocks show no clear change.
    pub grading: Option<Grading>,
    /// What disturbed one of the two.
    pub disturbance: Option<Disturbance>,
}

impl Change {
    /// The rating, where the data is enough for one.
    pub fn grade(&self) -> Option<GradeRange> {
        conclude(self.part().into_iter()).0
    }

    /// Its grading with what disturbed it, as a part of a verdict.
    pub(in crate::report) fn part(&self) -> Option<(Grading, Option<Disturbance>)> {
        Some((self.grading?, self.disturbance))
    }

    /// How much a measure fell.
    pub const fn reduction(&self, measure: Measure) -> Option<Reduction> {
        match measure {
            Measure::StdDev => self.period,
            Measure::P99 => self.p99,
            Measure::LateShare => self.late_share,
        }
    }

    /// Whether it can be judged: the policy ran as requested, and both have enough frames.
    pub const fn is_evaluated(&self) -> bool {
        self.period.is_some() || self.p99.is_some()
    }
}

/// What each policy changed; empty where normal did not run. Without intervals while the run is in progress.
pub(in crate::report) fn of(run: &Run, rows: &[Configuration], has_intervals: bool) -> Vec<Change> {
    let is_normal = |row: &Configuration| row.conditions.priority == Priority::Normal;
    let Some(normal) = rows.iter().position(is_normal) else { return Vec::new() };
    let Some(normal_row) = rows.get(normal) else { return Vec::new() };
    let policies = rows.iter().enumerate().filter(|(_, row)| !is_normal(row));
    policies
        .map(|(policy, row)| {
            let fits = row.is_as_requested() && row.is_complete && normal_row.is_complete;
            let mut change = Change {
                normal,
                policy,
                period: None,
                execution: None,
                p99: None,
                late_share: None,
                rests_on: None,
                is_nothing_to_gain: false,
                grading: None,
                disturbance: row.disturbance.or(normal_row.disturbance),
            };
            if fits && has_intervals {
                judge(&mut change, run, normal_row, row);
            }
            change
        })
        .collect()
}

fn judge(change: &mut Change, run: &Run, normal: &Configuration, row: &Configuration) {
    let reduction = reductions(run, normal, row);
    change.period = reduction(Track::FrameTimes, Statistic::StdDev);
    change.execution = reduction(Track::Work, Statistic::StdDev);
    change.p99 = reduction(Track::Values, Statistic::P99);
    change.late_share = reduction(Track::Values, Statistic::LateShare);
    change.is_nothing_to_gain = [normal, row].iter().all(|row| has_nothing_to_gain(row));
    let is_clear = |measure: &Measure| change.reduction(*measure).is_some_and(Reduction::is_clear);
    change.rests_on =
        Measure::ALL.into_iter().find(is_clear).filter(|_| !change.is_nothing_to_gain);
    let pairs = normal.trials.len().min(row.trials.len());
    let length = |row: &Configuration| {
        let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
        trials.map(|trial| trial.trial.duration()).max().unwrap_or_default()
    };
    let each = length(normal) + length(row);
    let rests_on = change.rests_on.and_then(|measure| change.reduction(measure));
    change.grading = match rests_on.and_then(|of| Some((of.share, of.interval?))) {
        _ if change.is_nothing_to_gain => None,
        _ if pairs < MIN_PAIRS => Some(Grading::unknown(Grade::Excellent, MIN_PAIRS - pairs, each)),
        Some((share, (low, high))) => {
            let left = |fall: f64| (1.0 - fall) * 100.0;
            let interval = (left(high), left(low));
            Some(Grading::of(&grade::REMAINING_DEVIATION, left(share), interval, pairs, each))
        }
        None => missing_pairs(change, [normal, row], pairs)
            .map(|missing| Grading::unknown(Grade::Excellent, missing, each)),
    };
}

/// Pairs of blocks that are missing until every measure has an interval; `None` where it has one.
fn missing_pairs(change: &Change, rows: [&Configuration; 2], pairs: usize) -> Option<usize> {
    let lacks = |of: Option<Reduction>| of.is_none_or(|it| it.interval.is_none());
    let p99 = Statistic::P99;
    let needed = [(change.period, Statistic::StdDev), (change.p99, p99)]
        .into_iter()
        .filter(|(of, _)| lacks(*of))
        .map(|(_, statistic)| statistic.samples_needed())
        .max()?;
    let counts = rows.map(|row| row.summary.as_ref().map_or(0, |it| it.lateness.count));
    let frames = counts.into_iter().min().unwrap_or(0);
    let all = needed.saturating_mul(pairs).div_ceil(frames.max(1));
    all.checked_sub(pairs).filter(|&missing| 0 < missing)
}

fn has_nothing_to_gain(row: &Configuration) -> bool {
    row.summary.as_ref().is_some_and(|summary| {
        let deviation = summary.frame_time.as_ref().and_then(|times| times.std_dev_nanos);
        let p99 = summary.lateness.p99.map(Nanos::as_f64);
        [deviation, p99].into_iter().all(|it| it.is_some_and(|it| it < NOTHING_TO_GAIN.as_f64()))
    })
}
