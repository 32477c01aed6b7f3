//! How a page lays out a result table: what is shown first, what identifies a row, what is compared.

/// How a page lays out a table. Columns are named by their keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableLayout {
    /// The columns that come first and are always shown; the others follow while there is room.
    pub leading: &'static [&'static str],
    /// Leading columns that are hidden while their cells are all the same.
    pub varying: &'static [&'static str],
    /// The columns that identify a row of the wide layout, which has one group of columns per value of
    /// the pivot. Empty where the table has one row per configuration.
    pub rows: &'static [&'static str],
    /// The columns that must agree for rows to be compared; absent where no cell is marked as the best.
    pub compared: Option<&'static [&'static str]>,
}
