//! The timeline: frame time or lateness of every sample over time, live or after the run.

mod contents;
mod data;
mod density;
mod items;
mod marked;
mod notes;
mod range;
mod readout;
mod view;

use std::sync::atomic::{AtomicU64, Ordering};

use eframe::egui::{Align, Align2, Context, Id, Rangef, Rect, Response, Ui};
use egui_plot::{PlotBounds, PlotMemory, PlotPoint, PlotTransform};
use jitterscope_engine::nanos::Nanos;

pub use self::data::{LateMark, TimelineData};
use self::items::Seen;
use self::marked::Marked;
use self::notes::Notes;
use self::range::Selection;
use super::axis::{AxisKind, Scale, columns, narrow};
use super::menu::{controls_ui, menu};
use super::plane::{Direction, Look, Move, Plane, ask, describe, moved_range};
use crate::text;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Hidden, LegendEntry, LegendSwatch, combo, icon_button, legend_row, segmented,
};

/// The displayed value of each sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantity {
    /// Frame time: time since the previous frame.
    #[default]
    Period,
    /// Lateness: actual minus scheduled start.
    Lateness,
}

/// Whether samples are still arriving, and which part of the samples is visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiveWindow {
    /// Samples are still arriving; the samples of the latest seconds are visible, or all samples.
    Running {
        /// The number of latest seconds that are visible; `None` for all samples.
        secs: Option<f64>,
    },
    /// The measurement has ended: all samples are visible.
    Ended,
}

impl LiveWindow {
    /// Returns whether samples are still arriving.
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Running { .. })
    }
}

/// View state of a timeline; the zoom is stored by the plot.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The displayed value of each sample.
    pub quantity: Quantity,
    /// Scale of the values.
    pub scale: Scale,
    /// Position of the selected sample, which is drawn with a ring.
    pub selected: Option<usize>,
    /// Hidden entries of the legend.
    pub hidden: Hidden,
    /// Whether the plot fills the page.
    pub is_enlarged: bool,
    /// Whether strips and lanes are shown below the timeline on the same time axis.
    pub has_below: bool,
    /// Times that were marked during the measurement, in seconds.
    pub marks: Vec<f64>,
    /// Number of latest seconds that are visible during a measurement; `None` for all samples.
    live_secs: Option<u16>,
    /// A time to scroll into view, in seconds.
    wanted: Option<f64>,
    range: Option<Selection>,
    marked: Option<Marked>,
    /// Whether the page scrolls to the timeline in the next frame.
    is_sought: bool,
    notes: Notes,
    /// When the selected sample woke, in seconds.
    pub(super) selected_secs: Option<f64>,
    /// Horizontal extent of the plot on the screen in points, and its visible time range in
    /// seconds; `None` until the plot is drawn.
    shown: Option<(Rangef, (f64, f64))>,
    /// The id of the plot.
    pub(super) id: Id,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            quantity: Quantity::Period,
            scale: Scale::Linear,
            selected: None,
            hidden: Hidden::default(),
            is_enlarged: false,
            has_below: false,
            marks: Vec::new(),
            live_secs: Some(15),
            wanted: None,
            range: None,
            marked: None,
            is_sought: false,
            notes: Notes::default(),
            selected_secs: None,
            shown: None,
            id: fresh_id(),
        }
    }
}

/// Widths of the left and right labels of a timeline with strips or lanes below it, in points.
pub(super) const SIDES: (f32, f32) = (92.0, 118.0);

/// Returns an id that no other view has used, so that a new view shows all data.
fn fresh_id() -> Id {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    Id::unique(("timeline", COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// Minimum width of a card whose header has the control for the scale, in points.
const SCALE_FROM: f32 = 660.0;
/// Minimum height of the plot without the legend above and the rows below, in points.
const MIN_HEIGHT: f32 = 140.0;
/// Positions of the entries in the legend.
const SAMPLES: usize = 0;
const TARGET: usize = 1;
const MISSED: usize = 2;

impl Timeline {
    /// Creates a timeline of lateness on a logarithmic scale, for the causes of late samples.
    pub fn of_lateness() -> Self {
        Self { quantity: Quantity::Lateness, scale: Scale::Log, ..Self::default() }
    }

    /// Returns the visible part of a running measurement.
    pub fn live_window(&self) -> LiveWindow {
        LiveWindow::Running { secs: self.live_secs.map(f64::from) }
    }

    /// Describes the visible part of a running measurement.
    pub fn live_words(&self) -> String {
        self.live_secs.map_or_else(|| "all".to_owned(), |secs| format!("last {secs} s"))
    }

    /// Resets the view for other samples: shows all data, and clears selection, marks, and
    /// annotations.
    pub fn reset(&mut self) {
        let Self { quantity, scale, hidden, is_enlarged, live_secs, .. } = *self;
        *self = Self { quantity, scale, hidden, is_enlarged, live_secs, ..Self::default() };
    }

    /// Zooms to this time range, in seconds.
    pub fn zoom_to(&self, ctx: &Context, (from, to): (f64, f64)) {
        ask(ctx, self.id, Move::Show(from, to));
    }

    fn look(&self, height: f32) -> Look {
        let link = self.has_below.then(|| self.link());
        let sides = self.has_below.then_some(SIDES);
        Look { link, sides, ..Look::new(self.id, height) }
    }

    /// Stores the position and the visible time range of the plot, for the parts below it.
    fn note_shown(&mut self, data: &TimelineData, rect: Rect, transform: &PlotTransform) {
        let selected = self.selected.and_then(|index| data.sample(index));
        self.selected_secs = selected.map(|sample| sample.0);
        let bounds = transform.bounds().range_x();
        self.shown = Some((rect.x_range(), (*bounds.start(), *bounds.end())));
    }

    /// Returns the id of the group of plots that share the time axis.
    pub(super) fn link(&self) -> Id {
        self.id.with("time")
    }

    /// Returns the visible time range in seconds; `None` unless the user zoomed or moved the time
    /// axis.
    pub(super) fn moved_time(&self, ctx: &Context) -> Option<(f64, f64)> {
        moved_range(ctx, self.id)
    }

    /// Returns the horizontal screen position of a time in seconds; `None` if the time is not
    /// visible.
    pub(super) fn place_of(&self, secs: f64) -> Option<f32> {
        let (across, (from, to)) = self.shown?;
        let share = (secs - from) / (to - from).max(1e-12);
        (0.0..=1.0).contains(&share).then(|| across.min + across.span() * narrow(share))
    }

    /// Returns the initial time range of a completed measurement, in seconds.
    pub fn whole(&self, data: &TimelineData) -> (f64, f64) {
        self.whole_time(data, LiveWindow::Ended)
    }

    /// Scrolls to a time in the next frame; used for steps to other late samples.
    pub const fn bring_into_view(&mut self, secs: f64) {
        self.wanted = Some(secs);
    }

    /// Draws the controls in the header of the card: displayed value, scale, zoom, and the switch
    /// that maximizes the plot. While a test runs (`is_live`), also the number of visible seconds
    /// and "Follow live".
    pub fn controls_ui(&mut self, ui: &mut Ui, is_live: bool) {
        let is_narrow = ui.content_rect().width() < size::MEDIUM_FROM;
        let quantities = [(Quantity::Period, "Frame time"), (Quantity::Lateness, "Lateness")];
        let scales = [(Scale::Linear, "Linear"), (Scale::Log, "Log")];
        let quantity = segmented(ui, "Show", &mut self.quantity, &quantities).changed();
        // In a narrow card, only the shortcut L changes the scale.
        let has_scale = !is_narrow && SCALE_FROM <= ui.max_rect().width();
        let scale = has_scale && segmented(ui, "Scale", &mut self.scale, &scales).changed();
        if quantity || scale {
            ask(ui.ctx(), self.id, Move::AllValues);
        }
        if is_live {
            self.live_controls_ui(ui, is_narrow);
        }
        controls_ui(ui, self.id, "Timeline");
        let (icon, name) = if self.is_enlarged {
            (icons::ARROWS_IN_SIMPLE, "Restore the page (Esc)")
        } else {
            (icons::ARROWS_OUT_SIMPLE, "Maximize the plot (E)")
        };
        if icon_button(ui, icon, name).clicked() {
            self.is_enlarged = !self.is_enlarged;
        }
    }

    fn live_controls_ui(&mut self, ui: &mut Ui, is_narrow: bool) {
        let windows = [(Some(5), "5 s"), (Some(15), "15 s"), (Some(60), "60 s"), (None, "All")];
        combo(ui, "Time shown", &mut self.live_secs, &windows, 60.0);
        let text = if is_narrow { "Follow" } else { "Follow live" };
        let button = Button::new(text).icon(icons::FAST_FORWARD).name("Follow live");
        let is_paused = moved_range(ui.ctx(), self.id).is_some();
        if ui.add_enabled(is_paused, button).clicked() {
            ask(ui.ctx(), self.id, Move::Reset);
        }
    }

    /// Draws the plot. Returns the position of the clicked sample.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        height: f32,
        data: &TimelineData,
        live: LiveWindow,
    ) -> Option<usize> {
        let tokens = Tokens::of(ui);
        let above = ui.cursor().top();
        if self.quantity == Quantity::Period {
            self.legend(ui, tokens, data);
        }
        let height = height - (ui.cursor().top() - above) - self.height_below(ui);
        let height = height.max(MIN_HEIGHT);
        let whole = self.whole_time(data, live);
        let moved = moved_range(ui.ctx(), self.id);
        let time = moved.unwrap_or(whole);
        if let Some(secs) = self.wanted.take()
            && (secs < time.0 || time.1 < secs)
        {
            ask(ui.ctx(), self.id, Move::Center(secs));
        }
        let pyramid = match self.quantity {
            Quantity::Period => &data.periods,
            Quantity::Lateness => &data.lateness,
        };
        // Lateness is drawn as dots, each wider than two columns, so half of the columns are
        // sufficient.
        let width = ui.available_width();
        let width_drawn = if self.quantity == Quantity::Period { width } else { width / 2.0 };
        let drawn = pyramid.query(time.0, time.1, columns(width_drawn));
        let label = match self.quantity {
            Quantity::Period => "Frame time".to_owned(),
            Quantity::Lateness => text::capitalized(data.value_name),
        };
        let unit = if self.scale == Scale::Linear { " (ms)" } else { "" };
        let label = format!("{label}{unit}");
        let plane = Plane {
            look: self.look(height),
            x: self.time_direction(whole, time),
            y: Direction {
                margin: self.limit_words(data),
                ..Direction::new(self.scale.axis(), self.whole_values(data, &drawn), &label)
            },
        };
        let seen_of = |bounds: &PlotBounds, rect: Rect| Seen {
            time: (*bounds.range_x().start(), *bounds.range_x().end()),
            value: (*bounds.range_y().start(), *bounds.range_y().end()),
            per_point: (
                bounds.width() / f64::from(rect.width().max(1.0)),
                bounds.height() / f64::from(rect.height().max(1.0)),
            ),
        };
        let view = &*self;
        let value = plane.y.range;
        let follows = PlotMemory::load(ui.ctx(), self.id).is_none_or(|it| it.auto_bounds.y);
        let (response, transform) = plane.show(
            ui,
            // The plot itself shows no tooltips: the sample under the pointer is searched below.
            |_| None,
            |plot| {
                let rect = plot.response().rect;
                let mut seen = seen_of(&plot.plot_bounds(), rect);
                // If the view follows the data, the current range is used: the plot still has the
                // range of the last frame.
                if moved.is_none() {
                    seen.time = whole;
                }
                if follows {
                    seen.value = value;
                }
                // Without samples, nothing is drawn behind the text in the center.
                if !data.is_empty() {
                    view.add(plot, tokens, data, &drawn, seen);
                }
            },
        );
        self.note_shown(data, response.rect, &transform);
        describe(&response, &self.summary(data));
        if std::mem::take(&mut self.is_sought) {
            response.scroll_to_me(Some(Align::Center));
            response.request_focus();
        }
        if data.is_empty() {
            let (at, font) = (response.rect.center(), Type::Body.font());
            ui.painter().text(at, Align2::CENTER_CENTER, "No samples yet", font, tokens.t3);
            return None;
        }
        menu(&response, self.id, || self.table(data, time), Some(&|| self.chart(data, time)));
        self.take_range(&response, &transform, data);
        self.take_keys(&response, data, live);
        let seen = seen_of(transform.bounds(), response.rect);
        let pointed = response
            .hover_pos()
            .filter(|_| response.contains_pointer())
            .map(|place| transform.value_from_position(place))
            .and_then(|at| self.sample_at(data, (at.x, at.y), seen));
        if let Some(index) = pointed {
            self.read_out(ui, &response, &transform, data, index);
        }
        if live.is_running() && moved.is_some() {
            // The view can end after the newest sample.
            self.paused_hint(ui, &response, time.1.min(data.end_secs()));
        }
        self.below_ui(ui, data);
        if moved_range(ui.ctx(), self.id) != moved {
            // The visible time range changed during this frame, and the range of values depends on
            // it.
            ui.ctx().request_repaint();
        }
        pointed.filter(|_| response.clicked())
    }

    /// Returns the height of the parts below the plot in the last frame, which the plot leaves
    /// free.
    pub fn height_below(&self, ui: &Ui) -> f32 {
        ui.data(|data| data.get_temp(self.id.with("below"))).unwrap_or(0.0)
    }

    /// Draws rows below the plot: the selected range, the marked frames, and the annotations.
    fn below_ui(&mut self, ui: &mut Ui, data: &TimelineData) {
        let (top, before) = (ui.cursor().top(), self.height_below(ui));
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
            self.range_ui(ui, data);
            self.marked_ui(ui);
            self.notes_ui(ui);
        });
        let used = ui.cursor().top() - top;
        if 0.5 < (used - before).abs() {
            ui.data_mut(|data| data.insert_temp(self.id.with("below"), used));
            ui.request_discard("what is below the plot changed its height");
        }
    }

    /// Returns the time axis, with marked times and annotations.
    fn time_direction(&self, range: (f64, f64), shown: (f64, f64)) -> Direction<'static> {
        let marks = self.marks.iter().zip(1_u32..);
        let marks = marks.map(|(secs, number)| (*secs, format!("Mark {number}")));
        let margin = marks.chain(self.note_words(shown)).collect();
        Direction { margin, ..Direction::new(AxisKind::Time, range, "Time") }
    }

    /// Returns the labels of the limits, with the positions of their lines.
    fn limit_words(&self, data: &TimelineData) -> Vec<(f64, String)> {
        if data.is_empty() || data.frame <= Nanos::ZERO {
            return Vec::new();
        }
        let at = |nanos: Nanos| self.scale.place(nanos.as_f64());
        match self.quantity {
            Quantity::Period => Vec::new(),
            Quantity::Lateness => vec![
                (at(data.late_limit), format!("late {}", text::format_time(data.late_limit))),
                (at(data.frame), "1 frame".to_owned()),
            ],
        }
    }

    /// Draws a dot on the sample at position `index`, and its tooltip.
    fn read_out(
        &self,
        ui: &Ui,
        response: &Response,
        transform: &PlotTransform,
        data: &TimelineData,
        index: usize,
    ) {
        let Some((secs, period, late)) = data.sample(index) else { return };
        let nanos = if self.quantity == Quantity::Period { period } else { late };
        let place = PlotPoint::new(secs, self.scale.place(nanos.as_f64()));
        let dot = response.rect.clamp(transform.position_from_point(&place));
        ui.painter().circle_filled(dot, size::MARK - 0.7, Tokens::of(ui).series(0).color);
        if let Some(words) = Self::words(data, index) {
            response.clone().on_hover_text_at_pointer(words);
        }
    }

    /// Draws the legend above the plot; samples, target, and missed frames can be hidden.
    fn legend(&mut self, ui: &mut Ui, tokens: &Tokens, data: &TimelineData) {
        let target = format!("Target {}", text::format_period(data.frame));
        let worst = data.missed.iter().map(|missed| missed.period_nanos).fold(0.0, f64::max);
        let missed = match data.missed.len() {
            0 => "Missed deadline".to_owned(),
            _ => format!(
                "Missed deadline, worst {}",
                text::format_time(Nanos::from_nanos_f64(worst))
            ),
        };
        let entries = [
            (LegendSwatch::Line(Dash::SOLID), "Frame time", tokens.series(0).color),
            (LegendSwatch::Line(Dash::LIMIT), target.as_str(), tokens.target),
            (LegendSwatch::Mark(Mark::TriangleDown), missed.as_str(), tokens.poor),
        ];
        let entries = entries.map(|(sample, name, color)| LegendEntry { name, color, sample });
        legend_row(ui, &entries, &mut self.hidden);
    }
}
