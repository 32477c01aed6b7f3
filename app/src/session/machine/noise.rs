//! The noise floor: run-to-run variation of one test on this PC, for the Machine page.

use jiff::Timestamp;
use jitterscope_engine::report::Metric;
use jitterscope_engine::store::Store;

/// The test that represents the PC.
pub(in crate::session) const NOISE_TEST: &str = "frame-loop";
/// How often it is repeated.
pub(in crate::session) const NOISE_REPEATS: u32 = 5;

/// What the newest repeats on this machine say.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloorEstimate {
    /// When the newest was measured.
    pub measured_at: Timestamp,
    /// How many repeats there are.
    pub count: usize,
    /// Their configuration.
    pub label: String,
    /// What two single runs differ by at most at p99 lateness in 95 of 100 cases, in nanoseconds.
    pub p99_nanos: f64,
}

/// The noise floor of a machine from what is saved; takes a while.
pub(super) fn read(store: &Store, machine: &str) -> Option<NoiseFloorEstimate> {
    let found = store.newest_floor(NOISE_TEST, machine).inspect_err(|error| {
        log::info!("no noise floor: {error}");
    });
    let (newest, floor) = found.ok()??;
    let variation = floor.variations.iter().find(|variation| variation.metric == Metric::P99)?;
    Some(NoiseFloorEstimate {
        measured_at: newest.started_at,
        count: floor.count,
        label: variation.label.clone(),
        p99_nanos: variation.noise,
    })
}
