//! A drawing with axes. On a page, it adapts to the width of its column: x is in percent, y and font
//! sizes are in pixels, so that text is never scaled. In a separate file, x is in pixels too.

use super::super::sanitize::{NAME, NOTE, html};
use super::marks;
use crate::report::chart::{Axis, Chart, Limit};

/// The length of an axis of values in labels.
const AXIS_LENGTH: f64 = 5.0;
/// The height of a row name, with the space between two names, in pixels.
const NAME_HEIGHT: f64 = 27.9;
/// Maximum number of axis labels: first for a narrow plot (a half or third of the page's width), then for a
/// plot of the full width.
const LABELS: [usize; 2] = [5, 10];
/// Maximum number of axis labels on a phone if the plot has row names.
const LABELS_BY_NAMES: usize = 3;

/// The mark of a baseline.
const STAR: &str = "★";
/// SVG attributes of texts in a file, which has no style sheet.
pub(super) const TEXT: &str = " font-size='11' fill='#5b6472'";
/// SVG attributes of lines in a file, by class.
const LINES: [(&str, &str); 3] = [
    ("grid", " stroke='#d9dde3' stroke-width='.6'"),
    ("axis", " stroke='#5b6472' stroke-width='.8'"),
    ("late", " stroke='#b3261e' stroke-width='.8' stroke-dasharray='2 3'"),
];

/// A drawing as wide as its column, or with its ends at two x coordinates of a file, in pixels.
#[derive(Debug, Default)]
pub(in crate::export) struct Fluid {
    pub(super) body: String,
    ends: Option<(f64, f64)>,
}

impl Fluid {
    /// Creates the drawing of a file, which reaches from one x coordinate to another.
    pub(super) const fn fixed(ends: (f64, f64)) -> Self {
        Self { body: String::new(), ends: Some(ends) }
    }

    /// Adds an SVG element to the drawing.
    pub(in crate::export) fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    fn x(&self, share: f64) -> String {
        match self.ends {
            Some((left, right)) => format!("{:.1}", left + (right - left) * share),
            None => percent(share),
        }
    }

    /// Adds a line between two points whose x is a share of the width.
    pub(in crate::export) fn line(
        &mut self,
        class: &str,
        (x1, y1): (f64, f64),
        (x2, y2): (f64, f64),
    ) {
        let (x1, x2) = (self.x(x1), self.x(x2));
        let own = LINES.iter().find(|(name, _)| self.ends.is_some() && *name == class);
        let look = own.map_or("", |(_, look)| look);
        self.add(&format!(
            "<line class=\"{class}\"{look} x1=\"{x1}\" x2=\"{x2}\" y1=\"{y1:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// Adds a bar from `x1` to `x2`, which are shares of the width. `look` is the SVG attributes of the bar, and
    /// `title` is its tooltip.
    pub(in crate::export) fn bar(
        &mut self,
        look: &str,
        (x1, x2): (f64, f64),
        (top, height): (f64, f64),
        title: &str,
    ) {
        let (x, width) = (percent(x1), percent((x2 - x1).max(0.0)));
        let title = html(title, NOTE);
        self.add(&format!(
            "<rect {look} x=\"{x}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height:.1}\"><title>{title}</title></rect>"
        ));
    }

    /// Adds a label at a share of the width, moved to the right by `dx` pixels.
    pub(in crate::export) fn word(
        &mut self,
        class: &str,
        (x, dx): (f64, f64),
        y: f64,
        anchor: &str,
        text: &str,
    ) {
        if text.is_empty() {
            return;
        }
        let text = html(text, NAME);
        // Some programs that show a file apply `dx` twice to a text that does not begin at `x`.
        let (x, look) = match self.ends {
            Some((left, right)) => (format!("x=\"{:.1}\"", left + (right - left) * x + dx), TEXT),
            None => (format!("x=\"{}\" dx=\"{dx}\"", percent(x)), ""),
        };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.add(&format!(
            "<text{class}{look} {x} y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// Adds an SVG body drawn in a box of 1000 by `height`, stretched to the width of the drawing.
    pub(in crate::export) fn stretched(&mut self, height: f64, body: &str) {
        self.add(&format!(
            "<svg class=\"fit\" width=\"100%\" height=\"{height}\" viewBox=\"0 0 1000 {height}\" \
             preserveAspectRatio=\"none\">{body}</svg>"
        ));
    }

    /// Draws a plot between `top` and `bottom`: axes, marks, and limits.
    pub(in crate::export) fn plot(&mut self, chart: &Chart, (top, bottom): (f64, f64)) {
        let has_names = !chart.y.names.is_empty();
        self.x_axis(&chart.x, (top, bottom), chart.is_half, has_names);
        self.y_axis(&chart.y, (top, bottom));
        match self.ends {
            None => self.stretched(bottom, &marks(chart, (1_000.0, bottom), top)),
            Some((left, right)) => {
                let marks = marks(chart, (right - left, bottom), top);
                self.add(&format!("<g transform='translate({left:.1} 0)'>{marks}</g>"));
                self.line("axis", (0.0, top), (0.0, bottom));
                self.word("", (0.0, 4.0 - left), top - 8.0, "start", chart.y.title);
            }
        }
        let (vertical, level): (Vec<&Limit>, Vec<&Limit>) =
            chart.limits.iter().partition(|limit| limit.is_vertical);
        // Labels of neighboring limits are on different lines, so that they do not overlap.
        for (limit, line) in vertical.into_iter().zip([0.0, 11.0, 22.0].into_iter().cycle()) {
            let Some(at) = place_inside(&chart.x, limit) else { continue };
            let (dx, anchor) = if 0.7 < at { (-4.0, "end") } else { (4.0, "start") };
            self.line("late", (at, top), (at, bottom));
            self.word("tl halo", (at, dx), top - 3.0 + line, anchor, &limit.label);
        }
        for limit in level {
            let Some(at) = place_inside(&chart.y, limit) else { continue };
            let y = bottom - (bottom - top) * at;
            self.line("late", (0.0, y), (1.0, y));
            self.word("tl halo", (1.0, -2.0), y - 4.0, "end", &limit.marked_label(STAR));
        }
        if !chart.is_half || self.ends.is_some() {
            self.word("", (1.0, 0.0), bottom + 30.0, "end", chart.x.title);
        }
    }

    /// Adds grid lines and labels of the horizontal axis. On a phone, a plot with row names has fewer labels.
    pub(in crate::export) fn x_axis(
        &mut self,
        axis: &Axis,
        (top, bottom): (f64, f64),
        is_half: bool,
        has_names: bool,
    ) {
        let ticks = axis.labels(AXIS_LENGTH);
        let most = if is_half { LABELS[0] } else { LABELS[1] };
        let step = ticks.len().div_ceil(most).max(1);
        // If a phone has no room for all labels, it shows every second one: the others have the class `wide`.
        let on_phone = if has_names { LABELS_BY_NAMES } else { LABELS[0] };
        let spare = 2 * step * usize::from(on_phone * step < ticks.len());
        for ((at, text), number) in ticks.into_iter().zip(0_usize..) {
            self.line("grid", (at, top), (at, bottom));
            if number.is_multiple_of(step) {
                let anchor = if at < 0.03 {
                    "start"
                } else if 0.97 < at {
                    "end"
                } else {
                    "middle"
                };
                let is_spare = 0 < spare && !number.is_multiple_of(spare);
                let class = if is_spare { "wide" } else { "" };
                self.word(class, (at, 0.0), bottom + 15.0, anchor, &text);
            }
        }
        self.line("axis", (0.0, bottom), (1.0, bottom));
    }

    /// Adds grid lines and labels, or row names, of the vertical axis.
    pub(in crate::export) fn y_axis(&mut self, axis: &Axis, (top, bottom): (f64, f64)) {
        let has_names = !axis.names.is_empty();
        let length = if has_names { (bottom - top) / NAME_HEIGHT } else { AXIS_LENGTH };
        for (share, text) in axis.labels(length) {
            // Rows are numbered from top to bottom; values increase from bottom to top.
            let share = if has_names { share } else { 1.0 - share };
            let y = top + (bottom - top) * share;
            if !has_names {
                self.line("grid", (0.0, y), (1.0, y));
            }
            self.word("", (0.0, -8.0), y + 4.0, "end", &shortened(&text));
        }
    }

    /// Returns the drawing, hidden from screen readers: text next to it contains the same information.
    pub(in crate::export) fn hidden(self, height: f64) -> String {
        format!("<svg height=\"{height}\" aria-hidden=\"true\">\n{}</svg>", self.body)
    }

    /// Returns the drawing with its title and a sentence about its content, `finding`, for screen readers.
    pub(in crate::export) fn finish(self, height: f64, title: &str, finding: &str) -> String {
        let (title, finding, body) = (html(title, NAME), html(finding, NOTE), self.body);
        format!(
            "<svg height=\"{height}\" role=\"img\" aria-label=\"{title}\"><desc>{finding}</desc>\n{body}</svg>"
        )
    }
}

/// Returns the position of a limit on its axis, from 0 to 1; `None` if it is outside.
fn place_inside(axis: &Axis, limit: &Limit) -> Option<f64> {
    (axis.from <= limit.at && limit.at <= axis.to).then(|| axis.place(limit.at))
}

/// Maximum number of characters of a row name next to a plot.
pub(in crate::export) const NAME_LETTERS: usize = 36;

/// Shortens a row name to at most [`NAME_LETTERS`] characters.
fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME_LETTERS {
        return name.to_owned();
    }
    name.chars().take(NAME_LETTERS - 1).chain(['…']).collect()
}

/// Formats a share of the width as a percentage.
pub(in crate::export) fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}
