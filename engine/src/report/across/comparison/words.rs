//! The words of a comparison: results, reasons, notes, and the conclusion as a sentence.

mod missing;

use super::{
    ComparedRow, Comparison, Condition, Delta, Figure, Incompatibility, Metric, Note, Overall,
    Reason, Relevance, Variation,
};
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::report::model::metric::{MetricKind, Track};
use crate::report::model::table::Quantity;
use crate::stats::effect::Method;
use crate::stats::{LowDefinition, Outcome, Quantile, Statistic, distinct};
use crate::units::{
    count_text, format_count, format_long_time, format_measured_fps, format_share,
    format_signed_share, format_time, join_names,
};
use missing::{few_words, first_obstacle};

/// How differences are evaluated, for a help text.
pub const HOW_EVALUATED: &str = "Better and Worse: the 95% confidence interval of the change excludes 0, and the \
     change is at least the minimum effect. Slightly better and Slightly worse: the interval excludes 0, but the change \
     is below the minimum effect. Same: the whole interval is within the minimum effect, and includes 0. No clear \
     difference: everything else. The minimum effect is 10% of A's value for lateness, overshoot, and gaps (and at \
     least 0.005% of the target frame time; 0.5% where run-to-run variation is unknown), 1% for frame times and frame \
     rates, and 1 percentage point for shares. The intervals of all metrics hold together (Holm's correction).";

/// Definition of the noise floor, for a help text.
pub const NOISE_FLOOR: &str = "Run-to-run variation of this test on this PC: two runs with the same \
     settings differ by less than this 95% of the time. It is computed from the saved runs with the settings \
     of run A on its machine and under its conditions, up to run A and at least 3. A change within it is no clear \
     difference.";

/// Why a maximum has no result, and what intervals of several metrics mean together.
pub const MAXIMUM: &str = "Intervals hold together (Holm's correction). Max is shown without a result: it grows with run \
     length.";

/// Definition of the 1% low, for help texts.
pub const LOW: &str = "Frame rate of the slowest 1% of frames.";

/// Definition of the 0.1% low, for help texts.
pub const LOW_OF_TENTH: &str = "Frame rate of the slowest 0.1% of frames.";

/// The name of the values of captures.
const CAPTURED: &str = "frame time";

/// Returns the source of the run-to-run variation, or how to measure it.
pub fn noise_floor(comparison: &Comparison) -> String {
    let groups = comparison.prior.group_count;
    let is_estimated = 0 < groups && comparison.prior.has_repeats();
    let library =
        || format!(" Combined with the variation of {groups} groups of repeats in the library.");
    match &comparison.variation {
        Variation::Unknown if is_estimated => format!("Run-to-run variation: that of {groups} groups of repeats in the library."),
        Variation::Unknown if comparison.value_name == CAPTURED => {
            "Noise floor: unknown. Captures are assumed to vary by 3% in frame times and frame rates, and 1 percentage \
             point in shares; the values of few extreme samples vary more. To show smaller changes, compare groups of \
             captures."
                .to_owned()
        }
        Variation::Unknown => {
            "Noise floor: unknown. Runs of one setting are assumed to vary by 10% in lateness, 3% in frame times and \
             frame rates, and 1 percentage point in shares; the values of few extreme samples vary more. To measure the \
             variation, run A's settings with 3 or more repeats and use the last one as A, compare groups of runs, or \
             re-run both interleaved."
                .to_owned()
        }
        Variation::Repeats(runs) => {
            let typical = if is_estimated {
                library()
            } else {
                " Combined with the variation that tests usually have.".to_owned()
            };
            format!(
                "Noise floor: from {runs} saved runs with run A's settings, none of them later than A.{typical}"
            )
        }
        Variation::Groups(counts) => {
            let is_sequential = methods(comparison).any(|it| matches!(it, Method::Sessions(_)));
            let session = if is_sequential {
                let order = match counts.len() {
                    2 => "One group was measured after the other",
                    _ => "Groups were measured one after the other",
                };
                let size = if comparison.prior.has_sessions() {
                    "that of earlier sessions of one setting where the library shows it, as Repeat with states"
                } else {
                    "5% in lateness, 2% in frame times and frame rates, 0.5 percentage points in shares"
                };
                format!(
                    " {order}, so the typical variation between two sessions is added: {size}."
                )
            } else {
                String::new()
            };
            let typical = if is_estimated { library() } else { String::new() };
            let each = counts.iter().zip(0..).map(|(count, group)| match group {
                0 => count_text(*count, "runs of A"),
                group => format!("{count} of {}", letter(group)),
            });
            let each = join_names(&each.collect::<Vec<_>>());
            format!("Run-to-run variation: from the groups themselves, {each}.{typical}{session}")
        }
    }
}

/// Returns where the variation of each change comes from.
fn methods(comparison: &Comparison) -> impl Iterator<Item = Method> + '_ {
    let figures = comparison.rows.iter().flat_map(|row| &row.figures);
    let deltas = figures.flat_map(|figure| figure.deltas.iter().flatten());
    deltas.filter(|delta| delta.effect.interval.is_some()).map(|delta| delta.effect.method)
}

/// Returns the letter of a run: A for the first.
pub fn letter(run: usize) -> char {
    u8::try_from(run).ok().filter(|run| *run < 26).map_or('?', |run| char::from(b'A' + run))
}

/// Returns the text of the result for one metric; with too little data, also how much is missing.
pub fn result(delta: &Delta) -> String {
    let word = delta.result.word();
    match (delta.result, delta.reason) {
        (Outcome::NotEnoughData, Some(Reason::TooFewSamples(more))) if 0 < more => {
            format!("{word} ({} more)", format_count(more))
        }
        (Outcome::NotEnoughData, Some(Reason::TooFewRuns(more))) => {
            format!("{word} ({})", count_text(more, "more runs"))
        }
        _ => word.to_owned(),
    }
}

/// Returns why a difference is neither better nor worse; `None` if it is better or worse.
pub fn why(delta: &Delta) -> Option<String> {
    let reason = delta.reason?;
    let (_, sentence) = reason.words();
    let missing = match reason {
        Reason::TooFewSamples(0) => return Some(sentence.to_owned()),
        Reason::TooFewSamples(1) => "1 more is needed".to_owned(),
        Reason::TooFewSamples(more) => format!("{} more are needed", format_count(more)),
        Reason::TooFewRuns(more) => count_text(more, "more runs"),
        _ => return Some(sentence.to_owned()),
    };
    Some(format!("{}: {missing}.", sentence.trim_end_matches('.')))
}

/// Returns the overall outcome, over all parts, of the last quick check compared with the first.
pub fn check_outcome(outcomes: &[(Part, Vec<Option<Overall>>)]) -> Overall {
    Overall::joined(outcomes.iter().filter_map(|(_, of)| of.last().copied().flatten()))
}

/// Returns a sentence with the parts in which the last of `count` quick checks differs from the
/// first.
pub fn check_sentence(outcomes: &[(Part, Vec<Option<Overall>>)], count: usize) -> String {
    let last = letter(count.saturating_sub(1));
    let of = |wanted: Overall| -> Vec<&str> {
        let is_it = |(_, of): &&(Part, Vec<Option<Overall>>)| of.last() == Some(&Some(wanted));
        outcomes.iter().filter(is_it).map(|(part, _)| part.name()).collect()
    };
    let parts: Vec<String> = [
        ("better in", of(Overall::Of(Outcome::Better))),
        ("slightly better in", of(Overall::Of(Outcome::SlightlyBetter))),
        ("worse in", of(Overall::Of(Outcome::Worse))),
        ("slightly worse in", of(Overall::Of(Outcome::SlightlyWorse))),
        ("partly better, partly worse in", of(Overall::Mixed)),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(words, names)| format!("{words} {}", names.join("; ")))
    .collect();
    if !parts.is_empty() {
        return format!("{last} is {}.", parts.join(", and "));
    }
    let known: Vec<Overall> = outcomes.iter().filter_map(|(_, of)| *of.last()?).collect();
    match distinct(known).as_slice() {
        [Overall::Of(Outcome::Same)] => format!("A and {last} are the same."),
        [Overall::NotComparable] => "These checks cannot be compared.".to_owned(),
        [Overall::Of(Outcome::NotEnoughData)] => "Not enough data to compare.".to_owned(),
        _ => format!("No clear difference between A and {last}."),
    }
}

/// Returns the outcome of each run of a comparison except the baseline.
pub fn outcomes(comparison: &Comparison) -> impl Iterator<Item = Overall> {
    let others = (0..comparison.count).filter(|&run| run != comparison.baseline);
    others.map(|run| comparison.outcome(run))
}

/// Returns the overall direction of these outcomes; `None` if it is not clear. If a condition that
/// is likely to matter differs between the runs, the direction is never `Better`: the condition may
/// be the cause.
pub fn direction(outcomes: &[Overall], conditions: &[Condition]) -> Option<Outcome> {
    let worse = Overall::Of(Outcome::Worse);
    if outcomes.contains(&worse) || outcomes.contains(&Overall::NotComparable) {
        return Some(Outcome::Worse);
    }
    let better = Overall::Of(Outcome::Better);
    let is_better = !outcomes.is_empty() && outcomes.iter().all(|one| *one == better);
    let differs = conditions.iter().any(|one| one.weight == Relevance::Likely);
    (is_better && !differs).then_some(Outcome::Better)
}

/// The change that decides the outcome of a run: the largest that is certain.
#[derive(Debug)]
pub struct Deciding<'a> {
    /// The configuration.
    pub row: &'a ComparedRow,
    /// The metric with its values.
    pub figure: &'a Figure,
    /// The change.
    pub delta: Delta,
}

/// Returns the change that decides the outcome of a run compared with the baseline: of those that matter, else of those
/// that are certain, the one that is the largest for certain, as a multiple of its minimum effect. `None` if no change
/// is certain.
pub fn deciding(comparison: &Comparison, run: usize) -> Option<Deciding<'_>> {
    let all = || {
        let rows = comparison.rows.iter();
        rows.flat_map(|row| row.figures.iter().map(move |figure| (row, figure))).filter_map(
            move |(row, figure)| {
                let delta = figure.deltas.get(run).copied().flatten()?;
                Some(Deciding { row, figure, delta })
            },
        )
    };
    let largest = |is_wanted: fn(Outcome) -> bool| {
        all().filter(|one| is_wanted(one.delta.result)).max_by(|one, other| {
            one.delta.effect.certain_size().total_cmp(&other.delta.effect.certain_size())
        })
    };
    largest(Outcome::is_change).or_else(|| largest(Outcome::is_certain))
}

impl Deciding<'_> {
    /// Returns the change with its interval and the minimum effect: "p99 rose by 180 µs (+857%, 95% CI +600% to +1 114%;
    /// minimum effect 10%)".
    fn words(&self, comparison: &Comparison) -> String {
        let Self { row, figure, delta } = self;
        let metric = &figure.metric;
        let place =
            if comparison.rows.len() == 1 { String::new() } else { format!(" at {}", row.label) };
        let interval = match (delta.relative_interval(), delta.effect.interval, delta.ratio) {
            (Some((low, high)), _, Some(ratio)) if metric.is_relative() => {
                let [ratio, low, high] = [ratio, low, high].map(format_signed_share);
                format!("{ratio}, 95% CI {low} to {high}")
            }
            (_, Some((low, high)), _) => {
                let [low, high] = [low, high].map(|end| signed_change(metric, end));
                format!("95% CI {low} to {high}")
            }
            _ => String::new(),
        };
        let minimum = minimum(comparison, metric, delta);
        format!("{}{place} ({interval}; minimum effect {minimum})", change_words(metric, delta))
    }
}

/// Returns the minimum effect of a change: a share of the baseline, percentage points, or a value with its unit.
pub fn minimum(comparison: &Comparison, metric: &Metric, delta: &Delta) -> String {
    let share = comparison.minimum.of(metric.kind());
    if metric.kind() == MetricKind::Share {
        return format!("{} pp", percents(share));
    }
    let baseline = delta.ratio.map_or(0.0, |ratio| (delta.effect.difference / ratio).abs());
    let is_share = (baseline * share - delta.effect.minimum).abs() < 1e-6 * delta.effect.minimum;
    let percent = || format!("{}%", percents(share));
    if is_share { percent() } else { value(metric, delta.effect.minimum) }
}

/// Formats a share that was set as a percentage, with the decimals that it needs, up to two: "2.5".
pub fn percents(share: f64) -> String {
    ((share * 1e4).round() / 1e2).to_string()
}

/// Returns a change in words: "p99 rose by 24 µs".
fn change_words(metric: &Metric, delta: &Delta) -> String {
    let verb = if delta.effect.difference < 0.0 { "fell" } else { "rose" };
    format!("{} {verb} by {}", metric_words(metric), change_size(metric, delta.effect.difference))
}

/// Returns the outcome of a run as a predicate, to follow the letter of the run: "is better".
fn outcome_words(comparison: &Comparison, run: usize) -> String {
    let outcome = comparison.outcome(run);
    let is_tail = outcome == Overall::Mixed && is_worse_in_the_tail(comparison, run);
    let predicate = match outcome {
        _ if is_tail => {
            let mut figures = comparison.rows.iter().flat_map(|row| &row.figures);
            // Only frames have a frame rate.
            if figures.any(|figure| figure.metric.unit == Quantity::Rate) {
                "is better for most frames and worse for the latest ones"
            } else {
                "is better for most values and worse for the highest ones"
            }
        }
        outcome => outcome.words()[2],
    };
    let Some(deciding) = deciding(comparison, run).filter(|_| outcome.is_certain()) else {
        return predicate.to_owned();
    };
    let assumption = match deciding.delta.effect.method {
        Method::Assumed(share) if deciding.figure.metric.is_relative() => {
            format!(" if runs vary by at most {}%", percents(share))
        }
        Method::Assumed(share) if deciding.figure.metric.statistic == Statistic::AboveBaseline => {
            format!(" if runs vary by at most {}%", percents(share))
        }
        Method::Assumed(share) => {
            format!(" if runs vary by at most {} pp", percents(share))
        }
        _ => String::new(),
    };
    format!("{predicate}{assumption}: {}", deciding.words(comparison))
}

/// Returns whether p50 and p95 changed only for the better, and p99, p99.9, and the standard
/// deviation only for the worse.
fn is_worse_in_the_tail(comparison: &Comparison, run: usize) -> bool {
    let of = |wanted: &[Statistic], is: fn(Outcome) -> bool| {
        comparison.rows.iter().flat_map(|row| &row.figures).any(|figure| {
            let delta = figure.deltas.get(run).copied().flatten();
            let is_wanted = wanted.contains(&figure.metric.statistic);
            is_wanted && delta.is_some_and(|delta| is(delta.result))
        })
    };
    let at = Statistic::Percentile;
    let body = [at(Quantile::P50), at(Quantile::P95)];
    let tail = [at(Quantile::P99), at(Quantile::P99_9), Statistic::StdDev];
    let (better, worse) = (Outcome::is_improvement, Outcome::is_decline);
    of(&body, better) && of(&tail, worse) && !of(&body, worse) && !of(&tail, better)
}

/// Returns the conclusion of a comparison in a sentence. If the load differed between runs, a
/// second sentence states that, since the load may be the cause of the changes. If nothing is certain because the
/// run-to-run variation is not known, it states what would show it.
pub fn sentence(comparison: &Comparison) -> String {
    if let Some(obstacle) = &comparison.obstacle {
        return self::obstacle(obstacle);
    }
    if comparison.rows.is_empty() {
        return "These runs have no configuration in common.".to_owned();
    }
    let mut sentence = outcomes_sentence(comparison);
    if comparison.conditions.iter().any(Condition::is_different_load) {
        sentence.push_str(" They ran under different load.");
    }
    let is_open = outcomes(comparison).any(|it| it == Overall::Of(Outcome::NoClearDifference));
    if is_open && methods(comparison).any(|it| matches!(it, Method::Assumed(_))) {
        sentence.push_str(
            " Two single runs rarely show one: compare groups of 3 or more runs, or re-run both interleaved.",
        );
    }
    sentence
}

fn outcomes_sentence(comparison: &Comparison) -> String {
    let base = letter(comparison.baseline);
    let others: Vec<usize> =
        (0..comparison.count).filter(|&run| run != comparison.baseline).collect();
    if let [run] = others.as_slice() {
        let other = letter(*run);
        return match comparison.outcome(*run) {
            Overall::Of(Outcome::Same) => format!("{base} and {other} are the same."),
            Overall::Of(Outcome::NoClearDifference) => {
                format!("No clear difference between {base} and {other}.")
            }
            Overall::Of(Outcome::NotEnoughData) => few_words(comparison),
            Overall::NotComparable => first_obstacle(comparison),
            _ => format!("{other} {}.", outcome_words(comparison, *run)),
        };
    }
    let parts: Vec<String> = others
        .into_iter()
        .map(|run| format!("{} {}", letter(run), outcome_words(comparison, run)))
        .collect();
    format!("Compared with {base}: {}.", parts.join("; "))
}

/// Returns the evidence in a line: the conditions that differ and are likely to matter, and the first three other
/// metrics that changed.
pub fn evidence(comparison: &Comparison) -> String {
    let mut names: Vec<&str> = comparison
        .differing()
        .filter(|condition| condition.weight == Relevance::Likely)
        .map(|condition| condition.name.as_str())
        .collect();
    let conditions = match names.pop() {
        None => super::conditions::no_difference(&comparison.conditions),
        Some(only) if names.is_empty() => {
            format!("{only} differs, which is likely to matter.")
        }
        Some(last) => {
            format!("{} and {last} differ, which is likely to matter.", names.join(", "))
        }
    };
    let mut changes = Vec::new();
    for run in (0..comparison.count).filter(|&run| run != comparison.baseline) {
        let decides = deciding(comparison, run);
        for (row, figure) in
            comparison.rows.iter().flat_map(|row| row.figures.iter().map(move |it| (row, it)))
        {
            let Some(delta) = figure.deltas.get(run).copied().flatten() else { continue };
            let is_named = decides.as_ref().is_some_and(|it| std::ptr::eq(it.figure, figure));
            if !delta.result.is_change() || is_named {
                continue;
            }
            let place = if comparison.rows.len() == 1 {
                String::new()
            } else {
                format!(" at {}", row.label)
            };
            let whose =
                if comparison.count == 2 { String::new() } else { format!("{}: ", letter(run)) };
            changes.push(format!("{whose}{}{place}", change_words(&figure.metric, &delta)));
        }
    }
    let shown = changes.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    match changes.len() {
        0 => conditions,
        1..=3 => format!("{conditions} Also, {shown}."),
        more => format!("{conditions} Also, {shown}, and {} more.", more - 3),
    }
}

/// Returns the name of a metric within a sentence: "p99", "the share of late frames".
pub fn metric_words(metric: &Metric) -> &'static str {
    match (metric.track, metric.statistic) {
        (_, Statistic::AboveBaseline) => "the share of values above A's p99",
        (_, Statistic::LateShare) => "the share of late frames",
        (Track::Stutter, Statistic::CountShare) => "stutter",
        (_, Statistic::CountShare) => "the share of missed frames",
        (_, Statistic::Mean) => "the mean",
        (_, Statistic::StdDev) => "the standard deviation",
        _ => metric.title,
    }
}

/// Formats a value of a metric as a number with its unit.
pub fn value(metric: &Metric, value: f64) -> String {
    match metric.unit {
        Quantity::Share => rate(value),
        Quantity::Rate => format_measured_fps(value),
        _ => format_time(Nanos::from_nanos_f64(value)),
    }
}

/// Formats a share. Small shares have two more decimals: one missed frame of ten thousand is not
/// shown as 0.0%.
pub fn rate(share: f64) -> String {
    let percents = share * 100.0;
    if percents != 0.0 && percents.abs() < 1.0 {
        format!("{percents:.3}%")
    } else {
        format_share(share)
    }
}

/// Formats the absolute value of a change.
fn change_size(metric: &Metric, change: f64) -> String {
    match metric.unit {
        Quantity::Share => format!("{:.2} pp", change.abs() * 100.0),
        _ => value(metric, change.abs()),
    }
}

fn signed_change(metric: &Metric, change: f64) -> String {
    let sign = if change < 0.0 { crate::units::MINUS } else { '+' };
    format!("{sign}{}", change_size(metric, change))
}

/// Returns why runs, or their configurations, cannot be compared.
pub fn obstacle(obstacle: &Incompatibility) -> String {
    match obstacle {
        Incompatibility::Tests => "These runs measure different things and cannot be compared.".to_owned(),
        Incompatibility::Methods => {
            "These runs were measured with different methods; their results are shown without an \
             evaluation."
                .to_owned()
        }
        Incompatibility::Periods(periods) => {
            let periods: Vec<String> = periods.iter().map(|period| format_time(*period)).collect();
            format!(
                "Different settings: a frame is {}. Compare shares of a frame, not microseconds; \
                 nothing is evaluated.",
                periods.join(" and ")
            )
        }
        Incompatibility::MixedGroup(side) => {
            format!(
                "The runs of group {} have different settings, machines, or conditions. Select runs that differ by \
                 chance only; nothing is evaluated.",
                letter(*side)
            )
        }
        Incompatibility::Readings => {
            "Most frames are not in these logs; their numbers are shown, not evaluated.".to_owned()
        }
        Incompatibility::Counts => {
            "Counts without order in time have no confidence interval; their numbers are shown, not \
             evaluated."
                .to_owned()
        }
    }
}

/// Returns the text of a note on the comparison.
pub fn note(note: &Note) -> String {
    match note {
        Note::Lengths(lengths) => {
            let seconds: Vec<String> =
                lengths.iter().map(|length| format_long_time(*length)).collect();
            // Lengths that differ by less than a second can be the same in whole seconds.
            let is_same = seconds.windows(2).all(|pair| pair.first() == pair.last());
            let format = if is_same { format_time } else { format_long_time };
            let lengths: Vec<String> = lengths
                .iter()
                .zip(0..)
                .map(|(length, run)| format!("{} {}", letter(run), format(*length)))
                .collect();
            format!("Run lengths differ: {}. Max and counts are not evaluated.", lengths.join(", "))
        }
        Note::Incomplete(run) => format!("{} is incomplete.", letter(*run)),
        Note::NotAsRequested { run, label, granted } => {
            format!("{} did not run as requested in {label}; it ran at {granted}.", letter(*run))
        }
        Note::Lost { run, count: lost } => {
            format!(
                "{} lost {}; its percentiles may be too low.",
                letter(*run),
                count_text(*lost, "samples")
            )
        }
        Note::DebugBuild(run) => {
            format!(
                "{} was measured with a debug build; results can be worse than with a release build.",
                letter(*run)
            )
        }
        Note::EditedAfterExport(run) => {
            format!("{} was edited after export; its values may not be the measured ones.", letter(*run))
        }
        Note::Disturbed(run, what) => format!("{} was disturbed: {what}.", letter(*run)),
        Note::Unmatched { label, runs } => {
            let letters: Vec<String> = runs.iter().map(|run| letter(*run).to_string()).collect();
            format!("{label} is only in {} and is not compared.", letters.join(", "))
        }
        Note::Shown(run, caption) => format!("{} is of {caption}.", letter(*run)),
        Note::Low { definition, .. } if *definition == LowDefinition::default() => {
            format!("1% low: {} of frames.", definition.label())
        }
        Note::Sampled => "These logs hold readings at intervals, which lack most values: percentiles, lows, and stutter \
                          are not known."
            .to_owned(),
        Note::Low { definition, label, values } => {
            let values: Vec<String> = values
                .iter()
                .zip(0..)
                .filter_map(|(fps, run)| {
                    Some(format!("{} {}", letter(run), format_measured_fps((*fps)?)))
                })
                .collect();
            let evaluated = LowDefinition::default().label();
            let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
            format!(
                "1% low{of} by {}: {}. Rows and results are of the {evaluated}.",
                definition.label(),
                values.join(", ")
            )
        }
        Note::LabelMismatch(labels) => {
            let named: Vec<String> = labels
                .iter()
                .zip(0..)
                .map(|(label, run)| format!("{} is {label}", letter(run)))
                .collect();
            format!("Comparing different configurations: {}.", named.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
