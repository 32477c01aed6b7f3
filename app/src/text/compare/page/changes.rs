//! The changes of a comparison as tables of an HTML page.

use jitterscope_engine::export::html::{Change, Changes, RelativeChange};
use jitterscope_engine::report::Metric;
use jitterscope_engine::report::comparison::{ComparedRow, Figure, Reason, Variation};
use jitterscope_engine::report::table::Better;
use jitterscope_engine::stats::Statistic;

use super::super::super::{MISSING, count_text, format_signed_share, format_time, low};
use super::super::{cells, deciding, letter, metric_unit, result, value};
use super::Compared;

/// The keys of the metrics in the tables that come first if more than two runs are compared; the
/// tables of all metrics are in a folded section.
const FIRST: [&str; 4] = ["p50", "p99", "late", "missed"];

/// Returns the tables of changes, and how many of them, from the first, are shown unfolded. Two
/// runs with one configuration: all tables. More runs: tables of a few metrics come first. Several
/// configurations: tables of p99 come first.
pub(super) fn changes(
    sets: &[Compared<'_>],
    count: usize,
    is_single: bool,
) -> (Vec<Changes>, usize) {
    let others: Vec<usize> = (1..count).collect();
    let table = |set: &Compared<'_>, run: usize, of: &str, note: String, lines| Changes {
        title: format!("Changes from {} to {}{of}", letter(0), letter(run)),
        note,
        noise: match set.comparison.variation {
            Variation::Repeats(runs) => format!("noise floor, from {runs} runs with A's settings"),
            Variation::Unknown | Variation::Groups(_) => "noise floor".to_owned(),
        },
        letters: [letter(0), letter(run)],
        lines,
    };
    let note =
        |set: &Compared<'_>| format!("{}, lower is better unless noted", set.comparison.value_name);
    let whole = |run: usize| {
        sets.iter().flat_map(move |set| {
            let rows = set.comparison.rows.iter();
            rows.map(move |row| {
                let lines = row.figures.iter().map(|figure| change(row, figure, run)).collect();
                let of =
                    if is_single { String::new() } else { format!(": {}", set.line_name(row)) };
                table(set, run, &of, note(set), lines)
            })
        })
    };
    let all: Vec<Changes> = others.iter().flat_map(|&run| whole(run)).collect();
    let Some(set) = sets.first().filter(|_| !is_single || 1 < others.len()) else {
        return (all, usize::MAX);
    };
    let first = |run: usize| {
        if is_single {
            let rows = set.comparison.rows.iter();
            let figures = rows.flat_map(|row| row.figures.iter().map(move |figure| (row, figure)));
            let decides = deciding(set.comparison, run);
            let is_deciding = |figure: &Figure| {
                decides.as_ref().is_some_and(|one| std::ptr::eq(one.figure, figure))
            };
            let figures = figures
                .filter(|(_, figure)| FIRST.contains(&figure.metric.key) || is_deciding(figure));
            let lines = figures.map(|(row, figure)| change(row, figure, run)).collect();
            return table(set, run, "", format!("{}; all metrics below", note(set)), lines);
        }
        let lines = sets.iter().flat_map(|set| {
            // The metric that decides the outcome is always among those shown.
            let decides = deciding(set.comparison, run).map(|one| (one.row, one.figure));
            set.comparison.rows.iter().flat_map(move |row| {
                let key = key_figure(row);
                let decides = decides.filter(|(of, _)| std::ptr::eq(*of, row)).map(|(_, it)| it);
                let decides = decides.filter(|it| key.is_none_or(|key| key.metric != it.metric));
                key.into_iter().chain(decides).map(move |figure| {
                    let name = format!("{}: {}", set.line_name(row), figure.metric.title);
                    Change { name, is_key: false, ..change(row, figure, run) }
                })
            })
        });
        let note = "p99 of each configuration, and what decides; all metrics below".to_owned();
        table(set, run, "", note, lines.collect())
    };
    let shown: Vec<Changes> = others.iter().map(|&run| first(run)).collect();
    let count = shown.len();
    (shown.into_iter().chain(all).collect(), count)
}

/// Returns the key metric of a row: its p99, or else the first metric.
fn key_figure(row: &ComparedRow) -> Option<&Figure> {
    row.figures.iter().find(|figure| is_key(&figure.metric)).or_else(|| row.figures.first())
}

fn is_key(metric: &Metric) -> bool {
    metric.key == Metric::P99.key
}

fn change(row: &ComparedRow, figure: &Figure, run: usize) -> Change {
    let metric = &figure.metric;
    let words = |at: usize| {
        let known = figure.values.get(at).copied().flatten();
        known.map_or_else(|| MISSING.to_owned(), |known| value(metric, known))
    };
    let delta = figure.deltas.get(run).copied().flatten();
    let base = figure.values.first().copied().flatten().filter(|base| *base != 0.0);
    let share = |of: f64| base.map(|base| of / base.abs());
    let interval = delta.and_then(|delta| delta.effect.interval);
    let relative = interval.and_then(|(low, high)| share(low).zip(share(high)));
    let cells = cells(figure, run, metric_unit(row));
    Change {
        name: metric.title.to_owned(),
        note: match metric.better {
            Some(Better::Higher) => "higher is better",
            _ => "",
        },
        definition: definition(row, metric),
        values: [words(0), words(run)],
        change: if base.is_some() && !cells.percent.is_empty() {
            cells.percent
        } else {
            cells.change
        },
        interval: match (relative, interval) {
            (Some((low, high)), _) => {
                format!("{} to {}", format_signed_share(low), format_signed_share(high))
            }
            (None, Some(_)) => cells.interval,
            (None, None) => MISSING.to_owned(),
        },
        // Cut the text in parentheses: the reason column states how much data is missing.
        result: delta.map_or_else(
            || MISSING.to_owned(),
            |delta| result(&delta).split(" (").next().unwrap_or_default().to_owned(),
        ),
        why: delta.and_then(|delta| delta.reason).map(brief).unwrap_or_default(),
        direction: delta.map(|delta| delta.result),
        drawn: delta.and_then(|delta| {
            let noise = figure.noise.and_then(share);
            Some(RelativeChange { at: share(delta.effect.difference)?, interval: relative, noise })
        }),
        is_key: is_key(metric),
    }
}

/// Returns in a few words why a change is neither better nor worse.
fn brief(reason: Reason) -> String {
    let words = match reason {
        Reason::VariationUnknown => "run-to-run variation unknown",
        Reason::TooSmall => "below the minimum effect",
        Reason::IntervalIncludesZero => "interval includes 0",
        Reason::TooFewSamples(0) => "too few samples",
        Reason::TooFewSamples(more) => {
            return format!("needs {}", count_text(more, "more samples"));
        }
        Reason::TooFewRuns(more) => return format!("needs {}", count_text(more, "more runs")),
        Reason::Maximum => "a maximum has no interval",
        Reason::SettingsDiffer => "settings differ",
    };
    words.to_owned()
}

/// Returns the definition of a metric; empty if its name is sufficient.
pub(super) fn definition(row: &ComparedRow, metric: &Metric) -> String {
    match metric.statistic {
        Statistic::Low(share) if share.parts() == 1_000 => low::MEANING.to_owned(),
        Statistic::Low(_) => low::MEANING_OF_TENTH.to_owned(),
        Statistic::LateShare => row.late_limit.map_or_else(
            || "Frames that started later than their late threshold.".to_owned(),
            |limit| format!("Frames that started later than {}.", format_time(limit)),
        ),
        Statistic::CountShare => {
            "Frames that were not finished by their deadline, and skipped frames.".to_owned()
        }
        Statistic::AboveBaseline => "Share of values above A's p99.".to_owned(),
        Statistic::Percentile(quantile) => {
            let percent = f64::from(quantile.parts()) / 1_000.0;
            format!("{percent}% of values are at most this high.")
        }
        Statistic::StdDev => "Standard deviation of the values.".to_owned(),
        _ => String::new(),
    }
}
