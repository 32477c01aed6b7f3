//! A comparison as text lines and tables, and as Markdown for a ticket.

use jitterscope_engine::export::Ticket;
use jitterscope_engine::export::document::{Block, Grid, Line, Piece};
use jitterscope_engine::report::Comparison;
use jitterscope_engine::report::comparison::{ComparedRow, Relevance, Variation};

use super::super::{format_count, full_run_name};
use super::page::{Compared, Evaluated, all_remarks, answer, side_name};
use super::{cells, deciding, evidence, letter, metric_unit, noise_floor, result};

/// Returns one line per side of the comparison: name, machine, and ID of a run; for a group, the
/// number of runs and all IDs.
pub fn legend(comparison: &Comparison, runs: &Evaluated<'_>) -> Vec<String> {
    if let Variation::Groups([count_a, _]) = comparison.variation {
        let (a, b) = runs.split_at(count_a.min(runs.len()));
        return [a, b].into_iter().zip(0..).map(|(group, at)| group_legend(group, at)).collect();
    }
    runs.iter()
        .zip(0..)
        .map(|((run, _), at)| {
            let samples = format_count(run.sample_count());
            let facts = format!("{} · {samples} samples", run.machine.short());
            legend_line(at, &full_run_name(run), &facts, run.id.as_str())
        })
        .collect()
}

fn legend_line(at: usize, name: &str, facts: &str, ids: &str) -> String {
    let mark = if at == 0 { " (baseline)" } else { "" };
    format!("{}  {name}{mark} · {facts} · {ids}", letter(at))
}

fn group_legend(runs: &Evaluated<'_>, at: usize) -> String {
    let name = runs.first().map_or(String::new(), |(run, _)| full_run_name(run));
    let machine = runs.first().map_or(String::new(), |(run, _)| run.machine.short());
    let ids: Vec<&str> = runs.iter().map(|(run, _)| run.id.as_str()).collect();
    let word = if runs.len() == 1 { "run" } else { "runs" };
    legend_line(at, &format!("{} {word} of {name}", runs.len()), &machine, &ids.join(" "))
}

/// Returns the table of differences between the runs in one configuration, header first. With more
/// than two runs, each row names the run that it compares with the baseline.
pub fn differences(comparison: &Comparison, row: &ComparedRow) -> Vec<Vec<String>> {
    let unit = metric_unit(row);
    let has_several = 2 < comparison.count;
    let mut header = vec!["Metric".to_owned()];
    header.extend((0..comparison.count).map(|run| letter(run).to_string()));
    if has_several {
        header.push("Compared".to_owned());
    }
    header.extend(["Change", "%", "95% CI", "Noise floor", "Result"].map(str::to_owned));
    let mut table = vec![header];
    for figure in &row.figures {
        for run in (0..comparison.count).filter(|run| *run != comparison.baseline) {
            let cells = cells(figure, run, unit);
            let mut line = vec![figure.metric.title.to_owned()];
            line.extend(cells.values);
            if has_several {
                line.push(format!("{} with {}", letter(run), letter(comparison.baseline)));
            }
            let interval = cells.interval.trim_matches(['[', ']']).replace(", ", " to ");
            line.extend([cells.change, cells.percent, interval, cells.noise]);
            let delta = figure.deltas.get(run).copied().flatten();
            line.push(delta.map_or("–".to_owned(), |delta| result(&delta)));
            table.push(line);
        }
    }
    table
}

/// Returns the table of conditions that differ between the runs, such as load, header first.
pub fn conditions(comparison: &Comparison) -> Vec<Vec<String>> {
    let mut header = vec![String::new()];
    header.extend((0..comparison.count).map(|run| letter(run).to_string()));
    header.push("Effect".to_owned());
    let mut table = vec![header];
    for condition in comparison.differing() {
        let mut line = vec![condition.name.clone()];
        line.extend(condition.values.iter().cloned());
        let effect = if condition.weight == Relevance::Likely { "likely" } else { "possible" };
        line.push(effect.to_owned());
        table.push(line);
    }
    table
}

/// Returns the blocks of the file of a comparison, or of the comparisons of all parts of quick
/// checks: the blocks of the ticket, then a folded section with the details.
pub fn document(sets: &[Compared<'_>]) -> Vec<Block> {
    let mut blocks = ticket(sets);
    let mut rest: Vec<Block> = all_remarks(sets).into_iter().map(Block::item).collect();
    let first = sets.first();
    let differing = first.map(|set| conditions(set.comparison)).unwrap_or_default();
    if 1 < differing.len() {
        rest.push(Block::Heading("Differences in machine and settings".to_owned()));
        rest.push(grid(differing));
    }
    for set in sets {
        for row in &set.comparison.rows {
            let (name, unit) = (set.line_name(row), metric_unit(row).symbol());
            let title = format!("{name}: {} in {unit}", set.comparison.value_name);
            rest.push(Block::Heading(title));
            rest.push(grid(differences(set.comparison, row)));
        }
    }
    let floor = first.map(|set| vec![Piece::plain(noise_floor(set.comparison))]);
    rest.push(Block::Paragraph(floor.into_iter().collect()));
    blocks.push(Block::Details("All metrics, machines, and settings".to_owned(), rest));
    blocks
}

/// Returns the blocks of a short text about a comparison, to paste into an issue tracker (a
/// ticket).
pub fn ticket(sets: &[Compared<'_>]) -> Vec<Block> {
    let Some(first) = sets.first() else { return Vec::new() };
    let is_of_checks = first.part.is_some();
    let version = first.runs.first().map_or("", |(run, _)| run.app_version.as_str());
    let mut notes = Vec::new();
    notes.extend((!is_of_checks).then(|| evidence(first.comparison)));
    notes.extend(all_remarks(sets).into_iter().next().map(|note| format!("Warning: {note}")));
    notes.retain(|note| !note.is_empty());
    // Show the p99 of each configuration; for a single configuration, also its other metrics.
    let lines: Vec<(&Compared<'_>, &ComparedRow)> = sets
        .iter()
        .flat_map(|set| first_rows(set).into_iter().map(move |row| (set, row)))
        .collect();
    let is_single = lines.len() == 1;
    let mut units: Vec<&str> = lines.iter().map(|(_, row)| metric_unit(row).symbol()).collect();
    units.dedup();
    let has_one_unit = units.len() == 1 && !is_of_checks;
    let mut rows = Vec::new();
    for (set, row) in lines {
        let mut table = differences(set.comparison, row);
        let unit = metric_unit(row).symbol();
        let mut header = vec![match set.comparison.value_name {
            _ if is_of_checks => "Measurement".to_owned(),
            name if has_one_unit => format!("{name} in {unit}"),
            name => name.to_owned(),
        }];
        header.extend(table.remove(0).into_iter().skip(1));
        rows.extend(rows.is_empty().then_some(header));
        // The metrics that decide the outcomes come first, so that the headline never names a row that is cut off.
        let decides = deciding_titles(set.comparison, row);
        let is_deciding =
            |line: &Vec<String>| line.first().is_some_and(|it| decides.contains(&it.as_str()));
        let is_p99 = |line: &Vec<String>| line.first().is_some_and(|metric| metric == "p99");
        table.sort_by_key(|line| (!is_deciding(line), !is_p99(line)));
        let others = set.comparison.count.saturating_sub(1);
        let chosen = table.iter().filter(|line| is_deciding(line) || is_p99(line)).count();
        let chosen = if is_of_checks { others } else { chosen.max(others) };
        let count = if is_single { table.len() } else { chosen };
        rows.extend(table.into_iter().take(count).map(|mut line| {
            if let Some(metric) = line.first_mut().filter(|_| !is_single) {
                let unit = if has_one_unit { "" } else { unit };
                let label = format!("{}: {metric} {unit}", set.line_name(row));
                label.trim_end().clone_into(metric);
            }
            line
        }));
    }
    let Block::Grid(grid) = grid(rows) else { return Vec::new() };
    let legend =
        if is_of_checks { check_legend(first) } else { legend(first.comparison, first.runs) };
    let mut facts: Vec<Line> = legend.into_iter().map(|line| vec![Piece::plain(line)]).collect();
    facts.push(vec![Piece::plain("Repeat with "), Piece::code(first.command())]);
    let what = if is_of_checks { "quick checks" } else { "runs" };
    let title = vec![
        Piece::strong(format!("Comparison of {} {what}", first.runs.len())),
        Piece::plain(format!(" (Jitterscope {version})")),
    ];
    Ticket { title, answer: answer(sets), notes, grid, facts }.blocks()
}

/// Returns the titles of the metrics of a configuration that decide the outcome of a run.
fn deciding_titles(comparison: &Comparison, row: &ComparedRow) -> Vec<&'static str> {
    let of_run = (0..comparison.count).filter_map(|run| deciding(comparison, run));
    let of_row = of_run.filter(|one| std::ptr::eq(one.row, row));
    of_row.map(|one| one.figure.metric.title).collect()
}

/// Returns the configurations that a ticket shows: all; for a part of quick checks, only the last
/// one that changed, or else the last one.
fn first_rows<'a>(set: &Compared<'a>) -> Vec<&'a ComparedRow> {
    let is_changed =
        |row: &&ComparedRow| row.outcomes.iter().flatten().any(|outcome| outcome.is_certain());
    let rows = &set.comparison.rows;
    match set.part {
        Some(_) => rows.iter().max_by_key(is_changed).into_iter().collect(),
        None => rows.iter().collect(),
    }
}

/// Returns one line per compared quick check: letter, name, machine, and ID.
fn check_legend(set: &Compared<'_>) -> Vec<String> {
    let line = |(side, at): (&Evaluated<'_>, usize)| {
        let machine = side.first().map_or_else(String::new, |(run, _)| run.machine.short());
        let ids: Vec<&str> = side.iter().map(|(run, _)| set.id(run)).collect();
        legend_line(at, &side_name(side), &machine, &ids.join(" "))
    };
    set.sides().into_iter().zip(0..).map(line).collect()
}

/// The headers of the columns that are right-aligned because they contain numbers.
const NUMBERS: [&str; 4] = ["Change", "%", "95% CI", "Noise floor"];

/// Returns a table block; the first row is its header.
fn grid(rows: Vec<Vec<String>>) -> Block {
    let mut rows = rows.into_iter();
    let header = rows.next().unwrap_or_default();
    let is_number = |name: &String| NUMBERS.contains(&name.as_str());
    let is_right = header.iter().map(is_number).collect();
    Block::Grid(Grid { header, is_right, rows: rows.collect() })
}
