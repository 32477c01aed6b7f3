//! The readout of the sample under the pointer, and the hint while the view is paused.

use eframe::egui::{Align2, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::nanos::Nanos;

use super::super::canvas::Area;
use super::{Quantity, Timeline, TimelineData};
use crate::text::{self, NARROW_SPACE};
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;

/// How far from the pointer a sample may be to be meant, in points.
const REACH: f64 = 4.0;

impl Timeline {
    /// The sample under the pointer: a late one nearby, else the highest within reach.
    pub(super) fn pointed_at(
        &self,
        area: &Area,
        data: &TimelineData,
        time: (f64, f64),
    ) -> Option<usize> {
        let response = &area.response;
        let place = response.hover_pos().filter(|_| response.contains_pointer())?;
        if self.quantity == Quantity::Lateness {
            let near =
                |secs: f64, late: Nanos| self.at(area, (secs, late.as_f64())).distance(place);
            let start = data.late.partition_point(|mark| mark.secs < time.0);
            let marks = data.late.iter().skip(start).take_while(|mark| mark.secs <= time.1);
            let nearest = marks
                .map(|mark| (near(mark.secs, mark.late), mark.index))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, index)) = nearest.filter(|nearest| nearest.0 < size::MARK * 2.0) {
                return Some(index);
            }
        }
        let (secs, _) = area.value_at(place);
        let reach = area.per_point().0 * REACH;
        let range = data.lateness.range(secs - reach, secs + reach);
        if range.len() <= 2 {
            return nearest_in_time(data, secs);
        }
        let (at, _) = data.lateness.max(range.clone())?;
        data.lateness.range(at, at).filter(|index| range.contains(index)).max_by(|a, b| {
            let late = |index: &usize| data.sample(*index).map(|sample| sample.2);
            late(a).cmp(&late(b))
        })
    }

    /// Draws the readout of one sample.
    pub(super) fn read_out(&self, area: &Area, tokens: &Tokens, data: &TimelineData, index: usize) {
        let Some((secs, period, late)) = data.sample(index) else { return };
        let nanos = if self.quantity == Quantity::Period { period } else { late };
        let dot = self.cursor(area, tokens, (secs, nanos.as_f64()));
        let rect = area.rect();
        let is_frames = Nanos::ZERO < data.frame;
        let (title, lines) = words(index, secs, period, late, is_frames);
        let painter = &area.painter;
        let title = painter.layout_no_wrap(title, Type::LabelStrong.font(), tokens.t1);
        let lines: Vec<_> = lines
            .into_iter()
            .map(|line| painter.layout_no_wrap(line, Type::Label.font(), tokens.t1))
            .collect();
        let width = lines.iter().map(|line| line.size().x).fold(title.size().x, f32::max);
        let row = Type::Label.line_height();
        let rows = if lines.len() == 1 { 2.0 } else { 3.0 };
        let box_size = vec2(width + 20.0, row * rows + 12.0);
        let to_the_right = dot.x + 10.0 + box_size.x < rect.right();
        let left = if to_the_right { dot.x + 10.0 } else { dot.x - 10.0 - box_size.x };
        let lowest = (rect.bottom() - box_size.y - 4.0).max(rect.top());
        let top = (dot.y + 12.0).clamp(rect.top(), lowest);
        let shown = Rect::from_min_size(pos2(left, top), box_size);
        let stroke = Stroke::new(1.0, tokens.line2);
        painter.rect(shown, size::RADIUS, tokens.pop, stroke, StrokeKind::Inside);
        let mut at = shown.min + vec2(10.0, 6.0);
        for line in std::iter::once(title).chain(lines) {
            painter.galley(at, line, tokens.t1);
            at.y += row;
        }
    }

    /// Shows at the lower edge that the view is paused, and offers to follow again.
    pub(super) fn paused_hint(&mut self, ui: &mut Ui, area: &Area, secs: f64) {
        let tokens = Tokens::of(ui);
        let at = format!("Paused at {secs:.1}{NARROW_SPACE}s, still measuring · ");
        let galley = Spans::new(Type::Label)
            .text(Type::Label, &at, tokens.t1)
            .text(Type::LabelStrong, "Follow live", tokens.acc)
            .galley(ui);
        let within = area.rect().shrink(size::GAP_SMALL);
        let box_size = galley.size() + vec2(20.0, 8.0);
        let rect = Align2::CENTER_BOTTOM.align_size_within_rect(box_size, within);
        let response = ui.interact(rect, area.response.id.with("follow"), Sense::click());
        let fill = if response.hovered() { tokens.hov } else { tokens.pop };
        let line = if response.has_focus() { tokens.acc } else { tokens.line2 };
        let stroke = Stroke::new(1.0, line);
        ui.painter().rect(rect, size::RADIUS, fill, stroke, StrokeKind::Inside);
        ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t1);
        let name = format!("{at}Follow live");
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        if response.clicked() {
            self.follow_live();
        }
    }
}

fn nearest_in_time(data: &TimelineData, secs: f64) -> Option<usize> {
    let after = data.lateness.range(secs, secs).start;
    let off = |index: &usize| data.sample(*index).map_or(f64::MAX, |at| (at.0 - secs).abs());
    (after.saturating_sub(1)..=after)
        .filter(|index| *index < data.len())
        .min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// The title and the lines about a sample: of a frame, its period, too.
fn words(
    index: usize,
    secs: f64,
    period: Nanos,
    late: Nanos,
    is_frames: bool,
) -> (String, Vec<String>) {
    let number = text::count(u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1));
    let early = if late < Nanos::ZERO { "Early by" } else { "Late by" };
    if !is_frames {
        let title = format!("Sample {number} · {secs:.2}{NARROW_SPACE}s");
        return (title, vec![text::duration(late)]);
    }
    let title = format!("Frame {number} · {secs:.2}{NARROW_SPACE}s");
    let period = format!("Frame time {}", text::duration(period));
    (title, vec![period, format!("{early} {}", text::duration(late.abs()))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_out_in_three_lines() {
        let (period, late) = (Nanos::new(18_610_000), Nanos::new(1_940_000));
        let plain = |line: &String| line.replace(NARROW_SPACE, " ");
        let (title, lines) = words(1_009, 16.829, period, late, true);
        assert_eq!(plain(&title), "Frame 1 010 · 16.83 s");
        let lines: Vec<String> = lines.iter().map(plain).collect();
        assert_eq!(lines, ["Frame time 18.61 ms", "Late by 1.940 ms"]);
        let (title, lines) = words(0, 0.5, period, late, false);
        assert_eq!(plain(&title), "Sample 1 · 0.50 s");
        assert_eq!(lines.iter().map(plain).collect::<Vec<_>>(), ["1.940 ms"]);
    }
}
