//! What a run is called, and which other runs it belongs to.

use super::RunId;

/// What a run is called before it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The user's name for it; empty where there is none.
    pub name: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The runs it belongs to.
    pub group: Option<Group>,
}

/// Runs that are one measurement together, such as the parts of a quick check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Names the group; all its runs have the same.
    pub id: RunId,
    /// The key of the part that this run is.
    pub part: String,
    /// The keys of the parts that were skipped before this run was saved. What later runs of the group add
    /// counts, too.
    pub skipped: Vec<String>,
}
