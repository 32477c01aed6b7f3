//! How much the same test differs from itself on this PC, for the page of the machine.

use jiff::Timestamp;
use jitterscope_engine::report::Metric;
use jitterscope_engine::report::comparison::NoiseFloor;
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
    let repeats = store.newest_repeats(NOISE_TEST, machine).inspect_err(|error| {
        log::info!("no noise floor: {error}");
    });
    let repeats = repeats.ok()?;
    let floor = NoiseFloor::of_runs(&repeats)?;
    let variation = floor.variations.iter().find(|variation| variation.metric == Metric::P99)?;
    Some(NoiseFloorEstimate {
        measured_at: repeats.iter().map(|run| run.started_at).max()?,
        count: floor.count,
        label: variation.label.clone(),
        p99_nanos: variation.noise,
    })
}
