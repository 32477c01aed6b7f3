//! The output and the files of every command contain no private names of this PC or of other programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jitterscope_engine::export::Format;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::TraceSource;
use jitterscope_engine::run::{Run, RunId, Trace, TrialRun, counter};
use jitterscope_engine::sample::{Sample, ThreadOwner, TraceEvent, TraceRecord};
use jitterscope_engine::store::Store;

use crate::cli::{SHORT, is_long, program};
use crate::exchange::sample;

/// The thread ID of the measuring thread.
const OWN: u32 = 7_000;
/// The program that delays most late frames, so that the verdict names it.
const GAME: &str = "qx7game (render)";
/// The names of threads, each with its owner. Other programs have no owner, even if their names look like
/// those of the kernel or of this program.
const THREADS: [(&str, Option<ThreadOwner>); 6] = [
    (GAME, None),
    ("qx7secret", None),
    ("[qx7kernel]", None),
    ("jitterscope-qx7own", None),
    ("[kworker/0:1]", Some(ThreadOwner::Kernel)),
    ("jitterscope-cli (load-0)", Some(ThreadOwner::Own)),
];
/// Names of programs that no file may contain.
const PROGRAMS: [&str; 4] = ["qx7secret", "qx7kernel", "qx7own", "qx7unused"];

/// Returns a run whose late frames were delayed by these threads. Files of older versions do not record the
/// owners of threads.
fn traced(words: &str, has_owners: bool) -> Run {
    let mut run = sample::run(words);
    (run.machine.os, run.machine.kernel) =
        (Some("Linux".to_owned()), Some("5.15.153.1".to_owned()));
    for trial in &mut run.trials {
        add_trace(trial, has_owners);
    }
    run
}

fn add_trace(trial: &mut TrialRun, has_owners: bool) {
    let facts = [
        (counter::TRACE_SOURCE, TraceSource::Kernel.number()),
        (counter::TRACE_THREAD, OWN.into()),
    ];
    trial.counters.extend(facts.map(|(name, value)| (name.to_owned(), value)));
    let above = trial.trial.trace_above().unwrap();
    let mut records = Vec::new();
    let mut add = |at: Nanos, event, thread: u32, name, value| {
        records.push(TraceRecord { at, event, cpu: 1, thread: Some(thread), name, value });
    };
    let samples: Vec<Sample> = trial.samples.iter().collect();
    for pair in samples.windows(2) {
        let &[before, late] = pair else { continue };
        if late.late() <= above {
            continue;
        }
        add(before.woke, TraceEvent::SwitchIn, OWN, None, Some(120));
        add(late.began + Nanos::new(10_000), TraceEvent::Slept, OWN, None, None);
        add(late.due + Nanos::new(1_000), TraceEvent::Waking, OWN, None, None);
        // The first thread occupies the CPU for most of the time, each of the others for 20 µs.
        add(late.due - Nanos::from_millis(1), TraceEvent::SwitchIn, 100, Some(0), Some(120));
        for other in 1..6_u32 {
            let at = late.woke - Nanos::from_micros(20) * i64::from(other);
            add(at, TraceEvent::SwitchIn, 100 + other, Some(other), Some(120));
        }
        add(late.woke - Nanos::new(2_000), TraceEvent::SwitchIn, OWN, None, Some(120));
    }
    for (thread, (_, owner)) in (100..).zip(THREADS).filter(|_| has_owners) {
        let Some(owner) = owner else { continue };
        add(Nanos::ZERO, TraceEvent::Owner, thread, None, Some(owner.number()));
    }
    let names = THREADS.iter().map(|(name, _)| (*name).to_owned());
    let names = names.chain(["qx7unused".to_owned()]).collect();
    trial.trace = Some(Trace::from_records(names, &records));
}

/// A folder with saved runs in which commands are run, and the secrets that their output must not contain.
#[derive(Clone)]
struct Scan<'a> {
    folder: PathBuf,
    environment: &'a dyn Fn(&mut Command),
    secrets: &'a [String],
    first: RunId,
    second: RunId,
}

impl Scan<'_> {
    fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    fn out(&self) -> PathBuf {
        self.folder.join("out")
    }

    /// Runs a command, checks its output for secrets, and returns its standard output.
    fn command(&self, is_screen: bool, args: &[&str]) -> String {
        let mut command = Command::new(program());
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        (self.environment)(&mut command);
        command.arg("--data-dir").arg(self.runs()).args(args).current_dir(self.out());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        self.check(&format!("{args:?}, messages"), true, &said);
        self.check(&format!("{args:?}"), is_screen, &text);
        text
    }

    fn check(&self, what: &str, is_screen: bool, text: &str) {
        let lower = text.to_lowercase();
        for secret in self.secrets {
            assert!(!lower.contains(&secret.to_lowercase()), "{what} holds {secret}: {text}");
        }
        for program in PROGRAMS.iter().filter(|_| !is_screen) {
            assert!(!lower.contains(program), "{what} names {program}: {text}");
        }
    }

    /// Runs every command; those that measure have short settings.
    fn all(&self, here: &str) {
        let (a, b) = (self.first.as_str(), self.second.as_str());
        self.command(true, &["runs", "show", a]);
        let shown = self.command(true, &["runs", "show", a, "--all"]);
        assert!(shown.contains("qx7secret") && shown.contains("qx7kernel"), "{shown}");
        self.command(true, &["runs", "list"]);
        self.command(true, &["runs", "show", a, "--why", "98"]);
        self.command(true, &["runs", "show", &format!("{here}/none.json")]);
        self.command(true, &[&format!("{here}/none.json")]);
        self.command(true, &["compare", a, b, "--fail-if", "p99>-99%"]);
        for format in ["json", "csv", "openmetrics", "reference", "reference-json"] {
            // For a test without a reference tool, this format prints a table.
            self.command(format == "reference", &["runs", "show", a, "--format", format]);
        }
        for format in ["json", "markdown"] {
            self.command(false, &["compare", a, b, "--format", format]);
            let out = format!("comparison.{format}");
            self.command(false, &["compare", a, b, "--format", format, "--out", &out]);
        }
        self.command(false, &["runs", "show", a, "--out", "shown.txt"]);
        self.command(false, &["compare", a, b, "--out", "compared.txt"]);
        let metrics = self.command(false, &["runs", "show", a, "--format", "openmetrics"]);
        assert!(
            metrics.contains("culprit=\"Program A\"") && !metrics.contains("qx7game"),
            "{metrics}"
        );
        self.exports(a);
        for file in ["run.json", "run.html"] {
            self.command(true, &["import", file]);
            self.command(false, &["import", file, "--format", "json"]);
            self.command(true, &["import", file, "--save"]);
        }
        for format in ["table", "json"] {
            self.command(false, &["machine", "--format", format]);
        }
        let name = self.secrets.join(" ");
        let short = [&SHORT[..], &["--name", &name, "--format", "json"]].concat();
        let json: serde_json::Value =
            serde_json::from_str(&self.command(false, &short)).expect("a run");
        let id = json["id"].as_str().unwrap();
        self.command(false, &["alternate", id, id, "--times", "1"]);
        self.command(true, &["runs", "rm", id]);
        self.quick_check();
        self.command(false, &[&SHORT[..], &["--format", "openmetrics"]].concat());
        let limits = "[[test]]\ntest = \"frame-loop\"\nname = \"Limits\"\n\
             settings = { duration = \"100ms\", warm-up = \"0s\", wait = \"os-sleep\" }\n\
             [[test.limit]]\nmetric = \"p50\"\nmax = \"100s\"\n";
        fs::write(self.out().join("limits.toml"), limits).unwrap();
        let results = ["--junit", "results.xml", "--markdown", "summary.md"];
        self.command(false, &[&["check", "limits.toml"][..], &results].concat());
        for name in [results[1], results[3]] {
            assert!(self.out().join(name).exists(), "{name}");
        }
        for entry in fs::read_dir(self.out()).unwrap() {
            let path = entry.unwrap().path();
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            self.check(&path.display().to_string(), false, &text);
        }
    }

    /// Runs quick checks. They take more than a minute: only in a long test run.
    fn quick_check(&self) {
        if !is_long() {
            println!("skipped: a quick check is scanned with JITTERSCOPE_LONG_TESTS=1");
            return;
        }
        self.command(true, &["quick"]);
        self.command(false, &["quick", "--format", "json"]);
        self.command(false, &["quick", "--format", "openmetrics"]);
        self.command(true, &["runs", "list"]);
    }

    fn exports(&self, id: &str) {
        for format in Format::ALL {
            let found = self.command(false, &["export", id, "--as", format.key()]);
            if matches!(format, Format::Html | Format::Markdown | Format::Json) {
                assert!(found.contains("qx7game") && found.contains("kworker/0:1"), "{found}");
                assert!(found.contains("Program A"), "{format:?}: {found}");
            }
            let out = format!("run.{}", format.key());
            self.command(false, &["export", id, "--as", format.key(), "--out", &out]);
        }
        self.command(false, &["export", id, "--as", "csv", "--table", "delays"]);
        self.command(false, &["export", id, "--plots", "."]);
        let named = self.command_with_names(&["export", id, "--as", "json"]);
        assert!(self.secrets.iter().chain([&"qx7secret".to_owned()]).all(|it| named.contains(it)));
    }

    fn command_with_names(&self, args: &[&str]) -> String {
        let open = Scan { secrets: &[], ..self.clone() };
        open.command(true, &[args, &["--with-names"]].concat())
    }
}

impl<'a> Scan<'a> {
    fn new(
        folder: &Path,
        words: &str,
        secrets: &'a [String],
        environment: &'a dyn Fn(&mut Command),
    ) -> Self {
        let folder = folder.join(words.split(' ').next().unwrap_or_default());
        let first = traced(words, true);
        let mut second = traced(words, false);
        second.id = RunId::parse("1a1b2c3d").unwrap();
        let (a, b) = (first.id.clone(), second.id.clone());
        let scan = Self { folder, environment, secrets, first: a, second: b };
        fs::create_dir_all(scan.out()).unwrap();
        for run in [first, second] {
            Store::at(scan.runs()).save(&run).unwrap();
        }
        scan
    }
}

#[test]
fn no_command_prints_or_writes_names_that_the_environment_has() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = ["qx7user", "qx7host", "/srv/qx7home", "10.77.1.9", "fe80::77:1"];
    let words = format!(
        "{} of {} at {} in {}/x and {}",
        "qx7user", secrets[1], secrets[3], secrets[2], secrets[4]
    );
    let secrets = secrets.map(str::to_owned);
    let environment = |command: &mut Command| {
        command.envs([("USER", "qx7user"), ("LOGNAME", "qx7user"), ("USERNAME", "qx7user")]);
        command.envs([("HOSTNAME", "qx7host"), ("COMPUTERNAME", "qx7host")]);
        command.envs([("HOME", "/srv/qx7home"), ("USERPROFILE", "/srv/qx7home")]);
    };
    Scan::new(folder.path(), &words, &secrets, &environment).all("/srv/qx7home");
}

/// Returns an account with an unmistakable name: that of this user or, for root, that of another user as
/// which root can run commands.
#[cfg(unix)]
fn account() -> Option<(String, u32, String)> {
    use std::os::unix::fs::MetadataExt as _;
    let own = fs::metadata("/proc/self").ok()?.uid();
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    let accounts = accounts.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?.to_owned();
        let uid = fields.nth(1)?.parse::<u32>().ok()?;
        Some((name, uid, fields.nth(2)?.to_owned()))
    });
    let has_name = |name: &str| 6 <= name.len() && name != "nobody";
    let mut accounts = accounts.filter(|(name, ..)| has_name(name));
    accounts.find(|(_, uid, _)| *uid == own || (own == 0 && *uid != 0))
}

#[cfg(unix)]
#[test]
fn no_command_prints_or_writes_names_that_only_the_system_has() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    let Some((user, uid, _)) = account() else {
        println!("skipped: this account has a name that names nobody");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let is_other = fs::metadata("/proc/self").is_ok_and(|own| {
        use std::os::unix::fs::MetadataExt as _;
        own.uid() != uid
    });
    let environment = move |command: &mut Command| {
        if is_other {
            command.uid(uid);
        }
    };
    let mut version = Command::new(program());
    environment(&mut version);
    if !version.arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: the account {user} may not start the program");
        return;
    }
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim().to_owned();
    let mut secrets = vec![user.clone()];
    // A short host name, such as "vm", may also appear in the output as an ordinary word.
    secrets.extend(Some(host).filter(|host| 6 <= host.len() && host != "localhost"));
    println!("looking for {secrets:?}");
    let words = secrets.join(" of ");
    let scan = Scan::new(folder.path(), &words, &secrets, &environment);
    let mut folders = vec![folder.path().to_owned()];
    while let Some(path) = folders.pop().filter(|_| is_other) {
        chown(&path, Some(uid), None).unwrap();
        if path.is_dir() {
            folders.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    scan.all("/nowhere");
}
