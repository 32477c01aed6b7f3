//! Tests every reader of the store with mutated files: each file is read or rejected with a message, in bounded time.

use std::time::{Duration, Instant};

use super::*;

/// If this environment variable is `1`, the tests take hours.
const LONG: &str = "JITTERSCOPE_LONG_TESTS";
/// Number of mutated inputs per reader; `LONG_COUNT` in the long tests.
const SHORT_COUNT: u64 = 1_000;
const LONG_COUNT: u64 = 100_000;
/// A reader that takes longer than this hangs. A shorter limit fails on a busy disk, where one sync can take seconds.
const HANG: Duration = Duration::from_mins(2);

fn count() -> u64 {
    if std::env::var(LONG).is_ok_and(|value| value == "1") { LONG_COUNT } else { SHORT_COUNT }
}

/// Pieces of text that are likely to cause errors in readers.
const TOKENS: [&[u8]; 18] = [
    b"null",
    b"-1",
    b"0",
    b"1e999",
    b"9223372036854775808",
    b"\"\"",
    b"[]",
    b"{}",
    b"[",
    b"}",
    b"\n",
    b"\xef\xbb\xbf",
    b"\0",
    b"\xff\xfe",
    b"\"entry\":\"begun\"",
    b"\"format_version\":2",
    b",",
    b"NaN",
];

/// Returns a file of the corpus with one to four mutations; the same seed gives the same result.
fn mutated(corpus: &[Vec<u8>], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = corpus[random.usize(..corpus.len())].clone();
    for _ in 0..random.usize(1..=4) {
        let at = random.usize(..=bytes.len());
        let most = random.usize(1..200);
        let end = random.usize(at..=bytes.len().min(at + most));
        match random.u8(..12) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            1 => drop(bytes.splice(at..end, [])),
            2 => drop(bytes.splice(at..at, TOKENS[random.usize(..TOKENS.len())].iter().copied())),
            3 => drop(bytes.splice(at..end, TOKENS[random.usize(..TOKENS.len())].iter().copied())),
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = random.usize(..=bytes.len());
                drop(bytes.splice(to..to, piece));
            }
            5 => {
                let other = &corpus[random.usize(..corpus.len())];
                let from = random.usize(..=other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            6 => bytes.truncate(at),
            // Replace the next digit by a random digit.
            _ => {
                if let Some(digit) = bytes.iter_mut().skip(at).find(|byte| byte.is_ascii_digit()) {
                    *digit = random.u8(b'0'..=b'9');
                }
            }
        }
    }
    bytes
}

/// Returns the peak memory of this process in MiB; `None` if the system does not report it.
fn peak_mib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()? / 1_024)
}

/// Calls `read` with mutated files; it returns whether the file could be read. Each call must return before `HANG`.
fn survive(name: &str, corpus: &[Vec<u8>], mut read: impl FnMut(&[u8]) -> bool) {
    for whole in corpus {
        assert!(read(whole), "{name}: the corpus can be read");
    }
    let (mut could, mut slowest) = (0_u64, Duration::ZERO);
    for seed in 0..count() {
        let bytes = mutated(corpus, &mut fastrand::Rng::with_seed(seed));
        let began = Instant::now();
        could += u64::from(read(&bytes));
        slowest = slowest.max(began.elapsed());
        assert!(began.elapsed() < HANG, "{name}: seed {seed} hangs");
    }
    println!(
        "{name}: {} inputs, {could} readable, the slowest took {slowest:?}, peak memory {:?} MiB",
        count(),
        peak_mib()
    );
    assert!(0 < could && could < count(), "{name}: mutations matter and do not destroy everything");
}

fn run_file(run: &Run) -> Vec<u8> {
    let mut text = Vec::new();
    format::write(run, &mut text).unwrap();
    text
}

#[test]
fn mutated_run_files_are_read_or_refused() {
    let corpus = [run_file(&run(1)), run_file(&run(2))];
    survive("run file", &corpus, |bytes| match format::read(bytes) {
        Ok(run) => {
            crate::report::Report::of(&run, &crate::report::Options::default());
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    });
}

#[test]
fn mutated_journals_are_recovered_or_retained() {
    let (folder, store) = store();
    let corpus = [journal_lines(&run(1), 3).concat(), journal_lines(&run(2), 12).concat()];
    survive("journal", &corpus, |bytes| {
        let journal = leave_journal(folder.path(), "a", &[bytes.to_vec()]);
        let found = store.recover().unwrap();
        let mut is_recovered = false;
        for (path, content) in files(folder.path()) {
            is_recovered |= load(&path).is_ok();
            let is_saved = content == bytes;
            match &found[0].outcome {
                RecoveryOutcome::Saved { damaged: None, .. } => assert!(!is_saved),
                RecoveryOutcome::Newer(_) => assert!(is_saved && path == journal),
                RecoveryOutcome::Damaged { .. } => assert!(is_saved),
                _ => {}
            }
            fs::remove_file(path).unwrap();
        }
        if matches!(found[0].outcome, RecoveryOutcome::Removed) {
            let text = String::from_utf8_lossy(bytes);
            assert!(
                !text.contains(
                    "\"entry\":\"samples\",\"trial\":0,\"lost\":0,\"samples\":{\"began_nanos\":[16"
                ),
                "{text}"
            );
        }
        is_recovered
    });
}

#[test]
fn mutated_indexes_cost_nothing_but_time() {
    let (folder, store) = store();
    for id in 0..3 {
        // Runs without samples are fast to read when the index is unusable.
        store.save(&Run { trials: Vec::new(), ..run(id) }).unwrap();
    }
    let expected = store.lines().unwrap();
    let index = folder.path().join("index.jitterscope.cache");
    let corpus = [fs::read(&index).unwrap()];
    survive("index", &corpus, |bytes| {
        fs::write(&index, bytes).unwrap();
        let lines = store.lines().unwrap();
        assert_eq!(lines.len(), expected.len());
        lines == expected && bytes.len() == corpus[0].len()
    });
}
