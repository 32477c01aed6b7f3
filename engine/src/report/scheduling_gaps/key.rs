//! The figures that the report of gap probes shows first.

use super::figures::GAP_CLASSES;
use super::{GapFigures, Stall};
use crate::nanos::Nanos;
use crate::report::Report;
use crate::report::model::configuration::{Configuration, with_figures};
use crate::report::model::key_figure::{GradePlace, KeyFigure};
use crate::stats::{float, grade};
use crate::units::{
    count_text, format_count, format_decimal, format_long_time, format_share, format_time,
};

fn probes(report: &Report) -> impl Iterator<Item = (&Configuration, &GapFigures)> {
    with_figures(&report.rows)
}

/// Returns the CPU with the longest gap that no thread of this program caused, and the figures of that CPU.
fn longest(report: &Report) -> Option<(&Configuration, &GapFigures)> {
    probes(report).max_by_key(|(_, gaps)| gaps.graded)
}

pub(super) fn key_figures(report: &Report) -> Vec<KeyFigure> {
    let Some((row, gaps)) = longest(report) else { return Vec::new() };
    let runtime =
        probes(report).map(|(_, gaps)| gaps.runtime).fold(Nanos::ZERO, |sum, it| sum + it);
    let lost = probes(report).map(|(_, gaps)| gaps.lost).fold(Nanos::ZERO, |sum, it| sum + it);
    let count: usize = probes(report).map(|(_, gaps)| gaps.gap_count).sum();
    // Position of the first class with gaps of 1 ms or longer.
    let from =
        GAP_CLASSES.iter().position(|limit| Nanos::from_millis(1) <= *limit).unwrap_or(0) + 1;
    let long: usize = probes(report).flat_map(|(_, gaps)| gaps.classes.iter().skip(from)).sum();
    let cpus = probes(report).count();
    let in_all = format!("{} on {}", format_long_time(gaps.runtime), count_text(cpus, "CPUs"));
    let share = lost.as_f64() / runtime.as_f64().max(1.0);
    let p99 =
        report.rows.iter().filter_map(|row| row.p99().map(|p99| (p99, row))).max_by_key(|it| it.0);
    let (p99, highest) = p99.map(|(p99, row)| (p99, format!("{}, the highest", row.label))).unzip();
    let p99 = KeyFigure::time_or("p99 gap", p99, highest.unwrap_or_default(), "needs 100 gaps");
    let per_second = float(count) / runtime.as_secs().max(f64::MIN_POSITIVE);
    let timed = |title, (value, note): (String, String)| {
        if runtime == Nanos::ZERO {
            return KeyFigure::absent(title, "known after 1 s");
        }
        KeyFigure::new(title, (value, ""), note)
    };
    let stalls = report.results::<Stall>();
    let stall = stalls.iter().map(|stall| stall.length).max();
    vec![
        KeyFigure::time("Longest gap", gaps.graded, format!("{}, in {in_all}", row.label)),
        timed("Time lost", (format_share(share), format!("{} in gaps", format_time(lost)))),
        p99,
        timed("Gaps per second", (format_decimal(per_second, 1), "per CPU, on average".to_owned())),
        KeyFigure::new("Gaps above 1 ms", (format_count(long), ""), "on all CPUs").among(count),
        KeyFigure::new(
            "Multi-CPU stalls",
            (format_count(stalls.len()), ""),
            stall.map_or_else(
                || "no gap on several CPUs".to_owned(),
                |it| format!("longest {}", format_time(it)),
            ),
        ),
    ]
}

pub(super) fn grade_place(report: &Report) -> Option<GradePlace> {
    let (row, gaps) = longest(report)?;
    let (good, fair) = gaps.limits;
    let excellent = Nanos::from_nanos_f64(grade::LONGEST_GAP.upper[0] * 1e6).min(good);
    let others = probes(report).filter(|(other, _)| other.label != row.label);
    let others: Vec<Nanos> = others.map(|(_, gaps)| gaps.graded).collect();
    let measure = match others.len() {
        0 => "longest gap".to_owned(),
        _ => format!("longest gap, {}; thin lines: other CPUs", row.label),
    };
    let limits = [excellent, good, fair];
    Some(GradePlace::of_times(limits, &measure, gaps.graded, None, others.into_iter()))
}
