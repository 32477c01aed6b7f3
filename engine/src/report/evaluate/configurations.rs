//! The configurations of a run, each of which joins the trials with the same label.

use super::evaluation_of;
use crate::plan::{Pace, Plan, Work};
use crate::platform::Applied;
use crate::report::model::configuration::Configuration;
use crate::report::model::disturbance::Disturbance;
use crate::report::model::evaluation::{Measured, round_of};
use crate::report::model::report::Options;
use crate::report::model::usage::Usage;
use crate::run::{Run, TrialRun, counter, foreign_share};
use crate::stats::distinct;
use crate::stats::interval;
use crate::stats::{Quantile, Round, Summary};

/// Returns the configurations of a run, in the order of the plan. Trials with the same label are
/// joined. An imported run has no configurations.
pub(super) fn configurations(
    run: &Run,
    options: &Options,
    has_intervals: bool,
) -> Vec<Configuration> {
    let Some(plan) = run.plan() else { return Vec::new() };
    let labels = distinct(run.trials.iter().map(|trial| trial.trial.label.as_str()));
    let disturbed_run = Disturbance::of_run(run);
    let share_of_run = foreign_share(&run.trials);
    let of_label = |label: &&str| {
        let trials = run.trials.iter().enumerate();
        let (positions, trials): (Vec<usize>, Vec<&TrialRun>) =
            trials.filter(|(_, trial)| trial.trial.label == **label).unzip();
        let one = numbers(plan, (trials.first()?, &trials), options, has_intervals);
        // In a short trial, the CPU time of other programs is not known exactly: the share of the
        // whole run is used instead.
        let is_counted =
            |trial: &&TrialRun| trial.counters.contains_key(counter::FOREIGN_CPU_NANOS);
        let of_run = share_of_run.filter(|_| trials.iter().any(is_counted));
        let of_cpu = trials.iter().filter_map(|trial| trial.foreign_share_of_cpu());
        let of_cpu = of_cpu.max_by(f64::total_cmp);
        let share = of_cpu.or(one.foreign_share).or(of_run);
        let cpu_count = disturbed_cpus(run, &trials);
        let programs = share.and_then(|share| Disturbance::by_programs(share, cpu_count));
        Some(Configuration { trials: positions, disturbance: programs.or(disturbed_run), ..one })
    };
    let mut configurations: Vec<Configuration> = labels.iter().filter_map(of_label).collect();
    evaluation_of(plan).sort(&mut configurations);
    configurations
}

/// Returns the CPU time of other programs, as a share of one CPU, above which they disturb the
/// measurement of a configuration.
pub(crate) fn programs_limit(run: &Run, row: &Configuration) -> f64 {
    let trials: Vec<&TrialRun> = row.trials.iter().filter_map(|&at| run.trials.get(at)).collect();
    Disturbance::limit(disturbed_cpus(run, &trials))
}

/// Returns the number of CPUs by which the CPU time of other programs is divided: one per measuring
/// thread, including the threads of concurrent trials. For trials that look for gaps, the number is
/// 1, since the longest gap is on one CPU.
fn disturbed_cpus(run: &Run, trials: &[&TrialRun]) -> usize {
    if trials.iter().any(|trial| matches!(trial.trial.pace, Pace::Gaps { .. })) {
        return 1;
    }
    let of_stage = |one: &&TrialRun| {
        let is_concurrent = |trial: &&TrialRun| trial.stage == one.stage && trial.skipped.is_none();
        run.trials.iter().filter(is_concurrent).map(threads).sum()
    };
    trials.iter().map(of_stage).max().unwrap_or(1)
}

/// Returns the number of measuring threads of a trial.
fn threads(trial: &TrialRun) -> usize {
    match trial.trial.work {
        Work::GameCycle(cycle) => usize::try_from(cycle.threads).unwrap_or(1),
        Work::Nothing | Work::Arithmetic(_) | Work::Timed(_) => 1,
    }
}

/// Returns the configuration of a trial while its run is in progress: without confidence intervals.
pub fn live_configuration(plan: &Plan, trial: &TrialRun, options: &Options) -> Configuration {
    numbers(plan, (trial, &[trial]), options, false)
}

/// Returns the configuration of trials with the same label, of which `first` is the first one.
fn numbers(
    plan: &Plan,
    (first, trials): (&TrialRun, &[&TrialRun]),
    options: &Options,
    has_intervals: bool,
) -> Configuration {
    let test = evaluation_of(plan);
    let late_limit = plan.late_limit(options.late_percent).unwrap_or(test.limit());
    let rounds: Vec<Round<'_>> = trials.iter().map(|trial| round_of(trial)).collect();
    let measured = Measured { trials, rounds: &rounds, has_intervals };
    let period = first.trial.pace.period();
    let summary = if first.trial.pace.is_grid() {
        Summary::of_rounds(&rounds, period, late_limit)
    } else {
        Summary::of_values(measured.values(), &rounds, late_limit)
    };
    // If a round did not run as requested, the settings of that round are reported for all rounds.
    let applied = || trials.iter().filter_map(|trial| trial.applied.as_ref());
    let off = || applied().filter(|one| !one.is_as_requested());
    let (off_count, count) = (off().count(), applied().count());
    let is_demoted = applied().any(|one| one.demoted);
    let granted = off().chain(applied()).next();
    let mut configuration = Configuration {
        label: first.trial.label.clone(),
        conditions: first.trial.conditions,
        wait: first.trial.wait,
        period,
        load: first.load,
        late_limit,
        figures: test.figures(&measured, summary.as_ref()),
        trials: Vec::new(),
        granted: granted.map(|one| Applied { demoted: is_demoted, ..one.clone() }),
        of_rounds: (0 < off_count && off_count < count).then_some((off_count, count)),
        p99_bounds: has_intervals.then(|| interval::percentile(&measured.values(), Quantile::P99)),
        grading: None,
        disturbance: None,
        summary,
        usage: Usage::of(trials),
        lost_count: trials.iter().map(|trial| trial.lost_count).sum(),
        is_complete: trials.iter().all(|trial| trial.complete),
        is_graded: plan.probe().is_graded(&first.trial.label),
        skipped: trials.iter().find_map(|trial| trial.skipped.clone()),
        foreign_share: trials
            .iter()
            .filter_map(|trial| trial.foreign_share())
            .max_by(f64::total_cmp),
    };
    if has_intervals && configuration.is_complete && configuration.is_graded {
        configuration.grading = test.grading(&configuration);
    }
    configuration
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;
    use crate::plan::{CpuFacts, FrameLoop, Load, OnMiss, Probe as _, Wait};
    use crate::report::PacedFigures;
    use crate::sample::{Sample, Samples};
    use crate::stats::{Rebasing, Spread};

    const MICRO: i64 = 1_000;
    const PERIOD: i64 = 1_000 * MICRO;

    fn plan(on_miss: OnMiss) -> FrameLoop {
        FrameLoop {
            fps: 1_000.0,
            time_each: Nanos::new(200 * PERIOD),
            on_miss,
            load: Load::NONE,
            wait: Wait::OsSleep,
            ..FrameLoop::default()
        }
    }

    /// Returns a trial with one frame per pair of due time and wake-up time in nanoseconds. Every
    /// frame works for 50 µs.
    fn trial(on_miss: OnMiss, frames: &[(i64, i64)]) -> TrialRun {
        let stage = plan(on_miss).stages(&CpuFacts::default()).remove(0);
        let mut trial = TrialRun::new(0, stage.trials[0].clone(), stage.load);
        let sample = |&(due, woke): &(i64, i64)| Sample {
            began: Nanos::new(due),
            due: Nanos::new(due),
            slept: Some(Nanos::new(woke)),
            woke: Nanos::new(woke),
            done: Nanos::new(woke + 50 * MICRO),
            spins: 0,
            cpu: None,
        };
        trial.samples = frames.iter().map(sample).collect();
        trial.applied = Some(crate::report::tests::test_run::applied());
        trial.complete = true;
        trial
    }

    /// Returns a trial with 200 frames of a re-based loop, each of them `late` nanoseconds late.
    fn re_based(late: i64) -> TrialRun {
        let due = |k: i64| PERIOD + k * (PERIOD + late);
        let frames: Vec<(i64, i64)> = (0..200).map(|k| (due(k), due(k) + late)).collect();
        trial(OnMiss::Rebase, &frames)
    }

    fn row(on_miss: OnMiss, trials: &[&TrialRun]) -> Configuration {
        let trials = (trials[0], trials);
        numbers(&Plan::FrameLoop(plan(on_miss)), trials, &Options::default(), false)
    }

    fn corrected_of(configuration: &Configuration) -> Option<Spread> {
        configuration.figures.get::<PacedFigures>().unwrap().corrected.clone()
    }

    #[test]
    fn two_re_based_rounds_have_no_frame_time_between_them() {
        let (slow, quick) = (re_based(300 * MICRO), re_based(100 * MICRO));
        let both = row(OnMiss::Rebase, &[&slow, &quick]);
        let summary = both.summary.as_ref().unwrap();
        let frame_time = summary.frame_time.as_ref().unwrap();
        assert_eq!(frame_time.count, 2 * 199);
        assert_eq!(frame_time.min, Nanos::new(PERIOD + 100 * MICRO));
        assert_eq!(frame_time.max, Nanos::new(PERIOD + 300 * MICRO));
        let low = summary.one_percent_low_fps.unwrap();
        assert!((low - 1e9 / 1.3e6).abs() < 1e-6, "{low}");
        let average = summary.average_fps.unwrap();
        assert!((average - 1e9 / 1.2e6).abs() < 1e-6, "{average}");
        assert!((frame_time.std_dev_nanos.unwrap() - 100_126.0).abs() < 1.0, "{frame_time:?}");
        assert_eq!((summary.missed_count(), summary.slot_count), (0, 400));
        assert_eq!(summary.drift, Nanos::new(199 * 400 * MICRO));
        let hidden = Rebasing { behind: Nanos::new(200 * 400 * MICRO), frame_count: 80 };
        assert_eq!(
            both.figures.get::<PacedFigures>().unwrap().rebasing,
            Some(hidden),
            "of both rounds, not only of the last"
        );
        assert_eq!(both.figures.get::<PacedFigures>().unwrap().corrected, None, "every frame ran");
    }

    #[test]
    fn one_round_is_summed_up_as_the_trial_it_is() {
        let one = re_based(300 * MICRO);
        let alone = row(OnMiss::Rebase, &[&one]);
        let period = Nanos::new(PERIOD);
        assert_eq!(alone.summary, Summary::of(&one.samples, period, alone.late_limit, None));
        assert_eq!(
            alone.figures.get::<PacedFigures>().unwrap().rebasing.unwrap().behind,
            Nanos::new(200 * 300 * MICRO)
        );
        let skipped = TrialRun { samples: Samples::new(), ..one.clone() };
        let with_skipped = row(OnMiss::Rebase, &[&skipped, &one]);
        assert_eq!(with_skipped.summary, alone.summary);
        assert_eq!(
            row(OnMiss::Rebase, &[&skipped]).figures.get::<PacedFigures>().unwrap().rebasing,
            None
        );
    }

    #[test]
    fn only_slots_that_passed_empty_are_corrected_for() {
        // In both trials, the second frame is 2.5 periods late. The first trial then skips slots,
        // the second trial catches up.
        let late = 2 * PERIOD + PERIOD / 2;
        let at = |slot: i64| (slot * PERIOD, slot * PERIOD);
        let second = (2 * PERIOD, 2 * PERIOD + late);
        let skipped = trial(
            OnMiss::Skip,
            &[at(1), second, (4 * PERIOD, second.1 + 50 * MICRO), at(5), at(6)],
        );
        let corrected = corrected_of(&row(OnMiss::Skip, &[&skipped])).unwrap();
        assert_eq!((corrected.count, corrected.max), (6, Nanos::new(late)));
        let caught_up = trial(
            OnMiss::CatchUp,
            &[
                at(1),
                second,
                (3 * PERIOD, second.1 + 50 * MICRO),
                (4 * PERIOD, second.1 + 100 * MICRO),
                at(5),
            ],
        );
        let row = row(OnMiss::CatchUp, &[&caught_up]);
        assert!(0 < row.summary.as_ref().unwrap().missed_count());
        assert_eq!(corrected_of(&row), None);
    }

    #[test]
    fn lost_samples_do_not_lower_the_grade() {
        let frames: Vec<(i64, i64)> =
            (1..=400).map(|k| (k * PERIOD, k * PERIOD + 5 * MICRO)).collect();
        let whole = trial(OnMiss::Skip, &frames);
        let retained = [&frames[..100], &frames[150..]].concat();
        let with_hole = trial(OnMiss::Skip, &retained);
        let with_lost = TrialRun { lost_count: 50, ..with_hole.clone() };
        let plan = Plan::FrameLoop(plan(OnMiss::Skip));
        let worst = |trial: &TrialRun| {
            let row = numbers(&plan, (trial, &[trial]), &Options::default(), true);
            row.grading.unwrap().best
        };
        assert_eq!(worst(&with_lost), worst(&whole));
        assert!(worst(&whole) < worst(&with_hole), "the same hole, and nothing lost");
        let summary = row(OnMiss::Skip, &[&with_lost]).summary.unwrap();
        assert_eq!(summary.frame_time.unwrap().max, Nanos::new(PERIOD));
        assert_eq!((summary.empty_count, summary.slot_count), (0, 350));
    }
}
