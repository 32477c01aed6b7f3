//! Logs that are joined with a recording of a made game afterward.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::super::join::{JoinError, LogTimes, join};
use super::simulated::{Game, Injected, Tier};
use super::*;
use crate::run::capture::{self, Capture};
use crate::run::recording::{DatedNote, EventKind, NoteKind, RecordedFrames};
use crate::run::{Run, Subject};

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
