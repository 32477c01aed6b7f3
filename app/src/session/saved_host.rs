//! A host that the user added.

use jitterscope_engine::runner::Address;
use serde::{Deserialize, Serialize};

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
