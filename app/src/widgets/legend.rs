//! The legend of a plot: its entries hide and show series, and their samples are drawn as the plot
//! draws them.

use eframe::egui::{
    Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};

use super::mark::{line_sample, series_mark};
use super::paint::focus_ring;
use super::spans::Spans;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, Type, size};

/// How an entry's swatch is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LegendSwatch {
    /// A stretch of line.
    Line(Dash),
    /// A line segment with a marker.
    MarkedLine(Dash, Mark),
    /// Only a marker.
    Mark(Mark),
    /// A bar of a histogram.
    Bar,
}

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegendEntry<'a> {
    /// Name of the series.
    pub name: &'a str,
    /// Its color.
    pub color: Color32,
    /// How it is drawn.
    pub sample: LegendSwatch,
}

/// Which entries are hidden, by position in the legend. Stored by the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden(u64);

impl Hidden {
    /// Whether the entry is hidden.
    pub const fn is_hidden(self, entry: usize) -> bool {
        self.0 & Self::bit(entry) != 0
    }

    /// Toggles an entry.
    pub const fn toggle(&mut self, entry: usize) {
        self.0 ^= Self::bit(entry);
    }

    /// Hides all others; if they are already hidden, shows all.
    pub const fn isolate(&mut self, entry: usize, count: usize) {
        let all = Self::bit(count).wrapping_sub(1);
        let others = all & !Self::bit(entry);
        self.0 = if self.0 == others { 0 } else { others };
    }

    const fn bit(entry: usize) -> u64 {
        if entry < 64 { 1 << entry } else { 0 }
    }
}

const SAMPLE_WIDTH: f32 = 16.0;
const ROW: f32 = 17.0;

/// Shows the entries in a row. A click hides one, Alt+click hides the others.
pub fn legend_row(ui: &mut Ui, entries: &[LegendEntry<'_>], hidden: &mut Hidden) -> Response {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
        entries_ui(ui, entries, hidden);
    })
    .response
}

fn entries_ui(ui: &mut Ui, entries: &[LegendEntry<'_>], hidden: &mut Hidden) {
    for (at, entry) in entries.iter().enumerate() {
        let shown = !hidden.is_hidden(at);
        if entry_ui(ui, entry, shown).clicked() {
            if ui.input(|input| input.modifiers.alt) {
                hidden.isolate(at, entries.len());
            } else {
                hidden.toggle(at);
            }
        }
    }
}

fn entry_width(ui: &Ui, entry: &LegendEntry<'_>) -> f32 {
    let text = Spans::plain(Type::Small, entry.name, entry.color).galley(ui);
    SAMPLE_WIDTH + size::GAP_ICON + text.size().x.ceil()
}

fn entry_ui(ui: &mut Ui, entry: &LegendEntry<'_>, shown: bool) -> Response {
    let tokens = Tokens::of(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(entry_width(ui, entry), ROW), Sense::click());
    let text_color = if shown { tokens.t1 } else { tokens.t3 };
    draw_entry(ui, rect, entry, shown, text_color);
    focus_ring(ui, &response);
    let name = format!("Show {}", entry.name);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, shown, &name));
    response.on_hover_text(format!("{}\nClick to hide, Alt+click to hide the others", entry.name))
}

fn draw_entry(ui: &Ui, rect: Rect, entry: &LegendEntry<'_>, shown: bool, text_color: Color32) {
    let tokens = Tokens::of(ui);
    let color = if shown { entry.color } else { tokens.t3 };
    let sample = Rect::from_min_size(rect.min, vec2(SAMPLE_WIDTH, rect.height()));
    paint_sample(ui, sample, entry.sample, color);
    let text = Spans::plain(Type::Small, entry.name, text_color).galley(ui);
    let at = sample.right_center() + vec2(size::GAP_ICON, -text.size().y / 2.0);
    if !shown {
        let line = (at.x..=at.x + text.size().x, rect.center().y);
        ui.painter().hline(line.0, line.1, (1.0, tokens.t3));
    }
    ui.painter().galley(at, text, text_color);
}

fn paint_sample(ui: &Ui, rect: Rect, sample: LegendSwatch, color: Color32) {
    let painter = ui.painter();
    match sample {
        LegendSwatch::Line(dash) => line_sample(painter, rect, dash, color),
        LegendSwatch::MarkedLine(dash, mark) => {
            line_sample(painter, rect, dash, color);
            series_mark(painter, rect.center(), size::MARK, mark, color);
        }
        LegendSwatch::Mark(mark) => series_mark(painter, rect.center(), size::MARK, mark, color),
        LegendSwatch::Bar => {
            let bar = Rect::from_center_size(rect.center(), vec2(13.0, 10.0));
            let fill = color.gamma_multiply(0.6);
            painter.rect(bar, 0, fill, Stroke::new(1.0, color), StrokeKind::Inside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolating_hides_the_others_and_again_shows_all() {
        let mut hidden = Hidden::default();
        hidden.isolate(1, 3);
        let seen: Vec<bool> = (0..3).map(|entry| hidden.is_hidden(entry)).collect();
        assert_eq!(seen, [true, false, true]);
        hidden.isolate(1, 3);
        assert_eq!(hidden, Hidden::default());
        hidden.toggle(2);
        assert!(hidden.is_hidden(2));
    }
}
