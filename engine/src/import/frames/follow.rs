//! Reads a log that another program is writing, row by row, as the importer reads a finished one.
//!
//! Bytes arrive in any pieces. Lines before the header, and the first rows, are held until they show which column has the
//! frame times and in which unit. From then on each complete line becomes a row at once; a half line waits for the rest.

use super::{COMPOSITOR, ImportError, Options, Row, RowClock, SYSTEM, Scale, Table, TableMeaning};
use super::{is_unreal_end, known};
use crate::nanos::Nanos;

/// Number of complete rows that decide what the columns mean.
const DECIDING_ROWS: usize = 3;
/// Number of bytes after which a log without a known column is given up.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Another swap chain of a program is followed if the one before had no rows for this long.
const UNTIL_NEXT: Nanos = Nanos::from_secs(2);
/// Maximum length of a line.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A row of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogRow {
    /// Frame time; `None` if the row has none, or one of 0.
    pub frame_time: Option<Nanos>,
    /// Time of the row by the clock of the log; `None` without a clock.
    pub at: Option<Nanos>,
    /// Name of the process that presented the frame; empty if the log does not name it.
    pub process: String,
    /// ID of this process; `None` if the log does not have it.
    pub process_id: Option<u32>,
    /// Load of the graphics device in thousandths; `None` if the log does not have it.
    pub gpu_load: Option<i64>,
}

/// The swap chain whose rows are read, of all those in a log.
#[derive(Debug)]
struct FollowedChain {
    swap_chain: Vec<u8>,
    process: String,
    process_id: Option<u32>,
    /// When its newest row arrived.
    newest: Nanos,
}

impl FollowedChain {
    /// Whether a row is of this swap chain. A game that is started again has another process, whose swap chain is followed
    /// once the one before has had no rows for a while.
    fn takes(&mut self, row: &LogRow, swap_chain: &[u8], arrived: Nanos) -> bool {
        let is_own = self.swap_chain == swap_chain && self.process_id == row.process_id;
        let is_next = self.process == row.process && UNTIL_NEXT <= arrived - self.newest;
        if is_own || is_next {
            if !is_own {
                self.swap_chain = swap_chain.to_vec();
                self.process_id = row.process_id;
            }
            self.newest = arrived;
        }
        is_own || is_next
    }
}

/// What the columns of a followed log mean.
#[derive(Debug)]
struct FollowedColumns {
    table: Table,
    place: usize,
    scale: Scale,
    clock: Option<RowClock>,
    is_growing: bool,
    key: [Option<usize>; 3],
    gpu_load: Option<usize>,
}

/// Reads a log that grows.
#[derive(Debug, Default)]
pub struct LogReader {
    options: Options,
    columns: Option<FollowedColumns>,
    /// The bytes from the begin of the log until its columns are known, and then those of an unfinished line.
    held: Vec<u8>,
    /// When each complete line in `held` arrived, until the columns are known.
    arrivals: Vec<Nanos>,
    /// The last time stamp, if the column has time stamps.
    stamp: Option<Nanos>,
    is_system: bool,
    bad_count: u64,
    /// The swap chain whose rows are read.
    followed: Option<FollowedChain>,
}

impl LogReader {
    /// Creates a reader of a log from its begin; `options` select column and unit where the log does not show them.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Returns the number of lines that could not be read.
    pub const fn bad_count(&self) -> u64 {
        self.bad_count
    }

    /// Reads the next bytes of the log, which arrived at `now`, and passes each row with its time of arrival to `take`.
    ///
    /// # Errors
    ///
    /// The log is not one of frame times, or nothing shows its unit.
    pub fn push(
        &mut self,
        bytes: &[u8],
        now: Nanos,
        mut take: impl FnMut(LogRow, Nanos),
    ) -> Result<(), ImportError> {
        if self.columns.is_none() {
            let lines = bytes.split(|byte| *byte == b'\n').skip(1).count();
            self.arrivals.extend(std::iter::repeat_n(now, lines));
            self.held.extend_from_slice(bytes);
            self.decide()?;
            if self.columns.is_none() {
                return Ok(());
            }
            let held = std::mem::take(&mut self.held);
            let arrivals = std::mem::take(&mut self.arrivals);
            let before = self.columns.as_ref().map_or(0, |columns| columns.table.header_line);
            let skipped = usize::try_from(before).unwrap_or(usize::MAX);
            let mut rest = held.as_slice();
            for (number, arrived) in arrivals.into_iter().enumerate() {
                let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { break };
                let (line, after) = rest.split_at(end);
                rest = after.get(1..).unwrap_or_default();
                if skipped <= number {
                    self.read_line(line, arrived, &mut take);
                }
            }
            self.held = rest.to_vec();
            return Ok(());
        }
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            if self.held.is_empty() {
                self.read_line(line, now, &mut take);
            } else {
                let mut whole = std::mem::take(&mut self.held);
                whole.extend_from_slice(line);
                self.read_line(&whole, now, &mut take);
            }
        }
        if self.held.len() + rest.len() <= MAX_LINE_BYTES {
            self.held.extend_from_slice(rest);
        } else {
            // The rest of the line is read as a line, and is bad.
            self.held.clear();
        }
        Ok(())
    }

    /// Finds out what the columns mean, if enough rows are there.
    fn decide(&mut self) -> Result<(), ImportError> {
        let is_enough = MAX_HEAD_BYTES < self.held.len();
        let end = self.held.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let complete = self.held.get(..end).unwrap_or_default();
        let complete = complete.strip_prefix(b"\xef\xbb\xbf").unwrap_or(complete);
        let Some(table) = Table::of(complete) else {
            return if is_enough { Err(ImportError::Unknown) } else { Ok(()) };
        };
        let has_column = self.options.column.is_some() || table.frame_column().is_some();
        let row_count = table.rows(complete).count();
        if (!has_column || row_count < DECIDING_ROWS) && !is_enough {
            return Ok(());
        }
        if let Some(what) = known::summary(&table.names) {
            return Err(ImportError::Known(what));
        }
        let meaning = match TableMeaning::new(complete, &table, &self.options) {
            Ok(meaning) => meaning,
            Err(error) if is_enough => return Err(error),
            // More rows may show the unit.
            Err(_) => return Ok(()),
        };
        let TableMeaning { place, scale, clock, key, program, .. } = meaning;
        let is_growing = program.is_growing;
        let gpu_load = table.names.iter().position(|name| name == "gpu_load");
        self.columns =
            Some(FollowedColumns { table, place, scale, clock, is_growing, key, gpu_load });
        Ok(())
    }

    fn read_line(&mut self, line: &[u8], arrived: Nanos, take: &mut dyn FnMut(LogRow, Nanos)) {
        let Some(columns) = &mut self.columns else { return };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return;
        }
        // A further session begins with names and values of facts, and with the header.
        let is_system = line.starts_with(SYSTEM);
        let is_values = std::mem::replace(&mut self.is_system, is_system);
        if is_system || is_values || columns.table.is_repeated_by(line) {
            self.stamp = None;
            return;
        }
        if columns.is_growing && is_unreal_end(line) {
            return;
        }
        match columns.read(line) {
            Ok((value, mut row, swap_chain)) => {
                if row.process.eq_ignore_ascii_case(COMPOSITOR) {
                    return;
                }
                let followed = self.followed.get_or_insert_with(|| FollowedChain {
                    swap_chain: swap_chain.clone(),
                    process: row.process.clone(),
                    process_id: row.process_id,
                    newest: arrived,
                });
                if !followed.takes(&row, &swap_chain, arrived) {
                    return;
                }
                row.frame_time = if columns.scale.are_stamps {
                    let Some(stamp) = value else { return };
                    row.at = Some(stamp);
                    let before = self.stamp.replace(stamp);
                    before.map(|before| stamp - before).filter(|step| Nanos::ZERO < *step)
                } else {
                    value
                };
                take(row, arrived);
            }
            Err(reason) => {
                log::debug!("a line of the log cannot be read: {reason}");
                self.bad_count += 1;
            }
        }
    }
}

impl FollowedColumns {
    /// Reads a line: its frame time or time stamp, the other columns, and the swap chain.
    fn read(&mut self, line: &[u8]) -> Result<(Option<Nanos>, LogRow, Vec<u8>), &'static str> {
        let mut row = Row::new(&self.table, self.is_growing, self.place);
        row.read(line)?;
        let value = super::row_time(&row, self.place, self.scale)?;
        let [process, id, swap_chain] = self.key;
        let text = |place: Option<usize>| place.map(|place| row.text(place));
        let gpu_load = self.gpu_load.and_then(|place| row.number(place));
        let read = LogRow {
            frame_time: None,
            at: self.clock.as_mut().and_then(|clock| clock.read(&row)),
            process: text(process).map(super::name).unwrap_or_default(),
            process_id: text(id).and_then(|id| id.parse().ok()),
            gpu_load: gpu_load.map(|percent| Nanos::from_nanos_f64(percent * 10.0).get()),
        };
        let swap_chain = swap_chain.map(|place| row.bytes(place).to_vec());
        Ok((value, read, swap_chain.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\nDebian,x,y,1,6,z,w\n\
        fps,frametime,cpu_load,gpu_load,elapsed\n";

    /// Frame time and time of a row.
    type Read = (Option<i64>, Option<i64>);

    /// Reads a text in pieces of `size` bytes, one per millisecond.
    fn rows(text: &str, size: usize) -> (Vec<Read>, u64) {
        let mut reader = LogReader::default();
        let mut rows = Vec::new();
        for (piece, at) in text.as_bytes().chunks(size).zip(0..) {
            let read = reader.push(piece, Nanos::from_millis(at), |row, _| {
                rows.push((row.frame_time.map(Nanos::get), row.at.map(Nanos::get)));
            });
            read.unwrap();
        }
        (rows, reader.bad_count())
    }

    #[test]
    fn pieces_of_any_size_give_the_same_rows() {
        let mut text = HEADER.to_owned();
        let mut expected = Vec::new();
        for row in 1..=40_i64 {
            text.push_str(&format!("60,16.6,5,{row},{}\n", row * 16_600_000));
            expected.push((Some(16_600_000), Some(row * 16_600_000)));
        }
        for size in [1, 7, 100, 100_000] {
            assert_eq!(rows(&text, size), (expected.clone(), 0), "{size}");
        }
        let half = text.trim_end_matches('\n');
        assert_eq!(rows(half, 10).0.len(), 39, "the last line is not complete");
    }

    #[test]
    fn the_process_of_a_game_that_is_started_again_is_followed() {
        let mut reader = LogReader::default();
        let mut ids = Vec::new();
        let mut push = |text: &str, at: i64| {
            let read = reader.push(text.as_bytes(), Nanos::from_millis(at), |row, _| {
                ids.push(row.process_id.unwrap());
            });
            read.unwrap();
        };
        push("Application,ProcessID,SwapChainAddress,TimeInSeconds,MsBetweenPresents\n", 0);
        for row in 0..10 {
            push(&format!("game.exe,7,0xA,{row}.5,16.7\n"), row * 20);
            push(&format!("game.exe,8,0xB,{row}.6,33.3\n"), row * 20);
            push(&format!("other.exe,9,0xC,{row}.7,33.3\n"), row * 20);
        }
        push("other.exe,9,0xC,30.7,33.3\n", 5_000);
        push("game.exe,12,0xA,31.0,16.7\n", 5_001);
        push("game.exe,7,0xA,31.1,16.7\n", 5_002);
        push("game.exe,12,0xA,31.2,16.7\n", 5_003);
        assert_eq!(ids, [[7; 10].as_slice(), &[12, 12]].concat());
    }

    #[test]
    fn frame_times_in_microseconds_and_bad_lines_are_recognized() {
        let mut text = HEADER.to_owned();
        for row in 1..=5 {
            text.push_str(&format!("60,16600,5,6,{}\n", row * 16_600_000));
        }
        text.push_str("what\n60,16600,5,6,99600000\n");
        let (rows, bad_count) = rows(&text, 30);
        assert_eq!((rows.len(), bad_count), (6, 1));
        assert!(rows.iter().all(|row| row.0 == Some(16_600_000)), "{rows:?}");
    }

    #[test]
    fn a_log_without_frame_times_is_given_up() {
        let mut reader = LogReader::default();
        let text = "a b c\n".repeat(MAX_HEAD_BYTES / 6 + 2);
        assert!(reader.push(text.as_bytes(), Nanos::ZERO, |_, _| {}).is_err());
    }
}
