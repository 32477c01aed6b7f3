//! Facts about this machine that `sysctl` reports.

use super::super::detail::{Cache, SystemDetail};
use super::topology::number;

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
