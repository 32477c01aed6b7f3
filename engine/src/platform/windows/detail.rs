//! What the system's list of cores and caches reports about this machine.

use super::super::detail::SystemDetail;
use super::topology;

/// Everything that the system reports.
pub fn system_detail() -> SystemDetail {
    SystemDetail { caches: topology::caches(), smt: topology::has_smt(), ..SystemDetail::default() }
}
