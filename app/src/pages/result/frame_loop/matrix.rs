//! The matrix of a running test: one cell per configuration, with its p99 lateness or its progress.

use eframe::egui::{Align2, CornerRadius, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::Cell;
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::distinct;

use crate::session::{Live, TrialState};
use crate::text::{self, Unit};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, Spans};

/// Height of a cell, in points.
const CELL: f32 = 44.0;
/// Width of the row names, in points.
const NAMES: f32 = 110.0;

/// Returns whether priority and pinning identify every configuration of a run, so that a matrix of
/// priorities and CPUs has one cell for each.
pub(super) fn fits(live: &Live) -> bool {
    let Some(run) = live.run() else { return true };
    let key = |at: usize| run.trials.get(at).map(|trial| &trial.trial);
    (0..run.trials.len()).all(|one| {
        (0..one).all(|other| match (key(one), key(other)) {
            (Some(one), Some(other)) => {
                one.label == other.label
                    || (one.conditions.priority, one.conditions.cpu)
                        != (other.conditions.priority, other.conditions.cpu)
            }
            _ => true,
        })
    })
}

/// Draws the matrix of a running test.
pub(super) fn ui(ui: &mut Ui, live: &Live, height: f32) {
    let Some(run) = live.run() else { return };
    let p99s: Vec<Nanos> =
        (0..run.trials.len()).filter_map(|trial| live.row(trial)?.p99()).collect();
    let unit = text::choose_unit(&p99s);
    let format = (unit, text::choose_decimals(&p99s, unit));
    let note = format!("p99 lateness, {}", unit.symbol());
    Card::new("Matrix so far").note(&note).height(height).show_plain(ui, |ui| {
        table_ui(ui, live, run, format);
        let tokens = Tokens::of(ui);
        let text = "Configurations run in randomized order so that temperature and other \
                        programs do not favor one row.";
        ui.add_space(size::GAP_SMALL);
        Spans::plain(Type::Small, text, tokens.t2).paragraph(ui);
    });
}

/// Draws the cells; `format` is the unit and the number of decimals of all values.
fn table_ui(ui: &mut Ui, live: &Live, run: &Run, format: (Unit, u32)) {
    let tokens = Tokens::of(ui);
    let conditions = run.trials.iter().map(|trial| trial.trial.conditions);
    let mut rows = distinct(conditions.clone().map(|one| one.priority));
    let mut columns = distinct(conditions.map(|one| one.cpu));
    rows.sort_by_key(|priority| priority.rank());
    columns.sort_unstable();
    let (origin, room) = (ui.cursor().min, ui.available_width());
    let count = f32::from(u16::try_from(columns.len().max(1)).unwrap_or(1));
    let cell_width = ((room - NAMES) / count - size::GAP_LABEL).max(40.0);
    let at = |row: f32, column: f32| {
        Rect::from_min_size(
            pos2(
                origin.x + NAMES + column * (cell_width + size::GAP_LABEL),
                origin.y + 22.0 + row * (CELL + size::GAP_LABEL),
            ),
            vec2(cell_width, CELL),
        )
    };
    let step = |index: usize| f32::from(u16::try_from(index).unwrap_or(u16::MAX));
    for (column, cpu) in columns.iter().enumerate() {
        let center = at(0.0, step(column)).center_top() - vec2(0.0, 6.0);
        ui.painter().text(center, Align2::CENTER_BOTTOM, cpu.name(), Type::Small.font(), tokens.t2);
    }
    for (row, &priority) in rows.iter().enumerate() {
        let name_at = pos2(origin.x, at(step(row), 0.0).center().y);
        ui.painter().text(
            name_at,
            Align2::LEFT_CENTER,
            priority.name(),
            Type::Body.font(),
            tokens.t1,
        );
        for (column, &cpu) in columns.iter().enumerate() {
            let of_cell: Vec<usize> = (0..run.trials.len())
                .filter(|&trial| {
                    run.trials.get(trial).is_some_and(|trial| {
                        trial.trial.conditions.priority == priority
                            && trial.trial.conditions.cpu == cpu
                    })
                })
                .collect();
            if !of_cell.is_empty() {
                let name = Cell { priority, cpu }.conditions().to_string();
                cell_ui(ui, live, &of_cell, at(step(row), step(column)), format, &name);
            }
        }
    }
    let bottom = at(step(rows.len().max(1)) - 1.0, 0.0).bottom();
    ui.allocate_rect(
        Rect::from_min_max(origin, pos2(origin.x + room, bottom + size::GAP_LABEL)),
        Sense::hover(),
    );
}

/// Draws the cell of a configuration, whose trials are at the positions `trials`: the progress of
/// its running trial, the p99 of its latest finished trial, or that it is waiting or skipped.
fn cell_ui(
    ui: &mut Ui,
    live: &Live,
    trials: &[usize],
    rect: Rect,
    (unit, decimals): (Unit, u32),
    name: &str,
) {
    let tokens = Tokens::of(ui);
    let state = |trial: &usize| live.states().get(*trial);
    let running = trials.iter().find(|trial| state(trial) == Some(&TrialState::Running));
    let done = trials.iter().rev().find(|trial| state(trial) == Some(&TrialState::Done));
    let skipped = trials.iter().any(|trial| matches!(state(trial), Some(TrialState::Skipped(_))));
    let radius = CornerRadius::same(size::RADIUS);
    let (fill, stroke, value, style, color) = if running.is_some() {
        let percent = format!("Running, {:.0}%", (live.trial_progress() * 100.0).floor());
        (tokens.sel, tokens.acc, percent, Type::Strong, tokens.acc)
    } else if let Some(row) = done.and_then(|trial| live.row(*trial)) {
        let p99 = row
            .p99()
            .map_or(text::MISSING.to_owned(), |p99| text::format_time_in(p99, unit, decimals));
        let color = if row.is_as_requested() { tokens.t1 } else { tokens.fair };
        (tokens.wid, tokens.line, p99, Type::Strong, color)
    } else {
        let word = if skipped { "skipped" } else { "waiting" };
        (tokens.card, tokens.line, word.to_owned(), Type::Small, tokens.t3)
    };
    let painter = ui.painter();
    painter.rect(rect, radius, fill, Stroke::new(1.0, stroke), StrokeKind::Inside);
    painter.text(rect.center(), Align2::CENTER_CENTER, &value, style.font(), color);
    let response = ui.interact(rect, ui.scope_id().with(name), Sense::hover());
    response.widget_info(|| {
        eframe::egui::WidgetInfo::labeled(
            eframe::egui::Role::Label,
            true,
            format!("{name}: {value}"),
        )
    });
    if let Some(row) = done.and_then(|trial| live.row(*trial)) {
        response.on_hover_text(format!("{} → {}", row.conditions, row.applied_text()));
    }
}
