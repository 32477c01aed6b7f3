//! A quick check as a document: short for a ticket, and complete as a file.

use super::{
    RATE_SOURCE, RATE_TITLE, card, card_word, delayed_note, evidence, first_to_do, full_load,
    limit, numbers, plain_evidence, rates_grid, sentence_after_grade, trust, what_to_do,
    why_no_number, word,
};
use crate::plan::quick::Part;
use crate::report::document::drawn::{
    ColumnLook, Drawing, DrawnCell, DrawnColumn, DrawnRow, DrawnTable, Sign,
};
use crate::report::document::run::{all_figures, definitions, head};
use crate::report::document::{
    ALL, Block, Document, Fact, FactsLook, Grid, Head, Line, PAGE, Piece, Section, Statement, Step,
    Summary, Width, facts,
};
use crate::report::quick::{Card, QualityCheck, Scorecard};
use crate::report::{Chart, GradePlace, Report};
use crate::run::{Run, TrialRun, counter};
use crate::units::{MISSING, count_text, format_count, format_share, format_time};

/// The command that repeats a check.
pub const COMMAND: &str = "jitterscope-cli quick";

/// Maximum number of recommendations that are visible at first.
const MAX_ADVICE: usize = 3;

/// What belongs to a quick check besides its result.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckParts<'a> {
    /// The measured parts with their names. Without any, a document has no date and no facts about the machine.
    pub runs: &'a [(&'static str, &'a Run, &'a Report)],
    /// The plot of the page.
    pub chart: Option<&'a Chart>,
    /// The date of the check.
    pub when: &'a str,
    /// The runs, their checksums, and which names are excluded.
    pub file: &'a [Fact],
}

/// Returns a quick check as a document.
pub fn document(scorecard: &Scorecard, parts: CheckParts<'_>) -> Document {
    let runs: Vec<&Run> = parts.runs.iter().map(|(_, run, _)| *run).collect();
    let mut document = Document {
        summary: summary(scorecard, &runs, parts.when),
        head: head(scorecard, &runs, parts.when),
        contents: "Measurements, frame rates, advice, and machine",
        blocks: Vec::new(),
    };
    let measurements = measurements(scorecard);
    let full_load = full_load(scorecard);
    let grid = Block::Drawn(measurements.clone().without("Remark"));
    document.extend(PAGE, [Block::heading("Measurements"), grid]);
    document.extend(PAGE, full_load.clone().map(Block::paragraph));
    let how = "Dot: measured value. Bar: 95% confidence interval; a longest gap has none.";
    let how = full_load.map_or_else(|| how.to_owned(), |full_load| format!("{how} {full_load}"));
    let title = "the worst of them is the grade of the check";
    let blocks = vec![Block::Drawn(measurements), Block::paragraph(how)];
    document.extend(ALL, [Block::Section(Section::new("Measurements", title, blocks))]);
    let half = |section: Section| Block::Section(section.width(Width::Half));
    let rates = (!scorecard.rates.is_empty()).then(|| {
        half(Section::new(RATE_TITLE, RATE_SOURCE, vec![Block::Grid(rates_grid(scorecard))]))
    });
    document.extend(PAGE, rates.clone());
    let mut steps: Vec<Step> = what_to_do(scorecard)
        .into_iter()
        .map(|words| Step { sign: None, title: words.title, text: words.text })
        .collect();
    let note = scorecard.delayed.as_ref().map(delayed_note).filter(|note| !note.is_empty());
    let note = note.map(|note| Block::paragraph(format!("{note}.")));
    let advice = |steps| note.clone().into_iter().chain([Block::Steps(steps)]).collect::<Vec<_>>();
    let what = "What to do";
    document.extend(
        PAGE,
        (!steps.is_empty()).then(|| half(Section::new(what, "", advice(steps.clone())))),
    );
    let more = steps.split_off(steps.len().min(MAX_ADVICE));
    document.extend(ALL, [half(Section::new(what, "", advice(steps)))]);
    document.extend(ALL, rates);
    document.extend(ALL, parts.chart.map(Block::plot));
    let machine = runs.first().map(|run| {
        let facts = facts::machine(run).into_iter();
        let mut facts: Vec<Fact> = facts.map(|(name, value)| Fact::new(name, value)).collect();
        if run.machine.virtualization.is_none() {
            facts.push(Fact::new("Virtual machine", "none detected"));
        }
        half(Section::new("Machine", "", vec![Block::Facts(FactsLook::Pairs, facts)]))
    });
    document.extend(ALL, machine);
    let quality = |facts| {
        half(Section::new("Measurement quality", "", vec![Block::Facts(FactsLook::Pairs, facts)]))
    };
    let mut facts = self::quality(scorecard);
    document.extend(PAGE, (!facts.is_empty()).then(|| quality(facts.clone())));
    facts.extend(load(&runs));
    document.extend(ALL, [quality(facts)]);
    let closed = |section: Section| Block::Section(section.closed());
    document.extend(
        ALL,
        (!more.is_empty()).then(|| {
            closed(Section::new("More to do", "what else would help", vec![Block::Steps(more)]))
        }),
    );
    let tables = || parts.runs.iter().filter_map(|(name, _, it)| Some((name, it.tables.first()?)));
    document.extend(
        ALL,
        tables().map(|(name, table)| {
            let mut named = table.clone();
            // A text has the title of the table instead of that of the section.
            let note =
                if table.note.is_empty() { String::new() } else { format!("; {}", table.note) };
            named.note = format!("{name}{note}");
            let blocks = vec![Block::Table(Box::new(named), 0)];
            closed(Section::new(format!("All figures: {name}"), all_figures(table), blocks))
        }),
    );
    document.extend(ALL, [definitions(tables().map(|(_, table)| table))]);
    let again = vec![Piece::plain("To run it again: "), Piece::code(COMMAND)];
    let file = Block::Facts(FactsLook::WideColumns, parts.file.to_vec());
    let blocks = vec![file, Block::Paragraph(vec![again])];
    document
        .extend(ALL, [closed(Section::new("This file", "runs, how to repeat the check", blocks))]);
    document.extend(PAGE, [Block::Verdict(document.summary.statement.clone())]);
    document
}

/// Returns the top of the page of a check.
fn head(scorecard: &Scorecard, runs: &[&Run], when: &str) -> Head {
    let name = runs.iter().map(|run| run.name.as_str()).find(|name| !name.is_empty());
    let machine = runs.first().map_or_else(Vec::new, |run| head::machine(run));
    let note = runs.iter().map(|run| run.note.as_str()).find(|note| !note.is_empty());
    let date = if runs.is_empty() { Vec::new() } else { vec![when.to_owned()] };
    Head {
        title: name.unwrap_or("Quick check").to_owned(),
        about: vec![date, machine],
        notes: note.and_then(head::note).into_iter().collect(),
        sign: Some(Sign::Grade { grade: scorecard.grade, is_doubtful: true }),
        ..Head::default()
    }
}

/// Returns the aspects of the measurement quality.
pub fn quality(scorecard: &Scorecard) -> Vec<Fact> {
    let fact = |one: &QualityCheck| {
        let (name, value) = trust(one);
        if one.is_unknown() {
            Fact::new(name, value)
        } else {
            Fact::judged(one.is_good(), name, value)
        }
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
    let name = runs.iter().map(|run| run.name.as_str()).find(|name| !name.is_empty());
    let test = if name.is_some() { "Quick check, " } else { "" };
    let about = format!(" ({test}{when}Jitterscope {version})");
    let title = vec![Piece::strong(name.unwrap_or("Quick check")), Piece::plain(about)];
    let statement = Statement {
        grade: word(scorecard).to_owned(),
        count: String::new(),
        sentence: sentence_after_grade(scorecard),
        evidence: evidence(scorecard),
        to_do: first_to_do(scorecard),
    };
    Summary { title, statement, notes, grid, facts }
}

/// Returns the table of the measurements with their grades, each on the scale of grades.
fn measurements(scorecard: &Scorecard) -> DrawnTable {
    let row = |one: &Card| {
        let words = card(one);
        let caption = words.as_ref().map_or("", |words| words.caption.as_str());
        let drawing = one.scale.map(|scale| {
            let (value, interval) = (scale.value, scale.interval);
            let place =
                GradePlace::of_times(scale.limits, caption, value, interval, std::iter::empty());
            Drawing::Scale(Box::new(place), one.grade)
        });
        let sign = Sign::Grade { grade: one.grade, is_doubtful: true };
        let number = words.as_ref().map_or(MISSING, |it| it.number.as_str());
        let unit = words.as_ref().map_or("", |it| it.unit).to_owned();
        let remark =
            words.as_ref().map_or_else(|| why_no_number(one), |words| words.sentence.clone());
        DrawnRow::new(vec![
            one.part.name().into(),
            DrawnCell::signed(Some(sign), card_word(one)),
            DrawnCell { unit, ..number.into() },
            DrawnCell { drawing, ..limit(one).into() },
            caption.into(),
            remark.into(),
        ])
    };
    let column = DrawnColumn::new;
    DrawnTable {
        caption: "Measurements with their grades, each on a scale from Excellent to Poor"
            .to_owned(),
        class: "five",
        columns: vec![
            column("Measurement", ColumnLook::Text),
            column("Verdict", ColumnLook::Grade),
            column("Value", ColumnLook::Figure),
            column("Limit", ColumnLook::Drawing),
            column("Metric", ColumnLook::Below),
            column("Remark", ColumnLook::Remark),
        ],
        rows: scorecard.cards.iter().map(row).collect(),
        ..DrawnTable::default()
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
