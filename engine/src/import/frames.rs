//! Imports a table of frames: what its columns mean, and the frames of each swap chain of each process.
//!
//! The known columns decide which program wrote the file, where the frame times are, and in which unit.
//! A unit is checked against rate and clock of the file. Options of the user win over all of this.

pub(super) mod follow;
mod rows;

use super::blocks::Blocks;
use super::imported::{Content, ImportError, Imported, Options, Series, Source};
use super::known::{self, Program, Quantity};
use super::lines::{after_lines, cells};
use super::per_frame::PerFrame;
use super::row::Row;
use super::row_clock::{RowClock, recorded_at};
use super::scale::{FirstRows, Scale};
use super::sensors::Sensors;
use super::sessions::{Rows, Sessions};
use super::table::Table;
use super::text::{frame_time, is_missing, name, some_name};
use super::time_unit::TimeUnit;
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::units::{count_text, format_count};
use rows::{RowParser, RowsInOrder};

/// Maximum number of series per file.
const MAX_SERIES: usize = 1_000;
/// Number of rows at the beginning that decide unit and sensors.
const FIRST_ROWS: usize = 2_000;
/// The compositor of Windows: it always presents frames, but is rarely the program that the user
/// recorded.
const COMPOSITOR: &str = "dwm.exe";
/// The beginning of the line with the names of facts about the system; the next line has the values.
const SYSTEM: &[u8] = b"os,";

/// What the columns of a table mean.
struct TableMeaning<'a> {
    table: &'a Table,
    program: &'static Program,
    source: Source,
    /// The position of the column of frame times.
    place: usize,
    scale: Scale,
    clock: Option<RowClock>,
    rows: Rows,
    /// Positions of process name, process ID, and swap chain, which identify a series.
    key: [Option<usize>; 3],
    /// Positions of processor, operating system, GPU, and its driver, in the first row.
    facts: [Option<usize>; 4],
    /// Whether columns of a position have a value in the first rows.
    has_values: Vec<bool>,
}

/// Imports one series of a table, which begins with `text` and continues with `rest`; lines before the header describe the
/// recording.
pub(super) fn read(
    text: &[u8],
    rest: Option<Blocks<'_>>,
    table: &Table,
    options: &Options,
) -> Result<Imported, ImportError> {
    if let Some(what) = known::summary(&table.names) {
        return Err(ImportError::Known(what));
    }
    let meaning = TableMeaning::new(text, table, options)?;
    let capture = Sessions::default().into_capture("", meaning.rows);
    let mut imported = Imported::new(meaning.source, Content::Capture(capture));
    imported.machine = system_facts(table.lines_before(text));
    comments(table.lines_before(text), &mut imported);
    if imported.started_at.is_none() {
        (imported.started_at, imported.wall_clock) = recorded_at(table);
    }
    let column = table.columns.get(meaning.place).map_or("", String::as_str);
    let Scale { unit, are_stamps } = meaning.scale;
    let is_known = meaning.source != Source::Columns && options.column.is_none();
    if are_stamps {
        imported.notes.push(format!(
            "The column \"{column}\" has time stamps in {}: frame times are the differences.",
            unit.symbol()
        ));
    } else if !is_known || unit != TimeUnit::Millis {
        imported
            .notes
            .push(format!("The column \"{column}\" was read as frame times in {}.", unit.symbol()));
    }
    let found = meaning.read_series(text, rest, &mut imported)?;
    choose(found, imported, options, meaning.rows)
}

impl<'a> TableMeaning<'a> {
    fn new(text: &[u8], table: &'a Table, options: &Options) -> Result<Self, ImportError> {
        let program = known::program_of(&table.names);
        let column = options.column.as_ref();
        let place = match column {
            Some(column) => table.position(&column.name).ok_or_else(|| ImportError::NoColumn {
                wanted: name(&column.name),
                there: table.columns.clone(),
            })?,
            None => table
                .frame_column()
                .ok_or_else(|| ImportError::WhichColumn(Box::new(table.clone())))?,
        };
        let clock = RowClock::new(table, place);
        let known = table.names.get(place).and_then(|name| known::known_column(name));
        let certain = column
            .and_then(|column| column.unit)
            .or(options.unit)
            .or_else(|| known.filter(|known| known.is_certain || is_sure(program.source))?.unit);
        let may_be_stamps = !known.is_some_and(|known| match known.quantity {
            Quantity::FrameTime(rank) => rank < known::STAMPS,
            _ => false,
        });
        let (first, has_values) = first_rows(text, table, program, (place, clock.as_ref()));
        let likely = Some(table.unit_of(place));
        let scale = first.scale(certain, likely, may_be_stamps);
        // A column that the user selected is read in the unit that its name has.
        let selected = column.and(likely).map(|unit| Scale { unit, are_stamps: false });
        let column_name = || table.columns.get(place).cloned().unwrap_or_default();
        let scale = match scale.or(selected) {
            Some(scale) => scale,
            // Without a time, the rows are read to report why each of them cannot be read.
            None if !first.values.iter().any(|value| 0.0 < *value) => {
                Scale { unit: TimeUnit::Millis, are_stamps: false }
            }
            None => {
                let table = Box::new(table.clone());
                return Err(ImportError::WhichUnit { column: column_name(), table });
            }
        };
        let are_ticks = options.are_ticks || table.has_ticks(place);
        let rows = match options.is_per_frame {
            Some(false) if are_ticks => Rows::TickReadings,
            _ if options.are_ticks => Rows::Ticks,
            Some(true) => Rows::Frames,
            Some(false) => Rows::Readings,
            None if program.is_sampled => Rows::Readings,
            None if are_ticks => Rows::TicksByClock,
            None if scale.unit == TimeUnit::Fps && clock.is_none() => {
                let table = Box::new(table.clone());
                return Err(ImportError::WhichRows { column: column_name(), table });
            }
            None => Rows::ByClock,
        };
        let is_described = table.lines_before(text).any(|line| line.starts_with(b"//"));
        let is_frames = table.place_of(Quantity::Process).is_some();
        let is_system = table.lines_before(text).any(|line| line.starts_with(SYSTEM));
        let source = match program.source {
            _ if is_described && is_frames => Source::CapFrameX,
            Source::Columns if is_system => Source::MangoHud,
            Source::Columns if are_ticks => Source::Ticks,
            source => source,
        };
        let of = |wanted: Source, name| table.place(name).filter(|_| source == wanted);
        let ocat = |name| of(Source::Ocat, name);
        Ok(Self {
            table,
            program,
            source,
            place,
            scale,
            clock,
            rows,
            key: [Quantity::Process, Quantity::ProcessId, Quantity::SwapChain]
                .map(|quantity| table.place_of(quantity)),
            facts: [
                ocat("processor").or_else(|| of(Source::FrameView, "cpu")),
                ocat("os"),
                ocat("gpu").or_else(|| of(Source::FrameView, "gpu")),
                ocat("driver package").or_else(|| ocat("base driver version")),
            ],
            has_values,
        })
    }

    /// Returns every series in the file with its rows. Adds bad lines, and facts about the machine, to `imported`.
    fn read_series(
        &self,
        text: &[u8],
        mut rest: Option<Blocks<'_>>,
        imported: &mut Imported,
    ) -> Result<Vec<FoundSeries>, ImportError> {
        let parser = RowParser::new(self);
        let before = self.table.header_line;
        let mut rows = RowsInOrder::new(&parser, imported, before + 1);
        rows.take(after_lines(text, before))?;
        while let Some(block) = rest.as_mut().map(Blocks::next).transpose()?.flatten() {
            rows.take(&block)?;
        }
        Ok(rows.into_series())
    }

    fn read_facts(&self, row: &Row, machine: &mut Machine) {
        let Machine { cpu_model, os, gpu, gpu_driver, .. } = machine;
        for (place, to) in self.facts.iter().zip([cpu_model, os, gpu, gpu_driver]) {
            if let Some(place) = place
                && to.is_none()
            {
                *to = some_name(row.text(*place));
            }
        }
    }
}

/// Whether a row has these cells for process, process ID, and swap chain. Empty ones, which most logs have, are equal
/// without a look: comparing no bytes at the address of an empty vector costs some CPUs 0.1 µs, a quarter of a row.
fn is_key(own: &[Vec<u8>; 3], raw: [&[u8]; 3]) -> bool {
    own.iter().zip(raw).all(|(own, raw)| own.len() == raw.len() && (raw.is_empty() || own == raw))
}

/// Parses the frame time or the time stamp of a row; `Ok(None)` if it is missing or 0.
fn row_time(row: &Row, place: usize, scale: Scale) -> Result<Option<Nanos>, &'static str> {
    if row.len() <= place {
        return Err("a line without a frame time");
    }
    let cell = row.text(place);
    if is_missing(cell) {
        return Ok(None);
    }
    let value = match row.number(place) {
        Some(value) => value,
        None if cell.parse::<f64>().is_ok() => return Err("a frame time that is not finite"),
        None => return Err("a frame time that is not a number"),
    };
    let millis = scale.unit.millis(value);
    if scale.are_stamps && (0.0..1e12).contains(&millis) {
        return Ok(Some(Nanos::from_nanos_f64(millis * 1e6)));
    }
    frame_time(millis)
}

/// Whether a program never writes another unit than the one of its columns.
const fn is_sure(source: Source) -> bool {
    matches!(source, Source::PresentMon | Source::Ocat | Source::FrameView | Source::Unreal)
}

/// Whether a line is the end of a CSV profile of Unreal Engine: its metadata, or the columns that it had at the end.
fn is_unreal_end(line: &[u8]) -> bool {
    let first = line.trim_ascii();
    first.starts_with(b"[")
        || first.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"EVENTS,"))
}

/// Reads the rows that decide unit and sensors: the numbers, and whether each column has a value.
fn first_rows(
    text: &[u8],
    table: &Table,
    program: &Program,
    (place, clock): (usize, Option<&RowClock>),
) -> (FirstRows, Vec<bool>) {
    let (mut first, mut has_values) = (FirstRows::default(), vec![false; table.columns.len()]);
    let mut row = Row::new(table, program.is_growing, place);
    let rate = table.place_of(Quantity::Rate).filter(|&rate| rate != place);
    let (mut clock, mut before) = (clock.cloned(), None::<Nanos>);
    for line in table.rows(text).filter_map(|(_, line)| line).take(FIRST_ROWS) {
        if row.read(line).is_err() {
            continue;
        }
        for (has_value, place) in has_values.iter_mut().zip(0..) {
            *has_value |= row.number(place).is_some();
        }
        let at = clock.as_mut().and_then(|clock| clock.read(&row));
        if let Some((before, at)) = before.zip(at) {
            first.steps_millis.push((at - before).as_millis());
        }
        before = at.or(before);
        if let Some(value) = row.number(place) {
            first.values.push(value);
            first.products.extend(rate.and_then(|rate| row.number(rate)).map(|rate| rate * value));
        }
    }
    (first, has_values)
}

/// A series of the file with its rows.
struct FoundSeries {
    series: Series,
    sessions: Sessions,
    /// The part of the file, between repeated headers, of the last row.
    part: usize,
    dropped_count: u64,
    /// The last time stamp, if the column has time stamps.
    stamp: Option<Nanos>,
}

impl FoundSeries {
    fn new(
        [process, id, swap_chain]: [String; 3],
        part: usize,
        (sensors, per_frame): (&Sensors, &PerFrame),
    ) -> Self {
        let mut sessions = Sessions::default();
        sessions.name(sensors.named());
        sessions.set_quantities(per_frame.quantities());
        let series = Series { process, id, swap_chain, frame_count: 0 };
        Self { series, sessions, part, dropped_count: 0, stamp: None }
    }

    fn push(
        &mut self,
        part: usize,
        (time, at): (Option<Nanos>, Option<Nanos>),
        (sensors, per_frame): (&[i64], &[i64]),
        scale: Scale,
    ) {
        if self.part != part {
            self.sessions.split();
            (self.part, self.stamp) = (part, None);
        }
        if !scale.are_stamps {
            self.sessions.push_with(time, at, sensors);
            self.sessions.push_per_frame(per_frame);
            return;
        }
        let Some(stamp) = time else { return };
        if let Some(before) = self.stamp.replace(stamp) {
            let step = Some(stamp - before).filter(|step| Nanos::ZERO < *step);
            self.sessions.push_with(step, Some(stamp), sensors);
            self.sessions.push_per_frame(per_frame);
        }
    }
}

/// Selects the requested series of the file for import; by default, the series with the most frames
/// that is not from the compositor.
fn choose(
    mut found: Vec<FoundSeries>,
    mut imported: Imported,
    options: &Options,
    rows: Rows,
) -> Result<Imported, ImportError> {
    let (bad_count, what) = (imported.bad_lines.count, imported.source.with_article());
    if found.is_empty() && bad_count == 0 {
        return Err(ImportError::OnlyHeader { what });
    }
    found.retain(|one| one.sessions.has_times());
    for one in &mut found {
        one.series.frame_count = one.sessions.row_count();
    }
    if found.is_empty() {
        return Err(match bad_count {
            0 => ImportError::NoFrameTimes { what },
            bad_count => ImportError::NoValues { bad_count },
        });
    }
    // With equal numbers of frames, the first one in the file is selected.
    found.sort_by_key(|one| {
        let is_compositor = one.series.process.eq_ignore_ascii_case(COMPOSITOR);
        (is_compositor, std::cmp::Reverse(one.series.frame_count))
    });
    let is = |own: &str, wanted: &Option<String>| {
        wanted.as_ref().is_none_or(|wanted| own.eq_ignore_ascii_case(wanted))
    };
    let has_names = |series: &Series| *series != unnamed(series.frame_count);
    let given = [("--process", &options.process), ("--swap-chain", &options.swap_chain)];
    if let Some((option, _)) = given.into_iter().find(|(_, value)| value.is_some())
        && !found.iter().any(|one| has_names(&one.series))
    {
        return Err(ImportError::NoOption { option, what: format!("{what} without processes") });
    }
    let wanted = |series: &Series| {
        (is(&series.process, &options.process) || is(&series.id, &options.process))
            && is(&series.swap_chain, &options.swap_chain)
    };
    let selected = found.iter().position(|one| wanted(&one.series)).ok_or_else(|| {
        let words = [&options.process, &options.swap_chain];
        let wanted: Vec<String> = words.into_iter().flatten().map(|text| name(text)).collect();
        let there = found.iter().map(|one| one.series.words()).collect();
        ImportError::NoSeries { wanted: wanted.join(" "), there }
    })?;
    let count = found.len();
    let mut all_series = Vec::with_capacity(count);
    for (one, position) in found.into_iter().zip(0..) {
        if position == selected {
            let FoundSeries { series, sessions, dropped_count, .. } = &one;
            if 1 < count {
                imported
                    .notes
                    .push(format!("One of {count} series in the file: {}.", series.words()));
            }
            if 0 < *dropped_count {
                imported.notes.push(format!(
                    "{} of {} were dropped: presented, but never displayed.",
                    format_count(*dropped_count),
                    count_text(sessions.row_count(), "frames")
                ));
            }
            if imported.name.is_empty() {
                imported.name.clone_from(&series.process);
            }
            imported.content =
                Content::Capture(one.sessions.into_capture(&one.series.process, rows));
        }
        all_series.push(one.series);
    }
    // A file without processes has one series, which needs no name.
    if all_series.iter().any(has_names) {
        (imported.series, imported.selected) = (all_series, Some(selected));
    }
    Ok(imported)
}

fn unnamed(frame_count: usize) -> Series {
    let empty = String::new;
    Series { process: empty(), id: empty(), swap_chain: empty(), frame_count }
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
    (imported.started_at, imported.wall_clock) = super::text::instant(&format!("{date}T{time}"));
}

/// Reads the two lines of MangoHud about the system: names in the first, values in the second.
fn system_facts<'a>(mut before: impl Iterator<Item = &'a [u8]>) -> Machine {
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
            "ram" => {
                // In KiB.
                let kib = value.trim().parse::<u64>().ok().filter(|kib| 0 < *kib);
                machine.memory_bytes = kib.and_then(|kib| kib.checked_mul(1 << 10));
                continue;
            }
            _ => continue,
        };
        *place = some_name(&value).filter(|value| value != "unknown");
    }
    machine
}
