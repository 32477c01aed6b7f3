//! Logical CPUs, their kinds by performance level, and the caches, through `sysctl`.

use std::ffi::CString;

use super::super::cpu::{CoreKind, Cpu};
use super::super::detail::{Cache, SystemDetail};

/// Returns the number that `sysctl` reports under a name; `None` if there is no such number.
#[expect(unsafe_code, reason = "only the system reports it")]
pub(super) fn number(name: &str) -> Option<u64> {
    let name = CString::new(name).ok()?;
    let mut value = [0_u8; 8];
    let mut bytes = value.len();
    // SAFETY: the name ends in a zero, and `value` holds `bytes` bytes.
    let code = unsafe {
        libc::sysctlbyname(
            name.as_ptr(),
            value.as_mut_ptr().cast(),
            &raw mut bytes,
            std::ptr::null_mut(),
            0,
        )
    };
    // Four or eight bytes; every Mac is little-endian.
    (code == 0 && (bytes == 4 || bytes == 8)).then(|| u64::from_le_bytes(value))
}

fn small(name: &str) -> Option<u32> {
    u32::try_from(number(name)?).ok()
}

/// Returns every logical CPU. Performance level 0 is the fastest; its CPUs have the highest numbers.
pub fn cpus() -> Vec<Cpu> {
    let all = small("hw.logicalcpu").unwrap_or(1);
    let fast = match small("hw.nperflevels") {
        Some(2..) => small("hw.perflevel0.logicalcpu"),
        _ => None,
    };
    let cores = small("hw.physicalcpu").unwrap_or(all).max(1);
    let threads = (all / cores).max(1);
    (0..all)
        .map(|logical| Cpu {
            logical,
            core: Some(logical / threads),
            package: Some(0),
            kind: match fast {
                None => CoreKind::Uniform,
                Some(fast) if all - fast.min(all) <= logical => CoreKind::Performance,
                Some(_) => CoreKind::Efficiency,
            },
            most_khz: None,
        })
        .collect()
}

/// Returns the size of the last-level cache, in bytes.
pub fn last_cache_bytes() -> Option<u64> {
    [number("hw.l3cachesize"), number("hw.perflevel0.l2cachesize"), number("hw.l2cachesize")]
        .into_iter()
        .flatten()
        .find(|&bytes| 0 < bytes)
}

/// Reads the sizes of the caches, and whether cores have several logical CPUs (SMT).
pub fn system_detail() -> SystemDetail {
    let cache = |level: u8, kind: &str, names: &[&str]| {
        let bytes = names.iter().find_map(|name| number(name)).filter(|&bytes| 0 < bytes)?;
        Some(Cache { level, kind: kind.to_owned(), bytes, cpus: Vec::new() })
    };
    let caches = [
        cache(1, "Data", &["hw.perflevel0.l1dcachesize", "hw.l1dcachesize"]),
        cache(1, "Instruction", &["hw.perflevel0.l1icachesize", "hw.l1icachesize"]),
        cache(2, "Unified", &["hw.perflevel0.l2cachesize", "hw.l2cachesize"]),
        cache(3, "Unified", &["hw.l3cachesize"]),
    ];
    let smt = number("hw.logicalcpu").zip(number("hw.physicalcpu"));
    SystemDetail {
        caches: caches.into_iter().flatten().collect(),
        smt: smt.map(|(logical, physical)| physical < logical),
        ..SystemDetail::default()
    }
}
