//! A host that the user added.

use jitterscope_engine::runner::Address;
use serde::{Deserialize, Serialize};

/// A host that the user added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SavedHost {
    /// `user@host`, or a name of the ssh configuration.
    pub address: String,
    /// What the user calls it; empty for its address.
    pub name: String,
    /// The command that connects; empty for `ssh`.
    pub ssh: String,
    /// Path of the agent's program there; empty to find it in `PATH`.
    pub program: String,
}

impl SavedHost {
    /// What it is called.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.address } else { &self.name }
    }

    /// How it is reached. The window has no terminal: ssh asks nothing.
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
