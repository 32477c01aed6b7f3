//! What the window requests about the place where tests run, and the hosts for it.

use super::place::Place;
use super::saved_host::SavedHost;

/// A change of where tests run, or of the hosts for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAction {
    /// Measure here from now on; another PC is connected.
    Select(Place),
    /// Connect to the host with this address, again if it is connected.
    Connect(String),
    /// Close the connection to it.
    Disconnect(String),
    /// Forget it.
    Remove(String),
    /// Change what it is called.
    Rename {
        /// Its address.
        address: String,
        /// Its name; empty for its address.
        name: String,
    },
    /// Ask for a host to add.
    Ask,
    /// Check a host before it is added.
    Check(SavedHost),
    /// Check a saved host as one that is to be added, to do what it needs.
    AskAbout(String),
    /// Trust the key of the host that is to be added.
    Trust,
    /// Open a terminal with ssh to a host.
    OpenTerminal(SavedHost),
    /// Copy the agent to the host that is to be added.
    CopyAgent,
    /// Add the checked host, and select it.
    Add,
    /// Leave the host that is to be added.
    Cancel,
}
