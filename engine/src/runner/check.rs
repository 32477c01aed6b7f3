//! Groups the runs of one quick check.

use crate::plan::quick::{Part, TAG};
use crate::run::{Group, Labels, RunId};

/// The ID that groups the runs of one quick check, and the parts that were skipped.
#[derive(Clone, Debug)]
pub struct CheckGroup {
    id: RunId,
    skipped: Vec<Part>,
}

impl Default for CheckGroup {
    fn default() -> Self {
        Self { id: RunId::random(), skipped: Vec::new() }
    }
}

impl CheckGroup {
    /// Returns the group of an earlier quick check, which can then be continued.
    pub fn of(group: &Group) -> Self {
        let skipped = Part::ALL.into_iter().filter(|part| group.has_skipped(part.key()));
        Self { id: group.id.clone(), skipped: skipped.collect() }
    }

    /// Marks a part of the quick check as skipped, or as not completed.
    pub fn skip(&mut self, part: Part) {
        if !self.skipped.contains(&part) {
            self.skipped.push(part);
        }
    }

    /// Returns the group that the run of a part is saved with, including the parts skipped so far.
    pub fn group(&self, part: Part) -> Group {
        Group {
            id: self.id.clone(),
            part: part.key().to_owned(),
            skipped: self.skipped.iter().map(|part| part.key().to_owned()).collect(),
        }
    }

    /// Returns the labels for the run of a part: a tag and the group. The name is empty, since only
    /// a whole quick check has a name.
    pub fn labels(&self, part: Part) -> Labels {
        let tags = vec![TAG.to_owned()];
        Labels { tags, group: Some(self.group(part)), ..Labels::default() }
    }
}
