//! The box of a report page with the verdict: grade, evidence, recommendation, the scale of grades, and warnings.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use super::fluid::{Fluid, percent};
use super::icon;
use crate::report::GradePlace;
use crate::report::document::{Head, MAX_WARNINGS, Sign, Statement};
use crate::stats::{Grade, GradeRange, Outcome};
use crate::units::capitalized;

/// The colors and the icon of a grade.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// CSS class that sets the colors.
    pub class: &'static str,
    /// The name of the icon. A grade that is known only as Fair or better, or as Fair or worse, has an outlined icon.
    pub icon: &'static str,
}

impl Look {
    /// Returns color and icon of a sign.
    pub(super) fn of_sign(sign: Sign) -> Self {
        let (class, icon) = match sign {
            Sign::Grade { grade, is_doubtful } => return Self::of(grade, is_doubtful),
            Sign::Denied => ("fair", "denied"),
            Sign::Good | Sign::Direction(Some(Outcome::Better)) => ("good", "good"),
            Sign::Warning | Sign::Direction(Some(Outcome::Worse)) => ("fair", "fair"),
            Sign::Info | Sign::Direction(_) | Sign::Cause(_) => ("info", "info"),
        };
        Self { class, icon }
    }

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
pub(super) fn write(head: &Head, statement: &Statement, to: &mut dyn Write) -> io::Result<()> {
    let look = head.sign.map_or(Look { class: "info", icon: "info" }, Look::of_sign);
    let scale = match (head.places.as_slice(), head.sign) {
        ([], _) => String::new(),
        ([(None, place)], Some(Sign::Grade { grade, .. })) => {
            // Only an exact grade highlights its zone on the scale; a bound of a grade does not.
            let stated = grade.filter(|grade| !grade.is_bound());
            strip(place, stated.map(GradeRange::worst), grade.is_some())
        }
        (places, _) => strips(places),
    };
    let scale = head.places.first().map_or_else(String::new, |(_, first)| {
        let has_interval = head.places.iter().any(|(_, place)| place.interval.is_some());
        let interval = if has_interval { ", 95% CI" } else { "" };
        let measure = html(&first.measure, NAME);
        format!(
            "<div class=\"where\"><div class=\"scale\">{scale}</div><p class=\"small soft\">{measure}{interval}</p></div>"
        )
    });
    writeln!(
        to,
        "<div class=\"verdict v-{}{}\" role=\"group\" aria-label=\"Verdict\">{}",
        look.class,
        if scale.is_empty() { " wide" } else { "" },
        icon(look.icon, ""),
    )?;
    let line = |class: &str, before: &str, text: &str| {
        let text = html(text, NOTE);
        if text.is_empty() { String::new() } else { format!("<p{class}>{before}{text}</p>") }
    };
    let Statement { grade, count, sentence, evidence, to_do } = statement;
    // If the sentence begins with the grade, the grade is not repeated.
    let grade = if sentence.starts_with(grade.as_str()) { count } else { grade };
    writeln!(
        to,
        "<div class=\"say\">{}{}{}{}</div>\n{scale}",
        line(" class=\"grade\"", "", grade),
        line(" class=\"answer\"", "", &capitalized(sentence)),
        line("", "", evidence),
        line(" class=\"do\"", "<b>What to do:</b> ", to_do.as_deref().unwrap_or_default()),
    )?;
    for (is_denied, text) in head.warnings.iter().take(MAX_WARNINGS) {
        let icon = icon(if *is_denied { "denied" } else { "fair" }, "fair");
        let text = html(text, NOTE);
        writeln!(to, "<p class=\"caution\">{icon}<span>{text}</span></p>")?;
    }
    let more = head.warnings.len().saturating_sub(MAX_WARNINGS);
    if 0 < more {
        let words = format!("{more} more under {}", head.more_warnings);
        writeln!(to, "<p class=\"caution\"><span></span><span>{words}</span></p>")?;
    }
    writeln!(to, "</div>")
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
fn strips(places: &[(Option<char>, GradePlace)]) -> String {
    let Some((_, first)) = places.first() else { return String::new() };
    let mut fluid = zones(first, None);
    let places: Vec<(char, &GradePlace)> =
        places.iter().filter_map(|(letter, place)| Some(((*letter)?, place))).collect();
    for (letter, place) in &places {
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
