//! A short summary to paste into a ticket or chat: the verdict, its numbers, the machine, and how
//! to repeat the run.

use super::document::{Block, Grid, Line, Piece};
use super::{Headline, Parts, facts, markdown, parts};
use crate::format::{measurement_sum, shortened_sum};
use crate::report::table::{Column, Format};
use crate::report::{Caution, Report, Table};
use crate::run::Run;
use crate::units::{format_others, format_share};

/// Maximum number of lines of a ticket.
pub const MAX_LINES: usize = 15;
/// Maximum number of characters of a ticket; some chats limit a message to 2000.
pub const MAX_LETTERS: usize = 1_800;
/// Maximum number of characters of the command that repeats a run; a longer command is omitted.
const MAX_COMMAND: usize = 300;
/// Maximum number of sources of delay that are named; the others are summed up.
const MAX_SOURCES: usize = 3;
/// Maximum number of columns with figures in the table of a ticket.
const MAX_FIGURES: usize = 7;

/// A short summary of a report, to paste into a ticket or chat.
#[derive(Clone, Debug, Default)]
pub struct Ticket {
    /// What was measured, when, and with which version.
    pub title: Line,
    /// The grade and the finding.
    pub answer: String,
    /// The numbers that support the finding, the recommendation, and the most severe warning.
    pub notes: Vec<String>,
    /// The key figures.
    pub grid: Grid,
    /// The sources of delay, the machine, the measurement quality, and how to repeat the run.
    pub facts: Vec<Line>,
}

impl Ticket {
    /// Returns the ticket of a run.
    pub(super) fn of_run(run: &Run, report: &Report, headline: &Headline, holds: Parts) -> Self {
        let title = match report.rows.as_slice() {
            [only] if !headline.title.contains(&only.label) => {
                format!("{}: {}", headline.title, only.label)
            }
            _ => headline.title.clone(),
        };
        let program = if run.plan().is_some() { "Jitterscope " } else { "" };
        let about = format!(" ({}, {program}{})", headline.about, run.app_version);
        let mut notes = vec![headline.evidence.clone()];
        if let Some(to_do) = report.what_to_do() {
            notes.push(format!("What to do: {to_do}"));
        }
        // A disturbance that the verdict already states is not repeated as a warning.
        let is_disturbed = report.verdict.standing.disturbance().is_some();
        let mut warnings = parts::cautions(report, holds).filter(|caution| match caution {
            Caution::OtherLoad { .. } => !is_disturbed,
            Caution::Stopped { .. } => false,
            _ => true,
        });
        if let Some(first) = warnings.next() {
            let more = match warnings.count() {
                0 => String::new(),
                more => format!(" And {more} more."),
            };
            notes.push(format!("Warning: {first}{more}"));
        }
        notes.retain(|note| !note.is_empty());
        let mut lines: Vec<String> = delayed_by(report).into_iter().collect();
        if holds.machine {
            lines.push(format!("Machine: {}", facts::machine_line(run)));
        }
        let quality = facts::quality(run, report, holds.machine);
        lines.extend((!quality.is_empty()).then(|| format!("Quality: {quality}")));
        let mut facts: Vec<Line> = lines.into_iter().map(|line| vec![Piece::plain(line)]).collect();
        facts.push(repeat(run, holds));
        Self {
            title: vec![Piece::strong(title), Piece::plain(about)],
            answer: format!("{}: {}", headline.grade, headline.sentence),
            notes,
            grid: report.key_table(&[]).map(|table| grid(&table)).unwrap_or_default(),
            facts,
        }
    }

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
            Block::Paragraph(vec![vec![Piece::strong(self.answer)]]),
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

/// Returns a line with the sources of delay and their shares of all lateness; `None` if no source
/// is known.
fn delayed_by(report: &Report) -> Option<String> {
    let sources: Vec<_> = report.delays.ranked.iter().filter(|it| 0.0005 <= it.share).collect();
    let (named, others) = sources.split_at(sources.len().min(MAX_SOURCES));
    let mut words: Vec<String> =
        named.iter().map(|it| format!("{} {}", it.name, format_share(it.share))).collect();
    if !others.is_empty() {
        let share: f64 = others.iter().map(|it| it.share).sum();
        words.push(format!("{} {}", format_others(others.len()), format_share(share)));
    }
    (!words.is_empty()).then(|| format!("Delayed by: {}", words.join(", ")))
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

/// Returns a table without columns that are empty in all rows, with the key rows first. If there is
/// only one row, its values include their units, and its name is omitted, since the title of the
/// ticket contains the name.
fn grid(table: &Table) -> Grid {
    let mut table = table.clone();
    let is_single = table.rows.len() == 1;
    if is_single {
        for column in &mut table.columns {
            if let Format::Time { .. } = column.format {
                column.format = Format::Own;
            }
        }
    }
    table.rows.sort_by_key(|row| !row.is_key);
    let is_shown = |at: &usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.cells.get(*at));
        (0 < *at || !is_single) && cells.any(|cell| cell.reason().is_none())
    };
    let positions: Vec<usize> = (0..table.columns.len())
        .filter(is_shown)
        .take(MAX_FIGURES + usize::from(!is_single))
        .collect();
    let columns = || positions.iter().filter_map(|at| table.columns.get(*at));
    let texts = table.rows.iter().map(|row| table.texts(row));
    Grid {
        header: columns().map(Column::heading).collect(),
        is_right: columns().map(|column| !column.is_left_aligned()).collect(),
        rows: texts
            .map(|row| positions.iter().filter_map(|at| row.get(*at)).cloned().collect())
            .collect(),
    }
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
