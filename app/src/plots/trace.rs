//! Traces: one quantity over time, one strip per series, all on one scale.

use eframe::egui::{Align2, Pos2, Sense, Stroke, Ui, pos2};

use super::axis::Axis;
use super::canvas::{Area, Canvas, Side};
use crate::theme::tokens::Dash;
use crate::theme::{Tokens, size};
use crate::widgets::{Hidden, LegendEntry, LegendSwatch, key_box, legend_box};

/// A quantity over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Name of the series.
    pub name: String,
    /// Seconds and milliseconds of each value, in order of time.
    pub points: Vec<(f64, f64)>,
}

/// Draws the traces below each other, or overlaid, on one scale. `target` is the dashed line, in
/// milliseconds. `hidden` are the hidden traces of an overlay.
pub fn traces_ui(
    ui: &mut Ui,
    name: &str,
    traces: &[Trace],
    target: Option<f64>,
    is_stacked: bool,
    height: f32,
    hidden: &mut Hidden,
) {
    let all = || traces.iter().flat_map(|trace| &trace.points);
    let end = all().map(|point| point.0).fold(1.0, f64::max);
    let low = all().map(|point| point.1).fold(f64::MAX, f64::min);
    let high = all().map(|point| point.1).fold(f64::MIN, f64::max);
    let (low, high) = match target {
        Some(target) if low > high => (target - 1.0, target + 1.0),
        Some(target) => (low.min(target), high.max(target)),
        None if low > high => (0.0, 1.0),
        None => (low, high),
    };
    let margin = ((high - low) * 0.08).max(high.abs() * 1e-3).max(1e-6);
    let range = (low - margin, high + margin);
    let strips: Vec<Vec<usize>> = if is_stacked {
        (0..traces.len()).map(|at| vec![at]).collect()
    } else {
        vec![(0..traces.len()).collect()]
    };
    let count = f32::from(u16::try_from(strips.len().max(1)).unwrap_or(1));
    let each = ((height - size::GAP_SMALL * (count - 1.0)) / count).max(60.0);
    ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
    for (strip, number) in strips.iter().zip(0..) {
        let x = Side { axis: Axis::Time, range: (0.0, end), label: "" };
        let y = Side { axis: Axis::Millis, range, label: "ms" };
        let strip_name = format!("{name}-{number}");
        let area = Canvas { name: &strip_name, height: each, x, y }.show(ui, Sense::hover());
        strip_ui(ui, &area, traces, strip, target, hidden);
    }
}

fn strip_ui(
    ui: &mut Ui,
    area: &Area,
    traces: &[Trace],
    strip: &[usize],
    target: Option<f64>,
    hidden: &mut Hidden,
) {
    let tokens = Tokens::of(ui);
    let rect = area.rect();
    let mut entries = Vec::new();
    let mut words = Vec::new();
    for &at in strip {
        let Some(trace) = traces.get(at) else { continue };
        let look = tokens.series(at);
        let is_hidden = 1 < strip.len() && hidden.is_hidden(at);
        for shape in if is_hidden { Vec::new() } else { path_of(area, trace) } {
            let stroke = look.stroke(size::LINE_LIVE);
            area.painter.add(eframe::egui::Shape::line(shape, stroke));
        }
        entries.push(LegendEntry {
            name: &trace.name,
            color: look.color,
            sample: LegendSwatch::Line(look.dash),
        });
        let highest = trace.points.iter().map(|point| point.1).fold(0.0, f64::max);
        words.push(format!("{}: {} values, max {highest:.3} ms", trace.name, trace.points.len()));
    }
    if let Some(target) = target {
        let level = area.at(0.0, target).y;
        let path = [pos2(rect.left(), level), pos2(rect.right(), level)];
        area.painter.extend(Dash::LIMIT.line(&path, Stroke::new(1.0, tokens.target)));
    }
    area.describe(&format!("Over time. {}", words.join("; ")));
    if strip.iter().all(|&at| traces.get(at).is_none_or(|trace| trace.points.is_empty())) {
        area.nothing(tokens);
    }
    if 1 < strip.len() {
        legend_box(ui, rect, Align2::RIGHT_TOP, &entries, hidden);
    } else {
        key_box(ui, rect, Align2::RIGHT_TOP, &entries);
    }
}

/// For each screen column the first, min, max, and last value in order, so that no spike is lost; a
/// line breaks where nothing was measured for a while.
fn path_of(area: &Area, trace: &Trace) -> Vec<Vec<Pos2>> {
    let step = area.per_point().0.max(1e-12);
    let mut paths: Vec<Vec<Pos2>> = Vec::new();
    let mut path: Vec<Pos2> = Vec::new();
    let mut column: Vec<(f64, f64)> = Vec::new();
    let mut at = f64::NEG_INFINITY;
    let mut before = f64::NEG_INFINITY;
    for &(secs, millis) in &trace.points {
        let place = (secs / step).floor();
        if 0.5 < (place - at).abs() {
            flush(area, &mut column, &mut path);
            at = place;
        }
        if 0.5 < secs - before && !path.is_empty() && column.is_empty() {
            paths.push(std::mem::take(&mut path));
        }
        before = secs;
        column.push((secs, millis));
    }
    flush(area, &mut column, &mut path);
    paths.push(path);
    paths.retain(|path| 1 < path.len());
    paths
}

fn flush(area: &Area, column: &mut Vec<(f64, f64)>, path: &mut Vec<Pos2>) {
    if column.len() <= 4 {
        path.extend(column.iter().map(|&(secs, millis)| area.at(secs, millis)));
    } else {
        let min = column.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let most = column.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let mut selected: Vec<(f64, f64)> =
            [column.first(), min, most, column.last()].into_iter().flatten().copied().collect();
        selected.sort_by(|a, b| a.0.total_cmp(&b.0));
        path.extend(selected.iter().map(|&(secs, millis)| area.at(secs, millis)));
    }
    column.clear();
}
