//! The machine: facts read from it, the load of other programs, and the noise floor.

mod noise;

use std::sync::Arc;
use std::time::Duration;

use jitterscope_engine::platform::{self, Cpu, Power, SystemTool};

use super::action::Notice;
use super::part::{Context, Outbox, Part};
use super::task::{TaskHost, Tasks};
use crate::facts::{Facts, read_facts};

pub use noise::NoiseFloorEstimate;
pub(super) use noise::{NOISE_REPEATS, NOISE_TEST};

/// How often power and other load are read while nothing is measured.
const IDLE_WATCH: Duration = Duration::from_secs(2);

/// What the tasks of this part report.
enum Message {
    /// The machine was read.
    Facts(Result<Box<(Facts, Power)>, String>),
    /// Power and other load were read again.
    Idle {
        power: Power,
        /// CPU time of other programs as a share of one CPU.
        other_load: Option<f64>,
    },
    /// The noise floor was read; `None` where it was not measured.
    NoiseFloorEstimate(Result<Option<NoiseFloorEstimate>, String>),
}

/// The machine of another PC.
#[derive(Clone, Debug, Default)]
pub(super) struct HostMachine {
    /// What it is; absent while it is not connected.
    pub(super) facts: Option<Arc<Facts>>,
    /// CPU time of other programs as a share of one CPU.
    pub(super) other_load: Option<f64>,
}

/// What is known of the machine.
#[derive(Debug)]
pub struct MachineState {
    tasks: Tasks<Message>,
    facts: Option<Arc<Facts>>,
    /// The selected host, where that is another PC.
    there: Option<HostMachine>,
    power: Option<Power>,
    other_load: Option<f64>,
    is_watched: bool,
    noise: Option<NoiseFloorEstimate>,
    /// Whether the noise floor is being read.
    reads_noise: bool,
    /// The list of runs that the noise floor was read from.
    noise_version: Option<u64>,
}

impl Part for MachineState {
    const NAME: &'static str = "the machine's page";

    fn restart(&mut self, _: &mut Outbox) {
        let facts = self.facts.take();
        let fresh = Self::new(self.tasks.host());
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

    /// What was read from the machine on which tests run; absent for the first moment, and while it is not connected.
    pub const fn facts(&self) -> Option<&Arc<Facts>> {
        match &self.there {
            Some(there) => there.facts.as_ref(),
            None => self.facts.as_ref(),
        }
    }

    /// What was read from this PC, wherever tests run; absent for the first moment.
    pub const fn own_facts(&self) -> Option<&Arc<Facts>> {
        self.facts.as_ref()
    }

    /// Shows another PC from now on, or this one.
    pub(super) fn set_there(&mut self, there: Option<HostMachine>) {
        let name = |facts: Option<&Arc<Facts>>| facts.map(|facts| facts.machine.short());
        let before = name(self.facts());
        self.there = there;
        if before != name(self.facts()) {
            (self.noise, self.noise_version) = (None, None);
        }
    }

    /// The logical CPUs with their kinds, where they are known yet.
    pub fn cpus(&self) -> &[Cpu] {
        self.facts().map_or(&[], |facts| &facts.machine.cpus)
    }

    /// Whether this desktop has a window.
    pub fn has_tool(&self, tool: SystemTool) -> bool {
        self.facts().is_some_and(|facts| facts.tools.contains(&tool))
    }

    /// Power source and plan, as last read.
    pub fn power(&self) -> Option<&Power> {
        match &self.there {
            Some(there) => there.facts.as_ref().map(|facts| &facts.machine.power),
            None => self.power.as_ref(),
        }
    }

    /// CPU time of other programs as a share of one CPU, in the last idle seconds.
    pub const fn other_load(&self) -> Option<f64> {
        match &self.there {
            Some(there) => there.other_load,
            None => self.other_load,
        }
    }

    /// The noise floor of this machine, where it was measured and has been read.
    pub const fn noise(&self) -> Option<&NoiseFloorEstimate> {
        self.noise.as_ref()
    }

    /// Reads the machine, its clock and what is granted here.
    pub(super) fn read(&self) {
        let read = || Ok(Box::new((read_facts(), platform::power())));
        self.tasks.spawn_at_own_priority("facts", read, Message::Facts);
    }

    /// Takes in what the tasks reported since the last call.
    pub(super) fn poll(&mut self, outbox: &mut Outbox) {
        for message in self.tasks.messages() {
            match message {
                Message::Facts(Ok(facts)) => {
                    let (facts, power) = *facts;
                    self.power = Some(power);
                    self.facts = Some(Arc::new(facts));
                    if !std::mem::replace(&mut self.is_watched, true) {
                        self.watch_idle();
                    }
                }
                Message::Facts(Err(error)) => {
                    outbox.notify(Notice::error(format!(
                        "Could not read this PC's hardware: {error}."
                    )));
                }
                Message::Idle { power, other_load } => {
                    self.power = Some(power);
                    self.other_load = other_load.or(self.other_load);
                }
                Message::NoiseFloorEstimate(found) => {
                    self.reads_noise = false;
                    let found = found.unwrap_or_default();
                    // Of the machine that was selected when it was read.
                    self.noise = found.filter(|_| self.noise_version.is_some());
                }
            }
        }
    }

    /// Reads power and other load every two seconds for as long as the app lives.
    fn watch_idle(&self) {
        let mut before = busy_and_ours();
        self.tasks.repeat("idle-watch", IDLE_WATCH, move || {
            let now = busy_and_ours();
            let other_load = before.zip(now).and_then(|(before, now)| other_share(before, now));
            before = now;
            Message::Idle { power: platform::power(), other_load }
        });
    }

    /// Whether there are other runs than those the noise floor was read from. While anything is measured, it
    /// waits: opening runs would disturb that.
    pub(super) fn is_noise_due(&self, list: u64, is_busy: bool) -> bool {
        !is_busy && self.facts().is_some() && !self.reads_noise && self.noise_version != Some(list)
    }

    /// Reads the noise floor from the saved runs of this list.
    pub(super) fn read_noise(&mut self, list: u64, context: &Context) {
        if !self.is_noise_due(list, context.is_busy) {
            return;
        }
        let Some((store, facts)) = context.store.clone().zip(self.facts()) else { return };
        let machine = facts.machine.short();
        self.noise_version = Some(list);
        self.reads_noise = true;
        self.tasks.spawn(
            "noise",
            move || Ok(noise::read(&store, &machine)),
            Message::NoiseFloorEstimate,
        );
    }
}

fn busy_and_ours() -> Option<(i64, i64, i64)> {
    Some((
        platform::machine_cpu_time()?.programs(),
        platform::process_cpu_nanos()?,
        platform::clock_nanos(),
    ))
}

#[expect(clippy::cast_precision_loss, reason = "a share of some seconds")]
fn other_share(before: (i64, i64, i64), now: (i64, i64, i64)) -> Option<f64> {
    let other = ((now.0 - before.0) - (now.1 - before.1)).max(0);
    let wall = now.2 - before.2;
    (0 < wall).then(|| other as f64 / wall as f64)
}
