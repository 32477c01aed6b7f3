//! A run that has a value in every field and is always the same.

use jitterscope_engine::machine::{ClockFacts, Machine};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::Cell;
use jitterscope_engine::plan::{CpuChoice, FrameLoop, Plan, Priority, Probe as _};
use jitterscope_engine::platform::{
    Applied, Cpu, Effective, Policy, Power, PowerSource, Refusal, RequestOutcome,
};
use jitterscope_engine::run::{Annotation, Ending, Health, Run, RunId, TrialRun};
use jitterscope_engine::sample::{Evidence, Sample, Samples};

/// Returns a run of two configurations with 1 200 frames each. The text `words` is in every field that the
/// user or the system may fill.
pub(crate) fn run(words: &str) -> Run {
    let plan = FrameLoop {
        time_each: Nanos::from_secs(20),
        cells: [Priority::Normal, Priority::TimeCritical]
            .map(|priority| Cell { priority, cpu: CpuChoice::Any })
            .to_vec(),
        order_seed: 0,
        ..FrameLoop::default()
    };
    let trials = plan
        .stages(&jitterscope_engine::plan::CpuFacts::default())
        .into_iter()
        .zip(0..)
        .map(|(stage, number)| {
            let mut trial = TrialRun::new(number, stage.trials[0].clone(), stage.load);
            let is_raised = number == 1;
            trial.applied = Some(applied(words, is_raised));
            trial.samples = samples(if is_raised { 1 } else { 40 }, plan.period());
            trial.evidence =
                vec![Evidence { index: 3, involuntary_switches: Some(2), ..Evidence::default() }];
            trial.counters.insert("wall_nanos".to_owned(), 20_000_000_000);
            trial.complete = true;
            trial
        });
    Run {
        id: RunId::parse("0a1b2c3d").unwrap(),
        app_version: "0.1.0".to_owned(),
        method_version: 1,
        started_at: "2026-11-21T05:00:00Z".parse().unwrap(),
        wall_clock: None,
        ending: Ending::Finished,
        name: words.to_owned(),
        note: format!("{words}\nsecond line {words}"),
        tags: vec![words.to_owned()],
        annotations: vec![Annotation {
            trial: 0,
            from: Nanos::from_millis(100),
            to: Nanos::from_millis(250),
            text: words.to_owned(),
        }],
        group: None,
        trials: trials.collect(),
        subject: Plan::FrameLoop(plan).into(),
        host: None,
        machine: Machine {
            cpu_model: Some(words.to_owned()),
            cpu_brand: Some(words.to_owned()),
            cpus: vec![Cpu { logical: 0, core: Some(0), ..Cpu::default() }],
            physical_cores: Some(1),
            memory_bytes: Some(8 << 30),
            os: Some(words.to_owned()),
            kernel: Some("6.18.0".to_owned()),
            arch: "x86_64".to_owned(),
            gpu: Some(words.to_owned()),
            gpu_driver: Some(words.to_owned()),
            virtualization: Some(words.to_owned()),
            power: Power {
                source: Some(PowerSource::Battery { percent: Some(18) }),
                governor_or_plan: Some(words.to_owned()),
            },
            scheduler: vec![("sched_rt_runtime_us".to_owned(), words.to_owned())],
        },
        clock: ClockFacts {
            name: "TSC".to_owned(),
            resolution: Nanos::new(1),
            read_cost_nanos: 21.5,
            went_backwards_count: 0,
        },
        health: Health { journal_error: Some(words.to_owned()), ..Health::default() },
    }
}

/// Returns a run of one configuration with these frame times, in nanoseconds.
pub(super) fn of_frame_times(times: &[i64]) -> Run {
    let mut run = run("");
    run.trials.truncate(1);
    let mut woke = Nanos::ZERO;
    let at = |woke| Sample {
        began: woke,
        due: woke,
        slept: None,
        woke,
        done: woke,
        spins: 0,
        cpu: None,
    };
    let mut samples: Samples = [at(woke)].into_iter().collect();
    for &time in times {
        woke += Nanos::new(time);
        samples.push(&at(woke));
    }
    run.trials[0].samples = samples;
    run
}

/// Returns samples whose lateness is between `scale` and 2 × `scale` µs, with a spike every 97 samples and
/// two skipped slots after sample 600.
fn samples(scale: i64, period: Nanos) -> Samples {
    (0..1_200_i64)
        .map(|k| {
            let slot = k + if 600 < k { 2 } else { 0 };
            let spike = if k % 97 == 0 { 900_000 } else { 0 };
            let due = period * slot;
            let woke = due + Nanos::new(scale * (1_000 + k * 7_919 % 997) + spike);
            Sample {
                began: due - Nanos::from_millis(14),
                due,
                slept: (k % 2 == 0).then_some(due - Nanos::from_micros(200)),
                woke,
                done: woke + Nanos::new(2_000_000 + k * 31 % 1_000),
                spins: 7,
                cpu: (k % 3 == 0).then_some(1),
            }
        })
        .collect()
}

fn applied(words: &str, is_raised: bool) -> Applied {
    Applied {
        priority: RequestOutcome::Granted,
        pin: RequestOutcome::Granted,
        effective: Effective {
            policy: if is_raised { Policy::Fifo(20) } else { Policy::Nice(0) },
            cpus: vec![0],
            ran_on: Some(0),
        },
        mechanism: "sched_setscheduler".to_owned(),
        selected_cpu: None,
        refusals: vec![Refusal {
            requested: "RR 10".to_owned(),
            call: "sched_setscheduler".to_owned(),
            errno: Some(1),
            error_name: "EPERM".to_owned(),
            reason: words.to_owned(),
            remedy: words.to_owned(),
        }],
        timer_slack: Some(Nanos::new(50_000)),
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: "clock_nanosleep, absolute".to_owned(),
        demoted: false,
        policy_at_end: None,
    }
}
