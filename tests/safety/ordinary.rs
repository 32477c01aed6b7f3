//! The guards of real-time threads, where a user other than root may use them: as nobody, once with the right
//! `CAP_SYS_NICE` alone, and once with a limit of real-time priorities instead of any right.

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::cli::install;

/// The user and group without files or rights.
const NOBODY: &str = "65534";
/// Flag of a policy that the threads which a thread starts do not inherit.
const RESET_ON_FORK: i32 = 0x4000_0000;

/// How nobody may use real-time scheduling: a name, the commands before the program, and the priority of the watchdog.
type Way = (&'static str, Vec<String>, u32);

fn ways() -> [Way; 2] {
    let user = format!("setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups");
    let words = |text: String| text.split(' ').map(str::to_owned).collect();
    [
        (
            "CAP_SYS_NICE alone",
            words(format!(
                "{user} --inh-caps=-all,+sys_nice --ambient-caps=+sys_nice --bounding-set=-all,+sys_nice"
            )),
            21,
        ),
        (
            "RLIMIT_RTPRIO",
            words(format!("prlimit --rtprio=20 {user} --inh-caps=-all --bounding-set=-all")),
            20,
        ),
    ]
}

/// A copy of the program that nobody can execute, and a folder in which nobody can write.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// `None` where this process cannot become nobody with these rights.
    fn new(way: &Way) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        install(&program(), &folder.path().join("program"));
        let runs = folder.path().join("runs");
        fs::create_dir(&runs).unwrap();
        fs::set_permissions(&runs, fs::Permissions::from_mode(0o777)).unwrap();
        let place = Self { folder };
        let output = place.command(way, &[]).arg("--version").output();
        let is_possible = output.as_ref().is_ok_and(|output| output.status.success());
        if !is_possible {
            println!("skipped: {}: {output:?}", way.0);
        }
        is_possible.then_some(place)
    }

    /// Returns the program with the rights of this way, after further commands such as `taskset`.
    fn command(&self, (_, way, _): &Way, before: &[&str]) -> Command {
        let words: Vec<&str> =
            before.iter().copied().chain(way.iter().map(String::as_str)).collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(self.folder.path().join("program"));
        command.env("HOME", self.folder.path()).env_remove("XDG_RUNTIME_DIR");
        command.arg("--data-dir").arg(self.runs());
        command
    }

    fn runs(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    fn start(&self, way: &Way, args: &[&str]) -> Child {
        let mut command = self.command(way, &[]);
        command.args(args).arg("--quiet").stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }
}

/// A real-time thread as the kernel reports it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RealtimeThread {
    name: String,
    priority: u32,
    resets_on_fork: bool,
}

/// Returns the real-time threads of a process.
fn realtime_threads(process: u32) -> Vec<RealtimeThread> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let read = |task: fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        let (head, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let thread: i32 = task.file_name().to_str()?.parse().ok()?;
        // SAFETY: takes the number of a thread; the thread may have ended.
        let policy = unsafe { libc::sched_getscheduler(thread) };
        let is_raised = is_realtime(fields.get(38)?.parse().ok()?);
        is_raised.then_some(RealtimeThread {
            name: head.split_once('(')?.1.to_owned(),
            priority: fields.get(37)?.parse().ok()?,
            resets_on_fork: policy & RESET_ON_FORK != 0,
        })
    };
    tasks.filter_map(|task| read(task.ok()?)).collect()
}

/// Returns the soft limit of real-time CPU time without a sleep, in microseconds.
fn realtime_limit(process: u32) -> Option<u64> {
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    line.split_whitespace().next()?.parse().ok()
}

const REAL_TIME: [&str; 4] = ["real-time", "--policy=rr:10", "--policy=fifo:20", "--duration=2s"];
const FRAME_LOOP: [&str; 9] = [
    "frame-loop",
    "--fps=200",
    "--work=1ms",
    "--wait=os-sleep",
    "--priority=fifo:20",
    "--load-threads=0",
    "--duration=2s",
    "--warm-up=0s",
    "--no-deep-idle",
];

/// Checks every guard while a test measures, and what remains when it has ended.
fn check_guards(place: &Place, way: &Way, args: &[&str]) {
    let mut child = place.start(way, args);
    let mut seen = std::collections::BTreeSet::new();
    let mut limits = std::collections::BTreeSet::new();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let threads = realtime_threads(child.id());
        let measuring = threads.iter().filter(|thread| thread.name.starts_with("measure"));
        most = most.max(measuring.count());
        if !threads.is_empty() {
            limits.extend(realtime_limit(child.id()));
        }
        seen.extend(threads);
        std::thread::sleep(Duration::from_millis(3));
    }
    let (name, _, watchdog) = way;
    println!("{name}: {}: {seen:#?}, limit {limits:?} µs, {most} measuring at once", args[0]);
    assert!(seen.iter().all(|thread| thread.resets_on_fork), "{name}: {seen:?}");
    let is_watchdog = |thread: &&RealtimeThread| thread.name == "watchdog";
    let dogs: Vec<u32> = seen.iter().filter(is_watchdog).map(|thread| thread.priority).collect();
    assert_eq!(dogs, [*watchdog], "{name}");
    let measured = seen.iter().filter(|thread| thread.name.starts_with("measure"));
    let priorities: Vec<u32> = measured.map(|thread| thread.priority).collect();
    assert!(priorities.contains(&20) && priorities.iter().all(|one| *one <= 20), "{priorities:?}");
    assert_eq!(limits.first(), Some(&200_000), "{name}: the kernel's limit is set");
    assert_eq!(most, 1, "{name}: all other CPUs stay free of real-time threads");
    assert_eq!(threads(child.id()), [], "{name}: no thread remains");
    let run = saved(&place.runs());
    let applied: Vec<_> = run.trials.iter().filter_map(|trial| trial.applied.as_ref()).collect();
    let raised: Vec<_> =
        applied.iter().filter(|applied| applied.effective.policy.is_realtime()).collect();
    assert!(!raised.is_empty(), "{name}: {applied:?}");
    fs::remove_dir_all(place.runs()).unwrap();
    fs::create_dir(place.runs()).unwrap();
    fs::set_permissions(place.runs(), fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn guards_hold_for_nobody_with_one_right_or_a_limit() {
    if !grants_realtime() || platform::usable_cpus().len() < 2 {
        return;
    }
    for way in ways() {
        let Some(place) = Place::new(&way) else { continue };
        check_guards(&place, &way, &REAL_TIME);
        check_guards(&place, &way, &FRAME_LOOP);
        // A thread that never sleeps loses its priority, and the run says so.
        let mut child = place.start(&way, &RUNAWAY);
        child.wait().unwrap();
        let run = saved(&place.runs());
        let applied = run.trials[0].applied.as_ref().unwrap();
        println!("{}: runaway: {:?} at the end", way.0, applied.policy_at_end);
        assert!(
            applied.effective.policy.is_realtime() && applied.demoted,
            "{}: {applied:?}",
            way.0
        );
        assert!(applied.policy_at_end.is_some_and(|policy| !policy.is_realtime()), "{}", way.0);
        // Nothing remains of a program that is killed.
        let mut child = place.start(&way, &FRAME_LOOP);
        while realtime_threads(child.id()).is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(threads(child.id()), [], "{}", way.0);
    }
}

#[test]
fn nobody_with_one_cpu_gets_no_real_time_thread() {
    if !grants_realtime() {
        return;
    }
    let cpu = platform::usable_cpus()[0].to_string();
    for way in ways() {
        let Some(place) = Place::new(&way) else { continue };
        let mut command = place.command(&way, &["taskset", "-c", &cpu]);
        let Ok(output) = command.args(FRAME_LOOP).arg("--quiet").output() else {
            println!("skipped: no taskset");
            return;
        };
        assert!(output.status.success(), "{}: {output:?}", way.0);
        let run = saved(&place.runs());
        let applied = run.trials[0].applied.as_ref().unwrap();
        assert!(!applied.effective.policy.is_realtime(), "{}: {applied:?}", way.0);
        let words: Vec<String> = applied.refusals.iter().map(ToString::to_string).collect();
        println!("{}: {words:?}", way.0);
        assert!(words.iter().any(|word| word.contains("one CPU always stays free")), "{words:?}");
    }
}
