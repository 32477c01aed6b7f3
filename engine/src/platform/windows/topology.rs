//! Logical CPUs, their cores and kinds, and the last-level cache.

use std::sync::OnceLock;

use windows_sys::Win32::System::SystemInformation::{
    GetLogicalProcessorInformationEx, RelationAll, RelationCache, RelationProcessorCore,
};

use super::super::cpu::{CoreKind, Cpu};
use super::super::detail::Cache;
use super::super::usable_cpus;

/// One core as the system reports it: its efficiency class and its logical CPUs of the first group.
struct Core {
    class: u8,
    logical: Vec<u32>,
}

struct Topology {
    cores: Vec<Core>,
    caches: Vec<Cache>,
    last_cache_bytes: Option<u64>,
}

/// The system's own list of cores and caches; read once.
fn topology() -> &'static Topology {
    static TOPOLOGY: OnceLock<Topology> = OnceLock::new();
    TOPOLOGY.get_or_init(|| parse(&raw_list()))
}

#[expect(unsafe_code, reason = "only the system reports it")]
fn raw_list() -> Vec<u8> {
    let mut bytes = 0_u32;
    // SAFETY: without a buffer the call only returns the size that one needs.
    unsafe { GetLogicalProcessorInformationEx(RelationAll, std::ptr::null_mut(), &raw mut bytes) };
    // Eight bytes at a time, so that the system's structures are aligned.
    let mut buffer = vec![0_u64; usize::try_from(bytes).unwrap_or(0).div_ceil(8)];
    let place = buffer.as_mut_ptr().cast();
    // SAFETY: `place` holds at least `bytes` bytes and is aligned for the structures written there.
    let is_told = unsafe { GetLogicalProcessorInformationEx(RelationAll, place, &raw mut bytes) };
    if is_told == 0 {
        return Vec::new();
    }
    let mut list: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    list.truncate(usize::try_from(bytes).unwrap_or(0));
    list
}

/// Parses the list: each entry begins with its kind and its length.
fn parse(list: &[u8]) -> Topology {
    let mut found = Topology { cores: Vec::new(), caches: Vec::new(), last_cache_bytes: None };
    let mut rest = list;
    let word = |bytes: &[u8], at: usize| -> Option<u32> {
        Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    while let (Some(kind), Some(length)) = (word(rest, 0), word(rest, 4)) {
        let length = usize::try_from(length).unwrap_or(0);
        let Some(entry) = rest.get(..length).filter(|_| 8 <= length) else { break };
        let kind = i32::try_from(kind).unwrap_or(-1);
        if kind == RelationProcessorCore {
            // Flags at 8, efficiency class at 9, the first group's mask at 32, its number at 40.
            let mask =
                entry.get(32..40).and_then(|mask| Some(u64::from_ne_bytes(mask.try_into().ok()?)));
            let group = entry
                .get(40..42)
                .and_then(|group| Some(u16::from_ne_bytes(group.try_into().ok()?)));
            if let (Some(class), Some(mask), Some(group)) = (entry.get(9), mask, group) {
                let base = u32::from(group) * 64;
                let logical = (0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| base + bit);
                found.cores.push(Core { class: *class, logical: logical.collect() });
            }
        } else if kind == RelationCache {
            // Level at 8, size in bytes at 12.
            let size = word(entry, 12).map(u64::from);
            found.last_cache_bytes = found.last_cache_bytes.max(size);
            found.caches.extend(cache(entry));
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// A cache: level at 8, size at 12, kind at 16, the mask of its CPUs at 40, their group at 48.
fn cache(entry: &[u8]) -> Option<Cache> {
    let kind = match u32::from_ne_bytes(entry.get(16..20)?.try_into().ok()?) {
        0 => "Unified",
        1 => "Instruction",
        2 => "Data",
        _ => return None,
    };
    let mask = u64::from_ne_bytes(entry.get(40..48)?.try_into().ok()?);
    let base = u32::from(u16::from_ne_bytes(entry.get(48..50)?.try_into().ok()?)) * 64;
    Some(Cache {
        level: *entry.get(8)?,
        kind: kind.to_owned(),
        bytes: u64::from(u32::from_ne_bytes(entry.get(12..16)?.try_into().ok()?)),
        cpus: (0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| base + bit).collect(),
    })
}

/// All caches, each once, the closest first.
pub(super) fn caches() -> Vec<Cache> {
    let mut caches = topology().caches.clone();
    caches.sort();
    caches.dedup();
    caches
}

/// Whether a core has more than one logical CPU.
pub(super) fn has_smt() -> Option<bool> {
    let cores = &topology().cores;
    (!cores.is_empty()).then(|| cores.iter().any(|core| 1 < core.logical.len()))
}

/// Every logical CPU; those that this process may use if the system reports no more.
pub fn cpus() -> Vec<Cpu> {
    let cores = &topology().cores;
    let most = cores.iter().map(|core| core.class).max().unwrap_or(0);
    let least = cores.iter().map(|core| core.class).min().unwrap_or(0);
    let mut cpus: Vec<Cpu> = Vec::new();
    for (core, number) in cores.iter().zip(0..) {
        let kind = match core.class {
            _ if most == least => CoreKind::Uniform,
            class if class == most => CoreKind::Performance,
            _ => CoreKind::Efficiency,
        };
        cpus.extend(core.logical.iter().map(|&logical| Cpu {
            logical,
            core: Some(number),
            package: Some(0),
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

/// The size of the largest cache.
pub fn last_cache_bytes() -> Option<u64> {
    topology().last_cache_bytes
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
    fn every_usable_cpu_is_listed() {
        let listed: Vec<u32> = cpus().iter().map(|cpu| cpu.logical).collect();
        assert!(usable_cpus().iter().all(|cpu| listed.contains(cpu)), "{listed:?}");
    }
}
