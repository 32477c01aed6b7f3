//! A quick check as a document: for a ticket, and as one page to share.

use jitterscope_engine::export::document::{Block, Grid, Piece};
use jitterscope_engine::export::machine_lines;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::quick::Scorecard;
use jitterscope_engine::run::{Run, TrialRun, counter};

use super::{
    RATE_HEADERS, RATE_SOURCE, advice, card, card_word, evidence, limit, rate, rate_word, sentence,
    trust, word,
};
use crate::text::{MISSING, date, local};

/// Returns the blocks of a check: the answer, its numbers, what would help, and under what it ran.
pub fn document(scorecard: &Scorecard, runs: &[&Run]) -> Vec<Block> {
    let began = runs.iter().map(|run| run.started_at).min();
    let of = |text: fn(&Run) -> &str| {
        runs.iter().map(|run| text(run)).find(|text| !text.is_empty()).unwrap_or_default()
    };
    let (name, note) = (of(|run| &run.name), of(|run| &run.note));
    let name = if name.is_empty() { "Quick check" } else { name };
    let when = began.map_or_else(String::new, |began| format!("{}, ", date(&local(began))));
    let version = of(|run| &run.app_version);
    let mut blocks = vec![
        Block::Paragraph(vec![vec![
            Piece::strong(name),
            Piece::plain(format!(" ({when}Jitterscope {version})")),
        ]]),
        Block::Paragraph(vec![vec![
            Piece::plain("Verdict: "),
            Piece::strong(word(scorecard)),
            Piece::plain(format!(" {} {}", sentence(scorecard), evidence(scorecard))),
        ]]),
        Block::Heading("Measurements".to_owned()),
        Block::Grid(measurements(scorecard)),
    ];
    if !scorecard.rates.is_empty() {
        blocks.push(Block::Heading(format!("Frame rates under load: {RATE_SOURCE}")));
        let row = |one| {
            let mut cells = rate(one).to_vec();
            cells.push(rate_word(one).to_owned());
            cells
        };
        blocks.push(Block::Grid(Grid {
            header: RATE_HEADERS.map(str::to_owned).to_vec(),
            is_right: vec![true, true, true, true, true, false],
            rows: scorecard.rates.iter().map(row).collect(),
        }));
    }
    if !scorecard.advice.is_empty() {
        blocks.push(Block::Heading("Recommendations".to_owned()));
        blocks.extend(scorecard.advice.iter().map(|one| {
            let words = advice(one);
            Block::Item(vec![Piece::strong(words.title), Piece::plain(format!(": {}", words.text))])
        }));
    }
    blocks.push(Block::Heading("Measurement quality".to_owned()));
    for one in &scorecard.trust {
        let (name, said) = trust(one);
        let mark = if one.is_good() { "" } else { "⚠ " };
        blocks.push(Block::item(format!("{mark}{name}: {said}")));
    }
    if let Some(load) = load(runs) {
        blocks.push(Block::item(format!("Load: {load}")));
    }
    if let Some(run) = runs.first() {
        blocks.push(Block::Heading("Machine".to_owned()));
        let machine = machine_lines(run);
        blocks.extend(machine.iter().map(|(name, value)| Block::item(format!("{name}: {value}"))));
        if run.machine.virtualization.is_none() {
            blocks.push(Block::item("Virtual machine: none detected"));
        }
    }
    if !note.is_empty() {
        blocks.push(Block::Quote(note.lines().map(str::to_owned).collect()));
    }
    blocks.push(Block::Paragraph(vec![vec![
        Piece::plain("To run it again: "),
        Piece::code("jitterscope-cli quick"),
    ]]));
    blocks
}

fn measurements(scorecard: &Scorecard) -> Grid {
    let row = |one| {
        let (number, caption) = card(one).map_or_else(
            || (MISSING.to_owned(), String::new()),
            |said| (format!("{} {}", said.number, said.unit), said.caption),
        );
        vec![one.part.name().to_owned(), card_word(one), number, limit(one), caption]
    };
    Grid {
        header: ["Measurement", "Verdict", "Value", "Limit", "Metric"].map(str::to_owned).to_vec(),
        is_right: vec![false, false, true, false, false],
        rows: scorecard.cards.iter().map(row).collect(),
    }
}

/// The load threads of the frame loop under load, as they ran.
fn load(runs: &[&Run]) -> Option<String> {
    let is_loaded = |run: &&&Run| run.plan().and_then(Part::of) == Some(Part::FrameLoad);
    let threads = |trial: &TrialRun| trial.counters.get(counter::LOAD_THREADS).copied();
    let count = runs.iter().find(is_loaded)?.trials.iter().find_map(threads)?;
    Some(format!("{count} load threads in {}", Part::FrameLoad.name().to_lowercase()))
}
