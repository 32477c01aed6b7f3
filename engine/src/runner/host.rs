//! The place where a run is measured: this process, or the process of an agent, usually on another
//! PC. The events of a run are the same in either place.

mod administrator;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::agent_error::{AgentError, Transport};
use super::connection::Connection;
use super::quiet::{OtherLoad, OtherPrograms, QuietWait};
use super::remote_run::RemoteRun;
use super::{MachineFacts, Runner, Sink, StartError};
use crate::format::is_unsafe_char;
use crate::format::protocol::{AgentAnswer, AgentFacts, AgentRequest};
use crate::measure::{self, Journal, Request, Running, TraceMode};
use crate::plan::quick::CheckSettings;
use crate::plan::{CpuFacts, Priority};
use crate::platform::{
    Applied, PipedProgram, Pipes, cpu_quota_percent, open_terminal, program_in_path,
};

/// The default program to connect with.
const SSH: &str = "ssh";
/// The default program of the agent on the host.
const PROGRAM: &str = "jitterscope-cli";
/// Options of ssh: no terminal, and timeouts for connecting and for a lost connection.
const OPTIONS: [&str; 3] = ["-T", "-oConnectTimeout=10", "-oServerAliveInterval=5"];
/// Time limits for signing in: with a password prompt, and without one.
const SIGN_IN: Duration = Duration::from_mins(3);
const BATCH_SIGN_IN: Duration = Duration::from_secs(30);

/// The address of another PC, and how to connect to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A host of the user's ssh configuration, a host name, or an IP address, optionally after `user@`.
    pub host: String,
    /// The command to connect with, and its arguments separated by spaces; `None` for `ssh` in `PATH`.
    pub ssh: Option<String>,
    /// The agent's program on the host; `None` for the default program in `PATH`.
    pub program: Option<String>,
    /// Whether ssh must not prompt, such as for a password.
    pub is_batch: bool,
}

/// The place where runs are measured.
#[derive(Clone, Debug, Default)]
pub enum Host {
    /// In this process.
    #[default]
    Here,
    /// In the process of an agent.
    Agent(Agent),
}

/// A connected agent, which measures one run at a time. Its process ends when the last clone is
/// dropped.
#[derive(Clone, Debug)]
pub struct Agent {
    /// `None` during a run, and after the connection was lost.
    connection: Arc<Mutex<Option<Connection>>>,
    facts: Arc<AgentFacts>,
    name: String,
    /// How the agent was started: by ssh on another PC, or with administrator rights on this one.
    transport: Transport,
}

impl Agent {
    /// Connects to an agent with the ssh of the user, including its configuration, keys, and prompts.
    pub fn connect(address: &Address) -> Result<Self, AgentError> {
        let agent = quoted(address.program.as_deref().unwrap_or(PROGRAM));
        let (program, pipes) = start_ssh(address, &format!("{agent} agent"))?;
        let patience = if address.is_batch { BATCH_SIGN_IN } else { SIGN_IN };
        Self::over(&address.host, Some(program), pipes, (Transport::Ssh, patience))
    }

    fn over(
        name: &str,
        program: Option<PipedProgram>,
        pipes: Pipes,
        (transport, patience): (Transport, Duration),
    ) -> Result<Self, AgentError> {
        let (connection, facts) = Connection::open(program, pipes, (transport, patience))?;
        let connection = Arc::new(Mutex::new(Some(connection)));
        Ok(Self { connection, facts: Arc::new(facts), name: name.to_owned(), transport })
    }

    /// Returns the name of another PC; `None` for this one.
    pub fn other_pc(&self) -> Option<&str> {
        (self.transport == Transport::Ssh).then(|| self.name())
    }

    /// Returns the facts that the agent reported when it was connected.
    pub fn facts(&self) -> &AgentFacts {
        &self.facts
    }

    /// Returns the host in the form in which the user entered it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts a run on the agent; waits until the agent reports that the run has begun.
    fn start(
        &self,
        request: &Request,
        journal: Option<Box<dyn Journal>>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Running, StartError> {
        let problems = request.plan.problems(&request.cpus);
        if !problems.is_empty() {
            return Err(measure::StartError::Settings { problems }.into());
        }
        let connection = self.lock().take().ok_or_else(|| self.transport.lost(""))?;
        let (run, remote) = RemoteRun::begin(connection, Arc::clone(&self.connection), request)?;
        let host = self.other_pc().map(str::to_owned);
        let run = crate::run::Run { host, ..run };
        Ok(measure::follow(run, Box::new(remote), journal, wake)?)
    }

    /// Closes the connection for all clones of this agent; waits until the program that connects
    /// has ended.
    pub fn close(&self) {
        let connection = self.lock().take();
        drop(connection);
    }

    /// Whether the connection is available for a run; `false` during a run.
    pub fn is_ready(&self) -> bool {
        // Another thread holds the lock while it exchanges a request and its answer, outside of a
        // run: the connection is then available.
        self.connection.try_lock().map_or(true, |connection| connection.is_some())
    }

    /// Returns the CPU time of other programs on the host since the last call, as a share of one
    /// CPU; `None` if the time is unknown, and during a run. An error closes the connection.
    pub fn load(&self) -> Result<Option<f64>, AgentError> {
        let mut connection = self.lock();
        let Some(open) = connection.as_mut() else { return Ok(None) };
        let answer = open.answer(&AgentRequest::Load);
        match answer {
            Ok(AgentAnswer::Load(share)) => Ok(share),
            Ok(_) => Err(AgentError::Noise),
            Err(error) => Err(error),
        }
        .inspect_err(|_| *connection = None)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Connection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host {
    /// Returns the facts about the machine that a run needs.
    pub fn facts(&self) -> MachineFacts {
        match self {
            Self::Here => MachineFacts::read(),
            Self::Agent(agent) => {
                let AgentFacts { machine, clock, cpus, .. } = agent.facts.as_ref().clone();
                MachineFacts { machine, clock, cpus }
            }
        }
    }

    /// Returns the settings of a quick check on this host.
    pub fn check_settings(&self, cpus: &CpuFacts) -> CheckSettings {
        match self {
            Self::Here => CheckSettings::new(cpus, cpu_quota_percent()),
            Self::Agent(agent) => CheckSettings::new(cpus, agent.facts.cpu_quota_percent),
        }
    }

    /// Returns the priorities that an agent requested from its system, each with its outcome;
    /// `None` for this process.
    pub fn capabilities(&self) -> Option<&[(Priority, Applied)]> {
        match self {
            Self::Here => None,
            Self::Agent(agent) => Some(&agent.facts.capabilities),
        }
    }

    /// Returns the name of the host; `None` for this PC.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Here => None,
            Self::Agent(agent) => agent.other_pc(),
        }
    }

    /// Checks whether this PC permits a required trace; an agent checks its PC when a run starts.
    pub fn check_trace(&self, trace: TraceMode) -> Result<(), measure::StartError> {
        match self {
            Self::Here => trace.check(),
            Self::Agent(_) => Ok(()),
        }
    }

    /// Starts a run on this host, like [`Runner::start`] on this PC.
    pub fn start(
        &self,
        request: Request,
        sink: Sink,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Runner, StartError> {
        match self {
            Self::Here => Runner::start(request, sink, wake),
            Self::Agent(agent) => Runner::start_by(request, sink, |request, journal| {
                agent.start(&request, journal, wake)
            }),
        }
    }

    /// Starts to measure the CPU time of other programs on this host; `None` if the system does not
    /// report it.
    pub fn other_load(&self) -> Option<HostLoad> {
        match self {
            Self::Here => OtherLoad::start().map(HostLoad::Here),
            Self::Agent(agent) => {
                // Discard the first answer: it has no value, or covers the time since a much
                // earlier request.
                agent.load().ok();
                Some(HostLoad::Agent(agent.clone()))
            }
        }
    }

    /// Measures the CPU use of other programs on this host; empty if its system does not report it.
    /// Blocks for [`QuietWait::LOOK`].
    pub fn look(&self) -> OtherPrograms {
        let mut load = self.other_load();
        std::thread::sleep(QuietWait::LOOK.to_duration());
        load.as_mut().map(HostLoad::read).unwrap_or_default()
    }
}

/// Measures the CPU time of other programs on a host.
#[derive(Debug)]
pub enum HostLoad {
    /// On this PC.
    Here(OtherLoad),
    /// On the PC of an agent.
    Agent(Agent),
}

impl HostLoad {
    /// Returns the CPU time of other programs since the start or the last call; an agent does not
    /// report their names.
    pub fn read(&mut self) -> OtherPrograms {
        match self {
            Self::Here(load) => load.read(),
            Self::Agent(agent) => {
                OtherPrograms { share: agent.load().ok().flatten(), busiest: Vec::new() }
            }
        }
    }
}

/// Starts ssh with a command for the shell on the host.
pub(super) fn start_ssh(
    address: &Address,
    command: &str,
) -> Result<(PipedProgram, Pipes), AgentError> {
    let (ssh, mut given) = ssh_of(address)?;
    given.extend(arguments(address, command)?);
    start_program(&ssh, &given)
}

/// Starts a program that ends when this process does.
pub(super) fn start_program(
    program: &Path,
    arguments: &[OsString],
) -> Result<(PipedProgram, Pipes), AgentError> {
    let (program, arguments) = (program.to_owned(), arguments.to_owned());
    Ok(measure::on_lasting_thread(move || PipedProgram::start(&program, &arguments))??)
}

/// Opens a terminal with ssh to a host, where the user can sign in and accept the key of the host.
pub fn open_sign_in(address: &Address) -> Result<(), AgentError> {
    let (ssh, mut given) = ssh_of(address)?;
    check_host(&address.host)?;
    given.extend(["--".into(), address.host.as_str().into()]);
    Ok(open_terminal(&ssh, &given)?)
}

/// Returns the path of the program to connect with, and the arguments that the user added to the
/// command.
pub(super) fn ssh_of(address: &Address) -> Result<(PathBuf, Vec<OsString>), AgentError> {
    let mut words = address.ssh.as_deref().unwrap_or(SSH).split_whitespace();
    let program = words.next().unwrap_or(SSH);
    let named = Path::new(program);
    let is_path = 1 < named.components().count();
    let found = if is_path { Some(named.to_owned()) } else { program_in_path(program) };
    let found = found.filter(|path| path.is_file());
    let found = found.ok_or_else(|| AgentError::NoSsh { command: program.to_owned() })?;
    Ok((found, words.map(OsString::from).collect()))
}

/// Returns an error for a host that is empty, contains spaces or unsafe characters, or looks like
/// an option of ssh.
fn check_host(host: &str) -> Result<(), AgentError> {
    let is_wrong = |letter: char| letter.is_whitespace() || is_unsafe_char(letter);
    if host.is_empty() || host.starts_with('-') || host.contains(is_wrong) {
        return Err(AgentError::Address { host: host.to_owned() });
    }
    Ok(())
}

/// Returns the arguments with which ssh runs `command` on a host. A host that ssh could interpret
/// as an option is rejected.
pub(super) fn arguments(address: &Address, command: &str) -> Result<Vec<OsString>, AgentError> {
    let host = address.host.as_str();
    check_host(host)?;
    let mut arguments: Vec<OsString> = OPTIONS.map(OsString::from).into();
    if address.is_batch {
        arguments.push("-oBatchMode=yes".into());
    }
    arguments.extend(["--".into(), host.into(), command.into()]);
    Ok(arguments)
}

/// Returns a path for the shell on the host, in quotes if it contains special characters.
fn quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/\\:._-~".contains(letter);
    if path.chars().all(is_plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// Returns the number of random inputs per test.
#[cfg(test)]
fn fuzz_cases() -> u32 {
    let is_long = std::env::var_os("JITTERSCOPE_LONG_TESTS").is_some_and(|value| value == "1");
    if is_long { 100_000 } else { 100 }
}

#[cfg(test)]
mod tests;
