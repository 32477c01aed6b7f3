//! The initial range of time and values of a timeline, and the shortcuts that only timelines have.

use eframe::egui::{Key, Response};

use super::super::axis::{self, FLOOR, Scale, ZERO};
use super::super::plane::{Move, SHORTEST, ask, has_keys, moved_range};
use super::{LiveWindow, Quantity, Timeline, TimelineData};
use crate::widgets::keys::{is_typing, take_escape};

type Range = (f64, f64);

impl Timeline {
    /// Returns the time range, in seconds, that is visible until the user zooms or moves the view.
    pub(super) fn whole_time(&self, data: &TimelineData, live: LiveWindow) -> Range {
        // Without samples, show 15 seconds, the default length of a live view.
        let end = if data.is_empty() { 15.0 } else { data.end_secs() };
        match live {
            LiveWindow::Running { secs } => {
                let length = secs.unwrap_or_else(|| end.max(1.0)).max(SHORTEST);
                let to = end.max(length);
                (to - length, to)
            }
            LiveWindow::Ended => (0.0, end.max(SHORTEST)),
        }
    }

    /// Returns the range on the value axis that is visible until the user changes it: large enough
    /// for the samples `drawn`, except missed frames on a linear scale.
    pub(super) fn whole_values(&self, data: &TimelineData, drawn: &[(f64, f64)]) -> Range {
        let frame = data.frame.as_f64();
        let limit = data.late_limit.as_f64();
        let typical = drawn.iter().map(|point| point.1);
        match (self.quantity, self.scale) {
            (Quantity::Period, Scale::Linear) => {
                // A missed frame would flatten the line of all others: it is marked at the edge.
                let off = |value: f64| (value - frame).abs();
                let far = typical.map(off).filter(|&off| off < frame * 0.5).fold(0.0, f64::max);
                let reach = Scale::Linear.place((far * 1.12).max(frame * 0.004).max(1_000.0));
                let middle = Scale::Linear.place(frame);
                (middle - reach, middle + reach)
            }
            (Quantity::Period, Scale::Log) => {
                let lowest = typical.clone().fold(frame, f64::min).max(frame * 0.4);
                let most = typical.fold(frame, f64::max);
                let from = axis::log_place(lowest * 0.8).max(FLOOR);
                (from, axis::log_place(most * 1.25).max(from + 0.1))
            }
            (Quantity::Lateness, Scale::Linear) => {
                let shown = |value: &f64| *value < frame * 0.95;
                let most = typical.filter(shown).fold(limit * 1.35, f64::max).max(1_000.0);
                (-Scale::Linear.place(most * 0.03), Scale::Linear.place(most * 1.1))
            }
            (Quantity::Lateness, Scale::Log) => {
                let most = typical.fold(frame, f64::max);
                (ZERO - 0.15, axis::log_place(most * 4.0))
            }
        }
    }

    /// Handles the shortcuts that only timelines have.
    pub(super) fn take_keys(&mut self, response: &Response, data: &TimelineData, live: LiveWindow) {
        let ctx = &response.ctx;
        // Most of these shortcuts apply to the whole page, even if the plot is not focused.
        let is_listening = !is_typing(ctx);
        if is_listening {
            let pressed =
                |key| ctx.input(|input| input.modifiers.is_none() && input.key_pressed(key));
            if pressed(Key::L) {
                self.scale = match self.scale {
                    Scale::Linear => Scale::Log,
                    Scale::Log => Scale::Linear,
                };
                ask(ctx, self.id, Move::AllValues);
            }
            if pressed(Key::E) {
                self.is_enlarged = !self.is_enlarged;
            }
            if !has_keys(response) && pressed(Key::Num0) {
                ask(ctx, self.id, Move::Reset);
            }
            if has_keys(response) && live.is_running() && pressed(Key::Space) {
                let is_paused = moved_range(ctx, self.id).is_some();
                ask(ctx, self.id, if is_paused { Move::Reset } else { Move::Pause });
            }
        }
        if is_listening && !live.is_running() && self.notes.is_possible() {
            let is_asked =
                ctx.input(|input| input.modifiers.is_none() && input.key_pressed(Key::A));
            let instant = self.selected.and_then(|index| data.sample(index)).map(|it| (it.0, it.0));
            if let Some(ends) = self.selected_range().or(instant).filter(|_| is_asked) {
                self.notes.begin(ends);
            }
        }
        let is_open = self.range.is_some() || self.marked.is_some() || self.is_enlarged;
        let is_closed = is_open && self.notes.editing.is_none() && take_escape(ctx);
        if is_closed && self.range.take().is_none() && self.marked.take().is_none() {
            self.is_enlarged = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;

    use super::*;

    fn close(a: Range, b: Range) {
        assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
    }

    #[test]
    fn a_live_window_is_as_long_as_asked_and_ends_with_the_last_sample() {
        let mut data = TimelineData::new(Nanos::from_millis(10), Nanos::from_millis(1));
        let timeline = Timeline::default();
        let last_15_secs = LiveWindow::Running { secs: Some(15.0) };
        close(timeline.whole_time(&data, last_15_secs), (0.0, 15.0));
        for k in 1..=20 {
            data.lateness.push(Nanos::from_secs(k), Nanos::ZERO);
        }
        close(timeline.whole_time(&data, last_15_secs), (5.0, 20.0));
        close(timeline.whole_time(&data, LiveWindow::Ended), (0.0, 20.0));
    }
}
