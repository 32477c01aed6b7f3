//! Who delayed the late frames: ranked, and a filter for the list next to it.

use eframe::egui::{Align, Layout, Role, Sense, Ui, UiBuilder, WidgetInfo, vec2};
use jitterscope_engine::report::Delay;

use super::super::late_frames::{DelayKey, LateFrames};
use super::mark_ui;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;

/// Rows that are listed.
const MAX_ROWS: usize = 8;

/// Draws the ranked list; a click on a row shows only its frames, another one all of them.
pub(super) fn ui(ui: &mut Ui, late: &LateFrames, culprit: &mut Option<DelayKey>) {
    ui.spacing_mut().item_spacing.y = 1.0;
    let tokens = Tokens::of(ui);
    for delay in late.delays().iter().take(MAX_ROWS) {
        let key = (delay.cause, delay.name.clone());
        let is_selected = culprit.as_ref() == Some(&key);
        if row_ui(ui, delay, is_selected) {
            *culprit = (!is_selected).then_some(key);
        }
    }
    let hidden = late.delays().len().saturating_sub(MAX_ROWS);
    if 0 < hidden {
        let words = format!("{hidden} others");
        Spans::new(Type::Small).text(Type::Small, &words, tokens.t2).label(ui);
    }
}

/// Draws a row; returns whether it was clicked.
fn row_ui(ui: &mut Ui, delay: &Delay, is_selected: bool) -> bool {
    let tokens = Tokens::of(ui);
    let room = vec2(ui.available_width(), size::COMPACT_ROW);
    let (rect, response) = ui.allocate_exact_size(room, Sense::click());
    if is_selected || response.hovered() {
        ui.painter().rect_filled(rect, 2, tokens.wid);
    }
    let times = format!(
        "{} in total, {} at worst, {} of all lateness",
        text::duration(delay.total),
        text::duration(delay.worst),
        text::percent(delay.share),
    );
    let label = format!("{}, {}: {} frames, {times}", delay.name, delay.kind, delay.sample_count);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_selected, &label));
    let mut within = ui.new_child(UiBuilder::new().max_rect(rect));
    within.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        mark_ui(ui, delay.cause);
        let share = format!("{:>6}", text::percent(delay.share));
        let count = text::count(delay.sample_count);
        let name_width = (ui.available_width() - 96.0).max(40.0);
        Spans::new(Type::Body)
            .text(Type::Body, &delay.name, tokens.t1)
            .label_within(ui, name_width);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            Spans::new(Type::Small).text(Type::Small, &share, tokens.t2).label(ui);
            Spans::new(Type::Strong).text(Type::Strong, &count, tokens.t1).label(ui);
        });
    });
    let is_clicked = response.clicked();
    response.on_hover_text(format!("{} ({}): {times}", delay.name, delay.kind));
    is_clicked
}
