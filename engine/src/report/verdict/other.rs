//! What runs of sleeps, spins, gaps, real-time policies and game cycles are worth.

use super::{Finding, TickFinding, Verdict, worst_grades};
use crate::nanos::Nanos;
use crate::plan::work::CycleKind;
use crate::plan::{Plan, SpinStrategy, Wait};
use crate::report::sleep_accuracy;
use crate::report::{Change, Figures, Report, Row, Scaling, WaitFigures};
use crate::run::Run;
use crate::stats::Grade;
use crate::stats::reduction::Reduction;

/// Spinning is judged by waits up to this.
pub(in crate::report) const SPIN_UP_TO: Nanos = Nanos::from_millis(1);

/// Judges a run that is complete.
pub(super) fn of(run: &Run, report: &Report, samples: usize) -> Verdict {
    let nothing = Verdict { grade: None, finding: Finding::Nothing };
    let Some(plan) = run.plan() else { return nothing };
    match plan {
        Plan::SleepAccuracy(_) => sleep_accuracy::verdict(&report.rows, samples),
        Plan::SpinStrategies(_) => spin(report).unwrap_or(nothing),
        Plan::SchedulingGaps(settings) => {
            gaps(report, (settings.typical, settings.bad)).unwrap_or(nothing)
        }
        Plan::RealTime(_) => real_time(report, samples),
        Plan::GameTick(settings) => {
            let cores = run.machine.physical_cores.unwrap_or(u32::MAX);
            game_tick(report, settings.budget, cores)
        }
        Plan::FrameLoop(_) => nothing,
    }
}

fn waits(rows: &[Row]) -> impl Iterator<Item = (&Row, &WaitFigures)> {
    rows.iter().filter_map(|row| match &row.figures {
        Figures::Waits(waits) => Some((row, waits)),
        _ => None,
    })
}

/// What a row of spins waited with.
const fn strategy(row: &Row) -> Option<SpinStrategy> {
    match row.wait {
        Wait::Spin(strategy) => Some(strategy),
        Wait::OsSleep | Wait::Relative | Wait::Hybrid(_) => None,
    }
}

fn overshoot(row: &Row) -> f64 {
    row.summary.as_ref().map_or(0.0, |summary| summary.lateness.mean_nanos)
}

fn spin(report: &Report) -> Option<Verdict> {
    let is_short = |figures: &WaitFigures| figures.requested <= SPIN_UP_TO;
    let has_short = waits(&report.rows).any(|(_, figures)| is_short(figures));
    let of = |wanted: SpinStrategy| {
        waits(&report.rows)
            .filter(move |(row, figures)| {
                strategy(row) == Some(wanted) && (!has_short || is_short(figures))
            })
            .map(|(row, _)| row)
    };
    let worst = |wanted: SpinStrategy| of(wanted).map(overshoot).fold(0.0, f64::max);
    let measured: Vec<SpinStrategy> =
        SpinStrategy::ALL.into_iter().filter(|&strategy| of(strategy).next().is_some()).collect();
    let grade_of = |wanted| {
        let grades = worst_grades(of(wanted));
        grades.0.max(grades.1)
    };
    let best = measured
        .iter()
        .copied()
        .min_by(|&a, &b| grade_of(a).cmp(&grade_of(b)).then(worst(a).total_cmp(&worst(b))))?;
    let avoid = measured
        .iter()
        .copied()
        .filter(|&strategy| {
            grade_of(strategy) == Some(Grade::Poor) && grade_of(best) < Some(Grade::Poor)
        })
        .collect();
    let worst_row = waits(&report.rows)
        .map(|(row, _)| row)
        .max_by(|a, b| overshoot(a).total_cmp(&overshoot(b)))?;
    Some(Verdict {
        grade: grade_of(best),
        finding: Finding::Spin {
            best,
            grades: worst_grades(of(best)),
            avoid,
            worst: (worst_row.label.clone(), Nanos::from_nanos_f64(overshoot(worst_row))),
        },
    })
}

fn gaps(report: &Report, limits: (Nanos, Nanos)) -> Option<Verdict> {
    let of_row = |row: &Row| match &row.figures {
        Figures::Gaps(gaps) => Some((gaps.biggest, gaps.lost_share, gaps.runtime)),
        _ => None,
    };
    let (row, (biggest, _, runtime)) = report
        .rows
        .iter()
        .filter_map(|row| Some((row, of_row(row)?)))
        .max_by_key(|(_, (biggest, ..))| *biggest)?;
    let lost_share =
        report.rows.iter().filter_map(of_row).map(|(_, share, _)| share).fold(0.0, f64::max);
    Some(Verdict {
        grade: report.rows.iter().filter_map(Row::grade).max(),
        finding: Finding::Gaps {
            label: row.label.clone(),
            biggest,
            runtime,
            lost_share,
            stalls: report.stalls.iter().filter(|stall| stall.is_everywhere).count(),
            limits,
        },
    })
}

fn real_time(report: &Report, samples: usize) -> Verdict {
    let sure = |change: &&Change| change.period.map_or(f64::MIN, Reduction::sure);
    let judged = report.changes.iter().filter(|change| change.period.is_some());
    let Some(best) = judged.max_by(|a, b| sure(a).total_cmp(&sure(b))) else {
        let is_refused = report.rows.iter().skip(1).any(|row| !row.is_as_asked());
        let finding = if is_refused {
            Finding::NothingAsAsked
        } else {
            Finding::TooFew { frames: samples, needed: 100 }
        };
        return Verdict { grade: None, finding };
    };
    let deviation = |row: usize| {
        report
            .rows
            .get(row)
            .and_then(|row| row.summary.as_ref()?.frame_time.as_ref()?.std_dev_nanos)
            .map_or(Nanos::ZERO, Nanos::from_nanos_f64)
    };
    let fall = best.period;
    Verdict {
        grade: best.grade,
        finding: Finding::RealTime {
            label: report.rows.get(best.policy).map_or(String::new(), |row| row.label.clone()),
            share: fall.map_or(0.0, |fall| fall.share),
            interval: fall.and_then(|fall| fall.interval),
            deviations: (deviation(best.normal), deviation(best.policy)),
        },
    }
}

fn game_tick(report: &Report, budget: Nanos, cores: u32) -> Verdict {
    let mut kinds = Vec::new();
    for kind in [CycleKind::Players, CycleKind::Npcs] {
        let of_kind: Vec<&Scaling> =
            report.scaling.iter().filter(|scaling| scaling.kind == kind).collect();
        let at_cores =
            of_kind.iter().filter(|scaling| scaling.threads <= cores).max_by_key(|s| s.threads);
        let Some(chosen) = at_cores.or(of_kind.last()) else { continue };
        let Some(Figures::Ticks(ticks)) = report.rows.get(chosen.row).map(|row| &row.figures)
        else {
            continue;
        };
        kinds.push(TickFinding {
            kind,
            count: if kind == CycleKind::Players { ticks.cycle.players } else { ticks.cycle.npcs },
            threads: chosen.threads,
            mean: Nanos::from_nanos_f64(ticks.mean_nanos),
            error: ticks.error_nanos.map(Nanos::from_nanos_f64),
            efficiency: chosen.efficiency,
            grade: chosen.grade,
        });
    }
    Verdict {
        grade: kinds.iter().filter_map(|kind| kind.grade).max(),
        finding: Finding::Tick { kinds, budget },
    }
}
