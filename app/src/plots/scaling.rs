//! How a cycle scales: time and efficiency against the number of threads.

use eframe::egui::{Align2, Pos2, Sense, Stroke, Ui, vec2};

use super::axis::Axis;
use super::canvas::{Area, Canvas, Side};
use crate::theme::tokens::Dash;
use crate::theme::{Tokens, size};
use crate::widgets::{Hidden, LegendEntry, LegendSwatch, legend_box, series_mark};

/// One number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalingPoint {
    /// Threads.
    pub threads: u32,
    /// Mean time of a cycle in nanoseconds.
    pub nanos: f64,
    /// Half of its 99.9 % interval, where there is one.
    pub error: Option<f64>,
    /// Efficiency, where one thread was measured.
    pub efficiency: Option<f64>,
}

/// The points of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingSeries {
    /// The workload.
    pub name: String,
    /// Its points in order of threads.
    pub points: Vec<ScalingPoint>,
}

fn threads_side(series: &[ScalingSeries]) -> Side<'static> {
    let most =
        series.iter().flat_map(|one| &one.points).map(|point| point.threads).max().unwrap_or(1);
    let range = (-0.25, f64::from(most).log2().max(1.0) + 0.25);
    Side { axis: Axis::Threads, range, label: "Threads" }
}

/// The line at the number of physical cores.
fn cores_ui(area: &Area, cores: Option<u32>, tokens: &Tokens) {
    if let Some(cores) = cores {
        let words = format!("{cores} physical cores");
        let x = f64::from(cores.max(1)).log2();
        let rect = area.rect();
        let at = area.at(x, 0.0).x;
        let path = [Pos2::new(at, rect.top()), Pos2::new(at, rect.bottom())];
        area.painter.extend(Dash::DOTTED.line(&path, Stroke::new(1.0, tokens.t3)));
        let place = Pos2::new(at - 4.0, rect.bottom() - 4.0);
        area.text(place, Align2::RIGHT_BOTTOM, &words, tokens.t2);
    }
}

/// Draws time against threads, with the error of each point and perfect scaling dashed. `hidden`
/// are the hidden entries of the legend: perfect scaling first, then the series.
pub fn time_ui(
    ui: &mut Ui,
    series: &[ScalingSeries],
    cores: Option<u32>,
    height: f32,
    hidden: &mut Hidden,
) {
    let tokens = Tokens::of(ui);
    let all = || series.iter().flat_map(|one| &one.points);
    let low = all().map(|point| point.nanos).fold(f64::MAX, f64::min);
    let high = all().map(|point| point.nanos + point.error.unwrap_or(0.0)).fold(1e6, f64::max);
    let low = if low.is_finite() && low < 1e18 { low } else { 1e6 };
    let y = Side {
        axis: Axis::LogNanos,
        range: ((low / 2.5).max(1e3).log10(), (high * 1.6).log10()),
        label: "per cycle (log)",
    };
    let area = Canvas { name: "time-per-cycle", height, x: threads_side(series), y }
        .show(ui, Sense::hover());
    area.describe(&summary("Time per cycle", series, |point| {
        format!("{:.1} ms", point.nanos / 1e6)
    }));
    cores_ui(&area, cores, tokens);
    let place =
        |threads: u32, nanos: f64| area.at(f64::from(threads).log2(), nanos.max(1.0).log10());
    for (one, at) in series.iter().zip(0..) {
        let look = tokens.series(at);
        let first = one.points.iter().find(|point| point.threads == 1);
        if let Some(first) = first.filter(|_| !hidden.is_hidden(0)) {
            let perfect: Vec<Pos2> = one
                .points
                .iter()
                .map(|point| place(point.threads, first.nanos / f64::from(point.threads)))
                .collect();
            area.painter.extend(Dash::LIMIT.line(&perfect, Stroke::new(1.0, tokens.t3)));
        }
        if hidden.is_hidden(at + 1) {
            continue;
        }
        let path: Vec<Pos2> =
            one.points.iter().map(|point| place(point.threads, point.nanos)).collect();
        area.painter.extend(look.dash.line(&path, look.stroke(size::LINE_COMPARE)));
        for point in &one.points {
            let middle = place(point.threads, point.nanos);
            if let Some(error) = point.error {
                let ends = [
                    place(point.threads, (point.nanos - error).max(point.nanos * 0.05)),
                    place(point.threads, point.nanos + error),
                ];
                let stroke = look.stroke(1.4);
                area.painter.line_segment(ends, stroke);
                for end in ends {
                    area.painter.line_segment([end - vec2(4.0, 0.0), end + vec2(4.0, 0.0)], stroke);
                }
            }
            series_mark(&area.painter, middle, 4.2, look.mark, look.color);
        }
    }
    let looks: Vec<_> = (0..series.len()).map(|at| tokens.series(at)).collect();
    let mut entries = vec![LegendEntry {
        name: "Perfect scaling",
        color: tokens.t3,
        sample: LegendSwatch::Line(Dash::LIMIT),
    }];
    entries.extend(series.iter().zip(&looks).map(|(one, look)| LegendEntry {
        name: &one.name,
        color: look.color,
        sample: LegendSwatch::Line(look.dash),
    }));
    legend_box(ui, area.rect(), Align2::RIGHT_TOP, &entries, hidden);
}

/// Draws efficiency against threads, with the line of a perfect one.
pub fn efficiency_ui(ui: &mut Ui, series: &[ScalingSeries], cores: Option<u32>, height: f32) {
    let tokens = Tokens::of(ui);
    let all = || series.iter().flat_map(|one| &one.points).filter_map(|point| point.efficiency);
    let top = all().fold(1.05, f64::max) + 0.08;
    let y = Side { axis: Axis::Ratio, range: (0.0, top), label: "" };
    let area =
        Canvas { name: "efficiency", height, x: threads_side(series), y }.show(ui, Sense::hover());
    let words = |point: &ScalingPoint| {
        point.efficiency.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
    };
    area.describe(&summary("Efficiency", series, words));
    area.limit(1.0, "Perfect: 1.00", tokens.t2, &[]);
    cores_ui(&area, cores, tokens);
    for (one, at) in series.iter().zip(0..) {
        let look = tokens.series(at);
        let points: Vec<(Pos2, f64)> = one
            .points
            .iter()
            .filter_map(|point| {
                let efficiency = point.efficiency?;
                Some((area.at(f64::from(point.threads).log2(), efficiency), efficiency))
            })
            .collect();
        let path: Vec<Pos2> = points.iter().map(|point| point.0).collect();
        area.painter.extend(look.dash.line(&path, look.stroke(size::LINE_COMPARE)));
        for (place, _) in &points {
            series_mark(&area.painter, *place, 4.2, look.mark, look.color);
        }
        if let Some((place, value)) = points.last() {
            let below = place.y + 22.0 < area.rect().bottom();
            let (gap, anchor) =
                if below { (8.0, Align2::RIGHT_TOP) } else { (-8.0, Align2::RIGHT_BOTTOM) };
            area.text(*place + vec2(-6.0, gap), anchor, &format!("{value:.2}"), look.color);
        }
    }
}

fn summary(
    what: &str,
    series: &[ScalingSeries],
    words: impl Fn(&ScalingPoint) -> String,
) -> String {
    let mut parts = vec![what.to_owned()];
    for one in series {
        for point in &one.points {
            parts.push(format!("{} on {} threads {}", one.name, point.threads, words(point)));
        }
    }
    parts.join(", ")
}
