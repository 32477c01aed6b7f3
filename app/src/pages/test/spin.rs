//! Spins: the table, and the overshoot of each strategy idle and under load.

use eframe::egui::{Align, Layout, Ui, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{SpinStrategy, Wait};
use jitterscope_engine::report::{Configuration, Figures, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::units::format_setting;

use crate::plots::{Lollipop, LollipopGroup};
use crate::text::{self, Unit};
use crate::theme::{Tokens, size};
use crate::widgets::{
    Card, Hidden, LegendEntry, LegendSwatch, ResultTable, TableLayout, legend_row,
};

/// The table: one group of columns per condition; strategies for one duration are compared.
const TABLE: TableLayout = TableLayout {
    leading: &[
        "requested_nanos",
        "strategy",
        "iterations_per_wait",
        "average_nanos",
        "overshoot_average_nanos",
        "grade",
    ],
    varying: &[],
    rows: &["requested_nanos", "strategy"],
    compared: Some(&["requested_nanos", "condition"]),
};

/// How the result looks.
#[derive(Debug, Default)]
pub(super) struct View {
    /// Strategies that are omitted of the plots.
    hidden: Hidden,
}

impl View {
    pub(super) fn ui(&mut self, ui: &mut Ui, run: &Run, report: &Report, unit: Unit) {
        let Some(table) = report.tables.first() else { return };
        ResultTable::new("spin-strategies", table, TABLE).unit(unit).show(ui);
        let halves: Vec<(&str, Vec<LollipopGroup>)> =
            [("Overshoot, idle", true), ("Overshoot, under load", false)]
                .into_iter()
                .map(|(title, is_idle)| (title, groups(report, is_idle)))
                .filter(|(_, groups)| !groups.is_empty())
                .collect();
        let most = halves
            .iter()
            .flat_map(|(_, groups)| groups)
            .flat_map(|group| group.values.iter().flatten().copied())
            .max()
            .unwrap_or_default();
        let step = run.clock.resolution;
        let note = if Nanos::from_micros(1) <= step {
            format!(
                "log scale · clock resolution {}: smaller values cannot be resolved",
                text::duration(step)
            )
        } else {
            "log scale".to_owned()
        };
        let height = (ui.available_height()).clamp(240.0, 330.0);
        let count = f32::from(u16::try_from(halves.len().max(1)).unwrap_or(1));
        let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
        let width = if is_wide {
            (ui.available_width() - size::GAP_CARD * (count - 1.0)) / count
        } else {
            ui.available_width()
        };
        let hidden = &mut self.hidden;
        let mut draw = |ui: &mut Ui| {
            for (title, groups) in &halves {
                let down = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(width, height), down, |ui| {
                    half_ui(ui, title, &note, groups, (most, height), hidden);
                });
            }
        };
        if is_wide {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                draw(ui);
            });
        } else {
            draw(ui);
        }
    }
}

fn half_ui(
    ui: &mut Ui,
    title: &str,
    note: &str,
    groups: &[LollipopGroup],
    (most, height): (Nanos, f32),
    hidden: &mut Hidden,
) {
    let names = SpinStrategy::ALL.map(SpinStrategy::name);
    let legend = std::cell::RefCell::new(hidden);
    Card::new(title).note(note).height(height).show(
        ui,
        |ui| {
            if 420.0 < ui.available_width() {
                let tokens = Tokens::of(ui);
                let entries: Vec<LegendEntry<'_>> = names
                    .iter()
                    .enumerate()
                    .map(|(at, name)| {
                        let look = tokens.series(at);
                        LegendEntry {
                            name,
                            color: look.color,
                            sample: LegendSwatch::Mark(look.mark),
                        }
                    })
                    .collect();
                legend_row(ui, &entries, &mut legend.borrow_mut());
            }
        },
        |ui| {
            let height = ui.available_height();
            let hidden = **legend.borrow();
            Lollipop { name: title, groups, series: &names, most, hidden }.ui(ui, height);
        },
    );
}

/// The overshoot of each strategy for each length, the longest first.
fn groups(report: &Report, is_idle: bool) -> Vec<LollipopGroup> {
    let rows: Vec<&Configuration> = report
        .rows
        .iter()
        .filter(|row| row.load.is_none() == is_idle && matches!(row.figures, Figures::Waits(_)))
        .collect();
    let mut lengths: Vec<Nanos> = rows.iter().map(|row| row.period).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths.dedup();
    lengths
        .into_iter()
        .map(|length| LollipopGroup {
            name: format_setting(length),
            values: SpinStrategy::ALL
                .into_iter()
                .map(|strategy| {
                    let row = rows
                        .iter()
                        .find(|row| row.period == length && row.wait == Wait::Spin(strategy))?;
                    let overshoot = row.summary.as_ref()?.lateness.mean_nanos;
                    Some(Nanos::from_nanos_f64(overshoot))
                })
                .collect(),
        })
        .collect()
}
