//! Parses the rows of a table, which is most of the work of an import: parts of a text at the same time, each on a CPU.
//!
//! What a row means may depend on the rows before it: whether it has the values of facts about a system, to which recording
//! it belongs, on which day its time of day is, and whether its series is one too many. A part is therefore parsed into
//! lines of a kind with their values; the lines are then taken in the order of the file, and only there anything of this
//! is decided. Which decimal commas a row may have depends on the rows before it as well, but hardly ever: a part in which
//! it does is parsed again, once the rows before it are known, and so is one that begins with values of facts.

use std::collections::BTreeMap;

use super::super::decode::check_rows;
use super::super::lines::{lines_from, parts};
use super::super::row::Widths;
use super::{
    FoundSeries, ImportError, Imported, MAX_SERIES, PerFrame, Row, RowClock, SYSTEM, Sensors,
    TableMeaning, is_key, is_unreal_end, name, row_time,
};
use crate::machine::Machine;
use crate::measure::compute_side_by_side;
use crate::nanos::Nanos;
use crate::sample::MISSING;
use crate::units::count_text;

/// Number of bytes of a part. Its rows take more than a millisecond, far more than the start of a thread, and some times as
/// much memory: 30 times where a row has 2 bytes, and 200 times where its table has 24 sensors besides, whose cells such
/// rows leave out.
const PART_BYTES: usize = 128 << 10;

/// What a line is, whatever the lines before it are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Row,
    /// Names of facts about the system, with which MangoHud begins a further session.
    SystemNames,
    /// Their values, on the next line.
    SystemValues,
    Header,
    /// Metadata at the end of a profile.
    ProfileEnd,
    /// The last line without a line end, which has fewer cells than the header.
    Unfinished,
    /// The next of the reasons is its own.
    Bad,
}

#[derive(Debug)]
struct ParsedLine {
    /// Number of line ends before it in the part.
    number: u32,
    /// The series of a row, as a position in the keys of the part.
    key: u32,
    kind: LineKind,
    is_repaired: bool,
    is_dropped: bool,
}

/// The lines of a part of a text.
#[derive(Debug, Default)]
struct ParsedPart {
    lines: Vec<ParsedLine>,
    /// Of each row: frame time or time stamp, time by the clock of the file, sensors, and values of the frame.
    values: Vec<i64>,
    /// Why each bad line cannot be read.
    reasons: Vec<&'static str>,
    /// Process name, process ID, and swap chain of each series.
    keys: Vec<[String; 3]>,
    facts: Machine,
    line_end_count: u64,
    end: PartEnd,
    depends_on_widths: bool,
}

/// What the meaning of further rows depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PartEnd {
    /// What the last row with a single reading has.
    widths: Widths,
    /// Whether the last line has names of facts about the system.
    is_names: bool,
}

/// Parses rows, each with the same columns.
pub(super) struct RowParser<'a> {
    meaning: &'a TableMeaning<'a>,
    sensors: Sensors,
    per_frame: PerFrame,
}

/// The series of a part.
#[derive(Default)]
struct PartKeys {
    known: BTreeMap<[String; 3], u32>,
    last: Option<([Vec<u8>; 3], u32)>,
}

impl PartKeys {
    /// Returns the position of the series of a row, and the key of a new one.
    fn position(&mut self, raw: [&[u8]; 3]) -> (u32, Option<[String; 3]>) {
        if let Some((key, position)) = &self.last
            && is_key(key, raw)
        {
            return (*position, None);
        }
        let key = raw.map(|cell| name(&String::from_utf8_lossy(cell)));
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let position = *self.known.entry(key.clone()).or_insert(next);
        self.last = Some((raw.map(<[u8]>::to_vec), position));
        (position, (position == next).then_some(key))
    }
}

impl<'a> RowParser<'a> {
    pub(super) fn new(meaning: &'a TableMeaning<'a>) -> Self {
        let names = meaning.table.names.iter().map(String::as_str);
        let has_values = |place| meaning.has_values.get(place).copied().unwrap_or(false);
        let sensors = Sensors::of_names(names, has_values);
        Self { meaning, sensors, per_frame: PerFrame::of(meaning.table, meaning.place) }
    }

    /// Parses a part of a text; `before` is the end of the part before.
    fn parse(&self, text: &[u8], before: PartEnd) -> ParsedPart {
        let meaning = self.meaning;
        let mut parsed = ParsedPart::default();
        let mut keys = PartKeys::default();
        let (mut sensors, mut per_frame) = (self.sensors.clone(), self.per_frame.clone());
        let mut row = Row::new(meaning.table, meaning.program.is_growing, meaning.place);
        row.widths = before.widths;
        let mut is_names = before.is_names;
        for (number, line) in lines_from(text, 0) {
            parsed.line_end_count = number;
            if line.is_some_and(|line| line.trim_ascii().is_empty()) {
                continue;
            }
            let repaired_before = row.repaired_count;
            let read = line.ok_or("a line that is too long").and_then(|line| {
                let is_unfinished = line.as_ptr_range().end == text.as_ptr_range().end;
                self.kind(line, (is_names, is_unfinished), &mut row)
            });
            let read = read.and_then(|kind| match kind {
                LineKind::Row => Ok((kind, row_time(&row, meaning.place, meaning.scale)?)),
                kind => Ok((kind, None)),
            });
            let (kind, time) = read.unwrap_or_else(|reason| {
                parsed.reasons.push(reason);
                (LineKind::Bad, None)
            });
            is_names = kind == LineKind::SystemNames;
            let mut line = ParsedLine {
                number: u32::try_from(number).unwrap_or(u32::MAX),
                key: 0,
                kind,
                is_repaired: repaired_before < row.repaired_count,
                is_dropped: false,
            };
            if kind == LineKind::Row {
                sensors.read_row(|place| row.number(place));
                per_frame.read_row(&row);
                // A frame that was generated is displayed, but not presented by the application.
                let time = time.filter(|_| !per_frame.is_of_others());
                let at = meaning.clock.as_ref().and_then(|clock| clock.time_of(&row));
                parsed.values.extend([time, at].map(|time| time.map_or(MISSING, Nanos::get)));
                parsed.values.extend_from_slice(sensors.row());
                parsed.values.extend_from_slice(per_frame.row());
                meaning.read_facts(&row, &mut parsed.facts);
                let raw = meaning.key.map(|place| place.map_or(&b""[..], |place| row.bytes(place)));
                let (key, new) = keys.position(raw);
                parsed.keys.extend(new);
                (line.key, line.is_dropped) = (key, per_frame.is_dropped());
            }
            parsed.lines.push(line);
        }
        parsed.end = PartEnd { widths: row.single_widths, is_names };
        parsed.depends_on_widths = row.depends_on_widths;
        parsed
    }

    /// Reads the cells of a line, if it is a row.
    fn kind(
        &self,
        line: &[u8],
        (is_after_names, is_unfinished): (bool, bool),
        row: &mut Row,
    ) -> Result<LineKind, &'static str> {
        let (table, program) = (self.meaning.table, self.meaning.program);
        if line.starts_with(SYSTEM) {
            return Ok(LineKind::SystemNames);
        }
        if is_after_names {
            return Ok(LineKind::SystemValues);
        }
        if table.is_repeated_by(line) {
            return Ok(LineKind::Header);
        }
        if program.is_growing && is_unreal_end(line) {
            return Ok(LineKind::ProfileEnd);
        }
        match row.read(line) {
            Ok(()) => Ok(LineKind::Row),
            // A last line that is not complete was being written.
            Err(_) if is_unfinished && row.len() < table.columns.len() => Ok(LineKind::Unfinished),
            Err(reason) => Err(reason),
        }
    }
}

/// Takes the rows of all parts in the order of the file.
pub(super) struct RowsInOrder<'a> {
    parser: &'a RowParser<'a>,
    imported: &'a mut Imported,
    clock: Option<RowClock>,
    found: Vec<FoundSeries>,
    known: BTreeMap<[String; 3], usize>,
    /// The number of the next line in the file.
    next_line: u64,
    /// The part of the file between repeated headers.
    part: usize,
    was_cut: bool,
    repaired_count: u64,
    end: PartEnd,
}

impl<'a> RowsInOrder<'a> {
    /// Begins with the line that has the number `next_line`.
    pub(super) fn new(
        parser: &'a RowParser<'a>,
        imported: &'a mut Imported,
        next_line: u64,
    ) -> Self {
        Self {
            parser,
            imported,
            clock: parser.meaning.clock.clone(),
            found: Vec::new(),
            known: BTreeMap::new(),
            next_line,
            part: 0,
            was_cut: false,
            repaired_count: 0,
            end: PartEnd::default(),
        }
    }

    /// Takes the rows of a text that continues the one before.
    pub(super) fn take(&mut self, text: &[u8]) -> Result<(), ImportError> {
        self.take_parts(text, PART_BYTES)
    }

    fn take_parts(&mut self, text: &[u8], length: usize) -> Result<(), ImportError> {
        if text.len() <= length {
            return self.add(self.parser.parse(text, self.end));
        }
        let (parser, end) = (self.parser, PartEnd { is_names: false, ..self.end });
        compute_side_by_side(
            parts(text, length),
            |part| parser.parse(part, end),
            |part, parsed| {
                let is_known = !parsed.depends_on_widths || self.end.widths == end.widths;
                let is_known = is_known && !self.end.is_names;
                self.add(if is_known { parsed } else { parser.parse(part, self.end) })
            },
        )
    }

    fn add(&mut self, parsed: ParsedPart) -> Result<(), ImportError> {
        self.end = PartEnd { widths: parsed.end.widths.or(self.end.widths), ..parsed.end };
        let Imported { bad_lines, machine, .. } = &mut *self.imported;
        let own =
            [&mut machine.cpu_model, &mut machine.os, &mut machine.gpu, &mut machine.gpu_driver];
        let Machine { cpu_model, os, gpu, gpu_driver, .. } = parsed.facts;
        for (own, found) in own.into_iter().zip([cpu_model, os, gpu, gpu_driver]) {
            if own.is_none() {
                *own = found;
            }
        }
        let RowParser { sensors, per_frame, meaning } = self.parser;
        let (sensor_count, frame_count) = (sensors.row().len(), per_frame.row().len());
        let mut values = parsed.values.chunks_exact(2 + sensor_count + frame_count);
        let mut reasons = parsed.reasons.into_iter();
        // Where each series of the part is in the file, once a row of it was taken; `None` within is one too many.
        let mut positions: Vec<Option<Option<usize>>> = vec![None; parsed.keys.len()];
        for line in parsed.lines {
            let number = self.next_line + u64::from(line.number);
            check_rows(number)?;
            let row = if line.kind == LineKind::Row { values.next() } else { None };
            let reason = if line.kind == LineKind::Bad { reasons.next() } else { None };
            // A further session in a log of MangoHud begins with the same three lines as the first one: names of facts
            // about the system, their values, and the header. The first two are skipped.
            self.repaired_count += u64::from(line.is_repaired);
            self.was_cut |= line.kind == LineKind::Unfinished;
            self.part += usize::from(line.kind == LineKind::Header);
            if let Some(reason) = reason {
                bad_lines.add(number, reason);
            }
            let Some(([time, at], row)) = row.and_then(|row| row.split_first_chunk()) else {
                continue;
            };
            let [time, at] = [*time, *at].map(|time| (time != MISSING).then(|| Nanos::new(time)));
            let at = at.zip(self.clock.as_mut()).map(|(at, clock)| clock.in_order(at));
            let key = usize::try_from(line.key).unwrap_or(usize::MAX);
            let Some((position, key)) = positions.get_mut(key).zip(parsed.keys.get(key)) else {
                continue;
            };
            let position = *position.get_or_insert_with(|| {
                let known = self.known.get(key).copied();
                let next = self.found.len();
                known.or_else(|| {
                    (next < MAX_SERIES).then(|| {
                        self.found.push(FoundSeries::new(
                            key.clone(),
                            self.part,
                            (sensors, per_frame),
                        ));
                        self.known.insert(key.clone(), next);
                        next
                    })
                })
            });
            let Some(series) = position.and_then(|position| self.found.get_mut(position)) else {
                bad_lines.add(number, "one process or swap chain too many");
                continue;
            };
            series.dropped_count += u64::from(line.is_dropped);
            series.push(self.part, (time, at), row.split_at(sensor_count), meaning.scale);
        }
        self.next_line += parsed.line_end_count;
        Ok(())
    }

    /// Returns every series, and notes what was repaired and what is not complete.
    pub(super) fn into_series(self) -> Vec<FoundSeries> {
        let notes = &mut self.imported.notes;
        if self.was_cut {
            notes.push("The last line is not complete, and was not read.".to_owned());
        }
        if 0 < self.repaired_count {
            notes.push(format!(
                "{} had a separator inside a cell, and could be read in one way only.",
                count_text(self.repaired_count, "lines")
            ));
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, after_lines, choose};
    use super::*;
    use crate::import::imported::{Content, Options};
    use crate::import::sessions::{Rows, Sessions};
    use crate::import::table::Table;

    /// Reads a file in parts of at least `length` bytes.
    fn read(text: &str, length: usize) -> Imported {
        let (text, options) = (text.as_bytes(), Options::default());
        let table = Table::of(text).unwrap();
        let meaning = TableMeaning::new(text, &table, &options).unwrap();
        let empty = Sessions::default().into_capture("", Rows::Frames);
        let mut imported = Imported::new(Source::Columns, Content::Capture(empty));
        let parser = RowParser::new(&meaning);
        let mut rows = RowsInOrder::new(&parser, &mut imported, table.header_line + 1);
        rows.take_parts(after_lines(text, table.header_line), length).unwrap();
        let found = rows.into_series();
        choose(found, imported, &options, meaning.rows).unwrap()
    }

    #[test]
    fn a_file_in_parts_is_read_as_at_once() {
        let system = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\nDebian,x,60,16,6,z,w\n";
        let header = "fps,frametime,cpu_load,elapsed\n";
        let mut mangohud = format!("{system}{header}");
        // One reading, in which the rate has a decimal comma; then rows with two, which are read as the one before.
        let rows = ["60,16.6,5,7", "62,5,16,0,5,7", "100,0,10,0,5,7", "what,is", "", "1,2,3,4,5"];
        for row in rows.iter().cycle().take(40) {
            mangohud.push_str(&format!("{row}\n"));
        }
        // Values of facts are no row, and no reading of one, whatever they look like.
        let number = system.replace("Debian,x,60,16,6,z,w", "62,16,0,5,7");
        for system in [system, &number, "os,cpu\n\n62,16,0,5,7\n"] {
            mangohud
                .push_str(&format!("{system}{header}60,16.6,5,7\n62,5,16,0,5,7\n60,16.7,9,8\n"));
        }
        mangohud.push_str("60,1");
        let mut frames = "Application,ProcessID,SwapChainAddress,Processor,TimeInSeconds,\
            MsBetweenPresents,MsUntilDisplayed\n"
            .to_owned();
        for row in 0..60 {
            let (name, cpu) =
                (["a.exe", "b, c.exe", "dwm.exe"][row % 3], ["", "Some CPU"][row / 30]);
            let shown = ["8.1", "NA"][usize::from(row % 7 == 0)];
            frames.push_str(&format!(
                "{name},{},0x1,{cpu},{row}.5,{}.5,{shown}\n",
                row % 2,
                row + 1
            ));
        }
        let mut clock = "Time,Frametime\n".to_owned();
        for row in 0..50 {
            let second = 86_380 + row;
            let (hour, minute) = (second / 3_600 % 24, second / 60 % 60);
            clock.push_str(&format!("{hour:02}:{minute:02}:{:02},1000\n", second % 60));
        }
        for text in [mangohud, frames, clock] {
            let whole = read(&text, usize::MAX);
            for length in [1, 30, 100, 700] {
                assert_eq!(read(&text, length), whole, "{length} {text}");
            }
        }
    }

    #[test]
    fn every_series_up_to_the_limit_is_read_also_in_a_part_with_more() {
        let mut text = "Application,ProcessID,TimeInSeconds,MsBetweenPresents\n".to_owned();
        for row in 0..MAX_SERIES + 5 {
            text.push_str(&format!("a,{row},{row}.5,8\n"));
        }
        text.push_str("a,7,2000.5,8\na,1003,2000.6,8\n");
        let whole = read(&text, usize::MAX);
        assert_eq!(read(&text, 1_000), whole);
        assert_eq!((whole.series.len(), whole.bad_lines.count), (MAX_SERIES, 6));
        assert!(whole.series.iter().any(|series| series.id == "7" && series.frame_count == 2));
    }
}
