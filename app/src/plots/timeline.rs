//! The timeline: period or lateness of every sample over time, live and afterward.

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
use super::axis::{Axis, Scale, columns, narrow};
use super::menu::{controls_ui, menu};
use super::plane::{Direction, Look, Move, Plane, ask, describe, moved_range};
use crate::text;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Hidden, LegendEntry, LegendSwatch, combo, icon_button, legend_row, segmented,
};

/// What a timeline shows of each sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantity {
    /// Time from one frame to the next.
    #[default]
    Period,
    /// How much later than due the thread ran.
    Lateness,
}

/// Whether samples still come, and how much of them is shown while they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiveWindow {
    /// Samples are still arriving; the last seconds are shown, or all.
    Running {
        /// Length of the window; `None` for all.
        secs: Option<f64>,
    },
    /// The measurement is over: all is shown.
    Ended,
}

impl LiveWindow {
    /// The default of a running test.
    pub const fn last_15_secs() -> Self {
        Self::Running { secs: Some(15.0) }
    }

    /// Whether samples still come.
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Running { .. })
    }
}

/// A timeline's view: quantity and selected sample; the plot stores what is zoomed to.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What is shown of each sample.
    pub quantity: Quantity,
    /// How values are laid out.
    pub scale: Scale,
    /// Position of the sample that is ringed.
    pub selected: Option<usize>,
    /// Entries of the legend that are hidden.
    pub hidden: Hidden,
    /// Whether the plot fills the page.
    pub is_enlarged: bool,
    /// Whether strips and lanes stand below it, on its axis.
    pub has_below: bool,
    /// Moments marked during the measurement, in seconds.
    pub marks: Vec<f64>,
    /// How many seconds of a live measurement are shown; `None` for all.
    live_secs: Option<u16>,
    /// A moment to bring into view, in seconds.
    wanted: Option<f64>,
    range: Option<Selection>,
    marked: Option<Marked>,
    /// Whether the page is to scroll to it.
    is_sought: bool,
    notes: Notes,
    /// When the ringed sample woke, in seconds.
    selected_secs: Option<f64>,
    /// From where to where the plot is on the screen, and the time that it shows.
    shown: Option<(Rangef, (f64, f64))>,
    id: Id,
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

/// The width of the words at the left and at the right of a timeline with something below.
pub(super) const SIDES: (f32, f32) = (92.0, 118.0);

/// An id that no other view has had, so that each starts with all of its data.
fn fresh_id() -> Id {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    Id::unique(("timeline", COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// The width of a card from which on its header has the choice of the scale.
const SCALE_FROM: f32 = 660.0;
/// The minimum height of the plot itself, whatever is above and below it.
const MIN_HEIGHT: f32 = 140.0;
/// Places of the legend's entries.
const SAMPLES: usize = 0;
const TARGET: usize = 1;
const MISSED: usize = 2;

impl Timeline {
    /// A timeline of lateness on a logarithmic scale, for the causes of late samples.
    pub fn of_lateness() -> Self {
        Self { quantity: Quantity::Lateness, scale: Scale::Log, ..Self::default() }
    }

    /// How much of a running measurement is shown.
    pub fn live_window(&self) -> LiveWindow {
        LiveWindow::Running { secs: self.live_secs.map(f64::from) }
    }

    /// The same in words.
    pub fn live_words(&self) -> String {
        self.live_secs.map_or_else(|| "all".to_owned(), |secs| format!("last {secs} s"))
    }

    /// Begins with other samples: everything is shown, and what was selected, marked, or annotated is gone.
    pub fn reset(&mut self) {
        let Self { quantity, scale, hidden, is_enlarged, live_secs, .. } = *self;
        *self = Self { quantity, scale, hidden, is_enlarged, live_secs, ..Self::default() };
    }

    /// Shows this stretch of time, in seconds.
    pub fn zoom_to(&self, ctx: &Context, (from, to): (f64, f64)) {
        ask(ctx, self.id, Move::Show(from, to));
    }

    fn look(&self, height: f32) -> Look {
        let link = self.has_below.then(|| self.link());
        let sides = self.has_below.then_some(SIDES);
        Look { id: self.id, height, has_wheel: true, link, sides }
    }

    /// Notes where it shows what, for what is drawn below it.
    fn note_shown(&mut self, data: &TimelineData, rect: Rect, transform: &PlotTransform) {
        let selected = self.selected.and_then(|index| data.sample(index));
        self.selected_secs = selected.map(|sample| sample.0);
        let bounds = transform.bounds().range_x();
        self.shown = Some((rect.x_range(), (*bounds.start(), *bounds.end())));
    }

    /// Names its plot.
    pub(super) const fn id(&self) -> Id {
        self.id
    }

    /// What plots on its axis share.
    pub(super) fn link(&self) -> Id {
        self.id.with("time")
    }

    /// The time that it shows, where the user moved it.
    pub(super) fn moved_time(&self, ctx: &Context) -> Option<(f64, f64)> {
        moved_range(ctx, self.id)
    }

    /// When the ringed sample woke, in seconds.
    pub(super) const fn selected_secs(&self) -> Option<f64> {
        self.selected_secs
    }

    /// Where a moment in seconds is across the screen; `None` where it is out of sight.
    pub(super) fn place_of(&self, secs: f64) -> Option<f32> {
        let (across, (from, to)) = self.shown?;
        let share = (secs - from) / (to - from).max(1e-12);
        (0.0..=1.0).contains(&share).then(|| across.min + across.span() * narrow(share))
    }

    /// The time that it shows until the user moves it, of a measurement that is over.
    pub fn whole(&self, data: &TimelineData) -> (f64, f64) {
        self.whole_time(data, LiveWindow::Ended)
    }

    /// Moves the view so that this moment is in sight; for a step to the next late sample.
    pub const fn bring_into_view(&mut self, secs: f64) {
        self.wanted = Some(secs);
    }

    /// Shows the choices for the card's header: what is shown and how, while live how much of it, "Mark"
    /// and "Follow live", and whether the plot fills the page.
    pub fn controls_ui(&mut self, ui: &mut Ui, is_live: bool) {
        let is_narrow = ui.content_rect().width() < size::MEDIUM_FROM;
        let quantities = [(Quantity::Period, "Frame time"), (Quantity::Lateness, "Lateness")];
        let scales = [(Scale::Linear, "Linear"), (Scale::Log, "Log")];
        let quantity = segmented(ui, "Show", &mut self.quantity, &quantities).changed();
        // Where there is little room, the key L has to do.
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

    /// Shows the plot. Returns the position of a sample that was clicked.
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
        // A dot of the cloud is wider than two columns.
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
            x: self.time_direction(whole),
            y: Direction {
                axis: Axis::of(self.scale),
                range: self.whole_values(data, &drawn),
                label: &label,
                names: &[],
                margin: self.limit_words(data),
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
            // Items have no names: what is under the pointer is found among all samples.
            |_| None,
            |plot| {
                let rect = plot.response().rect;
                let mut seen = seen_of(&plot.plot_bounds(), rect);
                // Where the view follows the data, it is already where the data is now.
                if moved.is_none() {
                    seen.time = whole;
                }
                if follows {
                    seen.value = value;
                }
                // Without samples, nothing is drawn that the words in the middle would cover.
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
            self.paused_hint(ui, &response, time.1);
        }
        self.below_ui(ui, data);
        if moved_range(ui.ctx(), self.id) != moved {
            // Values in sight follow what is in sight.
            ui.ctx().request_repaint();
        }
        pointed.filter(|_| response.clicked())
    }

    /// How high what is below the plot was when it was drawn last: the plot leaves it that room.
    pub fn height_below(&self, ui: &Ui) -> f32 {
        ui.data(|data| data.get_temp(self.id.with("below"))).unwrap_or(0.0)
    }

    /// What is selected, marked, and noted, in rows below the plot.
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

    /// The axis of time, with marked moments and annotations.
    fn time_direction(&self, range: (f64, f64)) -> Direction<'static> {
        let marks = self.marks.iter().zip(1_u32..);
        let marks = marks.map(|(secs, number)| (*secs, format!("Mark {number}")));
        let margin = marks.chain(self.note_words()).collect();
        Direction { axis: Axis::Time, range, label: "Time", names: &[], margin }
    }

    /// The words of the limits, next to their lines.
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

    /// Draws the cursor on a sample and its words.
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

    /// What is drawn, above the plot; samples, target, and missed frames can be hidden.
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
