//! What a matrix of priority × pinning shows: which priority helps, whether pinning adds anything, and which priority is
//! worse than Normal. Each conclusion is certain: its interval excludes 0, together with those of all other pairs.

use super::super::model::ranking::evaluated;
use super::super::resampled::source_of;
use crate::plan::{CpuChoice, Priority};
use crate::report::model::configuration::Configuration;
use crate::report::model::metric::{Metric, MetricKind, Track};
use crate::run::Run;
use crate::stats::blocks::{Bins, MIN_ROUNDS, ResampleSource, Resampled};
use crate::stats::effect::{ASSUMED_FREEDOM, Estimated, Method, RunVariation, holm_levels};
use crate::stats::{Outcome, Statistic, distinct, position};
use crate::units::{format_time, join_names};

/// Seed of the resampling. A fixed seed gives the same interval whenever the samples are the same.
const SEED: u64 = 0x6d61_7472_6978;
/// A change of p99 lateness does not matter below this share of the target frame time.
const MIN_SHARE_OF_PERIOD: f64 = 1.0 / 20_000.0;

/// The conclusions, each as a sentence; `None` where the data supports none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Conclusions {
    /// Which priorities have clearly lower p99 lateness than Normal.
    pub priority: Option<String>,
    /// Whether pinning lowers p99 lateness, or clearly does not.
    pub pinning: Option<String>,
    /// Which priorities have clearly higher p99 lateness than Normal.
    pub worse: Option<String>,
}

impl Conclusions {
    /// Draws the conclusions of a run; none while it is in progress.
    pub(super) fn of(run: &Run, rows: &[Configuration]) -> Self {
        let pairs = pairs(run, rows);
        let of_kind = |is_pin: bool| pairs.iter().filter(move |pair| pair.is_pin() == is_pin);
        let (helping, worse) = (
            levels(of_kind(false), Outcome::is_improvement),
            levels(of_kind(false), Outcome::is_decline),
        );
        let only = |of: &[&Pair<'_>], others: &[&Pair<'_>]| -> Vec<Priority> {
            let among = |of: &[&Pair<'_>], priority| of.iter().any(|it| it.priority() == priority);
            let mut found = distinct(of.iter().map(|pair| pair.priority()));
            found.retain(|&priority| !among(others, priority));
            found
        };
        let helps = only(&helping, &worse);
        let declines = only(&worse, &helping);
        Self {
            priority: (!helps.is_empty()).then(|| {
                let verb = if helps.len() == 1 { "priority helps" } else { "priority help" };
                format!("{} {verb}: {}.", names(&helps), numbers(&helping, &helps))
            }),
            pinning: pinning(&of_kind(true).collect::<Vec<_>>()),
            worse: (!declines.is_empty()).then(|| {
                let verb = if declines.len() == 1 { "is" } else { "are" };
                format!(
                    "{} {verb} worse than Normal on this PC: {}.",
                    names(&declines),
                    numbers(&worse, &declines)
                )
            }),
        }
    }

    /// Returns the sentences.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        [&self.priority, &self.pinning, &self.worse].into_iter().filter_map(Option::as_deref)
    }
}

/// Two configurations that differ in one thing, and whether the second one is better.
struct Pair<'a> {
    from: &'a Configuration,
    to: &'a Configuration,
    outcome: Outcome,
}

impl Pair<'_> {
    fn is_pin(&self) -> bool {
        self.from.conditions.cpu != self.to.conditions.cpu
    }

    fn priority(&self) -> Priority {
        self.to.conditions.priority
    }

    /// Returns the p99 of both: "5 µs instead of 52 µs".
    fn numbers(&self) -> String {
        let [from, to] = [self.from, self.to].map(|row| format_time(row.p99().unwrap_or_default()));
        format!("{to} instead of {from}")
    }
}

fn levels<'a, 'b>(
    pairs: impl Iterator<Item = &'b Pair<'a>>,
    is_wanted: impl Fn(Outcome) -> bool,
) -> Vec<&'b Pair<'a>>
where
    'a: 'b,
{
    pairs.filter(|pair| is_wanted(pair.outcome)).collect()
}

fn names(priorities: &[Priority]) -> String {
    join_names(&priorities.iter().map(|priority| priority.name()).collect::<Vec<_>>())
}

/// Returns the numbers of these priorities: "p99 lateness is 5 µs instead of 52 µs at Highest, and …".
fn numbers(pairs: &[&Pair<'_>], priorities: &[Priority]) -> String {
    let of_priority = pairs.iter().filter(|pair| priorities.contains(&pair.priority()));
    let numbers: Vec<String> =
        of_priority.map(|pair| format!("{} at {}", pair.numbers(), pair.to.label)).collect();
    format!("p99 lateness is {}", join_names(&numbers))
}

/// Returns the sentence about pinning; `None` if no pair differs for certain, or if pairs contradict each other.
fn pinning(pairs: &[&Pair<'_>]) -> Option<String> {
    let improved = pairs.iter().any(|pair| pair.outcome.is_improvement());
    let declined = pairs.iter().any(|pair| pair.outcome.is_decline());
    let is_later = !pairs.is_empty() && pairs.iter().all(|pair| pair.outcome.is_decline());
    let is_change = pairs.iter().any(|pair| pair.outcome.is_change());
    let words = match (is_later, improved && !declined, is_change) {
        (true, ..) => "has no benefit on this PC",
        (_, true, true) => "helps on this PC",
        (_, true, false) => "helps slightly on this PC",
        _ => return None,
    };
    let certain = pairs.iter().filter(|pair| pair.outcome.is_certain());
    let numbers: Vec<String> =
        certain.map(|pair| format!("{} at {}", pair.numbers(), pair.to.label)).collect();
    Some(format!("Pinning {words}: p99 lateness is {}.", join_names(&numbers)))
}

/// Returns the pairs of configurations that differ only in the priority, from Normal, or only in the pinning, from
/// unpinned, each with its outcome.
fn pairs<'a>(run: &Run, rows: &'a [Configuration]) -> Vec<Pair<'a>> {
    let is_ready = |row: &&Configuration| row.p99_bounds.is_some();
    let ready: Vec<&Configuration> = evaluated(rows).filter(is_ready).collect();
    let is_start = |from: &Configuration, to: &Configuration| {
        let (a, b) = (from.conditions, to.conditions);
        let is_level =
            a.cpu == b.cpu && a.priority == Priority::Normal && b.priority != Priority::Normal;
        let is_pin = a.priority == b.priority && a.cpu == CpuChoice::Any && b.cpu != CpuChoice::Any;
        (is_level || is_pin) && from.wait == to.wait && from.load == to.load
    };
    let has_pair = ready.iter().any(|from| ready.iter().any(|to| is_start(from, to)));
    if !has_pair {
        return Vec::new();
    }
    let sources: Vec<ResampleSource> =
        ready.iter().map(|row| source_of(run, row, Track::Values, None)).collect();
    let bins = Bins::of(&sources.iter().collect::<Vec<_>>());
    let draws: Vec<Option<Resampled>> = sources
        .iter()
        .zip(SEED..)
        .map(|(source, seed)| source.resample(&bins, seed, &[Statistic::P99]))
        .collect();
    let mut tested = Vec::new();
    for (from, before) in ready.iter().zip(&draws) {
        for (to, after) in ready.iter().zip(&draws).filter(|(to, _)| is_start(from, to)) {
            let both = before.as_ref().zip(after.as_ref());
            let estimated = both.and_then(|draws| estimate([*from, *to], draws));
            tested.extend(estimated.map(|estimated| (*from, *to, estimated)));
        }
    }
    let probabilities: Vec<f64> = tested.iter().map(|(.., found)| found.probability()).collect();
    let levels = holm_levels(&probabilities);
    let outcome =
        |((from, to, found), level): ((&'a Configuration, &'a Configuration, Estimated), f64)| {
            let [value, _] = found.values;
            let minimum = (value * MetricKind::Scheduling.min_effect())
                .max(from.period.as_f64() * MIN_SHARE_OF_PERIOD);
            let outcome = found.effect(level, minimum).outcome(found.difference() < 0.0);
            Pair { from, to, outcome }
        };
    tested.into_iter().zip(levels).map(outcome).collect()
}

/// Estimates the change of p99 lateness. With fewer rounds than show how much rounds vary, the variation from run to
/// run is assumed as in a comparison of two runs, because two configurations do not run at the same time.
fn estimate(
    rows: [&Configuration; 2],
    (before, after): (&Resampled, &Resampled),
) -> Option<Estimated> {
    let [from, to] = rows;
    let interval = before.change(after, 0, |before, after| after - before)?;
    let values = [from.p99()?.as_f64().max(1.0), to.p99()?.as_f64().max(1.0)];
    let assumed = Metric::P99.assumed_deviation();
    let has_rounds = rows.iter().all(|row| MIN_ROUNDS <= row.trials.len());
    let variation = (!has_rounds).then(|| RunVariation {
        error: assumed * std::f64::consts::SQRT_2,
        freedom: position(ASSUMED_FREEDOM),
        method: Method::Assumed(assumed),
    });
    Some(Estimated::of_singles(values, interval, variation, true))
}
