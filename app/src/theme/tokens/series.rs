//! Styles of series: color, dash, and marker go together, so that color is never the only cue.

use eframe::egui::{Color32, Pos2, Shape, Stroke};

/// The style of one series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series {
    /// Its letter, A to H.
    pub letter: char,
    /// Its color in the current theme.
    pub color: Color32,
    /// Its dash pattern.
    pub dash: Dash,
    /// The shape of its points.
    pub mark: Mark,
    /// How much thicker its lines are than in the design.
    weight: f32,
}

impl Series {
    /// The series of that number, from the colors of a theme.
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

    /// A line of this width in its color; thicker in high contrast.
    pub fn stroke(self, width: f32) -> Stroke {
        Stroke::new(width * self.weight, self.color)
    }
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A filled circle.
    Circle,
    /// A filled square.
    Square,
    /// A filled triangle, point up.
    TriangleUp,
    /// A filled triangle, point down; also marks missed or cut-off values.
    TriangleDown,
    /// A filled diamond.
    Diamond,
    /// Two crossed strokes.
    Cross,
    /// A vertical and a level stroke, crossed.
    Plus,
    /// An open circle.
    Ring,
    /// An open diamond.
    HollowDiamond,
    /// An open square.
    HollowSquare,
}

/// Dash pattern: lengths in points, drawn and skipped alternately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dash {
    drawn: &'static [f32],
    skipped: &'static [f32],
}

impl Dash {
    /// An unbroken line: A and E.
    pub const SOLID: Self = Self { drawn: &[], skipped: &[] };
    /// 6 drawn, 3 not: B and F.
    pub const DASHED: Self = Self { drawn: &[6.0], skipped: &[3.0] };
    /// 2 drawn, 3 not: C and G.
    pub const DOTTED: Self = Self { drawn: &[2.0], skipped: &[3.0] };
    /// 12 drawn, 7 not: D and H.
    pub const LONG: Self = Self { drawn: &[12.0], skipped: &[7.0] };
    /// 5 drawn, 4 not: target and limit lines.
    pub const LIMIT: Self = Self { drawn: &[5.0], skipped: &[4.0] };

    /// Lengths that are drawn, in points; none of an unbroken line.
    pub const fn drawn(self) -> &'static [f32] {
        self.drawn
    }

    /// Whether the line is unbroken.
    pub const fn is_solid(self) -> bool {
        self.drawn.is_empty()
    }

    /// The line through the points of a path.
    pub fn line(self, path: &[Pos2], stroke: impl Into<Stroke>) -> Vec<Shape> {
        if self.is_solid() {
            vec![Shape::line(path.to_vec(), stroke.into())]
        } else {
            Shape::dashed_line_with_offset(path, stroke, self.drawn, self.skipped, 0.0)
        }
    }
}
