//! The frame loop's settings as a form shows them, with their limits.

use super::{
    CpuChoice, CpuFacts, Form, FrameLoop, LoadCount, LoadKind, LoadPriority, MAX_REALTIME_PRIORITY,
    Nanos, OnMiss, Priority, Problem, Tail, Wait, Work,
};
use crate::plan::SpinStrategy;
use crate::plan::form::parts::list;
use crate::plan::form::{Choice, Field, Parameter, Selection, choose};
use crate::units::format_setting;

const FPS: Field = Field::new(
    "fps",
    "Target frame rate",
    "Frames per second. At 60 FPS, a frame lasts 16.667 ms; frame k is due at start + k × frame \
     time, even if the previous frame was late.",
);
const TIME_EACH: Field = Field::new(
    "duration",
    "Time each",
    "How long each configuration is measured. p99 needs 100 frames, p99.9 needs 1\u{202f}000.",
)
.named("Time per configuration");
const WORK: Field = Field::new(
    "work",
    "Work per frame",
    "Integer arithmetic calibrated to take this long on an undisturbed CPU. It takes longer if \
     the thread is disturbed.",
);
const WAIT: Field = Field::new(
    "wait",
    "Wait strategy",
    "How the loop waits for the next frame: the system's sleep, a sleep followed by a short spin, \
     or only spinning.",
);
const TAIL_SWEEP: Field = Field::new(
    "tail-sweep",
    "Sweep spin tails",
    "Runs each configuration with a spin tail of 0, 50, 100, 200, 500 µs, 1 and 2 ms, because a \
     long spin tail can itself cause lateness.",
);
const LOAD_THREADS: Field = Field::new(
    "load-threads",
    "Load threads",
    "Threads that keep the CPUs busy during the test: a number from 0 to 4 × CPUs, one per \
     logical CPU, or one per physical core.",
);
const LOAD_KIND: Field = Field::new("load", "Kind", "What the load threads do.").named("Load kind");
const LOAD_PRIORITY: Field =
    Field::new("load-priority", "Load priority", "Priority of the load threads, never real-time.");
const LOAD_PINNED: Field = Field::new(
    "load-pinned",
    "Pin load threads",
    "Pins load thread i to CPU i, modulo the number of CPUs.",
);
const COMPARE_POOLS: Field = Field::new(
    "compare-pools",
    "Compare pool sizes",
    "Runs each configuration with one load thread per logical CPU and again with one per physical \
     core. Skipped, with a warning, on PCs whose cores have one thread each.",
);
const PRIORITY: Field = Field::new(
    "priority",
    "Priority",
    "Scheduling priority of the loop's thread. The applied priority is read back and shown.",
)
.named("Thread priority");
const CPU: Field = Field::new(
    "cpu",
    "Pinning",
    "CPU that the loop's thread is pinned to: none, a performance core, an efficiency core, or \
     one CPU.",
)
.named("Thread pinning");
const NO_DEEP_IDLE: Field = Field::new(
    "no-deep-idle",
    "Keep CPUs out of deep idle",
    "Linux: holds /dev/cpu_dma_latency at 0 during the test, as some tools silently do. CPUs wake \
     up sooner and use more power. Needs root; released when the test ends.",
);
const ON_MISS: Field = Field::new(
    "on-miss",
    "After a missed frame",
    "What happens to frames whose scheduled time has passed.",
);
const ROUNDS: Field = Field::new(
    "rounds",
    "Rounds",
    "How often the whole matrix is measured. With one round, configurations with overlapping \
     ranges are not ranked.",
);
const WARM_UP: Field =
    Field::new("warm-up", "Warm-up", "How long each configuration runs before frames count.");
const LATE: Field = Field::new(
    "late-threshold",
    "Late threshold",
    "Frames with a lateness above this share of the frame time are late.",
);
const ORDER_SEED: Field = Field::new(
    "order-seed",
    "Order",
    "Configurations run in randomized order so that temperature and other programs do not favor \
     one row. The seed is saved; 0 runs them in the listed order.",
)
.named("Order seed");

const TIME_RANGE: std::ops::RangeInclusive<Nanos> = Nanos::from_millis(100)..=Nanos::from_secs(600);
const WARM_UP_RANGE: std::ops::RangeInclusive<Nanos> = Nanos::ZERO..=Nanos::from_secs(10);
const TAIL_RANGE: std::ops::RangeInclusive<Nanos> = Nanos::from_micros(50)..=Nanos::from_millis(10);
const FPS_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1_000.0;
const ROUNDS_RANGE: std::ops::RangeInclusive<u32> = 1..=20;
const LATE_RANGE: std::ops::RangeInclusive<f64> = 0.1..=100.0;
/// The longest work the form offers: 90 % of a frame at 1 FPS. The frame rate narrows it.
const MAX_WORK: Nanos = Nanos::from_millis(900);
/// The maximum number of load threads in the form; the machine narrows it to 4 × CPUs.
const MAX_LOAD_THREADS: u32 = 4_096;
/// The number of load threads when the load is switched on without a number.
const DEFAULT_LOAD_THREADS: u32 = 4;
/// The largest matrix.
const MAX_CELLS: usize = 256;

/// Shows every setting to the form, in the order of the screen.
pub(super) fn show(plan: &mut FrameLoop, form: &mut dyn Form) {
    form.group("Loop");
    form.number(&FPS, &mut plan.fps, FPS_RANGE, &[30.0, 60.0, 120.0, 144.0, 240.0], "FPS");
    form.duration(&TIME_EACH, &mut plan.time_each, TIME_RANGE);
    work(form, &mut plan.work);
    wait(form, &mut plan.wait);
    load_switch(form, &mut plan.load.count);
    load_threads(form, &mut plan.load.count);
    let loaded = !plan.load.is_none();
    let load = &mut plan.load;
    form.when(loaded, "there are no load threads", &mut |form| {
        choose(
            form,
            &LOAD_KIND,
            &mut load.kind,
            &[
                (LoadKind::Cpu, Choice::plain("cpu", "CPU", "Integer arithmetic.")),
                (
                    LoadKind::Memory,
                    Choice::plain(
                        "memory",
                        "Memory",
                        "Writes over four times the last-level cache.",
                    ),
                ),
                (
                    LoadKind::Mixed,
                    Choice::plain(
                        "mixed",
                        "Start and stop",
                        "Bursts of 2 ms of work and 2 ms of sleep, like a busy desktop.",
                    ),
                ),
            ],
        );
        choose(
            form,
            &LOAD_PRIORITY,
            &mut load.priority,
            &[
                (
                    LoadPriority::Normal,
                    Choice::plain("normal", "Normal", "All at normal priority."),
                ),
                (
                    LoadPriority::BelowNormal,
                    Choice::plain("below-normal", "Below normal", "All below normal."),
                ),
                (
                    LoadPriority::Mixed,
                    Choice::plain(
                        "mixed",
                        "Normal, Below normal, mixed",
                        "Alternately normal and below normal.",
                    ),
                ),
            ],
        );
        form.switch(&LOAD_PINNED, &mut load.pinned);
    });
    form.group("Priority × pinning");
    form.matrix(&PRIORITY, &CPU, &mut plan.cells);
    more(plan, form);
}

/// Settings that are rarely changed.
fn more(plan: &mut FrameLoop, form: &mut dyn Form) {
    form.group("More");
    form.switch(&TAIL_SWEEP, &mut plan.tail_sweep);
    form.switch(&COMPARE_POOLS, &mut plan.compare_pools);
    choose(
        form,
        &ON_MISS,
        &mut plan.on_miss,
        &[
            (
                OnMiss::Skip,
                Choice::plain(
                    "skip",
                    "Skip",
                    "They are counted as missed and skipped; the schedule does not move.",
                ),
            ),
            (
                OnMiss::CatchUp,
                Choice::plain(
                    "catch-up",
                    "Catch up",
                    "They run immediately; the schedule does not move.",
                ),
            ),
            (
                OnMiss::Rebase,
                Choice::plain(
                    "rebase",
                    "Re-base",
                    "The next frame is scheduled from the late one, as in gdt-cpus: lateness is \
                     not carried over. The lateness this hides is counted and shown.",
                ),
            ),
        ],
    );
    form.switch(&NO_DEEP_IDLE, &mut plan.no_deep_idle);
    form.count(&ROUNDS, &mut plan.rounds, ROUNDS_RANGE, "rounds");
    form.duration(&WARM_UP, &mut plan.warm_up, WARM_UP_RANGE);
    form.number(&LATE, &mut plan.late_percent, LATE_RANGE, &[], "% of a frame");
    order_seed(form, &mut plan.order_seed);
}

fn work(form: &mut dyn Form, work: &mut Work) {
    let range = Nanos::ZERO..=MAX_WORK;
    let choices = [
        Choice {
            key: "",
            label: "Arithmetic",
            help: "A fixed count of arithmetic, calibrated to this duration. It takes longer if \
                   the thread is disturbed.",
            parameter: Parameter::Duration {
                range: range.clone(),
                default: Nanos::from_millis(2),
                optional: false,
            },
        },
        Choice {
            key: "timed",
            label: "Timed",
            help: "Spins until the duration has passed, which hides disturbances.",
            parameter: Parameter::Duration {
                range,
                default: Nanos::from_micros(100),
                optional: false,
            },
        },
    ];
    let mut pick = match *work {
        Work::Nothing | Work::GameCycle(_) => Selection::with(0, 0),
        Work::Arithmetic(length) => Selection::with(0, length.get()),
        Work::Timed(length) => Selection::with(1, length.get()),
    };
    form.choice(&WORK, &mut pick, &choices);
    let length = Nanos::new(pick.parameter.unwrap_or(0));
    *work = match (pick.index, length) {
        (_, Nanos::ZERO) => Work::Nothing,
        (0, length) => Work::Arithmetic(length),
        (_, length) => Work::Timed(length),
    };
}

fn wait(form: &mut dyn Form, wait: &mut Wait) {
    let choices = [
        Choice::plain("os-sleep", "OS sleep", "The system's sleep until the scheduled start."),
        Choice {
            key: "hybrid",
            label: "Hybrid",
            help: "Sleeps until shortly before the scheduled start, then spins. The spin tail is \
                   calibrated or given.",
            parameter: Parameter::Duration {
                range: TAIL_RANGE,
                default: Nanos::from_millis(2),
                optional: true,
            },
        },
        Choice::plain("spin", "Spin", "Reads the clock in a tight loop."),
        Choice::plain("spin-hint", "Spin with hint", "Hints to the CPU that this is a spin loop."),
        Choice::plain(
            "spin-yield",
            "Spin and yield",
            "Yields the CPU to other threads on each iteration.",
        ),
    ];
    let mut pick = match *wait {
        Wait::OsSleep | Wait::Relative | Wait::WholeMillis => Selection::plain(0),
        Wait::Hybrid(Tail::Measured) => Selection::plain(1),
        Wait::Hybrid(Tail::Fixed(tail)) => Selection::with(1, tail.get()),
        Wait::Spin(SpinStrategy::None) => Selection::plain(2),
        Wait::Spin(SpinStrategy::SpinLoopHint) => Selection::plain(3),
        Wait::Spin(SpinStrategy::YieldThread) => Selection::plain(4),
    };
    form.choice(&WAIT, &mut pick, &choices);
    *wait = match (pick.index, pick.parameter) {
        (0, _) => Wait::OsSleep,
        (1, None) => Wait::Hybrid(Tail::Measured),
        (1, Some(tail)) => Wait::Hybrid(Tail::Fixed(Nanos::new(tail))),
        (2, _) => Wait::Spin(SpinStrategy::None),
        (3, _) => Wait::Spin(SpinStrategy::SpinLoopHint),
        (_, _) => Wait::Spin(SpinStrategy::YieldThread),
    };
}

/// The load settings, with a switch: off is a load without threads.
fn load_switch(form: &mut dyn Form, count: &mut LoadCount) {
    let was_on = *count != LoadCount::Threads(0);
    let mut is_on = was_on;
    form.group_with_switch("Background load", &mut is_on);
    if is_on != was_on {
        *count = LoadCount::Threads(if is_on { DEFAULT_LOAD_THREADS } else { 0 });
    }
}

fn load_threads(form: &mut dyn Form, count: &mut LoadCount) {
    let choices = [
        Choice {
            key: "",
            label: "Number",
            help: "Fixed number of threads; 0 is none.",
            parameter: Parameter::Count {
                range: 0..=i64::from(MAX_LOAD_THREADS),
                default: i64::from(DEFAULT_LOAD_THREADS),
            },
        },
        Choice::plain("logical", "One per logical CPU", "One thread per logical CPU."),
        Choice::plain("physical", "One per physical core", "One thread per physical core."),
    ];
    let mut pick = match *count {
        LoadCount::Threads(threads) => Selection::with(0, i64::from(threads)),
        LoadCount::PerLogicalCpu => Selection::plain(1),
        LoadCount::PerPhysicalCore => Selection::plain(2),
    };
    form.choice(&LOAD_THREADS, &mut pick, &choices);
    *count = match pick.index {
        0 => LoadCount::Threads(u32::try_from(pick.parameter.unwrap_or(0)).unwrap_or(u32::MAX)),
        1 => LoadCount::PerLogicalCpu,
        _ => LoadCount::PerPhysicalCore,
    };
}

fn order_seed(form: &mut dyn Form, seed: &mut u64) {
    let mut short = u32::try_from(*seed).unwrap_or(u32::MAX);
    form.count(&ORDER_SEED, &mut short, 0..=u32::MAX, "seed");
    if u64::from(short) != *seed && short != u32::MAX {
        *seed = u64::from(short);
    }
}

/// Every setting that cannot be run, with the allowed values.
pub(super) fn problems(plan: &FrameLoop, cpus: &CpuFacts) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut unless = |fine: bool, key: &'static str, message: String| {
        if !fine {
            problems.push(Problem { key, message });
        }
    };
    let fps_fits = FPS_RANGE.contains(&plan.fps);
    unless(
        fps_fits,
        FPS.key,
        format!("target frame rate: {} FPS; expected 1 to 1\u{202f}000", plan.fps),
    );
    let period = if fps_fits { plan.period() } else { Nanos::from_secs(1) };
    unless(
        TIME_RANGE.contains(&plan.time_each),
        TIME_EACH.key,
        format!(
            "time per configuration: {}; expected 100 ms to 600 s",
            format_setting(plan.time_each)
        ),
    );
    time_to_sleep(plan, period, &mut unless);
    unless(
        WARM_UP_RANGE.contains(&plan.warm_up),
        WARM_UP.key,
        format!("warm-up: {}; expected 0 s to 10 s", format_setting(plan.warm_up)),
    );
    unless(
        ROUNDS_RANGE.contains(&plan.rounds),
        ROUNDS.key,
        format!("rounds: {}; expected 1 to 20", plan.rounds),
    );
    unless(
        LATE_RANGE.contains(&plan.late_percent),
        LATE.key,
        format!("late threshold: {}%; expected 0.1% to 100% of a frame", plan.late_percent),
    );
    let most_load = cpus.logical_count().saturating_mul(4);
    let load_count = plan.load.count.resolve(cpus);
    unless(
        load_count <= most_load,
        LOAD_THREADS.key,
        format!(
            "load threads: {load_count}; expected 0 to {most_load}, 4 per logical CPU of {}",
            cpus.logical_count(),
        ),
    );
    unless(
        !plan.cells.is_empty(),
        PRIORITY.key,
        "no configuration is selected; select at least one priority and one pinning".to_owned(),
    );
    unless(
        plan.cells.len() <= MAX_CELLS,
        PRIORITY.key,
        format!("{} configurations are selected; expected 1 to {MAX_CELLS}", plan.cells.len()),
    );
    for cell in &plan.cells {
        if let CpuChoice::Cpu(cpu) = cell.cpu {
            unless(
                cpus.usable.contains(&cpu),
                CPU.key,
                format!("CPU {cpu} is not available; usable CPUs: {}", list(&cpus.usable)),
            );
        }
        if let Priority::Fifo(level) | Priority::RoundRobin(level) = cell.priority {
            unless(
                (1..=MAX_REALTIME_PRIORITY).contains(&level),
                PRIORITY.key,
                format!(
                    "real-time priority: {level}; expected 1 to {MAX_REALTIME_PRIORITY}, below \
                     the kernel's own threads",
                ),
            );
        }
    }
    problems.dedup();
    problems
}

/// Checks that spin tail and work leave time for sleep in each frame.
fn time_to_sleep(
    plan: &FrameLoop,
    period: Nanos,
    unless: &mut impl FnMut(bool, &'static str, String),
) {
    if let Wait::Hybrid(Tail::Fixed(tail)) = plan.wait {
        let upper = if Tail::fits(*TAIL_RANGE.end(), period) {
            "10 ms".to_owned()
        } else {
            format!("less than {:.3} ms (half of a frame)", period.as_millis() / 2.0)
        };
        unless(
            TAIL_RANGE.contains(&tail) && Tail::fits(tail, period),
            WAIT.key,
            format!("spin tail: {}; expected 50 µs to {upper}", format_setting(tail)),
        );
    }
    let tail = match plan.wait {
        Wait::Hybrid(Tail::Fixed(tail)) if !plan.tail_sweep && Tail::fits(tail, period) => tail,
        _ => Nanos::ZERO,
    };
    let most_work = Nanos::new(period.get() / 10 * 9) - tail;
    let less = if tail == Nanos::ZERO { "" } else { " minus the spin tail" };
    unless(
        (Nanos::ZERO..=most_work).contains(&plan.work.length()),
        WORK.key,
        format!(
            "work per frame: {}; expected 0 s to {:.3} ms (90% of a frame{less})",
            format_setting(plan.work.length()),
            most_work.as_millis(),
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Load;
    use crate::plan::conditions::Cell;

    fn cpus() -> CpuFacts {
        CpuFacts { usable: vec![0, 1, 2, 5], physical_count: Some(2), ..CpuFacts::default() }
    }

    fn check(plan: &FrameLoop, expected: &str) {
        let problems = problems(plan, &cpus());
        assert_eq!(
            problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>(),
            [expected]
        );
    }

    #[test]
    fn what_is_out_of_range_is_named_with_the_range() {
        let good = FrameLoop::default();
        assert_eq!(problems(&good, &cpus()), []);
        for fps in [0.0, -1.0, 5_000.0, f64::NAN, f64::INFINITY] {
            check(
                &FrameLoop { fps, ..good.clone() },
                &format!("target frame rate: {fps} FPS; expected 1 to 1\u{202f}000"),
            );
        }
        check(
            &FrameLoop { time_each: Nanos::from_secs(-5), ..good.clone() },
            "time per configuration: -5 s; expected 100 ms to 600 s",
        );
        check(
            &FrameLoop { work: Work::Timed(Nanos::from_millis(16)), ..good.clone() },
            "work per frame: 16 ms; expected 0 s to 15.000 ms (90% of a frame)",
        );
        let hybrid = |millis| Wait::Hybrid(Tail::Fixed(Nanos::from_millis(millis)));
        check(
            &FrameLoop { fps: 144.0, wait: hybrid(10), work: Work::Nothing, ..good.clone() },
            "spin tail: 10 ms; expected 50 µs to less than 3.472 ms (half of a frame)",
        );
        check(
            &FrameLoop { fps: 30.0, wait: hybrid(11), ..good.clone() },
            "spin tail: 11 ms; expected 50 µs to 10 ms",
        );
        let work = Work::Timed(Nanos::from_millis(8));
        check(
            &FrameLoop { wait: hybrid(8), work, ..good.clone() },
            "work per frame: 8 ms; expected 0 s to 7.000 ms (90% of a frame minus the spin tail)",
        );
        check(
            &FrameLoop {
                load: Load { count: LoadCount::Threads(17), ..good.load },
                ..good.clone()
            },
            "load threads: 17; expected 0 to 16, 4 per logical CPU of 4",
        );
        let cell = |cpu| Cell { priority: Priority::Normal, cpu };
        check(
            &FrameLoop { cells: vec![cell(CpuChoice::Cpu(7))], ..good.clone() },
            "CPU 7 is not available; usable CPUs: 0-2, 5",
        );
        check(
            &FrameLoop { cells: vec![], ..good },
            "no configuration is selected; select at least one priority and one pinning",
        );
    }

    #[test]
    fn a_form_that_changes_nothing_leaves_the_settings_as_they_are() {
        struct Still;
        impl Form for Still {
            fn group(&mut self, _: &'static str) {}
            fn duration(&mut self, _: &Field, _: &mut Nanos, _: std::ops::RangeInclusive<Nanos>) {}
            fn count(
                &mut self,
                _: &Field,
                _: &mut u32,
                _: std::ops::RangeInclusive<u32>,
                _: &'static str,
            ) {
            }
            fn number(
                &mut self,
                _: &Field,
                _: &mut f64,
                _: std::ops::RangeInclusive<f64>,
                _: &[f64],
                _: &'static str,
            ) {
            }
            fn choice(&mut self, _: &Field, _: &mut Selection, _: &[Choice]) {}
            fn set(&mut self, _: &Field, _: &mut Vec<Selection>, _: &[Choice]) {}
            fn matrix(&mut self, _: &Field, _: &Field, _: &mut Vec<Cell>) {}
            fn switch(&mut self, _: &Field, _: &mut bool) {}
            fn when(&mut self, _: bool, _: &'static str, inner: &mut dyn FnMut(&mut dyn Form)) {
                inner(self);
            }
        }
        for preset in super::super::presets() {
            let mut plan = preset.plan.clone();
            plan.probe_mut().settings(&mut Still);
            assert_eq!(plan, preset.plan, "{}", preset.key);
        }
    }
}
