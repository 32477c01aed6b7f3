//! Requests of the window that select where tests run or change the list of hosts.

use super::place::Place;
use super::saved_host::SavedHost;

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
