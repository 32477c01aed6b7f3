//! The head of a page: what was measured, with which settings, on which machine, and the user's
//! note and tags.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html, html_lines};
use super::super::{Headline, Parts};
use super::icon;
use crate::plan::Plan;
use crate::report::Report;
use crate::report::document::facts;
use crate::run::Run;
use crate::units::{format_count, format_long_time};

/// Maximum number of settings in the head; all settings are in the collapsed details.
const MAX_SETTINGS: usize = 5;

/// Writes the brand, the ID, the button that prints the page with all details, and the title.
pub(super) fn title(id: &str, title: &str, to: &mut dyn Write) -> io::Result<()> {
    writeln!(
        to,
        "<header>\n<div class=\"kicker\"><span class=\"brand\">{}Jitterscope report</span><span \
         class=\"id\">{}</span><button type=\"button\" hidden>Print with details</button></div>\n<h1 \
         dir=\"auto\">{}</h1>",
        icon("logo", ""),
        html(id, NAME),
        html(title, NAME),
    )
}

/// Writes a line of facts.
pub(super) fn line(facts: &[String], to: &mut dyn Write) -> io::Result<()> {
    let mut items = String::new();
    for fact in facts.iter().filter(|fact| !fact.is_empty()) {
        items.push_str(&format!("<li><bdi>{}</bdi></li>", html(fact, NAME)));
    }
    if items.is_empty() { Ok(()) } else { writeln!(to, "<ul class=\"facts\">{items}</ul>") }
}

/// Writes the head of the report of a run.
pub(super) fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    holds: Parts,
    to: &mut dyn Write,
) -> io::Result<()> {
    title(&format!("Run {}", run.id), &headline.title, to)?;
    let samples = format!(
        "{} {} in {}",
        format_count(run.sample_count()),
        run.subject.samples_name(),
        format_long_time(run.measured())
    );
    let mut first = vec![headline.about.clone(), samples];
    if 1 < report.rows.len() {
        first.push(format!("{} configurations", format_count(report.rows.len())));
    }
    if holds.repeat {
        first.extend(run.plan().into_iter().flat_map(settings));
    }
    line(&first, to)?;
    if holds.machine {
        line(&machine(run), to)?;
    }
    let tags: Vec<String> = run.tags.iter().map(|tag| html(tag, NAME)).collect();
    if !tags.is_empty() {
        writeln!(
            to,
            "<p class=\"note\"><span class=\"soft\">Tags:</span> <bdi>{}</bdi></p>",
            tags.join(", ")
        )?;
    }
    note(&run.note, to)?;
    for (place, text) in facts::annotations(run) {
        let (place, text) = (html(&place, NAME), html(&text, NOTE));
        writeln!(
            to,
            "<p class=\"note\"><span class=\"soft\">{place}:</span> <bdi>{text}</bdi></p>"
        )?;
    }
    writeln!(to, "</header>")
}

/// Writes the user's note; nothing if it is empty.
pub(super) fn note(note: &str, to: &mut dyn Write) -> io::Result<()> {
    if note.is_empty() {
        return Ok(());
    }
    let note = html_lines(note, NOTE);
    writeln!(
        to,
        "<div class=\"note\"><span class=\"soft\">Note:</span> <pre dir=\"auto\">{note}</pre></div>"
    )
}

/// Returns up to [`MAX_SETTINGS`] settings of a plan that differ from their defaults, except the
/// seed of the order of trials.
fn settings(plan: &Plan) -> Vec<String> {
    let default = Plan::all().into_iter().find(|other| other.key() == plan.key());
    let default = default.map_or_else(Vec::new, |plan| plan.settings());
    let changed = plan.settings().into_iter().filter(|setting| {
        !default.contains(setting) && !setting.option.starts_with("--order-seed ")
    });
    changed.take(MAX_SETTINGS).map(|one| format!("{}: {}", one.name, one.value)).collect()
}

/// Returns the values of the facts about the machine that the head of a page shows.
pub(super) fn machine(run: &Run) -> Vec<String> {
    let lines = facts::machine(run);
    ["Processor", "CPUs", "System", "Kernel", "Virtual machine", "Power"]
        .into_iter()
        .filter_map(|name| {
            let (_, value) = lines.iter().find(|(known, _)| *known == name)?;
            Some(if name == "Virtual machine" { format!("{value} guest") } else { value.clone() })
        })
        .collect()
}
