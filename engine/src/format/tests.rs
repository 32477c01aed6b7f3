//! A run that is written is read back unchanged; damaged, foreign, and newer files are rejected with a reason.

mod schema;

use proptest::prelude::*;

use super::*;
use crate::machine::{ClockFacts, Machine};
use crate::measure::Event;
use crate::nanos::Nanos;
use crate::plan::{FrameLoop, Plan, Probe as _};
use crate::platform::{
    Applied, Cpu, Effective, Policy, Power, PowerSource, Refusal, RequestOutcome,
};
use crate::run::{
    Annotation, Counters, CpuLimits, Ending, Group, Health, RunId, Series, TailPoint, Trace,
    TrialRun,
};
use crate::sample::{Evidence, MISSING, Sample, WaitReasons};

fn annotation() -> Annotation {
    let (from, to) = (Nanos::from_millis(100), Nanos::from_millis(250));
    Annotation { trial: 0, from, to, text: "a pause".to_owned() }
}

/// Returns a run that has values in nearly all fields.
fn run() -> Run {
    let plan = FrameLoop::default();
    let stage = plan.stages(&crate::plan::CpuFacts::default()).remove(0);
    let sample = |k: i64| Sample {
        began: Nanos::new(k * 100),
        due: Nanos::new(k * 100 + 90),
        slept: (k % 2 == 0).then_some(Nanos::new(k * 100 + 80)),
        woke: Nanos::new(k * 100 + 91),
        done: Nanos::new(k * 100 + 95),
        spins: 7,
        cpu: (k % 3 == 0).then_some(1),
    };
    let applied = Applied {
        priority: RequestOutcome::Partly,
        pin: RequestOutcome::Granted,
        effective: Effective { policy: Policy::Nice(-10), cpus: vec![0, 1], ran_on: Some(1) },
        mechanism: "setpriority".to_owned(),
        selected_cpu: None,
        refusals: vec![Refusal {
            requested: "RR 10".to_owned(),
            call: "sched_setscheduler".to_owned(),
            errno: Some(1),
            error_name: "EPERM".to_owned(),
            reason: "no permission".to_owned(),
            remedy: "grant it".to_owned(),
        }],
        timer_slack: Some(Nanos::new(50_000)),
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: "clock_nanosleep, absolute".to_owned(),
        demoted: false,
        policy_at_end: Some(Policy::Nice(0)),
    };
    let mut trial = TrialRun::new(0, stage.trials[0].clone(), stage.load);
    trial.applied = Some(applied);
    trial.samples = (0..20).map(sample).collect();
    trial.evidence = vec![evidence()];
    trial.counters.insert("wall_nanos".to_owned(), 1_234);
    trial.lost_count = 2;
    let mut load = Series::default();
    for (at, value) in [(0, 120), (1_000_000_000, 80)] {
        load.push(Nanos::new(at), value);
    }
    trial.series.insert("other_load_permille".to_owned(), load);
    let columns = [("at_nanos", [191, 192]), ("name", [0, MISSING])]
        .map(|(key, column)| (key.to_owned(), column.into_iter().collect()));
    trial.trace = Trace::from_columns(vec!["kworker/0:1".to_owned()], columns.into());
    trial.tail_curve = vec![TailPoint {
        tail: Nanos::new(100_000),
        p99: Nanos::new(9),
        p99_interval: Some((Nanos::new(7), Nanos::new(11))),
        wait_count: 150,
        cpu: Some(Nanos::new(13)),
        wall: Nanos::new(17),
    }];
    Run {
        id: RunId::parse("0a1b2c3d").unwrap(),
        app_version: "0.1.0".to_owned(),
        method_version: 1,
        started_at: "2026-11-21T05:00:00Z".parse().unwrap(),
        wall_clock: None,
        ending: Ending::Failed("a reason".to_owned()),
        name: "a name".to_owned(),
        note: "a note\nof two lines".to_owned(),
        tags: vec!["tag".to_owned()],
        annotations: vec![annotation()],
        group: Some(Group {
            id: RunId::parse("00c0ffee").unwrap(),
            part: "sleep".to_owned(),
            skipped: vec!["gaps".to_owned()],
        }),
        subject: Plan::FrameLoop(plan).into(),
        host: None,
        machine: Machine {
            cpus: vec![Cpu { logical: 0, core: Some(0), ..Cpu::default() }],
            power: Power {
                source: Some(PowerSource::Battery { percent: Some(18) }),
                governor_or_plan: None,
            },
            scheduler: vec![("sched_rt_runtime_us".to_owned(), "950000".to_owned())],
            ..Machine::default()
        },
        clock: ClockFacts::default(),
        health: Health {
            window_hidden: Some(Nanos::new(5)),
            limits: CpuLimits {
                quota_percent: Some(50),
                quota_began: Some(Nanos::new(6)),
                throttled: Some(Nanos::new(7)),
                cpus_changed: Some(Nanos::new(8)),
            },
            ..Health::default()
        },
        trials: vec![trial],
    }
}

fn evidence() -> Evidence {
    Evidence {
        index: 3,
        involuntary_switches: Some(2),
        work_started: Some(Nanos::new(393)),
        switches: Some(3),
        wait_reasons: Some(WaitReasons::from_bits(1 << 32 | 1 << 4)),
        interrupt_time: Some(Nanos::new(200)),
        ..Evidence::default()
    }
}

fn text() -> Vec<u8> {
    let mut text = Vec::new();
    write(&run(), &mut text).unwrap();
    text
}

#[test]
fn what_is_written_is_read_back() {
    assert_eq!(read(&text()).unwrap(), run());
}

#[test]
fn fractions_are_read_back_to_the_last_bit() {
    // A mean clock read cost, whose last bit serde_json loses without its feature `float_roundtrip`.
    let clock = ClockFacts { read_cost_nanos: 1_420.542_054_205_420_3, ..run().clock };
    let run = Run { clock, ..run() };
    let mut text = Vec::new();
    write(&run, &mut text).unwrap();
    assert_eq!(read(&text).unwrap(), run);
}

/// Returns the JSON text of a value over many lines, with the members of every object in reverse order.
fn reformatted(value: &serde_json::Value) -> String {
    use serde_json::Value;
    let join = |parts: Vec<String>| parts.join("\n\t ,\r\n ");
    match value {
        Value::Array(all) => format!("[ {} ]", join(all.iter().map(reformatted).collect())),
        Value::Object(all) => {
            let member = |(key, value)| format!("{key:?}\n:  {}", reformatted(value));
            format!("{{\n{}\n}}", join(all.iter().rev().map(member).collect()))
        }
        other => other.to_string(),
    }
}

#[test]
fn runs_in_any_layout_are_read() {
    let value: serde_json::Value = serde_json::from_slice(&text()).unwrap();
    assert_eq!(read(reformatted(&value).as_bytes()).unwrap(), run());
    let (events, whole) = events();
    let mut found = None;
    for event in &events {
        let value: serde_json::Value = serde_json::from_slice(&line(event)).unwrap();
        read_entry(reformatted(&value).as_bytes(), &mut found).unwrap();
    }
    assert_eq!(found, Some(whole));
}

#[test]
fn damage_is_reported_with_its_place() {
    let value: serde_json::Value = serde_json::from_slice(&text()).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let at = |text: &str| {
        let error = read(text.as_bytes()).unwrap_err();
        let FormatError::Damaged { source, line, column } = error else { panic!("{error}") };
        (source.to_string(), line, column)
    };
    let lines: Vec<&str> = pretty.lines().collect();
    let id = lines.iter().position(|line| line.contains("\"id\": \"0a1b2c3d\"")).unwrap();
    let wrong = pretty.replace("\"id\": \"0a1b2c3d\"", "\"id\": 7");
    assert_eq!(at(&wrong), ("a value is not valid".to_owned(), id + 1, 9));
    let cut = lines[..4].join("\n");
    assert_eq!(at(&cut), ("the end of the file is missing".to_owned(), 4, lines[3].len()));
    let (what, line, _) = at(&pretty.replace("\"ending\"", "\"endings\""));
    assert_eq!((what.as_str(), line), ("'ending' is missing", lines.len()));
}

/// Runs as the first release wrote them, except that the line break at the end of each file is missing.
const EXAMPLES: [&str; 3] = [
    include_str!("../../../assets/examples/frame-loop-fifo.jitterscope.json"),
    include_str!("../../../assets/examples/quick-gaps.jitterscope.json"),
    include_str!("../../../assets/examples/quick-sleep.jitterscope.json"),
];

#[test]
fn examples_are_written_byte_for_byte() {
    for text in EXAMPLES {
        let mut written = Vec::new();
        write(&read(text.as_bytes()).unwrap(), &mut written).unwrap();
        let first_change = text.bytes().zip(&written).position(|(one, other)| one != *other);
        assert_eq!(first_change, None, "{}", &text[..first_change.unwrap_or_default()]);
        assert_eq!(written.len(), text.len() + 1);
    }
}

#[test]
fn keys_carry_units_and_missing_values_are_null() {
    let json: serde_json::Value = serde_json::from_slice(&text()).unwrap();
    assert_eq!(json["format"], "jitterscope-run");
    assert_eq!(json["format_version"], 1);
    assert_eq!(json["plan"]["test"], "frame-loop");
    assert_eq!(json["plan"]["time_each_nanos"], 30_000_000_000_i64);
    assert_eq!(json["machine"]["kernel"], serde_json::Value::Null);
    let trial = &json["trials"][0];
    assert_eq!(trial["requested"], "Normal");
    assert_eq!(trial["granted"]["refusals"][0]["errno"], 1);
    assert_eq!(trial["samples"]["slept_nanos"][1], serde_json::Value::Null);
    assert_eq!(trial["samples"]["woke_nanos"][1], 191);
    assert_eq!(trial["evidence"]["index"][0], 3);
}

#[test]
fn a_newer_a_foreign_and_an_uneven_file_are_refused_in_words() {
    let swap = |from: &str, to: &str| {
        let text = String::from_utf8(text()).unwrap();
        assert!(text.contains(from), "{from}");
        read(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(
        swap("\"format_version\":1", "\"format_version\":4"),
        "made by a newer version (format 4, this version reads up to 1); update Jitterscope to open it"
    );
    assert_eq!(
        swap("\"jitterscope-run\"", "\"something-else\""),
        "not a Jitterscope run: its format is 'something-else'"
    );
    let uneven = swap("\"spins\":[7,", "\"spins\":[");
    let expected =
        "not a Jitterscope run, or damaged: the lengths of its columns of samples differ";
    assert!(uneven.starts_with(&format!("{expected} (line 1, column ")), "{uneven}");
    assert_eq!(read(b"{}").unwrap_err().to_string(), "not a Jitterscope run: its format is ''");
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let text = text();
    for percent in 0..100 {
        assert!(read(&text[..text.len() * percent / 100]).is_err(), "{percent} %");
    }
    let deep = "[".repeat(100_000);
    assert!(read(deep.as_bytes()).is_err());
    assert!(read(&vec![0; 1 << 20]).is_err());
}

/// Returns nearly every kind of event for two trials (the second is skipped), and the run that results from them.
fn events() -> (Vec<Event>, Run) {
    let mut whole = run();
    let mut second = TrialRun::new(1, whole.trials[0].trial.clone(), whole.trials[0].load);
    second.skipped = Some("no second thread".to_owned());
    whole.trials.push(second);
    whole.health.journal_error = Some("disk full".to_owned());
    let trial = &mut whole.trials[0];
    trial.counters.insert("tail_nanos".to_owned(), 40_000);
    trial.counters.insert("load_threads_count".to_owned(), 4);
    trial.applied.as_mut().unwrap().demoted = true;
    let trial = &whole.trials[0];
    let mut empty = whole.clone();
    empty.ending = Ending::Recovered;
    empty.health = Health::default();
    for empty in &mut empty.trials {
        *empty = TrialRun::new(empty.stage, empty.trial.clone(), empty.load);
    }
    let samples: Vec<Sample> = trial.samples.iter().collect();
    let piece = |from: usize, to: usize, evidence: &[Evidence], lost_count| Event::Samples {
        trial: 0,
        samples: samples[from..to].to_vec(),
        evidence: evidence.to_vec(),
        lost_count,
    };
    let applied = Applied { demoted: false, policy_at_end: None, ..trial.applied.clone().unwrap() };
    let mut ended_counters = trial.counters.clone();
    let late_counters: Counters =
        ended_counters.remove_entry("load_threads_count").into_iter().collect();
    let mut events = vec![
        Event::Planned(empty.into()),
        Event::Preparing { trial: 0, step: "starting".to_owned() },
        Event::Began {
            trial: 0,
            applied: Box::new(applied),
            tail: Some(Nanos::from_micros(40)),
            tail_curve: trial.tail_curve.clone(),
        },
        piece(0, 9, &[], 0),
        Event::NotSaved { reason: "disk full".to_owned() },
        piece(9, 20, &trial.evidence, 2),
    ];
    for (name, series) in &trial.series {
        events.extend(series.iter().map(|(at, value)| Event::Value {
            trial: 0,
            name: name.clone(),
            at,
            value,
        }));
    }
    events.extend([
        Event::Traced { trial: 0, rows: Box::new(trial.trace.clone().unwrap()) },
        Event::Demoted { trial: 0 },
        Event::Ended {
            trial: 0,
            complete: false,
            policy_at_end: trial.applied.as_ref().unwrap().policy_at_end,
            counters: ended_counters,
            health: Box::new(whole.health.clone()),
        },
        Event::Counted { trial: 0, counters: late_counters },
        Event::Skipped { trial: 1, reason: "no second thread".to_owned() },
        Event::Finished(whole.clone().into()),
    ]);
    (events, whole)
}

fn line(event: &Event) -> Vec<u8> {
    let mut line = Vec::new();
    write_lines(event, &mut line).unwrap();
    assert_eq!(line.pop(), Some(b'\n'));
    assert!(!line.contains(&b'\n'));
    line
}

#[test]
fn the_lines_of_a_journal_add_up_to_the_run() {
    let (events, whole) = events();
    let (mut found, mut added_up) = (None, None);
    for event in &events {
        read_entry(&line(event), &mut found).unwrap();
        match event {
            Event::Planned(run) => added_up = Some(Run::clone(run)),
            event => event.apply_to(added_up.as_mut().unwrap()).unwrap(),
        }
        if !matches!(event, Event::Finished(_)) {
            assert_eq!(found, added_up, "{event:?}");
        }
    }
    assert_eq!(found, Some(whole));
    assert_eq!(found, added_up);
}

/// A journal of version 0.1.0, which was killed during the second trial. It has fewer kinds of lines than
/// journals of the current version.
const FIRST_JOURNAL: &str = include_str!("tests/journal-0.1.0.jsonl");

#[test]
fn a_journal_of_the_first_version_is_read_whole() {
    let mut found = None;
    // The wake-up times and counters that each trial must have, read as plain JSON.
    let mut expected = [(Vec::new(), serde_json::Value::Null), Default::default()];
    for line in FIRST_JOURNAL.lines() {
        read_entry(line.as_bytes(), &mut found).unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(trial) = line["trial"].as_u64() else { continue };
        let (woke, counters) = &mut expected[usize::try_from(trial).unwrap()];
        match line["entry"].as_str().unwrap() {
            "samples" => woke.extend(
                line["samples"]["woke_nanos"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(serde_json::Value::as_i64),
            ),
            "ended" => *counters = line["counters"].clone(),
            _ => {}
        }
    }
    let run: Run = found.unwrap();
    assert_eq!((run.ending, run.group, run.trials.len()), (Ending::Recovered, None, 2));
    for ((woke, counters), trial) in expected.iter().zip(&run.trials) {
        assert!(!woke.is_empty() && trial.applied.is_some());
        assert_eq!(trial.samples.woke_nanos().collect::<Vec<_>>(), *woke);
        assert_eq!(trial.complete, counters.is_object());
        let found = serde_json::to_value(&trial.counters).unwrap();
        assert_eq!(found.as_object().is_some_and(|it| !it.is_empty()), counters.is_object());
        assert!(counters.is_null() || found == *counters);
    }
    assert!(run.trials[0].complete && !run.trials[1].complete);
}

#[test]
fn an_event_of_a_trial_that_was_not_planned_is_refused() {
    let (events, _) = events();
    let mut found = None;
    read_entry(&line(&events[0]), &mut found).unwrap();
    let wrong = line(&Event::Demoted { trial: 2 });
    let error = read_entry(&wrong, &mut found).unwrap_err();
    assert_eq!(error.to_string(), "damaged: a trial that was not planned");
    let error = read_entry(&wrong, &mut None).unwrap_err();
    assert_eq!(error.to_string(), "damaged: a journal without a beginning");
}

#[test]
fn runs_without_group_series_and_trace_do_not_mention_them() {
    let mut plain = run();
    plain.group = None;
    plain.trials[0].series.clear();
    plain.trials[0].trace = None;
    let mut text = Vec::new();
    write(&plain, &mut text).unwrap();
    assert_eq!(read(&text).unwrap(), plain);
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert!(json.get("group").is_none());
    assert!(json["trials"][0].get("series").is_none() && json["trials"][0].get("trace").is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn flipped_bytes_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = text();
        let at = at.index(text.len());
        text[at] = byte;
        let _either = read(&text);
    }
}
