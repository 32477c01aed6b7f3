//! The figures that the report of spinning waits shows first.

use super::{has_short, mean, mean_interval, recommended, rows_of};
use crate::nanos::Nanos;
use crate::report::Report;
use crate::report::model::configuration::Configuration;
use crate::report::model::key_figure::{GradePlace, KeyFigure};
use crate::stats::grade;
use crate::units::{format_setting, format_time};

/// Returns the configuration with the highest mean overshoot; `None` without a configuration.
fn worst<'a>(rows: impl Iterator<Item = &'a Configuration>) -> Option<&'a Configuration> {
    rows.max_by(|a, b| mean(a).total_cmp(&mean(b)))
}

pub(super) fn key_figures(report: &Report) -> Vec<KeyFigure> {
    let rows = report.rows.as_slice();
    let Some(strategy) = recommended(rows) else { return Vec::new() };
    let of = |row: Option<&Configuration>, key, title| {
        let position = row.and_then(|row| rows.iter().position(|it| it.label == row.label));
        let length =
            row.map_or_else(String::new, |row| format!("waits of {}", format_setting(row.period)));
        match position {
            Some(at) => KeyFigure::of_cell(report.tables.first(), at, key, title, length),
            None => KeyFigure::absent(title, "not measured"),
        }
    };
    let worst_of =
        |is_idle: bool| worst(rows_of(rows, strategy).filter(|row| row.load.is_none() == is_idle));
    let all = worst(rows_of(rows, strategy));
    let name = (strategy.name().to_owned(), "");
    vec![
        KeyFigure::new(
            if has_short(rows) { "Best up to 1 ms" } else { "Best" },
            name,
            "lowest mean overshoot",
        ),
        of(worst_of(true), "overshoot_average_nanos", "Mean overshoot, idle"),
        of(worst_of(false), "overshoot_average_nanos", "Mean overshoot, load"),
        of(all, "overshoot_p99_nanos", "p99 overshoot"),
        of(all, "iteration_nanos", "Per iteration"),
        of(all, "cpu_per_wait_nanos", "CPU per wait"),
    ]
}

pub(super) fn grade_place(rows: &[Configuration]) -> Option<GradePlace> {
    let row = worst(rows_of(rows, recommended(rows)?).filter(|row| row.grading.is_some()))?;
    let text = format_time(Nanos::from_nanos_f64(mean(row)));
    let measure = format!("mean overshoot: waits of {}", format_setting(row.period));
    Some(GradePlace::of(&grade::SPIN_OVERSHOOT, &measure, text, mean(row), mean_interval(row)))
}
