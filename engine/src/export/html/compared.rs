//! The page of a comparison: the runs, the result, the changes with their intervals, the timelines
//! of the runs, and the differences in settings and conditions.

mod forest;
mod timelines;

use std::io::{self, Write};

use super::super::Headline;
use super::super::sanitize::{NAME, NOTE, html};
use super::verdict::{Look, strips};
use super::{begin, details, finish, head, icon, plot, section, sentence, verdict};
use crate::nanos::Nanos;
use crate::report::chart::{of_histograms, of_tails, tail_curve};
use crate::report::comparison::Item;
use crate::report::{Chart, GradePlace};
use crate::stats::{GradeRange, LogHistogram, Outcome, Sorted};
use crate::units::format_count;

pub use forest::{Change, Changes, RelativeChange};

/// Maximum number of warnings in the box with the result; the others are in the details about the
/// method.
const MAX_WARNINGS: usize = 3;

/// The content of the page of a comparison.
#[derive(Debug)]
pub struct ComparisonPage<'a> {
    /// Title and result.
    pub headline: Headline,
    /// The IDs of the runs.
    pub ids: String,
    /// Facts that the runs share: test, duration, PC.
    pub facts: Vec<String>,
    /// Whether the result is better or worse, which sets the color of the box with the result.
    /// Absent if the result is neither, or if it is better while other differences are likely to
    /// matter.
    pub direction: Option<Outcome>,
    /// The runs or groups, the baseline first.
    pub sides: Vec<Side<'a>>,
    /// Warnings to read before the numbers.
    pub warnings: Vec<String>,
    /// The tables of changes: the first ones are shown on the page, the others in the details.
    pub changes: Vec<Changes>,
    /// How many of `changes` are shown on the page.
    pub shown_count: usize,
    /// The name of the values in plots: `lateness`; empty if there are no plots.
    pub value_name: &'static str,
    /// The name of the configuration whose values the plots show; may be empty.
    pub drawn: String,
    /// The late threshold; absent if the values have none, or if it differs between the runs.
    pub late_limit: Option<Nanos>,
    /// The settings and conditions that differ: name, one value per side, and whether the
    /// difference is likely to matter.
    pub differing: Vec<(String, Vec<String>, bool)>,
    /// The settings and conditions that are the same: name and value.
    pub same: Vec<(String, String)>,
    /// How results are determined, one paragraph per entry.
    pub method: Vec<String>,
    /// The metrics and their definitions.
    pub definitions: Vec<(&'static str, String)>,
    /// The command that repeats the comparison.
    pub command: String,
}

/// One side of the comparison: a run, or a group of runs.
#[derive(Debug)]
pub struct Side<'a> {
    /// The letter of the side, `A` for the baseline.
    pub letter: char,
    /// The name of the side.
    pub name: String,
    /// When the run was measured, and the settings that were applied.
    pub about: String,
    /// The grade of the run, and the grade as text; absent for a group.
    pub grade: Option<(Option<GradeRange>, String)>,
    /// The position of the graded value on the scale of grades.
    pub place: Option<GradePlace>,
    /// The data to plot: one configuration of each run.
    pub items: Vec<Item<'a>>,
}

/// Returns the letter of a side as HTML, in the color of the side.
fn chip(letter: char) -> String {
    format!("<span class=\"chip {letter}\">{letter}</span>")
}

/// Writes the page of a comparison as HTML.
pub fn write_comparison(page: &ComparisonPage<'_>, to: &mut dyn Write) -> io::Result<()> {
    let headline = &page.headline;
    begin(&headline.title, &format!("Jitterscope comparison, {}", page.ids), to)?;
    head::title(&page.ids, &headline.title, to)?;
    head::line(&page.facts, to)?;
    writeln!(to, "</header>")?;
    sides(&page.sides, to)?;
    answer(page, to)?;
    let (shown, others) = page.changes.split_at(page.shown_count.min(page.changes.len()));
    for changes in shown {
        forest::write(changes, to)?;
    }
    timelines::write(page, to)?;
    let charts = charts(page);
    writeln!(to, "<div class=\"cols {}\">", if charts.len() == 2 { "c" } else { "b" })?;
    for chart in &charts {
        plot::write(chart, to)?;
    }
    differing(page, to)?;
    writeln!(to, "</div>\n<div class=\"more\">")?;
    for changes in others {
        details::open(&changes.title, &changes.note, "", to)?;
        forest::table(changes, to)?;
        details::close(to)?;
    }
    end(page, to)
}

fn sides(sides: &[Side<'_>], to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "<div class=\"runs\">")?;
    for (side, at) in sides.iter().zip(0..) {
        let baseline = if at == 0 { " <span class=\"soft\">baseline</span>" } else { "" };
        let grade = side.grade.as_ref().map_or_else(String::new, |(grade, word)| {
            let look = Look::of(*grade, true);
            let color = if grade.is_some() { look.class } else { "soft" };
            format!(
                "<span class=\"tick {color}\">{}<b>{}</b></span>",
                icon(look.icon, ""),
                html(word, NAME)
            )
        });
        writeln!(
            to,
            "<div class=\"run\">{}<div><b><bdi>{}</bdi></b>{baseline}<br><span class=\"soft\">{}</span></div>{grade}</div>",
            chip(side.letter),
            html(&side.name, NAME),
            html(&side.about, NOTE),
        )?;
    }
    writeln!(to, "</div>")
}

/// Writes the box with the result, the warnings, and a scale of grades. The scale shows the values
/// of all sides; it is omitted unless all sides have the same measure and limits of grades.
fn answer(page: &ComparisonPage<'_>, to: &mut dyn Write) -> io::Result<()> {
    let look = match page.direction {
        Some(Outcome::Better) => Look { class: "good", icon: "good" },
        Some(Outcome::Worse) => Look { class: "fair", icon: "fair" },
        _ => Look { class: "info", icon: "info" },
    };
    let places: Option<Vec<(char, &GradePlace)>> =
        page.sides.iter().map(|side| Some((side.letter, side.place.as_ref()?))).collect();
    let places = places.filter(|places| {
        let is_alike = |one: &GradePlace| {
            places.first().is_some_and(|(_, first)| {
                first.measure == one.measure && first.limits == one.limits
            })
        };
        places.iter().all(|(_, one)| is_alike(one))
    });
    verdict::open(look, places.is_none(), to)?;
    verdict::say(&page.headline, to)?;
    if let Some(places) = places {
        let measure = places.first().map_or("", |(_, place)| place.measure.as_str());
        let has_interval = places.iter().any(|(_, place)| place.interval.is_some());
        writeln!(to, "{}", verdict::under_scale(&strips(&places), measure, has_interval))?;
    }
    for warning in page.warnings.iter().take(MAX_WARNINGS) {
        verdict::warning("fair", warning, to)?;
    }
    let more = page.warnings.len().saturating_sub(MAX_WARNINGS);
    verdict::end(more, "How results are determined", to)
}

/// Returns a histogram and a tail distribution, each a plot with the values of all sides.
fn charts(page: &ComparisonPage<'_>) -> Vec<Chart> {
    let (mut histograms, mut curves) = (Vec::new(), Vec::new());
    for side in &page.sides {
        let values: Vec<i64> = side.items.iter().flat_map(|item| item.values()).collect();
        let mut histogram = LogHistogram::of(&values);
        for &(value, count) in side.items.iter().flat_map(|item| item.counts()) {
            histogram.add_many(value, count);
        }
        let letter = side.letter.to_string();
        curves.extend(Sorted::of(values).map(|sorted| tail_curve(&letter, &sorted)));
        histograms.push((letter, histogram));
    }
    let names = (page.value_name, "Samples");
    of_histograms("histogram", "Histogram", names, &histograms)
        .into_iter()
        .chain(of_tails("tail", "Tail distribution", (page.value_name, "Share above"), curves))
        .collect()
}

fn differing(page: &ComparisonPage<'_>, to: &mut dyn Write) -> io::Result<()> {
    section("What differs", "machine and settings", "", to)?;
    if !page.differing.is_empty() {
        writeln!(
            to,
            "<table><caption class=\"hide\">What differs between the runs</caption><thead><tr><th \
             scope=\"col\"><span class=\"hide\">What</span></th>"
        )?;
        for side in &page.sides {
            writeln!(to, "<th scope=\"col\">{}</th>", chip(side.letter))?;
        }
        writeln!(to, "</tr></thead><tbody>")?;
        for (name, values, is_likely) in &page.differing {
            let mark = if *is_likely { icon("fair", "fair") } else { String::new() };
            write!(to, "<tr><th scope=\"row\">{mark} {}</th>", html(name, NAME))?;
            for value in values {
                write!(to, "<td><bdi>{}</bdi></td>", html(value, NAME))?;
            }
            writeln!(to, "</tr>")?;
        }
        writeln!(to, "</tbody></table>")?;
    }
    let likely = page.differing.iter().any(|(.., is_likely)| *is_likely);
    let mark =
        if likely { format!("{} likely to matter. ", icon("fair", "fair")) } else { String::new() };
    let same = format_count(page.same.len());
    let words = match page.differing.len() {
        0 => format!("All {same} settings and conditions are the same."),
        _ => format!("{same} other settings and conditions are the same."),
    };
    writeln!(to, "<p class=\"soft small\">{mark}{words}</p></section>")
}

/// Writes the collapsed details of the page (equal settings, method, definitions, and information
/// about the file) and the footer.
fn end(page: &ComparisonPage<'_>, to: &mut dyn Write) -> io::Result<()> {
    let same = format!("{} settings and conditions", format_count(page.same.len()));
    details::open("The same in all runs", &same, "", to)?;
    let lines = page.same.iter().map(|(name, value)| (name.as_str(), value.clone()));
    details::pairs("three", lines, to)?;
    details::close(to)?;
    details::open("How results are determined", "intervals, noise floor, limits", "", to)?;
    for words in page.method.iter().chain(page.warnings.iter().skip(MAX_WARNINGS)) {
        writeln!(to, "<p>{}</p>", html(words, NOTE))?;
    }
    details::close(to)?;
    details::open("Definitions", "what each metric is", " data-print=\"no\"", to)?;
    details::pairs("defs", page.definitions.iter().map(|(name, text)| (*name, text.clone())), to)?;
    details::close(to)?;
    details::open("This file", "the runs, how to repeat the comparison", "", to)?;
    let lines = page.sides.iter().map(|side| (side.name.as_str(), side.about.clone()));
    details::pairs("three one", lines, to)?;
    let command = html(&page.command, NOTE);
    writeln!(to, "<p>To compare again:<code class=\"cmd\">{command}</code></p>")?;
    details::close(to)?;
    writeln!(
        to,
        "</div>\n<footer><p>This page holds no run to open: attach the reports of the runs. {}</p></footer>",
        html(&sentence(&page.headline.privacy), NOTE)
    )?;
    finish(to)
}
