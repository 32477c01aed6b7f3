//! The lateness of a frame broken down by cause: a bar of segments on a time axis, and a table of
//! these segments.

use eframe::egui::{
    Align2, CornerRadius, Painter, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
    vec2,
};
use jitterscope_engine::report::{Account, Cause, Segment, Source};

use crate::plots::axis::narrow;
use crate::plots::cause_style;
use crate::theme::{Tokens, Type, size};
use crate::widgets::paint::hatch;
use crate::widgets::{ResultTable, Spans, TableLayout};

/// The height of the bar, and the minimum width of a segment, in points.
const BAR_HEIGHT: f32 = 26.0;
const MIN_WIDTH: f32 = 4.0;

/// Draws the segments as a bar and as a table.
pub(super) fn ui(ui: &mut Ui, account: &Account) {
    bar_ui(ui, account);
    ui.spacing_mut().item_spacing.y = 0.0;
    let (tokens, table) = (Tokens::of(ui), account.table());
    let height = ui.available_height() - 2.0 * size::COMPACT_ROW;
    ResultTable::new("account", &table, TableLayout::of(&[])).show_in_card(ui, height);
    Spans::plain(Type::Small, &sum(account), tokens.t2).paragraph(ui);
}

fn micros(time: jitterscope_engine::nanos::Nanos) -> String {
    format!("{:.1}", time.as_micros())
}

/// Returns whether the segments explain the whole lateness, and their source, as sentences.
fn sum(account: &Account) -> String {
    let source = match (account.source, account.is_complete) {
        (Source::Nothing, _) => "Lost: no counters were recorded for this frame.".to_owned(),
        (source, true) => format!("Source: {}.", source.label().to_lowercase()),
        (source, false) => {
            format!("Source: {}; incomplete, records were lost.", source.label().to_lowercase())
        }
    };
    format!("{}. {source}", account.sum())
}

fn bar_ui(ui: &mut Ui, account: &Account) {
    let tokens = Tokens::of(ui);
    let room = vec2(ui.available_width(), BAR_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
    ui.painter().rect_filled(rect, CornerRadius::same(2), tokens.plot);
    let total = account.total().as_f64().max(1.0);
    let lengths: Vec<f32> =
        account.segments.iter().map(|one| narrow(one.length.as_f64() / total)).collect();
    let mut hovered = None;
    for (segment, (left, right)) in account.segments.iter().zip(places(&lengths, rect.width())) {
        let place = Rect::from_min_max(
            pos2(rect.left() + left, rect.top()),
            pos2(rect.left() + right - 1.0, rect.bottom()),
        );
        segment_ui(ui.painter(), place, segment, tokens);
        if response.hover_pos().is_some_and(|at| place.contains(at)) {
            hovered = Some(format!("{}: {} µs", segment.title(), micros(segment.length)));
        }
    }
    let parts = account.segments.iter();
    let summary: Vec<String> =
        parts.map(|one| format!("{} {} µs", one.title(), micros(one.length))).collect();
    let summary = format!("Account: {}", summary.join(", "));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &summary));
    if let Some(words) = hovered {
        response.on_hover_text(words);
    }
}

/// Returns start and end of each segment in a bar of this width. Segments shorter than
/// `MIN_WIDTH` are widened; if all segments together exceed the bar, all shrink by the same
/// factor.
fn places(shares: &[f32], width: f32) -> Vec<(f32, f32)> {
    let widths: Vec<f32> = shares.iter().map(|share| (share * width).max(MIN_WIDTH)).collect();
    let all: f32 = widths.iter().sum();
    let scale = if all <= width { 1.0 } else { width / all };
    let mut left = 0.0;
    widths
        .iter()
        .map(|one| {
            let begin = left;
            left += one * scale;
            (begin, left)
        })
        .collect()
}

/// Draws a segment in the color of its cause, with its name if there is space. Causes that leave
/// the actual reason open, such as an unnamed thread, are hatched; all others are filled.
fn segment_ui(painter: &Painter, place: Rect, segment: &Segment, tokens: &Tokens) {
    let (color, _) = cause_style(tokens, segment.cause);
    let corners = CornerRadius::same(2);
    let is_hatched = matches!(
        segment.cause,
        Cause::NotObservable | Cause::NoEvent | Cause::Hypervisor | Cause::WaitedForCpu
    );
    let painter = painter.with_clip_rect(place);
    if is_hatched {
        hatch(&painter, place, color);
        painter.rect_stroke(place, corners, Stroke::new(1.0, color), StrokeKind::Inside);
    } else {
        painter.rect_filled(place, corners, color);
    }
    let words = segment.title();
    let ink = if is_hatched { tokens.t1 } else { tokens.plot };
    let galley = painter.layout_no_wrap(words.clone(), Type::Small.font(), ink);
    if galley.size().x + 8.0 <= place.width() {
        if is_hatched {
            let behind = Rect::from_center_size(place.center(), galley.size() + vec2(6.0, 0.0));
            painter.rect_filled(behind, CornerRadius::ZERO, tokens.plot);
        }
        painter.text(place.center(), Align2::CENTER_CENTER, words, Type::Small.font(), ink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_segment_can_be_seen_and_none_leaves_the_bar() {
        let all = places(&[0.5, 0.0001, 0.4999], 400.0);
        assert!(all.iter().all(|(left, right)| 3.9 < right - left), "{all:?}");
        assert!(all.last().unwrap().1 <= 400.001);
        let many = places(&[0.01; 100], 200.0);
        assert!(many.last().unwrap().1 <= 200.001);
        assert_eq!(places(&[], 200.0), []);
    }
}
