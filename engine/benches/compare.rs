//! What opening a run of an hour costs, in time and memory, what holding runs side by side does, and what
//! opening a list of 5 000 runs does.
//!
//! `cargo bench -p jitterscope-engine --bench compare`

use std::path::Path;
use std::time::Instant;

use divan::{Bencher, black_box};
use jitterscope_engine::machine::{ClockFacts, Machine};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{CpuFacts, FrameLoop, Plan, Probe as _};
use jitterscope_engine::report::comparison::Rules;
use jitterscope_engine::report::{Comparison, Options, Report};
use jitterscope_engine::run::{Ending, Health, METHOD_VERSION, Run, RunId, TrialRun};
use jitterscope_engine::sample::Sample;
use jitterscope_engine::stats::Pyramid;
use jitterscope_engine::store::{self, Store};

/// An hour at 1 000 frames a second.
const HOUR: i64 = 3_600_000;
/// Runs in a large library.
const LIBRARY: u32 = 5_000;

/// The argument with which this program starts itself to open a run in a separate process.
const OPEN: &str = "open-a-run";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.as_slice() {
        [_, word, path] if word == OPEN => open(Path::new(path)),
        _ => {
            open_an_hour_in_a_process_of_its_own();
            divan::main();
        }
    }
}

/// What one number of this process's status is, in KiB; Linux only.
fn status_kib(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Opens and evaluates a run, lays it out for its first frame, and prints the time.
#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
fn open(path: &Path) {
    let before = status_kib("VmRSS:");
    let began = Instant::now();
    let Ok(run) = store::load(path) else { return };
    let opened = began.elapsed();
    let report = Report::of(&run, &Options::default());
    let evaluated = began.elapsed();
    let mut pyramid = Pyramid::default();
    for trial in &run.trials {
        for (at, late) in trial.samples.woke_nanos().zip(trial.values()) {
            pyramid.push(Nanos::new(at), Nanos::new(late));
        }
    }
    let laid_out = began.elapsed();
    black_box((report, pyramid));
    println!(
        "open of {} samples: {opened:.2?}; judged after {evaluated:.2?}; laid out after {laid_out:.2?}",
        run.sample_count()
    );
    if let Some((peak, before)) = status_kib("VmHWM:").zip(before) {
        let bytes = (peak - before) * 1_024 / u64::try_from(run.sample_count()).unwrap_or(1);
        println!("memory at the peak: {bytes} bytes a sample");
    }
}

/// Only a new process knows its own peak.
#[expect(clippy::print_stdout, reason = "a bench prints its figures")]
fn open_an_hour_in_a_process_of_its_own() {
    let Ok(folder) = tempfile::tempdir() else { return };
    let Ok(path) = Store::at(folder.path()).save(&run(1, HOUR)) else { return };
    let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    println!("a file of an hour at 1 000 frames a second: {size} bytes");
    let itself = std::env::current_exe().ok();
    for _ in 0..3 {
        let opened = itself
            .as_ref()
            .map(|program| std::process::Command::new(program).arg(OPEN).arg(&path).status());
        assert!(opened.is_some_and(|opened| opened.is_ok_and(|status| status.success())));
    }
}

/// A run of this many frames at 1 000 per second, most of them some microseconds late and a few
/// very late.
fn run(id: u32, frames: i64) -> Run {
    let mut random = fastrand::Rng::with_seed(u64::from(id));
    let plan =
        FrameLoop { fps: 1_000.0, time_each: Nanos::from_millis(frames), ..FrameLoop::default() };
    let stage = plan.stages(&CpuFacts::default()).remove(0);
    let mut trial = TrialRun::new(0, stage.trials[0].clone(), stage.load);
    trial.complete = true;
    trial.samples = (1..=frames)
        .map(|k| {
            let late = if random.u32(0..1_000) == 0 { 700_000 } else { random.i64(100..9_000) };
            let due = Nanos::from_millis(k);
            let woke = due + Nanos::new(late);
            let done = woke + Nanos::new(50_000);
            Sample { began: due, due, slept: None, woke, done, spins: 90, cpu: Some(1) }
        })
        .collect();
    Run {
        id: RunId::parse(&format!("{id:08x}")).unwrap_or_else(RunId::random),
        app_version: "0.1.0".to_owned(),
        method_version: METHOD_VERSION,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        wall_clock: None,
        ending: Ending::Finished,
        name: format!("run {id}"),
        note: String::new(),
        tags: Vec::new(),
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

/// Two runs that were opened and judged already, as the page has them.
#[divan::bench(args = [600, 36_000, HOUR], sample_count = 5)]
fn two_runs_side_by_side(bencher: Bencher<'_, '_>, frames: i64) {
    let runs = [run(1, frames), run(2, frames)];
    let reports = runs.each_ref().map(|run| Report::of(run, &Options::default()));
    let evaluated: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
    bencher.bench(|| Comparison::of_reports(black_box(&evaluated), 0, &Rules::default()));
}

/// The judging that comes before it, when a run is opened.
#[divan::bench(sample_count = 3)]
fn report_of_an_hour(bencher: Bencher<'_, '_>) {
    let run = run(1, HOUR);
    bencher.bench(|| Report::of(black_box(&run), &Options::default()));
}

/// The list of a large library, as it is read at the start of the app.
#[divan::bench(sample_count = 10)]
fn list_of_5_000_runs(bencher: Bencher<'_, '_>) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let store = Store::at(folder.path());
    for id in 0..LIBRARY {
        if store.save(&run(id, 120)).is_err() {
            return;
        }
    }
    // The first reading opens every file; all later ones read the cache.
    assert_eq!(store.lines().map_or(0, |lines| lines.len()), 5_000);
    bencher.bench(|| store.lines().map_or(0, |lines| lines.len()));
}
