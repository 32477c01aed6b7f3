//! The time of a row by the clock of its file: counted from a start, or a time of day.

use super::file_date::YEARS;
use super::known::{self, Quantity};
use super::row::Row;
use super::table::{Table, number_of};
use super::time_unit::TimeUnit;
use crate::nanos::Nanos;
use crate::run::instant_here;
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

/// Returns date and time of the first row that has both, and when that was: the wall clock of the PC that recorded it, unless
/// its zone is stated. Both are `None` without a date, with one whose day and month could be the other way around
/// (`1/2/2026`), or with a zone that is not known here.
pub(super) fn recorded_at(
    table: &Table,
) -> (Option<jiff::Timestamp>, Option<jiff::civil::DateTime>) {
    let date_place = table.place("date");
    // GPU-Z has the time in its column of dates.
    let Some(place) = table.place_of(Quantity::TimeOfDay).or(date_place) else {
        return (None, None);
    };
    let found = table.rows.iter().find_map(|row| {
        let cell = row.get(place)?.trim();
        let own = cell.split_once([' ', 'T']).and_then(|(own, time)| Some((date(own)?, time)));
        let (date, time) = match own {
            Some(own) => own,
            None => (date(row.get(date_place?)?)?, cell),
        };
        let since = jiff::SignedDuration::from_nanos(time_of_day(time)?.get());
        let wall_clock = date.at(0, 0, 0, 0).checked_add(since).ok()?;
        Some((wall_clock, zone(time)))
    });
    match found {
        None => (None, None),
        Some((wall_clock, "")) => (instant_here(wall_clock), Some(wall_clock)),
        Some((wall_clock, zone)) => {
            let at = offset(zone).and_then(|offset| offset.to_timestamp(wall_clock).ok());
            (at, None)
        }
    }
}

/// Returns what follows a time of day, except for am and pm: `+0200`, `Z`, `UTC`.
fn zone(time: &str) -> &str {
    let is_time = |letter: char| letter.is_ascii_digit() || ":.,".contains(letter);
    let rest = time.trim_start_matches(is_time).trim();
    let is_half = ["am", "pm"].iter().any(|half| rest.eq_ignore_ascii_case(half));
    if is_half { "" } else { rest }
}

/// Parses a zone: the name of UTC, or hours and minutes, which a name may follow (`+0200 CEST`).
fn offset(zone: &str) -> Option<jiff::tz::Offset> {
    let zone = zone.split(' ').next()?;
    if ["z", "utc", "gmt"].iter().any(|name| zone.eq_ignore_ascii_case(name)) {
        return Some(jiff::tz::Offset::UTC);
    }
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits = digits.replacen(':', "", 1);
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { "00" } else { minutes };
    let [hours, minutes] = [hours, minutes].map(|part| part.parse::<i32>().ok());
    let seconds = (hours? * 60 + minutes.filter(|it| *it < 60)?) * 60;
    jiff::tz::Offset::from_seconds(sign * seconds).ok()
}

/// Parses a date as year, month, and day, or with dots as day, month, and year.
fn date(text: &str) -> Option<jiff::civil::Date> {
    let read = |format| jiff::civil::Date::strptime(format, text.trim()).ok();
    let date = ["%Y-%m-%d", "%d.%m.%Y"].into_iter().find_map(read);
    date.filter(|date| YEARS.contains(&date.year()))
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

    #[test]
    fn a_table_was_recorded_at_the_date_of_its_first_row() {
        for (text, expected) in [
            ("Date,Time,Frame Time\n30.11.2026,20:01:02.5,10\n", Some("2026-11-30T20:01:02.5")),
            ("TIME STAMP,FPS\n2026-11-30 20:01:02.250,100\n", Some("2026-11-30T20:01:02.25")),
            ("Date,Time,FPS\n2026-11-30,8:01:02 PM,100\n", Some("2026-11-30T20:01:02")),
            ("Date,FPS\n2026-11-30 20:01:02,100\n", Some("2026-11-30T20:01:02")),
            // Adrenalin begins with a row of averages.
            ("TIME STAMP,FPS\nN/A,99\n2026-11-30 20:01:02,100\n", Some("2026-11-30T20:01:02")),
            // The 4th of November, or the 11th of April.
            ("Date,Time,FPS\n11/4/2026,20:01:02,100\n", None),
            ("Date,Time,FPS\n31.02.2026,20:01:02,100\n", None),
            ("Date,Time,FPS\n30.11.26,20:01:02,100\n", None),
            ("Time,FPS\n20:01:02,100\n", None),
            ("timestamp,FPS\n20231115,100\n", None),
            ("Time stamp,FPS\n2026-11-30 20:01:02 Mars,100\n", None),
            ("FPS\n100\n", None),
        ] {
            let table = Table::of(text.as_bytes()).unwrap();
            let (instant, wall_clock) = recorded_at(&table);
            assert_eq!(wall_clock.map(|date| date.to_string()).as_deref(), expected, "{text}");
            assert_eq!(instant.is_some(), expected.is_some(), "{text}");
        }
    }

    #[test]
    fn a_stated_zone_is_believed() {
        for time in [
            "2026-11-30 20:01:02 +0200",
            "2026-11-30 20:01:02.0 +02:00 EET",
            "2026-11-30T18:01:02Z",
            "2026-11-30 18:01:02 UTC",
            "2026-11-30 13:31:02-0430",
        ] {
            let table = Table::of(format!("Time stamp,FPS\n{time},100\n").as_bytes()).unwrap();
            let (instant, wall_clock) = recorded_at(&table);
            assert_eq!(wall_clock, None, "{time}");
            assert_eq!(instant.unwrap().to_string(), "2026-11-30T18:01:02Z", "{time}");
        }
    }
}
