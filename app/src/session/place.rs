//! Where the next run happens.

/// A choice of the host chooser.
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
    /// How the connection with administrator rights is found among those of hosts: no address has a space.
    pub(super) const ADMINISTRATOR: &'static str = "administrator rights";

    /// How its connection is found; `None` where there is none.
    pub(super) fn connection(&self) -> Option<&str> {
        match self {
            Self::ThisPc => None,
            Self::Administrator => Some(Self::ADMINISTRATOR),
            Self::Host(address) => Some(address),
        }
    }
}
