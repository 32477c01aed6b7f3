//! Where tests run: the places, the hosts that the user added, and the requests of the window that select a place or
//! change the list of hosts.

use jitterscope_engine::runner::Address;
use serde::{Deserialize, Serialize};

/// A change of where tests run, of the list of hosts, or of the dialog for adding a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAction {
    /// Run tests at this place from now on; if the place is another PC, connect to that PC.
    Select(Place),
    /// Connect to the host with this address; an existing connection is replaced.
    Connect(String),
    /// Close the connection to the host with this address.
    Disconnect(String),
    /// Remove the host with this address from the list.
    Remove(String),
    /// Change the display name of a host.
    Rename {
        /// The address of the host.
        address: String,
        /// The new name; empty to show the address.
        name: String,
    },
    /// Show the dialog for adding a host.
    Ask,
    /// Check the connection to a host before it is added.
    Check(SavedHost),
    /// Show the saved host with this address in the dialog for adding a host, for example to copy
    /// the agent to the host.
    AskAbout(String),
    /// Trust the ssh key of the host in the dialog.
    Trust,
    /// Open a terminal with an ssh session to a host, in which the user can sign in.
    OpenTerminal(SavedHost),
    /// Copy the agent, the program that measures on a host, to the host in the dialog.
    CopyAgent,
    /// Add the checked host, and select it.
    Add,
    /// Close the dialog for adding a host without adding one.
    Cancel,
}

/// A choice in the list of hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// In this process.
    #[default]
    ThisPc,
    /// On this PC, by an agent with administrator rights.
    Administrator,
    /// On the saved host with this address.
    Host(String),
}

impl Place {
    /// The key of the connection with administrator rights among the connections to hosts. The key
    /// contains a space, so that it differs from every address.
    pub(super) const ADMINISTRATOR: &'static str = "administrator rights";

    /// Returns the key of the connection; `None` for this process, which needs no connection.
    pub(super) fn connection(&self) -> Option<&str> {
        match self {
            Self::ThisPc => None,
            Self::Administrator => Some(Self::ADMINISTRATOR),
            Self::Host(address) => Some(address),
        }
    }
}

/// A host that the user added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SavedHost {
    /// `user@host`, or a name of the ssh configuration.
    pub address: String,
    /// The display name; empty to show the address.
    pub name: String,
    /// The command that connects to the host; empty for `ssh`.
    pub ssh: String,
    /// Path of the agent program on the host; empty to find it in `PATH`.
    pub program: String,
}

impl SavedHost {
    /// Returns the display name.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.address } else { &self.name }
    }

    /// Returns how to connect to the host. The window has no terminal, so ssh must not prompt.
    pub fn address(&self) -> Address {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Address {
            host: self.address.trim().to_owned(),
            ssh: given(&self.ssh),
            program: given(&self.program),
            is_batch: true,
        }
    }
}
