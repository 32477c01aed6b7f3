//! What a real-time policy changed compared with normal scheduling.

use super::metrics::{Measure, Reduction, reductions};
use crate::nanos::Nanos;
use crate::plan::Priority;
use crate::report::model::configuration::Configuration;
use crate::report::model::disturbance::Disturbance;
use crate::report::model::grading::{Grading, conclude};
use crate::report::model::metric::Track;
use crate::run::Run;
use crate::stats::{Grade, GradeRange, Statistic, grade};

/// Minimum number of pairs of blocks for a rating. A pair is a block under normal scheduling and one under the policy.
pub const MIN_PAIRS: usize = 8;
/// There is nothing to gain if p99 lateness and the standard deviation of the frame time are below this limit, both
/// under normal scheduling and under the policy.
const NOTHING_TO_GAIN: Nanos = Nanos::from_micros(100);

/// What a real-time policy changed compared with normal scheduling. All reductions are `None` while the run is in
/// progress, if the policy did not run as requested, or if a configuration is incomplete.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Position of the configuration with normal scheduling.
    pub normal: usize,
    /// Position of the configuration with the policy.
    pub policy: usize,
    /// Reduction of each measure, in the order of [`Measure::ALL`]; `None` if a value is missing, or is 0 under
    /// normal scheduling.
    pub reductions: [Option<Reduction>; 3],
    /// The measure that the verdict rests on: the first that changed clearly. `None` if no measure changed clearly.
    pub rests_on: Option<Measure>,
    /// Whether there is nothing to gain: lateness and its variation are small under normal scheduling and the policy.
    pub is_nothing_to_gain: bool,
    /// Ratings that the interval of the measure in `rests_on` allows. `None` if enough pairs of blocks show no clear
    /// change, or if there is nothing to gain.
    pub grading: Option<Grading>,
    /// What disturbed the policy, or else normal scheduling; `None` if nothing disturbed either.
    pub disturbance: Option<Disturbance>,
}

impl Change {
    /// Returns the rating; `None` if the data or a disturbance allows no rating.
    pub fn grade(&self) -> Option<GradeRange> {
        conclude(self.part().into_iter()).0
    }

    /// Returns the grading and the disturbance, as a part of a verdict; `None` without a grading.
    pub(in crate::report) fn part(&self) -> Option<(Grading, Option<Disturbance>)> {
        Some((self.grading?, self.disturbance))
    }

    /// Returns the reduction of a measure; `None` if it was not compared, as while the run is in progress.
    pub fn reduction(&self, measure: Measure) -> Option<Reduction> {
        Measure::ALL.into_iter().zip(self.reductions).find(|(one, _)| *one == measure)?.1
    }

    /// Whether the policy was compared with normal scheduling: the standard deviation or p99 lateness has a reduction.
    pub fn is_evaluated(&self) -> bool {
        self.reduction(Measure::StdDev).is_some() || self.reduction(Measure::P99).is_some()
    }
}

/// Returns the change of each policy; empty without a configuration of normal scheduling. `has_intervals` is false
/// while the run is in progress: nothing is compared before the run ends.
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
                reductions: [None; 3],
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
    change.reductions = [
        reduction(Track::FrameTimes, Statistic::StdDev),
        reduction(Track::Values, Statistic::P99),
        reduction(Track::Values, Statistic::LateShare),
    ];
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

/// Returns how many pairs of blocks are missing for the intervals of the standard deviation and p99 lateness; `None` if
/// no pair is missing.
fn missing_pairs(change: &Change, rows: [&Configuration; 2], pairs: usize) -> Option<usize> {
    let lacks = |of| change.reduction(of).is_none_or(|it| it.interval.is_none());
    let needed = [(Measure::StdDev, Statistic::StdDev), (Measure::P99, Statistic::P99)]
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
