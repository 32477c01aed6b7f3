//! The figures of a paced loop, and its grading.

use super::super::model::configuration::Configuration;
use super::super::model::evaluation::Measured;
use super::super::model::figures::Figures;
use super::super::model::grading::Grading;
use crate::nanos::Nanos;
use crate::plan::{OnMiss, Pace};
use crate::stats::binomial::{independent_events, lower_rate};
use crate::stats::corrected::corrected;
use crate::stats::{Rebasing, Round, Spread, Summary, float, grade};
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
    })
}

/// Returns whether the loop of a configuration re-based its schedule.
pub(in crate::report) fn is_rebased(row: &Configuration) -> bool {
    row.figures.get::<PacedFigures>().is_some_and(|paced| paced.is_rebased)
}

/// Returns the worse of two gradings: by p99 lateness as a share of the target frame time, and by the rate of missed
/// frames. `None` if the loop did not run as requested, re-based its schedule, which hides lateness, or has no p99 or no
/// bounds of p99.
pub(in crate::report) fn grading(row: &Configuration, measured: &Measured<'_>) -> Option<Grading> {
    let p99 = row.p99().filter(|_| row.is_as_requested() && !is_rebased(row))?;
    let count = row.summary.as_ref()?.lateness.count;
    let percent = |time: Nanos| time.as_f64() / row.period.as_f64() * 100.0;
    let lateness =
        Grading::by_p99(&grade::FRAME_LATENESS, p99, row.p99_bounds?, percent, count, row.period);
    let groups = missed_groups(measured.rounds, row.period);
    let (missed, events) = (float(groups.iter().sum()), independent_events(&groups));
    let slots = float(row.summary.as_ref()?.slot_count);
    // One stall causes all frames that are missed in a row, so those frames count as fewer independent events. The
    // slots are reduced by the same factor.
    let share = if 0.0 < missed { events / missed } else { 1.0 };
    let lower = lower_rate(events, slots * share);
    Some(lateness.or_worse(Grading::observed(grade::missed_frames(lower))))
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
