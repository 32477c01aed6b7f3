//! What the system's list of cores and caches tells of this machine.

use super::super::detail::SystemDetail;
use super::topology;

/// Everything the system tells.
pub fn system_detail() -> SystemDetail {
    SystemDetail { caches: topology::caches(), smt: topology::has_smt(), ..SystemDetail::default() }
}
