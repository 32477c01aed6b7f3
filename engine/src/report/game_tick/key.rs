//! Key figures of a game tick test.

use super::{Scaling, TickFigures, judged};
use crate::nanos::Nanos;
use crate::report::Report;
use crate::report::model::key_figure::{GradePlace, KeyFigure};
use crate::run::Run;
use crate::stats::grade::TICK_LOSS;
use crate::units::{format_ratio, format_share, format_time};

/// Returns the scaling and the figures of the configuration that the key figures describe: the
/// first workload at its graded thread count.
fn first<'a>(run: &Run, report: &'a Report) -> Option<(&'a Scaling, &'a TickFigures)> {
    let kind = report.results::<Scaling>().first()?.kind;
    let scaling = judged(report, run.machine.physical_cores.unwrap_or(u32::MAX), kind)?;
    Some((scaling, scaling.ticks(report)?))
}

pub(super) fn key_figures(run: &Run, report: &Report, budget: Nanos) -> Vec<KeyFigure> {
    let Some((scaling, ticks)) = first(run, report) else { return Vec::new() };
    let of = |key, title, context: String| {
        KeyFigure::of_cell(report.tables.first(), scaling.row, key, title, context)
    };
    let threads = match scaling.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let error = ticks.error_nanos.map(Nanos::from_nanos_f64);
    let error = error.map_or_else(
        || "needs 2 iterations".to_owned(),
        |it| format!("± {} (99.9%)", format_time(it)),
    );
    let efficiency = match scaling.efficiency {
        Some(value) => {
            KeyFigure::new("Efficiency", (format_ratio(value), "per core"), "1.00 is ideal")
        }
        None => KeyFigure::absent("Efficiency", "one thread was not measured"),
    };
    let frame =
        KeyFigure::new("Within 16.7 ms", (format_share(ticks.in_frame), ""), "a frame at 60 FPS");
    let in_budget =
        KeyFigure::new("Within budget", (format_share(ticks.in_budget), ""), format_time(budget));
    vec![
        of("cycle_average_nanos", "Per cycle", error),
        of("speedup", "Speedup", format!("on {threads}")),
        efficiency,
        of("serial_share", "Serial fraction", "Amdahl's law".to_owned()),
        frame,
        in_budget,
    ]
}

pub(super) fn grade_place(run: &Run, report: &Report) -> Option<GradePlace> {
    let (scaling, _) = first(run, report)?;
    scaling.grading?;
    let efficiency = scaling.efficiency?;
    let measure = format!("efficiency per core on {} threads", scaling.threads);
    let place =
        GradePlace::of(&TICK_LOSS, &measure, format_ratio(efficiency), 1.0 - efficiency, None);
    Some(place.with_limits(TICK_LOSS.upper.map(|loss| format_ratio(1.0 - loss))))
}
