//! Tests when a report states a grade, and what replaces the grade after a disturbance or with too little data.

mod simulated;

use super::*;
use crate::plan::{FrameLoop, Load, Plan, SleepAccuracy, Wait};
use crate::platform::Policy;
use crate::report::tests::test_run::{run_of, wait};
use crate::report::{Finding, Options, Report};
use crate::run::{Run, counter};
use crate::sample::Sample;
use crate::stats::grade::FRAME_LATENESS;

const PERIOD: i64 = 16_666_667;
const MICRO: i64 = 1_000;

/// Returns a run of frames at 60 FPS. Frame `k` is late by `late(k)` ns; the work of each frame takes 1 ms.
fn frames(count: i64, late: impl Fn(i64) -> i64) -> Run {
    let plan =
        FrameLoop { fps: 60.0, load: Load::NONE, wait: Wait::OsSleep, ..FrameLoop::default() };
    run_of(Plan::FrameLoop(plan), |trial| {
        trial.samples = (1..=count)
            .map(|k| {
                let due = Nanos::new(k * PERIOD);
                let woke = due + Nanos::new(late(k));
                let done = woke + Nanos::from_millis(1);
                Sample { began: due, due, slept: None, woke, done, spins: 0, cpu: Some(0) }
            })
            .collect();
    })
}

fn report(run: &Run) -> Report {
    Report::of(run, &Options::default())
}

fn with_programs(mut run: Run, share: f64) -> Run {
    for trial in &mut run.trials {
        let used = Nanos::from_nanos_f64(share * 1e9).get();
        trial.counters.insert(counter::FOREIGN_CPU_NANOS.to_owned(), used);
        trial.counters.insert(counter::FOREIGN_WINDOW_NANOS.to_owned(), 1_000_000_000);
    }
    run
}

#[test]
fn what_is_missing_shrinks_the_interval_by_the_root() {
    let each = Nanos::from_millis(10);
    let of = |value, interval| Grading::of(&FRAME_LATENESS, value, interval, 100, each);
    let needed = |count: usize| Needed::Samples {
        count,
        time: each * i64::try_from(count).unwrap(),
        bursts: None,
    };
    for (value, interval, expected) in [
        (3.0, (2.0, 4.0), (Grade::Good, Grade::Good, Needed::Nothing)),
        // Half as wide, the interval would end at the limit of 5. That takes four times the 100 samples.
        (4.0, (3.0, 6.0), (Grade::Good, Grade::Fair, needed(300))),
        (6.0, (4.0, 7.0), (Grade::Good, Grade::Fair, needed(300))),
        // The interval has to shrink to 1/2 above the value and to 1/4 below: the latter takes 16 times the samples.
        (6.0, (2.0, 24.0), (Grade::Good, Grade::Poor, needed(1_500))),
        (4.999, (4.0, 6.0), (Grade::Good, Grade::Fair, Needed::TooClose)),
    ] {
        let found = of(value, interval);
        assert_eq!((found.best, found.worst, found.needed), expected, "{value} {interval:?}");
    }
    let open = of(6.0, (2.0, 24.0));
    assert_eq!(
        open.what_decides("frames"),
        "about 1\u{202f}500 more frames (15 s) are needed for a grade"
    );
    let unknown = Grading::unknown(Grade::Excellent, 268, each).what_decides("frames");
    assert_eq!(unknown, "about 270 more frames (3 s) are needed for a grade");
    let long = Grading::unknown(Grade::Excellent, 30_000, Nanos::from_secs(3));
    assert_eq!(long.what_decides("iterations"), "the iterations vary too much for a grade");
}

#[test]
fn the_worse_of_two_parts_decides_also_where_one_is_open() {
    let open = Grading::of(&FRAME_LATENESS, 4.0, (3.0, 6.0), 100, Nanos::from_millis(10));
    let poor = Grading::observed(Grade::Poor);
    assert_eq!(open.or_worse(poor), poor, "the open part cannot be worse");
    let good = Grading::observed(Grade::Good);
    assert_eq!(good.or_worse(open), open);
    assert_eq!(Grading::observed(Grade::Excellent).or_worse(good), good);
}

#[test]
fn a_grade_needs_an_interval_within_it() {
    // All frames but one are 100 µs late, which is 0.6% of a frame and Excellent. One is 4 ms late, which is Poor.
    let open = || frames(300, |k| if k == 150 { 4_000 * MICRO } else { 100 * MICRO });
    let few = report(&open()).verdict;
    assert_eq!(few.grade, None);
    let Standing::NotEnoughData(grading) = few.standing else { panic!("{few:?}") };
    assert_eq!(grading.needed, Grading::unknown(Grade::Good, 68, Nanos::new(PERIOD)).needed);
    let surely_poor = report(&frames(100, |_| 4_000 * MICRO)).verdict;
    assert_eq!(surely_poor.grade, Some(Grade::Poor.into()), "p99 can only be later");
    let enough = report(&frames(600, |_| 100 * MICRO)).verdict;
    assert_eq!((enough.grade, enough.standing), (Some(Grade::Excellent.into()), Standing::Clear));
    // Every 70th frame is 1 ms late: p99 is 6% of a frame, but its 95% interval begins far below.
    let unclear = report(&frames(600, |k| if k % 70 == 0 { MICRO * 1_000 } else { MICRO })).verdict;
    assert_eq!(unclear.grade, GradeRange::of(Grade::Excellent, Grade::Fair));
    assert_eq!((unclear.word(), unclear.standing), ("Fair or better", Standing::Clear));
    let clear =
        report(&frames(36_000, |k| if k % 70 == 0 { MICRO * 1_000 } else { MICRO })).verdict;
    assert_eq!(clear.grade, Some(Grade::Fair.into()));
    let table = &report(&open()).tables[0];
    let reason = table.cell(0, "grade").unwrap().reason().unwrap();
    assert_eq!(reason, "not enough data: about 68 more frames (1 s) are needed for a grade");
}

#[test]
fn few_frames_within_a_limit_are_graded_by_the_largest_lateness() {
    for (micros, grade, limit) in [
        (100, GradeRange::of(Grade::Excellent, Grade::Excellent), "167 µs"),
        (500, GradeRange::of(Grade::Excellent, Grade::Good), "833 µs"),
        (2_000, GradeRange::of(Grade::Excellent, Grade::Fair), "2.500 ms"),
        (2_600, None, ""),
    ] {
        let run = frames(300, |k| if k == 150 { micros * MICRO } else { 100 * MICRO });
        let verdict = report(&run).verdict;
        assert_eq!(verdict.grade, grade, "{micros}");
        let evidence = verdict.numbers().replace('\u{202f}', " ");
        let expected = format!("0 of 300 frames were more than {limit} late.");
        assert_eq!(evidence.contains(&expected), grade.is_some(), "{evidence}");
        let rare = "If late frames come more rarely than every 0.7 s, this run cannot show them.";
        assert!(evidence.ends_with(rare), "{evidence}");
    }
    // A run of 10 min shows late frames that come once per minute.
    let long = report(&frames(36_000, |_| 100 * MICRO)).verdict;
    assert!(!long.numbers().contains("more rarely"), "{}", long.numbers());
}

#[test]
fn a_grade_that_lacks_frames_states_in_how_many_bursts_the_late_ones_came() {
    let late =
        |k: i64| if k % 250 < 5 { 4_000 * MICRO + k % 250 } else { 50 * MICRO + k * 371 % 601 };
    let verdict = report(&frames(600, late)).verdict;
    let Standing::NotEnoughData(grading) = verdict.standing else { panic!("{verdict:?}") };
    let words = grading.what_decides("frames");
    assert!(words.starts_with("late frames came in 3 bursts: about "), "{words}");
}

#[test]
fn a_grade_by_missed_frames_states_them_with_their_limits() {
    let late = |k: i64| if k % 400 == 7 { PERIOD } else { 10 * MICRO };
    let found = report(&frames(3_600, late));
    assert_eq!(found.verdict.grade, Some(Grade::Poor.into()));
    let evidence = found.verdict.numbers().replace('\u{202f}', " ");
    let expected = "9 of 3 600 frames were missed (95% CI from 1.1 of 1 000). Good or better up to \
                    0.1 of 1 000, Fair up to 1 of 1 000.";
    assert!(evidence.starts_with(expected), "{evidence}");
    assert!(!evidence.contains("p99"), "{evidence}");
}

#[test]
fn one_missed_frame_in_600_is_said_and_not_graded() {
    let late = |k: i64| if k == 77 { PERIOD } else { 10 * MICRO };
    let one = report(&frames(600, late));
    assert!(one.verdict.finding.sentence.ends_with("; 1 was missed."));
    assert_eq!(one.verdict.grade, Some(Grade::Excellent.into()));
    // Three frames missed in a row are one stall and do not lower the grade. Repeated stalls do.
    let stall = |k: i64| if (77..80).contains(&k) { PERIOD } else { 10 * MICRO };
    assert_eq!(report(&frames(36_000, stall)).verdict.grade, Some(Grade::Excellent.into()));
    let many = |k: i64| if k % 400 == 7 { PERIOD } else { 10 * MICRO };
    assert_eq!(report(&frames(36_000, many)).verdict.grade, Some(Grade::Poor.into()));
    let some = |k: i64| if k % 2_000 == 7 { PERIOD } else { 10 * MICRO };
    assert_eq!(report(&frames(36_000, some)).verdict.grade, Some(Grade::Fair.into()));
}

#[test]
fn a_disturbed_measurement_does_not_accuse_the_pc() {
    let poor = || frames(600, |_| 4_000 * MICRO);
    let good = || frames(600, |_| 500 * MICRO);
    assert_eq!(report(&poor()).verdict.grade, Some(Grade::Poor.into()));
    let disturbance = Disturbance::OtherPrograms(1.55);
    let found = report(&with_programs(poor(), 1.55));
    let measured = Grading::observed(Grade::Poor);
    assert_eq!(found.verdict.grade, None);
    assert_eq!(found.verdict.standing, Standing::Inconclusive { measured, disturbance });
    assert_eq!(found.verdict.word(), "Inconclusive");
    assert_eq!(found.rows[0].grade(), None);
    let reason = found.tables[0].cell(0, "grade").unwrap().reason().unwrap().to_owned();
    assert_eq!(
        reason,
        "inconclusive: other programs used up to 155% of one CPU; measured anyway: Poor"
    );
    let found = report(&with_programs(good(), 1.55)).verdict;
    let noted = Standing::Noted(disturbance);
    assert_eq!((found.grade, found.standing), (Some(Grade::Good.into()), noted));
    let quiet = report(&with_programs(poor(), 0.1)).verdict;
    assert_eq!((quiet.grade, quiet.standing), (Some(Grade::Poor.into()), Standing::Clear));
    let mut throttled = poor();
    throttled.health.limits.throttled = Some(Nanos::from_millis(40));
    let found = report(&throttled).verdict;
    assert_eq!(found.standing.disturbance(), Some(Disturbance::Throttled(Nanos::from_millis(40))));
    let mut slept = poor();
    slept.health.machine_slept = Some(Nanos::from_secs(4));
    assert_eq!(report(&slept).verdict.grade, None);
}

#[test]
fn a_bad_part_that_was_not_disturbed_retains_its_grade() {
    let plan = SleepAccuracy { lengths: vec![Nanos::from_millis(1)], ..SleepAccuracy::default() };
    // Idle sleeps overshoot by 3 ms without a disturbance. Sleeps under load are good in spite of a disturbance.
    let mut run = run_of(Plan::SleepAccuracy(plan), |trial| {
        let late = if trial.load.is_none() { 3_000 * MICRO } else { 100 * MICRO };
        trial.samples = (1..=400).map(|k| wait(k * 10_000_000, 1_000_000, late)).collect();
    });
    for trial in run.trials.iter_mut().filter(|trial| !trial.load.is_none()) {
        trial.counters.insert(counter::FOREIGN_CPU_NANOS.to_owned(), 900_000_000);
        trial.counters.insert(counter::FOREIGN_WINDOW_NANOS.to_owned(), 1_000_000_000);
    }
    assert_eq!(report(&run).verdict.grade, Some(Grade::Poor.into()));
    for trial in run.trials.iter_mut().filter(|trial| trial.load.is_none()) {
        trial.counters.insert(counter::FOREIGN_CPU_NANOS.to_owned(), 900_000_000);
        trial.counters.insert(counter::FOREIGN_WINDOW_NANOS.to_owned(), 1_000_000_000);
    }
    assert!(matches!(report(&run).verdict.standing, Standing::Inconclusive { .. }));
}

#[test]
fn a_total_is_decided_part_by_part() {
    use Grade::{Excellent, Fair, Good, Poor};
    let disturbance = Disturbance::OtherPrograms(1.55);
    let part = |best, worst, is_disturbed: bool| {
        let needed = Needed::TooClose;
        (Grading { best, worst, needed }, is_disturbed.then_some(disturbance))
    };
    let of = |parts: &[(Grading, Option<Disturbance>)]| {
        let (grade, standing) = conclude(parts.iter().copied());
        let doubt = standing.doubt().unwrap_or_default();
        grade.map_or(doubt, GradeRange::word)
    };
    // The only part was disturbed: its grade is stated only if it is Good or better.
    for (best, worst, expected) in [
        (Excellent, Good, "Good or better"),
        (Good, Good, "Good"),
        (Excellent, Fair, "Inconclusive"),
        (Fair, Fair, "Inconclusive"),
        (Fair, Poor, "Inconclusive"),
        (Good, Poor, "Not enough data"),
    ] {
        assert_eq!(of(&[part(best, worst, true)]), expected, "{best:?} to {worst:?}");
    }
    // A disturbed part matters if it is worse than all undisturbed parts, or if it is Good or better.
    assert_eq!(of(&[part(Fair, Fair, true), part(Poor, Poor, false)]), "Poor");
    assert_eq!(of(&[part(Fair, Fair, true), part(Fair, Fair, false)]), "Fair");
    assert_eq!(of(&[part(Good, Fair, true), part(Fair, Fair, false)]), "Fair");
    assert_eq!(of(&[part(Poor, Poor, true), part(Fair, Fair, false)]), "Inconclusive");
    assert_eq!(of(&[part(Good, Fair, true), part(Good, Good, false)]), "Inconclusive");
    assert_eq!(of(&[part(Good, Good, true), part(Excellent, Excellent, false)]), "Good");
    let (_, standing) = conclude([part(Good, Good, true)].into_iter());
    assert_eq!(standing, Standing::Noted(disturbance));
    // The result is a bound only if no part has the worst grade of the result as its only grade.
    assert_eq!(of(&[part(Good, Fair, false), part(Excellent, Good, false)]), "Fair or better");
    assert_eq!(of(&[part(Good, Fair, false), part(Fair, Fair, false)]), "Fair");
    assert_eq!(of(&[part(Fair, Poor, false), part(Good, Good, false)]), "Fair or worse");
    assert_eq!(of(&[part(Good, Poor, false), part(Fair, Fair, false)]), "Fair or worse");
    assert_eq!(of(&[part(Good, Poor, false), part(Good, Good, false)]), "Not enough data");
    assert_eq!(of(&[]), "");
}

#[test]
fn a_policy_that_changed_in_mid_run_is_not_graded() {
    let mut run = frames(600, |_| 10 * MICRO);
    run.trials[0].applied.as_mut().unwrap().policy_at_end = Some(Policy::Nice(5));
    let found = report(&run);
    assert_eq!((found.verdict.grade, found.rows[0].grade()), (None, None));
    assert_eq!(found.verdict.finding, Finding::nothing_as_requested());
    assert!(!found.rows[0].is_as_requested());
    assert!(
        found.rows[0].applied_text().contains("changed to"),
        "{}",
        found.rows[0].applied_text()
    );
}

#[test]
fn a_configuration_ran_as_requested_only_if_every_round_did() {
    let mut run = frames(600, |_| 10 * MICRO);
    let mut second = run.trials[0].clone();
    second.applied.as_mut().unwrap().priority = crate::platform::RequestOutcome::Refused;
    run.trials.push(second);
    assert!(!report(&run).rows[0].is_as_requested());
}
