//! Limits on CPUs and CPU time, set by a control group or `taskset`: plans respect them, and results show
//! them.

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
