//! The result of a run as a document: short for a ticket, and complete as a file.

use super::{
    ALL, Block, Document, Fact, Grid, Line, PAGE, PAGE_AND_ALL, Piece, Statement, Step, Summary,
    facts, requests,
};
use crate::platform::Refusal;
use crate::report::table::{Column, Format};
use crate::report::{Caution, Configuration, Delays, PacedFigures, Report, Table};
use crate::run::Run;
use crate::units::{format_count, format_others, format_share, format_time};

/// Maximum number of sources of delay that a ticket names; the others are summed up.
const MAX_SOURCES: usize = 3;
/// Maximum number of sources of delay that a page lists.
const MAX_LISTED: usize = 4;
/// Maximum number of columns with figures in the table of a ticket.
const MAX_FIGURES: usize = 7;
/// Maximum number of rows that are shown of a table of events, such as late frames.
const MAX_EVENTS: usize = 40;
/// Smallest share of all lateness for which a source of delay is named.
const MIN_SHARE: f64 = 0.0005;

/// What a document of a run contains, and the texts at its top.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// What was measured, when, and with which version.
    pub title: Line,
    /// The answer.
    pub statement: Statement,
    /// Whether the document contains the machine, and the activity of other programs on it.
    pub has_machine: bool,
    /// Whether the document contains the settings.
    pub has_settings: bool,
}

/// Returns the result of a run as a document.
pub(crate) fn document(run: &Run, report: &Report, contents: &Contents) -> Document {
    let (has_machine, statement) = (contents.has_machine, &contents.statement);
    let mut document = Document {
        summary: summary(run, report, contents),
        contents: match report.rows.as_slice() {
            [row] if row.granted.is_some() => {
                "Requested and applied, all figures, settings, checksum"
            }
            _ => "All figures, settings, and checksum",
        },
        blocks: Vec::new(),
    };
    document.extend(ALL, requested(run, report));
    let key = report.key_table(&["requested", "applied"]);
    document.extend(PAGE, key.map(|table| Block::Table(Box::new(table), 0)));
    document.extend(PAGE, delays(report).map(Block::Grid));
    let tables = tables(report, has_machine, MAX_EVENTS).into_iter();
    document.extend(ALL, tables.map(|(table, omitted)| Block::Table(Box::new(table), omitted)));
    let denied = denied(report);
    if !denied.is_empty() {
        document.extend(PAGE_AND_ALL, [Block::heading("Denied"), Block::Steps(denied)]);
    }
    for (levels, is_all) in [(PAGE, false), (ALL, true)] {
        let rebasing = rebasing(report, is_all);
        document.extend(levels, (!rebasing.is_empty()).then_some(Block::Facts(rebasing)));
    }
    let cautions: Vec<Block> =
        cautions(report, has_machine).map(|caution| Block::item(caution.to_string())).collect();
    let heading = || Block::heading("Measurement quality");
    document.extend(PAGE, (!cautions.is_empty()).then(heading));
    document.extend(ALL, [heading()]);
    document.extend(PAGE_AND_ALL, cautions);
    let machine = if has_machine { facts::machine(run) } else { Vec::new() };
    let lines = facts::trust(run, report, has_machine).into_iter().chain(machine);
    let lines = lines.map(|(name, value)| Fact::new(name, value)).collect();
    document.extend(ALL, [Block::Facts(lines)]);
    if !run.note.is_empty() {
        let lines = run.note.lines().map(str::to_owned).collect();
        document.extend(ALL, [Block::Quote(lines)]);
    }
    let annotations: Vec<Fact> =
        facts::annotations(run).into_iter().map(|(at, text)| Fact::new(at, text)).collect();
    if !annotations.is_empty() {
        document.extend(ALL, [Block::heading("Annotations"), Block::Facts(annotations)]);
    }
    if let Some(plan) = run.plan().filter(|_| contents.has_settings) {
        let settings = plan.settings().into_iter();
        let settings: Vec<String> =
            settings.map(|one| format!("{} {}", one.name, one.value)).collect();
        document.extend(ALL, [Block::paragraph(format!("Settings: {}.", settings.join("; ")))]);
    }
    document.extend(PAGE, [Block::Verdict(statement.clone())]);
    document
}

/// Returns the warnings about a run, without the one about a virtual machine if the machine is omitted.
pub(crate) fn cautions(report: &Report, has_machine: bool) -> impl Iterator<Item = &Caution> {
    report
        .cautions
        .iter()
        .filter(move |caution| has_machine || !matches!(caution, Caution::VirtualMachine(_)))
}

/// Returns the tables and the number of omitted rows of each: tables of events have at most `max_events` rows. The
/// column about the CPU time of other programs is omitted together with the machine.
pub(crate) fn tables(report: &Report, has_machine: bool, max_events: usize) -> Vec<(Table, usize)> {
    let shown = report.tables.iter().enumerate().map(|(position, table)| {
        let mut table = table.clone();
        if !has_machine {
            table.remove("other_cpu_share");
        }
        let omitted = table.truncate(if position == 0 { usize::MAX } else { max_events });
        (table, omitted)
    });
    shown.collect()
}

/// Returns the first lines of a document, without the command that repeats the run.
fn summary(run: &Run, report: &Report, contents: &Contents) -> Summary {
    let Contents { title, statement, has_machine, .. } = contents;
    let mut notes = statement.notes();
    // A disturbance that the verdict already states is not repeated as a warning.
    let is_disturbed = report.verdict.standing.disturbance().is_some();
    let mut warnings = cautions(report, *has_machine).filter(|caution| match caution {
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
    let mut lines: Vec<String> = delayed_by(report).into_iter().collect();
    if *has_machine {
        lines.push(format!("Machine: {}", facts::machine_line(run)));
    }
    let quality = facts::quality(run, report, *has_machine);
    lines.extend((!quality.is_empty()).then(|| format!("Quality: {quality}")));
    Summary {
        title: title.clone(),
        answer: statement.answer.clone(),
        notes,
        grid: report.key_table(&[]).map(|table| grid(&table)).unwrap_or_default(),
        facts: lines.into_iter().map(|line| vec![Piece::plain(line)]).collect(),
    }
}

/// Returns a line with the sources of delay and their shares of all lateness; `None` if no source
/// is known.
fn delayed_by(report: &Report) -> Option<String> {
    let sources: Vec<_> = report.delays.ranked.iter().filter(|it| MIN_SHARE <= it.share).collect();
    let (named, others) = sources.split_at(sources.len().min(MAX_SOURCES));
    let mut words: Vec<String> =
        named.iter().map(|it| format!("{} {}", it.title(), format_share(it.share))).collect();
    if !others.is_empty() {
        let share: f64 = others.iter().map(|it| it.share).sum();
        words.push(format!("{} {}", format_others(others.len()), format_share(share)));
    }
    (!words.is_empty()).then(|| format!("Delayed by: {}", words.join(", ")))
}

/// Returns the sources of delay that cost the most time, each with its share of the total lateness; `None` if no
/// source is known.
fn delays(report: &Report) -> Option<Grid> {
    let mut ranked = report.delays.ranked.clone();
    ranked.retain(|delay| MIN_SHARE <= delay.share);
    let (listed, others) = ranked.split_at(ranked.len().min(MAX_LISTED));
    let mut rows: Vec<Vec<String>> = listed
        .iter()
        .map(|delay| {
            vec![
                delay.title(),
                format_count(delay.sample_count),
                format_time(delay.worst),
                format_share(delay.share),
            ]
        })
        .collect();
    rows.extend((!others.is_empty()).then(|| vec![Delays::describe_others(others)]));
    (!rows.is_empty()).then(|| Grid {
        header: ["Delayed by", "Late", "Max", "Share"].map(str::to_owned).to_vec(),
        is_right: vec![false, true, true, true],
        rows,
    })
}

/// Returns each denied request once, with the labels of its configurations, the reason, and how to allow it.
fn denied(report: &Report) -> Vec<Step> {
    let requests = report.rows.iter().flat_map(|row| {
        let refusals = row.granted.iter().flat_map(|granted| &granted.refusals);
        refusals.map(move |refusal| (row.label.as_str(), refusal))
    });
    denied_requests(requests)
}

fn denied_requests<'a>(requests: impl Iterator<Item = (&'a str, &'a Refusal)>) -> Vec<Step> {
    let mut reported: Vec<(String, &Refusal, Vec<&str>)> = Vec::new();
    for (label, refusal) in requests {
        let line = match refusal.call.as_str() {
            "" => refusal.to_string(),
            call => format!("{refusal}, by {call}"),
        };
        match reported.iter_mut().find(|(known, _, _)| *known == line) {
            Some((_, _, labels)) => labels.push(label),
            None => reported.push((line, refusal, vec![label])),
        }
    }
    let step = |(line, refusal, labels): (String, &Refusal, Vec<&str>)| {
        // The line begins with the request, which is also the name of its only row in a test of policies.
        let is_named = labels == [refusal.requested.as_str()];
        let labels = if is_named { String::new() } else { format!("{}: ", labels.join("; ")) };
        Step { title: format!("{labels}{line}"), text: refusal.remedy.clone() }
    };
    reported.into_iter().map(step).collect()
}

/// Returns for each configuration the lateness that a re-based schedule hid; with `is_all`, also the lateness that
/// re-basing would have hidden.
fn rebasing(report: &Report, is_all: bool) -> Vec<Fact> {
    let hidden_of = |row: &Configuration| {
        let figures = row.figures.get::<PacedFigures>()?;
        let hidden = figures.rebasing_text().filter(|_| is_all || figures.is_rebased)?;
        Some(Fact::new(row.label.clone(), hidden))
    };
    report.rows.iter().filter_map(hidden_of).collect()
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

    #[test]
    fn a_denied_request_that_names_its_row_is_named_once() {
        let refusal = |requested: &str| Refusal {
            requested: requested.to_owned(),
            call: "sched_setscheduler".to_owned(),
            errno: Some(1),
            error_name: "EPERM".to_owned(),
            reason: "permission denied".to_owned(),
            remedy: "raise the limit".to_owned(),
        };
        let (fifo, pin) = (refusal("FIFO 5"), refusal("CPU 3"));
        let rows = [("FIFO 5", &fifo), ("Normal, CPU 3", &pin), ("Highest, CPU 3", &pin)];
        let titles: Vec<String> =
            denied_requests(rows.into_iter()).into_iter().map(|step| step.title).collect();
        let reason = "permission denied (EPERM, 1), by sched_setscheduler";
        let expected = [
            format!("FIFO 5: {reason}"),
            format!("Normal, CPU 3; Highest, CPU 3: CPU 3: {reason}"),
        ];
        assert_eq!(titles, expected);
    }
}
