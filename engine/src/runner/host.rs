//! Where a run happens: in this process, or in an agent's, mostly on another PC. Both deliver the same events.

mod administrator;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::agent_error::{AgentError, Transport};
use super::connection::Connection;
use super::quiet::{OtherLoad, OtherPrograms};
use super::remote_run::RemoteRun;
use super::{MachineFacts, Runner, Sink, StartError, check_settings};
use crate::format::is_unsafe_char;
use crate::format::protocol::{AgentAnswer, AgentFacts, AgentRequest};
use crate::measure::{self, Journal, Request, Running, TraceMode};
use crate::plan::quick::CheckSettings;
use crate::plan::{CpuFacts, Priority};
use crate::platform::{Applied, PipedProgram, Pipes, open_terminal, program_in_path};

/// The program that connects, where none is named.
const SSH: &str = "ssh";
/// The program at the other end, where none is named.
const PROGRAM: &str = "jitterscope-cli";
/// How long ssh may take to reach a host, in its own words.
const OPTIONS: [&str; 3] = ["-T", "-oConnectTimeout=10", "-oServerAliveInterval=5"];
/// How long it may take to sign in where a password may be typed, and where none can.
const SIGN_IN: Duration = Duration::from_mins(3);
const BATCH_SIGN_IN: Duration = Duration::from_secs(30);

/// How another PC is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A name of the user's ssh configuration, a host name or an address, or `user@` before one.
    pub host: String,
    /// The command that connects, with arguments after spaces; `None` for `ssh` in `PATH`.
    pub ssh: Option<String>,
    /// The agent's program there; `None` to find it in `PATH`.
    pub program: Option<String>,
    /// Whether ssh asks nothing, such as a password.
    pub is_batch: bool,
}

/// Where runs happen.
#[derive(Clone, Debug, Default)]
pub enum Host {
    /// In this process.
    #[default]
    Here,
    /// In the process of an agent.
    Agent(Agent),
}

/// A connected agent, for one run at a time. Its process ends with the last copy of this.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Absent during a run, and once the connection is lost.
    connection: Arc<Mutex<Option<Connection>>>,
    facts: Arc<AgentFacts>,
    name: String,
    /// Whether it runs on this PC, with more rights.
    is_here: bool,
}

impl Agent {
    /// Connects to an agent through the user's own ssh, with its configuration, keys, and prompts.
    pub fn connect(address: &Address) -> Result<Self, AgentError> {
        let agent = quoted(address.program.as_deref().unwrap_or(PROGRAM));
        let (program, pipes) = start_ssh(address, &format!("{agent} agent"))?;
        let patience = if address.is_batch { BATCH_SIGN_IN } else { SIGN_IN };
        Self::over(&address.host, Some(program), pipes, patience)
    }

    fn over(
        name: &str,
        program: Option<PipedProgram>,
        pipes: Pipes,
        patience: Duration,
    ) -> Result<Self, AgentError> {
        let (connection, facts) = Connection::open(program, pipes, (Transport::Ssh, patience))?;
        let connection = Arc::new(Mutex::new(Some(connection)));
        Ok(Self { connection, facts: Arc::new(facts), name: name.to_owned(), is_here: false })
    }

    /// What the agent reported when it was connected.
    pub fn facts(&self) -> &AgentFacts {
        &self.facts
    }

    /// The host as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts a run there, once the agent has begun it.
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
        let connection = self.lock().take().ok_or_else(|| {
            let by = if self.is_here { Transport::Administrator } else { Transport::Ssh };
            by.lost("")
        })?;
        let (run, remote) = RemoteRun::begin(connection, Arc::clone(&self.connection), request)?;
        let host = (!self.is_here).then(|| self.name.clone());
        let run = crate::run::Run { host, ..run };
        Ok(measure::follow(run, Box::new(remote), journal, wake)?)
    }

    /// Closes the connection, also for copies of this; waits for the end of its program.
    pub fn close(&self) {
        let connection = self.lock().take();
        drop(connection);
    }

    /// Whether the connection is there for the next run; not during one.
    pub fn is_ready(&self) -> bool {
        // Where the lock is taken, the connection is there and answers.
        self.connection.try_lock().map_or(true, |connection| connection.is_some())
    }

    /// What other programs used there since the last call; `None` where it is not known, and during a run. An error
    /// closes the connection.
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
    /// The facts about its machine that a run needs.
    pub fn facts(&self) -> MachineFacts {
        match self {
            Self::Here => MachineFacts::read(),
            Self::Agent(agent) => {
                let AgentFacts { machine, clock, cpus, .. } = agent.facts.as_ref().clone();
                MachineFacts { machine, clock, cpus }
            }
        }
    }

    /// How a quick check measures there.
    pub fn check_settings(&self, cpus: &CpuFacts) -> CheckSettings {
        match self {
            Self::Here => check_settings(cpus),
            Self::Agent(agent) => CheckSettings::new(cpus, agent.facts.cpu_quota_percent),
        }
    }

    /// Each priority that was requested by an agent, with its outcome; `None` for this process.
    pub fn capabilities(&self) -> Option<&[(Priority, Applied)]> {
        match self {
            Self::Here => None,
            Self::Agent(agent) => Some(&agent.facts.capabilities),
        }
    }

    /// Its name, if it is another PC.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Here => None,
            Self::Agent(agent) => (!agent.is_here).then(|| agent.name()),
        }
    }

    /// Checks whether this PC permits a required trace; an agent checks that as a run starts.
    pub fn check_trace(&self, trace: TraceMode) -> Result<(), measure::StartError> {
        match self {
            Self::Here => trace.check(),
            Self::Agent(_) => Ok(()),
        }
    }

    /// Starts a run there, as [`Runner::start`] does here.
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

    /// Starts to measure what other programs use of its CPUs; `None` where the system does not report it.
    pub fn other_load(&self) -> Option<HostLoad> {
        match self {
            Self::Here => OtherLoad::start().map(HostLoad::Here),
            Self::Agent(agent) => {
                // The answer to the first request only starts to measure, or is of a stretch that is too long.
                agent.load().ok();
                Some(HostLoad::Agent(agent.clone()))
            }
        }
    }
}

/// Measures what other programs use of the CPUs of a host.
#[derive(Debug)]
pub enum HostLoad {
    /// Of this PC.
    Here(OtherLoad),
    /// Where an agent runs.
    Agent(Agent),
}

impl HostLoad {
    /// What other programs used since the start or the last call; where an agent runs, they have no names.
    pub fn read(&mut self) -> OtherPrograms {
        match self {
            Self::Here(load) => load.read(),
            Self::Agent(agent) => {
                OtherPrograms { share: agent.load().ok().flatten(), busiest: Vec::new() }
            }
        }
    }
}

/// Starts ssh with a command for the shell at its other end.
pub(super) fn start_ssh(
    address: &Address,
    command: &str,
) -> Result<(PipedProgram, Pipes), AgentError> {
    let (ssh, mut given) = ssh_of(address)?;
    given.extend(arguments(address, command)?);
    Ok(PipedProgram::start(&ssh, &given)?)
}

/// Opens a terminal with ssh to a host, where its user can sign in and make the key known.
pub fn open_sign_in(address: &Address) -> Result<(), AgentError> {
    let (ssh, mut given) = ssh_of(address)?;
    check_host(&address.host)?;
    given.extend(["--".into(), address.host.as_str().into()]);
    Ok(open_terminal(&ssh, &given)?)
}

/// The command that connects, and the arguments that the user gave it.
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

/// Refuses what ssh could read as an option.
fn check_host(host: &str) -> Result<(), AgentError> {
    let is_wrong = |letter: char| letter.is_whitespace() || is_unsafe_char(letter);
    if host.is_empty() || host.starts_with('-') || host.contains(is_wrong) {
        return Err(AgentError::Address { host: host.to_owned() });
    }
    Ok(())
}

/// The arguments of ssh. What could be read as an option or by a shell is refused or quoted.
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

/// A path as the shell at the other end reads it: in quotes where it has other signs than those of plain paths.
fn quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/\\:._-~".contains(letter);
    if path.chars().all(is_plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// How many inputs a test tries.
#[cfg(test)]
fn fuzz_cases() -> u32 {
    let is_long = std::env::var_os("JITTERSCOPE_LONG_TESTS").is_some_and(|value| value == "1");
    if is_long { 100_000 } else { 100 }
}

#[cfg(test)]
mod tests;
