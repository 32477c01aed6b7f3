//! One configuration: what was requested and applied, what all tests count, and its test's own figures.

use super::disturbance::Disturbance;
use super::evaluation::Measured;
use super::figures::Figures;
use super::grading::{self, Grading};
use super::usage::Usage;
use super::{Options, evaluation_of};
use crate::nanos::Nanos;
use crate::plan::{Conditions, Load, OnMiss, Pace, Plan, Wait, Work};
use crate::platform::{Policy, Refusal, RequestOutcome};
use crate::run::{Run, TrialRun, counter, foreign_share};
use crate::stats::interval::{self, TooFew};
use crate::stats::{Grade, Quantile, Round, Summary};

/// The numbers of one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Names the configuration.
    pub label: String,
    /// What was asked of the system.
    pub conditions: Conditions,
    /// How the loop waited.
    pub wait: Wait,
    /// What ran next to it.
    pub load: Load,
    /// The length of a frame, or of each wait; 0 where there is neither.
    pub period: Nanos,
    /// Lateness above which a frame counts as late.
    pub late_limit: Nanos,
    /// Positions of its trials in the run.
    pub trials: Vec<usize>,
    /// What it was granted; absent where it did not start.
    pub granted: Option<AppliedSummary>,
    /// Its numbers; absent where there is no sample. What the test is about is under `lateness`:
    /// lateness, overshoot, the length of gaps, or the time of cycles.
    pub summary: Option<Summary>,
    /// The figures that only its test has.
    pub figures: Figures,
    /// The 95% interval of p99, or what is known with too few samples; absent while the run is in progress.
    pub p99_bounds: Option<Result<(Nanos, Nanos), TooFew>>,
    /// The grades that the interval of its measure allows; absent while the run is in progress, and where it is
    /// not graded: not measured to its end, or not as requested.
    pub grading: Option<Grading>,
    /// What disturbed it, where something did.
    pub disturbance: Option<Disturbance>,
    /// What the measuring thread and the load used.
    pub usage: Usage,
    /// Samples that were lost.
    pub lost_count: u64,
    /// Whether every round was measured to its end.
    pub is_complete: bool,
    /// Why it was omitted, where it was.
    pub skipped: Option<String>,
    /// CPU time of other programs as a share of one core: the largest of its rounds.
    pub foreign_share: Option<f64>,
}

/// What a configuration was granted.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedSummary {
    /// How the request for a priority went.
    pub priority: RequestOutcome,
    /// How the request for a CPU went.
    pub pin: RequestOutcome,
    /// How the thread was scheduled.
    pub policy: Policy,
    /// The CPUs it might run on; empty where the system does not report them.
    pub cpus: Vec<u32>,
    /// Of how many rounds this is what was granted, if not of all, and how many there are.
    pub of_rounds: Option<(usize, usize)>,
    /// What another program changed the policy to, where one did.
    pub changed_to: Option<Policy>,
    /// What raised it.
    pub mechanism: String,
    /// Everything that was refused.
    pub refusals: Vec<Refusal>,
    /// Whether a watchdog took real-time priority away.
    pub demoted: bool,
    /// What the system's sleep is.
    pub sleep_call: String,
    /// The timer slack in force, read back (Linux).
    pub timer_slack: Option<Nanos>,
    /// The timer resolution in force, read back (Windows).
    pub timer_resolution: Option<Nanos>,
}

impl Configuration {
    /// Whether every round ran at everything that was asked until its end.
    pub fn is_as_requested(&self) -> bool {
        self.granted.as_ref().is_some_and(|granted| {
            granted.priority == RequestOutcome::Granted && granted.pin == RequestOutcome::Granted
        }) && self.has_retained_policy()
    }

    /// Whether the scheduling policy of every round stayed as applied.
    pub fn has_retained_policy(&self) -> bool {
        self.granted
            .as_ref()
            .is_some_and(|granted| !granted.demoted && granted.changed_to.is_none())
    }

    /// What other programs used of one CPU where they disturbed it.
    pub fn disturbing_share(&self) -> Option<f64> {
        match self.disturbance {
            Some(Disturbance::OtherPrograms(share)) => Some(share),
            _ => None,
        }
    }

    /// p99 lateness, where there are enough samples.
    pub fn p99(&self) -> Option<Nanos> {
        self.summary.as_ref()?.lateness.p99
    }

    /// The 95% interval of p99, where there are enough samples for both ends.
    pub fn p99_interval(&self) -> Option<(Nanos, Nanos)> {
        self.p99_bounds?.ok()
    }

    /// Whether its p99 is clearly higher than that of another one: its interval, of which the lower end is enough,
    /// begins above the other.
    pub fn has_clearly_higher_p99(&self, other: &Self) -> bool {
        let low = self.p99_bounds.and_then(|bounds| match bounds {
            Ok((low, _)) => Some(low),
            Err(few) => few.low,
        });
        low.zip(other.p99_interval()).is_some_and(|(low, (_, high))| high < low)
    }

    /// p99 lateness as a share of a frame, in percent.
    pub fn p99_percent_of_frame(&self) -> Option<f64> {
        Some(self.p99()?.as_f64() / self.period.as_f64() * 100.0)
    }

    /// Its grade, where the data is enough for one: the interval of the measure is within it. Fair and
    /// Poor are not stated of a disturbed measurement. Cycles are graded against other rows only.
    pub fn grade(&self) -> Option<Grade> {
        let (grade, _) = grading::conclude(self.part().into_iter());
        grade
    }

    /// Its grading with what disturbed it, as a part of a verdict.
    pub(super) fn part(&self) -> Option<(Grading, Option<Disturbance>)> {
        Some((self.grading?, self.disturbance))
    }

    /// What it was granted in a few words: "RR 10 · CPU 1"; "–" where it did not start.
    pub fn applied_text(&self) -> String {
        let Some(granted) = &self.granted else { return "–".to_owned() };
        let mut text = granted.policy.to_string();
        if granted.demoted {
            text.push_str(", revoked by the watchdog");
        }
        if let Some(policy) = granted.changed_to.filter(|_| !granted.demoted) {
            text.push_str(&format!(", changed to {policy} during the test"));
        }
        match granted.cpus.as_slice() {
            [] => {}
            [cpu] => text.push_str(&format!(" · CPU {cpu}")),
            cpus => text.push_str(&format!(" · CPUs {}", ranges(cpus))),
        }
        if let Some((count, all)) = granted.of_rounds {
            text.push_str(&format!(", in {count} of {all} rounds"));
        }
        text
    }
}

/// CPU numbers as ranges: `0–3, 8`.
fn ranges(cpus: &[u32]) -> String {
    let mut text = String::new();
    let mut rest = cpus;
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|&(&cpu, expected)| cpu == expected).count();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&first.to_string());
        if let Some(last) = rest.get(run - 1).filter(|_| 1 < run) {
            text.push_str(&format!("–{last}"));
        }
        rest = rest.get(run..).unwrap_or_default();
    }
    text
}

/// The configurations of a run: trials of one label joined, in the order of the plan's own listing. An
/// imported run has none.
pub(super) fn configurations(
    run: &Run,
    options: &Options,
    has_intervals: bool,
) -> Vec<Configuration> {
    let Some(plan) = run.plan() else { return Vec::new() };
    let mut labels: Vec<&str> = Vec::new();
    for trial in &run.trials {
        if !labels.contains(&trial.trial.label.as_str()) {
            labels.push(&trial.trial.label);
        }
    }
    let of_run = Disturbance::of_run(run);
    let share_of_run = foreign_share(&run.trials);
    let of_label = |label: &&str| {
        let trials = run.trials.iter().enumerate();
        let (positions, trials): (Vec<usize>, Vec<&TrialRun>) =
            trials.filter(|(_, trial)| trial.trial.label == **label).unzip();
        let one = numbers(plan, &trials, options, has_intervals);
        let cpu_count = measured_cpus(run, &trials);
        // A short series is as disturbed as all of them together.
        let is_counted =
            |trial: &&TrialRun| trial.counters.contains_key(counter::FOREIGN_CPU_NANOS);
        let share = one.foreign_share.or(share_of_run.filter(|_| trials.iter().any(is_counted)));
        let programs = share.and_then(|share| Disturbance::by_programs(share, cpu_count));
        Configuration { trials: positions, disturbance: programs.or(of_run), ..one }
    };
    let mut configurations: Vec<Configuration> = labels.iter().map(of_label).collect();
    evaluation_of(plan).sort(&mut configurations);
    configurations
}

/// On how many CPUs a configuration was measured at once: its own threads and those of trials that ran at
/// the same time.
fn measured_cpus(run: &Run, trials: &[&TrialRun]) -> usize {
    let of_stage = |one: &&TrialRun| {
        let is_concurrent = |trial: &&TrialRun| trial.stage == one.stage && trial.skipped.is_none();
        run.trials.iter().filter(is_concurrent).map(threads).sum()
    };
    trials.iter().map(of_stage).max().unwrap_or(1)
}

/// Threads that a trial measures with.
fn threads(trial: &TrialRun) -> usize {
    match trial.trial.work {
        Work::GameCycle(cycle) => usize::try_from(cycle.threads).unwrap_or(1),
        Work::Nothing | Work::Arithmetic(_) | Work::Timed(_) => 1,
    }
}

/// The numbers of trials of one label while they run: without intervals.
pub fn live_configuration(plan: &Plan, trials: &[&TrialRun], options: &Options) -> Configuration {
    numbers(plan, trials, options, false)
}

fn numbers(
    plan: &Plan,
    trials: &[&TrialRun],
    options: &Options,
    has_intervals: bool,
) -> Configuration {
    let Some(first) = trials.first() else { return empty() };
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
    let mut configuration = Configuration {
        label: first.trial.label.clone(),
        conditions: first.trial.conditions,
        wait: first.trial.wait,
        period,
        load: first.load,
        late_limit,
        figures: test.figures(&measured, summary.as_ref()),
        trials: Vec::new(),
        granted: granted(trials),
        p99_bounds: has_intervals.then(|| interval::percentile(&measured.values(), Quantile::P99)),
        grading: None,
        disturbance: None,
        summary,
        usage: Usage::of(trials),
        lost_count: trials.iter().map(|trial| trial.lost_count).sum(),
        is_complete: trials.iter().all(|trial| trial.complete),
        skipped: trials.iter().find_map(|trial| trial.skipped.clone()),
        foreign_share: trials
            .iter()
            .filter_map(|trial| trial.foreign_share())
            .max_by(f64::total_cmp),
    };
    if has_intervals && configuration.is_complete {
        configuration.grading = test.grading(&configuration, &measured);
    }
    configuration
}

/// What trials of one label were granted; `None` where none started.
fn granted(trials: &[&TrialRun]) -> Option<AppliedSummary> {
    // A round that was denied something speaks for all.
    let all = || trials.iter().filter_map(|trial| trial.applied.as_ref());
    let applied = all().find(|one| !one.is_as_requested()).or(all().next())?;
    let (off, count) = (all().filter(|one| !one.is_as_requested()).count(), all().count());
    Some(AppliedSummary {
        of_rounds: (0 < off && off < count).then_some((off, count)),
        priority: applied.priority.clone(),
        pin: applied.pin.clone(),
        policy: applied.effective.policy,
        changed_to: applied.changed_to(),
        cpus: applied.effective.cpus.clone(),
        mechanism: applied.mechanism.clone(),
        refusals: applied.refusals.clone(),
        sleep_call: applied.sleep_call.clone(),
        timer_slack: applied.timer_slack,
        timer_resolution: applied.timer_resolution,
        demoted: all().any(|applied| applied.demoted),
    })
}

/// A configuration without trials.
fn empty() -> Configuration {
    Configuration {
        label: String::new(),
        conditions: Conditions::NORMAL,
        wait: Wait::OsSleep,
        load: Load::NONE,
        period: Nanos::ZERO,
        late_limit: Nanos::ZERO,
        figures: Figures::None,
        trials: Vec::new(),
        granted: None,
        summary: None,
        p99_bounds: None,
        grading: None,
        disturbance: None,
        usage: Usage::default(),
        lost_count: 0,
        is_complete: false,
        skipped: None,
        foreign_share: None,
    }
}

/// What the numbers of a trial are made of.
pub(super) fn round_of(trial: &TrialRun) -> Round<'_> {
    Round {
        samples: &trial.samples,
        evidence: &trial.evidence,
        tail: trial.tail(),
        lost_count: trial.lost_count,
        is_skipping: matches!(trial.trial.pace, Pace::Grid { on_miss: OnMiss::Skip, .. }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CpuFacts, FrameLoop, Probe as _};
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

    /// A round of frames given by when they were due and woke; each works for 50 µs.
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
        trial.applied = Some(super::super::test_run::applied());
        trial.complete = true;
        trial
    }

    /// 200 frames of a re-based loop, each of them late by as much.
    fn re_based(late: i64) -> TrialRun {
        let due = |k: i64| PERIOD + k * (PERIOD + late);
        let frames: Vec<(i64, i64)> = (0..200).map(|k| (due(k), due(k) + late)).collect();
        trial(OnMiss::Rebase, &frames)
    }

    fn row(on_miss: OnMiss, trials: &[&TrialRun]) -> Configuration {
        live_configuration(&Plan::FrameLoop(plan(on_miss)), trials, &Options::default())
    }

    fn corrected_of(configuration: &Configuration) -> Option<Spread> {
        configuration.figures.paced().unwrap().corrected.clone()
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
            both.figures.paced().unwrap().rebasing,
            Some(hidden),
            "of both rounds, not only of the last"
        );
        assert_eq!(both.figures.paced().unwrap().corrected, None, "every frame ran");
    }

    #[test]
    fn one_round_is_summed_up_as_the_trial_it_is() {
        let one = re_based(300 * MICRO);
        let alone = row(OnMiss::Rebase, &[&one]);
        let period = Nanos::new(PERIOD);
        assert_eq!(alone.summary, Summary::of(&one.samples, period, alone.late_limit, None));
        assert_eq!(
            alone.figures.paced().unwrap().rebasing.unwrap().behind,
            Nanos::new(200 * 300 * MICRO)
        );
        let skipped = TrialRun { samples: Samples::new(), ..one.clone() };
        let with_skipped = row(OnMiss::Rebase, &[&skipped, &one]);
        assert_eq!(with_skipped.summary, alone.summary);
        assert_eq!(row(OnMiss::Rebase, &[&skipped]).figures.paced().unwrap().rebasing, None);
    }

    #[test]
    fn only_slots_that_passed_empty_are_corrected_for() {
        // The second frame is 2.5 periods late, with each way to go on.
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
            let row = numbers(&plan, &[trial], &Options::default(), true);
            row.grading.unwrap().best
        };
        assert_eq!(worst(&with_lost), worst(&whole));
        assert!(worst(&whole) < worst(&with_hole), "the same hole, and nothing lost");
        let summary = row(OnMiss::Skip, &[&with_lost]).summary.unwrap();
        assert_eq!(summary.frame_time.unwrap().max, Nanos::new(PERIOD));
        assert_eq!((summary.empty_count, summary.slot_count), (0, 350));
    }
}
