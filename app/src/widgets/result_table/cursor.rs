//! The keyboard cursor of a table. Arrow keys move the cursor from cell to cell; the Tab key stops
//! at the table only once.

use eframe::egui::{Context, Event, EventFilter, Id, Key, Modifiers, Ui};

/// The cell at the keyboard cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The row, counted from the top as displayed: 0 is the header, 1 the first row.
    pub(super) row: usize,
    /// The column, counted from the left among the visible columns; 0 is the first one.
    pub(super) column: usize,
    /// Whether a key moved the cursor to this cell, and not a click. If so, the tooltip of the cell
    /// is shown.
    pub(super) is_by_key: bool,
}

/// A key press that acts on the cell at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pressed {
    /// Sorts by the column if the cursor is in the header; otherwise opens or selects the row.
    Enter,
    /// Sorts if the cursor is in the header; otherwise plots the row, or selects it if the rows of
    /// the table cannot be plotted.
    Space,
    /// Copies the table to the clipboard.
    Copy,
}

impl Cursor {
    /// Returns the stored cursor of the table with this ID; the default is the first column's
    /// title.
    pub(super) fn load(ctx: &Context, id: Id) -> Self {
        ctx.data(|data| data.get_temp(id)).unwrap_or_default()
    }

    /// Stores the cursor of a table.
    pub(super) fn store(self, ctx: &Context, id: Id) {
        ctx.data_mut(|data| data.insert_temp(id, self));
    }

    /// Moves the cursor if arrow, page, Home, or End keys were pressed. Returns the key press that
    /// acts on the cell, if any. `grid` is the ID of the table; `rows` does not count the header.
    pub(super) fn take_keys(
        &mut self,
        ui: &Ui,
        grid: Id,
        rows: usize,
        columns: usize,
    ) -> Option<Pressed> {
        let filter = EventFilter {
            horizontal_arrows: true,
            vertical_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(grid, filter));
        let (last_row, last_column) = (rows, columns.saturating_sub(1));
        let before = (self.row, self.column);
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let page = 10;
        for (key, row, column) in [
            (Key::ArrowDown, self.row + 1, self.column),
            (Key::ArrowUp, self.row.saturating_sub(1), self.column),
            (Key::ArrowRight, self.row, self.column + 1),
            (Key::ArrowLeft, self.row, self.column.saturating_sub(1)),
            (Key::PageDown, self.row + page, self.column),
            (Key::PageUp, self.row.saturating_sub(page), self.column),
            (Key::Home, self.row, 0),
            (Key::End, self.row, last_column),
        ] {
            if pressed(key) {
                (self.row, self.column) = (row, column);
                self.is_by_key = true;
            }
        }
        (self.row, self.column) = (self.row.min(last_row), self.column.min(last_column));
        if before != (self.row, self.column) {
            ui.ctx().request_repaint();
        }
        let copies = ui.input_mut(|input| {
            let count = input.events.len();
            input.events.retain(|event| !matches!(event, Event::Copy));
            input.events.len() < count
        });
        match () {
            () if copies => Some(Pressed::Copy),
            () if pressed(Key::Enter) => Some(Pressed::Enter),
            () if pressed(Key::Space) => Some(Pressed::Space),
            () => None,
        }
    }
}
