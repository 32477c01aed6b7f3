//! The sources that delayed the frames of a check, as rows whose counts add up to the number of
//! late frames.

use super::Measured;
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::report::model::cause::Cause;
use crate::report::model::delays::{Delay, Delays};

/// Max number of rows. If there are more sources, the last of their rows sums up all remaining
/// sources.
const MAX_ROWS: usize = 3;

/// The sources that delayed the frames of a part of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Delayed {
    /// The part: the frame loop under load, or else the frame loop without load.
    pub part: Part,
    /// The number of late frames, which started later than `above`.
    pub late_count: u64,
    /// The number of frames of the part, without those that were skipped.
    pub frame_count: usize,
    /// The late threshold: the larger of 50 µs and 1% of a frame.
    pub above: Nanos,
    /// The length of a frame.
    pub period: Nanos,
    /// The sources of delay, in descending order of lateness, and last the frames without an
    /// observable cause; their counts add up to `late_count`.
    pub rows: Vec<DelayedRow>,
    /// The program, thread, or interrupt that is the main source of delay. Absent if there is none.
    pub main: Option<String>,
    /// The program that was the busiest while frames were late: a hint, if the trace does not record
    /// which threads used a CPU.
    pub suspect: Option<String>,
}

/// A source of delay, or several that share a row.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayedRow {
    /// The name of the program, thread, or interrupt, or the label of the cause if it has no name. Of several
    /// sources, that of the one with the longest delay.
    pub name: String,
    /// The cause.
    pub cause: Cause,
    /// The program to close; absent unless the source is a thread of another program.
    pub program: Option<String>,
    /// The number of late frames of which this source caused the largest part.
    pub count: u64,
    /// The longest delay of a single frame by this source.
    pub worst: Nanos,
    /// The number of sources that share the row.
    pub culprits: usize,
}

impl DelayedRow {
    fn of(delay: &Delay) -> Self {
        Self {
            name: delay.name.clone(),
            cause: delay.cause,
            program: delay.program.clone(),
            count: delay.sample_count,
            worst: delay.worst,
            culprits: 1,
        }
    }

    /// Returns the cause and name of the source, as in [`Delays::ranked`]; `None` for several sources.
    pub fn source(&self) -> Option<(Cause, String)> {
        (self.culprits == 1).then(|| (self.cause, self.name.clone()))
    }

    /// Returns the sum of several rows as one row, with the name and cause of the one with the longest
    /// delay; `None` if there are no rows.
    fn others(rows: &[Self]) -> Option<Self> {
        let worst = rows.iter().max_by_key(|row| row.worst)?;
        Some(Self {
            count: rows.iter().map(|row| row.count).sum(),
            culprits: rows.len(),
            program: None,
            ..worst.clone()
        })
    }
}

/// Returns the sources that delayed the frames under load or, if no frame was late under load, the
/// frames without load. `None` if neither frame loop was measured.
pub(super) fn of(parts: &[Measured<'_>]) -> Option<Delayed> {
    let of_part = |wanted: Part| {
        let (_, measured) = parts.iter().find(|(part, _)| *part == wanted)?;
        let (run, report) = (*measured)?;
        let row = report.best()?;
        let above = run.trials.get(*row.trials.first()?)?.trial.evidence_above?;
        let delays = Delays::above(run, &row.trials, above);
        let frame_count = row.summary.as_ref()?.lateness.count;
        Some(delayed(wanted, &delays, frame_count, (above, row.period)))
    };
    let loaded = of_part(Part::FrameLoad);
    match loaded {
        Some(found) if 0 < found.late_count => Some(found),
        _ => of_part(Part::FrameIdle).filter(|found| 0 < found.late_count).or(loaded),
    }
}

fn delayed(
    part: Part,
    delays: &Delays,
    frame_count: usize,
    (above, period): (Nanos, Nanos),
) -> Delayed {
    let named = |delay: &&Delay| matches!(delay.cause, Cause::Thread | Cause::Interrupt);
    let is_source = |delay: &&Delay| delay.cause != Cause::NotObservable && 0 < delay.sample_count;
    let mut rows: Vec<DelayedRow> =
        delays.ranked.iter().filter(is_source).map(DelayedRow::of).collect();
    let explained: u64 = rows.iter().map(|row| row.count).sum();
    let unexplained = delays.late_count.saturating_sub(explained);
    let max_rows = MAX_ROWS - usize::from(0 < unexplained);
    if max_rows < rows.len() {
        let rest = rows.split_off(max_rows - 1);
        rows.extend(DelayedRow::others(&rest));
    }
    if 0 < unexplained {
        let found = delays.ranked.iter().find(|delay| delay.cause == Cause::NotObservable);
        rows.push(DelayedRow {
            name: Cause::NotObservable.label().to_owned(),
            cause: Cause::NotObservable,
            program: None,
            count: unexplained,
            worst: found.map_or(Nanos::ZERO, |delay| delay.worst),
            culprits: 1,
        });
    }
    Delayed {
        part,
        late_count: delays.late_count,
        frame_count,
        above,
        period,
        rows,
        main: delays.main().filter(named).map(|delay| delay.name.clone()),
        suspect: delays.suspect.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(counts: &[u64], late_count: u64) -> Delays {
        let delay = |(&sample_count, at): (&u64, i64)| Delay {
            name: format!("program {at}"),
            kind: "thread",
            program: Some(format!("program {at}")),
            is_own: false,
            cause: Cause::Thread,
            sample_count,
            total: Nanos::from_millis(at),
            worst: Nanos::from_millis(9 - at),
            share: 0.1,
            period: None,
        };
        let ranked = counts.iter().zip(0..).map(delay).collect();
        Delays { late_count, recorded_count: late_count, ranked, ..Delays::default() }
    }

    #[test]
    fn rows_add_up_to_the_late_frames() {
        let times = (Nanos::new(166_667), Nanos::new(16_666_667));
        for (counts, late_count, expected, culprits) in [
            (vec![41, 11, 8], 60, vec![41, 11, 8], 1),
            (vec![41, 11, 4, 3, 1], 60, vec![41, 11, 8], 3),
            (vec![41, 11, 0], 60, vec![41, 11, 8], 1),
            (vec![41, 11, 5, 0], 60, vec![41, 16, 3], 1),
            (vec![10, 5, 3], 20, vec![10, 8, 2], 1),
            (vec![], 0, vec![], 0),
        ] {
            let found = delayed(Part::FrameLoad, &delays(&counts, late_count), 600, times);
            let rows: Vec<u64> = found.rows.iter().map(|row| row.count).collect();
            assert_eq!(rows, expected, "{counts:?}");
            assert_eq!(rows.iter().sum::<u64>(), late_count, "{counts:?}");
            assert_eq!(found.rows.last().map_or(0, |row| row.culprits), culprits, "{counts:?}");
        }
        let leading = delayed(Part::FrameLoad, &delays(&[41, 11], 60), 600, times).main;
        assert_eq!(leading.as_deref(), Some("program 0"));
        assert_eq!(delayed(Part::FrameLoad, &delays(&[20, 11], 60), 600, times).main, None);
    }
}
