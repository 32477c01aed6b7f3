//! Tests with administrator rights: which rights an agent still has after it gives up those of root, which
//! requests it refuses, and how it is started. Most tests here need root; none changes the system
//! permanently.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use jitterscope_engine::platform::{self, TraceSource};
use jitterscope_engine::run::{Run, counter};
use jitterscope_engine::store;

use super::cli::{SHORT, install, install_script, program};

/// The user ID of `nobody`, a user without any rights.
const NOBODY: u32 = 65_534;
/// The capabilities that an agent retains, as a bit mask: CAP_IPC_LOCK (bit 14), CAP_SYS_NICE (23), and
/// CAP_PERFMON (38).
const RETAINED: u64 = 1 << 14 | 1 << 23 | 1 << 38;
const IDLE_FILE: &str = "/dev/cpu_dma_latency";

/// A script that replaces pkexec and asks for no password, because the tests run as root.
pub(super) const PKEXEC: &str = "#!/bin/sh\nexec env PKEXEC_UID=65534 \"$@\"\n";
/// A script that replaces pkexec and does what pkexec does if the user closes its password dialog.
pub(super) const DISMISSED: &str =
    "#!/bin/sh\necho 'Error executing command as another user: Request dismissed' >&2\nexit 126\n";

/// Returns whether this process is root and only root can change the program.
pub(super) fn is_root() -> bool {
    let is_root = status("self")["Uid"].split_whitespace().all(|uid| uid == "0");
    let is_safe = program().ancestors().all(|path| {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        mode & 0o022 == 0
    });
    if !is_root || !is_safe {
        println!("skipped: this is not root, or others can change the program");
    }
    is_root && is_safe
}

/// Returns the fields of `/proc/<process>/status`, by name.
fn status(process: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.map(|(key, value)| (key.to_owned(), value.trim().to_owned())).collect()
}

fn set(status: &BTreeMap<String, String>, name: &str) -> u64 {
    u64::from_str_radix(&status[name], 16).unwrap()
}

/// An agent process that was started as root on behalf of the user `nobody`.
struct Elevated {
    process: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Elevated {
    fn start(by: &[(&str, &str)], arguments: &[&str]) -> Self {
        let mut command = Command::new(program());
        command.arg("agent").args(arguments).envs(by.iter().copied());
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self { process, answers }
    }

    fn answer(&mut self, request: &str) -> String {
        // Ignore a failed write: the agent stops reading a request that is too long.
        writeln!(self.process.stdin.as_mut().unwrap(), "{request}").ok();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line
    }

    /// Returns the files, such as devices, that the agent holds open, except `/dev/null`.
    fn devices(&self) -> Vec<String> {
        let files = fs::read_dir(format!("/proc/{}/fd", self.process.id())).unwrap();
        let targets = files.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
        let mut names: Vec<_> = targets.map(|path| path.to_string_lossy().into_owned()).collect();
        names.retain(|name| name.starts_with('/') && name != "/dev/null");
        names
    }
}

impl Drop for Elevated {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn an_agent_holds_three_capabilities_of_the_callers_and_nothing_else() {
    if !is_root() {
        return;
    }
    let permitted = set(&status("self"), "CapPrm");
    for by in [
        &[("PKEXEC_UID", "65534")][..],
        &[("SUDO_UID", "65534"), ("SUDO_GID", "65534"), ("PKEXEC_UID", "0")][..],
    ] {
        let mut agent = Elevated::start(by, &[]);
        assert!(agent.answer(r#"{"jitterscope":2,"request":"describe"}"#).contains("machine"));
        let held = status(&agent.process.id().to_string());
        for name in ["Uid", "Gid"] {
            assert!(held[name].split_whitespace().all(|id| id == "65534"), "{held:?}");
        }
        assert!(held["Groups"].split_whitespace().all(|id| id == "65534"), "{held:?}");
        assert_eq!(set(&held, "CapPrm"), RETAINED & permitted, "{held:?}");
        assert_eq!(set(&held, "CapEff"), RETAINED & permitted, "{held:?}");
        for empty in ["CapInh", "CapBnd", "CapAmb"] {
            assert_eq!(set(&held, empty), 0, "{empty}: {held:?}");
        }
        assert_eq!(held["NoNewPrivs"], "1");
        assert_ne!(held["VmLck"], "0 kB", "memory is locked");
        let limits = fs::read_to_string(format!("/proc/{}/limits", agent.process.id())).unwrap();
        let realtime = limits.lines().find(|line| line.starts_with("Max realtime timeout"));
        let numbers: Vec<&str> = realtime.unwrap().split_whitespace().skip(3).take(2).collect();
        assert_eq!(numbers, ["100000", "200000"], "{limits}");
        assert_eq!(agent.devices(), [""; 0]);
    }
    let mut agent = Elevated::start(&[("PKEXEC_UID", "65534")], &["--no-deep-idle"]);
    agent.answer(r#"{"jitterscope":2,"request":"load"}"#);
    let has_device = Path::new(IDLE_FILE).exists();
    assert_eq!(agent.devices(), if has_device { vec![IDLE_FILE] } else { Vec::new() });
}

#[test]
fn a_caller_that_is_not_known_gets_no_agent() {
    if !is_root() {
        return;
    }
    for (name, value) in [("PKEXEC_UID", "root"), ("SUDO_UID", "4294967295"), ("SUDO_UID", "")] {
        let mut command = Command::new(program());
        let output = command.arg("agent").env(name, value).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}={value}");
        assert_eq!(output.stdout, b"", "{name}={value}");
        assert!(error(&output).contains("cannot give up the rights of root"), "{}", error(&output));
    }
    // Without variables that name the user, root may start an agent for itself, but not one for a caller.
    for (arguments, status) in [(&["agent"][..], 0), (&["agent", "--for-caller"], 1)] {
        let mut command = Command::new(program());
        command.args(arguments).env_remove("SUDO_UID").env_remove("PKEXEC_UID");
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", error(&output));
    }
}

#[test]
fn an_agent_with_rights_measures_plans_and_nothing_else() {
    if !is_root() {
        return;
    }
    let mut agent = Elevated::start(&[("PKEXEC_UID", "65534")], &[]);
    let plan = jitterscope_engine::plan::Plan::all().remove(0);
    let plan = serde_json::to_value(plan).unwrap();
    let with = |key: &str, value: serde_json::Value| {
        let mut plan = plan.clone();
        plan[key] = value;
        serde_json::json!({"jitterscope": 2, "request": "run", "plan": plan}).to_string()
    };
    let huge: Vec<serde_json::Value> = vec![plan["cells"][0].clone(); 20_000];
    for (request, expected) in [
        (r#"{"jitterscope":2,"request":"run","path":"/etc/shadow"}"#.to_owned(), "unknown field"),
        (r#"{"jitterscope":2,"request":"describe; reboot"}"#.to_owned(), "unknown variant"),
        ("sh -c reboot".to_owned(), "not a line of the agent protocol"),
        (with("path", "/etc/shadow".into()), "an unknown setting in a plan"),
        (with("command", "$(reboot)".into()), "an unknown setting in a plan"),
        (with("wait", "`reboot`".into()), "not a line of the agent protocol"),
        (with("fps", 1e9.into()), "1000"),
        (with("rounds", 1_000_000_000.into()), "20"),
        (with("cells", huge.into()), "20\u{202f}000 configurations are selected"),
        ("x".repeat(2 << 20), "a request is longer than 1 MiB"),
    ] {
        let answer = agent.answer(&request);
        assert!(answer.contains("\"refused\"") && answer.contains(expected), "{answer}");
    }
}

/// Creates a folder that contains this script as the program `pkexec`.
pub(super) fn folder(pkexec: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    install_script(pkexec, &folder.path().join("pkexec"));
    folder
}

fn command(folder: &tempfile::TempDir, args: &[&str]) -> Command {
    let mut folders = vec![folder.path().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut command = Command::new(program());
    command.arg("--data-dir").arg(folder.path().join("runs")).args(args);
    command.env("PATH", std::env::join_paths(folders).unwrap());
    command
}

fn run(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    command(folder, &[&SHORT[..], args].concat()).output().unwrap()
}

fn saved(folder: &Path) -> Run {
    let mut files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let path = files.find(|path| path.to_string_lossy().ends_with(store::EXTENSION));
    store::load(&path.unwrap()).unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks that a run got the rights that root has on this PC, although its agent ran as an ordinary user.
pub(super) fn check_rights(run: &Run) {
    assert_eq!(run.host, None, "it is this PC");
    let [trial] = &run.trials[..] else { panic!("{} trials", run.trials.len()) };
    let applied = trial.applied.as_ref().unwrap();
    let root = std::thread::scope(|scope| scope.spawn(platform::realtime_probe).join().unwrap());
    assert_eq!(applied.effective.policy.is_realtime(), root.is_granted, "{applied:?}");
    assert_eq!(applied.no_deep_idle, Path::new(IDLE_FILE).exists(), "{applied:?}");
    let number = platform::trace_state().source.map_or(0, TraceSource::number);
    assert_eq!(trial.counters.get(counter::TRACE_SOURCE), Some(&number));
}

#[test]
fn a_run_with_rights_has_realtime_priority_a_trace_and_no_deep_idle() {
    if !is_root() {
        return;
    }
    let folder = folder(PKEXEC);
    let args = ["--administrator", "--priority", "fifo:20", "--no-deep-idle", "--load-threads=0"];
    let output = run(&folder, &args);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    check_rights(&saved(&folder.path().join("runs")));
}

/// Returns a command that runs `command` as `nobody`, with a sudo rule that only this process and its
/// children see.
fn as_nobody(rule: &str, command: &Command) -> Command {
    let script = "mount -t tmpfs -o mode=755 none /etc/sudoers.d && printf '%s\\n' \"$0\" > /etc/sudoers.d/x && \
                  chmod 440 /etc/sudoers.d/x && \
                  exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"";
    let mut nobody = Command::new("unshare");
    nobody.args(["-m", "--", "/bin/sh", "-c", script, rule]);
    nobody.arg(command.get_program()).args(command.get_args());
    nobody
}

#[test]
fn nobody_measures_with_rights_through_a_rule_of_sudo() {
    let probe = as_nobody("", Command::new("sudo").arg("--version")).output();
    if !is_root() || !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: sudo, unshare, or setpriv is not available");
        return;
    }
    let program = program();
    let program = program.to_str().unwrap();
    let folder = folder(PKEXEC);
    // The user `nobody` must be able to save runs in this folder.
    let runs = folder.path().join("runs");
    fs::create_dir(&runs).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::chown(&runs, Some(NOBODY), Some(NOBODY)).unwrap();
    let args = ["--administrator", "--administrator-command", "sudo -n", "--priority", "fifo:20"];
    let args = [&SHORT[..], &args, &["--no-deep-idle", "--load-threads=0"]].concat();
    let command = command(&folder, &args);
    let denied = as_nobody("# no rule", &command).output().unwrap();
    assert_eq!(denied.status.code(), Some(1), "{}", error(&denied));
    let reason = error(&denied);
    assert!(
        reason.starts_with("error: administrator rights were not granted: sudo cannot ask"),
        "{reason}"
    );
    assert_eq!(reason.lines().count(), 1, "{reason}");
    let rule =
        format!("#{NOBODY} ALL=(root) NOPASSWD: {program} agent --for-caller --no-deep-idle");
    let output = as_nobody(&rule, &command).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    check_rights(&saved(&runs));
    // The rule permits no other command of the program.
    for other in [&["agent"][..], &["agent", "--no-deep-idle"], &["runs", "list"]] {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", program]).args(other);
        assert_eq!(as_nobody(&rule, &sudo).status().unwrap().code(), Some(1), "{other:?}");
    }
}

#[test]
fn without_rights_nothing_is_measured_and_one_sentence_shows_why() {
    let folder = folder(DISMISSED);
    let copy = folder.path().join("jitterscope-cli");
    install(&program(), &copy);
    let mut other = Command::new(copy);
    other.args(SHORT).args(["--no-save", "--administrator"]);
    let output = other.output().unwrap();
    let expected = "error: administrator rights need the installed package of Jitterscope\n";
    assert_eq!((output.status.code(), error(&output).as_str()), (Some(1), expected));
    for options in [
        ["--administrator", "--host=x"],
        ["--administrator", "--hosts=x"],
        ["--administrator-command=sudo", "--no-save"],
    ] {
        assert_eq!(run(&folder, &options).status.code(), Some(2), "{options:?}");
    }
    if !is_root() {
        return;
    }
    for (command, expected) in [
        ("pkexec", "error: administrator rights were not granted: Request dismissed\n"),
        ("false", "error: administrator rights were not granted\n"),
        (
            "env -u SUDO_UID",
            "error: administrator rights were not granted: cannot give up the rights of root: the command names no \
             user; use sudo or pkexec, which do\n",
        ),
        ("not-there -A", "error: not-there is not in PATH, so"),
    ] {
        let output = run(&folder, &["--administrator", "--administrator-command", command]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(error(&output).starts_with(expected), "{command}: {}", error(&output));
        assert_eq!(error(&output).lines().count(), 1, "{}", error(&output));
    }
}

#[test]
fn the_policy_grants_the_installed_agent_alone() {
    let read = |path: &str| fs::read_to_string(crate::tidy::root().join(path)).unwrap();
    let policy = read("packaging/linux/jitterscope.policy");
    let between = |begin: &str, end: &str| -> Vec<String> {
        let pieces = policy.split(begin).skip(1);
        pieces.map(|piece| piece.split(end).next().unwrap().to_owned()).collect()
    };
    let [path] = &between("policykit.exec.path\">", "<")[..] else { panic!("{policy}") };
    let (folder, name) = path.strip_prefix('/').unwrap().rsplit_once('/').unwrap();
    let package = read("app/Cargo.toml");
    assert!(package.contains(&format!("[\"target/release/{name}\", \"{folder}/\", \"755\"]")));
    assert!(package.contains("[\"../target/stage/share/**/*\", \"usr/share/\", \"644\"]"));
    let build = read("packaging/build");
    assert!(build.contains(
        "identified packaging/linux/jitterscope.policy >\"$share/polkit-1/actions/$JITTERSCOPE_APP_ID.policy\""
    ));
    assert_eq!(between("policykit.exec.argv1\">", "<"), ["agent"]);
    assert_eq!(between("<allow_active>", "<"), ["auth_admin_keep"]);
    assert_eq!(between("<action id=\"", "\"").len(), 1);
    let id = read("packaging/release.conf");
    let id = id.lines().find_map(|line| line.split_once("JITTERSCOPE_APP_ID:=")).unwrap().1;
    assert_eq!(between("<action id=\"", "\""), [format!("{}.measure", id.trim_end_matches("}\""))]);
    assert!(!policy.contains("allow_gui"), "the agent opens no window");
}
