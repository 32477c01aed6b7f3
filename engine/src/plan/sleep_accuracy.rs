//! The sleep accuracy test: measures how long sleeps actually take.

use serde::{Deserialize, Serialize};

use super::form::parts::{self, LoadCondition, Problems};
use super::form::{Choice, ChoiceValue, Number, Parameter, choose_several, lengths, option};
use super::{
    Conditions, CpuChoice, CpuFacts, Field, Form, Length, Listing, Load, Pace, Plan, Preset,
    Priority, Probe, Problem, Stage, Trial, Wait, Work,
};
use crate::nanos::Nanos;
use crate::units::{format_count, format_setting};

/// How a sleep is requested from the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SleepMethod {
    /// A sleep for a duration, as most programs request it.
    Relative,
    /// A sleep until an absolute time.
    Absolute,
    /// A sleep for whole milliseconds with the Windows function `Sleep`, which many programs call.
    WholeMillis,
}

/// Maximum sleep of [`SleepMethod::WholeMillis`]. The sleep is one call that a stop cannot end. It is not split into
/// two calls because the system would round each call to its timer.
const LONGEST_CALL: Nanos = Nanos::from_millis(50);

/// Key of [`SleepMethod::WholeMillis`] on the command line.
const WHOLE_MILLIS: &str = "whole-millis";

/// Requested timer resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Timers {
    /// The system's default.
    #[serde(alias = "usual")]
    Default,
    /// Linux: a timer slack of 1 ns; Windows: the finest timer resolution.
    Finest,
}

/// The settings of the sleep accuracy test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SleepAccuracy {
    /// Requested sleep durations, 1 ns to 1 s.
    #[serde(rename = "lengths_nanos")]
    pub lengths: Vec<Nanos>,
    /// Number of sleeps per series, 10 to 100 000. A series is the measurement of one configuration.
    pub count: u32,
    /// Number of sleeps per series of a duration of 1 ms or longer; absent if it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_count: Option<u32>,
    /// Maximum time per series.
    #[serde(rename = "at_most_nanos")]
    pub at_most: Nanos,
    /// How the sleeps are requested.
    pub methods: Vec<SleepMethod>,
    /// Timer resolutions to request.
    pub timers: Vec<Timers>,
    /// Load conditions: idle, under load, or both.
    pub circumstances: Vec<LoadCondition>,
    /// Background load of the configurations under load.
    pub load: Load,
    /// Priority of the sleeping thread.
    pub priority: Priority,
    /// Pinning of the sleeping thread.
    pub cpu: CpuChoice,
}

/// Sleep durations of the reference tool `spin_sleep`, in the order in which the tool measures them.
const SOURCE: [Nanos; 3] = [Nanos::new(1), Nanos::from_micros(1), Nanos::from_millis(1)];

impl Default for SleepAccuracy {
    fn default() -> Self {
        Self {
            lengths: SOURCE.to_vec(),
            count: 1_000,
            long_count: None,
            at_most: Nanos::from_secs(20),
            methods: vec![SleepMethod::Relative],
            timers: vec![Timers::Default],
            circumstances: vec![LoadCondition::Idle, LoadCondition::Load],
            load: Load::PER_CPU,
            priority: Priority::Normal,
            cpu: CpuChoice::Any,
        }
    }
}

const LENGTHS: Field =
    Field::new("sleep", "Durations", "Requested sleep durations; measured one after the other.")
        .named("Sleep durations");
const COUNT: Number = Field::new(
    "count",
    "Sleeps",
    "Number of sleeps per duration. p99 needs 100, p99.9 needs 1\u{202f}000.",
)
.named("Sleeps per duration")
.number(Parameter::count(10, 100_000, "sleeps"));
const LONG_COUNT: Number = Field::new(
    "long-count",
    "Long sleeps",
    "Number of sleeps per duration of 1 ms or longer, if it is not the same.",
)
.named("Sleeps of 1 ms or longer")
.number(Parameter::count(10, 100_000, "sleeps"));
/// Sleeps of this duration or longer have their own number of sleeps.
const LONG_SLEEP: Nanos = Nanos::from_millis(1);
const AT_MOST: Number =
    Field::new("time-limit", "Time limit", "Maximum time per series, even if it has fewer sleeps.")
        .named("Time limit per series")
        .number(Parameter::secs(0.1, 600.0));
const METHODS: Field = Field::new(
    "method",
    "Method",
    "Sleep for a duration, as most programs do, or until an absolute time. On Windows also the \
     function Sleep, which many games call.",
)
.named("Sleep method");
const TIMERS: Field = Field::new(
    "timers",
    "Timers",
    "On Linux, the kernel delays wake-ups of normal threads by up to 50 µs to bundle them (timer \
     slack). Windows ticks every 15.6 ms unless a program requests more. Finest requests 1 ns or \
     1 ms.",
);

impl SleepAccuracy {
    /// Returns the number of sleeps of this duration.
    fn count_of(&self, length: Nanos) -> u32 {
        self.long_count.filter(|_| LONG_SLEEP <= length).unwrap_or(self.count)
    }

    fn stage(
        &self,
        length: Nanos,
        method: SleepMethod,
        timers: Timers,
        condition: LoadCondition,
    ) -> Stage {
        let is_finest = timers == Timers::Finest;
        let is_idle = condition == LoadCondition::Idle;
        let (wait, name) = match method {
            SleepMethod::Relative => (Wait::Relative, ""),
            SleepMethod::Absolute => (Wait::OsSleep, ", absolute"),
            SleepMethod::WholeMillis => (Wait::WholeMillis, ", Sleep(n)"),
        };
        let mut label = format_setting(length);
        label.push_str(name);
        if is_finest {
            label.push_str(", finest timers");
        }
        label.push_str(if is_idle { ", idle" } else { ", load" });
        let trial = Trial {
            label,
            round: 0,
            pace: Pace::After { length },
            wait,
            work: Work::Nothing,
            conditions: Conditions {
                priority: self.priority,
                cpu: self.cpu,
                timer_slack: if is_finest { Nanos::new(1) } else { Nanos::ZERO },
                fine_timer: is_finest,
                no_deep_idle: false,
            },
            length: Length::Turns {
                count: u64::from(self.count_of(length)),
                at_most: self.at_most,
            },
            warm_up: Nanos::ZERO,
            evidence_above: None,
        };
        let load = if is_idle { Load::NONE } else { self.load };
        let settle = if is_idle { Nanos::ZERO } else { Nanos::from_secs(1) };
        Stage { settle, ..Stage::new(vec![trial], load) }
    }
}

/// Names, texts, and examples of this test in the window and on the command line.
const LISTING: Listing = Listing {
    key: "sleep-accuracy",
    name: "Sleep accuracy",
    icon: "moon",
    digit: Some(3),
    subtitle: "Actual sleep duration, idle and under load",
    question: "How accurate is sleep on this PC?",
    about: "Actual sleep duration, idle and under load. Shows how long a frame limiter must spin \
         after a sleep.",
    examples: &[
        "--preset quick",
        "--sleep 1ms --sleep 16.67ms --count 500 --conditions idle",
        "--sleep 1ms --method relative --method absolute --timers default --timers finest",
        "--preset spin-sleep --format reference",
    ],
    value_name: "overshoot",
    samples_name: "sleeps",
    rows_name: "configurations",
    step_name: "Step",
};

impl Probe for SleepAccuracy {
    fn presets(&self) -> Vec<Preset> {
        let base = Self::default();
        let preset =
            |key, name, about, plan| Preset { key, name, about, plan: Plan::SleepAccuracy(plan) };
        let millis = Nanos::from_millis;
        vec![
            preset(
                "default",
                "1 ns, 1 µs and 1 ms, idle and load",
                "1\u{202f}000 sleeps each, idle and with one load thread per logical CPU.",
                base.clone(),
            ),
            preset(
                "sweep",
                "1 µs to 16 ms, idle and load",
                "1 µs, 100 µs, 1, 2, 5, 10 and 16 ms, 500 sleeps each.",
                Self {
                    lengths: vec![
                        Nanos::from_micros(1),
                        Nanos::from_micros(100),
                        millis(1),
                        millis(2),
                        millis(5),
                        millis(10),
                        millis(16),
                    ],
                    count: 500,
                    ..base.clone()
                },
            ),
            preset(
                "methods",
                "1 ms: methods and timers",
                "Sleeps of 1 ms by every method, with default and with finest timers, idle.",
                Self {
                    lengths: vec![millis(1)],
                    count: 3_000,
                    methods: [SleepMethod::Relative, SleepMethod::Absolute]
                        .into_iter()
                        .chain(has_sleep_function().then_some(SleepMethod::WholeMillis))
                        .collect(),
                    timers: vec![Timers::Default, Timers::Finest],
                    circumstances: vec![LoadCondition::Idle],
                    ..base.clone()
                },
            ),
            preset(
                "quick",
                "Quick",
                "100 sleeps each, idle.",
                Self { count: 100, circumstances: vec![LoadCondition::Idle], ..base.clone() },
            ),
            preset(
                "spin-sleep",
                "spin_sleep method",
                "Settings of the reference tool: 1\u{202f}000 sleeps of 1 ns and 1 µs and 50 of 1 ms, \
                 relative, idle and with one load thread per logical CPU. The longest of 50 sleeps misses \
                 rarer outliers.",
                Self { long_count: Some(50), ..base },
            ),
        ]
    }

    fn listing(&self) -> &'static Listing {
        &LISTING
    }

    fn title(&self) -> String {
        let method = match self.methods.as_slice() {
            [SleepMethod::Relative] => "OS sleep".to_owned(),
            [SleepMethod::Absolute] => "absolute sleep".to_owned(),
            [SleepMethod::WholeMillis] => "Sleep(n)".to_owned(),
            methods => format!("{} methods", methods.len()),
        };
        format!(
            "{}, {}, {method}",
            parts::range(&self.lengths),
            parts::conditions_title(&self.circumstances)
        )
    }

    fn extent(&self, trials: &[Trial]) -> String {
        let mut counts: Vec<u32> = self.lengths.iter().map(|&one| self.count_of(one)).collect();
        counts.sort_unstable();
        counts.dedup();
        let each: Vec<String> = counts.into_iter().map(format_count).collect();
        format!("{} series of {} sleeps", format_count(trials.len()), each.join(" or "))
    }

    fn settings(&mut self, form: &mut dyn Form) {
        form.group("Sleeps");
        lengths(
            form,
            &LENGTHS,
            &mut self.lengths,
            &[
                (Nanos::new(1), "1ns", "1 ns"),
                (Nanos::from_micros(1), "1us", "1 µs"),
                (Nanos::from_millis(1), "1ms", "1 ms"),
            ],
            Parameter::time(1.0, 1e9).beginning_at(5e6),
        );
        form.value(&COUNT, &mut self.count);
        // A count out of range is reported once, as the number of all sleeps.
        let shown = self.long_count.unwrap_or(self.count.clamp(10, 100_000));
        let mut long = shown;
        form.value(&LONG_COUNT, &mut long);
        if long != shown {
            self.long_count = Some(long);
        }
        form.value(&AT_MOST, &mut self.at_most);
        choose_several(
            form,
            &METHODS,
            &mut self.methods,
            &[
                option(SleepMethod::Relative, "relative", "System sleep", "Sleeps for a duration."),
                option(
                    SleepMethod::Absolute,
                    "absolute",
                    "Absolute",
                    "Sleeps until an absolute time.",
                ),
                (
                    ChoiceValue::Plain(SleepMethod::WholeMillis),
                    Choice::plain(
                        WHOLE_MILLIS,
                        "Sleep(n)",
                        "Windows: the function Sleep, in whole milliseconds, rounded up.",
                    )
                    .only_on("windows"),
                ),
            ],
        );
        choose_several(
            form,
            &TIMERS,
            &mut self.timers,
            &[
                option(Timers::Default, "default", "Default", "The system's default."),
                option(Timers::Finest, "finest", "Finest", "The finest that can be requested."),
            ],
        );
        parts::conditions(form, &mut self.circumstances, &mut self.load);
        form.group("Measuring thread");
        parts::priority(form, &mut self.priority);
        parts::cpu(form, &mut self.cpu);
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        problems.unless(
            has_sleep_function() || !self.methods.contains(&SleepMethod::WholeMillis),
            METHODS.key,
            format!("'{WHOLE_MILLIS}' is only available on Windows; select relative or absolute"),
        );
        problems.unless(
            !self.methods.contains(&SleepMethod::WholeMillis)
                || self.lengths.iter().all(|&length| length <= LONGEST_CALL),
            LENGTHS.key,
            format!(
                "'{WHOLE_MILLIS}' sleeps in one call, which a stop cannot end; select at most {}",
                format_setting(LONGEST_CALL)
            ),
        );
        problems.found()
    }

    fn stages(&self, _cpus: &CpuFacts) -> Vec<Stage> {
        let mut stages = Vec::new();
        for &condition in &self.circumstances {
            for &length in &self.lengths {
                for &method in &self.methods {
                    for &timers in &self.timers {
                        stages.push(self.stage(length, method, timers, condition));
                    }
                }
            }
        }
        stages
    }
}

fn has_sleep_function() -> bool {
    std::env::consts::OS == "windows"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_for_each_length_method_timer_and_condition() {
        let plan = SleepAccuracy::default().presets().remove(2).plan;
        let labels: Vec<String> = plan
            .probe()
            .stages(&CpuFacts::default())
            .into_iter()
            .map(|mut s| s.trials.remove(0).label)
            .collect();
        let of_windows = ["1 ms, Sleep(n), idle", "1 ms, Sleep(n), finest timers, idle"];
        let expected = [
            "1 ms, idle",
            "1 ms, finest timers, idle",
            "1 ms, absolute, idle",
            "1 ms, absolute, finest timers, idle",
        ];
        let expected =
            expected.into_iter().chain(of_windows.into_iter().filter(|_| has_sleep_function()));
        assert_eq!(labels, expected.collect::<Vec<_>>());
    }

    #[test]
    fn the_reference_preset_has_the_counts_of_the_tool() {
        let presets = SleepAccuracy::default().presets();
        let counts = |key: &str| -> Vec<u64> {
            let preset = presets.iter().find(|preset| preset.key == key).unwrap();
            let stages = preset.plan.probe().stages(&CpuFacts::default());
            stages.iter().map(|stage| stage.trials[0].slot_count()).collect()
        };
        assert_eq!(counts("spin-sleep"), [1_000, 1_000, 50, 1_000, 1_000, 50]);
        assert_eq!(counts("default"), [1_000; 6]);
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let cpus = CpuFacts { usable: vec![0, 1], physical_count: None, ..CpuFacts::default() };
        let messages = |plan: SleepAccuracy| -> Vec<String> {
            let problems = Plan::SleepAccuracy(plan).problems(&cpus);
            problems.into_iter().map(|problem| problem.message).collect()
        };
        let lengths = vec![Nanos::ZERO, Nanos::from_millis(51)];
        let ranges = SleepAccuracy { lengths: lengths.clone(), count: 1, ..Default::default() };
        assert_eq!(
            messages(ranges),
            [
                "sleep durations: 0 ns; expected 1 ns to 1 s",
                "sleeps per duration: 1; expected 10 to 100\u{202f}000",
            ]
        );
        let methods = vec![SleepMethod::WholeMillis];
        let plan = SleepAccuracy { lengths: lengths[1..].to_vec(), methods, ..Default::default() };
        let expected = [
            "'whole-millis' is only available on Windows; select relative or absolute",
            "'whole-millis' sleeps in one call, which a stop cannot end; select at most 50 ms",
        ];
        assert_eq!(messages(plan), expected[usize::from(has_sleep_function())..]);
        let nothing = messages(SleepAccuracy { methods: Vec::new(), ..Default::default() });
        let [problem] = nothing.as_slice() else { panic!("{nothing:?}") };
        assert!(problem.contains("none is selected; select at least one: relative, absolute"));
        assert_eq!(problem.contains(WHOLE_MILLIS), has_sleep_function(), "{problem}");
    }

    #[test]
    fn a_title_counts_several_methods() {
        let title = |methods: &[SleepMethod]| {
            SleepAccuracy { methods: methods.to_vec(), ..Default::default() }.title()
        };
        let all = [SleepMethod::Relative, SleepMethod::WholeMillis, SleepMethod::Absolute];
        for (methods, end) in
            [(&all[..1], "OS sleep"), (&all[..2], "2 methods"), (&all, "3 methods")]
        {
            assert!(title(methods).ends_with(&format!(", {end}")), "{methods:?}");
        }
    }
}
