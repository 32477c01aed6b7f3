//! An agent on this PC with administrator rights: the installed command-line program. It is started
//! by a command that prompts for a password, or by the system.

use std::ffi::OsString;
use std::path::PathBuf;

use super::super::agent_error::{AgentError, Transport};
use super::{Agent, SIGN_IN, start_program};
use crate::plan::{CpuFacts, Plan};
use crate::platform::{ELEVATION, Elevation, cpu_facts, elevatable_program, program_in_path};

impl Agent {
    /// The default command that grants administrator rights; `None` on systems without such a command.
    pub const ADMINISTRATOR_COMMAND: Option<&'static str> = match ELEVATION {
        Elevation::Command(command) => Some(command),
        Elevation::System(_) | Elevation::None => None,
    };
    /// The name of every agent with administrator rights on this PC.
    const NAME: &'static str = "This PC, administrator";
    /// The argument of an agent that serves with the rights of the user who started it, instead of
    /// as root.
    pub const CALLER_ARGUMENT: &'static str = "for-caller";
    /// The argument of an agent that may limit the idle latency of all CPUs on request.
    pub const IDLE_ARGUMENT: &'static str = "no-deep-idle";
    /// The argument of an agent that the system started: the name of the pipes to the process that
    /// requested it.
    pub const PIPE_ARGUMENT: &'static str = "pipe";

    /// Starts an agent with administrator rights for these plans. `command`, such as `sudo -A`, is
    /// followed by the path and arguments of the agent, and runs without a shell. The command is
    /// ignored on systems with a built-in prompt for administrator rights.
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
            start_program(&by, &arguments)?
        };
        Self::over(Self::NAME, Some(program), pipes, (Transport::Administrator, SIGN_IN))
    }

    /// Checks whether this command could start an agent with administrator rights.
    pub fn check_administrator_rights(command: &str) -> Result<(), AgentError> {
        let agent = elevatable_program().ok_or(AgentError::NotInstalled)?;
        match ELEVATION {
            Elevation::System(_) => Ok(()),
            Elevation::Command(_) | Elevation::None => elevated(command, agent).map(drop),
        }
    }
}

/// Returns the path of the program that grants administrator rights, and its arguments, which start
/// the agent.
fn elevated(command: &str, agent: PathBuf) -> Result<(PathBuf, Vec<OsString>), AgentError> {
    let mut words = command.split_whitespace();
    let by = words.next().or(Agent::ADMINISTRATOR_COMMAND).unwrap_or_default();
    let path = program_in_path(by);
    let path = path.ok_or_else(|| AgentError::NoElevation { command: by.to_owned() })?;
    let own = [agent.into(), "agent".into(), format!("--{}", Agent::CALLER_ARGUMENT).into()];
    Ok((path, words.map(OsString::from).chain(own).collect()))
}

/// Whether any trial of these plans limits the idle latency of all CPUs.
fn need_idle_file(plans: &[Plan], cpus: &CpuFacts) -> bool {
    let mut stages = plans.iter().flat_map(|plan| plan.stages(cpus));
    stages.any(|stage| stage.trials.iter().any(|trial| trial.conditions.no_deep_idle))
}
