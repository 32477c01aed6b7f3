//! The names of all counters.

/// Wall time of the measured part of the trial.
pub const WALL_NANOS: &str = "wall_nanos";
/// CPU time of the measuring thread.
pub const CPU_NANOS: &str = "cpu_nanos";
/// CPU time of other processes, without steal and without interrupts.
pub const FOREIGN_CPU_NANOS: &str = "foreign_cpu_nanos";
/// Length of the time window in which [`FOREIGN_CPU_NANOS`] was counted.
pub const FOREIGN_WINDOW_NANOS: &str = "foreign_window_nanos";
/// CPU time of all programs, including this one, on the CPU of a pinned gap probe in the window
/// [`FOREIGN_WINDOW_NANOS`]; absent if the system does not report CPU times per CPU.
pub const PROGRAMS_ON_CPU_NANOS: &str = "programs_on_cpu_nanos";
/// The CPU whose [`activity`](crate::platform::activity) (such as interrupts and idle states) was counted.
pub const ACTIVITY_CPU: &str = "activity_cpu";
/// Length of the time window in which the activity of [`ACTIVITY_CPU`] was counted.
pub const ACTIVITY_WINDOW_NANOS: &str = "activity_window_nanos";
/// How often the power source, the governor (Linux), or the power plan (Windows) changed; absent without a change.
pub const POWER_CHANGES: &str = "power_changes_count";
/// The number of the [`TraceSource`](crate::platform::TraceSource) in use; 0 for none, absent if not requested.
pub const TRACE_SOURCE: &str = "trace_source";
/// Error number with which the system denied a more detailed trace source.
pub const TRACE_DENIED_ERRNO: &str = "trace_denied_errno";
/// The value of `kernel.perf_event_paranoid`, with which Linux restricts who may record a trace.
pub const PERF_EVENT_PARANOID: &str = "perf_event_paranoid";
/// ID of the measuring thread in the trace.
pub const TRACE_THREAD: &str = "trace_thread";
/// Number of trace records of the stage that were lost because they arrived faster than they were read.
pub const TRACE_LOST: &str = "trace_lost_count";
/// Number of late samples without trace records, because the trial had reached the limit of saved records.
pub const TRACE_OMITTED: &str = "trace_omitted_count";
/// Set to 1 if the program runs in a PID namespace, such as a container. Threads outside of it have no ID in it.
pub const TRACE_IN_NAMESPACE: &str = "trace_is_in_namespace";
/// Set to 1 if the kernel recorded nothing on idle CPUs. The trace then lacks the interrupts of idle CPUs.
pub const TRACE_BLIND_WHEN_IDLE: &str = "trace_is_blind_when_idle";
/// CPU time that reading the trace records of the stage took.
pub const TRACE_READ_NANOS: &str = "trace_read_nanos";
/// CPU time of all load threads together.
pub const LOAD_CPU_NANOS: &str = "load_cpu_nanos";
/// Wall time for which the load threads ran.
pub const LOAD_WALL_NANOS: &str = "load_wall_nanos";
/// Number of load threads that ran.
pub const LOAD_THREADS: &str = "load_threads_count";
/// Steal: CPU time that the hypervisor withheld from this machine, all CPUs together.
pub const STEAL_NANOS: &str = "steal_nanos";
/// How long a CPU quota throttled this program during the trial.
pub const THROTTLED_NANOS: &str = "quota_throttled_nanos";
/// Time that all CPUs spent on interrupts in the window [`FOREIGN_WINDOW_NANOS`].
pub const INTERRUPT_NANOS: &str = "interrupt_nanos";
/// Involuntary context switches of the measuring thread.
pub const INVOLUNTARY_SWITCHES: &str = "involuntary_switches_count";
/// Voluntary context switches of the measuring thread: it gave up its CPU, for example to sleep.
pub const VOLUNTARY_SWITCHES: &str = "voluntary_switches_count";
/// Page faults of the measuring thread that were served without disk access.
pub const MINOR_FAULTS: &str = "minor_faults_count";
/// Page faults of the measuring thread that waited for a disk.
pub const MAJOR_FAULTS: &str = "major_faults_count";
/// Length of the spin tail of a hybrid wait.
pub const TAIL_NANOS: &str = "tail_nanos";
/// Number of arithmetic iterations in the work of one frame.
pub const WORK_TURNS: &str = "work_turns_count";
/// Duration of one read of the measuring thread's counters.
pub const EVIDENCE_READ_NANOS: &str = "evidence_read_nanos";
/// Number of pieces of evidence (counters around one late sample) that were lost.
pub const EVIDENCE_LOST: &str = "evidence_lost_count";
/// When measuring began, counted from a time that all trials of a stage share.
pub const STARTED_NANOS: &str = "started_nanos";
/// When measuring began, counted from the start of the run.
pub const STARTED_IN_RUN_NANOS: &str = "started_in_run_nanos";
/// Number of intervals between clock readings that a gap probe measured.
pub const READINGS: &str = "clock_readings_count";
/// Sum of all intervals between two consecutive clock readings of a gap probe.
pub const INTERVAL_SUM_NANOS: &str = "interval_sum_nanos";
/// Sum of the squares of all intervals of a gap probe, in square microseconds.
pub const INTERVAL_SQUARES: &str = "interval_squares_square_micros";
/// The shortest interval between two clock readings of a gap probe.
pub const INTERVAL_MIN_NANOS: &str = "interval_least_nanos";
/// The longest interval between two clock readings of a gap probe.
pub const INTERVAL_MOST_NANOS: &str = "interval_most_nanos";
/// The most recent interval between two clock readings of a gap probe.
pub const INTERVAL_LAST_NANOS: &str = "interval_last_nanos";
/// Prefix of the number of intervals in a bin of a histogram, before the lower edge of the bin in nanoseconds.
pub const INTERVALS_FROM: &str = "intervals_from_";
/// The gap threshold: shorter gaps were not recorded.
pub const THRESHOLD_NANOS: &str = "threshold_nanos";
/// Runtime requested for the `SCHED_DEADLINE` policy: CPU time per period.
pub const RUNTIME_NANOS: &str = "deadline_runtime_nanos";
/// Number of warm-up cycles of the game, which are not counted.
pub const WARM_UP_CYCLES: &str = "warm_up_cycles_count";
/// Total time that the counted game cycles spent moving all players or NPCs.
pub const MOVING_NANOS: &str = "moving_nanos";
/// Total time that the counted game cycles spent preparing data that all observers (receivers of packets) share.
pub const PREPARING_NANOS: &str = "preparing_nanos";
/// Total time that the counted game cycles spent encoding the packets, which runs on all threads.
pub const ENCODING_NANOS: &str = "encoding_nanos";
/// Total time that the counted game cycles spent cleaning up.
pub const RELEASING_NANOS: &str = "releasing_nanos";
/// Size of all packets of the last game cycle in bytes.
pub const PACKET_BYTES: &str = "packet_bytes_count";
/// Number of records of players or NPCs in all packets of the last game cycle.
pub const PACKET_RECORDS: &str = "packet_records_count";
/// Number of extended blocks, such as chat, in all packets of the last game cycle.
pub const PACKET_BLOCKS: &str = "packet_blocks_count";
/// How long a measuring thread got no CPU after a stop request, until the program abandoned the thread.
pub const UNRESPONSIVE_NANOS: &str = "unresponsive_nanos";
/// Number of schedule slots that passed, including missed frames.
pub const SLOTS: &str = "slots_count";
