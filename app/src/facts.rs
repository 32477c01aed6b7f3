//! Facts that are read from a machine once, before anything is measured.

use jitterscope_engine::machine::{ClockFacts, Detail, Machine};
use jitterscope_engine::plan::CpuFacts;
use jitterscope_engine::platform::{
    self, DesktopPreferences, RealtimeProbe, SystemTool, TraceState,
};
use jitterscope_engine::run::Run;
use jitterscope_engine::runner::{AgentFacts, agent};

/// Facts about this PC or another host, read once before anything is measured.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The address of the host; `None` for this PC.
    pub host: Option<String>,
    /// Hardware and operating system.
    pub machine: Machine,
    /// Additional facts for the Machine page.
    pub detail: Detail,
    /// Properties of the clock.
    pub clock: ClockFacts,
    /// The CPUs that this process may use.
    pub cpus: CpuFacts,
    /// The CPU that the choice "a performance core" resolves to.
    pub performance_cpu: Option<u32>,
    /// Whether threads can be pinned to CPUs on this system.
    pub can_pin: bool,
    /// Preferences of the desktop, such as dark mode.
    pub desktop: DesktopPreferences,
    /// Which real-time priorities the system grants.
    pub realtime: RealtimeProbe,
    /// The settings windows of the desktop that can be opened.
    pub tools: Vec<SystemTool>,
    /// The level of detail at which a trace of the CPUs can be recorded.
    pub trace: TraceState,
}

impl Facts {
    /// Returns the machine in short, as lists of runs show it.
    pub fn machine_name(&self) -> String {
        self.machine.short_on(self.host.as_deref())
    }

    /// Returns whether these facts describe the machine on which a run was measured.
    pub fn are_of(&self, run: &Run) -> bool {
        self.machine_name() == run.machine_name()
    }

    /// Returns the facts of the PC at this address, or of this PC if there is no address. Desktop
    /// preferences are unknown, and settings windows cannot be opened.
    pub fn of(host: Option<&str>, there: &AgentFacts) -> Self {
        Self {
            host: host.map(str::to_owned),
            machine: there.machine.clone(),
            detail: there.detail.clone(),
            clock: there.clock.clone(),
            cpus: there.cpus.clone(),
            performance_cpu: there.performance_cpu,
            can_pin: there.can_pin,
            desktop: DesktopPreferences::default(),
            realtime: RealtimeProbe::of(there.capabilities.clone()),
            tools: Vec::new(),
            trace: there.trace.clone(),
        }
    }
}

/// Reads all facts about this machine.
pub fn read_facts() -> Facts {
    Facts {
        desktop: platform::desktop_preferences(),
        tools: SystemTool::ALL.into_iter().filter(|tool| tool.is_available()).collect(),
        ..Facts::of(None, &agent::facts())
    }
}
