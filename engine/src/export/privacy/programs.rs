//! Replaces names of other programs in traces by letters.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::recording::{Analysis, Class, known_thread};
use crate::report::{Delays, program_of};
use crate::run::recording::{EarlierRecording, NoteKind, RecordedThread, Recording, SavedAnswers};
use crate::run::{Run, Trace, TrialRun, counter};
use crate::sample::{OUTSIDE_NAME, TraceEvent};

/// Replaces names of other programs by letters, consistently within a run. All threads of a program have its letter: it
/// remains one source of delay, with the same verdict. Some names are not replaced: of programs that the verdict or its
/// advice names, of interrupts, and of threads of the kernel and of this program, which their IDs identify. `full` is the
/// original run.
pub(super) fn hide(run: &mut Run, full: &Run, delays: &Delays) {
    let mut letters: BTreeMap<String, String> = BTreeMap::new();
    for (trial, full) in run.trials.iter_mut().zip(&full.trials) {
        let known = full.trace.as_ref().map(|trace| known_names(trace, full)).unwrap_or_default();
        let names = full.trace.as_ref().map_or(&[][..], Trace::names);
        let shown = trial.trace.as_mut().map_or(&mut [][..], Trace::names_mut);
        for ((shown, name), at) in shown.iter_mut().zip(names).zip(0..) {
            if !known.contains(&at) && !delays.names(name) {
                let next = letters.len();
                let own = program_of(name).to_owned();
                shown.clone_from(letters.entry(own).or_insert_with(|| program(next)));
                if name.ends_with(OUTSIDE_NAME) {
                    shown.push_str(OUTSIDE_NAME);
                }
            }
        }
    }
}

/// Replaces names of other programs in a recording by letters. Not replaced: names in the verdict, threads of the game, of
/// the kernel, and of this program, and threads that games and drivers have in common.
pub(super) fn hide_recorded(recording: &mut Recording, analysis: &Analysis) {
    let process = recording.process.as_ref().map(|process| process.process);
    let is_shown = |name: &str| analysis.names(name) || known_thread(name).is_some();
    let is_of_game = |row: &RecordedThread| process.is_some() && row.process == process;
    let is_known = |row: &RecordedThread| row.owner.is_some() || is_of_game(row);
    let known: BTreeSet<u32> =
        recording.threads.iter().filter(|row| is_known(row)).map(|row| row.thread).collect();
    let mut letters: BTreeMap<String, String> = BTreeMap::new();
    let mut hide = |name: &mut String| {
        if !name.is_empty() && !is_shown(name) {
            let next = letters.len();
            let letter = letters.entry(name.clone()).or_insert_with(|| program(next));
            name.clone_from(letter);
        }
    };
    for row in recording.threads.iter_mut().filter(|row| !is_known(row)) {
        hide(&mut row.process_name);
        hide(&mut row.name);
    }
    for note in &mut recording.notes {
        if matches!(note.kind, NoteKind::BusyProgram | NoteKind::SplitLock) {
            hide(&mut note.text);
        }
    }
    // Of answers without their detail, these classes have the names of other programs.
    let others = [Class::OtherProgram, Class::Service].map(|class| class.row().key);
    let blamed = recording.answers.iter_mut().flat_map(SavedAnswers::blamed_mut);
    let earlier = recording.earlier.iter_mut().flat_map(EarlierRecording::blamed_mut);
    for blamed in blamed.chain(earlier).filter(|blamed| others.contains(&blamed.class.as_str())) {
        blamed.name.iter_mut().for_each(&mut hide);
    }
    for detail in &mut recording.details {
        let records = detail.trace.records().into_iter();
        let hidden = records.filter(|record| record.thread.is_some_and(|it| !known.contains(&it)));
        let hidden: BTreeSet<u32> = hidden.filter_map(|record| record.name).collect();
        for (name, position) in detail.trace.names_mut().iter_mut().zip(0..) {
            if hidden.contains(&position) {
                hide(name);
            }
        }
    }
}

/// Returns the positions of names in the trace that only interrupts, kernel threads, and threads of
/// this program have: these names need not be hidden.
fn known_names(trace: &Trace, trial: &TrialRun) -> BTreeSet<u32> {
    let own = trial.counters.get(counter::TRACE_THREAD).and_then(|own| u32::try_from(*own).ok());
    let owners = trace.owners();
    let mut known: BTreeMap<u32, bool> = BTreeMap::new();
    for record in trace.records() {
        let Some(name) = record.name else { continue };
        let is_known = match record.event {
            TraceEvent::InterruptBegin
            | TraceEvent::SoftirqBegin
            | TraceEvent::Interrupted
            | TraceEvent::NotRecorded
            | TraceEvent::Counted
            | TraceEvent::Received
            | TraceEvent::ReportedLost => record.thread.is_none(),
            TraceEvent::SwitchIn => record
                .thread
                .is_some_and(|thread| Some(thread) == own || owners.contains_key(&thread)),
            _ => false,
        };
        *known.entry(name).or_insert(true) &= is_known;
    }
    known.into_iter().filter_map(|(name, is_known)| is_known.then_some(name)).collect()
}

/// Returns the replacement for the name of a program by its number: "Program A", "Program B",
/// "Program AA".
pub(in crate::export) fn program(number: usize) -> String {
    let mut letters = String::new();
    let mut rest = number + 1;
    while 0 < rest {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or(0);
        letters.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    format!("Program {letters}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::Format;
    use crate::nanos::Nanos;
    use crate::plan::{FrameLoop, Plan};
    use crate::platform::TraceSource;
    use crate::report::Report;
    use crate::report::recording::tests::simulated::{Game, Injected, Tier};
    use crate::report::tests::test_run::run_of;
    use crate::run::Subject;
    use crate::run::recording::{DatedNote, SavedBlame, SavedGrowth};
    use crate::sample::{Sample, TraceRecord};

    /// Returns a frame loop of 3 000 frames, of which each 20th is 12 ms late: `other` has the CPU for a third of these, and
    /// four threads of `cargo` share the rest.
    fn disturbed_run() -> Run {
        let names = ["other", "cargo (a)", "cargo (b)", "cargo (c)", "cargo (d)"];
        run_of(Plan::FrameLoop(FrameLoop::default()), |trial| {
            let period = trial.trial.pace.period();
            let record = |at, event, thread: u32, name| TraceRecord {
                thread: Some(thread),
                name,
                ..TraceRecord::new(at, event, 1)
            };
            let covered = TraceRecord::new(Nanos::ZERO, TraceEvent::Covered, 1);
            let mut records = vec![covered, record(Nanos::ZERO, TraceEvent::SwitchIn, 7, None)];
            let samples = (1..=3_000_u32).map(|number| {
                let due = period * i64::from(number);
                let began = due - Nanos::from_millis(2);
                let mut woke = due + Nanos::from_micros(20);
                if number.is_multiple_of(20) {
                    woke = due + Nanos::from_millis(12);
                    let name = match number / 20 % 6 {
                        name @ 1..=4 => name,
                        _ => 0,
                    };
                    records.extend([
                        record(began, TraceEvent::Slept, 7, None),
                        record(began, TraceEvent::SwitchIn, 40 + name, Some(name)),
                        record(due, TraceEvent::Waking, 7, None),
                        record(woke, TraceEvent::SwitchIn, 7, None),
                    ]);
                }
                Sample { began, due, woke, done: woke, cpu: Some(1), ..Sample::default() }
            });
            trial.samples = samples.collect();
            let names = names.map(str::to_owned).to_vec();
            trial.trace = Some(Trace::from_records(names, &records));
            for (name, value) in [
                (counter::TRACE_SOURCE, TraceSource::Kernel.number()),
                (counter::TRACE_THREAD, 7),
                (counter::FOREIGN_CPU_NANOS, 900_000_000),
                (counter::FOREIGN_WINDOW_NANOS, 1_000_000_000),
            ] {
                trial.counters.insert(name.to_owned(), value);
            }
        })
    }

    #[test]
    fn the_verdict_of_an_export_is_that_of_its_run() {
        let run = disturbed_run();
        let report = Report::of(&run, &crate::report::Options::default());
        let sentence = report.sentence();
        assert!(sentence.starts_with("Poor while cargo and other run: they delayed"), "{sentence}");
        let clean = crate::export::cleaned(&run, &report, &crate::export::Options::default());
        let exported =
            Report::of(clean.as_ref().unwrap_or(&run), &crate::report::Options::default());
        assert_eq!((exported.verdict.grade, exported.sentence()), (report.verdict.grade, sentence));
        // Threads of programs that the verdict does not name have one letter for each program.
        let mut hidden = run.clone();
        hide(&mut hidden, &run, &Delays::default());
        let names = hidden.trials[0].trace.as_ref().unwrap().names();
        let [other, cargo] = ["Program A", "Program B"];
        assert_eq!(names, [other, cargo, cargo, cargo, cargo]);
        let hidden = Report::of(&hidden, &crate::report::Options::default());
        assert_eq!(hidden.verdict.grade, report.verdict.grade);
    }

    #[test]
    fn a_recording_names_only_what_its_verdict_names() {
        let mut game = Game::new(9);
        game.play(100);
        game.frame(Some(Injected::OtherProgram));
        game.play(60);
        let mut recording = game.recording(Tier::Kernel);
        recording.notes.push(DatedNote {
            at: Nanos::ZERO,
            kind: NoteKind::BusyProgram,
            text: "wineserver".to_owned(),
            value: Some(300),
        });
        let mut without_detail = recording.clone();
        without_detail.delete_detail();
        let answers = without_detail.answers.as_mut().unwrap();
        let name = Some("wineserver".to_owned());
        let blamed = SavedBlame { class: Class::Service.row().key.to_owned(), name };
        answers.events[0].growths.push(SavedGrowth { blamed, ..SavedGrowth::default() });
        for recording in [recording, without_detail] {
            check_names(&Run::planned(Subject::Recorded(Box::new(recording)), &[]));
        }
    }

    #[track_caller]
    fn check_names(run: &Run) {
        let report = Report::of(run, &crate::report::Options::default());
        let mut options = crate::export::Options {
            leave_out: crate::export::Identity::default(),
            included_names: crate::export::IncludedNames::NOTHING,
            ..crate::export::Options::default()
        };
        let texts = |options: &crate::export::Options| {
            [Format::Json, Format::Html, Format::Markdown].map(|format| {
                let mut file = Vec::new();
                crate::export::write(format, run, &report, options, &mut file).unwrap();
                String::from_utf8(file).unwrap()
            })
        };
        for text in texts(&options) {
            assert!(text.contains("baloo"), "the verdict names it");
            assert!(!text.contains("wineserver"), "it is not in the verdict");
        }
        options.included_names.programs = true;
        let [json, ..] = texts(&options);
        assert!(json.contains("wineserver"));
        let ticket = crate::export::ticket(run, &report, &options);
        assert!(ticket.lines().count() <= 15 + 4, "{ticket}");
        assert!(ticket.contains("1 stutter in 3 s: 1 because baloo"), "{ticket}");
    }

    #[test]
    fn programs_are_lettered_in_order() {
        let names = [0, 1, 25, 26, 27, 701, 702].map(program);
        let letters = names.map(|name| name.replace("Program ", ""));
        assert_eq!(letters, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
