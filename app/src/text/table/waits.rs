//! Sleeps and spins as tables.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{LoadCount, SpinStrategy, Wait};
use jitterscope_engine::report::{Figures, Report, Row, WaitFigures};
use jitterscope_engine::units::format_setting;

use super::{Column, Group, Line, ResultTable, caution_of};
use crate::text::{MISSING, count, duration, exact_millis, signed_duration};

/// What ran beside a row, in words: `Idle`, `4 busy threads`.
pub(super) fn beside(row: &Row) -> String {
    match row.load.count {
        _ if row.load.is_none() => "Idle".to_owned(),
        LoadCount::Threads(1) => "1 load thread".to_owned(),
        LoadCount::Threads(threads) => format!("{threads} load threads"),
        LoadCount::PerLogicalCpu => "one load thread per CPU".to_owned(),
        LoadCount::PerPhysicalCore => "one load thread per core".to_owned(),
    }
}

fn waits(report: &Report) -> impl Iterator<Item = (usize, &Row, &WaitFigures)> {
    report.rows.iter().enumerate().filter_map(|(position, row)| match &row.figures {
        Figures::Waits(waits) => Some((position, row, waits)),
        _ => None,
    })
}

fn or_missing(value: Option<Nanos>) -> String {
    value.map_or_else(|| MISSING.to_owned(), duration)
}

/// Requested, condition, average, best, p50, p99, worst, overshoot.
pub(super) fn sleep(report: &Report) -> ResultTable {
    let mut lines: Vec<(Nanos, Line)> = Vec::new();
    let mut most = 0;
    for (position, row, figures) in waits(report) {
        let actual = &figures.actual;
        most = most.max(actual.count);
        let mut condition = beside(row);
        if row.wait == Wait::OsSleep {
            condition.push_str(", absolute");
        }
        if row.conditions.timer_slack != Nanos::ZERO || row.conditions.fine_timer {
            condition.push_str(", finest timers");
        }
        let overshoot = row.summary.as_ref().map(|summary| &summary.lateness);
        let line = Line {
            cells: vec![
                format_setting(figures.requested),
                condition,
                duration(Nanos::from_nanos_f64(actual.mean_nanos)),
                duration(actual.min),
                duration(actual.p50),
                or_missing(actual.p99),
                duration(actual.max),
                overshoot.map_or_else(
                    || MISSING.to_owned(),
                    |overshoot| signed_duration(Nanos::from_nanos_f64(overshoot.mean_nanos)),
                ),
            ],
            grade: row.grade(),
            strong: Some(2),
            rows: vec![position],
            caution: caution_of(row),
            is_key: false,
            series: Some(usize::from(!row.load.is_none())),
        };
        lines.push((figures.requested, line));
    }
    lines.sort_by_key(|(requested, _)| *requested);
    ResultTable {
        title: "Results",
        note: format!("{} sleeps each", count(u64::try_from(most).unwrap_or(0))),
        columns: vec![
            Column::text("Requested", 84),
            Column::text("Condition", 150),
            Column::number("Average", 84),
            Column::number("Min", 84),
            Column::number("p50", 84),
            Column::number("p99", 84),
            Column::number("Max", 84),
            Column::number("Average overshoot", 124),
        ],
        groups: Vec::new(),
        has_grades: true,
        lines: lines.into_iter().map(|(_, line)| line).collect(),
    }
}

/// Wait, strategy, and spins, actual and overshoot idle and under load.
pub(super) fn spin(report: &Report) -> ResultTable {
    let mut lines: Vec<Line> = Vec::new();
    let mut loaded = String::new();
    let mut keys: Vec<(Nanos, Wait)> = Vec::new();
    for (_, row, figures) in waits(report) {
        if !row.load.is_none() && loaded.is_empty() {
            loaded = beside(row);
        }
        let key = (figures.requested, row.wait);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let has_idle = waits(report).any(|(_, row, _)| row.load.is_none());
    let halves: Vec<bool> = [has_idle.then_some(true), (!loaded.is_empty()).then_some(false)]
        .into_iter()
        .flatten()
        .collect();
    let mut most = 0;
    for (requested, wait) in keys {
        let name = match wait {
            Wait::Spin(strategy) => strategy.name(),
            Wait::OsSleep | Wait::Relative | Wait::Hybrid(_) => MISSING,
        };
        let mut line =
            Line { cells: vec![format_setting(requested), name.to_owned()], ..Line::default() };
        line.series = match wait {
            Wait::Spin(strategy) => SpinStrategy::ALL.iter().position(|one| *one == strategy),
            Wait::OsSleep | Wait::Relative | Wait::Hybrid(_) => None,
        };
        for &is_idle in &halves {
            let of = waits(report).find(|(_, row, figures)| {
                (figures.requested, row.wait) == (requested, wait) && row.load.is_none() == is_idle
            });
            let Some((position, row, figures)) = of else {
                line.cells.extend(std::iter::repeat_n(MISSING.to_owned(), 4));
                continue;
            };
            let overshoot = row.summary.as_ref().map_or(0.0, |row| row.lateness.mean_nanos);
            most = most.max(figures.actual.count);
            line.cells.extend([
                count(Nanos::from_nanos_f64(figures.spins).get().unsigned_abs()),
                exact(Nanos::from_nanos_f64(figures.actual.mean_nanos)),
                signed_duration(Nanos::from_nanos_f64(overshoot)),
                row.summary
                    .as_ref()
                    .map_or_else(|| MISSING.to_owned(), |summary| or_missing(summary.lateness.p99)),
            ]);
            line.strong = Some(line.cells.len() - 2);
            line.rows.push(position);
            line.grade = line.grade.max(row.grade());
            if line.caution.is_empty() {
                line.caution = caution_of(row);
            }
        }
        lines.push(line);
    }
    let mut columns = vec![Column::text("Wait", 70), Column::text("Strategy", 110)];
    let mut groups = vec![Group { title: String::new(), columns: columns.len(), series: None }];
    for is_idle in halves {
        let half = if is_idle { "idle" } else { "load" };
        let halves = [
            Column::number(&format!("Spins, {half}"), 72).short("Spins"),
            Column::number("Actual", 104),
            Column::number("Overshoot", 84),
            Column::number("p99", 74).extra(),
        ];
        let title = if is_idle { "Idle".to_owned() } else { first_letter_large(&loaded) };
        groups.push(Group { title, columns: halves.len(), series: None });
        columns.extend(halves);
    }
    let mut note = format!("averages of up to {} waits", count(u64::try_from(most).unwrap_or(0)));
    if !loaded.is_empty() {
        note.push_str(&format!("; load is {loaded}"));
    }
    ResultTable { title: "Results", note, columns, groups, has_grades: true, lines }
}

fn first_letter_large(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// All digits of a length: `5.000 039 ms`, `163 ns`.
fn exact(length: Nanos) -> String {
    if length < Nanos::from_millis(1) { duration(length) } else { exact_millis(length) }
}
