//! A range of a timeline, selected with Shift by dragging or by arrow keys, and the statistics of
//! its samples.

use eframe::egui::{Key, PointerButton, Response, Ui};
use egui_plot::{PlotTransform, PlotUi, Span};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::stats::Spread;

use super::super::plane::{has_keys, hold};
use super::super::style::SHADE;
use super::{Quantity, Timeline, TimelineData};
use crate::text::{self, MISSING, NARROW_SPACE};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{self, Button, Spans, quiet_icon_button};

/// Minimum length of a drag, in points; a shorter one counts as a click.
const MIN_DRAG: f64 = 3.0;
/// Time by which an arrow key moves the end of the range, as a share of the visible time range.
const STEP: f64 = 0.02;

/// A selected range, with its cached statistics.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selection {
    /// Start and current end of the selection, in seconds; the end may be before the start.
    ends: (f64, f64),
    is_dragged: bool,
    statistics: Option<(Quantity, usize, Statistics)>,
}

impl Selection {
    /// Returns the earlier and the later end of the selection, in seconds.
    pub(super) const fn range(&self) -> (f64, f64) {
        (self.ends.0.min(self.ends.1), self.ends.0.max(self.ends.1))
    }
}

/// Statistics of the samples in a range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statistics {
    spread: Option<Spread>,
    late_count: usize,
    missed_count: usize,
}

impl Statistics {
    /// Computes the statistics of the samples between two times in seconds. Time: O(n log n) for n
    /// samples in the range.
    fn of(data: &TimelineData, quantity: Quantity, (from, to): (f64, f64)) -> Self {
        let values = match quantity {
            Quantity::Period => &data.periods,
            Quantity::Lateness => &data.lateness,
        };
        let range = values.range(from, to);
        let each = range.clone().filter_map(|index| Some(values.value(index)?.get()));
        let late = range.clone().filter_map(|index| data.lateness.value(index));
        Self {
            spread: Spread::of(each.collect()),
            late_count: late.filter(|late| data.late_limit < *late).count(),
            missed_count: data.missed_count(&range),
        }
    }

    /// Returns the name and the value of each statistic; without samples, only their number.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let Some(spread) = &self.spread else { return vec![("Samples", "0".to_owned())] };
        let p99 = spread.p99.map_or_else(|| MISSING.to_owned(), text::format_time);
        vec![
            ("Samples", text::format_count(spread.count)),
            ("Mean", text::format_time(Nanos::from_nanos_f64(spread.mean_nanos))),
            ("p50", text::format_time(spread.p50)),
            ("p99", p99),
            ("Max", text::format_time(spread.max)),
            ("Late", text::format_count(self.late_count)),
            ("Missed", text::format_count(self.missed_count)),
        ]
    }
}

impl Timeline {
    /// Returns the selected range, in seconds; `None` if no range is selected.
    pub fn selected_range(&self) -> Option<(f64, f64)> {
        self.range.as_ref().map(Selection::range)
    }

    /// Changes the selected range when the user drags or presses arrow keys with Shift.
    pub(super) fn take_range(
        &mut self,
        response: &Response,
        transform: &PlotTransform,
        data: &TimelineData,
    ) {
        let ctx = &response.ctx;
        let bounds = transform.bounds();
        let per_point = bounds.width() / f64::from(response.rect.width().max(1.0));
        let within = |secs: f64| secs.clamp(0.0, data.end_secs());
        let (shift, origin) =
            ctx.input(|input| (input.modifiers.shift, input.pointer.press_origin()));
        let pointed = response.interact_pointer_pos();
        let secs_at = |at| within(transform.value_from_position(at).x);
        if shift
            && response.drag_started_by(PointerButton::Primary)
            && let Some(at) = origin.or(pointed)
        {
            let begin = secs_at(at);
            self.range =
                Some(Selection { ends: (begin, begin), is_dragged: true, statistics: None });
            hold(ctx, self.id, true);
        }
        if let Some(range) = self.range.as_mut().filter(|range| range.is_dragged) {
            if let Some(at) = pointed {
                range.ends.1 = secs_at(at);
            }
            if !response.dragged_by(PointerButton::Primary) {
                range.is_dragged = false;
                hold(ctx, self.id, false);
                if (range.ends.1 - range.ends.0).abs() < per_point * MIN_DRAG {
                    self.range = None;
                }
            }
        }
        if has_keys(response) && shift {
            let step = ctx.input(|input| {
                let pressed = |key| f64::from(u8::from(input.key_pressed(key)));
                pressed(Key::ArrowRight) - pressed(Key::ArrowLeft)
            });
            if step != 0.0 {
                let selected = self.selected.and_then(|index| data.sample(index));
                let begin = selected.map_or_else(|| bounds.center().x, |sample| sample.0);
                let ends = self.range.as_ref().map_or((begin, begin), |range| range.ends);
                let end = within(ends.1 + step * STEP * bounds.width());
                let ends = (within(ends.0), end);
                self.range = Some(Selection { ends, is_dragged: false, statistics: None });
            }
        }
    }

    /// Shades the selected range.
    pub(super) fn add_range(&self, plot: &mut PlotUi<'_>, tokens: &Tokens) {
        let Some((from, to)) = self.selected_range() else { return };
        let span = Span::new("", from..=to).fill(tokens.acc.gamma_multiply(SHADE));
        plot.span(span.border_color(tokens.acc).border_width(1.0));
    }

    /// Shows the statistics of the range in a row below the plot.
    pub(super) fn range_ui(&mut self, ui: &mut Ui, data: &TimelineData) {
        let quantity = self.quantity;
        let Some(range) = self.range.as_mut().filter(|range| !range.is_dragged) else { return };
        let ends = range.range();
        let known = range.statistics.take();
        let (.., statistics) = range.statistics.insert(
            known
                .filter(|known| (known.0, known.1) == (quantity, data.len()))
                .unwrap_or_else(|| (quantity, data.len(), Statistics::of(data, quantity, ends))),
        );
        let place = format!("{:.3} to {:.3}{NARROW_SPACE}s", ends.0, ends.1);
        let lines = statistics.lines();
        let name = match quantity {
            Quantity::Period => "frame time",
            Quantity::Lateness => "lateness",
        };
        let in_words: Vec<String> =
            lines.iter().map(|(name, value)| format!("{} {value}", name.to_lowercase())).collect();
        let sentence = format!("Selected {place}, {name}: {}", in_words.join(", "));
        let (mut is_cleared, mut is_noted) = (false, false);
        let row = ui.horizontal_wrapped(|ui| {
            let tokens = Tokens::of(ui);
            ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
            Spans::plain(Type::LabelStrong, &place, tokens.t1).whole_label(ui);
            for (name, value) in &lines {
                Spans::new(Type::Label)
                    .text(Type::Small, name, tokens.t2)
                    .gap(size::GAP_LABEL)
                    .text(Type::LabelStrong, value, tokens.t1)
                    .whole_label(ui);
            }
            ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
            if ui.add(Button::quiet("Copy").icon(icons::COPY).name("Copy statistics")).clicked() {
                widgets::copy_shown(ui.ctx(), &sentence);
            }
            let zoom =
                Button::quiet("Zoom").icon(icons::MAGNIFYING_GLASS).name("Zoom to selection");
            if ui.add(zoom).clicked() {
                self.zoom_to(ui.ctx(), ends);
            }
            let note = Button::quiet("Annotate").icon(icons::NOTE_PENCIL).shortcut("A");
            is_noted = self.notes.is_possible() && ui.add(note).clicked();
            is_cleared =
                quiet_icon_button(ui, icons::X, "Clear selection of a range (Esc)").clicked();
        });
        let id = row.response.id;
        ui.ctx().accesskit_node_builder(id, |node| node.set_label(sentence.as_str()));
        if is_noted {
            self.notes.begin(ends);
        }
        if is_cleared {
            self.range = None;
        }
    }
}

/// Converts a time in seconds to nanoseconds; a negative time becomes 0.
pub(super) fn nanos_of(secs: f64) -> Nanos {
    Nanos::from_secs_f64(secs.max(0.0))
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::sample::Sample;

    use super::*;

    fn data(count: i64) -> TimelineData {
        let frame = Nanos::from_millis(10);
        let mut data = TimelineData::new(frame, Nanos::from_micros(500));
        for k in 1..=count {
            let due = frame * k;
            let woke = due + Nanos::from_micros(if k % 10 == 0 { 900 } else { k % 10 });
            let done = woke + Nanos::from_millis(if k == 50 { 11 } else { 2 });
            data.push(&Sample { began: due, due, slept: None, woke, done, spins: 0, cpu: None });
        }
        data
    }

    #[test]
    fn the_statistics_of_a_range_are_those_of_its_samples_alone() {
        let plain = |statistics: Statistics| -> Vec<String> {
            let lines = statistics.lines().into_iter();
            lines
                .map(|(name, value)| format!("{name} {}", value.replace('\u{202f}', " ")))
                .collect()
        };
        let data = data(1_000);
        // Frames 41 to 60: frames 50 and 60 are late, and frame 50 is missed.
        let some = plain(Statistics::of(&data, Quantity::Lateness, (0.4095, 0.6095)));
        assert_eq!(
            some,
            [
                "Samples 20",
                "Mean 94.5 µs",
                "p50 5.50 µs",
                "p99 –",
                "Max 900 µs",
                "Late 2",
                "Missed 1"
            ]
        );
        let all = plain(Statistics::of(&data, Quantity::Lateness, (0.0, 100.0)));
        assert_eq!(all[0], "Samples 1 000");
        assert_eq!(all[3], "p99 900 µs");
        let none = plain(Statistics::of(&data, Quantity::Period, (200.0, 300.0)));
        assert_eq!(none, ["Samples 0"]);
    }
}
