//! The figures that the report of sleeps shows first.

use super::{TRUSTED, accurate_from, has_unknown, of_limiters, tail_of};
use crate::nanos::Nanos;
use crate::report::model::configuration::{Configuration, with_figures};
use crate::report::model::key_figure::{GradePlace, KeyFigure};
use crate::report::waits::WaitFigures;
use crate::stats::grade;
use crate::units::{format_count, format_setting, format_time};

/// Returns the configuration with the highest p99 overshoot; `None` if no configuration has a p99.
fn worst<'a>(rows: impl Iterator<Item = &'a Configuration>) -> Option<&'a Configuration> {
    rows.filter(|row| row.p99().is_some()).max_by_key(|row| row.p99())
}

pub(super) fn key_figures(all: &[Configuration]) -> Vec<KeyFigure> {
    let rows = of_limiters(all);
    let trusted = format!("p99 below {}", format_setting(TRUSTED));
    let p99 = |title, is_idle: bool| {
        let alike = || rows.iter().copied().filter(|row| row.load.is_none() == is_idle);
        let is_measured = alike().any(|row| row.lateness().is_some());
        let row = worst(alike());
        let length = row.map_or_else(String::new, |row| format_setting(row.period));
        let context = format!("{length} sleeps, the worst duration");
        let absent = if is_measured { "needs 100 sleeps" } else { "not measured" };
        KeyFigure::time_or(title, row.and_then(Configuration::p99), context, absent)
    };
    let longest = rows.iter().filter_map(|row| Some((row.lateness()?.max, row.period))).max();
    let (max, length) = longest.unzip();
    let longest = format!("a sleep of {}", format_setting(length.unwrap_or_default()));
    let (early, count) = with_figures::<WaitFigures>(rows.iter().copied())
        .fold((0, 0), |(early, count), (_, waits)| {
            (early + waits.early_count, count + waits.actual.count)
        });
    let early = (format_count(early), "");
    vec![
        KeyFigure::time_or(
            "Shortest reliable sleep",
            accurate_from(&rows),
            format!("and longer: {trusted}"),
            if may_be_accurate(&rows) {
                "needs 100 sleeps of each duration".to_owned()
            } else {
                format!("none with {trusted}")
            },
        ),
        KeyFigure::time_or(
            "Spin tail",
            tail_of(&rows),
            "for a frame limiter",
            "needs 100 sleeps and a shorter overshoot",
        ),
        p99("p99 overshoot, idle", true),
        p99("p99 overshoot, load", false),
        KeyFigure::time_or("Max overshoot", max, longest, "not measured"),
        KeyFigure::new("Early", early, "ended before their time").among(count),
    ]
}

/// Returns whether more sleeps could show that the longest tested duration is accurate.
fn may_be_accurate(rows: &[&Configuration]) -> bool {
    let longest = rows.iter().map(|row| row.period).max();
    let of_longest: Vec<_> =
        rows.iter().copied().filter(|row| Some(row.period) == longest).collect();
    has_unknown(&of_longest) && of_longest.iter().all(|row| row.p99() <= Some(TRUSTED))
}

pub(super) fn grade_place(all: &[Configuration]) -> Option<GradePlace> {
    let rows = of_limiters(all);
    let row = rows
        .into_iter()
        .filter(|row| row.grading.is_some())
        .max_by_key(|row| (row.grading.map(|grading| grading.worst), row.p99()))?;
    let p99 = row.p99()?;
    let micros = Nanos::as_micros;
    let interval = row.p99_interval().map(|(low, high)| (micros(low), micros(high)));
    let measure = format!("worst p99 overshoot: {} sleeps", format_setting(row.period));
    let place =
        GradePlace::of(&grade::SLEEP_OVERSHOOT, &measure, format_time(p99), micros(p99), interval);
    Some(place)
}
