//! The effects as a forest plot, and the blocks from which they follow.

use super::effect::{ChangeEffect, ChangeResult, p99_of};
use crate::report::Report;
use crate::report::model::chart::{Axis, Chart, Limit, Marks, Series};
use crate::report::model::configuration::Configuration;
use crate::report::model::table::Quantity;
use crate::run::Run;

/// The effects with their intervals, and p99 lateness of every block.
pub(super) fn of(run: &Run, report: &Report) -> Vec<Chart> {
    vec![forest(report.results()), blocks(run, &report.rows)]
}

/// One row for each change: its effect with its interval, from −100% to +100%.
fn forest(effects: &[ChangeEffect]) -> Chart {
    let names = effects.iter().map(ChangeEffect::full_name).collect();
    let results =
        [ChangeResult::Helps, ChangeResult::NoClearDifference, ChangeResult::MakesItWorse];
    let series = results.map(|result| {
        let mut marks: Vec<((f64, f64), (f64, f64))> = effects
            .iter()
            .zip(0_u32..)
            .filter(|(one, _)| one.result == result)
            .filter_map(|(one, row)| {
                let (share, interval) = one.effect?;
                let inside = |end: f64| end.clamp(-1.0, 1.0);
                let interval = (inside(interval.0), inside(interval.1));
                Some(((inside(share), f64::from(row) + 0.5), interval))
            })
            .collect();
        marks.sort_by(|a, b| a.0.0.total_cmp(&b.0.0));
        let (points, intervals) = marks.into_iter().unzip();
        Series { label: result.word().to_owned(), points, intervals }
    });
    Chart {
        key: "effects",
        title: "Effect on p99 lateness",
        note: "dot: effect; line: simultaneous 95% CI; left of 0 is less late".to_owned(),
        x: Axis::linear("Change of p99 lateness", Quantity::Share, -1.0, 1.0),
        y: Axis::rows(names),
        marks: Marks::Points(series.into()),
        limits: vec![Limit { at: 0.0, label: "no change".to_owned(), is_vertical: true }],
        is_half: true,
    }
}

/// p99 lateness of each block by its round.
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
    let series: Vec<Series> =
        rows.iter().map(of_row).filter(|series| !series.points.is_empty()).collect();
    let all = || series.iter().flat_map(|one| &one.points);
    let (low, high) =
        all().fold((f64::MAX, 1.0_f64), |(low, high), &(_, p99)| (low.min(p99), high.max(p99)));
    let last = all().map(|point| point.0).fold(1.0, f64::max);
    let decade = |value: f64| value.log10();
    Chart {
        key: "blocks",
        title: "Interleaved blocks",
        note: "p99 lateness of each block".to_owned(),
        x: Axis::linear("Round", Quantity::Count, 0.5, last + 0.5),
        y: Axis::log(
            "p99 lateness",
            Quantity::Time,
            10.0_f64.powf(decade(low.max(1.0)).floor()),
            10.0_f64.powf(decade(high).ceil()),
        ),
        marks: Marks::Points(series),
        limits: Vec::new(),
        is_half: true,
    }
}
