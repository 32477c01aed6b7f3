//! Names of the series of a recording, in addition to [`series_name`](crate::run::series_name).

/// How often the CPU quota of the followed program's group had throttled it, counted from the boot of the PC.
pub const THROTTLED: &str = "throttled_count";
/// Load of the graphics device as the followed log reports it, in thousandths.
pub const GPU_LOAD: &str = "gpu_load_permille";
/// How late each cycle of the followed thread got a CPU, in nanoseconds. The time of the value is when it was due.
pub const CYCLE_LATENESS: &str = "cycle_lateness_nanos";
/// Time from when each cycle of the followed thread was due until the thread slept again, in nanoseconds. The time of
/// the value is when it was due.
pub const CYCLE_LENGTH: &str = "cycle_length_nanos";
/// Number of due times after a cycle that passed without a wake-up of their own; absent where none did.
pub const CYCLE_MISSED: &str = "cycle_missed_count";
/// For how long the followed thread waited for a CPU so far, as the system counts it, in nanoseconds.
pub const RUN_DELAY: &str = "run_delay_nanos";
/// Time for which the graphics device worked on each frame, as the followed log reports it, in nanoseconds.
pub const GPU_BUSY: &str = "gpu_busy_nanos";
