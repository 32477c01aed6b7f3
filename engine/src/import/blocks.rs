//! Reads a large text block by block, so that it is never in memory as a whole.
//!
//! Each block ends with a complete line; only the last one may end within a line. The first block decides what the file is,
//! so it has far more rows than that needs. Every block is decoded on its own: no letter of UTF-8 and no pair of UTF-16 crosses
//! a line end. A line that is longer than a block makes the block longer.

use std::borrow::Cow;
use std::io::Read;

use super::decode::Encoding;
use super::imported::ImportError;
use super::lines::line_count;
use super::{MAX_BYTES, check_size};

/// Number of bytes of a block.
pub(super) const BLOCK_BYTES: usize = 8 << 20;

/// Calls `read` with each part of a text and the number of its first line: with the text itself, then with the blocks after it.
pub(super) fn each_part(
    text: &[u8],
    mut rest: Option<Blocks<'_>>,
    mut read: impl FnMut(&[u8], u64) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    read(text, 1)?;
    let mut first = 1 + line_count(text);
    while let Some(block) = rest.as_mut().map(Blocks::next).transpose()?.flatten() {
        read(&block, first)?;
        first += line_count(&block);
    }
    Ok(())
}

/// The blocks of a file after its first one.
pub(super) struct Blocks<'a> {
    file: &'a mut dyn Read,
    /// Number of bytes to read at once.
    length: usize,
    encoding: Encoding,
    /// The bytes of the last block, of which the first `read_count` are read, and those of an unfinished line.
    bytes: Vec<u8>,
    read_count: usize,
    /// Number of bytes of the file so far.
    size: u64,
    is_at_end: bool,
}

impl<'a> Blocks<'a> {
    /// Continues a file after the bytes that were read from it, `length` bytes at once. Returns these bytes up to the last
    /// line end, and the blocks after it.
    pub(super) fn after(
        mut bytes: Vec<u8>,
        file: &'a mut dyn Read,
        length: usize,
    ) -> Result<(Vec<u8>, Self), ImportError> {
        let encoding = Encoding::of(&bytes);
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let rest = bytes.split_off(encoding.lines_length(&bytes));
        let mut blocks =
            Self { file, length, encoding, bytes: rest, read_count: 0, size, is_at_end: false };
        if bytes.is_empty() {
            // The first line is longer than a block.
            bytes = match blocks.fill()? {
                0 => Vec::new(),
                length => blocks.bytes.drain(..length).collect(),
            };
        }
        Ok((bytes, blocks))
    }

    /// Returns the text of the next block; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Cow<'_, [u8]>>, ImportError> {
        self.bytes.drain(..self.read_count);
        self.read_count = 0;
        self.read_count = self.fill()?;
        let block = self.bytes.get(..self.read_count).filter(|block| !block.is_empty());
        Ok(block.map(|block| self.encoding.decode(block)))
    }

    /// Reads until there is a line end in the next block, and returns the length of its complete lines.
    fn fill(&mut self) -> Result<usize, ImportError> {
        loop {
            let before = self.bytes.len();
            if !self.is_at_end {
                let limit = u64::try_from(self.length).unwrap_or(u64::MAX);
                let mut part = Read::take(&mut *self.file, limit);
                let count = part.read_to_end(&mut self.bytes).map_err(ImportError::Read)?;
                self.size = self.size.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
                check_size(self.size, MAX_BYTES)?;
                self.is_at_end = count < self.length;
            }
            if self.is_at_end {
                return Ok(self.bytes.len());
            }
            // What was there before has no line end.
            match self.encoding.lines_length(self.bytes.get(before..).unwrap_or_default()) {
                0 => {}
                length => return Ok(before + length),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::super::{Options, from_bytes, of_text, read};
    use super::*;

    /// Returns the blocks of a file of which `first` bytes were read, `length` bytes at once.
    fn blocks_of(file: &[u8], first: usize, length: usize) -> Vec<Vec<u8>> {
        let (begin, mut rest) = file.split_at(first);
        let (text, mut blocks) = Blocks::after(begin.to_vec(), &mut rest, length).unwrap();
        let mut found = vec![Encoding::of(file).decode(&text).into_owned()];
        while let Some(block) = blocks.next().unwrap() {
            found.push(block.into_owned());
        }
        found
    }

    #[test]
    fn blocks_are_the_whole_text_and_end_with_lines() {
        let text = "fps,frametime\r\n60,16.6\n\nä €,a longer line than all of the others\n6,1";
        let utf_16 = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect();
        let windows = b"a\xe9,b\n\xe4,\x80\n".repeat(9);
        let files: [Vec<u8>; 4] =
            [text.as_bytes().to_vec(), windows, utf_16(u16::to_le_bytes), utf_16(u16::to_be_bytes)];
        for file in files {
            let whole = decode(&file).unwrap().into_owned();
            // The encoding shows in a few letters.
            for first in (24..=file.len()).step_by(2) {
                for length in [1, 7, 16, 1_000] {
                    let blocks = blocks_of(&file, first, length);
                    assert_eq!(blocks.concat(), whole, "{first} {length}");
                    let (_, complete) = blocks.split_last().unwrap();
                    assert!(
                        complete.iter().all(|block| block.ends_with(b"\n")),
                        "{first} {length}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_table_of_several_blocks_is_read_as_at_once() {
        let mut file = b"Application,ProcessID,TimeInSeconds,MsBetweenPresents\n".to_vec();
        let (mut number, mut at) = (0, 0.0);
        while file.len() < 2 * BLOCK_BYTES + 1_000 {
            number += 1;
            let length = 8.0 + f64::from(number % 5);
            at += length / 1e3;
            let row = match number {
                400_000 => "game.exe,7,no number\n".to_owned(),
                _ => format!("game.exe,7,{at:.4},{length:.4}\n"),
            };
            file.extend(row.bytes());
        }
        file.extend(b"game.exe,7,9");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, &file).unwrap();
        let options = Options::default();
        let (whole, blocks) =
            (from_bytes(&file, &options).unwrap(), read(&path, &options).unwrap());
        assert_eq!(whole.content, blocks.content);
        assert_eq!((&whole.notes, &whole.bad_lines), (&blocks.notes, &blocks.bad_lines));
        assert_eq!(blocks.bad_lines.first[0].0, 400_001);
        assert_eq!(blocks.notes.len(), 1, "the last line is not complete");
    }

    #[test]
    fn a_log_of_several_blocks_is_read_as_at_once() {
        let mut file = b"00, 21-11-2026 20:00:00, Hardware monitoring log v1.6 \n\
            02, 21-11-2026 20:00:00, GPU temperature,Framerate,Frametime\n"
            .to_vec();
        let mut second = 0;
        while file.len() < 2 * BLOCK_BYTES + 1_000 {
            second += 1;
            let (hour, minute) = (second / 3_600 % 24, second / 60 % 60);
            let row = match second {
                150_000 => "8, no line\n".to_owned(),
                second => {
                    let time = format!("{hour:02}:{minute:02}:{:02}", second % 60);
                    format!(
                        "80, 22-11-2026 {time}, 50.{}, 100.000, {}.5\n",
                        second % 9,
                        second % 7 + 1
                    )
                }
            };
            file.extend(row.bytes());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hml");
        std::fs::write(&path, &file).unwrap();
        let options = Options::default();
        let (whole, blocks) =
            (from_bytes(&file, &options).unwrap(), read(&path, &options).unwrap());
        assert_eq!(whole.content, blocks.content);
        assert_eq!(whole.bad_lines, blocks.bad_lines);
        assert_eq!(blocks.bad_lines.first, [(150_002, "a line of unknown kind")]);
    }

    #[test]
    fn histograms_of_several_blocks_are_read_as_at_once() {
        let rows = |row: fn(u32) -> String| (0..300).map(row).collect::<String>();
        let bins = rows(|row| format!("{:06} {row:06}\t{:06}\n", row + 600, row % 7));
        let high = "700000000 000001\t000002\nno row\n";
        let ends = |min: &str| format!("# Min Latencies: {min}\n# Max Latencies: 00899 00901\n");
        let states = rows(|row| {
            format!(
                "T: {} (  99) P:80 I:1000 C:{row:7} Min:  4 Act:  5 Avg:  5 Max:  12\n",
                row % 4
            )
        });
        let micros = ends("00100 00600");
        let nanos = ends("00600 00601");
        let files = [
            format!("# Histogram\n{bins}{high}{micros}"),
            format!("# Histogram\n{bins}{high}{nanos}"),
            format!("{states}# Histogram\n{bins}{micros}"),
            states.clone(),
            rows(|row| format!("{:8}:{row:8}:{:8}\n", row % 4, row % 97)),
            format!(
                "        Core:\t 2 3\n{}     Maximum:\t 400 1 (us)\n",
                rows(|row| format!("    {:03} (us):\t {row} 98\n", row + 1))
            ),
            format!(
                "# RTLA timerlat histogram\nIndex IRQ-000 Thr-000\n{}over: 3 4\nmax: 700 701\n",
                rows(|row| format!("{row:<12} {:9}     {:9}\n", 5, row))
            ),
        ];
        let options = Options::default();
        for file in &files {
            let whole = from_bytes(file.as_bytes(), &options).unwrap();
            for length in [90, 1_000] {
                let (begin, mut rest) = file.as_bytes().split_at(400);
                let (first, rest) = Blocks::after(begin.to_vec(), &mut rest, length).unwrap();
                let blocks = of_text(&decode(&first).unwrap(), Some(rest), &options).unwrap();
                assert_eq!(whole, blocks, "{}", file.get(..400).unwrap());
            }
        }
        let reasons = |file: &String| from_bytes(file.as_bytes(), &options).unwrap().bad_lines;
        let (no_row, too_high) =
            ((303, "a line of unknown kind"), (302, "a value above ten minutes"));
        assert_eq!(reasons(&files[0]).first, [too_high, no_row]);
        assert_eq!(reasons(&files[1]).first, [no_row], "0.7 s in nanoseconds");
    }
}
