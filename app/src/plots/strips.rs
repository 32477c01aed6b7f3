//! Values over time below another plot: one row per value, on the same axis, with linked zoom and
//! cursor. A row of states has boxes with their names in place of a line.

use eframe::egui::{Align2, CornerRadius, Id, Rect, Stroke, StrokeKind, Ui};
use egui_plot::{HoverPosition, PlotPoint, PlotPoints, VLine};

use super::axis::{AxisKind, narrow};
use super::menu::{PlotTable, menu};
use super::plane::{Direction, Look, Plane, describe};
use super::style;
use super::timeline::{SIDES, Timeline};
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;

/// Height of a row, and of the axis labels below the rows, in points.
const ROW: f32 = 22.0;
const TICKS: f32 = 22.0;
/// Height of a strip's highest value, as a share of the row.
const FILLED: f64 = 0.86;
/// Opacity of the box of a state.
const BOX: f32 = 0.35;
/// Width of a box in addition to that of its name, in points.
const AROUND_NAME: f32 = 8.0;
/// A narrower box has no room for any name.
const MIN_NAMED: f32 = 20.0;

/// A value over time.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Name of the value.
    pub name: String,
    /// The values, each with its time in seconds.
    pub points: Vec<(f64, f64)>,
    /// The lowest or highest value, or both, as text that is shown in the right margin.
    pub extremes: String,
    /// Formats a value; without its unit, unless `unit` is empty.
    pub words: fn(f64) -> String,
    /// The unit after a value; empty if `words` includes it.
    pub unit: String,
    /// For states in place of values: the parts in which each lasted, in ascending order. Each point is then the end of
    /// a state.
    pub states: Vec<StatePart>,
}

/// A part of a strip in which a state lasted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StatePart {
    /// When it began, in seconds.
    pub from_secs: f64,
    /// When it ended, in seconds.
    pub to_secs: f64,
    /// The name of the state.
    pub name: &'static str,
    /// The series in whose color it is drawn; `None` for a neutral color.
    pub series: Option<usize>,
}

/// The properties of the plot above the strips, whose horizontal axis the strips share.
#[derive(Clone, Copy, Debug)]
pub struct Above {
    /// Id of the plot of the strips.
    pub id: Id,
    /// The group of plots that zoom and move together along this axis.
    pub link: Id,
    /// The axis of the strips, in seconds or in nanoseconds.
    pub axis: AxisKind,
    /// Length of a second in units of the axis.
    pub per_second: f64,
    /// The selected time, in seconds, which is marked by a line.
    pub selected: Option<f64>,
}

impl Above {
    /// Returns the properties of a timeline above the strips; the axis is in seconds.
    pub fn timeline(timeline: &Timeline) -> Self {
        Self {
            id: timeline.id.with("strips"),
            link: timeline.link(),
            axis: AxisKind::Time,
            per_second: 1.0,
            selected: timeline.selected_secs,
        }
    }

    /// Returns the properties of a chart above the strips; the axis is in nanoseconds.
    pub fn chart(link: Id) -> Self {
        let id = link.with("strips");
        Self { id, link, axis: AxisKind::Nanos, per_second: 1e9, selected: None }
    }
}

impl Strip {
    fn max(&self) -> f64 {
        self.points.iter().map(|point| point.1).fold(0.0, f64::max)
    }

    fn value_text(&self, value: f64) -> String {
        let words = (self.words)(value);
        if self.unit.is_empty() { words } else { format!("{words} {}", self.unit) }
    }

    /// Returns the value of the first point at or after a time, or of the last point if there is
    /// none.
    fn at(&self, secs: f64) -> Option<f64> {
        let after = self.points.partition_point(|point| point.0 < secs);
        let point = self.points.get(after).or_else(|| self.points.last())?;
        Some(point.1)
    }
}

/// Returns the total height of the strips with their axis labels, in points.
pub fn strips_height(strips: &[Strip]) -> f32 {
    if strips.is_empty() { 0.0 } else { ROW * rows(strips) + TICKS }
}

fn rows(strips: &[Strip]) -> f32 {
    f32::from(u16::try_from(strips.len()).unwrap_or(u16::MAX))
}

/// Returns the widths reserved for labels left and right of the strips and of the plot above the
/// strips, in points; wide enough for every name.
pub fn strips_sides(ui: &Ui, strips: &[Strip]) -> (f32, f32) {
    let color = Tokens::of(ui).t2;
    let widest = |text: fn(&Strip) -> &str| {
        let widths = strips
            .iter()
            .map(|strip| Spans::plain(Type::Axis, text(strip), color).galley(ui).size().x);
        (widths.fold(0.0, f32::max) + 2.0 * size::GAP_LABEL).ceil()
    };
    (SIDES.0.max(widest(|strip| &strip.name)), SIDES.1.max(widest(|strip| &strip.extremes)))
}

/// Draws the strips below a plot; `whole` is the initial time range of that plot, in seconds.
pub fn strips_ui(ui: &mut Ui, above: Above, whole: (f64, f64), strips: &[Strip]) {
    if strips.is_empty() {
        return;
    }
    let tokens = Tokens::of(ui);
    let names: Vec<String> = strips.iter().map(|strip| strip.name.clone()).collect();
    let margin = strips.iter().zip(0_u32..);
    let margin =
        margin.map(|(strip, row)| (f64::from(row) + 0.5, strip.extremes.clone())).collect();
    let Above { id, link, axis, per_second, selected } = above;
    let whole = (whole.0 * per_second, whole.1 * per_second);
    let plane = Plane {
        look: Look {
            link: Some(link),
            sides: Some(strips_sides(ui, strips)),
            ..Look::new(id, strips_height(strips))
        },
        x: Direction::new(axis, whole, ""),
        y: Direction { margin, ..Direction::rows(&names, rows(strips)) },
    };
    let (response, transform) = plane.show(
        ui,
        |hover| match hover {
            HoverPosition::Elsewhere { position } => {
                words(strips, position.x / per_second, position.y)
            }
            HoverPosition::NearDataPoint { .. } => None,
        },
        |plot| {
            let lines = strips.iter().zip(0_u32..);
            for (strip, row) in lines.filter(|(strip, _)| strip.states.is_empty()) {
                let base = f64::from(row) + 0.95;
                let scale = FILLED / strip.max().max(1e-9);
                let points: PlotPoints<'_> = strip
                    .points
                    .iter()
                    .map(|&(secs, value)| [secs * per_second, base - value * scale])
                    .collect();
                let look = tokens.series(usize::try_from(row).unwrap_or(0));
                let line = style::line(&strip.name, points, look.stroke(size::LINE_LIVE));
                plot.line(line.fill(narrow(base)).fill_alpha(0.15).allow_hover(false));
            }
            if let Some(secs) = selected {
                plot.vline(VLine::new("selected", secs * per_second).color(tokens.acc).width(1.2));
            }
        },
    );
    for (strip, row) in strips.iter().zip(0_u32..) {
        let at = |secs: f64, y: f64| {
            let point = PlotPoint::new(secs * per_second, f64::from(row) + y);
            transform.position_from_point(&point)
        };
        boxes_ui(ui, *transform.frame(), &strip.states, |part| {
            Rect::from_two_pos(at(part.from_secs, 1.0 - FILLED), at(part.to_secs, 0.95))
        });
    }
    describe(&response, &summary(strips));
    menu(&response, id, || table(strips), None);
}

/// Draws boxes of states, at most one per point of the width, each with its name where there is room for it.
fn boxes_ui(ui: &Ui, frame: Rect, parts: &[StatePart], area: impl Fn(&StatePart) -> Rect) {
    let tokens = Tokens::of(ui);
    let painter = ui.painter().with_clip_rect(frame);
    let mut drawn_to = f32::NEG_INFINITY;
    for part in parts {
        let area = area(part);
        let seen = area.intersect(frame);
        if !seen.is_positive() || seen.right() < drawn_to + 1.0 {
            continue;
        }
        drawn_to = seen.right();
        let color = part.series.map_or(tokens.t3, |series| tokens.series(series).color);
        let stroke = Stroke::new(1.0, color);
        let fill = color.gamma_multiply(BOX);
        painter.rect(area, CornerRadius::ZERO, fill, stroke, StrokeKind::Inside);
        if seen.width() < MIN_NAMED {
            continue;
        }
        let name = painter.layout_no_wrap(part.name.to_owned(), Type::Axis.font(), tokens.t1);
        if name.size().x + AROUND_NAME <= seen.width() {
            let at = Align2::CENTER_CENTER.anchor_size(seen.center(), name.size());
            painter.galley(at.min, name, tokens.t1);
        }
    }
}

/// Returns the tooltip of the row under the pointer.
fn words(strips: &[Strip], secs: f64, row: f64) -> Option<String> {
    let (strip, _) =
        strips.iter().zip(0_u32..).find(|(_, at)| (0.0..1.0).contains(&(row - f64::from(*at))))?;
    let value = strip.value_text(strip.at(secs)?);
    Some(format!("{}\n{value} at {secs:.2} s", strip.name))
}

/// Returns the accessible label of the strips.
fn summary(strips: &[Strip]) -> String {
    let strips: Vec<String> =
        strips.iter().map(|strip| format!("{} {}", strip.name, strip.extremes)).collect();
    format!("Conditions over time: {}", strips.join("; "))
}

fn table(strips: &[Strip]) -> PlotTable {
    let row = |strip: &Strip| {
        let values = strip.points.iter().map(|&(secs, value)| {
            vec![strip.name.clone(), format!("{secs:.2} s"), strip.value_text(value)]
        });
        values.collect::<Vec<_>>()
    };
    PlotTable {
        title: "Conditions over time".to_owned(),
        header: ["Condition", "Time", "Value"].map(str::to_owned).to_vec(),
        rows: strips.iter().flat_map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_is_read_out_where_the_pointer_is() {
        let strip = |name: &str, value: f64| Strip {
            name: name.to_owned(),
            points: vec![(0.25, value), (0.5, value * 2.0)],
            extremes: "max".to_owned(),
            words: |value| format!("{value}%"),
            unit: String::new(),
            states: Vec::new(),
        };
        let strips = [strip("Steal", 2.0), strip("Other programs", 30.0)];
        assert_eq!(words(&strips, 0.3, 1.4).unwrap(), "Other programs\n60% at 0.30 s");
        assert_eq!(words(&strips, 0.2, 0.1).unwrap(), "Steal\n2% at 0.20 s");
        assert_eq!(words(&strips, 0.2, 2.1), None);
        assert_eq!(table(&strips).rows.len(), 4);
        assert_eq!(summary(&strips), "Conditions over time: Steal max; Other programs max");
    }
}
