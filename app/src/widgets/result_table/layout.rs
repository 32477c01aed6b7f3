//! How a page lays out a result table: which columns come first, which identify a row, and which
//! rows are compared.

/// The layout of a table. Columns are identified by their keys.
#[derive(Clone, Copy, Debug)]
pub struct TableLayout {
    /// The leading columns, which come first and are hidden last; the other columns follow as far
    /// as they fit.
    pub leading: &'static [&'static str],
    /// Columns that are hidden if all of their cells are the same, unless the user shows them.
    pub varying: &'static [&'static str],
    /// The columns that identify a row of the wide layout. This layout has one group of columns per
    /// value of the pivot column of the table. Empty for the normal layout, one row per
    /// configuration.
    pub rows: &'static [&'static str],
    /// The best and the worst value are marked among rows that have equal cells in these columns.
    /// `None` marks no values.
    pub compared: Option<&'static [&'static str]>,
}

impl TableLayout {
    /// Returns the layout with these leading columns and one row per configuration, in which no
    /// values are marked.
    pub const fn of(leading: &'static [&'static str]) -> Self {
        Self { leading, varying: &[], rows: &[], compared: None }
    }
}
