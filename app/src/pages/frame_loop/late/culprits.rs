//! Who delayed the late frames: ranked, and a filter for the list next to it.

use eframe::egui::{Align2, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Delay;

use super::super::late_frames::{DelayKey, LateFrames};
use super::mark_ui;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;

/// Rows that are listed.
const MAX_ROWS: usize = 8;
/// From this width the list has columns for the total and the worst time.
const WIDE: f32 = 276.0;

/// A column of numbers: title, width, and its text.
type Column = (&'static str, f32, fn(&Delay) -> String);

const FRAMES: Column = ("Frames", 48.0, |delay| text::count(delay.sample_count));
const TOTAL: Column = ("Total ms", 56.0, |delay| millis(delay.total));
const WORST: Column = ("Worst ms", 58.0, |delay| millis(delay.worst));
const SHARE: Column = ("Share", 48.0, |delay| text::percent(delay.share));

fn millis(time: Nanos) -> String {
    format!("{:.1}", time.as_millis())
}

/// Draws the ranked list; a click on a row shows only its frames, another one all of them. While one is shown, the
/// arrow keys choose another.
pub(super) fn ui(ui: &mut Ui, late: &LateFrames, culprit: &mut Option<DelayKey>) {
    ui.spacing_mut().item_spacing.y = 1.0;
    let tokens = Tokens::of(ui);
    let columns: &[Column] = if WIDE <= ui.available_width() {
        &[FRAMES, TOTAL, WORST, SHARE]
    } else {
        &[FRAMES, SHARE]
    };
    let (head, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::COMPACT_ROW), Sense::hover());
    for (place, (title, ..)) in places(head, columns).zip(columns) {
        let font = Type::TableHeader.font();
        ui.painter().text(place, Align2::RIGHT_CENTER, title, font, tokens.t2);
    }
    for delay in late.delays().iter().take(MAX_ROWS) {
        let key = (delay.cause, delay.name.clone());
        let is_selected = culprit.as_ref() == Some(&key);
        match row_ui(ui, delay, is_selected, columns) {
            Some(Chosen::Clicked) => *culprit = (!is_selected).then_some(key),
            Some(Chosen::Reached) if culprit.is_some() => *culprit = Some(key),
            _ => {}
        }
    }
    let hidden = late.delays().len().saturating_sub(MAX_ROWS);
    if 0 < hidden {
        let words = format!("{hidden} others");
        Spans::new(Type::Small).text(Type::Small, &words, tokens.t2).label(ui);
    }
}

/// The right ends of the columns of a row.
fn places(row: Rect, columns: &[Column]) -> impl Iterator<Item = eframe::egui::Pos2> {
    let widths = columns.iter().map(|(_, width, _)| width);
    let mut right = row.right() - widths.sum::<f32>();
    columns.iter().map(move |(_, width, _)| {
        right += width;
        pos2(right, row.center().y)
    })
}

/// How a row was chosen.
enum Chosen {
    Clicked,
    /// It has the keyboard now.
    Reached,
}

/// Draws a row; returns how it was chosen, if it was.
fn row_ui(ui: &mut Ui, delay: &Delay, is_selected: bool, columns: &[Column]) -> Option<Chosen> {
    let tokens = Tokens::of(ui);
    let room = vec2(ui.available_width(), size::COMPACT_ROW);
    let (rect, response) = ui.allocate_exact_size(room, Sense::click());
    if is_selected || response.hovered() || response.has_focus() {
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
    let taken: f32 = columns.iter().map(|(_, width, _)| width).sum();
    let named = rect.with_max_x(rect.right() - taken);
    let mut within = ui.new_child(UiBuilder::new().max_rect(named));
    within.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        mark_ui(ui, delay.cause);
        let width = ui.available_width();
        Spans::new(Type::Body).text(Type::Body, &delay.name, tokens.t1).label_within(ui, width);
    });
    for (place, (.., text)) in places(rect, columns).zip(columns) {
        let font = Type::Table.font();
        ui.painter().text(place, Align2::RIGHT_CENTER, text(delay), font, tokens.t1);
    }
    let chosen = if response.clicked() {
        Some(Chosen::Clicked)
    } else {
        response.gained_focus().then_some(Chosen::Reached)
    };
    response.on_hover_text(format!("{} ({}): {times}", delay.name, delay.kind));
    chosen
}
