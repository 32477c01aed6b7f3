//! The conditions of runs side by side (machine, system, and settings), ranked by their likely
//! effect on the numbers.

use crate::plan::Plan;
use crate::platform::PowerSource;
use crate::report::Report;
use crate::run::Run;
use crate::stats::distinct;

/// Shown if the system does not report a value.
const UNKNOWN: &str = crate::machine::NOT_REPORTED;
/// Shown if a condition does not apply to a run.
const ABSENT: &str = "–";
/// The load by other programs counts as the same if it differs by less than this share of one CPU.
const LOAD_STEP: f64 = 0.10;

/// How likely a difference is to affect the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relevance {
    /// The difference is likely to affect the numbers.
    Likely,
    /// The difference may affect the numbers.
    May,
    /// There is no difference.
    Same,
}

impl Relevance {
    /// Returns the words on screen.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Likely => "Likely to matter",
            Self::May => "May matter",
            Self::Same => "Same",
        }
    }
}

/// The name of the condition for the CPU time of other programs.
const OTHER_LOAD: &str = "Other load";

/// A condition of the runs: a setting, or a property of the machine or system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The name, such as "Kernel".
    pub name: String,
    /// The value of the condition in each run.
    pub values: Vec<String>,
    /// How likely the difference is to affect the numbers; [`Relevance::Same`] without a
    /// difference.
    pub weight: Relevance,
}

impl Condition {
    fn of(name: &str, values: Vec<String>, weight: Relevance) -> Self {
        let is_same = values.iter().all(|value| Some(value) == values.first());
        // A value that a file does not state may be the same one.
        let is_known = values.iter().all(|value| value != UNKNOWN);
        let weight = match (is_same, is_known) {
            (true, _) => Relevance::Same,
            (false, true) => weight,
            (false, false) => Relevance::May,
        };
        Self { name: name.to_owned(), values, weight }
    }

    /// Whether the value is known of at least one run.
    pub fn is_reported(&self) -> bool {
        self.values.iter().any(|value| value != UNKNOWN)
    }

    /// Whether the runs are known to have had different load in addition to the measuring thread:
    /// load threads or other programs.
    pub fn is_different_load(&self) -> bool {
        let is_load = self.name == OTHER_LOAD || self.name.starts_with("Load ");
        let is_known = !self.values.iter().any(|value| value == UNKNOWN);
        is_load && is_known && self.weight != Relevance::Same
    }
}

/// Returns that nothing differs that is likely to matter; or, where the files state little, how much is unknown.
pub(super) fn no_difference(conditions: &[Condition]) -> String {
    let all = conditions.len();
    let unknown = conditions.iter().filter(|one| !one.is_reported()).count();
    if 2 * unknown <= all {
        return "No differences in machine or settings that are likely to matter.".to_owned();
    }
    format!(
        "No known differences in machine or settings: {unknown} of {all} conditions are not reported."
    )
}

/// Returns every condition. Conditions that differ come first, in descending order of their likely
/// effect on the numbers.
pub(super) fn of(runs: &[(&Run, &Report)]) -> Vec<Condition> {
    let all = |name: &str, weight, value: fn(&Run) -> String| {
        Condition::of(name, runs.iter().map(|(run, _)| value(run)).collect(), weight)
    };
    let known = |value: &Option<String>| value.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let texts = |value: &dyn Fn(&Run) -> String| -> Vec<String> {
        runs.iter().map(|(run, _)| value(run)).collect()
    };
    let mut conditions = vec![
        Condition::of("System", texts(&|run| known(&run.machine.os)), Relevance::Likely),
        Condition::of("Kernel", texts(&|run| known(&run.machine.kernel)), Relevance::Likely),
        Condition::of("Processor", texts(&|run| known(&run.machine.cpu_model)), Relevance::Likely),
        all("CPUs", Relevance::Likely, |run| match run.machine.cpus.len() {
            0 => UNKNOWN.to_owned(),
            count => count.to_string(),
        }),
        Condition::of("GPU", texts(&|run| known(&run.machine.gpu)), Relevance::Likely),
        Condition::of(
            "GPU driver",
            texts(&|run| known(&run.machine.gpu_driver)),
            Relevance::Likely,
        ),
        Condition::of(
            governor_or_plan(runs),
            texts(&|run| known(&run.machine.power.governor_or_plan)),
            Relevance::Likely,
        ),
        all("Power", Relevance::Likely, power),
        other_load(runs),
        all("Virtual machine", Relevance::Likely, |run| {
            // A file of another program does not state it.
            let absent = if run.plan().is_some() { "no" } else { UNKNOWN };
            run.machine.virtualization.clone().unwrap_or_else(|| absent.to_owned())
        }),
        all("Build", Relevance::Likely, |run| {
            match run.plan() {
                Some(_) if run.health.debug_build => "debug",
                Some(_) => "release",
                None => ABSENT,
            }
            .to_owned()
        }),
        // A recording of another program has no method version of this program.
        all("Method version", Relevance::Likely, |run| {
            run.plan().map_or_else(|| ABSENT.to_owned(), |_| run.method_version.to_string())
        }),
        all("App version", Relevance::May, |run| run.app_version.clone()),
    ];
    if runs.iter().any(|(run, _)| run.host.is_some()) {
        conditions.push(all("Host", Relevance::May, |run| {
            run.host.clone().unwrap_or_else(|| ABSENT.to_owned())
        }));
    }
    conditions.push(all("Memory", Relevance::May, |run| {
        run.machine.memory_bytes.map_or_else(
            || UNKNOWN.to_owned(),
            |bytes| {
                format!("{:.0} GiB", crate::nanos::Nanos::new(gibi_tenths(bytes)).as_f64() / 10.0)
            },
        )
    }));
    conditions.push(all("Clock", Relevance::May, |run| {
        let name = &run.clock.name;
        if name.is_empty() { UNKNOWN.to_owned() } else { name.clone() }
    }));
    conditions.extend(scheduler(runs));
    // Settings come before properties of the machine if both have the same weight.
    conditions.splice(0..0, settings_of(runs));
    // Files of other programs have no build and no method version of this program.
    let is_measured = runs.iter().any(|(run, _)| run.plan().is_some());
    conditions.retain(|one| is_measured || one.values.iter().any(|value| value != ABSENT));
    conditions.sort_by_key(|condition| condition.weight);
    conditions
}

/// Returns the system's term for the setting that controls the CPU frequency.
fn governor_or_plan(runs: &[(&Run, &Report)]) -> &'static str {
    let is_windows =
        |run: &Run| run.machine.os.as_deref().is_some_and(|os| os.starts_with("Windows"));
    let windows = runs.iter().filter(|(run, _)| is_windows(run)).count();
    match windows {
        0 => "Governor",
        _ if windows == runs.len() => "Power plan",
        _ => "Governor (Linux), power plan (Windows)",
    }
}

/// Converts bytes to tenths of a gibibyte.
fn gibi_tenths(bytes: u64) -> i64 {
    i64::try_from(bytes / ((1 << 30) / 10)).unwrap_or(i64::MAX)
}

fn power(run: &Run) -> String {
    match run.machine.power.source {
        None => UNKNOWN.to_owned(),
        Some(PowerSource::Mains) => "AC power".to_owned(),
        Some(PowerSource::Battery { .. }) => "battery".to_owned(),
    }
}

/// Returns the condition for the CPU time of other programs: the maximum share of one CPU in any
/// trial.
fn other_load(runs: &[(&Run, &Report)]) -> Condition {
    let shares: Vec<Option<f64>> = runs
        .iter()
        .map(|(run, _)| {
            let shares = run.trials.iter().filter_map(crate::run::TrialRun::foreign_share);
            shares.max_by(f64::total_cmp)
        })
        .collect();
    let texts = shares
        .iter()
        .map(|share| share.map_or(UNKNOWN.to_owned(), |share| format!("{:.0}%", share * 100.0)))
        .collect();
    let known: Vec<f64> = shares.iter().copied().flatten().collect();
    let lowest = known.iter().copied().fold(f64::INFINITY, f64::min);
    let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut condition = Condition::of(OTHER_LOAD, texts, Relevance::Likely);
    if known.len() == shares.len() && most - lowest < LOAD_STEP {
        condition.weight = Relevance::Same;
    }
    condition
}

/// Returns the test and its settings as conditions, with the names and values that the UI shows.
fn settings_of(runs: &[(&Run, &Report)]) -> Vec<Condition> {
    let of_run = |run: &Run| {
        let settings = run.plan().map_or_else(Vec::new, Plan::settings);
        settings.into_iter().map(|setting| (setting.name, setting.value)).collect()
    };
    let test = runs.iter().map(|(run, _)| run.subject.name().to_owned()).collect();
    let mut conditions = vec![Condition::of("Test", test, Relevance::Likely)];
    let lists: Vec<_> = runs.iter().map(|(run, _)| of_run(run)).collect();
    conditions.extend(by_name(&lists, Relevance::Likely));
    conditions
}

/// Returns a condition for each name in `lists`, which holds the names and values of each run.
fn by_name(lists: &[Vec<(&str, String)>], weight: Relevance) -> impl Iterator<Item = Condition> {
    let names = distinct(lists.iter().flatten().map(|(name, _)| *name));
    let value = |list: &Vec<(&str, String)>, name| {
        let found = list.iter().find(|(known, _)| *known == name);
        found.map_or(ABSENT.to_owned(), |(_, value)| value.clone())
    };
    names.into_iter().map(move |name| {
        Condition::of(name, lists.iter().map(|list| value(list, name)).collect(), weight)
    })
}

/// Facts that a system states only where they apply, and that are likely to affect the numbers: CPUs without other
/// threads or without ticks, and a preemptible kernel.
const ONLY_WHERE_SET: [&str; 3] = ["isolated_cpus", "nohz_full_cpus", "preempt_rt"];

/// Returns the scheduler limits of the systems as conditions.
fn scheduler<'a>(runs: &[(&'a Run, &Report)]) -> Vec<Condition> {
    let facts = || runs.iter().map(|(run, _)| run.machine.scheduler.as_slice());
    let names: Vec<&'a str> = distinct(
        runs.iter().flat_map(|(run, _)| &run.machine.scheduler).map(|(name, _)| name.as_str()),
    );
    let condition = |name: &str| {
        let is_only_where_set = ONLY_WHERE_SET.contains(&name);
        let value = |facts: &[(String, String)]| {
            let found = facts.iter().find(|(known, _)| known == name);
            let absent = if is_only_where_set && !facts.is_empty() { "none" } else { UNKNOWN };
            found.map_or_else(|| absent.to_owned(), |(_, value)| value.clone())
        };
        let is_likely = is_only_where_set || name == crate::platform::KERNEL_OPTIONS;
        let weight = if is_likely { Relevance::Likely } else { Relevance::May };
        Condition::of(name, facts().map(value).collect(), weight)
    };
    names.into_iter().map(condition).collect()
}
