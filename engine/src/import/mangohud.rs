//! The log of MangoHud: two lines of the system, then a line a frame.

use super::csv::{Header, cells};
use super::text::{frame_time_cell, some_name};
use super::{BadLines, Content, FrameTimes, ImportError, Imported, Source, Told};

/// Reads the lines after the header; those before tell of the machine.
pub(super) fn read<'a>(
    header: &Header,
    before: impl Iterator<Item = &'a [u8]>,
    rows: impl Iterator<Item = (u64, Option<&'a [u8]>)>,
) -> Result<Imported, ImportError> {
    let mut bad_lines = BadLines::default();
    let mut times = FrameTimes::default();
    for (number, line) in rows {
        let Some(line) = line else {
            bad_lines.add(number, "a line that is too long");
            continue;
        };
        match cells(line).nth(header.frame_time).map(|cell| frame_time_cell(&cell)) {
            Some(Ok(time)) => times.push(time),
            Some(Err(reason)) => bad_lines.add(number, reason),
            None => bad_lines.add(number, "a line without a frame time"),
        }
    }
    if times.present().next().is_none() {
        return Err(ImportError::NoFrames { bad_count: bad_lines.count });
    }
    let told = told(before);
    Ok(Imported {
        told,
        bad_lines,
        ..Imported::new(Source::MangoHud, Content::Frames(vec![times]))
    })
}

/// What the system's two lines tell: names in one, values in the next.
fn told<'a>(mut before: impl Iterator<Item = &'a [u8]>) -> Told {
    let mut told = Told::default();
    let Some(names) = before.by_ref().find(|line| line.starts_with(b"os,")) else { return told };
    let Some(values) = before.next() else { return told };
    for (name, value) in cells(names).zip(cells(values)) {
        let place = match name.trim() {
            "os" => &mut told.os,
            "cpu" => &mut told.processor,
            "kernel" => &mut told.kernel,
            "cpuscheduler" => &mut told.governor,
            _ => continue,
        };
        *place = some_name(&value).filter(|value| value != "unknown");
    }
    told
}
