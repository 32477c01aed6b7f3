//! The timeline: period or lateness of every sample over time, live and afterward.

mod data;
mod items;
mod readout;
mod view;

use std::sync::atomic::{AtomicU64, Ordering};

use eframe::egui::{Align2, Id, Rect, Response, Ui};
use egui_plot::{PlotBounds, PlotMemory, PlotPoint, PlotTransform};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Chart, chart, table};

pub use self::data::{LateMark, Missed, TimelineData};
use self::items::Seen;
use super::axis::{Axis, Scale, columns};
use super::menu::{PlotTable, controls_ui, menu};
use super::plane::{Direction, Look, Move, Plane, ask, describe, moved_range};
use crate::text;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Hidden, LegendEntry, LegendSwatch, combo, icon_button, legend_box, segmented,
};

/// Columns of time in an image.
const IMAGE_COLUMNS: usize = 900;

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

/// A timeline's view: quantity and selected sample; the plot keeps what is zoomed to.
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
    /// Moments marked during the measurement, in seconds.
    pub marks: Vec<f64>,
    /// How many seconds of a live measurement are shown; `None` for all.
    live_secs: Option<u16>,
    /// A moment that is to be in sight, in seconds.
    wanted: Option<f64>,
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
            marks: Vec::new(),
            live_secs: Some(15),
            wanted: None,
            id: fresh_id(),
        }
    }
}

/// An id that no other view has had, so that each starts with all of its data.
fn fresh_id() -> Id {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    Id::unique(("timeline", COUNT.fetch_add(1, Ordering::Relaxed)))
}

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

    /// Shows everything again, and follows a live measurement.
    pub fn reset(&mut self) {
        self.id = fresh_id();
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
        // In a narrow window the key L has to do.
        let scale = !is_narrow && segmented(ui, "Scale", &mut self.scale, &scales).changed();
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
            Quantity::Period => "Frame time",
            Quantity::Lateness => "Lateness",
        };
        let unit = if self.scale == Scale::Linear { " (ms)" } else { "" };
        let label = format!("{label}{unit}");
        let plane = Plane {
            look: Look { id: self.id, height, has_wheel: true, link: None },
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
                view.add(plot, tokens, data, &drawn, seen);
            },
        );
        describe(&response, &self.summary(data));
        if data.is_empty() {
            let (at, font) = (response.rect.center(), Type::Body.font());
            ui.painter().text(at, Align2::CENTER_CENTER, "No samples yet", font, tokens.t3);
            return None;
        }
        menu(&response, self.id, || self.table(data, time), || self.chart(data, time));
        self.take_keys(&response, data, live);
        if self.quantity == Quantity::Period {
            self.legend(ui, tokens, &response, data);
        }
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
        if moved_range(ui.ctx(), self.id) != moved {
            // Values in sight follow what is in sight.
            ui.ctx().request_repaint();
        }
        pointed.filter(|_| response.clicked())
    }

    /// The axis of time, with marked moments.
    fn time_direction(&self, range: (f64, f64)) -> Direction<'static> {
        let marks = self.marks.iter().zip(1_u32..);
        let margin = marks.map(|(secs, number)| (*secs, format!("Mark {number}"))).collect();
        Direction { axis: Axis::Time, range, label: "Time", names: &[], margin }
    }

    /// The words of the limits, next to their lines.
    fn limit_words(&self, data: &TimelineData) -> Vec<(f64, String)> {
        if data.frame <= Nanos::ZERO {
            return Vec::new();
        }
        let at = |nanos: Nanos| self.scale.place(nanos.as_f64());
        match self.quantity {
            Quantity::Period => Vec::new(),
            Quantity::Lateness => vec![
                (at(data.late_limit), format!("late {}", text::duration(data.late_limit))),
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

    /// What is in view as a chart, for an image.
    fn chart(&self, data: &TimelineData, time: (f64, f64)) -> Option<Chart> {
        let (title, pyramid) = match self.quantity {
            Quantity::Period => ("Frame time", &data.periods),
            Quantity::Lateness => ("Lateness", &data.lateness),
        };
        let points = pyramid.query(time.0, time.1, IMAGE_COLUMNS);
        let points: Vec<(f64, f64)> =
            points.into_iter().map(|(secs, nanos)| (secs * 1e9, nanos)).collect();
        let values = || points.iter().map(|point| point.1);
        let (min, most) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let limit = |at: Nanos, label: &str| chart::Limit {
            at: at.as_f64(),
            label: label.to_owned(),
            is_vertical: false,
        };
        let limits = match self.quantity {
            Quantity::Period => vec![limit(data.frame, "target")],
            Quantity::Lateness => {
                vec![limit(data.late_limit, "late"), limit(data.frame, "1 frame")]
            }
        };
        (!points.is_empty()).then(|| Chart {
            key: "timeline",
            title,
            note: "over time".to_owned(),
            x: chart::Axis::linear("Time", table::Quantity::Time, time.0 * 1e9, time.1 * 1e9),
            y: chart::Axis::linear(title, table::Quantity::Time, min, most * 1.05),
            marks: chart::Marks::Lines(vec![chart::Series::new(title, points)]),
            limits,
            is_half: false,
        })
    }

    fn legend(&mut self, ui: &mut Ui, tokens: &Tokens, response: &Response, data: &TimelineData) {
        let target = format!("Target {}", text::period_millis(data.frame));
        let series = tokens.series(0).color;
        let missed = LegendSwatch::Mark(Mark::TriangleDown);
        let entries = [
            LegendEntry {
                name: "Frame time",
                color: series,
                sample: LegendSwatch::Line(Dash::SOLID),
            },
            LegendEntry {
                name: &target,
                color: tokens.target,
                sample: LegendSwatch::Line(Dash::LIMIT),
            },
            LegendEntry { name: "Missed deadline", color: tokens.poor, sample: missed },
        ];
        legend_box(ui, response.rect, Align2::LEFT_TOP, &entries, &mut self.hidden);
    }

    /// What is in view, in parts of equal length.
    fn table(&self, data: &TimelineData, (from, to): (f64, f64)) -> PlotTable {
        const PARTS: i32 = 60;
        let (title, pyramid) = match self.quantity {
            Quantity::Period => ("Timeline: frame time", &data.periods),
            Quantity::Lateness => ("Timeline: lateness", &data.lateness),
        };
        let (from, to) = (from.max(0.0), to.min(data.end_secs()));
        let at = |part: i32| from + (to - from) * f64::from(part) / f64::from(PARTS);
        let number = |count: usize| text::count(u64::try_from(count).unwrap_or(u64::MAX));
        // A sample on an edge belongs to the part that it begins; the last one to the last part.
        let place = |part: i32| match part {
            PARTS => pyramid.range(from, to).end,
            part => pyramid.range(at(part), to).start,
        };
        let rows = (0..PARTS).filter_map(|part| {
            let range = place(part)..place(part + 1);
            let (_, most) = pyramid.max(range.clone())?;
            let missed = data.missed().iter().filter(|one| range.contains(&one.index));
            Some(vec![
                format!("{:.2} s", at(part)),
                number(range.len()),
                text::duration(Nanos::from_nanos_f64(most)),
                number(missed.count()),
            ])
        });
        PlotTable {
            title: title.to_owned(),
            header: ["From", "Frames", "Max", "Missed"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }

    /// What the plot shows, in a sentence.
    fn summary(&self, data: &TimelineData) -> String {
        let (name, pyramid) = match self.quantity {
            Quantity::Period => ("frame time", &data.periods),
            Quantity::Lateness => ("lateness", &data.lateness),
        };
        let Some((secs, most)) = pyramid.max(0..pyramid.len()) else {
            return format!("Timeline, {name}, no samples yet");
        };
        let number = |count: usize| text::count(u64::try_from(count).unwrap_or(u64::MAX));
        format!(
            "Timeline, {name}, {:.0} seconds, {} frames, max {} at {secs:.2} seconds, {} late, {} \
             missed",
            data.end_secs(),
            number(data.len()),
            text::duration(Nanos::from_nanos_f64(most)),
            number(data.late_count()),
            number(data.missed().len()),
        )
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::sample::Sample;

    use super::*;

    #[test]
    fn a_missed_last_frame_is_counted_in_the_table() {
        let frame = Nanos::from_millis(10);
        let mut data = TimelineData::new(frame, Nanos::from_millis(1));
        for k in 1..=120 {
            let due = frame * k;
            let work = Nanos::from_millis(if k == 120 { 12 } else { 2 });
            let done = due + work;
            data.push(&Sample {
                began: due,
                due,
                slept: None,
                woke: due,
                done,
                spins: 0,
                cpu: None,
            });
        }
        let table = Timeline::default().table(&data, (0.0, data.end_secs()));
        let sum = |column: usize| -> u64 {
            table.rows.iter().map(|row| row[column].parse::<u64>().unwrap()).sum()
        };
        assert_eq!((sum(1), sum(3)), (120, 1));
        assert_eq!(table.rows.last().unwrap()[3], "1");
    }
}
