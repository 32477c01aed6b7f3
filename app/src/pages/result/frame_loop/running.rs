//! A running frame loop: current step, live values, live plots, and the matrix of finished
//! configurations.

use eframe::egui::{Align, Layout, Ui, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{Tail, Wait};
use jitterscope_engine::report::chart::{Limit, of_histograms};
use jitterscope_engine::report::{Chart, Configuration};
use jitterscope_engine::run::TrialRun;

use super::tiles::{self, LastTile};
use super::{LivePlots, PlotSource, View, figures, matrix};
use crate::pages::live_summary::LiveSummary;
use crate::pages::result::view::LiveRun;
use crate::plots::{ChartCard, TimelineData};
use crate::session::Live;
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Card, Severity, VerdictStrip, requested_and_applied};

/// Title and note of the live histogram.
const TITLE: &str = "Lateness histogram";
const NOTE: &str = "this configuration";

impl View {
    /// Draws the running test.
    pub(super) fn running_ui(&mut self, ui: &mut Ui, run: LiveRun<'_>) {
        let LiveRun { live, is_stopping, late_percent, summary, unit, .. } = run;
        strip_ui(ui, live, is_stopping);
        let Some(trial) = live.current() else { return };
        let row = live.row(live.current);
        let is_enlarged = self.timeline.is_enlarged;
        if !is_enlarged {
            let newest = trial.samples.last().map(|sample| sample.late());
            tiles::ui(ui, row, LastTile::Now(newest));
        }
        self.take_image(live, trial, late_percent);
        let height = ui.available_height();
        let lower = (height * 0.5).clamp(250.0, 360.0);
        let upper = if is_enlarged { height } else { height - lower - size::GAP_CARD }.max(230.0);
        if let Some(image) = &self.image {
            // Shared by the header, which changes the timeline, and the body, which draws it.
            let timeline = std::cell::RefCell::new(&mut self.timeline);
            let note = timeline.borrow().live_words();
            Card::new("Timeline").note(&note).height(upper).show(
                ui,
                |ui| timeline.borrow_mut().controls_ui(ui, true),
                |ui| {
                    let height = ui.available_height();
                    let live = timeline.borrow().live_window();
                    timeline.borrow_mut().ui(ui, height, &image.data, live);
                },
            );
        }
        if is_enlarged {
            return;
        }
        let has_matrix = matrix::fits(live);
        let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
        if is_wide {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                let room = ui.available_width();
                let share = if has_matrix { 0.59 } else { 1.0 };
                let left = ((room - size::GAP_CARD) * share).floor();
                let down = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(left, lower), down, |ui| {
                    self.live_histogram_ui(ui, trial, row, lower);
                });
                if has_matrix {
                    ui.vertical(|ui| matrix::ui(ui, live, lower));
                }
            });
        } else {
            self.live_histogram_ui(ui, trial, row, 250.0);
            if has_matrix {
                matrix::ui(ui, live, 0.0);
            }
        }
        if !has_matrix && let Some(run) = &live.run {
            let summary = LiveSummary::refresh(summary, run, late_percent);
            figures::live_ui(ui, &summary.report, unit);
        }
    }

    /// Adds new samples to the plot of the running trial.
    fn take_image(&mut self, live: &Live, trial: &TrialRun, late_percent: f64) {
        let run = live.run.as_ref().map_or(String::new(), |run| run.id.to_string());
        let source = PlotSource { run, trial: live.current, has_ended: false };
        if self.image.as_ref().is_none_or(|image| image.source != source) {
            let late_limit = live.run.as_ref().and_then(|run| run.subject.late_limit(late_percent));
            let late_limit = late_limit.unwrap_or_default();
            let data = TimelineData::new(trial.trial.pace.period(), late_limit);
            self.image = Some(LivePlots::new(source, data));
            self.timeline.reset();
        }
        if let Some(image) = &mut self.image {
            image.extend(trial);
        }
        self.timeline.marks = live.marks().map(Nanos::as_secs).collect();
    }

    fn live_histogram_ui(
        &self,
        ui: &mut Ui,
        trial: &TrialRun,
        row: Option<&Configuration>,
        height: f32,
    ) {
        let Some(LivePlots { lateness, source, .. }) = &self.image else { return };
        let names = ("Lateness", "Frames");
        let counted = [("Lateness", lateness)];
        let Some(mut chart) = of_histograms("histogram", TITLE, names, &counted) else {
            Card::new(TITLE).note(NOTE).height(height).show_plain(ui, |ui| {
                let words = Type::Body.text("No samples yet").color(Tokens::of(ui).t3);
                ui.centered_and_justified(|ui| ui.label(words));
            });
            return;
        };
        // Without its value, which is in a tile: at the right end, a longer label would leave the card.
        let p99 = row.and_then(Configuration::p99).map(|p99| Limit::vertical(p99.as_f64(), "p99"));
        chart.limits.extend(p99);
        mark_frame(&mut chart, trial.trial.pace.period());
        let card = ChartCard::new(("frame-loop-live", &source.run), &chart);
        ChartCard { note: NOTE, height, ..card }.show(ui, |_| {});
    }
}

/// Adds a line at the length of one frame (`period`) to a chart of lateness, and extends the x axis
/// so that the line is visible.
pub(super) fn mark_frame(chart: &mut Chart, period: Nanos) {
    let at = period.as_f64();
    chart.x.to = chart.x.to.max(at * 2.0);
    chart.limits.push(Limit::vertical(at, "1 frame"));
}

fn strip_ui(ui: &mut Ui, live: &Live, is_stopping: bool) {
    let Some(trial) = live.current() else {
        VerdictStrip::new(Severity::Info, "")
            .icon(icons::PULSE)
            .sentence("Preparing")
            .evidence("Reading the clock and starting threads")
            .show(ui, |_| {});
        return;
    };
    let conditions = trial.trial.conditions;
    let pin = match conditions.cpu {
        jitterscope_engine::plan::CpuChoice::Any => "unpinned".to_owned(),
        cpu => format!("pinned to {}", cpu.phrase()),
    };
    let sentence = format!(
        "Configuration {} of {}: {}, {pin}",
        live.current + 1,
        live.trial_count(),
        conditions.priority.name(),
    );
    let wait = match (trial.trial.wait, trial.tail()) {
        (Wait::OsSleep | Wait::Relative | Wait::WholeMillis, _) => "system sleep".to_owned(),
        (Wait::Hybrid(_), Some(tail)) | (Wait::Hybrid(Tail::Fixed(tail)), None) => {
            format!("hybrid wait, {} spin tail", text::format_time(tail))
        }
        (Wait::Hybrid(Tail::Measured), None) => "hybrid wait".to_owned(),
        (Wait::Spin(_) | Wait::SpinInstant(_), _) => "spin wait".to_owned(),
    };
    let step = if is_stopping {
        "Stopping".to_owned()
    } else if !live.step.is_empty() {
        format!("Preparing: {}", live.step)
    } else if trial.applied.is_none() {
        "Preparing".to_owned()
    } else if trial.samples.is_empty() {
        "Warming up".to_owned()
    } else {
        "Measuring".to_owned()
    };
    let load = text::live::load_threads(&trial.load);
    let demoted = if live.was_demoted { " · real-time priority was revoked" } else { "" };
    let evidence = format!("{step} · {wait} · {load}{demoted}");
    let requested = conditions.to_string();
    VerdictStrip::new(Severity::Info, "")
        .icon(icons::PULSE)
        .sentence(&sentence)
        .evidence(&evidence)
        .show(ui, |ui| {
            if let (Some(row), true) = (live.row(live.current), trial.applied.is_some()) {
                let severity =
                    if row.is_as_requested() { Severity::Good } else { Severity::Denied };
                requested_and_applied(ui, &requested, severity, &row.applied_text());
            }
        });
}
