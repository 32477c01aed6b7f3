//! Which parts of a run a report holds, and a run cut down to one configuration.

use super::{Format, Headline, default_row, privacy};
use crate::report::{Caution, Report, Table, judges_each_configuration};
use crate::run::{Run, Subject};

/// The parts of a run that HTML and Markdown hold. What is omitted is nowhere in the file: a page that
/// leaves out any but note and tags holds no run to import. JSON leaves out note and tags at most, so that
/// it stays a run; other formats hold numbers alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "options that the user checks separately")]
pub struct Parts {
    /// Every configuration; else one alone.
    pub all_rows: bool,
    /// The machine, and what else was going on there.
    pub machine: bool,
    /// The settings, and the command that repeats the run.
    pub repeat: bool,
    /// Note and tags.
    pub notes: bool,
}

impl Parts {
    /// All of them.
    pub const ALL: Self = Self { all_rows: true, machine: true, repeat: true, notes: true };

    /// Those that this format can leave out are as they are, the others are there.
    #[must_use]
    pub const fn of(self, format: Format) -> Self {
        match format {
            Format::Html | Format::Markdown => self,
            _ => Self { notes: self.notes, ..Self::ALL },
        }
    }

    /// Whether a page holds the run as it was measured, so that it can be imported again.
    pub const fn is_whole(self) -> bool {
        self.all_rows && self.machine && self.repeat
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::ALL
    }
}

/// A copy of the run with only one configuration, and the report on that copy. `None` if all
/// configurations are wanted, or if the run has only one.
pub(super) fn alone(
    run: &Run,
    report: &Report,
    parts: Parts,
    row: Option<usize>,
) -> Option<(Run, Report)> {
    if parts.all_rows || report.rows.len() < 2 {
        return None;
    }
    let row = row.or_else(|| default_row(report)).and_then(|row| report.rows.get(row));
    let row = row.or(report.rows.first())?;
    let mut one = privacy::without_samples(run);
    // Its annotations follow the trials to their new positions.
    let place =
        |trial| row.trials.iter().filter(|&&at| at < run.trials.len()).position(|&at| at == trial);
    one.annotations.retain_mut(|annotation| {
        place(annotation.trial).map(|trial| annotation.trial = trial).is_some()
    });
    one.trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial)).cloned().collect();
    if let Subject::Measured(plan) = &mut one.subject {
        plan.probe_mut().keep_only(row.conditions);
    }
    let mut report = Report::of(&one, &report.options);
    if !judges_each_configuration(&one) {
        report.verdict = report.verdict.clone().of_row(row);
    }
    Some((one, report))
}

/// The words over one of this many configurations. What the others of a test mean together, such as which
/// wait to use, does not follow from one of them; a frame loop of one configuration has its own words.
pub(super) fn single_configuration_headline(
    words: Headline,
    run: &Run,
    report: &Report,
    rows: usize,
) -> Headline {
    if judges_each_configuration(run) {
        return words;
    }
    Headline {
        grade: report.verdict.word().to_owned(),
        sentence: format!("1 of {rows} configurations; the overall verdict is omitted."),
        evidence: String::new(),
        advice: String::new(),
        ..words
    }
}

/// The reasons to trust the run less, without those that tell about the machine where it is omitted.
pub(super) fn cautions(report: &Report, parts: Parts) -> impl Iterator<Item = &Caution> {
    report
        .cautions
        .iter()
        .filter(move |caution| parts.machine || !matches!(caution, Caution::VirtualMachine(_)))
}

/// The tables, and how many rows of each are omitted: tables of events have at most `most_events`. What else
/// ran on the machine is omitted with the machine.
pub(super) fn tables(report: &Report, parts: Parts, most_events: usize) -> Vec<(Table, usize)> {
    let shown = report.tables.iter().enumerate().map(|(position, table)| {
        let mut table = table.clone();
        if !parts.machine {
            table.remove("other_cpu_share");
        }
        let omitted = table.truncate(if position == 0 { usize::MAX } else { most_events });
        (table, omitted)
    });
    shown.collect()
}
