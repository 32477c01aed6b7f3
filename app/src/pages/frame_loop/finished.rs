//! The result: verdict, table and overlays of several configurations, or one configuration in full.

use std::cell::RefCell;

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::{Series, of_histograms, of_tails};
use jitterscope_engine::report::{Caution, Chart, Configuration, PacedFigures, Report};
use jitterscope_engine::run::{Run, TrialRun};
use jitterscope_engine::stats::{LogHistogram, Sorted, tail_points};

use super::late_frames::LateFrames;
use super::running::{BINS_A_DECADE, FIRST_BIN, mark_frame};
use super::tiles::{self, LastTile};
use super::who::Who;
use super::{FrameLoopPage, KEY, LivePlots, figures, late, severity_of};
use crate::pages::export::export_buttons;
use crate::pages::grading::grading_ui;
use crate::plots::{ChartPick, LiveWindow, Timeline, TimelineData, pickable_charts_ui};
use crate::session::{Action, LoadedRun, Session, Subject};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::card::has_controls;
use crate::widgets::{Button, Card, Severity, Spans, VerdictStrip, link};

/// The most curves that are laid over each other.
const MAX_CURVES: usize = 4;
/// Points of a tail curve.
const TAIL_POINTS: usize = 200;

/// The charts of the checked configurations, made once, until others are checked.
#[derive(Debug)]
pub(super) struct Curves {
    of: (String, Vec<usize>),
    charts: Vec<Chart>,
}

impl FrameLoopPage {
    /// Draws the result.
    pub(super) fn finished_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        shown: &LoadedRun,
        is_changed: bool,
        actions: &mut Vec<Action>,
    ) {
        let report = &shown.report;
        strip_ui(ui, report, actions);
        notes_ui(ui, session, (KEY, shown), is_changed, actions);
        refused_ui(ui, report);
        self.result_ui(ui, shown);
        self.untraced_ui(ui, session, report, actions);
        if let Some(annotations) = self.timeline.take_annotations() {
            actions.push(Action::Annotate { test: KEY, annotations });
        }
        trust_ui(ui, report);
    }

    /// Draws what was measured, without the verdict.
    pub(in crate::pages) fn result_ui(&mut self, ui: &mut Ui, shown: &LoadedRun) {
        let (run, report) = (&shown.run, &shown.report);
        let single = match report.rows.as_slice() {
            [_] => Some(0),
            rows => self.opened.filter(|opened| *opened < rows.len()),
        };
        match single.and_then(|at| Some((at, report.rows.get(at)?))) {
            Some((at, row)) => {
                self.single_ui(ui, run, row, 1 < report.rows.len());
                self.distribution_ui(ui, (run, report), at);
                figures::ui(ui, report, at);
            }
            None => self.matrix_ui(ui, run, report),
        }
    }

    /// States that frames were late without a trace, and offers to measure again with one where this PC records one.
    fn untraced_ui(
        &self,
        ui: &mut Ui,
        session: &Session,
        report: &Report,
        actions: &mut Vec<Action>,
    ) {
        let is_single = report.rows.len() == 1 || self.opened.is_some();
        let is_traced = self.image.as_ref().is_none_or(|image| image.who.state().is_some());
        if !is_single || is_traced || self.late.is_empty() || !has_controls(ui) {
            return;
        }
        let has_source = session.facts().is_some_and(|facts| facts.trace.source.is_some());
        if late::untraced_ui(ui, has_source) {
            actions.push(Action::RunAgainWithTrace(KEY));
        }
    }

    fn matrix_ui(&mut self, ui: &mut Ui, run: &Run, report: &Report) {
        let plotted = self.plotted.get_or_insert_with(|| default_plotted(report));
        if let Some(opened) = figures::matrix_ui(ui, report, plotted, self.unit) {
            self.opened = Some(opened);
            self.selected = None;
        }
        let plotted = plotted.clone();
        if let Some(pick) = self.curves_ui(ui, (run, report), plotted) {
            self.opened = report.rows.iter().position(|row| row.label == pick.series);
            self.selected = None;
            self.picked = Some(pick);
        }
    }

    /// The distributions of these configurations. Returns a bar or a point that was selected.
    fn curves_ui(
        &mut self,
        ui: &mut Ui,
        (run, report): (&Run, &Report),
        plotted: Vec<usize>,
    ) -> Option<ChartPick> {
        let of = (run.id.to_string(), plotted);
        if self.curves.as_ref().is_none_or(|curves| curves.of != of) {
            self.curves = Some(Curves { charts: charts(run, report, &of.1), of });
        }
        let charts = &self.curves.as_ref()?.charts;
        pickable_charts_ui(ui, ("frame-loop", run.id.as_str()), (charts, true))
    }

    /// The distribution of one configuration; what is selected in it is marked in the timeline.
    fn distribution_ui(&mut self, ui: &mut Ui, of: (&Run, &Report), configuration: usize) {
        let picked = self.curves_ui(ui, of, vec![configuration]);
        if let Some((pick, image)) = picked.or(self.picked.take()).zip(self.image.as_ref()) {
            self.timeline.mark(ui, &image.data, &pick);
        }
    }

    /// Moves the view where the selected frame is out of sight.
    fn bring_selected_into_view(&mut self) {
        let sample = self.selected.zip(self.image.as_ref());
        if let Some((secs, ..)) = sample.and_then(|(index, image)| image.data.sample(index)) {
            self.timeline.bring_into_view(secs);
        }
    }

    /// Lists the frames that are later than the limit in the field.
    fn count_late(&mut self, trial: &TrialRun) {
        let is_counted = self.late_threshold == self.late.threshold();
        if is_counted && self.culprit.as_ref() == self.late.culprit() {
            return;
        }
        if !is_counted {
            self.late = LateFrames::of(trial, self.late_threshold);
            self.selected = self.selected.filter(|at| self.late.get(*at).is_some());
        }
        self.late.show_only(self.culprit.clone());
        if let Some(image) = &mut self.image {
            image.data.mark_late(self.late.all_shown());
        }
    }

    fn single_ui(&mut self, ui: &mut Ui, run: &Run, row: &Configuration, has_others: bool) {
        if has_others {
            ui.horizontal(|ui| {
                if ui.add(Button::new("All configurations").icon(icons::ARROW_LEFT)).clicked() {
                    self.opened = None;
                    self.selected = None;
                }
                let color = Tokens::of(ui).t1;
                Spans::new(Type::Strong).text(Type::Strong, &row.label, color).whole_label(ui);
                let granted = format!("{} → {}", row.conditions, row.applied_text());
                let color = Tokens::of(ui).t2;
                Spans::new(Type::Small).text(Type::Small, &granted, color).label(ui);
            });
        }
        tiles::ui(ui, Some(row), LastTile::StdDev);
        tiles::rates_ui(ui, row, self.low);
        let Some((position, trial)) =
            row.trials.first().and_then(|&at| Some((at, run.trials.get(at)?)))
        else {
            return;
        };
        let of = (run.id.to_string(), position, true);
        let is_other =
            |image: &LivePlots| image.of != of || image.data.late_limit() != row.late_limit;
        if self.image.as_ref().is_none_or(is_other) {
            let data = TimelineData::new(row.period, row.late_limit);
            let mut made = LivePlots::new(of, data);
            made.data.extend(&trial.samples);
            self.late_threshold = late::default_limit(row, trial);
            self.late = LateFrames::of(trial, self.late_threshold);
            self.culprit = None;
            made.data.mark_late(self.late.all_shown());
            made.who = Who::of(run, trial);
            self.timeline = Timeline::of_lateness();
            self.timeline.has_below = !made.who.is_empty();
            self.image = Some(made);
            // An image explains the worst frame.
            let worst = self.late.shown(0).filter(|_| !has_controls(ui));
            self.selected = worst.map(|worst| worst.index);
        }
        let Some(image) = &mut self.image else { return };
        self.timeline.selected = self.selected;
        self.timeline.annotate(&run.annotations, position);
        image.who.prepare(ui, &self.timeline, (trial, &self.late));
        let (who, data, below) = (&image.who, &image.data, image.who.height());
        let state = who.state().cloned();
        let hint = if has_controls(ui) { " · click a marker for details" } else { "" };
        let note = format!(
            "{}, {} frames{hint}",
            text::sentence_duration(trial.samples.last().map_or(Nanos::ZERO, |last| last.done)),
            text::count(u64::try_from(trial.samples.len()).unwrap_or(0)),
        );
        let is_enlarged = self.timeline.is_enlarged;
        let height = if is_enlarged {
            ui.available_height().max(230.0 + below)
        } else {
            (ui.available_height() - 280.0 - below).clamp(230.0, 420.0) + below
        };
        let timeline = RefCell::new(&mut self.timeline);
        let (late, mut stepped) = (&self.late, self.selected);
        let culprit = RefCell::new(&mut self.culprit);
        let clicked = Card::new("Timeline")
            .note(&note)
            .height(height)
            .show(
                ui,
                |ui| {
                    late::filter_ui(ui, *culprit.borrow_mut());
                    timeline.borrow_mut().controls_ui(ui, false);
                    late::stepper_ui(ui, late, row.late_limit, &mut stepped);
                },
                |ui| {
                    let height = ui.available_height() - below;
                    let clicked = timeline.borrow_mut().ui(ui, height, data, LiveWindow::Ended);
                    who.ui(ui, *timeline.borrow(), data);
                    clicked
                },
            )
            .inner;
        if clicked.is_some() || stepped != self.selected {
            self.selected = clicked.or(stepped);
            self.bring_selected_into_view();
        }
        let before = self.selected;
        late::step_by_key(ui, &self.late, &mut self.selected);
        if !is_enlarged {
            let threshold = &mut self.late_threshold;
            let selected = (&mut self.selected, &mut self.culprit);
            // Every frame is looked at, so only once the limit is, not at each digit on the way.
            if !late::ui(ui, (row, trial), (&self.late, state.as_ref()), threshold, selected) {
                self.count_late(trial);
            }
        }
        if self.selected != before {
            self.bring_selected_into_view();
        }
    }
}

/// Returns the configurations that are plotted first: the first one, the best and the worst.
fn default_plotted(report: &Report) -> Vec<usize> {
    let mut plotted: Vec<usize> = Vec::new();
    for row in [report.rows.first(), report.worst(), report.best()].into_iter().flatten() {
        let at = report.rows.iter().position(|one| one.label == row.label);
        plotted.extend(at.filter(|at| !plotted.contains(at)));
    }
    plotted
}

/// The distributions of configurations over each other, with the line of a whole frame.
fn charts(run: &Run, report: &Report, plotted: &[usize]) -> Vec<Chart> {
    let rows = plotted.iter().filter_map(|&at| report.rows.get(at)).take(MAX_CURVES);
    let (mut counted, mut tails) = (Vec::new(), Vec::new());
    for row in rows {
        let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
        let late: Vec<i64> = trials.flat_map(|trial| trial.samples.late_nanos()).collect();
        counted.push((row.label.as_str(), LogHistogram::of(&late, FIRST_BIN, BINS_A_DECADE)));
        let tail = Sorted::of(late).map(|sorted| tail_points(&sorted, TAIL_POINTS));
        tails.extend(tail.map(|points| Series::new(&row.label, points)));
    }
    let counted: Vec<(&str, &LogHistogram)> =
        counted.iter().map(|(label, histogram)| (*label, histogram)).collect();
    let histogram =
        of_histograms("histogram", "Lateness histogram", ("Lateness", "Frames"), &counted);
    let tail = of_tails("tail", "Tail distribution", ("Lateness", "Share of frames"), tails);
    let period = report.rows.first().map_or(Nanos::ZERO, |row| row.period);
    let mut charts: Vec<Chart> = histogram.into_iter().chain(tail).collect();
    for chart in &mut charts {
        mark_frame(chart, period);
    }
    charts
}

fn strip_ui(ui: &mut Ui, report: &Report, actions: &mut Vec<Action>) {
    VerdictStrip::new(severity_of(report.verdict.grade), report.word())
        .sentence(&report.sentence())
        .evidence(&report.evidence())
        .show(ui, |ui| {
            grading_ui(ui, report);
            export_buttons(ui, &Subject::Result(KEY), actions);
        });
}

/// States that the settings were changed since, and offers those of the result.
pub(in crate::pages) fn notes_ui(
    ui: &mut Ui,
    session: &Session,
    (key, shown): (&'static str, &LoadedRun),
    is_changed: bool,
    actions: &mut Vec<Action>,
) {
    if is_changed {
        ui.horizontal(|ui| {
            let color = Tokens::of(ui).t2;
            let note = "These results were measured with different settings.";
            Spans::new(Type::Small).text(Type::Small, note, color).whole_label(ui);
            let machine = session.facts().map(|facts| facts.machine.short());
            let is_here = machine.is_none_or(|machine| machine == shown.run.machine.short());
            let words = if is_here { "Restore settings" } else { "Use this report's settings" };
            if link(ui, words).clicked() {
                actions.push(Action::ShowSettingsOfResult(key));
            }
        });
    }
}

/// What was refused, why, and what would grant it.
pub(in crate::pages) fn refused_ui(ui: &mut Ui, report: &Report) {
    let refused: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.granted.is_some() && !row.is_as_requested()).collect();
    let Some(first) = refused.first() else { return };
    let Some(granted) = &first.granted else { return };
    let names: Vec<&str> = refused.iter().map(|row| row.label.as_str()).collect();
    let sentence = match refused.len() {
        1 => format!("{} did not run as requested. It is marked and not graded.", names.join("")),
        count => format!(
            "{count} configurations did not run as requested. They are marked and not graded."
        ),
    };
    let mut reasons: Vec<String> = Vec::new();
    for refusal in
        refused.iter().filter_map(|row| row.granted.as_ref()).flat_map(|granted| &granted.refusals)
    {
        let reason = refusal.to_string();
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    if granted.demoted {
        reasons.insert(0, "the watchdog revoked real-time priority".to_owned());
    }
    let remedy = granted.refusals.iter().find(|refusal| !refusal.remedy.is_empty());
    let mut evidence = reasons.join(" · ");
    if let Some(refusal) = remedy {
        evidence.push_str(" — ");
        evidence.push_str(&refusal.remedy);
    }
    VerdictStrip::new(Severity::Denied, "Not applied as requested")
        .sentence(&sentence)
        .evidence(&evidence)
        .show(ui, |_| {});
}

/// Reasons to trust the result less, and what re-basing hid.
pub(in crate::pages) fn trust_ui(ui: &mut Ui, report: &Report) {
    let mut lines: Vec<String> = report
        .cautions
        .iter()
        .filter(|caution| !matches!(caution, Caution::Refused { .. }))
        .map(ToString::to_string)
        .collect();
    for row in &report.rows {
        let paced = row.figures.paced().filter(|paced| {
            paced.is_rebased || paced.rebasing.is_some_and(|it| 0 < it.frame_count)
        });
        if let Some(hidden) = paced.and_then(PacedFigures::rebasing_text) {
            lines.push(format!("{}: {hidden}.", row.label));
        }
    }
    if lines.is_empty() {
        return;
    }
    Card::new("Measurement quality").show(
        ui,
        |_| {},
        |ui| {
            let tokens = Tokens::of(ui);
            for line in &lines {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                    Severity::Info.icon_ui(ui, size::ICON_SMALL);
                    let width = ui.available_width();
                    let spans = Spans::new(Type::Small).text(Type::Small, line, tokens.t2);
                    ui.label(spans.wrapped(ui, width));
                });
            }
        },
    );
}
