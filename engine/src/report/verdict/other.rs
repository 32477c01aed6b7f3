//! What runs of sleeps, spins, gaps, real-time policies and game cycles are worth.

use super::{Finding, Verdict};
use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::report::{Change, Report};
use crate::report::{game_tick, scheduling_gaps, sleep_accuracy, spin_strategies};
use crate::run::Run;
use crate::stats::reduction::Reduction;

/// Judges a run that is complete.
pub(super) fn of(run: &Run, report: &Report, samples: usize) -> Verdict {
    let nothing = Verdict { grade: None, finding: Finding::Nothing };
    let Some(plan) = run.plan() else { return nothing };
    match plan {
        Plan::SleepAccuracy(_) => sleep_accuracy::verdict(&report.rows, samples),
        Plan::SpinStrategies(_) => spin_strategies::verdict(&report.rows).unwrap_or(nothing),
        Plan::SchedulingGaps(settings) => {
            let limits = (settings.typical, settings.bad);
            scheduling_gaps::verdict(report, limits).unwrap_or(nothing)
        }
        Plan::RealTime(_) => real_time(report, samples),
        Plan::GameTick(settings) => {
            let cores = run.machine.physical_cores.unwrap_or(u32::MAX);
            game_tick::verdict(report, settings.budget, cores)
        }
        Plan::FrameLoop(_) => nothing,
    }
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
