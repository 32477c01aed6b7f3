//! Tests every reader of the store, and of what an agent sends, with mutated files: each file is read or rejected with a
//! message, in bounded time.
//!
//! `JITTERSCOPE_MUTATED_FILES=100000` tries that many files of each kind, and `JITTERSCOPE_MUTATED_SEED=7` other ones. Such
//! a run is expected to be alone in its process: its memory is checked.

use std::time::{Duration, Instant};

use super::*;
use crate::run::{Subject, Trace};

/// If this environment variable is `1`, the tests take hours.
const LONG: &str = "JITTERSCOPE_LONG_TESTS";
/// Environment variables with the number of mutated inputs per reader, and with the first seed.
const COUNT: &str = "JITTERSCOPE_MUTATED_FILES";
const SEED: &str = "JITTERSCOPE_MUTATED_SEED";
/// Maximum memory in addition to four times the largest file, in MiB. The test program itself takes up to 40.
const ALLOWANCE_MIB: u64 = 100;
/// Number of mutated inputs per reader; `LONG_COUNT` in the long tests.
const SHORT_COUNT: u64 = 1_000;
const LONG_COUNT: u64 = 100_000;
/// A reader that takes longer than this hangs. A shorter limit fails on a busy disk, where one sync can take seconds.
const HANG: Duration = Duration::from_mins(2);

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn count() -> u64 {
    if let Some(count) = number(COUNT) {
        return count;
    }
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
    let (mut could, mut slowest, mut longest) = (0_u64, Duration::ZERO, 0);
    let first = number(SEED).unwrap_or(0);
    for seed in first..first + count() {
        let bytes = mutated(corpus, &mut fastrand::Rng::with_seed(seed));
        longest = bytes.len().max(longest);
        let began = Instant::now();
        could += u64::from(read(&bytes));
        slowest = slowest.max(began.elapsed());
        assert!(began.elapsed() < HANG, "{name}: seed {seed} hangs");
    }
    println!(
        "{name}: {} inputs from seed {first}, {could} readable, the longest {longest} bytes, the slowest took \
         {slowest:?}, peak memory {:?} MiB",
        count(),
        peak_mib()
    );
    if let Some(peak) = peak_mib().filter(|_| number(COUNT).is_some()) {
        let largest = u64::try_from(longest).unwrap() >> 20;
        assert!(peak <= 4 * largest + ALLOWANCE_MIB, "{name}: {peak} MiB");
    }
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

/// Recovers a journal, and removes what it leaves. Returns whether there is a run that can be opened, and whether the journal
/// was removed.
fn recover(folder: &Path, store: &Store, bytes: &[u8]) -> (bool, bool) {
    let journal = leave_journal(folder, "a", &[bytes.to_vec()]);
    let found = store.recover().unwrap();
    let mut is_recovered = false;
    for (path, content) in files(folder) {
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
    (is_recovered, matches!(found[0].outcome, RecoveryOutcome::Removed))
}

#[test]
fn mutated_journals_are_recovered_or_retained() {
    let (folder, store) = store();
    let corpus = [journal_lines(&run(1), 3).concat(), journal_lines(&run(2), 12).concat()];
    survive("journal", &corpus, |bytes| {
        let (is_recovered, is_removed) = recover(folder.path(), &store, bytes);
        if is_removed {
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
fn mutated_journals_of_recordings_are_recovered_or_retained() {
    let (folder, store) = store();
    let (run, ..) = recorded::recorded(1);
    let Subject::Recorded(recording) = &run.subject else { panic!() };
    let mut recording = recording.clone();
    // Short columns, so that mutations reach every part of the journal.
    recording.details.truncate(1);
    for detail in &mut recording.details {
        let names = vec!["game".to_owned(), "other".to_owned()];
        detail.trace = Trace::from_records(names, &detail.trace.records()[..6]);
    }
    for canary in &mut recording.canaries {
        let columns = [&mut canary.at, &mut canary.min, &mut canary.p50, &mut canary.p99];
        for column in columns.into_iter().chain([&mut canary.max, &mut canary.count]) {
            *column = column.values().take(6).collect();
        }
    }
    let begun = Subject::Recorded(Box::new(recording.without_lists()));
    let mut journal = journal_lines(&Run { subject: begun, ..run.clone() }, 1).concat();
    // The detail is added, and later removed because of the limit of disk space.
    let without = recording.details.iter().map(|detail| detail.begin).collect();
    let ended = Event::Recorded { more: Box::new(recording.without_lists()), without };
    for event in [Event::Recorded { more: recording, without: Vec::new() }, ended] {
        format::write_lines(&event, &mut journal).unwrap();
    }
    survive("journal of a recording", &[journal], |bytes| {
        let (is_recovered, _) = recover(folder.path(), &store, bytes);
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

#[test]
fn mutated_lines_of_an_agent_are_accepted_or_refused() {
    use crate::format::protocol::{AgentAnswer, AgentFacts, answer_in, read_answer, write_answer};
    use crate::machine::Detail;
    use crate::plan::CpuFacts;
    use crate::platform::TraceState;
    let Run { machine, clock, .. } = run(1);
    let facts = AgentAnswer::Machine(Box::new(AgentFacts {
        app_version: "0.1.0".to_owned(),
        machine,
        clock,
        cpus: CpuFacts { usable: vec![0, 1], physical_count: Some(1), one_a_core: vec![0] },
        cpu_quota_percent: Some(150),
        capabilities: Vec::new(),
        detail: Detail::default(),
        trace: TraceState::default(),
        performance_cpu: Some(1),
        can_pin: true,
    }));
    let mut corpus = vec![write_answer(&facts).into_bytes()];
    corpus.push(write_answer(&AgentAnswer::Load(Some(0.5))).into_bytes());
    corpus.push(write_answer(&AgentAnswer::Refused("busy".to_owned())).into_bytes());
    corpus.extend(journal_lines(&run(1), 3));
    survive("line of an agent", &corpus, |bytes| {
        let Some(answer) = answer_in(bytes) else {
            return format::is_plausible(bytes) && format::parse_entry(bytes).is_ok();
        };
        match read_answer(answer) {
            Ok(AgentAnswer::Machine(facts)) => {
                assert!(facts.machine.cpus.len() <= 8_192);
                true
            }
            Ok(_) => true,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    });
}
