//! A comparison as lines and tables of words, and as Markdown for a ticket.

use jitterscope_engine::export::Ticket;
use jitterscope_engine::export::document::{Block, Grid, Line, Piece};
use jitterscope_engine::report::comparison::{ComparedRow, Relevance, Variation};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;

use super::super::{format_count, full_run_name};
use super::{cells, evidence, letter, metric_unit, noise_floor, note, obstacle, result, sentence};

/// Runs with what they mean.
pub type Evaluated<'a> = [(&'a Run, &'a Report)];

/// What A and B are, a line each: a run by its name, machine and ID; a group by the number of its runs.
pub fn legend(comparison: &Comparison, runs: &Evaluated<'_>) -> Vec<String> {
    if let Variation::Groups([count_a, _]) = comparison.variation {
        let (a, b) = runs.split_at(count_a.min(runs.len()));
        return [a, b].into_iter().zip(0..).map(|(group, at)| group_legend(group, at)).collect();
    }
    runs.iter()
        .zip(0..)
        .map(|((run, _), at)| {
            let mark = if at == 0 { " (baseline)" } else { "" };
            format!(
                "{}  {}{mark} · {} · {} samples · {}",
                letter(at),
                full_run_name(run),
                run.machine.short(),
                format_count(u64::try_from(run.sample_count()).unwrap_or(u64::MAX)),
                run.id,
            )
        })
        .collect()
}

fn group_legend(runs: &Evaluated<'_>, at: usize) -> String {
    let mark = if at == 0 { " (baseline)" } else { "" };
    let name = runs.first().map_or(String::new(), |(run, _)| full_run_name(run));
    let machine = runs.first().map_or(String::new(), |(run, _)| run.machine.short());
    let ids: Vec<&str> = runs.iter().map(|(run, _)| run.id.as_str()).collect();
    let word = if runs.len() == 1 { "run" } else { "runs" };
    format!("{}  {} {word} of {name}{mark} · {machine} · {}", letter(at), runs.len(), ids.join(" "))
}

/// The rows of the table of differences, header first. With more than two runs, each line names the run that
/// it compares with the baseline.
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

/// What differs around the runs, header first.
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

/// The notes and obstacles, a line each.
pub fn remarks(comparison: &Comparison) -> Vec<String> {
    let rows = comparison.rows.iter().filter_map(|row| {
        let in_the_way = row.obstacle.as_ref().filter(|_| comparison.obstacle.is_none())?;
        Some(format!("{}: {}", row.label, obstacle(in_the_way)))
    });
    comparison.notes.iter().map(note).chain(rows).collect()
}

/// The comparison as a file: the blocks of the ticket, and the rest folded.
pub fn document(comparison: &Comparison, runs: &Evaluated<'_>) -> Vec<Block> {
    let mut blocks = ticket(comparison, runs);
    let mut rest: Vec<Block> = remarks(comparison).into_iter().map(Block::item).collect();
    let differing = conditions(comparison);
    if 1 < differing.len() {
        rest.push(Block::Heading("Differences in machine and settings".to_owned()));
        rest.push(grid(differing));
    }
    for row in &comparison.rows {
        let unit = metric_unit(row).symbol();
        let title = format!("{}: {} in {unit}", row.label, comparison.value_name);
        rest.push(Block::Heading(title));
        rest.push(grid(differences(comparison, row)));
    }
    rest.push(Block::Paragraph(vec![vec![Piece::plain(noise_floor(comparison))]]));
    blocks.push(Block::Details("All metrics, machines, and settings".to_owned(), rest));
    blocks
}

/// The comparison for a ticket, in few lines.
pub fn ticket(comparison: &Comparison, runs: &Evaluated<'_>) -> Vec<Block> {
    let version = runs.first().map_or("", |(run, _)| run.app_version.as_str());
    let mut notes = vec![evidence(comparison)];
    notes.extend(remarks(comparison).into_iter().next().map(|note| format!("Warning: {note}")));
    notes.retain(|note| !note.is_empty());
    // The p99 of every configuration; of a single one, its other metrics after it.
    let is_single = comparison.rows.len() == 1;
    let mut units: Vec<&str> =
        comparison.rows.iter().map(|row| metric_unit(row).symbol()).collect();
    units.dedup();
    let mut rows = Vec::new();
    for row in &comparison.rows {
        let mut table = differences(comparison, row);
        let unit = metric_unit(row).symbol();
        let mut header = vec![match units.as_slice() {
            [one] => format!("{} in {one}", comparison.value_name),
            _ => comparison.value_name.to_owned(),
        }];
        header.extend(table.remove(0).into_iter().skip(1));
        rows.extend(rows.is_empty().then_some(header));
        table.sort_by_key(|line| line.first().is_none_or(|metric| metric != "p99"));
        let count = if is_single { table.len() } else { comparison.count.saturating_sub(1) };
        rows.extend(table.into_iter().take(count).map(|mut line| {
            if let Some(metric) = line.first_mut().filter(|_| !is_single) {
                let unit = if units.len() == 1 { "" } else { unit };
                let label = format!("{}: {metric} {unit}", row.label);
                label.trim_end().clone_into(metric);
            }
            line
        }));
    }
    let Block::Grid(grid) = grid(rows) else { return Vec::new() };
    let ids: Vec<&str> = runs.iter().map(|(run, _)| run.id.as_str()).collect();
    let command = match comparison.variation {
        Variation::Groups([count, _]) => {
            let (a, b) = ids.split_at(count.min(ids.len()));
            format!("jitterscope-cli compare --a {} --b {}", a.join(" "), b.join(" "))
        }
        _ => format!("jitterscope-cli compare {}", ids.join(" ")),
    };
    let mut facts: Vec<Line> =
        legend(comparison, runs).into_iter().map(|line| vec![Piece::plain(line)]).collect();
    facts.push(vec![Piece::plain("Repeat with "), Piece::code(command)]);
    let title = vec![
        Piece::strong(format!("Comparison of {} runs", runs.len())),
        Piece::plain(format!(" (Jitterscope {version})")),
    ];
    Ticket { title, answer: sentence(comparison), notes, grid, facts }.blocks()
}

/// Columns of numbers.
const NUMBERS: [&str; 4] = ["Change", "%", "95% CI", "Noise floor"];

/// A table whose first row is its header.
fn grid(rows: Vec<Vec<String>>) -> Block {
    let mut rows = rows.into_iter();
    let header = rows.next().unwrap_or_default();
    let is_number = |name: &String| NUMBERS.contains(&name.as_str());
    let is_right = header.iter().map(is_number).collect();
    Block::Grid(Grid { header, is_right, rows: rows.collect() })
}
