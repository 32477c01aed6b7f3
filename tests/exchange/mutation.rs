//! Randomly changed (mutated) files of every format: each is imported or rejected, without a panic, a hang,
//! or excessive memory use.
//!
//! A normal test run tries some thousand files; with `JITTERSCOPE_LONG_TESTS=1`, it tries a million, and with
//! `JITTERSCOPE_MUTATED_FILES=100000` that many. Such a run is expected to be alone in its process: its memory is checked.

#[cfg(unix)]
use std::io::Write as _;
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jitterscope_engine::import;

use super::damage::{survives, whole};
use crate::cli::is_long;

/// Number of mutated files in a normal test run and in a long one.
const CASES: [u64; 2] = [3_000, 1_000_000];
/// An environment variable with another number of mutated files.
const COUNT: &str = "JITTERSCOPE_MUTATED_FILES";
/// An environment variable with the seed of the random changes.
const SEED: &str = "JITTERSCOPE_MUTATED_SEED";
/// Maximum memory in addition to four times the largest file.
const ALLOWANCE_MIB: u64 = 100;
/// Text that is likely to break parsers: extreme numbers, an unmatched quote, separators, line ends.
const PIECES: [&str; 24] = [
    "-1",
    "0",
    "1e308",
    "1e-308",
    "99999999999999999999",
    "-9223372036854775808",
    "NaN",
    "inf",
    "NA",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\"",
    "'",
    "{",
    "[",
    "]}",
    ":",
    "null",
    "\u{feff}",
    "\0",
    "é\u{202e}",
];

/// A pseudo-random number generator (xorshift64*); the same seed yields the same numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(drawn).unwrap() % limit.max(1)
    }

    fn range(&mut self, len: usize, most: usize) -> std::ops::Range<usize> {
        let from = self.below(len + 1);
        from..(from + self.below(most)).min(len)
    }
}

/// Returns the number of mutated files that the environment requests.
pub(crate) fn requested_count() -> Option<u64> {
    std::env::var(COUNT).ok()?.parse().ok()
}

/// Returns the seed that the environment requests; never 0, which would yield only zeros.
pub(crate) fn requested_seed() -> Option<u64> {
    std::env::var(SEED).ok()?.parse().ok().filter(|seed| *seed != 0)
}

/// Returns a randomly selected file with one to four random changes.
fn mutated(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = files[random.below(files.len())].clone();
    for _ in 0..=random.below(4) {
        let range = random.range(bytes.len(), 200);
        match random.below(7) {
            0 => bytes.truncate(range.start),
            1 => drop(bytes.drain(range)),
            2 => {
                let again = bytes[range.clone()].repeat(1 + random.below(300));
                bytes.splice(range, again).for_each(drop);
            }
            3 => {
                let piece = PIECES[random.below(PIECES.len())].as_bytes();
                bytes.splice(range.start..range.start, piece.iter().copied()).for_each(drop);
            }
            4 => {
                let other = &files[random.below(files.len())];
                let taken = other[random.range(other.len(), 4_000)].to_vec();
                bytes.splice(range, taken).for_each(drop);
            }
            5 => {
                // Replace the digits of a number by another number.
                let piece = PIECES[random.below(9)].as_bytes();
                let is_digit = |at: &usize| bytes.get(*at).is_some_and(u8::is_ascii_digit);
                let end = range.start + (range.start..bytes.len()).take_while(is_digit).count();
                bytes.splice(range.start..end, piece.iter().copied()).for_each(drop);
            }
            _ => {
                for at in range.take(8) {
                    bytes[at] = u8::try_from(random.below(256)).unwrap();
                }
            }
        }
    }
    bytes
}

/// Returns the peak memory of this process in MiB; `None` if the system does not report it.
pub(crate) fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()? / 1_024)
}

#[test]
fn mutated_files_are_read_or_refused() {
    let files = whole();
    let asked = requested_count();
    let cases = asked.unwrap_or(CASES[usize::from(is_long())]);
    let seed = requested_seed().unwrap_or(0x6a69_7474_6572);
    let (mut random, mut read_count) = (Random(seed), 0_u64);
    let (mut slowest, mut longest) = (Duration::ZERO, 0);
    for case in 0..cases {
        let bytes = mutated(&files, &mut random);
        longest = bytes.len().max(longest);
        let began = Instant::now();
        let outcome = std::panic::catch_unwind(|| survives(&bytes));
        slowest = began.elapsed().max(slowest);
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let is_read = outcome.unwrap_or_else(|_| panic!("case {case} of {cases}:\n{shown}"));
        read_count += u64::from(is_read);
    }
    println!(
        "{cases} mutated files from seed {seed}, {read_count} read, the longest {longest} bytes, the slowest {slowest:?}, \
         peak memory {:?} MiB",
        peak_mib()
    );
    if let Some(peak) = peak_mib().filter(|_| asked.is_some()) {
        let largest = u64::try_from(longest).unwrap() >> 20;
        assert!(peak <= 4 * largest + ALLOWANCE_MIB, "{peak} MiB, the longest {largest} MiB");
    }
    // If almost all files were rejected, the test would reach only the first lines of the parsers.
    assert!(cases / 20 < read_count && read_count < cases, "{read_count} of {cases}");
}

#[test]
fn files_of_too_many_parts_are_refused_with_the_limit() {
    let recordings = format!("{{\"Runs\":[{}{{}}]}}", "{},".repeat(1_000));
    let threads: Vec<String> = (0..1_025).map(|number| format!("\"{number}\":{{}}")).collect();
    let threads = format!("{{\"thread\":{{{}}}}}", threads.join(","));
    for (text, said) in
        [(recordings, "more than 1000 recordings"), (threads, "more than 1024 threads")]
    {
        let error = import::from_bytes(text.as_bytes(), &import::Options::default()).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    if !is_long() {
        println!("20 000 001 rows: skipped without JITTERSCOPE_LONG_TESTS=1");
        return;
    }
    let rows = format!("fps,frametime\n{}", "1,9\n".repeat(20_000_001));
    let error = import::from_bytes(rows.as_bytes(), &import::Options::default()).unwrap_err();
    assert!(error.to_string().contains("more than 20000000"), "{error}");
}

/// Writes an endless stream to the `import` command; returns the exit status and the error output.
#[cfg(unix)]
fn import_of_endless(beginning: &str, row: &str) -> (Option<i32>, String) {
    let mut child = Command::new(crate::cli::program())
        .args(["import", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let rows = row.repeat(8_192);
    let mut is_open = stdin.write_all(beginning.as_bytes()).is_ok();
    while is_open {
        is_open = stdin.write_all(rows.as_bytes()).is_ok();
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(unix)]
#[test]
fn streams_without_an_end_are_refused() {
    // A stream in an unsupported format is rejected after its first bytes.
    let (status, said) = import_of_endless("\0\0\0\0", "\0\0\0\0");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("unsupported file"), "{said}");
    if !is_long() {
        println!("512 MiB of rows: skipped without JITTERSCOPE_LONG_TESTS=1");
        return;
    }
    let (status, said) = import_of_endless("fps,frametime\n", "60,16.667\n");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("more than 512 MiB"), "{said}");
}
