//! A range of values of a histogram, selected by dragging with Shift, and the count of each series
//! in the range.

use eframe::egui::{Id, PointerButton, Response, Ui};
use egui_plot::{PlotTransform, PlotUi, Span};
use jitterscope_engine::report::chart::{Chart, Marks, Series};

use super::super::plane::hold;
use super::super::style::SHADE;
use super::words::{range_text, value_text};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::keys::take_escape;
use crate::widgets::{self, Button, Spans, quiet_icon_button};

/// A selected range of values, and whether the user is still dragging. `begin` can be above `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Selection {
    begin: f64,
    end: f64,
    is_dragged: bool,
}

/// Updates the selected range of a histogram: dragging with Shift selects a range, Esc clears the
/// selection.
pub(super) fn select(
    (plot, range): (Id, &mut Option<Selection>),
    chart: &Chart,
    response: &Response,
    transform: &PlotTransform,
) {
    if !matches!(chart.marks, Marks::Steps(_)) {
        return;
    }
    let ctx = &response.ctx;
    let (shift, origin) = ctx.input(|input| (input.modifiers.shift, input.pointer.press_origin()));
    let value = |at| chart.x.value_at(transform.value_from_position(at).x);
    if shift
        && response.drag_started_by(PointerButton::Primary)
        && let Some(begin) = origin.map(value)
    {
        *range = Some(Selection { begin, end: begin, is_dragged: true });
        hold(ctx, plot, true);
    }
    if let Some(range) = range.as_mut().filter(|range| range.is_dragged) {
        range.end = response.interact_pointer_pos().map_or(range.end, value);
        range.is_dragged = response.dragged_by(PointerButton::Primary);
        if !range.is_dragged {
            hold(ctx, plot, false);
        }
    }
    if range.is_some_and(|range| !range.is_dragged) && take_escape(ctx) {
        *range = None;
    }
}

/// Returns the outer edges of the bins that a range touches; `None` if the range touches no bin.
fn edges(chart: &Chart, range: Selection) -> Option<(f64, f64)> {
    let Marks::Steps(all) = &chart.marks else { return None };
    let (from, to) = (range.begin.min(range.end), range.begin.max(range.end));
    let bins = all.first()?.bins().filter(|bin| from < bin.to && bin.from <= to);
    bins.map(|bin| (bin.from, bin.to)).reduce(|all, bin| (all.0, bin.1))
}

/// Returns the number of values of a series between two bin edges, and in total.
fn counts(one: &Series, (from, to): (f64, f64)) -> (f64, f64) {
    let inside = one.bins().filter(|bin| from <= bin.from && bin.to <= to);
    (inside.map(|bin| bin.count).sum(), one.bins().map(|bin| bin.count).sum())
}

/// Returns the text that states how many values of each series are in the range.
fn sentence(chart: &Chart, range: Selection) -> Option<String> {
    let Marks::Steps(all) = &chart.marks else { return None };
    let ends = edges(chart, range)?;
    let each = all.iter().map(|one| {
        let (count, total) = counts(one, ends);
        let share = text::format_share(count / total.max(1.0));
        let name = if 1 < all.len() { format!("{} ", one.label) } else { String::new() };
        format!("{name}{} ({share})", value_text(&chart.y, count))
    });
    let each: Vec<String> = each.collect();
    let counted = chart.y.title.to_lowercase();
    Some(format!("{}: {counted} {}", range_text(&chart.x, ends), each.join(", ")))
}

/// Shades the selected range in the plot.
pub(super) fn add(plot: &mut PlotUi<'_>, chart: &Chart, range: Selection, tokens: &Tokens) {
    if let Some((from, to)) = edges(chart, range) {
        let span = Span::new("", chart.x.position(from)..=chart.x.position(to));
        plot.span(span.fill(tokens.acc.gamma_multiply(SHADE)).border_color(tokens.acc));
    }
}

/// Height of the row that shows the counts below the plot, in points.
pub(super) const HEIGHT: f32 = size::BUTTON;

/// Shows the counts in the range in a row below the plot.
pub(super) fn row_ui(ui: &mut Ui, chart: &Chart, range: &mut Option<Selection>) {
    let Some(words) = range.and_then(|range| sentence(chart, range)) else { return };
    let mut is_cleared = false;
    ui.horizontal(|ui| {
        let room = ui.available_width() - 110.0;
        let color = Tokens::of(ui).t1;
        Spans::plain(Type::Label, &words, color).label_within(ui, room);
        if ui.add(Button::quiet("Copy").icon(icons::COPY).name("Copy counts")).clicked() {
            widgets::copy_shown(ui.ctx(), &words);
        }
        is_cleared = quiet_icon_button(ui, icons::X, "Clear selection of values (Esc)").clicked();
    });
    if is_cleared {
        *range = None;
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::chart::{Scale, of_histograms};
    use jitterscope_engine::stats::LogHistogram;

    use super::*;

    #[test]
    fn a_range_counts_the_whole_bins_that_it_touches() {
        let counts = LogHistogram::of(&[-4, 120, 1_000, 1_100, 17_400_000]);
        let names = ("Lateness", "Frames");
        let chart = of_histograms("test", "Test", names, &[("Normal", &counts)]).unwrap();
        let said = |begin, end| {
            let range = Selection { begin, end, is_dragged: false };
            sentence(&chart, range).map(|words| words.replace('\u{202f}', " "))
        };
        assert_eq!(said(2_000.0, 110.0).unwrap(), "100 ns to 2.51 µs: frames 3 (60.0%)");
        assert_eq!(said(60.0, 70.0).unwrap(), "below 100 ns: frames 1 (20.0%)");
        // The first bin of a linear histogram holds no lower values.
        let mut chart = chart.clone();
        chart.x.scale = Scale::Linear;
        let range = Selection { begin: 60.0, end: 70.0, is_dragged: false };
        let words = sentence(&chart, range).unwrap().replace('\u{202f}', " ");
        assert_eq!(words, "50 ns to 100 ns: frames 1 (20.0%)");
    }
}
