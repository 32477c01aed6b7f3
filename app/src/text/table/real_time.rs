//! Normal and real-time side by side as a table: a line a metric.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Report, Row};
use jitterscope_engine::stats::Spread;
use jitterscope_engine::stats::reduction::Reduction;

use super::{Column, Line, ResultTable};
use crate::text::{MISSING, change, count, duration, period_millis, range};

type Part = fn(&Row) -> Option<&Spread>;

fn frame_time(row: &Row) -> Option<&Spread> {
    row.summary.as_ref()?.frame_time.as_ref()
}

fn work(row: &Row) -> Option<&Spread> {
    Some(&row.summary.as_ref()?.work)
}

fn lateness(row: &Row) -> Option<&Spread> {
    Some(&row.summary.as_ref()?.lateness)
}

/// How a line takes its number from a spread: `NaN` where there is none.
type Take = fn(&Spread) -> f64;

pub(super) fn of(report: &Report) -> ResultTable {
    let mut columns = vec![Column::text("Metric", 190)];
    for (position, row) in report.rows.iter().enumerate() {
        let refused = row.granted.is_some() && !row.is_as_asked();
        let mark = if refused { " (denied)" } else { "" };
        columns.push(Column::number(&format!("{}{mark}", row.label), 120));
        if 0 < position {
            columns.push(Column::number("Change", 150));
        }
    }
    let deviation: Take = |spread| spread.std_dev_nanos.unwrap_or(f64::NAN);
    let mean: Take = |spread| spread.mean_nanos;
    let width: Take = |spread| (spread.max - spread.min).as_f64();
    let p99: Take = |spread| spread.p99.map_or(f64::NAN, Nanos::as_f64);
    let mut lines = vec![
        metric(report, "Frame time, std dev", frame_time, deviation, Show::Number),
        metric(report, "Frame time, mean", frame_time, mean, Show::Period),
        metric(report, "Frame time, min to max", frame_time, width, Show::Range),
        metric(report, "Lateness, p99", lateness, p99, Show::Number),
        metric(report, "Execution time, std dev", work, deviation, Show::Number),
        metric(report, "Execution time, mean", work, mean, Show::Number),
        metric(report, "Execution time, min to max", work, width, Show::Range),
        late(report),
    ];
    if let Some(first) = lines.first_mut() {
        first.is_key = true;
    }
    ResultTable {
        title: "Normal compared with real-time",
        note: "95% CI from blocks of one second".to_owned(),
        columns,
        groups: Vec::new(),
        has_grades: false,
        lines,
    }
}

/// How the cells of a line are written.
#[derive(Clone, Copy, PartialEq)]
enum Show {
    Number,
    Period,
    Range,
}

fn metric(report: &Report, name: &str, part: Part, take: Take, show: Show) -> Line {
    let mut line = Line { cells: vec![name.to_owned()], ..Line::default() };
    let normal = report.rows.first().and_then(part).map(take);
    for (position, row) in report.rows.iter().enumerate() {
        let spread = part(row);
        let number = spread.map(take).filter(|number| number.is_finite());
        line.cells.push(match (show, spread, number) {
            (Show::Range, Some(spread), _) => range(spread.min, spread.max),
            (Show::Period, _, Some(number)) => period_millis(Nanos::from_nanos_f64(number)),
            (_, _, Some(number)) => duration(Nanos::from_nanos_f64(number)),
            _ => MISSING.to_owned(),
        });
        if position == 0 {
            continue;
        }
        let fits = row.is_as_asked();
        let is_key = name.starts_with("Frame time, std dev");
        let fall = report.changes.iter().find(|change| change.policy == position);
        let words = match (normal, number) {
            _ if is_waiting(row) => MISSING.to_owned(),
            _ if !fits => "not applied".to_owned(),
            (Some(normal), Some(number)) if 0.0 < normal => {
                // Before the run is complete there is no interval, and a few frames say nothing.
                if fall.and_then(|change| change.period).is_none() {
                    line.cells.push(MISSING.to_owned());
                    continue;
                }
                let unclear = is_key
                    && fall.and_then(|change| change.period).is_some_and(Reduction::is_unclear);
                if unclear || show == Show::Period {
                    "no clear difference".to_owned()
                } else {
                    change((number - normal) / normal)
                }
            }
            _ => MISSING.to_owned(),
        };
        line.cells.push(words);
    }
    line.rows = (0..report.rows.len()).collect();
    line
}

/// Whether its first turn is still to come.
fn is_waiting(row: &Row) -> bool {
    row.granted.is_none() && row.skipped.is_none()
}

fn late(report: &Report) -> Line {
    let limit = report.rows.first().map_or(Nanos::ZERO, |row| row.late_limit);
    let mut line =
        Line { cells: vec![format!("Late frames, above {}", duration(limit))], ..Line::default() };
    let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let of = |row: &Row| row.summary.as_ref().map(|row| (row.late_count, row.slot_count));
    let normal = report.rows.first().and_then(of);
    for (position, row) in report.rows.iter().enumerate() {
        line.cells.push(of(row).map_or_else(
            || MISSING.to_owned(),
            |(late, all)| format!("{} of {}", count(wide(late)), count(wide(all))),
        ));
        if position == 0 {
            continue;
        }
        line.cells.push(match (normal, of(row)) {
            _ if is_waiting(row) => MISSING.to_owned(),
            _ if !row.is_as_asked() => "not applied".to_owned(),
            (Some((before, _)), Some((after, _))) if after < before => {
                format!("{} fewer", count(wide(before - after)))
            }
            (Some((before, _)), Some((after, _))) if before < after => {
                format!("{} more", count(wide(after - before)))
            }
            (Some(_), Some(_)) => "no difference".to_owned(),
            _ => MISSING.to_owned(),
        });
    }
    line
}
