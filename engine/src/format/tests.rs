//! What is written is read back; what is damaged, foreign or newer is refused in words.

use proptest::prelude::*;

use super::*;
use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::{FrameLoop, Probe as _};
use crate::platform::{
    Applied, Cpu, Effective, Policy, Power, PowerSource, Refusal, RequestOutcome,
};
use crate::run::{Health, TrialRun};
use crate::sample::{Evidence, Sample};

/// A run with something in every field.
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
        chosen_cpu: None,
        refusals: vec![Refusal {
            asked: "RR 10".to_owned(),
            call: "sched_setscheduler".to_owned(),
            errno: Some(1),
            error_name: "EPERM".to_owned(),
            reason: "not permitted".to_owned(),
            remedy: "grant it".to_owned(),
        }],
        timer_slack: Some(Nanos::new(50_000)),
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: "clock_nanosleep, absolute".to_owned(),
        demoted: false,
    };
    let mut trial = TrialRun::new(0, stage.trials[0].clone(), stage.load);
    trial.applied = Some(applied);
    trial.samples = (0..20).map(sample).collect();
    trial.evidence =
        vec![Evidence { index: 3, involuntary_switches: Some(2), ..Evidence::default() }];
    trial.counters.insert("wall_nanos".to_owned(), 1_234);
    trial.lost_count = 2;
    Run {
        id: RunId::parse("0a1b2c3d").unwrap(),
        app_version: "0.1.0".to_owned(),
        method_version: 1,
        started_at: "2026-11-21T05:00:00Z".parse().unwrap(),
        ending: Ending::Failed("a reason".to_owned()),
        name: "a name".to_owned(),
        note: "a note\nof two lines".to_owned(),
        tags: vec!["tag".to_owned()],
        plan: Plan::FrameLoop(plan),
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
        health: Health { window_hidden: Some(Nanos::new(5)), ..Health::default() },
        trials: vec![trial],
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
        "made by a newer version (format 4, this program reads up to 1)"
    );
    assert_eq!(
        swap("\"jitterscope-run\"", "\"something-else\""),
        "not a Jitterscope run: its format is 'something-else'"
    );
    assert_eq!(
        swap("\"spins\":[7,", "\"spins\":["),
        "damaged: its columns of samples are not all of one length"
    );
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

#[test]
fn a_journal_tells_the_same_run() {
    let whole = run();
    let mut empty = whole.clone();
    empty.trials[0] = TrialRun::new(0, whole.trials[0].trial.clone(), whole.trials[0].load);
    let trial = &whole.trials[0];
    let samples: Vec<Sample> = trial.samples.iter().collect();
    let entries = [
        Entry::Begun(std::sync::Arc::new(empty)),
        Entry::Applied { trial: 0, applied: Box::new(trial.applied.clone().unwrap()) },
        Entry::Samples {
            trial: 0,
            samples: samples[..9].to_vec(),
            evidence: vec![],
            lost_count: 0,
        },
        Entry::Samples {
            trial: 0,
            samples: samples[9..].to_vec(),
            evidence: trial.evidence.clone(),
            lost_count: 2,
        },
        Entry::Ended {
            trial: 0,
            complete: false,
            counters: trial.counters.clone(),
            health: Box::new(whole.health.clone()),
        },
    ];
    let mut found = None;
    for entry in &entries {
        let mut line = Vec::new();
        write_entry(entry, &mut line).unwrap();
        assert!(!line.contains(&b'\n'));
        read_entry(&line, &mut found).unwrap();
    }
    assert_eq!(found, Some(whole));
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
