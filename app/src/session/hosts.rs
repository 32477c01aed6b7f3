//! Other PCs: their connections, and where the next run happens.

mod adding;
mod administrator;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jitterscope_engine::platform;
use jitterscope_engine::runner::{Agent, AgentError, Host, HostKey, open_sign_in};

use super::action::{Action, Notice};
use super::part::{Context, Outbox, Part};
use super::place::Place;
use super::saved_host::SavedHost;
use super::task::{TaskHost, Tasks, Watch};
use crate::facts::Facts;

pub use adding::{AddedHost, AgentFile, CheckedHost, is_old, needs_agent};

/// How often the load of a connected host is read while nothing is measured.
const WATCH: Duration = Duration::from_secs(2);

/// A connected host.
#[derive(Clone, Debug)]
pub struct Connected {
    agent: Agent,
    /// Its machine.
    pub facts: Arc<Facts>,
    /// The version of its agent.
    pub version: String,
}

impl Connected {
    fn of(agent: Agent) -> Self {
        let there = agent.facts();
        let (facts, version) =
            (Arc::new(Facts::of_host(agent.name(), there)), there.app_version.clone());
        Self { agent, facts, version }
    }
}

/// The connection to a host.
#[derive(Clone, Debug, Default)]
pub enum HostState {
    /// There is none.
    #[default]
    NotConnected,
    /// It is being made.
    Connecting,
    /// It is there.
    Connected(Connected),
    /// It could not be made, or was lost.
    Failed {
        /// When.
        at: Timestamp,
        /// Why.
        error: Arc<AgentError>,
    },
}

/// What the tasks of this part report.
enum Message {
    /// A connection was made, or could not be.
    Opened { address: String, attempt: u64, result: Box<Result<Agent, AgentError>> },
    /// What other programs use on the selected host; an error is the end of its connection.
    Load { address: String, attempt: u64, result: Result<Option<f64>, AgentError> },
    /// A host was checked before it is added.
    Checked { attempt: u64, result: Box<Result<Agent, AgentError>> },
    /// What the system of a host without an agent is, and the agent for it, where there is one.
    System { attempt: u64, system: Option<String>, file: Option<AgentFile> },
    /// The key that it presents, which ssh does not know.
    Key { attempt: u64, result: Result<HostKey, String> },
    /// The agent was copied to it.
    Copied { attempt: u64, result: Result<&'static str, String> },
    /// Nothing of interest.
    Closed,
}

/// Other PCs, and where the next run happens.
#[derive(Debug)]
pub struct Hosts {
    tasks: Tasks<Message>,
    place: Place,
    states: BTreeMap<String, (u64, HostState)>,
    /// Numbers attempts, so that the answer of an earlier one is recognized.
    attempts: u64,
    other_load: Option<f64>,
    watch: Option<Watch>,
    adding: Option<AddedHost>,
    has_terminal: bool,
    /// What follows once administrator rights are granted.
    then: Option<Action>,
}

impl Part for Hosts {
    const NAME: &'static str = "the host chooser";

    fn restart(&mut self, _: &mut Outbox) {
        *self = Self::new(self.tasks.host());
    }
}

impl Hosts {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
            place: Place::default(),
            states: BTreeMap::new(),
            attempts: 0,
            other_load: None,
            watch: None,
            adding: None,
            has_terminal: platform::has_terminal(),
            then: None,
        }
    }

    /// Where the next run happens.
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// The connection to a host.
    pub fn state(&self, address: &str) -> &HostState {
        self.states.get(address).map_or(&HostState::NotConnected, |(_, state)| state)
    }

    /// The connection to the selected host; `None` where this PC is selected.
    pub fn selected(&self) -> Option<&HostState> {
        self.place.connection().map(|connection| self.state(connection))
    }

    /// The machine of the selected host, if it is connected.
    pub(super) fn facts(&self) -> Option<&Arc<Facts>> {
        match self.selected()? {
            HostState::Connected(connected) => Some(&connected.facts),
            _ => None,
        }
    }

    /// CPU time of other programs on the selected host as a share of one CPU, in the last idle seconds.
    pub(super) const fn other_load(&self) -> Option<f64> {
        self.other_load
    }

    /// Where a run is started; `None` where the selected host is not connected.
    pub(super) fn host(&self) -> Option<Host> {
        match self.selected() {
            None => Some(Host::Here),
            Some(HostState::Connected(connected)) => Some(Host::Agent(connected.agent.clone())),
            Some(_) => None,
        }
    }

    /// The host that is to be added.
    pub const fn adding(&self) -> Option<&AddedHost> {
        self.adding.as_ref()
    }

    /// Whether a terminal can be opened, to sign in to a host.
    pub const fn has_terminal(&self) -> bool {
        self.has_terminal
    }

    /// Opens a terminal with ssh to a host.
    pub(super) fn open_terminal(&self, host: &SavedHost, outbox: &mut Outbox) {
        if let Err(error) = open_sign_in(&host.address()) {
            outbox.notify(Notice::error(format!("The terminal was not opened: {error}.")));
        }
    }

    /// Selects where runs happen from now on, and connects to it. While anything is measured, nothing changes.
    pub(super) fn select(&mut self, place: Place, saved: &[SavedHost], context: &Context) {
        if context.is_busy {
            return;
        }
        if place != Place::Administrator {
            self.give_up_rights();
        }
        self.place = place;
        self.follow_load();
        if let Place::Host(address) = self.place.clone()
            && !matches!(self.state(&address), HostState::Connected(_))
        {
            self.connect(&address, saved, context);
        }
    }

    /// Connects to a host, again if it is connected.
    pub(super) fn connect(&mut self, address: &str, saved: &[SavedHost], context: &Context) {
        let host = saved.iter().find(|host| host.address == address);
        let Some(to) = host.map(SavedHost::address) else { return };
        let is_used = context.is_busy && self.place == Place::Host(address.to_owned());
        if is_used || matches!(self.state(address), HostState::Connecting) {
            return;
        }
        let attempt = self.set(address, HostState::Connecting);
        self.follow_load();
        let of = address.to_owned();
        let connect = move || Ok(Agent::connect(&to));
        self.tasks.spawn("connect", connect, move |result| Message::Opened {
            address: of,
            attempt,
            result: Box::new(opened(result)),
        });
    }

    /// Closes the connection to a host.
    pub(super) fn disconnect(&mut self, address: &str, context: &Context) {
        if context.is_busy && self.place == Place::Host(address.to_owned()) {
            return;
        }
        self.set(address, HostState::NotConnected);
        self.follow_load();
    }

    /// Forgets a host; where it was selected, this PC is.
    pub(super) fn remove(&mut self, address: &str, context: &Context) {
        self.disconnect(address, context);
        if self.place == Place::Host(address.to_owned()) && !context.is_busy {
            self.place = Place::ThisPc;
        }
    }

    /// Changes the state of a host; returns the number of the change.
    fn set(&mut self, address: &str, state: HostState) -> u64 {
        self.attempts += 1;
        let before = self.states.insert(address.to_owned(), (self.attempts, state));
        if let Some((_, HostState::Connected(connected))) = before {
            self.close(connected.agent);
        }
        self.attempts
    }

    /// Closing waits for the end of ssh.
    fn close(&self, agent: Agent) {
        let close = move || {
            agent.close();
            Ok(())
        };
        self.tasks.spawn("disconnect", close, |_| Message::Closed);
    }

    /// Reads the load of the selected host from now on, if it is connected.
    fn follow_load(&mut self) {
        (self.watch, self.other_load) = (None, None);
        let (Some(address), Some(Host::Agent(agent))) = (self.place.connection(), self.host())
        else {
            return;
        };
        let address = address.to_owned();
        let attempt = self.states.get(&address).map_or(0, |(attempt, _)| *attempt);
        self.watch = Some(self.tasks.watch("host-load", WATCH, move || {
            Some(Message::Load { address: address.clone(), attempt, result: agent.load() })
        }));
    }

    /// Takes in what the tasks reported since the last call, and connections that were lost during a run.
    pub(super) fn poll(&mut self, context: &Context, outbox: &mut Outbox) {
        for message in self.tasks.messages() {
            match message {
                Message::Opened { address, attempt, result } => {
                    self.take_opened(&address, attempt, *result, (context, &mut *outbox));
                }
                Message::Load { address, attempt, result } => {
                    self.take_load((&address, attempt), result, outbox);
                }
                Message::Checked { attempt, result } => self.take_checked(attempt, *result),
                Message::System { attempt, system, file } => {
                    self.take_system(attempt, system, file);
                }
                Message::Key { attempt, result } => self.take_key(attempt, result),
                Message::Copied { attempt, result } => self.take_copied(attempt, result),
                Message::Closed => {}
            }
        }
        if !context.is_running {
            self.note_lost(outbox);
        }
    }

    fn take_opened(
        &mut self,
        address: &str,
        attempt: u64,
        result: Result<Agent, AgentError>,
        (context, outbox): (&Context, &mut Outbox),
    ) {
        if self.states.get(address).is_none_or(|(current, _)| *current != attempt) {
            // It was disconnected or removed before it was connected.
            if let Ok(agent) = result {
                self.close(agent);
            }
            return;
        }
        let state = match result {
            Ok(agent) if address == Place::ADMINISTRATOR => {
                return self.take_rights(agent, context, outbox);
            }
            Err(error) if address == Place::ADMINISTRATOR => {
                return self.lose_rights(&error, outbox);
            }
            Ok(agent) => HostState::Connected(Connected::of(agent)),
            Err(error) => {
                // Where it is selected, the page shows why.
                if self.place != Place::Host(address.to_owned()) {
                    outbox.notify(Notice::error(format!("Cannot connect to {address}: {error}.")));
                }
                failed(error)
            }
        };
        self.set(address, state);
        self.follow_load();
    }

    fn take_load(
        &mut self,
        (address, attempt): (&str, u64),
        result: Result<Option<f64>, AgentError>,
        outbox: &mut Outbox,
    ) {
        // It may be of a connection before this one.
        let is_current = self.states.get(address).is_some_and(|(current, _)| *current == attempt);
        if self.place.connection() != Some(address) || !is_current {
            return;
        }
        match result {
            Ok(load) => self.other_load = load.or(self.other_load),
            Err(error) if self.place == Place::Administrator => self.lose_rights(&error, outbox),
            Err(error) => {
                self.set(address, failed(error));
                self.follow_load();
            }
        }
    }

    /// A connection that a run did not return is lost.
    fn note_lost(&mut self, outbox: &mut Outbox) {
        let is_lost =
            |state: &HostState| matches!(state, HostState::Connected(one) if !one.agent.is_ready());
        let lost: Vec<String> = self
            .states
            .iter()
            .filter(|(_, (_, state))| is_lost(state))
            .map(|(address, _)| address.clone())
            .collect();
        for address in lost {
            if address == Place::ADMINISTRATOR {
                self.lose_rights(&AgentError::Ended { reason: String::new() }, outbox);
                continue;
            }
            self.set(&address, failed(AgentError::Lost { reason: String::new() }));
            self.follow_load();
        }
    }
}

fn failed(error: AgentError) -> HostState {
    HostState::Failed { at: crate::text::now(), error: Arc::new(error) }
}

/// A task that ended by a defect sent no answer.
fn opened(result: Result<Result<Agent, AgentError>, String>) -> Result<Agent, AgentError> {
    result.unwrap_or_else(|reason| Err(AgentError::Refused { reason }))
}
