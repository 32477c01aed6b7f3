//! Right-aligned widgets, which are added from left to right, so that Tab visits them in this
//! order.

use eframe::egui::{Align, AsIdSalt, Id, InnerResponse, Layout, Ui, UiBuilder};

fn id_of(ui: &Ui, salt: impl AsIdSalt) -> Id {
    ui.make_persistent_id(salt).with("right-aligned")
}

/// Returns the width in points that the right-aligned content with this salt had when it was last
/// shown; 0 before. The caller leaves this width free when it draws content on the left.
pub fn right_width(ui: &Ui, salt: impl AsIdSalt) -> f32 {
    ui.data(|data| data.get_temp(id_of(ui, salt))).unwrap_or(0.0)
}

/// Shows content at the right edge of the current row.
///
/// The width of the content is known only after drawing. If the width changed, the frame is drawn
/// again before it is shown. The salt distinguishes several right-aligned contents in one `Ui`.
pub fn right_aligned<R>(
    ui: &mut Ui,
    salt: impl AsIdSalt,
    contents: impl FnOnce(&mut Ui) -> R,
) -> InnerResponse<R> {
    let id = id_of(ui, salt);
    let before: Option<f32> = ui.data(|data| data.get_temp(id));
    let free = ui.available_width() - before.unwrap_or(0.0);
    ui.add_space(free.max(0.0));
    // Let the content be wider than the rest of the row, so that it is measured and not truncated.
    let row = ui.available_rect_before_wrap();
    let room = row.with_max_x(row.left() + ui.max_rect().width());
    let room = UiBuilder::new().max_rect(room).layout(Layout::left_to_right(Align::Center));
    let mut child = ui.new_child(room);
    let inner = contents(&mut child);
    let used = child.min_rect();
    // Content that is too wide for the row must not widen the row and the widgets around it.
    ui.advance_cursor_after_rect(used.with_max_x(used.right().min(row.right().max(used.left()))));
    let width = used.width();
    if before.is_none_or(|before| (before - width).abs() > 0.5) {
        ui.data_mut(|data| data.insert_temp(id, width));
        ui.request_discard("right-aligned content changed its width");
    }
    InnerResponse::new(inner, child.response())
}

/// Shows a row of right-aligned content, such as the buttons of a dialog; see [`right_aligned`].
pub fn right_row<R>(ui: &mut Ui, salt: impl AsIdSalt, contents: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| right_aligned(ui, salt, contents).inner).inner
}
