//! The name, tags, and note of a run, and the group of runs to which the run belongs.

use serde::{Deserialize, Serialize};

use super::RunId;

/// Name, tags, note, and group of a run that has not started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The user's name for the run; empty if it has none.
    pub name: String,
    /// Tags by which the user can find the run.
    pub tags: Vec<String>,
    /// The user's note; empty if the run has none.
    pub note: String,
    /// The group to which the run belongs; `None` if it is measured alone.
    pub group: Option<Group>,
}

/// A group of runs that form one measurement, such as the parts of a quick check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// The ID of the group, which all runs of the group share.
    pub id: RunId,
    /// The key of the part that the run measured.
    pub part: String,
    /// The keys of the parts that were skipped before the run was saved. Later runs of the group add the parts that are
    /// skipped later.
    pub skipped: Vec<String>,
}

impl Group {
    /// Returns whether the part with this key was skipped.
    pub fn has_skipped(&self, key: &str) -> bool {
        self.skipped.iter().any(|skipped| skipped == key)
    }
}
