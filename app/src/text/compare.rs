//! Texts of a comparison: names, results, and notes.

mod page;
mod table;
mod write;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::{
    Condition, Delta, DeltaResult, Incompatibility, Note, Outcome, Reason, Relevance, Variation,
};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Comparison, Metric};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::{Quantile, Statistic, distinct};

use super::{
    count_text, cut, format_count, format_long_time, format_measured_fps, format_share,
    format_time, list_date, local, run_name,
};

pub use self::page::{Compared, Evaluated, remarks, write_page};
pub use self::table::{Cells, cells, metric_unit};
pub use self::write::{conditions, differences, document, legend, ticket};

/// How differences are evaluated, for a help text.
pub const HOW_EVALUATED: &str = "A result is Better or Worse only if the 95% confidence interval excludes 0 \
     and the change exceeds the noise floor, both after correcting for multiple comparisons, and it is large enough to \
     matter: 10% of the value, 0.005% of the frame time, and the clock resolution. A noise floor of few runs is \
     widened: other runs may vary more. Where the noise \
     floor is unknown, the change must be at least 0.5% of the frame time, or 0.5% of the frames. Intervals are from a \
     moving-block bootstrap with 2\u{202f}000 resamples and a fixed seed.";

/// Definition of the noise floor, for a help text.
pub const NOISE_FLOOR: &str = "Run-to-run variation of this test on this PC: two runs with the same \
     settings differ by less than this 95% of the time. It is computed from the saved runs with the settings \
     of run A on its machine and under its conditions, up to run A and at least 3. A change within it is no clear \
     difference.";

/// Returns the source of the run-to-run variation, or how to measure it.
pub fn noise_floor(comparison: &Comparison) -> String {
    let known = match comparison.variation {
        Variation::Unknown => {
            "Noise floor: unknown. A change of a time is Better or Worse only if it is at least 10% of A's value and \
             0.5% of the frame time, or 0.5% of the frames for counts. To measure it, run A's settings with 3 or \
             more repeats and use the last one as A, compare groups of runs, or re-run both interleaved."
                .to_owned()
        }
        Variation::Repeats(runs) => {
            format!("Noise floor: from {runs} saved runs with run A's settings, none of them later than A.")
        }
        Variation::Groups([a, b]) => {
            let a = count_text(a, "runs of A");
            format!("Run-to-run variation: from the groups themselves, {a} and {b} of B.")
        }
    };
    match comparison.prior.group_count {
        _ if comparison.variation == Variation::Unknown => known,
        0 => format!("{known} Combined with the variation that tests usually have."),
        groups => {
            format!(
                "{known} Combined with the variation of {groups} groups of repeats in the library."
            )
        }
    }
}

/// Returns the letter of a run: A for the first.
pub fn letter(run: usize) -> char {
    u8::try_from(run).ok().filter(|run| *run < 26).map_or('?', |run| char::from(b'A' + run))
}

/// Returns the label of a group of this many runs: "3 runs".
pub fn group_label(runs: usize) -> String {
    format!("{runs} {}", if runs == 1 { "run" } else { "runs" })
}

/// Maximum length of a short label, in characters.
const MAX_LABEL: usize = 28;
/// Minimum number of characters of the name in a short label.
const MIN_NAME: usize = 12;
/// Maximum number of differences in a short label.
const MAX_DIFFERENCES: usize = 2;

/// Returns short, distinct labels of runs: their names. If runs share a name, the differences in
/// settings and machine follow, or else the start time.
pub fn short_labels(runs: &[&Run], comparison: &Comparison) -> Vec<String> {
    labels_within(runs, comparison, MAX_LABEL)
}

/// Returns names of compared runs in at most `most` characters. If names are equal, the differences
/// of each run in settings and machine follow its name, or else the start time.
pub fn labels_within(runs: &[&Run], comparison: &Comparison, most: usize) -> Vec<String> {
    let are_distinct = |labels: &[String]| {
        let others = |at: usize| labels.iter().skip(at);
        labels.iter().zip(1..).all(|(one, at)| others(at).all(|other| other != one))
    };
    let names: Vec<String> = runs.iter().map(|run| run_name(run)).collect();
    let labels: Vec<String> = names.iter().map(|name| cut(name, most)).collect();
    if are_distinct(&labels) {
        return labels;
    }
    let with = |differences: &[String]| -> Vec<String> {
        let room =
            |difference: &String| most.saturating_sub(difference.chars().count() + 3).max(MIN_NAME);
        let pairs = names.iter().zip(differences);
        pairs.map(|(name, it)| format!("{} · {it}", cut(name, room(it)))).collect()
    };
    let by_difference = |at: usize| {
        let parts = comparison.differing().take(MAX_DIFFERENCES).filter_map(|condition| {
            let value = condition.values.get(at)?;
            let is_clear = value.chars().any(char::is_alphabetic);
            Some(if is_clear { value.clone() } else { format!("{} {value}", condition.name) })
        });
        cut(&parts.collect::<Vec<_>>().join(", "), MAX_LABEL)
    };
    let differences: Vec<String> = (0..runs.len()).map(by_difference).collect();
    if are_distinct(&differences) && !differences.iter().any(String::is_empty) {
        return with(&differences);
    }
    let now = local(super::now());
    let times = runs.iter().map(|run| list_date(&local(run.started_at), &now));
    with(&times.collect::<Vec<_>>())
}

/// Returns the text of the result for one metric; with too little data, also how much is missing.
pub fn result(delta: &Delta) -> String {
    let word = delta.result.word();
    match (delta.result, delta.reason) {
        (DeltaResult::NotEnoughData, Some(Reason::TooFewSamples(more))) if 0 < more => {
            format!("{word} ({} more)", format_count(more))
        }
        (DeltaResult::NotEnoughData, Some(Reason::TooFewRuns(more))) => {
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
pub fn check_outcome(outcomes: &[(Part, Vec<Option<Outcome>>)]) -> Outcome {
    Outcome::joined(outcomes.iter().filter_map(|(_, of)| of.last().copied().flatten()))
}

/// Returns a sentence with the parts in which the last of `count` quick checks differs from the
/// first.
pub fn check_sentence(outcomes: &[(Part, Vec<Option<Outcome>>)], count: usize) -> String {
    let last = letter(count.saturating_sub(1));
    let of = |wanted: Outcome| -> Vec<&str> {
        let is_it = |(_, of): &&(Part, Vec<Option<Outcome>>)| of.last() == Some(&Some(wanted));
        outcomes.iter().filter(is_it).map(|(part, _)| part.name()).collect()
    };
    let parts: Vec<String> = [
        ("better in", of(Outcome::Better)),
        ("worse in", of(Outcome::Worse)),
        ("partly better, partly worse in", of(Outcome::Mixed)),
        ("changed, run-to-run variation unknown, in", of(Outcome::Differs)),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(words, names)| format!("{words} {}", names.join("; ")))
    .collect();
    if !parts.is_empty() {
        return format!("{last} is {}.", parts.join(", and "));
    }
    let known: Vec<Outcome> = outcomes.iter().filter_map(|(_, of)| *of.last()?).collect();
    match distinct(known).as_slice() {
        [Outcome::Same] => format!("A and {last} are the same."),
        [Outcome::NotComparable] => "These checks cannot be compared.".to_owned(),
        [Outcome::NotEnoughData] => "Not enough data to compare.".to_owned(),
        _ => format!("No clear difference between A and {last}."),
    }
}

/// Returns the outcome of each run of a comparison except the baseline.
pub fn outcomes(comparison: &Comparison) -> impl Iterator<Item = Outcome> {
    let others = (0..comparison.count).filter(|&run| run != comparison.baseline);
    others.map(|run| comparison.outcome(run))
}

/// Returns the overall direction of these outcomes; `None` if it is not clear. If a condition that
/// is likely to matter differs between the runs, the direction is never `Better`: the condition may
/// be the cause.
pub fn direction(outcomes: &[Outcome], conditions: &[Condition]) -> Option<DeltaResult> {
    if outcomes.contains(&Outcome::Worse) || outcomes.contains(&Outcome::NotComparable) {
        return Some(DeltaResult::Worse);
    }
    let is_better = !outcomes.is_empty() && outcomes.iter().all(|one| *one == Outcome::Better);
    let differs = conditions.iter().any(|one| one.weight == Relevance::Likely);
    (is_better && !differs).then_some(DeltaResult::Better)
}

/// Returns the outcome of a run as a predicate, to follow the letter of the run: "is better".
fn outcome_words(comparison: &Comparison, run: usize) -> String {
    match comparison.outcome(run) {
        Outcome::Differs => {
            let direction = direction_words(comparison, run);
            format!("{direction} here, but run-to-run variation is unknown")
        }
        Outcome::Better | Outcome::Worse | Outcome::Mixed => {
            direction_words(comparison, run).to_owned()
        }
        outcome => outcome.words()[2].to_owned(),
    }
}

/// Returns whether a run is better or worse as a predicate, to follow the letter of the run.
fn direction_words(comparison: &Comparison, run: usize) -> &'static str {
    let has = |wanted: DeltaResult| {
        let deltas = comparison.rows.iter().flat_map(|row| &row.figures);
        let mut deltas = deltas.filter_map(|figure| figure.deltas.get(run).copied().flatten());
        deltas.any(|delta| delta.result == wanted)
    };
    match (has(DeltaResult::Better), has(DeltaResult::Worse)) {
        (true, false) => Outcome::Better.words()[2],
        (false, _) => Outcome::Worse.words()[2],
        (true, true) if is_worse_in_the_tail(comparison, run) => {
            let mut figures = comparison.rows.iter().flat_map(|row| &row.figures);
            // Only frames have a frame rate.
            if figures.any(|figure| figure.metric.unit == Quantity::Rate) {
                "is better for most frames and worse for the latest ones"
            } else {
                "is better for most values and worse for the highest ones"
            }
        }
        (true, true) => Outcome::Mixed.words()[2],
    }
}

/// Returns whether p50 and p95 changed only for the better, and p99, p99.9, and the standard
/// deviation only for the worse.
fn is_worse_in_the_tail(comparison: &Comparison, run: usize) -> bool {
    let of = |wanted: &[Statistic], is: DeltaResult| {
        comparison.rows.iter().flat_map(|row| &row.figures).any(|figure| {
            let delta = figure.deltas.get(run).copied().flatten();
            let is_wanted = wanted.contains(&figure.metric.statistic);
            is_wanted && delta.is_some_and(|delta| delta.result == is)
        })
    };
    let at = Statistic::Percentile;
    let body = [at(Quantile::P50), at(Quantile::P95)];
    let tail = [at(Quantile::P99), at(Quantile::P99_9), Statistic::StdDev];
    of(&body, DeltaResult::Better)
        && of(&tail, DeltaResult::Worse)
        && !of(&body, DeltaResult::Worse)
        && !of(&tail, DeltaResult::Better)
}

/// Returns the conclusion of a comparison in a sentence. If the load differed between runs, a
/// second sentence states that, since the load may be the cause of the changes.
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
    sentence
}

fn outcomes_sentence(comparison: &Comparison) -> String {
    let base = letter(comparison.baseline);
    let others: Vec<usize> =
        (0..comparison.count).filter(|&run| run != comparison.baseline).collect();
    if let [run] = others.as_slice() {
        let other = letter(*run);
        return match comparison.outcome(*run) {
            Outcome::Same => format!("{base} and {other} are the same."),
            Outcome::NoClearDifference => {
                format!("No clear difference between {base} and {other}.")
            }
            Outcome::NotEnoughData => "Not enough data to compare.".to_owned(),
            Outcome::NotComparable => first_obstacle(comparison),
            _ => format!("{other} {}.", outcome_words(comparison, *run)),
        };
    }
    let parts: Vec<String> = others
        .into_iter()
        .map(|run| format!("{} {}", letter(run), outcome_words(comparison, run)))
        .collect();
    format!("Compared with {base}: {}.", parts.join("; "))
}

fn first_obstacle(comparison: &Comparison) -> String {
    let found = comparison.rows.iter().find_map(|row| row.obstacle.as_ref());
    found.map_or_else(|| "Not enough data to compare.".to_owned(), obstacle)
}

/// Returns the evidence in a line: the first three metrics that are better or worse, and how many
/// differences in machine and settings are likely to matter.
pub fn evidence(comparison: &Comparison) -> String {
    let differing =
        comparison.differing().filter(|condition| condition.weight == Relevance::Likely).count();
    let conditions = match differing {
        0 => "No differences in machine or settings that are likely to matter.".to_owned(),
        1 => "1 difference in machine or settings is likely to matter.".to_owned(),
        count => format!("{count} differences in machine or settings are likely to matter."),
    };
    let evaluated: Vec<String> = comparison
        .rows
        .iter()
        .flat_map(|row| row.figures.iter().map(move |figure| (row, figure)))
        .flat_map(|(row, figure)| {
            figure.deltas.iter().zip(0..).filter_map(move |(delta, run)| {
                let delta = (*delta)?;
                let is_called = matches!(delta.result, DeltaResult::Better | DeltaResult::Worse);
                is_called.then(|| {
                    let verb = if delta.change < 0.0 { "fell" } else { "rose" };
                    let place = if comparison.rows.len() == 1 {
                        String::new()
                    } else {
                        format!(" at {}", row.label)
                    };
                    let whose = if comparison.count == 2 {
                        String::new()
                    } else {
                        format!("{}: ", letter(run))
                    };
                    let by = change_size(&figure.metric, delta.change);
                    format!("{whose}{} {verb} by {by}{place}", metric_words(&figure.metric))
                })
            })
        })
        .collect();
    let shown = evaluated.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    match evaluated.len() {
        0 => conditions,
        1..=3 => format!("{shown}. {conditions}"),
        more => format!("{shown} and {} more. {conditions}", more - 3),
    }
}

/// Returns the name of a metric within a sentence: "p99", "the share of late frames".
pub fn metric_words(metric: &Metric) -> &'static str {
    match metric.statistic {
        Statistic::AboveBaseline => "the share of values above A's p99",
        Statistic::LateShare => "the share of late frames",
        Statistic::CountShare => "the share of missed frames",
        Statistic::Mean => "the mean",
        Statistic::StdDev => "the standard deviation",
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
pub(super) fn rate(share: f64) -> String {
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
            let lengths: Vec<String> = lengths
                .iter()
                .zip(0..)
                .map(|(length, run)| format!("{} {}", letter(run), format_long_time(*length)))
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
        Note::Unmatched { label, runs } => {
            let letters: Vec<String> = runs.iter().map(|run| letter(*run).to_string()).collect();
            format!("{label} is only in {} and is not compared.", letters.join(", "))
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
