//! What holding runs side by side costs, and what opening a list of 5 000 runs does.
//!
//! `cargo bench -p jitterscope-engine --bench compare`

use divan::{Bencher, black_box};
use jitterscope_engine::machine::{ClockFacts, Machine};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{CpuFacts, FrameLoop, Plan, Probe as _};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::{Ending, Health, METHOD_VERSION, Run, RunId, TrialRun};
use jitterscope_engine::sample::Sample;
use jitterscope_engine::store::Store;

/// An hour at 1 000 frames a second.
const HOUR: i64 = 3_600_000;
/// Runs in a large library.
const LIBRARY: u32 = 5_000;

fn main() {
    divan::main();
}

/// A run of so many frames at 1 000 a second, most of them some microseconds late and a few very late.
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
        ending: Ending::Finished,
        name: format!("run {id}"),
        note: String::new(),
        tags: Vec::new(),
        plan: Plan::FrameLoop(plan),
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
    let reports = runs.each_ref().map(Report::of);
    let judged: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
    bencher.bench(|| Comparison::of_reports(black_box(&judged), 0));
}

/// The judging that comes before it, when a run is opened.
#[divan::bench(sample_count = 3)]
fn report_of_an_hour(bencher: Bencher<'_, '_>) {
    let run = run(1, HOUR);
    bencher.bench(|| Report::of(black_box(&run)));
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
