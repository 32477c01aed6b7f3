//! The table of differences: a metric a line, its value in each run, the change and what it is worth.

use eframe::egui::{Align, Layout, Rangef, Ui, vec2};
use egui_extras::{Column, TableBuilder, TableRow};
use jitterscope_engine::report::Comparison;
use jitterscope_engine::report::comparison::{ComparedRow, Figure, Judgement};

use crate::text::compare as words;
use crate::theme::tokens::Tokens;
use crate::theme::{Type, size};
use crate::widgets::{Card, Help, Spans, help::help_mark, row_line, segmented, series_chip};

const NOISE: Help<'static> = Help::new("Noise floor", words::NOISE_FLOOR);
const HOW: Help<'static> = Help::new("How is this judged?", words::HOW_JUDGED);

/// Draws the table; `against` is the run whose change is shown.
pub(super) fn ui(ui: &mut Ui, comparison: &Comparison, row: &ComparedRow, against: &mut usize) {
    if *against == comparison.baseline || comparison.count <= *against {
        *against = 1;
    }
    let unit = words::metric_unit(row);
    let note = format!(
        "{} in {}, {} against baseline {}",
        comparison.value_name,
        unit.symbol(),
        words::letter(*against),
        words::letter(comparison.baseline)
    );
    let run = *against;
    Card::new("Differences").note(&note).flush().show(
        ui,
        |ui| {
            if 2 < comparison.count {
                let letters: Vec<(usize, String)> = (0..comparison.count)
                    .filter(|run| *run != comparison.baseline)
                    .map(|run| (run, words::letter(run).to_string()))
                    .collect();
                let options: Vec<(usize, &str)> =
                    letters.iter().map(|(run, letter)| (*run, letter.as_str())).collect();
                segmented(ui, "Change of", against, &options);
            }
            let color = Tokens::of(ui).t2;
            let words = "95% confidence, 2\u{202f}000 resamples";
            Spans::new(Type::Small).text(Type::Small, words, color).whole_label(ui);
            help_mark(ui, &HOW);
        },
        |ui| table_ui(ui, comparison, row, run),
    );
}

fn table_ui(ui: &mut Ui, comparison: &Comparison, row: &ComparedRow, run: usize) {
    let tokens = Tokens::of(ui);
    let unit = words::metric_unit(row);
    let reach = ui.max_rect().x_range();
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 0.0);
    let rows = f32::from(u16::try_from(row.figures.len()).unwrap_or(u16::MAX));
    let is_wide = size::WIDE_FROM <= ui.content_rect().width();
    let value = Column::initial(if is_wide { 62.0 } else { 58.0 }).at_least(44.0);
    let wide = |points: f32| Column::initial(if is_wide { points } else { points * 0.8 });
    TableBuilder::new(ui)
        .id_salt("differences")
        .auto_shrink([false, true])
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::initial(92.0).at_least(60.0))
        .columns(value, comparison.count)
        .column(wide(80.0).at_least(64.0))
        .column(wide(58.0).at_least(46.0))
        .column(wide(116.0).at_least(90.0).clip(true))
        .column(wide(88.0).at_least(60.0).clip(true))
        .column(Column::remainder().at_least(124.0).clip(true))
        .vscroll(false)
        .max_scroll_height(rows * size::TABLE_ROW)
        .header(size::TABLE_HEADER, |mut header| {
            let title = |ui: &mut Ui, text: &str| {
                Spans::new(Type::TableHeader).text(Type::TableHeader, text, tokens.t2).label(ui);
            };
            header.col(|ui| {
                ui.add_space(size::GAP_FIELD);
                title(ui, "Metric");
            });
            for run in 0..comparison.count {
                header.col(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| series_chip(ui, run));
                });
            }
            for text in ["Change", "%", "95% confidence"] {
                header.col(|ui| {
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| title(ui, text));
                });
            }
            header.col(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    help_mark(ui, &NOISE);
                    title(ui, "Noise floor");
                });
            });
            header.col(|ui| {
                ui.add_space(size::GAP_FIELD);
                title(ui, "Judgement");
            });
        })
        .body(|body| {
            body.rows(size::TABLE_ROW, row.figures.len(), |mut cells| {
                if let Some(figure) = row.figures.get(cells.index()) {
                    figure_ui(&mut cells, figure, run, &words::cells(figure, run, unit), reach);
                }
            });
        });
}

fn figure_ui(
    cells: &mut TableRow<'_, '_>,
    figure: &Figure,
    run: usize,
    text: &words::Cells,
    reach: Rangef,
) {
    cells.col(|ui| {
        row_line(ui, reach);
        let color = Tokens::of(ui).t1;
        ui.add_space(size::GAP_FIELD);
        let style = Type::TableStrong;
        Spans::new(style).text(style, figure.metric.name(), color).label(ui);
    });
    let number = |cells: &mut TableRow<'_, '_>, text: &str, style: Type, is_faint: bool| {
        cells.col(|ui| {
            let tokens = Tokens::of(ui);
            let color = if is_faint { tokens.t2 } else { tokens.t1 };
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                Spans::new(style).text(style, text, color).label(ui);
            });
        });
    };
    for value in &text.values {
        number(cells, value, Type::Table, false);
    }
    number(cells, &text.change, Type::TableStrong, false);
    number(cells, &text.percent, Type::Table, false);
    number(cells, &text.interval, Type::Table, true);
    number(cells, &text.noise, Type::Table, true);
    cells.col(|ui| {
        ui.add_space(size::GAP_FIELD);
        judgement_ui(ui, figure, run);
    });
}

/// The word for what a change is worth, with an arrow in the direction of the value.
fn judgement_ui(ui: &mut Ui, figure: &Figure, run: usize) {
    let tokens = Tokens::of(ui);
    let Some(delta) = figure.deltas.get(run).copied().flatten() else { return };
    let word = words::judgement(delta.judgement, run);
    let arrow = if delta.change < 0.0 { "▼" } else { "▲" };
    let (words_shown, color, style) = match delta.judgement {
        Judgement::Better => (format!("{arrow} {word}"), tokens.good, Type::TableStrong),
        Judgement::Worse => (format!("{arrow} {word}"), tokens.fair, Type::TableStrong),
        _ => (word, tokens.t2, Type::Table),
    };
    let label = Spans::new(style).text(style, &words_shown, color).label(ui);
    let needed = figure.metric.samples_needed();
    let is_noise = figure.noise.is_some_and(|noise| delta.change.abs() <= noise);
    let why = match (delta.judgement, delta.interval) {
        (Judgement::CannotTell, Some(_)) if is_noise => {
            "The change is within what this test differs from itself here.".to_owned()
        }
        (Judgement::NotJudged, _) if !figure.metric.is_judged() => words::WHY_NOT_MAX.to_owned(),
        (Judgement::NotJudged, _) => "These runs are not held against each other.".to_owned(),
        (Judgement::CannotTell, None) => format!(
            "Needs at least {} samples in each run.",
            crate::text::count(u64::try_from(needed).unwrap_or(u64::MAX))
        ),
        (Judgement::CannotTell, Some(_)) => {
            "The samples do not tell: the change is within what chance does.".to_owned()
        }
        (Judgement::Same, _) => "Any difference is too small to matter.".to_owned(),
        (Judgement::Better | Judgement::Worse, _) => words::HOW_JUDGED.to_owned(),
    };
    label.on_hover_text(why);
}
