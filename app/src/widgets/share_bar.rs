//! A bar whose parts are as long as their shares.

use eframe::egui::{
    Align2, Color32, CornerRadius, Frame, Margin, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};

use super::paint::hatch;
use crate::theme::{Tokens, Type, size};

/// Height of a bar without names, and of one with names, in points.
const HEIGHTS: [f32; 2] = [12.0, 18.0];
/// Room left and right of a name, in points.
const AROUND_NAME: f32 = 12.0;

/// A part of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarPart<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its length is the share of this number in the sum of all parts.
    pub amount: f64,
    /// `None` for a part without a color, which is hatched.
    pub color: Option<Color32>,
}

/// Draws a bar with the names of its parts in a card without margins; nothing without parts.
pub(super) fn named_bar(ui: &mut Ui, parts: &[BarPart<'_>]) {
    if !parts.is_empty() {
        let sides = Margin::symmetric(size::CARD_PADDING, 0);
        Frame::new().inner_margin(sides).show(ui, |ui| share_bar(ui, parts, true));
    }
}

/// Draws a bar with these parts, over the whole width; a line without parts. With `has_names`, parts show their names, as far
/// as these fit.
#[expect(clippy::cast_possible_truncation, reason = "egui measures in f32")]
pub fn share_bar(ui: &mut Ui, parts: &[BarPart<'_>], has_names: bool) {
    let tokens = Tokens::of(ui);
    let height = HEIGHTS[usize::from(has_names)];
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let corners = CornerRadius::same(2);
    if parts.iter().all(|part| part.amount <= 0.0) {
        ui.painter().rect_filled(rect, corners, tokens.line);
    }
    let at = |share: f64| rect.left() + rect.width() * share as f32;
    let places = places(parts.iter().map(|part| part.amount));
    let mut free = rect.left();
    for (part, (begin, end)) in parts.iter().zip(&places).filter(|(part, _)| 0.0 < part.amount) {
        // Parts are separated by one point; the smallest is still at least one point wide, where there is room.
        let left = at(*begin).max(free).min(rect.right() - 1.0);
        let right = (at(*end) - 1.0).max(left + 1.0);
        free = right + 1.0;
        let piece = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
        let painter = ui.painter().with_clip_rect(piece);
        if let Some(color) = part.color {
            painter.rect_filled(piece, corners, color);
        } else {
            hatch(&painter, piece, tokens.t3);
        }
        let name = painter.layout_no_wrap(part.name.to_owned(), Type::Axis.font(), tokens.t1);
        if has_names && name.size().x + AROUND_NAME <= piece.width() {
            // On any color and on lines, a name is read on a plain ground.
            let place = Align2::CENTER_CENTER.anchor_size(piece.center(), name.size());
            painter.rect_filled(place.expand2(vec2(4.0, 0.0)), corners, tokens.plot);
            painter.galley(place.min, name, tokens.t1);
        }
    }
    response.widget_info(|| {
        let shares = parts.iter().zip(&places);
        let names = shares
            .map(|(part, (begin, end))| format!("{} {:.1}%", part.name, (end - begin) * 100.0));
        let name = format!("Shares: {}", names.collect::<Vec<_>>().join(", "));
        WidgetInfo::labeled(Role::Image, true, name)
    });
}

/// Returns begin and end of each part, as shares of the bar's width between 0 and 1; all 0 without any amount.
fn places(amounts: impl Iterator<Item = f64> + Clone) -> Vec<(f64, f64)> {
    let all: f64 = amounts.clone().sum();
    let mut before = 0.0;
    let place = |amount| {
        let share = |sum: f64| if 0.0 < all { sum / all } else { 0.0 };
        let begin = share(before);
        before += amount;
        (begin, share(before))
    };
    amounts.map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_the_bar_whatever_the_sum_of_their_amounts() {
        let places = |amounts: &[f64]| places(amounts.iter().copied());
        assert_eq!(places(&[100_000.0, 100_000.0]), [(0.0, 0.5), (0.5, 1.0)]);
        assert_eq!(places(&[1.0]), [(0.0, 1.0)]);
        assert_eq!(places(&[0.75, 0.0, 0.25]), [(0.0, 0.75), (0.75, 0.75), (0.75, 1.0)]);
        assert_eq!(places(&[0.0, 0.0]), [(0.0, 0.0), (0.0, 0.0)]);
        assert_eq!(places(&[]), []);
    }
}
