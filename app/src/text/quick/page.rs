//! A quick check as an HTML page.

use std::io::{self, Write};

use jitterscope_engine::export::html::{Measurement, Page, write_page};
use jitterscope_engine::export::{Headline, IncludedNames, markdown};
use jitterscope_engine::report::quick::{Card, Measured, Scorecard};
use jitterscope_engine::report::{Chart, GradePlace};
use jitterscope_engine::run::Run;

use crate::text::{self, quick};

/// Writes a check whose excluded names are already removed, as an HTML page or as Markdown;
/// `included` are the names that the file may contain. Only the page shows the chart.
pub fn write(
    is_page: bool,
    card: &Scorecard,
    parts: &[Measured<'_>],
    chart: Option<&Chart>,
    included: IncludedNames,
    to: &mut dyn Write,
) -> io::Result<()> {
    let runs = runs(parts);
    if !is_page {
        return markdown::render(&quick::report(card, &runs), to);
    }
    let is_traced = runs.iter().flat_map(|run| &run.trials).any(|trial| trial.trace.is_some());
    let privacy = included.sentence(is_traced && !included.programs);
    write_page(&page(card, parts, chart.map_or(&[], std::slice::from_ref), privacy), to)
}

fn runs<'a>(parts: &[Measured<'a>]) -> Vec<&'a Run> {
    parts.iter().filter_map(|(_, measured)| Some((*measured)?.0)).collect()
}

/// Returns the HTML page of a check whose excluded names are already removed; `privacy` states
/// which names those are.
fn page<'a>(
    card: &Scorecard,
    parts: &[Measured<'a>],
    charts: &'a [Chart],
    privacy: String,
) -> Page<'a> {
    let runs = runs(parts);
    let began = runs.iter().map(|run| run.started_at).min().unwrap_or_default();
    let first_name = runs.iter().map(|run| run.name.as_str()).find(|it| !it.is_empty());
    let title = first_name.unwrap_or("Quick check").to_owned();
    let advice = quick::what_to_do(card);
    let headline = Headline {
        title,
        about: text::date(&text::local(began)),
        grade: quick::word(card).to_owned(),
        sentence: text::capitalized(&quick::sentence_after_grade(card)),
        evidence: quick::evidence(card),
        advice: quick::first_to_do(card).unwrap_or_default(),
        privacy,
    };
    let quality = card.trust.iter().map(|one| {
        let (name, said) = quick::trust(one);
        (one.is_good(), name, said)
    });
    let load = quick::load(&runs).map(|load| (true, "Load", load));
    let parts = parts.iter().filter_map(|(part, measured)| {
        let (run, report) = (*measured)?;
        Some((part.name(), run, report))
    });
    Page {
        headline,
        grade: card.grade,
        measurements: card.cards.iter().map(measurement).collect(),
        measurements_note: quick::full_load(card).unwrap_or_default(),
        advice: advice.into_iter().map(|words| (words.title, words.text)).collect(),
        advice_note: card.delayed.as_ref().map(quick::delayed_note).unwrap_or_default(),
        rates: (quick::RATE_SOURCE.to_owned(), quick::rates_grid(card)),
        quality: quality.chain(load).collect(),
        charts,
        runs: parts.collect(),
        command: "jitterscope-cli quick",
    }
}

fn measurement(card: &Card) -> Measurement {
    let said = quick::card(card);
    let place = card.scale.map(|scale| {
        let measure = said.as_ref().map_or("", |said| said.caption.as_str());
        GradePlace::of_times(scale.limits, measure, scale.value, scale.interval, std::iter::empty())
    });
    let (value, caption, remark) = if let Some(said) = said {
        ((said.number, said.unit.to_owned()), said.caption, said.sentence)
    } else {
        let none = (text::MISSING.to_owned(), String::new());
        (none, String::new(), quick::why_no_number(card))
    };
    let word = quick::card_word(card);
    Measurement { name: card.part.name(), grade: card.grade, word, value, caption, remark, place }
}
