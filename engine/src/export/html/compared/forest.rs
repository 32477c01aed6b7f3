//! The table of changes between the baseline and another run. All changes are drawn on one axis,
//! relative to the baseline's value, with their intervals and the noise floor.

use std::io::{self, Write};

use super::super::super::sanitize::{NAME, NOTE, html};
use super::super::fluid::{Fluid, percent};
use super::super::section;
use super::chip;
use crate::report::document::comparison::{Change, Changes};
use crate::stats::Outcome;
use crate::units::MINUS;

/// Relative changes at which the axis may have a label.
const TICKS: [f64; 25] = [
    -0.99, -0.95, -0.9, -0.8, -0.5, -0.25, -0.1, -0.05, -0.02, -0.01, 0.0, 0.01, 0.02, 0.05, 0.1,
    0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0,
];
/// Range of changes that are drawn: from 1/100 to about 1000 times the baseline's value.
const RANGE: (f64, f64) = (-0.99, 1_000.0);
/// Minimum extent of the axis to each side of 0, as a relative change: 5%.
const MIN_RANGE: f64 = 0.05;
/// Width that a label of the axis needs, as a share of the width of the axis.
const LABEL: f64 = 0.14;
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
    let axis = Axis::of(&changes.lines);
    let [from, other] = changes.letters;
    let title = html(&changes.title, NAME);
    writeln!(
        to,
        "<table role=\"table\" class=\"forest\"><caption class=\"hide\">{title}, with 95% confidence intervals and \
         results</caption><thead role=\"rowgroup\"><tr role=\"row\">{}{}{}<th role=\"columnheader\" scope=\"col\" \
         class=\"pc\"><span class=\"hide\">Change, drawn</span>{}</th>{}{}{}</tr></thead><tbody role=\"rowgroup\">",
        heading("", "Metric"),
        heading("n ab", &chip(from)),
        heading("n ab", &chip(other)),
        axis.labels(),
        heading("n ab", "Change"),
        heading("n opt", "95% CI"),
        heading("res", "Result"),
    )?;
    for line in &changes.lines {
        row(line, &axis, changes.letters, to)?;
    }
    writeln!(to, "</tbody></table>")
}

fn heading(class: &str, words: &str) -> String {
    format!("<th role=\"columnheader\" scope=\"col\" class=\"{class}\">{words}</th>")
}

fn row(line: &Change, axis: &Axis, [from, other]: [char; 2], to: &mut dyn Write) -> io::Result<()> {
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
         role=\"cell\" class=\"n ab\">{b}</td><td role=\"cell\" class=\"pc\">{}</td><td role=\"cell\" class=\"n \
         ab\">{change}</td><td role=\"cell\" class=\"n opt soft\">{interval}</td><td role=\"cell\" \
         class=\"res\"><span class=\"{}\">{arrow}{}</span>{}</td></tr>",
        small(line.note),
        axis.drawing(line),
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

/// The horizontal axis that all rows of a table share: the logarithm of the ratio of the new value
/// to the baseline's value.
struct Axis {
    from: f64,
    to: f64,
    /// The relative changes that have a label and a grid line.
    named: Vec<f64>,
}

fn position(share: f64) -> f64 {
    share.clamp(RANGE.0, RANGE.1).ln_1p()
}

impl Axis {
    fn of(lines: &[Change]) -> Self {
        let drawn = lines.iter().filter_map(|line| line.drawn);
        let ends = drawn.flat_map(|it| {
            let (low, high) = it.interval.unwrap_or((it.at, it.at));
            [it.at, low, high]
        });
        let (low, high) =
            ends.fold((-MIN_RANGE, MIN_RANGE), |(low, high), it| (low.min(it), high.max(it)));
        let (from, to) = (position(low), position(high));
        let room = (to - from) * 0.06;
        let mut axis = Self { from: from - room, to: to + room, named: Vec::new() };
        axis.named = axis.spaced();
        axis
    }

    /// Returns the values of [`TICKS`] that have room for a label, from 0 outward.
    fn spaced(&self) -> Vec<f64> {
        let zero = self.place(0.0);
        let is_inside = |at: f64| (0.03..=0.97).contains(&at);
        let mut named = vec![0.0];
        for side in [-1.0, 1.0] {
            let mut last = zero;
            let mut ticks: Vec<f64> = TICKS.into_iter().filter(|tick| 0.0 < tick * side).collect();
            ticks.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
            for tick in ticks {
                let at = self.place(tick);
                if LABEL <= (at - last).abs() && is_inside(at) {
                    last = at;
                    named.push(tick);
                }
            }
        }
        named
    }

    fn place(&self, share: f64) -> f64 {
        ((position(share) - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    fn labels(&self) -> String {
        let mut fluid = Fluid::default();
        for &tick in &self.named {
            let text = match tick {
                0.0 => "0".to_owned(),
                tick => format!("{:+.0}%", tick * 100.0).replace('-', &MINUS.to_string()),
            };
            fluid.word("", (self.place(tick), 0.0), 11.0, "middle", &text);
        }
        fluid.hidden(14.0)
    }

    fn drawing(&self, line: &Change) -> String {
        let mut fluid = Fluid::default();
        let middle = ROW / 2.0;
        if let Some(noise) = line.drawn.and_then(|drawn| drawn.noise) {
            let ends = (self.place(-noise), self.place(noise));
            fluid.bar("class=\"nf\"", ends, (3.0, ROW - 6.0), "noise floor");
        }
        for &tick in &self.named {
            let class = if tick == 0.0 { "zero" } else { "grid" };
            fluid.line(class, (self.place(tick), -6.0), (self.place(tick), ROW + 6.0));
        }
        let Some(drawn) = line.drawn else { return fluid.hidden(ROW) };
        let look = match line.direction {
            Some(Outcome::Better) => "g-better",
            Some(Outcome::Worse) => "g-worse",
            _ => "g-none",
        };
        if let Some((low, high)) = drawn.interval {
            fluid.line(&format!("w {look}"), (self.place(low), middle), (self.place(high), middle));
        }
        let radius = if drawn.interval.is_some() { 4.5 } else { 2.5 };
        let x = percent(self.place(drawn.at));
        fluid.add(&format!("<circle class=\"{look}\" cx=\"{x}\" cy=\"{middle}\" r=\"{radius}\"/>"));
        fluid.hidden(ROW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::Grid;
    use crate::report::document::comparison::RelativeChange;

    fn change(at: f64, interval: Option<(f64, f64)>) -> Change {
        Change {
            name: "p99".to_owned(),
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
    fn every_change_is_inside_the_axis_and_values_of_the_axis_have_room() {
        for (at, interval) in [
            (-0.953, Some((-0.972, -0.831))),
            (0.001, Some((-0.002, 0.004))),
            (40.0, Some((20.0, 90.0))),
            (-1.0, None),
            (1e9, None),
        ] {
            let lines = [change(at, interval)];
            let axis = Axis::of(&lines);
            let (low, high) = interval.unwrap_or((at, at));
            for share in [at, low, high].map(|share| share.clamp(RANGE.0, RANGE.1)) {
                let place = axis.place(share);
                assert!(0.02 < place && place < 0.98, "{share} is at {place}");
            }
            let mut places: Vec<f64> = axis.named.iter().map(|&tick| axis.place(tick)).collect();
            places.sort_by(f64::total_cmp);
            assert!(places.windows(2).all(|two| LABEL <= two[1] - two[0]), "{places:?}");
            assert!(axis.named.contains(&0.0) && 2 <= places.len(), "{at}: {:?}", axis.named);
        }
    }

    #[test]
    fn a_row_has_values_drawing_and_result_and_no_drawing_without_a_baseline() {
        let mut changes = Changes {
            title: "Changes from A to B".to_owned(),
            note: String::new(),
            noise: "noise floor".to_owned(),
            letters: ['A', 'B'],
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
        changes.lines[0].drawn = None;
        let empty = page(&changes);
        assert!(!empty.contains("<circle class=\"g-") && !empty.contains("nf\""), "{empty}");
    }
}
