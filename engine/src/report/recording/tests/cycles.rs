//! Late cycles and overruns of a followed thread, whose causes are known.

use super::*;
use crate::run::Series;
use crate::run::recording::{EventKind, NoteKind, RecordedEvent, RecordedFrames, name};

/// The thread that wakes every 10 ms, and works for 480 µs.
const TICK: u32 = 11;
const CYCLES: i64 = 60;

/// What another program or the thread itself does in a cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Ordinary,
    /// `make` has the CPU until 3 ms after the due time.
    Late,
    /// The thread works for 12 ms.
    Overrun,
}

const fn made(cycle: i64) -> Made {
    match cycle {
        20 | 40 => Made::Late,
        30 | 50 => Made::Overrun,
        _ => Made::Ordinary,
    }
}

/// A recording of a thread, with the records of all threads or only those of its switches.
fn recorded(source: TraceSource) -> Recording {
    let is_whole = source == TraceSource::Kernel;
    let mut records = Builder::default();
    let (mut events, mut frames) = (Vec::new(), RecordedFrames::default());
    let [mut lengths, mut lateness, mut delays] = [(); 3].map(|()| Series::default());
    let mut delay = 0;
    for cycle in 0..CYCLES {
        let due = cycle * 10_000;
        let made = made(cycle);
        let runs = due + if made == Made::Late { 3_000 } else { 20 };
        let sleeps = runs + if made == Made::Overrun { 12_000 } else { 480 };
        if is_whole {
            if made == Made::Late {
                records.add(due - 1_000, TraceEvent::SwitchIn, 0, Some(99));
            }
            records.named(due - 5, TraceEvent::InterruptBegin, 0, "local timer interrupt", None);
            records.wake(due, 0, TICK, WakeContext::Interrupt);
            records.add(due + 5, TraceEvent::InterruptEnd, 0, None);
            if made == Made::Late {
                records.add(runs, TraceEvent::Preempted, 0, Some(99));
            }
        }
        records.add(runs, TraceEvent::SwitchIn, 0, Some(TICK));
        records.add(sleeps, TraceEvent::Slept, 0, Some(TICK));
        if is_whole {
            records.add(sleeps, TraceEvent::SwitchIn, 0, Some(0));
        }
        lengths.push(micros(due), micros(sleeps - due).get());
        lateness.push(micros(due), micros(runs - due).get());
        frames.push(micros(runs), micros(10_000));
        delay += runs - due;
        delays.push(micros(due + 5_000), micros(delay).get());
        let kind = match made {
            Made::Ordinary => continue,
            Made::Late => EventKind::LateCycle,
            Made::Overrun => EventKind::Overrun,
        };
        events.push(RecordedEvent { at: micros(sleeps), length: micros(sleeps - due), kind });
    }
    let series = [
        (name::CYCLE_LENGTH, lengths),
        (name::CYCLE_LATENESS, lateness),
        (name::RUN_DELAY, delays),
    ];
    let threads = vec![thread(TICK, 10, "tick", "server"), thread(99, 99, "make", "make")];
    let (has_wakeups, tier) = (is_whole, kernel());
    Recording {
        label: "tick".to_owned(),
        follow: Follow::Thread { thread: TICK, period: micros(10_000), is_learned: true },
        process: Some(RecordedProcess { process: 10, started: None, name: "server".to_owned() }),
        frames,
        events,
        series: series.map(|(name, series)| (name.to_owned(), series)).into(),
        tier: RecordedTier { source: Some(source), has_wakeups, ..tier },
        ..recording(records.detail(-1_500, 610_000), threads)
    }
}

#[test]
fn late_cycles_and_overruns_have_their_causes_in_words_of_cycles() {
    let recording = recorded(TraceSource::Kernel);
    let analysis = Analysis::of(&recording);
    for event in &analysis.events {
        let sum = event.path.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.length());
        assert_eq!(sum, event.length, "{event:?}");
    }
    let finding = finding(&recording, &analysis);
    assert_eq!(
        finding.sentence,
        "2 late cycles and 2 overruns of 60 in 10 s: 2 because the program ran longer (tick), 2 because make had the CPU."
    );
    assert!(finding.evidence.contains("thread 11 of server, period 10.00\u{202f}ms, learned"));
    assert!(finding.evidence.contains("cycles on time: tick in none of 56, make in none of 56"));
    let tables = tables(&recording, &analysis);
    let keys: Vec<&str> = tables.iter().map(|table| table.key).collect();
    assert_eq!(keys, ["causes", "cycles", "late_cycles", "paths"]);
    let text = format!("{:?} {tables:?} {:?}", finding, quality(&recording, &analysis));
    for of_games in ["stutter", "game", "Game", "FPS"] {
        assert!(!text.contains(of_games), "{of_games}: {text}");
    }
    assert!(cycle_chart(&recording).is_some());
    assert_eq!(recording.to_capture(), None);
    // The answers remain without their detail.
    let mut deleted = recording.clone();
    assert!(deleted.delete_detail());
    assert_eq!(super::finding(&deleted, &Analysis::of(&deleted)).sentence, finding.sentence);
}

#[test]
fn without_wake_ups_the_wait_for_a_cpu_is_that_which_the_system_counts() {
    let recording = recorded(TraceSource::OwnSwitches);
    let analysis = Analysis::of(&recording);
    assert_eq!(
        finding(&recording, &analysis).sentence,
        "2 late cycles and 2 overruns of 60 in 10 s: 2 because the program ran longer (tick), 2 maybe waiting for a CPU (tick)."
    );
    let path = &analysis.events[0].path;
    let waited = path.iter().find(|segment| segment.class == Class::WaitedForCpu).unwrap();
    // 20 µs of the 3 ms are what each of its cycles waits. Which cycles wait is not recorded.
    assert_eq!((waited.is_inferred, waited.length()), (true, micros(2_980)));
    // Without a count, a late cycle is not explained.
    let mut without = recording;
    without.series.remove(name::RUN_DELAY);
    let analysis = Analysis::of(&without);
    assert_eq!(analysis.unexplained_count(), 2);
}

#[test]
fn what_happened_to_the_thread_and_to_its_period_is_stated() {
    let mut recording = recorded(TraceSource::Kernel);
    recording.notes.push(crate::run::recording::DatedNote {
        at: micros(600_000),
        kind: NoteKind::ThreadEnded,
        text: "tick".to_owned(),
        value: None,
    });
    let facts = quality(&recording, &Analysis::of(&recording));
    assert!(facts.iter().any(|(_, name, value)| *name == "Followed" && value.contains("it ended")));
    let mut none = recording;
    none.follow = Follow::Thread { thread: TICK, period: Nanos::ZERO, is_learned: true };
    (none.frames, none.events) = (RecordedFrames::default(), Vec::new());
    none.series.clear();
    let finding = finding(&none, &Analysis::of(&none));
    assert!(finding.sentence.starts_with("No cycles of tick (thread 11) in 10 s"), "{finding:?}");
    assert!(finding.advice.contains("--period"));
}
