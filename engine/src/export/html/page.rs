//! The page of a quick check: the verdict, the five measurements of the check with their grades,
//! recommendations, frame rates, and measurement quality.

use std::io::{self, Write};

use super::super::document::Grid;
use super::super::sanitize::{NAME, NOTE, html};
use super::super::{Headline, facts};
use super::verdict::{Look, strip};
use super::{begin, details, finish, head, icon, plot, section, sentence};
use crate::format::measurement_sum;
use crate::report::{Chart, GradePlace, Report};
use crate::run::Run;
use crate::stats::GradeRange;

/// Maximum number of recommendations on the page; the others are in the collapsed details.
const MAX_ADVICE: usize = 3;

/// The content of the page of a quick check.
#[derive(Debug)]
pub struct Page<'a> {
    /// Title, date, and verdict.
    pub headline: Headline,
    /// The grade, which sets the color of the verdict.
    pub grade: Option<GradeRange>,
    /// The measurements of the check, one row per measurement.
    pub measurements: Vec<Measurement>,
    /// A note about the measurements, in one line; may be empty.
    pub measurements_note: String,
    /// Recommendations with title and reason, in descending order of importance.
    pub advice: Vec<(String, String)>,
    /// A note about the recommendations, in one line; may be empty.
    pub advice_note: String,
    /// A title and a table of frame rates; empty if no frame rate was evaluated.
    pub rates: (String, Grid),
    /// Lines about the measurement quality: whether the line reports no problem, its name, and its
    /// value.
    pub quality: Vec<(bool, &'static str, String)>,
    /// Plots below the other sections.
    pub charts: &'a [Chart],
    /// The runs of the check: name of the measurement, run, and report.
    pub runs: Vec<(&'static str, &'a Run, &'a Report)>,
    /// The command that repeats the check.
    pub command: &'static str,
}

/// One measurement of a quick check, shown as a row.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The name of the measurement.
    pub name: &'static str,
    /// The grade to show.
    pub grade: Option<GradeRange>,
    /// The grade as a word, or the text shown if there is no grade.
    pub word: String,
    /// The number that determines the grade, and its unit.
    pub value: (String, String),
    /// A description of the number.
    pub caption: String,
    /// A further remark.
    pub remark: String,
    /// The position of the number on the scale of grades.
    pub place: Option<GradePlace>,
}

/// Writes the page of a quick check as HTML.
pub fn write_page(page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
    let headline = &page.headline;
    begin(&headline.title, &format!("Jitterscope, {}, {}", headline.title, headline.about), to)?;
    head::title("", &headline.title, to)?;
    head::line(std::slice::from_ref(&headline.about), to)?;
    let first = page.runs.first().map(|(_, run, _)| *run);
    if let Some(run) = first {
        head::line(&head::machine(run), to)?;
    }
    let mut notes = page.runs.iter().map(|(_, run, _)| run.note.as_str());
    head::note(notes.find(|note| !note.is_empty()).unwrap_or_default(), to)?;
    writeln!(to, "</header>")?;
    super::verdict::open(Look::of(page.grade, true), true, to)?;
    super::verdict::say(headline, to)?;
    writeln!(to, "</div>")?;
    measurements(page, to)?;
    writeln!(to, "<div class=\"cols b\">")?;
    advice(page, to)?;
    rates(page, to)?;
    writeln!(to, "</div>")?;
    for chart in page.charts {
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
    for (is_good, name, value) in &page.quality {
        let look = if *is_good { "good" } else { "fair" };
        writeln!(to, "<dt>{name}</dt><dd>{}{}</dd>", icon(look, look), html(value, NOTE))?;
    }
    writeln!(to, "</dl></section>\n</div>")?;
    end(page, to)
}

/// Writes the collapsed details: further recommendations, all figures of all measurements,
/// definitions, and how to repeat the check.
fn end(page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "<div class=\"more\">")?;
    let more = page.advice.get(MAX_ADVICE..).unwrap_or_default();
    if !more.is_empty() {
        details::open("More to do", "what else would help", "", to)?;
        let lines = more.iter().map(|(title, text)| (title.as_str(), text.clone()));
        details::pairs("pairs", lines, to)?;
        details::close(to)?;
    }
    for (name, _, report) in &page.runs {
        if let Some(table) = report.tables.first() {
            details::all_figures(&format!("All figures: {name}"), table, to)?;
        }
    }
    let tables = page.runs.iter().filter_map(|(_, _, report)| report.tables.first());
    details::definitions(tables, to)?;
    details::open("This file", "runs, how to repeat the check", "", to)?;
    let runs = page.runs.iter().map(|(name, run, _)| {
        (*name, format!("run {}, SHA-256 of the measurement {}", run.id, measurement_sum(run)))
    });
    details::pairs("three one", runs, to)?;
    let command = html(page.command, NAME);
    writeln!(to, "<p>To run it again:<code class=\"cmd\">{command}</code></p>")?;
    details::close(to)?;
    writeln!(
        to,
        "</div>\n<footer><p>This page holds no run to open: export its runs as JSON. {}</p></footer>",
        html(&sentence(&page.headline.privacy), NOTE)
    )?;
    finish(to)
}

fn measurements(page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
    section("Measurements", "the worst of them is the grade of the check", "", to)?;
    writeln!(
        to,
        "<table class=\"five\"><caption class=\"hide\">Measurements with their grades, each on a scale from \
         Excellent to Poor</caption><thead><tr><th scope=\"col\">Measurement</th><th scope=\"col\">Grade</th><th \
         scope=\"col\" class=\"n\">Value</th><th scope=\"col\" class=\"sc\"><span class=\"hide\">Scale</span></th><th \
         scope=\"col\" class=\"rem\"><span class=\"hide\">Remark</span></th></tr></thead><tbody>"
    )?;
    for one in &page.measurements {
        let look = Look::of(one.grade, true);
        let color = if one.grade.is_some() { look.class } else { "soft" };
        let scale = one.place.as_ref().map_or_else(String::new, |place| {
            let grade = one.grade.filter(|grade| !grade.is_bound()).map(GradeRange::worst);
            format!("<div class=\"scale\">{}</div>", strip(place, grade, one.grade.is_some()))
        });
        let (value, unit) = &one.value;
        writeln!(
            to,
            "<tr><th scope=\"row\"><b>{}</b></th><td class=\"tick {color}\">{}<b>{}</b></td><td class=\"n\"><span \
             class=\"big\">{}</span><small> {}</small><small class=\"blk\">{}</small></td><td \
             class=\"sc\">{scale}</td><td class=\"soft rem\">{}</td></tr>",
            html(one.name, NAME),
            icon(look.icon, ""),
            html(&one.word, NAME),
            html(value, NAME),
            html(unit, NAME),
            html(&one.caption, NAME),
            html(&one.remark, NOTE),
        )?;
    }
    let note = html(&page.measurements_note, NOTE);
    writeln!(
        to,
        "</tbody></table><p class=\"soft small\">Dot: measured value. Bar: 95% confidence interval; a longest gap \
         has none. {note}</p></section>"
    )
}

fn advice(page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
    section("What to do", "", "", to)?;
    if !page.advice_note.is_empty() {
        writeln!(to, "<p class=\"soft small\">{}</p>", html(&page.advice_note, NOTE))?;
    }
    writeln!(to, "<ol class=\"do\">")?;
    for (title, text) in page.advice.iter().take(MAX_ADVICE) {
        let (title, text) = (html(title, NOTE), html(text, NOTE));
        writeln!(to, "<li><b>{title}</b><br><span class=\"soft\">{text}</span></li>")?;
    }
    writeln!(to, "</ol></section>")
}

fn rates(page: &Page<'_>, to: &mut dyn Write) -> io::Result<()> {
    let (title, grid) = &page.rates;
    if grid.rows.is_empty() {
        return Ok(());
    }
    section("Frame rates under load", title, "", to)?;
    let class = |column: usize| {
        if grid.is_right.get(column) == Some(&true) { " class=\"n\"" } else { "" }
    };
    writeln!(
        to,
        "<table class=\"rates\"><caption class=\"hide\">Frame rates under load</caption><thead><tr>"
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
