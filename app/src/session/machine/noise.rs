//! The noise floor of one test on this PC (its run-to-run variation), shown on the Machine page.

use jiff::Timestamp;
use jitterscope_engine::report::Metric;
use jitterscope_engine::store::Store;

/// The key of the test whose noise floor is shown for the PC.
pub(in crate::session) const NOISE_TEST: &str = "frame-loop";
/// Number of runs that measure the noise floor.
pub(in crate::session) const NOISE_REPEATS: u32 = 5;

/// The noise floor from the newest repeats of the test on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloorEstimate {
    /// When the newest repeat was measured.
    pub measured_at: Timestamp,
    /// The number of repeats.
    pub count: usize,
    /// The label of the measured configuration.
    pub label: String,
    /// The noise floor of p99 lateness in nanoseconds: two single runs differ by less in 95% of
    /// cases.
    pub p99_nanos: f64,
}

/// Returns the noise floor of a machine from saved runs. Blocks while files are read.
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
