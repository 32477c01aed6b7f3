//! Tests of saved recordings: imported again after a change, and what the limit of all recordings opens.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::*;
use crate::report::recording::tests::simulated::{Game, Injected, Tier};
use crate::report::recording::{LogTimes, join};
use crate::run::capture::{self, Capture};
use crate::run::recording::{RecordedEvent, RecordedFrames, Recording};
use crate::run::{RunId, Subject};

/// Returns a recording of a PC on which a game ran, with the log that the game saved at the end.
pub(super) fn recorded(id: u32) -> (Run, Capture, LogTimes) {
    let mut game = Game::new(3);
    game.play(120);
    game.frame(Some(Injected::OtherProgram));
    game.play(60);
    let recording = game.recording(Tier::Kernel);
    let log = capture::Recording {
        frame_times: recording.frames.frame_times().clone(),
        ..capture::Recording::default()
    };
    let started_at = Timestamp::from_second(1_700_000_000 + i64::from(id) * 86_400).unwrap();
    let end = started_at + jiff::SignedDuration::from_nanos(recording.length.get());
    let recording = Recording { frames: RecordedFrames::default(), ..recording };
    let run = Run {
        id: RunId::parse(&format!("{id:08x}")).unwrap(),
        started_at,
        subject: Subject::Recorded(Box::new(recording)),
        trials: Vec::new(),
        note: String::new(),
        tags: Vec::new(),
        ..run(id)
    };
    let times = LogTimes { saved: Some(end), ..LogTimes::default() };
    (run, Capture::Frames(vec![log]), times)
}

/// Returns a run as an export has it, with other names for threads.
fn exported(run: &Run) -> Run {
    let mut run = run.clone();
    let Subject::Recorded(recording) = &mut run.subject else { panic!() };
    for row in &mut recording.threads {
        "Program A".clone_into(&mut row.name);
    }
    "Program A".clone_into(&mut recording.label);
    let mut file = Vec::new();
    format::write(&run, &mut file).unwrap();
    format::read(file.as_slice()).unwrap()
}

#[test]
fn an_earlier_export_of_a_changed_recording_is_the_saved_one_or_has_more() {
    let (_folder, store) = store();
    let (run, log, times) = recorded(1);
    let path = store.save(&run).unwrap();
    let full = exported(&run);
    assert_ne!(full.subject, run.subject, "it has other names");
    let import = |run: &Run| {
        let before = fs::read(&path).unwrap();
        let outcome = store.save_new(run, None).unwrap();
        assert_eq!(fs::read(&path).unwrap(), before, "no file is replaced");
        outcome
    };
    let [known, lacks] = [SaveOutcome::Known(path.clone()), SaveOutcome::Lacks(path.clone())];
    assert_eq!(import(&full), known);

    let joined = store.join_log(&path, &log, &times).unwrap();
    assert_eq!(import(&full), known, "without the log, and with the same detail");
    let joined = exported(&joined);
    assert_eq!(import(&joined), known);
    assert_eq!(store.undo_join(&path).unwrap().subject, run.subject);
    assert_eq!(import(&joined), lacks, "with the frames of a log");

    let (deleted, has_detail) = store.delete_detail(&path).unwrap();
    assert!(has_detail);
    assert_eq!(import(&full), lacks, "with the detail that was deleted");
    let deleted = exported(&deleted);
    assert_eq!(import(&deleted), known);
    save_to(&run, &path).unwrap();
    assert_eq!(import(&deleted), known, "the saved one has more");

    let mut other = full;
    let Subject::Recorded(recording) = &mut other.subject else { panic!() };
    let kind = crate::run::recording::EventKind::Mark;
    recording.events.push(RecordedEvent { at: Nanos::ZERO, length: Nanos::ZERO, kind });
    assert_eq!(import(&other), SaveOutcome::Other(path.clone()));
}

#[test]
fn the_limit_of_all_recordings_opens_each_recording_once_and_only_those_with_detail() {
    let (_folder, store) = store();
    for id in 1..=5 {
        let (mut run, ..) = recorded(id);
        if id == 2 {
            run.note = "mine".to_owned();
        }
        store.save(&run).unwrap();
    }
    let lines = store.lines().unwrap();
    let path = &lines.last().unwrap().path;
    assert!(store.delete_detail(path).unwrap().1, "of the oldest one");
    store.lines().unwrap();
    let mut before = load_count();
    let mut opened = || load_count() - std::mem::replace(&mut before, load_count());
    assert_eq!(store.delete_old_detail(1).unwrap().len(), 2, "neither with a note nor the newest");
    assert_eq!(opened(), 2);
    store.lines().unwrap();
    assert_eq!(opened(), 2, "the list has the changed files again");
    assert_eq!(store.delete_old_detail(1).unwrap().len(), 0, "the limit cannot be met");
    assert_eq!(opened(), 0);
}

#[test]
fn a_recovered_recording_is_compared_with_the_one_before() {
    let (folder, store) = store();
    let [before, after] = [1, 2].map(|id| {
        let (run, log, times) = recorded(id);
        let recording = join(&run, &log, &times, &TimeZone::UTC).unwrap();
        Run { subject: Subject::Recorded(Box::new(recording)), ..run }
    });
    store.save(&before).unwrap();
    leave_journal(folder.path(), "after", &journal_lines(&after, 1));
    let recovered = store.recover().unwrap();
    let run = load(recovered[0].saved().unwrap()).unwrap();
    let earlier = run.recording().unwrap().earlier.as_ref().unwrap();
    assert_eq!(earlier.id, before.id.to_string());
}
