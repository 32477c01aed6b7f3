//! Output of Holoscan's `realtime_threads_benchmarking`: a printed comparison of normal scheduling with each policy, in
//! the layout of its current version and then in that of its document, plots, and a JSON file with the raw periods and
//! execution times.

mod blocks;
pub(super) mod plots;

use std::fmt::Write as _;

use super::ReferenceLine;
use crate::nanos::Nanos;
use crate::plan::{Load, LoadKind, Priority, Work};
use crate::report::model::configuration::Configuration;
use crate::run::{Run, TrialRun, counter};

/// Target frames per second, and the measured time of each configuration.
type HoloscanSettings = (f64, Nanos);

/// Returns the banner of a section: the text between two rules of 80 characters.
fn title(text: &str) -> [String; 3] {
    let rule = "=".repeat(80);
    [rule.clone(), text.to_owned(), rule]
}

/// Returns the printed lines: comparisons of normal scheduling with each policy, one after the other.
pub(super) fn lines(
    run: &Run,
    rows: &[Configuration],
    settings: HoloscanSettings,
) -> Vec<ReferenceLine> {
    let Some((normal, policies)) = rows.split_first() else { return Vec::new() };
    let mut lines = Vec::new();
    for policy in policies {
        let config = Config::of(run, normal, policy, settings);
        let (before, after) = (Half::of(run, normal), Half::of(run, policy));
        let mut out = Vec::new();
        out.extend(title("Real-time Thread Benchmark"));
        out.extend(config.lines());
        out.extend(title("Running benchmark for baseline\n(without real-time thread)"));
        out.extend(title("Running benchmark for real-time\n(with real-time scheduling)"));
        if let Some(cpu) = config.pin {
            out.push(format!("  Pinning RT thread to CPU: {cpu}"));
        }
        lines.extend(out.drain(..).map(ReferenceLine::out));
        lines.extend(denied(policy, &config));
        out.extend(title("Benchmark Configurations"));
        out.extend(config.lines());
        out.push(String::new());
        out.extend(title("Benchmark Results"));
        for (name, half) in
            [("Non-real-time Thread (Baseline)", &before), ("Real-time Thread", &after)]
        {
            out.push(format!("=== {name} ==="));
            if let Some(of) = HoloscanStatistics::of(&half.periods_millis) {
                out.push(format!("Frame period std: {:.6} ms", of.std_dev));
                out.push(format!("Frame period mean: {:.6} ms", of.average));
                out.push(format!("Frame period min/max: {:.6} ms / {:.6} ms", of.min, of.max));
                out.push(String::new());
            }
        }
        if let Some((before, after)) = HoloscanStatistics::of(&before.periods_millis)
            .zip(HoloscanStatistics::of(&after.periods_millis))
        {
            out.extend(title("Non-real-time and Real-time Thread Benchmark Comparison"));
            out.push(comparison(before.std_dev, after.std_dev));
        }
        out.extend(blocks::lines(&config, &policy.load, &before, &after));
        lines.extend(out.into_iter().map(ReferenceLine::out));
    }
    lines
}

/// Returns the reason why the policy did not run as requested, as a line on standard error; `None` if the policy did.
fn denied(row: &Configuration, config: &Config) -> Option<ReferenceLine> {
    if row.is_as_requested() && row.skipped.is_none() {
        return None;
    }
    let refusals = row.granted.iter().flat_map(|granted| &granted.refusals);
    let mut reasons: Vec<String> = refusals.map(ToString::to_string).collect();
    reasons.extend(row.skipped.clone());
    let applied = row.applied_text();
    let (policy, reasons) = (&config.policy, reasons.join(", "));
    Some(ReferenceLine::error(format!(
        "Failed to set {policy} policy: {reasons}; ran at {applied}"
    )))
}

/// Returns the line that compares the standard deviations of normal scheduling and the policy, in milliseconds. The
/// percentage is the reduction: positive is better.
fn comparison(before: f64, after: f64) -> String {
    let fall = if 0.0 < before { (before - after) / before * 100.0 } else { 0.0 };
    format!("Period std comparison: {before:8.6} ms → {after:8.6} ms  ({fall:+.6}%)")
}

/// Returns the output file of the reference tool for normal scheduling and the first policy; `None` if no policy was
/// planned.
pub(super) fn json(
    run: &Run,
    rows: &[Configuration],
    settings: HoloscanSettings,
) -> Option<String> {
    let (normal, policies) = rows.split_first()?;
    let policy = policies.first()?;
    let config = Config::of(run, normal, policy, settings);
    let (before, after) = (Half::of(run, normal), Half::of(run, policy));
    let mut text = config.json();
    for (name, before, after, end) in [
        ("period_statistics", &before.periods_millis, &after.periods_millis, ","),
        ("execution_time_statistics", &before.executions_millis, &after.executions_millis, ""),
    ] {
        text.push_str(&format!("  \"{name}\": {{\n    \"non_realtime\": {{\n"));
        section(&mut text, before);
        text.push_str("    },\n    \"realtime\": {\n");
        section(&mut text, after);
        text.push_str(&format!("    }}\n  }}{end}\n"));
    }
    text.push_str("}\n");
    Some(text)
}

fn section(text: &mut String, millis: &[f64]) {
    let of = HoloscanStatistics::of(millis).unwrap_or_default();
    text.push_str("      \"raw_data\": [");
    for (position, value) in millis.iter().enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ok = write!(text, "{comma}{value:.6}");
    }
    text.push_str(&format!(
        "],\n      \"statistics\": {{\n        \"sample_count\": {},\n        \"average\": {:.6},\n        \
         \"std_dev\": {:.6},\n        \"min\": {:.6},\n        \"max\": {:.6}\n      }}\n",
        millis.len(),
        of.average,
        of.std_dev,
        of.min,
        of.max
    ));
}

/// The settings under the names of the reference tool. The work of the tool is a loop over a list: the intensity is the
/// number of passes, and the workload size is the number of values in the list. This program gives iterations of
/// arithmetic as the intensity, and always 1 as the workload size.
struct Config {
    fps: f64,
    seconds: f64,
    policy: String,
    background_intensity: Option<u64>,
    benchmark_intensity: Option<u64>,
    worker_threads: u32,
    load_operators: u32,
    pin: Option<u32>,
}

impl Config {
    fn of(
        run: &Run,
        normal: &Configuration,
        policy: &Configuration,
        settings: HoloscanSettings,
    ) -> Self {
        let trial = |row: &Configuration| run.trials.get(*row.trials.first()?);
        let load_operators = trial(policy)
            .and_then(|trial| trial.counters.get(counter::LOAD_THREADS))
            .map_or(0, |&threads| u32::try_from(threads).unwrap_or(0));
        Self {
            fps: settings.0,
            seconds: settings.1.as_secs(),
            policy: match policy.conditions.priority {
                Priority::Deadline(_) => "SCHED_DEADLINE".to_owned(),
                Priority::Fifo(_) => "SCHED_FIFO".to_owned(),
                Priority::RoundRobin(_) => "SCHED_RR".to_owned(),
                other => other.name(),
            },
            background_intensity: trial(normal)
                .and_then(|trial| whole(per_nano(trial)? * call_nanos(&policy.load)?)),
            benchmark_intensity: trial(normal)
                .and_then(|trial| trial.counters.get(counter::WORK_TURNS))
                .and_then(|&iterations| u64::try_from(iterations).ok()),
            // The measured loop adds a thread, except in a pool, in which one of the workers runs the loop.
            worker_threads: load_operators + u32::from(normal.load.kind != LoadKind::Pool),
            load_operators,
            pin: trial(policy)
                .and_then(|trial| trial.applied.as_ref())
                .and_then(|applied| applied.selected_cpu),
        }
    }

    fn lines(&self) -> Vec<String> {
        let count = |count: Option<u64>| count.map_or("n/a".to_owned(), |count| count.to_string());
        vec![
            format!("  Target FPS: {} ({:.3} ms period)", self.fps, 1_000.0 / self.fps),
            format!("  Duration: {}s", self.seconds),
            "  Realtime: false".to_owned(),
            format!("  Background Load Intensity: {}", count(self.background_intensity)),
            "  Background Workload Size: 1".to_owned(),
            format!("  Benchmark Load Intensity: {}", count(self.benchmark_intensity)),
            "  Benchmark Workload Size: 1".to_owned(),
            format!("  Worker Thread Number: {}", self.worker_threads),
            format!("  Dummy Load Number: {}", self.load_operators),
        ]
    }

    fn json(&self) -> String {
        let count = |count: Option<u64>| count.map_or("null".to_owned(), |count| count.to_string());
        format!(
            "{{\n  \"benchmark_config\": {{\n    \"target_fps\": {},\n    \"duration_seconds\": {},\n    \
             \"scheduling_policy\": \"{}\",\n    \"bg_load_intensity\": {},\n    \"bg_workload_size\": \
             1,\n    \"bm_load_intensity\": {},\n    \"bm_workload_size\": 1,\n    \
             \"worker_thread_number\": {},\n    \"dummy_load_number\": {}\n  }},\n",
            self.fps,
            self.seconds,
            self.policy,
            count(self.background_intensity),
            count(self.benchmark_intensity),
            self.worker_threads,
            self.load_operators
        )
    }
}

/// Returns the iterations of arithmetic per nanosecond; `None` if the work is not arithmetic, or if the number of
/// iterations was not recorded.
fn per_nano(trial: &TrialRun) -> Option<f64> {
    let iterations = Nanos::new(*trial.counters.get(counter::WORK_TURNS)?).as_f64();
    match trial.trial.work {
        Work::Arithmetic(length) => Some(iterations / length.as_f64()),
        _ => None,
    }
}

/// Returns how long one call of a load thread takes, in nanoseconds; `None` if the load does not consist of calls.
fn call_nanos(load: &Load) -> Option<f64> {
    (load.kind == LoadKind::Calls && !load.is_none()).then(|| load.call.as_f64())
}

/// Rounds to the nearest whole number; `None` if the result is below 1.
fn whole(count: f64) -> Option<u64> {
    u64::try_from(Nanos::from_nanos_f64(count).get()).ok().filter(|&count| 0 < count)
}

/// The periods and execution times of normal scheduling or of a policy, in milliseconds, in order of time.
struct Half {
    periods_millis: Vec<f64>,
    executions_millis: Vec<f64>,
}

impl Half {
    /// Joins the trials of a configuration. No period spans from the last frame of a trial to the next trial.
    fn of(run: &Run, row: &Configuration) -> Self {
        let trials = || row.trials.iter().filter_map(|&position| run.trials.get(position));
        let millis = |nanos: i64| Nanos::new(nanos).as_millis();
        Self {
            periods_millis: trials()
                .flat_map(|trial| trial.samples.frame_time_nanos())
                .map(millis)
                .collect(),
            executions_millis: trials().flat_map(TrialRun::work_nanos).map(millis).collect(),
        }
    }
}

/// Mean, sample standard deviation (with n − 1; 0 for a single value), min, and max.
#[derive(Clone, Copy, Default)]
struct HoloscanStatistics {
    average: f64,
    std_dev: f64,
    min: f64,
    max: f64,
}

impl HoloscanStatistics {
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let min = values.iter().copied().min_by(f64::total_cmp)?;
        let max = values.iter().copied().max_by(f64::total_cmp)?;
        let average = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - average).powi(2)).sum::<f64>();
        let std_dev = if 1.0 < count { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Some(Self { average, std_dev, min, max })
    }
}
