//! How a game cycle scales with threads: speedup, efficiency, and what does not spread.

use super::super::model::configuration::Configuration;
use super::super::model::disturbance::Disturbance;
use super::super::model::grading::Grading;
use super::TickFigures;
use crate::nanos::Nanos;
use crate::plan::work::CycleKind;
use crate::run::Run;
use crate::stats::{Grade, float, grade, position};

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
    /// Whether the error is over 10% of the time.
    pub has_wide_error: bool,
    /// The grades that the 99.9% interval of the efficiency allows; absent for one thread.
    pub grading: Option<Grading>,
    /// What disturbed it, or the row of one thread.
    pub disturbance: Option<Disturbance>,
}

/// A score whose error is above this share of it is not graded.
const WIDE: f64 = 0.1;

impl Scaling {
    /// Its grading with what disturbed it, as a part of a verdict.
    pub(in crate::report) fn part(&self) -> Option<(Grading, Option<Disturbance>)> {
        Some((self.grading?, self.disturbance))
    }
}

/// The scaling of every row of game cycles.
pub(super) fn scaling(run: &Run, rows: &[Configuration]) -> Vec<Scaling> {
    let cores = run.machine.physical_cores.unwrap_or(u32::MAX).max(1);
    let of_one = |kind: CycleKind| {
        rows.iter()
            .filter_map(|row| Some((row, row.figures.get::<TickFigures>()?)))
            .find(|(_, ticks)| ticks.cycle.kind == kind && ticks.cycle.threads == 1)
    };
    rows.iter()
        .enumerate()
        .filter_map(|(position, row)| {
            let ticks = row.figures.get::<TickFigures>()?;
            let (kind, threads) = (ticks.cycle.kind, ticks.cycle.threads);
            let one = of_one(kind).filter(|_| 0.0 < ticks.mean_nanos);
            let speed_up = one.map(|(_, one)| one.mean_nanos / ticks.mean_nanos);
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
                    .is_some_and(|error| WIDE * ticks.mean_nanos < error),
                grading: efficiency
                    .filter(|_| {
                        row.is_complete && row.is_as_requested() && 1 < threads && threads <= cores
                    })
                    .zip(one)
                    .and_then(|(efficiency, (_, one))| grading(efficiency, one, ticks)),
                disturbance: row.disturbance.or(one.and_then(|(row, _)| row.disturbance)),
            })
        })
        .collect()
}

/// The grades that the interval of an efficiency allows; none is sure where a score is too uncertain. Relative
/// errors of independent scores add up as the sides of a right triangle.
fn grading(efficiency: f64, one: &TickFigures, many: &TickFigures) -> Option<Grading> {
    let relative = |ticks: &TickFigures| Some(ticks.error_nanos? / ticks.mean_nanos);
    let (of_one, of_many) = (relative(one)?, relative(many)?);
    let error = efficiency * of_one.hypot(of_many);
    let loss = 1.0 - efficiency;
    let count = many.iterations.len();
    let all = many.mean_nanos * float(many.cycles.count);
    let each = Nanos::from_nanos_f64(all / float(count.max(1)));
    let wider = of_one.max(of_many);
    if WIDE < wider {
        // An error shrinks with the root of the number of iterations.
        let times = (wider / WIDE).powi(2);
        let missing = position((float(count) * (times - 1.0)).ceil());
        return Some(Grading::unknown(Grade::Excellent, missing, each));
    }
    Some(Grading::of(&grade::TICK_LOSS, loss, (loss - error, loss + error), count, each))
}
