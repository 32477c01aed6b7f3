//! Tests on other PCs through real ssh servers on this PC, with keys made for the test.
#![cfg(unix)]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::{App, CheckedHost, HostState, Place, SavedHost, Settings, SettingsFile};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, Store};

use super::cli::{SHORT, install_script, program};
use super::host_window::{connected, field, select};
use super::window::{start_measuring, step_until, window_with_settings};

const SERVER: &str = "/usr/sbin/sshd";

/// Running ssh servers on the loopback interface. The ssh configuration in the folder names them `h0`, `h1`,
/// and so on.
struct Servers {
    folder: tempfile::TempDir,
    processes: Vec<Child>,
}

impl Servers {
    /// Starts servers; `None` if no ssh server is installed. `has_agent`: the command-line program is in the
    /// `PATH` of the servers.
    fn start(count: usize, has_agent: bool) -> Option<Self> {
        if !Path::new(SERVER).is_file() {
            println!("skipped: sshd is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["server-key", "user-key"] {
            let mut keygen = Command::new("ssh-keygen");
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path(name));
            assert!(keygen.status().unwrap().success());
        }
        for name in ["bin", "home"] {
            fs::create_dir(path(name)).unwrap();
        }
        if has_agent {
            symlink(program(), path("bin/jitterscope-cli")).unwrap();
        }
        // A server that is started by root requires this folder.
        fs::create_dir_all("/run/sshd").ok();
        let at = folder.path().display();
        let mut names = String::new();
        let mut processes = Vec::new();
        for number in 0..count {
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let settings = format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/server-key\nAuthorizedKeysFile {at}/user-key.pub\n\
                 StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n\
                 SetEnv PATH={at}/bin:/usr/bin:/bin HOME={at}/home\n"
            );
            let file = path(&format!("server-{number}"));
            fs::write(&file, settings).unwrap();
            let mut server = Command::new(SERVER);
            server.arg("-D").arg("-f").arg(&file).stderr(Stdio::null());
            processes.push(server.spawn().unwrap());
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                std::thread::sleep(Duration::from_millis(10));
            }
            names += &format!("Host h{number}\n HostName 127.0.0.1\n Port {port}\n");
        }
        let user = Command::new("id").arg("-un").output().unwrap().stdout;
        let user = String::from_utf8(user).unwrap();
        let all = format!(
            "Host *\n User {}\n IdentityFile {at}/user-key\n IdentitiesOnly yes\n UserKnownHostsFile {at}/known\n",
            user.trim()
        );
        fs::write(path("config"), names + &all).unwrap();
        let ssh = format!("#!/bin/sh\nexec /usr/bin/ssh -F {at}/config \"$@\"\n");
        fs::create_dir(path("client")).unwrap();
        install_script(&ssh, &path("client/ssh"));
        Some(Self { folder, processes })
    }

    /// Makes ssh trust the keys of all servers, as if the user had confirmed them.
    fn trust(self) -> Self {
        for number in 0..self.processes.len() {
            let mut ssh = Command::new(self.path("client/ssh"));
            ssh.args(["-oStrictHostKeyChecking=accept-new", &format!("h{number}"), "true"]);
            assert!(ssh.stderr(Stdio::null()).status().unwrap().success());
        }
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut folders = vec![self.path("client")];
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new(program());
        command.arg("--data-dir").arg(self.path("runs")).args(args);
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command
    }

    fn saved(&self) -> Vec<Run> {
        let list = Store::at(self.path("runs")).lines().unwrap();
        list.iter().map(|entry| store::load(&entry.path).unwrap()).collect()
    }

    fn host(&self, address: &str) -> SavedHost {
        let ssh = self.path("client/ssh").display().to_string();
        SavedHost { address: address.to_owned(), ssh, ..SavedHost::default() }
    }

    /// Opens a window on the frame loop page, with these hosts saved.
    fn window(&self, hosts: Vec<SavedHost>) -> Harness<'static, App> {
        let settings = Settings { is_welcomed: true, hosts, ..Settings::default() };
        SettingsFile::at(self.folder.path()).save(&settings).unwrap();
        let mut harness = window_with_settings(&self.folder);
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
        harness.run_steps(3);
        harness
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for process in &mut self.processes {
            process.kill().ok();
            process.wait().ok();
        }
    }
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the ID of the process whose command line ends with `ends` and whose environment contains the
/// folder.
#[cfg(target_os = "linux")]
fn process(ends: &str, folder: &Path) -> Option<u32> {
    let is_it = |pid: u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let of_folder = String::from_utf8_lossy(&environment).contains(folder.to_str()?);
        (text.trim_end_matches('\0').ends_with(ends) && of_folder).then_some(pid)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find_map(is_it)
}

#[cfg(target_os = "linux")]
#[test]
fn what_arrived_before_a_process_is_killed_is_saved() {
    use std::time::SystemTime;

    use jitterscope_engine::run::Ending;

    let Some(servers) = Servers::start(1, true).map(Servers::trust) else { return };
    let args = ["frame-loop", "--preset", "quick", "--fps", "100", "--duration", "300s"];
    let options = ["--warm-up", "0s", "--wait", "os-sleep", "--trace", "off", "--host", "h0"];
    for victim in ["ssh", "agent", "command line"] {
        fs::remove_dir_all(servers.path("runs")).ok();
        let mut command = servers.command(&[&args[..], &options[..]].concat());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let frames = || {
            let files = fs::read_dir(servers.path("runs")).into_iter().flatten().flatten();
            let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
            texts.map(|text| text.matches("\"samples\",\"trial\"").count()).sum::<usize>()
        };
        while frames() < 20 {
            assert!(child.try_wait().unwrap().is_none(), "{victim}: it ended early");
            std::thread::sleep(Duration::from_millis(20));
        }
        let pid = match victim {
            "ssh" => process("h0\0jitterscope-cli agent", servers.folder.path()).unwrap(),
            "agent" => process("jitterscope-cli\0agent", servers.folder.path()).unwrap(),
            _ => child.id(),
        };
        let before = frames();
        let killed = SystemTime::now();
        // SAFETY: sends a signal to a process that this test started.
        assert_eq!(unsafe { libc::kill(libc::pid_t::try_from(pid).unwrap(), libc::SIGKILL) }, 0);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), if victim == "command line" { None } else { Some(1) });
        assert!(servers.command(&["runs", "list"]).output().unwrap().status.success());
        let [run] = &servers.saved()[..] else { panic!("{victim}: one run") };
        let is_recovered = run.ending == Ending::Recovered;
        assert_eq!(is_recovered, victim == "command line", "{victim}: {:?}", run.ending);
        assert!(before <= run.sample_count(), "{victim}: what was in the journal is saved");
        let last = run.trials[0].samples.last().unwrap().woke.as_secs();
        let ran = killed.duration_since(SystemTime::from(run.started_at)).unwrap().as_secs_f64();
        println!("{victim}: {last:.2} s of {ran:.2} s are saved");
        // Wait until the agent has ended: it must not outlive its connection.
        while process("jitterscope-cli\0agent", servers.folder.path()).is_some() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn four_servers_are_measured_at_once() {
    let Some(servers) = Servers::start(4, true).map(Servers::trust) else { return };
    let file = servers.path("hosts");
    fs::write(&file, "h0\nh1\nh2\nh3\n").unwrap();
    let args = [&SHORT[..], &["--hosts", file.to_str().unwrap()]].concat();
    let output = servers.command(&args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let mut hosts: Vec<_> = servers.saved().into_iter().filter_map(|run| run.host).collect();
    hosts.sort();
    assert_eq!(hosts, ["h0", "h1", "h2", "h3"]);
}

#[test]
fn four_servers_are_measured_one_after_another_in_the_window() {
    let names = ["h0", "h1", "h2", "h3"];
    let Some(servers) = Servers::start(names.len(), true).map(Servers::trust) else { return };
    let mut harness = servers.window(names.map(|name| servers.host(name)).into());
    for name in names {
        select(&mut harness, name);
        step_until(&mut harness, connected(name));
        start_measuring(&mut harness);
        harness.key_press(egui::Key::Escape);
        step_until(&mut harness, |app| !app.session.running.is_busy());
    }
    let mut hosts: Vec<_> = servers.saved().into_iter().filter_map(|run| run.host).collect();
    hosts.sort();
    assert_eq!(hosts, names);
    assert!(names.iter().all(|name| connected(name)(harness.state())));
}

/// The agent file that the window copies to a host: the build that `JITTERSCOPE_STATIC_BUILD` names, or else
/// a script that starts the command-line program.
struct StaticBuild(PathBuf);

impl StaticBuild {
    fn create() -> Self {
        let system = Command::new("uname").arg("-m").output().unwrap().stdout;
        let arch = String::from_utf8(system).unwrap();
        let name =
            format!("jitterscope-cli-{}-{}-linux-static", env!("CARGO_PKG_VERSION"), arch.trim());
        let path = std::env::current_exe().unwrap().with_file_name(name);
        let starter = format!("#!/bin/sh\nexec {} \"$@\"\n", program().display()).into_bytes();
        let build =
            std::env::var_os("JITTERSCOPE_STATIC_BUILD").map(|path| fs::read(path).unwrap());
        fs::write(&path, build.unwrap_or(starter)).unwrap();
        Self(path)
    }
}

impl Drop for StaticBuild {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}

#[test]
fn a_key_is_trusted_and_an_agent_copied_and_updated_in_the_window() {
    let Some(servers) = Servers::start(1, false) else { return };
    let static_build = StaticBuild::create();
    let mut harness = servers.window(Vec::new());
    let checked = |harness: &mut Harness<'_, App>| {
        step_until(harness, |app| {
            let adding = app.session.hosts.adding.as_ref().unwrap();
            let is_read = adding.key.is_some() || adding.file.is_some();
            match adding.checked {
                CheckedHost::Failed(_) => is_read,
                CheckedHost::Ready(_) => true,
                _ => false,
            }
        });
        harness.run_steps(3);
    };
    select(&mut harness, "Add a host…");
    for (label, value) in
        [("Address", "h0".to_owned()), ("ssh command (optional)", servers.host("").ssh)]
    {
        field(&harness, label).focus();
        harness.run_steps(2);
        harness.event(egui::Event::Text(value));
        harness.run_steps(2);
    }
    harness.get_by_label("Check").click();
    harness.run_steps(2);
    checked(&mut harness);
    // The window shows the same fingerprint as the server's owner sees, and trusts the key only after a
    // click.
    let mut keygen = Command::new("ssh-keygen");
    let own = keygen.arg("-lf").arg(servers.path("server-key.pub")).output().unwrap().stdout;
    let own = String::from_utf8(own).unwrap();
    let fingerprint = own.split_whitespace().nth(1).unwrap();
    harness.get_by_label_contains(fingerprint);
    assert!(!servers.path("known").exists());
    harness.get_by_label("Trust this key").click();
    harness.run_steps(2);
    checked(&mut harness);
    assert_eq!(fs::read_to_string(servers.path("known")).unwrap().lines().count(), 1);
    harness.get_by_label("Copy it there").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| {
        matches!(app.session.hosts.adding.as_ref().unwrap().checked, CheckedHost::Ready(_))
    });
    let copied = servers.path("home/.local/bin/jitterscope-cli");
    assert_eq!(fs::read(&copied).unwrap(), fs::read(&static_build.0).unwrap());
    harness.get_by_label("Add host").click();
    harness.run_steps(3);
    step_until(&mut harness, connected("h0"));
    let program = "~/.local/bin/jitterscope-cli".to_owned();
    let expected = SavedHost { program, ..servers.host("h0") };
    assert_eq!(harness.state().session.settings().hosts, [expected]);
    start_measuring(&mut harness);
    harness.key_press(egui::Key::Escape);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    assert_eq!(servers.saved()[0].host.as_deref(), Some("h0"));
    drop(harness);
    // The window offers to replace an agent that is too old.
    let old = "#!/bin/sh\necho \"error: unrecognized subcommand '$1'\" >&2\nexit 2\n";
    install_script(old, &copied);
    let mut harness = window_with_settings(&servers.folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    select(&mut harness, "h0");
    step_until(&mut harness, |app| {
        matches!(app.session.hosts.state("h0"), HostState::Failed { .. })
    });
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::L);
    harness.run_steps(4);
    harness.get_by_label("Update: h0").click();
    harness.run_steps(3);
    checked(&mut harness);
    harness.get_by_label("Update").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| {
        matches!(app.session.hosts.adding.as_ref().unwrap().checked, CheckedHost::Ready(_))
    });
    harness.run_steps(3);
    harness.get_by_label("Add host").click();
    harness.run_steps(3);
    step_until(&mut harness, connected("h0"));
    let session = &harness.state().session;
    assert_eq!(session.hosts.place, Place::Host("h0".to_owned()));
    assert_eq!(session.settings().hosts.len(), 1);
}

#[test]
fn a_key_that_changed_is_never_offered_to_be_trusted() {
    let Some(servers) = Servers::start(1, true).map(Servers::trust) else { return };
    let known = fs::read_to_string(servers.path("known")).unwrap();
    let name = known.split(' ').next().unwrap();
    let other = fs::read_to_string(servers.path("user-key.pub")).unwrap();
    fs::write(servers.path("known"), format!("{name} {other}")).unwrap();
    let output = servers.command(&[&SHORT[..], &["--host", "h0"]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(error(&output).contains("key of this host has changed"), "{}", error(&output));
    let mut harness = servers.window(vec![servers.host("h0")]);
    select(&mut harness, "h0");
    step_until(&mut harness, |app| {
        matches!(app.session.hosts.state("h0"), HostState::Failed { .. })
    });
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Trust").is_none());
}
