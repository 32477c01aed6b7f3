//! Tests on other PCs. A script that replaces ssh starts the agent on this PC, or fails like ssh.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

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
  hostile) printf '\033[2J\007Welcome\n{"jitterscope"\n\377\376\n'; exec /bin/sh -c "$3" ;;
  bare) case "$3" in *agent) echo 'sh: 1: jitterscope-cli: not found' >&2; exit 127 ;; *) exec /bin/sh -c "$3" ;; esac ;;
  unknown-name) say "ssh: Could not resolve hostname unknown-name: Name or service not known" ;;
  refused) say "ssh: connect to host refused port 22: Connection refused" ;;
  changed) echo "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @" >&2; say "Host key verification failed." ;;
  denied) say "ann@denied: Permission denied (publickey,password)." ;;
  missing) exec /bin/sh -c "jitterscope-is-not-here agent" ;;
  foreign) echo "sh: x: cannot execute binary file: Exec format error" >&2; exit 126 ;;
  older) echo "error: unrecognized subcommand 'agent'" >&2; exit 2 ;;
  newer) echo '{"jitterscope":2,"answer":"refused","reason":"no"}' ;;
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
        ("newer", "protocol version 2"),
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

#[test]
fn ctrl_c_stops_a_run_on_a_host_and_saves_it() {
    let folder = folder();
    let args = ["frame-loop", "--preset", "quick", "--duration", "300s", "--warm-up", "0s"];
    let options = ["--wait", "os-sleep", "--trace", "off", "--host", "good"];
    let mut command = command(&folder, &[&args[..], &options[..]].concat());
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let is_measuring = || {
        let files = fs::read_dir(folder.path().join("runs")).into_iter().flatten().flatten();
        files.into_iter().any(|file| {
            fs::read_to_string(file.path()).is_ok_and(|text| text.contains("\"samples\",\"trial\""))
        })
    };
    while !is_measuring() {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(50));
    }
    // Signal the whole process group, including ssh, as a terminal does for Ctrl+C.
    // SAFETY: sends a signal to the group of a process that this test started.
    let sent = unsafe { libc::kill(-libc::pid_t::try_from(child.id()).unwrap(), libc::SIGINT) };
    assert_eq!(sent, 0);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", error(&output));
    let [run] = &saved(&folder)[..] else { panic!("{}", error(&output)) };
    assert_eq!(run.ending, Ending::Stopped);
    assert!(0 < run.sample_count());
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
    assert!(head.starts_with("Host"), "{text}");
    assert!(first.starts_with("good-1") && first.contains("measured"), "{text}");
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
    // Every host would write the same file.
    for more in [["--host", "good"], ["--out", "check.txt"]] {
        let both = run(&folder, &[&["quick", "--hosts", file][..], &more].concat());
        assert_eq!(both.status.code(), Some(2), "{}", error(&both));
    }
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
