//! A trend as a document: the answer, the plot, the table of points, and how changes are found.

use super::drawn::{ColumnLook, DrawnCell, DrawnColumn, DrawnRow, DrawnTable, Sign};
use super::{
    ALL, Block, Document, Fact, FactsLook, Grid, Head, PAGE, PAGE_AND_ALL, Piece, Section,
    Statement, Summary,
};
use crate::nanos::Nanos;
use crate::report::Metric;
use crate::report::chart::{Axis, Chart, Limit, MAX_SERIES, Marks, Series, shorten};
use crate::report::comparison::words::{metric_words, percents, value};
use crate::report::comparison::{Delta, MinEffect};
use crate::report::table::Quantity;
use crate::report::trend::{
    LevelChange, MIN_POINTS, Trend, TrendBy, TrendLevel, TrendLine, TrendPoint,
};
use crate::stats::Outcome;
use crate::units::{
    MISSING, capitalized, choose_decimals, choose_unit, count_text, format_change,
    format_signed_share, format_time_in,
};

/// How often a change is found where there is none.
pub const FALSE_ALARMS: &str = "false in 1 of 100 months of daily points";
/// How changes are found, for a help text.
pub const HOW_CHANGES_ARE_FOUND: &str = "A change is where the level of the points changed: at each new point, all splits of the \
     points since the last change are tested, and the limit is such that a line without a change has a false one in 1 of \
     100 months of daily points, whatever was found before. A level has at least 2 points, and a line at least 5. The rate \
     holds for independent points whose logarithms are about normally distributed; where single days are often far \
     off, false changes are more frequent. The interval of a change is that of two groups of points. Points of which all \
     runs were disturbed set no level.";
/// Maximum number of characters of a name below the plot.
const MAX_NAME: usize = 12;
/// Maximum number of recordings that are named.
const MAX_NAMES: usize = 2;
/// Maximum number of disturbed points that are named.
const MAX_DISTURBED: usize = 3;
/// Maximum number of rows of the table in a ticket.
const MAX_ROWS: usize = 5;

/// Returns the answer for one line: its newest change, since when there is none, or how many points it needs.
pub fn line_sentence(trend: &Trend, line: &TrendLine) -> String {
    let count = line.quiet_count();
    if !line.is_enough() {
        let disturbed = line.points.len() - count;
        let more = if 0 < disturbed { format!(" ({disturbed} disturbed)") } else { String::new() };
        return format!("Needs {MIN_POINTS} points; {count} so far{more}.");
    }
    let Some(change) = line.changes.last() else {
        let since = line.points.first().map_or("", |point| point.name.as_str());
        return format!("No change since {since}.");
    };
    let words = change_words(trend, line, change);
    match line.changes.len() - 1 {
        0 => words,
        others => format!("{words} {} before.", count_text(others, "changes")),
    }
}

/// Returns a change in a sentence: "p99 lateness rose by 18% (9 to 27%) with build:1842."
fn change_words(trend: &Trend, line: &TrendLine, change: &LevelChange) -> String {
    let LevelChange { delta, .. } = change;
    let name = metric_words(&trend.metric);
    let verb = if delta.effect.difference < 0.0 { "fell" } else { "rose" };
    let size = match (trend.metric.unit, delta.ratio) {
        (Quantity::Share, _) | (_, None) => {
            let points = |share: f64| format!("{:.2}", share * 100.0);
            let size = points(delta.effect.difference.abs());
            let interval = ends(delta.effect.interval, 1.0, delta.effect.difference, points);
            format!("{size} pp{}", interval.map_or_else(String::new, |it| format!(" ({it} pp)")))
        }
        (_, Some(ratio)) => {
            let percent = |share: f64| {
                let digits = usize::from(share.abs() < 0.1);
                format!("{:.digits$}", share * 100.0)
            };
            let baseline = (delta.effect.difference / ratio).abs();
            let interval = ends(delta.effect.interval, baseline, ratio, percent);
            let interval = interval.map_or_else(String::new, |it| format!(" ({it}%)"));
            format!("{}%{interval}", percent(ratio.abs()))
        }
    };
    let point = line.points.get(change.point).map_or("", |point| point.name.as_str());
    let place = match trend.by {
        TrendBy::Date => format!("on {point}"),
        TrendBy::Run => format!("with the run of {point}"),
        TrendBy::Tag(_) => format!("with {point}"),
    };
    let result = match delta.result {
        Outcome::Better | Outcome::Worse => String::new(),
        result => format!(" {}.", result.word()),
    };
    // The names of percentiles are in lower case everywhere.
    let is_title = name == trend.metric.title;
    let name = if is_title { name.to_owned() } else { capitalized(name) };
    format!("{name} {verb} by {size} {place}.{result}")
}

/// Returns the ends of an interval as sizes in ascending order: "9 to 27".
fn ends(
    interval: Option<(f64, f64)>,
    by: f64,
    change: f64,
    text: impl Fn(f64) -> String,
) -> Option<String> {
    let (low, high) = interval.filter(|_| 0.0 < by)?;
    let (low, high) = if change < 0.0 { (-high / by, -low / by) } else { (low / by, high / by) };
    Some(format!("{} to {}", text(low).replace('-', "\u{2212}"), text(high)))
}

/// Returns the answer: one sentence per line, after the PC if there are several.
pub fn sentence(trend: &Trend) -> String {
    let one = |line: &TrendLine| {
        let words = line_sentence(trend, line);
        if trend.lines.len() == 1 { words } else { format!("{}: {words}", line.machine) }
    };
    trend.lines.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Returns what the answer is based on: the baseline, the minimum effect, and the rate of false changes.
pub fn evidence(trend: &Trend, minimum: MinEffect) -> String {
    let share = minimum.of(trend.metric.kind());
    let unit = if trend.metric.is_relative() { "%" } else { " pp" };
    let size = format!("Minimum effect {}{unit}.", percents(share));
    let Some(line) = trend.lines.first().filter(|line| line.is_enough()) else { return size };
    let baseline = match (trend.lines.len(), line.baseline_value()) {
        (1, Some(level)) => {
            let level = value(&trend.metric, level);
            let is_set = line.points.iter().any(|point| point.is_baseline);
            if is_set {
                format!("Baseline: {level}, the level of the run tagged baseline. ")
            } else {
                format!(
                    "Baseline: {level}, the first level; tag a run 'baseline' to set another one. "
                )
            }
        }
        _ => String::new(),
    };
    format!("{baseline}{size} Changes are {FALSE_ALARMS}.")
}

/// Returns the change of a run from its baseline as a line: "▲ 11.0% worse than the baseline (+3.1% to +17.4%)".
pub fn baseline_words(metric: &Metric, delta: &Delta) -> String {
    let interval = delta.relative_interval().map_or_else(String::new, |(low, high)| {
        format!(" ({} to {})", format_signed_share(low), format_signed_share(high))
    });
    if let Some(ratio) = delta.ratio.filter(|_| delta.result.is_certain()) {
        let change = format_change(if metric.is_better(1.0) { -ratio } else { ratio });
        let slight = if delta.result.is_change() { "" } else { ", below the minimum effect" };
        return format!("{change} than the baseline{interval}{slight}");
    }
    let same = delta.result == Outcome::Same;
    let word = if same { "The same as" } else { "No clear difference from" };
    format!("{word} the baseline{interval}")
}

/// Returns the result of a point in a word.
pub fn result_word(line: &TrendLine, point: &TrendPoint) -> &'static str {
    match (line.outcome(point), &point.disturbed) {
        (_, Some(_)) => "Disturbed",
        (Some(outcome), None) => outcome.word(),
        (None, None) if point.is_baseline => "Baseline",
        (None, None) if line.is_enough() => "No change",
        (None, None) => MISSING,
    }
}

/// Returns the direction of the answer: that of the newest level of any line compared with its baseline, the worst first.
pub fn direction(trend: &Trend) -> Option<Outcome> {
    let of_lines = trend.lines.iter().filter_map(TrendLine::current).map(|delta| delta.result);
    let results: Vec<Outcome> = of_lines.collect();
    [Outcome::Worse, Outcome::SlightlyWorse, Outcome::Better, Outcome::SlightlyBetter]
        .into_iter()
        .find(|outcome| results.contains(outcome))
}

/// Returns the table of the points of a line, the newest first.
pub fn table(trend: &Trend, line: &TrendLine) -> Grid {
    let nanos = |value: f64| Nanos::from_nanos_f64(value);
    let times: Vec<Nanos> = line.points.iter().map(|point| nanos(point.value)).collect();
    let unit = choose_unit(&times);
    let decimals = choose_decimals(&times, unit);
    let is_time = trend.metric.unit == Quantity::Time;
    let text = |number: f64| match trend.metric.unit {
        Quantity::Time => format_time_in(nanos(number), unit, decimals),
        Quantity::Share => format!("{:.3}", number * 100.0),
        _ => format!("{number:.1}"),
    };
    let symbol = match trend.metric.unit {
        Quantity::Share => ", %".to_owned(),
        Quantity::Rate => ", FPS".to_owned(),
        _ if is_time => format!(", {}", unit.symbol()),
        _ => String::new(),
    };
    let row = |point: &TrendPoint| {
        let interval = point.interval.map_or_else(
            || MISSING.to_owned(),
            |(low, high)| format!("{} to {}", text(low), text(high)),
        );
        let change = line.baseline_value().map_or_else(
            || MISSING.to_owned(),
            |baseline| match trend.metric.unit {
                Quantity::Share => format!("{:+.3} pp", (point.value - baseline) * 100.0),
                _ if baseline == 0.0 => MISSING.to_owned(),
                _ => format_signed_share((point.value - baseline) / baseline.abs()),
            },
        );
        vec![
            point.name.clone(),
            point.runs.len().to_string(),
            text(point.value),
            interval,
            change,
            result_word(line, point).to_owned(),
        ]
    };
    Grid {
        header: vec![
            trend.by.heading(),
            "Runs".to_owned(),
            format!("Value{symbol}"),
            "95% CI".to_owned(),
            "Change to the baseline".to_owned(),
            "Result".to_owned(),
        ],
        is_right: vec![false, true, true, true, true, false],
        rows: line.points.iter().rev().map(row).collect(),
    }
}

/// Returns the table of a line with signs for its results.
fn drawn_table(trend: &Trend, line: &TrendLine) -> DrawnTable {
    let grid = table(trend, line);
    let columns = grid.header.iter().zip(&grid.is_right).map(|(title, is_right)| {
        DrawnColumn::new(title, if *is_right { ColumnLook::Number } else { ColumnLook::Text })
    });
    let rows = grid.rows.iter().zip(line.points.iter().rev()).map(|(cells, point)| {
        let mut cells: Vec<DrawnCell> = cells.iter().map(|cell| cell.as_str().into()).collect();
        let outcome = line.outcome(point).filter(|outcome| outcome.is_certain());
        if let (Some(outcome), Some(last)) = (outcome, cells.last_mut()) {
            last.sign = Some(Sign::Direction(Some(outcome)));
        }
        DrawnRow {
            is_key: line.changes.iter().any(|it| is_at(line, it, point)),
            ..DrawnRow::new(cells)
        }
    });
    DrawnTable {
        caption: format!("Points of {}", line.machine),
        columns: columns.collect(),
        rows: rows.collect(),
        ..DrawnTable::default()
    }
}

fn is_at(line: &TrendLine, change: &LevelChange, point: &TrendPoint) -> bool {
    line.points.get(change.point).is_some_and(|first| first.place == point.place)
}

/// Returns the position of a point on the horizontal axis of the plot.
pub const fn place(point: &TrendPoint) -> f64 {
    crate::stats::float(point.place) + 0.5
}

/// Returns the plot of a trend: points with intervals, and where the level changed. One PC also has its baseline with the
/// minimum effect around it.
pub fn chart(trend: &Trend) -> Chart {
    let of_points = |label: &str, points: &[&TrendPoint]| {
        let ends = |point: &&TrendPoint| point.interval.unwrap_or((point.value, point.value));
        let has_intervals = points.iter().any(|point| point.interval.is_some());
        let intervals = if has_intervals { points.iter().map(ends).collect() } else { Vec::new() };
        let values = points.iter().map(|point| (place(point), point.value)).collect();
        Series { intervals, ..Series::new(label, values) }
    };
    let mut lines: Vec<&TrendLine> = trend.lines.iter().collect();
    let end_of_note = shorten(&mut lines, MAX_SERIES, "PCs");
    let mut series = Vec::new();
    let mut disturbed: Vec<&TrendPoint> = Vec::new();
    for line in &lines {
        let (quiet, others): (Vec<&TrendPoint>, Vec<_>) =
            line.points.iter().partition(|point| point.disturbed.is_none());
        disturbed.extend(others);
        let label = if trend.lines.len() == 1 { "Points" } else { line.machine.as_str() };
        series.extend((!quiet.is_empty()).then(|| of_points(label, &quiet)));
    }
    disturbed.sort_by_key(|point| point.place);
    if !disturbed.is_empty() {
        series.push(Series { is_hollow: true, ..of_points("Disturbed", &disturbed) });
    }
    let only = match trend.lines.as_slice() {
        [line] => Some(line),
        _ => None,
    };
    let baseline = only.and_then(|line| Some((line.baseline_value()?, line.minimum)));
    let band = baseline.map(|(level, minimum)| (level - minimum, level + minimum));
    let ends = series.iter().flat_map(|one| {
        let points = one.points.iter().map(|point| point.1);
        points.chain(one.intervals.iter().flat_map(|ends| [ends.0, ends.1]))
    });
    let ends: Vec<f64> = ends.chain(band.into_iter().flat_map(|it| [it.0, it.1])).collect();
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let room = ((high - low) * 0.08).max(high.abs() * 1e-3);
    let lowest = if 0.0 <= low { (low - room).max(0.0) } else { low - room };
    let title = trend.metric.title;
    let names = trend.names.iter().map(|name| short_name(trend, name)).collect();
    let mut limits: Vec<Limit> = baseline
        .iter()
        .map(|(level, _)| {
            Limit::baseline(*level, format!("Baseline {}", value(&trend.metric, *level)))
        })
        .collect();
    for line in lines {
        limits.extend(line.changes.iter().filter_map(|change| {
            let point = line.points.get(change.point)?;
            let [old, new] = change.values.map(|it| value(&trend.metric, it));
            Some(Limit::vertical(crate::stats::float(point.place), format!("{old} to {new}")))
        }));
    }
    let x = Axis { title: "", ..Axis::rows(names) };
    let note = format!(
        "vertical lines: changes, {FALSE_ALARMS}; gray: minimum effect; hollow: disturbed{end_of_note}"
    );
    Chart {
        note,
        limits,
        band,
        ..Chart::new(
            ("trend", title),
            (x, Axis::linear("", trend.metric.unit, lowest, high + room)),
            Marks::Curves(series),
        )
    }
}

/// Returns the name of a point as it is below the plot: a tag without its beginning, a date without its year.
fn short_name(trend: &Trend, name: &str) -> String {
    let short = match &trend.by {
        TrendBy::Tag(prefix) => name.strip_prefix(prefix.as_str()).unwrap_or(name),
        TrendBy::Date | TrendBy::Run => {
            let end = name.match_indices(' ').nth(1).map_or(name.len(), |(at, _)| at);
            name.get(..end).unwrap_or(name)
        }
    };
    if short.chars().count() <= MAX_NAME {
        return short.to_owned();
    }
    short.chars().take(MAX_NAME - 1).chain(['…']).collect()
}

/// Returns the name of the metric, with its configuration.
pub fn title(trend: &Trend) -> String {
    let by = match &trend.by {
        TrendBy::Run => "runs".to_owned(),
        TrendBy::Date => "days".to_owned(),
        TrendBy::Tag(prefix) => format!("tags {prefix}"),
    };
    let label = if trend.label.is_empty() { String::new() } else { format!(", {}", trend.label) };
    format!("Trend of {}{label} over {by}", trend.metric.title)
}

/// Returns a trend as a document. `minimum` is the minimum effect that was set, `again` the command that prints the same
/// trend, and `privacy` states which names are excluded.
pub fn document(trend: &Trend, minimum: MinEffect, again: &str, privacy: &str) -> Document {
    let statement = Statement {
        sentence: sentence(trend),
        evidence: evidence(trend, minimum),
        ..Statement::default()
    };
    let title = title(trend);
    let machines = trend.lines.iter().map(|line| line.machine.clone()).collect::<Vec<_>>();
    let run_count: usize =
        trend.lines.iter().flat_map(|line| &line.points).map(|point| point.runs.len()).sum();
    let counts =
        format!("{} in {}", count_text(run_count, "runs"), count_text(trend.names.len(), "points"));
    let mut grid = trend.lines.first().map(|line| table(trend, line)).unwrap_or_default();
    grid.rows.truncate(MAX_ROWS);
    let mut document = Document {
        summary: Summary {
            title: vec![Piece::strong(title.clone()), Piece::plain(format!(" ({counts})"))],
            statement: statement.clone(),
            notes: Vec::new(),
            grid,
            facts: vec![vec![Piece::plain(machines.join("; "))]],
        },
        head: Head {
            title: title.clone(),
            about: vec![vec![trend.test.clone(), counts.clone()], machines],
            sign: Some(Sign::Direction(direction(trend))),
            warnings: warnings(trend).into_iter().map(|text| (false, text)).collect(),
            more_warnings: "How changes are found",
            ..Head::default()
        },
        contents: "All points, and how changes are found",
        blocks: Vec::new(),
    };
    document.extend(PAGE, [Block::heading(format!("{title} ({counts})"))]);
    document.extend(PAGE, warnings(trend).into_iter().map(Block::item));
    document.extend(ALL, [Block::plot(&chart(trend))]);
    for line in &trend.lines {
        let points = Block::Drawn(drawn_table(trend, line));
        let mut blocks = vec![points];
        if 1 < line.changes.len() {
            let changes =
                line.changes.iter().map(|change| Block::item(change_words(trend, line, change)));
            blocks.extend(changes);
        }
        let name = if trend.lines.len() == 1 { "Points" } else { line.machine.as_str() };
        document.extend(PAGE_AND_ALL, [Block::Section(Section::new(name, "", blocks))]);
    }
    let repeat = vec![Piece::plain("Repeat with: "), Piece::code(again)];
    document.extend(PAGE, [Block::Paragraph(vec![repeat.clone()])]);
    let method = Section::new(
        "How changes are found",
        "levels, false changes, intervals",
        vec![Block::paragraph(HOW_CHANGES_ARE_FOUND)],
    );
    let runs = Section::new(
        "Runs",
        "the runs of each point",
        vec![Block::Facts(FactsLook::Pairs, facts(trend))],
    );
    let mut file = vec![Block::Paragraph(vec![repeat])];
    file.extend((!privacy.is_empty()).then(|| Block::paragraph(format!("{privacy}."))));
    let file = Section::new("This file", "how to repeat the trend", file);
    document.extend(ALL, [method, runs, file].map(Section::closed).map(Block::Section));
    document.extend(PAGE, [Block::Verdict(statement)]);
    document
}

/// Returns what limits the answer, one line each.
fn warnings(trend: &Trend) -> Vec<String> {
    let mut lines = Vec::new();
    let points = trend.lines.iter().flat_map(|line| &line.points);
    let disturbed: Vec<(&str, &str)> = points
        .filter_map(|point| Some((point.name.as_str(), point.disturbed.as_deref()?)))
        .collect();
    if MAX_DISTURBED < disturbed.len() {
        let count = count_text(disturbed.len(), "points");
        lines.push(format!("{count} set no level: all their runs were disturbed."));
    } else {
        let line = |(name, why): &(&str, &str)| format!("{name} sets no level: {why}.");
        lines.extend(disturbed.iter().map(line));
    }
    if !trend.recordings.is_empty() {
        let count = count_text(trend.recordings.len(), "names");
        let mut names: Vec<String> = trend.recordings.iter().take(MAX_NAMES).cloned().collect();
        let more = trend.recordings.len().saturating_sub(MAX_NAMES);
        names.extend((0 < more).then(|| format!("{more} more")));
        let names = crate::units::join_names(&names);
        lines.push(format!(
            "These captures have {count}: {names}. Use a filter if they are of several programs."
        ));
    }
    lines.extend(not_followed(trend));
    lines
}

/// Returns which finished runs are not in the trend, and why; `None` if all are.
pub fn not_followed(trend: &Trend) -> Option<String> {
    let named = [
        (trend.other_count, "with other settings or of other tests"),
        (trend.unvalued_count, "without this metric"),
    ];
    let [others, unvalued] = named
        .map(|(count, why)| (0 < count).then(|| format!("{} {why}", count_text(count, "runs"))));
    let all: Vec<String> = others.into_iter().chain(unvalued).collect();
    let is_one = trend.other_count + trend.unvalued_count == 1;
    let verb = if is_one { "is" } else { "are" };
    (!all.is_empty()).then(|| format!("{} {verb} not in this trend.", all.join(" and ")))
}

fn facts(trend: &Trend) -> Vec<Fact> {
    let of_point = |point: &TrendPoint| {
        let runs = point.runs.iter().map(|[id, name, about]| {
            let about = if about.is_empty() { String::new() } else { format!(" ({about})") };
            format!("{id} {name}{about}")
        });
        Fact::new(point.name.clone(), runs.collect::<Vec<_>>().join("; "))
    };
    trend.lines.iter().flat_map(|line| line.points.iter().map(of_point)).collect()
}

/// The columns of a trend as CSV, which are the keys of a point as JSON.
pub const COLUMNS: [&str; 16] = [
    "metric",
    "unit",
    "machine",
    "point",
    "first_run_id",
    "run_ids",
    "run_count",
    "value",
    "interval_low",
    "interval_high",
    "level",
    "level_value",
    "baseline_value",
    "change",
    "result",
    "disturbed",
];

/// Returns one row per point in the order of [`COLUMNS`]. Values are nanoseconds, shares, or rates per second.
pub fn rows(trend: &Trend) -> Vec<[String; COLUMNS.len()]> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let row = |line: &TrendLine, point: &TrendPoint| {
        let ids: Vec<&str> = point.runs.iter().map(|[id, ..]| id.as_str()).collect();
        let level: Option<&TrendLevel> = line.levels.get(point.level);
        let baseline = line.baseline_value();
        [
            trend.metric.key.to_owned(),
            unit_key(trend).to_owned(),
            line.machine.clone(),
            point.name.clone(),
            ids.first().copied().unwrap_or_default().to_owned(),
            ids.join("; "),
            ids.len().to_string(),
            number(Some(point.value)),
            number(point.interval.map(|ends| ends.0)),
            number(point.interval.map(|ends| ends.1)),
            (point.level + 1).to_string(),
            number(level.map(|level| level.value)),
            number(baseline),
            number(baseline.map(|baseline| point.value - baseline)),
            result_key(line, point).to_owned(),
            point.disturbed.clone().unwrap_or_default(),
        ]
    };
    trend
        .lines
        .iter()
        .flat_map(|line| line.points.iter().map(move |point| row(line, point)))
        .collect()
}

/// Returns the unit of the values in files.
pub const fn unit_key(trend: &Trend) -> &'static str {
    match trend.metric.unit {
        Quantity::Share => "share",
        Quantity::Rate => "frames_per_second",
        _ => "nanoseconds",
    }
}

fn result_key(line: &TrendLine, point: &TrendPoint) -> &'static str {
    match (line.outcome(point), &point.disturbed) {
        (_, Some(_)) => "disturbed",
        (Some(outcome), None) => outcome.words().key,
        (None, None) if line.is_enough() => "no-change",
        (None, None) => Outcome::NotEnoughData.words().key,
    }
}

/// Returns a change of a level as text for a condition: "p99 lateness rose by 18% (9 to 27%) with build:1842."
pub fn condition_line(trend: &Trend, line: &TrendLine, delta: &Delta) -> String {
    let point = line.levels.last().map_or(0, |level| level.first);
    let change = LevelChange { point, values: [0.0; 2], delta: *delta };
    let words = change_words(trend, line, &change);
    if trend.lines.len() == 1 { words } else { format!("{}: {words}", line.machine) }
}

#[cfg(test)]
mod tests;
