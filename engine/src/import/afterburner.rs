//! The hardware monitoring log of MSI Afterburner: one reading per polling period, by default one
//! per second.

use std::collections::BTreeMap;

use super::blocks::{Blocks, each_part};
use super::decode::read_rows;
use super::file_date::YEARS;
use super::imported::{BadLines, Content, ImportError, Imported, Source};
use super::lines::{cells, filled, lines, lines_from};
use super::sensors::Sensors;
use super::sessions::{Rows, Sessions};
use super::text::{frame_time, frame_time_cell, is_missing, name, some_name};
use super::time_unit::TimeUnit;
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::run::instant_here;

const NO_FRAMES: &str = "an Afterburner log without frame times; select Framerate and Frametime in its monitoring settings";
/// The title that the first line of every log contains.
const TITLE: &str = "Hardware monitoring log";
/// Formats in which logs write the date of a line.
const DATES: [&str; 3] = ["%d-%m-%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S"];
/// Number of cells at the start of each line, before the columns: the kind of the line, and the date.
const CELLS_BEFORE: usize = 2;

/// Whether a file begins like a log of MSI Afterburner, or like the part of one from the column names on.
pub(super) fn is_log(head: &[u8]) -> bool {
    let first = filled(lines(head)).find_map(|(_, line)| line).unwrap_or_default();
    match kind(first) {
        Some("00") => String::from_utf8_lossy(first).contains(TITLE),
        Some("01" | "02" | "03" | "80") => {
            cells(first).nth(1).is_some_and(|cell| instant(&cell).is_some())
        }
        _ => false,
    }
}

/// Returns the kind of a line, which is its first two digits; `None` if the line does not begin
/// with two digits. `00` begins a session, `02` has the column names, `03` has the unit of a
/// column, and `80` is a reading.
fn kind(line: &[u8]) -> Option<&str> {
    let kind = line.trim_ascii_start().get(..2)?;
    let is_kind = kind.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(kind).ok().filter(|_| is_kind)
}

/// Positions of the columns of frame time and frame rate in a line.
#[derive(Clone, Copy, Default)]
struct Places {
    frame_time: Option<usize>,
    rate: Option<usize>,
}

/// Imports a log, which begins with `text` and continues with `rest`, as periodic readings of frame times.
pub(super) fn read(text: &[u8], rest: Option<Blocks<'_>>) -> Result<Imported, ImportError> {
    let (mut bad_lines, mut sessions) = (BadLines::default(), Sessions::default());
    let mut places = Places::default();
    let mut names: Vec<String> = Vec::new();
    let mut units: BTreeMap<usize, String> = BTreeMap::new();
    let mut sensors = Sensors::default();
    // Names and units stand before the readings of a session: sensors are made once, at its first reading.
    let mut is_new = false;
    let (mut began, mut gpu) = (None, None);
    let mut read = |line: &[u8]| {
        if began.is_none() {
            let date = cells(line).nth(1).and_then(|cell| wall_clock(&cell));
            began = date.filter(|date| YEARS.contains(&date.year()));
        }
        match kind(line) {
            Some("01") if gpu.is_none() => {
                let names = cells(line).skip(CELLS_BEFORE).filter_map(|cell| some_name(&cell));
                gpu = some_name(&names.collect::<Vec<_>>().join(", "));
            }
            Some("00") => sessions.split(),
            Some("02") => {
                let place = |title: &str| {
                    let cells = cells(line).zip(0..).skip(CELLS_BEFORE);
                    let found = cells.filter(|(cell, _)| cell.trim().eq_ignore_ascii_case(title));
                    found.last().map(|(_, place)| place)
                };
                places = Places { frame_time: place("frametime"), rate: place("framerate") };
                names = cells(line).skip(CELLS_BEFORE).map(|cell| name(&cell)).collect();
                units.clear();
                is_new = true;
            }
            Some("03") if is_new => {
                let mut cells = cells(line).skip(CELLS_BEFORE);
                let at = cells.next().and_then(|cell| cell.trim().parse().ok());
                units.extend(at.zip(cells.next().and_then(|cell| some_name(&cell))));
            }
            Some("80") => {
                if std::mem::take(&mut is_new) {
                    sensors = sensors_of(&names, &units);
                    sessions.name(sensors.named());
                }
                let (time, at) = reading(line, places, &mut sensors)?;
                sessions.push_with(time, at, sensors.row());
            }
            Some(_) => {}
            None => return Err("a line of unknown kind"),
        }
        Ok(())
    };
    each_part(text, rest, |part, first| {
        read_rows(filled(lines_from(part, first)), &mut bad_lines, &mut read)
    })?;
    if !sessions.has_times() && 0 < sessions.row_count() {
        return Err(ImportError::Known(NO_FRAMES));
    }
    if !sessions.has_times() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    let capture = sessions.into_capture("", Rows::Readings);
    Ok(Imported {
        bad_lines,
        started_at: began.and_then(instant_here),
        wall_clock: began,
        machine: Machine { gpu, ..Machine::default() },
        ..Imported::new(Source::Afterburner, Content::Capture(capture))
    })
}

/// Returns every column except frame times and frame rates as a sensor, with its unit.
fn sensors_of(names: &[String], units: &BTreeMap<usize, String>) -> Sensors {
    let is_of_frames = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.is_empty() || name.starts_with("framerate") || name.starts_with("frametime")
    };
    Sensors::of(names.iter().enumerate().filter(|(_, name)| !is_of_frames(name)).map(
        |(at, name)| (at + CELLS_BEFORE, name.clone(), units.get(&at).cloned().unwrap_or_default()),
    ))
}

/// Returns frame time and timestamp of a line of kind `80`, and reads its sensor values into
/// `sensors`. A missing frame time is computed from the frame rate.
fn reading(
    line: &[u8],
    places: Places,
    sensors: &mut Sensors,
) -> Result<(Option<Nanos>, Option<Nanos>), &'static str> {
    let (mut time, mut rate, mut at) = (None, None, None);
    sensors.begin();
    for (cell, place) in cells(line).zip(0_usize..) {
        sensors.read(place, &cell);
        match place {
            1 => at = instant(&cell),
            place if Some(place) == places.frame_time => time = frame_time_cell(&cell)?,
            place if Some(place) == places.rate && !is_missing(&cell) => {
                let value =
                    cell.trim().parse::<f64>().ok().ok_or("a frame rate that is not a number");
                rate = frame_time(TimeUnit::Fps.millis(value?))?;
            }
            _ => {}
        }
    }
    Ok((time.or(rate), at))
}

/// Returns the date in a cell, by the clock of the PC that wrote the log; `None` if the cell has none of the date formats.
fn wall_clock(cell: &str) -> Option<jiff::civil::DateTime> {
    let read = |format| jiff::civil::DateTime::strptime(format, cell.trim()).ok();
    DATES.into_iter().find_map(read)
}

/// Returns the timestamp in a cell, in whole seconds.
fn instant(cell: &str) -> Option<Nanos> {
    let when = wall_clock(cell)?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(Nanos::from_secs(when.timestamp().as_second()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Capture;

    const LOG: &str = "00, 21-11-2026 20:00:00, Hardware monitoring log v1.6 \n\
        01, 21-11-2026 20:00:00, A graphics card\n\
        02, 21-11-2026 20:00:00, GPU temperature     ,Framerate           ,Frametime           \n\
        03, 21-11-2026 20:00:00, 0 ,°C ,0.000 ,100.000\n\
        80, 21-11-2026 20:00:01, 50.000              ,N/A                 ,N/A                 \n\
        80, 21-11-2026 20:00:02, 51.000              ,100.000             ,9.500               \n\
        80, 21-11-2026 20:00:03, 51.000              ,100.000             ,N/A                 \n\
        80, 21-11-2026 20:00:04, 51.000              ,80.000              ,12.500              \n";

    #[test]
    fn readings_of_each_second_are_a_sampled_log() {
        assert!(is_log(LOG.as_bytes()) && !is_log(b"00,1,2\n80,3,4\n"));
        let imported = read(format!("{LOG}{LOG}").as_bytes(), None).unwrap();
        assert_eq!(imported.bad_lines.count, 0);
        let wall_clock = imported.wall_clock.map(|date| date.to_string());
        assert_eq!(wall_clock.as_deref(), Some("2026-11-21T20:00:00"));
        assert_eq!(imported.machine.gpu.as_deref(), Some("A graphics card"));
        let Some(Capture::SampledLog(sessions)) = imported.capture() else { panic!("no log") };
        let times: Vec<i64> = sessions[0].present().collect();
        assert_eq!((sessions.len(), times), (2, vec![9_500_000, 10_000_000, 12_500_000]));
        assert_eq!(sessions[0].missing_count(), 1);
        assert!(Nanos::from_secs(3) <= sessions[0].elapsed.unwrap());
        // A frame rate of 0 is a missing frame time, not a line that cannot be read.
        let zero = read(LOG.replacen("N/A  ", "0.000", 1).as_bytes(), None).unwrap();
        assert_eq!(zero.bad_lines.count, 0, "{:?}", zero.bad_lines);
        let Some(Capture::SampledLog(zero)) = zero.capture() else { panic!("no log") };
        assert_eq!((zero[0].missing_count(), zero[0].series[0].values.len()), (1, 4));
        let [series] = sessions[0].series.as_slice() else { panic!("{:?}", sessions[0].series) };
        assert_eq!((series.label.as_str(), series.unit.as_str()), ("GPU temperature", "\u{b0}C"));
        let points: Vec<(f64, f64)> =
            sessions[0].points_of(series).map(|(at, value)| (at.as_secs(), value)).collect();
        assert_eq!(points, [(0.0, 50.0), (1.0, 51.0), (2.0, 51.0), (3.0, 51.0)]);
    }

    #[test]
    fn each_session_has_the_columns_of_its_own_header() {
        let other = LOG.replace("GPU temperature", "Fan speed").replace("\u{b0}C", "%");
        let other = other.replace("20:00:0", "20:30:0");
        let imported = read(format!("{LOG}{other}").as_bytes(), None).unwrap();
        let Some(Capture::SampledLog(sessions)) = imported.capture() else { panic!("no log") };
        let named: Vec<(&str, &str)> = sessions
            .iter()
            .flat_map(|session| &session.series)
            .map(|series| (series.label.as_str(), series.unit.as_str()))
            .collect();
        assert_eq!(named, [("GPU temperature", "\u{b0}C"), ("Fan speed", "%")]);
    }
}
