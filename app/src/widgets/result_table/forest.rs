//! The forest plot, a column of a table: each row has a dot for a relative change and a line for
//! its confidence interval. All rows have the same axis.

use eframe::egui::{Align2, Color32, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::report::Table;
use jitterscope_engine::report::table::Cell;

use super::prepared::Prepared;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::spans::Spans;

/// Width of the plot in points.
pub(super) const WIDTH: f32 = 250.0;
/// Height of the axis labels below the rows, in points.
pub(super) const AXIS: f32 = 20.0;
/// Margin at the left and at the right end of the axis, in points.
const MARGIN: f32 = 20.0;
const DOT: f32 = 4.0;

/// The columns of a table from which a forest plot is drawn. The plot is to the right of the column
/// of intervals.
#[derive(Clone, Copy, Debug)]
pub struct ForestPlot {
    /// Key of the column of relative changes, the dots.
    pub value: &'static str,
    /// Key of the column of the confidence intervals of the changes.
    pub interval: &'static str,
    /// Key of the column of results, such as "Helps". A result determines the marker and the color
    /// of the dot.
    pub verdict: &'static str,
    /// Headings of the two sides of the axis: below 0 and above 0, such as "less late" and "later".
    pub sides: (&'static str, &'static str),
}

/// A relative change with the ends of its confidence interval: 0 is no change, 1.0 is +100%.
#[derive(Clone, Copy)]
struct Effect {
    share: f64,
    low: f64,
    high: f64,
}

impl ForestPlot {
    /// Draws the headings of both sides.
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

    /// Draws the dot and the interval of a row of a table.
    pub(super) fn row_ui(&self, ui: &mut Ui, prepared: &Prepared, row: Option<usize>) {
        let table = &prepared.table;
        let place = ui.max_rect();
        let tokens = Tokens::of(ui);
        for share in [-1.0, -0.5, 0.5, 1.0] {
            ui.painter().vline(x_of(place, share), place.y_range(), (1.0, tokens.line));
        }
        let zero = [pos2(x_of(place, 0.0), place.top()), pos2(x_of(place, 0.0), place.bottom())];
        ui.painter().extend(Shape::dashed_line(&zero, Stroke::new(1.0, tokens.target), 4.0, 3.0));
        let words = if let Some(effect) = row.and_then(|row| self.effect(table, row)) {
            let verdict = row.and_then(|row| cell(table, row, self.verdict));
            Self::mark_ui(ui, place, effect, look(tokens, verdict));
            let Effect { share, low, high } = effect;
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

    /// Draws the axis labels, `−100%` to `+100%`, below the rows. `left` is the left edge of the
    /// plot, `top` the top edge of the labels.
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

    fn effect(&self, table: &Table, row: usize) -> Option<Effect> {
        let Some(Cell::Interval(_, low, high)) = cell(table, row, self.interval) else {
            return None;
        };
        let share = cell(table, row, self.value)?.value()?;
        Some(Effect { share, low: *low, high: *high })
    }

    fn mark_ui(ui: &Ui, place: Rect, effect: Effect, look: Look) {
        let Effect { share, low, high } = effect;
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
            // The interval extends beyond the axis: draw an arrow at the end of the axis. If the
            // change is also beyond the axis, a number replaces the dot (below).
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

/// Gap between the number of a change beyond the axis and the end of the axis, in points.
const GAP: f32 = size::GAP_SMALL;

/// How the dot of a row is drawn.
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

/// Returns the horizontal position of a relative change on the axis, which reaches from −100%
/// (−1.0) to +100% (1.0). A change beyond the axis gets the position of the end.
#[expect(clippy::cast_possible_truncation, reason = "a place on screen")]
fn x_of(place: Rect, share: f64) -> f32 {
    let half = place.width() / 2.0 - MARGIN;
    place.center().x + half * share.clamp(-1.0, 1.0) as f32
}
