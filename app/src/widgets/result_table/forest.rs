//! The forest plot of a table: in each row a dot for a share with its interval, on one axis for all rows.

use eframe::egui::{Align2, Color32, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::report::Table;
use jitterscope_engine::report::table::Cell;

use super::prepared::Prepared;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::spans::Spans;

/// The width of the plot.
pub(super) const WIDTH: f32 = 250.0;
/// The height of the labels of its axis, below the rows.
pub(super) const AXIS: f32 = 20.0;
/// What is left free at both ends of the axis.
const MARGIN: f32 = 20.0;
const DOT: f32 = 4.0;

/// Which columns a forest plot draws; it is to the right of the interval.
#[derive(Clone, Copy, Debug)]
pub struct ForestPlot {
    /// The key of the shares.
    pub value: &'static str,
    /// The key of their intervals.
    pub interval: &'static str,
    /// The key of the words that say which side of 0 is sure: of a share below it, and of one above.
    pub verdict: &'static str,
    /// What a share below and above 0 means.
    pub sides: (&'static str, &'static str),
}

impl ForestPlot {
    /// Draws the heading: what both sides mean.
    pub(super) fn header_ui(&self, ui: &mut Ui) {
        let place = ui.max_rect();
        let color = Tokens::of(ui).t2;
        for (words, is_right) in [(self.sides.0, false), (self.sides.1, true)] {
            let galley = Spans::plain(Type::TableHeader, words, color).galley(ui);
            let left = place.left() + MARGIN / 2.0;
            let right = place.right() - MARGIN / 2.0 - galley.size().x;
            let top = place.center().y - galley.size().y / 2.0;
            ui.painter().galley(pos2(if is_right { right } else { left }, top), galley, color);
        }
    }

    /// Draws the row of a table.
    pub(super) fn row_ui(&self, ui: &mut Ui, prepared: &Prepared, row: Option<usize>) {
        let table = &prepared.table;
        let place = ui.max_rect();
        let tokens = Tokens::of(ui);
        for share in [-1.0, -0.5, 0.5, 1.0] {
            ui.painter().vline(x_of(place, share), place.y_range(), (1.0, tokens.line));
        }
        let zero = [pos2(x_of(place, 0.0), place.top()), pos2(x_of(place, 0.0), place.bottom())];
        ui.painter().extend(Shape::dashed_line(&zero, Stroke::new(1.0, tokens.target), 4.0, 3.0));
        let words = if let Some((share, (low, high))) = row.and_then(|row| self.mark(table, row)) {
            let verdict = row.and_then(|row| cell(table, row, self.verdict));
            Self::mark_ui(ui, place, (share, low, high), look(tokens, verdict));
            let [share, low, high] = [share, low, high].map(text::format_share);
            format!("{share}, 95% CI {low} to {high}")
        } else {
            let galley = Spans::plain(Type::Small, "not measured", tokens.t2).galley(ui);
            let back = Rect::from_center_size(place.center(), galley.size() + vec2(8.0, 0.0));
            ui.painter().rect_filled(back, 0.0, tokens.card);
            ui.painter().galley(place.center() - galley.size() / 2.0, galley, tokens.t2);
            "not measured".to_owned()
        };
        let response = ui.interact(place, ui.scope_id().with("forest"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Cell, true, format!("Effect: {words}")));
        response.on_hover_text(words);
    }

    /// Draws the labels of the axis below the rows; `left` is where the column begins.
    pub(super) fn axis_ui(ui: &Ui, left: f32, top: f32) {
        let place = Rect::from_min_size(pos2(left, top), vec2(WIDTH, AXIS));
        let color = Tokens::of(ui).t2;
        for (share, words) in
            [(-1.0, "−100%"), (-0.5, "−50%"), (0.0, "0%"), (0.5, "+50%"), (1.0, "+100%")]
        {
            let at = pos2(x_of(place, share), place.center().y);
            ui.painter().text(at, Align2::CENTER_CENTER, words, Type::Small.font(), color);
        }
    }

    fn mark(&self, table: &Table, row: usize) -> Option<(f64, (f64, f64))> {
        let Some(Cell::Interval(_, low, high)) = cell(table, row, self.interval) else {
            return None;
        };
        Some((cell(table, row, self.value)?.value()?, (*low, *high)))
    }

    fn mark_ui(ui: &Ui, place: Rect, (share, low, high): (f64, f64, f64), look: Look) {
        let painter = ui.painter();
        let (y, line) = (place.center().y, Stroke::new(2.0, look.color));
        let (left, right) = (x_of(place, low), x_of(place, high));
        painter.hline(left..=right, y, line);
        for (end, share) in [(left, low), (right, high)] {
            if share.abs() <= 1.0 {
                painter.vline(end, y - DOT..=y + DOT, line);
            }
        }
        if 1.0 < high {
            // Beyond the axis: an arrow, with the value where that is beyond it, too.
            let tip = pos2(right + 6.0, y);
            let back = [pos2(right, y - DOT), pos2(right, y + DOT)];
            let arrow =
                Shape::convex_polygon(vec![tip, back[0], back[1]], look.color, Stroke::NONE);
            painter.add(arrow);
        }
        if 1.0 < share {
            let words = text::format_share(share);
            let at = pos2(right - GAP, y);
            let galley = Spans::plain(Type::Small, &words, look.color).galley(ui);
            let min = pos2(at.x - galley.size().x, y - galley.size().y - 1.0);
            painter.galley(min, galley, look.color);
            return;
        }
        let at = pos2(x_of(place, share), y);
        match look.mark {
            Mark::Filled => drop(painter.circle_filled(at, DOT + 0.5, look.color)),
            Mark::Hollow => {
                let fill = Tokens::of(ui).card;
                painter.circle(at, DOT, fill, Stroke::new(1.5, look.color));
            }
            Mark::Triangle => {
                let points = [vec2(0.0, -5.5), vec2(5.0, 4.0), vec2(-5.0, 4.0)];
                let points = points.map(|offset| at + offset).into();
                painter.add(Shape::convex_polygon(points, look.color, Stroke::NONE));
            }
        }
    }
}

/// Between the value and the end of the axis.
const GAP: f32 = size::GAP_SMALL;

/// How the dot of a row looks.
#[derive(Clone, Copy, Debug)]
struct Look {
    mark: Mark,
    color: Color32,
}

#[derive(Clone, Copy, Debug)]
enum Mark {
    Filled,
    Hollow,
    Triangle,
}

fn look(tokens: &Tokens, verdict: Option<&Cell>) -> Look {
    match verdict {
        Some(Cell::Text(words)) if words.starts_with("Helps") => {
            Look { mark: Mark::Filled, color: tokens.good }
        }
        Some(Cell::Text(words)) if words.starts_with("Makes it worse") => {
            Look { mark: Mark::Triangle, color: tokens.fair }
        }
        _ => Look { mark: Mark::Hollow, color: tokens.t2 },
    }
}

fn cell<'a>(table: &'a Table, row: usize, key: &str) -> Option<&'a Cell> {
    table.rows.get(row)?.cells.get(table.position(key)?)
}

/// Where a share is on the axis from −100% to +100%; beyond it, at the end.
#[expect(clippy::cast_possible_truncation, reason = "a place on screen")]
fn x_of(place: Rect, share: f64) -> f32 {
    let half = place.width() / 2.0 - MARGIN;
    place.center().x + half * share.clamp(-1.0, 1.0) as f32
}
