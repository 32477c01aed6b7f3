//! Sleeps: the table, the range of each series, and the distribution of one length.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Figures, Report, Table};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::{LogHistogram, Spread};
use jitterscope_engine::units::format_setting;

use crate::plots::{HistogramPlot, HistogramSeries, PlotMark, RangeBar, RangePlot};
use crate::text::{self, Unit};
use crate::widgets::{Card, ResultTable, TableLayout, combo};

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
#[derive(Debug)]
pub(super) struct View {
    histogram: HistogramPlot,
    /// The length whose distribution is shown.
    length: Option<Nanos>,
    /// The histograms of the length that is shown, made once.
    made: Option<PlotCache>,
}

#[derive(Debug)]
struct PlotCache {
    of: (String, Nanos, usize),
    series: Vec<(String, LogHistogram)>,
}

impl Default for View {
    fn default() -> Self {
        Self { histogram: HistogramPlot::of("Sleeps"), length: None, made: None }
    }
}

impl View {
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        run: &Run,
        report: &Report,
        (is_live, unit): (bool, Unit),
    ) {
        let Some(table) = report.tables.first() else { return };
        let response = ResultTable::new("sleep-accuracy", table, TABLE).unit(unit).show(ui);
        let selected = response.selected.and_then(|row| table.rows.get(row)?.configuration);
        if let Some(row) = selected.and_then(|position| report.rows.get(position)) {
            self.length = Some(row.period);
        }
        let bars = bars(table, report);
        if !bars.is_empty() {
            let plot = RangePlot { bars: &bars };
            Card::new("Range")
                .note("actual sleep duration")
                .show(ui, RangePlot::legend_ui, |ui| plot.ui(ui));
        }
        self.distribution_ui(ui, run, report, is_live);
    }

    fn distribution_ui(&mut self, ui: &mut Ui, run: &Run, report: &Report, is_live: bool) {
        let mut lengths: Vec<Nanos> = report
            .rows
            .iter()
            .filter(|row| matches!(row.figures, Figures::Waits(_)))
            .map(|row| row.period)
            .collect();
        lengths.sort_unstable();
        lengths.dedup();
        let Some(&last) = lengths.last() else { return };
        let mut length = self.length.filter(|length| lengths.contains(length)).unwrap_or(last);
        self.make(run, report, length);
        let Some(made) = &self.made else { return };
        let names: Vec<String> = lengths.iter().map(|length| format_setting(*length)).collect();
        let note = format!("sleep of {}", format_setting(length));
        let height = if is_live { 250.0 } else { 290.0 };
        let plot = std::cell::RefCell::new(&mut self.histogram);
        let selected = std::cell::RefCell::new(&mut length);
        Card::new("Distribution").note(&note).height(height).show(
            ui,
            |ui| {
                plot.borrow_mut().controls_ui(ui);
                let options: Vec<(Nanos, &str)> =
                    lengths.iter().copied().zip(names.iter().map(String::as_str)).collect();
                combo(ui, "Sleep", *selected.borrow_mut(), &options, 90.0);
            },
            |ui| {
                let series: Vec<HistogramSeries<'_>> = made
                    .series
                    .iter()
                    .enumerate()
                    .map(|(series, (name, histogram))| HistogramSeries { name, series, histogram })
                    .collect();
                let words = format!("Requested {}", text::duration(made.of.1));
                let marks = [PlotMark { at: made.of.1, label: &words, severity: None }];
                let height = ui.available_height();
                plot.borrow_mut().ui(ui, "sleep-distribution", height, &series, &marks);
            },
        );
        // Only a choice of the user's own is retained: without one, the longest is shown.
        if length != made.of.1 {
            self.length = Some(length);
        }
    }

    /// Makes the histograms of a length, where they are not there yet.
    fn make(&mut self, run: &Run, report: &Report, length: Nanos) {
        let of = (run.id.to_string(), length, run.sample_count());
        if self.made.as_ref().is_some_and(|made| made.of == of) {
            return;
        }
        let mut series = Vec::new();
        for row in report.rows.iter().filter(|row| row.period == length).take(MAX_SERIES) {
            let actual: Vec<i64> = row
                .trials
                .iter()
                .filter_map(|&trial| run.trials.get(trial))
                .flat_map(|trial| trial.samples.actual_nanos())
                .collect();
            let name = row.label.split_once(", ").map_or(row.label.as_str(), |(_, rest)| rest);
            let histogram = LogHistogram::of(&actual, Nanos::new(100), BINS_A_DECADE);
            let words = Spread::of(actual).map_or_else(
                || format!("{name}, nothing yet"),
                |spread| {
                    let mean = text::duration(Nanos::from_nanos_f64(spread.mean_nanos));
                    format!("{name}, average {mean}")
                },
            );
            series.push((words, histogram));
        }
        self.made = Some(PlotCache { of, series });
    }
}

/// A bar for each row of the table.
fn bars(table: &Table, report: &Report) -> Vec<RangeBar> {
    table
        .rows
        .iter()
        .filter_map(|line| {
            let row = report.rows.get(line.configuration?)?;
            let Figures::Waits(waits) = &row.figures else { return None };
            let name = row.label.split_once(", ").map_or(row.label.as_str(), |(_, name)| name);
            Some(RangeBar {
                group: format_setting(waits.requested),
                name: name.to_owned(),
                series: usize::from(!row.load.is_none()),
                requested: waits.requested,
                best: waits.actual.min,
                average: Nanos::from_nanos_f64(waits.actual.mean_nanos),
                p99: waits.actual.p99,
                worst: waits.actual.max,
            })
        })
        .collect()
}
