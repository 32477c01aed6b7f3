//! Range plots: for each series a bar from min to max with its average, p99, and the requested
//! value.

use eframe::egui::{Align2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::nanos::Nanos;

use super::axis::{Axis, log_place};
use crate::text;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Spans, series_mark};

/// The height of one bar's row.
const ROW: f32 = 22.0;
/// The width of the names on the left.
const NAMES: f32 = 190.0;
/// The height of the ticks below.
const TICKS: f32 = 18.0;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeBar {
    /// The requested value, such as "1 ms"; shown if it differs from the bar above.
    pub group: String,
    /// The condition.
    pub name: String,
    /// Which series it is: color and mark.
    pub series: usize,
    /// The requested value.
    pub requested: Nanos,
    /// The shortest.
    pub best: Nanos,
    /// The mean.
    pub average: Nanos,
    /// The 99th percentile, where there is one.
    pub p99: Option<Nanos>,
    /// The longest.
    pub worst: Nanos,
}

/// Bars under each other on one logarithmic axis.
#[derive(Clone, Copy, Debug)]
pub struct RangePlot<'a> {
    /// The bars, those of one group next to each other.
    pub bars: &'a [RangeBar],
}

/// What the key explains.
#[derive(Clone, Copy)]
enum Key {
    Bar,
    Mark,
    Tick,
    Dashed,
}

impl RangePlot<'_> {
    /// How high the plot is.
    pub fn height(&self) -> f32 {
        f32::from(u16::try_from(self.bars.len().max(1)).unwrap_or(u16::MAX)) * ROW + TICKS + 4.0
    }

    /// Draws the plot as wide as there is room.
    pub fn ui(&self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), self.height()), Sense::hover());
        let plot = Rect::from_min_max(
            pos2(rect.left() + NAMES, rect.top()),
            pos2(rect.right() - 8.0, rect.bottom() - TICKS),
        );
        let summary = summary(self.bars);
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, summary.clone()));
        let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
        painter.rect_filled(plot, 0, tokens.plot);
        let places =
            || self.bars.iter().flat_map(|bar| [bar.best, bar.worst, bar.requested]).map(place);
        let low = places().filter(|place| 1.0 < *place).fold(f64::MAX, f64::min).min(5.0) - 0.25;
        let high = places().fold(5.0, f64::max) + 0.25;
        let x_of = |at: f64| {
            let share = (at.max(low) - low) / (high - low);
            plot.left() + single(share) * plot.width()
        };
        let lowest = (high - low) * 60.0 / f64::from(plot.width().max(60.0));
        for tick in Axis::LogNanos.ticks(low, high, lowest) {
            let x = x_of(tick.at);
            painter.vline(x, plot.y_range(), Stroke::new(1.0, tokens.grid));
            if !tick.text.is_empty() {
                // A tick at the right end has its words to the left of it.
                let words = painter.layout_no_wrap(tick.text, Type::Axis.font(), tokens.t2);
                let left = (x - words.size().x / 2.0).min(rect.right() - words.size().x);
                painter.galley(pos2(left, plot.bottom() + 3.0), words, tokens.t2);
            }
        }
        let mut above: Option<&RangeBar> = None;
        let mut top = plot.top();
        for bar in self.bars {
            let y = top + ROW / 2.0;
            let is_new = above.is_none_or(|above| above.group != bar.group);
            if is_new {
                if above.is_some() {
                    painter.hline(rect.x_range(), top, Stroke::new(1.0, tokens.line));
                }
                let at = pos2(rect.left() + 4.0, y);
                painter.text(at, Align2::LEFT_CENTER, &bar.group, Type::Strong.font(), tokens.t1);
            }
            let at = pos2(plot.left() - 8.0, y);
            painter.text(at, Align2::RIGHT_CENTER, &bar.name, Type::Small.font(), tokens.t2);
            let look = tokens.series(bar.series);
            let stroke = look.stroke(size::LINE_COMPARE);
            let (from, to) = (x_of(place(bar.best)), x_of(place(bar.worst)));
            painter.hline(from..=to, y, stroke);
            for end in [from, to] {
                painter.vline(end, y - 5.0..=y + 5.0, stroke);
            }
            if let Some(p99) = bar.p99 {
                let thin = Stroke::new(1.5, tokens.t1);
                painter.vline(x_of(place(p99)), y - 4.0..=y + 4.0, thin);
            }
            let middle = pos2(x_of(place(bar.average)), y);
            series_mark(&painter, middle, 4.2, look.mark, look.color);
            let requested = x_of(place(bar.requested));
            if low <= place(bar.requested) {
                let path = [pos2(requested, top + 1.0), pos2(requested, top + ROW - 1.0)];
                painter.extend(Dash::LIMIT.line(&path, Stroke::new(1.0, tokens.t1)));
            }
            let row = Rect::from_x_y_ranges(rect.x_range(), top..=top + ROW);
            ui.interact(row, response.id.with(top.to_bits()), Sense::hover())
                .on_hover_text(words(bar));
            above = Some(bar);
            top += ROW;
        }
    }

    /// The key to bars, marks and lines, for the card's header.
    pub fn legend_ui(ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        let is_narrow = ui.content_rect().width() < size::MEDIUM_FROM;
        let entries = [
            (Key::Bar, "min to max"),
            (Key::Mark, "average"),
            (Key::Tick, "p99"),
            (Key::Dashed, "requested"),
        ];
        for (key, words) in entries.into_iter().skip(usize::from(is_narrow)) {
            let (rect, _) = ui.allocate_exact_size(vec2(14.0, 16.0), Sense::hover());
            let stroke = Stroke::new(1.5, tokens.t2);
            let (center, y) = (rect.center(), rect.shrink(2.0).y_range());
            match key {
                Key::Bar => {
                    ui.painter().hline(rect.x_range(), center.y, stroke);
                    for x in [rect.left(), rect.right()] {
                        ui.painter().vline(x, center.y - 4.0..=center.y + 4.0, stroke);
                    }
                }
                Key::Mark => series_mark(ui.painter(), center, 4.2, Mark::Circle, tokens.t2),
                Key::Tick => drop(ui.painter().vline(center.x, y, stroke)),
                Key::Dashed => {
                    let path = [pos2(center.x, y.min), pos2(center.x, y.max)];
                    ui.painter().extend(Dash::LIMIT.line(&path, stroke));
                }
            }
            Spans::new(Type::Small).text(Type::Small, words, tokens.t2).whole_label(ui);
        }
    }
}

fn place(length: Nanos) -> f64 {
    // Below 100 ns the timeline's axis has its "0"; ranges go down to 1 ns.
    let nanos = length.as_f64().max(1.0);
    if nanos < 100.0 { nanos.log10() } else { log_place(nanos) }
}

#[expect(clippy::cast_possible_truncation, reason = "a share of a width")]
const fn single(value: f64) -> f32 {
    value as f32
}

fn words(bar: &RangeBar) -> String {
    format!(
        "{}, {}: average {}, min {}, p99 {}, max {}",
        bar.group,
        bar.name,
        text::duration(bar.average),
        text::duration(bar.best),
        bar.p99.map_or_else(|| text::MISSING.to_owned(), text::duration),
        text::duration(bar.worst)
    )
}

/// The accessible label.
fn summary(bars: &[RangeBar]) -> String {
    let parts: Vec<String> = bars.iter().map(words).collect();
    format!("Range of durations. {}", parts.join(". "))
}
