//! The key result of a run among the latest runs with the same settings on the same machine.

use eframe::egui::{Id, Ui};
use jitterscope_engine::report::Chart;
use jitterscope_engine::report::chart::{Limit, Marks, Series};
use jitterscope_engine::report::document::trend as words;
use jitterscope_engine::report::trend::Trend;
use jitterscope_engine::stats::Outcome;

use crate::plots::chart_ui;
use crate::run_list::RunListEntry;
use crate::run_list::trend::{figure_of, is_baseline, trend_of};
use crate::session::{Action, LibraryItem, Session};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Hidden, Spans, card};

/// Height of the trend plot, in points.
const HEIGHT: f32 = 110.0;
/// Minimum number of runs for a plot.
const MIN_RUNS: usize = 3;

/// Draws the trend of a run's key result, or how many runs a trend needs, and below that the change
/// from the baseline.
pub(super) fn trend_ui(
    ui: &mut Ui,
    session: &Session,
    run: &RunListEntry,
    actions: &mut Vec<Action>,
) {
    let items: &[LibraryItem] = session.library.items.as_deref().unwrap_or_default();
    let Some(trend) = trend_of(items, run) else { return };
    let Some(line) = trend.lines.first() else { return };
    card::plain_card(ui, |ui| {
        let tokens = Tokens::of(ui);
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        let count = line.points.len();
        if count < MIN_RUNS {
            let words = format!("Trend needs {MIN_RUNS} runs with these settings; {count} so far.");
            Spans::plain(Type::Small, &words, tokens.t2).paragraph(ui);
        } else {
            let title = format!("{}, {count} runs", trend.metric.title);
            Spans::new(Type::Small)
                .text(Type::Strong, &title, tokens.t1)
                .gap(size::GAP_SMALL)
                .text(Type::Small, "same settings, same PC", tokens.t2)
                .label(ui);
            let id = Id::unique("trend of runs").with(&run.id);
            let chart = small_chart(&trend, &run.id);
            chart_ui(ui, &chart, (id, None), HEIGHT, &mut Hidden::default());
        }
        let (words, color) = match run.change.zip(figure_of(run)) {
            Some((delta, (metric, _))) => {
                let is_worse = delta.result == Outcome::Worse;
                let color = if is_worse { tokens.fair } else { tokens.t2 };
                (words::baseline_words(&metric, &delta), color)
            }
            None if is_baseline(run) => ("This run is the baseline.".to_owned(), tokens.t2),
            None if !line.points.iter().any(|point| point.is_baseline) => {
                ("No baseline. Set one with the button below the list.".to_owned(), tokens.t2)
            }
            None => {
                let unknown = "Run-to-run variation is unknown. Run the baseline's settings with 3 or more repeats, and \
                               make the last one the baseline.";
                (unknown.to_owned(), tokens.t2)
            }
        };
        Spans::plain(Type::Small, &words, color).paragraph(ui);
        if ui.add(Button::new("Show trend")).clicked() {
            actions.push(Action::ShowTrend(run.id.clone()));
        }
    });
}

/// Returns the plot of a trend without its names, with the run that is shown as a separate series.
fn small_chart(trend: &Trend, id: &str) -> Chart {
    let mut chart = words::chart(trend);
    let is_this = |[own, ..]: &[String; 3]| own == id;
    let points = trend.lines.iter().flat_map(|line| &line.points);
    let this = points.filter(|point| point.runs.iter().any(is_this));
    let this = this.map(|point| (words::place(point), point.value)).collect();
    if let Marks::Curves(series) = &mut chart.marks {
        series.push(Series::new("This run", this));
    }
    chart.limits.retain(|limit: &Limit| !limit.is_vertical);
    chart.x.names.iter_mut().for_each(String::clear);
    chart
}
