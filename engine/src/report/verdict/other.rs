//! Verdicts of runs of sleeps, spins, gaps, real-time policies and game cycles.

use super::{Finding, Verdict};
use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::report::grading::conclude;
use crate::report::{Change, Measure, Report};
use crate::report::{game_tick, scheduling_gaps, sleep_accuracy, spin_strategies};
use crate::run::Run;
use crate::stats::{float, reduction::Reduction};

/// Judges a run that is complete.
pub(super) fn of(run: &Run, report: &Report, samples: usize) -> Verdict {
    let nothing = Verdict::without_grade(Finding::Nothing);
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
    let sure = |change: &&Change| {
        let rests_on = change.rests_on.and_then(|measure| change.reduction(measure));
        rests_on.map_or(f64::MIN, Reduction::sure)
    };
    let evaluated = report.changes.iter().filter(|change| change.is_evaluated());
    let Some(best) = evaluated.max_by(|a, b| sure(a).total_cmp(&sure(b))) else {
        let is_refused = report.rows.iter().skip(1).any(|row| !row.is_as_requested());
        let finding = if is_refused {
            Finding::NothingAsRequested
        } else {
            Finding::TooFew { frames: samples, needed: 100 }
        };
        return Verdict::without_grade(finding);
    };
    let summary = |row: usize| report.rows.get(row).and_then(|row| row.summary.as_ref());
    let deviation = |row: usize| {
        let times = summary(row).and_then(|summary| summary.frame_time.as_ref());
        times.and_then(|times| times.std_dev_nanos).map_or(Nanos::ZERO, Nanos::from_nanos_f64)
    };
    let p99 = |row: usize| summary(row).and_then(|it| it.lateness.p99);
    let late = |row: usize| {
        summary(row).map_or(0.0, |it| float(it.late_count) / float(it.lateness.count.max(1)))
    };
    let measure = best.rests_on.unwrap_or(Measure::StdDev);
    let fall = best.reduction(measure);
    let both = (best.normal, best.policy);
    let (grade, standing) = conclude(best.part().into_iter());
    Verdict {
        grade,
        standing,
        finding: Finding::RealTime {
            label: report.rows.get(best.policy).map_or(String::new(), |row| row.label.clone()),
            rests_on: best.rests_on,
            is_nothing_to_gain: best.is_nothing_to_gain,
            share: fall.map_or(0.0, |fall| fall.share),
            interval: fall.and_then(|fall| fall.interval),
            deviations: (deviation(both.0), deviation(both.1)),
            p99s: p99(both.0).zip(p99(both.1)),
            late_shares: (late(both.0), late(both.1)),
        },
    }
}
