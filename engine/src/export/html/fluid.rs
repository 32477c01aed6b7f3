//! A drawing that adapts to the width of its column: x is in percent, y and font sizes are in
//! pixels, so that text is never scaled.

use super::super::sanitize::{NAME, NOTE, html};
use super::super::svg::axis::{self, shortened, ticks, ticks_down};
use crate::report::chart::Axis;

/// Maximum number of axis labels: first for a narrow plot (a half or third of the page's width), then for a
/// plot of the full width.
const LABELS: [usize; 2] = [5, 10];
/// Maximum number of axis labels on a phone if the plot has row names.
const LABELS_BY_NAMES: usize = 3;

/// An SVG drawing of variable width.
#[derive(Debug, Default)]
pub(super) struct Fluid {
    body: String,
}

impl Fluid {
    /// Adds an SVG element to the drawing.
    pub(super) fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// Adds a line between two points whose x is a share of the width.
    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let (x1, x2) = (percent(x1), percent(x2));
        self.add(&format!(
            "<line class=\"{class}\" x1=\"{x1}\" x2=\"{x2}\" y1=\"{y1:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// Adds a bar from `x1` to `x2`, which are shares of the width. `look` is the SVG attributes of the bar, and
    /// `title` is its tooltip.
    pub(super) fn bar(
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
    pub(super) fn word(
        &mut self,
        class: &str,
        (x, dx): (f64, f64),
        y: f64,
        anchor: &str,
        text: &str,
    ) {
        let (x, text) = (percent(x), html(text, NAME));
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.add(&format!(
            "<text{class} x=\"{x}\" dx=\"{dx}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// Adds an SVG body drawn in a box of 1000 by `height`, stretched to the width of the drawing.
    pub(super) fn stretched(&mut self, height: f64, body: &str) {
        self.add(&format!(
            "<svg class=\"fit\" width=\"100%\" height=\"{height}\" viewBox=\"0 0 1000 {height}\" \
             preserveAspectRatio=\"none\">{body}</svg>"
        ));
    }

    /// Adds grid lines and labels of the horizontal axis. On a phone, a plot with row names has fewer labels.
    pub(super) fn x_axis(
        &mut self,
        axis: &Axis,
        (top, bottom): (f64, f64),
        is_half: bool,
        has_names: bool,
    ) {
        let ticks = ticks(axis, axis::LABELS);
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
    pub(super) fn y_axis(&mut self, axis: &Axis, (top, bottom): (f64, f64)) {
        for (share, text) in ticks_down(axis, bottom - top) {
            let y = top + (bottom - top) * share;
            if axis.names.is_empty() {
                self.line("grid", (0.0, y), (1.0, y));
            }
            self.word("", (0.0, -8.0), y + 4.0, "end", &shortened(&text, NAME_LETTERS));
        }
    }

    /// Returns the drawing, hidden from screen readers: text next to it contains the same information.
    pub(super) fn hidden(self, height: f64) -> String {
        format!("<svg height=\"{height}\" aria-hidden=\"true\">\n{}</svg>", self.body)
    }

    /// Returns the drawing with its title and a sentence about its content, `finding`, for screen readers.
    pub(super) fn finish(self, height: f64, title: &str, finding: &str) -> String {
        let (title, finding, body) = (html(title, NAME), html(finding, NOTE), self.body);
        format!(
            "<svg height=\"{height}\" role=\"img\" aria-label=\"{title}\"><desc>{finding}</desc>\n{body}</svg>"
        )
    }
}

/// Maximum number of characters of a row name next to a plot.
pub(super) const NAME_LETTERS: usize = 36;

/// Formats a share of the width as a percentage.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}
