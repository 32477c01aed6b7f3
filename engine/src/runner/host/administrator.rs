//! An agent on this PC with administrator rights: the installed command line, started by a command that asks for the
//! password, or by the system.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::super::agent_error::{AgentError, Transport};
use super::{Agent, Connection, SIGN_IN};
use crate::plan::{CpuFacts, Plan};
use crate::platform::{
    ELEVATION, Elevation, PipedProgram, cpu_facts, elevatable_program, program_in_path,
};

impl Agent {
    /// The command that grants administrator rights where none is set; `None` where no command does.
    pub const ADMINISTRATOR_COMMAND: Option<&'static str> = match ELEVATION {
        Elevation::Command(command) => Some(command),
        Elevation::System(_) | Elevation::None => None,
    };
    /// How the agent is named.
    const NAME: &'static str = "This PC, administrator";
    /// The argument of an agent that does not serve as root, but takes the rights of the user who had it started.
    pub const CALLER_ARGUMENT: &'static str = "for-caller";
    /// The argument of an agent that may be requested to limit the idle latency of all CPUs.
    pub const IDLE_ARGUMENT: &'static str = "no-deep-idle";
    /// The argument of an agent that the system started: the name of the pipes to whoever had it started.
    pub const PIPE_ARGUMENT: &'static str = "pipe";

    /// Starts an agent with administrator rights for these plans; the command, such as `sudo -A`, gets the path of
    /// the agent and its arguments, and is read by no shell. It has no effect where the system itself asks.
    pub fn with_administrator_rights(command: &str, plans: &[Plan]) -> Result<Self, AgentError> {
        let agent = elevatable_program().ok_or(AgentError::NotInstalled)?;
        let (program, pipes) = if let Elevation::System(system) = ELEVATION {
            let started = (system.start)(&agent, &format!("agent --{}", Self::PIPE_ARGUMENT));
            started.map_err(|error| AgentError::NotGranted { reason: error.to_string() })?
        } else {
            let (by, mut arguments) = elevated(command, agent)?;
            if need_idle_file(plans, &cpu_facts()) {
                arguments.push(format!("--{}", Self::IDLE_ARGUMENT).into());
            }
            PipedProgram::start(&by, &arguments)?
        };
        let by = (Transport::Administrator, SIGN_IN);
        let (connection, facts) = Connection::open(Some(program), pipes, by)?;
        let connection = Arc::new(Mutex::new(Some(connection)));
        let facts = Arc::new(facts);
        Ok(Self { connection, facts, name: Self::NAME.to_owned(), is_here: true })
    }

    /// Whether this command could start an agent with administrator rights.
    pub fn check_administrator_rights(command: &str) -> Result<(), AgentError> {
        let agent = elevatable_program().ok_or(AgentError::NotInstalled)?;
        match ELEVATION {
            Elevation::System(_) => Ok(()),
            Elevation::Command(_) | Elevation::None => elevated(command, agent).map(drop),
        }
    }
}

/// What grants administrator rights, and its arguments.
fn elevated(command: &str, agent: PathBuf) -> Result<(PathBuf, Vec<OsString>), AgentError> {
    let mut words = command.split_whitespace();
    let by = words.next().or(Agent::ADMINISTRATOR_COMMAND).unwrap_or_default();
    let path = program_in_path(by);
    let path = path.ok_or_else(|| AgentError::NoElevation { command: by.to_owned() })?;
    let own = [agent.into(), "agent".into(), format!("--{}", Agent::CALLER_ARGUMENT).into()];
    Ok((path, words.map(OsString::from).chain(own).collect()))
}

/// Whether a trial of these plans limits the idle latency of all CPUs.
fn need_idle_file(plans: &[Plan], cpus: &CpuFacts) -> bool {
    let mut stages = plans.iter().flat_map(|plan| plan.stages(cpus));
    stages.any(|stage| stage.trials.iter().any(|trial| trial.conditions.no_deep_idle))
}
