//! What the control group of this process limits: CPU time, CPUs, real-time bandwidth.

use super::super::CpuQuota;
use super::super::parse::{self, detail as parsed};
use super::read;
use crate::nanos::Nanos;

/// Where the CPU controller of version 1 is mounted, under one of its names.
const FIRST_VERSION: [&str; 2] = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"];
/// Where version 2 is mounted, alone or next to version 1.
const SECOND_VERSION: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/// Folders of the control group of a controller and of those above it, the innermost first.
fn folders(roots: &[&str], controller: &str) -> Vec<String> {
    let own = read("/proc/self/cgroup").unwrap_or_default();
    let Some(path) = parsed::group_of(&own, controller) else { return Vec::new() };
    let below = |root: &&str| -> Vec<String> {
        parsed::group_and_ancestors(path).map(|path| format!("{root}{path}")).collect()
    };
    roots.iter().flat_map(below).collect()
}

/// The tightest quota on CPU time, of this group or one above it; `None` where there is none.
pub fn cpu_quota() -> Option<CpuQuota> {
    let of_first = |folder: String| {
        let [quota, period] =
            ["cpu.cfs_quota_us", "cpu.cfs_period_us"].map(|file| read(&format!("{folder}/{file}")));
        Some((format!("{} {}", quota?, period?), folder))
    };
    let of_second = |folder: String| Some((read(&format!("{folder}/cpu.max"))?, folder));
    let first = folders(&FIRST_VERSION, "cpu").into_iter().filter_map(of_first);
    let second = folders(&SECOND_VERSION, "").into_iter().filter_map(of_second);
    let (percent, folder) = first
        .chain(second)
        .filter_map(|(text, folder)| Some((parsed::quota_percent(&text)?, folder)))
        .min_by_key(|(percent, _)| *percent)?;
    let stat = read(&format!("{folder}/cpu.stat")).unwrap_or_default();
    Some(CpuQuota { percent, throttled: parsed::throttled_nanos(&stat).map(Nanos::new) })
}

/// Periods in which the tightest quota throttled this group or one above it; absent without a quota.
pub(super) fn throttled_periods() -> Option<u64> {
    let folders = [folders(&FIRST_VERSION, "cpu"), folders(&SECOND_VERSION, "")].concat();
    let stats = folders.iter().filter_map(|folder| read(&format!("{folder}/cpu.stat")));
    stats.filter_map(|stat| parse::activity::throttled_periods(&stat)).max()
}

/// The CPUs of the control group, or `None` without a restriction.
pub fn cpu_set() -> Option<Vec<u32>> {
    let first = folders(&["/sys/fs/cgroup/cpuset"], "cpuset")
        .into_iter()
        .map(|folder| format!("{folder}/cpuset.effective_cpus"));
    let second = folders(&SECOND_VERSION, "")
        .into_iter()
        .map(|folder| format!("{folder}/cpuset.cpus.effective"));
    let text = first.chain(second).find_map(|path| read(&path))?;
    Some(parse::cpu_list(&text)).filter(|cpus| !cpus.is_empty())
}

/// The CPUs of the control group where the scheduler balances it apart from others (`cpuset.cpus.partition`).
pub(super) fn partition_cpus() -> Option<Vec<u32>> {
    let folder = folders(&SECOND_VERSION, "").into_iter().find(|folder| {
        let partition = read(&format!("{folder}/cpuset.cpus.partition"));
        matches!(partition.as_deref(), Some("root" | "isolated"))
    })?;
    let cpus = parse::cpu_list(&read(&format!("{folder}/cpuset.cpus.effective"))?);
    Some(cpus).filter(|cpus| !cpus.is_empty())
}

/// Whether the control group gives no time to real-time threads, regardless of privileges.
pub(super) fn has_no_realtime_bandwidth() -> bool {
    let own = folders(&FIRST_VERSION, "cpu");
    let runtime = own.iter().find_map(|folder| read(&format!("{folder}/cpu.rt_runtime_us")));
    runtime.as_deref() == Some("0")
}
