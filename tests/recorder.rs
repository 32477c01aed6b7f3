//! The recorder: the causes of the stutters of a made game, commands to a recorder, its rights, and what remains after it is
//! killed. Only on Linux, where the kernel's records of all threads can be had.

mod cycles;
mod hostile;
mod ordinary_user;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::SystemTracer;
use jitterscope_engine::report::recording::{Analysis, Class, EventPath, Outcome};
use jitterscope_engine::run::recording::EventKind;
use jitterscope_engine::run::{Ending, Recording, Run};
use jitterscope_engine::store::{self, Store};

use crate::cli::{install, is_long, program};

/// Kinds of injections of the made game, with the classes that are right.
const KINDS: [(&str, &[Class]); 11] = [
    ("hog", &[Class::OtherProgram]),
    ("real-time", &[Class::OtherProgram]),
    ("long", &[Class::Game]),
    ("shader", &[Class::Shaders]),
    ("storage", &[Class::Storage]),
    ("fault", &[Class::Memory, Class::Storage]),
    ("server", &[Class::Service]),
    ("stop", &[Class::Stopped]),
    ("overlay", &[Class::Overlay]),
    ("pause", &[Class::Timer]),
    ("nothing", &[]),
];

/// The ID of the user `nobody`.
const NOBODY: u32 = 65_534;

/// The folders of one recording.
struct Folders {
    temporary: tempfile::TempDir,
}

impl Folders {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        for name in ["log", "runs", "runtime"] {
            fs::create_dir(temporary.path().join(name)).unwrap();
        }
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(temporary.path().join("runtime"), private).unwrap();
        Self { temporary }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    /// Returns the command-line program with these folders; it is no recorder of the user who runs the tests.
    fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.env("XDG_RUNTIME_DIR", self.path("runtime"));
        command.arg("--data-dir").arg(self.path("runs")).args(args);
        command
    }

    fn output(&self, args: &[&str]) -> Output {
        self.program(args).output().unwrap()
    }

    /// Starts a recorder with its output piped.
    fn record(&self, args: &[&str]) -> Child {
        let mut command = self.program(&["record"]);
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Starts the made game.
    fn play(&self, args: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_made-game"));
        command.arg(self.path("log")).args(args).spawn().unwrap()
    }

    /// Waits until a recorder runs.
    fn wait_for_recorder(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.output(&["record", "status"]).status.success() {
            assert!(Instant::now() < deadline, "no recorder runs");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Returns the only saved run.
    fn run(&self) -> Run {
        let files: Vec<PathBuf> = fs::read_dir(self.path("runs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(fs::metadata(&files[0]).unwrap().mode() & 0o777, 0o600);
        store::load(&files[0]).unwrap()
    }
}

/// Returns whether this process may record what all threads do.
fn records_all_threads() -> bool {
    let has_records = SystemTracer::open(1 << 20).state().source.is_some();
    if !has_records {
        println!("skipped: the kernel's records of all threads are denied here");
    }
    has_records
}

fn finish(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{:?}: {text}", output.status);
    output
}

/// What the recorder said about an injection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Right,
    NotExplained,
    /// Another program of this PC, or the kernel, had the CPU: not injected, but true on a busy PC.
    Disturbed,
    NoStutter,
    Wrong,
}

/// Compares the injections of a game with the stutters of its recording. Returns kind, answer, and what was said.
fn compare(folders: &Folders, recording: &Recording, start: i64) -> Vec<(String, Answer, String)> {
    let analysis = Analysis::of(recording);
    for event in &analysis.events {
        let sum = event.path.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.length());
        assert!(event.path.is_empty() || sum == event.length, "{sum} {event:?}");
    }
    let truth = fs::read_to_string(folders.path("log").join("injected.csv")).unwrap();
    let rows = truth.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let time = |place: usize| Nanos::new(cells[place].parse::<i64>().unwrap() - start);
        (cells[0].to_owned(), time(1), time(2))
    });
    let answer = |(kind, from, to): (String, Nanos, Nanos)| {
        // The stutter is presented after the injection has begun, and soon after its end.
        let is_of = |event: &&EventPath| {
            from < event.at
                && event.at < to + Nanos::from_millis(60)
                && from < event.at - event.length + Nanos::from_millis(60)
        };
        let events = analysis.events.iter().filter(is_of);
        let Some(event) = events.max_by_key(|event| event.length) else {
            return (kind, Answer::NoStutter, String::new());
        };
        let right = KINDS.iter().find(|(known, _)| *known == kind).unwrap().1;
        let (answer, said) = match &event.outcome {
            Outcome::Unexplained(reason) => (Answer::NotExplained, format!("{reason:?}")),
            Outcome::Cause(blamed) => {
                let name = blamed.name.as_deref().unwrap_or_default();
                let is_injected =
                    name.is_empty() || name.contains("made-") || name.contains("wineserver");
                let answer = match blamed.class {
                    class
                        if right.contains(&class)
                            && (is_injected || class != Class::OtherProgram) =>
                    {
                        Answer::Right
                    }
                    // Without a name, several programs together.
                    Class::OtherProgram if !is_injected || name.is_empty() => Answer::Disturbed,
                    Class::Kernel | Class::Own => Answer::Disturbed,
                    // A device that answers at once leaves the CPU time of the faults, which is the thread's own.
                    Class::Game if kind == "fault" && name == "render" => Answer::Disturbed,
                    _ => Answer::Wrong,
                };
                (answer, format!("{:?} {name}", blamed.class))
            }
        };
        let said = format!(
            "{said}; {} of {}: {:?}",
            event.excess(),
            event.length,
            event
                .growths
                .iter()
                .take(3)
                .map(|growth| (growth.blamed.class, growth.blamed.name.as_deref(), growth.growth()))
                .collect::<Vec<_>>()
        );
        (kind, answer, said)
    };
    rows.map(answer).collect()
}

/// Plays and records; returns the run, and the value of the monotonic clock at the start of the recording.
fn play_and_record(folders: &Folders, kinds: &[&str], fps: &str, seed: &str) -> (Run, i64) {
    let kinds_text = kinds.join(",");
    // An injection every 1.5 s on average, and 2 s before the first one and after the last one.
    let seconds = kinds.len() * 3 / 2 + 5;
    let recorder = folders.record(&[
        "--game",
        folders.path("log").to_str().unwrap(),
        "--process",
        "made-game",
    ]);
    folders.wait_for_recorder();
    let game = folders.play(&[
        "--fps",
        fps,
        "--seconds",
        &seconds.to_string(),
        "--inject",
        &kinds_text,
        "--seed",
        seed,
    ]);
    finish(game);
    std::thread::sleep(Duration::from_millis(700));
    assert!(folders.output(&["record", "stop"]).status.success());
    finish(recorder);
    let run = folders.run();
    let recording = run.recording().unwrap();
    // The log's first row is written when the log begins, which the game knows on the monotonic clock.
    let log = fs::read_to_string(folders.path("log").join("started.txt")).unwrap();
    let log_start: i64 = log.trim().parse().unwrap();
    let first = recording.frames.iter().next().unwrap().0;
    let rows = fs::read_to_string(folders.path("log").join("made-game_2026-01-01_00-00-00.csv"));
    let rows = rows.unwrap();
    let elapsed: i64 = rows.lines().nth(3).unwrap().rsplit(',').next().unwrap().parse().unwrap();
    let start = log_start + elapsed - first.get();
    assert_eq!(recording.frames.len(), rows.lines().count() - 3, "every row is a frame");
    (run, start)
}

#[test]
fn injected_causes_are_found_or_not_explained() {
    if !records_all_threads() {
        return;
    }
    let folders = Folders::new();
    let kinds = KINDS.map(|(kind, _)| kind);
    let (run, start) = play_and_record(&folders, &kinds, "120", "1");
    let recording = run.recording().unwrap();
    assert_eq!(run.ending, Ending::Stopped);
    assert_eq!(recording.process.as_ref().unwrap().name, "made-game");
    assert!(recording.canaries.iter().all(|canary| !canary.count.is_empty()));
    assert!(!recording.details.is_empty() && !recording.threads.is_empty());
    let answers = compare(&folders, recording, start);
    assert_eq!(answers.len(), KINDS.len(), "each was injected");
    for (kind, answer, said) in &answers {
        println!("{kind}: {answer:?}, {said}");
    }
    let wrong = answers.iter().filter(|(_, answer, _)| *answer == Answer::Wrong).count();
    assert_eq!(wrong, 0, "{answers:#?}");
    let right = answers.iter().filter(|(_, answer, _)| *answer == Answer::Right).count();
    // While other tests run, their programs delay many of the frames by more than what is injected.
    assert!(2 <= right, "{answers:#?}");
    // The report and the exports of a recording work.
    let id = run.id.to_string();
    for args in [
        &["runs", "list"][..],
        &["runs", "show", &id],
        &["export", &id, "--as", "markdown", "--out", "-"],
    ] {
        let output = folders.output(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        assert!(!output.stdout.is_empty(), "{args:?}");
    }
}

/// The full matrix: 20 injections of each kind, three seeds, three frame rates. It takes 50 minutes.
#[test]
fn the_matrix_of_injected_and_stated_causes() {
    if !is_long() || !records_all_threads() {
        println!("skipped: takes 50 minutes, and the rights of root; set JITTERSCOPE_LONG_TESTS=1");
        return;
    }
    let mut counts: BTreeMap<(String, Answer), usize> = BTreeMap::new();
    for fps in ["60", "120", "240"] {
        for seed in ["1", "2", "3"] {
            let folders = Folders::new();
            // 20 of each, so that no two of a kind follow each other.
            let kinds: Vec<&str> =
                (0..20 * KINDS.len()).map(|place| KINDS[place * 7 % KINDS.len()].0).collect();
            let (run, start) = play_and_record(&folders, &kinds, fps, seed);
            for (kind, answer, said) in compare(&folders, run.recording().unwrap(), start) {
                if answer == Answer::Wrong {
                    println!("{fps} FPS, seed {seed}: {kind}: {said}");
                }
                *counts.entry((kind, answer)).or_default() += 1;
            }
        }
    }
    let count = |kind: &str, answer| counts.get(&(kind.to_owned(), answer)).copied().unwrap_or(0);
    println!(
        "{:<10} {:>6} {:>13} {:>10} {:>11} {:>6}",
        "", "right", "not explained", "disturbed", "no stutter", "wrong"
    );
    let answers =
        [Answer::Right, Answer::NotExplained, Answer::Disturbed, Answer::NoStutter, Answer::Wrong];
    for (kind, _) in KINDS {
        let [right, not, disturbed, none, wrong] = answers.map(|answer| count(kind, answer));
        println!("{kind:<10} {right:>6} {not:>13} {disturbed:>10} {none:>11} {wrong:>6}");
    }
    let sum = |answer| KINDS.iter().map(|(kind, _)| count(kind, answer)).sum::<usize>();
    let judged = sum(Answer::Right) + sum(Answer::NotExplained) + sum(Answer::Wrong);
    assert!(sum(Answer::Wrong) * 50 <= judged, "more than 2% are wrong");
    assert!(judged * 9 <= sum(Answer::Right) * 10, "less than 90% are right");
}

#[test]
fn a_recorder_of_this_pc_is_marked_asked_and_ended_by_commands() {
    let folders = Folders::new();
    let none = folders.output(&["record", "mark"]);
    assert!(!none.status.success());
    assert!(String::from_utf8_lossy(&none.stderr).contains("no recorder runs"));
    let recorder = folders.record(&["--memory", "16"]);
    folders.wait_for_recorder();
    let second = folders.output(&["record", "--for", "1s"]);
    assert!(String::from_utf8_lossy(&second.stderr).contains("runs already"), "{second:?}");
    assert!(folders.output(&["record", "mark"]).status.success());
    let status = folders.output(&["record", "status"]);
    assert!(String::from_utf8_lossy(&status.stdout).starts_with("recording for"), "{status:?}");
    let metrics = folders.output(&["record", "status", "--format", "openmetrics"]);
    let metrics = String::from_utf8_lossy(&metrics.stdout).into_owned();
    assert!(metrics.contains("# TYPE jitterscope_recorder_stalls gauge"), "{metrics}");
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    std::thread::sleep(Duration::from_millis(1_200));
    assert!(folders.output(&["record", "stop"]).status.success());
    finish(recorder);
    let run = folders.run();
    let recording = run.recording().unwrap();
    let marks = recording.events.iter().filter(|event| event.kind == EventKind::Mark).count();
    assert_eq!((marks, run.ending.clone()), (1, Ending::Stopped));
    assert!(recording.frames.is_empty() && Nanos::from_secs(1) < recording.length);
    let shown = folders.output(&["runs", "show", &run.id.to_string()]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("Your marks") && !shown.contains("Stopped early"), "{shown}");
    assert!(!folders.output(&["record", "status"]).status.success(), "none runs any more");
}

#[test]
fn a_game_that_is_started_again_is_followed_again() {
    const NAME: &str = "again-game";
    let folders = Folders::new();
    // Another test plays the game under its usual name.
    let file = folders.path(NAME);
    install(Path::new(env!("CARGO_BIN_EXE_made-game")), &file);
    let log = folders.path("log");
    let log = log.to_str().unwrap();
    let recorder = folders.record(&["--memory", "16", "--game", log, "--process", NAME]);
    folders.wait_for_recorder();
    let mut processes = Vec::new();
    for seed in ["1", "2"] {
        let arguments = ["--fps", "120", "--seconds", "4", "--inject", "long", "--seed", seed];
        let game = Command::new(&file).arg(log).args(arguments).spawn().unwrap();
        processes.push(game.id());
        finish(game);
        std::thread::sleep(Duration::from_millis(1_500));
    }
    assert!(folders.output(&["record", "stop"]).status.success());
    finish(recorder);
    let run = folders.run();
    let recording = run.recording().unwrap();
    let games = recording.games().map(|(_, process)| process.map(|process| process.process));
    let games: Vec<Option<u32>> = games.collect();
    assert_eq!(games, [Some(processes[0]), Some(processes[1])]);
    let begin = recording.later_games[0].begin;
    let own = recording.frames.iter().filter(|(at, _)| begin < *at).count();
    // The second game has replaced the log of the first one. How many frames it has depends on how busy the PC is.
    let log = Path::new(log).join("made-game_2026-01-01_00-00-00.csv");
    let rows = fs::read_to_string(log).unwrap().lines().count() - 3;
    assert!((rows * 8 / 10..=rows).contains(&own), "{own} of {rows}");
    assert!(20 <= recording.frames.len() - own, "{} and {own}", recording.frames.len());
}

#[test]
fn a_log_that_was_saved_at_the_end_is_joined_with_a_recording() {
    if !records_all_threads() {
        return;
    }
    let folders = Folders::new();
    let recorder = folders.record(&["--memory", "64"]);
    folders.wait_for_recorder();
    let arguments = ["--fps", "60", "--seconds", "5", "--inject", "long", "--seed", "1"];
    let game = folders.play(&arguments);
    // Detail of a mark shows the threads of the game.
    std::thread::sleep(Duration::from_millis(4_500));
    assert!(folders.output(&["record", "mark"]).status.success());
    finish(game);
    assert!(folders.output(&["record", "stop"]).status.success());
    finish(recorder);
    let run = folders.run();
    assert!(run.recording().unwrap().frames.is_empty());
    let id = run.id.to_string();
    let log = folders.path("log").join("made-game_2026-01-01_00-00-00.csv");
    // The name has another date; when the file was written decides.
    let joined = folders.output(&["record", "join", &id, log.to_str().unwrap()]);
    let words = String::from_utf8_lossy(&joined.stderr).into_owned();
    assert!(joined.status.success(), "{words}");
    println!("{words}{}", String::from_utf8_lossy(&joined.stdout));
    let run = folders.run();
    let recording = run.recording().unwrap();
    let rows = fs::read_to_string(&log).unwrap().lines().count() - 3;
    assert!(rows * 9 / 10 <= recording.frames.len(), "{} of {rows}", recording.frames.len());
    let analysis = Analysis::of(recording);
    // On a busy PC, the place of the log may not be clear: then no cause is stated.
    if recording.frame_uncertainty.unwrap() < Nanos::from_millis(8) {
        assert_eq!(recording.process.as_ref().unwrap().name, "made-game");
        assert_eq!(analysis.presenters[0].name, "present");
    } else {
        assert!(analysis.causes.is_empty());
    }
    // A second join replaces the first.
    let again = folders.output(&["record", "join", &id, log.to_str().unwrap()]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(folders.run().recording().unwrap().frames.len(), recording.frames.len());
}

#[test]
fn each_process_of_a_game_that_a_log_states_by_id_is_followed() {
    let folders = Folders::new();
    let mut games: Vec<Child> =
        (0..2).map(|_| Command::new("sleep").arg("60").spawn().unwrap()).collect();
    let mut command = folders.program(&["record", "--memory", "16", "--game", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut recorder = command.spawn().unwrap();
    folders.wait_for_recorder();
    let mut input = recorder.stdin.take().unwrap();
    let mut write = |text: String| input.write_all(text.as_bytes()).unwrap();
    write("Application,ProcessID,SwapChainAddress,TimeInSeconds,MsBetweenPresents\n".to_owned());
    for (game, number) in games.iter().zip(0..) {
        for row in 0..30 {
            let at = f64::from(number * 60 + row) / 10.0;
            write(format!("sleep,{},0xA,{at},100.0\n", game.id()));
        }
        // The second one is followed once the first one is silent.
        std::thread::sleep(Duration::from_millis(2_500));
    }
    drop(input);
    assert!(folders.output(&["record", "stop"]).status.success());
    finish(recorder);
    let run = folders.run();
    let recording = run.recording().unwrap();
    let found = recording.games().map(|(_, process)| process.map(|process| process.process));
    let expected: Vec<Option<u32>> = games.iter().map(|game| Some(game.id())).collect();
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(recording.label, "sleep");
    for game in &mut games {
        game.kill().unwrap();
        game.wait().unwrap();
    }
}

#[test]
fn the_unit_of_the_recorder_is_valid_and_off() {
    let text = fs::read_to_string(
        crate::tidy::root().join("packaging/linux/jitterscope-recorder.service"),
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The program is not installed here.
    let program = program();
    let text = text.replace("/usr/bin/jitterscope-cli", program.to_str().unwrap());
    let unit = folder.path().join("jitterscope-recorder.service");
    fs::write(&unit, text).unwrap();
    let arguments = ["--user", "--man=no", "verify"];
    let mut verify = Command::new("systemd-analyze");
    verify.args(arguments).arg(&unit).env("XDG_RUNTIME_DIR", folder.path());
    match verify.output() {
        Err(error) => println!("skipped: systemd-analyze does not run: {error}"),
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            let own: Vec<&str> =
                words.lines().filter(|line| line.contains("jitterscope-recorder")).collect();
            assert!(own.is_empty(), "{words}");
        }
    }
    let options = folder.path().join("runs");
    let run = Command::new(program)
        .arg("--data-dir")
        .arg(options)
        .args(["record", "--quiet", "--for", "1s"])
        .env("XDG_RUNTIME_DIR", folder.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "the command of the unit works: {run:?}");
}

#[test]
fn a_killed_recorder_loses_little() {
    let folders = Folders::new();
    let mut recorder = folders.record(&["--memory", "16"]);
    folders.wait_for_recorder();
    std::thread::sleep(Duration::from_secs(3));
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    let list = folders.output(&["runs", "list"]);
    assert!(list.status.success(), "{list:?}");
    let run = folders.run();
    let recording = run.recording().unwrap();
    assert_eq!(run.ending, Ending::Recovered);
    assert!(Nanos::from_secs(2) < recording.length, "{}", recording.length);
    assert!(recording.canaries.iter().all(|canary| !canary.count.is_empty()));
}

#[test]
fn a_recorder_that_was_started_as_root_has_the_rights_of_its_user() {
    if !records_all_threads() {
        return;
    }
    let folders = Folders::new();
    fs::set_permissions(folders.temporary.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["runs", "runtime"] {
        chown(folders.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let mut command = folders.program(&["record", "--memory", "16", "--for", "5s", "--quiet"]);
    let variables = [("SUDO_UID", NOBODY.to_string()), ("SUDO_GID", NOBODY.to_string())];
    let recorder = command.envs(variables).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let recorder = recorder.unwrap();
    let parent = recorder.id();
    let is_of_user = || {
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
        let status = fs::read_to_string(format!("/proc/{}/status", children.trim())).ok()?;
        let uids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        Some(uids.split_whitespace().all(|uid| uid == NOBODY.to_string()))
    };
    let deadline = Instant::now() + Duration::from_secs(30);
    while is_of_user() != Some(true) {
        assert!(Instant::now() < deadline, "no process records with the rights of the user");
        std::thread::sleep(Duration::from_millis(20));
    }
    let instance = |name: &str| {
        let folder = Path::new("/sys/kernel/tracing/instances");
        fs::read_dir(folder)
            .unwrap()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with(name))
    };
    let own = format!("jitterscope-{parent}-");
    assert!(instance(&own), "it records");
    finish(recorder);
    assert!(!instance(&own), "the instance is removed");
    let run = folders.run();
    let recording = run.recording().unwrap();
    assert!(recording.tier.has_wakeups);
    // None where the records cost nothing, or beside other programs.
    let per_record = recording.costs.per_record;
    assert!(per_record.is_none_or(|time| Nanos::ZERO < time), "{per_record:?}");
    let store = Store::at(folders.path("runs"));
    let file = fs::read_dir(store.folder()).unwrap().next().unwrap().unwrap();
    assert_eq!(file.metadata().unwrap().uid(), NOBODY);
}
