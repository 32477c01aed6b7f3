//! A quick check as a document: short for a ticket, and complete as a file.

use super::{
    RATE_SOURCE, RATE_TITLE, card, card_word, delayed_note, first_to_do, full_load, limit, numbers,
    plain_evidence, rates_grid, sentence, trust, what_to_do,
};
use crate::plan::quick::Part;
use crate::report::document::{
    ALL, Block, Document, Fact, Grid, Line, PAGE, PAGE_AND_ALL, Piece, Statement, Step, Summary,
    facts,
};
use crate::report::quick::{Card, QualityCheck, Scorecard};
use crate::run::{Run, TrialRun, counter};
use crate::units::{MISSING, count_text, format_count, format_share, format_time};

/// The command that repeats a check.
pub const COMMAND: &str = "jitterscope-cli quick";

/// Returns a quick check as a document. `runs` are its runs, and `when` is its date; without runs, the document has
/// no date and no facts about the machine.
pub fn document(scorecard: &Scorecard, runs: &[&Run], when: &str) -> Document {
    let mut document = Document {
        summary: summary(scorecard, runs, when),
        contents: "Measurements, frame rates, advice, and machine",
        blocks: Vec::new(),
    };
    document.extend(
        PAGE_AND_ALL,
        [Block::heading("Measurements"), Block::Grid(measurements(scorecard))],
    );
    document.extend(PAGE_AND_ALL, full_load(scorecard).map(Block::paragraph));
    if !scorecard.rates.is_empty() {
        let title = Block::heading(format!("{RATE_TITLE}: {RATE_SOURCE}"));
        document.extend(PAGE_AND_ALL, [title, Block::Grid(rates_grid(scorecard))]);
    }
    let steps: Vec<Step> = what_to_do(scorecard)
        .into_iter()
        .map(|words| Step { title: words.title, text: words.text })
        .collect();
    if !steps.is_empty() {
        document.extend(PAGE_AND_ALL, [Block::heading("What to do")]);
        let note = scorecard.delayed.as_ref().map(delayed_note).unwrap_or_default();
        let note = (!note.is_empty()).then(|| Block::paragraph(format!("{note}.")));
        document.extend(PAGE_AND_ALL, note.into_iter().chain([Block::Steps(steps)]));
    }
    if !scorecard.trust.is_empty() {
        let quality = Block::Facts(quality(scorecard));
        document.extend(PAGE_AND_ALL, [Block::heading("Measurement quality"), quality]);
    }
    document.extend(ALL, load(runs).map(|load| Block::Facts(vec![load])));
    if let Some(run) = runs.first() {
        let mut machine: Vec<Fact> =
            facts::machine(run).into_iter().map(|(name, value)| Fact::new(name, value)).collect();
        if run.machine.virtualization.is_none() {
            machine.push(Fact::new("Virtual machine", "none detected"));
        }
        document.extend(ALL, [Block::heading("Machine"), Block::Facts(machine)]);
    }
    let note = runs.iter().map(|run| run.note.as_str()).find(|note| !note.is_empty());
    let quote = note.map(|note| Block::Quote(note.lines().map(str::to_owned).collect()));
    let again = vec![Piece::plain("To run it again: "), Piece::code(COMMAND)];
    document.extend(ALL, quote.into_iter().chain([Block::Paragraph(vec![again])]));
    let evidence = super::evidence(scorecard);
    let answer = Statement { answer: sentence(scorecard), evidence, to_do: None };
    document.extend(PAGE, [Block::Verdict(answer)]);
    document
}

/// Returns the aspects of the measurement quality.
pub fn quality(scorecard: &Scorecard) -> Vec<Fact> {
    let fact = |one: &QualityCheck| {
        let (name, value) = trust(one);
        Fact { is_warning: !one.is_good(), name: name.to_owned(), value }
    };
    scorecard.trust.iter().map(fact).collect()
}

/// Returns the verdict, the five results, the programs that delayed frames, and the PC.
fn summary(scorecard: &Scorecard, runs: &[&Run], when: &str) -> Summary {
    let when = if runs.is_empty() { String::new() } else { format!("{when}, ") };
    let version = runs.first().map_or("", |run| run.app_version.as_str());
    let mut notes = vec![plain_evidence(scorecard)];
    notes.extend(first_to_do(scorecard).map(|first| format!("What to do: {first}")));
    notes.retain(|note| !note.is_empty());
    let mut lines: Vec<String> = Vec::new();
    if let Some(delayed) = scorecard.delayed.as_ref().filter(|delayed| 0 < delayed.late_count) {
        let rows = delayed.rows.iter().map(|row| match row.culprits {
            0 | 1 => format!("{} {}", row.name, row.count),
            others => format!("{others} others {}", row.count),
        });
        let rows: Vec<String> = rows.collect();
        lines.push(format!(
            "Delayed by: {} of {} more than {} late",
            rows.join(", "),
            count_text(delayed.late_count, "frames"),
            format_time(delayed.above)
        ));
    }
    lines.extend(Some(numbers(scorecard)).filter(|words| !words.is_empty()));
    lines.extend(runs.first().map(|run| format!("Machine: {}", facts::machine_line(run))));
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
    lines.push(format!("Quality: {}", quality.join(", ")));
    let mut facts: Vec<Line> = lines.into_iter().map(|line| vec![Piece::plain(line)]).collect();
    let id = runs.iter().find_map(|run| run.group.as_ref()).map(|group| group.id.to_string());
    let id = id.map(|id| [Piece::plain("Run "), Piece::code(id), Piece::plain(", repeat with ")]);
    let id = id.map_or_else(|| vec![Piece::plain("Repeat with ")], Vec::from);
    facts.push(id.into_iter().chain([Piece::code(COMMAND)]).collect());
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
    Summary { title, answer: sentence(scorecard), notes, grid, facts }
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

/// Returns the number of load threads in the frame loop under load; `None` if that part
/// was not measured.
pub(crate) fn load(runs: &[&Run]) -> Option<Fact> {
    let is_loaded = |run: &&&Run| run.plan().and_then(Part::of) == Some(Part::FrameLoad);
    let threads = |trial: &TrialRun| trial.counters.get(counter::LOAD_THREADS).copied();
    let count = runs.iter().find(is_loaded)?.trials.iter().find_map(threads)?;
    let threads = if count == 1 { "load thread" } else { "load threads" };
    let part = Part::FrameLoad.name().to_lowercase();
    Some(Fact::new("Load", format!("{count} {threads} in {part}")))
}
