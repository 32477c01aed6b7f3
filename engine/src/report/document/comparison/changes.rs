//! The changes of a comparison: one table for all sides that are compared with the baseline.

use super::ComparisonSet;
use super::cells::{cells, metric_unit};
use super::summary::differences;
use crate::report::Metric;
use crate::report::comparison::words::{LOW, LOW_OF_TENTH, deciding, letter, result, value};
use crate::report::comparison::{ComparedRow, Figure, Reason, Variation};
use crate::report::document::Grid;
use crate::report::model::metric::Track;
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
    /// The letter of the side that is compared with the baseline.
    pub letter: char,
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

/// All changes between the baseline and the other sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The title: `Changes from A to B and C`.
    pub title: String,
    /// How to read the table.
    pub note: String,
    /// How the noise floor was determined; empty if it is unknown.
    pub noise: String,
    /// The letter of the baseline.
    pub baseline: char,
    /// The letters of the other sides.
    pub others: Vec<char>,
    /// One change per metric and other side.
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
    let table = |set: &ComparisonSet<'_>, of: &str, note: String, lines: Vec<TableLine<'_>>| {
        let mut grid = Grid::default();
        let mut changes = Vec::new();
        for TableLine { row, figure, name } in lines {
            let mut added = differences(set.comparison, row, &[figure], &others);
            let mut of_sides: Vec<Change> =
                others.iter().map(|&side| change(row, figure, side)).collect();
            if let Some(name) = name {
                // The rows are about several configurations: each states its own unit.
                let is_time = figure.metric.unit == Quantity::Time;
                let unit = if is_time { metric_unit(row).symbol() } else { "" };
                for title in added.rows.iter_mut().filter_map(|line| line.first_mut()) {
                    format!("{name} {unit}").trim_end().clone_into(title);
                }
                if let Some(title) = added.header.first_mut() {
                    "Metric".clone_into(title);
                }
                for change in &mut of_sides {
                    name.clone_into(&mut change.name);
                    change.is_key = false;
                }
            }
            grid.header = added.header;
            grid.is_right = added.is_right;
            grid.rows.extend(added.rows);
            changes.extend(of_sides);
        }
        let letters: Vec<char> = others.iter().map(|&side| letter(side)).collect();
        Changes {
            title: format!("Changes from {} to {}{of}", letter(0), listed(&letters)),
            note,
            noise: match &set.comparison.variation {
                Variation::Repeats(runs) => {
                    format!("noise floor, from {runs} runs with A's settings")
                }
                Variation::Unknown | Variation::Groups(_) => "noise floor".to_owned(),
            },
            baseline: letter(0),
            others: letters,
            lines: changes,
            grid,
        }
    };
    let note = |set: &ComparisonSet<'_>| {
        format!("{}, lower is better unless noted", set.comparison.value_name)
    };
    let each = sets.iter().flat_map(|set| set.comparison.rows.iter().map(move |row| (set, row)));
    let whole = each.map(|(set, row)| {
        let lines = row.figures.iter().map(|figure| TableLine { row, figure, name: None });
        let of = if is_single { String::new() } else { format!(": {}", set.line_name(row)) };
        table(set, &of, note(set), lines.collect())
    });
    let all: Vec<Changes> = whole.collect();
    let Some(set) = sets.first().filter(|_| !is_single || 1 < others.len()) else {
        return ChangeTables { first: Vec::new(), all };
    };
    // The metrics that decide the outcomes are always among those shown.
    let decides = |set: &ComparisonSet<'_>, figure: &Figure| {
        let mut decides = others.iter().filter_map(|&side| deciding(set.comparison, side));
        decides.any(|one| std::ptr::eq(one.figure, figure))
    };
    let first = if is_single {
        let rows = set.comparison.rows.iter();
        let lines = rows.flat_map(|row| {
            let figures = row.figures.iter();
            figures.map(move |figure| TableLine { row, figure, name: None })
        });
        let is_first = |line: &TableLine<'_>| {
            FIRST.contains(&line.figure.metric.key) || decides(set, line.figure)
        };
        let note = format!("{}; all metrics below", note(set));
        table(set, "", note, lines.filter(is_first).collect())
    } else {
        let each =
            sets.iter().flat_map(|set| set.comparison.rows.iter().map(move |row| (set, row)));
        let lines = each.flat_map(|(set, row)| {
            let key = key_figure(row);
            let is_key = |figure: &Figure| key.is_some_and(|key| std::ptr::eq(key, figure));
            let more = row.figures.iter().filter(|it| !is_key(it) && decides(set, it));
            let figures: Vec<&Figure> = key.into_iter().chain(more).collect();
            figures.into_iter().map(move |figure| {
                let name = Some(format!("{}: {}", set.line_name(row), figure.metric.title));
                TableLine { row, figure, name }
            })
        });
        let note = "p99 of each configuration, and what decides; all metrics below".to_owned();
        table(set, "", note, lines.collect())
    };
    ChangeTables { first: vec![first], all }
}

/// A metric of a table of changes. In a table of several configurations it has a name.
struct TableLine<'a> {
    row: &'a ComparedRow,
    figure: &'a Figure,
    name: Option<String>,
}

/// Returns letters as part of a sentence: `B, C, and D`.
fn listed(letters: &[char]) -> String {
    let Some((last, rest)) = letters.split_last() else { return String::new() };
    let rest: Vec<String> = rest.iter().map(char::to_string).collect();
    match rest.as_slice() {
        [] => last.to_string(),
        [one] => format!("{one} and {last}"),
        rest => format!("{}, and {last}", rest.join(", ")),
    }
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
        letter: letter(run),
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
        Reason::Disturbed => "a run was disturbed",
        Reason::DisturbedSession => "disturbed, and not interleaved",
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
        Statistic::CountShare if metric.track == Track::Stutter => {
            "Share of the time in frames that stutter: above 2.5 × the moving median, unless set otherwise.".to_owned()
        }
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
