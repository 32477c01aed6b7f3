//! A periodic thread in place of a game: who delayed its cycles, with and without rights, its end, and its name.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::TraceSource;
use jitterscope_engine::report::recording::{Analysis, Class, Outcome};
use jitterscope_engine::run::recording::{EventKind, Follow};
use jitterscope_engine::run::{Ending, Run};

use super::{Folders, NOBODY, finish, records_all_threads};

/// Delays of the thread: three times a real-time program has the CPUs for 50 ms, twice it works longer.
const KINDS: &str = "real-time,long,real-time,long,real-time";

/// Waits until the periodic thread of a made game has been started.
fn wait_for_thread(game: &Child) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let tasks = fs::read_dir(format!("/proc/{}/task", game.id())).into_iter().flatten();
        let numbers = tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse().ok());
        let is_named = |thread: &u32| {
            let name = fs::read_to_string(format!("/proc/{thread}/comm"));
            name.is_ok_and(|name| name.trim() == "made-cycle")
        };
        if let Some(thread) = numbers.into_iter().find(is_named) {
            return thread;
        }
        assert!(Instant::now() < deadline, "the thread was not started");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Records the thread until it ends; `None` where the recorder was refused.
fn record(folders: &Folders, user: Option<u32>, period: &[&str]) -> Result<Run, String> {
    let mut game = Command::new(env!("CARGO_BIN_EXE_made-game"));
    game.arg(folders.path("log"));
    game.args(["--cycles", "yes", "--inject", KINDS, "--every", "0.8"]);
    if let Some(user) = user {
        game.args(["--user", &user.to_string()]);
    }
    let game = game.spawn().unwrap();
    let thread = wait_for_thread(&game).to_string();
    let mut recorder = folders.program(&["record", "--memory", "32", "--thread", &thread]);
    recorder.args(period).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(user) = user {
        recorder.uid(user).gid(user);
    }
    let recorder = recorder.spawn().map_err(|error| error.to_string());
    let output = recorder.map(|recorder| recorder.wait_with_output().unwrap());
    finish(game);
    let output = output?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(words);
    }
    assert!(words.contains("(made-cycle) has ended: the recording ends"), "{words}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{said}");
    assert!(!said.contains("stutter") && !said.contains("FPS"), "{said}");
    Ok(folders.run())
}

/// Prints the causes of a recording, and returns them with their names.
fn causes(run: &Run) -> Vec<(EventKind, Class, String)> {
    let recording = run.recording().unwrap();
    let analysis = Analysis::of(recording);
    let kind_at = |at| recording.events.iter().find(|event| event.at == at).unwrap().kind;
    let mut causes = Vec::new();
    for event in &analysis.events {
        println!("{} {}: {:?}", event.at, event.length, event.outcome);
        if let Outcome::Cause(blamed) = &event.outcome {
            let name = blamed.name.as_deref().unwrap_or_default().to_owned();
            causes.push((kind_at(event.at), blamed.class, name));
        }
    }
    causes
}

#[test]
fn the_program_that_delayed_a_thread_is_named_and_the_recording_ends_with_the_thread() {
    if !records_all_threads() {
        return;
    }
    let folders = Folders::new();
    let run = record(&folders, None, &["--period", "10ms"]).unwrap();
    let recording = run.recording().unwrap();
    assert_eq!((&run.ending, recording.label.as_str()), (&Ending::Finished, "made-cycle"));
    assert_eq!(recording.process.as_ref().unwrap().name, "made-game");
    assert!(100 < recording.frames.len(), "{} cycles", recording.frames.len());
    let causes = causes(&run);
    let by_real_time = causes.iter().filter(|(kind, class, name)| {
        (*kind, *class) == (EventKind::LateCycle, Class::OtherProgram) && name == "made-real-time"
    });
    assert!(2 <= by_real_time.count(), "of three: {causes:?}");
    // On a busy PC, work of 30 ms may wait for a CPU for longer: its path has both.
    let analysis = Analysis::of(recording);
    let own_work = analysis.events.iter().map(|event| {
        let own = event.path.iter().filter(|segment| segment.class == Class::Game);
        own.fold(Nanos::ZERO, |sum, segment| sum + segment.length())
    });
    let longest = own_work.max().unwrap_or_default();
    assert!(Nanos::from_millis(20) <= longest, "it worked for 30 ms, not {longest}");
    // It is a run like any other.
    let id = run.id.to_string();
    for args in [
        &["runs", "list"][..],
        &["runs", "show", &id, "--all"],
        &["export", &id, "--as", "markdown", "--out", "-"],
        &["export", &id, "--as", "json", "--out", "-"],
    ] {
        let output = folders.output(args);
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}: {output:?}");
    }
}

#[test]
fn without_rights_a_delayed_thread_waited_for_a_cpu_and_nobody_is_named() {
    let folders = Folders::new();
    fs::set_permissions(folders.temporary.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if !is_root {
        println!("skipped: only root has a program that takes the CPU from a thread for long");
        return;
    }
    for name in ["runs", "runtime", "log"] {
        chown(folders.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    // The period is learned.
    let run = match record(&folders, Some(NOBODY), &[]) {
        Ok(run) => run,
        Err(words) => {
            println!("skipped: {words}");
            let is_expected = words.contains("are not recorded") || words.contains("denied");
            assert!(is_expected, "{words}");
            return;
        }
    };
    let recording = run.recording().unwrap();
    assert_eq!(recording.tier.source, Some(TraceSource::OwnSwitches));
    assert!(recording.tier.sentence.contains("need administrator rights"));
    let Follow::Thread { period, is_learned: true, .. } = recording.follow else {
        panic!("{:?}", recording.follow)
    };
    if period == Nanos::ZERO {
        // Each loss of records begins the 200 wake-ups again, and a busy PC loses some.
        assert_eq!(recording.frames.len(), 0);
        println!("skipped the rest: no 200 wake-ups in a row were recorded");
        return;
    }
    assert!((period - Nanos::from_millis(10)).abs() < Nanos::from_millis(1), "{period}");
    let causes = causes(&run);
    assert!(causes.iter().all(|(_, _, name)| !name.contains("real-time")), "{causes:?}");
    let waited = causes.iter().filter(|(_, class, _)| *class == Class::WaitedForCpu).count();
    assert!(1 <= waited, "of those after the period was learned: {causes:?}");
    assert!(recording.threads.iter().all(|thread| !thread.name.contains("real-time")));
}

#[test]
fn a_thread_that_cannot_be_followed_is_refused_in_words() {
    let folders = Folders::new();
    let refused = |args: &[&str]| {
        let mut command = folders.program(&["record", "--for", "1s"]);
        let output = command.args(args).output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let none = refused(&["--thread", "no thread has it"]);
    assert!(none.contains("no thread is named 'no thread has it'"), "{none}");
    // Two programs with a name of their own, so that no others have it.
    let file = folders.path("twice-made");
    crate::cli::install(std::path::Path::new("/bin/sleep"), &file);
    let mut both = [(); 2].map(|()| Command::new(&file).arg("60").spawn().unwrap());
    let deadline = Instant::now() + Duration::from_secs(30);
    let comm = |child: &Child| fs::read_to_string(format!("/proc/{}/comm", child.id()));
    while !both.iter().all(|child| comm(child).is_ok_and(|name| name.trim() == "twice-made")) {
        assert!(Instant::now() < deadline, "they were not started");
        std::thread::sleep(Duration::from_millis(20));
    }
    let several = refused(&["--thread", "twice-made"]);
    assert!(several.contains("2 threads are named 'twice-made'"), "{several}");
    for child in &mut both {
        assert!(several.contains(&child.id().to_string()), "{several}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(refused(&["--thread", "1", "--period", "2min"]).contains("between 50µs and 60s"));
    assert!(refused(&["--period", "10ms"]).contains("--thread"));
    assert_eq!(fs::read_dir(folders.path("runs")).unwrap().count(), 0, "nothing was recorded");
}
