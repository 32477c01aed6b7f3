//! How a game cycle scales with threads: speedup, efficiency, and what does not spread.

use super::super::figures::Figures;
use super::super::row::Row;
use crate::plan::work::CycleKind;
use crate::run::Run;
use crate::stats::{Grade, grade};

/// How one row of game cycles compares with one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Position of the row.
    pub row: usize,
    /// The workload.
    pub kind: CycleKind,
    /// Threads.
    pub threads: u32,
    /// Time of one thread over this time; absent where one thread was not measured.
    pub speed_up: Option<f64>,
    /// Speed-up over the cores used: the smaller of threads and physical cores.
    pub efficiency: Option<f64>,
    /// The share of the work that does not spread (Karp and Flatt 1990); absent for one thread.
    pub serial_share: Option<f64>,
    /// Whether the error is over 30 % of the time.
    pub has_wide_error: bool,
    /// The grade of the efficiency.
    pub grade: Option<Grade>,
}

/// The scaling of every row of game cycles.
pub(in crate::report) fn scaling(run: &Run, rows: &[Row]) -> Vec<Scaling> {
    let cores = run.machine.physical_cores.unwrap_or(u32::MAX).max(1);
    let of_one = |kind: CycleKind| {
        rows.iter().find_map(|row| match &row.figures {
            Figures::Ticks(ticks) if ticks.cycle.kind == kind && ticks.cycle.threads == 1 => {
                Some(ticks.mean_nanos)
            }
            _ => None,
        })
    };
    rows.iter()
        .enumerate()
        .filter_map(|(position, row)| {
            let Figures::Ticks(ticks) = &row.figures else { return None };
            let (kind, threads) = (ticks.cycle.kind, ticks.cycle.threads);
            let speed_up =
                of_one(kind).filter(|_| 0.0 < ticks.mean_nanos).map(|one| one / ticks.mean_nanos);
            let used = f64::from(threads.min(cores));
            let efficiency = speed_up.map(|speed_up| speed_up / used);
            let serial = speed_up
                .filter(|_| 1 < threads.min(cores))
                .map(|speed_up| (1.0 / speed_up - 1.0 / used) / (1.0 - 1.0 / used));
            Some(Scaling {
                row: position,
                kind,
                threads,
                speed_up,
                efficiency,
                serial_share: serial,
                has_wide_error: ticks
                    .error_nanos
                    .is_some_and(|error| 0.3 * ticks.mean_nanos < error),
                grade: efficiency.filter(|_| row.is_complete && 1 < threads).map(grade::game_tick),
            })
        })
        .collect()
}
