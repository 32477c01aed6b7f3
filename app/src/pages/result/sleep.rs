//! The result of the sleep accuracy test: a table, plots of actual durations and overshoot, and the
//! distribution of one requested duration.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Chart, Report, WaitFigures, sleep_histogram};
use jitterscope_engine::run::Run;
use jitterscope_engine::units::format_setting;

use super::view::{ResultView, ShownResult};
use crate::plots::{ChartCard, charts_ui};
use crate::widgets::{ResultTable, Sketch, TableLayout, combo};

/// Layout of the table. Sleeps of the same duration and condition are compared with each other.
const TABLE: TableLayout = TableLayout {
    varying: &["method", "timers"],
    compared: Some(&["requested_nanos", "condition"]),
    ..TableLayout::of(&[
        "requested_nanos",
        "condition",
        "method",
        "timers",
        "average_nanos",
        "best_nanos",
        "p50_nanos",
        "p99_nanos",
        "worst_nanos",
        "overshoot_average_nanos",
        "grade",
    ])
};

/// State of the view that draws the result of this test.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The requested duration whose distribution is shown; `None` until the user selects one.
    length: Option<Nanos>,
    made: Option<SleepPlots>,
}

/// The cached distribution for a run, a requested duration, and a number of samples (`of`).
#[derive(Debug)]
struct SleepPlots {
    of: (String, Nanos, usize),
    chart: Option<Chart>,
}

impl ResultView for View {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        let ShownResult { run, report, charts, unit, .. } = shown;
        let Some(table) = report.tables.first() else { return };
        let response =
            ResultTable { unit, ..ResultTable::new("sleep-accuracy", table, TABLE) }.show(ui);
        let selected = response.selected.and_then(|row| table.rows.get(row)?.configuration);
        if let Some(row) = selected.and_then(|position| report.rows.get(position)) {
            self.length = Some(row.period);
        }
        charts_ui(ui, ("sleep-accuracy", run.id.as_str()), charts);
        self.distribution_ui(ui, run, report);
    }

    fn sketch(&self) -> Sketch {
        Sketch::Ranges
    }
}

impl View {
    fn distribution_ui(&mut self, ui: &mut Ui, run: &Run, report: &Report) {
        let waits = report.rows.iter().filter(|row| row.figures.get::<WaitFigures>().is_some());
        let mut lengths: Vec<Nanos> = waits.map(|row| row.period).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let Some(&last) = lengths.last() else { return };
        let mut length = self.length.filter(|length| lengths.contains(length)).unwrap_or(last);
        let shown = length;
        self.make(run, report, length);
        let Some(chart) = self.made.as_ref().and_then(|made| made.chart.as_ref()) else { return };
        let names: Vec<String> = lengths.iter().map(|length| format_setting(*length)).collect();
        let note = format!("sleep of {}", format_setting(length));
        let card = ChartCard::new(("sleep-distribution", run.id.as_str()), chart);
        ChartCard { note: &note, ..card }.show(ui, |ui| {
            let options: Vec<(Nanos, &str)> =
                lengths.iter().copied().zip(names.iter().map(String::as_str)).collect();
            combo(ui, "Sleep", &mut length, &options, 90.0);
        });
        // The duration is stored only if the user changed it. Otherwise the default stays the
        // longest duration, also while longer ones are still being measured.
        if length != shown {
            self.length = Some(length);
        }
    }

    /// Computes the distribution of a requested duration, unless it is cached.
    fn make(&mut self, run: &Run, report: &Report, length: Nanos) {
        let of = (run.id.to_string(), length, run.sample_count());
        if self.made.as_ref().is_some_and(|made| made.of == of) {
            return;
        }
        let chart = sleep_histogram(run, report, length);
        self.made = Some(SleepPlots { of, chart });
    }
}
