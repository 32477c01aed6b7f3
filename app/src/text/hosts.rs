//! Texts about other PCs: their connections, and the results of checks.

use jitterscope_engine::format::protocol::PROTOCOL_VERSION;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::{ELEVATION, Elevation};
use jitterscope_engine::run::Run;
use jitterscope_engine::runner::AgentError;

use super::{capitalized, format_count, format_long_time, local, time};
use crate::facts::Facts;

/// The note below the list of hosts.
pub const NOTE: &str = "Tests run on the selected PC. Results are saved on this one.";
/// Benefit and cost of administrator rights.
pub const ABOUT_RIGHTS: &str = match ELEVATION {
    Elevation::System(_) => {
        "Adds names of programs. Windows asks for permission once. Only the measuring part runs with these rights."
    }
    Elevation::Command(_) | Elevation::None => {
        "Adds names of programs and real-time priority. Asks for the password once. Only the measuring part runs with \
         these rights."
    }
};
/// Shown while administrator rights are being requested.
pub const WAITING_FOR_RIGHTS: &str = match ELEVATION {
    Elevation::System(_) => "Waiting for permission",
    Elevation::Command(_) | Elevation::None => "Waiting for the password",
};
/// The requirement for requesting administrator rights.
const PLACE_FOR_RIGHTS: &str = match ELEVATION {
    Elevation::System(_) => {
        "Needs a folder that only administrators can change, such as Program Files."
    }
    Elevation::Command(_) | Elevation::None => "Needs the installed package.",
};
/// Warning if the window was started as root.
pub const AS_ROOT: &str = "Jitterscope runs as root, which it does not need. Start it as your user, and select \
                           \"This PC, with administrator rights…\".";
/// The use of networks.
pub const NETWORK: &str = "Jitterscope opens no network connection itself. A test on another PC uses your ssh, and its \
                           address is saved with the run.";
/// How a connection with ssh works, and its effect on exports.
pub const ABOUT_SSH: &str = "Jitterscope uses your own ssh, its configuration and keys. It opens no port. Host names \
                             are excluded from exports.";

/// What to do after ssh denied the sign-in.
pub const ABOUT_SIGN_IN: &str = "If ssh asks for a password, sign in there once in a terminal, and add your key with \
                                 ssh-copy-id or ssh-add. Then check again.";

/// Returns in a few words why a host cannot be used.
pub fn problem(error: &AgentError) -> String {
    match error {
        AgentError::NotFound => "Name not found".to_owned(),
        AgentError::NotReached { reason } => capitalized(reason),
        AgentError::KeyChanged => "The key of this host has changed".to_owned(),
        AgentError::KeyUnknown => "The key of this host is not known".to_owned(),
        AgentError::SignIn => "Sign-in needed".to_owned(),
        AgentError::NoProgram => "Agent not installed".to_owned(),
        AgentError::Architecture => "Agent for another processor or system".to_owned(),
        AgentError::NoAgent => "Agent is too old".to_owned(),
        AgentError::Version { found } if *found < PROTOCOL_VERSION => "Agent is too old".to_owned(),
        AgentError::Version { .. } => "Agent is newer than this app".to_owned(),
        AgentError::NoAnswer => "No answer in time".to_owned(),
        AgentError::Noise => "Not an answer of an agent".to_owned(),
        AgentError::Lost { .. } => "Connection lost".to_owned(),
        AgentError::NotInstalled => PLACE_FOR_RIGHTS.to_owned(),
        AgentError::NoElevation { .. } => {
            "Needs polkit, or another command in Settings.".to_owned()
        }
        AgentError::NotGranted { .. } => "Administrator rights were not granted".to_owned(),
        AgentError::Address { .. }
        | AgentError::NoSsh { .. }
        | AgentError::Start { .. }
        | AgentError::Refused { .. }
        | AgentError::Ended { .. } => capitalized(&error.to_string()),
    }
}

/// Returns why a host cannot be used, as a sentence for the window.
pub fn sentence(error: &AgentError) -> String {
    match error {
        AgentError::NoProgram => "Not installed, or not in the PATH of that host.".to_owned(),
        error => format!("{}.", capitalized(&error.to_string())),
    }
}

/// Returns the state of a host that cannot be used: the problem, and for an unreachable host the
/// time `at` of the failure.
pub fn failed(at: jiff::Timestamp, error: &AgentError) -> String {
    let problem = problem(error);
    match error {
        AgentError::NotFound | AgentError::NotReached { .. } | AgentError::Lost { .. } => {
            format!("Unreachable since {}: {problem}", time(&local(at)))
        }
        _ => problem,
    }
}

/// Describes a machine in a few words: "12 CPUs, Linux 6.8".
pub fn machine(facts: &Facts) -> String {
    let count = facts.machine.cpus.len();
    let cpus = if count == 1 { "1 CPU".to_owned() } else { format!("{count} CPUs") };
    format!("{cpus}, {}", facts.machine.system())
}

/// Returns the message for a run whose connection to the host was lost after this many seconds,
/// with the number of saved samples.
pub fn lost(run: &Run, seconds: u32) -> String {
    let count = format_count(run.sample_count());
    let what = match &run.host {
        Some(host) => format!("Connection to {host}"),
        None => "Administrator rights".to_owned(),
    };
    let after = format_long_time(Nanos::from_secs(i64::from(seconds)));
    let samples = run.subject.samples_name();
    format!("{what} lost after {after}. {count} {samples} were saved. No verdict.")
}

/// Returns the message for a quick check whose connection to the host was lost, with the number of
/// saved measurements.
pub fn lost_check(host: &str, took: Nanos, measured: usize, planned: usize) -> String {
    let took = format_long_time(took);
    format!(
        "Connection to {host} lost after {took}. {measured} of {planned} measurements were saved."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_host_names_the_problem() {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let refused = AgentError::NotReached { reason: "connection refused".to_owned() };
        let words = failed(at, &refused);
        assert!(words.starts_with("Unreachable since "), "{words}");
        assert!(words.ends_with(": Connection refused"), "{words}");
        assert_eq!(failed(at, &AgentError::SignIn), "Sign-in needed");
        assert_eq!(failed(at, &AgentError::Version { found: 0 }), "Agent is too old");
        let newer = AgentError::Version { found: PROTOCOL_VERSION + 1 };
        assert_eq!(failed(at, &newer), "Agent is newer than this app");
    }
}
