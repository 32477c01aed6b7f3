//! Scheduling gaps: tiles, the heat map of all CPUs over time, who had the CPUs, the table of CPUs,
//! and the histogram of gap lengths.

use std::cell::RefCell;
use std::collections::BTreeMap;

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::platform::{TraceSource, TraceState};
use jitterscope_engine::report::table::TableRow;
use jitterscope_engine::report::{
    Chart, Delay, Delays, GapTotals, LateSample, Report, Table, gap_histogram, late_samples,
    trace_state,
};
use jitterscope_engine::run::{Run, TrialRun, counter};

use super::view::{ResultView, ShownResult};
use crate::pages::rights::names_ui;
use crate::plots::{ChartCard, HeatMap, charts_ui};
use crate::session::{Action, LoadedRun, Session};
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
/// Layout of the table of who had the CPUs.
const WHO: TableLayout =
    TableLayout::of(&["name", "worst_nanos", "total_nanos", "lateness_share", "late_count"]);
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
    who: Option<Who>,
}

/// Who had the CPUs in the gaps of a run, as far as records show it.
#[derive(Debug)]
struct Who {
    /// For each trial, the gaps around which records may be saved.
    gaps: Vec<Vec<LateSample>>,
    /// The CPU that the table is about (`None`: all), its rows, and the table.
    of: Option<usize>,
    delays: Vec<Delay>,
    table: Table,
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
        if !is_live {
            self.who_ui(ui, run, report, unit);
        }
        self.table_ui(ui, report, unit);
        self.lengths_ui(ui, run, report);
        let tail: Vec<Chart> = charts.iter().filter(|chart| chart.key == "tail").cloned().collect();
        charts_ui(ui, ("scheduling-gaps", run.id.as_str()), &tail);
        if !is_live {
            stalls_ui(ui, report, unit);
        }
    }

    /// Offers names of programs where gaps have none.
    fn offers_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        shown: &LoadedRun,
        actions: &mut Vec<Action>,
    ) {
        let is_nameless = |state: TraceState| state.source < Some(TraceSource::AllSwitches);
        if !shown.report.delays.ranked.is_empty()
            && trace_state(&shown.run).is_some_and(is_nameless)
        {
            let key = shown.run.subject.key();
            names_ui(ui, session, || Action::RunAgainWithTrace(key), actions);
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

    /// Draws the table of who had the CPUs, or the selected CPU. A click on a row selects its longest gap in the map.
    fn who_ui(&mut self, ui: &mut Ui, run: &Run, report: &Report, unit: Unit) {
        if report.delays.ranked.is_empty() {
            return;
        }
        let who = self.who.get_or_insert_with(|| Who::of(run, report));
        if self.map.causes.is_empty() {
            self.map.causes = who.causes();
        }
        who.show_only(self.core, report);
        let of = self.core.and_then(|core| run.trials.get(core));
        let note = of.map_or("", |trial| trial.trial.label.as_str());
        let shown = ResultTable::new("scheduling-gaps-who", &who.table, WHO);
        let shown = ResultTable { title: "Who had the CPU", note, unit, max_rows: 8, ..shown };
        let clicked = shown.show(ui).selected.and_then(|row| who.delays.get(row));
        let longest = clicked.and_then(|delay| who.longest_of(delay));
        if let Some((trial, gap)) = longest {
            let started = self.of.1.get(trial).copied().flatten().map(Nanos::new);
            let at = gap.sample.due - started.unwrap_or_default();
            self.map.select(trial, at.as_secs());
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
                self.who = None;
            }
            let map = HeatMap::of(run, plan.duration, (plan.typical, plan.bad));
            self.map = if self.of.0 == of.0 { map.with_cells_of(&self.map) } else { map };
            self.who = None;
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

impl Who {
    /// Time: O(n log n) for n gaps around which records may be saved.
    fn of(run: &Run, report: &Report) -> Self {
        let gaps = |trial: &TrialRun| {
            trial.trial.trace_above().map_or_else(Vec::new, |above| late_samples(trial, above))
        };
        let gaps = run.trials.iter().map(gaps).collect();
        let delays = report.delays.ranked.clone();
        let table = Delay::table(&delays);
        Self { gaps, of: None, delays, table }
    }

    /// Returns the main cause of each gap, by the position of its trial and its own.
    fn causes(&self) -> BTreeMap<(usize, usize), String> {
        let each = self.gaps.iter().enumerate().flat_map(|(trial, gaps)| {
            gaps.iter().map(move |gap| ((trial, gap.index), gap.main_delay().1))
        });
        each.collect()
    }

    /// Fills the table with who had a CPU; `None` is all CPUs.
    fn show_only(&mut self, of: Option<usize>, report: &Report) {
        if self.of == of {
            return;
        }
        self.of = of;
        let gaps = of.and_then(|trial| self.gaps.get(trial));
        self.delays = gaps.map_or_else(
            || report.delays.ranked.clone(),
            |gaps| Delays::of(gaps, Nanos::ZERO).ranked,
        );
        self.table = Delay::table(&self.delays);
    }

    /// Returns the longest gap of which this source is the main cause, with its trial.
    fn longest_of(&self, delay: &Delay) -> Option<(usize, &LateSample)> {
        let all = self.gaps.iter().enumerate();
        let all = all.filter(|(trial, _)| self.of.is_none_or(|of| of == *trial));
        let each = all.flat_map(|(trial, gaps)| gaps.iter().map(move |gap| (trial, gap)));
        let main = (delay.cause, delay.name.clone());
        each.filter(|(_, gap)| gap.main_delay() == main).max_by_key(|(_, gap)| gap.sample.late())
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
    use jitterscope_engine::report::Options;

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

    /// Returns a run in which `rustc` had the first CPU in every gap, and `chrome` the others.
    fn traced() -> Run {
        use jitterscope_engine::run::Trace;
        use jitterscope_engine::sample::{TraceEvent, TraceRecord};
        let file = include_bytes!("../../../../assets/examples/scheduling-gaps.jitterscope.json");
        let mut run = jitterscope_engine::format::read(file.as_slice()).unwrap();
        for (cpu, trial) in (0_u32..).zip(&mut run.trials) {
            let facts =
                [(counter::TRACE_SOURCE, TraceSource::Kernel.number()), (counter::TRACE_THREAD, 7)];
            trial.counters.extend(facts.map(|(name, value)| (name.to_owned(), value)));
            let record = |at, event, thread, name| TraceRecord {
                at,
                event,
                cpu,
                thread: Some(thread),
                name,
                value: None,
            };
            let mut records = vec![record(Nanos::ZERO, TraceEvent::SwitchIn, 7, None)];
            for gap in trial.samples.iter() {
                records.push(record(gap.due, TraceEvent::Preempted, 7, None));
                records.push(record(gap.due, TraceEvent::SwitchIn, 40 + cpu, Some(cpu.min(1))));
                records.push(record(gap.woke, TraceEvent::SwitchIn, 7, None));
            }
            let names = ["rustc", "chrome"].map(str::to_owned).to_vec();
            trial.trace = Some(Trace::from_records(names, &records));
        }
        run
    }

    #[test]
    fn who_had_the_cpus_is_listed_for_all_of_them_and_for_one() {
        let run = traced();
        let report = Report::of(&run, &Options::default());
        let mut who = Who::of(&run, &report);
        let names = |who: &Who| -> Vec<String> {
            who.delays.iter().map(|delay| delay.name.clone()).collect()
        };
        let mut all = names(&who);
        all.sort();
        assert_eq!(all, ["chrome", "rustc"]);
        who.show_only(Some(0), &report);
        assert_eq!(names(&who), ["rustc"]);
        assert_eq!(who.table.rows.len(), 1);
        let rustc = who.delays[0].clone();
        let (trial, gap) = who.longest_of(&rustc).unwrap();
        let longest = run.trials[0].samples.iter().map(|gap| gap.late()).max();
        assert_eq!((trial, Some(gap.sample.late())), (0, longest));
        assert_eq!(who.causes()[&(0, gap.index)], "rustc");
        who.show_only(None, &report);
        assert_eq!(names(&who).len(), 2);
        assert!(who.causes().values().any(|cause| cause == "chrome"));
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
