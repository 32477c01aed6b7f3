//! Games that are started again, and the marks of the user.

use super::simulated::{Game, Injected, Tier};
use super::*;
use crate::run::recording::{EventKind, LaterGame, RecordedEvent, Stall};

/// The second game begins this long after the first one.
const LATER: Nanos = Nanos::from_secs(60);

/// Returns a thread or process of the first game as one of the second.
fn renumbered(number: u32) -> u32 {
    if (10..=15).contains(&number) { number + 1_000 } else { number }
}

/// Adds another recording of the same game, started again: all threads of the game have other numbers.
fn add_again(recording: &mut Recording, again: &Recording) {
    for (at, length) in again.frames.iter() {
        recording.frames.push(at + LATER, length);
    }
    for detail in &again.details {
        let records: Vec<TraceRecord> = detail.trace.records().into_iter().collect();
        let records: Vec<TraceRecord> = records
            .into_iter()
            .map(|record| TraceRecord {
                at: record.at + LATER,
                thread: record.thread.map(renumbered),
                ..record
            })
            .collect();
        recording.details.push(Detail {
            begin: detail.begin + LATER,
            end: detail.end + LATER,
            trace: Trace::from_records(detail.trace.names().to_vec(), &records),
            ..Detail::default()
        });
    }
    for row in again.threads.iter().filter(|row| renumbered(row.thread) != row.thread) {
        recording.threads.push(RecordedThread {
            thread: renumbered(row.thread),
            process: row.process.map(renumbered),
            ..row.clone()
        });
    }
    let process = again.process.clone().map(|own| RecordedProcess { process: 1_010, ..own });
    recording.later_games.push(LaterGame { begin: LATER, process });
    recording.length += LATER;
}

fn played(seed: u64, injected: Injected) -> Recording {
    let mut game = Game::new(seed);
    for _ in 0..3 {
        game.play(200);
        game.frame(Some(injected));
    }
    game.play(60);
    game.recording(Tier::Kernel)
}

#[test]
fn a_game_that_is_started_again_is_no_other_program() {
    let mut recording = played(1, Injected::Game);
    add_again(&mut recording, &played(2, Injected::Shaders));
    let classes = |recording: &Recording| -> Vec<(Class, usize)> {
        let analysis = Analysis::of(recording);
        analysis.causes.iter().map(|cause| (cause.blamed.class, cause.events.len())).collect()
    };
    let mut found = classes(&recording);
    found.sort_unstable();
    assert_eq!(found, [(Class::Game, 3), (Class::Shaders, 3)]);
    let presenters = Analysis::of(&recording).presenters;
    let threads: Vec<u32> = presenters.iter().map(|presenter| presenter.thread).collect();
    assert_eq!(threads, [14, 1_014]);
    // A log without a known process: the thread that presents says whose threads are the game's.
    recording.process = None;
    recording.later_games[0].process = None;
    found = classes(&recording);
    found.sort_unstable();
    assert_eq!(found, [(Class::Game, 3), (Class::Shaders, 3)]);
    // As one game, no thread presents the frames of both.
    recording.later_games.clear();
    assert_ne!(classes(&recording).len(), 2);
}

#[test]
fn a_mark_is_answered_by_the_longest_frame_before_it() {
    let mut recording = played(3, Injected::Storage);
    let analysis = Analysis::of(&recording);
    let first = &analysis.events[0];
    let mark = |at: Nanos| RecordedEvent { at, length: Nanos::ZERO, kind: EventKind::Mark };
    let (second, half) = (Nanos::from_secs(1), Nanos::from_millis(500));
    let calm = first.at - first.length - half;
    recording.events = vec![mark(calm), mark(first.at + second), mark(recording.length + LATER)];
    let marks = Analysis::of(&recording).marks;
    let [before, after, none] = marks.as_slice() else { panic!("{marks:?}") };
    let MarkAnswer::NothingAbove(limit) = before.answer else { panic!("{before:?}") };
    let longest = before.longest.unwrap();
    assert!(longest <= limit && limit < first.length, "{before:?}");
    assert!((Nanos::from_millis(38)..Nanos::from_millis(46)).contains(&limit), "{limit:?}");
    assert_eq!((after.answer, after.longest), (MarkAnswer::Event(0), Some(first.length)));
    assert_eq!((none.answer, none.longest), (MarkAnswer::NoFrames, None));
    let tables = super::tables(&recording, &Analysis::of(&recording));
    let table = tables.iter().find(|table| table.key == "marks").unwrap();
    assert_eq!(table.rows.len(), 3);
}

#[test]
fn without_a_game_a_mark_is_answered_by_the_longest_stall() {
    let at = Nanos::from_secs;
    let stall = |due, millis| Stall { canary: 0, due: at(due), late: Nanos::from_millis(millis) };
    let mark = |at: Nanos| RecordedEvent { at, length: Nanos::ZERO, kind: EventKind::Mark };
    let recording = Recording {
        follow: Follow::ThisPc,
        length: at(60),
        stalls: vec![stall(9, 5), stall(10, 30), stall(11, 4)],
        events: vec![mark(at(12)), mark(at(40))],
        ..Recording::default()
    };
    let marks = Analysis::of(&recording).marks;
    assert_eq!(marks[0].answer, MarkAnswer::Event(1));
    assert_eq!(marks[0].longest, Some(Nanos::from_millis(30)));
    assert_eq!(marks[1].answer, MarkAnswer::NothingAbove(Nanos::from_millis(2)));
}

#[test]
fn causes_are_found_where_switches_from_an_idle_cpu_are_not_recorded() {
    for injected in [Injected::Game, Injected::Shaders, Injected::OtherProgram, Injected::Service] {
        let mut recording = played(7, injected);
        let whole = Analysis::of(&recording);
        assert_eq!(whole.added_switch_count, 0);
        let mut removed = 0;
        for detail in &mut recording.details {
            let mut idle = std::collections::BTreeSet::new();
            let mut records = detail.trace.records();
            records.retain(|record| {
                let is_into = record.event == TraceEvent::SwitchIn;
                let is_from_idle = if is_into && record.thread == Some(0) {
                    idle.insert(record.cpu);
                    false
                } else {
                    is_into && idle.remove(&record.cpu)
                };
                // As on a kernel that records all of CPU 0.
                let is_missing = is_from_idle && record.cpu != 0;
                removed += usize::from(is_missing);
                !is_missing
            });
            detail.trace = Trace::from_records(detail.trace.names().to_vec(), &records);
        }
        let found = Analysis::of(&recording);
        assert!(100 < removed && removed.abs_diff(found.added_switch_count) <= 4, "{removed}");
        let causes = |analysis: &Analysis| -> Vec<(Blamed, usize)> {
            let causes = analysis.causes.iter();
            causes.map(|cause| (cause.blamed.clone(), cause.events.len())).collect()
        };
        assert_eq!(causes(&found), causes(&whole), "{injected:?}");
        for event in &found.events {
            let sum = event.path.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.length());
            assert_eq!(sum, event.length);
        }
    }
}
