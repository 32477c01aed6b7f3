//! Where the next run is measured.

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
