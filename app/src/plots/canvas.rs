//! What all plots stand on: axes, grid and background by `egui_plot`, and a painter within them.

use eframe::egui::{
    Align2, Color32, Painter, Pos2, Rangef, Rect, Response, Role, Sense, Shape, Stroke, Ui, Vec2,
    WidgetInfo, pos2,
};
use egui_plot::{AxisHints, GridMark, Plot, PlotPoint, PlotTransform};

use super::axis::{Axis, Tick};
use crate::theme::tokens::Dash;
use crate::theme::{Tokens, Type};
use crate::widgets::paint::focus_ring;

/// How far the words of a line should keep from marks.
const MARGIN: f32 = 4.0;

/// One axis of a plot: what it shows, and from where to where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) axis: Axis,
    pub(super) range: (f64, f64),
    pub(super) label: &'a str,
}

impl Side<'_> {
    fn ticks(&self, step: f64) -> Vec<Tick> {
        self.axis.ticks(self.range.0, self.range.1, step)
    }

    /// Minimum distance between two labels, in points.
    fn step(&self, points: f32, length: f32) -> f64 {
        (self.range.1 - self.range.0) * f64::from(points) / f64::from(length.max(1.0))
    }
}

/// A plot without its contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Canvas<'a> {
    pub(super) name: &'a str,
    pub(super) height: f32,
    pub(super) x: Side<'a>,
    pub(super) y: Side<'a>,
}

/// Position of a plot on the screen: draws in its coordinates.
pub(super) struct Area {
    pub(super) response: Response,
    pub(super) painter: Painter,
    transform: PlotTransform,
}

impl Canvas<'_> {
    /// Shows axes and grid.
    pub(super) fn show(&self, ui: &mut Ui, sense: Sense) -> Area {
        let tokens = Tokens::of(ui);
        let hints = |hints: AxisHints<'static>, label: &str| {
            hints
                .label(Type::Axis.text(label).color(tokens.t2))
                .tick_label_color(tokens.t2)
                .tick_label_font(Type::Axis.font())
                .label_spacing(Rangef::new(1.0, 2.0))
        };
        let x_ticks = self.x.ticks(self.x.step(70.0, ui.available_width()));
        let y_ticks = self.y.ticks(self.y.step(32.0, self.height));
        let x_axis = hints(AxisHints::new_x(), self.x.label).formatter(label_of(x_ticks.clone()));
        let y_axis = hints(AxisHints::new_y(), self.y.label)
            .formatter(label_of(y_ticks.clone()))
            .min_thickness(30.0);
        let (x, y) = (self.x.range, self.y.range);
        let shown = Plot::new(self.name)
            .width(ui.available_width())
            .height(self.height)
            .sense(sense)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .allow_axis_zoom_drag(false)
            .show_x(false)
            .show_y(false)
            .label_formatter(|_| None)
            .cursor_color(Color32::TRANSPARENT)
            .grid_color(tokens.grid)
            .grid_fade(0.5)
            .grid_spacing(Rangef::new(2.0, 24.0))
            .custom_x_axes(vec![x_axis])
            .custom_y_axes(vec![y_axis])
            .x_grid_spacer(move |_| marks(&x_ticks))
            .y_grid_spacer(move |_| marks(&y_ticks))
            .show(ui, |plot| {
                plot.set_plot_bounds_x(x.0..=x.1);
                plot.set_plot_bounds_y(y.0..=y.1);
            });
        focus_ring(ui, &shown.response);
        let painter = ui.painter().with_clip_rect(shown.response.rect.intersect(ui.clip_rect()));
        Area { response: shown.response, painter, transform: shown.transform }
    }
}

fn marks(ticks: &[Tick]) -> Vec<GridMark> {
    ticks.iter().map(|tick| GridMark { value: tick.at, step_size: tick.step }).collect()
}

fn label_of(
    ticks: Vec<Tick>,
) -> impl Fn(GridMark, &std::ops::RangeInclusive<f64>) -> String + 'static {
    move |mark, _| {
        let near = |tick: &&Tick| (tick.at - mark.value).abs() <= tick.step * 1e-6;
        ticks.iter().find(near).map_or_else(String::new, |tick| tick.text.clone())
    }
}

impl Area {
    /// The rectangle of the plot within its axes.
    pub(super) const fn rect(&self) -> Rect {
        self.response.rect
    }

    /// Position of a point of the plot on the screen.
    pub(super) fn at(&self, x: f64, y: f64) -> Pos2 {
        self.transform.position_from_point(&PlotPoint::new(x, y))
    }

    /// The point of the plot at a place on the screen.
    pub(super) fn value_at(&self, place: Pos2) -> (f64, f64) {
        let point = self.transform.value_from_position(place);
        (point.x, point.y)
    }

    /// Values that one point of the screen spans.
    pub(super) fn per_point(&self) -> (f64, f64) {
        let [x, y] = self.transform.dvalue_dpos();
        (x.abs(), y.abs())
    }

    /// Draws text at a place on the screen.
    pub(super) fn text(&self, at: Pos2, anchor: Align2, text: &str, color: Color32) -> Rect {
        self.painter.text(at, anchor, text, Type::Axis.font(), color)
    }

    /// Draws a dashed horizontal line with its label, where it covers the fewest of these marks:
    /// above its left end without marks.
    pub(super) fn limit(&self, y: f64, text: &str, color: Color32, marks: &[Pos2]) {
        let rect = self.rect();
        let level = self.at(0.0, y).y;
        let path = [pos2(rect.left(), level), pos2(rect.right(), level)];
        self.painter.extend(Dash::LIMIT.line(&path, Stroke::new(1.0, color)));
        let galley = self.painter.layout_no_wrap(text.to_owned(), Type::Axis.font(), color);
        let places = label_places(rect, level, galley.size());
        let (ctx, id) = (&self.response.ctx, self.response.id.with(text));
        let before = ctx.data(|data| data.get_temp::<usize>(id)).unwrap_or(0);
        // Marks farther from the line than its words are high lie under none of the places.
        let reach = galley.size().y + MARGIN + 2.0;
        let is_neighbor = |mark: &&Pos2| (mark.y - level).abs() <= reach;
        let neighbors: Vec<Pos2> = marks.iter().filter(is_neighbor).copied().collect();
        let selected = min_covering(&places, &neighbors, before);
        ctx.data_mut(|data| data.insert_temp(id, selected));
        if let Some(place) = places.get(selected) {
            self.painter.galley(place.min, galley, color);
        }
    }

    /// Draws a dashed vertical line with its label at its upper end, in this row from the top.
    pub(super) fn upright(&self, x: f64, row: u8, text: &str, color: Color32) {
        let rect = self.rect();
        let place = self.at(x, 0.0).x;
        if !rect.x_range().contains(place) {
            return;
        }
        let path = [pos2(place, rect.top()), pos2(place, rect.bottom())];
        self.painter.extend(Dash::LIMIT.line(&path, Stroke::new(1.2, color)));
        let galley = self.painter.layout_no_wrap(text.to_owned(), Type::Axis.font(), color);
        let top = rect.top() + 3.0 + f32::from(row) * galley.size().y;
        let fits = place + 4.0 + galley.size().x < rect.right();
        let left = if fits { place + 4.0 } else { place - 4.0 - galley.size().x };
        self.painter.galley(pos2(left, top), galley, color);
    }

    /// Draws a triangle at the upper or lower edge: there are values beyond it.
    pub(super) fn edge_triangle(&self, x: f32, above: bool, color: Color32) {
        let rect = self.rect();
        let (edge, tip) = if above {
            (rect.top(), rect.top() + 11.0)
        } else {
            (rect.bottom(), rect.bottom() - 11.0)
        };
        let points = vec![pos2(x - 6.0, edge), pos2(x + 6.0, edge), pos2(x, tip)];
        self.painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    }

    /// Shows that there is nothing to draw.
    pub(super) fn nothing(&self, tokens: &Tokens) {
        let (at, font) = (self.rect().center(), Type::Body.font());
        self.painter.text(at, Align2::CENTER_CENTER, "No samples yet", font, tokens.t3);
    }

    /// Names the plot for screen readers: what it shows, in a sentence.
    pub(super) fn describe(&self, summary: &str) {
        self.response.widget_info(|| WidgetInfo::labeled(Role::Image, true, summary));
    }
}

/// Where the words of a level line may stand, the best first: above and below it, from left to right.
fn label_places(plot: Rect, level: f32, size: Vec2) -> Vec<Rect> {
    let room = (plot.width() - size.x - 8.0).max(0.0);
    let mut places = Vec::new();
    for share in [0.0, 1.0, 0.5, 0.25, 0.75] {
        let left = plot.left() + 4.0 + room * share;
        for top in [level - 1.0 - size.y, level + 1.0] {
            let place = Rect::from_min_size(pos2(left, top), size);
            if plot.top() <= place.top() && place.bottom() <= plot.bottom() {
                places.push(place);
            }
        }
    }
    places
}

/// The place with the fewest marks on it; that of before, while no other is much better, so that words
/// do not jump about while samples come in.
fn min_covering(places: &[Rect], marks: &[Pos2], before: usize) -> usize {
    let covered = |place: &Rect| {
        let near = place.expand(MARGIN);
        marks.iter().filter(|mark| near.contains(**mark)).count()
    };
    let counts: Vec<usize> = places.iter().map(covered).collect();
    let Some((min, fewest)) = counts.iter().copied().enumerate().min_by_key(|(_, count)| *count)
    else {
        return 0;
    };
    let may_stay = counts.get(before).is_some_and(|&count| count <= fewest + fewest / 2);
    if may_stay { before } else { min }
}

#[cfg(test)]
mod tests {
    use eframe::egui::vec2;

    use super::*;

    #[test]
    fn words_stand_where_no_mark_is() {
        let plot = Rect::from_min_size(pos2(0.0, 0.0), vec2(500.0, 200.0));
        let places = label_places(plot, 100.0, vec2(120.0, 12.0));
        let check = |marks: &[Pos2], before| places[min_covering(&places, marks, before)];
        assert_eq!(check(&[], 0).left_bottom(), pos2(4.0, 99.0));
        let moved = check(&[pos2(60.0, 95.0)], 0);
        assert!(100.0 < moved.top(), "below the line instead");
        let far = check(&[pos2(60.0, 95.0), pos2(60.0, 105.0)], 0);
        assert!(300.0 < far.left(), "at the other end");
        assert_eq!(check(&[], 3), places[3], "it stays while it may");
    }

    #[test]
    fn words_at_the_edge_stay_within_the_plot() {
        let plot = Rect::from_min_size(pos2(0.0, 0.0), vec2(500.0, 200.0));
        for level in [2.0, 199.0] {
            let places = label_places(plot, level, vec2(120.0, 12.0));
            assert!(places.iter().all(|place| plot.contains_rect(*place)), "{level}");
            assert!(!places.is_empty(), "{level}");
        }
    }
}
