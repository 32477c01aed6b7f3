//! Scroll areas that scroll to the widget that gets the keyboard focus, and the scroll area of
//! pages that show a result.

use eframe::egui::scroll_area::ScrollAreaOutput;
use eframe::egui::{ScrollArea, Ui};

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
