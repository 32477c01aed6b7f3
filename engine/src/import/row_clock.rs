//! The time of a row by the clock of its file: counted from a start, or a time of day.

use super::known::{self, Quantity};
use super::row::Row;
use super::table::Table;
use super::time_unit::TimeUnit;
use crate::nanos::Nanos;

/// Length of a day: times of day start again at midnight.
const DAY: Nanos = Nanos::from_secs(86_400);

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
        table.rows.iter().any(is_time).then_some(Self::TimeOfDay { place, last: None })
    }

    /// Returns the time of a row; `None` if it has none.
    pub(super) fn read(&mut self, row: &Row<'_>) -> Option<Nanos> {
        match self {
            Self::Number { place, unit_nanos } => {
                Some(Nanos::from_nanos_f64(row.number(*place)? * *unit_nanos))
            }
            Self::TimeOfDay { place, last } => {
                let mut at = time_of_day(row.text(*place))?;
                if let Some(last) = *last {
                    let days = (last.get() + DAY.get() / 2 - at.get()).max(0) / DAY.get();
                    at += Nanos::new(days * DAY.get());
                }
                *last = Some(at);
                Some(at)
            }
        }
    }
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
