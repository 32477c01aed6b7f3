//! Values over time below a timeline, a row each, on its axis: zoom and cursor are linked.

use eframe::egui::Ui;
use egui_plot::{HoverPosition, PlotPoints, VLine};

use super::axis::{Axis, narrow};
use super::menu::{PlotTable, menu};
use super::plane::{Direction, Look, Plane, describe};
use super::style;
use super::timeline::{SIDES, Timeline};
use crate::theme::{Tokens, size};

/// The height of a row, and of the words of the axis below.
const ROW: f32 = 22.0;
const TICKS: f32 = 22.0;
/// The share of a row that its highest value takes.
const FILLED: f64 = 0.86;

/// A value over time.
#[derive(Clone, Debug)]
pub struct Strip {
    /// What it is.
    pub name: String,
    /// The value at each time in seconds.
    pub points: Vec<(f64, f64)>,
    /// The extremes in words, for the margin.
    pub extremes: String,
    /// A value in words.
    pub words: fn(f64) -> String,
}

impl Strip {
    fn max(&self) -> f64 {
        self.points.iter().map(|point| point.1).fold(0.0, f64::max)
    }

    /// The value at a time, or the last one before it.
    fn at(&self, secs: f64) -> Option<f64> {
        let after = self.points.partition_point(|point| point.0 < secs);
        let point = self.points.get(after).or_else(|| self.points.last())?;
        Some(point.1)
    }
}

/// How high the strips are together.
pub fn strips_height(strips: &[Strip]) -> f32 {
    if strips.is_empty() { 0.0 } else { ROW * rows(strips) + TICKS }
}

fn rows(strips: &[Strip]) -> f32 {
    f32::from(u16::try_from(strips.len()).unwrap_or(u16::MAX))
}

/// Shows the strips below a timeline that shows this much of time at first.
pub fn strips_ui(ui: &mut Ui, timeline: &Timeline, whole: (f64, f64), strips: &[Strip]) {
    if strips.is_empty() {
        return;
    }
    let tokens = Tokens::of(ui);
    let names: Vec<String> = strips.iter().map(|strip| strip.name.clone()).collect();
    let margin = strips.iter().zip(0_u32..);
    let margin =
        margin.map(|(strip, row)| (f64::from(row) + 0.5, strip.extremes.clone())).collect();
    let id = timeline.id().with("strips");
    let plane = Plane {
        look: Look {
            id,
            height: strips_height(strips),
            has_wheel: true,
            link: Some(timeline.link()),
            sides: Some(SIDES),
        },
        x: Direction { axis: Axis::Time, range: whole, label: "", names: &[], margin: Vec::new() },
        y: Direction {
            axis: Axis::Rows,
            range: (0.0, f64::from(rows(strips))),
            label: "",
            names: &names,
            margin,
        },
    };
    let selected = timeline.selected_secs();
    let (response, _) = plane.show(
        ui,
        |hover| match hover {
            HoverPosition::Elsewhere { position } => words(strips, position.x, position.y),
            HoverPosition::NearDataPoint { .. } => None,
        },
        |plot| {
            for (strip, row) in strips.iter().zip(0_u32..) {
                let base = f64::from(row) + 0.95;
                let scale = FILLED / strip.max().max(1e-9);
                let points: PlotPoints<'_> = strip
                    .points
                    .iter()
                    .map(|&(secs, value)| [secs, base - value * scale])
                    .collect();
                let look = tokens.series(usize::try_from(row).unwrap_or(0));
                let line = style::line(&strip.name, points, look.stroke(size::LINE_LIVE));
                plot.line(line.fill(narrow(base)).fill_alpha(0.15).allow_hover(false));
            }
            if let Some(secs) = selected {
                plot.vline(VLine::new("selected", secs).color(tokens.acc).width(1.2));
            }
        },
    );
    describe(&response, &summary(strips));
    menu(&response, id, || table(strips), None);
}

/// The value of the row under the pointer.
fn words(strips: &[Strip], secs: f64, row: f64) -> Option<String> {
    let (strip, _) =
        strips.iter().zip(0_u32..).find(|(_, at)| (0.0..1.0).contains(&(row - f64::from(*at))))?;
    let value = (strip.words)(strip.at(secs)?);
    Some(format!("{}\n{value} at {secs:.2} s", strip.name))
}

/// The accessible label.
fn summary(strips: &[Strip]) -> String {
    let strips: Vec<String> =
        strips.iter().map(|strip| format!("{} {}", strip.name, strip.extremes)).collect();
    format!("Conditions over time: {}", strips.join("; "))
}

fn table(strips: &[Strip]) -> PlotTable {
    let row = |strip: &Strip| {
        let values = strip.points.iter().map(|&(secs, value)| {
            vec![strip.name.clone(), format!("{secs:.2} s"), (strip.words)(value)]
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
        };
        let strips = [strip("Steal", 2.0), strip("Other programs", 30.0)];
        assert_eq!(words(&strips, 0.3, 1.4).unwrap(), "Other programs\n60% at 0.30 s");
        assert_eq!(words(&strips, 0.2, 0.1).unwrap(), "Steal\n2% at 0.20 s");
        assert_eq!(words(&strips, 0.2, 2.1), None);
        assert_eq!(table(&strips).rows.len(), 4);
        assert_eq!(summary(&strips), "Conditions over time: Steal max; Other programs max");
    }
}
