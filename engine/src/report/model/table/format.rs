//! What the cells of a column are, and how they are formatted.

use crate::units::Unit;

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Words.
    Text,
    /// Grades.
    Grade,
    /// Times in nanoseconds; the key ends in `_nanos`.
    Time,
    /// Counts; the key ends in `_count`.
    Count,
    /// Shares of 1; the key ends in `_share`.
    Share,
    /// Events per second; the key ends in `_fps` or `_per_second`.
    Rate,
    /// Numbers whose unit, if any, the key and the heading name.
    Number,
    /// The row defines the cell.
    Mixed,
}

/// How all cells of a column are formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Each cell has its own form and carries its unit.
    Own,
    /// Times in one unit; the heading names it.
    Time {
        /// The unit, never `Auto`.
        unit: Unit,
        /// The number of decimals.
        decimals: u32,
    },
    /// Grades by the words for the steps of the real-time test.
    Steps,
    /// Numbers with one number of decimals; the heading names the unit.
    Decimal {
        /// The unit; empty where there is none.
        unit: &'static str,
        /// The number of decimals.
        decimals: u32,
    },
}
