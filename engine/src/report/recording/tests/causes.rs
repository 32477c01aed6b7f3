//! The causes of stutters in recordings of a made game, and in a real recording.

use super::simulated::{Game, Injected, Tier};
use super::*;
use crate::nanos::Nanos;
use crate::run::recording::{
    Canary, DatedNote, Detail, EventKind, Follow, NoteKind, RecordedEvent, RecordedFrames,
    RecordedOwner, RecordedThread, Recording, Stall, WakeContext,
};
use crate::run::{Run, Subject, Trace};
use crate::sample::{TraceEvent, TraceRecord};

/// Returns the causes that a recording of a made game states: class, name, and number of stutters of each.
fn causes(recording: &Recording) -> Vec<(Class, Option<String>, usize, bool)> {
    let analysis = Analysis::of(recording);
    for event in &analysis.events {
        let sum = event.path.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.length());
        if !event.path.is_empty() {
            assert_eq!(sum, event.length, "the segments of the frame at {:?}", event.at);
        }
    }
    let row = |cause: &CauseOfEvents| {
        let name = cause.blamed.name.as_deref().map(str::to_owned);
        (cause.blamed.class, name, cause.events.len(), cause.is_sure)
    };
    analysis.causes.iter().map(row).collect()
}

#[test]
fn each_injected_cause_is_found_where_the_tier_records_it() {
    for (seed, injected) in (1..).zip(Injected::ALL) {
        let mut game = Game::new(seed);
        for _ in 0..5 {
            game.play(200);
            game.frame(Some(injected));
        }
        game.play(60);
        let recording = game.recording(Tier::Kernel);
        let (class, name) = injected.cause();
        let expected = vec![(class, name.map(str::to_owned), 5, true)];
        assert_eq!(causes(&recording), expected, "{injected:?}");
    }
}

#[test]
fn of_own_switches_only_what_they_show_is_stated() {
    for (seed, injected) in (1..).zip(Injected::ALL) {
        let mut game = Game::new(seed);
        for _ in 0..5 {
            game.play(200);
            game.frame(Some(injected));
        }
        game.play(60);
        let recording = game.recording(Tier::OwnSwitches);
        let found = causes(&recording);
        let names: Vec<&str> = found.iter().filter_map(|(_, name, ..)| name.as_deref()).collect();
        for hidden in ["baloo_file", "wineserver", "nvme0n1", "cc1plus"] {
            assert!(!names.contains(&hidden), "{injected:?}: {names:?}");
        }
        let classes: Vec<Class> = found.iter().map(|(class, ..)| *class).collect();
        match injected {
            Injected::OtherProgram | Injected::Burst | Injected::Throttled | Injected::Own => {
                assert_eq!(classes, [Class::WaitedForCpu], "{injected:?}");
            }
            // An interrupt, a halt of all CPUs, and reclaim look like a thread that runs.
            Injected::Game | Injected::Softirq | Injected::AllStalled | Injected::Reclaim => {
                assert_eq!(classes, [Class::Game], "{injected:?}");
            }
            Injected::Shaders => assert_eq!(classes, [Class::Shaders], "{injected:?}"),
            Injected::Overlay => assert_eq!(classes, [Class::Overlay], "{injected:?}"),
            _ => assert_eq!(classes, [], "{injected:?}"),
        }
    }
}

#[test]
fn a_game_without_stutters_has_none() {
    let mut game = Game::new(3);
    game.play(600);
    let recording = game.recording(Tier::Kernel);
    let analysis = Analysis::of(&recording);
    assert_eq!((analysis.events.len(), analysis.causes.len()), (0, 0));
    let finding = finding(&recording, &analysis);
    assert_eq!(finding.sentence, "No stutter in 10 s.");
}

#[test]
fn the_presenting_thread_is_found_by_the_rows() {
    let mut game = Game::new(4);
    game.play(100);
    game.frame(Some(Injected::Game));
    game.play(60);
    let recording = game.recording(Tier::Kernel);
    let presenter = Analysis::of(&recording).presenters.remove(0);
    assert_eq!((presenter.thread, presenter.name.as_str()), (14, "dxvk-submit"));
    assert!(0.9 < presenter.excess, "{}", presenter.excess);
}

#[test]
fn a_culprit_that_ordinary_frames_have_as_well_is_a_maybe() {
    let mut game = Game::new(5);
    for frame in 0..300 {
        if frame % 5 == 0 { game.frame(Some(Injected::Halfway)) } else { game.play(1) }
    }
    game.frame(Some(Injected::OtherProgram));
    game.play(40);
    let recording = game.recording(Tier::Kernel);
    let sure = causes(&recording);
    assert_eq!(sure, [(Class::OtherProgram, Some("baloo_file".to_owned()), 1, true)]);
    let mut game = Game::new(5);
    game.play(300);
    game.frame(Some(Injected::HalfUnknown));
    game.play(40);
    assert_eq!(
        causes(&game.recording(Tier::Kernel)),
        [(Class::OtherProgram, Some("baloo_file".to_owned()), 1, true)]
    );
    let mut game = Game::new(5);
    for frame in 0..300 {
        if frame % 5 == 0 { game.frame(Some(Injected::Halfway)) } else { game.play(1) }
    }
    game.frame(Some(Injected::HalfUnknown));
    game.play(40);
    assert_eq!(
        causes(&game.recording(Tier::Kernel)),
        [(Class::OtherProgram, Some("baloo_file".to_owned()), 1, false)],
        "one ordinary frame in five has the same culprit for as long"
    );
}

#[test]
fn no_cause_is_stated_where_the_clocks_are_uncertain_or_detail_is_missing() {
    let mut game = Game::new(6);
    game.play(100);
    game.frame(Some(Injected::Storage));
    game.play(60);
    let mut recording = game.recording(Tier::Kernel);
    let outcome = |recording: &Recording| Analysis::of(recording).events[0].outcome.clone();
    recording.frame_uncertainty = Some(Nanos::from_millis(9));
    assert_eq!(outcome(&recording), Outcome::Unexplained(Unexplained::Clocks));
    recording.frame_uncertainty = Some(Nanos::from_micros(90));
    assert!(matches!(outcome(&recording), Outcome::Cause(_)));
    recording.details.clear();
    assert_eq!(outcome(&recording), Outcome::Unexplained(Unexplained::NoDetail));
}

#[test]
fn rows_that_are_late_by_less_than_the_clocks_are_known_are_placed_where_the_thread_presents() {
    let mut game = Game::new(8);
    game.play(200);
    game.frame(Some(Injected::Shaders));
    game.play(60);
    let mut recording = game.recording(Tier::Kernel);
    let at_rows = Analysis::of(&recording).presenters.remove(0);
    let late = Nanos::from_micros(300);
    let rows: Vec<(Nanos, Nanos)> = recording.frames.iter().collect();
    recording.frames = RecordedFrames::default();
    for (at, length) in rows {
        recording.frames.push(at + late, length);
    }
    recording.frame_uncertainty = Some(Nanos::from_micros(200));
    let analysis = Analysis::of(&recording);
    let presenter = &analysis.presenters[0];
    assert_eq!(presenter.name, at_rows.name);
    assert!((at_rows.excess - presenter.excess).abs() < 0.1, "{at_rows:?} {presenter:?}");
    assert!(Nanos::from_micros(100) <= presenter.early, "{presenter:?}");
    let event = &analysis.events[0];
    assert!(matches!(&event.outcome, Outcome::Cause(blamed) if blamed.class == Class::Shaders));
    let sum = event.path.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.length());
    assert_eq!(sum, event.length);
}

#[test]
fn the_verdict_and_the_rows_add_up() {
    let mut game = Game::new(7);
    let plan = [
        (9, Injected::Shaders),
        (3, Injected::OtherProgram),
        (1, Injected::Storage),
        (1, Injected::Service),
        (1, Injected::Unknown),
    ];
    for (count, injected) in plan {
        for _ in 0..count {
            game.play(150);
            game.frame(Some(injected));
        }
    }
    game.play(60);
    let run = Run::planned(Subject::Recorded(Box::new(game.recording(Tier::Kernel))), &[]);
    let report = crate::report::Report::of(&run, &crate::report::Options::default());
    assert_eq!(
        report.sentence(),
        "15 stutters in 39 s: 9 while shaders were compiled (dxvk-shader), 3 because baloo_file had \
         the CPU, 1 maybe waiting for wineserver, 1 for other reasons, 1 not explained."
    );
    let causes = &report.tables[0];
    let counts = (0..causes.rows.len()).filter_map(|row| causes.cell(row, "events_count")?.value());
    assert!((counts.sum::<f64>() - 15.0).abs() < 1e-9, "{causes:?}");
    assert_eq!(report.tables[1].rows.len(), 15);
    assert!(report.evidence().contains("Let the game finish compiling"), "{}", report.evidence());
}

#[test]
fn stalls_of_a_canary_are_explained_without_a_game() {
    let mut made = Builder::default();
    let canary = 70;
    made.add(-100, TraceEvent::SwitchIn, 0, Some(0));
    for wake in 0..200 {
        let due = 5_000 * wake;
        made.named(due - 5, TraceEvent::InterruptBegin, 0, "local timer interrupt", None);
        made.wake(due, 0, canary, WakeContext::Interrupt);
        made.add(due + 1, TraceEvent::InterruptEnd, 0, None);
        let is_stall = wake == 100;
        let runs = if is_stall { due + 4_000 } else { due + 20 };
        if is_stall {
            made.add(due - 1_000, TraceEvent::SwitchIn, 0, Some(99));
            made.add(runs, TraceEvent::Slept, 0, Some(99));
        }
        made.add(runs, TraceEvent::SwitchIn, 0, Some(canary));
        made.add(runs + 10, TraceEvent::Slept, 0, Some(canary));
        made.add(runs + 10, TraceEvent::SwitchIn, 0, Some(0));
    }
    let threads = vec![
        RecordedThread {
            owner: Some(RecordedOwner::Own),
            ..thread(canary, 7, "canary", "jitterscope")
        },
        thread(99, 99, "backup.exe", "backup.exe"),
    ];
    let stall = Stall { canary: 0, due: micros(500_000), late: micros(4_000) };
    let recording = Recording {
        follow: Follow::ThisPc,
        process: None,
        canaries: vec![Canary { cpu: Some(0), thread: canary, ..Canary::default() }],
        stalls: vec![stall],
        events: vec![RecordedEvent {
            at: micros(504_000),
            length: micros(4_000),
            kind: EventKind::Stall,
        }],
        ..recording(made.detail(-100, 1_000_000), threads)
    };
    let analysis = Analysis::of(&recording);
    assert_eq!(
        finding(&recording, &analysis).sentence,
        "1 stall above 2.000\u{202f}ms in 10 s: 1 because backup.exe had the CPU."
    );
    assert_eq!(analysis.causes[0].ordinary, (0, 199));
}

#[test]
fn a_sleep_is_blamed_on_split_locks_only_where_the_kernel_names_the_program() {
    let mut game = Game::new(8);
    game.play(120);
    game.frame(Some(Injected::Timer));
    game.play(60);
    let mut recording = game.recording(Tier::Kernel);
    assert_eq!(causes(&recording)[0].0, Class::Timer);
    let note = |text: &str| DatedNote {
        at: Nanos::ZERO,
        kind: NoteKind::SplitLock,
        text: text.to_owned(),
        value: None,
    };
    recording.notes = vec![note("other.exe")];
    assert_eq!(causes(&recording)[0].0, Class::Timer);
    recording.notes = vec![note("game.exe")];
    assert_eq!(causes(&recording)[0].0, Class::SplitLock);
}

#[test]
fn details_that_follow_each_other_are_one() {
    let mut game = Game::new(10);
    game.play(100);
    game.frame(Some(Injected::Storage));
    game.play(60);
    let mut recording = game.recording(Tier::Kernel);
    let whole = Analysis::of(&recording);
    let (stutter, detail) = (&whole.events[0], recording.details[0].clone());
    let middle = stutter.at - Nanos::from_millis(20);
    let records = detail.trace.records();
    let (first, second): (Vec<TraceRecord>, Vec<TraceRecord>) =
        records.into_iter().partition(|record| record.at <= middle);
    let mut state = super::simulated::begin(&first, middle.get() / 1_000);
    for record in &mut state {
        record.at = middle;
    }
    state.extend(second);
    let names = || detail.trace.names().to_vec();
    let part = |begin, end, records: &[TraceRecord]| Detail {
        begin,
        end,
        trace: Trace::from_records(names(), records),
        ..Detail::default()
    };
    recording.details = vec![part(detail.begin, middle, &first), part(middle, detail.end, &state)];
    assert_eq!(Analysis::of(&recording), whole);
}
