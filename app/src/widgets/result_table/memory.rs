//! What the window remembers of a table from one start to the next: its order, its widths, its columns.

use std::collections::BTreeMap;

use eframe::egui::{Context, Id};
use serde::{Deserialize, Serialize};

use crate::text::Unit;

/// What the user set for one table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// The column that the rows are sorted by, and whether the highest value comes first.
    pub(super) sort: Option<(String, bool)>,
    /// Widths of columns, in points.
    pub(super) widths: BTreeMap<String, f32>,
    /// Columns that were shown or hidden, by key.
    pub(super) shown: BTreeMap<String, bool>,
    /// The unit of times; absent where the settings choose it.
    pub(super) unit: Option<Unit>,
}

impl Memory {
    /// Reads it.
    pub(super) fn load(ctx: &Context, id: Id) -> Self {
        ctx.data_mut(|data| data.get_persisted(id)).unwrap_or_default()
    }

    /// Writes it where it changed.
    pub(super) fn store(self, ctx: &Context, id: Id, before: &Self) {
        if self != *before {
            ctx.data_mut(|data| data.insert_persisted(id, self));
            ctx.request_repaint();
        }
    }

    /// Sorts by a column: highest first, lowest first, and back to the original order.
    pub(super) fn sort_by(&mut self, column: &str) {
        self.sort = match self.sort.take() {
            Some((of, true)) if of == column => Some((of, false)),
            Some((of, false)) if of == column => None,
            _ => Some((column.to_owned(), true)),
        };
    }

    /// Returns whether the highest value of a sorted column comes first; `None` where it is not sorted.
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
