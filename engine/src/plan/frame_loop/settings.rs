//! Shows the settings of the frame loop test in a form, and checks their values.

use super::{Form, FrameLoop, Nanos, OnMiss, Problem, Tail, Wait, Work};
use crate::plan::SpinStrategy;
use crate::plan::form::parts::{self, Problems};
use crate::plan::form::{
    Choice, ChoiceValue, Field, Number, Parameter, Selection, choose, numbered, option,
};
use crate::units::format_setting;

pub(in crate::plan) const FPS: Number = Field::new(
    "fps",
    "Target frame rate",
    "Frames per second. At 60 FPS, a frame lasts 16.667 ms; frame k is due at start + k × frame \
     time, even if the previous frame was late.",
)
.number(
    Parameter::fraction(1.0, 1_000.0, "FPS")
        .commonly(&[30.0, 60.0, 120.0, 144.0, 240.0])
        .in_steps_of(1.0),
);
const TIME_EACH: Number = Field::new(
    "duration",
    "Duration",
    "How long each configuration is measured. p99 needs 100 frames, p99.9 needs 1\u{202f}000.",
)
.named("Time per configuration")
.number(Parameter::secs(0.1, 600.0));
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
const COMPARE_POOLS: Field = Field::new(
    "compare-pools",
    "Compare pool sizes",
    "Runs each configuration with one load thread per logical CPU and again with one per physical \
     core. Skipped, with a warning, on PCs whose cores have one thread each.",
);
const FULL_LOAD: Number = Field::new(
    "full-load",
    "All CPUs busy",
    "Measures each configuration once more for this long with one load thread per logical CPU, without a \
     grade. 0 is not at all.",
)
.named("Time with all CPUs busy")
.number(Parameter::secs(0.0, 600.0));
pub(in crate::plan) const NO_DEEP_IDLE: Field = Field::new(
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
pub(super) const ROUNDS: Number = Field::new(
    "rounds",
    "Rounds",
    "How often the whole matrix is measured. With one round, configurations with overlapping \
     ranges are not ranked.",
)
.number(Parameter::count(1, 20, "rounds"));
pub(in crate::plan) const WARM_UP: Number =
    Field::new("warm-up", "Warm-up", "How long each configuration runs before frames count.")
        .number(Parameter::secs(0.0, 10.0));
const ORDER_SEED: Number = Field::new(
    "order-seed",
    "Order",
    "Configurations run in randomized order so that temperature and other programs do not favor \
     one row. The seed is saved; 0 runs them in the listed order.",
)
.named("Order seed")
.number(Parameter::count(0, u32::MAX, "seed"));

/// Spin tail of a hybrid wait. In addition to this range, `problems` requires less than half of the frame time.
const TAIL: Parameter = Parameter::millis(0.05, 10.0)
    .labeled("spin tail")
    .beginning_at(2.0)
    .or_automatic("Calibrate the spin tail");
/// Work per frame, up to 90% of a frame at 1 FPS. At higher frame rates, `problems` lowers the maximum.
const WORK_LENGTH: Parameter = Parameter::millis(0.0, 900.0);

/// Shows every setting in the form, in the order in which the window lists the settings.
pub(super) fn show(plan: &mut FrameLoop, form: &mut dyn Form) {
    form.group("Loop");
    form.value(&FPS, &mut plan.fps);
    form.value(&TIME_EACH, &mut plan.time_each);
    work(form, &mut plan.work);
    wait(form, &mut plan.wait);
    parts::switched_load(form, &mut plan.load);
    form.group("Priority × pinning");
    parts::matrix(form, &mut plan.cells);
    more(plan, form);
}

/// Shows the settings that are rarely changed.
fn more(plan: &mut FrameLoop, form: &mut dyn Form) {
    form.group("More");
    form.switch(&TAIL_SWEEP, &mut plan.tail_sweep);
    form.switch(&COMPARE_POOLS, &mut plan.compare_pools);
    form.value(&FULL_LOAD, &mut plan.full_load);
    on_miss(form, &mut plan.on_miss);
    form.switch(&NO_DEEP_IDLE, &mut plan.no_deep_idle);
    form.value(&ROUNDS, &mut plan.rounds);
    form.value(&WARM_UP, &mut plan.warm_up);
    form.value(&parts::LATE, &mut plan.late_percent);
    order_seed(form, &mut plan.order_seed);
}

pub(in crate::plan) fn work(form: &mut dyn Form, work: &mut Work) {
    let rows = [
        (
            numbered!(Work::Arithmetic, Nanos::ZERO),
            Choice::plain(
                "",
                "Arithmetic",
                "A fixed count of arithmetic, calibrated to this duration. It takes longer if the \
                 thread is disturbed.",
            )
            .with(WORK_LENGTH.beginning_at(2.0)),
        ),
        (
            numbered!(Work::Timed, Nanos::ZERO),
            Choice::plain(
                "timed",
                "Timed",
                "Spins until the duration has passed, which hides disturbances.",
            )
            .with(WORK_LENGTH.beginning_at(0.1)),
        ),
    ];
    // No work is work of no length.
    if matches!(work, Work::Nothing | Work::GameCycle(_)) {
        *work = Work::Arithmetic(Nanos::ZERO);
    }
    choose(form, &WORK, work, &rows);
    if let Work::Arithmetic(Nanos::ZERO) | Work::Timed(Nanos::ZERO) = work {
        *work = Work::Nothing;
    }
}

pub(in crate::plan) fn wait(form: &mut dyn Form, wait: &mut Wait) {
    let (hint, yields) = (SpinStrategy::SpinLoopHint, SpinStrategy::YieldThread);
    let about_hint = "Hints to the CPU that this is a spin loop.";
    let about_yield = "Yields the CPU to other threads on each iteration.";
    let rows = [
        option(
            Wait::OsSleep,
            "os-sleep",
            "OS sleep",
            "The system's sleep until the scheduled start.",
        ),
        (
            ChoiceValue::Numbered(
                |pick| Wait::Hybrid(pick.value().map_or(Tail::Measured, Tail::Fixed)),
                |wait| match wait {
                    Wait::Hybrid(Tail::Measured) => Some(Selection::plain(0)),
                    Wait::Hybrid(Tail::Fixed(tail)) => Some(Selection::with(0, tail)),
                    _ => None,
                },
            ),
            Choice::plain(
                "hybrid",
                "Hybrid",
                "Sleeps until shortly before the scheduled start, then spins. The spin tail is \
                 calibrated or given.",
            )
            .with(TAIL),
        ),
        option(Wait::Spin(SpinStrategy::None), "spin", "Spin", "Reads the clock in a tight loop."),
        (
            ChoiceValue::Plain(Wait::Spin(hint)),
            Choice::plain("spin-hint", "Spin with hint", about_hint).variant_of("spin"),
        ),
        (
            ChoiceValue::Plain(Wait::Spin(yields)),
            Choice::plain("spin-yield", "Spin and yield", about_yield).variant_of("spin"),
        ),
    ];
    choose(form, &WAIT, wait, &rows);
}

pub(in crate::plan) fn on_miss(form: &mut dyn Form, value: &mut OnMiss) {
    let options = [
        option(
            OnMiss::Skip,
            "skip",
            "Skip",
            "They are counted as missed and skipped; the schedule does not move.",
        ),
        option(
            OnMiss::CatchUp,
            "catch-up",
            "Catch up",
            "They run immediately; the schedule does not move.",
        ),
        option(
            OnMiss::Rebase,
            "rebase",
            "Re-base",
            "The next frame is scheduled from the late one, as in gdt-cpus: lateness is not carried \
             over. The lateness this hides is counted and shown.",
        ),
    ];
    choose(form, &ON_MISS, value, &options);
}

pub(in crate::plan) fn order_seed(form: &mut dyn Form, seed: &mut u64) {
    // A seed from a file may be too large for the form. It changes only if the form sets another
    // seed.
    let shown = u32::try_from(*seed).unwrap_or(u32::MAX);
    let mut value = shown;
    form.value(&ORDER_SEED, &mut value);
    if value != shown {
        *seed = u64::from(value);
    }
}

/// Returns a problem if the spin tail or the work leaves too little time for sleep in each frame.
pub(in crate::plan) fn problems(plan: &FrameLoop) -> Vec<Problem> {
    let mut problems = Problems::default();
    let period = plan.period();
    let mut tail = Nanos::ZERO;
    if let Wait::Hybrid(Tail::Fixed(fixed)) = plan.wait {
        let fits = Tail::fits(fixed, period);
        let half = period.as_millis() / 2.0;
        problems.unless(
            fits,
            WAIT.key,
            format!(
                "spin tail: {}; expected less than {half:.3} ms (half of a frame)",
                format_setting(fixed)
            ),
        );
        if fits && !plan.tail_sweep {
            tail = fixed;
        }
    }
    let most_work = Nanos::new(period.get() / 10 * 9) - tail;
    let less = if tail == Nanos::ZERO { "" } else { " minus the spin tail" };
    problems.unless(
        plan.work.length() <= most_work,
        WORK.key,
        format!(
            "work per frame: {}; expected 0 s to {:.3} ms (90% of a frame{less})",
            format_setting(plan.work.length()),
            most_work.as_millis(),
        ),
    );
    problems.found()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::conditions::Cell;
    use crate::plan::{CpuChoice, CpuFacts, Load, LoadCount, Plan, Priority};

    fn cpus() -> CpuFacts {
        CpuFacts { usable: vec![0, 1, 2, 5], physical_count: Some(2), ..CpuFacts::default() }
    }

    fn check(plan: &FrameLoop, expected: &str) {
        let problems = Plan::FrameLoop(plan.clone()).problems(&cpus());
        assert_eq!(
            problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>(),
            [expected]
        );
    }

    #[test]
    fn what_is_out_of_range_is_named_with_the_range() {
        let good = FrameLoop::default();
        assert_eq!(Plan::FrameLoop(good.clone()).problems(&cpus()), []);
        for fps in [0.0, -1.0, 5_000.0, f64::NAN, f64::INFINITY] {
            check(
                &FrameLoop { fps, ..good.clone() },
                &format!("target frame rate: {fps} FPS; expected 1 to 1000 FPS"),
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
            "spin tail: 10 ms; expected less than 3.472 ms (half of a frame)",
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

    /// Enters a number for the order seed and leaves everything else as it is.
    struct Enter(f64);
    impl Form for Enter {
        fn number(&mut self, _: &Number, value: &mut f64) {
            *value = self.0;
        }
        fn choice(&mut self, _: &Field, _: &mut Selection, _: &[Choice]) {}
        fn set(&mut self, _: &Field, _: &mut Vec<Selection>, _: &[Choice]) {}
        fn matrix(&mut self, _: &Field, _: &Field, _: &mut Vec<Cell>) {}
        fn switch(&mut self, _: &Field, _: &mut bool) {}
    }

    #[test]
    fn the_largest_order_seed_is_set() {
        let mut seed = 1;
        order_seed(&mut Enter(f64::from(u32::MAX)), &mut seed);
        assert_eq!(seed, u64::from(u32::MAX));
        let mut from_a_file = u64::MAX;
        order_seed(&mut Enter(f64::from(u32::MAX)), &mut from_a_file);
        assert_eq!(from_a_file, u64::MAX);
    }

    #[test]
    fn a_form_that_changes_nothing_leaves_the_settings_as_they_are() {
        struct Still;
        impl Form for Still {
            fn number(&mut self, _: &Number, _: &mut f64) {}
            fn choice(&mut self, _: &Field, _: &mut Selection, _: &[Choice]) {}
            fn set(&mut self, _: &Field, _: &mut Vec<Selection>, _: &[Choice]) {}
            fn matrix(&mut self, _: &Field, _: &Field, _: &mut Vec<Cell>) {}
            fn switch(&mut self, _: &Field, _: &mut bool) {}
            fn begin_when(&mut self, _: bool, _: &'static str) -> bool {
                true
            }
        }
        for preset in super::super::presets() {
            let mut plan = preset.plan.clone();
            plan.probe_mut().settings(&mut Still);
            assert_eq!(plan, preset.plan, "{}", preset.key);
        }
    }
}
