//! Game cycles: time and efficiency against threads, and the table.

use eframe::egui::{Align, Layout, Ui, vec2};
use jitterscope_engine::plan::work::CycleKind;
use jitterscope_engine::report::{Figures, Report};
use jitterscope_engine::run::Run;

use crate::plots::{ScalingPoint, ScalingSeries, efficiency_ui, time_ui};
use crate::text::{self, Unit};
use crate::theme::size;
use crate::widgets::{Card, Hidden, ResultTable, TableLayout};

/// The table: one row per number of threads, one group of columns per workload.
const TABLE: TableLayout = TableLayout {
    leading: &[
        "threads_count",
        "cycle_average_nanos",
        "cycle_error_nanos",
        "speedup",
        "efficiency",
        "of_budget_share",
        "grade",
    ],
    varying: &[],
    rows: &["threads_count"],
    compared: Some(&["workload"]),
};

/// How the result looks.
#[derive(Debug, Default)]
pub(super) struct View {
    /// Entries of the legend that are omitted.
    hidden: Hidden,
}

impl View {
    pub(super) fn ui(&mut self, ui: &mut Ui, run: &Run, report: &Report, unit: Unit) {
        let series = series(report);
        let cores = run.machine.physical_cores;
        let height = 330.0;
        let hidden = &mut self.hidden;
        let mut time = |ui: &mut Ui| {
            Card::new("Time per cycle").note("bars: 99.9% confidence").height(height).show(
                ui,
                |_| {},
                |ui| {
                    let height = ui.available_height();
                    time_ui(ui, &series, cores, height, hidden);
                },
            );
        };
        let efficiency = |ui: &mut Ui| {
            Card::new("Efficiency").note("1-thread time ÷ time ÷ cores used").height(height).show(
                ui,
                |_| {},
                |ui| {
                    let height = ui.available_height();
                    efficiency_ui(ui, &series, cores, height);
                },
            );
        };
        if size::MEDIUM_FROM <= ui.content_rect().width() {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                let left = ((ui.available_width() - size::GAP_CARD) * 0.54).floor();
                ui.allocate_ui_with_layout(vec2(left, height), Layout::top_down(Align::Min), time);
                ui.vertical(efficiency);
            });
        } else {
            time(ui);
            efficiency(ui);
        }
        if let Some(table) = report.tables.first() {
            ResultTable::new("game-tick", table, TABLE).unit(unit).show(ui);
        }
    }
}

/// The points of each workload.
fn series(report: &Report) -> Vec<ScalingSeries> {
    [CycleKind::Players, CycleKind::Npcs]
        .into_iter()
        .filter_map(|kind| {
            let mut count = 0;
            let mut points: Vec<ScalingPoint> = report
                .scaling
                .iter()
                .filter(|scaling| scaling.kind == kind)
                .filter_map(|scaling| {
                    let Figures::Ticks(ticks) = &report.rows.get(scaling.row)?.figures else {
                        return None;
                    };
                    count = match kind {
                        CycleKind::Players => ticks.cycle.players,
                        CycleKind::Npcs => ticks.cycle.npcs,
                    };
                    Some(ScalingPoint {
                        threads: scaling.threads,
                        nanos: ticks.mean_nanos,
                        error: ticks.error_nanos,
                        efficiency: scaling.efficiency,
                    })
                })
                .collect();
            points.sort_by_key(|point| point.threads);
            let name = format!("{}, {}", kind.name(), text::count(u64::from(count)));
            (!points.is_empty()).then_some(ScalingSeries { name, points })
        })
        .collect()
}
