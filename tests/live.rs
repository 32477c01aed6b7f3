//! Runs that really measure: counts, order, stopping, no lost data. Durations are not compared with limits,
//! because other programs may delay everything.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell as ThreadCell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jitterscope_engine::measure::inner::{
    EvidenceReader, Paced, Prepared, Sinks, Waiter, ring, run_paced, turns_a_second,
};
use jitterscope_engine::measure::{self, Event, Journal, Request, TraceMode};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::{Cell, CpuChoice, Priority};
use jitterscope_engine::plan::{
    FrameLoop, Load, LoadCount, LoadKind, LoadPriority, OnMiss, Plan, SpinStrategy, Tail, Wait,
    Work,
};
use jitterscope_engine::platform::{self, Sleeper, clock_nanos};
use jitterscope_engine::run::{Ending, Labels, Run};
use jitterscope_engine::runner::{Runner, Sink};
use jitterscope_engine::sample::{Evidence, Sample};
use jitterscope_engine::store::{SaveError, Store};

use super::probes::{self, finish};
use super::window::Poll;

thread_local! {
    static ALLOCATIONS: ThreadCell<u64> = const { ThreadCell::new(0) };
}

/// An allocator that counts the allocations of each thread and forwards every call to the system's allocator.
struct Counting;

// SAFETY: forwards every call unchanged to the system's allocator; counting does not touch allocated memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.try_with(|count| count.set(count.get() + 1)).ok();
        // SAFETY: the caller upholds the contract of `alloc`, which is that of `System.alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATIONS.try_with(|count| count.set(count.get() + 1)).ok();
        // SAFETY: the caller upholds the contract of `dealloc`, which is that of `System.dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn request(plan: FrameLoop) -> Request {
    probes::request(Plan::FrameLoop(plan))
}

/// Returns the settings of a short loop without warm-up, calibration, or load.
fn short() -> FrameLoop {
    FrameLoop {
        fps: 500.0,
        time_each: Nanos::from_millis(400),
        work: Work::Nothing,
        wait: Wait::OsSleep,
        load: Load::NONE,
        warm_up: Nanos::ZERO,
        ..FrameLoop::default()
    }
}

#[test]
fn ten_thousand_turns_allocate_nothing_on_the_measuring_thread() {
    let (mut samples, _samples_tap) = ring(20_000, Sample::default());
    let (mut evidence, _evidence_tap) = ring(20_000, Evidence::default());
    let mut reader = EvidenceReader::new(Arc::default());
    let sleeper = Sleeper::new();
    let stop = AtomicBool::new(false);
    let work = Prepared::new(Work::Arithmetic(Nanos::from_micros(5)), turns_a_second());
    for waiter in [
        Waiter::OsSleep,
        Waiter::Hybrid(Nanos::from_micros(20)),
        Waiter::Spin(SpinStrategy::SpinLoopHint),
        Waiter::Spin(SpinStrategy::YieldThread),
    ] {
        let paced = Paced {
            period: Nanos::from_micros(100),
            on_miss: OnMiss::CatchUp,
            warm_up_slots: 0,
            slots: 10_000,
            waiter,
            work,
            // With this limit, every late frame records evidence: the most expensive path of the loop.
            evidence_above: Nanos::ZERO,
        };
        let mut sinks =
            Sinks { samples: &mut samples, evidence: &mut evidence, reader: Some(&mut reader) };
        let before = ALLOCATIONS.with(ThreadCell::get);
        let ended = run_paced(&paced, &sleeper, &stop, &mut sinks, clock_nanos);
        let after = ALLOCATIONS.with(ThreadCell::get);
        assert!(ended.complete);
        assert_eq!(after - before, 0, "{waiter:?}");
    }
}

#[test]
fn every_slot_of_a_run_is_a_sample_or_was_missed() {
    let running = measure::start(request(short()), None, || {}).unwrap();
    let run = finish(&running);
    assert_eq!(run.ending, Ending::Finished);
    let trial = &run.trials[0];
    assert!(trial.complete);
    assert_eq!(trial.lost_count, 0);
    probes::assert_normal(trial.applied.as_ref().unwrap());
    let period = 2_000_000;
    let mut last = 0;
    for sample in trial.samples.iter() {
        let due = sample.due.get();
        assert_eq!(due % period, 0);
        assert!(last < due);
        assert!(sample.due <= sample.woke && sample.woke <= sample.done);
        last = due;
    }
    assert!(last <= 200 * period);
    assert!(!trial.samples.is_empty());
}

#[test]
fn events_hold_the_same_samples_as_the_run() {
    // No trace: its events arrive whenever the system reports them, which would make the order below vary.
    let request = Request { trace: TraceMode::Off, ..request(short()) };
    let running = measure::start(request, None, || {}).unwrap();
    let mut reported = Vec::new();
    let mut order = Vec::new();
    let run = loop {
        match running.next_event().unwrap() {
            Event::Planned(_) => order.push("planned"),
            Event::Began { .. } => order.push("began"),
            Event::Samples { samples, .. } => reported.extend(samples),
            Event::Counted { .. } => order.push("counted"),
            // Values that are read four times per second may arrive between any two events.
            Event::Value { .. } => {}
            Event::Ended { complete, .. } => {
                assert!(complete);
                order.push("ended");
            }
            Event::Finished(run) => break run,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(order, ["planned", "began", "ended", "counted"]);
    assert_eq!(reported, run.trials[0].samples.iter().collect::<Vec<_>>());
    assert!(running.next_event().is_none());
}

#[test]
fn a_collector_that_is_held_up_loses_samples_and_shows_exactly_how_many() {
    let plan = FrameLoop {
        fps: 1_000.0,
        time_each: Nanos::from_secs(4),
        on_miss: OnMiss::CatchUp,
        ..short()
    };
    let held = AtomicBool::new(false);
    let woken = AtomicBool::new(false);
    // The wake function runs on the collector's thread: sleeping in it blocks the collector for 2 s.
    let small = Request { ring_capacity: 256, ..request(plan) };
    let running = measure::start(small, None, move || {
        if woken.swap(true, Ordering::Relaxed) && !held.swap(true, Ordering::Relaxed) {
            std::thread::sleep(Duration::from_secs(2));
        }
    })
    .unwrap();
    let run = finish(&running);
    let trial = &run.trials[0];
    assert!(0 < trial.lost_count, "2 s at 1 000 a second do not fit into 256");
    assert_eq!(trial.samples.len() as u64 + trial.lost_count, 4_000);
}

#[test]
fn a_window_that_does_not_look_for_ten_seconds_loses_nothing() {
    let plan = FrameLoop {
        fps: 1_000.0,
        time_each: Nanos::from_secs(11),
        on_miss: OnMiss::CatchUp,
        ..short()
    };
    let running = measure::start(request(plan), None, || {}).unwrap();
    std::thread::sleep(Duration::from_secs(10));
    let mut reported = 0;
    let run = loop {
        match running.next_event().unwrap() {
            Event::Samples { samples, .. } => reported += samples.len(),
            Event::Finished(run) => break run,
            _ => {}
        }
    };
    assert_eq!(run.lost_count(), 0);
    assert_eq!((reported, run.sample_count()), (11_000, 11_000));
}

/// Starts a run, stops it after 0.3 s, and returns the run and how long it took to stop.
fn stop_in_mid_run(plan: FrameLoop) -> (Arc<Run>, Duration) {
    let running = measure::start(request(plan), None, || {}).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let requested = Instant::now();
    running.stop();
    let run = finish(&running);
    (run, requested.elapsed())
}

#[test]
fn a_stop_is_obeyed_in_every_wait_load_and_stage() {
    let slow = FrameLoop { fps: 1.0, time_each: Nanos::from_secs(600), ..short() };
    let loaded = |kind| Load {
        kind,
        count: LoadCount::Threads(3),
        priority: LoadPriority::Mixed,
        ..Load::NONE
    };
    let mut plans: Vec<(String, FrameLoop)> = [
        Wait::OsSleep,
        Wait::Hybrid(Tail::Fixed(Nanos::from_millis(10))),
        // The stop comes while the spin tail is being calibrated.
        Wait::Hybrid(Tail::Measured),
        Wait::Spin(SpinStrategy::None),
        Wait::Spin(SpinStrategy::SpinLoopHint),
        Wait::Spin(SpinStrategy::YieldThread),
    ]
    .into_iter()
    .map(|wait| (format!("{wait:?}"), FrameLoop { wait, ..slow.clone() }))
    .collect();
    for kind in [LoadKind::Cpu, LoadKind::Memory, LoadKind::Mixed] {
        plans.push((format!("{kind:?}"), FrameLoop { load: loaded(kind), ..slow.clone() }));
    }
    plans.push((
        "long work".to_owned(),
        FrameLoop { work: Work::Arithmetic(Nanos::from_millis(900)), ..slow.clone() },
    ));
    plans.push((
        "long clock-watching work".to_owned(),
        FrameLoop { work: Work::Timed(Nanos::from_millis(900)), ..slow.clone() },
    ));
    plans.push(("warm-up".to_owned(), FrameLoop { warm_up: Nanos::from_secs(10), ..slow.clone() }));
    for (what, plan) in plans {
        // Without the stop, each run would continue for ten minutes. How long stopping takes is printed and
        // not checked, because other programs may delay everything.
        let mut took: Vec<Duration> = (0..3)
            .map(|_| {
                let (run, took) = stop_in_mid_run(plan.clone());
                assert_eq!(run.ending, Ending::Stopped, "{what}");
                took
            })
            .collect();
        took.sort();
        println!("stop obeyed in {what}: {took:?}");
    }
}

#[test]
fn a_stopped_run_retains_what_was_measured() {
    let plan = FrameLoop { time_each: Nanos::from_secs(600), ..short() };
    let running = measure::start(request(plan), None, || {}).unwrap();
    let mut reported = 0;
    while reported <= 100 {
        match running.next_event().unwrap() {
            Event::Samples { samples, .. } => reported += samples.len(),
            Event::Finished(_) => panic!("it ended before it was stopped"),
            _ => {}
        }
    }
    running.stop();
    let run = finish(&running);
    assert_eq!(run.ending, Ending::Stopped);
    assert!(!run.trials[0].complete);
    assert!(reported <= run.trials[0].samples.len());
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let path = store.save(&run).unwrap();
    assert_eq!(jitterscope_engine::store::load(&path).unwrap(), *run);
}

#[test]
fn a_refused_request_is_data_and_the_trial_still_runs() {
    let cells = [Priority::Highest, Priority::TimeCritical, Priority::Fifo(10)]
        .map(|priority| Cell { priority, cpu: CpuChoice::Any });
    let plan = FrameLoop { cells: cells.to_vec(), order_seed: 0, ..short() };
    let run = finish(&measure::start(request(plan), None, || {}).unwrap());
    for trial in &run.trials {
        let applied = trial.applied.as_ref().unwrap();
        assert!(!trial.samples.is_empty());
        if applied.is_as_requested() {
            assert_eq!(applied.refusals, []);
        } else {
            println!("skipped: {} is not granted here: {:?}", trial.trial.label, applied.refusals);
            assert_ne!(applied.refusals, []);
        }
    }
}

#[test]
fn a_spin_is_never_run_at_real_time_priority() {
    let plan = FrameLoop {
        wait: Wait::Spin(SpinStrategy::SpinLoopHint),
        cells: vec![Cell { priority: Priority::Fifo(10), cpu: CpuChoice::Any }],
        ..short()
    };
    let run = finish(&measure::start(request(plan), None, || {}).unwrap());
    let applied = run.trials[0].applied.as_ref().unwrap();
    assert!(!applied.effective.policy.is_realtime());
    assert!(!applied.is_as_requested());
    assert_ne!(applied.refusals, []);
}

#[test]
fn settings_that_cannot_be_run_are_refused_before_anything_starts() {
    let error =
        measure::start(request(FrameLoop { fps: 0.0, ..short() }), None, || {}).unwrap_err();
    assert_eq!(error.to_string(), "target frame rate: 0 FPS; expected 1 to 1000 FPS");
}

#[test]
fn threads_of_one_trial_pass_no_pin_and_no_priority_on_to_the_next() {
    let cpu = *platform::usable_cpus().last().unwrap();
    let cell = |priority, cpu| Cell { priority, cpu };
    let plan = FrameLoop {
        cells: vec![
            cell(Priority::BelowNormal, CpuChoice::Cpu(cpu)),
            cell(Priority::Normal, CpuChoice::Any),
        ],
        order_seed: 0,
        ..short()
    };
    let run = finish(&measure::start(request(plan), None, || {}).unwrap());
    let second = run.trials[1].applied.as_ref().unwrap();
    probes::assert_normal(second);
    if !second.effective.cpus.is_empty() {
        assert_eq!(second.effective.cpus, platform::usable_cpus());
    }
}

/// Reads the events of a run up to the last one, and returns the run that this event contains.
fn last_run(runner: &Runner) -> Arc<Run> {
    loop {
        if let Event::Finished(run) = runner.next_event().expect("a run ends with an event") {
            assert!(!matches!(run.ending, Ending::Failed(_)), "{:?}", run.ending);
            return run;
        }
    }
}

#[test]
fn the_journal_of_a_program_that_is_gone_becomes_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let plan = FrameLoop { time_each: Nanos::from_millis(1_500), ..short() };
    let labels =
        Labels { name: "mine".to_owned(), tags: vec!["tag".to_owned()], ..Labels::default() };
    let request = Request { labels, ..request(plan) };
    let runner = Runner::start(request, Sink::Store(store.clone()), || {}).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let in_use = store.recover().unwrap();
    assert!(in_use[0].is_waiting() && in_use[0].saved().is_none(), "it is left alone");
    let run = last_run(&runner);
    // Simulates a program that ends after the last event, before the run is saved.
    drop(runner);
    // Until a process that another test starts has begun its program, it has a copy of the journal's lock.
    let mut poll = Poll::new();
    let recovered = loop {
        let recovered = store.recover().unwrap();
        if !recovered[0].is_waiting() {
            break recovered;
        }
        poll.wait("a journal without a lock");
    };
    assert_eq!(recovered.len(), 1);
    assert_eq!(jitterscope_engine::store::load(recovered[0].saved().unwrap()).unwrap(), *run);
    assert_eq!(run.name, "mine");
    assert_eq!(store.recover().unwrap().len(), 0, "once is enough");
}

/// A writer into memory that the test can read.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_stream_carries_the_whole_run_and_saves_nothing() {
    let lines = Shared::default();
    let sink = Sink::Stream(Box::new(lines.clone()));
    let runner = Runner::start(request(short()), sink, || {}).unwrap();
    let run = last_run(&runner);
    let saved = runner.finish(Arc::clone(&run)).save();
    assert!(saved.path.is_none() && saved.failure.is_none());
    // The written lines are in the format of a journal: saved as a journal file, they can be recovered as the
    // run.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("0.jitterscope.partial"), &*lines.0.lock().unwrap()).unwrap();
    let recovered = Store::at(folder.path()).recover().unwrap();
    assert_eq!(jitterscope_engine::store::load(recovered[0].saved().unwrap()).unwrap(), *run);
}

#[test]
fn a_runner_saves_its_run_once_and_leaves_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let runner = Runner::start(request(short()), Sink::Store(store.clone()), || {}).unwrap();
    let run = last_run(&runner);
    let saved = runner.finish(run).save();
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files, [saved.path.unwrap()]);
    assert_eq!(jitterscope_engine::store::load(&files[0]).unwrap(), saved.run);
    let wrong = request(FrameLoop { fps: 0.0, ..short() });
    Runner::start(wrong, Sink::Store(store), || {}).unwrap_err();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no journal of a refused run");
}

#[test]
fn a_run_continues_without_a_journal_that_cannot_be_made() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let store = Store::at(file.path().join("below-a-file"));
    let runner = Runner::start(request(short()), Sink::Store(store), || {}).unwrap();
    let mut reported = Vec::new();
    let run = loop {
        match runner.next_event().unwrap() {
            Event::NotSaved { reason } => reported.push(reason),
            Event::Finished(run) => break run,
            _ => {}
        }
    };
    assert!(matches!(reported.as_slice(), [reason] if reason.contains("cannot be saved")));
    assert_eq!(run.health.journal_error, reported.pop());
    let saved = runner.finish(run).save();
    assert!(0 < saved.run.sample_count());
    assert!(saved.path.is_none());
    let failure = saved.failure.unwrap();
    // No journal has the samples, so the error must not name one.
    assert!(matches!(failure, SaveError::Folder(_)), "{failure:?}");
}

#[test]
fn a_journal_on_a_full_disk_is_said_and_the_run_goes_on() {
    struct Full;
    impl Journal for Full {
        fn keep(&mut self, _: &Event) -> std::io::Result<()> {
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
        fn sync(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let running = measure::start(request(short()), Some(Box::new(Full)), || {}).unwrap();
    let mut said = 0;
    let run = loop {
        match running.next_event().unwrap() {
            Event::NotSaved { .. } => said += 1,
            Event::Finished(run) => break run,
            _ => {}
        }
    };
    assert_eq!(said, 1);
    assert!(run.health.journal_error.is_some());
    assert_eq!(run.ending, Ending::Finished);
}
