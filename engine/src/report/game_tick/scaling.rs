//! Scaling of a game cycle with threads: speedup, efficiency, and serial fraction.

use super::super::Report;
use super::super::model::configuration::{Configuration, with_figures};
use super::super::model::disturbance::Disturbance;
use super::super::model::grading::Grading;
use super::TickFigures;
use crate::nanos::Nanos;
use crate::plan::work::CycleKind;
use crate::run::Run;
use crate::stats::{Grade, float, grade, position};

/// The comparison of one configuration of game cycles with the same workload on one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Position of the configuration in the rows of the report, from 0.
    pub row: usize,
    /// The workload: players or NPCs.
    pub kind: CycleKind,
    /// Number of threads.
    pub threads: u32,
    /// Mean time per cycle on one thread / mean time on `threads` threads; absent if one thread was
    /// not measured.
    pub speed_up: Option<f64>,
    /// Speedup / number of cores used, which is the lower of the numbers of threads and physical cores;
    /// absent if one thread was not measured.
    pub efficiency: Option<f64>,
    /// Half the width of the 99.9% interval of the efficiency; absent without an efficiency, and with
    /// fewer than two iterations.
    pub efficiency_error: Option<f64>,
    /// The serial fraction: the share of the work that does not run in parallel (Karp and Flatt
    /// 1990); absent for one thread or one core.
    pub serial_share: Option<f64>,
    /// Whether half the 99.9% interval of the mean time per cycle exceeds 10% of the mean.
    pub has_wide_error: bool,
    /// The grades that the 99.9% interval of the efficiency allows. Absent for one thread, for more
    /// threads than cores, and for a configuration that is incomplete or did not run as requested.
    pub grading: Option<Grading>,
    /// What disturbed this configuration or else the one with one thread; absent if nothing did.
    pub disturbance: Option<Disturbance>,
}

/// Maximum error of a mean time, as a share of the mean, with which the time is graded.
const WIDE: f64 = 0.1;

impl Scaling {
    /// Returns the figures of the configuration.
    pub(super) fn ticks<'a>(&self, report: &'a Report) -> Option<&'a TickFigures> {
        report.rows.get(self.row)?.figures.get()
    }

    /// Returns the grading and the disturbance, from which `conclude` derives a grade; `None`
    /// without a grading.
    pub(in crate::report) fn part(&self) -> Option<(Grading, Option<Disturbance>)> {
        Some((self.grading?, self.disturbance))
    }
}

/// Returns the scaling of every configuration of game cycles.
pub(super) fn scaling(run: &Run, rows: &[Configuration]) -> Vec<Scaling> {
    let cores = run.machine.physical_cores.unwrap_or(u32::MAX).max(1);
    let of_one = |kind: CycleKind| {
        with_figures::<TickFigures>(rows)
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
                efficiency_error: efficiency.zip(one).and_then(|(efficiency, (_, one))| {
                    let error = efficiency * relative_error(one)?.hypot(relative_error(ticks)?);
                    Some(error).filter(|error| error.is_finite())
                }),
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

/// Returns half the width of the 99.9% interval of a mean time, as a share of the mean.
fn relative_error(ticks: &TickFigures) -> Option<f64> {
    Some(ticks.error_nanos? / ticks.mean_nanos)
}

/// Returns the grades within the 99.9% interval of an efficiency, the ratio of the mean times on
/// `one` and `many` threads. If one of the times is too uncertain, any grade is possible. The
/// relative errors of independent times add up in quadrature.
fn grading(efficiency: f64, one: &TickFigures, many: &TickFigures) -> Option<Grading> {
    let (of_one, of_many) = (relative_error(one)?, relative_error(many)?);
    let error = efficiency * of_one.hypot(of_many);
    let loss = 1.0 - efficiency;
    let count = many.iterations.len();
    let all = many.mean_nanos * float(many.cycles.count);
    let each = Nanos::from_nanos_f64(all / float(count.max(1)));
    let wider = of_one.max(of_many);
    if WIDE < wider {
        // The error decreases with the square root of the number of iterations.
        let times = (wider / WIDE).powi(2);
        let missing = position((float(count) * (times - 1.0)).ceil());
        return Some(Grading::unknown(Grade::Excellent, missing, each));
    }
    Some(Grading::of(&grade::TICK_LOSS, loss, (loss - error, loss + error), count, each))
}
