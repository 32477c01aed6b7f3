//! The key result of a run among the latest runs with the same settings on the same machine.

use eframe::egui::{Id, Ui};
use jitterscope_engine::report::Chart;
use jitterscope_engine::report::chart::{Axis, Limit, Marks, Series};
use jitterscope_engine::report::table::Quantity;

use crate::plots::chart_ui;
use crate::run_list::RunListEntry;
use crate::run_list::trend::{Change, MIN_RUNS, Trend, TrendPoint};
use crate::session::{LibraryItem, Session};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Hidden, Spans, card};

/// Height of the trend plot, in points.
const HEIGHT: f32 = 110.0;

/// Draws the trend of a run's key result, or how many runs a trend needs, and below that the change
/// from the baseline.
pub(super) fn trend_ui(ui: &mut Ui, session: &Session, run: &RunListEntry) {
    let items: &[LibraryItem] = session.library().items().unwrap_or_default();
    let Some(trend) = Trend::of(items, run) else { return };
    card::plain_card(ui, |ui| {
        let tokens = Tokens::of(ui);
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        let count = trend.points.len();
        if count < MIN_RUNS {
            let words = format!("Trend needs {MIN_RUNS} runs with these settings; {count} so far.");
            Spans::plain(Type::Small, &words, tokens.t2).paragraph(ui);
        } else {
            let title = format!("{}, {count} runs", trend.name);
            Spans::new(Type::Small)
                .text(Type::Strong, &title, tokens.t1)
                .gap(size::GAP_SMALL)
                .text(Type::Small, "same settings, same PC", tokens.t2)
                .label(ui);
            let id = Id::unique("trend of runs").with(&run.id);
            chart_ui(ui, &chart(&trend), (id, None), HEIGHT, &mut Hidden::default());
        }
        let (words, color) = match (trend.change(), trend.band) {
            (Some(change), Some(band)) => {
                let is_worse = matches!(change, Change::Worse(_));
                (change.words(band), if is_worse { tokens.fair } else { tokens.t2 })
            }
            _ if trend.points.iter().any(|point| point.is_this && point.is_baseline) => {
                ("This run is the baseline.".to_owned(), tokens.t2)
            }
            _ if trend.baseline.is_none() => {
                ("No baseline. Set one with the button below the list.".to_owned(), tokens.t2)
            }
            _ => {
                let unknown = "Run-to-run variation is unknown. Run the baseline's settings with 3 or more repeats, and \
                               make the last one the baseline.";
                (unknown.to_owned(), tokens.t2)
            }
        };
        Spans::plain(Type::Small, &words, color).paragraph(ui);
    });
}

fn chart(trend: &Trend) -> Chart {
    let places = || {
        trend.points.iter().scan(0.0, |place, point| {
            *place += 1.0;
            Some((*place, point))
        })
    };
    let line = |fits: fn(&TrendPoint) -> bool| {
        places().filter(move |(_, point)| fits(point)).map(|(place, point)| (place, point.nanos))
    };
    let values = || trend.points.iter().map(|point| point.nanos).chain(trend.baseline);
    let (min, max) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
    let end = places().fold(1.0, |_, (place, _)| place + 1.0);
    let x = Axis::linear("Run", Quantity::Count, 0.0, end);
    let y = Axis::linear(trend.name, Quantity::Time, min * 0.8, max * 1.2);
    let marks = Marks::Curves(vec![
        Series::new("Runs", line(|_| true).collect()),
        Series::new("This run", line(|point| point.is_this).collect()),
    ]);
    Chart {
        limits: trend.baseline.map(|at| Limit::horizontal(at, "Baseline")).into_iter().collect(),
        is_half: true,
        ..Chart::new(("trend", "Trend"), (x, y), marks)
    }
}
