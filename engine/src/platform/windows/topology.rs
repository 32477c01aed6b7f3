//! Logical CPUs, their cores and kinds, and the last-level cache.

use std::sync::OnceLock;

use windows_sys::Win32::System::SystemInformation::{
    GetLogicalProcessorInformationEx, RelationAll, RelationCache, RelationProcessorCore,
    RelationProcessorPackage,
};

use super::super::cpu::{CoreKind, Cpu};
use super::super::detail::{Cache, SystemDetail};
use super::super::usable_cpus;

/// Max number of CPUs in a processor group. The number of a CPU is the number of its group times
/// `GROUP_SIZE`, plus the number of the CPU in the group.
pub(super) const GROUP_SIZE: u32 = 64;

/// One core as the system reports it: its efficiency class and its logical CPUs.
struct TopologyCore {
    class: u8,
    logical: Vec<u32>,
}

struct Topology {
    cores: Vec<TopologyCore>,
    /// The logical CPUs of each package.
    packages: Vec<Vec<u32>>,
    caches: Vec<Cache>,
}

/// Returns the cores and caches of the system. Only the first call reads the list from the system.
fn topology() -> &'static Topology {
    static TOPOLOGY: OnceLock<Topology> = OnceLock::new();
    TOPOLOGY.get_or_init(|| parse(&raw_list()))
}

#[expect(unsafe_code, reason = "only the system reports it")]
fn raw_list() -> Vec<u8> {
    let mut bytes = 0_u32;
    // SAFETY: without a buffer, the call only returns the required size.
    unsafe { GetLogicalProcessorInformationEx(RelationAll, std::ptr::null_mut(), &raw mut bytes) };
    // The buffer is allocated in units of eight bytes, so that the system's structures are aligned.
    let mut buffer = vec![0_u64; usize::try_from(bytes).unwrap_or(0).div_ceil(8)];
    let place = buffer.as_mut_ptr().cast();
    // SAFETY: `place` holds at least `bytes` bytes and is aligned for the structures written there.
    let is_reported =
        unsafe { GetLogicalProcessorInformationEx(RelationAll, place, &raw mut bytes) };
    if is_reported == 0 {
        return Vec::new();
    }
    let mut list: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    list.truncate(usize::try_from(bytes).unwrap_or(0));
    list
}

/// Parses the system's list of cores and caches: each entry begins with its kind and its length in bytes.
fn parse(list: &[u8]) -> Topology {
    let mut found = Topology { cores: Vec::new(), packages: Vec::new(), caches: Vec::new() };
    let mut rest = list;
    let word = |bytes: &[u8], at: usize| -> Option<u32> {
        Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    while let (Some(kind), Some(length)) = (word(rest, 0), word(rest, 4)) {
        let length = usize::try_from(length).unwrap_or(0);
        let Some(entry) = rest.get(..length).filter(|_| 8 <= length) else { break };
        let kind = i32::try_from(kind).unwrap_or(-1);
        if kind == RelationProcessorCore {
            // Byte 8 holds flags, byte 9 the efficiency class: a higher class means a faster core.
            if let Some(&class) = entry.get(9) {
                found.cores.push(TopologyCore { class, logical: group_cpus(entry) });
            }
        } else if kind == RelationProcessorPackage {
            found.packages.push(group_cpus(entry));
        } else if kind == RelationCache {
            found.caches.extend(cache(entry));
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// Parses the CPUs of a core or a package. The number of groups is at byte 30. From byte 32 on, each
/// group has 16 bytes.
fn group_cpus(entry: &[u8]) -> Vec<u32> {
    let count = entry.get(30..32).and_then(|count| count.try_into().ok()).map(u16::from_ne_bytes);
    let groups = entry.get(32..).unwrap_or_default().chunks_exact(16);
    groups.take(usize::from(count.unwrap_or(0))).filter_map(cpus_in).flatten().collect()
}

/// Parses the CPUs in one group: their mask, and the number of the group at byte 8.
fn cpus_in(group: &[u8]) -> Option<Vec<u32>> {
    let mask = u64::from_ne_bytes(*group.first_chunk()?);
    let base = u32::from(u16::from_ne_bytes(group.get(8..10)?.try_into().ok()?)) * GROUP_SIZE;
    Some((0..GROUP_SIZE).filter(|bit| mask >> bit & 1 == 1).map(|bit| base + bit).collect())
}

/// Parses a cache. Its level is at byte 8, its size in bytes at 12, its kind at 16, and its CPUs are at 40.
fn cache(entry: &[u8]) -> Option<Cache> {
    let kind = match u32::from_ne_bytes(entry.get(16..20)?.try_into().ok()?) {
        0 => "Unified",
        1 => "Instruction",
        2 => "Data",
        _ => return None,
    };
    Some(Cache {
        level: *entry.get(8)?,
        kind: kind.to_owned(),
        bytes: u64::from(u32::from_ne_bytes(entry.get(12..16)?.try_into().ok()?)),
        cpus: cpus_in(entry.get(40..)?)?,
    })
}

/// Returns the numbers of the logical CPUs of all groups.
pub(super) fn logical_cpus() -> Vec<u32> {
    topology().cores.iter().flat_map(|core| core.logical.iter().copied()).collect()
}

/// Returns all caches, each once, those closest to the core first.
fn caches() -> Vec<Cache> {
    let mut caches = topology().caches.clone();
    caches.sort();
    caches.dedup();
    caches
}

/// Whether any core has more than one logical CPU; `None` if the system reports no cores.
fn has_smt() -> Option<bool> {
    let cores = &topology().cores;
    (!cores.is_empty()).then(|| cores.iter().any(|core| 1 < core.logical.len()))
}

/// Reads the caches, and whether cores have several logical CPUs (SMT).
pub fn system_detail() -> SystemDetail {
    SystemDetail { caches: caches(), smt: has_smt(), ..SystemDetail::default() }
}

/// Returns every logical CPU; if the system reports no cores, only the CPUs that this process may use.
pub fn cpus() -> Vec<Cpu> {
    let Topology { cores, packages, .. } = topology();
    let package_of = |cpu: u32| packages.iter().position(|package| package.contains(&cpu));
    let most = cores.iter().map(|core| core.class).max().unwrap_or(0);
    let min = cores.iter().map(|core| core.class).min().unwrap_or(0);
    let mut cpus: Vec<Cpu> = Vec::new();
    for (core, number) in cores.iter().zip(0..) {
        let kind = match core.class {
            _ if most == min => CoreKind::Uniform,
            class if class == most => CoreKind::Performance,
            _ => CoreKind::Efficiency,
        };
        cpus.extend(core.logical.iter().map(|&logical| Cpu {
            logical,
            core: Some(number),
            package: package_of(logical).and_then(|package| u32::try_from(package).ok()),
            kind,
            most_khz: None,
        }));
    }
    if cpus.is_empty() {
        let plain = |logical| Cpu { logical, ..Cpu::default() };
        return usable_cpus().into_iter().map(plain).collect();
    }
    cpus.sort_by_key(|cpu| cpu.logical);
    cpus
}

/// Returns the size of the largest cache in bytes; `None` if the system reports no cache.
pub fn last_cache_bytes() -> Option<u64> {
    topology().caches.iter().map(|cache| cache.bytes).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_list_is_read_as_far_as_it_goes() {
        assert!(parse(&[]).cores.is_empty());
        assert!(parse(&[0; 64]).cores.is_empty());
        assert!(parse(&[255; 64]).cores.is_empty());
    }

    #[test]
    fn a_core_has_its_cpus_in_its_own_group() {
        // One core with two logical CPUs in group 1. The fields that are not 0: length, class, number of groups,
        // mask, group.
        let mut entry = [0_u8; 48];
        entry[4] = 48;
        entry[9] = 1;
        entry[30] = 1;
        entry[32] = 0b1100;
        entry[40] = 1;
        let found = parse(&entry);
        assert_eq!(found.cores.len(), 1);
        assert_eq!(
            (found.cores[0].class, found.cores[0].logical.as_slice()),
            (1, [66, 67].as_slice())
        );
    }

    #[test]
    fn every_usable_cpu_is_listed() {
        let listed: Vec<u32> = cpus().iter().map(|cpu| cpu.logical).collect();
        assert!(usable_cpus().iter().all(|cpu| listed.contains(cpu)), "{listed:?}");
    }
}
