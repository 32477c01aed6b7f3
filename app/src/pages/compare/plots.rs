//! Overlaid curves of one configuration: histogram, tail distribution, box plot, and timelines.

use eframe::egui::Ui;
use jitterscope_engine::report::Chart;
use jitterscope_engine::report::chart::{BoxMark, Series, of_boxes, of_histograms, of_tails};
use jitterscope_engine::report::comparison::ComparedRow;
use jitterscope_engine::stats::LogHistogram;

use super::ComparePage;
use crate::plots::{Lane, charts_ui, lanes_controls_ui, lanes_ui, reset_lanes};
use crate::session::{ComparisonView, Curves};
use crate::text;
use crate::theme::{Tokens, Type};
use crate::widgets::{Card, Spans, segmented};

/// Maximum number of characters of a run's name in a legend.
const MAX_LETTERS: usize = 28;
/// Height of the timeline of one run, in points.
const LANE: f32 = 84.0;

/// Returns the histogram, the tail distribution, and the box plot of all runs.
fn charts(value_name: &'static str, names: &[String], curves: &Curves) -> Vec<Chart> {
    let each = || names.iter().map(String::as_str);
    let counted: Vec<(&str, &LogHistogram)> = each().zip(&curves.histograms).collect();
    // The color of a curve follows from its place, so a run without a curve keeps its place.
    let tails = each().zip(&curves.tails);
    let mut tails: Vec<Series> =
        tails.map(|(name, points)| Series::new(name, points.clone())).collect();
    if tails.iter().all(|one| one.points.is_empty()) {
        tails.clear();
    }
    let colored = |((name, of), series): ((&str, &Option<BoxMark>), usize)| {
        Some((name.to_owned(), BoxMark { series, ..(*of)? }))
    };
    let boxes: Vec<(String, BoxMark)> =
        each().zip(&curves.boxes).zip(0..).filter_map(colored).collect();
    let low = boxes.iter().map(|(_, of)| of.p1).fold(f64::MAX, f64::min).max(1.0);
    let from = 10_f64.powf(low.log10().floor());
    of_histograms("histogram", "Histogram", (value_name, "Samples"), &counted)
        .into_iter()
        .chain(of_tails("tail", "Tail distribution", (value_name, "Share above"), tails))
        .chain(of_boxes(("boxes", "Box plot"), value_name, from, boxes))
        .collect()
}

impl ComparePage {
    pub(super) fn plots_ui(
        &mut self,
        ui: &mut Ui,
        compared: &ComparisonView,
        row: &ComparedRow,
        curves: &Curves,
    ) {
        let names: Vec<String> = compared
            .labels()
            .iter()
            .zip(0..)
            .map(|(name, at)| {
                format!("{} {}", text::compare::letter(at), text::cut(name, MAX_LETTERS))
            })
            .collect();
        let id: Vec<&str> = compared.runs.iter().map(|shown| shown.run.id.as_str()).collect();
        let id = format!("{} {}", id.join(" "), row.label);
        let charts = charts(compared.comparison.value_name, &names, curves);
        charts_ui(ui, ("compare", &id), &charts);
        self.timelines_ui(ui, compared, row, (&names, curves));
    }

    /// Draws the timelines below each other, aligned by their starts or by the clock.
    fn timelines_ui(
        &mut self,
        ui: &mut Ui,
        compared: &ComparisonView,
        row: &ComparedRow,
        (names, curves): (&[String], &Curves),
    ) {
        let value_name = compared.comparison.value_name;
        // Imports and runs of older versions have no start times of trials.
        let began: Option<Vec<f64>> = compared
            .sides()
            .into_iter()
            .zip(compared.items(row))
            .map(|(shown, item)| {
                let began = item.began()?;
                Some(shown.run.started_at.as_duration().as_secs_f64() + began.as_secs())
            })
            .collect();
        let can_follow_clock = began.is_some();
        self.is_by_clock &= can_follow_clock;
        let is_by_clock = self.is_by_clock;
        let began = began.unwrap_or_else(|| vec![0.0; compared.comparison.count]);
        let first = began.iter().copied().fold(f64::INFINITY, f64::min);
        let lanes: Vec<Lane<'_>> = names
            .iter()
            .zip(&curves.timelines)
            .zip(&began)
            .zip(0..)
            .map(|(((name, samples), began), series)| {
                let begins = if is_by_clock { began - first } else { 0.0 };
                Lane { name, series, samples, begins }
            })
            .collect();
        let of = if compared.group_counts.is_some() { ", first run of each group" } else { "" };
        let note = format!("{value_name}, {}{of}, linked zoom and cursor", row.label);
        let is_by_clock = &mut self.is_by_clock;
        Card::new("Timelines").note(&note).show(
            ui,
            |ui| {
                let color = Tokens::of(ui).t2;
                Spans::plain(Type::Small, "Align", color).whole_label(ui);
                let options = [(false, "Start"), (true, "Clock")];
                let by = ui.add_enabled_ui(can_follow_clock, |ui| {
                    segmented(ui, "Align", is_by_clock, &options).changed()
                });
                by.response.on_disabled_hover_text(
                    "One of the runs does not record when its measurement began.",
                );
                if by.inner {
                    reset_lanes(ui);
                }
                lanes_controls_ui(ui);
            },
            |ui| lanes_ui(ui, LANE, value_name, &lanes),
        );
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::chart::Marks;

    use super::*;

    #[test]
    fn each_run_has_its_color_without_one_of_the_others() {
        let of = |at: f64| BoxMark {
            p1: at,
            q1: at,
            median: at,
            q3: at,
            p99: at,
            max: at,
            reference: None,
            series: 0,
        };
        let curves = Curves {
            histograms: Vec::new(),
            tails: vec![Vec::new(), vec![(1e3, 1.0)], vec![(9e3, 1.0)]],
            boxes: vec![None, Some(of(1e3)), Some(of(9e3))],
            timelines: Vec::new(),
        };
        let names = ["A", "B", "C"].map(str::to_owned);
        let charts = charts("lateness", &names, &curves);
        let boxes = charts.iter().find_map(|chart| match &chart.marks {
            Marks::Boxes(boxes) => Some(boxes),
            _ => None,
        });
        let series: Vec<usize> = boxes.unwrap().iter().map(|one| one.series).collect();
        assert_eq!(series, [1, 2], "a run without samples takes no other's color");
        let tails = charts.iter().find(|chart| chart.key == "tail").unwrap();
        assert_eq!(tails.names(), names);
    }
}
