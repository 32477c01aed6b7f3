//! Continues a part of a check that has too little data for a grade: plans another run of the part, and
//! joins the two runs.

use crate::nanos::Nanos;
use crate::plan::conditions::Cell;
use crate::plan::form::parts::LoadCondition;
use crate::plan::wait::wait_with;
use crate::plan::{CpuFacts, Plan, Probe as _, SleepAccuracy, Trial};
use crate::report::{Configuration, MIN_PAIRS, Report, Standing};
use crate::run::{Ending, METHOD_VERSION, Run};

/// Factor by which a continuation increases the number of sleeps per series, up to `MOST_SLEEPS`.
const MOST_TIMES: u32 = 4;
/// Max number of sleeps per series. A series of long sleeps ends earlier, by its time limit.
const MOST_SLEEPS: u32 = 100_000;
/// Max number of times that the result of a part is evaluated, continuations included. Each further
/// evaluation increases the probability of a result by chance.
const MAX_LOOKS: u32 = 3;

/// Returns the plan for the additional data that a grade needs; its measurement takes at most the
/// planned time of the run. `None` if the run has a grade, cannot get a grade from more data, did not
/// finish, used another method version, or was already continued twice.
pub fn continuation(run: &Run, report: &Report) -> Option<Plan> {
    let is_undecided = matches!(report.verdict.standing, Standing::NotEnoughData(_));
    let is_comparable = run.method_version == METHOD_VERSION;
    if run.ending != Ending::Finished || !is_undecided || !is_comparable {
        return None;
    }
    let open = |row: &&Configuration| row.grading.is_some_and(|it| it.grade().is_none());
    let open: Vec<&Configuration> = report.rows.iter().filter(open).collect();
    let is_open = |length: &Nanos| open.iter().any(|row| row.period == *length);
    let mut plan = run.plan().filter(|plan| plan.is_in_range())?.clone();
    let stages = plan.probe().stages(&CpuFacts::default());
    let planned = rounds(stages.iter().flat_map(|stage| &stage.trials));
    if planned * MAX_LOOKS <= rounds(run.trials.iter().map(|trial| &trial.trial)) {
        return None;
    }
    match &mut plan {
        Plan::FrameLoop(plan) => {
            plan.full_load = Nanos::ZERO;
            let is_open = |cell: &Cell| {
                open.iter().any(|row| {
                    (row.conditions.priority, row.conditions.cpu) == (cell.priority, cell.cpu)
                })
            };
            plan.cells.retain(is_open);
            let tail = run.trials.iter().find_map(|trial| trial.tail().filter(|_| trial.complete));
            if plan.cells.len() == 1 {
                plan.wait = tail.map_or(plan.wait, wait_with);
            }
        }
        Plan::SleepAccuracy(plan) => {
            let planned = measuring_time(plan);
            plan.lengths.retain(is_open);
            plan.circumstances.retain(|condition| {
                open.iter().any(|row| row.load.is_none() == (*condition == LoadCondition::Idle))
            });
            for count in std::iter::once(&mut plan.count).chain(&mut plan.long_count) {
                *count = count.saturating_mul(MOST_TIMES).min(MOST_SLEEPS);
            }
            let series = i64::try_from(plan.stages(&CpuFacts::default()).len()).unwrap_or(1);
            plan.at_most = plan.at_most.max(Nanos::new(planned.get() / series.max(1)));
        }
        Plan::SpinStrategies(plan) => plan.lengths.retain(is_open),
        Plan::RealTime(plan)
            if usize::try_from(2 * plan.blocks()).is_ok_and(|pairs| pairs < MIN_PAIRS) =>
        {
            return None;
        }
        Plan::RealTime(_) | Plan::GameTick(_) => {}
        _ => return None,
    }
    Some(plan)
}

fn rounds<'a>(trials: impl Iterator<Item = &'a Trial>) -> u32 {
    trials.map(|trial| trial.round + 1).max().unwrap_or(0)
}

/// Returns the planned measuring time of all series, without calibration, warm-up, and the time in which
/// the load settles.
fn measuring_time(plan: &SleepAccuracy) -> Nanos {
    let stages = plan.stages(&CpuFacts::default());
    let trials = stages.iter().flat_map(|stage| &stage.trials);
    trials.map(Trial::duration).fold(Nanos::ZERO, |sum, length| sum + length)
}

/// Joins two runs into one: the trials of the second run follow those of the first, as further
/// rounds of their configurations. Returns the first run if the second one did not finish.
pub fn joined(first: &Run, second: Run) -> Run {
    if second.ending != Ending::Finished {
        return first.clone();
    }
    let stages = first.trials.iter().map(|trial| trial.stage + 1).max().unwrap_or(0);
    let rounds = first.trials.iter().map(|trial| trial.trial.round + 1).max().unwrap_or(0);
    let mut health = second.health.clone();
    let sum = |one: Option<Nanos>, other: Option<Nanos>| match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    };
    health.machine_slept = sum(first.health.machine_slept, health.machine_slept);
    health.window_hidden = sum(first.health.window_hidden, health.window_hidden);
    let (earlier, limits) = (&first.health.limits, &mut health.limits);
    limits.throttled = sum(earlier.throttled, limits.throttled);
    if earlier.quota_percent.is_some() {
        limits.quota_began = earlier.quota_began;
    }
    limits.quota_percent = earlier.quota_percent.into_iter().chain(limits.quota_percent).min();
    limits.cpus_changed = earlier.cpus_changed.or(limits.cpus_changed);
    health.clock_backwards_count =
        health.clock_backwards_count.max(first.health.clock_backwards_count);
    health.power_changes = health.power_changes.saturating_add(first.health.power_changes);
    let mut trials = first.trials.clone();
    trials.extend(second.trials.into_iter().map(|mut trial| {
        trial.stage += stages;
        trial.trial.round += rounds;
        trial
    }));
    let mut annotations = first.annotations.clone();
    annotations.extend(second.annotations.into_iter().map(|mut annotation| {
        annotation.trial += first.trials.len();
        annotation
    }));
    let subject = first.subject.clone();
    // The joined run has the ID and start time of the second run, as a check uses the most recent run
    // of each part.
    Run { annotations, subject, health, trials, ..second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CpuFacts;
    use crate::plan::quick::{CheckSettings, Part};
    use crate::report::Options;
    use crate::report::tests::test_run::{run_of, wait};
    use crate::run::{Annotation, TrialRun};
    use crate::stats::{Grade, GradeRange};

    const MILLI: i64 = 1_000_000;

    fn settings() -> CheckSettings {
        let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
        CheckSettings::new(&cpus, None)
    }

    fn report(run: &Run) -> Report {
        Report::of(run, &Options::default())
    }

    /// Sets 200 sleeps. Sleeps of 1 ms under load are sometimes very late; 200 of them do not show how often.
    fn sleeps(trial: &mut TrialRun) {
        let length = trial.trial.pace.period().get();
        let is_open = length == MILLI && !trial.load.is_none();
        let late = |k: i64| if is_open && k % 90 == 0 { 4 * MILLI } else { 60_000 };
        trial.samples = (1..=200).map(|k| wait(k * 10 * MILLI, length, late(k))).collect();
    }

    #[test]
    fn only_what_is_undecided_is_measured_on() {
        let run = run_of(Part::Sleep.plan(&settings()), sleeps);
        let found = report(&run);
        let Some(Plan::SleepAccuracy(plan)) = continuation(&run, &found) else {
            panic!("{:?}", found.verdict)
        };
        let Some(Plan::SleepAccuracy(whole)) = run.plan() else { panic!("no sleeps") };
        let millis = [Nanos::from_millis(1)];
        assert_eq!(plan.lengths, millis, "all of the shorter ones are within a limit");
        let good = run_of(Part::Sleep.plan(&settings()), |trial| {
            let length = trial.trial.pace.period().get();
            let count = if length == MILLI && !trial.load.is_none() { 200 } else { 600 };
            let late = |k: i64| if count == 200 && k == 70 { 4 * MILLI } else { 60_000 };
            trial.samples = (1..=count).map(|k| wait(k * 10 * MILLI, length, late(k))).collect();
        });
        let Some(Plan::SleepAccuracy(plan)) = continuation(&good, &report(&good)) else {
            panic!("{:?}", report(&good).verdict)
        };
        assert_eq!(plan.lengths, [Nanos::from_millis(1)]);
        // The only series without a grade gets the measuring time of the whole part.
        let time = plan.stages(&CpuFacts::default())[0].trials[0].duration();
        assert_eq!(plan.stages(&CpuFacts::default()).len(), 1);
        assert!(measuring_time(whole) - time < Nanos::from_millis(1), "{time}");
        assert!(plan.circumstances.iter().all(|condition| *condition == LoadCondition::Load));
        let endless = SleepAccuracy { count: u32::MAX, ..whole.clone() };
        let foreign = Run { subject: Plan::SleepAccuracy(endless).into(), ..good.clone() };
        assert_eq!(continuation(&foreign, &report(&foreign)), None, "no machine can run it");
        let stopped = Run { ending: Ending::Stopped, ..good };
        assert_eq!(continuation(&stopped, &report(&stopped)), None);
        let gaps = run_of(Part::Gaps.plan(&settings()), |_| {});
        assert_eq!(continuation(&gaps, &report(&gaps)), None);
    }

    #[test]
    fn a_stall_in_a_short_series_is_decided_by_more_sleeps() {
        // One of 200 sleeps ends 4 ms late. As this is less than 1% of sleeps, the p99 does not include it.
        let run = |count: i64| {
            run_of(Part::Sleep.plan(&settings()), |trial| {
                let length = trial.trial.pace.period().get();
                let late = |k: i64| if k % 200 == 7 { 4 * MILLI } else { 70_000 };
                let sleep = |k| wait(k * 30 * MILLI, length, late(k));
                trial.samples = (1..=count).map(sleep).collect();
            })
        };
        assert_eq!(report(&run(500)).verdict.grade, None);
        let found = report(&run(5_000)).verdict;
        assert_eq!(found.grade, Some(GradeRange::from(Grade::Good)), "{found:?}");
    }

    #[test]
    fn pairs_of_blocks_are_measured_on_where_as_many_again_may_decide() {
        use crate::plan::RealTime;
        let of = |secs, turn| {
            let plan = RealTime {
                time_each: Nanos::from_secs(secs),
                turn: Nanos::from_secs(turn),
                ..RealTime::default()
            };
            let run = run_of(Plan::RealTime(plan), |trial| {
                let late = |k: i64| if k % 7 == 0 { 3 * MILLI } else { 300_000 };
                trial.samples = (1..=120).map(|k| wait(k * 17 * MILLI, 0, late(k))).collect();
            });
            let next = continuation(&run, &report(&run));
            (report(&run).verdict.standing, run, next)
        };
        let (standing, run, next) = of(10, 2);
        assert!(matches!(standing, Standing::NotEnoughData(_)), "{standing:?}");
        assert_eq!(next.as_ref(), run.plan());
        let both = joined(&run, run.clone());
        let found = report(&both);
        assert!(found.rows.iter().all(|row| row.trials.len() == 10), "10 pairs");
        assert!(!matches!(found.verdict.standing, Standing::NotEnoughData(_)));
        assert_eq!(of(6, 2).2, None, "6 pairs are too few");
    }

    #[test]
    fn both_runs_are_rounds_of_one() {
        let sleeps = |count: i64| {
            move |trial: &mut TrialRun| {
                let length = trial.trial.pace.period().get();
                let late = |k: i64| if count == 200 && k == 70 { 4 * MILLI } else { 60_000 };
                trial.samples =
                    (1..=count).map(|k| wait(k * 10 * MILLI, length, late(k))).collect();
            }
        };
        let first = run_of(Part::Sleep.plan(&settings()), sleeps(200));
        assert_eq!(report(&first).verdict.grade, None);
        let plan = continuation(&first, &report(&first)).unwrap();
        let mut second = run_of(plan, sleeps(600));
        second.annotations.push(Annotation {
            trial: 0,
            from: Nanos::ZERO,
            to: Nanos::ZERO,
            text: "here".to_owned(),
        });
        let mut first = first;
        first.health.limits.quota_percent = Some(150);
        first.health.limits.cpus_changed = Some(Nanos::from_secs(3));
        second.health.limits.quota_percent = Some(200);
        second.health.limits.quota_began = Some(Nanos::from_secs(7));
        second.started_at += std::time::Duration::from_secs(20);
        let stopped = Run { ending: Ending::Stopped, ..second.clone() };
        assert_eq!(joined(&first, stopped), first, "an unfinished second run is ignored");
        let (before, id, began) = (first.trials.len(), second.id.clone(), second.started_at);
        let both = joined(&first, second);
        assert_eq!((both.id.clone(), both.started_at), (id, began), "the newest of a part counts");
        assert_eq!((both.plan(), both.annotations[0].trial), (first.plan(), before));
        assert_eq!(both.health.limits, first.health.limits);
        let found = report(&both);
        assert_eq!(found.rows.len(), report(&first).rows.len());
        assert!(found.rows.iter().all(|row| row.trials.len() == 2), "each has two rounds");
        assert_eq!(found.verdict.grade, Some(GradeRange::from(Grade::Good)));
        let mut saved = Vec::new();
        crate::format::write(&both, &mut saved).unwrap();
        let read = crate::format::read(&saved).unwrap();
        assert_eq!(read.trials.len(), both.trials.len());
    }
}
