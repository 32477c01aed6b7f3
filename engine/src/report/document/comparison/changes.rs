//! The changes of a comparison: a table for each run that is compared with the baseline.

use super::ComparisonSet;
use super::cells::{cells, metric_unit};
use super::summary::differences;
use crate::report::Metric;
use crate::report::comparison::words::{LOW, LOW_OF_TENTH, deciding, letter, result, value};
use crate::report::comparison::{ComparedRow, Figure, Reason, Variation};
use crate::report::document::Grid;
use crate::report::table::{Better, Quantity};
use crate::stats::{Outcome, Statistic};
use crate::units::{MISSING, count_text, format_signed_share, format_time};

/// The keys of the metrics in the tables that come first if more than two runs are compared; the
/// tables of all metrics are in a folded section.
const FIRST: [&str; 4] = ["p50", "p99", "late", "missed"];

/// A change relative to the baseline's value: 0.1 is 10% more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeChange {
    /// The change as a share of the baseline's value; negative if the value became lower.
    pub at: f64,
    /// The 95% confidence interval of the change; absent if the interval is unknown.
    pub interval: Option<(f64, f64)>,
    /// The noise floor to each side of 0: variation between runs with the same settings; absent if
    /// it is unknown.
    pub noise: Option<f64>,
}

/// The change of one metric between two sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The name of the metric.
    pub name: String,
    /// A remark about the metric, such as `higher is better`; may be empty.
    pub note: &'static str,
    /// The definition of the metric in one sentence; may be empty.
    pub definition: String,
    /// The values of the baseline and of the other side, with units.
    pub values: [String; 2],
    /// The change, as text.
    pub change: String,
    /// The 95% confidence interval of the change, as text.
    pub interval: String,
    /// The result, as text.
    pub result: String,
    /// Why the result is neither better nor worse; may be empty.
    pub why: String,
    /// The result, which sets the color if it is better or worse.
    pub direction: Option<Outcome>,
    /// The change to draw; absent if the baseline's value is absent or 0.
    pub drawn: Option<RelativeChange>,
    /// Whether the metric is a key metric, whose row is highlighted.
    pub is_key: bool,
}

/// All changes between the baseline and one other side.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The title: `Changes from A to B`.
    pub title: String,
    /// How to read the table.
    pub note: String,
    /// How the noise floor was determined; empty if it is unknown.
    pub noise: String,
    /// The letters of the baseline and of the other side.
    pub letters: [char; 2],
    /// One change per metric.
    pub lines: Vec<Change>,
    /// The same as text, with the changes and intervals in the unit of the metric.
    pub grid: Grid,
}

/// The tables of changes.
pub(super) struct ChangeTables {
    /// The tables of the metrics that matter most; empty if the others are few.
    pub first: Vec<Changes>,
    /// The tables of all metrics.
    pub all: Vec<Changes>,
}

/// Returns the tables of changes. Two runs with one configuration have only tables of all metrics. More runs also have
/// tables of a few metrics, and several configurations tables of p99.
pub(super) fn changes(sets: &[ComparisonSet<'_>], count: usize, is_single: bool) -> ChangeTables {
    let others: Vec<usize> = (1..count).collect();
    let table = |set: &ComparisonSet<'_>, run: usize, of: &str, note: String, lines| {
        let mut grid = Grid::default();
        let mut changes = Vec::new();
        let lines: Vec<(&ComparedRow, &Figure, Option<String>)> = lines;
        for (row, figure, name) in lines {
            let added = differences(set.comparison, row, &[figure], &[run]);
            let mut line = added.rows;
            let mut change = change(row, figure, run);
            grid.header = added.header;
            if let Some(name) = name {
                // The rows are about several configurations: each states its own unit.
                let is_time = figure.metric.unit == Quantity::Time;
                let unit = if is_time { metric_unit(row).symbol() } else { "" };
                for title in line.iter_mut().filter_map(|line| line.first_mut()) {
                    format!("{name} {unit}").trim_end().clone_into(title);
                }
                if let Some(title) = grid.header.first_mut() {
                    "Metric".clone_into(title);
                }
                change.name = name;
                change.is_key = false;
            }
            grid.is_right = added.is_right;
            grid.rows.extend(line);
            changes.push(change);
        }
        Changes {
            title: format!("Changes from {} to {}{of}", letter(0), letter(run)),
            note,
            noise: match &set.comparison.variation {
                Variation::Repeats(runs) => {
                    format!("noise floor, from {runs} runs with A's settings")
                }
                Variation::Unknown | Variation::Groups(_) => "noise floor".to_owned(),
            },
            letters: [letter(0), letter(run)],
            lines: changes,
            grid,
        }
    };
    let note = |set: &ComparisonSet<'_>| {
        format!("{}, lower is better unless noted", set.comparison.value_name)
    };
    let whole = |run: usize| {
        sets.iter().flat_map(move |set| {
            set.comparison.rows.iter().map(move |row| {
                let lines = row.figures.iter().map(|figure| (row, figure, None)).collect();
                let of =
                    if is_single { String::new() } else { format!(": {}", set.line_name(row)) };
                table(set, run, &of, note(set), lines)
            })
        })
    };
    let all: Vec<Changes> = others.iter().flat_map(|&run| whole(run)).collect();
    let Some(set) = sets.first().filter(|_| !is_single || 1 < others.len()) else {
        return ChangeTables { first: Vec::new(), all };
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
            let lines = figures.map(|(row, figure)| (row, figure, None)).collect();
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
                    (row, figure, Some(name))
                })
            })
        });
        let note = "p99 of each configuration, and what decides; all metrics below".to_owned();
        table(set, run, "", note, lines.collect())
    };
    ChangeTables { first: others.iter().map(|&run| first(run)).collect(), all }
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
        // The change of a share is a difference of shares, as in the headline: relative to a small share, it means little.
        change: if metric.is_relative() && base.is_some() && !cells.percent.is_empty() {
            cells.percent
        } else {
            cells.change
        },
        interval: match (relative, interval) {
            (Some((low, high)), _) if metric.is_relative() => {
                format!("{} to {}", format_signed_share(low), format_signed_share(high))
            }
            (_, Some(_)) => cells.interval,
            (_, None) => MISSING.to_owned(),
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
        Statistic::Low(share) if share.parts() == 1_000 => LOW.to_owned(),
        Statistic::Low(_) => LOW_OF_TENTH.to_owned(),
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
