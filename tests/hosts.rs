//! Tests on other PCs. A script that replaces ssh starts the agent on this PC, or fails like ssh.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Headline, Options, Report};
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::store;

use super::cli::{SHORT, install_script, program};

/// A script that accepts the arguments of ssh. The address of the host selects what it does.
const SSH: &str = r#"#!/bin/sh
while [ "$1" != "--" ]; do shift; done
say() { echo "$1" >&2; exit 255; }
case "$2" in
  *good*) exec /bin/sh -c "$3" ;;
  banner) printf 'Welcome\nno end of line'; exec /bin/sh -c "$3" ;;
  cut) /bin/sh -c "$3" | sed -u 12q ;;
  lost*) /bin/sh -c "$3" | sed -u 60q ;;
  silent) /bin/sh -c "$3" | { sed -u 12q; exec sleep 40; } ;;
  flood) /bin/sh -c "$3" | sed -u '/"entry":"samples"/{h;G;h;G;h;G;h;G;h;G;h;G;h;G;h;G;h;G;h;G;h;G;h;G}' ;;
  hostile) printf '\033[2J\007Welcome\n{"jitterscope"\n\377\376\n'; exec /bin/sh -c "$3" ;;
  prompt) echo $$ > "$(dirname "$0")/prompt"; exec sleep 300 ;;
  bare) case "$3" in *agent) echo 'sh: 1: jitterscope-cli: not found' >&2; exit 127 ;; *) exec /bin/sh -c "$3" ;; esac ;;
  unknown-name) say "ssh: Could not resolve hostname unknown-name: Name or service not known" ;;
  refused) say "ssh: connect to host refused port 22: Connection refused" ;;
  changed) echo "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @" >&2; say "Host key verification failed." ;;
  denied) say "ann@denied: Permission denied (publickey,password)." ;;
  missing) exec /bin/sh -c "jitterscope-is-not-here agent" ;;
  foreign) echo "sh: x: cannot execute binary file: Exec format error" >&2; exit 126 ;;
  older) echo "error: unrecognized subcommand 'agent'" >&2; exit 2 ;;
  newer) echo '{"jitterscope":3,"answer":"refused","reason":"no"}' ;;
  endless) exec yes ;;
  long) exec tr '\0' x < /dev/zero ;;
esac
"#;

/// Creates a folder with the script as `ssh`.
pub(super) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    install_script(SSH, &folder.path().join("ssh"));
    folder
}

fn command(folder: &tempfile::TempDir, args: &[&str]) -> Command {
    let mut folders = vec![folder.path().to_owned(), program().parent().unwrap().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut command = Command::new(program());
    command.arg("--data-dir").arg(folder.path().join("runs")).args(args);
    command.env("PATH", std::env::join_paths(folders).unwrap());
    // Tests that run in the background inherit ignored signals, which the program would respect.
    let with_signals = || {
        for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
            // SAFETY: resets a signal to its default action.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the function only calls `signal`, which is safe after a fork.
    unsafe { command.pre_exec(with_signals) };
    command
}

fn run(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn saved(folder: &tempfile::TempDir) -> Vec<Run> {
    let Ok(files) = fs::read_dir(folder.path().join("runs")) else { return Vec::new() };
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(store::EXTENSION));
    paths.iter().map(|path| store::load(path).unwrap()).collect()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_test_on_a_host_is_saved_here_and_its_name_is_private() {
    let folder = folder();
    for host in ["ann@good-07", "banner"] {
        let output = run(&folder, &[&SHORT[..], &["--host", host, "--name", host]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", error(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(&format!("{host}: ")), "{text}");
    }
    let runs = saved(&folder);
    assert_eq!(runs.len(), 2);
    let run_there = runs.iter().find(|run| run.host.as_deref() == Some("ann@good-07")).unwrap();
    assert!(0 < run_there.sample_count() && run_there.ending == Ending::Finished);
    let id = run_there.id.to_string();
    for format in ["json", "markdown", "html"] {
        let out = folder.path().join("report");
        let out = out.to_str().unwrap();
        let output = run(&folder, &["export", &id, "--as", format, "--out", out]);
        assert_eq!(output.status.code(), Some(0), "{}", error(&output));
        let text = fs::read_to_string(out).unwrap();
        assert!(!text.contains("good-07"), "{format}");
        fs::remove_file(out).unwrap();
    }
    let named = run(&folder, &["--with-names", "runs", "show", &id, "--format", "json"]);
    assert!(String::from_utf8_lossy(&named.stdout).contains("ann@good-07"));
}

#[test]
fn a_host_that_cannot_be_used_fails_with_one_sentence() {
    let folder = folder();
    for (host, expected) in [
        ("unknown-name", "check its spelling"),
        ("refused", "does not answer: connection refused; check"),
        ("changed", "key of this host has changed"),
        ("denied", "sign-in was denied"),
        ("missing", "--host-program"),
        ("foreign", "another processor"),
        ("older", "install the same version"),
        ("newer", "protocol version 3"),
        ("endless", "not an answer of an agent"),
        ("long", "not an answer of an agent"),
        ("-oProxyCommand=x", "invalid host"),
    ] {
        let host_arg = format!("--host={host}");
        let output = run(&folder, &[&SHORT[..], &[&host_arg]].concat());
        let error = error(&output);
        assert_eq!(output.status.code(), Some(1), "{host}: {error}");
        assert!(error.contains(expected) && error.lines().count() == 1, "{host}: {error}");
    }
    assert_eq!(saved(&folder).len(), 0);
}

#[test]
fn a_host_that_falls_silent_or_sends_too_much_ends_the_run_with_what_arrived() {
    for (host, expected) in
        [("silent", "no answer for 15 s"), ("flood", "the agent sent more than a run may hold")]
    {
        let folder = folder();
        let args = ["frame-loop", "--preset", "quick", "--fps", "100", "--duration", "60s"];
        let options = ["--warm-up", "0s", "--wait", "os-sleep", "--trace", "off", "--host", host];
        let output = run(&folder, &[&args[..], &options[..]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", error(&output));
        assert!(error(&output).contains(expected), "{host}: {}", error(&output));
        let [run] = &saved(&folder)[..] else { panic!("{}", error(&output)) };
        assert!(0 < run.sample_count() && run.sample_count() < 40_000, "{}", run.sample_count());
    }
}

#[test]
fn a_lost_connection_ends_the_run_with_what_arrived() {
    let folder = folder();
    let args = ["frame-loop", "--preset", "quick", "--fps", "100", "--duration", "60s"];
    let options = ["--warm-up", "0s", "--wait", "os-sleep", "--trace", "off", "--host", "cut"];
    let output = run(&folder, &[&args[..], &options[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", error(&output));
    assert!(error(&output).contains("the connection was lost"), "{}", error(&output));
    let [run] = &saved(&folder)[..] else { panic!("{}", error(&output)) };
    assert!(matches!(&run.ending, Ending::Failed(reason) if reason.contains("connection")));
    assert!(0 < run.sample_count());
}

/// Arguments of a run that lasts until it is stopped.
const LONG: [&str; 11] = [
    "frame-loop",
    "--preset",
    "quick",
    "--duration",
    "300s",
    "--warm-up",
    "0s",
    "--wait",
    "os-sleep",
    "--trace",
    "off",
];

/// Waits until samples of this number of runs have arrived.
fn wait_for_samples(folder: &tempfile::TempDir, count: usize, child: &mut Child) {
    let measuring = || {
        let files = fs::read_dir(folder.path().join("runs")).into_iter().flatten().flatten();
        files.filter(|file| {
            fs::read_to_string(file.path()).is_ok_and(|text| text.contains("\"samples\",\"trial\""))
        })
    };
    while measuring().count() < count {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Sends a signal to a process, or to a group of processes if the number is negative.
fn send_signal(to: i32, signal: i32) {
    // SAFETY: sends a signal to processes that this test started.
    assert_eq!(unsafe { libc::kill(to, signal) }, 0);
}

/// Waits until a condition holds; fails after half a minute.
fn wait_until(what: &str, is_met: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_met() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn ctrl_c_stops_a_run_on_a_host_and_saves_it() {
    let folder = folder();
    let mut command = command(&folder, &[&LONG[..], &["--host", "good"]].concat());
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    wait_for_samples(&folder, 1, &mut child);
    // Signal the whole process group, including ssh, as a terminal does for Ctrl+C.
    send_signal(-i32::try_from(child.id()).unwrap(), libc::SIGINT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", error(&output));
    let [run] = &saved(&folder)[..] else { panic!("{}", error(&output)) };
    assert_eq!(run.ending, Ending::Stopped);
    assert!(0 < run.sample_count());
}

/// Whether a process has ended, even if nobody has waited for it.
fn has_ended(process: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let is_zombie = stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
    // SAFETY: without a signal, the call only checks whether the process exists.
    is_zombie || unsafe { libc::kill(process, 0) } != 0
}

#[test]
fn ctrl_c_at_a_prompt_of_ssh_ends_ssh() {
    let folder = folder();
    for args in [&LONG[..], &["machine"]] {
        let mut command = command(&folder, &[args, &["--host", "prompt"]].concat());
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let noted = folder.path().join("prompt");
        wait_until("ssh was not started", || {
            fs::read_to_string(&noted).is_ok_and(|text| text.ends_with('\n'))
        });
        let ssh: i32 = fs::read_to_string(&noted).unwrap().trim().parse().unwrap();
        fs::remove_file(&noted).unwrap();
        send_signal(-i32::try_from(child.id()).unwrap(), libc::SIGINT);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", error(&output));
        wait_until("ssh did not end", || has_ended(ssh));
    }
}

/// Starts a long run on two hosts, and waits until both measure.
fn start_on_two_hosts(folder: &tempfile::TempDir) -> Child {
    let file = folder.path().join("hosts");
    fs::write(&file, "good-1\ngood-2\n").unwrap();
    let mut command = command(folder, &[&LONG[..], &["--hosts", file.to_str().unwrap()]].concat());
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    wait_for_samples(folder, 2, &mut child);
    child
}

/// Returns the number of processes that were started with the folder in their `PATH`.
#[cfg(target_os = "linux")]
fn count_processes(folder: &tempfile::TempDir) -> usize {
    let path = format!("PATH={}:", folder.path().display());
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|process| {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&path)
        })
        .count()
}

#[test]
fn a_signal_to_hosts_alone_stops_every_host_and_saves_its_run() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
        let folder = folder();
        let child = start_on_two_hosts(&folder);
        send_signal(i32::try_from(child.id()).unwrap(), signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", error(&output));
        let runs = saved(&folder);
        assert_eq!(runs.len(), 2, "{}", error(&output));
        assert!(runs.iter().all(|run| run.ending == Ending::Stopped && 0 < run.sample_count()));
        #[cfg(target_os = "linux")]
        wait_until("a program goes on", || count_processes(&folder) == 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_measures_on_after_the_program_was_killed() {
    let of_hosts = folder();
    let mut child = start_on_two_hosts(&of_hosts);
    assert!(6 <= count_processes(&of_hosts), "two commands, and an ssh and an agent of each");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("a program goes on", || count_processes(&of_hosts) == 0);
    assert_eq!(saved(&of_hosts).len(), 2, "what was measured is saved");

    let of_host = folder();
    for (host, count) in [("good", 1), ("prompt", 0)] {
        let mut child = command(&of_host, &[&LONG[..], &["--host", host]].concat());
        let mut child = child.stderr(Stdio::null()).spawn().unwrap();
        wait_for_samples(&of_host, count, &mut child);
        wait_until("ssh was not started", || 2 <= count_processes(&of_host));
        child.kill().unwrap();
        child.wait().unwrap();
        wait_until("a program goes on", || count_processes(&of_host) == 0);
    }
}

#[test]
fn several_hosts_give_one_table_and_an_entry_each() {
    let folder = folder();
    let file = folder.path().join("hosts");
    fs::write(&file, "# lab\ngood-1\nrefused\ngood-2\n").unwrap();
    let file = file.to_str().unwrap();
    let output = run(&folder, &[&SHORT[..], &["--hosts", file]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{}", error(&output));
    assert_eq!(error(&output).lines().count(), 3, "{}", error(&output));
    let lines: Vec<&str> = text.lines().collect();
    let [head, _, first, second, third] = lines[..] else { panic!("{text}") };
    let titles: Vec<&str> = head.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
    assert_eq!(titles, ["Host", "Status", "Verdict", "Key figure", "Culprit", "Run", "Result"]);
    assert!(first.starts_with("good-1") && first.contains("measured"), "{text}");
    let runs = saved(&folder);
    let of_first = runs.iter().find(|run| run.host.as_deref() == Some("good-1")).unwrap();
    // A busy PC may skip some of the 12 frames.
    let key_figure =
        Headline::of_report(of_first, &Report::of(of_first, &Options::default())).number;
    assert!(first.contains(of_first.id.as_str()) && first.contains(&key_figure), "{text}");
    assert!(key_figure.ends_with(" frames"), "{key_figure}");
    assert!(
        second.starts_with("refused")
            && second.contains("failed")
            && second.contains("connection refused"),
        "{text}"
    );
    assert!(third.starts_with("good-2") && third.contains("measured"), "{text}");
    let mut hosts: Vec<_> = saved(&folder).into_iter().filter_map(|run| run.host).collect();
    hosts.sort();
    assert_eq!(hosts, ["good-1", "good-2"]);
    for more in [["--host", "good"], ["--format", "reference"]] {
        let both = run(&folder, &[&SHORT[..], &["--hosts", file], &more].concat());
        assert_eq!(both.status.code(), Some(2), "{}", error(&both));
    }
}

#[test]
fn results_of_several_hosts_are_one_file_for_programs() {
    let folder = folder();
    let file = folder.path().join("hosts");
    fs::write(&file, "good-1\nrefused\n").unwrap();
    let (file, out) = (file.to_str().unwrap(), folder.path().join("out"));
    let batch = |format: &str| {
        let args = ["frame-loop", "--preset", "quick", "--fps", "200", "--duration", "1s"];
        let more = ["--warm-up", "0s", "--wait", "os-sleep", "--trace", "off", "--hosts", file];
        let place = ["--format", format, "--out", out.to_str().unwrap()];
        let output = run(&folder, &[&args[..], &more, &place].concat());
        assert_eq!(output.status.code(), Some(1), "{}", error(&output));
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        fs::read_to_string(&out).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&batch("json")).unwrap();
    let [good, refused] = json["hosts"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!((&good["host"], &good["status"]), (&"good-1".into(), &"measured".into()));
    let run = &saved(&folder)[0];
    assert_eq!(good["run_ids"], serde_json::json!([run.id.as_str()]));
    let report = Report::of(run, &Options::default());
    // A busy PC may skip that many of the 200 frames that there is no p99.
    let p99_of = |run: &Run| {
        let report = Report::of(run, &Options::default());
        Headline::of_report(run, &report).best_p99.map(Nanos::get)
    };
    assert_eq!(good["p99_nanos"], serde_json::json!(p99_of(run)));
    assert_eq!(good["sentence"].as_str().unwrap(), report.sentence().replace('\u{202f}', " "));
    assert_eq!(refused["status"], "failed");
    assert!(refused["p99_nanos"].is_null() && refused["run_ids"] == serde_json::json!([]));
    let csv = batch("csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with("host,status,run_ids,verdict,"), "{csv}");
    let metrics = batch("openmetrics");
    assert!(metrics.contains("\njitterscope_host_measured{host=\"good-1\"} 1\n"), "{metrics}");
    assert!(metrics.contains("\njitterscope_host_measured{host=\"refused\"} 0\n"), "{metrics}");
    let last = saved(&folder).into_iter().max_by_key(|run| run.started_at).unwrap();
    let has_p99 = metrics.contains("\njitterscope_host_p99_lateness_seconds{host=\"good-1\"} ");
    assert_eq!(has_p99, p99_of(&last).is_some(), "{metrics}");
    assert_eq!(metrics.matches("# EOF").count(), 1);
    assert!(metrics.ends_with("# EOF\n"));
}

#[test]
fn every_command_that_measures_takes_a_host() {
    let folder = folder();
    let check = run(&folder, &["quick", "--scale", "0.02", "--host", "good-1"]);
    assert_eq!(check.status.code(), Some(0), "{}", error(&check));
    let runs = saved(&folder);
    assert_eq!(runs.len(), 5);
    assert!(runs.iter().all(|run| run.host.as_deref() == Some("good-1") && run.group.is_some()));
    for name in ["one", "two"] {
        let short = [&SHORT[..], &["--name", name]].concat();
        assert_eq!(run(&folder, &short).status.code(), Some(0));
    }
    let alternate = run(&folder, &["alternate", "one", "two", "--times", "2", "--host", "good-2"]);
    assert_eq!(alternate.status.code(), Some(0), "{}", error(&alternate));
    let there = saved(&folder).into_iter().filter(|run| run.host.as_deref() == Some("good-2"));
    assert_eq!(there.count(), 4);
    let [there, here] = [
        &["machine", "--format", "json", "--host", "good"][..],
        &["machine", "--format", "json"][..],
    ]
    .map(|args| serde_json::from_slice::<serde_json::Value>(&run(&folder, args).stdout).unwrap());
    assert_eq!(there["machine"]["cpu_model"], here["machine"]["cpu_model"]);
    assert_eq!(there["clock"]["name"], here["clock"]["name"]);
    assert_eq!(
        (&here["format"], &here["format_version"]),
        (&"jitterscope-machine".into(), &1.into())
    );
    let table = run(&folder, &["machine", "--host", "good"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("Capabilities\n"));
}

#[test]
fn an_agent_refuses_other_versions_and_ends_with_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command.arg("agent").current_dir(folder.path()).env("HOME", folder.path());
    let mut agent = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = agent.stdin.take().unwrap();
    input.write_all(b"{\"jitterscope\":7,\"request\":\"describe\"}\nrm -rf /\n").unwrap();
    drop(input);
    let output = agent.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("protocol version 7 is not supported"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "an agent leaves no file");
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_ends_with_its_input_while_nothing_reads_its_output() {
    use std::os::fd::AsRawFd as _;

    let (_unread, mut output) = std::io::pipe().unwrap();
    // SAFETY: asks for the size of an open pipe.
    let size = unsafe { libc::fcntl(output.as_raw_fd(), libc::F_GETPIPE_SZ) };
    output.write_all(&vec![b'\n'; usize::try_from(size).unwrap()]).unwrap();
    let mut command = Command::new(program());
    command.arg("agent").stdin(Stdio::piped()).stdout(output);
    let mut agent = command.spawn().unwrap();
    drop(command);
    let mut input = agent.stdin.take().unwrap();
    input.write_all(b"{\"jitterscope\":1,\"request\":\"describe\"}\n").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(agent.try_wait().unwrap().is_none(), "its output is full");
    drop(input);
    let began = Instant::now();
    while agent.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(30), "the agent goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
}
