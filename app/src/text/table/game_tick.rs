//! Game cycles as a table: a line a thread count, both workloads side by side.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::work::CycleKind;
use jitterscope_engine::report::{Figures, Report, Scaling, TickFigures};

use super::{Column, Group, Line, ResultTable};
use crate::text::{MISSING, count, percent};

pub(super) fn of(report: &Report, budget: Nanos) -> ResultTable {
    let kinds: Vec<CycleKind> = [CycleKind::Players, CycleKind::Npcs]
        .into_iter()
        .filter(|kind| report.scaling.iter().any(|scaling| scaling.kind == *kind))
        .collect();
    let mut threads: Vec<u32> = report.scaling.iter().map(|scaling| scaling.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let lines = threads.iter().map(|&threads| line(report, &kinds, threads, budget)).collect();
    let size_of = |kind| {
        report.rows.iter().find_map(|row| match &row.figures {
            Figures::Ticks(ticks) if ticks.cycle.kind == kind => Some(match kind {
                CycleKind::Players => ticks.cycle.players,
                CycleKind::Npcs => ticks.cycle.npcs,
            }),
            _ => None,
        })
    };
    let what: Vec<String> = kinds
        .iter()
        .filter_map(|&kind| Some(format!("{} {}", count(u64::from(size_of(kind)?)), kind.name())))
        .collect();
    let mut columns = vec![Column::number("Threads", 52)];
    let mut groups = vec![Group { title: String::new(), columns: 1, series: None }];
    for (&kind, series) in kinds.iter().zip(0..) {
        let of_kind = [
            Column::number(&format!("{}: ms per cycle ± error", kind.name()), 122)
                .short("ms per cycle ± error"),
            Column::number("p99", 60).extra(),
            Column::number("Speed-up", 58),
            Column::number("Efficiency", 60),
            Column::number("Of budget", 58),
        ];
        let size = size_of(kind).map_or(String::new(), |size| count(u64::from(size)));
        let title = format!("{}, {size}", kind.name());
        groups.push(Group { title, columns: of_kind.len(), series: Some(series) });
        columns.extend(of_kind);
    }
    ResultTable {
        title: "Results",
        note: format!("{}; error is the 99.9% CI", what.join(", ")),
        columns,
        groups,
        has_grades: true,
        lines,
    }
}

fn line(report: &Report, kinds: &[CycleKind], threads: u32, budget: Nanos) -> Line {
    let mut line = Line { cells: vec![threads.to_string()], ..Line::default() };
    for &kind in kinds {
        let found = report
            .scaling
            .iter()
            .find(|scaling| scaling.kind == kind && scaling.threads == threads);
        let ticks = found.and_then(|scaling| match &report.rows.get(scaling.row)?.figures {
            Figures::Ticks(ticks) => Some((scaling, ticks)),
            _ => None,
        });
        let Some((scaling, ticks)) = ticks else {
            line.cells.extend(std::iter::repeat_n(MISSING.to_owned(), 5));
            continue;
        };
        line.cells.extend(cells(scaling, ticks, budget));
        line.rows.push(scaling.row);
        line.grade = line.grade.max(scaling.grade());
        if scaling.has_wide_error {
            "wide error".clone_into(&mut line.caution);
        }
    }
    line
}

fn cells(scaling: &Scaling, ticks: &TickFigures, budget: Nanos) -> [String; 5] {
    let millis = ticks.mean_nanos / 1e6;
    let error = ticks.error_nanos.map(|error| error / 1e6);
    let number = |value: Option<f64>, mark: &str| {
        value.map_or_else(|| MISSING.to_owned(), |value| format!("{value:.2}{mark}"))
    };
    [
        match error {
            Some(error) => format!("{millis:.3} ± {error:.3}"),
            None => format!("{millis:.3}"),
        },
        ticks
            .cycles
            .p99
            .map_or_else(|| MISSING.to_owned(), |p99| format!("{:.1}", p99.as_millis())),
        number(scaling.speed_up, "×"),
        number(scaling.efficiency, ""),
        percent(ticks.mean_nanos / budget.as_f64().max(1.0)),
    ]
}
