//! The forest plot, a column of a table: each row has a dot for a relative change and a line for
//! its confidence interval. All rows have the same axis.

use eframe::egui::{Align2, Color32, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::report::Table;
use jitterscope_engine::report::chart::Axis;
use jitterscope_engine::report::table::Cell;

use super::columns::ShownColumn;
use super::prepared::Prepared;
use crate::text;
use crate::theme::tokens::Mark;
use crate::theme::{Tokens, Type};
use crate::widgets::mark::series_mark;
use crate::widgets::spans::Spans;

/// Width of the plot in points.
pub(super) const WIDTH: f32 = 250.0;
/// Height of the axis labels below the rows, in points.
pub(super) const AXIS: f32 = 20.0;
/// Margin at the left and at the right of the headings, in points.
const MARGIN: f32 = 10.0;
/// The length of the axis in labels.
const LABELS: f64 = 5.5;
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
struct DrawnEffect {
    share: f64,
    low: f64,
    high: f64,
}

/// A forest plot with its axis, which is the same for all rows.
#[derive(Clone, Debug)]
pub(super) struct ForestView {
    plot: ForestPlot,
    axis: Axis,
    labels: Vec<(f64, String)>,
    /// Position among the visible columns of the column that the plot follows.
    pub(super) after: usize,
}

impl ForestView {
    pub(super) fn new(plot: ForestPlot, prepared: &Prepared, columns: &[ShownColumn]) -> Self {
        let table = &prepared.table;
        let effects = (0..table.rows.len()).filter_map(|row| plot.effect(table, row));
        let ends = effects.flat_map(|DrawnEffect { share, low, high }| [share, low, high]);
        let axis = Axis::changes("", ends);
        Self {
            plot,
            labels: axis.labels(LABELS),
            axis,
            after: place_after(prepared, columns, plot),
        }
    }

    /// Draws the headings of both sides.
    pub(super) fn header_ui(&self, ui: &mut Ui) {
        let place = ui.max_rect();
        let color = Tokens::of(ui).t2;
        for (words, is_right) in [(self.plot.sides.0, false), (self.plot.sides.1, true)] {
            let galley = Spans::plain(Type::TableHeader, words, color).galley(ui);
            let left = place.left() + MARGIN;
            let right = place.right() - MARGIN - galley.size().x;
            let top = place.center().y - galley.size().y / 2.0;
            ui.painter().galley(pos2(if is_right { right } else { left }, top), galley, color);
        }
    }

    /// Draws the dot and the interval of a row of a table.
    pub(super) fn row_ui(&self, ui: &mut Ui, prepared: &Prepared, row: Option<usize>) {
        let table = &prepared.table;
        let place = ui.max_rect();
        let tokens = Tokens::of(ui);
        for (at, _) in &self.labels {
            ui.painter().vline(x_of(place, *at), place.y_range(), (1.0, tokens.line));
        }
        let zero = x_of(place, self.axis.place(0.0));
        let zero = [pos2(zero, place.top()), pos2(zero, place.bottom())];
        ui.painter().extend(Shape::dashed_line(&zero, Stroke::new(1.0, tokens.target), 4.0, 3.0));
        let words = if let Some(effect) = row.and_then(|row| self.plot.effect(table, row)) {
            let verdict = row.and_then(|row| cell(table, row, self.plot.verdict));
            mark_ui(ui, place, &self.axis, effect, look(tokens, verdict));
            let DrawnEffect { share, low, high } = effect;
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

    /// Draws the axis labels below the rows. `left` is the left edge of the plot, `top` the top
    /// edge of the labels.
    pub(super) fn axis_ui(&self, ui: &Ui, left: f32, top: f32) {
        let place = Rect::from_min_size(pos2(left, top), vec2(WIDTH, AXIS));
        let color = Tokens::of(ui).t2;
        for (at, words) in &self.labels {
            let at = pos2(x_of(place, *at), place.center().y);
            ui.painter().text(at, Align2::CENTER_CENTER, words, Type::Small.font(), color);
        }
    }
}

impl ForestPlot {
    fn effect(&self, table: &Table, row: usize) -> Option<DrawnEffect> {
        let Some(Cell::Interval(_, low, high)) = cell(table, row, self.interval) else {
            return None;
        };
        let share = cell(table, row, self.value)?.value()?;
        Some(DrawnEffect { share, low: *low, high: *high })
    }
}

/// Returns the position among the visible columns of the column that a forest plot follows: the
/// column of intervals, the column of values if that is hidden, or else the last column.
fn place_after(prepared: &Prepared, columns: &[ShownColumn], plot: ForestPlot) -> usize {
    let key_of = |shown: &ShownColumn| {
        let column = prepared.grid.columns.get(shown.at)?;
        prepared.table.columns.get(column.column).map(|column| column.key)
    };
    let place = |key| columns.iter().position(|shown| key_of(shown) == Some(key));
    place(plot.interval).or_else(|| place(plot.value)).unwrap_or(columns.len().saturating_sub(1))
}

fn mark_ui(ui: &Ui, place: Rect, axis: &Axis, effect: DrawnEffect, (mark, color): (Mark, Color32)) {
    let painter = ui.painter();
    let (y, line) = (place.center().y, Stroke::new(2.0, color));
    let [low, high, share] =
        [effect.low, effect.high, effect.share].map(|end| x_of(place, axis.place(end)));
    painter.hline(low..=high, y, line);
    for end in [low, high] {
        painter.vline(end, y - DOT..=y + DOT, line);
    }
    if mark == Mark::Ring {
        painter.circle_filled(pos2(share, y), DOT, Tokens::of(ui).card);
    }
    series_mark(painter, pos2(share, y), DOT + 0.5, mark, color);
}

/// Returns the mark of a row and its color.
fn look(tokens: &Tokens, verdict: Option<&Cell>) -> (Mark, Color32) {
    match verdict {
        Some(Cell::Text(words)) if words.starts_with("Helps") => (Mark::Circle, tokens.good),
        Some(Cell::Text(words)) if words.starts_with("Makes it worse") => {
            (Mark::TriangleUp, tokens.fair)
        }
        _ => (Mark::Ring, tokens.t2),
    }
}

fn cell<'a>(table: &'a Table, row: usize, key: &str) -> Option<&'a Cell> {
    table.rows.get(row)?.cells.get(table.position(key)?)
}

/// Returns the horizontal position on screen of a place on the axis, from 0 to 1.
#[expect(clippy::cast_possible_truncation, reason = "a place on screen")]
fn x_of(place: Rect, at: f64) -> f32 {
    place.left() + place.width() * at as f32
}
