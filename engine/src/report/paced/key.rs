//! The figures that the report of a frame loop shows first.

use super::super::model::configuration::Configuration;
use super::super::model::key_figure::{GradePlace, KeyFigure};
use super::basis::rate_words;
use super::figures::{is_graded_by_missed, missed_rate};
use crate::report::Report;
use crate::stats::{float, grade};
use crate::units::{
    format_count, format_graded_percent, format_interval, format_share, format_time,
};

/// Returns the figures of the only configuration; empty if there are several, or if there are no samples.
pub(in crate::report) fn key_figures(report: &Report) -> Vec<KeyFigure> {
    let [row] = report.rows.as_slice() else { return Vec::new() };
    let Some(summary) = &row.summary else { return Vec::new() };
    let of = |key, title, context: String| {
        KeyFigure::of_cell(report.tables.first(), 0, key, title, context)
    };
    let interval = row.p99_interval().map(|(low, high)| {
        format!("95% CI {}", format_interval(&format_time(low), &format_time(high)))
    });
    let of_frame = summary.lateness.max.as_f64() / row.period.as_f64();
    let late = float(summary.late_count) / float(summary.lateness.count.max(1));
    let skipped = match summary.empty_count {
        0 => "none skipped".to_owned(),
        count => format!("{} skipped", format_count(count)),
    };
    let average = summary.average_fps.map(|fps| format!("mean {fps:.1} FPS"));
    vec![
        of("p50_nanos", "p50 lateness", "half of all frames".to_owned()),
        of("p99_nanos", "p99 lateness", interval.unwrap_or_else(|| "too few frames".to_owned())),
        of("max_nanos", "Max lateness", format!("{} of a frame", format_share(of_frame))),
        of(
            "late_count",
            "Late frames",
            format!("{}, more than {}", format_share(late), format_time(row.late_limit)),
        )
        .among(summary.lateness.count),
        of("missed_count", "Missed frames", skipped).among(summary.slot_count),
        of("one_percent_low_fps", "1% low", average.unwrap_or_default()),
    ]
}

/// Returns the place of p99 lateness on the scale of grades; `None` if the configuration is not graded.
pub(in crate::report) fn grade_place(row: &Configuration) -> Option<GradePlace> {
    row.grading?;
    if is_graded_by_missed(row) {
        let rate = missed_rate(row) * 1_000.0;
        let measure = "missed frames, lower end of the 95% CI of their rate";
        let text = rate_words(row);
        return Some(GradePlace::of(&grade::FRAME_MISSED, measure, text, rate, None));
    }
    let percent = |time: crate::nanos::Nanos| time.as_f64() / row.period.as_f64() * 100.0;
    let share = row.p99_percent_of_frame()?;
    let interval = row.p99_interval().map(|(low, high)| (percent(low), percent(high)));
    let measure = "p99 lateness, share of a frame";
    let text = format_graded_percent(share, &grade::FRAME_LATENESS.upper);
    Some(GradePlace::of(&grade::FRAME_LATENESS, measure, text, share, interval))
}
