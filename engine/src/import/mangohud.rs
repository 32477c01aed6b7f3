//! The log of MangoHud: two lines about the system, then a row per frame or per logging interval.

use super::decode::check_rows;
use super::imported::{BadLines, Content, ImportError, Imported, ReportedMachine, Source};
use super::lines::{Header, cells};
use super::sensors::Sensors;
use super::sessions::Sessions;
use super::text::{frame_time_cell, some_name};
use crate::nanos::Nanos;

/// The beginning of the line with the names of facts about the system; the next line has the values.
const SYSTEM: &[u8] = b"os,";

/// Imports the rows after the header as frame times; the lines before the header describe the machine.
pub(super) fn read(text: &[u8], header: &Header) -> Result<Imported, ImportError> {
    let elapsed = header.position("elapsed");
    let (mut bad_lines, mut sessions) = (BadLines::default(), Sessions::default());
    let mut sensors = Sensors::of_names(header.columns());
    sessions.name(sensors.named());
    let mut is_system = false;
    for (number, line) in header.rows(text) {
        check_rows(number)?;
        let Some(line) = line else {
            bad_lines.add(number, "a line that is too long");
            continue;
        };
        // A further session in the same file begins with the same three lines as the first one:
        // names of facts about the system, their values, and the header. The first two are skipped.
        if std::mem::replace(&mut is_system, line.starts_with(SYSTEM)) || is_system {
            continue;
        }
        if header.is_repeated_by(line) {
            sessions.split();
            continue;
        }
        let (mut time, mut at) = (None, None);
        sensors.begin();
        for (cell, place) in cells(line).zip(0_usize..) {
            if place == header.frame_time {
                time = Some(frame_time_cell(&cell));
            }
            if Some(place) == elapsed {
                at = cell.trim().parse().ok().map(Nanos::new);
            }
            sensors.read(place, &cell);
        }
        match time {
            Some(Ok(time)) => sessions.push_with(time, at, sensors.row()),
            Some(Err(reason)) => bad_lines.add(number, reason),
            None => bad_lines.add(number, "a line without a frame time"),
        }
    }
    if !sessions.has_times() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    let capture = sessions.into_capture("", false);
    Ok(Imported {
        reported: reported(header.lines_before(text)),
        bad_lines,
        ..Imported::new(Source::MangoHud, Content::Capture(capture))
    })
}

/// Reads the two lines about the system: names in the first, values in the second.
fn reported<'a>(mut before: impl Iterator<Item = &'a [u8]>) -> ReportedMachine {
    let mut reported = ReportedMachine::default();
    let Some(names) = before.by_ref().find(|line| line.starts_with(SYSTEM)) else {
        return reported;
    };
    let Some(values) = before.next() else { return reported };
    for (name, value) in cells(names).zip(cells(values)) {
        let place = match name.trim() {
            "os" => &mut reported.os,
            "cpu" => &mut reported.processor,
            "gpu" => &mut reported.gpu,
            "driver" => &mut reported.gpu_driver,
            "kernel" => &mut reported.kernel,
            "cpuscheduler" => &mut reported.governor,
            _ => continue,
        };
        *place = some_name(&value).filter(|value| value != "unknown");
    }
    reported
}
