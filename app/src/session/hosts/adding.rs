//! The dialog for adding a host: checks the connection, and copies the agent to the host.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::format::protocol::PROTOCOL_VERSION;
use jitterscope_engine::runner::{Agent, AgentError, HostKey, copy_agent, system_of};

use super::{Connected, HostState, Hosts, HostsMessage, SavedHost, opened};
use crate::session::part::Context;

/// The file of the agent program (`jitterscope-cli`) that can be copied to a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFile {
    path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// The result of checking a host.
#[derive(Clone, Debug)]
pub enum CheckedHost {
    /// The host was not checked yet.
    Unchecked,
    /// The host is being checked.
    Checking,
    /// The agent is being copied to the host; holds the error of the check that made copying
    /// necessary.
    Copying(Arc<AgentError>),
    /// The agent on the host answers.
    Ready(Connected),
    /// The host cannot be used; holds the error of the check.
    Failed(Arc<AgentError>),
}

/// A host in the dialog for adding one.
#[derive(Clone, Debug)]
pub struct AddedHost {
    /// The settings with which the host was checked.
    pub host: SavedHost,
    /// The result of the check.
    pub checked: CheckedHost,
    /// The operating system that the host reports; `None` unless the host lacks the agent.
    pub system: Option<String>,
    /// The agent to copy to the host; `None` if no agent for its operating system is available.
    pub file: Option<AgentFile>,
    /// Why the agent could not be copied; `None` without such an error.
    pub copy_error: Option<String>,
    /// The ssh key of the host if it is unknown to ssh, or why the key could not be read.
    pub key: Option<Result<HostKey, String>>,
    attempt: u64,
}

impl AddedHost {
    const fn new(host: SavedHost, checked: CheckedHost, attempt: u64) -> Self {
        Self { host, checked, system: None, file: None, copy_error: None, key: None, attempt }
    }
}

impl Hosts {
    /// Opens the dialog for adding a host.
    pub(in crate::session) fn begin_adding(&mut self) {
        self.cancel_adding();
        self.adding = Some(AddedHost::new(SavedHost::default(), CheckedHost::Unchecked, 0));
    }

    /// Closes the dialog without adding a host.
    pub(in crate::session) fn cancel_adding(&mut self) {
        if let Some(AddedHost { checked: CheckedHost::Ready(connected), .. }) = self.adding.take() {
            self.close(connected.agent);
        }
    }

    /// Checks the connection to the host in the dialog.
    pub(in crate::session) fn check(&mut self, host: SavedHost) {
        if self.adding.is_none() {
            return;
        }
        self.cancel_adding();
        self.attempts += 1;
        let (attempt, address) = (self.attempts, host.address());
        self.adding = Some(AddedHost::new(host, CheckedHost::Checking, attempt));
        let check = move || Ok(Agent::connect(&address));
        self.tasks.spawn("check-host", check, move |result| HostsMessage::Checked {
            attempt,
            result: Box::new(opened(result)),
        });
    }

    /// Returns the host in the dialog if it is checked by this attempt; `None` if the attempt is
    /// outdated.
    pub(super) fn attempt_of(&mut self, attempt: u64) -> Option<&mut AddedHost> {
        self.adding.as_mut().filter(|adding| adding.attempt == attempt)
    }

    pub(super) fn take_checked(&mut self, attempt: u64, result: Result<Agent, AgentError>) {
        let Some(adding) = self.attempt_of(attempt) else {
            if let Ok(agent) = result {
                self.close(agent);
            }
            return;
        };
        adding.checked = match result {
            Ok(agent) => CheckedHost::Ready(Connected::of(agent)),
            Err(error) => CheckedHost::Failed(Arc::new(error)),
        };
        let CheckedHost::Failed(error) = &adding.checked else { return };
        let address = adding.host.address();
        if matches!(**error, AgentError::KeyUnknown) {
            let read = move || HostKey::of(&address).map_err(|error| error.to_string());
            self.tasks.spawn("host-key", read, move |result| HostsMessage::Key { attempt, result });
        } else if needs_agent(error) {
            let ask = move || system_of(&address).map_err(|error| error.to_string());
            self.tasks.spawn("system-of-host", ask, move |system: Result<String, String>| {
                let file = system.as_deref().ok().and_then(agent_for);
                HostsMessage::System { attempt, system: system.ok(), file }
            });
        }
    }

    /// Trusts the ssh key of the host in the dialog, and checks the host again.
    pub(in crate::session) fn trust(&mut self, context: &Context) {
        let Some(AddedHost { host, key: Some(Ok(key)), .. }) = &self.adding else { return };
        match key.trust() {
            Ok(()) => self.check(host.clone()),
            Err(error) => context.report_error(format!("The key was not added: {error}.")),
        }
    }

    /// Copies the agent to the host in the dialog.
    pub(in crate::session) fn copy_agent(&mut self) {
        let Some(adding) = &mut self.adding else { return };
        let (Some(file), CheckedHost::Failed(error)) = (adding.file.clone(), &adding.checked)
        else {
            return;
        };
        let (attempt, address) = (adding.attempt, adding.host.address());
        adding.checked = CheckedHost::Copying(Arc::clone(error));
        let copy = move || {
            let program = File::open(&file.path).map_err(|error| error.to_string())?;
            copy_agent(&address, program, file.bytes).map_err(|error| error.to_string())
        };
        self.tasks
            .spawn("copy-agent", copy, move |result| HostsMessage::Copied { attempt, result });
    }

    /// Handles the end of copying: checks the host again with the copied agent.
    pub(super) fn take_copied(&mut self, attempt: u64, result: Result<&'static str, String>) {
        let Some(adding) = self.attempt_of(attempt) else { return };
        match result {
            Ok(program) => {
                let host = SavedHost { program: program.to_owned(), ..adding.host.clone() };
                self.check(host);
            }
            Err(error) => {
                adding.copy_error = Some(error);
                if let CheckedHost::Copying(reason) = &adding.checked {
                    adding.checked = CheckedHost::Failed(Arc::clone(reason));
                }
            }
        }
    }

    /// Closes the dialog, and returns the host to be saved; `None` if the host was not checked
    /// successfully.
    pub(in crate::session) fn finish_adding(&mut self) -> Option<SavedHost> {
        let AddedHost { host, checked: CheckedHost::Ready(connected), .. } = self.adding.take()?
        else {
            return None;
        };
        let host = SavedHost { address: host.address.trim().to_owned(), ..host };
        self.set(&host.address, HostState::Connected(connected));
        Some(host)
    }
}

/// Returns whether copying this version's agent to the host may fix the error.
pub fn needs_agent(error: &AgentError) -> bool {
    matches!(error, AgentError::NoProgram) || is_old(error)
}

/// Returns whether the error shows that the host has a program without agent, or an older agent.
pub fn is_old(error: &AgentError) -> bool {
    match error {
        AgentError::NoAgent => true,
        AgentError::Version { found } => *found < PROTOCOL_VERSION,
        _ => false,
    }
}

/// Returns the agent for a system as `uname -sm` reports it, if its static build is in the folder
/// of this program.
fn agent_for(system: &str) -> Option<AgentFile> {
    let (kind, arch) = system.trim().split_once(' ')?;
    let is_plain = arch.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("jitterscope-cli-{version}-{arch}-linux-static");
    let path = std::env::current_exe().ok()?.parent()?.join(name);
    let file = path.metadata().ok().filter(|file| file.is_file() && is_plain && kind == "Linux")?;
    Some(AgentFile { path, bytes: file.len() })
}
