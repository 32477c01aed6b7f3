//! What a real-time policy changed against normal.

use super::row::{Row, round_of};
use crate::plan::Priority;
use crate::run::{Run, TrialRun};
use crate::stats::{Grade, grade, reduction::Reduction};

/// A block of neighbors lasts about this long.
const BLOCK_SECS: f64 = 1.0;

/// What a real-time policy changed against normal.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Position of the normal row.
    pub normal: usize,
    /// Position of the policy's row.
    pub policy: usize,
    /// By how much the standard deviation of the frame period fell; absent where the policy did not run
    /// as asked or there are too few frames.
    pub period: Option<Reduction>,
    /// The same of the time the work took.
    pub execution: Option<Reduction>,
    /// The rating by the sure end of the interval.
    pub grade: Option<Grade>,
}

/// What each policy changed; empty where normal did not run.
pub(super) fn of(run: &Run, rows: &[Row]) -> Vec<Change> {
    let is_normal = |row: &Row| row.conditions.priority == Priority::Normal;
    let Some(normal) = rows.iter().position(is_normal) else { return Vec::new() };
    let Some(normal_row) = rows.get(normal) else { return Vec::new() };
    rows.iter()
        .enumerate()
        .filter(|(_, row)| !is_normal(row))
        .map(|(policy, row)| {
            let fits = row.is_as_asked() && row.is_complete && normal_row.is_complete;
            let reduction = |values: fn(&TrialRun) -> Vec<i64>| {
                fits.then(|| {
                    let (before, after) =
                        (blocks(run, normal_row, values), blocks(run, row, values));
                    Reduction::of(&before, &after)
                })
                .flatten()
            };
            let period =
                reduction(|trial| round_of(trial).frame_times(trial.trial.pace.period()).collect());
            let rating = |fall: Reduction| {
                if fall.is_unclear() { Grade::Poor } else { grade::real_time(fall.sure()) }
            };
            Change {
                normal,
                policy,
                period,
                execution: reduction(TrialRun::work_nanos),
                grade: period.map(rating),
            }
        })
        .collect()
}

/// The values of a row in blocks of about a second of neighbors, none of them across two turns.
fn blocks(run: &Run, row: &Row, values: fn(&TrialRun) -> Vec<i64>) -> Vec<Vec<i64>> {
    let mut blocks = Vec::new();
    for trial in row.trials.iter().filter_map(|&trial| run.trials.get(trial)) {
        let period = trial.trial.pace.period().as_secs();
        let size = if 0.0 < period { (BLOCK_SECS / period).round().clamp(1.0, 1e6) } else { 1.0 };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and a million"
        )]
        let size = size as usize;
        blocks.extend(values(trial).chunks(size).map(<[i64]>::to_vec));
    }
    blocks
}
