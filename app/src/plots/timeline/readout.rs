//! The tooltip of the sample under the pointer, and the hint while the view is paused.

use eframe::egui::{Align2, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};
use jitterscope_engine::nanos::Nanos;

use super::super::plane::{Move, ask};
use super::items::Seen;
use super::{Quantity, Timeline, TimelineData};
use crate::text::{self, NARROW_SPACE};
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;

/// Horizontal distance from the pointer, in points, within which the sample with the highest
/// lateness counts as under the pointer.
const REACH: f64 = 4.0;

impl Timeline {
    /// Returns the index of the sample under the pointer: a marked late sample nearby, otherwise
    /// the sample with the highest lateness within `REACH`, or the nearest sample in time if at
    /// most two samples are within `REACH`.
    pub(super) fn sample_at(
        &self,
        data: &TimelineData,
        (secs, place): (f64, f64),
        seen: Seen,
    ) -> Option<usize> {
        let per = (seen.per_point.0.max(1e-12), seen.per_point.1.max(1e-12));
        if self.quantity == Quantity::Lateness {
            let off = |at: f64, late: Nanos| {
                let up = (self.scale.place(late.as_f64()) - place) / per.1;
                ((at - secs) / per.0).hypot(up)
            };
            let start = data.late.partition_point(|mark| mark.secs < seen.time.0);
            let marks = data.late.iter().skip(start).take_while(|mark| mark.secs <= seen.time.1);
            let nearest = marks
                .map(|mark| (off(mark.secs, mark.late), mark.index))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let is_near = |nearest: &(f64, usize)| nearest.0 < f64::from(size::MARK) * 2.0;
            if let Some((_, index)) = nearest.filter(is_near) {
                return Some(index);
            }
        }
        let reach = per.0 * REACH;
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

    /// Returns the text of the tooltip of a sample; `None` if there is no sample at `index`.
    pub(super) fn words(data: &TimelineData, index: usize) -> Option<String> {
        let (secs, period, late) = data.sample(index)?;
        let (title, lines) = words(index, secs, period, late, Nanos::ZERO < data.frame);
        Some(format!("{title}\n{}", lines.join("\n")))
    }

    /// Shows at the lower edge of the plot that the view is paused at `secs`, with a button to
    /// follow new samples again.
    pub(super) fn paused_hint(&self, ui: &Ui, plot: &Response, secs: f64) {
        let tokens = Tokens::of(ui);
        let at = format!("Paused at {secs:.1}{NARROW_SPACE}s, still measuring · ");
        let galley = Spans::plain(Type::Label, &at, tokens.t1)
            .text(Type::LabelStrong, "Follow live", tokens.acc)
            .galley(ui);
        let within = plot.rect.shrink(size::GAP_SMALL);
        let box_size = galley.size() + vec2(20.0, 8.0);
        let rect = Align2::CENTER_BOTTOM.align_size_within_rect(box_size, within);
        let response = ui.interact(rect, plot.id.with("follow"), Sense::click());
        let fill = if response.hovered() { tokens.hov } else { tokens.pop };
        let line = if response.has_focus() { tokens.acc } else { tokens.line2 };
        let stroke = Stroke::new(1.0, line);
        ui.painter().rect(rect, size::RADIUS, fill, stroke, StrokeKind::Inside);
        ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t1);
        let name = format!("{at}Follow live");
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        if response.clicked() {
            ask(ui.ctx(), self.id, Move::Reset);
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

/// Returns the title and the lines of the tooltip of a sample. If samples are frames, the frame
/// time is among the lines.
fn words(
    index: usize,
    secs: f64,
    period: Nanos,
    late: Nanos,
    is_frames: bool,
) -> (String, Vec<String>) {
    let number = text::format_count(u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1));
    let early = if late < Nanos::ZERO { "Early by" } else { "Late by" };
    if !is_frames {
        let title = format!("Sample {number} · {secs:.2}{NARROW_SPACE}s");
        return (title, vec![text::format_time(late)]);
    }
    let title = format!("Frame {number} · {secs:.2}{NARROW_SPACE}s");
    let period = format!("Frame time {}", text::format_time(period));
    (title, vec![period, format!("{early} {}", text::format_time(late.abs()))])
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
