//! The first lines of a comparison, for a ticket, and its tables as text.

use super::cells::{cells, metric_unit};
use super::{ComparisonSet, Evaluated, RunNames, group_name, remarks_of_all, side_name, statement};
use crate::report::Comparison;
use crate::report::comparison::words::{deciding, letter, result};
use crate::report::comparison::{ComparedRow, Figure, Variation};
use crate::report::document::{Grid, Line, Piece, Summary};
use crate::run::Run;
use crate::units::{MISSING, count_text, format_count};

/// Returns one line per side of the comparison: name, machine, and ID of a run; for a group, the
/// number of runs and all IDs.
pub(super) fn legend(set: &ComparisonSet<'_>, names: RunNames) -> Vec<String> {
    let is_grouped = matches!(set.comparison.variation, Variation::Groups(_));
    let line = |(side, at): (&Evaluated<'_>, usize)| {
        let Some((run, _)) = side.first() else { return String::new() };
        let machine = run.machine.short();
        let (name, facts) = match side.len() {
            _ if set.part.is_some() => (side_name(set, side, names), machine),
            count if is_grouped => {
                let name = group_name(set, side, &(names.name)(run), names);
                (
                    format!("{} {name}{}", count_text(count, "runs"), test_and_date(run, names)),
                    machine,
                )
            }
            _ => {
                let samples = format_count(run.sample_count());
                (full_name(run, names), format!("{machine} · {samples} samples"))
            }
        };
        let mark = if at == 0 { " (baseline)" } else { "" };
        let ids: Vec<&str> = side.iter().map(|(run, _)| set.id(run)).collect();
        format!("{}  {name}{mark} · {facts} · {}", letter(at), ids.join(" "))
    };
    set.sides().into_iter().zip(0..).map(line).collect()
}

/// Returns name, test, and date of a run in one line; omits the test if the name is the same.
fn full_name(run: &Run, names: RunNames) -> String {
    format!("{}{}", (names.name)(run), test_and_date(run, names))
}

/// Returns test and date of a run, after its name; omits the test if the name is the same.
fn test_and_date(run: &Run, names: RunNames) -> String {
    let test = run.subject.name();
    let test = if (names.name)(run) == test { String::new() } else { format!(" · {test}") };
    format!("{test}, {}", (names.date)(run.started_at))
}

/// The headers of the columns that are right-aligned because they contain numbers.
const NUMBERS: [&str; 4] = ["Change", "%", "95% CI", "Noise floor"];

/// Returns the table of differences between the baseline and the runs `others` in some metrics of one configuration. With
/// more than one other run, each row names the run that it compares with the baseline.
pub(super) fn differences(
    comparison: &Comparison,
    row: &ComparedRow,
    figures: &[&Figure],
    others: &[usize],
) -> Grid {
    let unit = metric_unit(row);
    let has_several = 1 < others.len();
    let shown: Vec<usize> =
        std::iter::once(comparison.baseline).chain(others.iter().copied()).collect();
    let mut header = vec![match comparison.value_name {
        "" => "Metric".to_owned(),
        name => format!("{name} in {}", unit.symbol()),
    }];
    header.extend(shown.iter().map(|run| letter(*run).to_string()));
    if has_several {
        header.push("Compared".to_owned());
    }
    header.extend(["Change", "%", "95% CI", "Noise floor", "Result"].map(str::to_owned));
    let is_right = header.iter().map(|name| NUMBERS.contains(&name.as_str())).collect();
    let mut rows = Vec::new();
    for figure in figures {
        for &run in others {
            let cells = cells(figure, run, unit);
            let mut line = vec![figure.metric.title.to_owned()];
            line.extend(shown.iter().filter_map(|run| cells.values.get(*run).cloned()));
            if has_several {
                line.push(format!("{} with {}", letter(run), letter(comparison.baseline)));
            }
            let interval = cells.interval.trim_matches(['[', ']']).replace(", ", " to ");
            line.extend([cells.change, cells.percent, interval, cells.noise]);
            let delta = figure.deltas.get(run).copied().flatten();
            line.push(delta.map_or(MISSING.to_owned(), |delta| result(&delta)));
            rows.push(line);
        }
    }
    Grid { header, is_right, rows }
}

/// Returns the first lines of a comparison.
pub(super) fn summary(sets: &[ComparisonSet<'_>], names: RunNames) -> Summary {
    let Some(first) = sets.first() else { return Summary::default() };
    let is_of_checks = first.part.is_some();
    let version = first.runs.first().map_or("", |(run, _)| run.app_version.as_str());
    let statement = statement(sets);
    let mut notes = statement.notes();
    notes.extend(remarks_of_all(sets).into_iter().next().map(|note| format!("Warning: {note}")));
    let mut facts: Vec<Line> =
        legend(first, names).into_iter().map(|line| vec![Piece::plain(line)]).collect();
    facts.push(vec![Piece::plain("Repeat with "), Piece::code(first.command())]);
    let what = if is_of_checks { "quick checks" } else { "runs" };
    let title = vec![
        Piece::strong(format!("Comparison of {} {what}", first.runs.len())),
        Piece::plain(format!(" (Jitterscope {version})")),
    ];
    Summary { title, statement, notes, grid: grid(sets, is_of_checks), facts }
}

/// Returns the table of a ticket: the p99 of each configuration, and the metric that decides; for a single configuration,
/// also its other metrics.
fn grid(sets: &[ComparisonSet<'_>], is_of_checks: bool) -> Grid {
    let lines: Vec<(&ComparisonSet<'_>, &ComparedRow)> = sets
        .iter()
        .flat_map(|set| first_rows(set).into_iter().map(move |row| (set, row)))
        .collect();
    let is_single = lines.len() == 1;
    let mut units: Vec<&str> = lines.iter().map(|(_, row)| metric_unit(row).symbol()).collect();
    units.dedup();
    let has_one_unit = units.len() == 1 && !is_of_checks;
    let mut grid = Grid::default();
    for (set, row) in lines {
        let comparison = set.comparison;
        let others: Vec<usize> =
            (0..comparison.count).filter(|run| *run != comparison.baseline).collect();
        let figures: Vec<&Figure> = row.figures.iter().collect();
        let mut table = differences(comparison, row, &figures, &others);
        if grid.header.is_empty() {
            grid.is_right = table.is_right;
            grid.header = table.header;
            if let Some(title) = grid.header.first_mut().filter(|_| !has_one_unit) {
                let name = if is_of_checks { "Measurement" } else { comparison.value_name };
                name.clone_into(title);
            }
        }
        // The metrics that decide the outcomes come first, so that the headline never names a row that is cut off.
        let decides = deciding_titles(comparison, row);
        let is_deciding =
            |line: &Vec<String>| line.first().is_some_and(|it| decides.contains(&it.as_str()));
        let is_p99 = |line: &Vec<String>| line.first().is_some_and(|metric| metric == "p99");
        table.rows.sort_by_key(|line| (!is_deciding(line), !is_p99(line)));
        let chosen = table.rows.iter().filter(|line| is_deciding(line) || is_p99(line)).count();
        let chosen = if is_of_checks { others.len() } else { chosen.max(others.len()) };
        let count = if is_single { table.rows.len() } else { chosen };
        grid.rows.extend(table.rows.into_iter().take(count).map(|mut line| {
            if let Some(metric) = line.first_mut().filter(|_| !is_single) {
                let unit = if has_one_unit { "" } else { metric_unit(row).symbol() };
                let label = format!("{}: {metric} {unit}", set.line_name(row));
                label.trim_end().clone_into(metric);
            }
            line
        }));
    }
    grid
}

/// Returns the titles of the metrics of a configuration that decide the outcome of a run.
fn deciding_titles(comparison: &Comparison, row: &ComparedRow) -> Vec<&'static str> {
    let of_run = (0..comparison.count).filter_map(|run| deciding(comparison, run));
    let of_row = of_run.filter(|one| std::ptr::eq(one.row, row));
    of_row.map(|one| one.figure.metric.title).collect()
}

/// Returns the configurations that a ticket shows: all; for a part of quick checks, only the last
/// one that changed, or else the last one.
fn first_rows<'a>(set: &ComparisonSet<'a>) -> Vec<&'a ComparedRow> {
    let is_changed =
        |row: &&ComparedRow| row.outcomes.iter().flatten().any(|outcome| outcome.is_certain());
    let rows = &set.comparison.rows;
    match set.part {
        Some(_) => rows.iter().max_by_key(is_changed).into_iter().collect(),
        None => rows.iter().collect(),
    }
}
