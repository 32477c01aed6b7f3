//! Scheduling gaps: tiles, the heat map of all CPUs over time, the histogram of gap lengths, and
//! the table of CPUs.

use std::cell::RefCell;

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::table::TableRow;
use jitterscope_engine::report::{Chart, GapTotals, Report, gap_histogram};
use jitterscope_engine::run::{Run, TrialRun, counter};

use super::view::{ResultView, ShownResult};
use crate::plots::{ChartCard, HeatMap, charts_ui};
use crate::text::{self, Unit};
use crate::theme::size;
use crate::widgets::card::has_controls;
use crate::widgets::{Card, Help, ResultTable, Sketch, TableLayout, Tile, combo, tile_row};

const LONGEST: Help<'static> = Help::new(
    "Longest gap",
    "An interval in which a busy thread did not run because the system used its CPU for something \
     else.",
)
.method("The longest interval between two clock reads.");
const TAKEN: Help<'static> = Help::new("Time lost", "Sum of all gaps, as a share of the test.")
    .method("Sum of gaps over runtime, of all probes.");

/// Layout of the table of CPUs.
const CPUS: TableLayout = TableLayout {
    compared: Some(&[]),
    ..TableLayout::of(&[
        "configuration",
        "longest_nanos",
        "p99_nanos",
        "gaps_count",
        "lost_share",
        "interval_average_nanos",
        "interval_std_dev_nanos",
        "grade",
    ])
};
/// Layout of the table of stalls.
const STALLS: TableLayout = TableLayout::of(&["at_nanos", "length_nanos", "cpus_count", "cpus"]);

/// State of the view that draws the result of a scheduling gaps test.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The configuration (one per CPU) whose gaps the histogram shows; `None` for all CPUs.
    core: Option<usize>,
    map: HeatMap,
    /// For each trial, the number of gaps already in the map.
    counted: Vec<usize>,
    /// The ID of the run in the map, and the start time of each of its trials; `None` until the
    /// trial has ended.
    of: (String, Vec<Option<i64>>),
    lengths: Option<Lengths>,
}

/// The histogram of gap lengths, and the number of samples and the CPU for which it was computed.
#[derive(Debug)]
struct Lengths {
    of: (usize, Option<usize>),
    chart: Option<Chart>,
}

impl ResultView for View {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        let ShownResult { run, report, charts, is_live, unit, .. } = shown;
        tiles_ui(ui, run, report);
        self.fill(run);
        let room = (ui.available_height() - 300.0).clamp(130.0, 380.0);
        let map = RefCell::new(&mut self.map);
        let note = map.borrow().note(ui);
        let image = || charts.iter().find(|chart| chart.key == "heat-map").cloned();
        Card::new("Gaps per CPU").note(&note).show(
            ui,
            |ui| map.borrow().key_ui(ui),
            |ui| {
                if !has_controls(ui) {
                    map.borrow().key_ui(ui);
                }
                map.borrow_mut().ui(ui, room, image);
            },
        );
        self.table_ui(ui, report, unit);
        self.lengths_ui(ui, run, report);
        let tail: Vec<Chart> = charts.iter().filter(|chart| chart.key == "tail").cloned().collect();
        charts_ui(ui, ("scheduling-gaps", run.id.as_str()), &tail);
        if !is_live {
            stalls_ui(ui, report, unit);
        }
    }

    fn sketch(&self) -> Sketch {
        Sketch::Strips
    }
}

impl View {
    fn table_ui(&mut self, ui: &mut Ui, report: &Report, unit: Unit) {
        let Some(table) = report.tables.first() else { return };
        let is_selected = |row: &TableRow| row.configuration == self.core && self.core.is_some();
        let selected = table.rows.iter().position(is_selected);
        let shown = ResultTable::new("scheduling-gaps", table, CPUS);
        let response = ResultTable { title: "CPUs", unit, selected, ..shown }.show(ui);
        if let Some(row) = response.selected {
            let core = table.rows.get(row).and_then(|row| row.configuration);
            self.core = if core == self.core { None } else { core };
        }
    }

    /// Adds the gaps that were recorded since the last call to the heat map; another run, or a
    /// trial whose start time is new, starts a new map.
    fn fill(&mut self, run: &Run) {
        let Some(Plan::SchedulingGaps(plan)) = run.plan() else { return };
        let started = |trial: &TrialRun| trial.counters.get(counter::STARTED_NANOS).copied();
        let of = (run.id.to_string(), run.trials.iter().map(started).collect());
        if self.of != of {
            if self.of.0 != of.0 {
                self.core = None;
                self.lengths = None;
            }
            let map = HeatMap::of(run, plan.duration, (plan.typical, plan.bad));
            self.map = if self.of.0 == of.0 { map.with_cells_of(&self.map) } else { map };
            self.counted = vec![0; run.trials.len()];
            self.of = of;
        }
        let trials = run.trials.iter().zip(&mut self.counted).zip(&self.of.1);
        for (position, ((trial, counted), started)) in trials.enumerate() {
            // While the test runs, the start time of a trial is not known yet. The start of its
            // first gap is used instead.
            let started = started.map_or_else(
                || trial.samples.get(0).map_or(Nanos::ZERO, |gap| gap.due),
                Nanos::new,
            );
            while let Some(gap) = trial.samples.get(*counted) {
                self.map.push(position, gap.due - started, gap.late());
                *counted += 1;
            }
        }
    }

    fn lengths_ui(&mut self, ui: &mut Ui, run: &Run, report: &Report) {
        let of = (run.sample_count(), self.core);
        if self.lengths.as_ref().is_none_or(|made| made.of != of) {
            let chart = gap_histogram(run, report, self.core);
            self.lengths = Some(Lengths { of, chart });
        }
        let Some(Lengths { chart: Some(chart), .. }) = &self.lengths else { return };
        let names = run.trials.iter().map(|trial| trial.trial.label.as_str());
        let cpus = names.enumerate().map(|(at, name)| (Some(at), name));
        let options: Vec<(Option<usize>, &str)> =
            std::iter::once((None, "All")).chain(cpus).collect();
        let core = &mut self.core;
        let card = ChartCard::new(("gap-lengths", run.id.as_str()), chart);
        card.show(ui, |ui| drop(combo(ui, "CPU", core, &options, 84.0)));
    }
}

fn tiles_ui(ui: &mut Ui, run: &Run, report: &Report) {
    let Some(all) = GapTotals::of(&report.rows) else { return };
    let label = report.rows.get(all.longest_row).map_or("", |row| row.label.as_str());
    let (longest, longest_unit) = text::time_parts(all.longest);
    let [mean, deviation] = mean_and_deviation(&all);
    let count = text::format_count(all.gap_count);
    // A probe reports its number of clock reads at its start, and then every second. Before the
    // first report, the number is shown as missing instead of 0.
    let readings =
        if all.readings == 0 { (text::MISSING.to_owned(), "") } else { large(all.readings) };
    let share = all.lost_share.map_or_else(|| text::MISSING.to_owned(), text::format_share);
    let is_wide = size::WIDE_FROM <= ui.content_rect().width();
    let probes = if is_wide { text::count_text(run.trials.len(), "probes") } else { String::new() };
    tile_row(
        ui,
        &[
            Tile::new("Longest gap", &longest, longest_unit).note(label).help(LONGEST),
            Tile::new("Mean gap", &mean.0, mean.1),
            Tile::new("Std dev", &deviation.0, deviation.1),
            Tile::new("Number of gaps", &count, ""),
            Tile::new("Clock reads", &readings.0, readings.1).note(&probes),
            Tile::new("Time lost", &share, "").help(TAKEN),
        ],
    );
}

/// Returns number and unit of the mean and of the standard deviation of the gaps: missing without
/// a gap, and the standard deviation also with a single gap.
fn mean_and_deviation(all: &GapTotals) -> [(String, &'static str); 2] {
    let mean = (0 < all.gap_count).then_some(all.mean_nanos);
    [mean, all.std_dev_nanos].map(|nanos| {
        nanos.map_or_else(
            || (text::MISSING.to_owned(), ""),
            |nanos| text::time_parts(Nanos::from_nanos_f64(nanos)),
        )
    })
}

/// Shortens a large count to a few digits and a word, such as `1.5` and `million`.
fn large(count: u64) -> (String, &'static str) {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let number = count as f64;
    match count {
        0..=999_999 => (text::format_count(count), ""),
        1_000_000..=999_999_999 => (format!("{:.1}", number / 1e6), "million"),
        _ => (format!("{:.2}", number / 1e9), "billion"),
    }
}

/// Draws the table of stalls (gaps on several CPUs at once), if there were any.
fn stalls_ui(ui: &mut Ui, report: &Report, unit: Unit) {
    let stalls = report.tables.iter().find(|table| table.key == "stalls");
    if let Some(stalls) = stalls.filter(|stalls| !stalls.rows.is_empty()) {
        let table = ResultTable::new("scheduling-gaps-stalls", stalls, STALLS);
        ResultTable { unit, ..table }.show(ui);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_of_too_few_gaps_are_missing() {
        let totals = |gap_count, std_dev_nanos| GapTotals {
            longest_row: 0,
            longest: Nanos::ZERO,
            gap_count,
            lost_share: None,
            readings: 1,
            mean_nanos: if gap_count == 0 { 0.0 } else { 500.0 },
            std_dev_nanos,
        };
        let numbers = |all| mean_and_deviation(&all).map(|(number, _)| number);
        assert_eq!(numbers(totals(0, None)), [text::MISSING; 2]);
        assert_eq!(numbers(totals(1, None)), ["500", text::MISSING]);
        assert_eq!(numbers(totals(2, Some(20.0))), ["500", "20"]);
    }

    #[test]
    fn map_follows_the_start_of_a_trial_once_it_is_known() {
        let file = include_bytes!("../../../../assets/examples/scheduling-gaps.jitterscope.json");
        let run = jitterscope_engine::format::read(file.as_slice()).unwrap();
        let mut live = run.clone();
        for trial in &mut live.trials {
            trial.counters.remove(counter::STARTED_NANOS);
        }
        let places = |view: &View| -> Vec<_> {
            view.map.rows.iter().map(|row| row.longest_of((0.0, 1e9), 1)).collect()
        };
        let (mut view, mut finished) = (View::default(), View::default());
        view.fill(&live);
        finished.fill(&run);
        assert_ne!(places(&view), places(&finished));
        view.fill(&run);
        assert_eq!(places(&view), places(&finished));
    }
}
