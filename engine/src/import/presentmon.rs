//! CSV files in the layout of PresentMon, from any generation of PresentMon, and from OCAT,
//! FrameView, and CapFrameX. Columns are found by name; each swap chain of each process is a
//! separate series.

use std::collections::BTreeMap;

use super::decode::read_rows;
use super::imported::{Content, ImportError, Imported, Options, Series, Source};
use super::lines::{Header, cells};
use super::sensors::Sensors;
use super::sessions::Sessions;
use super::text::{frame_time_cell, name, some_name};
use crate::machine::Machine;
use crate::nanos::Nanos;

/// Maximum number of series per file.
const MAX_SERIES: usize = 1_000;
/// The compositor of Windows: it always presents frames, but is rarely the program that the user
/// recorded.
const COMPOSITOR: &str = "dwm.exe";
/// Names of the columns with the time of a row, each with the number of nanoseconds per unit.
const CLOCKS: [(&str, f64); 3] =
    [("timeinseconds", 1e9), ("timeinms", 1e6), ("cpustarttimeinms", 1e6)];

/// Positions of columns in a row: `key` are process name, process ID, and swap chain, which
/// identify a series; `clock` also has the number of nanoseconds per unit; `facts` are processor,
/// operating system, GPU, and its driver.
struct Places {
    key: [Option<usize>; 3],
    clock: Option<(usize, f64)>,
    facts: [Option<usize>; 4],
}

/// Imports one series of a file; lines that begin with `//` before the header describe the recording.
pub(super) fn read(
    text: &[u8],
    header: &Header,
    options: &Options,
) -> Result<Imported, ImportError> {
    let source = source(text, header);
    let capture = Sessions::default().into_capture("", false);
    let mut imported = Imported::new(source, Content::Capture(capture));
    comments(header.lines_before(text), &mut imported);
    // OCAT has the facts about the machine in columns of the first row.
    let reported = |column| header.position(column).filter(|_| source == Source::Ocat);
    let of_frame_view = |column| header.position(column).filter(|_| source == Source::FrameView);
    let places = Places {
        key: ["application", "processid", "swapchainaddress"].map(|name| header.position(name)),
        clock: CLOCKS.iter().find_map(|(name, unit)| Some((header.position(name)?, *unit))),
        facts: [
            reported("processor").or_else(|| of_frame_view("cpu")),
            reported("os"),
            reported("gpu").or_else(|| of_frame_view("gpu")),
            reported("driver package").or_else(|| reported("base driver version")),
        ],
    };
    let found = rows(text, header, &places, &mut imported)?;
    choose(found, imported, options)
}

/// Detects the program that wrote the file, by lines and columns that only this program writes.
fn source(text: &[u8], header: &Header) -> Source {
    let has = |name| header.position(name).is_some();
    let is_captured = header.lines_before(text).any(|line| line.starts_with(b"//"));
    if is_captured {
        Source::CapFrameX
    } else if has("gpu0clk(mhz)") || has("gpu0util(%)") || has("render queue depth") {
        Source::FrameView
    } else if has("motherboard") || has("wasbatched") {
        Source::Ocat
    } else {
        Source::PresentMon
    }
}

/// Reads facts about the recording from the lines before the header, such as `//GameName=x`.
fn comments<'a>(lines: impl Iterator<Item = &'a [u8]>, imported: &mut Imported) {
    let (mut date, mut time) = (String::new(), String::new());
    for line in lines {
        let line = String::from_utf8_lossy(line);
        let Some((key, value)) = line.strip_prefix("//").and_then(|line| line.split_once('='))
        else {
            continue;
        };
        match key.trim() {
            "GameName" => imported.name = name(value),
            "Processor" => imported.machine.cpu_model = some_name(value),
            "OS" => imported.machine.os = some_name(value),
            "GPU" => imported.machine.gpu = some_name(value),
            "GPUDriverVersion" => imported.machine.gpu_driver = some_name(value),
            "CreationDate" => date = name(value),
            "CreationTime" => time = name(value),
            "Comment" => {
                imported.notes.extend(some_name(value).map(|text| format!("Comment: {text}")));
            }
            _ => {}
        }
    }
    let when = format!("{date}T{time}").parse::<jiff::civil::DateTime>();
    // The time zone of the recording PC is unknown: use UTC, which is at most a day off.
    let zoned = when.and_then(|when| when.to_zoned(jiff::tz::TimeZone::UTC));
    imported.started_at = zoned.ok().map(|zoned| zoned.timestamp());
}

/// Returns every series in the file with its rows. Adds bad lines, and facts about the machine, to `imported`.
fn rows(
    text: &[u8],
    header: &Header,
    places: &Places,
    imported: &mut Imported,
) -> Result<Vec<(Series, Sessions)>, ImportError> {
    let Imported { bad_lines, machine, .. } = imported;
    let mut found: Vec<(Series, Sessions)> = Vec::new();
    let mut known: BTreeMap<[String; 3], usize> = BTreeMap::new();
    let mut sensors = Sensors::of_names(header.columns());
    read_rows(header.rows(text), bad_lines, |line| {
        if header.is_repeated_by(line) {
            for (_, sessions) in &mut found {
                sessions.split();
            }
            return Ok(());
        }
        let row = row(line, header, places, (machine, &mut sensors))?;
        let position = match known.get(&row.key) {
            Some(&position) => position,
            None if MAX_SERIES <= found.len() => {
                return Err("one process or swap chain too many");
            }
            None => {
                let [process, id, swap_chain] = row.key.clone();
                let mut sessions = Sessions::default();
                sessions.name(sensors.named());
                found.push((Series { process, id, swap_chain, frame_count: 0 }, sessions));
                known.insert(row.key, found.len() - 1);
                found.len() - 1
            }
        };
        if let Some((_, sessions)) = found.get_mut(position) {
            sessions.push_with(row.time, row.at, sensors.row());
        }
        Ok(())
    })?;
    Ok(found)
}

/// The content of a row: its series, its frame time, and its time by the clock of the file.
struct Row {
    key: [String; 3],
    time: Option<Nanos>,
    at: Option<Nanos>,
}

fn row(
    line: &[u8],
    header: &Header,
    places: &Places,
    (machine, sensors): (&mut Machine, &mut Sensors),
) -> Result<Row, &'static str> {
    let mut key = [const { String::new() }; 3];
    sensors.begin();
    let (mut time, mut at) = (None, None);
    for (cell, place) in cells(line).zip(0_usize..) {
        if place == header.frame_time {
            time = Some(frame_time_cell(&cell));
        }
        for (column, key) in places.key.iter().zip(&mut key) {
            if *column == Some(place) {
                *key = name(&cell);
            }
        }
        if let Some((column, unit)) = places.clock
            && column == place
        {
            let value = cell.trim().parse::<f64>().ok().filter(|value| value.is_finite());
            at = value.map(|value| Nanos::from_nanos_f64(value * unit));
        }
        sensors.read(place, &cell);
        let Machine { cpu_model, os, gpu, gpu_driver, .. } = &mut *machine;
        for (column, to) in places.facts.iter().zip([cpu_model, os, gpu, gpu_driver]) {
            if *column == Some(place) && to.is_none() {
                *to = some_name(&cell);
            }
        }
    }
    let time = time.ok_or("a line without a frame time")??;
    Ok(Row { key, time, at })
}

/// Selects the requested series of the file for import; by default, the series with the most frames
/// that is not from the compositor.
fn choose(
    mut found: Vec<(Series, Sessions)>,
    mut imported: Imported,
    options: &Options,
) -> Result<Imported, ImportError> {
    found.retain(|(_, sessions)| sessions.has_times());
    for (series, sessions) in &mut found {
        series.frame_count = sessions.row_count();
    }
    if found.is_empty() {
        return Err(ImportError::NoValues { bad_count: imported.bad_lines.count });
    }
    // With equal numbers of frames, the first one in the file is selected.
    found.sort_by_key(|(series, _)| {
        let is_compositor = series.process.eq_ignore_ascii_case(COMPOSITOR);
        (is_compositor, std::cmp::Reverse(series.frame_count))
    });
    let is = |own: &str, wanted: &Option<String>| {
        wanted.as_ref().is_none_or(|wanted| own.eq_ignore_ascii_case(wanted))
    };
    let wanted = |series: &Series| {
        (is(&series.process, &options.process) || is(&series.id, &options.process))
            && is(&series.swap_chain, &options.swap_chain)
    };
    let selected = found.iter().position(|(series, _)| wanted(series)).ok_or_else(|| {
        let words = [&options.process, &options.swap_chain];
        ImportError::NoSeries {
            wanted: words
                .into_iter()
                .flatten()
                .map(|text| name(text))
                .collect::<Vec<_>>()
                .join(" "),
            there: found.iter().map(|(series, _)| series.words()).collect(),
        }
    })?;
    let (series, sessions): (_, Vec<Sessions>) = found.into_iter().unzip();
    imported.series = series;
    let taken = sessions.into_iter().nth(selected);
    if let Some((series, taken)) = imported.series.get(selected).zip(taken) {
        if 1 < imported.series.len() {
            imported.notes.push(format!(
                "One of {} series in the file: {}.",
                imported.series.len(),
                series.words()
            ));
        }
        imported.content = Content::Capture(taken.into_capture(&series.process, false));
        if imported.name.is_empty() {
            imported.name.clone_from(&series.process);
        }
    }
    imported.selected = Some(selected);
    Ok(imported)
}
