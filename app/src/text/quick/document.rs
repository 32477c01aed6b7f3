//! A quick check as a document: short for a ticket, and complete as a file.

use jitterscope_engine::export::document::{Block, Grid, Line, Piece};
use jitterscope_engine::export::{Ticket, machine_line, machine_lines};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::quick::{Card, QualityCheck, Scorecard};
use jitterscope_engine::run::{Run, TrialRun, counter};

use super::{
    RATE_SOURCE, card, card_word, delayed_note, first_to_do, full_load, limit, numbers,
    plain_evidence, rates_grid, sentence, trust, what_to_do,
};
use crate::text::{MISSING, count_text, date, format_count, format_share, format_time, local};

/// Returns the sections that only the file has, not the ticket: measurements, recommendations, and
/// conditions.
fn details(scorecard: &Scorecard, runs: &[&Run]) -> Vec<Block> {
    let note = runs.iter().map(|run| run.note.as_str()).find(|note| !note.is_empty());
    let mut blocks =
        vec![Block::Heading("Measurements".to_owned()), Block::Grid(measurements(scorecard))];
    if let Some(full_load) = full_load(scorecard) {
        blocks.push(Block::Paragraph(vec![vec![Piece::plain(full_load)]]));
    }
    if !scorecard.rates.is_empty() {
        blocks.push(Block::Heading(format!("Frame rates under load: {RATE_SOURCE}")));
        blocks.push(Block::Grid(rates_grid(scorecard)));
    }
    let to_do = what_to_do(scorecard);
    if !to_do.is_empty() {
        blocks.push(Block::Heading("What to do".to_owned()));
        let note = scorecard.delayed.as_ref().map(delayed_note).unwrap_or_default();
        if !note.is_empty() {
            blocks.push(Block::Paragraph(vec![vec![Piece::plain(format!("{note}."))]]));
        }
        blocks.extend(to_do.into_iter().map(|words| {
            let text = if words.text.is_empty() { "" } else { ": " };
            Block::Item(vec![
                Piece::strong(words.title),
                Piece::plain(format!("{text}{}", words.text)),
            ])
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
    if let Some(note) = note {
        blocks.push(Block::Quote(note.lines().map(str::to_owned).collect()));
    }
    blocks.push(Block::Paragraph(vec![vec![
        Piece::plain("To run it again: "),
        Piece::code("jitterscope-cli quick"),
    ]]));
    blocks
}

/// Returns the blocks of the file of a check: the blocks of the ticket, then a folded section with
/// the details.
pub fn report(scorecard: &Scorecard, runs: &[&Run]) -> Vec<Block> {
    let mut blocks = ticket(scorecard, runs);
    let rest = details(scorecard, runs);
    blocks.push(Block::Details("Measurements, frame rates, advice, and machine".to_owned(), rest));
    blocks
}

/// Returns the blocks of a short text for an issue tracker (a ticket): verdict, the five results,
/// programs that delayed frames, and the PC.
pub fn ticket(scorecard: &Scorecard, runs: &[&Run]) -> Vec<Block> {
    let began = runs.iter().map(|run| run.started_at).min();
    let when = began.map_or_else(String::new, |began| format!("{}, ", date(&local(began))));
    let version = runs.first().map_or("", |run| run.app_version.as_str());
    let mut notes = vec![plain_evidence(scorecard)];
    notes.extend(first_to_do(scorecard).map(|first| format!("What to do: {first}")));
    notes.retain(|note| !note.is_empty());
    let mut facts: Vec<String> = Vec::new();
    if let Some(delayed) = scorecard.delayed.as_ref().filter(|delayed| 0 < delayed.late_count) {
        let rows = delayed.rows.iter().map(|row| match row.culprits {
            0 | 1 => format!("{} {}", row.name, row.count),
            others => format!("{others} others {}", row.count),
        });
        let rows: Vec<String> = rows.collect();
        facts.push(format!(
            "Delayed by: {} of {} more than {} late",
            rows.join(", "),
            count_text(delayed.late_count, "frames"),
            format_time(delayed.above)
        ));
    }
    facts.extend(Some(numbers(scorecard)).filter(|words| !words.is_empty()));
    facts.extend(runs.first().map(|run| format!("Machine: {}", machine_line(run))));
    let lost: u64 = runs.iter().map(|run| run.lost_count()).sum();
    let lost = if lost == 0 { "none".to_owned() } else { format_count(lost) };
    let samples: usize = runs.iter().map(|run| run.sample_count()).sum();
    let samples = format_count(samples);
    let quality = scorecard.trust.iter().filter_map(|one| match one {
        QualityCheck::OtherPrograms { share: Some(share), .. } => {
            Some(format!("other programs up to {} of one CPU", format_share(*share)))
        }
        _ => None,
    });
    let quality: Vec<String> =
        std::iter::once(format!("{lost} of {samples} samples lost")).chain(quality).collect();
    facts.push(format!("Quality: {}", quality.join(", ")));
    let mut facts: Vec<Line> = facts.into_iter().map(|line| vec![Piece::plain(line)]).collect();
    let id = runs.iter().find_map(|run| run.group.as_ref()).map(|group| group.id.to_string());
    let id = id.map(|id| [Piece::plain("Run "), Piece::code(id), Piece::plain(", repeat with ")]);
    let id = id.map_or_else(|| vec![Piece::plain("Repeat with ")], Vec::from);
    facts.push(id.into_iter().chain([Piece::code("jitterscope-cli quick")]).collect());
    let cell = |one: &Card| match card(one) {
        Some(said) => format!("{}, {} {}", card_word(one), said.number, said.unit),
        None => card_word(one),
    };
    let grid = Grid {
        header: scorecard.cards.iter().map(|one| one.part.name().to_owned()).collect(),
        is_right: scorecard.cards.iter().map(|_| true).collect(),
        rows: vec![scorecard.cards.iter().map(cell).collect()],
    };
    let title =
        vec![Piece::strong("Quick check"), Piece::plain(format!(" ({when}Jitterscope {version})"))];
    Ticket { title, answer: sentence(scorecard), notes, grid, facts }.blocks()
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

/// Returns the number of load threads in the frame loop under load, as text; `None` if that part
/// was not measured.
pub fn load(runs: &[&Run]) -> Option<String> {
    let is_loaded = |run: &&&Run| run.plan().and_then(Part::of) == Some(Part::FrameLoad);
    let threads = |trial: &TrialRun| trial.counters.get(counter::LOAD_THREADS).copied();
    let count = runs.iter().find(is_loaded)?.trials.iter().find_map(threads)?;
    let threads = if count == 1 { "load thread" } else { "load threads" };
    Some(format!("{count} {threads} in {}", Part::FrameLoad.name().to_lowercase()))
}
