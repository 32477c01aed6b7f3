//! Limits on CPUs and CPU time, set by a control group or `taskset`: plans respect them, and results show
//! them. System calls that a filter refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform;
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, Store};

use crate::cli::program;

/// A short frame loop without load, which works for about 80% of each frame.
const SHORT: [&str; 8] = [
    "frame-loop",
    "--fps=100",
    "--work=8ms",
    "--wait=os-sleep",
    "--load-threads=0",
    "--duration=1s",
    "--warm-up=0s",
    "--quiet",
];

/// Runs the program through a shell command that ends in `exec "$@"`; `None` if it did not start.
fn measured(shell: &str, args: &[&str]) -> Option<Run> {
    let runs = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", shell, "sh"])
        .arg(program())
        .arg("--data-dir")
        .arg(runs.path())
        .args(args)
        .output()
        .ok()?;
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    store::load(&Store::at(runs.path()).lines().unwrap().pop()?.path).ok()
}

/// A control group of cgroup version 1; removed on drop.
struct Group(PathBuf);

impl Group {
    /// Creates a group; `None` if this user lacks the permission or the system has no cgroup version 1.
    fn new(controller: &str, name: &str) -> Option<Self> {
        let folder = Path::new("/sys/fs/cgroup").join(controller).join(name);
        fs::create_dir(&folder).ok()?;
        Some(Self(folder))
    }

    fn set(&self, file: &str, value: &str) {
        fs::write(self.0.join(file), value).unwrap();
    }

    fn shell(&self) -> String {
        format!("echo $$ > '{}/cgroup.procs' && exec \"$@\"", self.0.display())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        fs::remove_dir(&self.0).ok();
    }
}

#[test]
fn a_quota_is_a_warning_with_its_throttled_time_and_names_a_denial_of_real_time() {
    let name = format!("jitterscope-quota-{}", std::process::id());
    let Some(group) = Group::new("cpu", &name) else {
        println!("skipped: no control group of version 1 can be made here");
        return;
    };
    group.set("cpu.cfs_period_us", "100000");
    group.set("cpu.cfs_quota_us", "10000");
    let mut args = SHORT.to_vec();
    args.push("--priority=fifo:10");
    let run = measured(&group.shell(), &args).unwrap();
    let limits = &run.health.limits;
    println!("{limits:?}");
    assert_eq!((limits.quota_percent, limits.quota_began), (Some(10), None));
    assert!(limits.throttled.is_some_and(|throttled| Nanos::ZERO < throttled));
    let cautions: Vec<String> =
        Report::of(&run, &Options::default()).cautions.iter().map(ToString::to_string).collect();
    assert!(
        cautions
            .iter()
            .any(|caution| caution.starts_with("A CPU quota limited this program to 10%")),
        "{cautions:?}"
    );
    // If the kernel divides real-time bandwidth among groups, a new group has none.
    let bandwidth = fs::read_to_string(group.0.join("cpu.rt_runtime_us")).unwrap_or_default();
    if bandwidth.trim() == "0" && platform::usable_cpus().len() > 1 {
        let applied = run.trials[0].applied.as_ref().unwrap();
        assert!(applied.refusals[0].reason.contains("no real-time bandwidth"), "{applied:?}");
    }
}

#[test]
fn a_program_on_one_cpu_plans_for_one_cpu() {
    let cpu = platform::usable_cpus().last().copied().unwrap();
    let on_one = format!("exec taskset -c {cpu} \"$@\"");
    let mut args = SHORT.to_vec();
    args.push("--priority=fifo:10");
    let Some(run) = measured(&on_one, &args) else {
        println!("skipped: no taskset");
        return;
    };
    let applied = run.trials[0].applied.as_ref().unwrap();
    assert_eq!(applied.effective.cpus, [cpu]);
    assert!(!applied.effective.policy.is_realtime(), "{applied:?}");
    assert_eq!(applied.refusals[0].call, "safety");
    assert!(run.machine.physical_cores.is_none_or(|cores| cores == 1), "{:?}", run.machine);
    let gaps = measured(&on_one, &["scheduling-gaps", "--duration=1s", "--quiet"]).unwrap();
    assert_eq!(gaps.trials.len(), 1, "one probe for each usable CPU");
}

/// Returns an error in words where a filter of the process refuses a call without which the standard library panics.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn refused(call: libc::c_long, error: i32) -> (Option<i32>, String) {
    use std::os::unix::process::CommandExt as _;

    let step = |code: u32, equal: u8, other: u8, value: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: equal,
        jf: other,
        k: value,
    };
    let (load, is_equal, end) = (
        libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
        libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
        libc::BPF_RET | libc::BPF_K,
    );
    let refusal = libc::SECCOMP_RET_ERRNO | u32::try_from(error).unwrap();
    // The number of a call is at the start of what the filter reads.
    let mut steps = [
        step(load, 0, 0, 0),
        step(is_equal, 0, 1, u32::try_from(call).unwrap()),
        step(end, 0, 0, refusal),
        step(end, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let refuse = move || {
        let filter = libc::sock_fprog { len: 4, filter: steps.as_mut_ptr() };
        // SAFETY: prctl takes numbers.
        unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        // SAFETY: `filter` is valid for the length of the call.
        let code = unsafe {
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter)
        };
        if code == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    let mut command = Command::new(program());
    command.args(["frame-loop", "--preset", "quick", "--duration", "200ms", "--warm-up", "0s"]);
    // SAFETY: the closure makes system calls only.
    unsafe { command.pre_exec(refuse) };
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn calls_without_which_nothing_works_are_named_where_a_filter_refuses_them() {
    for (call, name, error) in [
        (libc::SYS_clock_nanosleep, "clock_nanosleep", libc::EPERM),
        (libc::SYS_clock_nanosleep, "clock_nanosleep", libc::ENOSYS),
        (libc::SYS_getrandom, "getrandom", libc::ENOMEM),
    ] {
        let (code, words) = refused(call, error);
        assert_eq!(code, Some(1), "{name}: {words}");
        assert!(
            words.starts_with(&format!("error: this system refuses the call {name} (")),
            "{words}"
        );
        assert!(words.contains("seccomp") && words.lines().count() == 1, "{words}");
    }
}
