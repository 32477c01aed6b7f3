//! A thin scale with four equal zones for Excellent, Good, Fair, and Poor, which shows a value and
//! its interval.

use eframe::egui::{Align2, Color32, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::report::quick::GradeScale;

use super::axis::narrow;
use crate::text;
use crate::theme::{Tokens, Type};

/// Height of the zones, in points.
const ZONE: f32 = 5.0;
/// Gap between two zones, in points.
const GAP: f32 = 2.0;
/// Height of the scale, including the labels of the limits below the zones, in points.
const HEIGHT: f32 = 30.0;

/// Draws a scale with the available width.
pub fn scale_strip(ui: &mut Ui, scale: &GradeScale) {
    let tokens = Tokens::of(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    // Leaves a margin for a dot at an end of the scale.
    let room = rect.shrink2(vec2(4.0, 0.0));
    let middle = room.top() + 7.0;
    let x = |place: f64| room.left() + room.width() * narrow(place / 4.0);
    let colors: [(Color32, f32); 4] =
        [(tokens.good, 0.8), (tokens.good, 0.5), (tokens.fair, 0.5), (tokens.poor, 0.5)];
    for ((color, strength), zone) in colors.into_iter().zip([0.0, 1.0, 2.0, 3.0]) {
        let (from, to) = (x(zone), x(zone + 1.0) - GAP);
        let zone = Rect::from_min_max(
            pos2(from, middle - ZONE / 2.0),
            pos2(to.max(from), middle + ZONE / 2.0),
        );
        ui.painter().rect_filled(zone, 1, color.gamma_multiply(strength));
    }
    let stroke = Stroke::new(1.6, tokens.t1);
    if let Some((low, high)) = scale.interval {
        let ends = [low, high].map(|end| x(scale.place(end)));
        ui.painter().hline(ends[0]..=ends[1], middle, stroke);
        for end in ends {
            ui.painter().vline(end, middle - 5.0..=middle + 5.0, stroke);
        }
    }
    ui.painter().circle_filled(pos2(x(scale.place(scale.value)), middle), 4.0, tokens.t1);
    for (limit, place) in scale.limits.into_iter().zip([1.0, 2.0, 3.0]) {
        let at = pos2(x(place), rect.bottom());
        // Of the exact and the rounded format, the shorter one is used, such as `1 ms` or `167 µs`.
        let forms = [text::format_setting(limit), text::format_time(limit)];
        let words = forms.into_iter().min_by_key(|words| words.chars().count()).unwrap_or_default();
        ui.painter().text(at, Align2::CENTER_BOTTOM, words, Type::Axis.font(), tokens.t3);
    }
    let said = summary(scale);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &said));
    response.on_hover_text(said);
}

/// Returns the accessible label of the scale: value, interval, and limits of the grades.
fn summary(scale: &GradeScale) -> String {
    let [excellent, good, fair] = scale.limits.map(text::format_setting);
    let interval = scale.interval.map_or_else(String::new, |(low, high)| {
        format!(", 95% CI {} to {}", text::format_time(low), text::format_time(high))
    });
    format!(
        "{}{interval}. Excellent up to {excellent}, Good up to {good}, Fair up to {fair}.",
        text::format_time(scale.value)
    )
}
