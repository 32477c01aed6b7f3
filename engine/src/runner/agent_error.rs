//! Errors of agents: one sentence with a suggestion, derived from messages of ssh and of the remote
//! shell.

use crate::format::is_unsafe_char;
use crate::format::protocol::PROTOCOL_VERSION;
use crate::platform::{ELEVATION, Elevation};
use crate::units::shortened;

/// Why an agent cannot be used. Only the message about an invalid address contains the name of the
/// host.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The address is invalid.
    #[error(
        "invalid host '{}': expected a name, an address, or user@name, as ssh takes it",
        shortened(host)
    )]
    Address {
        /// The address.
        host: String,
    },
    /// The ssh program was not found.
    #[error("{} was not found; install the OpenSSH client, or check its path", shortened(command))]
    NoSsh {
        /// The name or path of the program.
        command: String,
    },
    /// The system could not start a process or thread.
    #[error("could not start ssh: {source}")]
    Start {
        /// The system's error.
        source: std::io::Error,
    },
    /// The host name could not be resolved.
    #[error(
        "the name of the host was not found; check its spelling, or add it to your ssh configuration"
    )]
    NotFound,
    /// The host does not respond.
    #[error("the host does not answer: {reason}; check that it is on and that its ssh server runs")]
    NotReached {
        /// The message of ssh.
        reason: String,
    },
    /// The key of the host differs from the known one.
    #[error(
        "the key of this host has changed, and someone may be intercepting the connection; compare the new \
         fingerprint with the one on that PC before you remove the old key with ssh-keygen -R"
    )]
    KeyChanged,
    /// The key of the host is not known.
    #[error(
        "the key of this host is not known; connect with ssh once, and compare the fingerprint with the one on that PC"
    )]
    KeyUnknown,
    /// Signing in failed.
    #[error(
        "sign-in was denied; check the user name, and that your key or password is accepted there"
    )]
    SignIn,
    /// The program of the agent was not found on the host.
    #[error(
        "jitterscope-cli is not in PATH on that host; install it there, or give its path with --host-program"
    )]
    NoProgram,
    /// The program on the host is built for another processor or system.
    #[error(
        "jitterscope-cli on that host is built for another processor or system; install the build for that host"
    )]
    Architecture,
    /// The program on the host does not support agents.
    #[error(
        "jitterscope-cli on that host has no agent; install the same version of Jitterscope on both PCs"
    )]
    NoAgent,
    /// The agent uses another protocol version.
    #[error(
        "jitterscope-cli on that host uses protocol version {found}, this one version {PROTOCOL_VERSION}; install the \
         same version of Jitterscope on both PCs"
    )]
    Version {
        /// The protocol version of the agent.
        found: u32,
    },
    /// The agent does not answer in time.
    #[error(
        "jitterscope-cli on that host did not answer in time; check whether that PC is overloaded or asleep"
    )]
    NoAnswer,
    /// The host sends something other than answers of an agent.
    #[error(
        "the host sent something that is not an answer of an agent; check what its login files print"
    )]
    Noise,
    /// The agent refuses a request.
    #[error("{}", plain(reason))]
    Refused {
        /// The reason that the agent reports.
        reason: String,
    },
    /// The connection was lost.
    #[error("the connection was lost{}; check the network and that PC, then run again", of(reason))]
    Lost {
        /// The last message of the program that connects; empty if there is none.
        reason: String,
    },
    /// This program is not installed where only administrators can change it, and therefore gets no
    /// administrator rights.
    #[error("administrator rights need {PLACE}")]
    NotInstalled,
    /// The command that grants administrator rights was not found.
    #[error(
        "{} is not in PATH, so there is no way to request administrator rights; install polkit, or set another command",
        shortened(command)
    )]
    NoElevation {
        /// The name of the program in the command that grants administrator rights.
        command: String,
    },
    /// The user canceled, or has no permission to use administrator rights.
    #[error("administrator rights were not granted{}", of(reason))]
    NotGranted {
        /// The last message of the command; empty if there is none.
        reason: String,
    },
    /// The agent with administrator rights ended unexpectedly.
    #[error("the process with administrator rights ended{}; run again", of(reason))]
    Ended {
        /// The last message of the agent; empty if there is none.
        reason: String,
    },
}

/// The installation that administrator rights need: only administrators can change it.
const PLACE: &str = match ELEVATION {
    Elevation::System(_) => {
        "Jitterscope in a folder that only administrators can change, such as Program Files"
    }
    Elevation::Command(_) | Elevation::None => "the installed package of Jitterscope",
};

/// A function that makes an error from a line of the messages.
type ErrorMeaning = fn(&str) -> AgentError;

/// Texts in messages of ssh and the shell, in lower case, with the errors they stand for. The
/// messages are searched for the texts in this order.
const MEANINGS: [(&str, ErrorMeaning); 21] = [
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

/// The beginning of an error message of pkexec, and the beginning of a line that may follow the
/// message.
const PKEXEC: &str = "Error executing command as another user: ";
const REPORTED: &str = "This incident has been reported";
/// The beginning of an error message of the program of the agent.
const OWN: &str = "error: ";
/// Texts in messages of pkexec and sudo, each with the reason and the suggestion that replace the
/// message.
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

/// The way in which an agent is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// By ssh, with a shell on the remote PC.
    Ssh,
    /// By a command that grants administrator rights.
    Administrator,
}

impl Transport {
    /// Returns the error for a connection that ended before the first answer of the agent. `exit`
    /// and `messages` are the exit status and the error output of the program that connects.
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

    /// Returns the error for a connection that ended after the first answer of the agent.
    pub(super) fn lost(self, messages: &str) -> AgentError {
        let reason = last_line(messages);
        match self {
            Self::Ssh => AgentError::Lost { reason },
            Self::Administrator => AgentError::Ended { reason },
        }
    }
}

/// Returns the error for an ssh program that failed, from its exit status and its error output.
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

/// Returns the last line of the messages that is not empty, without a period at the end of the
/// line.
fn last_line(messages: &str) -> String {
    let last = messages.lines().rev().map(str::trim).find(|line| !line.is_empty());
    plain(last.unwrap_or_default()).trim_end_matches('.').to_owned()
}

fn plain(text: &str) -> String {
    let is_end = |letter: char| matches!(letter, '\n' | '\r' | '\t');
    let letters = text.chars().map(|letter| if is_end(letter) { ' ' } else { letter });
    letters.filter(|letter| !is_unsafe_char(*letter)).take(300).collect()
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
