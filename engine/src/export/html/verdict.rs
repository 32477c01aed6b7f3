//! The box of a report page with the verdict: grade, evidence, recommendation, the scale of grades, and warnings.

use std::io::{self, Write};

use super::super::Headline;
use super::super::sanitize::{NAME, NOTE, html};
use super::fluid::{Fluid, percent};
use super::icon;
use crate::report::{Caution, GradePlace};
use crate::stats::{Grade, GradeRange};

/// Maximum number of warnings in the box; the others are in the section about measurement quality.
pub(super) const MAX_CAUTIONS: usize = 3;

/// The colors and the icon of a grade.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// CSS class that sets the colors.
    pub class: &'static str,
    /// The name of the icon. A grade that is known only as Fair or better, or as Fair or worse, has an outlined icon.
    pub icon: &'static str,
}

impl Look {
    /// Returns color and icon of a grade or its bound. Without a grade, returns the icon for waiting if
    /// `is_doubtful`, otherwise the icon for information.
    pub(super) fn of(grade: Option<GradeRange>, is_doubtful: bool) -> Self {
        let Some(grade) = grade else {
            let (class, icon) = if is_doubtful { ("none", "wait") } else { ("info", "info") };
            return Self { class, icon };
        };
        let (class, filled, outline) = match grade.worst() {
            Grade::Excellent | Grade::Good => ("good", "good", "good-o"),
            Grade::Fair => ("fair", "fair", "fair-o"),
            Grade::Poor => ("poor", "poor", "poor-o"),
        };
        Self { class, icon: if grade.is_bound() { outline } else { filled } }
    }
}

/// Writes the box with the verdict.
pub(super) fn write(
    (grade, look): (Option<GradeRange>, Look),
    headline: &Headline,
    place: Option<&GradePlace>,
    cautions: &[&Caution],
    to: &mut dyn Write,
) -> io::Result<()> {
    let strip = place.map(|place| {
        // Only an exact grade highlights its zone on the scale; a bound of a grade does not.
        let stated = grade.filter(|grade| !grade.is_bound());
        let scale = strip(place, stated.map(GradeRange::worst), grade.is_some());
        under_scale(&scale, &place.measure, place.interval.is_some())
    });
    open(look, strip.is_none(), to)?;
    say(headline, to)?;
    writeln!(to, "{}", strip.unwrap_or_default())?;
    for caution in cautions.iter().take(MAX_CAUTIONS) {
        let icon = if matches!(caution, Caution::Refused { .. }) { "denied" } else { "fair" };
        warning(icon, &caution.to_string(), to)?;
    }
    end(cautions.len().saturating_sub(MAX_CAUTIONS), "Measurement quality", to)
}

/// Returns a scale with the name of its value below it.
pub(super) fn under_scale(scale: &str, measure: &str, has_interval: bool) -> String {
    let interval = if has_interval { ", 95% CI" } else { "" };
    format!(
        "<div class=\"where\"><div class=\"scale\">{scale}</div><p class=\"small soft\">{}{interval}</p></div>",
        html(measure, NAME),
    )
}

/// Writes a warning in the box with the verdict.
pub(super) fn warning(name: &str, text: &str, to: &mut dyn Write) -> io::Result<()> {
    let (icon, text) = (icon(name, "fair"), html(text, NOTE));
    writeln!(to, "<p class=\"caution\">{icon}<span>{text}</span></p>")
}

/// Ends the box with the verdict, and states how many more warnings the section `section` has.
pub(super) fn end(more: usize, section: &str, to: &mut dyn Write) -> io::Result<()> {
    if 0 < more {
        let words = format!("{more} more under {section}");
        writeln!(to, "<p class=\"caution\"><span></span><span>{words}</span></p>")?;
    }
    writeln!(to, "</div>")
}

/// Writes the opening tag and the icon of the box with the verdict.
pub(super) fn open(look: Look, is_wide: bool, to: &mut dyn Write) -> io::Result<()> {
    let wide = if is_wide { " wide" } else { "" };
    writeln!(
        to,
        "<div class=\"verdict v-{}{wide}\" role=\"group\" aria-label=\"Verdict\">{}",
        look.class,
        icon(look.icon, ""),
    )
}

/// Writes the texts of the verdict: grade, sentence, evidence, and recommendation.
pub(super) fn say(headline: &Headline, to: &mut dyn Write) -> io::Result<()> {
    let line = |class: &str, before: &str, text: &str| {
        let text = html(text, NOTE);
        if text.is_empty() { String::new() } else { format!("<p{class}>{before}{text}</p>") }
    };
    // If the sentence begins with the grade, the grade is not repeated.
    let grade = Some(headline.grade.as_str()).filter(|word| !headline.sentence.starts_with(word));
    writeln!(
        to,
        "<div class=\"say\">{}{}{}{}</div>",
        line(" class=\"grade\"", "", grade.unwrap_or_default()),
        line(" class=\"answer\"", "", &headline.sentence),
        line("", "", &headline.evidence),
        line(" class=\"do\"", "<b>What to do:</b> ", &headline.advice),
    )
}

/// Draws the scale of grades: four zones of equal width, the graded value, its interval, and the other values of
/// `place`.
pub(super) fn strip(place: &GradePlace, grade: Option<Grade>, is_graded: bool) -> String {
    let mut fluid = zones(place, grade);
    marks(&mut fluid, place, if is_graded { "pt" } else { "est" });
    let words = format!("{}: {}", place.measure, place.text);
    fluid.finish(42.0, "Where the grade is", &words)
}

/// Draws one scale for several runs with the same limits; each value is marked by the letter of its
/// run.
pub(super) fn strips(places: &[(char, &GradePlace)]) -> String {
    let Some((_, first)) = places.first() else { return String::new() };
    let mut fluid = zones(first, None);
    for (letter, place) in places {
        if let Some((low, high)) = place.interval {
            let (low, high) = (low / 4.0, high / 4.0);
            fluid.line(&format!("ci k-{letter}"), (low, 21.0), (high, 21.0));
        }
    }
    for (letter, place) in places.iter().rev() {
        let at = place.value / 4.0;
        let (x, text) = (percent(at), html(&place.text, NAME));
        fluid.add(&format!(
            "<use class=\"k-{letter}\" href=\"#m-letter\" x=\"{x}\" y=\"21\"><title>{text}</title></use>"
        ));
        fluid.word("in", (at, 0.0), 25.0, "middle", &letter.to_string());
    }
    let each = places.iter().map(|(letter, place)| format!("{letter} {}", place.text));
    let words = format!("{}: {}", first.measure, each.collect::<Vec<_>>().join(", "));
    fluid.finish(42.0, "Where the grades are", &words)
}

/// Draws four zones of equal width with their names, and the limits between them.
fn zones(place: &GradePlace, grade: Option<Grade>) -> Fluid {
    let mut fluid = Fluid::default();
    let grades = [Grade::Excellent, Grade::Good, Grade::Fair, Grade::Poor];
    for ((word, one), zone) in place.words.iter().zip(grades).zip(0_u32..) {
        let from = f64::from(zone) / 4.0;
        fluid.bar(&format!("class=\"z{zone}\""), (from, from + 0.25), (15.0, 12.0), word);
        let class = if grade == Some(one) { "on" } else { "" };
        fluid.word(class, (from + 0.125, 0.0), 10.0, "middle", word);
    }
    for (limit, zone) in place.limits.iter().zip(1_u32..) {
        let at = f64::from(zone) / 4.0;
        fluid.line("edge", (at, 15.0), (at, 27.0));
        fluid.word("", (at, 0.0), 39.0, "middle", limit);
    }
    fluid
}

/// Marks the graded value, its interval, and the other values of `place` on the scale of grades.
fn marks(fluid: &mut Fluid, place: &GradePlace, class: &str) {
    for other in &place.others {
        fluid.line("oth", (other / 4.0, 16.0), (other / 4.0, 26.0));
    }
    if let Some((low, high)) = place.interval {
        let (low, high) = (low / 4.0, high / 4.0);
        fluid.line("ci", (low, 21.0), (high, 21.0));
        for end in [low, high] {
            fluid.line("ci", (end, 17.5), (end, 24.5));
        }
    }
    // A value below the scale, such as one below the clock resolution, is at the left edge.
    let x = percent(place.value / 4.0);
    let text = html(&place.text, NAME);
    fluid.add(&format!(
        "<circle class=\"{class}\" cx=\"{x}\" cy=\"21\" r=\"4.5\"><title>{text}</title></circle>"
    ));
}
