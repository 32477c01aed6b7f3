//! Facts about this machine from the system's list of cores and caches.

use super::super::detail::SystemDetail;
use super::topology;

/// Reads the caches, and whether cores have several logical CPUs (SMT).
pub fn system_detail() -> SystemDetail {
    SystemDetail { caches: topology::caches(), smt: topology::has_smt(), ..SystemDetail::default() }
}
