//! Sleeps: the table, actual durations and overshoot, and the distribution of one length.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::{Limit, of_histograms};
use jitterscope_engine::report::{Chart, Figures, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::LogHistogram;
use jitterscope_engine::units::format_setting;

use super::view::{ResultView, ShownResult};
use crate::plots::{ChartCard, charts_ui};
use crate::widgets::{ResultTable, Sketch, TableLayout, combo};

/// The most series that are laid over each other.
const MAX_SERIES: usize = 4;
/// How fine histograms are.
const BINS_A_DECADE: u32 = 10;

/// The table: sleeps of one duration and condition are compared.
const TABLE: TableLayout = TableLayout {
    leading: &[
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
    ],
    varying: &["method", "timers"],
    rows: &[],
    compared: Some(&["requested_nanos", "condition"]),
};

/// How the result looks.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The length whose distribution is shown, where one was selected.
    length: Option<Nanos>,
    made: Option<PlotCache>,
}

/// The distribution of a length, made once.
#[derive(Debug)]
struct PlotCache {
    of: (String, Nanos, usize),
    chart: Option<Chart>,
}

impl ResultView for View {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        let ShownResult { run, report, charts, unit, .. } = shown;
        let Some(table) = report.tables.first() else { return };
        let response = ResultTable::new("sleep-accuracy", table, TABLE).unit(unit).show(ui);
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
        let waits = report.rows.iter().filter(|row| matches!(row.figures, Figures::Waits(_)));
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
        let card = ChartCard::new(("sleep-distribution", run.id.as_str()), chart).note(&note);
        card.show(ui, |ui| {
            let options: Vec<(Nanos, &str)> =
                lengths.iter().copied().zip(names.iter().map(String::as_str)).collect();
            combo(ui, "Sleep", &mut length, &options, 90.0);
        });
        // Without a choice of the user, the longest is shown.
        if length != shown {
            self.length = Some(length);
        }
    }

    /// Makes the distribution of a length, where it is not there yet.
    fn make(&mut self, run: &Run, report: &Report, length: Nanos) {
        let of = (run.id.to_string(), length, run.sample_count());
        if self.made.as_ref().is_some_and(|made| made.of == of) {
            return;
        }
        let rows = report.rows.iter().filter(|row| row.period == length).take(MAX_SERIES);
        let counted: Vec<(&str, LogHistogram)> = rows
            .map(|row| {
                let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
                let actual: Vec<i64> =
                    trials.flat_map(|trial| trial.samples.actual_nanos()).collect();
                let name = row.label.split_once(", ").map_or(row.label.as_str(), |(_, rest)| rest);
                (name, LogHistogram::of(&actual, Nanos::new(100), BINS_A_DECADE))
            })
            .collect();
        let counted: Vec<(&str, &LogHistogram)> =
            counted.iter().map(|(name, histogram)| (*name, histogram)).collect();
        let mut chart =
            of_histograms("distribution", "Distribution", ("Duration", "Sleeps"), &counted);
        if let Some(chart) = &mut chart {
            let label = format!("requested {}", format_setting(length));
            chart.limits.push(Limit { at: length.as_f64(), label, is_vertical: true });
        }
        self.made = Some(PlotCache { of, chart });
    }
}
