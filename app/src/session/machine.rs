//! The machine: its facts, the load of other programs, and the noise floor.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jitterscope_engine::platform::{self, Power, SystemTool};
use jitterscope_engine::report::Metric;
use jitterscope_engine::runner::OtherShare;
use jitterscope_engine::store::Store;

use super::part::{Context, Part};
use super::task::{TaskHost, Tasks};
use crate::facts::{Facts, read_facts};

/// The key of the test whose noise floor is shown for the PC.
pub(super) const NOISE_TEST: &str = "frame-loop";
/// Number of runs that measure the noise floor.
pub(super) const NOISE_REPEATS: u32 = 5;
/// How often power state and load of other programs are read.
const IDLE_WATCH: Duration = Duration::from_secs(2);

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

/// Messages of the machine tasks.
enum MachineMessage {
    /// The facts about the machine were read.
    Facts(Result<Box<(Facts, Power)>, String>),
    /// Power state and load of other programs were read again.
    Idle {
        power: Power,
        /// CPU time of other programs as a share of one CPU.
        other_load: Option<f64>,
    },
    /// The noise floor was read; `None` if it was never measured.
    NoiseFloorEstimate(Result<Option<NoiseFloorEstimate>, String>),
}

/// The selected host, if it is another PC.
#[derive(Clone, Debug, Default)]
pub(super) struct HostMachine {
    /// The facts about the machine; `None` while the host is not connected.
    pub(super) facts: Option<Arc<Facts>>,
    /// CPU time of other programs as a share of one CPU.
    pub(super) other_load: Option<f64>,
}

/// What is known about this PC and the selected host.
#[derive(Debug)]
pub struct MachineState {
    tasks: Tasks<MachineMessage>,
    /// The facts about this PC, even if tests run on another one; `None` until they are
    /// read.
    pub facts: Option<Arc<Facts>>,
    /// The selected host if it is another PC; `None` if tests run on this PC.
    there: Option<HostMachine>,
    power: Option<Power>,
    other_load: Option<f64>,
    is_watched: bool,
    /// The noise floor of this machine, if it was measured and read.
    pub noise: Option<NoiseFloorEstimate>,
    /// Whether the noise floor is being read.
    reads_noise: bool,
    /// The version of the list of runs from which the noise floor was read.
    noise_version: Option<u64>,
}

impl Part for MachineState {
    const NAME: &'static str = "the machine's page";

    fn restart(&mut self, _: &Context) {
        let facts = self.facts.take();
        let fresh = Self::new(&self.tasks.host);
        *self = Self { facts, ..fresh };
        self.read();
    }
}

impl MachineState {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
            facts: None,
            there: None,
            power: None,
            other_load: None,
            is_watched: false,
            noise: None,
            reads_noise: false,
            noise_version: None,
        }
    }

    /// Returns the facts about the machine on which tests run; `None` until they are read or while
    /// the host is not connected.
    pub const fn facts(&self) -> Option<&Arc<Facts>> {
        match &self.there {
            Some(there) => there.facts.as_ref(),
            None => self.facts.as_ref(),
        }
    }

    /// Selects another PC, or this one with `None`.
    pub(super) fn set_there(&mut self, there: Option<HostMachine>) {
        let name = |facts: Option<&Arc<Facts>>| facts.map(|facts| facts.machine_name());
        let before = name(self.facts());
        self.there = there;
        if before != name(self.facts()) {
            (self.noise, self.noise_version) = (None, None);
        }
    }

    /// Returns whether the desktop has this window, such as the list of running programs.
    pub fn has_tool(&self, tool: SystemTool) -> bool {
        self.facts().is_some_and(|facts| facts.tools.contains(&tool))
    }

    /// Returns the power source and power plan, as last read.
    pub fn power(&self) -> Option<&Power> {
        match &self.there {
            Some(there) => there.facts.as_ref().map(|facts| &facts.machine.power),
            None => self.power.as_ref(),
        }
    }

    /// Returns the CPU time of other programs, as last read, as a share of one CPU.
    pub const fn other_load(&self) -> Option<f64> {
        match &self.there {
            Some(there) => there.other_load,
            None => self.other_load,
        }
    }

    /// Starts to read the facts of the machine, its clock, and the granted priorities.
    pub(super) fn read(&self) {
        let read = || Ok(Box::new((read_facts(), platform::power())));
        self.tasks.spawn_at_own_priority("facts", read, MachineMessage::Facts);
    }

    /// Handles the messages of tasks since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for message in self.tasks.messages() {
            match message {
                MachineMessage::Facts(Ok(facts)) => {
                    let (facts, power) = *facts;
                    self.power = Some(power);
                    self.facts = Some(Arc::new(facts));
                    if !std::mem::replace(&mut self.is_watched, true) {
                        self.watch_idle();
                    }
                }
                MachineMessage::Facts(Err(error)) => {
                    context.report_error(format!("Could not read this PC's hardware: {error}."));
                }
                MachineMessage::Idle { power, other_load } => {
                    self.power = Some(power);
                    self.other_load = other_load.or(self.other_load);
                }
                MachineMessage::NoiseFloorEstimate(found) => {
                    self.reads_noise = false;
                    let found = found.unwrap_or_default();
                    // Ignore the noise floor if the machine was changed while it was read.
                    self.noise = found.filter(|_| self.noise_version.is_some());
                }
            }
        }
    }

    /// Reads power state and load of other programs every two seconds while the app runs.
    fn watch_idle(&self) {
        let mut share = OtherShare::start();
        self.tasks.repeat("idle-watch", IDLE_WATCH, move || {
            let other_load = OtherShare::since_last(&mut share);
            MachineMessage::Idle { power: platform::power(), other_load }
        });
    }

    /// Returns whether to read the noise floor: the list of runs has changed since the last
    /// reading, and no test runs (opening runs would disturb the test).
    pub(super) fn is_noise_due(&self, list: u64, is_busy: bool) -> bool {
        !is_busy && self.facts().is_some() && !self.reads_noise && self.noise_version != Some(list)
    }

    /// Starts to read the noise floor from the saved runs, if the list has changed.
    pub(super) fn read_noise(&mut self, list: u64, context: &Context) {
        if !self.is_noise_due(list, context.is_busy) {
            return;
        }
        let Some((store, facts)) = context.store.clone().zip(self.facts()) else { return };
        let machine = facts.machine_name();
        self.noise_version = Some(list);
        self.reads_noise = true;
        self.tasks.spawn(
            "noise",
            move || Ok(read_noise_floor(&store, &machine)),
            MachineMessage::NoiseFloorEstimate,
        );
    }
}

/// Returns the noise floor of a machine from saved runs. Blocks while files are read.
fn read_noise_floor(store: &Store, machine: &str) -> Option<NoiseFloorEstimate> {
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
