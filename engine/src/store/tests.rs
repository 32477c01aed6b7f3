//! Tests of what the store guarantees: saved data is never lost, and unreadable files are never removed.

mod crash;
mod journals;
mod readers;

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
