//! The table of changes between the baseline and the other sides. All changes are drawn on one axis,
//! relative to the baseline's value, with their intervals and the noise floor.

use std::io::{self, Write};

use super::super::super::sanitize::{NAME, NOTE, html};
use super::super::fluid::{Fluid, percent};
use super::super::section;
use super::chip;
use crate::report::chart::Axis;
use crate::report::document::comparison::{Change, Changes};
use crate::stats::Outcome;
use crate::units::MINUS;

/// The length of the axis in labels.
const LABELS: f64 = 7.0;
/// Height of a row in pixels.
const ROW: f64 = 28.0;

/// Writes the section with the table of changes; nothing if there are no changes.
pub(in crate::export::html) fn write(changes: &Changes, to: &mut dyn Write) -> io::Result<()> {
    if changes.lines.is_empty() {
        return Ok(());
    }
    let noise = if changes.lines.iter().any(|line| line.drawn.is_some_and(|it| it.noise.is_some()))
    {
        format!(
            "<li><svg class=\"key nfk\" aria-hidden=\"true\"><rect width=\"28\" height=\"8\"/></svg> {}</li>",
            html(&changes.noise, NAME)
        )
    } else {
        String::new()
    };
    let legend = format!(
        "<ul class=\"legend right\"><li><svg class=\"key g-better\" aria-hidden=\"true\"><path class=\"w\" \
         d=\"M0 4H28\"/><circle cx=\"14\" cy=\"4\" r=\"3.6\"/></svg> change, 95% CI</li>{noise}</ul>"
    );
    section(&changes.title, &changes.note, &legend, to)?;
    table(changes, to)?;
    writeln!(to, "</section>")
}

/// Writes the table of changes without a section around the table.
pub(in crate::export::html) fn table(changes: &Changes, to: &mut dyn Write) -> io::Result<()> {
    let axis = axis_of(&changes.lines);
    let other = match changes.others.as_slice() {
        [one] => chip(*one),
        _ => "Other".to_owned(),
    };
    let title = html(&changes.title, NAME);
    writeln!(
        to,
        "<table role=\"table\" class=\"forest\"><caption class=\"hide\">{title}, with 95% confidence intervals and \
         results</caption><thead role=\"rowgroup\"><tr role=\"row\">{}{}{}<th role=\"columnheader\" scope=\"col\" \
         class=\"pc\"><span class=\"hide\">Change, drawn</span>{}</th>{}{}{}</tr></thead><tbody role=\"rowgroup\">",
        heading("", "Metric"),
        heading("n ab", &chip(changes.baseline)),
        heading("n ab", &other),
        labels(&axis),
        heading("n ab", "Change"),
        heading("n opt", "95% CI"),
        heading("res", "Result"),
    )?;
    for line in &changes.lines {
        row(changes, line, &axis, to)?;
    }
    writeln!(to, "</tbody></table>")
}

fn heading(class: &str, words: &str) -> String {
    format!("<th role=\"columnheader\" scope=\"col\" class=\"{class}\">{words}</th>")
}

fn row(changes: &Changes, line: &Change, axis: &Axis, to: &mut dyn Write) -> io::Result<()> {
    let (from, other) = (changes.baseline, line.letter);
    // Which side a row compares is in the heading if there is only one.
    let side = if changes.others.len() == 1 { String::new() } else { format!("{} ", chip(other)) };
    let (name, definition) = (html(&line.name, NAME), html(&line.definition, NOTE));
    let title = match definition.as_str() {
        "" => String::new(),
        _ => format!(" title=\"{definition}\""),
    };
    let small = |words: &str| match html(words, NOTE) {
        words if words.is_empty() => words,
        words => format!("<small>{words}</small>"),
    };
    let (class, arrow) = match line.direction {
        Some(Outcome::Better) => (" better", if line.is_lower() { "▼ " } else { "▲ " }),
        Some(Outcome::Worse) => (" worse", if line.is_lower() { "▼ " } else { "▲ " }),
        Some(Outcome::SlightlyBetter | Outcome::SlightlyWorse) => {
            ("", if line.is_lower() { "▼ " } else { "▲ " })
        }
        _ => ("", ""),
    };
    let [a, b] = line.values.each_ref().map(|value| html(value, NAME));
    let (change, interval) = (html(&line.change, NAME), html(&line.interval, NAME));
    let key = if line.is_key { " class=\"key\"" } else { "" };
    writeln!(
        to,
        "<tr role=\"row\"{key}><th role=\"rowheader\" scope=\"row\"{title}><bdi>{name}</bdi>{}<span \
         class=\"sub\">{from} {a}, {other} {b}, {change}</span></th><td role=\"cell\" class=\"n ab\">{a}</td><td \
         role=\"cell\" class=\"n ab\">{side}{b}</td><td role=\"cell\" class=\"pc\">{}</td><td role=\"cell\" class=\"n \
         ab\">{change}</td><td role=\"cell\" class=\"n opt soft\">{interval}</td><td role=\"cell\" \
         class=\"res\"><span class=\"{}\">{arrow}{}</span>{}</td></tr>",
        small(line.note),
        drawing(axis, line),
        class.trim(),
        html(&line.result, NAME),
        small(&line.why),
    )
}

impl Change {
    fn is_lower(&self) -> bool {
        self.drawn.map_or_else(|| self.change.starts_with(MINUS), |drawn| drawn.at < 0.0)
    }
}

/// Returns the axis that all rows of a table share.
fn axis_of(lines: &[Change]) -> Axis {
    let drawn = lines.iter().filter_map(|line| line.drawn);
    let ends = drawn.flat_map(|drawn| {
        let (low, high) = drawn.interval.unwrap_or((drawn.at, drawn.at));
        [drawn.at, low, high]
    });
    Axis::changes("", ends)
}

fn labels(axis: &Axis) -> String {
    let mut fluid = Fluid::default();
    for (at, text) in axis.labels(LABELS) {
        fluid.word("", (at, 0.0), 11.0, "middle", &text);
    }
    fluid.hidden(14.0)
}

fn drawing(axis: &Axis, line: &Change) -> String {
    let mut fluid = Fluid::default();
    let middle = ROW / 2.0;
    if let Some(noise) = line.drawn.and_then(|drawn| drawn.noise) {
        let ends = (axis.place(-noise), axis.place(noise));
        fluid.bar("class=\"nf\"", ends, (3.0, ROW - 6.0), "noise floor");
    }
    for (at, text) in axis.labels(LABELS) {
        let class = if text == "0" { "zero" } else { "grid" };
        fluid.line(class, (at, -6.0), (at, ROW + 6.0));
    }
    let Some(drawn) = line.drawn else { return fluid.hidden(ROW) };
    let look = match line.direction {
        Some(Outcome::Better) => "g-better",
        Some(Outcome::Worse) => "g-worse",
        _ => "g-none",
    };
    if let Some((low, high)) = drawn.interval {
        let ends = (axis.place(low), axis.place(high));
        fluid.line(&format!("w {look}"), (ends.0, middle), (ends.1, middle));
    }
    let radius = if drawn.interval.is_some() { 4.5 } else { 2.5 };
    let x = percent(axis.place(drawn.at));
    fluid.add(&format!("<circle class=\"{look}\" cx=\"{x}\" cy=\"{middle}\" r=\"{radius}\"/>"));
    fluid.hidden(ROW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::Grid;
    use crate::report::document::comparison::RelativeChange;

    fn change(at: f64, interval: Option<(f64, f64)>) -> Change {
        Change {
            name: "p99".to_owned(),
            letter: 'B',
            note: "",
            definition: String::new(),
            values: ["2 ms".to_owned(), "1 ms".to_owned()],
            change: String::new(),
            interval: String::new(),
            result: "Better".to_owned(),
            why: String::new(),
            direction: Some(Outcome::Better),
            drawn: Some(RelativeChange { at, interval, noise: Some(0.2) }),
            is_key: true,
        }
    }

    #[test]
    fn a_row_has_values_drawing_and_result_and_no_drawing_without_a_baseline() {
        let mut changes = Changes {
            title: "Changes from A to B".to_owned(),
            note: String::new(),
            noise: "noise floor".to_owned(),
            baseline: 'A',
            others: vec!['B'],
            grid: Grid::default(),
            lines: vec![change(-0.5, Some((-0.6, -0.4)))],
        };
        let page = |changes: &Changes| {
            let mut bytes = Vec::new();
            write(changes, &mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        let drawn = page(&changes);
        assert!(drawn.contains("▼ Better") && drawn.contains("class=\"w g-better\""), "{drawn}");
        assert!(drawn.contains(">2 ms</td>") && drawn.contains("class=\"nf\""), "{drawn}");
        assert_eq!(drawn.matches(&chip('B')).count(), 1, "{drawn}");
        // Of several sides, each row has its own.
        let of_c = Change { letter: 'C', ..changes.lines[0].clone() };
        let several = Changes {
            others: vec!['B', 'C'],
            lines: vec![changes.lines[0].clone(), of_c],
            ..changes.clone()
        };
        let several = page(&several);
        for letter in ['B', 'C'] {
            assert!(several.contains(&format!("{} 1 ms</td>", chip(letter))), "{several}");
        }
        changes.lines[0].drawn = None;
        let empty = page(&changes);
        assert!(!empty.contains("<circle class=\"g-") && !empty.contains("nf\""), "{empty}");
    }
}
