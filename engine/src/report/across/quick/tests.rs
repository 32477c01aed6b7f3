//! The result of a Quick check of generated runs: its answer, its advice, and whether it agrees with the reports of
//! the runs.

use super::*;
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::plan::quick::CheckSettings;
use crate::plan::{CpuFacts, Pace, Trial};
use crate::platform::{Policy, Power, PowerSource, Refusal, RequestOutcome};
use crate::report::Options;
use crate::report::tests::test_run::run_of;
use crate::run::Ending;
use crate::sample::{Sample, Samples};
use crate::stats::{Grade, GradeRange};

const MICRO: i64 = 1_000;
const MILLI: i64 = 1_000_000;

/// Returns 600 samples of a trial; the k-th is `late(k)` ns late.
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

/// Returns the run of a part. `late(part, is_loaded, k)` returns the lateness of the k-th sample of a trial in ns.
fn run(part: Part, late: &dyn Fn(Part, bool, i64) -> i64) -> Run {
    let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
    let run = run_of(part.plan(&CheckSettings::new(&cpus, None)), |trial| {
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

/// Returns the lateness of a steady PC in ns: tens of nanoseconds for spin waits, 5 to 6 µs for all other parts.
fn steady(part: Part, _: bool, k: i64) -> i64 {
    match part {
        Part::Spin => 40 + k % 7,
        _ => 5 * MICRO + k * 371 % 601,
    }
}

#[test]
fn the_worst_part_gives_the_answer() {
    type Late = fn(Part, bool, i64) -> i64;
    let cases: [(&str, Late, Answer, Grade); 7] = [
        ("steady", steady, Answer::Unlikely, Grade::Excellent),
        (
            "sleeps 1 ms too long under load",
            |part, load, k| if part == Part::Sleep && load { MILLI } else { steady(part, load, k) },
            Answer::Occasional,
            Grade::Fair,
        ),
        (
            "frames 5 ms late under load",
            |part, load, k| if part == Part::FrameLoad { 5 * MILLI } else { steady(part, load, k) },
            Answer::UnderLoad,
            Grade::Poor,
        ),
        (
            "sleeps 5 ms too long under load",
            |part, load, k| {
                if part == Part::Sleep && load { 5 * MILLI } else { steady(part, load, k) }
            },
            Answer::UnderLoad,
            Grade::Poor,
        ),
        (
            "sleeps 5 ms too long",
            |part, load, k| if part == Part::Sleep { 5 * MILLI } else { steady(part, load, k) },
            Answer::Likely,
            Grade::Poor,
        ),
        (
            "frames 5 ms late when idle",
            |part, load, k| if part == Part::FrameIdle { 5 * MILLI } else { steady(part, load, k) },
            Answer::Likely,
            Grade::Poor,
        ),
        (
            "a core is gone for 40 ms once",
            |part, load, k| {
                if part == Part::Gaps && k == 7 { 40 * MILLI } else { steady(part, load, k) }
            },
            Answer::Likely,
            Grade::Poor,
        ),
    ];
    for (name, late, answer, grade) in cases {
        let runs = runs(&late);
        let found = scorecard(&runs, &[]);
        assert_eq!((found.answer, found.grade), (answer, Some(grade.into())), "{name}");
        for ((_, _, report), card) in runs.iter().zip(&found.cards) {
            assert_eq!(card.grade, report.verdict.grade, "{name}: a card says what its run says");
            let scale = card.scale.unwrap();
            assert!(scale.value <= scale.worst && scale.limits.is_sorted(), "{name}");
            let place = scale.place(scale.value);
            let zone = [Grade::Excellent, Grade::Good, Grade::Fair, Grade::Poor];
            let at = zone.into_iter().zip(1..).find(|(_, end)| place <= f64::from(*end));
            let worst = card.grade.map(GradeRange::worst);
            assert!(at.map(|(grade, _)| grade) <= worst, "{name}: {place}");
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
    // Under load, 2% of frames are 3 ms late.
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
    // With 2 ms of work, a frame that starts 3 ms late misses its deadline only at 240 FPS, 4.2 ms per frame. Rates
    // that were not measured are estimates, without a grade.
    let expected = [(0, None), (0, Some(Grade::Poor.into())), (0, None), (0, None), (12, None)];
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
        [Advice::OtherPrograms { share: 0.4, programs: Vec::new() }, Advice::LookElsewhere]
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
            Advice::LongGaps {
                label: "CPU 1".to_owned(),
                longest: Nanos::from_millis(12),
                culprit: None,
            },
            Advice::LateUnderLoad { idle: Nanos::new(5_594), loaded: Nanos::from_millis(3) },
            Advice::UnsafeSleep { tail: Some(Nanos::from_millis(1)) },
        ]
    );
    // Under load, a few frames are missed, and all others are as punctual as without load.
    let rare = |part, load, k| match part {
        Part::FrameLoad if k % 150 == 9 => 40 * MILLI,
        _ => steady(part, load, k),
    };
    let advice = given(&rare, Machine::default(), 0);
    assert!(!advice.iter().any(|one| matches!(one, Advice::LateUnderLoad { .. })), "{advice:?}");
}

#[test]
fn what_makes_a_check_less_sure_is_reported() {
    let mut runs = runs(&steady);
    for (_, run, _) in &mut runs {
        run.health.window_hidden = Some(Nanos::from_millis(200));
    }
    let found = scorecard(&runs, &[]);
    assert_eq!(found.trust[0], QualityCheck::Samples { frames: 1_800, sleeps: 3_600, lost: 0 });
    assert_eq!(found.trust[1], QualityCheck::Window(Ok(Nanos::from_secs(1))));
    assert!(found.trust[0].is_good() && !found.trust[1].is_good());
    for (_, run, _) in &mut runs {
        (run.health.window_hidden, run.ending) = (None, Ending::Recovered);
    }
    let unknown = scorecard(&runs, &[]).trust[1];
    assert_eq!(unknown, QualityCheck::Window(Err("not recorded: the app exited during the run")));
    assert!(unknown.is_good());
    for (_, run, _) in &mut runs {
        run.ending = Ending::Finished;
    }
    let none = scorecard(&runs, &[]).trust[1];
    assert_eq!(none, QualityCheck::Window(Err("no window on the measured PC")));
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
    let (idle, loaded) = (Some(Grade::Excellent.into()), Some(Grade::Poor.into()));
    assert_eq!(found.answer, Answer::Inconclusive { idle, loaded });
    let programs = Vec::new();
    assert_eq!(found.advice[0], Advice::OtherPrograms { share: 1.55, programs });
    let card = found.card(Part::FrameLoad).unwrap();
    assert!(matches!(card.standing, Standing::Inconclusive { .. }), "{:?}", card.standing);
    let good = found.card(Part::FrameIdle).unwrap();
    assert_eq!(good.grade, Some(Grade::Excellent.into()));
    assert!(matches!(good.standing, Standing::Noted(_)));
    // Without the disturbance, the Poor part determines the answer.
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
    let short = |late: &dyn Fn(Part, bool, i64) -> i64| {
        let mut runs = runs(late);
        let (_, run, report) = &mut runs[1];
        for trial in &mut run.trials {
            trial.samples = trial.samples.iter().take(200).collect();
        }
        *report = Report::of(run, &Options::default());
        scorecard(&runs, &[])
    };
    let one_late = |part: Part, load, k| match (part, k) {
        (Part::FrameIdle, 100) => 14 * MILLI,
        _ => steady(part, load, k),
    };
    let found = short(&one_late);
    assert!(matches!(found.answer, Answer::NotEnoughData(_)), "{:?}", found.answer);
    assert_eq!((found.grade, found.advice[0].clone()), (None, Advice::RepeatWhole));
    // While even the largest lateness is within a limit, the few frames are graded by it.
    let found = short(&steady);
    assert_eq!((found.answer, found.grade), (Answer::Unlikely, Some(Grade::Excellent.into())));
}

#[test]
fn other_programs_during_one_part_do_not_excuse_another_one() {
    let late = |part, load, k| match part {
        Part::FrameIdle | Part::FrameLoad => 5 * MILLI,
        _ => steady(part, load, k),
    };
    let mut runs = runs(&late);
    assert_eq!(scorecard(&runs, &[]).answer, Answer::Likely);
    let disturb = |runs: &mut Vec<(Part, Run, Report)>, disturbed: Part| {
        for (_, run, report) in runs.iter_mut().filter(|(part, _, _)| *part == disturbed) {
            for trial in &mut run.trials {
                let counters = [
                    (crate::run::counter::FOREIGN_CPU_NANOS, 1_550 * MILLI),
                    (crate::run::counter::FOREIGN_WINDOW_NANOS, 1_000 * MILLI),
                ];
                trial.counters.extend(counters.map(|(name, value)| (name.to_owned(), value)));
            }
            *report = Report::of(run, &Options::default());
        }
    };
    disturb(&mut runs, Part::FrameLoad);
    assert_eq!(scorecard(&runs, &[]).answer, Answer::Likely, "idle was not disturbed");
    disturb(&mut runs, Part::FrameIdle);
    let found = scorecard(&runs, &[]);
    assert!(matches!(found.answer, Answer::Inconclusive { .. }), "{:?}", found.answer);
}

#[test]
fn fewer_than_three_gaps_do_not_lower_the_answer_to_fair() {
    let gaps = |count: i64, length: i64| {
        let late = move |part, load, k| match part {
            Part::Gaps if k <= count => length,
            _ => steady(part, load, k),
        };
        let found = scorecard(&runs(&late), &[]);
        (found.card(Part::Gaps).unwrap().grade, found.grade)
    };
    let [good, fair, poor] = [Grade::Good, Grade::Fair, Grade::Poor].map(|it| Some(it.into()));
    // The gaps occur on each of the two CPUs, so their total number is twice `count`.
    assert_eq!(gaps(1, 5 * MILLI), (fair, good));
    assert_eq!(gaps(2, 5 * MILLI), (fair, fair));
    assert_eq!(gaps(1, 40 * MILLI), (poor, poor));
    // Sleeps with a grade of Fair are worse than such gaps, even if the longest gap is close to the limit of Fair.
    let late = |part, load, k| match part {
        Part::Gaps if k == 1 => 29 * MILLI,
        Part::Sleep if load => MILLI,
        _ => steady(part, load, k),
    };
    let found = scorecard(&runs(&late), &[]);
    assert_eq!(found.weakest().unwrap().part, Part::Sleep);
}

#[test]
fn the_frames_that_are_attributed_are_those_with_evidence() {
    // 8 of 600 frames are 300 µs late. That is 1.8% of the frame time, and the late threshold is 5%.
    let late = |part, load, k| {
        if part == Part::FrameLoad && k % 75 == 0 { 300 * MICRO } else { steady(part, load, k) }
    };
    let found = scorecard(&runs(&late), &[]).delayed.unwrap();
    assert_eq!((found.part, found.late_count, found.frame_count), (Part::FrameLoad, 8, 600));
    assert_eq!(found.above, Nanos::new(166_667));
    assert_eq!(found.rows.iter().map(|row| row.count).sum::<u64>(), 8);
    let none = scorecard(&runs(&steady), &[]).delayed.unwrap();
    assert_eq!((none.late_count, none.rows), (0, Vec::new()));

    // A skipped frame did not start, so it is not one of the frames that started late or in time.
    let mut skipping = runs(&late);
    for (_, run, report) in &mut skipping {
        for trial in &mut run.trials {
            trial.samples =
                trial.samples.iter().take(300).chain(trial.samples.iter().skip(320)).collect();
        }
        *report = Report::of(run, &Options::default());
    }
    let found = scorecard(&skipping, &[]).delayed.unwrap();
    assert_eq!((found.late_count, found.frame_count), (8, 580));
}

#[test]
fn all_cpus_busy_is_stated_and_neither_graded_nor_named_the_weakest() {
    let mut runs = runs(&steady);
    let (_, run, report) = &mut runs[2];
    let full = run.trials.iter_mut().find(|trial| trial.trial.label.ends_with("all CPUs busy"));
    let full = full.unwrap();
    full.samples = samples(&full.trial, |_| 8 * MILLI);
    for (trial, threads) in run.trials.iter_mut().zip([8, 16]) {
        trial.counters.insert(crate::run::counter::LOAD_THREADS.to_owned(), threads);
    }
    *report = Report::of(run, &Options::default());
    let reason = report.tables[0].cell(1, "grade").unwrap().reason();
    assert_eq!(reason, Some("stated without a grade"));
    let found = scorecard(&runs, &[]);
    assert_eq!(found.grade, Some(Grade::Excellent.into()));
    let Some(Figure::Frame { busy, full_load, .. }) = &found.card(Part::FrameLoad).unwrap().figure
    else {
        panic!("no frames")
    };
    assert_eq!((*busy, *full_load), (Some((8, 16)), Some(Nanos::from_millis(8))));
    assert_ne!(found.weakest().unwrap().figure.as_ref().unwrap().value(), Nanos::from_millis(8));
}

#[test]
fn on_one_cpu_the_loop_under_load_is_stated_without_a_grade() {
    let cpus = CpuFacts { usable: vec![0], ..CpuFacts::default() };
    let mut runs = runs(&steady);
    let run = run_of(Part::FrameLoad.plan(&CheckSettings::new(&cpus, None)), |trial| {
        trial.samples = samples(&trial.trial, |_| 8 * MILLI);
    });
    let report = Report::of(&run, &Options::default());
    runs[2] = (Part::FrameLoad, run, report);
    let found = scorecard(&runs, &[]);
    assert_eq!((found.answer, found.grade), (Answer::Unlikely, Some(Grade::Excellent.into())));
    let card = found.card(Part::FrameLoad).unwrap();
    assert!(card.is_stated_only && card.grade.is_none() && card.figure.is_some());
}
