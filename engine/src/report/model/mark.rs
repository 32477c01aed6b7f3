//! The shapes of marks in plots, legends, and lists.

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// A filled circle.
    Circle,
    /// A filled square.
    Square,
    /// A filled triangle, point up.
    TriangleUp,
    /// A filled triangle that points down; also marks missed frames and values beyond the axis.
    TriangleDown,
    /// A filled diamond.
    Diamond,
    /// Two crossed diagonal strokes.
    Cross,
    /// A vertical and a horizontal stroke, crossed.
    Plus,
    /// An open circle.
    Ring,
    /// An open diamond.
    HollowDiamond,
    /// An open square.
    HollowSquare,
    /// An open triangle, point up.
    HollowTriangle,
}

/// A point of an outline, in radii of the mark: x to the right, y downward.
type Corner = (f32, f32);

impl Mark {
    /// All marks.
    pub const ALL: [Self; 11] = [
        Self::Circle,
        Self::Square,
        Self::TriangleUp,
        Self::TriangleDown,
        Self::Diamond,
        Self::Cross,
        Self::Plus,
        Self::Ring,
        Self::HollowDiamond,
        Self::HollowSquare,
        Self::HollowTriangle,
    ];

    /// Whether the mark is filled; otherwise, it consists of strokes.
    pub const fn is_filled(self) -> bool {
        !matches!(
            self,
            Self::Cross
                | Self::Plus
                | Self::Ring
                | Self::HollowDiamond
                | Self::HollowSquare
                | Self::HollowTriangle
        )
    }

    /// Returns the polygons of the mark, or its strokes, which have two points each. A circle has none.
    pub const fn outlines(self) -> &'static [&'static [Corner]] {
        match self {
            Self::Circle | Self::Ring => &[],
            Self::Square => &[&[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]],
            Self::TriangleUp => &[&[(-1.2, 1.0), (0.0, -1.0), (1.2, 1.0)]],
            Self::TriangleDown => &[&[(-1.2, -1.0), (1.2, -1.0), (0.0, 1.0)]],
            Self::Diamond => &[&[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)]],
            Self::Cross => &[&[(-1.0, -1.0), (1.0, 1.0)], &[(-1.0, 1.0), (1.0, -1.0)]],
            Self::Plus => &[&[(0.0, -1.0), (0.0, 1.0)], &[(-1.0, 0.0), (1.0, 0.0)]],
            Self::HollowDiamond => &[&[(0.0, -1.1), (1.1, 0.0), (0.0, 1.1), (-1.1, 0.0)]],
            Self::HollowTriangle => &[&[(-1.1, 0.9), (0.0, -1.0), (1.1, 0.9)]],
            Self::HollowSquare => &[&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]],
        }
    }
}
