//! The time of a row by the clock of its file: counted from a start, or a time of day.

use super::known::{self, Quantity};
use super::row::Row;
use super::table::{Table, number_of};
use super::time_unit::TimeUnit;
use crate::nanos::Nanos;
use crate::stats::float;

/// Length of a day: times of day start again at midnight.
const DAY: Nanos = Nanos::from_secs(86_400);
/// No server has more ticks than 200 per second: a log with a row per second of an idle one would else be one of ticks.
const MIN_STEP: Nanos = Nanos::from_millis(5);

/// The column with the time of a row.
#[derive(Clone, Debug)]
pub(super) enum RowClock {
    /// A number, in nanoseconds per unit.
    Number { place: usize, unit_nanos: f64 },
    /// Hours, minutes, and seconds. `last` is the time of the last row from the first midnight.
    TimeOfDay { place: usize, last: Option<Nanos> },
}

impl RowClock {
    /// Returns the clock of a table, other than its column of frame times; `None` if it has none.
    pub(super) fn new(table: &Table, frame_time: usize) -> Option<Self> {
        let of = |wanted: Quantity| {
            let columns = table.names.iter().enumerate();
            columns.filter(|(place, _)| *place != frame_time).find_map(move |(place, name)| {
                let known = known::known_column(name)?;
                (known.quantity == wanted).then_some((place, known.unit))
            })
        };
        if let Some((place, unit)) = of(Quantity::Clock) {
            let unit_nanos = unit.unwrap_or(TimeUnit::Nanos).millis(1.0) * 1e6;
            return Some(Self::Number { place, unit_nanos });
        }
        let (place, _) = of(Quantity::TimeOfDay)?;
        let is_time =
            |row: &Vec<String>| row.get(place).is_some_and(|cell| time_of_day(cell).is_some());
        if table.rows.iter().any(is_time) {
            return Some(Self::TimeOfDay { place, last: None });
        }
        let unit_nanos = number_unit(table, place, frame_time)?.millis(1.0) * 1e6;
        Some(Self::Number { place, unit_nanos })
    }

    /// Returns the time of a row, which follows the one before; `None` if it has none.
    pub(super) fn read(&mut self, row: &Row) -> Option<Nanos> {
        self.time_of(row).map(|at| self.in_order(at))
    }

    /// Returns the time of a row, whatever the rows before have: a time of day is one after the last midnight.
    pub(super) fn time_of(&self, row: &Row) -> Option<Nanos> {
        match self {
            Self::Number { place, unit_nanos } => {
                Some(Nanos::from_nanos_f64(row.number(*place)? * *unit_nanos))
            }
            Self::TimeOfDay { place, .. } => time_of_day(row.text(*place)),
        }
    }

    /// Returns the time of the next row after its `time_of`: a time of day is one after the first midnight.
    pub(super) fn in_order(&mut self, mut at: Nanos) -> Nanos {
        if let Self::TimeOfDay { last, .. } = self {
            if let Some(last) = *last {
                let days = (last.get() + DAY.get() / 2 - at.get()).max(0) / DAY.get();
                at += Nanos::new(days * DAY.get());
            }
            *last = Some(at);
        }
        at
    }
}

/// Returns the unit of a clock that counts from a start which its name does not state: the one of a date, or the smallest
/// in which rows are [`MIN_STEP`] apart and a server could work on its ticks between them. `None` if neither shows it.
fn number_unit(table: &Table, place: usize, frame_time: usize) -> Option<TimeUnit> {
    let numbers = |place: usize| {
        let cells = table.rows.iter().filter_map(move |row| row.get(place));
        cells.filter_map(|cell| number_of(cell, table.separator)).collect::<Vec<f64>>()
    };
    let times = numbers(place);
    let (first, last) = (*times.first()?, *times.last()?);
    let units = [TimeUnit::Nanos, TimeUnit::Micros, TimeUnit::Millis, TimeUnit::Secs];
    // 2001 to 2286, counted from 1970.
    let is_date = |unit: &&TimeUnit| (1e12..1e13).contains(&unit.millis(first));
    if let Some(unit) = units.iter().find(is_date) {
        return Some(*unit);
    }
    let work: f64 = numbers(frame_time).iter().skip(1).sum();
    let step = (last - first) / float(times.len().saturating_sub(1).max(1));
    let fits = |unit: &&TimeUnit| {
        0.0 < work && work <= unit.millis(last - first) && MIN_STEP.as_millis() <= unit.millis(step)
    };
    units.iter().find(fits).copied().filter(|_| table.has_ticks(frame_time))
}

/// Parses the time of day in a cell, with or without a date before it and a zone after it.
fn time_of_day(cell: &str) -> Option<Nanos> {
    let mut words = cell.split([' ', 'T']).skip_while(|word| !word.contains(':'));
    let mut parts = words.next()?.trim_end_matches('Z').split([':', '+', '-']);
    let mut next = || parts.next()?.replacen(',', ".", 1).parse::<f64>().ok();
    let (hours, minutes) = (next()?, next()?);
    let seconds = next().unwrap_or_default();
    let half = words.last().unwrap_or_default().to_ascii_lowercase();
    let hours = match half.as_str() {
        "am" | "pm" if hours < 13.0 => hours % 12.0 + if half == "pm" { 12.0 } else { 0.0 },
        _ => hours,
    };
    let is_time = (0.0..24.0).contains(&hours)
        && (0.0..60.0).contains(&minutes)
        && (0.0..61.0).contains(&seconds);
    is_time.then(|| Nanos::from_nanos_f64((hours * 3_600.0 + minutes * 60.0 + seconds) * 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_read_as_programs_write_them() {
        for (cell, seconds) in [
            ("18:32:0.178", Some(66_720.178)),
            ("2026-07-30 11:50:01 +0200", Some(42_601.0)),
            ("2026-07-30T11:50:01Z", Some(42_601.0)),
            ("2026-07-30T11:50:01-05:00", Some(42_601.0)),
            ("1:00:00 PM", Some(46_800.0)),
            ("12:00:01 AM", Some(1.0)),
            ("12:00:01 PM", Some(43_201.0)),
            ("12.5", None),
            ("25:00:00", None),
        ] {
            assert_eq!(time_of_day(cell).map(Nanos::as_secs), seconds, "{cell}");
        }
    }
}
