//! The configurations of a run in a table: numbers, what was granted, best and worst marked.

use eframe::egui::{Align, Layout, Rangef, ScrollArea, Sense, Ui, vec2};
use egui_extras::{Column, TableBuilder, TableRow};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::CpuChoice;
use jitterscope_engine::report::{Report, Row};
use jitterscope_engine::stats::LowDefinition;

use crate::text::{self, Unit, low};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Card, Severity, Spans, combo, link_in_table, row_line, segmented, series_checkbox,
};

/// Which quantity the table shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Metric {
    /// How late each frame started.
    #[default]
    Lateness,
    /// Time from each start to the next.
    Period,
}

/// How the table looks.
#[derive(Debug)]
pub(super) struct View {
    metric: Metric,
    unit: Unit,
    /// The unit of the settings, in which the table begins.
    usual: Unit,
}

impl View {
    /// Takes over the unit of the settings when that was changed.
    pub(super) fn follow(&mut self, usual: Unit) {
        if self.usual != usual {
            self.usual = usual;
            self.unit = usual;
        }
    }
}

impl Default for View {
    fn default() -> Self {
        Self { metric: Metric::Lateness, unit: Unit::Auto, usual: Unit::Auto }
    }
}

/// A row's numbers in the order of the columns.
fn numbers(row: &Row, metric: Metric) -> [Option<Nanos>; 6] {
    let spread = row.summary.as_ref().and_then(|summary| match metric {
        Metric::Lateness => Some(&summary.lateness),
        Metric::Period => summary.frame_time.as_ref(),
    });
    let Some(spread) = spread else { return [None; 6] };
    [Some(spread.min), Some(spread.p50), spread.p95, spread.p99, spread.p99_9, Some(spread.max)]
}

/// Draws the table; beside periods it shows the 1 % low by that definition. Returns the label of a row
/// that was opened.
pub(super) fn ui(
    ui: &mut Ui,
    view: &mut View,
    report: &Report,
    ticked: &mut Vec<String>,
    by: LowDefinition,
) -> Option<String> {
    let all: Vec<Nanos> =
        report.rows.iter().flat_map(|row| numbers(row, view.metric)).flatten().collect();
    let unit = view.unit.or_for(&all);
    let frames = report.rows.iter().filter_map(|row| row.summary.as_ref());
    let frames = frames.map(|summary| summary.lateness.count).max().unwrap_or(0);
    let what = match view.metric {
        Metric::Lateness => "lateness",
        Metric::Period => "frame time",
    };
    let rate = match view.metric {
        Metric::Lateness => String::new(),
        Metric::Period => format!(" · 1% low in FPS: {}", low::name(by)),
    };
    let note = format!(
        "{what} in {}, {} frames each · click a row for details{rate}",
        unit.symbol(),
        text::count(u64::try_from(frames).unwrap_or(0))
    );
    let shared = std::cell::RefCell::new(view);
    Card::new("Matrix")
        .note(&note)
        .flush()
        .show(
            ui,
            |ui| {
                let mut view = shared.borrow_mut();
                let metrics = [(Metric::Lateness, "Lateness"), (Metric::Period, "Frame time")];
                segmented(ui, "Metric", &mut view.metric, &metrics);
                let units = Unit::ALL.map(|unit| match unit {
                    Unit::Auto => (unit, "Auto"),
                    unit => (unit, unit.symbol()),
                });
                combo(ui, "Units", &mut view.unit, &units, 64.0);
            },
            |ui| {
                let metric = shared.borrow().metric;
                let room = ui.available_width();
                let sideways = ScrollArea::horizontal().auto_shrink([false, true]);
                let rows = sideways.show(ui, |ui| {
                    let rate = if metric == Metric::Period { RATE_WIDTH } else { 0.0 };
                    ui.set_width(room.max(LEAST_WIDTH + rate));
                    let shows = Shows { metric, unit, by };
                    rows_ui(ui, report, shows, ticked)
                });
                rows.inner
            },
        )
        .inner
}

/// Where there is less room than this, the table scrolls sideways.
const LEAST_WIDTH: f32 = 850.0;
/// The width of the column of the 1 % low.
const RATE_WIDTH: f32 = 64.0 + size::GAP_SMALL;

/// What the rows show.
#[derive(Clone, Copy)]
struct Shows {
    metric: Metric,
    unit: Unit,
    /// The definition of the 1 % low.
    by: LowDefinition,
}

/// The column of the 1 % low, which stands beside periods only.
const LOW: usize = 9;

const HEADERS: [&str; 12] = [
    "Plot", "Priority", "Pinning", "Min", "p50", "p95", "p99", "p99.9", "Max", "1% low", "Missed",
    "Applied",
];

fn rows_ui(
    ui: &mut Ui,
    report: &Report,
    Shows { metric, unit, by }: Shows,
    ticked: &mut Vec<String>,
) -> Option<String> {
    let has_low = metric == Metric::Period;
    let tokens = Tokens::of(ui);
    let mut opened = None;
    let decimals: Vec<u32> = (0..6)
        .map(|column| {
            let values: Vec<Nanos> =
                report.rows.iter().filter_map(|row| numbers(row, metric)[column]).collect();
            text::decimals_for(&values, unit)
        })
        .collect();
    let (best, worst) = (report.best().map(|row| &row.label), report.worst().map(|row| &row.label));
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 0.0);
    let rows = f32::from(u16::try_from(report.rows.len()).unwrap_or(u16::MAX));
    let height = (rows * size::TABLE_ROW).min(12.0 * size::TABLE_ROW) + 2.0;
    let number = Column::initial(64.0).at_least(48.0);
    let reach = ui.max_rect().x_range();
    // The keyboard opens a row by its name.
    TableBuilder::new(ui)
        .id_salt(("matrix", has_low))
        .sense(Sense::CLICK)
        .cell_layout(Layout::left_to_right(Align::Center))
        .auto_shrink([false, true])
        .column(Column::exact(52.0))
        .column(Column::initial(96.0).at_least(90.0).clip(true))
        .column(Column::initial(70.0).at_least(60.0).clip(true))
        .columns(number, 3)
        .column(Column::initial(74.0).at_least(60.0))
        .columns(number, if has_low { 3 } else { 2 })
        .column(Column::initial(56.0).at_least(48.0))
        .column(Column::remainder().at_least(140.0).clip(true))
        .max_scroll_height(height)
        .header(size::TABLE_HEADER, |mut header| {
            let shown = HEADERS.iter().enumerate().filter(|(column, _)| has_low || *column != LOW);
            for (column, title) in shown {
                header.col(|ui| {
                    let spans =
                        Spans::new(Type::TableHeader).text(Type::TableHeader, title, tokens.t2);
                    if column == 0 || column == 11 {
                        ui.add_space(size::GAP_FIELD);
                    }
                    if (3..11).contains(&column) {
                        ui.with_layout(Layout::right_to_left(Align::Center), |ui| spans.label(ui));
                    } else {
                        spans.label(ui);
                    }
                });
            }
        })
        .body(|body| {
            body.rows(size::TABLE_ROW, report.rows.len(), |mut cells| {
                let Some(row) = report.rows.get(cells.index()) else { return };
                let place = ticked.iter().position(|label| *label == row.label);
                let is_best = Some(&row.label) == best;
                let is_worst = Some(&row.label) == worst && !is_best;
                tick_ui(&mut cells, row, place, ticked, reach);
                let mut is_opened = names_ui(&mut cells, row, is_best);
                for (column, value) in numbers(row, metric).into_iter().enumerate() {
                    let decimals = decimals.get(column).copied().unwrap_or(1);
                    let is_p99 = column == 3;
                    let shape = match (is_p99, is_best, is_worst) {
                        (true, true, _) => Some((icons::STAR_FILL, true)),
                        (true, _, true) => Some((icons::WARNING_FILL, false)),
                        _ => None,
                    };
                    number_ui(&mut cells, value, unit, decimals, shape, is_p99);
                }
                if has_low {
                    low_ui(&mut cells, row, by);
                }
                missed_ui(&mut cells, row);
                granted_ui(&mut cells, row);
                is_opened |= cells.response().clicked();
                if is_opened && row.summary.is_some() {
                    opened = Some(row.label.clone());
                }
            });
        });
    opened
}

/// The check box in the color of the row's curve; a fifth tick takes the oldest away.
fn tick_ui(
    cells: &mut TableRow<'_, '_>,
    row: &Row,
    place: Option<usize>,
    ticked: &mut Vec<String>,
    reach: Rangef,
) {
    cells.col(|ui| {
        row_line(ui, reach);
        ui.add_space(size::GAP_FIELD);
        let tokens = Tokens::of(ui);
        let color = place.map_or(tokens.ctl, |place| tokens.series(place).color);
        let mut is_ticked = place.is_some();
        let name = format!("Plot {}", row.label);
        if series_checkbox(ui, &mut is_ticked, &name, color).changed() {
            if is_ticked {
                ticked.push(row.label.clone());
                if 4 < ticked.len() {
                    ticked.remove(0);
                }
            } else {
                ticked.retain(|label| *label != row.label);
            }
        }
    });
}

/// Draws priority and pinning; `true` where the name was pressed.
fn names_ui(cells: &mut TableRow<'_, '_>, row: &Row, is_best: bool) -> bool {
    let mut is_opened = false;
    let rest = row.label.strip_prefix(&row.conditions.to_string()).unwrap_or_default().to_owned();
    cells.col(|ui| {
        let style = if is_best { Type::TableStrong } else { Type::Table };
        let name = format!("Open {}", row.label);
        is_opened = link_in_table(ui, style, &row.conditions.priority.name(), &name).clicked();
    });
    cells.col(|ui| {
        let color = Tokens::of(ui).t2;
        let pin = match row.conditions.cpu {
            CpuChoice::Any => "No pin".to_owned(),
            CpuChoice::Performance => "P-core".to_owned(),
            CpuChoice::Efficiency => "E-core".to_owned(),
            CpuChoice::Cpu(cpu) => format!("CPU {cpu}"),
        };
        Spans::new(Type::Table).text(Type::Table, &format!("{pin}{rest}"), color).label(ui);
    });
    is_opened
}

fn number_ui(
    cells: &mut TableRow<'_, '_>,
    value: Option<Nanos>,
    unit: Unit,
    decimals: u32,
    shape: Option<(&str, bool)>,
    is_strong: bool,
) {
    cells.col(|ui| {
        let tokens = Tokens::of(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let style = if is_strong { Type::TableStrong } else { Type::Table };
            let words = value
                .map_or(text::MISSING.to_owned(), |value| text::in_unit(value, unit, decimals));
            let mut spans = Spans::new(style);
            if let Some((icon, is_good)) = shape {
                let color = if is_good { tokens.good } else { tokens.fair };
                spans = spans.icon(icon, size::ICON_SMALL, color).gap(size::GAP_LABEL);
            }
            let cell = spans.text(style, &words, tokens.t1).label(ui);
            if value.is_none() {
                cell.on_hover_text("Too few frames: p95 needs 20, p99 100, p99.9 1 000.");
            }
        });
    });
}

fn low_ui(cells: &mut TableRow<'_, '_>, row: &Row, by: LowDefinition) {
    cells.col(|ui| {
        let color = Tokens::of(ui).t1;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let low = low::of(row, by);
            let words = low.map_or(text::MISSING.to_owned(), |fps| format!("{fps:.1}"));
            let cell = Spans::new(Type::Table).text(Type::Table, &words, color).label(ui);
            cell.on_hover_text(match low {
                Some(_) => format!("{} {}", low::MEANING, low::in_use(by)),
                None => format!("The 1% low {}.", low::what_it_needs(row.summary.as_ref())),
            });
        });
    });
}

fn missed_ui(cells: &mut TableRow<'_, '_>, row: &Row) {
    cells.col(|ui| {
        let tokens = Tokens::of(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let Some(summary) = &row.summary else { return };
            let missed = summary.missed_count();
            let words = text::count(u64::try_from(missed).unwrap_or(u64::MAX));
            let mut spans = Spans::new(Type::Table);
            let mut color = tokens.t1;
            if 0 < missed {
                color = tokens.poor;
                spans = spans.icon(icons::FLAG, size::ICON_SMALL, color).gap(size::GAP_LABEL);
            }
            spans.text(Type::Table, &words, color).label(ui);
        });
    });
}

fn granted_ui(cells: &mut TableRow<'_, '_>, row: &Row) {
    cells.col(|ui| {
        ui.add_space(size::GAP_FIELD);
        let tokens = Tokens::of(ui);
        let (severity, words) = match (&row.skipped, row.is_as_asked()) {
            (Some(reason), _) => (Severity::NotMeasured, format!("skipped: {reason}")),
            (None, true) => (Severity::Good, row.granted_text()),
            (None, false) => (Severity::Denied, format!("denied, ran at {}", row.granted_text())),
        };
        let color = if row.is_as_asked() { tokens.t1 } else { tokens.fair };
        let mut why = format!("Requested: {}", row.conditions);
        for refusal in row.granted.iter().flat_map(|granted| &granted.refusals) {
            why.push_str(&format!("\n{refusal}, by {}", refusal.call));
            if !refusal.remedy.is_empty() {
                why.push_str(&format!("\n    {}", refusal.remedy));
            }
        }
        Spans::new(Type::Table)
            .icon(severity.icon(), size::ICON_SMALL, severity.color(tokens))
            .gap(size::GAP_LABEL)
            .text(Type::Table, &words, color)
            .label(ui)
            .on_hover_text(why);
    });
}
