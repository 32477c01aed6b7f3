//! The result of a run as a document: short for a ticket, and complete as a file.

pub(super) mod head;
mod lateness;
pub(super) mod quality;
mod recorded;

use super::drawn::{ColumnLook, Drawing, DrawnCell, DrawnColumn, DrawnRow, DrawnTable, Sign};
use super::{
    ALL, Block, Document, Fact, FactsLook, Grid, Line, MAX_WARNINGS, PAGE, PAGE_AND_ALL, Piece,
    Section, Statement, Summary, Width, facts,
};
use crate::nanos::Nanos;
use crate::report::chart::{Axis, default_row};
use crate::report::table::{Column, Format, Quantity};
use crate::report::{Caution, Chart, Configuration, MAX_KEY_FIGURES, Report, Table};
use crate::run::Run;
use crate::stats::{Summary as Statistics, distinct};
use crate::units::{MISSING, count_text, format_count, format_others, format_share, format_time};

pub(crate) use recorded::named_steps;

/// Asks whoever reads the causes of a recording.
const QUESTION: &str = "Was this right? What fixed it?";
/// Maximum number of sources of delay that a ticket names; the others are summed up.
const MAX_SOURCES: usize = 3;
/// Maximum number of columns with figures in the table of a ticket.
const MAX_FIGURES: usize = 7;
/// Maximum number of full-width plots besides the timeline that are visible at first.
const MAX_WIDE: usize = 2;
/// Smallest share of all lateness for which a source of delay is named.
const MIN_SHARE: f64 = 0.0005;

/// What a document of a run contains, and the texts at its top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// What was measured, when, and with which version.
    pub title: Line,
    /// The name of the run.
    pub name: String,
    /// The date; before it the name of the test, unless the test is the name.
    pub about: String,
    /// The answer.
    pub statement: Statement,
    /// Whether the document contains the machine, and the activity of other programs on it.
    pub has_machine: bool,
    /// Whether the document contains the settings.
    pub has_settings: bool,
    /// Maximum number of rows that are shown of a table of events, such as late frames.
    pub max_events: usize,
    /// The ID of the run, its checksum, and how to repeat it, for a ticket.
    pub repeat: Option<Line>,
}

/// Returns the result of a run as a document: all blocks with the plots of the run, or those of a page without plots.
/// Plots of hours of frames take as much memory as their samples.
pub(crate) fn document(
    run: &Run,
    report: &Report,
    contents: &Contents,
    charts: Option<&[Chart]>,
) -> Document {
    let (has_machine, statement) = (contents.has_machine, &contents.statement);
    let all: Vec<&Caution> = cautions(report, has_machine).collect();
    let (weakening, others): (Vec<&Caution>, Vec<&Caution>) =
        all.iter().partition(|caution| caution.is_weakening());
    let hidden: Vec<&Caution> =
        weakening.iter().skip(MAX_WARNINGS).copied().chain(others).collect();
    let mut document = Document {
        summary: summary(run, report, contents),
        head: head::head(run, report, contents, &weakening),
        contents: match report.rows.as_slice() {
            [row] if row.granted.is_some() => {
                "Requested and applied, all figures, settings, checksum"
            }
            _ => "All figures, settings, and checksum",
        },
        blocks: Vec::new(),
    };
    let key = report.key_table(&["requested", "applied"]).filter(|table| !table.rows.is_empty());
    document.extend(PAGE, key.map(|table| Block::Table(Box::new(table), 0)));
    // A capture has a table only for what its file has or what was asked for, and a recording one for what was marked, and
    // one for last time.
    let is_asked =
        |table: &&Table| run.capture().is_some() || ["marks", "last_time"].contains(&table.key);
    let further = report.tables.iter().skip(1).filter(is_asked);
    document.extend(PAGE, further.map(|table| Block::Table(Box::new(table.clone()), 0)));
    document.extend(PAGE_AND_ALL, recorded::blocks(run, report));
    let samples = run.subject.samples_name();
    let ranking =
        (!report.delays.ranked.is_empty()).then(|| lateness::ranking(&report.delays, samples));
    document.extend(PAGE, ranking.clone().map(Block::Section));
    let denied = quality::denied(report);
    if !denied.is_empty() {
        document.extend(PAGE, [Block::heading("Denied"), Block::Steps(denied)]);
    }
    let rebasing = quality::rebasing(report, false);
    let rebasing = Block::Facts(FactsLook::Pairs, rebasing);
    document
        .extend(PAGE, (rebasing != Block::Facts(FactsLook::Pairs, Vec::new())).then_some(rebasing));
    document.extend(PAGE, (!all.is_empty()).then(|| Block::heading("Measurement quality")));
    document.extend(PAGE, all.iter().map(|caution| Block::item(caution.to_string())));

    document.extend(PAGE, [Block::Verdict(statement.clone())]);
    let Some(charts) = charts else { return document };
    document.extend(ALL, first_figures(run, report));
    let quality = quality::section(run, report, has_machine, &hidden);
    plots(&mut document, run, (report, charts), (ranking, quality));
    let tables = tables(report, has_machine, contents.max_events);
    let definitions = definitions(tables.iter().map(|(table, _)| table));
    document.extend(
        ALL,
        tables.into_iter().zip(0..).map(|((table, omitted), at)| {
            let note = if at == 0 { all_figures(&table) } else { event_count(&table, omitted) };
            let title = if at == 0 { "All figures" } else { table.title };
            closed(title, note, vec![Block::Table(Box::new(table), omitted)])
        }),
    );
    if contents.has_settings {
        document.extend(ALL, settings(run));
    }
    if has_machine {
        document.extend(ALL, [machine(facts::machine(run))]);
    }
    document.extend(ALL, [definitions]);
    document
}

/// Returns the texts about how many figures a table has.
pub(super) fn all_figures(table: &Table) -> String {
    let mut groups: Vec<&str> = table.columns.iter().map(|column| column.group).collect();
    groups.sort_unstable();
    groups.dedup();
    let note = if table.note.is_empty() { String::new() } else { format!("; {}", table.note) };
    let figures = table.columns.len();
    format!(
        "{figures} figures in {}{note}; hover for definitions",
        count_text(groups.len(), "groups")
    )
}

/// Returns the text about how many rows a table of events has.
fn event_count(table: &Table, omitted: usize) -> String {
    let rows = count_text(table.rows.len() + omitted, "rows");
    if table.note.is_empty() { rows } else { format!("{rows}: {}", table.note) }
}

fn closed(title: &str, note: impl Into<String>, blocks: Vec<Block>) -> Block {
    Block::Section(Section::new(title, note, blocks).closed())
}

/// Returns the key figures of the report. If it has none, returns a table of setting changes or of
/// several configurations.
fn first_figures(run: &Run, report: &Report) -> Option<Block> {
    let mut keys = report.key_figures(run);
    if !keys.is_empty() {
        keys.truncate(MAX_KEY_FIGURES);
        return Some(Block::Keys(keys));
    }
    if let Some(table) = report.tables.first().filter(|table| table.position("change").is_some()) {
        let mut table = table.clone();
        let others: Vec<&str> = table.columns.iter().map(|column| column.key).collect();
        for key in others {
            if key != "change" && !report.key_columns.contains(&key) {
                table.remove(key);
            }
        }
        let (title, note) = (table.title, table.note.clone());
        let blocks = vec![Block::Table(Box::new(table), 0)];
        return Some(Block::Section(Section::new(title, note, blocks)));
    }
    (1 < report.rows.len()).then(|| Block::Section(configurations(report)))
}

/// Returns a table with a row per configuration. The row of the recommended configuration is highlighted, and the p99
/// lateness is drawn with its interval on an axis that all rows share.
fn configurations(report: &Report) -> Section {
    let p99s = report.rows.iter().flat_map(|row| {
        let ends = row.p99_interval().map_or([None, None], |(low, high)| [Some(low), Some(high)]);
        ends.into_iter().chain([row.p99()]).flatten()
    });
    let p99s = p99s.map(|it| it.as_f64().max(1.0));
    let ends = p99s.fold(None, |ends: Option<(f64, f64)>, it| {
        let (low, high) = ends.unwrap_or((it, it));
        Some((low.min(it), high.max(it)))
    });
    let best = report.best().filter(|_| report.verdict.grade.is_some());
    let best = best.map(|row| row.label.as_str());
    let late = |row: &Configuration, of: fn(&Statistics) -> Option<Nanos>| {
        row.summary.as_ref().and_then(of).map_or_else(|| MISSING.to_owned(), format_time)
    };
    let row = |row: &Configuration| {
        let is_denied = row.granted.is_some() && !row.is_as_requested();
        let applied = match &row.skipped {
            Some(reason) => format!("skipped: {reason}"),
            None => row.applied_text(),
        };
        let missed = row.summary.as_ref();
        let missed =
            missed.map_or_else(|| MISSING.to_owned(), |it| format_count(it.missed_count()));
        let ends = row.p99_interval().map(|(low, high)| (low.as_f64(), high.as_f64()));
        let drawing = row.p99().map(|p99| Drawing::Interval { value: p99.as_f64(), ends });
        let cells = vec![
            row.label.as_str().into(),
            late(row, |it| Some(it.lateness.p50)).into(),
            late(row, |it| it.lateness.p99).into(),
            late(row, |it| Some(it.lateness.max)).into(),
            missed.into(),
            DrawnCell { drawing, ..DrawnCell::default() },
            DrawnCell::signed(is_denied.then_some(Sign::Denied), applied.as_str()),
        ];
        let is_key = best == Some(row.label.as_str());
        DrawnRow { is_key, cells, narrow: applied }
    };
    let number = |title: &str| DrawnColumn::new(title, ColumnLook::Number);
    // Configurations with short trials have no p99, and nothing is drawn for them.
    let axis = ends.map(|(low, high)| Axis::log("p99", Quantity::Time, low / 1.3, high * 1.3));
    let table = DrawnTable {
        caption: "Configurations with their lateness".to_owned(),
        class: "rows",
        columns: vec![
            DrawnColumn::new("Configuration", ColumnLook::Text),
            number("p50"),
            number("p99"),
            number("Max").optional(),
            number("Missed"),
            DrawnColumn { axis, ..DrawnColumn::new("", ColumnLook::Drawing) },
            DrawnColumn::new("Applied", ColumnLook::Text).optional(),
        ],
        rows: report.rows.iter().map(row).collect(),
        ..DrawnTable::default()
    };
    let note = if best.is_some() { "the recommended one in bold" } else { "" };
    Section::new("Configurations", note, vec![Block::Drawn(table)])
}

/// Adds the timeline, the sources of delay, the worst frame, the other plots, and the measurement quality. Full-width
/// plots beyond [`MAX_WIDE`] are closed at first.
fn plots(
    document: &mut Document,
    run: &Run,
    (report, charts): (&Report, &[Chart]),
    (ranking, mut quality): (Option<Section>, Option<Section>),
) {
    let mut charts: Vec<&Chart> = charts.iter().collect();
    let row = default_row(report).and_then(|row| report.rows.get(row));
    let is_paced = charts.first().is_some_and(|chart| chart.key == "timeline");
    let mut sources = ranking;
    if let Some(row) = row.filter(|_| is_paced && run.capture().is_none()) {
        document.extend(ALL, [Block::plot(charts.remove(0))]);
        if report.rows.len() == 1 {
            let ranking = sources.take();
            let worst = lateness::worst(run, row);
            let pair = ranking.zip(worst).map(|(ranking, worst)| {
                [ranking, lateness::account(&worst, row)].map(|it| it.width(Width::Uneven))
            });
            if let Some(pair) = pair {
                document.extend(ALL, pair.map(Block::Section));
            } else {
                let note = "none started later than the late threshold";
                let none = Section::new("No late frames", note, Vec::new());
                document.extend(ALL, [Block::Section(none)]);
            }
        }
    }
    let ranking = sources.take_if(|_| is_paced);
    document.extend(ALL, ranking.map(Block::Section));
    // Plots with row names need the full width of the page.
    let (halves, mut wide): (Vec<&Chart>, Vec<&Chart>) =
        charts.into_iter().partition(|it| it.is_half && it.y.names.is_empty());
    let more = wide.split_off(wide.len().min(MAX_WIDE));
    document.extend(ALL, wide.into_iter().map(Block::plot));
    if let Some(ranking) = sources {
        let pair = std::iter::once(ranking).chain(quality.take());
        document.extend(ALL, pair.map(|it| Block::Section(it.width(Width::Uneven))));
    }
    document.extend(ALL, halves.into_iter().map(Block::plot));
    document.extend(ALL, quality.map(|it| Block::Section(it.width(Width::Half))));
    document.extend(ALL, quality::requested(run, report).map(Block::Section));
    document.extend(
        ALL,
        more.iter().map(|chart| closed(chart.title, chart.note.clone(), vec![Block::plot(chart)])),
    );
}

/// Returns the section with the settings and the command that repeats the run; `None` for a capture.
fn settings(run: &Run) -> Option<Block> {
    let plan = run.plan()?;
    let settings: Vec<Fact> =
        plan.settings().into_iter().map(|one| Fact::new(one.name, one.value)).collect();
    let about = format!("{} settings and the command that repeats the run", settings.len());
    let again = vec![Piece::plain("To run it again: "), Piece::code(plan.command())];
    let mut blocks =
        vec![Block::Facts(FactsLook::Columns, settings), Block::Paragraph(vec![again])];
    blocks.extend(plan.partial_matrix().map(|cells| {
        Block::paragraph(format!(
            "The command measures each combination; this run measured: {cells}."
        ))
    }));
    let section = Section::new("Settings", about, blocks).closed();
    Some(Block::Section(section.width(Width::Half)))
}

/// Returns the section with the facts about the machine.
fn machine(facts: Vec<(&'static str, String)>) -> Block {
    let facts = facts.into_iter().map(|(name, value)| Fact::new(name, value)).collect();
    let blocks = vec![Block::Facts(FactsLook::WideColumns, facts)];
    let section = Section::new("Machine", "hardware, system, clock", blocks).closed();
    Block::Section(section.width(Width::Half))
}

/// Returns the section with the definitions of all columns; columns with the same title and definition
/// appear once.
pub(super) fn definitions<'a>(tables: impl Iterator<Item = &'a Table>) -> Block {
    let columns = tables.flat_map(|table| &table.columns);
    let defined = columns.map(|column| (column.title.as_ref(), column.definition.as_ref()));
    let defined: Vec<(&str, &str)> = distinct(defined);
    let facts = defined.into_iter().map(|(name, text)| Fact::new(name, text)).collect();
    let blocks = vec![Block::Facts(FactsLook::Definitions, facts)];
    Block::Section(Section {
        is_closed: true,
        is_on_screen_only: true,
        ..Section::new("Definitions", "what each figure is", blocks)
    })
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
    let facts = lines.into_iter().map(|line| vec![Piece::plain(line)]);
    // An answer by whoever reads it is the only check of a cause outside of this program.
    let is_named = recorded::names_a_cause(run, report);
    let question = is_named.then(|| vec![Piece::plain(QUESTION)]);
    Summary {
        title: title.clone(),
        statement: statement.clone(),
        notes,
        grid: report.key_table(&[]).map(|table| grid(&table)).unwrap_or_default(),
        facts: facts.chain(contents.repeat.clone()).chain(question).collect(),
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
