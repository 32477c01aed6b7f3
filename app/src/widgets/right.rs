//! Contents at the right edge, in reading order, so that the keyboard visits them from left to right.

use eframe::egui::{Align, AsIdSalt, Id, InnerResponse, Layout, Ui, UiBuilder};

fn id_of(ui: &Ui, salt: impl AsIdSalt) -> Id {
    ui.make_persistent_id(salt).with("right-aligned")
}

/// How wide the contents at the right edge were when they were last shown with this salt: what stands
/// before them leaves them so much.
pub fn right_width(ui: &Ui, salt: impl AsIdSalt) -> f32 {
    ui.data(|data| data.get_temp(id_of(ui, salt))).unwrap_or(0.0)
}

/// Shows contents in a row against the right edge of what is left of this row.
///
/// Their width is known only once they have been drawn: where it changed, the frame is drawn anew
/// before anyone sees it. The salt tells apart two of them in one `Ui`.
pub fn right_aligned<R>(
    ui: &mut Ui,
    salt: impl AsIdSalt,
    contents: impl FnOnce(&mut Ui) -> R,
) -> InnerResponse<R> {
    let id = id_of(ui, salt);
    let before: Option<f32> = ui.data(|data| data.get_temp(id));
    let free = ui.available_width() - before.unwrap_or(0.0);
    ui.add_space(free.max(0.0));
    // As much room as they may want: what they take is measured, not cut.
    let row = ui.available_rect_before_wrap();
    let room = row.with_max_x(row.left() + ui.max_rect().width());
    let room = UiBuilder::new().max_rect(room).layout(Layout::left_to_right(Align::Center));
    let mut child = ui.new_child(room);
    let inner = contents(&mut child);
    let used = child.min_rect();
    // What does not fit must not make the row, and all around it, wider.
    ui.advance_cursor_after_rect(used.with_max_x(used.right().min(row.right().max(used.left()))));
    let width = used.width();
    if before.is_none_or(|before| (before - width).abs() > 0.5) {
        ui.data_mut(|data| data.insert_temp(id, width));
        ui.request_discard("right-aligned contents changed their width");
    }
    InnerResponse::new(inner, child.response())
}
