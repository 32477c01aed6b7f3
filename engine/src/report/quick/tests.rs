//! A check of made runs: its answer, its advice, and that it states what its runs say.

use super::*;
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::plan::{Pace, Trial};
use crate::platform::{Policy, Power, PowerSource, Refusal, RequestOutcome};
use crate::report::test_run::run_of;
use crate::report::{Cause, Delay, Delays, Options};
use crate::run::Ending;
use crate::sample::{Sample, Samples};

const MICRO: i64 = 1_000;
const MILLI: i64 = 1_000_000;

/// Samples of a trial, the k-th late by `late(k)`.
fn samples(trial: &Trial, late: impl Fn(i64) -> i64) -> Samples {
    let period = trial.pace.period();
    (1..=600_i64)
        .map(|k| {
            let (began, due) = match trial.pace {
                Pace::Grid { .. } => (period * k, period * k),
                Pace::After { .. } | Pace::BackToBack => {
                    let began = (period + Nanos::from_millis(1)) * k;
                    (began, began + period)
                }
                Pace::Gaps { .. } => (Nanos::from_millis(k * 10), Nanos::from_millis(k * 10)),
            };
            let woke = due + Nanos::new(late(k));
            let work = if trial.pace.is_grid() { 2 * MILLI } else { 0 };
            let done = woke + Nanos::new(work);
            Sample { began, due, slept: None, woke, done, spins: 1, cpu: Some(0) }
        })
        .collect()
}

/// The run of a part; `late` gives the lateness of the k-th sample of a trial, loaded or not.
fn run(part: Part, late: &dyn Fn(Part, bool, i64) -> i64) -> Run {
    let run = run_of(part.plan(1.0), |trial| {
        trial.samples = samples(&trial.trial, |k| late(part, !trial.load.is_none(), k));
    });
    Run { tags: vec![crate::plan::quick::TAG.to_owned()], machine: Machine::default(), ..run }
}

fn runs(late: &dyn Fn(Part, bool, i64) -> i64) -> Vec<(Part, Run, Report)> {
    Part::ALL
        .into_iter()
        .map(|part| {
            let run = run(part, late);
            let report = Report::of(&run, &Options::default());
            (part, run, report)
        })
        .collect()
}

fn scorecard(runs: &[(Part, Run, Report)], skipped: &[Part]) -> Scorecard {
    let parts: Vec<Measured<'_>> = runs
        .iter()
        .map(|(part, run, report)| (*part, (!skipped.contains(part)).then_some((run, report))))
        .collect();
    Scorecard::of(&parts)
}

/// A steady PC: microseconds everywhere, tens of nanoseconds while spinning.
fn steady(part: Part, _: bool, k: i64) -> i64 {
    match part {
        Part::Spin => 40 + k % 7,
        _ => 5 * MICRO + k * 371 % 601,
    }
}

#[test]
fn the_worst_part_gives_the_answer() {
    type Late = fn(Part, bool, i64) -> i64;
    let cases: [(&str, Late, Answer, Option<Grade>); 7] = [
        ("steady", steady, Answer::Unlikely, Some(Grade::Excellent)),
        (
            "sleeps 1 ms too long under load",
            |part, load, k| if part == Part::Sleep && load { MILLI } else { steady(part, load, k) },
            Answer::Occasional,
            Some(Grade::Fair),
        ),
        (
            "frames 5 ms late under load",
            |part, load, k| if part == Part::FrameLoad { 5 * MILLI } else { steady(part, load, k) },
            Answer::UnderLoad,
            Some(Grade::Poor),
        ),
        (
            "sleeps 5 ms too long under load",
            |part, load, k| {
                if part == Part::Sleep && load { 5 * MILLI } else { steady(part, load, k) }
            },
            Answer::UnderLoad,
            Some(Grade::Poor),
        ),
        (
            "sleeps 5 ms too long",
            |part, load, k| if part == Part::Sleep { 5 * MILLI } else { steady(part, load, k) },
            Answer::Likely,
            Some(Grade::Poor),
        ),
        (
            "frames 5 ms late when idle",
            |part, load, k| if part == Part::FrameIdle { 5 * MILLI } else { steady(part, load, k) },
            Answer::Likely,
            Some(Grade::Poor),
        ),
        (
            "a core is gone for 40 ms once",
            |part, load, k| {
                if part == Part::Gaps && k == 7 { 40 * MILLI } else { steady(part, load, k) }
            },
            Answer::Likely,
            Some(Grade::Poor),
        ),
    ];
    for (name, late, answer, grade) in cases {
        let runs = runs(&late);
        let found = scorecard(&runs, &[]);
        assert_eq!((found.answer, found.grade), (answer, grade), "{name}");
        for ((_, _, report), card) in runs.iter().zip(&found.cards) {
            assert_eq!(card.grade, report.verdict.grade, "{name}: a card says what its run says");
            let strip = card.strip.unwrap();
            assert!(strip.typical <= strip.worst && strip.good < strip.fair, "{name}");
        }
    }
}

#[test]
fn a_skipped_part_leaves_no_answer() {
    let runs = runs(&steady);
    let found = scorecard(&runs, &[Part::Gaps, Part::FrameLoad]);
    assert_eq!(found.answer, Answer::Incomplete { skipped: 2, unjudged: 0 });
    assert_eq!(found.grade, None);
    assert_eq!(found.advice, [Advice::RepeatWhole]);
    assert_eq!(found.rates, []);
    assert!(found.card(Part::Gaps).unwrap().is_skipped);
    assert!(found.card(Part::Sleep).unwrap().grade.is_some());
    assert_eq!(scorecard(&runs, &Part::ALL).trust, []);
}

#[test]
fn a_part_that_was_stopped_is_measured_but_not_evaluated() {
    let mut runs = runs(&steady);
    let (_, run, report) = &mut runs[2];
    run.ending = Ending::Stopped;
    run.trials[0].complete = false;
    *report = Report::of(run, &Options::default());
    let found = scorecard(&runs, &[Part::Spin]);
    assert_eq!(found.answer, Answer::Incomplete { skipped: 1, unjudged: 1 });
    assert_eq!(found.rates, [], "no grade, no rates");
}

#[test]
fn a_part_of_which_nothing_ran_as_requested_states_what_was_denied() {
    let mut runs = runs(&steady);
    let refusal = Refusal {
        requested: "nice 0".to_owned(),
        call: "setpriority".to_owned(),
        errno: Some(13),
        error_name: "EACCES".to_owned(),
        reason: "the program was started below normal priority".to_owned(),
        remedy: "start the program without 'nice'".to_owned(),
    };
    let (_, run, report) = &mut runs[1];
    for trial in &mut run.trials {
        let applied = trial.applied.as_mut().unwrap();
        applied.priority = RequestOutcome::Refused;
        applied.effective.policy = Policy::Nice(5);
        applied.refusals = vec![refusal.clone()];
    }
    *report = Report::of(run, &Options::default());
    let found = scorecard(&runs, &[]);
    assert_eq!(found.answer, Answer::Incomplete { skipped: 0, unjudged: 1 });
    let denied: Vec<_> = found.cards.iter().filter(|card| card.denied.is_some()).collect();
    let [card] = denied.as_slice() else { panic!("{denied:?}") };
    assert_eq!((card.part, card.denied.as_ref()), (Part::FrameIdle, Some(&refusal)));
    assert_eq!(found.advice[0], Advice::Denied(Box::new(refusal)), "repeating it would not help");
}

#[test]
fn rates_follow_from_the_same_delays() {
    // Two frames in a hundred are 3 ms late.
    let late = |part, load, k: i64| {
        if part == Part::FrameLoad && k % 50 == 0 { 3 * MILLI } else { steady(part, load, k) }
    };
    let runs = runs(&late);
    let found = scorecard(&runs, &[]);
    let measured = found.rates.iter().find(|rate| rate.is_measured).unwrap();
    let row = &runs[2].2.rows[0];
    assert_eq!((Some(measured.p99), measured.grade), (row.p99(), row.grade()));
    assert!((measured.fps - 60.0).abs() < 1e-9);
    let of: Vec<_> = found.rates.iter().map(|rate| (rate.missed, rate.grade)).collect();
    // With 2 ms of work, a frame of 4.2 ms is over before a start 3 ms late is. What was not measured is
    // an estimate, without a grade.
    let expected = [(0, None), (0, Some(Grade::Poor)), (0, None), (0, None), (12, None)];
    assert_eq!(of, expected);
    assert!(found.rates.iter().all(|rate| rate.slots == 600));
}

#[test]
fn advice_is_given_under_its_condition_and_three_at_most() {
    let given = |late: &dyn Fn(Part, bool, i64) -> i64, machine: Machine, foreign: i64| {
        let mut runs = runs(late);
        for (_, run, report) in &mut runs {
            run.machine = machine.clone();
            for trial in &mut run.trials {
                let counters = [
                    (crate::run::counter::FOREIGN_CPU_NANOS, foreign * MILLI),
                    (crate::run::counter::FOREIGN_WINDOW_NANOS, 1_000 * MILLI),
                ];
                trial.counters.extend(counters.map(|(name, value)| (name.to_owned(), value)));
            }
            *report = Report::of(run, &Options::default());
        }
        scorecard(&runs, &[]).advice
    };
    let quiet = Machine {
        power: Power {
            source: Some(PowerSource::Mains),
            governor_or_plan: Some("performance".to_owned()),
        },
        ..Machine::default()
    };
    assert_eq!(given(&steady, quiet.clone(), 20), [Advice::LookElsewhere]);
    assert_eq!(
        given(&steady, quiet.clone(), 400),
        [Advice::OtherPrograms { share: 0.4 }, Advice::LookElsewhere]
    );
    let laptop = Machine {
        power: Power {
            source: Some(PowerSource::Battery { percent: Some(18) }),
            governor_or_plan: Some("Power saver".to_owned()),
        },
        virtualization: Some("KVM".to_owned()),
        ..Machine::default()
    };
    assert_eq!(
        given(&steady, laptop, 0),
        [
            Advice::OnBattery,
            Advice::PowerPlan { name: "Power saver".to_owned() },
            Advice::VirtualMachine { host: "KVM".to_owned() },
        ]
    );
    let slow = |part, load, k| match part {
        Part::FrameLoad => 3 * MILLI,
        Part::Sleep if load => MILLI,
        Part::Gaps if k == 9 => 12 * MILLI,
        _ => steady(part, load, k),
    };
    assert_eq!(
        given(&slow, quiet, 0),
        [
            Advice::LongGaps { label: "CPU 1".to_owned(), longest: Nanos::from_millis(12) },
            Advice::LateUnderLoad { idle: Nanos::new(5_594), loaded: Nanos::from_millis(3) },
            Advice::UnsafeSleep { tail: Some(Nanos::from_millis(1)) },
        ]
    );
}

#[test]
fn what_makes_a_check_less_sure_is_reported() {
    let mut runs = runs(&steady);
    for (_, run, _) in &mut runs {
        run.health.window_hidden = Some(Nanos::from_millis(200));
    }
    let found = scorecard(&runs, &[]);
    assert_eq!(found.trust[0], QualityCheck::Samples { frames: 1_200, sleeps: 3_600, lost: 0 });
    assert_eq!(found.trust[1], QualityCheck::Window(Some(Nanos::from_secs(1))));
    assert!(found.trust[0].is_good() && !found.trust[1].is_good());
    runs[0].1.health.machine_slept = Some(Nanos::from_secs(9));
    runs[1].1.health.debug_build = true;
    let found = scorecard(&runs, &[]);
    assert_eq!(
        found.trust[4..],
        [QualityCheck::Slept(Nanos::from_secs(9)), QualityCheck::DebugBuild]
    );
}

#[test]
fn a_check_that_other_programs_disturbed_blames_nobody() {
    let late = |part, load, k| {
        if part == Part::FrameLoad { 5 * MILLI } else { steady(part, load, k) }
    };
    let mut runs = runs(&late);
    for (_, run, report) in &mut runs {
        for trial in &mut run.trials {
            let counters = [
                (crate::run::counter::FOREIGN_CPU_NANOS, 1_550 * MILLI),
                (crate::run::counter::FOREIGN_WINDOW_NANOS, 1_000 * MILLI),
            ];
            trial.counters.extend(counters.map(|(name, value)| (name.to_owned(), value)));
        }
        *report = Report::of(run, &Options::default());
    }
    let found = scorecard(&runs, &[]);
    assert_eq!(found.grade, None);
    let (idle, loaded) = (Some(Grade::Excellent), Some(Grade::Poor));
    assert_eq!(found.answer, Answer::Inconclusive { idle, loaded });
    assert_eq!(found.advice[0], Advice::OtherPrograms { share: 1.55 });
    let card = found.card(Part::FrameLoad).unwrap();
    assert!(matches!(card.standing, Standing::Inconclusive { .. }), "{:?}", card.standing);
    let good = found.card(Part::FrameIdle).unwrap();
    assert_eq!(good.grade, Some(Grade::Excellent));
    assert!(matches!(good.standing, Standing::Noted(_)));
    // The part that is bad without being disturbed is blamed.
    for (_, run, report) in &mut runs {
        for trial in &mut run.trials {
            trial.counters.remove(crate::run::counter::FOREIGN_CPU_NANOS);
        }
        *report = Report::of(run, &Options::default());
    }
    assert_eq!(scorecard(&runs, &[]).answer, Answer::UnderLoad);
}

#[test]
fn too_few_frames_do_not_decide_and_are_not_blamed() {
    let mut runs = runs(&steady);
    let (_, run, report) = &mut runs[1];
    for trial in &mut run.trials {
        trial.samples = trial.samples.iter().take(200).collect();
    }
    *report = Report::of(run, &Options::default());
    let found = scorecard(&runs, &[]);
    assert!(matches!(found.answer, Answer::NotEnoughData(_)), "{:?}", found.answer);
    assert_eq!((found.grade, found.advice[0].clone()), (None, Advice::RepeatWhole));
}

#[test]
fn other_programs_during_one_part_disturb_the_whole_check() {
    let late = |part, load, k| {
        if part == Part::FrameIdle { 5 * MILLI } else { steady(part, load, k) }
    };
    let mut runs = runs(&late);
    assert_eq!(scorecard(&runs, &[]).answer, Answer::Likely);
    for (_, run, report) in runs.iter_mut().filter(|(part, _, _)| *part == Part::FrameLoad) {
        for trial in &mut run.trials {
            let counters = [
                (crate::run::counter::FOREIGN_CPU_NANOS, 1_550 * MILLI),
                (crate::run::counter::FOREIGN_WINDOW_NANOS, 1_000 * MILLI),
            ];
            trial.counters.extend(counters.map(|(name, value)| (name.to_owned(), value)));
        }
        *report = Report::of(run, &Options::default());
    }
    let found = scorecard(&runs, &[]);
    assert!(matches!(found.answer, Answer::Inconclusive { .. }), "{:?}", found.answer);
}

#[test]
fn who_delayed_most_late_frames_of_a_part_is_named_first() {
    let delay = |name: &str, program: Option<&str>, sample_count| Delay {
        name: name.to_owned(),
        kind: "thread",
        program: program.map(str::to_owned),
        cause: Cause::Thread,
        sample_count,
        total: Nanos::from_millis(78),
        worst: Nanos::from_millis(4),
        share: 0.7,
    };
    let given = |idle: Vec<Delay>, loaded: Vec<Delay>| {
        let mut runs = runs(&steady);
        for (part, delays) in [(Part::FrameIdle, idle), (Part::FrameLoad, loaded)] {
            let (_, _, report) = runs.iter_mut().find(|(one, ..)| *one == part).unwrap();
            report.delays = Delays { late_count: 60, ranked: delays, suspect: None };
        }
        scorecard(&runs, &[]).advice.into_iter().next().unwrap()
    };
    let steam = delay("steam.exe", Some("steam.exe"), 41);
    let load = delay("Background load of this test", None, 55);
    let expected = Advice::Delayed(Box::new(steam.clone()), 60);
    assert_eq!(given(vec![steam.clone()], vec![load.clone()]), expected);
    assert_eq!(given(vec![], vec![steam]), expected);
    assert!(!matches!(given(vec![], vec![load]), Advice::Delayed(..)), "its own load is no news");
    let few = delay("cc", Some("cc"), 20);
    assert!(!matches!(given(vec![few], vec![]), Advice::Delayed(..)), "not most of them");
}
