//! What the pages of tests have in common: the view of a result.

use std::fmt;

use eframe::egui::Ui;
use jitterscope_engine::report::{Chart, Report};
use jitterscope_engine::run::Run;

use crate::plots::charts_ui;
use crate::text::Unit;
use crate::widgets::{ResultTable, Sketch, TableLayout};

/// A result, so far or complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownResult<'a> {
    pub(super) run: &'a Run,
    pub(super) report: &'a Report,
    pub(super) charts: &'a [Chart],
    /// Whether the run is in progress.
    pub(super) is_live: bool,
    /// The unit of times in tables.
    pub(super) unit: Unit,
}

/// How the result of a test looks.
pub(super) trait ResultView: fmt::Debug {
    /// Draws the result without its verdict.
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>);

    /// An example of such a result.
    fn sketch(&self) -> Sketch;

    /// Whether a denied request is explained above the result, and not only in its table.
    fn explains_denials(&self) -> bool {
        false
    }
}

/// The table of configurations and all plots.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainView {
    /// The key of the test.
    pub(super) key: &'static str,
    pub(super) table: TableLayout,
    pub(super) sketch: Sketch,
    /// Whether the plots come before the table.
    pub(super) has_plots_first: bool,
}

impl ResultView for PlainView {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        let plots_ui = |ui: &mut Ui| charts_ui(ui, (self.key, shown.run.id.as_str()), shown.charts);
        if self.has_plots_first {
            plots_ui(ui);
        }
        if let Some(table) = shown.report.tables.first() {
            ResultTable::new(self.key, table, self.table).unit(shown.unit).show(ui);
        }
        if !self.has_plots_first {
            plots_ui(ui);
        }
    }

    fn sketch(&self) -> Sketch {
        self.sketch
    }
}
