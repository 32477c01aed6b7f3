//! The kinds of value in the cells of a column, and their formats as text.

use crate::units::Unit;

/// The kind of value in the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Texts.
    Text,
    /// Grades.
    Grade,
    /// Times in nanoseconds; the key ends in `_nanos`.
    Time,
    /// Counts; the key ends in `_count`.
    Count,
    /// Shares (1.0 is 100%); the key ends in `_share`.
    Share,
    /// Events per second; the key ends in `_fps` or `_per_second`.
    Rate,
    /// Numbers; the key and the heading name their unit, if they have one.
    Number,
    /// A different kind of value in each row; each cell has its own type.
    Mixed,
}

/// The format of all cells of a column as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Each cell has the format that suits it and includes its unit.
    Own,
    /// Times that are all in one unit, which the heading shows instead of the cells.
    Time {
        /// The unit; never `Auto`.
        unit: Unit,
        /// The number of decimals.
        decimals: u32,
    },
    /// Changes, with a sign before each of them.
    Signed,
    /// Grades in the words of the real-time test, such as Modest.
    Steps,
    /// Numbers that all have the same number of decimals; the heading shows the unit instead of the cells.
    Decimal {
        /// The unit; empty if there is none.
        unit: &'static str,
        /// The number of decimals.
        decimals: u32,
    },
}
