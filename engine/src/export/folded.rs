//! The Markdown file of a run: a short summary for a ticket, then a collapsed section with all
//! figures.

use std::io;

use super::document::{self, Block, Grid, Piece};
use super::sanitize::NOTE;
use super::ticket::Ticket;
use super::{Headline, Options, facts, parts, requests};
use crate::format::{exported, measurement_sum};
use crate::report::{Configuration, Report};
use crate::run::Run;

/// Maximum number of rows that are written of a table of events, such as late frames.
const MAX_EVENTS: usize = 40;

/// Returns the blocks of the Markdown file: the summary, then a collapsed section with everything
/// else.
pub(super) fn document(
    run: &Run,
    report: &Report,
    headline: &Headline,
    options: &Options,
) -> Vec<Block> {
    let mut blocks = Ticket::of_run(run, report, headline, options.parts).blocks();
    blocks.push(details(run, report, headline, options));
    blocks
}

fn details(run: &Run, report: &Report, headline: &Headline, options: &Options) -> Block {
    let holds = options.parts;
    let mut blocks: Vec<Block> = requested(run, report);
    for (table, omitted) in parts::tables(report, holds, MAX_EVENTS) {
        blocks.extend(document::of_table(&table, omitted));
    }
    blocks.push(Block::Heading("Measurement quality".to_owned()));
    blocks.extend(parts::cautions(report, holds).map(|it| Block::item(it.to_string())));
    let machine = if holds.machine { facts::machine(run) } else { Vec::new() };
    let lines = facts::trust(run, report, holds.machine).into_iter().chain(machine);
    blocks.extend(lines.map(|(name, value)| Block::item(format!("{name}: {value}"))));
    if !run.note.is_empty() {
        let note: String = run.note.chars().take(NOTE).collect();
        blocks.push(Block::Quote(note.lines().map(str::to_owned).collect()));
    }
    let annotations = facts::annotations(run);
    if !annotations.is_empty() {
        blocks.push(Block::Heading("Annotations".to_owned()));
        blocks
            .extend(annotations.into_iter().map(|(at, text)| Block::item(format!("{at}: {text}"))));
    }
    if let Some(plan) = run.plan().filter(|_| holds.repeat) {
        let settings = plan.settings().into_iter();
        let settings: Vec<String> =
            settings.map(|one| format!("{} {}", one.name, one.value)).collect();
        let line = format!("Settings: {}.", settings.join("; "));
        blocks.push(Block::Paragraph(vec![vec![Piece::plain(line)]]));
    }
    let mut last = Vec::new();
    if !headline.privacy.is_empty() {
        last.push(Piece::plain(format!("{}. ", headline.privacy)));
    }
    // The names in `run` are already redacted, so this is the checksum of a JSON export that
    // redacts the same names.
    if let Ok(sum) = exported::write(run, report, &headline.sentence, &mut io::sink()) {
        last.extend([Piece::plain("SHA-256 of the run as JSON: "), Piece::code(sum)]);
    }
    last.extend([Piece::plain(" SHA-256 of the measurement: "), Piece::code(measurement_sum(run))]);
    blocks.push(Block::Paragraph(vec![last]));
    let title = match report.rows.as_slice() {
        [row] if row.granted.is_some() => "Requested and applied, all figures, settings, checksum",
        _ => "All figures, settings, and checksum",
    };
    Block::Details(title.to_owned(), blocks)
}

/// Returns a table of the settings that the only configuration requested and that the system
/// applied. Empty for several configurations, whose settings are in the first table of the report.
fn requested(run: &Run, report: &Report) -> Vec<Block> {
    let [row] = report.rows.as_slice() else { return Vec::new() };
    let Configuration { granted: Some(granted), .. } = row else { return Vec::new() };
    let requests = requests::of(run, row, granted).into_iter();
    let line = |one: requests::Request| vec![one.name.to_owned(), one.requested, one.applied];
    vec![Block::Grid(Grid {
        header: ["Setting", "Requested", "Applied"].map(str::to_owned).to_vec(),
        is_right: vec![false; 3],
        rows: requests.map(line).collect(),
    })]
}
