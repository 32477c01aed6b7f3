//! The frame rates that this PC can pace under load: one rate is measured, and the others are estimated
//! from the delays at the measured rate.

use crate::nanos::Nanos;
use crate::report::Report;
use crate::run::Run;
use crate::stats::GradeRange;

/// The frame rates that are evaluated.
const RATES: [f64; 5] = [30.0, 60.0, 120.0, 144.0, 240.0];

/// One frame rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Frames per second.
    pub fps: f64,
    /// The length of a frame.
    pub period: Nanos,
    /// The p99 lateness: 99% of frames start at most this late.
    pub p99: Nanos,
    /// The p99 lateness as a percentage of a frame.
    pub percent: f64,
    /// The number of missed frames: frames that were not finished by their deadline, and skipped slots.
    pub missed: usize,
    /// The number of all slots of the schedule, including skipped slots.
    pub slots: usize,
    /// The grade of the measured rate; absent for the other rates, and if the data does not support
    /// a grade.
    pub grade: Option<GradeRange>,
    /// Whether this rate was measured; otherwise, it is estimated from the delays and the work at the
    /// measured rate.
    pub is_measured: bool,
}

/// Returns the rates from the run of the frame loop under load; empty if that loop is not graded.
pub(super) fn of(run: &Run, report: &Report) -> Vec<Rate> {
    let Some(row) = report.best() else { return Vec::new() };
    let (Some(summary), Some(p99), Some(_)) = (&row.summary, row.p99(), row.grading) else {
        return Vec::new();
    };
    // For each frame, the time from its due time to the end of its work, in nanoseconds.
    let taken: Vec<i64> = row
        .trials
        .iter()
        .filter_map(|&trial| run.trials.get(trial))
        .flat_map(|trial| trial.samples.done_nanos().zip(trial.samples.due_nanos()))
        .map(|(done, due)| done.saturating_sub(due))
        .collect();
    RATES
        .into_iter()
        .map(|fps| {
            let period = Nanos::from_secs_f64(1.0 / fps);
            let percent = p99.as_f64() / period.as_f64() * 100.0;
            let is_measured = (period - row.period).abs() < Nanos::from_micros(1);
            let (missed, slots) = if is_measured {
                (summary.missed_count(), summary.slot_count)
            } else {
                missed(&taken, period)
            };
            let grade = row.grade().filter(|_| is_measured);
            Rate { fps, period, p99, percent, missed, slots, grade, is_measured }
        })
        .collect()
}

/// Returns the number of missed frames and of all slots if each frame had the length `period`.
/// `taken` has the time of each frame from its due time to the end of its work. A frame that is
/// done after its deadline is missed, and so is each slot that it skips.
fn missed(taken: &[i64], period: Nanos) -> (usize, usize) {
    let period = period.get().max(1);
    let mut missed = 0_usize;
    let mut slots = taken.len();
    for &taken in taken {
        let of_frame = usize::try_from(taken.saturating_sub(1).max(0) / period).unwrap_or(0);
        missed = missed.saturating_add(of_frame);
        slots = slots.saturating_add(of_frame.saturating_sub(1));
    }
    (missed, slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_takes_three_slots_misses_three_of_two_more() {
        let period = Nanos::new(1_000);
        for (taken, expected) in [
            (vec![0, 500, 1_000], (0, 3)),
            (vec![500, 1_001], (1, 2)),
            (vec![500, 3_050], (3, 4)),
            (vec![-500], (0, 1)),
            (vec![i64::MIN], (0, 1)),
            (vec![], (0, 0)),
        ] {
            assert_eq!(missed(&taken, period), expected, "{taken:?}");
        }
    }
}
