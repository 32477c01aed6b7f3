//! Logs that are joined with a recording of a made game afterward.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::super::join::{JoinError, LogTimes, join, undo_join};
use super::simulated::{Game, Injected, Tier};
use super::*;
use crate::run::capture::{self, Capture};
use crate::run::recording::{DatedNote, EventKind, NoteKind, RecordedFrames};
use crate::run::{Run, Subject};
use crate::sample::Column;

/// When the recording began.
const START: i64 = 1_800_000_000;

fn run(recording: Recording) -> Run {
    Run {
        started_at: Timestamp::from_second(START).unwrap(),
        ..Run::planned(Subject::Recorded(Box::new(recording)), &[])
    }
}

/// Returns a recording of a made game, and the same one without its frames, which are in a log. The log begins with frame
/// `first`, and its clock drifts by `drift_ppm`.
fn recorded(injected: &[Injected], first: usize, drift_ppm: i64) -> (Recording, Run, Capture) {
    let mut game = Game::new(7);
    for injected in injected {
        game.play(250);
        game.frame(Some(*injected));
    }
    game.play(60);
    let with_frames = game.recording(Tier::Kernel);
    let times = with_frames.frames.frame_times().values().skip(first);
    let drifted = times.map(|time| time + time * drift_ppm / 1_000_000);
    let log = capture::Recording {
        label: "made".to_owned(),
        frame_times: drifted.collect(),
        ..capture::Recording::default()
    };
    let without = Recording {
        frames: RecordedFrames::default(),
        frame_uncertainty: None,
        follow: Follow::ThisPc,
        process: None,
        label: String::new(),
        ..with_frames.clone()
    };
    (with_frames, run(without), Capture::Frames(vec![log]))
}

/// A file that was saved `late_millis` after the last row.
fn saved(recording: &Recording, late_millis: i64) -> LogTimes {
    let last = recording.frames.iter().last().unwrap().0;
    let at = START * 1_000_000_000 + last.get() + late_millis * 1_000_000;
    LogTimes { saved: Timestamp::from_nanosecond(i128::from(at)).ok(), ..LogTimes::default() }
}

const INJECTED: [Injected; 4] =
    [Injected::OtherProgram, Injected::Shaders, Injected::Service, Injected::Game];

#[test]
fn a_joined_log_has_the_causes_that_a_followed_one_has() {
    for (first, drift, late) in [(0, 0, 40), (31, 80, 1_900), (400, -80, 4_000)] {
        let (followed, without, log) = recorded(&INJECTED, first, drift);
        let times = saved(&followed, late);
        let joined = join(&without, &log, &times, &TimeZone::UTC).unwrap();
        let uncertainty = joined.frame_uncertainty.unwrap();
        assert!(uncertainty < Nanos::from_millis(2), "{first}: {uncertainty}");
        let frames = followed.frames.iter().skip(first);
        assert_eq!(joined.frames.len(), followed.frames.len() - first);
        let is_in_detail = |at: &Nanos| {
            followed.details.iter().any(|detail| detail.begin <= *at && *at <= detail.end)
        };
        for ((expected, _), (found, _)) in frames.zip(joined.frames.iter()) {
            let off = (found - expected).abs();
            assert!(!is_in_detail(&expected) || off <= uncertainty, "{first}: {expected} {off}");
        }
        let causes = |recording: &Recording, from: Nanos| {
            let events = Analysis::of(recording).events.into_iter();
            let events = events.filter(move |event| from < event.at);
            events.map(|event| event.outcome).collect::<Vec<Outcome>>()
        };
        let from = followed.frames.iter().nth(first + 60).unwrap().0;
        let expected = causes(&followed, from);
        assert!(2 <= expected.len());
        assert_eq!(causes(&joined, from), expected, "{first}");
        let stutters = joined.events.iter().filter(|event| event.kind == EventKind::Stutter);
        assert_eq!(stutters.count(), Analysis::of(&joined).events.len());
        assert_eq!(joined.process.as_ref().map(|process| process.process), Some(10));
        assert_eq!((joined.label.as_str(), joined.follow), ("made", Follow::Log));
    }
}

#[test]
fn where_no_detail_shows_the_place_no_cause_is_stated() {
    let (followed, mut without, log) = recorded(&INJECTED, 0, 0);
    let Subject::Recorded(recording) = &mut without.subject else { panic!() };
    // The records are of other programs only.
    for row in &mut recording.threads {
        row.owner = Some(RecordedOwner::Kernel);
    }
    let joined = join(&without, &log, &saved(&followed, 100), &TimeZone::UTC).unwrap();
    assert_eq!(joined.frame_uncertainty, Some(Nanos::from_secs(5)));
    let events = Analysis::of(&joined).events;
    assert!(!events.is_empty());
    for event in events {
        assert!(matches!(event.outcome, Outcome::Unexplained(_)), "{event:?}");
    }
}

#[test]
fn a_log_of_another_time_or_without_one_is_refused() {
    let (followed, without, log) = recorded(&INJECTED, 0, 0);
    let join_at = |times: LogTimes| join(&without, &log, &times, &TimeZone::UTC);
    assert_eq!(join_at(LogTimes::default()), Err(JoinError::NoTime));
    let late = join_at(saved(&followed, 3_600_000)).unwrap_err();
    assert!(late.to_string().contains("after the recording ended"), "{late}");
    let early = join_at(saved(&followed, -3_600_000)).unwrap_err();
    assert!(early.to_string().contains("before the recording began"), "{early}");
    assert_eq!(
        join(&run(followed.clone()), &log, &saved(&followed, 0), &TimeZone::UTC),
        Err(JoinError::HasFrames)
    );
    let Capture::Frames(logs) = log else { panic!() };
    let sampled = Capture::SampledLog(logs);
    let refused = join(&without, &sampled, &saved(&followed, 0), &TimeZone::UTC).unwrap_err();
    assert!(refused.to_string().contains("one row per interval"), "{refused}");
}

#[test]
fn the_date_in_the_name_of_a_log_places_it_and_sleep_of_the_pc_is_not_counted() {
    let (followed, mut without, log) = recorded(&INJECTED, 0, 0);
    let begin = Timestamp::from_second(START + 600).unwrap().to_zoned(TimeZone::UTC);
    let name = format!("vkcube_{}", begin.strftime("%Y-%m-%d_%H-%M-%S"));
    let times = LogTimes { name, ..LogTimes::default() };
    assert!(join(&without, &log, &times, &TimeZone::UTC).is_err(), "it began 10 min later");
    let Subject::Recorded(recording) = &mut without.subject else { panic!() };
    recording.notes.push(DatedNote {
        at: Nanos::ZERO,
        kind: NoteKind::Slept,
        text: String::new(),
        value: Some(Nanos::from_secs(599).get()),
    });
    let joined = join(&without, &log, &times, &TimeZone::UTC).unwrap();
    assert!(joined.frame_uncertainty.unwrap() < Nanos::from_millis(2));
    let first = |recording: &Recording| recording.frames.iter().next().unwrap().0;
    assert!((first(&joined) - first(&followed)).abs() < Nanos::from_millis(2));
}

#[test]
fn the_answers_of_a_recording_remain_without_its_detail() {
    let (mut recording, ..) = recorded(&INJECTED, 0, 0);
    recording.answers = None;
    let event = |event: &EventPath| crate::run::recording::RecordedEvent {
        at: event.at,
        length: event.length,
        kind: EventKind::Stutter,
    };
    let before = Analysis::of(&recording);
    recording.events = before.events.iter().map(event).collect();
    assert!(recording.delete_detail());
    assert!(!recording.delete_detail(), "it is gone");
    assert!(recording.details.is_empty() && recording.threads.is_empty());
    assert_eq!(recording.unsaved.deleted_count, 4);
    let after = Analysis::of(&recording);
    assert_eq!(after.causes, before.causes);
    assert_eq!(after.marks, before.marks);
    assert_eq!(after.ordinary_count, before.ordinary_count);
    for (after, before) in after.events.iter().zip(&before.events) {
        assert_eq!(
            (after.at, after.length, after.median),
            (before.at, before.length, before.median)
        );
        assert_eq!(after.outcome, before.outcome);
        assert_eq!(after.runner_up(), before.runner_up());
        assert!(after.path.is_empty() && !before.path.is_empty());
    }
    // The private names in it are found.
    let names: Vec<String> = recording.texts_mut().map(|text| text.clone()).collect();
    assert!(names.iter().any(|name| name == "baloo_file"), "{names:?}");
}

#[test]
fn a_recording_whose_detail_was_deleted_keeps_its_answers_and_refuses_a_log() {
    let (followed, mut without, log) = recorded(&INJECTED, 0, 0);
    let Subject::Recorded(recording) = &mut without.subject else { panic!() };
    assert!(recording.delete_detail() && !recording.can_join());
    let times = saved(&followed, 0);
    assert_eq!(join(&without, &log, &times, &TimeZone::UTC), Err(JoinError::DetailDeleted));
    // A joined log stays as well: the answers are those of its stutters.
    let (_, without, log) = recorded(&INJECTED, 0, 0);
    let mut joined = run(join(&without, &log, &times, &TimeZone::UTC).unwrap());
    let Subject::Recorded(recording) = &mut joined.subject else { panic!() };
    assert!(recording.delete_detail());
    assert_eq!(join(&joined, &log, &times, &TimeZone::UTC), Err(JoinError::DetailDeleted));
    assert_eq!(undo_join(&joined), Err(JoinError::DetailDeleted));
}

#[test]
fn a_second_join_replaces_the_first_and_undo_restores_what_was_recorded() {
    let mut random = fastrand::Rng::with_seed(53);
    for _ in 0..4 {
        let [first, second] = [random.usize(..300), random.usize(..300)];
        let [drift, other_drift] = [random.i64(-80..80), random.i64(-80..80)];
        let (followed, mut without, log) = recorded(&INJECTED, first, drift);
        let (_, _, other) = recorded(&INJECTED, second, other_drift);
        let Subject::Recorded(recording) = &mut without.subject else { panic!() };
        // In the order in which they were found, and not in that of time.
        for _ in 0..20 {
            let at = Nanos::from_millis(random.i64(0..17_000));
            let kind = if random.bool() { EventKind::Mark } else { EventKind::Stall };
            let length = Nanos::ZERO;
            recording.events.push(crate::run::recording::RecordedEvent { at, length, kind });
            let kind = if random.bool() { NoteKind::Log } else { NoteKind::Governor };
            let text = "made".to_owned();
            recording.notes.push(DatedNote { at, kind, text, value: None });
        }
        recording.label = ["", "named"][random.usize(..2)].to_owned();
        let [late, other_late] = [random.i64(0..4_000), random.i64(0..4_000)];
        let join = |to: &Run, log: &Capture, late: i64| {
            run(super::super::join::join(to, log, &saved(&followed, late), &TimeZone::UTC).unwrap())
        };
        let once = join(&without, &other, other_late);
        let joined = join(&without, &log, late);
        assert_ne!(joined.subject, once.subject);
        let twice = join(&joined, &other, other_late);
        assert_eq!(twice.subject, once.subject);
        assert!(once.recording().unwrap().events.iter().any(|it| it.kind == EventKind::Stutter));
        for joined in [joined, twice] {
            assert!(joined.recording().unwrap().can_join());
            assert_eq!(undo_join(&joined).as_ref(), Ok(without.recording().unwrap()));
        }
        assert_eq!(undo_join(&without), Err(JoinError::NotJoined));
    }
}

#[test]
fn the_uncertainty_covers_a_detail_that_does_not_show_where_the_log_belongs() {
    const PRESENT: u32 = 14;
    let (followed, mut without, log) = recorded(&INJECTED, 0, 0);
    // The log lost half a second between the last two details, and the last one has no record of the thread that presents.
    let Capture::Frames(mut logs) = log else { panic!() };
    let times: Vec<i64> = logs[0].frame_times.values().collect();
    logs[0].elapsed = Some(Nanos::new(times.iter().sum()));
    let lost = 800..830;
    let left = times.iter().enumerate().filter(|(at, _)| !lost.contains(at));
    logs[0].frame_times = left.map(|(_, time)| *time).collect();
    let Subject::Recorded(recording) = &mut without.subject else { panic!() };
    let trace = &mut recording.details[3].trace;
    let mut records = trace.records();
    records.retain(|record| record.thread != Some(PRESENT));
    *trace = Trace::from_records(trace.names().to_vec(), &records);
    let times = saved(&followed, 100);
    let joined = join(&without, &Capture::Frames(logs), &times, &TimeZone::UTC).unwrap();
    let shown: Vec<Option<Nanos>> =
        joined.details.iter().map(|detail| detail.frame_uncertainty).collect();
    let exact = shown.iter().flatten().max().unwrap();
    assert!(shown[..3].iter().all(Option::is_some) && shown[3].is_none(), "{shown:?}");
    let last = |recording: &Recording| recording.frames.iter().last().unwrap().0;
    let off = (last(&joined) - last(&followed)).abs();
    assert!(*exact < off && off <= joined.frame_uncertainty.unwrap(), "{exact} {off}");
    let outcomes: Vec<Outcome> =
        Analysis::of(&joined).events.into_iter().map(|event| event.outcome).collect();
    let [first @ .., last] = outcomes.as_slice() else { panic!() };
    assert!(first.iter().all(|outcome| matches!(outcome, Outcome::Cause(_))), "{first:?}");
    assert_eq!(*last, Outcome::Unexplained(Unexplained::Clocks));
    let words = uncertainty(&joined).unwrap();
    assert!(words.contains("where detail shows it") && words.contains("elsewhere"), "{words}");
}

#[test]
fn a_log_with_damaged_times_neither_overflows_nor_takes_forever() {
    let (followed, without, log) = recorded(&INJECTED, 0, 0);
    let Capture::Frames(logs) = log else { panic!() };
    let join_damaged = |damage: &dyn Fn(&mut capture::Recording)| {
        let mut log = logs[0].clone();
        damage(&mut log);
        let log = Capture::Frames(vec![log]);
        join(&without, &log, &saved(&followed, 100), &TimeZone::UTC)
    };
    // The frame times are sound: the places in detail are found, and what is between them is uncertain by any time.
    for elapsed in [i64::MAX, i64::MIN, -1] {
        let joined = join_damaged(&|log| log.elapsed = Some(Nanos::new(elapsed))).unwrap();
        let exact = joined.details.iter().map(|detail| detail.frame_uncertainty.unwrap());
        assert!(exact.max().unwrap() < Nanos::from_millis(2), "{elapsed}");
        assert!(Nanos::from_secs(10) < joined.frame_uncertainty.unwrap(), "{elapsed}");
    }
    for damaged in [i64::MAX, i64::MIN, i64::MAX / 2, -1] {
        for share in [1, 7, 500] {
            let damage = |column: &Column| -> Column {
                let values = column.values().enumerate();
                values.map(|(at, time)| if at % share == 0 { damaged } else { time }).collect()
            };
            let rows: Column = logs[0].times().map(Nanos::get).collect();
            // Whether some rows can be placed depends on which are damaged.
            let _outcomes = [
                join_damaged(&|log| log.frame_times = damage(&log.frame_times)),
                join_damaged(&|log| log.logged_at = damage(&rows)),
            ];
        }
    }
}
