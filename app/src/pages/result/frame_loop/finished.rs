//! The result of a frame loop: table and overlaid curves of several configurations, or all details
//! of a single one.

use std::cell::RefCell;

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::TraceSource;
use jitterscope_engine::report::chart::lateness_distributions;
use jitterscope_engine::report::{Chart, Configuration, Report};
use jitterscope_engine::run::{Run, TrialRun};

use super::late_frames::LateFrames;
use super::running::mark_frame;
use super::tiles::{self, LastTile};
use super::who::Who;
use super::{KEY, LivePlots, PlotSource, View, figures, late};
use crate::pages::rights::names_ui;
use crate::plots::{ChartPick, LiveWindow, Timeline, TimelineData, pickable_charts_ui};
use crate::session::{Action, Session};
use crate::text;
use crate::theme::{Tokens, Type, icons};
use crate::widgets::card::has_controls;
use crate::widgets::{Button, Card, Spans};

/// Maximum number of overlaid curves.
const MAX_CURVES: usize = 4;

/// The charts of the checked configurations, cached until the run or the checked configurations
/// (`of`) change.
#[derive(Debug)]
pub(super) struct Curves {
    of: (String, Vec<usize>),
    charts: Vec<Chart>,
}

impl View {
    /// Draws the results without the verdict.
    pub(super) fn finished_ui(&mut self, ui: &mut Ui, run: &Run, report: &Report) {
        let single = match report.rows.as_slice() {
            [_] => Some(0),
            rows => self.opened.filter(|opened| *opened < rows.len()),
        };
        match single.and_then(|at| Some((at, report.rows.get(at)?))) {
            Some((at, row)) => {
                self.single_ui(ui, run, row, 1 < report.rows.len());
                if !self.timeline.is_enlarged {
                    self.distribution_ui(ui, (run, report), at);
                    figures::ui(ui, report, at);
                }
            }
            None => self.matrix_ui(ui, run, report),
        }
    }

    /// Draws a line which states that no trace was recorded, and offers to measure again with a
    /// trace if this PC can record one. Offers administrator rights if these would add thread names
    /// to a trace.
    pub(super) fn untraced_ui(
        &self,
        ui: &mut Ui,
        session: &Session,
        report: &Report,
        actions: &mut Vec<Action>,
    ) {
        let is_single = report.rows.len() == 1 || self.opened.is_some();
        let state = self.image.as_ref().and_then(|image| image.who.state.as_ref());
        let is_nameless = state.is_some_and(|state| state.source < Some(TraceSource::AllSwitches));
        if is_single && is_nameless && !self.late.is_empty() && has_controls(ui) {
            let again = || Action::RunAgainWithTrace(KEY);
            names_ui(ui, session, again, actions);
        }
        let is_traced = self.image.is_none() || state.is_some();
        if !is_single || is_traced || self.late.is_empty() || !has_controls(ui) {
            return;
        }
        let has_source = session.machine.facts().is_some_and(|facts| facts.trace.source.is_some());
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

    /// Draws the lateness distributions of the configurations in `plotted`. Returns the bar or
    /// point that was clicked.
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

    /// Draws the distribution of one configuration; a selected bar or point is marked in the
    /// timeline.
    fn distribution_ui(&mut self, ui: &mut Ui, of: (&Run, &Report), configuration: usize) {
        let picked = self.curves_ui(ui, of, vec![configuration]);
        if let Some((pick, image)) = picked.or(self.picked.take()).zip(self.image.as_ref()) {
            self.timeline.mark(ui, &image.data, &pick);
        }
    }

    /// Lists the late frames of a newly displayed trial: those for which the run was opened, or all.
    fn list_late(&mut self, row: &Configuration, trial: &TrialRun) {
        let focus = self.focus.as_deref();
        self.late_threshold =
            focus.map_or_else(|| late::default_limit(row, trial), |focus| focus.above);
        self.culprit = focus.and_then(|focus| focus.delay.clone());
        self.late = LateFrames::of(trial, self.late_threshold);
        self.late.show_only(self.culprit.clone());
    }

    /// Scrolls the timeline to the selected frame if it is not visible.
    fn bring_selected_into_view(&mut self) {
        let sample = self.selected.zip(self.image.as_ref());
        if let Some((secs, ..)) = sample.and_then(|(index, image)| image.data.sample(index)) {
            self.timeline.bring_into_view(secs);
        }
    }

    /// Updates the list of late frames for the threshold in the field and for the selected cause.
    fn count_late(&mut self, trial: &TrialRun) {
        let is_counted = self.late_threshold == self.late.threshold;
        if is_counted && self.culprit.as_ref() == self.late.culprit.as_ref() {
            return;
        }
        if !is_counted {
            self.late = LateFrames::of(trial, self.late_threshold);
            self.selected = self.selected.filter(|at| self.late.get(*at).is_some());
        }
        self.late.show_only(self.culprit.clone());
        if let Some(image) = &mut self.image {
            image.data.mark_late(self.late.all());
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
                Spans::plain(Type::Strong, &row.label, color).whole_label(ui);
                let granted = format!("{} → {}", row.conditions, row.applied_text());
                let color = Tokens::of(ui).t2;
                Spans::plain(Type::Small, &granted, color).label(ui);
            });
        }
        if !self.timeline.is_enlarged {
            tiles::ui(ui, Some(row), LastTile::StdDev);
            tiles::rates_ui(ui, row, self.low);
        }
        let Some((position, trial)) =
            row.trials.first().and_then(|&at| Some((at, run.trials.get(at)?)))
        else {
            return;
        };
        let source = PlotSource { run: run.id.to_string(), trial: position, has_ended: true };
        let is_other =
            |image: &LivePlots| image.source != source || image.data.late_limit != row.late_limit;
        if self.image.as_ref().is_none_or(is_other) {
            let data = TimelineData::new(row.period, row.late_limit);
            let mut made = LivePlots::new(source, data);
            made.data.extend(trial);
            self.list_late(row, trial);
            made.data.mark_late(self.late.all());
            made.who = Who::of(run, trial);
            self.timeline = Timeline::of_lateness();
            self.timeline.has_below = !made.who.is_empty();
            self.image = Some(made);
            // In an exported image, no frame can be clicked. The worst frame is selected instead,
            // so that the image explains this frame.
            let is_selected = self.focus.is_some() || !has_controls(ui);
            let worst = self.late.shown(0).filter(|_| is_selected);
            self.selected = worst.map(|worst| worst.index);
            self.bring_selected_into_view();
        }
        let Some(image) = &mut self.image else { return };
        self.timeline.selected = self.selected;
        self.timeline.annotate(&run.annotations, position);
        image.who.prepare(ui, &self.timeline, (trial, &self.late));
        let (who, data) = (&image.who, &image.data);
        // Rows that a click adds below the plot increase the height of the card; the plot does not
        // shrink.
        let (below, lasting) = (who.height(), who.lasting_height());
        let added = self.timeline.height_below(ui) + below;
        let state = who.state.clone();
        let hint = if has_controls(ui) { " · click a marker for details" } else { "" };
        let note = format!(
            "{}, {} frames{hint}",
            text::format_long_time(trial.samples.last().map_or(Nanos::ZERO, |last| last.done)),
            text::format_count(trial.samples.len()),
        );
        let is_enlarged = self.timeline.is_enlarged;
        let height = if is_enlarged {
            ui.available_height().max(230.0 + added)
        } else {
            (ui.available_height() - 280.0 - lasting).clamp(230.0, 420.0) + added
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
            // Listing late frames reads every frame. The list is updated only once the threshold is
            // final, not for each typed digit.
            if !late::ui(ui, (row, trial), (&self.late, state.as_ref()), threshold, selected) {
                self.count_late(trial);
            }
        }
        if self.selected != before {
            self.bring_selected_into_view();
        }
    }
}

/// Returns the configurations plotted by default: the first, the best, and the worst.
fn default_plotted(report: &Report) -> Vec<usize> {
    let mut plotted: Vec<usize> = Vec::new();
    for row in [report.rows.first(), report.worst(), report.best()].into_iter().flatten() {
        let at = report.rows.iter().position(|one| one.label == row.label);
        plotted.extend(at.filter(|at| !plotted.contains(at)));
    }
    plotted
}

/// Returns the overlaid distributions of configurations, with a line at the length of one frame.
fn charts(run: &Run, report: &Report, plotted: &[usize]) -> Vec<Chart> {
    let rows = plotted.iter().filter_map(|&at| report.rows.get(at)).take(MAX_CURVES);
    let mut charts = lateness_distributions(run, rows);
    let period = report.rows.first().map_or(Nanos::ZERO, |row| row.period);
    for chart in &mut charts {
        mark_frame(chart, period);
    }
    charts
}
