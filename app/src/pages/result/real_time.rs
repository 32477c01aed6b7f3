//! Real-time scheduling: metrics at normal priority and per policy, granted requests, frames over
//! time, and distributions.

use eframe::egui::{Align, Align2, Id, Layout, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::plan::RealTime;
use jitterscope_engine::report::{Change, Chart, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::Grade;
use jitterscope_engine::stats::grade::real_time_falls;

use super::view::{ResultView, ShownResult};
use crate::pages::activity;
use crate::plots::{ChartCard, charts_ui};
use crate::theme::tokens::Mark;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Card, ResultTable, Severity, Sketch, Spans, TableLayout, segmented, series_mark,
};

/// Layout of the table of changes: one row per metric, one group of columns per policy.
const CHANGES: TableLayout = TableLayout {
    rows: &["metric"],
    ..TableLayout::of(&["metric", "normal", "value", "change_share", "change_ci_share", "result"])
};
/// Layout of the table of configurations: normal priority and each policy.
const CONFIGURATIONS: TableLayout = TableLayout {
    compared: Some(&[]),
    ..TableLayout::of(&[
        "configuration",
        "frame_time_std_dev_nanos",
        "frame_time_p99_nanos",
        "p99_nanos",
        "max_nanos",
        "work_mean_nanos",
        "late_count",
        "missed_count",
        "applied",
    ])
};

/// Height of a card of frames over time, in points.
const OVER_TIME: f32 = 270.0;

/// Maximum number of configurations in the card of requested and applied conditions, and of denied requests of each.
const MAX_ROWS: usize = 40;
const MAX_REFUSALS: usize = 6;

/// State of the view that draws the result of a real-time test.
#[derive(Debug)]
pub(super) struct View {
    /// Whether each policy has a separate plot, one below the other, instead of one plot for all.
    is_stacked: bool,
}

impl Default for View {
    fn default() -> Self {
        Self { is_stacked: true }
    }
}

impl ResultView for View {
    fn ui(&mut self, ui: &mut Ui, shown: ShownResult<'_>) {
        let ShownResult { run, report, charts, unit, .. } = shown;
        let table = |key: &str| report.tables.iter().find(|table| table.key == key);
        let Some(changes) = table("changes") else { return };
        let table_ui = |ui: &mut Ui| {
            let table = ResultTable::new("real-time-changes", changes, CHANGES);
            ResultTable { title: "Normal and real-time", unit, ..table }.show(ui)
        };
        let is_wide = size::WIDE_FROM <= ui.content_rect().width() && report.rows.len() < 3;
        if is_wide {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                let left = ((ui.available_width() - size::GAP_CARD) * 0.72).floor();
                let down = Layout::top_down(Align::Min);
                let lines = f32::from(u16::try_from(changes.rows.len()).unwrap_or(u16::MAX));
                let height = size::CARD_HEADER + 2.0 * size::TABLE_HEADER + lines * size::TABLE_ROW;
                ui.allocate_ui_with_layout(vec2(left, height), down, table_ui);
                ui.vertical(|ui| applied_ui(ui, report));
            });
        } else {
            table_ui(ui);
            applied_ui(ui, report);
        }
        self.charts_ui(ui, run, charts);
        if let Some(configurations) = table("configurations") {
            let table = ResultTable::new("real-time", configurations, CONFIGURATIONS);
            ResultTable { unit, ..table }.show(ui);
        }
        activity::ui(ui, "real-time-activity", report, None);
    }

    fn sketch(&self) -> Sketch {
        Sketch::TwoLines
    }

    fn explains_denials(&self) -> bool {
        true
    }

    fn verdict_ui(&self, ui: &mut Ui, report: &Report) {
        if size::WIDE_FROM <= ui.content_rect().width() {
            scale_ui(ui, report);
        }
    }
}

impl View {
    /// Draws the plots: frames over time with a shared time axis, then the distributions.
    fn charts_ui(&mut self, ui: &mut Ui, run: &Run, charts: &[Chart]) {
        let of = ("real-time", run.id.as_str());
        let (halves, wide): (Vec<&Chart>, Vec<&Chart>) =
            charts.iter().partition(|chart| chart.is_half);
        let link = Id::unique(("frames-over-time", run.id.as_str()));
        for (chart, at) in wide.into_iter().zip(0..) {
            let is_stacked = &mut self.is_stacked;
            let card = ChartCard {
                height: OVER_TIME,
                link: Some(link),
                is_stacked: *is_stacked,
                ..ChartCard::new(of, chart)
            };
            card.show(ui, |ui| {
                if at == 0 {
                    let layouts = [(true, "Stacked"), (false, "Overlaid")];
                    segmented(ui, "Layout", is_stacked, &layouts);
                }
            });
        }
        let halves: Vec<Chart> = halves.into_iter().cloned().collect();
        charts_ui(ui, of, &halves);
    }
}

/// Draws requested and applied conditions of each configuration.
fn applied_ui(ui: &mut Ui, report: &Report) {
    Card::new("Requested and applied").show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        for row in report.rows.iter().take(MAX_ROWS) {
            Spans::plain(Type::Small, &row.label, tokens.t2).label(ui);
            let Some(granted) = &row.granted else {
                Spans::plain(Type::Body, "waiting", tokens.t3).label(ui);
                continue;
            };
            let severity = if row.is_as_requested() { Severity::Good } else { Severity::Denied };
            // The text of a priority that was granted and later lost states the loss itself.
            let words = if row.is_as_requested() || !row.has_retained_policy() {
                row.applied_text()
            } else {
                format!("denied, ran at {}", row.applied_text())
            };
            Spans::new(Type::Body)
                .severity(severity, size::GAP_LABEL, tokens)
                .text(Type::Body, &words, tokens.t1)
                .label(ui);
            for refusal in granted.refusals.iter().take(MAX_REFUSALS) {
                let width = ui.available_width();
                let words = format!("{refusal}. {}", refusal.remedy);
                Spans::plain(Type::Small, &words, tokens.t2).paragraph_within(ui, width);
            }
        }
        if MAX_ROWS < report.rows.len() {
            let words = format!("and {} more configurations", report.rows.len() - MAX_ROWS);
            Spans::plain(Type::Small, &words, tokens.t2).label(ui);
        }
        ui.separator();
        Spans::new(Type::Small)
            .icon(icons::SHIELD_CHECK, size::ICON_SMALL, tokens.acc)
            .gap(size::GAP_LABEL)
            .text(Type::Small, RealTime::SAFETY, tokens.t2)
            .paragraph(ui);
        let demoted = report
            .rows
            .iter()
            .any(|row| row.granted.as_ref().is_some_and(|granted| granted.demoted));
        let (severity, words) = if demoted {
            (Severity::Poor, "The watchdog revoked real-time priority.")
        } else {
            (Severity::Good, "The watchdog did not intervene.")
        };
        if report.rows.iter().skip(1).any(|row| row.granted.is_some()) {
            Spans::new(Type::Small)
                .severity(severity, size::GAP_LABEL, tokens)
                .text(Type::Small, words, tokens.t2)
                .label(ui);
        }
    });
}

/// Returns the steps of the rating of real-time scheduling: grade, word, and the required reduction
/// of the standard deviation.
fn steps() -> [(Grade, &'static str, String); 4] {
    let [excellent, good, modest] = real_time_falls();
    [
        (Grade::Poor, "Limited", format!("under {modest}%")),
        (Grade::Fair, "Modest", format!("over {modest}%")),
        (Grade::Good, "Good", format!("over {good}%")),
        (Grade::Excellent, "Excellent", format!("over {excellent}%")),
    ]
}
/// Width of a step of the rating, and height of the scale of all steps, in points.
const STEP: (f32, f32) = (66.0, 46.0);

/// Draws the four steps of the rating, with a triangle at the step that was reached, or at several
/// steps if the grade is known only as a range.
fn scale_ui(ui: &mut Ui, report: &Report) {
    let Some(reached) = report.results::<Change>().iter().find_map(Change::grade) else { return };
    let covered = reached.best()..=reached.worst();
    let tokens = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(STEP.0 * 4.0, STEP.1), Sense::hover());
    let mut left = rect.left();
    for (grade, word, limit) in steps() {
        let is_reached = covered.contains(&grade);
        let color = crate::pages::severity_of(Some(grade.into())).color(tokens);
        let bar = Rect::from_min_size(pos2(left, rect.top() + 9.0), vec2(STEP.0 - 2.0, 6.0));
        let fill = if is_reached { color } else { color.gamma_multiply(0.4) };
        ui.painter().rect_filled(bar, 2, fill);
        if is_reached {
            let at = pos2(bar.center().x, rect.top() + 3.0);
            series_mark(ui.painter(), at, size::MARK, Mark::TriangleDown, tokens.t1);
        }
        let style = if is_reached { Type::LabelStrong } else { Type::Small };
        let ink = if is_reached { tokens.t1 } else { tokens.t2 };
        for (words, style, ink, top) in
            [(word, style, ink, 17.0), (limit.as_str(), Type::Small, tokens.t2, 32.0)]
        {
            let at = pos2(left, rect.top() + top);
            ui.painter().text(at, Align2::LEFT_TOP, words, style.font(), ink);
        }
        left += STEP.0;
    }
    let spoken = format!("{}, on a scale of Limited, Modest, Good and Excellent", reached.step());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
}
