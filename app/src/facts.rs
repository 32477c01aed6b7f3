//! What is read from the machine once, before anything is measured.

use std::thread::Builder;

use jitterscope_engine::machine::{ClockFacts, Detail, Machine};
use jitterscope_engine::plan::{CpuChoice, CpuFacts};
use jitterscope_engine::platform::{
    self, DesktopPreferences, RealtimeProbe, SystemTool, TraceState,
};
use jitterscope_engine::run::Run;
use jitterscope_engine::runner::AgentFacts;

/// What is read from the machine once, at the start.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The address of the host; `None` for this PC.
    pub host: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// Additional facts for its own page.
    pub detail: Detail,
    /// Its clock.
    pub clock: ClockFacts,
    /// The CPUs that this program may use.
    pub cpus: CpuFacts,
    /// The CPU that "a performance core" resolves to.
    pub performance_cpu: Option<u32>,
    /// Whether threads can be pinned to CPUs on this system.
    pub can_pin: bool,
    /// What the desktop is set to.
    pub desktop: DesktopPreferences,
    /// Which real-time scheduling is granted.
    pub realtime: RealtimeProbe,
    /// The desktop's windows that can be opened.
    pub tools: Vec<SystemTool>,
    /// In how much detail a trace of the CPUs can be recorded.
    pub trace: TraceState,
}

impl Facts {
    /// Whether they are of the machine that a run was measured on.
    pub fn are_of(&self, run: &Run) -> bool {
        self.host == run.host && self.machine.short() == run.machine.short()
    }

    /// Those of another PC. The desktop is that of this one.
    pub fn of_host(address: &str, there: &AgentFacts) -> Self {
        Self {
            host: Some(address.to_owned()),
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

/// Tests what is granted, on a thread that ends afterward: a request changes the requesting thread.
pub fn probe_on_fresh_thread() -> RealtimeProbe {
    let probing = Builder::new().name("probe".to_owned()).spawn(platform::realtime_probe);
    probing.ok().and_then(|thread| thread.join().ok()).unwrap_or_default()
}

/// Reads what the app needs to know of the machine.
pub fn read_facts() -> Facts {
    let machine = Machine::read();
    let performance_cpu = platform::choose_cpu(CpuChoice::Performance).ok().flatten();
    Facts {
        host: None,
        detail: Detail::read(),
        clock: ClockFacts::measure(),
        cpus: platform::cpu_facts(),
        performance_cpu,
        can_pin: platform::can_pin(),
        desktop: platform::desktop_preferences(),
        realtime: probe_on_fresh_thread(),
        tools: SystemTool::ALL.into_iter().filter(|tool| tool.is_available()).collect(),
        trace: platform::trace_state(),
        machine,
    }
}
