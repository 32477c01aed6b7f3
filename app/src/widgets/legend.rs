//! The legend of a plot. Each entry has a swatch, drawn like its series in the plot, and a name. A
//! click on the entry hides or shows the series.

use eframe::egui::{Color32, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::mark::{line_sample, series_mark};
use super::paint::focus_ring;
use super::spans::Spans;
use crate::theme::tokens::{Dash, Mark};
use crate::theme::{Tokens, Type, size};

/// The swatch of a legend entry: a small sample of how the plot draws the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LegendSwatch {
    /// A line segment.
    Line(Dash),
    /// A line segment with a marker.
    MarkedLine(Dash, Mark),
    /// Only a marker.
    Mark(Mark),
}

/// An entry of the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegendEntry<'a> {
    /// Name of the series.
    pub name: &'a str,
    /// The color of the series.
    pub color: Color32,
    /// The swatch of the series.
    pub sample: LegendSwatch,
}

/// The entries that the user has hidden: bit n is set if entry n of the legend is hidden. The page
/// stores this value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden(u64);

impl Hidden {
    /// Whether an entry is hidden.
    pub const fn is_hidden(self, entry: usize) -> bool {
        self.0 & Self::bit(entry) != 0
    }

    /// Hides or shows an entry.
    pub const fn toggle(&mut self, entry: usize) {
        self.0 ^= Self::bit(entry);
    }

    /// Hides all of the `count` entries except `entry`. If exactly these are hidden already, shows
    /// all entries.
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

/// Shows the entries of a legend in a row. A click hides or shows an entry; Alt+click hides the
/// other entries.
pub fn legend_row(ui: &mut Ui, entries: &[LegendEntry<'_>], hidden: &mut Hidden) -> Response {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
        for (at, entry) in entries.iter().enumerate() {
            if entry_ui(ui, entry, !hidden.is_hidden(at)).clicked() {
                if ui.input(|input| input.modifiers.alt) {
                    hidden.isolate(at, entries.len());
                } else {
                    hidden.toggle(at);
                }
            }
        }
    })
    .response
}

fn entry_ui(ui: &mut Ui, entry: &LegendEntry<'_>, shown: bool) -> Response {
    let tokens = Tokens::of(ui);
    let (color, text_color) = if shown { (entry.color, tokens.t1) } else { (tokens.t3, tokens.t3) };
    let text = Spans::plain(Type::Small, entry.name, text_color).galley(ui);
    let width = SAMPLE_WIDTH + size::GAP_ICON + text.size().x.ceil();
    let (rect, response) = ui.allocate_exact_size(vec2(width, ROW), Sense::click());
    let sample = Rect::from_min_size(rect.min, vec2(SAMPLE_WIDTH, rect.height()));
    paint_sample(ui, sample, entry.sample, color);
    let at = sample.right_center() + vec2(size::GAP_ICON, -text.size().y / 2.0);
    if !shown {
        let line = (at.x..=at.x + text.size().x, rect.center().y);
        ui.painter().hline(line.0, line.1, (1.0, tokens.t3));
    }
    ui.painter().galley(at, text, text_color);
    focus_ring(ui, &response);
    let name = format!("Show {}", entry.name);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, shown, &name));
    let clicks = if shown {
        "Click to hide, Alt+click to hide the others"
    } else {
        "Click to show, Alt+click to show only this one"
    };
    response.on_hover_text(format!("{}\n{clicks}", entry.name))
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
