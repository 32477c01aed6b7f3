//! A host before it is added: what a check of it found, and copying the agent to it.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::format::protocol::PROTOCOL_VERSION;
use jitterscope_engine::runner::{Agent, AgentError, HostKey, copy_agent, system_of};

use super::{Connected, HostState, Hosts, Message, SavedHost, opened};
use crate::session::action::Notice;
use crate::session::part::Outbox;

/// The command line to copy to a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFile {
    path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// What a check found.
#[derive(Clone, Debug)]
pub enum CheckedHost {
    /// Nothing yet.
    Unchecked,
    /// It is being checked.
    Checking,
    /// The agent is being copied to it, because of this.
    Copying(Arc<AgentError>),
    /// Its agent answers.
    Ready(Connected),
    /// The first thing that failed.
    Failed(Arc<AgentError>),
}

/// A host that is to be added.
#[derive(Clone, Debug)]
pub struct AddedHost {
    /// How it was checked.
    pub host: SavedHost,
    /// What the check found.
    pub checked: CheckedHost,
    /// What its system reports of itself, where it lacks the agent.
    pub system: Option<String>,
    /// The agent to copy there; absent where it cannot be copied.
    pub file: Option<AgentFile>,
    /// Why the agent could not be copied.
    pub copy_error: Option<String>,
    /// The key that it presents, where ssh does not know it, or why it could not be read.
    pub key: Option<Result<HostKey, String>>,
    attempt: u64,
}

impl AddedHost {
    const fn new(host: SavedHost, checked: CheckedHost, attempt: u64) -> Self {
        Self { host, checked, system: None, file: None, copy_error: None, key: None, attempt }
    }
}

impl Hosts {
    /// Begins to add a host.
    pub(in crate::session) fn begin_adding(&mut self) {
        self.cancel_adding();
        self.adding = Some(AddedHost::new(SavedHost::default(), CheckedHost::Unchecked, 0));
    }

    /// Ends to add one, without it.
    pub(in crate::session) fn cancel_adding(&mut self) {
        if let Some(AddedHost { checked: CheckedHost::Ready(connected), .. }) = self.adding.take() {
            self.close(connected.agent);
        }
    }

    /// Checks a host that is to be added.
    pub(in crate::session) fn check(&mut self, host: SavedHost) {
        if self.adding.is_none() {
            return;
        }
        self.cancel_adding();
        self.attempts += 1;
        let (attempt, address) = (self.attempts, host.address());
        self.adding = Some(AddedHost::new(host, CheckedHost::Checking, attempt));
        let check = move || Ok(Agent::connect(&address));
        self.tasks.spawn("check-host", check, move |result| Message::Checked {
            attempt,
            result: Box::new(opened(result)),
        });
    }

    /// The attempt of this number, unless another one followed.
    fn attempt_of(&mut self, attempt: u64) -> Option<&mut AddedHost> {
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
            self.tasks.spawn("host-key", read, move |result| Message::Key { attempt, result });
        } else if needs_agent(error) {
            let ask = move || system_of(&address).map_err(|error| error.to_string());
            self.tasks.spawn("system-of-host", ask, move |system: Result<String, String>| {
                let file = system.as_deref().ok().and_then(agent_for);
                Message::System { attempt, system: system.ok(), file }
            });
        }
    }

    pub(super) fn take_key(&mut self, attempt: u64, result: Result<HostKey, String>) {
        if let Some(adding) = self.attempt_of(attempt) {
            adding.key = Some(result);
        }
    }

    /// Trusts the key of the host that is to be added, and checks it again.
    pub(in crate::session) fn trust(&mut self, outbox: &mut Outbox) {
        let Some(AddedHost { host, key: Some(Ok(key)), .. }) = &self.adding else { return };
        match key.trust() {
            Ok(()) => self.check(host.clone()),
            Err(error) => {
                outbox.notify(Notice::error(format!("The key was not added: {error}.")));
            }
        }
    }

    pub(super) fn take_system(
        &mut self,
        attempt: u64,
        system: Option<String>,
        file: Option<AgentFile>,
    ) {
        if let Some(adding) = self.attempt_of(attempt) {
            (adding.system, adding.file) = (system, file);
        }
    }

    /// Copies the agent to the host that is to be added.
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
        self.tasks.spawn("copy-agent", copy, move |result| Message::Copied { attempt, result });
    }

    /// Checks again with the copied agent.
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

    /// The checked host, connected, to be saved.
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

/// Whether copying this version's agent to the host may help.
pub fn needs_agent(error: &AgentError) -> bool {
    matches!(error, AgentError::NoProgram) || is_old(error)
}

/// Whether the agent of the host is older than this app.
pub fn is_old(error: &AgentError) -> bool {
    match error {
        AgentError::NoAgent => true,
        AgentError::Version { found } => *found < PROTOCOL_VERSION,
        _ => false,
    }
}

/// The agent for a system, as `uname -sm` reports it, where its static build is in the folder of this program.
fn agent_for(system: &str) -> Option<AgentFile> {
    let (kind, arch) = system.trim().split_once(' ')?;
    let is_plain = arch.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("jitterscope-cli-{version}-{arch}-linux-static");
    let path = std::env::current_exe().ok()?.parent()?.join(name);
    let file = path.metadata().ok().filter(|file| file.is_file() && is_plain && kind == "Linux")?;
    Some(AgentFile { path, bytes: file.len() })
}
