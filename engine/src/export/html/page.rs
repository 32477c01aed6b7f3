//! The page of a quick check: the verdict, the five measurements of the check with their grades,
//! recommendations, frame rates, and measurement quality.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use super::super::{CheckFile, Headline};
use super::verdict::{Look, strip};
use super::{begin, details, finish, head, icon, plot, section, sentence};
use crate::format::measurement_sum;
use crate::report::document::check::{self, AdviceWords};
use crate::report::document::facts;
use crate::report::quick::Scorecard;
use crate::report::{GradePlace, Report};
use crate::run::Run;
use crate::stats::GradeRange;
use crate::units::{MISSING, capitalized};

/// Maximum number of recommendations on the page; the others are in the collapsed details.
const MAX_ADVICE: usize = 3;

/// Writes the page of a quick check as HTML; `privacy` states which names were redacted.
pub(in crate::export) fn write_page(
    file: &CheckFile<'_>,
    privacy: String,
    to: &mut dyn Write,
) -> io::Result<()> {
    let CheckFile { card, .. } = file;
    let runs: Vec<(&'static str, &Run, &Report)> = file
        .parts
        .iter()
        .filter_map(|(part, measured)| (*measured).map(|(run, report)| (part.name(), run, report)))
        .collect();
    let name = runs.iter().map(|(_, run, _)| run.name.as_str()).find(|name| !name.is_empty());
    let headline = &Headline {
        title: name.unwrap_or("Quick check").to_owned(),
        about: file.when(),
        grade: check::word(card).to_owned(),
        sentence: capitalized(&check::sentence_after_grade(card)),
        evidence: check::evidence(card),
        advice: check::first_to_do(card).unwrap_or_default(),
        privacy,
    };
    begin(&headline.title, &format!("Jitterscope, {}, {}", headline.title, headline.about), to)?;
    head::title("", &headline.title, to)?;
    head::line(std::slice::from_ref(&headline.about), to)?;
    let first = runs.first().map(|(_, run, _)| *run);
    if let Some(run) = first {
        head::line(&head::machine(run), to)?;
    }
    let mut notes = runs.iter().map(|(_, run, _)| run.note.as_str());
    head::note(notes.find(|note| !note.is_empty()).unwrap_or_default(), to)?;
    writeln!(to, "</header>")?;
    super::verdict::open(Look::of(card.grade, true), true, to)?;
    super::verdict::say(headline, to)?;
    writeln!(to, "</div>")?;
    measurements(card, to)?;
    writeln!(to, "<div class=\"cols b\">")?;
    let steps = check::what_to_do(card);
    advice(card, &steps, to)?;
    rates(card, to)?;
    writeln!(to, "</div>")?;
    if let Some(chart) = file.chart {
        plot::write(chart, to)?;
    }
    writeln!(to, "<div class=\"cols b\">")?;
    if let Some(run) = first {
        section("Machine", "", "", to)?;
        writeln!(to, "<dl class=\"pairs\">")?;
        for (name, value) in facts::machine(run) {
            writeln!(to, "<dt>{name}</dt><dd>{}</dd>", html(&value, NOTE))?;
        }
        writeln!(to, "</dl></section>")?;
    }
    section("Measurement quality", "", "", to)?;
    writeln!(to, "<dl class=\"pairs\">")?;
    let of_runs: Vec<&Run> = runs.iter().map(|(_, run, _)| *run).collect();
    for fact in check::quality(card).into_iter().chain(check::load(&of_runs)) {
        let look = if fact.is_warning { "fair" } else { "good" };
        let (name, value) = (html(&fact.name, NAME), html(&fact.value, NOTE));
        writeln!(to, "<dt>{name}</dt><dd>{}{value}</dd>", icon(look, look))?;
    }
    writeln!(to, "</dl></section>\n</div>")?;
    end(&runs, &steps, &headline.privacy, to)
}

/// Writes the collapsed details: further recommendations, all figures of all measurements,
/// definitions, and how to repeat the check.
fn end(
    runs: &[(&'static str, &Run, &Report)],
    steps: &[AdviceWords],
    privacy: &str,
    to: &mut dyn Write,
) -> io::Result<()> {
    writeln!(to, "<div class=\"more\">")?;
    let more = steps.get(MAX_ADVICE..).unwrap_or_default();
    if !more.is_empty() {
        details::open("More to do", "what else would help", "", to)?;
        let lines = more.iter().map(|step| (step.title.as_str(), step.text.clone()));
        details::pairs("pairs", lines, to)?;
        details::close(to)?;
    }
    for (name, _, report) in runs {
        if let Some(table) = report.tables.first() {
            details::all_figures(&format!("All figures: {name}"), table, to)?;
        }
    }
    let tables = runs.iter().filter_map(|(_, _, report)| report.tables.first());
    details::definitions(tables, to)?;
    details::open("This file", "runs, how to repeat the check", "", to)?;
    let lines = runs.iter().map(|(name, run, _)| {
        (*name, format!("run {}, SHA-256 of the measurement {}", run.id, measurement_sum(run)))
    });
    details::pairs("three one", lines, to)?;
    let command = html(check::COMMAND, NAME);
    writeln!(to, "<p>To run it again:<code class=\"cmd\">{command}</code></p>")?;
    details::close(to)?;
    writeln!(
        to,
        "</div>\n<footer><p>This page holds no run to open: export its runs as JSON. {}</p></footer>",
        html(&sentence(privacy), NOTE)
    )?;
    finish(to)
}

fn measurements(card: &Scorecard, to: &mut dyn Write) -> io::Result<()> {
    section("Measurements", "the worst of them is the grade of the check", "", to)?;
    writeln!(
        to,
        "<table class=\"five\"><caption class=\"hide\">Measurements with their grades, each on a scale from \
         Excellent to Poor</caption><thead><tr><th scope=\"col\">Measurement</th><th scope=\"col\">Grade</th><th \
         scope=\"col\" class=\"n\">Value</th><th scope=\"col\" class=\"sc\"><span class=\"hide\">Scale</span></th><th \
         scope=\"col\" class=\"rem\"><span class=\"hide\">Remark</span></th></tr></thead><tbody>"
    )?;
    for one in &card.cards {
        let words = check::card(one);
        let caption = words.as_ref().map_or("", |words| words.caption.as_str());
        let place = one.scale.map(|scale| {
            let (value, interval) = (scale.value, scale.interval);
            GradePlace::of_times(scale.limits, caption, value, interval, std::iter::empty())
        });
        let look = Look::of(one.grade, true);
        let color = if one.grade.is_some() { look.class } else { "soft" };
        let scale = place.as_ref().map_or_else(String::new, |place| {
            let grade = one.grade.filter(|grade| !grade.is_bound()).map(GradeRange::worst);
            format!("<div class=\"scale\">{}</div>", strip(place, grade, one.grade.is_some()))
        });
        let remark =
            words.as_ref().map_or_else(|| check::why_no_number(one), |it| it.sentence.clone());
        writeln!(
            to,
            "<tr><th scope=\"row\"><b>{}</b></th><td class=\"tick {color}\">{}<b>{}</b></td><td class=\"n\"><span \
             class=\"big\">{}</span><small> {}</small><small class=\"blk\">{}</small></td><td \
             class=\"sc\">{scale}</td><td class=\"soft rem\">{}</td></tr>",
            html(one.part.name(), NAME),
            icon(look.icon, ""),
            html(&check::card_word(one), NAME),
            html(words.as_ref().map_or(MISSING, |it| it.number.as_str()), NAME),
            html(words.as_ref().map_or("", |it| it.unit), NAME),
            html(caption, NAME),
            html(&remark, NOTE),
        )?;
    }
    let note = html(&check::full_load(card).unwrap_or_default(), NOTE);
    writeln!(
        to,
        "</tbody></table><p class=\"soft small\">Dot: measured value. Bar: 95% confidence interval; a longest gap \
         has none. {note}</p></section>"
    )
}

fn advice(card: &Scorecard, steps: &[AdviceWords], to: &mut dyn Write) -> io::Result<()> {
    section("What to do", "", "", to)?;
    let note = card.delayed.as_ref().map(check::delayed_note).unwrap_or_default();
    if !note.is_empty() {
        writeln!(to, "<p class=\"soft small\">{}</p>", html(&note, NOTE))?;
    }
    writeln!(to, "<ol class=\"do\">")?;
    for step in steps.iter().take(MAX_ADVICE) {
        let (title, text) = (html(&step.title, NOTE), html(&step.text, NOTE));
        writeln!(to, "<li><b>{title}</b><br><span class=\"soft\">{text}</span></li>")?;
    }
    writeln!(to, "</ol></section>")
}

fn rates(card: &Scorecard, to: &mut dyn Write) -> io::Result<()> {
    let grid = check::rates_grid(card);
    if grid.rows.is_empty() {
        return Ok(());
    }
    section(check::RATE_TITLE, check::RATE_SOURCE, "", to)?;
    let class = |column: usize| {
        if grid.is_right.get(column) == Some(&true) { " class=\"n\"" } else { "" }
    };
    writeln!(
        to,
        "<table class=\"rates\"><caption class=\"hide\">{}</caption><thead><tr>",
        check::RATE_TITLE
    )?;
    for (cell, column) in grid.header.iter().zip(0..) {
        write!(to, "<th scope=\"col\"{}>{}</th>", class(column), html(cell, NAME))?;
    }
    writeln!(to, "</tr></thead><tbody>")?;
    for row in &grid.rows {
        write!(to, "<tr>")?;
        for (cell, column) in row.iter().zip(0..) {
            let tag = if column == 0 { "th scope=\"row\"" } else { "td" };
            let end = if column == 0 { "th" } else { "td" };
            write!(to, "<{tag}{}><bdi>{}</bdi></{end}>", class(column), html(cell, NOTE))?;
        }
        writeln!(to, "</tr>")?;
    }
    writeln!(to, "</tbody></table></section>")
}
