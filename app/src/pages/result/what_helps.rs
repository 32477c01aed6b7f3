//! The result of the What helps test: the changes ranked by effect with a forest plot, the plots of
//! the blocks, and the settings of a helpful change.

use eframe::egui::Ui;
use jitterscope_engine::plan::{Plan, WhatHelps};
use jitterscope_engine::report::{ChangeEffect, Chart, Language, Report, code, recommended};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::Outcome;

use super::view::{ResultView, ShownResult};
use crate::plots::charts_ui;
use crate::session::{Action, LoadedRun, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Card, ForestPlot, ResultTable, Severity, Sketch, Spans, TableLayout, segmented,
    segmented_or_combo,
};

/// The key of the test.
pub const KEY: &str = "what-helps";

/// Id of the table of changes.
const TABLE: &str = "what-helps-changes";
const CHANGES: TableLayout = TableLayout::of(&[
    "change",
    "baseline_p99_nanos",
    "with_p99_nanos",
    "effect_share",
    "effect_ci_share",
    "verdict",
    "cpu_cost_share",
    "value",
    "place",
]);

/// The columns of the table from which the forest plot is drawn, and the labels of its two sides.
const EFFECTS: ForestPlot = ForestPlot {
    value: "effect_share",
    interval: "effect_ci_share",
    verdict: "verdict",
    sides: ("less late", "later"),
};

/// Draws the button that starts `plan`, labeled with the planned duration.
pub fn start_button_ui(
    ui: &mut Ui,
    session: &Session,
    plan: &WhatHelps,
    actions: &mut Vec<Action>,
) {
    let plan = Plan::WhatHelps(plan.clone());
    let time = session.machine.facts().map_or_else(String::new, |facts| {
        let time = plan.duration(&facts.cpus) + plan.probe().follow_up_length(&facts.cpus);
        format!(" (about {})", text::format_long_time(time))
    });
    let words = format!("Test what helps{time}");
    let button = Button::new(&words).icon(icons::LIST_CHECKS);
    let about = "Measures which change of priority, pinning, spin tail, or timer reduces lateness";
    if ui.add_enabled(!session.running.is_busy(), button).on_hover_text(about).clicked() {
        actions.push(Action::SetPlan(plan));
        actions.push(Action::GoTo(PageId::Test(KEY)));
        actions.push(Action::Run(KEY));
    }
}

/// State of the view that draws the result of this test.
#[derive(Debug)]
pub(super) struct View {
    /// The programming language in which settings are shown.
    language: Language,
    /// The run, and the row of the change whose settings are shown; `None` shows the recommended
    /// change.
    applied: Option<(String, usize)>,
    /// The row of the change that was opened, stored until its frames are shown.
    opened: Option<usize>,
}

impl Default for View {
    fn default() -> Self {
        Self { language: Language::Words, applied: None, opened: None }
    }
}

impl ResultView for View {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        let ShownResult { run, report, charts, is_live, unit, .. } = shown;
        if let Some(table) = report.tables.first() {
            let table = ResultTable { unit, ..ResultTable::new(TABLE, table, CHANGES) };
            self.table_ui(ui, run, report, is_live, table);
        }
        // The chart of effects is omitted, because the table already shows the effects.
        let is_shown = |chart: &&Chart| chart.key != "effects";
        let blocks: Vec<Chart> = charts.iter().filter(is_shown).cloned().collect();
        charts_ui(ui, (KEY, run.id.as_str()), &blocks);
        if is_live {
            return;
        }
        self.apply_ui(ui, run, report);
        method_ui(ui, report);
    }

    fn offers_ui(
        &mut self,
        _ui: &mut Ui,
        _session: &Session,
        _shown: &LoadedRun,
        actions: &mut Vec<Action>,
    ) {
        let open = |change| Action::OpenChange { test: KEY, change };
        actions.extend(self.opened.take().map(open));
    }

    fn sketch(&self) -> Sketch {
        Sketch::Ranges
    }

    fn explains_denials(&self) -> bool {
        true
    }

    fn severity(&self, report: &Report) -> Option<Severity> {
        let effects = report.results::<ChangeEffect>();
        let is_any = |result| effects.iter().any(|one| one.result == result);
        Some(match report.word() {
            "Helps" => Severity::Good,
            "Denied" if is_any(Outcome::NotEvaluated) => Severity::Denied,
            "Inconclusive" => Severity::Fair,
            _ => Severity::Info,
        })
    }
}

impl View {
    /// Draws the table of changes with their effects. Selecting a row shows the settings of its
    /// change; opening a row shows its frames.
    fn table_ui(
        &mut self,
        ui: &mut Ui,
        run: &Run,
        report: &Report,
        is_live: bool,
        table: ResultTable<'_>,
    ) {
        let width = ui.content_rect().width();
        // In a window of medium width, the forest plot replaces the column of intervals; tooltips
        // show the numbers.
        let has_plot_alone = (size::MEDIUM_FROM..size::WIDE_FROM).contains(&width);
        let id = run.id.to_string();
        let applied = self.applied.as_ref().filter(|(of, _)| *of == id).map(|(_, row)| *row);
        let table = ResultTable {
            hidden: if has_plot_alone { &[EFFECTS.interval] } else { &[] },
            selected: applied,
            can_open: true,
            forest: (size::MEDIUM_FROM <= width).then_some(EFFECTS),
            ..table
        };
        let response = table.show(ui);
        let effects = report.results::<ChangeEffect>();
        let helps =
            |row: &usize| effects.get(*row).is_some_and(|effect| effect.result == Outcome::Better);
        if let Some(row) = response.selected.filter(helps) {
            self.applied = Some((id, row));
        }
        self.opened = response.opened.filter(|_| !is_live).or(self.opened);
    }

    /// Draws the settings of a helpful change, ready to copy.
    fn apply_ui(&mut self, ui: &mut Ui, run: &Run, report: &Report) {
        let effects = report.results::<ChangeEffect>();
        let helping: Vec<(usize, &ChangeEffect)> =
            effects.iter().enumerate().filter(|(_, one)| one.result == Outcome::Better).collect();
        let Some(best) = recommended(effects) else { return };
        let id = run.id.to_string();
        let best = effects.iter().position(|one| one == best).unwrap_or(0);
        let (_, mut selected) =
            self.applied.take().filter(|(of, _)| *of == id).unwrap_or((id.clone(), best));
        let Some(effect) = effects.get(selected) else { return };
        let lines = code(run, report, effect, self.language).join("\n");
        let note = effect.full_name();
        let font = if self.language == Language::Words { Type::Body } else { Type::Mono };
        let language = &mut self.language;
        Card::new("Apply it").note(&note).show(
            ui,
            |ui| {
                let copy = Button::new("Copy").icon(icons::COPY).name("Copy settings");
                if ui.add(copy).clicked() {
                    ui.ctx().copy_text(lines.clone());
                }
                let all = Language::ALL.map(|one| (one, one.name()));
                segmented(ui, "Language", language, &all);
            },
            |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
                if 1 < helping.len() {
                    let names: Vec<(usize, &str)> =
                        helping.iter().map(|(at, one)| (*at, short(one))).collect();
                    segmented_or_combo(ui, "Change", &mut selected, &names);
                }
                let tokens = Tokens::of(ui);
                let width = ui.available_width();
                for line in lines.lines() {
                    Spans::plain(font, line, tokens.t1).paragraph_within(ui, width);
                }
                let known = risks(effect);
                for (severity, words) in known {
                    Spans::new(Type::Small)
                        .severity(severity, size::GAP_LABEL, tokens)
                        .text(Type::Small, &words, tokens.t2)
                        .paragraph_within(ui, width);
                }
            },
        );
        self.applied = Some((id, selected));
    }
}

/// Returns a short name of a change.
fn short(effect: &ChangeEffect) -> &'static str {
    if effect.is_together { "All together" } else { effect.name() }
}

/// Returns the costs and known risks of a change.
fn risks(effect: &ChangeEffect) -> Vec<(Severity, String)> {
    use jitterscope_engine::plan::SettingChange;
    let has = |change| effect.changes.contains(&change);
    let mut risks = Vec::new();
    if let Some(cost) = effect.cpu_cost.filter(|cost| 0.001 <= *cost) {
        let share = text::format_share(cost);
        risks.push((
            Severity::Info,
            format!("Uses {share} of one CPU in addition, and some battery."),
        ));
    }
    if has(SettingChange::SpinTail) {
        let words = "Where all CPUs are busy, a spin tail can itself make frames late. Test again under such a load.";
        risks.push((Severity::Fair, words.to_owned()));
    }
    if has(SettingChange::Highest) || has(SettingChange::TimeCritical) {
        let words =
            "A real-time thread that does not sleep stops other programs. Keep its work short.";
        risks.push((Severity::Fair, words.to_owned()));
    }
    if has(SettingChange::NoDeepIdle) {
        let words =
            "No deep idle affects the whole PC for as long as it is held, and uses more power.";
        risks.push((Severity::Fair, words.to_owned()));
    }
    risks
}

/// Draws how the result was determined: blocks, confidence interval, verdict, and resolution, one
/// line each.
fn method_ui(ui: &mut Ui, report: &Report) {
    let effects = report.results::<ChangeEffect>();
    let Some(row) = report.rows.first() else { return };
    let blocks = row.trials.len();
    let frames = row.summary.as_ref().map_or(0, |summary| summary.lateness.count);
    let tested = effects.iter().filter(|one| one.effect.is_some() && !one.is_together).count();
    let mut lines = vec![
        (
            "Blocks",
            format!(
                "{} interleaved blocks of each, in randomized order, {} frames per row.",
                text::format_count(blocks),
                text::format_count(frames)
            ),
        ),
        (
            "Interval",
            format!(
                "Simultaneous 95% CI: Student's t over the rounds, Holm's correction for {} changes.",
                text::format_count(tested)
            ),
        ),
        ("Verdict", "“Helps”: the interval is below 0 and the effect is at least 10%.".to_owned()),
    ];
    if let Some(smallest) = effects.iter().find_map(|one| one.smallest) {
        let share = text::format_share(smallest);
        lines.push((
            "Resolution",
            format!("The smallest effect that these rounds can show is {share}."),
        ));
    }
    if effects.iter().any(|one| one.is_together) {
        lines.push(("Together", "Measured afterward, with a separate baseline.".to_owned()));
    }
    Card::new("How it was measured").show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        let width = ui.available_width();
        for (name, words) in &lines {
            Spans::plain(Type::LabelStrong, name, tokens.t1)
                .gap(size::GAP_FIELD)
                .text(Type::Small, words, tokens.t2)
                .paragraph_within(ui, width);
        }
    });
}
