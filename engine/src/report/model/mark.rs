//! The shapes of marks in plots and lists.

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
