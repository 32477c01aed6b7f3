//! The log of MangoHud: two lines about the system, then a row per frame or per logging interval.

use super::decode::read_rows;
use super::imported::{BadLines, Content, ImportError, Imported, Source};
use super::lines::{Header, cells};
use super::sensors::Sensors;
use super::sessions::Sessions;
use super::text::{frame_time_cell, some_name};
use crate::machine::Machine;
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
    read_rows(header.rows(text), &mut bad_lines, |line| {
        // A further session in the same file begins with the same three lines as the first one:
        // names of facts about the system, their values, and the header. The first two are skipped.
        if std::mem::replace(&mut is_system, line.starts_with(SYSTEM)) || is_system {
            return Ok(());
        }
        if header.is_repeated_by(line) {
            sessions.split();
            return Ok(());
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
        let time = time.ok_or("a line without a frame time")??;
        sessions.push_with(time, at, sensors.row());
        Ok(())
    })?;
    if !sessions.has_times() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    let capture = sessions.into_capture("", false);
    Ok(Imported {
        machine: machine(header.lines_before(text)),
        bad_lines,
        ..Imported::new(Source::MangoHud, Content::Capture(capture))
    })
}

/// Reads the two lines about the system: names in the first, values in the second.
fn machine<'a>(mut before: impl Iterator<Item = &'a [u8]>) -> Machine {
    let mut machine = Machine::default();
    let Some(names) = before.by_ref().find(|line| line.starts_with(SYSTEM)) else {
        return machine;
    };
    let Some(values) = before.next() else { return machine };
    for (name, value) in cells(names).zip(cells(values)) {
        let place = match name.trim() {
            "os" => &mut machine.os,
            "cpu" => &mut machine.cpu_model,
            "gpu" => &mut machine.gpu,
            "driver" => &mut machine.gpu_driver,
            "kernel" => &mut machine.kernel,
            "cpuscheduler" => &mut machine.power.governor_or_plan,
            _ => continue,
        };
        *place = some_name(&value).filter(|value| value != "unknown");
    }
    machine
}
