//! Generated runs of every kind of test, as a PC with 16 CPUs might measure them. Each run is always the
//! same.

use jitterscope_engine::machine::{ClockFacts, Machine};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::work::CycleKind;
use jitterscope_engine::plan::{
    CpuChoice, CpuFacts, Length, Pace, Plan, Priority, SpinStrategy, Wait, Work,
};
use jitterscope_engine::platform::{
    Applied, CoreKind, Cpu, Effective, Policy, Power, PowerSource, Refusal, RequestOutcome,
};
use jitterscope_engine::run::{Ending, Health, METHOD_VERSION, Run, RunId, TrialRun, counter};
use jitterscope_engine::sample::{Evidence, Sample};

/// A pseudo-random number generator; the same seed yields the same numbers.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Returns a number from 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.next() % 1_000_000) as f64 / 1e6
    }

    /// Returns a duration between `min` and `most` nanoseconds, uniformly distributed on a logarithmic scale.
    fn length(&mut self, min: f64, most: f64) -> Nanos {
        Nanos::from_nanos_f64(min * (most / min).powf(self.share()))
    }
}

/// Returns the CPUs of the imaginary PC.
pub(super) fn cpus() -> CpuFacts {
    CpuFacts { usable: (0..16).collect(), physical_count: Some(8), one_a_core: (0..8).collect() }
}

fn machine(kernel: &str) -> Machine {
    let cpu = |logical| Cpu {
        logical,
        core: Some(logical % 8),
        package: Some(0),
        kind: CoreKind::Uniform,
        most_khz: Some(4_900_000),
    };
    Machine {
        cpu_model: Some("AMD Ryzen 7 5800X".to_owned()),
        cpu_brand: None,
        cpus: (0..16).map(cpu).collect(),
        physical_cores: Some(8),
        memory_bytes: Some(32 << 30),
        os: Some("Debian 13".to_owned()),
        kernel: Some(kernel.to_owned()),
        arch: "x86_64".to_owned(),
        gpu: None,
        gpu_driver: None,
        virtualization: None,
        power: Power {
            source: Some(PowerSource::Mains),
            governor_or_plan: Some("performance".to_owned()),
        },
        scheduler: Vec::new(),
    }
}

/// Returns a run with this plan; the same `number` yields the same run. `refuses` returns whether the system
/// denies a priority.
pub(crate) fn run_of(
    number: u32,
    name: &str,
    plan: Plan,
    refuses: impl Fn(Priority) -> bool,
) -> Run {
    let mut trials = Vec::new();
    for (stage, position) in plan.probe().stages(&cpus()).into_iter().zip(0..) {
        for trial in stage.trials {
            let mut trial = TrialRun::new(position, trial, stage.load);
            let is_refused = refuses(trial.trial.conditions.priority);
            trial.applied = Some(applied(&trial, is_refused));
            trial.complete = true;
            let seed = u64::from(number) << 32 | trials.len() as u64;
            fill(&mut trial, &mut Dice(seed), is_refused);
            trials.push(trial);
        }
    }
    Run {
        id: RunId::parse(&format!("{number:08x}")).unwrap(),
        app_version: "0.1.0".to_owned(),
        method_version: METHOD_VERSION,
        started_at: format!("2026-11-20T12:{:02}:00Z", number % 60).parse().unwrap(),
        wall_clock: None,
        ending: Ending::Finished,
        name: name.to_owned(),
        note: String::new(),
        tags: Vec::new(),
        annotations: Vec::new(),
        group: None,
        subject: plan.into(),
        host: None,
        machine: machine(if number.is_multiple_of(2) { "6.12.3" } else { "6.9.1" }),
        clock: ClockFacts {
            name: "CLOCK_MONOTONIC, tsc".to_owned(),
            resolution: Nanos::new(10),
            read_cost_nanos: 21.0,
            ..ClockFacts::default()
        },
        health: Health::default(),
        trials,
    }
}

fn applied(trial: &TrialRun, is_refused: bool) -> Applied {
    let conditions = trial.trial.conditions;
    let requested = match conditions.priority {
        Priority::Idle => Policy::Nice(19),
        Priority::BelowNormal => Policy::Nice(5),
        Priority::Normal => Policy::Nice(0),
        Priority::AboveNormal => Policy::Nice(-5),
        Priority::Highest | Priority::RoundRobin(_) => Policy::RoundRobin(10),
        Priority::TimeCritical | Priority::Fifo(_) | Priority::Mmcss(_) => Policy::Fifo(20),
        Priority::Deadline(_) => Policy::Fifo(20),
    };
    let refusal = || Refusal {
        requested: requested.to_string(),
        call: "sched_setscheduler".to_owned(),
        errno: Some(1),
        error_name: "EPERM".to_owned(),
        reason: "permission denied".to_owned(),
        remedy: "Give this program the right: sudo setcap cap_sys_nice=ep jitterscope".to_owned(),
    };
    let cpus = match conditions.cpu {
        CpuChoice::Any => (0..16).collect(),
        CpuChoice::FirstPerformance => vec![0],
        CpuChoice::Performance | CpuChoice::Efficiency => vec![2],
        CpuChoice::Cpu(cpu) => vec![cpu],
    };
    Applied {
        priority: if is_refused { RequestOutcome::Refused } else { RequestOutcome::Granted },
        pin: RequestOutcome::Granted,
        effective: Effective {
            policy: if is_refused { Policy::Nice(0) } else { requested },
            cpus,
            ran_on: Some(2),
        },
        mechanism: "sched_setscheduler".to_owned(),
        selected_cpu: None,
        refusals: if is_refused { vec![refusal()] } else { Vec::new() },
        timer_slack: None,
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: "clock_nanosleep, absolute".to_owned(),
        demoted: false,
        policy_at_end: None,
    }
}

fn fill(trial: &mut TrialRun, dice: &mut Dice, is_refused: bool) {
    match (trial.trial.pace, trial.trial.work) {
        (Pace::Grid { period, .. }, _) => fill_grid(trial, period, dice, is_refused),
        (Pace::After { length }, _) => fill_waits(trial, length, dice),
        (Pace::Gaps { .. }, _) => fill_gaps(trial, dice),
        (Pace::BackToBack, Work::GameCycle(cycle)) => {
            let (one, retains) = match cycle.kind {
                CycleKind::Players => (170e6, 0.97_f64),
                CycleKind::Npcs => (64e6, 0.72),
            };
            let cores = f64::from(cycle.threads.min(8));
            let mean = one / (cores * retains.powf(cores.log2())) * (0.98 + 0.04 * dice.share());
            let mut at = Nanos::ZERO;
            for _ in 0..24 {
                let done = at + Nanos::from_nanos_f64(mean * (0.95 + 0.1 * dice.share()));
                trial.samples.push(&sample([at, at, at, done], 0));
                at = done;
            }
        }
        (Pace::BackToBack, _) => {}
    }
    let end = trial.samples.last().map_or(Nanos::ZERO, |last| last.done);
    trial.counters.insert(counter::WALL_NANOS.to_owned(), end.get());
}

fn sample([began, due, woke, done]: [Nanos; 4], spins: u32) -> Sample {
    Sample { began, due, slept: None, woke, done, spins, cpu: Some(2) }
}

/// Adds frames: most are some microseconds late, a few much later, and one is missed if the thread has no
/// raised priority.
fn fill_grid(trial: &mut TrialRun, period: Nanos, dice: &mut Dice, is_refused: bool) {
    let Length::Slots(slots) = trial.trial.length else { return };
    let rank = if is_refused { 2 } else { trial.trial.conditions.priority.rank() };
    let (scale, spikes) = if 3 < rank { (0.2, 0.004) } else { (1.0, 0.02) };
    let work = match trial.trial.work {
        Work::Arithmetic(length) | Work::Timed(length) => length,
        Work::Nothing | Work::GameCycle(_) => Nanos::ZERO,
    };
    let limit = trial.trial.evidence_above.unwrap_or(Nanos::MAX);
    let slots = i64::try_from(slots).unwrap();
    for slot in 1..=slots {
        let due = period * slot;
        let mut late = dice.length(100.0, 16_000.0 * scale);
        if dice.share() < spikes {
            late = dice.length(60_000.0 * scale, 2_500_000.0 * scale);
        }
        if slot == slots / 2 && rank < 4 {
            late = Nanos::from_nanos_f64(period.as_f64() * 0.98);
        }
        if limit < late {
            trial.evidence.push(evidence(trial.samples.len(), late, dice));
        }
        let woke = due + late;
        let stretch = Nanos::from_nanos_f64(work.as_f64() * (1.0 + 0.3 * dice.share().powi(4)));
        trial
            .samples
            .push(&sample([due - Nanos::new(period.get() / 2), due, woke, woke + stretch], 40));
    }
}

fn evidence(index: usize, late: Nanos, dice: &mut Dice) -> Evidence {
    let kind = dice.next() % 8;
    Evidence {
        index: index as u64,
        involuntary_switches: Some(if kind < 4 { 2 } else { 0 }),
        voluntary_switches: Some(1),
        minor_faults: Some(if kind == 4 { 3 } else { 0 }),
        major_faults: Some(u32::from(kind == 4)),
        run_delay: Some(if kind < 4 { late } else { Nanos::new(900) }),
        steal: Some(Nanos::ZERO),
        cpu_before: Some(2),
        cpu_after: Some(if kind == 5 { 5 } else { 2 }),
        work_started: None,
        ..Evidence::default()
    }
}

/// Adds up to 1 000 sleeps or spins to a trial.
fn fill_waits(trial: &mut TrialRun, length: Nanos, dice: &mut Dice) {
    let is_loaded = !trial.load.is_none();
    let count = trial.trial.slot_count().min(1_000);
    let mut at = Nanos::ZERO;
    for _ in 0..count {
        let (over, spins) = match trial.trial.wait {
            Wait::Spin(strategy) => {
                let turn = if strategy == SpinStrategy::YieldThread { 160.0 } else { 29.0 };
                let gives_away = strategy == SpinStrategy::YieldThread && is_loaded;
                let over = match (gives_away, dice.share() < 0.002) {
                    (true, _) => dice.length(900_000.0, 9_000_000.0),
                    (false, true) if is_loaded => dice.length(100_000.0, 3_000_000.0),
                    (false, _) => dice.length(8.0, 60.0),
                };
                (over, (length.as_f64() / turn) as u32)
            }
            _ if is_loaded && dice.share() < 0.2 => (dice.length(60_000.0, 30_000_000.0), 0),
            _ => (dice.length(50_000.0, 68_000.0), 0),
        };
        let (due, woke) = (at + length, at + length + over);
        trial.samples.push(&sample([at, due, woke, woke], spins));
        at = woke;
    }
}

/// Adds gaps: those of a timer tick, some longer ones of interrupts, and a stall of all CPUs at half of the
/// duration.
fn fill_gaps(trial: &mut TrialRun, dice: &mut Dice) {
    let whole = trial.trial.duration();
    let step = Nanos::from_millis(20);
    let count = whole.get() / step.get();
    for turn in 0..count {
        let mut gap = dice.length(1_200.0, 9_000.0);
        if dice.share() < 0.03 {
            gap = dice.length(10_000.0, 400_000.0);
        }
        if turn == count / 2 {
            gap = dice.length(1_500_000.0, 2_200_000.0);
        }
        let begin = step * turn + Nanos::new(5_000);
        trial.samples.push(&sample([begin, begin, begin + gap, begin + gap], 0));
    }
    for (name, value) in [
        (counter::STARTED_NANOS, 0),
        (counter::READINGS, whole.get() / 21),
        (counter::INTERVAL_SUM_NANOS, whole.get()),
        (counter::INTERVAL_SQUARES, whole.get() / 1_000),
        (counter::INTERVAL_MIN_NANOS, 19),
        (counter::INTERVAL_MOST_NANOS, 2_200_000),
        (counter::THRESHOLD_NANOS, 1_000),
    ] {
        trial.counters.insert(name.to_owned(), value);
    }
}
