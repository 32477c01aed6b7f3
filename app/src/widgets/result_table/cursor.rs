//! The keyboard in a table: one cell at a time, moved by the arrows; the table is one stop of Tab.

use eframe::egui::{Context, Event, EventFilter, Id, Key, Modifiers, Ui};

/// The cell that has the keyboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The row on screen; 0 is the header.
    pub(super) row: usize,
    /// The column on screen.
    pub(super) column: usize,
    /// Whether a key moved it there: then it is scrolled into view and explained.
    pub(super) is_by_key: bool,
}

/// What a key asks for at the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pressed {
    /// Sort by the column, or open the row.
    Enter,
    /// Select the row.
    Space,
    /// Copy the table.
    Copy,
}

impl Cursor {
    /// Returns the cell of this table that has the keyboard.
    pub(super) fn load(ctx: &Context, id: Id) -> Self {
        ctx.data(|data| data.get_temp(id)).unwrap_or_default()
    }

    /// Moves the keyboard to a cell.
    pub(super) fn store(self, ctx: &Context, id: Id) {
        ctx.data_mut(|data| data.insert_temp(id, self));
    }

    /// Moves by the keys that were pressed, and returns what else they ask for. `grid` has the focus;
    /// `rows` does not count the header.
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
