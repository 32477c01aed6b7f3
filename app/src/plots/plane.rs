//! The common base of all plots: axes with ticks and units, labels of limits in the margin, and a
//! view that pointer, keys, and buttons move. `egui_plot` draws, pans, and zooms.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui::{
    Align2, Color32, Context, EventFilter, Id, Key, PointerButton, Rangef, Response, Role, Stroke,
    StrokeKind, Ui, Vec2, WidgetInfo, vec2,
};
use egui_plot::{
    AxisHints, GridInput, GridMark, HPlacement, HoverPosition, Plot, PlotBounds, PlotMemory,
    PlotTransform, PlotUi, VPlacement,
};

use jitterscope_engine::report::chart::{ROW_SHARE, row_ticks};

use super::axis::{AxisKind, Tick, narrow};
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;
use crate::widgets::keys::is_escape_held;
use crate::widgets::paint::focus_ring;

/// Zoom factor of one step by wheel, key, or button.
const STEP: f32 = 1.4;
/// Minimum visible time range, in seconds.
pub(super) const SHORTEST: f64 = 1e-4;
/// Minimum distance between two grid lines, and the distance at which grid lines have their full
/// strength, in points.
const GRID: Rangef = Rangef { min: 2.0, max: 24.0 };
/// Minimum distance between two tick labels, horizontally and vertically, in points.
const WORDS: (f32, f32) = (70.0, 32.0);
/// How many labels of decades have room in a row where one label of another axis has.
const DECADE_SHARE: f64 = 0.75;
/// Maximum number of visible labels in a margin: there is no place for more, and each is compared with each.
const MAX_MARGIN: usize = 100;
/// Minimum distance between two labels in the margin, horizontally and vertically, in points.
const MARGIN_WORDS: (f64, f64) = (64.0, 13.0);

/// One axis of a plot.
#[derive(Clone, Debug)]
pub(super) struct Direction<'a> {
    pub(super) axis: AxisKind,
    /// The initially visible range, in the coordinates of the plot.
    pub(super) range: (f64, f64),
    pub(super) label: &'a str,
    /// Names of rows; row `k` extends from `k` to `k + 1`.
    pub(super) names: &'a [String],
    /// Labels in the margin opposite the axis, with their positions.
    pub(super) margin: Vec<(f64, String)>,
}

impl<'a> Direction<'a> {
    /// An axis without rows and without labels in the margin.
    pub(super) const fn new(axis: AxisKind, range: (f64, f64), label: &'a str) -> Self {
        Self { axis, range, label, names: &[], margin: Vec::new() }
    }

    /// A vertical axis of `rows` rows, each with a name.
    pub(super) fn rows(names: &'a [String], rows: f32) -> Self {
        Self { names, ..Self::new(AxisKind::Rows, (0.0, f64::from(rows)), "") }
    }
}

/// Options of a plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) id: Id,
    pub(super) height: f32,
    /// Whether the wheel with Ctrl, or two fingers, zoom one axis: the horizontal one, and with Shift the vertical one.
    pub(super) has_wheel: bool,
    /// Whether the arrow keys move a cursor from cell to cell instead of moving the view.
    pub(super) has_cells: bool,
    /// Id of the group of plots that share the horizontal axis and the cursor.
    pub(super) link: Option<Id>,
    /// Minimum widths of the left and right labels, which align plots below each other.
    pub(super) sides: Option<(f32, f32)>,
}

impl Look {
    /// A plot of which the wheel with Ctrl zooms one axis, on its own.
    pub(super) const fn new(id: Id, height: f32) -> Self {
        Self { id, height, has_wheel: true, has_cells: false, link: None, sides: None }
    }
}

/// A plot without contents: its options and its axes.
#[derive(Clone, Debug)]
pub(super) struct Plane<'a> {
    pub(super) look: Look,
    pub(super) x: Direction<'a>,
    pub(super) y: Direction<'a>,
}

/// A requested change of the view of a plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Move {
    ZoomIn,
    ZoomOut,
    /// Shows all data, and follows new data.
    Reset,
    /// Stops following new data.
    Pause,
    /// Resets the vertical axis to all values, and preserves the time range.
    AllValues,
    /// Centers this position of the horizontal axis.
    Center(f64),
    /// Shows this range of the horizontal axis.
    Show(f64, f64),
}

/// Requests a change of a plot's view, applied the next time the plot is drawn.
pub(super) fn ask(ctx: &Context, plot: Id, to: Move) {
    ctx.data_mut(|data| data.insert_temp(plot.with("move"), Some(to)));
    ctx.request_repaint();
}

/// Locks the view of a plot while a range is dragged in the plot, or unlocks the view again.
pub(super) fn hold(ctx: &Context, plot: Id, is_held: bool) {
    ctx.data_mut(|data| data.insert_temp(plot.with("held"), is_held));
}

/// Returns the last visible range of a plot's horizontal axis; `None` unless the user zoomed or
/// moved this axis.
pub(super) fn moved_range(ctx: &Context, plot: Id) -> Option<(f64, f64)> {
    let memory = PlotMemory::load(ctx, plot).filter(|memory| !memory.auto_bounds.x)?;
    let range = memory.bounds().range_x();
    Some((*range.start(), *range.end()))
}

/// Returns whether a plot shows a range other than all of its data.
pub(super) fn is_moved(ctx: &Context, plot: Id) -> bool {
    PlotMemory::load(ctx, plot).is_some_and(|memory| !memory.auto_bounds.all())
}

impl Plane<'_> {
    /// Draws the plot with these items; `readout` returns the tooltip text.
    pub(super) fn show<'p>(
        &'p self,
        ui: &mut Ui,
        readout: impl Fn(&HoverPosition<'_>) -> Option<String> + 'p,
        items: impl FnOnce(&mut PlotUi<'p>) + 'p,
    ) -> (Response, PlotTransform) {
        let tokens = Tokens::of(ui);
        let look = self.look;
        let is_new = PlotMemory::load(ui.ctx(), look.id).is_none();
        let (x_spacer, x_text, _) = self.x.ticks(WORDS.0);
        let (y_spacer, y_text, y_ticks) = self.y.ticks(WORDS.1);
        let hints = |hints: AxisHints<'p>, label: &str| {
            hints
                .label(Type::Axis.text(crate::text::capitalized(label)).color(tokens.t2))
                .tick_label_color(tokens.t2)
                .tick_label_font(Type::Axis.font())
                .label_spacing(Rangef::new(1.0, 2.0))
        };
        // Room for labels such as "0.8": wider ones overlap the label of the axis in the frame in which they appear. At
        // the right end, room for half of a label such as "100 ms", together with the padding of the card.
        let default = (if self.y.names.is_empty() { 34.0 } else { 60.0 }, 8.0);
        let (left, right) = look.sides.unwrap_or(default);
        let x_axis = hints(AxisHints::new_x(), self.x.label).formatter(x_text);
        let mut x_axes = vec![x_axis.min_thickness(self.x.thickness(ui))];
        let y_axis = hints(AxisHints::new_y(), self.y.label).formatter(y_text).min_thickness(left);
        let mut y_axes = vec![y_axis];
        if !self.x.margin.is_empty() {
            let axis = hints(AxisHints::new_x(), "").placement(VPlacement::Top);
            x_axes.push(
                axis.formatter(|mark, range| self.x.margin_text(mark, range, MARGIN_WORDS.0)),
            );
        }
        if !self.y.margin.is_empty() || 0.0 < right {
            let axis = hints(AxisHints::new_y(), "").placement(HPlacement::Right);
            let axis = if 0.0 < right { axis.min_thickness(right) } else { axis };
            y_axes.push(
                axis.formatter(|mark, range| self.y.margin_text(mark, range, MARGIN_WORDS.1)),
            );
        }
        let has_rows = !self.y.names.is_empty();
        // Dragging with Shift selects a range instead of moving the view.
        let is_held = ui.input(|input| input.modifiers.shift)
            || ui.data(|data| data.get_temp(look.id.with("held"))).unwrap_or(false);
        let mut plot = Plot::new("plot")
            .id(look.id)
            .width(ui.available_width())
            .height(look.height)
            .default_x_bounds(self.x.range.0, self.x.range.1)
            .default_y_bounds(self.y.range.0, self.y.range.1)
            .invert_y(has_rows)
            .allow_drag([!is_held, !is_held && !has_rows])
            .allow_zoom([!look.has_wheel, !look.has_wheel && !has_rows])
            .allow_scroll(false)
            .allow_axis_zoom_drag([!is_held, !is_held && !has_rows])
            .allow_boxed_zoom(!has_rows)
            .boxed_zoom_pointer_button(PointerButton::Secondary)
            .show_y(false)
            .label_formatter(readout)
            .cursor_color(tokens.t3)
            .grid_color(tokens.grid)
            .grid_fade(0.5)
            .grid_spacing(GRID)
            .custom_x_axes(x_axes)
            .custom_y_axes(y_axes)
            .x_grid_spacer(x_spacer)
            .y_grid_spacer(y_spacer);
        if let Some(link) = look.link {
            plot = plot.link_axis(link, [true, false]).link_cursor(link, [true, false]);
        }
        let width = self.x.range.1 - self.x.range.0;
        let extent = self.x.extent();
        let shown = plot.show(ui, move |plot| {
            if is_new {
                // Axes follow the data until the user moves them.
                plot.set_auto_bounds(true);
            }
            handle_input(plot, &look, extent, width, has_rows);
            items(plot);
        });
        // The width of the axis labels is known only after they are drawn. If it changed, this
        // frame is drawn again, because the next frame may be a second away.
        if has_other_width(ui, look.id.with("words"), &y_ticks.borrow()) {
            ui.ctx().request_discard("the words of the axes of a plot");
        }
        focus_ring(ui, &shown.response);
        (shown.response, shown.transform)
    }
}

/// Returns whether the axis labels are wider or narrower than in the last frame, whose width was
/// reserved in this frame.
fn has_other_width(ui: &Ui, id: Id, ticks: &[Tick]) -> bool {
    let color = Tokens::of(ui).t2;
    let width = |tick: &Tick| Spans::plain(Type::Axis, &tick.text, color).galley(ui).size().x;
    let width = ticks.iter().map(width).fold(0.0, f32::max);
    let before: Option<f32> = ui.data(|data| data.get_temp(id));
    ui.data_mut(|data| data.insert_temp(id, width));
    before.is_none_or(|before| 0.5 < (before - width).abs())
}

/// Handles wheel, keys, and buttons that `egui_plot` does not handle.
fn handle_input(
    plot: &mut PlotUi<'_>,
    look: &Look,
    extent: (f64, f64),
    whole: f64,
    has_rows: bool,
) {
    let ctx = plot.ctx().clone();
    let response = plot.response().clone();
    let id = look.id.with("move");
    let requested = ctx.data(|data| data.get_temp::<Option<Move>>(id)).flatten();
    if requested.is_some() {
        ctx.data_mut(|data| data.insert_temp(id, None::<Move>));
    }
    let (mut zoom, mut pan, mut is_reset) = (None, Vec2::ZERO, requested == Some(Move::Reset));
    match requested {
        Some(Move::ZoomIn) => zoom = Some(STEP),
        Some(Move::ZoomOut) => zoom = Some(1.0 / STEP),
        _ => {}
    }
    let mut bounds = plot.plot_bounds();
    let mut follows = plot.auto_bounds();
    let shown = (bounds.min()[0], bounds.max()[0]);
    if let Some((from, to)) = kept_in_sight(shown, extent).filter(|_| !follows.x) {
        plot.set_plot_bounds_x(from..=to);
        bounds.set_x(&PlotBounds::from_min_max([from, 0.0], [to, 0.0]));
        ctx.request_repaint();
    }
    let mut center = bounds.center();
    match requested {
        Some(Move::Pause) => plot.set_auto_bounds([false, follows.y]),
        Some(Move::AllValues) => plot.set_auto_bounds([follows.x, true]),
        Some(Move::Show(from, to)) => {
            plot.set_plot_bounds_x(from..=to);
            plot.set_auto_bounds([false, true]);
        }
        Some(Move::Center(x)) => {
            plot.translate_bounds(vec2(narrow(x - center.x), 0.0));
            plot.set_auto_bounds([false, follows.y]);
        }
        _ => {}
    }
    if response.clicked() {
        response.request_focus();
    }
    if response.has_focus() {
        let filter = EventFilter {
            horizontal_arrows: true,
            vertical_arrows: true,
            escape: is_escape_held(&ctx),
            ..EventFilter::default()
        };
        ctx.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    }
    if has_keys(&response) {
        ctx.input(|input| {
            if input.modifiers.any() && !input.modifiers.shift {
                return;
            }
            let is_free = !input.modifiers.shift;
            let pressed = |key| f32::from(u8::from(is_free && input.key_pressed(key)));
            pan.x = pressed(Key::ArrowRight) - pressed(Key::ArrowLeft);
            pan.y = pressed(Key::ArrowUp) - pressed(Key::ArrowDown);
            if input.key_pressed(Key::Plus) || input.key_pressed(Key::Equals) {
                zoom = Some(STEP);
            } else if input.key_pressed(Key::Minus) {
                zoom = Some(1.0 / STEP);
            }
            is_reset |= input.key_pressed(Key::Num0);
        });
    }
    // Without Ctrl, the wheel scrolls the page, of which a plot may cover most.
    let (wheel, is_vertical) = ctx.input(|input| (input.zoom_delta(), input.modifiers.shift));
    if look.has_wheel && response.contains_pointer() && f32::EPSILON < (wheel - 1.0).abs() {
        center = plot.pointer_coordinate().unwrap_or(center);
        if is_vertical && !has_rows {
            plot.zoom_bounds(vec2(1.0, wheel), center);
            follows.y = false;
            plot.set_auto_bounds(follows);
        } else {
            zoom = Some(wheel);
        }
    }
    if pan != Vec2::ZERO && !look.has_cells {
        pan.y *= f32::from(u8::from(!has_rows));
        let size = vec2(narrow(bounds.width()), narrow(bounds.height())) * 0.1;
        plot.translate_bounds(pan * size);
        follows.x &= pan.x == 0.0;
        follows.y &= pan.y == 0.0;
        plot.set_auto_bounds(follows);
    }
    if let Some(zoom) = zoom {
        plot.zoom_bounds(vec2(zoom, 1.0), center);
        // After zooming out to all data or more, the horizontal axis follows the data again.
        follows.x = zoom < 1.0 && whole <= bounds.width() / f64::from(zoom);
        plot.set_auto_bounds(follows);
    }
    if is_reset {
        plot.set_auto_bounds(true);
    }
}

/// Returns the corrected range of the horizontal axis: the middle of the range is within the data,
/// and the range is at most twice as long as the data. `None` if no correction is required.
fn kept_in_sight(shown: (f64, f64), extent: (f64, f64)) -> Option<(f64, f64)> {
    let (width, middle) = (shown.1 - shown.0, f64::midpoint(shown.0, shown.1));
    let most = 2.0 * (extent.1 - extent.0);
    let is_within = width <= most * (1.0 + 1e-9) && extent.0 <= middle && middle <= extent.1;
    // Without data, or with an infinite range, no correction is possible.
    if is_within || !(0.0 < most && most.is_finite() && width.is_finite()) {
        return None;
    }
    let half = width.min(most) / 2.0;
    let middle = middle.clamp(extent.0, extent.1);
    Some((middle - half, middle + half))
}

/// Returns whether keys apply to this plot: the plot has the focus, or the pointer is over the plot
/// and no widget has the focus.
pub(super) fn has_keys(response: &Response) -> bool {
    let is_free = || response.ctx.memory(|memory| memory.focused().is_none());
    response.has_focus() || response.hovered() && is_free()
}

/// Draws the text about the keyboard cursor in a box at the top right of a plot.
pub(super) fn read_out(ui: &Ui, response: &Response, words: &str) {
    let tokens = Tokens::of(ui);
    let galley = Spans::plain(Type::Label, words, tokens.t1).galley(ui);
    let size = galley.size() + vec2(16.0, 8.0);
    let rect = Align2::RIGHT_TOP.align_size_within_rect(size, response.rect.shrink(4.0));
    let stroke = Stroke::new(1.0, tokens.line2);
    ui.painter().rect(rect, size::RADIUS, tokens.pop, stroke, StrokeKind::Inside);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t1);
}

/// Sets the accessible label of a plot: a summary in one sentence.
pub(super) fn describe(response: &Response, summary: &str) {
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, summary));
}

type Spacer = Box<dyn Fn(GridInput) -> Vec<GridMark>>;
type Formatter = Box<dyn Fn(GridMark, &std::ops::RangeInclusive<f64>) -> String>;

impl Direction<'_> {
    /// Returns the range that has data. On a time axis, data starts at 0, although a live plot
    /// initially shows only the last seconds.
    fn extent(&self) -> (f64, f64) {
        let first = if self.axis == AxisKind::Time { 0.0 } else { self.range.0 };
        (self.range.0.min(first), self.range.1)
    }

    /// Returns the height to reserve for the tick labels and the axis label below. It is the same
    /// even if no tick has a label: otherwise, the first label to appear would overlap the axis
    /// label.
    fn thickness(&self, ui: &Ui) -> f32 {
        let ticks = ui.painter().layout_no_wrap("0".to_owned(), Type::Axis.font(), Color32::GRAY);
        // `egui_plot` adds a quarter of the height of the axis label as a gap.
        let label = if self.label.is_empty() { 0.0 } else { 1.25 * Type::Axis.line_height() };
        ticks.size().y + label
    }

    /// Returns the functions that place grid lines and format their labels, and the ticks of the
    /// last grid. Labels are at least `apart` points apart.
    fn ticks(&self, apart: f32) -> (Spacer, Formatter, Rc<RefCell<Vec<Tick>>>) {
        let (axis, names) = (self.axis, self.names.to_vec());
        let margin: Vec<f64> = self.margin.iter().map(|one| one.0).collect();
        let drawn: Rc<RefCell<Vec<Tick>>> = Rc::default();
        let (written, shown) = (Rc::clone(&drawn), Rc::clone(&drawn));
        let spacer = move |input: GridInput| {
            let (from, to) = input.bounds;
            let step = input.base_step_size / f64::from(GRID.min) * f64::from(apart);
            let length = (to - from) / step;
            let mut ticks = match axis {
                // Below a plot, names need as much room as other labels.
                AxisKind::Rows if WORDS.0 <= apart => {
                    row_ticks(&names, (from, to), length * ROW_SHARE)
                }
                AxisKind::Rows => row_ticks(&names, (from, to), length),
                // Side by side, labels of decades such as "100 ms" need more room than below each other.
                AxisKind::LogNanos | AxisKind::LogTime if WORDS.0 <= apart => {
                    axis.ticks((from, to), length * DECADE_SHARE)
                }
                axis => axis.ticks((from, to), length),
            };
            // A label at the lower end of a vertical axis is omitted: in the corner, it would
            // overlap a label of the horizontal axis.
            let is_upright = apart < WORDS.0;
            for tick in &mut ticks {
                if is_upright && axis == AxisKind::LogTime && tick.at - from < step * 0.1 {
                    tick.text.clear();
                }
            }
            let mark = |tick: &Tick| GridMark { value: tick.at, step_size: tick.step };
            let mut marks: Vec<GridMark> = ticks.iter().map(mark).collect();
            let seen = margin.iter().filter(|at| (from..=to).contains(*at)).take(MAX_MARGIN);
            // The large step makes `egui_plot` draw a label in the margin even if its neighbors are
            // close.
            marks.extend(seen.map(|&value| GridMark { value, step_size: (to - from) * 9.0 }));
            *drawn.borrow_mut() = ticks;
            marks
        };
        let formatter = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| {
            let ticks = written.borrow();
            let is_it = |tick: &&Tick| {
                (tick.at - mark.value).abs() <= tick.step * 1e-6
                    && (tick.step - mark.step_size).abs() <= tick.step * 1e-6
            };
            ticks.iter().find(is_it).map_or_else(String::new, |tick| tick.text.clone())
        };
        (Box::new(spacer), Box::new(formatter), shown)
    }

    /// Returns the label in the margin at a position. Labels close to each other are joined at the
    /// position of the first label; the positions of the others get an empty text.
    fn margin_text(
        &self,
        mark: GridMark,
        range: &std::ops::RangeInclusive<f64>,
        apart: f64,
    ) -> String {
        let (from, to) = (*range.start(), *range.end());
        if mark.step_size < (to - from) * 8.0 {
            return String::new();
        }
        // An assumed plot length of `MARGIN_LENGTH` converts the distance from points to plot
        // coordinates.
        let near = (to - from) * apart / MARGIN_LENGTH;
        let mut places: Vec<&(f64, String)> = self
            .margin
            .iter()
            .filter(|one| (from..=to).contains(&one.0))
            .take(MAX_MARGIN)
            .collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut groups: Vec<(f64, f64, Vec<&str>)> = Vec::new();
        for (at, words) in places {
            match groups.last_mut().filter(|group| *at - group.1 < near) {
                Some(group) => {
                    group.1 = *at;
                    group.2.push(words);
                }
                None => groups.push((*at, *at, vec![words])),
            }
        }
        let own = groups.into_iter().find(|group| (group.0 - mark.value).abs() <= near * 1e-9);
        own.map_or_else(String::new, |group| group.2.join(" · "))
    }
}

/// Assumed length of a plot, in points, by which labels in its margin count as close to each other.
const MARGIN_LENGTH: f64 = 240.0;

#[cfg(test)]
mod tests {
    use eframe::egui::RawInput;

    use super::*;
    use crate::theme;

    fn direction(margin: &[(f64, &str)]) -> Direction<'static> {
        let margin = margin.iter().map(|(at, words)| (*at, (*words).to_owned())).collect();
        Direction { axis: AxisKind::Number, range: (0.0, 10.0), label: "", names: &[], margin }
    }

    fn words(direction: &Direction<'_>, at: f64) -> String {
        let mark = GridMark { value: at, step_size: 90.0 };
        direction.margin_text(mark, &(0.0..=10.0), MARGIN_WORDS.1)
    }

    #[test]
    fn a_view_stays_with_its_data() {
        let data = (0.0, 30.0);
        assert_eq!(kept_in_sight((10.0, 20.0), data), None);
        assert_eq!(kept_in_sight((-14.0, 16.0), data), None, "half of it is empty");
        assert_eq!(kept_in_sight((-345.0, -250.0), data), Some((-30.0, 30.0)));
        assert_eq!(kept_in_sight((-380.0, 240.0), data), Some((-30.0, 30.0)));
        assert_eq!(kept_in_sight((40.0, 50.0), data), Some((25.0, 35.0)));
        assert_eq!(kept_in_sight((40.0, 50.0), (0.0, 0.0)), None);
    }

    #[test]
    fn a_plot_is_as_high_without_tick_labels_as_with_them() {
        let ctx = Context::default();
        theme::install(&ctx);
        let height = |name: &str, range: (f64, f64)| {
            let x =
                Direction { axis: AxisKind::LogNanos, range, label: "lateness", ..direction(&[]) };
            let look = Look {
                id: Id::unique(name),
                height: 200.0,
                has_wheel: false,
                has_cells: false,
                link: None,
                sides: None,
            };
            let plane = Plane { look, x, y: direction(&[]) };
            let mut height = 0.0;
            let mut output = ctx.run_ui(RawInput::default(), |ui| {
                height = plane.show(ui, |_| None, |_| {}).1.frame().height();
            });
            output.textures_delta.clear();
            height
        };
        // Between 3 µs and 4.5 µs, no tick has a label.
        let unlabeled = (3_000_f64.log10(), 4_500_f64.log10());
        let ticks = AxisKind::LogNanos.ticks(unlabeled, 2.0);
        assert!(ticks.iter().all(|tick| tick.text.is_empty()), "{ticks:?}");
        let (empty, labeled) = ("without labels", "with labels");
        height(labeled, (2.0, 6.0));
        let second = height(labeled, (2.0, 6.0));
        let first = height(empty, unlabeled);
        assert!((first - second).abs() < 0.5, "{first} and {second}");
        let again = height(empty, unlabeled);
        assert!((again - second).abs() < 0.5, "{again} and {second}");
    }

    #[test]
    fn words_of_limits_that_are_close_share_a_line() {
        let close = direction(&[(5.1, "bad"), (5.0, "typical"), (9.0, "frame")]);
        assert_eq!(words(&close, 5.0), "typical · bad");
        assert_eq!(words(&close, 5.1), "");
        assert_eq!(words(&close, 9.0), "frame");
    }

    #[test]
    fn limits_out_of_sight_have_no_words() {
        let (spacer, text, _) = direction(&[(50.0, "bad"), (5.0, "typical")]).ticks(32.0);
        let marks = spacer(GridInput { bounds: (0.0, 10.0), base_step_size: 0.1 });
        assert!(marks.iter().all(|mark| mark.value <= 10.0), "{marks:?}");
        let limit = marks.last().unwrap();
        assert_eq!(text(*limit, &(0.0..=10.0)), "", "the near side has only its ticks");
    }
}
