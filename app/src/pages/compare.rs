//! The comparison page: differences in machine and settings, results, and overlaid curves.

mod cards;
mod checks;
mod conditions;
mod groups;
mod plots;
mod trend;

use std::sync::{Arc, Weak};

use eframe::egui::{Align, Layout, ScrollArea, Ui, vec2};
use jitterscope_engine::report::Table;
use jitterscope_engine::report::comparison::{ComparedRow, Delta, MinEffect, Variation};
use jitterscope_engine::report::document::Statement;
use jitterscope_engine::stats::{LowDefinition, Outcome, Statistic};

use super::export::export_buttons;
use super::page_frame;
use crate::session::{Action, ComparisonView, PageId, Progress, Session, Subject};
use crate::text::compare::{self as words, ComparisonSet, Difference};
use crate::text::low;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Card, EmptyState, FollowFocus as _, ResultTable, Severity, Spans, TableLayout,
    VerdictStrip, combo, link, segmented,
};
use conditions::ShownConditions;
use groups::GroupChoice;
use trend::TrendTab;

/// Number of times that "Re-run interleaved" measures the settings of each run.
const TURNS: u32 = 5;

/// Number of notes on a comparison that are shown at first: every disturbed run of a group has one.
const MAX_NOTES: usize = 4;

/// What the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CompareTab {
    /// The comparison of single runs.
    #[default]
    Runs,
    /// The comparison of groups of runs.
    Groups,
    Trend,
}

/// State of the comparison page.
#[derive(Debug, Default)]
pub struct ComparePage {
    tab: CompareTab,
    trend: TrendTab,
    /// The number of the newest comparison that the page showed, which a new one follows.
    comparison: u64,
    /// The displayed configuration, as its position among the compared ones.
    row: usize,
    differences: Option<ShownDifferences>,
    groups: GroupChoice,
    conditions: ShownConditions,
    /// Whether all notes on the comparison are shown.
    has_all_notes: bool,
    /// Whether timelines are aligned by the clock instead of by their starts.
    is_by_clock: bool,
    /// The IDs of the runs to which the fields above apply.
    shown: Option<Vec<String>>,
}

/// The table of differences, and what it shows.
#[derive(Debug)]
struct ShownDifferences {
    compared: Weak<ComparisonView>,
    row: usize,
    low: LowDefinition,
    table: Table,
}

impl ComparePage {
    /// Draws the comparison, its progress, or the reason why there is none.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, |ui| {
            page_frame().show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_CARD;
                let newest = session.comparing.number;
                let is_of_groups = session.comparing.is_of_groups();
                if self.comparison != newest {
                    self.tab = if is_of_groups { CompareTab::Groups } else { CompareTab::Runs };
                    (self.comparison, self.groups.is_choosing) = (newest, false);
                }
                self.tabs_ui(ui, is_of_groups);
                match self.tab {
                    CompareTab::Trend => {
                        self.trend.ui(ui, session, actions, min_effect_ui);
                        return;
                    }
                    CompareTab::Runs if is_of_groups => {
                        nothing_ui(ui, session, actions);
                        return;
                    }
                    CompareTab::Groups if !is_of_groups => {
                        self.groups.ui(ui, session, actions);
                        nothing_ui(ui, session, actions);
                        return;
                    }
                    CompareTab::Groups if self.groups.is_choosing => {
                        self.groups.ui(ui, session, actions);
                    }
                    CompareTab::Groups | CompareTab::Runs => {}
                }
                match &session.comparing.progress {
                    Progress::Nothing => {
                        self.groups.ui(ui, session, actions);
                        nothing_ui(ui, session, actions);
                    }
                    Progress::Loading => {
                        VerdictStrip::new(Severity::Info, "")
                            .icon(icons::HOURGLASS_MEDIUM)
                            .sentence("Opening and comparing the runs")
                            .show(ui, |_| {});
                    }
                    Progress::Failed(why) => {
                        let sentence = "These runs cannot be compared.";
                        VerdictStrip::new(Severity::Poor, "Not opened")
                            .sentence(sentence)
                            .evidence(why)
                            .show(ui, |ui| {
                                if ui.add(Button::new("Select runs")).clicked() {
                                    actions.push(Action::GoTo(PageId::Runs));
                                }
                            });
                    }
                    Progress::Checks(compared) => {
                        checks::ui(ui, session, &Arc::clone(compared), actions);
                    }
                    Progress::Done(compared) => {
                        let compared = Arc::clone(compared);
                        self.compared_ui(ui, session, &compared, actions);
                    }
                }
            });
        });
    }

    /// Draws the tabs. While groups are compared, others can be selected.
    fn tabs_ui(&mut self, ui: &mut Ui, is_of_groups: bool) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_GROUP;
            let tabs = [
                (CompareTab::Runs, "Runs"),
                (CompareTab::Groups, "Groups"),
                (CompareTab::Trend, "Trend"),
            ];
            segmented(ui, "Comparison", &mut self.tab, &tabs);
            if self.tab == CompareTab::Groups && is_of_groups {
                let words = if self.groups.is_choosing { "Cancel" } else { "Select other groups" };
                self.groups.is_choosing ^= link(ui, words).clicked();
            }
        });
    }

    /// Selects the tab Trend, with the test and the settings of the run with this ID.
    pub fn show_trend(&mut self, run: String) {
        self.tab = CompareTab::Trend;
        self.trend.follow(run);
    }

    fn compared_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        compared: &Arc<ComparisonView>,
        actions: &mut Vec<Action>,
    ) {
        let shown: Vec<String> =
            compared.runs.iter().map(|shown| shown.run.id.to_string()).collect();
        if self.shown.as_ref() != Some(&shown) {
            *self = Self {
                conditions: self.conditions,
                tab: self.tab,
                comparison: self.comparison,
                trend: std::mem::take(&mut self.trend),
                groups: std::mem::take(&mut self.groups),
                shown: Some(shown),
                ..Self::default()
            };
        }
        match compared.groups() {
            Some(groups) => self.groups.cards_ui(ui, session, &groups, actions),
            None => cards::ui(ui, session, compared, actions),
        }
        self.strip_ui(ui, session, compared, actions);
        self.notes_ui(ui, &words::remarks(&compared.comparison));
        pairs_ui(ui, compared);
        let row = compared.comparison.rows.get(self.row);
        // The table of differences and the conditions are side by side only if no column of the
        // table is truncated. Three or four runs need the full width.
        let left = ((ui.available_width() - size::GAP_CARD) * 0.64).floor();
        let inside = left - 2.0 * f32::from(size::CARD_PADDING);
        let is_wide = compared.comparison.count < 3 && SIDE_BY_SIDE <= inside;
        if let Some(row) = row.filter(|_| is_wide) {
            let rows = f32::from(u16::try_from(row.figures.len()).unwrap_or(u16::MAX));
            let height = size::CARD_HEADER + size::TABLE_HEADER + rows * size::TABLE_ROW + 12.0;
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                let down = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(left, height), down, |ui| {
                    self.differences_ui(ui, session, compared, row);
                });
                ui.vertical(|ui| {
                    let rows = Some(row.figures.len());
                    conditions::ui(ui, &compared.comparison, &mut self.conditions, rows);
                });
            });
        } else {
            if let Some(row) = row {
                self.differences_ui(ui, session, compared, row);
            }
            conditions::ui(ui, &compared.comparison, &mut self.conditions, None);
        }
        if let Some((row, curves)) = row.zip(compared.curves.get(self.row)) {
            self.plots_ui(ui, compared, row, curves);
        }
    }

    /// Draws the first notes on the comparison, and a link that shows the others.
    fn notes_ui(&mut self, ui: &mut Ui, notes: &[String]) {
        if notes.is_empty() {
            return;
        }
        let most = if self.has_all_notes { notes.len() } else { MAX_NOTES };
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
            ui.spacing_mut().interact_size.y = Type::Small.line_height();
            for note in notes.iter().take(most) {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                    Severity::Info.icon_ui(ui, size::ICON_SMALL);
                    let color = Tokens::of(ui).t2;
                    Spans::plain(Type::Small, note, color).paragraph(ui);
                });
            }
            if most < notes.len() && link(ui, &format!("Show all {} notes", notes.len())).clicked()
            {
                self.has_all_notes = true;
            }
        });
    }

    fn differences_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        compared: &Arc<ComparisonView>,
        row: &ComparedRow,
    ) {
        let (at, low) = (self.row, session.settings().low);
        let is_shown = |shown: &ShownDifferences| {
            let is_same = std::ptr::eq(shown.compared.as_ptr(), Arc::as_ptr(compared));
            is_same && (shown.row, shown.low) == (at, low)
        };
        let shown = self.differences.take().filter(is_shown).unwrap_or_else(|| ShownDifferences {
            compared: Arc::downgrade(compared),
            row: at,
            low,
            table: table(compared, row, low),
        });
        differences_ui(ui, &shown.table);
        self.differences = Some(shown);
    }

    fn strip_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        compared: &ComparisonView,
        actions: &mut Vec<Action>,
    ) {
        let comparison = &compared.comparison;
        let sets = [ComparisonSet { part: None, comparison, runs: &[] }];
        let Statement { sentence, evidence, .. } = words::statement(&sets);
        let severity = match words::overall(&sets) {
            Some(Outcome::Better) => Severity::Good,
            Some(Outcome::Worse) => Severity::Fair,
            _ => Severity::Info,
        };
        VerdictStrip::new(severity, "").sentence(&sentence).evidence(&evidence).show(ui, |ui| {
            let labels: Vec<(usize, &str)> =
                (0..).zip(comparison.rows.iter().map(|row| row.label.as_str())).collect();
            if 1 < labels.len() {
                let color = Tokens::of(ui).t2;
                Spans::plain(Type::Small, "Configuration", color).whole_label(ui);
                combo(ui, "Configuration", &mut self.row, &labels, 180.0);
            }
            min_effect_ui(ui, session, actions);
            let key = |at: usize| compared.runs.get(at).map(|shown| shown.run.subject.key());
            let can_run = compared.runs.iter().all(|shown| shown.run.plan().is_some())
                && compared.runs.len() == 2
                && key(0) == key(1);
            if can_run && compared.group_counts.is_none() && !session.running.is_busy() {
                let name = "Re-run interleaved";
                let is_unknown = comparison.variation == Variation::Unknown;
                let again = if is_unknown { Button::primary(name) } else { Button::new(name) };
                let again = again.icon(icons::ARROWS_LEFT_RIGHT);
                let times = TURNS;
                let hint = format!(
                    "Re-runs the settings of A and B {times} times each, interleaved, so that drift affects \
                     both equally and run-to-run variation is measured."
                );
                if ui.add(again).on_hover_text(hint).clicked() {
                    actions.push(Action::Alternate(times));
                }
            }
            export_buttons(ui, &Subject::Comparison, actions);
        });
    }
}

/// Minimum effects that can be selected, in thousandths of the baseline; `None` is the default of each kind of metric.
const MIN_EFFECTS: [(Option<u16>, &str); 7] = [
    (None, "By kind"),
    (Some(5), "0.5%"),
    (Some(10), "1%"),
    (Some(20), "2%"),
    (Some(50), "5%"),
    (Some(100), "10%"),
    (Some(200), "20%"),
];

/// Draws the field for the minimum effect: the smallest change that matters.
fn min_effect_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let minimum = session.comparing.selected.minimum;
    let of = |share: Option<u16>| share.map(|share| f64::from(share) / 1e3);
    let is_set = |(share, _): &&(Option<u16>, &str)| of(*share) == minimum.share;
    let before = MIN_EFFECTS.iter().find(is_set).and_then(|(share, _)| *share);
    let mut share = before;
    Spans::plain(Type::Small, "Minimum effect", Tokens::of(ui).t2).whole_label(ui);
    let help = "The smallest change that matters, as a share of the value of A or of the baseline. By kind: 10% for lateness, overshoot, and \
                gaps, 1% for frame times and frame rates, and always 1 percentage point for shares.";
    combo(ui, "Minimum effect", &mut share, &MIN_EFFECTS, 90.0).on_hover_text(help);
    if share != before {
        actions.push(Action::SetMinEffect(MinEffect { share: of(share), ..minimum }));
    }
}

/// Draws the outcome of every pair of runs, if more than two runs are compared.
fn pairs_ui(ui: &mut Ui, compared: &ComparisonView) {
    if compared.pairs.is_empty() {
        return;
    }
    Card::new("All pairs").note("over all configurations").show_plain(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_GROUP;
            for (first, second, outcome) in &compared.pairs {
                let color = Tokens::of(ui).t1;
                let (first, second) = (words::letter(*first), words::letter(*second));
                let words = format!(
                    "{second} compared with {first}: {}",
                    outcome.words()[1].to_lowercase()
                );
                Spans::plain(Type::Body, &words, color).whole_label(ui);
            }
        });
    });
}

/// Shows a title and a text where there is nothing to show yet, and a button that opens the page Runs.
fn empty_ui(ui: &mut Ui, [title, text, button]: [&'static str; 3], actions: &mut Vec<Action>) {
    ui.add_space((ui.available_height() * 0.2).min(120.0));
    let empty = EmptyState { icon: icons::COLUMNS, title, text, button, sketch: None };
    if empty.show(ui).is_some_and(|button| button.clicked()) {
        actions.push(Action::GoTo(PageId::Runs));
    }
}

fn nothing_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let text = "Select 2 to 4 runs of the same test, set 2 to 6 groups of runs as A, B, and so on, or drop report files here.";
    empty_ui(ui, ["Nothing to compare yet", text, "Select runs"], actions);
    if let [path] = session.comparing.selected.paths.as_slice() {
        let name = cards::name_of(session, path);
        let color = Tokens::of(ui).t2;
        let note = format!("Add at least one more run to compare with {name}.");
        ui.vertical_centered(|ui| ui.label(Type::Small.text(note).color(color)));
    }
}

/// Maximum number of rows that are shown without scrolling.
const MAX_ROWS: usize = 24;

/// Returns the table of differences; `by` is the definition of the 1% low.
fn table(compared: &ComparisonView, row: &ComparedRow, by: LowDefinition) -> Table {
    words::difference_table(&compared.comparison, row, &differences(compared, row, by))
}

/// Draws the table of differences.
fn differences_ui(ui: &mut Ui, table: &Table) {
    Card::new(table.title).note(&table.note).flush().show_plain(ui, |ui| {
        let rows = ResultTable::new("differences", table, TableLayout::of(&[]));
        ResultTable { max_rows: table.rows.len().min(MAX_ROWS), ..rows }
            .show_in_card(ui, f32::INFINITY);
    });
}

/// Returns the metrics with their changes. The 1% and 0.1% lows use the selected definition; all other metrics are as
/// compared.
fn differences(compared: &ComparisonView, row: &ComparedRow, by: LowDefinition) -> Vec<Difference> {
    let mut differences = Difference::all(row);
    for one in &mut differences {
        if !matches!(one.figure.metric.statistic, Statistic::Low(_)) {
            continue;
        }
        one.definition = format!("{} {}", one.definition, low::in_use(by));
        if by != LowDefinition::default() {
            let why = |delta: &Option<Delta>| {
                let evaluated = delta.filter(|delta| delta.result != Outcome::NotEvaluated);
                evaluated.map(|delta| low::why_not_evaluated(&words::result(&delta)))
            };
            one.why = one.figure.deltas.iter().map(why).collect();
            let baseline = compared.comparison.baseline;
            one.figure = low::compared(&one.figure, &compared.items(row), baseline, by);
        }
    }
    differences
}

/// Returns the minimum width at which the table of two runs is next to the conditions.
const SIDE_BY_SIDE: f32 = 92.0 + 2.0 * 62.0 + 342.0 + 124.0 + 7.0 * size::GAP_SMALL;
