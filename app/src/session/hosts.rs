//! Other PCs: their connections, and where the next run is measured.

mod adding;
mod administrator;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jitterscope_engine::platform;
use jitterscope_engine::runner::{Agent, AgentError, Host, HostKey, open_sign_in};

use super::action::Action;
use super::host_action::{Place, SavedHost};
use super::part::{Context, Part};
use super::task::{TaskHost, Tasks, Watch};
use crate::facts::Facts;

pub use adding::{AddedHost, AgentFile, CheckedHost, is_old, needs_agent};

/// How often the load of a connected host is read while no test runs.
const WATCH: Duration = Duration::from_secs(2);

/// A connected host.
#[derive(Clone, Debug)]
pub struct Connected {
    agent: Agent,
    /// The facts about the machine.
    pub facts: Arc<Facts>,
    /// The version of the agent.
    pub version: String,
}

impl Connected {
    fn of(agent: Agent) -> Self {
        let there = agent.facts();
        let (facts, version) =
            (Arc::new(Facts::of(agent.other_pc(), there)), there.app_version.clone());
        Self { agent, facts, version }
    }
}

/// The connection to a host.
#[derive(Clone, Debug, Default)]
pub enum HostState {
    /// There is no connection.
    #[default]
    NotConnected,
    /// The connection is being opened.
    Connecting,
    /// The connection is open.
    Connected(Connected),
    /// The connection could not be opened, or was lost.
    Failed {
        /// When the connection failed.
        at: Timestamp,
        /// Why the connection failed.
        error: Arc<AgentError>,
    },
}

/// Messages of the connection tasks; `attempt` is the number of the connection attempt.
enum HostsMessage {
    /// The attempt to open a connection has ended: with the connected agent, or with an error.
    Opened { address: String, attempt: u64, result: Box<Result<Agent, AgentError>> },
    /// CPU time of other programs on the selected host, as a share of one CPU; an error means that
    /// the connection was lost.
    Load { address: String, attempt: u64, result: Result<Option<f64>, AgentError> },
    /// A host was checked before being added.
    Checked { attempt: u64, result: Box<Result<Agent, AgentError>> },
    /// The operating system of a host without an agent, and the agent for that system, if
    /// available.
    System { attempt: u64, system: Option<String>, file: Option<AgentFile> },
    /// The ssh key of a host whose key is unknown to ssh, or why the key could not be read.
    Key { attempt: u64, result: Result<HostKey, String> },
    /// Copying the agent to the host has ended: with the program to run there, or with an error.
    Copied { attempt: u64, result: Result<&'static str, String> },
    /// A connection was closed; needs no handling.
    Closed,
}

/// Other PCs, and where the next run is measured.
#[derive(Debug)]
pub struct Hosts {
    tasks: Tasks<HostsMessage>,
    /// Where the next run is measured.
    pub place: Place,
    states: BTreeMap<String, (u64, HostState)>,
    /// Counts connection attempts, so that the answer of an outdated attempt can be ignored.
    attempts: u64,
    /// The CPU time of other programs on the selected host as a share of one CPU, read in
    /// the last seconds without a test; `None` until it is known.
    pub(super) other_load: Option<f64>,
    watch: Option<Watch>,
    /// The host in the dialog for adding a host; `None` if the dialog is closed.
    pub adding: Option<AddedHost>,
    /// Whether a terminal for signing in to a host can be opened.
    pub has_terminal: bool,
    /// The action to carry out once administrator rights are granted.
    then: Option<Action>,
}

impl Part for Hosts {
    const NAME: &'static str = "the host chooser";

    fn restart(&mut self, _: &Context) {
        *self = Self::new(&self.tasks.host);
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

    /// Returns the connection state of a host.
    pub fn state(&self, address: &str) -> &HostState {
        self.states.get(address).map_or(&HostState::NotConnected, |(_, state)| state)
    }

    /// Returns the connection state of the selected host; `None` if tests run in this process.
    pub fn selected(&self) -> Option<&HostState> {
        self.place.connection().map(|connection| self.state(connection))
    }

    /// Returns the facts about the selected host, if it is connected.
    pub(super) fn facts(&self) -> Option<&Arc<Facts>> {
        match self.selected()? {
            HostState::Connected(connected) => Some(&connected.facts),
            _ => None,
        }
    }

    /// Returns the host on which a run starts; `None` if the selected host is not connected.
    pub(super) fn host(&self) -> Option<Host> {
        match self.selected() {
            None => Some(Host::Here),
            Some(HostState::Connected(connected)) => Some(Host::Agent(connected.agent.clone())),
            Some(_) => None,
        }
    }

    /// Opens a terminal with an ssh session to a host.
    pub(super) fn open_terminal(&self, host: &SavedHost, context: &Context) {
        if let Err(error) = open_sign_in(&host.address()) {
            context.report_error(format!("The terminal was not opened: {error}."));
        }
    }

    /// Selects where runs are measured, and connects to a host that is not connected yet. Does
    /// nothing while a test runs.
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

    /// Connects to a host; reconnects if it is connected.
    pub(super) fn connect(&mut self, address: &str, saved: &[SavedHost], context: &Context) {
        let host = saved.iter().find(|host| host.address == address);
        let Some(to) = host.map(SavedHost::address) else { return };
        let is_used = context.is_busy && self.place == Place::Host(address.to_owned());
        if is_used || matches!(self.state(address), HostState::Connecting) {
            return;
        }
        self.open("connect", address, move || Agent::connect(&to));
    }

    /// Starts to open a connection on a background thread.
    fn open(
        &mut self,
        task: &str,
        address: &str,
        connect: impl FnOnce() -> Result<Agent, AgentError> + Send + 'static,
    ) {
        let attempt = self.set(address, HostState::Connecting);
        let address = address.to_owned();
        self.tasks.spawn(
            task,
            move || Ok(connect()),
            move |result| HostsMessage::Opened {
                address,
                attempt,
                result: Box::new(opened(result)),
            },
        );
    }

    /// Closes the connection to a host.
    pub(super) fn disconnect(&mut self, address: &str, context: &Context) {
        if context.is_busy && self.place == Place::Host(address.to_owned()) {
            return;
        }
        self.set(address, HostState::NotConnected);
    }

    /// Removes a host. If it was selected, this PC becomes selected.
    pub(super) fn remove(&mut self, address: &str, context: &Context) {
        self.disconnect(address, context);
        if self.place == Place::Host(address.to_owned()) && !context.is_busy {
            self.place = Place::ThisPc;
        }
    }

    /// Sets the connection state of a host, closes its previous connection, and reads the load of
    /// the selected host from now on. Returns a new attempt number, so that the answers of earlier
    /// attempts are ignored.
    fn set(&mut self, address: &str, state: HostState) -> u64 {
        self.attempts += 1;
        let before = self.states.insert(address.to_owned(), (self.attempts, state));
        if let Some((_, HostState::Connected(connected))) = before {
            self.close(connected.agent);
        }
        if self.place.connection() == Some(address) {
            self.follow_load();
        }
        self.attempts
    }

    /// Closes a connection on a background thread, because closing waits for the ssh process to
    /// end.
    fn close(&self, agent: Agent) {
        let close = move || {
            agent.close();
            Ok(())
        };
        self.tasks.spawn("disconnect", close, |_| HostsMessage::Closed);
    }

    /// Starts reading the load of the selected host if it is connected; stops reading the load of
    /// another host.
    fn follow_load(&mut self) {
        (self.watch, self.other_load) = (None, None);
        let (Some(address), Some(Host::Agent(agent))) = (self.place.connection(), self.host())
        else {
            return;
        };
        let address = address.to_owned();
        let attempt = self.states.get(&address).map_or(0, |(attempt, _)| *attempt);
        self.watch = Some(self.tasks.watch("host-load", WATCH, move || {
            Some(HostsMessage::Load { address: address.clone(), attempt, result: agent.load() })
        }));
    }

    /// Handles the messages of tasks since the last call, and connections that were lost during a
    /// run.
    pub(super) fn poll(&mut self, context: &Context) {
        for message in self.tasks.messages() {
            match message {
                HostsMessage::Opened { address, attempt, result } => {
                    self.take_opened(&address, attempt, *result, context);
                }
                HostsMessage::Load { address, attempt, result } => {
                    self.take_load((&address, attempt), result, context);
                }
                HostsMessage::Checked { attempt, result } => self.take_checked(attempt, *result),
                HostsMessage::System { attempt, system, file } => {
                    if let Some(adding) = self.attempt_of(attempt) {
                        (adding.system, adding.file) = (system, file);
                    }
                }
                HostsMessage::Key { attempt, result } => {
                    if let Some(adding) = self.attempt_of(attempt) {
                        adding.key = Some(result);
                    }
                }
                HostsMessage::Copied { attempt, result } => self.take_copied(attempt, result),
                HostsMessage::Closed => {}
            }
        }
        if !context.is_running {
            self.note_lost(context);
        }
    }

    fn take_opened(
        &mut self,
        address: &str,
        attempt: u64,
        result: Result<Agent, AgentError>,
        context: &Context,
    ) {
        if self.states.get(address).is_none_or(|(current, _)| *current != attempt) {
            // The host was disconnected or removed while the connection was being opened.
            if let Ok(agent) = result {
                self.close(agent);
            }
            return;
        }
        let state = match result {
            Ok(agent) if address == Place::ADMINISTRATOR => {
                return self.take_rights(agent, context);
            }
            Err(error) if address == Place::ADMINISTRATOR => {
                return self.lose_rights(&error, context);
            }
            Ok(agent) => HostState::Connected(Connected::of(agent)),
            Err(error) => {
                // If the host is selected, its page shows the error, and a notice is not needed.
                if self.place != Place::Host(address.to_owned()) {
                    context.report_error(format!("Cannot connect to {address}: {error}."));
                }
                failed(error)
            }
        };
        self.set(address, state);
    }

    fn take_load(
        &mut self,
        (address, attempt): (&str, u64),
        result: Result<Option<f64>, AgentError>,
        context: &Context,
    ) {
        // The message may belong to an earlier connection.
        let is_current = self.states.get(address).is_some_and(|(current, _)| *current == attempt);
        if self.place.connection() != Some(address) || !is_current {
            return;
        }
        match result {
            Ok(load) => self.other_load = load.or(self.other_load),
            Err(error) if self.place == Place::Administrator => self.lose_rights(&error, context),
            Err(error) => {
                self.set(address, failed(error));
            }
        }
    }

    /// Marks as lost each connection that a run did not return when it ended.
    fn note_lost(&mut self, context: &Context) {
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
                self.lose_rights(&AgentError::Ended { reason: String::new() }, context);
                continue;
            }
            self.set(&address, failed(AgentError::Lost { reason: String::new() }));
        }
    }
}

fn failed(error: AgentError) -> HostState {
    HostState::Failed { at: crate::text::now(), error: Arc::new(error) }
}

/// Converts the result of a task; a task that panicked counts as a refused connection.
fn opened(result: Result<Result<Agent, AgentError>, String>) -> Result<Agent, AgentError> {
    result.unwrap_or_else(|reason| Err(AgentError::Refused { reason }))
}
