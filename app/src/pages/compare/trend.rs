//! The tab Trend: one metric over days, runs, or builds, with the changes of its level.

use std::path::PathBuf;

use eframe::egui::{Id, Key, Ui};
use jitterscope_engine::export::csv;
use jitterscope_engine::report::comparison::MinEffect;
use jitterscope_engine::report::document::Grid;
use jitterscope_engine::report::document::trend as words;
use jitterscope_engine::report::trend::{
    NoTrend, Trend, TrendBy, TrendPoint, TrendQuery, TrendRun, metric_of,
};
use jitterscope_engine::report::{Chart, Table};
use jitterscope_engine::stats::{Outcome, distinct};

use crate::plots::ChartCard;
use crate::session::{Action, LibraryItem, Session};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{
    self, Button, Card, Help, ResultTable, Severity, Spans, TableLayout, TableResponse,
    VerdictStrip, combo, help::help_mark, visible_rows,
};

/// Height of the plot with its card, in points.
const PLOT: f32 = 372.0;
/// Maximum number of rows of the table that are shown without scrolling.
const MAX_ROWS: usize = 14;
/// Maximum number of tables: a library may have runs of thousands of PCs.
const MAX_TABLES: usize = 12;
/// Maximum number of tests with settings that can be selected; the newest ones.
const MAX_SETTINGS: usize = 30;
/// Maximum number of characters of a choice.
const MAX_CHOICE: usize = 48;

const HOW: Help<'static> = Help::new("How are changes found?", words::HOW_CHANGES_ARE_FOUND);

/// What is selected in the tab.
#[derive(Clone, Debug, Default, PartialEq)]
struct TrendChoice {
    /// The metric and its configuration; `None` for the key figure.
    metric: Option<(String, String)>,
    /// The PC; `None` for all.
    machine: Option<String>,
    by: TrendBy,
    /// The ID of the run whose test and settings are followed; `None` for the newest run.
    like: Option<String>,
    minimum: MinEffect,
}

/// A computed trend with its words.
#[derive(Debug)]
struct ShownTrend {
    trend: Trend,
    sentence: String,
    evidence: String,
    chart: Chart,
    /// The table of each line, and the names of its points.
    tables: Vec<(Table, Vec<String>)>,
}

/// A computed trend.
#[derive(Debug)]
struct ComputedTrend {
    choice: TrendChoice,
    /// The version of the list of runs.
    version: u64,
    shown: Result<ShownTrend, NoTrend>,
    /// The choices of each field, with their texts.
    metrics: Vec<(Option<(String, String)>, String)>,
    machines: Vec<(Option<String>, String)>,
    ways: Vec<(TrendBy, String)>,
    settings: Vec<(Option<String>, String)>,
}

/// State of the tab.
#[derive(Debug, Default)]
pub(super) struct TrendTab {
    choice: TrendChoice,
    computed: Option<ComputedTrend>,
    /// The PC and the name of the selected point.
    selected: Option<(String, String)>,
}

impl TrendTab {
    /// Selects the trend of the runs with the settings of a run, one point per run.
    pub(super) fn follow(&mut self, run: String) {
        let choice = TrendChoice { like: Some(run), by: TrendBy::Run, ..TrendChoice::default() };
        *self = Self { choice, ..Self::default() };
    }

    /// Draws the tab; `min_effect_ui` draws the field of the minimum effect, which comparisons share.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        actions: &mut Vec<Action>,
        min_effect_ui: fn(&mut Ui, &Session, &mut Vec<Action>),
    ) {
        let items: &[LibraryItem] = session.library.items.as_deref().unwrap_or_default();
        self.choice.minimum = session.comparing.selected.minimum;
        let version = session.library.version;
        let is_current = |computed: &ComputedTrend| {
            computed.version == version && computed.choice == self.choice
        };
        let computed = match self.computed.take().filter(is_current) {
            Some(computed) => computed,
            None => ComputedTrend::new(items, self.choice.clone(), version),
        };
        if let Err(NoTrend::Runs) = computed.shown {
            let text = "A trend follows one metric of saved runs over days or builds. Run a test or import captures first.";
            super::empty_ui(ui, ["No trend yet", text, "Open Runs"], actions);
        } else {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                self.choices_ui(ui, &computed);
                min_effect_ui(ui, session, actions);
            });
            match &computed.shown {
                Ok(shown) => self.trend_ui(ui, shown, items, actions),
                Err(why) => {
                    VerdictStrip::new(Severity::Info, "").sentence(&sentence(why)).show(ui, |_| {});
                }
            }
        }
        self.computed = Some(computed);
    }

    fn choices_ui(&mut self, ui: &mut Ui, computed: &ComputedTrend) {
        let TrendChoice { metric, machine, by, like, .. } = &mut self.choice;
        field_ui(ui, "Metric", metric, &computed.metrics, 170.0);
        field_ui(ui, "PC", machine, &computed.machines, 200.0);
        field_ui(ui, "By", by, &computed.ways, 110.0);
        field_ui(ui, "Settings", like, &computed.settings, 240.0);
    }

    fn trend_ui(
        &mut self,
        ui: &mut Ui,
        shown: &ShownTrend,
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let ShownTrend { trend, sentence, evidence, chart, tables } = shown;
        let severity = match words::direction(trend) {
            Some(Outcome::Better) => Severity::Good,
            Some(Outcome::Worse) => Severity::Fair,
            _ => Severity::Info,
        };
        VerdictStrip::new(severity, "").sentence(sentence).evidence(evidence).show(ui, |ui| {
            help_mark(ui, &HOW);
            let copy = ui.add(Button::new("Copy CSV"));
            if copy.on_hover_text("Copies all points as comma-separated values.").clicked() {
                let mut bytes = Vec::new();
                let mut trend = trend.clone();
                trend.exclude_hosts();
                // Writing to memory cannot fail.
                let _ok = csv::rows(words::COLUMNS, words::rows(&trend).into_iter(), &mut bytes);
                widgets::copy_shown(ui.ctx(), &String::from_utf8_lossy(&bytes));
            }
        });
        let marked: Vec<(f64, f64)> = self
            .selected_point(trend)
            .map(|(_, point)| (words::place(point), point.value))
            .into_iter()
            .collect();
        let card = ChartCard {
            height: PLOT,
            can_pick: true,
            marked: &marked,
            id: Id::unique(("chart", "trend", chart.key)),
            ..ChartCard::new(("trend", ""), chart)
        };
        if let Some(picked) = card.show(ui, |_| {}) {
            self.selected = point_at(trend, &picked.series, picked.from);
        }
        self.selected_ui(ui, trend, items, actions);
        for (line, (table, names)) in trend.lines.iter().zip(tables).take(MAX_TABLES) {
            let title = if trend.lines.len() == 1 { "Points" } else { line.machine.as_str() };
            let name_at = |row: usize| names.get(row);
            let own = self.selected.as_ref().filter(|(own, _)| *own == line.machine);
            let selected = own.and_then(|(_, name)| names.iter().position(|known| known == name));
            let key = format!("trend {}", line.machine);
            let response = Card::new(title).flush().show_plain(ui, |ui| {
                let rows = ResultTable::new(&key, table, TableLayout::of(&[]));
                let rows = ResultTable { selected, can_open: true, max_rows: MAX_ROWS, ..rows };
                rows.show_in_card(ui, f32::INFINITY)
            });
            let TableResponse { selected, opened } = response.inner;
            if let Some(name) = opened.or(selected).and_then(name_at) {
                self.selected = Some((line.machine.clone(), name.clone()));
            }
            let first = opened.and_then(|_| self.selected_point(trend)?.1.runs.first());
            actions.extend(first.and_then(|[id, ..]| path_of(items, id)).map(Action::OpenRun));
        }
        if MAX_TABLES < trend.lines.len() {
            let more = crate::text::count_text(trend.lines.len() - MAX_TABLES, "more PCs");
            let note = format!("{more}: select one above.");
            Spans::plain(Type::Small, &note, Tokens::of(ui).t2).paragraph(ui);
        }
        if let Some(note) = words::not_followed(trend) {
            Spans::plain(Type::Small, &note, Tokens::of(ui).t2).paragraph(ui);
        }
    }

    fn selected_point<'a>(&self, trend: &'a Trend) -> Option<(&'a str, &'a TrendPoint)> {
        let (machine, name) = self.selected.as_ref()?;
        let line = trend.lines.iter().find(|line| line.machine == *machine)?;
        Some((&line.machine, line.points.iter().find(|point| point.name == *name)?))
    }

    /// Draws the runs of the selected point, with buttons that open them. Enter opens the first one.
    fn selected_ui(
        &self,
        ui: &mut Ui,
        trend: &Trend,
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let Some((_, point)) = self.selected_point(trend) else { return };
        let note =
            point.disturbed.as_ref().map_or_else(String::new, |why| format!("disturbed: {why}"));
        Card::new(&point.name).note(&note).show_plain(ui, |ui| {
            let is_free = ui.memory(|memory| memory.focused().is_none());
            let is_entered = is_free && ui.input(|input| input.key_pressed(Key::Enter));
            let runs = point.runs.iter().zip(0..);
            visible_rows(ui, runs, size::BUTTON, |ui, ([id, name, about], at)| {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                    let open = ui.add(Button::new("Open").name(&format!("Open run {id}")));
                    if open.clicked() || (is_entered && at == 0) {
                        actions.extend(path_of(items, id).map(Action::OpenRun));
                    }
                    let tokens = Tokens::of(ui);
                    Spans::new(Type::Body)
                        .text(Type::Strong, name, tokens.t1)
                        .gap(size::GAP_SMALL)
                        .text(Type::Small, about, tokens.t2)
                        .label(ui);
                });
            });
        });
    }
}

impl ComputedTrend {
    fn new(items: &[LibraryItem], choice: TrendChoice, version: u64) -> Self {
        let all = LibraryItem::trend_runs(items);
        let mut runs = all.clone();
        runs.retain(|run| choice.machine.as_ref().is_none_or(|machine| run.machine == machine));
        let (metric, label) = choice.metric.clone().unzip();
        let query = TrendQuery {
            metric,
            label: label.filter(|label| !label.is_empty()),
            by: choice.by.clone(),
            like: choice.like.clone(),
            zone: Some(jiff::tz::TimeZone::system()),
            minimum: choice.minimum,
        };
        let shown = Trend::new(&runs, &query).map(|trend| ShownTrend {
            sentence: words::sentence(&trend),
            evidence: words::evidence(&trend, choice.minimum),
            chart: words::chart(&trend),
            tables: trend.lines.iter().map(|line| rows_of(&words::table(&trend, line))).collect(),
            trend,
        });
        let test = match &shown {
            Ok(shown) => shown.trend.test.clone(),
            Err(_) => all.first().map_or_else(String::new, |run| run.test.to_owned()),
        };
        Self {
            metrics: metrics(&all, &test),
            machines: machines(&all),
            ways: ways(&all),
            settings: settings(&all, items, choice.like.as_deref()),
            shown,
            choice,
            version,
        }
    }
}

/// Returns the table of a line, and the names of its points.
fn rows_of(grid: &Grid) -> (Table, Vec<String>) {
    let names = grid.rows.iter().filter_map(|row| row.first().cloned());
    (grid.table("Points"), names.collect())
}

/// Returns the metrics of the runs of a test, after its key figure.
fn metrics(runs: &[TrendRun<'_>], test: &str) -> Vec<(Option<(String, String)>, String)> {
    let own: Vec<TrendRun<'_>> = runs.iter().filter(|run| run.test == test).copied().collect();
    let mut all = vec![(None, "Key figure".to_owned())];
    for (key, labels) in Trend::choices(&own) {
        let Some(metric) = metric_of(test, &key) else { continue };
        for label in labels {
            let words = format!("{}, {label}", metric.title);
            all.push((Some((key.clone(), label)), crate::text::cut(&words, MAX_CHOICE)));
        }
    }
    all
}

fn machines(runs: &[TrendRun<'_>]) -> Vec<(Option<String>, String)> {
    let own = distinct(runs.iter().map(|run| run.machine.to_owned())).into_iter();
    let own = own.map(|machine| (Some(machine.clone()), machine));
    std::iter::once((None, "All PCs".to_owned())).chain(own).collect()
}

/// Returns what points can be: days, runs, and the beginnings of tags up to their colon.
fn ways(runs: &[TrendRun<'_>]) -> Vec<(TrendBy, String)> {
    let tags = runs.iter().flat_map(|run| run.tags);
    let prefixes = tags.filter_map(|tag| Some(format!("{}:", tag.split_once(':')?.0)));
    let prefixes = distinct(prefixes).into_iter().map(|prefix| {
        let words = format!("Tag {prefix}");
        (TrendBy::Tag(prefix), words)
    });
    let first = [(TrendBy::Date, "Date".to_owned()), (TrendBy::Run, "Run".to_owned())];
    first.into_iter().chain(prefixes).collect()
}

/// Returns one entry per test with its settings, by the selected run or else by the newest run that has them.
fn settings(
    runs: &[TrendRun<'_>],
    items: &[LibraryItem],
    selected: Option<&str>,
) -> Vec<(Option<String>, String)> {
    let mut newest: Vec<&TrendRun<'_>> = runs.iter().collect();
    newest.sort_by_key(|run| std::cmp::Reverse(run.started_at));
    let selected = runs.iter().find(|run| selected == Some(run.id));
    let mut known: Vec<(&str, &str)> = Vec::new();
    let mut all = vec![(None, "Newest run".to_owned())];
    for run in newest {
        if known.contains(&(run.test, run.settings)) || MAX_SETTINGS <= known.len() {
            continue;
        }
        known.push((run.test, run.settings));
        let is_alike =
            |other: &&TrendRun<'_>| (other.test, other.settings) == (run.test, run.settings);
        let run = selected.filter(is_alike).unwrap_or(run);
        let mut entries = items.iter().flat_map(|item| std::iter::once(item).chain(&item.parts));
        let entry = entries.find_map(|item| item.run.as_ref().ok().filter(|one| one.id == run.id));
        let test = entry.map_or("", |entry| entry.test_name);
        let words = crate::text::cut(&format!("{test}: {}", run.name), MAX_CHOICE);
        all.push((Some(run.id.to_owned()), words));
    }
    all
}

/// Draws a field with its choices.
fn field_ui<T: Clone + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    options: &[(T, String)],
    width: f32,
) {
    Spans::plain(Type::Small, name, Tokens::of(ui).t2).whole_label(ui);
    let options: Vec<(T, &str)> =
        options.iter().map(|(value, text)| (value.clone(), text.as_str())).collect();
    combo(ui, name, value, &options, width);
}

/// Returns the file of a run.
fn path_of(items: &[LibraryItem], id: &str) -> Option<PathBuf> {
    let mut entries = items.iter().flat_map(|item| {
        if item.is_check() { item.parts.as_slice() } else { std::slice::from_ref(item) }
    });
    let is_of_id = |item: &&LibraryItem| item.run.as_ref().is_ok_and(|run| run.id == id);
    entries.find(is_of_id).map(|item| item.path.clone())
}

/// Returns the PC and the name of the point at a position of the plot.
fn point_at(trend: &Trend, series: &str, x: f64) -> Option<(String, String)> {
    let is_here = |point: &&TrendPoint| (words::place(point) - x).abs() < 0.5;
    let is_own = |machine: &str| trend.lines.len() == 1 || machine == series;
    let in_lines = |own: bool| {
        trend.lines.iter().filter(move |line| !own || is_own(&line.machine)).find_map(|line| {
            let point = line.points.iter().find(is_here)?;
            Some((line.machine.clone(), point.name.clone()))
        })
    };
    // The series of disturbed points has no PC.
    in_lines(true).or_else(|| in_lines(false))
}

/// Returns an error as a sentence.
fn sentence(why: &NoTrend) -> String {
    format!("{}.", crate::text::capitalized(&why.to_string()))
}
