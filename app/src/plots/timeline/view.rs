//! Which stretch of time and value a timeline shows, and how pointer and keyboard move it.

use eframe::egui::{EventFilter, Key, Modifiers, Ui};

use super::super::axis::{self, FLOOR, Scale, ZERO};
use super::super::canvas::Area;
use super::{LiveWindow, Quantity, Timeline, TimelineData};
use crate::widgets::keys::hold_escape;

/// The shortest stretch of time that can be seen, in seconds.
const SHORTEST: f64 = 1e-4;

type Range = (f64, f64);

impl Timeline {
    /// The stretch of time on screen.
    pub(super) fn time_range(&self, data: &TimelineData, live: LiveWindow) -> Range {
        if let Some(range) = self.time {
            return range;
        }
        // Without samples, axes as they will be soon.
        let end = if data.is_empty() { 15.0 } else { data.end_secs() };
        match live {
            LiveWindow::Running { secs } if self.follow => {
                let length = secs.unwrap_or_else(|| end.max(1.0)).max(SHORTEST);
                let to = end.max(length);
                (to - length, to)
            }
            LiveWindow::Running { .. } | LiveWindow::Ended => (0.0, end.max(SHORTEST)),
        }
    }

    /// The values on screen: what the samples in sight need, but not the missed ones.
    pub(super) fn value_range(&self, data: &TimelineData, drawn: &[(f64, f64)]) -> Range {
        if let Some(range) = self.value {
            return range;
        }
        let frame = data.frame.as_f64();
        let limit = data.late_limit.as_f64();
        let typical = drawn.iter().map(|point| point.1);
        match (self.quantity, self.scale) {
            (Quantity::Period, Scale::Linear) => {
                // A missed frame would flatten all others; it is drawn at the edge instead.
                let off = |value: f64| (value - frame).abs();
                let far = typical.map(off).filter(|&off| off < frame * 0.5).fold(0.0, f64::max);
                let reach = Scale::Linear.place((far * 1.12).max(frame * 0.004).max(1_000.0));
                let middle = Scale::Linear.place(frame);
                (middle - reach, middle + reach)
            }
            (Quantity::Period, Scale::Log) => {
                let lowest = typical.clone().fold(frame, f64::min).max(frame * 0.4);
                let most = typical.fold(frame, f64::max);
                (axis::log_place(lowest * 0.8).max(FLOOR), axis::log_place(most * 1.25))
            }
            (Quantity::Lateness, Scale::Linear) => {
                let shown = |value: &f64| *value < frame * 0.95;
                let most = typical.filter(shown).fold(limit * 1.35, f64::max);
                (-Scale::Linear.place(most * 0.03), Scale::Linear.place(most * 1.1))
            }
            (Quantity::Lateness, Scale::Log) => {
                let most = typical.fold(frame, f64::max);
                (ZERO - 0.15, axis::log_place(most * 4.0))
            }
        }
    }

    /// Lets pointer and keys move the view. `shown` is what is on screen.
    pub(super) fn handle_input(
        &mut self,
        ui: &Ui,
        area: &Area,
        data: &TimelineData,
        live: LiveWindow,
        shown: (Range, Range),
    ) {
        let response = &area.response;
        let (mut time, mut value) = shown;
        if response.clicked() {
            response.request_focus();
        }
        if response.dragged() {
            let (x, y) = area.per_point();
            let moved = response.drag_delta();
            time = shifted(time, -f64::from(moved.x) * x);
            if self.value.is_some() {
                value = shifted(value, f64::from(moved.y) * y);
            }
        }
        if let Some(place) = response.hover_pos().filter(|_| response.contains_pointer()) {
            let (x, y) = area.value_at(place);
            let (wheel, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
            if wheel.y.abs() > 0.0 {
                time = zoomed(time, x, (-f64::from(wheel.y) / 300.0).exp());
                ui.input_mut(|input| input.smooth_scroll_delta.y = 0.0);
            }
            if (zoom - 1.0).abs() > 1e-4 {
                value = zoomed(value, y, 1.0 / f64::from(zoom));
            }
        }
        let mut reset = response.double_clicked();
        if response.has_focus()
            || response.hovered() && ui.memory(|memory| memory.focused().is_none())
        {
            let moves = self.keys(ui, live);
            if moves.mark {
                self.marks.push(data.end_secs());
            }
            let width = time.1 - time.0;
            time = shifted(time, moves.time * width);
            time = zoomed(time, f64::midpoint(time.0, time.1), moves.zoom);
            value = shifted(value, moves.value * (value.1 - value.0));
            reset |= moves.reset;
            if moves.pause {
                self.time = Some(within(shown.0, data.end_secs()));
                self.follow = false;
            }
        }
        if self.is_enlarged {
            hold_escape(ui.ctx());
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
                self.is_enlarged = false;
            }
        }
        if response.has_focus() {
            let filter = EventFilter {
                horizontal_arrows: true,
                vertical_arrows: true,
                ..EventFilter::default()
            };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        }
        if reset {
            self.reset();
            return;
        }
        if differs(time, shown.0) {
            self.time = Some(within(time, data.end_secs()));
            self.follow = false;
        }
        if differs(value, shown.1) {
            self.value = Some(value);
        }
    }

    fn keys(&mut self, ui: &Ui, live: LiveWindow) -> Moves {
        let is_scale = |input: &eframe::egui::InputState| {
            input.modifiers.is_none() && input.key_pressed(Key::L)
        };
        if ui.input(is_scale) {
            self.scale = match self.scale {
                Scale::Linear => Scale::Log,
                Scale::Log => Scale::Linear,
            };
            self.value = None;
        }
        let pressed = |key| ui.input(|input| input.modifiers.is_none() && input.key_pressed(key));
        if pressed(Key::E) {
            self.is_enlarged = !self.is_enlarged;
        }
        let mark = live.is_running() && pressed(Key::M);
        let (mut moves, toggles) = ui.input(|input| {
            if input.modifiers.any() && !input.modifiers.shift {
                return (Moves::NONE, false);
            }
            let pressed = |key| f64::from(u8::from(input.key_pressed(key)));
            let moves = Moves {
                time: (pressed(Key::ArrowRight) - pressed(Key::ArrowLeft)) * 0.1,
                value: (pressed(Key::ArrowUp) - pressed(Key::ArrowDown)) * 0.1,
                reset: input.key_pressed(Key::Num0),
                ..Moves::NONE
            };
            let closer = input.key_pressed(Key::Plus) || input.key_pressed(Key::Equals);
            let zoom = match (closer, input.key_pressed(Key::Minus)) {
                (true, false) => 1.0 / 1.4,
                (false, true) => 1.4,
                _ => 1.0,
            };
            (Moves { zoom, ..moves }, input.key_pressed(Key::Space))
        });
        moves.mark = mark;
        if toggles && live.is_running() {
            if self.follow {
                // What is on screen stays there.
                moves.pause = true;
            } else {
                self.follow_live();
            }
        }
        moves
    }
}

/// What the keys ask for, in shares of what is on screen.
#[derive(Clone, Copy, Debug)]
struct Moves {
    time: f64,
    value: f64,
    zoom: f64,
    reset: bool,
    pause: bool,
    mark: bool,
}

impl Moves {
    const NONE: Self =
        Self { time: 0.0, value: 0.0, zoom: 1.0, reset: false, pause: false, mark: false };
}

fn shifted(range: Range, by: f64) -> Range {
    (range.0 + by, range.1 + by)
}

/// The range with its length times a factor, where one place stays.
fn zoomed(range: Range, still: f64, factor: f64) -> Range {
    (still + (range.0 - still) * factor, still + (range.1 - still) * factor)
}

fn differs(a: Range, b: Range) -> bool {
    let lowest = (b.1 - b.0) * 1e-9;
    (a.0 - b.0).abs() > lowest || (a.1 - b.1).abs() > lowest
}

/// The range moved and shortened to be within the samples.
fn within(range: Range, end: f64) -> Range {
    let length = (range.1 - range.0).clamp(SHORTEST, end.max(SHORTEST));
    let from = range.0.min(end - length).max(0.0);
    (from, from + length)
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;

    use super::*;

    fn close(a: Range, b: Range) {
        assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
    }

    #[test]
    fn zooming_retains_the_place_under_the_pointer() {
        close(zoomed((0.0, 10.0), 4.0, 0.5), (2.0, 7.0));
        close(within((-3.0, 5.0), 30.0), (0.0, 8.0));
        close(within((28.0, 36.0), 30.0), (22.0, 30.0));
        close(within((-50.0, 90.0), 30.0), (0.0, 30.0));
    }

    #[test]
    fn a_live_window_is_as_long_as_asked_and_ends_with_the_last_sample() {
        let mut data = TimelineData::new(Nanos::from_millis(10), Nanos::from_millis(1));
        let timeline = Timeline::default();
        close(timeline.time_range(&data, LiveWindow::last_15_secs()), (0.0, 15.0));
        for k in 1..=20 {
            data.lateness.push(Nanos::from_secs(k), Nanos::ZERO);
        }
        close(timeline.time_range(&data, LiveWindow::last_15_secs()), (5.0, 20.0));
        close(timeline.time_range(&data, LiveWindow::Ended), (0.0, 20.0));
    }
}
