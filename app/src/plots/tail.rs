//! Tail distribution: the share of samples above each value. Compares runs of different lengths.

use eframe::egui::{Align2, Pos2, Sense, Stroke, Ui, pos2, vec2};
use jitterscope_engine::nanos::Nanos;

use super::axis::{Axis, FLOOR, ZERO, log_place};
use super::canvas::{Area, Canvas, Side};
use super::histogram::PlotMark;
use super::menu::{PlotTable, menu};
use crate::text;
use crate::theme::tokens::Dash;
use crate::theme::{Tokens, size};
use crate::widgets::{Hidden, LegendEntry, LegendSwatch, legend_row};

/// Minimum share on the axis: 0.05%.
const MIN_SHARE: f64 = 0.000_5;

/// One curve.
#[derive(Clone, Copy, Debug)]
pub struct TailSeries<'a> {
    /// Name of the run.
    pub name: &'a str,
    /// Which series it is: color and dash.
    pub series: usize,
    /// Nanoseconds and the share of samples later than that, as `tail_points` gives them.
    pub points: &'a [(f64, f64)],
}

/// State of a tail plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TailPlot {
    /// Series that are hidden, by their place.
    pub hidden: Hidden,
}

impl TailPlot {
    /// Shows a legend in a row; omit it if a plot next to this one has it.
    pub fn legend_ui(&mut self, ui: &mut Ui, series: &[TailSeries<'_>]) {
        let tokens = Tokens::of(ui);
        let entry = |one: &TailSeries<'_>| tokens.series(one.series);
        let looks: Vec<_> = series.iter().map(|one| (one.name, entry(one))).collect();
        let entries: Vec<LegendEntry<'_>> = looks
            .iter()
            .map(|&(name, look)| LegendEntry {
                name,
                color: look.color,
                sample: LegendSwatch::Line(look.dash),
            })
            .collect();
        legend_row(ui, &entries, &mut self.hidden);
    }

    /// Shows the plot.
    pub fn ui(
        self,
        ui: &mut Ui,
        name: &str,
        height: f32,
        series: &[TailSeries<'_>],
        marks: &[PlotMark<'_>],
    ) {
        let tokens = Tokens::of(ui);
        let values = || series.iter().flat_map(|one| one.points).map(|point| log_place(point.0));
        let of_marks = marks.iter().map(|mark| log_place(mark.at.as_f64()));
        let last = values().chain(of_marks).fold(7.3, f64::max) + 0.3;
        let first = if values().any(|place| place < FLOOR) { ZERO } else { FLOOR };
        let x = Side { axis: Axis::LogNanos, range: (first, last), label: "" };
        let y = Side { axis: Axis::LogShare, range: (MIN_SHARE.log10(), 0.0), label: "" };
        let area = Canvas { name, height, x, y }.show(ui, Sense::click());
        area.describe(&summary(series));
        if values().next().is_none() {
            area.nothing(tokens);
            return;
        }
        menu(&area, false, || table(series));
        for (share, words) in [(0.05, "p95"), (0.01, "p99")] {
            percentile(&area, tokens, share, words);
        }
        for (at, one) in series.iter().enumerate() {
            if !self.hidden.is_hidden(at) {
                let look = tokens.series(one.series);
                let path: Vec<Pos2> = one.points.iter().map(|point| place(&area, *point)).collect();
                let stroke = look.stroke(size::LINE_COMPARE);
                area.painter.extend(look.dash.line(&path, stroke));
            }
        }
        for (row, mark) in (0..).zip(marks) {
            let color = mark.severity.map_or(tokens.t1, |severity| severity.color(tokens));
            area.upright(log_place(mark.at.as_f64()), row, mark.label, color);
        }
    }
}

fn place(area: &Area, (nanos, share): (f64, f64)) -> Pos2 {
    area.at(log_place(nanos), share.max(1e-12).log10())
}

/// A faint level line at a percentile.
fn percentile(area: &Area, tokens: &Tokens, share: f64, words: &str) {
    let (rect, level) = (area.rect(), area.at(0.0, share.log10()).y);
    let path = [pos2(rect.left(), level), pos2(rect.right(), level)];
    area.painter.extend(Dash::DOTTED.line(&path, Stroke::new(1.0, tokens.t3.gamma_multiply(0.7))));
    area.text(path[1] + vec2(-4.0, -1.0), Align2::RIGHT_BOTTOM, words, tokens.t3);
}

/// The value that each share of samples exceeds.
fn table(series: &[TailSeries<'_>]) -> PlotTable {
    let shares = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, MIN_SHARE];
    let rows = shares.map(|share| {
        let value = |one: &TailSeries<'_>| {
            let found = one.points.iter().find(|point| point.1 <= share);
            found.map_or(text::MISSING.to_owned(), |point| {
                text::duration(Nanos::from_nanos_f64(point.0))
            })
        };
        std::iter::once(text::percent(share)).chain(series.iter().map(value)).collect()
    });
    let names = series.iter().map(|one| one.name.to_owned());
    PlotTable {
        title: "Tail: share above this value".to_owned(),
        header: std::iter::once("Share".to_owned()).chain(names).collect(),
        rows: rows.to_vec(),
    }
}

/// The accessible label.
fn summary(series: &[TailSeries<'_>]) -> String {
    let highest = |one: &TailSeries<'_>| {
        let last = one.points.last()?;
        Some(format!("{}: max {}", one.name, text::duration(Nanos::from_nanos_f64(last.0))))
    };
    let parts: Vec<String> = series.iter().filter_map(highest).collect();
    if parts.is_empty() {
        return "Tail, no samples yet".to_owned();
    }
    format!("Tail distribution, share of frames above each lateness, {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_every_series_and_its_highest_value() {
        let points = [(100.0, 1.0), (17_400_000.0, 0.001)];
        let series = TailSeries { name: "Normal", series: 0, points: &points };
        let said = summary(&[series]).replace('\u{202f}', " ");
        assert_eq!(
            said,
            "Tail distribution, share of frames above each lateness, Normal: max 17.40 ms"
        );
        assert_eq!(summary(&[]), "Tail, no samples yet");
    }
}
