//! Charts of a What helps run: a forest plot of the effects, and p99 lateness of the blocks they are computed from.

use super::effect::{ChangeEffect, p99_of};
use crate::report::Report;
use crate::report::model::chart::{self, Axis, Chart, ForestRow, ForestTitles, Marks, Series};
use crate::report::model::configuration::Configuration;
use crate::report::model::table::Quantity;
use crate::run::Run;
use crate::stats::effect::OUTCOMES;

/// Returns two charts: the effects with their intervals, and p99 lateness of every block.
pub(super) fn of(run: &Run, report: &Report) -> Vec<Chart> {
    vec![forest(report.results()), blocks(run, &report.rows)]
}

/// Plots one row per change: its effect on p99 lateness with its 95% interval, as a share from −100% to +100%.
fn forest(effects: &[ChangeEffect]) -> Chart {
    let row = |effect: &ChangeEffect| ForestRow {
        name: effect.full_name(),
        result: effect.result.words().of_setting,
        share: effect.effect.map(|(share, _)| share),
        interval: effect.effect.map(|(_, interval)| interval),
    };
    let titles = ForestTitles {
        key: "effects",
        title: "Effect on p99 lateness",
        note: "dot: effect; line: simultaneous 95% CI; left of 0 is less late".to_owned(),
        x: "Change of p99 lateness",
    };
    let rows: Vec<ForestRow> = effects.iter().map(row).collect();
    chart::forest(titles, &OUTCOMES.each_ref().map(|words| words.of_setting), &rows)
}

/// Plots p99 lateness of each complete block by round, one series per configuration. Denied blocks are omitted.
fn blocks(run: &Run, rows: &[Configuration]) -> Chart {
    let of_row = |row: &Configuration| {
        let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
        let counted = trials.filter(|trial| trial.complete && !trial.is_denied());
        let mut points: Vec<(f64, f64)> = counted
            .filter_map(|trial| Some((f64::from(trial.trial.round) + 1.0, p99_of(trial)?)))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series::new(row.label.as_str(), points)
    };
    let mut series: Vec<Series> =
        rows.iter().map(of_row).filter(|series| !series.points.is_empty()).collect();
    let end_of_note = chart::shorten(&mut series, chart::MAX_SERIES, "configurations");
    let all = || series.iter().flat_map(|series| &series.points);
    let (low, high) =
        all().fold((f64::MAX, 1.0_f64), |(low, high), &(_, p99)| (low.min(p99), high.max(p99)));
    let last = all().map(|point| point.0).fold(1.0, f64::max);
    let from = 10.0_f64.powf(low.max(1.0).log10().floor());
    let to = 10.0_f64.powf(high.log10().ceil());
    let x = Axis::linear("Round", Quantity::Count, 0.5, last + 0.5);
    let y = Axis::log("p99 lateness", Quantity::Time, from, to);
    Chart {
        note: format!("p99 lateness of each block{end_of_note}"),
        is_half: true,
        ..Chart::new(("blocks", "Interleaved blocks"), (x, y), Marks::Points(series))
    }
}
