//! Timelines of several runs below each other on one time axis, with linked zoom and cursor.

use eframe::egui::{Align2, Id, Ui};
use egui_plot::{HoverPosition, PlotPoints, Points};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Chart, chart, table::Quantity};
use jitterscope_engine::stats::Pyramid;

use super::axis::{AxisKind, Scale, ZERO, columns, log_place};
use super::menu::{PlotTable, controls_ui, menu, plot_rows};
use super::plane::{Direction, Look, Move, Plane, SHORTEST, ask, describe, moved_range};
use super::style::marker;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;

/// Samples above this share of the axis have larger markers, because high values matter most.
const TALL_ABOVE: f64 = 0.62;
/// Id of the axis and cursor that all lanes share.
const LINK: &str = "lanes";
/// Number of time columns in an image.
const IMAGE_COLUMNS: usize = 700;
/// Number of rows per run in the table.
const PARTS: u32 = 40;

/// The timeline of a run.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'a> {
    /// Name of the run, with its letter.
    pub name: &'a str,
    /// Index of the series, which determines color and marker.
    pub series: usize,
    /// Values in nanoseconds over time in seconds.
    pub samples: &'a Pyramid,
    /// Start of the run on the shared axis, in seconds.
    pub begins: f64,
}

impl Lane<'_> {
    /// Returns the points to draw between two times of the shared axis.
    fn seen(&self, time: (f64, f64), columns: usize) -> Vec<(f64, f64)> {
        let own = (time.0 - self.begins, time.1 - self.begins);
        let mut points = self.samples.query(own.0, own.1, columns);
        for point in &mut points {
            point.0 += self.begins;
        }
        points
    }

    /// Returns a tooltip about the sample nearest to a time of the shared axis; `None` without
    /// samples.
    fn words(&self, secs: f64) -> Option<String> {
        let own = secs - self.begins;
        let after = self.samples.range(own, own).start;
        let (at, nanos) = [after.saturating_sub(1), after]
            .into_iter()
            .filter_map(|at| self.samples.point(at))
            .min_by(|a, b| (a.0 - own).abs().total_cmp(&(b.0 - own).abs()))?;
        let value = text::format_time(Nanos::from_nanos_f64(nanos));
        Some(format!("{}\n{value} at {:.2} s", self.name, at + self.begins))
    }
}

/// Returns the id of a lane's plot.
fn id_of(lane: usize) -> Id {
    Id::unique((LINK, lane))
}

/// Resets the zoom of all lanes.
pub fn reset_lanes(ui: &Ui) {
    ask(ui.ctx(), id_of(0), Move::Reset);
}

/// Draws the buttons in the header of the card of lanes: zoom, reset, and menu.
pub fn lanes_controls_ui(ui: &mut Ui) {
    controls_ui(ui, id_of(0), "Timelines");
}

/// Draws the lanes, each with a height of `height` points and with its name above the plot.
pub fn lanes_ui(ui: &mut Ui, height: f32, value_name: &'static str, lanes: &[Lane<'_>]) {
    let tokens = Tokens::of(ui);
    let ends = lanes.iter().map(|lane| lane.begins + lane.samples.end().as_secs());
    let whole = (0.0, ends.fold(SHORTEST, f64::max));
    let time = moved_range(ui.ctx(), id_of(0)).unwrap_or(whole);
    let width = columns(ui.available_width() / 2.0);
    let drawn: Vec<Vec<(f64, f64)>> = lanes.iter().map(|lane| lane.seen(time, width)).collect();
    let most = drawn.iter().flatten().map(|point| point.1).fold(1e5, f64::max);
    let value = (ZERO - 0.15, log_place(most * 2.0));
    let tall = value.0 + (value.1 - value.0) * TALL_ABOVE;
    ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
    for ((lane, drawn), number) in lanes.iter().zip(&drawn).zip(0..) {
        let look = tokens.series(lane.series);
        let is_last = number + 1 == lanes.len();
        Spans::plain(Type::Small, lane.name, look.color).label(ui);
        let plane = Plane {
            look: Look { link: Some(Id::unique(LINK)), ..Look::new(id_of(number), height) },
            x: Direction::new(AxisKind::Time, whole, if is_last { "Time" } else { "" }),
            y: Direction::new(Scale::Log.axis(), value, value_name),
        };
        let (response, _) = plane.show(
            ui,
            |hover| match hover {
                HoverPosition::Elsewhere { position } => lane.words(position.x),
                HoverPosition::NearDataPoint { .. } => None,
            },
            |plot| {
                let (shape, is_filled) = marker(look.mark);
                for is_tall in [false, true] {
                    let places = drawn.iter().map(|&(secs, nanos)| [secs, log_place(nanos)]);
                    let own: PlotPoints<'_> =
                        places.filter(|at| (tall < at[1]) == is_tall).collect();
                    let marks = Points::new(lane.name, own).shape(shape).filled(is_filled);
                    let marks = if is_tall {
                        marks.radius(size::MARK * 0.7).color(look.color)
                    } else {
                        marks.radius(size::POINT).color(look.color.gamma_multiply(0.7))
                    };
                    plot.points(marks.allow_hover(false));
                }
            },
        );
        describe(&response, &summary(lane, value_name));
        let image = || Some(chart_of(lanes, time, value_name));
        menu(&response, id_of(number), || table_of(lanes, time, value_name), Some(&image));
        if lane.samples.is_empty() {
            let (at, font) = (response.rect.center(), Type::Body.font());
            ui.painter().text(at, Align2::CENTER_CENTER, "No samples", font, tokens.t3);
        }
    }
}

/// Returns the visible part of all lanes as a chart, for an image.
fn chart_of(lanes: &[Lane<'_>], time: (f64, f64), value_name: &'static str) -> Chart {
    let points = |lane: &Lane<'_>| {
        let seen = lane.seen(time, IMAGE_COLUMNS).into_iter();
        seen.map(|(secs, nanos)| (secs * 1e9, nanos)).collect()
    };
    let series = lanes.iter().map(|lane| chart::Series::new(lane.name, points(lane)));
    let series: Vec<chart::Series> = series.collect();
    let most = series.iter().flat_map(|one| &one.points).map(|point| point.1).fold(0.0, f64::max);
    let x = chart::Axis::linear("Time", Quantity::Time, time.0 * 1e9, time.1 * 1e9);
    let y = chart::Axis::log(value_name, Quantity::Time, 100.0, most * 2.0);
    Chart::new(("timelines", "Timelines"), (x, y), chart::Marks::Points(series))
}

/// Returns the visible part of each lane as a table, divided into parts of equal duration.
fn table_of(lanes: &[Lane<'_>], (from, to): (f64, f64), value_name: &str) -> PlotTable {
    let rows_of = |lane: &Lane<'_>| {
        let rows = plot_rows(lane.samples, (from - lane.begins, to - lane.begins), PARTS);
        let named = rows.map(|row| {
            let begins = format!("{:.2} s", row.begins + lane.begins);
            vec![lane.name.to_owned(), begins, row.count, row.max]
        });
        named.collect::<Vec<_>>()
    };
    let header = ["Run", "From", "Samples"].map(str::to_owned).into_iter();
    PlotTable {
        title: "Timelines".to_owned(),
        header: header.chain([format!("Max {value_name}")]).collect(),
        rows: lanes.iter().flat_map(rows_of).collect(),
    }
}

/// Returns the accessible label of a lane.
fn summary(lane: &Lane<'_>, value_name: &str) -> String {
    let count = lane.samples.len();
    let Some((secs, nanos)) = lane.samples.max(0..count) else {
        return format!("Timeline of {}, no samples", lane.name);
    };
    format!(
        "Timeline of {}, {value_name}, {} samples, max {} at {secs:.2} seconds",
        lane.name,
        text::format_count(count),
        text::format_time(Nanos::from_nanos_f64(nanos)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_reported_in_a_sentence() {
        let mut samples = Pyramid::default();
        samples.push(Nanos::from_millis(500), Nanos::new(900));
        samples.push(Nanos::from_secs(1), Nanos::new(17_400_000));
        let lane = Lane { name: "B Linux", series: 1, samples: &samples, begins: 0.0 };
        assert_eq!(
            summary(&lane, "lateness").replace('\u{202f}', " "),
            "Timeline of B Linux, lateness, 2 samples, max 17.40 ms at 1.00 seconds"
        );
        let later = Lane { begins: 100.0, ..lane };
        assert_eq!(later.seen((100.0, 102.0), 50), [(100.5, 900.0), (101.0, 17_400_000.0)]);
    }
}
