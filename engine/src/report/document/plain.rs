//! Blocks for surfaces that show one below another, without sections and drawings: text, terminal, and preview.

use super::{Block, Fact, FactsLook, Grid, Piece, Section, requests};
use crate::report::table::{Layout, TextColumn};
use crate::report::{KeyFigure, Table};
use crate::units::count_text;

/// Returns blocks as headings, paragraphs, list items, quotes, grids, plots, and sections, for a surface that has no
/// other layout for the further kinds. The blocks in a section are not changed.
pub fn simplified(blocks: &[Block]) -> Vec<Block> {
    let simplify = |block: &Block| match block {
        Block::Facts(_, facts) => facts.iter().map(|fact| Block::item(fact.line())).collect(),
        Block::Steps(steps) => steps.iter().map(|step| Block::Item(step.line())).collect(),
        Block::Table(table, omitted) => of_table(table, *omitted),
        Block::Verdict(statement) => {
            let answer = Block::Paragraph(vec![vec![Piece::strong(statement.answer())]]);
            let notes = statement.notes().into_iter().map(Block::item);
            std::iter::once(answer).chain(notes).collect()
        }
        block => vec![block.clone()],
    };
    flattened(blocks).iter().flat_map(simplify).collect()
}

/// Returns blocks without sections and drawings, for a surface that shows one block below another: a section becomes
/// a heading and its blocks.
pub fn flattened(blocks: &[Block]) -> Vec<Block> {
    let key = |figure: &KeyFigure| {
        let KeyFigure { value, unit, context, .. } = figure;
        let value = format!("{value} {unit}").trim_end().to_owned();
        let context = if context.is_empty() { String::new() } else { format!(", {context}") };
        Fact::new(figure.title, format!("{value}{context}"))
    };
    let flatten = |block: &Block| match block {
        Block::Section(Section { title, note, blocks, .. }) => match blocks.as_slice() {
            // A plot and a table have titles of their own.
            [Block::Plot { .. } | Block::Table(..)] => flattened(blocks),
            blocks => {
                let note = if note.is_empty() { String::new() } else { format!(": {note}") };
                let title = Block::heading(format!("{title}{note}"));
                std::iter::once(title).chain(flattened(blocks)).collect()
            }
        },
        Block::Keys(figures) => {
            vec![Block::Facts(FactsLook::Pairs, figures.iter().map(key).collect())]
        }
        Block::Requests(requests) => vec![Block::Grid(requests::grid(requests))],
        Block::Drawn(table) => vec![Block::Grid(table.grid())],
        Block::Changes(changes) => vec![Block::Grid(changes.grid.clone())],
        Block::Parts(parts) => vec![Block::Item(parts.line())],
        block => vec![block.clone()],
    };
    blocks.iter().flat_map(flatten).collect()
}

/// Returns the title of a table, followed by its note if there is one, as in
/// `Scheduling gaps: gaps of 5 µs or longer`.
fn title(table: &Table) -> String {
    if table.note.is_empty() {
        table.title.to_owned()
    } else {
        format!("{}: {}", table.title, table.note)
    }
}

/// Returns a table as blocks. They have its title, the values that all rows share, a grid per group
/// of columns, the number of `omitted` rows, the reasons for empty cells, and the cautions about
/// rows. A table of one row becomes grids of two columns: the heading and the value.
fn of_table(table: &Table, omitted: usize) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(title(table))];
    if table.rows.is_empty() {
        return blocks;
    }
    let Layout { varying, shared } = Layout::of(table);
    if table.rows.len() == 1 {
        blocks.extend(groups(&shared).map(|group| {
            let cell = |column: &TextColumn<'_>| {
                vec![column.heading.clone(), column.shared_text().unwrap_or_default().to_owned()]
            };
            let title = group.first().map_or("", |column| column.column.group);
            Block::Grid(Grid {
                header: vec![
                    if title.is_empty() { "Figure" } else { title }.to_owned(),
                    "Value".to_owned(),
                ],
                is_right: vec![false, true],
                rows: group.iter().map(cell).collect(),
            })
        }));
    } else {
        blocks.extend(shared.iter().map(|column| {
            Block::item(format!("{}: {}", column.heading, column.shared_text().unwrap_or_default()))
        }));
        let (first, rest) = varying.split_at(varying.len().min(1));
        let is_alone = rest.is_empty() && !first.is_empty();
        let groups = groups(rest).chain(is_alone.then_some(&[][..]));
        blocks.extend(groups.map(|group| {
            let columns = || first.iter().chain(group);
            let row = |row: usize| -> Vec<String> {
                columns().map(|column| column.cells.get(row).cloned().unwrap_or_default()).collect()
            };
            Block::Grid(Grid {
                header: columns().map(|column| column.heading.clone()).collect(),
                is_right: columns().map(|column| !column.column.is_left_aligned()).collect(),
                rows: (0..table.rows.len()).map(row).collect(),
            })
        }));
    }
    let omitted = (0 < omitted).then(|| count_text(omitted, "more rows"));
    let cautions = table.cautions().into_iter();
    let cautions = cautions.map(|(name, caution)| format!("{name}: {caution}"));
    blocks.extend(omitted.into_iter().chain(table.reason_lines()).chain(cautions).map(Block::item));
    blocks
}

/// Splits a list of columns into parts. Each part has neighboring columns of the same group.
fn groups<'a, 'b>(columns: &'a [TextColumn<'b>]) -> impl Iterator<Item = &'a [TextColumn<'b>]> {
    columns.chunk_by(|one, next| one.column.group == next.column.group)
}
