//! What the store promises: nothing that was saved is lost, and nothing is removed that cannot be read.

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

/// Samples of a run.
const SAMPLES: usize = 120;

/// A finished run of 120 samples.
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

/// The entries of the journal of a run: its facts, and its samples in this many pieces.
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

/// The lines of that journal.
fn journal_lines(run: &Run, pieces: usize) -> Vec<Vec<u8>> {
    let line = |entry: &Event| {
        let mut line = Vec::new();
        format::write_lines(entry, &mut line).unwrap();
        line
    };
    entries(run, pieces).iter().map(line).collect()
}

/// Leaves the journal of an ended process in a folder.
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

/// Every file in a folder and those below it, with its content.
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
