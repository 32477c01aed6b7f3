//! Tests on other PCs: the agent command, and the options that select where a test runs.

use std::io;

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::plan::Plan;
use jitterscope_engine::platform::{self, ELEVATION, Elevation};
use jitterscope_engine::runner::agent::serve;
use jitterscope_engine::runner::{Address, Agent, Host};

use super::{Status, failed, flag, option, path_option, text};

/// The option that requests a run with administrator rights.
const ADMINISTRATOR: &str = "administrator";
const ADMINISTRATOR_COMMAND: &str = "administrator-command";
/// Environment variable that `--hosts` sets for its child processes. With it, ssh does not ask for
/// passwords, because several processes run at once.
pub(super) const BATCH: &str = "JITTERSCOPE_SSH_BATCH";

/// Returns the `agent` command, which measures on behalf of another process.
pub(super) fn agent_command() -> Command {
    let command = Command::new("agent").about(
        "Measure for another Jitterscope, which starts this command through ssh or with administrator rights",
    );
    let help = "Reads requests on standard input, one JSON object per line, and writes answers and the \
                journals of runs on standard output. Saves nothing, and opens no network connection. \
                Ends when standard input ends.";
    if let Elevation::System(_) = ELEVATION {
        return command
            .after_help(format!(
                "{help} Started with administrator rights, it uses the named pipes of the window or command line that \
                 had it started, which must be in the same folder.",
            ))
            .arg(option(
                Agent::PIPE_ARGUMENT,
                "NAME",
                "Use the named pipes of this name in place of standard input and output",
            ));
    }
    command
        .after_help(format!(
            "{help} Started as root by sudo or pkexec, it takes the rights \
             of the user who called that, and retains three capabilities: CAP_SYS_NICE, \
             CAP_PERFMON, and CAP_IPC_LOCK.",
        ))
        .arg(flag(
            Agent::CALLER_ARGUMENT,
            "Refuse to serve as root where the user who called is not known",
        ))
        .arg(flag(
            Agent::IDLE_ARGUMENT,
            "Open /dev/cpu_dma_latency before root's rights are given up",
        ))
}

/// Runs the `agent` command: gives up the rights of root, then answers requests until standard
/// input ends.
pub(super) fn agent(matches: &ArgMatches) -> Result<Status, Status> {
    if let Elevation::System(system) = ELEVATION
        && let Some(name) = text(matches, Agent::PIPE_ARGUMENT)
    {
        (system.connect)(&name).map_err(|error| failed(format!("cannot connect: {error}")))?;
    }
    let [must_know_caller, needs_idle_file] = [Agent::CALLER_ARGUMENT, Agent::IDLE_ARGUMENT]
        .map(|name| matches.try_get_one(name).ok().flatten() == Some(&true));
    platform::take_callers_rights(must_know_caller, needs_idle_file)
        .map_err(|error| failed(format!("cannot give up the rights of root: {error}")))?;
    let served = serve(io::stdin(), || Box::new(io::stdout()));
    served.map_err(|error| failed(format!("cannot answer: {error}")))?;
    Ok(Status::Done)
}

/// Returns the options that select where a test runs: on another PC, or on this PC with
/// administrator rights.
pub(super) fn host_args() -> impl Iterator<Item = Arg> {
    let adds = match ELEVATION {
        Elevation::System(_) => "Measure with administrator rights, for names of programs",
        Elevation::Command(_) | Elevation::None => {
            "Measure with administrator rights, for names of programs and real-time priority"
        }
    };
    let command = Agent::ADMINISTRATOR_COMMAND.map(|default| {
        option(
            ADMINISTRATOR_COMMAND,
            "COMMAND",
            "Command that asks for the password, such as 'sudo -A'",
        )
        .default_value(default)
        .requires(ADMINISTRATOR)
    });
    let others = [
        flag(ADMINISTRATOR, adds).conflicts_with("host"),
        option("host", "USER@HOST", "Run on this host through ssh; results are saved on this PC"),
        option(
            "host-program",
            "PATH",
            "Path of jitterscope-cli on the host [default: found in PATH there]",
        ),
    ];
    others.into_iter().chain(command).map(|arg| arg.help_heading("Host"))
}

/// Returns the option that selects several PCs; it conflicts with the `excluded` options.
pub(super) fn hosts_arg(excluded: &'static [&'static str]) -> Arg {
    path_option("hosts", "FILE", "Run on each host of this file (one per line), up to 8 at a time")
        .conflicts_with_all(["host", ADMINISTRATOR])
        .conflicts_with_all(excluded)
        .help_heading("Host")
}

/// Connects to the host that the options select, for runs of these plans. If the host cannot be
/// used, prints the reason.
pub(super) fn connect(matches: &ArgMatches, plans: &[Plan]) -> Result<Host, Status> {
    if matches.try_get_one(ADMINISTRATOR).ok().flatten() == Some(&true) {
        let command = text(matches, ADMINISTRATOR_COMMAND).unwrap_or_default();
        return Agent::with_administrator_rights(&command, plans).map(Host::Agent).map_err(failed);
    }
    let program = text(matches, "host-program");
    let Some(host) = text(matches, "host") else {
        return match program {
            Some(_) if !matches.try_contains_id("hosts").is_ok_and(|is_known| is_known) => {
                failed("--host-program has no effect without --host");
                Err(Status::WrongUse)
            }
            _ => Ok(Host::Here),
        };
    };
    let is_batch = std::env::var_os(BATCH).is_some();
    let address = Address { host, ssh: None, program, is_batch };
    Agent::connect(&address).map(Host::Agent).map_err(failed)
}
