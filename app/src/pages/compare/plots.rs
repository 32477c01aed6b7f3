//! Overlaid curves of one configuration: histogram, tail distribution, box plot, and timelines.

use std::cell::RefCell;

use eframe::egui::{Align, Layout, Ui, vec2};
use jitterscope_engine::report::comparison::ComparedRow;

use super::ComparePage;
use crate::plots::{BoxSeries, HistogramSeries, Lane, TailSeries, boxes};
use crate::session::{ComparisonView, Curves};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Button, Card, Spans, segmented};

/// Letters of a run's name that a legend has room for.
const MAX_LETTERS: usize = 22;
/// Height of a plot's card.
const HEIGHT: f32 = 230.0;
/// Height of one run's timeline.
const LANE: f32 = 84.0;

impl ComparePage {
    pub(super) fn plots_ui(
        &mut self,
        ui: &mut Ui,
        compared: &ComparisonView,
        row: &ComparedRow,
        curves: &Curves,
    ) {
        let names: Vec<String> = compared
            .runs
            .iter()
            .zip(0..)
            .map(|(shown, at)| {
                let name = text::run_name(&shown.run);
                format!("{} {}", text::compare::letter(at), text::cut(&name, MAX_LETTERS))
            })
            .collect();
        let letters: Vec<String> =
            (0..compared.runs.len()).map(|at| text::compare::letter(at).to_string()).collect();
        let value_name = compared.comparison.value_name;
        let histograms: Vec<HistogramSeries<'_>> = names
            .iter()
            .zip(&curves.histograms)
            .zip(0..)
            .map(|((name, histogram), series)| HistogramSeries { name, series, histogram })
            .collect();
        let tails: Vec<TailSeries<'_>> = names
            .iter()
            .zip(&curves.tails)
            .zip(0..)
            .map(|((name, points), series)| TailSeries { name, series, points })
            .collect();
        let bordered_box: Vec<BoxSeries<'_>> = letters
            .iter()
            .zip(&curves.boxes)
            .zip(0..)
            .filter_map(|((name, of), series)| {
                let of = (*of)?;
                let at = [of.min, of.p25, of.p50, of.p75, of.p95, of.p99, of.max];
                Some(BoxSeries { name, series, at })
            })
            .collect();
        let plot = RefCell::new(&mut self.histogram);
        let histogram_ui = |ui: &mut Ui| {
            Card::new("Histogram").note(value_name).height(HEIGHT).show(
                ui,
                |ui| plot.borrow_mut().controls_ui(ui),
                |ui| {
                    let height = ui.available_height();
                    plot.borrow_mut().ui(ui, "compared-histogram", height, &histograms, &[]);
                },
            );
        };
        let tail = &self.tail;
        let tail_ui = |ui: &mut Ui| {
            Card::new("Tail distribution").note("share of samples above").height(HEIGHT).show(
                ui,
                |_| {},
                |ui| {
                    let height = ui.available_height();
                    tail.ui(ui, "compared-tail", height, &tails, &[]);
                },
            );
        };
        let boxes_ui = |ui: &mut Ui| {
            Card::new("Box plot").note(value_name).height(HEIGHT).show(
                ui,
                |_| {},
                |ui| {
                    let height = ui.available_height();
                    boxes(ui, "compared-boxes", height, &bordered_box);
                },
            );
        };
        if size::MEDIUM_FROM <= ui.content_rect().width() {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                let width = ((ui.available_width() - 2.0 * size::GAP_CARD) / 3.0).floor();
                let down = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(width, HEIGHT), down, histogram_ui);
                ui.allocate_ui_with_layout(vec2(width, HEIGHT), down, tail_ui);
                ui.vertical(boxes_ui);
            });
        } else {
            histogram_ui(ui);
            tail_ui(ui);
            boxes_ui(ui);
        }
        self.timelines_ui(ui, compared, row, (&names, curves));
    }

    /// The timelines under each other, from their own starts or by the clock.
    fn timelines_ui(
        &mut self,
        ui: &mut Ui,
        compared: &ComparisonView,
        row: &ComparedRow,
        (names, curves): (&[String], &Curves),
    ) {
        let value_name = compared.comparison.value_name;
        // Imports and older runs do not record when their trials began.
        let began: Option<Vec<f64>> = compared
            .runs
            .iter()
            .zip(compared.items(row))
            .map(|(shown, item)| {
                let began = item.began()?;
                Some(shown.run.started_at.as_duration().as_secs_f64() + began.as_secs())
            })
            .collect();
        let can_follow_clock = began.is_some();
        self.is_by_clock &= can_follow_clock;
        let is_by_clock = self.is_by_clock;
        let began = began.unwrap_or_else(|| vec![0.0; compared.runs.len()]);
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
        let note = format!("{value_name}, {}, linked zoom and cursor", row.label);
        let view = RefCell::new(&mut self.lanes);
        let is_by_clock = &mut self.is_by_clock;
        Card::new("Timelines").note(&note).show(
            ui,
            |ui| {
                let color = Tokens::of(ui).t2;
                Spans::new(Type::Small).text(Type::Small, "Align", color).whole_label(ui);
                let options = [(false, "Start"), (true, "Clock")];
                let by = ui.add_enabled_ui(can_follow_clock, |ui| {
                    segmented(ui, "Align", is_by_clock, &options).changed()
                });
                by.response.on_disabled_hover_text(
                    "One of the runs does not record when its measurement began.",
                );
                if by.inner {
                    view.borrow_mut().reset();
                }
                let reset = Button::new("Reset zoom").icon(icons::ARROW_COUNTER_CLOCKWISE);
                if ui.add(reset).clicked() {
                    view.borrow_mut().reset();
                }
            },
            |ui| view.borrow_mut().ui(ui, LANE, value_name, &lanes),
        );
    }
}
