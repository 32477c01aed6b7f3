//! The timeline: period or lateness of every sample over time, live and afterward.

mod data;
mod paint;
mod readout;
mod view;

use std::cell::RefCell;

use eframe::egui::{Align2, Sense, Ui};
use jitterscope_engine::nanos::Nanos;

pub use self::data::{LateMark, Missed, TimelineData};
use super::axis::{Axis, Scale, columns};
use super::canvas::{Canvas, Side};
use super::menu::{PlotTable, menu};
use crate::text;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, icons, size};
use crate::widgets::{
    Button, Card, Hidden, LegendEntry, LegendSwatch, combo, icon_button, legend_box, segmented,
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

/// A timeline's view: quantity, zoom, and selected sample.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What is shown of each sample.
    pub quantity: Quantity,
    /// How values are laid out.
    pub scale: Scale,
    /// Whether the view moves along with a live measurement.
    pub follow: bool,
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
    time: Option<(f64, f64)>,
    value: Option<(f64, f64)>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            quantity: Quantity::Period,
            scale: Scale::Linear,
            follow: true,
            selected: None,
            hidden: Hidden::default(),
            is_enlarged: false,
            marks: Vec::new(),
            live_secs: Some(15),
            time: None,
            value: None,
        }
    }
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
    pub const fn reset(&mut self) {
        self.time = None;
        self.value = None;
        self.follow = true;
    }

    /// Follows the live measurement again.
    pub const fn follow_live(&mut self) {
        self.time = None;
        self.follow = true;
    }

    /// Moves the view so that this moment is in sight; for a step to the next late sample.
    pub fn bring_into_view(&mut self, secs: f64) {
        if let Some((from, to)) = self.time.filter(|range| secs < range.0 || range.1 < secs) {
            let half = (to - from) / 2.0;
            self.time = Some((secs - half, secs + half));
        }
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
            self.value = None;
        }
        if is_live {
            self.live_controls_ui(ui, is_narrow);
        }
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
        if ui.add_enabled(!self.follow, button).clicked() {
            self.follow_live();
        }
    }

    /// Shows the plot in a card, its choices and more controls in the header. Returns the position of
    /// a sample that was clicked.
    pub fn card(
        &mut self,
        ui: &mut Ui,
        card: Card<'_>,
        height: f32,
        data: &TimelineData,
        live: LiveWindow,
        more: impl FnOnce(&mut Ui),
    ) -> Option<usize> {
        let timeline = RefCell::new(self);
        let controls = |ui: &mut Ui| {
            timeline.borrow_mut().controls_ui(ui, live.is_running());
            more(ui);
        };
        let plot = |ui: &mut Ui| timeline.borrow_mut().ui(ui, height, data, live);
        card.show(ui, controls, plot).inner
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
        let time = self.time_range(data, live);
        let pyramid = match self.quantity {
            Quantity::Period => &data.periods,
            Quantity::Lateness => &data.lateness,
        };
        // A dot of the cloud is wider than two columns.
        let width = match self.quantity {
            Quantity::Period => ui.available_width(),
            Quantity::Lateness => ui.available_width() / 2.0,
        };
        let drawn = pyramid.query(time.0, time.1, columns(width));
        let value = self.value_range(data, &drawn);
        let label = match (self.quantity, self.scale) {
            (_, Scale::Log) => "",
            (Quantity::Period, Scale::Linear) => "Frame time (ms)",
            (Quantity::Lateness, Scale::Linear) => "Lateness (ms)",
        };
        let canvas = Canvas {
            name: "timeline",
            height,
            x: Side { axis: Axis::Time, range: time, label: "" },
            y: Side { axis: Axis::of(self.scale), range: value, label },
        };
        let area = canvas.show(ui, Sense::click_and_drag());
        area.describe(&self.summary(data));
        if data.is_empty() {
            area.nothing(tokens);
            return None;
        }
        let is_zoomed = self.time.is_some() || self.value.is_some();
        if menu(&area, is_zoomed, || self.table(data, time)) {
            self.reset();
        }
        self.handle_input(ui, &area, data, live, (time, value));
        self.paint(&area, tokens, data, &drawn, (time, value));
        if self.quantity == Quantity::Period {
            self.legend(ui, tokens, &area, data);
        }
        let pointed = self.pointed_at(&area, data, time);
        if let Some(index) = pointed {
            self.read_out(&area, tokens, data, index);
        }
        for (secs, number) in self.marks.iter().zip(1_u32..) {
            if time.0 <= *secs && *secs <= time.1 {
                area.upright(*secs, 1, &format!("Mark {number}"), tokens.acc);
            }
        }
        if live.is_running() && !self.follow {
            self.paused_hint(ui, &area, time.1);
        }
        pointed.filter(|_| area.response.clicked())
    }

    fn legend(
        &mut self,
        ui: &mut Ui,
        tokens: &Tokens,
        area: &super::canvas::Area,
        data: &TimelineData,
    ) {
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
        legend_box(ui, area.rect(), Align2::LEFT_TOP, &entries, &mut self.hidden);
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
