//! Facts about this machine from `/proc` and `/sys`: caches, clocks, limits, capabilities.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::super::capabilities::Capability;
use super::super::detail::{Cache, RealtimeBandwidth, SystemDetail};
use super::super::parse::{self, detail as parsed};
use super::capabilities::{OWN_FILE, file_capabilities};
use super::topology::cpus;
use super::{cgroup, guard, read};

/// Reads all facts that the system reports; takes a few milliseconds.
pub fn system_detail() -> SystemDetail {
    let status = read("/proc/self/status").unwrap_or_default();
    SystemDetail {
        caches: caches(),
        smt: read("/sys/devices/system/cpu/smt/active").map(|word| word == "1"),
        clock_source: clock_source(),
        governors: governors(),
        boost: boost(),
        preemption: read("/proc/version").as_deref().and_then(parsed::preemption),
        realtime_bandwidth: realtime_bandwidth(),
        rtprio_limit: guard::limit(libc::RLIMIT_RTPRIO),
        min_nice: guard::limit(libc::RLIMIT_NICE).map(|(soft, _)| parsed::min_nice(soft)),
        may_set_priority: parsed::has_capability(&status, Capability::SYS_NICE.number()),
        program: program(),
        file_capabilities: file_capabilities(OWN_FILE.as_ref()),
        container: container(),
        cpu_quota_percent: cgroup::cpu_quota_percent(),
        large_pages: read("/sys/kernel/mm/transparent_hugepage/enabled")
            .as_deref()
            .and_then(parsed::selected_word),
        millicelsius: cpu_millicelsius(),
        microcode: read("/proc/cpuinfo")
            .as_deref()
            .and_then(|text| parsed::cpuinfo(text, "microcode")),
        board: board(),
    }
}

fn program() -> Option<String> {
    Some(std::env::current_exe().ok()?.to_str()?.to_owned())
}

fn caches() -> Vec<Cache> {
    let mut found: Vec<Cache> = Vec::new();
    for cpu in cpus() {
        let folder = format!("/sys/devices/system/cpu/cpu{}/cache", cpu.logical);
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let file = |name: &str| entry.path().join(name).to_str().and_then(read);
            let cache = || {
                Some(Cache {
                    level: file("level")?.parse().ok()?,
                    kind: file("type")?,
                    bytes: parse::cache_bytes(&file("size")?)?,
                    cpus: parse::cpu_list(&file("shared_cpu_list").unwrap_or_default()),
                })
            };
            if let Some(cache) = cache()
                && !found.contains(&cache)
            {
                found.push(cache);
            }
        }
    }
    found.sort();
    found
}

fn clock_source() -> Option<(String, Vec<String>)> {
    let folder = "/sys/devices/system/clocksource/clocksource0";
    let current = read(&format!("{folder}/current_clocksource"))?;
    let available = read(&format!("{folder}/available_clocksource")).unwrap_or_default();
    Some((current, available.split_whitespace().map(ToOwned::to_owned).collect()))
}

fn governors() -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for cpu in cpus() {
        let path = format!("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu.logical);
        if let Some(governor) = read(&path) {
            *counts.entry(governor).or_default() += 1;
        }
    }
    counts.into_iter().collect()
}

fn boost() -> Option<bool> {
    let plain = read("/sys/devices/system/cpu/cpufreq/boost").map(|word| word == "1");
    plain.or_else(|| read("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|word| word == "0"))
}

fn realtime_bandwidth() -> Option<RealtimeBandwidth> {
    let number = |name: &str| read(&format!("/proc/sys/kernel/{name}"))?.parse::<i64>().ok();
    // A negative runtime means no limit: its conversion to an unsigned number results in `None`.
    Some(RealtimeBandwidth {
        runtime_micros: u64::try_from(number("sched_rt_runtime_us")?).ok(),
        period_micros: u64::try_from(number("sched_rt_period_us")?).ok()?,
    })
}

fn container() -> Option<String> {
    let by_file = [("/.dockerenv", "Docker"), ("/run/.containerenv", "Podman")]
        .into_iter()
        .find(|(path, _)| Path::new(path).exists());
    let by_group = || parsed::container(&read("/proc/self/cgroup")?);
    by_file.map(|(_, name)| name).or_else(by_group).map(ToOwned::to_owned)
}

/// Returns the temperature of the hottest processor, in thousandths of a degree Celsius. A processor without a
/// separate sensor has the temperature of its first core.
pub fn cpu_millicelsius() -> Option<i64> {
    let sensors = fs::read_dir("/sys/class/hwmon").ok()?.filter_map(Result::ok);
    let of_processor = sensors.filter(|sensor| {
        let name = sensor.path().join("name").to_str().and_then(read).unwrap_or_default();
        ["coretemp", "k10temp", "zenpower", "cpu_thermal"].contains(&name.as_str())
    });
    // Read one input per sensor: reading the input of a core interrupts that core. If a sensor has no
    // input for the whole processor, its numbers start at 2.
    let input = |sensor: fs::DirEntry| {
        (1..=9).find_map(|number| {
            let file = sensor.path().join(format!("temp{number}_input"));
            file.to_str().and_then(read)?.parse().ok()
        })
    };
    of_processor.filter_map(input).max()
}

/// Returns board and firmware, without serial numbers and asset tags.
fn board() -> Option<String> {
    let file =
        |name: &str| read(&format!("/sys/class/dmi/id/{name}")).filter(|word| !word.is_empty());
    let name = file("board_name").or_else(|| read("/proc/device-tree/model"))?;
    let name = name.trim_end_matches('\0').to_owned();
    Some(match file("bios_version") {
        Some(version) => format!("{name}, firmware {version}"),
        None => name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_by_its_path() {
        assert!(Path::new(&system_detail().program.unwrap()).is_absolute());
    }
}
