//! Real-time: the metrics of both halves, what was granted, both halves over time, their distributions.

use eframe::egui::{Align, Align2, Layout, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Change, Configuration, Report};
use jitterscope_engine::run::{Run, TrialRun};
use jitterscope_engine::stats::Grade;

use crate::plots::{HistogramPlot, LinearBins, Trace, traces_ui};
use crate::text::{self, Unit};
use crate::theme::tokens::Mark;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Card, Hidden, ResultTable, Severity, Spans, TableLayout, segmented, series_mark,
};

/// What each policy changed: one row per metric, one group of columns per policy.
const CHANGES: TableLayout = TableLayout {
    leading: &["metric", "normal", "value", "change_share", "change_ci_share", "result"],
    varying: &[],
    rows: &["metric"],
    compared: None,
};
/// The configurations: normal and each policy.
const CONFIGURATIONS: TableLayout = TableLayout {
    leading: &[
        "configuration",
        "frame_time_std_dev_nanos",
        "frame_time_p99_nanos",
        "p99_nanos",
        "max_nanos",
        "work_mean_nanos",
        "late_count",
        "missed_count",
        "applied",
    ],
    varying: &[],
    rows: &[],
    compared: Some(&[]),
};

/// Title, name, view, counts and target of one plot.
type Part<'a> =
    (&'static str, &'static str, &'a mut HistogramPlot, &'a LinearBins, Option<(Nanos, &'a str)>);

/// What is drawn over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Quantity {
    /// Time from each frame to the next.
    #[default]
    Period,
    /// How long the work took.
    Execution,
}

/// How the result looks.
#[derive(Debug)]
pub(super) struct View {
    quantity: Quantity,
    is_stacked: bool,
    /// Traces that are omitted where they lie over each other.
    hidden: Hidden,
    period: HistogramPlot,
    execution: HistogramPlot,
    made: Option<PlotCache>,
}

impl Default for View {
    fn default() -> Self {
        Self {
            quantity: Quantity::Period,
            is_stacked: true,
            hidden: Hidden::default(),
            period: HistogramPlot::default(),
            execution: HistogramPlot::default(),
            made: None,
        }
    }
}

/// What the plots show, made when there is something new.
#[derive(Debug)]
struct PlotCache {
    of: (String, usize, Quantity),
    traces: Vec<Trace>,
    period: LinearBins,
    execution: LinearBins,
}

impl View {
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        run: &Run,
        report: &Report,
        (is_live, unit): (bool, Unit),
    ) {
        let table = |key: &str| report.tables.iter().find(|table| table.key == key);
        let Some(changes) = table("changes") else { return };
        let table_ui = |ui: &mut Ui| {
            ResultTable::new("real-time-changes", changes, CHANGES)
                .title("Normal and real-time")
                .unit(unit)
                .show(ui)
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
        self.make(run, report, is_live);
        let target = report.rows.first().map(|row| row.period.as_millis());
        let Some(made) = self.made.take() else { return };
        let title = match self.quantity {
            Quantity::Period => "Frame time",
            Quantity::Execution => "Execution time",
        };
        let (quantity, is_stacked) = (&mut self.quantity, &mut self.is_stacked);
        let stacked = *is_stacked;
        let hidden = &mut self.hidden;
        let target = target.filter(|_| *quantity == Quantity::Period);
        Card::new(title).note("same scale").height(270.0).show(
            ui,
            |ui| {
                segmented(ui, "Layout", is_stacked, &[(true, "Stacked"), (false, "Overlaid")]);
                let quantities =
                    [(Quantity::Period, "Frame time"), (Quantity::Execution, "Execution time")];
                segmented(ui, "Show", quantity, &quantities);
            },
            |ui| {
                let height = ui.available_height();
                traces_ui(ui, "frames-over-time", &made.traces, target, stacked, height, hidden);
            },
        );
        self.histograms_ui(ui, report, &made);
        self.made = Some(made);
        if let Some(configurations) = table("configurations") {
            ResultTable::new("real-time", configurations, CONFIGURATIONS).unit(unit).show(ui);
        }
    }

    fn histograms_ui(&mut self, ui: &mut Ui, report: &Report, made: &PlotCache) {
        let height = 270.0;
        let period = report.rows.first().map_or(Nanos::ZERO, |row| row.period);
        let words = text::period_millis(period);
        let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
        let (left, right) = (&mut self.period, &mut self.execution);
        let mut draw = |ui: &mut Ui, width: f32| {
            let parts: [Part<'_>; 2] = [
                ("Frame time", "frame-period", left, &made.period, Some((period, &words))),
                ("Execution time", "execution-time", right, &made.execution, None),
            ];
            for (title, name, plot, bins, target) in parts {
                let down = Layout::top_down(Align::Min);
                ui.allocate_ui_with_layout(vec2(width, height), down, |ui| {
                    let plot = std::cell::RefCell::new(plot);
                    Card::new(title).note(&bins.note()).height(height).show(
                        ui,
                        |ui| plot.borrow_mut().controls_ui(ui),
                        |ui| {
                            let height = ui.available_height();
                            plot.borrow_mut().linear_ui(ui, name, height, bins, target);
                        },
                    );
                });
            }
        };
        if is_wide {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                let width = ((ui.available_width() - size::GAP_CARD) / 2.0).floor();
                draw(ui, width);
            });
        } else {
            let width = ui.available_width();
            draw(ui, width);
        }
    }

    /// Makes traces and histograms again where there is something new.
    fn make(&mut self, run: &Run, report: &Report, is_live: bool) {
        let count = run.sample_count();
        // While the test runs, once for every twentieth more.
        let is_made = self.made.as_ref().is_some_and(|made| {
            let (id, before, quantity) = &made.of;
            *id == run.id.to_string()
                && *quantity == self.quantity
                && (*before == count || (is_live && count < before + before / 20 + 20))
        });
        if is_made {
            return;
        }
        let mut made = PlotCache {
            of: (run.id.to_string(), count, self.quantity),
            traces: Vec::new(),
            period: LinearBins::default(),
            execution: LinearBins::default(),
        };
        let (mut periods, mut executions) = (Vec::new(), Vec::new());
        for row in &report.rows {
            let trials = || row.trials.iter().filter_map(|&trial| run.trials.get(trial));
            made.traces.push(trace(row, trials(), self.quantity));
            let of = |values: fn(&TrialRun) -> Vec<i64>| trials().flat_map(values).collect();
            periods.push((row.label.clone(), of(|trial| trial.samples.frame_time_nanos())));
            executions.push((row.label.clone(), of(TrialRun::work_nanos)));
        }
        made.period = LinearBins::of(&periods);
        made.execution = LinearBins::of(&executions);
        self.made = Some(made);
    }
}

/// The turns of a row one after the other, in seconds and milliseconds.
fn trace<'a>(
    row: &Configuration,
    trials: impl Iterator<Item = &'a TrialRun>,
    quantity: Quantity,
) -> Trace {
    let mut trace = Trace { name: row.label.clone(), points: Vec::new() };
    let mut offset = 0.0;
    for trial in trials {
        let samples = &trial.samples;
        let values = match quantity {
            Quantity::Period => samples.frame_time_nanos(),
            Quantity::Execution => trial.work_nanos(),
        };
        let skip = usize::from(quantity == Quantity::Period);
        for (value, woke) in values.into_iter().zip(samples.woke_nanos().skip(skip)) {
            let at = offset + Nanos::new(woke).as_secs();
            trace.points.push((at, Nanos::new(value).as_millis()));
        }
        offset += trial.trial.duration().as_secs();
    }
    trace
}

/// What each half requested and got.
fn applied_ui(ui: &mut Ui, report: &Report) {
    Card::new("Requested and applied").show(
        ui,
        |_| {},
        |ui| {
            let tokens = Tokens::of(ui);
            ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
            for row in &report.rows {
                Spans::new(Type::Small).text(Type::Small, &row.label, tokens.t2).label(ui);
                let Some(granted) = &row.granted else {
                    Spans::new(Type::Body).text(Type::Body, "waiting", tokens.t3).label(ui);
                    continue;
                };
                let severity =
                    if row.is_as_requested() { Severity::Good } else { Severity::Denied };
                let words = if row.is_as_requested() {
                    row.applied_text()
                } else {
                    format!("denied, ran at {}", row.applied_text())
                };
                Spans::new(Type::Body)
                    .icon(severity.icon(), size::ICON_SMALL, severity.color(tokens))
                    .gap(size::GAP_LABEL)
                    .text(Type::Body, &words, tokens.t1)
                    .label(ui);
                for refusal in &granted.refusals {
                    let width = ui.available_width();
                    let words = format!("{refusal}. {}", refusal.remedy);
                    let spans = Spans::new(Type::Small).text(Type::Small, &words, tokens.t2);
                    ui.label(spans.wrapped(ui, width));
                }
            }
            ui.separator();
            let width = ui.available_width();
            let safety = "Safety: a watchdog returns the thread to normal priority if it \
                          overruns, one CPU stays free, and no system settings are changed.";
            ui.label(
                Spans::new(Type::Small)
                    .icon(icons::SHIELD_CHECK, size::ICON_SMALL, tokens.acc)
                    .gap(size::GAP_LABEL)
                    .text(Type::Small, safety, tokens.t2)
                    .wrapped(ui, width),
            );
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
                    .icon(severity.icon(), size::ICON_SMALL, severity.color(tokens))
                    .gap(size::GAP_LABEL)
                    .text(Type::Small, words, tokens.t2)
                    .label(ui);
            }
        },
    );
}

/// The steps of the rating: its word, and from which fall of the standard deviation on.
const STEPS: [(Grade, &str, &str); 4] = [
    (Grade::Poor, "Limited", "under 5%"),
    (Grade::Fair, "Modest", "over 5%"),
    (Grade::Good, "Good", "over 20%"),
    (Grade::Excellent, "Excellent", "over 50%"),
];
/// The width of a step, and the height of the whole scale.
const STEP: (f32, f32) = (66.0, 46.0);

/// The four steps of the rating with a pointer at the one that was reached.
pub(super) fn scale_ui(ui: &mut Ui, report: &Report) {
    let Some(reached) = report.changes.iter().find_map(Change::grade) else { return };
    let tokens = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(STEP.0 * 4.0, STEP.1), Sense::hover());
    let mut left = rect.left();
    for (grade, word, limit) in STEPS {
        let is_reached = grade == reached;
        let color = crate::pages::severity_of(Some(grade)).color(tokens);
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
            [(word, style, ink, 17.0), (limit, Type::Small, tokens.t2, 32.0)]
        {
            let at = pos2(left, rect.top() + top);
            ui.painter().text(at, Align2::LEFT_TOP, words, style.font(), ink);
        }
        left += STEP.0;
    }
    let word = STEPS.iter().find(|step| step.0 == reached).map_or("", |step| step.1);
    let spoken = format!("{word}, on a scale of Limited, Modest, Good and Excellent");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
}
