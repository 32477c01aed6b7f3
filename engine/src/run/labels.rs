//! The name of a run, and the group of runs it belongs to.

use serde::{Deserialize, Serialize};

use super::RunId;

/// Name and tags of a run before it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The user's name for it; empty where there is none.
    pub name: String,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// The runs it belongs to.
    pub group: Option<Group>,
}

/// Runs that are one measurement together, such as the parts of a quick check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// Names the group; all its runs have the same.
    pub id: RunId,
    /// The key of the part that this run is.
    pub part: String,
    /// The keys of the parts that were skipped before this run was saved. Later runs of the group
    /// add theirs.
    pub skipped: Vec<String>,
}
