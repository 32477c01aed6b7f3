//! Styles of series. Each combines a color with a dash pattern and a marker, so that color is never
//! the only cue.

use eframe::egui::{Color32, Pos2, Shape, Stroke};
pub use jitterscope_engine::report::Mark;

/// The style of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series {
    /// The letter of the series, A to H.
    pub letter: char,
    /// The color in the current theme.
    pub color: Color32,
    /// The dash pattern of the line.
    pub dash: Dash,
    /// The marker of points.
    pub mark: Mark,
    /// Factor for the width of lines: 1 in standard contrast, more in high contrast.
    weight: f32,
}

impl Series {
    /// Returns the style of the series with this index; `colors` are those of the series A to H in
    /// the current theme.
    pub(super) fn new(index: usize, colors: [Color32; 8], weight: f32) -> Self {
        let rest = [
            ('A', Dash::SOLID, Mark::Circle),
            ('B', Dash::DASHED, Mark::Square),
            ('C', Dash::DOTTED, Mark::TriangleUp),
            ('D', Dash::LONG, Mark::Diamond),
            ('E', Dash::SOLID, Mark::TriangleDown),
            ('F', Dash::DASHED, Mark::Cross),
            ('G', Dash::DOTTED, Mark::Plus),
            ('H', Dash::LONG, Mark::Circle),
        ];
        let [first, ..] = rest;
        let at = index % rest.len();
        let (letter, dash, mark) = rest.get(at).copied().unwrap_or(first);
        let color = colors.get(at).copied().unwrap_or_default();
        Self { letter, color, dash, mark, weight }
    }

    /// Returns a stroke in the color of the series. `width` is in points; in high contrast, the
    /// stroke is wider.
    pub fn stroke(self, width: f32) -> Stroke {
        Stroke::new(width * self.weight, self.color)
    }
}

/// Dash pattern: lengths in points, drawn and skipped alternately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dash {
    drawn: &'static [f32],
    skipped: &'static [f32],
}

impl Dash {
    /// A solid line, for the series A and E.
    pub const SOLID: Self = Self { drawn: &[], skipped: &[] };
    /// 6 points drawn, 3 skipped, for the series B and F.
    pub const DASHED: Self = Self { drawn: &[6.0], skipped: &[3.0] };
    /// 2 points drawn, 3 skipped, for the series C and G.
    pub const DOTTED: Self = Self { drawn: &[2.0], skipped: &[3.0] };
    /// 12 points drawn, 7 skipped, for the series D and H.
    pub const LONG: Self = Self { drawn: &[12.0], skipped: &[7.0] };
    /// 5 points drawn, 4 skipped, for target and limit lines.
    pub const LIMIT: Self = Self { drawn: &[5.0], skipped: &[4.0] };

    /// Returns the lengths that are drawn, in points; empty for a solid line.
    pub const fn drawn(self) -> &'static [f32] {
        self.drawn
    }

    /// Returns the shapes of a line along a path.
    pub fn line(self, path: &[Pos2], stroke: impl Into<Stroke>) -> Vec<Shape> {
        if self.drawn.is_empty() {
            vec![Shape::line(path.to_vec(), stroke.into())]
        } else {
            Shape::dashed_line_with_offset(path, stroke, self.drawn, self.skipped, 0.0)
        }
    }
}
