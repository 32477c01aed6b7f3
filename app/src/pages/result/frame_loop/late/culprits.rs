//! The threads, interrupts, and other causes that delayed frames, ranked. A click on one of them
//! filters the list of late frames.

use eframe::egui::Ui;

use super::super::late_frames::{DelayKey, LateFrames};
use crate::widgets::{ResultTable, TableLayout};

/// Layout of the table. The kind is in the tooltip of the name.
const TABLE: TableLayout = TableLayout::of(&["name", "late_count"]);

/// Draws the table in this height. A click on a row shows only the late frames that this thread or
/// cause delayed most; a second click shows all late frames. While a filter is set, the arrow keys
/// select another row.
pub(super) fn ui(ui: &mut Ui, late: &LateFrames, culprit: &mut Option<DelayKey>, height: f32) {
    let key_of =
        |row: usize| late.delays.ranked.get(row).map(|delay| (delay.cause, delay.name.clone()));
    let selected = culprit.as_ref().and_then(|key| {
        late.delays.ranked.iter().position(|delay| (delay.cause, &delay.name) == (key.0, &key.1))
    });
    let table = ResultTable {
        hidden: &["kind"],
        selected,
        is_selected_by_cursor: true,
        ..ResultTable::new("culprits", &late.ranking, TABLE)
    };
    if let Some(row) = table.show_in_card(ui, height).selected {
        *culprit = key_of(row).filter(|_| selected != Some(row));
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::{
        Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, pos2, vec2,
    };
    use jitterscope_engine::report::Cause;

    use super::super::super::late_frames::tests::late;
    use super::*;
    use crate::theme::{self, size};

    /// A list of three rows, and which of them is selected.
    struct List {
        ctx: Context,
        late: LateFrames,
        culprit: Option<DelayKey>,
    }

    impl List {
        fn new() -> Self {
            let ctx = Context::default();
            theme::install(&ctx);
            let causes = [Cause::TimerLate, Cause::WaitedForCpu, Cause::Blocked];
            let frames: Vec<(usize, Cause)> = (0..6).zip(causes.into_iter().cycle()).collect();
            let mut list = Self { ctx, late: late(&frames), culprit: None };
            assert_eq!(list.late.delays.ranked.len(), 3);
            list.frame(&[]);
            list
        }

        fn frame(&mut self, events: &[Event]) {
            let size = vec2(400.0, 300.0);
            let input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
                events: events.to_vec(),
                ..RawInput::default()
            };
            let mut output =
                self.ctx.run_ui(input, |ui| super::ui(ui, &self.late, &mut self.culprit, 200.0));
            output.textures_delta.clear();
        }

        /// Presses a key; returns the row that is selected afterward.
        fn press(&mut self, key: Key) -> Option<usize> {
            let event = |pressed| Event::Key {
                key,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: Modifiers::NONE,
            };
            self.frame(&[event(true)]);
            self.frame(&[event(false)]);
            self.frame(&[]);
            self.selected()
        }

        /// Clicks a row; returns the row that is selected afterward.
        fn click(&mut self, row: u8) -> Option<usize> {
            let pos = pos2(100.0, size::TABLE_HEADER + size::TABLE_ROW * (f32::from(row) + 0.5));
            let button = |pressed| Event::PointerButton {
                pos,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            };
            self.frame(&[Event::PointerMoved(pos)]);
            self.frame(&[button(true)]);
            self.frame(&[button(false)]);
            self.frame(&[]);
            self.selected()
        }

        fn selected(&self) -> Option<usize> {
            let is_it = |key: &DelayKey, name: &String| key.1 == *name;
            let culprit = self.culprit.as_ref()?;
            self.late.delays.ranked.iter().position(|delay| is_it(culprit, &delay.name))
        }
    }

    #[test]
    fn arrow_keys_change_the_filter_and_tab_only_moves_the_focus() {
        let mut list = List::new();
        // The keyboard cursor begins at the titles.
        let moves = [Key::Tab, Key::ArrowDown, Key::ArrowDown].map(|key| list.press(key));
        assert_eq!(moves, [None; 3], "no filter");
        assert_eq!(list.press(Key::Enter), Some(1));
        assert_eq!(list.press(Key::ArrowRight), Some(1), "the same row");
        assert_eq!(list.press(Key::ArrowDown), Some(2));
        assert_eq!([list.press(Key::ArrowUp), list.press(Key::ArrowUp)], [Some(1), Some(0)]);
        assert_eq!(list.press(Key::Tab), Some(0));
        assert_eq!(list.click(0), None);
    }

    #[test]
    fn a_click_selects_another_row_and_clears_the_selected_one() {
        let mut list = List::new();
        let selected = [0, 2, 1, 1].map(|row| list.click(row));
        assert_eq!(selected, [Some(0), Some(2), Some(1), None]);
    }
}
