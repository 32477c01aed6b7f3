//! Plain functions for access to the operating system, with the same signatures on each system.
//!
//! `linux`, `windows`, and `macos` each provide every function named here; `cfg_select!` picks one. What a system
//! lacks, it takes from `unsupported`, the template for a new one.
//! A state that must be undone (a timer resolution, a waitable timer, a raised limit) is a guard
//! with `Drop`. Text from the system is parsed by pure functions in [`parse`], tested on every
//! system.

#![cfg_attr(
    feature = "unsupported-platform",
    expect(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "the template leaves the modules of this system unused"
    )
)]

pub mod activity;
mod applied;
mod capabilities;
mod cpu;
mod detached;
mod detail;
mod elevation;
mod ending;
mod files;
mod followed;
pub mod parse;
mod piped;
mod registry;
mod scratch;
#[cfg(feature = "shortcuts")]
mod shortcut;
#[cfg(any(target_os = "macos", test))]
mod tick_totals;
mod ticks;
mod tool;
mod trace;
#[cfg(unix)]
mod unix_accounts;
#[cfg(unix)]
mod unix_clock;
#[cfg(unix)]
mod unix_control;
mod virtualization;

// Declared here and not inside `cfg_select!` below, where rustfmt would not find the modules.
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(any(not(target_os = "linux"), feature = "unsupported-platform"))]
#[cfg_attr(
    not(feature = "unsupported-platform"),
    expect(
        dead_code,
        unreachable_pub,
        reason = "a system needs only the parts that it does not have itself"
    )
)]
#[cfg_attr(
    all(any(windows, target_os = "macos"), not(feature = "unsupported-platform")),
    expect(unused_imports, reason = "this system has all of some parts itself")
)]
mod unsupported;
#[cfg(windows)]
mod windows;

cfg_select! {
    feature = "unsupported-platform" => { use unsupported as system; }
    target_os = "linux" => { use linux as system; }
    windows => { use windows as system; }
    target_os = "macos" => { use macos as system; }
}

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub use activity::ActivityCounts;
#[cfg(test)]
pub(crate) use applied::AppliedInFile;
pub use applied::{
    Applied, Effective, FINEST_TIMER, Guard, MacQos, Policy, RealtimeProbe, Refusal, RequestOutcome,
};
pub use capabilities::{Capability, FileCapabilities};
pub use cpu::{CoreKind, Cpu};
pub use detached::{DetachedProgram, separate};
pub use detail::{Cache, RealtimeBandwidth, SystemDetail};
pub use elevation::{Elevation, SystemElevation};
pub use ending::{
    RefusedCall, check_needed_calls, exit_at_once, exit_on_abort, keep_ignored_signals,
    survive_size_limit,
};
pub use files::{
    check_writable, create_private, file_number, is_stream, open_named, open_regular,
    open_regular_with, rename, reserve_room, sync_folder, with_remedy,
};
pub use followed::{ThreadFacts, ThreadWaits};
pub use piped::{PipedProgram, Pipes, end_programs, program_in_path};
pub(crate) use registry::registered_cpu_nanos;
pub use registry::{Registration, demote_all_registered, register_realtime};
pub use scratch::{append_lines, with_new_file};
#[cfg(feature = "shortcuts")]
pub use shortcut::{Shortcut, ShortcutEvent, ShortcutKey, ShortcutRefusal, ShortcutStop};
#[cfg(feature = "shortcuts")]
pub use system::wait_for_shortcut;
pub use system::{
    COMPLETION_SOUND_NOTE, CommandPipe, CounterReader, ELEVATION, Held, ProcessClocks,
    RealtimeGuard, Sleeper, SmiCounter, SystemTracer, Tracer, accounts, apply, avoid_cpus, can_pin,
    clock_name, clock_nanos, cpu_activity, cpu_khz, cpu_millicelsius, cpu_quota_percent, cpu_set,
    cpu_times, cpus, current_cpu, desktop_preferences, elevatable_program, file_capabilities,
    find_process, find_threads, interrupt_count, is_realtime, is_root, last_cache_bytes,
    lower_own_priority, lower_ui_priority, machine_cpu_time, own_policy, pin_self,
    play_completion_sound, power, prepare_window, process_cpu_nanos, program_name,
    raise_supervisor, raw_clock_nanos, record_with_callers_rights, runtime_folder, scheduler_facts,
    send_command, set_load_priority, starter, suspended_nanos, system_detail, take_callers_rights,
    thread_cpu_nanos, thread_facts, thread_id, thread_owner, thread_waits, throttled_times,
    trace_state,
};
pub use ticks::{Ticks, ticks};
pub use tool::{SystemTool, has_terminal, open_terminal};
pub use trace::{Missing, SystemRecordFacts, TraceReader, TraceSource, TraceState};
pub use virtualization::virtualization;

use crate::nanos::Nanos;
use crate::plan::conditions::Deadline;
use crate::plan::{Conditions, CpuChoice, Priority};
use crate::sample::WaitReasons;

/// The operating system's ID of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadId(pub u64);

/// Counters of the calling thread; a counter that the system does not report is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadCounters {
    /// Voluntary context switches.
    pub voluntary: Option<u64>,
    /// Involuntary context switches.
    pub involuntary: Option<u64>,
    /// Page faults that read nothing from a disk.
    pub minor_faults: Option<u64>,
    /// Page faults that read from a disk.
    pub major_faults: Option<u64>,
    /// Time the thread waited for a CPU while it was ready to run, in nanoseconds.
    pub run_delay_nanos: Option<i64>,
    /// Voluntary and involuntary context switches together, on systems that do not count them separately.
    pub switches: Option<u64>,
    /// Why the thread waited since the last reading.
    pub wait_reasons: Option<WaitReasons>,
    /// Time of interrupts and deferred calls (DPCs) on the CPU of the thread.
    pub interrupts: Option<CpuInterrupts>,
}

/// Time a CPU spent on interrupts and deferred calls (DPCs) since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuInterrupts {
    /// The number of the logical CPU.
    pub cpu: u32,
    /// The time in nanoseconds.
    pub nanos: i64,
}

/// Total activity of all CPUs since boot, in nanoseconds of CPU time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineCpuTime {
    /// All time except idle time; includes steal and interrupts.
    pub busy: i64,
    /// Steal: time used by the hypervisor; absent if the system does not report it.
    pub steal: Option<i64>,
    /// Time spent on interrupts; absent where the system does not report it.
    pub interrupt: Option<i64>,
}

impl MachineCpuTime {
    /// Returns the CPU time of programs, without steal and interrupts.
    pub fn programs(&self) -> i64 {
        self.busy - self.steal.unwrap_or(0) - self.interrupt.unwrap_or(0)
    }
}

/// An account of the user who runs this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The name of the account, and the full name of the user if the system has it.
    pub names: Vec<String>,
    /// The home folder of the account; empty if the account has none.
    pub home: String,
}

/// Accessibility preferences of the desktop; absent where they cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DesktopPreferences {
    /// Whether the desktop uses more contrast.
    pub high_contrast: Option<bool>,
    /// Whether the desktop reduces motion.
    pub reduced_motion: Option<bool>,
}

/// Power source of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerSource {
    /// AC power.
    Mains,
    /// A battery with this much charge left, if the system reports it.
    Battery {
        /// Charge in percent, 0 to 100.
        percent: Option<u8>,
    },
}

/// Power source and power plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "PowerInFile", into = "PowerInFile")]
pub struct Power {
    /// Power source; absent if the system does not report it.
    pub source: Option<PowerSource>,
    /// Linux's frequency governor or Windows' power plan; absent if there is none.
    pub governor_or_plan: Option<String>,
}

/// Whether this is Linux, where alone a recorder reads the kernel's records.
pub const IS_LINUX: bool = cfg!(target_os = "linux");

/// The name under which `scheduler_facts` lists the driver of CPU frequencies.
pub const CPUFREQ_DRIVER: &str = "cpufreq_driver";

/// The name under which `scheduler_facts` lists the options of the kernel that affect scheduling.
pub const KERNEL_OPTIONS: &str = "kernel_options";

/// A [`Power`] as saved in files: the charge is a separate field next to the source.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PowerInFile {
    power_source: Option<SourceInFile>,
    battery_percent: Option<u8>,
    governor_or_plan: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum SourceInFile {
    Mains,
    Battery,
}

impl From<Power> for PowerInFile {
    fn from(power: Power) -> Self {
        let (power_source, battery_percent) = match power.source {
            None => (None, None),
            Some(PowerSource::Mains) => (Some(SourceInFile::Mains), None),
            Some(PowerSource::Battery { percent }) => (Some(SourceInFile::Battery), percent),
        };
        Self { power_source, battery_percent, governor_or_plan: power.governor_or_plan }
    }
}

impl From<PowerInFile> for Power {
    fn from(file: PowerInFile) -> Self {
        let percent = file.battery_percent;
        let source = file.power_source.map(|source| match source {
            SourceInFile::Mains => PowerSource::Mains,
            SourceInFile::Battery => PowerSource::Battery { percent },
        });
        Self { source, governor_or_plan: file.governor_or_plan }
    }
}

static USABLE: OnceLock<Vec<u32>> = OnceLock::new();

/// Records which CPUs this process may use. Call this on the main thread before any thread is pinned.
pub fn note_usable_cpus() {
    usable_cpus();
}

/// Whether a process ID is that of this process, or of the process that started it with administrator rights.
pub fn is_own_process(process: u32) -> bool {
    process == std::process::id() || starter() == Some(process)
}

/// Returns the logical CPUs that this process may use. They are read from the system only once, in
/// the first call: later, a thread that is pinned or has inherited a pin would see only its own
/// CPUs.
pub fn usable_cpus() -> Vec<u32> {
    USABLE
        .get_or_init(|| {
            let own = core_affinity::get_core_ids().unwrap_or_default();
            let own = own.iter().filter_map(|core| u32::try_from(core.id).ok()).collect();
            // `core_affinity` reads the CPUs of one processor group only.
            #[cfg(windows)]
            let own = windows::cpus_of_all_groups().unwrap_or(own);
            let mut cpus: Vec<u32> = own;
            if cpus.is_empty() {
                let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
                cpus = (0..u32::try_from(count).unwrap_or(1)).collect();
            }
            cpus.sort_unstable();
            cpus.dedup();
            cpus
        })
        .clone()
}

/// Returns a refusal of real-time scheduling if no CPU would stay free of real-time threads. On Linux, a CPU that went
/// offline after the start does not count.
pub(crate) fn only_cpu_refusal(requested: &str) -> Option<Refusal> {
    let usable = usable_cpus();
    #[cfg(target_os = "linux")]
    let usable = linux::still_usable(usable);
    let reason =
        "one CPU always stays free of real-time threads, and this program can use only one";
    (usable.len() < 2).then(|| Refusal::new(requested, "safety", reason))
}

/// Returns the number of physical cores among the usable CPUs; `None` if the system does not report cores.
pub fn physical_core_count() -> Option<u32> {
    cpu::core_count(&cpus(), &usable_cpus())
}

/// Returns the lowest usable logical CPU of each physical core, or all usable CPUs if the system
/// does not report cores.
pub fn one_cpu_a_core() -> Vec<u32> {
    let usable = usable_cpus();
    let mut cores: Vec<(u32, u32)> = Vec::new();
    let mut selected = Vec::new();
    for cpu in cpus() {
        let Some(core) = cpu.core else { return usable };
        let core = (cpu.package.unwrap_or(0), core);
        if usable.contains(&cpu.logical) && !cores.contains(&core) {
            cores.push(core);
            selected.push(cpu.logical);
        }
    }
    if selected.is_empty() { usable } else { selected }
}

/// Returns the facts about CPUs from which a test plan is made.
pub fn cpu_facts() -> crate::plan::CpuFacts {
    crate::plan::CpuFacts {
        usable: usable_cpus(),
        physical_count: physical_core_count(),
        one_a_core: one_cpu_a_core(),
    }
}

/// Whether two usable CPUs share a core.
pub fn has_smt() -> bool {
    physical_core_count()
        .is_some_and(|cores| usize::try_from(cores).is_ok_and(|cores| cores < usable_cpus().len()))
}

/// Returns the logical CPU to which a pinning request resolves; `None` if no pinning was requested.
pub fn choose_cpu(choice: CpuChoice) -> Result<Option<u32>, Refusal> {
    cpu::choose(choice, &cpus(), &usable_cpus())
}

/// Requests each priority above the default, and reads back the outcome. Run this on a thread that
/// ends afterward, since the requests change the scheduling of the thread.
pub fn realtime_probe() -> RealtimeProbe {
    /// The DEADLINE request of a typical program at 60 FPS: a tenth of each frame as CPU time.
    const DEADLINE: Deadline = Deadline {
        runtime: Nanos::from_micros(1_667),
        deadline: Nanos::from_micros(16_667),
        period: Nanos::from_micros(16_667),
    };
    let mut outcomes = Vec::new();
    let deadline = IS_LINUX.then_some(Priority::Deadline(DEADLINE));
    let levels = [Priority::AboveNormal, Priority::Highest, Priority::TimeCritical];
    for priority in levels.into_iter().chain(deadline) {
        let (applied, _held) = apply(&Conditions { priority, ..Conditions::NORMAL });
        outcomes.push((priority, applied));
        // Restores the state from which the next request starts.
        drop(apply(&Conditions::NORMAL));
    }
    RealtimeProbe::of(outcomes)
}
