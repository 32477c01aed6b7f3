//! What was read as a run: a frame loop of which only the instants are known.

use std::collections::BTreeMap;

use super::{Content, FrameTimes, Imported, MOST_LETTERS, Source, Thread, Told, text};
use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::conditions::Cell;
use crate::plan::{
    Conditions, CpuChoice, FrameLoop, Length, Load, LoadCount, LoadKind, LoadPriority, OnMiss,
    Pace, Plan, Priority, Trial, Wait, Work,
};
use crate::platform::{Applied, Effective, Policy, Power, RequestOutcome};
use crate::run::{Counters, Ending, Health, Run, RunId, TrialRun};
use crate::sample::{Sample, Samples};
use crate::stats::{PercentileRule, Quantile, Sorted};

/// The method of a run that no loop of this program measured.
const NO_METHOD: u32 = 0;

const NO_LOAD: Load = Load {
    kind: LoadKind::Cpu,
    count: LoadCount::Threads(0),
    priority: LoadPriority::Normal,
    pinned: false,
};

pub(super) fn into_run(imported: Imported) -> Run {
    let Imported { source, name, started_at, told, content, bad_lines, mut notes, .. } = imported;
    if 0 < bad_lines.count {
        notes.push(format!("{} lines could not be read.", bad_lines.count));
    }
    let (period, trials) = match content {
        Content::Run(run) => return *run,
        Content::Frames(recordings) => {
            let period = median(&recordings);
            notes.push(format!(
                "Lateness here is frame time less the median frame time of {:.3} ms.",
                period.as_millis()
            ));
            let missing: usize =
                recordings.iter().map(|times| times.len() - times.present().count()).sum();
            if 0 < missing {
                notes.push(format!("{missing} frame times are missing."));
            }
            let label: String = name.chars().take(MOST_LETTERS).collect();
            let label = if label.is_empty() { source.label().to_owned() } else { label };
            let trials = recordings
                .iter()
                .zip(0..)
                .map(|(times, round)| trial(&label, round, period, of_frame_times(times, period)))
                .collect::<Vec<_>>();
            (period, trials)
        }
        Content::Latencies { interval, threads } => {
            let trials = threads.iter().map(|thread| of_thread(thread, interval)).collect();
            (interval, trials)
        }
    };
    let time = trials.iter().filter_map(|trial: &TrialRun| Some(trial.samples.last()?.woke)).max();
    let rounds = u32::try_from(trials.len()).unwrap_or(u32::MAX).max(1);
    notes.insert(0, format!("Imported from a {}.", source.label()));
    Run {
        id: id(source, &name, &trials),
        app_version: program(source).to_owned(),
        method_version: NO_METHOD,
        started_at: started_at.unwrap_or(jiff::Timestamp::UNIX_EPOCH),
        ending: Ending::Finished,
        name: text::name(&name),
        note: notes.join("\n"),
        tags: vec!["imported".to_owned()],
        group: None,
        plan: Plan::FrameLoop(FrameLoop {
            fps: 1.0 / period.as_secs(),
            time_each: time.unwrap_or(Nanos::ZERO),
            work: Work::Nothing,
            wait: Wait::OsSleep,
            on_miss: OnMiss::Skip,
            load: NO_LOAD,
            cells: vec![Cell { priority: Priority::Normal, cpu: CpuChoice::Any }],
            rounds: if source == Source::Cyclictest { 1 } else { rounds },
            warm_up: Nanos::ZERO,
            order_seed: 0,
            ..FrameLoop::default()
        }),
        machine: machine(told),
        clock: ClockFacts::default(),
        health: Health::default(),
        trials,
    }
}

/// The program that measured.
const fn program(source: Source) -> &'static str {
    match source {
        Source::Json | Source::Html => "Jitterscope",
        Source::MangoHud => "MangoHud",
        Source::PresentMon => "PresentMon",
        Source::CapFrameX => "CapFrameX",
        Source::Cyclictest => "cyclictest",
        Source::Columns => "another program",
    }
}

fn machine(told: Told) -> Machine {
    Machine {
        cpu_model: told.processor,
        os: told.os,
        kernel: told.kernel,
        power: Power { governor_or_plan: told.governor, ..Power::default() },
        ..Machine::default()
    }
}

/// The median frame time of all recordings, at least one nanosecond.
fn median(recordings: &[FrameTimes]) -> Nanos {
    let times: Vec<i64> = recordings.iter().flat_map(FrameTimes::present).collect();
    let median = Sorted::of(times)
        .map_or(0.0, |sorted| sorted.percentile(Quantile::P50, PercentileRule::R7));
    Nanos::from_nanos_f64(median).max(Nanos::new(1))
}

/// One sample more than frame times: the first stands at the start. A missing frame time is left out.
fn of_frame_times(times: &FrameTimes, period: Nanos) -> Samples {
    let mut samples = Samples::new();
    let mut woke = Nanos::ZERO;
    samples.push(&at(Nanos::ZERO, Nanos::ZERO, Nanos::ZERO));
    let mut before = period;
    for time in times.present().map(Nanos::new) {
        let began = woke;
        // Slots that passed empty are told by `due` moving by whole periods. There is no grid here, so
        // where it would by chance, it is moved by a nanosecond.
        let is_whole = period < before && before.get() % period.get() == 0;
        let due = woke + period + Nanos::new(i64::from(is_whole));
        woke += time;
        samples.push(&at(began, due, woke));
        before = time;
    }
    samples
}

fn at(began: Nanos, due: Nanos, woke: Nanos) -> Sample {
    Sample { began, due, slept: None, woke, done: woke, spins: 0, cpu: None }
}

fn of_thread(thread: &Thread, interval: Nanos) -> TrialRun {
    let samples = thread.late_nanos.iter().zip(1_i64..).map(|(&late, turn)| {
        let due = interval * turn;
        at(due - interval, due, due + Nanos::new(late))
    });
    let mut trial = trial(&thread.label, 0, interval, samples.collect());
    trial.lost_count = thread.lost_count;
    trial
}

/// A trial of which nothing was asked, and which therefore ran as it was asked to.
fn trial(label: &str, round: u32, period: Nanos, samples: Samples) -> TrialRun {
    let count = u64::try_from(samples.len()).unwrap_or(u64::MAX);
    TrialRun {
        stage: round,
        trial: Trial {
            label: label.to_owned(),
            round,
            pace: Pace::Grid { period, on_miss: OnMiss::Skip },
            wait: Wait::OsSleep,
            work: Work::Nothing,
            conditions: Conditions::NORMAL,
            length: Length::Slots(count),
            warm_up: Nanos::ZERO,
            evidence_above: None,
        },
        load: NO_LOAD,
        applied: Some(Applied {
            priority: RequestOutcome::Granted,
            pin: RequestOutcome::Granted,
            effective: Effective { policy: Policy::Unknown, cpus: Vec::new(), ran_on: None },
            mechanism: String::new(),
            chosen_cpu: None,
            refusals: Vec::new(),
            timer_slack: None,
            timer_resolution: None,
            no_deep_idle: false,
            sleep_call: String::new(),
            demoted: false,
        }),
        lost_count: 0,
        complete: true,
        skipped: None,
        counters: Counters::new(),
        samples,
        evidence: Vec::new(),
        series: BTreeMap::new(),
        trace: None,
    }
}

/// An id made of the content, so that a file that is imported twice is one run.
fn id(source: Source, name: &str, trials: &[TrialRun]) -> RunId {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(source.label().as_bytes());
    add(name.as_bytes());
    for woke in trials.iter().flat_map(|trial| trial.samples.woke_nanos()) {
        add(&woke.to_le_bytes());
    }
    let folded = (hash >> 32) ^ (hash & 0xffff_ffff);
    RunId::parse(&format!("{folded:08x}")).unwrap_or_else(RunId::random)
}
