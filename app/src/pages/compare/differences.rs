//! The table of differences: one row per metric, with the value of the metric in each run, the
//! change, and the result of the change.

use eframe::egui::{Align, Layout, Rangef, ScrollArea, Ui, vec2};
use egui_extras::{Column, TableBuilder, TableRow};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Comparison;
use jitterscope_engine::report::comparison::{ComparedRow, Figure, Item};
use jitterscope_engine::stats::{LowDefinition, Outcome, Statistic};

use crate::session::ComparisonView;
use crate::text::{compare as words, format_time, low};
use crate::theme::tokens::Tokens;
use crate::theme::{Type, size};
use crate::widgets::{Card, Help, Spans, help::help_mark, row_line, segmented, series_chip};

/// Factor by which columns are narrower if there is little space.
const NARROW: f32 = 0.8;

const NOISE: Help<'static> = Help::new("Noise floor", words::NOISE_FLOOR);
const HOW: Help<'static> = Help::new("How are results determined?", words::HOW_EVALUATED);

/// Draws the table of differences. `against` is the position of the run whose change from the
/// baseline is shown; `by` is the definition of the 1% low.
pub(super) fn ui(
    ui: &mut Ui,
    compared: &ComparisonView,
    row: &ComparedRow,
    against: &mut usize,
    by: LowDefinition,
) {
    let comparison = &compared.comparison;
    if *against == comparison.baseline || comparison.count <= *against {
        *against = 1;
    }
    let unit = words::metric_unit(row);
    let note = format!(
        "{} in {}, {} compared with {}",
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
            let words = "95% CI, 2\u{202f}000 resamples";
            Spans::plain(Type::Small, words, color).whole_label(ui);
            help_mark(ui, &HOW);
        },
        |ui| {
            let items = compared.items(row);
            let is_wide = whole_width(comparison.count) <= ui.available_width();
            let width = ui.available_width().max(least_width(comparison.count));
            let across = ScrollArea::horizontal().id_salt("differences-across");
            across.auto_shrink([false, true]).show(ui, |ui| {
                ui.set_max_width(width);
                table_ui(ui, comparison, row, &TableOptions { run, by, items, is_wide });
            });
        },
    );
}

/// The options of the table.
struct TableOptions<'a> {
    /// The run whose change is shown.
    run: usize,
    /// The definition of the 1% and 0.1% lows.
    by: LowDefinition,
    /// The compared runs.
    items: Vec<Item<'a>>,
    /// Whether all columns fit at full width.
    is_wide: bool,
}

/// A row of the table.
struct Line {
    figure: Figure,
    /// The definition of the metric, as a tooltip; empty if its name is sufficient.
    about: String,
    /// Why the metric is not evaluated, if there is a specific reason.
    why: Option<String>,
}

impl TableOptions<'_> {
    /// Returns the rows of the table. The 1% and 0.1% lows use the selected definition; all other
    /// metrics are as compared.
    fn lines(&self, row: &ComparedRow, baseline: usize) -> Vec<Line> {
        let line = |figure: &Figure| match figure.metric.statistic {
            Statistic::Low(share) => {
                let meaning = match share.parts() {
                    1_000 => low::MEANING,
                    _ => low::MEANING_OF_TENTH,
                };
                let about = format!("{meaning} {}", low::in_use(self.by));
                if self.by == LowDefinition::default() {
                    return Line { figure: figure.clone(), about, why: None };
                }
                let evaluated = figure.deltas.get(self.run).copied().flatten();
                let evaluated = evaluated.filter(|delta| delta.result != Outcome::NotEvaluated);
                let why = evaluated.map(|delta| low::why_not_evaluated(&words::result(&delta)));
                let figure = low::compared(figure, &self.items, baseline, self.by);
                Line { figure, about, why }
            }
            Statistic::LateShare => {
                let limits: Vec<Nanos> =
                    self.items.iter().filter_map(|item| item.late_limit()).collect();
                let own = limits.get(baseline).copied().unwrap_or(Nanos::ZERO);
                if limits.iter().all(|limit| *limit == own) {
                    let about = format!("Frames that started later than {}.", format_time(own));
                    return Line { figure: figure.clone(), about, why: None };
                }
                let each: Vec<String> = limits.iter().map(|limit| format_time(*limit)).collect();
                let each = each.join(", ");
                Line {
                    figure: figure.clone(),
                    about: format!("Frames that started later than {each}, run by run."),
                    why: Some(format!("The runs use different thresholds: {each}.")),
                }
            }
            _ => Line { figure: figure.clone(), about: String::new(), why: None },
        };
        row.figures.iter().map(line).collect()
    }
}

/// Returns the width at which no column is truncated, for this number of runs.
pub(super) fn whole_width(runs: usize) -> f32 {
    let values = f32::from(u16::try_from(runs).unwrap_or(u16::MAX));
    let gaps = (values + 5.0) * size::GAP_SMALL;
    // Metric, values, change, percent, interval, noise floor and result, as wide as in the table.
    92.0 + values * 62.0 + 342.0 + 124.0 + gaps
}

/// Returns the minimum width of the table, below which it scrolls horizontally.
fn least_width(runs: usize) -> f32 {
    let values = f32::from(u16::try_from(runs).unwrap_or(u16::MAX));
    whole_width(runs) - values * 4.0 - (80.0 + 116.0 + 88.0) * (1.0 - NARROW)
}

fn table_ui(ui: &mut Ui, comparison: &Comparison, row: &ComparedRow, shows: &TableOptions<'_>) {
    let lines = shows.lines(row, comparison.baseline);
    let tokens = Tokens::of(ui);
    let unit = words::metric_unit(row);
    let reach = ui.max_rect().x_range();
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 0.0);
    let rows = f32::from(u16::try_from(row.figures.len()).unwrap_or(u16::MAX));
    let is_wide = shows.is_wide;
    let value = Column::initial(if is_wide { 62.0 } else { 58.0 }).at_least(44.0);
    let wide = |points: f32| Column::initial(if is_wide { points } else { points * NARROW });
    TableBuilder::new(ui)
        .id_salt("differences")
        .auto_shrink([false, true])
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::initial(92.0).at_least(60.0))
        .columns(value, comparison.count)
        .column(wide(80.0).at_least(64.0))
        .column(Column::initial(58.0).at_least(46.0))
        .column(wide(116.0).at_least(90.0).clip(true))
        .column(wide(88.0).at_least(60.0).clip(true))
        .column(Column::remainder().at_least(124.0).clip(true))
        .vscroll(false)
        .max_scroll_height(rows * size::TABLE_ROW)
        .header(size::TABLE_HEADER, |mut header| {
            let title = |ui: &mut Ui, text: &str| {
                Spans::plain(Type::TableHeader, text, tokens.t2).label(ui);
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
            for text in ["Change", "%", "95% CI"] {
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
                title(ui, "Result");
            });
        })
        .body(|body| {
            body.rows(size::TABLE_ROW, lines.len(), |mut cells| {
                if let Some(line) = lines.get(cells.index()) {
                    let text = words::cells(&line.figure, shows.run, unit);
                    figure_ui(&mut cells, line, shows.run, &text, reach);
                }
            });
        });
}

fn figure_ui(
    cells: &mut TableRow<'_, '_>,
    line: &Line,
    run: usize,
    text: &words::Cells,
    reach: Rangef,
) {
    let figure = &line.figure;
    cells.col(|ui| {
        row_line(ui, reach);
        let color = Tokens::of(ui).t1;
        ui.add_space(size::GAP_FIELD);
        let style = Type::TableStrong;
        let name = Spans::plain(style, figure.metric.title, color).label(ui);
        if !line.about.is_empty() {
            name.on_hover_text(&line.about);
        }
    });
    let number = |cells: &mut TableRow<'_, '_>, text: &str, style: Type, is_faint: bool| {
        cells.col(|ui| {
            let tokens = Tokens::of(ui);
            let color = if is_faint { tokens.t2 } else { tokens.t1 };
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                Spans::plain(style, text, color).label(ui);
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
        result_ui(ui, line, run);
    });
}

/// Draws the result of a change. Better and Worse have an arrow that shows whether the value rose
/// or fell.
fn result_ui(ui: &mut Ui, line: &Line, run: usize) {
    let tokens = Tokens::of(ui);
    let figure = &line.figure;
    let Some(delta) = figure.deltas.get(run).copied().flatten() else { return };
    let word = words::result(&delta);
    let arrow = if delta.effect.difference < 0.0 { "▼" } else { "▲" };
    let (words_shown, color, style) = match delta.result {
        Outcome::Better => (format!("{arrow} {word}"), tokens.good, Type::TableStrong),
        Outcome::Worse => (format!("{arrow} {word}"), tokens.fair, Type::TableStrong),
        result if result.is_certain() => (format!("{arrow} {word}"), tokens.t2, Type::Table),
        _ => (word, tokens.t2, Type::Table),
    };
    let label = Spans::plain(style, &words_shown, color).label(ui);
    let own = match delta.result {
        Outcome::NotEvaluated | Outcome::NotEnoughData => line.why.clone(),
        _ => None,
    };
    let why = own.or_else(|| words::why(&delta));
    let why = why.unwrap_or_else(|| words::HOW_EVALUATED.to_owned());
    label.on_hover_text(why);
}
