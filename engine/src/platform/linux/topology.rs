//! Logical CPUs, their cores and kinds, and the last-level cache, from `/sys`.

use std::fs;
use std::sync::OnceLock;

use super::super::cpu::{CoreKind, Cpu};
use super::super::parse;
use super::read;

const ONLINE: &str = "/sys/devices/system/cpu/online";

/// Returns every online logical CPU. Reads the CPUs from the system only once.
pub fn cpus() -> Vec<Cpu> {
    static CPUS: OnceLock<Vec<Cpu>> = OnceLock::new();
    CPUS.get_or_init(|| read_cpus(&read)).clone()
}

/// Returns the CPUs that are online now; none if the system does not report them.
pub(super) fn online_cpus() -> Vec<u32> {
    parse::cpu_list(&read(ONLINE).unwrap_or_default())
}

/// Returns the CPUs that the files of the system list; `read` returns the text of a file.
fn read_cpus(read: &dyn Fn(&str) -> Option<String>) -> Vec<Cpu> {
    let logical = parse::cpu_list(&read(ONLINE).unwrap_or_default());
    let file = |cpu: u32, file: &str| read(&format!("/sys/devices/system/cpu/cpu{cpu}/{file}"));
    let number = |cpu: u32, name: &str| -> Option<u64> { file(cpu, name)?.parse().ok() };
    let small = |cpu, name: &str| number(cpu, name).and_then(|value| u32::try_from(value).ok());
    let core = |cpu| {
        // On Arm, `core_id` starts at 0 in each cluster of cores: the first CPU of the core identifies it.
        let siblings = file(cpu, "topology/thread_siblings_list").unwrap_or_default();
        parse::cpu_list(&siblings).into_iter().min().or_else(|| small(cpu, "topology/core_id"))
    };
    let kinds = kinds(&logical, read, &number);
    logical
        .iter()
        .zip(kinds)
        .map(|(&cpu, kind)| Cpu {
            logical: cpu,
            core: core(cpu),
            package: small(cpu, "topology/physical_package_id"),
            kind,
            most_khz: number(cpu, "cpufreq/cpuinfo_max_freq"),
        })
        .collect()
}

/// Returns the kind of each CPU. The kinds follow from the lists of E-cores and low-power E-cores on Intel
/// hybrids, from the capacities of the CPUs on ARM, and elsewhere from their highest frequencies.
fn kinds(
    logical: &[u32],
    read: &dyn Fn(&str) -> Option<String>,
    number: &dyn Fn(u32, &str) -> Option<u64>,
) -> Vec<CoreKind> {
    let listed = |name| read(&format!("/sys/devices/{name}/cpus")).unwrap_or_default();
    let frugal = ["cpu_atom", "cpu_lowpower"].map(|name| parse::cpu_list(&listed(name))).concat();
    if !frugal.is_empty() {
        let kind = |cpu: &u32| kind_of(!frugal.contains(cpu));
        return logical.iter().map(kind).collect();
    }
    for file in ["cpu_capacity", "cpufreq/cpuinfo_max_freq"] {
        let measures: Vec<Option<u64>> = logical.iter().map(|&cpu| number(cpu, file)).collect();
        if let Some(fast) = parse::fast_cores(&measures) {
            return fast.into_iter().map(kind_of).collect();
        }
    }
    vec![CoreKind::Uniform; logical.len()]
}

const fn kind_of(is_fast: bool) -> CoreKind {
    if is_fast { CoreKind::Performance } else { CoreKind::Efficiency }
}

/// Returns the size of the largest cache of CPU 0, in bytes.
pub fn last_cache_bytes() -> Option<u64> {
    let caches = fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    caches
        .filter_map(Result::ok)
        .filter_map(|cache| {
            let size = fs::read_to_string(cache.path().join("size")).ok()?;
            parse::cache_bytes(&size)
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the CPUs of a system with 8 CPUs and these other files.
    fn cpus_of(file: impl Fn(&str) -> Option<String>) -> Vec<Cpu> {
        read_cpus(&|path| match path.strip_prefix("/sys/devices/")? {
            "system/cpu/online" => Some("0-7".to_owned()),
            path => file(path),
        })
    }

    #[test]
    fn cores_of_two_clusters_of_arm_are_different_cores() {
        // An RK3588: the numbers of the cores start at 0 in each cluster, and all are in package 0.
        let cpus = cpus_of(|path| {
            let (cpu, file) = path.strip_prefix("system/cpu/cpu")?.split_once('/')?;
            let cpu: u32 = cpu.parse().unwrap();
            match file {
                "topology/core_id" => Some((cpu % 4).to_string()),
                "topology/thread_siblings_list" => Some(cpu.to_string()),
                "topology/physical_package_id" => Some("0".to_owned()),
                _ => None,
            }
        });
        let cores: Vec<Option<u32>> = cpus.iter().map(|cpu| cpu.core).collect();
        assert_eq!(cores, (0..8).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn low_power_cores_are_e_cores() {
        let cpus = cpus_of(|path| match path {
            "cpu_atom/cpus" => Some("2-5".to_owned()),
            "cpu_lowpower/cpus" => Some("6-7".to_owned()),
            _ => None,
        });
        let fast = cpus.iter().filter(|cpu| cpu.kind == CoreKind::Performance);
        assert_eq!(fast.map(|cpu| cpu.logical).collect::<Vec<_>>(), [0, 1]);
    }
}
