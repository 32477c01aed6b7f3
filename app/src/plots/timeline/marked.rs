//! Marks in a timeline for the frames that a selected bar of a histogram or point of a distribution
//! represents.

use eframe::egui::Ui;
use egui_plot::{PlotPoints, PlotUi, Points};
use jitterscope_engine::nanos::Nanos;

use super::super::chart::ChartPick;
use super::super::plane::{Move, ask};
use super::items::Seen;
use super::{Quantity, Timeline, TimelineData};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Spans, quiet_icon_button};

/// Maximum number of frames that are marked separately. A plot is too narrow to show more marks.
const MAX_MARKS: usize = 20_000;
/// Minimum time shown before the first and after the last marked frame when zooming to the marked
/// frames, in seconds.
const ROOM: f64 = 0.05;

/// The marked frames: all frames whose lateness is in a range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Marked {
    /// The range of lateness as text.
    words: String,
    /// The number of frames.
    count: usize,
    /// Positions of the frames among all samples, in ascending order. Of more than `MAX_MARKS`
    /// frames, only an evenly spaced subset, the frame with the highest lateness, and the last one.
    indices: Vec<usize>,
}

impl Marked {
    /// Finds the frames whose lateness is in the range of `pick`. Time: O(n) for n samples.
    fn of(data: &TimelineData, pick: &ChartPick) -> Self {
        let is_meant = |late: Nanos| pick.holds(late.as_f64());
        let found: Vec<usize> = (0..data.len())
            .filter(|&index| data.lateness.value(index).is_some_and(is_meant))
            .collect();
        let stride = found.len().div_ceil(MAX_MARKS).max(1);
        let mut indices: Vec<usize> = found.iter().copied().step_by(stride).collect();
        let latest = found.iter().copied().max_by_key(|&index| data.lateness.value(index));
        indices.extend(latest);
        indices.extend(found.last());
        indices.sort_unstable();
        indices.dedup();
        Self { words: pick.words.clone(), count: found.len(), indices }
    }

    fn sentence(&self) -> String {
        let count = text::format_count(self.count);
        let frames = if self.count == 1 { "frame" } else { "frames" };
        format!("{count} {frames} marked: lateness {}", self.words)
    }
}

impl Timeline {
    /// Marks the frames that a bar or a point of another chart represents, and zooms to these
    /// frames; shows all samples if the frames span most of the time.
    pub fn mark(&mut self, ui: &Ui, data: &TimelineData, pick: &ChartPick) {
        let marked = Marked::of(data, pick);
        let secs = |index: Option<&usize>| Some(data.sample(*index?)?.0);
        let ends = (secs(marked.indices.first()), secs(marked.indices.last()));
        if let (Some(from), Some(to)) = ends {
            let room = ((to - from) * 0.05).max(ROOM);
            let is_most = data.end_secs() * 0.9 < to - from;
            if is_most {
                ask(ui.ctx(), self.id, Move::Reset);
            } else {
                self.zoom_to(ui.ctx(), ((from - room).max(0.0), (to + room).min(data.end_secs())));
            }
        }
        self.quantity = Quantity::Lateness;
        self.marked = Some(marked);
        self.is_sought = true;
    }

    /// Draws rings around the marked frames.
    pub(super) fn add_marked(
        &self,
        plot: &mut PlotUi<'_>,
        tokens: &Tokens,
        data: &TimelineData,
        seen: Seen,
    ) {
        let Some(marked) = &self.marked else { return };
        let mut last = (f64::NEG_INFINITY, 0.0);
        let places = marked.indices.iter().filter_map(|&index| {
            let (secs, period, late) = data.sample(index)?;
            let nanos = if self.quantity == Quantity::Period { period } else { late };
            let at = (secs, self.scale.place(nanos.as_f64()));
            let is_apart = 1.0 <= seen.distance(at, last);
            last = if is_apart { at } else { last };
            (is_apart && (seen.time.0..=seen.time.1).contains(&secs)).then_some([at.0, at.1])
        });
        let places: PlotPoints<'_> = places.collect();
        let rings = Points::new("marked", places).filled(false).radius(size::MARK);
        plot.points(rings.color(tokens.acc).allow_hover(false));
    }

    /// Describes the marked frames in a row below the plot, with a button that clears the marks.
    pub(super) fn marked_ui(&mut self, ui: &mut Ui) {
        let Some(marked) = &self.marked else { return };
        let sentence = marked.sentence();
        let is_cleared = ui.horizontal(|ui| {
            let tokens = Tokens::of(ui);
            Spans::new(Type::Label)
                .icon(icons::CROSSHAIR, size::ICON_SMALL, tokens.acc)
                .text(Type::Label, &sentence, tokens.t1)
                .whole_label(ui);
            quiet_icon_button(ui, icons::X, "Clear marked frames (Esc)").clicked()
        });
        if is_cleared.inner {
            self.marked = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::sample::Sample;

    use super::*;

    #[test]
    fn the_frames_of_a_bar_are_found_and_the_latest_stays_among_very_many() {
        let frame = Nanos::from_millis(1);
        let mut data = TimelineData::new(frame, Nanos::from_micros(50));
        for k in 1..=100_000 {
            let due = frame * k;
            let woke = due + Nanos::new(if k == 77_777 { 900 } else { 200 + k % 2 });
            data.push(&Sample {
                began: due,
                due,
                slept: None,
                woke,
                done: woke,
                spins: 0,
                cpu: None,
            });
        }
        let pick = |from, to| ChartPick { series: String::new(), from, to, words: "x".to_owned() };
        let all = Marked::of(&data, &pick(200.0, 1_000.0));
        assert_eq!(all.count, 100_000);
        assert!(all.indices.len() <= MAX_MARKS + 2 && all.indices.contains(&77_776));
        let some = Marked::of(&data, &pick(201.0, 202.0));
        assert_eq!((some.count, some.indices[0]), (49_999, 0));
        let one = Marked::of(&data, &pick(900.0, f64::INFINITY));
        assert_eq!(one.indices, [77_776]);
        assert!(one.sentence().starts_with("1 frame marked"));
    }
}
