//! Scroll areas that scroll to the widget that gets the keyboard focus, the scroll area of pages that
//! show a result, and lists of which only the visible rows are drawn.

use eframe::egui::scroll_area::ScrollAreaOutput;
use eframe::egui::{ScrollArea, Ui};

/// Rows of a list are also drawn up to this distance from its visible part, in points: Tab moves the focus only to a row
/// that is drawn.
const DRAWN_AROUND: f32 = 600.0;

/// Extends a scroll area to follow the keyboard focus.
pub trait FollowFocus {
    /// Shows the contents as [`ScrollArea::show`] does. Also scrolls to a widget in the area when
    /// it gets the focus by a key or a request. A click does not scroll: its target is already
    /// visible.
    fn show_focus<R>(self, ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R)
    -> ScrollAreaOutput<R>;
}

impl FollowFocus for ScrollArea {
    fn show_focus<R>(
        self,
        ui: &mut Ui,
        contents: impl FnOnce(&mut Ui) -> R,
    ) -> ScrollAreaOutput<R> {
        self.show(ui, |ui| {
            let inner = contents(ui);
            follow(ui);
            inner
        })
    }
}

/// Returns the scroll area of a page that shows a result. If the result is new, the area scrolls to
/// the top, where the verdict is.
pub fn result_area(is_new: bool) -> ScrollArea {
    let area = ScrollArea::vertical().auto_shrink([false, false]);
    if is_new { area.vertical_scroll_offset(0.0) } else { area }
}

/// Draws a list of rows from top to bottom. A row far outside of the visible part only takes its space, `height` points:
/// a file may name any number of hosts or tags.
pub fn visible_rows<T>(
    ui: &mut Ui,
    rows: impl IntoIterator<Item = T>,
    height: f32,
    mut row_ui: impl FnMut(&mut Ui, T),
) {
    let drawn = ui.clip_rect().y_range().expand(DRAWN_AROUND);
    let step = height + ui.spacing().item_spacing.y;
    let mut skipped = 0.0;
    for row in rows {
        let top = ui.cursor().top() + skipped;
        if top + height < drawn.min || drawn.max < top {
            skipped += step;
            continue;
        }
        if 0.0 < skipped {
            ui.add_space(std::mem::take(&mut skipped));
        }
        row_ui(ui, row);
    }
    if 0.0 < skipped {
        ui.add_space(skipped);
    }
}

/// Scrolls to the widget that got the focus in this frame, if it is in `ui` and was not clicked.
fn follow(ui: &Ui) {
    let is_clicked = ui.input(|input| input.pointer.any_pressed() || input.pointer.any_released());
    let Some(id) = ui.memory(eframe::egui::Memory::focused).filter(|_| !is_clicked) else { return };
    let focused = ui.ctx().read_response(id).filter(|it| it.layer_id == ui.layer_id());
    if let Some(focused) = focused
        && focused.gained_focus()
        && ui.min_rect().contains(focused.rect.center())
    {
        ui.scroll_to_rect(focused.rect, None);
    }
}
