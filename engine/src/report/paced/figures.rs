//! The figures of a paced loop, and its grading.

use super::super::model::configuration::Configuration;
use super::super::model::evaluation::Measured;
use super::super::model::figures::Figures;
use super::super::model::grading::Grading;
use crate::nanos::Nanos;
use crate::plan::{OnMiss, Pace};
use crate::stats::binomial::{independent_events, lower_rate};
use crate::stats::corrected::corrected;
use crate::stats::{Grade, Rebasing, Round, Spread, Summary, float, grade};
use crate::units::{count_text, format_time};

/// Figures of a paced loop.
#[derive(Clone, Debug, PartialEq)]
pub struct PacedFigures {
    /// Lateness with a value added for each skipped frame. `None` if no frame was skipped, or if too few
    /// frames ran compared with the skipped ones.
    pub corrected: Option<Spread>,
    /// Lateness that re-basing hid or would have hidden; re-basing moves the schedule after a late frame.
    pub rebasing: Option<Rebasing>,
    /// Whether the loop re-based its schedule.
    pub is_rebased: bool,
    /// The lower end of the 95% interval of the rate of missed frames.
    pub missed_rate_low: f64,
}

impl PacedFigures {
    /// Returns in words how much lateness re-basing hid or would have hidden; `None` without samples.
    pub fn rebasing_text(&self) -> Option<String> {
        let Rebasing { behind, frame_count } = self.rebasing?;
        let (behind, frames) = (format_time(behind), count_text(frame_count, "frames"));
        Some(if self.is_rebased {
            format!("ended {behind} behind a fixed schedule; re-basing hid {frames}")
        } else {
            format!("re-basing would have hidden {frames} ({behind} of lateness)")
        })
    }
}

/// Returns the figures of a paced loop; empty without a trial.
pub(in crate::report) fn figures(measured: &Measured<'_>, summary: Option<&Summary>) -> Figures {
    let Some(first) = measured.trials.first() else { return Figures::default() };
    let (rounds, pace) = (measured.rounds, first.trial.pace);
    let period = pace.period();
    let is_rebased = matches!(pace, Pace::Grid { on_miss: OnMiss::Rebase, .. });
    let is_skipping = rounds.iter().any(|round| round.is_skipping);
    let has_empty = summary.is_some_and(|summary| 0 < summary.empty_count);
    let corrected = (is_skipping && has_empty).then(|| corrected(rounds, period)).flatten();
    Figures::of(PacedFigures {
        corrected: corrected.and_then(Spread::of),
        rebasing: if summary.is_none() {
            None
        } else if is_rebased {
            Rebasing::hidden_by(rounds, period)
        } else {
            Some(Rebasing::hidden_if_rebased(rounds, period))
        },
        is_rebased,
        missed_rate_low: summary.map_or(0.0, |summary| missed_rate_low(rounds, summary, period)),
    })
}

/// Returns whether the loop of a configuration re-based its schedule.
pub(in crate::report) fn is_rebased(row: &Configuration) -> bool {
    row.figures.get::<PacedFigures>().is_some_and(|paced| paced.is_rebased)
}

/// Returns the worse of two gradings: by p99 lateness as a share of the target frame time, and by the rate of missed
/// frames. `None` if the loop did not run as requested, re-based its schedule, which hides lateness, or has no p99 or no
/// bounds of p99.
pub(in crate::report) fn grading(row: &Configuration) -> Option<Grading> {
    let lateness = by_lateness(row).filter(|_| row.is_as_requested() && !is_rebased(row))?;
    Some(lateness.or_worse(Grading::observed(by_missed(row))))
}

/// Returns whether missed frames alone decide the grade: p99 lateness would have a better one.
pub(in crate::report) fn is_graded_by_missed(row: &Configuration) -> bool {
    row.grading.is_some() && by_lateness(row).is_some_and(|late| late.worst < by_missed(row))
}

/// Returns the lower end of the 95% interval of the rate of missed frames; 0 without figures.
pub(super) fn missed_rate(row: &Configuration) -> f64 {
    row.figures.get::<PacedFigures>().map_or(0.0, |paced| paced.missed_rate_low)
}

/// Returns the grading by p99 lateness alone; `None` without a p99 or its bounds.
pub(super) fn by_lateness(row: &Configuration) -> Option<Grading> {
    let count = row.summary.as_ref()?.lateness.count;
    let percent = |time: Nanos| time.as_f64() / row.period.as_f64() * 100.0;
    let limits = &grade::FRAME_LATENESS;
    Some(Grading::by_p99(limits, row.p99()?, row.p99_bounds?, percent, count, row.period))
}

/// Returns the best grade that the missed frames allow.
fn by_missed(row: &Configuration) -> Grade {
    grade::missed_frames(missed_rate(row))
}

/// Returns the lower end of the 95% interval of the rate of missed frames.
///
/// One stall causes all frames that are missed in a row, so those frames count as fewer independent events. The slots are
/// reduced by the same factor.
fn missed_rate_low(rounds: &[Round<'_>], summary: &Summary, period: Nanos) -> f64 {
    if summary.missed_count() == 0 {
        return 0.0;
    }
    let groups = missed_groups(rounds, period);
    let (missed, events) = (float(groups.iter().sum()), independent_events(&groups));
    let share = if 0.0 < missed { events / missed } else { 1.0 };
    lower_rate(events, float(summary.slot_count) * share)
}

/// Returns the length of each sequence of missed frames in a row.
fn missed_groups(rounds: &[Round<'_>], period: Nanos) -> Vec<usize> {
    let mut groups = Vec::new();
    for round in rounds {
        let mut group = 0_usize;
        let empty = std::iter::once(0).chain(round.steps(period).map(|step| step.empty_count));
        let frames = round.samples.due_nanos().zip(round.samples.done_nanos()).zip(empty);
        for ((due, done), empty) in frames {
            group = group.saturating_add(usize::try_from(empty).unwrap_or(0));
            if period.get() < done.saturating_sub(due) {
                group += 1;
            } else {
                groups.extend(Some(group).filter(|group| 0 < *group));
                group = 0;
            }
        }
        groups.extend(Some(group).filter(|group| 0 < *group));
    }
    groups
}
