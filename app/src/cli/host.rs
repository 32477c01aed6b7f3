//! Tests on other PCs: the agent, and the options that name where a test runs.

use std::io;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::runner::agent::serve;
use jitterscope_engine::runner::{Address, Agent, Host};

use super::print::print_message;
use super::{Status, text};

/// Set for the processes of `--hosts`: several at once cannot ask for passwords.
pub(super) const BATCH: &str = "JITTERSCOPE_SSH_BATCH";

/// The command that measures for another program.
pub(super) fn agent_command() -> Command {
    Command::new("agent")
        .about("Measure for Jitterscope on another PC, which starts this command through ssh")
        .after_help(
            "Reads requests on standard input, one JSON object per line, and writes answers and the \
             journals of runs on standard output. Saves nothing, and opens no network connection. \
             Ends when standard input ends.",
        )
}

/// Runs the agent.
pub(super) fn agent() -> Status {
    match serve(io::stdin(), || Box::new(io::stdout())) {
        Ok(()) => Status::Done,
        Err(error) => {
            print_message(&format!("error: cannot answer: {error}"));
            Status::Failed
        }
    }
}

/// The options that name another PC.
pub(super) fn host_args() -> [Arg; 2] {
    [
        Arg::new("host")
            .long("host")
            .value_name("USER@HOST")
            .help("Run on this host through ssh; results are saved on this PC")
            .help_heading("Host"),
        Arg::new("host-program")
            .long("host-program")
            .value_name("PATH")
            .help("Path of jitterscope-cli on the host [default: found in PATH there]")
            .help_heading("Host"),
    ]
}

/// The option that names several PCs; it excludes these other options.
pub(super) fn hosts_arg(excluded: &'static [&'static str]) -> Arg {
    Arg::new("hosts")
        .long("hosts")
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .conflicts_with("host")
        .conflicts_with_all(excluded)
        .help("Run on each host of this file (one per line), up to 8 at a time")
        .help_heading("Host")
}

/// Where the options request a run. If that host cannot be used, the reason is printed.
pub(super) fn connect(matches: &ArgMatches) -> Result<Host, Status> {
    let program = text(matches, "host-program");
    let Some(host) = text(matches, "host") else {
        return match program {
            Some(_) if !matches.try_contains_id("hosts").is_ok_and(|is_known| is_known) => {
                print_message("error: --host-program has no effect without --host");
                Err(Status::WrongUse)
            }
            _ => Ok(Host::Here),
        };
    };
    let is_batch = std::env::var_os(BATCH).is_some();
    match Agent::connect(&Address { host, program, is_batch }) {
        Ok(agent) => Ok(Host::Agent(agent)),
        Err(error) => {
            print_message(&format!("error: {error}"));
            Err(Status::Failed)
        }
    }
}
