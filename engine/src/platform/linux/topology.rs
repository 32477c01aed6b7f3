//! Logical CPUs, their cores and kinds, and the last-level cache, from `/sys`.

use std::fs;
use std::sync::OnceLock;

use super::super::cpu::{CoreKind, Cpu};
use super::super::parse;
use super::read;

/// Returns every online logical CPU. Reads the CPUs from the system only once.
pub fn cpus() -> Vec<Cpu> {
    static CPUS: OnceLock<Vec<Cpu>> = OnceLock::new();
    CPUS.get_or_init(read_cpus).clone()
}

fn read_cpus() -> Vec<Cpu> {
    let online = read("/sys/devices/system/cpu/online").unwrap_or_default();
    let logical = parse::cpu_list(&online);
    let number = |cpu: u32, file: &str| -> Option<u64> {
        read(&format!("/sys/devices/system/cpu/cpu{cpu}/{file}"))?.parse().ok()
    };
    let small = |cpu, file: &str| number(cpu, file).and_then(|value| u32::try_from(value).ok());
    let kinds = kinds(&logical, &number);
    logical
        .iter()
        .zip(kinds)
        .map(|(&cpu, kind)| Cpu {
            logical: cpu,
            core: small(cpu, "topology/core_id"),
            package: small(cpu, "topology/physical_package_id"),
            kind,
            most_khz: number(cpu, "cpufreq/cpuinfo_max_freq"),
        })
        .collect()
}

/// Returns the kind of each CPU. The kinds follow from the list of E-cores on Intel hybrids, from
/// the capacities of the CPUs on ARM, and elsewhere from their highest frequencies.
fn kinds(logical: &[u32], number: &dyn Fn(u32, &str) -> Option<u64>) -> Vec<CoreKind> {
    let listed =
        |name: &str| read(&format!("/sys/devices/{name}/cpus")).map(|text| parse::cpu_list(&text));
    if let Some(frugal) = listed("cpu_atom").filter(|frugal| !frugal.is_empty()) {
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
