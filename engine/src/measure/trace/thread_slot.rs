//! The values that a measuring thread and its trace share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

/// The values that a measuring thread publishes for its trace.
#[derive(Clone, Debug, Default)]
pub(in crate::measure) struct ThreadSlot {
    /// The ID of the thread; 0 until the thread runs.
    pub(in crate::measure) thread: Arc<AtomicU64>,
    /// Value of `clock_nanos` from which the times of the trial count; 0 until it is known.
    pub(in crate::measure) start: Arc<AtomicI64>,
    /// Whether the trace records the switches and page faults of the thread, which makes counters unnecessary.
    pub(in crate::measure) is_traced: Arc<AtomicBool>,
}
