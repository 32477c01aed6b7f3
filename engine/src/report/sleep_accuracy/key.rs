//! The figures that the report of sleeps shows first.

use super::{TRUSTED, accurate_from, of_limiters, tail_of};
use crate::nanos::Nanos;
use crate::report::model::configuration::Configuration;
use crate::report::model::key_figure::{GradePlace, KeyFigure};
use crate::report::waits::{overshoot, waits};
use crate::stats::grade;
use crate::units::{format_count, format_setting, format_time};

/// Returns the configuration with the highest p99 overshoot; `None` if no configuration has a p99.
fn worst<'a>(rows: impl Iterator<Item = &'a Configuration>) -> Option<&'a Configuration> {
    rows.filter(|row| row.p99().is_some()).max_by_key(|row| row.p99())
}

pub(super) fn key_figures(all: &[Configuration]) -> Vec<KeyFigure> {
    let rows = of_limiters(all);
    let reliable = match accurate_from(&rows) {
        Some(length) => {
            let context = format!("and longer: p99 below {}", format_setting(TRUSTED));
            KeyFigure::time("Shortest reliable sleep", length, context)
        }
        None => KeyFigure::absent(
            "Shortest reliable sleep",
            format!("none with p99 below {}", format_setting(TRUSTED)),
        ),
    };
    let tail = match tail_of(&rows) {
        Some(tail) => KeyFigure::time("Spin tail", tail, "for a frame limiter"),
        None => KeyFigure::absent("Spin tail", "needs 100 sleeps and a shorter overshoot"),
    };
    let p99 = |title, is_idle: bool| {
        let row = worst(rows.iter().copied().filter(|row| row.load.is_none() == is_idle));
        match row.and_then(|row| Some((row, row.p99()?))) {
            Some((row, p99)) => {
                let context = format!("{} sleeps, the worst duration", format_setting(row.period));
                KeyFigure::time(title, p99, context)
            }
            None => KeyFigure::absent(title, "not measured"),
        }
    };
    let longest = rows.iter().filter_map(|row| Some((overshoot(row)?.max, row.period))).max();
    let most = longest.map_or_else(
        || KeyFigure::absent("Max overshoot", "not measured"),
        |(max, length)| {
            KeyFigure::time("Max overshoot", max, format!("a sleep of {}", format_setting(length)))
        },
    );
    let (early, count) = waits(rows.iter().copied()).fold((0, 0), |(early, count), (_, waits)| {
        (early + waits.early_count, count + waits.actual.count)
    });
    let early = (format_count(early), "");
    vec![
        reliable,
        tail,
        p99("p99 overshoot, idle", true),
        p99("p99 overshoot, load", false),
        most,
        KeyFigure::new("Early", early, "ended before their time").among(count),
    ]
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
