//! A small drawing: axes, lines and words as SVG, its colors left to the page's style.

use std::fmt::Write as _;

use super::harmless;

/// Width and height of a drawing, in pixels on a wide page, so that its labels are as large as the
/// text around it: full width, and half width.
pub(super) const WIDE: (f64, f64) = (950.0, 280.0);
pub(super) const HALF: (f64, f64) = (460.0, 230.0);
/// Room around the plot for the labels of its axes: left, top, right, bottom.
const ROOM: (f64, f64, f64, f64) = (62.0, 12.0, 26.0, 32.0);
/// Color and dash of each series where the page's style is not heeded.
const SERIES: [(&str, &str); 4] =
    [("#0b6fb8", "none"), ("#b45a00", "6 3"), ("#1d6b4a", "2 2"), ("#7a4fb5", "8 2 2 2")];
/// How words, grid and frame look where it is not.
const WORDS: &str = "font-size='11' fill='#5b6472'";
const GRID: &str = "class='grid' fill='none' stroke='#d9dde3' stroke-width='.6'";
const FRAME: &str = "class='frame' fill='none' stroke='#5b6472' stroke-width='.8'";
const LEVEL: &str =
    "class='level' fill='none' stroke='#b3261e' stroke-width='.8' stroke-dasharray='2 3'";

/// How a value becomes a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    Linear,
    /// Decades; values that are not above 0 are at the lower end.
    Log,
}

/// One direction of a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) scale: Scale,
}

impl Axis {
    /// Position of a value, 0 to 1, clamped to the ends.
    fn place(self, value: f64) -> f64 {
        let of = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Log => value.max(1e-12).log10(),
        };
        let (from, to) = (of(self.from), of(self.to));
        let share = (of(value) - from) / (to - from);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Labels of the axis: decades, or about five round steps.
    pub(super) fn ticks(self) -> Vec<f64> {
        let mut ticks = Vec::new();
        let range = self.to - self.from;
        if !range.is_finite() || range <= 0.0 {
            return ticks;
        }
        let mut at = match self.scale {
            Scale::Log => 10_f64.powf(self.from.max(1e-12).log10().ceil()),
            Scale::Linear => {
                let step = step(range);
                (self.from / step).ceil() * step
            }
        };
        while at <= self.to * (1.0 + 1e-9) && ticks.len() < 24 {
            ticks.push(at);
            at = match self.scale {
                Scale::Log => at * 10.0,
                Scale::Linear => at + step(range),
            };
        }
        ticks
    }
}

/// A round step that divides a range into about five.
fn step(range: f64) -> f64 {
    let rough = range / 5.0;
    let decade = 10_f64.powf(rough.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| rough <= times * decade);
    times.unwrap_or(10.0) * decade
}

/// A plot that is being drawn.
#[derive(Debug)]
pub(super) struct Plot {
    body: String,
    size: (f64, f64),
    x: Axis,
    y: Axis,
}

impl Plot {
    /// An empty plot with its axes; `x_word` and `y_word` format their labels.
    pub(super) fn new(
        size: (f64, f64),
        x: Axis,
        y: Axis,
        x_word: impl Fn(f64) -> String,
        y_word: impl Fn(f64) -> String,
    ) -> Self {
        let mut plot = Self { body: String::new(), size, x, y };
        let (left, top) = (ROOM.0, ROOM.1);
        let (right, bottom) = (size.0 - ROOM.2, size.1 - ROOM.3);
        for value in x.ticks() {
            let at = plot.across(value);
            plot.add(&format!("<path {GRID} d='M{at:.1} {top}V{bottom}'/>"));
            let word = harmless::html(&x_word(value), harmless::NAME);
            plot.add(&format!(
                "<text x='{at:.1}' y='{:.1}' text-anchor='middle' {WORDS}>{word}</text>",
                bottom + 18.0
            ));
        }
        for value in y.ticks() {
            let at = plot.down(value);
            plot.add(&format!("<path {GRID} d='M{left} {at:.1}H{right}'/>"));
            let word = harmless::html(&y_word(value), harmless::NAME);
            plot.add(&format!(
                "<text x='{:.1}' y='{:.1}' text-anchor='end' {WORDS}>{word}</text>",
                left - 8.0,
                at + 4.0
            ));
        }
        plot.add(&format!("<path {FRAME} d='M{left} {top}V{bottom}H{right}'/>"));
        plot
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    fn across(&self, value: f64) -> f64 {
        ROOM.0 + (self.size.0 - ROOM.0 - ROOM.2) * self.x.place(value)
    }

    fn down(&self, value: f64) -> f64 {
        self.size.1 - ROOM.3 - (self.size.1 - ROOM.1 - ROOM.3) * self.y.place(value)
    }

    /// A line through points; `series` is its color and dash, from 0.
    pub(super) fn line(&mut self, series: usize, points: impl Iterator<Item = (f64, f64)>) {
        let mut path = String::new();
        for (x, y) in points {
            let letter = if path.is_empty() { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ok = write!(path, "{letter}{:.1} {:.1}", self.across(x), self.down(y));
        }
        if !path.is_empty() {
            self.add(&format!("<path {} d='{path}'/>", stroke(series)));
        }
    }

    /// A level line across the plot with a word on it.
    pub(super) fn level(&mut self, value: f64, word: &str) {
        if value < self.y.from || self.y.to < value {
            return;
        }
        let (left, right) = (ROOM.0, self.size.0 - ROOM.2);
        let at = self.down(value);
        let word = harmless::html(word, harmless::NAME);
        self.add(&format!("<path {LEVEL} d='M{left} {at:.1}H{right}'/>"));
        self.add(&format!(
            "<text x='{:.1}' y='{:.1}' text-anchor='end' {WORDS}>{word}</text>",
            right - 4.0,
            at - 4.0
        ));
    }

    /// The drawing; `title` describes it for screen readers.
    pub(super) fn finish(self, title: &str) -> String {
        let title = harmless::html(title, harmless::NAME);
        format!(
            "<svg viewBox='0 0 {} {}' role='img' \
             aria-label='{title}'>\n<title>{title}</title>\n{}</svg>",
            self.size.0, self.size.1, self.body
        )
    }
}

/// The legend: names with their lines.
pub(super) fn legend<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::from("<p class='legend'>");
    for (label, series) in labels.zip(0_usize..) {
        let label = harmless::html(label, harmless::NAME);
        text.push_str(&format!(
            "<span><svg class='key' viewBox='0 0 28 8'><path {} d='M0 4H28'/></svg> \
             <bdi>{label}</bdi></span> ",
            stroke(series)
        ));
    }
    text.push_str("</p>");
    text
}

/// How the line of a series is drawn.
fn stroke(series: usize) -> String {
    let (color, dash) = SERIES.get(series % SERIES.len()).copied().unwrap_or(("#000", "none"));
    format!(
        "class='line s{}' fill='none' stroke='{color}' stroke-width='1.4' \
         stroke-dasharray='{dash}'",
        series % SERIES.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let axis = |from, to, scale| Axis { from, to, scale }.ticks();
        assert_eq!(axis(0.0, 10.0, Scale::Linear), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(axis(100.0, 20_000.0, Scale::Log), [100.0, 1_000.0, 10_000.0]);
        assert!(axis(0.0, f64::NAN, Scale::Linear).is_empty());
        assert!(axis(5.0, 5.0, Scale::Linear).is_empty());
    }

    #[test]
    fn what_is_outside_or_no_number_is_drawn_at_the_edge() {
        let axis = Axis { from: 1.0, to: 100.0, scale: Scale::Log };
        for (value, place) in [(-5.0, 0.0), (10.0, 0.5), (1e308, 1.0), (f64::NAN, 0.0)] {
            assert!((axis.place(value) - place).abs() < 1e-12, "{value}");
        }
    }
}
