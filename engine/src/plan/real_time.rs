//! The real-time test: compares frame pacing under real-time policies with normal scheduling.

use serde::{Deserialize, Serialize};

use super::conditions::{Deadline, MmcssTask};
use super::form::parts::{self, Problems};
use super::form::{Choice, ChoiceValue, Number, Parameter, Selection, choose_several, option};
use super::{
    Conditions, CpuChoice, CpuFacts, Field, Form, Length, Listing, Load, LoadCount, LoadKind,
    OnMiss, Pace, Plan, Preset, Priority, Probe, Problem, Stage, Trial, Wait, Work,
};
use crate::nanos::Nanos;
use crate::units::{format_count, format_fps, format_long_time, format_setting};

/// The settings of the real-time test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RealTime {
    /// Frames per second, 1 to 1 000.
    pub fps: f64,
    /// Measuring time for normal scheduling and for each policy, all blocks together.
    #[serde(rename = "time_each_nanos")]
    pub time_each: Nanos,
    /// Length of a block; normal and real-time scheduling alternate from block to block.
    #[serde(rename = "turn_nanos")]
    pub turn: Nanos,
    /// Length of the work per frame.
    #[serde(rename = "work_nanos")]
    pub work: Nanos,
    /// The policies to compare with normal scheduling.
    pub policies: Vec<Priority>,
    /// CPU time that DEADLINE reserves per period; 0 derives the time from the measured work.
    #[serde(rename = "runtime_nanos")]
    pub runtime: Nanos,
    /// Time from the start of a period by which DEADLINE grants the `runtime`; 0 is the end of the period.
    #[serde(rename = "deadline_nanos", default)]
    pub deadline: Nanos,
    /// Period of DEADLINE; 0 is the frame time.
    #[serde(rename = "deadline_period_nanos", default)]
    pub deadline_period: Nanos,
    /// Whether frames under normal scheduling run in a pool of workers that also runs the load, as in Holoscan.
    #[serde(default)]
    pub pooled: bool,
    /// Pinning of the measuring thread, under normal and real-time scheduling.
    pub cpu: CpuChoice,
    /// Background load, under normal and real-time scheduling.
    pub load: Load,
    /// Late threshold: a frame is late if its lateness exceeds this percentage of the frame time.
    pub late_percent: f64,
}

/// Returns whether the program runs on the system with this name in `std::env::consts::OS`.
fn is_on(system: &str) -> bool {
    std::env::consts::OS == system
}

/// Returns the default policy on this system.
fn default_policy() -> Priority {
    if is_on("linux") { Priority::Fifo(10) } else { Priority::TimeCritical }
}

impl Default for RealTime {
    fn default() -> Self {
        Self {
            fps: 60.0,
            time_each: Nanos::from_secs(30),
            turn: Nanos::from_secs(2),
            work: Nanos::from_micros(100),
            policies: vec![default_policy()],
            runtime: Nanos::ZERO,
            deadline: Nanos::ZERO,
            deadline_period: Nanos::ZERO,
            pooled: false,
            cpu: CpuChoice::Any,
            load: Load { kind: LoadKind::Calls, ..Load::PER_CPU },
            late_percent: super::DEFAULT_LATE_PERCENT.into(),
        }
    }
}

const FPS: Number =
    Field::new("fps", "Target FPS", "Frames per second.").named("Target frame rate").number(
        Parameter::fraction(1.0, 1_000.0, "FPS").commonly(&[30.0, 60.0, 120.0]).in_steps_of(1.0),
    );
const TIME_EACH: Number = Field::new(
    "duration",
    "Duration",
    "Measuring time for normal scheduling and for each policy, all blocks together.",
)
.named("Time per policy")
.number(Parameter::secs(1.0, 600.0));
const TURN: Number = Field::new(
    "block",
    "Block length",
    "Normal and real-time scheduling alternate in blocks of this length, so that temperature and \
     other programs affect both equally.",
)
.number(Parameter::secs(0.5, 600.0));
/// Half of the CPU time without a sleep after which the guard demotes a thread of an agent with administrator rights.
const MAX_WORK_MILLIS: f64 = 50.0;
const WORK: Number =
    Field::new("work", "Work per frame", "Calibrated integer arithmetic after each wake-up.")
        .number(Parameter::millis(0.0, MAX_WORK_MILLIS));
const POLICIES: Field = Field::new(
    "policy",
    "Policy",
    "Policies to compare with normal scheduling: DEADLINE, FIFO, and RR on Linux; MMCSS and \
     Time-critical on Windows; time-constraint (Time-critical) on macOS. Several can run in one \
     test.",
);
const RUNTIME: Number = Field::new(
    "runtime",
    "Runtime",
    "CPU time per period that DEADLINE reserves. 0 uses the measured p99.9 of the work plus a \
     fifth, at least a tenth of the period.",
)
.named("DEADLINE runtime")
.number(OF_DEADLINE);
const DEADLINE: Number = Field::new(
    "deadline",
    "Deadline",
    "By when in its period DEADLINE grants the runtime. 0 is the end of the period.",
)
.named("DEADLINE deadline")
.number(OF_DEADLINE);
const DEADLINE_PERIOD: Number =
    Field::new("deadline-period", "Deadline period", "Period of DEADLINE. 0 is the frame time.")
        .named("DEADLINE period")
        .number(OF_DEADLINE);
const POOLED: Field = Field::new(
    "pooled",
    "Pooled baseline",
    "Runs normal as a task in a pool that the calls of the load share, with one worker per load thread, \
     as Holoscan does. Frames then also wait for calls to end. Missed frames are caught up.",
);
/// The shortest times that the kernel accepts for DEADLINE; the exact runtime is 1,024 ns.
const MIN_RUNTIME: Nanos = Nanos::from_micros(2);
const MIN_PERIOD: Nanos = Nanos::from_micros(100);
/// Range of the three times of DEADLINE: 0 (automatic) to 1 s.
const OF_DEADLINE: Parameter = Parameter::millis(0.0, 1_000.0).or_automatic("Auto");

impl RealTime {
    /// What protects the PC while a thread has real-time priority.
    pub const SAFETY: &'static str = "Safety: a watchdog returns the thread to normal priority if it overruns, one CPU \
                                      stays free, and no system settings are changed.";

    /// Returns the target frame time.
    pub fn period(&self) -> Nanos {
        Nanos::from_secs_f64(1.0 / self.fps)
    }

    /// Returns the settings with the shares of a frame that Holoscan's benchmark requests for DEADLINE: 10% as the
    /// runtime, and 95% as the deadline.
    #[must_use]
    pub fn with_shares_of_period(self) -> Self {
        let period = self.period().get();
        Self { runtime: Nanos::new(period / 10), deadline: Nanos::new(period * 95 / 100), ..self }
    }

    /// Returns whether DEADLINE is among the policies.
    fn has_deadline(&self) -> bool {
        self.policies.iter().any(|policy| matches!(policy, Priority::Deadline(_)))
    }

    /// Returns the number of blocks of normal scheduling, and of each policy; at least one.
    pub fn blocks(&self) -> u32 {
        let turn = self.turn.get().max(1);
        u32::try_from((self.time_each.get() + turn / 2) / turn).unwrap_or(1).max(1)
    }

    /// Returns the policy. DEADLINE gets its times from the settings, with defaults for deadline and period.
    fn filled_in(&self, policy: Priority) -> Priority {
        match policy {
            Priority::Deadline(_) => {
                let or =
                    |given: Nanos, other: Nanos| if given == Nanos::ZERO { other } else { given };
                let period = or(self.deadline_period, self.period());
                Priority::Deadline(Deadline {
                    runtime: self.runtime,
                    deadline: or(self.deadline, period),
                    period,
                })
            }
            other => other,
        }
    }

    fn stage(&self, priority: Priority, round: u32) -> Stage {
        let period = self.period().get().max(1);
        let slots =
            u64::try_from((self.turn.get().min(self.time_each.get()) + period / 2) / period);
        let conditions = Conditions { priority, cpu: self.cpu, ..Conditions::NORMAL };
        let is_in_pool = self.pooled && priority == Priority::Normal;
        let on_miss = if self.pooled { OnMiss::CatchUp } else { OnMiss::Skip };
        let trial = Trial {
            label: format!("{conditions}{}", if is_in_pool { ", pooled" } else { "" }),
            round,
            pace: Pace::Grid { period: self.period(), on_miss },
            wait: Wait::OsSleep,
            work: if self.work == Nanos::ZERO {
                Work::Nothing
            } else {
                Work::Arithmetic(self.work)
            },
            conditions,
            length: Length::Slots(slots.unwrap_or(1).max(1)),
            warm_up: Nanos::from_millis(300),
            evidence_above: (!is_in_pool && self.period() >= Nanos::from_millis(1))
                .then(|| Nanos::new(period / 100).max(Nanos::from_micros(50))),
        };
        let kind = if is_in_pool { LoadKind::Pool } else { self.load.kind };
        // A denied policy would only measure normal priority once more.
        let skips_denied = priority != Priority::Normal;
        Stage { skips_denied, ..Stage::new(vec![trial], Load { kind, ..self.load }) }
    }
}

/// Shows the policies in a form and applies the user's selection.
fn policies(form: &mut dyn Form, policies: &mut Vec<Priority>) {
    let rows = [
        (
            ChoiceValue::Numbered(
                |_| Priority::Deadline(UNFILLED),
                |policy| matches!(policy, Priority::Deadline(_)).then_some(Selection::plain(0)),
            ),
            Choice::plain(
                "deadline",
                "DEADLINE",
                "Linux: reserves CPU time before a deadline in each period.",
            )
            .only_on("linux"),
        ),
        parts::FIFO,
        parts::RR,
        option(Priority::Highest, "highest", "Highest", "The priority level Highest."),
        option(
            Priority::TimeCritical,
            "time-critical",
            "Time-critical",
            "The priority level Time-critical.",
        ),
        (
            ChoiceValue::Plain(Priority::Mmcss(MmcssTask::Games)),
            Choice::plain("mmcss-games", "MMCSS Games", "Windows: the multimedia class Games.")
                .only_on("windows"),
        ),
        (
            ChoiceValue::Plain(Priority::Mmcss(MmcssTask::ProAudio)),
            Choice::plain(
                "mmcss-pro-audio",
                "MMCSS Pro Audio",
                "Windows: the multimedia class Pro Audio.",
            )
            .only_on("windows"),
        ),
    ];
    choose_several(form, &POLICIES, policies, &rows);
}

/// Placeholder for the parameters of DEADLINE, until the settings and the measured work determine them.
pub const UNFILLED: Deadline =
    Deadline { runtime: Nanos::ZERO, deadline: Nanos::ZERO, period: Nanos::ZERO };

/// Names, texts, and examples of this test in the window and on the command line.
const LISTING: Listing = Listing {
    key: "real-time",
    name: "Real-time",
    icon: "lightning",
    digit: Some(6),
    subtitle: "Effect of real-time scheduling on frame pacing",
    question: "Does real-time scheduling improve frame pacing?",
    about: "Effect of real-time scheduling on frame pacing under load. A watchdog limits real-time \
         threads.",
    examples: &[
        "--preset quick",
        "--policy fifo:10 --policy rr:10 --policy deadline --duration 15s",
        "--fps 120 --load-threads 0 --cpu 1 --policy fifo:5",
        "--preset quick --format reference",
    ],
    value_name: "lateness",
    samples_name: "frames",
    rows_name: "configurations",
    step_name: "Step",
};

impl Probe for RealTime {
    fn needs_one_of(&self) -> &[Priority] {
        &self.policies
    }

    fn presets(&self) -> Vec<Preset> {
        let default = Self::default();
        let preset =
            |key, name, about, plan| Preset { key, name, about, plan: Plan::RealTime(plan) };
        let with = |policies: Vec<Priority>| Self { policies, ..Self::default() };
        let mut presets = Vec::new();
        if is_on("linux") {
            presets.push(preset(
                "fifo",
                "60 FPS, FIFO",
                "Normal compared with SCHED_FIFO 10, 30 s each in blocks of 2 s.",
                default.clone(),
            ));
            presets.push(preset(
                "deadline",
                "60 FPS, DEADLINE",
                "Normal compared with SCHED_DEADLINE, 30 s each in blocks of 2 s.",
                with(vec![Priority::Deadline(UNFILLED)]),
            ));
            presets.push(preset(
                "all",
                "60 FPS, DEADLINE, FIFO and RR",
                "Normal compared with three policies, 30 s each in blocks of 2 s.",
                with(vec![
                    Priority::Deadline(UNFILLED),
                    Priority::Fifo(10),
                    Priority::RoundRobin(10),
                ]),
            ));
            presets.push(preset(
                "holoscan",
                "Holoscan method",
                "The method of Holoscan's benchmark: 30 s of normal in a pool of 2 workers that 2 load operators \
                 share, in calls of 20 ms, then 30 s of SCHED_DEADLINE on a dedicated thread, with a runtime of \
                 10% and a deadline of 95%.",
                Self {
                    turn: Nanos::from_secs(30),
                    work: Nanos::from_micros(140),
                    policies: vec![Priority::Deadline(UNFILLED)],
                    pooled: true,
                    load: Load {
                        count: LoadCount::Threads(2),
                        call: Nanos::from_millis(20),
                        ..default.load
                    },
                    ..default.clone()
                }
                .with_shares_of_period(),
            ));
        } else {
            presets.push(preset(
                "time-critical",
                "60 FPS, Time-critical",
                "Normal compared with Time-critical, 30 s each in blocks of 2 s.",
                default.clone(),
            ));
            if is_on("windows") {
                presets.push(preset(
                    "mmcss",
                    "60 FPS, MMCSS",
                    "Normal compared with the multimedia classes Games and Pro Audio.",
                    with(vec![
                        Priority::Mmcss(MmcssTask::Games),
                        Priority::Mmcss(MmcssTask::ProAudio),
                    ]),
                ));
            }
        }
        presets.push(preset(
            "quick",
            "Quick",
            "16 s each in blocks of 2 s.",
            Self { time_each: Nanos::from_secs(16), ..default },
        ));
        presets
    }

    fn schedule(&self) -> Option<(Nanos, f64)> {
        Some((self.period(), self.late_percent))
    }

    fn listing(&self) -> &'static Listing {
        &LISTING
    }

    fn title(&self) -> String {
        let names: Vec<String> = self.policies.iter().map(|policy| policy.name()).collect();
        format!("{}, {} and Normal", format_fps(self.fps), names.join(", "))
    }

    fn extent(&self, _trials: &[Trial]) -> String {
        let count = format_count(self.policies.len() + 1);
        let turn = self.turn.min(self.time_each);
        let each = format_long_time(turn * i64::from(self.blocks()));
        format!("{count} × {each}, in {} blocks", format_long_time(turn))
    }

    fn settings(&mut self, form: &mut dyn Form) {
        form.group("Workload");
        form.value(&FPS, &mut self.fps);
        form.value(&TIME_EACH, &mut self.time_each);
        form.value(&TURN, &mut self.turn);
        form.value(&WORK, &mut self.work);
        form.group("Real-time policy");
        policies(form, &mut self.policies);
        let has_deadline = self.has_deadline();
        let (runtime, deadline, period) =
            (&mut self.runtime, &mut self.deadline, &mut self.deadline_period);
        form.when(has_deadline, "it applies only to DEADLINE", &mut |form| {
            form.value(&RUNTIME, runtime);
            form.value(&DEADLINE, deadline);
            form.value(&DEADLINE_PERIOD, period);
        });
        parts::cpu(form, &mut self.cpu);
        form.group("Competing load");
        parts::load(form, &mut self.load);
        form.switch(&POOLED, &mut self.pooled);
        form.note(Self::SAFETY);
        form.group("More");
        form.value(&parts::LATE, &mut self.late_percent);
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        let most_work = Nanos::new(self.period().get() / 10 * 5);
        problems.unless(
            self.work <= most_work,
            WORK.field.key,
            format!(
                "work per frame: {}; expected 0 s to {:.3} ms (half of a frame), so that a \
                 real-time thread leaves CPU time to other threads",
                format_setting(self.work),
                most_work.as_millis()
            ),
        );
        if self.has_deadline()
            && let Priority::Deadline(requested) = self.filled_in(Priority::Deadline(UNFILLED))
        {
            let half = Nanos::new(requested.period.get() / 2);
            let is_accepted = MIN_PERIOD <= requested.period;
            problems.unless(
                is_accepted,
                DEADLINE_PERIOD.field.key,
                format!(
                    "period of DEADLINE: {}; the kernel expects at least {}",
                    format_setting(requested.period),
                    format_setting(MIN_PERIOD)
                ),
            );
            problems.unless(
                MIN_RUNTIME <= requested.deadline,
                DEADLINE.field.key,
                format!(
                    "deadline: {}; the kernel expects at least {}",
                    format_setting(requested.deadline),
                    format_setting(MIN_RUNTIME)
                ),
            );
            let is_automatic = self.runtime == Nanos::ZERO;
            problems.unless(
                !is_accepted || is_automatic || (MIN_RUNTIME..=half).contains(&self.runtime),
                RUNTIME.field.key,
                format!(
                    "runtime: {}; expected 0 (automatic), or {} to {} (half of the period)",
                    format_setting(self.runtime),
                    format_setting(MIN_RUNTIME),
                    format_setting(half)
                ),
            );
            let is_in_order =
                requested.runtime <= requested.deadline && requested.deadline <= requested.period;
            problems.unless(
                is_in_order,
                DEADLINE.field.key,
                format!(
                    "runtime {}, deadline {}, period {}; expected in ascending order",
                    format_setting(requested.runtime),
                    format_setting(requested.deadline),
                    format_setting(requested.period)
                ),
            );
        }
        problems.unless(
            !self.pooled || (self.load.kind == LoadKind::Calls && !self.load.is_none()),
            POOLED.key,
            "a pool needs a load of calls: --load calls, and at least 1 load thread".to_owned(),
        );
        problems.limit_trials(TURN.field.key, self.blocks(), 1 + self.policies.len());
        problems.found()
    }

    /// Returns the stages round by round: in each round, a block of normal scheduling and a block of each policy.
    fn stages(&self, _cpus: &CpuFacts) -> Vec<Stage> {
        let mut stages = Vec::new();
        for round in 0..self.blocks() {
            stages.push(self.stage(Priority::Normal, round));
            for &policy in &self.policies {
                stages.push(self.stage(self.filled_in(policy), round));
            }
        }
        stages
    }
}

#[cfg(test)]
mod tests;
