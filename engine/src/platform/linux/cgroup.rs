//! Limits of this process's control group: CPU time, CPUs, real-time bandwidth.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use super::super::parse::{self, detail as parsed};
use super::read;
use crate::nanos::Nanos;

/// Possible mount points of the CPU controller of cgroup version 1, which has two names.
const FIRST_VERSION: [&str; 2] = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"];
/// Possible mount points of cgroup version 2, which may be mounted alone or next to version 1.
const SECOND_VERSION: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/// Returns the folders of this process's control group and its ancestors below each of `roots`, the
/// innermost first. `controller` selects the group in version 1; it is empty for version 2, in
/// which one group serves all controllers.
fn folders(roots: &[&str], controller: &str) -> Vec<String> {
    let own = read("/proc/self/cgroup").unwrap_or_default();
    let Some(path) = parsed::group_of(&own, controller) else { return Vec::new() };
    let below = |root: &&str| -> Vec<String> {
        parsed::group_and_ancestors(path).map(|path| format!("{root}{path}")).collect()
    };
    roots.iter().flat_map(below).collect()
}

/// Returns the tightest quota on CPU time of this process's control group and its ancestors, in
/// percent of one CPU; `None` without a quota.
pub fn cpu_quota_percent() -> Option<u32> {
    let of_first = |folder: String| {
        let [quota, period] =
            ["cpu.cfs_quota_us", "cpu.cfs_period_us"].map(|file| read(&format!("{folder}/{file}")));
        Some(format!("{} {}", quota?, period?))
    };
    let of_second = |folder: String| read(&format!("{folder}/cpu.max"));
    let first = folders(&FIRST_VERSION, "cpu").into_iter().filter_map(of_first);
    let second = folders(&SECOND_VERSION, "").into_iter().filter_map(of_second);
    first.chain(second).filter_map(|text| parsed::quota_percent(&text)).min()
}

/// Returns the contents of `cpu.stat` of this process's control group and each of its ancestors.
fn stats() -> impl Iterator<Item = String> {
    stats_in([folders(&FIRST_VERSION, "cpu"), folders(&SECOND_VERSION, "")].concat())
}

/// Returns the contents of `cpu.stat` in these folders. A folder with two names is read once.
fn stats_in(folders: Vec<String>) -> impl Iterator<Item = String> {
    let mut seen = BTreeSet::new();
    folders.into_iter().filter_map(move |folder| {
        let found = fs::metadata(&folder).ok()?;
        seen.insert((found.dev(), found.ino())).then(|| read(&format!("{folder}/cpu.stat")))?
    })
}

/// Returns how long this process's control group and each of its ancestors were throttled so far,
/// always in the same order.
pub fn throttled_times() -> Vec<Nanos> {
    stats().filter_map(|stat| parsed::throttled_nanos(&stat)).map(Nanos::new).collect()
}

/// Returns in how many periods this process's control group and its ancestors were throttled: the sum
/// of these groups. `None` if no group reports it.
pub(super) fn throttled_periods() -> Option<u64> {
    periods_of(stats())
}

fn periods_of(stats: impl Iterator<Item = String>) -> Option<u64> {
    let each = stats.filter_map(|stat| parse::activity::throttled_periods(&stat));
    each.reduce(u64::saturating_add)
}

/// Returns the CPUs that this process's control group allows; `None` if the system does not report them.
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

/// Returns the CPUs of the separate scheduling partition (`cpuset.cpus.partition`) to which this
/// process's control group belongs; `None` without such a partition.
pub(super) fn partition_cpus() -> Option<Vec<u32>> {
    let folder = folders(&SECOND_VERSION, "").into_iter().find(|folder| {
        let partition = read(&format!("{folder}/cpuset.cpus.partition"));
        matches!(partition.as_deref(), Some("root" | "isolated"))
    })?;
    let cpus = parse::cpu_list(&read(&format!("{folder}/cpuset.cpus.effective"))?);
    Some(cpus).filter(|cpus| !cpus.is_empty())
}

/// Whether the control group has no CPU time for real-time threads, whatever their privileges.
pub(super) fn has_no_realtime_bandwidth() -> bool {
    let own = folders(&FIRST_VERSION, "cpu");
    let runtime = own.iter().find_map(|folder| read(&format!("{folder}/cpu.rt_runtime_us")));
    runtime.as_deref() == Some("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttled_periods_of_all_groups_are_added_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for (name, stat) in [("a", "nr_throttled 900\n"), ("a/b", "nr_throttled 4\n")] {
            fs::create_dir(path(name)).unwrap();
            fs::write(path(name) + "/cpu.stat", stat).unwrap();
        }
        std::os::unix::fs::symlink(path("a"), path("second name")).unwrap();
        let groups = ["a/b", "a", "second name/b", "second name", "absent"].map(path).to_vec();
        assert_eq!(periods_of(stats_in(groups)), Some(904));
        assert_eq!(periods_of(stats_in(Vec::new())), None);
    }
}
