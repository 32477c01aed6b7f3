//! A bar whose parts are as long as their shares.

use eframe::egui::{Color32, CornerRadius, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::paint::hatch;
use crate::theme::Tokens;

/// Height of the bar, in points.
const HEIGHT: f32 = 12.0;

/// A part of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarPart<'a> {
    /// What it is a part of, for screen readers.
    pub name: &'a str,
    /// Its length is the share of this number in the sum of all parts.
    pub amount: f64,
    /// `None` for a part without a color, which is hatched.
    pub color: Option<Color32>,
}

/// Draws a bar with these parts, over the whole width; a line without parts.
#[expect(clippy::cast_possible_truncation, reason = "egui measures in f32")]
pub fn share_bar(ui: &mut Ui, parts: &[BarPart<'_>]) {
    let tokens = Tokens::of(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let corners = CornerRadius::same(2);
    if parts.is_empty() {
        ui.painter().rect_filled(rect, corners, tokens.line);
    }
    let at = |share: f64| rect.left() + rect.width() * share as f32;
    let places = places(parts.iter().map(|part| part.amount));
    for (part, (begin, end)) in parts.iter().zip(&places).filter(|(part, _)| 0.0 < part.amount) {
        // Parts are separated by one point; the smallest is still at least one point wide.
        let left = at(*begin).min(rect.right() - 1.0);
        let right = (at(*end) - 1.0).max(left + 1.0);
        let piece = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
        if let Some(color) = part.color {
            ui.painter().rect_filled(piece, corners, color);
        } else {
            hatch(&ui.painter().with_clip_rect(piece), piece, tokens.t3);
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

/// Returns begin and end of each part, as shares of the bar's width between 0 and 1.
fn places(amounts: impl Iterator<Item = f64> + Clone) -> Vec<(f64, f64)> {
    let all: f64 = amounts.clone().sum();
    let mut before = 0.0;
    let place = |amount| {
        let begin = before / all;
        before += amount;
        (begin, before / all)
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
        assert_eq!(places(&[]), []);
    }
}
