//! A thumbnail of histograms, to recognize their shape: decades below, no scale of counts.

use eframe::egui::{
    Align2, Painter, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::axis::{FLOOR, ZERO, decade_label, narrow};
use super::histogram::{Bin, CountScale, HistogramSeries, bins_of, outline, summary};
use crate::theme::{Tokens, Type, size};

/// Room for the words of the decades.
const WORDS: f32 = 16.0;
/// Minimum distance between two of them.
const MIN: f32 = 52.0;
/// How much of the height stays free above the highest bar.
const FREE: f64 = 0.3;

/// Where values lie on the screen.
struct Frame {
    plot: Rect,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn at(&self, place: f64, count: f64) -> Pos2 {
        let share = |value: f64, (from, to): (f64, f64)| narrow((value - from) / (to - from));
        let across = self.plot.width() * share(place, self.x);
        pos2(
            self.plot.left() + across,
            self.plot.bottom() - self.plot.height() * share(count, self.y),
        )
    }
}

/// Draws histograms of such things, "frames", as wide as there is room and so high, over each other.
pub fn thumb(ui: &mut Ui, height: f32, noun: &str, series: &[HistogramSeries<'_>]) {
    let tokens = Tokens::of(ui);
    let room = vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
    let said = summary(noun, series);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &said));
    let plot = rect.with_max_y(rect.bottom() - WORDS);
    let line = Stroke::new(1.0, tokens.line);
    ui.painter().rect(plot, 0, tokens.plot, line, StrokeKind::Inside);
    let bins: Vec<Vec<Bin>> = series.iter().map(|one| bins_of(one.histogram)).collect();
    let all = || bins.iter().flatten();
    let Some(most) = all().map(|bin| bin.2).max() else {
        let at = plot.center();
        ui.painter().text(at, Align2::CENTER_CENTER, "No samples", Type::Small.font(), tokens.t3);
        return;
    };
    let first = if all().any(|bin| bin.0 < FLOOR) { ZERO - 0.3 } else { FLOOR };
    let last = all().map(|bin| bin.1).fold(FLOOR + 3.0, f64::max) + 0.2;
    let scale = CountScale::LogCount;
    let frame = Frame {
        plot: plot.shrink(1.0),
        x: (first, last),
        y: (scale.base(), scale.place(most) + FREE),
    };
    decades(ui.painter(), &frame, tokens);
    let painter = ui.painter().with_clip_rect(plot.intersect(ui.clip_rect()));
    for (one, bins) in series.iter().zip(&bins) {
        let at = |place: f64, high: f64| frame.at(place, high);
        outline(&painter, tokens.series(one.series), 0.15, scale, bins, at);
    }
}

/// Upright lines at whole decades, with words below as many as there is room for.
fn decades(painter: &Painter, frame: &Frame, tokens: &Tokens) {
    let mut free = frame.plot.left();
    for power in 2..=11_i32 {
        let place = f64::from(power);
        if place < frame.x.0 || frame.x.1 < place {
            continue;
        }
        let x = frame.at(place, frame.y.0).x;
        painter.vline(x, frame.plot.y_range(), (1.0, tokens.grid));
        let words = decade_label(10_f64.powi(power));
        let galley = painter.layout_no_wrap(words, Type::Axis.font(), tokens.t2);
        let left = x - galley.size().x / 2.0;
        if free <= left && left + galley.size().x <= frame.plot.right() + 1.0 {
            free = left + MIN.max(galley.size().x + size::GAP_SMALL);
            painter.galley(pos2(left, frame.plot.bottom() + 2.0), galley, tokens.t2);
        }
    }
}
