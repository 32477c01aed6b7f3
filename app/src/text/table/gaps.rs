//! Gap probes as a table, the biggest gap first.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Figures, GapFigures, Report, Row};

use super::{Column, Line, ResultTable, caution_of};
use crate::text::{MISSING, count, duration, percent};

pub(super) fn of(report: &Report) -> ResultTable {
    let mut rows: Vec<(usize, &Row, &GapFigures)> = report
        .rows
        .iter()
        .enumerate()
        .filter_map(|(position, row)| match &row.figures {
            Figures::Gaps(gaps) => Some((position, row, gaps.as_ref())),
            _ => None,
        })
        .collect();
    rows.sort_by_key(|(_, _, gaps)| std::cmp::Reverse(gaps.biggest));
    let or_missing = |value: Option<Nanos>| value.map_or_else(|| MISSING.to_owned(), duration);
    let lines = rows
        .iter()
        .map(|(position, row, gaps)| {
            let lengths = row.summary.as_ref().map(|summary| &summary.lateness);
            Line {
                cells: vec![
                    row.label.clone(),
                    duration(gaps.biggest),
                    or_missing(lengths.map(|spread| spread.p50)),
                    or_missing(lengths.and_then(|spread| spread.p99)),
                    or_missing(lengths.and_then(|spread| spread.p99_9)),
                    or_missing(lengths.map(|spread| Nanos::from_nanos_f64(spread.mean_nanos))),
                    or_missing(
                        lengths.and_then(|spread| spread.std_dev_nanos).map(Nanos::from_nanos_f64),
                    ),
                    count(u64::try_from(gaps.gap_count).unwrap_or(0)),
                    format!("{:.1}", gaps.per_second),
                    percent(gaps.lost_share),
                    gaps.period.map_or_else(
                        || "none".to_owned(),
                        |step| format!("every {}", duration(step)),
                    ),
                ],
                grade: row.grade(),
                strong: Some(1),
                rows: vec![*position],
                caution: caution_of(row),
                is_key: false,
                series: None,
            }
        })
        .collect();
    let threshold = rows.iter().map(|(_, _, gaps)| gaps.threshold).max().unwrap_or_default();
    ResultTable {
        title: "CPUs",
        note: if Nanos::ZERO < threshold {
            format!("gaps longer than {}, longest first", duration(threshold))
        } else {
            "longest first".to_owned()
        },
        columns: vec![
            Column::text("CPU", 64),
            Column::number("Longest", 76),
            Column::number("p50", 70).extra(),
            Column::number("p99", 70).extra(),
            Column::number("p99.9", 70).extra(),
            Column::number("Average", 70),
            Column::number("Std dev", 70),
            Column::number("Gaps", 70),
            Column::number("per second", 70).extra(),
            Column::number("Time lost", 80),
            Column::number("Regular", 100).extra(),
        ],
        groups: Vec::new(),
        has_grades: true,
        lines,
    }
}
