//! Tests of what the store guarantees: saved data is never lost, and unreadable files are never removed.

mod crash;
mod journals;
mod readers;
mod recorded;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::machine::{ClockFacts, Machine};
use crate::measure::{Event, Journal as _};
use crate::nanos::Nanos;
use crate::plan::{FrameLoop, Plan, Probe as _};
use crate::run::{Ending, Health, TrialRun};
use crate::sample::{Evidence, Sample};

thread_local! {
    static LOAD_COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts a run file that this thread opens.
pub(super) fn count_load() {
    LOAD_COUNT.set(LOAD_COUNT.get() + 1);
}

/// Returns the number of run files that this thread has opened.
fn load_count() -> usize {
    LOAD_COUNT.get()
}

/// Number of samples in the run that `run` creates.
const SAMPLES: usize = 120;

/// Creates a finished run with 120 samples and this ID.
pub(super) fn run(id: u32) -> Run {
    let plan = FrameLoop::default();
    let stage = plan.stages(&crate::plan::CpuFacts::default()).remove(0);
    let mut trial = TrialRun::new(0, stage.trials[0].clone(), stage.load);
    trial.complete = true;
    trial.samples = (1..=120_i64)
        .map(|k| {
            let due = Nanos::from_millis(16) * k;
            let woke = due + Nanos::new(k * 1_000);
            Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: None }
        })
        .collect();
    Run {
        id: RunId::parse(&format!("{id:08x}")).unwrap(),
        app_version: "0.1.0".to_owned(),
        method_version: 1,
        started_at: jiff::Timestamp::from_second(1_700_000_000 + i64::from(id)).unwrap(),
        wall_clock: None,
        ending: Ending::Finished,
        name: format!("run {id}"),
        note: "a\tnote \\ of\ntwo lines".to_owned(),
        tags: vec!["one".to_owned(), "two".to_owned()],
        annotations: Vec::new(),
        group: None,
        subject: Plan::FrameLoop(plan).into(),
        host: None,
        machine: Machine::default(),
        clock: ClockFacts::default(),
        health: Health::default(),
        trials: vec![trial],
    }
}

/// Returns the journal entries of a run: first the run without samples, then its samples, divided into this many
/// entries per trial.
fn entries(run: &Run, pieces: usize) -> Vec<Event> {
    let mut empty = Run { ending: Ending::Recovered, ..run.clone() };
    for trial in &mut empty.trials {
        *trial = TrialRun::new(trial.stage, trial.trial.clone(), trial.load);
    }
    let mut entries = vec![Event::Planned(Arc::new(empty))];
    for (trial, index) in run.trials.iter().zip(0..) {
        let samples: Vec<Sample> = trial.samples.iter().collect();
        let length = samples.len().div_ceil(pieces);
        for (samples, at) in samples.chunks(length).zip(0..) {
            let first = u64::try_from(at * length).unwrap();
            let evidence = vec![Evidence { index: first, ..Evidence::default() }];
            let samples = samples.to_vec();
            entries.push(Event::Samples { trial: index, samples, evidence, lost_count: 0 });
        }
    }
    entries
}

/// Returns the journal of a run as bytes: one item for each entry that `entries` returns.
fn journal_lines(run: &Run, pieces: usize) -> Vec<Vec<u8>> {
    let line = |entry: &Event| {
        let mut line = Vec::new();
        format::write_lines(entry, &mut line).unwrap();
        line
    };
    entries(run, pieces).iter().map(line).collect()
}

/// Writes a journal to a folder without a lock, as if its process had ended. Returns its path.
fn leave_journal(folder: &Path, name: &str, lines: &[Vec<u8>]) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(format!("{name}{JOURNAL_EXTENSION}"));
    fs::write(&path, lines.concat()).unwrap();
    path
}

#[test]
fn the_largest_measured_run_can_be_opened() {
    // The instants of a trial of ten days, with sleeps and spins, on a PC with hundreds of CPUs.
    let at = Nanos::from_secs(864_000);
    let sample = Sample {
        began: at,
        due: at,
        slept: Some(at),
        woke: at,
        done: at,
        spins: 9_999_999,
        cpu: Some(999),
    };
    let bytes = |samples: usize, evidence: usize| {
        let mut run = run(1);
        run.trials[0].samples = (0..samples).map(|_| sample).collect();
        run.trials[0].evidence = vec![
            Evidence {
                index: 9_999_999,
                involuntary_switches: Some(9),
                voluntary_switches: Some(9),
                minor_faults: Some(99),
                major_faults: Some(9),
                run_delay: Some(Nanos::from_secs(1)),
                cpu_before: Some(999),
                cpu_after: Some(999),
                work_started: Some(at),
                interrupt_time: Some(Nanos::from_secs(1)),
                ..Evidence::default()
            };
            evidence
        ];
        let mut text = Vec::new();
        format::write(&run, &mut text).unwrap();
        u64::try_from(text.len()).unwrap()
    };
    let most = u64::try_from(crate::run::MAX_SAVED_SAMPLES).unwrap();
    assert!(most < crate::format::MAX_SAMPLES);
    // Either all samples are in time, or all of them are late, each with its evidence.
    for (samples, evidence) in [(2_000, 0), (1_000, 1_000)] {
        let each = bytes(samples, evidence) - bytes(0, 0);
        let size = each * most / 2_000 + crate::format::MAX_OTHER_BYTES;
        assert!(size < MAX_FILE_BYTES, "{size} bytes with {evidence} pieces of evidence");
    }
}

#[test]
fn a_full_disk_does_not_damage_the_file_that_an_output_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    fs::write(&path, "old").unwrap();
    let write = || write_output(&path, |to| to.write_all(b"new"));
    let (failed, _) =
        disk::tests::faults::with_fault(disk::tests::faults::Fault::FullDisk, 0, write);
    assert!(failed.is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    write_output(&path, |to| to.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn a_file_system_that_reports_each_file_as_locked_is_an_error() {
    let (folder, store) = store();
    let locked = disk::tests::faults::Fault::Locked;
    let (saved, _) = disk::tests::faults::with_fault(locked, 0, || store.save(&run(1)));
    let error = saved.unwrap_err().to_string();
    assert!(error.contains("locked by another process"), "{error}");
    assert!(files(folder.path()).is_empty(), "each draft is removed");
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    (folder, store)
}

/// Returns every file in a folder and its subfolders, with its content.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    files
}

#[test]
fn a_run_is_restored_to_the_folder_it_was_deleted_from() {
    let [old, new] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let path = Store::at(old.path()).save(&run(1)).unwrap();
    let aside = Store::at(old.path()).move_to_trash(&path).unwrap();
    assert_eq!(Store::at(new.path()).restore(&aside).unwrap(), path);
    assert!(path.exists());
}
