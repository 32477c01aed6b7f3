//! A recorder without rights: what it sees of a game of its own user.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::TraceSource;
use jitterscope_engine::report::recording::{Analysis, Class, Outcome};
use jitterscope_engine::run::Recording;
use jitterscope_engine::sample::TraceEvent;

use super::{Folders, NOBODY, finish};
use crate::cli::program;

/// An ordinary user sees of a game when its threads left a CPU, and got one again: no cause names another program.
#[test]
fn without_rights_the_switches_of_the_game_show_that_it_waited_for_a_cpu() {
    let folders = Folders::new();
    fs::set_permissions(folders.temporary.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // Root is not an ordinary user, and the user `nobody` owns nothing but these folders.
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let as_user = |command: &mut Command| {
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
    };
    for name in ["runs", "runtime", "log"] {
        if is_root {
            chown(folders.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let log = folders.path("log");
    let log = log.to_str().unwrap();
    let mut command = folders.program(&["record", "--memory", "32", "--game", log]);
    as_user(&mut command);
    let recorder = match command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(recorder) => recorder,
        Err(error) => {
            println!("skipped: user nobody may not start {}: {error}", program().display());
            return;
        }
    };
    let mut status = folders.program(&["record", "status"]);
    as_user(&mut status);
    let deadline = Instant::now() + Duration::from_secs(30);
    while !status.output().unwrap().status.success() {
        assert!(Instant::now() < deadline, "no recorder runs");
        std::thread::sleep(Duration::from_millis(100));
    }
    let kinds = "hog,long,shader,hog,overlay,hog,server,nothing";
    let mut game = Command::new(env!("CARGO_BIN_EXE_made-game"));
    game.arg(log).args(["--fps", "60", "--seconds", "17", "--inject", kinds, "--seed", "1"]);
    if is_root {
        // The program that takes the CPU has more weight than the game.
        game.args(["--user", &NOBODY.to_string()]);
    }
    finish(game.spawn().unwrap());
    let mut stop = folders.program(&["record", "stop"]);
    as_user(&mut stop);
    assert!(stop.output().unwrap().status.success());
    finish(recorder);
    let run = folders.run();
    let recording = run.recording().unwrap();
    println!("{}", recording.tier.sentence);
    assert!(recording.tier.sentence.contains("need administrator rights"));
    if recording.tier.source.is_none() {
        println!("skipped: the switches of own programs are denied here");
        return;
    }
    assert_eq!(recording.tier.source, Some(TraceSource::OwnSwitches));
    assert!(!recording.details.is_empty());
    let analysis = Analysis::of(recording);
    let truth = fs::read_to_string(folders.path("log").join("injected.csv")).unwrap();
    println!("{truth}");
    for event in &analysis.events {
        let sum = event.path.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.length());
        assert!(event.path.is_empty() || sum == event.length, "{sum} {event:?}");
        println!("{} {}: {:?}", event.at, event.length, event.outcome);
        for segment in &event.path {
            println!("  {} {:?} {:?}", segment.length(), segment.class, segment.name);
            let name = segment.name.as_deref().unwrap_or_default();
            assert!(!name.contains("hog") && !name.contains("wineserver"), "{segment:?}");
        }
        if let Outcome::Cause(blamed) = &event.outcome {
            let seen = [
                Class::WaitedForCpu,
                Class::Game,
                Class::Shaders,
                Class::Overlay,
                Class::Timer,
                Class::NotExplained,
            ];
            assert!(seen.contains(&blamed.class), "{event:?}");
        }
    }
    if !is_root {
        println!("skipped: only root has a program that takes the CPU from a game for long");
        return;
    }
    let process = recording.process.as_ref().expect("the process of the game").process;
    let waited = preempted(recording, process);
    println!("{waited} without a CPU in all details");
    assert!(Nanos::from_millis(20) <= waited, "the program that takes the CPU had it for 150 ms");
}

/// Returns for how long a thread was ready to run and had no CPU, as its own switches in all details show it.
fn preempted(recording: &Recording, thread: u32) -> Nanos {
    let mut sum = Nanos::ZERO;
    for detail in &recording.details {
        let mut left = None;
        let records = detail.trace.records();
        for record in records.iter().filter(|record| record.thread == Some(thread)) {
            match record.event {
                TraceEvent::Preempted => left = Some(record.at),
                TraceEvent::SwitchIn => {
                    sum += left.take().map_or(Nanos::ZERO, |left| record.at - left);
                }
                _ => left = None,
            }
        }
    }
    sum
}

#[test]
fn a_check_states_what_a_recording_would_lack_and_the_command_that_gives_it() {
    let folders = Folders::new();
    let configuration = folders.path("home/.config/MangoHud");
    fs::create_dir_all(&configuration).unwrap();
    fs::write(configuration.join("MangoHud.conf"), "log_interval=100\nautostart_log=1\n").unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    fs::set_permissions(folders.temporary.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let check = |args: &[&str], is_ordinary: bool| {
        let mut command = folders.program(&["record", "--check"]);
        command.args(args).env("HOME", folders.path("home")).env_remove("XDG_CONFIG_HOME");
        if is_ordinary && is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output()
    };
    let names_culprits = |output: &std::process::Output| {
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["tiers"].as_array().unwrap().len(), 4, "{answer}");
        answer["names_culprits"].as_bool().unwrap()
    };
    match check(&[], true) {
        Ok(output) => {
            let text = String::from_utf8(output.stdout).unwrap();
            println!("{text}");
            assert_eq!(output.status.code(), Some(3), "{text}");
            assert!(text.contains("Missing  Who had the CPU"), "{text}");
            assert!(text.contains("a row per 100 ms"), "{text}");
            let add = "printf '%s\\n' '' log_interval=0 \"output_folder=$HOME/mangologs\" >> ~/.config/MangoHud/MangoHud.conf";
            assert!(text.contains(add), "{text}");
            let output = check(&["--format", "json"], true).unwrap();
            assert_eq!((output.status.code(), names_culprits(&output)), (Some(3), false));
        }
        Err(error) => println!("skipped: user nobody may not start the program: {error}"),
    }
    let output = check(&["--format", "json"], false).unwrap();
    let has_records = super::records_all_threads();
    assert_eq!(names_culprits(&output), has_records);
    assert_eq!(output.status.code(), Some(if has_records { 0 } else { 3 }));
    assert_eq!(fs::read_dir(folders.path("runs")).unwrap().count(), 0, "nothing is recorded");
}
