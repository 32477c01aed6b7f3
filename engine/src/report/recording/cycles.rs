//! The cycles of a followed thread in words, a table, and a chart.

use std::collections::BTreeMap;

use super::cause::{Analysis, Blamed};
use crate::nanos::Nanos;
use crate::report::model::chart::{Axis, Chart, Limit, Marks, Series as Line};
use crate::report::model::table::{Cell, Column, Quantity, Table, TableBuilder};
use crate::report::model::verdict::Finding;
use crate::run::Series;
use crate::run::recording::{EventKind, Follow, NoteKind, Recording, name};
use crate::stats::{PercentileRule, Quantile, Sorted};
use crate::units::{count_text, format_count, format_long_time, format_time};

/// Number of columns that a chart shows at most: those of a wide window.
const COLUMNS: i64 = 1_600;
/// What is called otherwise where a thread is followed instead of a game.
const WORDS: [(&str, &str); 7] = [
    (
        "Lower settings that need the processor, such as view distance. Compiling shaders can look like this.",
        "Look at what the thread does in these cycles.",
    ),
    (
        "Close or pause that program while you play.",
        "Close or pause that program, or give the thread a higher priority.",
    ),
    (", or lower the texture quality", ""),
    ("while you play", "while the thread runs"),
    ("The game", "The program"),
    ("the game", "the program"),
    ("a game", "a program"),
];

impl Analysis {
    /// Returns a text about a game as one about the program whose thread was followed.
    pub(in crate::report) fn reworded(&self, text: String) -> String {
        if !self.is_of_cycles {
            return text;
        }
        WORDS.iter().fold(text, |text, (of_game, of_thread)| text.replace(of_game, of_thread))
    }

    /// Returns the name of a cause.
    pub(in crate::report) fn title(&self, blamed: &Blamed) -> String {
        self.reworded(blamed.title())
    }

    /// Returns what to do against a cause; empty if nothing is known to help.
    pub(in crate::report) fn advice(&self, blamed: &Blamed) -> String {
        self.reworded(blamed.advice())
    }
}

/// The number of cycles that were recorded.
fn cycle_count(recording: &Recording) -> usize {
    recording.series.get(name::CYCLE_LENGTH).map_or(0, |lengths| lengths.values().len())
}

/// Returns how many cycles were late or overran, and of how many: "7 late cycles and 1 overrun", " of 120 000".
pub(super) fn counted(recording: &Recording) -> (String, String) {
    let overruns = recording.bad_cycles().filter(|event| event.kind == EventKind::Overrun).count();
    let late = recording.bad_cycles().count() - overruns;
    let counted = match (late, overruns) {
        (late, 0) => count_text(late, "late cycles"),
        (0, overruns) => count_text(overruns, "overruns"),
        _ => {
            format!("{} and {}", count_text(late, "late cycles"), count_text(overruns, "overruns"))
        }
    };
    (counted, format!(" of {}", format_count(cycle_count(recording))))
}

/// Returns the verdict on a recording of a thread in which no cycle was seen; `None` if some were.
pub(super) fn without_cycles(recording: &Recording) -> Option<Finding> {
    let Follow::Thread { thread, period, .. } = recording.follow else { return None };
    if 0 < cycle_count(recording) {
        return None;
    }
    let (label, length) = (&recording.label, format_long_time(recording.length));
    let (why, advice) = if period == Nanos::ZERO {
        let why = "its wake-ups were too few or too irregular to learn a period from 200 of them";
        (why, "State the period, such as --period 10ms, or record longer.")
    } else {
        let why = "no two wake-ups in a row were one period apart";
        (why, "State the period at which the thread wakes, or leave it out: then it is learned.")
    };
    let finding = Finding::new(
        format!("No cycles of {label} (thread {thread}) in {length}: {why}."),
        recording.tier.sentence.clone(),
    );
    Some(
        finding
            .with_word("Recorded")
            .with_advice(advice.to_owned())
            .with_key(Some("no cycles".to_owned())),
    )
}

/// Returns which thread was followed, with its period.
pub(super) fn followed(recording: &Recording) -> Option<String> {
    let Follow::Thread { thread, period, is_learned } = recording.follow else { return None };
    let program = recording.process.as_ref().map_or("", |process| process.name.as_str());
    let period = match (period, is_learned) {
        (Nanos::ZERO, _) => "no period was found".to_owned(),
        (period, true) => format!("period {}, learned", format_time(period)),
        (period, false) => format!("period {}", format_time(period)),
    };
    let ended = recording.notes.iter().any(|note| note.kind == NoteKind::ThreadEnded);
    let ended = if ended { "; it ended, and the recording with it" } else { "" };
    Some(format!("{}, thread {thread} of {program}, {period}{ended}", recording.label))
}

/// Values of each cycle, sorted.
struct CycleValues {
    name: &'static str,
    sorted: Sorted,
}

/// Returns the table of the cycles; `None` if none was recorded, or no thread was followed.
pub(super) fn table(recording: &Recording) -> Option<Table> {
    if !recording.is_of_thread() {
        return None;
    }
    let values = |name: &str| {
        let values = recording.series.get(name).map(|series| series.values().values().collect());
        values.and_then(|values: Vec<i64>| Sorted::of(values))
    };
    let rows = [
        ("Lateness", values(name::CYCLE_LATENESS)),
        ("Until the thread slept again", values(name::CYCLE_LENGTH)),
        ("Time between cycles", Sorted::of(recording.frames.frame_times().values().collect())),
    ];
    let rows =
        rows.into_iter().filter_map(|(name, sorted)| Some(CycleValues { name, sorted: sorted? }));
    let rows: Vec<CycleValues> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let missed = recording.series.get(name::CYCLE_MISSED);
    let missed = missed.map_or(0, |missed| missed.iter().map(|(_, count)| count).sum::<i64>());
    let note = match u64::try_from(missed) {
        Ok(missed @ 1..) => format!("{} due times passed without a wake-up", format_count(missed)),
        _ => String::new(),
    };
    let percentile = |row: &CycleValues, of| {
        Cell::from(Nanos::from_nanos_f64(row.sorted.percentile(of, PercentileRule::R7)))
    };
    let table = TableBuilder::new("cycles", "Cycles", note, &rows)
        .column(
            Column::text(
                "value",
                "Value",
                "Lateness: from when a cycle was due until the thread had a CPU. Until the thread slept again: from the same time.",
            ),
            |row| Cell::text_of(row.name),
        )
        .column(Column::count("count", "Cycles", "Number of cycles."), |row| row.sorted.count().into())
        .column(Column::time("min_nanos", "Min", "Smallest value."), |row| {
            Nanos::new(row.sorted.at(0)).into()
        })
        .column(Column::time("p50_nanos", "p50", "Median."), |row| percentile(row, Quantile::P50))
        .column(Column::time("p99_nanos", "p99", "99th percentile."), |row| {
            percentile(row, Quantile::P99)
        })
        .column(Column::time("max_nanos", "Max", "Largest value."), |row| {
            Nanos::new(row.sorted.max()).into()
        });
    Some(table.finish())
}

/// Returns the chart of the cycles over time; `None` if too few were recorded.
pub(in crate::report) fn chart(recording: &Recording) -> Option<Chart> {
    let Follow::Thread { period, .. } = recording.follow else { return None };
    let width = (recording.length.get() / COLUMNS).max(1);
    let highest = |name: &str| {
        let mut columns: BTreeMap<i64, i64> = BTreeMap::new();
        for (at, value) in recording.series.get(name).into_iter().flat_map(Series::iter) {
            let highest = columns.entry(at.get() / width).or_insert(value);
            *highest = value.max(*highest);
        }
        let float = |nanos: i64| Nanos::new(nanos).as_f64();
        let points = columns.into_iter();
        points
            .map(|(at, value)| (float(at.saturating_mul(width)), float(value)))
            .collect::<Vec<_>>()
    };
    let lengths = highest(name::CYCLE_LENGTH);
    if lengths.len() < 2 {
        return None;
    }
    let lateness = highest(name::CYCLE_LATENESS);
    let most = lengths.iter().map(|(_, value)| *value).fold(period.as_f64(), f64::max);
    let least = lateness.iter().map(|(_, value)| *value).fold(0.0, f64::min);
    let x = Axis::linear("Time", Quantity::Time, 0.0, recording.length.as_f64());
    let y = Axis::linear("Time since due", Quantity::Time, least, most * 1.05);
    let lines = vec![Line::new("Until asleep", lengths), Line::new("Lateness", lateness)];
    Some(Chart {
        note: format!(
            "the longest of each {}: late above {}, an overrun above the period",
            format_time(Nanos::new(width).max(period)),
            format_time(Nanos::new(period.get() / 10))
        ),
        limits: vec![Limit::horizontal(period.as_f64(), "period")],
        ..Chart::new(("timeline", "Cycles"), (x, y), Marks::Lines(lines))
    })
}
