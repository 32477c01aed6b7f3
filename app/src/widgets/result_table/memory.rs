//! What the user set for a result table, stored across restarts: sort order, column widths, visible
//! columns, and unit.

use std::collections::BTreeMap;

use eframe::egui::{Context, Id};
use serde::{Deserialize, Serialize};

use crate::text::Unit;

/// What the user set for one table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// The name of the column by which the rows are sorted, and whether the highest value comes
    /// first; `None` for the order of the table.
    pub(super) sort: Option<(String, bool)>,
    /// Widths of columns, in points.
    pub(super) widths: BTreeMap<String, f32>,
    /// Whether the user showed or hid a column, by key; other columns are absent.
    pub(super) shown: BTreeMap<String, bool>,
    /// The unit of times; `None` for the default unit.
    pub(super) unit: Option<Unit>,
}

impl Memory {
    /// Loads the state of a table.
    pub(super) fn load(ctx: &Context, id: Id) -> Self {
        ctx.data_mut(|data| data.get_persisted(id)).unwrap_or_default()
    }

    /// Stores the state of a table if it changed.
    pub(super) fn store(self, ctx: &Context, id: Id, before: &Self) {
        if self != *before {
            ctx.data_mut(|data| data.insert_persisted(id, self));
            ctx.request_repaint();
        }
    }

    /// Changes the sort order after a click on a column's title: first click highest first, second
    /// click lowest first, third click the order of the table.
    pub(super) fn sort_by(&mut self, column: &str) {
        self.sort = match self.sort.take() {
            Some((of, true)) if of == column => Some((of, false)),
            Some((of, false)) if of == column => None,
            _ => Some((column.to_owned(), true)),
        };
    }

    /// Returns whether the rows are sorted by this column with the highest value first; `None` if
    /// they are not sorted by this column.
    pub(super) fn order_of(&self, column: &str) -> Option<bool> {
        self.sort.as_ref().filter(|(of, _)| of == column).map(|(_, is_descending)| *is_descending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_sorts_down_then_up_then_not_at_all() {
        let mut memory = Memory::default();
        let mut orders = Vec::new();
        for _ in 0..3 {
            memory.sort_by("p99_nanos");
            orders.push(memory.order_of("p99_nanos"));
        }
        assert_eq!(orders, [Some(true), Some(false), None]);
        memory.sort_by("p99_nanos");
        memory.sort_by("max_nanos");
        assert_eq!(
            (memory.order_of("p99_nanos"), memory.order_of("max_nanos")),
            (None, Some(true))
        );
    }
}
