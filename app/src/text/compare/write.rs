//! A comparison as lines and tables of words, and as Markdown for a ticket.

use jitterscope_engine::export::document::{Block, Grid, Piece};
use jitterscope_engine::report::comparison::{ComparedRow, Relevance};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;

use super::super::{count, full_run_name};
use super::{cells, evidence, letter, metric_unit, noise_floor, note, obstacle, result, sentence};

/// Runs with what they mean.
pub type Evaluated<'a> = [(&'a Run, &'a Report)];

/// What each run is, a line each: letter, name, machine, when.
pub fn legend(runs: &Evaluated<'_>) -> Vec<String> {
    runs.iter()
        .zip(0..)
        .map(|((run, _), at)| {
            let mark = if at == 0 { " (baseline)" } else { "" };
            format!(
                "{}  {}{mark} · {} · {} samples · {}",
                letter(at),
                full_run_name(run),
                run.machine.short(),
                count(u64::try_from(run.sample_count()).unwrap_or(u64::MAX)),
                run.id,
            )
        })
        .collect()
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
            line.extend([cells.change, cells.percent, cells.interval, cells.noise]);
            let delta = figure.deltas.get(run).copied().flatten();
            line.push(delta.map_or("–".to_owned(), |delta| result(delta.result, run)));
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

/// The comparison for a ticket.
pub fn document(comparison: &Comparison, runs: &Evaluated<'_>) -> Vec<Block> {
    let words =
        [Piece::strong(sentence(comparison)), Piece::plain(format!(" {}", evidence(comparison)))];
    let mut blocks = vec![Block::Paragraph(vec![words.into()])];
    blocks.extend(legend(runs).into_iter().chain(remarks(comparison)).map(Block::item));
    let differing = conditions(comparison);
    if 1 < differing.len() {
        blocks.push(Block::Heading("Differences in machine and settings".to_owned()));
        blocks.push(grid(differing));
    }
    for row in &comparison.rows {
        let unit = metric_unit(row).symbol();
        let title = format!("{}: {} in {unit}", row.label, comparison.value_name);
        blocks.push(Block::Heading(title));
        blocks.push(grid(differences(comparison, row)));
    }
    blocks.push(Block::Paragraph(vec![vec![Piece::plain(noise_floor(comparison))]]));
    blocks
}

/// A table whose first row is its header.
fn grid(rows: Vec<Vec<String>>) -> Block {
    let mut rows = rows.into_iter();
    let header = rows.next().unwrap_or_default();
    let is_right = header.iter().map(|_| false).collect();
    Block::Grid(Grid { header, is_right, rows: rows.collect() })
}
