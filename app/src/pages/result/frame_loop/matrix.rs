//! The matrix of a running test: one cell per configuration, with its p99 lateness or its progress.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Priority;
use jitterscope_engine::report::document::Grid;
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::distinct;

use super::figures::MAX_MATRIX;
use crate::session::{Live, TrialState};
use crate::text::{self, Unit};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, ResultTable, Spans, TableLayout};

/// Returns whether priority and pinning identify every configuration of a run, so that a matrix of
/// priorities and CPUs has one cell for each.
pub(super) fn fits(live: &Live) -> bool {
    let Some(run) = &live.run else { return true };
    let key = |at: usize| run.trials.get(at).map(|trial| &trial.trial);
    let count = run.trials.len();
    count <= MAX_MATRIX
        && (0..count).all(|one| {
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
    let Some(run) = &live.run else { return };
    let p99s: Vec<Nanos> =
        (0..run.trials.len()).filter_map(|trial| live.row(trial)?.p99()).collect();
    let unit = text::choose_unit(&p99s);
    let format = (unit, text::choose_decimals(&p99s, unit));
    let note = format!("p99 lateness, {}", unit.symbol());
    let table = grid(live, run, format).table("Matrix so far");
    Card::new(table.title).note(&note).height(height).flush().show_plain(ui, |ui| {
        let rows = ResultTable::new("matrix", &table, TableLayout::of(&[]));
        rows.show_in_card(ui, f32::INFINITY);
        let text = "Configurations run in randomized order so that temperature and other \
                        programs do not favor one row.";
        ui.add_space(size::GAP_SMALL);
        ui.horizontal(|ui| {
            ui.add_space(size::GAP_FIELD);
            Spans::plain(Type::Small, text, Tokens::of(ui).t2).paragraph(ui);
        });
    });
}

/// Returns a row per priority and a column per CPU; `format` is the unit and the number of decimals of all values.
fn grid(live: &Live, run: &Run, format: (Unit, u32)) -> Grid {
    let conditions = || run.trials.iter().map(|trial| trial.trial.conditions);
    let mut priorities = distinct(conditions().map(|one| one.priority));
    let mut cpus = distinct(conditions().map(|one| one.cpu));
    priorities.sort_by_key(|priority| priority.rank());
    cpus.sort_unstable();
    let row = |&priority: &Priority| {
        let cells = cpus.iter().map(|&cpu| {
            let own =
                conditions().zip(0..).filter(|(it, _)| it.priority == priority && it.cpu == cpu);
            cell_text(live, &own.map(|(_, trial)| trial).collect::<Vec<_>>(), format)
        });
        std::iter::once(priority.name()).chain(cells).collect()
    };
    let names = cpus.iter().map(|cpu| cpu.name());
    Grid {
        header: std::iter::once("Priority".to_owned()).chain(names).collect(),
        is_right: (0..=cpus.len()).map(|column| 0 < column).collect(),
        rows: priorities.iter().map(row).collect(),
    }
}

/// Returns the text of a configuration, whose trials are at the positions `trials`: the progress of
/// its running trial, the p99 of its latest finished trial, or that it is waiting or skipped.
fn cell_text(live: &Live, trials: &[usize], (unit, decimals): (Unit, u32)) -> String {
    let is = |trial: &&usize, wanted| live.states.get(**trial) == Some(&wanted);
    if trials.iter().any(|trial| is(&trial, TrialState::Running)) {
        return format!("Running, {:.0}%", (live.trial_progress() * 100.0).floor());
    }
    let done = trials.iter().rev().find(|trial| is(trial, TrialState::Done));
    match done.and_then(|trial| live.row(*trial)) {
        Some(row) => {
            let p99 = row
                .p99()
                .map_or(text::MISSING.to_owned(), |p99| text::format_time_in(p99, unit, decimals));
            if row.is_as_requested() { p99 } else { format!("{p99}, not as requested") }
        }
        None if trials.is_empty() => String::new(),
        None => {
            let is_skipped =
                |trial: &usize| matches!(live.states.get(*trial), Some(TrialState::Skipped(_)));
            (if trials.iter().any(is_skipped) { "skipped" } else { "waiting" }).to_owned()
        }
    }
}
