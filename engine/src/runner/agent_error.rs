//! Why an agent cannot be used: one sentence with what to do, from what ssh and the shell at its other end print.

use crate::format::is_unsafe_char;
use crate::format::protocol::PROTOCOL_VERSION;
use crate::platform::{ELEVATION, Elevation};
use crate::units::shortened;

/// Why an agent cannot be used. No message names the host.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The address is none.
    #[error(
        "invalid host '{}': expected a name, an address, or user@name, as ssh takes it",
        shortened(host)
    )]
    Address {
        /// The address.
        host: String,
    },
    /// There is no ssh.
    #[error("{} was not found; install the OpenSSH client, or check its path", shortened(command))]
    NoSsh {
        /// The command.
        command: String,
    },
    /// The system gives no process or thread.
    #[error("could not start ssh: {source}")]
    Start {
        /// The system's error.
        source: std::io::Error,
    },
    /// The name is not known.
    #[error(
        "the name of the host was not found; check its spelling, or add it to your ssh configuration"
    )]
    NotFound,
    /// It does not answer.
    #[error("the host does not answer: {reason}; check that it is on and that its ssh server runs")]
    NotReached {
        /// What ssh printed.
        reason: String,
    },
    /// Its key is not the known one.
    #[error(
        "the key of this host has changed, and someone may be intercepting the connection; compare the new \
         fingerprint with the one on that PC before you remove the old key with ssh-keygen -R"
    )]
    KeyChanged,
    /// Its key is not known.
    #[error(
        "the key of this host is not known; connect with ssh once, and compare the fingerprint with the one on that PC"
    )]
    KeyUnknown,
    /// Signing in failed.
    #[error(
        "sign-in was denied; check the user name, and that your key or password is accepted there"
    )]
    SignIn,
    /// There is no agent.
    #[error(
        "jitterscope-cli is not in PATH on that host; install it there, or give its path with --host-program"
    )]
    NoProgram,
    /// The agent is for another machine.
    #[error(
        "jitterscope-cli on that host is built for another processor or system; install the build for that host"
    )]
    Architecture,
    /// The program there has no agent.
    #[error(
        "jitterscope-cli on that host has no agent; install the same version of Jitterscope on both PCs"
    )]
    NoAgent,
    /// The agent uses another version of the protocol.
    #[error(
        "jitterscope-cli on that host uses protocol version {found}, this one version {PROTOCOL_VERSION}; install the \
         same version of Jitterscope on both PCs"
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// It does not answer in time.
    #[error(
        "jitterscope-cli on that host did not answer in time; check whether that PC is overloaded or asleep"
    )]
    NoAnswer,
    /// It sends something else.
    #[error(
        "the host sent something that is not an answer of an agent; check what its login files print"
    )]
    Noise,
    /// It refuses the request.
    #[error("{}", plain(reason))]
    Refused {
        /// Its reason.
        reason: String,
    },
    /// The connection ended.
    #[error("the connection was lost{}; check the network and that PC, then run again", of(reason))]
    Lost {
        /// What its program printed last; empty if nothing.
        reason: String,
    },
    /// Only what root alone can change may have administrator rights.
    #[error("administrator rights need {PLACE}")]
    NotInstalled,
    /// What would grant administrator rights is not there.
    #[error(
        "{} is not in PATH, so there is no way to request administrator rights; install polkit, or set another command",
        shortened(command)
    )]
    NoElevation {
        /// The program of the command.
        command: String,
    },
    /// The user canceled, or may not have them.
    #[error("administrator rights were not granted{}", of(reason))]
    NotGranted {
        /// What the command printed last; empty if nothing.
        reason: String,
    },
    /// The agent with administrator rights ended.
    #[error("the process with administrator rights ended{}; run again", of(reason))]
    Ended {
        /// What it printed last; empty if nothing.
        reason: String,
    },
}

/// What alone can have administrator rights: what only those change who have them.
const PLACE: &str = match ELEVATION {
    Elevation::System(_) => {
        "Jitterscope in a folder that only administrators can change, such as Program Files"
    }
    Elevation::Command(_) | Elevation::None => "the installed package of Jitterscope",
};

/// An error from what was printed last.
type Meaning = fn(&str) -> AgentError;

/// What ssh and the shell print, and what it means, in the order in which they are looked for.
const MEANINGS: [(&str, Meaning); 21] = [
    ("remote host identification has changed", |_| AgentError::KeyChanged),
    ("host key verification failed", |_| AgentError::KeyUnknown),
    ("could not resolve hostname", |_| AgentError::NotFound),
    ("connection refused", not_reached),
    ("connection timed out", not_reached),
    ("operation timed out", not_reached),
    ("no route to host", not_reached),
    ("network is unreachable", not_reached),
    ("connection reset by", not_reached),
    ("connection closed by", not_reached),
    ("permission denied (", |_| AgentError::SignIn),
    ("too many authentication failures", |_| AgentError::SignIn),
    ("exec format error", |_| AgentError::Architecture),
    ("cannot execute binary file", |_| AgentError::Architecture),
    ("bad cpu type", |_| AgentError::Architecture),
    ("not compatible with the version of windows", |_| AgentError::Architecture),
    ("unrecognized subcommand", |_| AgentError::NoAgent),
    ("command not found", |_| AgentError::NoProgram),
    ("no such file or directory", |_| AgentError::NoProgram),
    ("not recognized as", |_| AgentError::NoProgram),
    (": not found", |_| AgentError::NoProgram),
];

fn not_reached(line: &str) -> AgentError {
    let reason = line.rsplit(": ").next().unwrap_or_default();
    AgentError::NotReached { reason: plain(reason).trim_end_matches('.').to_owned() }
}

/// How pkexec begins its reason, and what it adds to it.
const PKEXEC: &str = "Error executing command as another user: ";
const REPORTED: &str = "This incident has been reported";
/// How the agent begins its reason.
const OWN: &str = "error: ";
/// What pkexec and sudo print, and the reason in its place, with what to do.
const REFUSALS: [(&str, &str); 6] = [
    (
        "textual authentication agent",
        "nothing here can ask for the password; run this in a terminal or a desktop session, or set another \
         command, such as sudo",
    ),
    (
        ": not authorized",
        "not authorized; enter the password of an administrator, or ask for a polkit rule that permits this action",
    ),
    (
        "error getting authority",
        "polkit does not answer; start its service, or set another command, such as sudo",
    ),
    (
        "value for the shell variable",
        "pkexec permits no shell that is missing in /etc/shells; set SHELL to one of those, or set another \
         command, such as sudo",
    ),
    (
        "a password is required",
        "sudo cannot ask for the password; run this in a terminal, or ask for a rule of sudo",
    ),
    (
        "a terminal is required",
        "sudo cannot ask for the password; run this in a terminal, or set 'sudo -A' as the command",
    ),
];

/// What starts an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// ssh, and a shell at its other end.
    Ssh,
    /// A command that grants administrator rights.
    Administrator,
}

impl Transport {
    /// Why a connection ended before the first answer.
    pub(super) fn connection_error(self, exit: Option<i32>, messages: &str) -> AgentError {
        match self {
            Self::Ssh => connection_error(exit, messages),
            Self::Administrator => {
                let lines = messages.lines().filter(|line| !line.starts_with(REPORTED));
                let found = last_line(&lines.collect::<Vec<&str>>().join("\n"));
                let lower = messages.to_lowercase();
                let known = REFUSALS.iter().find(|(text, _)| lower.contains(text));
                let prefixes = [PKEXEC, OWN];
                let plain = prefixes.iter().find_map(|prefix| found.strip_prefix(prefix));
                let plain = plain.unwrap_or(&found);
                AgentError::NotGranted {
                    reason: known.map_or(plain, |(_, reason)| reason).to_owned(),
                }
            }
        }
    }

    /// Why a connection ended later.
    pub(super) fn lost(self, messages: &str) -> AgentError {
        let reason = last_line(messages);
        match self {
            Self::Ssh => AgentError::Lost { reason },
            Self::Administrator => AgentError::Ended { reason },
        }
    }
}

/// Why a connection of ssh ended before the first answer.
pub(super) fn connection_error(exit: Option<i32>, messages: &str) -> AgentError {
    let lower = messages.to_lowercase();
    for (text, error) in MEANINGS {
        if let Some(line) = lower.lines().rev().find(|line| line.contains(text)) {
            return error(line);
        }
    }
    match exit {
        Some(127) => AgentError::NoProgram,
        Some(126) => AgentError::Architecture,
        _ => AgentError::Lost { reason: last_line(messages) },
    }
}

/// The last line that is not empty, as a sentence without a period.
fn last_line(messages: &str) -> String {
    let last = messages.lines().rev().map(str::trim).find(|line| !line.is_empty());
    plain(last.unwrap_or_default()).trim_end_matches('.').to_owned()
}

fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !is_unsafe_char(*letter)).take(300).collect();
    text
}

fn of(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ssh_prints_becomes_one_sentence_with_what_to_do() {
        for (exit, messages, expected) in [
            (255, "ssh: Could not resolve hostname x: Name or service not known\r\n", "spelling"),
            (
                255,
                "ssh: connect to host x port 22: Connection refused\r\n",
                "connection refused; check",
            ),
            (255, "ssh: connect to host x port 22: Connection timed out\r\n", "timed out; check"),
            (
                255,
                "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.\n",
                "has changed",
            ),
            (
                255,
                "No ED25519 host key is known for x\nHost key verification failed.\n",
                "not known",
            ),
            (255, "ann@x: Permission denied (publickey,password).\r\n", "sign-in was denied"),
            (127, "bash: line 1: jitterscope-cli: command not found\n", "--host-program"),
            (127, "sh: 1: jitterscope-cli: not found\n", "--host-program"),
            (127, "", "--host-program"),
            (
                1,
                "'jitterscope-cli' is not recognized as an internal or external command,\r\n",
                "--host-program",
            ),
            (126, "sh: ./x: cannot execute binary file: Exec format error\n", "another processor"),
            (2, "error: unrecognized subcommand 'agent'\n", "has no agent"),
            (255, "\u{1b}[31mBye\u{7}\n\n", "lost: [31mBye; check"),
            (0, "", "the connection was lost; check"),
        ] {
            let error = connection_error(Some(exit), messages).to_string();
            assert!(error.contains(expected), "{messages}: {error}");
            assert!(!error.contains('\n') && !error.ends_with('.'), "{error}");
        }
    }

    #[test]
    fn a_canceled_or_wrong_password_is_one_sentence() {
        for (messages, expected) in [
            (
                "Error executing command as another user: Request dismissed\n",
                "administrator rights were not granted: Request dismissed",
            ),
            (
                "Error executing command as another user: Not authorized\n\n\
                 This incident has been reported.\n",
                "administrator rights were not granted: not authorized; enter the password of an administrator, or \
                 ask for a polkit rule that permits this action",
            ),
            (
                "Error creating textual authentication agent: Error opening current controlling terminal for the \
                 process (`/dev/tty'): No such device or address\n",
                "administrator rights were not granted: nothing here can ask for the password; run this in a \
                 terminal or a desktop session, or set another command, such as sudo",
            ),
            (
                "Error getting authority: Error initializing authority: Could not connect: No such file or \
                 directory\n",
                "administrator rights were not granted: polkit does not answer; start its service, or set another \
                 command, such as sudo",
            ),
            (
                "The value for the SHELL variable was not found the /etc/shells file\n\n\
                 This incident has been reported.\n",
                "administrator rights were not granted: pkexec permits no shell that is missing in /etc/shells; \
                 set SHELL to one of those, or set another command, such as sudo",
            ),
            (
                "sudo: a password is required\n",
                "administrator rights were not granted: sudo cannot ask for the password; run this in a terminal, \
                 or ask for a rule of sudo",
            ),
            (
                "Sorry, try again.\nsudo: 3 incorrect password attempts\n",
                "administrator rights were not granted: sudo: 3 incorrect password attempts",
            ),
            ("", "administrator rights were not granted"),
        ] {
            let error = Transport::Administrator.connection_error(Some(126), messages);
            assert_eq!(error.to_string(), expected);
        }
        let lost = Transport::Administrator.lost("").to_string();
        assert_eq!(lost, "the process with administrator rights ended; run again");
    }
}
