//! The parts of a run that a report contains, and the reduction of a run to one configuration.

use super::{Format, Headline, default_row};
use crate::format::KeptSamples;
use crate::report::{Report, judges_each_configuration};
use crate::run::{Run, Subject};

/// The parts of a run in an exported file. An omitted part is nowhere in the file. In HTML and Markdown, any part can
/// be omitted; an HTML page contains the run for import if no other parts than note and tags are omitted. JSON can omit
/// only note and tags, so that it remains a complete run. Other formats contain only numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "options that the user checks separately")]
pub struct Parts {
    /// All configurations; otherwise a single one.
    pub all_rows: bool,
    /// The machine, and the activity of other programs on it.
    pub machine: bool,
    /// The settings, and the command that repeats the run.
    pub repeat: bool,
    /// Note and tags.
    pub notes: bool,
    /// The samples, in HTML and JSON.
    pub samples: KeptSamples,
}

impl Parts {
    /// All parts.
    pub const ALL: Self = Self {
        all_rows: true,
        machine: true,
        repeat: true,
        notes: true,
        samples: KeptSamples::All,
    };

    /// Returns the parts that a file of this format contains: parts that the format cannot omit are
    /// always set.
    #[must_use]
    pub const fn of(self, format: Format) -> Self {
        match format {
            Format::Html | Format::Markdown => self,
            Format::Json => Self { notes: self.notes, samples: self.samples, ..Self::ALL },
            _ => Self { notes: self.notes, ..Self::ALL },
        }
    }

    /// Whether an HTML page contains all parts of the run; it can be imported if it holds all samples, too.
    pub const fn is_whole(self) -> bool {
        self.all_rows && self.machine && self.repeat
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::ALL
    }
}

/// Returns one configuration as a separate run with its report; `None` if all configurations are
/// exported or the run has only one.
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
    let mut one = run.clone();
    // Annotations refer to trials by position: update the positions.
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

/// Returns the texts of a run that is reduced to one of its configurations. Conclusions that depend on all
/// configurations, such as which wait to use, are replaced. The texts of a frame loop are not replaced, since each
/// configuration of a frame loop has a separate verdict.
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
