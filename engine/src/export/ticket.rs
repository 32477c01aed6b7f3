//! The result of a run as a Markdown file, and its first lines to paste into a ticket or chat: the
//! verdict, its numbers, the machine, and how to repeat the run.

use std::borrow::Cow;
use std::io;

use super::{Headline, Parts, markdown};
use crate::format::exported::{self, ExportedRun};
use crate::format::{KeptSamples, measurement_sum, shortened_sum};
use crate::report::document::run::{self, Contents};
use crate::report::document::{
    ALL, Block, Document, Fact, FactsLook, Line, Piece, Section, Statement, Summary,
};
use crate::report::{Chart, Report};
use crate::run::Run;

/// Maximum number of lines of a ticket.
pub const MAX_LINES: usize = 15;
/// Maximum number of characters of a ticket; some chats limit a message to 2000.
pub const MAX_LETTERS: usize = 1_800;
/// Maximum number of characters of the command that repeats a run; a longer command is omitted.
const MAX_COMMAND: usize = 300;

pub use crate::report::document::Summary as Ticket;

/// Maximum number of rows of a table of events in a text, such as late frames.
pub(super) const MAX_EVENTS: usize = 40;

/// Returns the document of a run as far as `holds` includes its parts, with at most `max_events` rows per table of
/// events: all blocks with these plots, or those of a page. The line that repeats the run has the checksum of all samples,
/// which takes a third of the time in which a capture is read: a terminal does not show this line.
pub(super) fn document(
    run: &Run,
    report: &Report,
    headline: &Headline,
    holds: Parts,
    (max_events, has_repeat): (usize, bool),
    charts: Option<&[Chart]>,
) -> Document {
    let title = match report.rows.as_slice() {
        [only] if !headline.title.contains(&only.label) => {
            format!("{}: {}", headline.title, only.label)
        }
        _ => headline.title.clone(),
    };
    let program = if run.plan().is_some() { "Jitterscope " } else { "" };
    let about = format!(" ({}, {program}{})", headline.about, run.app_version);
    let contents = Contents {
        title: vec![Piece::strong(title), Piece::plain(about)],
        name: headline.title.clone(),
        about: headline.about.clone(),
        statement: Statement {
            grade: headline.grade.clone(),
            count: String::new(),
            sentence: headline.sentence.clone(),
            evidence: headline.evidence.clone(),
            to_do: Some(headline.advice.clone()).filter(|advice| !advice.is_empty()),
        },
        has_machine: holds.machine,
        has_settings: holds.repeat,
        max_events,
        repeat: has_repeat.then(|| repeat(run, holds)),
    };
    run::document(run, report, &contents, charts)
}

/// Returns the section about the file of a run. `sum` is the checksum of the run as JSON; `None` if the file does not
/// contain the whole run. `kept` are the samples in the file.
pub(super) fn file_section(
    run: &Run,
    headline: &Headline,
    sum: Option<&str>,
    kept: KeptSamples,
) -> Section {
    let program = match run.capture() {
        Some(_) => run.app_version.clone(),
        None => format!("Jitterscope {}, method {}", run.app_version, run.method_version),
    };
    let mut facts = vec![
        Fact::new("Program", program),
        Fact::new("Run", run.id.to_string()),
        Fact::new("Measurement", format!("SHA-256 {}", measurement_sum(run))),
    ];
    facts.extend(sum.map(|sum| Fact::new("SHA-256", sum)));
    facts.extend((kept != KeptSamples::All).then(|| Fact::new("Samples", kept.statement())));
    facts.extend(
        (!headline.privacy.is_empty())
            .then(|| Fact::new("Names", format!("{}.", headline.privacy))),
    );
    let blocks = vec![Block::Facts(FactsLook::WideColumns, facts)];
    Section::new("This file", "open it in Jitterscope, checksum, privacy", blocks).closed()
}

/// Returns the run as an HTML page and a JSON file hold it.
pub(super) fn exported_run<'a>(
    run: &'a Run,
    report: &'a Report,
    headline: &'a Headline,
    kept: KeptSamples,
) -> ExportedRun<'a> {
    ExportedRun { run, report, verdict: Cow::Borrowed(&headline.sentence), kept }
}

/// Returns the document of the file of a run, with the section about the file.
pub(super) fn file(run: &Run, report: &Report, headline: &Headline, holds: Parts) -> Document {
    let charts = report.charts(run);
    let events = (MAX_EVENTS, true);
    let mut document = document(run, report, headline, holds, events, Some(&charts));
    // The names in `run` are already redacted, so this is the checksum of a JSON export that
    // redacts the same names.
    let exported = exported_run(run, report, headline, KeptSamples::All);
    let sum = exported::write(&exported, &mut io::sink()).ok();
    let section = file_section(run, headline, sum.as_deref(), KeptSamples::All);
    document.extend(ALL, [Block::Section(section)]);
    document
}

/// Returns a document in the order of a page: the summary, the open blocks, and the closed sections.
pub fn outline(document: Document) -> Vec<Block> {
    let everything = document.everything().into_iter().map(|block| match block {
        Block::Section(section) if section.is_closed => {
            Block::Details(format!("{}: {}", section.title, section.note), section.blocks)
        }
        block => block,
    });
    document.summary.blocks().into_iter().chain(everything).collect()
}

/// Returns the blocks of the file of a document: its summary, then a section with everything else.
pub fn complete(document: Document) -> Vec<Block> {
    let details = document.details();
    let mut blocks = document.summary.blocks();
    blocks.push(details);
    blocks
}

impl Summary {
    /// Returns the ticket as blocks of at most [`MAX_LINES`] lines and [`MAX_LETTERS`] characters:
    /// rows of the table that do not fit are omitted, and long lines are truncated.
    pub fn blocks(mut self) -> Vec<Block> {
        let all = self.grid.rows.len();
        let room =
            |it: &Self| MAX_LINES.saturating_sub(3 + it.notes.len() + 1 + 2 + 1 + it.facts.len());
        // A second row, with which the first one is compared, is more useful than a warning.
        if room(&self) < all.min(2) {
            self.notes.truncate(2);
        }
        let shown = room(&self).clamp(1, all.max(1));
        if shown < all {
            self.grid.rows.truncate(shown);
            self.title.push(Piece::plain(format!(", {shown} of {all} rows")));
        }
        let mut blocks = vec![
            Block::Paragraph(vec![self.title]),
            Block::Paragraph(vec![vec![Piece::strong(self.statement.answer())]]),
        ];
        blocks.extend(self.notes.into_iter().map(Block::item));
        if !self.grid.rows.is_empty() {
            blocks.push(Block::Grid(self.grid));
        }
        blocks.extend(self.facts.into_iter().map(Block::Item));
        let mut longest = 600;
        while MAX_LETTERS < markdown::text(&blocks).chars().count() && 4 < longest {
            longest = longest * 3 / 4;
            for text in blocks.iter_mut().flat_map(Block::texts_mut) {
                cut(text, longest);
            }
        }
        blocks
    }
}

/// Truncates a text to `longest` characters.
fn cut(text: &mut String, longest: usize) {
    if let Some((end, _)) = text.char_indices().nth(longest) {
        text.truncate(end);
        text.push('…');
    }
}

/// Returns the ID of a run, the checksum of its measurement, and the command that repeats the run.
fn repeat(run: &Run, holds: Parts) -> Line {
    let sum = measurement_sum(run);
    let mut line = vec![
        Piece::plain("Run "),
        Piece::code(run.id.to_string()),
        Piece::plain(", measurement "),
        Piece::code(shortened_sum(&sum)),
    ];
    let Some(plan) = run.plan().filter(|_| holds.repeat) else { return line };
    let (command, cells) = (plan.command(), plan.partial_matrix());
    let only = cells.map_or_else(String::new, |cells| {
        format!(" (measures each combination; this run measured {cells})")
    });
    if command.chars().chain(only.chars()).count() <= MAX_COMMAND {
        line.extend([Piece::plain(", repeat with "), Piece::code(command), Piece::plain(only)]);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::conditions::Cell;
    use crate::plan::{FrameLoop, Plan};
    use crate::report::tests::test_run::run_of;

    #[test]
    fn the_command_of_a_partial_matrix_is_followed_by_its_cells() {
        let plan = Plan::FrameLoop(FrameLoop::default());
        let preset = plan.presets().into_iter().find(|preset| preset.key == "under-load").unwrap();
        let said = |plan: Plan| format!("{:?}", repeat(&run_of(plan, |_| ()), Parts::ALL));
        assert!(!said(preset.plan.clone()).contains("this run measured"));
        let Plan::FrameLoop(mut settings) = preset.plan else { panic!("a frame loop") };
        settings.cells[3] = Cell { cpu: settings.cells[3].cpu, ..settings.cells[0] };
        let said = said(Plan::FrameLoop(settings));
        assert!(said.contains("this run measured Normal; "), "{said}");
    }
}
