//! Real-time priority is revoked from a thread that never sleeps, and no thread or process remains after a
//! run, even if the program is killed. Only on Linux, because the tests read the state of threads from
//! `/proc`.

#[cfg(target_os = "linux")]
mod ordinary;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jitterscope_engine::measure::{self, Event, Request};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::{Cell, CpuChoice, Priority};
use jitterscope_engine::plan::{FrameLoop, Load, Plan, Wait, Work};
use jitterscope_engine::platform;
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::store;

use crate::cli::{is_long, program};
use crate::probes;

/// A thread that occupies its CPU for too long: 900 ms of work per frame of 1 s, although the kernel limits
/// real-time threads to 200 ms without a sleep.
const RUNAWAY: [&str; 14] = [
    "frame-loop",
    "--fps",
    "1",
    "--work",
    "900ms",
    "--wait",
    "os-sleep",
    "--priority",
    "fifo:20",
    "--load-threads",
    "0",
    "--duration",
    "2s",
    "--warm-up=0s",
];

/// Returns whether this process may create real-time threads.
fn grants_realtime() -> bool {
    let is_granted = std::thread::scope(|scope| {
        scope.spawn(platform::realtime_probe).join().unwrap().is_granted
    });
    let is_linux = Path::new("/proc/self/task").exists();
    if !is_linux || !is_granted {
        println!("skipped: real-time scheduling is denied here, or this is not Linux");
    }
    is_linux && is_granted
}

/// Returns name and scheduling policy of each thread of a process.
fn threads(process: u32) -> Vec<(String, u32)> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    tasks
        .filter_map(|task| {
            let stat = fs::read_to_string(task.ok()?.path().join("stat")).ok()?;
            let (head, rest) = stat.rsplit_once(')')?;
            let name = head.split_once('(')?.1.to_owned();
            // The policy is the 39th field after the name.
            Some((name, rest.split_whitespace().nth(38)?.parse().ok()?))
        })
        .collect()
}

/// Returns whether a policy is SCHED_FIFO, SCHED_RR, or SCHED_DEADLINE.
const fn is_realtime(policy: u32) -> bool {
    matches!(policy, 1 | 2 | 6)
}

fn start(folder: &Path, args: &[&str], preload: Option<&Path>) -> Child {
    let mut command = Command::new(program());
    command.arg("--data-dir").arg(folder).args(args).arg("--quiet");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    if let Some(preload) = preload {
        command.env("LD_PRELOAD", preload);
    }
    command.spawn().unwrap()
}

/// Compiles a library that drops the right to raise priorities once a thread has been raised; `None` without
/// a C compiler.
fn drop_right(folder: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("safety/drop_right.c");
    let library = folder.join("drop_right.so");
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    built.is_ok_and(|built| built.success()).then_some(library)
}

/// Returns the only saved run in a folder.
fn saved(folder: &Path) -> Run {
    let lines = store::Store::at(folder).lines().unwrap();
    store::load(&lines[0].path).unwrap()
}

#[test]
fn runaways_of_an_ordinary_user_are_demoted_and_the_run_shows_what_was_read_back() {
    if !grants_realtime() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(preload) = drop_right(folder.path()) else {
        println!("skipped: no C compiler");
        return;
    };
    let count = if is_long() { 20 } else { 2 };
    for turn in 1..=count {
        let runs = tempfile::tempdir().unwrap();
        let mut child = start(runs.path(), &RUNAWAY, Some(&preload));
        let (mut raised, mut demoted) = (None, None);
        while child.try_wait().unwrap().is_none() {
            let is_raised = threads(child.id())
                .iter()
                .any(|(name, policy)| name == "measure-0" && is_realtime(*policy));
            if is_raised {
                raised.get_or_insert_with(Instant::now);
                demoted = None;
            } else if let Some(raised) = raised {
                demoted.get_or_insert_with(|| raised.elapsed());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let run = saved(runs.path());
        let applied = run.trials[0].applied.as_ref().unwrap();
        println!(
            "runaway {turn} of {count}: {:?}, demoted after {demoted:?}",
            applied.policy_at_end
        );
        assert!(applied.effective.policy.is_realtime(), "{applied:?}");
        // The limit is generous: the first frame starts after a second, and on a busy PC both the demotion
        // and this thread may be late.
        let limit = Duration::from_secs(if is_long() { 2 } else { 10 });
        assert!(demoted.is_some_and(|after| after < limit), "demoted after {demoted:?}");
        assert!(applied.demoted);
        assert!(applied.policy_at_end.is_some_and(|policy| !policy.is_realtime()));
    }
}

#[test]
fn an_inherited_hard_limit_demotes_and_does_not_kill() {
    if !grants_realtime() {
        return;
    }
    for (limit, is_raised) in [("--rttime=200000:200000", true), ("--rttime=20000:20000", false)] {
        let runs = tempfile::tempdir().unwrap();
        let run = Command::new("prlimit")
            .arg(limit)
            .arg(program())
            .arg("--data-dir")
            .arg(runs.path())
            .args(RUNAWAY)
            .arg("--quiet")
            .output();
        let Ok(output) = run else {
            println!("skipped: no prlimit");
            return;
        };
        assert_eq!(output.status.code(), Some(0), "{limit}: {output:?}");
        let run = saved(runs.path());
        let applied = run.trials[0].applied.as_ref().unwrap();
        assert_eq!(applied.effective.policy.is_realtime(), is_raised, "{applied:?}");
        assert_eq!(applied.demoted, is_raised, "{applied:?}");
    }
}

fn request(plan: FrameLoop) -> Request {
    probes::request(Plan::FrameLoop(plan))
}

fn frame_loop(fps: f64, work: Work, priorities: &[Priority]) -> FrameLoop {
    let cell = |&priority: &Priority| Cell { priority, cpu: CpuChoice::Any };
    FrameLoop {
        fps,
        work,
        wait: Wait::OsSleep,
        load: Load::NONE,
        cells: priorities.iter().map(cell).collect(),
        order_seed: 0,
        warm_up: Nanos::ZERO,
        time_each: Nanos::from_secs(1),
        ..FrameLoop::default()
    }
}

#[test]
fn after_a_demotion_no_later_stage_is_real_time() {
    if !grants_realtime() {
        return;
    }
    let work = Work::Arithmetic(Nanos::from_millis(900));
    let plan = frame_loop(1.0, work, &[Priority::Fifo(10), Priority::RoundRobin(10)]);
    let running = measure::start(request(plan), None, || {}).unwrap();
    let mut demotions = 0;
    let run = loop {
        match running.next_event().unwrap() {
            Event::Demoted { .. } => demotions += 1,
            Event::Finished(run) => break run,
            _ => {}
        }
    };
    assert_eq!(run.ending, Ending::Finished);
    let [first, second] = [0, 1].map(|trial: usize| run.trials[trial].applied.clone().unwrap());
    assert_eq!(demotions, 1);
    assert!(first.effective.policy.is_realtime() && first.demoted, "{first:?}");
    assert!(!second.effective.policy.is_realtime() && !second.demoted, "{second:?}");
    assert!(second.refusals[0].reason.contains("revoked earlier in this run"), "{second:?}");
}

#[test]
fn a_collector_that_panics_stops_the_measuring_threads_first() {
    let time_each = Nanos::from_secs(600);
    let work = Work::Arithmetic(Nanos::from_micros(100));
    let plan = FrameLoop { time_each, ..frame_loop(200.0, work, &[Priority::Fifo(10)]) };
    let (is_measuring, has_panicked) = (AtomicBool::new(false), AtomicBool::new(false));
    let measuring = std::sync::Arc::new(is_measuring);
    let seen = std::sync::Arc::clone(&measuring);
    // The wake function runs on the collector's thread, so its panic is one of the collector.
    let running = measure::start(request(plan), None, move || {
        if seen.load(Ordering::Relaxed) && !has_panicked.swap(true, Ordering::Relaxed) {
            panic!("as a test asks");
        }
    })
    .unwrap();
    let run = loop {
        match running.next_event().expect("a run ends with an event") {
            Event::Samples { .. } => measuring.store(true, Ordering::Relaxed),
            Event::Finished(run) => break run,
            _ => {}
        }
    };
    // Without the panic, the run would last ten minutes. The failed run retains its samples.
    assert!(matches!(run.ending, Ending::Failed(_)), "{:?}", run.ending);
    assert!(!run.trials[0].samples.is_empty());
    drop(running);
}

/// Returns the number of open handles of `/dev/cpu_dma_latency` in a process group.
fn idle_handles(group: u32) -> usize {
    group_of(group)
        .into_iter()
        .filter_map(|process| fs::read_dir(format!("/proc/{process}/fd")).ok())
        .flatten()
        .filter_map(|handle| fs::read_link(handle.ok()?.path()).ok())
        .filter(|target| target == Path::new("/dev/cpu_dma_latency"))
        .count()
}

/// Returns the process IDs of a process group.
fn group_of(group: u32) -> Vec<u32> {
    let is_of = |process: u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(')').map(|(_, rest)| rest);
        // The process group is the third field after the name.
        rest.and_then(|rest| rest.split_whitespace().nth(2)) == Some(group.to_string().as_str())
    };
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.filter_map(|process| process.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter(|process| is_of(*process)).collect()
}

/// Starts the program and waits until it has a thread with this name. Some threads exist for only 30 ms: if a
/// busy PC does not see the thread in time, starts the program again.
fn start_until_seen(folder: &Path, args: &[&str], name: &str) -> Child {
    for _ in 0..20 {
        let mut child = start(folder, args, None);
        let is_there = |(thread, _): &(String, u32)| thread == name;
        while child.try_wait().unwrap().is_none() {
            if threads(child.id()).iter().any(is_there) {
                return child;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        println!("it ended before {name} was seen");
    }
    panic!("{name} was never seen");
}

#[test]
fn a_program_that_is_killed_in_any_stage_leaves_nothing_behind() {
    if !grants_realtime() {
        return;
    }
    let cpu = platform::usable_cpus().last().unwrap().to_string();
    let args = [
        "frame-loop",
        "--fps=240",
        "--work=1ms",
        "--duration=500ms",
        "--warm-up=500ms",
        "--wait=hybrid",
        "--priority=fifo:20",
        "--priority=rr:10",
        &format!("--cpu={cpu}"),
        "--no-deep-idle",
        "--load-threads=2",
    ];
    // The stages at which the program is killed: a thread that marks the stage, and the time in milliseconds
    // after it was first seen. The stages are calibration of the work, before the loop, calibration of the
    // spin tail, warm-up, measuring, and later.
    let mut stages = vec![
        ("calibrate", 0),
        ("watchdog", 0),
        ("load-1", 50),
        ("measure-0", 0),
        ("measure-0", 500),
    ];
    if is_long() {
        stages.extend([
            ("measure-0", 3_300),
            ("measure-0", 4_200),
            ("measure-1", 0),
            ("measure-1", 4_000),
        ]);
    }
    for (name, millis) in stages {
        let runs = tempfile::tempdir().unwrap();
        let mut child = start_until_seen(runs.path(), &args, name);
        let mut realtime = 0;
        std::thread::sleep(Duration::from_millis(millis));
        for (_, policy) in threads(child.id()) {
            realtime += usize::from(is_realtime(policy));
        }
        let held = idle_handles(child.id());
        // Sends SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        println!(
            "{name} after {millis} ms: {realtime} real-time threads, {held} handles, then none"
        );
        assert_eq!(threads(child.id()), []);
        assert_eq!(group_of(child.id()), [0_u32; 0]);
    }
}
